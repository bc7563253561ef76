#include "lower/vta/vta.h"

#include <string.h>

static const struct {
    const char *scope;
    vta_memory memory;
} scopes[] = {
#define VT_SCOPE(MEMORY, name, scope) {scope, VTA_MEM_##MEMORY},
#include "ir/scope.def"
#undef VT_SCOPE
};

bool vt__memory_of(const char *scope, vta_memory *out_memory) {
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        if (strcmp(scopes[i].scope, scope) != 0) continue;
        *out_memory = scopes[i].memory;
        return true;
    }
    return false;
}

int64_t vt__elem_scalars(const vta_config *config, vta_memory memory) {
    if (memory == VTA_MEM_TABLE) return VTA_TABLE_ENTRIES; /* of a configuration without tables, too */
    return (int64_t)vta_config_elem_bytes(config, memory) * 8 / vta_config_width(config, memory);
}

/* ---- What generic passes ask ------------------------------------------------------------------------------------ */

static bool memory_of_scope(const vt_target *t, const char *scope, vt_memory_info *out_info) {
    const vta_config *config = ((const vt_vta *)t)->config;
    vta_memory memory;
    if (!vt__memory_of(scope, &memory)) return false;
    uint64_t unit =
        memory == VTA_MEM_TABLE ? VTA_TABLE_ENTRIES * 8 : (uint64_t)vta_config_elem_bytes(config, memory) * 8;
    *out_info = (vt_memory_info){.name = vta_memory_name(memory),
                                 .unit_bits = unit,
                                 .align_bits = unit,
                                 .max_bits = (uint64_t)vta_config_buffer_bytes(config, memory) * 8};
    return true;
}

static bool transfer_of_call(const vt_target *t, const vt_expr *call, vt_transfer_info *out_info) {
    bool loads = VT_IS_RUNTIME(call, VTALoadBuffer2D) && call->n == VT_OPERANDS(VTALoadBuffer2D);
    bool stores = VT_IS_RUNTIME(call, VTAStoreBuffer2D) && call->n == VT_OPERANDS(VTAStoreBuffer2D);
    int64_t memory;
    if ((!loads && !stores) || !vt_as_const(call->a[loads ? VT_OPERAND(VTALoadBuffer2D, dst_memory_type)
                                                          : VT_OPERAND(VTAStoreBuffer2D, src_memory_type)],
                                            &memory))
        return false;
    *out_info = (vt_transfer_info){
        .data = loads ? VT_OPERAND(VTALoadBuffer2D, src_dram) : VT_OPERAND(VTAStoreBuffer2D, dst_dram),
        .offset = loads ? VT_OPERAND(VTALoadBuffer2D, src_elem_offset) : VT_OPERAND(VTAStoreBuffer2D, dst_elem_offset),
        .scalars = vt__elem_scalars(((const vt_vta *)t)->config, (vta_memory)memory)};
    return true;
}

static bool orders_tasks(const vt_expr *call) {
    return vt_is_call(call, VT_OP_VTA_COPROC_DEP_PUSH) || vt_is_call(call, VT_OP_VTA_COPROC_DEP_POP);
}

vt_vta *vt_vta_new(vt_ctx *ctx, const vta_config *config) {
    vt_vta *vta = VT_NEW(ctx, vt_vta);
    *vta = (vt_vta){.target = {.memory_of_scope = memory_of_scope,
                               .transfer_of_call = transfer_of_call,
                               .orders_tasks = orders_tasks,
                               .threads_overlap = true},
                    .config = config};
    return vta;
}

/* ---- Marks and calls -------------------------------------------------------------------------------------------- */

static bool find_axis(void *user, const vt_stmt *s) {
    const vt_iter **found = user;
    if (!*found && (vt_attr_is(s, VT_ATTR_TASK) || vt_attr_is(s, VT_ATTR_UOPS)) && s->u.attr.node.kind == VT_REF_ITER)
        *found = s->u.attr.node.u.iter;
    return !*found;
}

const vt_iter *vt__task_axis(vt_lowering *l, const vt_func *f) {
    const vt_iter **axis = &vt__vta(l)->axis;
    if (!*axis) vt_stmt_walk(f->body, NULL, find_axis, axis);
    if (!*axis) *axis = vt_iter_new(l->ctx, vt_var_new(l->ctx, "vta", VT_I32), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    return *axis;
}

const vt_stmt *vt__task(vt_lowering *l, const vt_iter *axis, vta_stage stage, const vt_stmt *body) {
    return vt_s_attr(l->ctx, vt_ref_iter(axis), VT_ATTR_TASK, vt_i32(l->ctx, stage), body);
}

const vt_stmt *vt__uops(vt_lowering *l, const vt_iter *axis, const char *push, const vt_stmt *body) {
    return vt_s_attr(l->ctx, vt_ref_iter(axis), VT_ATTR_UOPS, vt_string(l->ctx, push), body);
}

const vt_expr *vt__command_handle(vt_ctx *ctx) {
    const vt_expr *handle = vt_e_call(ctx, VT_HANDLE_T, VT_OP_VTA_COMMAND_HANDLE, 0, NULL);
    return vt_e_call(ctx, VT_HANDLE_T, VT_OP_THREAD_CONTEXT, 1, &handle);
}

const vt_stmt *vt__extern(vt_ctx *ctx, const char *name, uint32_t n, const vt_expr *const *args) {
    return vt_s_eval(ctx, vt_e_call_extern(ctx, VT_I32, name, n, args));
}

const vt_stmt *vt__call(vt_ctx *ctx, vt_op op, uint32_t n, const vt_expr *const *args) {
    return vt_s_eval(ctx, vt_e_call(ctx, VT_I32, op, n, args));
}

const vt_expr *vt__access(vt_ctx *ctx, vt_dtype elem, const vt_var *data, const vt_expr *offset, const vt_expr *extent,
                          int mask) {
    const vt_expr *args[5] = {vt_e_call(ctx, elem, VT_OP_TYPE_ANNOTATION, 0, NULL), data, offset, extent,
                              vt_i32(ctx, mask)};
    return vt_e_call(ctx, VT_I32, VT_OP_ACCESS_PTR, 5, args);
}

bool vt__same_sort(const vt_expr *x, const vt_expr *y) {
    static const int fields[] = {VT_UOP(mode), VT_UOP(reset_out), VT_UOP(opcode), VT_UOP(use_imm), VT_UOP(imm_val)};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!vt_expr_equal(x->a[fields[i]], y->a[fields[i]])) return false;
    return true;
}

bool vt__does_nothing(const vt_stmt *s) {
    while (s->kind == VT_S_FOR) s = s->u.loop.body;
    return s->kind == VT_S_EVAL && s->u.eval.value->kind == VT_E_INT;
}

bool vt__is(vt_ctx *ctx, const vt_expr *e, int64_t value) {
    vt_arena_mark mark = vt_arena_here(&ctx->arena); /* nothing of the answer is kept */
    if (e->kind != VT_E_INT) e = vt_simplify_free(ctx, e);
    bool is = vt_is_const(e, value);
    vt_arena_rewind(&ctx->arena, mark);
    return is;
}
