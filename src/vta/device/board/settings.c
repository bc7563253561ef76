#include "device/board/settings.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/nearest.h"
#include "base/pair.h"

static const struct {
    const char *name, *value;
    size_t at;
} keys[] = {
#define VT_BOARD_SETTING(name, value, meaning) {#name, value, offsetof(vt_board_settings, name)},
#include "device/board/settings.def"
#undef VT_BOARD_SETTING
};
enum { KEYS = sizeof keys / sizeof *keys };

static vta_status unknown(const vt_pair *pair, vta_diag *diag) {
    const char *names[KEYS];
    char word[64], near[VT_SUGGESTION_BYTES], list[512] = "";
    snprintf(word, sizeof word, "%.*s", (int)pair->key_size, pair->key);
    for (int i = 0; i < KEYS; i++) {
        names[i] = keys[i].name;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", names[i]);
    }
    return vt_fail(diag, VTA_INVALID_ARGUMENT, "board settings: '%s' is not one of %s%s", word, list,
                   vt_suggest(near, word, names, KEYS));
}

static vta_status store(const vt_pair *pair, vta_diag *diag, vt_board_settings *s) {
    for (int i = 0; i < KEYS; i++) {
        if (strlen(keys[i].name) != pair->key_size || strncmp(keys[i].name, pair->key, pair->key_size)) continue;
        if (!pair->has_value || pair->value_size >= VT_BOARD_TEXT)
            return vt_fail(diag, VTA_INVALID_ARGUMENT, "board settings: %s needs a value of 1 to %d characters",
                           keys[i].name, VT_BOARD_TEXT - 1);
        snprintf((char *)s + keys[i].at, VT_BOARD_TEXT, "%.*s", (int)pair->value_size, pair->value);
        return VTA_OK;
    }
    return unknown(pair, diag);
}

vta_status vt__board_settings(const char *text, vta_diag *diag, vt_board_settings *s) {
    vt_pair pair;
    if (!text) text = vt_environment(VT_ENV_VTA_BOARD);
    for (int i = 0; i < KEYS; i++) snprintf((char *)s + keys[i].at, VT_BOARD_TEXT, "%s", keys[i].value);
    while (text && vt_pair_next(&text, &pair)) VT_TRY(store(&pair, diag, s));
    return VTA_OK;
}
