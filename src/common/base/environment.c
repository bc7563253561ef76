#include "base/environment.h"

#include <stdlib.h>

const char *vt_environment(vt_variable variable) {
    static const char *const names[] = {
#define VTA_ENVIRONMENT(name, meaning) #name,
#include "vta/environment.def"
#undef VTA_ENVIRONMENT
    };
    const char *value = (unsigned)variable < VT_ENV_COUNT ? getenv(names[variable]) : NULL;
    return value && *value ? value : NULL;
}

const char *vt_temporary_place(void) {
    const char *place = vt_environment(VT_ENV_TMPDIR);
    return place ? place : "/tmp";
}
