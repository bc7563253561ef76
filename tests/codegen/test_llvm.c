/* LLVM's text of a small function, where a fault changes speed or what other code may assume but no result. */
#include "codegen/kernels.h"
#include "ir/attr.h"
#include "support/check.h"

static const vt_expr *ramp(vt_ctx *c, int64_t from, int64_t stride) {
    return vt_e_ramp(c, vt_i32(c, from), vt_i32(c, stride), 4);
}

static const vt_func *make(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "x", VT_I32, 8), flat(c, "m", VT_BOOL, 8), flat(c, "y", VT_I32, 8)};
    const vt_var *i = vt_var_new(c, "i", VT_I32);
    const vt_expr *called[] = {vt_string(c, "twice"), at(c, b[0], i)};
    const vt_expr *twice = vt_e_call(c, VT_I32, VT_OP_CALL_EXTERN, 2, called);
    const vt_stmt *items[] = {
        set(c, b[2], ramp(c, 0, 1), at(c, b[0], ramp(c, 4, 1))), /* one load and one store */
        set(c, b[2], ramp(c, 0, 2), at(c, b[0], ramp(c, 1, 2))), /* lane by lane */
        set(c, b[1], vt_i32(c, 0), at(c, b[1], vt_i32(c, 1))),
        vt_s_for(c, i, vt_i32(c, 0), vt_i32(c, 8), VT_FOR_PARALLEL, set(c, b[2], i, twice)),
    };
    return function(c, "f", 3, b, vt_s_seq(c, 4, items));
}

/* Elements are aligned as their type is, tensors do not overlap, nothing throws, and only the entry is seen outside. */
static const char *const parts[] = {
    "@__vta_signature_f = constant [",
    "\\00\", align 1\n",
    "\ndefine dso_local i32 @f(ptr %0, ptr %1, i32 %2, ptr %3, ptr %4, ptr %5) #0 {\n",
    "\ndefine internal i32 @vta_fail(ptr %0, i64 %1, i64 %2) #1 {\n",
    "\ndeclare void @TVMAPISetLastError(ptr) #2\n",
    "\ndeclare i32 @twice(i32) #2\n",
    "\ndeclare i32 @TVMBackendParallelLaunch(ptr, ptr, i32) #2\n",
    "\ndefine internal i32 @f_parallel_0_body(i32 %0, i32 %1, ptr noalias %2, ptr noalias %3) #0 {\n",
    "\ndefine internal i32 @f_parallel_0(i32 %0, ptr %1, ptr %2) #0 {\n",
    "\nattributes #0 = { noinline nounwind optnone }\nattributes #1 = { cold noinline nounwind optnone }\n"
    "attributes #2 = { nounwind }\n",
    "\ndefine internal i32 @f_compute_(ptr noalias %0, ptr noalias %1, ptr noalias %2) #0 {\nentry:\n"
    "  %3 = alloca { ptr, ptr }, align 8\n",
    "  %4 = getelementptr inbounds i32, ptr %0, i32 4\n  %5 = load <4 x i32>, ptr %4, align 4\n"
    "  %6 = getelementptr inbounds i32, ptr %2, i32 0\n  store <4 x i32> %5, ptr %6, align 4\n",
    "  %7 = getelementptr inbounds i32, ptr %0, i32 1\n  %8 = load i32, ptr %7, align 4\n"
    "  %9 = insertelement <4 x i32> poison, i32 %8, i32 0\n  %10 = getelementptr inbounds i32, ptr %0, i32 3\n",
    "  %25 = extractelement <4 x i32> %18, i32 3\n  %26 = getelementptr inbounds i32, ptr %2, i32 6\n"
    "  store i32 %25, ptr %26, align 4\n",
    "  %28 = load i8, ptr %27, align 1\n  %29 = icmp ne i8 %28, 0\n",
    "  %31 = zext i1 %29 to i8\n  store i8 %31, ptr %30, align 1\n",
    "  %34 = call i32 @TVMBackendParallelLaunch(ptr @f_parallel_0, ptr %3, i32 0)\n  %35 = icmp eq i32 %34, 0\n",
};

TEST_CASE(text_of_a_function) {
    kit k;
    vt_strbuf text;
    kit_open(&k);
    if (emit(&k, make(&k.ctx), VT_DEVICE_CPU, NULL, VT_EMIT_LLVM, 0, &text) != VTA_OK)
        fail_msg("%s", vta_diag_text(k.diag));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_contains(vt_strbuf_text(&text), parts[i]);
    vt_strbuf_free(&text);
    kit_close(&k);
}

/* Nests of loops, outermost first, and how often the code of each looks whether it is to stop: loops around 4096 steps
 * of innermost loops or more do, and innermost loops of more than 2 * 2^20 steps, which are run in pieces. */
static const struct {
    int64_t extents[3];
    bool twice; /* the innermost loop, one after the other */
    int looks;
} nests[] = {
    {{10, 4096}, false, 1},         {{10, 4095}, false, 0},         {{10, 64, 64}, false, 1},
    {{10, 64, 63}, false, 0},       {{10, 1, 4095}, false, 0},      {{10, 4095}, true, 0},
    {{10, 4096}, true, 1},          {{4096, 4096}, false, 1},       {{10, 4096, 4096}, false, 2},
    {{10, 4096, 2}, false, 1},      {{1 << 21}, false, 0},          {{(1 << 21) + 1}, false, 1},
    {{(1 << 21) + 1, 2}, false, 0}, {{2, (1 << 21) + 1}, false, 2}, {{2, 2, 1 << 21}, false, 2},
};

static const vt_stmt *loops(vt_ctx *c, const int64_t *extents, int n, bool twice, const vt_stmt *body) {
    if (n == 0) return body;
    const vt_stmt *inner = loop(c, vt_var_new(c, "i", VT_I32), extents[0], loops(c, extents + 1, n - 1, twice, body));
    const vt_stmt *again = loop(c, vt_var_new(c, "i", VT_I32), extents[0], body);
    return n == 1 && twice ? vt_s_seq(c, 2, (const vt_stmt *const[]){inner, again}) : inner;
}

TEST_CASE(looks_of_loops) {
    for (size_t i = 0; i < 2 * sizeof nests / sizeof *nests; i++) {
        kit k;
        vt_strbuf text;
        int n = 0, looks = 0, depth = 0;
        kit_open(&k);
        vt_ctx *c = &k.ctx;
        const vt_buffer *y = flat(c, "y", VT_I32, 8);
        while (depth < 3 && nests[i / 2].extents[depth]) depth++;
        const vt_stmt *s =
            loops(c, nests[i / 2].extents, depth, nests[i / 2].twice, set(c, y, vt_i32(c, 0), vt_i32(c, 1)));
        vt_codegen_func f = {.func = function(c, "f", 1, &y, s), .device_type = VT_DEVICE_CPU};
        vt_codegen_job job = {.funcs = &f, .count = 1, .interruptible = i % 2};
        vt_strbuf_init(&text, NULL);
        if (vt_codegen_emit(c, &job, VT_EMIT_LLVM, &text) != VTA_OK) fail_msg("%s", vta_diag_text(k.diag));
        for (const char *at = vt_strbuf_text(&text); (at = strstr(at, "load volatile i32, ptr @vta_host_stop")); at++)
            looks++;
        n = i % 2 ? nests[i / 2].looks : 0;
        if (looks != n) fail_msg("nest %zu: %d looks, not %d", i / 2, looks, n);
        assert_int_equal(strstr(vt_strbuf_text(&text), "@vta_host_stop = extern_weak global i32") != NULL, looks > 0);
        vt_strbuf_free(&text);
        kit_close(&k);
    }
}

/* ---- What is optimised ------------------------------------------------------------------------------------------- */

/* outside(x[0]) is a load, y[0] = 1 a store, outside(1) neither. */
static const vt_func *make_access(vt_ctx *c, bool load, bool store) {
    const vt_buffer *b[] = {flat(c, "x", VT_I32, 8), flat(c, "y", VT_I32, 8)};
    const vt_expr *zero = vt_i32(c, 0), *one = vt_i32(c, 1), *taken = load ? at(c, b[0], zero) : one;
    const vt_stmt *items[] = {vt_s_eval(c, vt_e_call_extern(c, VT_I32, "outside", 1, &taken)), set(c, b[1], zero, one)};
    return function(c, "f", 2, b, vt_s_seq(c, store ? 2 : 1, items));
}

/* Is a function kept from LLVM's optimiser? */
static bool as_it_is(const char *text, const char *name) {
    char begin[32];
    const char *line = strstr(text, "\ndefine ");
    while (line && (!strstr(line, name) || strstr(line, name) > strstr(line, "{\n")))
        line = strstr(line + 1, "\ndefine ");
    if (!line) fail_msg("no %s", name);
    snprintf(begin, sizeof begin, "\nattributes #%d = {", atoi(strchr(line, '#') + 1));
    const char *attributes = strstr(text, begin), *none = strstr(attributes, " optnone ");
    return none && none < strchr(attributes, '}');
}

/* The bodies of functions that load or store are optimised, not their entries, nor functions that only call. */
TEST_CASE(optimised_functions) {
    for (int i = 0; i < 8; i++) {
        bool load = i & 1, store = i & 2;
        int level = i / 4 * 2;
        kit k;
        vt_strbuf text;
        kit_open(&k);
        const vt_func *f = make_access(&k.ctx, load, store);
        if (emit(&k, f, VT_DEVICE_CPU, NULL, VT_EMIT_LLVM, level, &text) != VTA_OK)
            fail_msg("%s", vta_diag_text(k.diag));
        assert_true(as_it_is(vt_strbuf_text(&text), "@f("));
        assert_true(as_it_is(vt_strbuf_text(&text), "@vta_fail("));
        if (as_it_is(vt_strbuf_text(&text), "@f_compute_(") != (level == 0 || (!load && !store)))
            fail_msg("load %d, store %d, level %d", load, store, level);
        vt_strbuf_free(&text);
        kit_close(&k);
    }
}

/* ---- Tables of runtime calls ------------------------------------------------------------------------------------- */

/* A run of calls with four numbers, something else, another run, and a micro-kernel of so many loops of so many steps
 * in all. The table has a word, 5 for each call, 3 for the kernel's push and those of its own calls behind their count;
 * 0: there is none. */
static const struct {
    int first, second, kernel_loops, kernel_calls, words;
} tables[] = {
    {64, 0, 0, 0, 1 + 64 * 5},
    {63, 0, 0, 0, 0},
    {56, 8, 0, 0, 1 + 64 * 5},
    {57, 7, 0, 0, 0}, /* 7 are not worth it */
    {64, 7, 0, 0, 1 + 64 * 5},
    {8, 63, 1, 1, 1 + 71 * 5 + 3 + 1 + 5},
    {0, 63, 1, 1, 1 + 63 * 5 + 3 + 1 + 5}, /* the push counts */
    {0, 62, 1, 1, 0},
    {0, 64, 1, 2048, 1 + 64 * 5 + 3 + 1 + 2048 * 5},
    {0, 64, 1, 2049, 1 + 64 * 5},
    {0, 64, 8, 1, 1 + 64 * 5 + 3 + 1 + 5},
    {0, 64, 9, 1, 1 + 64 * 5},
};

static const vt_stmt *begin_call(vt_ctx *c) {
    const vt_expr *args[] = {vt_string(c, "VTAUopLoopBegin"), vt_i32(c, 3), vt_i32(c, 4), vt_i32(c, 5), vt_i32(c, 6)};
    return vt_s_eval(c, vt_e_call(c, VT_I32, VT_OP_CALL_EXTERN, 5, args));
}

static const vt_stmt *micro_kernel(vt_ctx *c, int n, int calls) {
    const vt_stmt *s = begin_call(c);
    for (int i = 0; i < n; i++) s = loop(c, vt_var_new(c, "i", VT_I32), i ? 1 : calls, s);
    const vt_iter *axis = vt_iter_new(c, vt_var_new(c, "vta", VT_I32), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    return vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(c, "VTAPushGEMMOp"), s);
}

TEST_CASE(sizes_of_tables) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        kit k;
        vt_strbuf text;
        char want[64];
        const vt_stmt *items[160];
        uint32_t n = 0;
        kit_open(&k);
        vt_ctx *c = &k.ctx;
        const vt_buffer *y = flat(c, "y", VT_I32, 8);
        for (int j = 0; j < tables[i].first; j++) items[n++] = begin_call(c);
        items[n++] = set(c, y, vt_i32(c, 0), vt_i32(c, 1));
        for (int j = 0; j < tables[i].second; j++) items[n++] = begin_call(c);
        if (tables[i].kernel_loops) items[n++] = micro_kernel(c, tables[i].kernel_loops, tables[i].kernel_calls);
        if (emit(&k, function(c, "f", 1, &y, vt_s_seq(c, n, items)), VT_DEVICE_CPU, NULL, VT_EMIT_LLVM, 0, &text) !=
            VTA_OK)
            fail_msg("%s", vta_diag_text(k.diag));
        snprintf(want, sizeof want, "@f_calls = internal constant [%d x i8] ", 4 * tables[i].words);
        const char *table = strstr(vt_strbuf_text(&text), "@f_calls = ");
        if (!table != !tables[i].words || (table && strncmp(table, want, strlen(want)) != 0))
            fail_msg("table %zu: %.60s, not %s", i, table ? table : "none", want);
        vt_strbuf_free(&text);
        kit_close(&k);
    }
}

/* What records a micro-kernel, and what the runtime keeps of it, are seen by this object only: two may have kernels of
 * one name. */
TEST_CASE(private_kernels) {
    kit k;
    vt_strbuf text;
    kit_open(&k);
    if (emit(&k, function(&k.ctx, "f", 0, NULL, micro_kernel(&k.ctx, 1, 2)), VT_DEVICE_CPU, NULL, VT_EMIT_LLVM, 0,
             &text))
        fail_msg("%s", vta_diag_text(k.diag));
    assert_contains(vt_strbuf_text(&text), "@f_uop_handle_0 = internal global ptr null");
    assert_contains(vt_strbuf_text(&text), "\ndefine internal i32 @f_uops_0(ptr ");
    vt_strbuf_free(&text);
    kit_close(&k);
}

/* ---- The runtime's functions ------------------------------------------------------------------------------------- */

/* As their prototypes have them (docs/spec.md, section 6), on a machine of 64 bits. */
static const char *const declarations[] = {
    "ptr @VTABufferAlloc(i64)",
    "void @VTABufferFree(ptr)",
    "void @VTABufferCopy(ptr, i64, ptr, i64, i64, i32)",
    "ptr @VTATLSCommandHandle()",
    "void @VTARuntimeShutdown()",
    "ptr @VTABufferCPUPtr(ptr, ptr)",
    "void @VTAWriteBarrier(ptr, ptr, i32, i32, i32)",
    "void @VTAReadBarrier(ptr, ptr, i32, i32, i32)",
    "void @VTASetDebugMode(ptr, i32)",
    "void @VTALoadBuffer2D(ptr, ptr, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32)",
    "void @VTAStoreBuffer2D(ptr, i32, i32, ptr, i32, i32, i32, i32)",
    "void @VTAUopPush(i32, i32, i32, i32, i32, i32, i32, i32)",
    "void @VTAUopLoopBegin(i32, i32, i32, i32)",
    "void @VTAUopLoopEnd()",
    "i32 @VTAPushGEMMOp(ptr, ptr, ptr, i32)",
    "i32 @VTAPushALUOp(ptr, ptr, ptr, i32)",
    "i32 @VTADepPush(ptr, i32, i32)",
    "i32 @VTADepPop(ptr, i32, i32)",
    "void @VTASynchronize(ptr, i32)",
    "ptr @VTADeviceAlloc()",
    "void @VTADeviceFree(ptr)",
    "i32 @VTADeviceRun(ptr, i32, i32, i32)",
    "ptr @VTAMemAlloc(i64, i32)",
    "void @VTAMemFree(ptr)",
    "i32 @VTAMemGetPhyAddr(ptr)",
    "void @VTAMemCopyFromHost(ptr, ptr, i64)",
    "void @VTAMemCopyToHost(ptr, ptr, i64)",
    "void @VTAFlushCache(ptr, i32, i32)",
    "void @VTAInvalidateCache(ptr, i32, i32)",
    "void @VTAProgram(ptr)",
    "void @VTAShareUops(ptr, i32)",
    "void @VTAAnnotate(ptr, ptr, i32, i32, i32, i32, i32)",
};

static const struct {
    const char *name, *types; /* of the arguments */
} runtime[] = {
#define VTA_RUNTIME_ENTRY(name, result, types, ...) {#name, types},
#include "vta/runtime.def"
#undef VTA_RUNTIME_ENTRY
};

enum { FUNCTIONS = sizeof runtime / sizeof *runtime, MAX_TIMES = 8 };

/* Calls them one after the other, each so often. Those that take a micro-kernel are rows of a table only where the
 * compiler made it, and sizes are wider than a word. */
static const vt_func *callers(vt_ctx *c, uint32_t times, uint32_t *out_words) {
    const vt_buffer *b = flat(c, "b", VT_I32, 8);
    const vt_stmt *items[MAX_TIMES * FUNCTIONS];
    *out_words = 1;
    for (uint32_t i = 0; i < times * FUNCTIONS; i++) {
        const vt_expr *args[16];
        uint32_t n = 0, which = i / times;
        for (const char *t = runtime[which].types; *t; t++)
            args[n++] = *t == 'p' ? (const vt_expr *)b->data : vt_i32(c, 1);
        items[i] = vt_s_eval(c, vt_e_call_extern(c, VT_I32, runtime[which].name, n, args));
        if (!strchr(runtime[which].types, 'z') && strncmp(runtime[which].name, "VTAPush", 7) != 0) *out_words += 1 + n;
    }
    return function(c, "f", 1, &b, vt_s_seq(c, times * FUNCTIONS, items));
}

/* Each is called as it is declared, be the calls one by one or from a table. */
static void check_declared(uint32_t times) {
    kit k;
    vt_strbuf text;
    uint32_t words;
    kit_open(&k);
    const vt_func *f = callers(&k.ctx, times, &words);
    if (emit(&k, f, VT_DEVICE_EXT_DEV, "x86_64-linux-gnu", VT_EMIT_LLVM, 0, &text) != VTA_OK)
        fail_msg("%s", vta_diag_text(k.diag));
    const char *table = vt_new_format(&k.ctx, "@f_calls = internal constant [%u x i8] ", 4 * words);
    assert_int_equal(strstr(vt_strbuf_text(&text), table) != NULL, times > 1);
    assert_contains(vt_strbuf_text(&text), "call i32 @VTAPushGEMMOp(ptr %0, ptr %0, ptr %0, i32 1)");
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        assert_contains(vt_strbuf_text(&text), vt_new_format(&k.ctx, "\ndeclare %s #", declarations[i]));
    vt_strbuf_free(&text);
    kit_close(&k);
}

TEST_CASE(declared_functions) {
    assert_int_equal(sizeof declarations / sizeof *declarations, FUNCTIONS);
    check_declared(1);
    check_declared(MAX_TIMES);
}

int main(void) { return run_cases(); }
