/* vta rpc-tracker: hands out servers. */
#include "rpc_place.h"
#include "rpc_serve.h"

int cmd_rpc_tracker(const cli_command *self, int argc, char **argv) {
    vta_rpc_tracker_options o = {0};
    uint64_t port = VTA_RPC_TRACKER_PORT, lease = 3600;
    bool quiet = false;
    const cli_option options[] = {
        {"host", 0, CLI_TEXT, "ADDRESS", "where to listen (127.0.0.1); others than this machine's need --key-file",
         &o.host},
        {"port", 0, CLI_NUMBER, "N", "port (9190); 0: one that is free. It is printed", &port},
        {"key-file", 'k', CLI_TEXT, "FILE", "encrypt, and admit only servers and clients with this key", &o.key_file},
        {"lease-seconds", 0, CLI_NUMBER, "N", "longest time for which a client has a server (3600)", &lease},
        {"quiet", 'q', CLI_FLAG, NULL, "no log", &quiet},
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc) return cli_usage(self, "%s: takes no argument", argv[0]);
    if (port > 65535) return cli_usage(self, "--port: 0 to 65535");
    if (!lease || lease > UINT32_MAX / 1000) return cli_usage(self, "--lease-seconds: 1 to %u", UINT32_MAX / 1000);
    o.port = (uint32_t)port;
    o.lease_seconds = (uint32_t)lease;
    if (!quiet) o.log = (vta_sink){cli_write_log, NULL};
    o.ready = cli_tell_port;
    return cli_finish(vta_rpc_track(&o, cli_diag()));
}
