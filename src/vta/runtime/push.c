/* VTAPushGEMMOp and VTAPushALUOp: find or record the micro-kernel, bring it into the uop buffer, run it. */
#include <string.h>

#include "config/field_bits.h"
#include "runtime/adapt.h"
#include "runtime/command.h"
#include "runtime/dump.h"

/* Runs finit with the kernel as what VTAUopPush and the loops record into. Their own failures are reported by
 * themselves; *out_reported tells. */
static vta_status run_finit(vt_command *command, vt_uop_kernel *kernel, uint32_t mode, int (*finit)(void *),
                            void *signature, bool *out_reported) {
    bool damaged = command->damaged;
    command->damaged = false;
    command->recording = kernel;
    int result = finit(signature);
    command->recording = NULL;
    *out_reported = command->damaged;
    command->damaged |= damaged;
    if (*out_reported) return VTA_ILLEGAL;
    if (result) return vt_fail(command->diag, VTA_ILLEGAL, "finit returned %d, not 0", result);
    VT_TRY(vt_kernel_finish(kernel, mode, command->diag));
    return vt_kernel_adapt(kernel, command->config, command->diag);
}

static vta_status record(vt_command *command, uint32_t mode, uint64_t site, bool has_signature, int32_t key,
                         int (*finit)(void *), void *signature, vt_uop_kernel **out_kernel) {
    const vta_allocator *allocator = &command->runtime->allocator;
    vt_uop_kernel *kernel = vt_alloc(allocator, sizeof *kernel);
    if (!kernel) return vt_no_memory(command->diag);
    vt_kernel_init(kernel, allocator);
    bool reported = false;
    vta_status status = run_finit(command, kernel, mode, finit, signature, &reported);
    if (status == VTA_OK && !vt_site_add(&command->sites, site, has_signature, key, kernel))
        status = vt_no_memory(command->diag);
    if (status != VTA_OK) {
        vt_kernel_clear(kernel);
        vt_free(allocator, kernel, sizeof *kernel);
        return status;
    }
    if (command->debug & VTA_DEBUG_DUMP_UOP) vt_dump_kernel(command, kernel);
    *out_kernel = kernel;
    return VTA_OK;
}

/* Can the run's LOAD UOP bring in this kernel too, which then costs no instruction, and no wait behind the loads of
 * operands? Until placing starts again at 0, kernels follow each other in the buffer and in the image, and nothing was
 * in their place before; compute does the load first. */
static bool joins_load(const vt_command *command, const vt_uop_kernel *kernel) {
    const vt_uop_cache *cache = &command->cache;
    if (!cache->share || !cache->has_load || cache->wrapped) return false;
    return command->queue.insns[cache->load].u.mem.x_size + kernel->count <= VT_FIELD_MAX(MEM_x_size);
}

static void join_load(vt_command *command, const vt_uop_kernel *kernel) {
    vta_insn *insn = &command->queue.insns[command->cache.load];
    if (!insn->u.mem.x_size) {
        insn->u.mem.sram_base = kernel->sram_begin;
        insn->u.mem.dram_base = kernel->image_at; /* the image's address is added when it has one (sync.c) */
        insn->u.mem.y_size = 1;
    }
    insn->u.mem.x_size = insn->u.mem.x_stride = (uint16_t)(insn->u.mem.x_size + kernel->count);
}

/* A LOAD UOP of nothing yet; tokens that compute waits for are left to the instruction behind it. */
static void add_load(vt_command *command, size_t *out_load, bool waits[2]) {
    *out_load = command->queue.count;
    vta_insn *insn = vt_queue_next(&command->queue, VTA_STAGE_COMPUTE);
    insn->opcode = VTA_OP_LOAD;
    insn->u.mem.memory_type = VTA_MEM_UOP;
    waits[0] |= insn->pop_prev_dep, waits[1] |= insn->pop_next_dep;
    insn->pop_prev_dep = insn->pop_next_dep = 0;
}

/* Micro-ops of later steps have a LOAD UOP of their own, behind the run's first product: its place is kept there, and
 * from the next instruction on that waits for operands, kernels join it. */
static void split_load(vt_command *command, bool waits[2]) {
    vt_uop_cache *cache = &command->cache;
    bool waits_for_load = command->queue.pop_prev[VTA_STAGE_COMPUTE];
    if (!cache->late || !cache->product || cache->split) return;
    if (!cache->has_late) add_load(command, &cache->late_load, waits);
    cache->has_late = true;
    if (!waits_for_load) return;
    cache->load = cache->late_load;
    cache->split = true;
}

/* The instruction itself, or one of those that it became. */
static void add_part(vt_command *command, const vt_uop_kernel *kernel, uint32_t part, const bool waits[2]) {
    uint32_t count = (uint32_t)kernel->count / kernel->parts;
    vta_insn *insn = vt_queue_next(&command->queue, VTA_STAGE_COMPUTE);
    uint8_t pop_prev = insn->pop_prev_dep | waits[0], pop_next = insn->pop_next_dep | waits[1];
    *insn = kernel->insn;
    insn->pop_prev_dep = pop_prev;
    insn->pop_next_dep = pop_next;
    insn->u.exec.uop_bgn = kernel->sram_begin + part * count;
    insn->u.exec.uop_end = insn->u.exec.uop_bgn + count;
}

static vta_status use(vt_command *command, vt_uop_kernel *kernel) {
    if (!kernel->parts) return VTA_OK; /* nothing is to be done */
    VT_TRY(vt_command_room(command, kernel->parts - 1, vt_uop_cache_growth(&command->cache, kernel)));
    vt_queue_forget_dropped(&command->queue);
    bool load, pops[2] = {false, false};
    if (!vt_uop_cache_use(&command->cache, kernel, &load)) return vt_no_memory(command->diag);
    split_load(command, pops);
    if (load && !joins_load(command, kernel)) {
        command->cache.has_load = true;
        add_load(command, &command->cache.load, pops);
        if (!command->cache.share) {
            vta_insn *insn = &command->queue.insns[command->cache.load];
            insn->pop_prev_dep = pops[0], insn->pop_next_dep = pops[1];
            pops[0] = pops[1] = false;
        }
    }
    if (load) join_load(command, kernel);
    command->cache.product |= kernel->insn.opcode == VTA_OP_GEMM && !kernel->insn.u.exec.reset_reg;
    vt_loaded_compute(&command->loaded, command->config, kernel);
    for (uint32_t part = 0; part < kernel->parts; part++, pops[0] = pops[1] = false)
        add_part(command, kernel, part, pops);
    return VTA_OK;
}

static vta_status check_call(vt_command *command, void **uop_handle, int (*finit)(void *), const void *signature,
                             int nbytes) {
    if (command->recording)
        return vt_fail(command->diag, VTA_ILLEGAL, "inside another call's finit: micro-kernels do not nest");
    if (!uop_handle)
        return vt_fail(command->diag, VTA_INVALID_ARGUMENT,
                       "uop_handle is NULL; it must point to a variable of the call site that is NULL at first");
    if (nbytes != 0 && nbytes != (int)sizeof(int32_t))
        return vt_fail(command->diag, VTA_OUT_OF_RANGE, "a signature has 0 or 4 bytes, not %d", nbytes);
    if (nbytes && !signature)
        return vt_fail(command->diag, VTA_INVALID_ARGUMENT, "signature is NULL, but nbytes is %d", nbytes);
    if (!finit) return vt_fail(command->diag, VTA_INVALID_ARGUMENT, "finit is NULL; it records the micro-kernel");
    return VTA_OK;
}

vta_status vt_command_push(vt_command *command, uint32_t mode, void **uop_handle, int (*finit)(void *), void *signature,
                           int nbytes) {
    VT_TRY(check_call(command, uop_handle, finit, signature, nbytes));
    uint64_t site = vt_site_number(uop_handle, command->diag);
    if (!site) return VTA_INVALID_ARGUMENT;
    int32_t key = 0;
    if (nbytes) memcpy(&key, signature, sizeof key);
    vt_uop_kernel *kernel = vt_site_find(&command->sites, site, nbytes != 0, key);
    if (!kernel) VT_TRY(record(command, mode, site, nbytes != 0, key, finit, signature, &kernel));
    if (kernel->first.mode != mode)
        return vt_fail(command->diag, VTA_MISMATCH,
                       "this call site's kernel was recorded by the other of the two calls");
    return use(command, kernel);
}
