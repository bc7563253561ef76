/* The machines that code is made for. Folder-private: the one place that starts LLVM. */
#ifndef VT_CODEGEN_MACHINE_H
#define VT_CODEGEN_MACHINE_H

#include "codegen/codegen.h"
#include "codegen/library.h"
#ifdef VT_LLVM_LIBRARY
#include "llvm_names.h" /* made of llvm_functions.def: #define LLVMAddCase vt__llvm_library.LLVMAddCase, and so on */
#endif

/* Makes LLVM's description of a machine; raises VTA_UNSUPPORTED, naming the architectures there are. `level` 0
 * compiles fastest. Dispose with LLVMDisposeTargetMachine. */
LLVMTargetMachineRef vt__machine_create(vt_ctx *ctx, const vt_machine_spec *spec, int32_t level);
/* An LLVM message as an arena string; disposes it. */
const char *vt__llvm_message(vt_ctx *ctx, char *message);
/* Starts LLVM's code generator for a triple, once in a process; nothing for one that there is none for. */
void vt__llvm_start(const char *triple);

#endif
