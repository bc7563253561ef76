/* Tiles that fit the buffers, ranked by a run of load, compute and store. */
#include "operators/tiles.h"

#include <string.h>

#include "operators/candidates.h"

enum {
    INSTRUCTION = 7, /* cycles before and behind the micro-ops of one */
    ROW = 20,        /* of a transfer, for each of its rows */
    UOP_LOAD = 22,   /* of a load of micro-ops, which then take half a cycle each */
    SIZES = 48,      /* of one axis */
    RESERVED_UOPS = 8,
    MAX_THREADS = 8,
};

/* ---- Fitting --------------------------------------------------------------------------------------------------- */

static vt_op_blocks whole_of(const vt_op_shape *s) {
    return (vt_op_blocks){.oc = s->oc, .y = s->out_h, .x = s->out_w, .threads = 1};
}

/* A tail has buffers of its own beside those of the full tile, for each axis that has one. */
static int64_t copies(const vt_op_shape *s, const vt_op_blocks *b) {
    int64_t n = b->threads;
    if (s->oc % b->oc) n *= 2;
    if (s->out_h % b->y) n *= 2;
    if (s->out_w % b->x) n *= 2;
    return n;
}

static bool holds(const vtac_op *op, vta_memory memory, int64_t elements, int64_t times) {
    int64_t all;
    return !__builtin_mul_overflow(elements, times, &all) && all <= (int64_t)vta_config_depth(op->config, memory);
}

static bool fits(const vtac_op *op, const vt_op_blocks *b) {
    vt_tile_use u = op->is->space->use(op, b);
    int64_t times = copies(&op->shape, b);
    return holds(op, VTA_MEM_INP, u.inp, times) && holds(op, VTA_MEM_ACC, u.acc, times) &&
           holds(op, VTA_MEM_WGT, u.wgt, b->threads) && holds(op, VTA_MEM_UOP, u.uops + RESERVED_UOPS, 1);
}

static bool is_multiple(int64_t size, int64_t unit, int64_t extent) {
    return unit <= 1 || size == extent || size % unit == 0;
}

/* Threads share whole tiles only. */
static bool divides(const vt_op_shape *s, const vt_op_blocks *b) {
    if (!is_multiple(b->y, s->unit_h, s->out_h) || !is_multiple(b->x, s->unit_w, s->out_w)) return false;
    if (b->threads == 1) return true;
    if (s->oc % b->oc || s->out_h % b->y || s->out_w % b->x) return false;
    return (b->share_rows ? s->out_h / b->y : s->oc / b->oc) % b->threads == 0;
}

/* ---- Cost ------------------------------------------------------------------------------------------------------ */

/* Cycles of the three units. */
typedef struct work {
    double load, compute, store;
} work;

static double beats(const vtac_op *op, const vta_timing_profile *profile, vta_memory memory, double elements) {
    return elements * vta_config_elem_bytes(op->config, memory) * 8 / profile->bus_bits;
}

static double store_beats(const vtac_op *op, const vta_timing_profile *profile, double elements) {
    bool narrow = vta_config_elem_bytes(op->config, VTA_MEM_OUT) * 8 > profile->bus_bits;
    return beats(op, profile, VTA_MEM_OUT, elements) + (narrow ? elements : 0);
}

static work work_of(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b) {
    vt_tile_use u = op->is->space->use(op, b);
    return (work){
        .load = beats(op, profile, VTA_MEM_INP, u.inp_loads) + ROW * u.inp_rows,
        .compute =
            u.compute + INSTRUCTION * u.instructions + beats(op, profile, VTA_MEM_ACC, u.acc_loads) + ROW * u.acc_rows,
        .store = 1.2 * store_beats(op, profile, u.stores) + ROW,
    };
}

static double larger(double x, double y) { return x > y ? x : y; }

/* Threads take turns: at the end of a round all wait for the last store, and a thread's load can run while the others
 * compute. */
static double estimate(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    work w = work_of(op, profile, b);
    vt_tile_use u = op->is->space->use(op, b);
    double outputs = (double)(s->n * s->oc * s->out_h * s->out_w), tile = (double)(b->oc * b->y * b->x);
    double full = outputs / tile, threads = (double)b->threads;
    double tiles = (double)(s->n * vt__ceil_div(s->oc, b->oc) * vt__ceil_div(s->out_h, b->y)) *
                   (double)vt__ceil_div(s->out_w, b->x);
    double hidden = (threads - 1) * w.compute, load = w.load > hidden ? w.load - hidden : 0;
    double round = larger(threads * w.compute + w.store + load, threads * larger(w.load, w.store));
    return w.load + round * full / threads + (tiles - full) * INSTRUCTION * u.instructions +
           threads * u.instructions * UOP_LOAD + (double)u.uops / 2;
}

uint64_t vt__tiles_bound(const vtac_op *op, const vta_timing_profile *profile) {
    vt_op_blocks b = whole_of(&op->shape);
    vt_tile_use u = op->is->space->use(op, &b);
    double images = (double)op->shape.n;
    double load = beats(op, profile, VTA_MEM_INP, u.inp_loads) + beats(op, profile, VTA_MEM_ACC, u.acc_loads);
    return (uint64_t)(images * larger(load, larger(u.compute, store_beats(op, profile, u.stores))));
}

/* ---- Choosing -------------------------------------------------------------------------------------------------- */

static vt_sizes sizes_of(int64_t extent) { return vt__sizes_of(extent, SIZES, 3); }

typedef struct chooser {
    const vtac_op *op;
    const vta_timing_profile *profile;
    vt_candidates found;
} chooser;

const char *vt__tiles_admit(const vtac_op *op, const vta_timing_profile *profile, vt_op_blocks *b) {
    const vt_op_shape *s = &op->shape;
    if (b->turns) return "tiles of this operator cannot take turns";
    if (!vt__is_size(b->oc, s->oc) || !vt__is_size(b->y, s->out_h) || !vt__is_size(b->x, s->out_w))
        return "a tile is larger than the result, or empty";
    if (b->ic && (!op->is->space->in_parts || b->ic < 0 || s->kernel_h % b->ic)) return "windows are not in such parts";
    if (!vt__is_size(b->threads, MAX_THREADS)) return "more virtual threads than there may be";
    if (!divides(s, b)) return "its tiles do not divide evenly";
    if (!fits(op, b)) return "it does not fit the buffers";
    b->estimate = estimate(op, profile, b);
    return NULL;
}

static void look(chooser *c, vt_op_blocks b) {
    if (vt__tiles_admit(c->op, c->profile, &b)) return;
    c->found.considered++;
    vt__candidates_keep(&c->found, &b);
}

static void look_at_threads(chooser *c, vt_op_blocks b) {
    for (b.threads = 1; b.threads <= MAX_THREADS; b.threads++)
        for (int rows = 0; rows <= (b.threads > 1); rows++) {
            b.share_rows = rows;
            look(c, b);
        }
}

/* `part`: rows of a window that are loaded at one time; 0: all. */
static void look_at_tiles(chooser *c, const vt_sizes *oc, const vt_sizes *y, const vt_sizes *x, int64_t part) {
    /* Whole rows are one load; narrower tiles only where they do not fit. */
    for (uint32_t j = 0; j < x->n && !c->found.considered; j++)
        for (uint32_t k = 0; k < oc->n; k++)
            for (uint32_t i = 0; i < y->n; i++)
                look_at_threads(c, (vt_op_blocks){.oc = oc->of[k], .y = y->of[i], .x = x->of[j], .ic = part});
}

uint32_t vt__tiles_candidates(const vtac_op *op, const vta_timing_profile *profile, uint32_t most, vt_op_blocks *out,
                              uint64_t *out_considered) {
    const vt_op_shape *s = &op->shape;
    chooser c = {.op = op, .profile = profile, .found = {.room = most, .best = out}};
    vt_sizes oc = sizes_of(s->oc), y = sizes_of(s->out_h), x = sizes_of(s->out_w), part = sizes_of(s->kernel_h);
    memset(out, 0, most * sizeof *out);
    look_at_tiles(&c, &oc, &y, &x, 0);
    for (uint32_t i = 1; op->is->space->in_parts && i < part.n && !c.found.considered; i++)
        if (s->kernel_h % part.of[i] == 0) look_at_tiles(&c, &oc, &y, &x, part.of[i]);
    *out_considered = c.found.considered;
    return c.found.n;
}

vta_status vt__tiles_nothing_fits(const vtac_op *op, vta_diag *diag) {
    const vt_op_shape *s = &op->shape;
    vt_op_blocks one = {.oc = 1,
                        .y = s->unit_h > 1 ? s->unit_h : 1,
                        .x = s->unit_w > 1 ? s->unit_w : 1,
                        .threads = 1,
                        .ic = op->is->space->in_parts};
    vt_tile_use u = op->is->space->use(op, &one);
    return vt_fail(diag, VTA_UNSUPPORTED,
                   "%s: cannot run on the accelerator, because not even one output fits the chip: it takes %lld inp "
                   "elements of %u, %lld wgt of %u, %lld acc of %u and %lld micro-ops of %u; compute it on the "
                   "host, or configure larger buffers",
                   op->is->name, (long long)u.inp, (unsigned)vta_config_depth(op->config, VTA_MEM_INP),
                   (long long)u.wgt, (unsigned)vta_config_depth(op->config, VTA_MEM_WGT), (long long)u.acc,
                   (unsigned)vta_config_depth(op->config, VTA_MEM_ACC), (long long)u.uops + RESERVED_UOPS,
                   (unsigned)vta_config_depth(op->config, VTA_MEM_UOP));
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

void vt__tiles_add_epilogue(const vtac_op *op, const vt_op_blocks *b, vt_tile_use *use) {
    const vt_op_shape *s = &op->shape;
    int64_t blocks = b->oc * s->out_blocks, outputs = blocks * b->y * b->x;
    vt_epilogue_use steps = vt__epilogue_use(op, blocks, outputs);
    int64_t vectors = op->biases + op->factors + op->amounts;
    use->acc += steps.acc;
    use->acc_loads += (double)(outputs * op->residuals + blocks * vectors);
    use->acc_rows += (double)(op->residuals * blocks + vectors);
    use->compute += (double)(outputs * steps.micro_ops);
    use->instructions += (double)steps.instructions;
    use->stores = (double)outputs;
}

const char *vt__tiles_at(const vtac_op *op, const vt_op_blocks *b) {
    if (b->x < op->shape.out_w) return "x_out";
    return b->threads > 1 && b->share_rows ? "y_round" : "y_out";
}

void vt__tiles_write(const vtac_op *op, const vt_op_blocks *b, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    bool columns = b->x < s->out_w, rows = b->threads > 1 && b->share_rows, channels = b->threads > 1 && !rows;
    vt_strbuf_addf(out, "\nstage res\n  split co by %lld -> co_out, co_in\n  split i by %lld -> y_out, y_in\n",
                   (long long)b->oc, (long long)b->y);
    if (columns) vt_strbuf_addf(out, "  split j by %lld -> x_out, x_in\n", (long long)b->x);
    vt_strbuf_addf(out, "  reorder bo, co_out, y_out, %sco_in, %sy_in, %s, bi, ci\n", columns ? "x_out, " : "",
                   s->out_blocks > 1 ? "ks, " : "", columns ? "x_in" : "j");
    if (b->threads > 1) {
        vt_strbuf_addf(out, "  split %s by %lld -> %s, thread\n", rows ? "y_out" : "co_out", (long long)b->threads,
                       rows ? "y_round" : "co_round");
        vt_strbuf_addf(out, "  reorder thread, bo, %s, %s\n  bind thread cthread\n", channels ? "co_round" : "co_out",
                       rows ? "y_round" : "y_out");
    }
    vt_strbuf_add(out, "  pragma co_in dma_copy\n");
}

vta_status vt__tiles_prepend(vtac_op *op, const vt_op_step *steps, uint32_t count, vta_diag *diag) {
    vt_epilogue after[VT_EPILOGUE_MAX];
    uint32_t n = op->n_epilogue, biases = op->biases;
    memcpy(after, op->epilogue, n * sizeof *after);
    op->n_epilogue = op->biases = 0;
    for (uint32_t i = 0; i < count; i++) VT_TRY(vt__epilogue_add(op, &steps[i], diag));
    if (op->n_epilogue + n > VT_EPILOGUE_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "epilogue: more than %d steps", VT_EPILOGUE_MAX);
    for (uint32_t i = 0; i < n; i++)
        if (after[i].kind == VT_EPILOGUE_bias) after[i].number += (int32_t)op->biases;
    memcpy(op->epilogue + op->n_epilogue, after, n * sizeof *after);
    op->n_epilogue += n;
    op->biases += biases;
    return VTA_OK;
}

/* ---- The schedule in words ------------------------------------------------------------------------------------- */

static void tell(vt_strbuf *out, int64_t block, int64_t extent, const char *one, const char *many) {
    if (extent == 1)
        vt_strbuf_addf(out, "the one %s", one);
    else if (block >= extent)
        vt_strbuf_addf(out, "all %lld %s", (long long)extent, many);
    else
        vt_strbuf_addf(out, "%lld of %lld %s", (long long)block, (long long)extent, many);
}

static void tell_limit(const vtac_op *op, const vta_timing_profile *profile, vt_strbuf *out) {
    vt_op_blocks b = whole_of(&op->shape);
    vt_tile_use u = op->is->space->use(op, &b);
    double images = (double)op->shape.n, compute = images * u.compute,
           store = images * store_beats(op, profile, u.stores);
    double load =
        images * (beats(op, profile, VTA_MEM_INP, u.inp_loads) + beats(op, profile, VTA_MEM_ACC, u.acc_loads));
    vt_strbuf_addf(out,
                   "%s: %.0f cycles of GEMM and ALU, %.0f of reading the inputs once, %.0f of storing the result. ",
                   compute >= load && compute >= store ? "Compute limits it"
                   : load >= store                     ? "Loading limits it"
                                                       : "Storing limits it",
                   compute, load, store);
}

char *vt__tiles_report(const vtac_op *op, const vta_timing_profile *profile, const vt_op_blocks *b,
                       const vtac_op_result *r) {
    const vt_op_shape *s = &op->shape;
    vt_strbuf out;
    vt_strbuf_init(&out, op->allocator);
    vt_strbuf_add(&out, "On the accelerator. A tile of the result is ");
    tell(&out, b->oc, s->oc, "block of channels", "blocks of channels");
    vt_strbuf_add(&out, ", ");
    tell(&out, b->y, s->out_h, "row", "rows");
    vt_strbuf_add(&out, " and ");
    tell(&out, b->x, s->out_w, "column", "columns");
    if (b->threads > 1)
        vt_strbuf_addf(&out, "; %lld virtual threads take %s in turn. ", (long long)b->threads,
                       b->share_rows ? "bands of rows" : "groups of channels");
    else
        vt_strbuf_add(&out, "; there is one thread. ");
    tell_limit(op, profile, &out);
    vt_strbuf_addf(&out, "%llu cycles reached. ", (unsigned long long)r->cycles);
    vt__report_origin(r, &out);
    return vt_strbuf_take(&out);
}
