/* All blockings that fit the buffers, and the best of them by estimate. */
#include <string.h>

#include "operators/candidates.h"
#include "operators/norm.h"

enum { MAX_THREADS = 8 };

/* A tail has buffers of its own beside those of the full tile, for each axis that has one. */
static int64_t copies(const vt_op_shape *s, const vt_op_blocks *b) {
    int64_t n = 1;
    if (s->oc % b->oc) n *= 2;
    if (s->out_h % b->y) n *= 2;
    if (s->out_w % b->x) n *= 2;
    return n * b->threads;
}

static bool holds(const vtac_op *op, vta_memory memory, int64_t elements, int64_t times) {
    int64_t all;
    return !__builtin_mul_overflow(elements, times, &all) && all <= (int64_t)vta_config_depth(op->config, memory);
}

bool vt__blocks_fit(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    int64_t rows = vt__inputs_of(s, b->y, s->stride_h, s->kernel_h, s->dilation_h);
    int64_t columns = vt__inputs_of(s, b->x, s->stride_w, s->kernel_w, s->dilation_w);
    int64_t taps = s->kernel_h * s->kernel_w, times = copies(s, b);
    int64_t tile = b->oc * b->y * b->x;
    vt_epilogue_use use = vt__epilogue_use(op, b->oc, tile);
    int64_t listed = s->padded ? taps * b->y * b->x : taps;
    return holds(op, VTA_MEM_ACC, tile + use.acc, times) &&
           holds(op, VTA_MEM_INP, b->ic * rows * columns * vt__blocks_groups(s, b) + use.inp, times) &&
           holds(op, VTA_MEM_WGT, b->oc * b->ic * taps + use.wgt, times) && holds(op, VTA_MEM_UOP, listed + 8, 1);
}

typedef struct chooser {
    const vt_op_cost *cost;
    vt_candidates found;
} chooser;

/* Threads share whole blocks only: what some had beyond the others would run after them, with buffers of its own. */
static bool divides(const vt_op_shape *s, const vt_op_blocks *b) {
    if (s->ic % b->ic) return false; /* tails of the sum gain nothing */
    if (s->group_out > 1 && s->group_out < s->oc && s->group_out % b->oc) return false; /* of one group */
    if (s->transposed && b->y < s->out_h && b->y % s->stride_h) return false;           /* tiles read equal parts */
    if (s->transposed && b->x < s->out_w && b->x % s->stride_w) return false;
    if (vt__blocks_groups(s, b) > 1 && b->ic < s->ic) return false; /* what is loaded has no gaps */
    if (b->threads == 1) return true;
    if (s->oc % b->oc || s->out_h % b->y || s->out_w % b->x) return false;
    return (b->share_rows ? s->out_h / b->y : s->oc / b->oc) % b->threads == 0;
}

const char *vt__blocks_admit(const vt_op_cost *cost, vt_op_blocks *b) {
    const vtac_op *op = cost->op;
    const vt_op_shape *s = &op->shape;
    if (!vt__is_size(b->oc, s->oc) || !vt__is_size(b->y, s->out_h) || !vt__is_size(b->x, s->out_w) ||
        !vt__is_size(b->ic, s->ic))
        return "a tile is larger than the result, or empty";
    if (!vt__is_size(b->threads, MAX_THREADS)) return "more virtual threads than there may be";
    if (!divides(s, b)) return "its tiles do not divide evenly";
    if (vt__is_norm(op) && b->oc < s->oc) return "a row that is normalized is in one tile";
    if (!vt__blocks_fit(op, b)) return "it does not fit the buffers";
    /* What is read where no tap is left out lies before the image. */
    bool whole = b->y == s->out_h && b->x == s->out_w;
    if (s->transposed && !whole && !vt__may_skip(op, b)) return "its tiles read what lies before the image";
    b->estimate = vt__cost_estimate(cost, b);
    return NULL;
}

static void look(chooser *c, const vt_op_blocks *b) {
    vt_op_blocks found = *b;
    if (vt__blocks_admit(c->cost, &found)) return;
    c->found.considered++;
    vt__candidates_keep(&c->found, &found);
}

static void look_at_threads(chooser *c, vt_op_blocks b) {
    static const int64_t threads[] = {1, 2, 4, 8};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        b.threads = threads[i];
        b.share_rows = false;
        look(c, &b);
        b.share_rows = true;
        if (b.threads > 1) look(c, &b);
    }
}

static void look_at_columns(chooser *c, int64_t x, const vt_sizes *ic, const vt_sizes *oc, const vt_sizes *y) {
    for (uint32_t k = 0; k < oc->n; k++)
        for (uint32_t i = 0; i < y->n; i++) {
            vt_op_blocks b = {.oc = oc->of[k], .y = y->of[i], .x = x, .ic = 1, .threads = 1};
            if (!vt__blocks_fit(c->cost->op, &b)) continue;
            for (uint32_t r = 0; r < ic->n; r++) {
                b.ic = ic->of[r];
                look_at_threads(c, b);
            }
        }
}

static vt_sizes sizes_of(int64_t extent) { return vt__sizes_of(extent, VT_SIZES_MAX, 5); }

uint32_t vt__blocks_choose(const vt_op_cost *cost, uint32_t room, vt_op_blocks *out, uint64_t *out_considered) {
    const vt_op_shape *s = &cost->op->shape;
    chooser c = {.cost = cost, .found = {.room = room, .best = out}};
    vt_sizes oc = sizes_of(s->oc), y = sizes_of(s->out_h), x = sizes_of(s->out_w), ic = sizes_of(s->ic);
    memset(out, 0, room * sizeof *out);
    /* Whole rows are one load; narrower tiles only where they do not fit. */
    for (uint32_t i = 0; i < x.n && !c.found.considered; i++) look_at_columns(&c, x.of[i], &ic, &oc, &y);
    *out_considered = c.found.considered;
    return c.found.n;
}
