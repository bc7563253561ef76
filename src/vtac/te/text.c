/* Tensors, computations, stages and expressions as the tutorials print them. */
#include "base/strbuf.h"
#include "te/expr.h"
#include "te/schedule.h"

/* Holds memory outside the arena: nothing that can raise may be called while one is open. */
typedef struct text {
    vt_strbuf sb;
    uint32_t depth;
} text;

/* What lies deeper, or after so many bytes, is written as "...": a text is for reading, and shared parts can make it
 * longer than memory. */
enum { DEEPEST = 3000, LONGEST = 1 << 18 };

static void print_expr(text *t, const vt_expr *e);

static void print_list(text *t, uint32_t n, const vt_expr *const *items) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) vt_strbuf_add(&t->sb, ", ");
        print_expr(t, items[i]);
    }
}

static void print_call(text *t, const char *name, uint32_t n, const vt_expr *const *items) {
    vt_strbuf_addf(&t->sb, "%s(", name);
    print_list(t, n, items);
    vt_strbuf_addc(&t->sb, ')');
}

static void print_iter(text *t, const vt_iter *axis) {
    vt_strbuf_addf(&t->sb, "iter_var(%s, ", vt_var_name(axis->var));
    if (axis->extent) {
        vt_strbuf_add(&t->sb, "range(min=");
        print_expr(t, axis->min);
        vt_strbuf_add(&t->sb, ", ext=");
        print_expr(t, axis->extent);
        vt_strbuf_addc(&t->sb, ')');
    }
    if (*axis->thread_tag) vt_strbuf_addf(&t->sb, ", %s", axis->thread_tag);
    vt_strbuf_addc(&t->sb, ')');
}

static void print_iters(text *t, uint32_t n, const vt_iter *const *axes) {
    vt_strbuf_addc(&t->sb, '[');
    for (uint32_t i = 0; i < n; i++) {
        if (i) vt_strbuf_add(&t->sb, ", ");
        print_iter(t, axes[i]);
    }
    vt_strbuf_addc(&t->sb, ']');
}

static void print_vars(text *t, uint32_t n, const vt_expr *const *vars) {
    vt_strbuf_addc(&t->sb, '[');
    print_list(t, n, vars);
    vt_strbuf_addc(&t->sb, ']');
}

static void print_reduce(text *t, const vt_expr *e) {
    const vt_reduce *r = e->u.reduce;
    vt_strbuf_add(&t->sb, "reduce(combiner=comm_reducer(result=");
    print_vars(t, r->combiner->n, r->combiner->result);
    vt_strbuf_add(&t->sb, ", lhs=");
    print_vars(t, r->combiner->n, r->combiner->lhs);
    vt_strbuf_add(&t->sb, ", rhs=");
    print_vars(t, r->combiner->n, r->combiner->rhs);
    vt_strbuf_add(&t->sb, ", identity_element=");
    print_vars(t, r->combiner->n, r->combiner->identity);
    vt_strbuf_add(&t->sb, "), source=");
    print_vars(t, r->n_sources, e->a);
    vt_strbuf_add(&t->sb, ", init=");
    print_vars(t, r->has_init ? r->n_sources : 0, e->a + r->n_sources);
    vt_strbuf_add(&t->sb, ", axis=");
    print_iters(t, r->n_axes, r->axes);
    vt_strbuf_add(&t->sb, ", where=");
    print_expr(t, e->a[e->n - 1]);
    vt_strbuf_addf(&t->sb, ", value_index=%u)", r->value_index);
}

static void print_constant(text *t, const vt_expr *e) {
    char buffer[VT_DTYPE_TEXT];
    const char *type = vt_dtype_text(e->dtype, buffer);
    if (e->kind == VT_E_STRING)
        vt_strbuf_addf(&t->sb, "\"%s\"", e->u.s);
    else if (e->kind == VT_E_FLOAT && e->dtype.bits == 32)
        vt_strbuf_addf(&t->sb, "%gf", e->u.f);
    else if (e->kind == VT_E_FLOAT)
        vt_strbuf_addf(&t->sb, "(%s)%g", type, e->u.f);
    else if (vt_dtype_eq(e->dtype, VT_I32))
        vt_strbuf_addf(&t->sb, "%lld", (long long)e->u.i);
    else
        vt_strbuf_addf(&t->sb, vt_dtype_eq(e->dtype, VT_U64) ? "(%s)%llu" : "(%s)%lld", type, (long long)e->u.i);
}

static void print_infix(text *t, const vt_expr *e, const char *blank) {
    vt_strbuf_addc(&t->sb, '(');
    print_expr(t, e->a[0]);
    vt_strbuf_addf(&t->sb, "%s%s%s", blank, vt_expr_infos[e->kind].symbol, blank);
    print_expr(t, e->a[1]);
    vt_strbuf_addc(&t->sb, ')');
}

static void print_node(text *t, const vt_expr *e) {
    const vt_expr_info *info = &vt_expr_infos[e->kind];
    char type[VT_DTYPE_TEXT];
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: vt_strbuf_add(&t->sb, vt_var_name(e)); return;
    case VT_E_INT:
    case VT_E_FLOAT:
    case VT_E_STRING: print_constant(t, e); return;
    case VT_E_MUL:
    case VT_E_DIV: print_infix(t, e, ""); return;
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD:
    case VT_E_MIN:
    case VT_E_MAX:
    case VT_E_SELECT: print_call(t, info->symbol, e->n, e->a); return;
    case VT_E_CAST: print_call(t, vt_dtype_text(e->dtype, type), 1, e->a); return;
    case VT_E_NOT:
        vt_strbuf_addc(&t->sb, '!');
        print_expr(t, e->a[0]);
        return;
    case VT_E_LOAD:
    case VT_E_PLOAD:
        vt_strbuf_addf(&t->sb, "%s[", e->kind == VT_E_LOAD ? e->u.buffer->name : e->u.tensor->name);
        print_list(t, e->n, e->a);
        vt_strbuf_addc(&t->sb, ']');
        return;
    case VT_E_CALL: print_call(t, vt_op_infos[e->u.op].name, e->n, e->a); return;
    case VT_E_REDUCE: print_reduce(t, e); return;
    case VT_E_LET:
        vt_strbuf_addf(&t->sb, "(let %s = ", vt_var_name(e->u.let_var));
        print_expr(t, e->a[0]);
        vt_strbuf_add(&t->sb, " in ");
        print_expr(t, e->a[1]);
        vt_strbuf_addc(&t->sb, ')');
        return;
    case VT_E_RAMP:
    case VT_E_BROADCAST: print_call(t, e->kind == VT_E_RAMP ? "ramp" : "x", e->n, e->a); return;
    case VT_E_ADD:
    case VT_E_SUB:
    case VT_E_MOD:
    case VT_EACH_COMPARE:
    case VT_E_AND:
    case VT_E_OR:
    case VT_E_COUNT: print_infix(t, e, " "); return;
    }
}

static void print_expr(text *t, const vt_expr *e) {
    if (t->depth >= DEEPEST || t->sb.size >= LONGEST) {
        vt_strbuf_add(&t->sb, "...");
        return;
    }
    t->depth++;
    print_node(t, e);
    t->depth--;
}

static void print_tensor(text *t, const vt_tensor *x) {
    vt_strbuf_add(&t->sb, "Tensor(shape=");
    print_vars(t, x->ndim, x->shape);
    vt_strbuf_addf(&t->sb, ", op.name=%s)", te__op(x)->name);
}

static void print_operation(text *t, const vt_operation *op) {
    if (op->placeholder) {
        vt_strbuf_addf(&t->sb, "placeholder(%s, ", op->name);
        print_vars(t, op->outputs[0]->ndim, op->outputs[0]->shape);
        vt_strbuf_addc(&t->sb, ')');
        return;
    }
    vt_strbuf_addf(&t->sb, "%s(%s, body=", op->scan ? "scan" : op->external ? "extern" : "compute", op->name);
    print_vars(t, op->n_outputs, op->bodies);
    vt_strbuf_add(&t->sb, ", axis=");
    print_iters(t, op->n_axes, op->iters);
    vt_strbuf_add(&t->sb, ", reduce_axis=");
    print_iters(t, op->n_reduce, op->iters + op->n_axes);
    vt_strbuf_addf(&t->sb, ", tag=%s, attrs={})", op->tag);
}

static void print_stage(text *t, const te_stage *st) {
    vt_strbuf_addf(&t->sb, "stage(%s, ", st->origin->name);
    print_operation(t, st->op);
    vt_strbuf_addc(&t->sb, ')');
}

/* ---- Public ---- */

/* The words that a printer wrote, in the arena. */
static const char *finish(te_context *c, text *t) {
    char *copy = t->sb.failed ? NULL : vt_arena_strndup(&c->ctx.arena, vt_strbuf_text(&t->sb), t->sb.size);
    vt_strbuf_free(&t->sb);
    if (!copy) vt_leave(&c->ctx, vt_no_memory(c->ctx.diag));
    return copy;
}

static text new_text(te_context *c) {
    text t = {.depth = 0};
    vt_strbuf_init(&t.sb, c->allocator);
    return t;
}

static const char not_printable[] = "something else to print";

const char *te__repr(te_context *c, const vt_expr *e) {
    text t = new_text(c);
    print_expr(&t, e);
    return finish(c, &t);
}

static const char *expr_text(te_context *c, const te_expr *e) { return te__repr(c, te__expr_in(c, e, not_printable)); }

static const char *axis_text(te_context *c, const te_axis *axis) {
    const vt_iter *node = te__axis_in(c, axis, not_printable);
    text t = new_text(c);
    print_iter(&t, node);
    return finish(c, &t);
}

static const char *tensor_text(te_context *c, const te_tensor *tensor) {
    const vt_tensor *node = te__tensor_in(c, tensor, not_printable);
    text t = new_text(c);
    print_tensor(&t, node);
    return finish(c, &t);
}

static const char *operation_text(te_context *c, const te_tensor *tensor) {
    const vt_operation *op = te__op(te__tensor_in(c, tensor, not_printable));
    text t = new_text(c);
    print_operation(&t, op);
    return finish(c, &t);
}

static const char *stage_text(te_context *c, const te_stage *st) {
    te__need_a(c, VT_TAG_STAGE, st, not_printable);
    text t = new_text(c);
    print_stage(&t, st);
    return finish(c, &t);
}

const char *te_expr_text(te_context *c, te_expr *e) { TE_RETURN(c, expr_text(c, e)); }
const char *te_axis_text(te_context *c, const te_axis *axis) { TE_RETURN(c, axis_text(c, axis)); }
const char *te_tensor_text(te_context *c, const te_tensor *t) { TE_RETURN(c, tensor_text(c, t)); }
const char *te_op_of_tensor_text(te_context *c, const te_tensor *t) { TE_RETURN(c, operation_text(c, t)); }
const char *te_stage_text(te_context *c, const te_stage *st) { TE_RETURN(c, stage_text(c, st)); }
