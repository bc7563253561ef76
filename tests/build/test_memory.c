/* What a lowering takes is given back with its function; what fails leaves nothing behind. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"

#include "vta/build.h"

enum { ROUNDS = 30 };

static const char kernel_text[] = "kernel k\n"
                                  "input a: acc_t[4, 16, BATCH, BLOCK_OUT]\n"
                                  "tensor x like a = a[...]\n"
                                  "tensor y like a = x[...] + 1\n"
                                  "output b like a = inp_t(y[...])\n"
                                  "stage x\n scope acc\n compute_at b, i0\n pragma 0 dma_copy\n"
                                  "stage y\n scope acc\n compute_at b, i0\n pragma 0 alu\n"
                                  "stage b\n pragma 1 dma_copy\n";

static vtac_kernel *kernel_of(const char *text) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    vta_status status = vtac_kernel_parse(text, strlen(text), "k", NULL, NULL, NULL, diag, &k);
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_destroy(diag);
    return k;
}

static void printed(const vtac_func *f) {
    char *text;
    assert_int_equal(vtac_func_print(f, VTAC_STYLE_PRIMFN, NULL, &text), VTA_OK);
    assert_non_null(strstr(text, "VTALoadBuffer2D"));
    vta_string_free(text);
}

TEST_CASE(test_released) {
    vtac_kernel *k = kernel_of(kernel_text);
    te_context *c = vtac_kernel_context(k);
    const vtac_func *kept, *f;
    assert_int_equal(vtac_kernel_lower(k, NULL, &kept), VTA_OK);
    size_t before = te_context_bytes(c);
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_equal(vtac_kernel_lower(k, NULL, &f), VTA_OK);
        assert_true(te_context_bytes(c) > before + (1 << 14)); /* it is counted while it is there */
        printed(f);
        vtac_func_release(f);
        printed(kept); /* others stay */
    }
    assert_in_range(te_context_bytes(c), before, before + (1 << 16)); /* names of passes to leave out */
    vtac_func_release(kept);
    assert_true(te_context_bytes(c) < before);
    vtac_func_release(NULL);
    /* What is not released goes with the context; in any order. */
    for (int i = 0; i < 5; i++) assert_int_equal(vtac_kernel_lower(k, NULL, i % 2 ? &f : &kept), VTA_OK);
    vtac_func_release(kept);
    vtac_kernel_destroy(k);
}

TEST_CASE(test_built) {
    vtac_kernel *k = kernel_of("kernel k\ntarget llvm\ninput a: int32[8]\noutput b like a = a[...] + 1\n");
    const vtac_func *f;
    vtac_module *m;
    vta_packed_function call;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vtac_kernel_lower(k, NULL, &f), VTA_OK);
    const vtac_build_options options = {.target = "llvm"};
    assert_int_equal(vtac_build(1, &(vtac_build_func){.func = f}, &options, diag, &m), VTA_OK);
    vtac_func_release(f);
    vtac_kernel_destroy(k);
    assert_int_equal(vtac_module_function(m, "k", diag, &call), VTA_OK);
    int32_t x[8] = {5}, y[8] = {0};
    int64_t shape = 8;
    DLTensor t[2] = {{.data = x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {0, 32, 1}, .shape = &shape},
                     {.data = y, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {0, 32, 1}, .shape = &shape}};
    DLTensor *const args[] = {&t[0], &t[1]};
    assert_int_equal(vta_function_call_tensors(call, args, 2, diag), VTA_OK);
    assert_int_equal(y[0], 6);
    assert_int_equal(y[7], 1);
    vtac_module_destroy(m);
    vta_diag_destroy(diag);
}

TEST_CASE(test_refused) {
    vtac_kernel *k = kernel_of("kernel k\ninput a: acc_t[4, BATCH, BLOCK_OUT]\noutput b like a = a[...] + 1\n"
                               "stage b\n pragma 0 alu\n");
    te_context *c = vtac_kernel_context(k);
    const vtac_func *f;
    size_t before = 0;
    for (int i = 0; i < ROUNDS; i++) {
        assert_int_not_equal(vtac_kernel_lower(k, NULL, &f), VTA_OK);
        assert_null(f);
        vta_diag_clear(te_context_diag(c));
        if (!before) before = te_context_bytes(c);
    }
    assert_in_range(te_context_bytes(c), before, before + (1 << 16));
    vtac_kernel_destroy(k);
}

int main(void) { return run_cases(); }
