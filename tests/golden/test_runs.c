/* Every recorded program of the repository, on both engines and in several orders. */
#include "golden/runs.h"

static void run(const char *name, void *arg) { run_recorded("sim", name, arg); }

static void run_all(vta_device_options options) { assert_in_range(golden_each(0, "runs", "", run, &options), 20, 100); }

TEST_CASE(reference_in_program_order) { run_all((vta_device_options){.engine = VTA_ENGINE_REFERENCE}); }

/* These programs were made to be free of races, so the checker finds none and every order gives the same. */
TEST_CASE(fast_in_program_order_without_races) { run_all((vta_device_options){.check = true}); }

TEST_CASE(fast_in_random_order) { run_all((vta_device_options){.order = VTA_ORDER_RANDOM, .seed = 7}); }

TEST_CASE(fast_with_stores_late) { run_all((vta_device_options){.order = VTA_ORDER_STORE_LATE}); }

TEST_CASE(fast_portable) { run_all((vta_device_options){.cpu = "portable"}); }

/* In the OpenCL kernel, where there is OpenCL. */
static void run_in_opencl(const char *name, void *arg) { run_recorded("intelfocl", name, arg); }

TEST_CASE(opencl) {
    vta_device_options options = {0};
    vta_config *config = vta_config_default();
    vta_device *device;
    vta_status status = vta_device_create("intelfocl", config, NULL, NULL, NULL, &device);
    vta_device_destroy(device);
    vta_config_release(config);
    if (status == VTA_NOT_FOUND || status == VTA_UNSUPPORTED) skip();
    assert_in_range(golden_each(0, "runs", "", run_in_opencl, &options), 20, 100);
}

int main(void) { return golden_result(run_cases()); }
