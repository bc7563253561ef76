/* Each generic pass by itself, on functions built by hand. */
#include "pass/one.h"

/* ---- Loops ------------------------------------------------------------------------------------------------------ */

static const vt_stmt *loop_of(one *o, vt_for_kind kind, int64_t extent) {
    const vt_var *i = one_var(o, "i");
    return one_for(o, i, extent, kind, one_store(o, o->y, i, vt_add(&o->ctx, one_load(o, o->x, i), one_i(o, 1))));
}
static const vt_stmt *unrolled_loop(one *o) { return loop_of(o, VT_FOR_UNROLLED, 3); }
static const vt_stmt *serial_loop(one *o) { return loop_of(o, VT_FOR_SERIAL, 3); }
static const vt_stmt *vector_loop(one *o) { return loop_of(o, VT_FOR_VECTORIZED, 4); }
static const vt_stmt *wide_vector_loop(one *o) { return loop_of(o, VT_FOR_VECTORIZED, 5000); }
static const vt_stmt *longest_loop(one *o) { return loop_of(o, VT_FOR_UNROLLED, 65536); }
static const vt_stmt *longer_loop(one *o) { return loop_of(o, VT_FOR_UNROLLED, 65537); }
static const vt_stmt *long_loop(one *o) { return loop_of(o, VT_FOR_UNROLLED, 1 << 20); }
static const vt_stmt *unroll_up_to(one *o, int64_t steps, const vt_stmt *body) {
    return vt_s_attr(&o->ctx, vt_ref_none(), "pragma_auto_unroll_max_step", one_i(o, steps), body);
}
static const vt_stmt *unroll_pragma(one *o) { return unroll_up_to(o, 8, loop_of(o, VT_FOR_SERIAL, 4)); }
static const vt_stmt *unroll_beside(one *o) {
    return one_seq(o, loop_of(o, VT_FOR_UNROLLED, 3), loop_of(o, VT_FOR_SERIAL, 5));
}
static const vt_stmt *unroll_both(one *o) {
    return unroll_up_to(o, 8, one_seq(o, loop_of(o, VT_FOR_SERIAL, 8), loop_of(o, VT_FOR_SERIAL, 8)));
}
/* A loop over i of two iterations and n stores, the first to y[32 + i]. */
static const vt_stmt *two_of(one *o, int n) {
    const vt_var *i = one_var(o, "i");
    const vt_stmt *items[8];
    for (int k = 0; k < n; k++)
        items[k] = one_store(o, o->y, vt_add(&o->ctx, one_i(o, 32 + 2 * k), i), one_load(o, o->x, i));
    return one_for(o, i, 2, VT_FOR_SERIAL, vt_s_seq(&o->ctx, (uint32_t)n, items));
}
static const vt_stmt *unroll_four_stores(one *o) { return unroll_up_to(o, 8, two_of(o, 4)); }
static const vt_stmt *unroll_five_stores(one *o) { return unroll_up_to(o, 8, two_of(o, 5)); }
/* Only the inner loop: both would be 16 statements. */
static const vt_stmt *unroll_inner(one *o) {
    return unroll_up_to(o, 8, one_for(o, one_var(o, "j"), 4, VT_FOR_SERIAL, loop_of(o, VT_FOR_SERIAL, 4)));
}
/* The loop over j has a loop that stays in it, so it stays, too, wherever that loop is. */
static const vt_stmt *around(one *o, bool loop_first) {
    const vt_stmt *stays = loop_of(o, VT_FOR_SERIAL, 20), *store = one_store(o, o->y, one_i(o, 40), one_i(o, 1));
    const vt_stmt *body = loop_first ? one_seq(o, stays, store) : one_seq(o, store, stays);
    return unroll_up_to(o, 8, one_for(o, one_var(o, "j"), 1, VT_FOR_SERIAL, body));
}
static const vt_stmt *unroll_around_first(one *o) { return around(o, true); }
static const vt_stmt *unroll_around_last(one *o) { return around(o, false); }
/* Ten loops, one in the other: d0 the outermost. Short loops are unrolled up to nine deep. */
static const vt_stmt *unroll_deep(one *o) {
    const vt_stmt *body = one_store(o, o->y, one_i(o, 40), one_i(o, 1));
    for (int k = 9; k >= 0; k--)
        body = one_for(o, one_var(o, (const char[]){'d', (char)('0' + k), '\0'}), 1, VT_FOR_SERIAL, body);
    return unroll_up_to(o, 1000, body);
}
/* Each copy has memory of its own, which all of its uses are of. */
static const vt_stmt *unrolled_alloc(one *o) {
    const vt_var *i = one_var(o, "i");
    const vt_buffer *t = one_buffer(o, "t", 2, "global");
    const vt_stmt *uses[] = {one_store(o, t, one_i(o, 0), i), one_store(o, t, one_i(o, 1), one_load(o, t, one_i(o, 0))),
                             one_store(o, o->y, i, one_load(o, t, one_i(o, 1)))};
    return one_for(o, i, 3, VT_FOR_UNROLLED, one_alloc(o, t, vt_s_seq(&o->ctx, 3, uses)));
}
static const vt_stmt *symbolic_unrolled(one *o) {
    const vt_var *i = one_var(o, "i"), *n = one_var(o, "n");
    return vt_s_for(&o->ctx, i, one_i(o, 0), n, VT_FOR_UNROLLED, one_store(o, o->y, i, one_i(o, 0)));
}

static void unrolling(void **state) {
    (void)state;
    GIVES(unroll_loop, unrolled_loop, "[0] = ", "[1] = ", "[2] = ", "!for", "![3]");
    GIVES(unroll_loop, serial_loop, "for (i: int32, 0, 3)");
    GIVES(unroll_loop, unroll_pragma, "[3] = ", "!for", "!pragma");
    GIVES(unroll_loop, unroll_beside, "[0] = ", "[1] = ", "[2] = ", "for (i: int32, 0, 5)", "!0, 3)");
    GIVES(unroll_loop, unroll_both, "[7] = ", "!for");
    GIVES(unroll_loop, unroll_four_stores, "[(32 + 0)] = ", "[(38 + 1)] = ", "!for");
    GIVES(unroll_loop, unroll_five_stores, "for (i: int32, 0, 2)");
    GIVES(unroll_loop, unroll_inner, "for (j: int32, 0, 4)", "[3] = ", "!for (i");
    GIVES(unroll_loop, unroll_around_first, "for (j: int32, 0, 1)", "for (i: int32, 0, 20)");
    GIVES(unroll_loop, unroll_around_last, "for (j: int32, 0, 1)", "for (i: int32, 0, 20)");
    GIVES(unroll_loop, unroll_deep, "for (d0: int32, 0, 1)", "!d1");
    GIVES(unroll_loop, longest_loop, "!for");
    GIVES(unroll_loop, unrolled_alloc, "t_1: Buffer(t, ", "t_3: Buffer(t_2, ", "t_5: Buffer(t_4, ", "!t_6");
    REFUSES(unroll_loop, longer_loop, "axis i cannot be unrolled: 65537 copies of its body");
    REFUSES(unroll_loop, long_loop, "axis i cannot be unrolled: 1048576 copies of its body");
    REFUSES(unroll_loop, symbolic_unrolled, "its extent n is not a constant");
}

/* A condition that differs by lane keeps a serial loop of its own; one that does not stays around the vector. */
static const vt_stmt *vector_condition(one *o) {
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_stmt *by_lane = vt_s_if(&o->ctx, vt_lt(&o->ctx, i, one_i(o, 3)), one_store(o, o->y, i, one_i(o, 5)), NULL);
    const vt_stmt *whole = vt_s_if(&o->ctx, vt_lt(&o->ctx, j, one_i(o, 3)), one_store(o, o->x, i, one_i(o, 6)), NULL);
    return one_for(o, j, 7, VT_FOR_SERIAL, one_for(o, i, 4, VT_FOR_VECTORIZED, one_seq(o, by_lane, whole)));
}
/* A buffer inside of the vector has a part for each lane. */
static const vt_stmt *vector_alloc(one *o) {
    const vt_var *i = one_var(o, "i");
    const vt_buffer *t = one_buffer(o, "t", 2, "global");
    const vt_stmt *body = one_seq(o, one_store(o, t, one_i(o, 1), one_load(o, o->x, i)),
                                  one_store(o, o->y, i, one_load(o, t, one_i(o, 1))));
    return one_for(o, i, 4, VT_FOR_VECTORIZED, one_alloc(o, t, body));
}

/* A vector of another width has no wider form. */
static const vt_stmt *vector_in_vector(one *o) {
    const vt_var *i = one_var(o, "i");
    const vt_expr *first = vt_e_ramp(&o->ctx, one_i(o, 0), one_i(o, 1), 2);
    const vt_expr *second = vt_e_ramp(&o->ctx, one_i(o, 2), one_i(o, 1), 2);
    const vt_expr *either =
        vt_e_select(&o->ctx, vt_lt(&o->ctx, i, one_i(o, 2)), one_load(o, o->x, first), one_load(o, o->x, second));
    return one_for(o, i, 4, VT_FOR_VECTORIZED, one_store(o, o->y, first, either));
}

static void vectorizing(void **state) {
    (void)state;
    GIVES(vectorize_loop, vector_loop, "[ramp(0, 1, 4)] = ", "broadcast(1, 4)", "!for");
    GIVES(vectorize_loop, vector_condition, "for (i.s: int32, 0, 4)", "if (j < 3)",
          "[ramp(0, 1, 4)] = broadcast(6, 4)");
    GIVES(vectorize_loop, vector_alloc, "int32, [8])", "[ramp(4, 1, 4)] = ");
    GIVES(vectorize_loop, vector_in_vector, "for (i.s: int32, 0, 4)", "[ramp(0, 1, 2)] = select((i.s < 2), ");
    REFUSES(vectorize_loop, wide_vector_loop, "must be a constant of at most 1024");
}

/* for i < n: if likely(i*4 + 3 < n) ... : the check leaves the main part. */
static const vt_stmt *boundary_check(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *n = vt_var_new_size(ctx, "n", VT_I32);
    const vt_expr *check = vt_likely(ctx, vt_lt(ctx, vt_mul(ctx, i, one_i(o, 4)), vt_sub(ctx, n, one_i(o, 3))));
    const vt_expr *rounds = vt_floordiv(ctx, vt_add(ctx, n, one_i(o, 3)), one_i(o, 4));
    return vt_s_for(ctx, i, one_i(o, 0), rounds, VT_FOR_SERIAL,
                    vt_s_if(ctx, check, one_store(o, o->y, i, one_i(o, 1)), NULL));
}
static const vt_stmt *hinted_check(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i");
    const vt_expr *check = vt_lt(ctx, i, one_i(o, 10));
    const vt_iter *axis = vt_iter_new(ctx, i, one_i(o, 0), one_i(o, 16), VT_ITER_DATA_PAR, "");
    const vt_stmt *body = vt_s_if(ctx, check, one_store(o, o->y, i, one_i(o, 1)), one_store(o, o->x, i, one_i(o, 2)));
    return vt_s_attr(ctx, vt_ref_iter(axis), "pragma_loop_partition_hint", one_i(o, 1),
                     one_for(o, i, 16, VT_FOR_SERIAL, body));
}
static const vt_stmt *constant_check(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i");
    return one_for(o, i, 16, VT_FOR_SERIAL,
                   vt_s_if(ctx, vt_likely(ctx, vt_lt(ctx, i, one_i(o, 10))), one_store(o, o->y, i, one_i(o, 1)), NULL));
}

static void partition(void **state) {
    (void)state;
    GIVES(loop_partition, boundary_check, "if True", "if (", "!likely");
    GIVES(loop_partition, hinted_check, "for (i: int32, 0, 10)", "0, 6)", "!pragma");
    GIVES(loop_partition, constant_check, "if (i < 10)", "!likely"); /* constant loops stay whole */
}

static const vt_stmt *invariant_condition(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_stmt *branch = vt_s_if(ctx, vt_lt(ctx, i, one_i(o, 3)), one_store(o, o->y, j, one_i(o, 1)),
                                    one_store(o, o->y, j, one_i(o, 2)));
    return one_for(o, i, 8, VT_FOR_SERIAL, one_for(o, j, 8, VT_FOR_SERIAL, branch));
}

static void hoisting(void **state) {
    (void)state;
    one o = {.options = {0}};
    assert_int_equal(one_run(&o, vt_pass_hoist_if_then_else, invariant_condition), VTA_OK);
    assert_true(o.after->body->u.loop.body->kind == VT_S_IF); /* still inside of i, outside of j */
    one_expect(&o, (const char *const[]){"if (i < 3)", "for (j: int32, 0, 8)", "for (j_1: int32, 0, 8)", NULL});
}

/* ---- Virtual threads -------------------------------------------------------------------------------------------- */

static const vt_stmt *threads(one *o, const char *tag, int64_t n) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *v = one_var(o, "v"), *i = one_var(o, "i");
    const vt_iter *axis = vt_iter_new(ctx, v, NULL, NULL, VT_ITER_THREAD_INDEX, tag);
    const vt_buffer *own = one_buffer(o, "own", 4, "global"), *all = one_buffer(o, "all", 4, "global");
    const vt_stmt *fill = one_for(o, i, 4, VT_FOR_SERIAL, one_store(o, all, i, one_load(o, o->x, i)));
    const vt_stmt *work = one_store(o, own, one_i(o, 0), vt_add(ctx, one_load(o, all, one_i(o, 1)), v));
    const vt_stmt *back = one_store(o, o->y, v, one_load(o, own, one_i(o, 0)));
    const vt_stmt *body = one_alloc(o, all, one_alloc(o, own, one_seq(o, fill, one_seq(o, work, back))));
    return vt_s_attr(ctx, vt_ref_iter(axis), "virtual_thread", one_i(o, n), body);
}
static const vt_stmt *two_vthreads(one *o) { return threads(o, "vthread", 2); }
static const vt_stmt *two_cthreads(one *o) { return threads(o, "cthread", 2); }
static const vt_stmt *many_vthreads(one *o) { return threads(o, "vthread", 16); }

static void virtual_threads(void **state) {
    (void)state;
    /* vthreads share what does not depend on them; a few copies are written out, many become a loop */
    GIVES(inject_virtual_thread, two_vthreads, "allocate(all: Pointer(global int32), int32, [4])", "int32, [8])",
          "[(0*4)] = ", "[(1*4)] = ", "!virtual_thread");
    GIVES(inject_virtual_thread, many_vthreads, "for (v.s: int32, 0, 16)", "int32, [64])", "[(v.s*4)] = ");
    GIVES(inject_virtual_thread, two_cthreads, "allocate(all: Pointer(global int32), int32, [8])");
}

/* ---- Expressions ------------------------------------------------------------------------------------------------ */

static const vt_stmt *wide_loop(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = vt_var_new(ctx, "i", VT_I64);
    const vt_expr *index = vt_add(ctx, vt_mul(ctx, i, vt_i64(ctx, 2)), vt_i64(ctx, 1));
    return vt_s_for(ctx, i, vt_i64(ctx, 0), vt_i64(ctx, 30), VT_FOR_SERIAL, one_store(o, o->y, index, one_i(o, 1)));
}
static const vt_stmt *too_wide_loop(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = vt_var_new(ctx, "i", VT_I64);
    const vt_expr *index = vt_mul(ctx, i, vt_i64(ctx, 1 << 20));
    return vt_s_for(ctx, i, vt_i64(ctx, 0), vt_i64(ctx, 1 << 20), VT_FOR_SERIAL,
                    one_store(o, o->y, index, one_i(o, 1)));
}

static void narrowing(void **state) {
    (void)state;
    GIVES(narrow_datatype, wide_loop, "for (i: int32, 0, 30)", "[((i*2) + 1)] = ");
    GIVES(narrow_datatype, too_wide_loop, "cast(int64, i)*1048576i64"); /* the variable fits, the product does not */
}

static const vt_stmt *selections(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i");
    const vt_expr *c = vt_lt(ctx, i, one_i(o, 3)), *zero = one_i(o, 0);
    const vt_stmt *reads = one_store(o, o->y, i, vt_e_select(ctx, c, one_load(o, o->x, i), zero));
    const vt_stmt *safe = one_store(o, o->y, i, vt_e_select(ctx, c, vt_add(ctx, i, one_i(o, 1)), zero));
    return one_for(o, i, 8, VT_FOR_SERIAL, one_seq(o, reads, safe));
}
/* What is unsafe stands last, on the other side, and is a call. */
static const vt_stmt *unsafe_selections(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i");
    const vt_expr *c = vt_lt(ctx, i, one_i(o, 3)), *read = one_load(o, o->x, i);
    const vt_expr *last = vt_e_select(ctx, c, vt_add(ctx, i, read), one_i(o, 5));
    const vt_expr *other = vt_e_select(ctx, c, one_i(o, 6), read);
    const vt_expr *call = vt_e_select(ctx, c, vt_e_call_extern(ctx, VT_I32, "CALL", 0, NULL), one_i(o, 7));
    const vt_stmt *calls = one_store(o, o->y, i, call);
    return one_for(o, i, 8, VT_FOR_SERIAL,
                   one_seq(o, one_store(o, o->y, i, last), one_seq(o, one_store(o, o->y, i, other), calls)));
}
/* The inner one reads outside where the outer one does not hold: of either sort, and the outer one on either side. */
static const vt_stmt *nested_selections(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i");
    const vt_expr *outer = vt_lt(ctx, i, one_i(o, 3)), *inner = vt_lt(ctx, i, one_i(o, 2));
    const vt_expr *far = one_load(o, o->x, vt_mul(ctx, i, one_i(o, 30)));
    const vt_expr *branch = vt_if_then_else(ctx, inner, far, one_i(o, 5));
    const vt_expr *first = vt_e_select(ctx, outer, vt_e_select(ctx, inner, far, one_i(o, 4)), one_i(o, 7));
    const vt_expr *second = vt_e_select(ctx, vt_ge(ctx, i, one_i(o, 3)), one_i(o, 8), branch);
    return one_for(o, i, 8, VT_FOR_SERIAL, one_seq(o, one_store(o, o->y, i, first), one_store(o, o->y, i, second)));
}
static const vt_stmt *nothing(one *o) {
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_stmt *empty = one_for(o, i, 8, VT_FOR_SERIAL, vt_s_eval(&o->ctx, one_load(o, o->x, i)));
    const vt_stmt *never = one_for(o, j, 0, VT_FOR_SERIAL, one_store(o, o->y, j, one_i(o, 1)));
    return one_seq(o, one_seq(o, empty, never), one_store(o, o->y, one_i(o, 5), one_i(o, 7)));
}
static const vt_stmt *repeated(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_expr *row = vt_mul(ctx, i, one_i(o, 8)), *at = vt_add(ctx, row, j);
    const vt_stmt *body = one_seq(o, one_store(o, o->y, at, one_load(o, o->x, at)),
                                  one_store(o, o->y, vt_add(ctx, row, one_i(o, 1)), one_load(o, o->x, row)));
    return one_for(o, i, 8, VT_FOR_SERIAL, one_for(o, j, 8, VT_FOR_SERIAL, body));
}
static const vt_stmt *known_branches(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *v = one_var(o, "v");
    const vt_stmt *branch = vt_s_if(ctx, vt_lt(ctx, i, one_i(o, 8)), one_store(o, o->y, v, one_i(o, 1)),
                                    one_store(o, o->y, v, one_i(o, 2)));
    const vt_stmt *itself = one_store(o, o->x, i, one_load(o, o->x, i));
    return one_for(o, i, 8, VT_FOR_SERIAL, vt_s_let(ctx, v, vt_mul(ctx, i, one_i(o, 2)), one_seq(o, branch, itself)));
}

/* An assertion holds in its body, not for itself. */
static const vt_stmt *asserted(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *n = vt_var_new_scalar(ctx, "n", VT_I32);
    const vt_stmt *known = vt_s_if(ctx, vt_ge(ctx, n, one_i(o, 1)), one_store(o, o->y, one_i(o, 0), one_i(o, 3)), NULL);
    const vt_stmt *inner = vt_s_assert(ctx, vt_ge(ctx, n, one_i(o, 0)), vt_string(ctx, "again"), known);
    return vt_s_assert(ctx, vt_ge(ctx, n, one_i(o, 1)), vt_string(ctx, "few"), inner);
}

/* Stores of what is in a buffer: to the same place or to others, in one and in two dimensions. */
static int self_store;
enum { SELF_STORES = 8, THAT_STAY = 6 }; /* the first ones stay */

static const vt_stmt *from_itself(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_expr *shape[] = {one_i(o, 8), one_i(o, 8)}, *other[] = {one_i(o, 4), one_i(o, 16)};
    const vt_buffer *plane = vt_buffer_new(ctx, "p", o->x->data, VT_I32, 2, shape);
    const vt_buffer *seen_as = vt_buffer_new(ctx, "q", o->x->data, VT_I32, 2, other);
    const vt_expr *at[] = {i, j}, *below[] = {vt_add(ctx, i, one_i(o, 1)), j};
    const vt_expr *beside[] = {i, vt_add(ctx, j, one_i(o, 1))};
    const vt_stmt *stores[SELF_STORES] = {
        one_store(o, o->x, i, one_load(o, o->x, j)),
        one_store(o, o->x, i, one_load(o, o->y, i)),
        vt_s_store(ctx, plane, vt_e_load(ctx, plane, 2, below), 2, at),
        vt_s_store(ctx, plane, vt_e_load(ctx, plane, 2, beside), 2, at),
        vt_s_store(ctx, plane, vt_e_load(ctx, seen_as, 2, at), 2, at),
        one_store(o, o->x, i, vt_add(ctx, one_load(o, o->x, i), one_i(o, 1))),
        one_store(o, o->x, i, one_load(o, o->x, i)),
        vt_s_store(ctx, plane, vt_e_load(ctx, plane, 2, at), 2, at),
    };
    return one_for(o, i, 7, VT_FOR_SERIAL, one_for(o, j, 7, VT_FOR_SERIAL, stores[self_store]));
}

static void self_stores(void **state) {
    (void)state;
    for (self_store = 0; self_store < SELF_STORES; self_store++) {
        one o = {.options = {0}};
        if (one_run(&o, vt_pass_simplify, from_itself) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        bool stays = strstr(o.text, "] = ");
        if (stays != (self_store < THAT_STAY)) fail_msg("store %d: %s", self_store, o.text);
        one_end(&o);
    }
}

static void expressions(void **state) {
    (void)state;
    GIVES(rewrite_unsafe_select, selections, "@tir.if_then_else((i < 3), ", "select((i < 3), (i + 1), 0)");
    GIVES(rewrite_unsafe_select, unsafe_selections, "!select", "[i]), 5, dtype", "if_then_else((i < 3), 6, ",
          "\"CALL\", dtype=int32), 7");
    GIVES(rewrite_unsafe_select, nested_selections, "!select", "if_then_else((i < 3), @tir.if_then_else((i < 2), ",
          "if_then_else((i >= 3), 8, @tir.if_then_else((i < 2), ");
    GIVES(remove_no_op, nothing, "[5] = 7", "!for");
    GIVES(common_subexpr, repeated, "let cse_var_2: int32 = (i*8)", "let cse_var_1: int32 = (cse_var_2 + j)",
          "[cse_var_1] = ", "[(cse_var_2 + 1)] = ");
    GIVES(simplify, known_branches, "[(i*2)] = 1", "!if", "!= 2\n", "!let");
    GIVES(simplify, asserted, "assert((1 <= n: int32), \"few\")", "[0] = 3", "!if", "!again");
}

/* A pass that finds nothing to do gives the function back. */
static void unchanged(void **state) {
    (void)state;
    static const one_pass passes[] = {vt_pass_storage_flatten,       vt_pass_narrow_datatype,    vt_pass_vectorize_loop,
                                      vt_pass_inject_virtual_thread, vt_pass_storage_rewrite,    vt_pass_unroll_loop,
                                      vt_pass_rewrite_unsafe_select, vt_pass_hoist_if_then_else, vt_pass_remove_no_op,
                                      vt_pass_common_subexpr,        vt_pass_loop_partition};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        one o = {.options = {0}};
        assert_int_equal(one_run(&o, passes[i], serial_loop), VTA_OK);
        assert_ptr_equal(o.after->body, o.before->body);
        one_end(&o);
    }
}

/* Passes that take long look for an interruption while they work. */
static atomic_bool stop = true;
static const vt_stmt *stopped(one *o) {
    o->ctx.interrupt = &stop;
    return serial_loop(o);
}

static void interrupted(void **state) {
    (void)state;
    static const one_pass passes[] = {vt_pass_simplify, vt_pass_common_subexpr, vt_pass_loop_partition};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        one o = {.options = {0}};
        assert_int_equal(one_run(&o, passes[i], stopped), VTA_INTERRUPTED);
        assert_string_equal(vta_diag_text(o.diag), "error: interrupted");
        one_end(&o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unrolling),   cmocka_unit_test(vectorizing),     cmocka_unit_test(partition),
        cmocka_unit_test(hoisting),    cmocka_unit_test(virtual_threads), cmocka_unit_test(narrowing),
        cmocka_unit_test(expressions), cmocka_unit_test(unchanged),       cmocka_unit_test(self_stores),
        cmocka_unit_test(interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
