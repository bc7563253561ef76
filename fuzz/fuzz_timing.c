/* Any bytes as an instruction stream for the timing model, on a machine that the first bytes choose: every unit's
 * states sum to the cycles, the same stream takes the same time twice, and every report can be made of it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vta/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 6, MAX_INSNS = 64 };

static void check(int ok) {
    if (!ok) abort();
}

static void check_states(const vta_timing *t) {
    for (int u = 0; u < VTA_UNIT_COUNT; u++) {
        uint64_t sum = 0;
        for (int s = 0; s < VTA_STATE_COUNT; s++) sum += t->state[u][s];
        check(sum == t->cycles);
    }
}

static void check_reports(const vta_config *config, const vta_timing_profile *timing, const vta_insn *insns,
                          size_t count) {
    vta_profile *p;
    char *text[5] = {0};
    check(vta_profile_create(config, timing, NULL, NULL, &p) == VTA_OK);
    check(vta_profile_add_run(p, insns, count, 0x10000, NULL) == VTA_OK);
    check(vta_profile_text(p, NULL, &text[0]) == VTA_OK);
    check(vta_profile_json(p, NULL, &text[1]) == VTA_OK);
    check(vta_profile_trace(p, NULL, &text[2]) == VTA_OK);
    check(vta_profile_html(p, "fuzz", NULL, &text[3]) == VTA_OK);
    check(vta_profile_svg(p, "fuzz", 800, 0, 0, NULL, &text[4]) == VTA_OK);
    for (int i = 0; i < 5; i++) vta_string_free(text[i]);
    vta_profile_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < HEAD + VTA_INSN_BYTES) return 0;
    vta_config *config = vta_config_default();
    vta_timing_profile timing;
    check(vta_timing_profile_get(vta_timing_profile_name(data[0] % 5), NULL, &timing) == VTA_OK);
    char changes[200];
    snprintf(changes, sizeof changes, "bus_bits=%u len_bits=%u delay=%u queue_depth=%u token_limit=%u outstanding=%u",
             32u << data[1] % 7, data[2] % 9, data[3], 1 + data[4] % 32, 1 + data[5] % 8, 1 + data[4] / 32);
    check(vta_timing_profile_set(&timing, changes, NULL) == VTA_OK);
    vta_insn insns[MAX_INSNS];
    size_t count = 0;
    for (size_t at = HEAD; at + VTA_INSN_BYTES <= size && count < MAX_INSNS; at += VTA_INSN_BYTES)
        count += vta_insn_decode(config, data + at, NULL, &insns[count]) == VTA_OK;
    vta_timing first, second;
    if (count && vta_timing_run(config, &timing, insns, count, 0x10000, 0, NULL, NULL, &first, NULL) == VTA_OK) {
        check(vta_timing_run(config, &timing, insns, count, 0x10000, 0, NULL, NULL, &second, NULL) == VTA_OK);
        check(memcmp(&first, &second, sizeof first) == 0);
        check_states(&first);
        if (first.cycles < (uint64_t)1 << 50) check_reports(config, &timing, insns, count);
    }
    vta_config_release(config);
    return 0;
}
