/* An operator's kernel file under its caller's names: of the function, of its arguments, and their order. */
#include <ctype.h>
#include <string.h>

#include "operators/ops.h"
#include "te/te.h"

enum { MAX = 2 * VT_EPILOGUE_MAX + 4 };

typedef struct name {
    char own[24], *given;
    vt_dtype dtype; /* as the caller declares the argument */
    size_t ndim;
    int64_t dims[VT_OP_DIMS];
} name;

struct vt_op_names {
    const vta_allocator *allocator;
    uint32_t n; /* the function, then its arguments in their order, the result last */
    name of[MAX];
};

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static bool lengthen(const vta_allocator *allocator, char **word) {
    size_t n = strlen(*word);
    char *longer = vt_alloc(allocator, n + 2);
    if (!longer) return false;
    memcpy(longer, *word, n);
    memcpy(longer + n, "_", 2);
    vt_strfree(allocator, *word);
    *word = longer;
    return true;
}

/* May a kernel file call a tensor so? Words of the language it may not. */
static bool is_allowed(const vta_allocator *allocator, const char *word) {
    vt_strbuf text;
    vtac_kernel *kernel = NULL;
    vt_strbuf_init(&text, allocator);
    vt_strbuf_addf(&text, "input %s: int32[1]\noutput %s_res[i: 1] = %s[i]\n", word, word, word);
    vta_status status = vtac_kernel_parse(vt_strbuf_text(&text), text.size, NULL, NULL, NULL, allocator, NULL, &kernel);
    vtac_kernel_destroy(kernel);
    vt_strbuf_free(&text);
    return status == VTA_OK || status == VTA_NO_MEMORY;
}

/* The name as kernel files may have it: letters, digits and '_', no digit first; of tensors no word of the language. */
static char *plain(const vta_allocator *allocator, const char *text, bool tensor) {
    char *copy = vt_strdup(allocator, *text ? text : "_");
    for (char *at = copy; at && *at; at++)
        if (!is_word(*at) || (at == copy && isdigit((unsigned char)*at))) *at = '_';
    if (!copy || !tensor || is_allowed(allocator, copy) || lengthen(allocator, &copy)) return copy;
    vt_strfree(allocator, copy);
    return NULL;
}

bool vt__op_names_add(vt_op_names *names, const char *own, const char *given, const te_tensor *argument) {
    if (names->n == MAX || strlen(own) >= sizeof names->of[0].own) return false;
    name *to = &names->of[names->n];
    strcpy(to->own, own);
    if (argument) {
        to->dtype = vt_te_tensor(argument)->dtype;
        to->ndim = te_tensor_ndim(argument);
        for (size_t i = 0; i < to->ndim && i < VT_OP_DIMS; i++) to->dims[i] = te_tensor_dim(argument, i);
    }
    to->given = plain(names->allocator, given, names->n > 0);
    names->n += to->given != NULL;
    return to->given;
}

vt_op_names *vt__op_names_new(const vta_allocator *allocator, const char *own, const char *given) {
    vt_op_names *names = vt_alloc_zero(allocator, sizeof *names);
    if (!names) return NULL;
    names->allocator = allocator;
    if (vt__op_names_add(names, own, given, NULL)) return names;
    vt__op_names_free(names);
    return NULL;
}

void vt__op_names_free(vt_op_names *names) {
    if (!names) return;
    for (uint32_t i = 0; i < names->n; i++) vt_strfree(names->allocator, names->of[i].given);
    vt_free(names->allocator, names, sizeof *names);
}

const char *vt__op_names_own(const vt_op_names *names, uint32_t index) {
    return index + 1 < names->n ? names->of[index + 1].own : "";
}

/* ---- Names that nothing else has ------------------------------------------------------------------------------- */

static size_t word_at(const char *at) {
    size_t n = 0;
    while (is_word(at[n])) n++;
    return n;
}

static bool is(const char *at, size_t n, const char *word) { return strlen(word) == n && !strncmp(at, word, n); }

/* Of an argument: an operator may be called as a function of kernel files is (max). */
static uint32_t index_of(const vt_op_names *names, const char *at, size_t n) {
    uint32_t i = 1;
    while (i < names->n && !is(at, n, names->of[i].own)) i++;
    return i;
}

/* Does the text use the word for something that keeps its name? */
static bool taken(const vt_op_names *names, const char *text, const char *word) {
    for (const char *at = strchr(text, '\n'); at && *at;) { /* behind "kernel NAME" */
        size_t n = word_at(at);
        if (n && is(at, n, word) && index_of(names, at, n) == names->n) return true;
        at += n ? n : 1;
    }
    return false;
}

static bool make_distinct(vt_op_names *names, const char *text) {
    for (uint32_t i = 0; i < names->n; i++) {
        bool again = i && taken(names, text, names->of[i].given);
        for (uint32_t k = 0; k < i; k++) again |= !strcmp(names->of[k].given, names->of[i].given);
        if (!again) continue;
        if (!lengthen(names->allocator, &names->of[i].given)) return false;
        i--;
    }
    return true;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static void rename_words(const vt_op_names *names, const char *at, const char *end, vt_strbuf *out) {
    while (at < end) {
        size_t n = word_at(at);
        uint32_t i = n ? index_of(names, at, n) : names->n;
        if (i < names->n)
            vt_strbuf_add(out, names->of[i].given);
        else
            vt_strbuf_addn(out, at, n ? n : 1);
        at += n ? n : 1;
    }
}

static const char *line_end(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

static bool is_input(const char *line) { return !strncmp(line, "input ", 6); }

/* The declarations of arguments, in the caller's order. */
static void write_inputs(const vt_op_names *names, const char *text, vt_strbuf *out) {
    for (uint32_t i = 1; i < names->n; i++)
        for (const char *at = text; *at; at = line_end(at))
            if (is_input(at) && is(at + 6, word_at(at + 6), names->of[i].own))
                rename_words(names, at, line_end(at), out);
}

void vt__op_names_apply(vt_op_names *names, const char *text, vt_strbuf *out) {
    bool declared = false;
    out->failed |= !make_distinct(names, text);
    vt_strbuf_addf(out, "kernel %s\n", names->of[0].given);
    for (const char *at = line_end(text); *at; at = line_end(at)) {
        if (!is_input(at)) {
            rename_words(names, at, line_end(at), out);
            continue;
        }
        if (!declared) write_inputs(names, text, out);
        declared = true;
    }
}

/* ---- The arguments themselves ---------------------------------------------------------------------------------- */

static bool is_declared_so(const name *n, const te_tensor *t) {
    if (te_tensor_ndim(t) != n->ndim || !vt_dtype_eq(vt_te_tensor(t)->dtype, n->dtype)) return false;
    for (size_t i = 0; i < n->ndim && i < VT_OP_DIMS; i++)
        if (te_tensor_dim(t, i) != n->dims[i]) return false;
    return true;
}

vta_status vt__op_names_check(const vt_op_names *names, const char *op, const vtac_kernel *kernel, vta_diag *diag) {
    for (size_t k = 0; k < vtac_kernel_arg_count(kernel); k++) {
        const te_tensor *t = vtac_kernel_arg(kernel, k);
        for (uint32_t i = 1; i < names->n; i++)
            if (!strcmp(names->of[i].given, te_tensor_name(t)) && !is_declared_so(&names->of[i], t))
                return vt_fail(diag, VTA_UNSUPPORTED,
                               "%s: argument %s has another shape or type than the \"%s\" of %s: declare it with the "
                               "elements that are read",
                               names->of[0].given, names->of[i].given, names->of[i].own, op);
    }
    return VTA_OK;
}
