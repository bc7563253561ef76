/* Tiles that are too large for a buffer: the message names the loop to split, and with what it says the kernel is
 * built. */
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "support/check.h"
#include "vta/build.h"

/* Stages in a chain of compute_at; what is loaded is decided by two loops of O and one of C. */
static const char text[] = "kernel k(rows = 32, columns = 8, blocks = 16, tr = 1, tc = 1, tb = 1)\n"
                           "input A: inp_t[rows, blocks, BATCH, BLOCK_IN]\n"
                           "input B: wgt_t[columns, blocks, BLOCK_OUT, BLOCK_IN]\n"
                           "reduce ko = blocks, ki = BLOCK_IN\n"
                           "tensor Ab like A = A[...]\n"
                           "tensor Bb like B = B[...]\n"
                           "tensor C[r: rows, c: columns, bi: BATCH, ci: BLOCK_OUT] =\n"
                           "    sum[ko, ki](acc_t(Ab[r, ko, bi, ki]) * acc_t(Bb[c, ko, ci, ki]))\n"
                           "tensor S like C = C[...] >> 2\n"
                           "output O like C = inp_t(S[...])\n"
                           "stage O\n"
                           "  split 0 by tr -> ro, ri\n"
                           "  split 1 by tc -> co, ci\n"
                           "  reorder ro, co, ri, ci, 2, 3\n"
                           "  pragma ri dma_copy\n"
                           "stage S\n"
                           "  scope acc\n"
                           "  compute_at O, co\n"
                           "  pragma 0 alu\n"
                           "stage C\n"
                           "  scope acc\n"
                           "  compute_at O, co\n"
                           "  split ko by tb -> kbo, kbi\n"
                           "  reorder kbo, r, c, kbi, bi, ci, ki\n"
                           "  tensorize bi gemm\n"
                           "stage Ab\n"
                           "  scope inp\n"
                           "  compute_at C, kbo\n"
                           "  pragma 0 dma_copy\n"
                           "stage Bb\n"
                           "  scope wgt\n"
                           "  compute_at C, kbo\n"
                           "  pragma 0 dma_copy\n";

/* 8 elements of inputs and 16 of weights. */
static const char small[] = "LOG_INP_BUFF_SIZE=7 LOG_WGT_BUFF_SIZE=12 LOG_ACC_BUFF_SIZE=14";

static void lower_with(const vta_config *config, const char *params, const char *expected) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    const vtac_func *f;
    if (vtac_kernel_parse(text, strlen(text), "k", params, config, NULL, diag, &k) != VTA_OK)
        fail_msg("%s: %s", params, vta_diag_text(diag));
    vta_status status = vtac_kernel_lower(k, &(vtac_lower_options){.config = config}, &f);
    const char *said = vta_diag_text(te_context_diag(vtac_kernel_context(k)));
    assert_int_equal(status, expected ? VTA_ILLEGAL : VTA_OK);
    if (expected && !strstr(said, expected)) fail_msg("%s: expected \"%s\", got: %s", params, expected, said);
    vtac_kernel_destroy(k);
    vta_diag_destroy(diag);
}

TEST_CASE(the_loop_to_split_is_named) {
    static const struct {
        const char *params, *message, *better;
    } cases[] = {
        {"tc=8 tb=4",
         "Bb needs 32 elements of the wgt buffer, which holds 16: split axis i1 of O, so that at most 4 of 8 steps of "
         "Bb are held (each needs 4), and compute it inside of the outer loop",
         "tc=4 tb=4"},
        {"tr=32", "Ab needs 32 elements of the inp buffer, which holds 8: split axis i0 of O, so that at most 8 of 32 ",
         "tr=8"},
        {"tr=2 tb=16", "Ab needs 32 elements of the inp buffer, which holds 8: split axis ko of C, so that at most 4 ",
         "tr=2 tb=4"},
        {"tr=32 tb=16", "even one step of axis i0 of O needs 16; split more than one axis", "tr=4 tb=2"},
    };
    vta_config *base = vta_config_default(), *config;
    assert_int_equal(vta_config_with(base, small, NULL, &config), VTA_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lower_with(config, cases[i].params, cases[i].message);
        lower_with(config, cases[i].better, NULL);
    }
    vta_config_release(config);
    vta_config_release(base);
}

int main(void) { return run_cases(); }
