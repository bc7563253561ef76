/* Parts of a kernel that become functions of their own: its body, micro-op scopes, the tasks of parallel loops. */
#include "codegen/llvm.h"
#include "ir/build.h"

LLVMValueRef vt__llvm_enter(vt__llvm *g, const char *name, LLVMTypeRef type, vt__llvm_place *out_back) {
    *out_back = (vt__llvm_place){.function = g->function,
                                 .allocas = g->allocas,
                                 .block = LLVMGetInsertBlock(g->builder),
                                 .values = g->values,
                                 .scratch = g->scratch,
                                 .in_parallel = g->in_parallel};
    LLVMValueRef f = LLVMAddFunction(g->module, name, type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    vt__llvm_attribute(g, f, -1, "nounwind");
    if (!g->optimise) {
        vt__llvm_attribute(g, f, -1, "optnone");
        vt__llvm_attribute(g, f, -1, "noinline");
    }
    g->function = f;
    g->scratch = NULL;
    g->values = vt_ptrmap_new(g->ctx);
    g->allocas = vt__llvm_block(g, "entry");
    LLVMPositionBuilderAtEnd(g->builder, vt__llvm_block(g, "start"));
    return f;
}

void vt__llvm_leave(vt__llvm *g, const vt__llvm_place *back) {
    LLVMBasicBlockRef start = LLVMGetNextBasicBlock(g->allocas);
    LLVMPositionBuilderAtEnd(g->builder, g->allocas);
    LLVMBuildBr(g->builder, start);
    g->function = back->function;
    g->allocas = back->allocas;
    g->values = back->values;
    g->scratch = back->scratch;
    g->in_parallel = back->in_parallel;
    if (back->block) LLVMPositionBuilderAtEnd(g->builder, back->block);
}

LLVMTypeRef vt__llvm_function_type(vt__llvm *g, uint32_t n, const vt_var *const *vars) {
    LLVMTypeRef *types = VT_NEW_ARRAY(g->ctx, LLVMTypeRef, n);
    for (uint32_t i = 0; i < n; i++) types[i] = vt__llvm_type(g, vars[i]->dtype);
    return LLVMFunctionType(g->i32, types, n, 0);
}

LLVMValueRef vt__llvm_function_of(vt__llvm *g, const char *name, const vt_stmt *body, uint32_t n,
                                  const vt_var *const *vars) {
    vt__llvm_place back;
    bool in_parallel = g->in_parallel;
    LLVMValueRef f = vt__llvm_enter(g, name, vt__llvm_function_type(g, n, vars), &back);
    g->in_parallel = in_parallel;
    for (uint32_t i = 0; i < n; i++) {
        vt_ptrmap_set(g->values, vars[i], LLVMGetParam(f, i));
        if (g->entry->no_alias && vars[i]->u.var->pointer) vt__llvm_attribute(g, f, (int)i + 1, "noalias");
    }
    vt__llvm_stmt(g, body);
    LLVMBuildRet(g->builder, LLVMConstInt(g->i32, 0, 0));
    vt__llvm_leave(g, &back);
    return f;
}

LLVMValueRef vt__llvm_free_scratch(vt__llvm *g, const vt__llvm_scratch *s) {
    LLVMValueRef back[] = {s->device, LLVMConstInt(g->i32, 0, 0), s->memory};
    return vt__llvm_call_name(g, "TVMBackendFreeWorkspace", g->i32, 3, back);
}

void vt__llvm_return(vt__llvm *g, int value) {
    for (const vt__llvm_scratch *s = g->scratch; s; s = s->outer) vt__llvm_free_scratch(g, s);
    LLVMBuildRet(g->builder, LLVMConstInt(g->i32, (unsigned long long)value, 1));
}

void vt__llvm_check_zero(vt__llvm *g, LLVMValueRef result) {
    LLVMBasicBlockRef bad = vt__llvm_block(g, "failed"), good = vt__llvm_block(g, "done");
    LLVMBuildCondBr(g->builder, LLVMBuildIsNull(g->builder, result, ""), good, bad);
    LLVMPositionBuilderAtEnd(g->builder, bad);
    vt__llvm_return(g, -1);
    LLVMPositionBuilderAtEnd(g->builder, good);
}

/* ---- Micro-op scopes --------------------------------------------------------------------------------------------- */

/* static int finit(void *signature): what the runtime calls to record the micro-kernel. */
static LLVMValueRef make_finit(vt__llvm *g, const char *name, const vt_stmt *body, const vt_var *captured) {
    vt__llvm_place back;
    LLVMValueRef f = vt__llvm_enter(g, name, LLVMFunctionType(g->i32, &g->pointer, 1, 0), &back);
    if (captured) vt_ptrmap_set(g->values, captured, LLVMBuildLoad2(g->builder, g->i32, LLVMGetParam(f, 0), ""));
    vt__llvm_stmt(g, body);
    LLVMBuildRet(g->builder, LLVMConstInt(g->i32, 0, 0));
    vt__llvm_leave(g, &back);
    return f;
}

/* The function that records the kernel, and the variable of its handle. */
static void make_uops(vt__llvm *g, const char *finit, const char *handle, const vt_stmt *body, const vt_var *captured) {
    make_finit(g, finit, body, captured);
    LLVMValueRef variable = LLVMAddGlobal(g->module, g->pointer, handle);
    LLVMSetInitializer(variable, LLVMConstNull(g->pointer));
    LLVMSetLinkage(variable, LLVMInternalLinkage);
}

/* What a push of the kernel takes. The kernel's function is made at its first use. */
static void uop_args(vt__llvm *g, const vt_stmt *s, LLVMValueRef args[4]) {
    uint32_t n, number = vt_kernel_number(g->ctx, &g->kernels, g->entry->share_kernels, s, g->outlined);
    if (vt__llvm_table_kernel(g, number, args)) return;
    const vt_var *const *vars = vt_stmt_free_vars(g->ctx, s->u.attr.body, &n); /* at most one: vt_prepare saw to it */
    const char *finit_name = vt_new_format(g->ctx, "%s_uops_%u", g->entry->name, number);
    const char *handle_name = vt_new_format(g->ctx, "%s_uop_handle_%u", g->entry->name, number);
    if (number == g->outlined) make_uops(g, finit_name, handle_name, s->u.attr.body, n ? vars[0] : NULL);
    g->outlined += number == g->outlined;
    args[0] = LLVMGetNamedGlobal(g->module, handle_name);
    args[1] = LLVMGetNamedFunction(g->module, finit_name);
    args[2] = n ? vt__llvm_slot(g, g->i32, 4) : LLVMConstNull(g->pointer);
    args[3] = LLVMConstInt(g->i32, n ? 4 : 0, 0);
    if (n) LLVMBuildStore(g->builder, vt__llvm_var(g, vars[0]), args[2]);
}

void vt__llvm_uop_scope(vt__llvm *g, const vt_stmt *s) {
    LLVMValueRef args[4];
    uop_args(g, s, args);
    vt__llvm_check_zero(g, vt__llvm_call_name(g, s->u.attr.value->u.s, g->i32, 4, args));
}

/* ---- Parallel loops ---------------------------------------------------------------------------------------------- */

/* The loop over one task's share: `for (v = begin; v < begin + count; v++)`, both new variables. */
static const vt_stmt *share_loop(vt__llvm *g, const vt_stmt *loop, const vt_var **out_begin, const vt_var **out_count) {
    vt_dtype t = loop->u.loop.var->dtype;
    *out_begin = vt_var_new(g->ctx, "begin", t);
    *out_count = vt_var_new(g->ctx, "count", t);
    return vt_s_for(g->ctx, loop->u.loop.var, *out_begin, *out_count, VT_FOR_SERIAL, loop->u.loop.body);
}

static LLVMValueRef smaller(vt__llvm *g, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildSelect(g->builder, LLVMBuildICmp(g->builder, LLVMIntSLT, x, y, ""), x, y, "");
}

/* int task(int task_id, TVMParallelGroupEnv *env, void *captured): finds its share and runs it. */
static LLVMValueRef make_task(vt__llvm *g, const char *name, const vt_stmt *loop, LLVMTypeRef closure, uint32_t n,
                              const vt_var *const *vars) {
    vt_ctx *ctx = g->ctx;
    LLVMBuilderRef b = g->builder;
    const vt_var **all = VT_NEW_ARRAY(ctx, const vt_var *, n + 2);
    for (uint32_t i = 0; i < n; i++) all[i + 2] = vars[i];
    const vt_stmt *share = share_loop(g, loop, &all[0], &all[1]);
    bool outer = g->in_parallel;
    g->in_parallel = true;
    LLVMValueRef work = vt__llvm_function_of(g, vt_new_format(ctx, "%s_body", name), share, n + 2, all);
    g->in_parallel = outer;

    vt__llvm_place back;
    LLVMTypeRef params[] = {g->i32, g->pointer, g->pointer};
    LLVMValueRef f = vt__llvm_enter(g, name, LLVMFunctionType(g->i32, params, 3, 0), &back);
    LLVMValueRef *args = VT_NEW_ARRAY(ctx, LLVMValueRef, n + 2);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef field = LLVMBuildStructGEP2(b, closure, LLVMGetParam(f, 2), i, "");
        args[i + 2] = LLVMBuildLoad2(b, vt__llvm_type(g, vars[i]->dtype), field, "");
        vt_ptrmap_set(g->values, vars[i], args[i + 2]);
    }
    LLVMTypeRef env_fields[] = {g->pointer, g->i32}, env = LLVMStructTypeInContext(g->context, env_fields, 2, 0);
    LLVMTypeRef type = vt__llvm_type(g, loop->u.loop.var->dtype);
    LLVMValueRef tasks = LLVMBuildLoad2(b, g->i32, LLVMBuildStructGEP2(b, env, LLVMGetParam(f, 1), 1, ""), "");
    LLVMValueRef wide_tasks = LLVMBuildIntCast2(b, tasks, type, 1, ""), one = LLVMConstInt(type, 1, 0);
    LLVMValueRef id = LLVMBuildIntCast2(b, LLVMGetParam(f, 0), type, 1, "");
    LLVMValueRef begin = vt__llvm_expr(g, loop->u.loop.min), extent = vt__llvm_expr(g, loop->u.loop.extent);
    /* ceil(extent / tasks), without overflow for an extent near the type's end */
    LLVMValueRef chunk = LLVMBuildAdd(b, LLVMBuildSDiv(b, LLVMBuildSub(b, extent, one, ""), wide_tasks, ""), one, "");
    LLVMValueRef from = smaller(g, LLVMBuildMul(b, id, chunk, ""), extent);
    args[0] = LLVMBuildAdd(b, begin, from, "");
    args[1] = smaller(g, chunk, LLVMBuildSub(b, extent, from, ""));
    LLVMTypeRef work_type = vt__llvm_function_type(g, n + 2, all);
    LLVMBuildRet(b, LLVMBuildCall2(b, work_type, work, args, n + 2, ""));
    vt__llvm_leave(g, &back);
    return f;
}

void vt__llvm_parallel(vt__llvm *g, const vt_stmt *loop) {
    vt_ctx *ctx = g->ctx;
    uint32_t n;
    const vt_var *const *vars = vt_stmt_free_vars(ctx, loop, &n);
    LLVMTypeRef *types = VT_NEW_ARRAY(ctx, LLVMTypeRef, n);
    for (uint32_t i = 0; i < n; i++) types[i] = vt__llvm_type(g, vars[i]->dtype);
    LLVMTypeRef closure = LLVMStructTypeInContext(g->context, types, n, 0);
    LLVMValueRef task =
        make_task(g, vt_new_format(ctx, "%s_parallel_%u", g->entry->name, g->outlined++), loop, closure, n, vars);
    LLVMValueRef captured = vt__llvm_slot(g, closure, 0);
    for (uint32_t i = 0; i < n; i++)
        LLVMBuildStore(g->builder, vt__llvm_var(g, vars[i]), LLVMBuildStructGEP2(g->builder, closure, captured, i, ""));
    LLVMValueRef args[] = {task, captured, LLVMConstInt(g->i32, 0, 0)};
    vt__llvm_check_zero(g, vt__llvm_call_name(g, "TVMBackendParallelLaunch", g->i32, 3, args));
}
