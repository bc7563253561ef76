/* What the files of the pass vta.InjectALUIntrin share. */
#ifndef VT_TARGET_VTA_ALU_H
#define VT_TARGET_VTA_ALU_H

#include "lower/vta/uop_nest.h"

/* What one statement computes; without a second operand it is a copy. */
typedef struct alu_op {
    vta_alu_opcode opcode;
    bool commutes;
    const vt_expr *lhs, *rhs;
    const vt_expr *condition; /* NULL: always; else the result stays lhs where it does not hold */
} alu_op;

/* The loops around one store. */
typedef struct nest {
    const vt_stmt *stmt;
    const vt_stmt *store;
    uint32_t n;
    const vt_var **vars; /* outermost first */
    const vt_expr **extents;
    const vt_expr **dst; /* coefficients of the loops in the result's index, and the offset */
} nest;

/* A constant, or scalars of the accumulator. */
typedef struct operand {
    const vt_expr *imm; /* NULL: no constant */
    const vt_expr **at; /* like nest.dst */
} operand;

/* The micro-op of one kernel. */
typedef struct uop {
    bool reset;
    vta_alu_opcode opcode;
    const vt_expr *imm;        /* NULL: the source is the other operand */
    const vt_expr *const *src; /* like nest.dst */
    const vt_expr *condition;  /* NULL: always */
} uop;

typedef struct alu {
    vt_mutator m;
    vt_lowering *l;
    vt_analyzer *a;
    const vt_iter *axis;
    vt_around around;
} alu;

/* ---- alu_match.c ---- */

/* Raises: the loops around `stmt` are not an operation of the ALU. */
_Noreturn void vt__alu_refuse(alu *st, const vt_stmt *stmt, const char *why);
/* The operation that a value is; raises when it is none. */
alu_op vt__alu_match_op(alu *st, const vt_stmt *stmt, const vt_expr *value);
operand vt__alu_match_operand(alu *st, const nest *k, const vt_expr *e);
/* The loops around the one store in `stmt`. */
nest vt__alu_match_nest(alu *st, const vt_stmt *stmt);
/* Is the operand where the result is? */
bool vt__alu_in_place(const nest *k, const operand *x);

/* ---- alu_kernel.c ---- */

/* The kernel of one micro-op over a nest, and the loops around it. */
const vt_stmt *vt__alu_make_kernel(alu *st, const nest *k, const uop *u);

#endif
