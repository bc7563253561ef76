/* A product of matrices in tiles, or of a batch of them, with its sizes. */
#include <stdio.h>

#include "operators/match.h"

vta_status vt__match_dense(vt_match *m, const vt_match_product *p, uint32_t first) {
    const vt_affine *d = p->data.index + first, *w = p->weight.index + first;
    const vt_tensor *s = m->sums;
    const vt_var *rc, *ri;
    int64_t channels, in_lanes;
    bool pairs =
        !first || (vt__affine_is_axis(&p->data.index[0], s, 0) && vt__affine_is_axis(&p->weight.index[0], s, 0));
    if (p->weight.load->n != 4 + first || !pairs || !vt__affine_is_axis(&w[0], s, 1 + first) ||
        !vt__match_tap(m, &w[1], &rc, &channels) || !vt__affine_is_axis(&w[2], s, 3 + first) ||
        !vt__match_tap(m, &w[3], &ri, &in_lanes))
        return vt__match_product_refuse(m, p->weight.load,
                                        first ? "the weights must be read as weight[bb, co, rc, ci, ri]"
                                              : "the weights must be read as weight[co, rc, ci, ri]");
    if (p->guarded || p->data.load->n != 4 + first || !vt__affine_is_axis(&d[0], s, first) ||
        !vt__match_same_tap(&d[1], rc) || !vt__affine_is_axis(&d[2], s, 2 + first) || !vt__match_same_tap(&d[3], ri))
        return vt__match_product_refuse(m, p->data.load,
                                        first ? "the data must be read as data[bb, bo, rc, bi, ri]"
                                              : "the data must be read as data[bo, rc, bi, ri]");
    VT_TRY(vt__match_argument(m, p->data.tensor, "inp_t", VTA_MEM_INP, &m->data));
    m->operator_name = first ? "batch_matmul" : "dense";
    int length =
        first ? snprintf(m->attributes, sizeof m->attributes, "batch=%lld ", (long long)vt__match_dim(s, 0)) : 0;
    snprintf(m->attributes + length, sizeof m->attributes - (size_t)length,
             "%s=%lld in_features=%lld out_features=%lld", first ? "rows" : "batch",
             (long long)(vt__match_dim(s, first) * vta_config_batch(m->config)),
             (long long)(channels * vta_config_block_in(m->config)),
             (long long)(vt__match_dim(s, 1 + first) * vta_config_block_out(m->config)));
    return VTA_OK;
}
