/* The process's defaults: the one place where the libraries read environment variables. Whoever passes a configuration,
 * a recording's name, a linker leaves the environment unread. */
#ifndef VT_BASE_ENVIRONMENT_H
#define VT_BASE_ENVIRONMENT_H

typedef enum vt_variable {
#define VTA_ENVIRONMENT(name, meaning) VT_ENV_##name,
#include "vta/environment.def"
#undef VTA_ENVIRONMENT
    VT_ENV_COUNT
} vt_variable;

/* A variable's value; NULL when it is not set, or empty. Belongs to the environment. */
const char *vt_environment(vt_variable variable);

/* $TMPDIR, else /tmp. */
const char *vt_temporary_place(void);

#endif
