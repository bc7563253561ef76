/* Extents that a language model with keys and values of earlier tokens leaves open, as exporters write them: tokens of
 * a run, those before it, and both. */
#include <stdlib.h>
#include <string.h>

#include "frontend/onnx/language.h"

enum { CONTEXT = 512 };

static bool contains(const Onnx__ValueInfoProto *v, const char *word) {
    return strstr(vt__onnx_name(v->name), word) != NULL;
}

static const Onnx__TypeProto__Tensor *tensor_of(const Onnx__ValueInfoProto *v) {
    bool tensor = v->type && v->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    return tensor && v->type->tensor_type->shape ? v->type->tensor_type : NULL;
}

/* Keys or values of earlier tokens: [batch, heads, tokens, size]. */
static bool is_past(const Onnx__ValueInfoProto *v) {
    const Onnx__TypeProto__Tensor *t = tensor_of(v);
    return t && t->shape->n_dim == 4 && contains(v, "past") &&
           (t->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT ||
            t->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16);
}

/* Numbers of tokens, their places, or which of them count: [batch, tokens]. */
static bool is_row(const Onnx__ValueInfoProto *v) {
    const Onnx__TypeProto__Tensor *t = tensor_of(v);
    return t && t->shape->n_dim == 2 &&
           (t->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ||
            t->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT32);
}

static int64_t context_of(const Onnx__ModelProto *m) {
    for (size_t i = 0; i < m->n_metadata_props; i++) {
        const Onnx__StringStringEntryProto *e = m->metadata_props[i];
        if (strcmp(vt__onnx_name(e->key), "context_length") != 0 || !e->value) continue;
        long long n = strtoll(e->value, NULL, 10);
        if (n > 1 && n <= 1 << 24) return n;
    }
    return CONTEXT;
}

void vt__onnx_language_begin(vt_onnx_reader *r, const Onnx__ModelProto *m) {
    bool past = false, row = false;
    for (size_t i = 0; i < r->from->n_input; i++) {
        past = past || is_past(r->from->input[i]);
        row = row || is_row(r->from->input[i]);
    }
    if (!past || !row) return;
    r->context = r->options->context ? r->options->context : context_of(m);
    r->tokens = r->options->tokens ? r->options->tokens : 1;
    if (r->tokens >= r->context)
        vt_raise(r->ctx, VTA_INVALID_ARGUMENT, "%s: %lld tokens a run, of a context of %lld: expected fewer",
                 r->options->name, (long long)r->tokens, (long long)r->context);
}

int64_t vt__onnx_language_extent(const vt_onnx_reader *r, const Onnx__ValueInfoProto *v, uint32_t axis) {
    if (!r->context || axis == 0) return -1;
    if (is_past(v)) return r->context - r->tokens;
    if (!is_row(v)) return -1;
    return contains(v, "mask") ? r->context : r->tokens;
}
