/* Timing profiles: the table of vta/timing.def, changed by text or JSON. */
#include <string.h>

#include "base/json.h"
#include "base/json_write.h"
#include "base/pair.h"
#include "vta/timing.h"

static const vta_timing_profile profiles[] = {
#define VTA_TIMING_PROFILE(name, text, ...) {name, __VA_ARGS__},
#include "vta/timing.def"
};
static const char *const profile_texts[] = {
#define VTA_TIMING_PROFILE(name, text, ...) text,
#include "vta/timing.def"
};
enum { PROFILES = sizeof profiles / sizeof profiles[0] };

typedef struct setting {
    const char *name;
    size_t offset;
    uint32_t least, most;
} setting;
static const setting settings[] = {
#define VTA_TIMING_SETTING(name, least, most, meaning) {#name, offsetof(vta_timing_profile, name), least, most},
#include "vta/timing.def"
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static uint32_t *slot(vta_timing_profile *profile, const setting *s) {
    return (uint32_t *)((char *)profile + s->offset);
}

const char *vta_timing_profile_name(size_t index) { return index < PROFILES ? profiles[index].name : NULL; }
const char *vta_timing_profile_text(size_t index) { return index < PROFILES ? profile_texts[index] : NULL; }

vta_status vta_timing_profile_get(const char *name, vta_diag *diag, vta_timing_profile *out_profile) {
    if (out_profile == NULL) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_timing_profile_get: out_profile is NULL");
    *out_profile = profiles[0];
    if (name == NULL) return VTA_OK;
    for (size_t i = 0; i < PROFILES; i++)
        if (strcmp(profiles[i].name, name) == 0) {
            *out_profile = profiles[i];
            return VTA_OK;
        }
    vt_strbuf known;
    vt_strbuf_init(&known, &vt_allocator_libc);
    for (size_t i = 0; i < PROFILES; i++) vt_strbuf_addf(&known, "%s%s", i ? ", " : "", profiles[i].name);
    vta_status status =
        vt_fail(diag, VTA_NOT_FOUND, "there is no timing profile \"%s\"; there are: %s", name, vt_strbuf_text(&known));
    vt_strbuf_free(&known);
    return status;
}

static vta_status set_one(vta_timing_profile *profile, const char *key, size_t size, long long value, const char *where,
                          vta_diag *diag) {
    for (size_t i = 0; i < SETTINGS; i++) {
        const setting *s = &settings[i];
        if (strlen(s->name) != size || memcmp(s->name, key, size) != 0) continue;
        if (value < s->least || value > s->most)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: %s = %lld is out of range: it is from %u to %u", where, s->name,
                           value, s->least, s->most);
        *slot(profile, s) = (uint32_t)value;
        return VTA_OK;
    }
    return vt_fail(diag, VTA_NOT_FOUND,
                   "%s: a timing profile has no setting \"%.*s\"; there are: bus_bits, len_bits, "
                   "delay, queue_depth, frequency_khz and the others of docs/timing.md",
                   where, (int)size, key);
}

/* Rules that concern a profile as a whole. */
static vta_status check(const vta_timing_profile *profile, const char *where, vta_diag *diag) {
    if (profile->bus_bits & (profile->bus_bits - 1))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%s: bus_bits = %u is not a power of two", where, profile->bus_bits);
    return VTA_OK;
}

vta_status vta_timing_profile_set(vta_timing_profile *profile, const char *changes, vta_diag *diag) {
    if (profile == NULL || changes == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_timing_profile_set: profile or changes is NULL");
    static const char where[] = "timing settings";
    vta_timing_profile next = *profile;
    for (vt_pair pair; vt_pair_next(&changes, &pair);) {
        int64_t value;
        if (vt_pair_number(&pair, &value) != VT_NUMBER_READ)
            return vt_fail(diag, VTA_PARSE, "%s: \"%.*s\" is not NAME=NUMBER", where, (int)pair.size, pair.word);
        VT_TRY(set_one(&next, pair.key, pair.key_size, value, where, diag));
    }
    VT_TRY(check(&next, where, diag));
    *profile = next;
    return VTA_OK;
}

/* A key of vta_config.json, which a board's file may have beside its timing. */
static bool is_config_key(const char *key) { return key[0] >= 'A' && key[0] <= 'Z'; }

/* Changes a profile to what a JSON object says; its member "profile" names another one to begin with. */
static vta_status apply_json(const json_t *root, const char *name, bool board, vta_diag *diag,
                             vta_timing_profile *profile) {
    if (!json_is_object(root)) return vt_fail(diag, VTA_PARSE, "%s: a timing profile is a JSON object", name);
    const json_t *base = json_object_get(root, "profile");
    if (base && !json_is_string(base))
        return vt_fail(diag, VTA_PARSE, "%s: \"profile\" is the name of a profile, like \"chisel\"", name);
    vta_timing_profile next = *profile;
    if (base) VT_TRY(vta_timing_profile_get(json_string_value(base), diag, &next));
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)root, key, value) {
        if (strcmp(key, "profile") == 0 || (board && is_config_key(key))) continue;
        if (!json_is_integer(value))
            return vt_fail(diag, VTA_PARSE, "%s: \"%s\" is a whole number in a timing profile", name, key);
        VT_TRY(set_one(&next, key, strlen(key), json_integer_value(value), name, diag));
    }
    VT_TRY(check(&next, name, diag));
    *profile = next;
    return VTA_OK;
}

static vta_status apply_text(const char *json, size_t size, const char *name, bool board, vta_diag *diag,
                             vta_timing_profile *profile) {
    json_t *root;
    VT_TRY(vt_json_parse(json, size, name, diag, &root));
    vta_status status = apply_json(root, name, board, diag, profile);
    json_decref(root);
    return status;
}

vta_status vta_timing_profile_for(const vta_config *config, vta_diag *diag, vta_timing_profile *out_profile) {
    if (config == NULL) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_timing_profile_for: config is NULL");
    const char *target = vta_config_target(config), *settings_of = vta_config_timing(config);
    if (strcmp(target, "pynq") == 0) target = "hls";
    if (vta_timing_profile_get(target, NULL, out_profile) != VTA_OK)
        VT_TRY(vta_timing_profile_get(NULL, diag, out_profile));
    if (*settings_of == '\0') return VTA_OK;
    vt_strbuf where;
    vt_strbuf_init(&where, &vt_allocator_libc);
    vt_strbuf_addf(&where, "%s: TIMING", vta_config_source(config));
    vta_status status =
        where.failed ? vt_no_memory(diag)
                     : apply_text(settings_of, strlen(settings_of), vt_strbuf_text(&where), false, diag, out_profile);
    vt_strbuf_free(&where);
    return status;
}

vta_status vta_timing_profile_parse(const char *json, size_t size, const char *name, vta_diag *diag,
                                    vta_timing_profile *out_profile) {
    if (json == NULL || out_profile == NULL)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_timing_profile_parse: json or out_profile is NULL");
    *out_profile = profiles[0];
    if (name == NULL) name = "timing profile";
    return apply_text(json, size, name, true, diag, out_profile);
}

char *vta_timing_profile_to_json(const vta_timing_profile *profile) {
    if (profile == NULL) return NULL;
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, &vt_allocator_libc);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_json_text(&w, "profile", profile->name);
#define VTA_TIMING_SETTING(field, least, most, meaning) vt_json_uint(&w, #field, profile->field);
#include "vta/timing.def"
    vt_json_end(&w);
    return vt_strbuf_take(&sb);
}
