/* Kernels for the accelerator made by hand. */
#ifndef TESTS_BUILD_HAND_MADE_H
#define TESTS_BUILD_HAND_MADE_H

#include "codegen/kernels.h"

static inline const vt_expr *i32(vt_ctx *c, int64_t v) { return vt_i32(c, v); }

static inline const vt_stmt *call_of(vt_ctx *c, const char *name, uint32_t n, const vt_expr *const *args) {
    return vt_s_eval(c, vt_e_call_extern(c, VT_I32, name, n, args));
}

static inline const vt_expr *command(vt_ctx *c) {
    const vt_expr *handle = vt_e_call(c, VT_HANDLE_T, VT_OP_VTA_COMMAND_HANDLE, 0, NULL);
    return vt_e_call(c, VT_HANDLE_T, VT_OP_THREAD_CONTEXT, 1, &handle);
}

static inline const vt_stmt *vta_op(vt_ctx *c, vt_op op, int64_t x, int64_t y) {
    const vt_expr *args[] = {i32(c, x), i32(c, y)};
    return vt_s_eval(c, vt_e_call(c, VT_I32, op, op == VT_OP_VTA_COPROC_SYNC ? 0 : 2, args));
}

static inline const vt_stmt *load_acc(vt_ctx *c, const vt_buffer *b, const vt_expr *from, int64_t n, int64_t to) {
    const vt_expr *z = i32(c, 0), *args[] = {command(c), b->data, from, i32(c, n), i32(c, 1),  i32(c, n),
                                             z,          z,       z,    z,         i32(c, to), i32(c, 3)};
    return call_of(c, "VTALoadBuffer2D", 12, args);
}

static inline const vt_stmt *store_out(vt_ctx *c, int64_t from, const vt_buffer *b, const vt_expr *to, int64_t n) {
    const vt_expr *args[] = {command(c), i32(c, from), i32(c, 4), b->data, to, i32(c, n), i32(c, 1), i32(c, n)};
    return call_of(c, "VTAStoreBuffer2D", 8, args);
}

/* acc[dst] += acc[src] over n elements, dst and src given. */
static inline const vt_stmt *add_kernel(vt_ctx *c, int64_t n, const vt_expr *dst, const vt_expr *src) {
    const vt_expr *bounds[] = {i32(c, n), i32(c, 1), i32(c, 1), i32(c, 0)}, *z = i32(c, 0);
    const vt_expr *uop[] = {i32(c, 1), z, dst, src, z, i32(c, 2), z, z};
    const vt_stmt *items[] = {
        call_of(c, "VTAUopLoopBegin", 4, bounds),
        vt_s_eval(c, vt_e_call(c, VT_I32, VT_OP_VTA_UOP_PUSH, 8, uop)),
        call_of(c, "VTAUopLoopEnd", 0, NULL),
    };
    const vt_stmt *body = vt_s_seq(c, 3, items);
    return vt_s_attr(c, vt_ref_none(), "coproc_uop_scope", vt_string(c, "VTAPushALUOp"), body);
}

static inline const vt_stmt *task(vt_ctx *c, int64_t stage, uint32_t n, const vt_stmt *const *items) {
    return vt_s_attr(c, vt_ref_none(), "coproc_scope", i32(c, stage), vt_s_seq(c, n, items));
}

/* The tutorials' vector addition of 64 elements of 1 x 16. */
static inline const vt_func *make_vadd(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "A", VT_I32, 1024), flat(c, "B", VT_I32, 1024), flat(c, "C", VT_I8, 1024)};
    const vt_stmt *compute[] = {load_acc(c, b[0], i32(c, 0), 64, 0), load_acc(c, b[1], i32(c, 0), 64, 64),
                                add_kernel(c, 64, i32(c, 0), i32(c, 64)), vta_op(c, VT_OP_VTA_COPROC_DEP_PUSH, 2, 3)};
    const vt_stmt *store[] = {vta_op(c, VT_OP_VTA_COPROC_DEP_POP, 2, 3), store_out(c, 0, b[2], i32(c, 0), 64)};
    const vt_stmt *all[] = {task(c, 2, 4, compute), task(c, 3, 2, store), vta_op(c, VT_OP_VTA_COPROC_SYNC, 0, 0)};
    return function(c, "vadd", 3, b, vt_s_seq(c, 3, all));
}

/* Eight additions in two nested loops, whose places depend on both: a signature of two variables, one behind a let. */
static inline const vt_func *make_nested(vt_ctx *c) {
    const vt_buffer *b[] = {flat(c, "A", VT_I32, 1024), flat(c, "B", VT_I32, 1024), flat(c, "C", VT_I8, 1024)};
    const vt_var *i = vt_var_new(c, "i", VT_I32), *j = vt_var_new(c, "j", VT_I32), *k = vt_var_new(c, "k", VT_I32);
    const vt_expr *dst = vt_add(c, vt_mul(c, i, i32(c, 32)), k), *src = vt_add(c, dst, i32(c, 64));
    const vt_stmt *body = vt_s_let(c, k, vt_mul(c, vt_sub(c, j, i32(c, 5)), i32(c, 8)), add_kernel(c, 8, dst, src));
    body =
        vt_s_for(c, i, i32(c, 0), i32(c, 2), VT_FOR_SERIAL, vt_s_for(c, j, i32(c, 5), i32(c, 4), VT_FOR_SERIAL, body));
    const vt_stmt *compute[] = {load_acc(c, b[0], i32(c, 0), 64, 0), load_acc(c, b[1], i32(c, 0), 64, 64), body,
                                vta_op(c, VT_OP_VTA_COPROC_DEP_PUSH, 2, 3)};
    const vt_stmt *store[] = {vta_op(c, VT_OP_VTA_COPROC_DEP_POP, 2, 3), store_out(c, 0, b[2], i32(c, 0), 64)};
    const vt_stmt *all[] = {task(c, 2, 4, compute), task(c, 3, 2, store), vta_op(c, VT_OP_VTA_COPROC_SYNC, 0, 0)};
    return function(c, "nested", 3, b, vt_s_seq(c, 3, all));
}

#endif
