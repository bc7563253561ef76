/* What a kernel says about itself in its object: name, arguments, the configuration it was made for. */
#include <string.h>

#include "base/arena_text.h"
#include "base/json_write.h"
#include "codegen/prepare.h"
#include "ir/print.h"
#include "ir/runtime_call.h"
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

static bool stores(const vt_expr *e) { return VT_IS_RUNTIME(e, VTAStoreBuffer2D); }

static bool look_at_expr(void *user, const vt_expr *e) {
    writes *w = user;
    if (e->n == 0) return false;
    if (stores(e))
        for (uint32_t i = 1; i < e->n; i++) w->found = w->found || vt_expr_uses(e->a[i], w->data);
    return !w->found;
}

static bool look_at_stmt(void *user, const vt_stmt *s) {
    writes *w = user;
    if (s->kind == VT_S_STORE && s->u.store.buffer->data == w->data) w->found = true;
    return !w->found && !vt_attr_is(s, VT_ATTR_UOPS);
}

static bool is_written(const vt_func *f, const vt_var *data) {
    writes w = {.data = data};
    vt_stmt_walk(f->body, look_at_expr, look_at_stmt, &w);
    return w.found;
}

/* ---- The text ---------------------------------------------------------------------------------------------------- */

/* Extents that are not constants are written as text. */
static void write_shape(vt_json *w, vt_ctx *ctx, const vt_buffer *b) {
    vt_json_array(w, "shape");
    for (uint32_t i = 0; i < b->ndim; i++) {
        const vt_expr *e = b->shape[i];
        if (e->kind == VT_E_INT)
            vt_json_int(w, NULL, e->u.i);
        else
            vt_json_text(w, NULL, vt_expr_text(ctx, e));
    }
    vt_json_end(w);
}

static void write_device(vt_json *w, int32_t device) {
    if (device == VT_DEVICE_EXT_DEV || device == VT_DEVICE_CPU)
        vt_json_text(w, "device", device == VT_DEVICE_CPU ? "cpu" : "ext_dev");
    else
        vt_json_int(w, "device", device);
}

static void write_param(vt_json *w, vt_ctx *ctx, const vt_codegen_func *cf, const vt__param *p) {
    char type[VT_DTYPE_TEXT];
    const vt_binding *binding = p->binding;
    const vt_buffer *b = !binding ? NULL : binding->unflattened ? binding->unflattened : binding->buffer;
    vt_json_object(w, NULL);
    vt_json_text(w, "name", b ? binding->buffer->name : vt_var_name(p->var));
    vt_json_text(w, "dtype", vt_dtype_text(b ? b->dtype : p->var->dtype, type));
    if (b) {
        write_shape(w, ctx, b);
        write_device(w, cf->device_type);
        vt_json_bool(w, "output", is_written(cf->func, binding->buffer->data));
    }
    vt_json_end(w);
}

const char *vt__signature_text(vt_ctx *ctx, const vt_codegen_func *cf, const vt__entry *entry) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    vt_json w;
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_json_int(&w, "version", VTA_SIGNATURE_VERSION);
    vt_json_text(&w, "name", entry->name);
    vt_json_array(&w, "args");
    for (uint32_t i = 0; i < entry->n_params; i++) write_param(&w, ctx, cf, &entry->params[i]);
    vt_json_end(&w);
    vt_json_raw(&w, "config", cf->config ? cf->config : "null");
    if (cf->computes) vt_json_text(&w, "computes", cf->computes);
    vt_json_end(&w);
    return vt_arena_text_take(ctx, &sb);
}
