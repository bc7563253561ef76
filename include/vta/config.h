/* The hardware configuration: the shape of the accelerator, as data at run time (docs/spec.md, section 1).
 *
 * A vta_config is immutable once made, so any number of threads may share it. */
#ifndef VTA_CONFIG_H
#define VTA_CONFIG_H

#include "vta/status.h"

VTA_BEGIN

typedef struct vta_config vta_config;

/* The integer fields, in the order of vta/config.def. */
typedef enum vta_config_field {
#define VTA_CONFIG_FIELD(key, value, least, most, meaning) VTA_CONFIG_##key,
#include "vta/config.def"
#undef VTA_CONFIG_FIELD
    VTA_CONFIG_FIELD_COUNT
} vta_config_field;

/* The memories, numbered as in instructions. */
typedef enum vta_memory {
#define VTA_MEMORY(name, number, text, element) VTA_MEM_##name = number,
#include "vta/memory.def"
#undef VTA_MEMORY
    VTA_MEM_COUNT
} vta_memory;

/* The version of the instruction set (docs/spec.md, section 1) that this build knows: 1 is that of TVM's VTA, 2 adds
 * tables. */
enum { VTA_ISA_VERSION = 2 };

/* The built-in default: 1x16_i8w8a32_15_15_18_17, target sim. NULL only when out of memory. */
VTA_API vta_config *vta_config_default(void);
/* From the text of a vta_config.json; `name` stands for it in messages. VTA_PARSE for bad JSON, VTA_CONFIG for a
 * key that does not exist (a misspelt key would leave a default in place) or a value that breaks a rule: the message
 * names the file, the key, the value and the reason. LOG_BLOCK sets both blocks; LOG_OUT_WIDTH, LOG_OUT_BUFF_SIZE and
 * ISA_VERSION are accepted where they agree with the keys they follow from. */
VTA_API vta_status vta_config_parse(const char *json, size_t size, const char *name, vta_diag *diag,
                                    vta_config **out_config);
/* From a file; a name without a point or a slash that no file has is that of one of configs/, as "pynq". */
VTA_API vta_status vta_config_load(const char *path, vta_diag *diag, vta_config **out_config);
/* The lookup order of every tool: `path` when not NULL, else $VTA_CONFIG, else ./vta_config.json, else the built-in
 * default. *out_source (may be NULL) gets where it came from, a string owned by the configuration. */
VTA_API vta_status vta_config_find(const char *path, vta_diag *diag, vta_config **out_config, const char **out_source);
/* A copy with some keys changed: `changes` is text like "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18 TARGET=tsim". */
VTA_API vta_status vta_config_with(const vta_config *config, const char *changes, vta_diag *diag,
                                   vta_config **out_config);
/* A copy whose timing model has other settings: `json` is an object like that under TIMING, {"profile": "hls",
 * "bus_bits": 128}, and takes its place. VTA_PARSE for bad JSON, VTA_CONFIG where it is no such object; which settings
 * there are is known to vta_timing_profile_for. */
VTA_API vta_status vta_config_with_timing(const vta_config *config, const char *json, vta_diag *diag,
                                          vta_config **out_config);
/* Configurations are counted: retain returns its argument, and each retain needs a release. */
VTA_API vta_config *vta_config_retain(const vta_config *config);
VTA_API void vta_config_release(vta_config *config);

/* A field's log2 value; -1 for a field that does not exist. */
VTA_API int32_t vta_config_get(const vta_config *config, vta_config_field field);
VTA_API const char *vta_config_target(const vta_config *config);     /* "sim" */
VTA_API const char *vta_config_hw_version(const vta_config *config); /* "0.0.2" */
VTA_API const char *vta_config_bitstream(const vta_config *config);  /* "1x16_i8w8a32_15_15_18_17" */
VTA_API const char *vta_config_model(const vta_config *config);      /* "sim_1x16_i8w8a32_15_15_18_17" */

/* Where it came from: a path, or "built-in default". */
VTA_API const char *vta_config_source(const vta_config *config);

/* Settings of the timing model that the file carries under the key TIMING, as JSON: {"profile": "hls", "bus_bits": 128}
 * (vta/timing.h); "" when it has none. */
VTA_API const char *vta_config_timing(const vta_config *config);

/* The version of the instruction set that it needs: 1, or 2 where it has tables (LOG_TABLE_BUFF_SIZE). */
VTA_API uint32_t vta_config_isa_version(const vta_config *config);

/* Derived sizes. Widths in bits of one scalar (INP, WGT, ACC, OUT; UOP 32; ACC_8BIT 8). */
VTA_API uint32_t vta_config_batch(const vta_config *config);
VTA_API uint32_t vta_config_block_in(const vta_config *config);
VTA_API uint32_t vta_config_block_out(const vta_config *config);
VTA_API uint32_t vta_config_width(const vta_config *config, vta_memory memory);
/* Bytes of one element in DRAM, bytes of the buffer, and its depth in elements; 0 for a memory that does not exist, as
 * TABLE without tables.
 * ACC_8BIT shares acc's buffer and depth; its DRAM element has 8-bit scalars. */
VTA_API uint32_t vta_config_elem_bytes(const vta_config *config, vta_memory memory);
VTA_API uint32_t vta_config_buffer_bytes(const vta_config *config, vta_memory memory);
VTA_API uint32_t vta_config_depth(const vta_config *config, vta_memory memory);

/* The configuration as the text of a vta_config.json; free with vta_string_free. NULL when out of memory. */
VTA_API char *vta_config_to_json(const vta_config *config);
/* Name ("LOG_BATCH") and meaning of a field; NULL past the last. Static storage. */
VTA_API const char *vta_config_field_name(vta_config_field field);
VTA_API const char *vta_config_field_meaning(vta_config_field field);
/* Short name of a memory ("inp"); NULL for none. Static storage. */
VTA_API const char *vta_memory_name(vta_memory memory);

VTA_END

#endif
