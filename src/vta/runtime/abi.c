/* The interface of TVM's VTA: each function finds its command handle, hands the work on, and reports what fails. */
#include "runtime/buffer.h"
#include "runtime/command.h"

#define P(pointer) ((uint64_t)(uintptr_t)(pointer))

/* The end of a call that failed: for the reasons in command->diag or, where `command` is NULL, for what `cmd` is. */
static void fail(VTACommandHandle cmd, vt_command *command, const vt_call *call) {
    if (command)
        vt_command_fail(command, call);
    else
        vt_bad_command(cmd, call);
}

/* ---- Buffers: calls that are not part of a stream ----------------------------------------------------------- */

/* Such a call reports to the calling thread's handle where there is one, else to the thread. */
static void report(const vt_call *call, vta_diag *diag) {
    vt_report *to = vt_this_thread.command ? &vt_this_thread.command->report : vt_thread_report();
    vta_diag_entry entry = vt_report_reason(diag);
    if (to) vt_report_call(to, call, entry.status, entry.message);
}

/* The host accesses the contents of a buffer. */
static void touch(const vt_slot *slot) {
    vt_touched *t = &vt_this_thread.touched;
    if (!slot || !t->watching) return;
    for (uint32_t i = 0; i < t->count && i < VT_MAX_TOUCHED; i++)
        if (t->addr[i] == slot->addr) return;
    if (t->count < VT_MAX_TOUCHED) t->addr[t->count] = slot->addr;
    t->count++;
}

void *VTABufferAlloc(size_t bytes) {
    vta_runtime *runtime = vt_runtime_acquire();
    if (!runtime) return NULL;
    vta_diag *diag = vta_diag_create(&runtime->allocator);
    void *handle;
    if (vt_buffer_alloc(runtime, bytes, diag, &handle) != VTA_OK) report(VT_CALL(VTABufferAlloc, bytes), diag);
    vta_diag_destroy(diag);
    vt_runtime_release(runtime);
    return handle;
}

/* The failing path: the call again, for its reasons. A good call has no list of diagnostics to make. */
static void explain_free(void *buffer) {
    vta_diag *diag = vta_diag_create(NULL);
    vt_slot *slot;
    vt_buffer_find(NULL, buffer, diag, &slot);
    report(VT_CALL(VTABufferFree, P(buffer)), diag);
    vta_diag_destroy(diag);
}

void VTABufferFree(void *buffer) {
    if (vt_buffer_free(buffer, NULL) != VTA_OK) explain_free(buffer);
}

void VTABufferCopy(const void *from, size_t from_offset, void *to, size_t to_offset, size_t bytes, int kind_mask) {
    touch(vt_handle_find(&vt_buffers, from));
    touch(vt_handle_find(&vt_buffers, to));
    if (vt_buffer_copy(from, from_offset, to, to_offset, bytes, kind_mask, NULL) == VTA_OK) return;
    vta_diag *diag = vta_diag_create(NULL);
    vt_buffer_copy(from, from_offset, to, to_offset, bytes, kind_mask, diag);
    report(VT_CALL(VTABufferCopy, P(from), from_offset, P(to), to_offset, bytes, (uint64_t)kind_mask), diag);
    vta_diag_destroy(diag);
}

void *VTABufferCPUPtr(VTACommandHandle cmd, void *buffer) {
    vt_slot *slot = vt_handle_find(&vt_buffers, buffer);
    touch(slot);
    if (slot && slot->object) return slot->object;
    if (!slot && !vt_handle_is_kind(&vt_buffers, buffer)) return buffer;
    vt_command *command = vt_command_of(cmd);
    if (command && slot)
        vt_fail(command->diag, VTA_UNSUPPORTED, "the host does not see this device's memory; VTABufferCopy reads it");
    else if (command)
        vt_buffer_find(NULL, buffer, command->diag, &slot);
    fail(cmd, command, VT_CALL(VTABufferCPUPtr, P(cmd), P(buffer)));
    return NULL;
}

/* ---- Barriers ---------------------------------------------------------------------------------------------- */

typedef vta_status cache_call(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);

/* A buffer's bytes through the device's cache; nothing to do where it and the host see the same. */
static vta_status pass_cache(vt_command *command, const vt_slot *slot, cache_call *call, uint64_t offset,
                             uint64_t bytes) {
    vta_runtime *runtime = command->runtime;
    if (vt_device_coherent(runtime->device)) return VTA_OK;
    pthread_mutex_lock(&runtime->lock);
    vta_status status = call(runtime->device, slot->addr + (uint32_t)offset, (size_t)bytes, command->diag);
    pthread_mutex_unlock(&runtime->lock);
    return status;
}

/* `skip`: the bit of the debug mode that turns it off. */
static vta_status barrier(vt_command *command, void *buffer, uint32_t elem_bits, uint32_t start, uint32_t extent,
                          cache_call *call, uint32_t skip) {
    vt_slot *slot;
    VT_TRY(vt_buffer_find(command->runtime, buffer, command->diag, &slot));
    if (!elem_bits) return vt_fail(command->diag, VTA_OUT_OF_RANGE, "elem_bits is 0");
    uint64_t elem = ((uint64_t)elem_bits + 7) / 8, bytes, offset;
    if (__builtin_mul_overflow(elem, (uint64_t)extent, &bytes) ||
        __builtin_mul_overflow(elem, (uint64_t)start, &offset))
        return vt_fail(command->diag, VTA_OUT_OF_RANGE, "the range's size overflows");
    VT_TRY(vt_buffer_check_range(slot->bytes, "the buffer", offset, bytes, command->diag));
    return command->debug & skip ? VTA_OK : pass_cache(command, slot, call, offset, bytes);
}

void VTAWriteBarrier(VTACommandHandle cmd, void *buffer, uint32_t elem_bits, uint32_t start, uint32_t extent) {
    vt_command *command = vt_command_of(cmd);
    if (command && barrier(command, buffer, elem_bits, start, extent, vta_device_invalidate,
                           VTA_DEBUG_SKIP_WRITE_BARRIER) == VTA_OK)
        return;
    fail(cmd, command, VT_CALL(VTAWriteBarrier, P(cmd), P(buffer), elem_bits, start, extent));
}

void VTAReadBarrier(VTACommandHandle cmd, void *buffer, uint32_t elem_bits, uint32_t start, uint32_t extent) {
    vt_command *command = vt_command_of(cmd);
    if (command &&
        barrier(command, buffer, elem_bits, start, extent, vta_device_flush, VTA_DEBUG_SKIP_READ_BARRIER) == VTA_OK)
        return;
    fail(cmd, command, VT_CALL(VTAReadBarrier, P(cmd), P(buffer), elem_bits, start, extent));
}

/* ---- The handle -------------------------------------------------------------------------------------------- */

VTACommandHandle VTATLSCommandHandle(void) { return vt_thread_command() ? vt_this_thread.handle : NULL; }

void VTARuntimeShutdown(void) {
    vt_command *command = vt_this_thread.command;
    if (!command) return;
    if (command->recording) {
        vt_fail(command->diag, VTA_ILLEGAL, "inside a finit");
        vt_command_fail(command, VT_CALL(VTARuntimeShutdown, 0));
        return;
    }
    vt_thread_drop_commands(command->runtime);
}

void VTAShareUops(VTACommandHandle cmd, int32_t share) {
    vt_command *command = vt_command_of(cmd);
    if (command) {
        command->cache.share = share != 0;
        command->cache.late = share == VTA_SHARE_UOPS_LATE;
    } else {
        vt_bad_command(cmd, VT_CALL(VTAShareUops, P(cmd), (uint64_t)share));
    }
}

void VTASetDebugMode(VTACommandHandle cmd, int debug_flag) {
    enum {
        KNOWN = VTA_DEBUG_DUMP_INSN | VTA_DEBUG_DUMP_UOP | VTA_DEBUG_SKIP_READ_BARRIER | VTA_DEBUG_SKIP_WRITE_BARRIER |
                VTA_DEBUG_FORCE_SERIAL
    };
    vt_command *command = vt_command_of(cmd);
    if (!command) {
        vt_bad_command(cmd, VT_CALL(VTASetDebugMode, P(cmd), (uint64_t)debug_flag));
        return;
    }
    if (debug_flag & ~KNOWN) {
        vt_fail(command->diag, VTA_OUT_OF_RANGE, "bits 0x%x are not used; only 0x%x are", debug_flag & ~KNOWN, KNOWN);
        vt_command_report(command, VT_CALL(VTASetDebugMode, P(cmd), (uint64_t)debug_flag));
        return;
    }
    command->debug = (uint32_t)debug_flag;
}

const char *vta_last_error(VTACommandHandle cmd) {
    vt_command *command = vt_command_of(cmd);
    if (command) return vt_report_text(&command->report);
    const vt_thread *t = &vt_this_thread;
    const char *text = t->report ? vt_report_text(t->report) : NULL;
    return text || !t->command ? text : vt_report_text(&t->command->report);
}

vta_status vta_last_status(VTACommandHandle cmd) {
    vt_command *command = vt_command_of(cmd);
    if (command) return command->report.status;
    const vt_thread *t = &vt_this_thread;
    vta_status status = t->report ? t->report->status : VTA_OK;
    return status != VTA_OK || !t->command ? status : t->command->report.status;
}

void vta_clear_error(VTACommandHandle cmd) {
    vt_command *command = vt_command_of(cmd);
    const vt_thread *t = &vt_this_thread;
    if (command) vt_report_clear(&command->report);
    if (command && command != t->command) return; /* another thread's */
    if (t->report) vt_report_clear(t->report);
    if (t->command) vt_report_clear(&t->command->report);
}

/* ---- Transfers --------------------------------------------------------------------------------------------- */

void VTALoadBuffer2D(VTACommandHandle cmd, void *src_dram, uint32_t src_elem_offset, uint32_t x_size, uint32_t y_size,
                     uint32_t x_stride, uint32_t x_pad_before, uint32_t y_pad_before, uint32_t x_pad_after,
                     uint32_t y_pad_after, uint32_t dst_sram_index, uint32_t dst_memory_type) {
    vt_command *command = vt_command_of(cmd);
    const vt_transfer t = {src_dram,     src_elem_offset, x_size,      y_size,         x_stride,       x_pad_before,
                           y_pad_before, x_pad_after,     y_pad_after, dst_sram_index, dst_memory_type};
    if (command && vt_command_load(command, &t) == VTA_OK) return;
    fail(cmd, command,
         VT_CALL(VTALoadBuffer2D, P(cmd), P(src_dram), src_elem_offset, x_size, y_size, x_stride, x_pad_before,
                 y_pad_before, x_pad_after, y_pad_after, dst_sram_index, dst_memory_type));
}

void VTAStoreBuffer2D(VTACommandHandle cmd, uint32_t src_sram_index, uint32_t src_memory_type, void *dst_dram,
                      uint32_t dst_elem_offset, uint32_t x_size, uint32_t y_size, uint32_t x_stride) {
    vt_command *command = vt_command_of(cmd);
    const vt_transfer t = {.buffer = dst_dram,
                           .offset = dst_elem_offset,
                           .x_size = x_size,
                           .y_size = y_size,
                           .x_stride = x_stride,
                           .sram_index = src_sram_index,
                           .memory_type = src_memory_type};
    if (command && vt_command_store(command, &t) == VTA_OK) return;
    fail(cmd, command,
         VT_CALL(VTAStoreBuffer2D, P(cmd), src_sram_index, src_memory_type, P(dst_dram), dst_elem_offset, x_size,
                 y_size, x_stride));
}

/* ---- Micro-kernels ----------------------------------------------------------------------------------------- */

/* The kernel that the calling thread's finit records; NULL after reporting that there is none. */
static vt_uop_kernel *recording(const vt_call *call) {
    vt_command *command = vt_this_thread.command ? vt_this_thread.command : vt_thread_command();
    if (!command) return NULL;
    if (command->recording) return command->recording;
    vt_fail(command->diag, VTA_ILLEGAL,
            "outside of a finit: micro-ops are recorded by the function given to VTAPushGEMMOp or VTAPushALUOp");
    vt_command_fail(command, call);
    return NULL;
}

void VTAUopPush(uint32_t mode, uint32_t reset_out, uint32_t dst_index, uint32_t src_index, uint32_t wgt_index,
                uint32_t opcode, uint32_t use_imm, int32_t imm_val) {
    const vt_uop_args uop = {mode, reset_out, dst_index, src_index, wgt_index, opcode, use_imm, imm_val};
    vt_command *command = vt_this_thread.command;
    vt_uop_kernel *kernel = command ? command->recording : NULL;
    if (kernel && vt_kernel_push(kernel, command->config, &uop, command->diag) == VTA_OK) return;
    const vt_call *call =
        VT_CALL(VTAUopPush, mode, reset_out, dst_index, src_index, wgt_index, opcode, use_imm, (uint64_t)imm_val);
    if (kernel)
        vt_command_fail(command, call);
    else
        recording(call);
}

void VTAUopLoopBegin(uint32_t extent, uint32_t dst_factor, uint32_t src_factor, uint32_t wgt_factor) {
    const vt_call *call = VT_CALL(VTAUopLoopBegin, extent, dst_factor, src_factor, wgt_factor);
    const vt_uop_loop loop = {extent, dst_factor, src_factor, wgt_factor};
    vt_uop_kernel *kernel = recording(call);
    if (!kernel) return;
    vt_command *command = vt_this_thread.command;
    if (vt_kernel_loop_begin(kernel, command->config, &loop, command->diag) != VTA_OK) vt_command_fail(command, call);
}

void VTAUopLoopEnd(void) {
    const vt_call *call = VT_CALL(VTAUopLoopEnd, 0);
    vt_uop_kernel *kernel = recording(call);
    if (!kernel) return;
    vt_command *command = vt_this_thread.command;
    if (vt_kernel_loop_end(kernel, command->diag) != VTA_OK) vt_command_fail(command, call);
}

int VTAPushGEMMOp(void **uop_handle, int (*finit)(void *), void *signature, int nbytes) {
    vt_command *command = vt_thread_command();
    if (!command) return -1;
    if (vt_command_push(command, VT_KERNEL_GEMM, uop_handle, finit, signature, nbytes) == VTA_OK) return 0;
    vt_command_fail(command, VT_CALL(VTAPushGEMMOp, P(uop_handle), P(finit), P(signature), (uint64_t)nbytes));
    return -1;
}

int VTAPushALUOp(void **uop_handle, int (*finit)(void *), void *signature, int nbytes) {
    vt_command *command = vt_thread_command();
    if (!command) return -1;
    if (vt_command_push(command, VT_KERNEL_ALU, uop_handle, finit, signature, nbytes) == VTA_OK) return 0;
    vt_command_fail(command, VT_CALL(VTAPushALUOp, P(uop_handle), P(finit), P(signature), (uint64_t)nbytes));
    return -1;
}

/* ---- Tokens and running ------------------------------------------------------------------------------------ */

int VTADepPush(VTACommandHandle cmd, int from_qid, int to_qid) {
    vt_command *command = vt_command_of(cmd);
    if (command && vt_command_dep_push(command, from_qid, to_qid) == VTA_OK) return 0;
    fail(cmd, command, VT_CALL(VTADepPush, P(cmd), (uint64_t)from_qid, (uint64_t)to_qid));
    return -1;
}

int VTADepPop(VTACommandHandle cmd, int from_qid, int to_qid) {
    vt_command *command = vt_command_of(cmd);
    if (command && vt_command_dep_pop(command, from_qid, to_qid) == VTA_OK) return 0;
    fail(cmd, command, VT_CALL(VTADepPop, P(cmd), (uint64_t)from_qid, (uint64_t)to_qid));
    return -1;
}

void VTASynchronize(VTACommandHandle cmd, uint32_t wait_cycles) {
    vt_command *command = vt_command_of(cmd);
    if (command && vt_command_synchronize(command, wait_cycles) == VTA_OK) return;
    const vt_call *call = VT_CALL(VTASynchronize, P(cmd), wait_cycles);
    /* A stream that failed is gone; inside a finit it is still being recorded, and damaged. */
    if (command && !command->recording)
        vt_command_report(command, call);
    else
        fail(cmd, command, call);
}
