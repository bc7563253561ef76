/* Walking and rewriting: what is seen, in which order, and that no change gives the same pointer. */
#include "ir/support.h"
#include "ir/visit.h"

/* A function body with every statement kind that rewriting descends into. */
static const vt_stmt *everything(vt_ctx *ctx, flat *f, const vt_var *i, const vt_var *t) {
    static const char *const names[] = {"A", "B"};
    flat_begin(ctx, f, 2, names, (const int64_t[]){16, 16});
    const vt_expr *value = vt_add(ctx, load1(ctx, f->buffers[0], i), t);
    const vt_stmt *store = store1(ctx, f->buffers[1], value, i);
    const vt_stmt *branch = vt_s_if(ctx, vt_lt(ctx, i, vt_i32(ctx, 8)), store, vt_s_nop(ctx));
    const vt_stmt *let = vt_s_let(ctx, t, vt_mul(ctx, i, vt_i32(ctx, 3)), branch);
    const vt_var *pointer = vt_var_new_pointer(ctx, "C", VT_I32, "local");
    const vt_expr *extent = vt_i32(ctx, 4);
    const vt_stmt *check = vt_s_assert(ctx, vt_bool(ctx, true), vt_string(ctx, "never"), vt_s_nop(ctx));
    const vt_stmt *alloc = vt_s_alloc(ctx, pointer, VT_I32, 1, &extent, NULL, check);
    const vt_stmt *attr = vt_s_attr(ctx, vt_ref_string("k"), "pragma", vt_i32(ctx, 1), alloc);
    return loop(ctx, i, 16, vt_s_seq(ctx, 2, (const vt_stmt *[]){let, attr}));
}

static const vt_expr *same_expr(void *user, const vt_expr *e) {
    ++*(int *)user;
    return e;
}

static const vt_stmt *same_stmt(void *user, const vt_stmt *s) {
    (void)user;
    return s;
}

static vta_status identity(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    int seen = 0;
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *t = vt_var_new(ctx, "t", VT_I32);
    const vt_stmt *s = everything(ctx, &f, i, t);
    assert_ptr_equal(vt_stmt_rewrite(ctx, s, same_expr, same_stmt, &seen), s);
    assert_true(seen > 15);
    assert_ptr_equal(vt_substitute1_stmt(ctx, s, vt_var_new(ctx, "other", VT_I32), vt_i32(ctx, 1)), s);
    return VTA_OK;
}

static vta_status substitution(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *t = vt_var_new(ctx, "t", VT_I32);
    const vt_stmt *s = everything(ctx, &f, i, t)->u.loop.body;
    const vt_stmt *r = vt_substitute1_stmt(ctx, s, i, vt_i32(ctx, 5));
    assert_ptr_not_equal(r, s);
    assert_false(vt_stmt_uses(r, i));
    assert_true(vt_stmt_uses(s, i));
    assert_ptr_equal(r->u.seq.items[1], s->u.seq.items[1]); /* untouched parts are shared */
    /* A buffer follows its data variable, one copy for all its uses. */
    const vt_var *other = vt_var_new_pointer(ctx, "D", VT_I32, "");
    r = vt_substitute1_stmt(ctx, s, f.buffers[0]->data, other);
    assert_true(vt_stmt_uses(r, other));
    assert_false(vt_stmt_uses(r, f.buffers[0]->data));
    return VTA_OK;
}

/* A reduction over k from 0 to n of x[k] * s, from the identity z: what is not replaced stays the same node; extents of
 * axes, sources and what the combiner takes from around it are replaced, its operands are not. */
static vta_status reductions(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *n = vt_var_new_size(ctx, "n", VT_I32), *s = vt_var_new(ctx, "s", VT_I32),
                 *z = vt_var_new(ctx, "z", VT_I32);
    const vt_var *a = vt_var_new(ctx, "a", VT_I32), *b = vt_var_new(ctx, "b", VT_I32),
                 *k = vt_var_new(ctx, "k", VT_I32);
    const vt_expr *sum = vt_add(ctx, a, b), *from = z, *source = vt_mul(ctx, k, s), *seven = vt_i32(ctx, 7);
    const vt_combiner *how = vt_combiner_new(ctx, 1, vt_exprs_copy(ctx, 1, &a), vt_exprs_copy(ctx, 1, &b),
                                             vt_exprs_copy(ctx, 1, &sum), vt_exprs_copy(ctx, 1, &from));
    const vt_iter *axis = vt_iter_new(ctx, k, vt_i32(ctx, 0), n, VT_ITER_COMM_REDUCE, "");
    const vt_expr *e = vt_e_reduce(ctx, how, 1, &source, 1, &axis, NULL, NULL, 0);
    const vt_stmt *body = vt_s_eval(ctx, e);
    int seen = 0;
    assert_ptr_equal(vt_stmt_rewrite(ctx, body, same_expr, same_stmt, &seen), body);
    assert_ptr_equal(vt_substitute1(ctx, e, vt_var_new(ctx, "other", VT_I32), seven), e);
    assert_ptr_equal(vt_substitute1(ctx, e, a, seven)->u.reduce, e->u.reduce);
    const vt_expr *longer = vt_substitute1(ctx, e, n, seven), *scaled = vt_substitute1(ctx, e, s, seven);
    assert_true(vt_is_const(longer->u.reduce->axes[0]->extent, 7));
    assert_ptr_equal(longer->u.reduce->combiner, how);
    assert_ptr_equal(longer->a[0], source);
    assert_ptr_equal(scaled->u.reduce, e->u.reduce);
    assert_ptr_equal(scaled->a[0]->a[1], seven);
    const vt_combiner *other = vt_substitute1(ctx, e, z, seven)->u.reduce->combiner;
    assert_ptr_equal(other->identity[0], seven);
    assert_ptr_equal(other->result[0], sum);
    assert_ptr_equal(how->identity[0], z);
    return VTA_OK;
}

/* ---- Statements only --------------------------------------------------------------------------------------------- */

typedef struct counter {
    vt_visitor v;
    int statements;
} counter;

static void count_stmt(vt_visitor *v, const vt_stmt *s) {
    ((counter *)v)->statements++;
    vt_visit_stmt_children(v, s);
}

static void no_expr(vt_visitor *v, const vt_expr *e) {
    (void)v, (void)e;
    fail_msg("an expression was visited");
}

static const vt_expr *no_rewrite(vt_mutator *m, const vt_expr *e) {
    (void)m;
    fail_msg("an expression was rewritten");
    return e;
}

static const vt_stmt *drop_stores(vt_mutator *m, const vt_stmt *s) {
    return s->kind == VT_S_STORE ? vt_s_nop(m->ctx) : vt_mutate_stmt_children(m, s);
}

static bool count_too(void *user, const vt_stmt *s) {
    (void)s;
    ++*(int *)user;
    return true;
}

static bool all_exprs(void *user, const vt_expr *e) {
    (void)user, (void)e;
    return true;
}

static bool is_store(void *user, const vt_stmt *s) {
    *(bool *)user |= s->kind == VT_S_STORE;
    return true;
}

static vta_status statements_only(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *t = vt_var_new(ctx, "t", VT_I32);
    const vt_stmt *s = everything(ctx, &f, i, t);
    counter c = {.v = {.expr = no_expr, .stmt = count_stmt, .statements_only = true}};
    vt_visit_stmt(&c.v, s);
    int alone = 0, with_exprs = 0;
    vt_stmt_walk(s, NULL, count_too, &alone);
    vt_stmt_walk(s, all_exprs, count_too, &with_exprs);
    assert_int_equal(with_exprs, 10);
    assert_int_equal(c.statements, with_exprs);
    assert_int_equal(alone, with_exprs);
    vt_mutator m = {.ctx = ctx, .expr = no_rewrite, .stmt = drop_stores, .statements_only = true};
    bool store = false;
    vt_stmt_walk(vt_mutate_stmt(&m, s), NULL, is_store, &store);
    assert_false(store);
    vt_stmt_walk(s, NULL, is_store, &store);
    assert_true(store); /* what is rewritten stays as it was */
    return VTA_OK;
}

static vta_status free_vars(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    uint32_t n;
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *t = vt_var_new(ctx, "t", VT_I32);
    const vt_stmt *s = everything(ctx, &f, i, t);
    const vt_var *const *vars = vt_stmt_free_vars(ctx, s, &n);
    assert_int_equal(n, 2); /* the two buffers' data, in order of use */
    assert_true(vars[0] == f.buffers[1]->data || vars[0] == f.buffers[0]->data);
    vars = vt_expr_free_vars(ctx, vt_add(ctx, vt_mul(ctx, i, t), i), &n);
    assert_int_equal(n, 2);
    assert_ptr_equal(vars[0], i);
    assert_ptr_equal(vars[1], t);
    vars = vt_expr_free_vars(ctx, vt_e_let(ctx, t, i, vt_add(ctx, t, i)), &n);
    assert_int_equal(n, 1);
    assert_ptr_equal(vars[0], i);
    return VTA_OK;
}

static vta_status effects(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    static const char *const names[] = {"A"};
    flat_begin(ctx, &f, 1, names, (const int64_t[]){4});
    const vt_expr *one = vt_i32(ctx, 1), *two[] = {one, one};
    assert_int_equal(vt_expr_effect(vt_add(ctx, vt_var_new(ctx, "x", VT_I32), one)), VT_EFFECT_PURE);
    assert_int_equal(vt_expr_effect(vt_neg(ctx, load1(ctx, f.buffers[0], one))), VT_EFFECT_READ);
    assert_int_equal(vt_expr_effect(vt_e_call(ctx, VT_I32, VT_OP_VTA_COPROC_DEP_PUSH, 2, two)), VT_EFFECT_UPDATE);
    return VTA_OK;
}

static vta_status sequences(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_stmt *a = vt_s_eval(ctx, vt_var_new(ctx, "a", VT_I32)), *b = vt_s_nop(ctx);
    const vt_stmt *inner = vt_s_seq(ctx, 2, (const vt_stmt *[]){a, b});
    const vt_stmt *outer = vt_s_seq(ctx, 2, (const vt_stmt *[]){inner, a});
    assert_int_equal(outer->u.seq.n_items, 3);
    assert_ptr_equal(vt_s_seq(ctx, 1, &a), a);
    assert_true(vt_stmt_is_nop(b));
    assert_false(vt_stmt_is_nop(a));
    return VTA_OK;
}

static vta_status maps(vt_ctx *ctx, void *arg) {
    (void)arg;
    enum { MANY = 1000 };
    vt_ptrmap *map = vt_ptrmap_new(ctx);
    char *keys = vt_new_bytes(ctx, MANY);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) vt_ptrmap_set(map, keys + i, keys + (i + round) % MANY);
    assert_int_equal(vt_ptrmap_size(map), MANY);
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(vt_ptrmap_get(map, keys + i), keys + (i + 1) % MANY);
        assert_ptr_equal(vt_ptrmap_key(map, (uint32_t)i), keys + i); /* order of setting */
    }
    assert_null(vt_ptrmap_get(map, &map));
    assert_false(vt_ptrmap_has(map, &map));
    return VTA_OK;
}

#define TEST(name)                                                                                                     \
    static void test_##name(void **state) { (void)state, run_in_context(name, NULL, VTA_OK, NULL); }
TEST(identity)
TEST(substitution)
TEST(reductions)
TEST(statements_only)
TEST(free_vars)
TEST(effects)
TEST(sequences)
TEST(maps)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity),  cmocka_unit_test(test_substitution), cmocka_unit_test(test_statements_only),
        cmocka_unit_test(test_free_vars), cmocka_unit_test(test_effects),      cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_maps),      cmocka_unit_test(test_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
