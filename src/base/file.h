/* Whole files, in and out. */
#ifndef VT_BASE_FILE_H
#define VT_BASE_FILE_H

#include "base/diag.h"

/* Reads a file whole; *out_data gets size + 1 bytes, the last one 0. Free with vt_free(a, data, size + 1). Refuses
 * what is larger than `limit` bytes. */
vta_status vt_file_read(const vta_allocator *a, const char *path, size_t limit, vta_diag *diag, char **out_data,
                        size_t *out_size);
/* Writes through a temporary file beside it and a rename, so that a failure leaves the old file. */
vta_status vt_file_write(const vta_allocator *a, const char *path, const void *data, size_t size, vta_diag *diag);

#endif
