/* Attention with keys and values of the tokens before. */
#include "frontend/llama2c/llama.h"

const char *vt__llama_name(vt_llama_writer *l, int64_t layer, const char *name) {
    return vt_new_format(l->w.ctx, "model.layers.%lld.%s", (long long)layer, name);
}

/* ---- Inputs and outputs ---- */

static const char *cache_name(vt_llama_writer *l, const char *which, int64_t layer, const char *what) {
    return vt_new_format(l->w.ctx, "%s.%lld.%s", which, (long long)layer, what);
}

static void write_ports(vt_llama_writer *l) {
    const vt_llama2c *c = l->c;
    vt_onnx_writer *w = &l->w;
    bool open = l->tokens < 0;
    const vt_onnx_extent one = {1, NULL}, tokens = {l->tokens, "sequence_length"};
    const vt_onnx_extent past = {open ? -1 : c->sequence - l->tokens, "past_sequence_length"};
    const vt_onnx_extent all = {open ? -1 : c->sequence, "total_sequence_length"};
    const vt_onnx_extent heads = {c->kv_heads, NULL}, size = {c->head_size, NULL};
    vt_onnx_write_port(w, VT_ONNX_INPUT, "input_ids", true, 2, (vt_onnx_extent[]){one, tokens});
    vt_onnx_write_port(w, VT_ONNX_INPUT, "attention_mask", true, 2, (vt_onnx_extent[]){one, all});
    vt_onnx_write_port(w, VT_ONNX_INPUT, "position_ids", true, 2, (vt_onnx_extent[]){one, tokens});
    vt_onnx_write_port(w, VT_ONNX_OUTPUT, "logits", false, 3, (vt_onnx_extent[]){one, tokens, {c->vocabulary, NULL}});
    for (int64_t i = 0; i < c->layers; i++)
        for (int k = 0; k < 2; k++) {
            const char *what = k ? "value" : "key";
            vt_onnx_write_port(w, VT_ONNX_INPUT, cache_name(l, "past_key_values", i, what), false, 4,
                               (vt_onnx_extent[]){one, heads, past, size});
            vt_onnx_write_port(w, VT_ONNX_OUTPUT, cache_name(l, "present", i, what), false, 4,
                               (vt_onnx_extent[]){one, heads, all, size});
        }
}

/* ---- What all layers use ---- */

/* The extent of an input's second axis, as a number. */
static const char *extent_of(vt_llama_writer *l, const char *name, const char *input) {
    const char *shape = VT_ONNX_WRITE(&l->w, "Shape", vt_new_format(l->w.ctx, "%s_shape", name), input);
    return VT_ONNX_WRITE(&l->w, "Gather", name, shape, "number_1");
}

/* A token sees the keys that count up to its own, which come last: [1, 1, tokens, all]. */
static void write_mask(vt_llama_writer *l) {
    vt_onnx_writer *w = &l->w;
    const char *tokens = extent_of(l, "token_count", "input_ids"), *all = extent_of(l, "key_count", "attention_mask");
    const char *keys = VT_ONNX_WRITE(w, "Range", "key_places", "number_0", all, "number_1");
    const char *first = VT_ONNX_WRITE(w, "Sub", "first_place", all, tokens);
    const char *own = VT_ONNX_WRITE(w, "Range", "own_places", first, all, "number_1");
    const char *column = VT_ONNX_WRITE(w, "Unsqueeze", "own_places_column", own, "axis_1");
    const char *before = VT_ONNX_WRITE(w, "LessOrEqual", "is_before", keys, column);
    vt_onnx_written *counts = vt_onnx_write_node(w, "Cast", "counts", (const char *const[6]){"attention_mask"});
    vt_onnx_write_int(w, counts, "to", 9); /* bool */
    const char *row = VT_ONNX_WRITE(w, "Unsqueeze", "counts_row", vt_onnx_written_name(counts), "axes_1_2");
    VT_ONNX_WRITE(w, "And", "sees", before, row);
}

/* The rows of a table for the tokens, [tokens, 1, pairs]. */
static void write_angles(vt_llama_writer *l, const char *name, const char *table, const char *places) {
    const char *rows = VT_ONNX_WRITE(&l->w, "Gather", vt_new_format(l->w.ctx, "%s_rows", name), table, places);
    VT_ONNX_WRITE(&l->w, "Unsqueeze", name, rows, "axis_1");
}

void vt__llama_begin(vt_llama_writer *l) {
    const vt_llama2c *c = l->c;
    vt_onnx_writer *w = &l->w;
    int64_t all_heads = c->heads + 2 * c->kv_heads, turned = c->heads + c->kv_heads, half = c->head_size / 2;
    write_ports(l);
    vt_onnx_write_int64(w, "number_0", 0);
    vt_onnx_write_int64(w, "number_1", 1);
    vt_onnx_write_int64s(w, "zero", 1, (int64_t[]){0});
    vt_onnx_write_int64s(w, "axis_1", 1, (int64_t[]){1});
    vt_onnx_write_int64s(w, "axes_1_2", 2, (int64_t[]){1, 2});
    vt_onnx_write_int64s(w, "one_axis", 1, (int64_t[]){-1});
    vt_onnx_write_int64s(w, "rows_of_all", 2, (int64_t[]){-1, c->dim});
    vt_onnx_write_int64s(w, "halves_of_mlp", 2, (int64_t[]){c->hidden, c->hidden});
    write_mask(l);
    if (l->modern) {
        vt_onnx_write_int64s(w, "parts", 3, (int64_t[]){c->dim, c->kv_dim, c->kv_dim});
        return;
    }
    vt_onnx_write_scalar(w, "epsilon", 1e-5f);
    vt_onnx_write_scalar(w, "unseen", -1e30f);
    vt_onnx_write_int64s(w, "by_head", 3, (int64_t[]){-1, all_heads, c->head_size});
    vt_onnx_write_int64s(w, "turned_and_not", 2, (int64_t[]){turned, c->kv_heads});
    vt_onnx_write_int64s(w, "halves", 2, (int64_t[]){half, half});
    vt_onnx_write_int64s(w, "queries_and_keys", 2, (int64_t[]){c->heads, c->kv_heads});
    vt_onnx_write_int64s(w, "by_group", 4, (int64_t[]){1, c->kv_heads, -1, c->head_size});
    vt_onnx_write_int64s(w, "scores_by_head", 4, (int64_t[]){1, c->heads, -1, 0});
    vt_onnx_write_int64s(w, "scores_by_group", 4, (int64_t[]){1, c->kv_heads, -1, 0});
    vt_onnx_write_int64s(w, "heads_of_values", 4, (int64_t[]){1, c->heads, -1, c->head_size});
    const char *places = VT_ONNX_WRITE(w, "Reshape", "places", "position_ids", "one_axis");
    write_angles(l, "cosines", "model.rotary.cosines", places);
    write_angles(l, "sines", "model.rotary.sines", places);
}

/* ---- Operator set 17 ---- */

static vt_onnx_written *split(vt_llama_writer *l, const char *name, const char *x, const char *sizes, int64_t axis) {
    vt_onnx_written *n = vt_onnx_write_node(&l->w, "Split", name, (const char *const[6]){x, sizes});
    vt_onnx_write_int(&l->w, n, "axis", axis);
    return n;
}

static const char *transposed(vt_llama_writer *l, const char *name, const char *x, uint32_t rank, const int64_t *perm) {
    vt_onnx_written *n = vt_onnx_write_node(&l->w, "Transpose", name, (const char *const[6]){x});
    vt_onnx_write_ints(&l->w, n, "perm", rank, perm);
    return vt_onnx_written_name(n);
}

static vt_onnx_written *joined(vt_llama_writer *l, const char *name, const char *a, const char *b, int64_t axis) {
    vt_onnx_written *n = vt_onnx_write_node(&l->w, "Concat", name, (const char *const[6]){a, b});
    vt_onnx_write_int(&l->w, n, "axis", axis);
    return n;
}

/* Each pair (a, b) turned by the angle of its place: [tokens, heads, size], with a in the first half and b in the
 * second. */
static const char *turned(vt_llama_writer *l, const char *x) {
    vt_onnx_writer *w = &l->w;
    vt_onnx_written *n = split(l, "rotary/a", x, "halves", 2);
    const char *a = vt_onnx_written_name(n), *b = vt_onnx_write_output(w, n, NULL);
    const char *first = VT_ONNX_WRITE(w, "Sub", "rotary/first", VT_ONNX_WRITE(w, "Mul", "rotary/a_cos", a, "cosines"),
                                      VT_ONNX_WRITE(w, "Mul", "rotary/b_sin", b, "sines"));
    const char *second = VT_ONNX_WRITE(w, "Add", "rotary/second", VT_ONNX_WRITE(w, "Mul", "rotary/a_sin", a, "sines"),
                                       VT_ONNX_WRITE(w, "Mul", "rotary/b_cos", b, "cosines"));
    return vt_onnx_written_name(joined(l, "rotary/turned", first, second, 2));
}

/* Behind those of the tokens before: [1, kv_heads, all, size], an output. */
static const char *kept(vt_llama_writer *l, int64_t layer, const char *what, const char *x) {
    const char *name = vt_new_format(l->w.ctx, "self_attn/%s", what);
    x = transposed(l, vt_new_format(l->w.ctx, "%s_heads", name), x, 3, (int64_t[]){1, 0, 2});
    x = VT_ONNX_WRITE(&l->w, "Unsqueeze", name, x, "zero");
    vt_onnx_written *n =
        joined(l, vt_new_format(l->w.ctx, "%s_all", name), cache_name(l, "past_key_values", layer, what), x, 2);
    vt_onnx_write_rename(&l->w, n, cache_name(l, "present", layer, what));
    return vt_onnx_written_name(n);
}

/* Queries that share keys are rows of one product. */
const char *vt__llama_attention(vt_llama_writer *l, int64_t layer, const char *qkv) {
    vt_onnx_writer *w = &l->w;
    vt_onnx_written *n =
        split(l, "self_attn/qk", VT_ONNX_WRITE(w, "Reshape", "self_attn/by_head", qkv, "by_head"), "turned_and_not", 1);
    const char *v = vt_onnx_write_output(w, n, NULL);
    n = split(l, "self_attn/queries", turned(l, vt_onnx_written_name(n)), "queries_and_keys", 1);
    const char *q = vt_onnx_written_name(n), *k = vt_onnx_write_output(w, n, NULL);
    k = kept(l, layer, "key", k), v = kept(l, layer, "value", v);
    q = transposed(l, "self_attn/query_heads", q, 3, (int64_t[]){1, 0, 2});
    q = VT_ONNX_WRITE(w, "Reshape", "self_attn/query_groups", q, "by_group");
    k = transposed(l, "self_attn/key_columns", k, 4, (int64_t[]){0, 1, 3, 2});
    const char *scores = VT_ONNX_WRITE(w, "MatMul", "self_attn/scores", q, k);
    scores = VT_ONNX_WRITE(w, "Reshape", "self_attn/scores_by_head", scores, "scores_by_head");
    scores = VT_ONNX_WRITE(w, "Where", "self_attn/seen", "sees", scores, "unseen");
    n = vt_onnx_write_node(w, "Softmax", "self_attn/softmax", (const char *const[6]){scores});
    vt_onnx_write_int(w, n, "axis", 3);
    const char *shares = VT_ONNX_WRITE(w, "Reshape", "self_attn/shares", vt_onnx_written_name(n), "scores_by_group");
    const char *y = VT_ONNX_WRITE(w, "MatMul", "self_attn/mixed", shares, v);
    y = VT_ONNX_WRITE(w, "Reshape", "self_attn/mixed_heads", y, "heads_of_values");
    y = transposed(l, "self_attn/mixed_tokens", y, 4, (int64_t[]){0, 2, 1, 3});
    return VT_ONNX_WRITE(w, "Reshape", "self_attn/heads", y, "rows_of_all");
}

/* ---- Operator set 23 ---- */

static const char *rotated(vt_llama_writer *l, const char *name, const char *x, int64_t heads) {
    vt_onnx_written *n =
        vt_onnx_write_node(&l->w, "RotaryEmbedding", name,
                           (const char *const[6]){x, "model.rotary.cosines", "model.rotary.sines", "position_ids"});
    vt_onnx_write_int(&l->w, n, "interleaved", 1);
    vt_onnx_write_int(&l->w, n, "num_heads", heads);
    return vt_onnx_written_name(n);
}

const char *vt__llama_attention_modern(vt_llama_writer *l, int64_t layer, const char *qkv) {
    const vt_llama2c *c = l->c;
    vt_onnx_writer *w = &l->w;
    vt_onnx_written *n =
        split(l, "self_attn/q", VT_ONNX_WRITE(w, "Unsqueeze", "self_attn/batch", qkv, "zero"), "parts", 2);
    const char *q = vt_onnx_written_name(n), *k = vt_onnx_write_output(w, n, NULL),
               *v = vt_onnx_write_output(w, n, NULL);
    q = rotated(l, "self_attn/q_turned", q, c->heads);
    k = rotated(l, "self_attn/k_turned", k, c->kv_heads);
    n = vt_onnx_write_node(w, "Attention", "self_attn/attention",
                           (const char *const[6]){q, k, v, "sees", cache_name(l, "past_key_values", layer, "key"),
                                                  cache_name(l, "past_key_values", layer, "value")});
    vt_onnx_write_int(w, n, "q_num_heads", c->heads);
    vt_onnx_write_int(w, n, "kv_num_heads", c->kv_heads);
    vt_onnx_write_output(w, n, cache_name(l, "present", layer, "key"));
    vt_onnx_write_output(w, n, cache_name(l, "present", layer, "value"));
    return VT_ONNX_WRITE(w, "Reshape", "self_attn/heads", vt_onnx_written_name(n), "rows_of_all");
}
