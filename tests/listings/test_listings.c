/* The IR texts that the tutorials print, character for character. */
#include "listings/lower.h"
#include "support/golden.h"

typedef struct listing {
    const char *file;
    const char *program;
    lower_want want;
    bool vta;
} listing;

static void check_listing(const listing *l) {
    char file[80];
    snprintf(file, sizeof file, "listings/%s", l->file);
    program p;
    assert_true(program_create(&p, l->program));
    vtac_lower_options options = {.config = l->vta ? te_context_config(p.c) : NULL, .simple = 1, .verify = 1};
    vt_strbuf got;
    vt_strbuf_init(&got, NULL);
    vta_status status = lower_program(&p, &options, "main", l->want, &got);
    if (status != VTA_OK) fail_msg("%s: %s", l->program, vta_diag_text(te_context_diag(p.c)));
    golden_check(file, vt_strbuf_text(&got));
    vt_strbuf_free(&got);
    program_destroy(&p);
}

#define LISTING(function, ...)                                                                                         \
    static void function(void **state) {                                                                               \
        (void)state;                                                                                                   \
        check_listing(&(listing){__VA_ARGS__});                                                                        \
    }
LISTING(vadd_final_primfn, "vadd.final.primfn.txt", "vadd", WANT_PRIMFN, true)
LISTING(conv2d_default_primfn, "conv2d.default.primfn.txt", "conv2d.default", WANT_PRIMFN, false)
LISTING(conv2d_default_tvmscript, "conv2d.default.tvmscript.txt", "conv2d.default", WANT_TVMSCRIPT, false)
LISTING(conv2d_blocked_primfn, "conv2d.blocked.primfn.txt", "conv2d.blocked", WANT_PRIMFN, false)
LISTING(conv2d_blocked_tvmscript, "conv2d.blocked.tvmscript.txt", "conv2d.blocked", WANT_TVMSCRIPT, false)
LISTING(conv2d_final_primfn, "conv2d.final.primfn.txt", "conv2d", WANT_PRIMFN, true)
LISTING(conv2d_final_tvmscript, "conv2d.final.tvmscript.txt", "conv2d", WANT_TVMSCRIPT, true)

/* Texts of this project's own making, for the programs that nothing was recorded of: made anew with
 * VTA_UPDATE_GOLDEN=1, to be read before they are committed. */
static void own_listing(void **state) {
    const char *name = *state;
    char path[1024];
    program p;
    vt_strbuf got;
    vt_strbuf_init(&got, NULL);
    assert_true(program_create(&p, name));
    vtac_lower_options options = {.config = te_context_config(p.c), .verify = 1};
    assert_int_equal(lower_program(&p, &options, "main", WANT_PRIMFN, &got), VTA_OK);
    snprintf(path, sizeof path, "%s/tests/listings/own/%s.primfn.txt", VT_SOURCE_DIR, name);
    if (getenv("VTA_UPDATE_GOLDEN")) {
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        fputs(vt_strbuf_text(&got), f);
        fclose(f);
    }
    size_t size;
    char *want = check_read_file(path, &size);
    assert_same_text(path, vt_strbuf_text(&got), want);
    free(want);
    vt_strbuf_free(&got);
    program_destroy(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vadd_final_primfn),
        cmocka_unit_test(conv2d_default_primfn),
        cmocka_unit_test(conv2d_default_tvmscript),
        cmocka_unit_test(conv2d_blocked_primfn),
        cmocka_unit_test(conv2d_blocked_tvmscript),
        cmocka_unit_test(conv2d_final_primfn),
        cmocka_unit_test(conv2d_final_tvmscript),
        cmocka_unit_test_prestate(own_listing, "matmul"),
        cmocka_unit_test_prestate(own_listing, "blocked"),
        cmocka_unit_test_prestate(own_listing, "gemm_smt"),
        cmocka_unit_test_prestate(own_listing, "4x8_gemm_smt"),
        cmocka_unit_test_prestate(own_listing, "pad_all"),
        cmocka_unit_test_prestate(own_listing, "relu"),
        cmocka_unit_test_prestate(own_listing, "alu_add"),
        cmocka_unit_test_prestate(own_listing, "2x16_conv2d"),
    };
    return golden_result(cmocka_run_group_tests(tests, NULL, NULL));
}
