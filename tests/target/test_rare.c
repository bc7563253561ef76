/* What programs seldom ask of the accelerator's passes, on functions built by hand. */
#include "lower/vta/same_scopes.h"
#include "lower/vta/vta.h"
#include "target/default_config.h"

static void gives_vta(one_pass pass, const vt_stmt *(*build)(one *o), const char *const texts[]) {
    one o = {.options = {.config = config}};
    if (one_run(&o, pass, build) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
    one_expect(&o, texts);
}
static void refuses_vta(one_pass pass, const vt_stmt *(*build)(one *o), const char *says) {
    one o = {.options = {.config = config}};
    assert_int_equal(one_run(&o, pass, build), VTA_ILLEGAL);
    assert_contains(vta_diag_text(o.diag), says);
    one_end(&o);
}
#define GIVES_VTA(pass, build, ...) gives_vta(vt_pass_##pass, build, (const char *const[]){__VA_ARGS__, NULL})

static const vt_iter *axis; /* of tasks: one for all of a function */

static const vt_stmt *staged(one *o, const vt_expr *stage, const char *call) {
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), VT_ATTR_TASK, stage, vt__extern(&o->ctx, call, 0, NULL));
}
static void begin(one *o) { axis = vt_iter_new(&o->ctx, one_var(o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta"); }

/* ---- Tasks ------------------------------------------------------------------------------------------------------- */

/* Which unit would run it? */
static const vt_stmt *unknown_stage(one *o) {
    begin(o);
    return one_seq(o, staged(o, one_i(o, VTA_STAGE_LOAD), "LOAD"), staged(o, one_var(o, "n"), "WORK"));
}

/* Branches of tasks, of tasks in a loop (above LOOPED), and of none: 0 stands for a call without a task. */
enum { LOOPED = 10 };
static int then_stage, else_stage;
static const vt_stmt *branch(one *o, int stage, const char *call) {
    if (!stage) return vt__extern(&o->ctx, call, 0, NULL);
    const vt_stmt *s = staged(o, one_i(o, stage % LOOPED), call);
    return stage < LOOPED ? s : one_for(o, one_var(o, "k"), 3, VT_FOR_SERIAL, s);
}
static const vt_stmt *branches(one *o) {
    begin(o);
    const vt_var *i = one_var(o, "i");
    const vt_expr *first = vt_lt(&o->ctx, i, one_i(o, 2));
    const vt_stmt *s = vt_s_if(&o->ctx, first, branch(o, then_stage, "THEN"), branch(o, else_stage, "ELSE"));
    return one_for(o, i, 4, VT_FOR_SERIAL, s);
}

/* Nor does a task pass what is allocated for it, or a step that is written out. */
static const vt_stmt *looped_task(one *o) {
    begin(o);
    return one_for(o, one_var(o, "i"), 4, VT_FOR_SERIAL, staged(o, one_i(o, 2), "T"));
}
static const vt_stmt *task_in_alloc(one *o) {
    const vt_stmt *s = looped_task(o);
    return one_for(o, one_var(o, "j"), 4, VT_FOR_SERIAL, one_alloc(o, one_buffer(o, "t", 4, "global"), s));
}
static const vt_stmt *task_in_step(one *o) {
    const vt_stmt *s = looped_task(o);
    s = vt_s_attr(&o->ctx, vt_ref_iter(axis), VT_ATTR_STEP, one_i(o, 2), s);
    return one_for(o, one_var(o, "j"), 4, VT_FOR_SERIAL, s);
}
static const vt_stmt *call_in_alloc(one *o) {
    return one_alloc(o, one_buffer(o, "t", 4, "global"), vt__extern(&o->ctx, "C", 0, NULL));
}

/* Where the tasks stand, by the stages of both branches: around the loop (2@), in the branches (?2@|). */
static const struct {
    int then_stage, else_stage;
    const char *becomes;
} lifted[] = {
    {2, 2, "2@L(?T|E)"},
    {2, 3, "L(?2@T|3@E)"},
    {2, 0, "L(?2@T|E)"},
    {0, 3, "L(?T|3@E)"},
    {0, 0, "L(?T|E)"},
    {LOOPED + 2, LOOPED + 2, "2@L(?L(T)|L(E))"},
    {LOOPED + 2, 3, "L(?2@L(T)|3@E)"},
    {2, LOOPED + 3, "L(?2@T|3@L(E))"},
    {0, LOOPED + 3, "L(?T|3@L(E))"},
};

static void shape_of(const vt_stmt *s, char *out) {
    char *end = out + strlen(out);
    if (vt_attr_is(s, VT_ATTR_TASK)) {
        sprintf(end, "%d@", (int)s->u.attr.value->u.i);
        shape_of(s->u.attr.body, out);
    } else if (s->kind == VT_S_FOR || s->kind == VT_S_ALLOC || vt_attr_is(s, VT_ATTR_STEP)) {
        strcat(out, s->kind == VT_S_FOR ? "L(" : s->kind == VT_S_ALLOC ? "A(" : "S(");
        shape_of(vt_stmt_body(s), out);
        strcat(out, ")");
    } else if (s->kind == VT_S_IF) {
        strcat(out, "?");
        shape_of(s->u.branch.then_case, out);
        strcat(out, "|");
        shape_of(s->u.branch.else_case, out);
    } else {
        sprintf(end, "%c", s->u.eval.value->a[0]->u.s[0]);
    }
}

static void lifted_is(const vt_stmt *(*build)(one *o), const char *want) {
    one o = {.options = {.config = config}};
    char shape[64] = "";
    if (one_run(&o, vt_pass_lift_task_scope, build) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
    shape_of(o.after->body, shape);
    assert_string_equal(shape, want);
    if (!strchr(want, '@')) assert_ptr_equal(o.after->body, o.before->body); /* nothing to do */
    one_end(&o);
}

TEST_CASE(tasks) {
    refuses_vta(vt_pass_coproc_sync, unknown_stage, "the stage of a task is not a constant");
    for (size_t i = 0; i < sizeof lifted / sizeof lifted[0]; i++) {
        then_stage = lifted[i].then_stage;
        else_stage = lifted[i].else_stage;
        lifted_is(branches, lifted[i].becomes);
    }
    lifted_is(looped_task, "2@L(T)");
    lifted_is(task_in_alloc, "L(A(2@L(T)))");
    lifted_is(task_in_step, "L(S(2@L(T)))");
    lifted_is(call_in_alloc, "A(C)");
}

/* ---- Steps that are written out ---------------------------------------------------------------------------------- */

static const vt_stmt *slots(one *o, const vt_expr *begin_at, const vt_expr *extent, int64_t places) {
    const vt_var *i = one_var(o, "i");
    const vt_iter *of = vt_iter_new(&o->ctx, i, NULL, NULL, VT_ITER_DATA_PAR, "");
    const vt_stmt *s = vt_s_for(&o->ctx, i, begin_at, extent, VT_FOR_SERIAL, one_store(o, o->y, i, one_i(o, 1)));
    return vt_s_attr(&o->ctx, vt_ref_iter(of), "pragma_slots", one_i(o, places), s);
}
static const vt_stmt *known_steps(one *o) { return slots(o, one_i(o, 0), one_i(o, 3), 64); }
static const vt_stmt *unknown_steps(one *o) { return slots(o, one_i(o, 0), one_var(o, "n"), 2); }
static const vt_stmt *late_steps(one *o) { return slots(o, one_i(o, 1), one_i(o, 3), 2); }
static const vt_stmt *no_places(one *o) { return slots(o, one_i(o, 0), one_i(o, 3), 0); }
static const vt_stmt *many_places(one *o) { return slots(o, one_i(o, 0), one_i(o, 3), 65); }

TEST_CASE(steps) {
    GIVES_VTA(unroll_slots, known_steps, "[0] = 1", "[1] = 1", "[2] = 1", "!for");
    refuses_vta(vt_pass_unroll_slots, unknown_steps, "slots: the loop i has no constant number of steps");
    refuses_vta(vt_pass_unroll_slots, late_steps, "slots: the loop i has no constant number of steps");
    refuses_vta(vt_pass_unroll_slots, no_places, "slots of i: a number of places is from 1 to 64");
    refuses_vta(vt_pass_unroll_slots, many_places, "slots of i: a number of places is from 1 to 64");
}

/* ---- Scopes of micro-ops that were seen before ------------------------------------------------------------------- */

/* Forms of a scope; those that use something from outside are never equal to another. */
typedef enum form { PLAIN, OTHER_PLACE, OF_OUTSIDE, OF_MEMORY, OF_LET, WITH_STORE, DEEPEST, TOO_DEEP, FORMS } form;

static const vt_stmt *scope(one *o, form which, const vt_var *outside) {
    vt_ctx *c = &o->ctx;
    const vt_var *i = one_var(o, "i"), *v = one_var(o, "v");
    const vt_expr *zero = one_i(o, 0), *at = vt_add(c, i, one_i(o, which == OTHER_PLACE ? 4 : 3));
    if (which == OF_OUTSIDE) at = vt_add(c, outside, i); /* what is inside comes last */
    if (which == OF_MEMORY) at = one_load(o, o->x, i);
    if (which == OF_LET) at = vt_e_let(c, v, i, vt_e_bin(c, VT_E_MUL, v, v));
    const vt_expr *a[] = {zero, zero, at, zero, zero, zero, zero, zero};
    const vt_stmt *s = vt__call(c, VT_OP_VTA_UOP_PUSH, 8, a);
    if (which == WITH_STORE) s = one_seq(o, s, one_store(o, o->y, i, zero));
    s = one_for(o, i, 5, VT_FOR_SERIAL, s);
    for (int k = 1; which >= DEEPEST && k < (which == DEEPEST ? 16 : 17); k++)
        s = one_for(o, one_var(o, "k"), 1, VT_FOR_SERIAL, s);
    return vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(c, VT_PUSH_ALU), s);
}

static const vt_func *find_equal(vt_lowering *l, const vt_func *f) {
    one *o = (one *)((char *)l->ctx - offsetof(one, ctx));
    vt_scopes *scopes = vt__scopes_new(l->ctx);
    const vt_var *outside = one_var(o, "n");
    begin(o);
    for (form which = PLAIN; which < FORMS; which++) {
        bool kept = which == PLAIN || which == OTHER_PLACE || which == DEEPEST;
        const vt_stmt *first = scope(o, which, outside), *again = scope(o, which, outside), *made = vt_s_nop(l->ctx);
        if (vt__scopes_find(scopes, first)) fail_msg("form %d is equal to one before", (int)which);
        vt__scopes_add(scopes, first, made);
        if (vt__scopes_find(scopes, again) != (kept ? made : NULL)) fail_msg("form %d", (int)which);
        if (vt__scopes_find(scopes, first) != (kept ? made : NULL)) fail_msg("form %d itself", (int)which);
    }
    return f;
}
static const vt_stmt *nothing(one *o) { return vt_s_nop(&o->ctx); }

TEST_CASE(equal_scopes) {
    one o = {.options = {.config = config}};
    if (one_run(&o, find_equal, nothing) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
    one_end(&o);
}

int main(void) { return run_cases_between(make_config, drop_config); }
