/* Devices: what executes an instruction stream against DRAM. One table of functions; sim, tsim and null implement
 * it, and boards and remote sessions can. Nothing above this header knows where device memory lives.
 *
 * A device has its own DRAM: paged, physically addressed, 32-bit addresses, 4096-byte pages, address 0 invalid.
 * A vta_device may be used by one thread at a time; different devices are independent. */
#ifndef VTA_DEVICE_H
#define VTA_DEVICE_H

#include <stdbool.h>

#include "vta/config.h"

VTA_BEGIN

enum { VTA_PAGE_BYTES = 4096, VTA_MAX_TRANSFER = 1 << 25 };

typedef struct vta_device vta_device;

/* Counters as in vta/counters.def. */
typedef struct vta_counters {
#define VTA_COUNTER(name, meaning) uint64_t name;
#include "vta/counters.def"
#undef VTA_COUNTER
} vta_counters;

/* In which order instructions run, among the orders that the tokens allow (docs/spec.md, section 5). */
typedef enum vta_order {
    VTA_ORDER_PROGRAM = 0,    /* as they stand in the stream */
    VTA_ORDER_RANDOM = 1,     /* a random legal order, from the seed */
    VTA_ORDER_STORE_LATE = 2, /* loads as early, stores as late as tokens allow */
} vta_order;

typedef enum vta_engine {
    VTA_ENGINE_FAST = 0,      /* the default */
    VTA_ENGINE_REFERENCE = 1, /* plain loops: the oracle */
} vta_engine;

typedef struct vta_device_options {
    size_t size;            /* of this struct, or 0 */
    uint32_t engine;        /* vta_engine */
    uint32_t order;         /* vta_order */
    uint64_t seed;          /* for VTA_ORDER_RANDOM */
    bool check;             /* find races, reads of what was never written, and what is not portable */
    bool skip_execution;    /* count, load micro-ops, compute nothing (debug flag 1 of TVM's VTA) */
    const char *profile;    /* timing profile of tsim and rtl: "chisel", "rtl" when NULL */
    const char *cpu;        /* fast engine: "auto" (NULL), "portable", "avx2", "avx512" */
    uint32_t stall_percent; /* rtl: how often each channel of the memory is held up, at random from the seed */
    bool assertions;        /* rtl: a model that checks the assertions of the sources */
    const char *wave;       /* rtl: a file for the waves of every run, *.fst; NULL: none */
    const char *board; /* a board's parts, "registers=/dev/uio0 memory=udmabuf1" (docs/boards.md); NULL: $VTA_BOARD */
    bool pack;         /* rtl: a model with two 8-bit products in one multiplier */
    bool netlist;      /* rtl: a model of what Yosys makes of the sources */
    bool small;        /* rtl: a model of the design for small parts, which refuses what that leaves out */
    uint32_t address_bits; /* rtl: of the model's DRAM addresses; 0: 32 */
} vta_device_options;

/* Makes a device: `driver` is "sim", "tsim", "rtl", "null", or a board ("pynq", "ultra96", "zcu104", "de10nano"); NULL
 * takes the configuration's TARGET. `options` may be NULL. VTA_NOT_FOUND for a driver that does not exist, with the
 * list of those that do. Free with vta_device_destroy. */
VTA_API vta_status vta_device_create(const char *driver, const vta_config *config, const vta_device_options *options,
                                     const vta_allocator *allocator, vta_diag *diag, vta_device **out_device);
VTA_API void vta_device_destroy(vta_device *device);
VTA_API const vta_config *vta_device_config(const vta_device *device);
VTA_API const char *vta_device_driver(const vta_device *device);
VTA_API vta_status vta_device_set_options(vta_device *device, const vta_device_options *options, vta_diag *diag);

/* Is the hardware that such a device would use free? Takes nothing, and does not wait. VTA_IO: another process or
 * device has it, or it is not there; VTA_TIMEOUT: it runs a stream, which a process may have left behind. VTA_OK for
 * drivers whose devices share nothing. `driver` as above. */
VTA_API vta_status vta_device_idle(const char *driver, const vta_config *config, const vta_device_options *options,
                                   vta_diag *diag);

/* What this machine has of what a board's driver needs, and what is missing, in the order in which it is put in place,
 * as JSON: {"board": "pynq", "parts": [{"name": "manager", "is": "how the FPGA is programmed", "state": "ok", "found":
 * "...", "advice": null}, ...], "missing": 0}; a state is "ok", "missing" or "unknown". Free with vta_string_free.
 * Nothing is run or changed, and registers are touched only where that is safe. `driver` and `options` as above;
 * VTA_UNSUPPORTED for devices that need nothing. VTA_OK whatever is missing. */
VTA_API vta_status vta_device_check(const char *driver, const vta_config *config, const vta_device_options *options,
                                    vta_diag *diag, char **out_json);

/* Device memory. Whole pages, zeroed; *out_addr is a multiple of the page. VTA_NO_MEMORY when the address space or
 * the host's memory is used up. */
VTA_API vta_status vta_device_alloc(vta_device *device, size_t bytes, vta_diag *diag, uint32_t *out_addr);
/* Maps pages at a chosen address (loading a captured program). VTA_OUT_OF_RANGE when something lives there,
 * VTA_UNSUPPORTED on a device that chooses addresses itself. */
VTA_API vta_status vta_device_alloc_at(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
/* VTA_NOT_FOUND when `addr` is not the start of an allocation. */
VTA_API vta_status vta_device_free(vta_device *device, uint32_t addr, vta_diag *diag);
/* Copies; VTA_OUT_OF_RANGE when any byte is not mapped. */
VTA_API vta_status vta_device_write(vta_device *device, uint32_t addr, const void *from, size_t bytes, vta_diag *diag);
VTA_API vta_status vta_device_read(vta_device *device, uint32_t addr, void *to, size_t bytes, vta_diag *diag);
/* The host's view of an allocation, where the host sees device memory: `bytes` from `addr` on must lie inside one
 * allocation. NULL where there is no such view. */
VTA_API void *vta_device_host_ptr(vta_device *device, uint32_t addr, size_t bytes);
/* For that view, on devices whose caches do not agree with the host's: _flush hands what the host wrote to the device,
 * _invalidate shows the host what the device wrote (and drops what was not flushed). Simulators have nothing to do but
 * to check: VTA_OUT_OF_RANGE when any byte is not mapped. vta_device_write and _read need neither. */
VTA_API vta_status vta_device_flush(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);
VTA_API vta_status vta_device_invalidate(vta_device *device, uint32_t addr, size_t bytes, vta_diag *diag);

/* Runs `count` instructions at physical address `insn_addr` until FINISH. Memory contents and counters are as if the
 * run had not begun when it is refused before it starts (bad address, damaged instruction); an error during the run
 * leaves what was done until then. VTA_DEADLOCK, VTA_RACE, VTA_OUT_OF_RANGE, VTA_ILLEGAL, VTA_TIMEOUT: the message
 * names the instruction. `wait_cycles` bounds the work, VTA_TIMEOUT beyond it; 0: no bound. On a device that does not
 * time, a cycle is one micro-op or one element moved: what an ideal machine would need, so that a damaged loop count
 * cannot hang the caller. One that times waits so many cycles of the hardware: the instructions that ended within them
 * were executed and counted, no others. Stops with VTA_INTERRUPTED after vta_device_interrupt.
 *
 * With options.check the run is completed, and then VTA_RACE lists the pairs of instructions that touch the same
 * on-chip elements or the same DRAM without a token path between them, and stores that FINISH does not wait for;
 * VTA_ILLEGAL the reads of on-chip elements that nothing in this run has written; VTA_UNSUPPORTED what the TARGET, a
 * board, does otherwise. Where the TARGET is none, warnings, which are not errors, tell what boards do otherwise. */
VTA_API vta_status vta_device_run(vta_device *device, uint32_t insn_addr, uint32_t count, uint32_t wait_cycles,
                                  vta_diag *diag);
/* Stops the run that is going on, or vta_debugger_create, soon; does nothing when none is. The one function that may be
 * called from any thread, and from a signal handler. */
VTA_API void vta_device_interrupt(vta_device *device);

/* Loads a bitstream (a file) into the device's FPGA. On devices without one there is nothing to do. */
VTA_API vta_status vta_device_program(vta_device *device, const char *bitstream, vta_diag *diag);

VTA_API vta_counters vta_device_counters(const vta_device *device);
VTA_API void vta_device_clear_counters(vta_device *device);
/* What runs with options.check found since the counters were cleared or the options set, as JSON:
 *
 *     {"runs": 1, "races": [...], "unwritten": [...], "more": 0, "unsupported": [...], "warnings": [...]}
 *
 * An error (the first 16 of both lists; "more" counts the accesses beyond): "kind" ("race", "dram-race", "fetch-race",
 * "unfinished", "unwritten"), "run" (counted from 0), "first" and "second" (instruction numbers, with "first_is",
 * "second_is": what they are), "memory" with the elements "from" and "to" (of "dram": byte addresses), "text". A
 * warning, one of each kind: "kind", "count" of instructions, "run" and "first" of the first one, "differs" (the
 * implementations that do otherwise), "text"; "unsupported" has those that the TARGET does otherwise. Free with
 * vta_string_free; NULL: out of memory. */
VTA_API char *vta_device_findings_to_json(const vta_device *device);
/* One on-chip buffer's contents, for debuggers and tests: `elements` elements of `memory` from `first` on, acc scalars
 * as 32-bit integers, others as they stand in DRAM. VTA_UNSUPPORTED where the device cannot be inspected. */
VTA_API vta_status vta_device_peek(vta_device *device, vta_memory memory, uint32_t first, uint32_t elements, void *to,
                                   size_t bytes, vta_diag *diag);
/* Counters as JSON, {"inp_load_nbytes": 0, ...}, all of vta/counters.def; free with vta_string_free. */
VTA_API char *vta_counters_to_json(const vta_counters *counters);

/* Has the design that the configuration's TARGET is programmed with this operation of the ALU (a vta_alu_opcode)? False
 * for MUL on the boards of TVM's VTA, and for all where such a design computes row 0 only and BATCH is more: a stream
 * that has one is refused when it is recorded, a kernel when it is lowered. */
VTA_API bool vta_target_has_alu(const vta_config *config, uint32_t alu_opcode);
/* Does a driver (a name, or NULL: that of the TARGET) carry out streams that were recorded for the configuration's
 * TARGET? False for a board whose design differs from that of the TARGET in what docs/boards.md lists: a runtime on it
 * records streams for the board instead; recorded ones may compute something else there. */
VTA_API bool vta_target_fits(const vta_config *config, const char *driver);

/* A model of the board that is the configuration's TARGET (de10nano: one register block; all others: four): the
 * simulator behind files for registers and memory in `folder`, which the board's driver maps (board setting
 * model=FOLDER). Serves until stop(ctx) is true; it is asked again and again, by two threads. `bytes` of memory; 0: 64
 * MiB. */
VTA_API vta_status vta_board_model(const char *folder, const vta_config *config, size_t bytes, bool (*stop)(void *ctx),
                                   void *ctx, vta_diag *diag);

VTA_END

#endif
