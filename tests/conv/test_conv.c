/* Operands of convolutions in tiles: each element where the header says that it lies, and what is refused. That
 * convolutions of folded and grouped operands are right is tested in tests/ops. */
#include "support/check.h"
#include "vta/conv.h"

static vta_config *config_of(const char *text) {
    vta_config *plain = vta_config_default(), *config;
    vta_diag *diag = vta_diag_create(NULL);
    if (vta_config_with(plain, text, diag, &config) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    vta_config_release(plain);
    return config;
}

static const char *const configs[] = {
    "", "LOG_BATCH=1 LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16",
    "LOG_BLOCK_IN=4 LOG_BLOCK_OUT=3 LOG_ACC_BUFF_SIZE=13", "LOG_BATCH=2 LOG_BLOCK=5"};

/* ---- Data ---- */

/* The element of the image that a lane of a tile is, as vta_fold says; 0 past the last lane or outside of the image. */
static int8_t expected(const vta_conv *c, const int8_t *data, int64_t n, int64_t lane, int64_t y, int64_t x) {
    int64_t kh = c->fold == VTA_FOLD_KERNEL ? c->kernel_h : 1, kw = c->fold == VTA_FOLD_NONE ? 1 : c->kernel_w;
    int64_t channel = lane / (kh * kw), row = y, column = x;
    if (c->fold == VTA_FOLD_KERNEL) row = y * c->stride_h + lane / kw % kh * c->dilation_h - c->pad_top;
    if (c->fold != VTA_FOLD_NONE) column = x * c->stride_w + lane % kw * c->dilation_w - c->pad_left;
    if (n >= c->batch || channel >= c->in_channels) return 0;
    if (row < 0 || row >= c->height || column < 0 || column >= c->width) return 0;
    return data[((n * c->in_channels + channel) * c->height + row) * c->width + column];
}

static void check_data(const vta_config *config, const vta_conv *c) {
    vta_conv_layout l = {.size = 0};
    assert_int_equal(vta_conv_layout_of(config, c, NULL, &l), VTA_OK);
    size_t size = (size_t)(c->batch * c->in_channels * c->height * c->width);
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config);
    int8_t *data = malloc(size), *tiles = malloc(l.data_bytes);
    for (size_t i = 0; i < size; i++) data[i] = (int8_t)(i * 37 + 5);
    memset(tiles, 85, l.data_bytes);
    assert_int_equal(vta_conv_pack_data(config, c, data, NULL, tiles, l.data_bytes), VTA_OK);
    const int8_t *at = tiles;
    for (int64_t n = 0; n < l.images * batch; n += batch)
        for (int64_t block = 0; block < l.in_blocks; block++)
            for (int64_t p = 0; p < l.height * l.width; p++)
                for (int64_t b = 0; b < batch; b++)
                    for (int64_t lane = 0; lane < in; lane++, at++)
                        assert_int_equal(*at, expected(c, data, n + b, block * in + lane, p / l.width, p % l.width));
    assert_int_equal(at - tiles, l.data_bytes);
    free(data);
    free(tiles);
}

TEST_CASE(test_data) {
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        vta_config *config = config_of(configs[i]);
        vta_conv c = {.batch = 3, .in_channels = 3, .out_channels = 5, .height = 9, .width = 7};
        c.kernel_h = 3, c.kernel_w = 2, c.stride_h = 2, c.stride_w = 3, c.dilation_h = 1, c.dilation_w = 2;
        c.pad_top = 2, c.pad_left = 1, c.pad_bottom = 0, c.pad_right = 2;
        for (int fold = VTA_FOLD_NONE; fold <= VTA_FOLD_KERNEL; fold++) {
            c.fold = (vta_fold)fold;
            check_data(config, &c);
        }
        vta_config_release(config);
    }
}

/* Padding, steps and dilations of every size against each other. */
TEST_CASE(test_data_at_random) {
    check_random r = {20240518};
    vta_config *config = config_of(configs[1]);
    for (int n = 0; n < 300; n++) {
        vta_conv c = {.batch = check_between(&r, 1, 3), .in_channels = check_between(&r, 1, 5), .out_channels = 5};
        c.height = check_between(&r, 5, 9), c.width = check_between(&r, 5, 9);
        c.kernel_h = check_between(&r, 1, 3), c.kernel_w = check_between(&r, 1, 3);
        c.stride_h = check_between(&r, 1, 4), c.stride_w = check_between(&r, 1, 4);
        c.dilation_h = check_between(&r, 1, 2), c.dilation_w = check_between(&r, 1, 2);
        c.pad_top = check_between(&r, 0, 6), c.pad_left = check_between(&r, 0, 6);
        c.pad_bottom = check_between(&r, 0, 6), c.pad_right = check_between(&r, 0, 6);
        c.fold = (vta_fold)check_between(&r, VTA_FOLD_NONE, VTA_FOLD_KERNEL);
        check_data(config, &c);
    }
    vta_config_release(config);
}

/* ---- Groups ---- */

TEST_CASE(test_groups) {
    static const struct {
        int64_t in, out, groups, group_in, group_out;
    } rows[] = {
        {32, 32, 32, 1, 1}, {64, 64, 4, 1, 1}, {24, 24, 24, 1, 1}, {64, 128, 2, 2, 4}, {32, 64, 32, 1, 2},
        {48, 48, 2, 3, 3},  {40, 40, 5, 1, 1}, {40, 80, 5, 3, 5},  {96, 96, 3, 2, 2},  {16, 16, 4, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        vta_conv c = {.in_channels = rows[i].in, .out_channels = rows[i].out, .groups = rows[i].groups};
        c.height = c.width = c.kernel_h = c.kernel_w = 1;
        vta_config *config = vta_config_default();
        vta_conv_layout l = {.size = 0};
        assert_int_equal(vta_conv_layout_of(config, &c, NULL, &l), VTA_OK);
        assert_int_equal(l.group_in, rows[i].group_in);
        assert_int_equal(l.group_out, rows[i].group_out);
        vta_config_release(config);
    }
}

/* Depthwise: a weight for each channel on the diagonal, zeros beside it. */
TEST_CASE(test_diagonal) {
    vta_config *config = vta_config_default();
    vta_conv c = {.in_channels = 20, .out_channels = 20, .groups = 20, .height = 3, .width = 3};
    c.kernel_h = 1, c.kernel_w = 2;
    int8_t weight[40], tiles[2 * 2 * 256];
    for (int i = 0; i < 40; i++) weight[i] = (int8_t)(i + 1);
    assert_int_equal(vta_conv_pack_weight(config, &c, weight, NULL, tiles, sizeof tiles), VTA_OK);
    for (int i = 0; i < (int)sizeof tiles; i++) {
        int in = i % 16, out = i / 16 % 16, x = i / 256 % 2, o = i / 512 * 16 + out;
        assert_int_equal(tiles[i], in == out && o < 20 ? weight[o * 2 + x] : 0);
    }
    vta_config_release(config);
}

TEST_CASE(test_transposed) {
    enum { IN = 18, OUT = 20, TAPS = 6 };
    vta_config *config = vta_config_default();
    static int8_t weight[IN * OUT * TAPS], tiles[2 * 2 * TAPS * 256];
    for (int i = 0; i < IN * OUT * TAPS; i++) weight[i] = (int8_t)(i * 7 + 1);
    memset(tiles, 85, sizeof tiles);
    assert_int_equal(vta_conv_pack_weight_transposed(config, IN, OUT, 3, 2, weight, NULL, tiles, sizeof tiles), VTA_OK);
    for (int i = 0; i < (int)sizeof tiles; i++) {
        int lane = i / (TAPS * 256) % 2 * 16 + i % 16, o = i / (2 * TAPS * 256) * 16 + i / 16 % 16,
            tap = i / 256 % TAPS;
        assert_int_equal(tiles[i], lane < IN && o < OUT ? weight[(lane * OUT + o) * TAPS + tap] : 0);
    }
    vta_config_release(config);
}

/* ---- Bias ---- */

static void check_bias(const vta_config *config, uint32_t tiles) {
    enum { COUNT = 21 };
    int64_t out = vta_config_block_out(config), in = vta_config_block_in(config);
    int64_t most = vta_conv_bias_max(config, tiles);
    int32_t bias[COUNT] = {0, 1, -1, 63, 64, -64, 126, 127, 128, 1000, -99999, (int32_t)most, (int32_t)-most};
    for (int i = 13; i < COUNT; i++) bias[i] = (int32_t)(most - 7 * i * i * i);
    for (int i = 0; i < COUNT; i++)
        if (bias[i] > most || bias[i] < -most) bias[i] = (int32_t)(bias[i] % (most + 1));
    size_t size = (size_t)((COUNT + out - 1) / out * out * in * tiles);
    int8_t *to = malloc(size);
    memset(to, 85, size);
    assert_int_equal(vta_conv_pack_bias(config, bias, COUNT, tiles, NULL, to, size), VTA_OK);
    for (int64_t i = COUNT; i % out; i++) /* lanes past the last */
        for (int64_t k = 0; k < tiles * in; k++)
            assert_int_equal(to[((i / out * tiles + k / in) * out + i % out) * in + k % in], 0);
    for (int64_t i = 0; i < COUNT; i++) {
        int64_t sum = 0;
        for (int64_t t = 0; t < tiles; t++)
            for (int64_t lane = 0; lane < in; lane++)
                sum += to[((i / out * tiles + t) * out + i % out) * in + lane] * (lane == in - 1 ? 1 : 127);
        assert_int_equal(sum, bias[i]);
    }
    bias[4] = (int32_t)most + 1;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_conv_pack_bias(config, bias, COUNT, tiles, diag, to, size), VTA_OUT_OF_RANGE);
    assert_non_null(strstr(vta_diag_text(diag), "of channel 4 is more than"));
    vta_diag_destroy(diag);
    free(to);
}

/* Tiles for as many blocks of channels as there are, begun ones too, and no byte more or less; the first channel that
 * no tile takes is told. */
TEST_CASE(test_bias_of_counts) {
    enum { MAX = 33, TILES = 2, BLOCK = 16 };
    vta_config *config = vta_config_default();
    static int8_t to[(MAX / BLOCK + 1) * TILES * BLOCK * BLOCK + 1];
    int32_t bias[MAX] = {0}, large = (int32_t)vta_conv_bias_max(config, TILES) + 1;
    for (size_t count = 1; count <= MAX; count++) {
        size_t size = (count + BLOCK - 1) / BLOCK * TILES * BLOCK * BLOCK;
        for (size_t given = size - 1; given <= size + 1; given++) {
            vta_status want = given == size ? VTA_OK : VTA_INVALID_ARGUMENT;
            assert_int_equal(vta_conv_pack_bias(config, bias, count, TILES, NULL, to, given), want);
        }
        for (size_t wrong = 0; wrong < count; wrong++) {
            char words[40];
            vta_diag *diag = vta_diag_create(NULL);
            bias[wrong] = wrong % 2 ? -large : large;
            assert_int_equal(vta_conv_pack_bias(config, bias, count, TILES, diag, to, size), VTA_OUT_OF_RANGE);
            snprintf(words, sizeof words, "the bias %d of channel %zu is", (int)bias[wrong], wrong);
            assert_contains(vta_diag_text(diag), words);
            bias[wrong] = 0;
            vta_diag_destroy(diag);
        }
    }
    vta_config_release(config);
}

TEST_CASE(test_bias) {
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        vta_config *config = config_of(configs[i]);
        assert_int_equal(vta_conv_bias_max(config, 2),
                         2 * 127 * (127 * ((int64_t)vta_config_block_in(config) - 1) + 1));
        for (uint32_t tiles = 1; tiles <= 3; tiles++) check_bias(config, tiles);
        vta_config_release(config);
    }
}

/* ---- Refusals ---- */

static void refused(const char *set, vta_conv c, vta_status status, const char *words) {
    vta_config *config = config_of(set);
    vta_conv_layout l = {.size = 0};
    vta_diag *diag = vta_diag_create(NULL);
    int8_t bytes[1];
    vta_status got = vta_conv_layout_of(config, &c, diag, &l);
    if (got == VTA_OK) got = vta_conv_pack_data(config, &c, bytes, diag, bytes, sizeof bytes);
    if (got != status || !strstr(vta_diag_text(diag), words)) fail_msg("%d, %s", (int)got, vta_diag_text(diag));
    vta_diag_destroy(diag);
    vta_config_release(config);
}

TEST_CASE(test_refused) {
    vta_conv fine = {.in_channels = 4, .out_channels = 4, .height = 4, .width = 4, .kernel_h = 2, .kernel_w = 2}, c;
    refused("", fine, VTA_INVALID_ARGUMENT, "the data takes 256 bytes, not 1");
    refused("LOG_INP_WIDTH=2 LOG_INP_BUFF_SIZE=14", fine, VTA_UNSUPPORTED, "8 bits, not of 4 and 8");
    c = fine, c.kernel_h = 5;
    refused("", c, VTA_INVALID_ARGUMENT, "covers 5 x 2 does not fit the padded image of 4 x 4");
    c = fine, c.groups = 3;
    refused("", c, VTA_INVALID_ARGUMENT, "3 groups do not divide 4 input and 4 output channels");
    c = fine, c.groups = 2, c.fold = VTA_FOLD_KERNEL;
    refused("", c, VTA_INVALID_ARGUMENT, "cannot be folded");
    c = fine, c.pad_left = -1;
    refused("", c, VTA_INVALID_ARGUMENT, "pad_left is -1");
    c = fine, c.fold = (vta_fold)7;
    refused("", c, VTA_INVALID_ARGUMENT, "there is no fold 7");
    c = fine, c.batch = c.in_channels = c.height = c.width = 1 << 24;
    refused("", c, VTA_OUT_OF_RANGE, "more bytes than can be counted");
}

int main(void) { return run_cases(); }
