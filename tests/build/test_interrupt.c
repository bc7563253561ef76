/* Host code that is told to stop: it returns from its outer loops, with its scratch memory given back; code that was
 * not built so goes on. */
#include "support/check.h"
#include "vta/build.h"
#include "vta/kernel.h"
#include "vta/module.h"

/* The product of the inner stage does not fit the stack. */
static const char text[] = "kernel twice(n = 200)\n"
                           "target llvm\n"
                           "input A: int32[n, n]\n"
                           "reduce k = n\n"
                           "tensor P[i: n, j: n] = sum[k](A[i, k] * A[k, j])\n"
                           "output B[i: n, j: n] = P[i, j] + 1\n";

/* The kernel on a matrix of ones: the status of the call, and the sum of its first row. */
static vta_status run(bool interruptible, int64_t *out_sum) {
    enum { N = 200 };
    static int32_t ones[N * N], got[N * N];
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function call;
    vta_array *a, *b;
    int64_t shape[] = {N, N};
    vtac_lower_options lower = {0};
    vtac_build_options options = {.target = "llvm", .interruptible = interruptible};
    vtac_build_func f = {0};
    for (int i = 0; i < N * N; i++) ones[i] = 1;
    memset(got, 0, sizeof got);
    if (vtac_kernel_parse(text, strlen(text), "twice", NULL, NULL, NULL, diag, &kernel) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vtac_kernel_lower(kernel, &lower, &f.func), VTA_OK);
    if (vtac_build(1, &f, &options, diag, &module) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vtac_module_function(module, "twice", diag, &call), VTA_OK);
    const DLDataType type = {kDLInt, 32, 1};
    assert_int_equal(vta_array_borrow(ones, 2, shape, type, NULL, diag, &a), VTA_OK);
    assert_int_equal(vta_array_borrow(got, 2, shape, type, NULL, diag, &b), VTA_OK);
    DLTensor *tensors[] = {vta_array_tensor(a), vta_array_tensor(b)};
    vta_status status = vta_function_call_tensors(call, tensors, 2, diag);
    if (status == VTA_INTERRUPTED) assert_non_null(strstr(vta_diag_text(diag), "interrupted"));
    *out_sum = 0;
    for (int i = 0; i < N; i++) *out_sum += got[i];
    vta_array_free(a);
    vta_array_free(b);
    vtac_module_destroy(module);
    vtac_kernel_destroy(kernel);
    vta_diag_destroy(diag);
    return status;
}

static void host_code_stops(void **state) {
    (void)state;
    int64_t sum;
    assert_int_equal(run(true, &sum), VTA_OK);
    assert_int_equal(sum, 200 * 201);
    vta_host_interrupt(true);
    assert_int_equal(run(true, &sum), VTA_INTERRUPTED);
    assert_int_equal(sum, 0);
    assert_int_equal(run(false, &sum), VTA_OK);
    assert_int_equal(sum, 200 * 201);
    vta_host_interrupt(false);
    assert_int_equal(run(true, &sum), VTA_OK);
    assert_int_equal(sum, 200 * 201);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(host_code_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
