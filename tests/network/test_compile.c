/* The public way from a graph to an artifact (vta/compile.h). */
#include <pthread.h>

#include "quant/random_graph.h"

#include "frontend/model/model.h"
#include "vta/compile.h"
#include "vta/exec.h"

static uint32_t layers;

static void count_layer(void *user, const vtac_quantized_layer *computed) {
    assert_ptr_equal(user, &layers);
    assert_int_equal(computed->index, layers);
    assert_non_null(computed->data);
    assert_true(computed->scale > 0 ? computed->type.code == kDLInt : computed->type.code == kDLFloat);
    layers++;
}

static void is_refused(world *w, vta_status got, vta_status want, const char *words) {
    assert_int_equal(got, want);
    if (!strstr(vta_diag_text(w->diag), words)) fail_msg("%s: %s", words, vta_diag_text(w->diag));
    vta_diag_clear(w->diag);
}

/* Random numbers again and again: calibrated with two samples, run with others. */
static void whole_way(world *w) {
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    vta_model *model;
    vta_instance *instance;
    uint8_t *bytes;
    size_t size;
    float *want[2], *got[2];
    random_graph(w);
    struct vtac_graph graph = {.graph = w->g};
    assert_int_equal(vtac_calibration_create(&graph, NULL, w->diag, &calibration), VTA_OK);
    assert_false(vtac_calibration_is_given(calibration));
    is_refused(w, vtac_quantized_create(calibration, NULL, w->diag, &quantized), VTA_INVALID_ARGUMENT, "has no range");
    for (int i = 0; i < 2; i++)
        assert_int_equal(vtac_calibration_observe(calibration, (const void *[]){random_input(w)}, w->diag), VTA_OK);
    assert_int_equal(vtac_quantized_create(calibration, NULL, w->diag, &quantized), VTA_OK);
    vtac_calibration_destroy(calibration); /* the network keeps what it needs */
    assert_non_null(strstr(vtac_quantized_text(quantized), "quantize"));
    for (int i = 0; i < 2; i++) {
        size_t n = vt_gtype_bytes(&w->g->outputs.item[i]->type);
        want[i] = vt_new_bytes(&w->ctx, n);
        got[i] = vt_new_bytes(&w->ctx, n);
    }
    const void *in[] = {random_input(w)};
    vtac_quantized_options watch = {.size = sizeof watch, .after = count_layer, .user = &layers};
    layers = 0;
    assert_int_equal(vtac_quantized_run(quantized, in, (void *const *)want, &watch, w->diag), VTA_OK);
    assert_true(layers > 0);
    if (vtac_quantized_compile(quantized, NULL, NULL, w->diag, &bytes, &size, NULL) != VTA_OK)
        fail_msg("%s", vta_diag_text(w->diag));
    vtac_quantized_destroy(quantized);
    assert_int_equal(vta_model_parse(bytes, size, "m", NULL, w->diag, &model), VTA_OK);
    vta_string_free((char *)bytes);
    assert_int_equal(vta_instance_create(model, NULL, w->diag, &instance), VTA_OK);
    vta_model_release(model);
    assert_int_equal(vta_instance_set_input(instance, 0, in[0], vt_gtype_bytes(&w->g->inputs.item[0]->type), w->diag),
                     VTA_OK);
    assert_int_equal(vta_instance_run(instance, w->diag), VTA_OK);
    for (size_t i = 0; i < 2; i++) {
        size_t n = vt_gtype_bytes(&w->g->outputs.item[i]->type);
        assert_int_equal(vta_instance_get_output(instance, i, got[i], n, w->diag), VTA_OK);
        assert_memory_equal(got[i], want[i], n);
    }
    vta_instance_destroy(instance);
}

static void from_graph_to_artifact(void **unused) {
    (void)unused;
    for (uint32_t seed = 1; seed <= 5; seed++) {
        state = seed * 31337u;
        in_a_world(whole_way);
    }
}

static void refusals(world *w) {
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    vta_config *base = vta_config_default(), *config;
    uint8_t *bytes;
    size_t size;
    state = 5;
    random_graph(w);
    struct vtac_graph graph = {.graph = w->g};
    is_refused(w, vtac_calibration_create(NULL, NULL, w->diag, &calibration), VTA_INVALID_ARGUMENT, "graph is NULL");
    assert_int_equal(vtac_calibration_create(&graph, NULL, w->diag, &calibration), VTA_OK);
    assert_int_equal(vtac_calibration_observe(calibration, (const void *[]){random_input(w)}, w->diag), VTA_OK);
    is_refused(w,
               vtac_quantized_create(calibration, &(vtac_quantize_options){.method = (vtac_range_method)9}, w->diag,
                                     &quantized),
               VTA_OUT_OF_RANGE, "no such method");
    is_refused(w, vtac_quantized_create(calibration, &(vtac_quantize_options){.percentile = 101}, w->diag, &quantized),
               VTA_OUT_OF_RANGE, "percentile");
    assert_int_equal(vtac_quantized_create(calibration, NULL, w->diag, &quantized), VTA_OK);
    assert_int_equal(vta_config_with(base, "LOG_BLOCK_IN=3 LOG_BLOCK_OUT=4 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16",
                                     w->diag, &config),
                     VTA_OK);
    is_refused(w, vtac_quantized_compile(quantized, config, NULL, w->diag, &bytes, &size, NULL), VTA_UNSUPPORTED,
               "BLOCK_IN = BLOCK_OUT");
    vta_config_release(config);
    assert_int_equal(vta_config_with(base, "LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17", w->diag, &config), VTA_OK);
    is_refused(w, vtac_quantized_compile(quantized, config, NULL, w->diag, &bytes, &size, NULL), VTA_UNSUPPORTED,
               "8 bits");
    vta_config_release(config);
    vta_config_release(base);
    vtac_quantized_destroy(quantized);
    vtac_calibration_destroy(calibration);
}

static void what_is_refused(void **unused) {
    (void)unused;
    in_a_world(refusals);
}

/* ---- Several threads --------------------------------------------------------------------------------------------- */

enum { THREADS = 3, ROUNDS = 3, REFUSALS = 2000 };

typedef struct compiling {
    const vtac_quantized *quantized;
    vta_config *config;
    uint8_t *bytes;
    size_t size;
    uint32_t different;
    vta_status status;
} compiling;

static void *compile_again(void *user) {
    compiling *c = user;
    vta_diag *diag = vta_diag_create(NULL);
    for (int i = 0; i < ROUNDS && c->status == VTA_OK; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        c->status = vtac_quantized_compile(c->quantized, c->config, NULL, diag, &bytes, &size, NULL);
        c->different += size != c->size || !bytes || memcmp(bytes, c->bytes, size) != 0;
        vta_string_free((char *)bytes);
    }
    vta_diag_destroy(diag);
    return NULL;
}

/* Each refusal is told to whom it concerns. */
static void *refuse_again(void *user) {
    compiling *c = user;
    vta_diag *diag = vta_diag_create(NULL);
    for (int i = 0; i < REFUSALS; i++) {
        uint8_t *bytes = NULL;
        size_t size = 0;
        vta_status status = vtac_quantized_compile(c->quantized, c->config, NULL, diag, &bytes, &size, NULL);
        c->different += status != VTA_UNSUPPORTED || !strstr(vta_diag_text(diag), "8 bits");
        vta_diag_clear(diag);
        vta_string_free((char *)bytes);
    }
    vta_diag_destroy(diag);
    return NULL;
}

/* One network for a machine each, at the same time and again: the bytes of one thread alone. */
static void at_the_same_time(world *w) {
    static const char *const changes[THREADS] = {"", "LOG_INP_BUFF_SIZE=14", "LOG_BLOCK=5"};
    vtac_calibration *calibration;
    vtac_quantized *quantized;
    vta_config *base = vta_config_default(), *configs[THREADS];
    compiling all[THREADS] = {0}, refused = {0};
    pthread_t threads[THREADS], refusing;
    random_graph(w);
    struct vtac_graph graph = {.graph = w->g};
    assert_int_equal(vtac_calibration_create(&graph, NULL, w->diag, &calibration), VTA_OK);
    assert_int_equal(vtac_calibration_observe(calibration, (const void *[]){random_input(w)}, w->diag), VTA_OK);
    assert_int_equal(vtac_quantized_create(calibration, NULL, w->diag, &quantized), VTA_OK);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(vta_config_with(base, changes[i], w->diag, &configs[i]), VTA_OK);
        all[i] = (compiling){.quantized = quantized, .config = configs[i]};
        if (vtac_quantized_compile(quantized, configs[i], NULL, w->diag, &all[i].bytes, &all[i].size, NULL) != VTA_OK)
            fail_msg("%s", vta_diag_text(w->diag));
    }
    refused.quantized = quantized;
    assert_int_equal(vta_config_with(base, "LOG_WGT_WIDTH=2 LOG_WGT_BUFF_SIZE=17", w->diag, &refused.config), VTA_OK);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, compile_again, &all[i]), 0);
    assert_int_equal(pthread_create(&refusing, NULL, refuse_again, &refused), 0);
    assert_int_equal(pthread_join(refusing, NULL), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(all[i].status, VTA_OK);
        assert_int_equal(all[i].different, 0);
        vta_string_free((char *)all[i].bytes);
        vta_config_release(configs[i]);
    }
    assert_int_equal(refused.different, 0);
    vta_config_release(refused.config);
    vta_config_release(base);
    vtac_quantized_destroy(quantized);
    vtac_calibration_destroy(calibration);
}

static void several_threads(void **unused) {
    (void)unused;
    for (uint32_t seed = 1; seed <= 2; seed++) {
        state = seed * 7177u;
        in_a_world(at_the_same_time);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(from_graph_to_artifact), cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(several_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
