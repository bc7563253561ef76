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

typedef struct built {
    vta_diag *diag;
    vtac_kernel *kernel;
    vtac_module *module;
    vta_packed_function call;
} built;

static built build(const char *source, const char *name, bool interruptible) {
    built k = {.diag = vta_diag_create(NULL)};
    vtac_lower_options lower = {0};
    vtac_build_options options = {.target = "llvm", .interruptible = interruptible};
    vtac_build_func f = {0};
    if (vtac_kernel_parse(source, strlen(source), name, NULL, NULL, NULL, k.diag, &k.kernel) != VTA_OK)
        fail_msg("%s", vta_diag_text(k.diag));
    assert_int_equal(vtac_kernel_lower(k.kernel, &lower, &f.func), VTA_OK);
    if (vtac_build(1, &f, &options, k.diag, &k.module) != VTA_OK) fail_msg("%s", vta_diag_text(k.diag));
    assert_int_equal(vtac_module_function(k.module, name, k.diag, &k.call), VTA_OK);
    return k;
}

/* A call with two arrays of one shape; the kernel goes. */
static vta_status call_once(built k, void *in, void *out, int ndim, int64_t *shape, DLDataType type) {
    vta_array *a, *b;
    assert_int_equal(vta_array_borrow(in, ndim, shape, type, NULL, k.diag, &a), VTA_OK);
    assert_int_equal(vta_array_borrow(out, ndim, shape, type, NULL, k.diag, &b), VTA_OK);
    DLTensor *tensors[] = {vta_array_tensor(a), vta_array_tensor(b)};
    vta_status status = vta_function_call_tensors(k.call, tensors, 2, k.diag);
    if (status == VTA_INTERRUPTED) assert_non_null(strstr(vta_diag_text(k.diag), "interrupted"));
    vta_array_free(a);
    vta_array_free(b);
    vtac_module_destroy(k.module);
    vtac_kernel_destroy(k.kernel);
    vta_diag_destroy(k.diag);
    return status;
}

/* The kernel on a matrix of ones: the status of the call, and the sum of its first row. */
static vta_status run(bool interruptible, int64_t *out_sum) {
    enum { N = 200 };
    static int32_t ones[N * N], got[N * N];
    int64_t shape[] = {N, N};
    for (int i = 0; i < N * N; i++) ones[i] = 1;
    memset(got, 0, sizeof got);
    vta_status status =
        call_once(build(text, "twice", interruptible), ones, got, 2, shape, (DLDataType){kDLInt, 32, 1});
    *out_sum = 0;
    for (int i = 0; i < N; i++) *out_sum += got[i];
    return status;
}

TEST_CASE(host_code_stops) {
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

/* One loop and nothing around it: it runs in pieces, of which none is lost. */
TEST_CASE(single_loops_stop) {
    enum { N = 2500000 };
    static const char source[] = "kernel single(n = 2500000)\n"
                                 "target llvm\n"
                                 "input A: int8[n]\n"
                                 "output B like A = A[...] * int8(3)\n";
    static int8_t in[N], out[N];
    int64_t shape[] = {N};
    const DLDataType type = {kDLInt, 8, 1};
    for (int i = 0; i < N; i++) in[i] = (int8_t)(i % 251 + 1);
    vta_host_interrupt(true);
    assert_int_equal(call_once(build(source, "single", true), in, out, 1, shape, type), VTA_INTERRUPTED);
    for (int i = 0; i < N; i++) assert_int_equal(out[i], 0);
    vta_host_interrupt(false);
    assert_int_equal(call_once(build(source, "single", true), in, out, 1, shape, type), VTA_OK);
    for (int i = 0; i < N; i++) assert_int_equal(out[i], (int8_t)(in[i] * 3));
}

int main(void) { return run_cases(); }
