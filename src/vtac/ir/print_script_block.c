/* Functions made of blocks in TVMScript, in the older spelling that goes with them. */
#include <string.h>

#include "ir/build.h"
#include "ir/print_script.h"

typedef struct printer {
    vt__script s;
    vt_strbuf *out;
    uint32_t indent;
    vt_ptrmap *loops; /* loop variable -> its loop */
} printer;

static void stmt(printer *p, const vt_stmt *s);

static void line(printer *p) { vt_strbuf_addf(p->out, "\n%*s", (int)p->indent, ""); }

static const char *define(vt__script *s, const void *thing, const char *hint) {
    const char *name = vt__names_take(s->names, vt__script_name(s, hint));
    vt_ptrmap_set(s->known, thing, name);
    return name;
}

static const char *declare_var(vt__script *s, const vt_var *v) { return define(s, v, vt_var_name(v)); }
static const char *declare_buffer(vt__script *s, const vt_buffer *b) { return define(s, b, b->name); }

/* The name of a variable whose scope ends may be given again. */
static void undefine(printer *p, const vt_var *v) {
    vt__names_step_back(p->s.names, vt__script_name(&p->s, vt_var_name(v)), vt_ptrmap_get(p->s.known, v));
}

static bool simple(const vt_stmt *s) {
    return s->kind == VT_S_FOR && s->u.loop.kind == VT_FOR_SERIAL && !s->u.loop.n_notes &&
           vt_is_const(s->u.loop.min, 0);
}

static void inside(printer *p, const vt_stmt *s) {
    p->indent += 4;
    line(p);
    stmt(p, s);
    p->indent -= 4;
}

/* Loops from `first` to `last` in one line. */
static void loop_line(printer *p, const vt_stmt *first, const vt_stmt *last) {
    vt_strbuf_add(p->out, "for ");
    for (const vt_stmt *l = first;; l = l->u.loop.body) {
        if (l != first) vt_strbuf_add(p->out, ", ");
        vt__script_expr(&p->s, p->out, l->u.loop.var);
        vt_ptrmap_set(p->loops, l->u.loop.var, l);
        if (l == last) break;
    }
    vt_strbuf_addf(p->out, " in T.%s(", first != last ? "grid" : vt_for_kind_text((vt_for_kind)first->u.loop.kind));
    if (!vt_is_const(first->u.loop.min, 0)) {
        vt__script_expr(&p->s, p->out, first->u.loop.min);
        vt_strbuf_add(p->out, ", ");
    }
    for (const vt_stmt *l = first;; l = l->u.loop.body) {
        if (l != first) vt_strbuf_add(p->out, ", ");
        vt__script_expr(&p->s, p->out, vt_add(p->s.ctx, l->u.loop.min, l->u.loop.extent));
        if (l == last) break;
    }
    vt_strbuf_add(p->out, "):");
}

static bool in_loop(void *user, const vt_var *v) { return vt_ptrmap_get(user, v) != NULL; }

static void loop(printer *p, const vt_stmt *s) {
    const vt_stmt *last = s;
    vt_ptrmap_set(p->loops, s->u.loop.var, s);
    while (simple(s) && simple(last->u.loop.body) &&
           !vt_expr_uses_any(last->u.loop.body->u.loop.extent, in_loop, p->loops)) {
        last = last->u.loop.body;
        vt_ptrmap_set(p->loops, last->u.loop.var, last);
    }
    loop_line(p, s, last);
    inside(p, last->u.loop.body);
    for (const vt_stmt *l = last;;) { /* inner ones first */
        undefine(p, l->u.loop.var);
        vt_ptrmap_set(p->loops, l->u.loop.var, NULL);
        if (l == s) break;
        const vt_stmt *outer = s;
        while (outer->u.loop.body != l) outer = outer->u.loop.body;
        l = outer;
    }
}

/* A block's variable that is just one loop's. */
static bool remaps(printer *p, const vt_iter *it, const vt_expr *value) {
    if (it->type != VT_ITER_DATA_PAR && it->type != VT_ITER_COMM_REDUCE) return false;
    const vt_stmt *l = value->kind == VT_E_VAR ? vt_ptrmap_get(p->loops, value) : NULL;
    return l && vt_expr_equal(l->u.loop.min, it->min) && vt_expr_equal(l->u.loop.extent, it->extent);
}

static void block_var(printer *p, const vt_iter *it, const vt_expr *value) {
    static const char *const kinds[] = {[VT_ITER_DATA_PAR] = "spatial",
                                        [VT_ITER_COMM_REDUCE] = "reduce",
                                        [VT_ITER_ORDERED] = "scan",
                                        [VT_ITER_OPAQUE] = "opaque"};
    line(p);
    vt__script_expr(&p->s, p->out, it->var);
    vt_strbuf_addf(p->out, " = T.axis.%s(", it->type <= VT_ITER_OPAQUE && kinds[it->type] ? kinds[it->type] : "opaque");
    if (vt_is_const(it->min, 0)) {
        vt__script_expr(&p->s, p->out, it->extent);
    } else {
        vt_strbuf_add(p->out, "(");
        vt__script_expr(&p->s, p->out, it->min);
        vt_strbuf_add(p->out, ", ");
        vt__script_expr(&p->s, p->out, vt_add(p->s.ctx, it->min, it->extent));
        vt_strbuf_add(p->out, ")");
    }
    vt_strbuf_add(p->out, ", ");
    vt__script_expr(&p->s, p->out, value);
    vt_strbuf_add(p->out, ")");
}

static void remap(printer *p, const vt_stmt *s, uint32_t from, uint32_t to) {
    if (to - from == 1) {
        block_var(p, s->u.block.iters[from], s->u.block.bindings[from]);
        return;
    }
    line(p);
    for (uint32_t i = from; i < to; i++) {
        if (i > from) vt_strbuf_add(p->out, ", ");
        vt__script_expr(&p->s, p->out, s->u.block.iters[i]->var);
    }
    vt_strbuf_add(p->out, " = T.axis.remap(\"");
    for (uint32_t i = from; i < to; i++)
        vt_strbuf_addc(p->out, s->u.block.iters[i]->type == VT_ITER_DATA_PAR ? 'S' : 'R');
    vt_strbuf_add(p->out, "\", [");
    vt__script_exprs(&p->s, p->out, to - from, s->u.block.bindings + from);
    vt_strbuf_add(p->out, "])");
}

static void block_vars(printer *p, const vt_stmt *s) {
    uint32_t n = s->u.block.n_iters;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i;
        while (end < n && remaps(p, s->u.block.iters[end], s->u.block.bindings[end])) end++;
        if (end > i)
            remap(p, s, i, end);
        else
            block_var(p, s->u.block.iters[i], s->u.block.bindings[i]), end++;
        i = end;
    }
}

static void regions(printer *p, const char *what, uint32_t n, const vt_region *r) {
    line(p);
    vt_strbuf_addf(p->out, "T.%s(", what);
    for (uint32_t i = 0; i < n; i++) {
        if (i) vt_strbuf_add(p->out, ", ");
        vt__script_buffer(&p->s, p->out, r[i].buffer);
        vt_strbuf_add(p->out, r[i].n_ranges ? "[" : "[()");
        for (uint32_t k = 0; k < r[i].n_ranges; k++) {
            if (k) vt_strbuf_add(p->out, ", ");
            vt__script_expr(&p->s, p->out, r[i].ranges[k].min);
            if (vt_is_const(r[i].ranges[k].extent, 1)) continue;
            vt_strbuf_add(p->out, " : ");
            vt__script_expr(&p->s, p->out, vt_add(p->s.ctx, r[i].ranges[k].min, r[i].ranges[k].extent));
        }
        vt_strbuf_add(p->out, "]");
    }
    vt_strbuf_add(p->out, ")");
}

static void block_body(printer *p, const vt_stmt *s) {
    char t[VT_DTYPE_TEXT];
    for (uint32_t i = 0; i < s->u.block.n_allocs; i++) {
        const vt_buffer *b = s->u.block.allocs[i];
        line(p);
        vt__script_buffer(&p->s, p->out, b);
        vt_strbuf_add(p->out, " = T.alloc_buffer([");
        vt__script_exprs(&p->s, p->out, b->ndim, b->shape);
        vt_strbuf_addf(p->out, "], dtype=\"%s\"", vt_dtype_text(b->dtype, t));
        if (strcmp(vt_buffer_scope(b), "global")) vt_strbuf_addf(p->out, ", scope=\"%s\"", vt_buffer_scope(b));
        vt_strbuf_add(p->out, ")");
    }
    if (s->u.block.init) {
        line(p);
        vt_strbuf_add(p->out, "with T.init():");
        inside(p, s->u.block.init);
    }
    line(p);
    stmt(p, s->u.block.body);
}

static void block(printer *p, const vt_stmt *s) {
    vt_strbuf_addf(p->out, "with T.block(\"%s\"):", s->u.block.name);
    p->indent += 4;
    block_vars(p, s);
    regions(p, "reads", s->u.block.n_reads, s->u.block.reads);
    regions(p, "writes", s->u.block.n_writes, s->u.block.writes);
    block_body(p, s);
    p->indent -= 4;
    for (uint32_t i = 0; i < s->u.block.n_iters; i++) undefine(p, s->u.block.iters[i]->var);
}

static void branch(printer *p, const vt_stmt *s) {
    vt_strbuf_add(p->out, "if ");
    vt__script_expr(&p->s, p->out, s->u.branch.condition);
    vt_strbuf_add(p->out, ":");
    inside(p, s->u.branch.then_case);
    if (!s->u.branch.else_case) return;
    line(p);
    vt_strbuf_add(p->out, "else:");
    inside(p, s->u.branch.else_case);
}

static void stmt(printer *p, const vt_stmt *s) {
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_FOR: loop(p, s); break;
    case VT_S_BLOCK: block(p, s); break;
    case VT_S_IF: branch(p, s); break;
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
            if (i) line(p);
            stmt(p, s->u.seq.items[i]);
        }
        break;
    case VT_S_STORE:
        vt__script_element(&p->s, p->out, s->u.store.buffer, s->u.store.n_indices, s->u.store.indices);
        vt_strbuf_add(p->out, " = ");
        vt__script_expr(&p->s, p->out, s->u.store.value);
        break;
    case VT_S_LET:
        vt__script_expr(&p->s, p->out, s->u.let.var);
        vt_strbuf_add(p->out, " = ");
        vt__script_expr(&p->s, p->out, s->u.let.value);
        line(p);
        stmt(p, s->u.let.body);
        break;
    case VT_S_EVAL:
        vt_strbuf_add(p->out, "T.evaluate(");
        vt__script_expr(&p->s, p->out, s->u.eval.value);
        vt_strbuf_add(p->out, ")");
        break;
    case VT_S_ATTR:
    case VT_S_ASSERT:
    case VT_S_ALLOC:
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_COUNT:
        vt_raise(p->s.ctx, VTA_UNSUPPORTED, "%s inside of blocks cannot be printed as TVMScript",
                 vt_stmt_kind_text((vt_stmt_kind)s->kind));
    }
}

static const vt_buffer *bound_buffer(const vt_func *f, const vt_var *param) {
    for (uint32_t i = 0; i < f->n_bindings; i++)
        if (f->bindings[i].param == param) return f->bindings[i].buffer;
    return NULL;
}

static void signature(printer *p, const vt_func *f) {
    char t[VT_DTYPE_TEXT];
    vt_strbuf_addf(p->out, "def %s(", f->name);
    for (uint32_t i = 0; i < f->n_params; i++) {
        const vt_buffer *b = bound_buffer(f, f->params[i]);
        if (i) vt_strbuf_add(p->out, ", ");
        if (b) {
            vt__script_buffer(&p->s, p->out, b);
            vt_strbuf_add(p->out, ": T.Buffer[");
            vt__script_shape(&p->s, p->out, b);
            vt_strbuf_addf(p->out, ", \"%s\"]", vt_dtype_text(b->dtype, t));
        } else {
            vt__script_expr(&p->s, p->out, f->params[i]);
            vt_strbuf_addf(p->out, ": T.%s", vt_dtype_text(f->params[i]->dtype, t));
        }
    }
    vt_strbuf_add(p->out, ") -> None:");
}

void vt__script_blocks(vt_ctx *ctx, const vt_func *f, vt_strbuf *out) {
    printer p = {.s = {.ctx = ctx,
                       .names = vt__names_new(ctx),
                       .known = vt_ptrmap_new(ctx),
                       .blocks = true,
                       .declare_var = declare_var,
                       .declare_buffer = declare_buffer},
                 .out = out,
                 .indent = 4,
                 .loops = vt_ptrmap_new(ctx)};
    vt_strbuf_add(out, "# from tvm.script import tir as T\n@tvm.script.ir_module\nclass Module:");
    line(&p);
    vt_strbuf_add(out, "@T.prim_func");
    line(&p);
    signature(&p, f);
    p.indent = 8;
    if (f->n_attrs) {
        line(&p);
        vt_strbuf_add(out, "# function attr dict");
        line(&p);
        vt_strbuf_add(out, "T.func_attr(");
        vt__script_notes(&p.s, out, f->n_attrs, f->attrs);
        vt_strbuf_add(out, ")");
    }
    line(&p);
    vt_strbuf_add(out, "# body");
    if (f->body->u.block.n_iters) {
        line(&p);
        block(&p, f->body);
    } else {
        line(&p);
        vt_strbuf_add(out, "# with T.block(\"root\")");
        block_body(&p, f->body);
    }
    p.indent = 4;
    line(&p);
    vt_strbuf_add(out, "\n");
}
