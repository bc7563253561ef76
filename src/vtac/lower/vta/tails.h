/* What the files of the pass vta.SplitTails share. */
#ifndef VT_TARGET_VTA_TAILS_H
#define VT_TARGET_VTA_TAILS_H

#include "lower/vta/uses.h"
#include "lower/vta/vta.h"

typedef struct splitter {
    vt_ctx *ctx;
    vt_lowering *l;
    vt_analyzer *a;    /* knows the ranges of the loops around */
    bool threaded;     /* inside of virtual threads */
    bool accelerated;  /* inside of loops marked for the accelerator */
    uint32_t n_copies; /* of loop bodies, made so far */
    vt_ptrmap *slacks; /* IF -> vt__tails_slack of it: loops inside of loops ask again */
} splitter;

/* A loop or the threads of an attribute: `var` runs over [0, extent). */
typedef struct loop {
    const vt_stmt *s;
    const vt_var *var;
    int64_t extent;
    const vt_stmt *body;
} loop;

typedef struct finder {
    vt_visitor v;
    splitter *st;
    const loop *l; /* NULL: only asks whether there are open conditions that use `var` (any, if that is NULL too) */
    const vt_var *var;
    const vt_stmt *open;   /* the first condition that is not decided */
    uint32_t depth;        /* loops marked for the accelerator that are open */
    vt_stmt_list realized; /* the regions that are open */
    int64_t *points;       /* steps of the loop at which something changes */
    uint32_t n, cap;
    const vt_expr **conditions; /* that use the loop's variable, below zero where they hold */
    uint32_t n_conditions, cap_conditions;
} finder;

typedef enum verdict { HOLDS, FAILS, OPEN } verdict;

/* ---- tails_find.c: conditions, and where they change ---- */

/* The condition of an IF that a split left, as an expression that is below zero where it holds; NULL: another IF. */
const vt_expr *vt__tails_slack(splitter *st, const vt_stmt *s);
/* For the accelerator, by a pragma? */
bool vt__tails_is_marked(const vt_stmt *s);
int64_t vt__tails_floor_div(int64_t x, int64_t y);
/* Of an expression that is below zero where a condition holds. */
verdict vt__tails_judge(splitter *st, const vt_expr *e);
/* What changes inside of a loop (NULL: of any) or where `var` is used. */
finder vt__tails_look(splitter *st, const vt_stmt *s, const loop *l, const vt_var *var);

/* ---- tails_realize.c: regions that shrink in a tail ---- */

/* Those that read come first: what they read decides what those that write compute. */
const vt_stmt *vt__tails_split_realize(splitter *st, const vt_stmt *s);

/* ---- split_tails.c: cutting ---- */

const vt_stmt *vt__tails_sequence(splitter *st, const vt_stmt_list *list);
/* A statement with its loops cut. */
const vt_stmt *vt__tails_split(splitter *st, const vt_stmt *s);

#endif
