/* Numbers that have no integer, at random places of random networks, of their samples and of the scales of quantized
 * models: not a number, infinities, denormals, the largest floats, negative scales. Each is refused by the name of what
 * holds it, or the network computes what its floats do. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "network/architecture.h"
#include "vta/compile.h"
#include "vta/exec.h"

enum { NETWORKS = 600, COMPILE_EVERY = 12 };

static const float odd[] = {NAN,     INFINITY, -INFINITY, 1e-42f,  -1e-42f, FLT_MIN,
                            FLT_MAX, -FLT_MAX, 1e30f,     -1e-30f, -0.0f};
enum { ODD = sizeof odd / sizeof *odd };

static vta_diag *diag;
static uint32_t seed, refused, right, nothing, compiled;

/* ---- Refusals -------------------------------------------------------------------------------------------------- */

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = text; n && (at = strstr(at, word)); at += n) {
        char before = at > text ? at[-1] : ' ', after = at[n];
        if (strchr(" \"(.:/", before) && (!after || strchr(" \".,:;)/", after))) return true;
    }
    return false;
}

/* Names a value, a node or a constant of the model. */
static bool has_name(const making *m, const char *text) {
    for (size_t i = 0; i < m->graph.n_initializer; i++)
        if (has_word(text, m->tensors[i]->name)) return true;
    for (size_t i = 0; i < m->graph.n_input; i++)
        if (has_word(text, m->inputs[i]->name)) return true;
    for (size_t i = 0; i < m->graph.n_node; i++)
        for (size_t k = 0; k < m->nodes[i]->n_output; k++)
            if (strstr(text, m->nodes[i]->output[k])) return true;
    return false;
}

static bool taken(const making *m, vta_status status) {
    if (status == VTA_OK) return true;
    const char *text = vta_diag_text(diag);
    if (status == VTA_INTERNAL || status == VTA_PARSE || !has_name(m, text))
        fail_msg("seed %u: refused without a name: %s: %s", seed, vta_status_text(status), text);
    refused++;
    vta_diag_clear(diag);
    return false;
}

/* ---- Runs ------------------------------------------------------------------------------------------------------ */

static void done(vta_status status) {
    if (status != VTA_OK) fail_msg("seed %u: %s", seed, vta_diag_text(diag));
}

static void check_compiled(const making *m, const vtac_quantized *quantized, const void *x, size_t x_bytes,
                           const void *want, size_t bytes) {
    vtac_op_options quick = {.size = sizeof quick, .tries = 1};
    vtac_compile_options options = {.schedule = &quick, .processor_only = seed % 3 == 0};
    void *got = make_room(1, bytes);
    uint8_t *file;
    size_t size;
    vta_model *model;
    vta_instance *instance;
    if (!taken(m, vtac_quantized_compile(quantized, NULL, &options, diag, &file, &size, NULL))) return;
    done(vta_model_parse(file, size, "m", NULL, diag, &model));
    done(vta_instance_create(model, NULL, diag, &instance));
    done(vta_instance_set_input(instance, 0, x, x_bytes, diag));
    done(vta_instance_run(instance, diag));
    done(vta_instance_get_output(instance, 0, got, bytes, diag));
    for (size_t i = 0; i < bytes / sizeof(float); i++) {
        float a = ((const float *)got)[i], b = ((const float *)want)[i];
        if (memcmp(&a, &b, sizeof a) && !(isnan(a) && isnan(b)))
            fail_msg("seed %u: element %zu is %g compiled, and %g of the evaluator", seed, i, (double)a, (double)b);
    }
    compiled++;
    vta_instance_destroy(instance);
    vta_model_release(model);
    vta_string_free((char *)file);
}

/* Signal over noise in dB where floats are finite; -INFINITY where one of the two is finite and the other is not. */
static double decibels(const float *floats, const float *got, size_t count) {
    double signal = 0, noise = 0;
    for (size_t i = 0; i < count; i++) {
        double x = (double)floats[i], off = (double)got[i] - x;
        if (!isfinite(x) || !isfinite(got[i])) {
            if (isnan(x) != isnan(got[i]) || (!isnan(x) && floats[i] != got[i])) return -INFINITY;
            continue;
        }
        signal += x * x, noise += off * off;
    }
    return noise == 0 ? INFINITY : 10 * log10(signal / noise);
}

/* What the network is in integers, against its floats: dB; NAN where it is refused. */
static double measured(const making *m, const float *x, size_t x_bytes, bool compile) {
    size_t size;
    uint8_t *bytes = make_bytes(m, &size);
    vtac_graph *graph;
    vtac_evaluator *floats = NULL;
    vtac_calibration *calibration = NULL;
    vtac_quantized *quantized = NULL;
    vtac_quantize_options options = {.method = VTAC_RANGE_MAX};
    vtac_graph_tensor out = {0};
    double db = NAN;
    vta_status status = vtac_graph_parse(bytes, size, "odd", NULL, NULL, NULL, diag, &graph);
    free(bytes);
    if (!taken(m, status)) return NAN;
    done(vtac_graph_output(graph, 0, &out));
    done(vtac_evaluator_create(graph, NULL, NULL, diag, &floats));
    done(vtac_evaluator_run(floats, (const void *[]){x}, diag));
    status = vtac_calibration_create(graph, NULL, diag, &calibration); /* what a model says of itself is read here */
    if (status == VTA_OK && !vtac_calibration_is_given(calibration))
        status = vtac_calibration_observe(calibration, (const void *[]){x}, diag);
    if (taken(m, status) && taken(m, vtac_quantized_create(calibration, &options, diag, &quantized))) {
        float *got = make_room(1, out.bytes);
        done(vtac_quantized_run(quantized, (const void *[]){x}, (void *[]){got}, NULL, diag));
        db = decibels(vtac_evaluator_output(floats, 0), got, out.bytes / sizeof(float));
        if (compile) check_compiled(m, quantized, x, x_bytes, got, out.bytes);
    }
    vtac_quantized_destroy(quantized);
    vtac_calibration_destroy(calibration);
    vtac_evaluator_destroy(floats);
    vtac_graph_destroy(graph);
    return db;
}

/* ---- Random places --------------------------------------------------------------------------------------------- */

/* One to three elements of constants or of the sample become odd ones; gives what was done as text. */
static const char *spoil(network *n, float *x, bool *out_large) {
    *out_large = false;
    char *text = make_room(256, 1);
    for (uint32_t left = 1 + below(3); left--;) {
        size_t count = n->m.graph.n_initializer, at = below((uint32_t)count + 1);
        float *data = x, with = odd[below(ODD)];
        size_t elements = (size_t)count_of(&n->have[0]);
        const char *name = "the sample";
        *out_large |= isfinite(with) && fabsf(with) > 1;
        if (at < count && n->m.tensors[at]->data_type == FLOAT) {
            data = (float *)(void *)n->m.tensors[at]->raw_data.data;
            elements = n->m.tensors[at]->raw_data.len / sizeof(float);
            name = n->m.tensors[at]->name;
        }
        uint32_t place = elements ? below((uint32_t)elements) : 0;
        if (elements) data[place] = with;
        sprintf(text + strlen(text), "%s[%u] = %g; ", name, place, (double)with);
    }
    return text;
}

static void random_places(void **unused) {
    (void)unused;
    for (seed = 1; seed <= NETWORKS; seed++) {
        network n;
        vta_diag_clear(diag);
        random_network(&n, seed);
        size_t bytes = (size_t)count_of(&n.have[0]) * sizeof(float);
        float *x = make_room(1, bytes);
        memcpy(x, n.have[0].data, bytes);
        uint32_t before = refused;
        double plain = measured(&n.m, x, bytes, false);
        if (refused != before) refused = before;
        if (!(plain > 25)) { /* as it is, it has too little precision to tell a wrong result from a rough one */
            nothing++;
            continue;
        }
        bool large;
        const char *what = spoil(&n, x, &large);
        double db = measured(&n.m, x, bytes, seed % COMPILE_EVERY == 0);
        if (isnan(db)) continue;
        right++;
        /* one large number takes the steps of all others of its tensor, and a normalization behind it shows that */
        if (!(large ? db > -INFINITY : db > 3))
            fail_msg("seed %u: %s%.1f dB, and %.1f without it", seed, what, db, plain);
    }
    print_message("%u refused, %u right, %u compiled, %u not measured\n", refused, right, compiled, nothing);
    assert_true(refused > 60 && right > 200 && compiled > 15 && nothing < NETWORKS / 2);
}

/* ---- Scales of quantized models -------------------------------------------------------------------------------- */

enum { UINT8 = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8 };

static const float scales[] = {NAN,    INFINITY, -INFINITY, -0.03f, 0,     -0.0f,  1e-42f,
                               1e-30f, 0.002f,   0.05f,     3,      1e30f, FLT_MAX};
static const char *const holders[] = {"xs", "ws", "ys"};

/* x and y between pairs, weights behind a DequantizeLinear of their own. */
static void quantized_model(making *m, const float scale[3]) {
    int8_t w[6 * 4];
    for (int i = 0; i < 24; i++) w[i] = (int8_t)(below(255) - 127);
    make_model(m, 13);
    make_input(m, "x", FLOAT, "1,4,3,3");
    for (int i = 0; i < 3; i++) make_constant(m, holders[i], FLOAT, "", &scale[i], sizeof(float));
    make_constant(m, "z", UINT8, "", (uint8_t[]){128}, 1);
    make_constant(m, "wz", INT8, "", (int8_t[]){0}, 1);
    make_constant(m, "w", INT8, "6,4,1,1", w, sizeof w);
    make_node(m, "QuantizeLinear", "x xs z", "xq", "");
    make_node(m, "DequantizeLinear", "xq xs z", "xd", "");
    make_node(m, "DequantizeLinear", "w ws wz", "wd", "");
    make_node(m, "Conv", "xd wd", "c", "");
    make_node(m, "QuantizeLinear", "c ys z", "cq", "");
    make_node(m, "DequantizeLinear", "cq ys z", "y", "");
    make_output(m, "y");
}

static bool is_scale(float x, bool divides) { return x >= 0 && x <= FLT_MAX && (x > 0 || !divides); }

static void scales_of_models(void **unused) {
    enum { SCALES = sizeof scales / sizeof *scales };
    uint32_t wrong = 0;
    (void)unused;
    refused = right = 0;
    for (seed = 0; seed < 3 * SCALES; seed++) {
        float scale[3] = {0.02f, 0.01f, 0.05f}, x[36];
        uint32_t at = seed % 3, before = refused;
        making m;
        scale[at] = scales[seed / 3];
        random_state = seed + 5;
        quantized_model(&m, scale);
        for (int i = 0; i < 36; i++) x[i] = uniform();
        double db = measured(&m, x, sizeof x, true);
        if (!is_scale(scale[at], at != 1)) {
            if (refused == before) fail_msg("%s of %g is taken", holders[at], (double)scale[at]);
            wrong++;
        } else if (refused == before) {
            /* integers of the model, in which a result may be off by one, or too small to be anything */
            if (!(db > 15) && !isnan(db)) fail_msg("%s of %g: %.1f dB", holders[at], (double)scale[at], db);
            right++;
        }
    }
    print_message("%u scales refused, %u ranges refused, %u right\n", wrong, refused - wrong, right);
    assert_true(wrong == 16 && right > 12);
}

static void refusals_name_the_place(void **unused) {
    const float scale[3] = {0.02f, 0.01f, -2};
    making m;
    vtac_graph *graph;
    size_t size;
    (void)unused;
    vta_diag_clear(diag);
    quantized_model(&m, scale);
    uint8_t *bytes = make_bytes(&m, &size);
    assert_int_equal(vtac_graph_parse(bytes, size, "m", NULL, NULL, NULL, diag, &graph), VTA_MISMATCH);
    assert_string_equal(vta_diag_text(diag),
                        "error: node cq (QuantizeLinear): element 0 of its scale ys is -2; a scale is a "
                        "positive, finite number");
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_places), cmocka_unit_test(scales_of_models),
                                       cmocka_unit_test(refusals_name_the_place)};
    diag = vta_diag_create(NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vta_diag_destroy(diag);
    return failed;
}
