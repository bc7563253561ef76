/* Statements. */
#include <string.h>

#include "codegen/llvm.h"

/* Allocations of constant size up to this many bytes are on the stack. */
enum { STACK_BYTES = 1024, STACK_ALIGN = 64 };

/* for (i = begin; i < end; i = next): what `body` makes of i, which also tells the next one. */
typedef LLVMValueRef (*loop_body)(vt__llvm *g, const vt_stmt *s, LLVMValueRef i, LLVMValueRef end);

static void loop_over(vt__llvm *g, const vt_stmt *s, LLVMValueRef begin, LLVMValueRef end, loop_body each) {
    LLVMBuilderRef b = g->builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b), head = vt__llvm_block(g, "loop"),
                      body = vt__llvm_block(g, "body"), after = vt__llvm_block(g, "after");
    LLVMBuildBr(b, head);
    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef i = LLVMBuildPhi(b, LLVMTypeOf(begin), vt_var_name(s->u.loop.var));
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, i, end, ""), body, after);
    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef next = each(g, s, i, end);
    LLVMValueRef values[] = {begin, next};
    LLVMBasicBlockRef blocks[] = {before, LLVMGetInsertBlock(b)};
    LLVMBuildBr(b, head);
    LLVMAddIncoming(i, values, blocks, 2);
    LLVMPositionBuilderAtEnd(b, after);
}

static LLVMValueRef one_step(vt__llvm *g, const vt_stmt *s, LLVMValueRef i, LLVMValueRef end) {
    (void)end;
    vt_ptrmap_set(g->values, s->u.loop.var, i);
    vt__llvm_stop_point(g, s->u.loop.body);
    vt__llvm_stmt(g, s->u.loop.body);
    return LLVMBuildNSWAdd(g->builder, i, LLVMConstInt(LLVMTypeOf(i), 1, 0), "");
}

/* Some steps of a long innermost loop, after a look whether to stop. */
static LLVMValueRef some_steps(vt__llvm *g, const vt_stmt *s, LLVMValueRef i, LLVMValueRef end) {
    LLVMBuilderRef b = g->builder;
    LLVMValueRef most = LLVMConstInt(LLVMTypeOf(i), VT__LLVM_STEPS, 0), left = LLVMBuildNSWSub(b, end, i, "");
    LLVMValueRef many = LLVMBuildICmp(b, LLVMIntSGT, left, most, "");
    LLVMValueRef next = LLVMBuildNSWAdd(b, i, LLVMBuildSelect(b, many, most, left, ""), "");
    vt__llvm_look(g);
    loop_over(g, s, i, next, one_step);
    return next;
}

static void loop(vt__llvm *g, const vt_stmt *s) {
    LLVMBuilderRef b = g->builder;
    const vt_var *v = s->u.loop.var;
    LLVMValueRef begin = vt__llvm_expr(g, s->u.loop.min), extent = vt__llvm_expr(g, s->u.loop.extent);
    int64_t known;
    if (vt_as_const(s->u.loop.extent, &known) && known == 1) {
        vt_ptrmap_set(g->values, v, begin);
        vt__llvm_stmt(g, s->u.loop.body);
        return;
    }
    loop_over(g, s, begin, LLVMBuildAdd(b, begin, extent, ""), vt__llvm_in_pieces(g, s) ? some_steps : one_step);
}

static void for_loop(vt__llvm *g, const vt_stmt *s) {
    if (s->u.loop.kind == VT_FOR_THREAD)
        vt_raise(
            g->ctx, VTA_ILLEGAL,
            "%s: loop %s is bound to the thread axis '%s', which this target does not have: bind to cthread (virtual "
            "threads), or use parallel",
            g->entry->name, vt_var_name(s->u.loop.var), s->u.loop.thread ? s->u.loop.thread->thread_tag : "");
    if (s->u.loop.kind == VT_FOR_PARALLEL && !g->in_parallel)
        vt__llvm_parallel(g, s);
    else
        loop(g, s);
}

static void branch(vt__llvm *g, const vt_stmt *s) {
    LLVMBuilderRef b = g->builder;
    const vt_stmt *other = s->u.branch.else_case;
    LLVMValueRef c = vt__llvm_expr(g, s->u.branch.condition);
    LLVMBasicBlockRef first = vt__llvm_block(g, "then"), second = other ? vt__llvm_block(g, "else") : NULL,
                      end = vt__llvm_block(g, "end");
    LLVMBuildCondBr(b, c, first, other ? second : end);
    LLVMPositionBuilderAtEnd(b, first);
    vt__llvm_stmt(g, s->u.branch.then_case);
    LLVMBuildBr(b, end);
    if (other) {
        LLVMPositionBuilderAtEnd(b, second);
        vt__llvm_stmt(g, other);
        LLVMBuildBr(b, end);
    }
    LLVMPositionBuilderAtEnd(b, end);
}

/* ---- Stores ------------------------------------------------------------------------------------------------------ */

static void store_at(vt__llvm *g, const vt_buffer *buffer, vt_dtype t, LLVMValueRef index, LLVMValueRef value) {
    LLVMValueRef to = vt__llvm_address(g, buffer, index);
    LLVMValueRef s = LLVMBuildStore(g->builder, vt__llvm_to_memory(g, t, value), to);
    LLVMSetAlignment(s, vt_dtype_is_bool(t) ? 1 : t.bits / 8);
}

static void store(vt__llvm *g, const vt_stmt *s) {
    const vt_buffer *buffer = s->u.store.buffer;
    const vt_expr *index = vt__llvm_flat_index(g, buffer, s->u.store.n_indices, s->u.store.indices);
    vt_dtype t = s->u.store.value->dtype;
    LLVMValueRef value = vt__llvm_expr(g, s->u.store.value);
    if (index->dtype.lanes == 1) {
        store_at(g, buffer, t, vt__llvm_expr(g, index), value);
        return;
    }
    if (index->kind == VT_E_RAMP && vt_is_const(index->a[1], 1) && buffer->dtype.lanes == 1) {
        store_at(g, buffer, t, vt__llvm_expr(g, index->a[0]), value);
        return;
    }
    LLVMValueRef where = vt__llvm_expr(g, index);
    for (uint32_t i = 0; i < index->dtype.lanes; i++)
        store_at(g, buffer, vt_dtype_elem(t), vt__llvm_lane(g, where, i), vt__llvm_lane(g, value, i));
}

/* ---- Allocations ------------------------------------------------------------------------------------------------- */

/* Number of elements where it is a constant (*out_known), and as a 64-bit value where it is not. */
static LLVMValueRef element_count(vt__llvm *g, const vt_stmt *s, bool *out_known, uint64_t *out_count) {
    uint64_t count = 1;
    LLVMValueRef product = LLVMConstInt(g->i64, 1, 0);
    *out_known = true;
    for (uint32_t i = 0; i < s->u.alloc.n_extents; i++) {
        const vt_expr *e = s->u.alloc.extents[i];
        int64_t extent = 0;
        if (!vt_as_const(e, &extent))
            *out_known = false;
        else if (extent < 0 || __builtin_mul_overflow(count, (uint64_t)extent, &count))
            vt_raise(g->ctx, VTA_OUT_OF_RANGE, "%s: the allocation of %s has no valid size", g->entry->name,
                     vt_var_name(s->u.alloc.var));
        LLVMValueRef value = vt__llvm_cast(g, e->dtype, VT_I64, vt__llvm_expr(g, e));
        product = LLVMBuildMul(g->builder, product, value, "");
    }
    *out_count = count;
    return product;
}

static void on_stack(vt__llvm *g, const vt_stmt *s, uint64_t count) {
    LLVMTypeRef element = vt__llvm_memory_type(g, s->u.alloc.dtype);
    vt_ptrmap_set(g->values, s->u.alloc.var, vt__llvm_slot(g, LLVMArrayType2(element, count ? count : 1), STACK_ALIGN));
    vt__llvm_stmt(g, s->u.alloc.body);
}

static void in_workspace(vt__llvm *g, const vt_stmt *s, LLVMValueRef count, int32_t type) {
    LLVMBuilderRef b = g->builder;
    vt_dtype t = s->u.alloc.dtype;
    uint64_t bytes = vt_dtype_is_bool(t) ? t.lanes : vt_dtype_bytes(t);
    LLVMValueRef device = LLVMConstInt(g->i32, (unsigned long long)type, 0), zero = LLVMConstInt(g->i32, 0, 0);
    LLVMValueRef size = LLVMBuildMul(b, count, LLVMConstInt(g->i64, bytes, 0), "");
    LLVMValueRef args[] = {device, zero, size, LLVMConstInt(g->i32, t.code, 0), LLVMConstInt(g->i32, t.bits, 0)};
    LLVMValueRef memory = vt__llvm_call_name(g, "TVMBackendAllocWorkspace", g->pointer, 5, args);
    LLVMValueRef none = LLVMBuildIsNull(b, memory, "");
    vt__llvm_check_zero(g, LLVMBuildSExt(b, none, g->i32, "")); /* the allocator has said why */
    vt_ptrmap_set(g->values, s->u.alloc.var, memory);
    vt__llvm_scratch scratch = {g->scratch, device, memory};
    g->scratch = &scratch;
    vt__llvm_stmt(g, s->u.alloc.body);
    g->scratch = scratch.outer;
    vt__llvm_check_zero(g, vt__llvm_free_scratch(g, &scratch));
}

/* On-chip memory is a matter of the runtime's calls alone; only its name may be left. */
static bool is_on_chip(const vt_var *v) {
    const char *scope = v->u.var->scope;
    return strncmp(scope, "local.", 6) == 0;
}

static void allocate(vt__llvm *g, const vt_stmt *s) {
    bool known;
    uint64_t count;
    if (is_on_chip(s->u.alloc.var)) {
        vt__llvm_stmt(g, s->u.alloc.body);
        return;
    }
    LLVMValueRef product = element_count(g, s, &known, &count);
    int32_t device = vt_alloc_device(s);
    if (device == VT_DEVICE_CPU && known && count <= STACK_BYTES &&
        count * vt_dtype_bytes(s->u.alloc.dtype) <= STACK_BYTES)
        on_stack(g, s, count);
    else
        in_workspace(g, s, product, device);
}

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

static void assertion(vt__llvm *g, const vt_stmt *s) {
    LLVMBuilderRef b = g->builder;
    LLVMBasicBlockRef bad = vt__llvm_block(g, "failed"), good = vt__llvm_block(g, "holds");
    LLVMBuildCondBr(b, vt__llvm_expr(g, s->u.assertion.condition), good, bad);
    LLVMPositionBuilderAtEnd(b, bad);
    const vt_expr *message = s->u.assertion.message;
    LLVMValueRef text = vt__llvm_text(g, message && message->kind == VT_E_STRING ? message->u.s : "assertion failed");
    vt__llvm_call_name(g, "TVMAPISetLastError", g->void_type, 1, &text);
    vt__llvm_return(g, -1);
    LLVMPositionBuilderAtEnd(b, good);
    if (s->u.assertion.body) vt__llvm_stmt(g, s->u.assertion.body);
}

static void evaluate(vt__llvm *g, const vt_expr *e) {
    if (e->kind == VT_E_INT) return; /* a statement that does nothing */
    if (!vt_is_call(e, VT_OP_RET)) {
        vt__llvm_expr(g, e);
        return;
    }
    /* Packed functions return 0; what follows a return cannot be reached, but LLVM requires it to be in a block. */
    vt__llvm_return(g, 0);
    LLVMPositionBuilderAtEnd(g->builder, vt__llvm_block(g, "unreachable"));
}

static void sequence(vt__llvm *g, const vt_stmt *s) {
    for (uint32_t i = 0, n; i < s->u.seq.n_items; i += n) {
        n = vt__llvm_table_run(g, s->u.seq.items + i);
        if (n) continue;
        vt__llvm_stmt(g, s->u.seq.items[i]);
        n = 1;
    }
}

void vt__llvm_stmt(vt__llvm *g, const vt_stmt *s) {
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_LET:
        vt_ptrmap_set(g->values, s->u.let.var, vt__llvm_expr(g, s->u.let.value));
        vt__llvm_stmt(g, s->u.let.body);
        break;
    case VT_S_ATTR: /* the only one that is left by now */
        if (vt_attr_is(s, VT_ATTR_UOPS))
            vt__llvm_uop_scope(g, s);
        else
            vt__llvm_stmt(g, s->u.attr.body);
        break;
    case VT_S_ASSERT: assertion(g, s); break;
    case VT_S_FOR: for_loop(g, s); break;
    case VT_S_ALLOC: allocate(g, s); break;
    case VT_S_STORE: store(g, s); break;
    case VT_S_SEQ: sequence(g, s); break;
    case VT_S_IF: branch(g, s); break;
    case VT_S_EVAL: evaluate(g, s->u.eval.value); break;
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_BLOCK:
    case VT_S_COUNT:
        vt_raise(g->ctx, VTA_INTERNAL, "%s: a statement of kind '%s' is left after lowering", g->entry->name,
                 vt_stmt_kind_text(s->kind));
    }
}
