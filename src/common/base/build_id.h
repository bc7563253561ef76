/* libvtac reads structs that libvta made, a configuration's above all, so the two must come from one build. */
#ifndef VT_BASE_BUILD_ID_H
#define VT_BASE_BUILD_ID_H

#include "base/diag.h"

/* Of the library that this is linked into (cmake/build_id.cmake writes it). */
extern const char vt_build_id[];

/* VTA_MISMATCH, saying what to do, when libvta's is another one: vt_check_build(vta_build_id(), diag). */
vta_status vt_check_build(const char *of_libvta, vta_diag *diag);

#endif
