/* Lowering with annotations: each transfer and micro-kernel is named, with the loops around it. */
#include "listings/lower.h"
#include "support/check.h"

static void lowered(const char *name, int annotate, vt_strbuf *out) {
    program p;
    assert_true(program_create(&p, name));
    vtac_lower_options options = {.config = te_context_config(p.c), .simple = 1, .verify = 1, .annotate = annotate};
    vt_strbuf_init(out, NULL);
    if (lower_program(&p, &options, "main", WANT_PRIMFN, out) != VTA_OK)
        fail_msg("%s: %s", name, vta_diag_text(te_context_diag(p.c)));
    program_destroy(&p);
}

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

TEST_CASE(convolution) {
    vt_strbuf plain, named;
    lowered("conv2d", 0, &plain);
    lowered("conv2d", 1, &named);
    assert_int_equal(count(vt_strbuf_text(&plain), "VTAAnnotate"), 0);
    const char *text = vt_strbuf_text(&named);
    size_t calls = count(text, "VTALoadBuffer2D") + count(text, "VTAStoreBuffer2D") + count(text, "coproc_uop_scope");
    assert_int_equal(count(text, "VTAAnnotate"), calls);
    assert_contains(text, "\"data_buf i2.outer ic.outer\"");
    assert_contains(text, "\"kernel_buf i2.outer ic.outer\"");
    assert_contains(text, "\"res_conv i2.outer ic.outer cthread.s\"");
    assert_contains(text, "\"res ");
    vt_strbuf_free(&plain);
    vt_strbuf_free(&named);
}

int main(void) { return run_cases(); }
