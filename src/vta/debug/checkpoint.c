/* For steps backwards: copies of the on-chip buffers every so many instructions, and a log of what stores overwrote in
 * DRAM. When there are many copies, every other one is dropped and the spacing doubles. */
#include <string.h>

#include "config/config_priv.h"
#include "debug/debugger.h"
#include "isa/codec.h"

enum { MAX_CHECKPOINTS = 64 };

static size_t buffer_bytes(const vta_debugger *d, int i) {
    static const vta_memory memory[] = {VTA_MEM_UOP, VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC};
    return d->machine.config->buffer_bytes[memory[i]];
}

static void *buffer(const vta_debugger *d, int i) {
    void *const at[] = {d->machine.uop_words, d->machine.inp, d->machine.wgt, d->machine.acc};
    return at[i];
}

static size_t all_bytes(const vta_debugger *d) {
    size_t sum = 0;
    for (int i = 0; i < 4; i++) sum += buffer_bytes(d, i);
    return sum;
}

static void thin_out(vta_debugger *d) {
    size_t kept = 0;
    for (size_t i = 0; i < d->checkpoint_count; i++) {
        if (i % 2)
            vt_free(&d->allocator, d->checkpoints[i].bytes, all_bytes(d));
        else
            d->checkpoints[kept++] = d->checkpoints[i];
    }
    d->checkpoint_count = kept;
    d->spacing *= 2;
}

vta_status vt__checkpoint_add(vta_debugger *d, vta_diag *diag) {
    if (d->checkpoint_count && d->position < d->checkpoints[d->checkpoint_count - 1].position + d->spacing)
        return VTA_OK;
    if (d->checkpoint_count >= MAX_CHECKPOINTS) thin_out(d);
    if (!vt_reserve(&d->allocator, &d->checkpoints, &d->checkpoint_cap, d->checkpoint_count + 1,
                    sizeof *d->checkpoints))
        return vt_no_memory(diag);
    uint8_t *bytes = vt_alloc(&d->allocator, all_bytes(d)), *at = bytes;
    if (bytes == NULL) return vt_no_memory(diag);
    for (int i = 0; i < 4; at += buffer_bytes(d, i), i++) memcpy(at, buffer(d, i), buffer_bytes(d, i));
    d->checkpoints[d->checkpoint_count++] = (vt_checkpoint){d->position, d->log_size, bytes};
    return VTA_OK;
}

static void undo_stores(vta_debugger *d, size_t log_size) {
    while (d->log_size > log_size) {
        vt_log_entry entry;
        memcpy(&entry, d->log + d->log_size - sizeof entry, sizeof entry);
        d->log_size -= sizeof entry + (size_t)entry.bytes;
        vt_dram_write(d->dram, entry.addr, d->log + d->log_size, entry.bytes);
    }
}

/* The fast engine keeps inp and wgt in a layout of its own, and the machine micro-ops decoded. */
static void tell_engine(vta_debugger *d) {
    vt_machine *m = &d->machine;
    vt_machine_uops_loaded(m, 0, m->config->depth[VTA_MEM_UOP]);
    if (m->engine->loaded == NULL) return;
    m->engine->loaded(m, VTA_MEM_INP, 0, m->config->depth[VTA_MEM_INP]);
    m->engine->loaded(m, VTA_MEM_WGT, 0, m->config->depth[VTA_MEM_WGT]);
}

static void restore(vta_debugger *d, size_t i) {
    const vt_checkpoint *c = &d->checkpoints[i];
    undo_stores(d, c->log_size);
    const uint8_t *at = c->bytes;
    for (int b = 0; b < 4; at += buffer_bytes(d, b), b++) memcpy(buffer(d, b), at, buffer_bytes(d, b));
    tell_engine(d);
    d->position = c->position;
    /* Later checkpoints stay true, but their places in the log do not: they are made again when passed. */
    while (d->checkpoint_count > i + 1)
        vt_free(&d->allocator, d->checkpoints[--d->checkpoint_count].bytes, all_bytes(d));
}

void vt__checkpoint_back(vta_debugger *d, uint32_t position) {
    if (position >= d->position) return;
    size_t i = d->checkpoint_count - 1;
    while (d->checkpoints[i].position > position) i--;
    restore(d, i);
}

void vt__checkpoint_last(vta_debugger *d) { restore(d, d->checkpoint_count - 1); }

vta_status vt__log_store(vta_debugger *d, const vta_insn *insn, vta_diag *diag) {
    if (insn->opcode != VTA_OP_STORE) return VTA_OK;
    uint64_t tile = vt_insn_elem_bytes(d->machine.config, insn);
    uint64_t bytes = insn->u.mem.x_size * tile, hole;
    for (uint32_t y = 0; bytes && y < insn->u.mem.y_size; y++) {
        vt_log_entry entry = {(insn->u.mem.dram_base + (uint64_t)y * insn->u.mem.x_stride) * tile, bytes};
        if (!vt_dram_mapped(d->dram, entry.addr, bytes, &hole)) return VTA_OK; /* the store will be refused */
        size_t want = d->log_size + (size_t)bytes + sizeof entry;
        if (!vt_reserve(&d->allocator, &d->log, &d->log_cap, want, 1)) return vt_no_memory(diag);
        vt_dram_read(d->dram, entry.addr, d->log + d->log_size, bytes);
        memcpy(d->log + d->log_size + bytes, &entry, sizeof entry);
        d->log_size = want;
    }
    return VTA_OK;
}

void vt__checkpoint_clear(vta_debugger *d) {
    while (d->checkpoint_count) vt_free(&d->allocator, d->checkpoints[--d->checkpoint_count].bytes, all_bytes(d));
    vt_free(&d->allocator, d->checkpoints, d->checkpoint_cap * sizeof *d->checkpoints);
    vt_free(&d->allocator, d->log, d->log_cap);
}
