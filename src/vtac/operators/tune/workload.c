/* Tasks of AutoTVM for VTA: tensors in tiles as ["TENSOR", shape, type], then numbers. Ours are written as the same
 * task where there is one. */
#include <string.h>

#include "operators/tune/tune.h"

enum { DATA = 6, MATRIX = 4, MAX = 1 << 20 };

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static void write_tensor(vta_memory memory, const vtac_op *op, const int64_t *dims, size_t n, vt_json *w) {
    char type[16] = "int";
    uint32_t bits = vta_config_width(op->config, memory);
    if (bits >= 10) type[3] = (char)('0' + bits / 10);
    type[bits >= 10 ? 4 : 3] = (char)('0' + bits % 10);
    vt_json_array(w, NULL);
    vt_json_text(w, NULL, "TENSOR");
    vt_json_array(w, NULL);
    for (size_t i = 0; i < n; i++) vt_json_int(w, NULL, dims[i]);
    vt_json_end(w);
    vt_json_text(w, NULL, type);
    vt_json_end(w);
}

static void write_list(vt_json *w, const int64_t *values, size_t n) {
    vt_json_array(w, NULL);
    for (size_t i = 0; i < n; i++) vt_json_int(w, NULL, values[i]);
    vt_json_end(w);
}

static void write_tensors(const vtac_op *op, bool matrix, vt_json *w) {
    const vt_op_shape *s = &op->shape;
    int64_t batch = vta_config_batch(op->config), in = vta_config_block_in(op->config),
            out = vta_config_block_out(op->config);
    if (matrix) {
        write_tensor(VTA_MEM_INP, op, (int64_t[]){s->h, s->ic, batch, in}, MATRIX, w);
        write_tensor(VTA_MEM_WGT, op, (int64_t[]){s->oc, s->ic, out, in}, MATRIX, w);
        return;
    }
    write_tensor(VTA_MEM_INP, op, (int64_t[]){s->n, s->in_total, s->h, s->w, batch, in}, DATA, w);
    write_tensor(VTA_MEM_WGT, op, (int64_t[]){s->oc, s->ic, s->kernel_h, s->kernel_w, out, in}, DATA, w);
}

static void write_conv(const vtac_op *op, bool groups, vt_json *w) {
    const vt_op_shape *s = &op->shape;
    write_tensors(op, false, w);
    write_list(w, (int64_t[]){s->stride_h, s->stride_w}, 2);
    write_list(w, (int64_t[]){s->top, s->left, s->bottom, s->right}, 4);
    if (s->transposed) {
        vt_json_text(w, NULL, "int32");
        write_list(w, (int64_t[]){0, 0}, 2);
        return;
    }
    write_list(w, (int64_t[]){s->dilation_h, s->dilation_w}, 2);
    if (groups)
        vt_json_int(w, NULL, s->in_total / s->ic);
    else
        vt_json_text(w, NULL, "NCHW1n16c");
    vt_json_text(w, NULL, "int32");
}

static const char *task_of(const vtac_op *op) {
    if (!strcmp(op->is->name, "dense")) return "dense_packed.vta";
    if (!strcmp(op->is->name, "conv2d_transpose")) return "conv2d_transpose_packed.vta";
    if (strcmp(op->is->name, "conv2d") != 0) return NULL;
    return op->shape.in_total != op->shape.ic ? "group_conv2d_packed.vta" : "conv2d_packed.vta";
}

void vt__tune_task_write(const vtac_op *op, vt_json *w) {
    const char *task = task_of(op);
    vt_json_text(w, NULL, task ? task : op->is->name);
    vt_json_array(w, NULL);
    if (task && !strcmp(task, "dense_packed.vta")) {
        write_tensors(op, true, w);
        vt_json_text(w, NULL, NULL);
        vt_json_text(w, NULL, "int32");
    } else if (task) {
        write_conv(op, task[0] == 'g', w);
    }
    vt_json_end(w);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct reading {
    const json_t *args;
    vt_pos pos;
    vta_diag *diag;
    const vta_config *config;
    vt_strbuf text; /* attributes */
} reading;

static vta_status wrong(const reading *r, const char *what) {
    return vt_fail_at(r->diag, VTA_UNSUPPORTED, r->pos, "%s", what);
}

static bool read_numbers(const json_t *list, size_t n, int64_t least, int64_t *out) {
    if (json_array_size(list) != n) return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *j = json_array_get(list, i);
        if (!json_is_integer(j) || json_integer_value(j) < least || json_integer_value(j) > MAX) return false;
        out[i] = json_integer_value(j);
    }
    return true;
}

static bool read_shape(const reading *r, size_t arg, size_t n, int64_t *out) {
    const json_t *tensor = json_array_get(r->args, arg), *is = json_array_get(tensor, 0);
    return json_is_string(is) && !strcmp(json_string_value(is), "TENSOR") &&
           read_numbers(json_array_get(tensor, 1), n, 1, out);
}

/* [a, b], or one number for both. */
static bool read_two(const reading *r, size_t arg, int64_t least, int64_t out[2]) {
    const json_t *j = json_array_get(r->args, arg);
    if (!json_is_integer(j)) return read_numbers(j, 2, least, out);
    out[0] = out[1] = json_integer_value(j);
    return out[0] >= least && out[0] <= MAX;
}

/* Padding: of all sides, [rows, columns], or [top, left, bottom, right]. */
static bool read_padding(const reading *r, size_t arg, int64_t out[4]) {
    int64_t two[2];
    if (read_numbers(json_array_get(r->args, arg), 4, 0, out)) return true;
    if (!read_two(r, arg, 0, two)) return false;
    out[0] = out[2] = two[0];
    out[1] = out[3] = two[1];
    return true;
}

static vta_status check_tiles(const reading *r, const int64_t *data, const int64_t *weight) {
    int64_t batch = vta_config_batch(r->config), in = vta_config_block_in(r->config),
            out = vta_config_block_out(r->config);
    if (data[0] == batch && data[1] == in && weight[0] == out && weight[1] == in) return VTA_OK;
    return vt_fail_at(r->diag, VTA_UNSUPPORTED, r->pos,
                      "its tiles are %lld x %lld x %lld, those of this configuration %lld x %lld x %lld",
                      (long long)data[0], (long long)data[1], (long long)weight[0], (long long)batch, (long long)in,
                      (long long)out);
}

static vta_status read_images(reading *r, int64_t in_groups) {
    int64_t d[DATA], k[DATA];
    if (!read_shape(r, 0, DATA, d) || !read_shape(r, 1, DATA, k))
        return wrong(r, "args must begin with data and weights in tiles, [\"TENSOR\", [6 extents], type] each");
    VT_TRY(check_tiles(r, d + 4, k + 4));
    if (d[1] != k[1] * in_groups) return wrong(r, "data and weights have different input channels");
    vt_strbuf_addf(&r->text, "batch=%lld in_channels=%lld height=%lld width=%lld out_channels=%lld",
                   (long long)(d[0] * d[4]), (long long)(d[1] * d[5]), (long long)d[2], (long long)d[3],
                   (long long)(k[0] * k[4]));
    vt_strbuf_addf(&r->text, " kernel_h=%lld kernel_w=%lld", (long long)k[2], (long long)k[3]);
    return VTA_OK;
}

static vta_status read_window(reading *r) {
    int64_t stride[2], pad[4];
    if (!read_two(r, 2, 1, stride) || !read_padding(r, 3, pad))
        return wrong(r, "args 2 and 3 must be strides and padding");
    vt_strbuf_addf(&r->text, " stride_h=%lld stride_w=%lld pad_top=%lld pad_left=%lld pad_bottom=%lld pad_right=%lld",
                   (long long)stride[0], (long long)stride[1], (long long)pad[0], (long long)pad[1], (long long)pad[2],
                   (long long)pad[3]);
    return VTA_OK;
}

static vta_status read_dilation(reading *r) {
    int64_t dilation[2];
    if (!read_two(r, 4, 1, dilation)) return wrong(r, "arg 4 must be the dilation");
    vt_strbuf_addf(&r->text, " dilation_h=%lld dilation_w=%lld", (long long)dilation[0], (long long)dilation[1]);
    return VTA_OK;
}

static vta_status read_conv2d(reading *r) {
    VT_TRY(read_images(r, 1));
    VT_TRY(read_window(r));
    return read_dilation(r);
}

static vta_status read_group_conv2d(reading *r) {
    int64_t groups[2];
    if (!read_two(r, 5, 1, groups)) return wrong(r, "arg 5 must be the number of groups");
    VT_TRY(read_images(r, groups[0]));
    VT_TRY(read_window(r));
    VT_TRY(read_dilation(r));
    vt_strbuf_addf(&r->text, " groups=%lld", (long long)groups[0]);
    return VTA_OK;
}

static vta_status read_transposed(reading *r) {
    int64_t more[2] = {0, 0};
    VT_TRY(read_images(r, 1));
    VT_TRY(read_window(r));
    if (json_array_get(r->args, 5) && !read_two(r, 5, 0, more)) return wrong(r, "arg 5 must be the output padding");
    vt_strbuf_addf(&r->text, " output_pad_h=%lld output_pad_w=%lld", (long long)more[0], (long long)more[1]);
    return VTA_OK;
}

static vta_status read_dense(reading *r) {
    int64_t d[MATRIX], k[MATRIX];
    if (!read_shape(r, 0, MATRIX, d) || !read_shape(r, 1, MATRIX, k))
        return wrong(r, "args must begin with data and weights in tiles, [\"TENSOR\", [4 extents], type] each");
    VT_TRY(check_tiles(r, d + 2, k + 2));
    if (d[1] != k[1]) return wrong(r, "data and weights have different input channels");
    vt_strbuf_addf(&r->text, "batch=%lld in_features=%lld out_features=%lld", (long long)(d[0] * d[2]),
                   (long long)(d[1] * d[3]), (long long)(k[0] * k[2]));
    return VTA_OK;
}

static const struct {
    const char *task, *operator_name;
    vta_status (*read)(reading *r);
} tasks[] = {
    {"conv2d_packed.vta", "conv2d", read_conv2d},
    {"group_conv2d_packed.vta", "conv2d", read_group_conv2d},
    {"conv2d_transpose_packed.vta", "conv2d_transpose", read_transposed},
    {"dense_packed.vta", "dense", read_dense},
};

vta_status vt__tune_task_read(const vt_tune_line *line, vt_pos pos, const vta_config *config,
                              const vta_allocator *allocator, vta_diag *diag, vtac_op **out_op) {
    reading r = {.args = line->args, .pos = pos, .diag = diag, .config = config};
    *out_op = NULL;
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        if (strcmp(tasks[i].task, line->record.task) != 0) continue;
        vt_strbuf_init(&r.text, allocator);
        vta_status status = tasks[i].read(&r);
        vt_strbuf_add(&r.text, " narrow=wrap"); /* a task is the sum: what follows it is not in its arguments */
        if (status == VTA_OK && r.text.failed) status = vt_no_memory(diag);
        if (status == VTA_OK)
            status = vtac_op_create(tasks[i].operator_name, vt_strbuf_text(&r.text), config, allocator, diag, out_op);
        vt_strbuf_free(&r.text);
        return status;
    }
    return vt_fail_at(
        diag, VTA_UNSUPPORTED, pos,
        "task %s: schedules of conv2d_packed.vta, group_conv2d_packed.vta, conv2d_transpose_packed.vta and "
        "dense_packed.vta are understood",
        line->record.task);
}
