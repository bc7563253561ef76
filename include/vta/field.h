/* Programs on values that stand for all inputs at once: what `vta prove` computes with (docs/prove.md).
 *
 * A value is a polynomial over the inputs, known by its residues at one random point modulo two primes of 29 bits,
 * which are drawn at random.
 * Sums, differences, products and left shifts are arithmetic; what is not a polynomial (min, max, right shifts,
 * narrowing) is a random function of its operands' values, so that equal operands give equal results and different
 * ones, but for a chance that is stated, different results. Laws that kernels use are known and give one value for both
 * sides: min and max are sets with one constant, a clip has one form, shifts by constants add up, narrowing a value
 * that fits changes nothing.
 *
 * Integers wrap: a value of a type of `bits` bits stands for its residue class modulo 2^bits, except where its range is
 * known and fits (then it is that integer). So equality of values means equality of the wrapped results. */
#ifndef VTA_FIELD_H
#define VTA_FIELD_H

#include "vta/device.h"
#include "vta/program.h"

VTA_BEGIN

typedef struct vta_field vta_field;
/* Two residues, and a mark of the random function that made them; 0 is the number 0. Belongs to the field that made
 * it. Equal words are equal values; vta_field_same compares the residues alone, which tells more: a sum has no mark,
 * also where what was added goes out again. */
typedef uint64_t vta_value;

typedef enum vta_field_op {
#define VTA_FIELD_OP(name, meaning) VTA_FIELD_##name,
#include "vta/field.def"
#undef VTA_FIELD_OP
    VTA_FIELD_OP_COUNT
} vta_field_op;

/* A field whose primes, random point and random functions come from the seed. Free with vta_field_destroy. One thread
 * at a time uses it. */
VTA_API vta_status vta_field_create(uint64_t seed, const vta_allocator *allocator, vta_diag *diag,
                                    vta_field **out_field);
VTA_API void vta_field_destroy(vta_field *field);
/* VTA_NO_MEMORY once an allocation of a function below failed; values made since then may differ where they should be
 * equal. */
VTA_API vta_status vta_field_status(const vta_field *field);

/* A variable of its own for each pair. */
VTA_API vta_value vta_field_variable(const vta_field *field, uint64_t space, uint64_t index);
VTA_API vta_value vta_field_int(vta_field *field, int64_t number);
VTA_API bool vta_field_same(vta_value a, vta_value b);
/* True, with the number, for a value that is known to be a constant. */
VTA_API bool vta_field_is_int(const vta_field *field, vta_value value, int64_t *out_number);
/* Says that the value is an integer in [low, high]: it was widened from a narrow type. */
VTA_API void vta_field_known(vta_field *field, vta_value value, int64_t low, int64_t high);
/* a op b on signed integers of `bits` bits (at most 64). */
VTA_API vta_value vta_field_apply(vta_field *field, vta_field_op op, vta_value a, vta_value b, uint32_t bits);
/* The low `bits` bits of a value, as a signed or unsigned integer; the value itself where it is known to fit. */
VTA_API vta_value vta_field_narrow(vta_field *field, vta_value value, uint32_t bits, bool is_signed);
/* A random function of n values; another one for each id. */
VTA_API vta_value vta_field_opaque(const vta_field *field, uint64_t id, size_t n, const vta_value values[]);
/* values[index], where the index is a value too: that value where the index is a constant, else a random function of
 * the index and of all `n` values. False where the index is not known to be in 0..n-1. */
VTA_API bool vta_field_lookup(vta_field *field, size_t n, const vta_value values[], vta_value index,
                              vta_value *out_value);
/* The sum of a[ai[r] + k * a_step] * b[bi[r] + k * b_step] over r < rows, k < n. */
VTA_API vta_value vta_field_products(const vta_field *field, size_t rows, const int64_t ai[], const int64_t bi[],
                                     const vta_value a[], const vta_value b[], int64_t n, int64_t a_step,
                                     int64_t b_step);

/* What bounds the chance of an error: applications of random functions so far; and, of all polynomials that anyone said
 * to have seen, the largest degree and the largest sum of the coefficients' magnitudes (1 or more). vta_field_run and
 * te_evaluate_field say. */
VTA_API uint64_t vta_field_terms(const vta_field *field);
VTA_API void vta_field_seen(vta_field *field, double degree, double magnitude);
VTA_API double vta_field_degree(const vta_field *field);
VTA_API double vta_field_magnitude(const vta_field *field);
/* log2 of a bound for the chance that two different values are equal in a field of random primes (docs/prove.md). */
VTA_API double vta_field_log2_chance(uint64_t terms, double degree, double magnitude);

/* ---- Programs ------------------------------------------------------------------------------------------------ */

/* An array in DRAM: `count` scalars of `bits` bits from physical address `addr` on, as VTA packs them. */
typedef struct vta_field_array {
    uint32_t addr;
    uint32_t bits;
    uint64_t count;
    vta_value *values; /* is_output: filled from DRAM after the last run; else put there before the first */
    bool is_output;
} vta_field_array;

/* Who wrote a scalar last. */
typedef struct vta_field_writer {
    bool known;     /* else no instruction did, and the fields below are not used */
    uint32_t run;   /* of the program */
    uint32_t store; /* the STORE, by its place in the run's stream */
    bool has_alu;   /* the stored element was computed in this run: */
    uint32_t insn;  /* by this instruction (GEMM, ALU or LOAD) */
} vta_field_writer;

typedef struct vta_field_options {
    size_t size;        /* of this struct, or 0 */
    uint32_t order;     /* vta_order */
    uint64_t seed;      /* of VTA_ORDER_RANDOM */
    uint64_t stale;     /* chooses the values of memory that nothing wrote */
    uint64_t most_work; /* micro-ops and elements moved; VTA_TIMEOUT beyond it. 0: no bound */
    /* Also checks that every order that the tokens allow computes what this one does: VTA_RACE, with the two
     * instructions and their memory, where no token path orders conflicting accesses on chip or in DRAM, and for a
     * STORE that FINISH does not wait for; VTA_ILLEGAL for micro-ops that nothing has loaded. */
    bool every_order;
    /* Called now and then when not NULL; true stops with VTA_INTERRUPTED. */
    bool (*stop)(void *ctx);
    void *ctx;
    /* Memory that the host filled, by the addresses of its segments: what was recorded there are constants. A STORE
     * there is VTA_UNSUPPORTED, but in the last run, which no other reads. */
    size_t constant_count;
    const uint32_t *constants;
    /* Memory that the host reads and writes as it likes before each run and after the last, by the addresses of its
     * segments: it holds other unknown values each time. */
    size_t unknown_count;
    const uint32_t *unknown;
    /* Scalar `watch_index` of array `watch` is asked for when out_writer is not NULL. */
    size_t watch;
    uint64_t watch_index;
    vta_field_writer *out_writer;
} vta_field_options;

/* Runs all runs of a program, one after another, on values. Micro-ops and instructions are the recorded ones; all other
 * memory, on chip and in DRAM, is of a value of its own until it is written. `options` may be NULL. Errors as
 * vta_device_run, and VTA_ILLEGAL for micro-ops that are data: of an array, or written by the program. */
VTA_API vta_status vta_field_run(const vta_program *program, vta_field *field, const vta_field_options *options,
                                 size_t n, const vta_field_array arrays[], vta_diag *diag);

VTA_END

#endif
