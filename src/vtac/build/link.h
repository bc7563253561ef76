/* Shared objects by the system's linker. Folder-private. */
#ifndef VT_BUILD_LINK_H
#define VT_BUILD_LINK_H

#include "base/diag.h"

/* Links an object for the machine `triple` (NULL: this one) into the shared object `path`; `linker` is tried first, as
 * in base/link.h. */
vta_status vt__link_shared(const vta_allocator *a, const void *object, size_t size, const char *triple,
                           const char *linker, const char *path, vta_diag *diag);

#endif
