/* What the last check knows of values: random expressions at random places, against all iterations one by one. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "support/check.h"

#include "ir/build.h"
#include "lower/vta/verify_range.h"
#include "support/check.h"

enum { MAX_BINDERS = 5, MAX_VARS = 12, ROUNDS = 40000 };

/* A place as the test sees it: binders, outermost first. */
typedef struct binder {
    vt_binder_kind kind;
    bool holds;
    const vt_var *var;
    const vt_expr *first, *extent; /* first: a loop's first value, a let's value, a condition */
} binder;

typedef struct place {
    vt_ctx *ctx;
    check_random random;
    bool plain; /* sums alone, over loops of constant bounds */
    uint32_t n;
    binder binders[MAX_BINDERS];
    uint32_t vars; /* that may be used now, the newest last */
    const vt_var *var[MAX_VARS];
    int64_t value[MAX_VARS];
    vt_path path;
} place;

static uint32_t draw(place *p, uint32_t n) { return check_next(&p->random) % n; }
static int64_t between(place *p, int least, int most) { return least + (int64_t)draw(p, (uint32_t)(most - least + 1)); }
static const vt_expr *number(place *p, int64_t x) { return vt_i32(p->ctx, x); }

/* ---- Random expressions ------------------------------------------------------------------------------------------ */

static const vt_expr *expression(place *p, int depth);

static const vt_expr *compared(place *p, int depth) {
    static const vt_expr_kind kinds[] = {VT_E_LT, VT_E_LE, VT_E_GT, VT_E_GE, VT_E_EQ, VT_E_NE};
    const vt_expr *x = expression(p, depth);
    const vt_expr *y = draw(p, 2) ? expression(p, depth) : number(p, between(p, -9, 30));
    return vt_e_bin(p->ctx, kinds[draw(p, 6)], x, y);
}

static const vt_expr *condition(place *p, int depth) {
    uint32_t how = depth > 0 ? draw(p, 12) : 0;
    if (how < 7) return compared(p, depth - 1);
    if (how == 7) return vt_e_not(p->ctx, condition(p, depth - 1));
    if (how == 11) return vt_bool(p->ctx, draw(p, 2));
    const vt_expr *c = condition(p, depth - 1);
    if (how == 10) return vt_e_call(p->ctx, VT_BOOL, VT_OP_LIKELY, 1, &c);
    return vt_e_bin(p->ctx, how == 8 ? VT_E_AND : VT_E_OR, c, condition(p, depth - 1));
}

static const vt_expr *leaf(place *p) {
    if (!p->vars || draw(p, 4) == 0) return number(p, between(p, -6, 12));
    return p->var[draw(p, p->vars)];
}

static const vt_expr *sum(place *p, int depth) {
    const vt_expr *x = expression(p, depth - 1);
    if (draw(p, 3) == 0) return vt_e_bin(p->ctx, VT_E_MUL, x, number(p, between(p, -5, 9)));
    const vt_expr *y = expression(p, depth - 1); /* one draw a statement: compilers choose the order of arguments */
    return vt_e_bin(p->ctx, draw(p, 3) ? VT_E_ADD : VT_E_SUB, x, y);
}

/* A let inside of an expression. */
static const vt_expr *with_let(place *p, int depth) {
    const vt_expr *value = expression(p, depth - 1);
    if (p->vars == MAX_VARS) return value;
    const vt_var *v = vt_var_new(p->ctx, "inner", VT_I32);
    p->var[p->vars++] = v;
    const vt_expr *body = expression(p, depth - 1);
    p->vars--;
    return vt_e_let(p->ctx, v, value, body);
}

static const vt_expr *expression(place *p, int depth) {
    static const vt_expr_kind divisions[] = {VT_E_FLOORDIV, VT_E_FLOORMOD, VT_E_DIV, VT_E_MOD};
    vt_ctx *ctx = p->ctx;
    if (depth <= 0 || draw(p, 6) == 0) return leaf(p);
    if (p->plain) return sum(p, depth);
    switch (draw(p, 12)) {
    case 0:
    case 1: {
        const vt_expr *x = expression(p, depth - 1);
        int64_t by = between(p, 1, 7);
        return vt_e_bin(ctx, divisions[draw(p, 4)], x, number(p, by));
    }
    case 2:
    case 3: {
        const vt_expr *x = expression(p, depth - 1);
        const vt_expr *y = expression(p, depth - 1);
        return vt_e_bin(ctx, draw(p, 2) ? VT_E_MIN : VT_E_MAX, x, y);
    }
    case 4: {
        const vt_expr *args[] = {condition(p, depth - 1), expression(p, depth - 1), expression(p, depth - 1)};
        if (draw(p, 2)) return vt_e_call(ctx, VT_I32, VT_OP_IF_THEN_ELSE, 3, args);
        return vt_e_select(ctx, args[0], args[1], args[2]);
    }
    case 5: {
        static const vt_op ops[] = {VT_OP_SHIFT_RIGHT, VT_OP_SHIFT_LEFT, VT_OP_BITWISE_AND};
        uint32_t which = draw(p, 3);
        const vt_expr *args[] = {expression(p, depth - 1),
                                 number(p, which == 2 ? (INT64_C(1) << draw(p, 4)) - 1 : between(p, 0, 3))};
        return vt_e_call(ctx, VT_I32, ops[which], 2, args);
    }
    case 6: return with_let(p, depth);
    case 7: {
        const vt_expr *x = expression(p, depth - 1);
        return vt_e_bin(ctx, VT_E_MUL, x, expression(p, depth - 1));
    }
    case 8: {
        const vt_expr *x = expression(p, depth - 1);
        return draw(p, 2) ? vt_e_cast(ctx, VT_I32, vt_e_cast(ctx, VT_I64, x))
                          : vt_e_call(ctx, VT_I32, VT_OP_LIKELY, 1, &x);
    }
    default: return sum(p, depth);
    }
}

/* Now and then numbers that are too large to count with. */
static const vt_expr *any_expression(place *p) {
    if (draw(p, 10)) return expression(p, 4);
    const vt_expr *x = expression(p, 2), *far;
    uint32_t size = 20 + draw(p, 11);
    far = number(p, (INT64_C(1) << size) * (draw(p, 2) ? 1 : -1));
    x = vt_e_bin(p->ctx, VT_E_MUL, x, far);
    if (draw(p, 2)) x = vt_e_bin(p->ctx, VT_E_MUL, x, number(p, between(p, -200, 200)));
    return vt_e_bin(p->ctx, VT_E_ADD, x, expression(p, 2));
}

/* ---- Their values, one iteration at a time ----------------------------------------------------------------------- */

static int64_t value_of(place *p, const vt_expr *e);

static int64_t floor_of(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

static int64_t value_of_var(const place *p, const vt_expr *e) {
    for (uint32_t i = p->vars; i-- > 0;)
        if (p->var[i] == e) return p->value[i];
    fail_msg("a variable without a value");
    return 0;
}

static int64_t value_of_call(place *p, const vt_expr *e) {
    if (e->u.op == VT_OP_LIKELY) return value_of(p, e->a[0]);
    if (e->u.op == VT_OP_IF_THEN_ELSE) return value_of(p, e->a[value_of(p, e->a[0]) ? 1 : 2]);
    int64_t x = value_of(p, e->a[0]), y = value_of(p, e->a[1]);
    if (e->u.op == VT_OP_SHIFT_LEFT) return x * (INT64_C(1) << y);
    return e->u.op == VT_OP_SHIFT_RIGHT ? floor_of(x, INT64_C(1) << y) : x & y;
}

static int64_t value_of_let(place *p, const vt_expr *e) {
    int64_t value = value_of(p, e->a[0]);
    assert_true(p->vars < MAX_VARS);
    p->var[p->vars] = e->u.let_var;
    p->value[p->vars++] = value;
    value = value_of(p, e->a[1]);
    p->vars--;
    return value;
}

static int64_t value_of(place *p, const vt_expr *e) {
    if (e->kind == VT_E_INT) return e->u.i;
    if (e->kind == VT_E_VAR) return value_of_var(p, e);
    if (e->kind == VT_E_CALL) return value_of_call(p, e);
    if (e->kind == VT_E_LET) return value_of_let(p, e);
    if (e->kind == VT_E_SELECT) return value_of(p, e->a[value_of(p, e->a[0]) ? 1 : 2]);
    if (e->kind == VT_E_NOT) return !value_of(p, e->a[0]);
    if (e->kind == VT_E_CAST) return value_of(p, e->a[0]);
    int64_t x = value_of(p, e->a[0]), y = value_of(p, e->a[1]);
    switch (e->kind) {
    case VT_E_ADD: return x + y;
    case VT_E_SUB: return x - y;
    case VT_E_MUL: return x * y;
    case VT_E_DIV: return x / y;
    case VT_E_MOD: return x % y;
    case VT_E_FLOORDIV: return floor_of(x, y);
    case VT_E_FLOORMOD: return x - floor_of(x, y) * y;
    case VT_E_MIN: return x < y ? x : y;
    case VT_E_MAX: return x > y ? x : y;
    case VT_E_LT: return x < y;
    case VT_E_LE: return x <= y;
    case VT_E_GT: return x > y;
    case VT_E_GE: return x >= y;
    case VT_E_EQ: return x == y;
    case VT_E_NE: return x != y;
    case VT_E_AND: return x && y;
    case VT_E_OR: return x || y;
    default: fail_msg("kind %d", e->kind);
    }
    return 0;
}

/* What is found in all iterations of a place, or of the part to which its path is cut. */
typedef struct seen {
    uint64_t n;
    int64_t least, most;   /* of `value` */
    uint64_t held, broken; /* of `truth` */
    uint64_t below, above; /* of what is demanded */
    const vt_expr *value, *truth, *when;
    bool sides;        /* `when` is always so */
    int64_t low, high; /* between which the value shall be, where when >= 1 */
} seen;

static void look(place *p, seen *s) {
    int64_t v = value_of(p, s->value);
    if (!s->n || v < s->least) s->least = v;
    if (!s->n || v > s->most) s->most = v;
    s->n++;
    if (value_of(p, s->truth))
        s->held++;
    else
        s->broken++;
    if (value_of(p, s->when) < 1) return;
    s->below += v < s->low;
    s->above += v > s->high;
}

static void each(place *p, uint32_t at, bool cut, seen *s) {
    if (at == p->n) {
        look(p, s);
        return;
    }
    const binder *b = &p->binders[at];
    if (b->kind == VT_BINDER_IF) {
        if ((value_of(p, b->first) != 0) == b->holds) each(p, at + 1, cut, s);
        return;
    }
    int64_t first = value_of(p, b->first), last = first, lo, hi;
    if (b->kind == VT_BINDER_LOOP) last = first + value_of(p, b->extent) - 1;
    if (b->kind == VT_BINDER_LOOP && cut && vt__path_range(&p->path, at, &lo, &hi)) {
        first = first < lo ? lo : first;
        last = last > hi ? hi : last;
    }
    p->var[p->vars++] = b->var;
    for (int64_t i = first; i <= last; i++) {
        p->value[p->vars - 1] = i;
        each(p, at + 1, cut, s);
    }
    p->vars--;
}

static seen all_of(place *p, bool cut, const seen *what) {
    seen s = {.value = what->value, .truth = what->truth, .when = what->when, .sides = what->sides};
    s.low = what->low;
    s.high = what->high;
    uint32_t vars = p->vars;
    p->vars = 0;
    each(p, 0, cut, &s);
    p->vars = vars;
    return s;
}

/* ---- Random places ----------------------------------------------------------------------------------------------- */

static void add_loop(place *p, const char *name) {
    binder *b = &p->binders[p->n++];
    *b = (binder){.kind = VT_BINDER_LOOP, .var = vt_var_new(p->ctx, name, VT_I32)};
    b->first = p->plain || draw(p, 4) ? number(p, draw(p, 4) ? 0 : between(p, -4, 4)) : expression(p, 1);
    b->extent = number(p, between(p, 1, 6));
    if (!p->plain && draw(p, 4) == 0) /* as tails have them */
        b->extent = vt_e_bin(p->ctx, VT_E_MIN, b->extent, vt_e_bin(p->ctx, VT_E_SUB, number(p, 7), leaf(p)));
    vt__path_loop(&p->path, b->var, b->first, b->extent);
    p->var[p->vars++] = b->var;
}

static void add_let(place *p) {
    binder *b = &p->binders[p->n++];
    *b = (binder){.kind = VT_BINDER_LET, .var = vt_var_new(p->ctx, "let", VT_I32), .first = expression(p, 2)};
    vt__path_let(&p->path, b->var, b->first);
    p->var[p->vars++] = b->var;
}

static void add_if(place *p) {
    binder *b = &p->binders[p->n++];
    *b = (binder){.kind = VT_BINDER_IF, .holds = draw(p, 4) != 0};
    b->first = condition(p, 2);
    vt__path_if(&p->path, b->first, b->holds);
}

static void choose_place(place *p) {
    static const char *const names[] = {"i", "j", "k"};
    p->n = p->vars = 0;
    vt__path_begin(&p->path);
    uint32_t loops = 1 + draw(p, 3);
    for (uint32_t i = 0; i < loops; i++) {
        add_loop(p, names[i]);
        if (p->plain || p->n + (loops - i) > MAX_BINDERS) continue;
        if (draw(p, 4) == 0)
            add_let(p);
        else if (draw(p, 4) == 0)
            add_if(p);
    }
}

/* ---- The tests --------------------------------------------------------------------------------------------------- */

static const char below[] = "below", above[] = "above";

static void demand(void *user, vt_path *path, vt_demands *out) {
    const seen *s = user;
    vt_form value = vt__form_of(path, s->value), when = vt__form_of(path, s->when);
    if (s->sides)
        vt__demand_between(path, out, &value, s->low, s->high, below, above);
    else
        vt__demand(path, out, &value, &when, below);
}

typedef struct tally {
    uint64_t exact, bounded, tight, proven, broken, open, decided;
} tally;

/* Bounds hold, and are exact for sums over loops of constant bounds. */
static void check_bounds(place *p, const seen *s, tally *t) {
    vt_form f = vt__form_of(&p->path, s->value);
    int64_t c;
    if (!s->n) return;
    assert_true(vt__form_least(&p->path, &f) <= s->least && s->most <= vt__form_max(&p->path, &f));
    if (vt__form_is_const(&p->path, &f, &c)) assert_true(c == s->least && c == s->most);
    t->bounded += !f.unknown;
    t->tight += vt__form_least(&p->path, &f) == s->least && s->most == vt__form_max(&p->path, &f);
    if (!p->plain) return;
    assert_int_equal(vt__form_least(&p->path, &f), s->least);
    assert_int_equal(vt__form_max(&p->path, &f), s->most);
    t->exact++;
}

static void check_truth(place *p, const seen *s, tally *t) {
    vt_truth truth = vt__path_truth(&p->path, s->truth);
    if (truth == VT_HOLDS) assert_int_equal(s->broken, 0);
    if (truth == VT_BROKEN) assert_int_equal(s->held, 0);
    t->decided += truth != VT_OPEN;
}

/* "holds" is so everywhere; "broken" comes with iterations that are so. Afterwards the path is as before. */
static void check_proof(place *p, seen *s, tally *t) {
    const void *tag = NULL;
    vt_form before = vt__form_of(&p->path, s->value);
    vt_truth truth = vt__prove(&p->path, demand, s, &tag);
    if (truth == VT_HOLDS) assert_int_equal(s->below + s->above, 0);
    if (truth == VT_BROKEN) {
        seen part = all_of(p, true, s);
        assert_true(part.n > 0 && (tag == below ? part.below : part.above) == part.n);
    }
    if (p->plain) assert_int_equal(truth, s->below + s->above ? VT_BROKEN : VT_HOLDS);
    vt__path_uncut(&p->path);
    vt_form after = vt__form_of(&p->path, s->value);
    assert_int_equal(vt__form_least(&p->path, &before), vt__form_least(&p->path, &after));
    assert_int_equal(vt__form_max(&p->path, &before), vt__form_max(&p->path, &after));
    *(truth == VT_HOLDS ? &t->proven : truth == VT_BROKEN ? &t->broken : &t->open) += 1;
}

static vta_status rounds(vt_ctx *ctx, void *arg) {
    tally *t = arg;
    static place p;
    p = (place){.ctx = ctx, .random = {20261122}};
    for (int i = 0; i < ROUNDS; i++) {
        p.plain = i % 4 == 0;
        choose_place(&p);
        seen what = {.value = p.plain ? expression(&p, 4) : any_expression(&p), .truth = condition(&p, 3)};
        bool sides = what.sides = draw(&p, 2);
        what.when = sides ? number(&p, 1) : expression(&p, 2);
        what.low = sides ? between(&p, -20, 5) : 0;
        what.high = sides ? between(&p, 5, 60) : INT64_MAX;
        seen s = all_of(&p, false, &what);
        check_bounds(&p, &s, t);
        check_truth(&p, &s, t);
        check_proof(&p, &s, t);
        while (p.path.n) vt__path_pop(&p.path);
    }
    return VTA_OK;
}

TEST_CASE(random_places) {
    vt_ctx ctx;
    tally t = {0};
    vta_diag *diag = vta_diag_create(NULL);
    vt_ctx_init(&ctx, NULL, diag);
    assert_int_equal(vt_protect(&ctx, rounds, &t), VTA_OK);
    printf(
        "of %d: exact %llu, bounded %llu, tight %llu; proven %llu, broken %llu, open %llu; conditions decided %llu\n",
        ROUNDS, (unsigned long long)t.exact, (unsigned long long)t.bounded, (unsigned long long)t.tight,
        (unsigned long long)t.proven, (unsigned long long)t.broken, (unsigned long long)t.open,
        (unsigned long long)t.decided);
    assert_int_equal(t.open, 0); /* how much is known: less would refuse kernels that are right */
    assert_true(t.bounded >= 32700 && t.tight >= 30000 && t.decided >= 33000);
    vt_ctx_clear(&ctx);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
