/* The state of the timing model while it runs: fetch, three engines, token queues, the memory port. */
#ifndef VT_DEVICE_TSIM_MODEL_H
#define VT_DEVICE_TSIM_MODEL_H

#include <stdatomic.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "device/core/stream.h"
#include "device/tsim/bursts.h"
#include "device/tsim/port.h"

#define VT_NEVER UINT64_MAX

/* A ring of what will be visible at a time: tokens (from which instruction) or instructions in a module queue. */
typedef struct vt_ring_item {
    uint64_t visible;
    uint32_t insn;
} vt_ring_item;

typedef struct vt_ring {
    vt_ring_item *items;
    uint32_t cap, head, count;
} vt_ring;

typedef enum vt_engine_phase {
    VT_PHASE_READY,   /* nothing runs; the next instruction starts when it and its tokens are there */
    VT_PHASE_READING, /* a load that still has commands to send */
    VT_PHASE_RUNNING, /* the end is known */
    VT_PHASE_BLOCKED, /* done, but a token queue that it pushes into is full */
} vt_engine_phase;

typedef struct vt_unit_engine {
    vt_engine_phase phase;
    vt_ring queue;       /* instructions handed over by fetch; the one that runs keeps its place up to its end */
    uint64_t ready;      /* the predecessor's end */
    uint64_t arrived;    /* when the instruction was visible in its queue */
    uint64_t start, end; /* of the instruction that runs */
    uint32_t insn;       /* which one */
    uint32_t done;       /* instructions that ended */
    uint64_t earliest;   /* READING: when the next command can leave the unit's slot */
    uint32_t beats_next; /* READING: beats of that command */
    vt_bursts bursts;
    vt_padding padding;
    uint64_t last_beat, beats;
    uint64_t lead, waited; /* loads: cycles before the first command; cycles in which nothing moved */
    uint64_t blocked;      /* cycles in VT_PHASE_BLOCKED */
    uint64_t wait_prev, wait_next;
    uint32_t token_prev, token_next;
    uint8_t kind;
    uint8_t rank; /* READING: place in the port's order of priority, lower first */
} vt_unit_engine;

/* Instructions go from the batch that was read to the queues. On a bus of a whole instruction or more they enter a pipe
 * of two on the way, and the next batch is read as soon as all have entered it. */
typedef struct vt_fetch {
    bool wide;          /* there is the pipe */
    bool reading;       /* commands of the batch are still to be sent */
    uint32_t batch;     /* instructions of a full batch */
    uint32_t batch_end; /* the end of the batch that is being read or handed over */
    uint32_t next;      /* the instruction to hand over */
    uint32_t entered;   /* instructions [next, entered) may be handed over */
    uint64_t drain;     /* the first cycle in which an instruction of the batch can enter */
    uint64_t enter;     /* when the last one entered */
    uint64_t at[2];     /* when an instruction that entered can be handed over, by its parity */
    uint64_t handed;    /* when the last one was handed over */
    uint64_t earliest;  /* READING: when the next command can leave the slot */
    uint64_t accounted; /* cycles whose state is already counted */
    vt_bursts bursts;   /* of the batch being read */
    uint32_t beats_next;
} vt_fetch;

typedef struct vt_model {
    const vta_config *config;
    const vta_timing_profile *profile;
    const vta_allocator *allocator;
    vta_diag *diag;
    const vta_insn *insns;
    const uint8_t *stages;
    uint32_t count;
    uint32_t insn_addr;
    uint64_t limit;
    const atomic_bool *interrupt; /* may be NULL */
    vt_port port;
    vt_fetch fetch;
    vt_unit_engine engine[VT_STAGES];
    vt_ring token[VTA_TOKEN_QUEUES];
    uint64_t finish; /* FINISH's end; VT_NEVER before */
    vt_dram *dram;   /* as in vt_timing_job */
    const uint32_t *uop_words;
    vta_timing *timing;
    vta_insn_time *times; /* may be NULL */
} vt_model;

/* What is to be timed: `stages` are 0 load, 1 compute, 2 store for each instruction. */
typedef struct vt_timing_job {
    const vta_config *config;
    const vta_timing_profile *profile;
    const vta_insn *insns;
    const uint8_t *stages;
    uint32_t count;
    uint32_t insn_addr;
    uint64_t limit;               /* cycles; 0: none */
    const atomic_bool *interrupt; /* stops when it is up; may be NULL */
    const vta_allocator *allocator;
    vt_dram *dram;             /* micro-ops are read there; NULL: they are not known */
    const uint32_t *uop_words; /* the micro-op buffer at the beginning, with dram */
} vt_timing_job;

/* The model that vta_timing_run and the device use. `out_times` and `out_done` (instructions of each stage that ended)
 * may be NULL. With VTA_TIMEOUT the timing is that of the first `limit` cycles; other failures leave it zeroed. */
vta_status vt_timing_run(const vt_timing_job *job, vta_diag *diag, vta_timing *out_timing, vta_insn_time *out_times,
                         uint32_t out_done[VT_STAGES]);
/* VTA_OK for an instruction that the model can time: a transfer that fits its buffer (no machine could run another one,
 * and its bursts are counted one by one). */
vta_status vt_timing_check(const vta_config *config, uint32_t index, const vta_insn *insn, vta_diag *diag);
/* Cycles of an instruction of the compute unit that reads no memory. */
uint64_t vt_exec_cost(const vta_timing_profile *profile, const vta_insn *insn);
vta_insn_kind vt_insn_kind(const vta_insn *insn);

/* Between the files of this folder. */
void vt__engine_start(vt_model *m, uint32_t stage, uint64_t now);
void vt__engine_command(vt_model *m, uint32_t stage, uint64_t now, uint64_t until);
void vt__engine_end(vt_model *m, uint32_t stage, uint64_t now);
uint64_t vt__engine_next(const vt_model *m, uint32_t stage);
void vt__fetch_init(vt_model *m);
void vt__fetch_step(vt_model *m, uint64_t now);
uint64_t vt__fetch_next(const vt_model *m);
void vt__fetch_unblock(vt_model *m, uint32_t stage, uint64_t now);
void vt__fetch_finish(vt_model *m);

static inline const vt_ring_item *vt__ring_head(const vt_ring *ring) { return &ring->items[ring->head]; }
static inline void vt__ring_push(vt_ring *ring, uint64_t visible, uint32_t insn) {
    uint32_t at = ring->head + ring->count++;
    ring->items[at >= ring->cap ? at - ring->cap : at] = (vt_ring_item){visible, insn};
}
static inline void vt__ring_pop(vt_ring *ring) {
    ring->head = ring->head + 1 == ring->cap ? 0 : ring->head + 1;
    ring->count--;
}

#endif
