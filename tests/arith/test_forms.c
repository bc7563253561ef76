/* The forms that the simplifier gives: text against text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arith/linear.h"
#include "ir/build.h"
#include "ir/interp.h"
#include "ir/print.h"

typedef struct fixture {
    vt_ctx ctx;
    vta_diag *diag;
    vt_analyzer *an;
    const vt_var *x, *y, *z;
} fixture;

static int setup(void **state) {
    static fixture f;
    f.diag = vta_diag_create(NULL);
    vt_ctx_init(&f.ctx, NULL, f.diag);
    *state = &f;
    return 0;
}

static int teardown(void **state) {
    fixture *f = *state;
    vt_ctx_clear(&f->ctx);
    vta_diag_destroy(f->diag);
    return 0;
}

/* Runs the body under vt_protect, where constructors may raise. */
static void run(void **state, vta_status (*body)(vt_ctx *ctx, void *arg)) {
    fixture *f = *state;
    f->x = f->y = f->z = NULL;
    vta_status status = vt_protect(&f->ctx, body, f);
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(f->diag));
}

static void begin(fixture *f, int64_t nx, int64_t ny, int64_t nz) {
    vt_ctx *ctx = &f->ctx;
    f->an = vt_analyzer_new(ctx);
    f->x = vt_var_new(ctx, "x", VT_I32);
    f->y = vt_var_new(ctx, "y", VT_I32);
    f->z = vt_var_new(ctx, "z", VT_I32);
    if (nx) vt_analyzer_bind_range(f->an, f->x, vt_i32(ctx, 0), vt_i32(ctx, nx), false);
    if (ny) vt_analyzer_bind_range(f->an, f->y, vt_i32(ctx, 0), vt_i32(ctx, ny), false);
    if (nz) vt_analyzer_bind_range(f->an, f->z, vt_i32(ctx, 0), vt_i32(ctx, nz), false);
}

/* "x: int32" at the first mention is the printer's; take the types out for the comparison. */
static void expect(fixture *f, const vt_expr *e, const char *text) {
    char plain[512];
    size_t n = 0;
    const char *s = vt_expr_text(&f->ctx, e);
    for (; *s && n < sizeof plain - 1; s++) {
        if (s[0] == ':' && s[1] == ' ' && s[2] == 'i') s += 7;
        if (!*s) break;
        plain[n++] = *s;
    }
    plain[n] = 0;
    assert_string_equal(plain, text);
}

#define C (&f->ctx)
#define N(k) vt_i32(C, k)
#define ADD(a, b) vt_add(C, a, b)
#define SUB(a, b) vt_sub(C, a, b)
#define MUL(a, b) vt_mul(C, a, b)
#define FDIV(a, b) vt_floordiv(C, a, b)
#define FMOD(a, b) vt_floormod(C, a, b)

static vta_status canonical_body(vt_ctx *ctx, void *arg) {
    (void)ctx;
    fixture *f = arg;
    begin(f, 16, 16, 16);
    /* The index of a padded convolution's input. */
    const vt_expr *e = ADD(MUL(ADD(MUL(ADD(MUL(f->x, N(14)), SUB(f->y, N(1))), N(14)), SUB(f->z, N(1))), N(16)), N(3));
    expect(f, vt_simplify(f->an, e), "((((x*3136) + (y*224)) + (z*16)) - 237)");
    expect(f, vt_simplify(f->an, SUB(ADD(f->x, f->y), f->x)), "y");
    expect(f, vt_simplify(f->an, FDIV(ADD(MUL(f->x, N(16)), f->y), N(16))), "x");
    expect(f, vt_simplify(f->an, FMOD(ADD(MUL(f->x, N(16)), f->y), N(16))), "y");
    expect(f, vt_simplify(f->an, ADD(MUL(FDIV(f->x, N(4)), N(4)), FMOD(f->x, N(4)))), "x");
    expect(f, vt_simplify(f->an, ADD(MUL(f->x, N(2)), MUL(f->y, N(8)))), "((y*8) + (x*2))");
    expect(f, vt_simplify(f->an, FDIV(ADD(f->x, MUL(f->y, N(4))), N(8))), "floordiv(((y*4) + x), 8)");
    return VTA_OK;
}

/* A let of a number or of another variable is put in its place; what is computed stays named. */
static vta_status let_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 0, 0, 0);
    expect(f, vt_simplify(f->an, vt_e_let(ctx, f->x, N(3), ADD(f->x, f->y))), "(y + 3)");
    begin(f, 0, 0, 0);
    expect(f, vt_simplify(f->an, vt_e_let(ctx, f->x, f->z, ADD(f->x, f->y))), "(z + y)");
    begin(f, 0, 0, 0);
    expect(f, vt_simplify(f->an, vt_e_let(ctx, f->x, ADD(f->y, f->z), f->x)), "let x = (y + z) in x");
    return VTA_OK;
}

static vta_status minmax_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 2, 0, 0);
    const vt_expr *top = MUL(f->x, N(7));
    expect(f, vt_simplify(f->an, vt_max(ctx, SUB(N(1), top), N(0))), "max((1 - (x*7)), 0)");
    const vt_expr *bottom = vt_max(ctx, SUB(top, N(6)), N(0));
    expect(f, vt_simplify(f->an, bottom), "max(((x*7) - 6), 0)");
    const vt_expr *rows = SUB(SUB(N(9), vt_max(ctx, SUB(N(1), top), N(0))), bottom);
    expect(f, vt_simplify(f->an, rows), "((9 - max((1 - (x*7)), 0)) - max(((x*7) - 6), 0))");
    expect(f, vt_simplify(f->an, vt_min(ctx, f->x, N(5))), "x");
    return VTA_OK;
}

static vta_status logic_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 16, 0, 0);
    const vt_expr *c = vt_and(ctx, vt_le(ctx, N(0), SUB(f->x, N(1))), vt_lt(ctx, SUB(f->x, N(1)), N(14)));
    expect(f, vt_simplify(f->an, c), "((1 <= x) && (x < 15))");
    assert_true(vt_prove(f->an, vt_lt(ctx, f->x, N(16))));
    assert_false(vt_prove(f->an, vt_lt(ctx, f->x, N(15))));
    vt_scope scope = vt_analyzer_enter(f->an, vt_lt(ctx, f->x, N(15)));
    assert_true(vt_prove(f->an, vt_lt(ctx, f->x, N(15))));
    assert_true(vt_prove(f->an, vt_lt(ctx, f->x, N(15))));
    vt_analyzer_leave(f->an, scope);
    assert_false(vt_prove(f->an, vt_lt(ctx, f->x, N(15))));
    const vt_expr *likely = vt_likely(ctx, vt_lt(ctx, MUL(f->x, N(4)), f->y));
    expect(f, vt_simplify(f->an, likely), "@tir.likely(((x*4) < y), dtype=bool)");
    return VTA_OK;
}

/* What follows from a condition is forgotten with it, also where something else was learned meanwhile, which stays. */
static vta_status scopes_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    for (int learn = 0; learn < 4; learn++) { /* in the outer scope, in the inner one */
        begin(f, 16, 0, 0);
        const vt_expr *x15 = vt_lt(ctx, f->x, N(15)), *x7 = vt_lt(ctx, f->x, N(7)), *y4 = vt_lt(ctx, f->y, N(4)),
                      *z3 = vt_lt(ctx, f->z, N(3));
        vt_scope outer = vt_analyzer_enter(f->an, x15);
        if (learn & 1) vt_analyzer_bind_range(f->an, f->y, N(0), N(4), false);
        assert_true(vt_prove(f->an, x15) && !vt_prove(f->an, x7));
        vt_scope inner = vt_analyzer_enter(f->an, x7);
        if (learn & 2) vt_analyzer_bind_range(f->an, f->z, N(0), N(3), false);
        assert_true(vt_prove(f->an, x15) && vt_prove(f->an, x7));
        vt_analyzer_leave(f->an, inner);
        assert_true(vt_prove(f->an, x15) && !vt_prove(f->an, x7));
        vt_analyzer_leave(f->an, outer);
        assert_true(!vt_prove(f->an, x15) && !vt_prove(f->an, x7));
        assert_int_equal(vt_prove(f->an, y4), learn & 1);
        assert_int_equal(vt_prove(f->an, z3), learn >> 1);
    }
    return VTA_OK;
}

#define CALL(type, op, ...)                                                                                            \
    vt_e_call(ctx, type, op, sizeof((const vt_expr *[]){__VA_ARGS__}) / sizeof(const vt_expr *),                       \
              (const vt_expr *[]){__VA_ARGS__})

/* Calls, choices, lets: a condition says more of the values that it chooses. */
static vta_status choices_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 16, 0, 0);
    const vt_expr *x = f->x, *y = f->y, *z = f->z;
    const vt_expr *some = vt_lt(ctx, x, N(5)), *all = vt_lt(ctx, x, N(16)), *none = vt_lt(ctx, x, N(0));
    const vt_expr *other = vt_lt(ctx, y, N(3)), *seven = vt_min(ctx, x, N(7)), *product = MUL(x, y);
    const vt_var *k = vt_var_new(ctx, "k", VT_I32), *l = vt_var_new(ctx, "l", VT_I32),
                 *m = vt_var_new(ctx, "m", VT_I32);
    const struct {
        const vt_expr *e;
        const char *is;
    } rows[] = {
        {CALL(VT_BOOL, VT_OP_LIKELY, vt_bool(ctx, true)), "True"},
        {CALL(VT_BOOL, VT_OP_LIKELY, all), "True"},
        {CALL(VT_BOOL, VT_OP_LIKELY, none), "False"},
        {CALL(VT_BOOL, VT_OP_LIKELY, some), "@tir.likely((x < 5), dtype=bool)"},
        {CALL(VT_I32, VT_OP_SHIFT_LEFT, N(3), N(2)), "12"},
        {CALL(VT_I32, VT_OP_SHIFT_RIGHT, N(13), N(2)), "3"},
        {CALL(VT_I32, VT_OP_SHIFT_RIGHT, N(13), x), "@tir.shift_right(13, x, dtype=int32)"},
        {CALL(VT_I32, VT_OP_SHIFT_LEFT, x, N(2)), "@tir.shift_left(x, 2, dtype=int32)"},
        {CALL(VT_I32, VT_OP_IF_THEN_ELSE, all, y, z), "y"},
        {CALL(VT_I32, VT_OP_IF_THEN_ELSE, none, y, z), "z"},
        {CALL(VT_I32, VT_OP_IF_THEN_ELSE, some, seven, seven), "@tir.if_then_else((x < 5), x, min(x, 7), dtype=int32)"},
        {CALL(VT_I32, VT_OP_IF_THEN_ELSE, some, CALL(VT_I32, VT_OP_IF_THEN_ELSE, other, y, z), z),
         "@tir.if_then_else(((x < 5) && (y < 3)), y, z, dtype=int32)"},
        {CALL(VT_I32, VT_OP_IF_THEN_ELSE, some, CALL(VT_I32, VT_OP_IF_THEN_ELSE, other, y, z), y),
         "@tir.if_then_else((x < 5), @tir.if_then_else((y < 3), y, z, dtype=int32), y, dtype=int32)"},
        {vt_e_select(ctx, all, y, z), "y"},
        {vt_e_select(ctx, none, y, z), "z"},
        {vt_e_select(ctx, some, vt_max(ctx, x, N(5)), vt_max(ctx, x, N(5))), "select((x < 5), 5, x)"},
        {vt_e_not(ctx, vt_lt(ctx, x, y)), "(y <= x)"},
        {vt_e_not(ctx, all), "False"},
        {vt_e_let(ctx, k, N(3), ADD(k, x)), "(x + 3)"},
        {vt_e_let(ctx, l, y, ADD(l, l)), "(y*2)"},
        {vt_e_let(ctx, m, product, ADD(m, N(1))), "let m = (x*y) in (m + 1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) expect(f, vt_simplify(f->an, rows[i].e), rows[i].is);
    return VTA_OK;
}

/* What an expression is the sum of: a number and multiples of another. x is from 0 to 15, y and z are any. */
static vta_status modular_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 16, 0, 0);
    const vt_expr *x = f->x, *y6 = MUL(f->y, N(6)), *z4 = MUL(f->z, N(4));
    const vt_var *k = vt_var_new(ctx, "k", VT_I32), *b = vt_var_new(ctx, "b", VT_BOOL);
    const struct {
        const vt_expr *e;
        int64_t coeff, base;
    } rows[] = {
        {N(7), 0, 7},
        {f->y, 1, 0},
        {ADD(y6, N(4)), 6, 4},
        {ADD(y6, z4), 2, 0},
        {SUB(y6, N(1)), 6, 5},
        {SUB(N(1), ADD(z4, N(3))), 4, 2},
        {MUL(ADD(y6, N(3)), ADD(z4, N(2))), 12, 6},
        {MUL(ADD(y6, N(1)), N(5)), 30, 5},
        {vt_min(ctx, ADD(y6, N(1)), ADD(z4, N(3))), 2, 1},
        {vt_max(ctx, ADD(y6, N(2)), ADD(MUL(f->z, N(12)), N(4))), 2, 0},
        {vt_e_select(ctx, b, ADD(y6, N(5)), ADD(MUL(f->z, N(9)), N(2))), 3, 2},
        {vt_e_select(ctx, b, N(8), N(8)), 0, 8},
        {vt_e_select(ctx, b, N(8), N(5)), 1, 0},
        {vt_floordiv(ctx, MUL(f->y, N(12)), N(4)), 3, 0},
        {vt_floordiv(ctx, ADD(MUL(f->y, N(12)), N(9)), N(4)), 3, 2},
        {vt_floordiv(ctx, MUL(f->y, N(12)), N(5)), 1, 0},
        {vt_floormod(ctx, ADD(MUL(f->y, N(12)), N(7)), N(8)), 4, 3},
        {vt_floormod(ctx, y6, N(4)), 2, 0},
        {vt_div(ctx, ADD(MUL(x, N(12)), N(9)), N(4)), 3, 2},    /* never below 0 */
        {vt_div(ctx, ADD(MUL(f->y, N(12)), N(9)), N(4)), 1, 0}, /* rounds up below 0 */
        {vt_mod(ctx, ADD(MUL(x, N(12)), N(7)), N(8)), 4, 3},
        {vt_mod(ctx, ADD(MUL(f->y, N(12)), N(7)), N(8)), 1, 0},
        {CALL(VT_I32, VT_OP_SHIFT_RIGHT, MUL(f->y, N(12)), N(2)), 3, 0},
        {CALL(VT_I32, VT_OP_SHIFT_RIGHT, MUL(f->y, N(12)), x), 1, 0},
        {CALL(VT_I32, VT_OP_SHIFT_LEFT, MUL(f->y, N(12)), N(2)), 1, 0},
        {vt_e_cast(ctx, VT_I64, y6), 6, 0},
        {vt_e_cast(ctx, VT_I8, MUL(x, N(6))), 6, 0}, /* at most 90 */
        {vt_e_cast(ctx, VT_I8, MUL(x, N(9))), 1, 0}, /* 135 wraps */
        {vt_e_let(ctx, k, y6, ADD(k, N(2))), 6, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vt_modular m = vt_modular_set(f->an, rows[i].e);
        if (m.coeff != rows[i].coeff || m.base != rows[i].base)
            fail_msg("%s: %d and multiples of %d", vt_expr_text(ctx, rows[i].e), (int)m.base, (int)m.coeff);
    }
    return VTA_OK;
}

static vta_status sets_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 0, 0, 0);
    vt_dommap *dom = vt_dommap_new(ctx);
    vt_dommap_set_range(dom, f->x, (vt_range){N(0), N(14)});
    vt_dommap_set_range(dom, f->y, (vt_range){N(0), N(3)});
    vt_intset s = vt_eval_set(f->an, ADD(ADD(f->x, f->y), MUL(f->z, N(7))), dom);
    vt_range r = vt_intset_cover(f->an, s, (vt_range){0});
    expect(f, r.min, "(z*7)");
    expect(f, r.extent, "16");
    vt_intset d = vt_deduce_bound(ctx, f->z, vt_lt(ctx, ADD(MUL(f->z, N(4)), f->x), N(30)), dom, dom);
    assert_null(d.min);
    expect(f, vt_simplify(f->an, d.max), "4");
    return VTA_OK;
}

static vta_status linear_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 0, 0, 0);
    const vt_var *vars[] = {f->x, f->y};
    const vt_expr *coeffs[3], *bounds[4];
    assert_true(vt_detect_linear(ctx, ADD(ADD(MUL(f->x, N(14)), MUL(f->y, f->z)), N(5)), 2, vars, coeffs));
    expect(f, coeffs[0], "14");
    expect(f, coeffs[1], "z");
    expect(f, coeffs[2], "5");
    assert_false(vt_detect_linear(ctx, MUL(f->x, f->x), 2, vars, coeffs));
    assert_false(vt_detect_linear(ctx, FDIV(f->x, N(2)), 2, vars, coeffs));
    const vt_expr *c = vt_and(ctx, vt_le(ctx, N(1), f->x), vt_lt(ctx, ADD(f->x, f->z), N(15)));
    assert_true(vt_detect_clip_bound(vt_analyzer_new(ctx), c, 2, vars, bounds));
    expect(f, bounds[0], "1");
    expect(f, bounds[1], "(14 - z)");
    assert_null(bounds[2]);
    assert_null(bounds[3]);
    assert_false(vt_detect_clip_bound(vt_analyzer_new(ctx), vt_lt(ctx, f->z, N(3)), 2, vars, bounds));
    return VTA_OK;
}

/* Work grows with the depth of an expression, not with its exponent: seen in the memory it takes. */
static vta_status deep_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    for (int kind = 0; kind < 5; kind++) {
        begin(f, 0, 0, 0);
        const vt_expr *e = f->x;
        for (int i = 0; i < 40; i++) {
            const vt_var *v = vt_var_new(ctx, "v", VT_I32), *w = vt_var_new(ctx, "w", VT_I32);
            switch (kind) {
            case 0: e = ADD(v, vt_max(ctx, e, w)); break;
            case 1: e = vt_select(ctx, vt_lt(ctx, v, e), w, v); break;
            case 2: e = vt_if_then_else(ctx, vt_lt(ctx, e, v), w, ADD(w, v)); break;
            case 3: e = FMOD(ADD(MUL(e, N(3)), v), N(7)); break;
            default: e = vt_min(ctx, SUB(N(5), e), N(i)); break;
            }
        }
        size_t before = ctx->arena.bytes;
        vt_simplify(f->an, e);
        assert_true(ctx->arena.bytes - before < (size_t)8 << 20);
    }
    return VTA_OK;
}

/* What cancels a divisor must know that it is not 0: x // 0 is 0, x % 0 is x. */
static vta_status divisors_body(vt_ctx *ctx, void *arg) {
    (void)ctx;
    fixture *f = arg;
    begin(f, 16, 16, 16);
    const vt_expr *x = f->x, *y = f->y, *z = f->z, *x1 = ADD(x, N(1));
    const vt_expr *minus = SUB(x, N(20)), *three = MUL(x, N(3)),
                  *rows[][3] = {
                      /* over a divisor that may be 0, over one that is positive, over one that is negative */
                      {FDIV(x, x), FDIV(x1, x1), FDIV(minus, minus)},
                      {vt_div(C, x, x), vt_div(C, x1, x1), vt_div(C, minus, minus)},
                      {FDIV(three, x), FDIV(MUL(x1, N(3)), x1), NULL},
                      {FDIV(MUL(z, x), x), FDIV(MUL(z, x1), x1), NULL},
                      {FDIV(ADD(MUL(z, x), y), x), FDIV(ADD(MUL(z, x1), y), x1), NULL},
                      {FDIV(ADD(y, x), x), FDIV(ADD(y, x1), x1), NULL},
                      {vt_div(C, MUL(z, x), x), vt_div(C, MUL(z, x1), x1), NULL},
                      {vt_div(C, ADD(y, x), x), vt_div(C, ADD(y, x1), x1), NULL},
                      {FDIV(three, MUL(x, N(2))), FDIV(MUL(x1, N(3)), MUL(x1, N(2))), NULL},
                  };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int k = 0; k < 3 && rows[i][k]; k++)
            for (int64_t at = 0; at < 4 * 3 * 3; at++) {
                const vt_var *vars[] = {f->x, f->y, f->z};
                vt_value values[3], before, after;
                for (int v = 0; v < 3; v++) values[v] = (vt_value){.dtype = VT_I32};
                values[0].u.i = at % 4, values[1].u.i = at / 4 % 3, values[2].u.i = at / 12 * 5;
                const vt_expr *simple = vt_simplify(f->an, rows[i][k]);
                assert_int_equal(vt_interp_expr(C, rows[i][k], 3, vars, values, &before), VTA_OK);
                assert_int_equal(vt_interp_expr(C, simple, 3, vars, values, &after), VTA_OK);
                if (before.u.i != after.u.i)
                    fail_msg("%s became %s", vt_expr_text(C, rows[i][k]), vt_expr_text(C, simple));
            }
    expect(f, vt_simplify(f->an, FDIV(x1, x1)), "1");
    expect(f, vt_simplify(f->an, FDIV(minus, minus)), "1");
    expect(f, vt_rewrite_simplify(f->an, FDIV(x, x)), "floordiv(x, x)");
    expect(f, vt_rewrite_simplify(f->an, ADD(MUL(FDIV(y, x), x), FMOD(y, x))), "y"); /* of any x */
    return VTA_OK;
}

/* Rules that simplify their result again do so up to a depth: of one expression, not of all that an analyzer sees. */
static vta_status again_body(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    begin(f, 8, 8, 8);
    for (int i = 1; i <= 20; i++) { /* (2x + i) + 3x: the constant goes to the end first */
        const vt_expr *low = vt_e_bin(C, VT_E_ADD, MUL(f->x, N(2)), N(i));
        const vt_expr *sum = vt_rewrite_simplify(f->an, vt_e_bin(C, VT_E_ADD, low, MUL(f->x, N(3))));
        expect(f, sum, vt_new_format(ctx, "((x*5) + %d)", i));
    }
    return VTA_OK;
}

static void test_again(void **state) { run(state, again_body); }
static void test_divisors(void **state) { run(state, divisors_body); }
static void test_canonical(void **state) { run(state, canonical_body); }
static void test_let(void **state) { run(state, let_body); }
static void test_minmax(void **state) { run(state, minmax_body); }
static void test_scopes(void **state) { run(state, scopes_body); }
static void test_logic(void **state) { run(state, logic_body); }
static void test_choices(void **state) { run(state, choices_body); }
static void test_modular(void **state) { run(state, modular_body); }
static void test_sets(void **state) { run(state, sets_body); }
static void test_linear(void **state) { run(state, linear_body); }
static void test_deep(void **state) { run(state, deep_body); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_divisors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_again, setup, teardown),
        cmocka_unit_test_setup_teardown(test_canonical, setup, teardown),
        cmocka_unit_test_setup_teardown(test_let, setup, teardown),
        cmocka_unit_test_setup_teardown(test_minmax, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scopes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_logic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_choices, setup, teardown),
        cmocka_unit_test_setup_teardown(test_modular, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_linear, setup, teardown),
        cmocka_unit_test_setup_teardown(test_deep, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
