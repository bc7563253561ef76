/* What a schedule costs: a run of the three units with one number for each step, as the rounds of the virtual threads
 * go. The numbers are those of the hardware: a micro-op takes a cycle, an instruction a few to begin, a row of a load
 * the latency of the memory that its neighbours do not hide, and a beat moves as much as the bus is wide. */
#include "operators/ops.h"

enum {
    INSTRUCTION = 7, /* cycles before and behind the micro-ops of one */
    LOAD_ROW = 20,   /* of a load, for each of its rows */
    UOP_LOAD = 22,   /* of a load of micro-ops, which then take half a cycle each */
    THREADS = 8,
    ROUNDS = 6, /* what is run; more rounds are in proportion */
    STEPS = 24, /* the same of steps of the reduction */
};

/* Taps of all outputs along one axis that read the image itself. */
static int64_t valid_taps(int64_t outs, int64_t stride, int64_t taps, int64_t dilation, int64_t before, int64_t size) {
    int64_t n = 0;
    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t low = before - tap * dilation, high = low + size - 1; /* low <= out * stride <= high */
        int64_t first = low <= 0 ? 0 : vt__ceil_div(low, stride), last = high < 0 ? -1 : high / stride;
        if (last >= outs) last = outs - 1;
        if (last >= first) n += last - first + 1;
    }
    return n;
}

/* Inputs along one axis whose product with a tap is part of an output, summed up over the taps. */
static int64_t reached(int64_t outs, int64_t stride, int64_t taps, int64_t before, int64_t size) {
    int64_t n = 0;
    for (int64_t tap = 0; tap < taps; tap++) {
        int64_t low = before - tap, high = low + outs - 1; /* low <= input * stride <= high */
        int64_t first = low <= 0 ? 0 : vt__ceil_div(low, stride), last = high < 0 ? -1 : high / stride;
        if (last >= size) last = size - 1;
        if (last >= first) n += last - first + 1;
    }
    return n;
}

vt_op_cost vt__cost_of(const vtac_op *op, const vta_timing_profile *profile) {
    const vt_op_shape *s = &op->shape;
    if (s->transposed)
        return (vt_op_cost){
            .op = op,
            .profile = profile,
            .valid_h = reached(s->out_h, s->stride_h, s->kernel_h, s->top, s->h),
            .valid_w = reached(s->out_w, s->stride_w, s->kernel_w, s->left, s->w),
        };
    return (vt_op_cost){
        .op = op,
        .profile = profile,
        .valid_h = valid_taps(s->out_h, s->stride_h, s->kernel_h, s->dilation_h, s->top, s->h),
        .valid_w = valid_taps(s->out_w, s->stride_w, s->kernel_w, s->dilation_w, s->left, s->w),
    };
}

/* Passes over the accumulators besides the products: the reset, and the epilogue (two operands take two cycles). */
double vt_op_passes(const vtac_op *op) { return 1 + (double)vt__epilogue_use(op, 1, 1).micro_ops; }

static double bus_bytes(const vt_op_cost *c) { return c->profile->bus_bits / 8.0; }

static double products(const vt_op_cost *c) {
    const vt_op_shape *s = &c->op->shape;
    return (double)c->valid_h * (double)c->valid_w * (double)(s->n * s->oc) * (double)s->ic;
}

double vt__cost_products(const vtac_op *op) {
    vt_op_cost c = vt__cost_of(op, NULL);
    return products(&c);
}

static double tiles(const vt_op_cost *c) {
    const vt_op_shape *s = &c->op->shape;
    return (double)(s->n * s->oc) * (double)(s->out_h * s->out_w);
}

uint64_t vt__cost_compute(const vt_op_cost *c) { return (uint64_t)(products(c) + tiles(c) * vt_op_passes(c->op)); }

uint64_t vt__cost_beats(const vt_op_cost *c) {
    const vt_op_shape *s = &c->op->shape;
    const vta_config *config = c->op->config;
    double weights =
        (double)(s->oc * s->ic) * (double)(s->kernel_h * s->kernel_w) * vta_config_elem_bytes(config, VTA_MEM_WGT);
    double outputs = tiles(c) * vta_config_elem_bytes(config, VTA_MEM_ACC) * c->op->residuals +
                     tiles(c) * vta_config_elem_bytes(config, VTA_MEM_OUT) * c->op->addends;
    return (uint64_t)((weights + outputs) / bus_bytes(c));
}

uint64_t vt__cost_bound(const vt_op_cost *c) {
    uint64_t compute = vt__cost_compute(c), beats = vt__cost_beats(c);
    return compute > beats ? compute : beats;
}

/* Cycles of the steps of one thread in one round. */
typedef struct steps {
    double load, gemm, reset, alu, acc_load, store;
    int64_t chunks;
} steps;

static steps steps_of(const vt_op_cost *c, const vt_op_blocks *b) {
    const vtac_op *op = c->op;
    const vt_op_shape *s = &op->shape;
    double bus = bus_bytes(c), tile = (double)(b->oc * b->y * b->x);
    double rows = (double)vt__inputs_of(s, b->y, s->stride_h, s->kernel_h, s->dilation_h);
    double columns = (double)vt__inputs_of(s, b->x, s->stride_w, s->kernel_w, s->dilation_w);
    if (rows > (double)s->h) rows = (double)s->h;
    if (columns > (double)s->w) columns = (double)s->w;
    double groups = (double)vt__blocks_groups(s, b); /* of which a tile reads the inputs */
    double wgt = (double)(b->oc * b->ic * s->kernel_h * s->kernel_w) * vta_config_elem_bytes(op->config, VTA_MEM_WGT);
    double inp = rows * columns * (double)b->ic * groups * vta_config_elem_bytes(op->config, VTA_MEM_INP);
    bool whole_rows = columns == (double)s->w;
    double inp_rows = s->kernel_h == 1 && whole_rows ? (double)b->ic * groups : rows * (double)b->ic * groups;
    double acc = (double)vta_config_elem_bytes(op->config, VTA_MEM_ACC) / bus;
    double out = (double)vta_config_elem_bytes(op->config, VTA_MEM_OUT) / bus;
    int64_t chunks = vt__ceil_div(s->ic, b->ic);
    double share = tile / tiles(c);
    uint32_t vectors = op->biases + op->factors + op->amounts;
    return (steps){
        .load = (wgt + inp) / bus + LOAD_ROW * (inp_rows + (b->ic == s->ic ? 1.0 : (double)b->oc)),
        .gemm = products(c) * share / (double)chunks + INSTRUCTION,
        .reset = tile + INSTRUCTION,
        .alu = tile * (vt_op_passes(op) - 1) + INSTRUCTION * (double)vt__epilogue_use(op, 1, 1).instructions,
        .acc_load = acc * (tile * op->residuals + (double)(b->oc * vectors)) +
                    LOAD_ROW * (double)(op->residuals * b->oc + vectors),
        .store = tile * (out + 1.4) + LOAD_ROW,
        .chunks = chunks,
    };
}

typedef struct clocks {
    double load, compute, store;
    double slot[THREADS], result[THREADS]; /* when a thread's operands, and its accumulators, are free */
} clocks;

static double later(double x, double y) { return x > y ? x : y; }

static void run_chunk(const steps *s, int64_t threads, clocks *k) {
    double ready[THREADS];
    for (int64_t t = 0; t < threads; t++) k->load = ready[t] = later(k->load, k->slot[t]) + s->load;
    for (int64_t t = 0; t < threads; t++) k->compute = k->slot[t] = later(k->compute, ready[t]) + s->gemm;
}

static void run_round(const steps *s, int64_t threads, int64_t chunks, clocks *k) {
    for (int64_t t = 0; t < threads; t++) {
        k->compute = later(k->compute, k->result[t]) + s->reset;
        k->slot[t] = later(k->slot[t], k->compute);
    }
    for (int64_t i = 0; i < chunks; i++) run_chunk(s, threads, k);
    for (int64_t t = 0; t < threads; t++) {
        k->compute += s->alu + s->acc_load;
        k->store = k->result[t] = later(k->store, k->compute) + s->store;
    }
}

/* The micro-ops that kernels of GEMM list, and how many kernels there are. */
static double uop_loads(const vt_op_cost *c, const vt_op_blocks *b) {
    const vt_op_shape *s = &c->op->shape;
    double taps = (double)(s->kernel_h * s->kernel_w);
    double listed = s->padded ? taps * (double)(b->y * b->x) : taps * (double)(b->ic * b->oc);
    double kernels = (double)b->threads;
    if (s->padded && b->y < s->out_h) kernels += 2;
    return kernels * (UOP_LOAD + listed / 2);
}

double vt__cost_estimate(const vt_op_cost *c, const vt_op_blocks *b) {
    const vt_op_shape *s = &c->op->shape;
    steps st = steps_of(c, b);
    double work = tiles(c) / (double)(b->oc * b->y * b->x); /* tails count as what they are */
    double rounds = work / (double)b->threads, run = rounds > ROUNDS ? ROUNDS : rounds < 1 ? 1 : rounds;
    int64_t chunks = st.chunks > STEPS ? STEPS : st.chunks;
    double steps_left = (double)(st.chunks - chunks) * (double)b->threads * rounds;
    clocks k = {.compute = 40};
    double first = 0;
    int64_t n = (int64_t)run;
    for (int64_t i = 0; i < n; i++) {
        run_round(&st, b->threads, chunks, &k);
        if (i == 0) first = later(k.compute, 0);
    }
    double each = n > 1 ? (k.compute - first) / (double)(n - 1) : first;
    double tail_tiles = vt__ceil_div(s->oc, b->oc) * vt__ceil_div(s->out_h, b->y) * vt__ceil_div(s->out_w, b->x) * s->n;
    return later(k.compute, k.store) + each * (rounds - (double)n) + steps_left * later(st.gemm, st.load) +
           uop_loads(c, b) + (tail_tiles - work) * INSTRUCTION * (double)st.chunks;
}
