/* The arguments of an operator as plain tensors, and where each of their elements lies in tiles: the table of
 * docs/operators.md, "Layouts". */
#include <stdlib.h>
#include <string.h>

#include "operators/definition.h"
#include "operators/norm.h"
#include "te/te.h"

#define V(kind, name) (d->op->values[VT_ATTRIBUTE_##kind##_##name])
#define IS(name) (d->op->is->write == vt__write_##name)

static int64_t or_else(int64_t value, int64_t least, int64_t otherwise) { return value < least ? otherwise : value; }

/* ---- Sizes ----------------------------------------------------------------------------------------------------------
 */

typedef struct sizes {
    int64_t m, n, h, w, c;
} sizes;

/* Rows or columns that a convolution or a window makes of `size`. */
static int64_t steps_in(int64_t size, int64_t before, int64_t after, int64_t taps, int64_t dilation, int64_t stride) {
    return (size + before + after - (taps - 1) * dilation - 1) / stride + 1;
}

#define PAD(op, side) or_else(V(op, pad_##side), 0, V(op, pad))
#define OR(op, name, other) or_else(V(op, name), 1, V(op, other))

static sizes convolved(vt_definition *d) {
    sizes s = {1, V(conv2d, batch), 0, 0, V(conv2d, out_channels)};
    int64_t pool = V(conv2d, pool), pad = V(conv2d, pool_pad);
    s.h = steps_in(V(conv2d, height), PAD(conv2d, top), PAD(conv2d, bottom), OR(conv2d, kernel_h, kernel),
                   OR(conv2d, dilation_h, dilation), OR(conv2d, stride_h, stride));
    s.w = steps_in(V(conv2d, width), PAD(conv2d, left), PAD(conv2d, right), OR(conv2d, kernel_w, kernel),
                   OR(conv2d, dilation_w, dilation), OR(conv2d, stride_w, stride));
    d->sum_h = s.h;
    d->sum_w = s.w;
    if (pool) s.h = steps_in(s.h, pad, pad, pool, 1, V(conv2d, pool_stride));
    if (pool) s.w = steps_in(s.w, pad, pad, pool, 1, V(conv2d, pool_stride));
    return s;
}

static sizes transposed(const vt_definition *d) {
    return (sizes){1, V(conv2d_transpose, batch),
                   (V(conv2d_transpose, height) - 1) * OR(conv2d_transpose, stride_h, stride) +
                       OR(conv2d_transpose, kernel_h, kernel) - PAD(conv2d_transpose, top) -
                       PAD(conv2d_transpose, bottom) + V(conv2d_transpose, output_pad_h),
                   (V(conv2d_transpose, width) - 1) * OR(conv2d_transpose, stride_w, stride) +
                       OR(conv2d_transpose, kernel_w, kernel) - PAD(conv2d_transpose, left) -
                       PAD(conv2d_transpose, right) + V(conv2d_transpose, output_pad_w),
                   V(conv2d_transpose, out_channels)};
}

#define WINDOWED(op)                                                                                                   \
    (sizes) {                                                                                                          \
        1, V(op, batch),                                                                                               \
            steps_in(V(op, height), PAD(op, top), PAD(op, bottom), OR(op, kernel_h, kernel), 1,                        \
                     OR(op, stride_h, stride)),                                                                        \
            steps_in(V(op, width), PAD(op, left), PAD(op, right), OR(op, kernel_w, kernel), 1,                         \
                     OR(op, stride_w, stride)),                                                                        \
            V(op, channels)                                                                                            \
    }

static const int64_t *image_attributes(const vt_definition *d) {
#define VT_OPERATOR(name, space, text)
#define VT_ATTRIBUTE(op, name, value, least, most, help)                                                               \
    if (IS(op) && !strcmp(#name, "batch")) return &V(op, name);
#include "operators/operators.def"
    return d->op->values;
}

static sizes result_sizes(vt_definition *d) {
    const int64_t *v = image_attributes(d);
    if (IS(conv2d)) return convolved(d);
    if (IS(conv2d_transpose)) return transposed(d);
    if (IS(dense)) return (sizes){1, V(dense, batch), 1, 1, V(dense, out_features)};
    if (IS(batch_matmul))
        return (sizes){V(batch_matmul, batch), V(batch_matmul, rows), 1, 1, V(batch_matmul, out_features)};
    if (IS(layer_norm)) return (sizes){1, V(layer_norm, batch), 1, 1, V(layer_norm, features)};
    if (IS(row_moments))
        return (sizes){1, V(row_moments, batch), VT_NORM_PARTS, 1, vta_config_block_out(d->op->config)};
    if (IS(max_pool2d)) return WINDOWED(max_pool2d);
    if (IS(avg_pool2d)) return WINDOWED(avg_pool2d);
    if (IS(sum_pool2d)) return WINDOWED(sum_pool2d);
    if (IS(global_avg_pool2d)) return (sizes){1, v[0], 1, 1, v[1]};
    if (IS(upsample2d))
        return (sizes){1, v[0], v[2] * OR(upsample2d, scale_h, scale), v[3] * OR(upsample2d, scale_w, scale), v[1]};
    if (IS(concat)) {
        sizes s = {1, V(concat, batch), V(concat, height), V(concat, width), 0};
        for (const int64_t *c = &V(concat, channels0), *end = &V(concat, channels7); c <= end; c++) s.c += *c;
        return s;
    }
    return (sizes){1, v[0], v[2], v[3], v[1]};
}

static sizes input_sizes(const vt_definition *d, uint32_t index) {
    const int64_t *v = image_attributes(d);
    if (IS(conv2d)) return (sizes){1, V(conv2d, batch), V(conv2d, height), V(conv2d, width), V(conv2d, in_channels)};
    if (IS(conv2d_transpose))
        return (sizes){1, V(conv2d_transpose, batch), V(conv2d_transpose, height), V(conv2d_transpose, width),
                       V(conv2d_transpose, in_channels)};
    if (IS(dense)) return (sizes){1, V(dense, batch), 1, 1, V(dense, in_features)};
    if (IS(batch_matmul))
        return (sizes){V(batch_matmul, batch), V(batch_matmul, rows), 1, 1, V(batch_matmul, in_features)};
    if (IS(row_moments)) return (sizes){2, V(row_moments, batch), 1, 1, V(row_moments, features)};
    if (IS(layer_norm) && index == 1)
        return (sizes){1, V(layer_norm, batch), VT_NORM_PARTS, 1, vta_config_block_in(d->op->config)};
    if (IS(layer_norm)) return (sizes){2, V(layer_norm, batch), 1, 1, V(layer_norm, features)};
    if (IS(concat))
        return (sizes){1, V(concat, batch), V(concat, height), V(concat, width), (&V(concat, channels0))[index]};
    if (IS(multiply) && V(multiply, of_channels) && index == 1) return (sizes){1, v[0], 1, 1, v[1]};
    return (sizes){1, v[0], v[2], v[3], v[1]};
}

static sizes weight_sizes(const vt_definition *d) {
    if (IS(conv2d))
        return (sizes){1, V(conv2d, out_channels), OR(conv2d, kernel_h, kernel), OR(conv2d, kernel_w, kernel),
                       V(conv2d, in_channels) / V(conv2d, groups)};
    if (IS(conv2d_transpose))
        return (sizes){1, V(conv2d_transpose, out_channels), OR(conv2d_transpose, kernel_h, kernel),
                       OR(conv2d_transpose, kernel_w, kernel), V(conv2d_transpose, in_channels)};
    if (IS(dense)) return (sizes){1, V(dense, out_features), 1, 1, V(dense, in_features)};
    return (sizes){V(batch_matmul, batch), V(batch_matmul, out_features), 1, 1, V(batch_matmul, in_features)};
}

/* The number behind an input's place among those of its kind: a limit, or tiles. */
static int64_t number_of(const vt_definition *d, vt_epilogue_kind kind, uint32_t index) {
    if (IS(bias_add) && kind == VT_EPILOGUE_bias && index-- == 0) return 0;
    for (uint32_t i = 0; i < d->op->n_said; i++)
        if (d->op->said[i].kind == kind && (uint32_t)d->op->said[i].number == index) return d->op->said[i].second;
    return 0;
}

static sizes sizes_of(vt_definition *d, const vt_plain *p) {
    int64_t batch = vta_config_batch(d->op->config), lanes = vta_config_block_in(d->op->config);
    sizes res = result_sizes(d);
    switch (p->role) {
    case VT_ROLE_INPUT: return input_sizes(d, p->index);
    case VT_ROLE_WEIGHT: return weight_sizes(d);
    case VT_ROLE_BIAS:
    case VT_ROLE_FACTOR:
    case VT_ROLE_AMOUNT: return (sizes){1, batch, 1, 1, res.c};
    case VT_ROLE_TABLE: return (sizes){1, 1, 1, 1, 256};
    case VT_ROLE_DIGITS: return (sizes){1, res.c, number_of(d, VT_EPILOGUE_bias_int8, p->index), 1, lanes};
    case VT_ROLE_RESIDUAL:
    case VT_ROLE_ADDEND:
    case VT_ROLE_RESULT:
    case VT_ROLES: break;
    }
    return res;
}

/* ---- Which argument is which
 * ------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    vt_role role;
    bool numbered;
    uint32_t index;
} roles[] = {
    {"data", VT_ROLE_INPUT, false, 0},    {"a", VT_ROLE_INPUT, false, 0},          {"b", VT_ROLE_INPUT, false, 1},
    {"moments", VT_ROLE_INPUT, false, 1}, {"x", VT_ROLE_INPUT, true, 0},           {"weight", VT_ROLE_WEIGHT, false, 0},
    {"bias", VT_ROLE_BIAS, true, 0},      {"residual", VT_ROLE_RESIDUAL, true, 0}, {"factor", VT_ROLE_FACTOR, true, 0},
    {"amount", VT_ROLE_AMOUNT, true, 0},  {"digits", VT_ROLE_DIGITS, true, 0},     {"addend", VT_ROLE_ADDEND, true, 0},
    {"table", VT_ROLE_TABLE, true, 0},    {"res", VT_ROLE_RESULT, false, 0},
};

static vta_status find_role(const vt_definition *d, const char *name, vt_plain *p, vta_diag *diag) {
    size_t letters = strcspn(name, "0123456789");
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (strlen(roles[i].name) != letters || strncmp(roles[i].name, name, letters) != 0) continue;
        p->role = roles[i].role;
        p->index = roles[i].numbered ? (uint32_t)strtoul(name + letters, NULL, 10) : roles[i].index;
        return VTA_OK;
    }
    return vt_fail(diag, VTA_INTERNAL, "%s: what its argument %s means is not defined", d->op->is->name, name);
}

vta_status vt__definition_sizes(vt_definition *d, vta_diag *diag) {
    const vtac_op *op = d->op;
    for (uint32_t i = 0; i < d->n; i++) {
        vt_plain *p = &d->of[i];
        const te_tensor *t = vtac_kernel_arg(op->kernel, i);
        const char *name = op->names ? vt__op_names_own(op->names, i) : te_tensor_name(t);
        VT_TRY(find_role(d, name, p, diag));
        sizes s = sizes_of(d, p);
        p->m = s.m, p->n = s.n, p->h = s.h, p->w = s.w, p->c = s.c;
        p->bits = vt_te_tensor(t)->dtype.bits;
        p->zeros = op->terms && (p->role == VT_ROLE_INPUT || p->role == VT_ROLE_WEIGHT);
        if (p->role == VT_ROLE_BIAS) p->most = number_of(d, VT_EPILOGUE_bias, p->index);
        if (p->role == VT_ROLE_FACTOR) p->most = number_of(d, VT_EPILOGUE_multiply_channel, p->index);
        p->tiled = 1;
        for (size_t k = 0; k < te_tensor_ndim(t); k++) p->tiled *= (size_t)te_tensor_dim(t, k);
        p->count = (size_t)(s.m * s.n * s.h * s.w * s.c);
        d->by_role[p->role][p->index] = p;
    }
    return VTA_OK;
}

/* ---- Tiles
 * ------------------------------------------------------------------------------------------------------------ */

/* Each m by itself: [n / batch, c / block, h, w, batch, block], with as many blocks as there is room for. */
static vta_status map_tiles(const vt_definition *d, vt_plain *p, int64_t batch, int64_t block, vta_diag *diag) {
    int64_t rests = p->h * p->w, each = (int64_t)p->tiled / p->m;
    int64_t blocks = each / (vt__ceil_div(p->n, batch) * rests * batch * block);
    if (blocks * vt__ceil_div(p->n, batch) * rests * batch * block * p->m != (int64_t)p->tiled || blocks * block < p->c)
        return vt_fail(diag, VTA_INTERNAL, "%s: an argument of %zu elements is not in tiles as it is defined",
                       d->op->is->name, p->tiled);
    for (size_t at = 0; at < p->count; at++) {
        int64_t c = (int64_t)at % p->c, rest = (int64_t)at / p->c % rests, n = (int64_t)at / (p->c * rests) % p->n;
        int64_t m = (int64_t)at / (p->c * rests * p->n);
        int64_t tile = (n / batch * blocks + c / block) * rests + rest;
        p->map[m * each + (tile * batch + n % batch) * block + c % block] = (int64_t)at;
    }
    return VTA_OK;
}

/* Each row has the columns of all m, one m behind the other. */
static void map_beside(vt_plain *p, int64_t batch, int64_t block) {
    for (size_t at = 0; at < p->count; at++) {
        int64_t n = (int64_t)at / p->c % p->n, column = (int64_t)at / (p->c * p->n) * p->c + (int64_t)at % p->c;
        int64_t tile = n / batch * (p->m * p->c / block) + column / block;
        p->map[(tile * batch + n % batch) * block + column % block] = (int64_t)at;
    }
}

/* Of each m the tiles of a block of columns follow one another. */
static void map_columns(vt_plain *p, int64_t out, int64_t in) {
    int64_t rows = vt__ceil_div(p->n, out), columns = vt__ceil_div(p->c, in);
    for (size_t at = 0; at < p->count; at++) {
        int64_t c = (int64_t)at % p->c, n = (int64_t)at / p->c % p->n, m = (int64_t)at / (p->c * p->n);
        p->map[(((m * columns + c / in) * rows + n / out) * out + n % out) * in + c % in] = (int64_t)at;
    }
}

/* Where lane q of a folded tile comes from. */
typedef struct lane {
    int64_t c, dy, dx;
} lane;

static lane lane_of(const vta_conv *v, int64_t q) {
    switch (v->fold) {
    case VTA_FOLD_COLUMNS: return (lane){q / v->kernel_w, -1, q % v->kernel_w};
    case VTA_FOLD_KERNEL:
        return (lane){q / (v->kernel_h * v->kernel_w), q / v->kernel_w % v->kernel_h, q % v->kernel_w};
    case VTA_FOLD_NONE: break;
    }
    return (lane){q, -1, -1};
}

static void map_folded_data(const vt_definition *d, vt_plain *p, const vta_conv_layout *l) {
    const vta_conv *v = &d->op->conv;
    int64_t batch = vta_config_batch(d->op->config), block = vta_config_block_in(d->op->config);
    for (int64_t at = 0; at < (int64_t)p->tiled; at++) {
        int64_t tile = at / (batch * block), x = tile % l->width, y = tile / l->width % l->height;
        int64_t part = tile / (l->width * l->height) % l->in_blocks;
        int64_t n = tile / (l->width * l->height * l->in_blocks) * batch + at / block % batch;
        lane q = lane_of(v, part * block + at % block);
        if (q.dy >= 0) y = y * v->stride_h + q.dy * v->dilation_h - v->pad_top;
        if (q.dx >= 0) x = x * v->stride_w + q.dx * v->dilation_w - v->pad_left;
        if (n < p->n && q.c < p->c && y >= 0 && y < p->h && x >= 0 && x < p->w)
            p->map[at] = (int64_t)vt__plain_at(p, 0, n, y, x, q.c);
    }
}

static void map_folded_weight(const vt_definition *d, vt_plain *p, const vta_conv_layout *l) {
    const vta_conv *v = &d->op->conv;
    int64_t out = vta_config_block_out(d->op->config), in = vta_config_block_in(d->op->config);
    for (int64_t at = 0; at < (int64_t)p->tiled; at++) {
        int64_t tile = at / (out * in), dx = tile % l->kernel_w, dy = tile / l->kernel_w % l->kernel_h;
        int64_t part = tile / (l->kernel_w * l->kernel_h) % l->group_in;
        int64_t block = tile / (l->kernel_w * l->kernel_h * l->group_in), o = block * out + at / in % out;
        lane q = lane_of(v, (block / l->group_out * l->group_in + part) * in + at % in);
        if (q.dy >= 0) dy = q.dy;
        if (q.dx >= 0) dx = q.dx;
        if (o >= p->n || q.c >= p->c * v->groups || q.c / p->c != o / (p->n / v->groups)) continue;
        p->map[at] = (int64_t)vt__plain_at(p, 0, o, dy, dx, q.c % p->c);
    }
}

static vta_status map_one(const vt_definition *d, vt_plain *p, vta_diag *diag) {
    int64_t batch = vta_config_batch(d->op->config), in = vta_config_block_in(d->op->config);
    int64_t out = vta_config_block_out(d->op->config);
    vta_conv_layout l = {.size = 0};
    bool conv = d->op->is->write == vt__write_conv2d && (p->role == VT_ROLE_INPUT || p->role == VT_ROLE_WEIGHT);
    for (size_t i = 0; i < p->tiled; i++) p->map[i] = -1;
    if (conv) {
        VT_TRY(vta_conv_layout_of(d->op->config, &d->op->conv, diag, &l));
        (p->role == VT_ROLE_INPUT ? map_folded_data : map_folded_weight)(d, p, &l);
        return VTA_OK;
    }
    bool beside = IS(batch_matmul) && ((p->role == VT_ROLE_INPUT && V(batch_matmul, in_beside)) ||
                                       (p->role == VT_ROLE_RESULT && V(batch_matmul, out_beside)));
    if (beside) {
        map_beside(p, batch, p->role == VT_ROLE_INPUT ? in : out);
        return VTA_OK;
    }
    if (IS(batch_matmul) && p->role == VT_ROLE_WEIGHT && V(batch_matmul, weight_columns)) {
        map_columns(p, out, in);
        return VTA_OK;
    }
    switch (p->role) {
    case VT_ROLE_INPUT: return map_tiles(d, p, batch, IS(concat) || d->op->shape.wide ? out : in, diag);
    case VT_ROLE_WEIGHT:
    case VT_ROLE_DIGITS: return map_tiles(d, p, out, in, diag);
    case VT_ROLE_ADDEND: return map_tiles(d, p, batch, in, diag);
    case VT_ROLE_TABLE: return map_tiles(d, p, 1, 256, diag);
    case VT_ROLE_BIAS:
    case VT_ROLE_RESIDUAL:
    case VT_ROLE_FACTOR:
    case VT_ROLE_AMOUNT:
    case VT_ROLE_RESULT:
    case VT_ROLES: break;
    }
    return map_tiles(d, p, batch, out, diag);
}

vta_status vt__definition_maps(vt_definition *d, vta_diag *diag) {
    for (uint32_t i = 0; i < d->n; i++) VT_TRY(map_one(d, &d->of[i], diag));
    return VTA_OK;
}

/* ---- All of it
 * ---------------------------------------------------------------------------------------------------------- */

vta_status vt__definition_open(const vtac_op *op, const vta_allocator *allocator, vta_diag *diag, vt_definition *out) {
    *out = (vt_definition){.op = op, .allocator = allocator};
    if (!op->kernel) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s has no schedule yet", op->is->name);
    size_t n = vtac_kernel_arg_count(op->kernel);
    if (n > VT_DEFINITION_ARGS) return vt_fail(diag, VTA_UNSUPPORTED, "%s: %zu arguments", op->is->name, n);
    out->n = (uint32_t)n;
    VT_TRY(vt__definition_sizes(out, diag));
    for (uint32_t i = 0; i < n; i++) {
        vt_plain *p = &out->of[i];
        p->values = vt_alloc_array(allocator, p->count, sizeof *p->values);
        p->map = vt_alloc_array(allocator, p->tiled, sizeof *p->map);
        if (!p->values || !p->map) return vt_no_memory(diag);
    }
    return vt__definition_maps(out, diag);
}

void vt__definition_close(vt_definition *d) {
    for (uint32_t i = 0; i < d->n; i++) {
        vt_plain *p = &d->of[i];
        vt_free(d->allocator, p->values, p->count * sizeof *p->values);
        vt_free(d->allocator, p->map, p->tiled * sizeof *p->map);
    }
}
