/* The state of making one LLVM module. Folder-private; files llvm_*.c share it. */
#ifndef VT_CODEGEN_LLVM_H
#define VT_CODEGEN_LLVM_H

#include "codegen/machine.h"
#include "codegen/prepare.h"
#include "ir/visit.h"

/* Scratch memory that is allocated where the builder is. */
typedef struct vt__llvm_scratch {
    struct vt__llvm_scratch *outer;
    LLVMValueRef device, memory;
} vt__llvm_scratch;

typedef struct vt__llvm_table vt__llvm_table;

typedef struct vt__llvm {
    vt_ctx *ctx;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTargetMachineRef machine;
    LLVMTargetDataRef layout;
    LLVMTypeRef void_type, i1, i8, i32, i64, pointer;
    LLVMTypeRef tensor; /* DLTensor, as laid out by the machine */
    LLVMValueRef fail;  /* vta.fail, made when first needed */

    /* The current kernel. */
    const vt__entry *entry;
    bool interruptible; /* its outer loops look at vta_host_stop */
    bool optimise;      /* it computes, so LLVM's optimiser is worth its time */
    vt_kernels kernels;
    uint32_t outlined;     /* number of functions made from parts of it */
    vt__llvm_table *table; /* of its calls; NULL: they are few */

    /* The current function. */
    LLVMValueRef function;
    LLVMBasicBlockRef allocas; /* its first block: only allocas */
    vt_ptrmap *values;         /* variable to LLVMValueRef */
    vt__llvm_scratch *scratch; /* what a return from here gives back, the innermost first */
    bool in_parallel;
} vt__llvm;

/* DLTensor's fields. ORDER DLTENSOR */
enum {
    VT__DL_DATA,
    VT__DL_DEVICE_TYPE,
    VT__DL_DEVICE_ID,
    VT__DL_NDIM,
    VT__DL_DTYPE,
    VT__DL_SHAPE,
    VT__DL_STRIDES,
    VT__DL_BYTE_OFFSET
};

/* ---- llvm_entry.c ---- */

/* One kernel: its packed entry and its body. */
void vt__llvm_kernel(vt__llvm *g, const vt_codegen_func *cf, const char *symbol);

/* ---- llvm_import.c ---- */

/* Links what pragmas import_llvm of the functions bring along. Raises. */
void vt__llvm_import(vt__llvm *g, size_t n, const vt_codegen_func *funcs);

/* ---- llvm_stmt.c ---- */

void vt__llvm_stmt(vt__llvm *g, const vt_stmt *s);

/* ---- llvm_outline.c ---- */

/* Which function the builder is in, to come back to it. */
typedef struct vt__llvm_place {
    LLVMValueRef function;
    LLVMBasicBlockRef allocas, block;
    vt_ptrmap *values;
    vt__llvm_scratch *scratch;
    bool in_parallel;
} vt__llvm_place;

/* A new internal function of the kernel, "NAME_SUFFIX"; the builder moves into it. End it with vt__llvm_leave. */
LLVMValueRef vt__llvm_enter(vt__llvm *g, const char *name, LLVMTypeRef type, vt__llvm_place *out_back);
void vt__llvm_leave(vt__llvm *g, const vt__llvm_place *back);
/* An internal function `int NAME(vars...)` with the statement as its body. */
LLVMValueRef vt__llvm_function_of(vt__llvm *g, const char *name, const vt_stmt *body, uint32_t n,
                                  const vt_var *const *vars);
LLVMTypeRef vt__llvm_function_type(vt__llvm *g, uint32_t n, const vt_var *const *vars);
/* A micro-op scope: its body as a finit, and the runtime call that takes it. */
void vt__llvm_uop_scope(vt__llvm *g, const vt_stmt *s);
/* A parallel loop: its body as the tasks of a launch. */
void vt__llvm_parallel(vt__llvm *g, const vt_stmt *loop);
/* Gives scratch memory back. */
LLVMValueRef vt__llvm_free_scratch(vt__llvm *g, const vt__llvm_scratch *s);
/* Gives all scratch memory of the current function back and returns from it. */
void vt__llvm_return(vt__llvm *g, int value);
/* Returns -1 from the current function unless `result` is 0; what follows runs when it is. */
void vt__llvm_check_zero(vt__llvm *g, LLVMValueRef result);

/* ---- llvm_table.c ---- */

/* Looks for long runs of runtime calls in a kernel's body; g->table is what becomes of them. */
void vt__llvm_table_make(vt__llvm *g, const vt_stmt *body);
/* Emits the run that begins with *items of a sequence. Returns how many of its statements that are; 0: none begins. */
uint32_t vt__llvm_table_run(vt__llvm *g, const vt_stmt *const *items);
/* The arguments of a push of a micro-kernel that is in the table; false: it is not. */
bool vt__llvm_table_kernel(vt__llvm *g, uint32_t number, LLVMValueRef out_args[4]);

/* ---- llvm_stop.c ---- */

/* At the start of a loop's body: returns -1 from the current function when the code is to stop. Nothing, where the body
 * takes little time or the kernel is not interruptible. */
void vt__llvm_stop_point(vt__llvm *g, const vt_stmt *body);
/* The same, wherever it is. */
void vt__llvm_look(vt__llvm *g);
/* Whether a loop is innermost and so long that it is to look now and then: every VT__LLVM_STEPS steps. */
bool vt__llvm_in_pieces(const vt__llvm *g, const vt_stmt *loop);
enum { VT__LLVM_STEPS = 1 << 20 };

/* ---- llvm_expr.c ---- */

LLVMValueRef vt__llvm_expr(vt__llvm *g, const vt_expr *e);
LLVMTypeRef vt__llvm_type(vt__llvm *g, vt_dtype t);
/* The type in memory: bool takes a byte. Raises for elements that share bytes. */
LLVMTypeRef vt__llvm_memory_type(vt__llvm *g, vt_dtype t);
/* value as it is in memory, and back. */
LLVMValueRef vt__llvm_to_memory(vt__llvm *g, vt_dtype t, LLVMValueRef value);
LLVMValueRef vt__llvm_from_memory(vt__llvm *g, vt_dtype t, LLVMValueRef value);
/* The flat index of a load or store, and the address of element `index` (scalar). */
const vt_expr *vt__llvm_flat_index(vt__llvm *g, const vt_buffer *b, uint32_t n, const vt_expr *const *indices);
LLVMValueRef vt__llvm_address(vt__llvm *g, const vt_buffer *b, LLVMValueRef index);
/* A variable's value. */
LLVMValueRef vt__llvm_var(vt__llvm *g, const vt_var *v);
LLVMValueRef vt__llvm_const(vt__llvm *g, vt_dtype t, int64_t value);
LLVMValueRef vt__llvm_cast(vt__llvm *g, vt_dtype from, vt_dtype to, LLVMValueRef value);
/* A pointer to a zero-terminated text. */
LLVMValueRef vt__llvm_text(vt__llvm *g, const char *text);
/* One lane of a vector. */
LLVMValueRef vt__llvm_lane(vt__llvm *g, LLVMValueRef vector, uint32_t lane);

/* ---- llvm_call.c ---- */

LLVMValueRef vt__llvm_call(vt__llvm *g, const vt_expr *e);
/* Calls an external function by name. */
LLVMValueRef vt__llvm_call_name(vt__llvm *g, const char *name, LLVMTypeRef result, uint32_t n, LLVMValueRef *args);

/* ---- llvm_packed.c ---- */

LLVMValueRef vt__llvm_call_packed(vt__llvm *g, const vt_expr *e);
/* A DLTensor on the stack. */
LLVMValueRef vt__llvm_make_array(vt__llvm *g, const vt_expr *e);

/* ---- llvm_module.c ---- */

/* Appends the job as an object, assembly or LLVM IR. */
vta_status vt__llvm_emit(vt_ctx *ctx, const vt_codegen_job *job, vt_emit what, vt_strbuf *out);
/* An attribute of the function, by its LLVM name. index as LLVM counts: -1 the function, 1 the first parameter. */
void vt__llvm_attribute(vt__llvm *g, LLVMValueRef function, int index, const char *name);
LLVMBasicBlockRef vt__llvm_block(vt__llvm *g, const char *name);
/* A stack slot in the function's first block. */
LLVMValueRef vt__llvm_slot(vt__llvm *g, LLVMTypeRef type, uint32_t align);

#endif
