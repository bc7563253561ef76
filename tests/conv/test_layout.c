/* Layouts of random convolutions, counted instead of computed; their weights, each where the header says; and the words
 * of every refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "vta/conv.h"

static const char *const configs[] = {
    "", "LOG_BATCH=1 LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16",
    "LOG_BLOCK_IN=4 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=13", "LOG_BATCH=2 LOG_BLOCK=5"};

static vta_config *config_of(const char *text) {
    vta_config *plain = vta_config_default(), *config;
    assert_int_equal(vta_config_with(plain, text, NULL, &config), VTA_OK);
    vta_config_release(plain);
    return config;
}

static check_random numbers = {2463534242u};
static int64_t pick(int64_t least, int64_t most) { return check_between(&numbers, least, most); }

/* ---- Layouts ----------------------------------------------------------------------------------------------------- */

static int64_t blocks(int64_t n, int64_t block) {
    int64_t count = 0;
    for (int64_t at = 0; at < n; at += block) count++;
    return count;
}

/* Places of a kernel in a padded image. */
static int64_t places(int64_t size, int64_t before, int64_t after, int64_t taps, int64_t dilation, int64_t stride) {
    int64_t n = 0;
    for (int64_t at = -before; at + (taps - 1) * dilation < size + after; at += stride) n++;
    return n;
}

static vta_conv pick_conv(void) {
    vta_conv c = {
        .batch = pick(1, 9), .groups = pick(0, 1) ? 1 : pick(2, 48), .height = pick(1, 9), .width = pick(1, 9)};
    bool even = pick(0, 2); /* groups that may fill blocks */
    c.in_channels = c.groups * (c.groups == 1 ? pick(1, 70) : even ? 1 << pick(0, 5) : pick(1, 20));
    c.out_channels = c.groups * (c.groups == 1 ? pick(1, 70) : even ? 1 << pick(0, 5) : pick(1, 20));
    c.kernel_h = pick(1, 3), c.kernel_w = pick(1, 3), c.stride_h = pick(1, 3), c.stride_w = pick(1, 3);
    c.dilation_h = pick(1, 3), c.dilation_w = pick(1, 3);
    c.pad_top = pick(0, 3), c.pad_bottom = pick(0, 3), c.pad_left = pick(0, 3), c.pad_right = pick(0, 3);
    c.fold = c.groups > 1 ? VTA_FOLD_NONE : (vta_fold)pick(VTA_FOLD_NONE, VTA_FOLD_KERNEL);
    return c;
}

static void check_layout(const vta_config *config, const vta_conv *c, const vta_conv_layout *l) {
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    bool rows = c->fold == VTA_FOLD_KERNEL, columns = c->fold != VTA_FOLD_NONE;
    int64_t lanes = c->in_channels * (rows ? c->kernel_h : 1) * (columns ? c->kernel_w : 1);
    assert_int_equal(l->out_height,
                     places(c->height, c->pad_top, c->pad_bottom, c->kernel_h, c->dilation_h, c->stride_h));
    assert_int_equal(l->out_width,
                     places(c->width, c->pad_left, c->pad_right, c->kernel_w, c->dilation_w, c->stride_w));
    assert_int_equal(l->images, blocks(c->batch, batch));
    assert_int_equal(l->in_blocks, blocks(lanes, in));
    assert_int_equal(l->out_blocks, blocks(c->out_channels, out));
    assert_int_equal(l->height, rows ? l->out_height : c->height);
    assert_int_equal(l->width, columns ? l->out_width : c->width);
    assert_int_equal(l->kernel_h, rows ? 1 : c->kernel_h);
    assert_int_equal(l->kernel_w, columns ? 1 : c->kernel_w);
    assert_int_equal(l->data_bytes, l->images * l->in_blocks * l->height * l->width * batch * in);
    assert_int_equal(l->weight_bytes, l->out_blocks * l->group_in * l->kernel_h * l->kernel_w * out * in);
}

/* Every weight once, the rest zeros. */
static void check_weights(const vta_config *config, const vta_conv *c, const vta_conv_layout *l) {
    int64_t in = vta_config_block_in(config), out = vta_config_block_out(config), each = c->in_channels / c->groups;
    int64_t n = c->out_channels * each * c->kernel_h * c->kernel_w, kw = c->kernel_w, kh = c->kernel_h;
    int8_t *weight = malloc((size_t)n), *tiles = malloc(l->weight_bytes);
    for (int64_t i = 0; i < n; i++) weight[i] = (int8_t)(pick(1, 127));
    memset(tiles, 85, l->weight_bytes);
    assert_int_equal(vta_conv_pack_weight(config, c, weight, NULL, tiles, l->weight_bytes), VTA_OK);
    for (int64_t i = 0; i < n; i++) {
        int64_t x = i % kw, y = i / kw % kh, o = i / (kw * kh * each);
        int64_t lane = i / (kw * kh) % each + o / (c->out_channels / c->groups) * each;
        if (c->fold == VTA_FOLD_KERNEL) lane = (lane * kh + y) * kw + x, y = x = 0;
        if (c->fold == VTA_FOLD_COLUMNS) lane = lane * kw + x, x = 0;
        int64_t block = lane / in - o / out / l->group_out * l->group_in;
        assert_in_range(block, 0, l->group_in - 1);
        int8_t *at = tiles +
                     ((((o / out * l->group_in + block) * l->kernel_h + y) * l->kernel_w + x) * out + o % out) * in +
                     lane % in;
        assert_int_equal(*at, weight[i]);
        *at = 0;
    }
    for (uint64_t i = 0; i < l->weight_bytes; i++) assert_int_equal(tiles[i], 0);
    free(weight);
    free(tiles);
}

TEST_CASE(test_random) {
    int grouped = 0, refused = 0;
    for (int i = 0; i < 400; i++) {
        vta_config *config = config_of(configs[i % 4]);
        vta_conv c = pick_conv();
        vta_conv_layout l = {.size = 0};
        bool fits = places(c.height, c.pad_top, c.pad_bottom, c.kernel_h, c.dilation_h, 1) > 0 &&
                    places(c.width, c.pad_left, c.pad_right, c.kernel_w, c.dilation_w, 1) > 0;
        assert_int_equal(vta_conv_layout_of(config, &c, NULL, &l), fits ? VTA_OK : VTA_INVALID_ARGUMENT);
        refused += !fits;
        if (fits) {
            check_layout(config, &c, &l);
            check_weights(config, &c, &l);
            grouped += l.group_in < l.in_blocks;
        }
        vta_config_release(config);
    }
    assert_true(grouped > 40 && refused > 10);
}

/* Zeros stand for ones. */
TEST_CASE(test_defaults) {
    vta_config *config = config_of("");
    vta_conv c = {.in_channels = 40, .out_channels = 8, .height = 5, .width = 6, .kernel_h = 2, .kernel_w = 3},
             same = c;
    vta_conv_layout given = {.size = 0}, without = {.size = 0};
    c.batch = c.groups = c.stride_h = c.stride_w = c.dilation_h = c.dilation_w = 1;
    assert_int_equal(vta_conv_layout_of(config, &c, NULL, &given), VTA_OK);
    assert_int_equal(vta_conv_layout_of(config, &same, NULL, &without), VTA_OK);
    assert_memory_equal(&given, &without, sizeof given);
    check_layout(config, &c, &given);
    vta_config_release(config);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

#define SAYS(call, status, ...)                                                                                        \
    do {                                                                                                               \
        char text_[300];                                                                                               \
        vta_diag *diag = vta_diag_create(NULL);                                                                        \
        snprintf(text_, sizeof text_, __VA_ARGS__);                                                                    \
        assert_int_equal(call, status);                                                                                \
        if (!strstr(vta_diag_text(diag), text_)) fail_msg("%s\nnot %s", vta_diag_text(diag), text_);                   \
        vta_diag_destroy(diag);                                                                                        \
    } while (0)

static const struct {
    const char *name;
    size_t at;
    int64_t least; /* 0 is 1 for those with a default */
    bool has_default;
} members[] = {
#define M(name, least, has_default) {#name, offsetof(vta_conv, name), least, has_default}
    M(batch, 1, true),    M(in_channels, 1, false), M(out_channels, 1, false), M(groups, 1, true),
    M(height, 1, false),  M(width, 1, false),       M(kernel_h, 1, false),     M(kernel_w, 1, false),
    M(stride_h, 1, true), M(stride_w, 1, true),     M(dilation_h, 1, true),    M(dilation_w, 1, true),
    M(pad_top, 0, false), M(pad_bottom, 0, false),  M(pad_left, 0, false),     M(pad_right, 0, false),
};

static const vta_conv fine = {
    .in_channels = 4, .out_channels = 4, .height = 4, .width = 4, .kernel_h = 1, .kernel_w = 1};

static vta_conv with(size_t member, int64_t value) {
    vta_conv c = fine;
    memcpy((char *)&c + members[member].at, &value, sizeof value);
    return c;
}

TEST_CASE(test_members) {
    enum { MAX = 1 << 24 };
    vta_config *config = config_of("");
    vta_conv_layout l = {.size = 0};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        int64_t least = members[i].least, below = members[i].has_default ? -1 : least - 1;
        const int64_t bad[] = {below, MAX + 1};
        for (int k = 0; k < 2; k++) {
            vta_conv c = with(i, bad[k]);
            SAYS(vta_conv_layout_of(config, &c, diag, &l), VTA_INVALID_ARGUMENT,
                 "convolution: %s is %lld, must be from %lld to 16777216", members[i].name, (long long)bad[k],
                 (long long)least);
        }
        vta_conv low = with(i, least), high = with(i, MAX);
        assert_int_equal(vta_conv_layout_of(config, &low, NULL, &l), VTA_OK);
        SAYS(vta_conv_layout_of(config, &high, diag, &l), /* as kernel or groups it fits nothing else */
             !strncmp(members[i].name, "kernel", 6) || !strcmp(members[i].name, "groups") ? VTA_INVALID_ARGUMENT
                                                                                          : VTA_OK,
             "%s", "");
        if (!strcmp(members[i].name, "groups"))
            SAYS(vta_conv_layout_of(config, &high, diag, &l), VTA_INVALID_ARGUMENT,
                 "convolution: 16777216 groups do not divide 4 input and 4 output channels");
    }
    vta_config_release(config);
}

TEST_CASE(test_calls) {
    vta_config *config = config_of(""), *narrow = config_of("LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17");
    vta_conv_layout l = {.size = 0};
    vta_conv c = fine;
    int8_t from[256] = {0}, to[2048];
    int32_t bias[2] = {0};
    enum { BAD = VTA_INVALID_ARGUMENT };
    SAYS(vta_conv_layout_of(config, &c, diag, NULL), BAD, "out_layout is NULL");
    SAYS(vta_conv_layout_of(NULL, &c, diag, &l), BAD, "config is NULL");
    SAYS(vta_conv_layout_of(config, NULL, diag, &l), BAD, "conv is NULL");
    SAYS(vta_conv_pack_data(config, &c, NULL, diag, to, 256), BAD, "convolution: the tensor is NULL");
    SAYS(vta_conv_pack_data(config, &c, from, diag, NULL, 256), BAD, "convolution: out_tiles is NULL");
    SAYS(vta_conv_pack_weight(config, &c, NULL, diag, to, 256), BAD, "convolution: the tensor is NULL");
    SAYS(vta_conv_pack_weight(config, &c, from, diag, to, 255), BAD,
         "convolution: the weights takes 256 bytes, not 255");
    SAYS(vta_conv_pack_weight_transposed(config, 4, 4, 1, 1, from, diag, to, 257), BAD,
         "convolution: the weights takes 256 bytes, not 257");
    SAYS(vta_conv_pack_weight_transposed(config, 0, 4, 1, 1, from, diag, to, 256), BAD, "in_channels is 0");
    SAYS(vta_conv_pack_data(narrow, &c, from, diag, to, 256), VTA_UNSUPPORTED,
         "convolution: packing is for inputs and weights of 8 bits, not of 8 and 4: pack them by yourself");
    c.kernel_h = 3, c.dilation_h = 2, c.kernel_w = 6, c.pad_left = 1;
    SAYS(
        vta_conv_layout_of(config, &c, diag, &l), BAD,
        "convolution: a kernel that covers 5 x 6 does not fit the padded image of 4 x 5: make the image or the padding "
        "larger, or the kernel or its dilation smaller");
    c = fine, c.groups = 2, c.fold = VTA_FOLD_COLUMNS;
    SAYS(vta_conv_layout_of(config, &c, diag, &l), BAD,
         "convolution: the kernel of 2 groups cannot be folded: a group reads its own channels");
    c = fine, c.fold = (vta_fold)3;
    SAYS(vta_conv_layout_of(config, &c, diag, &l), BAD, "convolution: there is no fold 3");
    c = fine, c.in_channels = 6, c.groups = 4;
    SAYS(vta_conv_layout_of(config, &c, diag, &l), BAD, "4 groups do not divide 6 input and 4 output channels");
    c = fine, c.out_channels = 6, c.groups = 4;
    SAYS(vta_conv_layout_of(config, &c, diag, &l), BAD, "4 groups do not divide 4 input and 6 output channels");
    /* The bias, of one tile: 15 lanes of 127 steps of 127, and 127. */
    SAYS(vta_conv_pack_bias(NULL, bias, 2, 1, diag, to, 256), BAD, "a NULL among config, bias and out_tiles");
    SAYS(vta_conv_pack_bias(config, NULL, 2, 1, diag, to, 256), BAD, "a NULL among config, bias and out_tiles");
    SAYS(vta_conv_pack_bias(config, bias, 2, 1, diag, NULL, 256), BAD, "a NULL among config, bias and out_tiles");
    SAYS(vta_conv_pack_bias(config, bias, 2, 0, diag, to, 256), BAD, "convolution: no tiles for a bias");
    SAYS(vta_conv_pack_bias(config, bias, 2, 2, diag, to, 511), BAD, "convolution: the bias takes 512 bytes, not 511");
    SAYS(vta_conv_pack_bias(narrow, bias, 2, 1, diag, to, 128), VTA_UNSUPPORTED,
         "convolution: packing is for weights of 8 bits, not of 4");
    bias[1] = -242063;
    SAYS(vta_conv_pack_bias(config, bias, 2, 1, diag, to, 256), VTA_OUT_OF_RANGE,
         "convolution: the bias -242063 of channel 1 is more than 1 tiles of digits reach, 242062: take 2 tiles, or a "
         "bias of 32 bits");
    bias[1] = INT32_MIN; /* 2147483648 / 242062 = 8871.6 */
    SAYS(vta_conv_pack_bias(config, bias, 2, 4, diag, to, 1024), VTA_OUT_OF_RANGE, "take 8872 tiles");
    assert_int_equal(vta_conv_bias_max(NULL, 1), 0);
    assert_int_equal(vta_conv_bias_max(config, 1), 242062);
    vta_config_release(config);
    vta_config_release(narrow);
}

/* Tensors of as many bytes as can be counted, and a few more: of data, and of weights alone. */
TEST_CASE(test_overflow) {
    vta_config *config = config_of("");
    vta_conv_layout l = {.size = 0};
    vta_conv c = {
        .in_channels = 16, .out_channels = 16, .kernel_h = 1, .kernel_w = 1, .height = 1 << 24, .width = 1 << 24};
    c.batch = 2047; /* 2^48 pixels of 16 bytes each are 2^52: 2^63 are not reached */
    assert_int_equal(vta_conv_layout_of(config, &c, NULL, &l), VTA_OK);
    assert_true(l.data_bytes == (uint64_t)2047 << 52);
    c.batch = 2048;
    SAYS(vta_conv_layout_of(config, &c, diag, &l), VTA_OUT_OF_RANGE,
         "convolution: its tensors have more bytes than can be counted");
    c.batch = 1, c.in_channels = 1 << 12, c.kernel_h = c.kernel_w = 1 << 20, c.out_channels = 1 << 11;
    SAYS(vta_conv_layout_of(config, &c, diag, &l), VTA_OUT_OF_RANGE, "more bytes than can be counted");
    c.in_channels = 16, c.out_channels = 1 << 18; /* the weights, 2^62, can be */
    assert_int_equal(vta_conv_layout_of(config, &c, NULL, &l), VTA_OK);
    assert_true(l.weight_bytes == (uint64_t)1 << 62);
    c.out_channels = 1 << 19;
    assert_int_equal(vta_conv_layout_of(config, &c, NULL, &l), VTA_OUT_OF_RANGE);
    vta_config_release(config);
}

int main(void) { return run_cases(); }
