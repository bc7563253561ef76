/* Between plain tensors and tiles. */
#include <string.h>

#include "exec/exec_priv.h"

/* The extents that both forms share, as five: batches and channels, what is behind them taken as one. */
typedef struct extents {
    size_t n, c, s; /* plain: N C S */
    size_t ct;      /* tiles of channels */
    size_t b, l;    /* of a tile: rows and lanes */
    size_t bytes;   /* of an element */
} extents;

static extents extents_of(const vt_plan_view *flat, const vt_plan_view *tiled) {
    extents e = {.n = (size_t)flat->shape[0], .c = (size_t)flat->shape[1], .s = 1, .bytes = flat->type.bits / 8u};
    for (int32_t i = 2; i < flat->ndim; i++) e.s *= (size_t)flat->shape[i];
    e.ct = (size_t)tiled->shape[1];
    e.b = (size_t)tiled->shape[tiled->ndim - 2];
    e.l = (size_t)tiled->shape[tiled->ndim - 1];
    return e;
}

/* One channel of one image: from a plain row of elements to every e.l-th one of its tiles, or back. */
static void scatter(const extents *e, uint8_t *to, const uint8_t *from, size_t step) {
    for (size_t i = 0; i < e->s; i++) memcpy(to + i * step, from + i * e->bytes, e->bytes);
}

static void gather(const extents *e, uint8_t *to, const uint8_t *from, size_t step) {
    for (size_t i = 0; i < e->s; i++) memcpy(to + i * e->bytes, from + i * step, e->bytes);
}

/* Where channel c of image n begins among the tiles, in elements. */
static size_t tile_offset(const extents *e, size_t n, size_t c) {
    size_t tile = (n / e->b * e->ct + c / e->l) * e->s;
    return (tile * e->b + n % e->b) * e->l + c % e->l;
}

void vt__pack(const vt_plan_view *flat, const uint8_t *from, const vt_plan_view *tiled, uint8_t *to) {
    extents e = extents_of(flat, tiled);
    if (e.n % e.b || e.c % e.l) memset(to, 0, (size_t)tiled->bytes);
    for (size_t n = 0; n < e.n; n++)
        for (size_t c = 0; c < e.c; c++)
            scatter(&e, to + tile_offset(&e, n, c) * e.bytes, from + (n * e.c + c) * e.s * e.bytes,
                    e.b * e.l * e.bytes);
}

void vt__unpack(const vt_plan_view *tiled, const uint8_t *from, const vt_plan_view *flat, uint8_t *to) {
    extents e = extents_of(flat, tiled);
    for (size_t n = 0; n < e.n; n++)
        for (size_t c = 0; c < e.c; c++)
            gather(&e, to + (n * e.c + c) * e.s * e.bytes, from + tile_offset(&e, n, c) * e.bytes, e.b * e.l * e.bytes);
}
