/* The recorder by itself: each call leaves its line, goes on with all of its arguments, and brings back what it gave.
 */
#include "build/build_test.h"
#include "build/trace.h"
#include "support/check.h"
#include "vta/build.h"
#include "vta/runtime.h"

#define EXPORTED __attribute__((visibility("default")))

/* ---- The runtime that the calls go on to ------------------------------------------------------------------------- */

static char passed[256]; /* the last call, with its arguments in order */

#define PASSED(...) snprintf(passed, sizeof passed, __VA_ARGS__)
static int at(const void *p) { return (int)(intptr_t)p; }
static void *pointer(int n) { return (void *)(intptr_t)n; }

EXPORTED void VTALoadBuffer2D(VTACommandHandle cmd, void *src, uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                              uint32_t e, uint32_t f, uint32_t g, uint32_t h, uint32_t i, uint32_t j) {
    PASSED("load %d %d %u %u %u %u %u %u %u %u %u %u", at(cmd), at(src), a, b, c, d, e, f, g, h, i, j);
}
EXPORTED void VTAStoreBuffer2D(VTACommandHandle cmd, uint32_t a, uint32_t b, void *dst, uint32_t c, uint32_t d,
                               uint32_t e, uint32_t f) {
    PASSED("store %d %u %u %d %u %u %u %u", at(cmd), a, b, at(dst), c, d, e, f);
}
EXPORTED void VTAUopPush(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f, uint32_t g,
                         int32_t h) {
    PASSED("uop %u %u %u %u %u %u %u %d", a, b, c, d, e, f, g, h);
}
EXPORTED void VTAUopLoopBegin(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    PASSED("begin %u %u %u %u", a, b, c, d);
}
EXPORTED void VTAUopLoopEnd(void) { PASSED("end"); }
EXPORTED int VTAPushGEMMOp(void **handle, int (*finit)(void *), void *signature, int size) {
    PASSED("gemm %d %d %d", at(handle), finit(signature), size);
    return 71;
}
EXPORTED int VTAPushALUOp(void **handle, int (*finit)(void *), void *signature, int size) {
    PASSED("alu %d %d %d", at(handle), finit(signature), size);
    return 72;
}
EXPORTED int VTADepPush(VTACommandHandle cmd, int from, int to) {
    PASSED("push %d %d %d", at(cmd), from, to);
    return 73;
}
EXPORTED int VTADepPop(VTACommandHandle cmd, int from, int to) {
    PASSED("pop %d %d %d", at(cmd), from, to);
    return 74;
}
EXPORTED void VTASynchronize(VTACommandHandle cmd, uint32_t cycles) { PASSED("sync %d %u", at(cmd), cycles); }

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static void (*symbol(const char *name))(void) {
    size_t n;
    const vt_jit_symbol *symbols = vt__trace_symbols(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(symbols[i].name, name) == 0) return symbols[i].address;
    fail_msg("%s is not recorded", name);
    return NULL;
}
#define TRACED(name) ((__typeof__(&name))symbol(#name))

static int number_of(void *signature) { return signature ? *(int32_t *)signature : 5; }

static vt_strbuf lines;

/* The line that was written since the last time (or none), and the call that went on. */
static void expect(const char *line, const char *call) {
    assert_string_equal(vt_strbuf_text(&lines), line);
    assert_string_equal(passed, call);
    vt_strbuf_clear(&lines);
    passed[0] = 0;
}

static void every_call(bool recorded) {
    int32_t number = 9;
#define LINE(text) (recorded ? (text) : "")
    TRACED(VTALoadBuffer2D)(pointer(1), pointer(2), 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    expect(LINE("load buf0 3 4 5 6 7 8 9 10 11 12\n"), "load 1 2 3 4 5 6 7 8 9 10 11 12");
    TRACED(VTAStoreBuffer2D)(pointer(1), 2, 3, pointer(4), 5, 6, 7, 8);
    expect(LINE("store 2 3 buf1 5 6 7 8\n"), "store 1 2 3 4 5 6 7 8");
    TRACED(VTAStoreBuffer2D)(pointer(1), 2, 3, pointer(2), 5, 6, 7, 8);
    expect(LINE("store 2 3 buf0 5 6 7 8\n"), "store 1 2 3 2 5 6 7 8");
    TRACED(VTAUopPush)(1, 2, 3, 4, 5, 6, 7, -8);
    expect(LINE("  uop 1 2 3 4 5 6 7 -8\n"), "uop 1 2 3 4 5 6 7 -8");
    TRACED(VTAUopLoopBegin)(1, 2, 3, 4);
    expect(LINE("  loop 1 2 3 4\n"), "begin 1 2 3 4");
    TRACED(VTAUopLoopEnd)();
    expect(LINE("  endloop\n"), "end");
    assert_int_equal(TRACED(VTAPushGEMMOp)(pointer(6), number_of, &number, 4), 71);
    expect(LINE("gemm site0 sig=9\nend\n"), "gemm 6 9 4");
    assert_int_equal(TRACED(VTAPushALUOp)(pointer(7), number_of, NULL, 0), 72);
    expect(LINE("alu site1 sig=-1\nend\n"), "alu 7 5 0");
    assert_int_equal(TRACED(VTAPushALUOp)(pointer(6), number_of, NULL, 3), 72); /* no whole number */
    expect(LINE("alu site0 sig=-1\nend\n"), "alu 6 5 3");
    assert_int_equal(TRACED(VTADepPush)(pointer(1), 2, 3), 73);
    expect(LINE("push 2 3\n"), "push 1 2 3");
    assert_int_equal(TRACED(VTADepPop)(pointer(1), 3, 2), 74);
    expect(LINE("pop 3 2\n"), "pop 1 3 2");
    TRACED(VTASynchronize)(pointer(1), 99);
    expect(LINE("sync\n"), "sync 1 99");
}

TEST_CASE(calls) {
    size_t n;
    vt_strbuf_init(&lines, NULL);
    vt__trace_symbols(&n);
    assert_int_equal(n, 10);
    assert_int_equal(vtac_trace_begin(NULL, NULL), VTA_INVALID_ARGUMENT);
    every_call(false);
    for (int again = 0; again < 2; again++) { /* a second recording numbers from 0 */
        assert_int_equal(vtac_trace_begin(trace_to, &lines), VTA_OK);
        every_call(true);
    }
    vtac_trace_end();
    every_call(false);
    vt_strbuf_free(&lines);
}

/* 4096 buffers have numbers of their own; those after them share the last one's. */
TEST_CASE(many_buffers) {
    vt_strbuf_init(&lines, NULL);
    assert_int_equal(vtac_trace_begin(trace_to, &lines), VTA_OK);
    for (int i = 0; i < 4100; i++) {
        char want[64];
        vt_strbuf_clear(&lines);
        TRACED(VTAStoreBuffer2D)(NULL, 0, 0, pointer(i + 1), 0, 0, 0, 0);
        snprintf(want, sizeof want, "store 0 0 buf%d 0 0 0 0\n", i < 4096 ? i : 4095);
        assert_string_equal(vt_strbuf_text(&lines), want);
    }
    vtac_trace_end();
    vt_strbuf_free(&lines);
}

int main(void) { return run_cases(); }
