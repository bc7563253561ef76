#include "rpc/jail_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/environment.h"

/* <sys/mount.h> has the same names as <linux/mount.h>, and old ones not all. */
int mount(const char *source, const char *target, const char *type, unsigned long flags, const void *data);
enum { BIND = 1 << 12, RECURSIVE = 1 << 14, PRIVATE = 1 << 18, SAFE = 2 | 4 | 8 }; /* no setuid, devices, programs */

static vta_status failed(vta_diag *diag, const char *what, const char *path) {
    return vt_fail(diag, VTA_IO, "%s %s: %s", what, path, strerror(errno));
}

/* ---- What stays -------------------------------------------------------------------------------------------------- */

void vt__kept_add(vt_kept_list *list, const char *path, bool writable) {
    char whole[PATH_MAX];
    struct stat is;
    if (list->count == VT_KEPT_MAX || !*path || !realpath(path, whole) || strlen(whole) >= VT_RPC_PATH_BYTES) return;
    vt_kept k = {.writable = writable};
    strcpy(k.path, whole);
    k.fd = open(whole, O_PATH | O_CLOEXEC);
    if (k.fd < 0) return;
    k.is_folder = fstat(k.fd, &is) == 0 && S_ISDIR(is.st_mode);
    list->at[list->count++] = k;
}

void vt__kept_of_board(vt_kept_list *list, const char *text) {
    char path[VT_RPC_PATH_BYTES];
    for (const char *at = text; at && *at;) {
        size_t n = strcspn(at, "=: \t,");
        if (*at == '/' && n < sizeof path) {
            snprintf(path, sizeof path, "%.*s", (int)n, at);
            vt__kept_add(list, path, true);
        }
        at += n + (at[n] != '\0');
    }
}

static bool is_inside(const char *path, const char *folder) {
    size_t n = strlen(folder);
    return !strncmp(path, folder, n) && (!path[n] || path[n] == '/');
}

static bool bind_to(int fd, const char *path) {
    char from[64];
    snprintf(from, sizeof from, "/proc/self/fd/%d", fd);
    return mount(from, path, NULL, BIND | RECURSIVE, NULL) == 0;
}

/* ---- What is hidden ---------------------------------------------------------------------------------------------- */

/* Makes the folders that lead to a path, and what stands there, in an empty folder. */
static bool make_way(const vt_kept *k, const char *hidden) {
    char path[VT_RPC_PATH_BYTES];
    strcpy(path, k->path);
    for (char *c = path + strlen(hidden) + 1; (c = strchr(c, '/')); *c++ = '/') {
        *c = '\0';
        if (mkdir(path, 0755) != 0 && errno != EEXIST) return false;
    }
    if (k->is_folder) return mkdir(path, 0755) == 0 || errno == EEXIST;
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 && close(fd) == 0;
}

static vta_status hide(const char *folder, const vt_kept_list *kept, vta_diag *diag) {
    char real[PATH_MAX];
    if (!realpath(folder, real) || !strcmp(real, "/")) return VTA_OK; /* not there, or out of reach */
    for (size_t i = 0; i < kept->count; i++)
        if (!strcmp(kept->at[i].path, real)) return VTA_OK;
    if (mount("tmpfs", real, "tmpfs", SAFE, "size=1m,mode=0755") != 0) return failed(diag, "hiding", real);
    for (size_t i = 0; i < kept->count; i++) {
        const vt_kept *k = &kept->at[i];
        if (!is_inside(k->path, real)) continue;
        if (!make_way(k, real) || !bind_to(k->fd, k->path)) return failed(diag, "keeping", k->path);
    }
    return VTA_OK;
}

/* Folders where other programs of the machine keep what this user may read, and sockets that it may speak to. */
static vta_status hide_all(const vt_rpc_page *page, const vt_kept_list *kept, vta_diag *diag) {
    static const char *const places[] = {"/tmp", "/var/tmp", "/run", "/dev/shm", "/home", "/root"};
    char parent[VT_FOLDER_BYTES], key[PATH_MAX];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) VT_TRY(hide(places[i], kept, diag));
    if (*page->home) VT_TRY(hide(page->home, kept, diag));
    snprintf(parent, sizeof parent, "%s", page->folder); /* of all sessions of this server */
    char *slash = strrchr(parent, '/');
    if (slash) *slash = '\0';
    struct stat is, inside;
    bool hidden = stat(parent, &is) == 0 && stat(page->folder, &inside) == 0 && is.st_dev != inside.st_dev;
    if (!hidden) VT_TRY(hide(parent, kept, diag));
    if (!*page->key_file || !realpath(page->key_file, key)) return VTA_OK;
    return mount("/dev/null", key, NULL, BIND, NULL) == 0 ? VTA_OK : failed(diag, "hiding", key);
}

/* ---- What can be written to -------------------------------------------------------------------------------------- */

static bool set_read_only(const char *path, bool read_only, bool all) {
    struct mount_attr a = {.attr_set = read_only ? MOUNT_ATTR_RDONLY : 0,
                           .attr_clr = read_only ? 0 : MOUNT_ATTR_RDONLY};
    return syscall(SYS_mount_setattr, AT_FDCWD, path, all ? AT_RECURSIVE : 0, &a, sizeof a) == 0;
}

static vta_status protect(const vt_kept_list *kept, vta_diag *diag) {
    for (size_t i = 0; i < kept->count; i++) /* a mount of its own, where hiding has not made one */
        if (kept->at[i].writable && !bind_to(kept->at[i].fd, kept->at[i].path))
            return failed(diag, "keeping", kept->at[i].path);
    if (!set_read_only("/", true, true)) return failed(diag, "write protection of", "/");
    for (size_t i = 0; i < kept->count; i++)
        if (kept->at[i].writable && !set_read_only(kept->at[i].path, false, false) && errno != EPERM)
            return failed(diag, "writing to", kept->at[i].path);
    return VTA_OK;
}

vta_status vt__jail_furnish(const vt_rpc_page *page, vta_diag *diag) {
    static vt_kept_list kept;
    kept.count = 0;
    if (mount(NULL, "/", NULL, RECURSIVE | PRIVATE, NULL) != 0) return failed(diag, "mounts of", "/");
    vt__kept_add(&kept, page->folder, true);
    if (!kept.count) return failed(diag, "the session's folder", page->folder);
    vt__kept_of_board(&kept, vt_environment(VT_ENV_VTA_BOARD));
    vt__kept_add(&kept, page->bitstreams, false);
    vt__kept_add(&kept, "/sys", true);          /* of boards: as its user may */
    if (!page->change_user && geteuid() == 0) { /* to program an FPGA, by name or by an overlay: a mount below /sys */
        vt__kept_add(&kept, "/lib/firmware", true);
        vt__kept_add(&kept, "/sys/kernel/config/device-tree/overlays", true);
    }
    VT_TRY(hide_all(page, &kept, diag));
    VT_TRY(protect(&kept, diag));
    for (size_t i = 0; i < kept.count; i++) close(kept.at[i].fd);
    if (mount("proc", "/proc", "proc", SAFE, NULL) != 0) return failed(diag, "a new", "/proc");
    return VTA_OK;
}
