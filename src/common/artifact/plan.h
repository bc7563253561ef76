/* The plan of a compiled network: its buffers, and the steps of one inference (docs/models.md, "The plan").
 *
 * A plan is in an artifact as JSON, beside the sections that it speaks of. It is written by the compiler and read by
 * what runs it. All memory of a plan that was read is in one arena. */
#ifndef VT_ARTIFACT_PLAN_H
#define VT_ARTIFACT_PLAN_H

#include <dlpack/dlpack.h>

#include "artifact/container.h"
#include "base/arena.h"
#include "base/strbuf.h"
#include "vta/isa.h"

/* The sections of an artifact. Others may be there besides. */
#define VT_SECTION_PLAN "plan"     /* JSON */
#define VT_SECTION_CONFIG "config" /* vta_config.json */
#define VT_SECTION_PARAMS "params" /* constants in device memory, from address 0 of the arena on */
#define VT_SECTION_UOPS "uops"     /* micro-ops of all layers */
#define VT_SECTION_INSNS "insns"   /* instructions of all runs; addresses are relative to the arena */
#define VT_SECTION_DATA "data"     /* constants in host memory */
#define VT_SECTION_CODE "code"     /* native code: a shared object, or an object file */

enum {
    VT_PLAN_VERSION = 1,
    VT_PLAN_ALIGNMENT = 64, /* of buffers on the host and of device memory's parts */
    VT_PLAN_MAX_DIMS = 8,
    VT_PLAN_MAX_NAME = 255,
    VT_PLAN_MAX_INSNS = 1 << 21, /* of a run: what one transfer of a stream takes */
};

/* Where a buffer lives: in the arena on the device, in that of the host, or in the section of constants. */
typedef enum vt_place { VT_PLACE_DEVICE, VT_PLACE_HOST, VT_PLACE_DATA, VT_PLACES } vt_place;
extern const char *const vt_place_names[VT_PLACES];

typedef enum vt_step_kind {
#define VT_STEP_KIND(name, text, least, most, meaning) VT_STEP_##name,
#include "artifact/plan.def"
    VT_STEP_KINDS
} vt_step_kind;

typedef struct vt_step_row {
    const char *name;
    uint32_t least_views, max_views;
    const char *meaning;
} vt_step_row;
extern const vt_step_row vt_step_rows[VT_STEP_KINDS];

typedef struct vt_plan_buffer {
    const char *name;
    vt_place place;
    uint64_t offset, bytes;
} vt_plan_buffer;

/* A tensor in a buffer: compact, row-major, from byte `offset` on. */
typedef struct vt_plan_view {
    uint32_t buffer;
    uint64_t offset, bytes;
    DLDataType type;
    int32_t ndim;
    bool output; /* the step writes it */
    const int64_t *shape;
} vt_plan_view;

/* An input or an output of the network; on the host. */
typedef struct vt_plan_port {
    const char *name;
    vt_plan_view view;
} vt_plan_port;

/* One operator of a run: its instructions begin at `first`, counted from the run's first. */
typedef struct vt_plan_layer {
    const char *name;
    uint32_t first;
} vt_plan_layer;

typedef struct vt_plan_step {
    vt_step_kind kind;
    const char *name;
    /* A run: instructions of the section, the last one FINISH, and what they do. */
    uint32_t first, count;
    vt_plan_layer *layers;
    uint32_t layer_count;
    const char *function; /* of a call */
    vt_plan_view *views;  /* its arguments; of a copy: from, to */
    uint32_t view_count;
} vt_plan_step;

typedef struct vt_plan {
    const char *name;   /* of the network */
    const char *triple; /* the machine that the native code is for; "" without such code */
    /* Device memory: parameters at 0, then micro-ops, instructions, and what runs may write. */
    uint64_t device_bytes, uops_at, insns_at, work_at;
    uint64_t host_bytes;
    vt_plan_buffer *buffers;
    vt_plan_port *inputs, *outputs;
    vt_plan_step *steps;
    uint32_t buffer_count, input_count, output_count, step_count;
} vt_plan;

/* As JSON; running out of memory is the buffer's to remember. */
void vt_plan_write(const vt_plan *plan, vt_strbuf *out);

/* Reads that text. VTA_PARSE names the entry that is wrong. Only its form is checked: vt_plan_check does the rest. */
vta_status vt_plan_read(const char *json, size_t size, const char *name, vt_arena *arena, vta_diag *diag,
                        vt_plan *out_plan);

/* Is everything that the plan speaks of inside what there is: views in buffers, buffers in arenas and sections,
 * instructions in their section, what they read and write in device memory? VTA_PARSE names what is not. After that
 * following the plan touches nothing else. */
vta_status vt_plan_check(const vt_plan *plan, const vt_container *container, const vta_config *config, const char *name,
                         vta_diag *diag);

/* Bytes of a compact tensor; false for a type or a shape that has none. */
bool vt_plan_tensor_bytes(DLDataType type, int32_t ndim, const int64_t shape[], uint64_t *out_bytes);

#endif
