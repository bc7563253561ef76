/* Values that the caller gives to a kernel's parameters: "name=value name=value", commas allowed. */
#include <string.h>

#include "base/nearest.h"
#include "base/pair.h"
#include "kernel/priv.h"

static int64_t read_value(vt_ctx *ctx, const char *name, const vt_pair *pair) {
    int64_t value;
    if (!pair->value_size)
        vt_raise(ctx, VTA_INVALID_ARGUMENT, "parameter %s is given no value: write %s=NUMBER", name, name);
    switch (vt_pair_number(pair, &value)) {
    case VT_NUMBER_READ: return value;
    case VT_NUMBER_NONE: break;
    case VT_NUMBER_TOO_BIG:
        vt_raise(ctx, VTA_OUT_OF_RANGE, "parameter %s is given as %.*s, which 64 bits do not hold", name,
                 (int)pair->value_size, pair->value);
    }
    vt_raise(ctx, VTA_INVALID_ARGUMENT, "parameter %s is given as \"%.*s\", which is not an integer", name,
             (int)pair->value_size, pair->value);
}

static void add_override(vt__reader *r, const vt_pair *pair) {
    vt_ctx *ctx = vt__ctx(r);
    const char *name = vt_new_stringn(ctx, pair->key, pair->key_size);
    if (!pair->key_size)
        vt_raise(ctx, VTA_INVALID_ARGUMENT, "\"%.*s\": a parameter is NAME=NUMBER", (int)pair->size, pair->word);
    for (uint32_t i = 0; i < r->n_overrides; i++)
        if (!strcmp(r->overrides[i].name, name))
            vt_raise(ctx, VTA_INVALID_ARGUMENT, "parameter %s is given twice", name);
    vt_grow(ctx, &r->overrides, &r->cap_overrides, r->n_overrides + 1, sizeof *r->overrides);
    r->overrides[r->n_overrides++] = (vt__override){name, read_value(ctx, name, pair)};
}

void vt__overrides_read(vt__reader *r, const char *params) {
    for (vt_pair pair; params && vt_pair_next(&params, &pair);) add_override(r, &pair);
}

bool vt__override_of(const vt__reader *r, const char *name, int64_t *out_value) {
    for (uint32_t i = 0; i < r->n_overrides; i++) {
        if (strcmp(r->overrides[i].name, name)) continue;
        *out_value = r->overrides[i].value;
        return true;
    }
    return false;
}

void vt__overrides_check(vt__reader *r) {
    char near[VT_SUGGESTION_BYTES];
    for (uint32_t i = 0; i < r->n_overrides; i++) {
        const char *name = r->overrides[i].name;
        if (!vt__name_in(&r->params, name, strlen(name)))
            vt_raise(vt__ctx(r), VTA_NOT_FOUND, "the kernel has no parameter \"%s\"%s", name,
                     vt_suggest(near, name, r->params.items, r->params.n));
    }
}
