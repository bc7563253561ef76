/* The state of one accelerator, and the execution of one decoded instruction on it: what every simulated device is
 * made of. How long an instruction takes, and in which order instructions run, is not known here.
 *
 * How a device uses it:
 *     vt_machine_init(&m, config, allocator, &device->dram, &device->counters, engine, cpu, diag);
 *     vt_stream_decode(&s, &m, insn_addr, count, diag);        (stream.h: decoded instructions with their stages)
 *     vt_exec_insn(&m, index, &s.insns[index], diag);          (one instruction's effect, and its counters)
 * Values: an inp or wgt element is kept as it stands in DRAM, an acc scalar as a 32-bit integer. */
#ifndef VT_DEVICE_CORE_MACHINE_H
#define VT_DEVICE_CORE_MACHINE_H

#include <stdatomic.h>

#include "device/dram/dram.h"
#include "isa/label.h"
#include "vta/device.h"
#include "vta/isa.h"

typedef struct vt_machine vt_machine;

/* The micro-op loops of a GEMM or ALU instruction (or of a part of one), all indices proved to be in range:
 *     for y < iter_out, x < iter_in, u < uop_count: dst = dst0 + uops[u].dst + y * dst_factor_out + x * dst_factor_in
 * and the same for src and wgt. */
typedef struct vt_loops {
    const vta_uop *uops;
    uint32_t uop_count;
    uint32_t iter_out, iter_in;
    uint32_t dst0, src0, wgt0;
    uint32_t dst_factor_out, dst_factor_in;
    uint32_t src_factor_out, src_factor_in;
    uint32_t wgt_factor_out, wgt_factor_in;
} vt_loops;

/* An ALU operation with an immediate. */
typedef struct vt_alu_imm {
    vta_alu_opcode opcode;
    int32_t imm;
} vt_alu_imm;

enum { VT_CHAIN_MAX = 8 };

/* An engine: how GEMM and ALU compute. The reference engine is plain loops over the machine's buffers; a faster one
 * may keep a copy of inp and wgt in a layout of its own. */
typedef struct vt_engine {
    const char *name;
    /* Makes the engine's own state in machine->engine_state; `cpu` as in vta_device_options. NULL: needs none. */
    vta_status (*create)(vt_machine *machine, const char *cpu, vta_diag *diag);
    void (*destroy)(vt_machine *machine); /* NULL when create is */
    /* Elements [first, first + count) of uop, inp or wgt have new contents. NULL: does not care. */
    void (*loaded)(vt_machine *machine, vta_memory memory, uint32_t first, uint32_t count);
    void (*gemm)(vt_machine *machine, const vt_loops *loops);
    void (*reset)(vt_machine *machine, const vt_loops *loops); /* GEMM with reset_reg */
    /* `imm` is the second operand when `use_imm`, else the source element is. */
    void (*alu)(vt_machine *machine, const vt_loops *loops, vta_alu_opcode opcode, bool use_imm, int32_t imm);
    /* `count` ALU operations with immediates, one after another on the same accumulators. NULL: has no better way. */
    void (*alu_chain)(vt_machine *machine, const vt_loops *loops, const vt_alu_imm *ops, uint32_t count);
    /* Low bits of `count` acc scalars, packed as OUT stands in DRAM. */
    void (*narrow)(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to);
} vt_engine;

/* The oracle (engine_reference.c). The fast engine is vt_engine_fast in device/sim/fast.h. */
extern const vt_engine vt_engine_reference;

/* The largest fields of the micro-ops [bgn, end). */
typedef struct vt_uop_range {
    uint32_t bgn, end;
    vta_uop most;
} vt_uop_range;

enum { VT_UOP_RANGES = 16 };

struct vt_machine {
    const vta_config *config;
    const vta_allocator *allocator;
    vt_dram *dram;
    vta_counters *counters;
    const vt_engine *engine;
    void *engine_state;
    atomic_bool *interrupt; /* raised from any thread to stop; may be NULL */
    bool skip_execution;

    uint32_t *uop_words; /* the uop buffer, and the same decoded */
    vta_uop *uops;
    vt_uop_range ranges[VT_UOP_RANGES]; /* of instructions checked since the last load of micro-ops; end 0: none */
    uint32_t oldest_range;              /* modulo VT_UOP_RANGES */
    uint8_t *inp, *wgt;                 /* elements as in DRAM */
    int8_t *tables;                     /* NULL without tables */
    int32_t *acc;
    uint32_t acc_lanes; /* scalars of an acc element: BATCH x BLOCK_OUT */
    uint8_t *row;       /* an output row on its way to DRAM */
    size_t row_bytes;
    uint8_t *left[VTA_MEM_COUNT]; /* by the checker (race.h): elements that runs wrote on chip; NULL: never checked */
};

/* Zeroed buffers. VTA_UNSUPPORTED for a configuration that no engine computes (acc narrower than 32 bits). On failure
 * nothing is left to clear. */
vta_status vt_machine_init(vt_machine *machine, const vta_config *config, const vta_allocator *allocator, vt_dram *dram,
                           vta_counters *counters, const vt_engine *engine, const char *cpu, vta_diag *diag);
void vt_machine_clear(vt_machine *machine);

/* Runs one instruction: checks every address and index against its limit, moves or computes, counts. `index` names it
 * in messages. An error leaves SRAM and DRAM as they were before this instruction; VTA_INTERRUPTED leaves a part. */
vta_status vt_exec_insn(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag);
/* The same for insns[order[0]] and, where the engine can do them in one pass, those after it that only apply further
 * immediates to the same accumulators: usual after a convolution. *out_done: how many of the `count` were run. */
vta_status vt_exec_chain(vt_machine *machine, const vta_insn *insns, const uint32_t *order, uint32_t count,
                         vta_diag *diag, uint32_t *out_done);
/* The same checks without the effect. */
vta_status vt_exec_check(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag);
/* Counts an instruction that ran elsewhere. */
void vt_exec_count(const vt_machine *machine, vta_counters *counters, const vta_insn *insn);
/* Work of an instruction: micro-op executions, or elements written on chip or stored; 1 for what does nothing. */
uint64_t vt_exec_work(const vta_insn *insn);

/* The vt_device_peek of every device that is made of a machine. */
vta_status vt_machine_peek(const vt_machine *machine, vta_memory memory, uint32_t first, uint32_t elements, void *to,
                           size_t bytes, vta_diag *diag);

/* Between the files of device/core. */
/* A stream for a machine with tables on one without. */
vta_status vt_no_tables(uint32_t index, const vta_insn *insn, vta_diag *diag);
vta_status vt__check_load(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag);
void vt__load(vt_machine *machine, const vta_insn *insn);
vta_status vt__check_store(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag);
void vt__store(vt_machine *machine, const vta_insn *insn);
/* Checks a GEMM's or an ALU instruction's indices and fills `out_loops`. */
vta_status vt__check_loops(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag,
                           vt_loops *out_loops);
/* The uop buffer has new contents: decodes elements [first, first + count), drops what is known of ranges. */
void vt_machine_uops_loaded(vt_machine *machine, uint32_t first, uint32_t count);
/* The loops of a GEMM or ALU instruction over the uop buffer `uops`, as its fields say; nothing is checked. */
vt_loops vt_loops_of(const vta_insn *insn, const vta_uop *uops);
/* Mapped DRAM for every row of a transfer? */
vta_status vt__check_dram(vt_machine *machine, uint32_t index, const vta_insn *insn, vta_diag *diag);

/* Does a LOAD or STORE have padding? */
static inline bool vt_pads(const vta_insn *insn) {
    return insn->u.mem.y_pad_0 || insn->u.mem.y_pad_1 || insn->u.mem.x_pad_0 || insn->u.mem.x_pad_1;
}

/* The table that an ALU operation looks up, NULL for all but TABLE. */
static inline const int8_t *vt_table_of(const vt_machine *machine, vta_alu_opcode opcode, int32_t imm) {
    return opcode == VTA_ALU_TABLE ? machine->tables + (size_t)imm * VTA_TABLE_ENTRIES : NULL;
}

/* The scalar `index` of packed scalars of `width` bits, sign-extended. */
static inline int32_t vt_unpack(const uint8_t *bytes, size_t index, uint32_t width) {
    switch (width) {
    case 4: return (int8_t)(uint8_t)(bytes[index >> 1] << (index & 1 ? 0 : 4)) >> 4;
    case 8: return (int8_t)bytes[index];
    case 16: return (int16_t)(bytes[2 * index] | bytes[2 * index + 1] << 8);
    default:
        return (int32_t)((uint32_t)bytes[4 * index] | (uint32_t)bytes[4 * index + 1] << 8 |
                         (uint32_t)bytes[4 * index + 2] << 16 | (uint32_t)bytes[4 * index + 3] << 24);
    }
}

#endif
