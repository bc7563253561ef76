/* The public functions of vta/device.h, on a driver that only notes what it is asked: what they refuse, in which words,
 * and what reaches the driver. */
#include <stdlib.h>

#include "device/device.h"
#include "device/driver.h"
#include "support/check.h"
#include "vta/isa.h"

static vta_diag *diag;
static vta_config *config;
static vta_device *device, *sparse;
static vt_run last_run;
static int created, configured, destroyed, interrupts, peeks;
static vta_status create_says;
static bool timed;

static vta_status create(vta_device *d, const vta_device_options *options, vta_diag *said) {
    (void)d;
    (void)options;
    (void)said;
    created++;
    return create_says;
}
static vta_status configure(vta_device *d, const vta_device_options *options, vta_diag *said) {
    (void)d;
    (void)said;
    configured = (int)options->seed;
    return VTA_OK;
}
static void destroy(vta_device *d) {
    (void)d;
    destroyed++;
}
static vta_status run(vta_device *d, const vt_run *r, vta_diag *said) {
    (void)d;
    (void)said;
    last_run = *r;
    return VTA_OK;
}
static void interrupt(vta_device *d) {
    (void)d;
    interrupts++;
}
static vta_status copy_from(vta_device *d, uint32_t addr, const void *from, size_t bytes, vta_diag *said) {
    (void)d;
    (void)addr;
    (void)from;
    (void)bytes;
    (void)said;
    return VTA_OK;
}
static vta_status copy_to(vta_device *d, uint32_t addr, void *to, size_t bytes, vta_diag *said) {
    return copy_from(d, addr, to, bytes, said);
}
static vta_status peek(vta_device *d, vta_memory memory, uint32_t first, uint32_t elements, void *to, size_t bytes,
                       vta_diag *said) {
    (void)d;
    (void)memory;
    (void)first;
    (void)elements;
    (void)to;
    (void)bytes;
    (void)said;
    peeks++;
    return VTA_OK;
}
static vta_status timing(const vta_device *d, vta_diag *said, vta_timing *out_timing, vta_timing_profile *out_profile) {
    (void)d;
    (void)said;
    *out_timing = (vta_timing){.cycles = 77};
    *out_profile = (vta_timing_profile){.bus_bits = 88};
    return timed ? VTA_OK : VTA_NOT_FOUND;
}

static const vt_driver noting = {.name = "noting",
                                 .create = create,
                                 .destroy = destroy,
                                 .configure = configure,
                                 .read = copy_to,
                                 .write = copy_from,
                                 .run = run,
                                 .interrupt = interrupt,
                                 .timing = timing,
                                 .peek = peek};
static const vt_driver least = {.name = "least", .create = create, .destroy = destroy, .run = run};

static int set_up(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    config = vta_config_default();
    return vt_device_create(&noting, config, NULL, &vt_allocator_libc, diag, &device) != VTA_OK ||
           vt_device_create(&least, config, NULL, &vt_allocator_libc, diag, &sparse) != VTA_OK;
}

static int tear_down(void **state) {
    (void)state;
    vta_device_destroy(device);
    vta_device_destroy(sparse);
    vta_device_destroy(NULL);
    vta_config_release(config);
    vta_diag_destroy(diag);
    return destroyed != 2;
}

/* The status, and all that was said. */
static void said(vta_status status, vta_status want, const char *text) {
    vta_diag_entry e;
    if (status != want) fail_msg("%s, not %s: %s", vta_status_name(status), vta_status_name(want), vta_diag_text(diag));
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_string_equal(e.message, text);
    vta_diag_clear(diag);
}
#define NO_DEVICE(call) said(call, VTA_INVALID_ARGUMENT, "device is NULL")

TEST_CASE(without_a_device) {
    char byte;
    uint32_t addr = 7;
    vta_timing t;
    vta_timing_profile p;
    NO_DEVICE(vta_device_set_options(NULL, NULL, diag));
    NO_DEVICE(vta_device_alloc(NULL, 1, diag, &addr));
    assert_int_equal(addr, 0);
    NO_DEVICE(vta_device_alloc_at(NULL, 4096, 1, diag));
    NO_DEVICE(vta_device_free(NULL, 4096, diag));
    NO_DEVICE(vta_device_write(NULL, 4096, &byte, 1, diag));
    NO_DEVICE(vta_device_read(NULL, 4096, &byte, 1, diag));
    NO_DEVICE(vta_device_flush(NULL, 4096, 1, diag));
    NO_DEVICE(vta_device_invalidate(NULL, 4096, 1, diag));
    NO_DEVICE(vta_device_run(NULL, 4096, 1, 0, diag));
    NO_DEVICE(vta_device_program(NULL, "x", diag));
    NO_DEVICE(vta_device_peek(NULL, VTA_MEM_INP, 0, 1, &byte, 1, diag));
    said(vta_device_timing(NULL, diag, &t, &p), VTA_INVALID_ARGUMENT, "vta_device_timing: device is NULL");
    assert_null(vta_device_config(NULL));
    assert_null(vta_device_driver(NULL));
    assert_null(vta_device_host_ptr(NULL, 4096, 1));
    assert_null(vta_device_findings_to_json(NULL));
    assert_null(vta_counters_to_json(NULL));
    vta_device_interrupt(NULL);
    vta_device_clear_counters(NULL);
    vta_counters c = vta_device_counters(NULL), none = {0};
    assert_memory_equal(&c, &none, sizeof c);
    said(vta_device_alloc(device, 1, diag, NULL), VTA_INVALID_ARGUMENT, "out_addr is NULL");
    said(vta_device_write(device, 4096, NULL, 1, diag), VTA_INVALID_ARGUMENT, "the host pointer is NULL");
    said(vta_device_read(device, 4096, NULL, 1, diag), VTA_INVALID_ARGUMENT, "the host pointer is NULL");
    assert_int_equal(vta_device_write(device, 4096, NULL, 0, diag), VTA_OK);
    assert_int_equal(vta_device_read(device, 4096, NULL, 0, diag), VTA_OK);
    said(vta_device_program(device, NULL, diag), VTA_INVALID_ARGUMENT, "bitstream is NULL");
}

/* What a driver may leave out. */
TEST_CASE(what_is_not_offered) {
    struct vt_dram *dram = (struct vt_dram *)diag;
    char byte;
    assert_int_equal(vta_device_set_options(sparse, NULL, diag), VTA_OK);
    said(vta_device_alloc_at(sparse, 4096, 1, diag), VTA_UNSUPPORTED,
         "device 'least' chooses the addresses of its memory itself");
    assert_null(vta_device_host_ptr(sparse, 4096, 1));
    said(vt_device_dram(sparse, diag, &dram), VTA_UNSUPPORTED,
         "the memory of device 'least' is not host memory; use sim or tsim");
    assert_null(dram);
    assert_int_equal(vta_device_program(sparse, "x", diag), VTA_OK);
    assert_false(vt_device_can_be_programmed(sparse));
    said(vta_device_timing(sparse, diag, NULL, NULL), VTA_UNSUPPORTED,
         "device 'least' does not time; make a device with the driver \"tsim\"");
    said(vta_device_peek(sparse, VTA_MEM_INP, 0, 1, &byte, 1, diag), VTA_UNSUPPORTED,
         "device 'least' cannot be inspected");
    vta_device_interrupt(sparse);
    char *json = vta_device_findings_to_json(sparse);
    assert_string_equal(
        json, "{\"runs\": 0, \"races\": [], \"unwritten\": [], \"more\": 0, \"unsupported\": [], \"warnings\": []}");
    vta_string_free(json);
}

TEST_CASE(options) {
    static char text[1025];
    memset(text, 'x', 1024);
    const struct {
        vta_device_options options;
        const char *text;
    } bad[] = {
        {{.engine = 2}, "options.engine 2 does not exist (0 fast, 1 reference)"},
        {{.order = 3}, "options.order 3 does not exist (0 program, 1 random, 2 store late)"},
        {{.profile = text}, "options.profile 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is longer than 1023 characters"},
        {{.board = text}, "options.board 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' is longer than 1023 characters"},
        {{.cpu = "0123456789abcdef"}, "options.cpu '0123456789abcdef...' is longer than 15 characters"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        vta_device *d = device;
        int before = created;
        said(vt_device_create(&noting, config, &bad[i].options, &vt_allocator_libc, diag, &d), VTA_INVALID_ARGUMENT,
             bad[i].text);
        assert_null(d);
        assert_int_equal(created, before);
        said(vta_device_set_options(device, &bad[i].options, diag), VTA_INVALID_ARGUMENT, bad[i].text);
    }
    const vta_device_options most = {.engine = VTA_ENGINE_REFERENCE,
                                     .order = VTA_ORDER_STORE_LATE,
                                     .profile = text + 1,
                                     .board = text + 1,
                                     .cpu = "0123456789abcde",
                                     .seed = 5};
    assert_int_equal(vta_device_set_options(device, &most, diag), VTA_OK);
    assert_int_equal(configured, 5);
    assert_int_equal(vta_device_set_options(device, NULL, diag), VTA_OK);
    assert_int_equal(configured, 0);
}

TEST_CASE(creation) {
    vta_device *d = device;
    said(vta_device_create("sim", config, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT, "out_device is NULL");
    said(vta_device_create("sim", NULL, NULL, NULL, diag, &d), VTA_INVALID_ARGUMENT, "config is NULL");
    assert_null(d);
    d = device;
    create_says = VTA_IO;
    assert_int_equal(vt_device_create(&noting, config, NULL, &vt_allocator_libc, diag, &d), VTA_IO);
    create_says = VTA_OK;
    assert_null(d);
    assert_int_equal(destroyed, 0);
    assert_int_equal(vta_device_create("sym", config, NULL, NULL, diag, &d), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "no driver 'sym'; there are: sim, ");
    assert_contains(vta_diag_text(diag), "; did you mean sim?");
    vta_diag_clear(diag);
    assert_ptr_equal(vta_device_config(device), config);
    assert_string_equal(vta_device_driver(device), "noting");
}

/* Addresses and lengths of streams, and the bounds that reach the driver. */
TEST_CASE(runs) {
    enum { MAX = VTA_MAX_TRANSFER / VTA_INSN_BYTES };
    char text[200];
    assert_int_equal(vta_device_run(device, 4096 + VTA_INSN_BYTES, MAX, 123, diag), VTA_OK);
    assert_int_equal(last_run.insn_addr, 4096 + VTA_INSN_BYTES);
    assert_int_equal(last_run.count, MAX);
    assert_int_equal(last_run.wait_cycles, 123);
    assert_int_equal(last_run.max_work, 123);
    assert_false(last_run.continues);
    assert_int_equal(vta_device_run(device, 0, 1, 0, diag), VTA_OK);
    said(vta_device_run(device, 4096 + 8, 1, 0, diag), VTA_INVALID_ARGUMENT,
         "instruction address 0x00001008 is not a multiple of 16");
    said(vta_device_run(device, 4096, 0, 0, diag), VTA_INVALID_ARGUMENT,
         "0 instructions; a run takes 1 to 2097152 (one transfer)");
    snprintf(text, sizeof text, "%u instructions; a run takes 1 to 2097152 (one transfer)", MAX + 1);
    said(vta_device_run(device, 4096, MAX + 1, 0, diag), VTA_INVALID_ARGUMENT, text);
}

TEST_CASE(interruptions) {
    const atomic_bool *flag = vt_device_watch(device);
    assert_false(atomic_load(flag));
    vta_device_interrupt(device);
    assert_true(atomic_load(flag));
    assert_int_equal(interrupts, 1);
    assert_false(atomic_load(vt_device_watch(device)));
}

TEST_CASE(inspection) {
    char byte;
    char text[100];
    uint32_t depth = vta_config_depth(config, VTA_MEM_ACC);
    assert_int_equal(vta_device_peek(device, VTA_MEM_ACC, 0, depth, &byte, 1, diag), VTA_OK);
    assert_int_equal(vta_device_peek(device, VTA_MEM_ACC, depth, 0, NULL, 0, diag), VTA_OK);
    assert_int_equal(peeks, 2);
    snprintf(text, sizeof text, "2 elements from %u on: acc has %u", depth - 1, depth);
    said(vta_device_peek(device, VTA_MEM_ACC, depth - 1, 2, &byte, 1, diag), VTA_OUT_OF_RANGE, text);
    snprintf(text, sizeof text, "0 elements from %u on: acc has %u", depth + 1, depth);
    said(vta_device_peek(device, VTA_MEM_ACC, depth + 1, 0, &byte, 1, diag), VTA_OUT_OF_RANGE, text);
    said(vta_device_peek(device, (vta_memory)VTA_MEM_COUNT, 0, 0, &byte, 1, diag), VTA_INVALID_ARGUMENT, "no memory 7");
    said(vta_device_peek(device, VTA_MEM_ACC, 0, 1, NULL, 1, diag), VTA_INVALID_ARGUMENT, "the host pointer is NULL");
    assert_int_equal(peeks, 2);
}

/* Either answer may be left out; where there is none, nothing is written. */
TEST_CASE(times) {
    vta_timing t = {.cycles = 1};
    vta_timing_profile p = {.bus_bits = 2};
    assert_int_equal(vta_device_timing(device, diag, &t, &p), VTA_NOT_FOUND);
    assert_int_equal(t.cycles, 1);
    assert_int_equal(p.bus_bits, 2);
    timed = true;
    assert_int_equal(vta_device_timing(device, diag, &t, NULL), VTA_OK);
    assert_int_equal(vta_device_timing(device, diag, NULL, &p), VTA_OK);
    assert_int_equal(t.cycles, 77);
    assert_int_equal(p.bus_bits, 88);
}

int main(void) { return run_cases_between(set_up, tear_down); }
