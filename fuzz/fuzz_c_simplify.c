/* Random index expressions: what the simplifier gives has the same value for random assignments, lies in the bounds and
 * modular set that the analyzer states, and does not grow when it is simplified again; interval sets hold all values;
 * conditions hold wherever a deduced bound says so. */
#include <stdio.h>
#include <stdlib.h>

#include "arith/linear.h"
#include "ir/build.h"
#include "ir/interp.h"
#include "ir/print.h"
#include "ir/visit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { VARS = 3, TRIES = 12, ROUNDS = 4, GROWTH = 8 };

typedef struct input {
    const uint8_t *data;
    size_t size, at;
    vt_ctx *ctx;
    const vt_var *vars[VARS];
    int64_t min[VARS], extent[VARS];
    bool by_value; /* something is divided by what is not a constant, and may be 0: sets take extents to be positive */
    bool wild;     /* 64 bits and numbers at their ends: values wrap, so only that nothing breaks is checked */
} input;

static uint32_t byte(input *in) { return in->at < in->size ? in->data[in->at++] : 0; }

static const vt_expr *number(input *in) {
    static const int64_t common[] = {0, 1, 2, 3, 4, 5, 7, 8, 14, 16, -1, -2, -3, -4, -8, 6};
    static const int64_t ends[] = {INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_MAX / 2, -1, 1, INT32_MIN, 3};
    uint32_t b = byte(in);
    if (in->wild) return vt_i64(in->ctx, b & 64 ? ends[b % 8] : common[b % 16]);
    return vt_i32(in->ctx, common[b % 16]);
}

static const vt_expr *index_expr(input *in, int depth);

static const vt_expr *condition(input *in, int depth) {
    uint32_t op = byte(in);
    if (depth > 0 && op % 4 == 0)
        return vt_e_bin(in->ctx, op & 8 ? VT_E_AND : VT_E_OR, condition(in, depth - 1), condition(in, depth - 1));
    if (depth > 0 && op % 16 == 1) return vt_e_not(in->ctx, condition(in, depth - 1));
    const vt_expr *x = index_expr(in, depth - 1), *y = index_expr(in, depth - 1);
    return vt_e_bin(in->ctx, (vt_expr_kind)(VT_E_EQ + op / 4 % 6), x, y);
}

static const vt_expr *divisor(input *in, int depth) {
    if (byte(in) % 3) return number(in);
    in->by_value = true;
    return byte(in) % 2 ? in->vars[byte(in) % VARS] : index_expr(in, depth);
}

static const vt_expr *index_expr(input *in, int depth) {
    uint32_t op = byte(in);
    vt_ctx *ctx = in->ctx;
    if (depth <= 0 || op < 40) return op % 3 ? in->vars[op / 3 % VARS] : number(in);
    const vt_expr *x = index_expr(in, depth - 1);
    switch (op % 16) {
    case 0:
    case 1:
    case 2: return vt_e_bin(ctx, VT_E_ADD, x, index_expr(in, depth - 1));
    case 3:
    case 4: return vt_e_bin(ctx, VT_E_SUB, x, index_expr(in, depth - 1));
    case 5: return vt_e_bin(ctx, VT_E_MUL, x, op & 16 ? number(in) : index_expr(in, 0)); /* 32 bits hold it */
    case 6: return vt_e_bin(ctx, VT_E_MUL, x, number(in));
    case 7: return vt_e_bin(ctx, VT_E_MIN, x, index_expr(in, depth - 1));
    case 8: return vt_e_bin(ctx, VT_E_MAX, x, index_expr(in, depth - 1));
    case 9:
    case 10: return vt_e_bin(ctx, VT_E_FLOORDIV, x, divisor(in, depth - 2));
    case 11:
    case 12: return vt_e_bin(ctx, VT_E_FLOORMOD, x, divisor(in, depth - 2));
    case 13: return vt_e_bin(ctx, op & 16 ? VT_E_DIV : VT_E_MOD, x, divisor(in, depth - 2));
    case 14: return vt_e_select(ctx, condition(in, depth - 2), x, index_expr(in, depth - 1));
    default: return vt_if_then_else(ctx, condition(in, depth - 2), x, index_expr(in, depth - 1));
    }
}

static void report(input *in, const char *what, const vt_expr *e, const vt_expr *simple) {
    fprintf(stderr, "%s\n  before: %s\n  after:  %s\n", what, vt_expr_text(in->ctx, e), vt_expr_text(in->ctx, simple));
    for (int i = 0; i < VARS; i++)
        fprintf(stderr, "  %s in [%lld, +%lld)\n", vt_var_name(in->vars[i]), (long long)in->min[i],
                (long long)in->extent[i]);
    abort();
}

/* Assignments of the variables, some fixed, some over their ranges. */
static void assign(const input *in, uint32_t *seed, vt_value *values) {
    for (int i = 0; i < VARS; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        values[i] = (vt_value){.dtype = VT_I32, .u.i = in->min[i] + (int64_t)(*seed >> 8) % in->extent[i]};
    }
}

static void check_values(input *in, vt_analyzer *an, const vt_expr *e, const vt_expr *simple) {
    vt_value values[VARS], before, after;
    vt_bound b = vt_const_bound(an, simple);
    vt_modular m = vt_modular_set(an, simple);
    uint32_t seed = byte(in) * 2654435761u + 12345;
    vta_diag *quiet = in->ctx->diag;
    for (int t = 0; t < TRIES; t++) {
        assign(in, &seed, values);
        in->ctx->diag = NULL;
        vta_status status = vt_interp_expr(in->ctx, e, VARS, in->vars, values, &before);
        in->ctx->diag = quiet;
        if (status != VTA_OK) report(in, "the expression cannot be evaluated", e, simple);
        if (vt_interp_expr(in->ctx, simple, VARS, in->vars, values, &after) != VTA_OK)
            report(in, "the result cannot be evaluated", e, simple);
        if (before.u.i != after.u.i) {
            fprintf(stderr, "%lld became %lld\n", (long long)before.u.i, (long long)after.u.i);
            for (int i = 0; i < VARS; i++)
                fprintf(stderr, "  %s = %lld\n", vt_var_name(in->vars[i]), (long long)values[i].u.i);
            report(in, "another value", e, simple);
        }
        if (!vt_dtype_is_index(e->dtype)) continue;
        if (after.u.i < b.min || after.u.i > b.max) report(in, "outside its bounds", e, simple);
        int64_t rest = after.u.i - m.base;
        if (m.coeff ? rest % m.coeff : rest) report(in, "not in its modular set", e, simple);
    }
}

/* The value of an expression, or `otherwise` where it has none. */
static int64_t value_of(input *in, const vt_expr *e, const vt_value *values, int64_t otherwise) {
    vt_value out;
    vta_diag *quiet = in->ctx->diag;
    in->ctx->diag = NULL;
    vta_status status = vt_interp_expr(in->ctx, e, VARS, in->vars, values, &out);
    in->ctx->diag = quiet;
    return status == VTA_OK ? out.u.i : otherwise;
}

/* y and z run over their ranges, x stays: its set, in terms of x, holds every value of e. */
static void check_set(input *in, vt_analyzer *an, const vt_expr *e) {
    vt_dommap *dom = vt_dommap_new(in->ctx);
    for (int i = 1; i < VARS; i++)
        vt_dommap_set_range(dom, in->vars[i], (vt_range){vt_i32(in->ctx, in->min[i]), vt_i32(in->ctx, in->extent[i])});
    vt_intset set = vt_eval_set(an, e, dom);
    uint32_t seed = byte(in) + 77;
    vt_value values[VARS];
    for (int t = 0; t < TRIES && !set.empty; t++) {
        assign(in, &seed, values);
        int64_t v = value_of(in, e, values, INT64_MAX);
        if (v == INT64_MAX) continue;
        if (set.min && value_of(in, set.min, values, v) > v) report(in, "below its interval", e, set.min);
        if (set.max && value_of(in, set.max, values, v) < v) report(in, "above its interval", e, set.max);
    }
}

/* Where x is in the deduced bound, the condition holds for all y and z. */
static void check_deduced(input *in, const vt_expr *condition) {
    vt_dommap *relax = vt_dommap_new(in->ctx), *hint = vt_dommap_new(in->ctx);
    for (int i = 0; i < VARS; i++) {
        vt_range r = {vt_i32(in->ctx, in->min[i]), vt_i32(in->ctx, in->extent[i])};
        vt_dommap_set_range(hint, in->vars[i], r);
        if (i) vt_dommap_set_range(relax, in->vars[i], r);
    }
    vt_intset set = vt_deduce_bound(in->ctx, in->vars[0], condition, hint, relax);
    uint32_t seed = byte(in) + 99;
    vt_value values[VARS];
    for (int t = 0; t < TRIES && !set.empty; t++) {
        assign(in, &seed, values);
        int64_t x = values[0].u.i;
        bool inside = (!set.min || value_of(in, set.min, values, INT64_MAX) <= x) &&
                      (!set.max || value_of(in, set.max, values, INT64_MIN) >= x);
        if (inside && !value_of(in, condition, values, 1))
            report(in, "does not hold in its deduced bound", condition, set.min ? set.min : set.max);
    }
}

static bool count(void *user, const vt_expr *e) {
    (void)e;
    ++*(uint32_t *)user;
    return true;
}

static uint32_t nodes(const vt_expr *e) {
    uint32_t n = 0;
    vt_expr_walk(e, count, &n);
    return n;
}

static vta_status body(vt_ctx *ctx, void *arg) {
    input *in = arg;
    vt_analyzer *an = vt_analyzer_new(ctx);
    in->wild = byte(in) % 8 == 7;
    static const char *const names[VARS] = {"x", "y", "z"};
    for (int i = 0; i < VARS; i++) {
        in->vars[i] = vt_var_new(ctx, names[i], in->wild ? VT_I64 : VT_I32);
        in->min[i] = (int64_t)(byte(in) % 8) - (byte(in) % 4 ? 0 : 10);
        in->extent[i] = 2 + byte(in) % 30;
        vt_dtype t = in->vars[i]->dtype;
        vt_analyzer_bind_range(an, in->vars[i], vt_int(ctx, t, in->min[i]), vt_int(ctx, t, in->extent[i]), false);
    }
    const vt_expr *e = byte(in) % 4 ? index_expr(in, 4) : condition(in, 3);
    if (in->wild) {
        vt_simplify(an, e);
        vt_const_bound(an, e);
        vt_modular_set(an, e);
        return VTA_OK;
    }
    check_values(in, an, e, vt_rewrite_simplify(an, e));
    check_values(in, an, e, vt_canonical_simplify(an, e));
    const vt_expr *simple = vt_simplify(an, e);
    check_values(in, an, e, simple);
    /* The forms are TVM's: a second round may improve them, or turn two terms round and back, but most often
     * changes nothing, and never makes more of them for long. */
    const vt_expr *settled = simple;
    for (int round = 0; round < ROUNDS; round++) settled = vt_simplify(an, settled);
    if (nodes(settled) > 4 * nodes(simple) + GROWTH) report(in, "grows", simple, settled);
    check_values(in, an, e, settled);
    if (in->by_value) return VTA_OK;
    if (vt_dtype_is_index(e->dtype))
        check_set(in, vt_analyzer_new(ctx), e);
    else
        check_deduced(in, e);
    return VTA_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vt_ctx ctx;
    vta_diag *diag = vta_diag_create(NULL);
    vt_ctx_init(&ctx, NULL, diag);
    input in = {.data = data, .size = size, .ctx = &ctx};
    vta_status status = vt_protect(&ctx, body, &in);
    if (status == VTA_INTERNAL) {
        fprintf(stderr, "%s\n", vta_diag_text(diag));
        abort();
    }
    vt_ctx_clear(&ctx);
    vta_diag_destroy(diag);
    return 0;
}
