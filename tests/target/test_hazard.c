/* Kernels that the runtime would refuse are refused before: micro-ops that write one accumulator too soon one after the
 * other, as a list or in loops, and those of two sorts. */
#include "lower/vta/vta.h"
#include "pass/one.h"

enum { MAX = 6 };

/* Micro-ops that write these, up to -1, in loops of so many steps around all of them. */
typedef struct kernel {
    int64_t dst[MAX], outer, inner; /* 0: no loop */
    int64_t outer_step, inner_step; /* of the destinations */
    bool resets_first;
    const char *says; /* NULL: it is fine */
} kernel;

static const char next_to[] = "micro-ops next to each other write the same accumulator: the compute pipeline has not "
                              "finished writing it when the next one reads it",
                  sorts[] = "one kernel of micro-ops both resets the accumulator and multiplies";

static const kernel kernels[] = {
    {.dst = {4, -1}},
    {.dst = {4, 5, -1}},
    {.dst = {4, 4, -1}, .says = next_to},
    {.dst = {4, 5, 4, -1}, .says = next_to},
    {.dst = {4, 5, 6, 4, -1}},
    {.dst = {4, 5, 6, 7, 6, -1}, .says = next_to},
    {.dst = {4, 5, 6, 7, 7, -1}, .says = next_to},
    {.dst = {4, 5, 4, -1}, .outer = 3, .outer_step = 8, .says = next_to},
    {.dst = {4, -1}, .outer = 3, .says = "adjacent micro-ops write the same accumulator when axis o advances"},
    {.dst = {4, -1}, .outer = 3, .outer_step = 1},
    {.dst = {4, -1},
     .outer = 3,
     .inner = 2,
     .inner_step = 1,
     .says = "micro-ops two apart write the same accumulator "
             "when axis o advances"},
    {.dst = {4, -1}, .outer = 3, .inner = 3, .inner_step = 1},
    {.dst = {4, -1},
     .outer = 3,
     .inner = 3,
     .outer_step = 1,
     .says = "adjacent micro-ops write the same accumulator "
             "when axis i advances"},
    {.dst = {4, 5, 6, -1}, .resets_first = true, .says = sorts},
};

static const kernel *current;

static const vt_stmt *push(one *o, bool resets, const vt_expr *dst) {
    const vt_expr *zero = one_i(o, 0), *a[] = {zero, one_i(o, resets), dst, zero, zero, zero, zero, zero};
    return vt__call(&o->ctx, VT_OP_VTA_UOP_PUSH, 8, a);
}

static const vt_stmt *build(one *o) {
    vt_ctx *c = &o->ctx;
    const vt_var *outer = one_var(o, "o"), *inner = one_var(o, "i");
    const vt_iter *axis = vt_iter_new(c, one_var(o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    const vt_stmt *items[MAX], *s;
    uint32_t n = 0;
    for (; current->dst[n] >= 0; n++) {
        const vt_expr *steps = vt_add(c, vt_mul(c, outer, one_i(o, current->outer ? current->outer_step : 0)),
                                      vt_mul(c, inner, one_i(o, current->inner ? current->inner_step : 0)));
        items[n] = push(o, current->resets_first && n == 0, vt_add(c, steps, one_i(o, current->dst[n])));
    }
    s = vt_s_seq(c, n, items);
    if (current->inner) s = one_for(o, inner, current->inner, VT_FOR_SERIAL, s);
    if (current->outer) s = one_for(o, outer, current->outer, VT_FOR_SERIAL, s);
    return vt_s_attr(c, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(c, VT_PUSH_GEMM), s);
}

TEST_CASE(too_soon_one_after_the_other) {
    vta_config *config = vta_config_default();
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        one o = {.options = {.config = config}};
        current = &kernels[k];
        vta_status status = one_run(&o, vt_pass_check_uop_hazard, build);
        const char *text = vta_diag_text(o.diag);
        if (status != (kernels[k].says ? VTA_ILLEGAL : VTA_OK)) fail_msg("kernel %zu: %s", k, text);
        if (kernels[k].says) assert_contains(text, kernels[k].says);
        one_end(&o);
    }
    vta_config_release(config);
}

static const vt_stmt *gemm(one *o, uint32_t n, const vt_stmt *const items[]) {
    const vt_iter *axis = vt_iter_new(&o->ctx, one_var(o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(&o->ctx, VT_PUSH_GEMM),
                     vt_s_seq(&o->ctx, n, items));
}
static const vt_stmt *looped(one *o, int64_t step) {
    const vt_var *i = one_var(o, "i");
    return one_for(o, i, 5, VT_FOR_SERIAL, push(o, false, vt_mul(&o->ctx, i, one_i(o, step))));
}

/* A loop between micro-ops parts their lists; the first nest of a list is looked at as the others are. */
static const vt_stmt *parted(one *o) {
    const vt_stmt *u4 = push(o, false, one_i(o, 4)), *u5 = push(o, false, one_i(o, 5));
    return gemm(o, 4, (const vt_stmt *const[]){u4, u5, looped(o, 7), u4});
}
static const vt_stmt *first_nest_is_wrong(one *o) {
    return gemm(o, 2, (const vt_stmt *const[]){looped(o, 0), looped(o, 1)});
}

/* Equal kernels are one statement: the second is no reason to look again, and another one is. */
static const vt_stmt *second_is_wrong(one *o) {
    current = &kernels[1];
    const vt_stmt *right = build(o);
    current = &kernels[2];
    return vt_s_seq(&o->ctx, 3, (const vt_stmt *const[]){right, right, build(o)});
}

TEST_CASE(lists_of_nests_and_kernels) {
    static const struct {
        const vt_stmt *(*build)(one *o);
        const char *says;
    } rows[] = {{parted, NULL},
                {first_nest_is_wrong, "adjacent micro-ops write the same accumulator when axis i advances"},
                {second_is_wrong, next_to}};
    vta_config *config = vta_config_default();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        one o = {.options = {.config = config}};
        vta_status status = one_run(&o, vt_pass_check_uop_hazard, rows[i].build);
        const char *text = vta_diag_text(o.diag);
        if (status != (rows[i].says ? VTA_ILLEGAL : VTA_OK)) fail_msg("row %zu: %s", i, text);
        if (rows[i].says) assert_contains(text, rows[i].says);
        one_end(&o);
    }
    vta_config_release(config);
}

int main(void) { return run_cases(); }
