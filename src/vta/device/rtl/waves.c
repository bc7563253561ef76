#include "device/rtl/waves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "device/rtl/wave_file.h"

/* A bounded file grows by blocks of so many cycles: few at first, until it is known what they take. Each costs some
 * compression. */
enum { FEW_CYCLES = 4, MOST_CYCLES = 2048 };

static vta_status take_number(const char *text, const char *word, uint64_t *out, vta_diag *diag) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-')
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "waves: %s: a number is expected", word);
    *out = value;
    return VTA_OK;
}

/* Cuts the last word off the path when it is a setting. */
static vta_status take_last(vt_waves *w, bool *out_taken, vta_diag *diag) {
    static const char *const keys[] = {"from=", "to=", "bytes=", "scope="};
    uint64_t *const numbers[] = {&w->from, &w->to, &w->bytes};
    char *word = strrchr(w->path, ' ');
    *out_taken = false;
    for (int i = 0; i < 4 && word; i++) {
        const char *value = word + 1 + strlen(keys[i]);
        if (strncmp(word + 1, keys[i], strlen(keys[i])) != 0) continue;
        *out_taken = true;
        *word = 0;
        if (i < 3) return take_number(value, word + 1, numbers[i], diag);
        snprintf(w->scope, sizeof w->scope, "%s", value);
        return VTA_OK;
    }
    return VTA_OK;
}

vta_status vt_waves_take(vt_waves *w, const char *text, vta_diag *diag) {
    *w = (vt_waves){.next = UINT64_MAX};
    if (!text) return VTA_OK;
    if (strlen(text) >= VT_WAVE_TEXT)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "the name of the wave file is longer than %d characters",
                       VT_WAVE_TEXT - 1);
    snprintf(w->path, sizeof w->path, "%s", text);
    for (bool more = true; more;) VT_TRY(take_last(w, &more, diag));
    if (w->to && w->from >= w->to)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "waves from cycle %llu to cycle %llu: there is none between them",
                       (unsigned long long)w->from, (unsigned long long)w->to);
    w->next = w->from;
    return VTA_OK;
}

/* The model does not say whether it has such a module: a file without signals does. */
static bool is_there(const vt_waves *w, const vt_model_functions *functions, void *model) {
    functions->wave(model, NULL, NULL);
    if (vt_wave_file_signals(w->path)) return true;
    remove(w->path);
    return false;
}

static uint64_t size_of(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static vta_status too_small(const vt_waves *w, vta_diag *diag) {
    remove(w->path);
    return vt_fail(diag, VTA_OUT_OF_RANGE,
                   "waves in %llu bytes: these signals take more in a few cycles; give more bytes, or a scope",
                   (unsigned long long)w->bytes);
}

/* What a file without a change takes: its signals are written when it is closed. */
static vta_status find_frame(vt_waves *w, const vt_model_functions *functions, void *model, vta_diag *diag) {
    if (*w->scope && !is_there(w, functions, model))
        return vt_fail(diag, VTA_NOT_FOUND, "waves of %s: the design has no such module; it has u_load, for example",
                       w->scope);
    if (!*w->scope) functions->wave(model, NULL, NULL);
    w->frame = size_of(w->path);
    return w->bytes && w->bytes < w->frame ? too_small(w, diag) : VTA_OK;
}

static vta_status begin(vt_waves *w, const vt_model_functions *functions, void *model, vta_diag *diag) {
    const char *scope = *w->scope ? w->scope : NULL;
    bool opened = functions->wave(model, w->path, scope);
    if (opened && (scope || w->bytes)) {
        VT_TRY(find_frame(w, functions, model, diag));
        opened = functions->wave(model, w->path, scope);
    }
    w->open = opened;
    w->cycles = FEW_CYCLES;
    w->written = 0;
    w->flushed = false;
    return opened ? VTA_OK : vt_fail(diag, VTA_IO, "%s: waves cannot be written there", w->path);
}

/* How many cycles the next block may have, if it takes twice what the last one took; the last of all, which closing
 * writes, may take as much as the first. */
static uint64_t next_cycles(vt_waves *w) {
    uint64_t size = size_of(w->path), took = size > w->written ? size - w->written : 1;
    uint64_t cycles = 2 * w->cycles < MOST_CYCLES ? 2 * w->cycles : MOST_CYCLES;
    if (!w->written) w->least = took;
    w->written = size;
    uint64_t full = size + w->frame + w->least;
    uint64_t fit = full < w->bytes ? (w->bytes - full) * w->cycles / (took * 2) : 0;
    return fit < cycles ? fit : cycles;
}

/* What was dumped is written in two steps: the model is asked, and does it with the first change of the cycle after.
 * True when no block more fits. */
static bool is_full(vt_waves *w, const vt_model_functions *functions, void *model, uint64_t cycle) {
    if (!w->flushed) {
        functions->flush(model);
        w->flushed = true;
        w->next = cycle + 1;
        return false;
    }
    w->flushed = false;
    w->cycles = next_cycles(w);
    w->next = cycle + w->cycles;
    return w->cycles < FEW_CYCLES;
}

vta_status vt_waves_end(vt_waves *w, const vt_model_functions *functions, void *model, vta_diag *diag) {
    if (!w->open) return VTA_OK;
    functions->wave(model, NULL, NULL);
    w->open = false;
    w->next = UINT64_MAX;
    if (!w->bytes || size_of(w->path) <= w->bytes) return VTA_OK;
    int64_t left = vt_wave_file_cut(w->path, w->bytes);
    if (left < 0) return vt_fail(diag, VTA_IO, "%s: waves cannot be written there", w->path);
    return left ? VTA_OK : too_small(w, diag);
}

vta_status vt_waves_step(vt_waves *w, const vt_model_functions *functions, void *model, uint64_t cycle,
                         vta_diag *diag) {
    bool begins = !w->open;
    w->next = UINT64_MAX;
    if (begins) VT_TRY(begin(w, functions, model, diag));
    if (begins && w->bytes) w->next = cycle + FEW_CYCLES;
    bool full = !begins && w->bytes && is_full(w, functions, model, cycle);
    if (full || (w->to && cycle >= w->to)) return vt_waves_end(w, functions, model, diag);
    if (w->to && w->to < w->next) w->next = w->to;
    return VTA_OK;
}
