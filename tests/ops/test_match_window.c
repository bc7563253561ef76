/* Pooling as it is usually written: the maximum of a window, or its sum divided with rounding; which attributes each
 * is, and what is near to it and is none. */
#include "support/diag.h"
#include "vta/kernel.h"
#include "vta/ops.h"

#define MAXIMUM "s[...]"
#define AVERAGE(count, twice) "(s[...] * 2 + " #count ") // " #twice

typedef struct window {
    int h, w, kernel_h, kernel_w, stride_h, stride_w, top, left, bottom, right;
} window;

static const struct {
    const char *how, *result;
    window of;
    const char *name; /* NULL: none */
    int fill;         /* of the padding */
    bool included;    /* padding counts */
} cases[] = {
    {"max", MAXIMUM, {8, 8, 2, 2, 2, 2}, "max_pool2d"},
    {"max", MAXIMUM, {9, 7, 3, 2, 2, 1}, "max_pool2d"},
    {"max", MAXIMUM, {8, 8, 3, 3, 2, 2, 1, 1, 1, 1}, "max_pool2d", -128},
    {"max", MAXIMUM, {6, 9, 2, 3, 1, 2, 1, 0, 0, 2}, "max_pool2d", -128},
    {"max", MAXIMUM, {6, 6, 2, 2, 1, 1, 1, 0, 0, 0}, "max_pool2d", -128},
    {"max", MAXIMUM, {6, 6, 2, 2, 1, 1, 0, 1, 0, 0}, "max_pool2d", -128},
    {"max", MAXIMUM, {6, 6, 2, 2, 1, 1, 0, 0, 1, 0}, "max_pool2d", -128},
    {"max", MAXIMUM, {6, 6, 2, 2, 1, 1, 0, 0, 0, 1}, "max_pool2d", -128},
    /* zeros, or anything above the least, would count */
    {"max", MAXIMUM, {8, 8, 3, 3, 2, 2, 1, 1, 1, 1}, NULL, 0},
    {"max", MAXIMUM, {8, 8, 3, 3, 2, 2, 1, 1, 1, 1}, NULL, -127},
    {"min", MAXIMUM, {8, 8, 2, 2, 2, 2}, NULL},
    {"sum", MAXIMUM, {8, 8, 2, 2, 2, 2}, NULL},
    {"sum", AVERAGE(4, 8), {8, 8, 2, 2, 2, 2}, "avg_pool2d"},
    {"sum", AVERAGE(9, 18), {9, 7, 3, 3, 2, 1}, "avg_pool2d"},
    {"sum", AVERAGE(6, 12), {9, 7, 3, 2, 1, 3}, "avg_pool2d"},
    {"sum", AVERAGE(9, 18), {8, 8, 3, 3, 2, 2, 1, 1, 1, 1}, "avg_pool2d", 0, true},
    {"sum", AVERAGE(6, 12), {6, 9, 2, 3, 1, 2, 1, 0, 0, 2}, "avg_pool2d", 0, true},
    {"sum", AVERAGE(4, 8), {6, 6, 2, 2, 1, 1, 1, 0, 0, 0}, "avg_pool2d", 0, true},
    {"sum", AVERAGE(4, 8), {6, 6, 2, 2, 1, 1, 0, 1, 0, 0}, "avg_pool2d", 0, true},
    {"sum", AVERAGE(4, 8), {6, 6, 2, 2, 1, 1, 0, 0, 1, 0}, "avg_pool2d", 0, true},
    {"sum", AVERAGE(4, 8), {6, 6, 2, 2, 1, 1, 0, 0, 0, 1}, "avg_pool2d", 0, true},
    /* another rounding, another count, padding that is no zeros */
    {"sum", AVERAGE(3, 8), {8, 8, 2, 2, 2, 2}, NULL},
    {"sum", AVERAGE(4, 9), {8, 8, 2, 2, 2, 2}, NULL},
    {"sum", AVERAGE(8, 16), {8, 8, 3, 3, 1, 1}, NULL},
    {"sum", AVERAGE(9, 18), {8, 8, 3, 3, 2, 2, 1, 1, 1, 1}, NULL, 1},
    {"max", AVERAGE(4, 8), {8, 8, 2, 2, 2, 2}, NULL},
    /* the operator's average is exact, or there is none (docs/operators.md) */
    {"sum", AVERAGE(180, 360), {1, 180, 1, 180, 1, 1}, "avg_pool2d"},
    {"sum", AVERAGE(181, 362), {1, 181, 1, 181, 1, 1}, "avg_pool2d"},
    {"sum", AVERAGE(6748, 13496), {28, 241, 28, 241, 1, 1}, NULL},
    {"sum", AVERAGE(256, 512), {16, 16, 16, 16, 1, 1}, "avg_pool2d"},
};

static vtac_kernel *parse(size_t i) {
    const window *x = &cases[i].of;
    bool padded = x->top || x->left || x->bottom || x->right;
    char text[1024], pad[160] = "";
    vtac_kernel *own;
    if (padded)
        snprintf(pad, sizeof pad, "tensor p = pad(x, [0, 0, %d, %d, 0, 0], [0, 0, %d, %d, 0, 0], %d)\n", x->top,
                 x->left, x->bottom, x->right, cases[i].fill);
    snprintf(text, sizeof text,
             "kernel own\ninput x: inp_t[1, 2, %d, %d, BATCH, BLOCK_IN]\n%s"
             "tensor s[n: 1, o: 2, i: %d, j: %d, b: BATCH, c: BLOCK_OUT] =\n"
             "  %s[dy: %d, dx: %d](acc_t(%s[n, o, i * %d + dy, j * %d + dx, b, c]))\noutput y like s = out_t(%s)\n",
             x->h, x->w, pad, (x->h + x->top + x->bottom - x->kernel_h) / x->stride_h + 1,
             (x->w + x->left + x->right - x->kernel_w) / x->stride_w + 1, cases[i].how, x->kernel_h, x->kernel_w,
             padded ? "p" : "x", x->stride_h, x->stride_w, cases[i].result);
    must(vtac_kernel_parse(text, strlen(text), "own", NULL, NULL, NULL, diag, &own));
    return own;
}

static void check_attributes(size_t i, const vtac_op *op) {
    const window *x = &cases[i].of;
    char expected[400];
    snprintf(expected, sizeof expected,
             "batch=1 channels=32 height=%d width=%d kernel_h=%d kernel_w=%d stride_h=%d stride_w=%d pad_top=%d "
             "pad_left=%d pad_bottom=%d pad_right=%d%s",
             x->h, x->w, x->kernel_h, x->kernel_w, x->stride_h, x->stride_w, x->top, x->left, x->bottom, x->right,
             cases[i].included ? " count_include_pad=1" : "");
    assert_string_equal(vtac_op_name(op), cases[i].name);
    assert_string_equal(vtac_op_attributes(op), expected);
}

static void windows(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vtac_kernel *own = parse(i);
        vtac_op *op;
        vta_status status = vtac_op_match_kernel(own, NULL, diag, &op);
        if (status != (cases[i].name ? VTA_OK : VTA_UNSUPPORTED)) fail_msg("case %d: %s", (int)i, vta_diag_text(diag));
        if (op) check_attributes(i, op);
        vtac_op_destroy(op);
        vtac_kernel_destroy(own);
        vta_diag_clear(diag);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(windows, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
