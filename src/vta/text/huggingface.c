/* Hugging Face's tokenizer.json with a model of byte pairs: the vocabulary, the merges in their order, added tokens,
 * and what is done to a text before. Parts that would change the tokens and are not known here are refused. */
#include "text/huggingface.h"

#include <string.h>

#include "base/json.h"

enum { MAX_TOKENS = 1 << 22, BYTE_CHARACTERS = 324 }; /* U+0000 to U+0143 */

typedef struct reader {
    vta_tokenizer *t;
    vt_huggingface *h;
    vta_diag *diag;
} reader;

static vta_status refuse(const reader *r, const char *part, const char *what) {
    return vt_fail(r->diag, VTA_UNSUPPORTED, "%s: %s %.60s is not supported", r->t->name, part, what ? what : "?");
}

static vta_status wrong(const reader *r, const char *what) {
    return vt_fail(r->diag, VTA_PARSE, "%s: no tokenizer.json of byte pairs: %s", r->t->name, what);
}

static const char *type_of(const json_t *part) {
    const char *type = json_string_value(json_object_get(part, "type"));
    return type ? type : "";
}

static bool is_set(const json_t *part, const char *key, bool otherwise) {
    const json_t *value = json_object_get(part, key);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static const char *copy(const reader *r, const json_t *text) {
    size_t n = json_string_length(text);
    char *own = vt__text_new(r->t, n + 1, 1);
    return own ? memcpy(own, json_string_value(text), n) : NULL;
}

/* ---- What is done to a text ---- */

static vta_status add_change(const reader *r, vt_text_change c) {
    if (!c.to || (c.from && !*c.from)) return vt_no_memory(r->diag);
    if (r->h->change_count == VT_TEXT_CHANGES_MAX) return refuse(r, "more than 8", "changes of a text");
    r->h->changes[r->h->change_count++] = c;
    return VTA_OK;
}

static vta_status read_normalizer(const reader *r, const json_t *part) {
    const json_t *list = json_object_get(part, "normalizers"), *each;
    const json_t *from = json_object_get(json_object_get(part, "pattern"), "String");
    const json_t *to = json_object_get(part, "content"), *before = json_object_get(part, "prepend");
    size_t i;
    if (!part || json_is_null(part)) return VTA_OK;
    if (!strcmp(type_of(part), "Sequence")) {
        json_array_foreach(list, i, each) VT_TRY(read_normalizer(r, each));
        return VTA_OK;
    }
    if (!strcmp(type_of(part), "Prepend") && json_is_string(before))
        return add_change(r, (vt_text_change){.to = copy(r, before)});
    if (!strcmp(type_of(part), "Replace") && json_string_length(from) && json_is_string(to))
        return add_change(r, (vt_text_change){.from = copy(r, from), .to = copy(r, to)});
    return refuse(r, "the normalizer", type_of(part));
}

static vta_status read_metaspace(const reader *r, const json_t *part) {
    const json_t *block = json_object_get(part, "replacement");
    const char *scheme = json_string_value(json_object_get(part, "prepend_scheme"));
    if (!scheme) scheme = is_set(part, "add_prefix_space", true) ? "always" : "never";
    if (!json_is_string(block) || strcmp(json_string_value(block), "\xe2\x96\x81") != 0)
        return refuse(r, "Metaspace with the replacement", json_string_value(block));
    VT_TRY(add_change(r, (vt_text_change){.from = " ", .to = copy(r, block)}));
    r->h->blocks = is_set(part, "split", true);
    if (!strcmp(scheme, "never")) return VTA_OK;
    return add_change(
        r, (vt_text_change){.to = copy(r, block), .unless_there = true, .first_only = !strcmp(scheme, "first")});
}

static vta_status read_splitter(const reader *r, const json_t *part) {
    const json_t *list = json_object_get(part, "pretokenizers"), *each;
    vt_huggingface *h = r->h;
    const char *type = type_of(part);
    size_t i;
    if (!part || json_is_null(part)) return VTA_OK;
    if (h->bytes) return refuse(r, "behind ByteLevel the splitter", type);
    if (!strcmp(type, "Sequence")) {
        json_array_foreach(list, i, each) VT_TRY(read_splitter(r, each));
        return VTA_OK;
    }
    if (!strcmp(type, "Metaspace") && !h->blocks && !h->digits) return read_metaspace(r, part);
    if (!strcmp(type, "Digits") && is_set(part, "individual_digits", false) && !h->blocks) {
        h->digits = true;
        return VTA_OK;
    }
    bool blank = is_set(part, "add_prefix_space", true);
    if (strcmp(type, "ByteLevel") != 0 || h->blocks || (blank && h->digits)) return refuse(r, "the splitter", type);
    h->bytes = true;
    h->words = is_set(part, "use_regex", true);
    return blank ? add_change(r, (vt_text_change){.to = " ", .unless_there = true}) : VTA_OK;
}

/* ---- Pieces ---- */

static vta_status count_tokens(const reader *r, const json_t *vocabulary, const json_t *added, size_t *out_count) {
    const char *key;
    json_t *value;
    size_t i, most = 0;
    json_object_foreach((json_t *)vocabulary, key, value) {
        json_int_t id = json_is_integer(value) ? json_integer_value(value) : -1;
        if (id < 0 || id >= MAX_TOKENS) return wrong(r, "a number of the vocabulary is none of 0 to 4194303");
        if ((size_t)id >= most) most = (size_t)id + 1;
    }
    json_array_foreach(added, i, value) {
        const json_t *number = json_object_get(value, "id");
        json_int_t id = json_is_integer(number) ? json_integer_value(number) : -1;
        if (id < 0 || id >= MAX_TOKENS || !json_string_length(json_object_get(value, "content")))
            return wrong(r, "an added token has no content, or no id of 0 to 4194303");
        if ((size_t)id >= most) most = (size_t)id + 1;
    }
    *out_count = most;
    return VTA_OK;
}

/* The bytes that the characters of a piece stand for; one that stands for none is itself. */
static void set_bytes(vt_piece *p, char *own, const int16_t byte_of[BYTE_CHARACTERS]) {
    for (uint32_t at = 0; at < p->size;) {
        size_t n = vt__text_character(p->bytes + at, p->size - at);
        uint32_t c = (uint8_t)p->bytes[at];
        if (n == 2) c = (c & 0x1f) << 6 | ((uint8_t)p->bytes[at + 1] & 0x3f);
        bool is_byte = n <= 2 && c < BYTE_CHARACTERS && byte_of[c] >= 0;
        if (is_byte) own[p->text_size++] = (char)byte_of[c];
        for (size_t i = 0; !is_byte && i < n; i++) own[p->text_size++] = p->bytes[at + i];
        at += (uint32_t)n;
    }
}

/* Blanks again; a byte of "<0x0A>". */
static void set_blanks(const reader *r, uint32_t index, char *own) {
    vt_piece *p = &r->t->pieces[index];
    int byte = r->h->byte_fallback ? vt__text_byte_of(p->bytes, p->size) : -1;
    if (byte >= 0) {
        own[0] = (char)byte;
        p->text_size = 1;
        p->kind = VT_PIECE_BYTE;
        r->t->byte[byte] = (int32_t)index;
        return;
    }
    for (uint32_t at = 0; at < p->size;) {
        bool blank = p->size - at >= 3 && !memcmp(p->bytes + at, "\xe2\x96\x81", 3);
        own[p->text_size++] = blank ? ' ' : p->bytes[at];
        at += blank ? 3 : 1;
    }
}

static vta_status read_pieces(const reader *r, const json_t *vocabulary) {
    int16_t byte_of[BYTE_CHARACTERS];
    const char *key;
    json_t *value;
    for (int i = 0; i < BYTE_CHARACTERS; i++) byte_of[i] = -1;
    for (int b = 0; b < 256; b++) byte_of[vt__text_byte_character((uint8_t)b)] = (int16_t)b;
    json_object_foreach((json_t *)vocabulary, key, value) {
        uint32_t index = (uint32_t)json_integer_value(value);
        vt_piece *p = &r->t->pieces[index];
        size_t n = strlen(key);
        char *own = vt__text_new(r->t, 2 * n + 2, 1);
        if (!own) return vt_no_memory(r->diag);
        if (p->bytes) return wrong(r, "two pieces have one number");
        *p = (vt_piece){.bytes = memcpy(own, key, n), .text = own + n + 1, .size = (uint32_t)n};
        if (r->h->bytes)
            set_bytes(p, own + n + 1, byte_of);
        else
            set_blanks(r, index, own + n + 1);
        vt__text_list(r->t, index);
    }
    return VTA_OK;
}

static vta_status read_added(const reader *r, const json_t *added) {
    const json_t *each;
    size_t i;
    json_array_foreach(added, i, each) {
        const json_t *content = json_object_get(each, "content");
        vt_piece *p = &r->t->pieces[json_integer_value(json_object_get(each, "id"))];
        bool special = is_set(each, "special", false), listed = p->bytes;
        if (is_set(each, "lstrip", false) || is_set(each, "rstrip", false) || is_set(each, "single_word", false))
            return refuse(r, "lstrip, rstrip or single_word of the added token", json_string_value(content));
        const char *own = copy(r, content);
        uint32_t n = (uint32_t)json_string_length(content);
        if (!own) return vt_no_memory(r->diag);
        if (listed && (p->size != n || memcmp(p->bytes, own, n) != 0))
            return wrong(r, "an added token has the number of another piece");
        *p = (vt_piece){.bytes = own, .text = special ? "" : own, .size = n, .text_size = special ? 0 : n};
        p->kind = special ? VT_PIECE_CONTROL : VT_PIECE_GIVEN;
        if (!listed) vt__text_list(r->t, (uint32_t)(p - r->t->pieces));
        if (n > r->h->longest_given) r->h->longest_given = n;
    }
    return VTA_OK;
}

/* ---- Merges ---- */

/* "a b", or ["a", "b"]: no piece of the first form has a blank. */
static vta_status read_pair(const reader *r, const json_t *merge, vt_merge *out) {
    const json_t *a = json_array_get(merge, 0), *b = json_array_get(merge, 1);
    const char *left = json_string_value(a ? a : merge), *blank = left && !a ? strchr(left, ' ') : NULL;
    const char *right = blank ? blank + 1 : json_string_value(b);
    if (!left || !right) return wrong(r, "a merge is not of two pieces");
    size_t left_size = blank ? (size_t)(blank - left) : strlen(left), right_size = strlen(right);
    char *both = vt_alloc(&r->t->allocator, left_size + right_size + 1);
    if (!both) return vt_no_memory(r->diag);
    memcpy(both, left, left_size);
    memcpy(both + left_size, right, right_size);
    out->left = vt__text_find(r->t, left, left_size);
    out->right = vt__text_find(r->t, right, right_size);
    out->result = vt__text_find(r->t, both, left_size + right_size);
    vt_free(&r->t->allocator, both, left_size + right_size + 1);
    bool found = out->left >= 0 && out->right >= 0 && out->result >= 0;
    return found ? VTA_OK : wrong(r, "a merge is not of two pieces whose joint is one");
}

static vta_status read_merges(const reader *r, const json_t *merges) {
    const json_t *each;
    size_t i, count = json_array_size(merges);
    if (count > MAX_TOKENS) return wrong(r, "there are more than 4194304 merges");
    r->h->merge_cap = 16;
    while (r->h->merge_cap < 2 * count) r->h->merge_cap *= 2;
    r->h->merges = vt__text_new(r->t, r->h->merge_cap, sizeof *r->h->merges);
    if (!r->h->merges) return vt_no_memory(r->diag);
    for (i = 0; i < r->h->merge_cap; i++) r->h->merges[i].result = -1;
    json_array_foreach(merges, i, each) {
        vt_merge m = {.rank = (uint32_t)i};
        VT_TRY(read_pair(r, each, &m));
        vt_merge *place = vt__text_merge(r->h, m.left, m.right);
        if (place->result < 0) *place = m;
    }
    return VTA_OK;
}

/* ---- Ends of a text ---- */

/* What a template puts before (or behind) the text; else the first of some names that is an added token. */
static int32_t find_end(const reader *r, const json_t *processor, bool behind) {
    static const char *const names[2][5] = {{"<s>", "<|begin_of_text|>", "<bos>", NULL},
                                            {"</s>", "<|end_of_text|>", "<|endoftext|>", "<eos>", NULL}};
    const json_t *single = json_object_get(processor, "single"), *each;
    bool passed = false;
    size_t i;
    json_array_foreach(single, i, each) {
        const json_t *id = json_object_get(json_object_get(each, "SpecialToken"), "id");
        if (!id) passed = true;
        if (id && passed == behind) return vt__text_find(r->t, json_string_value(id), json_string_length(id));
    }
    for (i = 0; names[behind][i]; i++) {
        int32_t token = vt__text_find(r->t, names[behind][i], strlen(names[behind][i]));
        if (token >= 0 && r->t->pieces[token].kind == VT_PIECE_CONTROL) return token;
    }
    return -1;
}

/* ---- The file ---- */

static vta_status read_model(const reader *r, const json_t *root, const json_t *model) {
    const json_t *vocabulary = json_object_get(model, "vocab"), *added = json_object_get(root, "added_tokens");
    const json_t *unknown = json_object_get(model, "unk_token");
    const char *type = type_of(model);
    size_t count = 0;
    if (*type && strcmp(type, "BPE") != 0) return refuse(r, "the model", type);
    if (!json_is_object(vocabulary) || !json_is_array(json_object_get(model, "merges")))
        return wrong(r, "its model has no vocab, or no merges");
    static const char *const others[] = {"continuing_subword_prefix", "end_of_word_suffix"};
    for (size_t i = 0; i < 2; i++)
        if (json_string_length(json_object_get(model, others[i]))) return refuse(r, "of the model", others[i]);
    r->h->byte_fallback = is_set(model, "byte_fallback", false);
    r->h->fuse_unknown = is_set(model, "fuse_unk", false);
    r->h->ignore_merges = is_set(model, "ignore_merges", false);
    VT_TRY(count_tokens(r, vocabulary, added, &count));
    VT_TRY(vt__text_room(r->t, count, r->diag));
    VT_TRY(read_pieces(r, vocabulary));
    VT_TRY(read_merges(r, json_object_get(model, "merges")));
    if (json_is_string(unknown))
        r->t->unknown = vt__text_find(r->t, json_string_value(unknown), json_string_length(unknown));
    return read_added(r, added);
}

static vta_status read_root(const reader *r, const json_t *root) {
    vt_huggingface *h = r->h;
    VT_TRY(read_normalizer(r, json_object_get(root, "normalizer")));
    VT_TRY(read_splitter(r, json_object_get(root, "pre_tokenizer")));
    VT_TRY(read_model(r, root, json_object_get(root, "model")));
    r->t->begin = find_end(r, json_object_get(root, "post_processor"), false);
    r->t->end = find_end(r, json_object_get(root, "post_processor"), true);
    for (uint32_t i = 0; i < h->change_count; i++) r->t->drops_first_blank |= !h->changes[i].from;
    return VTA_OK;
}

vta_status vt__huggingface(vta_tokenizer *t, const uint8_t *bytes, size_t size, vta_diag *diag) {
    static const vt_text_format format = {"huggingface", vt__text_pairs};
    reader r = {.t = t, .h = vt__text_new(t, 1, sizeof(vt_huggingface)), .diag = diag};
    json_t *root;
    if (!r.h) return vt_no_memory(diag);
    VT_TRY(vt_json_parse((const char *)bytes, size, t->name, diag, &root));
    t->format = &format;
    t->huggingface = r.h;
    vta_status status = read_root(&r, root);
    json_decref(root);
    return status;
}
