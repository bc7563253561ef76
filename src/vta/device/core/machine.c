#include "device/core/machine.h"

#include <string.h>

#include "config/config_priv.h"

static vta_status allocate(vt_machine *m, vta_diag *diag) {
    const vta_config *c = m->config;
    m->acc_lanes = c->batch * c->block_out;
    m->row_bytes = (size_t)c->depth[VTA_MEM_ACC] * c->elem_bytes[VTA_MEM_OUT];
    m->uop_words = vt_alloc_zero(m->allocator, c->buffer_bytes[VTA_MEM_UOP]);
    m->uops = vt_alloc_zero(m->allocator, (size_t)c->depth[VTA_MEM_UOP] * sizeof *m->uops);
    m->inp = vt_alloc_lines(m->allocator, c->buffer_bytes[VTA_MEM_INP]);
    m->wgt = vt_alloc_lines(m->allocator, c->buffer_bytes[VTA_MEM_WGT]);
    m->acc = vt_alloc_lines(m->allocator, c->buffer_bytes[VTA_MEM_ACC]);
    m->row = vt_alloc_zero(m->allocator, m->row_bytes);
    if (c->buffer_bytes[VTA_MEM_TABLE]) {
        m->tables = vt_alloc_zero(m->allocator, c->buffer_bytes[VTA_MEM_TABLE]);
        if (!m->tables) return vt_no_memory(diag);
    }
    if (!m->uop_words || !m->uops || !m->inp || !m->wgt || !m->acc || !m->row) return vt_no_memory(diag);
    return VTA_OK;
}

vta_status vt_machine_init(vt_machine *machine, const vta_config *config, const vta_allocator *allocator, vt_dram *dram,
                           vta_counters *counters, const vt_engine *engine, const char *cpu, vta_diag *diag) {
    *machine =
        (vt_machine){.config = config, .allocator = allocator, .dram = dram, .counters = counters, .engine = engine};
    static const struct {
        vta_memory memory;
        const char *key, *what;
    } packed[] = {{VTA_MEM_INP, "LOG_INP_WIDTH", "inputs"}, {VTA_MEM_WGT, "LOG_WGT_WIDTH", "weights"}};
    for (int i = 0; i < 2; i++)
        if (config->width[packed[i].memory] < 4)
            return vt_fail(diag, VTA_UNSUPPORTED,
                           "%s: the simulators compute with %s of 4, 8, 16 or 32 bits, not of %u; use %s 2 or more",
                           packed[i].key, packed[i].what, config->width[packed[i].memory], packed[i].key);
    if (config->width[VTA_MEM_ACC] != 32)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "LOG_ACC_WIDTH: the simulators compute with 32-bit accumulators, not "
                       "with %u bits; use LOG_ACC_WIDTH 5",
                       config->width[VTA_MEM_ACC]);
    vta_status status = allocate(machine, diag);
    if (status == VTA_OK && engine->create) {
        status = engine->create(machine, cpu, diag);
        if (status != VTA_OK) machine->engine = &vt_engine_reference; /* whose state needs no clearing */
    }
    if (status != VTA_OK) {
        machine->engine = &vt_engine_reference;
        vt_machine_clear(machine);
    }
    return status;
}

void vt_machine_clear(vt_machine *machine) {
    const vta_config *c = machine->config;
    if (!c) return;
    if (machine->engine->destroy) machine->engine->destroy(machine);
    vt_free(machine->allocator, machine->uop_words, c->buffer_bytes[VTA_MEM_UOP]);
    vt_free(machine->allocator, machine->uops, (size_t)c->depth[VTA_MEM_UOP] * sizeof *machine->uops);
    vt_free_lines(machine->allocator, machine->inp, c->buffer_bytes[VTA_MEM_INP]);
    vt_free_lines(machine->allocator, machine->wgt, c->buffer_bytes[VTA_MEM_WGT]);
    vt_free_lines(machine->allocator, machine->acc, c->buffer_bytes[VTA_MEM_ACC]);
    vt_free(machine->allocator, machine->row, machine->row_bytes);
    vt_free(machine->allocator, machine->tables, c->buffer_bytes[VTA_MEM_TABLE]);
    for (int m = 0; m < VTA_MEM_COUNT; m++) vt_free(machine->allocator, machine->left[m], c->depth[m]);
    *machine = (vt_machine){0};
}

vta_status vt_machine_peek(const vt_machine *machine, vta_memory memory, uint32_t first, uint32_t elements, void *to,
                           size_t bytes, vta_diag *diag) {
    size_t element = machine->config->elem_bytes[memory];
    const void *buffer = NULL;
    switch (memory) {
    case VTA_MEM_UOP: buffer = machine->uop_words; break;
    case VTA_MEM_INP: buffer = machine->inp; break;
    case VTA_MEM_WGT: buffer = machine->wgt; break;
    case VTA_MEM_ACC: buffer = machine->acc; break;
    case VTA_MEM_TABLE: buffer = machine->tables; break;
    case VTA_MEM_OUT:
    case VTA_MEM_ACC_8BIT:
    case VTA_MEM_COUNT: break;
    }
    if (!buffer)
        return vt_fail(diag, VTA_UNSUPPORTED, "memory %d has no buffer of its own; look into acc", (int)memory);
    if (bytes != elements * element)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%u elements of %s are %zu bytes, not %zu", elements,
                       vta_memory_name(memory), elements * element, bytes);
    memcpy(to, (const uint8_t *)buffer + first * element, bytes);
    return VTA_OK;
}
