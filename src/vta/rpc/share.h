/* What a server and its sessions share: memory, and the numbers of the files that a session begins with. */
#ifndef VT_RPC_SHARE_H
#define VT_RPC_SHARE_H

#include <stdatomic.h>

#include "base/diag.h"
#include "base/spawn.h"

enum { VT_RPC_FD_SOCKET = 3, VT_RPC_FD_PAGE = 4, VT_RPC_FD_TABLE = 5, VT_RPC_FD_VERDICT = 6, VT_RPC_FD_GROUP = 7 };
enum {
    VT_RPC_MAX_SESSIONS = 256,
    VT_RPC_PATH_BYTES = 1024,
    VT_RPC_NAME_BYTES = 128,
    VT_RPC_PEER_BYTES = 64,
    VT_RPC_CONFIG_BYTES = 8192
};
/* Users of sessions that have none to share: this number and 255 more, which no system gives to anybody. */
enum { VT_FIRST_OWN_USER = 60600, VT_LAST_OWN_USER = 61183 };
#define VT_RPC_PAGE_MARK 0x56545250u

/* What keeps a session from the rest of the machine (jail.h, keeper.h). */
typedef enum vt_rpc_jail {
    VT_JAIL_DIRECT, /* the process that was started is the session */
    VT_JAIL_REAPED, /* a keeper ends what the session has started */
    VT_JAIL_USER,   /* the keeper, and namespaces that a user without rights may make */
    VT_JAIL_ROOT,   /* the keeper, and namespaces that only root may make */
} vt_rpc_jail;

/* Which protocol a session speaks, for whoever has to say why it ended. */
typedef enum vt_rpc_protocol { VT_RPC_UNKNOWN = 0, VT_RPC_OWN = 1, VT_RPC_TVM = 2 } vt_rpc_protocol;

/* A session's page. The server writes the first part before the session begins, the session the second. A session runs
 * code that it was sent: the server believes nothing in the second part, but may read all of it. */
typedef struct vt_rpc_page {
    uint32_t mark, size;
    char folder[VT_FOLDER_BYTES], driver[VT_RPC_NAME_BYTES], name[VT_RPC_NAME_BYTES], bitstreams[VT_RPC_PATH_BYTES];
    char key_file[VT_RPC_PATH_BYTES], home[VT_RPC_PATH_BYTES]; /* what code of the session must not see; "": none */
    char config[VT_RPC_CONFIG_BYTES];                          /* the text of a vta_config.json; "": the built-in one */
    uint64_t memory_bytes, file_bytes;
    uint32_t patience_ms, idle_seconds, user, group;
    uint32_t slot;      /* its line of the table */
    uint32_t processes; /* most processes and threads; 0: no limit */
    uint8_t change_user, allow_shutdown, jail;
    uint8_t has_group; /* VT_RPC_FD_GROUP is the control group's */
    uint8_t own_user;  /* nobody else's */

    _Atomic uint32_t protocol;     /* vt_rpc_protocol */
    _Atomic uint32_t number;       /* of the request that is being answered */
    _Atomic uint64_t call_started; /* vt__rpc_now; 0: none is going on */
    _Atomic uint64_t calls, bytes;
    _Atomic uint32_t shutdown; /* a client asked for the server's end */
    _Atomic uint32_t stage;    /* vt_rpc_stage */
} vt_rpc_page;

/* How far a session is, for whoever has to say how it ended. */
typedef enum vt_rpc_stage { VT_STAGE_BEGINS, VT_STAGE_SERVES, VT_STAGE_DONE } vt_rpc_stage;

/* How a session ended, from its keeper. The session's code never sees this memory. */
typedef enum vt_rpc_end { VT_END_UNKNOWN, VT_END_ITSELF, VT_END_NO_JAIL, VT_END_MEMORY, VT_END_PROCESSES } vt_rpc_end;

typedef struct vt_rpc_verdict {
    uint32_t end;    /* vt_rpc_end */
    int32_t state;   /* of waitpid, with VT_END_ITSELF */
    char words[256]; /* with VT_END_NO_JAIL */
} vt_rpc_verdict;

#define VT_LINE_TAKEN UINT32_MAX

/* One line of `vta rpc ps`. All sessions may read all lines; only the server writes them. */
typedef struct vt_rpc_line {
    _Atomic uint32_t pid; /* 0: no session; VT_LINE_TAKEN: its process is not there yet */
    uint64_t since_ms;    /* vt__rpc_now */
    char peer[VT_RPC_PEER_BYTES];
    uint32_t protocol;
    uint64_t calls, bytes, calling_ms;
    _Atomic uint32_t ending; /* it is there still, but not for long */
} vt_rpc_line;

typedef struct vt_rpc_table {
    uint32_t most;
    vt_rpc_line line[VT_RPC_MAX_SESSIONS];
} vt_rpc_table;

/* Makes shared memory of so many zeroed bytes, as a file without a name, whose size nobody can change any more. */
vta_status vt__share_make(const char *name, size_t bytes, vta_diag *diag, int *out_fd, void **out_memory);
/* The memory of such a file, to be read and written, or only read. NULL when it is not that large. */
void *vt__share_open(int fd, size_t bytes, bool write);
/* The same file, for reading only. -1 when that fails. */
int vt__share_reader(int fd);
void vt__share_close(void *memory, size_t bytes);

#endif
