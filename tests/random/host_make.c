/* What a random program of the host computes. Values are known to lie in ranges, so that sums of int32, int64 and
 * floats never leave what their types hold: the compiler takes it that index types do not overflow, and sums of floats
 * that are small integers are exact in any order. */
#include <stdlib.h>
#include <string.h>

#include "random/host.h"

const host_type_info host_types[T_COUNT] = {
    {"int8", 8, false, false, INT8_MAX},    {"int16", 16, false, false, INT16_MAX},
    {"int32", 32, false, false, INT32_MAX}, {"int64", 64, false, false, (int64_t)1 << 50},
    {"uint8", 8, true, false, UINT8_MAX},   {"uint16", 16, true, false, UINT16_MAX},
    {"float32", 32, false, true, 1 << 24},  {"float64", 64, false, true, (int64_t)1 << 50},
};

enum { MAX_ELEMENTS = 1500, MAX_WORK = 20000, SMALL = 1000 };

typedef struct maker {
    choices *c;
    host_program *p;
    host_node *t; /* the one being made */
} maker;

static bool wraps(host_type t) { return host_types[t].bits < 32; }
static bool is_float(host_type t) { return host_types[t].is_float; }
static int64_t least(host_type t) {
    return host_types[t].is_unsigned ? 0 : wraps(t) ? -host_types[t].most - 1 : -host_types[t].most;
}

static int add(maker *m, host_expr e) {
    if (m->p->n_exprs == HOST_EXPRS) abort();
    m->p->exprs[m->p->n_exprs] = e;
    return m->p->n_exprs++;
}
static const host_expr *at(const maker *m, int e) { return &m->p->exprs[e]; }
static bool is_full(const maker *m) { return m->p->n_exprs > HOST_EXPRS - 64; }

static int constant(maker *m, host_type t, int64_t value) {
    return add(m, (host_expr){.op = H_CONST, .type = t, .constant = value, .min = value, .max = value});
}

static int choose_constant(maker *m, host_type t) {
    static const int64_t values[] = {1, 0, 2, 3, 5, 7, 16, 100, -1, -2, -7, -100};
    int64_t value = values[pick(m->c, host_types[t].is_unsigned ? 8 : 12)];
    return constant(m, t, value);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* The value held within [-most, most]. */
static int held(maker *m, int x, int64_t most) {
    host_type t = at(m, x)->type;
    if (at(m, x)->max > most)
        x = add(m, (host_expr){.op = H_MIN,
                               .type = t,
                               .a = {x, constant(m, t, most)},
                               .min = smaller(at(m, x)->min, most),
                               .max = most});
    if (at(m, x)->min < -most)
        x = add(m, (host_expr){
                       .op = H_MAX, .type = t, .a = {x, constant(m, t, -most)}, .min = -most, .max = at(m, x)->max});
    return x;
}

/* As another type. What does not fit wraps between integers; floats are made of what they hold exactly, and integers of
 * floats by way of one that is large enough. */
static int converted(maker *m, int x, host_type to) {
    host_type from = at(m, x)->type;
    if (from == to) return x;
    if (is_float(to)) x = held(m, x, host_types[to].most);
    if (is_float(from) && !is_float(to)) {
        x = held(m, x, wraps(to) ? host_types[to].most : smaller(host_types[to].most, 1 << 24));
        if (host_types[to].is_unsigned && at(m, x)->min < 0)
            x = add(m, (host_expr){
                           .op = H_MAX, .type = from, .a = {x, constant(m, from, 0)}, .min = 0, .max = at(m, x)->max});
    }
    int64_t min = at(m, x)->min, max = at(m, x)->max;
    if (!wraps(to) && !is_float(to)) x = held(m, x, host_types[to].most), min = at(m, x)->min, max = at(m, x)->max;
    bool fits = min >= least(to) && max <= host_types[to].most;
    return add(m, (host_expr){.op = H_CAST,
                              .type = to,
                              .a = {x},
                              .min = fits ? min : least(to),
                              .max = fits ? max : host_types[to].most});
}

/* With the range of what it gives, which wraps where it is too large. */
static int ranged(maker *m, host_expr e, int64_t min, int64_t max) {
    bool fits = min >= least(e.type) && max <= host_types[e.type].most;
    e.min = fits ? min : least(e.type);
    e.max = fits ? max : host_types[e.type].most;
    return add(m, e);
}

static int64_t magnitude(const host_expr *e) { return larger(e->max, -e->min); }

static int arithmetic(maker *m, host_op op, int x, int y) {
    host_type t = at(m, x)->type;
    if (!wraps(t)) {
        int64_t limit = op == H_MUL ? SMALL : host_types[t].most / 2;
        bool large = op == H_MUL
                         ? (double)magnitude(at(m, x)) * (double)magnitude(at(m, y)) > (double)host_types[t].most
                         : magnitude(at(m, x)) + magnitude(at(m, y)) > host_types[t].most;
        if (large) x = held(m, x, limit), y = held(m, y, limit);
    }
    const host_expr *a = at(m, x), *b = at(m, y);
    int64_t min = a->min, max = a->max;
    if (op == H_ADD) min += b->min, max += b->max;
    if (op == H_SUB) min -= b->max, max -= b->min;
    if (op == H_MUL) {
        int64_t all[] = {a->min * b->min, a->min * b->max, a->max * b->min, a->max * b->max};
        min = max = all[0];
        for (int i = 1; i < 4; i++) min = smaller(min, all[i]), max = larger(max, all[i]);
    }
    if (op == H_MIN) min = smaller(min, b->min), max = smaller(max, b->max);
    if (op == H_MAX) min = larger(min, b->min), max = larger(max, b->max);
    return ranged(m, (host_expr){.op = op, .type = t, .a = {x, y}}, min, max);
}

/* ---- Leaves ------------------------------------------------------------------------------------------------------ */

static int axes(const maker *m) { return m->t->ndim + m->t->n_reduce; }

static host_place fixed(int offset) { return (host_place){.axis = {-1, -1}, .offset = offset}; }

/* An index into a dimension: at its own axis where that fits, or somehow else. */
static host_place choose_place(maker *m, int d, int extent) {
    int n = axes(m), a = d < n && !once_in(m->c, 4) ? d : (int)pick(m->c, (uint32_t)n), size = m->t->extent[a];
    host_place p = {.axis = {a, -1}, .factor = {1, 0}};
    if (size > extent) {
        uint32_t how = pick(m->c, 3);
        if (how == 0) p.modulus = extent;
        if (how == 1) p.divisor = (size + extent - 1) / extent;
        return how < 2 ? p : fixed((int)pick(m->c, (uint32_t)extent));
    }
    int b = (int)pick(m->c, (uint32_t)n), rest = extent - size + 1;
    if (b != a && m->t->extent[b] <= rest && once_in(m->c, 3)) {
        p.axis[1] = b, p.factor[1] = 1;
        rest -= m->t->extent[b] - 1;
    } else if (2 * size - 1 <= extent && once_in(m->c, 6)) {
        p.factor[0] = 2;
        rest = extent - 2 * (size - 1);
    } else if (once_in(m->c, 8)) {
        p.factor[0] = -1;
        p.offset = size - 1;
    }
    p.offset += once_in(m->c, 3) ? (int)pick(m->c, (uint32_t)rest) : 0;
    return p;
}

static int load(maker *m, int which) {
    const host_node *of = &m->p->nodes[which];
    host_expr e = {.op = H_LOAD, .type = of->type, .node = which, .min = of->min, .max = of->max};
    int shift = host_is_reduce(m->t) && of->ndim > m->t->ndim - 1 && once_in(m->c, 2) ? axes(m) - of->ndim : 0;
    for (int d = 0; d < of->ndim; d++) e.at[d] = choose_place(m, d + (shift > 0 ? shift : 0), of->extent[d]);
    return add(m, e);
}

/* One of two reads, by an axis: both may leave the tensor where the guard around them does not hold. */
static int one_of(maker *m, int x, int y) {
    int a = (int)pick(m->c, (uint32_t)m->t->ndim), extent = m->t->extent[a];
    int axis = add(m, (host_expr){.op = H_AXIS, .type = T_I32, .axis = a, .max = extent - 1});
    int bound = constant(m, T_I32, pick_between(m->c, 0, extent));
    return add(m, (host_expr){.op = once_in(m->c, 2) ? H_IF : H_SELECT,
                              .type = at(m, x)->type,
                              .a = {axis, bound, x, y},
                              .compare = (int)pick(m->c, 6),
                              .min = smaller(at(m, x)->min, at(m, y)->min),
                              .max = larger(at(m, x)->max, at(m, y)->max)});
}

/* Zero or what else around: a read that leaves its tensor where a condition does not hold. */
static int guarded(maker *m, int which) {
    const host_node *of = &m->p->nodes[which];
    int x = load(m, which), d = (int)pick(m->c, (uint32_t)of->ndim), a = d < m->t->ndim ? d : 0;
    int before = pick_between(m->c, 0, 3), after = pick_between(m->c, 0, 3);
    int low = before, high = m->t->extent[a] - after;
    if (high - low > of->extent[d]) high = low + of->extent[d];
    m->p->exprs[x].at[d] = (host_place){.axis = {a, -1}, .factor = {1, 0}, .offset = -before};
    int y = constant(m, at(m, x)->type, (int64_t)pick(m->c, 3));
    if (once_in(m->c, 3)) {
        int other = load(m, which);
        m->p->exprs[other].at[d] = m->p->exprs[x].at[d];
        x = one_of(m, x, other);
    }
    return add(m, (host_expr){.op = H_GUARD,
                              .type = at(m, x)->type,
                              .a = {x, y},
                              .axis = a,
                              .low = low,
                              .high = high,
                              .min = smaller(at(m, x)->min, at(m, y)->min),
                              .max = larger(at(m, x)->max, at(m, y)->max)});
}

static int choose_node(maker *m) {
    int made = (int)(m->t - m->p->nodes), back = (int)pick(m->c, once_in(m->c, 3) ? (uint32_t)made : 1);
    int i = made - 1 - back;
    while (m->p->nodes[i].chip == CHIP_LOAD || m->p->nodes[i].chip == CHIP_ALU) i--; /* only the chip reads those */
    return i;
}

static int leaf(maker *m, host_type t) {
    uint32_t kind = pick(m->c, 12);
    if (kind == 11) {
        int a = (int)pick(m->c, (uint32_t)axes(m));
        return converted(m, add(m, (host_expr){.op = H_AXIS, .type = T_I32, .axis = a, .max = m->t->extent[a] - 1}), t);
    }
    if (kind == 10) return choose_constant(m, t);
    if (kind == 9) return converted(m, guarded(m, choose_node(m)), t);
    return converted(m, load(m, choose_node(m)), t);
}

/* ---- Operations -------------------------------------------------------------------------------------------------- */

static int tree(maker *m, host_type t, int depth);

static host_type choose_type(maker *m) {
    static const host_type types[] = {T_I32, T_I32, T_I8, T_F32, T_I64, T_U8, T_I16, T_F64, T_U16};
    return types[pick(m->c, 9)];
}

static int choice(maker *m, host_type t, int depth) {
    host_op op = once_in(m->c, 2) ? H_IF : H_SELECT;
    host_type of = once_in(m->c, 2) ? choose_type(m) : t;
    int compare = (int)pick(m->c, 6), a = tree(m, of, depth - 2), b = tree(m, of, depth - 2);
    int x = tree(m, t, depth - 1), y = tree(m, t, depth - 1);
    return add(m, (host_expr){.op = op,
                              .type = t,
                              .a = {a, b, x, y},
                              .compare = compare,
                              .min = smaller(at(m, x)->min, at(m, y)->min),
                              .max = larger(at(m, x)->max, at(m, y)->max)});
}

static int with_number(maker *m, host_type t, int depth) {
    static const host_op ops[] = {H_SHR, H_DIV, H_MOD, H_SHL, H_TRUNCDIV};
    static const int64_t divisors[] = {2, 3, 7, 16, 100};
    host_op op = ops[pick(m->c, 5)];
    int64_t by = op == H_SHR || op == H_SHL ? (int64_t)pick_between(m->c, 1, 4) : divisors[pick(m->c, 5)];
    int x = tree(m, t, depth - 1);
    if (op == H_SHL && !wraps(t)) x = held(m, x, SMALL);
    int64_t min = smaller(at(m, x)->min, 0), max = larger(at(m, x)->max, 0);
    if (op == H_MOD) min = 0, max = by - 1;
    if (op == H_SHL) min *= 1 << by, max *= 1 << by;
    return ranged(m, (host_expr){.op = op, .type = t, .a = {x}, .constant = by}, min, max);
}

/* Bits: of numbers that a smaller power of two bounds. */
static int with_bits(maker *m, host_type t, int depth) {
    host_op op = (host_op)(H_AND + (int)pick(m->c, 3));
    int x = tree(m, t, depth - 1), y = tree(m, t, depth - 1);
    int64_t most = 1;
    if (!wraps(t)) x = held(m, x, 1 << 29), y = held(m, y, 1 << 29);
    while (most <= larger(magnitude(at(m, x)), magnitude(at(m, y)))) most *= 2;
    return ranged(m, (host_expr){.op = op, .type = t, .a = {x, y}}, host_types[t].is_unsigned ? 0 : -most, most - 1);
}

static int tree(maker *m, host_type t, int depth) {
    if (depth <= 0 || is_full(m)) return leaf(m, t);
    uint32_t kind = pick(m->c, is_float(t) ? 8 : 12);
    if (kind == 0) return leaf(m, t);
    if (kind < 5) {
        static const host_op ops[] = {H_ADD, H_SUB, H_MUL, H_MIN, H_MAX};
        host_op op = ops[pick(m->c, 5)];
        int x = tree(m, t, depth - 1);
        return arithmetic(m, op, x, tree(m, t, depth - 1));
    }
    if (kind == 5) return choice(m, t, depth);
    if (kind == 6) return converted(m, tree(m, choose_type(m), depth - 1), t);
    if (kind < 9 && is_float(t)) {
        int x = tree(m, t, depth - 1);
        return ranged(m, (host_expr){.op = H_NEG, .type = t, .a = {x}}, -at(m, x)->max, -at(m, x)->min);
    }
    if (kind < 10) return with_number(m, t, depth);
    if (kind == 10) return with_bits(m, t, depth);
    int x = tree(m, t, depth - 1);
    bool negate = once_in(m->c, 2);
    int64_t less = negate ? 0 : 1; /* ~x is -x - 1 */
    return ranged(m, (host_expr){.op = negate ? H_NEG : H_NOT, .type = t, .a = {x}}, -at(m, x)->max - less,
                  -at(m, x)->min - less);
}

/* ---- Tensors ----------------------------------------------------------------------------------------------------- */

static host_node *begin(maker *m, host_kind kind, host_type t, int ndim, const int *extent) {
    static const char letters[] = {'x', 't', 's', 's', 's'};
    m->t = &m->p->nodes[m->p->n];
    *m->t = (host_node){.kind = kind, .type = t, .ndim = ndim};
    memcpy(m->t->extent, extent, (size_t)ndim * sizeof *extent);
    snprintf(m->t->name, sizeof m->t->name, "%c%d", letters[kind], m->p->n++);
    return m->t;
}

static void end(maker *m, int body) {
    m->t->body = body;
    m->t->min = at(m, body)->min;
    m->t->max = at(m, body)->max;
}

static void choose_shape(maker *m, int *ndim, int extent[HOST_DIMS]) {
    static const int sizes[] = {8, 1, 2, 3, 4, 5, 6, 7, 9, 13, 16, 32, 60};
    *ndim = pick_between(m->c, 1, HOST_DIMS);
    for (int64_t d = 0, n = 1; d < *ndim; d++) {
        extent[d] = sizes[pick(m->c, 13)];
        if (n * extent[d] > MAX_ELEMENTS) extent[d] = 2;
        n *= extent[d];
    }
}

static void add_input(maker *m, host_type t, int ndim, const int *extent) {
    host_node *x = begin(m, HOST_INPUT, t, ndim, extent);
    bool small = !wraps(t);
    x->max = small ? 100000 : host_types[t].most;
    x->min = small ? -100000 : least(t);
}

/* Mostly like the tensor before, so that one can be computed at loops of the other. */
static void shape_of_new(maker *m, int *ndim, int extent[HOST_DIMS]) {
    const host_node *last = &m->p->nodes[m->p->n - 1];
    if (once_in(m->c, 3)) {
        choose_shape(m, ndim, extent);
        return;
    }
    *ndim = last->ndim;
    memcpy(extent, last->extent, sizeof *extent * HOST_DIMS);
}

static void add_map(maker *m) {
    int ndim, extent[HOST_DIMS] = {1, 1, 1};
    shape_of_new(m, &ndim, extent);
    host_type t = choose_type(m);
    begin(m, HOST_MAP, t, ndim, extent);
    end(m, tree(m, t, pick_between(m->c, 1, 3)));
}

static void add_reduce(maker *m) {
    static const host_kind kinds[] = {HOST_SUM, HOST_SUM, HOST_MAX, HOST_MIN};
    const host_node *last = &m->p->nodes[m->p->n - 1];
    int ndim, extent[HOST_DIMS] = {1, 1, 1}, n = pick_between(m->c, 1, 2);
    bool rows = last->ndim > 1 && once_in(m->c, 2); /* the last axis of what came before goes */
    shape_of_new(m, &ndim, extent);
    if (rows) memcpy(extent, last->extent, sizeof extent), ndim = last->ndim - 1;
    int along = rows ? last->extent[ndim] : 0;
    host_type t = choose_type(m);
    host_node *s = begin(m, kinds[pick(m->c, 4)], t, ndim, extent);
    s->n_reduce = rows ? 1 : n;
    int64_t count = 1;
    for (int k = 0; k < s->n_reduce; k++) {
        int size = along ? along : pick_between(m->c, 1, 12);
        if (host_elements(s) * count * size > MAX_WORK) size = 1;
        s->extent[ndim + k] = size;
        count *= size;
    }
    int body = tree(m, t, pick_between(m->c, 0, 2));
    if (s->kind == HOST_SUM && !wraps(t)) body = held(m, body, host_types[t].most / count);
    end(m, body);
    if (s->kind != HOST_SUM) return;
    bool fits = !wraps(t);
    s->min = fits ? smaller(s->min * count, 0) : least(t);
    s->max = fits ? larger(s->max * count, 0) : host_types[t].most;
}

/* ---- The accelerator: a copy to the chip, operations of its ALU, and a narrowed copy back -------------------------
 */

static int same_place(maker *m, int which) {
    const host_node *of = &m->p->nodes[which];
    host_expr e = {.op = H_LOAD, .type = of->type, .node = which, .min = of->min, .max = of->max};
    for (int d = 0; d < of->ndim; d++) e.at[d] = (host_place){.axis = {d, -1}, .factor = {1, 0}};
    return add(m, e);
}

static int chip(maker *m, chip_kind kind, host_type t, int from) {
    const host_node *of = &m->p->nodes[from];
    int which = m->p->n, extent[HOST_DIMS];
    memcpy(extent, of->extent, sizeof extent);
    begin(m, HOST_MAP, t, of->ndim, extent)->chip = kind;
    return which;
}

static int chip_load(maker *m, int from) {
    int i = chip(m, CHIP_LOAD, T_I32, from);
    end(m, converted(m, same_place(m, from), T_I32));
    return i;
}

static void add_chip(maker *m) {
    static const host_op ops[] = {H_ADD, H_MAX, H_MIN, H_SHR, H_MUL};
    int rows = pick_between(m->c, 1, 8), from;
    host_type t = once_in(m->c, 3) ? T_I8 : T_I32;
    if (once_in(m->c, 4)) {
        add_input(m, t, 3, (int[]){rows, 1, 16});
    } else { /* what the host computes, of blocks that the chip takes */
        begin(m, HOST_MAP, t, 3, (int[]){rows, 1, 16});
        int body = tree(m, t, pick_between(m->c, 0, 2));
        end(m, wraps(t) ? body : held(m, body, 1 << 20)); /* so that no operation of the chip overflows */
    }
    from = m->p->n - 1;
    int last = chip_load(m, from), other = once_in(m->c, 3) ? chip_load(m, from) : -1;
    for (int n = pick_between(m->c, 1, 3); n > 0; n--) {
        host_op op = ops[pick(m->c, 5)];
        bool two = other >= 0 && op != H_SHR && op != H_MUL && once_in(m->c, 2);
        int64_t number = op == H_SHR ? pick_between(m->c, 1, 8) : op == H_MUL ? 3 : (int64_t)pick(m->c, 200) - 100;
        int next = chip(m, CHIP_ALU, T_I32, last), x = same_place(m, last);
        if (op == H_SHR)
            end(m, ranged(m, (host_expr){.op = op, .type = T_I32, .a = {x}, .constant = number},
                          smaller(at(m, x)->min, 0), larger(at(m, x)->max, 0)));
        else
            end(m, arithmetic(m, op, x, two ? same_place(m, other) : constant(m, T_I32, number)));
        last = next;
    }
    chip(m, CHIP_STORE, T_I8, last);
    end(m, converted(m, same_place(m, last), T_I8));
}

/* ---- The program ------------------------------------------------------------------------------------------------- */

static bool expr_reads(const host_program *p, int e, int i) {
    static const int operands[] = {
        [H_CAST] = 1,   [H_ADD] = 2, [H_SUB] = 2,   [H_MUL] = 2, [H_MIN] = 2, [H_MAX] = 2,      [H_NEG] = 1,
        [H_SELECT] = 4, [H_IF] = 4,  [H_GUARD] = 2, [H_DIV] = 1, [H_MOD] = 1, [H_TRUNCDIV] = 1, [H_SHR] = 1,
        [H_SHL] = 1,    [H_AND] = 2, [H_OR] = 2,    [H_XOR] = 2, [H_NOT] = 1};
    const host_expr *x = &p->exprs[e];
    if (x->op == H_LOAD) return x->node == i;
    for (int k = 0; k < operands[x->op]; k++)
        if (expr_reads(p, x->a[k], i)) return true;
    return false;
}

bool host_reads(const host_program *p, int user, int i) {
    const host_node *t = &p->nodes[user];
    return t->used && t->kind != HOST_INPUT && expr_reads(p, t->body, i);
}

static void mark_used(maker *m) {
    host_program *p = m->p;
    p->nodes[p->n - 1].is_output = p->nodes[p->n - 1].used = true;
    for (int i = p->n; i-- > 0;) {
        host_node *t = &p->nodes[i];
        for (int u = i + 1; u < p->n && !t->used; u++) t->used = host_reads(p, u, i);
        bool may = t->kind != HOST_INPUT && t->chip != CHIP_LOAD && t->chip != CHIP_ALU && t->used;
        /* what only a part of is read is computed in part, which the chip cannot */
        if (may && (t->chip ? !once_in(m->c, 4) : once_in(m->c, 8))) t->is_output = true;
    }
}

void host_generate(choices *c, host_program *out) {
    maker m = {.c = c, .p = out};
    int ndim, extent[HOST_DIMS] = {1, 1, 1};
    *out = (host_program){0};
    choose_shape(&m, &ndim, extent);
    add_input(&m, choose_type(&m), ndim, extent);
    if (once_in(c, 2)) {
        choose_shape(&m, &ndim, extent);
        add_input(&m, choose_type(&m), ndim, extent);
    }
    choices_unit(c);
    for (int i = 0; out->n < HOST_NODES - 10 && !is_full(&m) && (i == 0 || often(c, 3, 4)); i++) {
        uint32_t kind = pick(c, 8);
        if (kind < 5)
            add_map(&m);
        else if (kind < 7)
            add_reduce(&m);
        else
            add_chip(&m);
        choices_unit(c);
    }
    mark_used(&m);
    choices_unit(c);
    host_schedule(c, out);
}
