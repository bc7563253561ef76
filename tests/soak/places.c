/* Four boards' models with a server each, and a tracker: started, killed, stopped, started again, and looked at. */
#include "soak/soak.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "device/model_board.h"

typedef struct sizes {
    int files, threads;
    long kib; /* that no file backs */
} sizes;

typedef struct place {
    const char *name;
    server at;
    uint32_t port;
    bool is_looked_at; /* since it was started: `first` counts */
    sizes first, last, most;
    uint32_t starts;
} place;

static const char *const targets[SOAK_BOARDS] = {"pynq", "ultra96", "zcu104", "de10nano"};
static place boards[SOAK_BOARDS], tracker;
static model_board models[SOAK_BOARDS];
static uint64_t done[SOAK_DISTURBANCE_COUNT], rests;

/* ---- Starting ---------------------------------------------------------------------------------------------------- */

static bool is_free(uint32_t port) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bool can_listen = bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 1) == 0;
    close(fd);
    return can_listen;
}

/* A process that a killed server was just starting has the server's socket until it runs its own program. */
static void wait_for_port(uint32_t port) {
    enum { TRIES = 6000 };
    for (int i = 0; i < TRIES && !is_free(port); i++) usleep(10000);
}

/* A name that one process of this machine has, until it ends: another soak does not take the ports while a server of
 * this one is away. */
static bool reserve(uint32_t port) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "vta-soak-%u", port); /* after a zero: no file */
    if (bind(fd, (struct sockaddr *)&name, sizeof name) == 0) return true;
    close(fd);
    return false;
}

/* The first of as many free ports as there are places. Not of those that clients get: a connection could have it while
 * a server is away. */
static uint32_t choose_ports(void) {
    enum { FIRST = 12000, LAST = 30000, STEP = 8 };
    for (uint32_t i = 0; i < (LAST - FIRST) / STEP; i++) {
        uint32_t port = FIRST + ((uint32_t)getpid() + i) * STEP % (LAST - FIRST), n = 0;
        while (n <= SOAK_BOARDS && is_free(port + n)) n++;
        if (n > SOAK_BOARDS && reserve(port)) return port;
    }
    fprintf(stderr, "rpc_soak: no %d free ports in a row from %d to %d\n", SOAK_BOARDS + 1, FIRST, LAST);
    exit(1);
}

static void launch(place *p, const char *command, const char *port, ...) {
    va_list args;
    va_start(args, port);
    if (strcmp(port, "0") != 0) wait_for_port((uint32_t)atoi(port));
    server_launch(&p->at, command, port, args);
    va_end(args);
    p->port = p->at.port;
    p->is_looked_at = false;
    p->starts++;
}

static void make_folder(place *p, const char *name) {
    p->name = name;
    strcpy(p->at.folder, "/tmp/vta-soak-XXXXXX");
    if (!mkdtemp(p->at.folder) || chmod(p->at.folder, 0755) != 0) abort();
    snprintf(p->at.log, sizeof p->at.log, "%s.log", p->at.folder);
}

static void start_tracker(const soak *s) {
    char port[16];
    snprintf(port, sizeof port, "%u", tracker.port);
    launch(&tracker, "rpc-tracker", port, s->with_key ? "--key-file" : NULL, s->key_file, NULL);
}

static void start_server(const soak *s, int b) {
    char settings[128], config[256], port[16], track[32];
    snprintf(settings, sizeof settings, "%s wait_seconds=0", models[b].settings);
    setenv("VTA_BOARD", settings, 1);
    snprintf(config, sizeof config, "%s/configs/%s.json", VT_SOURCE_DIR, targets[b]);
    snprintf(port, sizeof port, "%u", boards[b].port);
    snprintf(track, sizeof track, "127.0.0.1:%u", tracker.port);
    /* Root, because the files of the models are the test's. A sanitizer makes all slower, and reserves any memory.
     * Eating 512 MiB takes more than ten seconds on a machine that is busy enough. */
    launch(&boards[b], "rpc-server", port, "--driver", targets[b], "--config", config, "--tracker", track, "--key",
           targets[b], "--user", geteuid() ? "nobody" : "root", "--call-seconds", SERVER_SANITIZED ? "60" : "30",
           "--patience-ms", SERVER_SANITIZED ? "60000" : "10000", SERVER_SANITIZED ? "--files" : "--memory", "512",
           s->with_key ? "--key-file" : NULL, s->key_file, NULL);
}

void soak_places_begin(soak *s) {
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* what escapes comes here, and is counted */
    make_folder(&tracker, "tracker");
    tracker.port = choose_ports();
    for (int b = 0; b < SOAK_BOARDS; b++) boards[b].port = tracker.port + 1 + (uint32_t)b;
    if (s->with_key) {
        snprintf(s->key_file, sizeof s->key_file, "%s/key", tracker.at.folder);
        if (vta_rpc_new_key(s->key_file, NULL) != VTA_OK) abort();
    }
    start_tracker(s);
    s->tracker_port = tracker.port;
    for (int b = 0; b < SOAK_BOARDS; b++) {
        model_start(&models[b], targets[b]);
        make_folder(&boards[b], targets[b]);
        start_server(s, b);
        s->ports[b] = boards[b].port;
    }
}

/* ---- Disturbing -------------------------------------------------------------------------------------------------- */

/* Kills it, or asks it to end, which it must do in order. */
static void end_place(soak *s, place *p, bool in_order) {
    int state = 0;
    kill(p->at.pid, in_order ? SIGTERM : SIGKILL);
    if (waitpid(p->at.pid, &state, 0) != p->at.pid) soak_fail(s, "%s was not there", p->name);
    if (in_order && (!WIFEXITED(state) || WEXITSTATUS(state)))
        soak_fail(s, "%s ended with state 0x%x:\n%.700s", p->name, (unsigned)state, server_log(&p->at));
}

/* Nobody has the board while its server is away. */
static void change_server(soak *s, int b, bool in_order) {
    atomic_fetch_add(&s->board_changes[b], 1);
    end_place(s, &boards[b], in_order);
    atomic_store(&s->holder[b], 0);
    start_server(s, b);
    atomic_fetch_add(&s->board_changes[b], 1);
}

static void change_tracker(soak *s, bool in_order) {
    atomic_fetch_add(&s->tracker_changes, 1);
    end_place(s, &tracker, in_order);
    start_tracker(s);
    atomic_fetch_add(&s->tracker_changes, 1);
}

/* One of the children of a process, chosen at random; 0: it has none. */
static pid_t some_child(pid_t parent, check_random *random) {
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
    int count = 0;
    for (size_t i = 0; i < n; i++) count += text[i] == ' ';
    if (!count) return 0;
    char *at = text;
    for (int64_t skip = check_between(random, 0, count - 1); skip > 0; skip--) strtol(at, &at, 10);
    return (pid_t)strtol(at, NULL, 10);
}

/* The keeper, the first process of the namespace, the session itself or what it started. */
static bool kill_in_session(soak *s, int b, check_random *random) {
    pid_t pid = boards[b].at.pid, next;
    int64_t depth = check_between(random, 1, 4);
    for (; depth > 0 && (next = some_child(pid, random)); depth--) pid = next;
    if (pid == boards[b].at.pid) return false;
    atomic_fetch_add(&s->board_changes[b], 2);
    kill(pid, SIGKILL);
    atomic_store(&s->holder[b], 0); /* its client may not know yet */
    return true;
}

static void stall(pid_t pid, check_random *random) {
    kill(pid, SIGSTOP);
    usleep((useconds_t)check_between(random, 1000, 300000));
    kill(pid, SIGCONT);
}

/* The last board's server stays as it is, and so does the tracker in the second half: what grows, grows there. */
void soak_disturb(soak *s, soak_disturbance what, check_random *random) {
    int b = (int)check_between(random, 0, SOAK_BOARDS - 2), any = (int)check_between(random, 0, SOAK_BOARDS - 1);
    bool late = atomic_load(&s->next) > s->count / 2, did = true;
    switch (what) {
    case SOAK_KILL_SERVER: change_server(s, b, false); break;
    case SOAK_END_SERVER: change_server(s, b, true); break;
    case SOAK_KILL_TRACKER:
    case SOAK_END_TRACKER:
        if ((did = !late)) change_tracker(s, what == SOAK_END_TRACKER);
        break;
    case SOAK_KILL_SESSION: did = kill_in_session(s, any, random); break;
    case SOAK_STALL_SERVER: stall(boards[any].at.pid, random); break;
    case SOAK_STALL_TRACKER: stall(tracker.at.pid, random); break;
    case SOAK_DISTURBANCE_COUNT: break;
    }
    done[what] += did;
}

/* ---- Looking ----------------------------------------------------------------------------------------------------- */

static bool is_known(pid_t pid) {
    bool known = pid == tracker.at.pid;
    for (int b = 0; b < SOAK_BOARDS; b++) known |= pid == boards[b].at.pid || pid == models[b].pid;
    return known;
}

/* Calls `each` for every child of this process; how many there are. */
static int for_children(void (*each)(soak *s, pid_t pid), soak *s) {
    static char text[1 << 16];
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    int count = 0;
    if (f) fclose(f);
    text[n] = '\0';
    for (char *at = text, *end; *at; at = end, count++) {
        pid_t pid = (pid_t)strtol(at, &end, 10);
        if (end == at) break;
        each(s, pid);
    }
    return count;
}

static int strangers;

/* What servers that were killed leave comes here, and ends. Workers are main.c's. */
static void look_at_child(soak *s, pid_t pid) {
    char path[64], name[32] = "";
    if (is_known(pid)) {
        if (waitpid(pid, NULL, WNOHANG) == pid)
            soak_fail(s, "process %d, a server, model or tracker, ended by itself", pid);
        return;
    }
    snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
    FILE *f = fopen(path, "r");
    if (f && !fgets(name, sizeof name, f)) *name = '\0';
    if (f) fclose(f);
    if (!strncmp(name, "rpc_soak", 8)) return;
    if (waitpid(pid, NULL, WNOHANG) != pid) strangers++;
}

void soak_places_look(soak *s) {
    strangers = 0;
    for_children(look_at_child, s);
}

static long number_of(pid_t pid, const char *words) {
    char path[64], line[256];
    long number = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, words, strlen(words))) number = strtol(line + strlen(words), NULL, 10);
    if (f) fclose(f);
    return number;
}

static sizes sizes_of(const place *p) {
    return (sizes){soak_files_of(p->at.pid), (int)number_of(p->at.pid, "Threads:"), number_of(p->at.pid, "RssAnon:")};
}

static int larger(int a, int b) { return a > b ? a : b; }

/* What is in the folder that it keeps those of its sessions in, and open; servers that were killed have left others. */
static int folders_of(const place *p) {
    char path[64], link[300], to[512];
    int n = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)p->at.pid);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        snprintf(link, sizeof link, "%s/%.200s", path, e->d_name);
        ssize_t size = readlink(link, to, sizeof to - 1);
        to[size > 0 ? size : 0] = '\0';
        if (!strncmp(to, p->at.folder, strlen(p->at.folder))) n += server_count(to);
    }
    if (dir) closedir(dir);
    return n;
}

static bool has_settled(const place *p) { return server_children(&p->at) == 0 && folders_of(p) == 0; }

/* With its first look after a start all else is compared: it has served a session by then. */
static void compare(soak *s, place *p) {
    enum { MAX_KIB = 4096 };
    sizes now = sizes_of(p);
    for (int i = 0; i < 1000 && p->is_looked_at && (now.files > p->first.files || now.threads > p->first.threads);
         i++) {
        usleep(10000);
        now = sizes_of(p);
    }
    if (!p->is_looked_at) p->first = now;
    p->is_looked_at = true;
    if (now.files > p->first.files || now.threads > p->first.threads)
        soak_fail(s, "%s grows: %d descriptors, %d at first; %d threads, %d at first", p->name, now.files,
                  p->first.files, now.threads, p->first.threads);
    if (!SERVER_SANITIZED && now.kib > p->first.kib + MAX_KIB)
        soak_fail(s, "%s grows: %ld KiB, %ld at first", p->name, now.kib, p->first.kib);
    p->last = now;
    p->most.files = larger(p->most.files, now.files);
    p->most.threads = larger(p->most.threads, now.threads);
    if (now.kib > p->most.kib) p->most.kib = now.kib;
}

/* One session straight to the server, so that it has started the threads that it ever starts. */
static void serve_one(soak *s, int b) {
    vta_rpc *rpc;
    vta_diag *diag = vta_diag_create(NULL);
    const vta_rpc_options o = {.key_file = s->with_key ? s->key_file : NULL, .timeout_ms = 60000};
    vta_status status = vta_rpc_connect(NULL, boards[b].port, &o, NULL, diag, &rpc);
    if (status == VTA_OK) status = vta_rpc_ping(rpc, diag);
    if (status != VTA_OK) soak_fail(s, "%s serves nobody: %s", targets[b], vta_diag_text(diag));
    vta_rpc_close(rpc);
    vta_diag_destroy(diag);
}

static int count_of(const char *text, const char *part) {
    int n = 0;
    for (const char *at = text; at && (at = strstr(at, part)); at++) n++;
    return n;
}

/* Why a server is away: what its registers say, and the end of its log. */
static void tell_missing(soak *s, const char *summary) {
    for (int b = 0; b < SOAK_BOARDS; b++) {
        char path[128], key[32], words[400] = "";
        snprintf(key, sizeof key, "\"%s\"", targets[b]);
        if (strstr(summary, key)) continue;
        snprintf(path, sizeof path, "%s/registers", models[b].folder);
        uint32_t block[4] = {0};
        int fd = open(path, O_RDONLY);
        for (int i = 0; fd >= 0 && i < 4; i++)
            if (pread(fd, &block[i], 4, i * 0x1000) != 4) break;
        if (fd >= 0) close(fd);
        for (int i = 0; i < 4; i++) snprintf(words + strlen(words), 32, " %x", block[i]);
        const char *log = server_log(&boards[b].at);
        size_t size = strlen(log);
        soak_fail(s, "%s is not registered; its blocks have%s, its log ends with\n%s", targets[b], words,
                  log + (size > 700 ? size - 700 : 0));
    }
}

/* All servers are registered and free again, and nobody waits. A server registers when its board is idle: a run that a
 * client left behind takes the model a second of computing, which on a machine with much to do may be a minute. */
static void leases_are_back(soak *s) {
    enum { TRIES = 6000 };
    const vta_rpc_options o = {.key_file = s->with_key ? s->key_file : NULL, .timeout_ms = 60000};
    char *text = NULL;
    for (int i = 0; i < TRIES; i++, usleep(100000)) {
        vta_string_free(text);
        text = NULL;
        if (vta_rpc_tracker_summary(NULL, tracker.port, &o, NULL, &text) != VTA_OK) continue;
        if (count_of(text, "\"free\": true") == SOAK_BOARDS && strstr(text, "\"waiting\": []")) break;
        if (i < TRIES - 1) continue;
        soak_fail(s, "a lease is lost: %s", text);
        tell_missing(s, text);
    }
    vta_string_free(text);
}

void soak_places_rest(soak *s) {
    enum { TRIES = 3000 };
    for (int b = 0; b < SOAK_BOARDS; b++) serve_one(s, b);
    leases_are_back(s);
    for (int b = 0; b < SOAK_BOARDS; b++) {
        for (int i = 0; i < TRIES && !has_settled(&boards[b]); i++) usleep(10000);
        if (!has_settled(&boards[b]))
            soak_fail(s, "%s has %d processes and %d folders of sessions that are over", targets[b],
                      server_children(&boards[b].at), server_count(server_sessions_folder(&boards[b].at)));
    }
    for (int i = 0; i < TRIES; i++, usleep(10000)) {
        soak_places_look(s);
        if (!strangers) break;
    }
    if (strangers) soak_fail(s, "%d processes have survived their sessions", strangers);
    for (int b = 0; b < SOAK_BOARDS; b++) compare(s, &boards[b]);
    compare(s, &tracker);
    rests++;
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

/* What a sanitizer says of anything but the crash that was ordered. */
static void check_log(soak *s, const place *p) {
    char line[2048];
    FILE *f = fopen(p->at.log, "r");
    while (f && fgets(line, sizeof line, f)) {
        bool bad =
            strstr(line, "ERROR: ") || strstr(line, "WARNING: ThreadSanitizer") || strstr(line, "runtime error:");
        if (bad && !strstr(line, "SEGV on unknown address 0x000000000008") && !strstr(line, "address 0x000000000008"))
            soak_fail(s, "%s: %s", p->name, line);
    }
    if (f) fclose(f);
}

/* What killed servers have left goes when one begins there, if it is a minute old: here it is made so. */
static void sweep(soak *s, place *p) {
    char path[512], command[600];
    DIR *dir = opendir(p->at.folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        const struct timespec old[2] = {{.tv_sec = time(NULL) - 120}, {.tv_sec = time(NULL) - 120}};
        if (*e->d_name != '.') utimensat(dirfd(dir), e->d_name, old, 0);
    }
    if (dir) closedir(dir);
    launch(p, "rpc-server", "0", NULL);
    end_place(s, p, true);
    if (server_count(p->at.folder))
        soak_fail(s, "%s leaves %d files in its folder", p->name, server_count(p->at.folder));
    snprintf(path, sizeof path, "%s", p->at.folder);
    snprintf(command, sizeof command, "rm -rf %s", path);
    if (system(command) != 0) soak_fail(s, "%s stays", path);
}

void soak_places_end(soak *s) {
    for (int b = 0; b < SOAK_BOARDS; b++) end_place(s, &boards[b], true);
    end_place(s, &tracker, true);
    if (*s->key_file) unlink(s->key_file);
    unsetenv("VTA_BOARD");
    for (int b = 0; b < SOAK_BOARDS; b++) {
        check_log(s, &boards[b]);
        sweep(s, &boards[b]);
        model_stop(&models[b]);
    }
    check_log(s, &tracker);
    if (server_count(tracker.at.folder)) soak_fail(s, "the tracker leaves files");
    rmdir(tracker.at.folder);
    bool keep = atomic_load(&s->failures) != 0;
    for (int b = 0; b < SOAK_BOARDS && !keep; b++) unlink(boards[b].at.log);
    if (!keep) unlink(tracker.at.log);
}

static void report_place(const place *p) {
    printf("  %-10s %7u %8d %6d %8d %8d %8ld %8ld\n", p->name, p->starts, p->first.files, p->most.files,
           p->first.threads, p->most.threads, p->first.kib, p->last.kib);
    if (p->at.log[0] && !access(p->at.log, F_OK)) printf("  its log: %s\n", p->at.log);
}

void soak_places_report(const soak *s) {
    static const char *const words[] = {
#define ROW(name, weight, text) text,
        SOAK_DISTURBANCES(ROW)
#undef ROW
    };
    (void)s;
    printf("disturbances\n");
    for (int i = 0; i < SOAK_DISTURBANCE_COUNT; i++) printf("  %-34s %6llu\n", words[i], (unsigned long long)done[i]);
    printf("looked at %llu times, with no session; since the last start\n", (unsigned long long)rests);
    printf("  %-10s %7s %8s %6s %8s %8s %8s %8s\n", "", "starts", "files", "most", "threads", "most", "KiB", "last");
    for (int b = 0; b < SOAK_BOARDS; b++) report_place(&boards[b]);
    report_place(&tracker);
}
