/* Models from files and from memory. */
#include <string.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/versioned.h"
#include "frontend/llama2c/llama2c.h"
#include "frontend/model/model.h"
#include "frontend/onnx/onnx.h"
#include "frontend/pass/pass.h"
#include "frontend/tflite/tflite.h"

#define MAX_BYTES ((size_t)1 << 31) /* protobuf has no larger messages */

typedef struct loading {
    vtac_graph *graph;
    const void *bytes;
    size_t size;
    char *own;        /* the same, to be freed when they are read; NULL: they are the caller's */
    const char *path; /* of a file that is not read yet; NULL: the bytes are there */
    vt_onnx_file file;
    vt_onnx_options onnx;
    vtac_graph_options options;
    uint64_t since;
} loading;

static void report(void *user, const vt_graph_pass_info *pass, const vt_graph *g, bool changed) {
    loading *l = user;
    vtac_graph_event e = {sizeof e, pass->name, changed, vt_now_ns() - l->since, vt_graph_text(g)};
    l->options.after(l->options.user, &e);
    l->since = vt_now_ns();
}

static void free_bytes(loading *l) {
    vt_free(l->graph->allocator, l->own, l->size + 1);
    l->own = NULL;
    vt_onnx_close(&l->file);
}

/* The format is known by the bytes, whatever the file is called. */
static const vt_graph *read_any(vt_ctx *ctx, const loading *l) {
    const vt_tflite_options tflite = {l->onnx.name, l->onnx.batch, l->onnx.shape_count};
    if (vt_llama2c_is(l->bytes, l->size)) {
        vt_llama2c_model m = vt_llama2c_convert(ctx, l->bytes, l->size, l->onnx.name, &(vt_llama2c_options){0});
        return vt_onnx_read(ctx, m.bytes, m.size, &l->onnx);
    }
    return vt_tflite_is(l->bytes, l->size) ? vt_tflite_read(ctx, l->bytes, l->size, &tflite)
                                           : vt_onnx_read(ctx, l->bytes, l->size, &l->onnx);
}

/* A file of ONNX with large weights in parts, any other one whole. */
static const vt_graph *read_file(vt_ctx *ctx, loading *l) {
    if (vt_onnx_open(ctx, l->path, l->onnx.spill_bytes, l->graph->allocator, &l->file)) {
        l->onnx.file = &l->file;
        return vt_onnx_read(ctx, vt_strbuf_text(&l->file.message), l->file.message.size, &l->onnx);
    }
    vta_status status = vt_file_read(l->graph->allocator, l->path, MAX_BYTES, ctx->diag, &l->own, &l->size);
    if (status != VTA_OK) vt_leave(ctx, status);
    l->bytes = l->own;
    return read_any(ctx, l);
}

static vta_status load(vt_ctx *ctx, void *arg) {
    loading *l = arg;
    l->graph->graph = l->path ? read_file(ctx, l) : read_any(ctx, l);
    l->graph->properties = l->graph->graph->properties;
    l->graph->property_count = l->graph->graph->property_count;
    free_bytes(l);
    l->since = vt_now_ns();
    if (!l->options.as_read)
        l->graph->graph = vt_graph_run_passes(l->graph->graph, l->options.after ? report : NULL, l);
    l->graph->parameters = vt_graph_parameters(l->graph->graph);
    return VTA_OK;
}

static vta_status run(loading *l, const vta_allocator *allocator, vta_diag *diag, vtac_graph **out_graph) {
    vtac_graph *g = l->graph = vt_alloc_zero(allocator, sizeof *g);
    if (!g) return vt_no_memory(diag);
    g->allocator = allocator;
    vt_ctx_init(&g->ctx, allocator, diag);
    vta_status status = vt_protect(&g->ctx, load, l);
    free_bytes(l);
    g->ctx.diag = NULL;
    if (status != VTA_OK) {
        vtac_graph_destroy(g);
        return status;
    }
    *out_graph = g;
    return VTA_OK;
}

static vta_status set_options(loading *l, const vtac_graph_options *options, vta_diag *diag) {
    VT_TRY(vt_options_read(&l->options, sizeof l->options, options, "vtac_graph_options", diag));
    if (l->options.batch < 0) return vt_fail(diag, VTA_OUT_OF_RANGE, "batch is %lld", (long long)l->options.batch);
    if (l->options.shape_count && !l->options.shapes) return vt_fail(diag, VTA_INVALID_ARGUMENT, "shapes is NULL");
    if (l->options.tokens < 0 || l->options.context < 0)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "tokens are %lld, context is %lld", (long long)l->options.tokens,
                       (long long)l->options.context);
    l->onnx.batch = l->options.batch;
    l->onnx.tokens = l->options.tokens;
    l->onnx.context = l->options.context;
    l->onnx.spill_bytes = l->options.spill_bytes;
    l->onnx.shapes = l->options.shapes;
    l->onnx.shape_count = l->options.shape_count;
    return VTA_OK;
}

vta_status vtac_graph_parse(const void *bytes, size_t size, const char *name, const char *folder,
                            const vtac_graph_options *options, const vta_allocator *allocator, vta_diag *diag,
                            vtac_graph **out_graph) {
    loading l = {.bytes = bytes, .size = size, .onnx = {.name = name, .folder = folder}};
    if (!bytes || !name || !out_graph) return vt_fail(diag, VTA_INVALID_ARGUMENT, "bytes, name or out_graph is NULL");
    *out_graph = NULL;
    VT_TRY(set_options(&l, options, diag));
    return run(&l, allocator, diag, out_graph);
}

/* The folder of a path, in a block of the path's size and 2. */
static char *folder_of(const vta_allocator *a, const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = vt_alloc_zero(a, strlen(path) + 2);
    if (folder) memcpy(folder, slash ? path : ".", slash ? (size_t)(slash - path) + 1 : 1);
    return folder;
}

vta_status vtac_graph_load(const char *path, const vtac_graph_options *options, const vta_allocator *allocator,
                           vta_diag *diag, vtac_graph **out_graph) {
    loading l = {.path = path, .onnx = {.name = path}};
    if (!path || !out_graph) return vt_fail(diag, VTA_INVALID_ARGUMENT, "path or out_graph is NULL");
    *out_graph = NULL;
    VT_TRY(set_options(&l, options, diag));
    char *folder = folder_of(allocator, path);
    if (!folder) return vt_no_memory(diag);
    l.onnx.folder = folder;
    vta_status status = run(&l, allocator, diag, out_graph);
    vt_free(allocator, folder, strlen(path) + 2);
    return status;
}

void vtac_graph_destroy(vtac_graph *graph) {
    if (!graph) return;
    vt_ctx_clear(&graph->ctx);
    vt_free(graph->allocator, graph, sizeof *graph);
}

vta_status vtac_graph_pass_get(size_t index, vtac_graph_pass *out_pass) {
    static const vtac_graph_pass none;
    if (!out_pass) return VTA_INVALID_ARGUMENT;
    vtac_graph_pass own = none;
    const vt_graph_pass_info *p = index < vt_graph_pass_count ? &vt_graph_passes[index] : NULL;
    if (p) own = (vtac_graph_pass){.name = p->name, .does = p->does, .reason = p->reason};
    vt_result_write(out_pass, &own, sizeof own);
    return p ? VTA_OK : VTA_OUT_OF_RANGE;
}
