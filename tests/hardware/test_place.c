/* Where designs and what is made of them lie, and which designs can be, against the rules of vta/hardware.h. No tool is
 * needed: the maker is a function here. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/check.h"

#include "hardware/place.h"

static vta_config *config;
static vta_diag *diag;
static char root[64];

static int begin(void **state) {
    (void)state;
    unsetenv("VTA_HARDWARE_COVERAGE"); /* it changes every design */
    config = vta_config_default();
    diag = vta_diag_create(NULL);
    snprintf(root, sizeof root, "/tmp/vta-place-XXXXXX");
    return !config || !diag || !mkdtemp(root);
}

static int end(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", root);
    vta_diag_destroy(diag);
    vta_config_release(config);
    return system(command);
}

static vta_hardware_options settled(vta_hardware_options o) {
    vta_hardware_options out;
    assert_int_equal(vt_hardware_settle(config, &o, diag, &out), VTA_OK);
    assert_int_equal(out.size, sizeof out);
    return out;
}

/* ---- Which designs there are ----------------------------------------------------------------------------------- */

static bool is_power(uint32_t x) { return x && !(x & (x - 1)); }

static bool may_be(vta_hardware_options o) {
    vta_diag_clear(diag);
    vta_status status = vta_hardware_check(config, &o, diag);
    assert_true(status == VTA_OK || vta_diag_count(diag) > 0);
    return status == VTA_OK;
}

/* 0 is the default; all other numbers by the rule that the header says. */
TEST_CASE(test_limits) {
    for (uint32_t x = 0; x <= 5000; x++) {
        bool power = is_power(x);
        assert_int_equal(may_be((vta_hardware_options){.bus_bits = x}), !x || (power && x >= 32 && x <= 512));
        assert_int_equal(may_be((vta_hardware_options){.burst_beats = x}), !x || (power && x <= 256));
        assert_int_equal(may_be((vta_hardware_options){.queue_depth = x}), !x || (power && x >= 2 && x <= 4096));
        assert_int_equal(may_be((vta_hardware_options){.reads_most = x}), !x || (power && x >= 2 && x <= 64));
        assert_int_equal(may_be((vta_hardware_options){.address_bits = x}), !x || (x >= 16 && x <= 32));
    }
    assert_true(may_be((vta_hardware_options){.queue_depth = 1, .small = true}));
    for (uint32_t bits = 32; bits <= 512; bits *= 2)
        for (uint32_t beats = 1; beats <= 256; beats *= 2)
            assert_int_equal(may_be((vta_hardware_options){.bus_bits = bits, .burst_beats = beats}),
                             bits / 8 * beats <= 4096);
}

/* ---- Places ------------------------------------------------------------------------------------------------------ */

static char *path_of(vta_hardware_options o, const char *name) {
    char *path;
    o = settled(o);
    assert_int_equal(vt_hardware_path(config, &o, name, diag, &path), VTA_OK);
    return path;
}

/* As published with FNV-1a. */
TEST_CASE(test_hash) {
    assert_true(vt_hash_text(VT_HASH_BEGIN, "a") == 0xaf63dc4c8601ec8c);
    assert_true(vt_hash_text(VT_HASH_BEGIN, "foobar") == 0x85944171f73967e8);
}

/* Under the first folder that the environment names; another one for every design and every sort of model. */
TEST_CASE(test_paths) {
    const vta_hardware_options others[] = {{.bus_bits = 0},     {.bus_bits = 128},    {.burst_beats = 8},
                                           {.queue_depth = 64}, {.address_bits = 28}, {.reads_most = 4},
                                           {.pack = true},      {.no_mul = true},     {.wave = true},
                                           {.coverage = true},  {.assertions = true}, {.netlist = true}};
    enum { OTHERS = sizeof others / sizeof *others };
    char *paths[OTHERS], start[128];
    setenv("VTA_HARDWARE_CACHE", root, 1);
    for (int i = 0; i < OTHERS; i++) {
        paths[i] = path_of(others[i], "model.so");
        snprintf(start, sizeof start, "%s/%s_%d_", root, vta_config_bitstream(config), i == 1 ? 128 : 64);
        assert_memory_equal(paths[i], start, strlen(start));
        assert_string_equal(paths[i] + strlen(start) + 16, "/model.so");
        for (int k = 0; k < i; k++) assert_string_not_equal(paths[i], paths[k]);
    }
    unsetenv("VTA_HARDWARE_CACHE");
    setenv("XDG_CACHE_HOME", "/x", 1);
    setenv("HOME", "/h", 1);
    char *shared = path_of(others[0], "a");
    unsetenv("XDG_CACHE_HOME");
    char *home = path_of(others[0], "a");
    assert_memory_equal(shared, "/x/vta/hardware/", 16);
    assert_memory_equal(home, "/h/.cache/vta/hardware/", 23);
    assert_string_equal(strrchr(shared, '_'), strrchr(home, '_'));
    assert_memory_equal(strrchr(paths[0], '_'), strrchr(home, '_'), 17);
    for (int i = 0; i < OTHERS; i++) vta_string_free(paths[i]);
    vta_string_free(shared);
    vta_string_free(home);
    setenv("VTA_HARDWARE_CACHE", root, 1);
}

/* ---- Making ------------------------------------------------------------------------------------------------------ */

typedef struct making {
    int calls;
    vta_status status;
    char folder[1200];
} making;

static vta_status make(const char *folder, const char *name, const vta_hardware_options *o, const void *arg,
                       vta_diag *d) {
    making *m = (making *)(uintptr_t)arg;
    char path[2048];
    (void)o, (void)d;
    m->calls++;
    snprintf(m->folder, sizeof m->folder, "%s", folder);
    snprintf(path, sizeof path, "%s/sources/vta.f", folder);
    assert_int_equal(access(path, R_OK), 0); /* the design is there */
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("made", f);
    fclose(f);
    return m->status;
}

/* Made once, in a folder of its own that goes; left to look at where it failed, and gone where it took too long. */
TEST_CASE(test_made) {
    char *path;
    making m = {.status = VTA_IO};
    vta_hardware_options o = settled((vta_hardware_options){.queue_depth = 32});
    assert_int_equal(vt_hardware_made(config, &o, "deep", make, &m, diag, &path), VTA_IO);
    assert_null(path);
    assert_int_equal(access(m.folder, R_OK), 0);
    m.status = VTA_TIMEOUT;
    assert_int_equal(vt_hardware_made(config, &o, "deep", make, &m, diag, &path), VTA_TIMEOUT);
    assert_int_not_equal(access(m.folder, F_OK), 0);
    m.status = VTA_OK;
    for (int i = 0; i < 2; i++) {
        char text[8] = "";
        assert_int_equal(vt_hardware_made(config, &o, "deep", make, &m, diag, &path), VTA_OK);
        FILE *f = fopen(path, "r");
        assert_non_null(f);
        assert_non_null(fgets(text, sizeof text, f));
        fclose(f);
        assert_string_equal(text, "made");
        vta_string_free(path);
        assert_int_equal(m.calls, 3);
        assert_int_not_equal(access(m.folder, F_OK), 0);
    }
}

/* Folders that cannot be made, or whose names are too long, are an error that names them. */
TEST_CASE(test_no_place) {
    char *path, deep[2048] = "", file[96];
    making m = {.status = VTA_OK};
    vta_hardware_options o = settled((vta_hardware_options){.bus_bits = 0});
    for (int length = 900; length < 1100; length++) {
        snprintf(deep, sizeof deep, "%s", root);
        while ((int)strlen(deep) < length) strcat(deep, strlen(deep) % 100 == 99 ? "/" : "d");
        setenv("VTA_HARDWARE_CACHE", deep, 1);
        vta_diag_clear(diag);
        vta_status status = vt_hardware_made(config, &o, "long", make, &m, diag, &path);
        assert_true(status == VTA_OK || (status == VTA_IO && vta_diag_count(diag)));
        assert_true(length < 1023 || status == VTA_IO);
        if (status == VTA_OK) vta_string_free(path);
    }
    snprintf(file, sizeof file, "%s/file", root);
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    fclose(f);
    setenv("VTA_HARDWARE_CACHE", file, 1);
    assert_int_equal(vt_hardware_made(config, &o, "x", make, &m, diag, &path), VTA_IO);
    assert_non_null(strstr(vta_diag_text(diag), file));
    setenv("VTA_HARDWARE_CACHE", root, 1);
}

int main(void) { return run_cases_between(begin, end); }
