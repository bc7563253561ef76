/* One draw of a proof: a field, and all arguments in it. */
#ifndef VT_BUILD_PROVE_DRAW_H
#define VT_BUILD_PROVE_DRAW_H

#include "build/prove.h"
#include "ir/node.h"

/* One argument in the field. */
typedef struct operand {
    const te_tensor *tensor;
    vt_dtype dtype;
    uint64_t count;
    bool is_output;
    vta_value *values, *got; /* got: outputs only */
    bool no_values;          /* of an output: no field follows its expressions */
} operand;

/* One draw: a field, and all arguments in it. */
typedef struct draw {
    const vt_proof *proof;
    vta_field *field;
    operand *operands;
    vta_field_array *arrays;
    te_tensor **inputs; /* of the evaluation */
    const vta_value **input_values;
    vta_diag *said; /* by the program's run and the evaluation: a verdict's reason, not an error of the call */
    uint32_t index;
} draw;

/* The verdict and its reason. */
vta_status vt__prove_decide(const vt_proof *p, vtac_verdict verdict, const char *reason);
static inline bool vt__prove_decided(const vt_proof *p) { return p->result->reason[0] != '\0'; }
/* What the first error of a list says. */
const char *vt__prove_first_error(const vta_diag *diag);
vta_status vt__prove_pass_on(const vt_proof *p, vta_status status, const vta_diag *from);

/* Fills the outputs' `got`. */
vta_status vt__prove_run(const draw *d, vta_field_options *options);
/* Tries the program on the values of draw `index`; in the first, whether every order computes the same, too. */
vta_status vt__prove_draw(const vt_proof *p, uint32_t index);
/* The verdict where `different` elements differ, the first of which is in the result: looks for inputs that show it. */
vta_status vt__prove_differs(const draw *d, const vta_field_options *options, uint64_t different);
/* The verdict where orders may differ, as `reason` says: looks for an order and inputs that show it. */
vta_status vt__prove_races(const vt_proof *p, const char *reason);

#endif
