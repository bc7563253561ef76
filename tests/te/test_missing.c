/* NULL where something is expected is refused, in words that say what is missing; where it comes from a call that
 * failed, that call's message stays the only one. */
#include "te_test.h"
#include "vta/te_stmt.h"

typedef struct fixture {
    te_context *c;
    te_tensor *a, *y;
    te_axis *i;
    te_schedule *s;
    te_stage *st;
    te_buffer *b;
    te_expr *one;
} fixture;

static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    f.a = te_placeholder(f.c, "a", "float32", 1, (int64_t[]){4});
    f.y = te_define(f.c, "y[i: 4] = a[i] * a[i]");
    f.i = te_tensor_axis(f.y, 0);
    f.s = te_schedule_create(f.c, 1, &f.y);
    f.st = te_schedule_stage(f.s, f.y);
    f.one = te_int(f.c, "int32", 1);
    f.b = te_buffer_create(f.c, "b", "float32", 1, &f.one, NULL);
    assert_fine(f.c);
    return f;
}

static void assert_missing(te_context *c, const char *call, bool is_refused, const char *what) {
    char said[100];
    snprintf(said, sizeof said, "error: NULL where %s is expected", what);
    if (!is_refused) fail_msg("%s is not refused", call);
    if (strcmp(vta_diag_text(te_context_diag(c)), said) != 0)
        fail_msg("%s: \"%s\", not \"%s\"", call, vta_diag_text(te_context_diag(c)), said);
    assert_int_equal(te_context_status(c), VTA_INVALID_ARGUMENT);
    vta_diag_clear(te_context_diag(c));
}

/* A call that gives an object, and one that gives a status. */
#define OBJECT(call, what) assert_missing(c, #call, (call) == NULL, what)
#define STATUS(call, what) assert_missing(c, #call, (call) == VTA_INVALID_ARGUMENT, what)

TEST_CASE(texts) {
    fixture f = make();
    te_context *c = f.c;
    OBJECT(te_thread_axis(c, NULL), "a thread tag");
    OBJECT(te_axis_create(c, NULL, 4), "an axis");
    OBJECT(te_reduce_axis(c, NULL, 0, 4), "an axis");
    OBJECT(te_scalar(c, NULL, "int32"), "a scalar");
    OBJECT(te_scalar(c, "x", NULL), "a type");
    OBJECT(te_operand(c, NULL, "int32"), "an operand");
    OBJECT(te_variable(c, NULL, "int32"), "a variable");
    OBJECT(te_variable(c, "x", NULL), "a type");
    STATUS(te_constant(c, NULL, 1), "a constant");
    OBJECT(te_string(c, NULL), "a text");
    OBJECT(te_parse(c, NULL), "an expression");
    OBJECT(te_define(c, NULL), "a definition");
    OBJECT(te_cast(c, NULL, f.one), "a type");
    OBJECT(te_call(c, "int32", NULL, 0, NULL), "a name");
    OBJECT(te_call_packed(c, "int32", NULL, 0, NULL), "the name of a function");
    OBJECT(te_placeholder(c, NULL, "int8", 1, (int64_t[]){4}), "a tensor");
    OBJECT(te_placeholder(c, "x", NULL, 1, (int64_t[]){4}), "a type");
    OBJECT(te_compute(c, NULL, 1, (int64_t[]){4}, "i", "a[i]"), "a tensor");
    OBJECT(te_compute(c, "x", 1, (int64_t[]){4}, "i", NULL), "a body");
    OBJECT(te_pad(c, f.a, NULL, (int64_t[]){1}, NULL, 0), "a tensor");
    OBJECT(te_intrin_create(c, NULL, f.y), "an intrinsic");
    OBJECT(te_buffer_create(c, NULL, "int8", 1, &f.one, NULL), "a buffer");
    OBJECT(te_buffer_create(c, "x", NULL, 1, &f.one, NULL), "a type");
    OBJECT(te_buffer_access(c, f.b, NULL, NULL), "an access");
    OBJECT(te_stage_axis_named(f.st, NULL), "a name");
    STATUS(te_set_scope(f.st, NULL), "a scope");
    STATUS(te_pragma(f.st, f.i, NULL, NULL), "a pragma");
    OBJECT(te_cache_read(f.s, f.a, NULL, 0, NULL), "a scope");
    OBJECT(te_cache_write(f.s, f.y, NULL), "a scope");
    assert_int_equal(te_schedule_stages(f.s), 2);
    te_context_destroy(c);
}

TEST_CASE(lists) {
    fixture f = make();
    te_context *c = f.c;
    te_tensor *out[1];
    te_axis *fused;
    float values[4] = {1, 2, 3, 4}, result[4];
    OBJECT(te_placeholder(c, "x", "int8", 1, NULL), "a shape");
    OBJECT(te_placeholder_expr(c, "x", "int8", 1, NULL), "a shape");
    OBJECT(te_compute(c, "x", 1, NULL, "i", "1"), "a shape");
    STATUS(te_compute_axes(c, "x", NULL, 1, NULL, 1, &f.one, out), "a list of axes");
    OBJECT(te_reduce(c, TE_SUM, f.one, 1, NULL), "a list");
    OBJECT(te_load(c, f.a, 1, NULL), "a list");
    OBJECT(te_call(c, "int32", "g", 1, NULL), "a list");
    OBJECT(te_pad(c, f.a, "x", NULL, NULL, 0), "a padding");
    OBJECT(te_schedule_create(c, 1, NULL), "a list of outputs");
    OBJECT(te_stmt_seq(c, 1, NULL), "a list");
    OBJECT(te_buffer_create(c, "x", "int8", 1, NULL, NULL), "a list");
    OBJECT(te_group_create(f.s, 1, NULL, 0, NULL, true), "a list of tensors");
    OBJECT(te_group_create(f.s, 1, &f.y, 1, NULL, true), "a list of tensors");
    OBJECT(te_prim_func_text(c, 1, NULL, "x"), "a list of arguments");
    STATUS(te_split_sizes(f.st, f.i, 2, NULL, NULL, NULL), "a list of sizes");
    STATUS(te_fuse(f.st, 1, NULL, &fused), "a list of axes");
    STATUS(te_reorder(f.st, 1, NULL), "a list of axes");
    STATUS(te_gradient(c, f.y, 1, NULL, NULL, out), "a list of inputs");
    STATUS(te_evaluate(c, f.y, 1, NULL, (const void *[]){values}, result), "a list of inputs");
    STATUS(te_evaluate(c, f.y, 1, &f.a, NULL, result), "a list of arrays");
    STATUS(te_evaluate(c, f.y, 1, &f.a, (const void *[]){NULL}, result), "an array");
    STATUS(te_evaluate(c, f.y, 1, &f.a, (const void *[]){values}, NULL), "memory for the result");
    assert_int_equal(te_stage_leaves(f.st), 1); /* as before */
    te_context_destroy(c);
}

/* One error, however much is made of what it left missing. */
TEST_CASE(missing_since) {
    fixture f = make();
    te_context *c = f.c;
    te_expr *none = te_scalar(c, "x", "int33x"), *sum = te_add(c, f.one, none);
    assert_null(none);
    assert_null(te_load(c, f.a, 1, &sum));
    assert_int_equal(vta_diag_count(te_context_diag(c)), 1);
    assert_refused(c, te_context_status(c), "int33x");
    OBJECT(te_add(c, f.one, none), "an expression"); /* which is forgotten */
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
