/* Between the files of this folder. */
#ifndef VT_EXEC_PRIV_H
#define VT_EXEC_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "artifact/plan.h"
#include "vta/exec.h"
#include "vta/module.h"

/* The steps whose results each step reads: `from` from end[i - 1] to end[i]. */
typedef struct vt__flow {
    uint32_t *from, *end;
} vt__flow;

struct vta_model {
    vta_allocator allocator;
    atomic_uint references;
    char *name; /* in messages: of the file */
    void *map;  /* the file, or its copy */
    size_t map_size;
    bool is_mapped;
    vt_container container;
    vta_config *config;
    vt_arena arena; /* of the plan */
    vt_plan plan;
    pthread_mutex_t lock; /* guards the module, which the first instance that calls something loads, and `flow` */
    vta_module *module;
    vt__flow *flow; /* NULL: not asked for yet */
    /* The same network for other shapes, which its artifact holds; `whole`: of such a one, the model around it. */
    vta_model **shapes, *whole;
    uint32_t shape_count;
};

/* An argument of a step as it is handed over. */
typedef struct vt__argument {
    DLTensor tensor;
    uint8_t *staging; /* where the host does not see it: its copy on the host */
    uint32_t addr;    /* on the device; 0: it is on the host */
    const vt_plan_view *view;
} vt__argument;

typedef struct vt__bound_step {
    const vt_plan_step *is;
    vt__argument *arguments;
    DLTensor **tensors;           /* of the arguments, as functions take them */
    vta_packed_function function; /* of a call */
    double seconds;               /* in the last run */
} vt__bound_step;

struct vta_instance {
    vta_model *model; /* a reference */
    vta_device *device;
    uint32_t base; /* of the arena on the device; 0: none */
    uint8_t *host; /* the arena on the host */
    vt_arena arena;
    vt__bound_step *steps;
    uint32_t wait_cycles;
    bool no_host_view;
    atomic_bool interrupted;
    uint32_t *carried; /* by input: the output that it is of the run before; NULL: none is */
    bool has_timing;
    vta_timing_profile timing;      /* for profiles, if the caller chose one */
    struct vta_step_profile *times; /* of all entries of vta_model_get_step, once asked for; cycles and counters */
};

/* The functions of a model's native code, which is loaded, take what its steps give them: otherwise VTA_MISMATCH. */
vta_status vt__check_signatures(const vta_model *model, vta_diag *diag);
/* The function of a model's native code, which is loaded and checked when one is first asked for. */
vta_status vt__model_function(vta_model *model, const char *name, vta_diag *diag, vta_packed_function *out_function);
vta_model *vt__model_retain(vta_model *model);
/* What every model has, also one within another; its container is checked, and its plan read, by the next one. */
vta_status vt__model_begin(vta_model *model, const vta_allocator *allocator, const char *name, vta_diag *diag);
vta_status vt__model_check(vta_model *model, vta_diag *diag);
/* shapes.c: the models in the sections of a model that was checked. */
vta_status vt__model_read_shapes(vta_model *model, vta_diag *diag);
/* The bytes of a section; empty when there is none. */
vt_section vt__model_section(const vta_model *model, const char *name);

/* Instructions of an artifact, whose addresses are relative to the arena, for an arena at `base`: a page, which begins
 * a multiple of every element. */
void vt__relocate(const vta_config *config, uint8_t *insns, size_t count, uint32_t base);

/* Finds all that the steps of an instance use: addresses, functions. */
vta_status vt__bind_steps(vta_instance *instance, vta_diag *diag);
/* The address of a view's first byte on the host; NULL when the host does not see it. */
uint8_t *vt__host_address(const vta_instance *instance, const vt_plan_view *view);

/* After a run: the outputs that are inputs of the next one. */
void vt__carry(vta_instance *instance);

/* Copies between N C S... and N/b C/c S... b c; zeros where tiles are not full. */
void vt__pack(const vt_plan_view *flat, const uint8_t *from, const vt_plan_view *tiled, uint8_t *to);
void vt__unpack(const vt_plan_view *tiled, const uint8_t *from, const vt_plan_view *flat, uint8_t *to);

/* to[i] = table[from[i]], in one of the ways that the host has: that which is best, and all below it. */
typedef enum vt__table_way { VT__TABLE_LOADS, VT__TABLE_MIDDLE, VT__TABLE_WIDE } vt__table_way;
vt__table_way vt__table_best(void);
void vt__table(const uint8_t *from, const uint8_t table[256], uint8_t *to, size_t count, vt__table_way way);

/* Cycles and counters of each layer of a run, by the timing model: entries of `out`, as many as it has layers, and
 * their sum in *out_run. */
vta_status vt__time_run(const vta_instance *instance, const vt_plan_step *step, vta_diag *diag,
                        vta_step_profile *out_run, vta_step_profile *out_layers);

#endif
