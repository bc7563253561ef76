/* What a kernel says about itself in its object: name, arguments, the configuration it was made for. */
#include <string.h>

#include "codegen/prepare.h"
#include "ir/print.h"
#include "ir/visit.h"
#include "vta/module.h"

const char *vt__signature_symbol(vt_ctx *ctx, const char *name) {
    return vt_new_format(ctx, "%s%s", VTA_SIGNATURE_PREFIX, name);
}

/* ---- Outputs: what the function writes --------------------------------------------------------------------------- */

typedef struct writes {
    const vt_var *data; /* of one tensor */
    bool found;
} writes;

static bool stores(const vt_expr *e) {
    return vt_is_call(e, VT_OP_CALL_EXTERN) && e->n && e->a[0]->kind == VT_E_STRING &&
           strcmp(e->a[0]->u.s, "VTAStoreBuffer2D") == 0;
}

static bool look_at_expr(void *user, const vt_expr *e) {
    writes *w = user;
    for (uint32_t i = 1; stores(e) && i < e->n; i++) w->found = w->found || vt_expr_uses(e->a[i], w->data);
    return !w->found;
}

static bool look_at_stmt(void *user, const vt_stmt *s) {
    writes *w = user;
    if (s->kind == VT_S_STORE && s->u.store.buffer->data == w->data) w->found = true;
    return !w->found;
}

static bool is_written(const vt_func *f, const vt_var *data) {
    writes w = {.data = data};
    vt_stmt_walk(f->body, look_at_expr, look_at_stmt, &w);
    return w.found;
}

/* ---- The text ---------------------------------------------------------------------------------------------------- */

/* A JSON string with its quotes. */
static const char *quoted(vt_ctx *ctx, const char *text) {
    char *out = vt_new_bytes(ctx, strlen(text) * 6 + 3), *p = out;
    static const char digits[] = "0123456789abcdef";
    *p++ = '"';
    for (; *text; text++) {
        unsigned char ch = (unsigned char)*text;
        if (ch < 32) {
            memcpy(p, "\\u00", 4);
            p[4] = digits[ch / 16];
            p[5] = digits[ch % 16];
            p += 6;
            continue;
        }
        if (ch == '"' || ch == '\\') *p++ = '\\';
        *p++ = (char)ch;
    }
    *p = '"';
    return out;
}

/* Extents that are no constants stand as text. */
static const char *shape_text(vt_ctx *ctx, const vt_buffer *b) {
    const char *text = "";
    for (uint32_t i = 0; i < b->ndim; i++) {
        const vt_expr *e = b->shape[i];
        const char *extent =
            e->kind == VT_E_INT ? vt_new_format(ctx, "%lld", (long long)e->u.i) : quoted(ctx, vt_expr_text(ctx, e));
        text = vt_new_format(ctx, "%s%s%s", text, i ? ", " : "", extent);
    }
    return text;
}

static const char *device_text(vt_ctx *ctx, int32_t device) {
    if (device == VT_DEVICE_EXT_DEV) return "\"ext_dev\"";
    return device == VT_DEVICE_CPU ? "\"cpu\"" : vt_new_format(ctx, "%d", (int)device);
}

static const char *param_text(vt_ctx *ctx, const vt_codegen_func *cf, const vt__param *p) {
    char type[VT_DTYPE_TEXT];
    if (!p->binding)
        return vt_new_format(ctx, "{\"name\": %s, \"dtype\": \"%s\"}", quoted(ctx, vt_var_name(p->var)),
                             vt_dtype_text(p->var->dtype, type));
    const vt_buffer *b = p->binding->unflattened ? p->binding->unflattened : p->binding->buffer;
    return vt_new_format(ctx, "{\"name\": %s, \"dtype\": \"%s\", \"shape\": [%s], \"device\": %s, \"output\": %s}",
                         quoted(ctx, p->binding->buffer->name), vt_dtype_text(b->dtype, type), shape_text(ctx, b),
                         device_text(ctx, cf->device_type),
                         is_written(cf->func, p->binding->buffer->data) ? "true" : "false");
}

const char *vt__signature_text(vt_ctx *ctx, const vt_codegen_func *cf, const vt__entry *entry) {
    const char *args = "";
    for (uint32_t i = 0; i < entry->n_params; i++)
        args = vt_new_format(ctx, "%s%s%s", args, i ? ", " : "", param_text(ctx, cf, &entry->params[i]));
    const char *computes = cf->computes ? vt_new_format(ctx, ", \"computes\": %s", quoted(ctx, cf->computes)) : "";
    return vt_new_format(ctx, "{\"version\": %d, \"name\": %s, \"args\": [%s], \"config\": %s%s}",
                         VTA_SIGNATURE_VERSION, quoted(ctx, entry->name), args, cf->config ? cf->config : "null",
                         computes);
}
