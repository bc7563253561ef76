/* max_pool2d: the largest element under each window; padding does not count.
 *
 * The image comes into the accumulators by GEMM with the unit matrix, its rows and columns sorted by their remainder
 * under the stride (phases), so that every tap is a tensor read at an offset. First the maxima over rows are taken for
 * all columns, then those over columns. Each begins with a tap that is inside the image for every output: in place
 * where its phase has no other tap, else with a copy of its own; where there is no such tap, with the least value. A
 * tap that is outside for some outputs is left out there. */
#include <stdio.h>

#include "operators/windows.h"

/* ---- How one direction begins and goes on ---------------------------------------------------------------------- */

typedef enum beginning { PHASE, COPY, LEAST } beginning;

typedef struct plan {
    vt_window_axis a;
    beginning begins;
    int64_t first;  /* the tap of PHASE and COPY */
    bool again;     /* COPY is a product of its own, not a copy of a phase's tensor */
    int64_t phases; /* that have taps */
} plan;

static bool always_inside(const vt_window_axis *a, int64_t tap) { return vt__window_valid(a, tap) == a->outs; }
static bool alone_in_phase(const vt_window_axis *a, int64_t tap) {
    return tap < a->stride && tap + a->stride >= a->taps;
}

static plan plan_of(vt_window_axis a, bool again) {
    plan p = {.a = a, .begins = LEAST, .first = -1, .again = again, .phases = a.taps < a.stride ? a.taps : a.stride};
    for (int64_t t = 0; t < a.taps; t++) {
        if (!always_inside(&a, t)) continue;
        if (p.begins == LEAST) p.first = t;
        p.begins = COPY;
        if (!alone_in_phase(&a, t)) continue;
        p.begins = PHASE;
        p.first = t;
        break;
    }
    return p;
}

static plan rows_of(const vtac_op *op) { return plan_of(vt__window_rows(&op->shape), true); }
static plan columns_of(const vtac_op *op) { return plan_of(vt__window_columns(&op->shape), false); }

/* Is a maximum taken with this tap? Not with one that is never inside the image. */
static bool joins(const plan *p, int64_t tap) { return tap != p->first && vt__window_valid(&p->a, tap) > 0; }

static int64_t steps(const plan *p) {
    int64_t n = 0;
    for (int64_t t = 0; t < p->a.taps; t++) n += joins(p, t);
    return n;
}

static bool reads_phase(const plan *p, int64_t tap) {
    return joins(p, tap) || (tap == p->first && !(p->begins == COPY && p->again));
}

/* How many more elements than outputs the tensor of a phase has; -1: there is none, since no tap reads it. */
static int64_t extra(const plan *p, int64_t phase) {
    int64_t most = -1;
    for (int64_t t = phase; t < p->a.taps; t += p->a.stride)
        if (reads_phase(p, t)) most = t / p->a.stride;
    return most;
}

/* The first element of it that is read. */
static int64_t begin_of(const plan *p, int64_t phase) {
    int64_t t = phase;
    while (!reads_phase(p, t)) t += p->a.stride;
    return t / p->a.stride;
}

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

enum { PHASES_MAX = 64 };

vta_status vt__describe_max_pool2d(vtac_op *op, vta_diag *diag) {
    VT_TRY(vt__windows_describe(op, &op->values[VT_ATTRIBUTE_max_pool2d_batch], diag));
    plan y = rows_of(op), x = columns_of(op);
    if ((y.begins == LEAST || x.begins == LEAST) && vta_config_width(op->config, VTA_MEM_INP) > 16)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "max_pool2d: cannot run on the accelerator, because no tap of the window is inside the image for "
            "all outputs, and the least input of %u bits does not fit an instruction; pad the image with it "
            "before",
            (unsigned)vta_config_width(op->config, VTA_MEM_INP));
    if (y.phases * x.phases <= PHASES_MAX) return VTA_OK;
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "max_pool2d: cannot run on the accelerator, because a stride of %lld x %lld sorts the image into "
                   "more than %d tensors; pool in two steps, or on the host",
                   (long long)op->shape.stride_h, (long long)op->shape.stride_w, PHASES_MAX);
}

/* ---- Cost ------------------------------------------------------------------------------------------------------ */

/* Cycles of one direction's maxima for each of `outs` outputs, with the beginning; 2 for each maximum of tensors. */
static double maxima(const plan *p, double outs, double copy) {
    double n = p->begins == LEAST ? 2 : p->begins == COPY ? copy : 0;
    for (int64_t t = 0; t < p->a.taps; t++)
        if (joins(p, t)) n += 2.0 * (double)vt__window_valid(&p->a, t) / (double)p->a.outs;
    return n * outs;
}

/* Elements of one direction that a tile has in the accumulators, over all phases. */
static int64_t held(const plan *p, int64_t outs) {
    int64_t n = 0;
    for (int64_t i = 0; i < p->phases; i++)
        if (extra(p, i) >= 0) n += outs + extra(p, i) - begin_of(p, i);
    return n;
}

static int64_t larger(int64_t x, int64_t y) { return x > y ? x : y; }

static vt_tile_use use(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    plan y = rows_of(op), x = columns_of(op);
    int64_t blocks = b->oc * s->out_blocks, columns = held(&x, b->x), outputs = blocks * b->y * b->x;
    int64_t products = blocks * (held(&y, b->y) + (y.begins == COPY ? b->y : 0)) * columns;
    vt_tile_use u = {.acc = products + (y.begins == LEAST ? blocks * b->y * columns : 0) +
                            (x.begins == PHASE ? 0 : outputs),
                     .uops = larger(blocks * (s->in_blocks > 1 ? b->x + x.a.taps : 1), larger(b->y, b->x + x.a.taps))};
    vt__windows_add_load(s, b, &u);
    u.compute = (double)products * (double)(1 + s->in_blocks) + maxima(&y, (double)(blocks * b->y * columns), 0) +
                maxima(&x, (double)outputs, 3);
    u.instructions = (double)(2 * (y.phases + (y.begins == COPY)) * x.phases + y.a.taps * x.phases + x.a.taps);
    vt__tiles_add_epilogue(op, b, &u);
    return u;
}

const vt_op_space vt__space_maxima = VT_TILES(use);

/* ---- The kernel file ------------------------------------------------------------------------------------------- */

typedef struct writing {
    const vtac_op *op;
    plan y, x;
    const char *at;
    vt_strbuf *out, stages;
} writing;

static int64_t least_input(const writing *w) {
    return -(INT64_C(1) << (vta_config_width(w->op->config, VTA_MEM_INP) - 1));
}

/* The last tensor is called "sums"; `last` says whether this is it. */
static const char *name_of(char out[64], bool last, const char *form, long long a, long long b) {
    if (last)
        snprintf(out, 64, "sums");
    else
        snprintf(out, 64, form, a, b);
    return out;
}

static void add_alu(writing *w, const char *name) {
    vt_strbuf_addf(&w->stages, "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", name, w->at);
}

static void add_product(writing *w, const char *name, int64_t rows, int64_t columns, int64_t row, int64_t column) {
    const vt_op_shape *s = &w->op->shape;
    vt_lanes l = vt__lanes_of(s, rows, columns);
    char i[48], j[48];
    snprintf(i, sizeof i, "i * %lld + %lld", (long long)s->stride_h, (long long)row);
    snprintf(j, sizeof j, "j * %lld + %lld", (long long)s->stride_w, (long long)column);
    vt__lanes_product(s, name, l.axes, "data", "", i, j, w->out);
    vt__lanes_product_stage(s, name, w->at, &w->stages);
}

/* TO = the larger of FROM and of OTHER at an offset, where the tap is inside. */
static void add_maximum(writing *w, const char *to, const char *from, const char *other, int64_t columns,
                        const char *offset_index, const char *condition) {
    const vt_op_shape *s = &w->op->shape;
    vt_lanes l = vt__lanes_of(s, s->out_h, columns);
    vt_strbuf_addf(w->out, "tensor %s[%s] =\n    ", to, l.axes);
    if (condition[0]) vt_strbuf_addf(w->out, "select(%s, ", condition);
    vt_strbuf_addf(w->out, "max(%s[%s], %s[%s])", from, l.index, other, offset_index);
    if (condition[0]) vt_strbuf_addf(w->out, ", %s[%s])", from, l.index);
    vt_strbuf_addc(w->out, '\n');
    add_alu(w, to);
}

static void add_least(writing *w, const char *name, int64_t columns) {
    vt_lanes l = vt__lanes_of(&w->op->shape, w->op->shape.out_h, columns);
    vt_strbuf_addf(w->out, "tensor %s[%s] = acc_t(%lld)\n", name, l.axes, (long long)least_input(w));
    add_alu(w, name);
}

/* The index of an element so many rows and columns further. */
static void shifted(const writing *w, int64_t rows, int64_t columns, char out[96]) {
    snprintf(out, 96, "bo, co, %si + %lld, j + %lld, bi, ci", w->op->shape.out_blocks > 1 ? "ks, " : "",
             (long long)rows, (long long)columns);
}

/* The image's phases of rows, of one phase of columns. */
static void add_image(writing *w, int64_t phase, int64_t columns, bool last) {
    char name[64];
    for (int64_t i = 0; i < w->y.phases; i++) {
        int64_t more = extra(&w->y, i);
        if (more < 0) continue;
        name_of(name, last, "image_%lld_%lld", i, phase);
        add_product(w, name, w->op->shape.out_h + more, columns, i, phase);
    }
}

/* What the maxima over rows begin with; its name. */
static void begin_rows(writing *w, int64_t phase, int64_t columns, bool last, char name[64]) {
    const plan *y = &w->y;
    static const char *const forms[] = {"image_%lld_%lld", "begin_%lld_%lld", "least_%lld_%lld"};
    name_of(name, last, forms[y->begins], y->first, phase);
    if (y->begins == LEAST) add_least(w, name_of(name, last, "least_%lld", phase, 0), columns);
    if (y->begins == COPY) add_product(w, name, w->op->shape.out_h, columns, y->first, phase);
}

/* The maxima over rows of one phase of columns; the name of their tensor, which is the result if there are no others.
 */
static void add_rows(writing *w, int64_t phase, bool result, char now[64]) {
    const plan *y = &w->y;
    int64_t columns = w->op->shape.out_w + extra(&w->x, phase), left = steps(y);
    char next[64], other[64], index[96], condition[96];
    add_image(w, phase, columns, result && !left);
    begin_rows(w, phase, columns, result && !left, now);
    for (int64_t t = 0; t < y->a.taps; t++) {
        if (!joins(y, t)) continue;
        name_of(next, result && --left == 0, "rows_%lld_%lld", t, phase);
        name_of(other, false, "image_%lld_%lld", t % y->a.stride, phase);
        shifted(w, t / y->a.stride, 0, index);
        vt__window_condition(&y->a, t, "i", condition);
        add_maximum(w, next, now, other, columns, index, condition);
        snprintf(now, 64, "%s", next);
    }
}

/* Are maxima over rows the result? A copied tap may lie at an offset. */
static bool is_row_result(const plan *x) { return !steps(x) && x->begins != COPY; }

static void begin_columns(writing *w, char names[][64], char now[64]) {
    const plan *x = &w->x;
    int64_t columns = w->op->shape.out_w;
    char index[96];
    if (x->begins == LEAST) add_least(w, name_of(now, false, "least", 0, 0), columns);
    if (x->begins != LEAST) snprintf(now, 64, "%s", names[x->first % x->a.stride]);
    if (x->begins != COPY) return;
    vt_lanes l = vt__lanes_of(&w->op->shape, w->op->shape.out_h, columns);
    shifted(w, 0, x->first / x->a.stride, index);
    char from[64];
    snprintf(from, sizeof from, "%s", now);
    vt_strbuf_addf(w->out, "tensor %s[%s] = %s[%s]\n", name_of(now, !steps(x), "begin", 0, 0), l.axes, from, index);
    add_alu(w, now);
}

static void add_columns(writing *w, char names[][64]) {
    const plan *x = &w->x;
    int64_t left = steps(x);
    char now[64], next[64], index[96], condition[96];
    if (is_row_result(x)) return;
    begin_columns(w, names, now);
    for (int64_t t = 0; t < x->a.taps; t++) {
        if (!joins(x, t)) continue;
        name_of(next, --left == 0, "columns_%lld", t, 0);
        shifted(w, 0, t / x->a.stride, index);
        vt__window_condition(&x->a, t, "j", condition);
        add_maximum(w, next, now, names[t % x->a.stride], w->op->shape.out_w, index, condition);
        snprintf(now, sizeof now, "%s", next);
    }
}

void vt__write_max_pool2d(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    vt_lanes l = vt__lanes_of(s, s->out_h, s->out_w);
    writing w = {op, rows_of(op), columns_of(op), vt__tiles_at(op, b), out, {0}};
    char names[PHASES_MAX][64];
    vt_strbuf_init(&w.stages, op->allocator);
    vt_strbuf_add(out, "kernel max_pool2d\n\n");
    vt__lanes_input(s, "data", out);
    vt__epilogue_inputs(op, l.bias_shape, l.shape, out);
    vt__lanes_unit(s, 1, out);
    vt__windows_input(s, out);
    for (int64_t i = 0; i < w.x.phases; i++)
        if (extra(&w.x, i) >= 0) add_rows(&w, i, is_row_result(&w.x), names[i]);
    add_columns(&w, names);
    vt__epilogue_tensors(op, l.axes, l.index, l.bias_index, out);
    vt__tiles_write(op, b, out);
    vt_strbuf_add(out, vt_strbuf_text(&w.stages));
    vt__lanes_load_stage("data", "inp", w.at, out);
    vt__lanes_unit_stage(b, out);
    vt__epilogue_stages(op, w.at, w.at, out);
    out->failed |= w.stages.failed;
    vt_strbuf_free(&w.stages);
}
