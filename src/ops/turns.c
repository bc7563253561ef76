/* Schedules of tiles that take turns: the steps of the tile loops and of the sum are written out, accumulators and operands
 * have two places each, and tiles may be of different sizes, so that little is loaded before the first product and
 * little is left to store behind the last. Candidates are sizes of tiles and steps first, then lists of sizes for the
 * best of them; each is run on three clocks, of load, compute and store, step by step. */
#include <string.h>

#include "ops/turns.h"

enum {
    PLACES = 2,
    MOST_STEPS = 160, /* that are written out: each is compiled */
    MOST_ROWS = 1024,
    MOST_PAD = 15,
    INSTRUCTION = 7,
    LOAD = 23,
    UOP_LOAD = 40, /* of a load of micro-ops, which then take half a cycle each */
    STORE = 20,
    BEGIN = 40,
    BASES = 6, /* sizes whose lists are looked at */
};

/* ---- What is the same for all candidates ------------------------------------------------------------------------ */

typedef struct setting {
    const vtac_op *op;
    double inp, wgt, out; /* cycles of the bus for an element */
    double passes;        /* of the ALU over each accumulator, with the reset */
    int64_t columns;      /* of a padded image row that a tile of whole rows reads, and those that are really there */
    int64_t real_columns, valid_columns, taps;
    bool strided;                  /* only the rows that are used are loaded */
    int64_t valid[MOST_ROWS];      /* taps of a row of outputs that read the image */
    bool cut;                      /* kernels are cut at the image's borders */
} setting;

static int64_t valid_taps(int64_t out, int64_t stride, int64_t taps, int64_t dilation, int64_t before, int64_t size) {
    int64_t n = 0;
    for (int64_t t = 0; t < taps; t++) {
        int64_t at = out * stride + t * dilation - before;
        n += at >= 0 && at < size;
    }
    return n;
}

bool vt__turns_strided(const vtac_op *op) {
    const vt_op_shape *s = &op->shape;
    return s->kernel_h == 1 && s->stride_h > 1 && !s->top && !s->bottom && !s->left && !s->right;
}

/* A row of outputs that reads padding alone takes zeros, which the processor makes. */
static bool reads_image(const vt_op_shape *s) {
    for (int64_t y = 0; y < s->out_h; y++)
        if (!valid_taps(y, s->stride_h, s->kernel_h, s->dilation_h, s->top, s->h)) return false;
    return true;
}

/* Groups of channels, inputs of the epilogue, several images and paddings beyond what a transfer takes stay with threads. */
static bool is_supported(const vtac_op *op) {
    const vt_op_shape *s = &op->shape;
    vt_epilogue_use use = vt__epilogue_use(op, 1, 1);
    return s->n == 1 && !s->transposed && s->in_total == s->ic && s->out_h <= MOST_ROWS && s->top <= MOST_PAD && s->bottom <= MOST_PAD && s->left <= MOST_PAD &&
           s->right <= MOST_PAD && !use.acc && !use.inp && !use.wgt && s->out_w >= 3 && reads_image(s);
}

static void set(setting *g, const vt_op_cost *c) {
    const vtac_op *op = c->op;
    const vt_op_shape *s = &op->shape;
    double bus = c->profile->bus_bits / 8.0;
    *g = (setting){.op = op, .taps = s->kernel_h * s->kernel_w, .strided = vt__turns_strided(op), .cut = s->padded};
    g->inp = vta_config_elem_bytes(op->config, VTA_MEM_INP) / bus;
    g->wgt = vta_config_elem_bytes(op->config, VTA_MEM_WGT) / bus;
    g->out = vta_config_elem_bytes(op->config, VTA_MEM_OUT) / bus + 1.4;
    g->passes = vt__cost_passes(op);
    g->columns = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w + 1;
    g->real_columns = g->columns < s->w ? g->columns : s->w;
    for (int64_t x = 0; x < s->out_w; x++)
        g->valid_columns += valid_taps(x, s->stride_w, s->kernel_w, s->dilation_w, s->left, s->w);
    for (int64_t y = 0; y < s->out_h; y++)
        g->valid[y] = valid_taps(y, s->stride_h, s->kernel_h, s->dilation_h, s->top, s->h);
}

/* Rows of the image that a tile reads. */
static int64_t rows_of(const setting *g, int64_t y) {
    const vt_op_shape *s = &g->op->shape;
    return g->strided ? y : (y - 1) * s->stride_h + (s->kernel_h - 1) * s->dilation_h + 1;
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

static bool fits(const setting *g, const vt_op_blocks *b) {
    const vtac_op *op = g->op;
    const vt_op_shape *s = &op->shape;
    int64_t oc = largest(&b->oc_parts), y = largest(&b->y_parts), ic = largest(&b->ic_parts);
    int64_t inp = b->keep_data ? s->ic * rows_of(g, s->out_h) * g->columns : PLACES * ic * rows_of(g, y) * g->columns;
    int64_t wgt = b->keep_weight ? s->oc * s->ic * g->taps : PLACES * oc * ic * g->taps;
    return holds(op, VTA_MEM_ACC, PLACES * oc * y * s->out_w) && holds(op, VTA_MEM_INP, inp) &&
           holds(op, VTA_MEM_WGT, wgt) && holds(op, VTA_MEM_UOP, 2 * g->taps * oc * ic + 8) &&
           (int64_t)b->oc_parts.n * b->y_parts.n * b->ic_parts.n <= MOST_STEPS;
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

/* ---- Three clocks ------------------------------------------------------------------------------------------------ */

typedef struct clocks {
    double load, compute, store;
    double operands[PLACES], results[PLACES];
    uint64_t kernels; /* that are loaded, by places and border */
    int64_t step, tile;
} clocks;

static double later(double x, double y) { return x > y ? x : y; }

/* Kernels of two places of accumulators and two of operands, in the middle, at the top and at the bottom. */
static double load_kernels(const setting *g, clocks *k, int border, double groups, int64_t oc, int64_t ic) {
    uint64_t bit = UINT64_C(1) << (border * 4 + k->tile % PLACES * 2 + k->step % PLACES);
    if (k->kernels & bit) return 0;
    k->kernels |= bit;
    return groups * UOP_LOAD + (double)(g->taps * oc * ic) / 2;
}

static void run_step(const setting *g, const vt_op_blocks *b, clocks *k, int64_t y, int64_t rows, int64_t oc, int64_t ic,
                     bool first_rows, bool first_channels) {
    double *place = &k->operands[k->step % PLACES], load = 0, products = 0;
    if (!b->keep_data || (first_rows && first_channels))
        load += (double)ic * (LOAD + g->inp * (double)((b->keep_data ? rows_of(g, g->op->shape.out_h)
                                                                     : rows_of(g, rows)) *
                                                       g->real_columns));
    if (!b->keep_weight || first_rows)
        load += (double)ic * (LOAD + g->wgt * (double)((b->keep_weight ? g->op->shape.oc : oc) * g->taps));
    if (b->keep_weight && first_rows && !first_channels) load = 0;
    if (load > 0) k->load = later(k->load, *place) + load;
    for (int64_t i = y; i < y + rows; i++) products += (double)(g->valid[i] * g->valid_columns);
    bool top = g->cut && y == 0, bottom = g->cut && y + rows == g->op->shape.out_h;
    double groups = g->cut ? (g->op->shape.kernel_w > 1 ? 2 : 1) * (1 + (top || bottom)) : 1;
    k->compute += load_kernels(g, k, top ? 1 : bottom ? 2 : 0, groups, oc, ic);
    k->compute = later(k->compute, load > 0 ? k->load : 0) + products * (double)(oc * ic) + INSTRUCTION * groups;
    *place = k->compute;
    k->step++;
}

static void run_tile(const setting *g, const vt_op_blocks *b, clocks *k, int64_t y, int64_t rows, int64_t oc,
                     bool first_rows, bool first_channels) {
    double tile = (double)(rows * oc * g->op->shape.out_w), *place = &k->results[k->tile % PLACES];
    k->compute = later(k->compute, *place) + tile + INSTRUCTION;
    for (uint32_t i = 0; i < b->ic_parts.n; i++)
        run_step(g, b, k, y, rows, oc, b->ic_parts.of[i], first_rows, first_channels);
    k->compute += tile * (g->passes - 1) + INSTRUCTION * (double)g->op->n_epilogue;
    k->store = *place = later(k->store, k->compute) + tile * g->out + STORE;
    k->tile++;
}

static double estimate(const setting *g, const vt_op_blocks *b) {
    clocks k = {.load = BEGIN, .compute = BEGIN};
    const vt_op_parts *outer = b->rows_inside ? &b->oc_parts : &b->y_parts;
    const vt_op_parts *inner = b->rows_inside ? &b->y_parts : &b->oc_parts;
    int64_t outer_at = 0;
    for (uint32_t i = 0; i < outer->n; outer_at += outer->of[i++]) {
        int64_t at = 0;
        for (uint32_t n = 0; n < inner->n; at += inner->of[n++]) {
            bool rows = b->rows_inside;
            run_tile(g, b, &k, rows ? at : outer_at, rows ? inner->of[n] : outer->of[i],
                     rows ? outer->of[i] : inner->of[n], (rows ? n : i) == 0, (rows ? i : n) == 0);
        }
    }
    return later(k.compute, k.store) + 3;
}

/* ---- Candidates -------------------------------------------------------------------------------------------------- */

typedef struct chooser {
    setting g;
    uint32_t room, n;
    vt_op_blocks *best;
    uint64_t considered;
} chooser;

static bool same_schedule(const vt_op_blocks *x, const vt_op_blocks *y) {
    return !memcmp(&x->oc_parts, &y->oc_parts, sizeof x->oc_parts) && !memcmp(&x->y_parts, &y->y_parts, sizeof x->y_parts) &&
           !memcmp(&x->ic_parts, &y->ic_parts, sizeof x->ic_parts) && x->rows_inside == y->rows_inside &&
           x->keep_data == y->keep_data && x->keep_weight == y->keep_weight;
}

static void insert(chooser *c, const vt_op_blocks *b) {
    for (uint32_t i = 0; i < c->n; i++)
        if (same_schedule(&c->best[i], b)) return;
    uint32_t at = c->n < c->room ? c->n : c->room - 1;
    if (at < c->n && b->estimate >= c->best[at].estimate) return;
    if (at == c->n) c->n++;
    for (; at > 0 && c->best[at - 1].estimate > b->estimate; at--) c->best[at] = c->best[at - 1];
    c->best[at] = *b;
}

static void look(chooser *c, vt_op_blocks *b) {
    if (!fits(&c->g, b)) return;
    c->considered++;
    b->estimate = estimate(&c->g, b);
    insert(c, b);
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
            if (!holds(c->g.op, VTA_MEM_ACC, PLACES * oc * y * s->out_w)) continue;
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
    chooser c = {.room = room, .best = out};
    vt_op_blocks bases[BASES];
    *out_considered = 0;
    if (!is_supported(cost->op)) return 0;
    set(&c.g, cost);
    chooser plain = {.g = c.g, .room = BASES, .best = bases};
    look_at_sizes(&plain);
    for (uint32_t i = 0; i < plain.n; i++) look_at_lists(&c, &bases[i]);
    *out_considered = plain.considered + c.considered;
    return c.n;
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
    setting g;
    if (!is_supported(cost->op)) return "tiles of this operator cannot take turns";
    if (!covers(&b->oc_parts, s->oc) || !covers(&b->y_parts, s->out_h) || !covers(&b->ic_parts, s->ic))
        return "its parts are not those of the operator's axes";
    set(&g, cost);
    b->x = s->out_w;
    b->threads = 1;
    b->skip = s->padded;
    if (!fits(&g, b)) return "it does not fit the buffers";
    b->oc = largest(&b->oc_parts), b->y = largest(&b->y_parts), b->ic = largest(&b->ic_parts);
    b->estimate = estimate(&g, b);
    return NULL;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* "[4, 4, 3]", or one size when all are equal. */
static void write_parts(const vt_op_parts *p, vt_strbuf *out) {
    bool equal = true;
    for (uint32_t i = 1; i < p->n; i++) equal &= p->of[i] == p->of[0];
    if (!equal) vt_strbuf_addc(out, '[');
    for (uint32_t i = 0; i < (equal ? 1 : p->n); i++) vt_strbuf_addf(out, "%s%u", i ? ", " : "", (unsigned)p->of[i]);
    if (!equal) vt_strbuf_addc(out, ']');
}

static void write_operand(const char *name, const char *scope, bool keep, int axis, vt_strbuf *out) {
    vt_strbuf_addf(out, "stage %s\n  scope %s\n", name, scope);
    if (keep)
        vt_strbuf_addf(out, "  compute_at res, 0\n  pragma %d slots = 1\n  pragma %d dma_copy\n", axis, axis + 1);
    else
        vt_strbuf_add(out, "  compute_at sums, rc_out\n  pragma 0 dma_copy\n");
}

void vt__turns_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const char *outer = b->rows_inside ? "oc_out" : "y_out", *inner = b->rows_inside ? "y_out" : "oc_out";
    vt_strbuf_add(out, "\nstage res\n  split 1 by ");
    write_parts(&b->oc_parts, out);
    vt_strbuf_add(out, " -> oc_out, oc_in\n  split 2 by ");
    write_parts(&b->y_parts, out);
    vt_strbuf_addf(out, " -> y_out, y_in\n  reorder 0, %s, %s, oc_in, y_in, 3, 4, 5\n  pragma %s slots = %d\n", outer,
                   inner, inner, PLACES);
    vt_strbuf_addf(out, "  pragma oc_in dma_copy\nstage sums\n  scope acc\n  compute_at res, %s\n  split rc by ", inner);
    write_parts(&b->ic_parts, out);
    vt_strbuf_addf(out,
                   " -> rc_out, rc_in\n  reorder rc_out, bo, i, j, rc_in, dy, dx, co, bi, ci, ri\n  pragma rc_out slots "
                   "= %d\n  %s\n",
                   PLACES, b->skip ? "pragma bi conv2d_transpose_gemm" : "tensorize bi gemm");
    write_operand("data_buf", "inp", b->keep_data, 1, out);
    write_operand("weight_buf", "wgt", b->keep_weight, 0, out);
    vt__epilogue_stages(op, inner, out);
}
