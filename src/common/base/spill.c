#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/environment.h"

enum { BUFFER = 1 << 15, TMPFS = 0x01021994, RAMFS = (int)0x858458f6 };

struct vt_spilled {
    vt_spilled *next;
    void *data;
    size_t size;
};

/* A folder in memory would keep the bytes where they are not to be; room is asked for before the bytes are read. */
static int open_in(const char *folder, size_t size) {
    char path[PATH_MAX];
    struct statfs fs;
    int n = snprintf(path, sizeof path, "%s/vta-weights-XXXXXX", folder);
    int fd = n > 0 && (size_t)n < sizeof path ? mkostemp(path, O_CLOEXEC) : -1;
    if (fd < 0) return -1;
    unlink(path);
    bool on_disk = fstatfs(fd, &fs) == 0 && fs.f_type != TMPFS && (int)fs.f_type != RAMFS;
    if (on_disk && fallocate(fd, 0, 0, (off_t)size) == 0) return fd;
    close(fd);
    return -1;
}

static int open_file(size_t size) {
    const char *const folders[] = {vt_environment(VT_ENV_TMPDIR), "/var/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && fd < 0; i++)
        if (folders[i]) fd = open_in(folders[i], size);
    return fd;
}

static bool write_all(int fd, const char *from, size_t size) {
    while (size) {
        ssize_t n = write(fd, from, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        from += n, size -= (size_t)n;
    }
    return true;
}

static bool copy(int fd, size_t size, vt_spill_read *read, void *user) {
    char some[BUFFER];
    for (size_t n; size; size -= n) {
        n = size < sizeof some ? size : sizeof some;
        if (!read(user, some, n) || !write_all(fd, some, n)) return false;
    }
    return true;
}

static const void *map(vt_ctx *ctx, int fd, size_t size) {
    vt_spilled *s = vt_alloc_zero(ctx->arena.allocator, sizeof *s);
    void *data = s ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (data == MAP_FAILED) {
        vt_free(ctx->arena.allocator, s, sizeof *s);
        return NULL;
    }
    *s = (vt_spilled){ctx->spilled, data, size};
    ctx->spilled = s;
    return data;
}

const void *vt_spill(vt_ctx *ctx, size_t size, vt_spill_read *read, void *user) {
    int fd = size ? open_file(size) : -1;
    if (fd < 0) return NULL;
    const void *data = copy(fd, size, read, user) ? map(ctx, fd, size) : NULL;
    close(fd);
    return data;
}

void vt_spill_release(const vt_ctx *ctx) {
    for (const vt_spilled *s = ctx->spilled; s; s = s->next) madvise(s->data, s->size, MADV_DONTNEED);
}

void vt_spill_read_on(const vt_ctx *ctx, size_t *since, size_t bytes) {
    enum { AT_ONCE = 1 << 25 };
    *since += bytes;
    if (!ctx || *since < AT_ONCE) return;
    vt_spill_release(ctx);
    *since = 0;
}

static void unmap(vt_ctx *ctx, vt_spilled **at) {
    vt_spilled *s = *at;
    *at = s->next;
    munmap(s->data, s->size);
    vt_free(ctx->arena.allocator, s, sizeof *s);
}

void vt_spill_drop(vt_ctx *ctx, const void *data) {
    vt_spilled **at = &ctx->spilled;
    while (*at && (*at)->data != data) at = &(*at)->next;
    if (*at) unmap(ctx, at);
}

void vt_spill_clear(vt_ctx *ctx) {
    while (ctx->spilled) unmap(ctx, &ctx->spilled);
}
