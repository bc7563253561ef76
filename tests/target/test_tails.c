/* Splits that do not divide their axis: loops are cut until no condition is left of them, and what runs stays the same,
 * in its order. What cannot be cut is named. */
#include "listings/trace.h"
#include "lower/vta/vta.h"
#include "target/default_config.h"

enum { CASES = 1500, MAX_AXES = 3, MAX_RUNS = 1 << 14 };

/* ---- Random nests -------------------------------------------------------------------------------------------- */

typedef struct axis {
    int64_t extent, factor;
    uint32_t form; /* of its condition */
    const vt_var *outer, *inner;
} axis;

static uint64_t seed;

static const vt_expr *place_on(one *o, const axis *a) {
    return vt_add(&o->ctx, vt_mul(&o->ctx, a->outer, one_i(o, a->factor)), a->inner);
}

/* place < extent, in one of the forms that it may have. */
static const vt_expr *inside(one *o, const axis *a) {
    const vt_expr *place = place_on(o, a), *extent = one_i(o, a->extent), *last = one_i(o, a->extent - 1);
    switch (a->form) {
    case 0: return vt_e_bin(&o->ctx, VT_E_LT, place, extent);
    case 1: return vt_e_bin(&o->ctx, VT_E_LE, place, last);
    case 2: return vt_e_bin(&o->ctx, VT_E_GT, extent, place);
    default: return vt_e_bin(&o->ctx, VT_E_GE, last, place);
    }
}

static const vt_stmt *task(one *o, const vt_stmt *body) {
    const vt_iter *i = vt_iter_new(&o->ctx, one_var(o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    return vt_s_attr(&o->ctx, vt_ref_iter(i), VT_ATTR_TASK, one_i(o, VTA_STAGE_COMPUTE), body);
}

static const vt_stmt *push(one *o, const vt_expr *const places[MAX_AXES]) {
    const vt_expr *zero = one_i(o, 0), *a[] = {zero, zero, places[0], places[1], places[2], zero, zero, zero};
    return task(o, vt__call(&o->ctx, VT_OP_VTA_UOP_PUSH, 8, a));
}

/* Up to three axes, each of an outer and an inner loop, in any order, the conditions inside of all loops. */
static const vt_stmt *random_nest(one *o) {
    check_random r = {seed * 2654435761u + 1};
    axis axes[MAX_AXES];
    uint32_t n = (uint32_t)check_between(&r, 1, MAX_AXES), loops = 0;
    const vt_expr *places[MAX_AXES];
    const vt_var *vars[2 * MAX_AXES];
    int64_t extents[2 * MAX_AXES];
    for (uint32_t k = 0; k < MAX_AXES; k++) places[k] = one_i(o, 0);
    for (uint32_t k = 0; k < n; k++) {
        axis *a = &axes[k];
        *a = (axis){check_between(&r, 1, 17), check_between(&r, 1, 6), (uint32_t)check_between(&r, 0, 3),
                    one_var(o, "outer"), one_var(o, "inner")};
        places[k] = place_on(o, a);
        for (int inner = 0; inner < 2; inner++) {
            uint32_t at = loops++;
            for (uint32_t to = (uint32_t)check_between(&r, 0, at); at > to; at--) {
                vars[at] = vars[at - 1];
                extents[at] = extents[at - 1];
            }
            vars[at] = inner ? a->inner : a->outer;
            extents[at] = inner ? a->factor : (a->extent + a->factor - 1) / a->factor;
        }
    }
    const vt_stmt *s = push(o, places);
    for (uint32_t k = n; k-- > 0;) s = vt_s_if(&o->ctx, vt_likely(&o->ctx, inside(o, &axes[k])), s, NULL);
    for (uint32_t k = loops; k-- > 0;) s = one_for(o, vars[k], extents[k], VT_FOR_SERIAL, s);
    return s;
}

/* ---- What runs ----------------------------------------------------------------------------------------------- */

typedef struct runs {
    int64_t at[MAX_RUNS][MAX_AXES];
    size_t n;
} runs;

static void run_call(trace *t, trace_kind kind, const void *buffer, uint32_t n, const int64_t *args) {
    runs *r = t->user;
    (void)buffer, (void)n;
    assert_int_equal(kind, TRACE_UOP);
    assert_true(r->n < MAX_RUNS);
    memcpy(r->at[r->n++], args + 2, sizeof r->at[0]);
}

static void run_all(vt_ctx *ctx, const vt_func *f, runs *out) {
    static trace t;
    t = (trace){.ctx = ctx, .call = run_call, .user = out};
    out->n = 0;
    trace_stmt(&t, f->body);
    if (t.failed) fail_msg("case %d: %s", (int)seed, vt_stmt_text(ctx, f->body));
}

static bool is_condition(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= s->kind == VT_S_IF;
    return !*found;
}

static int cut;

static const vt_func *split(vt_lowering *l, const vt_func *f) {
    static runs before, after;
    bool condition = false;
    const vt_func *made = vt_pass_split_tails(l, f);
    run_all(l->ctx, f, &before);
    run_all(l->ctx, made, &after);
    if (before.n != after.n || memcmp(before.at, after.at, before.n * sizeof before.at[0]) != 0)
        fail_msg("case %d: other runs (%zu, %zu):\n%s\n%s", (int)seed, before.n, after.n, vt_stmt_text(l->ctx, f->body),
                 vt_stmt_text(l->ctx, made->body));
    if (made->body != f->body) vt_stmt_walk(made->body, NULL, is_condition, &condition);
    if (condition) fail_msg("case %d: a condition is left:\n%s", (int)seed, vt_stmt_text(l->ctx, made->body));
    cut += made->body != f->body;
    return made;
}

TEST_CASE(what_runs_stays) {
    for (seed = 0; seed < CASES; seed++) {
        one o = {.options = {.config = config}};
        if (one_run(&o, split, random_nest) != VTA_OK) fail_msg("case %d: %s", (int)seed, vta_diag_text(o.diag));
        one_end(&o);
    }
    print_message("%d of %d cut\n", cut, CASES);
    assert_in_range(cut, CASES / 2, CASES - 1);
}

/* ---- What cannot be cut -------------------------------------------------------------------------------------- */

/* The end of the axis is not known, and its loops are too long to be written out: the outer one is named, and how far
 * that moves. */
static const vt_stmt *unknown_end(one *o) {
    axis a = {.factor = 70, .outer = one_var(o, "rows.outer"), .inner = one_var(o, "rows.inner")};
    const vt_expr *end = vt_var_new_size(&o->ctx, "n", VT_I32), *places[MAX_AXES];
    for (int k = 0; k < MAX_AXES; k++) places[k] = place_on(o, &a);
    const vt_stmt *s = vt_s_if(&o->ctx, vt_likely(&o->ctx, vt_lt(&o->ctx, places[0], end)), push(o, places), NULL);
    return one_for(o, a.outer, 100, VT_FOR_SERIAL, one_for(o, a.inner, a.factor, VT_FOR_SERIAL, s));
}

TEST_CASE(what_cannot_be_cut_is_named) {
    one o = {.options = {.config = config}};
    assert_int_equal(one_run(&o, vt_pass_split_tails, unknown_end), VTA_ILLEGAL);
    assert_contains(vta_diag_text(o.diag), "axis rows of a stage: the split by 70 does not divide it, and no tail can "
                                           "be cut off: whether (((rows.outer*70) + rows.inner) < n) holds");
    assert_contains(vta_diag_text(o.diag), " is not decided by the steps of its loops, or there are too many "
                                           "tails; choose a factor that divides the axis");
    one_end(&o);
}

/* ---- Threads --------------------------------------------------------------------------------------------------- */

/* Threads over steps: thread t has work in step j where j * threads + t, or t * steps + j, is below the end. */
typedef struct threading {
    int64_t threads, steps, end;
    bool blocks;         /* of neighbouring steps */
    const char *becomes; /* T: threads, L: a loop, P: a phase of its own, u: work */
} threading;

static const threading threadings[] = {
    {2, 8, 16, false, "T2(L8(u))"},
    {2, 8, 15, false, "P(T2(L7(u)))P(u)"},
    {3, 4, 11, false, "P(T3(L3(u)))P(T2(u))"},
    {3, 4, 10, false, "P(T3(L3(u)))P(u)"},
    {2, 8, 8, true, "P(L8(u))"},
    {2, 8, 12, true, "P(T2(L4(u)))P(L4(u))"},
    {4, 4, 14, true, "P(T4(L2(u)))P(T3(L2(u)))"},
};
static const threading *threaded;

static const vt_stmt *threads_over_steps(one *o) {
    const vt_var *j = one_var(o, "j"), *t = one_var(o, "t");
    const vt_iter *i = vt_iter_new(&o->ctx, t, NULL, NULL, VT_ITER_THREAD_INDEX, "cthread");
    axis a = {.extent = threaded->end, .factor = threaded->blocks ? threaded->steps : threaded->threads};
    a.outer = threaded->blocks ? t : j;
    a.inner = threaded->blocks ? j : t;
    const vt_expr *places[MAX_AXES];
    for (int k = 0; k < MAX_AXES; k++) places[k] = place_on(o, &a);
    const vt_stmt *s = vt_s_if(&o->ctx, vt_likely(&o->ctx, inside(o, &a)), push(o, places), NULL);
    s = one_for(o, j, threaded->steps, VT_FOR_SERIAL, s);
    return vt_s_attr(&o->ctx, vt_ref_iter(i), VT_ATTR_VIRTUAL_THREAD, one_i(o, threaded->threads), s);
}

static void shape_of(const vt_stmt *s, char *out) {
    char *end = out + strlen(out);
    if (s->kind == VT_S_SEQ) {
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) shape_of(s->u.seq.items[i], out);
    } else if (s->kind == VT_S_EVAL) {
        strcat(out, "u");
    } else if (vt_attr_is(s, VT_ATTR_TASK)) {
        shape_of(s->u.attr.body, out);
    } else if (s->kind == VT_S_IF) { /* it holds always: nothing was cut */
        shape_of(s->u.branch.then_case, out);
    } else {
        const vt_expr *extent = s->kind == VT_S_FOR ? s->u.loop.extent : s->u.attr.value;
        if (vt_attr_is(s, VT_ATTR_PHASE))
            sprintf(end, "P(");
        else
            sprintf(end, "%s%d(", s->kind == VT_S_FOR ? "L" : "T", (int)extent->u.i);
        shape_of(vt_stmt_body(s), out);
        strcat(out, ")");
    }
}

/* Threads stay together in the steps in which all of them have work; the others run alone, after them. */
TEST_CASE(threads_stay_together) {
    for (size_t i = 0; i < sizeof threadings / sizeof threadings[0]; i++) {
        one o = {.options = {.config = config}};
        char shape[256] = "";
        threaded = &threadings[i];
        if (one_run(&o, vt_pass_split_tails, threads_over_steps) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        shape_of(o.after->body, shape);
        if (strcmp(shape, threaded->becomes) != 0) fail_msg("case %zu: %s, not %s", i, shape, threaded->becomes);
        one_end(&o);
    }
}

/* ---- Conditions that are no sum of the loop's variable ----------------------------------------------------------- */

/* A fused loop of so many steps, whose remainder by `by` has to be below `end`: it is looked at step by step, up to
 * 4096 of them. */
static const struct fused {
    int64_t steps, by, end;
    const char *becomes; /* NULL: it cannot be cut */
} fuseds[] = {
    {10, 5, 3, "L3(u)L3(u)"},        {9, 4, 2, "L2(u)L2(u)u"},        {10, 5, 5, "L10(u)"},
    {4096, 4095, 4094, "L4094(u)u"}, {4097, 4096, 4095, "L4095(u)u"}, /* the second part is looked at again */
    {4099, 4098, 4096, NULL},
};
static const struct fused *fused;

static const vt_stmt *fused_loop(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *f = one_var(o, "f");
    const vt_expr *places[MAX_AXES], *rest = vt_e_bin(ctx, VT_E_FLOORMOD, f, one_i(o, fused->by));
    for (int k = 0; k < MAX_AXES; k++) places[k] = f;
    const vt_expr *inside_of = vt_e_bin(ctx, VT_E_LT, rest, one_i(o, fused->end));
    return one_for(o, f, fused->steps, VT_FOR_SERIAL, vt_s_if(ctx, vt_likely(ctx, inside_of), push(o, places), NULL));
}

TEST_CASE(fused_loops) {
    for (size_t i = 0; i < sizeof fuseds / sizeof fuseds[0]; i++) {
        one o = {.options = {.config = config}};
        char shape[256] = "";
        fused = &fuseds[i];
        vta_status status = one_run(&o, vt_pass_split_tails, fused_loop);
        if (status != (fused->becomes ? VTA_OK : VTA_ILLEGAL)) fail_msg("case %zu: %s", i, vta_diag_text(o.diag));
        if (fused->becomes) {
            shape_of(o.after->body, shape);
            assert_string_equal(shape, fused->becomes);
        }
        one_end(&o);
    }
}

int main(void) { return run_cases_between(make_config, drop_config); }
