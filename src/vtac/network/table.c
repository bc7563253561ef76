/* Functions of one integer as steps over whole tiles: every byte of a tensor by one table, without code of their own.
 */
#include <string.h>

#include "network/priv.h"

/* Lanes and images past the last stay zeros. */
static bool keeps_zeros(const vt__net *n, const vt_qlayer *l) {
    int64_t d[4];
    vt_qtensor_image(&l->output->type, d);
    return ((const int8_t *)l->table)[-INT8_MIN] == 0 || (d[0] % n->batch == 0 && d[1] % n->block == 0);
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
