/* Code that clients of TVM send: files, modules and their functions, timers, and the counters of the accelerator that
 * it runs on. */
#include "rpc/server.h"

#include "rpc/packet.h"

static uint64_t global(const char *name) {
    begin_values();
    text(VTA_ARG_STRING, name, strlen(name));
    end_values();
    return answered(VT_TVM_GET_FUNCTION, VTA_ARG_HANDLE);
}

static uint64_t callee;

static void begin_call(uint64_t function) {
    callee = function;
    begin_values();
}

static void end_call(void) {
    vt__rpc_put_u64(&in, callee);
    end_values();
}

/* The result of a function, which carries its type twice: its bits, or 0. Handles are modules and functions, too. */
static uint64_t result(int type, int sent_as) {
    if (ask(VT_TVM_CALL) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_diag_clear(diag); /* as the next packet does */
    bool value = type != VTA_ARG_NULL;
    vt_strbuf expected;
    vt_strbuf_init(&expected, NULL);
    vt__rpc_put_u64(&expected, 24 + (value ? 8 : 0));
    for (int i = 0; i < 4; i++)
        vt__rpc_put_u32(&expected, (uint32_t[]){VT_TVM_RETURN, 2, VTA_ARG_INT, (uint32_t)sent_as}[i]);
    vt__rpc_put_u64(&expected, (uint64_t)type);
    if (out.size != 7 + expected.size + (value ? 8 : 0)) fail_msg("%zu bytes: %s", out.size - 7, out.text + 7 + 28);
    assert_memory_equal(out.text + 7, expected.text, expected.size);
    vt_strbuf_free(&expected);
    return value ? number_at(32) : 0;
}

static void no_result(void) { result(VTA_ARG_NULL, VTA_ARG_NULL); }

static void call_with_text(const char *function, const char *name) {
    begin_call(global(function));
    text(VTA_ARG_STRING, name, strlen(name));
    end_call();
}

static void upload(void) {
    size_t size;
    const char *object = kernels_object(&size);
    page.file_bytes = 1 << 20;
    begin_call(global("tvm.rpc.server.upload"));
    text(VTA_ARG_STRING, "k.o", 3);
    text(VTA_ARG_BYTES, object, size);
    end_call();
    no_result();
}

static uint64_t load(void) {
    upload();
    call_with_text("tvm.rpc.server.load_module", "k.o");
    return result(VTA_ARG_MODULE, VTA_ARG_HANDLE);
}

static void ask_function(uint64_t module, const char *name) {
    begin_call(global("tvm.rpc.server.ModuleGetFunction"));
    bits(VTA_ARG_MODULE, module);
    text(VTA_ARG_STRING, name, strlen(name));
    bits(VTA_ARG_INT, 0);
    end_call();
}

static void drop(uint64_t number) {
    only(VTA_ARG_HANDLE, number);
    answered(VT_TVM_FREE_HANDLE, VTA_ARG_NULL);
}

static void sums(uint64_t f) {
    begin_call(f);
    bits(VTA_ARG_INT, 40);
    bits(VTA_ARG_INT, 2);
    end_call();
    assert_int_equal(result(VTA_ARG_INT, VTA_ARG_INT), 42);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static void removed_files(void **state) {
    (void)state;
    upload();
    assert_true(session.uploaded > 0);
    call_with_text("tvm.rpc.server.remove", "k.o");
    no_result();
    assert_int_equal(session.uploaded, 0);
    call_with_text("tvm.rpc.server.remove", "k.o");
    raised(VT_TVM_CALL, VTA_NOT_FOUND, "k.o: cannot be removed: there is no such file in this session");
    call_with_text("tvm.rpc.server.load_module", "k.o");
    assert_int_equal(ask(VT_TVM_CALL), VTA_OK);
    assert_int_equal(out.text[7 + 8], VT_TVM_EXCEPTION);
    assert_contains(vta_diag_text(diag), "k.o");
    vta_diag_clear(diag);
}

/* Clients ask for functions only to see whether they are there: one that is not is nothing, a module that is not is an
 * error. */
static void functions(void **state) {
    (void)state;
    uint64_t module = load(), f;
    begin_call(global("tvm.rpc.server.ImportModule"));
    bits(VTA_ARG_MODULE, module);
    bits(VTA_ARG_MODULE, module);
    end_call();
    no_result();
    ask_function(module, "sum");
    f = result(VTA_ARG_FUNCTION, VTA_ARG_HANDLE);
    sums(f);
    ask_function(module, "summ");
    no_result();
    ask_function(f, "sum");
    no_result();
    ask_function(0x12345, "sum");
    raised(VT_TVM_CALL, VTA_NOT_FOUND,
           "0x12345 should be a module, and is nothing that this session has, or has still");
    drop(module);
    sums(f); /* a module stays as long as its functions do */
    drop(f);
    ask_function(module, "sum");
    assert_int_equal(ask(VT_TVM_CALL), VTA_OK);
    assert_int_equal(out.text[7 + 8], VT_TVM_EXCEPTION);
    vta_diag_clear(diag);
}

static uint64_t timer(uint64_t module, uint64_t number, uint64_t repeat) {
    begin_call(global("runtime.RPCTimeEvaluator"));
    bits(VTA_ARG_MODULE, module);
    text(VTA_ARG_STRING, "sum", 3);
    bits(VTA_ARG_INT, kDLCPU);
    bits(VTA_ARG_INT, 0);
    bits(VTA_ARG_INT, number);
    bits(VTA_ARG_INT, repeat);
    bits(VTA_ARG_INT, 0); /* min_repeat_ms */
    bits(VTA_ARG_INT, 7); /* what newer clients add */
    end_call();
    return result(VTA_ARG_FUNCTION, VTA_ARG_HANDLE);
}

/* A time evaluator is a function whose result is the seconds of each round; it keeps its module. */
static void timers(void **state) {
    (void)state;
    uint64_t module = load(), t = timer(module, 2, 3), large = timer(module, (uint64_t)1 << 32, 65537);
    drop(module);
    begin_call(t);
    bits(VTA_ARG_INT, 1);
    end_call();
    assert_int_equal(ask(VT_TVM_CALL), VTA_OK);
    assert_int_equal(number_at(24), VTA_ARG_BYTES);
    assert_int_equal(number_at(32), 3 * sizeof(double));
    for (size_t i = 0; i < 3; i++) {
        double seconds;
        memcpy(&seconds, out.text + 7 + 40 + 8 * i, sizeof seconds);
        assert_true(seconds > 0 && seconds < 10);
    }
    assert_int_equal(atomic_load(&page.calls), 3);
    begin_call(large);
    end_call(); /* the number does not wrap to 0 */
    raised(VT_TVM_CALL, VTA_OUT_OF_RANGE,
           "time evaluator: number 4294967295, repeat 65537, min_repeat_ms 0; at least 1, 1 to 65536, at most 1000000");
    drop(t), drop(large);
    assert_null(vt__objects_find(&session.objects, module));
}

static uint64_t on_the_accelerator(int64_t bytes) {
    begin_values();
    device(kDLExtDev, 0);
    bits(VTA_ARG_INT, (uint64_t)bytes);
    end_values();
    return answered(VT_TVM_ALLOC, VTA_ARG_HANDLE);
}

/* The counters as the session's machine has them, and as text. */
static void counted(const char *words) {
    begin_call(global("vta.simulator.profiler_status"));
    end_call();
    assert_int_equal(ask(VT_TVM_CALL), VTA_OK);
    assert_int_equal(number_at(24), VTA_ARG_STRING);
    vta_counters counters = vta_runtime_counters(NULL);
    char *expected = vta_counters_to_json(&counters);
    assert_int_equal(number_at(32), strlen(expected));
    assert_int_equal(out.size, 7 + 40 + strlen(expected));
    assert_memory_equal(out.text + 7 + 40, expected, strlen(expected));
    assert_contains(expected, words);
    vta_string_free(expected);
}

/* A kernel runs on the machine that a client has configured; its counters go on until they are cleared. */
static void machine(void **state) {
    (void)state;
    enum { BYTES = 4096 };
    page.memory_bytes = 3 * BYTES;
    call_with_text("tvm.contrib.vta.reconfig_runtime", "{\"TARGET\": \"sim\", \"LOG_BLOCK\": 4, \"LOG_BATCH\": 1}");
    no_result();
    assert_int_equal(vta_config_batch(vta_runtime_config(NULL)), 2);
    call_with_text("tvm.contrib.vta.reconfig_runtime", "{\"TARGET\": \"sim\"}");
    no_result();
    assert_int_equal(vta_config_batch(vta_runtime_config(NULL)), 1);
    call_with_text("tvm.contrib.vta.reconfig_runtime", "{");
    assert_int_equal(ask(VT_TVM_CALL), VTA_OK); /* the text is wrong, the packet is not: the connection goes on */
    assert_int_equal(out.text[7 + 8], VT_TVM_EXCEPTION);
    assert_contains(vta_diag_text(diag), "the client's configuration");
    vta_diag_clear(diag);
    call_with_text("tvm.contrib.vta.init", "some.bit"); /* a simulator has no FPGA to program */
    no_result();
    uint64_t module = load(), arrays[3];
    for (int i = 0; i < 3; i++) arrays[i] = on_the_accelerator(BYTES);
    ask_function(module, "__tvm_main__");
    uint64_t f = result(VTA_ARG_FUNCTION, VTA_ARG_HANDLE);
    for (int i = 1; i < 3; i++) {
        begin_call(f);
        for (int k = 0; k < 3; k++) tensor(arrays[k], kDLExtDev, BYTES, 0);
        end_call();
        no_result();
        counted(i == 1 ? "\"runs\": 1," : "\"runs\": 2,");
    }
    begin_call(global("vta.simulator.profiler_clear"));
    end_call();
    no_result();
    counted("\"runs\": 0,");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_session, end_session)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(removed_files), TEST(functions), TEST(timers), TEST(machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
