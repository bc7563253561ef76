/* The recorder: what traced code calls in place of the runtime, writing each call before it goes on.
 *
 * One recording a thread, in a thread-local variable: the runtime's functions have no argument that could carry it.
 * The next function is found as the dynamic linker would find it, so a preloaded recorder still sees every call. */
#include "build/trace.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>

#include "vta/build.h"

enum { MAX = 4096 };

typedef struct recording {
    void (*write)(void *ctx, const char *text, size_t size);
    void *ctx;
    const void *buffers[MAX], *sites[MAX];
    int n_buffers, n_sites;
} recording;

static _Thread_local recording *current;

vta_status vtac_trace_begin(void (*write)(void *ctx, const char *text, size_t size), void *ctx) {
    if (!write) return VTA_INVALID_ARGUMENT;
    if (!current) current = vt_alloc(NULL, sizeof *current);
    if (!current) return VTA_NO_MEMORY;
    current->write = write;
    current->ctx = ctx;
    current->n_buffers = current->n_sites = 0;
    return VTA_OK;
}

void vtac_trace_end(void) {
    vt_free(NULL, current, sizeof *current);
    current = NULL;
}

VTA_PRINTF(1, 2) static void line(const char *fmt, ...) {
    char text[256];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (current && n > 0) current->write(current->ctx, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* The number of a buffer or site, by first use; past the table's end all share the last. */
static int number(const void **table, int *n, const void *what) {
    for (int i = 0; i < *n; i++)
        if (table[i] == what) return i;
    if (*n == MAX) return MAX - 1;
    table[*n] = what;
    return (*n)++;
}

static int buffer(const void *b) { return current ? number(current->buffers, &current->n_buffers, b) : 0; }
static int site(const void *s) { return current ? number(current->sites, &current->n_sites, s) : 0; }

/* The function of this name that the process has. */
#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))(uintptr_t)dlsym(RTLD_DEFAULT, #name)

static void trace_load(VTACommandHandle cmd, void *src, uint32_t offset, uint32_t x_size, uint32_t y_size,
                       uint32_t x_stride, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t sram,
                       uint32_t memory) {
    line("load buf%d %u %u %u %u %u %u %u %u %u %u\n", buffer(src), offset, x_size, y_size, x_stride, x0, y0, x1, y1,
         sram, memory);
    NEXT(VTALoadBuffer2D);
    if (next) next(cmd, src, offset, x_size, y_size, x_stride, x0, y0, x1, y1, sram, memory);
}

static void trace_store(VTACommandHandle cmd, uint32_t sram, uint32_t memory, void *dst, uint32_t offset,
                        uint32_t x_size, uint32_t y_size, uint32_t x_stride) {
    line("store %u %u buf%d %u %u %u %u\n", sram, memory, buffer(dst), offset, x_size, y_size, x_stride);
    NEXT(VTAStoreBuffer2D);
    if (next) next(cmd, sram, memory, dst, offset, x_size, y_size, x_stride);
}

static void trace_uop(uint32_t mode, uint32_t reset, uint32_t dst, uint32_t src, uint32_t wgt, uint32_t opcode,
                      uint32_t use_imm, int32_t imm) {
    line("  uop %u %u %u %u %u %u %u %d\n", mode, reset, dst, src, wgt, opcode, use_imm, imm);
    NEXT(VTAUopPush);
    if (next) next(mode, reset, dst, src, wgt, opcode, use_imm, imm);
}

static void trace_loop_begin(uint32_t extent, uint32_t dst, uint32_t src, uint32_t wgt) {
    line("  loop %u %u %u %u\n", extent, dst, src, wgt);
    NEXT(VTAUopLoopBegin);
    if (next) next(extent, dst, src, wgt);
}

static void trace_loop_end(void) {
    line("  endloop\n");
    NEXT(VTAUopLoopEnd);
    if (next) next();
}

static void push_begins(const char *what, void **handle, const void *signature, int size) {
    line("%s site%d sig=%d\n", what, site(handle), size >= 4 ? *(const int32_t *)signature : -1);
}

static int trace_gemm(void **handle, int (*finit)(void *), void *signature, int size) {
    push_begins("gemm", handle, signature, size);
    NEXT(VTAPushGEMMOp);
    int result = next ? next(handle, finit, signature, size) : -1;
    line("end\n");
    return result;
}

static int trace_alu(void **handle, int (*finit)(void *), void *signature, int size) {
    push_begins("alu", handle, signature, size);
    NEXT(VTAPushALUOp);
    int result = next ? next(handle, finit, signature, size) : -1;
    line("end\n");
    return result;
}

static int trace_push(VTACommandHandle cmd, int from, int to) {
    line("push %d %d\n", from, to);
    NEXT(VTADepPush);
    return next ? next(cmd, from, to) : -1;
}

static int trace_pop(VTACommandHandle cmd, int from, int to) {
    line("pop %d %d\n", from, to);
    NEXT(VTADepPop);
    return next ? next(cmd, from, to) : -1;
}

static void trace_sync(VTACommandHandle cmd, uint32_t wait_cycles) {
    line("sync\n");
    NEXT(VTASynchronize);
    if (next) next(cmd, wait_cycles);
}

const vt_jit_symbol *vt__trace_symbols(size_t *out_n) {
    static const vt_jit_symbol symbols[] = {
        {"VTALoadBuffer2D", (void (*)(void))trace_load},   {"VTAStoreBuffer2D", (void (*)(void))trace_store},
        {"VTAUopPush", (void (*)(void))trace_uop},         {"VTAUopLoopBegin", (void (*)(void))trace_loop_begin},
        {"VTAUopLoopEnd", (void (*)(void))trace_loop_end}, {"VTAPushGEMMOp", (void (*)(void))trace_gemm},
        {"VTAPushALUOp", (void (*)(void))trace_alu},       {"VTADepPush", (void (*)(void))trace_push},
        {"VTADepPop", (void (*)(void))trace_pop},          {"VTASynchronize", (void (*)(void))trace_sync},
    };
    *out_n = sizeof symbols / sizeof *symbols;
    return symbols;
}
