/* Evaluating a computation for all inputs at once: elements are values of a field (vta/field.h). Axes, indices and
 * conditions stay numbers. */
#include <stdlib.h>

#include "te/eval.h"

/* Opaque functions are told apart by what they are and the type they work on. */
static uint64_t opaque_id(const insn *in) {
    return UINT64_C(1) << 40 | (uint64_t)in->code << 32 | (uint64_t)in->kind << 16 | (uint64_t)in->dtype.code << 8 |
           in->dtype.bits;
}

static vta_field *field_of(const evaluation *ev) { return ev->user; }

/* Integers narrower than the accumulator are kept as the integers that they are; others as their residue classes. */
static bool is_narrow(vt_dtype t) { return t.bits < 32; }

/* An operand of a type as a value. */
static vta_value lift(const evaluation *ev, const value *slot, uint32_t at, vt_dtype t) {
    if (!ev->marks[at]) return vta_field_int(field_of(ev), slot[at].i);
    vta_value v = (vta_value)slot[at].i;
    bool is_signed = t.code == VT_INT;
    int64_t half = is_narrow(t) ? INT64_C(1) << (t.bits - is_signed) : 0;
    if (half) vta_field_known(field_of(ev), v, is_signed ? -half : 0, half - 1);
    return v;
}

/* The result of arithmetic as a value of its type. */
static vta_value fit(const evaluation *ev, vta_value v, vt_dtype t) {
    return is_narrow(t) ? vta_field_narrow(field_of(ev), v, t.bits, t.code == VT_INT) : v;
}

/* The width at which an operation on a type is signed arithmetic; 0: none. */
static uint32_t signed_bits(vt_dtype t) {
    if (t.code == VT_INT) return t.bits;
    return is_narrow(t) && t.bits > 1 ? 32 : 0;
}

static vta_value opaque(const evaluation *ev, const insn *in, const value *slot, uint32_t n) {
    const uint32_t at[2] = {in->x, in->y};
    vta_value v[2];
    for (uint32_t i = 0; i < n; i++) v[i] = lift(ev, slot, at[i], in->dtype);
    return vta_field_opaque(field_of(ev), opaque_id(in), n, v);
}

/* ---- One instruction ------------------------------------------------------------------------------------------- */

/* What the field has, each and 1. */
static const int8_t ops[VT_E_COUNT] = {[VT_E_ADD] = 1 + VTA_FIELD_ADD,
                                       [VT_E_SUB] = 1 + VTA_FIELD_SUB,
                                       [VT_E_MUL] = 1 + VTA_FIELD_MUL,
                                       [VT_E_MIN] = 1 + VTA_FIELD_MIN,
                                       [VT_E_MAX] = 1 + VTA_FIELD_MAX};

static vta_value binary(const evaluation *ev, const insn *in, const value *slot) {
    bool orders = in->kind == VT_E_MIN || in->kind == VT_E_MAX;
    uint32_t bits = orders ? signed_bits(in->dtype) : 64;
    if (!ops[in->kind] || !bits) return opaque(ev, in, slot, 2);
    vta_value x = lift(ev, slot, in->x, in->dtype), y = lift(ev, slot, in->y, in->dtype);
    return fit(ev, vta_field_apply(field_of(ev), (vta_field_op)(ops[in->kind] - 1), x, y, bits), in->dtype);
}

/* For the polynomials' sizes: a shift to the left by a number multiplies. */
static void note_shift(const evaluation *ev, const insn *in, vta_field_op op, vta_value by) {
    int64_t number;
    uint8_t kind = TE_SHIFT_BY_VALUES;
    if (vta_field_is_int(field_of(ev), by, &number)) {
        bool left = op == VTA_FIELD_SHL ? number > 0 : number < 0;
        int64_t far = !left                                                       ? 0
                      : number < -TE_SHIFT_LEFT_MAX || number > TE_SHIFT_LEFT_MAX ? TE_SHIFT_LEFT_MAX
                                                                                  : llabs(number);
        kind = (uint8_t)(TE_SHIFT_BY_NUMBERS + far);
    }
    if (kind > ev->shifts[in->to]) ev->shifts[in->to] = kind;
}

static vta_value shift(const evaluation *ev, const insn *in, const value *slot) {
    uint32_t bits = signed_bits(in->dtype);
    if (!bits) return opaque(ev, in, slot, 2);
    vta_value x = lift(ev, slot, in->x, in->dtype), y = lift(ev, slot, in->y, in->dtype);
    vta_field_op op = in->kind == VT_OP_SHIFT_LEFT ? VTA_FIELD_SHL : VTA_FIELD_SHR;
    note_shift(ev, in, op, y);
    return fit(ev, vta_field_apply(field_of(ev), op, x, y, bits), in->dtype);
}

static vta_value cast(const evaluation *ev, const insn *in, const value *slot) {
    vt_dtype to = in->dtype, from = in->from;
    vta_value v = lift(ev, slot, in->x, from);
    if (to.bits == 1 && from.bits != 1) return vta_field_opaque(field_of(ev), opaque_id(in), 1, &v);
    /* A residue class that becomes wider must be an integer first. */
    if (!is_narrow(from) && to.bits > from.bits)
        return vta_field_narrow(field_of(ev), v, from.bits, from.code == VT_INT);
    return fit(ev, v, to);
}

static vta_value not_bits(const evaluation *ev, const insn *in, const value *slot) {
    vta_value minus_one = vta_field_int(field_of(ev), -1), x = lift(ev, slot, in->x, in->dtype);
    return fit(ev, vta_field_apply(field_of(ev), VTA_FIELD_SUB, minus_one, x, 64), in->dtype);
}

/* A row of a tensor at a place that depends on the inputs: a random function of the place and of the row. */
static vta_value look_up(const evaluation *ev, const insn *in, const value *slot, int64_t row) {
    const array *a = in->array;
    uint32_t last = a->tensor->ndim - 1;
    const vta_value *values = (const vta_value *)(const void *)a->data + row * a->shape[last];
    vta_value result;
    if (!vta_field_lookup(field_of(ev), (size_t)a->shape[last], values, (vta_value)slot[in->indices[last]].i, &result))
        te__raise(ev->c, VTA_UNSUPPORTED,
                  "%s is read at a place that depends on the inputs, and may be outside of its %lld elements; clip it",
                  a->tensor->name, (long long)a->shape[last]);
    return result;
}

static vta_value load(const evaluation *ev, const insn *in, const value *slot) {
    const array *a = in->array;
    int64_t at = 0;
    for (uint32_t d = 0; d < a->tensor->ndim; d++) {
        if (ev->marks[in->indices[d]] && d + 1 == a->tensor->ndim) return look_up(ev, in, slot, at);
        if (ev->marks[in->indices[d]])
            te__raise(ev->c, VTA_UNSUPPORTED, "%s is read at a place that depends on the inputs", a->tensor->name);
        int64_t i = slot[in->indices[d]].i;
        if (i < 0 || i >= a->shape[d])
            te__raise(ev->c, VTA_OUT_OF_RANGE, "%s is read at %lld in dimension %u, which has %lld elements",
                      a->tensor->name, (long long)i, d, (long long)a->shape[d]);
        at = at * a->shape[d] + i;
    }
    return ((const vta_value *)(const void *)a->data)[at];
}

static vta_value load_linear(const evaluation *ev, const insn *in, const value *slot) {
    (void)ev;
    int64_t at = in->base;
    for (uint32_t k = 0; k < in->n_factors; k++) at += in->factors[k] * slot[in->indices[k]].i;
    return ((const vta_value *)(const void *)in->array->data)[at];
}

static vta_value copy(const evaluation *ev, const insn *in, const value *slot) {
    (void)ev;
    return (vta_value)slot[in->x].i;
}

/* By opcode: how many operands there are, and the result as soon as one of them is a value. Loads give values always.
 */
typedef struct row {
    uint8_t operands;
    bool loads;
    vta_value (*make)(const evaluation *ev, const insn *in, const value *slot);
} row;

static vta_value any_unary(const evaluation *ev, const insn *in, const value *slot) { return opaque(ev, in, slot, 1); }
static vta_value any_binary(const evaluation *ev, const insn *in, const value *slot) { return opaque(ev, in, slot, 2); }

static const row rows[] = {
    [CONST] = {0, false, NULL},         [COPY] = {1, false, copy},
    [BIN] = {2, false, binary},         [NOT] = {1, false, any_unary},
    [BITNOT] = {1, false, not_bits},    [CAST] = {1, false, cast},
    [LOAD] = {0, true, load},           [LOAD_LINEAR] = {0, true, load_linear},
    [MATH] = {2, false, NULL},          [SHIFT] = {2, false, shift},
    [BITWISE] = {2, false, any_binary},
};

static bool has_value(const evaluation *ev, const insn *in, uint8_t operands) {
    const uint32_t at[2] = {in->x, in->y};
    for (uint8_t i = 0; i < operands; i++)
        if (ev->marks[at[i]]) return true;
    return false;
}

/* What the field does not have is a number where the operands are: loads give values of tensors that depend on no
 * input, too. Makes numbers of such operands. */
static bool is_number(const evaluation *ev, const insn *in, value *slot) {
    const uint32_t at[2] = {in->x, in->y};
    int64_t number[2];
    if (in->code != BIN || ops[in->kind] || in->dtype.code == VT_FLOAT) return false;
    for (int i = 0; i < 2; i++) {
        number[i] = slot[at[i]].i;
        if (ev->marks[at[i]] && !vta_field_is_int(field_of(ev), (vta_value)slot[at[i]].i, &number[i])) return false;
    }
    for (int i = 0; i < 2; i++) {
        slot[at[i]].i = number[i];
        ev->marks[at[i]] = 0;
    }
    return true;
}

static void step(const evaluation *ev, const program *p, const insn *in, value *slot) {
    const row *r = &rows[in->code];
    bool marked = (r->loads || has_value(ev, in, r->operands)) && !is_number(ev, in, slot);
    if (!marked) {
        te__eval_step(p, in, slot);
    } else {
        bool real = in->code != COPY && (in->dtype.code == VT_FLOAT || (in->code == CAST && in->kind == VT_FLOAT));
        if (real || !r->make)
            te__raise(ev->c, VTA_UNSUPPORTED, "the computation uses floating point, which no field has");
        slot[in->to].i = (int64_t)r->make(ev, in, slot);
    }
    ev->marks[in->to] = marked;
}

static void run(const evaluation *ev, const program *p, value *slot) {
    for (uint32_t pc = 0; pc < p->n; pc++) {
        const insn *in = &p->code[pc];
        if (in->code == JUMP_IF_NOT && ev->marks[in->x])
            te__raise(ev->c, VTA_UNSUPPORTED, "which of two expressions counts depends on the inputs");
        if (in->code == JUMP || (in->code == JUMP_IF_NOT && !slot[in->x].i))
            pc = in->to - 1;
        else if (in->code != JUMP_IF_NOT)
            step(ev, p, in, slot);
    }
}

static void store(const evaluation *ev, const array *to, int64_t at, const value *slot, uint32_t result) {
    vta_value *data = (vta_value *)(void *)to->data;
    data[at] = ev->marks[result] ? (vta_value)slot[result].i : vta_field_int(field_of(ev), slot[result].i);
}

static uint32_t element_bytes(vt_dtype t) {
    (void)t;
    return sizeof(vta_value);
}

/* ---- Sums of products (eval_products.c) ---- */

static void reduce(const evaluation *ev, const void *made, value *slot) {
    const te__products *p = made;
    te__sum s = te__products_here(p, slot);
    const vta_value *a = (const vta_value *)(const void *)s.a.array->data + s.a.at,
                    *b = (const vta_value *)(const void *)s.b.array->data + s.b.at;
    vta_value sum = vta_field_products(field_of(ev), s.n_rows, s.a.rows, s.b.rows, a, b, s.n, s.a.step, s.b.step);
    vt_dtype int32 = {.code = VT_INT, .bits = 32, .lanes = 1};
    vta_value before = lift(ev, slot, te__products_state(p), int32);
    slot[te__products_state(p)].i = (int64_t)vta_field_apply(field_of(ev), VTA_FIELD_ADD, before, sum, 32);
    ev->marks[te__products_state(p)] = 1;
}

static const domain values = {.element_bytes = element_bytes,
                              .run = run,
                              .store = store,
                              .plan = te__products_plan,
                              .reduce = reduce,
                              .sizes = true};

vta_status te_evaluate_field(te_context *c, vta_field *field, te_tensor *out, size_t n, te_tensor *const inputs[],
                             const vta_value *const arrays[], vta_value *out_values) {
    if (!field) return VTA_INVALID_ARGUMENT;
    const void *const *data = (const void *const *)(const void *)arrays;
    vta_status status = te__evaluate(c, &values, field, out, n, inputs, data, out_values);
    return status == VTA_OK ? vta_field_status(field) : status;
}
