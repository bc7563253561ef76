/* Sessions whose code means harm: to the server, to other sessions, to the machine. Each of it against servers whose
 * sessions run as nobody, as root, and as the server's own user. */
#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mount.h>

#include "rpc/share.h"
#include "support/diag.h"

#include "rpc/raw.h"

enum { OWN_USER = 61234 };

/* Whom a server and its sessions run as. */
typedef enum who { AS_NOBODY, AS_ROOT, AS_ITS_OWNER, WAYS } who;

typedef struct place {
    server s;
    char key[128], home[128]; /* files of the server's user */
    bool unprotected;
} place;

static const char *harm_object(size_t *out_size) {
    static char bytes[1 << 18];
    static size_t size;
    char path[64], command[768];
    if (!size) {
        snprintf(path, sizeof path, "/tmp/vta-rpc-harm-%d.so", (int)getpid());
        snprintf(command, sizeof command,
                 "cd %s && cc -O1 -fPIC -shared -D_GNU_SOURCE -Isrc/vta -Isrc/common -Iinclude tests/rpc/harm.c -o %s",
                 VT_SOURCE_DIR, path);
        assert_int_equal(system(command), 0);
        FILE *f = fopen(path, "rb");
        size = fread(bytes, 1, sizeof bytes, f);
        fclose(f);
        unlink(path);
    }
    *out_size = size;
    return bytes;
}

/* Only root may try the ways of root. */
static bool can(who w) { return geteuid() == 0 || w == AS_ITS_OWNER; }

static const char *other_user = "nobody"; /* of root's sessions that are not root */

static void begin_as(place *p, who w, const char *first, const char *second, const char *third, const char *fourth) {
    static int begun;
    *p = (place){.unprotected = false};
    snprintf(p->key, sizeof p->key, "/var/tmp/vta-rpc-harm-%d-%d.key", (int)getpid(), begun++);
    unlink(p->key);
    must(vta_rpc_new_key(p->key, diag));
    if (geteuid() == 0 && w == AS_ITS_OWNER) {
        server_user = OWN_USER;
        assert_int_equal(chown(p->key, OWN_USER, OWN_USER), 0);
    }
    server_start(&p->s, "--key-file", p->key, "--user", w == AS_ROOT ? "root" : other_user, first, second, third,
                 fourth, NULL);
    server_user = 0;
    p->unprotected = strstr(server_log(&p->s), "sessions are not protected") != NULL;
    if (p->unprotected) print_message("skipped in part: %s", strstr(server_log(&p->s), "sessions are not"));
}

static void end_of(place *p) {
    server_settles(&p->s);
    server_stop(&p->s);
    unlink(p->key);
}

typedef struct client {
    vta_rpc *rpc;
    uint64_t module;
} client;

static client open_on(const place *p) {
    client c;
    size_t size;
    const char *object = harm_object(&size);
    const vta_rpc_options o = {.key_file = p->key, .timeout_ms = 60000, .answer_ms = 60000};
    must(vta_rpc_connect(NULL, p->s.port, &o, NULL, diag, &c.rpc));
    must(vta_rpc_upload(c.rpc, "harm.so", object, size, diag));
    must(vta_rpc_load_module(c.rpc, "harm.so", diag, &c.module, NULL));
    return c;
}

static vta_status call(const client *c, const char *name, const char *text, int64_t a, int64_t b, int64_t *out) {
    uint64_t f;
    TVMValue value = {0}, args[2] = {{.v_int64 = a}, {.v_int64 = b}};
    int codes[2] = {VTA_ARG_INT, VTA_ARG_INT};
    if (text) args[0].v_str = text, codes[0] = VTA_ARG_STRING;
    must(vta_rpc_function(c->rpc, c->module, name, diag, &f, NULL));
    vta_status status = vta_rpc_call(c->rpc, f, args, codes, 2, diag, &value, NULL);
    *out = value.v_int64;
    return status;
}

static int64_t result(const client *c, const char *name, const char *text, int64_t a) {
    int64_t got;
    must(call(c, name, text, a, 0, &got));
    return got;
}

static void is_refused(const client *c, const char *name, const char *text, int64_t a) {
    if (result(c, name, text, a) == 0) fail_msg("%s %s %lld: it can", name, text ? text : "", (long long)a);
}

/* ---- What it can reach ------------------------------------------------------------------------------------------- */

static int64_t status_field(const client *c, const char *name, int64_t base) {
    int64_t got;
    must(call(c, "status_field", name, 0, base, &got));
    return got;
}

/* Of root's rights none but the one to map registers is left, and no program gives any back. */
static void has_no_rights(const client *c, bool is_root, bool unprotected) {
    enum { RAW_IO = 1 << 17 };
    static const char *const sets[] = {"CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"};
    assert_int_equal(status_field(c, "NoNewPrivs:", 10), 1);
    if (unprotected) return;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        assert_int_equal(status_field(c, sets[i], 16) & ~(is_root && i != 0 && i != 4 ? RAW_IO : 0), 0);
}

/* Where other programs keep what they have it sees nothing, but the way to its own folder. */
static void sees_empty_folders(const client *c) {
    static const char *const places[] = {"/tmp", "/var/tmp", "/run", "/dev/shm", "/home", "/root"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int64_t own = !strcmp(places[i], "/tmp"), n = result(c, "list", places[i], 0);
        if (n > own) fail_msg("%s: it sees %lld entries", places[i], (long long)n);
    }
}

/* What the kernel's ways to program an FPGA need, where sessions are root: configfs is a mount of its own, here of
 * other files in its place. */
static void programs_by_overlay(void **state) {
    (void)state;
    static const char overlays[] = "/sys/kernel/config/device-tree/overlays";
    int mounts = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    place p;
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", "/sys/kernel", "tmpfs", 0, NULL) != 0) {
        print_message("skipped: only a root that may mount can put files in the place of configfs\n");
        if (mounts >= 0) setns(mounts, CLONE_NEWNS), close(mounts);
        skip();
    }
    assert_int_equal(mkdir("/sys/kernel/config", 0755) | mkdir("/sys/kernel/config/device-tree", 0755), 0);
    assert_int_equal(mkdir(overlays, 0755), 0);
    for (who w = AS_NOBODY; w <= AS_ROOT; w++) {
        char path[128];
        begin_as(&p, w, NULL, NULL, NULL, NULL);
        client c = open_on(&p);
        snprintf(path, sizeof path, "%s/mine", overlays);
        if (w == AS_ROOT)
            assert_int_equal(result(&c, "try_write", path, 0), 0);
        else
            is_refused(&c, "try_write", path, 0);
        if (!p.unprotected) is_refused(&c, "try_write", "/sys/kernel/config/mine", 0);
        vta_rpc_close(c.rpc);
        end_of(&p);
    }
    assert_int_equal(setns(mounts, CLONE_NEWNS), 0);
    close(mounts);
}

/* The server's memory, key, log and other sessions; what its user has at home; the network; files to write to. */
static void reach(void **state) {
    (void)state;
    for (who w = 0; w < WAYS; w++) {
        place p;
        if (!can(w)) continue;
        begin_as(&p, w, NULL, NULL, NULL, NULL);
        client c = open_on(&p), other = open_on(&p);
        char path[512];
        assert_int_equal(result(&c, "forge", NULL, 0), EINVAL); /* it is a pipe */
        snprintf(path, sizeof path, "/proc/%d/mem", (int)p.s.pid);
        is_refused(&c, "try_read", path, 0);
        snprintf(path, sizeof path, "/proc/%d/environ", (int)p.s.pid);
        if (w != AS_ROOT || !p.unprotected) is_refused(&c, "try_read", path, 0);
        is_refused(&c, "try_trace", NULL, p.s.pid);
        is_refused(&c, "try_user", NULL, w == AS_ROOT ? 0 : OWN_USER);
        has_no_rights(&c, w == AS_ROOT, p.unprotected);
        if (!p.unprotected) {
            sees_empty_folders(&c);
            is_refused(&c, "try_read", p.key, 0);
            is_refused(&c, "try_read", p.s.log, 0);
            is_refused(&c, "try_write", p.s.log, 0);
            is_refused(&c, "try_write", "/var/tmp/vta-rpc-harm-written", 0);
            is_refused(&c, "try_write", VT_BINARY_DIR "/vta-rpc-harm-written", 0);
            is_refused(&c, "try_signal", NULL, p.s.pid);
            is_refused(&c, "try_connect", NULL, p.s.port);
            struct passwd *user = getpwuid(w == AS_ROOT || w == AS_ITS_OWNER ? geteuid() : 65534);
            if (user && w != AS_ITS_OWNER && !access(user->pw_dir, F_OK))
                assert_in_range(result(&c, "list", user->pw_dir, 0) + 1, 0, 1); /* it is empty, or closed */
            assert_int_equal(server_count(server_sessions_folder(&p.s)), 2);
            assert_int_equal(result(&c, "list", server_sessions_folder(&p.s), 0), 1); /* its own */
        }
        assert_int_equal(result(&c, "try_write", "mine", 0), 0); /* its own folder is its own */
        must(vta_rpc_ping(other.rpc, diag));
        vta_rpc_close(c.rpc);
        vta_rpc_close(other.rpc);
        if (!strstr(server_log(&p.s), " says: 2026-01-01 00:00:00 127.0.0.1:1: session 1 ends\n") ||
            !strstr(server_log(&p.s), " says: \\x1b[31mred\n") || strstr(server_log(&p.s), "\n2026-01-01"))
            fail_msg("%s", server_log(&p.s));
        end_of(&p);
    }
}

/* A log takes so much of each session. */
static void chatter(void **state) {
    (void)state;
    place p;
    begin_as(&p, AS_ITS_OWNER, NULL, NULL, NULL, NULL);
    client c = open_on(&p);
    assert_int_equal(result(&c, "chatter", NULL, 50000), 0);
    vta_rpc_close(c.rpc);
    server_settles(&p.s);
    assert_contains(server_log(&p.s), "says more, which is not logged\n");
    assert_in_range(strlen(server_log(&p.s)), 1 << 16, 1 << 19);
    end_of(&p);
}

/* A log whose reader stalls stops neither sessions nor the end; what was dropped is counted. */
static void unread_log(void **state) {
    (void)state;
    int ends[2];
    static char text[1 << 17];
    place p;
    assert_int_equal(pipe(ends), 0);
    server_log_to = ends[1];
    begin_as(&p, AS_ITS_OWNER, NULL, NULL, NULL, NULL);
    server_log_to = 0;
    close(ends[1]);
    client c = open_on(&p);
    assert_int_equal(result(&c, "chatter", NULL, 20000), 0);
    must(vta_rpc_ping(c.rpc, diag));
    assert_in_range(read(ends[0], text, sizeof text - 1), 1 << 15, sizeof text); /* it was full */
    vta_rpc_close(c.rpc);
    c = open_on(&p);
    vta_rpc_close(c.rpc);
    server_settles(&p.s);
    ssize_t n = read(ends[0], text, sizeof text - 1);
    assert_in_range(n, 100, sizeof text);
    text[n] = '\0';
    assert_contains(text, " lines were dropped: nobody read the log\n");
    end_of(&p);
    close(ends[0]);
}

/* ---- Without namespaces ------------------------------------------------------------------------------------------ */

static bool put_text(const char *file, const char *text) {
    int fd = open(file, O_WRONLY);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0) close(fd);
    return good;
}

/* Makes this process one to which the kernel gives no more namespaces. */
static bool lose_namespaces(void) {
    static const char *const kinds[] = {"user", "pid", "mnt", "net", "ipc"};
    char map[64], file[64];
    uid_t user = geteuid() ? geteuid() : OWN_USER;
    if (geteuid() == 0 && (setgid(user) != 0 || setuid(user) != 0)) return false;
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    snprintf(map, sizeof map, "%u %u 1", user, user);
    if (unshare(CLONE_NEWUSER) != 0 || !put_text("/proc/self/uid_map", map)) return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        snprintf(file, sizeof file, "/proc/sys/user/max_%s_namespaces", kinds[i]);
        if (!put_text(file, "0")) return false;
    }
    return true;
}

static char heard[4096];

static void hear(void *ctx, const char *text, size_t size) {
    (void)ctx;
    if (strlen(heard) + size < sizeof heard) strncat(heard, text, size);
}

static void end_self(void *ctx, uint32_t port) {
    (void)ctx, (void)port;
    kill(getpid(), SIGTERM);
}

/* What does not hold, counted from 1; 0: all does; 77: namespaces cannot be taken away here. */
static int without_namespaces(const char *key_file) {
    static const char says[] = "sessions are not protected (namespaces without rights: No space left on device)";
    vta_rpc_server_options o = {.session_program = VT_BINARY_DIR "/vta-session",
                                .key_file = key_file,
                                .host = "0.0.0.0",
                                .log = {.write = hear},
                                .ready = end_self};
    if (!lose_namespaces()) return 77;
    if (vta_rpc_serve(&o, diag) != VTA_UNSUPPORTED) return 1;
    if (!strstr(vta_diag_text(diag), "--host 0.0.0.0: this machine gives sessions no namespaces (namespaces without "
                                     "rights: No space left on device)"))
        return 2;
    *heard = '\0';
    o.host = NULL; /* this machine only */
    if (vta_rpc_serve(&o, diag) != VTA_OK) return 3;
    return strstr(heard, says) ? 0 : 4;
}

/* Such a server says so, and serves nobody else. */
static void no_namespaces(void **state) {
    (void)state;
    char key[] = "/tmp/vta-rpc-harm-key-XXXXXX", folder[] = "/tmp/vta-rpc-harm-XXXXXX";
    int code, fd = mkstemp(key);
    assert_true(fd >= 0 && mkdtemp(folder));
    assert_int_equal(write(fd, "0123456789abcdef0123456789abcdef", 32), 32);
    if (geteuid() == 0) assert_true(fchown(fd, OWN_USER, OWN_USER) == 0 && chown(folder, OWN_USER, OWN_USER) == 0);
    close(fd);
    pid_t pid = fork();
    if (pid == 0) {
        setenv("TMPDIR", folder, 1);
        _exit(without_namespaces(key));
    }
    assert_int_equal(waitpid(pid, &code, 0), pid);
    unlink(key);
    assert_int_equal(rmdir(folder), 0);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 77) skip();
    if (code) fail_msg("%d", WEXITSTATUS(code));
}

static long number_of(pid_t pid, const char *file, const char *format) {
    char path[64], text[4096];
    long number = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
    const char *at = strstr(text, format);
    if (at) number = strtol(at + strlen(format), NULL, 10);
    return number;
}

/* The process of a server's session, and its user. */
static void session_of(const place *p, int number, long *out_pid, long *out_user) {
    char path[64];
    long keeper = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)p->s.pid, (int)p->s.pid);
    FILE *f = fopen(path, "r");
    for (int i = 0; i <= number; i++) assert_int_equal(fscanf(f, "%ld", &keeper), 1);
    fclose(f);
    snprintf(path, sizeof path, "task/%ld/children", keeper);
    *out_pid = number_of((pid_t)keeper, path, "");
    *out_user = number_of((pid_t)*out_pid, "status", "\nUid:\t");
}

/* Of a process, as the kernel has it; -1: none. */
static long limit_of(long pid, const char *name) {
    char path[64], line[128];
    long limit = -1;
    size_t n = strlen(name);
    snprintf(path, sizeof path, "/proc/%ld/limits", pid);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (!strncmp(line, name, n) && sscanf(line + n, "%ld", &limit) != 1) limit = -1;
    fclose(f);
    return limit;
}

/* What holds for a process without namespaces: --memory for itself, --processes for its user if that is no other's,
 * --files for each file, those of memory among them. */
static void is_limited(long session, bool own_user) {
    if (!SERVER_SANITIZED) assert_int_equal(limit_of(session, "Max address space "), 300l << 20);
    assert_int_equal(limit_of(session, "Max processes ") == 40, own_user);
    assert_int_equal(limit_of(session, "Max file size "), 1024l << 20); /* the default */
}

/* Sessions of root without namespaces are users of their own, which can do nothing to each other, those of another
 * server of the machine included. Who names a user gets it for all. */
static void own_users(void **state) {
    (void)state;
    enum { SESSIONS = 3 }; /* two of the first server, one of the second */
    if (geteuid() != 0) skip();
    for (int named = 0; named < 2; named++) {
        place p[2];
        client c[SESSIONS];
        long session[SESSIONS], user[SESSIONS];
        other_user = named ? "daemon" : "nobody";
        for (int i = 0; i < 2; i++)
            begin_as(&p[i], AS_NOBODY, "--unprotected", "--processes=40", SERVER_SANITIZED ? NULL : "--memory=300",
                     NULL);
        other_user = "nobody";
        for (int i = 0; i < SESSIONS; i++) {
            c[i] = open_on(&p[i / 2]);
            session_of(&p[i / 2], i % 2, &session[i], &user[i]);
            is_limited(session[i], !named);
        }
        for (int i = 0; i < SESSIONS; i++) {
            for (int k = 0; k < SESSIONS; k++) {
                int64_t signalled = result(&c[i], "try_signal", NULL, session[k]);
                assert_int_equal(signalled, named || i == k ? 0 : EPERM);
                if (i != k) assert_int_equal(user[i] == user[k], named);
            }
            assert_int_equal(!named, user[i] >= VT_FIRST_OWN_USER && user[i] <= VT_LAST_OWN_USER);
        }
        if (!named) assert_contains(server_log(&p[0].s), "each is a user of its own");
        for (int i = 0; i < SESSIONS; i++) vta_rpc_close(c[i].rpc);
        for (int i = 0; i < 2; i++) end_of(&p[i]);
    }
}

/* ---- What it can start ------------------------------------------------------------------------------------------- */

/* Is there a process of this name? */
static bool is_there(const char *name) {
    bool found = false;
    char path[300], text[32];
    DIR *dir = opendir("/proc");
    for (struct dirent *e; !found && (e = readdir(dir));) {
        snprintf(path, sizeof path, "/proc/%s/comm", e->d_name);
        FILE *f = fopen(path, "r");
        if (f && fgets(text, sizeof text, f)) found = !strncmp(text, name, strlen(name)) && text[strlen(name)] == '\n';
        if (f) fclose(f);
    }
    closedir(dir);
    return found;
}

/* What it has started ends with it: when its client leaves, and when the server is killed. */
static void survivors(void **state) {
    (void)state;
    char name[16], command[512];
    snprintf(name, sizeof name, "vtae%d", (int)getpid());
    for (int i = 0; i < 2 * (WAYS + 1); i++) {
        place p;
        who w = (who)(i / 2 < WAYS ? i / 2 : AS_ITS_OWNER);
        bool is_killed = i % 2, unprotected = i / 2 == WAYS;
        if (!can(w)) continue;
        begin_as(&p, w, unprotected ? "--unprotected" : NULL, NULL, NULL, NULL);
        client c = open_on(&p);
        assert_int_equal(result(&c, "escape", name, 0), 0);
        assert_true(is_there(name));
        if (is_killed) {
            kill(p.s.pid, SIGKILL);
            waitpid(p.s.pid, NULL, 0);
        }
        vta_rpc_close(c.rpc);
        for (int n = 0; n < 6000 && is_there(name); n++) usleep(10000);
        assert_false(is_there(name));
        if (!is_killed) {
            end_of(&p);
            continue;
        }
        snprintf(command, sizeof command, "rm -rf %s %s %s", p.s.folder, p.s.log, p.key);
        assert_int_equal(system(command), 0);
    }
}

static void told_why(place *p, const client *c, const char *name, int64_t a, int64_t b, vta_status status,
                     const char *words) {
    int64_t got;
    refused(call(c, name, NULL, a, b, &got), status, words);
    vta_rpc_close(c->rpc);
    server_settles(&p->s);
    assert_contains(server_log(&p->s), words);
}

static void processes(void **state) {
    (void)state;
    for (who w = 0; w < WAYS; w++) {
        place p;
        int64_t made;
        if (!can(w)) continue;
        begin_as(&p, w, "--processes", "40", NULL, NULL);
        if (!p.unprotected) {
            client c = open_on(&p);
            vta_status status = call(&c, "bomb", NULL, 300, 0, &made);
            if (status == VTA_OK && made > 40) status = vta_rpc_ping(c.rpc, diag);
            for (int i = 0; i < 3000 && status == VTA_OK && made > 40; i++, usleep(20000))
                status = vta_rpc_ping(c.rpc, diag);
            if (status != VTA_OK) /* not refused by the kernel, but noticed */
                refused(status, VTA_NO_MEMORY, "more than 40 processes and threads (--processes)");
            else
                assert_in_range(made, 1, 40);
            vta_rpc_close(c.rpc);
        }
        end_of(&p);
    }
}

static void memory(void **state) {
    (void)state;
    if (SERVER_SANITIZED) skip(); /* they need more than any limit */
    for (who w = 0; w < WAYS; w++) {
        place p;
        if (!can(w)) continue;
        begin_as(&p, w, "--memory", "256", NULL, NULL);
        client c = open_on(&p);
        if (!p.unprotected)
            told_why(&p, &c, "gorge", 4, 100, VTA_NO_MEMORY, "more than 256 MiB of memory together (--memory)");
        else
            vta_rpc_close(c.rpc);
        end_of(&p);
    }
}

/* ---- How it ends ------------------------------------------------------------------------------------------------- */

/* In the clear and with a key: the time of a call is the server's, and whichever way a session ends is told. */
static void ends(void **state) {
    (void)state;
    place patient, other; /* where nothing but the call that takes too long does */
    begin_as(&patient, AS_ITS_OWNER, NULL, NULL, NULL, NULL);
    begin_as(&other, AS_ITS_OWNER, "--call-seconds", "5", "--patience-ms", "2000");
    static const struct {
        const char *name;
        int64_t code;
        vta_status status;
        const char *words;
    } cases[] = {
        {"leave", 0, VTA_ILLEGAL, "the session's process ended itself with code 0"},
        {"leave", 3, VTA_ILLEGAL, "the session's process ended itself with code 3"},
        {"close_all", 0, VTA_ILLEGAL, "the session's process ended itself with code 0"},
        {"evade", 0, VTA_TIMEOUT, "a call took longer than 5 seconds (--call-seconds)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        place *p = cases[i].status == VTA_TIMEOUT ? &other : &patient;
        client c = open_on(p);
        told_why(p, &c, cases[i].name, cases[i].code, 0, cases[i].status, cases[i].words);
    }
    end_of(&patient);
    end_of(&other);
}

/* A client that asks for nothing loses its session, and is told. */
static void idle(void **state) {
    (void)state;
    place p;
    begin_as(&p, AS_ITS_OWNER, "--idle-seconds", "3", NULL, NULL);
    client c = open_on(&p);
    must(vta_rpc_ping(c.rpc, diag));
    server_settles(&p.s);
    refused(vta_rpc_ping(c.rpc, diag), VTA_TIMEOUT, "nothing came in time");
    vta_rpc_close(c.rpc);
    end_of(&p);
}

/* Also when its program cannot begin. */
static void no_beginning(void **state) {
    (void)state;
    place p;
    vta_rpc *rpc;
    begin_as(&p, AS_ITS_OWNER, "--session-program", "/bin/false", NULL, NULL);
    const vta_rpc_options o = {.key_file = p.key, .timeout_ms = 20000, .answer_ms = 60000};
    refused(vta_rpc_connect(NULL, p.s.port, &o, NULL, diag, &rpc), VTA_ILLEGAL,
            "the session could not begin; the server's log says why");
    end_of(&p);
}

/* ---- What it leaves ---------------------------------------------------------------------------------------------- */

static void files(void **state) {
    (void)state;
    for (who w = 0; w < WAYS; w++) {
        place p;
        char *bytes;
        size_t size;
        if (!can(w)) continue;
        begin_as(&p, w, NULL, NULL, NULL, NULL);
        client c = open_on(&p);
        assert_int_equal(result(&c, "make_files", NULL, 3000), 0);
        assert_int_equal(result(&c, "make_pipe", NULL, 0), 0);
        refused(vta_rpc_download(c.rpc, "pipe", diag, &bytes, &size), VTA_IO, "pipe: cannot be read");
        assert_int_equal(result(&c, "dig", NULL, 500), 500);
        vta_rpc_close(c.rpc);
        end_of(&p); /* nothing is left */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reach),
                                       cmocka_unit_test(chatter),
                                       cmocka_unit_test(unread_log),
                                       cmocka_unit_test(no_namespaces),
                                       cmocka_unit_test(own_users),
                                       cmocka_unit_test(survivors),
                                       cmocka_unit_test(processes),
                                       cmocka_unit_test(memory),
                                       cmocka_unit_test(ends),
                                       cmocka_unit_test(idle),
                                       cmocka_unit_test(no_beginning),
                                       cmocka_unit_test(files),
                                       cmocka_unit_test(programs_by_overlay)};
    return cmocka_run_group_tests(tests, diag_begin, diag_end);
}
