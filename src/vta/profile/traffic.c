/* Traffic: which memory moved how many bytes from which segment of DRAM, and how many of them are different bytes. */
#include <stdio.h>
#include <stdlib.h>

#include "profile/profile_priv.h"

const char *vt_traffic_role(vta_memory memory) {
    switch (memory) {
    case VTA_MEM_UOP: return "micro-ops";
    case VTA_MEM_WGT: return "weights";
    case VTA_MEM_INP: return "inputs";
    case VTA_MEM_OUT: return "outputs";
    case VTA_MEM_TABLE: return "tables";
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_COUNT: break;
    }
    return "accumulators";
}

void vt_traffic_name(const vt_traffic *row, char text[96]) {
    if (row->segment && row->segment->name)
        snprintf(text, 96, "%s (%.60s)", vt_traffic_role(row->memory), row->segment->name);
    else
        snprintf(text, 96, "%s at 0x%08llx", vt_traffic_role(row->memory),
                 (unsigned long long)(row->segment ? row->segment->addr : row->first));
}

typedef struct interval {
    uint64_t begin, end;
    uint32_t row;
} interval;

typedef struct collector {
    const vta_profile *profile;
    vt_traffic *rows;
    size_t row_count, row_cap;
    interval *items;
    size_t count, cap;
} collector;

static const vt_segment *segment_of(const vta_profile *p, uint64_t addr) {
    size_t low = 0, high = p->segment_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->segments[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return NULL;
    const vt_segment *s = &p->segments[low - 1];
    return addr < s->addr + s->size ? s : NULL;
}

static bool row_of(collector *c, const vt_segment *segment, vta_memory memory, uint32_t *out_row) {
    for (size_t i = 0; i < c->row_count; i++)
        if (c->rows[i].segment == segment && c->rows[i].memory == memory) {
            *out_row = (uint32_t)i;
            return true;
        }
    if (!vt_reserve(&c->profile->allocator, &c->rows, &c->row_cap, c->row_count + 1, sizeof *c->rows)) return false;
    c->rows[c->row_count] = (vt_traffic){.segment = segment, .memory = memory, .first = UINT64_MAX};
    *out_row = (uint32_t)c->row_count++;
    return true;
}

static bool add_interval(collector *c, uint32_t row, uint64_t begin, uint64_t end) {
    vt_traffic *t = &c->rows[row];
    t->bytes += end - begin;
    if (begin < t->first) t->first = begin;
    if (end > t->last) t->last = end;
    if (c->count && c->items[c->count - 1].row == row && c->items[c->count - 1].begin <= begin &&
        c->items[c->count - 1].end >= end)
        return true;
    if (!vt_reserve(&c->profile->allocator, &c->items, &c->cap, c->count + 1, sizeof *c->items)) return false;
    c->items[c->count++] = (interval){begin, end, row};
    return true;
}

static bool add_insn(collector *c, const vta_insn *insn) {
    uint64_t tile = vta_config_elem_bytes(c->profile->config, (vta_memory)insn->u.mem.memory_type);
    uint64_t base = insn->u.mem.dram_base * tile, width = insn->u.mem.x_size * tile;
    uint64_t stride = insn->u.mem.x_stride * tile, rows = insn->u.mem.y_size;
    if (stride == width) { /* rows follow one another */
        width *= rows;
        rows = 1;
    }
    if (width == 0 || rows == 0) return true;
    uint32_t row;
    if (!row_of(c, segment_of(c->profile, base), (vta_memory)insn->u.mem.memory_type, &row)) return false;
    c->rows[row].instructions++;
    for (uint64_t y = 0; y < rows; y++)
        if (!add_interval(c, row, base + y * stride, base + y * stride + width)) return false;
    return true;
}

static int by_row_and_begin(const void *a, const void *b) {
    const interval *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int max_bytes(const void *a, const void *b) {
    const vt_traffic *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void count_distinct(collector *c) {
    if (c->count == 0) return;
    qsort(c->items, c->count, sizeof *c->items, by_row_and_begin);
    uint64_t reach = 0;
    for (size_t i = 0; i < c->count; i++) {
        const interval *it = &c->items[i];
        if (i == 0 || it->row != it[-1].row) reach = 0;
        uint64_t begin = it->begin > reach ? it->begin : reach;
        if (it->end <= begin) continue;
        c->rows[it->row].distinct += it->end - begin;
        reach = it->end;
    }
}

vta_status vt_profile_traffic(const vta_profile *profile, vta_diag *diag, vt_traffic **out_rows, size_t *out_count) {
    *out_rows = NULL;
    *out_count = 0;
    collector c = {.profile = profile};
    bool ok = true;
    for (size_t r = 0; r < profile->run_count && ok; r++)
        for (uint32_t i = 0; i < profile->runs[r].count && ok; i++) {
            const vta_insn *insn = &profile->runs[r].insns[i];
            if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) ok = add_insn(&c, insn);
        }
    if (ok) count_distinct(&c);
    vt_free(&profile->allocator, c.items, c.cap * sizeof *c.items);
    /* The caller frees exactly out_count rows. */
    vt_traffic *fit = ok && c.row_count ? vt_resize(&profile->allocator, c.rows, c.row_cap * sizeof *c.rows,
                                                    c.row_count * sizeof *c.rows)
                                        : NULL;
    if (fit == NULL) {
        vt_free(&profile->allocator, c.rows, c.row_cap * sizeof *c.rows);
        return ok && c.row_count == 0 ? VTA_OK : vt_no_memory(diag);
    }
    qsort(fit, c.row_count, sizeof *fit, max_bytes);
    *out_rows = fit;
    *out_count = c.row_count;
    return VTA_OK;
}
