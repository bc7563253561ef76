/* Stepping: a stream's instructions in the order in which they end. */
#include "debug/debugger.h"

#include <stdlib.h>

#include "device/sim/fast.h"
#include "device/tsim/model.h"

typedef struct ending {
    uint64_t end;
    uint32_t insn;
} ending;

static int by_end(const void *a, const void *b) {
    const ending *x = a, *y = b;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->insn < y->insn ? -1 : x->insn > y->insn;
}

static vta_status sort_by_end(vta_debugger *d, vta_diag *diag) {
    ending *ends = vt_alloc_array(&d->allocator, d->stream.count, sizeof *ends);
    d->order = vt_alloc_array(&d->allocator, d->stream.count, sizeof *d->order);
    if (ends == NULL || d->order == NULL) {
        vt_free(&d->allocator, ends, d->stream.count * sizeof *ends);
        return vt_no_memory(diag);
    }
    for (uint32_t i = 0; i < d->stream.count; i++)
        if (d->times[i].start != UINT64_MAX) ends[d->length++] = (ending){d->times[i].end, i};
    qsort(ends, d->length, sizeof *ends, by_end);
    for (uint32_t i = 0; i < d->length; i++) d->order[i] = ends[i].insn;
    vt_free(&d->allocator, ends, d->stream.count * sizeof *ends);
    return VTA_OK;
}

/* The stream is decoded, the machine is made. */
static vta_status prepare(vta_debugger *d, uint32_t insn_addr, const vta_timing_profile *timing,
                          const atomic_bool *interrupt, vta_diag *diag) {
    d->times = vt_alloc_array(&d->allocator, d->stream.count, sizeof *d->times);
    if (d->times == NULL) return vt_no_memory(diag);
    vta_timing sum;
    for (uint32_t i = 0; i < d->stream.count; i++)
        VT_TRY(vt_timing_check(d->machine.config, i, &d->stream.insns[i], diag));
    VT_TRY(vt_timing_run(&(vt_timing_job){.config = d->machine.config,
                                          .profile = timing,
                                          .insns = d->stream.insns,
                                          .stages = d->stream.stage,
                                          .count = d->stream.count,
                                          .insn_addr = insn_addr,
                                          .interrupt = interrupt,
                                          .allocator = &d->allocator},
                         diag, &sum, d->times, NULL));
    d->cycles = sum.cycles;
    for (uint32_t i = 0; i < d->stream.count; i++) /* FINISH is seen to take effect in the run's last cycle */
        if (d->times[i].start != UINT64_MAX && d->times[i].end > d->cycles) d->times[i].end = d->cycles;
    VT_TRY(sort_by_end(d, diag));
    return vt__checkpoint_add(d, diag);
}

vta_status vta_debugger_create(vta_device *device, uint32_t insn_addr, uint32_t count, const vta_timing_profile *timing,
                               vta_diag *diag, vta_debugger **out_debugger) {
    if (out_debugger == NULL) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_debugger_create: out_debugger is NULL");
    *out_debugger = NULL;
    if (device == NULL || timing == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_debugger_create: needs a device and a profile");
    VT_TRY(vt_device_check_stream(insn_addr, count, diag));
    const atomic_bool *interrupt = vt_device_watch(device);
    vt_dram *dram;
    VT_TRY(vt_device_dram(device, diag, &dram));
    const vta_allocator *a = vt_device_allocator(device);
    vta_debugger *d = vt_alloc_zero(a, sizeof *d);
    if (d == NULL) return vt_no_memory(diag);
    d->allocator = *a;
    d->dram = dram;
    d->spacing = 64;
    atomic_init(&d->interrupt, false);
    vta_status status = vt_machine_init(&d->machine, vta_device_config(device), &d->allocator, dram, &d->counters,
                                        &vt_engine_fast, NULL, diag);
    if (status != VTA_OK) {
        vt_free(a, d, sizeof *d);
        return status;
    }
    d->machine.interrupt = &d->interrupt;
    status = vt_stream_decode(&d->stream, &d->machine, insn_addr, count, diag);
    if (status != VTA_OK) {
        vt_machine_clear(&d->machine);
        vt_free(a, d, sizeof *d);
        return status;
    }
    status = prepare(d, insn_addr, timing, interrupt, diag);
    if (status != VTA_OK) {
        vta_debugger_destroy(d);
        return status;
    }
    *out_debugger = d;
    return VTA_OK;
}

void vta_debugger_destroy(vta_debugger *debugger) {
    if (debugger == NULL) return;
    vta_allocator a = debugger->allocator;
    vt__checkpoint_clear(debugger);
    vt_free(&a, debugger->times, debugger->stream.count * sizeof *debugger->times);
    vt_free(&a, debugger->order, debugger->stream.count * sizeof *debugger->order);
    vt_stream_clear(&debugger->stream);
    vt_machine_clear(&debugger->machine);
    vt_free(&a, debugger, sizeof *debugger);
}

uint32_t vta_debugger_count(const vta_debugger *debugger) { return debugger ? debugger->stream.count : 0; }
uint32_t vta_debugger_length(const vta_debugger *debugger) { return debugger ? debugger->length : 0; }
uint64_t vta_debugger_cycles(const vta_debugger *debugger) { return debugger ? debugger->cycles : 0; }
uint32_t vta_debugger_position(const vta_debugger *debugger) { return debugger ? debugger->position : 0; }
uint64_t vta_debugger_cycle(const vta_debugger *debugger) { return debugger ? debugger->cycle : 0; }

uint32_t vta_debugger_at(const vta_debugger *debugger, uint32_t position) {
    return debugger && position < debugger->length ? debugger->order[position] : UINT32_MAX;
}

static uint64_t cycle_of(const vta_debugger *d, uint32_t position) {
    return position ? d->times[d->order[position - 1]].end : 0;
}

static vta_status forward(vta_debugger *d, uint32_t position, vta_diag *diag) {
    while (d->position < position) {
        uint32_t index = d->order[d->position];
        const vta_insn *insn = &d->stream.insns[index];
        if (atomic_load_explicit(&d->interrupt, memory_order_relaxed))
            return vt_fail(diag, VTA_INTERRUPTED, "interrupted before instruction %u", index);
        VT_TRY(vt__log_store(d, insn, diag));
        vta_status status = vt_exec_insn(&d->machine, index, insn, diag);
        if (status == VTA_INTERRUPTED) vt__checkpoint_last(d);
        if (status != VTA_OK) return status;
        d->position++;
        VT_TRY(vt__checkpoint_add(d, diag));
    }
    return VTA_OK;
}

vta_status vta_debugger_seek(vta_debugger *debugger, uint32_t position, vta_diag *diag) {
    if (debugger == NULL || position > debugger->length)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "position %u: there are %u", position, vta_debugger_length(debugger));
    atomic_store_explicit(&debugger->interrupt, false, memory_order_relaxed);
    vt__checkpoint_back(debugger, position);
    vta_status status = forward(debugger, position, diag);
    debugger->cycle = cycle_of(debugger, debugger->position);
    return status;
}

void vta_debugger_interrupt(vta_debugger *debugger) {
    if (debugger) atomic_store_explicit(&debugger->interrupt, true, memory_order_relaxed);
}

vta_status vta_debugger_seek_cycle(vta_debugger *debugger, uint64_t cycle, vta_diag *diag) {
    if (debugger == NULL || cycle > debugger->cycles)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "cycle %llu: the run has %llu", (unsigned long long)cycle,
                       (unsigned long long)vta_debugger_cycles(debugger));
    uint32_t low = 0, high = debugger->length;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (debugger->times[debugger->order[middle]].end <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    VT_TRY(vta_debugger_seek(debugger, low, diag));
    debugger->cycle = cycle;
    return VTA_OK;
}

vta_status vta_debugger_insn(const vta_debugger *debugger, uint32_t index, vta_insn *out_insn,
                             vta_insn_time *out_time) {
    if (debugger == NULL || index >= debugger->stream.count) return VTA_OUT_OF_RANGE;
    if (out_insn) *out_insn = debugger->stream.insns[index];
    if (out_time) *out_time = debugger->times[index];
    return VTA_OK;
}

vta_status vta_debugger_peek(const vta_debugger *debugger, vta_memory memory, uint32_t first, uint32_t elements,
                             void *to, size_t bytes, vta_diag *diag) {
    if (debugger == NULL || (to == NULL && elements))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_debugger_peek: debugger or destination is NULL");
    uint32_t depth = vta_config_depth(debugger->machine.config, memory);
    if (first > depth || elements > depth - first)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u elements from %u on: the buffer has %u", elements, first, depth);
    return vt_machine_peek(&debugger->machine, memory, first, elements, to, bytes, diag);
}
