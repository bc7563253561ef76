/* Programs whose cycles were counted on the hardware: generated Verilog of the Chisel design, run cycle by cycle
 * (tests/golden/data/rtl). Both models of time must give the same, the library's and the one of ref/naive_timing.h. */
#ifndef TESTS_TSIM_RTL_H
#define TESTS_TSIM_RTL_H

#include "ref/naive_timing.h"
#include "support/golden.h"
#include "vta/program.h"

/* The first device run of a recorded program, timed. */
typedef struct rtl_run {
    vta_program *program;
    vta_insn *insns;
    uint32_t count;
    uint64_t cycles;
    vta_insn_time *times;
    uint64_t naive_cycles;
    uint64_t *naive_starts, *naive_ends;
} rtl_run;

static inline void rtl_naive(rtl_run *r, const vta_program_run_info *info, const vta_timing_profile *profile) {
    nv *v = calloc(1, sizeof *v);
    v->config = vta_program_config(r->program);
    v->p = profile;
    v->insns = r->insns;
    v->count = r->count;
    v->addr = info->insn_addr;
    v->starts = r->naive_starts = calloc(r->count, sizeof *v->starts);
    v->ends = r->naive_ends = calloc(r->count, sizeof *v->ends);
    r->naive_cycles = nv_run(v, 10000000);
    free(v);
}

static inline rtl_run rtl_time(const char *path, const char *changes) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_program_run_info info;
    vta_timing_profile profile;
    vta_timing timing;
    rtl_run r = {0};
    if (vta_program_load(path, NULL, diag, &r.program) != VTA_OK) fail_msg("%s: %s", path, vta_diag_text(diag));
    assert_int_equal(vta_program_run_count(r.program), 1);
    assert_int_equal(vta_program_get_run(r.program, 0, &info), VTA_OK);
    const vta_config *config = vta_program_config(r.program);
    r.count = info.insn_count;
    r.insns = calloc(r.count, sizeof *r.insns);
    r.times = calloc(r.count, sizeof *r.times);
    for (uint32_t i = 0; i < r.count; i++)
        assert_int_equal(vta_insn_decode(config, info.insns + VTA_INSN_BYTES * i, diag, &r.insns[i]), VTA_OK);
    assert_int_equal(vta_timing_profile_get("chisel", diag, &profile), VTA_OK);
    assert_int_equal(vta_timing_profile_set(&profile, changes, diag), VTA_OK);
    if (vta_timing_run(config, &profile, r.insns, r.count, info.insn_addr, 0, NULL, diag, &timing, r.times) != VTA_OK)
        fail_msg("%s: %s", path, vta_diag_text(diag));
    r.cycles = timing.cycles;
    rtl_naive(&r, &info, &profile);
    vta_diag_destroy(diag);
    return r;
}

static inline void rtl_clear(rtl_run *r) {
    free(r->insns);
    free(r->times);
    free(r->naive_starts);
    free(r->naive_ends);
    vta_program_destroy(r->program);
}

static inline void rtl_same_cycles(const rtl_run *r, const char *name, unsigned long long cycles) {
    if (r->cycles != cycles || r->naive_cycles != cycles)
        print_error("%s: %llu cycles, the naive model %llu, the hardware %llu\n", name, (unsigned long long)r->cycles,
                    (unsigned long long)r->naive_cycles, cycles);
    assert_int_equal(r->cycles, cycles);
    assert_int_equal(r->naive_cycles, cycles);
}

/* A row of cycles.tsv: program, config, bus, cycles, len_bits, delay, queue_depth, ...; its program is one of runs/ in
 * `place` (golden_in), or this is not a row to run: returns 0. */
static inline int rtl_row(int place, const char *row) {
    char name[64], of[100], path[GOLDEN_PATH], changes[128];
    unsigned bus, len_bits, delay, depth;
    unsigned long long cycles;
    if (sscanf(row, "%63s %*s %u %llu %u %u %u", name, &bus, &cycles, &len_bits, &delay, &depth) != 6)
        fail_msg("cycles.tsv: not a row: %s", row);
    snprintf(of, sizeof of, "runs/%s", name);
    if (!golden_is_in(place, of)) return 0;
    golden_in(place, of, path);
    snprintf(changes, sizeof changes, "bus_bits=%u len_bits=%u delay=%u queue_depth=%u", bus, len_bits, delay, depth);
    rtl_run r = rtl_time(path, changes);
    rtl_same_cycles(&r, row, cycles);
    rtl_clear(&r);
    return 1;
}

/* How many rows were run. */
static inline int rtl_rows(int place) {
    char path[GOLDEN_PATH];
    size_t size;
    int rows = 0;
    golden_in(place, "rtl/cycles.tsv", path);
    char *text = check_read_file(path, &size), *rest = text;
    for (char *row = strtok_r(rest, "\n", &rest); (row = strtok_r(NULL, "\n", &rest));) rows += rtl_row(place, row);
    free(text);
    return rows;
}

/* The next instruction of a unit, from *at on. */
static inline uint32_t rtl_next(const rtl_run *r, char unit, uint32_t *at) {
    static const char units[] = {[VTA_STAGE_LOAD] = 'l', [VTA_STAGE_COMPUTE] = 'c', [VTA_STAGE_STORE] = 's'};
    while (*at < r->count && units[vta_insn_stage(&r->insns[*at])] != unit) ++*at;
    assert_true(*at < r->count);
    return (*at)++;
}

static inline void rtl_same_times(const rtl_run *r, const char *name, uint32_t i, unsigned long long start,
                                  unsigned long long end) {
    const vta_insn_time *t = &r->times[i];
    if (t->start == start && t->end == end && r->naive_starts[i] == start && r->naive_ends[i] == end) return;
    fail_msg("%s: instruction %u (%s) [%llu, %llu), the naive model [%llu, %llu), the hardware [%llu, %llu)", name, i,
             vta_insn_kind_name((vta_insn_kind)t->kind), (unsigned long long)t->start, (unsigned long long)t->end,
             (unsigned long long)r->naive_starts[i], (unsigned long long)r->naive_ends[i], start, end);
}

/* rtl/random/NAME: `delay`, `cycles`, then unit, first cycle and last cycle + 1 of every instruction, unit by unit. */
static inline void rtl_random(const char *name, void *arg) {
    char of[100], path[GOLDEN_PATH], file[GOLDEN_PATH + 16], changes[32], unit[16];
    unsigned delay;
    unsigned long long cycles, start, end;
    int used, lines = 0;
    size_t size;
    uint32_t next[3] = {0};
    snprintf(of, sizeof of, "rtl/random/%s", name);
    golden_in(*(int *)arg, of, path);
    snprintf(file, sizeof file, "%s/rtl.txt", path);
    char *text = check_read_file(file, &size);
    assert_int_equal(sscanf(text, "delay %u cycles %llu%n", &delay, &cycles, &used), 2);
    snprintf(changes, sizeof changes, "delay=%u", delay);
    rtl_run r = rtl_time(path, changes);
    for (char *p = text + used; sscanf(p, "%15s %llu %llu%n", unit, &start, &end, &used) == 3; p += used, lines++)
        rtl_same_times(&r, of, rtl_next(&r, unit[0], &next[unit[0] == 'l' ? 0 : unit[0] == 'c' ? 1 : 2]), start, end);
    rtl_same_cycles(&r, of, cycles);
    assert_in_range(lines, 3, r.count);
    rtl_clear(&r);
    free(text);
}

#endif
