/* What host_float.c takes of float_window.c. */
#ifndef VT_NETWORK_FLOAT_H
#define VT_NETWORK_FLOAT_H

#include "network/priv.h"
#include "ops/host/host.h"

/* An AveragePool of images; false: it is of others. */
bool vt__float_average(const vt_host *host, const vt_gnode *is, vtac_kernel **out, vta_status *out_status);
/* The index of vt_host_gather_kernel for DepthToSpace and SpaceToDepth. */
const char *vt__float_blocks(vt_ctx *ctx, const vt_gnode *is);
/* The place along an axis that a Pad shows at `at`, an expression that may be outside by less than the extent. */
const char *vt__float_border(vt_ctx *ctx, const char *at, int64_t extent, bool mirrored);

#endif
