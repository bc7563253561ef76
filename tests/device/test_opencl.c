/* The OpenCL device: random programs on random configurations give what the naive machine gives, in DRAM and in acc, in
 * orders that the tokens allow; what is missing is said; memory that was not flushed cannot lead out of a buffer. */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "device/random_program.h"
#include "device/small_program.h"
#include "support/diag.h"

static vta_device *make_device(const vta_config *config, const vta_device_options *options) {
    vta_device *device;
    if (vta_device_create("intelfocl", config, options, NULL, diag, &device) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    return device;
}

/* ---- Random programs --------------------------------------------------------------------------------------------- */

static random_program program;

static void run(vta_device *device, const random_program *p) {
    must(vta_device_alloc_at(device, RP_BASE, RP_BYTES, diag));
    must(vta_device_write(device, RP_BASE, p->before, RP_BYTES, diag));
    for (int i = 0; i < p->count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        must(vta_insn_encode(p->config, &p->insns[i], diag, bytes));
        must(vta_device_write(device, RP_BASE + (uint32_t)i * VTA_INSN_BYTES, bytes, sizeof bytes, diag));
    }
    must(vta_device_run(device, RP_BASE, (uint32_t)p->count, 0, diag));
}

static void compare(vta_device *device, const random_program *p, uint64_t seed) {
    static uint8_t got[RP_BYTES];
    uint32_t depth = vta_config_depth(p->config, VTA_MEM_ACC), n = naive_scalars(p->config, VTA_MEM_ACC);
    size_t bytes = (size_t)depth * n * sizeof(int32_t);
    int32_t *acc = malloc(bytes);
    must(vta_device_peek(device, VTA_MEM_ACC, 0, depth, acc, bytes, diag));
    for (size_t i = 0; i < (size_t)depth * n; i++)
        if (acc[i] != p->naive.scalars[VTA_MEM_ACC][i])
            fail_msg("seed %d: acc element %zu scalar %zu is %d", (int)seed, i / n, i % n, acc[i]);
    free(acc);
    must(vta_device_read(device, RP_BASE, got, RP_BYTES, diag));
    for (size_t i = RP_OUT - RP_BASE; i < RP_BYTES; i++)
        if (got[i] != p->after[i])
            fail_msg("seed %d: DRAM 0x%zx is %02x, not %02x", (int)seed, RP_BASE + i, got[i], p->after[i]);
}

/* A kernel is compiled for each configuration, which takes a second. */
TEST_CASE(random_programs) {
    enum { PROGRAMS = 8, LENGTH = 100 };
    static const vta_order orders[] = {VTA_ORDER_PROGRAM, VTA_ORDER_RANDOM, VTA_ORDER_STORE_LATE};
    static const char *const changes[] = {
        "LOG_UOP_BUFF_SIZE=8 LOG_INP_BUFF_SIZE=10 LOG_WGT_BUFF_SIZE=14 LOG_ACC_BUFF_SIZE=12",
        "LOG_BATCH=2 LOG_BLOCK=2 LOG_INP_WIDTH=2 LOG_UOP_BUFF_SIZE=8 LOG_INP_BUFF_SIZE=8 LOG_WGT_BUFF_SIZE=9 "
        "LOG_ACC_BUFF_SIZE=11",
    };
    vta_config *base = vta_config_default(), *config;
    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        must(vta_config_with(base, changes[c], diag, &config));
        for (uint64_t seed = 500; seed < 500 + PROGRAMS; seed++) {
            const vta_device_options options = {.order = orders[seed % 3], .seed = seed};
            rp_make_for(&program, config, seed, LENGTH, true); /* takes the configuration over */
            vta_device *device = make_device(program.config, &options);
            run(device, &program);
            compare(device, &program, seed);
            vta_device_destroy(device);
            config = vta_config_retain(program.config);
            rp_clear(&program);
        }
        vta_config_release(config);
    }
    vta_config_release(base);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

/* The host's view has harmless micro-ops, the device others: the host did not flush. */
TEST_CASE(unflushed_memory) {
    vta_config *config = vta_config_default();
    vta_device *device = make_device(config, NULL);
    vta_insn insns[8];
    uint32_t uops, data, out, stream, far = 0x7ff;
    must(vta_device_alloc(device, 4096, diag, &uops));
    must(vta_device_alloc(device, 8192, diag, &data));
    must(vta_device_alloc(device, 8192, diag, &out));
    must(vta_device_alloc(device, 4096, diag, &stream));
    uint32_t n = sp_add7(insns);
    insns[0].u.mem.dram_base = uops / 4;
    insns[1].u.mem.dram_base = data / 64;
    insns[3].u.mem.dram_base = out / 16;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        must(vta_insn_encode(config, &insns[i], diag, bytes));
        must(vta_device_write(device, stream + i * VTA_INSN_BYTES, bytes, sizeof bytes, diag));
    }
    must(vta_device_write(device, uops, &far, sizeof far, diag));
    memset(vta_device_host_ptr(device, uops, 4), 0, 4);
    refused(vta_device_run(device, stream, n, 0, diag), VTA_OUT_OF_RANGE, "was something not flushed?");
    must(vta_device_flush(device, uops, 4, diag));
    must(vta_device_run(device, stream, n, 0, diag));
    vta_device_destroy(device);
    vta_config_release(config);
}

TEST_CASE(settings) {
    static const struct {
        const char *board, *words;
        vta_status status;
    } cases[] = {
        {"device=no.such.device", "no device with platform= device=no.such.device", VTA_NOT_FOUND},
        {"platform=no.such", "; it has: ", VTA_NOT_FOUND},
        {"colour=red", "'colour' is not one of platform, device, memory", VTA_INVALID_ARGUMENT},
        {"memory=0", "memory=0; 1 to 2048", VTA_INVALID_ARGUMENT},
        {"memory=many", "memory=many", VTA_INVALID_ARGUMENT},
    };
    vta_config *config = vta_config_default();
    vta_device *device;
    uint32_t addr;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(
            vta_device_create("intelfocl", config, &(vta_device_options){.board = cases[i].board}, NULL, diag, &device),
            cases[i].status, cases[i].words);
    refused(vta_device_create("intelfocl", config, &(vta_device_options){.check = true}, NULL, diag, &device),
            VTA_UNSUPPORTED, "check is an option of simulators");
    device = make_device(config, &(vta_device_options){.board = "memory=1"});
    refused(vta_device_alloc(device, 2 << 20, diag, &addr), VTA_NO_MEMORY, "memory=MIB in $VTA_BOARD");
    refused(vta_device_alloc_at(device, 0x100000, 8192, diag), VTA_OUT_OF_RANGE, "memory=MIB");
    vta_device_destroy(device);
    vta_config_release(config);
}

/* A machine without OpenCL, or a library built without it, says so; the rest is for others. */
static int begin(void **state) {
    (void)state;
    vta_config *config = vta_config_default();
    vta_device *device;
    diag = vta_diag_create(NULL);
    vta_status status = vta_device_create("intelfocl", config, NULL, NULL, diag, &device);
    vta_device_destroy(device);
    vta_config_release(config);
    if (status == VTA_NOT_FOUND || status == VTA_UNSUPPORTED) {
        print_message("%s\n", vta_diag_text(diag));
        exit(77);
    }
    vta_diag_clear(diag);
    return 0;
}

static int end(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    return 0;
}

int main(void) { return run_cases_between(begin, end); }
