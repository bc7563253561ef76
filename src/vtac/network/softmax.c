/* Softmax between products of matrices (frontend/quant/softmax.c): the largest of each row, in all columns; and rows
 * that are divided by the sums of their shares, for the host.
 *
 * For the accelerator a row is an image's, of as many columns as it has blocks: a pooling leaves one block. Its lanes
 * are rotated by products with zeros and ones, by 0 to some and then by multiples of that, and the largest of each is
 * pooled; then all lanes have the largest, and one more product writes it to all columns. */
#include <inttypes.h>
#include <string.h>

#include "network/integer.h"

/* ---- Functions for the host -------------------------------------------------------------------------------------- */

void vt__integer_row_max(vt__integer *w) {
    const vt_qtensor *x = w->l->inputs[0];
    vt__matrices_input(w, "x", x);
    vt_strbuf_addf(w->out, "tensor top[m: %" PRId64 ", i: %" PRId64 "] = max[rc: %" PRId64 "](%s)\n", x->matrices.count,
                   x->matrices.rows, x->matrices.columns, vt__matrices_element(w, "x", x, "", "i", "rc"));
    vt__matrices_result(w, vt_new_format(w->n->ctx, "top[m, %s]", vt__matrices_row(w)));
}

/* A tensor of one element a row. */
static void add_row(vt__integer *w, const char *name, int k, const char *value) {
    const vt_qmatrices *m = &w->l->inputs[0]->matrices;
    vt_strbuf_addf(w->out, "tensor %s%d[m: %" PRId64 ", i: %" PRId64 "] = %s\n", name, k, m->count, m->rows, value);
}

void vt__shares_rows(vt__integer *w) {
    vt_ctx *ctx = w->n->ctx;
    const vt_qtensor *x = w->l->inputs[0];
    int before = 16;
    add_row(w, "t", before,
            vt_new_format(ctx, "sum[rd: %" PRId64 "](%s * 1024)", x->matrices.columns,
                          vt__matrices_element(w, "x", x, "", "i", "rd")));
    add_row(w, "by", before, "0");
    for (int s = 8; s; before = s, s /= 2) {
        const char *many = vt_new_format(ctx, "(t%d[m, i] >> %d) > 0", before, 14 + s);
        add_row(w, "t", s, vt_new_format(ctx, "select(%s, t%d[m, i] >> %d, t%d[m, i])", many, before, s, before));
        add_row(w, "by", s, vt_new_format(ctx, "by%d[m, i] + select(%s, %d, 0)", before, many, s));
    }
    add_row(w, "r", 0, "23130 + ((t1[m, i] * -7710) >> 14)");
    for (int k = 1; k <= 2; k++)
        add_row(w, "r", k,
                vt_new_format(ctx, "(r%d[m, i] * (32767 - ((t1[m, i] * r%d[m, i]) >> 14))) >> 14", k - 1, k - 1));
}

const char *vt__shares_divided(vt__integer *w, const char *sum) {
    const char *row = vt__matrices_row(w);
    return vt_new_format(w->n->ctx, "((%s * 16 >> by1[m, %s]) * r2[m, %s])", sum, row, row);
}

/* ---- Operators --------------------------------------------------------------------------------------------------- */

#define SET(op, name, number) (r->values[VT_ATTRIBUTE_##op##_##name] = (number))

/* Rows of tiles, and what is known of them so far. */
typedef struct rows {
    vt__net *n;
    const vt_qlayer *l;
    int64_t count; /* of tiles */
    vt_planner_arg at;
} rows;

static uint32_t buffer(const rows *w, int64_t blocks) {
    uint32_t to;
    uint64_t bytes = (uint64_t)(w->count * blocks * w->n->batch * w->n->block);
    vt__must(w->n, vt_planner_buffer(w->n->planner, VT_PLACE_DEVICE, w->l->name, bytes, w->n->ctx->diag, &to));
    return to;
}

/* The largest of `width` blocks. */
static const vt_op_request *pooling(const rows *w, int64_t width) {
    vt_op_request *r = VT_NEW(w->n->ctx, vt_op_request);
    vt_op_request_init(r, VT_OPERATOR_max_pool2d);
    SET(max_pool2d, batch, w->n->batch), SET(max_pool2d, channels, w->n->block);
    SET(max_pool2d, height, w->count), SET(max_pool2d, width, width);
    SET(max_pool2d, kernel_h, 1), SET(max_pool2d, kernel_w, width);
    return r;
}

/* `blocks` of outputs from one of inputs. */
static const vt_op_request *product(const rows *w, int64_t blocks) {
    vt_op_request *r = VT_NEW(w->n->ctx, vt_op_request);
    vt_op_request_init(r, VT_OPERATOR_dense);
    SET(dense, batch, w->count * w->n->batch), SET(dense, in_features, w->n->block);
    SET(dense, out_features, blocks * w->n->block);
    return r;
}

/* Block k of the weights: the lanes, rotated by k * by. */
static uint32_t rotations(const rows *w, int64_t blocks, int64_t by) {
    int64_t b = w->n->block;
    void *tiles;
    vt__must(w->n, vt_planner_constant_begin(w->n->planner, VT_PLACE_DEVICE, w->l->name, (uint64_t)(blocks * b * b),
                                             w->n->ctx->diag, &tiles));
    for (int64_t k = 0; k < blocks; k++)
        for (int64_t lane = 0; lane < b; lane++) ((int8_t *)tiles)[(k * b + lane) * b + (lane + k * by) % b] = 1;
    return vt_planner_constant_end(w->n->planner);
}

static void add_operator(rows *w, const vtac_op *op, uint32_t weights, vt_planner_arg to) {
    vt__args args = {.count = 0};
    vt__give_place(&args, w->at);
    if (weights) vt__give(&args, weights - 1);
    vt__give_place(&args, to);
    vt__must(w->n, vt_planner_operator(w->n->planner, w->l->name, op, args.item, args.count, w->n->ctx->diag));
    w->at = to;
}

enum { OPERATORS_MAX = 6 };

/* In their order: blocks that each gives, and by how much a product rotates; 0: a pooling; none where none is needed.
 */
typedef struct plan {
    uint32_t count;
    int64_t blocks[OPERATORS_MAX], by[OPERATORS_MAX];
    const vt_op_request *request[OPERATORS_MAX];
} plan;

static void add_pooling(plan *p, const rows *w, int64_t width) {
    p->blocks[p->count] = 1, p->by[p->count] = 0;
    p->request[p->count++] = pooling(w, width);
}

static void add_product(plan *p, const rows *w, int64_t blocks, int64_t by) {
    p->blocks[p->count] = blocks, p->by[p->count] = by;
    p->request[p->count++] = product(w, blocks);
}

static plan plan_of(const rows *w, int64_t blocks) {
    plan p = {.count = 0};
    int64_t few = 1, block = w->n->block;
    while (few * few < block) few *= 2;
    if (blocks > 1) add_pooling(&p, w, blocks);
    for (int64_t by = 1; by < block; by *= few) {
        int64_t turns = block / by < few ? block / by : few;
        add_product(&p, w, turns, by);
        add_pooling(&p, w, turns);
    }
    add_product(&p, w, blocks, block);
    return p;
}

void vt__row_max_requests(const vt__net *n, const vt_qlayer *l, void (*fn)(void *user, const vt_op_request *r),
                          void *user) {
    int64_t d[3];
    vt__matrix_tiles(n, l->output, d);
    const rows w = {.n = (vt__net *)n, .l = l, .count = d[0] * d[1]};
    plan p = plan_of(&w, d[2]);
    for (uint32_t i = 0; i < p.count; i++) fn(user, p.request[i]);
}

bool vt__accelerate_row_max(vt__net *n, const vt_qlayer *l, const char **out_why) {
    const vtac_op *ops[OPERATORS_MAX];
    int64_t d[3];
    vt__matrix_tiles(n, l->output, d);
    rows w = {.n = n, .l = l, .count = d[0] * d[1]};
    plan p = plan_of(&w, d[2]);
    for (uint32_t i = 0; i < p.count; i++) {
        ops[i] = vt__operator_for(n, l, p.request[i]);
        *out_why = ops[i] ? NULL : "no schedule of it fits the accelerator";
        if (!ops[i]) return false;
    }
    w.at = vt__place_of(n, l->inputs[0]);
    for (uint32_t i = 0; i < p.count; i++) {
        uint32_t weights = p.by[i] ? rotations(&w, p.blocks[i], p.by[i]) + 1 : 0;
        vt_planner_arg to = {.buffer = 0};
        if (i + 1 < p.count)
            to.buffer = buffer(&w, p.blocks[i]);
        else
            to = vt__place_of(n, l->output);
        add_operator(&w, ops[i], weights, to);
    }
    return true;
}

/* Lanes behind the last column are no scores: as small as those get. */
uint32_t vt__lanes_away(vt__net *n, const vt_qlayer *l) {
    int64_t columns = l->output->matrices.columns, b = n->block, blocks = (columns + b - 1) / b;
    void *tiles;
    vt__must(n, vt_planner_constant_begin(n->planner, VT_PLACE_DEVICE, l->name,
                                          (uint64_t)(blocks * n->batch * b) * sizeof(int32_t), n->ctx->diag, &tiles));
    for (int64_t c = columns; c < blocks * b; c++)
        for (int64_t r = 0; r < n->batch; r++) ((int32_t *)tiles)[(c / b * n->batch + r) * b + c % b] = -VT__LANES_AWAY;
    return vt_planner_constant_end(n->planner);
}
