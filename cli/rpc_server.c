/* vta rpc-server: runs kernels that others send. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rpc_place.h"
#include "rpc_serve.h"

/* vta-session beside this program. */
static const char *session_beside(char to[PATH_MAX]) {
    ssize_t n = readlink("/proc/self/exe", to, PATH_MAX - 16);
    if (n <= 0) return "vta-session";
    to[n] = '\0';
    char *slash = strrchr(to, '/');
    strcpy(slash ? slash + 1 : to, "vta-session");
    return to;
}

typedef struct numbers {
    uint64_t port, sessions, call, idle, patience, memory, files, processes;
} numbers;

static int serve(const cli_command *self, const numbers *n, vta_rpc_server_options *o, bool quiet) {
    char beside[PATH_MAX];
    enum { MIB = 1 << 20 };
    if (n->port > 65535) return cli_usage(self, "--port: 0 to 65535");
    if (n->sessions > UINT32_MAX || n->call > UINT32_MAX / 1000 || n->idle > UINT32_MAX / 1000)
        return cli_usage(self, "--sessions, --call-seconds, --idle-seconds: too large");
    o->port = (uint32_t)n->port;
    o->max_sessions = (uint32_t)n->sessions;
    o->call_seconds = (uint32_t)n->call;
    o->idle_seconds = (uint32_t)n->idle;
    if (n->patience > UINT32_MAX / 2) return cli_usage(self, "--patience-ms: too large");
    o->patience_ms = (uint32_t)n->patience;
    o->memory_bytes = n->memory ? n->memory * MIB : UINT64_MAX;
    o->file_bytes = n->files * MIB;
    o->max_processes = n->processes && n->processes < UINT32_MAX ? (uint32_t)n->processes : UINT32_MAX;
    if (!o->session_program) o->session_program = session_beside(beside);
    if (!quiet) o->log = (vta_sink){cli_write_log, NULL};
    o->ready = cli_tell_port;
    return cli_finish(vta_rpc_serve(o, cli_diag()));
}

int cmd_rpc_server(const cli_command *self, int argc, char **argv) {
    vta_rpc_server_options o = {0};
    numbers n = {.port = VTA_RPC_PORT,
                 .sessions = 16,
                 .call = 300,
                 .idle = 3600,
                 .patience = 30000,
                 .memory = 2048,
                 .files = 1024,
                 .processes = 256};
    bool quiet = false;
    const cli_option options[] = {
        {"host", 0, CLI_TEXT, "ADDRESS", "where to listen (127.0.0.1); others than this machine's need --key-file",
         &o.host},
        {"port", 0, CLI_NUMBER, "N", "port (9091); 0: one that is free. It is printed", &n.port},
        {"key-file", 'k', CLI_TEXT, "FILE", "encrypt, and admit only clients with this key (vta rpc new-key)",
         &o.key_file},
        {"key", 0, CLI_TEXT, "NAME", "what kind of board it is: for the tracker, and for TVM's clients", &o.name},
        {"config", 'c', CLI_TEXT, "FILE", "hardware configuration of new sessions (built-in)", &o.config},
        {"driver", 'd', CLI_TEXT, "NAME", "device of all sessions (the configuration's TARGET)", &o.driver},
        {"bitstreams", 0, CLI_TEXT, "FOLDER", "bitstreams for program_fpga: TARGET/HW_VER/NAME.{bin,rbf,bit}",
         &o.bitstreams},
        {"sessions", 0, CLI_NUMBER, "N", "sessions at once, at most (16)", &n.sessions},
        {"call-seconds", 0, CLI_NUMBER, "N", "longest call (300); then the session is ended", &n.call},
        {"idle-seconds", 0, CLI_NUMBER, "N", "longest silence of a client (3600)", &n.idle},
        {"patience-ms", 0, CLI_NUMBER, "N", "for a handshake, or a frame that was begun (30000)", &n.patience},
        {"memory", 0, CLI_NUMBER, "MIB", "memory of a session, all its processes together (2048); 0: no limit",
         &n.memory},
        {"processes", 0, CLI_NUMBER, "N", "processes and threads of a session (256); 0: no limit", &n.processes},
        {"files", 0, CLI_NUMBER, "MIB", "uploads of a session (1024)", &n.files},
        {"user", 0, CLI_TEXT, "NAME", "whom sessions run as when the server is root (nobody)", &o.user},
        {"cgroup", 0, CLI_TEXT, "FOLDER", "a control group (version 2) of the server's: the kernel limits each session",
         &o.cgroup},
        {"unprotected", 0, CLI_FLAG, NULL, "no namespaces for sessions: they can harm each other and the server",
         &o.unprotected},
        {"allow-shutdown", 0, CLI_FLAG, NULL, "clients may end the server", &o.allow_shutdown},
        {"tracker", 't', CLI_TEXT, "HOST:PORT", "register with this tracker", &o.tracker},
        {"public-host", 0, CLI_TEXT, "NAME", "what the tracker tells clients to connect to (--host)", &o.public_host},
        {"session-program", 0, CLI_TEXT, "FILE", "what a session runs (vta-session beside vta)", &o.session_program},
        {"quiet", 'q', CLI_FLAG, NULL, "no log", &quiet},
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc) return cli_usage(self, "%s: takes no argument", argv[0]);
    return serve(self, &n, &o, quiet);
}
