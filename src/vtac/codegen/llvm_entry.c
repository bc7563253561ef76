/* The packed entry of a kernel: takes the arguments apart, checks them, calls the body. */
#include <string.h>

#include "codegen/llvm.h"
#include "ir/build.h"

/* Type codes of packed arguments. ORDER TYPE_CODE (vta/module.h) */
enum { CODE_INT = 0, CODE_FLOAT = 2, CODE_HANDLE = 3, CODE_NULL = 4, CODE_TENSOR = 7, CODE_NDARRAY = 13 };

enum { MESSAGE_BYTES = 512 };

typedef struct entry_args {
    LLVMValueRef values; /* TVMValue *: 8 bytes each */
    LLVMValueRef codes;  /* int * */
    LLVMValueRef count;
} entry_args;

/* static int fail(const char *format, long long got, long long got2): formats the message, hands it over, gives -1.
 * One for a module, reached only when something is wrong. */
static LLVMValueRef fail_function(vt__llvm *g, LLVMTypeRef type) {
    if (g->fail) return g->fail;
    LLVMBuilderRef b = g->builder;
    vt__llvm_place back;
    bool optimise = g->optimise;
    g->optimise = false;
    LLVMValueRef f = g->fail = vt__llvm_enter(g, "vta_fail", type, &back);
    vt__llvm_attribute(g, f, -1, "cold");
    LLVMValueRef text = vt__llvm_slot(g, LLVMArrayType2(g->i8, MESSAGE_BYTES), 16);
    LLVMTypeRef size = LLVMIntTypeInContext(g->context, 8 * LLVMPointerSize(g->layout));
    LLVMTypeRef fixed[] = {g->pointer, size, g->pointer}, print_type = LLVMFunctionType(g->i32, fixed, 3, 1);
    LLVMValueRef print = LLVMAddFunction(g->module, "snprintf", print_type);
    LLVMValueRef args[] = {text, LLVMConstInt(size, MESSAGE_BYTES, 0), LLVMGetParam(f, 0), LLVMGetParam(f, 1),
                           LLVMGetParam(f, 2)};
    LLVMBuildCall2(b, print_type, print, args, 5, "");
    vt__llvm_call_name(g, "TVMAPISetLastError", g->void_type, 1, &text);
    LLVMBuildRet(b, LLVMConstInt(g->i32, (unsigned long long)-1, 1));
    vt__llvm_leave(g, &back);
    g->optimise = optimise;
    return f;
}

/* Goes on where `good` holds; else the entry fails with the message. */
static void require(vt__llvm *g, LLVMValueRef good, const char *message, LLVMValueRef got, LLVMValueRef got2) {
    LLVMBuilderRef b = g->builder;
    LLVMTypeRef params[] = {g->pointer, g->i64, g->i64}, type = LLVMFunctionType(g->i32, params, 3, 0);
    LLVMValueRef fail = fail_function(g, type), zero = LLVMConstInt(g->i64, 0, 0);
    LLVMBasicBlockRef bad = vt__llvm_block(g, "bad"), next = vt__llvm_block(g, "ok");
    LLVMBuildCondBr(b, good, next, bad);
    LLVMPositionBuilderAtEnd(b, bad);
    LLVMValueRef args[] = {vt__llvm_text(g, message), zero, zero};
    if (got) args[1] = LLVMBuildIntCast2(b, got, g->i64, 1, "");
    if (got2) args[2] = LLVMBuildIntCast2(b, got2, g->i64, 1, "");
    LLVMBuildRet(b, LLVMBuildCall2(b, type, fail, args, 3, ""));
    LLVMPositionBuilderAtEnd(b, next);
}

static LLVMValueRef field(vt__llvm *g, LLVMValueRef tensor, unsigned index, LLVMTypeRef type) {
    return LLVMBuildLoad2(g->builder, type, LLVMBuildStructGEP2(g->builder, g->tensor, tensor, index, ""), "");
}

/* Element `dim` of the shape or strides array at `list`. */
static LLVMValueRef extent_at(vt__llvm *g, LLVMValueRef list, uint32_t dim) {
    LLVMValueRef index = LLVMConstInt(g->i32, dim, 0);
    LLVMValueRef at = LLVMBuildInBoundsGEP2(g->builder, g->i64, list, &index, 1, "");
    return LLVMBuildLoad2(g->builder, g->i64, at, "");
}

static void require_equal(vt__llvm *g, LLVMValueRef got, const vt__check *c) {
    LLVMBuilderRef b = g->builder;
    LLVMValueRef expected = vt__llvm_expr(g, c->expected);
    expected = LLVMBuildIntCast2(b, expected, LLVMTypeOf(got), 1, "");
    LLVMValueRef good = LLVMBuildICmp(b, LLVMIntEQ, got, expected, "");
    if (c->kind != VT__CHECK_DTYPE) {
        require(g, good, c->message, got, NULL);
        return;
    }
    LLVMValueRef byte = LLVMConstInt(g->i32, 255, 0), code = LLVMBuildAnd(b, got, byte, "");
    LLVMValueRef width = LLVMBuildAnd(b, LLVMBuildLShr(b, got, LLVMConstInt(g->i32, 8, 0), ""), byte, "");
    require(g, good, c->message, code, width);
}

static void bind_extent(vt__llvm *g, LLVMValueRef extent, const vt_var *v) {
    vt_ptrmap_set(g->values, v, vt__llvm_cast(g, VT_I64, v->dtype, extent));
}

/* The checks of strides stand last and apply only where there are strides. */
static void check_strides(vt__llvm *g, LLVMValueRef tensor, uint32_t n, const vt__check *checks) {
    LLVMBuilderRef b = g->builder;
    if (!n) return;
    LLVMValueRef strides = field(g, tensor, VT__DL_STRIDES, g->pointer);
    LLVMBasicBlockRef some = vt__llvm_block(g, "strides"), none = vt__llvm_block(g, "compact");
    LLVMBuildCondBr(b, LLVMBuildIsNull(b, strides, ""), none, some);
    LLVMPositionBuilderAtEnd(b, some);
    for (uint32_t i = 0; i < n; i++) require_equal(g, extent_at(g, strides, checks[i].dim), &checks[i]);
    LLVMBuildBr(b, none);
    LLVMPositionBuilderAtEnd(b, none);
}

static void check_tensor(vt__llvm *g, const vt__param *p, LLVMValueRef tensor) {
    LLVMBuilderRef b = g->builder;
    LLVMValueRef shape = NULL;
    uint32_t i = 0;
    for (; i < p->n_checks && p->checks[i].kind != VT__CHECK_STRIDE; i++) {
        const vt__check *c = &p->checks[i];
        if ((c->kind == VT__CHECK_SHAPE || c->kind == VT__CHECK_BIND) && !shape)
            shape = field(g, tensor, VT__DL_SHAPE, g->pointer);
        switch (c->kind) {
        case VT__CHECK_NDIM: require_equal(g, field(g, tensor, VT__DL_NDIM, g->i32), c); break;
        case VT__CHECK_DTYPE: require_equal(g, field(g, tensor, VT__DL_DTYPE, g->i32), c); break;
        case VT__CHECK_SHAPE: require_equal(g, extent_at(g, shape, c->dim), c); break;
        case VT__CHECK_BIND: bind_extent(g, extent_at(g, shape, c->dim), c->bind); break;
        case VT__CHECK_DEVICE: require_equal(g, field(g, tensor, VT__DL_DEVICE_TYPE, g->i32), c); break;
        case VT__CHECK_OFFSET: require_equal(g, field(g, tensor, VT__DL_BYTE_OFFSET, g->i64), c); break;
        case VT__CHECK_DATA: {
            LLVMValueRef data = field(g, tensor, VT__DL_DATA, g->pointer);
            require(g, LLVMBuildIsNotNull(b, data, ""), c->message, NULL, NULL);
            break;
        }
        case VT__CHECK_STRIDE: break;
        }
    }
    check_strides(g, tensor, p->n_checks - i, p->checks + i);
}

static LLVMValueRef argument(vt__llvm *g, const entry_args *a, uint32_t i, LLVMTypeRef type) {
    LLVMValueRef index = LLVMConstInt(g->i32, i, 0);
    return LLVMBuildLoad2(g->builder, type, LLVMBuildInBoundsGEP2(g->builder, g->i64, a->values, &index, 1, ""), "");
}

static LLVMValueRef is_code(vt__llvm *g, LLVMValueRef code, int value) {
    return LLVMBuildICmp(g->builder, LLVMIntEQ, code, LLVMConstInt(g->i32, (unsigned long long)value, 0), "");
}

/* What a handle is passed as: any of the pointer codes. */
static LLVMValueRef is_pointer_code(vt__llvm *g, LLVMValueRef code) {
    LLVMValueRef good = is_code(g, code, CODE_TENSOR);
    static const int others[] = {CODE_HANDLE, CODE_NULL, CODE_NDARRAY};
    for (size_t i = 0; i < 3; i++) good = LLVMBuildOr(g->builder, good, is_code(g, code, others[i]), "");
    return good;
}

static void take_tensor(vt__llvm *g, const vt__param *p, const entry_args *a, uint32_t i, LLVMValueRef code) {
    LLVMBuilderRef b = g->builder;
    require(g, is_pointer_code(g, code), p->code_message, code, NULL);
    LLVMValueRef tensor = argument(g, a, i, g->pointer);
    require(g, LLVMBuildIsNotNull(b, tensor, ""), p->null_message, NULL, NULL);
    check_tensor(g, p, tensor);
    LLVMValueRef data = field(g, tensor, VT__DL_DATA, g->pointer);
    LLVMValueRef offset = field(g, tensor, VT__DL_BYTE_OFFSET, g->i64); /* 0 where the accelerator was checked for */
    data = LLVMBuildGEP2(b, g->i8, data, &offset, 1, "");
    vt_ptrmap_set(g->values, p->binding->buffer->data, data);
}

static void take_scalar(vt__llvm *g, const vt__param *p, const entry_args *a, uint32_t i, LLVMValueRef code) {
    LLVMBuilderRef b = g->builder;
    vt_dtype t = p->var->dtype;
    LLVMValueRef value;
    if (vt_dtype_is_handle(t)) {
        require(g, is_pointer_code(g, code), p->code_message, code, NULL);
        value = argument(g, a, i, g->pointer);
    } else if (t.code == VT_FLOAT) {
        LLVMValueRef whole = is_code(g, code, CODE_INT), good = LLVMBuildOr(b, whole, is_code(g, code, CODE_FLOAT), "");
        require(g, good, p->code_message, code, NULL);
        LLVMValueRef real = argument(g, a, i, vt__llvm_type(g, VT_F64));
        LLVMValueRef from_int = LLVMBuildSIToFP(b, argument(g, a, i, g->i64), vt__llvm_type(g, VT_F64), "");
        value = vt__llvm_cast(g, VT_F64, t, LLVMBuildSelect(b, whole, from_int, real, ""));
    } else {
        require(g, is_code(g, code, CODE_INT), p->code_message, code, NULL);
        value = vt__llvm_cast(g, VT_I64, t, argument(g, a, i, g->i64));
    }
    vt_ptrmap_set(g->values, p->var, value);
}

/* Data beside the entry; nothing refers to it. */
static void add_signature(vt__llvm *g, const vt_codegen_func *cf) {
    const char *text = vt__signature_text(g->ctx, cf, g->entry), *symbol = vt__signature_symbol(g->ctx, g->entry->name);
    LLVMValueRef value = LLVMConstStringInContext2(g->context, text, strlen(text), 0);
    LLVMValueRef global = LLVMAddGlobal(g->module, LLVMTypeOf(value), symbol);
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, 1);
    LLVMSetAlignment(global, 1);
}

void vt__llvm_kernel(vt__llvm *g, const vt_codegen_func *cf, const char *symbol) {
    LLVMBuilderRef b = g->builder;
    const vt__entry *entry = g->entry = vt__entry_describe(g->ctx, cf);
    g->outlined = 0;
    g->kernels.n = 0;
    add_signature(g, cf);
    LLVMTypeRef params[] = {g->pointer, g->pointer, g->i32, g->pointer, g->pointer, g->pointer};
    vt__llvm_place back;
    bool optimise = g->optimise;
    g->optimise = false; /* checks are not worth the optimiser's time */
    LLVMValueRef f = vt__llvm_enter(g, symbol, LLVMFunctionType(g->i32, params, 6, 0), &back);
    g->optimise = optimise;
    LLVMSetLinkage(f, LLVMExternalLinkage);
    entry_args a = {LLVMGetParam(f, 0), LLVMGetParam(f, 1), LLVMGetParam(f, 2)};
    LLVMValueRef expected = LLVMConstInt(g->i32, entry->n_params, 0);
    require(g, LLVMBuildICmp(b, LLVMIntEQ, a.count, expected, ""), entry->count_message, a.count, NULL);
    for (uint32_t step = 0; step < entry->n_params; step++) {
        uint32_t i = entry->order[step];
        LLVMValueRef index = LLVMConstInt(g->i32, i, 0);
        LLVMValueRef code = LLVMBuildLoad2(b, g->i32, LLVMBuildInBoundsGEP2(b, g->i32, a.codes, &index, 1, ""), "");
        if (entry->params[i].binding)
            take_tensor(g, &entry->params[i], &a, i, code);
        else
            take_scalar(g, &entry->params[i], &a, i, code);
    }
    LLVMValueRef *args = VT_NEW_ARRAY(g->ctx, LLVMValueRef, entry->n_vars);
    for (uint32_t i = 0; i < entry->n_vars; i++) args[i] = vt__llvm_var(g, entry->vars[i]);
    vt__llvm_table_make(g, cf->func->body);
    const char *body_name = vt_new_format(g->ctx, "%s_compute_", entry->name);
    LLVMValueRef body = vt__llvm_function_of(g, body_name, cf->func->body, entry->n_vars, entry->vars);
    LLVMBuildRet(
        b, LLVMBuildCall2(b, vt__llvm_function_type(g, entry->n_vars, entry->vars), body, args, entry->n_vars, ""));
    vt__llvm_leave(g, &back);
}
