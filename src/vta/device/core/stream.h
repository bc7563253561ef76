/* An instruction stream, decoded: which stage runs each instruction, and an order that the tokens allow.
 *
 * What the tokens allow does not depend on data, so an order is found, and a deadlock too, before anything runs. */
#ifndef VT_DEVICE_CORE_STREAM_H
#define VT_DEVICE_CORE_STREAM_H

#include "device/core/machine.h"
#include "isa/tokens.h"

/* Stages by index 0 load, 1 compute, 2 store (vta_stage - 1). */
enum { VT_STAGES = 3 };

/* How many instructions of each stage come before an instruction by program order within its stage and by tokens. */
typedef struct vt_clock {
    uint32_t before[VT_STAGES];
} vt_clock;

typedef struct vt_stream {
    const vta_allocator *allocator;
    vta_insn *insns;
    uint32_t count;             /* up to and with FINISH */
    uint32_t cap;               /* what was allocated */
    uint8_t *stage;             /* of each instruction, 0..2 */
    uint32_t *queue[VT_STAGES]; /* instruction numbers of each stage, in order */
    uint32_t length[VT_STAGES];
    uint32_t *position;              /* of each instruction in its stage's queue */
    uint32_t *order;                 /* filled by vt_stream_schedule: instruction numbers as they are to run */
    uint32_t to_run;                 /* how many of them are to run: all, but for vt_stream_keep */
    vt_clock *clocks;                /* filled by vt_stream_schedule when asked for */
    uint32_t left[VTA_TOKEN_QUEUES]; /* tokens that nobody took */
} vt_stream;

/* Reads and decodes the stream from DRAM. Refused (with nothing left to clear): an address that is not mapped, a
 * damaged instruction, one that no stage takes, tokens a stage does not have, no FINISH. What follows FINISH is not
 * looked at. */
vta_status vt_stream_decode(vt_stream *stream, vt_machine *machine, uint32_t insn_addr, uint32_t count, vta_diag *diag);
void vt_stream_clear(vt_stream *stream);

/* The token queue that an instruction of `stage` uses for prev/next; VTA_TOKEN_QUEUES where the stage has none. */
vta_token_queue vt_token_popped(uint32_t stage, bool next);
vta_token_queue vt_token_pushed(uint32_t stage, bool next);
/* Whether an instruction of the stream pops, or pushes, a token of the queue. */
bool vt_stream_pops(const vt_stream *stream, uint32_t index, vta_token_queue queue);
bool vt_stream_pushes(const vt_stream *stream, uint32_t index, vta_token_queue queue);

/* Finds an order; VTA_DEADLOCK names each stage's waiting instruction and the token that never comes. `clocks`: fill
 * stream->clocks too. */
vta_status vt_stream_schedule(vt_stream *stream, vta_order order, uint64_t seed, bool clocks, vta_diag *diag);
/* Leaves in the order the first `done` instructions of each stage: a run that was cut off. */
void vt_stream_keep(vt_stream *stream, const uint32_t done[VT_STAGES]);

#endif
