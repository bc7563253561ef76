/* Programs on numbers: the elements in memory, and what each instruction computes. */
#include <string.h>

#include "ir/fold.h"
#include "te/eval.h"

static uint32_t element_bytes(vt_dtype t) { return t.bits <= 8 ? 1 : t.bits / 8; }

/* Memory is little-endian, as on all hosts of this library; types under 8 bits are kept as bytes. */
static value load_element(const uint8_t *data, vt_dtype t, int64_t at) {
    value v = {0};
    const uint8_t *p = data + (size_t)at * element_bytes(t);
    int8_t i8;
    int16_t i16;
    int32_t i32;
    float f32;
    switch (t.code == VT_FLOAT ? t.bits : element_bytes(t)) {
    case 1:
        memcpy(&i8, p, 1);
        v.i = t.code == VT_INT ? i8 : (uint8_t)i8;
        break;
    case 2:
        memcpy(&i16, p, 2);
        v.i = t.code == VT_INT ? i16 : (uint16_t)i16;
        break;
    case 4:
        memcpy(&i32, p, 4);
        v.i = t.code == VT_INT ? i32 : (int64_t)(uint32_t)i32;
        break;
    case 32:
        memcpy(&f32, p, 4);
        v.f = f32;
        break;
    default: memcpy(&v, p, 8);
    }
    return v;
}

static void store_element(uint8_t *data, vt_dtype t, int64_t at, value v) {
    uint8_t *p = data + (size_t)at * element_bytes(t);
    if (t.code == VT_FLOAT) {
        float f = (float)v.f;
        memcpy(p, t.bits == 64 ? (const void *)&v.f : (const void *)&f, element_bytes(t));
        return;
    }
    memcpy(p, &v.i, element_bytes(t));
}

static double rounded(double x, vt_dtype t) { return t.bits == 32 ? (double)(float)x : x; }

static value float_bin(vt_expr_kind kind, vt_dtype t, double x, double y) {
    double out = 0;
    vt_fold_float(kind, x, y, &out);
    return kind >= VT_E_EQ && kind <= VT_E_GE ? (value){.i = out != 0} : (value){.f = rounded(out, t)};
}

/* What is not zero is true; otherwise the low bits. */
static int64_t to_integer(int64_t x, vt_dtype t) { return vt_dtype_is_bool(t) ? x != 0 : vt_wrap_int(t, x); }

static value cast_value(value v, uint8_t from, vt_dtype to) {
    if (from == VT_FLOAT && to.code == VT_FLOAT) return (value){.f = rounded(v.f, to)};
    if (from == VT_FLOAT && !(v.f > -0x1p63 && v.f < 0x1p63)) return (value){.i = 0};
    if (from == VT_FLOAT) return (value){.i = to_integer((int64_t)v.f, to)};
    if (to.code == VT_FLOAT) return (value){.f = rounded((double)v.i, to)};
    return (value){.i = to_integer(v.i, to)};
}

static value run_load(te_context *c, const insn *in, const value *slot) {
    const array *a = in->array;
    int64_t at = 0;
    for (uint32_t d = 0; d < a->tensor->ndim; d++) {
        int64_t i = slot[in->indices[d]].i;
        if (i < 0 || i >= a->shape[d])
            te__raise(c, VTA_OUT_OF_RANGE, "%s is read at %lld in dimension %u, which has %lld elements",
                      a->tensor->name, (long long)i, d, (long long)a->shape[d]);
        at = at * a->shape[d] + i;
    }
    value v = load_element(a->data, a->dtype, at);
    if (a->dtype.bits < 8) v.i = to_integer(v.i, a->dtype);
    return v;
}

static inline void one(const program *p, const insn *in, value *slot) {
    value x = slot[in->x], y = slot[in->y], *to = &slot[in->to];
    switch ((opcode)in->code) {
    case CONST: *to = in->constant; break;
    case COPY: *to = x; break;
    case BIN:
        if (in->dtype.code == VT_FLOAT)
            *to = float_bin((vt_expr_kind)in->kind, in->dtype, x.f, y.f);
        else if (vt_fold_int((vt_expr_kind)in->kind, in->dtype, x.i, y.i, &to->i))
            to->i = vt_wrap_int(in->dtype, to->i);
        break;
    case NOT: to->i = !x.i; break;
    case BITNOT: to->i = vt_wrap_int(in->dtype, ~x.i); break;
    case CAST: *to = cast_value(x, in->kind, in->dtype); break;
    case LOAD: *to = run_load(p->c, in, slot); break;
    case LOAD_LINEAR: {
        int64_t at = in->base;
        for (uint32_t k = 0; k < in->n_factors; k++) at += in->factors[k] * slot[in->indices[k]].i;
        *to = load_element(in->array->data, in->array->dtype, at);
        if (in->array->dtype.bits < 8) to->i = to_integer(to->i, in->array->dtype);
        break;
    }
    case MATH:
        vt_math_value((vt_op)in->kind, x.f, y.f, &to->f);
        to->f = rounded(to->f, in->dtype);
        break;
    case SHIFT: to->i = vt_wrap_int(in->dtype, vt_shift_value(in->kind, in->dtype, x.i, y.i)); break;
    case BITWISE:
        to->i = in->kind == VT_OP_BITWISE_AND ? x.i & y.i : in->kind == VT_OP_BITWISE_OR ? x.i | y.i : x.i ^ y.i;
        break;
    case JUMP:
    case JUMP_IF_NOT: break;
    }
}

void te__eval_step(const program *p, const insn *in, value *slot) { one(p, in, slot); }

static void run(const evaluation *ev, const program *p, value *slot) {
    (void)ev;
    for (uint32_t pc = 0; pc < p->n; pc++) {
        const insn *in = &p->code[pc];
        if (in->code == JUMP || (in->code == JUMP_IF_NOT && !slot[in->x].i))
            pc = in->to - 1;
        else
            one(p, in, slot);
    }
}

static void store(const evaluation *ev, const array *to, int64_t at, const value *slot, uint32_t result) {
    (void)ev;
    store_element(to->data, to->dtype, at, slot[result]);
}

const domain te__numbers = {
    .element_bytes = element_bytes, .run = run, .store = store, .plan = te__number_plan, .reduce = te__number_sum};
