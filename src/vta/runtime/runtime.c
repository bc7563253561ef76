#include <stdio.h>

#include "base/versioned.h"
#include "device/driver.h"
#include "runtime/capture.h"
#include "runtime/command.h"
#include "runtime/process.h"

/* ---- Life -------------------------------------------------------------------------------------------------- */

static vta_status open_device(vta_runtime *runtime, const struct vt_driver *driver, const vta_runtime_options *options,
                              vta_diag *diag) {
    runtime->diag = vta_diag_create(&runtime->allocator);
    if (!runtime->diag) return vt_no_memory(diag);
    return vt_device_create(driver, runtime->config, options->device, &runtime->allocator, diag, &runtime->device);
}

/* Nobody asks a runtime that ends why its recording could not be written; `vta capture` needs to know. */
static void end_capture(vta_runtime *runtime) {
    if (!runtime->capture) return;
    vta_diag *diag = vta_diag_create(&runtime->allocator);
    if (vt_capture_end(runtime, diag) != VTA_OK) vt_process_capture_failed(vt_diag_reason(diag));
    vta_diag_destroy(diag);
}

/* One that tells the thread which holds it so, for fork. */
void vt_runtime_init_lock(vta_runtime *runtime) {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&runtime->lock, &kind);
    pthread_mutexattr_destroy(&kind);
}

static void free_runtime(vta_runtime *runtime) {
    vta_allocator allocator = runtime->allocator;
    vt_process_remove(runtime);
    end_capture(runtime);
    vta_device_destroy(runtime->device);
    vta_diag_destroy(runtime->diag);
    vta_config_release(runtime->config);
    vt_free(&allocator, runtime->deferred, runtime->deferred_cap * sizeof *runtime->deferred);
    vt_free(&allocator, runtime->blocks, runtime->block_cap * sizeof *runtime->blocks);
    pthread_mutex_destroy(&runtime->lock);
    vt_free(&allocator, runtime, sizeof *runtime);
}

static vta_status check_options(const vta_runtime_options *options, vta_diag *diag) {
    enum { LEAST_TRANSFER = 1024 };
    if (options->max_transfer > VTA_MAX_TRANSFER || (options->max_transfer && options->max_transfer < LEAST_TRANSFER))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "max_transfer is %u bytes; it may be %d to %d", options->max_transfer,
                       LEAST_TRANSFER, VTA_MAX_TRANSFER);
    if (options->reserve_bytes > VTA_MAX_TRANSFER)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "reserve_bytes is %u; a transfer has at most %d", options->reserve_bytes,
                       VTA_MAX_TRANSFER);
    return VTA_OK;
}

/* A driver by name may be a board's that is not the TARGET: streams are recorded for the board. */
static vta_status adopt_config(vta_runtime *runtime, const vta_config *config, const char *driver, vta_diag *diag) {
    char target[80];
    if (vta_target_fits(config, driver)) {
        runtime->config = vta_config_retain(config);
        return VTA_OK;
    }
    snprintf(target, sizeof target, "TARGET=%s", driver);
    return vta_config_with(config, target, diag, &runtime->config);
}

vta_status vt_runtime_new(const vta_config *config, const struct vt_driver *driver, const vta_runtime_options *options,
                          const vta_allocator *allocator, vta_diag *diag, vta_runtime **out_runtime) {
    *out_runtime = NULL;
    VT_TRY(check_options(options, diag));
    vta_runtime *runtime = vt_alloc_zero(allocator, sizeof *runtime);
    if (!runtime) return vt_no_memory(diag);
    runtime->allocator = *allocator;
    runtime->max_transfer = options->max_transfer ? options->max_transfer : VTA_MAX_TRANSFER;
    runtime->reserve_bytes = options->reserve_bytes;
    runtime->debug = options->debug;
    runtime->max_work = options->max_work;
    runtime->sink = options->sink;
    runtime->epoch = 1;
    atomic_init(&runtime->references, 1);
    vt_runtime_init_lock(runtime);
    vt_process_add(runtime);
    vta_status status = adopt_config(runtime, config, driver->name, diag);
    if (status == VTA_OK) status = open_device(runtime, driver, options, diag);
    const char *capture = options->capture ? options->capture : vt_process_capture();
    if (status == VTA_OK && capture) status = vt_capture_begin(runtime, capture, !options->capture, diag);
    if (status != VTA_OK) {
        free_runtime(runtime);
        return status;
    }
    *out_runtime = runtime;
    return VTA_OK;
}

vta_status vta_runtime_create(const vta_config *config, const char *driver, const vta_runtime_options *options,
                              const vta_allocator *allocator, vta_diag *diag, vta_runtime **out_runtime) {
    vta_runtime_options read;
    if (!out_runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_runtime_create: out_runtime is NULL");
    *out_runtime = NULL;
    VT_TRY(vt_options_read(&read, sizeof read, options, "vta_runtime_options", diag));
    if (!allocator) allocator = &vt_allocator_libc;
    vta_config *own = NULL;
    if (config)
        own = vta_config_retain(config);
    else
        VT_TRY(vta_config_find(NULL, diag, &own, NULL));
    const struct vt_driver *found;
    vta_status status = vt_device_find_driver(driver, own, allocator, diag, &found);
    if (status == VTA_OK) status = vt_runtime_new(own, found, &read, allocator, diag, out_runtime);
    vta_config_release(own);
    return status;
}

static void drop_buffer(void *ctx, vt_slot *slot) { vt_handle_drop(ctx, slot); }

void vt_runtime_release(vta_runtime *runtime) {
    if (atomic_fetch_sub_explicit(&runtime->references, 1, memory_order_acq_rel) != 1) return;
    vt_handle_each(&vt_buffers, runtime, drop_buffer, &vt_buffers);
    vt_handle_each(&vt_devices, runtime, drop_buffer, &vt_devices);
    free_runtime(runtime);
}

/* ---- Streams and the memory they use ----------------------------------------------------------------------- */

void vt_runtime_stream_begins(vta_runtime *runtime, vt_command *command) {
    pthread_mutex_lock(&runtime->lock);
    command->epoch = runtime->epoch;
    pthread_mutex_unlock(&runtime->lock);
}

/* Frees what no stream that is being recorded can have been recorded with. */
static void free_late(vta_runtime *runtime) {
    uint64_t oldest = UINT64_MAX;
    for (const vt_command *c = runtime->commands; c; c = c->next_of_runtime)
        if (c->epoch && c->epoch < oldest) oldest = c->epoch;
    size_t kept = 0;
    for (size_t i = 0; i < runtime->deferred_count; i++) {
        if (runtime->deferred[i].epoch < oldest)
            vta_device_free(runtime->device, runtime->deferred[i].addr, NULL);
        else
            runtime->deferred[kept++] = runtime->deferred[i];
    }
    runtime->deferred_count = kept;
}

void vt_runtime_stream_ended_locked(vta_runtime *runtime, vt_command *command) {
    command->epoch = 0;
    if (runtime->deferred_count) free_late(runtime);
}

/* A stream that began at or before this epoch may use the memory. Without memory to remember it, it stays until the
 * runtime ends: better kept than used after it was freed. */
void vt_runtime_free_memory_locked(vta_runtime *runtime, uint32_t addr, size_t bytes) {
    if (!vt_reserve(&runtime->allocator, &runtime->deferred, &runtime->deferred_cap, runtime->deferred_count + 1,
                    sizeof *runtime->deferred))
        return;
    runtime->deferred[runtime->deferred_count++] = (vt_deferred_free){addr, bytes, runtime->epoch++};
    free_late(runtime);
}

/* ---- Options and counters ---------------------------------------------------------------------------------- */

vta_runtime *vt_runtime_hold(vta_runtime *runtime) {
    if (!runtime) return vt_runtime_acquire();
    vt_runtime_retain(runtime);
    return runtime;
}

const vta_config *vta_runtime_config(vta_runtime *runtime) {
    if (!runtime) runtime = vta_runtime_current();
    return runtime ? runtime->config : NULL;
}

const char *vta_runtime_driver(vta_runtime *runtime) {
    if (!runtime) runtime = vta_runtime_current();
    return runtime ? vta_device_driver(runtime->device) : NULL;
}

vta_counters vta_runtime_counters(vta_runtime *runtime) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return (vta_counters){0};
    pthread_mutex_lock(&runtime->lock);
    vta_counters counters = vta_device_counters(runtime->device);
#define VTA_COUNTER(name, meaning) counters.name += runtime->extra.name;
#include "vta/counters.def"
#undef VTA_COUNTER
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    return counters;
}

char *vta_runtime_findings_to_json(vta_runtime *runtime) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return NULL;
    pthread_mutex_lock(&runtime->lock);
    char *text = vta_device_findings_to_json(runtime->device);
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    return text;
}

void vta_runtime_clear_counters(vta_runtime *runtime) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return;
    pthread_mutex_lock(&runtime->lock);
    vta_device_clear_counters(runtime->device);
    runtime->extra = (vta_counters){0};
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
}

vta_status vta_runtime_set_device_options(vta_runtime *runtime, const vta_device_options *options, vta_diag *diag) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "there is no runtime: see vta_last_error(NULL)");
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vta_device_set_options(runtime->device, options, diag);
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    return status;
}

vta_status vta_runtime_program(vta_runtime *runtime, const char *bitstream, vta_diag *diag, bool *out_has_fpga) {
    if (out_has_fpga) *out_has_fpga = false;
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "there is no runtime: see vta_last_error(NULL)");
    pthread_mutex_lock(&runtime->lock);
    bool can = vt_device_can_be_programmed(runtime->device);
    vta_status status = bitstream ? vta_device_program(runtime->device, bitstream, diag) : VTA_OK;
    if (out_has_fpga) *out_has_fpga = can;
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    return status;
}

/* No lock: the run that is to be stopped holds it. */
void vta_runtime_interrupt(vta_runtime *runtime) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return;
    vta_device_interrupt(runtime->device);
    vt_runtime_release(runtime);
}

void vta_runtime_set_sink(vta_runtime *runtime, vta_sink sink) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return;
    pthread_mutex_lock(&runtime->lock);
    runtime->sink = sink;
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
}

vta_status vta_runtime_capture(vta_runtime *runtime, const char *path, vta_diag *diag) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "there is no runtime: see vta_last_error(NULL)");
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vt_capture_end(runtime, diag);
    if (status == VTA_OK && path) status = vt_capture_begin(runtime, path, false, diag);
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    return status;
}

vta_status vta_runtime_record(vta_runtime *runtime, vta_diag *diag) {
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "there is no runtime: see vta_last_error(NULL)");
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vt_capture_end(runtime, diag);
    if (status == VTA_OK) status = vt_capture_begin(runtime, NULL, false, diag);
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    vt_this_thread.touched = (vt_touched){.watching = status == VTA_OK};
    return status;
}

vta_status vta_runtime_recorded(vta_runtime *runtime, size_t touched_capacity, vta_diag *diag,
                                vta_program **out_program, uint32_t out_touched[], size_t *out_touched_count) {
    if (!out_program) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_runtime_recorded: out_program is NULL");
    *out_program = NULL;
    runtime = vt_runtime_hold(runtime);
    if (!runtime) return vt_fail(diag, VTA_INVALID_ARGUMENT, "there is no runtime: see vta_last_error(NULL)");
    pthread_mutex_lock(&runtime->lock);
    vta_status status = vt_capture_take(runtime, diag, out_program);
    pthread_mutex_unlock(&runtime->lock);
    vt_runtime_release(runtime);
    const vt_touched *t = &vt_this_thread.touched;
    for (size_t i = 0; i < touched_capacity && i < t->count && i < VT_MAX_TOUCHED; i++) out_touched[i] = t->addr[i];
    if (out_touched_count) *out_touched_count = t->count;
    vt_this_thread.touched.watching = false;
    return status;
}
