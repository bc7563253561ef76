/* The key TIMING: settings of the timing model that a board's file carries. They are kept as the JSON they came as,
 * without what does not matter; which ones there are, and what they may be, is known to the model alone (device/tsim),
 * which reads them from it. */
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "base/json_write.h"
#include "config/settings.h"

static bool is_word(const char *text) {
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-') return false;
    return *text != '\0';
}

static vta_status refuse(const vt__config_settings *s, const char *key, const char *why, vta_diag *diag) {
    return vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name}, "TIMING: %.40s: %s", key, why);
}

static vta_status add_member(const vt__config_settings *s, vt_json *w, const char *key, const json_t *value,
                             vta_diag *diag) {
    bool profile = strcmp(key, "profile") == 0;
    if (!is_word(key)) return refuse(s, key, "is not the name of a setting", diag);
    if (profile && (!json_is_string(value) || !is_word(json_string_value(value))))
        return refuse(s, key, "must be the name of a profile, like \"hls\"", diag);
    if (!profile && !json_is_integer(value)) return refuse(s, key, "must be a whole number", diag);
    if (profile)
        vt_json_text(w, key, json_string_value(value));
    else
        vt_json_int(w, key, json_integer_value(value));
    return VTA_OK;
}

static vta_status add_members(const vt__config_settings *s, vt_json *w, const json_t *value, vta_diag *diag) {
    const json_t *profile = json_object_get(value, "profile");
    if (profile) VT_TRY(add_member(s, w, "profile", profile, diag));
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member) {
        if (strcmp(key, "profile")) VT_TRY(add_member(s, w, key, member, diag));
    }
    return VTA_OK;
}

vta_status vt__config_read_timing(vt__config_settings *s, const json_t *value, vta_diag *diag) {
    if (!json_is_object(value))
        return vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name},
                          "TIMING: must be an object, like {\"profile\": \"hls\", \"bus_bits\": 128}");
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, NULL);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vta_status status = add_members(s, &w, value, diag);
    vt_json_end(&w);
    if (status == VTA_OK && sb.failed) status = vt_no_memory(diag);
    if (status == VTA_OK && sb.size >= sizeof s->timing)
        status = refuse(s, "too many settings", "there is no room for them", diag);
    if (status == VTA_OK) memcpy(s->timing, sb.text, sb.size + 1);
    vt_strbuf_free(&sb);
    return status;
}

const char *vta_config_timing(const vta_config *config) { return config->timing; }
