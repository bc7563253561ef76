/* What programs seldom ask of the generic passes. */
#include "pass/one.h"

/* ---- Common subexpressions --------------------------------------------------------------------------------------- */

static const vt_stmt *both_stores(one *o, const vt_expr *first, const vt_expr *second, const vt_expr *value) {
    return one_seq(o, one_store(o, o->y, first, value), one_store(o, o->x, second, value));
}

/* A function that has some of the names already: a number after the prefix is taken, a letter or a longer name is no
 * number. */
static const vt_stmt *taken_names(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j");
    const vt_var *first = one_var(o, "cse_var_1"), *third = one_var(o, "cse_var_3"), *other = one_var(o, "cse_var_x");
    const vt_expr *ij = vt_mul(ctx, i, j), *ii = vt_mul(ctx, i, i);
    const vt_stmt *s = one_seq(o, both_stores(o, first, third, ij), both_stores(o, other, first, ii));
    s = one_for(o, third, 2, VT_FOR_SERIAL, one_for(o, other, 2, VT_FOR_SERIAL, s));
    return one_for(o, i, 8, VT_FOR_SERIAL, one_for(o, j, 8, VT_FOR_SERIAL, one_for(o, first, 2, VT_FOR_SERIAL, s)));
}

/* What a let computes is computed once, with what is below it. */
static const vt_stmt *known_value(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *v = one_var(o, "v");
    const vt_expr *square = vt_mul(ctx, i, i);
    const vt_stmt *s = one_store(o, o->y, vt_add(ctx, square, one_i(o, 1)), one_load(o, o->x, v));
    return one_for(o, i, 8, VT_FOR_SERIAL, vt_s_let(ctx, v, square, s));
}

TEST_CASE(common_subexpressions) {
    GIVES(common_subexpr, taken_names, "let cse_var_2: int32 = (i*", "let cse_var_4: int32 = (i*", "!cse_var_5",
          "!let cse_var_1", "!let cse_var_3");
    GIVES(common_subexpr, known_value, "let cse_var_1: int32 = (i*i)", "let v: int32 = cse_var_1",
          "[(cse_var_1 + 1)] = ", "!cse_var_2");
}

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

static const vt_stmt *filled(one *o, const vt_var *i, int64_t extent, vt_for_kind kind) {
    return one_for(o, i, extent, kind, one_store(o, o->y, vt_add(&o->ctx, i, one_i(o, 5)), one_load(o, o->x, i)));
}
static const vt_stmt *marked_only(one *o, const vt_stmt *body) {
    vt_ctx *ctx = &o->ctx;
    body = vt_s_attr(ctx, vt_ref_none(), "pragma_unroll_explicit", one_i(o, 0), body);
    return vt_s_attr(ctx, vt_ref_none(), "pragma_auto_unroll_max_step", one_i(o, 8), body);
}
static const vt_stmt *short_loop(one *o) { return marked_only(o, filled(o, one_var(o, "i"), 8, VT_FOR_SERIAL)); }
static const vt_stmt *long_loop(one *o) { return marked_only(o, filled(o, one_var(o, "i"), 9, VT_FOR_SERIAL)); }
static const vt_stmt *asked_loop(one *o) { return marked_only(o, filled(o, one_var(o, "i"), 9, VT_FOR_UNROLLED)); }
static const vt_stmt *one_step(one *o) { return filled(o, one_var(o, "i"), 1, VT_FOR_UNROLLED); }
static const vt_stmt *no_step(one *o) {
    return one_seq(o, filled(o, one_var(o, "i"), 0, VT_FOR_UNROLLED), one_store(o, o->y, one_i(o, 7), one_i(o, 8)));
}
static const vt_stmt *no_serial_step(one *o) {
    const vt_stmt *never = filled(o, one_var(o, "i"), 0, VT_FOR_SERIAL);
    never = vt_s_attr(&o->ctx, vt_ref_none(), "pragma_auto_unroll_max_step", one_i(o, 8), never);
    return one_seq(o, never, one_store(o, o->y, one_i(o, 7), one_i(o, 8)));
}
/* The mark is for what is inside of it alone. */
static const vt_stmt *loop_after(one *o) {
    return one_seq(o, short_loop(o), filled(o, one_var(o, "j"), 2, VT_FOR_UNROLLED));
}
/* A vector of one element is none. */
static const vt_stmt *lone_vector(one *o) { return filled(o, one_var(o, "i"), 1, VT_FOR_VECTORIZED); }
static const vt_stmt *empty_vector(one *o) { return filled(o, one_var(o, "i"), 0, VT_FOR_VECTORIZED); }
static const vt_stmt *late_vector(one *o) {
    const vt_var *i = one_var(o, "i");
    const vt_stmt *s = one_store(o, o->y, i, one_i(o, 1));
    return vt_s_for(&o->ctx, i, one_i(o, 1), one_i(o, 4), VT_FOR_VECTORIZED, s);
}

TEST_CASE(loops) {
    GIVES(unroll_loop, short_loop, "for (i: int32, 0, 8) \"unrolled\"", "[(i + 5)] = ", "!pragma");
    GIVES(unroll_loop, long_loop, "for (i: int32, 0, 9) {", "!unroll");
    GIVES(unroll_loop, asked_loop, "for (i: int32, 0, 9) \"unrolled\"");
    GIVES(unroll_loop, loop_after, "for (i: int32, 0, 8) \"unrolled\"", "!for (j", "[(1 + 5)] = ");
    GIVES(unroll_loop, one_step, "[(0 + 5)] = ", "!for");
    GIVES(unroll_loop, no_serial_step, "[7] = 8", "!for", "!+ 5");
    GIVES(unroll_loop, no_step, "[7] = 8", "!for", "!+ 5");
    GIVES(vectorize_loop, lone_vector, "[(0 + 5)] = ", "[0]", "!for", "!ramp");
    REFUSES(vectorize_loop, empty_vector, "axis i cannot be vectorized: its extent is 0, but must be a constant");
    REFUSES(vectorize_loop, late_vector, "axis i cannot be vectorized");
}

/* ---- Threads, memory, selections --------------------------------------------------------------------------------- */

static const vt_stmt *some_threads(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *v = one_var(o, "v");
    const vt_iter *axis = vt_iter_new(ctx, v, NULL, NULL, VT_ITER_THREAD_INDEX, "cthread");
    return vt_s_attr(ctx, vt_ref_iter(axis), "virtual_thread", one_var(o, "n"), one_store(o, o->y, v, v));
}

/* Memory as large as a loop's variable says, or a number of which nothing is known, beside some of a known size:
 * ordinary memory can be, the accelerator's cannot. */
static const vt_stmt *memory_of(one *o, const char *scope, bool in_loop) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *n = one_var(o, "n");
    const vt_expr *size = n;
    const vt_buffer *own = vt_buffer_new(ctx, "own", vt_var_new_pointer(ctx, "own", VT_I32, scope), VT_I32, 1, &size);
    const vt_buffer *other = one_buffer(o, "other", 4, "global");
    const vt_stmt *uses = one_seq(o, one_store(o, own, one_i(o, 0), one_i(o, 3)),
                                  one_store(o, other, one_i(o, 0), one_load(o, own, one_i(o, 0))));
    uses = one_alloc(o, own, one_seq(o, uses, one_store(o, o->y, one_i(o, 0), one_load(o, other, one_i(o, 0)))));
    if (in_loop) uses = one_for(o, n, 8, VT_FOR_SERIAL, uses);
    return one_alloc(o, other, uses);
}
static const vt_stmt *ordinary_in_loop(one *o) { return memory_of(o, "global", true); }
static const vt_stmt *ordinary(one *o) { return memory_of(o, "global", false); }
static const vt_stmt *on_chip_in_loop(one *o) { return memory_of(o, "local.acc_buffer", true); }
static const vt_stmt *on_chip(one *o) { return memory_of(o, "local.acc_buffer", false); }

/* Neither address is of what is read; the second one's index is read. */
static const vt_stmt *addresses(one *o) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i");
    const vt_expr *small = vt_lt(ctx, i, one_i(o, 3)), *x = one_load(o, o->x, i), *y = one_load(o, o->y, i);
    const vt_expr *inner = one_load(o, o->y, x), *at[] = {x, y, inner};
    for (int k = 0; k < 3; k++) at[k] = vt_e_call(ctx, VT_HANDLE_T, VT_OP_ADDRESS_OF, 1, &at[k]);
    const vt_expr *safe = vt_e_select(ctx, small, at[0], at[1]), *read = vt_e_select(ctx, small, at[0], at[2]);
    const vt_stmt *calls[] = {vt_s_eval(ctx, vt_e_call_extern(ctx, VT_I32, "safe", 1, &safe)),
                              vt_s_eval(ctx, vt_e_call_extern(ctx, VT_I32, "read", 1, &read))};
    return one_for(o, i, 8, VT_FOR_SERIAL, vt_s_seq(ctx, 2, calls));
}

TEST_CASE(others) {
    REFUSES(inject_virtual_thread, some_threads, "the number of virtual threads v is not a constant");
    GIVES(storage_rewrite, ordinary_in_loop, "allocate(own: Pointer(global int32), int32, [n])");
    GIVES(storage_rewrite, ordinary, "allocate(own: Pointer(global int32), int32, [n: int32])");
    REFUSES(storage_rewrite, on_chip_in_loop, "own is put into local.acc_buffer, so its size must be a constant");
    REFUSES(storage_rewrite, on_chip, "own is put into local.acc_buffer, so its size must be a constant");
    GIVES(rewrite_unsafe_select, addresses, "\"safe\", select((i < 3), @tir.address_of(",
          "\"read\", @tir.if_then_else((i < 3), @tir.address_of(");
}

int main(void) { return run_cases(); }
