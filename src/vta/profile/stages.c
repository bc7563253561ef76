/* Time by source stage: the first word of an instruction's source name is the stage it was made for. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile_priv.h"

typedef struct sums {
    const vta_profile *profile;
    vt_stage_time *rows;
    size_t count, cap;
} sums;

static vt_stage_time *row_of(sums *s, const char *name, size_t size, int unit) {
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].unit == unit && s->rows[i].name_size == size && memcmp(s->rows[i].name, name, size) == 0)
            return &s->rows[i];
    if (!vt_reserve(&s->profile->allocator, &s->rows, &s->cap, s->count + 1, sizeof *s->rows)) return NULL;
    s->rows[s->count] = (vt_stage_time){.name = name, .name_size = size, .unit = unit};
    return &s->rows[s->count++];
}

static bool add_run(sums *s, const vt_profile_run *run) {
    for (uint32_t i = 0; i < run->count; i++) {
        const char *name = vt_profile_source_name(s->profile, run, i);
        const vta_insn_time *t = &run->times[i];
        if (name == NULL || t->start == UINT64_MAX || t->kind == VTA_KIND_NOP) continue; /* no-ops belong to no stage */
        vt_stage_time *row = row_of(s, name, strcspn(name, " "), t->unit);
        if (row == NULL) return false;
        row->instructions++;
        row->cycles += t->end - t->start;
    }
    return true;
}

static int max_cycles(const void *a, const void *b) {
    const vt_stage_time *x = a, *y = b;
    if (x->cycles != y->cycles) return x->cycles > y->cycles ? -1 : 1;
    return strcmp(x->name, y->name);
}

vta_status vt_profile_stages(const vta_profile *profile, vta_diag *diag, vt_stage_time **out_rows, size_t *out_count) {
    *out_rows = NULL;
    *out_count = 0;
    sums s = {.profile = profile};
    bool ok = true;
    for (size_t r = 0; r < profile->run_count && ok; r++) ok = add_run(&s, &profile->runs[r]);
    vt_stage_time *fit =
        ok && s.count ? vt_resize(&profile->allocator, s.rows, s.cap * sizeof *s.rows, s.count * sizeof *s.rows) : NULL;
    if (fit == NULL) {
        vt_free(&profile->allocator, s.rows, s.cap * sizeof *s.rows);
        return ok && s.count == 0 ? VTA_OK : vt_no_memory(diag);
    }
    qsort(fit, s.count, sizeof *fit, max_cycles);
    *out_rows = fit;
    *out_count = s.count;
    return VTA_OK;
}
