/* Large data in temporary files that are mapped into memory: the system may take their pages back, and a reader that
 * is done with some gives them back himself. Files, not the caller's own, which others may cut while they are mapped.
 */
#ifndef VT_BASE_SPILL_H
#define VT_BASE_SPILL_H

#include "base/context.h"

/* Reads the next bytes; false: there are none. */
typedef bool vt_spill_read(void *user, void *to, size_t size);

/* Copies `size` bytes into an unlinked file in $TMPDIR, /var/tmp or /tmp and maps it for reading; the context owns the
 * mapping. NULL, with nothing left behind: none of these is on a disk that has the room, there is no memory for the
 * mapping, or the reader failed. */
const void *vt_spill(vt_ctx *ctx, size_t size, vt_spill_read *read, void *user);
/* Gives the pages of all the context's data back; they are read again when they are used. From any thread. */
void vt_spill_release(const vt_ctx *ctx);
/* The same after every 32 MiB: for a loop over one of the data that tells how many bytes it has read. `since` begins
 * as 0. NULL: the context of none. */
void vt_spill_read_on(const vt_ctx *ctx, size_t *since, size_t bytes);
/* Unmaps one of the data; others, and what is not of these, stay. */
void vt_spill_drop(vt_ctx *ctx, const void *data);
/* Unmaps all. */
void vt_spill_clear(vt_ctx *ctx);

#endif
