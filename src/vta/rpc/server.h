/* The server: an event loop that accepts connections and gives each to a session's process. It reads nothing of what
 * clients say, but passes it on to the session; with TLS it decrypts it. */
#ifndef VT_RPC_SERVER_H
#define VT_RPC_SERVER_H

#include <uv.h>

#include "rpc/share.h"
#include "rpc/tls.h"
#include "vta/rpc.h"

typedef struct vt_connection vt_connection;

/* What goes to and from sessions, a block at a time: the loop has one thread, and each block is done with before the
 * next one.
 */
enum { VT_BLOCK_BYTES = 1 << 18 };
typedef struct vt_blocks {
    char room[VT_BLOCK_BYTES], sealed[VT_BLOCK_BYTES], opened[VT_BLOCK_BYTES];
} vt_blocks;

typedef struct vt_server {
    vta_rpc_server_options options; /* with all defaults filled in */
    /* Whole paths, for the options. */
    char config[VT_RPC_PATH_BYTES], bitstreams[VT_RPC_PATH_BYTES], cgroup[VT_RPC_PATH_BYTES];
    char *config_text; /* what stands in it; NULL: the built-in one */
    uv_loop_t loop;
    uv_tcp_t listener;
    uv_signal_t signals[2];
    uv_timer_t timer;
    struct ssl_ctx_st *tls; /* NULL: in the clear */
    vt_blocks *blocks;
    int table_fd;
    char folder[VT_FOLDER_BYTES]; /* of its sessions' folders; "": none yet */
    int folder_fd;                /* whose lock is held as long as the server lives */
    vt_rpc_table *table;
    vt_connection *first;
    struct vt_registration *registration; /* at a tracker; NULL: none */
    uint32_t sessions;                    /* that have a line of the table */
    uint32_t user, group;
    bool change_user, ending;
    bool own_users;    /* each session is a user of its own, since it has no namespaces */
    vt_rpc_jail jail;  /* of sessions */
    char no_jail[256]; /* why they have none */
    char key_file[VT_RPC_PATH_BYTES], home[VT_RPC_PATH_BYTES]; /* what they must not see */
    vta_diag *diag;                                            /* for what goes to the log */
} vt_server;

/* Writes a line to the log: "SECONDS: text". */
void vt__server_log(vt_server *s, const char *fmt, ...) VTA_PRINTF(2, 3);
/* Stops listening and ends all sessions; the loop ends with the last of them. */
void vt__server_end(vt_server *s, const char *why);

/* What a connection goes through, in this order; it may skip any of them but the last. */
typedef enum vt_connection_state {
    VT_SHAKING, /* TLS */
    VT_SERVED,  /* by its session */
    VT_PARTING, /* the session is over: what it said last is on its way */
    VT_CLOSED,  /* its handles are being closed */
} vt_connection_state;

/* A line that a session began to write to the log, and how much more it may. */
typedef struct vt_said {
    char line[512];
    size_t size;
    uint32_t left;
} vt_said;

struct vt_connection {
    vt_server *server;
    vt_connection *next, **link;
    vt_connection_state state;
    uint64_t since; /* when the state began (vt__rpc_now) */
    int handles;    /* that must be closed before it can be freed */
    char peer[VT_RPC_PEER_BYTES];

    uv_tcp_t tcp;
    uint64_t gone;   /* when the client left; 0: not yet */
    bool speaks_own; /* as its first bytes say: a session that has not begun tells nothing */
    uint64_t asked;  /* when it said something last that is not answered yet; 0: nothing */

    uv_process_t process; /* the session's keeper */
    bool has_process, running;
    uint64_t killed; /* when its end was asked for; 0: not yet */
    int page_fd, verdict_fd;
    vt_rpc_page *page;
    vt_rpc_verdict *verdict;
    uv_pipe_t says; /* what the session writes to the log */
    vt_said said;
    bool has_says;
    vt_rpc_line *line; /* of the table; NULL: none */
    char folder[VT_FOLDER_BYTES];
    char group[VT_RPC_PATH_BYTES]; /* its control group; "": none */
    int group_fd;
    uint32_t own_user; /* of this session only, while user_fd is open; 0: none */
    int user_fd;
    vta_status ended; /* why the server ended the session; VTA_OK: it did not */
    char why[256];

    struct ssl_st *tls;
    uv_pipe_t inside; /* to the session */
    bool has_inside, inside_over;
    int inside_fd; /* the session's end, until it has it */
};

/* A new connection waits. */
void vt__connection_accept(vt_server *s);
/* Once a tenth of a second: time limits, and the table. */
void vt__connection_watch(vt_connection *c, uint64_t now);
/* Ends the session; the client is told why. */
void vt__connection_kill(vt_connection *c, vta_status status, const char *why);
/* A line of the table, without which there is no session. VTA_NO_MEMORY: all are taken. */
vta_status vt__connection_take_line(vt_connection *c, vta_diag *diag);
/* There will be no session: the log and the client are told why. */
void vt__connection_refuse(vt_connection *c, vta_status status, const char *why);
/* Takes a line of the table, and starts the session's process on a socket that leads to the client. */
vta_status vt__pump_session(vt_connection *c, vta_diag *diag);
/* Starts the session's process on this socket. */
vta_status vt__connection_start(vt_connection *c, int fd, vta_diag *diag);
/* The session is over and all that it said was sent: says why it ended, if it was not in order, and parts. */
void vt__connection_part(vt_connection *c);
void vt__connection_close(vt_connection *c);
void vt__connection_enter(vt_connection *c, vt_connection_state state);
/* Called when a handle of it is closed. */
void vt__connection_closed(uv_handle_t *handle);

/* ---- Folders (folders.c) ---- */
/* The server's own folder; first what servers that were killed have left behind goes. */
vta_status vt__folders_begin(vt_server *s, vta_diag *diag);
void vt__folders_end(vt_server *s);
/* Removes a session's folder, and its control group ("": none), in another thread; the loop lasts until both are gone.
 */
void vt__folders_drop(vt_server *s, const char *folder, const char *group);
/* A new one in it, for a session. */
vta_status vt__folders_session(const vt_server *s, vta_diag *diag, char out_folder[VT_FOLDER_BYTES]);

/* ---- What sessions write to the log (said.c) ---- */
/* Reads what comes out of a pipe, which it takes over, and logs it line by line as the session's. */
vta_status vt__said_begin(vt_connection *c, int fd, vta_diag *diag);
/* Logs what is in the pipe still, and closes it. */
void vt__said_end(vt_connection *c);

/* ---- Bytes between client and session (pump.c) ---- */
void vt__pump_begin(vt_connection *c);
/* The last words, encrypted. */
void vt__pump_say(vt_connection *c, const void *bytes, size_t size);

/* ---- The last words (farewell.c) ---- */
/* A frame or packet that tells a client in its protocol why the session is over; 0 bytes when it speaks none yet. */
void vt__farewell(vt_strbuf *to, uint32_t protocol, uint32_t number, vta_status status, const char *why);

#endif
