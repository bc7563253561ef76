/* Not in base, which libvtac has a copy of: there the function must be libvta's. */
#include "base/build_id.h"

const char *vta_build_id(void) { return vt_build_id; }
