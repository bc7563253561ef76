#include "device/rtl/waves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* How often the size of a bounded file is looked at: each time what waits is written, which costs some compression. */
enum { LOOK_EVERY = 2048 };

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

/* How many signals a file that was closed has: its header says it, in big-endian. */
static uint64_t count_signals(const char *path) {
    enum { AT = 49, BYTES = 8 };
    uint8_t bytes[AT + BYTES] = {0};
    uint64_t count = 0;
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    for (int i = 0; n == sizeof bytes && i < BYTES; i++) count = count << 8 | bytes[AT + i];
    return count;
}

/* The model does not say whether it has such a module: a file without signals does. */
static bool is_there(const vt_waves *w, const vt_model_functions *functions, void *model) {
    functions->wave(model, NULL, NULL);
    if (count_signals(w->path)) return true;
    remove(w->path);
    return false;
}

static vta_status begin(vt_waves *w, const vt_model_functions *functions, void *model, vta_diag *diag) {
    const char *scope = *w->scope ? w->scope : NULL;
    bool opened = functions->wave(model, w->path, scope);
    if (opened && scope) {
        if (!is_there(w, functions, model))
            return vt_fail(diag, VTA_NOT_FOUND,
                           "waves of %s: the design has no such module; it has u_load, for example", scope);
        opened = functions->wave(model, w->path, scope);
    }
    w->open = opened;
    return opened ? VTA_OK : vt_fail(diag, VTA_IO, "%s: waves cannot be written there", w->path);
}

static bool is_full(const vt_waves *w, const vt_model_functions *functions, void *model) {
    struct stat st;
    if (!w->bytes) return false;
    functions->flush(model);
    return stat(w->path, &st) == 0 && (uint64_t)st.st_size >= w->bytes;
}

vta_status vt_waves_step(vt_waves *w, const vt_model_functions *functions, void *model, uint64_t cycle,
                         vta_diag *diag) {
    w->next = UINT64_MAX;
    if (!w->open) VT_TRY(begin(w, functions, model, diag));
    if ((w->to && cycle >= w->to) || is_full(w, functions, model)) {
        functions->wave(model, NULL, NULL);
        w->open = false;
        return VTA_OK;
    }
    if (w->bytes) w->next = cycle + LOOK_EVERY;
    if (w->to && w->to < w->next) w->next = w->to;
    return VTA_OK;
}
