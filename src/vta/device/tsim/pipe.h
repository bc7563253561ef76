/* The timing of this project's own hardware (hardware/rtl, docs/hardware.md), whose units take instructions while
 * others run: its handshakes cycle by cycle, without data. A stretch in which nothing but counters moves is passed at
 * once.
 *
 * Names are those of the modules. What a register holds from the next cycle on carries the cycle in which it is seen;
 * where that is not enough, the parts of a cycle go in an order in which each reads what it needs before it changes. */
#ifndef VT_DEVICE_TSIM_PIPE_H
#define VT_DEVICE_TSIM_PIPE_H

#include "device/tsim/model.h"

/* Clients of the memory port: fetch and the four load engines. */
enum { VT_PIPE_FETCH, VT_PIPE_UOP, VT_PIPE_INP, VT_PIPE_WGT, VT_PIPE_ACC, VT_PIPE_CLIENTS };
enum { VT_PIPE_NOP = VT_PIPE_CLIENTS }; /* in the order of loads: an instruction without an engine */
enum {
    VT_PIPE_ORDER = 4,   /* depths: vta_loads' order, */
    VT_PIPE_JOBS = 2,    /* vta_load_engine's jobs, */
    VT_PIPE_READS = 16,  /* vta_reads' READS_MAX, */
    VT_PIPE_BURSTS = 16, /* vta_store's order, the memory's writes and answers, */
    VT_PIPE_SLOTS = 4,   /* vta_store's lines and lengths */
    VT_PIPE_ENDS = 64,   /* GEMM and ALU instructions whose last micro-op is in the pipeline */
    VT_PIPE_BACK = 3     /* ALU micro-ops that the next one may depend on */
};

/* vta_rows: the burst that is offered; no beats: none. */
typedef struct vt_pipe_rows {
    vt_bursts bursts;
    uint32_t beats;
} vt_pipe_rows;

/* vta_pad. */
typedef struct vt_pipe_pad {
    bool active;
    uint64_t left, after;
    uint32_t between, rows;
} vt_pipe_pad;

/* vta_widen: lines of 8-bit scalars, four of which the engine makes of one. */
typedef struct vt_pipe_widen {
    bool on;
    uint32_t quarter, rows, stride, x_size;
    uint64_t tile, left; /* lines of the row, as they come out */
} vt_pipe_widen;

/* vta_load_engine. */
typedef struct vt_pipe_engine {
    vt_pipe_rows rows;
    uint32_t jobs[VT_PIPE_JOBS]; /* instructions */
    uint32_t job_count;
    bool full; /* so in the cycle's beginning */
    uint32_t insn;
    bool busy, data;
    uint32_t lines, line; /* lines of an element, those of it that came */
    uint64_t left;        /* lines of the instruction that are to come */
    bool idle;            /* at the beginning of this cycle */
    bool table;           /* the newest job is one of tables */
    bool took, whole;     /* in this cycle: a line; one with which an element is whole */
    vt_pipe_pad pad;
    vt_pipe_widen widen;
    uint32_t ended; /* instructions that ended and still stand in the order */
    uint64_t past;  /* of the row that comes those before this index were there in the cycle's beginning */
} vt_pipe_engine;

/* vta_loads: instructions of two engines. */
typedef struct vt_pipe_loads {
    struct {
        uint32_t insn;
        uint8_t engine;
    } order[VT_PIPE_ORDER];
    uint32_t count, before; /* before: in the cycle's beginning */
    bool lone;              /* the newest is a row of micro-ops without tokens, and was alone */
} vt_pipe_loads;

/* vta_queue: entries in memory, and the one at the output. */
typedef struct vt_pipe_queue {
    vt_ring *memory; /* what is visible can be brought to the output */
    bool valid, popped;
    uint32_t insn;
} vt_pipe_queue;

/* vta_fetch, from lines on. */
typedef struct vt_pipe_fetch {
    vt_pipe_rows rows;
    uint32_t free, pending, lines;   /* lines that can be asked for; on their way; in the buffer */
    uint64_t newest;                 /* the cycle from which the newest line is there */
    uint32_t at, per_insn, per_line; /* lines of the instruction or instructions of the line that are done */
    uint32_t next;
    bool held; /* by a full queue */
} vt_pipe_fetch;

/* vta_reads and the memory behind it. */
typedef struct vt_pipe_reads {
    struct {
        uint8_t client;
        uint32_t beats;
        uint64_t ready;
    } read[VT_PORT_MAX];
    uint32_t first, count, beat, under_way;
    bool serving, sent,
        may_enter; /* sent: a command stands at the port; may_enter: the memory takes it in this cycle */
    uint8_t sent_client;
    uint32_t sent_beats;
    uint64_t last_beat;
    bool line, taken; /* in this cycle: offered, taken */
} vt_pipe_reads;

/* Elements of acc. Where the micro-ops' words are not known, each of the buffer writes one of its own, and reads none
 * that another one writes. */
typedef struct vt_pipe_uop {
    uint64_t dst, src;
} vt_pipe_uop;

/* vta_execute: the sequencer, X, and what is on its way to W. */
typedef struct vt_pipe_execute {
    bool valid, bubble, gemm;
    uint32_t insn;
    uint64_t all, left; /* micro-ops of the instruction, those to come */
    bool steady;        /* none of them waits for another one */
    struct {
        bool valid, last, bubble;
        uint32_t insn;
        vt_pipe_uop at; /* what it writes and reads */
    } x;
    struct {
        uint64_t cycle, dst;
    } back[VT_PIPE_BACK];                        /* ALU micro-ops that left X */
    uint32_t stages;                             /* of GEMM: the E of vta_execute */
    uint64_t gemm_until, alu_until, write_until; /* the last cycles with something there */
    vt_ring_item ends[VT_PIPE_ENDS];
    uint32_t end_first, end_count;
    bool idle, ready, retired; /* in this cycle; idle: at its beginning */
    bool streams;              /* a micro-op passed, and the next one can */
} vt_pipe_execute;

/* vta_store and the memory's write side. */
typedef struct vt_pipe_store {
    vt_pipe_rows rows;
    uint64_t reads; /* lines of acc that are still to be read */
    uint32_t free, beats_of_line, beat, part;
    uint64_t out[VT_PIPE_SLOTS]; /* when a line is there */
    uint32_t out_first, out_count;
    struct {
        uint32_t beats;
        uint64_t since;
    } length[VT_PIPE_SLOTS];
    uint32_t length_first, length_count;
    bool command; /* at the port */
    uint32_t command_beats;
    struct {
        uint32_t insn;
        bool burst, last;
        uint64_t since;
    } order[VT_PIPE_BURSTS];
    uint32_t order_first, order_count;
    uint32_t writes, answers; /* of the memory */
    uint32_t insn;            /* whose commands leave */
    bool read;                /* acc, in this cycle */
} vt_pipe_store;

typedef struct vt_pipe {
    vt_model *m;
    uint64_t now;
    bool moved;    /* more than a line of a burst or a micro-op in this cycle */
    bool lines[2]; /* the load unit, the compute unit had a line or padding in this cycle */
    vt_pipe_reads reads;
    vt_pipe_fetch fetch;
    vt_pipe_engine engine[VT_PIPE_CLIENTS]; /* that of VT_PIPE_FETCH is not used */
    vt_pipe_loads loads[2];                 /* of the load unit, of compute */
    vt_pipe_execute execute;
    vt_pipe_store store;
    vt_pipe_queue queue[VT_STAGES];
    vt_pipe_uop *uops;          /* the micro-op buffer */
    uint64_t elements;          /* indices wrap there; 0: not */
    uint64_t *taken;            /* when each instruction was */
    uint64_t last[VT_STAGES];   /* when the last instruction of the unit ended */
    uint32_t flying[VT_STAGES]; /* instructions taken that have not ended */
} vt_pipe;

/* The loop in the place of timing.c's: to FINISH, the limit, an interrupt, a deadlock. */
vta_status vt__pipe_run(vt_model *m);

/* A unit in a cycle; in this order. */
void vt__pipe_memory(vt_pipe *p);  /* what the memory offers */
void vt__pipe_store(vt_pipe *p);   /* all of the store unit */
void vt__pipe_execute(vt_pipe *p); /* the pipeline of GEMM and ALU */
void vt__pipe_reads(vt_pipe *p);   /* a command leaves, a line is taken */
void vt__pipe_engines(vt_pipe *p); /* data and padding; loads end */
void vt__pipe_compute(vt_pipe *p); /* the compute unit takes an instruction */
void vt__pipe_load(vt_pipe *p);    /* the load unit does */
void vt__pipe_fetch(vt_pipe *p);   /* an instruction goes to its queue */

vta_status vt__pipe_begin_uops(vt_pipe *p);
void vt__pipe_end_uops(vt_pipe *p);
/* What a load of micro-ops brings. */
void vt__pipe_load_uops(vt_pipe *p, const vta_insn *load);
/* The elements of a step of an instruction. */
vt_pipe_uop vt__pipe_uop(const vt_pipe *p, const vta_insn *insn, uint64_t step);
/* Does no step of the instruction wait for one of the three before it? */
bool vt__pipe_steady(const vt_pipe *p, const vta_insn *insn);

/* So many more micro-ops, while they stream. */
void vt__pipe_pass(vt_pipe *p, uint64_t count);

/* The tokens that the head of a unit's queue takes are there. */
bool vt__pipe_tokens(const vt_pipe *p, uint32_t stage);
/* The unit takes the head of its queue. */
void vt__pipe_take(vt_pipe *p, uint32_t stage);
/* An instruction ends in this cycle: its tokens go, it is accounted for. */
void vt__pipe_retire(vt_pipe *p, uint32_t stage, uint32_t insn);
/* A command that rows offer was sent. */
void vt__pipe_next_burst(vt_pipe_rows *rows);
/* The instruction goes to its engine. */
void vt__pipe_begin_load(vt_pipe *p, uint32_t client, uint32_t insn);
void vt__pipe_begin_fetch(vt_pipe *p);

static inline const vta_insn *vt__pipe_head(const vt_pipe *p, uint32_t stage) {
    return p->queue[stage].valid ? &p->m->insns[p->queue[stage].insn] : NULL;
}

#endif
