#include "build/link.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"

extern char **environ;

/* What linked, or why nothing did. */
typedef enum outcome { LINKED, FAILED, NOT_THERE } outcome;

enum { WORDS_MOST = 4096 };

/* Reads what a child writes until it closes its end. */
static void read_words(int fd, vt_strbuf *out) {
    char buffer[512];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0 && out->size < WORDS_MOST) vt_strbuf_addn(out, buffer, (size_t)n);
}

/* Runs argv; its standard error goes to `words`. */
static outcome run(char *const argv[], vt_strbuf *words) {
    int ends[2], code = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) != 0) return FAILED;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    int error = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error == 0) read_words(ends[0], words);
    close(ends[0]);
    if (error) return error == ENOENT ? NOT_THERE : FAILED;
    while (waitpid(child, &code, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(code) && WEXITSTATUS(code) == 127 && !words->size) return NOT_THERE;
    return WIFEXITED(code) && WEXITSTATUS(code) == 0 ? LINKED : FAILED;
}

static bool begins(const char *s, const char *with) { return strncmp(s, with, strlen(with)) == 0; }

/* The programs to try, best first, NULL at the end. */
static void linkers(const char *triple, bool native, const char *out[6]) {
    size_t n = 0;
    const char *chosen = getenv("CC");
    if (native) {
        if (chosen && *chosen && !strchr(chosen, ' ')) out[n++] = chosen;
        out[n++] = "cc";
        out[n++] = "gcc";
    } else if (begins(triple, "aarch64")) {
        out[n++] = "aarch64-linux-gnu-gcc";
    } else if (begins(triple, "arm")) {
        out[n++] = strstr(triple, "hf") ? "arm-linux-gnueabihf-gcc" : "arm-linux-gnueabi-gcc";
    } else if (begins(triple, "x86_64")) {
        out[n++] = "x86_64-linux-gnu-gcc";
    }
    out[n++] = "ld.lld-19";
    out[n++] = "ld.lld";
    out[n] = NULL;
}

static vta_status link_file(const vta_allocator *a, const char *object, const char *triple, bool native,
                            const char *path, vta_diag *diag) {
    const char *programs[6];
    linkers(triple, native, programs);
    vt_strbuf tried, words;
    vt_strbuf_init(&tried, a);
    vt_strbuf_init(&words, a);
    outcome o = NOT_THERE;
    size_t i = 0;
    for (; programs[i] && o == NOT_THERE; i++) {
        char *argv[] = {(char *)programs[i], "-shared", "-o", (char *)path, (char *)object, NULL};
        vt_strbuf_clear(&words);
        o = run(argv, &words);
        vt_strbuf_addf(&tried, "%s%s", i ? ", " : "", programs[i]);
    }
    vta_status status = VTA_OK;
    if (o == NOT_THERE)
        status =
            vt_fail(diag, VTA_UNSUPPORTED,
                    "%s: no linker for %s on this machine (tried %s): install one, or save an object (.o) and link "
                    "it where it will run",
                    path, triple, vt_strbuf_text(&tried));
    else if (o == FAILED)
        status = vt_fail(diag, VTA_IO, "%s: %s cannot link it: %s", path, programs[i - 1], vt_strbuf_text(&words));
    vt_strbuf_free(&tried);
    vt_strbuf_free(&words);
    return status;
}

vta_status vt__link_shared(const vta_allocator *a, const void *object, size_t size, const char *triple, bool native,
                           const char *path, vta_diag *diag) {
    const char *folder = getenv("TMPDIR");
    vt_strbuf name;
    vt_strbuf_init(&name, a);
    vt_strbuf_addf(&name, "%s/vta-XXXXXX", folder && *folder ? folder : "/tmp");
    char *temporary = vt_strbuf_take(&name);
    if (!temporary) return vt_no_memory(diag);
    int fd = mkstemp(temporary);
    vta_status status = VTA_OK;
    if (fd < 0) {
        status = vt_fail(diag, VTA_IO, "%s: cannot create: %s", temporary, strerror(errno));
    } else {
        close(fd);
        status = vt_file_write(a, temporary, object, size, diag);
        if (status == VTA_OK) status = link_file(a, temporary, triple, native, path, diag);
        unlink(temporary);
    }
    vt_strfree(a, temporary);
    return status;
}
