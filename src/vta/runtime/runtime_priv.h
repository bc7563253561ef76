/* A runtime: a device, the buffers on it, and what all command handles on it share. */
#ifndef VT_RUNTIME_PRIV_H
#define VT_RUNTIME_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/diag.h"
#include "config/config_priv.h"
#include "device/device.h"
#include "vta/runtime.h"

typedef struct vt_command vt_command;
typedef struct vt_capture vt_capture;

/* Device memory that a stream may still use after its buffer was freed: it goes when the streams that were being
 * recorded at that moment are over. */
typedef struct vt_deferred_free {
    uint32_t addr;
    size_t bytes;
    uint64_t epoch;
} vt_deferred_free;

/* A block that VTAMemAlloc gave: addressed by the host's view. */
typedef struct vt_block {
    uint8_t *host;
    size_t bytes;
    uint32_t addr;
} vt_block;

struct vta_runtime {
    atomic_uint references; /* the creator's, and one for each command handle and each thread that chose it */
    atomic_bool capturing;  /* a recording is going on: handles keep notes for it */
    atomic_bool retired;    /* destroyed or replaced: nobody starts with it any more */
    vta_allocator allocator;
    vta_config *config;
    uint32_t max_transfer, reserve_bytes, debug;
    uint32_t max_work; /* what bounds a run on a device that knows no time */

    vta_runtime *next_of_process;
    bool forks_inside; /* between fork's handlers: the forking thread holds the lock itself */

    pthread_mutex_t lock; /* guards all below, and what the device does */
    vta_device *device;
    vta_diag *diag; /* for calls without a list of their own */
    vta_sink sink;
    vt_command *commands;
    const vt_command *last; /* whose stream ran last on the device, cut in the middle; NULL: none, or it was whole */
    uint64_t epoch;         /* counts the events that deferred frees are compared by */
    vt_deferred_free *deferred;
    size_t deferred_count, deferred_cap;
    vt_block *blocks; /* by host address */
    size_t block_count, block_cap;
    vta_counters extra; /* what the device does not count */
    vt_capture *capture;
};

/* vta_runtime_create with this driver; `options` and `allocator` are not NULL. */
vta_status vt_runtime_new(const vta_config *config, const struct vt_driver *driver, const vta_runtime_options *options,
                          const vta_allocator *allocator, vta_diag *diag, vta_runtime **out_runtime);
void vt_runtime_init_lock(vta_runtime *runtime);
static inline void vt_runtime_retain(vta_runtime *runtime) {
    atomic_fetch_add_explicit(&runtime->references, 1, memory_order_relaxed);
}
/* The same for a runtime that may be ending: false when its last reference is gone. */
static inline bool vt_runtime_try_retain(vta_runtime *runtime) {
    unsigned now = atomic_load_explicit(&runtime->references, memory_order_relaxed);
    while (now)
        if (atomic_compare_exchange_weak_explicit(&runtime->references, &now, now + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    return false;
}
/* The runtime that NULL stands for, or `runtime` itself, held while it is used: another thread may replace the default.
 * NULL: there is none, and why was reported. */
vta_runtime *vt_runtime_hold(vta_runtime *runtime);
/* The last release frees it, its device and its buffers. */
void vt_runtime_release(vta_runtime *runtime);

/* A stream of `command` begins, or has ended (with the lock held or not, as named). */
void vt_runtime_stream_begins(vta_runtime *runtime, vt_command *command);
void vt_runtime_stream_ended_locked(vta_runtime *runtime, vt_command *command);
/* Frees device memory now, or when no stream can use it any more. */
void vt_runtime_free_memory_locked(vta_runtime *runtime, uint32_t addr, size_t bytes);

#endif
