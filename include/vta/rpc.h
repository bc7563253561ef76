/* Remote execution: a server that runs compiled kernels for others, its clients, and a tracker that hands out servers
 * (docs/rpc.md). Not in a libvta that was built without it (VT_RPC).
 *
 * A server runs the code that it is sent. It listens on the loopback address; on any other one it needs a key file,
 * and then every connection is encrypted and both sides prove that they have the key (TLS 1.3). Each session is a
 * process of its own, with limits.
 *
 * Threads: a vta_rpc is used by one thread at a time; different ones are independent. */
#ifndef VTA_RPC_H
#define VTA_RPC_H

#include "vta/module.h"

VTA_BEGIN

enum { VTA_RPC_PORT = 9091, VTA_RPC_TRACKER_PORT = 9190 };

/* ---- Clients ------------------------------------------------------------------------------------------------- */

/* A session on a server. Modules, functions and arrays in it are numbers, which end with it. */
typedef struct vta_rpc vta_rpc;

typedef struct vta_rpc_options {
    size_t size;            /* of this struct, or 0 */
    const char *key_file;   /* needed where the server has one */
    uint32_t timeout_ms;    /* for connecting, and for a connection on which nothing moves; 0: 30 seconds */
    uint32_t answer_ms;     /* for one answer, calls included; 0: as long as the server lets a call run */
    const char *tracker;    /* "host:port" of a tracker, which chooses the server; host and port are not looked at */
    const char *key;        /* which kind of server to ask the tracker for; NULL: any */
    uint32_t priority;      /* among those who wait for the same key: larger ones first */
    uint32_t lease_seconds; /* how long the server is asked for; 0: the tracker's most */
    uint32_t wait_ms;       /* how long to wait for a free server; 0: not at all */
} vta_rpc_options;

/* "HOST:PORT", ":PORT", "HOST", "[ADDRESS]:PORT" into its parts; *host and *port keep what they have where one is
 * missing. VTA_INVALID_ARGUMENT for anything else. */
VTA_API vta_status vta_rpc_place(const char *place, size_t host_size, char *host, uint32_t *port, vta_diag *diag);
/* Opens a session. `options` may be NULL. VTA_IO, VTA_TIMEOUT: nobody answers; VTA_INVALID_ARGUMENT: the keys differ;
 * VTA_UNSUPPORTED: another version of the protocol. Close with vta_rpc_close. */
VTA_API vta_status vta_rpc_connect(const char *host, uint32_t port, const vta_rpc_options *options,
                                   const vta_allocator *allocator, vta_diag *diag, vta_rpc **out_rpc);
/* Ends the session and all that is in it. NULL is allowed. */
VTA_API void vta_rpc_close(vta_rpc *rpc);
/* Where it is: "HOST:PORT", also when a tracker gave it. */
VTA_API const char *vta_rpc_server(const vta_rpc *rpc);
/* What the server said of itself: the host of its objects ("x86_64", "aarch64", "arm"), the version of its
 * library, the driver it was started with ("" when the configuration decides). They belong to the session. */
VTA_API const char *vta_rpc_machine(const vta_rpc *rpc);
VTA_API const char *vta_rpc_library(const vta_rpc *rpc);
VTA_API const char *vta_rpc_driver(const vta_rpc *rpc);

/* An error of the server's keeps its status code. After one of the connection (the message says so) every further call
 * fails: the session is over. */

/* The time of a round trip. */
VTA_API vta_status vta_rpc_ping(vta_rpc *rpc, vta_diag *diag);
/* Files of the session: `name` has no folders. */
VTA_API vta_status vta_rpc_upload(vta_rpc *rpc, const char *name, const void *bytes, size_t size, vta_diag *diag);
/* The contents; free with vta_string_free. A zero follows them. */
VTA_API vta_status vta_rpc_download(vta_rpc *rpc, const char *name, vta_diag *diag, char **out_bytes, size_t *out_size);
VTA_API vta_status vta_rpc_remove(vta_rpc *rpc, const char *name, vta_diag *diag);

/* Loads an uploaded object (.o, .so) made for the server's processor. *out_names (may be NULL) gets its functions, one
 * a line; free with vta_string_free. */
VTA_API vta_status vta_rpc_load_module(vta_rpc *rpc, const char *name, vta_diag *diag, uint64_t *out_module,
                                       char **out_names);
/* A function by name, "__tvm_main__" for the module's first. *out_signature (may be NULL) gets what the object says of
 * it, for vta_signature_parse, "" when nothing; free with vta_string_free. */
VTA_API vta_status vta_rpc_function(vta_rpc *rpc, uint64_t module, const char *name, vta_diag *diag,
                                    uint64_t *out_function, char **out_signature);
/* Calls it. Type codes VTA_ARG_INT, _FLOAT, _NULL, _STRING, and VTA_ARG_TENSOR with an array's number in v_int64.
 * Results are integers, floats or nothing; out_value and out_code may be NULL. */
VTA_API vta_status vta_rpc_call(vta_rpc *rpc, uint64_t function, const TVMValue *args, const int *type_codes, int count,
                                vta_diag *diag, TVMValue *out_value, int *out_code);
/* Seconds of a call, measured by the server: `repeat` rounds of `number` calls after one that does not count, and as
 * many more calls in each round as it takes to last min_repeat_ms. out_seconds gets `repeat` means. */
VTA_API vta_status vta_rpc_time(vta_rpc *rpc, uint64_t function, const TVMValue *args, const int *type_codes, int count,
                                uint32_t number, uint32_t repeat, uint32_t min_repeat_ms, vta_diag *diag,
                                double *out_seconds);

/* A zeroed array on the server, as vta_array_create. */
VTA_API vta_status vta_rpc_array(vta_rpc *rpc, int32_t device_type, int32_t ndim, const int64_t *shape,
                                 DLDataType dtype, vta_diag *diag, uint64_t *out_array);
/* Copies of `bytes` bytes from `offset` on. */
VTA_API vta_status vta_rpc_write(vta_rpc *rpc, uint64_t array, uint64_t offset, const void *from, size_t bytes,
                                 vta_diag *diag);
VTA_API vta_status vta_rpc_read(vta_rpc *rpc, uint64_t array, uint64_t offset, void *to, size_t bytes, vta_diag *diag);
/* From one array of the session to another of the same shape and type. */
VTA_API vta_status vta_rpc_copy(vta_rpc *rpc, uint64_t from, uint64_t to, vta_diag *diag);
/* Frees an array, a function, or a module with its functions. */
VTA_API vta_status vta_rpc_free(vta_rpc *rpc, uint64_t number, vta_diag *diag);

/* Compiled networks (vta/exec.h). Loads an uploaded artifact whose native code is for the server's processor, onto a
 * device of its own of the server's driver. *out_description (may be NULL) gets JSON: {"name", "driver", "inputs":
 * [{"name", "type", "shape", "bytes"}], "outputs": [...]}; free with vta_string_free. vta_rpc_free frees it. On a board
 * the session's runtime must not have memory there: the accelerator has one user. */
VTA_API vta_status vta_rpc_load_model(vta_rpc *rpc, const char *name, vta_diag *diag, uint64_t *out_model,
                                      char **out_description);
/* Runs it. `arrays`: on the cpu (vta_rpc_array), one for each input, then one for each output, which is filled in.
 * *out_seconds: of the run, measured by the server. *out_counters: the device's in this run, as vta_counters_to_json;
 * free with vta_string_free. Both may be NULL. */
VTA_API vta_status vta_rpc_run_model(vta_rpc *rpc, uint64_t model, const uint64_t *arrays, size_t count, vta_diag *diag,
                                     double *out_seconds, char **out_counters);
/* What each step took in the last run, as vta_instance_profile_json; free with vta_string_free. */
VTA_API vta_status vta_rpc_profile_model(vta_rpc *rpc, uint64_t model, vta_diag *diag, char **out_json);

/* The counters of the session's runtime, as vta_counters_to_json; free with vta_string_free. */
VTA_API vta_status vta_rpc_statistics(vta_rpc *rpc, vta_diag *diag, char **out_json);
VTA_API vta_status vta_rpc_clear_statistics(vta_rpc *rpc, vta_diag *diag);
/* A new runtime for this configuration (the text of a vta_config.json). Arrays on ext_dev are lost. */
VTA_API vta_status vta_rpc_configure(vta_rpc *rpc, const char *config, vta_diag *diag);
/* Programs the FPGA with an uploaded bitstream, or (name NULL) with the one that the server has for the configuration.
 * Where there is no FPGA (the simulators) there is nothing to do. */
VTA_API vta_status vta_rpc_program(vta_rpc *rpc, const char *name, vta_diag *diag);
/* What the server's sessions do, as JSON (docs/rpc.md); free with vta_string_free. */
VTA_API vta_status vta_rpc_sessions(vta_rpc *rpc, vta_diag *diag, char **out_json);
/* Ends the server. VTA_UNSUPPORTED unless it allows that. */
VTA_API vta_status vta_rpc_shutdown(vta_rpc *rpc, vta_diag *diag);

/* ---- Servers ------------------------------------------------------------------------------------------------- */

typedef struct vta_rpc_server_options {
    size_t size;                 /* of this struct, or 0 */
    const char *host;            /* address to listen on; NULL: 127.0.0.1. Others need a key file */
    uint32_t port;               /* 0: one that is free */
    const char *key_file;        /* NULL: connections are in the clear */
    const char *name;            /* the key that clients of TVM must name, and that a tracker knows; NULL: "" */
    const char *config;          /* vta_config.json of new sessions; NULL: the built-in default */
    const char *driver;          /* of all sessions; NULL: the configuration's TARGET */
    const char *bitstreams;      /* folder TARGET/HW_VER/NAME.{bit,bin,rbf}; NULL: none */
    const char *session_program; /* what a session runs: `vta-session`, with its path */
    const char *user;            /* whom sessions run as when the server is root; NULL: nobody */
    uint32_t max_sessions;       /* at once; 0: 16 */
    uint32_t call_seconds;       /* one call; 0: 300 */
    uint32_t idle_seconds;       /* a session that is asked for nothing; 0: 3600 */
    uint32_t patience_ms;        /* a frame that was begun, a handshake; 0: 30 seconds */
    uint64_t memory_bytes;       /* of each process of a session, and of all together; 0: 2 GiB, UINT64_MAX: no limit */
    uint64_t file_bytes;         /* of a session's uploads; 0: 1 GiB */
    bool allow_shutdown;         /* clients may end the server */
    const char *tracker;         /* "host:port" of a tracker to register with, again and again; NULL: none */
    const char *public_host;     /* what the tracker's clients are to connect to; NULL: host */
    vta_sink log; /* a line for every session's begin and end, and for what was refused. It must not wait:
                     the server does nothing else meanwhile */
    void (*ready)(void *ctx, uint32_t port); /* called once the server listens; may be NULL */
    void *ready_ctx;
    uint32_t max_processes; /* of a session, with their threads; 0: 256, UINT32_MAX: no limit */
    bool unprotected;       /* sessions have no namespaces, and others than this machine are served all the same */
    const char *cgroup;     /* folder of a control group (version 2) that is the server's to use: sessions get groups in
                               it, with memory_bytes and max_processes as limits of the kernel; NULL: none */
} vta_rpc_server_options;

/* Serves until SIGINT or SIGTERM, or a client's shutdown; sessions that are going on then are ended. */
VTA_API vta_status vta_rpc_serve(const vta_rpc_server_options *options, vta_diag *diag);
/* What the program of a session does from main on: serves the connection that the server handed down, and returns the
 * program's exit code. */
VTA_API int vta_rpc_session_main(void);
/* ---- Trackers ------------------------------------------------------------------------------------------------ */

typedef struct vta_rpc_tracker_options {
    size_t size;            /* of this struct, or 0 */
    const char *host;       /* address to listen on; NULL: 127.0.0.1. Others need a key file */
    uint32_t port;          /* 0: one that is free */
    const char *key_file;   /* NULL: connections are in the clear */
    uint32_t lease_seconds; /* longest time for which a client has a server; 0: 3600 */
    vta_sink log;
    void (*ready)(void *ctx, uint32_t port); /* called once it listens; may be NULL */
    void *ready_ctx;
} vta_rpc_tracker_options;

/* Hands out servers until SIGINT or SIGTERM. */
VTA_API vta_status vta_rpc_track(const vta_rpc_tracker_options *options, vta_diag *diag);
/* A tracker's servers, leases and waiting clients, as JSON; free with vta_string_free. Of `options` (may be NULL) the
 * key file and times count. */
VTA_API vta_status vta_rpc_tracker_summary(const char *host, uint32_t port, const vta_rpc_options *options,
                                           vta_diag *diag, char **out_json);

/* Makes a key file that only its owner can read. VTA_IO when there is one already. */
VTA_API vta_status vta_rpc_new_key(const char *path, vta_diag *diag);

VTA_END

#endif
