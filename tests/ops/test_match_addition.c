/* Steps by GEMM, as they may be written: a sum that starts at another one and adds products with tiles of constants.
 * Which bias or residual each is, and constants that are near to theirs. */
#include "support/diag.h"
#include "vta/kernel.h"
#include "vta/ops.h"

#define ONES "select(r == BLOCK_IN - 1, 1, 127)"
#define UNIT(scale) "select(c == r, " #scale ", 0)"
#define NEITHER "which is neither a bias by GEMM (bias_int8) nor a tensor times the unit matrix (residual_int8)"

static const struct {
    int tiles; /* of a bias; 0: a residual */
    const char *constant, *type, *sums;
    const char *step, *says; /* NULL: none */
} cases[] = {
    {1, ONES, "inp_t", "acc_t", "bias_int8:1"},
    {2, ONES, "inp_t", "acc_t", "bias_int8:2"},
    {2, "select(r == BLOCK_IN - 1, 1, 126)", "inp_t", "acc_t", NULL, NEITHER},
    {2, "select(r == BLOCK_IN - 1, 2, 127)", "inp_t", "acc_t", NULL, NEITHER},
    {2, "select(r == BLOCK_IN - 2, 1, 127)", "inp_t", "acc_t", NULL, NEITHER},
    {2, "select(r == BLOCK_IN - 1 && k == 0, 1, 127)", "inp_t", "acc_t", NULL, NEITHER},
    {2, "select(r == BLOCK_IN - 1, 1, select(k == 0 && r == 0, 1, 127))", "inp_t", "acc_t", NULL, NEITHER},
    /* other types than the buffers hold, and more constants than are looked at */
    {2, ONES, "int16", "acc_t", NULL, NEITHER},
    {2, ONES, "acc_t", "acc_t", NULL, NEITHER},
    {2, ONES, "int64", "int64", NULL, NEITHER},
    {65537, ONES, "inp_t", "acc_t", NULL, NEITHER},
    {0, UNIT(1), "wgt_t", "acc_t", "residual_int8:1"},
    {0, UNIT(-128), "wgt_t", "acc_t", "residual_int8:-128"},
    {0, UNIT(0), "wgt_t", "acc_t", NULL, NEITHER},
    {0, "select(c == r, 3, 1)", "wgt_t", "acc_t", NULL, NEITHER},
    {0, "select(c == r, select(c == 7, 2, 3), 0)", "wgt_t", "acc_t", NULL, NEITHER},
    {0, "select(c == BLOCK_IN - 1 - r, 3, 0)", "wgt_t", "acc_t", NULL, NEITHER},
    {0, UNIT(1), "acc_t", "acc_t", NULL, NEITHER},
};

static vtac_kernel *parse(size_t i) {
    static const char form[] =
        "kernel own\ninput d: inp_t[3, 2, BATCH, BLOCK_IN]\ninput w: wgt_t[4, 2, BLOCK_OUT, BLOCK_IN]\n%s\n"
        "tensor s[n: 3, o: 4, b: BATCH, c: BLOCK_OUT] = sum[q: 2, r: BLOCK_IN](%s(d[n, q, b, r]) * %s(w[o, q, c, r]))\n"
        "tensor t like s = %s\noutput y like s = out_t(t[...])\n";
    char declared[400], added[400], text[1600];
    const char *sums = cases[i].sums;
    int tiles = cases[i].tiles;
    vtac_kernel *own;
    if (tiles)
        snprintf(declared, sizeof declared,
                 "input g: wgt_t[4, %d, BLOCK_OUT, BLOCK_IN]\ntensor ones[k: %d, b: BATCH, r: BLOCK_IN] = %s(%s)",
                 tiles, tiles, cases[i].type, cases[i].constant);
    else
        snprintf(declared, sizeof declared,
                 "input a: inp_t[3, 4, BATCH, BLOCK_IN]\n"
                 "tensor unit[k: 1, l: 1, c: BLOCK_OUT, r: BLOCK_IN] = %s(%s)",
                 cases[i].type, cases[i].constant);
    snprintf(added, sizeof added,
             tiles ? "sum[k: %d, r: BLOCK_IN](%s(ones[k, i2, r]) * %s(g[i1, k, i3, r]), s[...])"
                   : "sum[k: %d, r: BLOCK_IN](%s(a[i0, i1, i2, r]) * %s(unit[0, k, i3, r]), s[...])",
             tiles ? tiles : 1, sums, sums);
    snprintf(text, sizeof text, form, declared, sums, sums, added);
    must(vtac_kernel_parse(text, strlen(text), "own", NULL, NULL, NULL, diag, &own));
    return own;
}

static void additions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vtac_kernel *own = parse(i);
        vtac_op *op;
        check_allocator a;
        char expected[200];
        check_allocator_init(&a, SIZE_MAX);
        vta_status status = vtac_op_match_kernel(own, &a.allocator, diag, &op);
        if (cases[i].step && status != VTA_OK) fail_msg("case %d: %s", (int)i, vta_diag_text(diag));
        if (!cases[i].step) {
            refused(status, VTA_UNSUPPORTED, cases[i].says);
        } else {
            snprintf(expected, sizeof expected, "batch=3 in_features=32 out_features=64 epilogue=%s narrow=wrap",
                     cases[i].step);
            assert_string_equal(vtac_op_attributes(op), expected);
        }
        vtac_op_destroy(op);
        vtac_kernel_destroy(own);
        assert_int_equal(a.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(additions, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
