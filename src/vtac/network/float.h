/* What host_float.c takes of float_window.c. */
#ifndef VT_NETWORK_FLOAT_H
#define VT_NETWORK_FLOAT_H

#include "network/priv.h"
#include "operators/host/host.h"

/* A node on floats on its way to a kernel: operands as the kernel's arguments, the result is the last one. */
typedef struct vt__float_node {
    vt__net *n;
    const vt_qlayer *l;
    const vt_gnode *is;
    vt_host host;
    vt__args args;
    vt_host_shape shapes[VT__ARGS_MAX], result;
} vt__float_node;

/* host_float.c: raises VTA_UNSUPPORTED with the node's name. */
_Noreturn void vt__float_refuse(const vt__float_node *o, const char *why);

/* float_elements.c: an operator of one element each as vt_host_map_kernel has it; NULL: it is of another kind. */
const char *vt__float_expression(vt__float_node *o);
/* float_quantize.c: the same of QuantizeLinear and DequantizeLinear; the shapes of scales become those of the result.
 */
const char *vt__float_quantized(vt__float_node *o);
/* float_bits.c: the same of angles, remainders and bits. */
const char *vt__float_bits(const vt__float_node *o);
const char *vt__float_attribute(const vt__float_node *o, vt_gattr_name name);

/* float_matrix.c: matrix products; float_window.c: convolutions and pools. */
vt_host_factors vt__float_factors(const vt__float_node *o);
vta_status vt__float_matrix(const vt__float_node *o, vtac_kernel **out);
vta_status vt__float_conv(const vt__float_node *o, vtac_kernel **out);
vta_status vt__float_pool(const vt__float_node *o, vtac_kernel **out);
/* float_along.c */
vta_status vt__float_top_k(vt__float_node *o, vtac_kernel **out);
vta_status vt__float_cum_sum(vt__float_node *o, vtac_kernel **out);
vta_status vt__float_scatter(vt__float_node *o, vtac_kernel **out);
vta_status vt__float_suppression(vt__float_node *o, vtac_kernel **out);
/* float_resize.c */
vta_status vt__float_resize(const vt__float_node *o, vtac_kernel **out);

/* The index of vt_host_gather_kernel for DepthToSpace and SpaceToDepth. */
const char *vt__float_blocks(vt_ctx *ctx, const vt_gnode *is);
/* The place along an axis that a Pad shows at `at`, an expression that may be outside by less than the extent. */
const char *vt__float_border(vt_ctx *ctx, const char *at, int64_t extent, bool mirrored);

#endif
