/* Captured programs when memory runs out at any allocation: recorded, written, read, run. */
#include <unistd.h>

#include "support/no_memory.h"
#include "support/programs.h"
#include "vta/device.h"

static vta_config *config;
static vta_program *recorded; /* of two runs, for what only reads one */
static uint8_t *file;
static size_t file_size;

static vta_status record(void) {
    vta_program *p = NULL;
    uint8_t insns[VTA_INSN_BYTES] = {VTA_OP_FINISH}, bytes[100] = {1};
    vta_status status = vta_program_create(config, NULL, NULL, &p);
    if (status == VTA_OK) status = vta_program_begin_run(p, CHECK_INSN_ADDR, insns, 1, NULL);
    if (status == VTA_OK) status = vta_program_add_segment(p, CHECK_FROM, bytes, sizeof bytes, NULL);
    if (status == VTA_OK) status = vta_program_add_after(p, CHECK_FROM, bytes, sizeof bytes, NULL);
    if (status == VTA_OK) status = vta_program_end_run(p, NULL);
    if (status == VTA_OK) assert_int_equal(vta_program_run_count(p), 1);
    vta_program_destroy(p);
    return status;
}

static vta_status serialize(void) {
    uint8_t *bytes = NULL;
    size_t size = 0;
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vta_program_serialize(recorded, diag, &bytes, &size);
    assert_int_equal(status == VTA_OK, bytes != NULL);
    if (status != VTA_OK && diag) assert_int_equal(vta_diag_status(diag), VTA_NO_MEMORY);
    if (status == VTA_OK) assert_int_equal(size, file_size);
    vta_string_free(bytes);
    vta_diag_destroy(diag);
    return status;
}

static vta_status parse(void) {
    vta_program *p = NULL;
    vta_status status = vta_program_parse(file, file_size, "p.vta", NULL, NULL, &p);
    assert_int_equal(status == VTA_OK, p != NULL);
    vta_program_destroy(p);
    return status;
}

static vta_status save_and_load(void) {
    char path[64];
    vta_program *p = NULL;
    snprintf(path, sizeof path, "/tmp/vta_no_memory_%d.vta", (int)getpid());
    vta_status status = vta_program_save(recorded, path, NULL);
    if (status == VTA_OK) status = vta_program_load(path, NULL, NULL, &p);
    vta_program_destroy(p);
    unlink(path);
    return status;
}

static vta_status run(void) {
    vta_device *device = NULL;
    vta_program_options options = {.expect = 1};
    vta_status status =
        vta_device_create("sim", config, &(vta_device_options){.engine = VTA_ENGINE_REFERENCE}, NULL, NULL, &device);
    if (status == VTA_OK) status = vta_program_run(recorded, device, &options, NULL);
    vta_device_destroy(device);
    return status;
}

static int setup(void **state) {
    (void)state;
    config = vta_config_default();
    if (check_record(config, NULL, 2, NULL, &recorded) != VTA_OK) return -1;
    return vta_program_serialize(recorded, NULL, &file, &file_size) == VTA_OK ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    vta_string_free(file);
    vta_program_destroy(recorded);
    vta_config_release(config);
    return 0;
}

TEST_CASE(at_any_allocation) {
    check_every_allocation(record);
    check_every_allocation(serialize);
    check_every_allocation(parse);
    check_every_allocation(save_and_load);
    check_every_allocation(run);
}

int main(void) { return run_cases_between(setup, teardown); }
