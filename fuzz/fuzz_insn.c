/* Any bytes as an instruction stream, for a configuration that the first bytes choose: decode and encode agree, and
 * text gives the same bytes back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONFIG_BYTES = 8 };

static vta_config *config_of(const uint8_t *b) {
    vta_config *base = vta_config_default(), *config;
    char changes[256];
    snprintf(changes, sizeof changes,
             "LOG_BATCH=%d LOG_BLOCK_IN=%d LOG_BLOCK_OUT=%d LOG_UOP_BUFF_SIZE=%d LOG_INP_BUFF_SIZE=%d "
             "LOG_WGT_BUFF_SIZE=%d LOG_ACC_BUFF_SIZE=%d",
             b[0] % 5, 2 + b[1] % 5, 2 + b[2] % 5, 2 + b[3] % 16, 2 + b[4] % 20, 2 + b[5] % 20, 2 + b[6] % 20);
    if (vta_config_with(base, changes, NULL, &config) != VTA_OK) return base;
    vta_config_release(base);
    return config;
}

static void check(int ok) {
    if (!ok) abort();
}

/* Encoding what was decoded gives the bits of all fields back. */
static void check_insn(const vta_config *config, const uint8_t *bytes) {
    vta_insn insn, again;
    if (vta_insn_decode(config, bytes, NULL, &insn) != VTA_OK) return;
    uint8_t packed[VTA_INSN_BYTES];
    check(vta_insn_encode(config, &insn, NULL, packed) == VTA_OK);
    check(vta_insn_decode(config, packed, NULL, &again) == VTA_OK);
    check(!memcmp(&insn, &again, sizeof insn));
    check(vta_insn_stage(&insn) == vta_insn_stage(&again));
}

static void check_text(const vta_config *config, const uint8_t *bytes, size_t count) {
    char *text;
    uint8_t *again;
    size_t again_count;
    check(vta_disasm(config, bytes, count, NULL, &text) == VTA_OK);
    check(vta_asm(config, text, strlen(text), "text", NULL, &again, &again_count) == VTA_OK);
    check(again_count == count && (!count || !memcmp(bytes, again, count * VTA_INSN_BYTES)));
    vta_string_free(again);
    vta_string_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < CONFIG_BYTES) return 0;
    vta_config *config = config_of(data);
    const uint8_t *bytes = data + CONFIG_BYTES;
    size_t count = (size - CONFIG_BYTES) / VTA_INSN_BYTES;
    for (size_t i = 0; i < count; i++) check_insn(config, bytes + i * VTA_INSN_BYTES);
    check_text(config, bytes, count);
    vta_config_release(config);
    return 0;
}
