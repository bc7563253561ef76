/* Control groups of sessions: which folders are refused, which limits a session's group gets, and that the session is
 * in it. In a folder made to look like a group; where this machine has one to spare, in that. */
#include <errno.h>

#include "rpc/cgroup.h"
#include "support/diag.h"

#include "rpc/server.h"

static char root[64];

static void put(const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static const char *get(const char *group, const char *name) {
    static char text[256];
    char path[512];
    snprintf(path, sizeof path, "%s/%s", group, name);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
    return text;
}

static int make_root(void **state) {
    (void)state;
    strcpy(root, "/tmp/vta-rpc-cgroup-XXXXXX");
    return mkdtemp(root) ? chmod(root, 0755) : -1;
}

static int remove_root(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

/* ---- Which folders ----------------------------------------------------------------------------------------------- */

static void folders(void **state) {
    (void)state;
    static const struct {
        const char *controllers, *words;
    } cases[] = {
        {NULL, "is no control group of version 2"},
        {"", "the controller pids is not there (cgroup.controllers has \"\")"},
        {"cpu xpids memory\n", "the controller pids is not there (cgroup.controllers has \"cpu xpids memory\")"},
        {"cpu pids\n", "the controller memory is not there"},
        {"pids memoryx\n", "the controller memory is not there"}};
    refused(vt__cgroup_begin("/nonexistent", diag), VTA_NOT_FOUND, "--cgroup /nonexistent: there is no such folder");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].controllers) put("cgroup.controllers", cases[i].controllers);
        refused(vt__cgroup_begin(root, diag), VTA_UNSUPPORTED, cases[i].words);
    }
    put("cgroup.controllers", "memory cpu pids");
    char path[128];
    snprintf(path, sizeof path, "%s/cgroup.subtree_control", root);
    assert_int_equal(mkdir(path, 0700), 0); /* what cannot be written */
    refused(vt__cgroup_begin(root, diag), VTA_IO, "its controller pids cannot be handed on to sessions");
    assert_int_equal(rmdir(path), 0);
    must(vt__cgroup_begin(root, diag));
    assert_string_equal(get(root, "cgroup.subtree_control"), "+memory"); /* the last of both */
}

/* What servers that are gone have left goes; of one that is there it stays. */
static void leftovers(void **state) {
    (void)state;
    char gone[128], mine[128];
    put("cgroup.controllers", "memory pids\n");
    snprintf(gone, sizeof gone, "%s/vta-session-2000000000-3", root);
    snprintf(mine, sizeof mine, "%s/vta-session-%d-3", root, (int)getpid());
    assert_int_equal(mkdir(gone, 0700) | mkdir(mine, 0700), 0);
    must(vt__cgroup_begin(root, diag));
    assert_int_equal(access(gone, F_OK), -1);
    assert_int_equal(access(mine, F_OK), 0);
}

static void limits(void **state) {
    (void)state;
    char group[VT_RPC_PATH_BYTES];
    static const struct {
        uint64_t bytes;
        uint32_t processes;
        const char *memory, *pids;
    } cases[] = {{1 << 20, 5, "17825792", "7"}, {UINT64_MAX, 0, "", ""}, {0, 1, "16777216", "3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int fd;
        must(vt__cgroup_make(root, cases[i].bytes, cases[i].processes, diag, group, &fd));
        assert_string_equal(get(group, "memory.max"), cases[i].memory);
        assert_string_equal(get(group, "pids.max"), cases[i].pids);
        assert_int_equal(write(fd, "0", 1), 1);
        close(fd);
        assert_string_equal(get(group, "cgroup.procs"), "0");
        refused(vt__cgroup_make("/nonexistent", 1, 1, diag, group, &fd), VTA_IO,
                "no control group for the session can be made");
        assert_int_equal(fd, -1);
        assert_string_equal(group, "");
    }
}

/* A server may have the process number of one that was killed: what that left is not in the way. An empty group is
 * taken over, without its limits; one that cannot be removed, as with a process in it, is passed over. */
static void same_process_number(void **state) {
    (void)state;
    enum { LEFT = 6 };
    char group[VT_RPC_PATH_BYTES], left[LEFT][128], expected[128];
    int fd;
    must(vt__cgroup_make(root, 1, 1, diag, group, &fd));
    close(fd);
    unsigned long last = strtoul(strrchr(group, '-') + 1, NULL, 10);
    for (unsigned i = 0; i < LEFT; i++) {
        snprintf(left[i], sizeof left[i], "%s/vta-session-%d-%lu", root, (int)getpid(), last + 1 + i);
        assert_int_equal(mkdir(left[i], 0755), 0);
        snprintf(expected, sizeof expected, "%s/pids.max", strrchr(left[i], '/') + 1);
        if (i % 2) put(expected, "99");
    }
    for (unsigned i = 0; i < LEFT; i += 2) {
        must(vt__cgroup_make(root, 1, 0, diag, group, &fd));
        close(fd);
        assert_string_equal(group, left[i]);
        assert_string_equal(get(group, "pids.max"), "");
        assert_string_equal(get(left[i + 1], "pids.max"), "99");
    }
}

static void out_of_memory(void **state) {
    (void)state;
    assert_false(vt__cgroup_ran_out(root));
    put("memory.events", "low 0\nhigh 0\nmax 7\noom 1\noom_kill 0\noom_group_kill 9\n");
    assert_false(vt__cgroup_ran_out(root));
    put("memory.events", "low 0\noom_kill 2\n");
    assert_true(vt__cgroup_ran_out(root));
    put("memory.events", "oom_kill 1");
    assert_true(vt__cgroup_ran_out(root));
}

/* ---- A server ---------------------------------------------------------------------------------------------------- */

static vta_rpc *open_on(const server *s, const char *function, uint64_t *out_function) {
    size_t size;
    uint64_t module;
    vta_rpc *rpc;
    const char *object = kernels_object(&size);
    must(vta_rpc_connect(NULL, s->port, NULL, NULL, diag, &rpc));
    must(vta_rpc_upload(rpc, "k.o", object, size, diag));
    must(vta_rpc_load_module(rpc, "k.o", diag, &module, NULL));
    must(vta_rpc_function(rpc, module, function, diag, out_function, NULL));
    return rpc;
}

/* Its session is in the group with its limits before it serves, and a client is told when the kernel ended it for its
 * memory. */
static void session(void **state) {
    (void)state;
    server s;
    uint64_t crash;
    char group[128], events[160];
    put("cgroup.controllers", "memory pids\n");
    if (SERVER_SANITIZED) /* which takes more addresses than any limit */
        server_start(&s, "--cgroup", root, "--processes", "40", NULL);
    else
        server_start(&s, "--cgroup", root, "--processes", "40", "--memory", "300", NULL);
    for (int i = 0; i < 2; i++) {
        vta_rpc *rpc = open_on(&s, "crash", &crash);
        snprintf(group, sizeof group, "%s/vta-session-%d-%d", root, (int)s.pid, i);
        assert_string_equal(get(group, "cgroup.procs"), "0");
        assert_string_equal(get(group, "pids.max"), "42");
        if (!SERVER_SANITIZED) assert_string_equal(get(group, "memory.max"), "331350016");
        snprintf(events, sizeof events, "vta-session-%d-%d/memory.events", (int)s.pid, i);
        put(events, i ? "oom_kill 1\n" : "oom_kill 0\n");
        vta_status status = vta_rpc_call(rpc, crash, NULL, NULL, 0, diag, NULL, NULL);
        refused(status, i ? VTA_NO_MEMORY : VTA_ILLEGAL,
                i ? "of memory together (--memory), and it was ended" : "the session's process");
        vta_rpc_close(rpc);
    }
    server_settles(&s);
    server_stop(&s);
}

/* One that cannot be made. */
static void no_entry(void **state) {
    (void)state;
    server s;
    vta_rpc *rpc;
    char away[80];
    put("cgroup.controllers", "memory pids\n");
    server_start(&s, "--cgroup", root, NULL);
    snprintf(away, sizeof away, "%s-away", root);
    assert_int_equal(rename(root, away), 0);
    refused(vta_rpc_connect(NULL, s.port, NULL, NULL, diag, &rpc), VTA_IO,
            "no control group for the session can be made: No such file or directory");
    assert_int_equal(rename(away, root), 0);
    server_settles(&s);
    server_stop(&s);
}

/* ---- The kernel's ------------------------------------------------------------------------------------------------ */

/* Where groups of version 2 are mounted. */
static bool find_mount(char *path) {
    char line[1024];
    bool found = false;
    FILE *f = fopen("/proc/self/mountinfo", "r");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %200s", path) == 1;
    if (f) fclose(f);
    return found;
}

/* A group below the one of this process, or below the mount, that has both controllers. */
static bool find_group(char *group) {
    char mount[256], own[256] = "/", path[600], line[512];
    if (!find_mount(mount)) return false;
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "0::", 3)) snprintf(own, sizeof own, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    if (f) fclose(f);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s/vta-test-%d", mount, i ? "" : own, (int)getpid());
        if (mkdir(path, 0755) != 0) continue;
        const char *has = get(path, "cgroup.controllers");
        if (strstr(has, "memory") && strstr(has, "pids")) return strcpy(group, path), true;
        rmdir(path);
    }
    return false;
}

static void kernel(void **state) {
    (void)state;
    server s;
    uint64_t eat;
    char group[600], other[700];
    if (!find_group(group)) {
        print_message("no group of version 2 with the controllers memory and pids can be made here\n");
        skip();
    }
    server_start(&s, "--cgroup", group, "--memory", "200", "--unprotected", NULL);
    vta_rpc *rpc = open_on(&s, "eat", &eat), *second = open_on(&s, "eat", &eat);
    snprintf(other, sizeof other, "%s/vta-session-%d-1", group, (int)s.pid);
    assert_true(strtol(get(other, "cgroup.procs"), NULL, 10) > 1);
    vta_status status = vta_rpc_call(rpc, eat, NULL, NULL, 0, diag, NULL, NULL);
    if (status != VTA_NO_MEMORY && status != VTA_ILLEGAL) fail_msg("%s", vta_diag_text(diag));
    must(vta_rpc_ping(second, diag));
    vta_rpc_close(rpc);
    vta_rpc_close(second);
    server_settles(&s);
    server_stop(&s);
    assert_int_equal(rmdir(group), 0); /* nothing is in it any more */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(folders),       TEST(leftovers), TEST(limits),   TEST(same_process_number),
                                       TEST(out_of_memory), TEST(session),   TEST(no_entry), TEST(kernel)};
    return cmocka_run_group_tests(tests, diag_begin, diag_end);
}
