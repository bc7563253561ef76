/* What a model's file says of how pictures become its input: metadata of ONNX and of TFLite. */
#include <stdlib.h>
#include <string.h>

#include "c_float.h"

static const char *property(const vtac_graph *graph, const char *key) {
    const char *name, *value;
    for (size_t i = 0; (name = vtac_graph_property(graph, i, &value)); i++)
        if (!strcmp(name, key)) return value;
    return NULL;
}

static vta_status use_preset(cli_pictures *p, const char *preset) {
    vta_status status = vta_preprocess_preset(preset, cli_diag(), &p->how);
    p->is_said = p->is_known = status == VTA_OK;
    return status;
}

/* The range and the order of channels as ONNX's own metadata name them ("Image.NominalPixelRange" and others). */
static vta_status use_ranges(cli_pictures *p, const vtac_graph *graph) {
    static const struct {
        const char *word, *preset;
    } ranges[] = {{"NominalRange_0_255", "raw"}, {"Normalized_0_1", "unit"}, {"Normalized_1_1", "signed"}};
    const char *range = property(graph, "Image.NominalPixelRange"), *order = property(graph, "Image.BitmapPixelFormat");
    for (size_t i = 0; range && i < sizeof ranges / sizeof *ranges; i++) {
        if (strcmp(range, ranges[i].word) != 0) continue;
        vta_status status = use_preset(p, ranges[i].preset);
        if (order && !strncmp(order, "Bgr", 3)) p->how.bgr = true;
        return status;
    }
    return VTA_OK;
}

/* (value - mean) / std of values 0 to 255, as TFLite's metadata have it. */
static vta_status use_normalization(cli_pictures *p, const vtac_graph *graph) {
    const char *mean = property(graph, "input.mean"), *std = property(graph, "input.std");
    if (!mean || !std) return VTA_OK;
    vta_status status = use_preset(p, "raw");
    if (status == VTA_OK) status = cli_pictures_triple("input.mean", mean, p->how.mean);
    if (status == VTA_OK) status = cli_pictures_triple("input.std", std, p->how.std);
    return status;
}

/* Exports of Ultralytics say what they are for, not how: that is always the same. */
static vta_status use_task(cli_pictures *p, const vtac_graph *graph) {
    const char *task = property(graph, "task"), *size = property(graph, "imgsz");
    if (!task || !size || !property(graph, "stride") || !property(graph, "names")) return VTA_OK;
    if (strcmp(task, "classify") != 0) return use_preset(p, "yolo");
    vta_status status = use_preset(p, "unit");
    p->how.resize = p->how.crop = (uint32_t)strtoul(size + strcspn(size, "0123456789"), NULL, 10);
    return status;
}

/* What a quantized input can be is not what it must be, but nearly always: a proposal. */
static void propose(cli_pictures *p, const vtac_graph *graph) {
    const char *range = property(graph, "input.range");
    double low, high;
    if (!range || sscanf(range, "%lf,%lf", &low, &high) != 2) return;
    if (low > -2 && low < 2 && high > 250 && high < 260) p->likely = "raw";
    if (low > -0.02 && low < 0.02 && high > 0.95 && high < 1.05) p->likely = "unit";
    if (low > -1.05 && low < -0.95 && high > 0.95 && high < 1.05) p->likely = "signed";
}

vta_status cli_pictures_of_graph(cli_pictures *p, const vtac_graph *graph) {
    const char *own = property(graph, "vta.picture");
    vta_status status = VTA_OK;
    propose(p, graph);
    if (p->is_said) return VTA_OK;
    if (own) status = cli_pictures_take(p, own);
    if (status == VTA_OK && !p->is_said) status = use_normalization(p, graph);
    if (status == VTA_OK && !p->is_said) status = use_ranges(p, graph);
    if (status == VTA_OK && !p->is_said) status = use_task(p, graph);
    return status == VTA_OK && p->is_said ? cli_pictures_apply(p) : status;
}

vta_status cli_pictures_need_graph(const cli_pictures *p, const vtac_graph *graph) {
    vtac_graph_tensor in = {.size = sizeof in}, out = {.size = sizeof out};
    if (vtac_graph_input(graph, 0, &in) != VTA_OK || in.ndim != 4) return VTA_OK;
    bool one = vtac_graph_output_count(graph) == 1 && vtac_graph_output(graph, 0, &out) == VTA_OK;
    return cli_pictures_need(p, in.shape, one ? out.bytes / sizeof(float) : 0);
}
