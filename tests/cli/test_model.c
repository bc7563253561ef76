/* `vta run` and `vta profile` on a compiled network. */
#include <unistd.h>

#include "exec/small.h"
#include "support/tool.h"
#include "vta/module.h"
#include "vta/support.h"

static char folder[] = "/tmp/vta_cli_model_XXXXXX";

static int vta(const char *args) { return vta_in(folder, args); }

#define RUNS(args, code)                                                                                               \
    do {                                                                                                               \
        int got = vta(args);                                                                                           \
        if (got != (code)) fail_msg("vta %s: exit code %d\n%s", args, got, output);                                    \
    } while (0)

static const char *at(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void save(const char *name, DLDataType type, int32_t ndim, const int64_t *shape) {
    vta_array *array;
    assert_int_equal(vta_array_create(kDLCPU, ndim, shape, type, NULL, NULL, &array), VTA_OK);
    uint8_t *data = vta_array_tensor(array)->data;
    for (size_t i = 0; i < vta_array_bytes(array); i++) data[i] = (uint8_t)(i * 3);
    assert_int_equal(vta_tensor_save_npy(vta_array_tensor(array), at(name), NULL), VTA_OK);
    vta_array_free(array);
}

static int setup(void **state) {
    (void)state;
    size_t size;
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    uint8_t *bytes = small_artifact(&size);
    vta_status status = vta_file_write(at("small.vta-model"), bytes, size, NULL);
    bytes[size / 2] ^= 1;
    if (status == VTA_OK) status = vta_file_write(at("bad.vta-model"), bytes, size, NULL);
    vta_string_free(bytes);
    save("x.npy", small_int8, 4, small_flat);
    save("three.npy", small_int8, 4, (const int64_t[]){3, 16, 2, 2});
    save("flat.npy", small_int8, 1, small_bytes);
    save("u8.npy", small_uint8, 4, small_flat);
    return status;
}

static int teardown(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void check_result(const char *name) {
    vta_array *y;
    assert_int_equal(vta_array_load_npy(at(name), NULL, NULL, &y), VTA_OK);
    assert_int_equal(vta_array_bytes(y), ELEMENTS);
    assert_int_equal(vta_array_tensor(y)->ndim, 4);
    for (int i = 0; i < ELEMENTS; i++) assert_int_equal(((int8_t *)vta_array_tensor(y)->data)[i], (int8_t)(i * 3 + 8));
    vta_array_free(y);
}

TEST_CASE(runs) {
    RUNS("run small.vta-model --input x.npy --output y.npy", 0);
    check_result("y.npy");
    assert_contains(output, "y: int8[1, 16, 2, 2]; largest 125 at 39");
    RUNS("run small.vta-model --input x=x.npy -o y=z.npy --driver tsim --check --repeat 3 --json", 0);
    check_result("z.npy");
    assert_contains(output, "\"driver\": \"tsim\"");
    assert_contains(output, "\"index\": 39");
    assert_contains(output, "\"insn_finish\": 1");
    assert_contains(output, "\"races\": []");
}

TEST_CASE(refuses) {
    RUNS("run small.vta-model", 1);
    assert_contains(output, "input x of small.vta-model is not given: --input x=FILE.npy, int8[1, 16, 2, 2]");
    RUNS("run small.vta-model --input z=x.npy", 1);
    assert_contains(output, "has no input 'z'");
    RUNS("run small.vta-model --input flat.npy", 1);
    assert_contains(output, "flat.npy is int8[64]; input x of small.vta-model is int8[1, 16, 2, 2]");
    RUNS("run small.vta-model --input u8.npy", 1);
    assert_contains(output, "u8.npy is uint8[1, 16, 2, 2]");
    RUNS("run small.vta-model --input x.npy --output w=y.npy", 1);
    assert_contains(output, "has no output 'w'");
    RUNS("run bad.vta-model --input x.npy", 1);
    assert_contains(output, "the checksum does not match");
    RUNS("run small.vta-model --input none.npy", 1);
    RUNS("run small.vta-model --input x.npy --set LOG_BATCH=1", 2);
    assert_contains(output, "--set");
}

/* What streams compute: tests/python/test_streams.py. */
TEST_CASE(refuses_streams) {
    RUNS("run small.vta-model --carry x=y --output y.npy", 0); /* from zeros, once */
    assert_contains(output, "y: int8[1, 16, 2, 2]; largest 8 at 0");
    RUNS("run small.vta-model --carry x=y --input x.npy --output y.npy", 0);
    check_result("y.npy");
    RUNS("run small.vta-model --carry x", 1);
    assert_contains(output, "--carry x: expected INPUT=OUTPUT");
    RUNS("run small.vta-model --carry z=y", 1);
    assert_contains(output, "--carry z=y: small.vta-model has no input 'z'");
    RUNS("run small.vta-model --carry x=z", 1);
    assert_contains(output, "--carry x=z: small.vta-model has no output 'z'");
    RUNS("run small.vta-model --carry x=y --input u8.npy", 1);
    assert_contains(output, "u8.npy is uint8[1, 16, 2, 2]");
    RUNS("run small.vta-model --carry x=y --input three.npy", 1);
    assert_contains(output, "three.npy: 3 values of x, which is carried: expected the first");
    RUNS("run small.vta-model --carry x=y --input x.npy --input x=x.npy", 1);
    assert_contains(output, "x is given twice");
    RUNS("run small.vta-model --carry x=y --output w=y.npy", 1);
    assert_contains(output, "has no output 'w'");
    RUNS("run small.vta-model --carry x=y --repeat 2", 2);
    assert_contains(output, "--carry and --repeat: expected one of them");
}

TEST_CASE(profiles) {
    RUNS("profile small.vta-model", 0);
    assert_contains(output, "\nrun 1, 2 layers                run ");
    assert_contains(output, "\n  add 3  ");
    assert_contains(output, "add 5");
    assert_contains(output, "device memory 24576 bytes");
    RUNS("profile small.vta-model --json", 0);
    assert_contains(output, "\"name\": \"add 5\"");
    assert_contains(output, "\"bound\":");
    RUNS("profile small.vta-model --html page.html --trace trace.json", 0);
    size_t size;
    char *page = check_read_file(at("page.html"), &size);
    assert_contains(page, "add 5");
    free(page);
}

int main(void) { return run_cases_between(setup, teardown); }
