/* Schedules of tiles that take turns: the steps of the tile loops and of the sum are written out, accumulators and
 * operands have two places each, and tiles may be of different sizes, so that little is loaded before the first product
 * and little is left to store behind the last. Candidates are sizes of tiles and steps first, then lists of sizes for
 * the best of them; turns_time.c says what each takes. */
#include <string.h>

#include "operators/candidates.h"
#include "operators/turns.h"

enum {
    MAX_STEPS = 256, /* that are written out: each is compiled */
    MAX_PAD = 15,
    BASES = 6, /* sizes whose lists are looked at */
};

/* ---- What they are for ------------------------------------------------------------------------------------------- */

/* A row of outputs that reads padding alone takes zeros, which the host makes. */
static bool reads_image(const vt_turns *g) {
    for (int64_t y = 0; y < g->op->shape.out_h; y++)
        if (!g->valid[y]) return false;
    return true;
}

/* Several images and paddings beyond what a transfer takes stay with threads. */
static bool is_plain(const vt_op_shape *s) {
    return s->n == 1 && !s->transposed && s->out_h <= VT_TURNS_ROWS && s->top <= MAX_PAD && s->bottom <= MAX_PAD &&
           s->left <= MAX_PAD && s->right <= MAX_PAD && s->out_w >= 3;
}

static bool set(const vt_op_cost *cost, vt_turns *g) {
    if (!is_plain(&cost->op->shape)) return false;
    vt__turns_set(cost, g);
    return reads_image(g);
}

/* ---- What fits --------------------------------------------------------------------------------------------------- */

static int64_t largest(const vt_op_parts *p) {
    int64_t most = 0;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->of[i] > most) most = p->of[i];
    return most;
}

static bool holds(const vtac_op *op, vta_memory memory, int64_t elements) {
    return elements <= (int64_t)vta_config_depth(op->config, memory);
}

/* With groups of channels a tile has one block of them, and reads the inputs of its group alone. */
static bool in_one_group(const vt_op_shape *s, const vt_op_blocks *b) {
    return s->in_total == s->ic || (largest(&b->oc_parts) == 1 && !b->keep_data);
}

/* Vectors and constants of the epilogue are there all the time; what it takes for each accumulator is in as many
 * places. */
static bool fits(const vt_turns *g, const vt_op_blocks *b) {
    const vtac_op *op = g->op;
    const vt_op_shape *s = &op->shape;
    int64_t oc = largest(&b->oc_parts), y = largest(&b->y_parts), ic = largest(&b->ic_parts);
    int64_t tile = oc * y * s->out_w, rows = b->keep_data ? s->out_h : y;
    int64_t inp = (b->keep_data ? s->ic : vt__turns_places(b) * ic) * vt__turns_rows(g, rows) * g->columns;
    int64_t wgt = (b->keep_weight ? s->oc * s->ic : vt__turns_places(b) * oc * ic) * g->taps;
    return in_one_group(s, b) && holds(op, VTA_MEM_ACC, VT_TURNS_PLACES * tile * (1 + g->wide) + s->oc * g->vectors) &&
           holds(op, VTA_MEM_INP, inp + tile * g->addends + g->ones) &&
           holds(op, VTA_MEM_WGT, wgt + s->oc * g->digits + g->units) &&
           holds(op, VTA_MEM_UOP, 2 * g->taps * oc * ic + 8) &&
           (int64_t)b->oc_parts.n * b->y_parts.n * b->ic_parts.n <= MAX_STEPS;
}

/* ---- Lists of sizes ---------------------------------------------------------------------------------------------- */

typedef enum form { PLAIN, SMALL_LAST, SMALLER_LAST, SMALL_FIRST, FORMS } form;

static bool add_part(vt_op_parts *p, int64_t size) {
    if (p->n == VT_OP_PARTS || size > UINT16_MAX) return false;
    if (size > 0) p->of[p->n++] = (uint16_t)size;
    return true;
}

/* The last part in several, the last of them a quarter of it. */
static bool cut_last(vt_op_parts *p, bool twice) {
    int64_t last = p->of[p->n - 1], quarter = last / 4 > 0 ? last / 4 : 1;
    if (last < 2 + twice) return false;
    p->n--;
    if (!twice) return add_part(p, last - quarter) && add_part(p, quarter);
    int64_t half = last / 2;
    return add_part(p, half) && add_part(p, last - half - quarter) && add_part(p, quarter);
}

static bool make_parts(int64_t extent, int64_t size, form f, vt_op_parts *out) {
    out->n = 0;
    if (f == SMALL_FIRST) {
        int64_t first = size / 4;
        if (first < 1 || extent <= size || !add_part(out, first)) return false;
        extent -= first;
    }
    for (; extent > 0; extent -= size)
        if (!add_part(out, extent < size ? extent : size)) return false;
    if (f == SMALL_LAST || f == SMALLER_LAST) return cut_last(out, f == SMALLER_LAST);
    return true;
}

/* Steps of the sum: all of one size, or two of one block first. */
static bool make_steps(int64_t extent, int64_t size, bool small_first, vt_op_parts *out) {
    if (!small_first) return make_parts(extent, size, PLAIN, out);
    vt_op_parts rest;
    if (size < 2 || extent <= size || !make_parts(extent - 2, size, PLAIN, &rest)) return false;
    out->n = 0;
    bool made = add_part(out, 1) && add_part(out, 1);
    for (uint32_t i = 0; made && i < rest.n; i++) made = add_part(out, rest.of[i]);
    return made;
}

/* ---- Candidates -------------------------------------------------------------------------------------------------- */

typedef struct chooser {
    vt_turns g;
    vt_candidates found;
    bool late_uops; /* where loads of micro-ops run beside a product */
} chooser;

static bool same_schedule(const vt_op_blocks *x, const vt_op_blocks *y) {
    return !memcmp(&x->oc_parts, &y->oc_parts, sizeof x->oc_parts) &&
           !memcmp(&x->y_parts, &y->y_parts, sizeof x->y_parts) &&
           !memcmp(&x->ic_parts, &y->ic_parts, sizeof x->ic_parts) && x->rows_inside == y->rows_inside &&
           x->keep_data == y->keep_data && x->keep_weight == y->keep_weight;
}

static void look(chooser *c, vt_op_blocks *b) {
    if (!fits(&c->g, b)) return;
    c->found.considered++;
    b->late_uops = c->late_uops;
    b->estimate = vt__turns_estimate(&c->g, b);
    for (uint32_t i = 0; i < c->found.n; i++)
        if (same_schedule(&c->found.best[i], b)) return;
    vt__candidates_keep(&c->found, b);
}

static void look_at_places(chooser *c, vt_op_blocks *b) {
    for (int keep = 0; keep < 4; keep++) {
        b->keep_data = keep & 1;
        b->keep_weight = keep & 2;
        b->rows_inside = true;
        look(c, b);
        b->rows_inside = false;
        if (b->oc_parts.n > 1) look(c, b);
    }
}

/* Halves of halves, and what divides by three: sizes between change little. */
static int64_t smaller(int64_t size) { return size > 8 ? size * 3 / 4 : size - 1; }

static void look_at_sizes(chooser *c) {
    const vt_op_shape *s = &c->g.op->shape;
    for (int64_t oc = s->oc; oc > 0; oc = smaller(oc))
        for (int64_t y = s->out_h; y > 0; y = smaller(y)) {
            if (!holds(c->g.op, VTA_MEM_ACC, VT_TURNS_PLACES * oc * y * s->out_w)) continue;
            for (int64_t ic = 1; ic <= s->ic; ic *= 2) {
                vt_op_blocks b = {.turns = true, .oc = oc, .y = y, .x = s->out_w, .ic = ic, .threads = 1};
                b.skip = s->padded;
                if (make_parts(s->oc, oc, PLAIN, &b.oc_parts) && make_parts(s->out_h, y, PLAIN, &b.y_parts) &&
                    make_parts(s->ic, ic, PLAIN, &b.ic_parts))
                    look_at_places(c, &b);
            }
        }
}

static void look_at_lists(chooser *c, const vt_op_blocks *base) {
    const vt_op_shape *s = &c->g.op->shape;
    vt_op_blocks b = *base;
    for (int f = 0; f < FORMS * FORMS * 2; f++) {
        memset(&b.oc_parts, 0, sizeof b.oc_parts);
        memset(&b.y_parts, 0, sizeof b.y_parts);
        memset(&b.ic_parts, 0, sizeof b.ic_parts);
        if (make_parts(s->oc, b.oc, (form)(f % FORMS), &b.oc_parts) &&
            make_parts(s->out_h, b.y, (form)(f / FORMS % FORMS), &b.y_parts) &&
            make_steps(s->ic, b.ic, f >= FORMS * FORMS, &b.ic_parts))
            look(c, &b);
    }
}

uint32_t vt__turns_choose(const vt_op_cost *cost, uint32_t room, vt_op_blocks *out, uint64_t *out_considered) {
    chooser c = {.found = {.room = room, .best = out}, .late_uops = cost->profile->overlapped};
    vt_op_blocks bases[BASES];
    *out_considered = 0;
    if (!set(cost, &c.g)) return 0;
    chooser plain = {.g = c.g, .found = {.room = BASES, .best = bases}, .late_uops = c.late_uops};
    look_at_sizes(&plain);
    for (uint32_t i = 0; i < plain.found.n; i++) look_at_lists(&c, &bases[i]);
    *out_considered = plain.found.considered + c.found.considered;
    return c.found.n;
}

/* ---- Schedules from elsewhere ------------------------------------------------------------------------------------ */

static bool covers(const vt_op_parts *p, int64_t extent) {
    int64_t sum = 0;
    if (p->n > VT_OP_PARTS) return false;
    for (uint32_t i = 0; i < p->n; i++) {
        if (!p->of[i]) return false;
        sum += p->of[i];
    }
    return sum == extent;
}

const char *vt__turns_admit(const vt_op_cost *cost, vt_op_blocks *b) {
    const vt_op_shape *s = &cost->op->shape;
    vt_turns g;
    if (!set(cost, &g)) return "tiles of this operator cannot take turns";
    if (!covers(&b->oc_parts, s->oc) || !covers(&b->y_parts, s->out_h) || !covers(&b->ic_parts, s->ic))
        return "its parts are not those of the operator's axes";
    b->x = s->out_w;
    b->threads = 1;
    b->skip = s->padded;
    if (!fits(&g, b)) return "it does not fit the buffers";
    b->oc = largest(&b->oc_parts), b->y = largest(&b->y_parts), b->ic = largest(&b->ic_parts);
    b->estimate = vt__turns_estimate(&g, b);
    return NULL;
}
