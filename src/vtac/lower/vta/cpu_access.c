/* The host reaches a device buffer through its host address, which the runtime gives: every buffer that loads and
 * stores still name is replaced by one over VTABufferCPUPtr of its handle. */
#include "lower/vta/vta.h"

typedef struct access {
    vt_mutator m;
    vt_ptrmap *vars;    /* data variable -> host pointer; NULL when its scope has ended */
    vt_ptrmap *buffers; /* buffer -> buffer over the host pointer */
    vt_ptrmap *plain;   /* micro-op scopes that access no buffer: equal ones are one statement */
} access;

static const vt_var *host_pointer(access *st, const vt_var *data) {
    const vt_var *have = vt_ptrmap_get(st->vars, data);
    if (have) return have;
    have = vt_var_copy(st->m.ctx, data, "_ptr");
    vt_ptrmap_set(st->vars, data, have);
    return have;
}

static const vt_buffer *host_buffer(vt_mutator *m, const vt_buffer *b) {
    access *st = (access *)m;
    const vt_var *data = host_pointer(st, b->data);
    const vt_buffer *have = vt_ptrmap_get(st->buffers, b);
    if (have && have->data == data) return have;
    vt_buffer copy = *b;
    copy.data = data;
    have = vt_buffer_with(m->ctx, &copy);
    vt_ptrmap_set(st->buffers, b, have);
    return have;
}

static const vt_stmt *with_pointer(access *st, const vt_var *data, const vt_stmt *body) {
    vt_ctx *ctx = st->m.ctx;
    const vt_var *pointer = vt_ptrmap_get(st->vars, data);
    if (!pointer) return body;
    vt_ptrmap_set(st->vars, data, NULL);
    const vt_expr *args[] = {vt__command_handle(ctx), data};
    return vt_s_let(ctx, pointer, vt_e_call_extern(ctx, VT_HANDLE_T, "VTABufferCPUPtr", 2, args), body);
}

static const vt_stmt *access_stmt(vt_mutator *m, const vt_stmt *s) {
    access *st = (access *)m;
    const vt_stmt *before = s;
    if (vt_ptrmap_has(st->plain, s)) return s;
    s = vt_mutate_stmt_children(m, s);
    if (s == before && vt_attr_is(s, VT_ATTR_UOPS)) vt_ptrmap_set(st->plain, s, s);
    if (s->kind != VT_S_ALLOC) return s;
    return vt_stmt_with_body(m->ctx, s, with_pointer(st, s->u.alloc.var, s->u.alloc.body));
}

const vt_func *vt_pass_cpu_access(vt_lowering *l, const vt_func *f) {
    access st = {.m = {.ctx = l->ctx, .stmt = access_stmt, .buffer = host_buffer},
                 .vars = vt_ptrmap_new(l->ctx),
                 .buffers = vt_ptrmap_new(l->ctx),
                 .plain = vt_ptrmap_new(l->ctx)};
    const vt_stmt *body = vt_mutate_stmt(&st.m, f->body);
    for (uint32_t i = 0; i < vt_ptrmap_size(st.vars); i++) body = with_pointer(&st, vt_ptrmap_key(st.vars, i), body);
    return vt_func_with_body(l->ctx, f, body);
}
