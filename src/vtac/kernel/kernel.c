/* Reading a kernel file: statement by statement, going on after an error at the next statement. */
#include <string.h>

#include "base/file.h"
#include "base/nearest.h"
#include "kernel/priv.h"

enum { MAX_ERRORS = 20, LARGEST_FILE = 1 << 20 };

void vt__check(vt__reader *r, vta_status status) {
    if (status != VTA_OK) vt_leave(vt__ctx(r), status);
}

void *vt__made(vt__reader *r, void *object) {
    if (!object) vt_leave(vt__ctx(r), te_context_status(r->kernel->c));
    return object;
}

void vt__here(vt__reader *r) {
    vt_pos pos = r->parser.lx.token.pos;
    te_context_at(r->kernel->c, pos.file, pos.line, pos.column);
}

void vt__name_add(vt__reader *r, vt__names *names, const char *name) {
    vt_grow(vt__ctx(r), &names->items, &names->cap, names->n + 1, sizeof *names->items);
    names->items[names->n++] = name;
}

bool vt__name_in(const vt__names *names, const char *name, size_t size) {
    for (uint32_t i = 0; i < names->n; i++)
        if (strlen(names->items[i]) == size && memcmp(names->items[i], name, size) == 0) return true;
    return false;
}

/* ---- Statements ---- */

static const vt__statement *statement_at(const vt_lexer *lx) {
    const vt__statement *tables[] = {vt__declarations, vt__steps};
    for (int t = 0; t < 2; t++)
        for (const vt__statement *s = tables[t]; s->keyword; s++)
            if (vt_lex_is(lx, s->keyword)) return s;
    return NULL;
}

static bool starts_statement(const vt_lexer *lx) {
    return lx->token.kind == VT_T_END || (lx->token.starts_line && statement_at(lx));
}

/* Remembers what a statement that cannot be read would have named: the word after its keyword and those after "->". */
static void note_failed(vt__reader *r, vt_lexer lx) {
    bool declares = false;
    for (const vt__statement *s = vt__declarations; s->keyword; s++) declares = declares || vt_lex_is(&lx, s->keyword);
    bool next = declares || vt_lex_is(&lx, "stage"), list = false; /* names the next word; all words that follow */
    vt_lex_advance(&lx);
    for (; !starts_statement(&lx); vt_lex_advance(&lx)) {
        bool name = lx.token.kind == VT_T_NAME;
        if (name && (next || list) && !vt__name_in(&r->failed, lx.token.text, lx.token.size))
            vt__name_add(r, &r->failed, vt_new_stringn(vt__ctx(r), lx.token.text, lx.token.size));
        next = vt_lex_is(&lx, "as") || (next && !name);
        list = list || vt_lex_is(&lx, "->");
    }
}

/* Does the statement use a name whose definition failed? Then its own error would say nothing new. */
static bool uses_failed(const vt__reader *r, vt_lexer lx) {
    if (!r->failed.n) return false;
    vt_lex_advance(&lx);
    for (; !starts_statement(&lx); vt_lex_advance(&lx))
        if (lx.token.kind == VT_T_NAME && vt__name_in(&r->failed, lx.token.text, lx.token.size)) return true;
    return false;
}

/* A word at the beginning of a line that is no statement, as a rule a misspelt one. */
static void refuse_word(const vt_lexer *lx) {
    const vt__statement *tables[] = {vt__declarations, vt__steps};
    const char *names[64];
    char near[VT_SUGGESTION_BYTES];
    size_t count = 0;
    if (lx->token.kind != VT_T_NAME) return;
    for (int t = 0; t < 2; t++)
        for (const vt__statement *s = tables[t]; s->keyword && count < sizeof names / sizeof *names; s++)
            names[count++] = s->keyword;
    const char *word = vt_new_stringn(lx->ctx, lx->token.text, lx->token.size);
    if (!*vt_suggest(near, word, names, count)) return;
    vt_raise_at(lx->ctx, VTA_PARSE, lx->token.pos, "there is no statement \"%s\"%s", word, near);
}

static vta_status read_statement(vt_ctx *ctx, void *arg) {
    vt__reader *r = arg;
    vt_lexer *lx = &r->parser.lx;
    const vt__statement *s = statement_at(lx);
    if (!s) refuse_word(lx);
    if (!s) vt_lex_unexpected(lx, "a statement (input, tensor, output, stage, split, ...)");
    vt__here(r);
    vt_lex_advance(lx);
    s->read(r);
    if (!starts_statement(lx) && lx->token.starts_line) refuse_word(lx);
    if (!starts_statement(lx)) vt_lex_unexpected(lx, "the end of the statement; a new one begins a new line");
    (void)ctx;
    return VTA_OK;
}

/* Steps below a stage that could not be found would only repeat its error. */
static bool is_orphan(const vt__reader *r, const vt_lexer *lx) {
    if (r->stage || !r->failed.n || vt_lex_is(lx, "stage")) return false;
    for (const vt__statement *s = vt__steps; s->keyword; s++)
        if (vt_lex_is(lx, s->keyword)) return true;
    return false;
}

static vta_status read_all(vt_ctx *ctx, void *arg) {
    vt__reader *r = arg;
    vt_lexer *lx = &r->parser.lx;
    int errors = 0;
    while (lx->token.kind != VT_T_END && errors < MAX_ERRORS) {
        vt_poll(ctx);
        vt_lexer start = *lx;
        bool skip = uses_failed(r, *lx) || is_orphan(r, lx);
        if (skip && vt_lex_is(lx, "stage")) r->stage = NULL;
        r->parser.depth = r->parser.terms = r->parser.n_axes = 0;
        vta_status status = skip ? VTA_PARSE : vt_protect(ctx, read_statement, r);
        if (status == VTA_NO_MEMORY || status == VTA_INTERRUPTED) return status;
        if (status == VTA_OK) continue;
        errors += !skip;
        *lx = start;
        note_failed(r, start);
        do vt_lex_advance(lx);
        while (!starts_statement(lx));
    }
    return te_context_status(r->kernel->c);
}

typedef struct source {
    vtac_kernel *kernel;
    const char *text;
    size_t size;
    const char *name;
    const char *params;
} source;

static vta_status read_source(vt_ctx *ctx, void *arg) {
    const source *src = arg;
    vtac_kernel *k = src->kernel;
    k->name = "main";
    k->target = "vta";
    k->disabled = "";
    const char *text = vt_new_stringn(ctx, src->text, src->size);
    vt__reader *r = VT_NEW(ctx, vt__reader);
    *r = (vt__reader){.kernel = k};
    vt_pos start = {src->name ? vt_new_string(ctx, src->name) : NULL, 1, 1};
    vt_parser_init(&r->parser, k->c, text, src->size, start);
    vt__overrides_read(r, src->params);
    VT_TRY(read_all(ctx, r));
    vt__overrides_check(r);
    if (!k->outputs.n)
        vt_raise_at(ctx, VTA_PARSE, start, "the kernel has no output: write \"output NAME[shape] = expression\"");
    vt__schedule(r);
    te_context_at(k->c, NULL, 0, 0);
    return VTA_OK;
}

/* ---- Public ---- */

static bool is_kernel(const vtac_kernel *k) { return vt_is(k, VT_TAG_KERNEL); }

void vt__kernel_pass_on(const vta_diag *from, vta_diag *to) {
    for (size_t i = 0; i < vta_diag_count(from); i++) {
        vta_diag_entry e;
        if (vta_diag_get(from, i, &e) != VTA_OK) continue;
        vt_pos pos = {e.file, e.line, e.column};
        if (e.severity == VTA_ERROR) vt_fail_at(to, e.status, pos, "%s", e.message);
        if (e.severity == VTA_WARNING) vt_warn_at(to, e.status, pos, "%s", e.message);
        if (e.severity == VTA_NOTE) vt_note_at(to, pos, "%s", e.message);
        if (e.severity == VTA_DETAIL) vt_detail(to, "%s", e.message);
    }
}

vta_status vt__kernel_new(const vta_config *config, const vta_allocator *allocator, vta_diag *diag,
                          vtac_kernel **out_kernel) {
    vtac_kernel *k = *out_kernel = vt_alloc_zero(allocator, sizeof *k);
    if (!k) return vt_no_memory(diag);
    k->tag = VT_TAG_KERNEL;
    k->allocator = allocator;
    k->c = te_context_create(config, allocator);
    if (k->c) return te_context_status(k->c);
    vtac_kernel_destroy(k);
    *out_kernel = NULL;
    return vt_no_memory(diag);
}

vta_status vtac_kernel_parse(const char *text, size_t size, const char *name, const char *params,
                             const vta_config *config, const vta_allocator *allocator, vta_diag *diag,
                             vtac_kernel **out_kernel) {
    if (!out_kernel) return VTA_INVALID_ARGUMENT;
    *out_kernel = NULL;
    if (!text && size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "a kernel needs a text");
    vtac_kernel *k;
    vta_status status = vt__kernel_new(config, allocator, diag, &k);
    if (!k) return status;
    source src = {k, text ? text : "", size, name, params};
    if (status == VTA_OK) status = vt_protect(vt_te_ctx(k->c), read_source, &src);
    vt__kernel_pass_on(te_context_diag(k->c), diag);
    if (status != VTA_OK)
        vtac_kernel_destroy(k);
    else
        *out_kernel = k;
    return status;
}

vta_status vtac_kernel_load(const char *path, const char *params, const vta_config *config,
                            const vta_allocator *allocator, vta_diag *diag, vtac_kernel **out_kernel) {
    if (!out_kernel) return VTA_INVALID_ARGUMENT;
    *out_kernel = NULL;
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "a kernel file needs a path");
    char *text;
    size_t size;
    VT_TRY(vt_file_read(allocator, path, LARGEST_FILE, diag, &text, &size));
    vta_status status = vtac_kernel_parse(text, size, path, params, config, allocator, diag, out_kernel);
    vt_free(allocator, text, size + 1);
    return status;
}

void vtac_kernel_destroy(vtac_kernel *kernel) {
    if (!is_kernel(kernel)) return;
    te_context_destroy(kernel->c);
    kernel->tag = VT_TAG_NONE;
    vt_free(kernel->allocator, kernel, sizeof *kernel);
}

const char *vtac_kernel_name(const vtac_kernel *k) { return is_kernel(k) ? k->name : NULL; }
te_context *vtac_kernel_context(const vtac_kernel *k) { return is_kernel(k) ? k->c : NULL; }
te_schedule *vtac_kernel_schedule(const vtac_kernel *k) { return is_kernel(k) ? k->schedule : NULL; }
size_t vtac_kernel_arg_count(const vtac_kernel *k) { return is_kernel(k) ? k->inputs.n + k->outputs.n : 0; }
bool vtac_kernel_is_scheduled(const vtac_kernel *k) { return is_kernel(k) && k->scheduled; }
const char *vtac_kernel_target(const vtac_kernel *k) { return is_kernel(k) ? k->target : NULL; }
const char *vtac_kernel_disabled_passes(const vtac_kernel *k) { return is_kernel(k) ? k->disabled : NULL; }
bool vtac_kernel_arg_is_output(const vtac_kernel *k, size_t i) {
    return is_kernel(k) && i >= k->inputs.n && i < vtac_kernel_arg_count(k);
}

te_tensor *vtac_kernel_arg(const vtac_kernel *k, size_t i) {
    if (i >= vtac_kernel_arg_count(k)) return NULL;
    return i < k->inputs.n ? k->inputs.items[i] : k->outputs.items[i - k->inputs.n];
}
