/* A random program for the host, with or without stages on the accelerator between: its definitions as trees of
 * operations, made without the compiler's words for them, and the schedule as the steps of a kernel file. Written by
 * host_text.c, evaluated by host_reference.c, compiled for both targets and run by host_run.c. */
#ifndef RANDOM_HOST_H
#define RANDOM_HOST_H

#include <stdio.h>

#include "random/choices.h"
#include "random/run.h"

enum {
    HOST_NODES = 20,
    HOST_EXPRS = 512,
    HOST_DIMS = 3,
    HOST_AXES = 5, /* of data, then of the reduction */
    HOST_STEPS = 24,
    HOST_STEP = 120
};

#define HOST_CHIP_ONLY '@'

typedef enum host_type { T_I8, T_I16, T_I32, T_I64, T_U8, T_U16, T_F32, T_F64, T_COUNT } host_type;

typedef struct host_type_info {
    const char *name;
    int bits;
    bool is_unsigned, is_float;
    int64_t most; /* values that operations of this type stay within; those of 8 and 16 bits wrap */
} host_type_info;
extern const host_type_info host_types[T_COUNT];

typedef enum host_op {
    H_CONST,
    H_AXIS,
    H_LOAD,
    H_CAST,
    H_ADD,
    H_SUB,
    H_MUL,
    H_MIN,
    H_MAX,
    H_NEG,
    H_SELECT, /* compare(a[0], a[1]) ? a[2] : a[3] */
    H_IF,     /* the same as if_then_else */
    H_GUARD,  /* is axis in [low, high)? a[0] : a[1]; a[0] may be out of its tensor elsewhere */
    H_DIV,    /* from here on of integers: by `constant`, rounding down */
    H_MOD,
    H_TRUNCDIV,
    H_SHR,
    H_SHL,
    H_AND,
    H_OR,
    H_XOR,
    H_NOT,
} host_op;

/* (sum of factor * axis + offset) // divisor % modulus; 0: without. */
typedef struct host_place {
    int axis[2], factor[2], offset, divisor, modulus; /* axis -1: none */
} host_place;

typedef struct host_expr {
    host_op op;
    host_type type;
    int a[4]; /* operands */
    int64_t constant;
    int node; /* LOAD */
    host_place at[HOST_DIMS];
    int compare; /* SELECT, IF: < <= == != > >= */
    int axis, low, high;
    int64_t min, max; /* of its values */
} host_expr;

typedef enum host_kind { HOST_INPUT, HOST_MAP, HOST_SUM, HOST_MIN, HOST_MAX } host_kind;
typedef enum chip_kind { CHIP_NONE, CHIP_LOAD, CHIP_ALU, CHIP_STORE } chip_kind;

typedef struct host_node {
    host_kind kind;
    chip_kind chip; /* a stage of the accelerator, when it is compiled for that */
    char name[12];
    host_type type;
    int ndim, n_reduce, extent[HOST_AXES];
    int body; /* expression */
    int64_t min, max;
    bool used, is_output, is_inline;
    int rfactor,
        rfactor_at; /* 0: none; else the factor by which its first reduce axis is split, and where the axis goes */
    int n_steps;    /* one that begins with HOST_CHIP_ONLY is left out when it is compiled for the host by itself */
    char steps[HOST_STEPS][HOST_STEP];
} host_node;

typedef struct host_program {
    int n, n_exprs;
    host_node nodes[HOST_NODES];
    host_expr exprs[HOST_EXPRS];
} host_program;

static inline bool host_is_reduce(const host_node *t) { return t->kind >= HOST_SUM; }
static inline int64_t host_elements(const host_node *t) {
    int64_t n = 1;
    for (int d = 0; d < t->ndim; d++) n *= t->extent[d];
    return n;
}
/* Does the definition of node `user` read node i? */
bool host_reads(const host_program *p, int user, int i);

/* Any list of choices makes a program. */
void host_generate(choices *c, host_program *out);
void host_schedule(choices *c, host_program *p); /* its last part */

/* As a kernel file; `chip`: for the accelerator, else for the host by itself. */
void host_write(const host_program *p, bool chip, FILE *to);

/* The values of all tensors that are used. */
typedef union host_value {
    int64_t i;
    double d;
} host_value;
typedef struct host_values {
    host_value *of[HOST_NODES];
} host_values;
void host_compute(const host_program *p, uint64_t seed, host_values *out);
void host_values_free(host_values *v);

/* Compiled for both targets, each run on two sets of inputs. */
void host_run(const host_program *p, uint64_t seed, result *out);

#endif
