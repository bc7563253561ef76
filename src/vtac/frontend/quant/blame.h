/* What the integers of each layer cost: the network of floats is computed once more with one value as its integers have
 * it, or with one layer's weights, and all else as it was. Errors that are small add up as powers, so that the shares
 * say what a network loses by which layer, and by which cause. */
#ifndef VT_QUANT_BLAME_H
#define VT_QUANT_BLAME_H

#include "frontend/quant/quant.h"

typedef enum vt_qcause {
    VT_QCAUSE_ROUNDING, /* of a value to its integers */
    VT_QCAUSE_RANGE,    /* of a value beyond its integers, which is cut off */
    VT_QCAUSE_WEIGHTS,  /* of the weights that compute it */
    VT_QCAUSE_COUNT
} vt_qcause;

/* Of a tensor of integers, the mean of all samples. */
typedef struct vt_qblame {
    double noise[VT_QCAUSE_COUNT]; /* the power of the error over that of the signal, where it was measured */
    uint64_t cut, count;           /* elements beyond the integers; all */
} vt_qblame;

/* Errors are measured at the outputs, or behind the first `depth` products that they pass, as the mean of all such
 * values: the first is what counts, the second takes a small part of the time, and is about the same where layers
 * neither make errors larger nor smaller against the signal. 0: at the outputs.
 *
 * `out`: one a tensor of the network, by its index; of those without integers, and of those that are moved and not
 * rounded, zeros. `samples`: data of all inputs, as the graph has them. Values of the graph are all kept meanwhile. */
vta_status vt_qblame_measure(const vt_qnet *net, const void *const *const *samples, size_t count, uint32_t depth,
                             const atomic_bool *interrupt, const vta_allocator *allocator, vta_diag *diag,
                             vt_qblame *out);

#endif
