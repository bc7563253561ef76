/* Between the files of this folder. */
#ifndef VT_PLANNER_PRIV_H
#define VT_PLANNER_PRIV_H

#include "base/strbuf.h"
#include "network/planner/planner.h"

/* A buffer while the plan is made. */
typedef struct vt__buffer {
    vt_plan_buffer plan;
    bool constant;        /* else steps write it */
    uint8_t *contents;    /* of a constant; NULL once they are in the file's sections */
    bool keep;            /* an input: shares its place with nothing */
    uint32_t first, last; /* steps that use it; first UINT32_MAX: none */
} vt__buffer;

/* What the address of a recorded LOAD or STORE is relative to. */
typedef enum vt__owner {
    VT__NO_OWNER, /* it moves nothing */
    VT__UOPS,     /* the stream's micro-ops */
    VT__ARGUMENT, /* argument `index` of the kernel */
    VT__CONSTANT, /* buffer `index`: memory that the kernel itself fills, always alike */
} vt__owner;

typedef struct vt__recorded {
    vta_insn insn;
    vt__owner owner;
    uint32_t index;
} vt__recorded;

/* The instructions of a kernel, without FINISH, and its micro-ops. */
typedef struct vt__stream {
    const vtac_kernel *kernel; /* whose function was recorded */
    vt__recorded *items;
    size_t count, cap;
    uint32_t *uops;
    size_t uop_count, uop_cap;
    size_t uops_at; /* of its micro-ops among those of all streams */
} vt__stream;

typedef struct vt__step {
    vt_plan_step plan;
    vt__stream *stream;  /* of an accelerator step */
    vtac_kernel *kernel; /* of a call */
    vt_planner_row row;
} vt__step;

typedef struct vt__section {
    char name[VT_SECTION_NAME_BYTES];
    uint8_t *bytes;
    size_t size;
} vt__section;

struct vt_planner {
    const vta_allocator *allocator;
    vta_config *config;
    vt_arena arena; /* names, shapes, views */
    vt_planner_options options;
    const char *name;
    vt__buffer *buffers;
    uint32_t buffer_count;
    size_t buffer_cap;
    vt__step *steps;
    uint32_t step_count;
    size_t step_cap;
    vt_plan_port *inputs, *outputs;
    uint32_t input_count, output_count;
    size_t input_cap, output_cap;
    vt__stream **streams;
    size_t stream_count, stream_cap;
    vt__section *sections; /* of front ends */
    size_t section_count, section_cap;
    uint32_t owner; /* of the steps that are added next */
    bool finished;
    char *report;
};

void vt__contents_free(vt_planner *planner, vt__buffer *b);

/* A view of a tensor, with a copy of its shape, at no buffer yet. `name` stands for it in messages. */
vta_status vt__make_view(vt_planner *planner, const char *name, const char *type, int32_t ndim, const int64_t shape[],
                         vta_diag *diag, vt_plan_view *out_view);

/* The stream of an operator, which was recorded when it was scheduled; one for all steps with the operator. */
vta_status vt__record_operator(vt_planner *planner, const char *name, const vtac_op *op, vta_diag *diag,
                               vt__stream **out_stream);
void vt__stream_free(const vta_allocator *a, vt__stream *stream);

/* The instructions of all runs, one behind another. */
typedef struct vt__insns {
    const vta_allocator *allocator;
    vta_insn *items;
    size_t count, cap;
    bool failed; /* out of memory */
} vt__insns;

/* Does what one step does to a buffer have to come before what another does to it? */
bool vt__views_meet(const vt_plan_view *a, const vt_plan_view *b);
/* Finds which steps of the host are between two runs for a reason; the steps have their runs. */
void vt__find_cuts(vt_planner *planner);

/* Puts the steps in the order with the fewest runs of the device, in which each finds what it reads. */
vta_status vt__order_steps(vt_planner *planner, vta_diag *diag);

/* What is being put together. */
typedef struct vt__maker {
    vt_planner *p;
    vta_diag *diag;
    vt_plan plan;
    vt_plan_buffer *buffers; /* those of the planner, with their places */
    vt_plan_step *steps;
    uint32_t runs;
    vt__insns insns;
    uint8_t *params, *uops, *insn_bytes, *data, *code;
    size_t params_size, uops_size, insns_size, data_size, code_size;
    uint64_t device_items, host_items; /* bytes without sharing, for the report */
} vt__maker;

/* Constants of both places as they stand in the file, and micro-ops; then, when the number of instructions is known,
 * the places of everything else. */
vta_status vt__fill_constants(vt__maker *maker);
vta_status vt__settle(vt__maker *maker, size_t insn_count);
/* The sections as a file, which the reader's check has passed. */
vta_status vt__write_file(vt__maker *maker, uint8_t **out_bytes, size_t *out_size);
/* vt_planner_report. */
vta_status vt__write_report(vt__maker *maker);

/* Addresses for items with lifetimes (first to last step) in one memory. */
typedef struct vt__item {
    uint64_t bytes;
    uint32_t first, last;
    bool apart;      /* shares with nothing */
    uint64_t offset; /* found */
} vt__item;
/* Places the largest first, each at the lowest offset that is free while it lives. False: out of memory. */
bool vt__place(const vta_allocator *a, vt__item *items, size_t count, uint64_t base, uint64_t alignment,
               uint64_t *out_end);

/* Appends the streams of steps [first, end) as one run, addresses in place; `out_layers` says where each begins. The
 * plan's places are settled. */
vta_status vt__join(vt_planner *planner, const vt_plan *plan, uint32_t first, uint32_t end, vt__insns *insns,
                    vta_diag *diag, vt_plan_layer *out_layers);

/* The native code of all calls, whose functions get their names. Nothing is compiled where none are. */
vta_status vt__compile_calls(vt_planner *planner, vta_diag *diag, uint8_t **out_code, size_t *out_size,
                             char **out_triple);

#endif
