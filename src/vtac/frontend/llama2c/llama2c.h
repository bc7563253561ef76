/* Checkpoints of llama2.c as ONNX models. */
#ifndef VT_LLAMA2C_LLAMA2C_H
#define VT_LLAMA2C_LLAMA2C_H

#include "frontend/llama2c/checkpoint.h"

typedef struct vt_llama2c_options {
    int64_t opset;  /* 17, or 23: with the operators of that set for normalization, rotation and attention */
    int64_t tokens; /* of a run; 0: the model leaves it open, and how many there were before */
} vt_llama2c_options;

typedef struct vt_llama2c_model {
    uint8_t *bytes; /* in the context's arena */
    size_t size;
} vt_llama2c_model;

/* The model of a checkpoint. Raises what vt_llama2c_read does, and VTA_INVALID_ARGUMENT for options that cannot be. */
vt_llama2c_model vt_llama2c_convert(vt_ctx *ctx, const void *bytes, size_t size, const char *name,
                                    const vt_llama2c_options *options);

#endif
