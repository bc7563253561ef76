/* The statements of a function as a tree for programs that look at it: stmt.def seen from outside. */
#include "base/versioned.h"
#include "ir/fields.h"
#include "ir/handle.h"

static const vt_stmt *inside(const vtac_stmt *s) {
    return vt_is(s, VT_TAG_STMT) ? (const vt_stmt *)(const void *)s : NULL;
}

const vtac_stmt *vtac_func_body(const vtac_func *func) {
    return vt_is(func, VT_TAG_FUNC) ? (const vtac_stmt *)(const void *)func->func->body : NULL;
}

const void *vtac_func_param(const vtac_func *func, uint32_t index) {
    return index < vtac_func_param_count(func) ? func->func->params[index] : NULL;
}

const char *vtac_stmt_kind(const vtac_stmt *s) {
    return inside(s) ? vt_stmt_kind_text((vt_stmt_kind)inside(s)->kind) : NULL;
}

size_t vtac_stmt_fields(const vtac_stmt *s) {
    const vt__field *first, *end;
    if (!inside(s)) return 0;
    vt__fields((vt_stmt_kind)inside(s)->kind, &first, &end);
    return (size_t)(end - first);
}

static void one(vtac_field *out, vtac_field_type type, const void *const *item) {
    out->type = type;
    out->items = item;
    out->count = *item != NULL;
}

static void many(vtac_field *out, vtac_field_type type, const void *items, size_t count) {
    out->type = type;
    out->items = items;
    out->count = count;
}

static void text(vtac_field *out, const char *value) {
    out->type = VTAC_FIELD_TEXT;
    out->text = value;
    out->count = 1;
}

static void buffer(vtac_field *out, const vt_buffer *b) {
    many(out, VTAC_FIELD_BUFFER, b->shape, b->ndim);
    out->text = b->name;
}

static void reference(vtac_field *out, const vt_ref *ref) {
    switch (ref->kind) {
    case VT_REF_VAR: one(out, VTAC_FIELD_EXPR, &ref->u.any); break;
    case VT_REF_ITER: one(out, VTAC_FIELD_AXIS, &ref->u.any); break;
    case VT_REF_TENSOR: one(out, VTAC_FIELD_TENSOR, &ref->u.any); break;
    case VT_REF_BUFFER: buffer(out, ref->u.buffer); break;
    case VT_REF_STRING: text(out, ref->u.string); break;
    case VT_REF_PAIR:
        one(out, VTAC_FIELD_TENSOR, (const void *const *)&ref->second);
        out->text = ref->u.buffer->name;
        break;
    case VT_REF_NONE:
    case VT_REF_OP: out->type = VTAC_FIELD_OTHER;
    }
}

static void fill(vtac_field *out, const vt_stmt *s, const vt__field *f) {
    const void *const *at = &VT__AT_CONST(const void *, s, f);
    switch ((vt__field_type)f->type) {
    case VT__EXPR:
    case VT__VAR: one(out, VTAC_FIELD_EXPR, at); break;
    case VT__STMT: one(out, VTAC_FIELD_STMT, at); break;
    case VT__TENSOR: one(out, VTAC_FIELD_TENSOR, at); break;
    case VT__ITER: one(out, VTAC_FIELD_AXIS, at); break;
    case VT__EXPRS: many(out, VTAC_FIELD_EXPR, *at, VT__N(s, f)); break;
    case VT__STMTS: many(out, VTAC_FIELD_STMT, *at, VT__N(s, f)); break;
    case VT__ITERS: many(out, VTAC_FIELD_AXIS, *at, VT__N(s, f)); break;
    case VT__RANGES: many(out, VTAC_FIELD_EXPR, *at, 2 * (size_t)VT__N(s, f)); break; /* vt_range is min, extent */
    case VT__BUFFER: buffer(out, VT__AT_CONST(const vt_buffer *, s, f)); break;
    case VT__TEXT: text(out, VT__AT_CONST(const char *, s, f)); break;
    case VT__WORD: text(out, vt_for_kind_text((vt_for_kind)VT__AT_CONST(uint32_t, s, f))); break;
    case VT__REF: reference(out, &VT__AT_CONST(vt_ref, s, f)); break;
    case VT__REGIONS:
    case VT__BUFFERS:
    case VT__NOTES:
    case VT__DTYPE: out->type = VTAC_FIELD_OTHER;
    }
}

vta_status vtac_stmt_field(const vtac_stmt *s, size_t index, vtac_field *out_field) {
    const vt__field *first, *end;
    if (!inside(s) || !out_field) return VTA_INVALID_ARGUMENT;
    vt__fields((vt_stmt_kind)inside(s)->kind, &first, &end);
    vtac_field field = {.size = sizeof field};
    if (index < (size_t)(end - first)) {
        field.name = first[index].name;
        fill(&field, inside(s), first + index);
    }
    vt_result_write(out_field, &field, sizeof field);
    return field.name ? VTA_OK : VTA_OUT_OF_RANGE;
}
