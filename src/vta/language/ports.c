/* What the inputs and outputs of a language model are for: by name and shape, as exporters write them. */
#include <string.h>

#include "language/priv.h"

static bool contains(const vta_model_tensor *t, const char *word) { return t->name && strstr(t->name, word); }

static bool is_float(const vta_model_tensor *t) {
    return t->type.code == kDLFloat && t->type.bits == 32 && t->type.lanes == 1;
}

static bool is_row(const vta_model_tensor *t) {
    return t->type.code == kDLInt && t->type.bits == 64 && t->ndim == 2 && t->shape[0] == 1;
}

static bool is_past(const vta_model_tensor *t) { return contains(t, "past") && is_float(t) && t->ndim >= 2; }

static bool is_present(const vta_model_tensor *t) { return contains(t, "present") && is_float(t); }

/* The numbers in a name: that of the layer. UINT64_MAX: there is none. */
static uint64_t number_in(const char *name) {
    const char *at = strpbrk(name, "0123456789");
    uint64_t n = 0;
    if (!at) return UINT64_MAX;
    for (; *at >= '0' && *at <= '9' && n < UINT64_MAX / 16; at++) n = n * 10 + (uint64_t)(*at - '0');
    return n;
}

static vta_status mismatch(const char *name, const vta_model_tensor *t, const char *what, vta_diag *diag) {
    return vt_fail(diag, VTA_MISMATCH, "%s: not a language model with keys and values as inputs and outputs: %s%s%s",
                   name, t ? t->name : "", t ? " " : "", what);
}

/* The one axis along which an output differs from its input, or, where they are alike, the last but one. */
static vta_status pair_up(const char *name, const vta_model_tensor *in, const vta_model_tensor *out, size_t tokens,
                          vt_cache *c, vta_diag *diag) {
    int32_t axis = -1;
    if (in->ndim != out->ndim) return mismatch(name, out, "has another number of axes than its input", diag);
    if (number_in(in->name) != number_in(out->name)) return mismatch(name, out, "is of another layer", diag);
    for (int32_t i = 0; i < in->ndim; i++) {
        if (in->shape[i] == out->shape[i]) continue;
        if (axis >= 0) return mismatch(name, out, "differs from its input along two axes", diag);
        axis = i;
    }
    if (axis < 0) axis = in->ndim - 2; /* as many tokens in a run as before it, and only those are given */
    c->outer = 1, c->inner = sizeof(float);
    for (int32_t i = 0; i < in->ndim; i++)
        if (i < axis)
            c->outer *= (size_t)in->shape[i];
        else if (i > axis)
            c->inner *= (size_t)in->shape[i];
    c->slots = (size_t)in->shape[axis], c->given = (size_t)out->shape[axis];
    bool fresh = c->given == tokens, all = c->given == c->slots + tokens;
    c->first = all ? c->slots : 0;
    return fresh || all ? VTA_OK : mismatch(name, out, "is neither what the run adds nor that behind its input", diag);
}

static vta_status find_rows(const char *name, size_t count, const vta_model_tensor *inputs, vt_language_ports *p,
                            vta_diag *diag) {
    for (size_t i = 0; i < count; i++) {
        const vta_model_tensor *t = &inputs[i];
        if (is_past(t)) continue;
        size_t *to = contains(t, "mask")       ? &p->mask
                     : contains(t, "position") ? &p->positions
                     : contains(t, "ids")      ? &p->ids
                                               : NULL;
        if (!to || *to != SIZE_MAX || !is_row(t))
            return mismatch(name, t,
                            "is none of the inputs of such a model: ids, positions and a mask, [1, N] of int64", diag);
        *to = i;
    }
    if (p->ids == SIZE_MAX) return mismatch(name, NULL, "there is no input of token numbers (\"input_ids\")", diag);
    if (p->positions == SIZE_MAX)
        return mismatch(name, NULL, "there is no input of places (\"position_ids\"): export the model with it", diag);
    if (p->mask == SIZE_MAX)
        return mismatch(name, NULL,
                        "there is no input of which keys count (\"attention_mask\"): export the model with it", diag);
    p->tokens = (size_t)inputs[p->ids].shape[1];
    return (size_t)inputs[p->positions].shape[1] == p->tokens
               ? VTA_OK
               : mismatch(name, &inputs[p->positions], "has not as many places as there are tokens", diag);
}

static vta_status find_scores(const char *name, size_t count, const vta_model_tensor *outputs, vt_language_ports *p,
                              vta_diag *diag) {
    for (size_t i = 0; i < count; i++)
        if (!is_present(&outputs[i]) && (p->scores == SIZE_MAX || contains(&outputs[i], "logits"))) p->scores = i;
    const vta_model_tensor *t = p->scores == SIZE_MAX ? NULL : &outputs[p->scores];
    if (!t) return mismatch(name, NULL, "there is no output of scores (\"logits\")", diag);
    size_t elements = t->bytes / sizeof(float);
    if (!is_float(t) || t->ndim < 1 || !elements || (size_t)t->shape[t->ndim - 1] * p->tokens != elements)
        return mismatch(name, t, "is not one row of scores for each token of a run", diag);
    p->vocabulary = (size_t)t->shape[t->ndim - 1];
    return VTA_OK;
}

static vta_status find_caches(const char *name, size_t input_count, const vta_model_tensor *inputs, size_t output_count,
                              const vta_model_tensor *outputs, vt_language_ports *p, vta_diag *diag) {
    size_t out = 0;
    for (size_t i = 0; i < input_count; i++) {
        if (!is_past(&inputs[i])) continue;
        while (out < output_count && !is_present(&outputs[out])) out++;
        if (out == output_count) return mismatch(name, &inputs[i], "has no output \"present\" of its own", diag);
        vt_cache *c = &p->caches[p->cache_count++];
        c->input = i, c->output = out;
        VT_TRY(pair_up(name, &inputs[i], &outputs[out++], p->tokens, c, diag));
        if (p->cache_count > 1 && c->slots != p->slots)
            return mismatch(name, &inputs[i], "keeps another number of tokens than the first", diag);
        p->slots = c->slots;
    }
    if (!p->cache_count) return mismatch(name, NULL, "there are no inputs \"past_key_values\"", diag);
    while (out < output_count && !is_present(&outputs[out])) out++;
    return out == output_count ? VTA_OK : mismatch(name, &outputs[out], "has no input \"past\" of its own", diag);
}

vta_status vt__language_ports(const char *name, size_t input_count, const vta_model_tensor *inputs, size_t output_count,
                              const vta_model_tensor *outputs, vta_diag *diag, vt_language_ports *p) {
    p->ids = p->positions = p->mask = p->scores = SIZE_MAX;
    VT_TRY(find_rows(name, input_count, inputs, p, diag));
    VT_TRY(find_scores(name, output_count, outputs, p, diag));
    VT_TRY(find_caches(name, input_count, inputs, output_count, outputs, p, diag));
    if ((size_t)inputs[p->mask].shape[1] == p->slots + p->tokens) return VTA_OK;
    return mismatch(name, &inputs[p->mask], "has not as many elements as there are tokens before a run and in it",
                    diag);
}

bool vta_language_is(size_t input_count, const vta_model_tensor *inputs, size_t output_count,
                     const vta_model_tensor *outputs) {
    vt_language_ports p = {.caches = vt_alloc_zero(NULL, (input_count + 1) * sizeof *p.caches)};
    bool is = p.caches && inputs && outputs &&
              vt__language_ports("", input_count, inputs, output_count, outputs, NULL, &p) == VTA_OK;
    vt_free(NULL, p.caches, (input_count + 1) * sizeof *p.caches);
    return is;
}
