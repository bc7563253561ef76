/* Which variables are free: each form that defines one does so inside of itself, not before and not behind. And which
 * effect of several is the strongest. */
#include "ir/attr.h"
#include "ir/support.h"
#include "ir/visit.h"

enum { LET_EXPR, REDUCE, LET, FOR, ALLOC, THREAD, THREAD_TWICE, BLOCK_ITER, BLOCK_ALLOC, FORMS };

typedef struct scene {
    const vt_var *v, *other; /* the one that is defined; one that is not */
    const vt_var *value;     /* of a let */
    const vt_buffer *b;      /* of v, where that is a pointer */
    bool pointer;
} scene;

static scene make_scene(vt_ctx *ctx, int form) {
    scene s = {.pointer = form == ALLOC || form == BLOCK_ALLOC, .other = vt_var_new(ctx, "other", VT_I32)};
    s.value = vt_var_new(ctx, "value", VT_I32);
    const vt_expr *four = vt_i32(ctx, 4);
    s.v = s.pointer ? vt_var_new_pointer(ctx, "v", VT_I32, "") : vt_var_new(ctx, "v", VT_I32);
    if (s.pointer) s.b = vt_buffer_new(ctx, "B", s.v, VT_I32, 1, &four);
    return s;
}

/* What uses both variables, as an expression; of a pointer it reads. */
static const vt_expr *using(vt_ctx *ctx, const scene *s) {
    return vt_add(ctx, s->pointer ? load1(ctx, s->b, vt_i32(ctx, 0)) : s->v, s->other);
}

/* A statement that does, to a pointer by a store. */
static const vt_stmt *use(vt_ctx *ctx, const scene *s) {
    return s->pointer ? store1(ctx, s->b, s->other, vt_i32(ctx, 0)) : vt_s_eval(ctx, using(ctx, s));
}

static const vt_expr *reduced(vt_ctx *ctx, const scene *s) {
    const vt_var *x = vt_var_new(ctx, "x", VT_I32), *y = vt_var_new(ctx, "y", VT_I32);
    const vt_expr *sum = vt_add(ctx, x, y), *zero = vt_i32(ctx, 0), *source = using(ctx, s);
    const vt_combiner *how = vt_combiner_new(ctx, 1, vt_exprs_copy(ctx, 1, &x), vt_exprs_copy(ctx, 1, &y),
                                             vt_exprs_copy(ctx, 1, &sum), vt_exprs_copy(ctx, 1, &zero));
    const vt_iter *axis = vt_iter_new(ctx, s->v, zero, vt_i32(ctx, 4), VT_ITER_COMM_REDUCE, "");
    return vt_e_reduce(ctx, how, 1, &source, 1, &axis, NULL, NULL, 0);
}

/* The variable is the last of two. */
static const vt_stmt *block(vt_ctx *ctx, const scene *s) {
    const vt_iter **iter = VT_NEW_ARRAY(ctx, const vt_iter *, 2);
    const vt_buffer **alloc = VT_NEW_ARRAY(ctx, const vt_buffer *, 2);
    const vt_expr *zero = vt_i32(ctx, 0), *four = vt_i32(ctx, 4), *zeros[] = {zero, zero};
    vt_stmt fields = {.kind = VT_S_BLOCK, .u.block = {.name = "b", .body = use(ctx, s)}};
    const vt_var *first = vt_var_new(ctx, "u", VT_I32);
    const vt_stmt *items[] = {use(ctx, s), vt_s_eval(ctx, first)};
    if (s->pointer) {
        alloc[0] = vt_buffer_new(ctx, "A", NULL, VT_I32, 1, &four);
        alloc[1] = s->b;
        fields.u.block.n_allocs = 2;
        fields.u.block.allocs = alloc;
    } else {
        for (int k = 0; k < 2; k++) iter[k] = vt_iter_new(ctx, k ? s->v : first, zero, four, VT_ITER_DATA_PAR, "");
        fields.u.block.body = vt_s_seq(ctx, 2, items);
        fields.u.block.n_iters = fields.u.block.n_bindings = 2;
        fields.u.block.iters = iter;
        fields.u.block.bindings = vt_exprs_copy(ctx, 2, zeros);
    }
    return vt_s_new(ctx, &fields);
}

static const vt_stmt *threads(vt_ctx *ctx, const scene *s, bool twice) {
    const vt_expr *four = vt_i32(ctx, 4);
    const vt_iter *axis = vt_iter_new(ctx, s->v, vt_i32(ctx, 0), four, VT_ITER_THREAD_INDEX, "vthread");
    const vt_stmt *body = use(ctx, s);
    if (twice) { /* behind the inner one it is still inside of the outer one */
        const vt_stmt *items[] = {vt_s_attr(ctx, vt_ref_iter(axis), VT_ATTR_VIRTUAL_THREAD, four, body), body};
        body = vt_s_seq(ctx, 2, items);
    }
    return vt_s_attr(ctx, vt_ref_iter(axis), VT_ATTR_VIRTUAL_THREAD, four, body);
}

static const vt_stmt *defining(vt_ctx *ctx, const scene *s, int form) {
    const vt_expr *four = vt_i32(ctx, 4);
    switch (form) {
    case LET_EXPR: return vt_s_eval(ctx, vt_e_let(ctx, s->v, s->value, using(ctx, s)));
    case REDUCE: return vt_s_eval(ctx, reduced(ctx, s));
    case LET: return vt_s_let(ctx, s->v, s->value, use(ctx, s));
    case FOR: return loop(ctx, s->v, 4, use(ctx, s));
    case ALLOC: return vt_s_alloc(ctx, s->v, VT_I32, 1, &four, NULL, use(ctx, s));
    case THREAD:
    case THREAD_TWICE: return threads(ctx, s, form == THREAD_TWICE);
    default: return block(ctx, s);
    }
}

static vta_status scopes(vt_ctx *ctx, void *arg) {
    (void)arg;
    for (int form = 0; form < FORMS; form++) {
        const scene s = make_scene(ctx, form);
        const vt_stmt *inside = defining(ctx, &s, form), *outside = use(ctx, &s);
        const vt_stmt *const all[] = {inside, vt_s_seq(ctx, 2, (const vt_stmt *[]){inside, outside}),
                                      vt_s_seq(ctx, 2, (const vt_stmt *[]){outside, inside}),
                                      vt_s_seq(ctx, 2, (const vt_stmt *[]){inside, inside})};
        for (int k = 0; k < 4; k++) {
            uint32_t n;
            const vt_var *const *vars = vt_stmt_free_vars(ctx, all[k], &n);
            bool v = false, other = false, value = false, let = form == LET_EXPR || form == LET;
            for (uint32_t i = 0; i < n; i++) {
                v |= vars[i] == s.v;
                other |= vars[i] == s.other;
                value |= vars[i] == s.value;
            }
            if (v != (k == 1 || k == 2) || !other || value != let || n != 1 + (uint32_t)v + let)
                fail_msg("form %d, place %d", form, k);
            assert_true(vt_stmt_uses(all[k], s.v) && vt_stmt_uses(all[k], s.other)); /* defined or not */
        }
        assert_false(vt_stmt_uses(inside, vt_var_new(ctx, "v", VT_I32)));
    }
    return VTA_OK;
}

/* Of two operands the stronger effect counts, on either side; a mark has none. */
static vta_status effects(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *x = vt_var_new(ctx, "x", VT_I32);
    const vt_expr *four = vt_i32(ctx, 4), *two[] = {x, x};
    const vt_tensor tensor = {.name = "T", .dtype = VT_I32, .ndim = 1, .shape = &four};
    const struct {
        const vt_expr *e;
        vt_effect effect;
    } rows[] = {{x, VT_EFFECT_PURE},
                {vt_e_call(ctx, VT_I32, VT_OP_LIKELY, 1, &x), VT_EFFECT_PURE},
                {vt_e_call(ctx, VT_I32, VT_OP_SHIFT_LEFT, 2, two), VT_EFFECT_PURE},
                {load1(ctx, vt_buffer_new(ctx, "B", NULL, VT_I32, 1, &four), x), VT_EFFECT_READ},
                {vt_e_pload(ctx, &tensor, 1, &x), VT_EFFECT_READ},
                {vt_e_call(ctx, VT_I32, VT_OP_VTA_COPROC_DEP_PUSH, 2, two), VT_EFFECT_UPDATE},
                {vt_e_call(ctx, VT_I32, VT_OP_RET, 1, &x), VT_EFFECT_CONTROL}};
    enum { ROWS = sizeof rows / sizeof *rows };
    assert_true(VT_EFFECT_PURE < VT_EFFECT_READ && VT_EFFECT_READ < VT_EFFECT_UPDATE);
    for (int a = 0; a < ROWS; a++)
        for (int b = 0; b < ROWS; b++) {
            vt_effect stronger = rows[a].effect > rows[b].effect ? rows[a].effect : rows[b].effect;
            assert_int_equal(vt_expr_effect(vt_e_bin(ctx, VT_E_ADD, rows[a].e, rows[b].e)), stronger);
        }
    return VTA_OK;
}

TEST_CASE(test_scopes) { run_in_context(scopes, NULL, VTA_OK, NULL); }
TEST_CASE(test_effects) { run_in_context(effects, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
