/* Tells the runtime, before each transfer and each micro-kernel, which buffer it is for and where its loops stand. Only
 * when the lowering was asked to: profiles show it (docs/profile.md). */
#include "lower/vta/vta.h"

enum {
    MAX_LOOPS = 32,
    FIRST = VT_OPERAND(VTAAnnotate, v0) - 1, /* value among the arguments */
    VALUES = VT_OPERANDS(VTAAnnotate) - VT_OPERAND(VTAAnnotate, v0)
};

typedef struct naming {
    vt_mutator m;
    const vt_var *loops[MAX_LOOPS]; /* around the statement, outermost first */
    uint32_t depth;
} naming;

/* The first on-chip buffer that is mentioned. */
static bool find_buffer(void *user, const vt_expr *e) {
    const char **name = user;
    if (*name == NULL && vt_is_call(e, VT_OP_ACCESS_PTR) && e->a[1]->kind == VT_E_VAR) *name = e->a[1]->u.var->name;
    return *name == NULL;
}

/* The first buffer that an ALU loop nest writes. */
static bool find_store(void *user, const vt_stmt *s) {
    const char **name = user;
    if (*name == NULL && s->kind == VT_S_STORE) *name = s->u.store.buffer->name;
    return *name == NULL;
}

/* The innermost loops say most, and the annotation takes four of them. */
static const vt_stmt *annotation(naming *st, const char *what) {
    vt_ctx *ctx = st->m.ctx;
    uint32_t first = st->depth > VALUES ? st->depth - VALUES : 0, count = st->depth - first;
    const char *text = what;
    const vt_expr *args[FIRST + VALUES];
    for (uint32_t i = 0; i < VALUES; i++) {
        args[FIRST + i] = vt_i32(ctx, 0);
        if (i >= count) continue;
        const vt_var *loop = st->loops[first + i];
        text = vt_new_format(ctx, "%s %s", text, loop->u.var->name);
        args[FIRST + i] = vt_dtype_eq(loop->dtype, VT_I32) ? loop : vt_e_cast(ctx, VT_I32, loop);
    }
    args[0] = vt__command_handle(ctx);
    args[1] = vt_string(ctx, text);
    args[2] = vt_int(ctx, VT_U32, count);
    return vt__extern(ctx, "VTAAnnotate", FIRST + VALUES, args);
}

static const vt_stmt *before(naming *st, const char *what, const vt_stmt *s) {
    const vt_stmt *items[] = {annotation(st, what), s};
    return vt_s_seq(st->m.ctx, 2, items);
}

static const char *var_name(const vt_expr *e) { return e->kind == VT_E_VAR ? e->u.var->name : NULL; }

/* What a call moves; NULL for other statements. Buffers in acc share memory, so a load into it is called by its source.
 */
static const char *transfer(const vt_stmt *s) {
    const vt_expr *e = s->kind == VT_S_EVAL ? s->u.eval.value : NULL;
    const char *name = NULL;
    if (e == NULL) return NULL;
    if (VT_IS_RUNTIME(e, VTAStoreBuffer2D) && e->n == VT_OPERANDS(VTAStoreBuffer2D)) {
        name = var_name(e->a[VT_OPERAND(VTAStoreBuffer2D, dst_dram)]);
        return name ? name : "store";
    }
    if (!VT_IS_RUNTIME(e, VTALoadBuffer2D) || e->n != VT_OPERANDS(VTALoadBuffer2D)) return NULL;
    const vt_expr *type = e->a[VT_OPERAND(VTALoadBuffer2D, dst_memory_type)];
    if (vt_is_const(type, VTA_MEM_INP) || vt_is_const(type, VTA_MEM_WGT))
        vt_expr_walk(e, find_buffer, &name);
    else
        name = var_name(e->a[VT_OPERAND(VTALoadBuffer2D, src_dram)]);
    return name ? name : "load";
}

/* GEMM and ALU often work on the same accumulators: "res_conv", "res_conv.alu". */
static const char *kernel(vt_ctx *ctx, const vt_stmt *s) {
    const char *name = NULL;
    vt_stmt_walk(s->u.attr.body, find_buffer, find_store, &name);
    bool alu = vt_is_text(s->u.attr.value, VT_PUSH_ALU);
    if (name == NULL) return alu ? "alu" : "gemm";
    return alu ? vt_new_format(ctx, "%s.alu", name) : name;
}

static const vt_stmt *name_stmt(vt_mutator *m, const vt_stmt *s) {
    naming *st = (naming *)m;
    if (vt_attr_is(s, VT_ATTR_UOPS)) return before(st, kernel(m->ctx, s), s);
    const char *moved = transfer(s);
    if (moved) return before(st, moved, s);
    bool loop = s->kind == VT_S_FOR && st->depth < MAX_LOOPS;
    if (loop) st->loops[st->depth++] = s->u.loop.var;
    s = vt_mutate_stmt_children(m, s);
    if (loop) st->depth--;
    return s;
}

const vt_func *vt_pass_name_sources(vt_lowering *l, const vt_func *f) {
    if (!vt__vta(l)->annotate) return f;
    naming st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = name_stmt}};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}
