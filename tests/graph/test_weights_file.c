/* Files whose large weights are read to where they stay: they give what the same bytes give that are read whole from
 * memory, and damaged ones the same message. */
#include <unistd.h>

#include "base/spill.h"
#include "frontend/model/model.h"
#include "frontend/onnx/onnx.h"
#include "graph/onnx_make.h"
#include "support/check.h"
#include "support/disk.h"
#include "vta/compile.h"
#include "vta/graph.h"

enum { LARGE = 1 << 16, DAMAGES = 900, MODELS = 6 };

static check_random random_numbers = {88172645463325252u};
static int64_t pick(int64_t least, int64_t most) { return check_between(&random_numbers, least, most); }

static vta_diag *diag;
static char path[] = "/tmp/vta-weights-XXXXXX";

/* Sums of an input and weights of some sizes around the least that is read apart. */
static uint8_t *model(size_t *size) {
    making m;
    char name[24], input[24] = "x", shape[32], inputs[64];
    make_model(&m, 13);
    make_input(&m, "x", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "1");
    int count = (int)pick(1, 5);
    for (int i = 0; i < count; i++) {
        size_t n = (size_t)pick(0, 2) ? LARGE / 4 + (size_t)pick(-2, 900) : (size_t)pick(1, 40);
        float *data = make_room(n, sizeof *data);
        for (size_t k = 0; k < n; k++) data[k] = (float)pick(-1000, 1000) / 64;
        snprintf(name, sizeof name, "w%d", i);
        snprintf(shape, sizeof shape, "%zu", n);
        make_constant(&m, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, shape, data, n * sizeof *data);
        snprintf(inputs, sizeof inputs, "x %s", name);
        snprintf(input, sizeof input, "y%d", i);
        make_node(&m, "Add", inputs, input, "");
        make_output(&m, input);
    }
    return make_bytes(&m, size);
}

static void write_file(const uint8_t *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void same_values(const vt_graph *a, const vt_graph *b) {
    assert_int_equal(a->values.count, b->values.count);
    for (uint32_t i = 0; i < a->values.count; i++) {
        const vt_gvalue *x = a->values.item[i], *y = b->values.item[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(!x->data, !y->data);
        assert_int_equal((uintptr_t)x->data % 4, 0);
        if (x->data) assert_memory_equal(x->data, y->data, vt_gtype_bytes(&x->type));
    }
}

static uint32_t in_files; /* graphs with data in files of their own */

static void as_parsed(const vtac_graph *a, vta_status whole, const char *said, size_t spill_bytes) {
    vtac_graph *b;
    vta_diag_clear(diag);
    vta_status parts =
        vtac_graph_load(path, &(vtac_graph_options){.as_read = true, .spill_bytes = spill_bytes}, NULL, diag, &b);
    assert_int_equal(parts, whole);
    assert_string_equal(vta_diag_text(diag), said);
    if (whole == VTA_OK) {
        same_values(a->graph, b->graph);
        vt_spill_release(&b->ctx);
        same_values(a->graph, b->graph);
        assert_true(spill_bytes || !b->ctx.spilled);
        in_files += b->ctx.spilled != NULL;
    }
    vtac_graph_destroy(b);
}

/* Both ways: what came out, and what was said. */
static vta_status compare(const uint8_t *bytes, size_t size) {
    vtac_graph *a;
    char said[2048];
    const vtac_graph_options options = {.as_read = true};
    write_file(bytes, size);
    vta_diag_clear(diag);
    vta_status whole = vtac_graph_parse(bytes, size, path, "/tmp/", &options, NULL, diag, &a);
    snprintf(said, sizeof said, "%s", vta_diag_text(diag));
    as_parsed(a, whole, said, 0);
    as_parsed(a, whole, said, 1);
    vtac_graph_destroy(a);
    return whole;
}

/* How many tensors of the file are read apart. */
static uint32_t apart(void) {
    vt_ctx ctx;
    vt_onnx_file file;
    vt_ctx_init(&ctx, NULL, diag);
    uint32_t count = vt_onnx_open(&ctx, path, 0, NULL, &file) ? file.count : 0;
    vt_onnx_close(&file);
    vt_ctx_clear(&ctx);
    return count;
}

/* A few bytes of the messages, which are in front of the data or between them; sometimes the end is cut off. */
static uint8_t *damaged(const uint8_t *bytes, size_t *size) {
    uint8_t *copy = malloc(*size);
    memcpy(copy, bytes, *size);
    for (int64_t n = pick(1, 3); n > 0; n--) {
        size_t at = (size_t)pick(0, (int64_t)*size - 1);
        for (size_t i = 0; pick(0, 3) && i + 8 < *size; i++) { /* near a tensor's name or an operator's */
            if (memcmp(copy + (at + i) % (*size - 8), "\x0a\x02w", 2) &&
                memcmp(copy + (at + i) % (*size - 8), "Add", 3))
                continue;
            at = ((at + i) % (*size - 8) + (size_t)pick(0, 16)) % *size;
            break;
        }
        copy[at] = (uint8_t)(pick(0, 1) ? pick(0, 255) : copy[at] ^ 1u << pick(0, 7));
    }
    if (!pick(0, 5)) *size = (size_t)pick(1, (int64_t)*size);
    return copy;
}

TEST_CASE(as_from_memory) {
    uint32_t in_parts = 0, good = 0, bad = 0;
    size_t size;
    close(mkstemp(path));
    diag = vta_diag_create(NULL);
    for (int i = 0; i < MODELS; i++) {
        uint8_t *bytes = model(&size);
        assert_int_equal(compare(bytes, size), VTA_OK);
        in_parts += apart();
        uint8_t *twice = malloc(2 * size); /* two messages of protobuf one behind the other are one */
        memcpy(twice, bytes, size), memcpy(twice + size, bytes, size);
        compare(twice, 2 * size);
        free(twice);
        for (int k = 0; k < DAMAGES / MODELS; k++) {
            size_t left = size;
            uint8_t *copy = damaged(bytes, &left);
            *(compare(copy, left) == VTA_OK ? &good : &bad) += 1;
            free(copy);
        }
        free(bytes);
    }
    assert_in_range(in_parts, MODELS / 2, 5 * MODELS);
    if (check_has_disk()) assert_in_range(in_files, MODELS / 2, UINT32_MAX);
    assert_in_range(good, DAMAGES / 10, DAMAGES);
    assert_in_range(bad, DAMAGES / 10, DAMAGES);
    unlink(path);
    vta_diag_destroy(diag);
}

/* ---- From the file to integers ---------------------------------------------------------------------------------- */

/* Two products with a weight of 256 kB each. */
static uint8_t *network(size_t *size) {
    making m;
    const char *const names[] = {"a", "b"};
    make_model(&m, 13);
    make_input(&m, "x", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "3,256");
    for (int i = 0; i < 2; i++) {
        float *data = make_room(256 * 256, sizeof *data);
        for (size_t k = 0; k < 256 * 256; k++) data[k] = (float)pick(-1000, 1000) / 4096;
        make_constant(&m, names[i], ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "256,256", data, 256 * 256 * sizeof *data);
    }
    make_node(&m, "MatMul", "x a", "h", "");
    make_node(&m, "Relu", "h", "r", "");
    make_node(&m, "MatMul", "r b", "y", "");
    make_output(&m, "y");
    return make_bytes(&m, size);
}

typedef struct compiled {
    float out[3 * 256];
    uint8_t *bytes;
    size_t size;
} compiled;

static void good(vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(diag));
}

static compiled compile(size_t spill_bytes, const float *x, bool equalize) {
    vtac_graph *g;
    vtac_evaluator *e;
    vtac_calibration *c;
    vtac_quantized *q;
    compiled out;
    vtac_quantize_options options = {.equalize = equalize};
    good(vtac_graph_load(path, &(vtac_graph_options){.spill_bytes = spill_bytes}, NULL, diag, &g));
    assert_true((g->ctx.spilled != NULL) == (spill_bytes == 1 && check_has_disk()));
    good(vtac_evaluator_create(g, NULL, NULL, diag, &e));
    good(vtac_evaluator_run(e, (const void *[]){x}, diag));
    memcpy(out.out, vtac_evaluator_output(e, 0), sizeof out.out);
    vtac_evaluator_destroy(e);
    good(vtac_calibration_create(g, NULL, diag, &c));
    good(vtac_calibration_observe(c, (const void *[]){x}, diag));
    good(vtac_quantized_create(c, &options, diag, &q));
    vtac_quantized_drop_floats(q, g);
    assert_null(g->ctx.spilled);
    good(vtac_quantized_compile(q, NULL, NULL, diag, &out.bytes, &out.size, NULL));
    vtac_quantized_destroy(q);
    vtac_calibration_destroy(c);
    vtac_graph_destroy(g);
    return out;
}

TEST_CASE(compiled_from_files) {
    size_t size;
    float x[3 * 256];
    close(mkstemp(strcpy(path, "/tmp/vta-weights-XXXXXX")));
    diag = vta_diag_create(NULL);
    uint8_t *bytes = network(&size);
    write_file(bytes, size);
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) x[i] = (float)pick(-1000, 1000) / 512;
    for (int equalize = 0; equalize < 2; equalize++) {
        compiled a = compile(SIZE_MAX, x, equalize), b = compile(1, x, equalize);
        assert_memory_equal(a.out, b.out, sizeof a.out);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.bytes, b.bytes, a.size);
        vta_string_free((char *)a.bytes);
        vta_string_free((char *)b.bytes);
    }
    free(bytes);
    unlink(path);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
