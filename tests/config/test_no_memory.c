/* Configurations when memory runs out at any allocation. */
#include <unistd.h>

#include "support/no_memory.h"
#include "vta/config.h"

static const char json[] = "{\"TARGET\": \"tsim\", \"HW_VER\": \"0.0.1\", \"LOG_BATCH\": 1, \"LOG_BLOCK\": 4, "
                           "\"LOG_ACC_BUFF_SIZE\": 18, \"TIMING\": {\"profile\": \"hls\", \"delay\": 3}}";
static char path[] = "/tmp/vta_config_XXXXXX";

/* A list of diagnostics of its own would be freed with the rest; that it may be missing is part of the test. */
static vta_status parse(void) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *c = NULL;
    vta_status status = vta_config_parse(json, strlen(json), "a.json", diag, &c);
    if (status == VTA_OK) assert_int_equal(vta_config_get(c, VTA_CONFIG_LOG_BATCH), 1);
    if (status != VTA_OK) assert_null(c);
    if (status != VTA_OK && diag) assert_int_equal(vta_diag_status(diag), VTA_NO_MEMORY);
    vta_config_release(c);
    vta_diag_destroy(diag);
    return status;
}

static vta_status load(void) {
    vta_config *c = NULL;
    vta_status status = vta_config_load(path, NULL, &c);
    vta_config_release(c);
    return status;
}

static vta_status find(void) {
    vta_config *c = NULL;
    vta_status status = vta_config_find(path, NULL, &c, NULL);
    vta_config_release(c);
    return status;
}

static vta_status find_default(void) {
    vta_config *c = NULL;
    const char *source = NULL;
    vta_status status = vta_config_find(NULL, NULL, &c, &source);
    if (status == VTA_OK) assert_string_equal(source, "built-in default");
    vta_config_release(c);
    return status;
}

static vta_status with(void) {
    vta_config *base = vta_config_default(), *c = NULL;
    if (!base) return VTA_NO_MEMORY;
    vta_status status = vta_config_with(base, "LOG_BATCH=2 LOG_ACC_BUFF_SIZE=19", NULL, &c);
    vta_config_release(c);
    vta_config_release(base);
    return status;
}

static vta_status with_timing(void) {
    vta_config *base = vta_config_default(), *c = NULL;
    if (!base) return VTA_NO_MEMORY;
    vta_status status = vta_config_with_timing(base, "{\"profile\": \"hls\", \"delay\": 3}", NULL, &c);
    if (status == VTA_OK) assert_string_equal(vta_config_timing(c), "{\"profile\": \"hls\", \"delay\": 3}");
    vta_config_release(c);
    vta_config_release(base);
    return status;
}

static vta_status to_json(void) {
    vta_config *base = vta_config_default();
    if (!base) return VTA_NO_MEMORY;
    char *text = vta_config_to_json(base);
    vta_status status = text ? VTA_OK : VTA_NO_MEMORY;
    vta_string_free(text);
    vta_config_release(base);
    return status;
}

TEST_CASE(parsing) { check_every_allocation(parse); }

TEST_CASE(loading) {
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, json, strlen(json)), (int)strlen(json));
    close(fd);
    check_every_allocation(load);
    check_every_allocation(find);
    unlink(path);
    unsetenv("VTA_CONFIG"); /* and there is no vta_config.json here */
    check_every_allocation(find_default);
}

TEST_CASE(changing) {
    check_every_allocation(with);
    check_every_allocation(with_timing);
    check_every_allocation(to_json);
}

int main(void) { return run_cases(); }
