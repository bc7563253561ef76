/* Packets of TVM's protocol, one at a time: their answers byte by byte, and what is refused in which words. */
#include "rpc/packet.h"

static void types_that_travel(void **state) {
    (void)state;
    for (int code = 0; code < 16; code++) { /* of a packet that looks at none: 11, set device */
        char words[64];
        bool eight = code == VTA_ARG_INT || code == VTA_ARG_FLOAT || code == VTA_ARG_HANDLE || code == VTA_ARG_MODULE ||
                     code == VTA_ARG_FUNCTION || code == VTA_ARG_DATA_TYPE;
        begin_values();
        if (eight) bits(code, 1);
        if (code == VTA_ARG_DEVICE) device(1, 2);
        if (code == VTA_ARG_STRING || code == VTA_ARG_BYTES) text(code, "some", 4);
        if (code == VTA_ARG_TENSOR) tensor(1, 1, 1, 0);
        if (code == VTA_ARG_NDARRAY) tensor(1, 1, 1, 0);
        bool travels = code_count > 0 || code == VTA_ARG_NULL;
        if (!code_count) code_count = 1;
        codes[0] = code;
        end_values();
        snprintf(words, sizeof words, "a value of type code %d does not travel", code);
        if (travels)
            answered(VT_TVM_SET_DEVICE, VTA_ARG_NULL);
        else
            raised(VT_TVM_SET_DEVICE, VTA_PARSE, words);
    }
}

static void counts_and_ends(void **state) {
    (void)state;
    for (int count = VT_TVM_MAX_ARGS; count <= VT_TVM_MAX_ARGS + 1; count++) {
        begin_values();
        for (int i = 0; i < count; i++) bits(VTA_ARG_INT, 0);
        end_values();
        if (count == VT_TVM_MAX_ARGS)
            answered(VT_TVM_SYNC, VTA_ARG_NULL);
        else
            raised(VT_TVM_SYNC, VTA_PARSE, "65 values in a packet; at most 64");
    }
    static const char cut[] = "a packet is cut short, or has bytes after its end";
    for (size_t less = 1; less <= 8; less++) {
        only(VTA_ARG_INT, 7);
        in.size -= less;
        raised(VT_TVM_SYNC, VTA_PARSE, cut);
    }
    only(VTA_ARG_INT, 7);
    vt_strbuf_addc(&in, 'x');
    raised(VT_TVM_SYNC, VTA_PARSE, cut);
    for (int more = 0; more < 2; more++) { /* a text up to the end, and one that would go beyond */
        begin_values();
        text(VTA_ARG_STRING, "text", 4);
        values.text[0] = (char)(4 + more);
        end_values();
        if (more)
            raised(VT_TVM_SYNC, VTA_PARSE, cut);
        else
            answered(VT_TVM_SYNC, VTA_ARG_NULL);
    }
    for (int ndim = VTA_ARRAY_MAX_DIMS; ndim <= VTA_ARRAY_MAX_DIMS + 1; ndim++) {
        char words[64];
        begin_values();
        codes[code_count++] = VTA_ARG_TENSOR;
        tensor_fields(&values, 1, 1, 1, 0);
        values.text[16] = (char)ndim;
        for (int i = 1; i < ndim; i++) vt__rpc_put_u64(&values, 1);
        end_values();
        snprintf(words, sizeof words, "a tensor of %d dimensions; at most %d", ndim, VTA_ARRAY_MAX_DIMS);
        if (ndim > VTA_ARRAY_MAX_DIMS)
            raised(VT_TVM_SYNC, VTA_PARSE, words);
        else
            answered(VT_TVM_SYNC, VTA_ARG_NULL);
    }
    begin_values();
    tensor(1, 1, 1, 0);
    values.size--;
    end_values();
    raised(VT_TVM_SYNC, VTA_PARSE, "a tensor is cut short");
    begin_values();
    tensor(1, 1, 1, 0);
    memcpy(values.text + 16, "\xff\xff\xff\xff", 4);
    end_values();
    char words[64];
    snprintf(words, sizeof words, "a tensor of -1 dimensions; at most %d", VTA_ARRAY_MAX_DIMS);
    raised(VT_TVM_SYNC, VTA_PARSE, words);
}

/* What begins a conversation, what ends it, and what belongs to none. */
static void other_packets(void **state) {
    (void)state;
    vt__rpc_put_u64(&in, 5);
    vt_strbuf_add(&in, "1.2.3");
    vt__rpc_put_u32(&in, 0);
    answered(VT_TVM_INIT, VTA_ARG_NULL);
    vt__rpc_put_u64(&in, 5);
    vt_strbuf_add(&in, "1.2.");
    raised(VT_TVM_INIT, VTA_PARSE, "the first packet is cut short");
    vt__rpc_put_u64(&in, 0);
    vt__rpc_put_u32(&in, 1);
    vt__rpc_put_u32(&in, VTA_ARG_NULL);
    raised(VT_TVM_INIT, VTA_UNSUPPORTED, "this server makes no sessions to other servers");
    for (uint32_t code = VT_TVM_RETURN; code <= VT_TVM_COPY_ACK; code++)
        if (code != VT_TVM_COPY_FROM && code != VT_TVM_COPY_TO)
            raised(code, VTA_PARSE, "a packet that only servers send");
    raised(0, VTA_UNSUPPORTED, "packets of code 0 are not known here");
    raised(18, VTA_UNSUPPORTED, "packets of code 18 are not known here");
    vt_strbuf_clear(&out);
    told(diag, vt__tvm_answer(&session, "\1\0\0", 3, &out, &over), VTA_PARSE, "an empty packet");
    assert_false(over);
    assert_int_equal(ask(VT_TVM_SHUTDOWN), VTA_OK);
    assert_true(over);
    assert_int_equal(out.size, 7); /* no answer */
}

/* Each packet with values of other types than it wants, or with fewer. */
static void wrong_values(void **state) {
    (void)state;
    static const struct {
        uint32_t code;
        int count;
        int first, second;
        const char *name;
    } packets[] = {
        {VT_TVM_GET_FUNCTION, 1, VTA_ARG_STRING, 0, "get global function"},
        {VT_TVM_FREE_HANDLE, 1, VTA_ARG_HANDLE, 0, "free handle"},
        {VT_TVM_GET_ATTRIBUTE, 2, VTA_ARG_DEVICE, VTA_ARG_INT, "get attribute"},
        {VT_TVM_ALLOC, 2, VTA_ARG_DEVICE, VTA_ARG_INT, "alloc data"},
        {VT_TVM_FREE_DATA, 2, VTA_ARG_DEVICE, VTA_ARG_HANDLE, "free data"},
        {VT_TVM_COPY_BETWEEN, 2, VTA_ARG_TENSOR, VTA_ARG_TENSOR, "copy amongst remotes"},
        {VT_TVM_ALLOC_SCOPE, 1, VTA_ARG_TENSOR, 0, "alloc data with scope"},
    };
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++)
        for (int wrong = 0; wrong <= packets[i].count; wrong++) {
            char words[96];
            begin_values();
            for (int n = 0; n < packets[i].count; n++) {
                int type = n ? packets[i].second : packets[i].first;
                if (wrong == packets[i].count && n == wrong - 1) break; /* one too few */
                if (wrong == n)
                    bits(VTA_ARG_MODULE, 0);
                else if (type == VTA_ARG_DEVICE)
                    device(kDLCPU, 0);
                else if (type == VTA_ARG_TENSOR)
                    tensor(1, kDLCPU, 1, 0);
                else
                    bits(type, 0);
            }
            end_values();
            snprintf(words, sizeof words, "%s: its arguments are of other types", packets[i].name);
            raised(packets[i].code, VTA_INVALID_ARGUMENT, words);
        }
}

/* ---- Devices and data -------------------------------------------------------------------------------------------- */

static void devices(void **state) {
    (void)state;
    static const struct {
        int type, number;
        bool there;
    } cases[] = {{kDLCPU, 0, true}, {kDLExtDev, 0, true}, {kDLCPU, 1, false}, {kDLExtDev, 1, false}, {2, 0, false}};
    for (int i = 0; i < 5; i++)
        for (uint64_t attribute = 0; attribute < 2; attribute++) {
            begin_values();
            device(cases[i].type, cases[i].number);
            bits(VTA_ARG_INT, attribute);
            end_values();
            uint64_t got = answered(VT_TVM_GET_ATTRIBUTE, attribute ? VTA_ARG_NULL : VTA_ARG_INT);
            if (!attribute) assert_int_equal(got, cases[i].there);
        }
}

static void between(uint64_t a, int64_t extent, uint64_t from, uint64_t b, uint64_t to) {
    begin_values();
    tensor(a, kDLCPU, extent, from);
    tensor(b, kDLCPU, extent, to);
    end_values();
}

static void data(void **state) {
    (void)state;
    uint64_t a = alloc(100, false), b = alloc(50, true);
    assert_int_equal(session.objects.array_bytes, 150);
    put_copy(a, 90, 10);
    vt_strbuf_add(&in, "0123456789");
    answered(VT_TVM_COPY_TO, VTA_ARG_NULL);
    put_copy(a, 90, 9);
    vt_strbuf_add(&in, "0123456789");
    raised(VT_TVM_COPY_TO, VTA_PARSE, "a copy of 9 bytes has 10");
    put_copy(a, 0, 0);
    in.size--;
    raised(VT_TVM_COPY_TO, VTA_PARSE, "a copy is cut short");
    put_copy(a, 91, 10);
    vt_strbuf_add(&in, "0123456789");
    raised(VT_TVM_COPY_TO, VTA_OUT_OF_RANGE, "10 bytes from 91 on of an array of 100 bytes");
    put_copy(a, 88, 12);
    assert_int_equal(ask(VT_TVM_COPY_FROM), VTA_OK);
    assert_int_equal(out.size, 7 + 24);
    assert_memory_equal(out.text + 7,
                        "\x10\0\0\0\0\0\0\0\x08\0\0\0\0\0"
                        "0123456789",
                        24);
    put_copy(a, 88, 13);
    raised(VT_TVM_COPY_FROM, VTA_OUT_OF_RANGE, "13 bytes from 88 on of an array of 100 bytes");
    put_copy(a, 0, 1);
    vt_strbuf_addc(&in, 'x');
    raised(VT_TVM_COPY_FROM, VTA_OUT_OF_RANGE, "a copy of 1 bytes; at most 536870912");
    put_copy(a, 0, 536870912);
    raised(VT_TVM_COPY_FROM, VTA_OUT_OF_RANGE, "536870912 bytes from 0 on of an array of 100 bytes");
    put_copy(a, 0, 536870913);
    raised(VT_TVM_COPY_FROM, VTA_OUT_OF_RANGE, "a copy of 536870913 bytes; at most 536870912");
    between(a, 10, 90, b, 40);
    answered(VT_TVM_COPY_BETWEEN, VTA_ARG_NULL);
    put_copy(b, 40, 10);
    assert_int_equal(ask(VT_TVM_COPY_FROM), VTA_OK);
    assert_memory_equal(out.text + 7 + 12, "0123456789", 10);
    between(a, 10, 91, b, 40);
    raised(VT_TVM_COPY_BETWEEN, VTA_OUT_OF_RANGE, "a tensor goes beyond the 100 bytes of its array");
    between(a, 10, 90, b, 41);
    raised(VT_TVM_COPY_BETWEEN, VTA_OUT_OF_RANGE, "a tensor goes beyond the 50 bytes of its array");
    between(a, 10, 101, b, 0);
    raised(VT_TVM_COPY_BETWEEN, VTA_OUT_OF_RANGE, "a tensor goes beyond the 100 bytes of its array");
    between(a, 0, 100, b, 50);
    answered(VT_TVM_COPY_BETWEEN, VTA_ARG_NULL);
    begin_values();
    tensor(a, kDLExtDev, 1, 0);
    tensor(b, kDLCPU, 1, 0);
    end_values();
    raised(VT_TVM_COPY_BETWEEN, VTA_MISMATCH, "a tensor is said to be on device type 12, and is on 1");
    begin_values();
    device(kDLCPU, 0);
    bits(VTA_ARG_HANDLE, a);
    end_values();
    answered(VT_TVM_FREE_DATA, VTA_ARG_NULL);
    assert_int_equal(session.objects.array_bytes, 50);
    only(VTA_ARG_HANDLE, b);
    answered(VT_TVM_FREE_HANDLE, VTA_ARG_NULL);
    assert_int_equal(session.objects.array_bytes, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_session, end_session)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(types_that_travel), TEST(counts_and_ends), TEST(other_packets),
                                       TEST(wrong_values),      TEST(devices),         TEST(data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
