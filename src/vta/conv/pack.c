/* Plain tensors to tiles. */
#include <string.h>

#include "conv/priv.h"

/* Where a lane of an image lies: its tile, then its place in the tile. */
typedef struct packing {
    const vta_conv *c;
    const vta_conv_layout *l;
    int64_t batch, in, out; /* extents of tiles */
    int8_t *to;
} packing;

static vta_status begin(const vta_config *config, const vta_conv *conv, const void *from, void *to, vta_diag *diag,
                        vta_conv *c, vta_conv_layout *l, packing *p) {
    VT_TRY(vt__conv_read(config, conv, diag, c, l));
    if (!from || !to)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "convolution: %s is NULL", from ? "out_tiles" : "the tensor");
    if (vta_config_width(config, VTA_MEM_INP) != 8 || vta_config_width(config, VTA_MEM_WGT) != 8)
        return vt_fail(
            diag, VTA_UNSUPPORTED,
            "convolution: packing is for inputs and weights of 8 bits, not of %u and %u: pack them by yourself",
            (unsigned)vta_config_width(config, VTA_MEM_INP), (unsigned)vta_config_width(config, VTA_MEM_WGT));
    *p = (packing){.c = c,
                   .l = l,
                   .batch = vta_config_batch(config),
                   .in = vta_config_block_in(config),
                   .out = vta_config_block_out(config),
                   .to = to};
    return VTA_OK;
}

static vta_status check_bytes(const char *what, size_t given, uint64_t must, vta_diag *diag) {
    if (given == must) return VTA_OK;
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "convolution: %s takes %llu bytes, not %zu", what,
                   (unsigned long long)must, given);
}

/* ---- Data ------------------------------------------------------------------------------------------------------ */

/* `count` elements of a row of the image, from `x` on in steps; what lies outside is left as it is. */
static void copy_row(const vta_conv *c, const int8_t *row, int64_t x, int64_t step, int64_t count, int8_t *to,
                     int64_t stride) {
    int64_t first = x < 0 ? (-x + step - 1) / step : 0;
    int64_t end = x >= c->width ? 0 : (c->width - 1 - x) / step + 1;
    if (end > count) end = count;
    for (int64_t i = first; i < end; i++) to[i * stride] = row[x + i * step];
}

/* One lane of one image: a plane of the tiled data. `dy` and `dx` are the taps that the lane stands for. */
static void pack_lane(const packing *p, const int8_t *plane, int64_t image, int64_t lane, int64_t dy, int64_t dx) {
    const vta_conv *c = p->c;
    const vta_conv_layout *l = p->l;
    bool columns = c->fold != VTA_FOLD_NONE, rows = c->fold == VTA_FOLD_KERNEL;
    int64_t element = p->batch * p->in;
    int8_t *to = p->to + ((image / p->batch * l->in_blocks + lane / p->in) * l->height * l->width) * element +
                 image % p->batch * p->in + lane % p->in;
    for (int64_t y = 0; y < l->height; y++) {
        int64_t row = rows ? y * c->stride_h + dy * c->dilation_h - c->pad_top : y;
        if (row < 0 || row >= c->height) continue;
        copy_row(c, plane + row * c->width, columns ? dx * c->dilation_w - c->pad_left : 0, columns ? c->stride_w : 1,
                 l->width, to + y * l->width * element, element);
    }
}

vta_status vta_conv_pack_data(const vta_config *config, const vta_conv *conv, const int8_t *data, vta_diag *diag,
                              void *out_tiles, size_t out_bytes) {
    vta_conv c;
    vta_conv_layout l;
    packing p;
    VT_TRY(begin(config, conv, data, out_tiles, diag, &c, &l, &p));
    VT_TRY(check_bytes("the data", out_bytes, l.data_bytes, diag));
    int64_t taps_h = c.fold == VTA_FOLD_KERNEL ? c.kernel_h : 1, taps_w = c.fold != VTA_FOLD_NONE ? c.kernel_w : 1;
    memset(out_tiles, 0, out_bytes);
    for (int64_t i = 0; i < c.batch * c.in_channels; i++)
        for (int64_t tap = 0; tap < taps_h * taps_w; tap++)
            pack_lane(&p, data + i * c.height * c.width, i / c.in_channels, i % c.in_channels * taps_h * taps_w + tap,
                      tap / taps_w, tap % taps_w);
    return VTA_OK;
}

/* ---- Weights --------------------------------------------------------------------------------------------------- */

/* The weights of an output channel for a lane, counted over all inputs: those of the packed kernel's taps follow in
 * steps of a tile. */
static int8_t *place(const packing *p, int64_t o, int64_t lane) {
    const vta_conv_layout *l = p->l;
    int64_t block = o / p->out, in_block = lane / p->in - block / l->group_out * l->group_in;
    return p->to + (block * l->group_in + in_block) * l->kernel_h * l->kernel_w * p->out * p->in + o % p->out * p->in +
           lane % p->in;
}

/* One lane: the taps that the packed kernel has, from `from` on in rows of the kernel. */
static void pack_taps(const packing *p, const int8_t *from, int8_t *to) {
    const vta_conv_layout *l = p->l;
    for (int64_t y = 0; y < l->kernel_h; y++)
        for (int64_t x = 0; x < l->kernel_w; x++, to += p->out * p->in) *to = from[y * p->c->kernel_w + x];
}

/* A fold makes lanes of columns of the kernel, or of all of its taps. */
static void pack_filter(const packing *p, const int8_t *from, int64_t o) {
    const vta_conv *c = p->c;
    int64_t each = c->in_channels / c->groups, first = o / (c->out_channels / c->groups) * each;
    int64_t rows = c->fold == VTA_FOLD_KERNEL ? c->kernel_h : 1, columns = c->fold == VTA_FOLD_NONE ? 1 : c->kernel_w;
    for (int64_t i = 0; i < each; i++, from += c->kernel_h * c->kernel_w)
        for (int64_t lane = 0; lane < rows * columns; lane++)
            pack_taps(p, from + lane, place(p, o, (first + i) * rows * columns + lane));
}

vta_status vta_conv_pack_weight(const vta_config *config, const vta_conv *conv, const int8_t *weight, vta_diag *diag,
                                void *out_tiles, size_t out_bytes) {
    vta_conv c;
    vta_conv_layout l;
    packing p;
    VT_TRY(begin(config, conv, weight, out_tiles, diag, &c, &l, &p));
    VT_TRY(check_bytes("the weights", out_bytes, l.weight_bytes, diag));
    memset(out_tiles, 0, out_bytes);
    for (int64_t o = 0; o < c.out_channels; o++)
        pack_filter(&p, weight + o * (c.in_channels / c.groups) * c.kernel_h * c.kernel_w, o);
    return VTA_OK;
}

vta_status vta_conv_pack_weight_transposed(const vta_config *config, int64_t in_channels, int64_t out_channels,
                                           int64_t kernel_h, int64_t kernel_w, const int8_t *weight, vta_diag *diag,
                                           void *out_tiles, size_t out_bytes) {
    vta_conv same = {.in_channels = in_channels, .out_channels = out_channels, .height = kernel_h, .width = kernel_w};
    vta_conv c;
    vta_conv_layout l;
    packing p;
    same.kernel_h = kernel_h, same.kernel_w = kernel_w;
    VT_TRY(begin(config, &same, weight, out_tiles, diag, &c, &l, &p));
    VT_TRY(check_bytes("the weights", out_bytes, l.weight_bytes, diag));
    memset(out_tiles, 0, out_bytes);
    for (int64_t i = 0; i < in_channels * out_channels; i++, weight += kernel_h * kernel_w)
        pack_taps(&p, weight, place(&p, i % out_channels, i / out_channels));
    return VTA_OK;
}

/* ---- Bias ------------------------------------------------------------------------------------------------------ */

static int64_t smaller(int64_t x, int64_t y) { return x < y ? x : y; }

/* The largest digit, and what the lanes but the last of each tile of ones hold; the last holds 1. */
static int64_t digit_max(const vta_config *config) {
    return (INT64_C(1) << (vta_config_width(config, VTA_MEM_WGT) - 1)) - 1;
}
static int64_t step_of(const vta_config *config) {
    return smaller((INT64_C(1) << (vta_config_width(config, VTA_MEM_INP) - 1)) - 1, 2 * digit_max(config) + 1);
}

int64_t vta_conv_bias_max(const vta_config *config, uint32_t tiles) {
    if (!config) return 0;
    int64_t lanes = (int64_t)tiles * (vta_config_block_in(config) - 1);
    return digit_max(config) * (step_of(config) * lanes + tiles);
}

/* What is nearest in steps goes to the lanes of steps, the rest to the last lanes. */
static void write_digits(const vta_config *config, int64_t bias, uint32_t tiles, int8_t *to, int64_t stride) {
    int64_t step = step_of(config), most = digit_max(config), in = vta_config_block_in(config);
    int64_t all = most * (in - 1) * (int64_t)tiles;
    int64_t steps = step ? (bias + (bias < 0 ? -step / 2 : step / 2)) / step : 0;
    if (steps > all) steps = all;
    if (steps < -all) steps = -all;
    int64_t rest = bias - steps * step;
    for (uint32_t t = 0; t < tiles; t++)
        for (int64_t lane = 0; lane < in; lane++) {
            int64_t *left = lane == in - 1 ? &rest : &steps;
            int64_t digit = *left > most ? most : *left < -most ? -most : *left;
            to[t * stride + lane] = (int8_t)digit;
            *left -= digit;
        }
}

vta_status vta_conv_pack_bias(const vta_config *config, const int32_t *bias, size_t count, uint32_t tiles,
                              vta_diag *diag, void *out_tiles, size_t out_bytes) {
    if (!config || !bias || !out_tiles || !tiles)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "convolution: %s",
                       tiles ? "a NULL among config, bias and out_tiles" : "no tiles for a bias");
    if (vta_config_width(config, VTA_MEM_WGT) != 8)
        return vt_fail(diag, VTA_UNSUPPORTED, "convolution: packing is for weights of 8 bits, not of %u",
                       (unsigned)vta_config_width(config, VTA_MEM_WGT));
    size_t out = vta_config_block_out(config), in = vta_config_block_in(config);
    VT_TRY(check_bytes("the bias", out_bytes, (count + out - 1) / out * tiles * out * in, diag));
    int64_t most = vta_conv_bias_max(config, tiles), each = vta_conv_bias_max(config, 1);
    memset(out_tiles, 0, out_bytes);
    for (size_t i = 0; i < count; i++) {
        int64_t size = bias[i] < 0 ? -(int64_t)bias[i] : bias[i];
        if (size > most)
            return vt_fail(diag, VTA_OUT_OF_RANGE,
                           "convolution: the bias %d of channel %zu is more than %u tiles of digits reach, %lld: take "
                           "%lld tiles, or a bias of 32 bits",
                           (int)bias[i], i, (unsigned)tiles, (long long)most, (long long)((size + each - 1) / each));
        write_digits(config, bias[i], tiles, (int8_t *)out_tiles + (i / out * tiles * out + i % out) * in,
                     (int64_t)(out * in));
    }
    return VTA_OK;
}
