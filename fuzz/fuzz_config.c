/* Any text as a configuration file and as a list of changes: refused with a message, or a machine whose sizes agree
 * with each other and whose JSON gives it back. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

static void check_config(const vta_config *c) {
    for (int m = 0; m < VTA_MEM_COUNT; m++) {
        uint32_t bytes = vta_config_elem_bytes(c, (vta_memory)m), depth = vta_config_depth(c, (vta_memory)m);
        /* Only the memory of tables may be absent. */
        if (m == VTA_MEM_TABLE && !depth) {
            check(vta_config_buffer_bytes(c, (vta_memory)m) == 0);
            continue;
        }
        check(bytes >= 1 && bytes <= 4096 && depth >= 1);
        if (m != VTA_MEM_ACC_8BIT) check((uint64_t)bytes * depth == vta_config_buffer_bytes(c, (vta_memory)m));
    }
    char *json = vta_config_to_json(c);
    vta_config *again;
    check(vta_config_parse(json, strlen(json), "again", NULL, &again) == VTA_OK);
    check(!strcmp(vta_config_model(c), vta_config_model(again)));
    vta_config_release(again);
    vta_string_free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *c, *base = vta_config_default();
    if (vta_config_parse((const char *)data, size, "fuzz.json", diag, &c) == VTA_OK)
        check_config(c);
    else
        check(vta_diag_count(diag) > 0);
    vta_config_release(c);
    char *text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = 0;
        if (vta_config_with(base, text, diag, &c) == VTA_OK) check_config(c);
        vta_config_release(c);
    }
    free(text);
    vta_config_release(base);
    vta_diag_destroy(diag);
    return 0;
}
