/* Expressions in the primfn style, and what they name. */
#include <ctype.h>
#include <string.h>

#include "ir/build.h"
#include "ir/print.h"
#include "ir/print_primfn.h"

void vt__primfn_quoted(printer *p, const char *text) { vt_strbuf_addf(p->out, "\"%s\"", text); }

void vt__primfn_dtype(printer *p, vt_dtype t) {
    char text[VT_DTYPE_TEXT];
    add(p, vt_dtype_text(t, text));
}

const char *vt__primfn_name_of(printer *p, const void *thing, const char *hint, const char *prefix, bool *is_new) {
    const char *name = vt_ptrmap_get(p->known, thing);
    *is_new = !name;
    if (name) return name;
    if (!isalpha((unsigned char)hint[0])) hint = vt_new_format(p->ctx, "%s%s", prefix, hint);
    name = vt__names_take(p->names, hint);
    vt_ptrmap_set(p->known, thing, name);
    return name;
}

void vt__primfn_var(printer *p, const vt_var *v) {
    bool is_new;
    const vt_var_info *info = v->u.var;
    add(p, vt__primfn_name_of(p, v, info->name, "v", &is_new));
    if (!is_new || p->plain) return;
    add(p, ": ");
    if (!info->pointer) {
        vt__primfn_dtype(p, v->dtype);
        return;
    }
    vt_strbuf_addf(p->out, "Pointer(%s%s", info->scope, info->scope[0] ? " " : "");
    vt__primfn_dtype(p, info->elem);
    add(p, ")");
}

static void exprs(printer *p, uint32_t n, const vt_expr *const *items) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, ", ");
        vt__primfn_expr(p, items[i]);
    }
}

void vt__primfn_list(printer *p, uint32_t n, const vt_expr *const *items) {
    add(p, "[");
    exprs(p, n, items);
    add(p, "]");
}

void vt__primfn_buffer_type(printer *p, const vt_buffer *b) {
    add(p, ": Buffer(");
    vt__primfn_var(p, b->data);
    add(p, ", ");
    vt__primfn_dtype(p, b->dtype);
    add(p, ", ");
    vt__primfn_list(p, b->ndim, b->shape);
    add(p, ", ");
    vt__primfn_list(p, b->n_strides, b->strides);
    if (!vt_is_const(b->elem_offset, 0)) {
        add(p, ", elem_offset=");
        vt__primfn_expr(p, b->elem_offset);
    }
    if (strcmp(vt_buffer_scope(b), "global")) vt_strbuf_addf(p->out, ", scope=\"%s\"", vt_buffer_scope(b));
    if (b->data_alignment != 64) vt_strbuf_addf(p->out, ", align=%d", b->data_alignment);
    if (b->offset_factor != 1) vt_strbuf_addf(p->out, ", offset_factor=%d", b->offset_factor);
    add(p, ")");
}

void vt__primfn_buffer(printer *p, const vt_buffer *b) {
    bool is_new;
    add(p, vt__primfn_name_of(p, b, b->name, "buf_", &is_new));
    if (is_new && !p->plain) vt__primfn_buffer_type(p, b);
}

void vt__primfn_tensor(printer *p, const vt_tensor *t) {
    bool is_new;
    add(p, vt__primfn_name_of(p, t, t->name, "tensor_", &is_new));
    if (!is_new || p->plain) return;
    vt_strbuf_addf(p->out, ": DataProducer(\"%s\", ", t->name);
    vt__primfn_dtype(p, t->dtype);
    add(p, ", ");
    vt__primfn_list(p, t->ndim, t->shape);
    add(p, ")");
}

static void constant(printer *p, const vt_expr *e) {
    vt_dtype t = e->dtype;
    if (vt_dtype_is_bool(t)) {
        add(p, e->u.i ? "True" : "False");
        return;
    }
    if (e->kind == VT_E_FLOAT)
        vt_strbuf_addf(p->out, "%g", e->u.f);
    else
        vt_strbuf_addf(p->out, vt_dtype_eq(t, VT_U64) ? "%llu" : "%lld", (long long)e->u.i);
    if (vt_dtype_eq(t, VT_I32)) return;
    vt_strbuf_addf(p->out, "%c%u", t.code == VT_INT ? 'i' : t.code == VT_UINT ? 'u' : 'f', t.bits);
}

/* Infix operators; the multiplication alone stands without spaces. */
static void binary(printer *p, const vt_expr *e) {
    const char *symbol = vt_expr_infos[e->kind].symbol;
    bool word = isalpha((unsigned char)symbol[0]) != 0;
    if (word) add(p, symbol);
    add(p, "(");
    vt__primfn_expr(p, e->a[0]);
    vt_strbuf_addf(p->out, word ? ", " : e->kind == VT_E_MUL ? "%s" : " %s ", symbol);
    vt__primfn_expr(p, e->a[1]);
    add(p, ")");
}

static void call(printer *p, const vt_expr *e) {
    vt_strbuf_addf(p->out, "@%s(", vt_op_infos[e->u.op].name);
    exprs(p, e->n, e->a);
    add(p, ", dtype=");
    vt__primfn_dtype(p, e->dtype);
    add(p, ")");
}

void vt__primfn_iter(printer *p, const vt_iter *it) {
    add(p, "IterVar(");
    vt__primfn_var(p, it->var);
    if (it->min) {
        add(p, ", [");
        vt__primfn_expr(p, it->min);
        add(p, ":");
        vt__primfn_expr(p, vt_add(p->ctx, it->min, it->extent));
        add(p, "], ");
    } else {
        add(p, ", (nullptr), ");
    }
    vt_strbuf_addf(p->out, "\"%s\", \"%s\")", vt_iter_type_text(it->type), it->thread_tag);
}

static void reduce(printer *p, const vt_expr *e) {
    const vt_reduce *r = e->u.reduce;
    add(p, "reduce(combiner(");
    vt__primfn_list(p, r->combiner->n, r->combiner->lhs);
    add(p, ", ");
    vt__primfn_list(p, r->combiner->n, r->combiner->rhs);
    add(p, ", ");
    vt__primfn_list(p, r->combiner->n, r->combiner->result);
    add(p, ", ");
    vt__primfn_list(p, r->combiner->n, r->combiner->identity);
    add(p, "), ");
    vt__primfn_list(p, r->n_sources, e->a);
    add(p, ", [");
    for (uint32_t i = 0; i < r->n_axes; i++) {
        if (i) add(p, ", ");
        vt__primfn_iter(p, r->axes[i]);
    }
    vt_strbuf_addf(p->out, "], %u, ", r->value_index);
    vt__primfn_list(p, r->has_init ? r->n_sources : 0, e->a + r->n_sources);
    add(p, ")");
}

/* name(operands...), with what stands before and after them. */
static void function(printer *p, const char *name, const vt_expr *e, bool lanes) {
    vt_strbuf_addf(p->out, "%s(", name);
    exprs(p, e->n, e->a);
    if (lanes) vt_strbuf_addf(p->out, ", %u", e->dtype.lanes);
    add(p, ")");
}

void vt__primfn_expr(printer *p, const vt_expr *e) {
    if (e->n == 2 && vt_expr_infos[e->kind].cls != VT_CLASS_OTHER) {
        binary(p, e);
        return;
    }
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: vt__primfn_var(p, e); break;
    case VT_E_INT:
    case VT_E_FLOAT: constant(p, e); break;
    case VT_E_STRING: vt__primfn_quoted(p, e->u.s); break;
    case VT_E_NOT:
        add(p, "!");
        vt__primfn_expr(p, e->a[0]);
        break;
    case VT_E_SELECT: function(p, "select", e, false); break;
    case VT_E_CAST:
        add(p, "cast(");
        vt__primfn_dtype(p, e->dtype);
        add(p, ", ");
        vt__primfn_expr(p, e->a[0]);
        add(p, ")");
        break;
    case VT_E_LOAD:
        vt__primfn_buffer(p, e->u.buffer);
        vt__primfn_list(p, e->n, e->a);
        break;
    case VT_E_PLOAD:
        add(p, e->u.tensor->name);
        vt__primfn_list(p, e->n, e->a);
        break;
    case VT_E_CALL: call(p, e); break;
    case VT_E_LET:
        add(p, "let ");
        vt__primfn_var(p, e->u.let_var);
        add(p, " = ");
        vt__primfn_expr(p, e->a[0]);
        add(p, " in ");
        vt__primfn_expr(p, e->a[1]);
        break;
    case VT_E_RAMP: function(p, "ramp", e, true); break;
    case VT_E_BROADCAST: function(p, "broadcast", e, true); break;
    case VT_E_REDUCE: reduce(p, e); break;
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
    case VT_E_AND:
    case VT_E_OR:
    case VT_E_COUNT: add(p, "?"); break;
    }
}
