/* A program for the accelerator as the generator sees it: what is computed, by itself and without the compiler's words
 * for it, and the schedule as the steps of a kernel file. Written as a kernel file by text.h, evaluated by reference.h,
 * compiled and run by run.h. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_DIMS = 6, MAX_NODES = 48, MAX_STEPS = 24, STEP_LENGTH = 96, MAX_REDUCE = 4 };

/* What a tensor is. */
typedef enum node_kind {
    NODE_INPUT,  /* an argument */
    NODE_LOAD,   /* a copy on the chip of an argument or a result, with zeros around it */
    NODE_REDUCE, /* matrix multiplication (4 dimensions) or convolution (6) of two tensors on the chip */
    NODE_ALU,    /* one operation of the ALU on a tensor and a constant or a second tensor */
    NODE_STORE,  /* a result in DRAM: narrowed */
} node_kind;

typedef enum alu_op { OP_COPY, OP_ADD, OP_MAX, OP_MIN, OP_SHR, OP_SHL, OP_MUL, OP_SUB, OP_COUNT } alu_op;

/* The element types, by what they are for; their widths are the configuration's, INT8's is 8. */
typedef enum elem { ELEM_INP, ELEM_WGT, ELEM_ACC, ELEM_INT8 } elem;

/* Decisions about the schedule that are drawn with a node; 0 is the plainest. */
typedef enum want {
    WANT_FAR,    /* computed so many loops further out than the innermost tile */
    WANT_ORDER,  /* REDUCE, STORE: order of the loops */
    WANT_WHERE,  /* loads of a REDUCE: at which of its loops, or outside of it */
    WANT_DEEP,   /* the pragma stands so many axes further in than it must */
    WANT_SPLIT,  /* ALU, REDUCE: which axis of its own is split */
    WANT_FACTOR, /* by how much */
    WANT_OTHER,  /* REDUCE: a second axis that is split */
    WANT_COUNT
} want;

/* One index of an operand: factor * axis + offset; axis -1: the offset alone. */
typedef struct place {
    int axis, factor, offset;
} place;

typedef struct operand {
    int node;
    place at[MAX_DIMS];
} operand;

typedef struct node {
    node_kind kind;
    char name[12];
    elem type;
    int ndim, shape[MAX_DIMS];
    bool used, is_output;
    /* ALU */
    alu_op op;
    int n_in; /* tensors: 1 (and a constant) or 2 */
    operand in[2];
    int constant;
    bool constant_first;
    /* LOAD: made by a cache_read step instead of a tensor of its own; zeros around */
    bool cached;
    int before[MAX_DIMS], after[MAX_DIMS];
    /* REDUCE: steps of the convolution in rows and columns; extents of ic, dy, dx, the element's input channels; of how
     * many groups of channels each sees its own alone */
    int stride[2], dilation[2], extent[MAX_REDUCE], groups;
    /* INPUT: values have so many bits */
    int bits;
    /* Schedule: decisions drawn with the node, which group's loops it is computed in (the node of their store; -1: by
     * itself) and at which of them, and the steps that follow. */
    uint8_t want[WANT_COUNT];
    int group, level;
    int n_steps;
    char steps[MAX_STEPS][STEP_LENGTH];
} node;

/* Does a node read each element of `of` at the element's own place? */
static inline bool operand_is_same_place(const node *t, const node *of, const operand *o) {
    if (of->ndim != t->ndim) return false;
    for (int d = 0; d < t->ndim; d++)
        if (o->at[d].axis != d || o->at[d].factor != 1 || o->at[d].offset != 0) return false;
    return true;
}

typedef struct program {
    char config[256]; /* changes to the default configuration, "LOG_BATCH=1 LOG_BLOCK=5" */
    int batch, block_in, block_out;
    int width[4]; /* bits of each elem */
    int n;
    node nodes[MAX_NODES];
    bool too_large; /* no test wants to wait for it */
    bool illegal;   /* asks for something that the machine cannot do: must be right or refused, may be refused */
} program;

static inline int64_t node_elements(const node *t) {
    int64_t n = 1;
    for (int d = 0; d < t->ndim; d++) n *= t->shape[d];
    return n;
}

#endif
