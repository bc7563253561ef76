/* Buffers: device memory that callers name by handle, shared by all threads of a runtime. */
#ifndef VT_RUNTIME_BUFFER_H
#define VT_RUNTIME_BUFFER_H

#include "runtime/process.h"

/* The slot of a live buffer of `runtime` (NULL: of any); its addr and bytes do not change while it lives. The reason
 * goes to `diag` when there is none. */
vta_status vt_buffer_find(const vta_runtime *runtime, const void *handle, vta_diag *diag, vt_slot **out_slot);

vta_status vt_buffer_alloc(vta_runtime *runtime, size_t bytes, vta_diag *diag, void **out_handle);
vta_status vt_buffer_free(void *handle, vta_diag *diag);
vta_status vt_buffer_copy(const void *from, size_t from_offset, void *to, size_t to_offset, size_t bytes, int kind_mask,
                          vta_diag *diag);
/* [offset, offset + bytes) inside a buffer of `size` bytes? `what` is its name in the message. */
vta_status vt_buffer_check_range(uint64_t size, const char *what, uint64_t offset, uint64_t bytes, vta_diag *diag);

#endif
