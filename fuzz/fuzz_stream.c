/* Any bytes as an instruction stream on a small machine, with any bytes as its memory. Both engines must agree on the
 * status and on every byte, nothing may run past its memory, and damaged counts may not hang the run.
 *
 * Input: 1 byte of options, 1 byte of shape, 2 of the number of instructions; the instructions; the rest is memory. */
#include <stdlib.h>
#include <string.h>

#include "vta/device.h"
#include "vta/isa.h"

enum { CODE = 0x1000, DATA = 0x4000, DATA_BYTES = 0x4000, WORK = 20000 };

static const char *const shapes[] = {
    "LOG_UOP_BUFF_SIZE=7 LOG_INP_BUFF_SIZE=9 LOG_WGT_BUFF_SIZE=12 LOG_ACC_BUFF_SIZE=11",
    "LOG_BATCH=1 LOG_BLOCK=3 LOG_UOP_BUFF_SIZE=7 LOG_INP_BUFF_SIZE=9 LOG_WGT_BUFF_SIZE=10 LOG_ACC_BUFF_SIZE=11",
    // clang-format off
    "LOG_BLOCK=2 LOG_INP_WIDTH=2 LOG_WGT_WIDTH=2 LOG_UOP_BUFF_SIZE=7 LOG_INP_BUFF_SIZE=6 LOG_WGT_BUFF_SIZE=8 LOG_ACC_BUFF_SIZE=9",
    // clang-format on
    "LOG_BLOCK=5 LOG_INP_WIDTH=4 LOG_UOP_BUFF_SIZE=7 LOG_INP_BUFF_SIZE=11 LOG_WGT_BUFF_SIZE=14 LOG_ACC_BUFF_SIZE=12",
};

static vta_config *configs[4];

static vta_config *config_of(uint8_t shape) {
    vta_config **config = &configs[shape % 4];
    if (*config) return *config;
    vta_config *base = vta_config_default();
    if (vta_config_with(base, shapes[shape % 4], NULL, config) != VTA_OK) abort();
    vta_config_release(base);
    return *config;
}

/* Runs and leaves DRAM and acc in `out`. */
static vta_status run(const vta_config *config, const vta_device_options *options, const uint8_t *data, size_t size,
                      uint32_t count, uint8_t out[DATA_BYTES]) {
    vta_device *device;
    if (vta_device_create("sim", config, options, NULL, NULL, &device) != VTA_OK) abort();
    if (vta_device_alloc_at(device, CODE, count * VTA_INSN_BYTES, NULL) != VTA_OK) abort();
    if (vta_device_alloc_at(device, DATA, DATA_BYTES, NULL) != VTA_OK) abort();
    size_t code = (size_t)count * VTA_INSN_BYTES, rest = size - code;
    if (vta_device_write(device, CODE, data, code, NULL) != VTA_OK) abort();
    if (rest && vta_device_write(device, DATA, data + code, rest < DATA_BYTES ? rest : DATA_BYTES, NULL) != VTA_OK)
        abort();
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vta_device_run(device, CODE, count, WORK, diag);
    if (status != VTA_OK && vta_diag_status(diag) == VTA_OK) abort(); /* an error must say why */
    if (status == VTA_INTERNAL) abort();
    vta_diag_destroy(diag);
    if (vta_device_read(device, DATA, out, DATA_BYTES, NULL) != VTA_OK) abort();
    vta_device_destroy(device);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 4 + VTA_INSN_BYTES) return 0;
    uint8_t flags = data[0];
    const vta_config *config = config_of(data[1]);
    uint32_t count = (uint32_t)(data[2] | data[3] << 8);
    data += 4;
    size -= 4;
    if (!count || count > size / VTA_INSN_BYTES) count = (uint32_t)(size / VTA_INSN_BYTES);
    if (count > 512) count = 512;
    static uint8_t fast[DATA_BYTES], reference[DATA_BYTES];
    vta_device_options options = {
        .order = flags % 3u, .seed = flags, .check = flags >> 2 & 1, .skip_execution = (flags >> 3 & 7) == 7};
    static const char *const cpus[] = {NULL, "portable"};
    options.cpu = cpus[flags >> 7];
    vta_status a = run(config, &options, data, size, count, fast);
    options.engine = VTA_ENGINE_REFERENCE;
    vta_status b = run(config, &options, data, size, count, reference);
    if (a != b || memcmp(fast, reference, DATA_BYTES)) abort();
    return 0;
}
