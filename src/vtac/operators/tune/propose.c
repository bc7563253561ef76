/* Schedules near others: each knob has its own small changes. What comes out may fit or not: vt_op_admit says so. */
#include <string.h>

#include "operators/tune/tune.h"

uint64_t vt__tune_random(vt_tune_random *r, uint64_t below) {
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return below ? (z ^ (z >> 31)) % below : 0;
}

static int64_t extent_of(const vtac_op *op, const vt_op_knob *k) {
    int64_t extent;
    memcpy(&extent, (const char *)&op->shape + k->axis, sizeof extent);
    return extent;
}

static int64_t limited(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

static int64_t change_size(vt_tune_random *r, int64_t size, int64_t extent, int64_t least) {
    int64_t tiles = size > 0 ? vt__ceil_div(extent, size) : 1;
    switch (vt__tune_random(r, 6)) {
    case 0: size++; break;
    case 1: size--; break;
    case 2: size *= 2; break;
    case 3: size /= 2; break;
    case 4: size = vt__ceil_div(extent, vt__tune_random(r, 2) ? tiles + 1 : limited(tiles - 1, 1, tiles)); break;
    default: size = 1 + (int64_t)vt__tune_random(r, (uint64_t)extent); break;
    }
    return limited(size, least, extent);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

static uint32_t any(vt_tune_random *r, uint32_t n) { return (uint32_t)vt__tune_random(r, n); }

/* Some of one part goes to another. */
static void move(vt_tune_random *r, vt_op_parts *p) {
    uint32_t from = any(r, p->n), to = any(r, p->n);
    uint16_t most = (uint16_t)(p->of[from] - 1), some = (uint16_t)(1 + vt__tune_random(r, 3));
    if (some > most) some = most;
    p->of[from] = (uint16_t)(p->of[from] - some);
    p->of[to] = (uint16_t)(p->of[to] + some);
}

static void split(vt_tune_random *r, vt_op_parts *p) {
    uint32_t at = any(r, p->n);
    if (p->of[at] < 2 || p->n == VT_OP_PARTS) return;
    uint16_t first = (uint16_t)(1 + vt__tune_random(r, p->of[at] - 1u));
    memmove(&p->of[at + 1], &p->of[at], (p->n - at) * sizeof *p->of);
    p->of[at] = first;
    p->of[at + 1] = (uint16_t)(p->of[at + 1] - first);
    p->n++;
}

static void merge(vt_tune_random *r, vt_op_parts *p) {
    if (p->n < 2) return;
    uint32_t at = any(r, p->n - 1);
    if (p->of[at] + p->of[at + 1] > UINT16_MAX) return;
    p->of[at] = (uint16_t)(p->of[at] + p->of[at + 1]);
    memmove(&p->of[at + 1], &p->of[at + 2], (p->n - at - 2) * sizeof *p->of);
    p->n--;
}

static void swap(vt_tune_random *r, vt_op_parts *p) {
    uint32_t x = any(r, p->n), y = any(r, p->n);
    uint16_t part = p->of[x];
    p->of[x] = p->of[y];
    p->of[y] = part;
}

/* All of one size, and what is left over. */
static void renew(vt_tune_random *r, vt_op_parts *p, int64_t extent) {
    int64_t size = change_size(r, p->of[0], extent, 1);
    if (vt__ceil_div(extent, size) > VT_OP_PARTS || size > UINT16_MAX) return;
    p->n = 0;
    for (; extent > 0; extent -= size) p->of[p->n++] = (uint16_t)(extent < size ? extent : size);
}

static void change_parts(vt_tune_random *r, vt_op_parts *p, int64_t extent) {
    switch (vt__tune_random(r, 7)) {
    case 0:
    case 1: move(r, p); break;
    case 2: split(r, p); break;
    case 3: merge(r, p); break;
    case 4: swap(r, p); break;
    case 5: split(r, p), merge(r, p); break;
    default: renew(r, p, extent); break;
    }
    memset(&p->of[p->n], 0, (VT_OP_PARTS - p->n) * sizeof *p->of);
}

/* ---- Knobs ------------------------------------------------------------------------------------------------------- */

static void turn(const vtac_op *op, vt_tune_random *r, const vt_op_knob *k, vt_op_blocks *b) {
    static const int64_t threads[] = {1, 2, 2, 4, 8, 3};
    void *at = (char *)b + k->at;
    switch (k->form) {
    case VT_KNOB_SIZE: {
        int64_t *size = at, least = k->axis == offsetof(vt_op_shape, kernel_h) ? 0 : 1;
        *size = change_size(r, *size, extent_of(op, k), least);
        return;
    }
    case VT_KNOB_PARTS: change_parts(r, at, extent_of(op, k)); return;
    case VT_KNOB_FLAG: *(bool *)at = !*(bool *)at; return;
    case VT_KNOB_THREADS:
        b->threads = threads[vt__tune_random(r, sizeof threads / sizeof *threads)];
        b->share_rows = b->threads > 1 && vt__tune_random(r, 2);
        return;
    }
}

void vt__tune_change(const vtac_op *op, vt_tune_random *r, vt_op_blocks *b) {
    const vt_op_knob *knobs[VT_OP_KNOBS_MAX];
    size_t n = vt_op_knobs_of(op, b->turns, knobs);
    uint64_t times = 1 + vt__tune_random(r, 3);
    for (uint64_t i = 0; i < times; i++) turn(op, r, knobs[vt__tune_random(r, n)], b);
}

static size_t bytes_of(const vt_op_knob *k) {
    switch (k->form) {
    case VT_KNOB_SIZE: return sizeof(int64_t);
    case VT_KNOB_PARTS: return sizeof(vt_op_parts);
    case VT_KNOB_FLAG: return sizeof(bool);
    case VT_KNOB_THREADS: break;
    }
    return sizeof(int64_t);
}

void vt__tune_cross(const vtac_op *op, vt_tune_random *r, const vt_op_blocks *other, vt_op_blocks *b) {
    const vt_op_knob *knobs[VT_OP_KNOBS_MAX];
    size_t n = vt_op_knobs_of(op, b->turns, knobs);
    if (other->turns != b->turns) return;
    for (size_t i = 0; i < n; i++) {
        if (vt__tune_random(r, 2)) continue;
        memcpy((char *)b + knobs[i]->at, (const char *)other + knobs[i]->at, bytes_of(knobs[i]));
        if (knobs[i]->form == VT_KNOB_THREADS) b->share_rows = other->share_rows;
    }
}
