#include "runtime/capture.h"

#include <stdio.h>

#include <stddef.h>

#include "runtime/command.h"
#include "vta/program.h"

struct vt_capture {
    vta_program *program;
    char *path;            /* NULL: in memory, to be taken */
    bool of_process;       /* asked for by the environment, for all runtimes of the process */
    vta_runtime *runtime;  /* while a run is being recorded */
    vta_status status;     /* of the run that is being recorded */
    vta_status failed;     /* the first run that could not be recorded, for the end */
    bool after;            /* recording contents after the run */
    vta_counters counters; /* of the runs that were recorded */
};

/* Counters that every device gives alike: the runtime's own and cycles are not. */
enum { RECORDED_COUNTERS = (1u << offsetof(vta_counters, uop_cache_hits) / sizeof(uint64_t)) - 1 };

static void add_counters(vta_counters *sum, const vta_counters *begin, const vta_counters *end) {
#define VTA_COUNTER(name, meaning) sum->name += end->name - begin->name;
#include "vta/counters.def"
#undef VTA_COUNTER
}

/* ---- Begin and end ----------------------------------------------------------------------------------------- */

static void destroy(vta_runtime *runtime, vt_capture *capture) {
    vta_program_destroy(capture->program);
    vt_strfree(&runtime->allocator, capture->path);
    vt_free(&runtime->allocator, capture, sizeof *capture);
}

static vta_status incomplete(const vt_capture *capture, vta_diag *diag) {
    return vt_fail(diag, capture->failed, "%s: some runs are missing, for which there was no memory",
                   capture->path ? capture->path : "the recording");
}

vta_status vt_capture_end(vta_runtime *runtime, vta_diag *diag) {
    vt_capture *capture = runtime->capture;
    if (!capture) return VTA_OK;
    runtime->capture = NULL;
    atomic_store_explicit(&runtime->capturing, false, memory_order_relaxed);
    vta_program_set_stats(capture->program, &capture->counters, RECORDED_COUNTERS);
    vta_status status = VTA_OK;
    if (capture->path && vta_program_run_count(capture->program))
        status = vta_program_save(capture->program, capture->path, diag);
    if (status == VTA_OK && capture->failed != VTA_OK) status = incomplete(capture, diag);
    destroy(runtime, capture);
    return status;
}

vta_status vt_capture_take(vta_runtime *runtime, vta_diag *diag, vta_program **out_program) {
    vt_capture *capture = runtime->capture;
    *out_program = NULL;
    if (!capture || capture->path)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "no recording in memory was begun (vta_runtime_record)");
    if (capture->failed == VTA_OK && vta_program_run_count(capture->program)) {
        *out_program = capture->program;
        capture->program = NULL;
    }
    vta_status status = capture->failed == VTA_OK ? VTA_OK : incomplete(capture, diag);
    runtime->capture = NULL;
    atomic_store_explicit(&runtime->capturing, false, memory_order_relaxed);
    destroy(runtime, capture);
    return status;
}

vta_status vt_capture_begin(vta_runtime *runtime, const char *path, bool of_process, vta_diag *diag) {
    vt_capture *capture = vt_alloc_zero(&runtime->allocator, sizeof *capture);
    if (!capture) return vt_no_memory(diag);
    capture->of_process = of_process;
    capture->path = path ? vt_strdup(&runtime->allocator, path) : NULL;
    vta_status status = capture->path || !path ? vta_program_create(runtime->config, path ? &runtime->allocator : NULL,
                                                                    diag, &capture->program)
                                               : vt_no_memory(diag);
    if (status != VTA_OK) {
        destroy(runtime, capture);
        return status;
    }
    runtime->capture = capture;
    atomic_store_explicit(&runtime->capturing, true, memory_order_relaxed);
    return VTA_OK;
}

/* ---- One run ----------------------------------------------------------------------------------------------- */

/* Contents of one piece of device memory, to the program. */
static void record(vt_capture *capture, uint32_t addr, size_t bytes) {
    vta_runtime *runtime = capture->runtime;
    if (capture->status != VTA_OK || !bytes) return;
    uint8_t *contents = vt_alloc(&runtime->allocator, bytes);
    capture->status = contents ? vta_device_read(runtime->device, addr, contents, bytes, NULL) : VTA_NO_MEMORY;
    if (capture->status == VTA_OK && capture->after)
        capture->status = vta_program_add_after(capture->program, addr, contents, bytes, NULL);
    else if (capture->status == VTA_OK)
        capture->status = vta_program_add_segment(capture->program, addr, contents, bytes, NULL);
    vt_free(&runtime->allocator, contents, bytes);
}

static void record_buffer(void *ctx, vt_slot *slot) { record(ctx, slot->addr, (size_t)slot->bytes); }

/* All that a stream can reach: buffers, also those freed since it was recorded, the driver interface's blocks, and
 * micro-op images. Instruction streams are recorded by themselves. */
static void record_memory(vt_capture *capture) {
    vta_runtime *runtime = capture->runtime;
    vt_handle_each(&vt_buffers, runtime, record_buffer, capture);
    for (size_t i = 0; i < runtime->deferred_count; i++)
        record(capture, runtime->deferred[i].addr, runtime->deferred[i].bytes);
    for (size_t i = 0; i < runtime->block_count; i++)
        record(capture, runtime->blocks[i].addr, runtime->blocks[i].bytes);
    for (const vt_command *c = runtime->commands; c; c = c->next_of_runtime)
        record(capture, c->uop_memory.addr, c->uop_memory.bytes);
}

/* Notes of the handle whose stream this is. */
static void record_notes(vt_capture *capture, uint32_t insn_addr) {
    for (const vt_command *c = capture->runtime->commands; c; c = c->next_of_runtime) {
        if (c->insn_memory.addr != insn_addr) continue;
        for (size_t i = 0; i < c->queue.note_count && capture->status == VTA_OK; i++)
            if (c->queue.notes[i].insn < c->queue.count)
                capture->status = vta_program_add_note(capture->program, (uint32_t)c->queue.notes[i].insn,
                                                       c->queue.notes[i].text, NULL);
    }
}

static void before_run(vt_capture *capture, uint32_t insn_addr, uint32_t count) {
    vta_runtime *runtime = capture->runtime;
    size_t bytes = (size_t)count * VTA_INSN_BYTES;
    uint8_t *insns = vt_alloc(&runtime->allocator, bytes);
    capture->status = insns ? vta_device_read(runtime->device, insn_addr, insns, bytes, NULL) : VTA_NO_MEMORY;
    if (capture->status == VTA_OK)
        capture->status = vta_program_begin_run(capture->program, insn_addr, insns, count, NULL);
    vt_free(&runtime->allocator, insns, bytes);
    if (capture->status == VTA_OK) record_notes(capture, insn_addr);
    capture->after = false;
    record_memory(capture);
}

static void after_run(vt_capture *capture, vta_status ran) {
    capture->after = true;
    if (ran == VTA_OK) record_memory(capture);
    if (capture->status == VTA_OK && ran == VTA_OK) capture->status = vta_program_end_run(capture->program, NULL);
    if (capture->status != VTA_OK || ran != VTA_OK) vta_program_drop_run(capture->program);
    if (capture->failed == VTA_OK) capture->failed = capture->status;
}

vta_status vt_run_device_locked(vta_runtime *runtime, const vt_run *run, vta_diag *diag) {
    vt_capture *capture = runtime->capture;
    runtime->last = NULL;
    if (!capture) return vt_device_run(runtime->device, run, diag);
    capture->runtime = runtime;
    before_run(capture, run->insn_addr, run->count);
    vta_counters begin = vta_device_counters(runtime->device);
    vta_status status = vt_device_run(runtime->device, run, diag);
    vta_counters end = vta_device_counters(runtime->device);
    after_run(capture, status);
    if (status == VTA_OK && capture->status == VTA_OK) add_counters(&capture->counters, &begin, &end);
    return status;
}
