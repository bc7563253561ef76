/* What callers get wrong: each call says so, in words that name it, and gives nothing. Models and instances that are
 * not there have no answers. */
#include "small.h"

static vta_diag *diag;
static vta_model *model;
static vta_instance *instance;
static uint8_t *bytes;
static size_t size;

static int set_up(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    bytes = small_artifact(&size);
    return vta_model_parse(bytes, size, NULL, NULL, diag, &model) != VTA_OK ||
           vta_instance_create(model, NULL, diag, &instance) != VTA_OK;
}

static int tear_down(void **state) {
    (void)state;
    vta_string_free(bytes);
    vta_instance_destroy(instance);
    vta_model_release(model);
    vta_diag_destroy(diag);
    return 0;
}

/* The status, and all that was said. */
static void check_said(vta_status status, vta_status want, const char *text) {
    vta_diag_entry e;
    if (status != want) fail_msg("%s, not %s: %s", vta_status_name(status), vta_status_name(want), vta_diag_text(diag));
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_string_equal(e.message, text);
    assert_int_equal(e.status, want);
    assert_int_not_equal(vta_diag_get(diag, 1, &e), VTA_OK);
    vta_diag_clear(diag);
}
#define NULLS(call, text) check_said(call, VTA_INVALID_ARGUMENT, text)

TEST_CASE(models) {
    vta_model *m = model;
    vta_program *program = (vta_program *)model;
    const uint32_t *steps;
    size_t count;
    NULLS(vta_model_parse(bytes, size, "x", NULL, diag, NULL), "vta_model_parse: out_model is NULL");
    NULLS(vta_model_parse(NULL, size, "x", NULL, diag, &m), "vta_model_parse: bytes is NULL");
    assert_null(m);
    m = model;
    assert_int_equal(vta_model_parse(NULL, 0, "x", NULL, NULL, &m), VTA_PARSE);
    assert_null(m);
    NULLS(vta_model_load("x", NULL, diag, NULL), "vta_model_load: out_model is NULL");
    m = model;
    NULLS(vta_model_load(NULL, NULL, diag, &m), "vta_model_load: path is NULL");
    assert_null(m);
    NULLS(vta_model_program(NULL, diag, &program), "vta_model_program: an argument is NULL");
    NULLS(vta_model_program(model, diag, NULL), "vta_model_program: an argument is NULL");
    NULLS(vta_model_step_inputs(NULL, 0, diag, &steps, &count), "vta_model_step_inputs: an argument is NULL");
    NULLS(vta_model_step_inputs(model, 0, diag, NULL, &count), "vta_model_step_inputs: an argument is NULL");
    NULLS(vta_model_step_inputs(model, 0, diag, &steps, NULL), "vta_model_step_inputs: an argument is NULL");
    check_said(vta_model_step_inputs(model, 6, diag, &steps, &count), VTA_OUT_OF_RANGE, "step 6: small has 6");
    vta_model_release(NULL);
}

TEST_CASE(no_model) {
    vta_model_tensor t;
    vta_model_memory memory;
    vta_model_step step;
    size_t bytes_of = 7;
    assert_string_equal(vta_model_name(NULL), "");
    assert_string_equal(vta_model_triple(NULL), "");
    assert_null(vta_model_config(NULL));
    assert_int_equal(vta_model_input_count(NULL), 0);
    assert_int_equal(vta_model_output_count(NULL), 0);
    assert_int_equal(vta_model_input(NULL, 0, &t), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_model_output(NULL, 0, &t), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_model_input(model, 0, NULL), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_model_find_input(NULL, "x"), SIZE_MAX);
    assert_int_equal(vta_model_find_output(NULL, "y"), SIZE_MAX);
    assert_int_equal(vta_model_find_input(model, NULL), SIZE_MAX);
    assert_int_equal(vta_model_find_output(model, "x"), SIZE_MAX);
    assert_int_equal(vta_model_get_memory(NULL, &memory), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_model_get_memory(model, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_model_step_count(NULL), 0);
    assert_int_equal(vta_model_get_step(NULL, 0, &step), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_model_get_step(model, 0, NULL), VTA_INVALID_ARGUMENT);
    assert_null(vta_model_section(NULL, "labels", &bytes_of));
    assert_int_equal(bytes_of, 0);
    assert_null(vta_model_section(model, NULL, NULL));
    assert_non_null(vta_model_section(model, "labels", NULL));
}

TEST_CASE(instances) {
    vta_instance *in = instance;
    char data[ELEMENTS] = {0};
    NULLS(vta_instance_create(model, NULL, diag, NULL), "vta_instance_create: out_instance is NULL");
    NULLS(vta_instance_create(NULL, NULL, diag, &in), "vta_instance_create: model is NULL");
    assert_null(in);
    in = instance;
    assert_int_equal(vta_instance_create(model, &(vta_instance_options){.driver = "chip"}, NULL, &in), VTA_NOT_FOUND);
    /* Its streams were recorded for another design than the board's. */
    assert_int_equal(vta_instance_create(model, &(vta_instance_options){.driver = "pynq"}, diag, &in), VTA_MISMATCH);
    assert_null(in);
    assert_non_null(strstr(vta_diag_text(diag), "it was compiled for TARGET sim, and pynq computes otherwise "
                                                "(docs/boards.md): compile it with TARGET=pynq"));
    vta_diag_clear(diag);
    assert_null(in);
    NULLS(vta_instance_run(NULL, diag), "vta_instance_run: instance is NULL");
    NULLS(vta_instance_set_input(NULL, 0, data, 64, diag), "vta_instance_set_input: instance is NULL");
    NULLS(vta_instance_set_input(instance, 0, NULL, 64, diag), "input x: data is NULL");
    NULLS(vta_instance_get_output(NULL, 0, data, 64, diag), "vta_instance_get_output: instance is NULL");
    NULLS(vta_instance_get_output(instance, 0, NULL, 64, diag), "output y: data is NULL");
    check_said(vta_instance_set_input(instance, 1, data, 64, diag), VTA_OUT_OF_RANGE, "input 1: small has 1");
    check_said(vta_instance_get_output(instance, 1, data, 64, diag), VTA_OUT_OF_RANGE, "output 1: small has 1");
    check_said(vta_instance_set_input(instance, 0, NULL, 0, diag), VTA_MISMATCH,
               "input x: 0 bytes were given, it has 64");
    check_said(vta_instance_get_output(instance, 0, data, 63, diag), VTA_MISMATCH,
               "output y: 63 bytes were given, it has 64");
    NULLS(vta_instance_carry(NULL, 0, 0, diag), "vta_instance_carry: instance is NULL");
    check_said(vta_instance_carry(instance, 1, 0, diag), VTA_OUT_OF_RANGE, "output 1: small has 1");
    check_said(vta_instance_carry(instance, 0, 1, diag), VTA_OUT_OF_RANGE, "input 1: small has 1");
    vta_instance_restart(NULL);
    vta_instance_restart(instance); /* nothing is carried */
    assert_null(vta_instance_model(NULL));
    assert_null(vta_instance_device(NULL));
    vta_instance_interrupt(NULL);
    vta_instance_destroy(NULL);
}

/* What was interrupted before it began is not. */
TEST_CASE(early_interrupts) {
    vta_instance_interrupt(instance);
    assert_int_equal(vta_instance_run(instance, diag), VTA_OK);
}

/* ---- Batches ---------------------------------------------------------------------------------------------------- */

enum { ITEMS = 12 };
typedef struct seen {
    vta_instance *first;
    size_t instances, fed, taken, done, count, stop_after, fails_at;
} seen;

static vta_status feed(void *ctx, size_t item, vta_instance *in, vta_diag *said) {
    seen *s = ctx;
    if (!s->fed++) s->first = in;
    s->instances += s->fed == 1 || in != s->first;
    if (item == s->fails_at) {
        vta_diag_add(said, VTA_NOTE, VTA_OK, "looked for it");
        vta_diag_add(said, VTA_ERROR, VTA_IO, "no such picture");
        return VTA_IO;
    }
    return VTA_OK;
}

static vta_status take(void *ctx, size_t item, vta_instance *in, vta_diag *said) {
    (void)item;
    (void)in;
    (void)said;
    ((seen *)ctx)->taken++;
    return VTA_OK;
}

static bool progress(void *ctx, size_t done, size_t count) {
    seen *s = ctx;
    s->done = done;
    s->count = count;
    return done == s->stop_after;
}

static vta_status run_batch(seen *s, size_t count, uint32_t threads) {
    const vta_batch_options options = {.threads = threads, .progress = progress, .ctx = s};
    return vta_model_run_batch(model, count, feed, take, s, &options, diag);
}

TEST_CASE(batches) {
    seen s = {.fails_at = 4};
    assert_int_equal(run_batch(&s, ITEMS, 1), VTA_IO);
    assert_int_equal(s.fed, 5); /* the first error ends it */
    assert_int_equal(s.taken, 4);
    assert_int_equal(s.done, 4);
    assert_int_equal(s.count, ITEMS);
    vta_diag_entry e;
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_int_equal(e.severity, VTA_NOTE);
    assert_string_equal(e.message, "looked for it");
    assert_int_equal(vta_diag_get(diag, 1, &e), VTA_OK);
    assert_int_equal(e.severity, VTA_ERROR);
    assert_int_equal(e.status, VTA_IO);
    assert_string_equal(e.message, "no such picture");
    assert_int_not_equal(vta_diag_get(diag, 2, &e), VTA_OK);
    vta_diag_clear(diag);
    s = (seen){.fails_at = ITEMS, .stop_after = 3};
    check_said(run_batch(&s, ITEMS, 1), VTA_INTERRUPTED, "interrupted");
    assert_int_equal(s.fed, 3);
    s = (seen){.fails_at = ITEMS};
    assert_int_equal(run_batch(&s, ITEMS, UINT32_MAX), VTA_OK); /* more than there can be: one */
    assert_int_equal(s.instances, 1);
    assert_int_equal(s.done, ITEMS);
    for (uint32_t threads = 0; threads < 3; threads++) {
        s = (seen){.fails_at = ITEMS};
        assert_int_equal(run_batch(&s, 1, threads), VTA_OK);
        assert_int_equal(s.fed, 1);
        assert_int_equal(s.taken, 1);
    }
    static const char text[] = "vta_model_run_batch: model, feed or take is NULL";
    NULLS(vta_model_run_batch(NULL, 1, feed, take, &s, NULL, diag), text);
    NULLS(vta_model_run_batch(model, 1, NULL, take, &s, NULL, diag), text);
    NULLS(vta_model_run_batch(model, 1, feed, NULL, &s, NULL, diag), text);
    const vta_batch_options other = {.size = 3};
    assert_int_equal(vta_model_run_batch(model, 1, feed, take, &s, &other, NULL), VTA_INVALID_ARGUMENT);
}

int main(void) { return run_cases_between(set_up, tear_down); }
