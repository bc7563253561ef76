/* Models of a few bytes that ask for large tensors: refused while they are read, before there is memory for any. */
#include <stdbool.h>
#include <stddef.h>

#include "support/check.h"

#include "onnx_make.h"
#include "support/sized.h"
#include "vta/graph.h"

enum { FLOAT = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, ROOM = 4 << 20 };

typedef struct account {
    size_t now, peak;
} account;

static void *resize(void *ctx, void *p, size_t old_size, size_t new_size) {
    account *a = ctx;
    a->now = a->now - old_size + new_size;
    if (a->now > a->peak) a->peak = a->now;
    if (a->now > (size_t)ROOM * 16) fail_msg("%zu bytes at once", a->now);
    return sized_resize(p, old_size, new_size);
}

typedef struct hostile {
    const char *op, *inputs, *attributes;
    int64_t list[8]; /* the constant "l", of `count` numbers */
    int count;
    bool is_taken;
} hostile;

static const hostile rows[] = {
    {"Expand", "x l", "", {1, 3, 1 << 15, 1 << 15}, 4, false},
    {"Expand", "x l", "", {1 << 20, 3, 1 << 20, 4}, 4, false},
    {"Expand", "x l", "", {50, 3, 4, 4}, 4, true},
    {"ConstantOfShape", "l", "", {1 << 15, 1 << 15}, 2, false},
    {"ConstantOfShape", "l", "", {1 << 14, 1 << 14, 2}, 3, false},
    {"ConstantOfShape", "l", "", {1 << 14, 1 << 14}, 2, true}, /* made by those who run it */
    {"Tile", "x l", "", {1, 1 << 14, 1 << 14, 1}, 4, false},
    {"Tile", "x l", "", {1, 1, 1, 1 << 30}, 4, false},
    {"Tile", "x l", "", {1, 2, 3, 4}, 4, true},
    {"Pad", "x l", "", {0, 0, 1 << 28, 0, 0, 0, 0, 0}, 8, false},
    {"Pad", "x l", "", {0, 0, 1 << 14, 1 << 14, 0, 0, 0, 0}, 8, false},
    {"Resize", "x - - l", "mode:nearest", {1, 3, 1 << 15, 1 << 14}, 4, false},
    {"Resize", "x - - l", "mode:nearest", {1, 3, 8, 8}, 4, true},
    {"Reshape", "x l", "", {1, 3, 1 << 28}, 3, false},
};

TEST_CASE(refused_at_once) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const hostile *h = &rows[i];
        account a = {0, 0};
        const vta_allocator allocator = {resize, &a};
        vta_diag *diag = vta_diag_create(NULL);
        vtac_graph *graph = NULL;
        char shape[8];
        making m;
        size_t size;
        make_model(&m, 13);
        make_input(&m, "x", FLOAT, "1,3,4,4");
        snprintf(shape, sizeof shape, "%d", h->count);
        make_constant(&m, "l", ONNX__TENSOR_PROTO__DATA_TYPE__INT64, shape, h->list,
                      (size_t)h->count * sizeof *h->list);
        make_node(&m, h->op, h->inputs, "y", h->attributes);
        make_output(&m, "y");
        uint8_t *bytes = make_bytes(&m, &size);
        vta_status status = vtac_graph_parse(bytes, size, "m", NULL, NULL, &allocator, diag, &graph);
        if ((status == VTA_OK) != h->is_taken) fail_msg("row %zu, %s: %s", i, h->op, vta_diag_text(diag));
        if (status != VTA_OK && (status == VTA_NO_MEMORY || !strstr(vta_diag_text(diag), "node y (")))
            fail_msg("row %zu: %s", i, vta_diag_text(diag));
        if (a.peak > ROOM) fail_msg("row %zu, %s: %zu bytes", i, h->op, a.peak);
        vtac_graph_destroy(graph);
        vta_diag_destroy(diag);
        free(bytes);
    }
}

int main(void) { return run_cases(); }
