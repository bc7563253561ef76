/* Which fold fold=-1 takes, of random convolutions: the cheapest, where channels fill at most half of a block and what
 * the host has to do saves a tenth at least (docs/operators.md); and no other than asked for otherwise. */
#include "support/diag.h"
#include "vta/ops.h"

enum { ROUNDS = 3000, BUS_BYTES = 8 };

static check_random numbers = {2718281828459045u};
static int pick(int least, int most) { return (int)check_between(&numbers, least, most); }

static vta_conv pick_conv(void) {
    vta_conv c = {.batch = 1, .groups = 1, .dilation_w = 1};
    c.in_channels = pick(1, 17), c.out_channels = pick(1, 80);
    c.height = pick(8, 60), c.width = pick(8, 60), c.kernel_h = pick(1, 7), c.kernel_w = pick(1, 7);
    c.stride_h = pick(1, 4), c.stride_w = pick(1, 4), c.dilation_h = c.dilation_w = 1;
    c.pad_top = c.pad_bottom = pick(0, 3), c.pad_left = c.pad_right = pick(0, 3);
    return c;
}

/* Taps of all outputs along an axis that fall on the image: the others are left out. */
static int64_t inside(int64_t outs, int64_t taps, int64_t stride, int64_t pad, int64_t size) {
    int64_t n = 0;
    for (int64_t i = 0; i < outs * taps; i++) {
        int64_t at = i / taps * stride + i % taps - pad;
        n += at >= 0 && at < size;
    }
    return n;
}

/* Bytes that the bus moves in the time that a layer takes: that of its products, of four passes over its results, or
 * of reading its data once. */
static int64_t cost_of(const vta_conv *c, vta_fold fold) {
    vta_conv folded = *c;
    vta_conv_layout l = {.size = 0};
    vta_config *config = vta_config_default();
    folded.fold = fold;
    must(vta_conv_layout_of(config, &folded, diag, &l));
    vta_config_release(config);
    int64_t rows = l.out_height, columns = l.out_width, blocks = l.images * l.out_blocks;
    int64_t passes = 4 * blocks * rows * columns;
    if (fold != VTA_FOLD_KERNEL) rows = inside(rows, c->kernel_h, c->stride_h, c->pad_top, c->height);
    if (fold == VTA_FOLD_NONE) columns = inside(columns, c->kernel_w, c->stride_w, c->pad_left, c->width);
    int64_t cycles = blocks * l.group_in * rows * columns + passes;
    return cycles * BUS_BYTES > (int64_t)l.data_bytes ? cycles * BUS_BYTES : (int64_t)l.data_bytes;
}

/* -1: two are just a tenth apart. */
static int cheapest(const vta_conv *c) {
    int best = VTA_FOLD_NONE;
    if (c->in_channels > 8) return best;
    for (int fold = VTA_FOLD_COLUMNS; fold <= VTA_FOLD_KERNEL; fold++) {
        int64_t now = cost_of(c, (vta_fold)best), then = cost_of(c, (vta_fold)fold);
        if (then * 10 == now * 9) return -1;
        if (then * 10 < now * 9) best = fold;
    }
    return best;
}

static int chosen(const vta_conv *c, int asked) {
    char text[400];
    vtac_op *op;
    vta_conv made = {.size = 0};
    snprintf(text, sizeof text,
             "height=%d width=%d in_channels=%d out_channels=%d kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d "
             "pad_top=%d pad_bottom=%d pad_left=%d pad_right=%d fold=%d",
             (int)c->height, (int)c->width, (int)c->in_channels, (int)c->out_channels, (int)c->kernel_h,
             (int)c->kernel_w, (int)c->stride_h, (int)c->stride_w, (int)c->pad_top, (int)c->pad_bottom,
             (int)c->pad_left, (int)c->pad_right, asked);
    must(vtac_op_create("conv2d", text, NULL, NULL, diag, &op));
    must(vtac_op_conv(op, diag, &made));
    vtac_op_destroy(op);
    return (int)made.fold;
}

static void folds(void **state) {
    (void)state;
    int seen[3] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        vta_conv c = pick_conv();
        int expected = cheapest(&c), got = chosen(&c, -1), asked = pick(0, 2);
        if (expected >= 0 && got != expected)
            fail_msg("%d x %d, %d to %d channels, kernel %d x %d, stride %d x %d: %d, not %d", (int)c.height,
                     (int)c.width, (int)c.in_channels, (int)c.out_channels, (int)c.kernel_h, (int)c.kernel_w,
                     (int)c.stride_h, (int)c.stride_w, got, expected);
        seen[got]++;
        assert_int_equal(chosen(&c, asked), asked);
    }
    for (int fold = 0; fold < 3; fold++) assert_true(seen[fold] > ROUNDS / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(folds, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
