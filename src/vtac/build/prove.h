/* What the files of a proof share. */
#ifndef VT_BUILD_PROVE_H
#define VT_BUILD_PROVE_H

#include "build/check.h"

/* Draws are added up to a number, while the chance of an error is above 2^SMALL_LOG2. */
enum { VT_PROVE_DRAWS_MAX = 8, VT_PROVE_SMALL_LOG2 = -20 };
#define VT_PROVE_BY_CHANCE "the values are equal, but polynomials of such degrees and coefficients can be by chance"

/* What is right although a part of the kernel is not followed: by argument, `right` of `count` elements. */
typedef struct vt_coverage {
    uint64_t *right, *count;
    char why[320]; /* "": all of it is followed */
} vt_coverage;

typedef struct vt_proof {
    te_context *c;
    vta_diag *diag;
    const vta_allocator *allocator;
    size_t n;
    const te_tensor *const *args;
    const uint32_t *addrs;
    const vta_program *program;
    uint64_t subject;      /* a hash of the program and of what the arguments' expressions say */
    size_t constant_count; /* memory that the host filled */
    const uint32_t *constants;
    size_t unknown_count; /* memory whose contents are not followed, because the host reads and writes it */
    const uint32_t *unknown;
    vtac_prove_options options;
    vtac_prove_result *result;
    vt_coverage *coverage;
} vt_proof;

/* What a call of a function left. */
enum { VT_TOUCHED = 16 };
typedef struct vt_recording {
    vta_program *program;         /* NULL: it ran nothing */
    uint32_t touched[VT_TOUCHED]; /* buffers whose contents the host accessed */
    size_t touched_count;         /* may be more */
    bool failed;                  /* the call itself did, with the status that is returned */
} vt_recording;

/* Calls the function once in a runtime of its own; `addrs` is filled with where its arguments were. Destroy the program
 * in any case. */
vta_status vt_prove_record(const vt_proof *p, vta_packed_function function, uint32_t addrs[], vta_diag *diag,
                           vt_recording *out);
/* Looks for inputs for which the program's result differs from what it should be, in the order of the result. Fills the
 * result's example. */
vta_status vt_prove_example(const vt_proof *p);

#endif
