/* The key TIMING: settings of the timing model that a board's file carries. They are kept as words, "profile=hls
 * bus_bits=128"; which ones there are, and what they may be, is known to the model alone (device/tsim). */
#include <ctype.h>
#include <jansson.h>
#include <string.h>

#include "base/strbuf.h"
#include "config/settings.h"

static bool is_word(const char *text) {
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-') return false;
    return *text != '\0';
}

static vta_status refuse(const vt__config_settings *s, const char *key, const char *why, vta_diag *diag) {
    return vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name}, "TIMING: %.40s: %s", key, why);
}

static vta_status add_member(vt__config_settings *s, const char *key, const json_t *value, vta_diag *diag) {
    char word[96];
    bool profile = strcmp(key, "profile") == 0;
    if (!is_word(key)) return refuse(s, key, "is no setting's name", diag);
    if (profile && (!json_is_string(value) || !is_word(json_string_value(value))))
        return refuse(s, key, "must be the name of a profile, like \"hls\"", diag);
    if (!profile && !json_is_integer(value)) return refuse(s, key, "must be a whole number", diag);
    int size = profile ? snprintf(word, sizeof word, "profile=%s", json_string_value(value))
                       : snprintf(word, sizeof word, "%s=%lld", key, (long long)json_integer_value(value));
    size_t used = strlen(s->timing);
    if (size < 0 || (size_t)size >= sizeof word || used + (size_t)size + 2 > sizeof s->timing)
        return refuse(s, key, "there is no room for so many settings", diag);
    if (used) s->timing[used++] = ' ';
    memcpy(s->timing + used, word, (size_t)size + 1);
    return VTA_OK;
}

vta_status vt__config_read_timing(vt__config_settings *s, const json_t *value, vta_diag *diag) {
    if (!json_is_object(value))
        return vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name},
                          "TIMING: must be an object, like {\"profile\": \"hls\", \"bus_bits\": 128}");
    /* The profile's name comes first: the settings change it. */
    const json_t *profile = json_object_get(value, "profile");
    if (profile) VT_TRY(add_member(s, "profile", profile, diag));
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member) {
        if (strcmp(key, "profile")) VT_TRY(add_member(s, key, member, diag));
    }
    return VTA_OK;
}

void vt__config_print_timing(const vta_config *config, vt_strbuf *sb) {
    if (config->timing[0] == '\0') return;
    vt_strbuf_add(sb, ",\n  \"TIMING\": {");
    const char *separator = "";
    for (const char *p = config->timing; *p;) {
        size_t word = strcspn(p, " "), key = strcspn(p, "=");
        const char *quote = strncmp(p, "profile=", 8) ? "" : "\"";
        vt_strbuf_addf(sb, "%s\"%.*s\": %s%.*s%s", separator, (int)key, p, quote, (int)(word - key - 1), p + key + 1,
                       quote);
        separator = ", ";
        p += word + (p[word] == ' ');
    }
    vt_strbuf_addc(sb, '}');
}

const char *vta_config_timing(const vta_config *config) { return config->timing; }
