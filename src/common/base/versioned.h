/* Public structs of options and results, which begin with their size (vta/status.h): callers and library may have been
 * built from headers of different versions. */
#ifndef VT_BASE_VERSIONED_H
#define VT_BASE_VERSIONED_H

#include "base/diag.h"

/* Fills `own` (own_size bytes, the size that this library knows) with what the caller gave, NULL for nothing, and with
 * zeros where the caller knew no field. VTA_UNSUPPORTED for something set in a field that this library does not know;
 * VTA_INVALID_ARGUMENT for a size that cannot be. `name` is the struct's. */
vta_status vt_options_read(void *own, size_t own_size, const void *given, const char *name, vta_diag *diag);
/* Copies a result to the caller's struct as far as that goes, and leaves its size alone. */
void vt_result_write(void *given, const void *own, size_t own_size);

#endif
