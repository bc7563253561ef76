/* The handle: runs are timed when they are added, and stand one after another on one time axis. */
#include <string.h>

#include "profile/profile_priv.h"

vta_status vta_profile_create(const vta_config *config, const vta_timing_profile *timing,
                              const vta_allocator *allocator, vta_diag *diag, vta_profile **out_profile) {
    if (out_profile == NULL) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_create: out_profile is NULL");
    *out_profile = NULL;
    if (config == NULL || timing == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_create: config or timing is NULL");
    const vta_allocator *a = allocator ? allocator : &vt_allocator_libc;
    vta_profile *p = vt_alloc_zero(a, sizeof *p);
    if (p == NULL) return vt_no_memory(diag);
    p->allocator = *a;
    p->config = vta_config_retain(config);
    p->timing = *timing;
    *out_profile = p;
    return VTA_OK;
}

static void free_run(const vta_allocator *a, vt_profile_run *run) {
    vt_free(a, run->insns, run->count * sizeof *run->insns);
    vt_free(a, run->times, run->count * sizeof *run->times);
    vt_free(a, run->source, run->count * sizeof *run->source);
}

void vta_profile_destroy(vta_profile *profile) {
    if (profile == NULL) return;
    vta_allocator a = profile->allocator;
    for (size_t i = 0; i < profile->run_count; i++) free_run(&a, &profile->runs[i]);
    for (size_t i = 0; i < profile->segment_count; i++) vt_strfree(&a, profile->segments[i].name);
    for (size_t i = 0; i < profile->name_count; i++) vt_strfree(&a, profile->names[i]);
    vt_free(&a, profile->runs, profile->run_cap * sizeof *profile->runs);
    vt_free(&a, profile->segments, profile->segment_cap * sizeof *profile->segments);
    vt_free(&a, profile->names, profile->name_cap * sizeof *profile->names);
    vt_profile_layers_free(profile);
    vta_config_release(profile->config);
    vt_free(&a, profile, sizeof *profile);
}

void vta_profile_set_source(vta_profile *profile, vta_profile_source source, void *user) {
    if (profile == NULL) return;
    profile->source = source;
    profile->source_user = user;
}

void vta_profile_set_reader(vta_profile *profile, vta_profile_read read, void *user) {
    if (profile == NULL) return;
    profile->read = read;
    profile->read_user = user;
}

vta_status vta_profile_add_segment(vta_profile *profile, uint32_t addr, uint32_t size, const char *name,
                                   vta_diag *diag) {
    if (profile == NULL) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_add_segment: profile is NULL");
    vta_profile *p = profile;
    size_t at = 0;
    while (at < p->segment_count && p->segments[at].addr < addr) at++;
    if (at < p->segment_count && p->segments[at].addr == addr && p->segments[at].size == size) return VTA_OK;
    if (!vt_reserve(&p->allocator, &p->segments, &p->segment_cap, p->segment_count + 1, sizeof *p->segments))
        return vt_no_memory(diag);
    char *copy = name ? vt_strdup(&p->allocator, name) : NULL;
    if (name && copy == NULL) return vt_no_memory(diag);
    memmove(p->segments + at + 1, p->segments + at, (p->segment_count - at) * sizeof *p->segments);
    p->segments[at] = (vt_segment){addr, size, copy};
    p->segment_count++;
    return VTA_OK;
}

/* Names repeat in runs of instructions, so only the newest ones are looked through. */
static vta_status intern(vta_profile *p, const char *name, vta_diag *diag, uint32_t *out_index) {
    *out_index = 0;
    if (name == NULL || *name == '\0') return VTA_OK;
    for (size_t i = p->name_count; i > 0 && p->name_count - i < 256; i--)
        if (strcmp(p->names[i - 1], name) == 0) {
            *out_index = (uint32_t)i;
            return VTA_OK;
        }
    if (!vt_reserve(&p->allocator, &p->names, &p->name_cap, p->name_count + 1, sizeof *p->names))
        return vt_no_memory(diag);
    char *copy = vt_strdup(&p->allocator, name);
    if (copy == NULL) return vt_no_memory(diag);
    p->names[p->name_count++] = copy;
    *out_index = (uint32_t)p->name_count;
    return VTA_OK;
}

static vta_status fill_run(vta_profile *p, vt_profile_run *run, const vta_insn *insns, uint32_t insn_addr,
                           vta_diag *diag) {
    const vta_allocator *a = &p->allocator;
    run->insns = vt_alloc_array(a, run->count, sizeof *run->insns);
    run->times = vt_alloc_array(a, run->count, sizeof *run->times);
    run->source = vt_alloc_array(a, run->count, sizeof *run->source);
    if (!run->insns || !run->times || !run->source) return vt_no_memory(diag);
    memcpy(run->insns, insns, run->count * sizeof *insns);
    memset(run->source, 0, run->count * sizeof *run->source);
    for (uint32_t i = 0; p->source && i < run->count; i++)
        VT_TRY(intern(p, p->source(p->source_user, p->run_count, i), diag, &run->source[i]));
    VT_TRY(vta_timing_run(p->config, &p->timing, insns, run->count, insn_addr, 0, a, diag, &run->timing, run->times));
    for (uint32_t i = 0; i < run->count; i++) /* pictures end with the run */
        if (run->times[i].start != UINT64_MAX && run->times[i].end > run->timing.cycles)
            run->times[i].end = run->timing.cycles;
    return VTA_OK;
}

vta_status vta_profile_add_run(vta_profile *profile, const vta_insn *insns, size_t count, uint32_t insn_addr,
                               vta_diag *diag) {
    if (profile == NULL || insns == NULL || count == 0 || count > UINT32_MAX / 2)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_profile_add_run: needs a profile and at least one instruction");
    vta_profile *p = profile;
    size_t used = 1;
    while (used < count && insns[used - 1].opcode != VTA_OP_FINISH) used++;
    vt_profile_run run = {.count = (uint32_t)used, .begin = p->sum.cycles};
    if (!vt_reserve(&p->allocator, &p->runs, &p->run_cap, p->run_count + 1, sizeof *p->runs)) return vt_no_memory(diag);
    vta_status status = fill_run(p, &run, insns, insn_addr, diag);
    if (status != VTA_OK) {
        free_run(&p->allocator, &run);
        return status;
    }
    p->runs[p->run_count++] = run;
    vta_timing_add(&p->sum, &run.timing);
    return VTA_OK;
}

vta_timing vta_profile_timing(const vta_profile *profile) { return profile ? profile->sum : (vta_timing){0}; }

size_t vta_profile_run_count(const vta_profile *profile) { return profile ? profile->run_count : 0; }

vta_status vta_profile_run(const vta_profile *profile, size_t run, const vta_insn **out_insns,
                           const vta_insn_time **out_times, size_t *out_count) {
    if (profile == NULL || run >= profile->run_count) return VTA_OUT_OF_RANGE;
    if (out_insns) *out_insns = profile->runs[run].insns;
    if (out_times) *out_times = profile->runs[run].times;
    if (out_count) *out_count = profile->runs[run].count;
    return VTA_OK;
}

const char *vt_profile_source_name(const vta_profile *profile, const vt_profile_run *run, uint32_t insn) {
    return run->source[insn] ? profile->names[run->source[insn] - 1] : NULL;
}

/* Fetch reads a batch after it handed over the one before, so batches follow from when instructions arrived. */
bool vt_profile_fetch_batch(const vta_profile *profile, const vt_profile_run *run, uint32_t index,
                            vt_fetch_batch *out_batch) {
    uint32_t size = vta_timing_fetch_batch(&profile->timing);
    uint64_t first = (uint64_t)index * size;
    if (first >= run->count) return false;
    uint32_t end = first + size < run->count ? (uint32_t)first + size : run->count;
    *out_batch = (vt_fetch_batch){.first = (uint32_t)first, .end = end, .start = 1};
    if (first && run->times[first - 1].start != UINT64_MAX)
        out_batch->start = run->times[first - 1].arrived - 1 + profile->timing.fetch_after;
    uint32_t last = end;
    while (last > first && run->times[last - 1].start == UINT64_MAX) last--;
    if (last == first) return false;
    out_batch->finish = run->times[last - 1].arrived;
    return true;
}
