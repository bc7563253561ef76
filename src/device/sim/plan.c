/* How a GEMM instruction becomes kernel calls.
 *
 * The micro-ops and the two loops are taken apart into dimensions: so many repetitions with a fixed step of dst, src
 * and wgt. A dimension that leaves dst alone is a reduction: its points become steps of a kernel. One that leaves wgt
 * alone gives positions: accumulators that share weights. All others are loops around the kernel. Any dimension may be
 * such a loop, so what does not fit (too many points, positions that would meet in one accumulator) becomes one. */
#include "config/config_priv.h"
#include "device/sim/fast.h"

enum { MAX_DIMS = 8, UOP_DIMS = 4 };

typedef struct dim {
    uint32_t count;
    int32_t dst, src, wgt; /* steps, in elements */
} dim;

typedef struct plan {
    const vta_uop *bases; /* micro-ops that no dimension could describe: every `stride`-th, `base_count` of them */
    uint32_t base_count, stride;
    dim dims[MAX_DIMS];
    uint32_t dim_count;
    dim loops[MAX_DIMS]; /* dims that became loops around the kernel */
    uint32_t loop_count;
    uint32_t positions, steps; /* how many, in the lists of vt_fast */
} plan;

static dim difference(const vta_uop *a, const vta_uop *b) {
    return (dim){2, (int32_t)(b->dst - a->dst), (int32_t)(b->src - a->src), (int32_t)(b->wgt - a->wgt)};
}

static bool same_step(dim a, dim b) { return a.dst == b.dst && a.src == b.src && a.wgt == b.wgt; }

static void add_dim(plan *p, dim d) {
    if (d.count > 1) p->dims[p->dim_count++] = d;
}

/* Every run of `count` micro-ops (each `stride` apart) repeats the first one's steps? */
static bool repeats(const plan *p, dim d) {
    if (p->base_count % d.count) return false;
    for (uint32_t i = 0; i < p->base_count; i += d.count)
        for (uint32_t j = i + 1; j < i + d.count; j++)
            if (!same_step(d, difference(p->bases + (size_t)(j - 1) * p->stride, p->bases + (size_t)j * p->stride)))
                return false;
    return true;
}

/* Takes dimensions out of the list of micro-ops, the innermost first. */
static void split_uops(plan *p) {
    for (int level = 0; level < UOP_DIMS && p->base_count > 1; level++) {
        dim d = difference(p->bases, p->bases + p->stride);
        while (d.count < p->base_count && same_step(d, difference(p->bases + (size_t)(d.count - 1) * p->stride,
                                                                  p->bases + (size_t)d.count * p->stride)))
            d.count++;
        if (!repeats(p, d)) return;
        add_dim(p, d);
        p->base_count /= d.count;
        p->stride *= d.count;
    }
}

static uint32_t magnitude(int32_t step) { return step < 0 ? 0u - (uint32_t)step : (uint32_t)step; }

/* Moves dims that suit neither list to p->loops, and fills the lists: steps in `f->steps`, positions in two arrays. */
static void add_steps(plan *p, vt_fast *f, dim d) {
    uint32_t n = p->steps;
    for (uint32_t i = 1; i < d.count; i++)
        for (uint32_t j = 0; j < n; j++)
            f->steps[p->steps++] = (vt_step){f->steps[j].inp + (int32_t)i * d.src * (int32_t)f->inp_words,
                                             f->steps[j].wgt + (int32_t)i * d.wgt * (int32_t)f->wgt_words};
}

static void add_positions(plan *p, vt_fast *f, uint32_t count, int32_t acc_step, int32_t inp_step) {
    uint32_t n = p->positions;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = 0; j < n; j++) {
            f->acc_offset[p->positions] = f->acc_offset[j] + (int32_t)i * acc_step;
            f->inp_offset[p->positions++] = f->inp_offset[j] + (int32_t)i * inp_step;
        }
}

/* Dimensions with small dst steps first: each next one must step over all that the ones before it reach. */
static void sort_dims(plan *p) {
    for (uint32_t i = 1; i < p->dim_count; i++)
        for (uint32_t j = i; j && magnitude(p->dims[j].dst) < magnitude(p->dims[j - 1].dst); j--) {
            dim t = p->dims[j];
            p->dims[j] = p->dims[j - 1];
            p->dims[j - 1] = t;
        }
}

static void classify(plan *p, vt_fast *f, const vta_config *c) {
    uint64_t reach = 0; /* of the positions so far, in acc elements */
    p->steps = p->positions = 1;
    f->steps[0] = (vt_step){0, 0};
    f->acc_offset[0] = f->inp_offset[0] = 0;
    add_positions(p, f, c->batch, (int32_t)c->block_out, (int32_t)f->row_words);
    sort_dims(p);
    for (uint32_t i = 0; i < p->dim_count; i++) {
        dim d = p->dims[i];
        if (!d.dst && (uint64_t)p->steps * d.count <= VT_MAX_STEPS) {
            add_steps(p, f, d);
        } else if (d.dst && !d.wgt && magnitude(d.dst) > reach &&
                   (uint64_t)p->positions * d.count <= VT_MAX_POSITIONS) {
            add_positions(p, f, d.count, d.dst * (int32_t)(c->batch * c->block_out), d.src * (int32_t)f->inp_words);
            reach += (uint64_t)magnitude(d.dst) * (d.count - 1);
        } else {
            p->loops[p->loop_count++] = d;
        }
    }
}

/* All positions, all steps, all output channels, from one triple of indices on. */
static void call_kernels(vt_machine *m, const plan *p, int64_t dst, int64_t src, int64_t wgt) {
    vt_fast *f = m->engine_state;
    uint32_t blocks = (p->positions + f->kernels->most - 1) / f->kernels->most;
    vt_tile_call call = {
        .inp = f->inp + src * f->inp_words, .steps = f->steps, .step_count = p->steps, .words = f->words};
    for (uint32_t tile = 0; tile < f->tiles; tile++) {
        call.acc = m->acc + dst * m->acc_lanes + tile * f->channels;
        call.wgt = f->wgt + wgt * f->wgt_words + (size_t)tile * f->words * f->channels;
        for (uint32_t b = 0, at = 0; b < blocks; b++) { /* blocks of nearly the same size */
            uint32_t rows = (p->positions - at + blocks - b - 1) / (blocks - b);
            call.acc_offset = f->acc_offset + at;
            call.inp_offset = f->inp_offset + at;
            f->kernels->rows[rows - 1](&call);
            at += rows;
        }
    }
}

static void run_loops(vt_machine *m, const plan *p, uint32_t depth, int64_t dst, int64_t src, int64_t wgt) {
    if (depth == p->loop_count) {
        call_kernels(m, p, dst, src, wgt);
        return;
    }
    const dim *d = &p->loops[depth];
    for (uint32_t i = 0; i < d->count; i++, dst += d->dst, src += d->src, wgt += d->wgt)
        run_loops(m, p, depth + 1, dst, src, wgt);
}

void vt__fast_gemm(vt_machine *machine, const vt_loops *l) {
    plan p = {.bases = l->uops, .base_count = l->uop_count, .stride = 1};
    split_uops(&p);
    add_dim(&p, (dim){l->iter_in, (int32_t)l->dst_factor_in, (int32_t)l->src_factor_in, (int32_t)l->wgt_factor_in});
    add_dim(&p, (dim){l->iter_out, (int32_t)l->dst_factor_out, (int32_t)l->src_factor_out, (int32_t)l->wgt_factor_out});
    classify(&p, machine->engine_state, machine->config);
    for (uint32_t i = 0; i < p.base_count; i++) {
        const vta_uop *u = p.bases + (size_t)i * p.stride;
        run_loops(machine, &p, 0, (int64_t)l->dst0 + u->dst, (int64_t)l->src0 + u->src, (int64_t)l->wgt0 + u->wgt);
    }
}
