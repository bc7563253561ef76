/* The tree of a lowered function, comparing functions, running passes over them, and outputs that are no arguments. */
#include "support/check.h"
#include "vta/build.h"

static te_context *context(void) {
    te_context *c = te_context_create(NULL, NULL);
    assert_non_null(c);
    return c;
}

static int64_t number(te_context *c, const void *e) {
    int64_t value = -1;
    assert_int_equal(te_expr_int(c, (te_expr *)(uintptr_t)e, &value), VTA_OK);
    return value;
}

static const vtac_stmt *body_of(const vtac_stmt *s) {
    vtac_field field = {.size = sizeof field};
    for (size_t i = 0; i < vtac_stmt_fields(s); i++) {
        assert_int_equal(vtac_stmt_field(s, i, &field), VTA_OK);
        if (!strcmp(field.name, "body")) return field.count ? field.items[0] : NULL;
    }
    return NULL;
}

TEST_CASE(tree) {
    te_context *c = context();
    te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){4, 8});
    te_tensor *b = te_compute(c, "b", 2, (int64_t[]){4, 8}, "i, j", "a[i, j] + 1");
    te_schedule *s = te_schedule_create(c, 1, &b);
    const char *disabled = "tir.CommonSubexprElimTIR";
    vtac_lower_options o = {.size = sizeof o, .disabled = &disabled, .disabled_count = 1};
    vtac_arg args[] = {{.tensor = a}, {.tensor = b}};
    const vtac_func *f;
    assert_int_equal(vtac_lower(s, 2, args, "f", &o, &f), VTA_OK);
    assert_non_null(vtac_func_param(f, 1));
    assert_null(vtac_func_param(f, 2));
    const vtac_stmt *loop = vtac_func_body(f);
    vtac_field field = {.size = sizeof field};
    assert_string_equal(vtac_stmt_kind(loop), "for");
    assert_int_equal(vtac_stmt_field(loop, 0, &field), VTA_OK);
    assert_string_equal(field.name, "var");
    assert_int_equal(field.type, VTAC_FIELD_EXPR);
    assert_string_equal(te_expr_name(field.items[0]), "i");
    assert_int_equal(vtac_stmt_field(loop, 2, &field), VTA_OK);
    assert_string_equal(field.name, "extent");
    assert_int_equal(number(c, field.items[0]), 4);
    assert_int_equal(vtac_stmt_field(loop, 3, &field), VTA_OK);
    assert_int_equal(field.type, VTAC_FIELD_TEXT);
    assert_int_equal(vtac_stmt_field(loop, vtac_stmt_fields(loop), &field), VTA_OUT_OF_RANGE);
    const vtac_stmt *store = body_of(body_of(loop));
    assert_string_equal(vtac_stmt_kind(store), "store");
    assert_null(body_of(store));
    assert_int_equal(vtac_stmt_field(store, 0, &field), VTA_OK);
    assert_int_equal(field.type, VTAC_FIELD_BUFFER);
    assert_string_equal(field.text, "b");
    assert_int_equal(field.count, 1);
    assert_true(number(c, field.items[0]) > 0);
    vtac_func_release(f);
    te_context_destroy(c);
}

/* Passes one by one give what they give together. */
TEST_CASE(passes) {
    te_context *c = context();
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){30});
    te_tensor *b = te_compute(c, "b", 1, (int64_t[]){30}, "i", "a[i] + 1");
    te_schedule *s = te_schedule_create(c, 1, &b);
    te_axis *outer, *inner;
    assert_int_equal(te_split(te_schedule_stage(s, b), te_tensor_axis(b, 0), 8, &outer, &inner), VTA_OK);
    vtac_arg args[] = {{.tensor = a}, {.tensor = b}};
    enum { MAX = 64 };
    const char *names[MAX];
    size_t count = vtac_pass_count();
    assert_true(count <= MAX);
    vtac_pass_info info;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(vtac_pass_get(i, &info), VTA_OK);
        names[i] = info.name;
    }
    vtac_lower_options none = {.size = sizeof none, .disabled = names, .disabled_count = count},
                       all = {.size = sizeof all};
    const vtac_func *raw, *done, *at_once, *again;
    bool same;
    assert_int_equal(vtac_lower(s, 2, args, "f", &none, &raw), VTA_OK);
    assert_int_equal(vtac_lower(s, 2, args, "f", &all, &at_once), VTA_OK);
    assert_int_equal(vtac_func_lower(raw, &none, NULL, &again), VTA_OK);
    assert_int_equal(vtac_func_lower(raw, &all, NULL, &done), VTA_OK);
    assert_int_equal(vtac_func_equal(raw, again, NULL, &same), VTA_OK);
    assert_true(same);
    assert_int_equal(vtac_func_equal(raw, done, NULL, &same), VTA_OK);
    assert_false(same);
    assert_int_equal(vtac_func_equal(done, at_once, NULL, &same), VTA_OK);
    assert_true(same);
    assert_int_equal(vtac_func_equal(done, NULL, NULL, &same), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_func_lower(NULL, &all, NULL, &again), VTA_INVALID_ARGUMENT);
    vtac_func_release(done);
    vtac_func_release(at_once);
    vtac_func_release(raw);
    te_context_destroy(c);
}

/* Outputs may be missing only where that is asked for. */
TEST_CASE(some_outputs) {
    te_context *c = context();
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){8});
    te_tensor *b = te_compute(c, "b", 1, (int64_t[]){8}, "i", "a[i] + 1");
    te_schedule *s = te_schedule_create(c, 1, &b);
    vtac_arg args[] = {{.tensor = a}};
    vtac_lower_options o = {.size = sizeof o};
    const vtac_func *f;
    assert_int_equal(vtac_lower(s, 1, args, "f", &o, &f), VTA_INVALID_ARGUMENT);
    vta_diag_clear(te_context_diag(c));
    o.some_outputs = true;
    assert_int_equal(vtac_lower(s, 1, args, "f", &o, &f), VTA_OK);
    assert_int_equal(vtac_func_param_count(f), 1);
    char *text;
    assert_int_equal(vtac_func_print(f, VTAC_STYLE_PRIMFN, NULL, &text), VTA_OK);
    assert_non_null(strstr(text, "allocate(b"));
    vta_string_free(text);
    vtac_func_release(f);
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
