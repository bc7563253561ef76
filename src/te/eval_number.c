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

static int64_t wrap(int64_t x, vt_dtype t) {
    if (t.bits >= 64) return x;
    if (t.bits == 1) return x != 0;
    uint64_t bits = (uint64_t)x & ((UINT64_C(1) << t.bits) - 1);
    if (t.code == VT_INT && bits >> (t.bits - 1)) bits |= ~UINT64_C(0) << t.bits;
    return (int64_t)bits;
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
    switch (kind) {
    case VT_E_ADD: return (value){.f = rounded(x + y, t)};
    case VT_E_SUB: return (value){.f = rounded(x - y, t)};
    case VT_E_MUL: return (value){.f = rounded(x * y, t)};
    case VT_E_DIV: return (value){.f = rounded(x / y, t)};
    case VT_E_MIN: return (value){.f = x < y ? x : y};
    case VT_E_MAX: return (value){.f = x < y ? y : x};
    case VT_E_EQ: return (value){.i = x == y};
    case VT_E_NE: return (value){.i = x != y};
    case VT_E_LT: return (value){.i = x < y};
    case VT_E_LE: return (value){.i = x <= y};
    case VT_E_GT: return (value){.i = x > y};
    case VT_E_GE: return (value){.i = x >= y};
    case VT_E_FLOORDIV: /* of integers only: te/expr.c */
    case VT_E_MOD:
    case VT_E_FLOORMOD:
    case VT_E_VAR:
    case VT_E_INT:
    case VT_E_FLOAT:
    case VT_E_STRING:
    case VT_E_AND:
    case VT_E_OR:
    case VT_E_NOT:
    case VT_E_SELECT:
    case VT_E_CAST:
    case VT_E_LOAD:
    case VT_E_PLOAD:
    case VT_E_CALL:
    case VT_E_LET:
    case VT_E_RAMP:
    case VT_E_BROADCAST:
    case VT_E_REDUCE:
    case VT_E_COUNT: break;
    }
    return (value){.f = 0}; /* make() gives BIN no other */
}

static value cast_value(value v, uint8_t from, vt_dtype to) {
    if (from == VT_FLOAT && to.code == VT_FLOAT) return (value){.f = rounded(v.f, to)};
    if (from == VT_FLOAT && !(v.f > -0x1p63 && v.f < 0x1p63)) return (value){.i = 0};
    if (from == VT_FLOAT) return (value){.i = wrap((int64_t)v.f, to)};
    if (to.code == VT_FLOAT) return (value){.f = rounded((double)v.i, to)};
    return (value){.i = wrap(v.i, to)};
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
    if (a->dtype.bits < 8) v.i = wrap(v.i, a->dtype);
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
            to->i = wrap(to->i, in->dtype);
        break;
    case NOT: to->i = !x.i; break;
    case BITNOT: to->i = wrap(~x.i, in->dtype); break;
    case CAST: *to = cast_value(x, in->kind, in->dtype); break;
    case LOAD: *to = run_load(p->c, in, slot); break;
    case LOAD_LINEAR: {
        int64_t at = in->base;
        for (uint32_t k = 0; k < in->n_factors; k++) at += in->factors[k] * slot[in->indices[k]].i;
        *to = load_element(in->array->data, in->array->dtype, at);
        if (in->array->dtype.bits < 8) to->i = wrap(to->i, in->array->dtype);
        break;
    }
    case MATH:
        vt_math_value((vt_op)in->kind, x.f, y.f, &to->f);
        to->f = rounded(to->f, in->dtype);
        break;
    case SHIFT: to->i = wrap(vt_shift_value(in->kind, in->dtype, x.i, y.i), in->dtype); break;
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

const domain te__numbers = {.element_bytes = element_bytes, .run = run, .store = store};
