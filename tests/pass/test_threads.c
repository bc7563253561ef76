/* Virtual threads keep the meaning: random bodies, of which each thread has its own memory, computed by the interpreter
 * thread after thread, and after the pass, which makes one stream of instructions of them. */
#include "ir/interp.h"
#include "pass/one.h"

enum { TEMPORARIES = 3, SIZE = 4, MAX_THREADS = 4, ELEMENTS = 64, ROUNDS = 400 };

typedef struct threads {
    check_random r;
    const vt_var *v;
    const vt_buffer *t[TEMPORARIES];
} threads;

static threads made;

static int64_t pick(int64_t least, int64_t most) { return check_between(&made.r, least, most); }
static const vt_buffer *any(void) { return made.t[pick(0, TEMPORARIES - 1)]; }
static const vt_expr *some_index(one *o) { return pick(0, 3) ? one_i(o, pick(0, SIZE - 1)) : made.v; }

/* One element of a temporary, as a call gets it. */
static const vt_expr *place(one *o, const vt_buffer *b, int access) {
    vt_ctx *c = &o->ctx;
    const vt_expr *type = vt_e_call(c, VT_I32, VT_OP_TYPE_ANNOTATION, 0, NULL);
    const vt_expr *parts[] = {type, b->data, one_i(o, pick(0, SIZE - 1)), one_i(o, 1), one_i(o, access)};
    return vt_e_call(c, VT_HANDLE_T, VT_OP_ACCESS_PTR, 5, parts);
}

static const vt_expr *some_value(one *o) {
    const vt_expr *x = one_load(o, any(), some_index(o)), *other = one_load(o, o->x, one_i(o, pick(0, 60)));
    const vt_expr *forms[] = {made.v, one_i(o, pick(1, 9)), other, x, x, x};
    return vt_add(&o->ctx, x, forms[pick(0, 5)]);
}

static const vt_stmt *some_step(one *o);

/* What a step depends on: the thread, or memory that may be its own. */
static const vt_expr *some_condition(one *o) {
    const vt_expr *of = pick(0, 1) ? made.v : one_load(o, any(), some_index(o));
    return vt_lt(&o->ctx, of, one_i(o, pick(1, 3)));
}

static const vt_stmt *some_step(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_buffer *to = any(), *from = any();
    switch (pick(0, 7)) {
    case 3: {
        const vt_expr *condition = some_condition(o);
        const vt_stmt *then_case = some_step(o);
        return vt_s_if(c, condition, then_case, pick(0, 1) ? some_step(o) : NULL);
    }
    case 4: {
        const vt_expr *times = vt_add(c, made.v, one_i(o, pick(-1, 1)));
        const vt_var *i = one_var(o, "i");
        return vt_s_for(c, i, one_i(o, 0), vt_max(c, times, one_i(o, 0)), VT_FOR_SERIAL, some_step(o));
    }
    case 0: { /* backwards */
        const vt_var *j = one_var(o, "j");
        const vt_expr *value = vt_add(c, one_load(o, from, vt_sub(c, one_i(o, SIZE - 1), j)), one_load(o, to, j));
        return one_for(o, j, SIZE, VT_FOR_SERIAL, one_store(o, to, j, value));
    }
    case 1: {
        const vt_expr *changed = place(o, to, 3);
        return vt_s_eval(c, vt_e_call_extern(c, VT_I32, "CHANGE", 1, &changed));
    }
    case 2: {
        const vt_expr *both[] = {place(o, to, 2), place(o, from, 1)};
        return vt_s_eval(c, vt_e_call_extern(c, VT_I32, "COPY", 2, both));
    }
    default: return one_store(o, to, some_index(o), some_value(o));
    }
}

/* What the temporaries hold in the end is a part of y. */
static const vt_stmt *some_body(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_stmt *begin[TEMPORARIES], *steps[5], *end[TEMPORARIES], *all[3];
    for (int k = 0; k < TEMPORARIES; k++) {
        const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
        const vt_expr *row = vt_add(c, vt_mul(c, made.v, one_i(o, TEMPORARIES * SIZE)), one_i(o, k * SIZE));
        begin[k] = one_for(o, i, SIZE, VT_FOR_SERIAL,
                           one_store(o, made.t[k], i, one_load(o, o->x, vt_add(c, i, one_i(o, k * SIZE)))));
        end[k] = one_for(o, j, SIZE, VT_FOR_SERIAL, one_store(o, o->y, vt_add(c, row, j), one_load(o, made.t[k], j)));
    }
    uint32_t n = (uint32_t)pick(1, 5);
    for (uint32_t i = 0; i < n; i++) steps[i] = some_step(o);
    all[0] = vt_s_seq(c, TEMPORARIES, begin);
    all[1] =
        pick(0, 1) ? one_for(o, one_var(o, "again"), 2, VT_FOR_SERIAL, vt_s_seq(c, n, steps)) : vt_s_seq(c, n, steps);
    all[2] = vt_s_seq(c, TEMPORARIES, end);
    return vt_s_seq(c, 3, all);
}

static const vt_stmt *some_threads(one *o) {
    static const char *const names[] = {"t0", "t1", "t2"};
    made.v = one_var(o, "v");
    for (int k = 0; k < TEMPORARIES; k++) made.t[k] = one_buffer(o, names[k], SIZE, "global");
    const vt_iter *axis =
        vt_iter_new(&o->ctx, made.v, NULL, NULL, VT_ITER_THREAD_INDEX, pick(0, 1) ? "vthread" : "cthread");
    const vt_stmt *s = some_body(o);
    for (int k = 0; k < TEMPORARIES; k++) s = one_alloc(o, made.t[k], s);
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), VT_ATTR_VIRTUAL_THREAD, one_i(o, pick(1, MAX_THREADS)), s);
}

static bool run_call(void *user, const char *name, uint32_t n, const vt_value *args, vt_value *out) {
    (void)user, (void)n, (void)out;
    int32_t *to = args[0].u.p;
    *to = name[1] == 'H' ? *to * 3 + 1 : *(const int32_t *)args[1].u.p;
    return true;
}

static void compute(one *o, const vt_func *f, int32_t *y) {
    int32_t x[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) x[i] = i * i, y[i] = -1;
    vt_interp_arg args[] = {{.data = x, .elements = ELEMENTS}, {.data = y, .elements = ELEMENTS}};
    if (vt_interp_run(&o->ctx, f, 2, args, &(vt_interp_hooks){.call = run_call}) != VTA_OK)
        fail_msg("%s\n%s", vta_diag_text(o->diag), vt_stmt_text(&o->ctx, f->body));
}

TEST_CASE(random_threads) {
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        one o = {.options = {0}};
        int32_t before[ELEMENTS], after[ELEMENTS];
        made.r.state = seed * 0x9e3779b97f4a7c15u;
        if (one_run(&o, vt_pass_inject_virtual_thread, some_threads) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        compute(&o, o.before, before);
        compute(&o, o.after, after);
        if (memcmp(before, after, sizeof before) != 0)
            fail_msg("seed %d: %s\n%s", (int)seed, vt_stmt_text(&o.ctx, o.before->body), o.text);
        assert_null(strstr(o.text, "virtual_thread"));
        one_end(&o);
    }
}

int main(void) { return run_cases(); }
