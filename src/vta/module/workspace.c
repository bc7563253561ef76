/* Scratch memory of compiled functions. */
#include "base/alloc.h"
#include "vta/module.h"
#include "vta/runtime.h"

enum { ALIGNMENT = 64 };

/* Stands right before the aligned memory. */
typedef struct header {
    void *block;
    size_t size; /* of the block */
} header;

static header *header_of(void *p) { return (header *)((char *)p - sizeof(header)); }

static void *alloc_host(uint64_t nbytes) {
    size_t size;
    if (nbytes > SIZE_MAX || !vt_add_size((size_t)nbytes, sizeof(header) + ALIGNMENT, &size)) return NULL;
    char *block = vt_alloc(NULL, size);
    if (!block) return NULL;
    uintptr_t first = (uintptr_t)block + sizeof(header);
    char *p = block + sizeof(header) + (ALIGNMENT - first % ALIGNMENT) % ALIGNMENT;
    *header_of(p) = (header){block, size};
    return p;
}

/* On the accelerator it is a buffer's handle. The runtime has recorded why there is none. */
static void *alloc_device(uint64_t nbytes) {
    void *buffer = nbytes > SIZE_MAX ? NULL : VTABufferAlloc((size_t)nbytes);
    const char *error = buffer ? NULL : vta_last_error(NULL);
    if (!buffer) TVMAPISetLastError(error ? error : "TVMBackendAllocWorkspace: out of device memory");
    return buffer;
}

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t nbytes, int dtype_code_hint,
                               int dtype_bits_hint) {
    (void)device_id;
    (void)dtype_code_hint;
    (void)dtype_bits_hint;
    if (device_type == kDLExtDev) return alloc_device(nbytes);
    if (device_type != kDLCPU) {
        TVMAPISetLastError("TVMBackendAllocWorkspace: scratch memory is on the CPU and on the accelerator only");
        return NULL;
    }
    void *p = alloc_host(nbytes);
    if (!p) TVMAPISetLastError("TVMBackendAllocWorkspace: out of memory");
    return p;
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *ptr) {
    (void)device_id;
    if (!ptr) return 0;
    if (device_type == kDLExtDev) {
        VTABufferFree(ptr);
        return 0;
    }
    header h = *header_of(ptr);
    vt_free(NULL, h.block, h.size);
    return 0;
}
