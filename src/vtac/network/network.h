/* From a quantized network to an artifact (docs/models.md).
 *
 * Every tensor of integers lies on the device, in tiles [N/BATCH, C/BLOCK, H, W, BATCH, BLOCK]. A layer becomes an
 * operator of the accelerator (vta/ops.h) where there is one, else a function for the host, which reads and writes
 * the same tiles. Functions between integers and floats, and nodes on floats, are of the second kind. */
#ifndef VT_NETWORK_NETWORK_H
#define VT_NETWORK_NETWORK_H

#include "frontend/quant/quant.h"
#include "network/planner/planner.h"
#include "vta/compile.h"

typedef struct vt_network_options {
    const vt_planner_options *planner; /* NULL: all defaults */
    const vtac_op_options *schedule;   /* of operators; NULL: all defaults */
    bool processor_only;               /* nothing on the accelerator: the same integers from the host */
    /* Called before each layer when not NULL; true ends the compile with VTA_INTERRUPTED. */
    bool (*progress)(void *ctx, uint32_t done, uint32_t count, const char *layer);
    void *ctx;
    /* Called with each operator when its schedule is chosen, likewise; `scheduled_ctx` is its own. */
    bool (*scheduled)(void *ctx, const char *layer, const vtac_op *op);
    void *scheduled_ctx;
    const vtac_section *sections; /* of front ends */
    size_t section_count;
    bool use_up; /* the network's weights are freed when they are packed */
} vt_network_options;

/* Compiles for `config`. VTA_UNSUPPORTED, with one diagnostic for each layer that has no form for either; or for a
 * configuration whose operands are not of 8 bits, or whose BLOCK_IN is not BLOCK_OUT. Free *out_bytes with
 * vta_string_free. `out_report`, when not NULL, gets what runs where and why; free it with vtac_compile_report_destroy.
 */
vta_status vt_network_compile(const vt_qnet *net, const vta_config *config, const vt_network_options *options,
                              const vta_allocator *allocator, vta_diag *diag, uint8_t **out_bytes, size_t *out_size,
                              vtac_compile_report **out_report);

#endif
