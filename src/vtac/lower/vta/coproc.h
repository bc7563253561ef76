/* What the files of the pass vta.CoProcSync share. */
#ifndef VT_TARGET_VTA_COPROC_H
#define VT_TARGET_VTA_COPROC_H

#include "lower/vta/vta.h"

/* A token from one stage to another. */
typedef struct token {
    int from, to;
} token;

enum { MAX_STAGES = 4, MAX_TOKENS = MAX_STAGES * MAX_STAGES };

typedef struct tokens {
    uint32_t n;
    token items[MAX_TOKENS];
} tokens;

typedef struct stages {
    uint32_t n;
    int items[MAX_STAGES];
} stages;

/* A statement as its neighbours see it. */
typedef struct state {
    const vt_stmt *node; /* NULL: no task so far */
    stages enter, leave;
    tokens pops;   /* at its begin, matched by pushes before it */
    tokens pushes; /* at its end, matched by pops after it */
} state;

/* The tasks of a loop's round. */
typedef struct round {
    bool other; /* there is more than tasks */
    const vt_stmt *compute_first, *compute_last;
} round;

typedef struct planner {
    vt_visitor v;
    vt_lowering *l;
    const vt_iter *axis;
    vt_ptrmap *before; /* statement -> vt_stmt_list of what comes before it */
    vt_ptrmap *after;
    vt_ptrmap *otherwise; /* condition without an else -> vt_stmt_list of what happens where it does not hold */
    state first, last;
    stages entry;               /* where the scope of threads is entered, when the host's work parts it */
    vt_ptrmap *with_tasks;      /* statements that contain a task */
    vt_ptrmap *stored, *loaded; /* data variables of DRAM buffers that tasks store and load */
    vt_ptrmap *stored_before;   /* those of tasks that nothing has waited for yet */
    vt_ptrmap *loaded_before;
    vt_ptrmap *waits; /* statements of the host before which everything is waited for -> a buffer's name */
    bool rereads;     /* tasks load what tasks store, or do what is not known */
    round round;
    uint32_t depth; /* loops and conditions around */
} planner;

/* ---- coproc_tokens.c: Tokens between neighbours ---- */

void vt__coproc_add_token(planner *st, tokens *t, token x);
/* The newest first: the order in which TVM walks such sets, and so that of the tokens it emits. */
void vt__coproc_add_stage(planner *st, stages *s, int stage);
void vt__coproc_add_stages(planner *st, stages *to, const stages *from);
/* A push or a pop at a statement. */
void vt__coproc_insert(planner *st, vt_ptrmap *where, const vt_stmt *node, vt_op op, token x);
/* The last step from one stage to another. */
token vt__coproc_last_leg(token x);
/* Orders two neighbours. What of prev's pushes and next's pops stays open for the statement around them is handed
 * back: out_pushes at prev's end, out_pops at next's begin (used where prev is a loop's end and next its begin). */
void vt__coproc_order(planner *st, const state *prev, const state *next, tokens *out_pushes, tokens *out_pops);
/* The tokens open at the begin and the end of a part that nothing comes before or after. */
void vt__coproc_close_ends(planner *st);
/* One more statement, ordered with the one before it. */
void vt__coproc_append(planner *st, const state *now, bool task);

/* ---- coproc_processor.c: The host's share ---- */

/* Notes the tasks of a statement, from the inside out. */
void vt__coproc_find_tasks(void *user, const vt_stmt *s);
/* A task that was walked over. */
void vt__coproc_note_done(planner *st, const vt_stmt *task);
/* Virtual threads: waits for the tasks before them when the host's work before their first task uses those' buffers. */
void vt__coproc_plan_before_threads(planner *st, const vt_stmt *threads);
/* A statement without tasks: waits for those before it when they use its buffers. */
void vt__coproc_plan_processor(planner *st, const vt_stmt *s);
/* Raises where a buffer on the chip lives across a place at which everything is waited for. */
void vt__coproc_check_lives(const planner *plan, const vt_stmt *body);

#endif
