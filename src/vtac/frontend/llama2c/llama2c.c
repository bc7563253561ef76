/* From a checkpoint to a model: token numbers in, scores of the next token out, with the keys and values of what came
 * before as inputs and outputs, named as exporters name them.
 *
 * Rows of the hidden state are tokens: [tokens, dim]. What a normalization multiplies with is a part of the weights
 * behind it, and so is the root of the head's size; products of one input are one product. */
#include "frontend/llama2c/llama2c.h"

#include <math.h>
#include <string.h>

#include "frontend/llama2c/llama.h"

enum { OLDEST = 17, MIDDLE = 23, CONTEXT_MAX = 1 << 20 };

/* ---- Weights ---- */

/* Writes the transposed rows of an array, each column times its factor of `gains` (NULL: 1) and `factor`, into columns
 * of `to` that begin at `first` of `width`. */
static void put_columns(float *to, int64_t width, int64_t first, const uint8_t *rows, int64_t row_count, int64_t length,
                        const uint8_t *gains, float factor) {
    for (int64_t r = 0; r < row_count; r++)
        for (int64_t i = 0; i < length; i++) {
            float gain = gains ? vt_llama2c_at(gains, i) : 1;
            to[i * width + first + r] = vt_llama2c_at(rows, r * length + i) * gain * factor;
        }
}

/* Elements of a head that turn together are neighbours in the file; here the first ones of all pairs come first. */
static void put_heads(float *to, int64_t width, int64_t first, const uint8_t *rows, int64_t heads, int64_t size,
                      int64_t length, const uint8_t *gains, float factor) {
    for (int64_t h = 0; h < heads; h++)
        for (int64_t e = 0; e < size; e++) {
            int64_t from = h * size + (e < size / 2 ? 2 * e : 2 * (e - size / 2) + 1);
            put_columns(to, width, first + h * size + e, rows + 4 * from * length, 1, length, gains, factor);
        }
}

static const uint8_t *part(const uint8_t *array, int64_t layer, int64_t count) { return array + 4 * layer * count; }

/* Queries, keys and values of a layer, side by side. */
static const char *attention_weights(vt_llama_writer *l, int64_t layer) {
    const vt_llama2c *c = l->c;
    const char *name = vt__llama_name(l, layer, "self_attn.qkv_proj.weight");
    int64_t dim = c->dim, kv = c->kv_dim, width = dim + 2 * kv;
    const uint8_t *gains = l->modern ? NULL : part(c->rms_attention, layer, dim);
    float root = l->modern ? 1 : 1 / sqrtf((float)c->head_size);
    float *to = vt_onnx_write_floats(&l->w, name, 2, (int64_t[]){dim, width});
    const uint8_t *q = part(c->wq, layer, dim * dim), *k = part(c->wk, layer, kv * dim);
    if (l->modern) {
        put_columns(to, width, 0, q, dim, dim, gains, root);
        put_columns(to, width, dim, k, kv, dim, gains, 1);
    } else {
        put_heads(to, width, 0, q, c->heads, c->head_size, dim, gains, root);
        put_heads(to, width, dim, k, c->kv_heads, c->head_size, dim, gains, 1);
    }
    put_columns(to, width, dim + kv, part(c->wv, layer, kv * dim), kv, dim, gains, 1);
    return name;
}

static const char *gate_weights(vt_llama_writer *l, int64_t layer) {
    const vt_llama2c *c = l->c;
    const char *name = vt__llama_name(l, layer, "mlp.gate_up_proj.weight");
    const uint8_t *gains = l->modern ? NULL : part(c->rms_ffn, layer, c->dim);
    float *to = vt_onnx_write_floats(&l->w, name, 2, (int64_t[]){c->dim, 2 * c->hidden});
    put_columns(to, 2 * c->hidden, 0, part(c->w1, layer, c->hidden * c->dim), c->hidden, c->dim, gains, 1);
    put_columns(to, 2 * c->hidden, c->hidden, part(c->w3, layer, c->hidden * c->dim), c->hidden, c->dim, gains, 1);
    return name;
}

static const char *plain_weights(vt_llama_writer *l, const char *name, const uint8_t *rows, int64_t row_count,
                                 int64_t length, const uint8_t *gains) {
    float *to = vt_onnx_write_floats(&l->w, name, 2, (int64_t[]){length, row_count});
    put_columns(to, row_count, 0, rows, row_count, length, gains, 1);
    return name;
}

static const char *copy(vt_llama_writer *l, const char *name, const uint8_t *from, uint32_t rank,
                        const int64_t *shape) {
    int64_t count = 1;
    for (uint32_t i = 0; i < rank; i++) count *= shape[i];
    float *to = vt_onnx_write_floats(&l->w, name, rank, shape);
    for (int64_t i = 0; i < count; i++) to[i] = vt_llama2c_at(from, i);
    return name;
}

/* ---- The parts of a layer ---- */

/* x / root(mean of squares + epsilon); of operator set 23 times `gains`. */
static const char *normalized(vt_llama_writer *l, const char *name, const char *x, const char *gains_name,
                              const uint8_t *gains) {
    vt_onnx_writer *w = &l->w;
    const char *of[5];
    static const char *const steps[] = {"square", "mean", "mean_plus", "root", "normalized"};
    for (int i = 0; i < 5; i++) of[i] = vt_new_format(w->ctx, "%s_%s", name, steps[i]);
    if (l->modern) {
        const char *g = copy(l, gains_name, gains, 1, (int64_t[]){l->c->dim});
        vt_onnx_written *n = vt_onnx_write_node(w, "RMSNormalization", of[4], (const char *const[6]){x, g});
        vt_onnx_write_int(w, n, "axis", -1);
        vt_onnx_write_float(w, n, "epsilon", 1e-5f);
        return vt_onnx_written_name(n);
    }
    const char *square = VT_ONNX_WRITE(w, "Mul", of[0], x, x);
    vt_onnx_written *mean = vt_onnx_write_node(w, "ReduceMean", of[1], (const char *const[6]){square});
    vt_onnx_write_ints(w, mean, "axes", 1, (int64_t[]){-1});
    const char *root =
        VT_ONNX_WRITE(w, "Sqrt", of[3], VT_ONNX_WRITE(w, "Add", of[2], vt_onnx_written_name(mean), "epsilon"));
    return VT_ONNX_WRITE(w, "Div", of[4], x, root);
}

/* x * sigmoid(x) * y for x and y side by side; then the product with w2. */
static const char *feed_forward(vt_llama_writer *l, int64_t layer, const char *x) {
    const vt_llama2c *c = l->c;
    vt_onnx_writer *w = &l->w;
    const char *both = VT_ONNX_WRITE(w, "MatMul", "mlp/gate_up", x, gate_weights(l, layer));
    vt_onnx_written *n = vt_onnx_write_node(w, "Split", "mlp/gate", (const char *const[6]){both, "halves_of_mlp"});
    vt_onnx_write_int(w, n, "axis", 1);
    const char *gate = vt_onnx_written_name(n), *up = vt_onnx_write_output(w, n, NULL);
    const char *open = VT_ONNX_WRITE(w, "Mul", "mlp/silu", gate, VT_ONNX_WRITE(w, "Sigmoid", "mlp/sigmoid", gate));
    const char *down = plain_weights(l, vt__llama_name(l, layer, "mlp.down_proj.weight"),
                                     part(c->w2, layer, c->dim * c->hidden), c->dim, c->hidden, NULL);
    return VT_ONNX_WRITE(w, "MatMul", "mlp/down", VT_ONNX_WRITE(w, "Mul", "mlp/product", open, up), down);
}

static const char *layer_of(vt_llama_writer *l, int64_t layer, const char *x) {
    const vt_llama2c *c = l->c;
    vt_onnx_writer *w = &l->w;
    w->scope = vt_new_format(w->ctx, "layers.%lld", (long long)layer);
    const char *in = normalized(l, "input", x, vt__llama_name(l, layer, "input_layernorm.weight"),
                                part(c->rms_attention, layer, c->dim));
    const char *qkv = VT_ONNX_WRITE(w, "MatMul", "self_attn/qkv", in, attention_weights(l, layer));
    const char *heads = l->modern ? vt__llama_attention_modern(l, layer, qkv) : vt__llama_attention(l, layer, qkv);
    const char *wo = plain_weights(l, vt__llama_name(l, layer, "self_attn.o_proj.weight"),
                                   part(c->wo, layer, c->dim * c->dim), c->dim, c->dim, NULL);
    x = VT_ONNX_WRITE(w, "Add", "self_attn/residual", x, VT_ONNX_WRITE(w, "MatMul", "self_attn/o", heads, wo));
    in = normalized(l, "mlp", x, vt__llama_name(l, layer, "post_attention_layernorm.weight"),
                    part(c->rms_ffn, layer, c->dim));
    return VT_ONNX_WRITE(w, "Add", "mlp/residual", x, feed_forward(l, layer, in));
}

/* ---- The whole ---- */

static void write_model(vt_llama_writer *l) {
    const vt_llama2c *c = l->c;
    vt_onnx_writer *w = &l->w;
    vt__llama_begin(l);
    copy(l, "model.embed_tokens.weight", c->embedding, 2, (int64_t[]){c->vocabulary, c->dim});
    copy(l, "model.rotary.cosines", c->cosines, 2, (int64_t[]){c->sequence, c->head_size / 2});
    copy(l, "model.rotary.sines", c->sines, 2, (int64_t[]){c->sequence, c->head_size / 2});
    const char *ids = VT_ONNX_WRITE(w, "Reshape", "ids", "input_ids", "one_axis");
    const char *x = VT_ONNX_WRITE(w, "Gather", "embedding", "model.embed_tokens.weight", ids);
    for (int64_t i = 0; i < c->layers; i++) x = layer_of(l, i, x);
    w->scope = "";
    x = normalized(l, "norm", x, "model.norm.weight", c->rms_final);
    plain_weights(l, "lm_head.weight", c->classifier, c->vocabulary, c->dim, l->modern ? NULL : c->rms_final);
    const char *scores = VT_ONNX_WRITE(w, "MatMul", "lm_head", x, "lm_head.weight");
    vt_onnx_write_rename(w, vt_onnx_write_node(w, "Unsqueeze", "logits_batch", (const char *const[6]){scores, "zero"}),
                         "logits");
}

vt_llama2c_model vt_llama2c_convert(vt_ctx *ctx, const void *bytes, size_t size, const char *name,
                                    const vt_llama2c_options *options) {
    vt_llama2c c = vt_llama2c_read(ctx, bytes, size, name);
    vt_llama_writer l = {.c = &c, .tokens = options->tokens ? options->tokens : -1};
    int64_t opset = options->opset ? options->opset : OLDEST;
    vt_llama2c_model m = {0};
    if (opset != OLDEST && opset != MIDDLE)
        vt_raise(ctx, VTA_INVALID_ARGUMENT, "operator set %lld: models are written with %d or %d", (long long)opset,
                 OLDEST, MIDDLE);
    if (options->tokens < 0 || options->tokens >= c.sequence)
        vt_raise(ctx, VTA_INVALID_ARGUMENT, "%s: %lld tokens a run; the model sees %lld: expected 1 to %lld", name,
                 (long long)options->tokens, (long long)c.sequence, (long long)c.sequence - 1);
    l.modern = opset == MIDDLE;
    vt_onnx_write_begin(&l.w, ctx, "llama");
    write_model(&l);
    m.bytes = vt_onnx_write_end(&l.w, opset, c.sequence, &m.size);
    return m;
}
