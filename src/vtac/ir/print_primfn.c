/* The primfn style: statements and functions. */
#include <string.h>

#include "base/arena_text.h"
#include "ir/build.h"
#include "ir/print.h"
#include "ir/print_primfn.h"

static void stmt(printer *p, const vt_stmt *s);

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
    case VT_REF_VAR: vt__primfn_var(p, r->u.var); break;
    case VT_REF_ITER: vt__primfn_iter(p, r->u.iter); break;
    case VT_REF_TENSOR: vt__primfn_tensor(p, r->u.tensor); break;
    case VT_REF_BUFFER: vt__primfn_buffer(p, r->u.buffer); break;
    case VT_REF_STRING: vt__primfn_quoted(p, r->u.string); break;
    case VT_REF_PAIR:
        add(p, "[");
        vt__primfn_buffer(p, r->u.buffer);
        add(p, ", ");
        vt__primfn_tensor(p, r->second);
        add(p, "]");
        break;
    case VT_REF_OP: add(p, "(op)"); break;
    case VT_REF_NONE: add(p, "(nullptr)"); break;
    }
}

static void notes(printer *p, uint32_t n, const vt_note *items) {
    for (uint32_t i = 0; i < n; i++) {
        vt_strbuf_addf(p->out, "%s\"%s\": ", i ? ", " : "", items[i].key);
        vt__primfn_expr(p, items[i].value);
    }
}

static void loop(printer *p, const vt_stmt *s) {
    add(p, "for (");
    vt__primfn_var(p, s->u.loop.var);
    add(p, ", ");
    vt__primfn_expr(p, s->u.loop.min);
    add(p, ", ");
    vt__primfn_expr(p, vt_add(p->ctx, s->u.loop.min, s->u.loop.extent));
    add(p, ")");
    if (s->u.loop.kind != VT_FOR_SERIAL)
        vt_strbuf_addf(p->out, " \"%s\"", vt_for_kind_text((vt_for_kind)s->u.loop.kind));
    body(p, s->u.loop.body);
}

static void allocate(printer *p, const vt_stmt *s) {
    const char *scope = s->u.alloc.var->u.var->scope;
    add(p, "allocate(");
    vt__primfn_var(p, s->u.alloc.var);
    add(p, ", ");
    vt__primfn_dtype(p, s->u.alloc.dtype);
    add(p, ", ");
    vt__primfn_list(p, s->u.alloc.n_extents, s->u.alloc.extents);
    vt_strbuf_addf(p->out, "), storage_scope = %s", scope[0] ? scope : "global");
    if (s->u.alloc.n_notes) {
        add(p, ", annotations = {");
        notes(p, s->u.alloc.n_notes, s->u.alloc.notes);
        add(p, "})");
    }
    if (!vt_is_const(s->u.alloc.condition, 1)) {
        add(p, " if ");
        vt__primfn_expr(p, s->u.alloc.condition);
    }
    tail(p, s->u.alloc.body);
}

static void ranges(printer *p, uint32_t n, const vt_range *r, bool points) {
    add(p, "[");
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, ", ");
        vt__primfn_expr(p, r[i].min);
        if (points && vt_is_const(r[i].extent, 1)) continue;
        add(p, ":");
        vt__primfn_expr(p, vt_add(p->ctx, r[i].min, r[i].extent));
    }
    add(p, "]");
}

static void realize(printer *p, const vt_stmt *s) {
    add(p, "producer_realize(");
    vt__primfn_tensor(p, s->u.realize.tensor);
    add(p, ", ");
    ranges(p, s->u.realize.n_bounds, s->u.realize.bounds, false);
    add(p, ", ");
    vt__primfn_expr(p, s->u.realize.condition);
    vt_strbuf_addf(p->out, ", %s", s->u.realize.scope);
    body(p, s->u.realize.body);
    add(p, ")");
}

static void regions(printer *p, const char *what, uint32_t n, const vt_region *r) {
    line(p);
    vt_strbuf_addf(p->out, "tir.%s([", what);
    for (uint32_t i = 0; i < n; i++) {
        if (i) add(p, ", ");
        vt__primfn_buffer(p, r[i].buffer);
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
        vt__primfn_var(p, s->u.block.iters[i]->var);
        add(p, ", ");
        vt__primfn_expr(p, s->u.block.bindings[i]);
        add(p, ")");
    }
    regions(p, "reads", s->u.block.n_reads, s->u.block.reads);
    regions(p, "writes", s->u.block.n_writes, s->u.block.writes);
    for (uint32_t i = 0; i < s->u.block.n_allocs; i++) {
        line(p);
        add(p, "alloc_buffer(");
        vt__primfn_buffer(p, s->u.block.allocs[i]);
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
    vt__primfn_list(p, n, indices);
    add(p, " = ");
    vt__primfn_expr(p, value);
}

static void stmt(printer *p, const vt_stmt *s) {
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_LET:
        add(p, "let ");
        vt__primfn_var(p, s->u.let.var);
        add(p, " = ");
        vt__primfn_expr(p, s->u.let.value);
        line(p);
        stmt(p, s->u.let.body);
        break;
    case VT_S_ATTR:
        add(p, "attr [");
        ref(p, &s->u.attr.node);
        vt_strbuf_addf(p->out, "] \"%s\" = ", s->u.attr.key);
        vt__primfn_expr(p, s->u.attr.value);
        tail(p, s->u.attr.body);
        break;
    case VT_S_ASSERT:
        add(p, "assert(");
        vt__primfn_expr(p, s->u.assertion.condition);
        add(p, ", ");
        vt__primfn_expr(p, s->u.assertion.message);
        add(p, ")");
        if (!s->u.assertion.body) break;
        line(p);
        stmt(p, s->u.assertion.body);
        break;
    case VT_S_FOR: loop(p, s); break;
    case VT_S_ALLOC: allocate(p, s); break;
    case VT_S_STORE:
        vt__primfn_buffer(p, s->u.store.buffer);
        assign(p, s->u.store.n_indices, s->u.store.indices, s->u.store.value);
        break;
    case VT_S_PSTORE:
        vt__primfn_tensor(p, s->u.pstore.tensor);
        assign(p, s->u.pstore.n_indices, s->u.pstore.indices, s->u.pstore.value);
        break;
    case VT_S_REALIZE: realize(p, s); break;
    case VT_S_SEQ: sequence(p, s); break;
    case VT_S_IF:
        add(p, "if ");
        vt__primfn_expr(p, s->u.branch.condition);
        body(p, s->u.branch.then_case);
        if (!s->u.branch.else_case || vt_is_const(s->u.branch.condition, 1)) break;
        add(p, " else");
        body(p, s->u.branch.else_case);
        break;
    case VT_S_EVAL: vt__primfn_expr(p, s->u.eval.value); break;
    case VT_S_BLOCK: block(p, s); break;
    case VT_S_COUNT: break;
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
        add(p, vt__primfn_name_of(p, b, b->name, "buf_", &is_new));
        vt__primfn_buffer_type(p, b);
    }
    add(p, "}");
    p->indent = 2;
    line(p);
    add(p, "buffer_map = {");
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        if (i) add(p, ", ");
        vt__primfn_var(p, f->bindings[i].param);
        add(p, ": ");
        vt__primfn_buffer(p, f->bindings[i].buffer);
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
        vt__primfn_var(p, f->bindings[i].param);
        add(p, ": ");
        vt__primfn_buffer(p, f->bindings[i].unflattened);
    }
    if (any) add(p, "}");
}

void vt_print_primfn(vt_ctx *ctx, const vt_func *f, vt_strbuf *out) {
    printer p = start(ctx, out);
    bool is_new;
    for (uint32_t i = 0; i < f->n_bindings; i++)
        if (f->bindings[i].buffer)
            vt__primfn_name_of(&p, f->bindings[i].buffer, f->bindings[i].buffer->name, "buf_", &is_new);
    vt_strbuf_addf(out, "@%s = primfn(", f->name);
    for (uint32_t i = 0; i < f->n_params; i++) {
        if (i) add(&p, ", ");
        vt__primfn_var(&p, f->params[i]);
    }
    add(&p, ") -> ");
    if (vt_dtype_eq(f->result, VT_VOID_T))
        add(&p, "()");
    else
        vt__primfn_dtype(&p, f->result);
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
        vt__primfn_expr(&p, e);
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
