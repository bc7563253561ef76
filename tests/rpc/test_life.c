/* Whole servers and trackers in the test's own process: they begin and are ended by a signal, or cannot begin. What
 * they say, whom they tell their port, and that nothing of them is left. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "support/diag.h"
#include "vta/rpc.h"

typedef struct life {
    const char *tracker;
    bool with_key;
    int signal;
    const char *words; /* it cannot begin */
    const char *log;   /* %u: the port */
} life;

static const life lives[] = {
    {NULL, false, SIGTERM, NULL, "listening on 127.0.0.1:%u, for this machine only\nthe server ends: terminated\n"},
    {NULL, true, SIGINT, NULL, "listening on 127.0.0.1:%u, with a key\nthe server ends: interrupted\n"},
    {"127.0.0.1:1", false, SIGTERM, NULL, /* it would be asked again and again */
     "listening on 127.0.0.1:%u, for this machine only\nthe server ends: terminated\n"},
    {"127.0.0.1:x", true, 0, "must be HOST:PORT", "the server ends: it cannot begin\n"},
};

static const life *now;
static uint32_t port;
static vt_strbuf logged;

static void add_to_log(void *ctx, const char *text, size_t size) {
    (void)ctx;
    vt_strbuf_addn(&logged, text, size);
}

static void ready(void *ctx, uint32_t at) {
    assert_ptr_equal(ctx, &port);
    port = at;
    kill(getpid(), now->signal);
}

static int open_files(void) {
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (readdir(dir)) n++;
    closedir(dir);
    return n;
}

static bool maps_a_table(void) {
    char line[512];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) found |= strstr(line, "vta-sessions") != NULL;
    fclose(f);
    return found;
}

/* Takes the line out that begins so, if there is one: what a session is kept from depends on the system. */
static void without_line(const char *log, const char *begins) {
    char *at = strstr(log, begins), *end = at ? strchr(at, '\n') : NULL;
    if (end) memmove(at, end + 1, strlen(end + 1) + 1);
}

/* This is what was logged; no descriptor is there more than at first (the loop's library keeps some of its own), no
 * memory, and no signal is held. */
static void leaves_nothing(int files, const char *log) {
    char expected[256];
    snprintf(expected, sizeof expected, log, port);
    without_line(vt_strbuf_text(&logged), "sessions are not protected");
    assert_string_equal(vt_strbuf_text(&logged), expected);
    vt_strbuf_free(&logged);
    if (files) assert_int_equal(open_files(), files);
    assert_false(maps_a_table());
    sigset_t held;
    pthread_sigmask(SIG_BLOCK, NULL, &held);
    assert_true(sigisemptyset(&held));
}

static void one_server(const char *key, int files) {
    vta_rpc_server_options o = {.session_program = "/bin/sh",
                                .tracker = now->tracker,
                                .key_file = now->with_key ? key : NULL,
                                .config = now->with_key ? VT_SOURCE_DIR "/configs/tsim.json" : NULL,
                                .log = {.write = add_to_log},
                                .ready = ready,
                                .ready_ctx = &port};
    vt_strbuf_init(&logged, NULL);
    port = 0;
    vta_status status = vta_rpc_serve(&o, diag);
    if (now->words)
        refused(status, VTA_INVALID_ARGUMENT, now->words);
    else
        must(status);
    assert_int_equal(port != 0, !now->words);
    leaves_nothing(files, now->log);
}

static void one_tracker(const char *key, int files) {
    vta_rpc_tracker_options o = {
        .key_file = now->with_key ? key : NULL, .log = {.write = add_to_log}, .ready = ready, .ready_ctx = &port};
    vt_strbuf_init(&logged, NULL);
    port = 0;
    must(vta_rpc_track(&o, diag));
    assert_true(port != 0);
    leaves_nothing(files, "tracker: listening on 127.0.0.1:%u\n");
}

TEST_CASE(servers) {
    now = lives;
    one_server(*state, 0);
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        now = &lives[i];
        one_server(*state, open_files());
    }
}

/* No thread can be started that would keep it registered. */
TEST_CASE(server_without_threads) {
    enum { ADDRESSES = 46 }; /* bits: more than a process has for a stack */
    pthread_attr_t was, huge;
    vta_rpc_server_options o = {.session_program = "/bin/sh",
                                .tracker = "127.0.0.1:1",
                                .log = {.write = add_to_log},
                                .ready = ready,
                                .ready_ctx = &port};
    (void)state;
    assert_int_equal(pthread_getattr_default_np(&was) | pthread_getattr_default_np(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << ADDRESSES), 0);
    vt_strbuf_init(&logged, NULL);
    port = 0;
    int files = open_files();
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    vta_status status = vta_rpc_serve(&o, diag);
    assert_int_equal(pthread_setattr_default_np(&was), 0);
    refused(status, VTA_NO_MEMORY, "out of memory");
    assert_int_equal(port, 0);
    leaves_nothing(files, "the server ends: it cannot begin\n");
    pthread_attr_destroy(&huge);
    pthread_attr_destroy(&was);
}

TEST_CASE(trackers) {
    for (int i = 0; i < 2; i++) {
        now = &lives[i];
        one_tracker(*state, open_files());
    }
}

/* With a folder of its own for temporary files, which holds nothing but the key in the end. */
static char folder[] = "/tmp/vta-rpc-life-XXXXXX";

static int begin(void **state) {
    static char key[64];
    if (!mkdtemp(folder) || setenv("TMPDIR", folder, 1) != 0) return -1;
    snprintf(key, sizeof key, "%s/key", folder);
    *state = key;
    diag_begin(NULL);
    return vta_rpc_new_key(key, diag) == VTA_OK ? 0 : -1;
}

static int end(void **state) {
    unlink(*state);
    assert_int_equal(rmdir(folder), 0);
    return diag_end(NULL);
}

int main(void) { return run_cases_between(begin, end); }
