/* Values of expressions, by an evaluator that shares nothing with the simplifier or the interpreter: one lane at a
 * time, integers as mathematical ones (inputs are small). By zero the quotient is 0 and the remainder the dividend. */
#ifndef TESTS_ARITH_VALUES_H
#define TESTS_ARITH_VALUES_H

#include "ir/build.h"
#include "ir/print.h"
#include "support/check.h"

enum { VALUES_VARS = 8 };

/* Variables and what they are; a vector variable's lane i is value + i, of a bool its lowest bit. */
typedef struct values {
    int n;
    const vt_var *vars[VALUES_VARS];
    int64_t of[VALUES_VARS];
} values;

typedef struct number {
    int64_t i;
    double f; /* of a float type */
} number;

static number number_of(int64_t i) { return (number){i, 0}; }

static number value_of(const vt_expr *e, const values *v, int lane);

static number value_of_var(const vt_expr *e, const values *v, int lane) {
    for (int k = 0; k < v->n; k++) {
        if (v->vars[k] != e) continue;
        int64_t i = v->of[k] + lane;
        return (number){vt_dtype_is_bool(vt_dtype_elem(e->dtype)) ? i & 1 : i, (double)i};
    }
    fail_msg("%s has no value", vt_var_name(e));
    return (number){0};
}

static int64_t floor_quotient(int64_t x, int64_t y) {
    if (y == 0) return 0;
    int64_t q = x / y;
    return q * y == x || (x < 0) == (y < 0) ? q : q - 1;
}

static number combine_ints(vt_expr_kind kind, int64_t x, int64_t y) {
    switch (kind) {
    case VT_E_ADD: return number_of(x + y);
    case VT_E_SUB: return number_of(x - y);
    case VT_E_MUL: return number_of(x * y);
    case VT_E_DIV: return number_of(y ? x / y : 0);
    case VT_E_MOD: return number_of(y ? x % y : x);
    case VT_E_FLOORDIV: return number_of(floor_quotient(x, y));
    case VT_E_FLOORMOD: return number_of(x - floor_quotient(x, y) * y);
    case VT_E_MIN: return number_of(x < y ? x : y);
    case VT_E_MAX: return number_of(x > y ? x : y);
    case VT_E_EQ: return number_of(x == y);
    case VT_E_NE: return number_of(x != y);
    case VT_E_LT: return number_of(x < y);
    case VT_E_LE: return number_of(x <= y);
    case VT_E_GT: return number_of(x > y);
    case VT_E_GE: return number_of(x >= y);
    case VT_E_AND: return number_of(x && y);
    case VT_E_OR: return number_of(x || y);
    case VT_EACH_LEAF:
    case VT_E_NOT:
    case VT_EACH_OTHER:
    case VT_E_COUNT: break;
    }
    fail_msg("no arithmetic: kind %d", kind);
    return (number){0};
}

static number combine_floats(vt_expr_kind kind, double x, double y) {
    switch ((int)kind) {
    case VT_E_ADD: return (number){0, x + y};
    case VT_E_SUB: return (number){0, x - y};
    case VT_E_MUL: return (number){0, x * y};
    case VT_E_DIV: return (number){0, x / y};
    case VT_E_MIN: return (number){0, x < y ? x : y};
    case VT_E_MAX: return (number){0, x > y ? x : y};
    default: fail_msg("no arithmetic of floats: kind %d", kind); return (number){0};
    }
}

static number value_of_choice(const vt_expr *const *a, const values *v, int lane) {
    return value_of(a[value_of(a[0], v, a[0]->dtype.lanes == 1 ? 0 : lane).i ? 1 : 2], v, lane);
}

static number value_of_call(const vt_expr *e, const values *v, int lane) {
    if (e->u.op == VT_OP_IF_THEN_ELSE) return value_of_choice(e->a, v, lane);
    if (e->u.op == VT_OP_LIKELY) return value_of(e->a[0], v, lane);
    number x = value_of(e->a[0], v, lane), y = value_of(e->a[1], v, lane);
    if (e->u.op == VT_OP_SHIFT_RIGHT) return number_of(floor_quotient(x.i, (int64_t)1 << y.i));
    if (e->u.op == VT_OP_SHIFT_LEFT) return number_of(x.i * ((int64_t)1 << y.i));
    if (e->u.op == VT_OP_BITWISE_AND) return number_of(x.i & y.i);
    fail_msg("no meaning: %s", vt_op_infos[e->u.op].name);
    return (number){0};
}

/* An integer as its type holds it. */
static int64_t wrapped(int64_t i, vt_dtype t) {
    if (vt_dtype_is_bool(t)) return i != 0;
    if (t.bits >= 64) return i;
    int64_t low = i & (((int64_t)1 << t.bits) - 1);
    return vt_dtype_is_int(t) && low >> (t.bits - 1) ? low - ((int64_t)1 << t.bits) : low;
}

static number value_of(const vt_expr *e, const values *v, int lane) {
    number x, y;
    switch (e->kind) {
    case VT_E_INT: return number_of(e->u.i);
    case VT_E_FLOAT: return (number){0, e->u.f};
    case VT_E_VAR: return value_of_var(e, v, lane);
    case VT_E_NOT: return number_of(!value_of(e->a[0], v, lane).i);
    case VT_E_SELECT: return value_of_choice(e->a, v, lane);
    case VT_E_CAST: return number_of(wrapped(value_of(e->a[0], v, lane).i, vt_dtype_elem(e->dtype)));
    case VT_E_CALL: return value_of_call(e, v, lane);
    case VT_E_BROADCAST: return value_of(e->a[0], v, 0);
    case VT_E_LET: {
        values inside = *v;
        if (inside.n == VALUES_VARS) fail_msg("too many variables");
        inside.of[inside.n] = value_of(e->a[0], v, lane).i;
        inside.vars[inside.n++] = e->u.let_var;
        return value_of(e->a[1], &inside, lane);
    }
    case VT_E_RAMP:
        x = value_of(e->a[0], v, 0);
        y = value_of(e->a[1], v, 0);
        return (number){x.i + lane * y.i, x.f + lane * y.f};
    default: break;
    }
    if (e->n != 2) fail_msg("no meaning: kind %d", e->kind);
    x = value_of(e->a[0], v, lane);
    y = value_of(e->a[1], v, lane);
    if (vt_dtype_is_float(e->a[0]->dtype)) return combine_floats((vt_expr_kind)e->kind, x.f, y.f);
    return combine_ints((vt_expr_kind)e->kind, x.i, y.i);
}

static inline bool same_number(number x, number y, vt_dtype t) {
    return vt_dtype_is_float(t) ? x.f == y.f || (x.f != x.f && y.f != y.f) : x.i == y.i;
}

/* The text without the types that the printer puts behind first mentions. */
static const char *plain_text(vt_ctx *ctx, const vt_expr *e) {
    const char *s = vt_expr_text(ctx, e);
    char *plain = vt_new_bytes(ctx, strlen(s) + 1);
    size_t n = 0;
    for (; *s; s++) {
        if (s[0] == ':' && s[1] == ' ') s += 2 + strspn(s + 2, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (!*s) break;
        plain[n++] = *s;
    }
    return plain;
}

static inline const char *values_text(vt_ctx *ctx, const values *v) {
    const char *text = "";
    for (int k = 0; k < v->n; k++)
        text = vt_new_format(ctx, "%s %s = %lld", text, vt_var_name(v->vars[k]), (long long)v->of[k]);
    return text;
}

#endif
