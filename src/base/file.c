#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static vta_status io_error(vta_diag *diag, const char *what, const char *path) {
    int e = errno;
    return vt_fail(diag, e == ENOENT ? VTA_NOT_FOUND : VTA_IO, "%s: cannot %s: %s", path, what, strerror(e));
}

/* Reads until the end of the file, which may be longer or shorter than its size said. */
static vta_status read_all(const vta_allocator *a, int fd, const char *path, size_t hint, size_t limit, vta_diag *diag,
                           char **out_data, size_t *out_size) {
    size_t cap = hint + 1, size = 0;
    char *data = vt_alloc(a, cap);
    if (!data) return vt_no_memory(diag);
    vta_status status = VTA_OK;
    for (;;) {
        if (size + 1 == cap) {
            char *more = cap > limit ? NULL : vt_resize(a, data, cap, cap * 2);
            if (!more) {
                char probe;
                if (read(fd, &probe, 1) == 0) break;
                status = cap > limit ? vt_fail(diag, VTA_OUT_OF_RANGE, "%s: larger than %zu bytes", path, limit)
                                     : vt_no_memory(diag);
                break;
            }
            data = more;
            cap *= 2;
        }
        ssize_t n = read(fd, data + size, cap - size - 1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) status = io_error(diag, "read", path);
        if (n <= 0) break;
        size += (size_t)n;
    }
    char *exact = status == VTA_OK ? vt_resize(a, data, cap, size + 1) : NULL;
    if (!exact) {
        vt_free(a, data, cap);
        return status == VTA_OK ? vt_no_memory(diag) : status;
    }
    exact[size] = 0;
    *out_data = exact;
    *out_size = size;
    return VTA_OK;
}

vta_status vt_file_read(const vta_allocator *a, const char *path, size_t limit, vta_diag *diag, char **out_data,
                        size_t *out_size) {
    *out_data = NULL;
    *out_size = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return io_error(diag, "open", path);
    struct stat st;
    vta_status status = VTA_OK;
    if (fstat(fd, &st) != 0)
        status = io_error(diag, "stat", path);
    else if (S_ISDIR(st.st_mode))
        status = vt_fail(diag, VTA_IO, "%s: is a directory", path);
    else if (st.st_size > 0 && (size_t)st.st_size > limit)
        status = vt_fail(diag, VTA_OUT_OF_RANGE, "%s: %lld bytes, more than the limit of %zu", path,
                         (long long)st.st_size, limit);
    else
        status = read_all(a, fd, path, st.st_size > 0 ? (size_t)st.st_size : 4096, limit, diag, out_data, out_size);
    close(fd);
    return status;
}

static bool write_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        data += n;
        size -= (size_t)n;
    }
    return true;
}

vta_status vt_file_write(const vta_allocator *a, const char *path, const void *data, size_t size, vta_diag *diag) {
    struct stat st;
    bool special = stat(path, &st) == 0 && !S_ISREG(st.st_mode); /* /dev/stdout, a pipe: nothing to rename */
    size_t length = strlen(path) + sizeof ".tmp.XXXXXX";
    char *temporary = vt_alloc(a, length);
    if (!temporary) return vt_no_memory(diag);
    snprintf(temporary, length, special ? "%s" : "%s.tmp.%06u", path, (unsigned)getpid() % 1000000u);
    int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    vta_status status = VTA_OK;
    if (fd < 0) {
        status = io_error(diag, "create", temporary);
    } else {
        bool ok = write_all(fd, data, size);
        if (!ok) status = io_error(diag, "write", temporary);
        if (close(fd) != 0 && ok) status = io_error(diag, "close", temporary);
        if (status == VTA_OK && !special && rename(temporary, path) != 0) status = io_error(diag, "rename to", path);
        if (status != VTA_OK && !special) unlink(temporary);
    }
    vt_free(a, temporary, length);
    return status;
}
