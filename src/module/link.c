/* Object files become shared objects with the system's linker, in a temporary folder. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "module/module_priv.h"

extern char **environ;

enum { FOLDER_BYTES = 256, MESSAGE_LIMIT = 1 << 16 };

/* Where the shared object and the linker's messages go. */
typedef struct workplace {
    char folder[FOLDER_BYTES];
    char output[FOLDER_BYTES + 16];
    char messages[FOLDER_BYTES + 16];
} workplace;

static vta_status make_workplace(workplace *w, vta_diag *diag) {
    const char *base = getenv("TMPDIR");
    int n = snprintf(w->folder, sizeof w->folder, "%s/vta-XXXXXX", base && *base ? base : P_tmpdir);
    if (n < 0 || (size_t)n >= sizeof w->folder || !mkdtemp(w->folder))
        return vt_fail(diag, VTA_IO, "cannot make a temporary folder %s: %s", w->folder, strerror(errno));
    snprintf(w->output, sizeof w->output, "%s/module.so", w->folder);
    snprintf(w->messages, sizeof w->messages, "%s/messages", w->folder);
    return VTA_OK;
}

static void clear_workplace(const workplace *w) {
    unlink(w->output);
    unlink(w->messages);
    rmdir(w->folder);
}

void vt__remove_linked(const char *path) {
    char folder[FOLDER_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    unlink(path);
    if (!slash) return;
    *slash = '\0';
    rmdir(folder);
}

/* Runs a program to its end: *out_code is its exit code. Returns the error number when it cannot be started. */
static int run(const char *const argv[], const char *messages, int *out_code) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (!error) error = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error) return error;
    int state = 0;
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR) {
    }
    *out_code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    return 0;
}

/* What the linker said, without the last line end. */
static vta_status refused(const vta_allocator *a, const char *path, const char *linker, const workplace *w,
                          vta_diag *diag) {
    char *text = NULL;
    size_t size = 0;
    vt_file_read(a, w->messages, MESSAGE_LIMIT, NULL, &text, &size);
    while (size && text[size - 1] == '\n') text[--size] = '\0';
    vt_fail(diag, VTA_PARSE, "%s: %s cannot link it: %s", path, linker, text && *text ? text : "(it gives no reason)");
    if (text) vt_strfree(a, text);
    return VTA_PARSE;
}

vta_status vt__link_object(const vta_allocator *a, const char *path, vta_diag *diag, char **out_path) {
    /* The linker itself is quickest and all that is needed; boards may have only a compiler driver. */
    static const char *const linkers[] = {"ld", "cc", "gcc", "clang"};
    *out_path = NULL;
    workplace w;
    VT_TRY(make_workplace(&w, diag));
    vta_status status = VTA_UNSUPPORTED;
    for (size_t i = 0; i < sizeof linkers / sizeof *linkers && status == VTA_UNSUPPORTED; i++) {
        const char *const argv[] = {linkers[i], "-shared", "-o", w.output, path, NULL};
        int code = 0;
        if (run(argv, w.messages, &code)) continue; /* not on this machine */
        status = code ? refused(a, path, linkers[i], &w, diag) : VTA_OK;
    }
    if (status == VTA_UNSUPPORTED)
        vt_fail(
            diag, VTA_UNSUPPORTED,
            "%s is an object file, and this machine has no linker (ld, cc, gcc, clang): install binutils, or link it "
            "into a shared object where it was made (-shared)",
            path);
    unlink(w.messages);
    if (status == VTA_OK && !(*out_path = vt_strdup(a, w.output))) status = vt_no_memory(diag);
    if (status != VTA_OK) clear_workplace(&w);
    return status;
}
