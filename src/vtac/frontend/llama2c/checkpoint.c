/* What is where in a checkpoint. */
#include "frontend/llama2c/checkpoint.h"

#include "base/little_endian.h"

enum { FIELDS = 7, HEADER = 4 * FIELDS, MAGIC = 0x616b3432, LARGEST = 1 << 24 };

static const char *const field_names[FIELDS] = {"dim",      "hidden_dim", "layers",  "heads",
                                                "kv_heads", "vocabulary", "sequence"};

typedef struct layout {
    int64_t field[FIELDS];
    bool shared;
    const char *wrong; /* what does not go together; NULL: all does */
    int64_t value;     /* of the field that is wrong */
} layout;

/* A negative vocabulary says that the classifier is not the embedding. */
static layout read_header(const uint8_t *bytes) {
    layout l = {.shared = true};
    for (uint32_t i = 0; i < FIELDS; i++) {
        l.field[i] = (int32_t)vt_get32(bytes + 4 * i);
        if (i == 5 && l.field[i] < 0) l.field[i] = -l.field[i], l.shared = false;
        if (l.wrong || (l.field[i] > 0 && l.field[i] <= LARGEST)) continue;
        l.wrong = field_names[i];
        l.value = l.field[i];
    }
    return l;
}

/* Heads divide dim into parts of even size, and go in groups to those of keys; NULL: they do. */
static const char *disagreement(const layout *l) {
    const int64_t *f = l->field;
    if (f[0] % f[3]) return "heads do not divide dim";
    if (f[3] % f[4]) return "kv_heads do not divide heads";
    return f[0] / f[3] % 2 ? "a head has an odd number of elements, so that positions cannot turn pairs" : NULL;
}

/* The arrays in their order; false: so many bytes cannot be. */
static bool place(vt_llama2c *c, const uint8_t *bytes, uint64_t *out_size) {
    const struct part {
        const uint8_t **at;
        int64_t count[3];
    } parts[] = {
        {&c->embedding, {1, c->vocabulary, c->dim}},
        {&c->rms_attention, {c->layers, 1, c->dim}},
        {&c->wq, {c->layers, c->dim, c->dim}},
        {&c->wk, {c->layers, c->kv_dim, c->dim}},
        {&c->wv, {c->layers, c->kv_dim, c->dim}},
        {&c->wo, {c->layers, c->dim, c->dim}},
        {&c->rms_ffn, {c->layers, 1, c->dim}},
        {&c->w1, {c->layers, c->hidden, c->dim}},
        {&c->w2, {c->layers, c->dim, c->hidden}},
        {&c->w3, {c->layers, c->hidden, c->dim}},
        {&c->rms_final, {1, 1, c->dim}},
        {&c->cosines, {1, c->sequence, c->head_size / 2}},
        {&c->sines, {1, c->sequence, c->head_size / 2}},
        {&c->classifier, {c->shared ? 0 : 1, c->vocabulary, c->dim}},
    };
    uint64_t at = HEADER;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].at = bytes + at;
        uint64_t n = 4;
        for (uint32_t k = 0; k < 3; k++)
            if (__builtin_mul_overflow(n, (uint64_t)parts[i].count[k], &n)) return false;
        if (__builtin_add_overflow(at, n, &at) || at > PTRDIFF_MAX / 2) return false;
    }
    if (c->shared) c->classifier = c->embedding;
    *out_size = at;
    return true;
}

static bool lay_out(const layout *l, const uint8_t *bytes, vt_llama2c *c, uint64_t *out_size) {
    const int64_t *f = l->field;
    *c = (vt_llama2c){.dim = f[0],
                      .hidden = f[1],
                      .layers = f[2],
                      .heads = f[3],
                      .kv_heads = f[4],
                      .vocabulary = f[5],
                      .sequence = f[6],
                      .head_size = f[0] / f[3],
                      .kv_dim = f[0] / f[3] * f[4],
                      .shared = l->shared};
    return place(c, bytes, out_size);
}

bool vt_llama2c_is(const void *bytes, size_t size) {
    vt_llama2c c;
    uint64_t expected;
    if (size < HEADER) return false;
    layout l = read_header(bytes);
    return !l.wrong && !disagreement(&l) && lay_out(&l, bytes, &c, &expected) && expected == size;
}

vt_llama2c vt_llama2c_read(vt_ctx *ctx, const void *bytes, size_t size, const char *name) {
    vt_llama2c c;
    uint64_t expected = 0;
    if (size < HEADER)
        vt_raise(ctx, VTA_PARSE, "%s: no checkpoint of llama2.c: %zu bytes are less than its header of %d", name, size,
                 HEADER);
    if (vt_get32(bytes) == MAGIC)
        vt_raise(ctx, VTA_UNSUPPORTED,
                 "%s: a checkpoint of version %d of llama2.c's format; the one without a version is supported "
                 "(export.py --version 0)",
                 name, (int)vt_get32((const uint8_t *)bytes + 4));
    layout l = read_header(bytes);
    if (l.wrong)
        vt_raise(ctx, VTA_PARSE, "%s: no checkpoint of llama2.c: %s is %lld, expected 1 to %d", name, l.wrong,
                 (long long)l.value, LARGEST);
    if (disagreement(&l))
        vt_raise(ctx, VTA_PARSE, "%s: no checkpoint of llama2.c: %s (dim %lld, heads %lld, kv_heads %lld)", name,
                 disagreement(&l), (long long)l.field[0], (long long)l.field[3], (long long)l.field[4]);
    bool fits = lay_out(&l, bytes, &c, &expected);
    if (!fits || expected != size)
        vt_raise(ctx, VTA_PARSE,
                 "%s: no checkpoint of llama2.c, or damaged: its header (dim %lld, hidden_dim %lld, layers %lld, heads "
                 "%lld, kv_heads %lld, vocabulary %lld, sequence %lld) asks for %s%llu bytes, there are %zu",
                 name, (long long)c.dim, (long long)c.hidden, (long long)c.layers, (long long)c.heads,
                 (long long)c.kv_heads, (long long)c.vocabulary, (long long)c.sequence, fits ? "" : "more than ",
                 (unsigned long long)(fits ? expected : PTRDIFF_MAX / 2), size);
    return c;
}
