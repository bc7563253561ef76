/* Statements, buffers, iterators, functions. */
#include <stddef.h>
#include <string.h>

#include "ir/build.h"

/* A statement takes the memory of its kind: a call of the runtime a quarter of what a block does. */
static const uint8_t sizes[VT_S_COUNT] = {
#define VT_STMT(name, text, member) [VT_S_##name] = offsetof(vt_stmt, u) + sizeof((vt_stmt *)0)->u.member,
#define VT_FIELD(name, member, field, type)
#include "ir/stmt.def"
#undef VT_STMT
#undef VT_FIELD
};

const vt_stmt *vt_s_new(vt_ctx *ctx, const vt_stmt *fields) {
    vt_stmt *s = vt_new_unset(ctx, sizes[fields->kind]);
    memcpy(s, fields, sizes[fields->kind]);
    s->tag = VT_TAG_STMT;
    return s;
}

vt_stmt vt_stmt_copy(const vt_stmt *s) {
    vt_stmt copy = {.kind = s->kind};
    memcpy(&copy, s, sizes[s->kind]);
    return copy;
}

static void need_body(vt_ctx *ctx, vt_stmt_kind kind, const vt_stmt *body) {
    if (!body) vt_raise(ctx, VTA_INTERNAL, "a statement of kind %s needs a body", vt_stmt_kind_text(kind));
}

const vt_stmt *vt_s_let(vt_ctx *ctx, const vt_var *v, const vt_expr *value, const vt_stmt *body) {
    need_body(ctx, VT_S_LET, body);
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_LET, .u.let = {v, value, body}});
}

const vt_stmt *vt_s_attr(vt_ctx *ctx, vt_ref node, const char *key, const vt_expr *value, const vt_stmt *body) {
    need_body(ctx, VT_S_ATTR, body);
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_ATTR, .u.attr = {node, vt_new_string(ctx, key), value, body}});
}

const vt_stmt *vt_s_assert(vt_ctx *ctx, const vt_expr *condition, const vt_expr *message, const vt_stmt *body) {
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_ASSERT, .u.assertion = {condition, message, body}});
}

const vt_stmt *vt_s_for(vt_ctx *ctx, const vt_var *v, const vt_expr *min, const vt_expr *extent, vt_for_kind kind,
                        const vt_stmt *body) {
    need_body(ctx, VT_S_FOR, body);
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_FOR,
                                    .u.loop = {.var = v, .min = min, .extent = extent, .kind = kind, .body = body}});
}

const vt_stmt *vt_s_alloc(vt_ctx *ctx, const vt_var *v, vt_dtype t, uint32_t n, const vt_expr *const *extents,
                          const vt_expr *condition, const vt_stmt *body) {
    need_body(ctx, VT_S_ALLOC, body);
    if (!v->u.var->pointer) vt_raise(ctx, VTA_INTERNAL, "allocate of %s, which is not a pointer", vt_var_name(v));
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_ALLOC,
                                    .u.alloc = {.var = v,
                                                .dtype = t,
                                                .n_extents = n,
                                                .extents = vt_exprs_copy(ctx, n, extents),
                                                .condition = condition ? condition : vt_bool(ctx, true),
                                                .body = body}});
}

const vt_stmt *vt_s_store(vt_ctx *ctx, const vt_buffer *buffer, const vt_expr *value, uint32_t n,
                          const vt_expr *const *indices) {
    if (n != buffer->ndim)
        vt_raise(ctx, VTA_INTERNAL, "store to %s with %u indices: it has %u dimensions", buffer->name, n, buffer->ndim);
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_STORE, .u.store = {buffer, value, n, vt_exprs_copy(ctx, n, indices)}});
}

const vt_stmt *vt_s_pstore(vt_ctx *ctx, const vt_tensor *tensor, const vt_expr *value, uint32_t n,
                           const vt_expr *const *indices) {
    return vt_s_new(ctx,
                    &(vt_stmt){.kind = VT_S_PSTORE, .u.pstore = {tensor, value, n, vt_exprs_copy(ctx, n, indices)}});
}

const vt_stmt *vt_s_realize(vt_ctx *ctx, const vt_tensor *tensor, uint32_t n, const vt_range *bounds,
                            const vt_expr *condition, const char *scope, const vt_stmt *body) {
    need_body(ctx, VT_S_REALIZE, body);
    vt_range *own = VT_NEW_ARRAY(ctx, vt_range, n);
    if (n) memcpy(own, bounds, n * sizeof *own);
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_REALIZE,
                                    .u.realize = {tensor, n, own, condition ? condition : vt_bool(ctx, true),
                                                  vt_new_string(ctx, scope ? scope : ""), body}});
}

static uint32_t count_flat(uint32_t n, const vt_stmt *const *items) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < n; i++) total += items[i]->kind == VT_S_SEQ ? items[i]->u.seq.n_items : 1;
    return total;
}

const vt_stmt *vt_s_seq(vt_ctx *ctx, uint32_t n, const vt_stmt *const *items) {
    if (n == 1) return items[0];
    uint32_t total = count_flat(n, items), at = 0;
    const vt_stmt **flat = VT_NEW_ARRAY(ctx, const vt_stmt *, total);
    for (uint32_t i = 0; i < n; i++) {
        bool nested = items[i]->kind == VT_S_SEQ;
        uint32_t count = nested ? items[i]->u.seq.n_items : 1;
        if (count) memcpy(flat + at, nested ? items[i]->u.seq.items : items + i, count * sizeof *flat);
        at += count;
    }
    if (total == 1) return flat[0];
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_SEQ, .u.seq = {total, flat}});
}

const vt_stmt *vt_s_if(vt_ctx *ctx, const vt_expr *condition, const vt_stmt *then_case, const vt_stmt *else_case) {
    need_body(ctx, VT_S_IF, then_case);
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_IF, .u.branch = {condition, then_case, else_case}});
}

const vt_stmt *vt_s_eval(vt_ctx *ctx, const vt_expr *value) {
    return vt_s_new(ctx, &(vt_stmt){.kind = VT_S_EVAL, .u.eval = {value}});
}

const vt_stmt *vt_s_nop(vt_ctx *ctx) { return vt_s_eval(ctx, vt_i32(ctx, 0)); }

bool vt_stmt_is_nop(const vt_stmt *s) {
    if (s->kind == VT_S_EVAL) return s->u.eval.value->kind == VT_E_INT;
    return s->kind == VT_S_SEQ && s->u.seq.n_items == 0;
}

const vt_iter *vt_iter_new(vt_ctx *ctx, const vt_var *v, const vt_expr *min, const vt_expr *extent, vt_iter_type type,
                           const char *thread_tag) {
    vt_iter *it = VT_NEW(ctx, vt_iter);
    *it = (vt_iter){VT_TAG_AXIS, v, min, extent, type, vt_new_string(ctx, thread_tag ? thread_tag : "")};
    return it;
}

const vt_buffer *vt_buffer_with(vt_ctx *ctx, const vt_buffer *fields) {
    vt_buffer *b = VT_NEW(ctx, vt_buffer);
    *b = *fields;
    b->tag = VT_TAG_BUFFER;
    return b;
}

const vt_buffer *vt_buffer_new(vt_ctx *ctx, const char *name, const vt_var *data, vt_dtype t, uint32_t ndim,
                               const vt_expr *const *shape) {
    if (!data) data = vt_var_new_pointer(ctx, name, t, "");
    return vt_buffer_with(ctx, &(vt_buffer){.name = vt_new_string(ctx, name),
                                            .data = data,
                                            .dtype = t,
                                            .ndim = ndim,
                                            .shape = vt_exprs_copy(ctx, ndim, shape),
                                            .elem_offset = vt_int(ctx, ndim ? shape[0]->dtype : VT_I32, 0),
                                            .data_alignment = 64,
                                            .offset_factor = 1});
}

const vt_expr *vt_buffer_offset(vt_ctx *ctx, const vt_buffer *b, uint32_t n, const vt_expr *const *indices) {
    if (n != b->ndim && !(n == 1 && !b->n_strides))
        vt_raise(ctx, VTA_INTERNAL, "%u indices into %s, which has %u dimensions", n, b->name, b->ndim);
    const vt_expr *offset = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (b->n_strides) {
            const vt_expr *term = vt_mul(ctx, indices[i], b->strides[i]);
            offset = offset ? vt_add(ctx, offset, term) : term;
        } else {
            offset = offset ? vt_add(ctx, vt_mul(ctx, offset, b->shape[i]), indices[i]) : indices[i];
        }
    }
    if (!offset) return b->elem_offset;
    return vt_is_const(b->elem_offset, 0) ? offset : vt_add(ctx, offset, b->elem_offset);
}

const vt_func *vt_func_with_body(vt_ctx *ctx, const vt_func *f, const vt_stmt *body) {
    if (f->body == body) return f;
    vt_func *copy = VT_NEW(ctx, vt_func);
    *copy = *f;
    copy->body = body;
    return copy;
}

const vt_expr *vt_func_attr(const vt_func *f, const char *key) {
    for (uint32_t i = 0; i < f->n_attrs; i++)
        if (!strcmp(f->attrs[i].key, key)) return f->attrs[i].value;
    return NULL;
}

const vt_func *vt_func_with_attr(vt_ctx *ctx, const vt_func *f, const char *key, const vt_expr *value) {
    vt_note *attrs = VT_NEW_ARRAY(ctx, vt_note, f->n_attrs + 1);
    uint32_t n = 0, i = 0;
    for (; i < f->n_attrs && strcmp(f->attrs[i].key, key) < 0; i++) attrs[n++] = f->attrs[i];
    if (value) attrs[n++] = (vt_note){vt_new_string(ctx, key), value};
    if (i < f->n_attrs && !strcmp(f->attrs[i].key, key)) i++;
    for (; i < f->n_attrs; i++) attrs[n++] = f->attrs[i];
    vt_func *copy = VT_NEW(ctx, vt_func);
    *copy = *f;
    copy->attrs = attrs;
    copy->n_attrs = n;
    return copy;
}
