/* TVM's small C API: a program as one deploys with it, what is refused, memory that runs out. */
#include <unistd.h>

#include "support/check.h"
#include "support/failing.h"
#include "vta/tvm.h"

static const char kernels[] = "#include <stdint.h>\n"
                              "typedef union { int64_t i; double f; void *p; } V;\n"
                              "typedef struct { void *data; } T;\n"
                              "extern void TVMAPISetLastError(const char *);\n"
                              "extern void *VTABufferAlloc(uint64_t);\n"
                              "int scale(V *a, int *c, int n, V *r, int *rc, void *res) {\n"
                              "    if (n != 3) { TVMAPISetLastError(\"scale takes 3 arguments\"); return -1; }\n"
                              "    int32_t *x = ((T *)a[0].p)->data, *y = ((T *)a[1].p)->data;\n"
                              "    for (int i = 0; i < 6; i++) y[i] = x[i] * (int32_t)a[2].i;\n"
                              "    r->i = 6; *rc = 0; return 0; }\n"
                              "int too_much(V *a, int *c, int n, V *r, int *rc, void *res) {\n"
                              "    VTABufferAlloc(UINT64_MAX); return 0; }\n";

static char folder[64], path[96];

static void make_module(void) {
    char line[256], source[96];
    strcpy(folder, "/tmp/vta_tvm_XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(source, sizeof source, "%s/k.c", folder);
    snprintf(path, sizeof path, "%s/k.so", folder);
    FILE *f = fopen(source, "w");
    fputs(kernels, f);
    fclose(f);
    snprintf(line, sizeof line, "cc -w -O1 -fPIC -shared %s -o %s", source, path);
    assert_int_equal(system(line), 0);
}

static void remove_module(void) {
    char line[128];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    assert_int_equal(system(line), 0);
}

static void refused(int code, const char *words) {
    assert_int_equal(code, -1);
    if (!strstr(TVMGetLastError(), words)) fail_msg("\"%s\" does not say \"%s\"", TVMGetLastError(), words);
}

static TVMArrayHandle ints(int64_t rows, int64_t columns) {
    TVMArrayHandle out;
    int64_t shape[] = {rows, columns};
    assert_int_equal(TVMArrayAlloc(shape, 2, kDLInt, 32, 1, kDLCPU, 0, &out), 0);
    assert_true(out->ndim == 2 && out->shape[0] == rows && out->shape[1] == columns && out->dtype.bits == 32);
    return out;
}

TEST_CASE(a_program) {
    make_module();
    TVMModuleHandle module;
    TVMFunctionHandle scale;
    assert_int_equal(TVMModLoadFromFile(path, "so", &module), 0);
    assert_int_equal(TVMModGetFunction(module, "scale", 0, &scale), 0);
    assert_non_null(scale);
    TVMArrayHandle x = ints(2, 3), y = ints(2, 3), z = ints(3, 2);
    int32_t in[6] = {1, -2, 3, 4, 5, 6}, out[6] = {0};
    assert_int_equal(TVMArrayCopyFromBytes(x, in, sizeof in), 0);
    TVMValue args[] = {{.v_handle = x}, {.v_handle = y}, {.v_int64 = 7}}, result;
    int codes[] = {VTA_ARG_TENSOR, VTA_ARG_TENSOR, VTA_ARG_INT}, code;
    assert_int_equal(TVMFuncCall(scale, args, codes, 3, &result, &code), 0);
    assert_true(result.v_int64 == 6 && code == VTA_ARG_INT);
    assert_int_equal(TVMFuncCall(scale, args, codes, 3, NULL, NULL), 0);
    assert_int_equal(TVMArrayCopyToBytes(y, out, sizeof out), 0);
    for (int i = 0; i < 6; i++) assert_int_equal(out[i], 7 * in[i]);
    assert_int_equal(TVMArrayCopyFromTo(y, x, NULL), 0);
    assert_memory_equal(x->data, out, sizeof out);
    assert_int_equal(TVMSynchronize(kDLCPU, 0, NULL), 0);
    refused(TVMFuncCall(scale, args, codes, 2, &result, &code), "scale takes 3 arguments");
    refused(TVMArrayCopyFromBytes(x, in, 5), "5 bytes, but the array has 24");
    refused(TVMArrayCopyToBytes(NULL, in, 24), "the array or the host's memory is NULL");
    refused(TVMArrayCopyFromTo(x, z, NULL), "");
    assert_int_equal(TVMArrayFree(x) | TVMArrayFree(y) | TVMArrayFree(z) | TVMArrayFree(NULL), 0);
    assert_int_equal(TVMFuncFree(scale), 0);
    refused(TVMFuncCall(scale, args, codes, 3, &result, &code), "not a function's, or the function was removed");
    assert_int_equal(TVMModFree(module), 0);
    remove_module();
}

/* What the runtime reports during a call is its error; an absent function is no error, as in TVM. */
TEST_CASE(what_a_module_does_not_do) {
    make_module();
    TVMModuleHandle module;
    TVMFunctionHandle f;
    assert_int_equal(TVMModLoadFromFile(path, NULL, &module), 0);
    assert_int_equal(TVMModGetFunction(module, "too_much", 1, &f), 0);
    refused(TVMFuncCall(f, NULL, NULL, 0, NULL, NULL), "18446744073709551615");
    assert_int_equal(TVMFuncFree(f), 0);
    assert_int_equal(TVMModGetFunction(module, "nothing", 0, &f), 0);
    assert_null(f);
    assert_non_null(strstr(TVMGetLastError(), "has no function 'nothing'; it has: scale, too_much"));
    refused(TVMModGetFunction(NULL, "scale", 0, &f), "module or name is NULL");
    refused(TVMModGetFunction(module, "scale", 0, NULL), "out is NULL");
    assert_int_equal(TVMModFree(module) | TVMModFree(NULL) | TVMFuncFree(NULL), 0);
    refused(TVMModLoadFromFile("/nowhere/k.so", "so", &module), "/nowhere/k.so");
    assert_null(module);
    refused(TVMModLoadFromFile(path, "so", NULL), "out is NULL");
    remove_module();
}

static int nine(TVMValue *args, int *codes, int count, TVMValue *value, int *code, void *resource) {
    (void)args, (void)codes, (void)count, (void)resource;
    value->v_int64 = 9;
    *code = VTA_ARG_INT;
    return 0;
}

TEST_CASE(functions_by_name) {
    TVMFunctionHandle f;
    TVMValue result;
    int code;
    assert_int_equal(TVMFuncGetGlobal("test.nine", &f), 0);
    assert_null(f);
    assert_int_equal(vta_function_register("test.nine", nine, NULL), VTA_OK);
    assert_int_equal(TVMFuncGetGlobal("test.nine", &f), 0);
    assert_int_equal(TVMFuncFree(f), 0); /* the process's: it stays */
    assert_int_equal(TVMFuncCall(f, NULL, NULL, 0, &result, &code), 0);
    assert_int_equal(result.v_int64, 9);
    refused(TVMFuncGetGlobal(NULL, &f), "func_name or out is NULL");
    assert_int_equal(vta_function_register("test.nine", NULL, NULL), VTA_OK);
}

TEST_CASE(arrays_that_there_are_not) {
    int64_t shape[] = {4, -1};
    static const struct {
        int ndim, code, bits, lanes, type, id;
        const char *words;
    } rows[] = {{1, kDLInt, 32, 1, kDLCPU, 1, "device_id is 1, must be 0"},
                {1, kDLInt, 32, 1, 2, 0, "device type 2; arrays live on 1 (cpu) and 12 (ext_dev)"},
                {1, kDLInt, 300, 1, kDLCPU, 0, "300 bits, 1 lanes: there is no such data type"},
                {1, -1, 32, 1, kDLCPU, 0, "code -1, 32 bits"},
                {1, kDLInt, 32, 65536, kDLCPU, 0, "65536 lanes"},
                {2, kDLInt, 32, 1, kDLCPU, 0, "dimension 1 has extent -1"}};
    TVMArrayHandle out;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        refused(TVMArrayAlloc(shape, rows[i].ndim, rows[i].code, rows[i].bits, rows[i].lanes, rows[i].type, rows[i].id,
                              &out),
                rows[i].words);
        assert_null(out);
    }
    refused(TVMArrayAlloc(shape, 1, kDLInt, 32, 1, kDLCPU, 0, NULL), "out is NULL");
    TVMArrayHandle x;
    assert_int_equal(TVMArrayAlloc(shape, 1, kDLInt, 8, 1, kDLExtDev, 0, &x), 0);
    int8_t in[4] = {1, 2, 3, 4}, back[4];
    assert_int_equal(TVMArrayCopyFromBytes(x, in, 4) | TVMArrayCopyToBytes(x, back, 4) | TVMArrayFree(x), 0);
    assert_memory_equal(in, back, 4);
}

int main(void) { return run_cases(); }
