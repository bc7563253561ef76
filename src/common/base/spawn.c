#include "base/spawn.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/environment.h"

extern char **environ;

enum { SAID_MAX = 4096 };

/* Reads what a child writes until it closes its end. */
static void read_said(int fd, vt_strbuf *said) {
    char buffer[512];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && said->size < SAID_MAX) vt_strbuf_addn(said, buffer, (size_t)n);
}

static int start(const char *const argv[], const int ends[2], pid_t *out_child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_addclose(&actions, ends[0]);
    if (!error) error = posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (!error) error = posix_spawnp(out_child, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int vt_spawn(const char *const argv[], vt_strbuf *said, int *out_code) {
    int ends[2], state = 0;
    pid_t child;
    *out_code = -1;
    if (pipe(ends) != 0) return errno;
    int error = start(argv, ends, &child);
    close(ends[1]);
    if (error == 0) read_said(ends[0], said);
    close(ends[0]);
    if (error) return error;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return errno;
    *out_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    /* How an emulated posix_spawn (qemu-user) says that there is no such program. */
    return *out_code == 127 && !said->size ? ENOENT : 0;
}

vta_status vt_temporary_folder(char out_folder[VT_FOLDER_BYTES], vta_diag *diag) {
    int n = snprintf(out_folder, VT_FOLDER_BYTES, "%s/vta-XXXXXX", vt_temporary_place());
    if (n < 0 || n >= VT_FOLDER_BYTES)
        return vt_fail(diag, VTA_IO, "$TMPDIR is longer than %d characters",
                       VT_FOLDER_BYTES - (int)sizeof "/vta-XXXXXX");
    if (mkdtemp(out_folder)) return VTA_OK;
    return vt_fail(diag, VTA_IO, "cannot make a temporary folder %s ($TMPDIR): %s", out_folder, strerror(errno));
}
