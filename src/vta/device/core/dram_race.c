/* Races through DRAM. Which bytes a stream moves does not depend on data, so before it runs the pages that it both
 * stores to and loads from are known; most streams have none, and pay nothing. In those pages every granule (the
 * smallest element, to which all rows are aligned) remembers the last store, and the last read of load and compute. */
#include <stdlib.h>
#include <string.h>

#include "config/config_priv.h"
#include "device/core/race.h"

enum { STORE_STAGE = 2 };

struct vt_dram_page {
    uint32_t number;
    bool is_loaded;
    uint32_t *seen; /* [stage][granule]: 1 + position of the last access of that stage; NULL: no other stage touches the
                       page */
};

/* The rows of a transfer that moves something, as bytes. */
typedef struct rows {
    uint64_t addr, stride, bytes;
    uint32_t count;
} rows;

static rows rows_of(const vta_config *config, const vta_insn *insn) {
    bool transfers = insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE;
    if (!transfers || !insn->u.mem.x_size || insn->u.mem.memory_type >= VTA_MEM_COUNT) return (rows){0};
    uint64_t element = config->elem_bytes[insn->u.mem.memory_type];
    /* What cannot be on chip will be refused when it runs. */
    if ((uint32_t)insn->u.mem.x_size * insn->u.mem.y_size > config->depth[insn->u.mem.memory_type]) return (rows){0};
    return (rows){insn->u.mem.dram_base * element, insn->u.mem.x_stride * element, insn->u.mem.x_size * element,
                  insn->u.mem.y_size};
}

static uint64_t page_of(uint64_t addr) { return addr / VTA_PAGE_BYTES; }

/* ---- The pages --------------------------------------------------------------------------------------------- */

static int compare_pages(const void *a, const void *b) {
    uint32_t x = ((const vt_dram_page *)a)->number, y = ((const vt_dram_page *)b)->number;
    return (x > y) - (x < y);
}

/* Index of the first page from `number` on. */
static size_t find(const vt_dram_shadow *d, uint64_t number) {
    size_t low = 0, high = d->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (d->pages[mid].number < number)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static bool add_page(vt_checker *c, uint32_t number) {
    vt_dram_shadow *d = &c->dram;
    if (d->count && d->pages[d->count - 1].number == number) return true;
    if (!vt_reserve(c->allocator, &d->pages, &d->cap, d->count + 1, sizeof *d->pages)) return false;
    d->pages[d->count++] = (vt_dram_page){.number = number};
    return true;
}

static bool add_stored(vt_checker *c, const rows *r) {
    for (uint32_t y = 0; y < r->count; y++) {
        uint64_t addr = r->addr + y * r->stride, last = page_of(addr + r->bytes - 1);
        for (uint64_t page = page_of(addr); page <= last && page <= UINT32_MAX; page++)
            if (!add_page(c, (uint32_t)page)) return false;
    }
    return true;
}

static void keep_each_once(vt_dram_shadow *d) {
    size_t kept = 0;
    if (d->count) qsort(d->pages, d->count, sizeof *d->pages, compare_pages);
    for (size_t i = 0; i < d->count; i++)
        if (!kept || d->pages[kept - 1].number != d->pages[i].number) d->pages[kept++] = d->pages[i];
    d->count = kept;
}

static void mark_loaded(vt_dram_shadow *d, const rows *r) {
    for (uint32_t y = 0; y < r->count; y++) {
        uint64_t addr = r->addr + y * r->stride, last = page_of(addr + r->bytes - 1);
        for (size_t i = find(d, page_of(addr)); i < d->count && d->pages[i].number <= last; i++)
            d->pages[i].is_loaded = true;
    }
}

static size_t seen_bytes(const vt_dram_shadow *d) {
    return VT_STAGES * ((size_t)VTA_PAGE_BYTES >> d->log_granule) * sizeof(uint32_t);
}

static uint32_t log_granule(const vta_config *config) {
    uint32_t least = VTA_UOP_BYTES, log = 0;
    for (int m = 0; m < VTA_MEM_COUNT; m++)
        if (config->elem_bytes[m] < least) least = config->elem_bytes[m];
    while (2u << log <= least) log++;
    return log;
}

vta_status vt__dram_shadow_init(vt_checker *c, uint32_t insn_addr, vta_diag *diag) {
    vt_dram_shadow *d = &c->dram;
    const vt_stream *s = c->stream;
    d->log_granule = log_granule(c->config);
    d->insn_addr = insn_addr;
    d->insn_end = insn_addr + (uint64_t)s->count * VTA_INSN_BYTES;
    for (uint32_t i = 0; i < s->count; i++) {
        rows r = rows_of(c->config, &s->insns[i]);
        if (s->insns[i].opcode == VTA_OP_STORE && !add_stored(c, &r)) return vt_no_memory(diag);
    }
    keep_each_once(d);
    for (uint32_t i = 0; i < s->count && d->count; i++) {
        rows r = rows_of(c->config, &s->insns[i]);
        if (s->insns[i].opcode == VTA_OP_LOAD) mark_loaded(d, &r);
    }
    for (size_t i = 0; i < d->count; i++) {
        if (!d->pages[i].is_loaded) continue;
        d->pages[i].seen = vt_alloc_zero(c->allocator, seen_bytes(d));
        if (!d->pages[i].seen) return vt_no_memory(diag);
    }
    return VTA_OK;
}

void vt__dram_shadow_clear(vt_checker *c) {
    vt_dram_shadow *d = &c->dram;
    for (size_t i = 0; i < d->count; i++) vt_free(c->allocator, d->pages[i].seen, seen_bytes(d));
    vt_free(c->allocator, d->pages, d->cap * sizeof *d->pages);
    *d = (vt_dram_shadow){0};
}

/* ---- Accesses ---------------------------------------------------------------------------------------------- */

/* Bytes [from, from + bytes) of one page; a race with what `stage` did there last, unless the clock counts it. */
static void find_races(vt_checker *c, uint32_t index, const vt_dram_page *page, uint64_t from, uint64_t bytes,
                       uint32_t stage) {
    const vt_dram_shadow *d = &c->dram;
    const vta_insn *insn = &c->stream->insns[index];
    uint32_t granules = VTA_PAGE_BYTES >> d->log_granule, ordered = c->stream->clocks[index].before[stage];
    const uint32_t *seen = page->seen + stage * granules;
    uint32_t first = (uint32_t)(from % VTA_PAGE_BYTES >> d->log_granule);
    for (uint32_t g = first; g < first + (bytes >> d->log_granule); g++) {
        if (seen[g] <= ordered) continue;
        uint64_t addr = (uint64_t)page->number * VTA_PAGE_BYTES + ((uint64_t)g << d->log_granule);
        vt__add_race(c, VT_FINDING_DRAM_RACE, c->stream->queue[stage][seen[g] - 1], index, insn->opcode == VTA_OP_STORE,
                     (vta_memory)insn->u.mem.memory_type, addr, addr + (1u << d->log_granule) - 1);
    }
}

static void touch_page(vt_checker *c, uint32_t index, const vt_dram_page *page, uint64_t from, uint64_t bytes) {
    const vt_dram_shadow *d = &c->dram;
    uint32_t stage = c->stream->stage[index], granules = VTA_PAGE_BYTES >> d->log_granule;
    if (stage != STORE_STAGE) find_races(c, index, page, from, bytes, STORE_STAGE);
    for (uint32_t other = 0; other < STORE_STAGE && stage == STORE_STAGE; other++)
        find_races(c, index, page, from, bytes, other);
    uint32_t *seen = page->seen + stage * granules + (from % VTA_PAGE_BYTES >> d->log_granule);
    for (uint64_t g = 0; g < bytes >> d->log_granule; g++) seen[g] = c->stream->position[index] + 1;
}

static void touch_row(vt_checker *c, uint32_t index, uint64_t addr, uint64_t bytes) {
    const vt_dram_shadow *d = &c->dram;
    uint64_t end = addr + bytes;
    for (size_t i = find(d, page_of(addr)); i < d->count && d->pages[i].number <= page_of(end - 1); i++) {
        if (!d->pages[i].seen) continue;
        uint64_t begin = (uint64_t)d->pages[i].number * VTA_PAGE_BYTES;
        uint64_t from = addr > begin ? addr : begin;
        uint64_t to = end < begin + VTA_PAGE_BYTES ? end : begin + VTA_PAGE_BYTES;
        touch_page(c, index, &d->pages[i], from, to - from);
    }
}

/* Fetch reads instructions in order, as early as it likes: those up to the last one that comes before the store in
 * every order are read when it runs. */
static uint32_t fetched_before(const vt_stream *s, uint32_t index) {
    uint32_t last = index;
    for (uint32_t stage = 0; stage < VT_STAGES; stage++) {
        uint32_t before = s->clocks[index].before[stage];
        if (before && s->queue[stage][before - 1] > last) last = s->queue[stage][before - 1];
    }
    return last + 1;
}

static void check_fetch(vt_checker *c, uint32_t index, uint64_t addr, uint64_t bytes) {
    const vt_dram_shadow *d = &c->dram;
    uint64_t open = d->insn_addr + (uint64_t)fetched_before(c->stream, index) * VTA_INSN_BYTES;
    uint64_t from = addr > open ? addr : open, to = addr + bytes < d->insn_end ? addr + bytes : d->insn_end;
    if (from >= to) return;
    uint32_t hit = (uint32_t)((from - d->insn_addr) / VTA_INSN_BYTES);
    vt__add_race(c, VT_FINDING_FETCH_RACE, index, hit, false, VTA_MEM_OUT, from, to - 1);
}

void vt__check_dram_race(vt_checker *c, uint32_t index) {
    const vta_insn *insn = &c->stream->insns[index];
    rows r = rows_of(c->config, insn);
    bool stores = insn->opcode == VTA_OP_STORE;
    if (!c->dram.count) return;
    for (uint32_t y = 0; y < r.count; y++) {
        uint64_t addr = r.addr + y * r.stride;
        touch_row(c, index, addr, r.bytes);
        if (stores && addr < c->dram.insn_end) check_fetch(c, index, addr, r.bytes);
    }
}
