/* What an operator runs is recorded without code of it: the same instructions and micro-ops, at the same addresses, and
 * the same memory filled, as from its code. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "support/check.h"

#include "operators/recording.h"
#include "vta/build.h"
#include "vta/module.h"
#include "vta/runtime.h"

static const struct {
    const char *name, *attributes, *config;
} cases[] = {
    {"conv2d", "height=14 width=14 in_channels=32 out_channels=48 kernel=3 pad=1 epilogue=shift,relu,clip", ""},
    {"conv2d", "height=7 width=7 in_channels=64 out_channels=64 kernel=3 stride=2 pad=1 epilogue=bias,shift,residual",
     ""},
    /* written out, with loops left in its micro-kernels */
    {"conv2d", "height=14 width=14 in_channels=256 out_channels=512 kernel=1 stride=2 epilogue=shift,relu,clip", ""},
    /* constants that the kernel fills itself: a row of ones, the identity */
    {"conv2d", "height=8 width=8 in_channels=32 out_channels=32 kernel=1 epilogue=bias_int8,shift,residual_int8:3", ""},
    {"conv2d", "height=9 width=9 in_channels=32 out_channels=32 groups=32 kernel=3 pad=1", ""},
    {"conv2d", "height=12 width=12 in_channels=16 out_channels=16 kernel=3 pad=1 pool=3 pool_stride=2 pool_pad=1", ""},
    {"conv2d_transpose", "height=4 width=4 in_channels=32 out_channels=32 kernel=4 stride=2 pad=1", ""},
    {"dense", "batch=4 in_features=64 out_features=96 epilogue=bias,shift", "LOG_BATCH=2 LOG_BLOCK=3"},
    {"batch_matmul", "batch=2 rows=3 in_features=48 out_features=64", ""},
    {"max_pool2d", "channels=32 height=8 width=8 kernel=3 stride=2 pad=1", ""},
    {"avg_pool2d", "channels=32 height=8 width=8 kernel=2 stride=2", ""},
    {"add", "channels=64 height=4 width=6 epilogue=leaky:3", ""},
    {"upsample2d", "channels=32 height=3 width=4 scale=2", ""},
};

typedef struct recorded {
    const vta_config *config;
    const vtac_op *op;
    const vt_op_recording *expected;
    vta_packed_function function;
    vta_program *program;
} recorded;

static DLDataType type_of(const char *text) { return (DLDataType){kDLInt, (uint8_t)(strstr(text, "32") ? 32 : 8), 1}; }

/* In a thread of its own, which has no runtime yet. */
static void *record(void *user) {
    recorded *r = user;
    vtac_kernel *kernel = vtac_op_kernel(r->op);
    vta_runtime *runtime;
    vta_array *arrays[16];
    DLTensor *tensors[16];
    assert_int_equal(vta_runtime_create(r->config, "null", NULL, NULL, NULL, &runtime), VTA_OK);
    vta_runtime_use(runtime);
    for (uint32_t i = 0; i < r->expected->count; i++) {
        const te_tensor *t = vtac_kernel_arg(kernel, i);
        int64_t dims[VTA_ARRAY_MAX_DIMS];
        uint32_t addr;
        size_t n = te_tensor_ndim(t), bytes;
        for (size_t d = 0; d < n; d++) dims[d] = te_tensor_dim(t, d);
        DLDataType type = type_of(te_tensor_dtype(vtac_kernel_context(kernel), t));
        assert_int_equal(vta_array_create(kDLExtDev, (int32_t)n, dims, type, NULL, NULL, &arrays[i]), VTA_OK);
        tensors[i] = vta_array_tensor(arrays[i]);
        assert_int_equal(vta_buffer_info(tensors[i]->data, &bytes, &addr), VTA_OK);
        assert_int_equal(addr, r->expected->addr[i]);
        assert_int_equal(bytes, r->expected->bytes[i]);
    }
    assert_int_equal(vta_runtime_record(runtime, NULL), VTA_OK);
    assert_int_equal(vta_function_call_tensors(r->function, tensors, (int)r->expected->count, NULL), VTA_OK);
    assert_int_equal(vta_runtime_recorded(runtime, 0, NULL, &r->program, NULL, NULL), VTA_OK);
    for (uint32_t i = 0; i < r->expected->count; i++) vta_array_free(arrays[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
    return NULL;
}

static void compare_memory(const vta_program *got, const vta_program *expected, uint32_t run) {
    vta_program_segment x, y;
    uint32_t i = 0;
    for (; vta_program_get_segment(expected, run, i, &y) == VTA_OK; i++) {
        assert_int_equal(vta_program_get_segment(got, run, i, &x), VTA_OK);
        assert_int_equal(x.addr, y.addr);
        assert_int_equal(x.size, y.size);
        assert_int_equal(x.before_size, y.before_size);
        if (y.before_size) assert_memory_equal(x.before, y.before, y.before_size);
    }
    assert_int_not_equal(vta_program_get_segment(got, run, i, &x), VTA_OK);
}

static void compare(const vta_program *got, const vta_program *expected) {
    assert_int_equal(vta_program_run_count(got), vta_program_run_count(expected));
    assert_true(vta_program_run_count(expected) > 0);
    for (uint32_t run = 0; run < vta_program_run_count(expected); run++) {
        vta_program_run_info x, y;
        assert_int_equal(vta_program_get_run(got, run, &x), VTA_OK);
        assert_int_equal(vta_program_get_run(expected, run, &y), VTA_OK);
        assert_int_equal(x.insn_count, y.insn_count);
        assert_int_equal(x.insn_addr, y.insn_addr);
        assert_memory_equal(x.insns, y.insns, (size_t)y.insn_count * VTA_INSN_BYTES);
        compare_memory(got, expected, run);
    }
}

static vtac_op *schedule(size_t i, vta_config *config, bool without_code) {
    vtac_op *op;
    vtac_op_options options = {.size = sizeof options, .without_code = without_code};
    assert_int_equal(vtac_op_create(cases[i].name, cases[i].attributes, config, NULL, NULL, &op), VTA_OK);
    assert_null(vt_op_recorded(op));
    assert_int_equal(vtac_op_schedule(op, &options, NULL, NULL), VTA_OK);
    assert_int_equal(vtac_op_module(op) == NULL, without_code);
    assert_false(vt_op_recorded(op)->touches);
    return op;
}

TEST_CASE(as_from_code) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pthread_t id;
        vta_config *plain = vta_config_default(), *config;
        assert_int_equal(vta_config_with(plain, cases[i].config, NULL, &config), VTA_OK);
        vtac_op *op = schedule(i, config, false), *bare = schedule(i, config, true);
        recorded r = {.config = config, .op = op, .expected = vt_op_recorded(bare)};
        const char *name = vtac_kernel_name(vtac_op_kernel(op));
        assert_int_equal(vtac_module_function(vtac_op_module(op), name, NULL, &r.function), VTA_OK);
        assert_int_equal(pthread_create(&id, NULL, record, &r), 0);
        pthread_join(id, NULL);
        compare(r.program, r.expected->program);
        vta_program_destroy(r.program);
        vtac_op_destroy(op);
        vtac_op_destroy(bare);
        vta_config_release(config);
        vta_config_release(plain);
    }
}

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}

/* Steps that are written out are rows of a table, not calls: the code has one call of each function, or one in the
 * function that records micro-kernels and one in that which walks the rest. */
TEST_CASE(a_table) {
    vta_config *plain = vta_config_default();
    vtac_op *op = schedule(0, plain, false);
    const vtac_func *func;
    char *text;
    size_t size;
    assert_non_null(strstr(vtac_op_text(op), "slots"));
    assert_int_equal(vtac_kernel_lower(vtac_op_kernel(op), NULL, &func), VTA_OK);
    vtac_build_func f = {.func = func};
    vtac_build_options options = {.opt_level = -1};
    assert_int_equal(vtac_emit(1, &f, &options, VTAC_EMIT_LLVM, NULL, &text, &size), VTA_OK);
    assert_true(count(text, "call void @VTAUopPush(") <= 2);
    assert_true(count(text, "call void @VTALoadBuffer2D(") <= 2);
    assert_true(count(text, "call i32 @VTAPushGEMMOp(") <= 2);
    vta_string_free(text);
    vtac_func_release(func);
    vtac_op_destroy(op);
    vta_config_release(plain);
}

/* The host's part is compiled, and told; the accelerator has nothing to do. */
TEST_CASE(on_the_processor) {
    vtac_op *op;
    vtac_op_options options = {.size = sizeof options, .without_code = true};
    assert_int_equal(vtac_op_create("concat", "channels0=16 channels1=16 height=3 width=3", NULL, NULL, NULL, &op),
                     VTA_OK);
    vtac_op_result result = {.cycles = 1, .bound = 1};
    assert_int_equal(vtac_op_schedule(op, &options, NULL, &result), VTA_OK);
    assert_true(vt_op_recorded(op)->touches);
    assert_true(!result.cycles && !result.bound && result.considered == 1 && !result.macs);
    vtac_op_destroy(op);
}

int main(void) { return run_cases(); }
