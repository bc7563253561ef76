/* Any bytes as a model, ONNX or TFLite: refused with a message, or a graph that is well formed after every pass,
 * prints, and evaluates if it is small. Memory is limited, so that a model of a few bytes cannot ask for much. */
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "vta/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES ((size_t)1 << 26)

static void *resize(void *used, void *p, size_t old_size, size_t new_size) {
    size_t *bytes = used;
    if (new_size > old_size && new_size - old_size > MAX_BYTES - *bytes) return NULL;
    void *block = vt_allocator_libc.resize(NULL, p, old_size, new_size);
    if (block || !new_size) *bytes = *bytes - old_size + new_size;
    return block;
}

static bool is_small(const vtac_graph *g) {
    vtac_graph_node n = {0};
    size_t bytes = 0;
    for (size_t i = 0; vtac_graph_node_get(g, i, &n) == VTA_OK; i++) bytes += n.output.bytes;
    return vtac_graph_macs(g) < 1000000 && bytes < 1000000;
}

/* On zeros. */
static void evaluate(const vtac_graph *g, const vta_allocator *a, vta_diag *diag) {
    enum { INPUTS = 8, BYTES = 1 << 16 };
    static uint64_t zeros[BYTES / 8];
    const void *inputs[INPUTS];
    vtac_graph_tensor t = {0};
    vtac_evaluator *e;
    if (vtac_graph_input_count(g) > INPUTS) return;
    for (size_t i = 0; vtac_graph_input(g, i, &t) == VTA_OK; i++) {
        if (t.bytes > BYTES) return;
        inputs[i] = zeros;
    }
    if (vtac_evaluator_create(g, NULL, a, diag, &e) != VTA_OK) return;
    if (vtac_evaluator_run(e, inputs, diag) == VTA_INTERNAL) abort();
    vtac_evaluator_destroy(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t used = 0;
    vta_allocator a = {resize, &used};
    vta_diag *diag = vta_diag_create(NULL);
    vtac_graph *g;
    vta_status status = vtac_graph_parse(data, size, "fuzz.onnx", NULL, NULL, &a, diag, &g);
    if (status == VTA_INTERNAL || (status == VTA_OK) != (g != NULL)) abort();
    if (status != VTA_OK && vta_diag_status(diag) == VTA_OK) abort(); /* an error without a message */
    if (g) {
        vta_string_free(vtac_graph_print(g));
        vta_string_free(vtac_graph_to_json(g));
        if (is_small(g)) evaluate(g, &a, diag);
    }
    vtac_graph_destroy(g);
    vta_diag_destroy(diag);
    if (used) abort(); /* something was not freed */
    return 0;
}
