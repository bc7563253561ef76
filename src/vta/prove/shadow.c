#include "prove/shadow.h"

#include <string.h>

enum { CELLS_MAX = 8, UNWRITTEN = 0x5A, FORGOTTEN = 0x5B, RECORDED = 255 };

void vt_shadow_init(vt_shadow *s, const vta_allocator *allocator, vta_field *field, uint32_t cell_bits,
                    uint64_t stale) {
    *s = (vt_shadow){.allocator = allocator, .field = field, .cell_bits = cell_bits, .stale = stale};
}

void vt_shadow_clear(vt_shadow *s) {
    vt_free(s->allocator, s->regions, s->cap * sizeof *s->regions);
    vt_free(s->allocator, s->values, s->cells * sizeof *s->values);
    vt_free(s->allocator, s->tags, s->cells);
    vt_free(s->allocator, s->data, s->cells);
    *s = (vt_shadow){.allocator = s->allocator};
}

/* ---- Regions --------------------------------------------------------------------------------------------------- */

/* The first region that ends after `addr`. */
static size_t place_of(const vt_shadow *s, uint64_t addr) {
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->regions[middle].addr + s->regions[middle].bytes <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

vta_status vt_shadow_add(vt_shadow *s, uint64_t addr, uint64_t bytes, vta_diag *diag) {
    uint64_t end = addr + bytes;
    size_t at = place_of(s, addr ? addr - 1 : 0), past = at;
    for (; past < s->count && s->regions[past].addr <= end; past++) { /* those that touch become one */
        const vt_shadow_region *r = &s->regions[past];
        if (r->addr < addr) addr = r->addr;
        if (r->addr + r->bytes > end) end = r->addr + r->bytes;
    }
    if (!vt_reserve(s->allocator, &s->regions, &s->cap, s->count + 1, sizeof *s->regions)) return vt_no_memory(diag);
    memmove(s->regions + at + 1, s->regions + past, (s->count - past) * sizeof *s->regions);
    s->regions[at] = (vt_shadow_region){.addr = addr, .bytes = end - addr};
    s->count = s->count - (past - at) + 1;
    return VTA_OK;
}

vta_status vt_shadow_ready(vt_shadow *s, vta_diag *diag) {
    size_t cells = 0;
    for (size_t i = 0; i < s->count; i++) {
        s->regions[i].first = cells;
        cells += (size_t)(s->regions[i].bytes * 8 / s->cell_bits);
    }
    s->cells = cells;
    s->values = vt_alloc_array(s->allocator, cells, sizeof *s->values);
    s->tags = vt_alloc_zero(s->allocator, cells);
    s->data = vt_alloc_zero(s->allocator, cells);
    return s->values && s->tags && s->data ? VTA_OK : vt_no_memory(diag);
}

/* The first cell of a range; false when it is not all part of one region. */
static bool find(const vt_shadow *s, uint64_t addr, uint64_t bits, size_t *out_cell) {
    size_t at = place_of(s, addr);
    if (at == s->count || s->regions[at].addr > addr) return false;
    const vt_shadow_region *r = &s->regions[at];
    *out_cell = r->first + (size_t)((addr - r->addr) * 8 / s->cell_bits);
    return (bits + 7) / 8 <= r->addr + r->bytes - addr;
}

/* ---- Scalars ----------------------------------------------------------------------------------------------------- */

static vta_value unwritten(const vt_shadow *s, uint64_t bit_addr, uint32_t bits) {
    return vta_field_variable(s->field, s->stale << 8 | UNWRITTEN, bit_addr << 6 | bits);
}

/* What is there was written in another width, or in parts. */
static vta_value mixed(const vt_shadow *s, size_t cell, size_t n, uint64_t bit_addr) {
    vta_value parts[2 * CELLS_MAX];
    for (size_t k = 0; k < n; k++) {
        parts[2 * k] =
            s->tags[cell + k] ? s->values[cell + k] : unwritten(s, bit_addr + k * s->cell_bits, s->cell_bits);
        parts[2 * k + 1] = s->tags[cell + k];
    }
    return vta_field_opaque(s->field, UNWRITTEN, 2 * n, parts);
}

/* Recorded bits as a signed integer. */
static vta_value number(const vt_shadow *s, size_t cell, size_t n, uint32_t bits) {
    uint64_t raw = 0;
    for (size_t k = 0; k < n; k++) raw |= s->values[cell + k] << (k * s->cell_bits);
    return vta_field_int(s->field, (int64_t)(raw << (64 - bits)) >> (64 - bits));
}

static vta_value read_one(const vt_shadow *s, size_t cell, size_t n, uint64_t bit_addr, uint32_t bits) {
    size_t same = 0, empty = 0, recorded = 0;
    for (size_t k = 0; k < n; k++) {
        same += s->tags[cell + k] == (n << 4 | k) && s->values[cell + k] == s->values[cell];
        empty += !s->tags[cell + k];
        recorded += s->tags[cell + k] == RECORDED;
    }
    if (recorded == n) return number(s, cell, n, bits);
    if (same == n) return s->values[cell];
    return empty == n ? unwritten(s, bit_addr, bits) : mixed(s, cell, n, bit_addr);
}

bool vt_shadow_read(const vt_shadow *s, uint64_t addr, uint32_t bits, size_t count, vta_value *to) {
    size_t cell, n = bits / s->cell_bits;
    if (!find(s, addr, (uint64_t)bits * count, &cell)) return false;
    for (size_t i = 0; i < count; i++)
        to[i] = n == 1 && s->tags[cell + i] == 1 << 4 ? s->values[cell + i]
                                                      : read_one(s, cell + i * n, n, addr * 8 + i * bits, bits);
    return true;
}

bool vt_shadow_write(vt_shadow *s, uint64_t addr, uint32_t bits, size_t count, const vta_value *from) {
    size_t cell, n = bits / s->cell_bits;
    if (!find(s, addr, (uint64_t)bits * count, &cell)) return false;
    for (size_t i = 0; i < count * n; i++) {
        s->values[cell + i] = from[i / n];
        s->tags[cell + i] = (uint8_t)(n << 4 | i % n);
    }
    memset(s->data + cell, 1, count * n);
    return true;
}

/* The cells of a range of bytes. */
static bool cells_of(const vt_shadow *s, uint64_t addr, uint64_t bytes, size_t *out_first, size_t *out_count) {
    *out_count = (size_t)((bytes * 8 + s->cell_bits - 1) / s->cell_bits);
    return find(s, addr, bytes * 8, out_first);
}

bool vt_shadow_set_data(vt_shadow *s, uint64_t addr, uint64_t bytes) {
    size_t first, count;
    if (!cells_of(s, addr, bytes, &first, &count)) return false;
    memset(s->data + first, 1, count);
    return true;
}

bool vt_shadow_is_data(const vt_shadow *s, uint64_t addr, uint64_t bytes) {
    size_t first, count;
    return cells_of(s, addr, bytes, &first, &count) && memchr(s->data + first, 1, count) != NULL;
}

bool vt_shadow_set_constants(vt_shadow *s, uint64_t addr, uint64_t bytes, const uint8_t *from, size_t known) {
    size_t first, count;
    if (!cells_of(s, addr, bytes, &first, &count)) return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = (uint64_t)i * s->cell_bits, raw = 0;
        for (size_t k = 0; k < 4 && bit / 8 + k < known; k++) raw |= (uint64_t)from[bit / 8 + k] << (8 * k);
        s->values[first + i] = raw >> (bit % 8) & ((UINT64_C(1) << s->cell_bits) - 1);
    }
    memset(s->tags + first, RECORDED, count);
    s->has_constants = true;
    return true;
}

bool vt_shadow_forget(vt_shadow *s, uint64_t addr, uint64_t bytes, uint32_t when) {
    size_t first, count;
    if (!cells_of(s, addr, bytes, &first, &count)) return false;
    for (size_t i = first; i < first + count; i++)
        s->values[i] = vta_field_variable(s->field, (s->stale << 8 | FORGOTTEN) << 32 | when, i);
    memset(s->tags + first, 1 << 4, count);
    memset(s->data + first, 1, count);
    return true;
}

bool vt_shadow_is_constant(const vt_shadow *s, uint64_t addr, uint64_t bytes) {
    size_t first, count;
    return s->has_constants && cells_of(s, addr, bytes, &first, &count) &&
           memchr(s->tags + first, RECORDED, count) != NULL;
}
