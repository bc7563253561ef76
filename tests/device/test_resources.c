/* Memory that fails at the n-th allocation, for every n; devices in several threads; an interrupt from another. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "device/random_program.h"
#include "device/small_program.h"
#include "support/check.h"

static vta_status whole_life(const vta_config *config, const vta_allocator *allocator, const char *driver) {
    vta_device *device;
    vta_insn insns[8];
    uint32_t n = sp_add7(insns), addr = 0;
    const vta_device_options options = {.check = true};
    vta_status status = vta_device_create(driver, config, &options, allocator, NULL, &device);
    if (status != VTA_OK) {
        assert_null(device);
        return status;
    }
    const uint32_t places[] = {SP_INSNS, SP_UOPS, SP_DATA, SP_OUT};
    for (int i = 0; i < 4 && status == VTA_OK; i++) status = vta_device_alloc_at(device, places[i], 0x10000, NULL);
    if (status == VTA_OK) status = vta_device_alloc(device, 100, NULL, &addr);
    if (status == VTA_OK) status = sp_run(device, insns, n, NULL);
    if (status == VTA_OK) status = vta_device_set_options(device, &(vta_device_options){.cpu = "portable"}, NULL);
    if (status == VTA_OK) status = sp_run(device, insns, n, NULL);
    vta_device_destroy(device);
    return status;
}

TEST_CASE(every_allocation_may_fail) {
    vta_config *config = vta_config_default();
    const char *const drivers[] = {"sim", "tsim", "null"};
    for (int d = 0; d < 3; d++) {
        int n = 0;
        for (vta_status status = VTA_NO_MEMORY; status != VTA_OK; n++) {
            check_allocator a;
            check_allocator_init(&a, (size_t)n);
            status = whole_life(config, &a.allocator, drivers[d]);
            assert_true(status == VTA_OK || status == VTA_NO_MEMORY);
            assert_int_equal(a.live, 0);
            if (n > 1000) fail_msg("no end of allocations");
        }
        assert_true(n > 4);
    }
    vta_config_release(config);
}

enum { THREADS = 4 };

static random_program program;

static void *thread(void *arg) {
    const uint32_t *which = arg;
    vta_device_options options = {.engine = *which % 2, .check = true, .order = VTA_ORDER_RANDOM, .seed = *which};
    vta_device *device;
    if (vta_device_create("sim", program.config, &options, NULL, NULL, &device) != VTA_OK) return "create";
    const char *problem = NULL;
    if (vta_device_alloc_at(device, RP_BASE, RP_BYTES, NULL) != VTA_OK) problem = "memory";
    if (!problem && vta_device_write(device, RP_BASE, program.before, RP_BYTES, NULL) != VTA_OK) problem = "write";
    for (int i = 0; i < 3 && !problem; i++)
        if (vta_device_run(device, RP_BASE, (uint32_t)program.count, 0, NULL) != VTA_OK) problem = "run";
    vta_device_destroy(device);
    return (void *)problem;
}

/* One configuration and one program, read by all; a device each. */
TEST_CASE(devices_are_independent) {
    uint64_t seed = 5;
    while (!rp_make(&program, seed, 60, true)) seed++;
    for (int i = 0; i < program.count; i++)
        assert_int_equal(vta_insn_encode(program.config, &program.insns[i], NULL, program.before + i * VTA_INSN_BYTES),
                         VTA_OK);
    pthread_t threads[THREADS];
    uint32_t numbers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, thread, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        if (problem) fail_msg("thread %d: %s", i, (char *)problem);
    }
    rp_clear(&program);
}

typedef struct raising {
    vta_device *device;
    atomic_bool over;
} raising;

/* The flag is down again when a run starts: it is raised until the run has ended. */
static void *interrupt_later(void *ctx) {
    raising *r = ctx;
    while (!atomic_load(&r->over)) {
        usleep(25000);
        vta_device_interrupt(r->device);
    }
    return NULL;
}

TEST_CASE(an_interrupt_ends_a_run) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    assert_int_equal(vta_device_create("sim", config, NULL, NULL, diag, &device), VTA_OK);
    sp_map(device);
    vta_insn insns[8];
    uint32_t n = sp_add7(insns);
    insns[2] = sp_gemm(0, 8191, 16383, 16383); /* hours */
    insns[2].push_next_dep = 1;
    pthread_t other;
    raising r = {.device = device};
    assert_int_equal(pthread_create(&other, NULL, interrupt_later, &r), 0);
    for (int i = 0; i < 100 && !strstr(vta_diag_text(diag), "instruction 2"); i++) { /* one before it is rare */
        vta_diag_clear(diag);
        assert_int_equal(sp_run(device, insns, n, diag), VTA_INTERRUPTED);
    }
    assert_non_null(strstr(vta_diag_text(diag), "instruction 2"));
    atomic_store(&r.over, true);
    pthread_join(other, NULL);
    vta_device_destroy(device);
    vta_diag_destroy(diag);
    vta_config_release(config);
}

int main(void) { return run_cases(); }
