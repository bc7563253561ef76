#include "base/versioned.h"

#include <string.h>

enum { SIZE_MOST = 1 << 16 };

/* What a struct says about itself; 0, a caller's that did not say, is the size in version 1.0: nothing was added yet.
 */
static size_t size_of(const void *given, size_t own_size) {
    size_t size;
    memcpy(&size, given, sizeof size);
    return size ? size : own_size;
}

static vta_status check(const unsigned char *given, size_t size, size_t own_size, const char *name, vta_diag *diag) {
    if (size < sizeof size || size > SIZE_MOST)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "%s.size is %zu: set it to sizeof(%s), or to 0", name, size, name);
    for (size_t i = own_size; i < size; i++)
        if (given[i])
            return vt_fail(
                diag, VTA_UNSUPPORTED,
                "%s: byte %zu is set, and this library, version %s, knows %zu bytes: the caller was built for "
                "a newer one",
                name, i, vta_version(), own_size);
    return VTA_OK;
}

vta_status vt_options_read(void *own, size_t own_size, const void *given, const char *name, vta_diag *diag) {
    memset(own, 0, own_size);
    if (given) {
        size_t size = size_of(given, own_size);
        VT_TRY(check(given, size, own_size, name, diag));
        memcpy(own, given, size < own_size ? size : own_size);
    }
    memcpy(own, &own_size, sizeof own_size);
    return VTA_OK;
}

void vt_result_write(void *given, const void *own, size_t own_size) {
    size_t said, size = size_of(given, own_size);
    memcpy(&said, given, sizeof said);
    memcpy(given, own, size < own_size ? size : own_size);
    memcpy(given, &said, sizeof said);
}
