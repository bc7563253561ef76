/* Accesses of on-chip buffers become element addresses, and their allocations go: the hardware has no allocator, places
 * were given by storage_rewrite. */
#include "lower/vta/vta.h"

typedef struct lower {
    vt_mutator m;
    vt_lowering *l;
    vt_analyzer *a;
} lower;

/* What is left of loads and stores runs on the host, which does not reach the chip. */
static void refuse_on_chip(lower *st, const vt_buffer *b, const char *verb) {
    vt_memory_info info;
    if (!vt_memory_of_scope(st->l, vt_buffer_scope(b), &info)) return;
    vt_raise(st->m.ctx, VTA_ILLEGAL,
             "%s is in the %s buffer, but a loop that runs on the host %s it: mark the loops with dma_copy when they "
             "copy, with alu when they compute, or tensorize them; else set the scope to global",
             b->name, info.name, verb);
}

static const vt_expr *lower_expr(vt_mutator *m, const vt_expr *e) {
    lower *st = (lower *)m;
    vt_ctx *ctx = m->ctx;
    e = vt_mutate_expr_children(m, e);
    if (e->kind == VT_E_LOAD) refuse_on_chip(st, e->u.buffer, "reads");
    if (!vt_is_call(e, VT_OP_ACCESS_PTR)) return e;
    vt_memory_info info;
    const vt_var *data = e->a[1];
    vt_dtype elem = e->a[0]->dtype;
    uint64_t bits = (uint64_t)elem.bits * elem.lanes;
    if (vt_memory_of_scope(st->l, data->u.var->scope ? data->u.var->scope : "", &info)) {
        if (vt_dtype_is_handle(e->dtype) || info.unit_bits % bits)
            vt_raise(ctx, VTA_ILLEGAL, "%s is in the %s buffer, which the host cannot address", vt_var_name(data),
                     info.name);
        const vt_expr *unit = vt_int(ctx, e->a[2]->dtype, (int64_t)(info.unit_bits / bits));
        return vt_cast(ctx, e->dtype, vt_simplify(st->a, vt_div(ctx, e->a[2], unit)));
    }
    vt_buffer buffer = {.name = vt_var_name(data), .data = data, .dtype = elem, .ndim = 1, .offset_factor = 1};
    const vt_expr *one = vt_i32(ctx, 1);
    buffer.shape = vt_exprs_copy(ctx, 1, &one);
    buffer.elem_offset = vt_i32(ctx, 0);
    const vt_expr *load = vt_e_load(ctx, vt_buffer_with(ctx, &buffer), 1, &e->a[2]);
    return vt_e_call(ctx, VT_HANDLE_T, VT_OP_ADDRESS_OF, 1, &load);
}

static const vt_stmt *lower_stmt(vt_mutator *m, const vt_stmt *s) {
    lower *st = (lower *)m;
    const vt_stmt *out = vt_mutate_stmt_children(m, s);
    vt_memory_info info;
    if (s->kind == VT_S_STORE) refuse_on_chip(st, s->u.store.buffer, "writes");
    if (s->kind == VT_S_ALLOC && vt_memory_of_scope(st->l, s->u.alloc.var->u.var->scope, &info))
        return out->u.alloc.body;
    return out;
}

const vt_func *vt_pass_lower_storage_access(vt_lowering *l, const vt_func *f) {
    lower st = {.m = {.ctx = l->ctx, .expr = lower_expr, .stmt = lower_stmt}, .l = l, .a = vt_analyzer_new(l->ctx)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}
