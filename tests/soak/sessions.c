/* Sessions of every sort, good and bad. Each says how it must go; what goes otherwise is a failure, unless its board or
 * the tracker was killed meanwhile. */
#include "soak/soak.h"

#include <time.h>

#include "rpc/raw.h"
#include "rpc/vadd.h"

/* A client with a lease. */
typedef struct client {
    soak *s;
    uint64_t number;
    check_random random;
    vta_diag *diag;
    vta_rpc *rpc;
    int board;
    uint32_t changes; /* of the board, when it was taken */
    bool holds;
    const char *sort;
} client;

static const char *const targets[SOAK_BOARDS] = {"pynq", "ultra96", "zcu104", "de10nano"};

void soak_sessions_prepare(void) {
    size_t size;
    kernels_object(&size);
}

/* ---- Taking and giving back -------------------------------------------------------------------------------------- */

static uint32_t all_changes(const soak *s, bool *out_going_on) {
    uint32_t sum = atomic_load(&s->tracker_changes);
    *out_going_on = sum % 2;
    for (int i = 0; i < SOAK_BOARDS; i++) {
        uint32_t n = atomic_load(&s->board_changes[i]);
        *out_going_on |= n % 2;
        sum += n;
    }
    return sum;
}

static bool is_disturbed(const client *c) {
    uint32_t now = atomic_load(&c->s->board_changes[c->board]);
    return now != c->changes || now % 2;
}

static vta_rpc_options options_of(const client *c) {
    return (vta_rpc_options){.key_file = c->s->with_key ? c->s->key_file : NULL, .timeout_ms = 60000};
}

static void place_of(const soak *s, char place[32]) { snprintf(place, 32, "127.0.0.1:%u", s->tracker_port); }

/* A try to get a board. Nobody may refuse, unless something was killed meanwhile or all boards are taken. */
static bool try_to_take(client *c, uint32_t lease_seconds) {
    char place[32];
    bool before_going_on, going_on;
    place_of(c->s, place);
    vta_rpc_options o = options_of(c);
    o.tracker = place;
    o.lease_seconds = lease_seconds;
    o.wait_ms = 20000;
    uint32_t before = all_changes(c->s, &before_going_on);
    vta_diag_clear(c->diag);
    vta_status status = vta_rpc_connect(NULL, 0, &o, NULL, c->diag, &c->rpc);
    if (status == VTA_OK) return true;
    bool waits = status == VTA_NOT_FOUND || status == VTA_TIMEOUT; /* servers register again, or are taken */
    if (!waits && all_changes(c->s, &going_on) == before && !before_going_on && !going_on)
        soak_fail(c->s, "session %llu (%s): no board: %s", (unsigned long long)c->number, c->sort,
                  vta_diag_text(c->diag));
    usleep(20000);
    return false;
}

static bool take(client *c, uint32_t lease_seconds, bool holds) {
    enum { TRIES = 600 }; /* while all places are there: how long one takes to start is the machine's affair */
    for (int i = 0; i < TRIES;) {
        uint32_t changes[SOAK_BOARDS];
        bool going_on;
        for (int b = 0; b < SOAK_BOARDS; b++) changes[b] = atomic_load(&c->s->board_changes[b]);
        all_changes(c->s, &going_on);
        i += !going_on;
        if (!try_to_take(c, lease_seconds)) continue;
        for (c->board = 0; strcmp(targets[c->board], vta_rpc_driver(c->rpc)) != 0;) c->board++;
        c->changes = changes[c->board];
        uint64_t had = holds ? atomic_exchange(&c->s->holder[c->board], c->number + 1) : 0;
        if (had && !is_disturbed(c))
            soak_fail(c->s, "session %llu (%s) was given %s while session %llu has it", (unsigned long long)c->number,
                      c->sort, targets[c->board], (unsigned long long)had - 1);
        c->holds = holds;
        return true;
    }
    soak_fail(c->s, "session %llu (%s): no board in %d tries: %s", (unsigned long long)c->number, c->sort, TRIES,
              vta_diag_text(c->diag));
    return false;
}

static void give_back(client *c) {
    uint64_t mine = c->number + 1;
    if (c->holds) atomic_compare_exchange_strong(&c->s->holder[c->board], &mine, 0);
    c->holds = false;
    vta_rpc_close(c->rpc);
    c->rpc = NULL;
}

/* ---- Judging ----------------------------------------------------------------------------------------------------- */

/* False: the session is over. That is a failure unless its board was disturbed. */
static bool goes(client *c, vta_status status, const char *what) {
    if (status == VTA_OK) return true;
    if (!is_disturbed(c))
        soak_fail(c->s, "session %llu (%s) on %s: %s: %s", (unsigned long long)c->number, c->sort, targets[c->board],
                  what, vta_diag_text(c->diag));
    return false;
}

static bool is_right(client *c, bool right, const char *what) {
    if (!right)
        soak_fail(c->s, "session %llu (%s) on %s: wrong numbers: %s", (unsigned long long)c->number, c->sort,
                  targets[c->board], what);
    return right;
}

/* It must fail so, and say this. */
static bool fails(client *c, vta_status got, vta_status expected, const char *words, const char *what) {
    bool as_expected = got == expected && strstr(vta_diag_text(c->diag), words);
    if (!as_expected && !is_disturbed(c))
        soak_fail(c->s, "session %llu (%s) on %s: %s: status %d, not %d with \"%s\": %s", (unsigned long long)c->number,
                  c->sort, targets[c->board], what, (int)got, (int)expected, words, vta_diag_text(c->diag));
    vta_diag_clear(c->diag);
    return as_expected;
}

/* ---- The work of good clients ------------------------------------------------------------------------------------ */

/* Random vectors through the accelerator. False: over. */
static bool add_vectors(client *c, int runs) {
    vadd v;
    int32_t in[2][VADD_COUNT];
    int8_t out[VADD_COUNT];
    if (!goes(c, vadd_begin(c->rpc, c->diag, &v), "beginning")) return false;
    for (int run = 0; run < runs; run++) {
        vta_status status = VTA_OK;
        for (int i = 0; i < 2 && status == VTA_OK; i++) {
            for (int k = 0; k < VADD_COUNT; k++) in[i][k] = (int32_t)check_next(&c->random);
            status = vta_rpc_write(c->rpc, v.arrays[i], 0, in[i], sizeof in[i], c->diag);
        }
        if (status == VTA_OK) status = vta_rpc_call(c->rpc, v.function, v.args, v.codes, 3, c->diag, NULL, NULL);
        if (status == VTA_OK) status = vta_rpc_read(c->rpc, v.arrays[2], 0, out, sizeof out, c->diag);
        if (!goes(c, status, "sums")) return false;
        bool right = true;
        for (int k = 0; k < VADD_COUNT; k++) right &= out[k] == (int8_t)((uint32_t)in[0][k] + (uint32_t)in[1][k]);
        if (!is_right(c, right, "sums of the accelerator")) return false;
    }
    return true;
}

/* An array of the host, written in pieces, and read in others. */
static bool move_bytes(client *c, vta_rpc *rpc, int64_t bytes, bool checked) {
    uint64_t array;
    char *sent = malloc((size_t)bytes), *got = malloc((size_t)bytes);
    check_random fill = {check_next(&c->random) | 1};
    if (!sent || !got) abort();
    for (int64_t i = 0; i < bytes; i++) sent[i] = (char)(i % 61 ? sent[i - 1] + 7 : (int)check_next(&fill));
    vta_status status = vta_rpc_array(rpc, kDLCPU, 1, &bytes, (DLDataType){kDLUInt, 8, 1}, c->diag, &array);
    for (int64_t at = 0, n; status == VTA_OK && at < bytes; at += n) {
        n = check_between(&c->random, 1, bytes - at);
        status = vta_rpc_write(rpc, array, (uint64_t)at, sent + at, (size_t)n, c->diag);
    }
    for (int64_t at = 0, n; status == VTA_OK && at < bytes; at += n) {
        n = check_between(&c->random, 1, bytes - at);
        status = vta_rpc_read(rpc, array, (uint64_t)at, got + at, (size_t)n, c->diag);
    }
    bool over = checked ? !goes(c, status, "moving bytes") : status != VTA_OK;
    if (!over && (checked || c->s->with_key))
        over = !is_right(c, !memcmp(sent, got, (size_t)bytes), "bytes of an array");
    free(sent);
    free(got);
    return !over && (!checked || goes(c, vta_rpc_free(rpc, array, c->diag), "freeing"));
}

static bool get_function(client *c, const char *name, uint64_t *out_function) {
    size_t size;
    uint64_t module;
    const char *object = kernels_object(&size);
    vta_status status = vta_rpc_upload(c->rpc, "k.o", object, size, c->diag);
    if (status == VTA_OK) status = vta_rpc_load_module(c->rpc, "k.o", c->diag, &module, NULL);
    if (status == VTA_OK) status = vta_rpc_function(c->rpc, module, name, c->diag, out_function, NULL);
    return goes(c, status, name);
}

static vta_status call(client *c, uint64_t function, int64_t a, int64_t b, int64_t *out) {
    const TVMValue args[] = {{.v_int64 = a}, {.v_int64 = b}};
    const int codes[] = {VTA_ARG_INT, VTA_ARG_INT};
    TVMValue value = {0};
    vta_status status = vta_rpc_call(c->rpc, function, args, codes, 2, c->diag, &value, NULL);
    *out = value.v_int64;
    return status;
}

/* ---- Sorts ------------------------------------------------------------------------------------------------------- */

static bool accelerator(client *c) { return add_vectors(c, (int)check_between(&c->random, 1, 4)); }

static bool big_arrays(client *c) {
    return add_vectors(c, 1) && move_bytes(c, c->rpc, check_between(&c->random, 1, 12 << 20), true) &&
           add_vectors(c, 1);
}

/* Kernels of the host between those of the accelerator, files, and what is refused without an end. */
static bool several_kernels(client *c) {
    uint64_t sum, refuse;
    char *back;
    size_t size;
    int64_t got;
    const char *object = kernels_object(&size);
    if (!get_function(c, "sum", &sum) || !get_function(c, "refuse", &refuse)) return false;
    for (int i = 0; i < 5; i++) {
        int64_t a = (int32_t)check_next(&c->random), b = (int32_t)check_next(&c->random);
        if (!goes(c, call(c, sum, a, b, &got), "sum") || !is_right(c, got == a + b, "a sum of the host")) return false;
        if (!fails(c, call(c, refuse, a, b, &got), VTA_ILLEGAL, "refuse: never", "refuse")) return false;
        if (!add_vectors(c, 1)) return false;
    }
    size_t had;
    if (!goes(c, vta_rpc_download(c->rpc, "k.o", c->diag, &back, &had), "download")) return false;
    bool same = is_right(c, had == size && !memcmp(back, object, size), "a file");
    vta_string_free(back);
    return same && goes(c, vta_rpc_remove(c->rpc, "k.o", c->diag), "remove");
}

/* Numbers that nobody gave. */
static bool forged_handles(client *c) {
    char bytes[64];
    int64_t got;
    for (int i = 0; i < 20; i++) {
        uint64_t wrong = (uint64_t)check_next(&c->random) << check_between(&c->random, 0, 32) | 1u << 20;
        vta_status status = i % 4 == 0   ? vta_rpc_read(c->rpc, wrong, 0, bytes, sizeof bytes, c->diag)
                            : i % 4 == 1 ? vta_rpc_free(c->rpc, wrong, c->diag)
                            : i % 4 == 2 ? call(c, wrong, 1, 2, &got)
                                         : vta_rpc_write(c->rpc, wrong, 0, bytes, sizeof bytes, c->diag);
        if (status == VTA_OK)
            soak_fail(c->s, "session %llu: a forged number was accepted", (unsigned long long)c->number);
        vta_diag_clear(c->diag);
        if (is_disturbed(c)) return false;
    }
    return add_vectors(c, 1);
}

static bool ended_by(client *c, const char *kernel, vta_status status, const char *words) {
    uint64_t function;
    int64_t got;
    if (!add_vectors(c, 1) || !get_function(c, kernel, &function)) return false;
    return fails(c, call(c, function, 0, 0, &got), status, words, kernel);
}

static bool crash(client *c) {
    return SERVER_SANITIZED ? ended_by(c, "crash", VTA_ILLEGAL, "the session's process ended itself with code")
                            : ended_by(c, "crash", VTA_ILLEGAL, "was ended by signal 11");
}
static bool leave(client *c) { return ended_by(c, "leave", VTA_ILLEGAL, "ended itself with code 7"); }
static bool hang(client *c) { return ended_by(c, "hang", VTA_TIMEOUT, "a call took longer than "); }
static bool eat(client *c) {
    return SERVER_SANITIZED || ended_by(c, "eat", VTA_ILLEGAL, "was ended by signal 6"); /* malloc gives no more */
}

/* What it started must end with it: a rest counts processes. */
static bool spawn(client *c) {
    uint64_t function;
    int64_t got;
    for (int i = 0; i < 3; i++)
        if (!get_function(c, "spawn", &function) || !goes(c, call(c, function, 0, 0, &got), "spawn")) return false;
    return add_vectors(c, 1);
}

/* Its time is up while it works. */
static bool outstays(client *c) {
    enum { MAX_SECONDS = 120 };
    vadd v;
    time_t begin = time(NULL);
    vta_status status = vadd_begin(c->rpc, c->diag, &v);
    while (status == VTA_OK && time(NULL) - begin < MAX_SECONDS) {
        status = vta_rpc_call(c->rpc, v.function, v.args, v.codes, 3, c->diag, NULL, NULL);
        usleep(10000);
    }
    return fails(c, status, VTA_TIMEOUT, "the tracker's lease is over", "its lease");
}

/* ---- Clients that vanish ----------------------------------------------------------------------------------------- */

static void linger(client *c) {
    vadd v;
    uint64_t function;
    if (vadd_begin(c->rpc, c->diag, &v) != VTA_OK || !get_function(c, "linger", &function)) return;
    vta_rpc_call(c->rpc, function, v.args, v.codes, 3, c->diag, NULL, NULL);
}

/* A process that is killed at some moment, at most so late. It works on the accelerator, moves bytes, or is in a long
 * run. */
static bool vanish_within(client *c, int64_t max_ms, bool lingers) {
    char byte;
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0) abort();
    pid_t pid = fork();
    if (pid == 0) {
        close(ready[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!take(c, 0, true)) _exit(1);
        if (write(ready[1], &(char){(char)c->board}, 1) != 1) _exit(1);
        while (lingers) linger(c);
        while (add_vectors(c, 1) && move_bytes(c, c->rpc, check_between(&c->random, 1, 1 << 20), true)) continue;
        give_back(c);
        _exit(0);
    }
    close(ready[1]);
    bool begins = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (begins) usleep((useconds_t)check_between(&c->random, 0, max_ms * 1000));
    kill(pid, SIGSTOP);
    if (begins) { /* from now on others may have its board */
        uint64_t its = c->number + 1;
        atomic_compare_exchange_strong(&c->s->holder[(int)byte], &its, 0);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return begins;
}

static bool vanish(client *c) { return vanish_within(c, 60, false); }
static bool vanish_running(client *c) { return vanish_within(c, 400, true); }

/* ---- Damage ------------------------------------------------------------------------------------------------------ */

/* A second session on the board's server, through a relay that damages it once. With a key no wrong byte may come
 * through; the first session sees nothing of it. */
static bool damaged(client *c) {
    uint32_t port;
    vta_rpc *second = NULL;
    if (!add_vectors(c, 1)) return false;
    pid_t relay = soak_relay(c->s->ports[c->board], &c->random, &port);
    vta_rpc_options o = options_of(c);
    o.timeout_ms = 2000;
    o.answer_ms = 2000;
    vta_status status = vta_rpc_connect(NULL, port, &o, NULL, c->diag, &second);
    for (int i = 0; i < 3 && status == VTA_OK; i++)
        if (!move_bytes(c, second, check_between(&c->random, 1, 20000), false)) break;
    vta_rpc_close(second);
    kill(relay, SIGKILL);
    waitpid(relay, NULL, 0);
    vta_diag_clear(c->diag);
    return add_vectors(c, 1);
}

static bool nonsense(client *c) {
    soak_nonsense(c->s, &c->random);
    return true;
}

/* ---- Choosing ---------------------------------------------------------------------------------------------------- */

/* NEEDS: takes a board under a lease of its own; TIMED: of one second; NONE: does all itself. */
typedef enum lease_kind { NEEDS, TIMED, NONE } lease_kind;

static const struct {
    const char *name;
    int weight; /* of a thousand */
    lease_kind lease;
    bool (*run)(client *c); /* false: it ended early */
} sorts[] = {
    {"accelerator", 330, NEEDS, accelerator},
    {"big arrays", 80, NEEDS, big_arrays},
    {"several kernels", 80, NEEDS, several_kernels},
    {"forged handles", 50, NEEDS, forged_handles},
    {"damaged bytes", 70, NEEDS, damaged},
    {"crash", 40, NEEDS, crash},
    {"leave", 40, NEEDS, leave},
    {"hang", 2, NEEDS, hang},
    {"eat memory", 5, NEEDS, eat},
    {"leave processes", 40, NEEDS, spawn},
    {"outstay a lease", 10, TIMED, outstays},
    {"vanish", 80, NONE, vanish},
    {"vanish in a run", 23, NONE, vanish_running},
    {"nonsense", 150, NONE, nonsense},
};

size_t soak_sorts(void) { return sizeof sorts / sizeof *sorts; }
const char *soak_sort_name(size_t sort) { return sorts[sort].name; }

static size_t choose(check_random *random) {
    int64_t at = 0;
    for (size_t i = 0; i < soak_sorts(); i++) at += sorts[i].weight;
    at = check_between(random, 0, at - 1);
    for (size_t i = 0;; i++)
        if ((at -= sorts[i].weight) < 0) return i;
}

void soak_session(soak *s, uint64_t number) {
    client c = {.s = s, .number = number, .random = {(s->seed * 1000003 + number) * 0x9e3779b97f4a7c15u | 1}};
    for (int i = 0; i < 8; i++) check_next(&c.random);
    size_t sort = choose(&c.random);
    c.sort = sorts[sort].name;
    c.diag = vta_diag_create(NULL);
    lease_kind lease = sorts[sort].lease;
    bool as_expected = false;
    if (lease == NONE || take(&c, lease == TIMED, lease == NEEDS)) as_expected = sorts[sort].run(&c);
    give_back(&c);
    vta_diag_destroy(c.diag);
    atomic_fetch_add(&s->tally[sort][as_expected ? SOAK_AS_EXPECTED : SOAK_DISTURBED], 1);
}
