/* OpenCL's loader, and which of its devices is used. The loader is looked for when a device is made: libvta does not
 * need it otherwise. */
#ifndef VT_DEVICE_OPENCL_CHOICE_H
#define VT_DEVICE_OPENCL_CHOICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "base/diag.h"

enum { VT_CL_NAME_BYTES = 256 };

/* The functions of functions.def, by their names. */
typedef struct vt_cl {
    void *library;
#define VT_CL(name) __typeof__(&name) name;
#include "device/opencl/functions.def"
#undef VT_CL
} vt_cl;

/* VTA_NOT_FOUND: there is no loader, and which package has one. */
vta_status vt__cl_open(vta_diag *diag, vt_cl *out_cl);
void vt__cl_close(vt_cl *cl);

/* "platform=NAME device=NAME memory=MIB": words of the names that are wanted ("" for any), and how much memory. */
typedef struct vt_cl_settings {
    char platform[VT_CL_NAME_BYTES], device[VT_CL_NAME_BYTES];
    uint64_t memory_bytes;
} vt_cl_settings;
/* `text` NULL: $VTA_BOARD, else all defaults. */
vta_status vt__cl_settings(const char *text, vta_diag *diag, vt_cl_settings *out_settings);

/* The first device that has the words in its name. VTA_NOT_FOUND lists those that there are. */
vta_status vt__cl_choose(const vt_cl *cl, const vt_cl_settings *s, vta_diag *diag, cl_platform_id *out_platform,
                         cl_device_id *out_device, char out_name[VT_CL_NAME_BYTES]);
/* VTA_IO with what was done and OpenCL's number, unless that is CL_SUCCESS. */
vta_status vt__cl_check(cl_int code, const char *what, vta_diag *diag);

#endif
