/* Functions of one integer: a table of 256 results. Hardware with tables looks them up as a step of an epilogue; the
 * host as a step over whole tiles, every byte of a tensor, without code of its own. */
#include <string.h>

#include "network/priv.h"

/* Lanes and images past the last stay zeros. */
static bool keeps_zeros(const vt__net *n, const vt_qlayer *l) {
    int64_t d[4];
    if (l->output->form) return true; /* the weights that they meet are zeros */
    vt_qtensor_image(&l->output->type, d);
    return ((const int8_t *)l->table)[-INT8_MIN] == 0 || (d[0] % n->batch == 0 && d[1] % n->block == 0);
}

/* One table for all channels, from integers of 8 bits to such. */
static bool is_of_bytes(const vt_qlayer *l) {
    const vt_qtensor *x = l->inputs[0], *y = l->output;
    return l->kind == VT_Q_TABLE && l->table_rows == 1 && x->scale > 0 && y->scale > 0 && !x->parts && !y->parts &&
           !vt__is_wide(x) && !vt__is_wide(y);
}

bool vt__is_device_table(const vt__net *n, const vt_qlayer *l) {
    return vta_config_depth(n->config, VTA_MEM_TABLE) > 0 && !n->options->processor_only && is_of_bytes(l);
}

uint32_t vt__device_table(vt__net *n, const vt_qlayer *l) {
    uint32_t buffer;
    vt__must(n, vt_planner_constant(n->planner, VT_PLACE_DEVICE, l->name, l->table, VT_QTABLE_INTEGERS, n->ctx->diag,
                                    &buffer));
    return buffer;
}

bool vt__table_step(vt__net *n, const vt_qlayer *l) {
    uint8_t of_bytes[VT_QTABLE_INTEGERS]; /* an int8 as a byte: those below zero come behind the others */
    uint32_t table;
    if (l->kind != VT_Q_TABLE || l->output->scale == 0 || l->table_rows != 1 || !keeps_zeros(n, l)) return false;
    memcpy(of_bytes, (const int8_t *)l->table - INT8_MIN, VT_QTABLE_INTEGERS / 2);
    memcpy(of_bytes + VT_QTABLE_INTEGERS / 2, l->table, VT_QTABLE_INTEGERS / 2);
    vt__must(n,
             vt_planner_constant(n->planner, VT_PLACE_DATA, l->name, of_bytes, sizeof of_bytes, n->ctx->diag, &table));
    vt_planner_arg from = vt__place_of(n, l->inputs[0]), to = vt__place_of(n, l->output);
    vt__must(n, vt_planner_table(n->planner, l->name, from, (vt_planner_arg){.buffer = table}, to,
                                 vt__tile_bytes(n, l->output), n->ctx->diag));
    return true;
}
