/* Data of tensors in files beside the model, never outside of its folder. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spill.h"
#include "frontend/onnx/priv.h"

static const char *entry(const Onnx__TensorProto *p, const char *key) {
    for (size_t i = 0; i < p->n_external_data; i++)
        if (p->external_data[i]->key && !strcmp(p->external_data[i]->key, key)) return p->external_data[i]->value;
    return NULL;
}

static int64_t number(vt_onnx_reader *r, const Onnx__TensorProto *p, const char *key, int64_t otherwise) {
    const char *text = entry(p, key);
    char *end;
    if (!text) return otherwise;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno || n < 0)
        vt__onnx_refuse(r, "tensor %s: %s of its data is \"%s\"", vt__onnx_name(p->name), key, text);
    return n;
}

/* The file's real place must be below the folder's, wherever links lead. */
static const char *path_of(vt_onnx_reader *r, const Onnx__TensorProto *p) {
    const char *where = entry(p, "location"), *name = vt__onnx_name(p->name);
    char folder[PATH_MAX], file[PATH_MAX];
    if (!where || !*where) vt__onnx_refuse(r, "tensor %s: its data is in a file that is not named", name);
    if (!r->options->folder)
        vt__onnx_refuse(r, "tensor %s is in the file %s; the model was not read from a folder", name, where);
    const char *path = vt_new_format(r->ctx, "%s/%s", r->options->folder, where);
    if (!realpath(r->options->folder, folder) || !realpath(path, file))
        vt_raise(r->ctx, errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "%s: tensor %s: %s: %s", r->options->name, name,
                 path, strerror(errno));
    size_t n = strlen(folder);
    bool below = !strncmp(folder, file, n) && (file[n] == '/' || n == 1);
    if (*where == '/' || !below)
        vt__onnx_refuse(r, "tensor %s: its file %s is outside of the model's folder, and is not read", name, where);
    return vt_new_string(r->ctx, file);
}

/* The next bytes of an open file. */
static bool read_all(void *fd, void *to, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        ssize_t n = read(*(int *)fd, (char *)to + done, bytes - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* Opens the file if it has these bytes: 0, or an error number; -1: it is too short or not an ordinary one. */
static int open_file(const char *path, size_t bytes, int64_t at, int *out_fd) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error = 0;
    if (fd < 0) return errno;
    if (fstat(fd, &st) != 0)
        error = errno;
    else if (!S_ISREG(st.st_mode) || at > st.st_size || (uint64_t)(st.st_size - at) < bytes)
        error = -1;
    else if (lseek(fd, at, SEEK_SET) < 0)
        error = errno;
    if (error) close(fd);
    *out_fd = error ? -1 : fd;
    return error;
}

static int read_file(const char *path, void *to, size_t bytes, int64_t at) {
    int fd, error = open_file(path, bytes, at, &fd);
    if (error) return error;
    if (!read_all(&fd, to, bytes)) error = errno ? errno : -1;
    close(fd);
    return error;
}

/* NULL: it is to be read into memory, which says what is wrong. */
static const void *spill_file(vt_onnx_reader *r, const char *path, size_t bytes, int64_t at) {
    int fd;
    if (open_file(path, bytes, at, &fd) != 0) return NULL;
    const void *data = vt_spill(r->ctx, bytes, read_all, &fd);
    close(fd);
    return data;
}

const void *vt__onnx_external(vt_onnx_reader *r, const Onnx__TensorProto *p, size_t bytes) {
    const char *path = path_of(r, p);
    int64_t at = number(r, p, "offset", 0), length = number(r, p, "length", (int64_t)bytes);
    struct stat st;
    if ((uint64_t)length != bytes)
        vt__onnx_refuse(r, "tensor %s has %lld bytes in %s, where its shape asks for %zu", vt__onnx_name(p->name),
                        (long long)length, path, bytes);
    bool known = stat(path, &st) == 0;
    if (known && (uint64_t)st.st_size < bytes) /* before memory of a size that nobody has is asked for */
        vt__onnx_refuse(r, "tensor %s: %s has %lld bytes, fewer than it says", vt__onnx_name(p->name), path,
                        (long long)st.st_size);
    bool large = known && bytes >= vt__onnx_spill((uint64_t)st.st_size, r->options->spill_bytes);
    const void *spilled = large ? spill_file(r, path, bytes, at) : NULL;
    if (spilled) return spilled;
    void *data = vt_new_bytes(r->ctx, bytes);
    errno = 0;
    int error = read_file(path, data, bytes, at);
    if (error < 0)
        vt__onnx_refuse(r, "tensor %s: %zu bytes from %lld on are not in %s", vt__onnx_name(p->name), bytes,
                        (long long)at, path);
    if (error) vt_raise(r->ctx, VTA_IO, "%s: %s: %s", r->options->name, path, strerror(error));
    return data;
}
