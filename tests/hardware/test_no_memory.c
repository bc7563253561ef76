/* What needs memory says so when there is none, and gives back what it took. */
#include "support/no_memory.h"

#include "hardware/place.h"
#include "hardware/synthesis.h"

static vta_config *config;
static vta_hardware_options options;
static char folder[] = "/nowhere";

static vta_status path(void) {
    char *text = folder;
    vta_status status = vt_hardware_path(config, &options, "model.so", NULL, &text);
    assert_int_equal(text == NULL, status != VTA_OK);
    if (text) assert_string_equal(text + strlen(text) - 9, "/model.so");
    vta_string_free(text);
    return status;
}

static vta_status stat_of(void) {
    char text[] = "=== a ===\n$lut 1\n=== $paramod\\b\\W=1 ===\n=== c ===\n=== d ===\n=== vta_top ===\n$lut 2\n";
    vta_synthesis *s = (vta_synthesis *)folder;
    vta_status status = vt_synthesis_read(text, vt_part_family_find("generic"), NULL, &s);
    assert_int_equal(s == NULL, status != VTA_OK);
    vta_synthesis_destroy(s);
    return status;
}

TEST_CASE(test_path) { check_every_allocation(path); }
TEST_CASE(test_stat) { check_every_allocation(stat_of); }

static int begin(void **state) {
    (void)state;
    unsetenv("VTA_HARDWARE_COVERAGE");
    setenv("VTA_HARDWARE_CACHE", folder, 1);
    config = vta_config_default();
    return !config || vt_hardware_settle(config, NULL, NULL, &options);
}

static int end(void **state) {
    (void)state;
    vta_config_release(config);
    return 0;
}

int main(void) { return run_cases_between(begin, end); }
