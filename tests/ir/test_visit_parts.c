/* Walking and rewriting every part of a block and of a loop: each part is a variable of its own, which is seen in its
 * place, and whose replacement leaves all others where they were. */
#include <stdio.h>

#include "ir/support.h"
#include "ir/visit.h"

/* In the order in which they are seen. */
enum {
    LOOP_MIN,
    LOOP_EXTENT,
    THREAD_MIN,
    THREAD_EXTENT,
    NOTE,
    ITER = NOTE + 3,   /* minimum and extent of three */
    VALUE = ITER + 6,  /* of three */
    READ = VALUE + 3,  /* three regions, the first of three ranges, the others of one */
    WRITE = READ + 10, /* one of one */
    INIT = WRITE + 2,
    BODY, /* three statements */
    PLACES = BODY + 3
};

typedef struct parts {
    const vt_var *vars[PLACES];
    const vt_buffer *a, *b;
    const vt_stmt *block, *loop;
} parts;

static parts make_parts(vt_ctx *ctx) {
    parts p;
    for (int k = 0; k < PLACES; k++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", k);
        p.vars[k] = vt_var_new(ctx, name, VT_I32);
    }
    const vt_var *const *v = p.vars;
    const vt_expr *shape[] = {vt_i32(ctx, 4), vt_i32(ctx, 4)};
    p.a = vt_buffer_new(ctx, "A", NULL, VT_I32, 2, shape);
    p.b = vt_buffer_new(ctx, "B", NULL, VT_I32, 2, shape);
    const vt_iter **iters = VT_NEW_ARRAY(ctx, const vt_iter *, 3);
    vt_range *ranges = VT_NEW_ARRAY(ctx, vt_range, 6);
    vt_region *regions = VT_NEW_ARRAY(ctx, vt_region, 4);
    const vt_buffer **allocs = VT_NEW_ARRAY(ctx, const vt_buffer *, 3);
    vt_note *notes = VT_NEW_ARRAY(ctx, vt_note, 3);
    for (int k = 0; k < 3; k++)
        iters[k] = vt_iter_new(ctx, vt_var_new(ctx, "i", VT_I32), v[ITER + 2 * k], v[ITER + 2 * k + 1],
                               k ? VT_ITER_COMM_REDUCE : VT_ITER_DATA_PAR, "");
    for (int k = 0; k < 6; k++) ranges[k] = (vt_range){v[READ + 2 * k], v[READ + 2 * k + 1]};
    regions[0] = (vt_region){p.b, 3, ranges};
    for (int k = 1; k < 4; k++) regions[k] = (vt_region){k < 3 ? p.a : p.b, 1, ranges + k + 2};
    allocs[0] = allocs[1] = p.b, allocs[2] = p.a;
    const vt_stmt *items[3];
    for (int k = 0; k < 3; k++) items[k] = vt_s_eval(ctx, v[BODY + k]);
    for (int k = 0; k < 3; k++) notes[k] = (vt_note){"key", v[NOTE + k]};
    vt_stmt block = {.kind = VT_S_BLOCK,
                     .u.block = {.name = "B",
                                 .n_iters = 3,
                                 .iters = iters,
                                 .n_bindings = 3,
                                 .bindings = vt_exprs_copy(ctx, 3, v + VALUE),
                                 .n_reads = 3,
                                 .reads = regions,
                                 .n_writes = 1,
                                 .writes = regions + 3,
                                 .n_allocs = 3,
                                 .allocs = allocs,
                                 .init = vt_s_eval(ctx, v[INIT]),
                                 .body = vt_s_seq(ctx, 3, items)}};
    p.block = vt_s_new(ctx, &block);
    vt_stmt loop = {.kind = VT_S_FOR,
                    .u.loop = {.var = vt_var_new(ctx, "l", VT_I32),
                               .min = v[LOOP_MIN],
                               .extent = v[LOOP_EXTENT],
                               .kind = VT_FOR_THREAD,
                               .n_notes = 3,
                               .notes = notes,
                               .body = p.block}};
    loop.u.loop.thread = vt_iter_new(ctx, vt_var_new(ctx, "t", VT_I32), v[THREAD_MIN], v[THREAD_EXTENT],
                                     VT_ITER_THREAD_INDEX, "vthread");
    p.loop = vt_s_new(ctx, &loop);
    return p;
}

/* What a walk saw; it ends after `last` of them. */
typedef struct seen {
    vt_visitor v;
    const vt_expr *exprs[2 * PLACES];
    int n, last;
} seen;

static void see(vt_visitor *v, const vt_expr *e) {
    seen *s = (seen *)v;
    assert_true(s->n < s->last);
    s->exprs[s->n++] = e;
    v->stop = s->n == s->last;
}

static seen walk(const vt_stmt *s, int last) {
    seen w = {.v = {.expr = see}, .last = last};
    vt_visit_stmt(&w.v, s);
    return w;
}

static vta_status places(vt_ctx *ctx, void *arg) {
    (void)arg;
    const parts p = make_parts(ctx);
    const vt_expr *seven = vt_i32(ctx, 7);
    for (int changed = -1; changed < PLACES; changed++) {
        const vt_var *from = changed < 0 ? vt_var_new(ctx, "other", VT_I32) : p.vars[changed];
        const vt_stmt *s = vt_substitute1_stmt(ctx, p.loop, from, seven);
        seen before = walk(p.loop, 2 * PLACES), after = walk(s, 2 * PLACES);
        assert_int_equal(s == p.loop, changed < 0);
        assert_int_equal(s->u.loop.body == p.block, changed < ITER);
        assert_int_equal(before.n, PLACES);
        assert_int_equal(after.n, PLACES);
        for (int k = 0; k < PLACES; k++) {
            assert_ptr_equal(before.exprs[k], p.vars[k]);
            assert_ptr_equal(after.exprs[k], k == changed ? seven : p.vars[k]);
        }
    }
    for (int last = 1; last < PLACES; last++) assert_int_equal(walk(p.loop, last).n, last); /* a stop is one */
    return VTA_OK;
}

typedef struct renaming {
    vt_mutator m;
    const parts *p;
} renaming;

static const vt_buffer *a_to_b(vt_mutator *m, const vt_buffer *b) {
    const parts *p = ((renaming *)m)->p;
    return b == p->a ? p->b : b;
}

/* Another buffer for one of them: in regions and where they are allocated, whose other parts stay. */
static vta_status buffers(vt_ctx *ctx, void *arg) {
    (void)arg;
    const parts p = make_parts(ctx);
    renaming r = {.m = {.ctx = ctx, .buffer = a_to_b}, .p = &p};
    const vt_stmt *s = vt_mutate_stmt(&r.m, p.block);
    assert_ptr_not_equal(s, p.block);
    for (int k = 0; k < 3; k++) {
        const vt_region *is = s->u.block.reads + k, *was = p.block->u.block.reads + k;
        assert_ptr_equal(is->buffer, p.b);
        assert_ptr_equal(was->buffer, k ? p.a : p.b); /* the block itself stays */
        assert_int_equal(is->n_ranges, was->n_ranges);
        assert_ptr_equal(is->ranges, was->ranges);
        assert_ptr_equal(s->u.block.allocs[k], p.b);
        assert_ptr_equal(p.block->u.block.allocs[k], k < 2 ? p.b : p.a);
    }
    assert_ptr_equal(s->u.block.writes, p.block->u.block.writes);
    return VTA_OK;
}

static const vt_expr *no_expr(vt_mutator *m, const vt_expr *e) {
    (void)m;
    fail_msg("an expression was rewritten");
    return e;
}

/* A rewriter of statements does not look into expressions, in regions and behind attributes too; nothing stays nothing.
 */
static vta_status statements(vt_ctx *ctx, void *arg) {
    (void)arg;
    const parts p = make_parts(ctx);
    vt_mutator m = {.ctx = ctx, .expr = no_expr, .statements_only = true}, all = {.ctx = ctx};
    const vt_stmt *s = vt_s_attr(ctx, vt_ref_var(p.vars[0]), "key", p.vars[1], p.loop);
    assert_ptr_equal(vt_mutate_stmt(&m, s), s);
    assert_ptr_equal(vt_mutate_expr(&m, p.vars[0]), p.vars[0]);
    assert_null(vt_mutate_expr(&all, NULL));
    assert_null(vt_mutate_stmt(&all, NULL));
    return VTA_OK;
}

TEST_CASE(test_places) { run_in_context(places, NULL, VTA_OK, NULL); }
TEST_CASE(test_statements) { run_in_context(statements, NULL, VTA_OK, NULL); }
TEST_CASE(test_buffers) { run_in_context(buffers, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
