/* The accelerator on values. The decoder, the tokens and the range checks are those of device/core; what instructions
 * compute is written here once more. */
#ifndef VT_PROVE_PROVER_H
#define VT_PROVE_PROVER_H

#include "config/config_priv.h"
#include "device/core/race.h"
#include "device/dram/dram.h"
#include "prove/shadow.h"

enum { VT_NOBODY = UINT32_MAX };

/* Bounds of a polynomial: its degree, and the sum of its coefficients' magnitudes. */
typedef struct vt_size {
    double degree, magnitude;
} vt_size;

static inline double vt_larger(double a, double b) { return a > b ? a : b; }
static inline vt_size vt_size_either(vt_size a, vt_size b) {
    return (vt_size){vt_larger(a.degree, b.degree), vt_larger(a.magnitude, b.magnitude)};
}

typedef struct vt_prover {
    const vta_program *program;
    const vta_config *config;
    const vta_allocator *allocator;
    const vta_field_options *options;
    vta_field *field;
    vt_dram dram;    /* real bytes: instructions and micro-ops */
    vt_machine core; /* its micro-op buffer and checks */
    vta_counters counters;
    vt_shadow shadow;
    vta_value *inp, *wgt, *acc, *tables;
    size_t inp_scalars, wgt_scalars, acc_scalars; /* of an element */
    size_t lanes;                                 /* scalars of an acc element in DRAM */
    uint32_t *writer;                             /* the instruction that last wrote an acc element, in this run */
    vt_size *size;                                /* of an acc element */
    vt_size memory_size;                          /* of what is in DRAM */
    vt_size largest;                              /* of all that was computed */
    uint32_t run;
    uint64_t left;                  /* of most_work */
    const vta_field_array *watched; /* NULL: none */
} vt_prover;

/* The effect of one instruction, whose bounds were checked. */
vta_status vt_prover_load(vt_prover *p, uint32_t index, const vta_insn *insn, vta_diag *diag);
vta_status vt_prover_store(vt_prover *p, uint32_t index, const vta_insn *insn, vta_diag *diag);
void vt_prover_gemm(vt_prover *p, uint32_t index, const vt_loops *loops, bool reset);
void vt_prover_alu(vt_prover *p, uint32_t index, const vta_insn *insn, const vt_loops *loops);

/* ---- Every order (order.c) ------------------------------------------------------------------------------------- */

/* Just before the instruction runs, which passed vt_exec_check. */
vta_status vt_prover_order_insn(vt_checker *checker, uint32_t index, vta_diag *diag);
/* After the last one: VTA_RACE, with the instructions and their memory, where another order may compute something else.
 */
vta_status vt_prover_order_end(const vt_prover *p, vt_checker *checker, vta_diag *diag);
/* What loads that the run's end does not wait for bring on chip is unknown to the next run. The stream has clocks. */
void vt_prover_forget_unfinished(vt_prover *p, const vt_stream *stream);

#endif
