#include "base/build_id.h"

#include <string.h>

vta_status vt_check_build(const char *of_libvta, vta_diag *diag) {
    if (strcmp(of_libvta, vt_build_id) == 0) return VTA_OK;
    return vt_fail(diag, VTA_MISMATCH,
                   "libvtac is of build %s and the libvta that it found of %s: install both from one build, or put the "
                   "folder of the right one first (LD_LIBRARY_PATH, VTA_LIBRARY_PATH in Python)",
                   vt_build_id, of_libvta);
}
