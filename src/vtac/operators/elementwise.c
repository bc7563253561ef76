/* Operators that compute each output from one element of each input: of two tensors, or steps of the epilogue on one.
 * Tensors of the input type come into the accumulators by GEMM with the unit matrix, wide ones by loads. */
#include <stdio.h>
#include <string.h>

#include "operators/lanes.h"
#include "operators/tiles.h"

/* ---- Sizes ----------------------------------------------------------------------------------------------------- */

/* `values`: those of VT_ELEMENTS, in their order. `inputs` tensors; an output takes `places` accumulators at a time. */
static vta_status describe(vtac_op *op, const int64_t *values, int64_t inputs, int64_t places, vta_diag *diag) {
    bool wide = values[4] != 0;
    op->shape = (vt_op_shape){.inputs = inputs,
                              .places = places,
                              .n = vt__ceil_div(values[0], vta_config_batch(op->config)),
                              .h = values[2],
                              .w = values[3],
                              .out_h = values[2],
                              .out_w = values[3]};
    vt__lanes_describe(op, values[1], wide, &op->shape);
    return wide ? VTA_OK : vt__lanes_check(op, diag);
}

#define DESCRIBE(name, inputs, places) describe(op, &op->values[VT_ATTRIBUTE_##name##_batch], inputs, places, diag)

#define PREPEND(...) vt__tiles_prepend(op, &(const vt_op_step)__VA_ARGS__, 1, diag)

vta_status vt__describe_add(vtac_op *op, vta_diag *diag) { return DESCRIBE(add, 2, 2); }
vta_status vt__describe_multiply(vtac_op *op, vta_diag *diag) { return DESCRIBE(multiply, 2, 2); }
vta_status vt__describe_max(vtac_op *op, vta_diag *diag) { return DESCRIBE(max, 2, 2); }
vta_status vt__describe_min(vtac_op *op, vta_diag *diag) { return DESCRIBE(min, 2, 2); }
vta_status vt__describe_leaky_relu(vtac_op *op, vta_diag *diag) { return DESCRIBE(leaky_relu, 1, 2); }
vta_status vt__describe_identity(vtac_op *op, vta_diag *diag) { return DESCRIBE(identity, 1, 1); }

vta_status vt__describe_relu(vtac_op *op, vta_diag *diag) {
    VT_TRY(DESCRIBE(relu, 1, 1));
    return PREPEND({VT_EPILOGUE_relu});
}

vta_status vt__describe_bias_add(vtac_op *op, vta_diag *diag) {
    VT_TRY(DESCRIBE(bias_add, 1, 1));
    return PREPEND({VT_EPILOGUE_bias});
}

vta_status vt__describe_shift(vtac_op *op, vta_diag *diag) {
    VT_TRY(DESCRIBE(shift, 1, 1));
    return PREPEND({VT_EPILOGUE_shift, 1, {op->values[VT_ATTRIBUTE_shift_by]}});
}

vta_status vt__describe_clip(vtac_op *op, vta_diag *diag) {
    VT_TRY(DESCRIBE(clip, 1, 1));
    return PREPEND({VT_EPILOGUE_clip, 2, {op->values[VT_ATTRIBUTE_clip_low], op->values[VT_ATTRIBUTE_clip_high]}});
}

/* ---- Cost ------------------------------------------------------------------------------------------------------ */

/* Accumulators are stored as they were loaded by some hardware only after an operation on them. */
static bool is_bare(const vtac_op *op) { return op->shape.wide && op->shape.places == 1 && !op->n_epilogue; }

/* Has the second tensor one element for each channel? */
static bool is_of_channels(const vtac_op *op) {
    return op->is->write == vt__write_multiply && op->values[VT_ATTRIBUTE_multiply_of_channels];
}

/* Passes over the tile that make one value of what came in: none of one place, an operation of two tensors takes two
 * cycles, leaky_relu shifts besides (and copies what no second product gives it). */
static double joining(const vt_op_shape *s) {
    if (s->places == 1) return 0;
    return s->inputs == 2 ? 2 : s->wide ? 6 : 3;
}

static vt_tile_use use(const vtac_op *op, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    int64_t pixels = b->y * b->x, outputs = b->oc * s->out_blocks * pixels;
    int64_t few = is_of_channels(op), entries = outputs * (s->places - few) + few * b->oc * s->out_blocks;
    int64_t blocks = b->oc * (s->wide ? s->out_blocks : s->in_blocks);
    int64_t elements = blocks * (pixels * (s->inputs - few) + few);
    double rows = (double)(blocks * ((s->inputs - few) * (b->x < s->w ? b->y : 1) + few));
    vt_tile_use u = {.acc = entries, .uops = outputs / pixels * (s->in_blocks > 1 ? b->x : 1) + b->x};
    u.compute = (double)outputs * (joining(s) + is_bare(op));
    u.instructions = joining(s) > 0;
    if (s->wide) {
        u.acc_loads = (double)elements;
        u.acc_rows = rows;
    } else {
        u.inp = elements;
        u.inp_loads = (double)u.inp;
        u.inp_rows = rows;
        u.wgt = s->in_blocks * s->out_blocks;
        u.compute += (double)(entries * (1 + s->in_blocks));
        u.instructions += 2 * (double)s->places;
    }
    vt__tiles_add_epilogue(op, b, &u);
    return u;
}

const vt_op_space vt__space_elementwise = VT_TILES(use);

/* ---- The kernel file ------------------------------------------------------------------------------------------- */

typedef struct writing {
    const vtac_op *op;
    vt_lanes lanes;
    vt_strbuf *out;
} writing;

/* The sizes of the second tensor. */
static vt_op_shape second_of(const vtac_op *op) {
    vt_op_shape s = op->shape;
    if (is_of_channels(op)) s.h = s.w = s.out_h = s.out_w = 1;
    return s;
}

static writing begin(const vtac_op *op, const char *first, const char *second, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape, other = second_of(op);
    writing w = {op, vt__lanes_of(s, s->out_h, s->out_w), out};
    vt_strbuf_addf(out, "kernel %s\n\n", op->is->name);
    vt__lanes_input(s, first, out);
    if (second) vt__lanes_input(&other, second, out);
    vt__epilogue_inputs(op, w.lanes.bias_shape, w.lanes.shape, out);
    if (!s->wide) vt__lanes_unit(s, 1, out);
    return w;
}

/* The accumulators TO of the input FROM, which has these sizes. */
static void write_entry_of(const writing *w, const vt_op_shape *s, const char *to, const char *from) {
    vt_lanes l = vt__lanes_of(s, s->out_h, s->out_w);
    if (s->wide)
        vt_strbuf_addf(w->out, "tensor %s[%s] = %s[%s]\n", to, l.axes, from, l.index);
    else
        vt__lanes_product(s, to, l.axes, from, "", "i", "j", w->out);
}

static void write_entry(const writing *w, const char *to, const char *from) {
    write_entry_of(w, &w->op->shape, to, from);
}

/* The element of the second tensor that goes with one of the first. */
static const char *second_index(const vtac_op *op, const vt_lanes *l) {
    if (!is_of_channels(op)) return l->index;
    return op->shape.out_blocks > 1 ? "bo, co, ks, 0, 0, bi, ci" : "bo, co, 0, 0, bi, ci";
}

static void write_copy(const writing *w, const char *input) {
    if (!w->op->shape.wide) vt_strbuf_addf(w->out, "tensor %s_buf like %s = %s[...]\n", input, input, input);
}

static const char *write_result(const writing *w, const vt_op_blocks *b) {
    vt__epilogue_tensors(w->op, w->lanes.axes, w->lanes.index, w->lanes.bias_index, w->out);
    vt__tiles_write(w->op, b, w->out);
    return vt__tiles_at(w->op, b);
}

static void write_entry_stage(const writing *w, const char *name, const char *at) {
    if (!w->op->shape.wide)
        vt__lanes_product_stage(&w->op->shape, name, at, w->out);
    else
        vt_strbuf_addf(w->out, "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 dma_copy\n", name, at);
}

static void write_alu_stage(const writing *w, const char *name, const char *at) {
    vt_strbuf_addf(w->out, "stage %s\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", name, at);
}

static void finish(const writing *w, const vt_op_blocks *b, const char *at) {
    if (!w->op->shape.wide) vt__lanes_unit_stage(b, w->out);
    vt__epilogue_stages(w->op, at, at, w->out);
}

/* `form` is made of the elements of a and b. */
static void write_pair(const vtac_op *op, const vt_op_blocks *b, const char *form, vt_strbuf *out) {
    writing w = begin(op, "a", "b", out);
    char x[48], y[48];
    snprintf(x, sizeof x, "a_acc[%s]", w.lanes.index);
    snprintf(y, sizeof y, "b_acc[%s]", second_index(op, &w.lanes));
    const vt_op_shape other = second_of(op);
    write_copy(&w, "a");
    write_copy(&w, "b");
    write_entry(&w, "a_acc", "a");
    write_entry_of(&w, &other, "b_acc", "b");
    vt_strbuf_addf(out, "tensor sums[%s] = ", w.lanes.axes);
    vt_strbuf_addf(out, form, x, y);
    vt_strbuf_addc(out, '\n');
    const char *at = write_result(&w, b);
    write_alu_stage(&w, "sums", at);
    write_entry_stage(&w, "a_acc", at);
    write_entry_stage(&w, "b_acc", at);
    if (!op->shape.wide) vt__lanes_load_stage("a", "inp", at, out);
    if (!op->shape.wide) vt__lanes_load_stage("b", "inp", at, out);
    finish(&w, b, at);
}

static void write_one(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    writing w = begin(op, "data", NULL, out);
    bool bare = is_bare(op);
    write_copy(&w, "data");
    write_entry(&w, bare ? "loaded" : "sums", "data");
    if (bare) vt_strbuf_addf(out, "tensor sums[%s] = loaded[%s]\n", w.lanes.axes, w.lanes.index);
    const char *at = write_result(&w, b);
    write_entry_stage(&w, bare ? "loaded" : "sums", at);
    if (bare) write_alu_stage(&w, "sums", at);
    if (!op->shape.wide) vt__lanes_load_stage("data", "inp", at, out);
    finish(&w, b, at);
}

/* max(x, x >> by): a negative x is not above its shift, another not below. */
void vt__write_leaky_relu(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    writing w = begin(op, "data", NULL, out);
    bool wide = op->shape.wide;
    write_copy(&w, "data");
    write_entry(&w, "x", "data");
    if (!wide) write_entry(&w, "again", "data");
    vt_strbuf_addf(out, "tensor low[%s] = %s[%s] >> %d\n", w.lanes.axes, wide ? "x" : "again", w.lanes.index,
                   (int)op->values[VT_ATTRIBUTE_leaky_relu_by]);
    vt_strbuf_addf(out, "tensor sums[%s] = max(x[%s], low[%s])\n", w.lanes.axes, w.lanes.index, w.lanes.index);
    const char *at = write_result(&w, b);
    write_alu_stage(&w, "sums", at);
    write_alu_stage(&w, "low", at);
    write_entry_stage(&w, "x", at);
    if (!wide) write_entry_stage(&w, "again", at);
    if (!wide) vt__lanes_load_stage("data", "inp", at, out);
    finish(&w, b, at);
}

#define WRITE(name, function, ...)                                                                                     \
    void vt__write_##name(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) { function(op, b, __VA_ARGS__); }
WRITE(add, write_pair, "%s + %s", out)
WRITE(multiply, write_pair, "%s * %s", out)
WRITE(max, write_pair, "max(%s, %s)", out)
WRITE(min, write_pair, "min(%s, %s)", out)
WRITE(identity, write_one, out)
WRITE(shift, write_one, out)
WRITE(clip, write_one, out)
WRITE(relu, write_one, out)
WRITE(bias_add, write_one, out)
