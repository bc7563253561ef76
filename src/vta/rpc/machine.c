/* The accelerator of a session: its runtime, its FPGA, and what the server's other sessions do. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_write.h"
#include "rpc/session.h"

const char *vt__machine_name(void) {
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__arm__)
    return "arm";
#elif defined(__riscv)
    return "riscv64";
#else
    return "unknown";
#endif
}

static const char *driver_of(const vt_rpc_session *s) { return *s->page->driver ? s->page->driver : NULL; }

/* The clients' kernels find it: they use the process's runtime. */
static vta_status begin(vt_rpc_session *s, const vta_config *config) {
    VT_TRY(vta_runtime_reconfigure(config, driver_of(s), NULL, s->diag));
    s->running = true;
    return VTA_OK;
}

static vta_status first_config(vt_rpc_session *s, vta_config **out_config) {
    const char *text = s->page->config;
    if (*text) return vta_config_parse(text, strlen(text), "the server's configuration", s->diag, out_config);
    *out_config = vta_config_default();
    return *out_config ? VTA_OK : vt_no_memory(s->diag);
}

vta_status vt__session_runtime(vt_rpc_session *s) {
    vta_config *config;
    if (s->running) return VTA_OK;
    VT_TRY(first_config(s, &config));
    vta_status status = begin(s, config);
    vta_config_release(config);
    return status;
}

static bool is_simulator(const char *target) { return !strcmp(target, "sim") || !strcmp(target, "tsim"); }

/* Which hardware sessions run on is the owner's of the server to say; a client chooses between simulators, and sizes.
 */
static vta_status check_target(vt_rpc_session *s, const char *target) {
    vta_config *config;
    const char *driver = driver_of(s);
    VT_TRY(first_config(s, &config));
    const char *own = driver ? driver : vta_config_target(config);
    bool fits = !strcmp(target, own) || (is_simulator(target) && is_simulator(own)) ||
                (driver && (is_simulator(target) || is_simulator(own))); /* whatever it says, that driver is used */
    vta_status status = VTA_OK;
    if (!fits)
        status = vt_fail(s->diag, VTA_UNSUPPORTED,
                         "the client's configuration is for TARGET %s, and this server is for %s, which only its owner "
                         "changes (--config, --driver)",
                         target, own);
    vta_config_release(config);
    return status;
}

vta_status vt__session_configure(vt_rpc_session *s, const char *text, size_t size) {
    vta_config *config;
    VT_TRY(vta_config_parse(text, size, "the client's configuration", s->diag, &config));
    vta_status status = check_target(s, vta_config_target(config));
    if (status == VTA_OK) status = begin(s, config);
    vta_config_release(config);
    return status;
}

/* The bitstream of the configuration in the server's folder, with whichever ending it has. */
static vta_status default_bitstream(vt_rpc_session *s, size_t room, char *out_path) {
    static const char *const endings[] = {"bin", "rbf", "bit"};
    const vta_config *c = vta_runtime_config(NULL);
    for (size_t i = 0; *s->page->bitstreams && i < sizeof endings / sizeof *endings; i++) {
        snprintf(out_path, room, "%s/%s/%s/%s.%s", s->page->bitstreams, vta_config_target(c), vta_config_hw_version(c),
                 vta_config_bitstream(c), endings[i]);
        if (access(out_path, R_OK) == 0) return VTA_OK;
    }
    return vt_fail(s->diag, VTA_NOT_FOUND, "no bitstream %s/%s/%s.{bin,rbf,bit} in %s (--bitstreams of the server)",
                   vta_config_target(c), vta_config_hw_version(c), vta_config_bitstream(c),
                   *s->page->bitstreams ? s->page->bitstreams : "a folder that was not given");
}

vta_status vt__session_program(vt_rpc_session *s, const char *name, size_t room, char *out_path) {
    *out_path = '\0';
    VT_TRY(vt__session_runtime(s));
    bool has_fpga;
    VT_TRY(vta_runtime_program(NULL, NULL, s->diag, &has_fpga));
    if (!has_fpga) return VTA_OK;
    VT_TRY(*name ? vt__session_path(s, name, room, out_path) : default_bitstream(s, room, out_path));
    return vta_runtime_program(NULL, out_path, s->diag, NULL);
}

/* ---- All sessions ------------------------------------------------------------------------------------------------ */

static const char *const protocols[] = {"none yet", "vta", "tvm"};

/* The server writes the table ten times a second: of itself a session knows better. */
static uint32_t protocol_of(const vt_rpc_session *s, const vt_rpc_line *line) {
    bool own = s->table && line == &s->table->line[s->page->slot];
    uint32_t protocol = own ? atomic_load(&s->page->protocol) : line->protocol;
    return protocol < sizeof protocols / sizeof *protocols ? protocol : 0;
}

static void list_line(const vt_rpc_session *s, vt_json *w, const vt_rpc_line *line, uint64_t now) {
    char peer[VT_RPC_PEER_BYTES];
    uint32_t pid = atomic_load(&line->pid);
    if (!pid || pid == VT_LINE_TAKEN) return; /* nobody's, or a session that is being made */
    memcpy(peer, line->peer, sizeof peer);
    peer[sizeof peer - 1] = '\0';
    vt_json_object(w, NULL);
    vt_json_uint(w, "pid", pid);
    vt_json_text(w, "client", peer);
    vt_json_text(w, "protocol", protocols[protocol_of(s, line)]);
    vt_json_fixed(w, "seconds", (double)(now - line->since_ms) / 1000, 1);
    vt_json_uint(w, "calls", line->calls);
    vt_json_uint(w, "bytes", line->bytes);
    vt_json_fixed(w, "calling", (double)line->calling_ms / 1000, 1);
    vt_json_end(w);
}

void vt__session_list(const vt_rpc_session *s, vt_strbuf *to) {
    vt_json w;
    uint64_t now = vt__rpc_now();
    vt_json_init(&w, to, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_json_uint(&w, "most", s->table ? s->table->most : 1);
    vt_json_array(&w, "sessions");
    for (uint32_t i = 0; s->table && i < VT_RPC_MAX_SESSIONS; i++) list_line(s, &w, &s->table->line[i], now);
    vt_json_end(&w);
    vt_json_end(&w);
}
