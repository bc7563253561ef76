/* The micro-kernels of a command handle, by call site and signature.
 *
 * A caller's *uop_handle holds a value that numbers the call site in the process; each command handle has its own
 * kernels for it, so that threads share nothing and a new hardware shape records anew. */
#ifndef VT_RUNTIME_SITE_H
#define VT_RUNTIME_SITE_H

#include "runtime/uop_kernel.h"

typedef struct vt_site_entry {
    uint64_t site; /* 0: empty */
    bool has_signature;
    int32_t signature;
    vt_uop_kernel *kernel;
} vt_site_entry;

/* An open hash table whose size is a power of two. */
typedef struct vt_site_table {
    const vta_allocator *allocator;
    vt_site_entry *entries;
    size_t count, cap;
} vt_site_table;

/* The number behind a call site's handle, which gets one when it is NULL; 0 with a reason in `diag`. */
uint64_t vt_site_number(void **uop_handle, vta_diag *diag);

void vt_site_table_init(vt_site_table *table, const vta_allocator *allocator);
void vt_site_table_clear(vt_site_table *table);
/* NULL when there is none. */
vt_uop_kernel *vt_site_find(const vt_site_table *table, uint64_t site, bool has_signature, int32_t signature);
/* Takes the kernel over; false when out of memory. */
bool vt_site_add(vt_site_table *table, uint64_t site, bool has_signature, int32_t signature, vt_uop_kernel *kernel);

#endif
