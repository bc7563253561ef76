/* Whole files, in and out. */
#ifndef VT_BASE_FILE_H
#define VT_BASE_FILE_H

#include "base/diag.h"

/* Reads a file whole; *out_data gets size + 1 bytes, the last one 0. Free with vt_free(a, data, size + 1). Refuses
 * what is larger than `limit` bytes. */
vta_status vt_file_read(const vta_allocator *a, const char *path, size_t limit, vta_diag *diag, char **out_data,
                        size_t *out_size);
/* Writes completely or not at all: through a temporary file beside it and a rename, so that a failure leaves the old
 * file, whose permissions the new one takes. A symbolic link stays, and the file it names is replaced; devices and
 * pipes are written in place. Any number of threads and processes may write one path: one of them is the last.
 * What was there, or what is new, is there after a crash of the machine, too. */
vta_status vt_file_write(const vta_allocator *a, const char *path, const void *data, size_t size, vta_diag *diag);
/* The same for a file that this process alone uses, and that may be lost with the machine: not synced. */
vta_status vt_file_write_temporary(const vta_allocator *a, const char *path, const void *data, size_t size,
                                   vta_diag *diag);

#endif
