/* Ending a stream: check, encode, copy to device memory, run. */
#include <inttypes.h>
#include <string.h>

#include "device/portability.h"
#include "runtime/capture.h"
#include "runtime/command.h"
#include "runtime/dump.h"

static void end_stream(vt_command *command, bool dropped) {
    vt_queue_reset(&command->queue, dropped);
    vt_uop_cache_reset(&command->cache);
    command->damaged = false;
    if (!command->open) return;
    command->open = false;
    pthread_mutex_lock(&command->runtime->lock);
    vt_runtime_stream_ended_locked(command->runtime, command);
    pthread_mutex_unlock(&command->runtime->lock);
}

void vt_command_drop(vt_command *command) { end_stream(command, true); }

/* ---- Tokens ------------------------------------------------------------------------------------------------ */

/* A pop whose token was not pushed before the stream ends would wait forever. Tokens that are left are carried over
 * to the handle's next stream. */
static vta_status check_tokens(const vt_command *command, const char *hint) {
    vta_status status = VTA_OK;
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++) {
        int64_t left = vt_queue_balance(&command->queue, (vta_token_queue)q);
        int from = vt_token_from((vta_token_queue)q), to = vt_token_to((vta_token_queue)q);
        if (left < 0)
            status = vt_fail(command->diag, VTA_DEADLOCK,
                             "%" PRId64 " more VTADepPop(%d, %d) than VTADepPush(%d, %d): the %s stage would wait "
                             "forever for a %s token%s",
                             -left, from, to, from, to, vta_stage_name((vta_stage)to),
                             vta_token_queue_name((vta_token_queue)q), hint);
    }
    return status;
}

/* ---- Device memory ----------------------------------------------------------------------------------------- */

static vta_status place(vt_command *command, vt_queue_memory *memory, size_t bytes) {
    vta_runtime *runtime = command->runtime;
    if (bytes <= memory->bytes) return VTA_OK;
    size_t want = memory->bytes ? memory->bytes : VTA_PAGE_BYTES;
    if (want < runtime->reserve_bytes) want = runtime->reserve_bytes;
    while (want < bytes) want *= 2;
    if (memory->addr) vta_device_free(runtime->device, memory->addr, NULL);
    *memory = (vt_queue_memory){0};
    VT_TRY(vta_device_alloc(runtime->device, want, command->diag, &memory->addr));
    memory->bytes = want;
    return VTA_OK;
}

static vta_status place_queues(vt_command *command) {
    VT_TRY(place(command, &command->uop_memory, command->cache.count * sizeof(uint32_t)));
    return place(command, &command->insn_memory, command->queue.count * VTA_INSN_BYTES);
}

/* The LOAD UOPs were recorded relative to the image. */
static void encode(vt_command *command) {
    uint32_t image = command->uop_memory.addr / VTA_UOP_BYTES;
    for (size_t i = 0; i < command->queue.count; i++) {
        vta_insn *insn = &command->queue.insns[i];
        if (insn->opcode == VTA_OP_LOAD && insn->u.mem.memory_type == VTA_MEM_UOP && insn->u.mem.x_size)
            insn->u.mem.dram_base += image;
        vt_insn_pack(command->config, insn, command->bytes + i * VTA_INSN_BYTES);
    }
}

static vta_status write_queues(vt_command *command) {
    vta_device *device = command->runtime->device;
    if (command->cache.count)
        VT_TRY(vta_device_write(device, command->uop_memory.addr, command->cache.image,
                                command->cache.count * sizeof(uint32_t), command->diag));
    return vta_device_write(device, command->insn_memory.addr, command->bytes, command->queue.count * VTA_INSN_BYTES,
                            command->diag);
}

/* ---- Running ----------------------------------------------------------------------------------------------- */

static void add_cache_counters(vt_command *command) {
    vta_counters *extra = &command->runtime->extra;
    extra->uop_cache_hits += command->cache.hits;
    extra->uop_cache_misses += command->cache.misses;
    extra->uop_cache_evictions += command->cache.evictions;
    command->cache.hits = command->cache.misses = command->cache.evictions = 0;
}

/* `cut`: the stream goes on after this run, with what it leaves on chip. */
static vta_status run_locked(vt_command *command, uint32_t wait_cycles, bool cut) {
    VT_TRY(place_queues(command));
    encode(command);
    VT_TRY(write_queues(command));
    if (command->debug & VTA_DEBUG_DUMP_INSN) vt_dump_stream(command);
    add_cache_counters(command);
    vta_runtime *runtime = command->runtime;
    const vt_run run = {command->insn_memory.addr, (uint32_t)command->queue.count, wait_cycles, runtime->max_work,
                        .continues = runtime->last == command};
    vta_status status = vt_run_device_locked(runtime, &run, command->diag);
    if (cut) runtime->last = command;
    return status;
}

/* Runs the finished stream and forgets it, whatever came of it. */
static vta_status run(vt_command *command, uint32_t wait_cycles, bool cut) {
    vta_runtime *runtime = command->runtime;
    vta_status status = VTA_OK;
    if (!vt_reserve(&runtime->allocator, &command->bytes, &command->bytes_cap, command->queue.count * VTA_INSN_BYTES,
                    1))
        status = vt_no_memory(command->diag);
    if (status == VTA_OK) {
        pthread_mutex_lock(&runtime->lock);
        status = run_locked(command, wait_cycles, cut);
        pthread_mutex_unlock(&runtime->lock);
    }
    if (status == VTA_OK) vta_diag_clear(command->diag); /* warnings: the device keeps them */
    end_stream(command, status != VTA_OK);
    return status;
}

/* Would the next run begin with what this one leaves? Also of a stream that is recorded for a board elsewhere. */
static bool keeps_tokens(const vt_command *command) {
    return vt_device_keeps_tokens(command->runtime->device) ||
           vt_differs_on(vt_design_of(command->config), VT_WARN_TOKENS_LEFT);
}

/* Ends the stream and runs it. */
static vta_status finish_and_run(vt_command *command, uint32_t wait_cycles, bool cut, const char *hint) {
    vt_insn_queue *queue = &command->queue;
    vta_status status = VTA_OK;
    if (!vt_queue_reserve(queue, vt_queue_finish_insns(queue))) {
        status = vt_no_memory(command->diag);
    } else if (command->debug & VTA_DEBUG_FORCE_SERIAL) {
        if (!vt_queue_finish_serial(queue)) status = vt_no_memory(command->diag);
    } else {
        status = check_tokens(command, hint);
        if (status == VTA_OK && keeps_tokens(command)) vt_queue_take_left(queue);
        if (status == VTA_OK) vt_queue_finish(queue);
    }
    if (status == VTA_OK) return run(command, wait_cycles, cut);
    vt_command_drop(command);
    return status;
}

vta_status vt_command_synchronize(vt_command *command, uint32_t wait_cycles) {
    if (command->recording) return vt_fail(command->diag, VTA_ILLEGAL, "inside a finit, which only records micro-ops");
    if (!command->damaged && (command->queue.count || vt_queue_has_pops(&command->queue)))
        return finish_and_run(command, wait_cycles, false, "");
    end_stream(command, command->damaged);
    return VTA_OK;
}

vta_status vt_command_run_early(vt_command *command) {
    static const uint32_t no_bound = 0;
    return finish_and_run(command, no_bound, true,
                          " that is pushed later; the stream has outgrown a transfer and must run now: push before "
                          "popping, or synchronize more often");
}
