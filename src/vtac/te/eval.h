/* Evaluating computations: what the evaluation with numbers (eval_number.c) and the one with values that stand for all
 * inputs (eval_field.c) have in common. */
#ifndef VT_TE_EVAL_H
#define VT_TE_EVAL_H

#include "te/schedule.h"

/* One value: integers extended to 64 bits as their type says, floats as double. */
typedef union value {
    int64_t i;
    double f;
} value;

/* Bounds of a polynomial: its degree, and the sum of its coefficients' magnitudes. */
typedef struct te__size {
    double degree, magnitude;
} te__size;

static inline te__size te__size_either(te__size a, te__size b) {
    return (te__size){a.degree > b.degree ? a.degree : b.degree, a.magnitude > b.magnitude ? a.magnitude : b.magnitude};
}

/* An array of a tensor's elements, or (eval_field.c) of the values that stand for them. */
typedef struct array {
    const vt_tensor *tensor;
    vt_dtype dtype;
    int64_t *shape;
    int64_t elements;
    te__size size; /* of the values that stand for its elements */
    uint8_t *data; /* not const: results are written; vta_value where values stand for elements */
} array;

/* The program: slot[to] = op(slot[x], slot[y]); JUMPs make choices lazy. */
typedef enum opcode {
    CONST,
    COPY,
    BIN,
    NOT,
    BITNOT,
    CAST,
    LOAD,
    LOAD_LINEAR,
    MATH,
    SHIFT,
    BITWISE,
    JUMP,
    JUMP_IF_NOT
} opcode;

typedef struct insn {
    uint8_t code;
    uint8_t kind;   /* vt_expr_kind of BIN; otherwise vt_op */
    vt_dtype dtype; /* of the operands for BIN, of the result for others */
    vt_dtype from;  /* CAST: the operand's */
    uint32_t to, x, y;
    value constant;
    const array *array;
    const uint32_t *indices; /* slots: of LOAD one for each dimension, of LOAD_LINEAR one for each factor */
    const int64_t *factors;  /* LOAD_LINEAR: the element is base + the sum of factors times slots, surely inside */
    int64_t base;
    uint32_t n_factors;
} insn;

typedef struct program {
    te_context *c;
    vt_ctx *ctx;
    insn *code;
    uint32_t n, cap;
    uint32_t slots;
    vt_ptrmap *known; /* variables: axis -> slot + 1 */
    const vt_ptrmap *arrays;
    te__iters axes; /* whose values stand in slots */
} program;

/* The ranges of the iteration axes, and the slots in which their values stand. */
typedef struct odometer {
    uint32_t n;
    uint32_t *slots;
    int64_t *min, *extent;
} odometer;

/* A reduction, made into programs: `step` runs for each point of `inner`. */
typedef struct reduction {
    const program *step;
    const odometer *outer, *inner;
    uint32_t n;            /* of states */
    const uint32_t *state; /* their slots */
} reduction;

typedef struct evaluation evaluation;

/* What the elements are. */
typedef struct domain {
    uint32_t (*element_bytes)(vt_dtype t);
    void (*run)(const evaluation *ev, const program *p, value *slot);
    void (*store)(const evaluation *ev, const array *to, int64_t at, const value *slot, uint32_t result);
    /* A faster way for all points of a reduction, from here on called by `reduce`; NULL: there is none. May be NULL. */
    const void *(*plan)(const evaluation *ev, const reduction *r);
    void (*reduce)(const evaluation *ev, const void *plan, value *slot);
    bool sizes; /* what is evaluated has te__size */
} domain;

struct evaluation {
    te_context *c;
    vt_ctx *ctx;
    vt_ptrmap *arrays; /* tensor -> array */
    const domain *domain;
    void *user;      /* the domain's */
    uint8_t *marks;  /* one for each slot; the domain's, zeroed for each program */
    uint8_t *shifts; /* one for each slot, likewise: TE_SHIFT_BY_..., the largest of all elements */
};

/* What a shift was by: values, or a number, which is so far to the left (0: not to the left) above BY_NUMBERS. */
enum { TE_SHIFT_BY_VALUES = 1, TE_SHIFT_BY_NUMBERS = 2, TE_SHIFT_LEFT_MAX = 63 };

/* ---- eval_program.c ---- */

/* Appends an instruction; its slot. */
uint32_t te__program_emit(program *p, insn in);
uint32_t te__program_fresh(program *p);
/* Appends what computes an expression; the slot that it leaves it in. */
uint32_t te__program_make(program *p, const vt_expr *e);

/* ---- eval_number.c ---- */

extern const domain te__numbers;
/* One instruction that is not a jump, on numbers. */
void te__eval_step(const program *p, const insn *in, value *slot);

/* ---- eval_products.c ---- */

enum { TE__AXES_MAX = 16 }; /* of a reduction with a choice */
typedef struct te__products te__products;
/* One of two factors: element `at + rows[r] + i * step` of the array, of row r and point i of the innermost axis. */
typedef struct te__factor {
    const array *array;
    int64_t at;
    const int64_t *rows;
    int64_t step;
} te__factor;
/* The sum of the products at all points of a reduction. */
typedef struct te__sum {
    te__factor a, b;
    size_t n_rows;
    int64_t n;
} te__sum;
/* A reduction that is a sum of products, added to a state of 32 bits; NULL: it is none. */
const void *te__products_plan(const evaluation *ev, const reduction *r);
uint32_t te__products_state(const te__products *p);
const array *te__products_array(const te__products *p, bool second);
/* The sum at the point of the outer axes; what the choice asks is evaluated in `slot`. */
te__sum te__products_here(const te__products *p, value *slot);

/* ---- eval_sums.c ---- */

/* Those sums on numbers: the domain's `plan` and `reduce`. */
const void *te__number_plan(const evaluation *ev, const reduction *r);
void te__number_sum(const evaluation *ev, const void *plan, value *slot);

/* ---- eval_size.c ---- */

/* How large the values are that a program leaves in the slots `results`, for all points of its axes: once for those of
 * `start`, then `step`, which may be NULL, for each of the points of `inner`. Goes to `to[k]->size`. */
void te__sizes(const evaluation *ev, const program *start, const odometer *outer, const program *step,
               const odometer *inner, uint32_t n, const uint32_t *results, array *const *to);

/* ---- eval.c ---- */

/* Evaluates `out` and all it needs. `data` and `out_data` are arrays of the domain's elements. */
vta_status te__evaluate(te_context *c, const domain *of, void *user, te_tensor *out, size_t n,
                        te_tensor *const inputs[], const void *const data[], void *out_data);

#endif
