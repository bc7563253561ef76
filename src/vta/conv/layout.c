/* Which tiles a convolution takes. */
#include "conv/priv.h"

static void default_to(int64_t *value, int64_t otherwise) {
    if (*value == 0) *value = otherwise;
}

static vta_status check(const vta_conv *c, vta_diag *diag) {
    const struct {
        const char *name;
        int64_t value, least;
    } sizes[] = {
        {"batch", c->batch, 1},         {"in_channels", c->in_channels, 1}, {"out_channels", c->out_channels, 1},
        {"groups", c->groups, 1},       {"height", c->height, 1},           {"width", c->width, 1},
        {"kernel_h", c->kernel_h, 1},   {"kernel_w", c->kernel_w, 1},       {"stride_h", c->stride_h, 1},
        {"stride_w", c->stride_w, 1},   {"dilation_h", c->dilation_h, 1},   {"dilation_w", c->dilation_w, 1},
        {"pad_top", c->pad_top, 0},     {"pad_bottom", c->pad_bottom, 0},   {"pad_left", c->pad_left, 0},
        {"pad_right", c->pad_right, 0},
    };
    enum { MAX = 1 << 24 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].value < sizes[i].least || sizes[i].value > MAX)
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "convolution: %s is %lld, must be from %lld to %d",
                           sizes[i].name, (long long)sizes[i].value, (long long)sizes[i].least, MAX);
    if (c->in_channels % c->groups || c->out_channels % c->groups)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "convolution: %lld groups do not divide %lld input and %lld output channels",
                       (long long)c->groups, (long long)c->in_channels, (long long)c->out_channels);
    if ((int)c->fold < VTA_FOLD_NONE || (int)c->fold > VTA_FOLD_KERNEL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "convolution: there is no fold %d", (int)c->fold);
    if (c->fold != VTA_FOLD_NONE && c->groups > 1)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "convolution: the kernel of %lld groups cannot be folded: a group reads its own channels",
                       (long long)c->groups);
    return VTA_OK;
}

static int64_t ceil_div(int64_t x, int64_t y) { return (x + y - 1) / y; }

static int64_t gcd(int64_t x, int64_t y) {
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

/* Groups smaller than blocks share blocks: so many as fill whole blocks of both sorts, if all groups come out even that
 * way or one block of each does. Otherwise all channels are one group, with zeros where there is no connection. */
static void find_groups(const vta_config *config, const vta_conv *c, vta_conv_layout *l) {
    int64_t in = vta_config_block_in(config), out = vta_config_block_out(config);
    int64_t group_in = c->in_channels / c->groups, group_out = c->out_channels / c->groups;
    int64_t x = in / gcd(group_in, in), y = out / gcd(group_out, out), together = x / gcd(x, y) * y;
    l->group_in = l->in_blocks;
    l->group_out = l->out_blocks;
    bool even = c->groups % together == 0;
    bool one = together * group_in == in && together * group_out == out;
    if (together >= c->groups || (!even && !one)) return;
    l->group_in = together * group_in / in;
    l->group_out = together * group_out / out;
}

static vta_status count_bytes(const vta_config *config, vta_conv_layout *l, vta_diag *diag) {
    uint64_t data = vta_config_elem_bytes(config, VTA_MEM_INP), weight = vta_config_elem_bytes(config, VTA_MEM_WGT);
    bool over = __builtin_mul_overflow(data, (uint64_t)(l->images * l->in_blocks), &data) ||
                __builtin_mul_overflow(data, (uint64_t)(l->height * l->width), &data) ||
                __builtin_mul_overflow(weight, (uint64_t)(l->out_blocks * l->group_in), &weight) ||
                __builtin_mul_overflow(weight, (uint64_t)(l->kernel_h * l->kernel_w), &weight);
    if (over || data > PTRDIFF_MAX || weight > PTRDIFF_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "convolution: its tensors have more bytes than can be counted");
    l->data_bytes = data;
    l->weight_bytes = weight;
    return VTA_OK;
}

vta_status vt__conv_read(const vta_config *config, const vta_conv *given, vta_diag *diag, vta_conv *c,
                         vta_conv_layout *l) {
    if (!config || !given) return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s is NULL", config ? "conv" : "config");
    VT_TRY(vt_options_read(c, sizeof *c, given, "vta_conv", diag));
    int64_t *const ones[] = {&c->batch, &c->groups, &c->stride_h, &c->stride_w, &c->dilation_h, &c->dilation_w};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) default_to(ones[i], 1);
    VT_TRY(check(c, diag));
    int64_t rows = c->height + c->pad_top + c->pad_bottom, columns = c->width + c->pad_left + c->pad_right;
    int64_t need_h = (c->kernel_h - 1) * c->dilation_h + 1, need_w = (c->kernel_w - 1) * c->dilation_w + 1;
    if (rows < need_h || columns < need_w)
        return vt_fail(
            diag, VTA_INVALID_ARGUMENT,
            "convolution: a kernel that covers %lld x %lld does not fit the padded image of %lld x %lld: make the "
            "image or the padding larger, or the kernel or its dilation smaller",
            (long long)need_h, (long long)need_w, (long long)rows, (long long)columns);
    *l = (vta_conv_layout){.out_height = (rows - need_h) / c->stride_h + 1,
                           .out_width = (columns - need_w) / c->stride_w + 1};
    bool folds_columns = c->fold != VTA_FOLD_NONE, folds_rows = c->fold == VTA_FOLD_KERNEL;
    int64_t lanes = c->in_channels * (folds_columns ? c->kernel_w : 1) * (folds_rows ? c->kernel_h : 1);
    l->images = ceil_div(c->batch, vta_config_batch(config));
    l->in_blocks = ceil_div(lanes, vta_config_block_in(config));
    l->out_blocks = ceil_div(c->out_channels, vta_config_block_out(config));
    l->height = folds_rows ? l->out_height : c->height;
    l->width = folds_columns ? l->out_width : c->width;
    l->kernel_h = folds_rows ? 1 : c->kernel_h;
    l->kernel_w = folds_columns ? 1 : c->kernel_w;
    find_groups(config, c, l);
    return count_bytes(config, l, diag);
}

vta_status vta_conv_layout_of(const vta_config *config, const vta_conv *conv, vta_diag *diag,
                              vta_conv_layout *out_layout) {
    vta_conv c;
    vta_conv_layout l;
    if (!out_layout) return vt_fail(diag, VTA_INVALID_ARGUMENT, "out_layout is NULL");
    VT_TRY(vt__conv_read(config, conv, diag, &c, &l));
    vt_result_write(out_layout, &l, sizeof l);
    return VTA_OK;
}
