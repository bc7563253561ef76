/* GEMM: acc[dst][b][o] += sum over i of inp[src][b][i] * wgt[w][o][i], modulo 2^32; with reset, acc[dst] = 0. */
#include <string.h>

#include "config/config_priv.h"
#include "device/core/reference.h"

static void one(vt_machine *m, uint32_t dst, uint32_t src, uint32_t wgt) {
    const vta_config *c = m->config;
    int32_t *acc = m->acc + (size_t)dst * m->acc_lanes;
    const uint8_t *inp = m->inp + (size_t)src * c->elem_bytes[VTA_MEM_INP];
    const uint8_t *w = m->wgt + (size_t)wgt * c->elem_bytes[VTA_MEM_WGT];
    for (uint32_t b = 0; b < c->batch; b++) {
        for (uint32_t o = 0; o < c->block_out; o++) {
            uint32_t sum = (uint32_t)acc[b * c->block_out + o];
            for (uint32_t i = 0; i < c->block_in; i++)
                sum += (uint32_t)vt_unpack(inp, b * c->block_in + i, c->width[VTA_MEM_INP]) *
                       (uint32_t)vt_unpack(w, o * c->block_in + i, c->width[VTA_MEM_WGT]);
            acc[b * c->block_out + o] = (int32_t)sum;
        }
    }
}

void vt__reference_gemm(vt_machine *m, const vt_loops *l) {
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x++)
            for (uint32_t u = 0; u < l->uop_count; u++)
                one(m, l->dst0 + l->uops[u].dst + y * l->dst_factor_out + x * l->dst_factor_in,
                    l->src0 + l->uops[u].src + y * l->src_factor_out + x * l->src_factor_in,
                    l->wgt0 + l->uops[u].wgt + y * l->wgt_factor_out + x * l->wgt_factor_in);
}

void vt__reference_reset(vt_machine *m, const vt_loops *l) {
    for (uint32_t y = 0; y < l->iter_out; y++)
        for (uint32_t x = 0; x < l->iter_in; x++)
            for (uint32_t u = 0; u < l->uop_count; u++) {
                uint32_t dst = l->dst0 + l->uops[u].dst + y * l->dst_factor_out + x * l->dst_factor_in;
                memset(m->acc + (size_t)dst * m->acc_lanes, 0, m->acc_lanes * sizeof *m->acc);
            }
}
