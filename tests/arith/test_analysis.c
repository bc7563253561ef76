/* What the analyzer says of expressions, against all their values: bounds hold every value, modular sets too,
 * comparisons are decided rightly, also under conditions; sets of values, deduced bounds and linear forms are what they
 * say. How often each answer is the best there is stands in analysis.txt: an answer that became weaker shows there. */
#include "arith/linear.h"
#include "arith/priv.h"
#include "arith/values.h"
#include "ir/support.h"

enum { VARS = 3, EXPRESSIONS = 400, LINES = 64 };

/* ---- Random expressions over x, y, z, each in a range --------------------------------------------------------- */

static const struct {
    int64_t min, extent;
} ranges[] = {{0, 5}, {-3, 7}, {1, 4}, {0, 2}, {-4, 4}, {3, 1}, {0, 8}};
enum { RANGES = sizeof ranges / sizeof *ranges };

typedef struct scene {
    vt_ctx *ctx;
    vt_analyzer *an;
    check_random random;
    values v;
    int64_t min[VARS], extent[VARS];
    bool by_constants; /* only these divide: sets take divisors that are not constants to be extents, thus positive */
} scene;

static uint32_t draw(scene *s, uint32_t n) { return check_next(&s->random) % n; }
static const vt_expr *number_in(scene *s, int64_t i) { return vt_i32(s->ctx, i); }

static const vt_expr *constant(scene *s) {
    static const int64_t some[] = {2, 3, 4, 1, 0, -1, -2, -4, 7, 8};
    return number_in(s, some[draw(s, 10)]);
}

static void begin(scene *s, vt_ctx *ctx, uint64_t seed) {
    static const char *const names[VARS] = {"x", "y", "z"};
    *s = (scene){.ctx = ctx, .an = vt_analyzer_new(ctx), .random = {seed * 0x9e3779b97f4a7c15u + 7}};
    for (int i = 0; i < 4; i++) check_next(&s->random);
    s->v.n = VARS;
    for (int k = 0; k < VARS; k++) {
        uint32_t r = draw(s, RANGES);
        s->min[k] = ranges[r].min;
        s->extent[k] = ranges[r].extent;
        s->v.vars[k] = vt_var_new(ctx, names[k], VT_I32);
        vt_analyzer_bind_range(s->an, s->v.vars[k], number_in(s, s->min[k]), number_in(s, s->extent[k]), false);
    }
}

static const vt_expr *expression(scene *s, int depth);

static const vt_expr *comparison(scene *s, int depth) {
    const vt_expr *x = expression(s, depth);
    const vt_expr *y = draw(s, 2) ? constant(s) : expression(s, depth);
    return vt_e_bin(s->ctx, (vt_expr_kind)(VT_E_EQ + draw(s, 6)), x, y);
}

static const vt_expr *expression(scene *s, int depth) {
    vt_ctx *ctx = s->ctx;
    if (depth == 0 || draw(s, 6) == 0) return draw(s, 4) ? s->v.vars[draw(s, VARS)] : constant(s);
    const vt_expr *x = expression(s, depth - 1);
    uint32_t kind = draw(s, 12);
    if (kind >= 10) return vt_e_bin(ctx, VT_E_MUL, x, constant(s));
    if (kind == 9) { /* one draw a statement: compilers choose the order of arguments */
        const vt_expr *otherwise = expression(s, depth - 1);
        return vt_e_select(ctx, comparison(s, 0), x, otherwise);
    }
    vt_expr_kind of = (vt_expr_kind)(VT_E_ADD + kind);
    bool divides = of >= VT_E_DIV && of <= VT_E_FLOORMOD;
    bool simple = draw(s, 2) || (divides && s->by_constants);
    return vt_e_bin(ctx, of, x, simple ? constant(s) : expression(s, depth - 1));
}

static void first_values(scene *s) { memcpy(s->v.of, s->min, sizeof s->min); }

/* The next values of the variables from the k-th on; false after the last. */
static bool next_from(scene *s, int k) {
    for (; k < VARS; k++) {
        if (++s->v.of[k] < s->min[k] + s->extent[k]) return true;
        s->v.of[k] = s->min[k];
    }
    return false;
}
static bool next_x(scene *s) { return ++s->v.of[0] < s->min[0] + s->extent[0]; }
static bool next_values(scene *s) { return next_from(s, 0); }
static int64_t now(const scene *s, const vt_expr *e) { return value_of(e, &s->v, 0).i; }

static void wrong(const scene *s, const char *what, const vt_expr *e) {
    fail_msg("%s: %s, for%s", what, plain_text(s->ctx, e), values_text(s->ctx, &s->v));
}

/* ---- What is counted ------------------------------------------------------------------------------------------- */

typedef struct tally {
    char name[48];
    int best, of;
} tally;

static tally tallies[LINES];
static int n_tallies;

static void count(const char *group, const char *name, bool best) {
    char full[48];
    snprintf(full, sizeof full, "%s %s", group, name);
    int i = 0;
    while (i < n_tallies && strcmp(tallies[i].name, full) != 0) i++;
    assert_true(i < LINES);
    if (i == n_tallies) memcpy(tallies[n_tallies++].name, full, sizeof full);
    tallies[i].best += best;
    tallies[i].of++;
}

/* ---- Bounds, modular sets, comparisons --------------------------------------------------------------------------- */

typedef struct facts {
    int64_t min, max;
    uint64_t step; /* greatest common divisor of the differences */
    bool any;
} facts;

static void see(facts *f, int64_t i) {
    if (!f->any) *f = (facts){i, i, 0, true};
    uint64_t a = i > f->min ? (uint64_t)(i - f->min) : (uint64_t)(f->min - i);
    while (a) {
        uint64_t rest = f->step % a;
        f->step = a;
        a = rest;
    }
    f->min = i < f->min ? i : f->min;
    f->max = i > f->max ? i : f->max;
}

/* All values of e, where the condition (or NULL) holds. */
static facts facts_of(scene *s, const vt_expr *e, const vt_expr *condition) {
    facts f = {0};
    first_values(s);
    do {
        if (!condition || now(s, condition)) see(&f, now(s, e));
    } while (next_values(s));
    return f;
}

static bool order_holds(vt__order order, int64_t x, int64_t n) {
    switch (order) {
    case VT__EQ: return x == n;
    case VT__GT: return x > n;
    case VT__GE: return x >= n;
    case VT__LT: return x < n;
    case VT__LE: return x <= n;
    case VT__NE: return x != n;
    case VT__UNKNOWN: break;
    }
    return true;
}

static void check_order(scene *s, const char *group, const vt_expr *e, const vt_expr *condition, facts f) {
    int64_t n = draw(s, 3) ? 0 : f.max + (int64_t)draw(s, 2);
    vt__order order = vt__try_compare(&s->an->rewriter, e, n);
    first_values(s);
    do {
        if ((!condition || now(s, condition)) && !order_holds(order, now(s, e), n)) wrong(s, "compared", e);
    } while (next_values(s));
    bool decided = order != VT__UNKNOWN, can = f.min >= n || f.max <= n;
    if (can || decided) count(group, "order", decided);
}

static void check_facts(scene *s, const char *group, const vt_expr *e, const vt_expr *condition) {
    facts f = facts_of(s, e, condition);
    if (!f.any) return;
    vt_bound b = vt_const_bound(s->an, e);
    vt_modular m = vt_modular_set(s->an, e);
    first_values(s);
    do {
        if (condition && !now(s, condition)) continue;
        int64_t i = now(s, e), rest = i - m.base;
        if (i < b.min || i > b.max) wrong(s, "outside of its bounds", e);
        if (m.coeff ? rest % m.coeff : rest) wrong(s, "not in its modular set", e);
    } while (next_values(s));
    assert_true(m.coeff >= 0 && (m.coeff == 0 || (m.base >= 0 && m.base < m.coeff)));
    count(group, "bounds", b.min == f.min && b.max == f.max);
    count(group, "modular set", (uint64_t)m.coeff == f.step || f.step == 1);
    check_order(s, group, e, condition, f);
}

/* One expression with this operator at its root. */
static const vt_expr *rooted(scene *s, int kind) {
    vt_ctx *ctx = s->ctx;
    const vt_expr *x = expression(s, 1), *y = draw(s, 2) ? constant(s) : expression(s, 1);
    static const vt_dtype narrow[] = {VT_DTYPE(VT_INT, 8, 1), VT_DTYPE(VT_UINT, 8, 1), VT_DTYPE(VT_INT, 64, 1)};
    if (kind <= VT_E_MAX) return vt_e_bin(ctx, (vt_expr_kind)kind, x, y);
    if (kind == VT_E_SELECT) return vt_e_select(ctx, comparison(s, 0), x, y);
    if (kind == VT_E_CAST)
        return vt_e_cast(ctx, VT_I32, vt_e_cast(ctx, narrow[draw(s, 3)], vt_e_bin(ctx, VT_E_MUL, x, y)));
    if (draw(s, 2))
        return vt_e_call(ctx, VT_I32, VT_OP_SHIFT_RIGHT, 2, (const vt_expr *[]){x, number_in(s, draw(s, 4))});
    return vt_e_call(ctx, VT_I32, VT_OP_BITWISE_AND, 2, (const vt_expr *[]){x, y});
}

static const int roots[] = {VT_E_ADD,      VT_E_SUB, VT_E_MUL, VT_E_DIV,    VT_E_MOD,  VT_E_FLOORDIV,
                            VT_E_FLOORMOD, VT_E_MIN, VT_E_MAX, VT_E_SELECT, VT_E_CAST, VT_E_CALL};

static vta_status facts_body(vt_ctx *ctx, void *arg) {
    scene s;
    int kind = *(const int *)arg;
    for (uint64_t n = 0; n < EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        const vt_expr *e = rooted(&s, kind);
        check_facts(&s, vt_expr_infos[kind].text, e, NULL);
    }
    return VTA_OK;
}

static void what_holds_always(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        run_in_context(facts_body, (void *)(uintptr_t)&roots[i], VTA_OK, NULL);
}

static bool set_has(const scene *s, vt_intset set, int64_t i) {
    return !set.empty && (!set.min || now(s, set.min) <= i) && (!set.max || now(s, set.max) >= i);
}

/* ---- Casts, lets and vectors ------------------------------------------------------------------------------------- */

static const vt_expr *unusual(scene *s) {
    static const vt_dtype narrow[] = {VT_DTYPE(VT_INT, 8, 1), VT_DTYPE(VT_UINT, 8, 1), VT_DTYPE(VT_UINT, 32, 1),
                                      VT_DTYPE(VT_INT, 64, 1)};
    vt_ctx *ctx = s->ctx;
    const vt_expr *x = expression(s, 1), *y, *v;
    switch (draw(s, 4)) {
    case 0: return vt_e_cast(ctx, narrow[draw(s, 4)], x);
    case 1: return vt_e_broadcast(ctx, x, 4);
    case 2: return vt_e_ramp(ctx, x, constant(s), 4);
    default:
        v = vt_var_new(ctx, "v", VT_I32);
        y = expression(s, 1);
        return vt_e_let(ctx, v, x, vt_e_bin(ctx, (vt_expr_kind)(VT_E_ADD + draw(s, 3)), v, y));
    }
}

/* Every lane is within the bounds, in the modular set, and in the set of values where y and z run. */
static vta_status unusual_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 2 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        s.by_constants = true;
        const vt_expr *e = unusual(&s);
        vt_dommap *dom = vt_dommap_new(ctx);
        for (int k = 1; k < VARS; k++)
            vt_dommap_set_range(dom, s.v.vars[k], (vt_range){number_in(&s, s.min[k]), number_in(&s, s.extent[k])});
        vt_bound b = vt_const_bound(s.an, e);
        vt_modular m = e->dtype.lanes == 1 ? vt_modular_set(s.an, e) : (vt_modular){.coeff = 1};
        vt_intset set = vt_eval_set(s.an, e, dom);
        facts f = {0};
        first_values(&s);
        do {
            for (int lane = 0; lane < e->dtype.lanes; lane++) {
                int64_t i = value_of(e, &s.v, lane).i, rest = i - m.base;
                see(&f, i);
                if (i < b.min || i > b.max) wrong(&s, "outside of its bounds", e);
                if (m.coeff ? rest % m.coeff : rest) wrong(&s, "not in its modular set", e);
                if (!set_has(&s, set, i)) wrong(&s, "not in its set", e);
            }
        } while (next_values(&s));
        count("unusual", "bounds", b.min == f.min && b.max == f.max);
        count("unusual", "set with ends", set.min && set.max);
    }
    return VTA_OK;
}

static void casts_lets_and_vectors(void **state) {
    (void)state;
    run_in_context(unusual_body, NULL, VTA_OK, NULL);
}

/* A condition that may say something: a comparison, a remainder that is known, two of them. */
static const vt_expr *telling(scene *s) {
    vt_ctx *ctx = s->ctx;
    const vt_expr *x = s->v.vars[draw(s, VARS)], *m = number_in(s, 2 + draw(s, 4));
    switch (draw(s, 4)) {
    case 0: return vt_e_bin(ctx, VT_E_EQ, vt_e_bin(ctx, VT_E_FLOORMOD, x, m), number_in(s, draw(s, 3)));
    case 1: {
        const vt_expr *c = comparison(s, 1);
        return vt_e_bin(ctx, VT_E_AND, c, comparison(s, 0));
    }
    default: return comparison(s, 1);
    }
}

static bool same_knowledge(vt_bound a, vt_bound b, vt_modular m, vt_modular n) {
    return a.min == b.min && a.max == b.max && m.coeff == n.coeff && m.base == n.base;
}

/* Inside of the condition what is said holds where it does; afterwards all is as before. */
static vta_status condition_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 2 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        const vt_expr *condition = telling(&s);
        /* most often of what the condition speaks of */
        const vt_expr *e =
            draw(&s, 2) && vt_expr_infos[condition->kind].cls == VT_CLASS_COMPARE ? condition->a[0] : expression(&s, 2);
        vt_bound bound = vt_const_bound(s.an, e);
        vt_modular modular = vt_modular_set(s.an, e);
        vt_scope scope = vt_analyzer_enter(s.an, condition);
        check_facts(&s, "known", e, condition);
        const vt_expr *simple = vt_simplify(s.an, e), *truth = vt_simplify(s.an, condition);
        vt_analyzer_leave(s.an, scope);
        first_values(&s);
        do {
            if (!now(&s, condition)) continue;
            if (now(&s, simple) != now(&s, e)) wrong(&s, "another value under its condition", e);
            if (!now(&s, truth)) wrong(&s, "a condition that is not itself", condition);
        } while (next_values(&s));
        if (!same_knowledge(bound, vt_const_bound(s.an, e), modular, vt_modular_set(s.an, e)))
            wrong(&s, "left with other knowledge", e);
        count("known", "condition", truth->kind == VT_E_INT);
    }
    return VTA_OK;
}

/* Where conditions exclude each other nothing is computed, so all may be said: what is asked must only end. */
static vta_status contradiction_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 4 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        vt_scope scopes[2 * VARS];
        const vt_expr *e = rooted(&s, roots[n % (sizeof roots / sizeof *roots)]), *truth = comparison(&s, 1);
        for (int k = 0; k < VARS; k++) {
            int64_t at = (int64_t)draw(&s, 3) - 1;
            const vt_expr *x = draw(&s, 2) ? s.v.vars[k] : expression(&s, 1);
            scopes[2 * k] = vt_analyzer_enter(s.an, vt_e_bin(ctx, VT_E_GE, x, number_in(&s, at + 1)));
            scopes[2 * k + 1] = vt_analyzer_enter(s.an, vt_e_bin(ctx, VT_E_LE, x, number_in(&s, at)));
        }
        (void)vt_const_bound(s.an, e);
        (void)vt_modular_set(s.an, e);
        assert_non_null(vt_simplify(s.an, e));
        assert_non_null(vt_simplify(s.an, truth));
        for (int k = 2 * VARS; k-- > 0;) vt_analyzer_leave(s.an, scopes[k]);
    }
    return VTA_OK;
}

static void conditions_that_exclude_each_other(void **state) {
    (void)state;
    run_in_context(contradiction_body, NULL, VTA_OK, NULL);
}

static void what_holds_under_conditions(void **state) {
    (void)state;
    run_in_context(condition_body, NULL, VTA_OK, NULL);
}

/* A variable that stands for a value has the value's bounds and modular set, and is replaced. */
static vta_status bound_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        const vt_expr *value = expression(&s, 2);
        const vt_var *w = vt_var_new(ctx, "w", VT_I32);
        vt_bound b = vt_const_bound(s.an, vt_simplify(s.an, value));
        vt_analyzer_bind(s.an, w, value, false);
        vt_bound mine = vt_const_bound(s.an, w);
        assert_true(mine.min >= b.min && mine.max <= b.max);
        const vt_expr *e = vt_e_bin(ctx, VT_E_ADD, vt_e_bin(ctx, VT_E_MUL, w, number_in(&s, 3)), s.v.vars[0]);
        const vt_expr *simple = vt_simplify(s.an, e);
        vt_modular m = vt_modular_set(s.an, w);
        first_values(&s);
        do {
            int64_t i = now(&s, value), rest = i - m.base;
            if (now(&s, simple) != 3 * i + s.v.of[0]) wrong(&s, "another value of what is bound", value);
            if (i < mine.min || i > mine.max) wrong(&s, "outside of the bounds of what is bound", value);
            if (m.coeff ? rest % m.coeff : rest) wrong(&s, "not in the modular set of what is bound", value);
        } while (next_values(&s));
    }
    return VTA_OK;
}

static void what_is_bound(void **state) {
    (void)state;
    run_in_context(bound_body, NULL, VTA_OK, NULL);
}

/* ---- Simplifying ------------------------------------------------------------------------------------------------- */

static void same_values(scene *s, const char *what, const vt_expr *e, const vt_expr *simple) {
    if (!vt_dtype_eq(e->dtype, simple->dtype)) wrong(s, "another type", e);
    first_values(s);
    do {
        if (now(s, e) != now(s, simple)) {
            print_error("%s: %s became %s\n", what, plain_text(s->ctx, e), plain_text(s->ctx, simple));
            wrong(s, what, e);
        }
    } while (next_values(s));
}

static vta_status simplify_body(vt_ctx *ctx, void *arg) {
    scene s;
    uint64_t from = *(const uint64_t *)arg;
    for (uint64_t n = from; n < from + EXPRESSIONS / 2; n++) {
        begin(&s, ctx, n);
        const vt_expr *e = draw(&s, 4) ? expression(&s, 3) : comparison(&s, 2);
        const vt_expr *simple = vt_simplify(s.an, e);
        same_values(&s, "rewritten", e, vt_rewrite_simplify(s.an, e));
        same_values(&s, "made canonical", e, vt_canonical_simplify(s.an, e));
        same_values(&s, "simplified", e, simple);
        facts f = facts_of(&s, e, NULL);
        if (f.min == f.max) count("simplify", "constants", simple->kind == VT_E_INT);
        count("simplify", "settled", vt_expr_equal(vt_simplify(s.an, simple), simple));
    }
    return VTA_OK;
}

static void simplifying_keeps_values(void **state) {
    (void)state;
    for (uint64_t from = 0; from < 10 * EXPRESSIONS; from += EXPRESSIONS / 2)
        run_in_context(simplify_body, &from, VTA_OK, NULL);
}

/* a * x + b * y + c * z + d with its terms in a random order, nested at random. */
static const vt_expr *sum_of_terms(scene *s, const int64_t coefficients[VARS + 1]) {
    const vt_expr *terms[VARS + 1];
    uint32_t n = 0;
    for (int k = 0; k < VARS; k++)
        terms[n++] = draw(s, 2) ? vt_e_bin(s->ctx, VT_E_MUL, s->v.vars[k], number_in(s, coefficients[k]))
                                : vt_e_bin(s->ctx, VT_E_MUL, number_in(s, coefficients[k]), s->v.vars[k]);
    terms[n++] = number_in(s, coefficients[VARS]);
    while (n > 1) { /* joins two of them */
        uint32_t i = draw(s, n), j = draw(s, n - 1);
        const vt_expr *x = terms[i];
        terms[i] = terms[--n];
        bool minus = draw(s, 2);
        terms[j] = minus ? vt_e_bin(s->ctx, VT_E_SUB, terms[j], vt_e_bin(s->ctx, VT_E_MUL, x, number_in(s, -1)))
                         : vt_e_bin(s->ctx, VT_E_ADD, terms[j], x);
    }
    return terms[0];
}

/* Two sums of the same terms differ by nothing, and less one of them by it. */
static vta_status canonical_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        int64_t coefficients[VARS + 1];
        for (int k = 0; k <= VARS; k++) coefficients[k] = check_between(&s.random, -6, 6);
        vt_analyzer *an = vt_analyzer_new(ctx); /* that knows nothing */
        const vt_expr *a = sum_of_terms(&s, coefficients), *b = sum_of_terms(&s, coefficients);
        if (!vt_is_const(vt_simplify(an, vt_e_bin(ctx, VT_E_SUB, a, b)), 0)) wrong(&s, "not the same sum", a);
        assert_true(vt_prove_equal(an, a, b));
        coefficients[VARS]++;
        assert_true(vt_prove(an, vt_e_bin(ctx, VT_E_LT, a, sum_of_terms(&s, coefficients))));
        assert_false(vt_prove_equal(an, a, sum_of_terms(&s, coefficients)));
    }
    return VTA_OK;
}

static void sums_have_one_form(void **state) {
    (void)state;
    run_in_context(canonical_body, NULL, VTA_OK, NULL);
}

/* ---- Sets -------------------------------------------------------------------------------------------------------- */

static vt_range range_of(scene *s, int k) { return (vt_range){number_in(s, s->min[k]), number_in(s, s->extent[k])}; }

/* x stays, y and z run: for each x the set holds all values, and often no more than from the least to the greatest. */
static vta_status set_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 4 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        s.by_constants = true;
        const vt_expr *e = expression(&s, 2);
        vt_dommap *dom = vt_dommap_new(ctx);
        for (int k = 1; k < VARS; k++) vt_dommap_set_range(dom, s.v.vars[k], range_of(&s, k));
        vt_intset set = vt_eval_set(s.an, e, dom);
        bool best = true;
        first_values(&s);
        do {
            facts f = {0};
            do {
                see(&f, now(&s, e));
                if (!set_has(&s, set, now(&s, e))) wrong(&s, "not in its set", e);
            } while (next_from(&s, 1));
            best &= set.min && set.max && now(&s, set.min) == f.min && now(&s, set.max) == f.max;
        } while (next_x(&s));
        count("set", "of values", best);
        if (!set.min || !set.max) continue;
        vt_range cover = vt_intset_cover(s.an, set, (vt_range){0});
        first_values(&s);
        do {
            if (now(&s, cover.min) != now(&s, set.min) ||
                now(&s, cover.extent) != now(&s, set.max) - now(&s, set.min) + 1)
                wrong(&s, "covered by another range", e);
        } while (next_values(&s));
        assert_true(vt_intset_match_range(s.an, set, cover) || e->kind != VT_E_VAR);
    }
    return VTA_OK;
}

static void sets_hold_all_values(void **state) {
    (void)state;
    run_in_context(set_body, NULL, VTA_OK, NULL);
}

/* A random interval, its sides a number, x plus a number, or none. */
static vt_intset interval(scene *s) {
    const vt_expr *sides[2];
    for (int i = 0; i < 2; i++) {
        const vt_expr *c = number_in(s, check_between(&s->random, -3, 3) + 2 * i);
        uint32_t kind = draw(s, 5);
        sides[i] = kind == 0 ? NULL : kind == 1 ? vt_e_bin(s->ctx, VT_E_ADD, s->v.vars[0], c) : c;
    }
    return draw(s, 12) ? vt_intset_interval(sides[0], sides[1]) : vt_intset_nothing();
}

static bool proved(vt_analyzer *an, vt_intset set, int sign, bool strict) {
    if (sign > 0) return strict ? vt_intset_prove_positive(an, set) : vt_intset_prove_nonnegative(an, set);
    return strict ? vt_intset_prove_negative(an, set) : vt_intset_prove_nonpositive(an, set);
}

/* Signs are told of constant ends exactly. */
static void check_signs(scene *s, vt_intset set) {
    for (int way = 0; way < 4; way++) {
        int sign = way < 2 ? 1 : -1;
        bool strict = way % 2;
        const vt_expr *end = sign > 0 ? set.min : set.max;
        bool is = !set.empty && end && end->kind == VT_E_INT && sign * end->u.i >= strict;
        bool symbolic = end && end->kind != VT_E_INT;
        if (!symbolic) assert_int_equal(proved(s->an, set, sign, strict), is);
    }
}

static vta_status join_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 4 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        uint32_t many = draw(&s, 4);
        vt_intset sets[3], either, both;
        for (uint32_t i = 0; i < many; i++) sets[i] = interval(&s);
        if (many) check_signs(&s, sets[0]);
        either = vt_intset_union(s.an, many, sets);
        both = vt_intset_intersect(s.an, many, sets);
        bool best = true;
        first_values(&s);
        do {
            for (int64_t i = -9; i <= 9; i++) {
                bool in_any = false, in_all = many > 0;
                for (uint32_t k = 0; k < many; k++) {
                    in_any |= set_has(&s, sets[k], i);
                    in_all &= set_has(&s, sets[k], i);
                }
                if (in_any && !set_has(&s, either, i)) wrong(&s, "a union that lacks one", s.v.vars[0]);
                if (set_has(&s, both, i) != in_all) wrong(&s, "another intersection", s.v.vars[0]);
                best &= in_any == set_has(&s, either, i);
            }
        } while (next_values(&s));
        count("set", "union", best);
        count("set", "intersection known to be empty", both.empty);
    }
    return VTA_OK;
}

static void unions_and_intersections(void **state) {
    (void)state;
    run_in_context(join_body, NULL, VTA_OK, NULL);
}

/* ---- Deducing ---------------------------------------------------------------------------------------------------- */

/* a * x + b (+ what y does) compared with a number: inside of the deduced bound it holds for all y, outside not. */
static vta_status deduce_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 4 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        s.by_constants = true;
        const vt_expr *x = s.v.vars[0], *c = comparison(&s, 2);
        if (draw(&s, 2)) {
            const vt_expr *e = vt_e_bin(ctx, VT_E_MUL, x, constant(&s));
            const vt_expr *left = draw(&s, 2) ? e : constant(&s);
            e = vt_e_bin(ctx, draw(&s, 2) ? VT_E_ADD : VT_E_SUB, left, e);
            const vt_expr *right = constant(&s);
            c = vt_e_bin(ctx, (vt_expr_kind)(VT_E_EQ + draw(&s, 6)), vt_e_bin(ctx, VT_E_ADD, e, s.v.vars[1]), right);
        }
        vt_dommap *hint = vt_dommap_new(ctx), *relax = vt_dommap_new(ctx);
        for (int k = 0; k < VARS; k++) {
            vt_dommap_set_range(hint, s.v.vars[k], range_of(&s, k));
            if (k) vt_dommap_set_range(relax, s.v.vars[k], range_of(&s, k));
        }
        vt_intset set = vt_deduce_bound(ctx, x, c, hint, relax);
        bool best = true;
        first_values(&s);
        do {
            bool holds = true;
            do holds &= now(&s, c) != 0;
            while (next_from(&s, 1));
            if (!holds && set_has(&s, set, s.v.of[0])) wrong(&s, "does not hold in its deduced bound", c);
            best &= holds == set_has(&s, set, s.v.of[0]);
        } while (next_x(&s));
        count("deduced", vt_expr_infos[c->kind].text, best);
    }
    return VTA_OK;
}

static void conditions_hold_in_their_bounds(void **state) {
    (void)state;
    run_in_context(deduce_body, NULL, VTA_OK, NULL);
}

/* ---- Linear forms ------------------------------------------------------------------------------------------------ */

/* The second differences along each variable are zero everywhere: linear with constant coefficients, as a function. */
static bool is_linear_in(scene *s, const vt_expr *e, int k) {
    first_values(s);
    do {
        int64_t at = s->v.of[k], a = now(s, e);
        s->v.of[k] = at + 1;
        int64_t b = now(s, e);
        s->v.of[k] = at + 2;
        int64_t c = now(s, e);
        s->v.of[k] = at;
        if (a - 2 * b + c) return false;
    } while (next_values(s));
    return true;
}

static vta_status linear_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 4 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        const vt_expr *e = expression(&s, 3), *coefficients[VARS + 1];
        const vt_var *const *vars = s.v.vars; /* x and y; z is free in the coefficients */
        bool found = vt_detect_linear(ctx, e, 2, vars, coefficients);
        if (is_linear_in(&s, e, 0) && is_linear_in(&s, e, 1)) count("linear", "detected", found);
        if (!found) continue;
        for (int k = 0; k <= 2; k++)
            for (int j = 0; j < 2; j++) assert_false(vt_expr_uses(coefficients[k], vars[j]) && k == 2);
        first_values(&s);
        do {
            int64_t value = now(&s, coefficients[2]);
            for (int k = 0; k < 2; k++) value += now(&s, coefficients[k]) * s.v.of[k];
            if (value != now(&s, e)) wrong(&s, "another linear form", e);
        } while (next_values(&s));
    }
    return VTA_OK;
}

static void linear_forms(void **state) {
    (void)state;
    run_in_context(linear_body, NULL, VTA_OK, NULL);
}

/* A conjunction of comparisons of x or y with z and numbers: the bounds are the condition. */
static vta_status clip_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    scene s;
    for (uint64_t n = 0; n < 4 * EXPRESSIONS; n++) {
        begin(&s, ctx, n);
        const vt_expr *c = NULL, *bounds[4];
        for (uint32_t parts = 1 + draw(&s, 3); parts; parts--) {
            const vt_expr *v = s.v.vars[draw(&s, 2)], *other = draw(&s, 3) ? constant(&s) : s.v.vars[2];
            if (draw(&s, 3) == 0) other = vt_e_bin(ctx, VT_E_SUB, other, constant(&s));
            if (draw(&s, 3) == 0) v = vt_e_bin(ctx, VT_E_SUB, constant(&s), v);
            vt_expr_kind kind = (vt_expr_kind)(draw(&s, 6) ? VT_E_LT + draw(&s, 4) : VT_E_EQ);
            const vt_expr *part = draw(&s, 2) ? vt_e_bin(ctx, kind, v, other) : vt_e_bin(ctx, kind, other, v);
            c = c ? vt_e_bin(ctx, VT_E_AND, c, part) : part;
        }
        bool found = vt_detect_clip_bound(vt_analyzer_new(ctx), c, 2, s.v.vars, bounds);
        count("linear", "bounds of conditions", found);
        first_values(&s);
        do {
            bool inside = true;
            for (int i = 0; found && i < 4; i++)
                if (bounds[i])
                    inside &= i % 2 ? s.v.of[i / 2] <= now(&s, bounds[i]) : s.v.of[i / 2] >= now(&s, bounds[i]);
            if (found && inside != (now(&s, c) != 0)) wrong(&s, "other bounds than the condition", c);
        } while (next_values(&s));
    }
    return VTA_OK;
}

static void bounds_of_conditions(void **state) {
    (void)state;
    run_in_context(clip_body, NULL, VTA_OK, NULL);
}

/* ---- How good ---------------------------------------------------------------------------------------------------- */

/* analysis.txt, made anew with VTA_UPDATE_GOLDEN=1: fewer than before is a loss to be explained. */
static void as_good_as_before(void **state) {
    (void)state;
    char *got = calloc(LINES, 80), *want;
    size_t used = 0;
    const char *path = VT_SOURCE_DIR "/tests/arith/analysis.txt";
    for (int i = 0; i < n_tallies; i++)
        used +=
            (size_t)snprintf(got + used, 80, "%-40.40s %5d of %5d\n", tallies[i].name, tallies[i].best, tallies[i].of);
    if (getenv("VTA_UPDATE_GOLDEN")) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fputs(got, f);
        fclose(f);
    }
    size_t size;
    want = check_read_file(path, &size);
    assert_same_text("analysis.txt", got, want);
    free(want);
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_always),
        cmocka_unit_test(what_holds_under_conditions),
        cmocka_unit_test(conditions_that_exclude_each_other),
        cmocka_unit_test(what_is_bound),
        cmocka_unit_test(simplifying_keeps_values),
        cmocka_unit_test(sums_have_one_form),
        cmocka_unit_test(sets_hold_all_values),
        cmocka_unit_test(casts_lets_and_vectors),
        cmocka_unit_test(unions_and_intersections),
        cmocka_unit_test(conditions_hold_in_their_bounds),
        cmocka_unit_test(linear_forms),
        cmocka_unit_test(bounds_of_conditions),
        cmocka_unit_test(as_good_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
