/* The soak of remote execution: boards under a tracker, clients of every sort, and what is killed meanwhile. What all
 * of its processes share, and who does what. */
#ifndef TESTS_SOAK_SOAK_H
#define TESTS_SOAK_SOAK_H

#include <stdatomic.h>

#include "rpc/server.h"
#include "support/check.h"
#include "vta/rpc.h"

enum { SOAK_BOARDS = 4, SOAK_MAX_WORKERS = 16, SOAK_MAX_FAILURES = 8, SOAK_FAILURE_BYTES = 1024 };

/* How a session went. A wrong number, or an end without a reason, is a failure and not in the list. */
typedef enum soak_outcome { SOAK_AS_EXPECTED, SOAK_DISTURBED, SOAK_OUTCOMES } soak_outcome;

/* What is done to the places: X(name, weight, what is said of it). */
#define SOAK_DISTURBANCES(X)                                                                                           \
    X(KILL_SERVER, 3, "servers killed")                                                                                \
    X(END_SERVER, 2, "servers ended")                                                                                  \
    X(KILL_TRACKER, 3, "trackers killed")                                                                              \
    X(END_TRACKER, 2, "trackers ended")                                                                                \
    X(KILL_SESSION, 4, "processes of sessions killed")                                                                 \
    X(STALL_SERVER, 4, "servers stopped for a moment")                                                                 \
    X(STALL_TRACKER, 3, "trackers stopped for a moment")

typedef enum soak_disturbance {
#define ROW(name, weight, words) SOAK_##name,
    SOAK_DISTURBANCES(ROW)
#undef ROW
        SOAK_DISTURBANCE_COUNT
} soak_disturbance;

/* Memory of all processes of the soak. */
typedef struct soak {
    uint64_t seed, count;
    uint32_t workers;
    bool with_key;
    char key_file[96];
    uint32_t tracker_port, ports[SOAK_BOARDS];
    _Atomic uint64_t next; /* session */
    /* How often it was killed or restarted, counted before and after: odd while that goes on. */
    _Atomic uint32_t board_changes[SOAK_BOARDS], tracker_changes;
    /* Which session has the board, counted from 1; 0: none, or nobody knows. */
    _Atomic uint64_t holder[SOAK_BOARDS];
    _Atomic bool resting;
    _Atomic bool parked[SOAK_MAX_WORKERS];
    _Atomic int worker_files[SOAK_MAX_WORKERS]; /* descriptors, when it was parked last */
    _Atomic uint64_t tally[64][SOAK_OUTCOMES];  /* by sort of session */
    _Atomic uint32_t failures;
    char failure[SOAK_MAX_FAILURES][SOAK_FAILURE_BYTES];
} soak;

/* Something is wrong: told at the end, and the soak fails. */
void soak_fail(soak *s, const char *fmt, ...) VTA_PRINTF(2, 3);
/* Descriptors that a process has open; 0: there is no such process. */
int soak_files_of(pid_t pid);

/* ---- Sessions (sessions.c) ---- */
/* Compiles what sessions send; before any process is made. */
void soak_sessions_prepare(void);
size_t soak_sorts(void);
const char *soak_sort_name(size_t sort);
/* One session of a sort that its number and the seed choose. */
void soak_session(soak *s, uint64_t number);

/* ---- Bytes that are not as they were sent (damage.c) ---- */
/* A relay to a port of this machine, in a process of its own, for one connection, which it damages in one place. The
 * process ends by itself when either side closes; its port. */
pid_t soak_relay(uint32_t to, check_random *random, uint32_t *out_port);
/* Connects to a server or tracker and says nonsense, or nothing. */
void soak_nonsense(const soak *s, check_random *random);

/* ---- Boards and tracker (places.c) ---- */
void soak_places_begin(soak *s);
void soak_disturb(soak *s, soak_disturbance what, check_random *random);
/* Fails for servers, models or trackers that ended by themselves; collects what was left to this process. */
void soak_places_look(soak *s);
/* All sessions are over and no client is there: is everything back where it was? Nothing may have grown. */
void soak_places_rest(soak *s);
/* Ends all in order. Nothing may be left. */
void soak_places_end(soak *s);
void soak_places_report(const soak *s);

#endif
