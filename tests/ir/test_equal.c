/* Equality up to names: variables and buffers correspond one to one, and all else is the same. */
#include <string.h>

#include "ir/attr.h"
#include "ir/support.h"
#include "ir/visit.h"

/* ---- Variables --------------------------------------------------------------------------------------------------- */

static bool alike(vt_ctx *ctx, const vt_stmt *x, const vt_stmt *y) {
    bool both = vt_stmt_alpha_equal(ctx, x, y, true);
    assert_int_equal(vt_stmt_alpha_equal(ctx, y, x, true), both);
    return both;
}

static vta_status variables(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *j = vt_var_new(ctx, "j", VT_I32),
                 *k = vt_var_new(ctx, "k", VT_I32);
    const vt_stmt *use = vt_s_eval(ctx, i), *kk = vt_s_eval(ctx, vt_add(ctx, k, k));
    const vt_stmt *ij = vt_s_eval(ctx, vt_add(ctx, i, j)), *jk = vt_s_eval(ctx, vt_add(ctx, j, k));
    assert_true(alike(ctx, ij, jk));
    assert_false(alike(ctx, kk, ij)); /* neither one for two nor two for one */
    assert_false(vt_stmt_alpha_equal(ctx, ij, jk, false));
    assert_true(vt_stmt_alpha_equal(ctx, ij, ij, false));
    /* one that both have corresponds to itself, and so to no other */
    const vt_stmt *ii = vt_s_eval(ctx, vt_add(ctx, i, i)), *twice[] = {use, use}, *other[] = {use, vt_s_eval(ctx, j)};
    assert_true(alike(ctx, ii, ii));
    assert_false(alike(ctx, ii, ij));
    assert_true(alike(ctx, ij, vt_s_eval(ctx, vt_add(ctx, i, k))));
    assert_false(alike(ctx, vt_s_seq(ctx, 2, twice), vt_s_seq(ctx, 2, other)));
    /* the same body in loops of two variables: in one of them its variable is the loop's */
    assert_false(alike(ctx, loop(ctx, i, 4, use), loop(ctx, j, 4, use)));
    assert_true(alike(ctx, loop(ctx, i, 4, use), loop(ctx, j, 4, vt_s_eval(ctx, j))));
    assert_false(alike(ctx, loop(ctx, i, 4, ij), loop(ctx, j, 4, ij)));
    assert_true(alike(ctx, loop(ctx, i, 4, ij), loop(ctx, k, 4, vt_s_eval(ctx, vt_add(ctx, k, j)))));
    return VTA_OK;
}

/* Variables of one name in another type, and pointers to something else, do not correspond. */
static vta_status types_of_variables(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *vars[] = {
        vt_var_new(ctx, "v", VT_I32),
        vt_var_new(ctx, "v", VT_I64),
        vt_var_new(ctx, "v", VT_HANDLE_T),
        vt_var_new_pointer(ctx, "v", VT_I32, "local"),
        vt_var_new_pointer(ctx, "v", VT_I8, "local"),
        vt_var_new_pointer(ctx, "v", VT_I32, "global"),
    };
    enum { VARS = sizeof vars / sizeof *vars };
    for (int x = 0; x < VARS; x++)
        for (int y = 0; y < VARS; y++) {
            const vt_var *same = x == y ? vt_var_copy(ctx, vars[x], "") : vars[y];
            assert_int_equal(alike(ctx, vt_s_eval(ctx, vars[x]), vt_s_eval(ctx, same)), x == y);
            const vt_expr *let = vt_e_let(ctx, vars[x], vars[x], vars[x]), *other = vt_e_let(ctx, same, same, same);
            assert_int_equal(alike(ctx, vt_s_eval(ctx, let), vt_s_eval(ctx, other)), x == y);
            const vt_stmt *on_x = vt_s_attr(ctx, vt_ref_var(vars[x]), "key", vt_i32(ctx, 1), vt_s_nop(ctx));
            const vt_stmt *on_y = vt_s_attr(ctx, vt_ref_var(same), "key", vt_i32(ctx, 1), vt_s_nop(ctx));
            if (alike(ctx, on_x, on_y) != (x == y)) fail_msg("attributes of variables %d and %d", x, y);
        }
    return VTA_OK;
}

/* ---- Buffers ----------------------------------------------------------------------------------------------------- */

enum { SAME, DTYPE, SHAPE, STRIDES, A_STRIDE, OFFSET, DATA, SCOPE, VARIATIONS };

static const vt_buffer *vary(vt_ctx *ctx, int what) {
    const vt_expr *shape[] = {vt_i32(ctx, 4), vt_i32(ctx, what == SHAPE ? 7 : 6)};
    const vt_expr *strides[] = {vt_i32(ctx, what == A_STRIDE ? 12 : 6), vt_i32(ctx, 1)};
    vt_dtype t = what == DTYPE ? VT_I8 : VT_I32;
    const vt_var *data = vt_var_new_pointer(ctx, "b", what == DATA ? VT_I8 : VT_I32, what == SCOPE ? "local" : "");
    vt_buffer fields = *vt_buffer_new(ctx, "b", data, t, 2, shape);
    fields.n_strides = what == STRIDES ? 0 : 2;
    fields.strides = vt_exprs_copy(ctx, 2, strides);
    if (what == OFFSET) fields.elem_offset = vt_i32(ctx, 3);
    return vt_buffer_with(ctx, &fields);
}

static const vt_stmt *bound(vt_ctx *ctx, const vt_buffer *b) {
    return vt_s_attr(ctx, vt_ref_buffer(b), "key", vt_i32(ctx, 1), vt_s_nop(ctx));
}

static const vt_stmt *copied(vt_ctx *ctx, const vt_buffer *to, const vt_buffer *from) {
    const vt_expr *at[] = {vt_i32(ctx, 1), vt_i32(ctx, 2)};
    return vt_s_store(ctx, to, vt_e_load(ctx, from, 2, at), 2, at);
}

static vta_status buffers(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_buffer *b = vary(ctx, SAME);
    for (int what = SAME; what < VARIATIONS; what++) {
        const vt_buffer *other = vary(ctx, what);
        if (alike(ctx, bound(ctx, b), bound(ctx, other)) != (what == SAME)) fail_msg("variation %d", what);
    }
    /* of the same data: the data are all that must be known */
    vt_buffer fields = *b;
    const vt_buffer *again = vt_buffer_with(ctx, &fields), *c = vary(ctx, SAME), *d = vary(ctx, SAME);
    assert_true(vt_stmt_alpha_equal(ctx, bound(ctx, b), bound(ctx, again), false));
    assert_false(vt_stmt_alpha_equal(ctx, bound(ctx, b), bound(ctx, c), false));
    assert_true(alike(ctx, copied(ctx, b, c), copied(ctx, d, b)));
    assert_false(alike(ctx, copied(ctx, b, b), copied(ctx, c, d)));
    assert_false(vt_stmt_equal(bound(ctx, b), bound(ctx, again)));
    /* data that both have are no other's */
    const vt_stmt *of_one[] = {bound(ctx, b), bound(ctx, again)}, *of_two[] = {bound(ctx, b), bound(ctx, c)};
    assert_false(alike(ctx, vt_s_seq(ctx, 2, of_one), vt_s_seq(ctx, 2, of_two)));
    return VTA_OK;
}

/* ---- What statements are about ----------------------------------------------------------------------------------- */

static vta_status references(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const vt_tensor tensors[2];
    const vt_var *v = vt_var_new(ctx, "v", VT_I32), *threads[] = {v, vt_var_new(ctx, "w", VT_I32)};
    const vt_expr *four = vt_i32(ctx, 4), *five = vt_i32(ctx, 5), *zero = vt_i32(ctx, 0);
    const vt_buffer *b = vary(ctx, SAME), *c = vary(ctx, SHAPE);
    const vt_ref refs[] = {
        vt_ref_none(),
        vt_ref_var(v),
        vt_ref_iter(vt_iter_new(ctx, threads[0], zero, four, VT_ITER_THREAD_INDEX, "vthread")),
        vt_ref_iter(vt_iter_new(ctx, threads[1], zero, four, VT_ITER_THREAD_INDEX, "cthread")),
        vt_ref_iter(vt_iter_new(ctx, threads[1], zero, four, VT_ITER_DATA_PAR, "vthread")),
        vt_ref_iter(vt_iter_new(ctx, threads[1], zero, five, VT_ITER_THREAD_INDEX, "vthread")),
        vt_ref_iter(vt_iter_new(ctx, threads[1], four, four, VT_ITER_THREAD_INDEX, "vthread")),
        vt_ref_tensor(&tensors[0]),
        vt_ref_tensor(&tensors[1]),
        vt_ref_string("one"),
        vt_ref_string("two"),
        vt_ref_buffer(b),
        vt_ref_buffer(c),
        vt_ref_pair(b, &tensors[0]),
        vt_ref_pair(b, &tensors[1]),
        vt_ref_pair(c, &tensors[0]),
        vt_ref_op(&tensors[0]),
        vt_ref_op(&tensors[1]),
    };
    enum { REFS = sizeof refs / sizeof *refs };
    for (int x = 0; x < REFS; x++)
        for (int y = 0; y < REFS; y++) {
            const vt_stmt *of_x = vt_s_attr(ctx, refs[x], "key", four, vt_s_nop(ctx));
            const vt_stmt *of_y = vt_s_attr(ctx, refs[y], "key", four, vt_s_nop(ctx));
            if (alike(ctx, of_x, of_y) != (x == y)) fail_msg("references %d and %d", x, y);
            if (vt_stmt_equal(of_x, of_y) != (x == y)) fail_msg("references %d and %d, not up to names", x, y);
        }
    return VTA_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------ */

/* All that a block has, twice where it may; part `change` of it is another one. */
enum { NAME, ITER_TYPE, ITER_EXTENT, VALUE, READ, READ_EXTENT, WRITE, ALLOC, INIT, BODY, BLOCK_PARTS };

typedef struct block_parts {
    const vt_iter *iters[2];
    const vt_expr *values[2];
    vt_range whole[2], part[2];
    vt_region reads[2], writes[2];
    const vt_buffer *allocs[2];
} block_parts;

static const vt_stmt *make_block(vt_ctx *ctx, int change) {
    const vt_expr *zero = vt_i32(ctx, 0), *one = vt_i32(ctx, 1), *four = vt_i32(ctx, 4), *six = vt_i32(ctx, 6);
    const vt_buffer *a = vary(ctx, SAME), *b = vary(ctx, SAME);
    block_parts *p = VT_NEW(ctx, block_parts);
    *p = (block_parts){.values = {one, change == VALUE ? four : six},
                       .whole = {{zero, four}, {zero, six}},
                       .part = {{zero, four}, {one, change == READ_EXTENT ? one : four}},
                       .allocs = {vary(ctx, SAME), vary(ctx, change == ALLOC ? SHAPE : SAME)}};
    for (int k = 0; k < 2; k++) {
        p->iters[k] = vt_iter_new(ctx, vt_var_new(ctx, "v", VT_I32), zero, k && change == ITER_EXTENT ? six : four,
                                  k && change == ITER_TYPE ? VT_ITER_COMM_REDUCE : VT_ITER_DATA_PAR, "");
        p->reads[k] = (vt_region){k && change != READ ? b : a, 2, k ? p->part : p->whole};
        p->writes[k] = (vt_region){p->allocs[k && change != WRITE], 2, p->whole};
    }
    vt_stmt s = {.kind = VT_S_BLOCK,
                 .u.block = {.name = change == NAME ? "c" : "b",
                             .n_iters = 2,
                             .iters = p->iters,
                             .n_bindings = 2,
                             .bindings = p->values,
                             .n_reads = 2,
                             .reads = p->reads,
                             .n_writes = 2,
                             .writes = p->writes,
                             .n_allocs = 2,
                             .allocs = p->allocs,
                             .init = change == INIT ? NULL : copied(ctx, p->allocs[0], a),
                             .body = copied(ctx, p->allocs[change != BODY], b)}};
    return vt_s_new(ctx, &s);
}

static vta_status blocks(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_stmt *block = make_block(ctx, BLOCK_PARTS);
    assert_true(alike(ctx, block, make_block(ctx, BLOCK_PARTS)));
    for (int change = 0; change < BLOCK_PARTS; change++)
        if (alike(ctx, block, make_block(ctx, change))) fail_msg("change %d", change);
    return VTA_OK;
}

/* One thread inside of another: both are themselves on either side. */
static vta_status nested_threads(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *zero = vt_i32(ctx, 0), *four = vt_i32(ctx, 4);
    const vt_stmt *nests[2];
    for (int twice = 0; twice < 2; twice++) {
        const vt_var *outer = vt_var_new(ctx, "v", VT_I32), *inner = twice ? outer : vt_var_new(ctx, "w", VT_I32);
        nests[twice] = vt_s_eval(ctx, vt_add(ctx, inner, four));
        for (int k = 0; k < 2; k++) {
            const vt_iter *iter = vt_iter_new(ctx, k ? outer : inner, zero, four, VT_ITER_THREAD_INDEX, "vthread");
            nests[twice] = vt_s_attr(ctx, vt_ref_iter(iter), VT_ATTR_VIRTUAL_THREAD, four, nests[twice]);
        }
    }
    assert_false(alike(ctx, nests[0], nests[1]));
    assert_false(alike(ctx, nests[1], nests[0]));
    return VTA_OK;
}

#define TEST(name)                                                                                                     \
    static void test_##name(void **state) { (void)state, run_in_context(name, NULL, VTA_OK, NULL); }
TEST(variables)
TEST(types_of_variables)
TEST(buffers)
TEST(references)
TEST(blocks)
TEST(nested_threads)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variables), cmocka_unit_test(test_types_of_variables),
                                       cmocka_unit_test(test_buffers),   cmocka_unit_test(test_references),
                                       cmocka_unit_test(test_blocks),    cmocka_unit_test(test_nested_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
