/* Any text to the assembler: refused with a position, or taken; and then what it means survives a round trip. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

static void check_refusal(vta_diag *diag) {
    vta_diag_entry e;
    check(vta_diag_count(diag) > 0 && vta_diag_get(diag, 0, &e) == VTA_OK);
    check(e.line > 0 && e.column > 0 && *e.message);
}

static void check_round_trip(const vta_config *config, const uint8_t *bytes, size_t count) {
    char *text;
    uint8_t *again;
    size_t again_count;
    check(vta_disasm(config, bytes, count, NULL, &text) == VTA_OK);
    check(vta_asm(config, text, strlen(text), NULL, NULL, &again, &again_count) == VTA_OK);
    check(again_count == count && (!count || !memcmp(bytes, again, count * VTA_INSN_BYTES)));
    vta_string_free(again);
    vta_string_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    uint8_t *bytes;
    size_t count;
    if (vta_asm(config, (const char *)data, size, "fuzz.s", diag, &bytes, &count) == VTA_OK)
        check_round_trip(config, bytes, count);
    else
        check_refusal(diag);
    vta_string_free(bytes);
    vta_diag_destroy(diag);
    vta_config_release(config);
    return 0;
}
