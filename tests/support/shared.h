/* Models, pictures and other data that are not in the repository: looked for in $VTA_SHARED, else ../shared. A test
 * that needs what is absent skips, as support/golden.h says. */
#ifndef TESTS_SUPPORT_SHARED_H
#define TESTS_SUPPORT_SHARED_H

#include "support/golden.h"

/* The path of a file or folder ("models/resnet18/model.onnx"); skips the test where it is absent. */
static inline void shared_path(const char *name, char to[GOLDEN_PATH]) {
    const char *shared = getenv("VTA_SHARED");
    struct stat s;
    snprintf(to, GOLDEN_PATH, "%s/%s", shared ? shared : VT_SOURCE_DIR "/../shared", name);
    if (stat(to, &s) != 0) golden_absent(name);
}

#endif
