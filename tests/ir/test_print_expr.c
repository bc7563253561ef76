/* Each kind of expression in the two forms of text that functions have. */
#include <string.h>

#include "ir/support.h"

typedef struct made {
    const vt_expr *e;
    const char *script, *text;
} made;

static const char *text_of(vt_ctx *ctx, const vt_expr *e, void (*style)(vt_ctx *, const vt_func *, vt_strbuf *)) {
    vt_strbuf out;
    vt_func f = {.name = "main", .result = VT_VOID_T, .body = vt_s_eval(ctx, e)};
    vt_strbuf_init(&out, &vt_allocator_libc);
    style(ctx, &f, &out);
    char *all = vt_strbuf_take(&out);
    const char *copy = vt_new_string(ctx, all);
    vta_string_free(all);
    return copy;
}

/* The function is one statement: its last line but the bracket. */
static void check(vt_ctx *ctx, const made *m) {
    const char *script = text_of(ctx, m->e, vt_print_tvmscript), *text = text_of(ctx, m->e, vt_print_primfn);
    const char *line = vt_new_format(ctx, "\n        %s\n", m->script);
    if (!strstr(script, line)) fail_msg("\"%s\" is not in %s", line, script);
    line = vt_new_format(ctx, "\n  %s\n}", m->text);
    if (!strstr(text, line)) fail_msg("\"%s\" is not in %s", line, text);
}

static const vt_tensor *tensor(vt_ctx *ctx) {
    const vt_expr *shape[] = {vt_i32(ctx, 2), vt_i32(ctx, 8)};
    vt_tensor *t = VT_NEW(ctx, vt_tensor);
    *t = (vt_tensor){.name = "T", .dtype = VT_I32, .ndim = 2, .shape = vt_exprs_copy(ctx, 2, shape)};
    return t;
}

static const vt_expr *sum(vt_ctx *ctx, const vt_var *k, const vt_expr *of) {
    const vt_var *x = vt_var_new(ctx, "x", VT_I32), *y = vt_var_new(ctx, "y", VT_I32);
    const vt_expr *added = vt_add(ctx, x, y), *zero = vt_i32(ctx, 0);
    vt_combiner *c = VT_NEW(ctx, vt_combiner);
    *c = (vt_combiner){1, vt_exprs_copy(ctx, 1, &x), vt_exprs_copy(ctx, 1, &y), vt_exprs_copy(ctx, 1, &added),
                       vt_exprs_copy(ctx, 1, &zero)};
    const vt_iter *axes[] = {vt_iter_new(ctx, k, zero, vt_i32(ctx, 8), VT_ITER_COMM_REDUCE, "")};
    return vt_e_reduce(ctx, c, 1, &of, 1, axes, NULL, NULL, 0);
}

static vta_status every_kind(vt_ctx *ctx, void *arg) {
    (void)arg;
    const vt_var *i = vt_var_new(ctx, "i", VT_I32), *k = vt_var_new(ctx, "k", VT_I32);
    const vt_expr *three = vt_i32(ctx, 3), *is = vt_lt(ctx, i, three), *other = vt_eq(ctx, i, k);
    const vt_buffer *a = vt_buffer_new(ctx, "A", NULL, VT_I32, 1, &three);
    const vt_expr *at[] = {i, k}, *one[] = {i, three}, *choice[] = {is, i, three};
#define BIN(kind) vt_e_bin(ctx, VT_E_##kind, i, three)
    const made all[] = {
        {i, "T.evaluate(i)", "i: int32"},
        {vt_int(ctx, VT_I64, 7), "T.evaluate(T.int64(7))", "7i64"},
        {vt_int(ctx, VT_I8, -7), "T.evaluate(T.int8(-7))", "-7i8"},
        {vt_float(ctx, VT_F32, 1.5), "T.evaluate(T.float32(1.5))", "1.5f32"},
        {vt_string(ctx, "word"), "T.evaluate(\"word\")", "\"word\""},
        {BIN(ADD), "T.evaluate(i + 3)", "(i: int32 + 3)"},
        {BIN(SUB), "T.evaluate(i - 3)", "(i: int32 - 3)"},
        {BIN(MUL), "T.evaluate(i * 3)", "(i: int32*3)"},
        {BIN(DIV), "T.evaluate(i / 3)", "(i: int32 / 3)"},
        {BIN(MOD), "T.evaluate(T.truncmod(i, 3))", "(i: int32 % 3)"},
        {BIN(FLOORDIV), "T.evaluate(i // 3)", "floordiv(i: int32, 3)"},
        {BIN(FLOORMOD), "T.evaluate(i % 3)", "floormod(i: int32, 3)"},
        {BIN(MIN), "T.evaluate(T.min(i, 3))", "min(i: int32, 3)"},
        {BIN(MAX), "T.evaluate(T.max(i, 3))", "max(i: int32, 3)"},
        {BIN(EQ), "T.evaluate(i == 3)", "(i: int32 == 3)"},
        {BIN(NE), "T.evaluate(i != 3)", "(i: int32 != 3)"},
        {BIN(LT), "T.evaluate(i < 3)", "(i: int32 < 3)"},
        {BIN(LE), "T.evaluate(i <= 3)", "(i: int32 <= 3)"},
        {BIN(GT), "T.evaluate(i > 3)", "(i: int32 > 3)"},
        {BIN(GE), "T.evaluate(i >= 3)", "(i: int32 >= 3)"},
        {vt_e_bin(ctx, VT_E_AND, is, other), "T.evaluate(i < 3 and i == k)", "((i: int32 < 3) && (i == k: int32))"},
        {vt_e_bin(ctx, VT_E_OR, is, other), "T.evaluate(i < 3 or i == k)", "((i: int32 < 3) || (i == k: int32))"},
        {vt_e_not(ctx, is), "T.evaluate(not i < 3)", "!(i: int32 < 3)"},
        {vt_e_select(ctx, is, i, three), "T.evaluate(T.Select(i < 3, i, 3))", "select((i: int32 < 3), i, 3)"},
        {vt_e_cast(ctx, VT_I8, i), "T.evaluate(T.Cast(\"int8\", i))", "cast(int8, i: int32)"},
        {vt_e_load(ctx, a, 1, &three), "T.evaluate(A[3])", "A: Buffer(A_1: Pointer(int32), int32, [3], [])[3]"},
        {vt_e_pload(ctx, tensor(ctx), 2, at), "T.evaluate(T[i, k])", "T[i: int32, k: int32]"},
        {vt_e_call(ctx, VT_I32, VT_OP_SHIFT_RIGHT, 2, one), "T.shift_right(i, 3)",
         "@tir.shift_right(i: int32, 3, dtype=int32)"},
        {vt_e_call(ctx, VT_I32, VT_OP_IF_THEN_ELSE, 3, choice), "T.if_then_else(i < 3, i, 3)",
         "@tir.if_then_else((i: int32 < 3), i, 3, dtype=int32)"},
        {vt_e_call_extern(ctx, VT_I32, "twice", 2, one), "T.call_extern(\"int32\", \"twice\", i, 3)",
         "@tir.call_extern(\"twice\", i: int32, 3, dtype=int32)"},
        {vt_e_let(ctx, k, three, vt_add(ctx, i, k)), "T.evaluate(T.let(k, 3, i + k))",
         "let k: int32 = 3 in (i: int32 + k)"},
        {vt_e_ramp(ctx, i, three, 4), "T.evaluate(T.Ramp(i, 3, 4))", "ramp(i: int32, 3, 4)"},
        {vt_e_broadcast(ctx, i, 4), "T.evaluate(T.Broadcast(i, 4))", "broadcast(i: int32, 4)"},
        {sum(ctx, k, vt_mul(ctx, i, k)), "T.evaluate(T.reduce(i * k, True))",
         "reduce(combiner([x: int32], [y: int32], [(x + y)], [0]), "
         "[(i: int32*k: int32)], [IterVar(k, [0:8], \"CommReduce\", \"\")], 0, [])"},
    };
    for (size_t n = 0; n < sizeof all / sizeof all[0]; n++) check(ctx, &all[n]);
    return VTA_OK;
}

TEST_CASE(test_every_kind) { run_in_context(every_kind, NULL, VTA_OK, NULL); }

int main(void) { return run_cases(); }
