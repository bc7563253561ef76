/* Forms that few functions have, as TVMScript: a block that is the whole body, a parameter that is a number, loops that
 * go to another's variable, and pointers from outside. */
#include "ir/support.h"
#include "support/check.h"

#define HEAD                                                                                                           \
    "# from tvm.script import tir as T\n"                                                                              \
    "@tvm.script.ir_module\n"                                                                                          \
    "class Module:\n"                                                                                                  \
    "    @T.prim_func\n"

static void assert_prints(vt_ctx *ctx, const vt_func *f, const char *expected) {
    vt_strbuf out;
    vt_strbuf_init(&out, NULL);
    vt_print_tvmscript(ctx, f, &out);
    assert_same_text(f->name, vt_strbuf_text(&out), expected);
    vt_strbuf_free(&out);
}

/* A block of a number n that is a parameter, and of a buffer. */
static vta_status whole_body(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *shape[] = {vt_i32(ctx, 2), vt_i32(ctx, 3)}, *zero = vt_i32(ctx, 0);
    const vt_var *n = vt_var_new_scalar(ctx, "n", VT_I32), *params[] = {n, vt_var_new(ctx, "a", VT_HANDLE_T)};
    const vt_buffer *a = vt_buffer_new(ctx, "A", NULL, VT_I32, 2, shape);
    const vt_iter *iters[] = {
        vt_iter_new(ctx, vt_var_new(ctx, "v", VT_I32), zero, vt_i32(ctx, 4), VT_ITER_DATA_PAR, ""),
        vt_iter_new(ctx, vt_var_new(ctx, "w", VT_I32), vt_i32(ctx, 1), vt_i32(ctx, 2), VT_ITER_ORDERED, ""),
    };
    const vt_expr *at[] = {zero, iters[0]->var}, *values[] = {n, n};
    const vt_range all[] = {{zero, vt_i32(ctx, 1)}, {zero, vt_i32(ctx, 3)}};
    const vt_region writes = {a, 2, all};
    vt_stmt s = {.kind = VT_S_BLOCK,
                 .u.block = {.name = "B",
                             .n_iters = 2,
                             .iters = iters,
                             .n_bindings = 2,
                             .bindings = values,
                             .n_writes = 1,
                             .writes = &writes,
                             .body = vt_s_store(ctx, a, vt_add(ctx, iters[1]->var, n), 2, at)}};
    const vt_binding binding = {.param = params[1], .buffer = a};
    const vt_func f = {.name = "main",
                       .result = VT_VOID_T,
                       .n_params = 2,
                       .params = params,
                       .n_bindings = 1,
                       .bindings = &binding,
                       .body = vt_s_new(ctx, &s)};
    assert_prints(ctx, &f,
                  HEAD "    def main(n: T.int32, A: T.Buffer[(2, 3), \"int32\"]) -> None:\n"
                       "        # body\n"
                       "        with T.block(\"B\"):\n"
                       "            v = T.axis.spatial(4, n)\n"
                       "            w = T.axis.scan((1, 3), n)\n"
                       "            T.reads()\n"
                       "            T.writes(A[0, 0 : 3])\n"
                       "            A[0, v] = w + n\n"
                       "    \n");
    return VTA_OK;
}

/* Loops stand in one line as far as none of them goes to the variable of another; one that has ended does not count. */
static vta_status nests(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *zero = vt_i32(ctx, 0), *five = vt_i32(ctx, 5), *three = vt_i32(ctx, 3);
    const vt_var *v[4];
    for (int k = 0; k < 4; k++) v[k] = vt_var_new(ctx, (const char *[]){"i", "j", "k", "l"}[k], VT_I32);
    const vt_stmt *items[3];
    for (int to = 0; to < 3; to++) { /* the third loop goes to 5, to i, to j + 1 */
        const vt_expr *const ends[] = {five, v[0], vt_add(ctx, v[1], vt_i32(ctx, 1))};
        const vt_stmt *inner = vt_s_for(ctx, v[3], zero, three, VT_FOR_SERIAL, vt_s_eval(ctx, v[3]));
        inner = vt_s_for(ctx, v[2], zero, ends[to], VT_FOR_SERIAL, inner);
        inner = vt_s_for(ctx, v[1], zero, three, VT_FOR_SERIAL, inner);
        items[to] = vt_s_for(ctx, v[0], zero, five, VT_FOR_SERIAL, inner);
    }
    vt_stmt root = {.kind = VT_S_BLOCK, .u.block = {.name = "root", .body = vt_s_seq(ctx, 3, items)}};
    const vt_func f = {.name = "main", .result = VT_VOID_T, .body = vt_s_new(ctx, &root)};
    assert_prints(ctx, &f,
                  HEAD "    def main() -> None:\n"
                       "        # body\n"
                       "        # with T.block(\"root\")\n"
                       "        for i, j, k, l in T.grid(5, 3, 5, 3):\n"
                       "            T.evaluate(l)\n"
                       "        for i, j in T.grid(5, 3):\n"
                       "            for k, l in T.grid(i, 3):\n"
                       "                T.evaluate(l)\n"
                       "        for i, j in T.grid(5, 3):\n"
                       "            for k, l in T.grid(j + 1, 3):\n"
                       "                T.evaluate(l)\n"
                       "    \n");
    return VTA_OK;
}

/* What a function uses and nobody defines is declared before it: what it points to and where that lies. */
static vta_status from_outside(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *pointer = vt_var_new_pointer(ctx, "D", VT_I8, "local.acc_buffer");
    const vt_func f = {.name = "main", .result = VT_VOID_T, .body = vt_s_eval(ctx, pointer)};
    vt_strbuf out;
    vt_strbuf_init(&out, NULL);
    vt_print_tvmscript(ctx, &f, &out);
    assert_contains(vt_strbuf_text(&out), "        D = T.buffer_var(\"int8\", \"local.acc_buffer\")\n"
                                          "        T.evaluate(D)\n");
    vt_strbuf_free(&out);
    return VTA_OK;
}

/* A tensor is realized from one end to the other, also where that is one element. */
static vta_status realized(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *shape[] = {vt_i32(ctx, 4), vt_i32(ctx, 8)}, *one = vt_i32(ctx, 1), *two = vt_i32(ctx, 2);
    const vt_tensor t = {.name = "T", .dtype = VT_I32, .ndim = 2, .shape = shape};
    const vt_range box[] = {{two, one}, {one, vt_i32(ctx, 5)}};
    assert_contains(vt_stmt_text(ctx, vt_s_realize(ctx, &t, 2, box, NULL, "local", vt_s_eval(ctx, two))),
                    ", [2:3, 1:6], True, local");
    return VTA_OK;
}

TEST_CASE(test_realized) { run_in_context(realized, NULL, VTA_OK, NULL); }
TEST_CASE(test_whole_body) { run_in_context(whole_body, NULL, VTA_OK, NULL); }
TEST_CASE(test_nests) { run_in_context(nests, NULL, VTA_OK, NULL); }
TEST_CASE(test_from_outside) { run_in_context(from_outside, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
