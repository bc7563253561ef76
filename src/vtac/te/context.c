/* The te_context: memory, errors, names, and the arguments of public calls. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/build_id.h"
#include "base/strbuf.h"
#include "te/schedule.h"

static const struct {
    const char *name;
    uint32_t (*value)(const vta_config *config);
} shapes[] = {{"BATCH", vta_config_batch}, {"BLOCK_IN", vta_config_block_in}, {"BLOCK_OUT", vta_config_block_out}};

static const struct {
    const char *width;
    const char *alias;
    vta_memory memory;
} memories[] = {{"INP_WIDTH", "inp_t", VTA_MEM_INP},
                {"WGT_WIDTH", "wgt_t", VTA_MEM_WGT},
                {"ACC_WIDTH", "acc_t", VTA_MEM_ACC},
                {"OUT_WIDTH", "out_t", VTA_MEM_OUT}};

static const struct {
    const char *name, *scope;
} scopes[] = {
#define VT_SCOPE(MEMORY, name, scope) {name, scope},
#include "ir/scope.def"
#undef VT_SCOPE
};
enum {
    N_SHAPES = sizeof shapes / sizeof *shapes,
    N_MEMORIES = sizeof memories / sizeof *memories,
    N_SCOPES = sizeof scopes / sizeof *scopes
};

static void add_names(te_context *c) {
    for (size_t i = 0; i < N_SHAPES; i++)
        te__symbol_add(c, TE__CONSTANT, shapes[i].name, shapes[i].value(c->config), NULL);
    for (size_t i = 0; i < N_MEMORIES; i++)
        te__symbol_add(c, TE__CONSTANT, memories[i].width, vta_config_width(c->config, memories[i].memory), NULL);
}

static bool is_context(const te_context *c) { return vt_is(c, VT_TAG_CONTEXT); }

static vta_status start(te_context *c) { TE_RETURN_STATUS(c, add_names(c)); }

te_context *te_context_create(const vta_config *config, const vta_allocator *allocator) {
    te_context *c = vt_alloc_zero(allocator, sizeof *c);
    if (!c) return NULL;
    c->tag = VT_TAG_CONTEXT;
    c->allocator = allocator;
    vta_diag *diag = vta_diag_create(allocator);
    /* Another build's configuration is not read; the error is the context's. */
    bool readable = vt_check_build(vta_build_id(), diag) == VTA_OK;
    c->config = config && readable ? vta_config_retain(config) : vta_config_default();
    vt_ctx_init(&c->ctx, allocator, diag);
    atomic_init(&c->interrupt, false);
    c->ctx.interrupt = &c->interrupt;
    if (!c->config || !diag || start(c) != VTA_OK) {
        te_context_destroy(c);
        return NULL;
    }
    return c;
}

void te_context_destroy(te_context *c) {
    if (!vt_is(c, VT_TAG_CONTEXT)) return;
    vta_diag *diag = c->ctx.diag;
    vt_ctx_clear(&c->ctx);
    vta_diag_destroy(diag);
    if (c->config) vta_config_release(c->config);
    c->tag = VT_TAG_NONE;
    vt_free(c->allocator, c, sizeof *c);
}

const vta_config *te_context_config(const te_context *c) { return is_context(c) ? c->config : NULL; }
vta_diag *te_context_diag(te_context *c) { return is_context(c) ? c->ctx.diag : NULL; }
vta_status te_context_status(const te_context *c) {
    return is_context(c) ? vta_diag_status(c->ctx.diag) : VTA_INVALID_ARGUMENT;
}
size_t te_context_bytes(const te_context *c) { return is_context(c) ? vt_ctx_bytes((vt_ctx *)(uintptr_t)&c->ctx) : 0; }
vt_ctx *vt_te_ctx(te_context *c) { return &c->ctx; }

void te_context_interrupt(te_context *c, bool raised) {
    if (is_context(c)) atomic_store_explicit(&c->interrupt, raised, memory_order_relaxed);
}

/* ---- Several contexts ---- */

static bool uses(const te_context *c, const te_context *other) {
    for (uint32_t i = 0; i < c->n_used; i++)
        if (c->used[i] == other) return true;
    return c == other;
}

static void use(te_context *c, const te_context *other) {
    if (!vt_is(other, VT_TAG_CONTEXT)) te__raise(c, VTA_INVALID_ARGUMENT, "what is to be used is not a context");
    if (other->config != c->config)
        te__raise(c, VTA_INVALID_ARGUMENT, "a context uses those of its own configuration, not of another one");
    if (uses(c, other)) return;
    vt_grow(&c->ctx, &c->used, &c->cap_used, c->n_used + 1, sizeof *c->used);
    c->used[c->n_used++] = other;
}

vta_status te_context_use(te_context *c, const te_context *other) { TE_RETURN_STATUS(c, use(c, other)); }

void te__need_context(te_context *c, const vt_operation *op) {
    if (uses(c, op->c)) return;
    te__raise(c, VTA_INVALID_ARGUMENT, "%s belongs to another context: te_context_use makes its objects usable here",
              op->name);
}

/* ---- Positions ---- */

static void set_position(te_context *c, const char *name, uint32_t line, uint32_t column) {
    const char *file = c->pos.file;
    if (!name)
        file = NULL;
    else if (!file || strcmp(file, name) != 0)
        file = vt_new_string(&c->ctx, name);
    c->pos = (vt_pos){file, line, column};
}

static vta_status move_to(te_context *c, const char *file, uint32_t line, uint32_t column) {
    TE_RETURN_STATUS(c, set_position(c, file, line, column));
}

void te_context_at(te_context *c, const char *file, uint32_t line, uint32_t column) {
    move_to(c, file, line, column); /* out of memory: it stays where it is */
}

/* ---- Names ---- */

void te__symbol_add(te_context *c, te__symbol_kind kind, const char *name, int64_t value, const void *node) {
    vt_grow(&c->ctx, &c->symbols, &c->cap_symbols, c->n_symbols + 1, sizeof *c->symbols);
    c->symbols[c->n_symbols++] = (te__symbol){kind, name, value, node};
}

const te__symbol *te__symbol_find(const te_context *c, const char *name, te__symbol_kind kind) {
    for (uint32_t i = c->n_symbols; i > 0; i--) {
        const te__symbol *s = &c->symbols[i - 1];
        bool fits = kind == TE__NO_TENSOR ? s->kind != TE__TENSOR : s->kind == kind;
        if (fits && strcmp(s->name, name) == 0) return s;
    }
    return NULL;
}

const char *te__name(te_context *c, const char *name, const char *what) {
    te__need(c, name, what);
    bool ok = isalpha((unsigned char)*name) || *name == '_';
    for (const char *p = name; *p; p++) ok = ok && (isalnum((unsigned char)*p) || *p == '_' || *p == '.');
    if (!ok)
        te__raise(c, VTA_INVALID_ARGUMENT, "\"%s\" is not a name for %s: a letter or _, then letters, digits, _ and .",
                  name, what);
    return vt_new_string(&c->ctx, name);
}

vta_status te_constant(te_context *c, const char *name, int64_t value) {
    TE_RETURN_STATUS(c, te__symbol_add(c, TE__CONSTANT, te__name(c, name, "a constant"), value, NULL));
}

te_tensor *te_find_tensor(te_context *c, const char *name) {
    const te__symbol *s = is_context(c) && name ? te__symbol_find(c, name, TE__TENSOR) : NULL;
    return s ? te__tensor_out(s->node) : NULL;
}

void vt_te_name_tensor(te_context *c, const char *name, const te_tensor *t) {
    te__symbol_add(c, TE__TENSOR, te__name(c, name, "a tensor"), 0, t);
}

te_axis *te_find_reduce_axis(te_context *c, const char *name) {
    const te__symbol *s = is_context(c) && name ? te__symbol_find(c, name, TE__AXIS) : NULL;
    return s ? te__axis_out(s->node) : NULL;
}

const char *te__scope(te_context *c, const char *scope) {
    te__need(c, scope, "a scope");
    if (!*scope || strcmp(scope, "global") == 0) return vt_new_string(&c->ctx, scope);
    for (size_t i = 0; i < N_SCOPES; i++)
        if (strcmp(scope, scopes[i].name) == 0 || strcmp(scope, scopes[i].scope) == 0) return scopes[i].scope;
    static const char *const plain[] = {"local", "shared", "warp"}, *const tagged[] = {"global.", "shared."};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(scope, plain[i]) == 0) return plain[i];
    for (size_t i = 0; i < sizeof tagged / sizeof *tagged; i++)
        if (strncmp(scope, tagged[i], strlen(tagged[i])) == 0) return te__name(c, scope, "a storage scope");
    te__raise(c, VTA_INVALID_ARGUMENT,
              "there is no storage scope \"%s\": use inp, wgt, acc, local, shared, warp or global", scope);
}

vt_dtype te__dtype(te_context *c, const char *text) {
    te__need(c, text, "a type");
    vt_dtype t;
    for (size_t i = 0; i < N_MEMORIES; i++)
        if (strcmp(text, memories[i].alias) == 0)
            return VT_DTYPE(VT_INT, vta_config_width(c->config, memories[i].memory), 1);
    if (!vt_dtype_parse(text, &t) || t.code == VT_HANDLE || t.lanes != 1)
        te__raise(c, VTA_INVALID_ARGUMENT,
                  "\"%s\" is not a type: write int8, uint16, int32, float32, bool, inp_t, acc_t, ...", text);
    return t;
}

vt_dtype te__value_dtype(te_context *c, const char *text) {
    vt_dtype t;
    bool fine = text && vt_dtype_parse(text, &t) && (t.lanes > 1 || vt_dtype_is_handle(t));
    return fine ? t : te__dtype(c, text);
}

const char *te__dtype_text(te_context *c, vt_dtype t) {
    char text[VT_DTYPE_TEXT];
    return vt_new_string(&c->ctx, vt_dtype_text(t, text));
}

/* ---- Errors and arguments ---- */

/* The status to leave with: another one when there was no memory for the words. */
static vta_status record(te_context *c, vt_pos pos, vta_status status, const char *fmt, va_list args) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, c->allocator);
    vt_strbuf_vaddf(&sb, fmt, args);
    if (sb.failed)
        status = vt_no_memory(c->ctx.diag);
    else
        vt_fail_at(c->ctx.diag, status, pos, "%s", vt_strbuf_text(&sb));
    vt_strbuf_free(&sb);
    return status;
}

void te__raise(te_context *c, vta_status status, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    status = record(c, c->pos, status, fmt, args);
    va_end(args);
    vt_leave(&c->ctx, status);
}

void te__raise_at(te_context *c, vt_pos pos, vta_status status, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    status = record(c, pos, status, fmt, args);
    va_end(args);
    vt_leave(&c->ctx, status);
}

void te__need(te_context *c, const void *object, const char *what) {
    if (object) return;
    if (vta_diag_status(c->ctx.diag) == VTA_OK) te__raise(c, VTA_INVALID_ARGUMENT, "NULL where %s is expected", what);
    vt_leave(&c->ctx, VTA_INVALID_ARGUMENT);
}

void te__need_a(te_context *c, vt_tag tag, const void *object, const char *what) {
    te__need(c, object, what);
    if (!vt_is(object, tag))
        te__raise(c, VTA_INVALID_ARGUMENT, "%s is given where %s is expected", vt_tag_text(object), what);
}

const vt_expr *te__expr_in(te_context *c, const te_expr *e, const char *what) {
    te__need_a(c, VT_TAG_EXPR, e, what);
    return vt_te_expr(e);
}

const vt_iter *te__axis_in(te_context *c, const te_axis *axis, const char *what) {
    te__need_a(c, VT_TAG_AXIS, axis, what);
    return vt_te_iter(axis);
}

const vt_tensor *te__tensor_in(te_context *c, const te_tensor *t, const char *what) {
    te__need_a(c, VT_TAG_TENSOR, t, what);
    return vt_te_tensor(t);
}

const vt_expr *const *te__exprs_in(te_context *c, size_t n, te_expr *const *list, const char *what) {
    if (n) te__need(c, list, "a list");
    for (size_t i = 0; i < n; i++) te__expr_in(c, list[i], what);
    return (const vt_expr *const *)(const void *)list;
}

const vt_iter *const *te__axes_in(te_context *c, size_t n, te_axis *const *list, const char *what) {
    if (n) te__need(c, list, "a list");
    for (size_t i = 0; i < n; i++) te__axis_in(c, list[i], what);
    return (const vt_iter *const *)(const void *)list;
}
