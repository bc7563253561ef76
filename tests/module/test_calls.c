/* Calls, functions by name, modules and scratch memory: results, what is said of what fails, and when it is not
 * said again. */
#include "support/diag.h"
#include "vta/module.h"
#include "vta/runtime.h"

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static int calls, wanted_result, seen_count;
static const char *wanted_error;
static const void *seen[40];

static int listen(TVMValue *args, int *codes, int count, TVMValue *value, int *code, void *resource) {
    (void)resource;
    calls++;
    seen_count = count;
    for (int i = 0; i < count && i < 40; i++) seen[i] = codes[i] == VTA_ARG_TENSOR ? args[i].v_handle : NULL;
    value->v_int64 = 5;
    *code = VTA_ARG_INT;
    if (wanted_error) TVMAPISetLastError(wanted_error);
    return wanted_result;
}

static int report(TVMValue *args, int *codes, int count, TVMValue *value, int *code, void *resource) {
    (void)args, (void)codes, (void)count, (void)value, (void)code, (void)resource;
    VTABufferAlloc(SIZE_MAX); /* the runtime says why it cannot */
    return 0;
}

static void results_of_calls(void **state) {
    (void)state;
    TVMValue value = {.v_int64 = 77};
    int code = 77;
    wanted_result = 0, wanted_error = "what a call before it said";
    must(vta_function_call(listen, NULL, NULL, 0, diag, &value, &code));
    assert_true(value.v_int64 == 5 && code == VTA_ARG_INT);
    wanted_result = 3, wanted_error = NULL;
    says_error(vta_function_call(listen, NULL, NULL, 0, diag, &value, &code), VTA_ILLEGAL,
               "the function failed and gave no reason");
    assert_true(value.v_int64 == 0 && code == VTA_ARG_NULL);
    wanted_error = "why";
    says_error(vta_function_call(listen, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL, "why");
    value.v_int64 = code = 77;
    says_error(vta_function_call(NULL, NULL, NULL, 0, diag, &value, &code), VTA_INVALID_ARGUMENT,
               "vta_function_call: function is NULL");
    assert_true(value.v_int64 == 0 && code == VTA_ARG_NULL);
    says_error(vta_function_call(listen, NULL, NULL, -1, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
               "vta_function_call: -1 arguments, but args or type_codes is NULL");
    says_error(vta_function_call(listen, &value, NULL, 1, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
               "vta_function_call: 1 arguments, but args or type_codes is NULL");
    says_error(vta_function_call(listen, NULL, &code, 1, diag, NULL, NULL), VTA_INVALID_ARGUMENT,
               "vta_function_call: 1 arguments, but args or type_codes is NULL");
    wanted_result = 0, wanted_error = NULL;
}

/* What the runtime has said of one call is not said again of the next one, with or without something in between. */
static void reports_of_calls(void **state) {
    (void)state;
    assert_int_equal(vta_function_call(report, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL);
    assert_int_equal(vta_diag_count(diag), 1);
    char *first = strdup(vta_diag_text(diag));
    vta_diag_clear(diag);
    must(vta_function_call(listen, NULL, NULL, 0, diag, NULL, NULL));
    assert_int_equal(vta_function_call(report, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL);
    assert_string_equal(vta_diag_text(diag), first);
    vta_diag_clear(diag);
    wanted_result = 1, wanted_error = "mine alone";
    says_error(vta_function_call(listen, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL, "mine alone");
    wanted_result = 0, wanted_error = NULL;
    free(first);
    vta_clear_error(NULL);
}

/* Tensors as arguments: few of them, and more than stand on the stack. */
static void tensors_of_calls(void **state) {
    (void)state;
    DLTensor tensors[40], *all[40];
    for (int i = 0; i < 40; i++) all[i] = &tensors[i];
    for (int count = 0; count <= 40; count += 8) {
        for (int more = -1; more <= 1; more++) {
            int n = count + more;
            if (n < 0 || n > 40) continue;
            memset(seen, 0, sizeof seen);
            must(vta_function_call_tensors(listen, all, n, diag));
            assert_int_equal(seen_count, n);
            for (int i = 0; i < 40; i++) assert_ptr_equal(seen[i], i < n ? all[i] : NULL);
        }
    }
    assert_int_equal(vta_function_call_tensors(listen, NULL, 1, diag), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "vta_function_call_tensors: 1 tensors at ");
    vta_diag_clear(diag);
    assert_int_equal(vta_function_call_tensors(listen, all, -1, diag), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
    must(vta_function_call_tensors(listen, NULL, 0, diag));
}

/* One call that does not count, then rounds of so many. */
static void rounds(void **state) {
    (void)state;
    DLTensor tensor, *all = &tensor;
    double seconds[4] = {-1, -1, -1, -1};
    calls = 0;
    must(vta_function_time(listen, &all, 1, 7, 3, 0, diag, seconds));
    assert_int_equal(calls, 1 + 3 * 7);
    assert_ptr_equal(seen[0], all);
    assert_true(seconds[0] >= 0 && seconds[1] >= 0 && seconds[2] >= 0 && seconds[3] == -1);
    static const char missing[] = "vta_function_time: function, number, repeat, tensors or out_seconds is missing";
    says_error(vta_function_time(NULL, &all, 1, 1, 1, 0, diag, seconds), VTA_INVALID_ARGUMENT, missing);
    says_error(vta_function_time(listen, &all, 1, 0, 1, 0, diag, seconds), VTA_INVALID_ARGUMENT, missing);
    says_error(vta_function_time(listen, &all, 1, 1, 0, 0, diag, seconds), VTA_INVALID_ARGUMENT, missing);
    says_error(vta_function_time(listen, &all, 1, 1, 1, 0, diag, NULL), VTA_INVALID_ARGUMENT, missing);
    says_error(vta_function_time(listen, &all, -1, 1, 1, 0, diag, seconds), VTA_INVALID_ARGUMENT, missing);
    says_error(vta_function_time(listen, NULL, 1, 1, 1, 0, diag, seconds), VTA_INVALID_ARGUMENT, missing);
    must(vta_function_time(listen, NULL, 0, 1, 1, 0, diag, seconds));
    calls = 0, wanted_result = 1, wanted_error = "no";
    says_error(vta_function_time(listen, &all, 1, 7, 3, 0, diag, seconds), VTA_ILLEGAL, "no");
    assert_int_equal(calls, 1);
    wanted_result = 0, wanted_error = NULL;
}

/* ---- Functions by name ------------------------------------------------------------------------------------------- */

static void names(void **state) {
    (void)state;
    TVMFunctionHandle one = NULL, other = NULL;
    TVMValue value = {.v_int64 = 0};
    int code = 0;
    must(vta_function_register("words.one", listen, diag));
    must(vta_function_register("words.other", report, diag));
    assert_int_equal(TVMBackendGetFuncFromEnv(NULL, "words.one", &one), 0);
    assert_int_equal(TVMBackendGetFuncFromEnv(NULL, "words.other", &other), 0);
    assert_ptr_not_equal(one, other);
    calls = 0;
    assert_int_equal(TVMFuncCall(one, NULL, NULL, 0, &value, &code), 0);
    assert_true(calls == 1 && value.v_int64 == 5);
    assert_int_equal(TVMFuncCall(one, NULL, NULL, 0, NULL, NULL), 0); /* who wants no result */
    must(vta_function_register("words.one", NULL, diag));
    assert_int_equal(TVMFuncCall(one, NULL, NULL, 0, &value, &code), -1);
    assert_string_equal(TVMGetLastError(), "TVMFuncCall: the handle is not a function's, or the function was removed");
    other = &value;
    assert_int_equal(TVMBackendGetFuncFromEnv(NULL, "words.one", &other), -1);
    assert_null(other);
    assert_string_equal(TVMGetLastError(), "no function 'words.one' is registered (vta_function_register)");
    must(vta_function_register("words.one", listen, diag)); /* and the old handle is good again */
    assert_int_equal(TVMFuncCall(one, NULL, NULL, 0, &value, &code), 0);
    must(vta_function_register("words.never", NULL, diag));
    assert_int_equal(TVMBackendGetFuncFromEnv(NULL, NULL, &one), -1);
    assert_string_equal(TVMGetLastError(), "TVMBackendGetFuncFromEnv: func_name or out is NULL");
    assert_int_equal(TVMBackendGetFuncFromEnv(NULL, "x", NULL), -1);
    says_error(vta_function_register("", listen, diag), VTA_INVALID_ARGUMENT,
               "vta_function_register: the name is empty");
    says_error(vta_function_register(NULL, listen, diag), VTA_INVALID_ARGUMENT,
               "vta_function_register: the name is empty");
    TVMAPISetLastError(NULL);
    assert_string_equal(TVMGetLastError(), "");
}

static void *nothing(void *ctx, const char *name) {
    (void)ctx, (void)name;
    return NULL;
}

static void modules(void **state) {
    (void)state;
    vta_module *m = (vta_module *)&diag;
    vta_packed_function f = listen;
    says_error(vta_module_load(NULL, NULL, diag, &m), VTA_INVALID_ARGUMENT, "vta_module_load: path is NULL");
    assert_null(m);
    says_error(vta_module_load("x", NULL, diag, NULL), VTA_INVALID_ARGUMENT, "vta_module_load: out_module is NULL");
    m = (vta_module *)&diag;
    says_error(vta_module_wrap("x", NULL, NULL, NULL, NULL, diag, &m), VTA_INVALID_ARGUMENT,
               "vta_module_wrap: name or lookup is NULL");
    assert_null(m);
    says_error(vta_module_wrap(NULL, nothing, NULL, NULL, NULL, diag, &m), VTA_INVALID_ARGUMENT,
               "vta_module_wrap: name or lookup is NULL");
    says_error(vta_module_wrap("x", nothing, NULL, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT,
               "vta_module_wrap: out_module is NULL");
    must(vta_module_wrap("wrapped", nothing, NULL, NULL, NULL, diag, &m));
    says_error(vta_module_function(m, "f", diag, &f), VTA_NOT_FOUND, "wrapped has no function 'f'");
    assert_null(f);
    f = listen;
    says_error(vta_module_function(m, NULL, diag, &f), VTA_INVALID_ARGUMENT,
               "vta_module_function: module or name is NULL");
    assert_null(f);
    says_error(vta_module_function(NULL, "f", diag, &f), VTA_INVALID_ARGUMENT,
               "vta_module_function: module or name is NULL");
    says_error(vta_module_function(m, "f", diag, NULL), VTA_INVALID_ARGUMENT,
               "vta_module_function: out_function is NULL");
    says_error(vta_module_function(m, "__tvm_main__", diag, &f), VTA_NOT_FOUND,
               "wrapped does not say which function stands for it (no symbol __tvm_main__); it has: none");
    assert_string_equal(vta_module_function_names(m), "");
    assert_string_equal(vta_module_function_names(NULL), "");
    vta_module_destroy(m);
    vta_module_destroy(NULL);
}

/* ---- Scratch memory ---------------------------------------------------------------------------------------------- */

static void scratch(void **state) {
    (void)state;
    for (uint64_t size = 0; size < 300; size += 13) {
        uint8_t *p = TVMBackendAllocWorkspace(kDLCPU, 0, size, 0, 8),
                *q = TVMBackendAllocWorkspace(kDLCPU, 0, 64, 0, 8);
        assert_true(p && q && (uintptr_t)p % 64 == 0 && (uintptr_t)q % 64 == 0);
        memset(p, 1, size);
        memset(q, 2, 64);
        for (uint64_t i = 0; i < size; i++) assert_int_equal(p[i], 1);
        assert_int_equal(TVMBackendFreeWorkspace(kDLCPU, 0, p), 0);
        assert_int_equal(TVMBackendFreeWorkspace(kDLCPU, 0, q), 0);
    }
    assert_int_equal(TVMBackendFreeWorkspace(kDLCPU, 0, NULL), 0);
    assert_int_equal(TVMBackendFreeWorkspace(kDLExtDev, 0, NULL), 0);
    assert_null(TVMBackendAllocWorkspace(kDLCPU, 0, UINT64_MAX - 79, 0, 8)); /* with its header it would be 0 bytes */
    assert_string_equal(TVMGetLastError(), "TVMBackendAllocWorkspace: out of memory");
    assert_null(TVMBackendAllocWorkspace(kDLCUDA, 0, 8, 0, 8));
    assert_string_equal(TVMGetLastError(),
                        "TVMBackendAllocWorkspace: scratch memory is on the CPU and on the accelerator only");
    assert_int_equal(TVMBackendParallelLaunch(NULL, NULL, 1), -1);
    assert_string_equal(TVMGetLastError(), "TVMBackendParallelLaunch: flambda is NULL or num_task is negative");
    assert_int_equal(TVMBackendParallelBarrier(0, NULL), -1);
    assert_string_equal(TVMGetLastError(), "TVMBackendParallelBarrier: the launch has more tasks than threads, which "
                                           "cannot wait for each other");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(results_of_calls, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(reports_of_calls, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(tensors_of_calls, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(rounds, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(names, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(modules, diag_begin, diag_end),
                                       cmocka_unit_test_setup_teardown(scratch, diag_begin, diag_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
