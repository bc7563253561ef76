/* Which buffers share a place: by their sizes, types, scopes and lives. */
#include "pass/one.h"

typedef struct buffer {
    const char *name;
    vt_dtype dtype;
    int64_t size;
    int first, last; /* steps in which it is used */
    const char *scope;
    int dimensions;
} buffer;

typedef struct row {
    const char *want; /* the allocations in their order: name, type and size */
    buffer buffers[5];
} row;

#define I32 VT_I32
#define I8 VT_I8
#define I8X4 VT_DTYPE(VT_INT, 8, 4)
#define F32 VT_DTYPE(VT_FLOAT, 32, 1)

enum { N = -1 }; /* a size that is not known */

static const row rows[] = {
    {"a int32 16", {{"a", I32, 16, 0, 1}, {"b", I32, 16, 2, 3}}},
    {"a int32 16, b int32 16", {{"a", I32, 16, 0, 3}, {"b", I32, 16, 2, 3}}},
    {"a int32 16", {{"a", I32, 16, 0, 0}, {"b", I32, 16, 1, 1}, {"c", I32, 16, 2, 2}}},
    {"a int32 16, b int32 16", {{"a", I32, 16, 0, 3}, {"b", I32, 16, 1, 1}, {"c", I32, 16, 2, 2}}},
    /* up to 16 times as large, and up to 16 times as small */
    {"a int32 17", {{"a", I32, 16, 0, 0}, {"b", I32, 17, 1, 1}}},
    {"a int32 256", {{"a", I32, 16, 0, 0}, {"b", I32, 256, 1, 1}}},
    {"a int32 16, b int32 257", {{"a", I32, 16, 0, 0}, {"b", I32, 257, 1, 1}}},
    {"a int32 32", {{"a", I32, 32, 0, 0}, {"b", I32, 2, 1, 1}}},
    {"a int32 33, b int32 2", {{"a", I32, 33, 0, 0}, {"b", I32, 2, 1, 1}}},
    /* 32 bits are not worth it, neither to give nor to take */
    {"a int32 8, b int32 1", {{"a", I32, 8, 0, 0}, {"b", I32, 1, 1, 1}}},
    {"a int32 1, b int32 8", {{"a", I32, 1, 0, 0}, {"b", I32, 8, 1, 1}}},
    {"a int8 5", {{"a", I8, 5, 0, 0}, {"b", I8, 5, 1, 1}}},
    /* other types fit into what is as large; only the same type makes a place larger */
    {"a int32 16", {{"a", I32, 16, 0, 0}, {"b", I8, 64, 1, 1}}},
    {"a int32 16", {{"a", I32, 16, 0, 0}, {"b", I8, 61, 1, 1}}},
    {"a int32 16, b int8 65", {{"a", I32, 16, 0, 0}, {"b", I8, 65, 1, 1}}},
    {"a int8x4 16", {{"a", I8, 16, 0, 0}, {"b", I8X4, 16, 1, 1}}},
    {"a int8x4 16", {{"a", I8X4, 16, 0, 0}, {"b", I8, 16, 1, 1}}},
    {"a int8 66", {{"a", I8, 66, 0, 0}, {"b", I32, 16, 1, 1}}},
    {"a int8 64", {{"a", I8, 64, 0, 0}, {"b", F32, 16, 1, 1}}},
    /* the smallest that is large enough, else the largest */
    {"a int32 8, b int32 32, c int32 16",
     {{"a", I32, 8, 0, 1}, {"b", I32, 32, 0, 1}, {"c", I32, 16, 0, 1}, {"d", I32, 16, 2, 3}, {"e", I32, 31, 2, 3}}},
    {"a int32 8, b int32 32, c int32 16",
     {{"a", I32, 8, 0, 1}, {"b", I32, 32, 0, 1}, {"c", I32, 16, 0, 1}, {"d", I32, 9, 2, 3}, {"e", I32, 15, 2, 3}}},
    {"a int32 4, b int32 20, c int32 6",
     {{"a", I32, 4, 0, 1}, {"b", I32, 8, 0, 1}, {"c", I32, 6, 0, 1}, {"d", I32, 20, 2, 3}}},
    {"a int32 4, b int32 21, c int32 20",
     {{"a", I32, 4, 0, 1}, {"b", I32, 8, 0, 1}, {"c", I32, 6, 0, 1}, {"d", I32, 21, 2, 3}, {"e", I32, 20, 2, 3}}},
    /* of sizes that are not known those of one type, whichever is free */
    {"a int32 n", {{"a", I32, N, 0, 0}, {"b", I32, N, 1, 1}}},
    {"a int32 n, b int32 n", {{"a", I32, N, 0, 2}, {"b", I32, N, 1, 2}, {"c", I32, N, 3, 3}}},
    {"a int8 n, b int32 n", {{"a", I8, N, 0, 1}, {"b", I32, N, 0, 1}, {"c", I32, N, 2, 2}}},
    {"a int32 n, b int8 n", {{"a", I32, N, 0, 0}, {"b", I8, N, 1, 1}}},
    {"a int32 16, b int32 n", {{"a", I32, 16, 0, 0}, {"b", I32, N, 1, 1}}},
    {"a int32 n, b int32 16", {{"a", I32, N, 0, 0}, {"b", I32, 16, 1, 1}}},
    /* registers and several dimensions */
    {"a int32 16, b int32 16", {{"a", I32, 16, 0, 0, "local"}, {"b", I32, 16, 1, 1, "local"}}},
    {"a int32 16, b int32 16", {{"a", I32, 16, 0, 0, "global"}, {"b", I32, 16, 1, 1, "shared"}}},
    {"a int32 16", {{"a", I32, 16, 0, 0, "shared"}, {"b", I32, 16, 1, 1, "shared"}}},
    {"a int32 16, b int32 16 1", {{"a", I32, 16, 0, 0}, {"b", I32, 16, 1, 1, "global", 2}}},
};

static const row *current;
static const vt_var *unknown;

static const vt_expr *size_of(one *o, const buffer *b) { return b->size == N ? unknown : one_i(o, b->size); }

static const vt_stmt *program(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_stmt *body = NULL;
    const vt_buffer *made[5];
    int n = 0;
    unknown = vt_var_new_size(c, "n", VT_I32);
    for (; n < 5 && current->buffers[n].name; n++) {
        const buffer *b = &current->buffers[n];
        const vt_expr *shape = size_of(o, b);
        const char *scope = b->scope ? b->scope : "global";
        made[n] = vt_buffer_new(c, b->name, vt_var_new_pointer(c, b->name, b->dtype, scope), b->dtype, 1, &shape);
    }
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < n; i++) {
            const buffer *b = &current->buffers[i];
            if (step < b->first || step > b->last) continue;
            const vt_stmt *s = one_store(o, made[i], one_i(o, 0), vt_const(c, b->dtype, step));
            body = body ? one_seq(o, body, s) : s;
        }
    }
    for (int i = n; i-- > 0;) {
        const vt_expr *extents[] = {size_of(o, &current->buffers[i]), one_i(o, 1)};
        body = vt_s_alloc(c, made[i]->data, made[i]->dtype, current->buffers[i].dimensions == 2 ? 2 : 1, extents,
                          vt_bool(c, true), body);
    }
    return body;
}

TEST_CASE(shared_places) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        one o = {.options = {0}};
        char got[512] = "";
        current = &rows[i];
        if (one_run(&o, vt_pass_storage_rewrite, program) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        for (const vt_stmt *s = o.after->body; s->kind == VT_S_ALLOC; s = s->u.alloc.body) {
            char type[VT_DTYPE_TEXT];
            size_t at = strlen(got);
            at += (size_t)snprintf(got + at, sizeof got - at, "%s%s %s", at ? ", " : "", vt_var_name(s->u.alloc.var),
                                   vt_dtype_text(s->u.alloc.dtype, type));
            for (uint32_t k = 0; k < s->u.alloc.n_extents; k++)
                at += (size_t)snprintf(got + at, sizeof got - at, " %s", vt_expr_plain(&o.ctx, s->u.alloc.extents[k]));
        }
        if (strcmp(got, rows[i].want) != 0) fail_msg("row %zu: %s, not %s", i, got, rows[i].want);
        one_end(&o);
    }
}

/* ---- In place ---------------------------------------------------------------------------------------------------- */

/* b is made from a, and a is not used again: can b be where a was? */
static const char *const scopes[] = {"global", "local.pad"}; /* the last is special: its buffers become one */
static const char *scope;
static int form;

static const vt_stmt *made_from(one *o, const vt_buffer *a, const vt_buffer *b, const vt_var *j) {
    vt_ctx *c = &o->ctx;
    const vt_expr *aj = one_load(o, a, j), *unit = one_i(o, 1);
    const vt_expr *shifts[][2] = {{unit, aj}, {aj, aj}, {aj, unit}};
    switch (form) {
    case 0: return one_store(o, b, j, vt_add(c, aj, unit));
    case 1: return one_store(o, b, j, vt_add(c, aj, aj));
    case 2: return vt_s_if(c, vt_lt(c, j, unit), one_store(o, b, j, aj), NULL);
    case 3: return one_store(o, b, j, vt_e_select(c, vt_lt(c, j, unit), aj, unit));
    case 4: return one_store(o, b, j, vt_e_call(c, VT_I32, VT_OP_SHIFT_LEFT, 2, shifts[1]));
    case 5: return one_store(o, b, j, vt_e_call(c, VT_I32, VT_OP_SHIFT_LEFT, 2, shifts[2]));
    case 6:
        return one_store(o, b, j, one_load(o, o->x, aj)); /* what is read is picked before b is written */
    /* from here on only in ordinary memory: what does not change must be there already */
    case 7: return one_store(o, b, j, vt_e_select(c, vt_lt(c, aj, unit), one_i(o, 2), unit));
    case 8: return one_store(o, b, j, vt_e_call(c, VT_I32, VT_OP_SHIFT_RIGHT, 2, shifts[0]));
    /* never */
    case 9: return one_store(o, b, j, one_load(o, a, vt_sub(c, one_i(o, 15), j)));
    case 10: return one_store(o, b, j, vt_add(c, aj, one_load(o, a, unit)));
    case 11: return one_store(o, b, aj, unit);
    case 12: return one_store(o, b, j, vt_add(c, one_load(o, b, j), aj));
    case 13: return one_seq(o, one_store(o, b, j, unit), one_store(o, o->x, j, aj));
    case 14: return vt_s_attr(c, vt_ref_var(b->data), VT_ATTR_VOLATILE, unit, one_store(o, b, j, aj));
    case 15: return one_store(o, b, j, one_load(o, a, aj));
    case 16: return one_store(o, b, j, one_load(o, o->x, one_load(o, a, vt_sub(c, one_i(o, 15), j))));
    default: return NULL;
    }
}
enum { FORMS_EVERYWHERE = 7, FORMS_IN_MEMORY = 9, FORMS = 17 };

static const vt_stmt *from_each_other(one *o) {
    const vt_buffer *a = one_buffer(o, "a", 16, scope), *b = one_buffer(o, "b", 16, scope);
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j"), *k = one_var(o, "k");
    const vt_stmt *first = one_for(o, i, 16, VT_FOR_SERIAL, one_store(o, a, i, one_load(o, o->x, i)));
    const vt_stmt *second = one_for(o, j, 16, VT_FOR_SERIAL, made_from(o, a, b, j));
    const vt_stmt *third = one_for(o, k, 16, VT_FOR_SERIAL, one_store(o, o->y, k, one_load(o, b, k)));
    return one_alloc(o, a, one_alloc(o, b, one_seq(o, first, one_seq(o, second, third))));
}

TEST_CASE(in_place) {
    for (int special = 0; special < 2; special++)
        for (form = 0; form < FORMS; form++) {
            one o = {.options = {0}};
            scope = scopes[special];
            if (one_run(&o, vt_pass_storage_rewrite, from_each_other) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
            const vt_stmt *alloc = o.after->body;
            bool once = alloc->u.alloc.body->kind != VT_S_ALLOC && vt_is_const(alloc->u.alloc.extents[0], 16);
            if (once != (form < (special ? FORMS_EVERYWHERE : FORMS_IN_MEMORY)))
                fail_msg("form %d in %s: %s", form, scope, o.text);
            one_end(&o);
        }
}

/* Threads in threads are one scope: that of the outermost. */
static const vt_stmt *threads(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_buffer *t = one_buffer(o, "t", 16, "global");
    const vt_stmt *body = one_alloc(o, t, one_store(o, t, one_i(o, 0), one_i(o, 1)));
    for (int i = 2; i-- > 0;) {
        const vt_var *v = one_var(o, i ? "threadIdx.x" : "blockIdx.x");
        const vt_iter *axis = vt_iter_new(c, v, NULL, NULL, VT_ITER_THREAD_INDEX, vt_var_name(v));
        body = vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_THREAD_EXTENT, one_i(o, 4), body);
    }
    return body;
}

TEST_CASE(nested_threads) {
    one o = {.options = {0}};
    assert_int_equal(one_run(&o, vt_pass_storage_rewrite, threads), VTA_OK);
    assert_int_equal(o.after->body->u.attr.body->kind, VT_S_ALLOC);
    one_end(&o);
}

/* What each step of a loop needs for itself stays in the loop where steps may run at one time, whatever is around it.
 */
static vt_for_kind outer_kind, inner_kind;
static bool in_thread;

static const vt_stmt *steps(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_buffer *t = one_buffer(o, "t", 16, "global");
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j"), *v = one_var(o, "vthread");
    const vt_stmt *body =
        one_seq(o, one_store(o, t, one_i(o, 0), j), one_store(o, o->y, j, one_load(o, t, one_i(o, 0))));
    body = one_for(o, i, 4, outer_kind, one_for(o, j, 8, inner_kind, one_alloc(o, t, body)));
    if (!in_thread) return body;
    const vt_iter *axis = vt_iter_new(c, v, NULL, NULL, VT_ITER_THREAD_INDEX, "vthread");
    return vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_VIRTUAL_THREAD, one_i(o, 2), body);
}

static bool at_one_time(vt_for_kind kind) { return kind == VT_FOR_PARALLEL || kind == VT_FOR_VECTORIZED; }

/* How many of the thread and the two loops are around the allocation. */
static int loops_around(const vt_stmt *s) {
    int n = 0;
    for (; s->kind != VT_S_ALLOC; s = vt_stmt_body(s)) n++;
    return n;
}

TEST_CASE(concurrent_loops) {
    static const vt_for_kind kinds[] = {VT_FOR_SERIAL, VT_FOR_UNROLLED, VT_FOR_PARALLEL, VT_FOR_VECTORIZED};
    static const one_pass passes[] = {vt_share_before_threads, vt_pass_storage_rewrite};
    for (int which = 0; which < 4 * 4 * 2 * 2; which++) {
        one o = {.options = {0}};
        outer_kind = kinds[which % 4];
        inner_kind = kinds[which / 4 % 4];
        in_thread = which / 16 % 2;
        int want = at_one_time(inner_kind) ? 2 : at_one_time(outer_kind) ? 1 : 0;
        if (one_run(&o, passes[which / 32], steps) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        int got = loops_around(o.after->body);
        if (got != want + in_thread)
            fail_msg("case %d: the buffer stands inside of %d loops, not %d:\n%s", which, got, want + in_thread,
                     o.text);
        one_end(&o);
    }
}

/* a is filled from x, b from a by `use`, then y from b. */
static const vt_stmt *three_buffers(one *o, bool in_place) {
    vt_ctx *ctx = &o->ctx;
    const vt_var *i = one_var(o, "i"), *j = one_var(o, "j"), *k = one_var(o, "k");
    const vt_buffer *a = one_buffer(o, "a", 16, "global"), *b = one_buffer(o, "b", 16, "global");
    const vt_buffer *c = one_buffer(o, "c", 16, "global");
    const vt_expr *from = in_place ? (const vt_expr *)j : vt_sub(ctx, one_i(o, 15), j);
    const vt_stmt *s1 = one_for(o, i, 16, VT_FOR_SERIAL, one_store(o, a, i, one_load(o, o->x, i)));
    const vt_stmt *s2 = one_for(o, j, 16, VT_FOR_SERIAL, one_store(o, b, j, one_load(o, a, from)));
    const vt_stmt *s3 =
        one_for(o, k, 16, VT_FOR_SERIAL, one_store(o, c, k, one_load(o, b, vt_sub(ctx, one_i(o, 15), k))));
    const vt_stmt *s4 = one_store(o, o->y, one_i(o, 0), one_load(o, c, one_i(o, 3)));
    return one_alloc(o, a, one_alloc(o, b, one_alloc(o, c, one_seq(o, one_seq(o, s1, s2), one_seq(o, s3, s4)))));
}
static const vt_stmt *buffers_in_place(one *o) { return three_buffers(o, true); }
static const vt_stmt *buffers_crossed(one *o) { return three_buffers(o, false); }
static const vt_stmt *parallel_buffer(one *o) {
    const vt_var *i = one_var(o, "i");
    const vt_buffer *t = one_buffer(o, "t", 16, "global");
    return one_for(
        o, i, 8, VT_FOR_PARALLEL,
        one_alloc(o, t, one_seq(o, one_store(o, t, i, one_i(o, 1)), one_store(o, o->y, i, one_load(o, t, i)))));
}

TEST_CASE(storage) {
    GIVES(storage_rewrite, buffers_in_place, "allocate(a", "!allocate(b", "allocate(c"); /* b takes a's place */
    GIVES(storage_rewrite, buffers_crossed, "allocate(a", "allocate(b", "!allocate(c");  /* c uses a again */
    one o = {.options = {0}};
    assert_int_equal(one_run(&o, vt_pass_storage_rewrite, parallel_buffer), VTA_OK);
    assert_int_equal(o.after->body->kind, VT_S_FOR); /* each round of a parallel loop has its own */
    one_expect(&o, (const char *const[]){"allocate(t", NULL});
}

int main(void) { return run_cases(); }
