/* Scratch memory of compiled functions. */
#include "base/alloc.h"
#include "vta/module.h"

enum { ALIGNMENT = 64 };

/* Stands right before the aligned memory. */
typedef struct header {
    void *block;
    size_t size; /* of the block */
} header;

static header *header_of(void *p) { return (header *)((char *)p - sizeof(header)); }

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t nbytes, int dtype_code_hint,
                               int dtype_bits_hint) {
    (void)device_id;
    (void)dtype_code_hint;
    (void)dtype_bits_hint;
    size_t size;
    if (device_type != kDLCPU) {
        TVMAPISetLastError("TVMBackendAllocWorkspace: scratch memory is on the CPU only");
        return NULL;
    }
    if (nbytes > SIZE_MAX || !vt_add_size((size_t)nbytes, sizeof(header) + ALIGNMENT, &size)) return NULL;
    char *block = vt_alloc(NULL, size);
    if (!block) {
        TVMAPISetLastError("TVMBackendAllocWorkspace: out of memory");
        return NULL;
    }
    uintptr_t first = (uintptr_t)block + sizeof(header);
    char *p = block + sizeof(header) + (ALIGNMENT - first % ALIGNMENT) % ALIGNMENT;
    *header_of(p) = (header){block, size};
    return p;
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *ptr) {
    (void)device_type;
    (void)device_id;
    if (!ptr) return 0;
    header h = *header_of(ptr);
    vt_free(NULL, h.block, h.size);
    return 0;
}
