/* What the public handles are: calibration and quantized networks. */
#ifndef VT_NETWORK_HANDLES_H
#define VT_NETWORK_HANDLES_H

#include "base/context.h"
#include "frontend/eval/eval.h"
#include "frontend/model/model.h"
#include "frontend/quant/given.h"
#include "frontend/quant/seen.h"
#include "vta/compile.h"

/* Samples that are kept, for rounding weights by them: so many, and so many bytes. */
enum { MAX_SAMPLES = 16, MAX_SAMPLE_BYTES = 128 << 20 };

/* What calibration and network share: a copy of the graph, without the nodes that quantize. */
typedef struct vt__shared {
    const vta_allocator *allocator;
    vt_ctx ctx;
    uint32_t users;
    const vt_graph *model; /* as it was given, with the nodes that quantize */
    const vt_graph *graph;
    vt_givens givens; /* values of the graph that the model has integers for */
    vt_ranges *ranges;
    bool given;
    void **samples[MAX_SAMPLES]; /* data of all inputs */
    size_t sample_count, sample_bytes;
} vt__shared;

struct vtac_calibration {
    vt__shared *shared;
    vt_eval *eval;
};

struct vtac_quantized {
    vt__shared *shared;
    const vt_qnet *net;
    const char *text;
};

/* New ranges, of the first `count` samples alone, stand in shared->ranges: whoever calls it keeps those before. */
vta_status vt__observe_first(const vtac_calibration *calibration, size_t count, vta_diag *diag);
/* vtac_quantized_create, with weights rounded by `count` samples from `first` on, where they are. */
vta_status vt__quantize_by(const vtac_calibration *calibration, const vtac_quantize_options *options, size_t first,
                           size_t count, vta_diag *diag, vtac_quantized **out_quantized);

#endif
