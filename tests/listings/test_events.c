/* What is told after each pass: its time beside the clock, its text in the other style; which passes are left out. */
#include <time.h>

#include "listings/lower.h"
#include "support/check.h"

typedef struct events {
    uint64_t sum;
    size_t skipped, texts;
    char names[1024]; /* of those skipped */
    vt_strbuf last;
} events;

static void note(void *user, const vtac_pass_event *e) {
    events *v = user;
    v->sum += e->nanoseconds;
    if (e->skipped) {
        v->skipped++;
        snprintf(v->names + strlen(v->names), sizeof v->names - strlen(v->names), "%s ", e->name);
    }
    if (!e->text) return;
    v->texts++;
    vt_strbuf_free(&v->last);
    vt_strbuf_init(&v->last, NULL);
    vt_strbuf_add(&v->last, e->text);
}

static uint64_t clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The program lowered with the options; `out`: its text. */
static vta_status run(const char *name, vtac_lower_options options, events *v, lower_want want, vt_strbuf *out,
                      char *said) {
    program p;
    *v = (events){.sum = 0};
    vt_strbuf_init(&v->last, NULL);
    assert_true(program_create(&p, name));
    options.config = te_context_config(p.c);
    options.after = note;
    options.user = v;
    vta_status status = lower_program(&p, &options, "main", want, out);
    if (said) snprintf(said, 200, "%s", vta_diag_text(te_context_diag(p.c)));
    program_destroy(&p);
    return status;
}

TEST_CASE(texts_in_the_other_style) {
    events v;
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    vtac_lower_options options = {.print = 1, .style = VTAC_STYLE_TVMSCRIPT};
    assert_int_equal(run("vadd", options, &v, WANT_TVMSCRIPT, &text, NULL), VTA_OK);
    assert_true(v.texts > 5);
    assert_string_equal(vt_strbuf_text(&v.last), vt_strbuf_text(&text)); /* the last change is the result */
    vt_strbuf_free(&text);
    vt_strbuf_free(&v.last);
}

/* All passes together take some time, and not more than passes meanwhile. */
TEST_CASE(times) {
    events v;
    uint64_t start = clock_now();
    assert_int_equal(run("conv2d", (vtac_lower_options){.print = 0}, &v, WANT_CALLS, NULL, NULL), VTA_OK);
    uint64_t took = clock_now() - start;
    if (v.sum < 1000 || v.sum > took) fail_msg("%llu of %llu ns", (unsigned long long)v.sum, (unsigned long long)took);
    assert_int_equal(v.skipped, 0);
    assert_int_equal(v.texts, 0);
    vt_strbuf_free(&v.last);
}

TEST_CASE(left_out) {
    static const char *const two[] = {"tir.RemoveNoOp", "tir.Simplify"}, *const wrong[] = {"tir.Simplify",
                                                                                           "tir.simplify"};
    events v;
    char said[200];
    assert_int_equal(
        run("vadd", (vtac_lower_options){.disabled = two, .disabled_count = 2}, &v, WANT_CALLS, NULL, NULL), VTA_OK);
    assert_string_equal(v.names,
                        "tir.Simplify tir.Simplify tir.RemoveNoOp "); /* in their order, which has one pass twice */
    assert_int_equal(run("vadd", (vtac_lower_options){.simple = 1}, &v, WANT_CALLS, NULL, NULL), VTA_OK);
    assert_string_equal(v.names, "tir.LoopPartition ");
    vtac_lower_options options = {.disabled = wrong, .disabled_count = 2};
    assert_int_equal(run("vadd", options, &v, WANT_CALLS, NULL, said), VTA_NOT_FOUND);
    assert_string_equal(said, "error: there is no pass \"tir.simplify\"; see the list of passes");
}

int main(void) { return run_cases(); }
