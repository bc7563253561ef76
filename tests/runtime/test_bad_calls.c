/* Every kind of wrong call is answered by an error that names the call and the value, leaves the handle usable, and
 * never runs a damaged stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vta/runtime.h"

/* What a bad call may use: a good command handle, and buffers. */
typedef struct bench {
    VTACommandHandle cmd;
    void *inp, *wgt, *acc, *out; /* 16 elements each */
    void *freed;
    void *foreign;   /* a live buffer of another runtime */
    void *other_cmd; /* a handle that has ended */
    char host[64];
} bench;

static vta_runtime *runtime, *another;

enum { ELEMENTS = 16, INP_BYTES = 16, WGT_BYTES = 256, ACC_BYTES = 64, OUT_BYTES = 16 };

/* ---- Micro-kernels, good and bad --------------------------------------------------------------------------- */

static int k_good(void *s) {
    (void)s;
    VTAUopLoopBegin(4, 1, 0, 0);
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, 1);
    VTAUopLoopEnd();
    return 0;
}
static int k_three_loops(void *s) {
    (void)s;
    for (int i = 0; i < 3; i++) VTAUopLoopBegin(2, 1, 0, 0);
    VTAUopPush(0, 1, 0, 0, 0, 0, 0, 0);
    for (int i = 0; i < 3; i++) VTAUopLoopEnd();
    return 0;
}
static int k_extent(void *s) {
    (void)s;
    VTAUopLoopBegin(16384, 0, 0, 0);
    VTAUopPush(0, 1, 0, 0, 0, 0, 0, 0);
    VTAUopLoopEnd();
    return 0;
}
static int k_one_loop(uint32_t extent, uint32_t dst, uint32_t src, uint32_t wgt, uint32_t mode) {
    VTAUopLoopBegin(extent, dst, src, wgt);
    VTAUopPush(mode, 0, 0, 0, 0, 0, 0, 0);
    VTAUopLoopEnd();
    return 0;
}
static int k_dst_factor(void *s) { return (void)s, k_one_loop(1, 2048, 0, 0, 0); }
static int k_src_factor(void *s) { return (void)s, k_one_loop(1, 0, 70000, 0, 0); }
static int k_wgt_factor(void *s) { return (void)s, k_one_loop(1, 0, 0, 1024, 0); }
static int k_dst_leaves(void *s) { return (void)s, k_one_loop(3, 1024, 0, 0, 0); }
static int k_src_leaves(void *s) { return (void)s, k_one_loop(3, 0, 1024, 0, 0); }
static int k_wgt_leaves(void *s) { return (void)s, k_one_loop(3, 0, 0, 512, 0); }
static int k_alu_src_leaves(void *s) { return (void)s, k_one_loop(3, 0, 1024, 0, 1); }
static int k_loop_open(void *s) {
    (void)s;
    VTAUopLoopBegin(2, 1, 0, 0);
    VTAUopPush(0, 1, 0, 0, 0, 0, 0, 0);
    return 0;
}
static int k_end_without_begin(void *s) { return (void)s, VTAUopLoopEnd(), 0; }
static int k_loop_after_uop(void *s) {
    (void)s;
    VTAUopPush(0, 1, 0, 0, 0, 0, 0, 0);
    VTAUopLoopBegin(2, 1, 0, 0);
    VTAUopLoopEnd();
    return 0;
}
static int k_loop_after_loop(void *s) {
    (void)s;
    VTAUopLoopBegin(2, 1, 0, 0);
    VTAUopLoopEnd();
    VTAUopLoopBegin(2, 1, 0, 0);
    VTAUopLoopEnd();
    return 0;
}
static int k_uop_after_end(void *s) {
    (void)s;
    VTAUopLoopBegin(2, 1, 0, 0);
    VTAUopPush(0, 1, 0, 0, 0, 0, 0, 0);
    VTAUopLoopEnd();
    VTAUopPush(0, 1, 1, 0, 0, 0, 0, 0);
    return 0;
}
static int k_empty(void *s) { return (void)s, 0; }
static int k_fails(void *s) { return (void)s, 5; }
static int k_too_long(void *s) {
    (void)s;
    for (uint32_t i = 0; i < 8193; i++) VTAUopPush(0, 1, i % 2048, 0, 0, 0, 0, 0);
    return 0;
}
/* One micro-op, and a second one that does not go with it. */
static int k_two(uint32_t mode, uint32_t reset, uint32_t dst, uint32_t op, uint32_t use_imm, int32_t imm) {
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, 1);
    VTAUopPush(mode, reset, dst, 0, 0, op, use_imm, imm);
    return 0;
}
static int k_mixed_mode(void *s) { return (void)s, k_two(0, 0, 1, VTA_ALU_ADD, 1, 1); }
static int k_mixed_reset(void *s) { return (void)s, k_two(1, 1, 1, VTA_ALU_ADD, 1, 1); }
static int k_mixed_opcode(void *s) { return (void)s, k_two(1, 0, 1, VTA_ALU_MAX, 1, 1); }
static int k_mixed_use_imm(void *s) { return (void)s, k_two(1, 0, 1, VTA_ALU_ADD, 0, 1); }
static int k_mixed_imm(void *s) { return (void)s, k_two(1, 0, 1, VTA_ALU_ADD, 1, 2); }
static int k_same_dst(void *s) { return (void)s, k_two(1, 0, 0, VTA_ALU_ADD, 1, 1); }
static int k_same_dst_2(void *s) {
    (void)s;
    for (uint32_t i = 0; i < 3; i++) VTAUopPush(0, 1, i % 2, 0, 0, 0, 0, 0);
    return 0;
}
static int k_single(uint32_t mode, uint32_t reset, uint32_t dst, uint32_t src, uint32_t wgt, uint32_t op, uint32_t imm,
                    int32_t value) {
    VTAUopPush(mode, reset, dst, src, wgt, op, imm, value);
    return 0;
}
static int k_mode(void *s) { return (void)s, k_single(2, 0, 0, 0, 0, 0, 0, 0); }
static int k_reset(void *s) { return (void)s, k_single(0, 2, 0, 0, 0, 0, 0, 0); }
static int k_dst(void *s) { return (void)s, k_single(0, 0, 2048, 0, 0, 0, 0, 0); }
static int k_src(void *s) { return (void)s, k_single(0, 0, 0, 2048, 0, 0, 0, 0); }
static int k_wgt(void *s) { return (void)s, k_single(0, 0, 0, 0, 1024, 0, 0, 0); }
static int k_alu_wgt(void *s) { return (void)s, k_single(1, 0, 0, 0, 1024, 0, 1, 0); }
static int k_opcode(void *s) { return (void)s, k_single(1, 0, 0, 0, 0, 5, 1, 0); }
static int k_use_imm(void *s) { return (void)s, k_single(1, 0, 0, 0, 0, 0, 2, 0); }
static int k_imm_large(void *s) { return (void)s, k_single(1, 0, 0, 0, 0, 0, 1, 32768); }
static int k_imm_small(void *s) { return (void)s, k_single(1, 0, 0, 0, 0, 0, 1, -32769); }
static int k_gemm(void *s) { return (void)s, k_single(0, 1, 0, 0, 0, 0, 0, 0); }
static int k_sync_inside(void *s) { return VTASynchronize(VTATLSCommandHandle(), 0), k_good(s); }
static int k_load_inside(void *s);
static int k_push_inside(void *s) {
    void *site = NULL;
    VTAPushALUOp(&site, k_good, NULL, 0);
    return k_good(s);
}
static int k_dep_inside(void *s) { return VTADepPush(VTATLSCommandHandle(), 1, 2), k_good(s); }
static int k_shutdown_inside(void *s) { return VTARuntimeShutdown(), k_good(s); }

static bench *on_bench;
static int k_load_inside(void *s) {
    VTALoadBuffer2D(on_bench->cmd, on_bench->acc, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    return k_good(s);
}

/* ---- The calls --------------------------------------------------------------------------------------------- */

static void load(bench *b, void *buffer, uint32_t offset, uint32_t x, uint32_t y, uint32_t stride, uint32_t sram,
                 uint32_t memory) {
    VTALoadBuffer2D(b->cmd, buffer, offset, x, y, stride, 0, 0, 0, 0, sram, memory);
}
static void pads(bench *b, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1, uint32_t sram) {
    VTALoadBuffer2D(b->cmd, b->inp, 0, 1, 1, 1, x0, y0, x1, y1, sram, VTA_MEM_INP);
}
static void store(bench *b, uint32_t sram, uint32_t memory, void *buffer, uint32_t offset, uint32_t x, uint32_t y,
                  uint32_t stride) {
    VTAStoreBuffer2D(b->cmd, sram, memory, buffer, offset, x, y, stride);
}
static void alu(int (*finit)(void *)) {
    void *site = NULL;
    VTAPushALUOp(&site, finit, NULL, 0);
}
static void gemm(int (*finit)(void *)) {
    void *site = NULL;
    VTAPushGEMMOp(&site, finit, NULL, 0);
}
static void foreign_site(void) {
    void *site = &runtime;
    VTAPushALUOp(&site, k_good, NULL, 0);
}
static void other_kind_of_site(void) {
    void *site = NULL;
    VTAPushALUOp(&site, k_good, NULL, 0);
    VTAPushGEMMOp(&site, k_good, NULL, 0);
}
static void signature(int nbytes, void *at) {
    void *site = NULL;
    VTAPushALUOp(&site, k_good, at, nbytes);
}
static void pop_unpushed(bench *b) {
    VTADepPop(b->cmd, 1, 2);
    alu(k_good);
    VTASynchronize(b->cmd, 0);
}
static void pop_alone(bench *b) {
    VTADepPop(b->cmd, 2, 3);
    VTASynchronize(b->cmd, 0);
}
static void deadlock(bench *b) { /* each stage waits for a token that the other gives only afterwards */
    VTADepPop(b->cmd, 2, 1);
    load(b, b->inp, 0, 1, 1, 1, 0, VTA_MEM_INP);
    VTADepPush(b->cmd, 1, 2);
    VTADepPop(b->cmd, 1, 2);
    alu(k_good);
    VTADepPush(b->cmd, 2, 1);
    VTASynchronize(b->cmd, 0);
}
static void use_after_free(bench *b) {
    void *buffer = VTABufferAlloc(64);
    VTABufferFree(buffer);
    load(b, buffer, 0, 1, 1, 1, 0, VTA_MEM_INP);
}
static void free_twice(bench *b) {
    (void)b;
    void *buffer = VTABufferAlloc(64);
    VTABufferFree(buffer);
    VTABufferFree(buffer);
}
static void run_unmapped(void) {
    VTADeviceHandle device = VTADeviceAlloc();
    VTADeviceRun(device, 0x70000000, 1, 0);
    VTADeviceFree(device);
}
static void copy_past_block(bench *b) {
    void *block = VTAMemAlloc(32, 1);
    VTAMemCopyFromHost(block, b->host, 33);
    VTAMemFree(block);
}
static void free_block_inside(void) {
    char *block = VTAMemAlloc(32, 1);
    VTAMemFree(block + 1);
    VTAMemFree(block);
}
static void flush_wrong_address(void) {
    void *block = VTAMemAlloc(32, 1);
    VTAFlushCache(block, 4, 8);
    VTAMemFree(block);
}

/* BAD(name, text that the message has, the call). `b` is the bench. */
#define BAD_CALLS(BAD)                                                                                                 \
    BAD(load_null_handle, "VTALoadBuffer2D(cmd=NULL",                                                                  \
        VTALoadBuffer2D(NULL, b->inp, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_INP))                                         \
    BAD(load_foreign_handle, "cmd is not a handle of this runtime",                                                    \
        VTALoadBuffer2D(b->host, b->inp, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_INP))                                      \
    BAD(load_ended_handle, "cmd is a handle whose thread or runtime has ended",                                        \
        VTALoadBuffer2D(b->other_cmd, b->inp, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_INP))                                 \
    BAD(load_buffer_as_handle, "cmd is a buffer",                                                                      \
        VTALoadBuffer2D(b->inp, b->inp, 0, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_INP))                                       \
    BAD(store_null_handle, "VTAStoreBuffer2D(cmd=NULL", VTAStoreBuffer2D(NULL, 0, VTA_MEM_OUT, b->out, 0, 1, 1, 1))    \
    BAD(dep_push_null_handle, "VTADepPush(cmd=NULL, from_qid=1, to_qid=2)", VTADepPush(NULL, 1, 2))                    \
    BAD(dep_pop_null_handle, "VTADepPop(cmd=NULL", VTADepPop(NULL, 1, 2))                                              \
    BAD(sync_null_handle, "VTASynchronize(cmd=NULL, wait_cycles=7)", VTASynchronize(NULL, 7))                          \
    BAD(sync_foreign_handle, "VTASynchronize(", VTASynchronize(b->host, 0))                                            \
    BAD(debug_null_handle, "VTASetDebugMode(cmd=NULL", VTASetDebugMode(NULL, 0))                                       \
    BAD(share_null_handle, "VTAShareUops(cmd=NULL, share=1)", VTAShareUops(NULL, 1))                                   \
    BAD(debug_bits, "bits 0x40 are not used", VTASetDebugMode(b->cmd, 0x42))                                           \
    BAD(cpu_ptr_freed, "VTABufferCPUPtr(", VTABufferCPUPtr(b->cmd, b->freed))                                          \
    BAD(read_barrier_null, "VTAReadBarrier(cmd=NULL", VTAReadBarrier(NULL, b->inp, 8, 0, 1))                           \
    BAD(read_barrier_no_buffer, "the buffer is NULL", VTAReadBarrier(b->cmd, NULL, 8, 0, 1))                           \
    BAD(read_barrier_past_end, "go past its end (256 bytes)", VTAReadBarrier(b->cmd, b->inp, 8, 0, 257))               \
    BAD(read_barrier_overflow, "VTAReadBarrier(", VTAReadBarrier(b->cmd, b->inp, UINT32_MAX, UINT32_MAX, UINT32_MAX))  \
    BAD(write_barrier_host_pointer, "is not a buffer of VTABufferAlloc", VTAWriteBarrier(b->cmd, b->host, 8, 0, 1))    \
    BAD(write_barrier_no_bits, "elem_bits is 0", VTAWriteBarrier(b->cmd, b->inp, 0, 0, 1))                             \
    BAD(load_null_buffer, "the buffer is NULL", load(b, NULL, 0, 1, 1, 1, 0, VTA_MEM_INP))                             \
    BAD(load_host_pointer, "is not a buffer of VTABufferAlloc", load(b, b->host, 0, 1, 1, 1, 0, VTA_MEM_INP))          \
    BAD(load_freed_buffer, "was freed", use_after_free(b))                                                             \
    BAD(load_other_runtime, "belongs to another runtime", load(b, b->foreign, 0, 1, 1, 1, 0, VTA_MEM_INP))             \
    BAD(load_handle_plus_offset, "VTALoadBuffer2D(", load(b, (char *)b->inp + 64, 0, 1, 1, 1, 0, VTA_MEM_INP))         \
    BAD(load_past_end, "element 16 is past the buffer's end: 256 bytes are 16 elements",                               \
        load(b, b->inp, 16, 1, 1, 1, 0, VTA_MEM_INP))                                                                  \
    BAD(load_rows_past_end, "element 16 is past", load(b, b->inp, 0, 1, 2, 16, 0, VTA_MEM_INP))                        \
    BAD(load_offset_overflow, "src_elem_offset=4294967295", load(b, b->inp, UINT32_MAX, 2, 1, 2, 0, VTA_MEM_INP))      \
    BAD(load_x_size, "x_size 65536 does not fit", load(b, b->inp, 0, 65536, 1, 1, 0, VTA_MEM_INP))                     \
    BAD(load_y_size, "y_size 65537 does not fit", load(b, b->inp, 0, 1, 65537, 0, 0, VTA_MEM_INP))                     \
    BAD(load_stride, "x_stride 65536 does not fit", load(b, b->inp, 0, 1, 1, 65536, 0, VTA_MEM_INP))                   \
    BAD(load_sram_field, "the on-chip index 65536", load(b, b->inp, 0, 1, 1, 1, 65536, VTA_MEM_INP))                   \
    BAD(load_sram_end, "go past the end of the inp buffer, which holds 2048",                                          \
        load(b, b->inp, 0, 2, 1, 2, 2047, VTA_MEM_INP))                                                                \
    BAD(load_wgt_sram_end, "go past the end of the wgt buffer, which holds 1024",                                      \
        load(b, b->wgt, 0, 1, 1, 1, 1024, VTA_MEM_WGT))                                                                \
    BAD(load_padding_past_sram, "3 x 3 elements from on-chip element 2040", pads(b, 1, 1, 1, 1, 2040))                 \
    BAD(load_padding_around_nothing, "padding around nothing",                                                         \
        VTALoadBuffer2D(b->cmd, b->inp, 0, 0, 1, 1, 2, 0, 0, 0, 0, VTA_MEM_INP))                                       \
    BAD(load_x_pad_before, "x_pad_before 16 does not fit", pads(b, 16, 0, 0, 0, 0))                                    \
    BAD(load_y_pad_before, "y_pad_before 17 does not fit", pads(b, 0, 17, 0, 0, 0))                                    \
    BAD(load_x_pad_after, "x_pad_after 18 does not fit", pads(b, 0, 0, 18, 0, 0))                                      \
    BAD(load_y_pad_after, "y_pad_after 4294967295 does not fit", pads(b, 0, 0, 0, UINT32_MAX, 0))                      \
    BAD(load_uop, "the runtime itself loads micro-ops", load(b, b->inp, 0, 1, 1, 1, 0, VTA_MEM_UOP))                   \
    BAD(load_out, "memory type 4 cannot be loaded", load(b, b->out, 0, 1, 1, 1, 0, VTA_MEM_OUT))                       \
    BAD(load_no_memory_type, "memory type 9 cannot be loaded", load(b, b->out, 0, 1, 1, 1, 0, 9))                      \
    BAD(store_null_buffer, "the buffer is NULL", store(b, 0, VTA_MEM_OUT, NULL, 0, 1, 1, 1))                           \
    BAD(store_freed_buffer, "was freed", store(b, 0, VTA_MEM_OUT, b->freed, 0, 1, 1, 1))                               \
    BAD(store_past_end, "past the buffer's end", store(b, 0, VTA_MEM_OUT, b->out, 10, 7, 1, 7))                        \
    BAD(store_stride_past_end, "past the buffer's end", store(b, 0, VTA_MEM_OUT, b->out, 0, 1, 3, 60000))              \
    BAD(store_x_size, "x_size 65536", store(b, 0, VTA_MEM_OUT, b->out, 0, 65536, 1, 1))                                \
    BAD(store_sram, "go past the end of the out buffer", store(b, 2048, VTA_MEM_OUT, b->out, 0, 1, 1, 1))              \
    BAD(store_acc, "memory type 3 cannot be stored", store(b, 0, VTA_MEM_ACC, b->out, 0, 1, 1, 1))                     \
    BAD(uop_outside, "VTAUopPush(mode=0", VTAUopPush(0, 0, 0, 0, 0, 0, 0, 0))                                          \
    BAD(loop_begin_outside, "VTAUopLoopBegin(extent=3", VTAUopLoopBegin(3, 0, 0, 0))                                   \
    BAD(loop_end_outside, "VTAUopLoopEnd()", VTAUopLoopEnd())                                                          \
    BAD(three_loops, "a third nested loop", gemm(k_three_loops))                                                       \
    BAD(loop_extent, "extent 16384 does not fit", gemm(k_extent))                                                      \
    BAD(loop_dst_factor, "dst_factor 2048 does not fit", gemm(k_dst_factor))                                           \
    BAD(loop_src_factor, "src_factor 70000 does not fit", gemm(k_src_factor))                                          \
    BAD(loop_wgt_factor, "wgt_factor 1024 does not fit", gemm(k_wgt_factor))                                           \
    BAD(dst_leaves, "dst_index 0 becomes 2048 in the loops' last iteration", gemm(k_dst_leaves))                       \
    BAD(src_leaves, "src_index 0 becomes 2048", gemm(k_src_leaves))                                                    \
    BAD(wgt_leaves, "wgt_index 0 becomes 1024", gemm(k_wgt_leaves))                                                    \
    BAD(alu_src_leaves, "outside the acc buffer", alu(k_alu_src_leaves))                                               \
    BAD(loop_left_open, "1 open loops", gemm(k_loop_open))                                                             \
    BAD(loop_end_without_begin, "no loop is open", gemm(k_end_without_begin))                                          \
    BAD(loop_after_uop, "a loop begins after 1 micro-ops", gemm(k_loop_after_uop))                                     \
    BAD(loop_after_loop, "after another one ended", gemm(k_loop_after_loop))                                           \
    BAD(uop_after_end, "a micro-op after VTAUopLoopEnd", gemm(k_uop_after_end))                                        \
    BAD(kernel_empty, "finit recorded no micro-op", gemm(k_empty))                                                     \
    BAD(finit_fails, "finit returned 5", gemm(k_fails))                                                                \
    BAD(finit_null, "finit is NULL", gemm(NULL))                                                                       \
    BAD(kernel_too_long, "all that the uop buffer holds", gemm(k_too_long))                                            \
    BAD(mixed_mode, "has mode 0, those before it 1", alu(k_mixed_mode))                                                \
    BAD(mixed_reset, "has reset_out 1, those before it 0", alu(k_mixed_reset))                                         \
    BAD(mixed_opcode, "has opcode 1, those before it 2", alu(k_mixed_opcode))                                          \
    BAD(mixed_use_imm, "has use_imm 0, those before it 1", alu(k_mixed_use_imm))                                       \
    BAD(mixed_imm, "has imm_val 2, those before it 1", alu(k_mixed_imm))                                               \
    BAD(same_dst, "dst_index 0 was written by micro-op 0, 1 before", alu(k_same_dst))                                  \
    BAD(same_dst_two_apart, "dst_index 0 was written by micro-op 0, 2 before", gemm(k_same_dst_2))                     \
    BAD(uop_mode, "mode 2 is neither", gemm(k_mode))                                                                   \
    BAD(uop_reset, "reset_out 2 is neither", gemm(k_reset))                                                            \
    BAD(uop_dst, "dst_index 2048 is outside the acc buffer", gemm(k_dst))                                              \
    BAD(uop_src, "src_index 2048 is outside the inp buffer", gemm(k_src))                                              \
    BAD(uop_wgt, "wgt_index 1024 is outside the wgt buffer", gemm(k_wgt))                                              \
    BAD(uop_alu_wgt, "wgt_index 1024 does not fit", alu(k_alu_wgt))                                                    \
    BAD(uop_opcode, "opcode 5 is not an ALU operation", alu(k_opcode))                                                 \
    BAD(uop_use_imm, "use_imm 2 is neither", alu(k_use_imm))                                                           \
    BAD(uop_imm_large, "imm_val 32768 does not fit", alu(k_imm_large))                                                 \
    BAD(uop_imm_small, "imm_val -32769 does not fit", alu(k_imm_small))                                                \
    BAD(gemm_as_alu, "VTAPushALUOp(", alu(k_gemm))                                                                     \
    BAD(alu_as_gemm, "finit recorded ALU micro-ops", gemm(k_good))                                                     \
    BAD(site_of_the_other_call, "recorded by the other of the two calls", other_kind_of_site())                        \
    BAD(site_null, "uop_handle is NULL", VTAPushGEMMOp(NULL, k_gemm, NULL, 0))                                         \
    BAD(site_foreign, "which this runtime did not put there", foreign_site())                                          \
    BAD(signature_size, "0 or 4 bytes, not 8", signature(8, b->host))                                                  \
    BAD(signature_negative, "0 or 4 bytes, not -1", signature(-1, b->host))                                            \
    BAD(signature_null, "signature is NULL, but nbytes is 4", signature(4, NULL))                                      \
    BAD(sync_in_finit, "VTASynchronize(", alu(k_sync_inside))                                                          \
    BAD(load_in_finit, "inside a finit", alu(k_load_inside))                                                           \
    BAD(push_in_finit, "micro-kernels do not nest", alu(k_push_inside))                                                \
    BAD(dep_in_finit, "VTADepPush(", alu(k_dep_inside))                                                                \
    BAD(shutdown_in_finit, "VTARuntimeShutdown()", alu(k_shutdown_inside))                                             \
    BAD(dep_load_store, "no token queue between load and store", VTADepPush(b->cmd, 1, 3))                             \
    BAD(dep_store_load, "no token queue between load and store", VTADepPop(b->cmd, 3, 1))                              \
    BAD(dep_to_itself, "a stage has no token queue to itself", VTADepPush(b->cmd, 2, 2))                               \
    BAD(dep_stage_0, "stages are 1 (load)", VTADepPop(b->cmd, 0, 2))                                                   \
    BAD(dep_stage_4, "VTADepPush(", VTADepPush(b->cmd, 2, 4))                                                          \
    BAD(dep_stage_negative, "from_qid=-7", VTADepPush(b->cmd, -7, 2))                                                  \
    BAD(pop_without_push, "1 more VTADepPop(1, 2) than VTADepPush(1, 2)", pop_unpushed(b))                             \
    BAD(pop_and_nothing_else, "the store stage would wait forever", pop_alone(b))                                      \
    BAD(tokens_in_a_circle, "VTASynchronize(", deadlock(b))                                                            \
    BAD(alloc_too_large, "VTABufferAlloc(bytes=", VTABufferAlloc((size_t)1 << 33))                                     \
    BAD(alloc_overflow, "VTABufferAlloc(bytes=", VTABufferAlloc(SIZE_MAX))                                             \
    BAD(free_null, "VTABufferFree(buffer=NULL)", VTABufferFree(NULL))                                                  \
    BAD(free_host_pointer, "is not a buffer of VTABufferAlloc", VTABufferFree(b->host))                                \
    BAD(free_again, "was freed", free_twice(b))                                                                        \
    BAD(copy_kind, "kind_mask 4 is not 1", VTABufferCopy(b->host, 0, b->inp, 0, 1, 4))                                 \
    BAD(copy_kind_0, "kind_mask 0", VTABufferCopy(b->host, 0, b->host, 0, 1, 0))                                       \
    BAD(copy_from_null, "from is NULL", VTABufferCopy(NULL, 0, b->inp, 0, 1, 1))                                       \
    BAD(copy_to_null, "the buffer is NULL", VTABufferCopy(b->host, 0, NULL, 0, 1, 1))                                  \
    BAD(copy_wrong_direction, "from is a buffer, but kind_mask 1", VTABufferCopy(b->inp, 0, b->out, 0, 1, 1))          \
    BAD(copy_to_freed, "was freed", VTABufferCopy(b->host, 0, b->freed, 0, 1, 1))                                      \
    BAD(copy_past_end, "257 bytes from byte 0 of to", VTABufferCopy(b->host, 0, b->inp, 0, 257, 1))                    \
    BAD(copy_offset, "1 bytes from byte 256 of from", VTABufferCopy(b->inp, 256, b->host, 0, 1, 2))                    \
    BAD(copy_overflow, "VTABufferCopy(", VTABufferCopy(b->inp, SIZE_MAX, b->host, 0, SIZE_MAX, 2))                     \
    BAD(device_run_null, "VTADeviceRun(device=NULL", VTADeviceRun(NULL, 4096, 1, 0))                                   \
    BAD(device_run_unmapped, "insn_phy_addr=1879048192", run_unmapped())                                               \
    BAD(device_free_null, "VTADeviceFree(device=NULL)", VTADeviceFree(NULL))                                           \
    BAD(mem_alloc_too_large, "VTAMemAlloc(size=", VTAMemAlloc((size_t)1 << 33, 0))                                     \
    BAD(mem_free_foreign, "is not inside a block of VTAMemAlloc", VTAMemFree(b->host))                                 \
    BAD(mem_free_inside, "not its start", free_block_inside())                                                         \
    BAD(mem_phy_addr_foreign, "VTAMemGetPhyAddr(", VTAMemGetPhyAddr(b->host))                                          \
    BAD(mem_copy_past_end, "go past the end of its block of 32 bytes", copy_past_block(b))                             \
    BAD(mem_copy_null, "dst is NULL", VTAMemCopyToHost(NULL, b->host, 4))                                              \
    BAD(flush_address, "not 0x00000004", flush_wrong_address())                                                        \
    BAD(flush_size, "size -1 is negative", VTAInvalidateCache(b->host, 0, -1))                                         \
    BAD(program_null, "bitstream is NULL", VTAProgram(NULL))

#define BAD(name, words, call)                                                                                         \
    static void bad_##name(bench *b) {                                                                                 \
        (void)b;                                                                                                       \
        call;                                                                                                          \
    }
BAD_CALLS(BAD)
#undef BAD

static const struct {
    const char *name, *words;
    void (*call)(bench *b);
} bad_calls[] = {
#define BAD(name, words, call) {#name, words, bad_##name},
    BAD_CALLS(BAD)
#undef BAD
};

enum { BAD_COUNT = sizeof bad_calls / sizeof *bad_calls };

/* ---- The bench --------------------------------------------------------------------------------------------- */

static vta_runtime *make_runtime(void) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    vta_runtime *made;
    if (vta_runtime_create(config, "sim", NULL, NULL, diag, &made) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_config_release(config);
    vta_diag_destroy(diag);
    return made;
}

static int set_up(void **state) {
    static bench b;
    another = make_runtime();
    vta_runtime_use(another);
    b.foreign = VTABufferAlloc(256);
    b.other_cmd = VTATLSCommandHandle();
    VTARuntimeShutdown();
    runtime = make_runtime();
    vta_runtime_use(runtime);
    b.cmd = VTATLSCommandHandle();
    b.inp = VTABufferAlloc(ELEMENTS * INP_BYTES);
    b.wgt = VTABufferAlloc(ELEMENTS * WGT_BYTES);
    b.acc = VTABufferAlloc(ELEMENTS * ACC_BYTES);
    b.out = VTABufferAlloc(ELEMENTS * OUT_BYTES);
    b.freed = VTABufferAlloc(64);
    VTABufferFree(b.freed);
    on_bench = &b;
    *state = &b;
    return b.cmd && b.inp && b.out ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    vta_runtime_destroy(runtime);
    vta_runtime_destroy(another);
    return 0;
}

/* A small program that a handle in order runs: out = acc + 1 for 4 elements, `base` in the first. */
static void check_handle_works(bench *b, const char *after) {
    static void *site;
    static int32_t base;
    int32_t acc[4 * ACC_BYTES / 4];
    int8_t out[4 * OUT_BYTES];
    base = (base + 1) % 100;
    for (size_t i = 0; i < sizeof acc / sizeof *acc; i++) acc[i] = base;
    VTABufferCopy(acc, 0, b->acc, 0, sizeof acc, 1);
    VTALoadBuffer2D(b->cmd, b->acc, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    VTAPushALUOp(&site, k_good, NULL, 0);
    VTADepPush(b->cmd, 2, 3);
    VTADepPop(b->cmd, 2, 3);
    VTAStoreBuffer2D(b->cmd, 0, VTA_MEM_OUT, b->out, 0, 4, 1, 4);
    VTASynchronize(b->cmd, 0);
    if (vta_last_error(b->cmd)) fail_msg("after %s: %s", after, vta_last_error(b->cmd));
    VTABufferCopy(b->out, 0, out, 0, sizeof out, 2);
    for (size_t i = 0; i < sizeof out; i++)
        if (out[i] != base + 1) fail_msg("after %s: byte %zu is %d, not %d", after, i, out[i], base + 1);
}

static void check_bad(bench *b, size_t i) {
    vta_clear_error(b->cmd);
    bad_calls[i].call(b);
    const char *error = vta_last_error(b->cmd);
    if (!error) error = vta_last_error(NULL);
    if (!error) fail_msg("%s: no error", bad_calls[i].name);
    vta_status status = vta_last_status(vta_last_error(b->cmd) ? b->cmd : NULL);
    bool may_lack = strstr(bad_calls[i].name, "alloc_") != NULL;
    if (status == VTA_OK || (status == VTA_NO_MEMORY && !may_lack) || status == VTA_INTERNAL)
        fail_msg("%s: the status is %s", bad_calls[i].name, vta_status_text(status));
    if (!strstr(error, bad_calls[i].words))
        fail_msg("%s: '%s' is not in: %s", bad_calls[i].name, bad_calls[i].words, error);
    if (strncmp(error, "VTA", 3) || !strchr(error, '(')) fail_msg("%s: names no call: %s", bad_calls[i].name, error);
}

static void test_each_is_refused_and_named(void **state) {
    bench *b = *state;
    for (size_t i = 0; i < BAD_COUNT; i++) {
        check_bad(b, i);
        VTASynchronize(b->cmd, 0);
        vta_clear_error(b->cmd);
        assert_null(vta_last_error(b->cmd));
        assert_int_equal(vta_last_status(b->cmd), VTA_OK);
        check_handle_works(b, bad_calls[i].name);
    }
    print_message("%d kinds of bad calls\n", (int)BAD_COUNT);
    assert_true(BAD_COUNT >= 60);
}

/* A store before the bad call must not take place: the stream is dropped as a whole, also when a kernel that is
 * recorded after it is a good one. */
static void test_damaged_stream_does_not_run(void **state) {
    bench *b = *state;
    static const char *const harmless[] = {/* calls that are not part of the stream */
                                           "debug_bits", "alloc_",   "free_", "copy_",   "device_",   "mem_",
                                           "flush_",     "program_", "pop_",  "tokens_", "debug_null"};
    for (size_t i = 0; i < BAD_COUNT; i++) {
        bool skipped = false;
        for (size_t h = 0; h < sizeof harmless / sizeof *harmless; h++)
            skipped |= !strncmp(bad_calls[i].name, harmless[h], strlen(harmless[h]));
        if (skipped) continue;
        vta_counters before = vta_runtime_counters(runtime);
        VTAStoreBuffer2D(b->cmd, 0, VTA_MEM_OUT, b->out, 0, 4, 1, 4);
        check_bad(b, i);
        void *new_site = NULL;
        VTAPushALUOp(&new_site, k_good, NULL, 0);
        VTAStoreBuffer2D(b->cmd, 0, VTA_MEM_OUT, b->out, 0, 4, 1, 4);
        VTASynchronize(b->cmd, 0);
        vta_counters after = vta_runtime_counters(runtime);
        if (before.runs != after.runs) fail_msg("%s: the stream ran", bad_calls[i].name);
        assert_int_equal(before.out_store_nbytes, after.out_store_nbytes);
        vta_clear_error(b->cmd);
        check_handle_works(b, bad_calls[i].name);
    }
}

/* Messages gather until they are cleared; many of them do not pile up. */
static void test_messages_gather(void **state) {
    bench *b = *state;
    vta_clear_error(b->cmd);
    VTADepPush(b->cmd, 1, 3);
    VTADepPop(b->cmd, 2, 2);
    const char *error = vta_last_error(b->cmd);
    assert_non_null(strstr(error, "VTADepPush("));
    assert_non_null(strstr(error, "VTADepPop("));
    for (int i = 0; i < 1000; i++) VTADepPush(b->cmd, i, 3);
    error = vta_last_error(b->cmd);
    assert_true(strlen(error) < 4096);
    assert_non_null(strstr(error, "from_qid=999"));
    VTASynchronize(b->cmd, 0);
    assert_non_null(vta_last_error(b->cmd)); /* dropping is no new failure and clears none */
    vta_clear_error(b->cmd);
    assert_null(vta_last_error(b->cmd));
    assert_null(vta_last_error(NULL));
    check_handle_works(b, "many errors");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_is_refused_and_named),
        cmocka_unit_test(test_damaged_stream_does_not_run),
        cmocka_unit_test(test_messages_gather),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
