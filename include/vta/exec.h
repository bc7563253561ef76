/* Compiled networks: load an artifact and run it (docs/models.md).
 *
 *     vta_model *model;
 *     vta_instance *instance;
 *     vta_model_load("resnet18.vta-model", NULL, diag, &model);
 *     vta_instance_create(model, NULL, diag, &instance);
 *     vta_instance_set_input(instance, 0, picture, bytes, diag);
 *     vta_instance_run(instance, diag);
 *     vta_instance_get_output(instance, 0, scores, sizeof scores, diag);
 *
 * An artifact holds a plan: the steps of one inference over buffers whose places are settled. Instruction streams were
 * recorded when the network was compiled, so that running it calls neither compiler nor runtime. Inputs and outputs are
 * plain arrays in host memory, compact and row-major (images as N, C, H, W).
 *
 * An artifact may hold native code, which is executed: load only those whose maker you trust.
 *
 * A vta_model is read by any number of threads at once. A vta_instance has a device and memory of its own and is used
 * by one thread at a time; any number of instances of one model run at once. */
#ifndef VTA_EXEC_H
#define VTA_EXEC_H

#include <dlpack/dlpack.h>

#include "vta/device.h"
#include "vta/program.h"
#include "vta/timing.h"

VTA_BEGIN

/* ---- Models ---------------------------------------------------------------------------------------------------- */

typedef struct vta_model vta_model;

/* Reads an artifact and checks all of it. VTA_NOT_FOUND: no such file; VTA_PARSE: it is none, or damaged; VTA_CONFIG:
 * its configuration; VTA_UNSUPPORTED: made by another version. _parse copies the bytes; `name` stands for them in
 * messages. Free with vta_model_release, also while instances live, which keep it. */
VTA_API vta_status vta_model_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                  vta_model **out_model);
VTA_API vta_status vta_model_parse(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                                   vta_diag *diag, vta_model **out_model);
VTA_API void vta_model_release(vta_model *model);

/* What follows belongs to the model. */
VTA_API const char *vta_model_name(const vta_model *model);
VTA_API const vta_config *vta_model_config(const vta_model *model);
/* The machine that its native code is for, as "x86_64-pc-linux-gnu"; "" when it has none. */
VTA_API const char *vta_model_triple(const vta_model *model);

/* An input or an output. */
typedef struct vta_model_tensor {
    size_t size; /* of this struct, or 0 */
    const char *name;
    DLDataType type;
    int32_t ndim;
    const int64_t *shape;
    size_t bytes;
} vta_model_tensor;

/* How many rows some outputs have depends on values (NonMaxSuppression). Such an output has the shape of all rows that
 * there can be, and is 0 behind the last one; another output, "NAME:extents" (int64), the extents that count. These are
 * behind all others. */
VTA_API size_t vta_model_input_count(const vta_model *model);
VTA_API size_t vta_model_output_count(const vta_model *model);
/* VTA_OUT_OF_RANGE past the last. */
VTA_API vta_status vta_model_input(const vta_model *model, size_t index, vta_model_tensor *out_tensor);
VTA_API vta_status vta_model_output(const vta_model *model, size_t index, vta_model_tensor *out_tensor);
/* The place of an input, or output, among its like by its name; SIZE_MAX when there is none. */
VTA_API size_t vta_model_find_input(const vta_model *model, const char *name);
VTA_API size_t vta_model_find_output(const vta_model *model, const char *name);

/* An artifact may hold its network for several shapes of the inputs (`vta compile --shape` twice, vtac_artifact_join).
 * Each is a model of the same inputs and outputs; the first one is the artifact's own, which is what all other
 * functions speak of. How many; the one at an index, NULL past the last. It belongs to the artifact's model, which an
 * instance of it keeps alive. */
VTA_API size_t vta_model_shape_count(const vta_model *model);
VTA_API vta_model *vta_model_shape(vta_model *model, size_t index);
/* The one that takes these inputs. `inputs`: as many as the model has, of which `ndim` and `shape` are looked at; NULL:
 * an input of any shape. VTA_MISMATCH: there is no such one, with those that there are. */
VTA_API vta_status vta_model_for_shapes(vta_model *model, const DLTensor *const *inputs, vta_diag *diag,
                                        vta_model **out_model);

/* What an instance takes, in bytes. */
typedef struct vta_model_memory {
    size_t size;           /* of this struct, or 0 */
    uint64_t device_bytes; /* all on the device: */
    uint64_t params_bytes; /*   parameters */
    uint64_t stream_bytes; /*   instructions and micro-ops */
    uint64_t work_bytes;   /*   what steps hand on */
    uint64_t host_bytes;   /* on the host: inputs, outputs, what steps hand on */
    uint64_t file_bytes;   /* of the artifact, kept by the model */
} vta_model_memory;
VTA_API vta_status vta_model_get_memory(const vta_model *model, vta_model_memory *out_memory);

/* A step, or an operator within a run of the accelerator: those have the run's step number and a `layer` of their own,
 * and follow it. */
typedef struct vta_model_step {
    size_t size;      /* of this struct, or 0 */
    const char *name; /* of the operator */
    const char *kind; /* "run", "call", "copy", "pack", "unpack"; "layer" within a run */
    uint32_t step;
    uint32_t layer; /* UINT32_MAX: the step itself */
    uint32_t insn_count;
} vta_model_step;
VTA_API size_t vta_model_step_count(const vta_model *model);
VTA_API vta_status vta_model_get_step(const vta_model *model, size_t index, vta_model_step *out_step);

/* The steps and layers whose results a step or layer reads, by their index; found from the memory that they use. A run
 * with layers reads nothing itself. Belongs to the model. VTA_OUT_OF_RANGE past the last. */
VTA_API vta_status vta_model_step_inputs(vta_model *model, size_t index, vta_diag *diag, const uint32_t **out_steps,
                                         size_t *out_count);

/* The runs of the accelerator as a program (vta/program.h), each with the device memory that it would find: parameters,
 * micro-ops, and zeros for what the steps before would have left. Notes say which instruction begins which layer.
 * Profile, debugger and checker take it. Its memory is the C library's, and it may outlive the model. Free with
 * vta_program_destroy. */
VTA_API vta_status vta_model_program(const vta_model *model, vta_diag *diag, vta_program **out_program);

/* Bytes that a front end keeps in the artifact under a name of its own, as labels; NULL: there are none. */
VTA_API const void *vta_model_section(const vta_model *model, const char *name, size_t *out_size);

/* ---- Instances ------------------------------------------------------------------------------------------------- */

typedef struct vta_instance vta_instance;

typedef struct vta_instance_options {
    size_t size;                      /* of this struct, or 0 */
    const char *driver;               /* as for vta_device_create; NULL: the configuration's TARGET */
    const vta_device_options *device; /* NULL: all defaults */
    uint32_t wait_cycles;             /* for each run of the device; 0: no bound */
    bool no_host_view;                /* move data by copies also where the host sees device memory */
    const vta_timing_profile
        *timing; /* for profiles; NULL: the device's, or where it knows no time the configuration's */
} vta_instance_options;

/* Makes a device, puts the parameters and the instruction streams there, and loads the native code (once a model).
 * `options` may be NULL. VTA_UNSUPPORTED: the code is for another machine; VTA_MISMATCH: its functions do not take what
 * the plan gives them. Free with vta_instance_destroy. */
VTA_API vta_status vta_instance_create(vta_model *model, const vta_instance_options *options, vta_diag *diag,
                                       vta_instance **out_instance);
VTA_API void vta_instance_destroy(vta_instance *instance);
VTA_API vta_model *vta_instance_model(const vta_instance *instance);
/* The device, for its counters, findings and timing; it belongs to the instance. */
VTA_API vta_device *vta_instance_device(const vta_instance *instance);

/* Copies an input in; it stays until it is set anew. VTA_MISMATCH: `bytes` are not the tensor's. */
VTA_API vta_status vta_instance_set_input(vta_instance *instance, size_t index, const void *data, size_t bytes,
                                          vta_diag *diag);
/* Runs all steps. VTA_INTERRUPTED after vta_instance_interrupt; what the device or a function refuses is returned with
 * the step's name. The instance can be run again after an error. */
VTA_API vta_status vta_instance_run(vta_instance *instance, vta_diag *diag);
/* Copies an output of the last run out. */
VTA_API vta_status vta_instance_get_output(const vta_instance *instance, size_t index, void *data, size_t bytes,
                                           vta_diag *diag);
/* The instance's own memory of an input, which may be written between runs instead of vta_instance_set_input, and of an
 * output, to be read after a run; they stay in place as long as the instance. NULL for an index past the last. */
VTA_API void *vta_instance_input_data(vta_instance *instance, size_t index);
VTA_API const void *vta_instance_output_data(const vta_instance *instance, size_t index);
/* A stream that goes on: after each run that ends well the output becomes the input of the next run, as the state of a
 * recurrent network. The input begins at zeros; vta_instance_set_input gives it another value, for the next run. Any
 * number of inputs; for one that is carried already, the new output. VTA_MISMATCH: the two have other types or sizes.
 * VTA_UNSUPPORTED: another output is the input as it is. _restart: all such inputs are zeros again, for a new stream.
 */
VTA_API vta_status vta_instance_carry(vta_instance *instance, size_t output, size_t input, vta_diag *diag);
VTA_API void vta_instance_restart(vta_instance *instance);
/* Ends the run that is going on, soon. Any thread, and signal handlers. */
VTA_API void vta_instance_interrupt(vta_instance *instance);

/* ---- Profile --------------------------------------------------------------------------------------------------- */

/* What one step took in the last run: those of vta_model_get_step, in their order. Layers have cycles and bytes, but
 * no seconds: a run is one call of the device. */
typedef struct vta_step_profile {
    size_t size;             /* of this struct, or 0 */
    double seconds;          /* of the host, also while it simulates */
    uint64_t cycles;         /* of the accelerator by the timing model, whatever the device is */
    vta_counters counters;   /* by what the instructions ask for */
    uint64_t compute_cycles; /* GEMM and ALU micro-ops, one a cycle */
    uint64_t memory_cycles;  /* bytes loaded, at the width of the bus */
    uint64_t bound_cycles;   /* the larger one: what it would take if nothing waited */
} vta_step_profile;

/* By step of the last run; the timing model is asked here, not by vta_instance_run. VTA_OUT_OF_RANGE past the last. */
VTA_API vta_status vta_instance_profile(vta_instance *instance, size_t index, vta_diag *diag,
                                        vta_step_profile *out_profile);
/* Everything as JSON: model, memory, steps with their profile, sums. Free with vta_string_free. */
VTA_API vta_status vta_instance_profile_json(vta_instance *instance, vta_diag *diag, char **out_json);

/* ---- Many inputs at once --------------------------------------------------------------------------------------- */

typedef struct vta_batch_options {
    size_t size;                   /* of this struct, or 0 */
    vta_instance_options instance; /* of each */
    uint32_t threads;              /* instances at once; 0: one for each processor */
    /* Called by one thread at a time after each item when not NULL; true ends the batch with VTA_INTERRUPTED. */
    bool (*progress)(void *ctx, size_t done, size_t count);
    void *ctx;
} vta_batch_options;

/* Runs the model once for each of `count` items, on the threads of the pool of compiled code. Before a run `feed(ctx,
 * item, instance, diag)` sets the inputs, after it `take` gets the outputs; both are called by several threads at once,
 * for different instances. The first error ends the batch. `options` may be NULL. */
typedef vta_status (*vta_batch_function)(void *ctx, size_t item, vta_instance *instance, vta_diag *diag);
VTA_API vta_status vta_model_run_batch(vta_model *model, size_t count, vta_batch_function feed, vta_batch_function take,
                                       void *ctx, const vta_batch_options *options, vta_diag *diag);

VTA_END

#endif
