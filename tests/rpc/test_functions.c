/* Functions that clients of TVM call: those of the server by name, and kernels. */
#include "rpc/packet.h"

static uint64_t global(const char *name) {
    begin_values();
    text(VTA_ARG_STRING, name, strlen(name));
    end_values();
    return answered(VT_TVM_GET_FUNCTION, VTA_ARG_HANDLE);
}

static void call(uint64_t function) {
    vt__rpc_put_u64(&in, function);
    end_values();
}

/* The result of a function: its type twice, then the value's bytes. */
static void returned(int type, int sent_as, const char *bytes, size_t size) {
    if (ask(VT_TVM_CALL) != VTA_OK || vta_diag_count(diag)) fail_msg("%s", vta_diag_text(diag));
    vt_strbuf expected;
    vt_strbuf_init(&expected, NULL);
    vt__rpc_put_u64(&expected, 24 + size);
    for (int i = 0; i < 4; i++) vt__rpc_put_u32(&expected, (uint32_t[]){4, 2, VTA_ARG_INT, (uint32_t)sent_as}[i]);
    vt__rpc_put_u64(&expected, (uint64_t)type);
    vt_strbuf_addn(&expected, bytes, size);
    assert_int_equal(out.size, 7 + expected.size);
    assert_memory_equal(out.text + 7, expected.text, expected.size);
    vt_strbuf_free(&expected);
}

static void upload(uint64_t function, const char *name, size_t size, int type) {
    begin_values();
    text(VTA_ARG_STRING, name, size);
    text(type, "bytes", 5);
    call(function);
}

static void functions_of_files(void **state) {
    (void)state;
    enum { NAME = 256 };
    char name[NAME], words[256];
    uint64_t up = global("tvm.rpc.server.upload"), down = global("tvm.rpc.server.download");
    assert_int_equal(global("tvm.rpc.server.uploads"), 0);
    assert_int_equal(global("tvm.rpc.server.uploaD"), 0);
    assert_int_equal(global(""), 0);
    upload(up, "file", 4, VTA_ARG_BYTES);
    returned(VTA_ARG_NULL, VTA_ARG_NULL, "", 0);
    upload(up, "file", 4, VTA_ARG_STRING);
    returned(VTA_ARG_NULL, VTA_ARG_NULL, "", 0);
    upload(up, "file", 4, VTA_ARG_HANDLE);
    in.size -= 5;
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT,
           "tvm.rpc.server.upload: 2 arguments, which should be 'sb' (i number, s text, b bytes, m module, ... more)");
    begin_values();
    text(VTA_ARG_BYTES, "file", 4);
    call(down);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT,
           "tvm.rpc.server.download: 1 arguments, which should be 's' (i number, s text, b bytes, m module, ... more)");
    begin_values();
    text(VTA_ARG_STRING, "file", 4);
    call(down);
    returned(VTA_ARG_BYTES, VTA_ARG_BYTES, "\5\0\0\0\0\0\0\0bytes", 13);
    upload(up, "fi\0le", 5, VTA_ARG_BYTES);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, "argument 0: a text of 5 characters, or with zeros in it");
    memset(name, 'n', sizeof name);
    upload(up, name, NAME, VTA_ARG_BYTES);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, "argument 0: a text of 256 characters, or with zeros in it");
    upload(up, name, NAME - 1, VTA_ARG_BYTES); /* this one is too long for a file only */
    snprintf(words, sizeof words,
             "'%.64s' is not a valid file name in a session: 1 to 128 characters, no /, no dot at the beginning", name);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, words);
    begin_values();
    call(down);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT,
           "tvm.rpc.server.download: 0 arguments, which should be 's' (i number, s text, b bytes, m module, ... more)");
    begin_values();
    call(0x123);
    raised(VT_TVM_CALL, VTA_NOT_FOUND, "0x123 is not a function of this session");
}

static int called;
static uint64_t sum;
static int answer_type;

/* The sum of numbers and of the bytes of tensors; their types in its order of tens. */
static int add_up(TVMValue *args, int *types, int count, TVMValue *value, int *type, void *resource) {
    (void)resource;
    sum = 0;
    called++;
    for (int i = 0; i < count; i++) {
        const DLTensor *t = args[i].v_handle;
        if (types[i] == VTA_ARG_TENSOR)
            for (int64_t n = 0; n < t->shape[0]; n++) sum += ((const uint8_t *)t->data)[t->byte_offset + (uint64_t)n];
        else if (types[i] != VTA_ARG_NULL)
            sum += (uint64_t)args[i].v_int64;
    }
    value->v_int64 = (int64_t)sum;
    *type = answer_type;
    return 0;
}

static uint64_t add_object(vt_rpc_object object) {
    uint64_t number;
    assert_int_equal(vt__objects_add(&session.objects, object, diag, &number), VTA_OK);
    return number;
}

static void kernels(void **state) {
    (void)state;
    vt_rpc_object code = {.kind = VT_RPC_CODE}, timer = {.kind = VT_RPC_TIMER};
    code.u.code = add_up;
    timer.u.timer = (vt_rpc_timer){add_up, NULL, 2, 3, 0};
    uint64_t f = add_object(code), t = add_object(timer), a = alloc(8, false),
             module = add_object((vt_rpc_object){.kind = VT_RPC_MODULE});
    static const int types[] = {VTA_ARG_INT, VTA_ARG_FLOAT, VTA_ARG_STRING};
    put_copy(a, 0, 8);
    vt_strbuf_addn(&in, "\1\2\3\4\5\6\7\10", 8);
    answered(VT_TVM_COPY_TO, VTA_ARG_NULL);
    for (int i = 0; i < 3; i++) {
        begin_values();
        bits(VTA_ARG_INT, 100);
        tensor(a, kDLCPU, 3, 5); /* 6 + 7 + 8 */
        codes[code_count++] = VTA_ARG_NULL;
        tensor(a, kDLCPU, 2, 0); /* 1 + 2 */
        codes[3] = VTA_ARG_NDARRAY;
        bits(VTA_ARG_FLOAT, 1000);
        call(f);
        answer_type = types[i];
        if (i < 2)
            returned(types[i], types[i], "\x64\4\0\0\0\0\0\0", 8); /* 1124 */
        else
            returned(VTA_ARG_NULL, VTA_ARG_NULL, "", 0); /* what else comes out of a kernel is nothing */
        assert_int_equal(sum, 100 + 21 + 3 + 1000);
    }
    begin_values();
    bits(VTA_ARG_INT, 0);
    bits(VTA_ARG_HANDLE, 0);
    call(f);
    raised(VT_TVM_CALL, VTA_UNSUPPORTED,
           "argument 1 of a kernel has type code 3; tensors, integers and floats can be given");
    begin_values();
    call(a);
    char words[64];
    snprintf(words, sizeof words, "0x%x is not a function of this session", (unsigned)a);
    raised(VT_TVM_CALL, VTA_NOT_FOUND, words);
    called = 0;
    begin_values();
    call(t);
    assert_int_equal(ask(VT_TVM_CALL), VTA_OK);
    assert_int_equal(called, 7);
    assert_int_equal(number_at(32), 3 * sizeof(double)); /* 32: after the type, which comes twice */
    assert_int_equal(out.size, 7 + 40 + 3 * sizeof(double));
    only(VTA_ARG_HANDLE, module);
    answered(VT_TVM_FREE_HANDLE, VTA_ARG_NULL);
}

/* What asks for counters is of the session's machine, and there is none where its configuration is wrong. */
static void functions_of_the_machine(void **state) {
    (void)state;
    static const char *const names[] = {"vta.simulator.profiler_clear", "vta.simulator.profiler_status",
                                        "vta.tsim.profiler_clear", "vta.tsim.profiler_status"};
    strcpy(page.config, "{\"LOG_BATCH\": 77}");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t function = global(names[i]);
        begin_values();
        call(function);
        assert_int_equal(ask(VT_TVM_CALL), VTA_OK);
        assert_int_equal(out.text[7 + 8], VT_TVM_EXCEPTION);
        assert_contains(vta_diag_text(diag), "the server's configuration: error: LOG_BATCH = 77: must be from 0 to 8");
        vta_diag_clear(diag);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_session, end_session)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(functions_of_files), TEST(kernels), TEST(functions_of_the_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
