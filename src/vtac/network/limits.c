/* The maximum and the minimum at the end of a layer, where the hardware has tables: two operations of the ALU are one,
 * a look-up, which limits to 8 bits what it is given. */
#include <math.h>

#include "network/priv.h"

enum { LOAD = 64 /* cycles of a table's load, which nothing else hides */ };

static bool is_byte(int32_t x) { return x >= INT8_MIN && x <= INT8_MAX; }

static bool ends_with_limits(const vt_qlayer *l) {
    if (l->step_count < 2 || vt__is_wide(l->output)) return false;
    const vt_qstep *low = &l->steps[l->step_count - 2], *high = low + 1;
    return low->kind == VT_QSTEP_MAX && high->kind == VT_QSTEP_MIN && is_byte(low->number) && is_byte(high->number);
}

/* Passes over the result; more than there can be where no such operator can be made. */
static double passes(const vt__net *n, const vt_op_request *r) {
    vtac_op *op = NULL;
    vta_diag *said = vta_diag_create(n->allocator);
    if (!said) vt_leave(n->ctx, VTA_NO_MEMORY);
    vta_status status = vt_op_create(r, n->config, n->allocator, said, &op);
    double count = status == VTA_OK ? vt_op_passes(op) : INFINITY;
    vtac_op_destroy(op);
    vta_diag_destroy(said);
    if (status == VTA_NO_MEMORY) vt_raise(n->ctx, status, "out of memory");
    return count;
}

static double tiles_of(const vt__net *n, const vt_qtensor *t) {
    int64_t d[4];
    vt_qtensor_image(&t->type, d);
    return (double)((d[0] + n->batch - 1) / n->batch * ((d[1] + n->block - 1) / n->block)) * (double)(d[2] * d[3]);
}

bool vt__look_up_limits(const vt__net *n, const vt_qlayer *l, vt_op_request *r) {
    if (!vta_config_depth(n->config, VTA_MEM_TABLE) || !ends_with_limits(l)) return false;
    vt_op_request looks_up = *r;
    looks_up.step_count -= 2;
    looks_up.steps[looks_up.step_count++] = (vt_op_step){VT_EPILOGUE_table, 0, {0}};
    if ((passes(n, r) - passes(n, &looks_up)) * tiles_of(n, l->output) <= LOAD) return false;
    *r = looks_up;
    return true;
}

uint32_t vt__limits_table(vt__net *n, const vt_qlayer *l) {
    const vt_qstep *low = &l->steps[l->step_count - 2], *high = low + 1;
    int8_t table[VT_QTABLE_INTEGERS];
    uint32_t buffer;
    for (int i = INT8_MIN; i <= INT8_MAX; i++) {
        int32_t x = i > low->number ? i : low->number;
        table[i - INT8_MIN] = (int8_t)(x < high->number ? x : high->number);
    }
    vt__must(n, vt_planner_constant(n->planner, VT_PLACE_DEVICE, l->name, table, sizeof table, n->ctx->diag, &buffer));
    return buffer;
}
