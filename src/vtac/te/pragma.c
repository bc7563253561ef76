/* Pragmas that nothing knows. */
#include <string.h>

#include "te/schedule.h"
#include "vta/support.h"

static const char *const names[] = {
#define VT_PRAGMA(name) #name,
#include "te/pragmas.def"
#undef VT_PRAGMA
};
enum { N_NAMES = sizeof names / sizeof *names };

static void check(const te_stage *st, const vt_iter *axis, const te__pragma *p) {
    for (int i = 0; i < N_NAMES; i++)
        if (strcmp(names[i], p->name) == 0) return;
    const char *near = vta_nearest_name(p->name, names, N_NAMES);
    te__raise_at(st->schedule->c, p->pos, VTA_INVALID_ARGUMENT,
                 "%s.%s: there is no pragma \"%s\" for the accelerator%s%s%s", st->origin->name, vt_var_name(axis->var),
                 p->name, near ? "; did you mean " : "", near ? near : "",
                 near ? "?" : ": there are dma_copy, alu, ... (docs/kernel-files.md)");
}

void vt_te_check_pragmas(const te_schedule *s) {
    for (uint32_t i = 0; i < s->n_stages; i++)
        for (uint32_t j = 0; j < s->stages[i]->n_attrs; j++) {
            const te__axis_attr *attr = &s->stages[i]->attrs[j];
            for (uint32_t k = 0; k < attr->n_pragmas; k++) check(s->stages[i], attr->axis, &attr->pragmas[k]);
        }
}
