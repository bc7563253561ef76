/* Checkpoints of llama2.c: a header of seven numbers, then the weights of a Llama as float32, one array after the
 * other. */
#ifndef VT_LLAMA2C_CHECKPOINT_H
#define VT_LLAMA2C_CHECKPOINT_H

#include "base/context.h"

/* Weights are little-endian float32 at any address, as the file has them: rows of outputs. */
typedef struct vt_llama2c {
    int64_t dim, hidden, layers, heads, kv_heads, vocabulary, sequence;
    int64_t head_size, kv_dim;                        /* dim / heads; kv_heads * head_size */
    bool shared;                                      /* the classifier is the embedding */
    const uint8_t *embedding;                         /* vocabulary x dim */
    const uint8_t *rms_attention, *wq, *wk, *wv, *wo; /* of all layers: dim; dim x dim; kv_dim x dim twice; dim x dim */
    const uint8_t *rms_ffn, *w1, *w2, *w3;            /* dim; hidden x dim; dim x hidden; hidden x dim */
    const uint8_t *rms_final;                         /* dim */
    const uint8_t *cosines, *sines;                   /* sequence x head_size / 2 */
    const uint8_t *classifier;                        /* vocabulary x dim */
} vt_llama2c;

/* Do the bytes say that they are a checkpoint: a header of sizes that go together, and as many bytes as they ask for?
 */
bool vt_llama2c_is(const void *bytes, size_t size);
/* Finds the arrays in a checkpoint, which must live as long. Raises VTA_PARSE for what is none: which size is wrong, or
 * how many bytes there should be; VTA_UNSUPPORTED for another version of the format. */
vt_llama2c vt_llama2c_read(vt_ctx *ctx, const void *bytes, size_t size, const char *name);

/* Element i of an array. */
static inline float vt_llama2c_at(const uint8_t *array, int64_t i) {
    union {
        uint32_t bits;
        float value;
    } u;
    const uint8_t *p = array + 4 * i;
    u.bits = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return u.value;
}

#endif
