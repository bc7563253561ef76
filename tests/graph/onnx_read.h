/* Reading models that are made here: what they become, or why they are refused. */
#ifndef TESTS_GRAPH_ONNX_READ_H
#define TESTS_GRAPH_ONNX_READ_H

#include "build.h"

#include "frontend/onnx/onnx.h"
#include "frontend/pass/pass.h"
#include "onnx_make.h"

#define F32 ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
#define I8 ONNX__TENSOR_PROTO__DATA_TYPE__INT8
#define U8 ONNX__TENSOR_PROTO__DATA_TYPE__UINT8

typedef struct reading {
    const making *m;
    vt_onnx_options options;
    bool passes;
    const char *text; /* of the graph */
} reading;

static inline vta_status read_model(vt_ctx *ctx, void *arg) {
    reading *r = arg;
    size_t size;
    uint8_t *bytes = make_bytes(r->m, &size), *kept = vt_new_bytes(ctx, size);
    memcpy(kept, bytes, size);
    free(bytes);
    const vt_graph *g = vt_onnx_read(ctx, kept, size, &r->options);
    if (r->passes) g = vt_graph_run_passes(g, NULL, NULL);
    r->text = vt_graph_text(g);
    return VTA_OK;
}

/* What the model becomes; the graph's text must have these words. */
static inline void becomes(const making *m, bool passes, const char *words) {
    world w;
    reading r = {.m = m, .options = {.name = "made.onnx"}, .passes = passes};
    world_open(&w);
    if (vt_protect(&w.ctx, read_model, &r) != VTA_OK) fail_msg("%s", vta_diag_text(w.diag));
    if (!strstr(r.text, words)) fail_msg("wanted: %s\n%s", words, r.text);
    world_close(&w);
}

static inline void is_refused(const making *m, const vt_onnx_options *options, vta_status status, const char *words) {
    world w;
    reading r = {.m = m, .options = {.name = "made.onnx"}};
    if (options) r.options = *options;
    world_open(&w);
    vta_status got = vt_protect(&w.ctx, read_model, &r);
    if (got != status || !strstr(vta_diag_text(w.diag), words))
        fail_msg("wanted: %s\n%d, %s", words, (int)got, got ? vta_diag_text(w.diag) : r.text);
    world_close(&w);
}

/* With the whole of the message. */
static inline void refuses(const making *m, const vt_onnx_options *options, vta_status status, const char *message) {
    world w;
    reading r = {.m = m, .options = options ? *options : (vt_onnx_options){.name = "made.onnx"}};
    world_open(&w);
    vta_status got = vt_protect(&w.ctx, read_model, &r);
    if (got != status) fail_msg("wanted: %s\n%d, %s", message, (int)got, got ? vta_diag_text(w.diag) : r.text);
    assert_string_equal(vta_diag_text(w.diag), message);
    world_close(&w);
}

/* Constants that nodes may name: i_…: int64, f_…: float. */
static inline void add_constants(making *m) {
    MAKE_INTS(m, "i_0", "1", 0);
    MAKE_INTS(m, "i_1", "1", 1);
    MAKE_INTS(m, "i_2", "1", 2);
    MAKE_INTS(m, "i_m1", "1", -1);
    MAKE_INTS(m, "i_01", "2", 0, 1);
    MAKE_INTS(m, "i_12", "2", 1, 2);
    MAKE_INTS(m, "i_23", "2", 2, 3);
    MAKE_INTS(m, "i_pads", "8", 0, 0, 1, 2, 0, 0, 3, 4);
    MAKE_INTS(m, "i_sizes", "4", 1, 2, 6, 8);
    MAKE_INTS(m, "i_shape", "3", 0, -1, 2);
    MAKE_INTS(m, "i_big", "1", INT64_MAX);
    MAKE_FLOATS(m, "f_0", "", 0);
    MAKE_FLOATS(m, "f_6", "", 6);
    MAKE_FLOATS(m, "f_2", "2", 1, 2);
    MAKE_FLOATS(m, "f_scales", "4", 1, 1, 2, 1.5f);
    MAKE_FLOATS(m, "f_none", "0", 0)->raw_data.len = 0;
    make_constant(m, "w", F32, "4,2,3,3", NULL, 4 * 2 * 9 * 4);
    make_constant(m, "wt", F32, "2,4,3,3", NULL, 4 * 2 * 9 * 4);
    make_constant(m, "b1", ONNX__TENSOR_PROTO__DATA_TYPE__BOOL, "", "\1", 1);
}

#endif
