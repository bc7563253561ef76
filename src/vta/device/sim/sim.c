/* The functional simulator: decodes a stream, finds an order that the tokens allow, executes. */
#include "device/sim/sim.h"

#include "device/core/race.h"
#include "device/dram/memory.h"
#include "device/driver.h"
#include "device/sim/fast.h"
#include "isa/label.h"

/* ---- The value --------------------------------------------------------------------------------------------- */

static vta_status make_machine(vt_sim *sim, const vta_config *config, const vta_allocator *allocator,
                               const vta_device_options *options, vta_diag *diag, vt_machine *out_machine) {
    const vt_engine *engine = options->engine == VTA_ENGINE_REFERENCE ? &vt_engine_reference : &vt_engine_fast;
    VT_TRY(vt_machine_init(out_machine, config, allocator, &sim->dram, &sim->counters, engine, options->cpu, diag));
    out_machine->interrupt = &sim->interrupt;
    out_machine->skip_execution = options->skip_execution;
    return VTA_OK;
}

static void keep_options(vt_sim *sim, const vta_device_options *options) {
    sim->options = *options;
    sim->options.profile = sim->options.cpu = NULL;
}

vta_status vt_sim_init(vt_sim *sim, const vta_config *config, const vta_allocator *allocator,
                       const vta_device_options *options, vta_diag *diag) {
    *sim = (vt_sim){0};
    atomic_init(&sim->interrupt, false);
    vt_dram_init(&sim->dram, allocator);
    keep_options(sim, options);
    return make_machine(sim, config, allocator, options, diag, &sim->machine);
}

void vt_sim_clear(vt_sim *sim) {
    vt_machine_clear(&sim->machine);
    vt_dram_clear(&sim->dram);
}

vta_status vt_sim_configure(vt_sim *sim, const vta_device_options *options, vta_diag *diag) {
    vt_machine machine;
    VT_TRY(make_machine(sim, sim->machine.config, sim->machine.allocator, options, diag, &machine));
    vt_machine_clear(&sim->machine);
    sim->machine = machine;
    keep_options(sim, options);
    sim->found = (vt_findings){0};
    return VTA_OK;
}

void vt_sim_clear_counters(vt_sim *sim) {
    sim->counters = (vta_counters){0};
    sim->found = (vt_findings){0};
}

/* ---- A run ------------------------------------------------------------------------------------------------- */

/* Work is known before an instruction starts, so a bound costs nothing while it runs. */
static vta_status spend(uint64_t *left, uint32_t most, uint32_t index, const vta_insn *insn, vta_diag *diag) {
    char label[24];
    if (!most) return VTA_OK;
    uint64_t work = vt_exec_work(insn);
    if (work <= *left) {
        *left -= work;
        return VTA_OK;
    }
    return vt_fail(diag, VTA_TIMEOUT,
                   "instruction %u (%s) needs %llu cycles at least, and of the %u to wait %llu are left", index,
                   vt_insn_label(insn, label), (unsigned long long)work, most, (unsigned long long)*left);
}

/* One instruction, checked. */
static vta_status check_and_run(vt_machine *m, const vt_stream *s, uint32_t index, vt_checker *checker,
                                vta_diag *diag) {
    VT_TRY(vt_exec_check(m, index, &s->insns[index], diag));
    vt_checker_insn(checker, index);
    return vt_exec_insn(m, index, &s->insns[index], diag);
}

static vta_status execute(vt_sim *sim, const vt_stream *s, uint32_t max_work, vt_checker *checker, vta_diag *diag) {
    vt_machine *m = &sim->machine;
    uint64_t left = max_work;
    for (uint32_t i = 0, done = 1; i < s->to_run; i += done) {
        uint32_t index = s->order[i];
        VT_TRY(spend(&left, max_work, index, &s->insns[index], diag));
        if (checker)
            VT_TRY(check_and_run(m, s, index, checker, diag));
        else /* a bound is kept instruction by instruction */
            VT_TRY(vt_exec_chain(m, s->insns, s->order + i, max_work ? 1 : s->to_run - i, diag, &done));
        if (atomic_load_explicit(&sim->interrupt, memory_order_relaxed))
            return vt_fail(diag, VTA_INTERRUPTED, "interrupted after instruction %u", index);
    }
    return VTA_OK;
}

static vta_status execute_checked(vt_sim *sim, const vt_stream *s, const vt_run *run, uint32_t max_work, vta_diag *diag,
                                  vta_status *out_found) {
    vt_checker checker;
    VT_TRY(vt_checker_init(&checker, &sim->machine, s, run->insn_addr, run->continues, diag));
    vta_status status = execute(sim, s, max_work, &checker, diag);
    vt_checker_end(&checker);
    *out_found = vt_findings_report(&checker.found, diag);
    vt_findings_merge(&sim->found, &checker.found);
    vt_checker_clear(&checker);
    return status;
}

vta_status vt_sim_prepare(vt_sim *sim, const vt_run *run, vta_diag *diag, vt_stream *out_stream) {
    const vta_device_options *o = &sim->options;
    atomic_store_explicit(&sim->interrupt, false, memory_order_relaxed);
    VT_TRY(vt_stream_decode(out_stream, &sim->machine, run->insn_addr, run->count, diag));
    vta_status status = vt_stream_schedule(out_stream, (vta_order)o->order, o->seed, o->check, diag);
    if (status != VTA_OK) vt_stream_clear(out_stream);
    return status;
}

vta_status vt_sim_execute(vt_sim *sim, const vt_stream *stream, const vt_run *run, uint32_t max_work, vta_diag *diag,
                          vta_status *out_found) {
    *out_found = VTA_OK;
    sim->counters.runs++;
    return sim->options.check ? execute_checked(sim, stream, run, max_work, diag, out_found)
                              : execute(sim, stream, max_work, NULL, diag);
}

/* ---- The driver -------------------------------------------------------------------------------------------- */

static vta_status create(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    vt_sim *sim = vt_alloc(&device->allocator, sizeof *sim);
    if (!sim) return vt_no_memory(diag);
    vta_status status = vt_sim_init(sim, device->config, &device->allocator, options, diag);
    if (status != VTA_OK) {
        vt_free(&device->allocator, sim, sizeof *sim);
        return status;
    }
    device->state = sim;
    return VTA_OK;
}

static void destroy(vta_device *device) {
    vt_sim_clear(device->state);
    vt_free(&device->allocator, device->state, sizeof(vt_sim));
}

static vta_status configure(vta_device *device, const vta_device_options *options, vta_diag *diag) {
    return vt_sim_configure(device->state, options, diag);
}

static vta_status run(vta_device *device, const vt_run *run, vta_diag *diag) {
    vt_stream s;
    VT_TRY(vt_sim_prepare(device->state, run, diag, &s));
    vta_status found, status = vt_sim_execute(device->state, &s, run, run->max_work, diag, &found);
    vt_stream_clear(&s);
    return status != VTA_OK ? status : found;
}

static void interrupt(vta_device *device) {
    vt_sim *sim = device->state;
    atomic_store_explicit(&sim->interrupt, true, memory_order_relaxed);
}

static vta_counters counters(const vta_device *device) { return ((const vt_sim *)device->state)->counters; }
static void clear(vta_device *device) { vt_sim_clear_counters(device->state); }
static const vt_findings *findings(const vta_device *device) { return &((const vt_sim *)device->state)->found; }

static vta_status peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *diag) {
    const vt_sim *sim = device->state;
    return vt_machine_peek(&sim->machine, memory, first, elements, to, bytes, diag);
}

const vt_driver vt_driver_sim = {
    .name = "sim",
    .text = "functional simulator: bit-exact, token-exact, without time",
    VT_DRAM_MEMORY,
    .create = create,
    .destroy = destroy,
    .configure = configure,
    .run = run,
    .interrupt = interrupt,
    .counters = counters,
    .clear = clear,
    .findings = findings,
    .peek = peek,
};
