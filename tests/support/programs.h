/* A small program: one acc element loaded at 0x1000, stored narrowed at 0x2000. */
#ifndef TESTS_SUPPORT_PROGRAMS_H
#define TESTS_SUPPORT_PROGRAMS_H

#include "support/check.h"
#include "vta/isa.h"
#include "vta/program.h"

enum { CHECK_INSN_ADDR = 0x10000, CHECK_FROM = 0x1000, CHECK_TO = 0x2000 };

static const char check_source[] = "LOAD memory_type=acc dram_base=64 y_size=1 x_size=1 x_stride=1 push_next_dep\n"
                                   "STORE memory_type=out dram_base=512 y_size=1 x_size=1 x_stride=1 pop_prev_dep "
                                   "push_prev_dep\n"
                                   "FINISH pop_next_dep\n";

/* Records the program: `runs` runs with different inputs. The status of the first call that failed. */
static inline vta_status check_record(const vta_config *config, const vta_allocator *a, uint32_t runs, vta_diag *said,
                                      vta_program **out_program) {
    uint8_t *insns, in[64] = {0}, zero[16] = {0}, out[16] = {0};
    size_t count;
    *out_program = NULL;
    if (vta_asm(config, check_source, strlen(check_source), NULL, NULL, &insns, &count) != VTA_OK) return VTA_INTERNAL;
    vta_program *p = NULL;
    vta_status status = vta_program_create(config, a, said, &p);
    for (uint32_t run = 0; run < runs && status == VTA_OK; run++) {
        for (uint8_t i = 0; i < 16; i++) in[4 * i] = out[i] = (uint8_t)(16 * run + i + 1);
        status = vta_program_begin_run(p, CHECK_INSN_ADDR, insns, (uint32_t)count, said);
        if (status == VTA_OK) status = vta_program_add_segment(p, CHECK_TO, zero, sizeof zero, said);
        if (status == VTA_OK) status = vta_program_add_segment(p, CHECK_FROM, in, sizeof in, said);
        if (status == VTA_OK) status = vta_program_add_after(p, CHECK_TO, out, sizeof out, said);
        if (status == VTA_OK) status = vta_program_add_after(p, CHECK_FROM, in, sizeof in, said);
        if (status == VTA_OK) status = vta_program_end_run(p, said);
    }
    vta_string_free(insns);
    if (status != VTA_OK) {
        vta_program_destroy(p);
        return status;
    }
    vta_counters c = {.acc_load_nbytes = 64 * runs, .out_store_nbytes = 16 * runs};
    vta_program_set_stats(p, &c, 1u << 2 | 1u << 4);
    *out_program = p;
    return VTA_OK;
}

#endif
