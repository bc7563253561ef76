/* Time: how many cycles a stream of instructions takes on the hardware, and why (docs/timing.md).
 *
 * The model needs decoded instructions only, no data: it runs at a cost that grows with the number of instructions
 * and memory bursts, not of cycles. The device `tsim` puts it beside the functional engine; these functions time a
 * stream without executing it. Everything is deterministic. */
#ifndef VTA_TIMING_H
#define VTA_TIMING_H

#include "vta/device.h"
#include "vta/isa.h"

VTA_BEGIN

struct vta_runtime;

/* A timing profile: which hardware, as numbers. Plain data; names and meanings are in vta/timing.def. */
typedef struct vta_timing_profile {
    char name[32];
#define VTA_TIMING_SETTING(name, least, most, meaning) uint32_t name;
#include "vta/timing.def"
} vta_timing_profile;

typedef enum vta_unit {
#define VTA_TIMING_UNIT(name, text, meaning) VTA_UNIT_##name,
#include "vta/timing.def"
    VTA_UNIT_COUNT
} vta_unit;

typedef enum vta_unit_state {
#define VTA_TIMING_STATE(name, id, text) VTA_STATE_##name,
#include "vta/timing.def"
    VTA_STATE_COUNT
} vta_unit_state;

typedef enum vta_insn_kind {
#define VTA_TIMING_KIND(name, text, unit) VTA_KIND_##name,
#include "vta/timing.def"
    VTA_KIND_COUNT
} vta_insn_kind;

/* What timing found out about one run, or the sum of several. */
typedef struct vta_timing {
    uint64_t cycles;                                 /* from launch to FINISH */
    uint64_t runs;                                   /* device runs summed up here */
    uint64_t state[VTA_UNIT_COUNT][VTA_STATE_COUNT]; /* cycles by unit and state; each row sums to cycles */
    uint64_t kind_count[VTA_KIND_COUNT];             /* instructions by kind */
    uint64_t kind_cycles[VTA_KIND_COUNT];            /* cycles from start to successor, by kind */
    uint64_t kind_bytes[VTA_KIND_COUNT];             /* DRAM bytes that the instructions ask for */
    uint64_t read_beats;                             /* beats that the memory delivered, instructions included */
    uint64_t read_bursts;                            /* read commands */
    uint64_t write_bytes;                            /* bytes stored */
    uint64_t fetch_bytes;                            /* bytes of instructions read */
    uint64_t gemm_uops;                              /* GEMM micro-op executions, resets not counted */
    uint64_t alu_uops;                               /* ALU micro-op executions */
    uint64_t lost_tokens;                            /* pushed into a full token counter */
} vta_timing;

/* When one instruction ran. Its unit waited from `ready` (predecessor done) to `start`; `end` is the first cycle in
 * which its successor can start (FINISH ends the run a cycle before). The waits before `start` are named in order:
 * fetch, then token of prev, then token of next. */
typedef struct vta_insn_time {
    uint64_t ready;   /* its predecessor in the unit was done */
    uint64_t arrived; /* it was visible in its queue */
    uint64_t start, end;
    uint64_t wait_prev, wait_next;   /* cycles waited for each token */
    uint64_t wait_memory;            /* of end - start: cycles in which nothing moved because data had not come */
    uint32_t beats;                  /* data beats, reads only */
    uint32_t token_prev, token_next; /* indices of the instructions that pushed the tokens taken; UINT32_MAX none */
    uint8_t kind;                    /* vta_insn_kind */
    uint8_t unit;                    /* vta_unit */
} vta_insn_time;

/* Profiles by name: "chisel" (also for NULL), "rtl", "chisel-2019", "hls", "ultra96", "zcu104". VTA_NOT_FOUND lists
 * them. */
VTA_API vta_status vta_timing_profile_get(const char *name, vta_diag *diag, vta_timing_profile *out_profile);
/* The default profile of a configuration: the board's where its TARGET is one, else "chisel", with what the file says
 * under TIMING. */
VTA_API vta_status vta_timing_profile_for(const vta_config *config, vta_diag *diag, vta_timing_profile *out_profile);
/* From JSON: {"profile": "chisel", "bus_bits": 128, ...}; keys of a vta_config.json in the same object are passed
 * over, so a board's file may carry both. `name` stands for the text in messages. */
VTA_API vta_status vta_timing_profile_parse(const char *json, size_t size, const char *name, vta_diag *diag,
                                            vta_timing_profile *out_profile);
/* Changes some settings: "bus_bits=128 delay=40". The profile stays as it was when this fails. */
VTA_API vta_status vta_timing_profile_set(vta_timing_profile *profile, const char *changes, vta_diag *diag);
/* As JSON text; free with vta_string_free. NULL when out of memory. */
VTA_API char *vta_timing_profile_to_json(const vta_timing_profile *profile);
/* Name and one line of profile `index`; NULL past the last. Static storage. */
VTA_API const char *vta_timing_profile_name(size_t index);
VTA_API const char *vta_timing_profile_text(size_t index);

/* Times `count` instructions, fetched from physical address `insn_addr`. `out_times` may be NULL, else it has room
 * for `count` entries; instructions after FINISH get start UINT64_MAX. VTA_DEADLOCK names the instruction that waits
 * forever; VTA_TIMEOUT when `limit` (0: none) cycles have passed. */
VTA_API vta_status vta_timing_run(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insns,
                                  size_t count, uint32_t insn_addr, uint64_t limit, const vta_allocator *allocator,
                                  vta_diag *diag, vta_timing *out_timing, vta_insn_time *out_times);
/* Instructions that fetch reads at a time; 0 for NULL. */
VTA_API uint32_t vta_timing_fetch_batch(const vta_timing_profile *profile);
/* Adds `more` to `sum`. */
VTA_API void vta_timing_add(vta_timing *sum, const vta_timing *more);

/* What a tsim device has measured since its counters were cleared. VTA_UNSUPPORTED on a device that does not time. */
VTA_API vta_status vta_device_timing(const vta_device *device, vta_diag *diag, vta_timing *out_timing,
                                     vta_timing_profile *out_profile);

/* The same for the device of a runtime; NULL: the calling thread's (vta/runtime.h). */
VTA_API vta_status vta_runtime_timing(struct vta_runtime *runtime, vta_diag *diag, vta_timing *out_timing,
                                      vta_timing_profile *out_profile);

/* Figures made from a timing: rates are fractions of a peak, 0..1. */
typedef struct vta_timing_summary {
    double seconds;          /* at the profile's frequency */
    double gemm_utilization; /* GEMM micro-ops a cycle; the peak is one a gemm_step */
    double bus_utilization;  /* read beats a cycle */
    double bytes_per_cycle;  /* tensor and micro-op bytes moved, both ways */
    double macs_per_byte;    /* arithmetic intensity */
    double macs_per_cycle;   /* reached */
    double peak_macs_per_cycle;
    double roof_macs_per_cycle; /* min(peak, intensity x peak bytes a cycle): what the roofline allows */
    double roofline_fraction;   /* reached / allowed, of `operations` below */
    uint64_t macs, bytes;
    uint64_t alu_ops; /* operations on accumulator scalars */
    double alu_utilization;
    bool of_alu; /* no GEMM ran: intensity and roofline below count ALU operations, else MACs */
    double operations_per_byte, operations_per_cycle, peak_operations_per_cycle, roof_operations_per_cycle;
} vta_timing_summary;
VTA_API vta_timing_summary vta_timing_summarize(const vta_config *config, const vta_timing_profile *profile,
                                                const vta_timing *timing);
/* As text (a table of units and states, then the figures) and as JSON, which has the cycles under TVM VTA's
 * name, "cycle_count", too. Free with vta_string_free; NULL when out of memory. */
VTA_API char *vta_timing_to_text(const vta_config *config, const vta_timing_profile *profile, const vta_timing *timing);
VTA_API char *vta_timing_to_json(const vta_config *config, const vta_timing_profile *profile, const vta_timing *timing);

/* Names ("load", "wait_memory", "load inp") and texts; NULL past the last. Static storage. */
VTA_API const char *vta_unit_name(vta_unit unit);
VTA_API const char *vta_unit_state_name(vta_unit_state state);
VTA_API const char *vta_unit_state_text(vta_unit_state state);
VTA_API const char *vta_insn_kind_name(vta_insn_kind kind);

VTA_END

#endif
