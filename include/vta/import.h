/* Checkpoints of training programs as ONNX models (docs/generate.md).
 *
 *     vtac_import_llama2c(bytes, size, "stories260K.bin", NULL, diag, &onnx, &onnx_size);
 *     vtac_graph_parse(onnx, onnx_size, "stories.onnx", NULL, NULL, NULL, diag, &graph);
 *
 * Functions may be called by any number of threads at once. */
#ifndef VTA_IMPORT_H
#define VTA_IMPORT_H

#include "vta/status.h"

VTA_BEGIN

typedef struct vtac_import_options {
    size_t size;    /* of this struct, or 0 */
    int64_t opset;  /* of the model: 17 (also for 0), or 23, which has operators for normalization and attention */
    int64_t tokens; /* of a run; 0: the model leaves that open, and how many there were before */
} vtac_import_options;

/* A checkpoint of llama2.c, of the format without a version (`size` bytes, borrowed), as an ONNX model with the inputs
 * input_ids, attention_mask and position_ids, the output logits, and the keys and values of each layer as inputs
 * past_key_values.N.key and outputs present.N.key (and .value). `name` stands for the file in messages; `options` may
 * be NULL. VTA_PARSE: it is no such checkpoint; VTA_UNSUPPORTED: one of another version. Free *out_bytes with
 * vta_string_free. */
VTA_API vta_status vtac_import_llama2c(const void *bytes, size_t size, const char *name,
                                       const vtac_import_options *options, vta_diag *diag, uint8_t **out_bytes,
                                       size_t *out_size);

VTA_END

#endif
