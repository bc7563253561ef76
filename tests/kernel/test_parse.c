/* Kernel files: parameters, what a kernel consists of, the four programs for several configurations. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "support/check.h"

#include "ir/interp.h"
#include "te/te.h"
#include "vta/kernel.h"

static vtac_kernel *parse(const char *text, const char *params) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    vta_status status = vtac_kernel_parse(text, strlen(text), "k.te", params, NULL, NULL, diag, &k);
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return k;
}

TEST_CASE(parts) {
    vtac_kernel *k =
        parse("kernel scale(m = 4)\nparam n = m * 2\ntarget llvm\ndisable tir.CommonSubexprElimTIR, tir.LoopPartition\n"
              "input a: int32[m, n]\ninput b: int32[n]\noutput c[i: m, j: n] = a[i, j]\n   + b[j]\n"
              "output d like c = c[...] * 2\n",
              NULL);
    assert_string_equal(vtac_kernel_name(k), "scale");
    assert_string_equal(vtac_kernel_target(k), "llvm");
    assert_string_equal(vtac_kernel_disabled_passes(k), "tir.CommonSubexprElimTIR,tir.LoopPartition");
    assert_int_equal(vtac_kernel_arg_count(k), 4);
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(te_tensor_name(vtac_kernel_arg(k, i)), names[i]);
        assert_int_equal(vtac_kernel_arg_is_output(k, i), i >= 2);
    }
    assert_null(vtac_kernel_arg(k, 4));
    assert_int_equal(te_tensor_dim(vtac_kernel_arg(k, 0), 1), 8);
    assert_non_null(vtac_kernel_schedule(k));
    vtac_kernel_destroy(k);
}

TEST_CASE(parameters) {
    const char *text = "kernel k(m = 4, n = m + 1)\ninput a: int32[m, n]\noutput c like a = a[...] + 1\n";
    vtac_kernel *k = parse(text, "m=7");
    assert_int_equal(te_tensor_dim(vtac_kernel_arg(k, 0), 0), 7);
    assert_int_equal(te_tensor_dim(vtac_kernel_arg(k, 0), 1), 8);
    vtac_kernel_destroy(k);
    k = parse(text, " n=0x10, m=3 ");
    assert_int_equal(te_tensor_dim(vtac_kernel_arg(k, 0), 0), 3);
    assert_int_equal(te_tensor_dim(vtac_kernel_arg(k, 0), 1), 16);
    vtac_kernel_destroy(k);
    k = parse(text, "n=3"); /* the other one has the value that the file gives it */
    assert_int_equal(te_tensor_dim(vtac_kernel_arg(k, 0), 0), 4);
    assert_int_equal(te_tensor_dim(vtac_kernel_arg(k, 0), 1), 3);
    vtac_kernel_destroy(k);
    static const struct {
        const char *params, *message;
    } wrong[] = {{"o=3", "the kernel has no parameter \"o\""},
                 {"mm=3, n=2", "no parameter \"mm\""},
                 {"m=x", "is given as \"x\", which is not an integer"},
                 {"m=7x", "is given as \"7x\", which is not an integer"},
                 {"m=", "parameter m is given no value: write m=NUMBER"},
                 {"n=1 m", "parameter m is given no value"},
                 {"=3", "\"=3\": a parameter is NAME=NUMBER"},
                 {"m=1, m=2", "parameter m is given twice"},
                 {"m=99999999999999999999", "which 64 bits do not hold"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        assert_int_not_equal(vtac_kernel_parse(text, strlen(text), NULL, wrong[i].params, NULL, NULL, diag, &k),
                             VTA_OK);
        if (!strstr(vta_diag_text(diag), wrong[i].message)) fail_msg("%s", vta_diag_text(diag));
        vta_diag_destroy(diag);
    }
}

TEST_CASE(aliases) {
    vtac_kernel *k = parse("input a: int32[64, 64]\ntensor b like a = a[...] + 1\noutput c like a = b[...] * 2\n"
                           "stage c\n  tile 0, 1 by 8, 4 -> yo, xo, yi, xi\n  fuse yo, xo -> f\n  split f into 2 -> t, "
                           "_\n  bind t cthread\n"
                           "  vectorize xi\n  unroll i0.inner\nstage b\n  compute_at c, f.inner\n"
                           "cache_read a as a_local in acc for b\nstage a_local\n  compute_at b, 0\n",
                           NULL);
    assert_true(vtac_kernel_is_scheduled(k));
    te_schedule *s = vtac_kernel_schedule(k);
    assert_int_equal(te_schedule_stages(s), 4);
    te_stage *c = te_schedule_stage(s, vtac_kernel_arg(k, 1));
    assert_int_equal(te_stage_leaves(c), 4);
    assert_string_equal(te_axis_name(te_stage_leaf(c, 1)), "i0.outer.i1.outer.fused.inner");
    vtac_kernel_destroy(k);
}

typedef struct lowering {
    vtac_kernel *k;
    const vt_func *f;
} lowering;

static vta_status lower(vt_ctx *ctx, void *arg) {
    lowering *l = arg;
    vt_te_arg args[16] = {{0}};
    for (size_t i = 0; i < vtac_kernel_arg_count(l->k); i++) args[i].tensor = vtac_kernel_arg(l->k, i);
    l->f = vt_te_lower(vtac_kernel_schedule(l->k), (uint32_t)vtac_kernel_arg_count(l->k), args, vtac_kernel_name(l->k));
    (void)ctx;
    return VTA_OK;
}

TEST_CASE(programs) {
    static const char *const changes[] = {"LOG_BATCH=0", "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", "LOG_BLOCK=5",
                                          "LOG_BATCH=2 LOG_BLOCK=3"};
    static const char *const names[] = {"vector_add", "matmul", "blocked_matmul", "conv2d"};
    vta_config *base = vta_config_default(), *config;
    for (size_t i = 0; i < 16; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        char path[512];
        snprintf(path, sizeof path, VT_SOURCE_DIR "/examples/%s.te", names[i % 4]);
        assert_int_equal(vta_config_with(base, changes[i / 4], diag, &config), VTA_OK);
        lowering l;
        vta_status status = vtac_kernel_load(path, NULL, config, NULL, diag, &l.k);
        if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        te_context *c = vtac_kernel_context(l.k);
        status = vt_protect(vt_te_ctx(c), lower, &l);
        if (status != VTA_OK) fail_msg("%s", vta_diag_text(te_context_diag(c)));
        assert_string_equal(l.f->name, names[i % 4]);
        vtac_kernel_destroy(l.k);
        vta_config_release(config);
        vta_diag_destroy(diag);
    }
    vta_config_release(base);
}

int main(void) { return run_cases(); }
