/* Requests of the project's protocol at the bounds of what a session may: the last that is granted, the first that is
 * refused, and in which words. */
#include <signal.h>
#include <sys/resource.h>

#include "rpc/asked.h"
#include "support/diag.h"

/* Asks with the fields in `in`. */
static vta_status ask(vt_rpc_message message) {
    bool over = false;
    vt_strbuf_clear(&out);
    vta_status status = vt__own_answer(&session, (uint16_t)message, vt_strbuf_text(&in), in.size, &out, &over);
    assert_int_equal(over, status == VTA_OK && (message == VT_RPC_BYE || message == VT_RPC_SHUTDOWN));
    vt_strbuf_clear(&in);
    return status;
}

static uint64_t number_at(size_t at) {
    uint64_t value = 0;
    assert_in_range(out.size, at + 8, SIZE_MAX);
    for (size_t i = 8; i-- > 0;) value = value << 8 | (uint8_t)out.text[at + i];
    return value;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static char letters[5 << 20];

static vta_status upload(const char *name, uint64_t offset, size_t size) {
    vt__rpc_put_text(&in, name);
    vt__rpc_put_u64(&in, offset);
    vt_strbuf_addn(&in, letters + offset, size);
    return ask(VT_RPC_UPLOAD);
}

/* So many bytes from offset on; they are those that were sent. */
static void downloaded(const char *name, uint64_t offset, uint32_t count, size_t bytes, uint64_t total) {
    vt__rpc_put_text(&in, name);
    vt__rpc_put_u64(&in, offset);
    vt__rpc_put_u32(&in, count);
    must(ask(VT_RPC_DOWNLOAD));
    assert_int_equal(number_at(0), total);
    assert_int_equal(out.size, 8 + bytes);
    assert_memory_equal(out.text + 8, letters + offset, bytes);
}

static vta_status remove_file(const char *name) {
    vt__rpc_put_text(&in, name);
    return ask(VT_RPC_REMOVE);
}

static void file_names(void **state) {
    (void)state;
    enum { MAX = 128 };
    char name[MAX + 2], words[256];
    memset(name, 'n', sizeof name);
    name[MAX] = '\0';
    must(upload(name, 0, 1));
    downloaded(name, 0, 1, 1, 1);
    name[MAX] = 'n', name[MAX + 1] = '\0';
    snprintf(words, sizeof words,
             "'%.64s' is not a valid file name in a session: 1 to 128 characters, no /, no dot at the beginning", name);
    told(diag, upload(name, 0, 1), VTA_INVALID_ARGUMENT, words);
    for (int c = 1; c < 256; c++) {
        bool good = c >= ' ' && c != 127 && c != '/';
        char with[] = {'x', (char)c, '\0'};
        good &= c < 128; /* else it is no UTF-8 */
        assert_int_equal(upload(with, 0, 0), good ? VTA_OK : c < 128 ? VTA_INVALID_ARGUMENT : VTA_PARSE);
        if (good) must(remove_file(with));
        vta_diag_clear(diag);
    }
}

/* Each file costs its bytes and 4096: 20000 bytes are four empty files, and 3616 bytes. */
static void file_bytes(void **state) {
    (void)state;
    enum { REST = 20000 - 4 * 4096 };
    must(upload("a", 0, 10));
    for (int i = 0; i < 2; i++) must(upload(i ? "b" : "c", 0, 0));
    must(upload("d", 0, REST - 10));
    assert_int_equal(session.uploaded, 20000);
    told(diag, upload("a", 10, 1), VTA_NO_MEMORY,
         "a: the files of a session may have 20000 bytes in all, and 20000 are used");
    must(upload("a", 9, 1)); /* what is there already costs nothing */
    downloaded("a", 0, 100, 10, 10);
    told(diag, upload("e", 0, 0), VTA_NO_MEMORY,
         "e: the files of a session may have 20000 bytes in all, and 20000 are used");
    told(diag, remove_file("e"), VTA_NOT_FOUND, "e: cannot be removed: there is no such file in this session");
    must(upload("d", 0, REST - 11)); /* anew, and shorter */
    assert_int_equal(session.uploaded, 19999);
    must(upload("a", 5, 6)); /* one byte more than it had */
    assert_int_equal(session.uploaded, 20000);
    told(diag, upload("a", 12, 0), VTA_OUT_OF_RANGE, "a: a part at 12, but the file ends at 11");
    must(upload("a", 11, 0));
    told(diag, upload("a", 0, 12), VTA_NO_MEMORY, /* the old one is gone by then */
         "a: the files of a session may have 20000 bytes in all, and 15893 are used");
    assert_int_equal(session.uploaded, 20000 - 4096 - 11);
    told(diag, upload("a", 3, 1), VTA_NOT_FOUND, "a: cannot be written: there is no such file in this session");
    for (int i = 0; i < 3; i++) must(remove_file(i == 0 ? "b" : i == 1 ? "c" : "d"));
    assert_int_equal(session.uploaded, 0);
}

static void parts_of_files(void **state) {
    (void)state;
    enum { CHUNK = 4 << 20 };
    page.file_bytes = sizeof letters + 4096;
    must(upload("a", 0, sizeof letters));
    downloaded("a", 0, 0, 0, sizeof letters);
    downloaded("a", 7, 100000, 100000, sizeof letters);
    downloaded("a", 65536, 65536, 65536, sizeof letters);
    downloaded("a", 0, CHUNK - 1, CHUNK - 1, sizeof letters);
    downloaded("a", 1, CHUNK + 1, CHUNK, sizeof letters); /* no more in one frame */
    downloaded("a", sizeof letters - 3, 100, 3, sizeof letters);
    downloaded("a", sizeof letters, 100, 0, sizeof letters);
    vt__rpc_put_text(&in, "b");
    vt__rpc_put_u64(&in, 0);
    vt__rpc_put_u32(&in, 1);
    told(diag, ask(VT_RPC_DOWNLOAD), VTA_NOT_FOUND, "b: cannot be read: there is no such file in this session");
}

/* The disk is full in the middle: nothing is left of the file, nor charged for it. */
static void files_that_are_cut(void **state) {
    (void)state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    must(upload("kept", 0, 10));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    vta_status status = upload("a", 0, 5000);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    told(diag, status, VTA_IO, "a: cannot be written: File too large");
    assert_int_equal(session.uploaded, 4096 + 10);
    told(diag, remove_file("a"), VTA_NOT_FOUND, "a: cannot be removed: there is no such file in this session");
    downloaded("kept", 0, 100, 10, 10);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

static vta_status make(int64_t device, uint32_t ndim, const int64_t *shape) {
    vt__rpc_put_u64(&in, (uint64_t)device);
    vt__rpc_put_u8(&in, kDLInt);
    vt__rpc_put_u8(&in, 32);
    vt__rpc_put_u16(&in, 1);
    vt__rpc_put_u32(&in, ndim);
    for (uint32_t i = 0; i < ndim; i++) vt__rpc_put_u64(&in, (uint64_t)shape[i]);
    return ask(VT_RPC_ARRAY);
}

static uint64_t made(int64_t words) {
    must(make(kDLCPU, 1, &words));
    return number_at(0);
}

static vta_status about(vt_rpc_message message, uint64_t array, uint64_t offset, const char *bytes, uint32_t count) {
    vt__rpc_put_u64(&in, array);
    vt__rpc_put_u64(&in, offset);
    if (message == VT_RPC_READ)
        vt__rpc_put_u32(&in, count);
    else
        vt_strbuf_addn(&in, bytes, count);
    return ask(message);
}

static void dimensions(void **state) {
    (void)state;
    int64_t shape[VTA_ARRAY_MAX_DIMS + 1], one = 1;
    char words[96];
    for (int i = 0; i <= VTA_ARRAY_MAX_DIMS; i++) shape[i] = 1;
    must(make(kDLCPU, VTA_ARRAY_MAX_DIMS, shape));
    snprintf(words, sizeof words, "an array of %d dimensions; at most %d", VTA_ARRAY_MAX_DIMS + 1, VTA_ARRAY_MAX_DIMS);
    told(diag, make(kDLCPU, VTA_ARRAY_MAX_DIMS + 1, shape), VTA_OUT_OF_RANGE, words);
    told(diag, make(-1, 1, &one), VTA_UNSUPPORTED, "device type -1");
    told(diag, make(256, 1, &one), VTA_UNSUPPORTED, "device type 256");
    assert_int_equal(make(255, 1, &one), VTA_UNSUPPORTED);
    assert_contains(vta_diag_text(diag), "255");
    assert_int_equal(session.objects.array_bytes, 4);
}

static void array_bytes(void **state) {
    (void)state;
    int64_t one = 1;
    uint64_t a = made(2000), b = made(500);
    told(diag, make(kDLCPU, 1, &one), VTA_NO_MEMORY,
         "an array of 4 bytes: this session may have 10000, and its arrays have 10000 (--memory of the server)");
    vt__rpc_put_u64(&in, a);
    must(ask(VT_RPC_FREE));
    a = made(2000);
    must(about(VT_RPC_WRITE, b, 1997, "end", 3));
    must(about(VT_RPC_READ, b, 1996, NULL, 4));
    assert_int_equal(out.size, 4);
    assert_memory_equal(out.text, "\0end", 5); /* and terminated */
    must(about(VT_RPC_READ, b, 2000, NULL, 0));
    assert_int_equal(out.size, 0);
    must(about(VT_RPC_WRITE, b, 2000, "", 0));
    told(diag, about(VT_RPC_READ, b, 2001, NULL, 0), VTA_OUT_OF_RANGE,
         "0 bytes from 2001 on of an array of 2000 bytes");
    told(diag, about(VT_RPC_READ, b, 1997, NULL, 4), VTA_OUT_OF_RANGE,
         "4 bytes from 1997 on of an array of 2000 bytes");
    told(diag, about(VT_RPC_WRITE, a, 0, letters, 8001), VTA_OUT_OF_RANGE,
         "8001 bytes from 0 on of an array of 8000 bytes");
}

static void large_reads(void **state) {
    (void)state;
    enum { CHUNK = 4 << 20 };
    page.memory_bytes = CHUNK + 4;
    uint64_t a = made(CHUNK / 4 + 1);
    must(about(VT_RPC_READ, a, 4, NULL, CHUNK));
    assert_int_equal(out.size, CHUNK);
    told(diag, about(VT_RPC_READ, a, 0, NULL, CHUNK + 1), VTA_OUT_OF_RANGE,
         "READ: 4194305 bytes; at most 4194304 at once");
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static int called, argument_count;
static char heard[2][5000];
static double heard_float;
static const DLTensor *heard_tensor;

/* What it was called with, and a result of the type that its first argument names. */
static int listen(TVMValue *args, int *codes, int count, TVMValue *value, int *type, void *resource) {
    int texts = 0;
    (void)resource;
    called++;
    argument_count = count;
    for (int i = 0; i < count; i++) {
        if (codes[i] == VTA_ARG_STRING) snprintf(heard[texts++ % 2], sizeof *heard, "%s", args[i].v_str);
        if (codes[i] == VTA_ARG_FLOAT) heard_float = args[i].v_float64;
        if (codes[i] == VTA_ARG_TENSOR || codes[i] == VTA_ARG_NULL) heard_tensor = args[i].v_handle;
    }
    *type = count ? (int)args[0].v_int64 : VTA_ARG_INT;
    value->v_int64 = -7;
    return 0;
}

static uint64_t add_code(void) {
    uint64_t number;
    vt_rpc_object object = {.kind = VT_RPC_CODE};
    object.u.code = listen;
    must(vt__objects_add(&session.objects, object, diag, &number));
    return number;
}

static void put_int(int64_t value) {
    vt__rpc_put_u8(&in, VTA_ARG_INT);
    vt__rpc_put_u64(&in, (uint64_t)value);
}

static void results(void **state) {
    (void)state;
    static const int types[] = {VTA_ARG_INT, VTA_ARG_FLOAT, VTA_ARG_NULL, VTA_ARG_STRING, VTA_ARG_HANDLE};
    uint64_t f = add_code();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        vt__rpc_put_u64(&in, f);
        vt__rpc_put_u32(&in, 1);
        put_int(types[i]);
        must(ask(VT_RPC_CALL));
        bool value = types[i] == VTA_ARG_INT || types[i] == VTA_ARG_FLOAT;
        assert_int_equal(out.text[0], value ? types[i] : VTA_ARG_NULL);
        assert_int_equal(out.size, value ? 9 : 1);
        if (value) assert_int_equal((int64_t)number_at(1), -7);
    }
    assert_int_equal(atomic_load(&page.calls), 5);
}

static void arguments(void **state) {
    (void)state;
    enum { MAX = 256, TEXT = 4096 };
    static char long_text[TEXT + 1];
    uint64_t f = add_code();
    memset(long_text, 't', TEXT);
    for (int more = 0; more < 2; more++) {
        vt__rpc_put_u64(&in, f);
        vt__rpc_put_u32(&in, (uint32_t)(MAX + more));
        for (int i = 0; i < MAX + more; i++) put_int(0);
        if (!more) must(ask(VT_RPC_CALL));
        assert_int_equal(argument_count, MAX);
    }
    told(diag, ask(VT_RPC_CALL), VTA_OUT_OF_RANGE, "CALL: 257 arguments; at most 256");
    for (int more = 0; more < 2; more++) { /* two texts that fill their room, with their ends */
        vt__rpc_put_u64(&in, f);
        vt__rpc_put_u32(&in, 2);
        vt__rpc_put_u8(&in, VTA_ARG_STRING);
        vt__rpc_put_text(&in, "first");
        vt__rpc_put_u8(&in, VTA_ARG_STRING);
        vt__rpc_put_text(&in, long_text + 7 - more);
        if (!more) must(ask(VT_RPC_CALL));
    }
    assert_string_equal(heard[0], "first");
    assert_string_equal(heard[1], long_text + 7);
    told(diag, ask(VT_RPC_CALL), VTA_OUT_OF_RANGE, "the strings of a call have more than 4096 characters");
    vt__rpc_put_u64(&in, f);
    vt__rpc_put_u32(&in, 2);
    put_int(0);
    vt__rpc_put_u8(&in, VTA_ARG_HANDLE);
    told(diag, ask(VT_RPC_CALL), VTA_UNSUPPORTED,
         "argument 1 has type code 3; integers (0), floats (2), null (4), tensors (7) and strings (11) can be sent");
}

/* An array is given as the tensor that it is, not as its number; a null is none. */
static void tensor_arguments(void **state) {
    (void)state;
    uint64_t f = add_code(), a = made(5);
    must(about(VT_RPC_WRITE, a, 3, "bytes", 5));
    vt__rpc_put_u64(&in, f);
    vt__rpc_put_u32(&in, 3);
    put_int(0);
    vt__rpc_put_u8(&in, VTA_ARG_FLOAT);
    vt__rpc_put_f64(&in, -1.5);
    vt__rpc_put_u8(&in, VTA_ARG_TENSOR);
    vt__rpc_put_u64(&in, a);
    must(ask(VT_RPC_CALL));
    assert_true(heard_float == -1.5);
    assert_non_null(heard_tensor);
    assert_true(heard_tensor->ndim == 1 && heard_tensor->shape[0] == 5 && heard_tensor->dtype.bits == 32);
    assert_memory_equal((const char *)heard_tensor->data + heard_tensor->byte_offset, "\0\0\0bytes", 8);
    vt__rpc_put_u64(&in, f);
    vt__rpc_put_u32(&in, 2);
    put_int(0);
    vt__rpc_put_u8(&in, VTA_ARG_NULL);
    must(ask(VT_RPC_CALL));
    assert_null(heard_tensor);
    called = 0;
    for (int i = 0; i < 2; i++) { /* nothing, and another thing */
        char words[96];
        vt__rpc_put_u64(&in, f);
        vt__rpc_put_u32(&in, 1);
        vt__rpc_put_u8(&in, VTA_ARG_TENSOR);
        vt__rpc_put_u64(&in, i ? f : 0x77);
        snprintf(words, sizeof words, "0x%x should be an array, and is %s", (unsigned)(i ? f : 0x77),
                 i ? "a function" : "nothing that this session has, or has still");
        told(diag, ask(VT_RPC_CALL), VTA_NOT_FOUND, words);
    }
    assert_int_equal(called, 0);
}

static vta_status time_calls(uint64_t f, uint32_t number, uint32_t repeat, uint32_t ms) {
    vt__rpc_put_u64(&in, f);
    vt__rpc_put_u32(&in, number);
    vt__rpc_put_u32(&in, repeat);
    vt__rpc_put_u32(&in, ms);
    vt__rpc_put_u32(&in, 0);
    return ask(VT_RPC_TIME);
}

static void times(void **state) {
    (void)state;
    uint64_t f = add_code();
    called = 0;
    must(time_calls(f, 3, 5, 0));
    assert_int_equal(called, 16); /* one does not count */
    assert_int_equal(out.size, 5 * sizeof(double));
    assert_int_equal(atomic_load(&page.calls), 5);
    must(time_calls(f, 1, 65536, 0));
    assert_int_equal(out.size, 65536 * sizeof(double));
    static const uint32_t bad[][3] = {{0, 1, 0}, {1, 0, 0}, {1, 65537, 0}, {1, 1, 1000001}};
    for (int i = 0; i < 4; i++) {
        char words[160];
        snprintf(words, sizeof words,
                 "time evaluator: number %u, repeat %u, min_repeat_ms %u; at least 1, 1 to 65536, at most 1000000",
                 bad[i][0], bad[i][1], bad[i][2]);
        told(diag, time_calls(f, bad[i][0], bad[i][1], bad[i][2]), VTA_OUT_OF_RANGE, words);
        assert_int_equal(out.size, 0);
    }
    assert_int_equal(atomic_load(&page.call_started), 0);
}

static void models(void **state) {
    (void)state;
    for (uint32_t count = 256; count <= 257; count++) {
        vt__rpc_put_u64(&in, 1);
        vt__rpc_put_u32(&in, count);
        for (uint32_t i = 0; i < count; i++) vt__rpc_put_u64(&in, i);
        if (count == 256)
            told(diag, ask(VT_RPC_RUN_MODEL), VTA_NOT_FOUND,
                 "0x1 should be a network, and is nothing that this session has, or has still");
        else
            told(diag, ask(VT_RPC_RUN_MODEL), VTA_OUT_OF_RANGE, "RUN_MODEL: 257 arrays; at most 256");
    }
}

/* ---- The session ------------------------------------------------------------------------------------------------- */

static void words_of_errors(void **state) {
    (void)state;
    vt_strbuf_add(&out, "before: ");
    vt__session_words(&session, VTA_TIMEOUT, &out);
    char expected[128];
    snprintf(expected, sizeof expected, "before: %s", vta_status_text(VTA_TIMEOUT));
    assert_string_equal(vt_strbuf_text(&out), expected);
    vt_strbuf_clear(&out);
    vt_fail(diag, VTA_IO, "one");
    vt_detail(diag, "much more about it");
    vt_fail_at(diag, VTA_IO, (vt_pos){"file.json", 12, 34}, "two");
    vt_note_at(diag, VT_NO_POS, "three");
    vt__session_words(&session, VTA_TIMEOUT, &out);
    assert_string_equal(vt_strbuf_text(&out), "one; file.json:12:34: two; three");
}

static void ends(void **state) {
    (void)state;
    told(diag, ask(VT_RPC_SHUTDOWN), VTA_UNSUPPORTED,
         "this server is not ended by its clients (it was started without --allow-shutdown)");
    assert_int_equal(atomic_load(&page.shutdown), 0);
    page.allow_shutdown = 1;
    must(ask(VT_RPC_SHUTDOWN));
    assert_int_equal(atomic_load(&page.shutdown), 1);
    must(ask(VT_RPC_BYE));
    static const vt_rpc_message others[] = {VT_RPC_ENDED, VT_RPC_REGISTER, VT_RPC_REQUEST, VT_RPC_SUMMARY};
    for (int i = 0; i < 4; i++)
        told(diag, ask(others[i]), VTA_UNSUPPORTED, "this is a server, and not the tracker that was expected");
    assert_int_equal(ask((vt_rpc_message)0), VTA_UNSUPPORTED);
    vt__rpc_put_u32(&in, 2);
    vt__rpc_put_text(&in, "test");
    told(diag, ask(VT_RPC_HELLO), VTA_UNSUPPORTED,
         "the client speaks version 2 of the protocol, this server version 1: update the older one");
}

static void lists(void **state) {
    (void)state;
    static vt_rpc_table table;
    uint64_t now = vt__rpc_now();
    must(ask(VT_RPC_SESSIONS));
    assert_string_equal(out.text + 4, "{\"most\": 1, \"sessions\": []}");
    session.table = &table;
    table.most = 9;
    atomic_store(&page.protocol, VT_RPC_OWN);
    table.line[0] = (vt_rpc_line){(uint32_t)getpid(), now + 1000000, "me:1", VT_RPC_TVM, 2, 3, 0};
    table.line[1] = (vt_rpc_line){VT_LINE_TAKEN, now + 1000000, "begins", VT_RPC_UNKNOWN, 0, 0, 0}; /* not listed */
    table.line[2] = (vt_rpc_line){1234567, now + 1000000, "", VT_RPC_TVM, 20, 30, 2500};
    memset(table.line[2].peer, 'p', sizeof table.line[2].peer); /* without an end: it is not believed */
    table.line[VT_RPC_MAX_SESSIONS - 1] = (vt_rpc_line){7, now + 1000000, "last", 3, 0, 0, 0};
    for (int i = 0; i < VT_RPC_MAX_SESSIONS; i++) table.line[i].since_ms -= 1003000; /* 3.0 seconds ago */
    must(ask(VT_RPC_SESSIONS));
    char expected[1024];
    snprintf(expected, sizeof expected,
             "{\"most\": 9, \"sessions\": ["
             "{\"pid\": %d, \"client\": \"me:1\", \"protocol\": \"vta\", \"seconds\": 3.0, \"calls\": 2, \"bytes\": 3, "
             "\"calling\": 0.0}, "
             "{\"pid\": 1234567, \"client\": \"%.63s\", \"protocol\": \"tvm\", \"seconds\": 3.0, \"calls\": 20, "
             "\"bytes\": 30, \"calling\": 2.5}, "
             "{\"pid\": 7, \"client\": \"last\", \"protocol\": \"none yet\", \"seconds\": 3.0, \"calls\": 0, "
             "\"bytes\": 0, \"calling\": 0.0}]}",
             (int)getpid(), "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp");
    for (char *at = out.text + 4; (at = strstr(at, "\"seconds\": "));) { /* of a slow machine, more */
        double seconds = strtod(at += 11, NULL);
        assert_true(seconds >= 3 && seconds < 60);
        memcpy(at, "3.0", 3);
    }
    assert_string_equal(out.text + 4, expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_session, end_session)

int main(void) {
    for (size_t i = 0; i < sizeof letters; i++) letters[i] = (char)('a' + (i * 7 + i / 4096) % 26);
    const struct CMUnitTest tests[] = {
        TEST(file_names),         TEST(file_bytes), TEST(parts_of_files),
        TEST(files_that_are_cut), TEST(dimensions), TEST(array_bytes),
        TEST(large_reads),        TEST(results),    TEST(arguments),
        TEST(tensor_arguments),   TEST(times),      TEST(models),
        TEST(words_of_errors),    TEST(ends),       TEST(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
