/* Vectorized loops keep the meaning: random bodies, computed by the interpreter step by step and as vectors. */
#include "ir/interp.h"
#include "pass/one.h"

enum { ELEMENTS = 64, ROUNDS = 400, MAX_DEPTH = 3 };

typedef struct body {
    check_random r;
    const vt_var *i, *j;  /* the vector's and a loop's around it */
    const vt_buffer *own; /* memory inside of the vector: each step has its own */
} body;

static body made;

static int64_t pick(int64_t least, int64_t most) { return check_between(&made.r, least, most); }

static const vt_expr *some_index(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_expr *i = made.i, *j = made.j;
    const vt_expr *forms[] = {vt_mul(c, i, one_i(o, 3)), vt_add(c, i, vt_mul(c, j, one_i(o, 4))), j, vt_mul(c, i, i),
                              vt_sub(c, one_i(o, 40), i)};
    return forms[pick(0, 4)];
}

static const vt_expr *some_value(one *o, int depth);

static const vt_expr *some_condition(one *o, int depth) {
    vt_ctx *c = &o->ctx;
    const vt_expr *less = vt_lt(c, some_value(o, depth), some_value(o, depth));
    const vt_expr *same = vt_eq(c, vt_floormod(c, some_value(o, depth), one_i(o, 3)), one_i(o, 1));
    switch (pick(0, 4)) {
    case 0: return vt_e_not(c, less);
    case 1: return vt_and(c, less, same);
    case 2: return vt_or(c, less, same);
    case 3: return vt_likely(c, same);
    default: return less;
    }
}

static const vt_expr *some_value(one *o, int depth) {
    vt_ctx *c = &o->ctx;
    if (depth == 0) {
        const vt_expr *leaves[] = {made.i, made.j, one_i(o, pick(-5, 9)), one_load(o, o->x, some_index(o)),
                                   one_load(o, made.own, one_i(o, pick(0, 1)))};
        return leaves[pick(0, 4)];
    }
    const vt_expr *x = some_value(o, depth - 1), *y = some_value(o, depth - 1);
    switch (pick(0, 9)) {
    case 0: return vt_sub(c, x, y);
    case 1: return vt_mul(c, x, y);
    case 2: return vt_max(c, x, y);
    case 3: return vt_floordiv(c, x, one_i(o, pick(2, 5)));
    case 4: return vt_e_select(c, some_condition(o, depth - 1), x, y);
    case 5: return vt_e_cast(c, VT_I32, vt_e_cast(c, VT_I8, x));
    case 6: {
        const vt_var *v = one_var(o, "v");
        return vt_e_let(c, v, x, vt_add(c, vt_mul(c, v, one_i(o, 2)), y));
    }
    case 7: return vt_if_then_else(c, some_condition(o, depth - 1), x, y);
    case 8: return vt_e_call(c, VT_I32, VT_OP_BITWISE_XOR, 2, (const vt_expr *[]){x, y});
    default: return vt_add(c, x, y);
    }
}

static const vt_stmt *some_step(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_expr *value = some_value(o, (int)pick(1, MAX_DEPTH));
    const vt_expr *at = vt_add(c, made.i, vt_mul(c, made.j, one_i(o, 4)));
    const vt_stmt *s = pick(0, 1) ? one_store(o, made.own, one_i(o, pick(0, 1)), value) : one_store(o, o->y, at, value);
    switch (pick(0, 5)) {
    case 0: return vt_s_if(c, some_condition(o, 1), s, pick(0, 1) ? one_store(o, o->y, at, one_i(o, 3)) : NULL);
    case 1: return vt_s_let(c, one_var(o, "unused"), value, s);
    case 2: return one_for(o, one_var(o, "k"), pick(1, 3), VT_FOR_SERIAL, s);
    default: return s;
    }
}

static const vt_stmt *some_loops(one *o) {
    vt_ctx *c = &o->ctx;
    made.i = one_var(o, "i"), made.j = one_var(o, "j");
    made.own = one_buffer(o, "own", 2, "global");
    const vt_expr *at = vt_add(c, made.i, vt_mul(c, made.j, one_i(o, 4)));
    const vt_stmt *steps[8];
    uint32_t n = 0;
    for (; n < 2; n++) steps[n] = one_store(o, made.own, one_i(o, n), vt_add(c, made.i, one_i(o, n)));
    for (int64_t k = pick(1, 4); k > 0; k--) steps[n++] = some_step(o);
    steps[n++] = one_store(o, o->y, vt_add(c, at, one_i(o, 32)), one_load(o, made.own, one_i(o, 1)));
    const vt_stmt *vector = one_alloc(o, made.own, vt_s_seq(c, n, steps));
    return one_for(o, made.j, 4, VT_FOR_SERIAL, one_for(o, made.i, 4, VT_FOR_VECTORIZED, vector));
}

static void compute(one *o, const vt_func *f, int32_t *y) {
    int32_t x[ELEMENTS];
    for (int i = 0; i < ELEMENTS; i++) x[i] = 7 * i - 100, y[i] = -i;
    vt_interp_arg args[] = {{.data = x, .elements = ELEMENTS}, {.data = y, .elements = ELEMENTS}};
    if (vt_interp_run(&o->ctx, f, 2, args, NULL) != VTA_OK)
        fail_msg("%s\n%s", vta_diag_text(o->diag), vt_stmt_text(&o->ctx, f->body));
}

TEST_CASE(random_bodies) {
    int vectors = 0;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        one o = {.options = {0}};
        int32_t before[ELEMENTS], after[ELEMENTS];
        made.r.state = seed * 0x9e3779b97f4a7c15u;
        if (one_run(&o, vt_pass_vectorize_loop, some_loops) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        compute(&o, o.before, before);
        compute(&o, o.after, after);
        if (memcmp(before, after, sizeof before) != 0)
            fail_msg("seed %d: %s\n%s", (int)seed, vt_stmt_text(&o.ctx, o.before->body), o.text);
        assert_null(strstr(o.text, "vectorized"));
        const char *own = strstr(o.text, "Buffer(own"); /* described once: all uses are of one buffer */
        assert_true(own && !strstr(own + 1, "Buffer(own"));
        vectors += strstr(o.text, "ramp(") != NULL;
        one_end(&o);
    }
    assert_true(vectors > ROUNDS / 2);
}

/* ---- Reads that a condition keeps inside: computed as vectors, they would be made in all lanes ------------------ */

enum { GUARDS = 8, THAT_STAY_VECTORS = 4 }; /* these come first */

static int guard;

static const vt_stmt *guarded(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_expr *few = vt_lt(c, i, one_i(o, 2)), *at = vt_add(c, vt_mul(c, j, one_i(o, 8)), i), *zero = one_i(o, 0);
    const vt_expr *near = one_load(o, o->x, at), *last = one_load(o, o->x, vt_add(c, at, one_i(o, 32)));
    const vt_expr *far = one_load(o, o->x, vt_add(c, at, one_i(o, 62))), *before = one_load(o, o->x, vt_sub(c, at, j));
    const vt_expr *below = one_load(o, o->x, vt_sub(c, i, one_i(o, 1))), *none = vt_ge(c, i, one_i(o, 1));
    const vt_expr *positive = vt_lt(c, zero, far), *both = vt_e_bin(c, VT_E_AND, few, positive);
    const vt_expr *values[GUARDS] = {
        vt_e_select(c, few, near, last),
        vt_e_select(c, few, vt_add(c, before, one_i(o, 1)), zero),
        vt_e_select(c, vt_e_bin(c, VT_E_OR, few, vt_lt(c, zero, last)), near, zero),
        vt_e_select(c, vt_lt(c, zero, far), vt_mul(c, far, one_i(o, 2)), zero), /* the condition reads it anyway */
        vt_e_select(c, few, far, zero),
        vt_e_select(c, none, zero, vt_e_select(c, few, zero, below)),
        vt_e_cast(c, VT_I32, both),
        vt_e_select(c, both, far, zero), /* this condition does not */
    };
    const vt_stmt *step = one_store(o, o->y, at, values[guard]);
    return one_for(o, j, 4, VT_FOR_SERIAL, one_for(o, i, 8, VT_FOR_VECTORIZED, step));
}

TEST_CASE(guards_stay) {
    for (guard = 0; guard < GUARDS; guard++) {
        one o = {.options = {0}};
        if (one_run(&o, vt_pass_vectorize_loop, guarded) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        bool vector = strstr(o.text, "ramp(");
        if (vector != (guard < THAT_STAY_VECTORS)) fail_msg("guard %d: %s", guard, o.text);
        one_end(&o);
    }
}

/* One condition for all lanes stays one, so that it can become a branch. */
static const vt_stmt *uniform_guard(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_expr *far = one_load(o, o->x, vt_add(c, vt_mul(c, j, one_i(o, 60)), i));
    const vt_expr *value = vt_e_select(c, vt_lt(c, j, one_i(o, 1)), far, one_i(o, 0));
    const vt_stmt *step = one_store(o, o->y, vt_add(c, vt_mul(c, j, one_i(o, 8)), i), value);
    return one_for(o, j, 4, VT_FOR_SERIAL, one_for(o, i, 8, VT_FOR_VECTORIZED, step));
}

TEST_CASE(guards_of_all_lanes) { GIVES(vectorize_loop, uniform_guard, "select((j < 1), ", "ramp("); }

int main(void) { return run_cases(); }
