#include "random/reference.h"

#include <stdlib.h>

#include "random/choices.h"

/* The number of `bits` bits that the low bits of x are. */
static int64_t wrap(uint64_t x, int bits) {
    uint64_t sign = (uint64_t)1 << (bits - 1), low = x & (2 * sign - 1);
    return (int64_t)(low ^ sign) - (int64_t)sign;
}

/* Steps to the next index; false behind the last. */
static bool step(int n, const int *shape, int *at) {
    for (int d = n - 1; d >= 0; d--) {
        if (++at[d] < shape[d]) return true;
        at[d] = 0;
    }
    return false;
}

static int64_t offset_of(const node *t, const int *at) {
    int64_t offset = 0;
    for (int d = 0; d < t->ndim; d++) offset = offset * t->shape[d] + at[d];
    return offset;
}

static void fill(const node *t, uint64_t seed, int64_t *to) {
    choices c;
    choices_from_seed(&c, seed);
    for (int64_t i = 0; i < node_elements(t); i++) {
        c.n = 0;
        uint64_t high = pick(&c, UINT32_MAX);
        to[i] = wrap(high ^ high >> 16, t->bits);
    }
}

static int64_t element(const program *p, const values *v, const operand *o, const int *at) {
    const node *t = &p->nodes[o->node];
    int index[MAX_DIMS];
    for (int d = 0; d < t->ndim; d++)
        index[d] = o->at[d].offset + (o->at[d].axis < 0 ? 0 : o->at[d].factor * at[o->at[d].axis]);
    return v->of[o->node][offset_of(t, index)];
}

static int64_t shifted_right(int64_t x, int64_t by) {
    if (by < 0) return (int64_t)((uint64_t)x << -by);
    return x >> by;
}

static int64_t operate(alu_op op, int64_t x, int64_t y) {
    switch (op) {
    case OP_ADD: return x + y;
    case OP_SUB: return x - y;
    case OP_MAX: return x > y ? x : y;
    case OP_MIN: return x < y ? x : y;
    case OP_MUL: return (int64_t)((uint64_t)x * (uint64_t)y);
    case OP_SHR: return shifted_right(x, y);
    case OP_SHL: return shifted_right(x, -y);
    case OP_COPY:
    case OP_COUNT: break;
    }
    return x;
}

static void compute_alu(const program *p, const node *t, const values *v, int64_t *to) {
    int at[MAX_DIMS] = {0};
    int64_t i = 0;
    do {
        int64_t x = element(p, v, &t->in[0], at), y = t->n_in == 2 ? element(p, v, &t->in[1], at) : t->constant;
        to[i++] = wrap((uint64_t)(t->constant_first ? operate(t->op, y, x) : operate(t->op, x, y)), p->width[t->type]);
    } while (step(t->ndim, t->shape, at));
}

static void compute_load(const program *p, const node *t, const values *v, int64_t *to) {
    int at[MAX_DIMS] = {0}, there[MAX_DIMS];
    int64_t i = 0;
    do {
        bool inside = true;
        for (int d = 0; d < t->ndim; d++) {
            there[d] = at[d] - t->before[d];
            inside = inside && there[d] >= 0 && there[d] < t->shape[d] - t->before[d] - t->after[d];
        }
        to[i++] = inside ? element(p, v, &t->in[0], there) : 0;
    } while (step(t->ndim, t->shape, at));
}

/* One result of a convolution; a matrix multiplication is one of one pixel. */
static int64_t dot(const program *p, const node *t, const values *v, const int *at) {
    const node *data = &p->nodes[t->in[0].node], *weight = &p->nodes[t->in[1].node];
    const int64_t *x = v->of[t->in[0].node], *w = v->of[t->in[1].node];
    int inner = t->ndim - 2, r[MAX_REDUCE] = {0};
    uint64_t sum = 0;
    do {
        int group = at[1] * t->groups / t->shape[1];
        int from[MAX_DIMS] = {at[0], group * t->extent[0] + r[0]}, by[MAX_DIMS] = {at[1], r[0]};
        for (int k = 0; k < t->ndim - 4; k++) {
            from[2 + k] = at[2 + k] * t->stride[k] + r[1 + k] * t->dilation[k];
            by[2 + k] = r[1 + k];
        }
        from[inner] = at[inner];
        by[inner] = at[inner + 1];
        from[inner + 1] = by[inner + 1] = r[3];
        sum += (uint64_t)x[offset_of(data, from)] * (uint64_t)w[offset_of(weight, by)];
    } while (step(MAX_REDUCE, t->extent, r));
    return wrap(sum, p->width[ELEM_ACC]);
}

static void compute_reduce(const program *p, const node *t, const values *v, int64_t *to) {
    int at[MAX_DIMS] = {0};
    int64_t i = 0;
    do to[i++] = dot(p, t, v, at);
    while (step(t->ndim, t->shape, at));
}

static void compute_store(const program *p, const node *t, const values *v, int64_t *to) {
    int at[MAX_DIMS] = {0};
    int64_t i = 0;
    do to[i++] = wrap((uint64_t)element(p, v, &t->in[0], at), p->width[t->type]);
    while (step(t->ndim, t->shape, at));
}

void values_compute(const program *p, uint64_t seed, values *out) {
    *out = (values){{0}};
    for (int i = 0; i < p->n; i++) {
        const node *t = &p->nodes[i];
        if (!t->used) continue;
        int64_t *to = out->of[i] = malloc((size_t)node_elements(t) * sizeof *to);
        if (!to) abort();
        switch (t->kind) {
        case NODE_INPUT: fill(t, seed * MAX_NODES + (uint64_t)i, to); break;
        case NODE_LOAD: compute_load(p, t, out, to); break;
        case NODE_REDUCE: compute_reduce(p, t, out, to); break;
        case NODE_ALU: compute_alu(p, t, out, to); break;
        case NODE_STORE: compute_store(p, t, out, to); break;
        }
    }
}

void values_free(const program *p, values *v) {
    for (int i = 0; i < p->n; i++) free(v->of[i]);
}
