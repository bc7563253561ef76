/* Where tensors lie: integers in tiles on the device, floats on the host. */
#include "network/priv.h"

void vt__tiles(const vt__net *n, const vt_gtype *t, int64_t out[4]) {
    vt_qtensor_image(t, out);
    out[0] = (out[0] + n->batch - 1) / n->batch;
    out[1] = (out[1] + n->block - 1) / n->block;
}

bool vt__is_wide(const vt_qtensor *t) { return t->scale > 0 && t->type.element == VT_ELEMENT_I16; }

uint64_t vt__tile_bytes(const vt__net *n, const vt_qtensor *t) {
    int64_t d[4] = {1, 1, 1, 1};
    if (t->form)
        vt__matrix_tiles(n, t, d);
    else
        vt__tiles(n, &t->type, d);
    return (uint64_t)(d[0] * d[1] * d[2] * d[3] * (t->form ? vt__tile_rows(n, t) : n->batch) * n->block);
}

static uint64_t bytes_of(const vt__net *n, const vt_qtensor *t) {
    return t->scale > 0 ? vt__tile_bytes(n, t) * (vt__is_wide(t) ? 2 : 1) : vt_gtype_bytes(&t->type);
}

vt_planner_arg vt__place_of(vt__net *n, const vt_qtensor *t) {
    const vt__home *home = &n->homes[t->index];
    if (!n->declared[t->index] && home->of) {
        n->places[t->index] = vt__place_of(n, home->of);
        n->places[t->index].offset += home->offset;
        n->declared[t->index] = true;
    } else if (!n->declared[t->index]) {
        vt_place place = t->scale > 0 ? VT_PLACE_DEVICE : VT_PLACE_HOST;
        vt__must(n, vt_planner_buffer(n->planner, place, t->name, bytes_of(n, t), n->ctx->diag,
                                      &n->places[t->index].buffer));
        n->declared[t->index] = true;
    }
    return n->places[t->index];
}

void vt__give_place(vt__args *a, vt_planner_arg place) { a->item[a->count++] = place; }

void vt__give(vt__args *a, uint32_t buffer) { vt__give_place(a, (vt_planner_arg){.buffer = buffer}); }
