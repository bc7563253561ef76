/* Tables of runtime calls: their words (llvm_table_rows.c), and the code that walks them (llvm_table.c). */
#ifndef VT_CODEGEN_LLVM_TABLE_H
#define VT_CODEGEN_LLVM_TABLE_H

#include "codegen/llvm.h"
#include "codegen/runtime_table.h"

enum { VT__LLVM_TABLE_POINTERS = 64 };

/* Statements that stand one behind the other, and their part of the table. */
typedef struct vt__llvm_run {
    const vt_stmt *const *first;
    uint32_t count, begin, end;
    uint32_t n_pointers;
    const vt_var *pointers[VT__LLVM_TABLE_POINTERS];
} vt__llvm_run;

struct vt__llvm_table {
    uint32_t n_words, cap_words;
    uint32_t *words;
    vt_ptrmap *runs; /* its first statement's place in the sequence -> run */
    uint32_t n_functions;
    const vt__runtime_entry *functions[VT__RUNTIME_ENTRIES]; /* by their numbers */
    uint32_t n_kernels, cap_kernels;
    uint32_t *kernels; /* kernel -> where it begins; 0: it is not in the table */
    LLVMValueRef data, handles, walk, record;
};

/* Takes a micro-kernel, and the function that records it. */
bool vt__llvm_is_push(const vt__runtime_entry *entry);
/* Finds the runs of a body and writes their words; NULL: it has too few calls to be worth a table. Micro-kernels get
 * their numbers. */
vt__llvm_table *vt__llvm_table_rows(vt__llvm *g, const vt_stmt *body);

#endif
