/* Lowered functions in TVMScript: statements and functions. */
#include <string.h>

#include "ir/build.h"
#include "ir/print.h"
#include "ir/print_script_frame.h"

/* ---- Statements ------------------------------------------------------------------------------------------ */

static void stmt(vt__script_printer *p, const vt_stmt *s);

static void body(vt__script_printer *p, const vt_stmt *s) {
    vt__script_frame *f = p->top;
    if (!s) return;
    if (s->kind != VT_S_SEQ) {
        f->concise = true;
        stmt(p, s);
        return;
    }
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
        f->concise = i == s->u.seq.n_items - 1;
        stmt(p, s->u.seq.items[i]);
    }
}

/* A statement that opens a scope: "head" and what follows, or "with head:" and what is inside. */
static void scope(vt__script_printer *p, const vt_stmt *s, const char *head, const char *with, const vt_stmt *inside) {
    bool concise = p->top->concise;
    vt__script_frame f;
    vt__script_enter(p, &f, s);
    body(p, inside);
    vt__script_leave(p, concise ? head : with, concise);
}

static void loop(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf head = vt_arena_text(p->s.ctx, &room);
    const vt_stmt *last = vt__script_grid_end(s);
    vt__script_frame f;
    vt__script_enter(p, &f, s);
    vt_strbuf_add(&head, "for ");
    for (const vt_stmt *l = s;; l = l->u.loop.body) {
        vt_strbuf_addf(&head, "%s%s", l == s ? "" : ", ",
                       vt__script_define(p, &f, l->u.loop.var, vt_var_name(l->u.loop.var)));
        if (l == last) break;
    }
    if (last != s) {
        vt_strbuf_add(&head, " in T.grid(");
        for (const vt_stmt *l = s;; l = l->u.loop.body) {
            if (l != s) vt_strbuf_add(&head, ", ");
            vt__script_expr(&p->s, &head, l->u.loop.extent);
            if (l == last) break;
        }
    } else {
        static const char *const kinds[] = {[VT_FOR_SERIAL] = "T.serial",
                                            [VT_FOR_PARALLEL] = "T.parallel",
                                            [VT_FOR_VECTORIZED] = "T.vectorized",
                                            [VT_FOR_UNROLLED] = "T.unroll",
                                            [VT_FOR_THREAD] = "T.thread_binding"};
        bool plain = vt__script_in_grid(s);
        bool range = s->u.loop.kind == VT_FOR_SERIAL && !s->u.loop.n_notes;
        vt_strbuf_addf(&head, " in %s(", range ? "range" : kinds[s->u.loop.kind]);
        if (!plain && !(vt_is_const(s->u.loop.min, 0) && !range)) {
            vt__script_expr(&p->s, &head, s->u.loop.min);
            vt_strbuf_add(&head, ", ");
        }
        vt__script_expr(&p->s, &head, vt_add(p->s.ctx, s->u.loop.min, s->u.loop.extent));
        if (s->u.loop.thread) vt_strbuf_addf(&head, ", thread=\"%s\"", s->u.loop.thread->thread_tag);
        if (s->u.loop.n_notes) {
            vt_strbuf_add(&head, ", annotations=");
            vt__script_notes(&p->s, &head, s->u.loop.n_notes, s->u.loop.notes);
        }
    }
    vt_strbuf_add(&head, "):");
    body(p, last->u.loop.body);
    vt__script_leave(p, vt_strbuf_text(&head), false);
}

static void let(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf value = vt_arena_text(p->s.ctx, &room);
    bool concise = p->top->concise;
    char t[VT_DTYPE_TEXT];
    vt__script_expr(&p->s, &value, s->u.let.value);
    vt__script_frame f;
    vt__script_enter(p, &f, s);
    const char *name = vt__script_define(p, &f, s->u.let.var, vt_var_name(s->u.let.var)),
               *text = vt_strbuf_text(&value);
    body(p, s->u.let.body);
    const char *type = vt_dtype_text(s->u.let.var->dtype, t);
    vt__script_leave(p,
                     concise ? vt_new_format(p->s.ctx, "%s: T.%s = %s", name, type, text)
                             : vt_new_format(p->s.ctx, "with T.let(%s, %s):", name, text),
                     concise);
}

static void ref(vt__script_printer *p, vt_strbuf *out, const vt_ref *r) {
    switch (r->kind) {
    case VT_REF_VAR: vt__script_expr(&p->s, out, r->u.var); break;
    case VT_REF_BUFFER:
    case VT_REF_PAIR: vt__script_buffer(&p->s, out, r->u.buffer); break;
    case VT_REF_STRING: vt_strbuf_addf(out, "\"%s\"", r->u.string); break;
    case VT_REF_TENSOR: vt_strbuf_add(out, vt__script_name(&p->s, r->u.tensor->name)); break;
    case VT_REF_ITER:
        vt_strbuf_add(out, "T.iter_var(");
        vt__script_expr(&p->s, out, r->u.iter->var);
        if (r->u.iter->min) {
            vt_strbuf_add(out, ", T.Range(");
            vt__script_expr(&p->s, out, r->u.iter->min);
            vt_strbuf_add(out, ", ");
            vt__script_expr(&p->s, out, vt_add(p->s.ctx, r->u.iter->min, r->u.iter->extent));
            vt_strbuf_add(out, ")");
        } else {
            vt_strbuf_add(out, ", None");
        }
        vt_strbuf_addf(out, ", \"%s\", \"%s\")", vt_iter_type_text(r->u.iter->type), r->u.iter->thread_tag);
        break;
    case VT_REF_NONE:
    case VT_REF_OP: vt_strbuf_add(out, "None"); break;
    }
}

static void attr(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf head = vt_arena_text(p->s.ctx, &room);
    vt_strbuf_add(&head, "T.attr(");
    ref(p, &head, &s->u.attr.node);
    vt_strbuf_addf(&head, ", \"%s\", ", s->u.attr.key);
    vt__script_expr(&p->s, &head, s->u.attr.value);
    vt_strbuf_add(&head, ")");
    const char *text = vt_strbuf_text(&head);
    scope(p, s, text, vt_new_format(p->s.ctx, "with %s:", text), s->u.attr.body);
}

static void allocate(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf call = vt_arena_text(p->s.ctx, &room);
    const char *storage = s->u.alloc.var->u.var->scope;
    bool concise = p->top->concise;
    char t[VT_DTYPE_TEXT];
    vt__script_frame f;
    vt_strbuf_add(&call, "T.allocate([");
    vt__script_exprs(&p->s, &call, s->u.alloc.n_extents, s->u.alloc.extents);
    vt_strbuf_addf(&call, "], \"%s\", \"%s\"", vt_dtype_text(s->u.alloc.dtype, t), storage[0] ? storage : "global");
    if (!vt_is_const(s->u.alloc.condition, 1)) {
        vt_strbuf_add(&call, ", ");
        vt__script_expr(&p->s, &call, s->u.alloc.condition);
    }
    if (s->u.alloc.n_notes) {
        vt_strbuf_add(&call, ", annotations=");
        vt__script_notes(&p->s, &call, s->u.alloc.n_notes, s->u.alloc.notes);
    }
    vt_strbuf_add(&call, ")");
    const char *text = vt_strbuf_text(&call);
    vt__script_enter(p, &f, s);
    const char *name = vt__script_define(p, &f, s->u.alloc.var, vt_var_name(s->u.alloc.var));
    body(p, s->u.alloc.body);
    vt__script_leave(p,
                     concise ? vt_new_format(p->s.ctx, "%s = %s", name, text)
                             : vt_new_format(p->s.ctx, "with %s as %s:", text, name),
                     concise);
}

static void branch(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf head = vt_arena_text(p->s.ctx, &room);
    vt__script_frame f;
    vt_strbuf_add(&head, "if ");
    vt__script_expr(&p->s, &head, s->u.branch.condition);
    vt_strbuf_add(&head, ":");
    vt__script_enter(p, &f, s->u.branch.then_case);
    body(p, s->u.branch.then_case);
    vt__script_leave(p, vt_strbuf_text(&head), false);
    if (!s->u.branch.else_case) return;
    vt__script_enter(p, &f, s->u.branch.else_case);
    body(p, s->u.branch.else_case);
    vt__script_leave(p, "else:", false);
}

static void check(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf text = vt_arena_text(p->s.ctx, &room);
    vt__script_expr(&p->s, &text, s->u.assertion.condition);
    vt_strbuf_add(&text, ", ");
    vt__script_expr(&p->s, &text, s->u.assertion.message);
    const char *what = vt_strbuf_text(&text);
    const char *plain = vt_new_format(p->s.ctx, "assert %s", what);
    const char *with = s->u.assertion.body ? vt_new_format(p->s.ctx, "with T.Assert(%s):", what) : plain;
    scope(p, s, plain, with, s->u.assertion.body);
}

/* One line: a store, a call, a value. */
static void simple(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf text = vt_arena_text(p->s.ctx, &room);
    const vt_expr *value = s->kind == VT_S_EVAL ? s->u.eval.value : NULL;
    if (s->kind == VT_S_STORE) {
        vt__script_element(&p->s, &text, s->u.store.buffer, s->u.store.n_indices, s->u.store.indices);
        vt_strbuf_add(&text, " = ");
        vt__script_expr(&p->s, &text, s->u.store.value);
    } else if (s->kind == VT_S_PSTORE) {
        vt_strbuf_addf(&text, "%s[", vt__script_name(&p->s, s->u.pstore.tensor->name));
        vt__script_exprs(&p->s, &text, s->u.pstore.n_indices, s->u.pstore.indices);
        vt_strbuf_add(&text, "] = ");
        vt__script_expr(&p->s, &text, s->u.pstore.value);
    } else if (value->kind == VT_E_CALL) {
        vt__script_expr(&p->s, &text, value);
    } else {
        vt_strbuf_add(&text, "T.evaluate(");
        vt__script_expr(&p->s, &text, value);
        vt_strbuf_add(&text, ")");
    }
    vt__script_line(p, p->top, vt_strbuf_text(&text));
}

static void realize(vt__script_printer *p, const vt_stmt *s) {
    vta_allocator room;
    vt_strbuf head = vt_arena_text(p->s.ctx, &room);
    vt_strbuf_addf(&head, "T.realize(%s[", vt__script_name(&p->s, s->u.realize.tensor->name));
    for (uint32_t i = 0; i < s->u.realize.n_bounds; i++) {
        const vt_range *r = &s->u.realize.bounds[i];
        if (i) vt_strbuf_add(&head, ", ");
        vt__script_expr(&p->s, &head, r->min);
        vt_strbuf_add(&head, ":");
        vt__script_expr(&p->s, &head, vt_add(p->s.ctx, r->min, r->extent));
    }
    vt_strbuf_addf(&head, "], \"%s\")", s->u.realize.scope);
    const char *text = vt_strbuf_text(&head);
    scope(p, s, text, vt_new_format(p->s.ctx, "with %s:", text), s->u.realize.body);
}

static void stmt(vt__script_printer *p, const vt_stmt *s) {
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_LET: let(p, s); break;
    case VT_S_ATTR: attr(p, s); break;
    case VT_S_ASSERT: check(p, s); break;
    case VT_S_FOR: loop(p, s); break;
    case VT_S_ALLOC: allocate(p, s); break;
    case VT_S_REALIZE: realize(p, s); break;
    case VT_S_IF: branch(p, s); break;
    case VT_S_SEQ: body(p, s); break;
    case VT_S_BLOCK: body(p, s->u.block.body); break;
    case VT_S_STORE:
    case VT_S_PSTORE:
    case VT_S_EVAL:
    case VT_S_COUNT: simple(p, s); break;
    }
}

/* ---- The function ---------------------------------------------------------------------------------------- */

static void header(vt__script_printer *p, const vt_func *f, vt_strbuf *out) {
    char t[VT_DTYPE_TEXT];
    vt_strbuf_addf(out, "@I.ir_module\nclass Module:\n    @T.prim_func\n    def %s(", vt__script_name(&p->s, f->name));
    for (uint32_t i = 0; i < f->n_params; i++)
        vt_strbuf_addf(out, "%s%s: T.%s", i ? ", " : "",
                       vt__script_define(p, p->top, f->params[i], vt_var_name(f->params[i])),
                       vt_dtype_text(f->params[i]->dtype, t));
    vt_strbuf_add(out, "):\n");
    if (!f->n_attrs) return;
    vt_strbuf_add(out, "        T.func_attr(");
    vt__script_notes(&p->s, out, f->n_attrs, f->attrs);
    vt_strbuf_add(out, ")\n");
}

static void match_buffers(vt__script_printer *p, const vt_func *f, vt_strbuf *out) {
    char t[VT_DTYPE_TEXT];
    for (uint32_t i = 0; i < f->n_bindings; i++) {
        const vt_binding *b = &f->bindings[i];
        const vt_buffer *shaped = b->unflattened ? b->unflattened : b->buffer;
        if (!shaped) continue;
        const char *name = vt__script_define(p, p->top, shaped, shaped->name);
        vt_ptrmap_set(p->s.known, shaped->data, vt_new_format(p->s.ctx, "%s.data", name));
        vt_strbuf_addf(out, "        %s = T.match_buffer(", name);
        vt__script_expr(&p->s, out, b->param);
        vt_strbuf_add(out, ", ");
        vt__script_shape(&p->s, out, shaped);
        vt_strbuf_addf(out, ", \"%s\"", vt_dtype_text(shaped->dtype, t));
        vt__script_buffer_rest(&p->s, out, shaped);
        vt_strbuf_add(out, ")\n");
    }
}

void vt_print_tvmscript(vt_ctx *ctx, const vt_func *f, vt_strbuf *out) {
    if (f->body->kind == VT_S_BLOCK) {
        vt__script_blocks(ctx, f, out);
        return;
    }
    vt__script_printer p = {.s = {.ctx = ctx,
                                  .names = vt__names_new(ctx),
                                  .known = vt_ptrmap_new(ctx),
                                  .declare_var = vt__script_declare_var,
                                  .declare_buffer = vt__script_declare_buffer},
                            .places = vt__script_uses(ctx, f->body)};
    vt__script_frame top;
    vt__script_enter(&p, &top, NULL);
    header(&p, f, out);
    match_buffers(&p, f, out);
    body(&p, f->body);
    for (vt__script_text *l = top.first; l; l = l->next)
        vt_strbuf_addf(out, "%*s%s\n", 8 + (int)l->indent, "", l->text);
}
