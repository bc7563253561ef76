/* How a GEMM instruction becomes kernel calls.
 *
 * The micro-ops and the two loops are taken apart into dimensions. A dimension that leaves dst alone is a reduction:
 * its points become steps of a kernel. One that leaves wgt alone gives rows: accumulators that share weights. One that
 * leaves src alone gives columns: accumulators that share inputs. All others are loops around the kernel. Any dimension
 * may be such a loop, so what does not fit (too many points, accumulators that would meet) becomes one. */
#include <string.h>

#include "config/config_priv.h"
#include "device/sim/fast.h"

enum { UOP_DIMS = VT_PLAN_DIMS - 2 }; /* two are the loops of the instruction */

static vt_dim difference(const vta_uop *a, const vta_uop *b) {
    return (vt_dim){2, (int32_t)(b->dst - a->dst), (int32_t)(b->src - a->src), (int32_t)(b->wgt - a->wgt)};
}

static bool same_step(vt_dim a, vt_dim b) { return a.dst == b.dst && a.src == b.src && a.wgt == b.wgt; }

static void add_dim(vt_plan *p, vt_dim d) {
    if (d.count > 1) p->dims[p->dim_count++] = d;
}

/* Every run of `count` micro-ops (each `stride` apart) repeats the first one's steps? */
static bool repeats(const vt_plan *p, vt_dim d) {
    if (p->base_count % d.count) return false;
    for (uint32_t i = 0; i < p->base_count; i += d.count)
        for (uint32_t j = i + 1; j < i + d.count; j++)
            if (!same_step(d, difference(p->bases + (size_t)(j - 1) * p->stride, p->bases + (size_t)j * p->stride)))
                return false;
    return true;
}

/* Takes dimensions out of the list of micro-ops, the innermost first. */
static void split_uops(vt_plan *p) {
    for (int level = 0; level < UOP_DIMS && p->base_count > 1; level++) {
        vt_dim d = difference(p->bases, p->bases + p->stride);
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

_Static_assert(sizeof(vt_step) == sizeof(int32_t[2]) && sizeof(vt_row) == sizeof(int32_t[2]) &&
                   sizeof(vt_column) == sizeof(int32_t[2]),
               "repeat() takes lists of two offsets");

/* Entries [first, first + n) of a list of steps, rows or columns become `count` times as many, at first * count: each
 * repetition lies so much further. */
static void repeat(void *list, uint32_t first, uint32_t n, vt_dim by) {
    int32_t(*entries)[2] = (int32_t(*)[2])list + (size_t)first * by.count;
    memmove(entries, (int32_t(*)[2])list + first, n * sizeof *entries);
    for (uint32_t i = 1; i < by.count; i++)
        for (uint32_t j = 0; j < n; j++) {
            entries[i * n + j][0] = entries[j][0] + (int32_t)i * by.src;
            entries[i * n + j][1] = entries[j][1] + (int32_t)i * by.dst;
        }
}

/* The last part first: what is moved is moved away from those before it. */
static void add_steps(vt_plan *p, uint32_t count, int32_t inp_step, int32_t wgt_step) {
    for (uint32_t i = p->part_count; i-- > 0;) {
        vt_part *part = &p->parts[i];
        repeat(p->steps, part->first_step, part->step_count, (vt_dim){count, wgt_step, inp_step, 0});
        part->first_step *= count;
        part->step_count *= count;
    }
    p->step_count *= count;
}

static void add_rows(vt_plan *p, uint32_t count, int32_t inp_step, int32_t acc_step) {
    for (uint32_t i = p->part_count; i-- > 0;) {
        vt_part *part = &p->parts[i];
        repeat(p->rows, part->first_row, part->row_count, (vt_dim){count, acc_step, inp_step, 0});
        part->first_row *= count;
        part->row_count *= count;
    }
    p->row_count *= count;
}

static void add_columns(vt_plan *p, uint32_t count, int32_t wgt_step, int32_t acc_step) {
    repeat(p->columns, 0, p->column_count, (vt_dim){count, acc_step, wgt_step, 0});
    p->column_count *= count;
}

/* Dimensions with small dst steps first: each next one must step over all that the ones before it reach. */
static void sort_dims(vt_plan *p) {
    for (uint32_t i = 1; i < p->dim_count; i++)
        for (uint32_t j = i; j && magnitude(p->dims[j].dst) < magnitude(p->dims[j - 1].dst); j--) {
            vt_dim t = p->dims[j];
            p->dims[j] = p->dims[j - 1];
            p->dims[j - 1] = t;
        }
}

/* One accumulator, or those of the parts: an element's rows and tiles. */
static void begin_lists(vt_plan *p, const vt_fast *f, const vta_config *c) {
    p->column_count = 1;
    p->columns[0] = (vt_column){0, 0};
    add_rows(p, c->batch, (int32_t)f->words, (int32_t)c->block_out);
    add_columns(p, f->tiles, (int32_t)f->tile_words, (int32_t)f->channels);
}

static bool columns_fit(const vt_plan *p, uint64_t times) {
    uint64_t columns = p->column_count * times;
    return columns <= VT_PLAN_COLUMNS && columns * p->part_count <= VT_PLAN_CORRECTED;
}

/* Puts each dimension into a list or among the loops. */
static void classify(vt_plan *p, const vt_fast *f, const vta_config *c) {
    uint64_t reach = p->reach; /* of the rows and columns so far, in acc elements */
    int32_t acc_words = (int32_t)(c->batch * c->block_out);
    begin_lists(p, f, c);
    sort_dims(p);
    for (uint32_t i = 0; i < p->dim_count; i++) {
        vt_dim d = p->dims[i];
        bool apart = magnitude(d.dst) > reach; /* no two of its accumulators meet */
        if (!d.dst && (uint64_t)p->step_count * d.count <= VT_PLAN_STEPS) {
            add_steps(p, d.count, d.src * (int32_t)f->inp_words, d.wgt * (int32_t)f->wgt_words);
            continue;
        }
        if (d.dst && apart && !d.wgt && (uint64_t)p->row_count * d.count <= VT_PLAN_ROWS) {
            add_rows(p, d.count, d.src * (int32_t)f->inp_words, d.dst * acc_words);
        } else if (d.dst && apart && !d.src && columns_fit(p, d.count)) {
            add_columns(p, d.count, d.wgt * (int32_t)f->wgt_words, d.dst * acc_words);
        } else {
            p->loops[p->loop_count++] = d;
            continue;
        }
        reach += (uint64_t)magnitude(d.dst) * (d.count - 1);
    }
}

static void one_part(vt_plan *p) {
    p->steps[0] = (vt_step){0, 0};
    p->rows[0] = (vt_row){0, 0};
    p->parts[0] = (vt_part){0, 1, 0, 1};
    p->step_count = p->row_count = p->part_count = 1;
    p->reach = 0;
}

static void make(vt_plan *p, vt_fast *f, const vta_config *c, const vt_loops *l) {
    p->of = *l;
    p->bases = l->uops;
    p->base_count = l->uop_count;
    p->stride = 1;
    p->dim_count = p->loop_count = 0;
    split_uops(p);
    if (p->base_count == 1 || !vt__plan_group(p, f, c, l)) one_part(p);
    add_dim(p, (vt_dim){l->iter_in, (int32_t)l->dst_factor_in, (int32_t)l->src_factor_in, (int32_t)l->wgt_factor_in});
    add_dim(p,
            (vt_dim){l->iter_out, (int32_t)l->dst_factor_out, (int32_t)l->src_factor_out, (int32_t)l->wgt_factor_out});
    classify(p, f, c);
    p->corrected_at = 0;
    p->made = true;
}

/* The same micro-ops and loops, wherever they begin? */
static bool same_kind(const vt_loops *a, const vt_loops *b) {
    return a->uops == b->uops && a->uop_count == b->uop_count && a->iter_out == b->iter_out &&
           a->iter_in == b->iter_in && a->dst_factor_out == b->dst_factor_out && a->dst_factor_in == b->dst_factor_in &&
           a->src_factor_out == b->src_factor_out && a->src_factor_in == b->src_factor_in &&
           a->wgt_factor_out == b->wgt_factor_out && a->wgt_factor_in == b->wgt_factor_in;
}

/* The plan for these loops: a kept one, or a new one in the place of the oldest. */
static vt_plan *plan_of(vt_machine *m, const vt_loops *l) {
    vt_fast *f = m->engine_state;
    for (int i = 0; i < VT_PLANS; i++)
        if (f->plans[i].made && same_kind(&f->plans[i].of, l)) return &f->plans[i];
    vt_plan *p = &f->plans[f->oldest_plan++ % VT_PLANS];
    make(p, f, m->config, l);
    return p;
}

void vt__fast_forget_plans(vt_machine *machine) {
    vt_fast *f = machine->engine_state;
    for (int i = 0; i < VT_PLANS; i++) f->plans[i].made = false;
}

/* The next of `blocks` blocks of nearly the same size, of `left` things. */
static uint32_t share(uint32_t left, uint32_t blocks) { return (left + blocks - 1) / blocks; }

/* Most instructions run again and again on weights that were loaded once. */
static void sum_corrections(vt_plan *p, const vt_fast *f, vt_tile_call call, int64_t wgt) {
    if (!f->kernels->sum_corrections || (p->corrected_at == f->wgt_loads && p->corrected_wgt == wgt)) return;
    for (uint32_t i = 0; i < p->part_count; i++) {
        call.steps = p->steps + p->parts[i].first_step;
        call.step_count = p->parts[i].step_count;
        f->kernels->sum_corrections(&call, p->column_count, p->corrections + (size_t)i * p->column_count * f->channels);
    }
    p->corrected_at = f->wgt_loads;
    p->corrected_wgt = wgt;
}

static void call_part(const vt_plan *p, const vt_fast *f, uint32_t index, vt_tile_call call) {
    const vt_part *part = &p->parts[index];
    uint32_t row_blocks = share(part->row_count, f->kernels->rows), rows, columns;
    call.steps = p->steps + part->first_step;
    call.step_count = part->step_count;
    for (uint32_t at = 0; at < p->column_count; at += columns) {
        columns = p->column_count - at < f->kernels->columns ? p->column_count - at : f->kernels->columns;
        call.columns = p->columns + at;
        call.correction = p->corrections + ((size_t)index * p->column_count + at) * f->channels;
        for (uint32_t b = 0, r = 0; b < row_blocks; b++, r += rows) {
            rows = share(part->row_count - r, row_blocks - b);
            call.rows = p->rows + part->first_row + r;
            f->kernels->kernel[columns - 1][rows - 1](&call);
        }
    }
}

/* All rows, columns and steps, from one triple of indices on. */
static void call_kernels(vt_machine *m, vt_plan *p, int64_t dst, int64_t src, int64_t wgt) {
    const vt_fast *f = m->engine_state;
    vt_tile_call call = {.acc = m->acc + dst * m->acc_lanes,
                         .inp = f->inp + src * f->inp_words,
                         .wgt = f->wgt + wgt * f->wgt_words,
                         .columns = p->columns,
                         .words = f->words};
    sum_corrections(p, f, call, wgt);
    for (uint32_t i = 0; i < p->part_count; i++) call_part(p, f, i, call);
}

static void run_loops(vt_machine *m, vt_plan *p, uint32_t depth, int64_t dst, int64_t src, int64_t wgt) {
    if (depth == p->loop_count) {
        call_kernels(m, p, dst, src, wgt);
        return;
    }
    const vt_dim *d = &p->loops[depth];
    for (uint32_t i = 0; i < d->count; i++, dst += d->dst, src += d->src, wgt += d->wgt)
        run_loops(m, p, depth + 1, dst, src, wgt);
}

void vt__fast_gemm(vt_machine *machine, const vt_loops *l) {
    vt_plan *p = plan_of(machine, l);
    for (uint32_t i = 0; i < p->base_count; i++) {
        const vta_uop *u = p->bases + (size_t)i * p->stride;
        run_loops(machine, p, 0, (int64_t)l->dst0 + u->dst, (int64_t)l->src0 + u->src, (int64_t)l->wgt0 + u->wgt);
    }
}
