/* What a file or a list of changes asks for, before it is checked as a whole. */
#ifndef VT_CONFIG_SETTINGS_H
#define VT_CONFIG_SETTINGS_H

#include "base/diag.h"
#include "config/config_priv.h"

/* Keys that are accepted besides the fields: LOG_BLOCK sets both blocks; the LOG_OUT_ keys, which TVM's VTA writes
 * beside what they follow from, must agree with it, and so must ISA_VERSION. */
typedef enum vt__config_extra {
    VT__LOG_BLOCK,
    VT__LOG_OUT_WIDTH,
    VT__LOG_OUT_BUFF_SIZE,
    VT__ISA_VERSION,
    VT__EXTRA_COUNT
} vt__config_extra;

typedef struct vt__config_settings {
    const char *name; /* stands for the file in messages */
    int32_t field[VTA_CONFIG_FIELD_COUNT];
    bool given[VTA_CONFIG_FIELD_COUNT];
    int32_t extra[VT__EXTRA_COUNT];
    bool extra_given[VT__EXTRA_COUNT];
    char target[32];
    char hw_version[32];
    char timing[VT_CONFIG_TIMING_BYTES]; /* JSON, {"profile": "hls", ...}; "": nothing given */
} vt__config_settings;

/* The defaults, under a name. */
void vt__config_settings_init(vt__config_settings *s, const char *name);
/* One key. A value that cannot be right by itself, or a key that does not exist, is refused. */
vta_status vt__config_set_number(vt__config_settings *s, const char *key, int64_t value, vta_diag *diag);
vta_status vt__config_set_text(vt__config_settings *s, const char *key, const char *value, vta_diag *diag);
bool vt__config_key_is_text(const char *key);
vta_status vt__config_unknown_key(const vt__config_settings *s, const char *key, vta_diag *diag);
/* Reads all keys of a JSON object. */
vta_status vt__config_read_json(vt__config_settings *s, const char *json, size_t size, vta_diag *diag);
/* The member TIMING of a configuration (timing.c). */
struct json_t;
vta_status vt__config_read_timing(vt__config_settings *s, const struct json_t *value, vta_diag *diag);
/* Reads "KEY=VALUE KEY=VALUE ...". */
vta_status vt__config_read_changes(vt__config_settings *s, const char *changes, vta_diag *diag);
/* Checks the rules between keys and derives everything else. */
vta_status vt__config_derive(const vt__config_settings *s, vta_diag *diag, vta_config *out_config);

#endif
