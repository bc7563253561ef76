#include "kernel/made.h"

#include <string.h>

#include "kernel/priv.h"

typedef struct making {
    vtac_kernel *kernel;
    const char *name;
    vt_kernel_make *make;
    const void *user;
} making;

static void take(vt_ctx *ctx, vt__tensors *to, te_tensor *const *tensors, uint32_t count) {
    to->items = VT_NEW_ARRAY(ctx, te_tensor *, count);
    to->n = to->cap = count;
    memcpy(to->items, tensors, count * sizeof *tensors);
}

static vta_status fill(vt_ctx *ctx, void *arg) {
    const making *m = arg;
    vtac_kernel *k = m->kernel;
    vt_kernel_parts parts = {.input_count = 0};
    k->name = vt_new_string(ctx, m->name);
    k->target = "llvm";
    k->disabled = "";
    m->make(k->c, m->user, &parts);
    VT_TRY(te_context_status(k->c));
    take(ctx, &k->inputs, parts.inputs, parts.input_count);
    take(ctx, &k->outputs, parts.outputs, parts.output_count);
    k->schedule = te_schedule_create(k->c, k->outputs.n, k->outputs.items);
    return te_context_status(k->c);
}

vta_status vt_kernel_of(const char *name, vt_kernel_make *make, const void *user, const vta_config *config,
                        const vta_allocator *allocator, vta_diag *diag, vtac_kernel **out_kernel) {
    vtac_kernel *k;
    *out_kernel = NULL;
    vta_status status = vt__kernel_new(config, allocator, diag, &k);
    if (!k) return status;
    making m = {k, name, make, user};
    if (status == VTA_OK) status = vt_protect(vt_te_ctx(k->c), fill, &m);
    vt__kernel_pass_on(te_context_diag(k->c), diag);
    if (status != VTA_OK)
        vtac_kernel_destroy(k);
    else
        *out_kernel = k;
    return status;
}
