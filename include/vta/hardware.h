/* The accelerator as hardware: SystemVerilog of this project, made for a configuration, and models of it that run under
 * Verilator (docs/hardware.md). A model, once built, is what the driver "rtl" runs on. */
#ifndef VTA_HARDWARE_H
#define VTA_HARDWARE_H

#include <stdbool.h>

#include "vta/config.h"

VTA_BEGIN

/* What a design has besides its configuration. 0 takes the default. */
typedef struct vta_hardware_options {
    size_t size;           /* of this struct, or 0 */
    uint32_t bus_bits;     /* of the memory bus, a power of two from 32 to 512: 64 */
    uint32_t burst_beats;  /* of the longest burst, a power of two up to 256; a burst stays within 4096 bytes: 16 */
    uint32_t queue_depth;  /* entries of each module queue, a power of two from 2 (small: 1) to 4096: 512 */
    uint32_t address_bits; /* of DRAM, 16 to 32: 32. What is beyond is never asked for, so programs must lie below */
    uint32_t reads_most;   /* bursts that may be under way at once, a power of two from 2 to 64: 16 */
    bool pack;             /* two 8-bit products in one multiplier of 25 x 18 bits, as Xilinx parts have them */
    bool small;            /* for small parts without multipliers: see docs/hardware.md for what it leaves out */
    bool no_mul;           /* the ALU without MUL, for parts without multipliers */
    bool wave;             /* models only: able to write waves */
    bool coverage;         /* models only: count what lines and bits were reached */
    bool assertions;       /* models only: check the assertions in the sources, start from random contents */
    bool netlist;          /* models only: of what Yosys makes of the sources, not of the sources themselves */
} vta_hardware_options;

/* Writes the design for a configuration into a folder (made if needed): the package of parameters, the modules, and
 * vta.f, the list of files in the order in which tools want them. VTA_UNSUPPORTED for a configuration that the design
 * cannot have, with the reason. */
VTA_API vta_status vta_hardware_generate(const vta_config *config, const vta_hardware_options *options,
                                         const char *folder, vta_diag *diag);
/* Can the design be made? The refusals of vta_hardware_generate. */
VTA_API vta_status vta_hardware_check(const vta_config *config, const vta_hardware_options *options, vta_diag *diag);
/* Makes the model of a design, unless it was made before: needs verilator, g++ and make, and takes some seconds.
 * *out_path, which may be NULL, gets the model's file; free with vta_string_free. VTA_UNSUPPORTED without the tools. */
VTA_API vta_status vta_hardware_build(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                                      char **out_path);
/* The model that vta_hardware_build makes or made. VTA_NOT_FOUND, saying how to make it, when there is none. */
VTA_API vta_status vta_hardware_find(const vta_config *config, const vta_hardware_options *options, vta_diag *diag,
                                     char **out_path);

/* ---- Gates ---- */

/* LUTs (those that serve as memory, too), flip-flops, multipliers, blocks of memory (half ones count 0.5). */
typedef struct vta_hardware_area {
    double luts, flip_flops, multipliers, block_rams;
} vta_hardware_area;

/* A well-known part. Its strings live as long as the library. */
typedef struct vta_part {
    const char *name;   /* "xc7z020" */
    const char *family; /* as vta_hardware_synthesize wants it */
    const char *board;  /* one that has it */
    vta_hardware_area has;
} vta_part;
/* The parts of vta/part.def, from 0 on; false behind the last one. */
VTA_API bool vta_part_get(size_t index, vta_part *out_part);

/* Families of parts, from 0 on; NULL behind the last one. What the family is, what its multipliers and blocks of memory
 * are called; NULL for an unknown family. */
VTA_API const char *vta_part_family_name(size_t index);
VTA_API const char *vta_part_family_text(const char *family);
VTA_API const char *vta_part_multiplier_name(const char *family);
VTA_API const char *vta_part_block_ram_name(const char *family);

/* A module and what its own cells take, all its instances together. */
typedef struct vta_synthesis_module {
    const char *name; /* belongs to the synthesis */
    uint32_t count;   /* instances */
    vta_hardware_area area;
} vta_synthesis_module;

/* What Yosys makes of a design for a family of parts. */
typedef struct vta_synthesis vta_synthesis;

/* Runs Yosys, module by module, or with all in one (`flatten`: smaller, slower); a result is kept in the folder of
 * models. VTA_UNSUPPORTED without Yosys, VTA_TIMEOUT when it takes more than `seconds` (0: 1200). */
VTA_API vta_status vta_hardware_synthesize(const vta_config *config, const vta_hardware_options *options,
                                           const char *family, bool flatten, uint32_t seconds, vta_diag *diag,
                                           vta_synthesis **out_synthesis);
VTA_API void vta_synthesis_destroy(vta_synthesis *synthesis);
/* All modules together. */
VTA_API vta_hardware_area vta_synthesis_area(const vta_synthesis *synthesis);
/* Modules in the order of their names; false behind the last one. */
VTA_API bool vta_synthesis_module_get(const vta_synthesis *synthesis, size_t index, vta_synthesis_module *out_module);

VTA_END

#endif
