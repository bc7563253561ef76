#include "runtime/site.h"

#include <stdatomic.h>

#include "runtime/process.h"

static const int HANDLE_BITS = VT_SLOT_BITS + VT_GENERATION_BITS;

/* A number is published in the caller's variable; of two threads that come first, the one that loses takes the
 * winner's. */
static uint64_t new_site(void **uop_handle, vta_diag *diag) {
    uint64_t number = atomic_fetch_add_explicit(&vt_site_count, 1, memory_order_relaxed) + 1;
    if (number >> HANDLE_BITS) {
        vt_fail(diag, VTA_NO_MEMORY, "no call site numbers are left");
        return 0;
    }
    void *mine = (void *)(vt_handle_base(VT_HANDLE_SITE) + (uintptr_t)number), *seen = NULL;
    if (__atomic_compare_exchange_n(uop_handle, &seen, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return number;
    return (uint64_t)((uintptr_t)seen - vt_handle_base(VT_HANDLE_SITE));
}

uint64_t vt_site_number(void **uop_handle, vta_diag *diag) {
    void *handle = __atomic_load_n(uop_handle, __ATOMIC_ACQUIRE);
    if (!handle) return new_site(uop_handle, diag);
    uint64_t number = (uint64_t)((uintptr_t)handle - vt_handle_base(VT_HANDLE_SITE));
    if (number != 0 && number <= atomic_load_explicit(&vt_site_count, memory_order_relaxed)) return number;
    vt_fail(diag, VTA_INVALID_ARGUMENT,
            "*uop_handle holds %p, which this runtime did not put there; it must be NULL before the site's first call",
            handle);
    return 0;
}

void vt_site_table_init(vt_site_table *table, const vta_allocator *allocator) {
    *table = (vt_site_table){.allocator = allocator};
}

void vt_site_table_clear(vt_site_table *table) {
    for (size_t i = 0; i < table->cap; i++) {
        vt_uop_kernel *kernel = table->entries[i].kernel;
        if (!kernel) continue;
        vt_kernel_clear(kernel);
        vt_free(table->allocator, kernel, sizeof *kernel);
    }
    vt_free(table->allocator, table->entries, table->cap * sizeof *table->entries);
    vt_site_table_init(table, table->allocator);
}

static size_t place(const vt_site_table *table, uint64_t site, bool has_signature, int32_t signature) {
    uint64_t h = (site << 33) ^ ((uint64_t)has_signature << 32) ^ (uint32_t)signature;
    h *= 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 32) & (table->cap - 1);
    for (;; i = (i + 1) & (table->cap - 1)) {
        const vt_site_entry *e = &table->entries[i];
        if (!e->site || (e->site == site && e->has_signature == has_signature && e->signature == signature)) return i;
    }
}

vt_uop_kernel *vt_site_find(const vt_site_table *table, uint64_t site, bool has_signature, int32_t signature) {
    if (!table->cap) return NULL;
    return table->entries[place(table, site, has_signature, signature)].kernel;
}

static bool grow(vt_site_table *table) {
    vt_site_table larger = {
        .allocator = table->allocator, .count = table->count, .cap = table->cap ? table->cap * 2 : 16};
    larger.entries = vt_alloc_zero(table->allocator, larger.cap * sizeof *larger.entries);
    if (!larger.entries) return false;
    for (size_t i = 0; i < table->cap; i++) {
        const vt_site_entry *e = &table->entries[i];
        if (e->site) larger.entries[place(&larger, e->site, e->has_signature, e->signature)] = *e;
    }
    vt_free(table->allocator, table->entries, table->cap * sizeof *table->entries);
    *table = larger;
    return true;
}

bool vt_site_add(vt_site_table *table, uint64_t site, bool has_signature, int32_t signature, vt_uop_kernel *kernel) {
    if (table->count * 2 >= table->cap && !grow(table)) return false;
    table->entries[place(table, site, has_signature, signature)] =
        (vt_site_entry){site, has_signature, signature, kernel};
    table->count++;
    return true;
}
