/* Finds races while a stream runs: two instructions of different stages that touch the same on-chip elements, at least
 * one writing, with no token path between them.
 *
 * Only the load stage writes inp and wgt and only compute reads them; only compute writes acc and, of the other stages,
 * only store reads it; the uop buffer belongs to compute alone. So for each element the last write and the last read
 * suffice, and an access is ordered after it when the instruction's clock (stream.h) has counted it. Every order that
 * the tokens allow shows a race where there is one.
 *
 * Warnings, one of each kind with the number of cases: what boards and simulators treat differently, tokens that are
 * left, stores that FINISH does not wait for. */
#ifndef VT_DEVICE_CORE_RACE_H
#define VT_DEVICE_CORE_RACE_H

#include "device/core/stream.h"

enum { VT_RACES_SHOWN = 16 };

/* The elements [first, last] of `memory` that both touch. */
typedef struct vt_race {
    uint32_t earlier, later; /* instruction numbers, in the order of this run */
    vta_memory memory;
    uint32_t first, last;
    bool later_writes;
} vt_race;

/* ORDER WARNING: the texts stand in portability.c */
typedef enum vt_portability {
    VT_WARN_IMM_SOURCE,
    VT_WARN_MUL,
    VT_WARN_SAME_ACC,
    VT_WARN_ALU_FORWARD,
    VT_WARN_COUNT
} vt_portability;

typedef struct vt_checker {
    const vta_config *config;
    const vta_allocator *allocator;
    const vt_stream *stream; /* scheduled with clocks */
    /* By memory: 1 + the position, in its stage's queue, of the last instruction that wrote or read an element. */
    uint32_t *written[VTA_MEM_COUNT], *read[VTA_MEM_COUNT];
    vt_race races[VT_RACES_SHOWN];
    uint32_t race_count; /* pairs in the array, and beyond it each conflicting access to an element */
    uint32_t warned[VT_WARN_COUNT], warned_at[VT_WARN_COUNT];
} vt_checker;

vta_status vt_checker_init(vt_checker *checker, const vt_machine *machine, const vt_stream *stream, vta_diag *diag);
void vt_checker_clear(vt_checker *checker);
/* Just before the instruction runs (its micro-ops are then in the buffer); it must have passed vt_exec_check. */
void vt_checker_insn(vt_checker *checker, const vt_machine *machine, uint32_t index);
/* Writes what was found into `diag`; VTA_RACE when there were races. */
vta_status vt_checker_report(const vt_checker *checker, vta_diag *diag);

/* Between race.c and portability.c. */
void vt__check_portability(vt_checker *checker, const vt_machine *machine, uint32_t index);
void vt__report_portability(const vt_checker *checker, vta_diag *diag);

#endif
