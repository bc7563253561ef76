/* Captured programs: a configuration and one or more device runs, each with its instruction stream and the contents of
 * DRAM before it and after it. Written by a capturing runtime, by hand or by a compiler; read and run by every tool.
 *
 * Two forms on disk: the project's own single file (docs/program-format.md), and a folder with vta_config.json,
 * stats.json and one folder a run (run.json, insn.bin, contents). Both are read whole and checked when they are loaded;
 * a damaged one is an error, never more.
 *
 * A vta_program may be read by several threads at once while none changes it. */
#ifndef VTA_PROGRAM_H
#define VTA_PROGRAM_H

#include <stdbool.h>

#include "vta/device.h"

VTA_BEGIN

/* DRAM that the segments of one run may cover together, and the size of a file that is read. */
#define VTA_PROGRAM_MAX_DRAM ((size_t)1 << 30)
#define VTA_PROGRAM_MAX_FILE ((size_t)1 << 31)

typedef struct vta_program vta_program;

/* One device run. `insns` holds insn_count x 16 bytes and belongs to the program. */
typedef struct vta_program_run_info {
    uint32_t insn_addr; /* physical address at which the stream stood */
    uint32_t insn_count;
    uint32_t segment_count;
    const uint8_t *insns;
} vta_program_run_info;

/* A piece of DRAM: `size` bytes from `addr` on. Contents are cut after their last byte that is not zero: before_size
 * and after_size are at most `size`, and zeros follow. has_after is false where the run left the contents as they were.
 * Pointers belong to the program. */
typedef struct vta_program_segment {
    uint32_t addr;
    uint32_t size;
    bool has_after;
    const uint8_t *before;
    size_t before_size;
    const uint8_t *after;
    size_t after_size;
} vta_program_segment;

/* ---- Writing --------------------------------------------------------------------------------------------- */

/* Makes an empty program; it keeps a reference to the configuration. Free with vta_program_destroy. */
VTA_API vta_status vta_program_create(const vta_config *config, const vta_allocator *allocator, vta_diag *diag,
                                      vta_program **out_program);
VTA_API void vta_program_destroy(vta_program *program);

/* Recording a device run, in this order; all contents are copied, equal contents are kept once.
 *   vta_program_begin_run     the instruction stream (not also as a segment, unless its memory is one)
 *   vta_program_add_segment   each piece of DRAM before the device runs
 *   vta_program_add_after     the same pieces after it; what did not change may be left out
 *   vta_program_end_run       or vta_program_drop_run, which forgets it (a run that failed)
 * An address is that of a page, segments do not overlap. VTA_OUT_OF_RANGE, VTA_INVALID_ARGUMENT, VTA_NO_MEMORY: the
 * run being recorded is as before the call. */
VTA_API vta_status vta_program_begin_run(vta_program *program, uint32_t insn_addr, const uint8_t *insns,
                                         uint32_t insn_count, vta_diag *diag);
VTA_API vta_status vta_program_add_segment(vta_program *program, uint32_t addr, const void *before, size_t size,
                                           vta_diag *diag);
/* `addr` and `size` are those of a segment of this run; VTA_NOT_FOUND otherwise. */
VTA_API vta_status vta_program_add_after(vta_program *program, uint32_t addr, const void *after, size_t size,
                                         vta_diag *diag);
/* Says what instruction `insn` of this run, and those after it up to the next note, come from: a line of text such as
 * "res_conv ic.outer=3". Notes come in the order of their instructions; an empty one ends the one before. */
VTA_API vta_status vta_program_add_note(vta_program *program, uint32_t insn, const char *text, vta_diag *diag);
VTA_API vta_status vta_program_end_run(vta_program *program, vta_diag *diag);
VTA_API void vta_program_drop_run(vta_program *program);
/* Replaces the instruction stream of a run (an edited listing). */
VTA_API vta_status vta_program_set_insns(vta_program *program, uint32_t run, const uint8_t *insns, uint32_t insn_count,
                                         vta_diag *diag);
/* Counters of the whole program: bit i of `mask` says that counter i of vta/counters.def was recorded. */
VTA_API void vta_program_set_stats(vta_program *program, const vta_counters *counters, uint32_t mask);

/* ---- Reading --------------------------------------------------------------------------------------------- */

VTA_API const vta_config *vta_program_config(const vta_program *program);
VTA_API uint32_t vta_program_run_count(const vta_program *program);
/* VTA_OUT_OF_RANGE past the last. */
VTA_API vta_status vta_program_get_run(const vta_program *program, uint32_t run, vta_program_run_info *out_run);
/* Segments stand in the order of their addresses. */
VTA_API vta_status vta_program_get_segment(const vta_program *program, uint32_t run, uint32_t index,
                                           vta_program_segment *out_segment);
/* What an instruction of a run comes from; NULL: not known. Belongs to the program. */
VTA_API const char *vta_program_note(const vta_program *program, uint32_t run, uint32_t insn);
/* The recorded counters and their mask; the mask is 0 when none were recorded. */
VTA_API uint32_t vta_program_get_stats(const vta_program *program, vta_counters *out_counters);

/* ---- On disk --------------------------------------------------------------------------------------------- */

/* From a folder or a single file; which one is seen from the path. `name` stands for the bytes in messages. */
VTA_API vta_status vta_program_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                    vta_program **out_program);
VTA_API vta_status vta_program_parse(const uint8_t *bytes, size_t size, const char *name,
                                     const vta_allocator *allocator, vta_diag *diag, vta_program **out_program);
/* Writes the single file; _serialize gives its bytes, to be freed with vta_string_free. */
VTA_API vta_status vta_program_save(const vta_program *program, const char *path, vta_diag *diag);
VTA_API vta_status vta_program_serialize(const vta_program *program, vta_diag *diag, uint8_t **out_bytes,
                                         size_t *out_size);

/* ---- Running --------------------------------------------------------------------------------------------- */

/* A program on a device: maps the DRAM of its runs there. The device and the program must outlive it, and nothing else
 * may be mapped at the program's addresses. Destroying it frees what it mapped. */
typedef struct vta_replay vta_replay;
VTA_API vta_status vta_replay_create(const vta_program *program, vta_device *device, vta_diag *diag,
                                     vta_replay **out_replay);
VTA_API void vta_replay_destroy(vta_replay *replay);
/* Maps and fills the DRAM of one run, with its instruction stream. Then run the device at the run's insn_addr. */
VTA_API vta_status vta_replay_load(vta_replay *replay, uint32_t run, vta_diag *diag);
/* Compares DRAM with what was recorded after the run. VTA_MISMATCH names run, address, expected and found bytes of the
 * first difference. */
VTA_API vta_status vta_replay_check(vta_replay *replay, uint32_t run, vta_diag *diag);

typedef struct vta_program_options {
    size_t size;          /* of this struct, or 0 */
    bool expect;          /* compare DRAM after each run, and the recorded counters after the last */
    uint32_t wait_cycles; /* for vta_device_run */
    /* Called before each run when not NULL; true stops with VTA_INTERRUPTED. */
    bool (*progress)(void *ctx, uint32_t run, uint32_t run_count);
    void *ctx;
} vta_program_options;

/* Runs the whole program on a device made for the same configuration (VTA_MISMATCH otherwise). `options` may be NULL.
 */
VTA_API vta_status vta_program_run(const vta_program *program, vta_device *device, const vta_program_options *options,
                                   vta_diag *diag);

VTA_END

#endif
