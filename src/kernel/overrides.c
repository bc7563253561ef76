/* Values that the caller gives to a kernel's parameters: "name=value name=value", commas allowed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "kernel/priv.h"

static const char BETWEEN[] = " ,\t\n";

static int64_t read_value(vt_ctx *ctx, const char *name, const char *text, size_t size) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 0);
    if (!size) vt_raise(ctx, VTA_INVALID_ARGUMENT, "parameter %s is given no value: write %s=NUMBER", name, name);
    if (end != text + size)
        vt_raise(ctx, VTA_INVALID_ARGUMENT, "parameter %s is given as \"%.*s\", which is not an integer", name,
                 (int)size, text);
    if (errno == ERANGE)
        vt_raise(ctx, VTA_OUT_OF_RANGE, "parameter %s is given as %.*s, which 64 bits do not hold", name, (int)size,
                 text);
    return value;
}

static void add_override(vt__reader *r, const char *word, size_t size) {
    vt_ctx *ctx = vt__ctx(r);
    size_t name_size = strcspn(word, "= ,\t\n");
    const char *name = vt_new_stringn(ctx, word, name_size), *value = word + name_size + (name_size < size);
    if (!name_size) vt_raise(ctx, VTA_INVALID_ARGUMENT, "\"%.*s\": a parameter is NAME=NUMBER", (int)size, word);
    for (uint32_t i = 0; i < r->n_overrides; i++)
        if (!strcmp(r->overrides[i].name, name))
            vt_raise(ctx, VTA_INVALID_ARGUMENT, "parameter %s is given twice", name);
    vt_grow(ctx, &r->overrides, &r->cap_overrides, r->n_overrides + 1, sizeof *r->overrides);
    int64_t number = read_value(ctx, name, value, (size_t)(word + size - value));
    r->overrides[r->n_overrides++] = (vt__override){name, number};
}

void vt__overrides_read(vt__reader *r, const char *params) {
    for (const char *p = params; p && *(p += strspn(p, BETWEEN));) {
        size_t size = strcspn(p, BETWEEN);
        add_override(r, p, size);
        p += size;
    }
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
