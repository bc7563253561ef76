/* Shared objects by the system's linker. Folder-private. */
#ifndef VT_BUILD_LINK_H
#define VT_BUILD_LINK_H

#include "base/diag.h"

/* Links an object for the machine `triple` into the shared object `path`. `native`: it is for this machine. Tries $CC,
 * the machine's compiler drivers and LLVM's linker, in this order. */
vta_status vt__link_shared(const vta_allocator *a, const void *object, size_t size, const char *triple, bool native,
                           const char *path, vta_diag *diag);

#endif
