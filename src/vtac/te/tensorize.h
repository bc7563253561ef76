/* The inner loops of a stage beside the intrinsic that takes their place. */
#ifndef VT_TE_TENSORIZE_H
#define VT_TE_TENSORIZE_H

#include "arith/analyzer.h"
#include "te/intrin.h"
#include "te/nest.h"

typedef struct te__match {
    te_context *c;
    vt_ctx *ctx;
    const te_stage *st;
    const vt_operation *op; /* of the stage */
    te_intrin *intrin;
    vt_pos pos;               /* where tensorize was called */
    const vt_operation *what; /* of the intrinsic */
    const vt_ptrmap *ranges;
    uint32_t at;           /* leaf from which on the loops are replaced */
    vt_range *own;         /* what each root axis covers inside */
    vt_range **regions;    /* what is read of each input */
    vt_varmap *vars;       /* root axis -> the intrinsic's axis + offset */
    const vt_iter **axes;  /* reduce axis of the stage -> of the intrinsic, NULL where it is fixed */
    vt_analyzer *analyzer; /* knows the ranges of the outer loops and of the intrinsic's axes */
} te__match;

/* "cannot tensorize C at i with gemm": what messages begin with. */
const char *te__match_where(const te__match *m);
/* What the replaced loops cover: m->own and m->regions. */
void te__find_regions(te__match *m);
/* Each raises where the two differ; shapes sets m->vars and m->axes. */
void te__match_shapes(te__match *m);
void te__match_bodies(te__match *m, const vt_ptrmap *values);

/* Body `index` of the stage over the axes and inputs of the intrinsic. */
const vt_expr *te__matched_body(te__match *m, uint32_t index, const vt_ptrmap *values);

#endif
