/* The check after every pass that no buffer has left a loop whose steps each need their own. */
#include "lower/own_buffers.h"
#include "pass/one.h"

/* t is written and read in the innermost of two loops, in a virtual thread or not; it is allocated inside of `inside`
 * of these, and called "other" when renamed. */
typedef struct form {
    vt_for_kind kinds[2];
    bool thread, renamed;
    int extra;  /* more stores than there were */
    int inside; /* 0: outside of all */
} form;

typedef struct nest {
    const vt_var *vars[2], *thread, *t, *other;
} nest;

static nest names(one *o) {
    nest n = {.thread = one_var(o, "vthread")};
    for (int i = 0; i < 2; i++) n.vars[i] = one_var(o, i ? "j" : "i");
    n.t = vt_var_new_pointer(&o->ctx, "t", VT_I32, "global");
    n.other = vt_var_new_pointer(&o->ctx, "other", VT_I32, "global");
    return n;
}

static const vt_stmt *make(one *o, const nest *n, const form *f) {
    vt_ctx *c = &o->ctx;
    const vt_expr *size = one_i(o, 16), *zero = one_i(o, 0), *j = n->vars[1];
    const vt_buffer *t = vt_buffer_new(c, "t", f->renamed ? n->other : n->t, VT_I32, 1, &size);
    const vt_stmt *s = one_seq(o, one_store(o, t, zero, j), one_store(o, o->y, j, one_load(o, t, zero)));
    for (int i = 0; i < f->extra; i++) s = one_seq(o, s, one_store(o, o->x, j, j));
    int around = 3;
    if (f->inside == around--) s = one_alloc(o, t, s);
    for (int i = 2; i-- > 0; around--) {
        s = one_for(o, n->vars[i], 8, f->kinds[i], s);
        if (f->inside == around) s = one_alloc(o, t, s);
    }
    const vt_iter *axis = vt_iter_new(c, n->thread, NULL, NULL, VT_ITER_THREAD_INDEX, "vthread");
    if (f->thread) s = vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_VIRTUAL_THREAD, one_i(o, 2), s);
    return f->inside == around ? one_alloc(o, t, s) : s;
}

static form was, is;

static const vt_func *as_it_is(vt_lowering *l, const vt_func *f) {
    (void)l;
    return f;
}

static const vt_stmt *both_forms(one *o) {
    nest n = names(o);
    vt_func made = {.name = "f"};
    vt_func given = {.name = "f", .body = make(o, &n, &was)};
    made.body = make(o, &n, &is);
    vt_own_buffers *own = vt_own_buffers_new(&o->ctx, &given);
    vt_own_buffers_check(own, &given, "nothing");
    vt_own_buffers_check(own, &made, "some.Pass");
    return made.body;
}

/* NULL: nothing is said. */
static void expect(const char *part) {
    one o = {.options = {0}};
    vta_status status = one_run(&o, as_it_is, both_forms);
    if (status != (part ? VTA_INTERNAL : VTA_OK))
        fail_msg("inside of %d, then %d: %s, not %s", was.inside, is.inside, vta_diag_text(o.diag),
                 part ? part : "right");
    if (part) assert_contains(vta_diag_text(o.diag), part);
    one_end(&o);
}

static bool at_one_time(vt_for_kind kind) { return kind == VT_FOR_PARALLEL || kind == VT_FOR_VECTORIZED; }

/* From each place to each other in nests of every kind: said when the buffer has left one whose steps need their own.
 */
TEST_CASE(moved) {
    static const vt_for_kind kinds[] = {VT_FOR_SERIAL, VT_FOR_UNROLLED, VT_FOR_PARALLEL, VT_FOR_VECTORIZED};
    int said = 0;
    for (int i = 0; i < 4 * 4 * 2 * 2 * 16; i++) {
        form f = {.kinds = {kinds[i % 4], kinds[i / 4 % 4]}, .thread = i / 16 % 2, .inside = i / 64 % 4};
        was = is = f;
        is.renamed = i / 32 % 2;
        is.inside = i / 256;
        bool needs[] = {f.thread, at_one_time(f.kinds[0]), at_one_time(f.kinds[1])}, left = false;
        for (int k = is.inside; k < was.inside; k++) left |= needs[k];
        expect(left ? "before pass some.Pass, and is outside after it" : NULL);
        said += left;
    }
    assert_true(said > 200);
}

TEST_CASE(named) {
    was = is = (form){.kinds = {VT_FOR_PARALLEL, VT_FOR_SERIAL}, .inside = 3};
    is.inside = 1;
    is.renamed = true;
    expect("t was inside of the parallel loop i before pass some.Pass");
    was.kinds[1] = is.kinds[1] = VT_FOR_VECTORIZED;
    is.inside = 2;
    expect("t was inside of the vectorized loop j before pass some.Pass");
    was.thread = is.thread = true;
    is.inside = 0;
    expect("t was inside of the virtual thread vthread before pass some.Pass");
}

/* What else a pass may do: loops change their kind, accesses become more. */
TEST_CASE(changed) {
    was = is = (form){.kinds = {VT_FOR_PARALLEL, VT_FOR_VECTORIZED}, .inside = 3};
    is.inside = 2;
    is.kinds[1] = VT_FOR_SERIAL;
    expect(NULL);
    is = was;
    is.extra = 1;
    expect(NULL);
    is.inside = 2; /* its name is the same */
    expect("t was inside of the vectorized loop j");
    is.inside = 3;
    is.renamed = true;
    expect(NULL);
}

int main(void) { return run_cases(); }
