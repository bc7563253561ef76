/* The instruction stream of one command handle while it is recorded: decoded instructions, and the pops that wait for
 * the next instruction of their stage (docs/spec.md, section 6). */
#ifndef VT_RUNTIME_INSN_QUEUE_H
#define VT_RUNTIME_INSN_QUEUE_H

#include "base/diag.h"
#include "isa/codec.h"
#include "isa/tokens.h"

/* Where an instruction comes from; recorded for a capture only. */
typedef struct vt_insn_note {
    size_t insn; /* the first one that it is about */
    char *text;  /* of the queue's allocator */
} vt_insn_note;

typedef struct vt_insn_queue {
    const vta_allocator *allocator;
    vta_insn *insns;
    size_t count, cap;
    vt_insn_note *notes;
    size_t note_count, note_cap;
    /* By stage: a pop from the stage before it, and from the one after it, that no instruction carries yet. */
    bool pop_prev[VTA_STAGE_STORE + 1], pop_next[VTA_STAGE_STORE + 1];
    /* Tokens pushed, less those popped by instructions in the queue. */
    int64_t tokens[VTA_TOKEN_QUEUES];
    /* Tokens of earlier runs that nobody popped. All of such a run is over, so a pop that takes one waits for nothing
     * and needs no instruction. Of a device that keeps tokens they were taken at the run's end. */
    uint64_t carried[VTA_TOKEN_QUEUES];
    bool carried_from_dropped; /* of a stream that was dropped: only for the pops that follow at once */
} vt_insn_queue;

void vt_queue_init(vt_insn_queue *queue, const vta_allocator *allocator);
void vt_queue_clear(vt_insn_queue *queue);
/* Forgets what was recorded, keeps the memory; tokens that nobody popped are carried to what comes next. */
void vt_queue_reset(vt_insn_queue *queue, bool dropped);
/* Tokens of a dropped stream are forgotten once something else than a pop is recorded: they let a caller that was in
 * the middle of a kernel finish it, and must not satisfy the pops of its next one. */
void vt_queue_forget_dropped(vt_insn_queue *queue);
/* Makes room for `more` instructions, so that the calls below cannot fail. */
bool vt_queue_reserve(vt_insn_queue *queue, size_t more);

/* Says what the instructions from here on come from. Without memory the note is left out. */
void vt_queue_note(vt_insn_queue *queue, const char *text);
void vt_queue_drop_notes(vt_insn_queue *queue);

/* The next instruction of a stage, carrying the pops that wait for it; its other fields are 0. */
vta_insn *vt_queue_next(vt_insn_queue *queue, vta_stage stage);
/* A no-op: only tokens. */
void vt_queue_noop(vt_insn_queue *queue, vta_stage stage, bool pop_prev, bool pop_next, bool push_prev, bool push_next);
void vt_queue_dep_pop(vt_insn_queue *queue, vta_stage from, vta_stage to);
void vt_queue_dep_push(vt_insn_queue *queue, vta_stage from, vta_stage to);
/* Gives a stage's waiting pops a no-op to travel on. */
void vt_queue_flush_pops(vt_insn_queue *queue, vta_stage stage);
bool vt_queue_has_pops(const vt_insn_queue *queue);

/* No-ops take the tokens that nobody popped; the pops that come for them later find them carried. */
void vt_queue_take_left(vt_insn_queue *queue);
/* Makes compute wait for the other stages, and ends the stream with FINISH. */
void vt_queue_finish(vt_insn_queue *queue);
/* How many instructions these two add at most, and vt_queue_finish_serial beside its relays. */
size_t vt_queue_finish_insns(const vt_insn_queue *queue);
enum { VT_FINISH_INSNS = 8 };
/* Rewrites all tokens so that instructions of different stages run one after another, and ends the stream. */
bool vt_queue_finish_serial(vt_insn_queue *queue);

/* Tokens pushed and not popped at the point that the recording has reached; negative: more pops. */
int64_t vt_queue_balance(const vt_insn_queue *queue, vta_token_queue tokens);

#endif
