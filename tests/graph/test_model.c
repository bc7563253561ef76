/* The public handles of a graph and of its evaluator: all that they say of one small model, and what they refuse. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

#include "onnx_make.h"
#include "vta/graph.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, U8 = ONNX__TENSOR_PROTO__DATA_TYPE__UINT8 };

static vta_diag *diag;
static uint8_t *bytes;
static size_t size;

/* Two inputs, three outputs, attributes of every kind, an input that is left out, a node that nothing needs. */
static int setup(void **state) {
    making m;
    float w[2] = {2, -1};
    (void)state;
    diag = vta_diag_create(NULL);
    make_model(&m, 13);
    m.graph.name = (char *)"small";
    make_input(&m, "x", FLOAT, "n,2,1,2");
    make_input(&m, "q", U8, "1,1,2");
    make_constant(&m, "w", FLOAT, "1,2,1,1", w, sizeof w);
    make_constant(&m, "k", U8, "1,1,1", "\3", 1);
    make_constant(&m, "z", U8, "", "\1", 1);
    MAKE_FLOATS(&m, "scales", "4", 1, 1, 2, 1);
    make_node(&m, "Conv", "x w", "c", "");
    make_node(&m, "LeakyRelu", "c", "l", "alpha=0.25");
    make_node(&m, "Resize", "l - scales", "r", "");
    make_node(&m, "ConvInteger", "q k - z", "i", "");
    make_node(&m, "Cast", "i", "f", "to=1");
    make_node(&m, "Neg", "f", "unused", "");
    make_output(&m, "r");
    make_output(&m, "f");
    make_output(&m, "x");
    bytes = make_bytes(&m, &size);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free(bytes);
    vta_diag_destroy(diag);
    return 0;
}

static vtac_graph *parse(const vtac_graph_options *options) {
    vtac_graph *g = NULL;
    if (vtac_graph_parse(bytes, size, "small.onnx", NULL, options, NULL, diag, &g) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    return g;
}

TEST_CASE(test_texts) {
    vtac_graph *g = parse(NULL);
    char *text = vtac_graph_print(g), *json = vtac_graph_to_json(g);
    assert_same_text("text", text,
                     "graph small\n"
                     "input x: float32[1,2,1,2]\n"
                     "input q: uint8[1,1,2]\n"
                     "c: float32[1,1,1,2] = Conv(x, const w float32[1,2,1,1]{2,-1}) strides=1,1 pads=0,0,0,0 "
                     "dilations=1,1 group=1\n"
                     "l: float32[1,1,1,2] = LeakyRelu(c) alpha=0.25\n"
                     "r: float32[1,1,2,2] = Resize(l) sampling=nearest coordinates=half_pixel "
                     "rounding=round_prefer_floor scales=1,1,2,1 shape=1,1,2,2\n"
                     "i: int32[1,1,2] = ConvInteger(q, const k uint8[1,1,1]{3}, -, const z uint8{1}) strides=1 "
                     "pads=0,0 dilations=1 group=1\n"
                     "f: float32[1,1,2] = Cast(i) to=float32\n"
                     "output r: float32[1,1,2,2]\n"
                     "output f: float32[1,1,2]\n"
                     "output x: float32[1,2,1,2]\n");
    /* multiplications: 2 outputs of 2 weights, 2 outputs of 1; parameters: 2, 1 and 1 */
    assert_same_text(
        "json", json,
        "{\"name\": \"small\", \"macs\": 6, \"parameters\": 4, \"inputs\": [\n"
        "    {\"name\": \"x\", \"type\": \"float32\", \"shape\": [1, 2, 1, 2]},\n"
        "    {\"name\": \"q\", \"type\": \"uint8\", \"shape\": [1, 1, 2]}], \"outputs\": [\n"
        "    {\"name\": \"r\", \"type\": \"float32\", \"shape\": [1, 1, 2, 2]},\n"
        "    {\"name\": \"f\", \"type\": \"float32\", \"shape\": [1, 1, 2]},\n"
        "    {\"name\": \"x\", \"type\": \"float32\", \"shape\": [1, 2, 1, 2]}], \"nodes\": [\n"
        "    {\"name\": \"c\", \"op\": \"Conv\", \"inputs\": [{\"name\": \"x\"}, {\"name\": \"w\", \"constant\": true, "
        "\"type\": \"float32\", \"shape\": [1, 2, 1, 1]}], \"outputs\": [\n"
        "        {\"name\": \"c\", \"type\": \"float32\", \"shape\": [1, 1, 1, 2]}], \"attributes\": {\"strides\": [1, "
        "1], "
        "\"pads\": [0, 0, 0, 0], \"dilations\": [1, 1], \"group\": 1}, \"macs\": 4},\n"
        "    {\"name\": \"l\", \"op\": \"LeakyRelu\", \"inputs\": [{\"name\": \"c\"}], \"outputs\": [\n"
        "        {\"name\": \"l\", \"type\": \"float32\", \"shape\": [1, 1, 1, 2]}], \"attributes\": {\"alpha\": "
        "0.25}, "
        "\"macs\": 0},\n"
        "    {\"name\": \"r\", \"op\": \"Resize\", \"inputs\": [{\"name\": \"l\"}], \"outputs\": [\n"
        "        {\"name\": \"r\", \"type\": \"float32\", \"shape\": [1, 1, 2, 2]}], \"attributes\": {\"sampling\": "
        "\"nearest\", \"coordinates\": \"half_pixel\", \"rounding\": \"round_prefer_floor\", \"scales\": [1, 1, 2, 1], "
        "\"shape\": [1, 1, 2, 2]}, \"macs\": 0},\n"
        "    {\"name\": \"i\", \"op\": \"ConvInteger\", \"inputs\": [{\"name\": \"q\"}, {\"name\": \"k\", "
        "\"constant\": "
        "true, \"type\": \"uint8\", \"shape\": [1, 1, 1]}, {\"name\": null}, {\"name\": \"z\", \"constant\": true, "
        "\"type\": \"uint8\", \"shape\": []}], \"outputs\": [\n"
        "        {\"name\": \"i\", \"type\": \"int32\", \"shape\": [1, 1, 2]}], \"attributes\": {\"strides\": [1], "
        "\"pads\": [0, 0], \"dilations\": [1], \"group\": 1}, \"macs\": 2},\n"
        "    {\"name\": \"f\", \"op\": \"Cast\", \"inputs\": [{\"name\": \"i\"}], \"outputs\": [\n"
        "        {\"name\": \"f\", \"type\": \"float32\", \"shape\": [1, 1, 2]}], \"attributes\": {\"to\": "
        "\"float32\"}, "
        "\"macs\": 0}]}");
    vta_string_free(text), vta_string_free(json);
    vtac_graph_destroy(g);
}

static void check_tensor(const vtac_graph_tensor *t, const char *name, uint8_t code, uint8_t bits, int32_t ndim,
                         int64_t last, size_t tensor_bytes) {
    assert_string_equal(t->name, name);
    assert_true(t->type.code == code && t->type.bits == bits && t->type.lanes == 1);
    assert_int_equal(t->ndim, ndim);
    assert_int_equal(t->shape[ndim - 1], last);
    assert_int_equal(t->bytes, tensor_bytes);
}

TEST_CASE(test_parts) {
    vtac_graph *g = parse(NULL);
    vtac_graph_tensor t = {.size = sizeof t};
    vtac_graph_node n = {.size = sizeof n};
    assert_string_equal(vtac_graph_name(g), "small");
    assert_int_equal(vtac_graph_input_count(g), 2);
    assert_int_equal(vtac_graph_output_count(g), 3);
    assert_int_equal(vtac_graph_node_count(g), 5);
    assert_int_equal(vtac_graph_macs(g), 6);
    assert_int_equal(vtac_graph_parameters(g), 4);
    assert_int_equal(vtac_graph_input(g, 1, &t), VTA_OK);
    check_tensor(&t, "q", kDLUInt, 8, 3, 2, 2);
    assert_int_equal(vtac_graph_output(g, 1, &t), VTA_OK);
    check_tensor(&t, "f", kDLFloat, 32, 3, 2, 8);
    assert_int_equal(vtac_graph_node_get(g, 3, &n), VTA_OK);
    check_tensor(&n.output, "i", kDLInt, 32, 3, 2, 8);
    assert_true(!strcmp(n.name, "i") && !strcmp(n.op, "ConvInteger") && n.macs == 2);
    assert_int_equal(vtac_graph_input(g, 2, &t), VTA_OUT_OF_RANGE);
    assert_true(!t.name && !t.shape && !t.bytes && t.size == sizeof t);
    assert_int_equal(vtac_graph_output(g, 0, &t), VTA_OK);
    assert_int_equal(vtac_graph_output(g, 3, &t), VTA_OUT_OF_RANGE);
    assert_null(t.name);
    assert_int_equal(vtac_graph_node_get(g, 5, &n), VTA_OUT_OF_RANGE);
    assert_true(!n.name && !n.op && !n.output.name && n.size == sizeof n);
    assert_int_equal(vtac_graph_input(g, 0, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_graph_output(g, 0, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_graph_node_get(g, 0, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_graph_find_input(g, "q"), 1);
    assert_int_equal(vtac_graph_find_output(g, "f"), 1);
    assert_int_equal(vtac_graph_find_input(g, "x"), 0);
    assert_int_equal(vtac_graph_find_output(g, "r"), 0);
    assert_true(vtac_graph_find_input(g, "f") == SIZE_MAX && vtac_graph_find_output(g, "c") == SIZE_MAX);
    assert_true(vtac_graph_find_input(g, NULL) == SIZE_MAX && vtac_graph_find_output(g, NULL) == SIZE_MAX);
    vtac_graph_destroy(g);
    vtac_graph_destroy(NULL);
}

/* ---- Loading ---- */

static const char *const passes[] = {"RemoveIdentity", "FoldConstants", "FoldBatchNorm", "Decompose",
                                     "HoistLimits",    "SinkReshapes",  "RemoveDead"};
enum { PASSES = sizeof passes / sizeof *passes };

typedef struct heard {
    size_t count;
    uint64_t nanoseconds;
} heard;

/* Only the last pass finds something to do: a node that nothing needs. */
static void hear(void *user, const vtac_graph_event *e) {
    heard *h = user;
    assert_int_equal(e->size, sizeof *e);
    assert_string_equal(e->name, passes[h->count++]);
    assert_int_equal(e->changed, h->count == PASSES);
    assert_int_equal(strstr(e->text, "unused: ") == NULL, h->count == PASSES);
    h->nanoseconds += e->nanoseconds;
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

TEST_CASE(test_passes) {
    heard h = {0};
    vtac_graph_pass p = {.size = sizeof p};
    uint64_t since = now();
    vtac_graph_destroy(parse(&(vtac_graph_options){.after = hear, .user = &h}));
    assert_int_equal(h.count, PASSES);
    assert_true(h.nanoseconds > 0 && h.nanoseconds <= now() - since);
    for (size_t i = 0; i < PASSES; i++) {
        assert_int_equal(vtac_graph_pass_get(i, &p), VTA_OK);
        assert_string_equal(p.name, passes[i]);
        assert_true(*p.does && *p.reason);
    }
    assert_int_equal(vtac_graph_pass_get(PASSES, &p), VTA_OUT_OF_RANGE);
    assert_true(!p.name && !p.does && !p.reason);
    assert_int_equal(vtac_graph_pass_get(0, NULL), VTA_INVALID_ARGUMENT);
    vtac_graph *g = parse(&(vtac_graph_options){.as_read = true, .after = hear, .user = &h});
    assert_int_equal(vtac_graph_node_count(g), 6);
    assert_int_equal(h.count, PASSES);
    vtac_graph_destroy(g);
}

static void is_refused(const vtac_graph_options *options, vta_status status, const char *message) {
    vtac_graph *g = (vtac_graph *)bytes;
    vta_diag_clear(diag);
    assert_int_equal(vtac_graph_parse(bytes, size, "small.onnx", NULL, options, NULL, diag, &g), status);
    assert_null(g);
    assert_string_equal(vta_diag_text(diag), message);
    g = (vtac_graph *)bytes;
    vta_diag_clear(diag);
    assert_int_equal(vtac_graph_load("small.onnx", options, NULL, diag, &g), status);
    assert_null(g);
    assert_string_equal(vta_diag_text(diag), message);
}

TEST_CASE(test_options) {
    vtac_graph_tensor t = {0};
    const char *const shapes[] = {"x=3,2,1,2"};
    is_refused(&(vtac_graph_options){.batch = -1}, VTA_OUT_OF_RANGE, "error: batch is -1");
    is_refused(&(vtac_graph_options){.shape_count = 1}, VTA_INVALID_ARGUMENT, "error: shapes is NULL");
    for (int i = 0; i < 2; i++) {
        vtac_graph *g =
            parse(i ? &(vtac_graph_options){.batch = 3} : &(vtac_graph_options){.shapes = shapes, .shape_count = 1});
        assert_int_equal(vtac_graph_input(g, 0, &t), VTA_OK);
        assert_int_equal(t.shape[0], 3);
        vtac_graph_destroy(g);
    }
}

TEST_CASE(test_arguments) {
    vtac_graph *g;
    assert_int_equal(vtac_graph_parse(NULL, size, "m", NULL, NULL, NULL, NULL, &g), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_graph_parse(bytes, size, NULL, NULL, NULL, NULL, NULL, &g), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_graph_parse(bytes, size, "m", NULL, NULL, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_graph_load(NULL, NULL, NULL, NULL, &g), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_graph_load("m", NULL, NULL, NULL, NULL), VTA_INVALID_ARGUMENT);
    g = (vtac_graph *)bytes;
    assert_int_equal(vtac_graph_parse(bytes, size - 1, "m", NULL, NULL, NULL, NULL, &g), VTA_PARSE);
    assert_null(g);
}

/* ---- Files ---- */

static void put(const char *path, const void *data, size_t count) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, count, f), count);
    fclose(f);
}

/* A model whose only tensor lies beside it. */
static void put_model(const char *path) {
    making m;
    size_t count;
    make_model(&m, 13);
    Onnx__TensorProto *t = MAKE_FLOATS(&m, "t", "2", 0, 0);
    Onnx__StringStringEntryProto *e = make_room(1, sizeof *e);
    onnx__string_string_entry_proto__init(e);
    e->key = make_text("location"), e->value = make_text("t.bin");
    t->has_raw_data = 0, t->has_data_location = 1, t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    t->external_data = make_room(1, sizeof *t->external_data);
    t->external_data[t->n_external_data++] = e;
    make_output(&m, "t");
    uint8_t *model = make_bytes(&m, &count);
    put(path, model, count);
    free(model);
}

static vta_status load(const char *path, size_t room, check_allocator *a) {
    vtac_graph *g = (vtac_graph *)bytes;
    check_allocator_init(a, room);
    vta_diag_clear(diag);
    vta_status status = vtac_graph_load(path, NULL, &a->allocator, diag, &g);
    assert_int_equal(g == NULL, status != VTA_OK);
    if (status == VTA_OK) {
        char *text = vtac_graph_print(g);
        assert_string_equal(text, "graph made\noutput t: float32[2] = const t float32[2]{1,2}\n");
        vta_string_free(text);
    }
    vtac_graph_destroy(g);
    assert_int_equal(a->live, 0);
    return status;
}

TEST_CASE(test_files) {
    static char folder[] = "/tmp/test_model_XXXXXX";
    const float data[] = {1, 2};
    char path[64], before[4096];
    check_allocator a;
    assert_non_null(mkdtemp(folder));
    assert_non_null(getcwd(before, sizeof before));
    snprintf(path, sizeof path, "%s/m.onnx", folder);
    put_model(path);
    assert_int_equal(load(path, SIZE_MAX, &a), VTA_NOT_FOUND); /* t.bin */
    assert_int_equal(chdir(folder), 0);
    put("t.bin", data, sizeof data);
    assert_int_equal(load("m.onnx", SIZE_MAX, &a), VTA_OK);
    assert_int_equal(load("./m.onnx", SIZE_MAX, &a), VTA_OK);
    assert_int_equal(load("missing.onnx", SIZE_MAX, &a), VTA_NOT_FOUND);
    assert_int_equal(chdir("/"), 0);
    vta_status status = VTA_NO_MEMORY;
    for (size_t room = 0; status == VTA_NO_MEMORY; room++) {
        status = load(path, room, &a);
        assert_int_equal(a.failed, status != VTA_OK);
    }
    assert_int_equal(status, VTA_OK);
    assert_int_equal(chdir(folder), 0);
    unlink("m.onnx"), unlink("t.bin");
    assert_int_equal(chdir(before), 0);
    rmdir(folder);
}

/* ---- The evaluator ---- */

/* c = 2 x0 - x1, where it is negative a quarter of it, twice; f = q * (3 - 1). */
static const float x[] = {1, 4, 3, 5};
static const uint8_t q[] = {5, 1};
static const float r[] = {-0.25f, 3, -0.25f, 3}, f[] = {10, 2};

static void check_outputs(const vtac_evaluator *e) {
    assert_memory_equal(vtac_evaluator_output(e, 0), r, sizeof r);
    assert_memory_equal(vtac_evaluator_output(e, 1), f, sizeof f);
    assert_ptr_equal(vtac_evaluator_output(e, 2), x);
    assert_null(vtac_evaluator_output(e, 3));
}

TEST_CASE(test_evaluator) {
    vtac_graph *g = parse(NULL);
    for (int keep = 0; keep < 2; keep++) {
        vtac_evaluator *e;
        assert_int_equal(vtac_evaluator_create(g, &(vtac_evaluator_options){.keep = keep}, NULL, diag, &e), VTA_OK);
        assert_null(vtac_evaluator_output(e, 0));
        assert_null(vtac_evaluator_node(e, 0));
        for (int time = 0; time < 2; time++) { /* the second run begins as the first */
            assert_int_equal(vtac_evaluator_run(e, (const void *[]){x, q}, diag), VTA_OK);
            check_outputs(e);
            /* kept: 8 + 8 + 16 + 8 + 8; else the outputs, 16 + 8, with the 8 of what the last node reads */
            assert_int_equal(vtac_evaluator_peak(e), keep ? 48 : 32);
            assert_int_equal(vtac_evaluator_node(e, 0) != NULL, keep);
            assert_ptr_equal(vtac_evaluator_node(e, 2), vtac_evaluator_output(e, 0));
            assert_null(vtac_evaluator_node(e, 5));
        }
        if (keep) assert_memory_equal(vtac_evaluator_node(e, 3), ((const int32_t[]){10, 2}), 8);
        assert_int_equal(vtac_evaluator_run(e, NULL, diag), VTA_INVALID_ARGUMENT);
        check_outputs(e);
        vta_diag_clear(diag);
        assert_int_equal(vtac_evaluator_run(e, (const void *[]){x, NULL}, diag), VTA_INVALID_ARGUMENT);
        assert_string_equal(vta_diag_text(diag), "error: input q is not given");
        assert_null(vtac_evaluator_output(e, 0));
        assert_null(vtac_evaluator_output(e, 2));
        vtac_evaluator_destroy(e);
    }
    vtac_evaluator *e = (vtac_evaluator *)g;
    assert_int_equal(vtac_evaluator_create(NULL, NULL, NULL, diag, &e), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_evaluator_create(g, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_evaluator_run(NULL, (const void *[]){x, q}, diag), VTA_INVALID_ARGUMENT);
    vtac_evaluator_destroy(NULL);
    vtac_graph_destroy(g);
}

static vta_status evaluate(const vtac_graph *g, const vta_allocator *a) {
    vtac_evaluator *e = (vtac_evaluator *)bytes;
    vta_status status = vtac_evaluator_create(g, NULL, a, diag, &e);
    assert_int_equal(e == NULL, status != VTA_OK);
    if (status == VTA_OK) status = vtac_evaluator_run(e, (const void *[]){x, q}, diag);
    if (status == VTA_OK)
        check_outputs(e);
    else if (e)
        assert_null(vtac_evaluator_output(e, 0));
    vtac_evaluator_destroy(e);
    return status;
}

TEST_CASE(test_no_memory) {
    vta_status status = VTA_NO_MEMORY;
    for (size_t room = 0; status == VTA_NO_MEMORY; room++) {
        check_allocator a;
        vtac_graph *g = (vtac_graph *)bytes;
        check_allocator_init(&a, room);
        status = vtac_graph_parse(bytes, size, "small.onnx", NULL, NULL, &a.allocator, diag, &g);
        assert_int_equal(g == NULL, status != VTA_OK);
        if (status == VTA_OK) status = evaluate(g, &a.allocator);
        assert_int_equal(a.failed, status != VTA_OK);
        vtac_graph_destroy(g);
        assert_int_equal(a.live, 0);
    }
    assert_int_equal(status, VTA_OK);
}

int main(void) { return run_cases_between(setup, teardown); }
