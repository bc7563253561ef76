#include "config/settings.h"

#include <string.h>

#include "vta/support.h"

typedef struct row {
    const char *name;
    int32_t value, least, most;
    const char *meaning;
} row;

static const row rows[] = {
#define VTA_CONFIG_FIELD(key, value, least, most, meaning) {#key, value, least, most, meaning},
#include "vta/config.def"
#undef VTA_CONFIG_FIELD
};

static const char *const extra_names[] = {
    [VT__LOG_BLOCK] = "LOG_BLOCK",
    [VT__LOG_OUT_WIDTH] = "LOG_OUT_WIDTH",
    [VT__LOG_OUT_BUFF_SIZE] = "LOG_OUT_BUFF_SIZE",
    [VT__ISA_VERSION] = "ISA_VERSION",
};

static const char *const targets[] = {
#define VTA_TARGET(name, meaning) #name,
#include "vta/target.def"
#undef VTA_TARGET
};

static const char target_list[] = ""
#define VTA_TARGET(name, meaning) ", " #name
#include "vta/target.def"
#undef VTA_TARGET
    ;

enum { TARGET_COUNT = sizeof targets / sizeof *targets };

const char *vta_config_field_name(vta_config_field field) {
    return (unsigned)field < VTA_CONFIG_FIELD_COUNT ? rows[field].name : NULL;
}

const char *vta_config_field_meaning(vta_config_field field) {
    return (unsigned)field < VTA_CONFIG_FIELD_COUNT ? rows[field].meaning : NULL;
}

void vt__config_settings_init(vt__config_settings *s, const char *name) {
    *s = (vt__config_settings){.name = name, .target = "sim", .hw_version = "0.0.2"};
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) s->field[i] = rows[i].value;
}

bool vt__config_key_is_text(const char *key) { return !strcmp(key, "TARGET") || !strcmp(key, "HW_VER"); }

static vt_pos here(const vt__config_settings *s) { return (vt_pos){.file = s->name}; }

vta_status vt__config_unknown_key(const vt__config_settings *s, const char *key, vta_diag *diag) {
    const char *names[VTA_CONFIG_FIELD_COUNT + VT__EXTRA_COUNT];
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) names[i] = rows[i].name;
    for (int i = 0; i < VT__EXTRA_COUNT; i++) names[VTA_CONFIG_FIELD_COUNT + i] = extra_names[i];
    const char *nearest = vta_nearest_name(key, names, sizeof names / sizeof *names);
    vt_fail_at(diag, VTA_CONFIG, here(s), "%.60s: no such key; a misspelt key would silently leave a default", key);
    if (nearest) vt_note_at(diag, here(s), "did you mean %s?", nearest);
    return VTA_CONFIG;
}

static vta_status out_of_bounds(const vt__config_settings *s, const char *key, int64_t value, const row *r,
                                vta_diag *diag) {
    return vt_fail_at(diag, VTA_CONFIG, here(s), "%s = %lld: must be from %d to %d (%s)", key, (long long)value,
                      (int)r->least, (int)r->most, r->meaning);
}

static vta_status set_extra(vt__config_settings *s, int extra, int64_t value, vta_diag *diag) {
    static const row block = {"LOG_BLOCK", 4, 2, 6, "log2 channels of a tile, in and out"};
    if (extra == VT__LOG_BLOCK && (value < block.least || value > block.most))
        return out_of_bounds(s, block.name, value, &block, diag);
    if (extra == VT__ISA_VERSION && (value < 1 || value > VTA_ISA_VERSION))
        return vt_fail_at(diag, VTA_CONFIG, here(s),
                          "ISA_VERSION = %lld: this build knows versions 1 to %d of the instruction set",
                          (long long)value, VTA_ISA_VERSION);
    if (value < -64 || value > 64)
        return vt_fail_at(diag, VTA_CONFIG, here(s), "%s = %lld: is a log2 value", extra_names[extra],
                          (long long)value);
    s->extra[extra] = (int32_t)value;
    s->extra_given[extra] = true;
    return VTA_OK;
}

vta_status vt__config_set_number(vt__config_settings *s, const char *key, int64_t value, vta_diag *diag) {
    for (int i = 0; i < VT__EXTRA_COUNT; i++)
        if (!strcmp(key, extra_names[i])) return set_extra(s, i, value, diag);
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) {
        const row *r = &rows[i];
        if (strcmp(key, r->name)) continue;
        if (value < r->least || value > r->most) return out_of_bounds(s, key, value, r, diag);
        s->field[i] = (int32_t)value;
        s->given[i] = true;
        return VTA_OK;
    }
    return vt__config_unknown_key(s, key, diag);
}

static vta_status set_target(vt__config_settings *s, const char *value, vta_diag *diag) {
    for (int i = 0; i < TARGET_COUNT; i++) {
        if (strcmp(value, targets[i])) continue;
        memcpy(s->target, value, strlen(value) + 1);
        return VTA_OK;
    }
    return vt_fail_at(diag, VTA_CONFIG, here(s), "TARGET = \"%.40s\": no such target; one of %s", value,
                      target_list + 2);
}

static bool is_version(const char *text) {
    size_t n = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_+");
    return n > 0 && !text[n];
}

vta_status vt__config_set_text(vt__config_settings *s, const char *key, const char *value, vta_diag *diag) {
    if (!strcmp(key, "TARGET")) return set_target(s, value, diag);
    if (strcmp(key, "HW_VER")) return vt__config_unknown_key(s, key, diag);
    size_t size = strlen(value) + 1;
    if (size > sizeof s->hw_version || !is_version(value))
        return vt_fail_at(diag, VTA_CONFIG, here(s),
                          "HW_VER = \"%.40s\": must be 1 to %zu letters, digits and . - _ +, like \"0.0.2\"", value,
                          sizeof s->hw_version - 1);
    memcpy(s->hw_version, value, size);
    return VTA_OK;
}
