/* Any bytes as a compiled network. The checksum is put right first, so that damage reaches what lies behind it. What is
 * taken is asked about, and run on a simulator when it is small and has no native code. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "vta/exec.h"
#include "vta/isa.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_BYTES = 64, CHECKSUM_AT = 24, SIZE_AT = 16, SMALL = 1 << 22, FEW_INSNS = 256 };

static void check(int ok) {
    if (!ok) abort();
}

static void put_right(uint8_t *bytes, size_t size) {
    static const uint8_t magic[8] = {0x8d, 'V', 'T', 'M', '\r', '\n', 0x1a, '\n'};
    if (size < HEADER_BYTES) return;
    uint64_t n = size;
    memcpy(bytes, magic, sizeof magic);
    memcpy(bytes + SIZE_AT, &n, sizeof n);
    uint64_t h = vt_hash(vt_hash(size, bytes, CHECKSUM_AT), bytes + CHECKSUM_AT + 8, size - CHECKSUM_AT - 8);
    memcpy(bytes + CHECKSUM_AT, &h, sizeof h);
}

static int is_small(const vta_model *model) {
    vta_model_memory m = {0};
    vta_model_step s = {0};
    check(vta_model_get_memory(model, &m) == VTA_OK);
    for (size_t i = 0; vta_model_get_step(model, i, &s) == VTA_OK; i++)
        if (!strcmp(s.kind, "call") || s.insn_count > FEW_INSNS) return 0;
    const vta_config *config = vta_model_config(model);
    return m.device_bytes <= SMALL && m.host_bytes <= SMALL && vta_config_buffer_bytes(config, VTA_MEM_INP) <= SMALL &&
           vta_config_buffer_bytes(config, VTA_MEM_WGT) <= SMALL &&
           vta_config_buffer_bytes(config, VTA_MEM_ACC) <= SMALL;
}

static void ask(const vta_model *model) {
    vta_model_tensor t = {0};
    for (size_t i = 0; vta_model_input(model, i, &t) == VTA_OK; i++) check(vta_model_find_input(model, t.name) == i);
    for (size_t i = 0; vta_model_output(model, i, &t) == VTA_OK; i++) check(vta_model_find_output(model, t.name) == i);
}

static void ask_shapes(vta_model *model) {
    for (size_t i = 0; i < vta_model_shape_count(model); i++) ask(vta_model_shape(model, i));
    check(!vta_model_shape(model, vta_model_shape_count(model)));
}

static void run(vta_model *model) {
    const vta_instance_options options = {.driver = "sim", .wait_cycles = 100000, .no_host_view = true};
    vta_instance *in;
    vta_model_tensor t = {0};
    if (vta_instance_create(model, &options, NULL, &in) != VTA_OK) return;
    for (size_t i = 0; vta_model_input(model, i, &t) == VTA_OK; i++) {
        void *zeros = calloc(1, t.bytes ? t.bytes : 1);
        check(zeros && vta_instance_set_input(in, i, zeros, t.bytes, NULL) == VTA_OK);
        free(zeros);
    }
    check(vta_instance_run(in, NULL) != VTA_INTERNAL);
    for (size_t i = 0; vta_model_output(model, i, &t) == VTA_OK; i++) {
        void *out = calloc(1, t.bytes ? t.bytes : 1);
        check(out && vta_instance_get_output(in, i, out, t.bytes, NULL) == VTA_OK);
        free(out);
    }
    vta_instance_destroy(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *bytes = malloc(size ? size : 1);
    vta_diag *diag = vta_diag_create(NULL);
    vta_model *model;
    if (!bytes || !diag) abort();
    memcpy(bytes, data, size);
    put_right(bytes, size);
    if (vta_model_parse(bytes, size, "fuzz.vta-model", NULL, diag, &model) == VTA_OK) {
        ask_shapes(model);
        if (is_small(model)) run(model);
    } else {
        check(vta_diag_count(diag) > 0 && model == NULL);
    }
    vta_model_release(model);
    vta_diag_destroy(diag);
    free(bytes);
    return 0;
}
