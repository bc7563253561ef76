/* The files of a session: all of them in its own folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc/session.h"

enum { NAME_BYTES = 128, FILE_COSTS = 4096 }; /* an empty file is not free */

static bool plain(const char *name) {
    size_t n = strnlen(name, NAME_BYTES + 1);
    if (!n || n > NAME_BYTES || name[0] == '.') return false;
    for (const char *c = name; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ' || *c == 127) return false;
    return true;
}

vta_status vt__session_path(vt_rpc_session *s, const char *name, size_t room, char *out_path) {
    if (!plain(name))
        return vt_fail(
            s->diag, VTA_INVALID_ARGUMENT,
            "'%.64s' is not a valid file name in a session: 1 to %d characters, no /, no dot at the beginning", name,
            NAME_BYTES);
    int n = snprintf(out_path, room, "%s/%s", s->page->folder, name);
    return n > 0 && (size_t)n < room ? VTA_OK : vt_fail(s->diag, VTA_INTERNAL, "%s: too long a path", name);
}

static vta_status io_error(vt_rpc_session *s, const char *name, const char *what) {
    return vt_fail(s->diag, errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "%s: cannot be %s: %s", name, what,
                   errno == ENOENT ? "there is no such file in this session" : strerror(errno));
}

static vta_status write_all(vt_rpc_session *s, int fd, const char *name, uint64_t offset, const char *bytes,
                            size_t size) {
    while (size) {
        ssize_t n = pwrite(fd, bytes, size, (off_t)offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return io_error(s, name, "written");
        bytes += n, offset += (size_t)n, size -= (size_t)n;
    }
    return VTA_OK;
}

/* Before a write: does the file stay within what the session may store? */
static vta_status charge(vt_rpc_session *s, int fd, const char *name, uint64_t offset, size_t size, bool is_new) {
    struct stat was;
    uint64_t end;
    if (fstat(fd, &was) != 0) return io_error(s, name, "written");
    uint64_t have = (uint64_t)was.st_size;
    if (offset > have || __builtin_add_overflow(offset, size, &end))
        return vt_fail(s->diag, VTA_OUT_OF_RANGE, "%s: a part at %llu, but the file ends at %llu", name,
                       (unsigned long long)offset, (unsigned long long)have);
    uint64_t more = (end > have ? end - have : 0) + (is_new ? FILE_COSTS : 0);
    if (more > s->page->file_bytes - s->uploaded)
        return vt_fail(s->diag, VTA_NO_MEMORY,
                       "%s: the files of a session may have %llu bytes in all, and %llu are used", name,
                       (unsigned long long)s->page->file_bytes, (unsigned long long)s->uploaded);
    s->uploaded += more;
    return VTA_OK;
}

static void refund(vt_rpc_session *s, uint64_t bytes) { s->uploaded -= bytes < s->uploaded ? bytes : s->uploaded; }

vta_status vt__session_upload(vt_rpc_session *s, const char *name, uint64_t offset, const void *bytes, size_t size) {
    char path[VT_FOLDER_BYTES + NAME_BYTES + 2];
    VT_TRY(vt__session_path(s, name, sizeof path, path));
    if (offset == 0 && access(path, F_OK) == 0) VT_TRY(vt__session_remove(s, name));
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | (offset ? 0 : O_CREAT | O_EXCL), 0600);
    if (fd < 0) return io_error(s, name, "written");
    vta_status status = charge(s, fd, name, offset, size, offset == 0);
    bool charged = status == VTA_OK;
    if (charged) status = write_all(s, fd, name, offset, bytes, size);
    close(fd);
    if (status != VTA_OK && offset == 0) unlink(path);
    if (status != VTA_OK && offset == 0 && charged) refund(s, size + FILE_COSTS);
    return status;
}

vta_status vt__session_download(vt_rpc_session *s, const char *name, uint64_t offset, size_t most, vt_strbuf *to,
                                uint64_t *out_total) {
    char path[VT_FOLDER_BYTES + NAME_BYTES + 2];
    struct stat is;
    VT_TRY(vt__session_path(s, name, sizeof path, path));
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC); /* a pipe would be waited for */
    if (fd < 0) return io_error(s, name, "read");
    char buffer[65536];
    ssize_t n = fstat(fd, &is);
    if (n == 0 && !S_ISREG(is.st_mode)) n = -1, errno = EINVAL;
    *out_total = n == 0 ? (uint64_t)is.st_size : 0;
    for (size_t done = 0; n >= 0 && done < most; done += (size_t)n) {
        size_t part = most - done < sizeof buffer ? most - done : sizeof buffer;
        n = pread(fd, buffer, part, (off_t)(offset + done));
        if (n <= 0) break;
        vt_strbuf_addn(to, buffer, (size_t)n);
    }
    vta_status status = n < 0 ? io_error(s, name, "read") : VTA_OK;
    close(fd);
    return status;
}

vta_status vt__session_remove(vt_rpc_session *s, const char *name) {
    char path[VT_FOLDER_BYTES + NAME_BYTES + 2];
    struct stat is;
    VT_TRY(vt__session_path(s, name, sizeof path, path));
    if (lstat(path, &is) != 0 || unlink(path) != 0) return io_error(s, name, "removed");
    refund(s, (uint64_t)is.st_size + FILE_COSTS);
    return VTA_OK;
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

/* The files are those of code that may do what it likes: names are looked up in open folders, never by path, and links
 * are removed, not followed. A folder inside a folder is moved up before it is emptied, so that trees of any depth
 * go, with no more than three descriptors. */
typedef struct removal {
    int top;
    uint64_t number; /* of the last folder that was moved up */
} removal;

/* A folder without rights for its owner would keep what is in it. */
static int open_inside(int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 || errno != EACCES) return fd;
    if (fchmodat(folder, name, 0700, 0) != 0) return -1;
    return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool move_up(removal *r, int folder, const char *name) {
    char fresh[32];
    bool ours = false; /* its owner has been given all rights on it, which moving a folder needs */
    for (int tries = 0; tries < 1000; tries++) {
        snprintf(fresh, sizeof fresh, ".gone-%llu", (unsigned long long)r->number++);
        if (renameat2(folder, name, r->top, fresh, RENAME_NOREPLACE) == 0) return true;
        if (errno == EEXIST) continue;
        if (errno != EACCES || ours || fchmodat(folder, name, 0700, 0) != 0) return false;
        ours = true;
    }
    return false;
}

/* Empties an open folder, which is closed: how many entries have gone from it, -1 when it cannot be read. */
static long empty(removal *r, int folder) {
    long gone = 0;
    fchmod(folder, 0700);
    DIR *dir = fdopendir(folder);
    if (!dir) {
        close(folder);
        return -1;
    }
    for (struct dirent *e; (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        gone += unlinkat(folder, e->d_name, 0) == 0 || move_up(r, folder, e->d_name);
    }
    closedir(dir);
    return gone;
}

/* One time over all that is in the top. How much has gone, or was moved there. */
static long pass(removal *r) {
    long done = 0;
    int again = openat(r->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again >= 0 ? fdopendir(again) : NULL;
    if (!dir && again >= 0) close(again);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        int inner = unlinkat(r->top, e->d_name, 0) == 0 ? -1 : open_inside(r->top, e->d_name);
        long gone = 0;
        for (long some = 1; inner >= 0 && some > 0; gone += some > 0 ? some : 0) {
            int once = openat(inner, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            some = once >= 0 ? empty(r, once) : -1;
        }
        bool removed = inner < 0 || unlinkat(r->top, e->d_name, AT_REMOVEDIR) == 0;
        if (inner >= 0) close(inner);
        done += removed || gone;
    }
    if (dir) closedir(dir);
    return done;
}

bool vt__folder_remove(const char *path) {
    removal r = {.top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (r.top < 0) return false;
    fchmod(r.top, 0700);
    while (rmdir(path) != 0 && (errno == ENOTEMPTY || errno == EEXIST))
        if (!pass(&r)) break;
    close(r.top);
    return access(path, F_OK) != 0;
}
