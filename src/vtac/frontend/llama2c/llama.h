/* What the files of src/vtac/frontend/llama2c share: a Llama on its way to ONNX. */
#ifndef VT_LLAMA2C_LLAMA_H
#define VT_LLAMA2C_LLAMA_H

#include "frontend/llama2c/checkpoint.h"
#include "frontend/onnx/write.h"

typedef struct vt_llama_writer {
    const vt_llama2c *c;
    vt_onnx_writer w;
    int64_t tokens; /* of a run; -1: open */
    bool modern;    /* operator set 23 */
} vt_llama_writer;

/* The name of a weight: "model.layers.LAYER.NAME". */
const char *vt__llama_name(vt_llama_writer *l, int64_t layer, const char *name);
/* Inputs, outputs, the constants that all layers use, and which keys each token sees. */
void vt__llama_begin(vt_llama_writer *l);
/* Attention from queries, keys and values side by side, [tokens, dim + 2 * kv_dim], to [tokens, dim]; the keys and
 * values of all tokens are outputs of the model. Of operator set 17, and of 23. */
const char *vt__llama_attention(vt_llama_writer *l, int64_t layer, const char *qkv);
const char *vt__llama_attention_modern(vt_llama_writer *l, int64_t layer, const char *qkv);

#endif
