/* What the products of a quantized network read for samples: integers, from which weights are rounded anew (adapt.c).
 */
#ifndef VT_QUANT_SEEN_H
#define VT_QUANT_SEEN_H

#include "frontend/quant/quant.h"

typedef struct vt_qseen {
    const vta_allocator *allocator;
    uint32_t layer_count;
    int8_t **inputs;     /* by the layer's index: the first input for each sample, one after the other; NULL: none */
    size_t *input_bytes; /* of one sample */
    size_t sample_count;
} vt_qseen;

/* Runs the network on samples (data of all inputs, as the graph has them), and keeps what those products read whose
 * weights can be rounded anew: at most some 256 MiB, of fewer samples where these would take more. Free it, also after
 * an error. */
vta_status vt_qseen_record(const vt_qnet *net, const void *const *const *samples, size_t count,
                           const vta_allocator *allocator, vta_diag *diag, vt_qseen *out);
void vt_qseen_free(vt_qseen *seen);

#endif
