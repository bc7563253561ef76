/* Kernels of the compiler through a server in another process: results and statistics are those of this process, byte
 * by byte and number by number. Skipped in a build without the compiler. */
#include "rpc/one_server.h"
#include "vta/runtime.h"

enum { MAX_ARGS = 4 };

/* A compiled kernel, its arguments, and what they hold: outputs as the local run leaves them. */
typedef struct kernel {
    char path[64];
    vta_module *module;
    vta_signature *signature;
    const vta_signature_arg *arg[MAX_ARGS];
    size_t count, bytes[MAX_ARGS];
    int8_t *data[MAX_ARGS];
    char *statistics;
} kernel;

static void compile(kernel *k, const char *name) {
    char command[512];
    const char *function;
    snprintf(k->path, sizeof k->path, "/tmp/vta-rpc-kernel-%d.o", (int)getpid());
    snprintf(command, sizeof command, "%s/vta build %s/examples/%s.te -o %s", VT_BINARY_DIR, VT_SOURCE_DIR, name,
             k->path);
    assert_int_equal(system(command), 0);
    must(vta_module_load(k->path, NULL, diag, &k->module));
    function = vta_module_function_names(k->module);
    must(vta_module_signature(k->module, function, NULL, diag, &k->signature));
    k->count = vta_signature_arg_count(k->signature);
    assert_in_range(k->count, 2, MAX_ARGS);
}

/* Inputs are random. */
static void fill(kernel *k) {
    uint32_t state = 12;
    for (size_t i = 0; i < k->count; i++) {
        const vta_signature_arg *a = k->arg[i] = vta_signature_get_arg(k->signature, i);
        const DLTensor shape = {.ndim = a->ndim, .dtype = a->dtype, .shape = (int64_t *)a->shape};
        must(vta_tensor_bytes(&shape, &k->bytes[i]));
        k->data[i] = calloc(1, k->bytes[i]);
        for (size_t n = 0; n < k->bytes[i] && !a->is_output; n++) {
            state = state * 1664525 + 1013904223;
            k->data[i][n] = (int8_t)(state >> 24);
        }
    }
}

static void run_here(kernel *k) {
    vta_array *arrays[MAX_ARGS];
    DLTensor *tensors[MAX_ARGS];
    vta_packed_function f;
    must(vta_runtime_reconfigure(vta_signature_config(k->signature), NULL, NULL, diag)); /* as new as a session's */
    must(vta_module_function(k->module, vta_signature_name(k->signature), diag, &f));
    for (size_t i = 0; i < k->count; i++) {
        const vta_signature_arg *a = k->arg[i];
        must(vta_array_create(a->device_type, a->ndim, a->shape, a->dtype, NULL, diag, &arrays[i]));
        must(vta_array_write(arrays[i], k->data[i], k->bytes[i], diag));
        tensors[i] = vta_array_tensor(arrays[i]);
    }
    must(vta_function_call_tensors(f, tensors, (int)k->count, diag));
    vta_counters counters = vta_runtime_counters(NULL);
    k->statistics = vta_counters_to_json(&counters);
    for (size_t i = 0; i < k->count; i++) {
        if (k->arg[i]->is_output) must(vta_array_read(arrays[i], k->data[i], k->bytes[i], diag));
        vta_array_free(arrays[i]);
    }
}

static void send(vta_rpc *rpc, const kernel *k, uint64_t *out_function) {
    static char bytes[1 << 20];
    uint64_t module;
    FILE *f = fopen(k->path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    must(vta_rpc_upload(rpc, "kernel.o", bytes, size, diag));
    must(vta_rpc_load_module(rpc, "kernel.o", diag, &module, NULL));
    must(vta_rpc_function(rpc, module, "__tvm_main__", diag, out_function, NULL));
    char *config = vta_config_to_json(vta_signature_config(k->signature));
    must(vta_rpc_configure(rpc, config, diag));
    vta_string_free(config);
}

static void check_output(vta_rpc *rpc, const kernel *k, size_t i, uint64_t array) {
    int8_t *there = malloc(k->bytes[i]);
    bool any = false;
    must(vta_rpc_read(rpc, array, 0, there, k->bytes[i], diag));
    assert_memory_equal(there, k->data[i], k->bytes[i]);
    for (size_t n = 0; n < k->bytes[i]; n++) any |= there[n] != 0;
    assert_true(any);
    free(there);
}

static void run_there(const kernel *k) {
    vta_rpc *rpc;
    uint64_t function, arrays[MAX_ARGS];
    TVMValue args[MAX_ARGS];
    int codes[MAX_ARGS];
    char *statistics;
    must(vta_rpc_connect("127.0.0.1", here.port, NULL, NULL, diag, &rpc));
    send(rpc, k, &function);
    for (size_t i = 0; i < k->count; i++) {
        const vta_signature_arg *a = k->arg[i];
        must(vta_rpc_array(rpc, a->device_type, a->ndim, a->shape, a->dtype, diag, &arrays[i]));
        if (!a->is_output) must(vta_rpc_write(rpc, arrays[i], 0, k->data[i], k->bytes[i], diag));
        args[i].v_int64 = (int64_t)arrays[i];
        codes[i] = VTA_ARG_TENSOR;
    }
    must(vta_rpc_call(rpc, function, args, codes, (int)k->count, diag, NULL, NULL));
    must(vta_rpc_statistics(rpc, diag, &statistics));
    assert_string_equal(statistics, k->statistics);
    for (size_t i = 0; i < k->count; i++)
        if (k->arg[i]->is_output) check_output(rpc, k, i, arrays[i]);
    vta_string_free(statistics);
    vta_rpc_close(rpc);
}

static void here_and_there(const char *name) {
    kernel k = {.count = 0};
    compile(&k, name);
    fill(&k);
    run_here(&k);
    run_there(&k);
    for (size_t i = 0; i < k.count; i++) free(k.data[i]);
    vta_string_free(k.statistics);
    vta_signature_destroy(k.signature);
    vta_module_destroy(k.module);
    unlink(k.path);
}

static void vector_add(void **state) {
    (void)state;
    here_and_there("vector_add");
}

static void matrix_multiply(void **state) {
    (void)state;
    here_and_there("matmul");
}

static void convolution(void **state) {
    (void)state;
    here_and_there("conv2d");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(vector_add), cmocka_unit_test(matrix_multiply),
                                       cmocka_unit_test(convolution)};
    if (system(VT_BINARY_DIR "/vta build --help >/dev/null 2>&1")) return 77;
    return cmocka_run_group_tests(tests, begin, end);
}
