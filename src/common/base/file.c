#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vta/support.h"

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
        if (size > limit) {
            status = vt_fail(diag, VTA_OUT_OF_RANGE, "%s: larger than %zu bytes", path, limit);
            break;
        }
        if (size + 1 == cap) {
            char *more = vt_resize(a, data, cap, cap * 2);
            if (!more) {
                status = vt_no_memory(diag);
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

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

/* Where the bytes of `path` go. */
typedef struct target {
    bool direct;  /* no temporary file: a device, a pipe, a link to nowhere */
    char *path;   /* with symbolic links followed, so that a link stays a link */
    mode_t mode;  /* of the file that is replaced; 0: there is none */
    char *beside; /* the temporary file */
} target;

static void target_free(const vta_allocator *a, target *t) {
    vt_strfree(a, t->path);
    vt_strfree(a, t->beside);
}

static vta_status find_target(const vta_allocator *a, const char *path, vta_diag *diag, target *out) {
    struct stat st;
    *out = (target){0};
    bool exists = stat(path, &st) == 0;
    bool dangling = !exists && lstat(path, &st) == 0;
    out->direct = dangling || (exists && !S_ISREG(st.st_mode));
    if (exists && S_ISDIR(st.st_mode)) return vt_fail(diag, VTA_IO, "%s: is a directory", path);
    if (exists) out->mode = st.st_mode & 07777;
    char *real = exists && !out->direct ? realpath(path, NULL) : NULL;
    out->path = vt_strdup(a, real ? real : path);
    free(real);
    return out->path ? VTA_OK : vt_no_memory(diag);
}

/* Opens a new file beside the target: of this process and this call alone, so that writers of one path do not meet. */
static vta_status open_beside(const vta_allocator *a, target *t, vta_diag *diag, int *out_fd) {
    static atomic_uint calls;
    enum { NUMBERS = 32 };
    size_t size = strlen(t->path) + NUMBERS;
    char *name = vt_alloc(a, size);
    if (!name) return vt_no_memory(diag);
    do {
        snprintf(name, size, "%s.%ld-%u.tmp", t->path, (long)getpid(), atomic_fetch_add(&calls, 1));
        *out_fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (*out_fd < 0 && errno == EEXIST);
    vta_status status = *out_fd < 0 ? io_error(diag, "create", t->path) : VTA_OK;
    if (status == VTA_OK && t->mode)
        (void)fchmod(*out_fd, t->mode); /* a file system without modes writes all the same */
    if (status == VTA_OK && !(t->beside = vt_strdup(a, name))) {
        close(*out_fd);
        unlink(name);
        status = vt_no_memory(diag);
    }
    vt_free(a, name, size);
    return status;
}

static vta_status open_target(const vta_allocator *a, target *t, vta_diag *diag, int *out_fd) {
    if (!t->direct) return open_beside(a, t, diag, out_fd);
    *out_fd = open(t->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return *out_fd < 0 ? io_error(diag, "open", t->path) : VTA_OK;
}

/* The name of a file is in its folder, which a crash of the machine must not bring back to what it was. Best effort:
 * not every file system lets a folder be synced, and the file is whole in any case. */
static void sync_folder(const vta_allocator *a, const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = vt_strdup(a, slash ? path : ".");
    if (folder && slash) folder[slash - path + (slash == path)] = '\0'; /* of "/name": "/" */
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    vt_free(a, folder, slash ? strlen(path) + 1 : sizeof ".");
}

/* A pipe or a device has nothing to sync. */
static bool sync_file(int fd) { return fsync(fd) == 0 || errno == EINVAL || errno == EROFS; }

static vta_status write_file(const vta_allocator *a, const char *path, const void *data, size_t size, bool lasting,
                             vta_diag *diag) {
    target t;
    int fd = -1;
    vta_status status = find_target(a, path, diag, &t);
    if (status == VTA_OK) status = open_target(a, &t, diag, &fd);
    if (status == VTA_OK && !write_all(fd, data, size)) status = io_error(diag, "write", path);
    if (status == VTA_OK && lasting && t.beside && !sync_file(fd)) status = io_error(diag, "write", path);
    if (fd >= 0 && close(fd) != 0 && status == VTA_OK) status = io_error(diag, "close", path);
    if (status == VTA_OK && t.beside && rename(t.beside, t.path) != 0) status = io_error(diag, "rename to", path);
    if (status != VTA_OK && t.beside) unlink(t.beside);
    if (status == VTA_OK && lasting && t.beside) sync_folder(a, t.path);
    target_free(a, &t);
    return status;
}

vta_status vt_file_write(const vta_allocator *a, const char *path, const void *data, size_t size, vta_diag *diag) {
    return write_file(a, path, data, size, true, diag);
}

vta_status vt_file_write_temporary(const vta_allocator *a, const char *path, const void *data, size_t size,
                                   vta_diag *diag) {
    return write_file(a, path, data, size, false, diag);
}

vta_status vta_file_write(const char *path, const void *bytes, size_t size, vta_diag *diag) {
    if (!path || (!bytes && size)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_file_write: no path or no bytes");
    return vt_file_write(NULL, path, bytes, size, diag);
}
