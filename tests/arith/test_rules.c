/* Each rewrite rule by itself: instances of its left side (all combinations of small constants, variables of several
 * ranges, compound operands), the rule alone applied to them, and both sides evaluated for all values of the variables.
 * A rule that never applies is reported; so is one that simplifying never comes to, beside those named below.
 * rules.txt keeps what each rule does, and how often it applies: a condition that became too strong shows there. */
#include "arith/pattern.h"
#include "arith/values.h"
#include "ir/support.h"
/* after everything else */
#include "arith/rules_short.h"

enum {
    LANES = 4,
    RANGES = 5,
    CONSTANTS = 13,
    WITHOUT_CONSTANTS = 300,
    WITH_CONSTANTS = 1000,
    MAX_VALUES = 125,
    MAX_RULES = 600,
    BATCH = 50
};

static const struct {
    const char *name;
    const vt__rules *rules;
    vt_expr_kind kind;
} tables[] = {
    {"add", &vt__rules_add, VT_E_ADD},
    {"sub", &vt__rules_sub, VT_E_SUB},
    {"mul", &vt__rules_mul, VT_E_MUL},
    {"div", &vt__rules_div, VT_E_DIV},
    {"mod", &vt__rules_mod, VT_E_MOD},
    {"floordiv", &vt__rules_floordiv, VT_E_FLOORDIV},
    {"floormod", &vt__rules_floormod, VT_E_FLOORMOD},
    {"min", &vt__rules_min, VT_E_MIN},
    {"max", &vt__rules_max, VT_E_MAX},
    {"eq", &vt__rules_eq, VT_E_EQ},
    {"lt", &vt__rules_lt, VT_E_LT},
    {"not", &vt__rules_not, VT_E_NOT},
    {"and", &vt__rules_and, VT_E_AND},
    {"or", &vt__rules_or, VT_E_OR},
    {"select", &vt__rules_select, VT_E_SELECT},
};
enum { TABLES = sizeof tables / sizeof *tables };
static const char *const list_names[] = {"vector", "index", "any"};

static const vt__rule *list_of(const vt__rules *rules, int list) {
    return list == 0 ? rules->vector : list == 1 ? rules->index : rules->any;
}

/* ---- Which rules simplifying comes to ---------------------------------------------------------------------------- */

const vt_expr *__real_vt__rule_apply(vt__rewriter *rw, const vt__rule *rule, const vt_expr *e);
const vt_expr *__wrap_vt__rule_apply(vt__rewriter *rw, const vt__rule *rule, const vt_expr *e);

static const vt__rule *came_to[MAX_RULES];
static int n_came_to;

static bool is_come_to(const vt__rule *rule) {
    for (int i = 0; i < n_came_to; i++)
        if (came_to[i] == rule) return true;
    return false;
}

/* The linker leads calls of vt__rule_apply here, so that it shows which one applied. */
const vt_expr *__wrap_vt__rule_apply(vt__rewriter *rw, const vt__rule *rule, const vt_expr *e) {
    const vt_expr *result = __real_vt__rule_apply(rw, rule, e);
    if (result && !vt_expr_equal(result, e) && !is_come_to(rule)) came_to[n_came_to++] = rule;
    return result;
}

/* ---- Instances --------------------------------------------------------------------------------------------------- */

static const int64_t constants[CONSTANTS] = {4, 2, 3, 8, 1, 0, -1, -2, -3, -4, 5, 6, -6};
static const struct {
    int64_t min, extent;
} ranges[RANGES] = {{0, 5}, {-3, 7}, {1, 5}, {0, 2}, {-4, 4}};

/* One way to fill a pattern's slots. */
typedef struct instance {
    vt_ctx *ctx;
    vt_analyzer *an;
    check_random random;
    values v;
    int range[VALUES_VARS];
    uint32_t combination; /* of constants */
    int one_range;        /* of all variables; -1: each has one of its own */
    bool plain;           /* a slot for any expression holds a variable of its own */
    bool wide;            /* 64 bits instead of 32 */
    bool wrong;           /* a difference was found and shown */
    const vt_expr *slot[VT__SLOTS];
} instance;

static uint32_t choice(instance *in, uint32_t n) { return check_next(&in->random) % n; }

/* The variable of a slot, in its range. */
static const vt_expr *variable(instance *in, int slot, vt_dtype t) {
    static const char *const names[] = {"x", "y", "z", "u", "v"};
    const char *name = vt_dtype_is_bool(vt_dtype_elem(t)) ? vt_new_format(in->ctx, "%s?", names[slot]) : names[slot];
    for (int k = 0; k < in->v.n; k++)
        if (strcmp(vt_var_name(in->v.vars[k]), name) == 0 && vt_dtype_eq(in->v.vars[k]->dtype, t)) return in->v.vars[k];
    const vt_var *var = vt_var_new(in->ctx, name, t);
    int range = (int)choice(in, RANGES);
    if (in->one_range >= 0) range = in->one_range;
    if (vt_dtype_is_bool(vt_dtype_elem(t))) range = 3;
    in->range[in->v.n] = range;
    in->v.vars[in->v.n++] = var;
    if (vt_dtype_is_index(t))
        vt_analyzer_bind_range(in->an, var, vt_int(in->ctx, t, ranges[range].min),
                               vt_int(in->ctx, t, ranges[range].extent), false);
    return var;
}

/* What a slot for any expression holds. */
static const vt_expr *operand(instance *in, int slot, vt_dtype t) {
    vt_ctx *ctx = in->ctx;
    if (in->plain || !vt_dtype_is_index(t)) return variable(in, slot, t);
    const vt_expr *x = variable(in, (int)choice(in, 2), t);
    const vt_expr *c = vt_int(ctx, t, constants[choice(in, CONSTANTS)]);
    switch (choice(in, 8)) {
    case 0: return c;
    case 1:
    case 2: return vt_add(ctx, x, vt_int(ctx, t, 1));
    case 3: return vt_mul(ctx, x, c);
    case 4: return vt_add(ctx, vt_mul(ctx, x, vt_int(ctx, t, 4)), c);
    default: return x;
    }
}

static const vt_expr *constant(instance *in, vt_dtype t) {
    int64_t c = constants[in->combination % CONSTANTS];
    in->combination /= CONSTANTS;
    return vt_dtype_is_float(t) ? vt_float(in->ctx, t, (double)c) : vt_int(in->ctx, t, c);
}

static vt_dtype index_type(const instance *in, uint16_t lanes) {
    return vt_dtype_lanes(in->wide ? VT_I64 : VT_I32, lanes);
}

static const vt_expr *fill(instance *in, const vt__pat *p, vt_dtype t);

static const vt_expr *fill_operator(instance *in, const vt__pat *p, vt_dtype t) {
    vt_ctx *ctx = in->ctx;
    vt_dtype elem = vt_dtype_elem(t);
    switch (p->kind) {
    case VT_E_NOT: return vt_e_not(ctx, fill(in, p->a[0], t));
    case VT_E_BROADCAST: return vt_e_broadcast(ctx, fill(in, p->a[0], elem), t.lanes);
    case VT_E_RAMP: {
        const vt_expr *base = fill(in, p->a[0], elem);
        return vt_e_ramp(ctx, base, fill(in, p->a[1], elem), t.lanes);
    }
    case VT_E_SELECT: {
        const vt_expr *c = fill(in, p->a[0], VT_BOOL), *x = fill(in, p->a[1], t);
        return vt_e_select(ctx, c, x, fill(in, p->a[2], t));
    }
    default: break;
    }
    if (vt_expr_infos[p->kind].cls == VT_CLASS_COMPARE) t = index_type(in, t.lanes);
    const vt_expr *x = fill(in, p->a[0], t);
    return vt_e_bin(ctx, (vt_expr_kind)p->kind, x, fill(in, p->a[1], t));
}

static const vt_expr *fill(instance *in, const vt__pat *p, vt_dtype t) {
    const vt_expr **slot = &in->slot[p->slot];
    switch (p->kind) {
    case VT__PAT_ANY: return *slot ? *slot : (*slot = operand(in, p->slot, t));
    case VT__PAT_CONST: return *slot ? *slot : (*slot = constant(in, t));
    case VT__PAT_NUMBER: return vt_const(in->ctx, t, p->number);
    case VT__PAT_FLOAT_ZERO: return vt_float(in->ctx, t, 0);
    default: return fill_operator(in, p, t);
    }
}

/* Bits of the slots and special nodes that a pattern has. */
static uint32_t contents(const vt__pat *p) {
    if (!p) return 0;
    if (p->kind == VT__PAT_ANY || p->kind == VT__PAT_CONST) return 1u << p->slot;
    if (p->kind == VT__PAT_FLOAT_ZERO) return 1u << VT__SLOTS;
    return p->kind == VT__PAT_NUMBER ? 0 : contents(p->a[0]) | contents(p->a[1]) | contents(p->a[2]);
}

static vt_dtype type_of(const vt__pat *p, vt_expr_kind kind, int list, bool wide) {
    uint16_t lanes = list == 0 ? LANES : 1;
    bool condition = vt_expr_infos[kind].cls == VT_CLASS_COMPARE || vt_expr_infos[kind].cls == VT_CLASS_LOGIC;
    if (condition) return vt_dtype_lanes(VT_BOOL, lanes);
    if (contents(p) & 1u << VT__SLOTS) return vt_dtype_lanes(VT_F32, lanes);
    if (list == 2 && kind == VT_E_DIV) return VT_F32; /* the rule of reciprocals */
    return vt_dtype_lanes(wide ? VT_I64 : VT_I32, lanes);
}

/* ---- Left sides for the rules that are functions ----------------------------------------------------------------- */

static const struct {
    vt_expr_kind kind;
    int list;
    const vt__pat *from;
} forms[] = {
    {VT_E_DIV, 2, DIV(X, C1)},
    {VT_E_MOD, 1, MOD(X, C1)},
    {VT_E_MOD, 1, MOD(ADD(MUL(X, C1), C2), C3)},
    {VT_E_MOD, 1, MOD(ADD(MUL(X, C1), MUL(Y, C1)), C2)},
    {VT_E_FLOORDIV, 0, FLOORDIV(RAMP(X, C1), SPREAD(C2))},
    {VT_E_FLOORDIV, 0, FLOORDIV(RAMP(ADD(MUL(X, C3), N(1)), C1), SPREAD(C2))},
    {VT_E_FLOORDIV, 1, FLOORDIV(ADD(MUL(X, C1), Y), C2)},
    {VT_E_FLOORDIV, 1, FLOORDIV(MUL(X, C1), C2)},
    {VT_E_FLOORDIV, 1, FLOORDIV(ADD(Y, MUL(X, C1)), C2)},
    {VT_E_FLOORDIV, 1, FLOORDIV(ADD(MUL(X, C1), MUL(Y, C3)), C2)},
    {VT_E_FLOORMOD, 0, FLOORMOD(RAMP(X, C1), SPREAD(C2))},
    {VT_E_FLOORMOD, 0, FLOORMOD(RAMP(ADD(MUL(X, C3), N(1)), C1), SPREAD(C2))},
    {VT_E_FLOORMOD, 1, FLOORMOD(ADD(MUL(X, C1), C2), C3)},
    {VT_E_FLOORMOD, 1, FLOORMOD(MUL(X, C1), C2)},
    {VT_E_MIN, 1, MIN(X, Y)},
    {VT_E_MIN, 1, MIN(MUL(X, C1), ADD(Y, C2))},
    {VT_E_MAX, 1, MAX(X, Y)},
    {VT_E_MAX, 1, MAX(MUL(X, C1), ADD(Y, C2))},
    {VT_E_EQ, 1, EQ(X, Y)},
    {VT_E_EQ, 1, EQ(ADD(MUL(X, C1), C2), N(0))},
    {VT_E_EQ, 1, EQ(ADD(MUL(X, C1), C2), MUL(Y, C3))},
    {VT_E_LT, 1, LT(X, Y)},
    {VT_E_LT, 1, LT(ADD(MUL(X, C1), C2), MUL(Y, C3))},
};

/* ---- Left sides that only differ from others in their conditions ----------------------------------------------- */

static bool same_pattern(const vt__pat *p, const vt__pat *q) {
    if (!p || !q) return p == q;
    if (p->kind != q->kind || p->slot != q->slot || p->number != q->number) return false;
    return same_pattern(p->a[0], q->a[0]) && same_pattern(p->a[1], q->a[1]) && same_pattern(p->a[2], q->a[2]);
}

/* Does a rule before this one, with the same left side, take e? ("if ... else ..." as two rules.) */
static bool is_taken(vt__rewriter *rw, const vt__rule *first, const vt__rule *rule, const vt_expr *e) {
    for (const vt__rule *r = first; r < rule && rule->from; r++) {
        if (!r->from || !same_pattern(r->from, rule->from)) continue;
        if (__real_vt__rule_apply(rw, r, e)) return true;
    }
    return false;
}

/* ---- One rule ---------------------------------------------------------------------------------------------------- */

typedef struct checked {
    const char *name;             /* "add.index 3" */
    const vt__rule *rule, *first; /* first: of its list */
    vt_expr_kind kind;
    int list;
    uint32_t instances, applied, wrong;
    char *sample; /* what it does to the first instance that it applies to */
} checked;

/* The next assignment of values, each variable over its range; false after the last. */
static bool next_values(instance *in) {
    for (int k = 0; k < in->v.n; k++) {
        if (++in->v.of[k] < ranges[in->range[k]].min + ranges[in->range[k]].extent) return true;
        in->v.of[k] = ranges[in->range[k]].min;
    }
    return false;
}

static void compare(instance *in, const char *what, const vt_expr *e, const vt_expr *result) {
    if (in->wrong) return;
    if (!vt_dtype_eq(e->dtype, result->dtype)) fail_msg("%s: %s has another type", what, plain_text(in->ctx, result));
    uint64_t all = 1;
    for (int k = 0; k < in->v.n; k++) {
        in->v.of[k] = ranges[in->range[k]].min;
        all *= (uint64_t)ranges[in->range[k]].extent;
    }
    uint64_t stride = all / MAX_VALUES | 1; /* of many values some, spread */
    do {
        for (int lane = 0; lane < e->dtype.lanes; lane++) {
            number before = value_of(e, &in->v, lane), after = value_of(result, &in->v, lane);
            if (same_number(before, after, e->dtype)) continue;
            print_error("%s: %s became %s, which is %lld, not %lld, for%s (lane %d)\n", what, plain_text(in->ctx, e),
                        plain_text(in->ctx, result), (long long)after.i, (long long)before.i,
                        values_text(in->ctx, &in->v), lane);
            in->wrong = true;
            return;
        }
        for (uint64_t skip = 1; skip < stride; skip++)
            if (!next_values(in)) return;
    } while (next_values(in));
}

/* What the rule alone makes of e; NULL where it does not apply. */
static const vt_expr *apply_alone(const checked *c, vt__rewriter *rw, const vt_expr *e) {
    const vt_expr *result = __real_vt__rule_apply(rw, c->rule, e);
    return !result || vt_expr_equal(result, e) || is_taken(rw, c->first, c->rule, e) ? NULL : result;
}

static void check_instance(vt_ctx *ctx, checked *c, const vt__pat *from, uint32_t n) {
    instance in = {.ctx = ctx, .an = vt_analyzer_new(ctx), .random = {n * 0x9e3779b97f4a7c15u + 1}, .combination = n};
    in.plain = n % 4 != 3;
    in.wide = n % 8 == 5;
    for (int i = 0; i < 4; i++) check_next(&in.random);
    in.one_range = n % 3 != 1 ? -1 : choice(&in, 2) ? 3 : (int)choice(&in, RANGES);
    const vt_expr *e = fill(&in, from, type_of(from, c->kind, c->list, in.wide));
    const vt_expr *result = c->rule ? apply_alone(c, &in.an->rewriter, e) : NULL;
    if (result) {
        compare(&in, c->name, e, result);
        c->applied++;
    }
    const vt_expr *simple = vt_rewrite_simplify(in.an, e), *simplest = vt_simplify(in.an, e);
    compare(&in, "rewriting", e, simple);
    compare(&in, "simplifying", e, simplest);
    c->wrong += in.wrong;
    if (result && !c->sample) {
        const char *text = vt_new_format(ctx, "%s  ->  %s  =>  %s", plain_text(ctx, e), plain_text(ctx, result),
                                         plain_text(ctx, simplest));
        c->sample = strdup(text);
    }
}

typedef struct batch {
    checked *c;
    const vt__pat *from;
    uint32_t first, end;
} batch;

static vta_status check_batch(vt_ctx *ctx, void *arg) {
    const batch *b = arg;
    for (uint32_t n = b->first; n < b->end && !b->c->wrong; n++) check_instance(ctx, b->c, b->from, n);
    return VTA_OK;
}

/* All combinations of constants, each in several instances where there are few. */
static void check_form(checked *c, const vt__pat *from) {
    uint32_t slots = contents(from), all = 1;
    for (int s = VT__SLOT_C1; s <= VT__SLOT_C3; s++)
        if (slots & 1u << s) all *= CONSTANTS;
    uint32_t instances = all == 1 ? WITHOUT_CONSTANTS : (WITH_CONSTANTS + all - 1) / all * all;
    for (uint32_t n = 0; n < instances; n += BATCH) {
        batch b = {c, from, n, n + BATCH < instances ? n + BATCH : instances};
        run_in_context(check_batch, &b, VTA_OK, NULL);
    }
    c->instances += instances;
}

static void check_rule(checked *c) {
    if (c->rule->from) check_form(c, c->rule->from);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (c->rule->fn && forms[i].kind == c->kind && forms[i].list == c->list) check_form(c, forms[i].from);
}

/* ---- All rules --------------------------------------------------------------------------------------------------- */

static checked all_rules[MAX_RULES];
static int n_rules;

static int setup(void **state) {
    (void)state;
    for (int t = 0; t < TABLES; t++)
        for (int list = 0; list < 3; list++)
            for (const vt__rule *r = list_of(tables[t].rules, list); r && (r->from || r->fn); r++) {
                checked *c = &all_rules[n_rules++];
                char name[64];
                snprintf(name, sizeof name, "%s.%s %d", tables[t].name, list_names[list],
                         (int)(r - list_of(tables[t].rules, list)) + 1);
                *c = (checked){.name = strdup(name),
                               .rule = r,
                               .first = list_of(tables[t].rules, list),
                               .kind = tables[t].kind,
                               .list = list};
            }
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (int i = 0; i < n_rules; i++) {
        free((void *)(uintptr_t)all_rules[i].name);
        free(all_rules[i].sample);
    }
    return 0;
}

TEST_CASE(every_rule_keeps_the_value) {
    uint32_t wrong = 0;
    assert_in_range(n_rules, 400, MAX_RULES - 1);
    for (int i = 0; i < n_rules; i++) {
        check_rule(&all_rules[i]);
        wrong += all_rules[i].wrong;
    }
    if (wrong) fail_msg("%u rules give another value", wrong);
}

/* Left sides that few instances of a rule's own have: what two operands differ by is the same on both sides. */
static const vt__pat *const more[] = {
    SUB(MIN(X, ADD(Y, Z)), MIN(SUB(X, Z), Y)),
    SUB(MIN(X, ADD(Y, Z)), MIN(Y, SUB(X, Z))),
    SUB(MAX(X, ADD(Y, Z)), MAX(SUB(X, Z), Y)),
    SUB(MAX(X, ADD(Y, Z)), MAX(Y, SUB(X, Z))),
};

static vta_status check_more(vt_ctx *ctx, void *arg) {
    (void)arg;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        checked c = {.kind = (vt_expr_kind)more[i]->kind, .list = 1};
        for (uint32_t n = 0; n < 100; n++) check_instance(ctx, &c, more[i], n);
        assert_int_equal(c.wrong, 0);
    }
    return VTA_OK;
}

TEST_CASE(more_left_sides) { run_in_context(check_more, NULL, VTA_OK, NULL); }

TEST_CASE(every_rule_applies) {
    int never = 0;
    for (int i = 0; i < n_rules; i++)
        if (all_rules[i].applied == 0) print_error("%s never applies\n", all_rules[i].name), never++;
    assert_int_equal(never, 0);
}

TEST_CASE(every_rule_is_come_to) {
    int never = 0;
    for (int i = 0; i < n_rules; i++)
        if (!is_come_to(all_rules[i].rule))
            print_error("%s: %s\n", all_rules[i].name, all_rules[i].sample ? all_rules[i].sample : ""), never++;
    if (never) fail_msg("simplifying never comes to these rules");
}

/* rules.txt, made anew with VTA_UPDATE_GOLDEN=1, to be read before it is committed. */
TEST_CASE(what_each_rule_does) {
    size_t room = 1 << 20, used = 0;
    char *got = calloc(1, room), *want;
    for (int i = 0; i < n_rules; i++) {
        const checked *c = &all_rules[i];
        used += (size_t)snprintf(got + used, room - used, "%-18s %4u of %4u  %s\n", c->name, c->applied, c->instances,
                                 c->sample ? c->sample : "");
        assert_true(used < room);
    }
    const char *path = VT_SOURCE_DIR "/tests/arith/rules.txt";
    if (getenv("VTA_UPDATE_GOLDEN")) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fputs(got, f);
        fclose(f);
    }
    size_t size;
    want = check_read_file(path, &size);
    assert_same_text("rules.txt", got, want);
    free(want);
    free(got);
}

int main(void) { return run_cases_between(setup, teardown); }
