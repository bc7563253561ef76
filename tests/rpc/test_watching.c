/* What the server sees of its sessions ten times a second, to the millisecond; its log; the lines of its table; its
 * folders. No loop runs: the time is the test's. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rpc/session.h"
#include "rpc/told.h"

#include "../../src/vta/rpc/server.h" /* tests/rpc has a server.h of its own */

static vt_server s;
static vt_rpc_table table;
static vt_rpc_page page;
static char logged[4096];
static size_t logged_size;
static vta_diag *diag;

static void write_log(void *ctx, const char *text, size_t size) {
    (void)ctx;
    assert_true(size < sizeof logged);
    memcpy(logged, text, size);
    logged[size] = '\0';
    logged_size = size;
}

static int begin(void **state) {
    (void)state;
    s = (vt_server){.table = &table, .folder_fd = -1, .table_fd = -1};
    s.options.log = (vta_sink){.write = write_log};
    memset(&table, 0, sizeof table);
    memset(&page, 0, sizeof page);
    logged[0] = '\0';
    s.diag = diag = vta_diag_create(NULL);
    return diag ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    return 0;
}

/* A line has at most 1023 characters with its end. */
static void the_log(void **state) {
    (void)state;
    char text[2001];
    for (size_t n = 1020; n <= 2000; n += n == 1024 ? 976 : 1) {
        memset(text, 'x', n);
        text[n] = '\0';
        vt__server_log(&s, "%s", text);
        size_t kept = n < 1023 ? n : 1022;
        assert_int_equal(logged_size, kept + 1);
        assert_memory_equal(logged, text, kept);
        assert_int_equal(logged[kept], '\n');
    }
    s.options.log.write = NULL;
    vt__server_log(&s, "nobody hears it");
}

static void lines(void **state) {
    (void)state;
    vt_connection c[3];
    s.options.max_sessions = 2;
    atomic_store(&table.line[0].pid, 77); /* another's */
    for (int i = 0; i < 3; i++) {
        c[i] = (vt_connection){.server = &s};
        snprintf(c[i].peer, sizeof c[i].peer, "peer %d", i);
        table.line[i + 1].calls = table.line[i + 1].bytes = 9; /* of who had it before */
        uint64_t before = vt__rpc_now();
        vta_status status = vt__connection_take_line(&c[i], diag);
        if (i == 2) {
            told(diag, status, VTA_NO_MEMORY, "all 2 sessions of this server are taken (--sessions); try again later");
            assert_null(c[i].line);
            continue;
        }
        assert_int_equal(status, VTA_OK);
        assert_ptr_equal(c[i].line, &table.line[i + 1]);
        assert_int_equal(atomic_load(&c[i].line->pid), UINT32_MAX); /* until it has a process */
        assert_string_equal(c[i].line->peer, c[i].peer);
        assert_in_range(c[i].line->since_ms, before, vt__rpc_now());
        assert_true(!c[i].line->calls && !c[i].line->bytes && !c[i].line->calling_ms && !c[i].line->protocol);
    }
    assert_int_equal(s.sessions, 2);
    s.options.max_sessions = 300; /* more than there are lines */
    for (int i = 0; i < VT_RPC_MAX_SESSIONS - 3; i++) {
        vt_connection more = {.server = &s};
        assert_int_equal(vt__connection_take_line(&more, diag), VTA_OK);
    }
    assert_int_equal(vt__connection_take_line(&c[2], diag), VTA_NO_MEMORY);
    assert_int_equal(s.sessions, VT_RPC_MAX_SESSIONS - 1);
}

/* A process that does nothing, in a group of its own, as a session is. */
static pid_t idle(void) {
    pid_t pid = fork(); /* with the signals that this process ignores */
    if (!pid) {
        for (;;) pause();
    }
    setpgid(pid, pid);
    return pid;
}

/* What nobody ended: a number above those that end a session, since of signals that wait the lowest is the first. */
enum { NOBODY = SIGPROF };

static bool is_ended_by(pid_t pid, int number) {
    int code;
    kill(pid, NOBODY);
    assert_int_equal(waitpid(pid, &code, 0), pid);
    return WIFSIGNALED(code) && WTERMSIG(code) == number;
}

#define TOO_LONG "a call took longer than 5 seconds (--call-seconds), and the session was ended"

/* Calls that are too long, and clients that are gone: not at the limit, but a millisecond after it. */
static void limits_of_time(void **state) {
    (void)state;
    static const struct {
        uint64_t started, gone, asked, now; /* milliseconds; 0: neither */
        uint64_t calling;
        const char *why; /* NULL: it goes on */
    } cases[] = {
        {0, 0, 0, 1000000, 0, NULL},
        {1000, 0, 0, 6000, 5000, NULL},
        {1000, 0, 0, 6001, 5001, TOO_LONG},
        {9000, 0, 0, 8000, 0, NULL}, /* it has begun since the time was looked at */
        {9000, 0, 0, 9000, 0, NULL},
        {0, 1000, 0, 7000, 0, NULL},
        {0, 1000, 0, 7001, 0, "the client is gone"},
        {1200, 1000, 0, 1500, 300, NULL},
        {1200, 1000, 0, 1501, 301, "the client is gone"},
        {0, 0, 1000, 8000, 0, NULL}, /* asked for something, and no call: perhaps it is half a request */
        {0, 0, 1000, 8001, 0, TOO_LONG},
        {0, 0, 9000, 8001, 0, NULL},
    };
    s.options.call_seconds = 5;
    s.options.patience_ms = 6000;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vt_connection c = {.server = &s, .state = VT_SERVED, .running = true, .page = &page, .line = &table.line[3]};
        c.process.pid = idle();
        c.gone = cases[i].gone;
        c.asked = cases[i].asked;
        atomic_store(&page.call_started, cases[i].started);
        atomic_store(&page.protocol, 2);
        atomic_store(&page.calls, 34);
        atomic_store(&page.bytes, 56);
        vt__connection_watch(&c, cases[i].now);
        assert_true(c.line->protocol == 2 && c.line->calls == 34 && c.line->bytes == 56);
        assert_int_equal(c.line->calling_ms, cases[i].calling);
        assert_string_equal(c.why, cases[i].why ? cases[i].why : "");
        assert_int_equal(c.ended, !cases[i].why ? VTA_OK : cases[i].gone ? VTA_IO : VTA_TIMEOUT);
        vt__connection_kill(&c, VTA_RACE, "a later reason"); /* the first one stays */
        assert_string_equal(c.why, cases[i].why ? cases[i].why : "a later reason");
        assert_true(is_ended_by(c.process.pid, SIGTERM));
    }
    vt_connection c = {.server = &s, .state = VT_SERVED, .running = true, .page = &page};
    c.process.pid = idle();
    vt__connection_watch(&c, 5);
    assert_true(is_ended_by(c.process.pid, NOBODY));
    c = (vt_connection){.server = &s, .state = VT_SERVED, .running = true, .killed = 1000, .page = &page};
    for (uint64_t now = 4000; now <= 4001; now++) { /* a keeper that does not hear */
        c.process.pid = idle();
        vt__connection_watch(&c, now);
        assert_true(is_ended_by(c.process.pid, now == 4000 ? NOBODY : SIGKILL));
    }
    signal(SIGTERM, SIG_IGN); /* one that takes its time is ended later, not at once */
    c = (vt_connection){.server = &s, .state = VT_SERVED, .running = true, .page = &page, .line = &table.line[3]};
    c.process.pid = idle();
    signal(SIGTERM, SIG_DFL);
    atomic_store(&page.call_started, 1000);
    vt__connection_watch(&c, 6001);
    assert_string_equal(c.why, TOO_LONG);
    assert_true(is_ended_by(c.process.pid, NOBODY));
}

/* ---- Folders ----------------------------------------------------------------------------------------------------- */

static void folders(void **state) {
    (void)state;
    char place[] = "/tmp/vta-rpc-folders-XXXXXX", old[96], young[96], other[96], session[VT_FOLDER_BYTES], words[256];
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct stat st;
    assert_non_null(mkdtemp(place));
    setenv("TMPDIR", place, 1);
    snprintf(old, sizeof old, "%s/vta-rpc-server-old", place);
    snprintf(young, sizeof young, "%s/vta-rpc-server-young", place);
    snprintf(other, sizeof other, "%s/vta-rpc-serve", place);
    for (int i = 0; i < 3; i++) assert_int_equal(mkdir(i == 0 ? old : i == 1 ? young : other, 0700), 0);
    assert_int_equal(utimensat(AT_FDCWD, old, long_ago, 0), 0);
    assert_int_equal(utimensat(AT_FDCWD, other, long_ago, 0), 0);
    assert_int_equal(vt__folders_begin(&s, diag), VTA_OK);
    assert_true(stat(old, &st) != 0 && stat(young, &st) == 0 && stat(other, &st) == 0);
    snprintf(words, sizeof words, "%s: removed: the server that it belonged to was killed\n", old);
    assert_string_equal(logged, words);
    assert_true(stat(s.folder, &st) == 0 && (st.st_mode & 07777) == 0711);
    int fd = open(s.folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1); /* it is held */
    assert_int_equal(vt__folders_session(&s, diag, session), VTA_OK);
    assert_memory_equal(session, s.folder, strlen(s.folder));
    assert_int_equal(strlen(session), strlen(s.folder) + strlen("/XXXXXX"));
    assert_true(stat(session, &st) == 0 && (st.st_mode & 07777) == 0700);
    int held = s.folder_fd;
    vt__folders_end(&s);
    assert_true(stat(s.folder, &st) != 0 && s.folder_fd == -1 && fcntl(held, F_GETFD) == -1);
    close(fd);
    assert_int_equal(vt__folders_session(&s, diag, session), VTA_IO);
    assert_string_equal(session, "");
    assert_contains(vta_diag_text(diag), "error: cannot make a session's folder ");
    vta_diag_clear(diag);
    for (int n = 217; n <= 218; n++) { /* with /vta-rpc-server-XXXXXX, its end, and 16 bytes for those of sessions */
        char long_place[300];
        memset(long_place, '/', sizeof long_place);
        memcpy(long_place, place, strlen(place));
        long_place[n] = '\0';
        setenv("TMPDIR", long_place, 1);
        vta_status status = vt__folders_begin(&s, diag);
        if (n == 217) {
            assert_int_equal(status, VTA_OK);
            vt__folders_end(&s);
            continue;
        }
        told(diag, status, VTA_IO, "$TMPDIR is longer than 217 characters");
        assert_string_equal(s.folder, "");
    }
    unsetenv("TMPDIR");
    vt__folder_remove(place);
    assert_int_equal(stat(place, &st), -1);
}

/* Deeper than a process may have files open, and some of it closed to its owner. */
static void deep_trees(void **state) {
    (void)state;
    char place[] = "/tmp/vta-rpc-tree-XXXXXX";
    enum { DEEP = 2000 };
    struct stat st;
    assert_non_null(mkdtemp(place));
    int at = open(place, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < DEEP; i++) {
        const char *name = i % 3 ? "d" : ".gone-0";
        assert_int_equal(mkdirat(at, name, 0700), 0);
        assert_int_equal(mkdirat(at, "empty", 0), 0);
        int inner = openat(at, name, O_RDONLY | O_DIRECTORY), file = openat(at, "f", O_WRONLY | O_CREAT, 0);
        assert_true(inner >= 0 && file >= 0);
        if (i % 5 == 0) fchmod(at, 0);
        close(file);
        close(at);
        at = inner;
    }
    close(at);
    assert_true(vt__folder_remove(place));
    assert_int_equal(stat(place, &st), -1);
    assert_false(vt__folder_remove(place));
}

/* A tree is removed to its end, and what links lead to stays. */
/* A control group that is busy keeps no folder from going, though there is one thread for both; it goes when it can. A
 * mount makes it as busy as a process does. */
static void busy_groups(void **state) {
    (void)state;
    char place[] = "/tmp/vta-rpc-busy-XXXXXX", group[64], folder[64];
    struct stat st;
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) skip();
    assert_non_null(mkdtemp(place));
    snprintf(group, sizeof group, "%s/group", place);
    snprintf(folder, sizeof folder, "%s/folder", place);
    assert_int_equal(mkdir(group, 0700) | mkdir(folder, 0700), 0);
    assert_int_equal(mount("none", group, "tmpfs", 0, NULL), 0);
    setenv("UV_THREADPOOL_SIZE", "1", 1);
    assert_int_equal(uv_loop_init(&s.loop), 0);
    vt__folders_drop(&s, "", group);
    vt__folders_drop(&s, folder, "");
    while (stat(folder, &st) == 0) assert_true(uv_run(&s.loop, UV_RUN_ONCE));
    assert_int_equal(stat(group, &st), 0);
    assert_int_equal(umount(group), 0);
    while (uv_run(&s.loop, UV_RUN_DEFAULT)) continue;
    assert_int_equal(stat(group, &st), -1);
    assert_int_equal(uv_loop_close(&s.loop), 0);
    assert_string_equal(logged, "");
    assert_int_equal(rmdir(place), 0);
}

static void trees(void **state) {
    (void)state;
    char place[] = "/tmp/vta-rpc-tree-XXXXXX", outside[] = "/tmp/vta-rpc-outside-XXXXXX", command[512];
    struct stat st;
    assert_true(mkdtemp(place) && mkdtemp(outside));
    snprintf(command, sizeof command,
             "cd %s && mkdir -p a/b/c .d && touch a/f a/b/.g a/b/c/h && ln -s %s a/link && ln -s /etc/passwd l && "
             "touch %s/kept",
             place, outside, outside);
    assert_int_equal(system(command), 0);
    vt__folder_remove(place);
    assert_int_equal(stat(place, &st), -1);
    snprintf(command, sizeof command, "%s/kept", outside);
    assert_int_equal(stat(command, &st), 0);
    vt__folder_remove(command); /* a file is no folder */
    assert_int_equal(stat(command, &st), 0);
    vt__folder_remove(outside);
    assert_int_equal(stat(outside, &st), -1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(the_log),     TEST(lines), TEST(limits_of_time), TEST(folders),
                                       TEST(busy_groups), TEST(trees), TEST(deep_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
