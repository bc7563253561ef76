/* Where everything lies: constants, micro-ops, instructions, and what steps write. */
#include <string.h>

#include "network/planner/planner_priv.h"

enum { PAGE = 4096 };

static uint64_t aligned(uint64_t n, uint64_t by) { return (n + by - 1) / by * by; }

/* ---- Constants ------------------------------------------------------------------------------------------------- */

/* Elements of every memory begin at multiples of their size; long buffers at pages, where bursts break anyway. */
static uint64_t device_alignment(const vt_planner *p, uint64_t bytes) {
    uint64_t least = VT_PLAN_ALIGNMENT;
    for (int m = 0; m < VTA_MEM_COUNT; m++) {
        uint64_t element = vta_config_elem_bytes(p->config, (vta_memory)m);
        if (element > least) least = element;
    }
    return bytes >= PAGE && least < PAGE ? PAGE : least;
}

/* Constants of one place, one behind another; gives the bytes that they take. */
static uint64_t place_constants(vt__maker *m, vt_place place) {
    uint64_t at = 0;
    for (uint32_t i = 0; i < m->p->buffer_count; i++) {
        const vt__buffer *b = &m->p->buffers[i];
        if (!b->constant || b->plan.place != place) continue;
        at = aligned(at, place == VT_PLACE_DEVICE ? device_alignment(m->p, b->plan.bytes) : VT_PLAN_ALIGNMENT);
        m->buffers[i].offset = at;
        at += b->plan.bytes;
    }
    return at;
}

static vta_status fill_place(vt__maker *m, vt_place place, uint8_t **out_bytes, size_t *out_size) {
    uint64_t size = place_constants(m, place);
    *out_bytes = size < VT_ARTIFACT_MAX_BYTES ? vt_alloc_zero(m->p->allocator, (size_t)size) : NULL;
    if (!*out_bytes) return vt_no_memory(m->diag);
    *out_size = (size_t)size;
    for (uint32_t i = 0; i < m->p->buffer_count; i++) {
        vt__buffer *b = &m->p->buffers[i];
        if (!b->constant || b->plan.place != place) continue;
        memcpy(*out_bytes + m->buffers[i].offset, b->contents, (size_t)b->plan.bytes);
        vt__contents_free(m->p, b);
    }
    return VTA_OK;
}

/* A stream before this one with the same micro-ops: operators that differ in immediates alone. NULL: none. */
static const vt__stream *find_uops(const vt_planner *p, const vt__stream *s) {
    for (size_t i = 0; p->streams[i] != s; i++) {
        const vt__stream *other = p->streams[i];
        if (s->uop_count && other->uop_count == s->uop_count &&
            !memcmp(other->uops, s->uops, s->uop_count * sizeof *s->uops))
            return other;
    }
    return NULL;
}

/* The images of all streams, one behind another, equal ones once. */
static vta_status fill_uops(vt__maker *m) {
    size_t count = 0;
    for (size_t i = 0; i < m->p->stream_count; i++) {
        vt__stream *s = m->p->streams[i];
        const vt__stream *same = find_uops(m->p, s);
        s->uops_at = same ? same->uops_at : count;
        if (!same) count += s->uop_count;
    }
    m->uops_size = count * VTA_UOP_BYTES;
    m->uops = vt_alloc(m->p->allocator, m->uops_size);
    if (!m->uops) return vt_no_memory(m->diag);
    for (size_t i = 0; i < m->p->stream_count; i++) {
        const vt__stream *s = m->p->streams[i];
        uint8_t *at = m->uops + s->uops_at * VTA_UOP_BYTES;
        for (size_t k = 0; k < s->uop_count; k++, at += VTA_UOP_BYTES)
            for (int b = 0; b < VTA_UOP_BYTES; b++) at[b] = (uint8_t)(s->uops[k] >> 8 * b);
    }
    return VTA_OK;
}

vta_status vt__fill_constants(vt__maker *m) {
    VT_TRY(fill_place(m, VT_PLACE_DEVICE, &m->params, &m->params_size));
    VT_TRY(fill_place(m, VT_PLACE_DATA, &m->data, &m->data_size));
    return fill_uops(m);
}

/* ---- Places ---------------------------------------------------------------------------------------------------- */

/* Buffers of one place that steps write; what is never used takes nothing. */
static vta_status place_buffers(vt__maker *m, vt_place place, uint64_t base, uint64_t alignment, uint64_t *out_end,
                                uint64_t *out_sum) {
    vt_planner *p = m->p;
    size_t n = 0;
    vt__item *items = vt_alloc_zero(p->allocator, (p->buffer_count + (size_t)1) * sizeof *items);
    if (!items) return vt_no_memory(m->diag);
    *out_sum = 0;
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        const vt__buffer *b = &p->buffers[i];
        if (b->constant || b->plan.place != place) continue;
        bool used = b->first != UINT32_MAX || b->keep;
        items[n++] =
            (vt__item){used ? b->plan.bytes : 0, used && b->first != UINT32_MAX ? b->first : 0, b->last, b->keep, 0};
        *out_sum += b->plan.bytes;
    }
    bool ok = vt__place(p->allocator, items, n, base, alignment, out_end);
    n = 0;
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        const vt__buffer *b = &p->buffers[i];
        if (b->constant || b->plan.place != place) continue;
        m->buffers[i].offset = items[n].offset;
        m->buffers[i].bytes = items[n++].bytes;
    }
    vt_free(p->allocator, items, (p->buffer_count + (size_t)1) * sizeof *items);
    return ok ? VTA_OK : vt_no_memory(m->diag);
}

vta_status vt__settle(vt__maker *m, size_t insn_count) {
    vt_planner *p = m->p;
    uint64_t page = device_alignment(p, PAGE);
    m->plan.uops_at = aligned(m->params_size, page);
    m->plan.insns_at = aligned(m->plan.uops_at + m->uops_size, page);
    m->plan.work_at = aligned(m->plan.insns_at + insn_count * VTA_INSN_BYTES, page);
    VT_TRY(place_buffers(m, VT_PLACE_DEVICE, m->plan.work_at, page, &m->plan.device_bytes, &m->device_items));
    return place_buffers(m, VT_PLACE_HOST, 0, VT_PLAN_ALIGNMENT, &m->plan.host_bytes, &m->host_items);
}
