/* The tracker: who is given which server, in which order and for how long; servers that come, go and come back. */
#include <dirent.h>
#include <jansson.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "rpc/server.h"
#include "support/diag.h"

static server track, first, second;
static char place[64];

static vta_status take(const char *key, uint32_t priority, uint32_t seconds, uint32_t wait_ms, vta_rpc **rpc) {
    const vta_rpc_options o = {.tracker = place,
                               .key = key,
                               .priority = priority,
                               .lease_seconds = seconds,
                               .wait_ms = wait_ms,
                               .timeout_ms = 60000};
    return vta_rpc_connect(NULL, 0, &o, NULL, diag, rpc);
}

static char *summary(void) {
    char *text;
    json_error_t error;
    must(vta_rpc_tracker_summary("127.0.0.1", track.port, NULL, diag, &text));
    json_t *whole = json_loads(text, 0, &error);
    if (!whole) fail_msg("%s in %s", error.text, text);
    json_decref(whole);
    return text;
}

static int count(const char *words) {
    int n = 0;
    char *text = summary();
    for (const char *at = text; (at = strstr(at, words)); at++) n++;
    vta_string_free(text);
    return n;
}

static void expect(const char *words, int wanted) {
    for (int i = 0; i < 6000 && count(words) != wanted; i++) usleep(10000);
    assert_int_equal(count(words), wanted);
}

static void logged(const char *words) { assert_contains(server_log(&track), words); }

static void leases(void **state) {
    (void)state;
    vta_rpc *a, *b, *c;
    expect("\"free\": true", 2);
    must(take("board", 0, 0, 0, &a));
    must(vta_rpc_ping(a, diag));
    refused(take("board", 0, 0, 0, &b), VTA_TIMEOUT, "all servers of key 'board' are taken");
    refused(take("other", 0, 0, 0, &b), VTA_NOT_FOUND, "no server of key 'other'");
    must(take("", 0, 0, 0, &b)); /* any: the second one */
    refused(take(NULL, 0, 0, 200, &c), VTA_TIMEOUT, "are taken");
    must(vta_rpc_connect(NULL, first.port, NULL, NULL, diag, &c)); /* a lease keeps nobody from the place itself */
    must(vta_rpc_ping(c, diag));
    vta_rpc_close(c);
    vta_rpc_close(b);
    expect("\"free\": true", 1);
    vta_rpc_close(a);
    expect("\"free\": true", 2);
    char granted[64];
    snprintf(granted, sizeof granted, "has 127.0.0.1:%u for 3600 seconds", first.port);
    logged(granted);
    logged("the lease is given back");
}

/* A client that waits in a process of its own and then writes its name. */
static pid_t waiter(int to, char name, uint32_t priority) {
    pid_t pid = fork();
    if (pid) return pid;
    vta_rpc *rpc;
    if (take("board", priority, 0, 60000, &rpc) != VTA_OK || write(to, &name, 1) != 1) _exit(1);
    vta_rpc_close(rpc);
    _exit(0);
}

static void priorities(void **state) {
    (void)state;
    vta_rpc *rpc;
    int ends[2], code;
    char order[4] = "";
    assert_int_equal(pipe(ends), 0);
    must(take("board", 0, 0, 0, &rpc));
    static const struct {
        char name;
        uint32_t priority;
    } waiting[] = {{'l', 1}, {'m', 1}, {'h', 7}};
    pid_t pids[3];
    for (int i = 0; i < 3; i++) {
        pids[i] = waiter(ends[1], waiting[i].name, waiting[i].priority);
        expect("\"priority\"", i + 1);
    }
    vta_rpc_close(rpc);
    for (int i = 0; i < 3; i++) {
        waitpid(pids[i], &code, 0);
        assert_int_equal(code, 0);
    }
    assert_int_equal(read(ends[0], order, 3), 3);
    assert_string_equal(order, "hlm"); /* the more important one, then in the order of arrival */
    close(ends[0]);
    close(ends[1]);
    expect("\"free\": true", 2);
}

/* After its time the session is ended by the server, and the server is free for others. */
static void time_limits(void **state) {
    (void)state;
    vta_rpc *a, *b;
    must(take("board", 0, 3, 0, &a));
    must(take("board", 0, 0, 60000, &b)); /* waits for the end of the first lease */
    refused(vta_rpc_ping(a, diag), VTA_TIMEOUT, "the tracker's lease is over");
    must(vta_rpc_ping(b, diag));
    vta_rpc_close(a);
    vta_rpc_close(b);
    expect("\"free\": true", 2);
}

/* A server that is held up until the lease that was given is over. */
static void leases_over_at_once(void **state) {
    (void)state;
    char granted[64];
    int code = 0;
    snprintf(granted, sizeof granted, "has 127.0.0.1:%u for 1 seconds", first.port);
    for (int i = 0; i < 20 && code != 1 << 8; i++) { /* the client may be quicker */
        expect("\"free\": true", 2);
        size_t before = strlen(server_log(&track));
        pid_t pid = fork();
        if (!pid) {
            vta_rpc *rpc;
            vta_status status = take("board", 0, 1, 0, &rpc);
            const char *why = vta_diag_text(diag); /* the second is the server's */
            bool late = strstr(why, "ask for a longer one") || strstr(why, "the tracker's lease is over");
            if (status != VTA_OK && !late) fprintf(stderr, "%s\n", why);
            _exit(status == VTA_OK ? 0 : late && status == VTA_TIMEOUT ? 1 : 2);
        }
        for (int k = 0; k < 20000 && !strstr(server_log(&track) + before, granted); k++) usleep(200);
        kill(first.pid, SIGSTOP);
        usleep(1500000);
        kill(first.pid, SIGCONT);
        waitpid(pid, &code, 0);
        assert_int_not_equal(code, 2 << 8);
    }
    assert_int_equal(code, 1 << 8);
    expect("\"free\": true", 2);
}

/* To each of a process's threads, again and again. */
static pid_t signal_threads(pid_t of) {
    char path[64];
    pid_t pid = fork();
    if (pid) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(path, sizeof path, "/proc/%d/task", (int)of);
    for (;; usleep(100)) {
        DIR *dir = opendir(path);
        for (struct dirent *e; dir && (e = readdir(dir));)
            if (atoi(e->d_name)) syscall(SYS_tgkill, of, atoi(e->d_name), SIGCHLD);
        if (dir) closedir(dir);
    }
}

/* Sessions of a server end while it waits for something else: it stays registered. */
static void signals_of_sessions(void **state) {
    (void)state;
    pid_t pid = signal_threads(first.pid);
    for (int i = 0; i < 40; i++) {
        vta_rpc *rpc;
        must(take("board", 0, 0, 60000, &rpc));
        vta_rpc_close(rpc);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    expect("\"free\": true", 2);
}

static void clients_that_give_up(void **state) {
    (void)state;
    vta_rpc *rpc;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    must(take("board", 0, 0, 0, &rpc));
    pid_t pid = waiter(ends[1], 'x', 9);
    expect("\"priority\"", 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    expect("\"priority\"", 0);
    vta_rpc_close(rpc);
    expect("\"free\": true", 2);
    close(ends[0]);
    close(ends[1]);
}

/* Servers that are killed are forgotten; a tracker that was started anew learns of its servers again. */
static void failures(void **state) {
    (void)state;
    char command[256], port[16];
    kill(second.pid, SIGKILL);
    waitpid(second.pid, NULL, 0);
    snprintf(command, sizeof command, "rm -rf %s %s", second.folder, second.log);
    assert_int_equal(system(command), 0);
    expect("\"host\"", 1);
    uint32_t was = track.port;
    server_stop(&track);
    snprintf(port, sizeof port, "%u", was);
    server_start_on(&track, "rpc-tracker", port, NULL);
    assert_int_equal(track.port, was);
    expect("\"host\"", 1);
    vta_rpc *rpc;
    must(take("board", 0, 0, 0, &rpc));
    must(vta_rpc_ping(rpc, diag));
    vta_rpc_close(rpc);
}

/* Kills the tracker, and starts another one at its place. */
static void lose_tracker(bool again) {
    char command[256], port[16];
    snprintf(port, sizeof port, "%u", track.port);
    kill(track.pid, SIGKILL);
    waitpid(track.pid, NULL, 0);
    snprintf(command, sizeof command, "rm -rf %s %s", track.folder, track.log);
    assert_int_equal(system(command), 0);
    if (again) server_start_on(&track, "rpc-tracker", port, NULL);
}

/* A tracker that was killed learns from the servers who has which: nobody gets one that another client has. */
static void leases_survive(void **state) {
    (void)state;
    vta_rpc *a, *b, *c;
    must(take("board", 0, 0, 0, &a));
    must(take("spare", 0, 0, 0, &b));
    /* Whoever has a server knows that it was told. */
    lose_tracker(true);
    expect("\"host\"", 2);
    expect("\"free\": true", 0);
    logged("registers, with a lease that goes on");
    refused(take("board", 0, 0, 0, &c), VTA_TIMEOUT, "all servers of key 'board' are taken");
    must(vta_rpc_ping(a, diag));
    must(vta_rpc_ping(b, diag));
    vta_rpc_close(a); /* its server says so, since the tracker does not know this client */
    must(take("board", 0, 0, 60000, &c));
    must(vta_rpc_ping(c, diag));
    must(vta_rpc_ping(b, diag));
    vta_rpc_close(b);
    vta_rpc_close(c);
    expect("\"free\": true", 2);
}

/* And ends in time: by the new tracker, or by the server where there is none. */
static void surviving_leases_end(void **state) {
    (void)state;
    char port[16];
    for (int again = 1; again >= 0; again--) {
        vta_rpc *a, *b;
        must(take("board", 0, 3, 0, &a));
        lose_tracker(again);
        vta_status status = VTA_OK;
        for (int i = 0; i < 2000 && status == VTA_OK; i++, usleep(10000)) status = vta_rpc_ping(a, diag);
        refused(status, VTA_TIMEOUT, "the tracker's lease is over");
        vta_rpc_close(a);
        snprintf(port, sizeof port, "%u", track.port);
        if (!again) server_start_on(&track, "rpc-tracker", port, NULL);
        expect("\"free\": true", 2);
        must(take("board", 0, 0, 60000, &b));
        must(vta_rpc_ping(b, diag));
        vta_rpc_close(b);
        expect("\"free\": true", 2);
    }
}

/* A session is not what a tracker offers, and a server is no tracker. */
static void the_wrong_place(void **state) {
    (void)state;
    vta_rpc *rpc;
    char *text;
    must(vta_rpc_connect("127.0.0.1", track.port, NULL, NULL, diag, &rpc));
    refused(vta_rpc_ping(rpc, diag), VTA_UNSUPPORTED, "a tracker does not answer PING");
    vta_rpc_close(rpc);
    refused(vta_rpc_tracker_summary("127.0.0.1", first.port, NULL, diag, &text), VTA_UNSUPPORTED,
            "not the tracker that was expected");
}

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    server_start_on(&track, "rpc-tracker", "0", NULL);
    snprintf(place, sizeof place, "127.0.0.1:%u", track.port);
    server_start(&first, "--tracker", place, "--key", "board", NULL);
    server_start(&second, "--tracker", place, "--key", "spare", NULL);
    return 0;
}

static int end(void **state) {
    (void)state;
    server_settles(&first);
    server_stop(&first);
    server_stop(&track);
    vta_diag_destroy(diag);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leases),
        cmocka_unit_test(priorities),
        cmocka_unit_test(time_limits),
        cmocka_unit_test(leases_over_at_once),
        cmocka_unit_test(signals_of_sessions),
        cmocka_unit_test(clients_that_give_up),
        cmocka_unit_test(the_wrong_place),
        cmocka_unit_test(leases_survive),
        cmocka_unit_test(surviving_leases_end),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
