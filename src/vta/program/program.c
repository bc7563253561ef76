/* The program in memory: recording and reading. */
#include "program/program_priv.h"

#include <string.h>

enum { MAX_RUNS = 1 << 16, MAX_INSNS = VTA_MAX_TRANSFER / VTA_INSN_BYTES };

vta_status vta_program_create(const vta_config *config, const vta_allocator *allocator, vta_diag *diag,
                              vta_program **out_program) {
    if (!out_program) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_create: out_program is NULL");
    *out_program = NULL;
    if (!config) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_create: config is NULL");
    vta_program *p = vt_alloc_zero(allocator, sizeof *p);
    if (!p) return vt_no_memory(diag);
    p->allocator = p->blobs.allocator = allocator;
    p->config = vta_config_retain(config);
    *out_program = p;
    return VTA_OK;
}

static void clear_run(const vta_allocator *a, vt__run *run) {
    vt_free(a, run->segments, run->segment_cap * sizeof *run->segments);
    vt_free(a, run->notes, run->note_cap * sizeof *run->notes);
    *run = (vt__run){0};
}

void vta_program_destroy(vta_program *p) {
    if (!p) return;
    for (size_t i = 0; i < p->run_count; i++) clear_run(p->allocator, &p->runs[i]);
    clear_run(p->allocator, &p->open);
    vt_free(p->allocator, p->runs, p->run_cap * sizeof *p->runs);
    vt__blobs_clear(&p->blobs);
    vt_free(p->allocator, p->note_text, p->note_text_cap);
    vta_config_release(p->config);
    vt_free(p->allocator, p, sizeof *p);
}

/* ---- Recording ------------------------------------------------------------------------------------------- */

static vta_status check_insn_count(uint32_t count, vta_diag *diag) {
    if (count >= 1 && count <= MAX_INSNS) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE, "%u instructions: a run has 1 to %d", count, MAX_INSNS);
}

vta_status vt__program_open_run(vta_program *p, uint32_t insn_addr, uint32_t insns, uint32_t insn_count,
                                vta_diag *diag) {
    if (p->is_open) return vt_fail(diag, VTA_INVALID_ARGUMENT, "a run is being recorded already; end or drop it first");
    if (p->run_count >= MAX_RUNS) return vt_fail(diag, VTA_OUT_OF_RANGE, "more than %d runs in one program", MAX_RUNS);
    VT_TRY(check_insn_count(insn_count, diag));
    if (insn_addr < VTA_PAGE_BYTES)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "instructions at 0x%08x: page 0 is never mapped", insn_addr);
    p->open = (vt__run){.insn_addr = insn_addr, .insn_count = insn_count, .insns = insns};
    p->is_open = true;
    return VTA_OK;
}

vta_status vta_program_begin_run(vta_program *p, uint32_t insn_addr, const uint8_t *insns, uint32_t insn_count,
                                 vta_diag *diag) {
    if (!p || !insns) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_begin_run: an argument is NULL");
    VT_TRY(check_insn_count(insn_count, diag));
    if (!p->is_open) p->blobs_before = p->blobs.count;
    VT_TRY(vt__program_open_run(p, insn_addr, VT__NO_BLOB, insn_count, diag));
    p->open.insns = vt__blobs_put(&p->blobs, insns, (size_t)insn_count * VTA_INSN_BYTES);
    if (p->open.insns != VT__NO_BLOB) return VTA_OK;
    vta_program_drop_run(p);
    return vt_no_memory(diag);
}

size_t vt__run_place_of(const vt__run *run, uint32_t addr) {
    size_t low = 0, high = run->segment_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run->segments[middle].addr < addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t end_of(const vt__segment *s) { return (uint64_t)s->addr + s->size; }

static vta_status check_segment(const vt__run *run, const vt__segment *s, size_t at, vta_diag *diag) {
    if (s->addr == 0 || s->addr % VTA_PAGE_BYTES || s->size == 0 || end_of(s) > (uint64_t)UINT32_MAX + 1)
        return vt_fail(diag, VTA_OUT_OF_RANGE,
                       "segment at 0x%08x, %u bytes: must begin at a page (a multiple of %d, not 0) and end in the "
                       "32-bit address space",
                       s->addr, s->size, VTA_PAGE_BYTES);
    const vt__segment *before = at ? &run->segments[at - 1] : NULL;
    const vt__segment *behind = at < run->segment_count ? &run->segments[at] : NULL;
    const vt__segment *other = before && end_of(before) > s->addr ? before : NULL;
    if (behind && end_of(s) > behind->addr) other = behind;
    if (other)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "segment at 0x%08x, %u bytes: overlaps the one at 0x%08x, %u bytes",
                       s->addr, s->size, other->addr, other->size);
    if (run->dram + s->size > VTA_PROGRAM_MAX_DRAM)
        return vt_fail(diag, VTA_OUT_OF_RANGE,
                       "segment at 0x%08x, %u bytes: the segments of a run together are at "
                       "most %zu bytes",
                       s->addr, s->size, VTA_PROGRAM_MAX_DRAM);
    return VTA_OK;
}

vta_status vt__program_put_segment(vta_program *p, vt__segment s, vta_diag *diag) {
    vt__run *run = &p->open;
    if (!p->is_open) return vt_fail(diag, VTA_INVALID_ARGUMENT, "no run is being recorded; begin one first");
    size_t at = vt__run_place_of(run, s.addr);
    VT_TRY(check_segment(run, &s, at, diag));
    if (!vt_reserve(p->allocator, &run->segments, &run->segment_cap, run->segment_count + 1, sizeof s))
        return vt_no_memory(diag);
    memmove(run->segments + at + 1, run->segments + at, (run->segment_count - at) * sizeof s);
    run->segments[at] = s;
    run->segment_count++;
    run->dram += s.size;
    return VTA_OK;
}

static vta_status put_contents(vta_program *p, const void *bytes, size_t size, vta_diag *diag, uint32_t *out_blob) {
    *out_blob = vt__blobs_put(&p->blobs, bytes, vt__size_without_zeros(bytes, size));
    return *out_blob == VT__NO_BLOB ? vt_no_memory(diag) : VTA_OK;
}

vta_status vta_program_add_segment(vta_program *p, uint32_t addr, const void *before, size_t size, vta_diag *diag) {
    if (!p || !before) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_add_segment: an argument is NULL");
    if (size > UINT32_MAX) return vt_fail(diag, VTA_OUT_OF_RANGE, "segment at 0x%08x: %zu bytes", addr, size);
    vt__segment s = {addr, (uint32_t)size, VT__NO_BLOB, VT__NO_BLOB};
    VT_TRY(put_contents(p, before, size, diag, &s.before));
    return vt__program_put_segment(p, s, diag);
}

vta_status vta_program_add_after(vta_program *p, uint32_t addr, const void *after, size_t size, vta_diag *diag) {
    if (!p || !after) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_add_after: an argument is NULL");
    size_t at = vt__run_place_of(&p->open, addr);
    vt__segment *s = at < p->open.segment_count ? &p->open.segments[at] : NULL;
    if (!s || s->addr != addr || s->size != size)
        return vt_fail(diag, VTA_NOT_FOUND, "contents after the run at 0x%08x, %zu bytes: no such segment in this run",
                       addr, size);
    uint32_t blob;
    VT_TRY(put_contents(p, after, size, diag, &blob));
    s->after = blob == s->before ? VT__NO_BLOB : blob;
    return VTA_OK;
}

/* The instructions lie in one segment, or touch none and begin at a page: a replay can map them. */
static vta_status check_insn_place(const vt__run *run, vta_diag *diag) {
    uint64_t begin = run->insn_addr, end = begin + (uint64_t)run->insn_count * VTA_INSN_BYTES;
    size_t at = vt__run_place_of(run, run->insn_addr);
    const vt__segment *before = at ? &run->segments[at - 1] : NULL;
    const vt__segment *behind = at < run->segment_count ? &run->segments[at] : NULL;
    if (end > (uint64_t)UINT32_MAX + 1)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "instructions at 0x%08x, %u of them: leave the 32-bit address space",
                       run->insn_addr, run->insn_count);
    bool inside = (before && end <= end_of(before)) || (behind && behind->addr == begin && end <= end_of(behind));
    bool apart =
        begin % VTA_PAGE_BYTES == 0 && (!before || end_of(before) <= begin) && (!behind || end <= behind->addr);
    if (inside || apart) return VTA_OK;
    return vt_fail(diag, VTA_OUT_OF_RANGE,
                   "instructions at 0x%08x, %u of them: must lie inside one segment, or begin at a page and touch none",
                   run->insn_addr, run->insn_count);
}

vta_status vta_program_end_run(vta_program *p, vta_diag *diag) {
    if (!p || !p->is_open) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_end_run: no run is being recorded");
    VT_TRY(check_insn_place(&p->open, diag));
    if (!vt_reserve(p->allocator, &p->runs, &p->run_cap, p->run_count + 1, sizeof *p->runs)) return vt_no_memory(diag);
    p->runs[p->run_count++] = p->open;
    p->open = (vt__run){0};
    p->is_open = false;
    return VTA_OK;
}

void vta_program_drop_run(vta_program *p) {
    if (!p || !p->is_open) return;
    clear_run(p->allocator, &p->open);
    vt__blobs_shrink(&p->blobs, p->blobs_before);
    p->is_open = false;
}

vta_status vta_program_set_insns(vta_program *p, uint32_t run, const uint8_t *insns, uint32_t insn_count,
                                 vta_diag *diag) {
    if (!p || !insns) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_set_insns: an argument is NULL");
    if (run >= p->run_count)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "run %u: the program has %zu, counted from 0", run, p->run_count);
    if (p->is_open) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_set_insns: a run is being recorded");
    VT_TRY(check_insn_count(insn_count, diag));
    vt__run changed = p->runs[run];
    changed.insn_count = insn_count;
    VT_TRY(check_insn_place(&changed, diag));
    changed.insns = vt__blobs_put(&p->blobs, insns, (size_t)insn_count * VTA_INSN_BYTES);
    if (changed.insns == VT__NO_BLOB) return vt_no_memory(diag);
    changed.note_count = 0; /* they were about the old stream */
    p->runs[run] = changed;
    return VTA_OK;
}

void vta_program_set_stats(vta_program *p, const vta_counters *counters, uint32_t mask) {
    if (!p || !counters) return;
    p->stats = *counters;
    p->stats_mask = mask;
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

const vta_config *vta_program_config(const vta_program *p) { return p ? p->config : NULL; }

uint32_t vta_program_run_count(const vta_program *p) { return p ? (uint32_t)p->run_count : 0; }

vta_status vta_program_get_run(const vta_program *p, uint32_t run, vta_program_run_info *out_run) {
    if (!p || !out_run) return VTA_INVALID_ARGUMENT;
    *out_run = (vta_program_run_info){0};
    if (run >= p->run_count) return VTA_OUT_OF_RANGE;
    const vt__run *r = &p->runs[run];
    *out_run =
        (vta_program_run_info){r->insn_addr, r->insn_count, (uint32_t)r->segment_count, p->blobs.items[r->insns].bytes};
    return VTA_OK;
}

vta_status vta_program_get_segment(const vta_program *p, uint32_t run, uint32_t index,
                                   vta_program_segment *out_segment) {
    if (!p || !out_segment) return VTA_INVALID_ARGUMENT;
    *out_segment = (vta_program_segment){0};
    if (run >= p->run_count || index >= p->runs[run].segment_count) return VTA_OUT_OF_RANGE;
    const vt__segment *s = &p->runs[run].segments[index];
    const vt__blob *before = &p->blobs.items[s->before];
    *out_segment = (vta_program_segment){s->addr, s->size, 0, before->bytes, before->size, NULL, 0};
    if (s->after == VT__NO_BLOB) return VTA_OK;
    const vt__blob *after = &p->blobs.items[s->after];
    out_segment->has_after = 1;
    out_segment->after = after->bytes;
    out_segment->after_size = after->size;
    return VTA_OK;
}

uint32_t vta_program_get_stats(const vta_program *p, vta_counters *out_counters) {
    if (out_counters) *out_counters = p ? p->stats : (vta_counters){0};
    return p ? p->stats_mask : 0;
}
