/* A transposed convolution with stride reads an input that is mostly zeros between the real ones. Its multiply-add,
 * marked conv2d_transpose_gemm, becomes the GEMM intrinsic under the condition that selects real inputs, so that the
 * zeros cost nothing.
 *
 * The marked statement is the loop over the element's axes around one store of acc + select(condition, data * kernel,
 * 0) (or without the select); in the initialization, around a store of zero. The conditions of splits that do not
 * divide stand around the store, and then around the GEMM. */
#include <string.h>

#include "lower/vta/vta.h"

typedef struct skip {
    vt_mutator m;
    vt_lowering *l;
    const vt_iter *axis;
} skip;

/* The store inside of loops, conditions, bindings and attributes. */
static const vt_stmt *find_store(const vt_stmt *s) {
    for (;;) {
        const vt_stmt *body = s->kind == VT_S_IF ? s->u.branch.then_case : vt_stmt_body(s);
        if (!body) return s->kind == VT_S_PSTORE ? s : NULL;
        s = body;
    }
}

/* The statement under the conditions around that store. */
static const vt_stmt *under_conditions(vt_ctx *ctx, const vt_stmt *marked, const vt_stmt *s) {
    const vt_stmt *body = marked->kind == VT_S_IF ? marked->u.branch.then_case : vt_stmt_body(marked);
    if (!body) return s;
    s = under_conditions(ctx, body, s);
    return marked->kind == VT_S_IF ? vt_s_if(ctx, marked->u.branch.condition, s, NULL) : s;
}

/* Loads and the first selection of a value, in the order of TVM's walk (operands before their user). */
typedef struct parts {
    const vt_expr *loads[3]; /* the last three */
    uint32_t n;
    const vt_expr *select;
} parts;

static void find_parts(void *user, const vt_expr *e) {
    parts *p = user;
    if (e->kind == VT_E_SELECT && !p->select) p->select = e;
    if (e->kind != VT_E_PLOAD) return;
    p->loads[0] = p->loads[1];
    p->loads[1] = p->loads[2];
    p->loads[2] = e;
    p->n++;
}

/* An operand of the GEMM: a symbolic buffer of the element's shape, to be bound to where it is. */
static const vt_buffer *operand(vt_ctx *ctx, const char *scope, vt_dtype t, int64_t rows, int64_t columns) {
    const vt_expr *shape[2] = {vt_i32(ctx, rows), vt_i32(ctx, columns)};
    vt_buffer b = *vt_buffer_new(ctx, scope, vt_var_new_pointer(ctx, scope, t, scope), t, 2, shape);
    b.elem_offset = vt_var_new(ctx, vt_new_format(ctx, "%s_elem_offset", scope), VT_I32);
    b.offset_factor = (int32_t)(rows * columns);
    return vt_buffer_with(ctx, &b);
}

static const vt_expr *address(vt_ctx *ctx, const vt_buffer *b, int mask) {
    const vt_expr *extent = vt_mul(ctx, b->shape[0], b->shape[1]);
    return vt__access(ctx, b->dtype, b->data, b->elem_offset, extent, mask);
}

/* The element at the given outer indices: all of the two innermost dimensions. */
static const vt_stmt *bind(vt_ctx *ctx, const vt_buffer *b, const vt_tensor *t, const vt_expr *const *indices,
                           uint32_t n, const vt_stmt *body) {
    const vt_expr **region = VT_NEW_ARRAY(ctx, const vt_expr *, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        bool inner = i + 2 >= n;
        region[2 * i] = inner ? vt_i32(ctx, 0) : indices[i];
        region[2 * i + 1] = inner ? b->shape[i + 2 - n] : vt_i32(ctx, 1);
    }
    return vt_s_attr(ctx, vt_ref_pair(b, t), VT_ATTR_BIND_BUFFER,
                     vt_e_call(ctx, VT_HANDLE_T, VT_OP_TUPLE, 2 * n, region), body);
}

static const vt_stmt *replace_gemm(skip *st, const vt_stmt *s) {
    vt_ctx *ctx = st->m.ctx;
    const vta_config *config = vt__config(st->l);
    const vt_stmt *store = find_store(s->u.attr.body);
    if (!store || store->u.pstore.n_indices < 3)
        vt_raise(ctx, VTA_ILLEGAL, "conv2d_transpose_gemm marks something that is not a multiply-add of tiled tensors");
    int64_t batch = vta_config_batch(config), in = vta_config_block_in(config), out = vta_config_block_out(config);
    vt_dtype acc = VT_DTYPE(VT_INT, vta_config_width(config, VTA_MEM_ACC), 1);
    vt_dtype inp = VT_DTYPE(VT_INT, vta_config_width(config, VTA_MEM_INP), 1);
    vt_dtype wgt = VT_DTYPE(VT_INT, vta_config_width(config, VTA_MEM_WGT), 1);
    const vt_buffer *dout = operand(ctx, VT_SCOPE_ACC, acc, batch, out);
    parts p = {.n = 0};
    vt_expr_walk_post(store->u.pstore.value, find_parts, &p);
    const vt_expr *zero = vt_i32(ctx, 0);
    bool init = p.n == 0;
    if (!init && p.n < 3) vt_raise(ctx, VTA_ILLEGAL, "conv2d_transpose_gemm: expected acc + data * kernel");
    const vt_buffer *dinp = init ? NULL : operand(ctx, VT_SCOPE_INP, inp, batch, in);
    const vt_buffer *dwgt = init ? NULL : operand(ctx, VT_SCOPE_WGT, wgt, out, in);
    const vt_expr *push[] = {zero,
                             vt_i32(ctx, init),
                             address(ctx, dout, 3),
                             init ? zero : address(ctx, dinp, 1),
                             init ? zero : address(ctx, dwgt, 1),
                             zero,
                             zero,
                             zero};
    const vt_stmt *body = vt__call(ctx, VT_OP_VTA_UOP_PUSH, 8, push);
    body = vt__task(st->l, st->axis, VTA_STAGE_COMPUTE, vt__uops(st->l, st->axis, VT_PUSH_GEMM, body));
    if (init) return bind(ctx, dout, store->u.pstore.tensor, store->u.pstore.indices, store->u.pstore.n_indices, body);
    if (p.select) body = vt_s_if(ctx, p.select->a[0], body, NULL);
    body = bind(ctx, dout, p.loads[0]->u.tensor, p.loads[0]->a, p.loads[0]->n, body);
    body = bind(ctx, dwgt, p.loads[2]->u.tensor, p.loads[2]->a, p.loads[2]->n, body);
    return bind(ctx, dinp, p.loads[1]->u.tensor, p.loads[1]->a, p.loads[1]->n, body);
}

/* The marked loops go; what is left may not use their variables. */
typedef struct lost {
    const vt_stmt *replacement;
    const vt_var *var; /* one that is used */
} lost;

static bool find_lost(void *user, const vt_stmt *s) {
    lost *l = user;
    const vt_var *v = s->kind == VT_S_FOR ? s->u.loop.var : s->kind == VT_S_LET ? s->u.let.var : NULL;
    if (v && !l->var && vt_stmt_uses(l->replacement, v)) l->var = v;
    return !l->var;
}

static const vt_stmt *replace_checked(skip *st, const vt_stmt *s) {
    lost l = {.replacement = under_conditions(st->m.ctx, s->u.attr.body, replace_gemm(st, s))};
    vt_stmt_walk(s->u.attr.body, NULL, find_lost, &l);
    if (!l.var) return l.replacement;
    vt_raise(
        st->m.ctx, VTA_ILLEGAL,
        "conv2d_transpose_gemm: axis %s is inside of the mark, but is not an axis of the GEMM's tile; mark the first "
        "axis of the tile instead",
        vt_var_name(l.var));
}

static const vt_stmt *skip_stmt(vt_mutator *m, const vt_stmt *s) {
    if (vt_pragma_is(s, "conv2d_transpose_gemm")) return replace_checked((skip *)m, s);
    return vt_mutate_stmt_children(m, s);
}

static bool is_marked(void *user, const vt_stmt *s) {
    bool *found = user;
    *found |= vt_pragma_is(s, "conv2d_transpose_gemm");
    return !*found;
}

const vt_func *vt_pass_conv2d_transpose_skip(vt_lowering *l, const vt_func *f) {
    bool any = false;
    vt_stmt_walk(f->body, NULL, is_marked, &any);
    if (!any) return f;
    skip st = {.m = {.ctx = l->ctx, .statements_only = true, .stmt = skip_stmt}, .l = l, .axis = vt__task_axis(l, f)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}
