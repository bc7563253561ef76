/* Packets of TVM's protocol as a session in this process answers them. */
#ifndef TESTS_RPC_PACKET_H
#define TESTS_RPC_PACKET_H

#include "rpc/asked.h"
#include "rpc/tvm.h"

static bool over;

/* Sends a packet of this code with the bytes in `in` after it. */
static inline vta_status ask(uint32_t code) {
    vt_strbuf whole;
    vt_strbuf_init(&whole, NULL);
    vt__rpc_put_u32(&whole, code);
    vt_strbuf_addn(&whole, vt_strbuf_text(&in), in.size);
    vt_strbuf_clear(&out);
    vt_strbuf_add(&out, "earlier"); /* it is kept */
    vta_status status = vt__tvm_answer(&session, whole.text, whole.size, &out, &over);
    assert_memory_equal(out.text, "earlier", 7);
    vt_strbuf_clear(&in);
    vt_strbuf_free(&whole);
    return status;
}

static inline uint64_t number_at(size_t at) {
    uint64_t value = 0;
    assert_in_range(out.size, 7 + at + 8, SIZE_MAX);
    for (size_t i = 8; i-- > 0;) value = value << 8 | (uint8_t)out.text[7 + at + i];
    return value;
}

/* A packet of one value or none; the length before all counts what follows it. */
static inline uint64_t answered(uint32_t code, int type) {
    if (ask(code) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    if (vta_diag_count(diag)) fail_msg("%s", vta_diag_text(diag));
    vt_strbuf expected;
    vt_strbuf_init(&expected, NULL);
    vt__rpc_put_u64(&expected, type == VTA_ARG_NULL ? 12 : 20);
    vt__rpc_put_u32(&expected, VT_TVM_RETURN);
    vt__rpc_put_u32(&expected, 1);
    vt__rpc_put_u32(&expected, (uint32_t)type);
    assert_int_equal(out.size, 7 + expected.size + (type == VTA_ARG_NULL ? 0 : 8));
    assert_memory_equal(out.text + 7, expected.text, expected.size);
    vt_strbuf_free(&expected);
    return type == VTA_ARG_NULL ? 0 : number_at(20);
}

/* An exception with these words. */
static inline void raised(uint32_t code, vta_status status, const char *words) {
    size_t size = strlen(words);
    vta_status got = ask(code);
    told(diag, got == VTA_PARSE ? got : status, status, words);
    assert_int_equal(got, status == VTA_PARSE ? VTA_PARSE : VTA_OK); /* only nonsense ends the connection */
    assert_int_equal(number_at(0), 20 + size);
    assert_int_equal(out.text[7 + 8], VT_TVM_EXCEPTION);
    assert_int_equal(number_at(20), size);
    assert_int_equal(out.size, 7 + 28 + size);
    assert_memory_equal(out.text + 7 + 28, words, size);
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static int codes[80];
static int code_count;
static vt_strbuf values;

static inline void begin_values(void) {
    code_count = 0;
    vt_strbuf_init(&values, NULL);
}

static inline void bits(int code, uint64_t value) {
    codes[code_count++] = code;
    vt__rpc_put_u64(&values, value);
}

static inline void text(int code, const char *bytes, size_t size) {
    bits(code, size);
    vt_strbuf_addn(&values, bytes, size);
}

static inline void device(int type, int number) {
    codes[code_count++] = VTA_ARG_DEVICE;
    vt__rpc_put_u32(&values, (uint32_t)type);
    vt__rpc_put_u32(&values, (uint32_t)number);
}

static inline void tensor_fields(vt_strbuf *to, uint64_t array, int type, int64_t extent, uint64_t offset) {
    vt__rpc_put_u64(to, array);
    vt__rpc_put_u32(to, (uint32_t)type);
    vt__rpc_put_u32(to, 0);
    vt__rpc_put_u32(to, 1); /* dimension */
    vt__rpc_put_u8(to, kDLInt);
    vt__rpc_put_u8(to, 8);
    vt__rpc_put_u16(to, 1);
    vt__rpc_put_u64(to, (uint64_t)extent);
    vt__rpc_put_u64(to, offset);
}

static inline void tensor(uint64_t array, int type, int64_t extent, uint64_t offset) {
    codes[code_count++] = VTA_ARG_TENSOR;
    tensor_fields(&values, array, type, extent, offset);
}

static inline void end_values(void) {
    vt__rpc_put_u32(&in, (uint32_t)code_count);
    for (int i = 0; i < code_count; i++) vt__rpc_put_u32(&in, (uint32_t)codes[i]);
    vt_strbuf_addn(&in, vt_strbuf_text(&values), values.size);
    vt_strbuf_free(&values);
}

static inline void only(int code, uint64_t value) {
    begin_values();
    bits(code, value);
    end_values();
}

static inline uint64_t alloc(int64_t bytes, bool scope) {
    begin_values();
    if (scope) {
        tensor(0, kDLCPU, bytes, 0);
    } else {
        device(kDLCPU, 0);
        bits(VTA_ARG_INT, (uint64_t)bytes);
    }
    end_values();
    return answered(scope ? VT_TVM_ALLOC_SCOPE : VT_TVM_ALLOC, VTA_ARG_HANDLE);
}

static inline void put_copy(uint64_t array, uint64_t offset, uint64_t bytes) {
    tensor_fields(&in, array, kDLCPU, 1, offset);
    vt__rpc_put_u64(&in, bytes);
}

#endif
