/* LLVM's C interface. Folder-private; headers of LLVM are included here alone.
 *
 * The library is loaded when code is first made: it takes tens of milliseconds and megabytes, which a simulator or a
 * compiled network need not pay for, and it may be missing. VT_LLVM_LIBRARY names it, and calls go through the table of
 * what was found in it (machine.h). Without VT_LLVM_LIBRARY LLVM is linked in. */
#ifndef VT_CODEGEN_LIBRARY_H
#define VT_CODEGEN_LIBRARY_H

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/diag.h"

#ifdef VT_LLVM_LIBRARY

typedef struct vt__llvm_functions {
#define VT_LLVM(name) __typeof__(name) *name;
#include "codegen/llvm_functions.def"
#undef VT_LLVM
} vt__llvm_functions;

/* Filled by vt__llvm_load, and constant from then on. */
extern vt__llvm_functions vt__llvm_library;

#endif

/* Before anything of LLVM is called; any thread. VTA_NOT_FOUND: it is not installed, or is not of the version that this
 * library was built for; a later call looks again. */
vta_status vt__llvm_load(vta_diag *diag);

#endif
