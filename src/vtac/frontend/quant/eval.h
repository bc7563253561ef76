/* What a quantized network computes, in plain C: the reference for what the accelerator does, bit for bit.
 *
 * A network may be evaluated by any number of threads at once. */
#ifndef VT_QUANT_EVAL_H
#define VT_QUANT_EVAL_H

#include "frontend/quant/quant.h"

typedef struct vt_qeval_options {
    /* Called when a layer was computed; `out` lives until the callback returns. May be NULL. */
    void (*after)(void *user, const vt_qlayer *l, const void *out);
    void *user;
    const atomic_bool *interrupt; /* raised to stop a run (VTA_INTERRUPTED); may be NULL */
} vt_qeval_options;

/* `inputs` and `outputs` are those of the network, of their types' sizes. */
vta_status vt_qeval_run(const vt_qnet *net, const void *const *inputs, void *const *outputs,
                        const vt_qeval_options *options, const vta_allocator *allocator, vta_diag *diag);

#endif
