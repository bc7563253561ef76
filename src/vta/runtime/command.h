/* A command handle: one thread's stream on one runtime, its micro-kernels, and what went wrong. */
#ifndef VT_RUNTIME_COMMAND_H
#define VT_RUNTIME_COMMAND_H

#include "runtime/adapt.h"
#include "runtime/insn_queue.h"
#include "runtime/process.h"
#include "runtime/site.h"
#include "runtime/uop_cache.h"

/* Device memory that a queue's contents are copied to for a run; grows by doubling. */
typedef struct vt_queue_memory {
    uint32_t addr; /* 0: none yet */
    size_t bytes;
} vt_queue_memory;

struct vt_command {
    vta_runtime *runtime;
    const vta_config *config; /* the runtime's */
    vt_slot *slot;
    vt_command *next_of_thread, *next_of_runtime;
    vt_insn_queue queue;
    vt_uop_cache cache;
    vt_site_table sites;
    vt_uop_kernel *recording; /* inside a finit */
    bool damaged;             /* the stream will be dropped */
    uint32_t debug;
    uint64_t epoch; /* when the stream began, in the runtime's count; 0: nothing recorded (guarded by its lock) */
    bool open;      /* the same, for the owner alone */
    uint32_t max_insns;
    vt_queue_memory insn_memory, uop_memory;
    vt_loaded loaded;
    uint8_t *bytes; /* the encoded stream */
    size_t bytes_cap;
    vta_diag *diag; /* the reasons of the failing call, until they are reported */
    vt_report report;
};

/* Makes a command on a runtime (whose reference it takes over) and publishes its handle. */
vta_status vt_command_create(vta_runtime *runtime, vta_diag *diag, vt_command **out_command);
/* Ends the handle, drops what it recorded, releases the runtime. */
void vt_command_destroy(vt_command *command);

/* Reports the reasons in command->diag under the call's name; the stream is damaged from here on. */
void vt_command_fail(vt_command *command, const vt_call *call);
/* The same without damage: calls that are not part of the stream. */
void vt_command_report(vt_command *command, const vt_call *call);
/* Reports for something that is not a handle; the thread's own stream, if it has one, is damaged. */
void vt_bad_command(void *handle, const vt_call *call);

/* Recording. Each leaves its reason in command->diag. */
typedef struct vt_transfer {
    void *buffer;
    uint32_t offset, x_size, y_size, x_stride;
    uint32_t x_pad_before, y_pad_before, x_pad_after, y_pad_after; /* loads only */
    uint32_t sram_index, memory_type;
} vt_transfer;
vta_status vt_command_load(vt_command *command, const vt_transfer *t);
vta_status vt_command_store(vt_command *command, const vt_transfer *t);
vta_status vt_command_push(vt_command *command, uint32_t mode, void **uop_handle, int (*finit)(void *), void *signature,
                           int nbytes);
vta_status vt_command_dep_push(vt_command *command, int from, int to);
vta_status vt_command_dep_pop(vt_command *command, int from, int to);
/* Makes room for a call's instructions (at most 4 and `more`), running what there is when the stream would grow too
 * long. */
vta_status vt_command_room(vt_command *command, uint32_t more, uint32_t micro_ops);

/* Runs the stream; a damaged one is dropped without an error. */
vta_status vt_command_synchronize(vt_command *command, uint32_t wait_cycles);
/* Runs what there is because the stream would outgrow a transfer. */
vta_status vt_command_run_early(vt_command *command);
/* Forgets what was recorded, damage included. */
void vt_command_drop(vt_command *command);

/* The command of a handle; NULL for what is not one. */
static inline vt_command *vt_command_of(void *handle) {
    if (__builtin_expect(handle == vt_this_thread.handle && handle != NULL, 1)) return vt_this_thread.command;
    vt_slot *slot = vt_handle_find(&vt_commands, handle);
    return slot ? slot->object : NULL;
}

#endif
