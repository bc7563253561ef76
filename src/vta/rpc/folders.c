/* Where the folders of a server's sessions are: in one of its own, which it keeps locked. What a server that was killed
 * has left behind is known by a lock that nobody holds, and goes when the next server begins. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/environment.h"
#include "rpc/cgroup.h"
#include "rpc/server.h"
#include "rpc/session.h"

#define PREFIX "vta-rpc-server-"
enum { YOUNG_SECONDS = 60 }; /* a server that is just beginning has not locked its folder yet */

static bool is_stale(int places, const char *name) {
    struct stat is;
    int fd = openat(places, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return false;
    bool ours = fstat(fd, &is) == 0 && is.st_uid == geteuid() && time(NULL) - is.st_mtime > YOUNG_SECONDS;
    bool free = ours && flock(fd, LOCK_EX | LOCK_NB) == 0;
    close(fd);
    return free;
}

static void remove_stale(vt_server *s, const char *place) {
    char path[VT_FOLDER_BYTES];
    DIR *dir = opendir(place);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) || !is_stale(dirfd(dir), e->d_name)) continue;
        if (snprintf(path, sizeof path, "%s/%s", place, e->d_name) >= (int)sizeof path) continue;
        bool gone = vt__folder_remove(path);
        vt__server_log(s, "%s: %s: the server that it belonged to was killed", path,
                       gone ? "removed" : "cannot be removed");
    }
    if (dir) closedir(dir);
}

vta_status vt__folders_begin(vt_server *s, vta_diag *diag) {
    const char *place = vt_temporary_place();
    remove_stale(s, place);
    int n = snprintf(s->folder, sizeof s->folder, "%s/" PREFIX "XXXXXX", place);
    if (n < 0 || n >= (int)sizeof s->folder - 16) {
        *s->folder = '\0';
        return vt_fail(diag, VTA_IO, "$TMPDIR is longer than %d characters",
                       VT_FOLDER_BYTES - 16 - (int)sizeof "/" PREFIX "XXXXXX");
    }
    bool made = mkdtemp(s->folder) != NULL;
    if (made) s->folder_fd = open(s->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Sessions go through to their own folder, and see no other's name. */
    if (s->folder_fd >= 0 && flock(s->folder_fd, LOCK_EX | LOCK_NB) == 0 && fchmod(s->folder_fd, 0711) == 0)
        return VTA_OK;
    vta_status status =
        vt_fail(diag, VTA_IO, "cannot make a temporary folder %s ($TMPDIR): %s", s->folder, strerror(errno));
    if (!made) *s->folder = '\0';
    return status;
}

vta_status vt__folders_session(const vt_server *s, vta_diag *diag, char out_folder[VT_FOLDER_BYTES]) {
    snprintf(out_folder, VT_FOLDER_BYTES, "%.240s/XXXXXX", s->folder);
    if (mkdtemp(out_folder)) return VTA_OK;
    vta_status status = vt_fail(diag, VTA_IO, "cannot make a session's folder %s: %s", out_folder, strerror(errno));
    *out_folder = '\0';
    return status;
}

/* A folder that is being removed, and a control group: while that is busy it is tried again, and no thread waits. */
typedef struct removal {
    uv_work_t work;
    uv_timer_t again;
    vt_server *server;
    char path[VT_FOLDER_BYTES], group[VT_RPC_PATH_BYTES];
    int tries;
    bool gone;
    vt_cgroup_end group_end;
} removal;

enum { GROUP_TRIES = 500, GROUP_PAUSE_MS = 10 };

static void remove_one(uv_work_t *work) {
    removal *r = work->data;
    if (*r->group) r->group_end = vt__cgroup_remove(r->group);
    if (!r->gone) r->gone = !*r->path || vt__folder_remove(r->path);
}

static void forget(uv_handle_t *again) { free(again->data); }

static void try_again(uv_timer_t *again);

static void removed(uv_work_t *work, int status) {
    removal *r = work->data;
    (void)status;
    if (r->group_end == VT_CGROUP_BUSY && ++r->tries < GROUP_TRIES) {
        uv_timer_start(&r->again, try_again, GROUP_PAUSE_MS, 0);
        return;
    }
    if (!r->gone) vt__server_log(r->server, "%s: cannot be removed", r->path);
    if (r->group_end != VT_CGROUP_GONE) vt__server_log(r->server, "%s: cannot be removed", r->group);
    uv_close((uv_handle_t *)&r->again, forget);
}

static void begin(removal *r) {
    if (uv_queue_work(&r->server->loop, &r->work, remove_one, removed) == 0) return;
    remove_one(&r->work);
    removed(&r->work, 0);
}

static void try_again(uv_timer_t *again) { begin(again->data); }

void vt__folders_drop(vt_server *s, const char *folder, const char *group) {
    removal *r = calloc(1, sizeof *r);
    if (!r) {
        if (*group) vt__cgroup_remove(group);
        if (*folder) vt__folder_remove(folder);
        return;
    }
    r->work.data = r;
    r->server = s;
    snprintf(r->path, sizeof r->path, "%s", folder);
    snprintf(r->group, sizeof r->group, "%s", group);
    uv_timer_init(&s->loop, &r->again);
    r->again.data = r;
    begin(r);
}

void vt__folders_end(vt_server *s) {
    if (*s->folder && !vt__folder_remove(s->folder)) vt__server_log(s, "%s: cannot be removed", s->folder);
    if (s->folder_fd >= 0) close(s->folder_fd);
    s->folder_fd = -1;
}
