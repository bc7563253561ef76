/* Which of OpenCL's devices is taken, with platforms and devices that are made up here. No OpenCL is needed but its
 * headers. */
#if __has_include(<CL/cl.h>)
#include "device/opencl/choice.h"
#include "support/check.h"

typedef struct fake_device {
    const char *name;
    cl_bool little;
} fake_device;

typedef struct fake_platform {
    const char *name;
    int count;
    cl_int fails;
    fake_device devices[3];
} fake_platform;

static fake_platform platforms[4];
static cl_uint platform_count;
static cl_int platforms_fail;
static fake_device many[40];

static cl_int platform_ids(cl_uint most, cl_platform_id *to, cl_uint *count) {
    for (cl_uint i = 0; i < platform_count && i < most; i++) to[i] = (cl_platform_id)(void *)&platforms[i % 4];
    *count = platform_count;
    return platforms_fail;
}

static cl_int platform_info(cl_platform_id id, cl_platform_info what, size_t bytes, void *to, size_t *size) {
    (void)size;
    assert_int_equal(what, CL_PLATFORM_NAME);
    snprintf(to, bytes, "%s", ((const fake_platform *)(void *)id)->name);
    return CL_SUCCESS;
}

static cl_int device_ids(cl_platform_id id, cl_device_type type, cl_uint most, cl_device_id *to, cl_uint *count) {
    fake_platform *p = (void *)id;
    assert_int_equal(type, CL_DEVICE_TYPE_ALL);
    for (int i = 0; i < p->count && i < (int)most; i++)
        to[i] = (cl_device_id)(void *)(p->count > 3 ? &many[i] : &p->devices[i]);
    *count = (cl_uint)p->count;
    return p->fails;
}

static cl_int device_info(cl_device_id id, cl_device_info what, size_t bytes, void *to, size_t *size) {
    const fake_device *d = (const void *)id;
    (void)size;
    if (what == CL_DEVICE_NAME)
        snprintf(to, bytes, "%s", d->name);
    else
        memcpy(to, &d->little, sizeof d->little);
    return CL_SUCCESS;
}

static const vt_cl cl = {.clGetPlatformIDs = platform_ids,
                         .clGetPlatformInfo = platform_info,
                         .clGetDeviceIDs = device_ids,
                         .clGetDeviceInfo = device_info};

static int begin(void **state) {
    (void)state;
    platform_count = 3;
    platforms_fail = CL_SUCCESS;
    platforms[0] = (fake_platform){"Empty", 0, CL_DEVICE_NOT_FOUND, {{NULL, 0}}};
    platforms[1] = (fake_platform){"First", 2, CL_SUCCESS, {{"Big Card", CL_FALSE}, {"Card One", CL_TRUE}}};
    platforms[2] = (fake_platform){"Second", 2, CL_SUCCESS, {{"Card One", CL_TRUE}, {"Card Two", CL_TRUE}}};
    return 0;
}

/* What is taken for these words: its platform and device, or what is said. */
static void check(const char *platform, const char *device, int at_platform, int at_device, const char *said) {
    vt_cl_settings wanted = {.memory_bytes = 1};
    vta_diag *diag = vta_diag_create(NULL);
    vta_diag_entry e;
    cl_platform_id p;
    cl_device_id d;
    char name[VT_CL_NAME_BYTES];
    strcpy(wanted.platform, platform);
    strcpy(wanted.device, device);
    vta_status status = vt__cl_choose(&cl, &wanted, diag, &p, &d, name);
    if (said) {
        assert_int_equal(status, VTA_NOT_FOUND);
        assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
        assert_string_equal(e.message, said);
        assert_null(p);
        assert_null(d);
        assert_string_equal(name, "");
    } else {
        assert_int_equal(status, VTA_OK);
        assert_ptr_equal(p, &platforms[at_platform]);
        assert_ptr_equal(d, &platforms[at_platform].devices[at_device]);
        assert_string_equal(name, platforms[at_platform].devices[at_device].name);
    }
    vta_diag_destroy(diag);
}

#define LISTED "it has: Big Card (First), Card One (First), Card One (Second), Card Two (Second)"

/* The first that fits: words anywhere in the names, in any case; not one that is big-endian. */
static void choices(void **state) {
    (void)state;
    check("", "", 1, 1, NULL);
    check("second", "", 2, 0, NULL);
    check("", "TWO", 2, 1, NULL);
    check("ir", "one", 1, 1, NULL);
    check("second", "one", 2, 0, NULL);
    check("First", "two", 0, 0,
          "OpenCL has no device with platform=First device=two ($VTA_BOARD, or the option board); " LISTED);
    check("", "big", 0, 0, "OpenCL has no device with platform= device=big ($VTA_BOARD, or the option board); " LISTED);
}

static void no_devices(void **state) {
    static const char none[] = "OpenCL has no devices: install a driver, like pocl-opencl-icd for this processor";
    (void)state;
    platform_count = 1;
    check("", "", 0, 0, none);
    platform_count = 0;
    check("", "", 0, 0, none);
    platform_count = 3;
    platforms_fail = CL_OUT_OF_HOST_MEMORY;
    check("", "", 0, 0, none);
}

/* More than there is room for: the rest is not looked at. */
static void too_many(void **state) {
    (void)state;
    platform_count = 18;
    for (int i = 0; i < 4; i++) platforms[i] = (fake_platform){"P", 1, CL_SUCCESS, {{"D", CL_TRUE}}};
    check(
        "", "x", 0, 0,
        "OpenCL has no device with platform= device=x ($VTA_BOARD, or the option board); it has: D (P), D (P), D (P), "
        "D (P), D (P), D (P), D (P), D (P), D (P), D (P), D (P), D (P), D (P), D (P), D (P), D (P)");
    platform_count = 1;
    platforms[0].count = 40;
    for (int i = 0; i < 40; i++) many[i] = (fake_device){i == 31 ? "last" : i == 32 ? "beyond" : "D", CL_TRUE};
    vt_cl_settings wanted = {.device = "last"};
    cl_platform_id p;
    cl_device_id d;
    char name[VT_CL_NAME_BYTES];
    assert_int_equal(vt__cl_choose(&cl, &wanted, NULL, &p, &d, name), VTA_OK);
    assert_ptr_equal(d, &many[31]);
    strcpy(wanted.device, "beyond");
    assert_int_equal(vt__cl_choose(&cl, &wanted, NULL, &p, &d, name), VTA_NOT_FOUND);
}

/* ---- Settings --------------------------------------------------------------------------------------------------- */

static void settings(void **state) {
    (void)state;
    vt_cl_settings s;
    vta_diag *diag = vta_diag_create(NULL);
    vta_diag_entry e;
    setenv("VTA_BOARD", "platform=of-the-environment memory=3", 1);
    assert_int_equal(vt__cl_settings("", diag, &s), VTA_OK);
    assert_string_equal(s.platform, "");
    assert_string_equal(s.device, "");
    assert_int_equal(s.memory_bytes, 256 << 20);
    assert_int_equal(vt__cl_settings("device=d platform=p memory=2048", diag, &s), VTA_OK);
    assert_string_equal(s.platform, "p");
    assert_string_equal(s.device, "d");
    assert_int_equal(s.memory_bytes, (uint64_t)2048 << 20);
    assert_int_equal(vt__cl_settings(NULL, diag, &s), VTA_OK);
    assert_string_equal(s.platform, "of-the-environment");
    assert_int_equal(s.memory_bytes, 3 << 20);
    unsetenv("VTA_BOARD");
    assert_int_equal(vt__cl_settings(NULL, diag, &s), VTA_OK);
    assert_int_equal(s.memory_bytes, 256 << 20);
    static const char *const bad[] = {"memory=2049", "memory=0", "memory=", "memory=1x", "memory"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(vt__cl_settings(bad[i], diag, &s), VTA_INVALID_ARGUMENT);
        assert_contains(vta_diag_text(diag), "settings of intelfocl: memory=");
        assert_contains(vta_diag_text(diag), "; 1 to 2048 (MiB)");
        vta_diag_clear(diag);
    }
    assert_int_equal(vt__cl_settings("color=red", diag, &s), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_string_equal(e.message, "settings of intelfocl: 'color' is not one of platform, device, memory");
    vta_diag_clear(diag);
    assert_int_equal(vt__cl_check(CL_SUCCESS, "clFinish", diag), VTA_OK);
    assert_int_equal(vt__cl_check(-5, "clFinish", diag), VTA_IO);
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_string_equal(e.message, "OpenCL: clFinish failed (error -5)");
    vta_diag_destroy(diag);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(choices, begin),
                                       cmocka_unit_test_setup(no_devices, begin),
                                       cmocka_unit_test_setup(too_many, begin), cmocka_unit_test(settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
int main(void) { return 77; }
#endif
