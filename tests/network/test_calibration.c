/* The handles between a graph and its artifact: what they refuse, what options change, memory that is missing. */
#include "graph/build.h"

#include <math.h>

#include "frontend/model/model.h"
#include "support/check.h"
#include "vta/compile.h"

static const float x[] = {1, 100};

/* y = x of 2 times ones of 2 x 2, one of the results negative: 101 and -101. */
static struct vtac_graph graph_of(world *w) {
    float *ones = VT_NEW_ARRAY(&w->ctx, float, 4);
    ones[0] = ones[2] = 1, ones[1] = ones[3] = -1;
    vt_gvalue *in = vt_graph_input(w->g, "x", TYPE(F32, 1, 2)),
              *k = vt_graph_constant(w->g, "k", TYPE(F32, 2, 2), ones);
    vt_graph_output(w->g, vt_graph_apply(w->g, VT_G_MAT_MUL, "y", in, k, 0, NULL), NULL);
    return (struct vtac_graph){.graph = w->g};
}

static vtac_calibration *observed(world *w, const struct vtac_graph *graph) {
    vtac_calibration *c;
    assert_int_equal(vtac_calibration_create(graph, NULL, w->diag, &c), VTA_OK);
    assert_int_equal(vtac_calibration_observe(c, (const void *[]){x}, w->diag), VTA_OK);
    return c;
}

static void said(world *w, vta_status got, vta_status status, const char *message) {
    assert_int_equal(got, status);
    assert_string_equal(vta_diag_text(w->diag), message);
    vta_diag_clear(w->diag);
}

static void refuses(world *w) {
    struct vtac_graph graph = graph_of(w);
    static const char *const percentile = "error: no such method, or a percentile that is not from 0 to 100";
    vtac_calibration *c = (vtac_calibration *)w;
    vtac_quantized *q = (vtac_quantized *)w;
    said(w, vtac_calibration_create(NULL, NULL, w->diag, &c), VTA_INVALID_ARGUMENT, "error: graph is NULL");
    assert_null(c);
    said(w, vtac_calibration_create(&graph, NULL, w->diag, NULL), VTA_INVALID_ARGUMENT,
         "error: out_calibration is NULL");
    said(w, vtac_calibration_observe(NULL, (const void *[]){x}, w->diag), VTA_INVALID_ARGUMENT,
         "error: calibration is NULL");
    c = observed(w, &graph);
    said(w, vtac_calibration_observe(c, NULL, w->diag), VTA_INVALID_ARGUMENT, "error: inputs is NULL");
    said(w, vtac_quantized_create(NULL, NULL, w->diag, &q), VTA_INVALID_ARGUMENT, "error: calibration is NULL");
    assert_null(q);
    said(w, vtac_quantized_create(c, NULL, w->diag, NULL), VTA_INVALID_ARGUMENT, "error: out_quantized is NULL");
    const struct {
        vtac_quantize_options options;
        const char *message; /* NULL: it is taken */
    } cases[] = {{{.method = (vtac_range_method)5}, percentile},
                 {{.method = (vtac_range_method)4}, NULL},
                 {{.method = (vtac_range_method)-1}, percentile},
                 {{.percentile = -1}, percentile},
                 {{.percentile = 100.5}, percentile},
                 {{.percentile = NAN}, percentile},
                 {{.percentile = 100}, NULL},
                 {{.requantize = (vtac_requantize)3}, "error: requantize: 3 is neither auto, shift nor multiply"},
                 {{.requantize = (vtac_requantize)-1}, "error: requantize: -1 is neither auto, shift nor multiply"},
                 {{.requantize = VTAC_REQUANTIZE_MULTIPLY}, NULL},
                 {{.result_bits = 7}, "error: result_bits is 7; results have 8 or 16 bits"},
                 {{.result_bits = 17}, "error: result_bits is 17; results have 8 or 16 bits"},
                 {{.result_bits = 8}, NULL},
                 {{.result_bits = 16}, NULL},
                 {{.rounding = VTAC_ROUNDING_ADAPTIVE}, NULL},
                 {{.rounding = (vtac_rounding)2}, "error: rounding: 2 is neither nearest nor adaptive"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool taken = !cases[i].message;
        q = (vtac_quantized *)w;
        said(w, vtac_quantized_create(c, &cases[i].options, w->diag, &q), taken ? VTA_OK : VTA_OUT_OF_RANGE,
             taken ? "" : cases[i].message);
        assert_int_equal(q == NULL, !taken);
        vtac_quantized_destroy(q);
    }
    vtac_quantize_options precise = {.precise = (const char *const[]){"none such"}, .precise_count = 1};
    said(w, vtac_quantized_create(c, &precise, w->diag, &q), VTA_NOT_FOUND,
         "error: precise: the network has no value none such; its values have names as in vta compare, "
         "and behind them may be :wide, :fine, :coarse or :parts");
    assert_int_equal(vtac_quantized_create(c, NULL, w->diag, &q), VTA_OK);
    float y[2];
    uint8_t *bytes;
    size_t size;
    for (int i = 0; i < 3; i++) {
        said(w,
             vtac_quantized_run(i == 0 ? NULL : q, i == 1 ? NULL : (const void *[]){x}, i == 2 ? NULL : (void *[]){y},
                                NULL, w->diag),
             VTA_INVALID_ARGUMENT, "error: an argument is NULL");
        said(w,
             vtac_quantized_compile(i == 0 ? NULL : q, NULL, NULL, w->diag, i == 1 ? NULL : &bytes,
                                    i == 2 ? NULL : &size, NULL),
             VTA_INVALID_ARGUMENT, "error: an argument is NULL");
    }
    const vtac_compile_options last = {.size = sizeof last, .use_up = true};
    assert_int_equal(vtac_quantized_compile(q, NULL, NULL, w->diag, &bytes, &size, NULL), VTA_OK);
    uint8_t *same;
    size_t same_size;
    assert_int_equal(vtac_quantized_compile(q, NULL, &last, w->diag, &same, &same_size, NULL), VTA_OK);
    assert_int_equal(same_size, size);
    assert_memory_equal(same, bytes, size);
    vta_string_free((char *)bytes), vta_string_free((char *)same);
    const char *used = "error: the quantized network was used up when it was compiled (use_up): quantize it again";
    said(w, vtac_quantized_run(q, (const void *[]){x}, (void *[]){y}, NULL, w->diag), VTA_INVALID_ARGUMENT, used);
    said(w, vtac_quantized_compile(q, NULL, NULL, w->diag, &bytes, &size, NULL), VTA_INVALID_ARGUMENT, used);
    assert_null(vtac_quantized_text(NULL));
    vtac_quantized_destroy(q), vtac_quantized_destroy(NULL);
    vtac_calibration_destroy(c), vtac_calibration_destroy(NULL);
    vtac_quantized_drop_floats(NULL, &graph);
}

/* ---- Options ---- */

static char *text_of(world *w, const vtac_calibration *c, vtac_quantize_options o) {
    vtac_quantized *q;
    assert_int_equal(vtac_quantized_create(c, &o, w->diag, &q), VTA_OK);
    char *text = strdup(vtac_quantized_text(q));
    vtac_quantized_destroy(q);
    return text;
}

/* Do both options make one network of it, or two? */
static void compare(world *w, const vtac_calibration *c, vtac_quantize_options a, vtac_quantize_options b, bool same) {
    char *first = text_of(w, c, a), *second = text_of(w, c, b);
    if ((strcmp(first, second) == 0) != same) fail_msg("%s%s", first, second);
    free(first), free(second);
}

static void has(world *w, const vtac_calibration *c, vtac_quantize_options o, const char *words, bool there) {
    char *text = text_of(w, c, o);
    if ((strstr(text, words) != NULL) != there) fail_msg("%s: %s", words, text);
    free(text);
}

static void options(world *w) {
    struct vtac_graph graph = graph_of(w);
    vtac_calibration *c = observed(w, &graph);
    const vtac_quantize_options usual = {.method = VTAC_RANGE_MAX},
                                narrow = {.method = VTAC_RANGE_MAX, .result_bits = 8};
    assert_false(vtac_calibration_is_given(c));
    has(w, c, usual, "x: int8[1,2] * 0.787402 = quantize(x)\n", true); /* 100 / 127 */
    has(w, c, usual, "y: int16[1,2] * ", true);
    has(w, c, narrow, "y: int8[1,2] * 0.795276 = ", true); /* 101 / 127 */
    compare(w, c, usual, (vtac_quantize_options){.method = VTAC_RANGE_MAX, .result_bits = 16}, true);
    compare(w, c, (vtac_quantize_options){0}, (vtac_quantize_options){.percentile = 99.99}, true);
    compare(w, c, usual, (vtac_quantize_options){.percentile = 100}, true);
    compare(w, c, usual, (vtac_quantize_options){.percentile = 50}, false);
    has(w, c, narrow, "; multiply", false);
    vtac_quantize_options multiply = narrow, shift = narrow;
    multiply.requantize = VTAC_REQUANTIZE_MULTIPLY, shift.requantize = VTAC_REQUANTIZE_SHIFT;
    has(w, c, multiply, "; multiply", true);
    compare(w, c, narrow, shift, true);
    vtac_calibration_destroy(c);
}

/* A model that says how it is quantized: products, unless shifts are asked for; no sample is needed. */
static void given(world *w) {
    float *scale = VT_NEW_ARRAY(&w->ctx, float, 1);
    *scale = 0.3f;
    vt_gvalue *in = vt_graph_input(w->g, "x", TYPE(F32, 1, 2)), *s = vt_graph_constant(w->g, "s", SCALAR(F32), scale);
    vt_gvalue *z = zeros(w, "z", SCALAR(I8)), *k = zeros(w, "k", TYPE(F32, 2, 2));
    ((float *)k->data)[0] = 0.7f;
    for (int i = 0; i < 2; i++) {
        vt_gnode_spec q = {VT_G_QUANTIZE_LINEAR, "q", NULL, 3, 0, (vt_gvalue *[]){in, s, z}, NULL};
        vt_gvalue *integers = vt_graph_add(w->g, &q)->outputs[0];
        vt_gnode_spec d = {VT_G_DEQUANTIZE_LINEAR, "d", NULL, 3, 0, (vt_gvalue *[]){integers, s, z}, NULL};
        in = vt_graph_add(w->g, &d)->outputs[0];
        if (!i) in = vt_graph_apply(w->g, VT_G_MAT_MUL, "y", in, k, 0, NULL);
    }
    vt_graph_output(w->g, in, NULL);
    struct vtac_graph graph = {.graph = w->g};
    vtac_calibration *c;
    assert_int_equal(vtac_calibration_create(&graph, NULL, w->diag, &c), VTA_OK);
    assert_true(vtac_calibration_is_given(c));
    has(w, c, (vtac_quantize_options){.result_bits = 8}, "; multiply", true);
    has(w, c, (vtac_quantize_options){.result_bits = 8, .requantize = VTAC_REQUANTIZE_SHIFT}, "; multiply", false);
    vtac_calibration_destroy(c);
}

/* ---- Runs ---- */

static uint32_t seen;

/* x, its integers, those of y, y. */
static void look(void *user, const vtac_quantized_layer *l) {
    static const char *const kinds[] = {"quantize", "dense", "dequantize"}, *const values[] = {"x", "y", "y"};
    assert_ptr_equal(user, &seen);
    assert_int_equal(l->size, sizeof *l);
    assert_int_equal(l->index, seen);
    assert_string_equal(l->kind, kinds[seen]);
    assert_string_equal(l->value, values[seen]);
    assert_true(l->ndim == 2 && l->shape[0] == 1 && l->shape[1] == 2);
    assert_true(l->type.bits == (seen == 2 ? 32 : 8) && l->type.code == (seen == 2 ? kDLFloat : kDLInt));
    if (seen == 0) assert_memory_equal(l->data, ((const int8_t[]){1, 127}), 2);
    if (seen == 1) assert_memory_equal(l->data, ((const int8_t[]){127, -127}), 2);
    assert_true((l->scale > 0) == (seen != 2));
    seen++;
}

static vta_status whole(const struct vtac_graph *graph, const vta_allocator *a, vta_diag *diag, float *y) {
    vtac_calibration *c = (vtac_calibration *)y;
    vtac_quantized *q = NULL;
    const vtac_quantize_options narrow = {.method = VTAC_RANGE_OUTPUT, .result_bits = 8};
    const vtac_quantized_options watch = {.after = look, .user = &seen};
    vta_status status = vtac_calibration_create(graph, a, diag, &c);
    assert_int_equal(c == NULL, status != VTA_OK);
    if (status == VTA_OK) status = vtac_calibration_observe(c, (const void *[]){x}, diag);
    if (status == VTA_OK) status = vtac_quantized_create(c, &narrow, diag, &q);
    vtac_calibration_destroy(c);
    seen = 0;
    if (status == VTA_OK) status = vtac_quantized_run(q, (const void *[]){x}, (void *[]){y}, &watch, diag);
    vtac_quantized_destroy(q);
    return status;
}

static void no_memory(world *w) {
    struct vtac_graph graph = graph_of(w);
    vta_status status = VTA_NO_MEMORY;
    for (size_t room = 0; status == VTA_NO_MEMORY; room++) {
        check_allocator a;
        float y[2];
        check_allocator_init(&a, room);
        vta_diag_clear(w->diag);
        status = whole(&graph, &a.allocator, w->diag, y);
        assert_int_equal(a.failed, status != VTA_OK);
        assert_int_equal(a.live, 0);
        assert_int_equal(vta_diag_count(w->diag) > 0, a.failed);
        if (status == VTA_OK) assert_true(seen == 3 && y[0] == 101 && y[1] == -101);
    }
    assert_int_equal(status, VTA_OK);
}

#define IN_A_WORLD(name)                                                                                               \
    static void test_##name(void **state) { (void)state, in_a_world(name); }
IN_A_WORLD(refuses)
IN_A_WORLD(options)
IN_A_WORLD(given)
IN_A_WORLD(no_memory)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refuses), cmocka_unit_test(test_options),
                                       cmocka_unit_test(test_given), cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
