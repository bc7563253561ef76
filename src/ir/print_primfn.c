/* The primfn style. */
#include <ctype.h>
#include <string.h>

#include "base/arena_text.h"
#include "ir/build.h"
#include "ir/names.h"
#include "ir/print.h"
#include "ir/visit.h"

typedef struct printer {
    vt_ctx *ctx;
    vt_strbuf *out;
    vt__names *names;
    vt_ptrmap *known; /* variable, buffer or tensor -> name */
    uint32_t indent;
    bool plain; /* without the types of names */
} printer;

static void expr(printer *p, const vt_expr *e);
static void stmt(printer *p, const vt_stmt *s);

static void add(printer *p, const char *text) { vt_strbuf_add(p->out, text); }

static void line(printer *p) {
    vt_strbuf_addc(p->out, '\n');
    for (uint32_t i = 0; i < p->indent; i++) vt_strbuf_addc(p->out, ' ');
}

static void quoted(printer *p, const char *text) { vt_strbuf_addf(p->out, "\"%s\"", text); }

static void dtype(printer *p, vt_dtype t) {
    char text[VT_DTYPE_TEXT];
    add(p, vt_dtype_text(t, text));
}

/* The name of a thing; *is_new says that this is its first mention. */
static const char *name_of(printer *p, const void *thing, const char *hint, const char *prefix, bool *is_new) {
    const char *name = vt_ptrmap_get(p->known, thing);
    *is_new = !name;
    if (name) return name;
    if (!isalpha((unsigned char)hint[0])) hint = vt_new_format(p->ctx, "%s%s", prefix, hint);
    name = vt__names_take(p->names, hint);
    vt_ptrmap_set(p->known, thing, name);
    return name;
}

static void var(printer *p, const vt_var *v) {
    bool is_new;
    const vt_var_info *info = v->u.var;
    add(p, name_of(p, v, info->name, "v", &is_new));
    if (!is_new || p->plain) return;
    add(p, ": ");
    if (!info->pointer) {
        dtype(p, v->dtype);
        return;
    }
    vt_strbuf_addf(p->out, "Pointer(%s%s", info->scope, info->scope[0] ? " " : "");
    dtype(p, info->elem);
    add(p, ")");
}

static void exprs(printer *p, uint32_t n, const vt_expr *const *items) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, ", ");
        expr(p, items[i]);
    }
}

static void list(printer *p, uint32_t n, const vt_expr *const *items) {
    add(p, "[");
    exprs(p, n, items);
    add(p, "]");
}

static void buffer_type(printer *p, const vt_buffer *b) {
    add(p, ": Buffer(");
    var(p, b->data);
    add(p, ", ");
    dtype(p, b->dtype);
    add(p, ", ");
    list(p, b->ndim, b->shape);
    add(p, ", ");
    list(p, b->n_strides, b->strides);
    if (!vt_is_const(b->elem_offset, 0)) {
        add(p, ", elem_offset=");
        expr(p, b->elem_offset);
    }
    if (strcmp(vt_buffer_scope(b), "global")) vt_strbuf_addf(p->out, ", scope=\"%s\"", vt_buffer_scope(b));
    if (b->data_alignment != 64) vt_strbuf_addf(p->out, ", align=%d", b->data_alignment);
    if (b->offset_factor != 1) vt_strbuf_addf(p->out, ", offset_factor=%d", b->offset_factor);
    add(p, ")");
}

static void buffer(printer *p, const vt_buffer *b) {
    bool is_new;
    add(p, name_of(p, b, b->name, "buf_", &is_new));
    if (is_new && !p->plain) buffer_type(p, b);
}

static void tensor(printer *p, const vt_tensor *t) {
    bool is_new;
    add(p, name_of(p, t, t->name, "tensor_", &is_new));
    if (!is_new || p->plain) return;
    vt_strbuf_addf(p->out, ": DataProducer(\"%s\", ", t->name);
    dtype(p, t->dtype);
    add(p, ", ");
    list(p, t->ndim, t->shape);
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
        vt_strbuf_addf(p->out, "%lld", (long long)e->u.i);
    if (vt_dtype_eq(t, VT_I32)) return;
    vt_strbuf_addf(p->out, "%c%u", t.code == VT_INT ? 'i' : t.code == VT_UINT ? 'u' : 'f', t.bits);
}

/* Infix operators; the multiplication alone stands without spaces. */
static void binary(printer *p, const vt_expr *e) {
    const char *symbol = vt_expr_infos[e->kind].symbol;
    bool word = isalpha((unsigned char)symbol[0]) != 0;
    if (word) add(p, symbol);
    add(p, "(");
    expr(p, e->a[0]);
    vt_strbuf_addf(p->out, word ? ", " : e->kind == VT_E_MUL ? "%s" : " %s ", symbol);
    expr(p, e->a[1]);
    add(p, ")");
}

static void call(printer *p, const vt_expr *e) {
    vt_strbuf_addf(p->out, "@%s(", vt_op_infos[e->u.op].name);
    exprs(p, e->n, e->a);
    add(p, ", dtype=");
    dtype(p, e->dtype);
    add(p, ")");
}

static void iter(printer *p, const vt_iter *it) {
    add(p, "IterVar(");
    var(p, it->var);
    if (it->min) {
        add(p, ", [");
        expr(p, it->min);
        add(p, ":");
        expr(p, vt_add(p->ctx, it->min, it->extent));
        add(p, "], ");
    } else {
        add(p, ", (nullptr), ");
    }
    vt_strbuf_addf(p->out, "\"%s\", \"%s\")", vt_iter_type_text(it->type), it->thread_tag);
}

static void reduce(printer *p, const vt_expr *e) {
    const vt_reduce *r = e->u.reduce;
    add(p, "reduce(combiner(");
    list(p, r->combiner->n, r->combiner->lhs);
    add(p, ", ");
    list(p, r->combiner->n, r->combiner->rhs);
    add(p, ", ");
    list(p, r->combiner->n, r->combiner->result);
    add(p, ", ");
    list(p, r->combiner->n, r->combiner->identity);
    add(p, "), ");
    list(p, r->n_sources, e->a);
    add(p, ", [");
    for (uint32_t i = 0; i < r->n_axes; i++) {
        if (i) add(p, ", ");
        iter(p, r->axes[i]);
    }
    vt_strbuf_addf(p->out, "], %u, ", r->value_index);
    list(p, r->has_init ? r->n_sources : 0, e->a + r->n_sources);
    add(p, ")");
}

/* name(operands...), with what stands before and after them. */
static void function(printer *p, const char *name, const vt_expr *e, bool lanes) {
    vt_strbuf_addf(p->out, "%s(", name);
    exprs(p, e->n, e->a);
    if (lanes) vt_strbuf_addf(p->out, ", %u", e->dtype.lanes);
    add(p, ")");
}

static void expr(printer *p, const vt_expr *e) {
    if (e->n == 2 && vt_expr_infos[e->kind].cls != VT_CLASS_OTHER) {
        binary(p, e);
        return;
    }
    switch (e->kind) {
    case VT_E_VAR: var(p, e); break;
    case VT_E_INT:
    case VT_E_FLOAT: constant(p, e); break;
    case VT_E_STRING: quoted(p, e->u.s); break;
    case VT_E_NOT:
        add(p, "!");
        expr(p, e->a[0]);
        break;
    case VT_E_SELECT: function(p, "select", e, false); break;
    case VT_E_CAST:
        add(p, "cast(");
        dtype(p, e->dtype);
        add(p, ", ");
        expr(p, e->a[0]);
        add(p, ")");
        break;
    case VT_E_LOAD:
        buffer(p, e->u.buffer);
        list(p, e->n, e->a);
        break;
    case VT_E_PLOAD:
        add(p, e->u.tensor->name);
        list(p, e->n, e->a);
        break;
    case VT_E_CALL: call(p, e); break;
    case VT_E_LET:
        add(p, "let ");
        var(p, e->u.let_var);
        add(p, " = ");
        expr(p, e->a[0]);
        add(p, " in ");
        expr(p, e->a[1]);
        break;
    case VT_E_RAMP: function(p, "ramp", e, true); break;
    case VT_E_BROADCAST: function(p, "broadcast", e, true); break;
    case VT_E_REDUCE: reduce(p, e); break;
    default: add(p, "?"); break;
    }
}

/* " {" body "}", the body one level deeper. */
static void body(printer *p, const vt_stmt *s) {
    if (s->kind == VT_S_SEQ) {
        stmt(p, s);
        return;
    }
    add(p, " {");
    p->indent += 2;
    line(p);
    stmt(p, s);
    p->indent -= 2;
    line(p);
    add(p, "}");
}

/* After attr and allocate: a sequence in braces, anything else on the next line. */
static void tail(printer *p, const vt_stmt *s) {
    if (s->kind == VT_S_SEQ) {
        stmt(p, s);
        return;
    }
    add(p, ";");
    line(p);
    stmt(p, s);
}

static void ref(printer *p, const vt_ref *r) {
    switch (r->kind) {
    case VT_REF_VAR: var(p, r->u.var); break;
    case VT_REF_ITER: iter(p, r->u.iter); break;
    case VT_REF_TENSOR: tensor(p, r->u.tensor); break;
    case VT_REF_BUFFER: buffer(p, r->u.buffer); break;
    case VT_REF_STRING: quoted(p, r->u.string); break;
    case VT_REF_PAIR:
        add(p, "[");
        buffer(p, r->u.buffer);
        add(p, ", ");
        tensor(p, r->second);
        add(p, "]");
        break;
    case VT_REF_OP: add(p, "(op)"); break;
    default: add(p, "(nullptr)"); break;
    }
}

static void notes(printer *p, uint32_t n, const vt_note *items) {
    for (uint32_t i = 0; i < n; i++) {
        vt_strbuf_addf(p->out, "%s\"%s\": ", i ? ", " : "", items[i].key);
        expr(p, items[i].value);
    }
}

static void loop(printer *p, const vt_stmt *s) {
    add(p, "for (");
    var(p, s->u.loop.var);
    add(p, ", ");
    expr(p, s->u.loop.min);
    add(p, ", ");
    expr(p, vt_add(p->ctx, s->u.loop.min, s->u.loop.extent));
    add(p, ")");
    if (s->u.loop.kind != VT_FOR_SERIAL)
        vt_strbuf_addf(p->out, " \"%s\"", vt_for_kind_text((vt_for_kind)s->u.loop.kind));
    body(p, s->u.loop.body);
}

static void allocate(printer *p, const vt_stmt *s) {
    const char *scope = s->u.alloc.var->u.var->scope;
    add(p, "allocate(");
    var(p, s->u.alloc.var);
    add(p, ", ");
    dtype(p, s->u.alloc.dtype);
    add(p, ", ");
    list(p, s->u.alloc.n_extents, s->u.alloc.extents);
    vt_strbuf_addf(p->out, "), storage_scope = %s", scope[0] ? scope : "global");
    if (s->u.alloc.n_notes) {
        add(p, ", annotations = {");
        notes(p, s->u.alloc.n_notes, s->u.alloc.notes);
        add(p, "})");
    }
    if (!vt_is_const(s->u.alloc.condition, 1)) {
        add(p, " if ");
        expr(p, s->u.alloc.condition);
    }
    tail(p, s->u.alloc.body);
}

static void ranges(printer *p, uint32_t n, const vt_range *r, bool points) {
    add(p, "[");
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, ", ");
        expr(p, r[i].min);
        if (points && vt_is_const(r[i].extent, 1)) continue;
        add(p, ":");
        expr(p, vt_add(p->ctx, r[i].min, r[i].extent));
    }
    add(p, "]");
}

static void realize(printer *p, const vt_stmt *s) {
    add(p, "producer_realize(");
    tensor(p, s->u.realize.tensor);
    add(p, ", ");
    ranges(p, s->u.realize.n_bounds, s->u.realize.bounds, false);
    add(p, ", ");
    expr(p, s->u.realize.condition);
    vt_strbuf_addf(p->out, ", %s", s->u.realize.scope);
    body(p, s->u.realize.body);
    add(p, ")");
}

static void regions(printer *p, const char *what, uint32_t n, const vt_region *r) {
    line(p);
    vt_strbuf_addf(p->out, "tir.%s([", what);
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, ", ");
        buffer(p, r[i].buffer);
        ranges(p, r[i].n_ranges, r[i].ranges, true);
    }
    add(p, "])");
}

static void block(printer *p, const vt_stmt *s) {
    vt_strbuf_addf(p->out, "block(\"%s\") {", s->u.block.name);
    p->indent += 2;
    for (uint32_t i = 0; i < s->u.block.n_iters; i++) {
        line(p);
        add(p, "bind(");
        var(p, s->u.block.iters[i]->var);
        add(p, ", ");
        expr(p, s->u.block.bindings[i]);
        add(p, ")");
    }
    regions(p, "reads", s->u.block.n_reads, s->u.block.reads);
    regions(p, "writes", s->u.block.n_writes, s->u.block.writes);
    for (uint32_t i = 0; i < s->u.block.n_allocs; i++) {
        line(p);
        add(p, "alloc_buffer(");
        buffer(p, s->u.block.allocs[i]);
        add(p, ")");
    }
    if (s->u.block.init) {
        line(p);
        add(p, "with init()");
        body(p, s->u.block.init);
    }
    line(p);
    stmt(p, s->u.block.body);
    p->indent -= 2;
    line(p);
    add(p, "}");
}

static void sequence(printer *p, const vt_stmt *s) {
    add(p, " {");
    p->indent += 2;
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
        line(p);
        stmt(p, s->u.seq.items[i]);
    }
    p->indent -= 2;
    line(p);
    add(p, "}");
}

static void assign(printer *p, uint32_t n, const vt_expr *const *indices, const vt_expr *value) {
    list(p, n, indices);
    add(p, " = ");
    expr(p, value);
}

static void stmt(printer *p, const vt_stmt *s) {
    switch (s->kind) {
    case VT_S_LET:
        add(p, "let ");
        var(p, s->u.let.var);
        add(p, " = ");
        expr(p, s->u.let.value);
        line(p);
        stmt(p, s->u.let.body);
        break;
    case VT_S_ATTR:
        add(p, "attr [");
        ref(p, &s->u.attr.node);
        vt_strbuf_addf(p->out, "] \"%s\" = ", s->u.attr.key);
        expr(p, s->u.attr.value);
        tail(p, s->u.attr.body);
        break;
    case VT_S_ASSERT:
        add(p, "assert(");
        expr(p, s->u.assertion.condition);
        add(p, ", ");
        expr(p, s->u.assertion.message);
        add(p, ")");
        if (!s->u.assertion.body) break;
        line(p);
        stmt(p, s->u.assertion.body);
        break;
    case VT_S_FOR: loop(p, s); break;
    case VT_S_ALLOC: allocate(p, s); break;
    case VT_S_STORE:
        buffer(p, s->u.store.buffer);
        assign(p, s->u.store.n_indices, s->u.store.indices, s->u.store.value);
        break;
    case VT_S_PSTORE:
        tensor(p, s->u.pstore.tensor);
        assign(p, s->u.pstore.n_indices, s->u.pstore.indices, s->u.pstore.value);
        break;
    case VT_S_REALIZE: realize(p, s); break;
    case VT_S_SEQ: sequence(p, s); break;
    case VT_S_IF:
        add(p, "if ");
        expr(p, s->u.branch.condition);
        body(p, s->u.branch.then_case);
        if (!s->u.branch.else_case || vt_is_const(s->u.branch.condition, 1)) break;
        add(p, " else");
        body(p, s->u.branch.else_case);
        break;
    case VT_S_EVAL: expr(p, s->u.eval.value); break;
    case VT_S_BLOCK: block(p, s); break;
    default: break;
    }
}

static printer start(vt_ctx *ctx, vt_strbuf *out) {
    return (printer){.ctx = ctx, .out = out, .names = vt__names_new(ctx), .known = vt_ptrmap_new(ctx)};
}

/* "buffers = {...}": one line for each, under one another. */
static void buffers(printer *p, const vt_func *f) {
    p->indent = 2;
    line(p);
    add(p, "buffers = {");
    p->indent = 13;
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        if (i) {
            add(p, ",");
            line(p);
        }
        bool is_new;
        const vt_buffer *b = f->bindings[i].buffer;
        add(p, name_of(p, b, b->name, "buf_", &is_new));
        buffer_type(p, b);
    }
    add(p, "}");
    p->indent = 2;
    line(p);
    add(p, "buffer_map = {");
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        if (i) add(p, ", ");
        var(p, f->bindings[i].param);
        add(p, ": ");
        buffer(p, f->bindings[i].buffer);
    }
    add(p, "}");
}

static void unflattened(printer *p, const vt_func *f) {
    bool any = false;
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        if (!f->bindings[i].unflattened) continue;
        if (!any) line(p);
        add(p, any ? ", " : "preflattened_buffer_map = {");
        any = true;
        var(p, f->bindings[i].param);
        add(p, ": ");
        buffer(p, f->bindings[i].unflattened);
    }
    if (any) add(p, "}");
}

void vt_print_primfn(vt_ctx *ctx, const vt_func *f, vt_strbuf *out) {
    printer p = start(ctx, out);
    bool is_new;
    for (uint32_t i = 0; i < f->n_bindings; i++)
        if (f->bindings[i].buffer) name_of(&p, f->bindings[i].buffer, f->bindings[i].buffer->name, "buf_", &is_new);
    vt_strbuf_addf(out, "@%s = primfn(", f->name);
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i) add(&p, ", ");
        var(&p, f->params[i]);
    }
    add(&p, ") -> ");
    if (vt_dtype_eq(f->result, VT_VOID_T) || !f->result.bits)
        add(&p, "()");
    else
        dtype(&p, f->result);
    p.indent = 2;
    if (f->n_attrs) {
        line(&p);
        add(&p, "attr = {");
        notes(&p, f->n_attrs, f->attrs);
        add(&p, "}");
    }
    bool bound = f->n_bindings && f->bindings[0].buffer;
    if (bound) buffers(&p, f);
    if (bound) unflattened(&p, f);
    p.indent = 0;
    body(&p, f->body);
    add(&p, "\n\n\n");
}

void vt_print_expr(vt_ctx *ctx, const vt_expr *e, vt_strbuf *out) {
    printer p = start(ctx, out);
    expr(&p, e);
}

void vt_print_stmt(vt_ctx *ctx, const vt_stmt *s, vt_strbuf *out) {
    printer p = start(ctx, out);
    stmt(&p, s);
    add(&p, "\n");
}

static const char *text_of(vt_ctx *ctx, const vt_expr *e, const vt_stmt *s, bool plain) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    printer p = start(ctx, &sb);
    p.plain = plain;
    if (e) {
        expr(&p, e);
    } else {
        stmt(&p, s);
        add(&p, "\n");
    }
    if (sb.failed) vt_raise(ctx, VTA_NO_MEMORY, "out of memory");
    return vt_strbuf_text(&sb);
}

const char *vt_expr_text(vt_ctx *ctx, const vt_expr *e) { return text_of(ctx, e, NULL, false); }
const char *vt_expr_plain(vt_ctx *ctx, const vt_expr *e) { return text_of(ctx, e, NULL, true); }
const char *vt_stmt_text(vt_ctx *ctx, const vt_stmt *s) { return text_of(ctx, NULL, s, false); }
