/* Sizes of blocks, and the best of many schedules. */
#include "operators/candidates.h"

vt_sizes vt__sizes_of(int64_t extent, uint32_t most, int64_t step) {
    vt_sizes s = {.n = 0};
    for (int64_t blocks = 1; blocks < extent && s.n < most - 1;) {
        int64_t size = vt__ceil_div(extent, blocks), next = vt__ceil_div(extent, size - 1);
        int64_t far = blocks * step / (step - 1);
        s.of[s.n++] = size;
        blocks = s.n > most / 2 && next < far ? far : next;
    }
    s.of[s.n++] = 1;
    return s;
}

void vt__candidates_keep(vt_candidates *c, const vt_op_blocks *b) {
    uint32_t at = c->n < c->room ? c->n : c->room - 1;
    if (at < c->n && b->estimate >= c->best[at].estimate) return;
    if (at == c->n) c->n++;
    for (; at > 0 && c->best[at - 1].estimate > b->estimate; at--) c->best[at] = c->best[at - 1];
    c->best[at] = *b;
}
