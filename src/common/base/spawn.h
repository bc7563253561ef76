/* Other programs, run to their end. */
#ifndef VT_BASE_SPAWN_H
#define VT_BASE_SPAWN_H

#include "base/diag.h"
#include "base/strbuf.h"

/* Runs argv (NULL at its end; found along $PATH, no shell). What it writes to standard output and error is appended to
 * `said`, the first kilobytes of it. Returns 0 with its exit code in *out_code (128 + the signal that ended it), or the
 * number of the error for which it could not be started: ENOENT when there is no such program. Any thread. */
int vt_spawn(const char *const argv[], vt_strbuf *said, int *out_code);

enum { VT_FOLDER_BYTES = 256 };

/* Makes an empty folder under $TMPDIR (else /tmp), for this process alone. */
vta_status vt_temporary_folder(char out_folder[VT_FOLDER_BYTES], vta_diag *diag);

#endif
