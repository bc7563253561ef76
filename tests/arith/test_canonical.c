/* The canonical form of sums with quotients and remainders: what it is, and that it keeps the value. */
#include "arith/analyzer.h"
#include "arith/values.h"
#include "ir/build.h"
#include "ir/support.h"

/* x and y are from 0 to 15, z from 5 to 20; u and v are any. */
typedef struct scene {
    vt_ctx *ctx;
    vt_analyzer *an;
    values v;
} scene;

enum { X, Y, Z, U, V, VARS };
static const int64_t least[VARS] = {[Z] = 5, [U] = -40, [V] = -40};

static scene new_scene(vt_ctx *ctx) {
    static const char names[VARS][2] = {"x", "y", "z", "u", "v"};
    scene s = {.ctx = ctx, .an = vt_analyzer_new(ctx), .v = {.n = VARS}};
    for (int k = 0; k < VARS; k++) {
        s.v.vars[k] = vt_var_new(ctx, names[k], VT_I32);
        if (k <= Z) vt_analyzer_bind_range(s.an, s.v.vars[k], vt_i32(ctx, least[k]), vt_i32(ctx, 16), false);
    }
    return s;
}

typedef struct row {
    const vt_expr *e;
    const char *is;
} row;

static void check(const scene *s, const row *r) {
    const vt_expr *got = vt_canonical_simplify(s->an, r->e);
    if (strcmp(plain_text(s->ctx, got), r->is) != 0)
        fail_msg("%s is %s, not %s", plain_text(s->ctx, r->e), plain_text(s->ctx, got), r->is);
    check_random random = {20261123};
    for (int i = 0; i < 200; i++) {
        values v = s->v;
        for (int k = 0; k < VARS; k++) v.of[k] = check_between(&random, least[k], least[k] + (k <= Z ? 15 : 80));
        if (value_of(r->e, &v, 0).i != value_of(got, &v, 0).i)
            fail_msg("%s became %s, which differs for%s", plain_text(s->ctx, r->e), plain_text(s->ctx, got),
                     values_text(s->ctx, &v));
    }
}

#define N(k) vt_i32(ctx, k)
#define ADD(a, b) vt_e_bin(ctx, VT_E_ADD, a, b)
#define SUB(a, b) vt_e_bin(ctx, VT_E_SUB, a, b)
#define MUL(a, k) vt_e_bin(ctx, VT_E_MUL, a, N(k))
#define FDIV(a, k) vt_e_bin(ctx, VT_E_FLOORDIV, a, N(k))
#define FMOD(a, k) vt_e_bin(ctx, VT_E_FLOORMOD, a, N(k))
#define TDIV(a, k) vt_e_bin(ctx, VT_E_DIV, a, N(k))
#define TMOD(a, k) vt_e_bin(ctx, VT_E_MOD, a, N(k))

/* Quotients and remainders that are neighbouring digits of one number become one. */
static vta_status digits_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s = new_scene(ctx);
    const vt_var *u = s.v.vars[U], *v = s.v.vars[V];
    const row rows[] = {
        {ADD(MUL(FDIV(u, 4), 4), FMOD(u, 4)), "u"},
        {ADD(MUL(TDIV(u, 4), 4), TMOD(u, 4)), "u"},
        {ADD(FMOD(u, 4), MUL(FDIV(u, 4), 4)), "u"},
        {ADD(MUL(FDIV(u, 4), 8), MUL(FMOD(u, 4), 2)), "(u*2)"},
        {ADD(MUL(FDIV(u, 12), 3), FMOD(FDIV(u, 4), 3)), "floordiv(u, 4)"},
        {ADD(MUL(FDIV(FMOD(u, 24), 4), 4), FMOD(u, 4)), "floormod(u, 24)"},
        {ADD(ADD(MUL(FDIV(u, 16), 16), MUL(FMOD(FDIV(u, 4), 4), 4)), FMOD(u, 4)), "u"},
        {ADD(ADD(MUL(FDIV(u, 4), 4), MUL(v, 2)), FMOD(u, 4)), "((v*2) + u)"},
        {SUB(ADD(MUL(FDIV(u, 4), 4), FMOD(v, 4)), FMOD(u, 4)),
         "(((floordiv(u, 4)*4) + floormod(v, 4)) - floormod(u, 4))"},
        {SUB(MUL(FDIV(u, 4), -4), FMOD(u, 4)), "(0 - u)"},
        {ADD(MUL(FDIV(u, 4), 4), FMOD(v, 4)), "((floordiv(u, 4)*4) + floormod(v, 4))"},
        {ADD(MUL(FDIV(u, 4), 4), TMOD(u, 4)), "((floordiv(u, 4)*4) + (u % 4))"},
        {ADD(MUL(FDIV(u, 4), 4), FMOD(u, 8)), "((floordiv(u, 4)*4) + floormod(u, 8))"},
        {ADD(MUL(FDIV(u, 4), 3), FMOD(u, 4)), "((floordiv(u, 4)*3) + floormod(u, 4))"},
        {ADD(MUL(FDIV(u, 4), 4), MUL(FMOD(u, 4), 2)), "((floordiv(u, 4)*4) + (floormod(u, 4)*2))"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) check(&s, &rows[r]);
    return VTA_OK;
}

/* What a divisor divides leaves the dividend: of truncating division only where no part is negative. */
static vta_status parts_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s = new_scene(ctx);
    const vt_var *x = s.v.vars[X], *y = s.v.vars[Y], *z = s.v.vars[Z], *u = s.v.vars[U], *v = s.v.vars[V];
    const vt_expr *two = ADD(ADD(MUL(x, 8), y), z), *any = ADD(MUL(u, 8), v);
    const row rows[] = {
        {FMOD(two, 8), "floormod((y + z), 8)"},
        {TMOD(two, 8), "((y + z) % 8)"},
        {FDIV(two, 8), "(floordiv((y + z), 8) + x)"},
        {TDIV(two, 8), "(((y + z) / 8) + x)"},
        {FMOD(any, 8), "floormod(v, 8)"},
        {TMOD(any, 8), "(((u*8) + v) % 8)"},
        {FDIV(any, 8), "(floordiv(v, 8) + u)"},
        {TDIV(any, 8), "(((u*8) + v) / 8)"},
        {FMOD(ADD(two, N(21)), 8), "floormod(((y + z) + 5), 8)"},
        {TMOD(ADD(two, N(21)), 8), "(((y + z) + 5) % 8)"},
        {FMOD(SUB(two, N(21)), 8), "floormod(((y + z) + 3), 8)"},
        {TMOD(SUB(two, N(21)), 8), "(((((x*8) + y) + z) - 21) % 8)"},
        {TMOD(SUB(two, N(3)), 8), "(((y + z) - 3) % 8)"},
        {TMOD(SUB(z, N(5)), 3), "((z - 2) % 3)"},
        {TMOD(SUB(z, N(6)), 3), "((z - 6) % 3)"},
        {FMOD(SUB(z, N(6)), 3), "floormod(z, 3)"},
        {FDIV(ADD(two, N(21)), 8), "(floordiv(((y + z) + 21), 8) + x)"},
        {TDIV(ADD(two, N(21)), 8), "((((y + z) + 21) / 8) + x)"},
        {FDIV(ADD(two, N(16)), 8), "((floordiv((y + z), 8) + x) + 2)"},
        {FMOD(ADD(MUL(x, 8), N(21)), 8), "5"},
        {TMOD(ADD(MUL(x, 8), N(21)), 8), "5"},
        {FDIV(ADD(MUL(x, 8), N(21)), 8), "(x + 2)"},
        {TDIV(ADD(MUL(x, 8), N(21)), 8), "(x + 2)"},
        {FMOD(ADD(MUL(u, 8), N(21)), 8), "5"},
        {TMOD(ADD(MUL(u, 8), N(21)), 8), "(((u*8) + 21) % 8)"},
        {FMOD(ADD(MUL(x, 32), y), 32), "y"},
        {TMOD(ADD(MUL(x, 32), y), 32), "y"},
        {FDIV(ADD(MUL(x, 32), y), 32), "x"},
        {TDIV(ADD(MUL(x, 32), y), 32), "x"},
        {FMOD(ADD(MUL(x, 32), MUL(y, 8)), 16), "(floormod(y, 2)*8)"},
        {TMOD(ADD(MUL(x, 32), MUL(y, 8)), 16), "((y % 2)*8)"},
        {TMOD(MUL(u, 8), 4), "0"},
        {TMOD(MUL(u, 4), 8), "((u % 2)*4)"},
        {FMOD(MUL(u, 4), 8), "(floormod(u, 2)*4)"},
        {FMOD(x, 16), "x"},
        {TMOD(x, 16), "x"},
        {FDIV(x, 16), "0"},
        {TDIV(x, 16), "0"},
        {FMOD(x, 15), "floormod(x, 15)"},
        {TMOD(x, 15), "(x % 15)"},
        {FDIV(z, 20), "floordiv(z, 20)"},
        {TDIV(z, 20), "(z / 20)"},
        {FMOD(u, 16), "floormod(u, 16)"},
        {TMOD(FMOD(u, 8), 8), "floormod(u, 8)"},
        {FMOD(TMOD(u, 8), 8), "floormod((u % 8), 8)"},
        {TMOD(SUB(ADD(MUL(x, 8), MUL(y, 8)), N(5)), 8), "((((x*8) + (y*8)) - 5) % 8)"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) check(&s, &rows[r]);
    return VTA_OK;
}

TEST_CASE(digits) { run_in_context(digits_body, NULL, VTA_OK, NULL); }

TEST_CASE(parts) { run_in_context(parts_body, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
