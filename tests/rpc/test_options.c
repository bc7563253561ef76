/* What servers and trackers are started with: the last value that is right, the first that is not, and in which words;
 * addresses, places, key files, and the limits of sessions. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "rpc/address.h"
#include "rpc/asked.h"
#include "rpc/limits.h"
#include "rpc/sigpipe.h"
#include "rpc/tls.h"
#include "vta/rpc.h"

/* ---- Options ----------------------------------------------------------------------------------------------------- */

static const char no_key[] = "key file /nonexistent/key: No such file or directory; `vta rpc new-key` makes one";

/* Good options but for the key file, which is looked at last. */
static vta_rpc_server_options good_options(void) {
    return (vta_rpc_server_options){.session_program = "/bin/sh", .key_file = "/nonexistent/key", .user = "root"};
}

static void server_options(void **state) {
    (void)state;
    char text[129];
    vta_rpc_server_options o = good_options();
    told(diag, vta_rpc_serve(&o, diag), VTA_NOT_FOUND, no_key);
    o.session_program = NULL;
    told(diag, vta_rpc_serve(&o, diag), VTA_INVALID_ARGUMENT,
         "vta_rpc_serve: session_program is needed: the path of vta-session");
    o.session_program = "/etc/passwd";
    told(diag, vta_rpc_serve(&o, diag), VTA_NOT_FOUND, "/etc/passwd: no program that can be run (--session-program)");
    o = good_options();
    o.port = 65535;
    told(diag, vta_rpc_serve(&o, diag), VTA_NOT_FOUND, no_key);
    o.port = 65536;
    o.key_file = NULL;
    told(diag, vta_rpc_serve(&o, diag), VTA_INVALID_ARGUMENT, "port 65536; ports are 0 to 65535");
    o = good_options();
    o.max_sessions = 256;
    told(diag, vta_rpc_serve(&o, diag), VTA_NOT_FOUND, no_key);
    o.max_sessions = 257;
    told(diag, vta_rpc_serve(&o, diag), VTA_OUT_OF_RANGE, "257 sessions; at most 256");
    memset(text, 'x', sizeof text);
    for (int of_name = 0; of_name < 2; of_name++)
        for (int n = 127; n <= 128; n++) {
            char words[64];
            o = good_options();
            text[n] = '\0';
            *(of_name ? &o.name : &o.driver) = text;
            snprintf(words, sizeof words, "%s has more than 127 characters", of_name ? "name" : "driver");
            told(diag, vta_rpc_serve(&o, diag), n == 127 ? VTA_NOT_FOUND : VTA_INVALID_ARGUMENT,
                 n == 127 ? no_key : words);
            text[n] = 'x';
        }
    o = good_options();
    o.config = "/nonexistent/c.json";
    told(diag, vta_rpc_serve(&o, diag), VTA_NOT_FOUND, "--config /nonexistent/c.json: No such file or directory");
    o = good_options();
    o.bitstreams = "/etc/passwd/b";
    told(diag, vta_rpc_serve(&o, diag), VTA_IO, "--bitstreams /etc/passwd/b: Not a directory");
    o = good_options();
    o.user = "no-such-user-here";
    if (geteuid() == 0)
        told(diag, vta_rpc_serve(&o, diag), VTA_NOT_FOUND, "--user no-such-user-here: there is no such user");
}

/* A port that is taken, and addresses that need a key. */
static void listening(void **state) {
    (void)state;
    char words[160];
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int taken = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(taken, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&at, &size), 0);
    vta_rpc_server_options o = {.session_program = "/bin/sh", .port = ntohs(at.sin_port)};
    vta_rpc_tracker_options t = {.port = ntohs(at.sin_port)};
    snprintf(words, sizeof words, "cannot listen on 127.0.0.1:%u: address already in use", o.port);
    told(diag, vta_rpc_serve(&o, diag), VTA_IO, words);
    snprintf(words, sizeof words, "cannot listen on 127.0.0.1:%u: Address already in use", o.port);
    told(diag, vta_rpc_track(&t, diag), VTA_IO, words);
    close(taken);
    o.host = t.host = "0.0.0.0";
    told(diag, vta_rpc_serve(&o, diag), VTA_INVALID_ARGUMENT,
         "--host 0.0.0.0: a server runs the code that it is sent; where others can reach it, it needs --key-file (`vta "
         "rpc new-key FILE` makes one)");
    told(diag, vta_rpc_track(&t, diag), VTA_INVALID_ARGUMENT,
         "--host 0.0.0.0: where others can reach it, a tracker needs --key-file (`vta rpc new-key FILE` makes one)");
    t.host = "example.org";
    told(diag, vta_rpc_track(&t, diag), VTA_INVALID_ARGUMENT,
         "--host example.org: must be an address of this machine, like 127.0.0.1, 0.0.0.0 (all) or ::1");
    t.key_file = "/nonexistent/key";
    told(diag, vta_rpc_track(&t, diag), VTA_NOT_FOUND, no_key);
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    assert_false(sigismember(&blocked, SIGINT) || sigismember(&blocked, SIGTERM)); /* as before */
    setenv("TMPDIR", "/nonexistent", 1);
    o = (vta_rpc_server_options){.session_program = "/bin/sh"};
    assert_int_equal(vta_rpc_serve(&o, diag), VTA_IO);
    assert_contains(vta_diag_text(diag), "error: cannot make a temporary folder /nonexistent/vta-rpc-server-");
    assert_contains(vta_diag_text(diag), " ($TMPDIR): No such file or directory");
    vta_diag_clear(diag);
    unsetenv("TMPDIR");
    int fd = -1;
    told(diag, vt__rpc_dial("127.0.0.1", 0, 0, diag, &fd), VTA_INVALID_ARGUMENT, "port 0; ports are 1 to 65535");
    told(diag, vt__rpc_dial("127.0.0.1", 65536, 0, diag, &fd), VTA_INVALID_ARGUMENT,
         "port 65536; ports are 1 to 65535");
    snprintf(words, sizeof words, "127.0.0.1:%u: cannot connect: Connection refused; does `vta rpc-server` run there?",
             ntohs(at.sin_port));
    told(diag, vt__rpc_dial("127.0.0.1", ntohs(at.sin_port), 0, diag, &fd), VTA_IO, words);
    assert_int_equal(fd, -1);
}

/* ---- Addresses and places ---------------------------------------------------------------------------------------- */

static void addresses(void **state) {
    (void)state;
    static const struct {
        const char *host, *text;
        bool loopback;
    } cases[] = {{"localhost", "127.0.0.1:4660", true},
                 {"127.0.0.1", "127.0.0.1:4660", true},
                 {"127.9.8.7", "127.9.8.7:4660", true},
                 {"126.0.0.1", "126.0.0.1:4660", false},
                 {"128.0.0.1", "128.0.0.1:4660", false},
                 {"0.0.0.0", "0.0.0.0:4660", false},
                 {"::1", "[::1]:4660", true},
                 {"::", "[::]:4660", false},
                 {"fe80::1", "[fe80::1]:4660", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sockaddr_storage at;
        bool loopback = !cases[i].loopback;
        char text[64];
        memset(&at, 1, sizeof at);
        assert_int_equal(vt__address_read(cases[i].host, 4660, diag, &at, &loopback), VTA_OK);
        assert_int_equal(loopback, cases[i].loopback);
        assert_int_equal(vt__address_port((struct sockaddr *)&at), 4660);
        assert_true(vt__address_text((struct sockaddr *)&at, text, sizeof text));
        assert_string_equal(text, cases[i].text);
    }
    struct sockaddr_storage at;
    bool loopback = true;
    char text[64] = "kept";
    told(diag, vt__address_read("board", 1, diag, &at, &loopback), VTA_INVALID_ARGUMENT,
         "--host board: must be an address of this machine, like 127.0.0.1, 0.0.0.0 (all) or ::1");
    assert_false(loopback);
    told(diag, vt__address_read("::1", 65536, diag, &at, &loopback), VTA_INVALID_ARGUMENT,
         "port 65536; ports are 0 to 65535");
    told(diag, vta_rpc_track(&(vta_rpc_tracker_options){.port = 65536}, diag), VTA_INVALID_ARGUMENT,
         "port 65536; ports are 0 to 65535");
    assert_int_equal(vt__address_read("::1", 65535, diag, &at, &loopback), VTA_OK);
    assert_int_equal(vt__address_port((struct sockaddr *)&at), 65535);
    assert_false(vt__address_text((struct sockaddr *)&(struct sockaddr_un){.sun_family = AF_UNIX}, text, sizeof text));
    assert_string_equal(text, "kept");
}

static void places(void **state) {
    (void)state;
    static const struct {
        const char *place, *host;
        uint32_t port;
        const char *words; /* NULL: right */
    } cases[] = {
        {"seven..:1", "seven..", 1, NULL},
        {"eight...:1", "old", 5, "eight...:1: must be HOST:PORT, like board:9091, :9091 or [::1]:9091"},
        {"a:65535", "a", 65535, NULL},
        {"a:65536", "old", 5, "a:65536: must be HOST:PORT, like board:9091, :9091 or [::1]:9091"},
        {"a:0", "old", 5, "a:0: must be HOST:PORT, like board:9091, :9091 or [::1]:9091"},
        {"a:", "old", 5, "a:: must be HOST:PORT, like board:9091, :9091 or [::1]:9091"},
        {"", "old", 5, NULL},
        {":7", "old", 7, NULL},
        {"[::1]:7", "::1", 7, NULL},
        {"[::1]", "::1", 5, NULL},
        {"::1", "::1", 5, NULL},
        {"[]:7", "old", 7, NULL},
        {"[a", "[a", 5, NULL},
        {"9091", "old", 5, "9091 is not a host; a port of this machine is :9091"},
        {"9a", "9a", 5, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char host[8] = "old";
        uint32_t port = 5;
        vta_status status = vta_rpc_place(cases[i].place, sizeof host, host, &port, diag);
        if (cases[i].words)
            told(diag, status, VTA_INVALID_ARGUMENT, cases[i].words);
        else
            assert_int_equal(status, VTA_OK);
        assert_string_equal(host, cases[i].host);
        assert_int_equal(port, cases[i].port);
    }
    char host[8];
    uint32_t port = 0;
    told(diag, vta_rpc_place(NULL, 8, host, &port, diag), VTA_INVALID_ARGUMENT, "vta_rpc_place: a pointer is NULL");
    told(diag, vta_rpc_place("a", 8, NULL, &port, diag), VTA_INVALID_ARGUMENT, "vta_rpc_place: a pointer is NULL");
    told(diag, vta_rpc_place("a", 8, host, NULL, diag), VTA_INVALID_ARGUMENT, "vta_rpc_place: a pointer is NULL");
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

static vta_status read_key(const char *path, const char *text, mode_t mode, vt_rpc_key *key) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
    memset(key, 1, sizeof *key);
    return vt__key_read(path, diag, key);
}

static void keys(void **state) {
    (void)state;
    char path[VT_FOLDER_BYTES + 8], words[1024], digits[130 + sizeof " \t\r\n"];
    vt_rpc_key key;
    snprintf(path, sizeof path, "%s/key", page.folder);
    for (size_t n = 0; n <= 130; n++) {
        for (size_t i = 0; i < n; i++) digits[i] = "0123456789abcdefABCDEF"[(i * 7 + 3) % 22];
        strcpy(digits + n, n % 4 == 0 ? " \t\r\n" : "");
        vta_status status = read_key(path, digits, 0600, &key);
        if (n >= 32 && n <= 128 && n % 2 == 0) {
            assert_int_equal(status, VTA_OK);
            assert_int_equal(key.size, n / 2);
            for (size_t i = 0; i < n / 2; i++) {
                unsigned byte;
                sscanf(digits + 2 * i, "%2x", &byte);
                assert_int_equal(key.bytes[i], byte);
            }
            continue;
        }
        snprintf(words, sizeof words,
                 "key file %s: must be 32 to 128 hexadecimal digits on one line; `vta rpc new-key` makes one", path);
        told(diag, status, VTA_PARSE, words);
    }
    static const char good[] = "0123456789abcdef0123456789abcdef\n";
    for (int bit = 0; bit < 9; bit++) {
        mode_t mode = 0600 | (mode_t)1 << bit;
        vta_status status = read_key(path, good, mode, &key);
        snprintf(words, sizeof words, "key file %s: others than its owner may read it; chmod 600 %s", path, path);
        if (bit < 6)
            told(diag, status, VTA_INVALID_ARGUMENT, words);
        else
            assert_int_equal(status, VTA_OK);
    }
    static const char *const weak[] = {"00000000000000000000000000000000", "abababababababababababababababababab"};
    for (int i = 0; i < 2; i++) {
        snprintf(
            words, sizeof words,
            "key file %s: all bytes of the key are the same, and others would guess it; `vta rpc new-key` makes one",
            path);
        told(diag, read_key(path, weak[i], 0600, &key), VTA_INVALID_ARGUMENT, words);
        assert_int_equal(key.size, 0);
    }
    assert_int_equal(read_key(path, "0123456789abcdef0123456789abcdef\n0", 0600, &key), VTA_PARSE);
    vta_diag_clear(diag);
    snprintf(words, sizeof words, "key file %s: cannot be made: File exists", path);
    told(diag, vta_rpc_new_key(path, diag), VTA_IO, words);
    told(diag, vta_rpc_new_key(NULL, diag), VTA_INVALID_ARGUMENT, "vta_rpc_new_key: path is NULL");
    char made[2][80];
    for (int i = 0; i < 2; i++) {
        struct stat st;
        assert_int_equal(unlink(path), 0);
        mode_t was = umask(0);
        assert_int_equal(vta_rpc_new_key(path, diag), VTA_OK);
        umask(was);
        assert_true(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600 && st.st_size == 65);
        FILE *f = fopen(path, "r");
        assert_non_null(fgets(made[i], sizeof made[i], f));
        fclose(f);
        assert_int_equal(strspn(made[i], "0123456789abcdef"), 64);
        assert_string_equal(made[i] + 64, "\n");
        assert_int_equal(vt__key_read(path, diag, &key), VTA_OK);
        assert_int_equal(key.size, 32);
    }
    assert_string_not_equal(made[0], made[1]);
    unlink(path);
    pid_t child = fork(); /* where only a part of it can be written, nothing stays */
    int code;
    if (!child) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){10, 10});
        _exit(vta_rpc_new_key(path, diag) != VTA_IO || access(path, F_OK) == 0);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
}

/* ---- Memory, signals, limits ------------------------------------------------------------------------------------- */

static void shared_memory(void **state) {
    (void)state;
    int fd;
    void *memory;
    assert_int_equal(vt__share_make("test", 5000, diag, &fd, &memory), VTA_OK);
    for (int i = 0; i < 5000; i++) assert_int_equal(((char *)memory)[i], 0);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(ftruncate(fd, 0), -1); /* who reads it would be ended by SIGBUS */
    assert_int_equal(ftruncate(fd, 10000), -1);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
    int reader = vt__share_reader(fd);
    assert_true(reader >= 0 && fcntl(reader, F_GETFD) == FD_CLOEXEC);
    assert_null(vt__share_open(fd, 5001, true));
    assert_null(vt__share_open(reader, 5000, true)); /* who may only read */
    assert_null(vt__share_open(-1, 1, false));
    const char *seen = vt__share_open(reader, 5000, false);
    ((char *)memory)[4999] = 'x';
    assert_int_equal(seen[4999], 'x');
    vt__share_close((void *)seen, 5000);
    vt__share_close(memory, 5000);
    assert_int_equal(msync(memory, 4096, MS_ASYNC), -1); /* it is not mapped any more */
    vt__share_close(NULL, 5000);
    close(fd);
    close(reader);
}

static bool sigpipe_in(int (*get)(sigset_t *set)) {
    sigset_t set;
    return get(&set) == 0 && sigismember(&set, SIGPIPE) == 1;
}

static int blocked(sigset_t *set) { return pthread_sigmask(SIG_BLOCK, NULL, set); }

static void held_signals(void **state) {
    (void)state;
    vt_sigpipe held = vt__sigpipe_hold(), inner;
    assert_true(sigpipe_in(blocked) && !sigpipe_in(sigpending));
    raise(SIGPIPE);
    inner = vt__sigpipe_hold();
    raise(SIGPIPE);
    errno = 99;
    vt__sigpipe_release(&inner);
    assert_int_equal(errno, 99);
    assert_true(sigpipe_in(blocked) && sigpipe_in(sigpending)); /* it was there before */
    vt__sigpipe_release(&held);
    assert_false(sigpipe_in(blocked) || sigpipe_in(sigpending));
}

static bool limit_is(int resource, rlim_t most) {
    struct rlimit l;
    return getrlimit(resource, &l) == 0 && l.rlim_cur == most && l.rlim_max == most;
}

/* What does not hold in a process with limits, counted from 1; 0: all does. */
static int limited(void) {
    char place[VT_FOLDER_BYTES];
    int signal_of_death = 0;
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    if (vt__limits_apply(&page, diag) != VTA_OK) return 1;
    if (page.memory_bytes == UINT64_MAX ? !limit_is(RLIMIT_AS, before.rlim_max) && before.rlim_cur == before.rlim_max
                                        : !limit_is(RLIMIT_AS, page.memory_bytes))
        return 2;
    if (!limit_is(RLIMIT_FSIZE, page.file_bytes)) return 3;
    if (!limit_is(RLIMIT_NOFILE, 256)) return 4;
    if (!limit_is(RLIMIT_CORE, 0)) return 5;
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return 6;
    if (prctl(PR_GET_DUMPABLE) != 0) return 14;
    if (prctl(PR_GET_PDEATHSIG, &signal_of_death) != 0 || signal_of_death != SIGKILL) return 7;
    if (signal(SIGPIPE, SIG_DFL) != SIG_IGN || signal(SIGXFSZ, SIG_DFL) != SIG_IGN) return 8;
    if (!getcwd(place, sizeof place) || strcmp(place, page.folder)) return 9;
    if (page.change_user && (getuid() != page.user || geteuid() != page.user || getgid() != page.group)) return 10;
    gid_t groups[4];
    if (page.change_user && (getgroups(4, groups) != 1 || groups[0] != page.group)) return 11;
    page.memory_bytes = 2 * page.file_bytes; /* what is less already stays */
    page.file_bytes *= 2;
    if (!page.change_user && vt__limits_apply(&page, diag) != VTA_OK) return 12;
    if (!page.change_user && !limit_is(RLIMIT_FSIZE, page.file_bytes / 2)) return 13;
    return 0;
}

static void limits(void **state) {
    (void)state;
    assert_int_equal(chmod(page.folder, 0777), 0);
    for (int round = 0; round < 3; round++) {
        int code;
        page.memory_bytes = round == 0 ? UINT64_MAX : (uint64_t)1 << 36;
        page.file_bytes = 1 << 20;
        page.change_user = round == 2 && geteuid() == 0;
        page.user = 65534, page.group = 65533;
        pid_t child = fork();
        if (!child) _exit(limited());
        assert_int_equal(waitpid(child, &code, 0), child);
        if (code) fail_msg("round %d: %d", round, WEXITSTATUS(code));
    }
    assert_int_equal(rmdir(page.folder), 0);
    pid_t child = fork();
    int code;
    if (!child)
        _exit(vt__limits_apply(&page, diag) != VTA_IO ||
              !strstr(vta_diag_text(diag), "error: the session cannot enter its folder: No such file or directory"));
    assert_int_equal(waitpid(child, &code, 0), child);
    page.change_user = false;
    assert_int_equal(code, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_session, end_session)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(server_options), TEST(listening),     TEST(addresses),    TEST(places),
        TEST(keys),           TEST(shared_memory), TEST(held_signals), TEST(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
