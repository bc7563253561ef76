#include "random/compute.h"

#include <stdio.h>
#include <string.h>

enum { MAX_MACS = 2000000, MAX_GROUPS = 3, MAX_BODY = 10 };

typedef struct maker {
    choices *c;
    program *p;
    int last;  /* the tensor in the accumulator that the next operation follows */
    int store; /* the last result in DRAM; -1: none */
} maker;

static node *at(maker *m, int i) { return &m->p->nodes[i]; }

static int add(maker *m, node_kind kind, elem type, int ndim, const int *shape) {
    static const char letters[] = {'x', 'l', 'c', 'y', 'o'};
    int i = m->p->n++;
    node *t = at(m, i);
    *t = (node){.kind = kind, .type = type, .ndim = ndim};
    memcpy(t->shape, shape, (size_t)ndim * sizeof *shape);
    snprintf(t->name, sizeof t->name, "%c%d", letters[kind], i);
    if (kind != NODE_INPUT)
        for (int k = 0; k < WANT_COUNT; k++) t->want[k] = (uint8_t)pick(m->c, 16);
    return i;
}

static bool is_full(const maker *m) { return m->p->n > MAX_NODES - 6; }

static operand same_place(int of, int ndim) {
    operand o = {.node = of};
    for (int d = 0; d < ndim; d++) o.at[d] = (place){d, 1, 0};
    return o;
}

static int add_input(maker *m, elem type, int ndim, const int *shape) {
    int i = add(m, NODE_INPUT, type, ndim, shape), width = m->p->width[type];
    at(m, i)->bits = type == ELEM_ACC && often(m->c, 1, 2) ? 8 : width;
    return i;
}

/* A copy of a tensor in DRAM on the chip, as `type`. */
static int add_load(maker *m, int from, elem type) {
    node *f = at(m, from);
    int i = add(m, NODE_LOAD, type, f->ndim, f->shape);
    at(m, i)->in[0] = same_place(from, f->ndim);
    at(m, i)->n_in = 1;
    return i;
}

/* Zeros around a load, in one axis of tiles. */
static void add_padding(maker *m, int load, int d, int most) {
    node *t = at(m, load);
    t->before[d] = (int)pick(m->c, (uint32_t)most + 1);
    t->after[d] = (int)pick(m->c, (uint32_t)most + 1);
    t->shape[d] += t->before[d] + t->after[d];
}

/* The tiles of some axes are read backwards. */
static void turn(maker *m, int i) {
    node *t = at(m, i);
    for (int d = 0; d < t->ndim - 2; d++)
        if (once_in(m->c, 3)) t->in[0].at[d] = (place){d, -1, at(m, t->in[0].node)->shape[d] - 1};
}

/* Each second or third tile of axis d alone is read, or those from one on. */
static void thin_out(maker *m, int load, int d) {
    node *t = at(m, load);
    int extent = t->shape[d], factor = pick_between(m->c, 1, 3), first = (int)pick(m->c, (uint32_t)extent);
    t->in[0].at[d] = (place){d, factor, first};
    t->shape[d] = (extent - 1 - first) / factor + 1;
}

/* The result's axes d and d + 1 are the other way round in what is read. */
static void exchange(node *t, int d) {
    int extent = t->shape[d];
    t->shape[d] = t->shape[d + 1];
    t->shape[d + 1] = extent;
    t->in[0].at[d].axis = d + 1;
    t->in[0].at[d + 1].axis = d;
}

/* A load takes its tiles from other places than those of the result. */
static void read_elsewhere(maker *m, int load) {
    node *t = at(m, load);
    turn(m, load);
    for (int d = 0; d < t->ndim - 2; d++)
        if (t->in[0].at[d].factor > 0 && once_in(m->c, 3)) thin_out(m, load, d);
    if (t->ndim > 3 && once_in(m->c, 3)) exchange(t, (int)pick(m->c, (uint32_t)t->ndim - 3));
}

/* ---- What the operations begin with ------------------------------------------------------------------------------ */

static void begin_alu(maker *m) {
    static const int outer[] = {2, 2, 1, 3, 4};
    int n = outer[pick(m->c, 5)], shape[MAX_DIMS];
    for (int d = 0; d < n; d++) shape[d] = pick_between(m->c, 1, n > 2 ? 4 : 8);
    if (n <= 2 && once_in(m->c, 6)) shape[n - 1] = pick_between(m->c, 1, 60);
    shape[n] = m->p->batch;
    shape[n + 1] = m->p->block_out;
    bool bytes = once_in(m->c, 4);
    m->last = add_load(m, add_input(m, bytes ? ELEM_INT8 : ELEM_ACC, n + 2, shape), ELEM_ACC);
    if (!bytes && n >= 2 && once_in(m->c, 6)) {
        add_padding(m, m->last, n - 2, 3);
        add_padding(m, m->last, n - 1, 3);
    } else if (once_in(m->c, 6)) {
        read_elsewhere(m, m->last);
    }
}

/* A result in DRAM that can be the data of a matrix multiplication or a convolution; -1: there is none. */
static int stored_data(const maker *m, int ndim) {
    if (m->store < 0 || m->p->block_in != m->p->block_out) return -1;
    const node *t = &m->p->nodes[m->store];
    return t->ndim == ndim && t->type == ELEM_INP ? m->store : -1;
}

static int add_reduce(maker *m, int data, int weight, int ndim, const int *shape, const int *extent) {
    int i = add(m, NODE_REDUCE, ELEM_ACC, ndim, shape);
    node *t = at(m, i);
    t->n_in = 2;
    t->in[0] = same_place(data, ndim);
    t->in[1] = same_place(weight, ndim);
    memcpy(t->extent, extent, sizeof t->extent);
    t->groups = 1;
    return i;
}

static void begin_matmul(maker *m) {
    int b = m->p->batch, in = m->p->block_in, out = m->p->block_out, from = stored_data(m, 4);
    int rows = pick_between(m->c, 1, 4), n = pick_between(m->c, 1, 6), columns = pick_between(m->c, 1, 6);
    if (from < 0) from = add_input(m, ELEM_INP, 4, (int[]){rows, n, b, in});
    rows = at(m, from)->shape[0];
    n = at(m, from)->shape[1];
    int data = add_load(m, from, ELEM_INP);
    int weight = add_load(m, add_input(m, ELEM_WGT, 4, (int[]){columns, n, out, in}), ELEM_WGT);
    if (once_in(m->c, 12)) turn(m, data);
    if (once_in(m->c, 12)) turn(m, weight);
    m->last = add_reduce(m, data, weight, 4, (int[]){rows, columns, b, out}, (int[]){n, 1, 1, in});
}

/* Kernel, step, dilation and padding of one direction. */
typedef struct direction {
    int kernel, stride, dilation, before, after, in, out;
} direction;

static int reach(const direction *d) { return (d->kernel - 1) * d->dilation + 1; }

static direction choose_direction(maker *m) {
    static const int kernels[] = {1, 3, 1, 3, 2, 5, 7, 4, 6}, strides[] = {1, 1, 1, 2, 2, 3}, steps[] = {1, 1, 1, 2, 3};
    direction d = {.kernel = kernels[pick(m->c, 9)], .stride = strides[pick(m->c, 6)], .dilation = 1};
    if (d.kernel > 1) d.dilation = steps[pick(m->c, 5)];
    if (often(m->c, 1, 2)) {
        uint32_t most = (uint32_t)d.kernel + (d.kernel == 1);
        d.before = (int)pick(m->c, most + 1);
        d.after = often(m->c, 1, 2) ? d.before : (int)pick(m->c, most + 1);
    }
    d.in = pick_between(m->c, 1, 9);
    return d;
}

static void settle(direction *d, int in) {
    if (in) {
        d->in = in;
        if (d->in + d->before + d->after < reach(d)) d->kernel = d->dilation = 1;
    } else if (d->in + d->before + d->after < reach(d)) {
        d->in = reach(d) - d->before - d->after;
    }
    d->out = (d->in + d->before + d->after - reach(d)) / d->stride + 1;
}

/* Into how many groups the channels of a convolution are cut; 1 for most. */
static int choose_groups(maker *m, int channels) {
    int groups = once_in(m->c, 5) ? pick_between(m->c, 2, 4) : 1;
    while (channels && channels % groups) groups--;
    return groups;
}

static void begin_convolution(maker *m) {
    program *p = m->p;
    int from = stored_data(m, 6), batches = once_in(m->c, 4) ? 2 : 1;
    int ic = pick_between(m->c, 1, 4), oc = pick_between(m->c, 1, 4);
    int groups = choose_groups(m, from < 0 ? 0 : at(m, from)->shape[1]);
    direction y = choose_direction(m), x = choose_direction(m);
    settle(&y, from < 0 ? 0 : at(m, from)->shape[2]);
    settle(&x, from < 0 ? 0 : at(m, from)->shape[3]);
    if (from >= 0) batches = at(m, from)->shape[0];
    if (from >= 0) ic = at(m, from)->shape[1] / groups;
    int64_t work = (int64_t)batches * ic * y.out * x.out * y.kernel * x.kernel * p->batch * p->block_in * p->block_out;
    while (oc > 1 && work * oc * groups > MAX_MACS) oc--;
    oc *= groups;
    if (work * oc > MAX_MACS) p->too_large = true;
    if (from < 0) from = add_input(m, ELEM_INP, 6, (int[]){batches, ic * groups, y.in, x.in, p->batch, p->block_in});
    int data = add_load(m, from, ELEM_INP);
    node *t = at(m, data);
    t->before[2] = y.before;
    t->after[2] = y.after;
    t->before[3] = x.before;
    t->after[3] = x.after;
    for (int d = 2; d < 4; d++) t->shape[d] += t->before[d] + t->after[d];
    int shape[] = {oc, ic, y.kernel, x.kernel, p->block_out, p->block_in};
    int weight = add_load(m, add_input(m, ELEM_WGT, 6, shape), ELEM_WGT);
    if (once_in(m->c, 12)) turn(m, weight);
    m->last = add_reduce(m, data, weight, 6, (int[]){batches, oc, y.out, x.out, p->batch, p->block_out},
                         (int[]){ic, y.kernel, x.kernel, p->block_in});
    t = at(m, m->last);
    t->groups = groups;
    t->stride[0] = y.stride;
    t->stride[1] = x.stride;
    t->dilation[0] = y.dilation;
    t->dilation[1] = x.dilation;
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

static bool is_in_acc(const node *t) {
    return t->kind == NODE_REDUCE || t->kind == NODE_ALU || (t->kind == NODE_LOAD && t->type == ELEM_ACC);
}

/* A tensor in the accumulator with as many axes, the newest first; the last one when there is no other. */
static int other_tensor(maker *m) {
    int found[MAX_NODES], n = 0;
    for (int i = m->p->n; i-- > 0;)
        if (is_in_acc(at(m, i)) && at(m, i)->ndim == at(m, m->last)->ndim) found[n++] = i;
    return found[pick(m->c, (uint32_t)n)];
}

/* Each element of a tensor at the same place of the result, or, along some axes, one for all. */
static operand place_of(maker *m, int i) {
    const node *t = at(m, i), *like = at(m, m->last);
    operand o = same_place(i, t->ndim);
    for (int d = 0; d < t->ndim - 2; d++)
        if (t->shape[d] != like->shape[d] || once_in(m->c, 16))
            o.at[d] = (place){-1, 0, (int)pick(m->c, (uint32_t)t->shape[d])};
    return o;
}

/* Can the last result be loaded into the accumulator? */
static bool stored_bytes(maker *m) { return at(m, m->store)->type == ELEM_INP && m->p->width[ELEM_INP] == 8; }

/* An argument for the accumulator that has this shape already; -1: none. */
static int same_input(maker *m, int ndim, const int *shape) {
    for (int i = m->p->n; i-- > 0;) {
        const node *t = at(m, i);
        if (t->kind == NODE_INPUT && (t->type == ELEM_ACC || t->type == ELEM_INT8) && t->ndim == ndim &&
            !memcmp(t->shape, shape, (size_t)ndim * sizeof *shape))
            return i;
    }
    return -1;
}

/* A further argument: a residual, a bias for each channel, the same in bytes, a row, an element. */
static operand fresh_operand(maker *m) {
    const node like = *at(m, m->last);
    int n = like.ndim, shape[MAX_DIMS];
    memcpy(shape, like.shape, sizeof shape);
    uint32_t kind = pick(m->c, 5);
    operand o;
    if (kind == 1 || kind == 4) {
        int axis = kind == 4 ? -1 : n > 3 ? 1 : 0, k = 0;
        if (axis >= 0) shape[k++] = like.shape[axis];
        shape[k] = like.shape[n - 2];
        shape[k + 1] = like.shape[n - 1];
        o = same_place(add_load(m, add_input(m, ELEM_ACC, k + 2, shape), ELEM_ACC), n);
        if (axis >= 0) o.at[0] = (place){axis, 1, 0};
        o.at[k] = (place){n - 2, 1, 0};
        o.at[k + 1] = (place){n - 1, 1, 0};
        return o;
    }
    if (kind == 3) {
        int d = (int)pick(m->c, (uint32_t)n - 2);
        shape[d] = 1;
        o = same_place(add_load(m, add_input(m, ELEM_ACC, n, shape), ELEM_ACC), n);
        o.at[d] = (place){-1, 0, 0};
        return o;
    }
    if (kind == 2 && m->store >= 0 && stored_bytes(m) && !memcmp(at(m, m->store)->shape, shape, sizeof shape))
        return same_place(add_load(m, m->store, ELEM_ACC), n);
    int again = once_in(m->c, 4) ? same_input(m, n, shape) : -1;
    if (again < 0) again = add_input(m, kind == 2 ? ELEM_INT8 : ELEM_ACC, n, shape);
    return same_place(add_load(m, again, ELEM_ACC), n);
}

static node *add_alu(maker *m, alu_op op) {
    int i = add(m, NODE_ALU, ELEM_ACC, at(m, m->last)->ndim, at(m, m->last)->shape);
    node *t = at(m, i);
    t->op = op;
    t->n_in = 1;
    t->in[0] = same_place(m->last, t->ndim);
    return t;
}

static void follow(maker *m) { m->last = m->p->n - 1; }

static int choose_constant(maker *m, alu_op op) {
    int most = m->p->width[ELEM_ACC] - 1;
    if (op == OP_SHR || op == OP_SHL) {
        int by = (int)pick(m->c, often(m->c, 1, 8) ? (uint32_t)most + 1 : 10);
        return once_in(m->c, 6) ? -by : by;
    }
    static const int ranges[] = {8, 100, 1000, 32767};
    int range = ranges[pick(m->c, 4)], value = (int)pick(m->c, (uint32_t)range + 1);
    if (!value && op == OP_MUL) return 1; /* nothing would be left of the operand */
    return once_in(m->c, 3) ? -value : value;
}

static void with_constant(maker *m) {
    alu_op op = (alu_op)pick(m->c, OP_COUNT);
    operand x = often(m->c, 1, 4) ? place_of(m, other_tensor(m)) : same_place(m->last, MAX_DIMS);
    bool first = (op == OP_ADD || op == OP_MAX || op == OP_MIN || op == OP_MUL) && once_in(m->c, 8);
    int constant = choose_constant(m, op);
    node *t = add_alu(m, op);
    t->in[0] = x;
    t->constant = constant;
    t->constant_first = first;
    follow(m);
}

static void with_tensor(maker *m, bool fresh) {
    static const alu_op ops[] = {OP_ADD, OP_MAX, OP_MIN, OP_MUL, OP_ADD, OP_ADD};
    alu_op op = ops[pick(m->c, 6)];
    operand y = fresh ? fresh_operand(m) : place_of(m, other_tensor(m));
    operand x = once_in(m->c, 5) ? place_of(m, other_tensor(m)) : same_place(m->last, MAX_DIMS);
    bool swap = once_in(m->c, 3);
    node *t = add_alu(m, op);
    t->n_in = 2;
    t->in[0] = swap ? y : x;
    t->in[1] = swap ? x : y;
    follow(m);
}

/* x >> y with a tensor, whose values two operations before have brought into range. */
static void with_amounts(maker *m) {
    int shifted = m->last, most = m->p->width[ELEM_ACC] - 1;
    if (once_in(m->c, 2)) m->last = other_tensor(m);
    if (memcmp(at(m, m->last)->shape, at(m, shifted)->shape, sizeof at(m, 0)->shape) != 0) m->last = shifted;
    int low = -(int)pick(m->c, (uint32_t)most + 1), high = (int)pick(m->c, (uint32_t)most + 1);
    add_alu(m, OP_MIN)->constant = high;
    follow(m);
    add_alu(m, OP_MAX)->constant = low;
    follow(m);
    node *t = add_alu(m, OP_SHR);
    t->n_in = 2;
    t->in[1] = t->in[0];
    t->in[0].node = shifted;
    follow(m);
}

/* Neighbours along an axis, as in pooling: fewer results than operands. */
static void with_window(maker *m) {
    static const alu_op ops[] = {OP_MAX, OP_ADD, OP_MIN};
    const node *like = at(m, m->last);
    int d = (int)pick(m->c, (uint32_t)like->ndim - 2), step = pick_between(m->c, 1, 3),
        apart = pick_between(m->c, 1, 3);
    alu_op op = ops[pick(m->c, 3)];
    if (like->shape[d] <= apart) return;
    int extent = (like->shape[d] - apart - 1) / step + 1;
    node *t = add_alu(m, op);
    t->n_in = 2;
    t->in[1] = t->in[0];
    t->in[0].at[d] = (place){d, step, 0};
    t->in[1].at[d] = (place){d, step, apart};
    t->shape[d] = extent;
    follow(m);
}

/* A second matrix multiplication or convolution of the same data, loaded once or again: a diamond. */
static void with_reduce(maker *m) {
    int first = -1;
    for (int i = 0; i < m->p->n; i++)
        if (at(m, i)->kind == NODE_REDUCE && !memcmp(at(m, i)->shape, at(m, m->last)->shape, sizeof at(m, i)->shape))
            first = i;
    bool shared = once_in(m->c, 2);
    if (first < 0) return;
    node r = *at(m, first);
    const node data = *at(m, r.in[0].node), weight = *at(m, r.in[1].node);
    int from = r.in[0].node;
    if (!shared) {
        from = add_load(m, data.in[0].node, ELEM_INP);
        memcpy(at(m, from)->before, data.before, sizeof data.before);
        memcpy(at(m, from)->after, data.after, sizeof data.after);
        memcpy(at(m, from)->shape, data.shape, sizeof data.shape);
    }
    int by = add_load(m, add_input(m, ELEM_WGT, weight.ndim, weight.shape), ELEM_WGT);
    m->last = add_reduce(m, from, by, r.ndim, r.shape, r.extent);
    at(m, m->last)->groups = r.groups;
    memcpy(at(m, m->last)->stride, r.stride, sizeof r.stride);
    memcpy(at(m, m->last)->dilation, r.dilation, sizeof r.dilation);
}

/* The axes of tiles in another order, or a part of them. */
static void with_other_axes(maker *m) {
    alu_op op = (alu_op)pick(m->c, OP_COUNT);
    int constant = choose_constant(m, op), from = m->last;
    node *t = add_alu(m, op);
    t->constant = constant;
    for (int d = 0; d + 1 < t->ndim - 2; d++) {
        if (!once_in(m->c, 2)) continue;
        exchange(t, d);
        break;
    }
    for (int d = 0; d < t->ndim - 2; d++) {
        place *p = &t->in[0].at[d];
        int extent = at(m, from)->shape[d];
        if (extent < 2 || !once_in(m->c, 4)) continue;
        if (once_in(m->c, 3)) {
            *p = (place){p->axis, -1, extent - 1};
            continue;
        }
        p->offset = (int)pick(m->c, (uint32_t)extent);
        t->shape[p->axis] = extent - p->offset;
    }
    follow(m);
}

/* What the machine cannot do: refused when it is built, with what to write instead, or right. */
static void with_impossible(maker *m) {
    uint32_t kind = pick(m->c, 6);
    m->p->illegal = true;
    int other = other_tensor(m);
    if (memcmp(at(m, other)->shape, at(m, m->last)->shape, sizeof at(m, 0)->shape) != 0) other = m->last;
    node *t = add_alu(m, kind < 2 ? OP_SUB : kind == 2 ? OP_MAX : kind == 3 ? OP_ADD : kind == 4 ? OP_MUL : OP_MIN);
    t->constant = kind == 2 ? 40000 : kind == 3 ? -70000 : kind == 4 ? 100000 : kind == 5 ? -32769 : 7;
    if (kind == 1) t->constant_first = true; /* a constant less a tensor */
    if (kind == 0) {
        t->n_in = 2;
        t->in[1] = t->in[0];
        t->in[1].node = other;
    }
    follow(m);
}

static void add_operation(maker *m) {
    uint32_t kind = pick(m->c, 28);
    if (kind == 27 && once_in(m->c, 4)) {
        with_impossible(m);
        return;
    }
    if (kind >= 25) {
        with_other_axes(m);
        return;
    }
    if (kind < 11)
        with_constant(m);
    else if (kind < 17)
        with_tensor(m, false);
    else if (kind < 21)
        with_tensor(m, true);
    else if (kind < 22)
        with_amounts(m);
    else if (kind < 23)
        with_window(m);
    else
        with_reduce(m);
}

static void add_store(maker *m) {
    const node *from = at(m, m->last);
    bool wide = once_in(m->c, 80), inside = once_in(m->c, 3);
    m->store = add(m, NODE_STORE, wide ? ELEM_ACC : ELEM_INP, from->ndim, from->shape);
    if (wide) m->p->illegal = true;
    node *t = at(m, m->store);
    t->in[0] = same_place(m->last, t->ndim);
    t->n_in = 1;
    if (once_in(m->c, 16)) turn(m, m->store);
    t->is_output = !inside;
}

static void begin(maker *m, bool first) {
    uint32_t kind = pick(m->c, first ? 4 : 6);
    if (kind == 0)
        begin_alu(m);
    else if (kind == 1)
        begin_matmul(m);
    else if (kind < 4)
        begin_convolution(m);
    else if (kind == 4 && stored_bytes(m))
        m->last = add_load(m, m->store, ELEM_ACC);
    /* else: more operations on the last tensor, whose value is stored too */
}

/* Is a tensor in DRAM read by one copy alone? */
static bool is_read_once(const program *p, int i) {
    int n = 0;
    for (int u = i + 1; u < p->n; u++)
        for (int k = 0; p->nodes[u].used && k < p->nodes[u].n_in; k++) n += p->nodes[u].in[k].node == i;
    return n == 1;
}

/* Some copies are made by the schedule. */
static void choose_cached(choices *c, program *p) {
    for (int i = 0; i < p->n; i++) {
        node *t = &p->nodes[i];
        if (!t->used || t->kind != NODE_LOAD) continue;
        const node *from = &p->nodes[t->in[0].node];
        bool whole = operand_is_same_place(t, from, &t->in[0]) && memcmp(t->shape, from->shape, sizeof t->shape) == 0;
        if (whole && from->type == t->type && is_read_once(p, t->in[0].node)) t->cached = once_in(c, 12);
    }
}

/* The last result is an argument, and what no result needs is left out. */
static void mark_used(program *p) {
    p->nodes[p->n - 1].is_output = true;
    for (int i = p->n; i-- > 0;) {
        node *t = &p->nodes[i];
        if (t->kind == NODE_STORE && t->is_output) t->used = true;
        for (int k = 0; t->used && k < t->n_in; k++) p->nodes[t->in[k].node].used = true;
    }
}

void compute_choose(choices *c, program *p) {
    maker m = {c, p, -1, -1};
    for (int group = 0; group < MAX_GROUPS; group++) {
        choices_unit(c);
        if (group && (is_full(&m) || !once_in(c, 3))) break;
        begin(&m, group == 0);
        choices_unit(c);
        for (int i = 0; i < MAX_BODY && !is_full(&m) && often(c, 2, 3); i++, choices_unit(c)) add_operation(&m);
        choices_unit(c);
        add_store(&m);
    }
    mark_used(p);
    choose_cached(c, p);
}
