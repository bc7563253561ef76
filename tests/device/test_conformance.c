/* What every device must do. A device is left out of a test only for the reason that stands beside its name. */
#include "device/small_program.h"

typedef struct driver_case {
    const char *name;
    const char *no_execution; /* why tests of results are skipped; NULL: they are not */
} driver_case;

static const driver_case drivers[] = {
    {"sim", NULL},
    {"tsim", NULL},
    {"null", "null runs nothing, so there are no results, no counters and nothing to look into"},
};
enum { DRIVERS = sizeof drivers / sizeof drivers[0] };

typedef struct fixture {
    const driver_case *driver;
    vta_config *config;
    vta_device *device;
    vta_diag *diag;
} fixture;

static void open_device(fixture *f, const driver_case *driver, const vta_device_options *options) {
    f->driver = driver;
    f->config = vta_config_default();
    f->diag = vta_diag_create(NULL);
    if (vta_device_create(driver->name, f->config, options, NULL, f->diag, &f->device) != VTA_OK)
        fail_msg("%s: %s", driver->name, vta_diag_text(f->diag));
}

static void close_device(fixture *f) {
    vta_device_destroy(f->device);
    vta_diag_destroy(f->diag);
    vta_config_release(f->config);
}

/* Runs `test` on every driver; `executes`: only on those that execute. */
static void on_all(void (*test)(fixture *f), bool executes) {
    for (int i = 0; i < DRIVERS; i++) {
        if (executes && drivers[i].no_execution) {
            print_message("%s skipped: %s\n", drivers[i].name, drivers[i].no_execution);
            continue;
        }
        fixture f;
        open_device(&f, &drivers[i], NULL);
        test(&f);
        close_device(&f);
    }
}

static void check_identity(fixture *f) {
    assert_string_equal(vta_device_driver(f->device), f->driver->name);
    assert_string_equal(vta_config_bitstream(vta_device_config(f->device)), vta_config_bitstream(f->config));
}

static void check_memory(fixture *f) {
    vta_device *d = f->device;
    uint32_t a, b, c;
    uint8_t zeros[100] = {0}, in[100], out[100];
    assert_int_equal(vta_device_alloc(d, 5000, NULL, &a), VTA_OK);
    assert_int_equal(vta_device_alloc(d, 1, NULL, &b), VTA_OK);
    assert_true(a >= VTA_PAGE_BYTES && a % VTA_PAGE_BYTES == 0 && b % VTA_PAGE_BYTES == 0);
    assert_true(b >= a + 2 * VTA_PAGE_BYTES || a >= b + VTA_PAGE_BYTES);
    assert_int_equal(vta_device_read(d, a + 4950, out, 100, NULL), VTA_OK);
    assert_memory_equal(out, zeros, 100);
    for (int i = 0; i < 100; i++) in[i] = (uint8_t)(i * 3 + 1);
    assert_int_equal(vta_device_write(d, a + 4050, in, 100, NULL), VTA_OK);
    assert_int_equal(vta_device_read(d, a + 4050, out, 100, NULL), VTA_OK);
    assert_memory_equal(out, in, 100);
    uint8_t *host = vta_device_host_ptr(d, a + 4050, 100);
    if (host) assert_memory_equal(host, in, 100);
    assert_null(vta_device_host_ptr(d, a, 2 * VTA_PAGE_BYTES + 1));
    assert_int_equal(vta_device_write(d, 0, in, 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_read(d, UINT32_MAX, out, 2, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_alloc_at(d, a + VTA_PAGE_BYTES, 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_alloc_at(d, a + 1, 1, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_alloc_at(d, 0, 1, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_free(d, a + VTA_PAGE_BYTES, f->diag), VTA_NOT_FOUND);
    assert_int_equal(vta_device_free(d, a, NULL), VTA_OK);
    assert_int_equal(vta_device_free(d, a, f->diag), VTA_NOT_FOUND);
    assert_int_equal(vta_device_read(d, a, out, 1, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_alloc(d, 8192, NULL, &c), VTA_OK); /* the space is used again */
    assert_int_equal(c, a);
    assert_int_equal(vta_device_read(d, c + 4050, out, 100, NULL), VTA_OK);
    assert_memory_equal(out, zeros, 100);
    assert_int_equal(vta_device_alloc(d, SIZE_MAX, f->diag, &c), VTA_NO_MEMORY);
    assert_int_equal(vta_device_alloc_at(d, 0xfffff000, 4096, NULL), VTA_OK); /* the last page */
    assert_int_equal(vta_device_alloc_at(d, 0xffffe000, 8192, NULL), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_write(d, 0xffffffff, in, 1, NULL), VTA_OK);
}

static void check_bad_runs(fixture *f) {
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    sp_map(f->device);
    sp_write(f->device, insns, n);
    assert_int_equal(vta_device_run(f->device, SP_INSNS + 4, n, 0, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_run(f->device, SP_INSNS, 0, 0, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_run(f->device, SP_INSNS, VTA_MAX_TRANSFER / 16 + 1, 0, f->diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_run(f->device, 0x30000000, n, 0, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_run(f->device, 0, n, 0, f->diag), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_counters(f->device).runs, 0);
}

static void check_result(fixture *f) {
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    int32_t acc[1024];
    int8_t out[1024];
    for (int i = 0; i < 1024; i++) acc[i] = i * 77 - 30000;
    sp_map(f->device);
    assert_int_equal(vta_device_write(f->device, SP_DATA, acc, sizeof acc, NULL), VTA_OK);
    if (sp_run(f->device, insns, n, f->diag) != VTA_OK) fail_msg("%s: %s", f->driver->name, vta_diag_text(f->diag));
    assert_int_equal(vta_device_read(f->device, SP_OUT, out, sizeof out, NULL), VTA_OK);
    for (int i = 0; i < 1024; i++) assert_int_equal(out[i], (int8_t)(acc[i] + 7));
    vta_counters c = vta_device_counters(f->device);
    assert_int_equal(c.uop_load_nbytes, 4);
    assert_int_equal(c.acc_load_nbytes, 4096);
    assert_int_equal(c.out_store_nbytes, 1024);
    assert_int_equal(c.alu_counter, 64);
    assert_int_equal(c.insn_load + c.insn_alu + c.insn_store + c.insn_finish, n);
    assert_int_equal(c.runs, 1);
    int32_t inside[16];
    assert_int_equal(vta_device_peek(f->device, VTA_MEM_ACC, 3, 1, inside, sizeof inside, NULL), VTA_OK);
    for (int i = 0; i < 16; i++) assert_int_equal(inside[i], acc[48 + i] + 7);
    assert_int_equal(vta_device_peek(f->device, VTA_MEM_ACC, 2048, 1, inside, sizeof inside, f->diag),
                     VTA_OUT_OF_RANGE);
    assert_int_equal(vta_device_peek(f->device, VTA_MEM_ACC, 0, 1, inside, 1, f->diag), VTA_INVALID_ARGUMENT);
    vta_device_clear_counters(f->device);
    assert_int_equal(vta_device_counters(f->device).runs, 0);
}

static void check_skipped_execution(fixture *f) {
    vta_insn insns[8];
    uint32_t n = sp_add7(insns), uop = 5, seen;
    uint8_t out[1024], zeros[1024] = {0};
    sp_map(f->device);
    assert_int_equal(vta_device_write(f->device, SP_UOPS, &uop, sizeof uop, NULL), VTA_OK);
    assert_int_equal(vta_device_set_options(f->device, &(vta_device_options){.skip_execution = 1}, f->diag), VTA_OK);
    assert_int_equal(sp_run(f->device, insns, n, f->diag), VTA_OK);
    assert_int_equal(vta_device_read(f->device, SP_OUT, out, sizeof out, NULL), VTA_OK);
    assert_memory_equal(out, zeros, sizeof out);
    assert_int_equal(vta_device_counters(f->device).alu_counter, 64);
    assert_int_equal(vta_device_peek(f->device, VTA_MEM_UOP, 0, 1, &seen, sizeof seen, NULL), VTA_OK);
    assert_int_equal(seen, uop);
}

/* On-chip memory stays as it is from run to run. */
static void check_state_between_runs(fixture *f) {
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    int8_t out[16];
    sp_map(f->device);
    assert_int_equal(sp_run(f->device, insns, n, f->diag), VTA_OK);
    insns[1] = sp_load(VTA_MEM_UOP, 0, 0, 1, 0); /* a no-op in the place of LOAD ACC */
    assert_int_equal(sp_run(f->device, insns, n, f->diag), VTA_OK);
    assert_int_equal(vta_device_read(f->device, SP_OUT, out, sizeof out, NULL), VTA_OK);
    for (int i = 0; i < 16; i++) assert_int_equal(out[i], 14);
}

static void check_options(fixture *f) {
    assert_int_equal(vta_device_set_options(f->device, &(vta_device_options){.engine = 9}, f->diag),
                     VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_set_options(f->device, &(vta_device_options){.order = 3}, f->diag),
                     VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_device_set_options(f->device, NULL, f->diag), VTA_OK);
}

static void identity(void **state) { (void)state, on_all(check_identity, false); }
static void memory(void **state) { (void)state, on_all(check_memory, false); }
static void bad_runs(void **state) { (void)state, on_all(check_bad_runs, false); }
static void options(void **state) { (void)state, on_all(check_options, false); }
static void result(void **state) { (void)state, on_all(check_result, true); }
static void skipped_execution(void **state) { (void)state, on_all(check_skipped_execution, true); }
static void state_between_runs(void **state) { (void)state, on_all(check_state_between_runs, true); }

static void unknown_drivers_are_listed(void **state) {
    (void)state;
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    assert_int_equal(vta_device_create("fpga9", config, NULL, NULL, diag, &device), VTA_NOT_FOUND);
    assert_null(device);
    for (int i = 0; i < DRIVERS; i++) assert_non_null(strstr(vta_diag_text(diag), drivers[i].name));
    assert_int_equal(vta_device_create("sim", config, &(vta_device_options){.cpu = "mmx"}, NULL, diag, &device),
                     VTA_NOT_FOUND);
    assert_int_equal(vta_device_create("sim", NULL, NULL, NULL, diag, &device), VTA_INVALID_ARGUMENT);
    vta_device_destroy(NULL);
    vta_diag_destroy(diag);
    vta_config_release(config);
}

static void counters_as_json_have_every_name(void **state) {
    (void)state;
    vta_counters counters = {.inp_load_nbytes = 3, .cycles = 9};
    char *text = vta_counters_to_json(&counters);
    assert_non_null(strstr(text, "\"inp_load_nbytes\": 3,"));
    assert_non_null(strstr(text, "\"cycles\": 9}"));
#define VTA_COUNTER(name, meaning) assert_non_null(strstr(text, "\"" #name "\": "));
#include "vta/counters.def"
#undef VTA_COUNTER
    vta_string_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity),
        cmocka_unit_test(memory),
        cmocka_unit_test(bad_runs),
        cmocka_unit_test(options),
        cmocka_unit_test(result),
        cmocka_unit_test(skipped_execution),
        cmocka_unit_test(state_between_runs),
        cmocka_unit_test(unknown_drivers_are_listed),
        cmocka_unit_test(counters_as_json_have_every_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
