/* The two texts that settings come from: a JSON object and a list of changes. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/pair.h"
#include "config/settings.h"

static vta_status wrong_type(const vt__config_settings *s, const char *key, const json_t *value, const char *want,
                             vta_diag *diag) {
    char text[40] = "";
    size_t n = json_dumpb(value, text, sizeof text - 1, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *shown = n < sizeof text ? text : "(a long value)";
    return vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name}, "%s = %s: must be %s", key, shown, want);
}

static vta_status read_member(vt__config_settings *s, const char *key, const json_t *value, vta_diag *diag) {
    if (strcmp(key, "TIMING") == 0) return vt__config_read_timing(s, value, diag);
    if (vt__config_key_is_text(key)) {
        if (!json_is_string(value)) return wrong_type(s, key, value, "a string", diag);
        return vt__config_set_text(s, key, json_string_value(value), diag);
    }
    if (json_is_integer(value)) return vt__config_set_number(s, key, json_integer_value(value), diag);
    /* Only a key that exists has a type to complain about. */
    vt__config_settings scratch = *s;
    vta_status known = vt__config_set_number(&scratch, key, 4, NULL);
    if (known != VTA_OK) return vt__config_unknown_key(s, key, diag);
    return wrong_type(s, key, value, "a whole number", diag);
}

vta_status vt__config_read_json(vt__config_settings *s, const char *json, size_t size, vta_diag *diag) {
    json_t *root;
    VT_TRY(vt_json_parse(json, size, s->name, diag, &root));
    vta_status status = VTA_OK;
    if (!json_is_object(root))
        status = vt_fail_at(diag, VTA_PARSE, (vt_pos){s->name, 1, 1}, "a configuration is one JSON object, {...}");
    const char *key;
    json_t *value;
    /* Every wrong key is reported, not only the first. */
    json_object_foreach(root, key, value) {
        vta_status one = read_member(s, key, value, diag);
        if (status == VTA_OK) status = one;
    }
    json_decref(root);
    return status;
}

static vta_status wrong_change(const vt__config_settings *s, const vt_pair *pair, const char *why, vta_diag *diag) {
    return vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name}, "%.*s: %s", (int)(pair->size < 60 ? pair->size : 60),
                      pair->word, why);
}

static vta_status read_change(vt__config_settings *s, const vt_pair *pair, vta_diag *diag) {
    char key[64], value[64];
    int64_t number;
    if (!pair->key_size || !pair->has_value)
        return wrong_change(s, pair, "a change is written KEY=VALUE, like LOG_BATCH=1", diag);
    if (pair->key_size >= sizeof key || pair->value_size >= sizeof value)
        return wrong_change(s, pair, "longer than any change", diag);
    snprintf(key, sizeof key, "%.*s", (int)pair->key_size, pair->key);
    snprintf(value, sizeof value, "%.*s", (int)pair->value_size, pair->value);
    if (vt__config_key_is_text(key)) return vt__config_set_text(s, key, value, diag);
    if (vt_pair_number(pair, &number) == VT_NUMBER_READ) return vt__config_set_number(s, key, number, diag);
    return vt_fail_at(diag, VTA_CONFIG, (vt_pos){.file = s->name}, "%s = %.40s: must be a whole number", key, value);
}

vta_status vt__config_read_changes(vt__config_settings *s, const char *changes, vta_diag *diag) {
    for (vt_pair pair; vt_pair_next(&changes, &pair);) VT_TRY(read_change(s, &pair, diag));
    return VTA_OK;
}
