/* From operators and kernels to an artifact: buffers are declared, steps are added in the order of their execution, and
 * vt_planner_finish gives every buffer its place, joins the streams of neighbouring accelerator steps into one run,
 * compiles the functions for the host and writes the file (docs/models.md).
 *
 *     vt_planner_input(p, "x", "float32", 4, (int64_t[]){1, 3, 8, 8}, diag, &x);
 *     vt_planner_buffer(p, VT_PLACE_DEVICE, "tiles", 1024, diag, &tiles);
 *     vt_planner_call(p, "quantize", quantize, (vt_planner_arg[]){{x}, {tiles}}, 2, diag);
 *     vt_planner_operator(p, "conv", conv, (vt_planner_arg[]){{tiles}, {weights}, {result}}, 3, diag);
 *     ...
 *     vt_planner_finish(p, diag, &bytes, &size);
 *
 * A step reads what steps before it wrote; within that, steps are put in the order with the fewest runs. Buffers share
 * memory where no step needs both; inputs share with nothing. One thread at a time may use a planner. Kernels and
 * operators must stay until it is destroyed; all else is copied. */
#ifndef VT_PLANNER_PLANNER_H
#define VT_PLANNER_PLANNER_H

#include "artifact/plan.h"
#include "vta/build.h"
#include "vta/ops.h"

typedef struct vt_planner vt_planner;

typedef struct vt_planner_options {
    const vta_allocator *allocator;
    const char *triple, *cpu, *features; /* of the host, as in vtac_build_options; NULL: this machine's */
    const char *linker;                  /* as there */
    bool separate;                       /* every accelerator step is a run of its own */
    bool as_added;                       /* steps stay in the order in which they were added */
    bool in_order;                       /* a layer's parameters are loaded after the results of the one before */
} vt_planner_options;

/* Where an argument begins. */
typedef struct vt_planner_arg {
    uint32_t buffer;
    uint64_t offset; /* in bytes */
} vt_planner_arg;

/* `options` may be NULL; `name` is the network's. Free with vt_planner_destroy. */
vta_status vt_planner_create(const char *name, const vta_config *config, const vt_planner_options *options,
                             vta_diag *diag, vt_planner **out_planner);
void vt_planner_destroy(vt_planner *planner);

/* ---- Buffers: names are for people; *out_buffer is the number that arguments use ---- */

/* Memory that steps write and read, on the device or on the host. */
vta_status vt_planner_buffer(vt_planner *planner, vt_place place, const char *name, uint64_t bytes, vta_diag *diag,
                             uint32_t *out_buffer);
/* Contents that never change: VT_PLACE_DEVICE for parameters of the accelerator, VT_PLACE_DATA for those of functions.
 * Equal contents are kept once. */
vta_status vt_planner_constant(vt_planner *planner, vt_place place, const char *name, const void *contents,
                               uint64_t bytes, vta_diag *diag, uint32_t *out_buffer);
/* The same without a copy: *out_contents are zeros that the caller fills, before any other buffer is added; _end gives
 * the number. */
vta_status vt_planner_constant_begin(vt_planner *planner, vt_place place, const char *name, uint64_t bytes,
                                     vta_diag *diag, void **out_contents);
uint32_t vt_planner_constant_end(vt_planner *planner);
/* A buffer on the host that is an input of the network. */
vta_status vt_planner_input(vt_planner *planner, const char *name, const char *type, int32_t ndim,
                            const int64_t shape[], vta_diag *diag, uint32_t *out_buffer);
/* What the network gives, from a buffer on the host. */
vta_status vt_planner_output(vt_planner *planner, const char *name, const char *type, int32_t ndim,
                             const int64_t shape[], vt_planner_arg from, vta_diag *diag);

/* ---- Steps ---- */

/* An operator whose schedule was chosen (vtac_op_schedule). Its arguments are in device memory. VTA_UNSUPPORTED when it
 * computes on the host too. */
vta_status vt_planner_operator(vt_planner *planner, const char *name, const vtac_op *op, const vt_planner_arg args[],
                               uint32_t count, vta_diag *diag);
/* A kernel for the host (target llvm). Its arguments may be anywhere. A kernel that several steps call is compiled
 * once. */
vta_status vt_planner_call(vt_planner *planner, const char *name, vtac_kernel *kernel, const vt_planner_arg args[],
                           uint32_t count, vta_diag *diag);
vta_status vt_planner_copy(vt_planner *planner, const char *name, vt_planner_arg from, vt_planner_arg to,
                           uint64_t bytes, vta_diag *diag);
/* For each of `bytes` bytes its entry of `table`, 256 bytes. */
vta_status vt_planner_table(vt_planner *planner, const char *name, vt_planner_arg from, vt_planner_arg table,
                            vt_planner_arg to, uint64_t bytes, vta_diag *diag);
/* Between a plain tensor N C S... and its tiles N/rows C/lanes S... rows lanes; elements of whole bytes. */
vta_status vt_planner_pack(vt_planner *planner, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                           uint32_t rows, uint32_t lanes, vt_planner_arg flat, vt_planner_arg tiles, vta_diag *diag);
vta_status vt_planner_unpack(vt_planner *planner, const char *name, const char *type, int32_t ndim,
                             const int64_t shape[], uint32_t rows, uint32_t lanes, vt_planner_arg tiles,
                             vt_planner_arg flat, vta_diag *diag);

/* Steps that are added from here on are for `owner`, a number of the caller's. */
void vt_planner_owner(vt_planner *planner, uint32_t owner);

/* ---- The artifact ---- */

/* Bytes that the artifact keeps under a name for front ends (vta_model_section); copied. */
vta_status vt_planner_section(vt_planner *planner, const char *name, const void *bytes, size_t size, vta_diag *diag);
/* The file; free with vta_string_free. Nothing can be added after that. */
vta_status vt_planner_finish(vt_planner *planner, vta_diag *diag, uint8_t **out_bytes, size_t *out_size);
/* After that: where every buffer lies, when it is used, and what sharing saves, as text for people. Belongs to the
 * planner. */
const char *vt_planner_report(const vt_planner *planner);

/* After that: the steps in the order of their execution, layers of a run each as one; that is the order of
 * vta_model_get_step, without the runs themselves. */
typedef struct vt_planner_row {
    uint32_t owner;
    uint32_t run; /* of the device, from 0 on; UINT32_MAX: a step of the host */
    uint32_t cut; /* the run behind which this step of the host has to stand, and before the next; UINT32_MAX: none */
} vt_planner_row;
uint32_t vt_planner_row_count(const vt_planner *planner);
vt_planner_row vt_planner_row_at(const vt_planner *planner, uint32_t index);

#endif
