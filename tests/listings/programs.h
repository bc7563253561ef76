/* The tutorials' programs and the small ones around them, in terms of the public te interface, by the names of the
 * recorded runtime calls. A name may begin with the configuration it is for ("2x16_"). */
#ifndef TESTS_LISTINGS_PROGRAMS_H
#define TESTS_LISTINGS_PROGRAMS_H

#include <stdlib.h>
#include <string.h>

#include "vta/te.h"

typedef struct program {
    te_context *c;
    te_schedule *s;
    te_tensor *args[4];
    size_t n_args;
} program;

static int64_t config_batch(te_context *c) { return vta_config_batch(te_context_config(c)); }
static int64_t config_in(te_context *c) { return vta_config_block_in(te_context_config(c)); }
static int64_t config_out(te_context *c) { return vta_config_block_out(te_context_config(c)); }

/* Short forms: the schedule's stage of a tensor, its axes, a mark on an axis of its computation. */
static te_stage *stage(program *p, te_tensor *t) { return te_schedule_stage(p->s, t); }
static te_axis *axis(program *p, te_tensor *t, size_t i) { return te_stage_axis(stage(p, t), i); }
static void mark(program *p, te_tensor *t, size_t i, const char *pragma) {
    te_pragma(stage(p, t), axis(p, t, i), pragma, NULL);
}
static void in_scope(program *p, te_tensor *t, const char *scope) { te_set_scope(stage(p, t), scope); }
static te_tensor *like(program *p, te_tensor *t, const char *name, const char *body) {
    int64_t shape[6];
    size_t n = te_tensor_ndim(t);
    for (size_t i = 0; i < n; i++) shape[i] = te_tensor_dim(t, i);
    return te_compute(p->c, name, n, shape, NULL, body);
}

/* ---- One operation on tiles ------------------------------------------------------------------------------------- */

static void copies(program *p, int64_t rows, int64_t columns, const int64_t *before, const int64_t *after) {
    int64_t shape[4] = {rows, columns, config_batch(p->c), config_out(p->c)};
    te_tensor *x = te_placeholder(p->c, "x", "acc_t", 4, shape);
    te_tensor *x_buf = before ? te_pad(p->c, x, "x_buf", before, after, 0) : like(p, x, "x_buf", "x[...]");
    te_tensor *y_buf = like(p, x_buf, "y_buf", "x_buf[...] >> 0");
    te_tensor *y = like(p, y_buf, "y", "inp_t(y_buf[...])");
    p->s = te_schedule_create(p->c, 1, &y);
    in_scope(p, x_buf, "acc");
    mark(p, x_buf, 0, "dma_copy");
    in_scope(p, y_buf, "acc");
    mark(p, y_buf, 0, "alu");
    mark(p, y, 0, "dma_copy");
    p->args[p->n_args++] = x;
    p->args[p->n_args++] = y;
}

/* a and, unless the operations use constants, b; the operations one after another; the result narrowed. */
static void alu_chain(program *p, int64_t rows, int64_t columns, bool with_b, size_t n, const char *const names[],
                      const char *const bodies[]) {
    int64_t shape[4] = {rows, columns, config_batch(p->c), config_out(p->c)};
    te_tensor *chain[8];
    te_tensor *a = te_placeholder(p->c, "a", "acc_t", 4, shape), *b = NULL, *b_buf = NULL;
    te_tensor *a_buf = like(p, a, "a_buf", "a[...]");
    if (with_b) {
        b = te_placeholder(p->c, "b", "acc_t", 4, shape);
        b_buf = like(p, b, "b_buf", "b[...]");
    }
    for (size_t i = 0; i < n; i++) chain[i] = like(p, a, names[i], bodies[i]);
    te_tensor *res = like(p, a, "res",
                          n == 1                         ? "inp_t(res_buf[...])"
                          : !strcmp(names[1], "min_buf") ? "inp_t(min_buf[...])"
                                                         : "inp_t(res_scale[...])");
    p->s = te_schedule_create(p->c, 1, &res);
    in_scope(p, a_buf, "acc");
    mark(p, a_buf, 0, "dma_copy");
    p->args[p->n_args++] = a;
    if (with_b) {
        in_scope(p, b_buf, "acc");
        mark(p, b_buf, 0, "dma_copy");
        p->args[p->n_args++] = b;
    }
    for (size_t i = 0; i < n; i++) {
        in_scope(p, chain[i], "acc");
        mark(p, chain[i], 0, "alu");
    }
    mark(p, res, 0, "dma_copy");
    p->args[p->n_args++] = res;
}

static void vadd(program *p) {
    int64_t shape[4] = {1, 64, config_batch(p->c), config_out(p->c)};
    te_tensor *a = te_placeholder(p->c, "A", "acc_t", 4, shape), *b = te_placeholder(p->c, "B", "acc_t", 4, shape);
    te_tensor *a_buf = like(p, a, "A_buf", "A[...]"), *b_buf = like(p, b, "B_buf", "B[...]");
    te_tensor *c_buf = like(p, a, "C_buf", "acc_t(A_buf[...]) + acc_t(B_buf[...])");
    te_tensor *c = like(p, a, "C", "inp_t(C_buf[...])");
    p->s = te_schedule_create(p->c, 1, &c);
    in_scope(p, a_buf, "acc");
    in_scope(p, b_buf, "acc");
    in_scope(p, c_buf, "acc");
    mark(p, a_buf, 0, "dma_copy");
    mark(p, b_buf, 0, "dma_copy");
    mark(p, c, 0, "dma_copy");
    mark(p, c_buf, 0, "alu");
    memcpy(p->args, (te_tensor *[4]){a, b, c}, sizeof p->args);
    p->n_args = 3;
}

/* ---- Matrix multiplication -------------------------------------------------------------------------------------- */

static void matmul(program *p) {
    int64_t a_shape[4] = {1, 16, config_batch(p->c), config_in(p->c)};
    int64_t b_shape[4] = {16, 16, config_out(p->c), config_in(p->c)};
    int64_t c_shape[4] = {1, 16, config_batch(p->c), config_out(p->c)};
    te_tensor *a = te_placeholder(p->c, "A", "inp_t", 4, a_shape), *b = te_placeholder(p->c, "B", "wgt_t", 4, b_shape);
    te_tensor *a_buf = like(p, a, "A_buf", "A[...]"), *b_buf = like(p, b, "B_buf", "B[...]");
    te_axis *ko = te_reduce_axis(p->c, "ko", 0, 16), *ki = te_reduce_axis(p->c, "ki", 0, config_in(p->c));
    te_tensor *c_buf = te_compute(p->c, "C_buf", 4, c_shape, "bo, co, bi, ci",
                                  "sum[ko, ki](acc_t(A_buf[bo, ko, bi, ki]) * acc_t(B_buf[co, ko, ci, ki]))");
    te_tensor *c = like(p, c_buf, "C", "inp_t(C_buf[...])");
    p->s = te_schedule_create(p->c, 1, &c);
    in_scope(p, a_buf, "inp");
    in_scope(p, b_buf, "wgt");
    in_scope(p, c_buf, "acc");
    te_compute_at(stage(p, a_buf), stage(p, c_buf), ko);
    te_compute_at(stage(p, b_buf), stage(p, c_buf), ko);
    mark(p, a_buf, 0, "dma_copy");
    mark(p, b_buf, 0, "dma_copy");
    mark(p, c, 0, "dma_copy");
    te_axis *order[] = {ko, axis(p, c_buf, 0), axis(p, c_buf, 1), axis(p, c_buf, 2), axis(p, c_buf, 3), ki};
    te_reorder(stage(p, c_buf), 6, order);
    te_tensorize(stage(p, c_buf), axis(p, c_buf, 2), NULL);
    memcpy(p->args, (te_tensor *[4]){a, b, c}, sizeof p->args);
    p->n_args = 3;
}

static void gemm(program *p, bool threads) {
    int64_t x_shape[4] = {4, 1, config_batch(p->c), config_in(p->c)};
    int64_t w_shape[4] = {4, 1, config_out(p->c), config_in(p->c)};
    int64_t y_shape[4] = {4, 4, config_batch(p->c), config_out(p->c)};
    te_tensor *x = te_placeholder(p->c, "x", "inp_t", 4, x_shape), *w = te_placeholder(p->c, "w", "wgt_t", 4, w_shape);
    te_tensor *x_buf = like(p, x, "x_buf", "x[...]"), *w_buf = like(p, w, "w_buf", "w[...]");
    te_axis *ko = te_reduce_axis(p->c, "ko", 0, 1), *ki = te_reduce_axis(p->c, "ki", 0, config_in(p->c));
    te_tensor *stages[4];
    stages[0] = te_compute(p->c, "y_gem", 4, y_shape, "bo, co, bi, ci",
                           "sum[ko, ki](acc_t(x_buf[bo, ko, bi, ki]) * acc_t(w_buf[co, ko, ci, ki]))");
    stages[1] = like(p, stages[0], "y_shf", "y_gem[...] >> 8");
    stages[2] = like(p, stages[0], "y_max", "max(y_shf[...], 0)");
    stages[3] = like(p, stages[0], "y_min", "min(y_max[...], 127)");
    te_tensor *y = like(p, stages[0], "y", "inp_t(y_min[...])");
    p->s = te_schedule_create(p->c, 1, &y);
    in_scope(p, x_buf, "inp");
    in_scope(p, w_buf, "wgt");
    for (int i = 0; i < 4; i++) in_scope(p, stages[i], "acc");
    te_stage *gem = stage(p, stages[0]);
    if (threads) {
        te_axis *outer, *inner;
        te_split_nparts(stage(p, y), axis(p, y, 0), 2, &outer, &inner);
        te_bind(stage(p, y), outer, te_thread_axis(p->c, "cthread"));
        for (int i = 0; i < 4; i++) te_compute_at(stage(p, stages[i]), stage(p, y), outer);
        te_pragma(stage(p, y), inner, "dma_copy", NULL);
    } else {
        mark(p, y, 0, "dma_copy");
    }
    te_compute_at(stage(p, x_buf), gem, ko);
    te_compute_at(stage(p, w_buf), gem, ko);
    mark(p, x_buf, 0, "dma_copy");
    mark(p, w_buf, 0, "dma_copy");
    for (int i = 1; i < 4; i++) mark(p, stages[i], 0, "alu");
    te_axis *order[] = {ko, axis(p, stages[0], 0), axis(p, stages[0], 1), axis(p, stages[0], 2), axis(p, stages[0], 3),
                        ki};
    te_reorder(gem, 6, order);
    te_tensorize(gem, axis(p, stages[0], 2), NULL);
    memcpy(p->args, (te_tensor *[4]){x, w, y}, sizeof p->args);
    p->n_args = 3;
}

/* The stages after a multiplication: shift, clip to [0, 127], narrow. */
static void clip_stages(program *p, te_tensor *from, const char *shift, te_tensor *out[3], te_tensor **out_res) {
    out[0] = like(p, from, "res_shr", shift);
    out[1] = like(p, from, "res_max", "max(res_shr[...], 0)");
    out[2] = like(p, from, "res_min", "min(res_max[...], 127)");
    *out_res = like(p, from, "res", "inp_t(res_min[...])");
}

static void blocked(program *p) {
    int64_t in = 1024 / config_in(p->c), out = 1024 / config_out(p->c);
    int64_t d_shape[4] = {1, in, config_batch(p->c), config_in(p->c)};
    int64_t w_shape[4] = {out, in, config_out(p->c), config_in(p->c)};
    int64_t r_shape[4] = {1, out, config_batch(p->c), config_out(p->c)};
    te_tensor *data = te_placeholder(p->c, "data", "inp_t", 4, d_shape);
    te_tensor *weight = te_placeholder(p->c, "weight", "wgt_t", 4, w_shape);
    te_tensor *data_buf = like(p, data, "data_buf", "data[...]"),
              *weight_buf = like(p, weight, "weight_buf", "weight[...]");
    te_axis *ic = te_reduce_axis(p->c, "ic", 0, in), *ic_tns = te_reduce_axis(p->c, "ic_tns", 0, config_in(p->c));
    te_tensor *gem =
        te_compute(p->c, "res_gem", 4, r_shape, "bo, co, bi, ci",
                   "sum[ic, ic_tns](acc_t(data_buf[bo, ic, bi, ic_tns]) * acc_t(weight_buf[co, ic, ci, ic_tns]))");
    te_tensor *after[3], *res;
    clip_stages(p, gem, "res_gem[...] >> INP_WIDTH", after, &res);
    p->s = te_schedule_create(p->c, 1, &res);
    te_axis *b_out, *b_inn, *oc_out, *oc_inn, *ic_out, *ic_inn;
    te_split(stage(p, res), axis(p, res, 0), 1, &b_out, &b_inn);
    te_split(stage(p, res), axis(p, res, 1), 256 / config_out(p->c), &oc_out, &oc_inn);
    te_reorder(stage(p, res), 4, (te_axis *[]){b_out, oc_out, b_inn, oc_inn});
    te_compute_at(stage(p, gem), stage(p, res), oc_out);
    for (int i = 0; i < 3; i++) te_compute_at(stage(p, after[i]), stage(p, res), oc_out);
    te_split(stage(p, gem), ic, 256 / config_in(p->c), &ic_out, &ic_inn);
    te_axis *order[] = {ic_out, axis(p, gem, 0), axis(p, gem, 1), ic_inn, axis(p, gem, 2), axis(p, gem, 3), ic_tns};
    te_reorder(stage(p, gem), 7, order);
    in_scope(p, data_buf, "inp");
    in_scope(p, weight_buf, "wgt");
    in_scope(p, gem, "acc");
    for (int i = 0; i < 3; i++) in_scope(p, after[i], "acc");
    te_compute_at(stage(p, data_buf), stage(p, gem), ic_out);
    te_compute_at(stage(p, weight_buf), stage(p, gem), ic_out);
    mark(p, data_buf, 0, "dma_copy");
    mark(p, weight_buf, 0, "dma_copy");
    mark(p, res, 2, "dma_copy");
    te_tensorize(stage(p, gem), axis(p, gem, 2), NULL);
    for (int i = 0; i < 3; i++) mark(p, after[i], 0, "alu");
    memcpy(p->args, (te_tensor *[4]){data, weight, res}, sizeof p->args);
    p->n_args = 3;
}

/* ---- Convolution ------------------------------------------------------------------------------------------------ */

/* How far the tutorials' schedule of the convolution is taken. */
typedef enum conv_step { CONV_DEFAULT, CONV_BLOCKED, CONV_FINAL } conv_step;

static void conv2d(program *p, conv_step step, bool threads) {
    int64_t batch = config_batch(p->c), in = 256 / config_in(p->c), out = 256 / config_out(p->c);
    int64_t d_shape[6] = {1, in, 14, 14, batch, config_in(p->c)};
    int64_t k_shape[6] = {out, in, 3, 3, config_out(p->c), config_in(p->c)};
    int64_t r_shape[6] = {1, out, 14, 14, batch, config_out(p->c)};
    te_tensor *data = te_placeholder(p->c, "data", "inp_t", 6, d_shape);
    te_tensor *kernel = te_placeholder(p->c, "kernel", "wgt_t", 6, k_shape);
    te_tensor *data_buf = te_pad(p->c, data, "data_buf", (int64_t[]){0, 0, 1, 1, 0, 0}, NULL, 0);
    te_tensor *kernel_buf = like(p, kernel, "kernel_buf", "kernel[...]");
    te_axis *dy = te_reduce_axis(p->c, "dy", 0, 3), *dx = te_reduce_axis(p->c, "dx", 0, 3);
    te_axis *ic = te_reduce_axis(p->c, "ic", 0, in), *ic_tns = te_reduce_axis(p->c, "ic_tns", 0, config_in(p->c));
    te_tensor *conv = te_compute(p->c, "res_conv", 6, r_shape, "bo, co, i, j, bi, ci",
                                 "sum[ic, dy, dx, ic_tns](acc_t(data_buf[bo, ic, i + dy, j + dx, bi, ic_tns]) * "
                                 "acc_t(kernel_buf[co, ic, dy, dx, ci, ic_tns]))");
    te_tensor *after[3], *res;
    clip_stages(p, conv, "res_conv[...] >> 8", after, &res);
    p->s = te_schedule_create(p->c, 1, &res);
    memcpy(p->args, (te_tensor *[4]){data, kernel, res}, sizeof p->args);
    p->n_args = 3;
    if (step == CONV_DEFAULT) return;
    te_stage *sr = stage(p, res), *sc = stage(p, conv);
    te_axis *b_out, *b_inn, *oc_out, *oc_inn, *y_out, *y_inn, *x_out, *x_inn, *ic_out, *ic_inn;
    te_split(sr, axis(p, res, 0), 1, &b_out, &b_inn);
    te_split(sr, axis(p, res, 1), 128 / config_out(p->c), &oc_out, &oc_inn);
    te_split(sr, axis(p, res, 2), 7, &y_out, &y_inn);
    te_split(sr, axis(p, res, 3), 14, &x_out, &x_inn);
    te_reorder(
        sr, 10,
        (te_axis *[]){b_out, oc_out, y_out, x_out, b_inn, oc_inn, y_inn, x_inn, axis(p, res, 4), axis(p, res, 5)});
    te_compute_at(sc, sr, x_out);
    for (int i = 0; i < 3; i++) te_compute_at(stage(p, after[i]), sr, x_out);
    te_split(sc, ic, 16 / config_in(p->c), &ic_out, &ic_inn);
    te_reorder(sc, 11,
               (te_axis *[]){ic_out, axis(p, conv, 0), axis(p, conv, 1), axis(p, conv, 2), ic_inn, dy, dx,
                             axis(p, conv, 3), axis(p, conv, 4), axis(p, conv, 5), ic_tns});
    if (threads) {
        te_axis *rest, *tx;
        te_split(sr, oc_out, 2, &rest, &tx);
        te_reorder(sr, 2, (te_axis *[]){tx, b_out});
        te_bind(sr, tx, te_thread_axis(p->c, "cthread"));
    }
    if (step == CONV_BLOCKED) return;
    in_scope(p, data_buf, "inp");
    in_scope(p, kernel_buf, "wgt");
    in_scope(p, conv, "acc");
    for (int i = 0; i < 3; i++) in_scope(p, after[i], "acc");
    te_compute_at(stage(p, data_buf), sc, ic_out);
    te_compute_at(stage(p, kernel_buf), sc, ic_out);
    mark(p, data_buf, 0, "dma_copy");
    mark(p, kernel_buf, 0, "dma_copy");
    mark(p, res, 4, "dma_copy");
    te_tensorize(sc, axis(p, conv, 4), NULL);
    mark(p, after[0], 0, "alu");
    mark(p, after[2], 0, "alu");
    mark(p, after[1], 0, "alu");
}

/* ---- By name ---------------------------------------------------------------------------------------------------- */

static const char *const program_names[] = {
    "vadd",      "matmul",       "blocked",      "conv2d",        "conv2d_novt",  "save_load",
    "pad_y0",    "pad_x0",       "pad_y1",       "pad_x1",        "pad_all",      "gemm_default",
    "gemm_smt",  "alu_shl_imm",  "alu_shr_imm",  "alu_max_imm",   "alu_add_imm",  "alu_max",
    "alu_add",   "relu",         "shift_scale",  "1x32_matmul",   "1x32_pad_all", "1x32_relu",
    "1x32_vadd", "2x16_blocked", "2x16_conv2d",  "2x16_gemm_smt", "2x16_matmul",  "2x16_pad_all",
    "2x16_relu", "2x16_vadd",    "4x8_gemm_smt", "4x8_matmul",    "4x8_pad_all",  "4x8_vadd"};

static const struct {
    const char *prefix, *changes;
} program_configs[] = {{"2x16_", "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18"},
                       {"4x8_", "LOG_BATCH=2 LOG_BLOCK=3 LOG_UOP_BUFF_SIZE=15 LOG_INP_BUFF_SIZE=16 "
                                "LOG_WGT_BUFF_SIZE=16 LOG_ACC_BUFF_SIZE=18"},
                       {"1x32_", "LOG_BLOCK=5"}};

static inline vta_config *program_config(const char **name) {
    vta_config *base = vta_config_default();
    for (size_t i = 0; i < sizeof program_configs / sizeof *program_configs; i++) {
        size_t n = strlen(program_configs[i].prefix);
        if (strncmp(*name, program_configs[i].prefix, n) != 0) continue;
        *name += n;
        vta_config *changed = NULL;
        vta_config_with(base, program_configs[i].changes, NULL, &changed);
        vta_config_release(base);
        return changed;
    }
    return base;
}

static bool build_program(program *p, const char *name) {
    static const struct {
        const char *name;
        int64_t before[4], after[4];
    } pads[] = {{"pad_y0", {2, 0, 0, 0}, {0}},
                {"pad_x0", {0, 2, 0, 0}, {0}},
                {"pad_y1", {0}, {2, 0, 0, 0}},
                {"pad_x1", {0}, {0, 2, 0, 0}},
                {"pad_all", {1, 1, 0, 0}, {1, 1, 0, 0}}};
    static const struct {
        const char *name, *body;
        bool with_b;
    } alus[] = {{"alu_shl_imm", "a_buf[...] << 3", false},        {"alu_shr_imm", "a_buf[...] >> 2", false},
                {"alu_max_imm", "max(a_buf[...], 5)", false},     {"alu_add_imm", "a_buf[...] + 7", false},
                {"alu_max", "max(a_buf[...], b_buf[...])", true}, {"alu_add", "a_buf[...] + b_buf[...]", true}};
    for (size_t i = 0; i < sizeof pads / sizeof *pads; i++)
        if (strcmp(name, pads[i].name) == 0) return copies(p, 3, 5, pads[i].before, pads[i].after), true;
    for (size_t i = 0; i < sizeof alus / sizeof *alus; i++)
        if (strcmp(name, alus[i].name) == 0)
            return alu_chain(p, 8, 8, alus[i].with_b, 1, (const char *[]){"res_buf"}, &alus[i].body), true;
    if (strcmp(name, "save_load") == 0) return copies(p, 6, 6, NULL, NULL), true;
    if (strcmp(name, "relu") == 0)
        return alu_chain(p, 8, 10, false, 2, (const char *[]){"max_buf", "min_buf"},
                         (const char *[]){"max(a_buf[...], 0)", "min(max_buf[...], 127)"}),
               true;
    if (strcmp(name, "shift_scale") == 0)
        return alu_chain(p, 2, 8, false, 2, (const char *[]){"res_shift", "res_scale"},
                         (const char *[]){"a_buf[...] + 5", "res_shift[...] >> 3"}),
               true;
    if (strcmp(name, "vadd") == 0) return vadd(p), true;
    if (strcmp(name, "matmul") == 0) return matmul(p), true;
    if (strcmp(name, "blocked") == 0) return blocked(p), true;
    if (strcmp(name, "gemm_default") == 0) return gemm(p, false), true;
    if (strcmp(name, "gemm_smt") == 0) return gemm(p, true), true;
    if (strcmp(name, "conv2d") == 0) return conv2d(p, CONV_FINAL, true), true;
    if (strcmp(name, "conv2d_novt") == 0) return conv2d(p, CONV_FINAL, false), true;
    if (strcmp(name, "conv2d.blocked") == 0) return conv2d(p, CONV_BLOCKED, true), true;
    if (strcmp(name, "conv2d.default") == 0) return conv2d(p, CONV_DEFAULT, false), true;
    return false;
}

/* The program, its context made for its configuration; false when there is none of the name. */
static inline bool program_create(program *p, const char *name) {
    vta_config *config = program_config(&name);
    *p = (program){.c = te_context_create(config, NULL)};
    vta_config_release(config);
    return p->c && build_program(p, name);
}

static inline void program_destroy(program *p) { te_context_destroy(p->c); }

#endif
