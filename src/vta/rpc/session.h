/* A session: one connection of one client, served by one thread in a process of its own. What clients can ask for is
 * here, whichever protocol they speak (own.c, tvm.c). */
#ifndef VT_RPC_SESSION_H
#define VT_RPC_SESSION_H

#include "rpc/objects.h"
#include "rpc/share.h"
#include "rpc/stream.h"

typedef struct vt_rpc_session {
    vt_rpc_stream stream;
    vt_rpc_page *page;
    const vt_rpc_table *table; /* NULL: a session without a server */
    vt_rpc_objects objects;
    uint64_t uploaded; /* bytes of its files */
    vta_diag *diag;
    bool running; /* the runtime has begun */
} vt_rpc_session;

/* A session without a connection yet; `page` stays the caller's. */
vta_status vt__session_init(vt_rpc_session *s, vt_rpc_page *page, const vt_rpc_table *table, vta_diag *diag);
void vt__session_clear(vt_rpc_session *s);

/* What went wrong, for the client: the messages without what a tool puts before them. */
void vt__session_words(const vt_rpc_session *s, vta_status status, vt_strbuf *to);

/* Serve until the client leaves, in one protocol; the first four bytes were read. VTA_NOT_FOUND: it left in order. */
vta_status vt__serve_own(vt_rpc_session *s, const uint8_t begin[4]);
vta_status vt__serve_tvm(vt_rpc_session *s);
enum { VT_TVM_MAGIC = 0xff271 };

/* Answers one request of the own protocol: its fields in, the answer's out. VTA_NOT_FOUND with *out_over: a good
 * bye. */
vta_status vt__own_answer(vt_rpc_session *s, uint16_t message, const void *fields, size_t size, vt_strbuf *out,
                          bool *out_over);
/* Answers one packet of TVM (from its code on), with *out_over after a shutdown. VTA_PARSE: nonsense, the connection
 * ends. */
vta_status vt__tvm_answer(vt_rpc_session *s, const void *packet, size_t size, vt_strbuf *out, bool *out_over);

/* ---- Files (files.c) ---- */
vta_status vt__session_upload(vt_rpc_session *s, const char *name, uint64_t offset, const void *bytes, size_t size);
/* At most *in_out_size bytes from offset on, appended to `to`; *out_total is the file's size. */
vta_status vt__session_download(vt_rpc_session *s, const char *name, uint64_t offset, size_t most, vt_strbuf *to,
                                uint64_t *out_total);
vta_status vt__session_remove(vt_rpc_session *s, const char *name);
/* The path of a file of the session. VTA_INVALID_ARGUMENT for a name that could lead out of its folder. */
vta_status vt__session_path(vt_rpc_session *s, const char *name, size_t room, char *out_path);
/* Removes a folder and all in it, of any depth, without following links. False: something of it is left. */
bool vt__folder_remove(const char *path);

/* ---- Code (code.c) ---- */
vta_status vt__session_load(vt_rpc_session *s, const char *name, uint64_t *out_module);
vta_status vt__session_function(vt_rpc_session *s, uint64_t module, const char *name, uint64_t *out_function,
                                const char **out_signature);
vta_status vt__session_call(vt_rpc_session *s, vta_packed_function f, TVMValue *args, int *codes, int count,
                            TVMValue *out_value, int *out_code);
vta_status vt__session_time(vt_rpc_session *s, const vt_rpc_timer *timer, TVMValue *args, int *codes, int count,
                            double *out_seconds);
enum { VT_RPC_MAX_ROUNDS = 65536 };
/* Around what may take long: the server ends a session whose call takes too long, and sees here when it began. */
void vt__session_call_begins(vt_rpc_session *s);
void vt__session_call_ends(vt_rpc_session *s, uint64_t calls);

/* ---- Networks (models.c) ---- */
vta_status vt__session_load_model(vt_rpc_session *s, const char *name, uint64_t *out_model);
/* Appends its name, driver, inputs and outputs, as JSON. */
vta_status vt__session_describe_model(vt_rpc_session *s, uint64_t model, vt_strbuf *to);
/* `arrays`: on the cpu, one for each input, then for each output. */
vta_status vt__session_run_model(vt_rpc_session *s, uint64_t model, const uint64_t arrays[], size_t count,
                                 double *out_seconds, vta_counters *out_counters);
/* Free with vta_string_free. */
vta_status vt__session_profile_model(vt_rpc_session *s, uint64_t model, char **out_json);

/* ---- Arrays (arrays.c) ---- */
vta_status vt__session_array(vt_rpc_session *s, int32_t device, int32_t ndim, const int64_t *shape, DLDataType type,
                             uint64_t *out_array);
/* VTA_OUT_OF_RANGE when the bytes are not all in the array. */
vta_status vt__session_write(vt_rpc_session *s, uint64_t array, uint64_t offset, const void *from, size_t bytes);
/* Appended to `to`. */
vta_status vt__session_read(vt_rpc_session *s, uint64_t array, uint64_t offset, size_t bytes, vt_strbuf *to);

/* ---- The machine (machine.c) ---- */
const char *vt__machine_name(void);
/* Makes the session's runtime when there is none yet. */
vta_status vt__session_runtime(vt_rpc_session *s);
vta_status vt__session_configure(vt_rpc_session *s, const char *config, size_t size);
/* name "": the configuration's own bitstream. *out_path gets the file that was used, "" where there is no FPGA. */
vta_status vt__session_program(vt_rpc_session *s, const char *name, size_t room, char *out_path);
/* Appends what the sessions of the server do, as JSON. */
void vt__session_list(const vt_rpc_session *s, vt_strbuf *to);

#endif
