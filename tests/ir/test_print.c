/* Both text styles on functions made by hand: what the listings do not show, and the block form. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/handle.h"
#include "ir/support.h"
#include "support/failing.h"
#include "support/golden.h"

static const char *print(vt_ctx *ctx, const vt_func *f, void (*style)(vt_ctx *, const vt_func *, vt_strbuf *)) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    style(ctx, f, &sb);
    const char *text = vt_new_string(ctx, vt_strbuf_text(&sb));
    vt_strbuf_free(&sb);
    return text;
}

/* A loop of every kind, a condition, a select, a cast, a let that is not last, names that collide. */
static const vt_func *sample(vt_ctx *ctx, flat *f) {
    static const char *const names[] = {"A", "B"};
    flat_begin(ctx, f, 2, names, (const int64_t[]){64, 64});
    const vt_var *i = vt_var_new(ctx, "i.outer", VT_I32), *j = vt_var_new(ctx, "i.outer", VT_I32);
    const vt_var *t = vt_var_new(ctx, "t", VT_I32);
    const vt_expr *eight = vt_i32(ctx, 8), *at = vt_add(ctx, vt_mul(ctx, i, eight), j);
    const vt_expr *low = vt_e_cast(ctx, VT_I32, vt_e_cast(ctx, VT_I8, load1(ctx, f->buffers[0], at)));
    const vt_expr *value = vt_e_select(ctx, vt_e_not(ctx, vt_lt(ctx, low, t)), vt_sub(ctx, low, vt_sub(ctx, t, i)), t);
    const vt_stmt *store = store1(ctx, f->buffers[1], value, at);
    const vt_stmt *let = vt_s_let(ctx, t, vt_floordiv(ctx, j, vt_i32(ctx, 3)), store);
    const vt_stmt *branch = vt_s_if(ctx, vt_and(ctx, vt_le(ctx, i, j), vt_bool(ctx, true)), let, vt_s_nop(ctx));
    const vt_stmt *inner = vt_s_for(ctx, j, vt_i32(ctx, 2), eight, VT_FOR_PARALLEL, branch);
    const vt_expr *three = vt_i32(ctx, 3);
    const vt_stmt *attr = vt_s_attr(ctx, vt_ref_none(), "note", three, vt_s_eval(ctx, vt_add(ctx, i, three)));
    f->func.body =
        vt_s_for(ctx, i, vt_i32(ctx, 0), eight, VT_FOR_UNROLLED, vt_s_seq(ctx, 2, (const vt_stmt *[]){attr, inner}));
    const vt_func *with = vt_func_with_attr(ctx, &f->func, "tir.noalias", vt_bool(ctx, true));
    return vt_func_with_attr(ctx, with, "global_symbol", vt_string(ctx, "main"));
}

static vta_status primfn(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    const char *want =
        "@main = primfn(A_1: handle, B_1: handle) -> ()\n"
        "  attr = {\"global_symbol\": \"main\", \"tir.noalias\": True}\n"
        "  buffers = {A: Buffer(A_2: Pointer(int32), int32, [64], []),\n"
        "             B: Buffer(B_2: Pointer(int32), int32, [64], [])}\n"
        "  buffer_map = {A_1: A, B_1: B} {\n"
        "  for (i.outer: int32, 0, 8) \"unrolled\" {\n"
        "    attr [(nullptr)] \"note\" = 3;\n"
        "    (i.outer + 3)\n"
        "    for (i.outer_1: int32, 2, 10) \"parallel\" {\n"
        "      if (i.outer <= i.outer_1) {\n"
        "        let t: int32 = floordiv(i.outer_1, 3)\n"
        "        B[((i.outer*8) + i.outer_1)] = select(!(cast(int32, cast(int8, A[((i.outer*8) + "
        "i.outer_1)])) < t), (cast(int32, cast(int8, A[((i.outer*8) + i.outer_1)])) - (t - i.outer)), t)\n"
        "      } else {\n"
        "        0\n"
        "      }\n"
        "    }\n"
        "  }\n"
        "}\n\n\n";
    assert_string_equal(print(ctx, sample(ctx, &f), vt_print_primfn), want);
    return VTA_OK;
}

static vta_status tvmscript(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    const char *want = "@I.ir_module\n"
                       "class Module:\n"
                       "    @T.prim_func\n"
                       "    def main(A: T.handle, B: T.handle):\n"
                       "        T.func_attr({\"global_symbol\": \"main\", \"tir.noalias\": True})\n"
                       "        A_1 = T.match_buffer(A, (64,), \"int32\")\n"
                       "        B_1 = T.match_buffer(B, (64,), \"int32\")\n"
                       "        for i_outer in T.unroll(8):\n"
                       "            with T.attr(None, \"note\", 3):\n"
                       "                T.evaluate(i_outer + 3)\n"
                       "            for i_outer_1 in T.parallel(2, 10):\n"
                       "                if i_outer <= i_outer_1:\n"
                       "                    t: T.int32 = i_outer_1 // 3\n"
                       "                    B_1[i_outer * 8 + i_outer_1] = T.Select(not T.Cast(\"int32\", "
                       "T.Cast(\"int8\", A_1[i_outer * 8 + i_outer_1])) < t, T.Cast(\"int32\", T.Cast(\"int8\", "
                       "A_1[i_outer * 8 + i_outer_1])) - (t - i_outer), t)\n"
                       "                else:\n"
                       "                    T.evaluate(0)\n";
    assert_string_equal(print(ctx, sample(ctx, &f), vt_print_tvmscript), want);
    return VTA_OK;
}

static vta_status expressions(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *x = vt_var_new(ctx, "x", VT_I64), *f = vt_var_new(ctx, "1f", VT_F32);
    const vt_expr *ramp = vt_e_ramp(ctx, x, vt_i64(ctx, 1), 4);
    assert_string_equal(vt_expr_text(ctx, ramp), "ramp(x: int64, 1i64, 4)");
    assert_string_equal(vt_expr_text(ctx, vt_add(ctx, f, vt_float(ctx, VT_F32, 0.5))), "(v1f: float32 + 0.5f32)");
    assert_string_equal(vt_expr_text(ctx, vt_e_let(ctx, x, vt_i64(ctx, 2), x)), "let x: int64 = 2i64 in x");
    assert_string_equal(vt_expr_text(ctx, vt_mod(ctx, x, vt_i64(ctx, 3))), "(x: int64 % 3i64)");
    return VTA_OK;
}

/* ---- The block form: C = cast(A + B) through three on-chip copies ------------------------------------------ */

typedef struct stage {
    const char *name;
    const vt_buffer *to;
    const vt_buffer *from[2];
    uint32_t n_from;
} stage;

static const vt_stmt *stage_block(vt_ctx *ctx, const stage *st) {
    static const char *const names[] = {"i0", "i1", "i2", "i3"};
    const vt_var *loops[4];
    const vt_iter *iters[4];
    const vt_expr *at[4], *loaded[2];
    vt_region regions[3];
    vt_range *points = VT_NEW_ARRAY(ctx, vt_range, 4);
    for (int i = 0; i < 4; i++) {
        loops[i] = vt_var_new(ctx, names[i], VT_I32);
        iters[i] = vt_iter_new(ctx, vt_var_new(ctx, names[i], VT_I32), vt_i32(ctx, 0), st->to->shape[i],
                               VT_ITER_DATA_PAR, NULL);
        at[i] = iters[i]->var;
        points[i] = (vt_range){at[i], vt_i32(ctx, 1)};
    }
    for (uint32_t i = 0; i < st->n_from; i++) {
        loaded[i] = vt_e_load(ctx, st->from[i], 4, at);
        regions[i] = (vt_region){st->from[i], 4, points};
    }
    regions[2] = (vt_region){st->to, 4, points};
    const vt_expr *value = st->n_from == 2 ? vt_add(ctx, loaded[0], loaded[1]) : vt_cast(ctx, st->to->dtype, loaded[0]);
    vt_stmt block = {.kind = VT_S_BLOCK};
    block.u.block.name = st->name;
    block.u.block.n_iters = block.u.block.n_bindings = 4;
    block.u.block.iters = iters;
    block.u.block.bindings = loops;
    block.u.block.n_reads = st->n_from;
    block.u.block.reads = regions;
    block.u.block.n_writes = 1;
    block.u.block.writes = &regions[2];
    block.u.block.body = vt_s_store(ctx, st->to, value, 4, at);
    /* The arrays above live on this function's stack. */
    const vt_iter **own = VT_NEW_ARRAY(ctx, const vt_iter *, 4);
    memcpy(own, iters, sizeof iters);
    vt_region *own_regions = VT_NEW_ARRAY(ctx, vt_region, 3);
    memcpy(own_regions, regions, sizeof regions);
    block.u.block.iters = own;
    block.u.block.bindings = vt_exprs_copy(ctx, 4, loops);
    block.u.block.reads = own_regions;
    block.u.block.writes = own_regions + 2;
    const vt_stmt *s = vt_s_new(ctx, &block);
    for (int i = 3; i >= 0; i--) s = vt_s_for(ctx, loops[i], vt_i32(ctx, 0), st->to->shape[i], VT_FOR_SERIAL, s);
    return s;
}

static vta_status blocks(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *shape[] = {vt_i32(ctx, 1), vt_i32(ctx, 64), vt_i32(ctx, 1), vt_i32(ctx, 16)};
    const vt_buffer *a = vt_buffer_new(ctx, "A", NULL, VT_I32, 4, shape),
                    *b = vt_buffer_new(ctx, "B", NULL, VT_I32, 4, shape);
    const vt_buffer *c = vt_buffer_new(ctx, "C", NULL, VT_I8, 4, shape);
    const vt_buffer *bufs[] = {vt_buffer_new(ctx, "A_buf", NULL, VT_I32, 4, shape),
                               vt_buffer_new(ctx, "B_buf", NULL, VT_I32, 4, shape),
                               vt_buffer_new(ctx, "C_buf", NULL, VT_I32, 4, shape)};
    const stage stages[] = {{"A_buf", bufs[0], {a}, 1},
                            {"B_buf", bufs[1], {b}, 1},
                            {"C_buf", bufs[2], {bufs[0], bufs[1]}, 2},
                            {"C", c, {bufs[2]}, 1}};
    const vt_stmt *items[4];
    for (int i = 0; i < 4; i++) items[i] = stage_block(ctx, &stages[i]);
    vt_stmt root = {.kind = VT_S_BLOCK};
    root.u.block.name = "root";
    root.u.block.n_allocs = 3;
    root.u.block.allocs = bufs;
    root.u.block.body = vt_s_seq(ctx, 4, items);
    const vt_buffer *bound[] = {a, b, c};
    const vt_var *params[3];
    vt_binding bindings[3];
    for (int i = 0; i < 3; i++) {
        params[i] = vt_var_new(ctx, bound[i]->name, VT_HANDLE_T);
        bindings[i] = (vt_binding){.param = params[i], .buffer = bound[i]};
    }
    vt_func f = {.name = "add",
                 .result = VT_VOID_T,
                 .n_params = 3,
                 .params = params,
                 .n_bindings = 3,
                 .bindings = bindings,
                 .body = &root};
    const vt_func *g = vt_func_with_attr(ctx, &f, "tir.noalias", vt_bool(ctx, true));
    g = vt_func_with_attr(ctx, g, "global_symbol", vt_string(ctx, "add"));
    golden_check("listings/vadd.create_prim_func.tvmscript.txt", print(ctx, g, vt_print_tvmscript));
    return VTA_OK;
}

/* What a function gives back stands behind its parameters. */
static vta_status results(vt_ctx *ctx, void *arg) {
    (void)arg;
    static const struct {
        vt_dtype type;
        const char *text;
    } rows[] = {{VT_VOID_T, "()"}, {VT_I32, "int32"}, {VT_F32, "float32"}, {VT_BOOL, "bool"}, {VT_HANDLE_T, "handle"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const vt_var *n = vt_var_new(ctx, "n", VT_I32);
        vt_func f = {.name = "f", .n_params = 1, .params = &n, .result = rows[i].type, .body = vt_s_eval(ctx, n)};
        const char *want = vt_new_format(ctx, "@f = primfn(n: int32) -> %s {\n  n\n}\n\n\n", rows[i].text);
        assert_string_equal(print(ctx, &f, vt_print_primfn), want);
    }
    return VTA_OK;
}

/* ---- The public functions --------------------------------------------------------------------------------- */

static vta_status public_view(vt_ctx *ctx, void *arg) {
    (void)arg;
    flat f;
    const vtac_func *func = vt_func_handle(ctx, sample(ctx, &f), NULL, NULL);
    char *text;
    assert_string_equal(vtac_func_name(func), "main");
    assert_int_equal(vtac_func_param_count(func), 2);
    assert_int_equal(vtac_func_verify(func, NULL), VTA_OK);
    for (int style = VTAC_STYLE_PRIMFN; style <= VTAC_STYLE_TVMSCRIPT; style++) {
        vta_status status = VTA_NO_MEMORY;
        for (uint32_t n = 0; status != VTA_OK; n++) {
            failing state = {.left = n};
            vta_allocator allocator = {failing_resize, &state};
            assert_true(n < 100);
            const vta_allocator *own = ctx->arena.allocator;
            ctx->arena.allocator = &allocator;
            status = vtac_func_print(func, (vtac_style)style, NULL, &text);
            ctx->arena.allocator = own;
            if (status == VTA_OK)
                vta_string_free(text);
            else
                assert_true(status == VTA_NO_MEMORY && !text);
        }
    }
    assert_int_equal(vtac_func_print(NULL, VTAC_STYLE_PRIMFN, NULL, &text), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_func_print(func, (vtac_style)7, NULL, &text), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_func_print(func, VTAC_STYLE_PRIMFN, NULL, NULL), VTA_INVALID_ARGUMENT);
    return VTA_OK;
}

/* Statements as they are before storage is flattened. */
static vta_status tensor_statements(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *one = vt_i32(ctx, 1), *zero = vt_i32(ctx, 0), *shape[] = {one, vt_i32(ctx, 4)};
    vt_tensor b = {.name = "B", .dtype = VT_I32, .ndim = 2, .shape = shape};
    const vt_var *i = vt_var_new(ctx, "i", VT_I32);
    const vt_expr *at[] = {zero, i};
    const vt_stmt *store = vt_s_pstore(ctx, &b, vt_add(ctx, i, vt_i32(ctx, 5)), 2, at);
    vt_func f = {.name = "main", .result = VT_VOID_T, .body = store};
    const char *script = print(ctx, &f, vt_print_tvmscript), *text = print(ctx, &f, vt_print_primfn);
    if (!strstr(script, "B[0, i] = i + 5\n")) fail_msg("%s", script);
    if (!strstr(text, "  B: DataProducer(\"B\", int32, [1, 4])[0, i: int32] = (i + 5)\n")) fail_msg("%s", text);
    return VTA_OK;
}

/* A loop that does not begin at 0, and never shares a line with the one around it. */
static vta_status loop_from_two(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *shape = vt_i32(ctx, 64);
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *j = vt_var_new(ctx, "j", VT_I32);
    const vt_buffer *b = vt_buffer_new(ctx, "B", vt_var_new_pointer(ctx, "B", VT_I32, "global"), VT_I32, 1, &shape);
    const vt_expr *at = vt_add(ctx, i, j);
    const vt_stmt *inner =
        vt_s_for(ctx, j, vt_i32(ctx, 2), vt_i32(ctx, 5), VT_FOR_SERIAL, vt_s_store(ctx, b, vt_i32(ctx, 1), 1, &at));
    vt_stmt root = {.kind = VT_S_BLOCK};
    root.u.block.name = "root";
    root.u.block.body = vt_s_for(ctx, i, vt_i32(ctx, 0), vt_i32(ctx, 3), VT_FOR_SERIAL, inner);
    vt_func plain = {.name = "main", .body = root.u.block.body}, f = {.name = "main", .body = &root};
    const char *script = print(ctx, &plain, vt_print_tvmscript), *in_block = print(ctx, &f, vt_print_tvmscript);
    if (!strstr(script, "for i in range(3):\n            for j in range(2, 7):\n")) fail_msg("%s", script);
    if (!strstr(in_block, "for i in T.serial(3):\n            for j in T.serial(2, 7):\n")) fail_msg("%s", in_block);
    return VTA_OK;
}

/* A block's variables that are more than one loop's: each has a line, with where it begins unless that is 0. */
static vta_status block_variables(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_expr *shape = vt_i32(ctx, 64);
    const vt_var *i = vt_var_new(ctx, "i", VT_I32);
    const vt_buffer *b = vt_buffer_new(ctx, "B", vt_var_new_pointer(ctx, "B", VT_I32, "global"), VT_I32, 1, &shape);
    static const vt_iter_type types[] = {VT_ITER_DATA_PAR, VT_ITER_COMM_REDUCE, VT_ITER_ORDERED, VT_ITER_OPAQUE};
    static const char *const names[] = {"va", "vb", "vc", "vd"};
    const vt_iter **iters = VT_NEW_ARRAY(ctx, const vt_iter *, 4);
    const vt_expr **values = VT_NEW_ARRAY(ctx, const vt_expr *, 4);
    for (int k = 0; k < 4; k++) {
        iters[k] = vt_iter_new(ctx, vt_var_new(ctx, names[k], VT_I32), vt_i32(ctx, k), vt_i32(ctx, 8), types[k], NULL);
        values[k] = vt_add(ctx, i, vt_i32(ctx, 1 + k));
    }
    vt_stmt block = {.kind = VT_S_BLOCK}, root = {.kind = VT_S_BLOCK};
    const vt_expr *at = iters[0]->var;
    block.u.block.name = "B";
    block.u.block.n_iters = block.u.block.n_bindings = 4;
    block.u.block.iters = iters;
    block.u.block.bindings = values;
    block.u.block.body = vt_s_store(ctx, b, vt_i32(ctx, 1), 1, &at);
    root.u.block.name = "root";
    root.u.block.body = vt_s_for(ctx, i, vt_i32(ctx, 0), vt_i32(ctx, 3), VT_FOR_SERIAL, vt_s_new(ctx, &block));
    vt_func f = {.name = "main", .result = VT_VOID_T, .body = &root};
    const char *text = print(ctx, &f, vt_print_tvmscript);
    static const char *const lines[] = {"va = T.axis.spatial(8, i + 1)\n", "vb = T.axis.reduce((1, 9), i + 2)\n",
                                        "vc = T.axis.scan((2, 10), i + 3)\n", "vd = T.axis.opaque((3, 11), i + 4)\n"};
    for (int k = 0; k < 4; k++)
        if (!strstr(text, lines[k])) fail_msg("no %s in %s", lines[k], text);
    return VTA_OK;
}

/* What nothing defines is declared where all its uses meet: first in the body of the statement around two conditions.
 */
static vta_status declared_where_used(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *v = vt_var_new(ctx, "v", VT_I32), *i = vt_var_new(ctx, "i", VT_I32),
                 *n = vt_var_new(ctx, "n", VT_I32);
    const vt_var *data = vt_var_new_pointer(ctx, "D", VT_I32, "local");
    const vt_expr *zero = vt_i32(ctx, 0), *three = vt_i32(ctx, 3);
    const vt_stmt *use = vt_s_if(ctx, vt_bool(ctx, true), vt_s_eval(ctx, v), NULL);
    const vt_stmt *both = vt_s_seq(ctx, 2, (const vt_stmt *[]){use, use}), *other = vt_s_eval(ctx, zero);
    const struct {
        const vt_stmt *s;
        const char *head; /* the declaration stands behind it, a step further in where the body does */
        bool deeper;
    } rows[] = {
        {vt_s_for(ctx, i, zero, three, VT_FOR_SERIAL, both), "for i in range(3):", true},
        {vt_s_for(ctx, i, zero, three, VT_FOR_PARALLEL, both), "for i in T.parallel(3):", true},
        {vt_s_if(ctx, vt_bool(ctx, false), both, NULL), "if False:", true},
        {vt_s_if(ctx, vt_bool(ctx, false), other, both), "else:", true},
        {vt_s_attr(ctx, vt_ref_none(), "note", three, both), "T.attr(None, \"note\", 3)", false},
        {vt_s_alloc(ctx, data, VT_I32, 1, &three, NULL, both), "D = T.allocate([3], \"int32\", \"local\")", false},
        {vt_s_let(ctx, n, three, both), "n: T.int32 = 3", false},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        /* after another statement, so that the function's own body is not the place */
        vt_func f = {
            .name = "main", .result = VT_VOID_T, .body = vt_s_seq(ctx, 2, (const vt_stmt *[]){other, rows[k].s})};
        const char *step = rows[k].deeper ? "            " : "        ", *text = print(ctx, &f, vt_print_tvmscript);
        const char *want = vt_new_format(ctx, "        %s\n%sv = T.var(\"int32\")\n%sif True:\n%s    T.evaluate(v)\n",
                                         rows[k].head, step, step, step);
        if (!strstr(text, want)) fail_msg("no\n%s\nin %s", want, text);
    }
    return VTA_OK;
}

TEST_CASE(test_declared) { run_in_context(declared_where_used, NULL, VTA_OK, NULL); }
TEST_CASE(test_block_variables) { run_in_context(block_variables, NULL, VTA_OK, NULL); }
TEST_CASE(test_loop_from_two) { run_in_context(loop_from_two, NULL, VTA_OK, NULL); }
TEST_CASE(test_tensor_statements) { run_in_context(tensor_statements, NULL, VTA_OK, NULL); }
TEST_CASE(test_public_view) { run_in_context(public_view, NULL, VTA_OK, NULL); }
TEST_CASE(test_results) { run_in_context(results, NULL, VTA_OK, NULL); }
TEST_CASE(test_primfn) { run_in_context(primfn, NULL, VTA_OK, NULL); }
TEST_CASE(test_tvmscript) { run_in_context(tvmscript, NULL, VTA_OK, NULL); }
TEST_CASE(test_expressions) { run_in_context(expressions, NULL, VTA_OK, NULL); }

TEST_CASE(test_blocks) { run_in_context(blocks, NULL, VTA_OK, NULL); }

int main(void) { return golden_result(run_cases()); }
