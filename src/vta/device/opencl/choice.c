#ifdef VT_OPENCL
#include "device/opencl/choice.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/environment.h"
#include "base/pair.h"
#include "base/strbuf.h"

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 32, DEFAULT_MIB = 256, MAX_MIB = 2048 };

vta_status vt__cl_check(cl_int code, const char *what, vta_diag *diag) {
    return code == CL_SUCCESS ? VTA_OK : vt_fail(diag, VTA_IO, "OpenCL: %s failed (error %d)", what, (int)code);
}

/* ---- The loader -------------------------------------------------------------------------------------------------- */

static bool find_function(const vt_cl *cl, const char *name, void *to) {
    void *function = dlsym(cl->library, name);
    memcpy(to, &function, sizeof function);
    return function != NULL;
}

/* It stays loaded: OpenCL's drivers have threads of their own, which know nothing of our devices' ends. */
vta_status vt__cl_open(vta_diag *diag, vt_cl *cl) {
    *cl = (vt_cl){.library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (!cl->library)
        return vt_fail(diag, VTA_NOT_FOUND,
                       "OpenCL is not installed (%s): its loader is in ocl-icd-libopencl1, and a device for any "
                       "processor in pocl-opencl-icd",
                       dlerror());
    const char *missing = NULL;
#define VT_CL(name)                                                                                                    \
    if (!find_function(cl, #name, &cl->name)) missing = #name;
#include "device/opencl/functions.def"
#undef VT_CL
    if (!missing) return VTA_OK;
    vt__cl_close(cl);
    return vt_fail(diag, VTA_NOT_FOUND, "libOpenCL.so.1 has no %s: it is older than OpenCL 1.2", missing);
}

void vt__cl_close(vt_cl *cl) {
    if (cl->library) dlclose(cl->library);
    *cl = (vt_cl){0};
}

/* ---- Settings ---------------------------------------------------------------------------------------------------- */

static vta_status store(const vt_pair *pair, vta_diag *diag, vt_cl_settings *s) {
    char key[32], value[VT_CL_NAME_BYTES], *end;
    snprintf(key, sizeof key, "%.*s", (int)pair->key_size, pair->key);
    snprintf(value, sizeof value, "%.*s", (int)pair->value_size, pair->has_value ? pair->value : "");
    unsigned long long mib = strtoull(value, &end, 10);
    if (!strcmp(key, "platform")) return memcpy(s->platform, value, sizeof value), VTA_OK;
    if (!strcmp(key, "device")) return memcpy(s->device, value, sizeof value), VTA_OK;
    if (strcmp(key, "memory"))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "settings of intelfocl: '%s' is not one of platform, device, memory",
                       key);
    if (end == value || *end || !mib || mib > MAX_MIB)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "settings of intelfocl: memory=%s; 1 to %d (MiB)", value, MAX_MIB);
    s->memory_bytes = (uint64_t)mib << 20;
    return VTA_OK;
}

vta_status vt__cl_settings(const char *text, vta_diag *diag, vt_cl_settings *s) {
    vt_pair pair;
    *s = (vt_cl_settings){.memory_bytes = (uint64_t)DEFAULT_MIB << 20};
    if (!text) text = vt_environment(VT_ENV_VTA_BOARD);
    while (text && vt_pair_next(&text, &pair)) VT_TRY(store(&pair, diag, s));
    return VTA_OK;
}

/* ---- Devices ----------------------------------------------------------------------------------------------------- */

typedef struct search {
    const vt_cl *cl;
    const vt_cl_settings *wanted;
    vt_strbuf names; /* of all devices, for the message */
    bool found;
    cl_platform_id platform;
    cl_device_id device;
    char name[VT_CL_NAME_BYTES];
} search;

static void look_at(search *s, cl_platform_id platform, const char *platform_name, cl_device_id device) {
    char name[VT_CL_NAME_BYTES] = "?";
    cl_bool little = CL_FALSE;
    s->cl->clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    s->cl->clGetDeviceInfo(device, CL_DEVICE_ENDIAN_LITTLE, sizeof little, &little, NULL);
    vt_strbuf_addf(&s->names, "%s%s (%s)", s->names.size ? ", " : "", name, platform_name);
    bool fits = little && strcasestr(name, s->wanted->device) && strcasestr(platform_name, s->wanted->platform);
    if (s->found || !fits) return;
    s->found = true;
    s->platform = platform;
    s->device = device;
    snprintf(s->name, sizeof s->name, "%s", name);
}

static void look_in(search *s, cl_platform_id platform) {
    char name[VT_CL_NAME_BYTES] = "?";
    cl_device_id devices[MAX_DEVICES];
    cl_uint count = 0;
    s->cl->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    if (s->cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS) return;
    for (cl_uint i = 0; i < count && i < MAX_DEVICES; i++) look_at(s, platform, name, devices[i]);
}

static vta_status none(const search *s, vta_diag *diag) {
    if (!s->names.size)
        return vt_fail(diag, VTA_NOT_FOUND,
                       "OpenCL has no devices: install a driver, like pocl-opencl-icd for this processor");
    return vt_fail(diag, VTA_NOT_FOUND,
                   "OpenCL has no device with platform=%s device=%s ($VTA_BOARD, or the option board); it has: %s",
                   s->wanted->platform, s->wanted->device, vt_strbuf_text(&s->names));
}

vta_status vt__cl_choose(const vt_cl *cl, const vt_cl_settings *wanted, vta_diag *diag, cl_platform_id *out_platform,
                         cl_device_id *out_device, char out_name[VT_CL_NAME_BYTES]) {
    search s = {.cl = cl, .wanted = wanted};
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    vt_strbuf_init(&s.names, NULL);
    if (cl->clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) look_in(&s, platforms[i]);
    vta_status status = s.found ? VTA_OK : none(&s, diag);
    *out_platform = s.platform;
    *out_device = s.device;
    memcpy(out_name, s.name, VT_CL_NAME_BYTES);
    vt_strbuf_free(&s.names);
    return status;
}
#endif
