/* A recorded program (runs/NAME) on a device: DRAM contents bit for bit as the simulator of TVM's VTA left
 * them, and its counters. */
#ifndef TESTS_GOLDEN_RUNS_H
#define TESTS_GOLDEN_RUNS_H

#include "golden/json.h"
#include "vta/device.h"
#include "vta/isa.h"

static void must(vta_status status, vta_diag *diag, const char *what) {
    if (status != VTA_OK) fail_msg("%s: %s\n%s", what, vta_status_text(status), vta_diag_text(diag));
}

/* Memory that held only zeros was not recorded, such as a micro-op image of the micro-op 0. That of TVM's VTA lay just
 * below the instructions: maps what is free there, and returns its address or 0. */
static uint32_t map_zeros_below(vta_device *device, uint32_t insn_addr, vta_diag *diag, const char *name) {
    uint32_t start = insn_addr;
    while (start > VTA_PAGE_BYTES && !vta_device_host_ptr(device, start - VTA_PAGE_BYTES, 1)) start -= VTA_PAGE_BYTES;
    if (start == insn_addr) return 0;
    must(vta_device_alloc_at(device, start, insn_addr - start, diag), diag, name);
    return start;
}

/* Runs one recorded device run in a fresh address space of `device`, and compares. */
static void run_one(vta_device *device, const char *folder, const char *name, vta_diag *diag) {
    char path[1100];
    snprintf(path, sizeof path, "%s/run.json", folder);
    json_t *run = read_json(path), *segments = json_object_get(run, "segments"), *s;
    size_t i, size;
    json_array_foreach(segments, i, s) {
        uint32_t addr = (uint32_t)json_integer_value(json_object_get(s, "addr"));
        must(vta_device_alloc_at(device, addr, (size_t)json_integer_value(json_object_get(s, "size")), diag), diag,
             name);
        snprintf(path, sizeof path, "%s/%s", folder, json_string_value(json_object_get(s, "before")));
        void *data = check_read_file(path, &size);
        must(vta_device_write(device, addr, data, size, diag), diag, name);
        free(data);
    }
    uint32_t insn_addr = (uint32_t)json_integer_value(json_object_get(run, "insn_addr"));
    uint32_t count = (uint32_t)json_integer_value(json_object_get(run, "insn_count"));
    snprintf(path, sizeof path, "%s/insn.bin", folder);
    void *insns = check_read_file(path, &size);
    assert_int_equal(size, count * VTA_INSN_BYTES);
    must(vta_device_alloc_at(device, insn_addr, size, diag), diag, name);
    must(vta_device_write(device, insn_addr, insns, size, diag), diag, name);
    free(insns);
    uint32_t gap = map_zeros_below(device, insn_addr, diag, name);
    must(vta_device_run(device, insn_addr, count, 0, diag), diag, name);
    json_array_foreach(segments, i, s) {
        uint32_t addr = (uint32_t)json_integer_value(json_object_get(s, "addr"));
        size_t bytes = (size_t)json_integer_value(json_object_get(s, "size"));
        const char *after = json_string_value(json_object_get(s, "after"));
        snprintf(path, sizeof path, "%s/%s", folder, after ? after : json_string_value(json_object_get(s, "before")));
        void *expected = check_read_file(path, &size);
        uint8_t *got = vta_device_host_ptr(device, addr, bytes);
        assert_non_null(got);
        must(vta_device_invalidate(device, addr, bytes, diag), diag, name);
        for (size_t b = 0; b < bytes; b++)
            if (got[b] != (b < size ? ((uint8_t *)expected)[b] : 0))
                fail_msg("%s: byte 0x%zx differs: %u", name, addr + b, got[b]);
        free(expected);
    }
    must(vta_device_free(device, insn_addr, diag), diag, name);
    if (gap) must(vta_device_free(device, gap, diag), diag, name);
    json_array_foreach(segments, i, s)
        must(vta_device_free(device, (uint32_t)json_integer_value(json_object_get(s, "addr")), diag), diag, name);
    json_decref(run);
}

static void compare_counters(const vta_device *device, const char *folder, const char *name) {
    char path[1100];
    snprintf(path, sizeof path, "%s/stats.json", folder);
    json_t *expected = read_json(path), *value;
    vta_counters counters = vta_device_counters(device);
    char *text = vta_counters_to_json(&counters);
    json_t *got = json_loads(text, 0, NULL);
    const char *key;
    json_object_foreach(expected, key, value) {
        if (json_integer_value(value) != json_integer_value(json_object_get(got, key)))
            fail_msg("%s: %s is %lld, recorded %lld", name, key, json_integer_value(json_object_get(got, key)),
                     json_integer_value(value));
    }
    json_decref(got);
    json_decref(expected);
    vta_string_free(text);
}

static inline void run_recorded(const char *driver, const char *name, const vta_device_options *options) {
    char of[100], root[GOLDEN_PATH], path[GOLDEN_PATH + 20];
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config;
    vta_device *device;
    struct stat s;
    snprintf(of, sizeof of, "runs/%s", name);
    golden_path(of, root);
    snprintf(path, sizeof path, "%s/vta_config.json", root);
    must(vta_config_load(path, diag, &config), diag, path);
    must(vta_device_create(driver, config, options, NULL, diag, &device), diag, name);
    int runs = 0;
    for (;; runs++) {
        snprintf(path, sizeof path, "%s/%03d", root, runs);
        if (stat(path, &s) != 0) break;
        run_one(device, path, name, diag);
    }
    assert_true(runs > 0);
    compare_counters(device, root, name);
    vta_device_destroy(device);
    vta_config_release(config);
    vta_diag_destroy(diag);
}

#endif
