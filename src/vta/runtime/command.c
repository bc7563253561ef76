#include "runtime/command.h"

#include <stdio.h>

/* ---- Life -------------------------------------------------------------------------------------------------- */

static void link_to_runtime(vt_command *command) {
    vta_runtime *runtime = command->runtime;
    pthread_mutex_lock(&runtime->lock);
    command->next_of_runtime = runtime->commands;
    runtime->commands = command;
    pthread_mutex_unlock(&runtime->lock);
}

static void free_queue_memory(vta_runtime *runtime, const vt_queue_memory *memory) {
    if (memory->addr) vta_device_free(runtime->device, memory->addr, NULL);
}

static void unlink_from_runtime(vt_command *command) {
    vta_runtime *runtime = command->runtime;
    pthread_mutex_lock(&runtime->lock);
    for (vt_command **link = &runtime->commands; *link; link = &(*link)->next_of_runtime) {
        if (*link != command) continue;
        *link = command->next_of_runtime;
        break;
    }
    if (runtime->last == command) runtime->last = NULL;
    vt_runtime_stream_ended_locked(runtime, command);
    free_queue_memory(runtime, &command->insn_memory);
    free_queue_memory(runtime, &command->uop_memory);
    pthread_mutex_unlock(&runtime->lock);
}

vta_status vt_command_create(vta_runtime *runtime, vta_diag *diag, vt_command **out_command) {
    *out_command = NULL;
    const vta_allocator *allocator = &runtime->allocator;
    vt_command *command = vt_alloc_zero(allocator, sizeof *command);
    vta_diag *own = vta_diag_create(allocator);
    vt_slot *slot = vt_handle_take(&vt_commands);
    bool made = command && vt_loaded_init(&command->loaded, runtime->config, allocator);
    if (!made || !own || !slot) {
        if (made) vt_loaded_clear(&command->loaded);
        vt_free(allocator, command, sizeof *command);
        vta_diag_destroy(own);
        if (slot) vt_handle_drop(&vt_commands, slot);
        return vt_no_memory(diag);
    }
    command->runtime = runtime;
    command->config = runtime->config;
    command->debug = runtime->debug;
    command->max_insns = runtime->max_transfer / VTA_INSN_BYTES;
    command->diag = own;
    command->slot = slot;
    vt_queue_init(&command->queue, allocator);
    vt_uop_cache_init(&command->cache, allocator, command->config->depth[VTA_MEM_UOP]);
    vt_site_table_init(&command->sites, allocator);
    link_to_runtime(command);
    slot->owner = runtime;
    slot->object = command;
    vt_handle_publish(&vt_commands, slot);
    *out_command = command;
    return VTA_OK;
}

void vt_command_destroy(vt_command *command) {
    vta_runtime *runtime = command->runtime;
    vt_handle_drop(&vt_commands, command->slot);
    unlink_from_runtime(command);
    vt_queue_clear(&command->queue);
    vt_uop_cache_clear(&command->cache);
    vt_site_table_clear(&command->sites);
    vt_loaded_clear(&command->loaded);
    vt_free(&runtime->allocator, command->bytes, command->bytes_cap);
    vta_diag_destroy(command->diag);
    vt_free(&runtime->allocator, command, sizeof *command);
    vt_runtime_release(runtime);
}

/* ---- Failures ---------------------------------------------------------------------------------------------- */

void vt_command_report(vt_command *command, const vt_call *call) {
    vt_report_call(&command->report, call, vt_report_reason(command->diag).status, vt_diag_reason(command->diag));
    vta_diag_clear(command->diag);
}

void vt_command_fail(vt_command *command, const vt_call *call) {
    command->damaged = true;
    if (vta_diag_count(command->diag)) vt_command_report(command, call); /* else what finit called has done so */
}

void vt_bad_command(void *handle, const vt_call *call) {
    const char *reason = !handle                                   ? "cmd is NULL; VTATLSCommandHandle gives the handle"
                         : vt_handle_is_kind(&vt_commands, handle) ? "cmd is a handle whose thread or runtime has ended"
                         : vt_handle_is_kind(&vt_buffers, handle)  ? "cmd is a buffer, not a command handle"
                                                                   : "cmd is not a handle of this runtime";
    vt_report *report = vt_thread_report();
    if (report) vt_report_call(report, call, VTA_INVALID_ARGUMENT, reason);
    vt_command *own = vt_this_thread.command;
    if (!own) return;
    own->damaged = true;
    vt_report_call(&own->report, call, VTA_INVALID_ARGUMENT, reason);
}

/* ---- Room -------------------------------------------------------------------------------------------------- */

static void open_stream(vt_command *command) {
    command->open = true;
    vt_runtime_stream_begins(command->runtime, command);
}

vta_status vt_command_room(vt_command *command, uint32_t more, uint32_t micro_ops) {
    enum { CALL_INSNS = 4 }; /* the most that one call records, but for what a target needs */
    size_t insns = (size_t)CALL_INSNS + more;
    vt_insn_queue *queue = &command->queue;
    if (command->recording)
        return vt_fail(command->diag, VTA_ILLEGAL,
                       "inside a finit, which only records micro-ops: its kernel is reused without calling it again");
    bool full = queue->count + insns + vt_queue_finish_insns(queue) > command->max_insns ||
                (command->cache.count + micro_ops) * sizeof(uint32_t) > command->runtime->max_transfer;
    if (full && command->damaged) { /* it will be dropped anyway */
        vt_queue_reset(queue, true);
        vt_uop_cache_reset(&command->cache);
    } else if (full) {
        VT_TRY(vt_command_run_early(command));
    }
    if (!command->open) open_stream(command);
    if (queue->count + insns > queue->cap && !vt_queue_reserve(queue, insns)) return vt_no_memory(command->diag);
    return VTA_OK;
}

/* ---- Tokens ------------------------------------------------------------------------------------------------ */

static vta_status check_stages(const vt_command *command, int from, int to) {
    bool known = from >= VTA_STAGE_LOAD && from <= VTA_STAGE_STORE && to >= VTA_STAGE_LOAD && to <= VTA_STAGE_STORE;
    if (!known) return vt_fail(command->diag, VTA_OUT_OF_RANGE, "stages are 1 (load), 2 (compute) and 3 (store)");
    if (from == to) return vt_fail(command->diag, VTA_ILLEGAL, "a stage has no token queue to itself");
    if (from + to == VTA_STAGE_LOAD + VTA_STAGE_STORE)
        return vt_fail(command->diag, VTA_ILLEGAL,
                       "there is no token queue between load and store; go through compute (2)");
    return VTA_OK;
}

vta_status vt_command_dep_push(vt_command *command, int from, int to) {
    VT_TRY(check_stages(command, from, to));
    VT_TRY(vt_command_room(command, 0, 0));
    vt_queue_forget_dropped(&command->queue);
    vt_queue_dep_push(&command->queue, (vta_stage)from, (vta_stage)to);
    return VTA_OK;
}

vta_status vt_command_dep_pop(vt_command *command, int from, int to) {
    VT_TRY(check_stages(command, from, to));
    VT_TRY(vt_command_room(command, 0, 0));
    vt_queue_dep_pop(&command->queue, (vta_stage)from, (vta_stage)to);
    return VTA_OK;
}
