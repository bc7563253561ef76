/* Any bytes as a program file. The checksum is put right first, so that damage reaches what lies behind it. What is
 * taken is written and read again, and small programs are run. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "vta/isa.h"
#include "vta/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_BYTES = 64, CHECKSUM_AT = 24, SIZE_AT = 16, SMALL_DRAM = 1 << 22 };

static void check(int ok) {
    if (!ok) abort();
}

static void put_right(uint8_t *bytes, size_t size) {
    static const uint8_t magic[8] = {0x89, 'V', 'T', 'A', '\r', '\n', 0x1a, '\n'};
    if (size < HEADER_BYTES) return;
    uint64_t n = size;
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + SIZE_AT, &n, sizeof n);
    uint64_t h = vt_hash(vt_hash(size, bytes, CHECKSUM_AT), bytes + CHECKSUM_AT + 8, size - CHECKSUM_AT - 8);
    memcpy(bytes + CHECKSUM_AT, &h, sizeof h);
}

static size_t dram_of(const vta_program *p) {
    size_t sum = 0;
    vta_program_segment s;
    for (uint32_t r = 0; r < vta_program_run_count(p); r++)
        for (uint32_t i = 0; vta_program_get_segment(p, r, i, &s) == VTA_OK; i++) sum += s.size;
    return sum;
}

/* No instruction of a run loops for long. */
static int is_quick(const vta_program *p) {
    vta_program_run_info run;
    const vta_config *config = vta_program_config(p);
    for (uint32_t r = 0; vta_program_get_run(p, r, &run) == VTA_OK; r++) {
        if (run.insn_count > 64) return 0;
        for (uint32_t i = 0; i < run.insn_count; i++) {
            vta_insn insn;
            if (vta_insn_decode(config, run.insns + i * VTA_INSN_BYTES, NULL, &insn) != VTA_OK) continue;
            int loops = insn.opcode == VTA_OP_GEMM || insn.opcode == VTA_OP_ALU;
            if (loops && (uint64_t)insn.u.exec.iter_out * insn.u.exec.iter_in * insn.u.exec.uop_end > 1 << 16) return 0;
        }
    }
    return vta_program_run_count(p) <= 8 && vta_config_buffer_bytes(config, VTA_MEM_INP) <= 1 << 22 &&
           vta_config_buffer_bytes(config, VTA_MEM_WGT) <= 1 << 22;
}

static void run(const vta_program *p) {
    vta_device *device;
    vta_program_options options = {.expect = 1, .wait_cycles = 100000};
    if (vta_device_create("sim", vta_program_config(p), NULL, NULL, NULL, &device) != VTA_OK) return;
    vta_status status = vta_program_run(p, device, &options, NULL);
    check(status != VTA_INTERNAL);
    vta_device_destroy(device);
}

static void check_round_trip(const vta_program *p) {
    uint8_t *bytes, *again;
    size_t size, again_size;
    vta_program *q;
    check(vta_program_serialize(p, NULL, &bytes, &size) == VTA_OK);
    check(vta_program_parse(bytes, size, "again", NULL, NULL, &q) == VTA_OK);
    check(vta_program_serialize(q, NULL, &again, &again_size) == VTA_OK);
    check(size == again_size && !memcmp(bytes, again, size));
    vta_string_free(bytes);
    vta_string_free(again);
    vta_program_destroy(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes) return 0;
    memcpy(bytes, data, size);
    put_right(bytes, size);
    vta_program *p;
    vta_diag *diag = vta_diag_create(NULL);
    if (vta_program_parse(bytes, size, "fuzz.vta", NULL, diag, &p) == VTA_OK) {
        check_round_trip(p);
        if (dram_of(p) <= SMALL_DRAM && is_quick(p)) run(p);
    } else {
        check(vta_diag_count(diag) > 0);
    }
    vta_program_destroy(p);
    vta_diag_destroy(diag);
    free(bytes);
    return 0;
}
