/* A compiled network through a server: the same values as here, and what is refused. */
#include "exec/small.h"
#include "rpc/one_server.h"
#include "support/tool.h"
#include "vta/support.h"

static vta_rpc *connect_here(void) {
    vta_rpc *rpc;
    size_t size;
    must(vta_rpc_connect("127.0.0.1", here.port, NULL, NULL, diag, &rpc));
    uint8_t *bytes = small_artifact(&size);
    must(vta_rpc_upload(rpc, "small.vta-model", bytes, size, diag));
    must(vta_rpc_upload(rpc, "cut", bytes, size - 1, diag));
    vta_string_free(bytes);
    return rpc;
}

static uint64_t array(vta_rpc *rpc, int32_t device, DLDataType type, int32_t ndim, const int64_t *shape) {
    uint64_t a;
    must(vta_rpc_array(rpc, device, ndim, shape, type, diag, &a));
    return a;
}

TEST_CASE(runs) {
    vta_rpc *rpc = connect_here();
    uint64_t model, arrays[2];
    char *text, *counters;
    int8_t values[ELEMENTS];
    double seconds;
    must(vta_rpc_load_model(rpc, "small.vta-model", diag, &model, &text));
    assert_string_equal(text, "{\"name\": \"small\", \"driver\": \"sim\", \"inputs\": [{\"name\": \"x\", \"type\": "
                              "\"int8\", \"shape\": [1, 16, 2, 2], \"bytes\": 64}], \"outputs\": [{\"name\": \"y\", "
                              "\"type\": \"int8\", \"shape\": [1, 16, 2, 2], \"bytes\": 64}]}");
    vta_string_free(text);
    for (int i = 0; i < 2; i++) arrays[i] = array(rpc, kDLCPU, small_int8, 4, small_flat);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < ELEMENTS; i++) values[i] = (int8_t)(i * 3 + round);
        must(vta_rpc_write(rpc, arrays[0], 0, values, sizeof values, diag));
        must(vta_rpc_run_model(rpc, model, arrays, 2, diag, &seconds, &counters));
        assert_true(seconds > 0);
        assert_non_null(strstr(counters, "\"insn_finish\": 1"));
        vta_string_free(counters);
        must(vta_rpc_read(rpc, arrays[1], 0, values, sizeof values, diag));
        for (int i = 0; i < ELEMENTS; i++) assert_int_equal(values[i], (int8_t)(i * 3 + round + 8));
    }
    must(vta_rpc_profile_model(rpc, model, diag, &text));
    assert_non_null(strstr(text, "\"name\": \"add 5\""));
    vta_string_free(text);
    must(vta_rpc_free(rpc, model, diag));
    refused(vta_rpc_run_model(rpc, model, arrays, 2, diag, NULL, NULL), VTA_NOT_FOUND, "should be a network");
    vta_rpc_close(rpc);
}

TEST_CASE(refuses) {
    vta_rpc *rpc = connect_here();
    uint64_t model, bad, arrays[2] = {0};
    refused(vta_rpc_load_model(rpc, "none", diag, &bad, NULL), VTA_NOT_FOUND, "none");
    refused(vta_rpc_load_model(rpc, "../small.vta-model", diag, &bad, NULL), VTA_INVALID_ARGUMENT,
            "not a valid file name");
    refused(vta_rpc_load_model(rpc, "cut", diag, &bad, NULL), VTA_PARSE, "cut");
    refused(vta_rpc_load_module(rpc, "small.vta-model", diag, &bad, NULL), VTA_PARSE, "small.vta-model");
    must(vta_rpc_load_model(rpc, "small.vta-model", diag, &model, NULL));
    refused(vta_rpc_run_model(rpc, model, NULL, 0, diag, NULL, NULL), VTA_MISMATCH,
            "small has 1 inputs and 1 outputs: an array for each, not 0");
    refused(vta_rpc_run_model(rpc, model, arrays, 2, diag, NULL, NULL), VTA_NOT_FOUND, "should be an array");
    arrays[0] = arrays[1] = array(rpc, kDLCPU, small_int8, 1, (int64_t[]){ELEMENTS - 1});
    refused(vta_rpc_run_model(rpc, model, arrays, 2, diag, NULL, NULL), VTA_MISMATCH, "64");
    arrays[0] = array(rpc, kDLExtDev, small_int8, 4, small_flat);
    refused(vta_rpc_run_model(rpc, model, arrays, 2, diag, NULL, NULL), VTA_UNSUPPORTED, "is an array on the cpu");
    uint64_t many[300] = {0};
    refused(vta_rpc_run_model(rpc, model, many, 300, diag, NULL, NULL), VTA_INVALID_ARGUMENT, "300 arrays");
    vta_rpc_close(rpc);
}

/* ---- The tool ---------------------------------------------------------------------------------------------------- */

static int vta(const char *folder, const char *args) {
    char command[1024];
    snprintf(command, sizeof command, "cd %s && %s/vta rpc run :%u %s 2>&1", folder, VT_BINARY_DIR, here.port, args);
    return shell(command);
}

static void says(const char *folder, const char *args, int code, const char *words) {
    int got = vta(folder, args);
    if (got != code || !strstr(output, words)) fail_msg("vta rpc run %s: exit code %d\n%s", args, got, output);
}

TEST_CASE(from_the_tool) {
    char folder[] = "/tmp/vta-rpc-model-XXXXXX", path[128];
    size_t size;
    vta_array *x, *y;
    assert_non_null(mkdtemp(folder));
    uint8_t *bytes = small_artifact(&size);
    snprintf(path, sizeof path, "%s/small.vta-model", folder);
    must(vta_file_write(path, bytes, size, diag));
    vta_string_free(bytes);
    must(vta_array_create(kDLCPU, 4, small_flat, small_int8, NULL, diag, &x));
    for (int i = 0; i < ELEMENTS; i++) ((int8_t *)vta_array_tensor(x)->data)[i] = (int8_t)(i * 3);
    snprintf(path, sizeof path, "%s/x.npy", folder);
    must(vta_tensor_save_npy(vta_array_tensor(x), path, diag));
    vta_array_free(x);
    says(folder, "small.vta-model --input x.npy --output y=y.npy --repeat 3", 0,
         "y: int8[1, 16, 2, 2]; largest 125 at 39");
    snprintf(path, sizeof path, "%s/y.npy", folder);
    must(vta_array_load_npy(path, NULL, diag, &y));
    for (int i = 0; i < ELEMENTS; i++) assert_int_equal(((int8_t *)vta_array_tensor(y)->data)[i], (int8_t)(i * 3 + 8));
    vta_array_free(y);
    says(folder, "small.vta-model --input x=x.npy --json", 0, "\"insn_finish\": 1");
    says(folder, "small.vta-model", 1,
         "input x of small.vta-model is not given: --input x=FILE.npy, int8[1, 16, 2, 2]");
    says(folder, "small.vta-model --input z=x.npy", 1, "has no input 'z'");
    says(folder, "small.vta-model --input x.npy --output w=y.npy", 1, "has no output 'w'");
    says(folder, "small.vta-model --input x.npy --number 3", 2, "--input, --output, --carry and --repeat only");
    says(folder, "x.npy --input x.npy", 2, "are for networks, and x.npy is not one");
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
}

int main(void) { return run_cases_between(begin, end); }
