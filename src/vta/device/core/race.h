/* Checks a stream while it runs. Errors:
 *
 *  - races on chip: two instructions of different stages that touch the same elements, at least one writing, with no
 *    token path between them. Only load writes inp and wgt and only compute reads them; only compute writes acc and, of
 *    the other stages, only store reads it; the uop buffer and the tables belong to compute alone. So for each element
 * the last write and the last read suffice, and an access is ordered after it when the instruction's clock (stream.h)
 * counts it.
 *  - races through DRAM (dram_race.c): only store writes; load and compute (LOAD UOP, ACC) read, and so does fetch. Two
 *    stores run in one stage, one after another, and cannot race.
 *  - reads of on-chip elements that nothing in this run has written before.
 *  - a STORE that FINISH does not wait for.
 *
 * Every order that the tokens allow shows a race where there is one. Where there is none, all writers of what an
 * instruction reads come before or after it in every order, so elements never written are found in every order too.
 *
 * Warnings, one of each kind with the number of cases (portability.def): what implementations treat differently. */
#ifndef VT_DEVICE_CORE_RACE_H
#define VT_DEVICE_CORE_RACE_H

#include "device/core/stream.h"
#include "device/findings.h"

/* Bytes of DRAM that a STORE and a LOAD of this stream share; see dram_race.c. */
typedef struct vt_dram_page vt_dram_page;
typedef struct vt_dram_shadow {
    vt_dram_page *pages; /* by address: those that the stream stores to */
    size_t count, cap;
    uint32_t log_granule; /* every row begins and ends at a multiple of 2^log_granule bytes */
    uint64_t insn_addr;   /* the instructions, as fetch reads them */
    uint64_t insn_end;
} vt_dram_shadow;

typedef struct vt_checker {
    const vta_config *config;
    const vta_allocator *allocator;
    const vt_stream *stream; /* scheduled with clocks */
    vt_machine *machine;
    /* By memory: 1 + the position, in its stage's queue, of the last instruction that wrote or read an element. */
    uint32_t *written[VTA_MEM_COUNT], *read[VTA_MEM_COUNT];
    vt_dram_shadow dram;
    vt_findings found;
} vt_checker;

/* `continues`: contents that the run before left on chip may be read; a warning tells. Else the machine forgets them.
 */
vta_status vt_checker_init(vt_checker *checker, vt_machine *machine, const vt_stream *stream, uint32_t insn_addr,
                           bool continues, vta_diag *diag);
void vt_checker_clear(vt_checker *checker);
/* Just before the instruction runs (its micro-ops are then in the buffer); it must have passed vt_exec_check. */
void vt_checker_insn(vt_checker *checker, uint32_t index);
/* When no instruction comes any more: what the stream as a whole shows goes into checker->found, and what was written
 * on chip is remembered in the machine. */
void vt_checker_end(vt_checker *checker);

/* Between race.c, dram_race.c and portability.c. */
void vt__check_portability(vt_checker *checker, uint32_t index);
void vt__check_tokens(vt_checker *checker);
vta_status vt__dram_shadow_init(vt_checker *checker, uint32_t insn_addr, vta_diag *diag);
void vt__dram_shadow_clear(vt_checker *checker);
void vt__check_dram_race(vt_checker *checker, uint32_t index);
/* Adds an error about two instructions of which `earlier` ran first; in the stream they may stand the other way. */
void vt__add_race(vt_checker *checker, vt_finding_kind kind, uint32_t earlier, uint32_t later, bool later_writes,
                  vta_memory memory, uint64_t from, uint64_t to);

#endif
