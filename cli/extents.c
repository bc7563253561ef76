/* Outputs whose number of rows is known only after a run: buffers hold the largest number of rows, and another output,
 * NAME:extents, has the valid extents. */
#include <stdlib.h>
#include <string.h>

#include "tensors.h"

static const char suffix[] = ":extents";

/* The place of the extents of output i; t->count: it has none. */
static size_t extents_of(const cli_tensors *t, size_t i) {
    size_t k = 0, size = strlen(t->item[i].name);
    for (; k < t->count; k++) {
        const cli_tensor *e = &t->item[k];
        if (!strncmp(e->name, t->item[i].name, size) && !strcmp(e->name + size, suffix) && e->ndim == 1 &&
            e->shape[0] == t->item[i].ndim && e->type.code == kDLInt && e->type.bits == 64)
            break;
    }
    return k;
}

size_t cli_tensors_shown(const cli_tensors *t) {
    size_t shown = t->count;
    for (size_t i = 0; t->outputs && i < t->count; i++) shown -= extents_of(t, i) < t->count;
    return shown;
}

/* Blocks of `to` bytes out of blocks of `from`, for all extents behind an axis. */
static size_t shorten(char *data, size_t bytes, size_t from, size_t to) {
    size_t blocks = from ? bytes / from : 0;
    for (size_t i = 0; i < blocks; i++) memmove(data + i * to, data + i * from, to);
    return blocks * to;
}

vta_status cli_tensor_cut(const cli_tensors *t, void *const *data, size_t i, cli_cut *out) {
    const cli_tensor *w = &t->item[i];
    size_t at = t->outputs ? extents_of(t, i) : t->count, block = w->type.bits < 8 ? 1 : w->type.bits / 8u;
    *out = (cli_cut){.tensor = *w, .data = data[i]};
    if (at == t->count || w->ndim > CLI_CUT_AXES) return VTA_OK;
    const int64_t *extents = data[at];
    for (int32_t k = 0; k < w->ndim; k++) /* a network may compute anything under that name: the output stays whole */
        if (extents[k] < 0 || extents[k] > w->shape[k]) return VTA_OK;
    if (!(out->own = malloc(w->bytes + 1))) return VTA_NO_MEMORY;
    memcpy(out->own, data[i], w->bytes);
    for (int32_t k = w->ndim; k-- > 0;) { /* the last axis first: blocks behind an axis are short already */
        out->tensor.bytes =
            shorten(out->own, out->tensor.bytes, block * (size_t)w->shape[k], block * (size_t)extents[k]);
        out->shape[k] = extents[k];
        block *= (size_t)extents[k];
    }
    out->tensor.shape = out->shape;
    out->data = out->own;
    return VTA_OK;
}

void cli_cut_free(cli_cut *cut) { free(cut->own); }
