/* The values of a random program of the host: plain loops over its description. Shares nothing with the compiler. */
#include <stdlib.h>

#include "random/host.h"

typedef struct evaluator {
    const host_program *p;
    const host_values *v;
    const int *at; /* of all axes */
} evaluator;

static int64_t wrapped(int64_t x, host_type t) {
    int bits = host_types[t].bits;
    if (bits == 64) return x;
    uint64_t low = (uint64_t)x & (((uint64_t)1 << bits) - 1), sign = (uint64_t)1 << (bits - 1);
    return host_types[t].is_unsigned ? (int64_t)low : (int64_t)(low ^ sign) - (int64_t)sign;
}

static host_value of_type(host_value x, host_type t) {
    if (!host_types[t].is_float) return (host_value){.i = wrapped(x.i, t)};
    return (host_value){.d = t == T_F32 ? (double)(float)x.d : x.d};
}

static int64_t floor_div(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x % y < 0) != (y < 0)); }

static host_value value(const evaluator *ev, int which);

static host_value load(const evaluator *ev, const host_expr *e) {
    const host_node *of = &ev->p->nodes[e->node];
    int64_t offset = 0;
    for (int d = 0; d < of->ndim; d++) {
        const host_place *p = &e->at[d];
        int index = p->offset;
        for (int k = 0; k < 2; k++)
            if (p->axis[k] >= 0) index += p->factor[k] * ev->at[p->axis[k]];
        if (p->divisor) index /= p->divisor;
        if (p->modulus) index %= p->modulus;
        if (index < 0 || index >= of->extent[d]) abort(); /* the generator's own mistake */
        offset = offset * of->extent[d] + index;
    }
    return ev->v->of[e->node][offset];
}

static host_value cast(const evaluator *ev, const host_expr *e) {
    host_value x = value(ev, e->a[0]);
    bool from = host_types[ev->p->exprs[e->a[0]].type].is_float, to = host_types[e->type].is_float;
    if (from && !to) return (host_value){.i = wrapped((int64_t)x.d, e->type)};
    if (!from && to) return of_type((host_value){.d = (double)x.i}, e->type);
    return of_type(x, e->type);
}

static int order(host_value x, host_value y, bool is_float) {
    if (is_float) return (x.d > y.d) - (x.d < y.d);
    return (x.i > y.i) - (x.i < y.i);
}

static host_value chosen(const evaluator *ev, const host_expr *e) {
    bool is_float = host_types[ev->p->exprs[e->a[0]].type].is_float;
    int o = order(value(ev, e->a[0]), value(ev, e->a[1]), is_float);
    bool holds[] = {o < 0, o <= 0, o == 0, o != 0, o > 0, o >= 0};
    return value(ev, e->a[holds[e->compare] ? 2 : 3]);
}

static host_value of_floats(const host_expr *e, double x, double y) {
    switch ((int)e->op) {
    case H_ADD: return (host_value){.d = x + y};
    case H_SUB: return (host_value){.d = x - y};
    case H_MUL: return (host_value){.d = x * y};
    case H_MIN: return (host_value){.d = x < y ? x : y};
    case H_MAX: return (host_value){.d = x > y ? x : y};
    case H_NEG: return (host_value){.d = -x};
    default: abort();
    }
}

static int64_t of_integers(const host_expr *e, int64_t x, int64_t y) {
    switch (e->op) {
    case H_ADD: return x + y;
    case H_SUB: return x - y;
    case H_MUL: return x * y;
    case H_MIN: return x < y ? x : y;
    case H_MAX: return x > y ? x : y;
    case H_NEG: return -x;
    case H_DIV: return floor_div(x, e->constant);
    case H_MOD: return x - floor_div(x, e->constant) * e->constant;
    case H_TRUNCDIV: return x / e->constant;
    case H_SHR: return x >> e->constant;
    case H_SHL: return (int64_t)((uint64_t)x << e->constant);
    case H_AND: return x & y;
    case H_OR: return x | y;
    case H_XOR: return x ^ y;
    case H_NOT: return ~x;
    case H_CONST:
    case H_AXIS:
    case H_LOAD:
    case H_CAST:
    case H_SELECT:
    case H_IF:
    case H_GUARD: break;
    }
    abort();
}

static host_value value(const evaluator *ev, int which) {
    const host_expr *e = &ev->p->exprs[which];
    switch ((int)e->op) {
    case H_CONST:
        return host_types[e->type].is_float ? (host_value){.d = (double)e->constant} : (host_value){.i = e->constant};
    case H_AXIS: return (host_value){.i = ev->at[e->axis]};
    case H_LOAD: return load(ev, e);
    case H_CAST: return cast(ev, e);
    case H_SELECT:
    case H_IF: return chosen(ev, e);
    case H_GUARD: return value(ev, e->a[ev->at[e->axis] >= e->low && ev->at[e->axis] < e->high ? 0 : 1]);
    default: break;
    }
    bool two = e->op < H_NEG || (e->op >= H_AND && e->op < H_NOT);
    host_value x = value(ev, e->a[0]), y = two ? value(ev, e->a[1]) : x;
    if (host_types[e->type].is_float) return of_type(of_floats(e, x.d, y.d), e->type);
    return of_type((host_value){.i = of_integers(e, x.i, y.i)}, e->type);
}

static bool step(int from, int to, const int *extent, int *at) {
    for (int d = to; d-- > from;) {
        if (++at[d] < extent[d]) return true;
        at[d] = 0;
    }
    return false;
}

static host_value joined(const host_node *t, host_value x, host_value y) {
    bool is_float = host_types[t->type].is_float;
    if (t->kind == HOST_SUM) {
        host_value sum = is_float ? (host_value){.d = x.d + y.d} : (host_value){.i = x.i + y.i};
        return of_type(sum, t->type);
    }
    return (order(y, x, is_float) > 0) == (t->kind == HOST_MAX) ? y : x;
}

static void compute(const host_program *p, const host_node *t, const host_values *v, host_value *to) {
    int at[HOST_AXES] = {0};
    evaluator ev = {p, v, at};
    do {
        *to = value(&ev, t->body);
        while (t->n_reduce && step(t->ndim, t->ndim + t->n_reduce, t->extent, at))
            *to = joined(t, *to, value(&ev, t->body));
        to++;
    } while (step(0, t->ndim, t->extent, at));
}

static void fill(const host_node *t, uint64_t seed, host_value *to) {
    choices c;
    choices_from_seed(&c, seed);
    for (int64_t i = 0; i < host_elements(t); i++) {
        c.n = 0;
        int64_t x = t->min + (int64_t)pick(&c, (uint32_t)(t->max - t->min + 1));
        to[i] = host_types[t->type].is_float ? (host_value){.d = (double)x} : (host_value){.i = x};
    }
}

void host_compute(const host_program *p, uint64_t seed, host_values *out) {
    *out = (host_values){{0}};
    for (int i = 0; i < p->n; i++) {
        const host_node *t = &p->nodes[i];
        if (!t->used) continue;
        host_value *to = out->of[i] = malloc((size_t)host_elements(t) * sizeof *to);
        if (!to) abort();
        if (t->kind == HOST_INPUT)
            fill(t, seed * HOST_NODES + (uint64_t)i, to);
        else
            compute(p, t, out, to);
    }
}

void host_values_free(host_values *v) {
    for (int i = 0; i < HOST_NODES; i++) free(v->of[i]);
}
