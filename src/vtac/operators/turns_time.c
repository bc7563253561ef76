/* What schedules of tiles that take turns cost: each is run on three clocks, of load, compute and store, step by step.
 */
#include "operators/turns.h"

enum {
    INSTRUCTION = 7,
    LOAD = 23,
    UOP_LOAD = 40, /* of a load of micro-ops, which then take half a cycle each */
    STORE = 20,
    BEGIN = 40,
    KERNELS = 96, /* that are told apart */
};

/* ---- What is the same for all candidates ------------------------------------------------------------------------ */

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

static void set_epilogue(const vtac_op *op, vt_turns *g) {
    vt_epilogue_use use = vt__epilogue_use(op, 1, 1), none = vt__epilogue_use(op, 0, 0);
    g->passes = vt_op_passes(op);
    g->instructions = use.instructions;
    g->vectors = op->biases + op->factors + op->amounts;
    g->wide = op->residuals;
    for (uint32_t i = 0; i < op->n_epilogue; i++) g->wide += op->epilogue[i].kind == VT_EPILOGUE_leaky;
    g->ones = none.inp;
    g->units = none.wgt;
    g->addends = use.inp - none.inp;
    g->digits = use.wgt - none.wgt;
}

void vt__turns_set(const vt_op_cost *c, vt_turns *g) {
    const vtac_op *op = c->op;
    const vt_op_shape *s = &op->shape;
    double bus = c->profile->bus_bits / 8.0;
    *g = (vt_turns){.op = op, .taps = s->kernel_h * s->kernel_w, .strided = vt__turns_strided(op), .cut = s->padded};
    g->inp = vta_config_elem_bytes(op->config, VTA_MEM_INP) / bus;
    g->wgt = vta_config_elem_bytes(op->config, VTA_MEM_WGT) / bus;
    g->acc = vta_config_elem_bytes(op->config, VTA_MEM_ACC) / bus;
    g->out = vta_config_elem_bytes(op->config, VTA_MEM_OUT) / bus + 1.4;
    set_epilogue(op, g);
    g->columns = (s->out_w - 1) * s->stride_w + (s->kernel_w - 1) * s->dilation_w + 1;
    g->real_columns = g->columns < s->w ? g->columns : s->w;
    for (int64_t x = 0; x < s->out_w; x++)
        g->valid_columns += valid_taps(x, s->stride_w, s->kernel_w, s->dilation_w, s->left, s->w);
    for (int64_t y = 0; y < s->out_h; y++)
        g->valid[y] = valid_taps(y, s->stride_h, s->kernel_h, s->dilation_h, s->top, s->h);
}

int64_t vt__turns_rows(const vt_turns *g, int64_t y) {
    const vt_op_shape *s = &g->op->shape;
    return g->strided ? y : (y - 1) * s->stride_h + (s->kernel_h - 1) * s->dilation_h + 1;
}

/* ---- Three clocks ------------------------------------------------------------------------------------------------ */

typedef struct clocks {
    double load, compute, store;
    double operands[VT_TURNS_MAX_PLACES], results[VT_TURNS_PLACES], addends; /* when they are free */
    int64_t step, tile;
    uint32_t n_kernels;
    uint64_t kernels[KERNELS]; /* that are loaded */
} clocks;

static double later(double x, double y) { return x > y ? x : y; }

/* A kernel is loaded once: all of them with one load, at the beginning. Those of other places, sizes or borders are
 * others. */
static double load_kernels(clocks *k, uint64_t key, double micro_ops) {
    for (uint32_t i = 0; i < k->n_kernels; i++)
        if (k->kernels[i] == key) return 0;
    if (k->n_kernels < KERNELS) k->kernels[k->n_kernels++] = key;
    return (k->n_kernels == 1 ? UOP_LOAD : 0) + micro_ops / 2;
}

static void run_step(const vt_turns *g, const vt_op_blocks *b, clocks *k, int64_t y, int64_t rows, int64_t oc,
                     int64_t ic, bool first_rows, bool first_channels) {
    int64_t at = k->step % vt__turns_places(b);
    double *place = &k->operands[at], load = 0, products = 0;
    if (!b->keep_data || (first_rows && first_channels))
        load +=
            (double)ic *
            (LOAD + g->inp * (double)((b->keep_data ? vt__turns_rows(g, g->op->shape.out_h) : vt__turns_rows(g, rows)) *
                                      g->real_columns));
    if (!b->keep_weight || first_rows)
        load += (double)ic * (LOAD + g->wgt * (double)((b->keep_weight ? g->op->shape.oc : oc) * g->taps));
    if (b->keep_weight && first_rows && !first_channels) load = 0;
    if (load > 0) k->load = later(k->load, *place) + load;
    for (int64_t i = y; i < y + rows; i++) products += (double)(g->valid[i] * g->valid_columns);
    bool top = g->cut && y == 0, bottom = g->cut && y + rows == g->op->shape.out_h;
    double groups = g->cut ? (g->op->shape.kernel_w > 1 ? 2 : 1) * (1 + (top || bottom)) : 1;
    uint64_t key = (uint64_t)(((oc << 12 | rows) << 12 | ic) << 8 | (top << 5 | bottom << 4 | k->tile % 2 << 2 | at));
    k->compute += load_kernels(k, key, (double)(g->taps * oc * ic));
    k->compute = later(k->compute, load > 0 ? k->load : 0) + products * (double)(oc * ic) + INSTRUCTION * groups;
    *place = k->compute;
    k->step++;
}

static void run_epilogue(const vt_turns *g, clocks *k, double tile, int64_t oc) {
    if (g->addends) {
        k->load = later(k->load, k->addends) + g->inp * tile * (double)g->addends + LOAD * (double)oc;
        k->compute = later(k->compute, k->load);
    }
    k->compute += tile * (g->passes - 1) + INSTRUCTION * (double)g->instructions;
    k->compute += (double)g->op->residuals * (g->acc * tile + LOAD * (double)oc);
    k->addends = k->compute;
}

static void run_tile(const vt_turns *g, const vt_op_blocks *b, clocks *k, int64_t y, int64_t rows, int64_t oc,
                     bool first_rows, bool first_channels) {
    double tile = (double)(rows * oc * g->op->shape.out_w), *place = &k->results[k->tile % VT_TURNS_PLACES];
    k->compute = later(k->compute, *place) + tile + INSTRUCTION;
    for (uint32_t i = 0; i < b->ic_parts.n; i++)
        run_step(g, b, k, y, rows, oc, b->ic_parts.of[i], first_rows, first_channels);
    run_epilogue(g, k, tile, oc);
    k->store = *place = later(k->store, k->compute) + tile * g->out + STORE;
    k->tile++;
}

/* The vectors come first of all. */
static clocks begin(const vt_turns *g) {
    double vectors = (double)g->vectors * (LOAD + g->acc * (double)g->op->shape.oc);
    return (clocks){.load = BEGIN, .compute = BEGIN + vectors};
}

double vt__turns_estimate(const vt_turns *g, const vt_op_blocks *b) {
    clocks k = begin(g);
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
