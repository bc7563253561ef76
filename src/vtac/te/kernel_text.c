/* A computation as the text of a kernel file (docs/kernel-files.md), without a schedule: what an object carries so that
 * it can be proven. Arguments are called arg0, arg1, ... by their place, other tensors t0, t1, ..., axes a0, ... and
 * r0, ... */
#include "base/strbuf.h"
#include "te/operation.h"

typedef struct text {
    vt_strbuf sb;        /* memory outside the arena: nothing that can raise may be called while it is open */
    bool plain;          /* false: something has no spelling */
    const vt_ptrmap *of; /* tensor (by te__tensor_key) or variable -> how it is written */
} text;

static void print(text *t, const vt_expr *e);

/* The statement's way out of what kernel files cannot say. */
static void give_up(text *t) { t->plain = false; }

static void print_list(text *t, uint32_t n, const vt_expr *const *items) {
    for (uint32_t i = 0; i < n; i++) {
        vt_strbuf_add(&t->sb, i ? ", " : "");
        print(t, items[i]);
    }
}

static void print_call(text *t, const char *name, const vt_expr *e) {
    vt_strbuf_addf(&t->sb, "%s(", name);
    print_list(t, e->n, e->a);
    vt_strbuf_addc(&t->sb, ')');
}

static void print_infix(text *t, const char *symbol, const vt_expr *e) {
    vt_strbuf_addc(&t->sb, '(');
    print(t, e->a[0]);
    vt_strbuf_addf(&t->sb, " %s ", symbol);
    print(t, e->a[1]);
    vt_strbuf_addc(&t->sb, ')');
}

/* A number without a type is an int32 when it fits one. */
static void print_int(text *t, const vt_expr *e) {
    char type[VT_DTYPE_TEXT];
    bool plain = e->dtype.code == VT_INT && e->dtype.bits == 32 && e->u.i >= 0;
    if (e->u.i == INT64_MIN || e->dtype.lanes != 1 || (e->dtype.code == VT_UINT && e->u.i < 0)) give_up(t);
    if (plain)
        vt_strbuf_addf(&t->sb, "%lld", (long long)e->u.i);
    else
        vt_strbuf_addf(&t->sb, "%s(%lld)", vt_dtype_text(e->dtype, type), (long long)e->u.i);
}

static void print_op(text *t, const vt_expr *e) {
    static const struct {
        vt_op op;
        const char *infix, *name;
    } ops[] = {
        {VT_OP_SHIFT_LEFT, "<<", NULL},
        {VT_OP_SHIFT_RIGHT, ">>", NULL},
        {VT_OP_BITWISE_AND, "&", NULL},
        {VT_OP_BITWISE_OR, "|", NULL},
        {VT_OP_BITWISE_XOR, "^", NULL},
        {VT_OP_BITWISE_NOT, NULL, "~"},
        {VT_OP_IF_THEN_ELSE, NULL, "if_then_else"},
        {VT_OP_LIKELY, NULL, "likely"},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        if (ops[i].op != e->u.op) continue;
        if (ops[i].infix)
            print_infix(t, ops[i].infix, e);
        else
            print_call(t, ops[i].name, e);
        return;
    }
    give_up(t);
}

static void print_name(text *t, const void *key) {
    const char *name = vt_ptrmap_get(t->of, key);
    if (name)
        vt_strbuf_add(&t->sb, name);
    else
        give_up(t);
}

static void print_load(text *t, const vt_expr *e) {
    print_name(t, te__tensor_key(e->u.tensor));
    vt_strbuf_addc(&t->sb, '[');
    print_list(t, e->n, e->a);
    vt_strbuf_addc(&t->sb, ']');
}

static void print_cast(text *t, const vt_expr *e) {
    char type[VT_DTYPE_TEXT];
    print_call(t, vt_dtype_text(e->dtype, type), e);
}

static void print(text *t, const vt_expr *e) {
    static const struct {
        const char *infix, *name;
    } kinds[VT_E_COUNT] = {
        [VT_E_ADD] = {"+", NULL},         [VT_E_SUB] = {"-", NULL},        [VT_E_MUL] = {"*", NULL},
        [VT_E_DIV] = {NULL, "truncdiv"},  [VT_E_MOD] = {NULL, "truncmod"}, [VT_E_FLOORDIV] = {"//", NULL},
        [VT_E_FLOORMOD] = {"%", NULL},    [VT_E_MIN] = {NULL, "min"},      [VT_E_MAX] = {NULL, "max"},
        [VT_E_EQ] = {"==", NULL},         [VT_E_NE] = {"!=", NULL},        [VT_E_LT] = {"<", NULL},
        [VT_E_LE] = {"<=", NULL},         [VT_E_GT] = {">", NULL},         [VT_E_GE] = {">=", NULL},
        [VT_E_AND] = {"&&", NULL},        [VT_E_OR] = {"||", NULL},        [VT_E_NOT] = {NULL, "!"},
        [VT_E_SELECT] = {NULL, "select"},
    };
    if (kinds[e->kind].infix) {
        print_infix(t, kinds[e->kind].infix, e);
    } else if (kinds[e->kind].name) {
        print_call(t, kinds[e->kind].name, e);
    } else {
        switch ((int)e->kind) {
        case VT_E_VAR: print_name(t, e); break;
        case VT_E_INT: print_int(t, e); break;
        case VT_E_CAST: print_cast(t, e); break;
        case VT_E_PLOAD: print_load(t, e); break;
        case VT_E_CALL: print_op(t, e); break;
        default: give_up(t);
        }
    }
}

/* Does a sum, minimum or maximum of integers start where those of kernel files do? */
static bool is_usual_start(const vt_expr *start, vt_expr_kind kind) {
    vt_dtype t = start->dtype;
    if (vt_dtype_is_float(t)) return true;
    if (kind == VT_E_ADD) return vt_is_const(start, 0);
    if (kind == VT_E_MAX) return vt_is_const(start, vt_dtype_min_int(t));
    return vt_is_const(start, vt_dtype_is_uint(t) && t.bits == 64 ? -1 : vt_dtype_max_int(t));
}

/* "sum", "min", "max"; NULL for another reduction. */
static const char *reduction_name(const vt_expr *e) {
    const vt_reduce *r = e->u.reduce;
    const vt_combiner *c = r->combiner;
    if (c->n != 1 || c->n_outer || r->n_sources != 1 || !vt_is_const(e->a[e->n - 1], 1)) return NULL;
    const vt_expr *result = c->result[0];
    if (result->n != 2 || result->a[0] != c->lhs[0] || result->a[1] != c->rhs[0]) return NULL;
    if (!r->has_init && !is_usual_start(c->identity[0], result->kind)) return NULL;
    return result->kind == VT_E_ADD   ? "sum"
           : result->kind == VT_E_MIN ? "min"
           : result->kind == VT_E_MAX ? "max"
                                      : NULL;
}

static void print_body(text *t, const vt_expr *e) {
    if (e->kind != VT_E_REDUCE) {
        print(t, e);
        return;
    }
    const char *name = reduction_name(e);
    if (!name) {
        give_up(t);
        return;
    }
    vt_strbuf_addf(&t->sb, "%s[", name);
    for (uint32_t i = 0; i < e->u.reduce->n_axes; i++) {
        vt_strbuf_add(&t->sb, i ? ", " : "");
        print_name(t, e->u.reduce->axes[i]);
    }
    vt_strbuf_add(&t->sb, "](");
    print(t, e->a[0]);
    if (e->u.reduce->has_init) {
        vt_strbuf_add(&t->sb, ", ");
        print(t, e->a[1]);
    }
    vt_strbuf_addc(&t->sb, ')');
}

/* ---- Statements -------------------------------------------------------------------------------------------------- */

static void print_extent(text *t, const vt_expr *extent) {
    int64_t value;
    if (!extent || !vt_as_const(extent, &value) || value < 1)
        give_up(t);
    else
        vt_strbuf_addf(&t->sb, "%lld", (long long)value);
}

static void print_input(text *t, const vt_tensor *tensor) {
    char type[VT_DTYPE_TEXT];
    vt_strbuf_add(&t->sb, "input ");
    print_name(t, te__tensor_key(tensor));
    vt_strbuf_addf(&t->sb, ": %s[", vt_dtype_text(tensor->dtype, type));
    for (uint32_t i = 0; i < tensor->ndim; i++) {
        vt_strbuf_add(&t->sb, i ? ", " : "");
        print_extent(t, tensor->shape[i]);
    }
    vt_strbuf_add(&t->sb, "]\n");
}

static void print_reduce_axes(text *t, const vt_operation *op) {
    for (uint32_t i = 0; i < op->n_reduce; i++) {
        vt_strbuf_add(&t->sb, i ? ", " : "reduce ");
        print_name(t, op->iters[op->n_axes + i]);
        vt_strbuf_add(&t->sb, " = ");
        print_extent(t, op->iters[op->n_axes + i]->extent);
    }
    if (op->n_reduce) vt_strbuf_addc(&t->sb, '\n');
}

static void print_definition(text *t, const vt_operation *op, bool is_output) {
    if (op->n_outputs != 1) {
        give_up(t);
        return;
    }
    print_reduce_axes(t, op);
    vt_strbuf_add(&t->sb, is_output ? "output " : "tensor ");
    print_name(t, op->outputs[0]);
    vt_strbuf_addc(&t->sb, '[');
    for (uint32_t i = 0; i < op->n_axes; i++) {
        vt_strbuf_add(&t->sb, i ? ", " : "");
        print_name(t, op->iters[i]->var);
        vt_strbuf_add(&t->sb, ": ");
        print_extent(t, op->iters[i]->extent);
        if (!vt_is_const(op->iters[i]->min, 0)) give_up(t);
    }
    vt_strbuf_add(&t->sb, "] = ");
    print_body(t, op->bodies[0]);
    vt_strbuf_addc(&t->sb, '\n');
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

typedef struct naming {
    vt_ctx *ctx;
    vt_ptrmap *of;
    const vt_operation **ops; /* producers first */
    uint32_t n, cap;
    uint32_t axes;
} naming;

/* A reduce axis that does not begin at 0 is written as one that does, plus where it begins. */
static void name_axes(naming *w, const vt_operation *op) {
    for (uint32_t i = 0; i < op->n_axes + op->n_reduce; i++) {
        const vt_iter *axis = op->iters[i];
        bool reduce = i >= op->n_axes;
        const char *name = vt_new_format(w->ctx, "%c%u", reduce ? 'r' : 'a', w->axes++);
        int64_t min = 0;
        vt_ptrmap_set(w->of, axis, (void *)(uintptr_t)name);
        bool shifted = reduce && axis->min && vt_as_const(axis->min, &min) && min;
        vt_ptrmap_set(
            w->of, axis->var,
            (void *)(uintptr_t)(shifted ? vt_new_format(w->ctx, "(%s + (%lld))", name, (long long)min) : name));
    }
}

typedef struct pending {
    const vt_operation *op;
    uint32_t next;
} pending;

/* All computations that `out` needs, producers first; without recursion: graphs may be deep. */
static void collect(naming *w, const vt_tensor *out, vt_ptrmap *seen) {
    pending *stack = NULL;
    uint32_t n = 0, cap = 0;
    if (vt_ptrmap_has(seen, te__op(out))) return;
    vt_ptrmap_set(seen, te__op(out), w);
    vt_grow(w->ctx, &stack, &cap, 1, sizeof *stack);
    stack[n++] = (pending){te__op(out), 0};
    while (n) {
        pending *top = &stack[n - 1];
        if (top->next < top->op->n_inputs) {
            const vt_operation *input = te__op(top->op->inputs[top->next++]);
            if (vt_ptrmap_has(seen, input)) continue;
            vt_ptrmap_set(seen, input, w);
            vt_grow(w->ctx, &stack, &cap, n + 1, sizeof *stack);
            stack[n++] = (pending){input, 0};
            continue;
        }
        vt_grow(w->ctx, &w->ops, &w->cap, w->n + 1, sizeof *w->ops);
        w->ops[w->n++] = top->op;
        n--;
    }
}

static void name_all(naming *w, uint32_t n, const vt_tensor *const *args) {
    vt_ptrmap *seen = vt_ptrmap_new(w->ctx);
    for (uint32_t i = 0; i < n; i++) vt_ptrmap_set(w->of, te__tensor_key(args[i]), vt_new_format(w->ctx, "arg%u", i));
    for (uint32_t i = 0; i < n; i++) collect(w, args[i], seen);
    for (uint32_t i = 0; i < w->n; i++) {
        if (w->ops[i]->placeholder) continue;
        name_axes(w, w->ops[i]);
        if (!vt_ptrmap_has(w->of, w->ops[i]->outputs[0]))
            vt_ptrmap_set(w->of, w->ops[i]->outputs[0], vt_new_format(w->ctx, "t%u", i));
    }
}

static bool is_argument(uint32_t n, const vt_tensor *const *args, const vt_operation *op) {
    for (uint32_t i = 0; i < n; i++)
        if (te__op(args[i]) == op) return true;
    return false;
}

const char *vt_te_kernel_text(te_context *c, uint32_t n, const vt_tensor *const *args) {
    naming w = {.ctx = &c->ctx, .of = vt_ptrmap_new(&c->ctx)};
    name_all(&w, n, args);
    text t = {.plain = true, .of = w.of};
    vt_strbuf_init(&t.sb, c->allocator);
    vt_strbuf_add(&t.sb, "kernel k\n");
    for (uint32_t i = 0; i < n; i++)
        if (te__op(args[i])->placeholder) print_input(&t, args[i]);
    for (uint32_t i = 0; i < w.n; i++)
        if (w.ops[i]->scan || w.ops[i]->external) give_up(&t);
    for (uint32_t i = 0; i < w.n && t.plain; i++)
        if (!w.ops[i]->placeholder) print_definition(&t, w.ops[i], is_argument(n, args, w.ops[i]));
    bool failed = t.sb.failed;
    const char *kept = t.plain && !failed ? vt_arena_strndup(&c->ctx.arena, vt_strbuf_text(&t.sb), t.sb.size) : NULL;
    vt_strbuf_free(&t.sb);
    if (t.plain && !kept) vt_leave(&c->ctx, vt_no_memory(c->ctx.diag));
    return kept;
}
