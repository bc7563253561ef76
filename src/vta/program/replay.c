/* Programs on devices. */
#include <string.h>

#include "base/versioned.h"
#include "device/device.h"

#include "program/program_priv.h"

enum { CHUNK = 1 << 16 };

/* DRAM that this replay allocated on the device. */
typedef struct mapping {
    uint32_t addr;
    uint64_t size; /* whole pages */
} mapping;

struct vta_replay {
    const vta_program *program;
    vta_device *device;
    mapping *mappings;
    size_t count, cap;
    uint8_t chunk[CHUNK];
};

/* Two configurations of one shape; which target they were written for does not matter. */
static bool same_shape(const vta_config *a, const vta_config *b) {
    return !memcmp(a->field, b->field, sizeof a->field);
}

vta_status vta_replay_create(const vta_program *program, vta_device *device, vta_diag *diag, vta_replay **out_replay) {
    if (!out_replay) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_replay_create: out_replay is NULL");
    *out_replay = NULL;
    if (!program || !device) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_replay_create: an argument is NULL");
    const vta_config *of_device = vta_device_config(device);
    if (!same_shape(program->config, of_device))
        return vt_fail(diag, VTA_MISMATCH, "the program is for %s, the device is a %s", program->config->bitstream,
                       of_device->bitstream);
    vta_replay *r = vt_alloc(program->allocator, sizeof *r);
    if (!r) return vt_no_memory(diag);
    r->program = program;
    r->device = device;
    r->mappings = NULL;
    r->count = r->cap = 0;
    *out_replay = r;
    return VTA_OK;
}

static void unmap(vta_replay *r, size_t index) {
    vta_device_free(r->device, r->mappings[index].addr, NULL);
    r->mappings[index] = r->mappings[--r->count];
}

void vta_replay_destroy(vta_replay *r) {
    if (!r) return;
    while (r->count) unmap(r, r->count - 1);
    vt_free(r->program->allocator, r->mappings, r->cap * sizeof *r->mappings);
    vt_free(r->program->allocator, r, sizeof *r);
}

/* ---- Filling --------------------------------------------------------------------------------------------- */

static uint64_t page_end(uint32_t addr, uint64_t size) {
    return (addr + size + VTA_PAGE_BYTES - 1) / VTA_PAGE_BYTES * VTA_PAGE_BYTES;
}

/* Makes place for a range of which the last `zeros` bytes are zero: unmaps what an earlier run had mapped across its
 * borders, and the range itself where fresh memory, zero until it is touched, is less work than writing the zeros. */
static void make_place(vta_replay *r, uint32_t addr, uint64_t size, uint64_t zeros) {
    uint64_t end = page_end(addr, size);
    for (size_t i = r->count; i-- > 0;) {
        uint64_t m_begin = r->mappings[i].addr, m_end = m_begin + r->mappings[i].size;
        bool touches = m_begin < end && addr < m_end, covers = m_begin <= addr && end <= m_end;
        bool same = m_begin == addr && m_end == end;
        if (touches && (!covers || (same && zeros > CHUNK))) unmap(r, i);
    }
}

/* Makes [addr, addr + size) mapped; *out_fresh: it was not, and is zero. */
static vta_status map(vta_replay *r, uint32_t addr, uint64_t size, vta_diag *diag, bool *out_fresh) {
    uint64_t end = page_end(addr, size);
    *out_fresh = false;
    for (size_t i = 0; i < r->count; i++) {
        const mapping *m = &r->mappings[i];
        if (m->addr <= addr && end <= m->addr + m->size) return VTA_OK;
    }
    if (!vt_reserve(r->program->allocator, &r->mappings, &r->cap, r->count + 1, sizeof *r->mappings))
        return vt_no_memory(diag);
    VT_TRY(vta_device_alloc_at(r->device, addr, (size_t)(end - addr), diag));
    r->mappings[r->count++] = (mapping){addr, end - addr};
    *out_fresh = true;
    return VTA_OK;
}

static vta_status write_zeros(vta_replay *r, uint32_t addr, uint64_t size, vta_diag *diag) {
    memset(r->chunk, 0, CHUNK);
    for (uint64_t done = 0; done < size;) {
        size_t n = size - done < CHUNK ? (size_t)(size - done) : CHUNK;
        VT_TRY(vta_device_write(r->device, (uint32_t)(addr + done), r->chunk, n, diag));
        done += n;
    }
    return VTA_OK;
}

static vta_status fill_segment(vta_replay *r, const vt__segment *s, bool fresh, vta_diag *diag) {
    const vt__blob *before = &r->program->blobs.items[s->before];
    if (before->size) VT_TRY(vta_device_write(r->device, s->addr, before->bytes, before->size, diag));
    return fresh ? VTA_OK : write_zeros(r, (uint32_t)(s->addr + before->size), s->size - before->size, diag);
}

static bool insns_inside(const vt__run *run) {
    for (size_t i = 0; i < run->segment_count; i++) {
        const vt__segment *s = &run->segments[i];
        if (s->addr <= run->insn_addr && run->insn_addr < (uint64_t)s->addr + s->size) return true;
    }
    return false;
}

static vta_status load_run(vta_replay *r, const vt__run *run, vta_diag *diag) {
    uint64_t insn_bytes = (uint64_t)run->insn_count * VTA_INSN_BYTES;
    bool inside = insns_inside(run), fresh;
    for (size_t i = 0; i < run->segment_count; i++) {
        const vt__segment *s = &run->segments[i];
        make_place(r, s->addr, s->size, s->size - r->program->blobs.items[s->before].size);
    }
    if (!inside) {
        make_place(r, run->insn_addr, insn_bytes, 0);
        VT_TRY(map(r, run->insn_addr, insn_bytes, diag, &fresh));
    }
    for (size_t i = 0; i < run->segment_count; i++) {
        VT_TRY(map(r, run->segments[i].addr, run->segments[i].size, diag, &fresh));
        VT_TRY(fill_segment(r, &run->segments[i], fresh, diag));
    }
    return vta_device_write(r->device, run->insn_addr, r->program->blobs.items[run->insns].bytes, (size_t)insn_bytes,
                            diag);
}

static vta_status find_run(const vta_replay *r, uint32_t run, vta_diag *diag, const vt__run **out_run) {
    if (run >= r->program->run_count)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "run %u: the program has %zu, counted from 0", run,
                       r->program->run_count);
    *out_run = &r->program->runs[run];
    return VTA_OK;
}

vta_status vta_replay_load(vta_replay *r, uint32_t run, vta_diag *diag) {
    if (!r) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_replay_load: replay is NULL");
    const vt__run *found = NULL;
    VT_TRY(find_run(r, run, diag, &found));
    vta_status status = load_run(r, found, diag);
    if (status != VTA_OK) vt_note_at(diag, VT_NO_POS, "while filling DRAM for run %u", run);
    return status;
}

/* ---- Comparing ------------------------------------------------------------------------------------------- */

typedef struct difference {
    uint64_t count; /* bytes that differ */
    uint64_t first; /* offset of the first */
    uint8_t expected, found;
} difference;

static uint8_t expected_at(const vt__blob *b, uint64_t offset) { return offset < b->size ? b->bytes[offset] : 0; }

/* Compares one chunk that begins at `offset` of a segment. */
static void compare_chunk(const vt__blob *expected, const uint8_t *chunk, uint64_t offset, size_t size, difference *d) {
    bool whole = offset + size <= expected->size;
    if (whole && !memcmp(chunk, expected->bytes + offset, size)) return;
    for (size_t i = 0; i < size; i++) {
        uint8_t want = expected_at(expected, offset + i);
        if (chunk[i] == want) continue;
        if (!d->count++) *d = (difference){1, offset + i, want, chunk[i]};
    }
}

static vta_status compare_segment(vta_replay *r, uint32_t run, const vt__segment *s, vta_diag *diag) {
    const vt__blob *expected = &r->program->blobs.items[s->after == VT__NO_BLOB ? s->before : s->after];
    difference d = {0};
    for (uint64_t offset = 0; offset < s->size;) {
        size_t n = s->size - offset < CHUNK ? (size_t)(s->size - offset) : CHUNK;
        VT_TRY(vta_device_read(r->device, (uint32_t)(s->addr + offset), r->chunk, n, diag));
        compare_chunk(expected, r->chunk, offset, n, &d);
        offset += n;
    }
    if (!d.count) return VTA_OK;
    return vt_fail(diag, VTA_MISMATCH,
                   "run %u: DRAM at 0x%08x, byte %llu of the segment at 0x%08x: expected 0x%02x, found 0x%02x; %llu of "
                   "its %u bytes differ",
                   run, (uint32_t)(s->addr + d.first), (unsigned long long)d.first, s->addr, d.expected, d.found,
                   (unsigned long long)d.count, s->size);
}

vta_status vta_replay_check(vta_replay *r, uint32_t run, vta_diag *diag) {
    if (!r) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_replay_check: replay is NULL");
    const vt__run *found = NULL;
    VT_TRY(find_run(r, run, diag, &found));
    for (size_t i = 0; i < found->segment_count; i++) VT_TRY(compare_segment(r, run, &found->segments[i], diag));
    return VTA_OK;
}

static vta_status compare_counters(const vta_program *p, const vta_counters *begin, const vta_counters *end,
                                   vta_diag *diag) {
    unsigned bit = 0;
#define VTA_COUNTER(name, meaning)                                                                                     \
    if (p->stats_mask >> bit++ & 1 && end->name - begin->name != p->stats.name)                                        \
        return vt_fail(diag, VTA_MISMATCH, "%s: recorded %llu, counted %llu", #name,                                   \
                       (unsigned long long)p->stats.name, (unsigned long long)(end->name - begin->name));
#include "vta/counters.def"
#undef VTA_COUNTER
    return VTA_OK;
}

/* ---- Running --------------------------------------------------------------------------------------------- */

static vta_status run_one(vta_replay *r, uint32_t index, const vta_program_options *options, vta_diag *diag) {
    const vt__run *run = &r->program->runs[index];
    VT_TRY(vta_replay_load(r, index, diag));
    /* A runtime cuts a stream that outgrows a transfer: a run of a program may go on with what the one before left. */
    const vt_run job = {run->insn_addr, run->insn_count, options->wait_cycles, options->wait_cycles,
                        .continues = index > 0};
    vta_status status = vt_device_run(r->device, &job, diag);
    if (status != VTA_OK)
        vt_note_at(diag, VT_NO_POS, "in run %u of %zu (counted from 0)", index, r->program->run_count);
    return status == VTA_OK && options->expect ? vta_replay_check(r, index, diag) : status;
}

static vta_status run_all(vta_replay *r, const vta_program_options *options, vta_diag *diag) {
    uint32_t count = (uint32_t)r->program->run_count;
    vta_counters begin = vta_device_counters(r->device);
    for (uint32_t i = 0; i < count; i++) {
        if (options->progress && options->progress(options->ctx, i, count))
            return vt_fail(diag, VTA_INTERRUPTED, "stopped before run %u of %u", i, count);
        VT_TRY(run_one(r, i, options, diag));
    }
    vta_counters end = vta_device_counters(r->device);
    return options->expect ? compare_counters(r->program, &begin, &end, diag) : VTA_OK;
}

vta_status vta_program_run(const vta_program *program, vta_device *device, const vta_program_options *options,
                           vta_diag *diag) {
    vta_program_options own;
    vta_replay *replay;
    VT_TRY(vt_options_read(&own, sizeof own, options, "vta_program_options", diag));
    VT_TRY(vta_replay_create(program, device, diag, &replay));
    vta_status status = run_all(replay, &own, diag);
    vta_replay_destroy(replay);
    return status;
}
