/* The report of a compile: runs of the device, what ends them, products, what layers take. */
#include "network/compiled.h"
#include "vta/compile.h"

enum { CHANNELS = 16, SIDE = 6, PRODUCTS = CHANNELS * CHANNELS * 9 * SIDE * SIDE };

static vt_gvalue *conv(world *w, vt_gvalue *x, const char *name) {
    vt_gtype t = TYPE(F32, CHANNELS, CHANNELS, 3, 3);
    float *numbers = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(&t));
    for (int64_t i = 0; i < vt_gtype_count(&t); i++) numbers[i] = (float)(i * 31 % 201 - 100) / 500;
    vt_gvalue *in[] = {x, vt_graph_constant(w->g, vt_new_format(&w->ctx, "%s.w", name), t, numbers)};
    vt_gattr a[] = {INTS(STRIDES, 1, 1), INTS(PADS, 1, 1, 1, 1), INTS(DILATIONS, 1, 1), VT_GSET_INT(GROUP, 1)};
    vt_gnode_spec spec = {VT_G_CONV, name, (const char *[]){name}, 2, 4, in, a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

static vt_gvalue *softmax(world *w, vt_gvalue *x, const char *name) {
    vt_gattr a[] = {VT_GSET_INT(AXIS, 3)};
    vt_gnode_spec spec = {VT_G_SOFTMAX, name, (const char *[]){name}, 1, 1, &x, a};
    return vt_graph_add(w->g, &spec)->outputs[0];
}

typedef struct compiled_network {
    vtac_compile_report *report;
    vta_model *model;
} compiled_network;

/* What is in the world's graph. */
static compiled_network compile(world *w, bool processor_only) {
    const vt_gtype *t = &w->g->inputs.item[0]->type;
    float *x = VT_NEW_ARRAY(&w->ctx, float, (size_t)vt_gtype_count(t));
    for (int64_t i = 0; i < vt_gtype_count(t); i++) x[i] = (float)(i * 7919 % 2001) / 1000 - 1;
    calibrate(w, x);
    const vt_quant_options options = {.method = VT_RANGE_MAX, .most = INT8_MAX, .weight_max = INT8_MAX};
    const vt_network_options how = {.processor_only = processor_only};
    vta_config *config = vta_config_default();
    compiled_network made;
    uint8_t *bytes;
    size_t size;
    if (vt_network_compile(vt_quantize(w->g, ranges, &options), config, &how, NULL, w->diag, &bytes, &size,
                           &made.report) != VTA_OK ||
        vta_model_parse(bytes, size, "network", NULL, w->diag, &made.model) != VTA_OK)
        fail_msg("%s", vta_diag_text(w->diag));
    vta_string_free((char *)bytes);
    vta_config_release(config);
    return made;
}

static void drop(compiled_network *c) {
    vtac_compile_report_destroy(c->report);
    vta_model_release(c->model);
}

static const vtac_compiled_layer *layer(const compiled_network *c, const char *name, const char *kind) {
    const vtac_compiled_layer *l;
    for (size_t i = 0; (l = vtac_compile_report_layer(c->report, i)); i++)
        if (!strcmp(l->name, name) && !strcmp(l->kind, kind)) return l;
    fail_msg("no layer %s (%s) in\n%s", name, kind, vtac_compile_report_text(c->report));
    return NULL;
}

/* x - c1 - soft1 - c2 - c3 - y, and from c1 a second output, soft2, which ends no run. */
static void build(world *w) {
    vt_gvalue *x = vt_graph_input(w->g, "x", TYPE(F32, 1, CHANNELS, SIDE, SIDE));
    vt_gvalue *c1 = conv(w, x, "c1"), *soft2 = softmax(w, c1, "soft2"), *c2 = conv(w, softmax(w, c1, "soft1"), "c2");
    vt_graph_output(w->g, soft2, "first");
    vt_graph_output(w->g, conv(w, c2, "c3"), "second");
}

static vtac_compile_summary sum_of(const compiled_network *c) {
    vtac_compile_summary s = {.size = sizeof s};
    assert_int_equal(vtac_compile_report_sum(c->report, &s), VTA_OK);
    return s;
}

static void runs_and_cuts(world *w) {
    build(w);
    compiled_network c = compile(w, false);
    vtac_compile_summary s = sum_of(&c);
    assert_int_equal(s.runs, 2);
    assert_int_equal(s.cuts, 1);
    assert_int_equal(s.products, 3 * PRODUCTS);
    assert_int_equal(s.accelerator_products, 3 * PRODUCTS);
    assert_false(s.is_measured);
    assert_int_equal(layer(&c, "c1", "conv")->run, 0);
    assert_int_equal(layer(&c, "c2", "conv")->run, 1);
    assert_int_equal(layer(&c, "c3", "conv")->run, 1);
    assert_int_equal(layer(&c, "soft1", "Softmax")->run, UINT32_MAX);
    assert_int_equal(layer(&c, "c3", "conv")->products, PRODUCTS);
    const vtac_compile_cut *cut = vtac_compile_report_cut(c.report, 0);
    const char *const wants[] = {"dequantize", "Softmax", "quantize"};
    assert_int_equal(cut->layer_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const vtac_compiled_layer *l = vtac_compile_report_layer(c.report, cut->layers[i]);
        assert_string_equal(l->kind, wants[i]);
        assert_string_not_equal(l->name, "soft2");
    }
    assert_string_equal(cut->why, "c1 (dequantize): between floats and integers");
    drop(&c);
}

TEST_CASE(two_runs) { in_a_world(runs_and_cuts); }

static void measured(world *w) {
    build(w);
    compiled_network c = compile(w, false), host = compile(w, true);
    vta_instance *instance;
    vta_step_profile p = {.size = sizeof p};
    vta_model_step step = {.size = sizeof step};
    uint64_t cycles = 0;
    for (int time = 0; time < 2; time++) /* a second time is not added to the first */
        assert_int_equal(vtac_compile_report_measure(c.report, c.model, NULL, w->diag), VTA_OK);
    vtac_compile_summary s = sum_of(&c);
    assert_int_equal(vta_instance_create(c.model, NULL, w->diag, &instance), VTA_OK);
    for (size_t i = 0; vta_model_get_step(c.model, i, &step) == VTA_OK; i++) {
        assert_int_equal(vta_instance_profile(instance, i, w->diag, &p), VTA_OK);
        if (!strcmp(step.kind, "run")) cycles += p.cycles;
        if (!strcmp(step.kind, "layer")) assert_int_equal(layer(&c, step.name, "conv")->cycles, p.cycles);
    }
    vta_instance_destroy(instance);
    assert_true(s.is_measured);
    assert_int_equal(s.cycles, cycles);
    assert_true(s.host_seconds > 0 && s.host_seconds < s.seconds);
    assert_true(layer(&c, "soft1", "Softmax")->seconds > 0);
    assert_int_equal(layer(&c, "soft1", "Softmax")->cycles, 0);
    assert_true(layer(&c, "c2", "conv")->seconds > 0);

    vta_diag_clear(w->diag);
    assert_int_equal(vtac_compile_report_measure(c.report, host.model, NULL, w->diag), VTA_MISMATCH);
    assert_false(sum_of(&c).is_measured);
    assert_int_equal(layer(&c, "c2", "conv")->cycles, 0);
    assert_int_equal(sum_of(&host).runs, 0);
    assert_null(vtac_compile_report_cut(host.report, 0));
    assert_int_equal(vtac_compile_report_measure(NULL, host.model, NULL, w->diag), VTA_INVALID_ARGUMENT);
    drop(&c);
    drop(&host);
}

TEST_CASE(times) { in_a_world(measured); }

int main(void) { return run_cases(); }
