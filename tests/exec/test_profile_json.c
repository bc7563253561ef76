/* A profile as JSON: all that the functions say, and nothing else. */
#include <jansson.h>

#include "profiled.h"

static void check_uint(const json_t *object, const char *key, uint64_t want) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) fail_msg("%s is missing", key);
    if ((uint64_t)json_integer_value(value) != want)
        fail_msg("%s is %lld, not %llu", key, (long long)json_integer_value(value), (unsigned long long)want);
}

static void check_real(const json_t *object, const char *key, double want) {
    double got = json_number_value(json_object_get(object, key));
    if (got < want * (1 - 1e-8) || got > want * (1 + 1e-8)) fail_msg("%s is %.12g, not %.12g", key, got, want);
}

static void check_text(const json_t *object, const char *key, const char *want) {
    const char *got = json_string_value(json_object_get(object, key));
    if (!got || strcmp(got, want) != 0) fail_msg("%s is %s, not %s", key, got ? got : "missing", want);
}

/* Counters that are 0 are left out. */
static void check_counters(const json_t *got, const vta_counters *want) {
    size_t count = 0;
#define VTA_COUNTER(name, meaning)                                                                                     \
    if (want->name) check_uint(got, #name, want->name);                                                                \
    count += want->name != 0;
#include "vta/counters.def"
#undef VTA_COUNTER
    assert_int_equal(json_object_size(got), count);
}

static void check_step(const json_t *got, const vta_model_step *step, const vta_step_profile *p) {
    const vta_counters *c = &p->counters;
    bool is_layer = step->layer != UINT32_MAX;
    check_text(got, "name", step->name);
    check_text(got, "kind", step->kind);
    check_uint(got, "step", step->step);
    if (!is_layer) check_real(got, "seconds", p->seconds);
    if (step->insn_count) {
        check_uint(got, "cycles", p->cycles);
        check_uint(got, "bound", p->bound_cycles);
        check_text(got, "limit", p->compute_cycles >= p->memory_cycles ? "compute" : "memory");
        check_uint(got, "instructions", step->insn_count);
        check_uint(got, "macs", c->macs);
        check_uint(got, "bytes",
                   c->inp_load_nbytes + c->wgt_load_nbytes + c->acc_load_nbytes + c->uop_load_nbytes +
                       c->out_store_nbytes);
        check_counters(json_object_get(got, "counters"), c);
    }
    assert_int_equal(json_object_size(got), 3 + !is_layer + (step->insn_count ? 7 : 0));
}

static void check_memory(const json_t *got, const vta_model *model) {
    vta_model_memory m = {0};
    MUST(vta_model_get_memory(model, &m));
    check_uint(got, "device_bytes", m.device_bytes);
    check_uint(got, "params_bytes", m.params_bytes);
    check_uint(got, "stream_bytes", m.stream_bytes);
    check_uint(got, "work_bytes", m.work_bytes);
    check_uint(got, "host_bytes", m.host_bytes);
    check_uint(got, "file_bytes", m.file_bytes);
    assert_int_equal(json_object_size(got), 6);
}

static void as_json(void **state) {
    (void)state;
    vta_instance *in = all_layers("tsim");
    const vta_model *model = vta_instance_model(in);
    char *text;
    MUST(vta_instance_profile_json(in, diag, &text));
    assert_int_equal(text[strlen(text) - 1], '}');
    json_t *all = json_loads(text, 0, NULL), *steps = json_object_get(all, "steps");
    assert_non_null(all);
    check_text(all, "model", "small");
    check_text(all, "driver", "tsim");
    check_text(all, "config", vta_config_bitstream(vta_model_config(model)));
    check_memory(json_object_get(all, "memory"), model);
    assert_int_equal(json_array_size(steps), RUN + 1 + LAYERS + 2);
    double seconds = 0;
    for (size_t i = 0; i < json_array_size(steps); i++) {
        vta_model_step step = {0};
        vta_step_profile p = profile_of(in, i);
        MUST(vta_model_get_step(model, i, &step));
        check_step(json_array_get(steps, i), &step, &p);
        if (step.layer == UINT32_MAX) seconds += p.seconds;
    }
    check_uint(all, "cycles", profile_of(in, RUN).cycles);
    check_real(all, "seconds", seconds);
    check_real(all, "device_seconds", profile_of(in, RUN).seconds);
    assert_int_equal(json_object_size(all), 8);
    json_decref(all);
    vta_string_free(text);
    vta_instance_destroy(in);
}

/* A step a line, for tools that work line by line. */
static void lines_of_json(void **state) {
    (void)state;
    static const char *const begins[] = {"{\"model\": ",
                                         "  \"memory\": {",
                                         "  \"steps\": [",
                                         "    {\"name\": \"pack\", ",
                                         "    {\"name\": \"adds\", ",
                                         "    {\"name\": \"first\", ",
                                         "    {\"name\": \"second\", ",
                                         "    {\"name\": \"third\", ",
                                         "    {\"name\": \"copy\", ",
                                         "    {\"name\": \"unpack\", ",
                                         "  ], \"cycles\": "};
    vta_instance *in = all_layers("sim");
    char *text, *line;
    MUST(vta_instance_profile_json(in, diag, &text));
    line = text;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        size_t n = strcspn(line, "\n");
        if (strncmp(line, begins[i], strlen(begins[i])) != 0) fail_msg("line %zu: %.*s", i, (int)n, line);
        line += n + (line[n] == '\n');
    }
    assert_string_equal(line, "");
    vta_string_free(text);
    vta_instance_destroy(in);
}

int main(void) {
    diag = vta_diag_create(NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_json), cmocka_unit_test(lines_of_json)};
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return result;
}
