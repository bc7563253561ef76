/* The functional simulator: decodes a stream, finds an order that the tokens allow, executes. */
#include "device/sim/sim.h"

#include "device/core/machine.h"
#include "device/core/race.h"
#include "device/core/stream.h"
#include "device/sim/fast.h"

static const vt_engine *engine_of(const vta_device *device) {
    return device->options.engine == VTA_ENGINE_REFERENCE ? &vt_engine_reference : &vt_engine_fast;
}

static vta_status make_machine(vta_device *device, vta_diag *diag, vt_machine **out_machine) {
    *out_machine = NULL;
    vt_machine *m = vt_alloc(&device->allocator, sizeof *m);
    if (!m) return vt_no_memory(diag);
    vta_status status = vt_machine_init(m, device->config, &device->allocator, &device->dram, &device->counters,
                                        engine_of(device), device->options.cpu, diag);
    if (status != VTA_OK) {
        vt_free(&device->allocator, m, sizeof *m);
        return status;
    }
    m->interrupt = &device->interrupt;
    *out_machine = m;
    return VTA_OK;
}

static void destroy(vta_device *device) {
    vt_machine_clear(device->state);
    vt_free(&device->allocator, device->state, sizeof(vt_machine));
}

static vta_status create(vta_device *device, vta_diag *diag) {
    vt_machine *m;
    VT_TRY(make_machine(device, diag, &m));
    device->state = m;
    return VTA_OK;
}

/* A new engine starts with a new machine: on-chip contents do not outlive a change of options. */
static vta_status configure(vta_device *device, vta_diag *diag) {
    vt_machine *m;
    VT_TRY(make_machine(device, diag, &m));
    destroy(device);
    device->state = m;
    return VTA_OK;
}

/* Work is known before an instruction starts, so a bound costs nothing while it runs. */
static vta_status spend(uint64_t *left, uint32_t wait_cycles, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    uint64_t work = vt_exec_work(insn);
    if (!wait_cycles || work <= *left) {
        *left -= wait_cycles ? work : 0;
        return VTA_OK;
    }
    return vt_fail(diag, VTA_TIMEOUT,
                   "instruction %u (%s) needs %llu cycles at least, and of the %u to wait %llu are left", index,
                   vt_insn_label(insn, label), (unsigned long long)work, wait_cycles, (unsigned long long)*left);
}

static vta_status execute(vta_device *device, const vt_stream *s, uint32_t wait_cycles, vt_checker *checker,
                          vta_diag *diag) {
    vt_machine *m = device->state;
    uint64_t left = wait_cycles;
    for (uint32_t i = 0; i < s->to_run; i++) {
        uint32_t index = s->order[i];
        VT_TRY(spend(&left, wait_cycles, index, &s->insns[index], diag));
        if (checker) {
            VT_TRY(vt_exec_check(m, index, &s->insns[index], diag));
            vt_checker_insn(checker, index);
        }
        VT_TRY(vt_exec_insn(m, index, &s->insns[index], diag));
        if (atomic_load_explicit(&device->interrupt, memory_order_relaxed))
            return vt_fail(diag, VTA_INTERRUPTED, "interrupted after instruction %u", index);
    }
    return VTA_OK;
}

static vta_status execute_checked(vta_device *device, const vt_stream *s, uint32_t insn_addr, uint32_t wait_cycles,
                                  vta_diag *diag, vta_status *out_found) {
    vt_checker checker;
    VT_TRY(vt_checker_init(&checker, device->state, s, insn_addr, device->continues, diag));
    vta_status status = execute(device, s, wait_cycles, &checker, diag);
    vt_checker_end(&checker);
    *out_found = vt_findings_report(&checker.found, diag);
    vt_findings_merge(&device->found, &checker.found);
    vt_checker_clear(&checker);
    return status;
}

vta_status vt_sim_prepare(vta_device *device, uint32_t insn_addr, uint32_t count, vta_diag *diag,
                          vt_stream *out_stream) {
    const vta_device_options *o = &device->options;
    VT_TRY(vt_stream_decode(out_stream, device->state, insn_addr, count, diag));
    vta_status status = vt_stream_schedule(out_stream, (vta_order)o->order, o->seed, o->check, diag);
    if (status != VTA_OK) vt_stream_clear(out_stream);
    return status;
}

vta_status vt_sim_execute(vta_device *device, const vt_stream *stream, uint32_t insn_addr, uint32_t wait_cycles,
                          vta_diag *diag, vta_status *out_found) {
    vt_machine *m = device->state;
    *out_found = VTA_OK;
    m->skip_execution = device->options.skip_execution;
    device->counters.runs++;
    return device->options.check ? execute_checked(device, stream, insn_addr, wait_cycles, diag, out_found)
                                 : execute(device, stream, wait_cycles, NULL, diag);
}

static vta_status run(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles, vta_diag *diag) {
    vt_stream s;
    VT_TRY(vt_sim_prepare(device, insn_addr, count, diag, &s));
    vta_status found, status = vt_sim_execute(device, &s, insn_addr, wait_cycles, diag, &found);
    vt_stream_clear(&s);
    return status != VTA_OK ? status : found;
}

static vta_status peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag) {
    return vt_machine_peek(device->state, memory, first, elements, to, bytes, diag);
}

const vt_driver vt_driver_sim = {
    .name = "sim",
    .text = "functional simulator: bit-exact, token-exact, without time",
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .run = run,
    .peek = peek,
};
