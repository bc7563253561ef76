/* The pass table and the manager's options. */
#include "listings/lower.h"
#include "support/check.h"

TEST_CASE(table_is_complete) {
    vtac_pass_info info;
    assert_true(vtac_pass_count() > 20);
    for (size_t i = 0; i < vtac_pass_count(); i++) {
        assert_int_equal(vtac_pass_get(i, &info), VTA_OK);
        assert_true(strlen(info.name) > 4 && strlen(info.does) > 10 && strlen(info.reason) > 10);
    }
    assert_int_equal(vtac_pass_get(vtac_pass_count(), &info), VTA_OUT_OF_RANGE);
    assert_null(info.name);
    assert_int_equal(vtac_pass_get(0, NULL), VTA_INVALID_ARGUMENT);
}

typedef struct log {
    size_t n, ran, changed, texts;
    bool vta_ran;
    char last[4096];
} log;

static void note(void *user, const vtac_pass_event *e) {
    log *l = user;
    vtac_pass_info info;
    assert_int_equal(e->index, l->n++);
    assert_int_equal(vtac_pass_get(e->index, &info), VTA_OK);
    assert_string_equal(info.name, e->name);
    l->ran += !e->skipped;
    l->changed += e->changed != 0;
    l->vta_ran |= info.vta && !e->skipped;
    assert_true(!e->skipped || (!e->changed && e->nanoseconds == 0));
    assert_int_equal(e->text != NULL, e->changed != 0);
    if (!e->text) return;
    l->texts++;
    snprintf(l->last, sizeof l->last, "%s", e->text);
}

TEST_CASE(each_pass_is_reported) {
    program p;
    log l = {0};
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    assert_true(program_create(&p, "vadd"));
    vtac_lower_options options = {.config = te_context_config(p.c), .verify = 1, .print = 1, .after = note, .user = &l};
    assert_int_equal(lower_program(&p, &options, "main", WANT_PRIMFN, &text), VTA_OK);
    assert_int_equal(l.n, vtac_pass_count());
    assert_true(l.vta_ran && l.changed > 5 && l.texts == l.changed);
    assert_string_equal(l.last, vt_strbuf_text(&text)); /* the last change is the result */
    vt_strbuf_free(&text);
    program_destroy(&p);
}

TEST_CASE(without_accelerator_its_passes_are_skipped) {
    program p;
    log l = {0};
    assert_true(program_create(&p, "conv2d.default"));
    vtac_lower_options options = {.print = 1, .after = note, .user = &l};
    assert_int_equal(lower_program(&p, &options, "main", WANT_PRIMFN, NULL), VTA_OK);
    assert_true(!l.vta_ran && l.ran > 8);
    program_destroy(&p);
}

static bool lowered_has(const char *name, vtac_lower_options options, const char *text) {
    program p;
    vt_strbuf got;
    vt_strbuf_init(&got, NULL);
    assert_true(program_create(&p, name));
    options.config = te_context_config(p.c);
    assert_int_equal(lower_program(&p, &options, "main", WANT_PRIMFN, &got), VTA_OK);
    bool has = strstr(vt_strbuf_text(&got), text) != NULL;
    vt_strbuf_free(&got);
    program_destroy(&p);
    return has;
}

TEST_CASE(options_have_their_effect) {
    static const char *const no_cse[] = {"tir.CommonSubexprElimTIR"};
    assert_true(lowered_has("conv2d", (vtac_lower_options){0}, "cse_var_1"));
    assert_false(lowered_has("conv2d", (vtac_lower_options){.disabled = no_cse, .disabled_count = 1}, "cse_var"));
    assert_true(
        lowered_has("vadd", (vtac_lower_options){.debug_flag = 6}, "\"VTASetDebugMode\", @tir.tvm_thread_context("));
    assert_false(lowered_has("vadd", (vtac_lower_options){.mock = 1}, "VTALoadBuffer2D"));
    assert_false(lowered_has("vadd", (vtac_lower_options){.mock = 1}, "uop_push"));
}

int main(void) { return run_cases(); }
