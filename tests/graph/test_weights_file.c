/* Files whose large weights are read to where they stay: they give what the same bytes give that are read whole from
 * memory, and damaged ones the same message. */
#include <unistd.h>

#include "frontend/model/model.h"
#include "frontend/onnx/onnx.h"
#include "graph/onnx_make.h"
#include "support/check.h"
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

/* Both ways: what came out, and what was said. */
static vta_status compare(const uint8_t *bytes, size_t size) {
    vtac_graph *a, *b;
    char said[2048];
    const vtac_graph_options options = {.as_read = true};
    write_file(bytes, size);
    vta_diag_clear(diag);
    vta_status whole = vtac_graph_parse(bytes, size, path, "/tmp/", &options, NULL, diag, &a);
    snprintf(said, sizeof said, "%s", vta_diag_text(diag));
    vta_diag_clear(diag);
    vta_status parts = vtac_graph_load(path, &options, NULL, diag, &b);
    assert_int_equal(parts, whole);
    assert_string_equal(vta_diag_text(diag), said);
    if (whole == VTA_OK) same_values(a->graph, b->graph);
    vtac_graph_destroy(a);
    vtac_graph_destroy(b);
    return whole;
}

/* How many tensors of the file are read apart. */
static uint32_t apart(void) {
    vt_ctx ctx;
    vt_onnx_file file;
    vt_ctx_init(&ctx, NULL, diag);
    uint32_t count = vt_onnx_open(&ctx, path, NULL, &file) ? file.count : 0;
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
    assert_in_range(good, DAMAGES / 10, DAMAGES);
    assert_in_range(bad, DAMAGES / 10, DAMAGES);
    unlink(path);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
