/* Where tensors lie: integers in tiles on the device, floats on the host. */
#include "network/priv.h"

void vt__tiles(const vt__net *n, const vt_gtype *t, int64_t out[4]) {
    vt_qtensor_image(t, out);
    out[0] = (out[0] + n->batch - 1) / n->batch;
    out[1] = (out[1] + n->block - 1) / n->block;
}

static uint64_t bytes_of(const vt__net *n, const vt_qtensor *t) {
    int64_t d[4];
    if (t->scale == 0) return vt_gtype_bytes(&t->type);
    vt__tiles(n, &t->type, d);
    return (uint64_t)(d[0] * d[1] * d[2] * d[3] * n->batch * n->block);
}

uint32_t vt__buffer_of(vt__net *n, const vt_qtensor *t) {
    if (!n->declared[t->index]) {
        vt_place place = t->scale > 0 ? VT_PLACE_DEVICE : VT_PLACE_HOST;
        vt__must(n, vt_planner_buffer(n->planner, place, t->name, bytes_of(n, t), n->ctx->diag, &n->buffers[t->index]));
        n->declared[t->index] = true;
    }
    return n->buffers[t->index];
}

void vt__give(vt__args *a, uint32_t buffer) { a->item[a->count++] = (vt_planner_arg){.buffer = buffer}; }
