/* Kernels of micro-ops under conditions: where a condition brings two writes of one accumulator too near to each other,
 * each step of the reduction becomes a kernel of its own; all others stay as they are. */
#include "lower/vta/vta.h"
#include "pass/one.h"

enum { STEPS = 5, RESULTS = 6 };

/* A kernel over r, the reduction, and i, the result. */
typedef struct kernel {
    const char *name;
    const vt_expr *(*dst)(one *o, const vt_var *r, const vt_var *i);
    const vt_expr *(*when)(one *o, const vt_var *r, const vt_var *i);
    bool otherwise;      /* another micro-op where it does not hold */
    bool late;           /* the reduction begins where nobody knows */
    const char *becomes; /* K: the kernel, ?: the condition, u: micro-ops */
} kernel;

static const vt_expr *at_result(one *o, const vt_var *r, const vt_var *i) {
    (void)o, (void)r;
    return i;
}
static const vt_expr *at_product(one *o, const vt_var *r, const vt_var *i) {
    return vt_mul(&o->ctx, vt_add(&o->ctx, r, one_i(o, 3)), i); /* each result has its place, no two neighbours meet */
}
static const vt_expr *all_in_first(one *o, const vt_var *r, const vt_var *i) {
    return vt_lt(&o->ctx, vt_add(&o->ctx, r, i), one_i(o, STEPS + RESULTS - 2));
}
static const vt_expr *first_two(one *o, const vt_var *r, const vt_var *i) {
    (void)r;
    return vt_lt(&o->ctx, i, one_i(o, 2));
}
static const vt_expr *first_three(one *o, const vt_var *r, const vt_var *i) {
    (void)r;
    return vt_lt(&o->ctx, i, one_i(o, 3));
}
static const vt_expr *ends(one *o, const vt_var *r, const vt_var *i) { /* the last of one step, the first of the next */
    return vt_eq(
        &o->ctx, i,
        vt_mul(&o->ctx, vt_floormod(&o->ctx, vt_add(&o->ctx, r, one_i(o, 1)), one_i(o, 2)), one_i(o, RESULTS - 1)));
}
static const vt_expr *of_outside(one *o, const vt_var *r, const vt_var *i) {
    (void)r;
    return vt_lt(&o->ctx, i, one_var(o, "n"));
}

static const kernel kernels[] = {
    {"one left out", at_result, all_in_first, false, false, "K(r(i(?u)))"},
    {"three of six", at_result, first_three, false, false, "K(r(i(?u)))"},
    {"two of six", at_result, first_two, false, false, "r(K(i(?u)))"},
    {"one of six in turns", at_result, ends, false, false, "r(K(i(?u)))"},
    {"no sum of loops", at_product, first_three, false, false, "K(r(i(?u)))"},
    {"a condition from outside", at_result, of_outside, false, false, "K(r(i(?u)))"},
    {"a begin from outside", at_result, first_two, false, true, "K(r(i(?u)))"},
    {"two branches", at_result, first_two, true, false, "K(r(i(?uu)))"},
};

static const kernel *current;

static const vt_stmt *push(one *o, const vt_expr *dst) {
    const vt_expr *zero = one_i(o, 0), *a[] = {zero, zero, dst, zero, zero, zero, zero, zero};
    return vt__call(&o->ctx, VT_OP_VTA_UOP_PUSH, 8, a);
}

static const vt_stmt *build(one *o) {
    const vt_var *r = one_var(o, "r"), *i = one_var(o, "i");
    const vt_iter *axis = vt_iter_new(&o->ctx, one_var(o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    const vt_stmt *s = push(o, current->dst(o, r, i)), *other = current->otherwise ? push(o, one_i(o, 9)) : NULL;
    s = vt_s_if(&o->ctx, current->when(o, r, i), s, other);
    const vt_expr *begin = current->late ? one_var(o, "m") : one_i(o, 0);
    s = one_for(o, i, RESULTS, VT_FOR_SERIAL, s);
    s = vt_s_for(&o->ctx, r, begin, one_i(o, STEPS), VT_FOR_SERIAL, s);
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(&o->ctx, VT_PUSH_GEMM), s);
}

static void shape_of(const vt_stmt *s, char *out) {
    if (s->kind == VT_S_EVAL) {
        strcat(out, "u");
    } else if (s->kind == VT_S_IF) {
        strcat(out, "?");
        shape_of(s->u.branch.then_case, out);
        if (s->u.branch.else_case) shape_of(s->u.branch.else_case, out);
    } else {
        sprintf(out + strlen(out), "%s(", s->kind == VT_S_FOR ? vt_var_name(s->u.loop.var) : "K");
        shape_of(vt_stmt_body(s), out);
        strcat(out, ")");
    }
}

TEST_CASE(kernels_under_conditions) {
    vta_config *config = vta_config_default();
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        one o = {.options = {.config = config}};
        char shape[64] = "";
        current = &kernels[k];
        if (one_run(&o, vt_pass_order_uop_loops, build) != VTA_OK) fail_msg("%s", vta_diag_text(o.diag));
        shape_of(o.after->body, shape);
        if (strcmp(shape, kernels[k].becomes) != 0)
            fail_msg("%s: %s, not %s", kernels[k].name, shape, kernels[k].becomes);
        one_end(&o);
    }
    vta_config_release(config);
}

int main(void) { return run_cases(); }
