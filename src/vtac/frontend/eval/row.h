/* Results of two elements or three, row by row. */
#ifndef VT_GRAPH_EVAL_ROW_H
#define VT_GRAPH_EVAL_ROW_H

#include "frontend/eval/priv.h"

/* A row of the result: the inputs' elements lie 0 or 1 apart, or more. */
typedef struct vt_row {
    int64_t n;
    const void *a, *b, *c;
    int64_t a_by, b_by, c_by;
    void *to;
    vt_gop op;
    bool truncated; /* of Mod */
} vt_row;

typedef vta_status vt_row_function(const vt_row *r);

/* Calls f for every row of the result; the call has `inputs` inputs, which are broadcast. */
vta_status vt__each_row(const vt_eval_call *c, uint32_t inputs, vt_row_function *f);
/* Does the second operand have a zero? `bytes` of an element. */
bool vt__row_has_zero(const vt_row *r, size_t bytes);

/* A function of a row: `formula` of a and b for every element. */
#define EACH(ctype, result, formula)                                                                                   \
    for (int64_t i = 0; i < r->n; i++) {                                                                               \
        ctype a = ((const ctype *)r->a)[i * r->a_by], b = ((const ctype *)r->b)[i * r->b_by];                          \
        ((result *)r->to)[i] = (result)(formula);                                                                      \
    }                                                                                                                  \
    return VTA_OK

#endif
