/* Long runs of runtime calls whose arguments are constants: a table of words in the object, and a function that walks
 * it. A schedule whose steps are written out is thousands of such calls, of which machine code would take longer to
 * make than all passes before it.
 *
 * A row is the number of the function that is called, then its arguments: integers as they are, pointers as places in a
 * list that the caller hands in. A row of a micro-kernel is its number and where its own rows begin: behind their
 * count, which is what the runtime hands on to the function that records it. */
#include "codegen/llvm_table.h"

#include <string.h>

#include "ir/runtime_call.h"

enum { PUSH_WORDS = 2 };

/* ---- As LLVM has it ---------------------------------------------------------------------------------------------- */

static LLVMValueRef word(vt__llvm *g, LLVMValueRef at, uint32_t index) {
    LLVMValueRef i = LLVMConstInt(g->i32, index, 0);
    return LLVMBuildInBoundsGEP2(g->builder, g->i32, at, &i, 1, "");
}

static LLVMValueRef word_at(vt__llvm *g, LLVMValueRef at, uint32_t index) {
    return LLVMBuildLoad2(g->builder, g->i32, word(g, at, index), "");
}

static LLVMValueRef internal(vt__llvm *g, const char *suffix, LLVMTypeRef type, LLVMValueRef value) {
    LLVMValueRef global = LLVMAddGlobal(g->module, type, vt_new_format(g->ctx, "%s_%s", g->entry->name, suffix));
    LLVMSetInitializer(global, value ? value : LLVMConstNull(type));
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

static void make_data(vt__llvm *g) {
    vt__llvm_table *t = g->table;
    uint8_t *bytes = VT_NEW_ARRAY(g->ctx, uint8_t, (size_t)t->n_words * 4);
    bool little = LLVMByteOrder(g->layout) == LLVMLittleEndian;
    for (size_t i = 0; i < t->n_words; i++)
        for (int k = 0; k < 4; k++) bytes[4 * i + (size_t)k] = (uint8_t)(t->words[i] >> 8 * (little ? k : 3 - k));
    LLVMValueRef text = LLVMConstStringInContext2(g->context, (const char *)bytes, (size_t)t->n_words * 4, 1);
    t->data = internal(g, "calls", LLVMTypeOf(text), text);
    LLVMSetGlobalConstant(t->data, 1);
    LLVMSetAlignment(t->data, 4);
    t->handles = internal(g, "kernel_handles", LLVMArrayType2(g->pointer, t->n_kernels), NULL);
}

static LLVMValueRef handle_of(vt__llvm *g, LLVMValueRef number) {
    return LLVMBuildInBoundsGEP2(g->builder, g->pointer, g->table->handles, &number, 1, "");
}

static void call_row(vt__llvm *g, const vt__runtime_entry *entry, LLVMValueRef at, LLVMValueRef pointers) {
    LLVMValueRef args[VT_OPERANDS(VTALoadBuffer2D)];
    uint32_t n = (uint32_t)strlen(entry->args);
    for (uint32_t i = 0; i < n; i++) {
        args[i] = word_at(g, at, i + 1);
        if (entry->args[i] != 'p') continue;
        LLVMValueRef place = LLVMBuildInBoundsGEP2(g->builder, g->pointer, pointers, &args[i], 1, "");
        args[i] = LLVMBuildLoad2(g->builder, g->pointer, place, "");
    }
    LLVMTypeRef types[] = {g->void_type, g->pointer, g->i32};
    vt__llvm_call_name(g, entry->name, types[entry->result == 'v' ? 0 : entry->result == 'p' ? 1 : 2], n, args);
}

static LLVMValueRef push_row(vt__llvm *g, const vt__runtime_entry *entry, LLVMValueRef at) {
    const vt__llvm_table *t = g->table;
    LLVMValueRef begin = word_at(g, at, 2);
    LLVMValueRef rows = LLVMBuildInBoundsGEP2(g->builder, g->i32, t->data, &begin, 1, "");
    LLVMValueRef args[] = {handle_of(g, word_at(g, at, 1)), t->record, rows, LLVMConstInt(g->i32, 0, 0)};
    return vt__llvm_call_name(g, entry->name, g->i32, 4, args);
}

/* Makes the call, and goes on with the next row. */
static void take_row(vt__llvm *g, const vt__runtime_entry *entry, LLVMValueRef slot, LLVMValueRef pointers) {
    LLVMValueRef at = LLVMBuildLoad2(g->builder, g->pointer, slot, "");
    uint32_t words = vt__llvm_is_push(entry) ? PUSH_WORDS : (uint32_t)strlen(entry->args);
    LLVMBuildStore(g->builder, word(g, at, 1 + words), slot);
    if (vt__llvm_is_push(entry))
        vt__llvm_check_zero(g, push_row(g, entry, at));
    else
        call_row(g, entry, at, pointers);
}

/* Walks the rows from `begin` to `end` and returns. Without `pointers`: those of a micro-kernel. */
static void walk(vt__llvm *g, LLVMValueRef begin, LLVMValueRef end, LLVMValueRef pointers) {
    const vt__llvm_table *t = g->table;
    LLVMBuilderRef b = g->builder;
    LLVMValueRef slot = vt__llvm_slot(g, g->pointer, 0);
    LLVMBasicBlockRef next = vt__llvm_block(g, "next"), row = vt__llvm_block(g, "row"), out = vt__llvm_block(g, "out");
    LLVMBuildStore(b, begin, slot);
    LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, next);
    LLVMValueRef at = LLVMBuildLoad2(b, g->pointer, slot, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, at, end, ""), out, row);
    LLVMPositionBuilderAtEnd(b, row);
    LLVMValueRef choice = LLVMBuildSwitch(b, word_at(g, at, 0), out, t->n_functions);
    for (uint32_t i = 0; i < t->n_functions; i++) {
        if (!pointers && strchr(t->functions[i]->args, 'p')) continue;
        LLVMBasicBlockRef one = vt__llvm_block(g, t->functions[i]->name);
        LLVMAddCase(choice, LLVMConstInt(g->i32, i, 0), one);
        LLVMPositionBuilderAtEnd(b, one);
        take_row(g, t->functions[i], slot, pointers);
        LLVMBuildBr(b, next);
    }
    LLVMPositionBuilderAtEnd(b, out);
    LLVMBuildRet(b, LLVMConstInt(g->i32, 0, 0));
}

/* static int record(void *rows): what the runtime calls to record a micro-kernel. */
static void make_record(vt__llvm *g) {
    vt__llvm_place back;
    const char *name = vt_new_format(g->ctx, "%s_record", g->entry->name);
    LLVMValueRef f = g->table->record = vt__llvm_enter(g, name, LLVMFunctionType(g->i32, &g->pointer, 1, 0), &back);
    LLVMValueRef begin = word(g, LLVMGetParam(f, 0), 1), count = word_at(g, LLVMGetParam(f, 0), 0);
    walk(g, begin, LLVMBuildInBoundsGEP2(g->builder, g->i32, begin, &count, 1, ""), NULL);
    vt__llvm_leave(g, &back);
}

static LLVMTypeRef walk_type(vt__llvm *g) {
    LLVMTypeRef params[] = {g->pointer, g->pointer, g->pointer};
    return LLVMFunctionType(g->i32, params, 3, 0);
}

/* static int walk(const uint32_t *begin, const uint32_t *end, void *const *pointers) */
static void make_walk(vt__llvm *g) {
    vt__llvm_place back;
    const char *name = vt_new_format(g->ctx, "%s_walk", g->entry->name);
    LLVMValueRef f = g->table->walk = vt__llvm_enter(g, name, walk_type(g), &back);
    walk(g, LLVMGetParam(f, 0), LLVMGetParam(f, 1), LLVMGetParam(f, 2));
    vt__llvm_leave(g, &back);
}

/* ---- The interface ----------------------------------------------------------------------------------------------- */

void vt__llvm_table_make(vt__llvm *g, const vt_stmt *body) {
    g->table = vt__llvm_table_rows(g, body);
    if (!g->table) return;
    make_data(g);
    make_record(g);
    make_walk(g);
}

uint32_t vt__llvm_table_run(vt__llvm *g, const vt_stmt *const *items) {
    const vt__llvm_run *r = g->table ? vt_ptrmap_get(g->table->runs, items) : NULL;
    if (!r) return 0;
    LLVMValueRef list = vt__llvm_slot(g, LLVMArrayType2(g->pointer, r->n_pointers), 0);
    for (uint32_t i = 0; i < r->n_pointers; i++) {
        LLVMValueRef index = LLVMConstInt(g->i32, i, 0);
        LLVMValueRef place = LLVMBuildInBoundsGEP2(g->builder, g->pointer, list, &index, 1, "");
        LLVMBuildStore(g->builder, vt__llvm_var(g, r->pointers[i]), place);
    }
    LLVMValueRef args[] = {word(g, g->table->data, r->begin), word(g, g->table->data, r->end), list};
    vt__llvm_check_zero(g, LLVMBuildCall2(g->builder, walk_type(g), g->table->walk, args, 3, ""));
    return r->count;
}

bool vt__llvm_table_kernel(vt__llvm *g, uint32_t number, LLVMValueRef out_args[4]) {
    const vt__llvm_table *t = g->table;
    if (!t || number >= t->n_kernels || !t->kernels[number]) return false;
    out_args[0] = handle_of(g, LLVMConstInt(g->i32, number, 0));
    out_args[1] = t->record;
    out_args[2] = word(g, t->data, t->kernels[number]);
    out_args[3] = LLVMConstInt(g->i32, 0, 0);
    return true;
}
