/* vta board-model: a simulated board, for drivers of boards and servers to run against. */
#include <signal.h>
#include <sys/stat.h>

#include "cli.h"
#include "vta/device.h"

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
    (void)number;
    stopped = 1;
}

static bool is_stopped(void *ctx) {
    (void)ctx;
    return stopped;
}

int cmd_board_model(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    uint64_t memory = 64;
    const cli_option options[] = {
        CLI_CONFIG_OPTIONS(&common),
        {"memory", 'm', CLI_NUMBER, "MIB", "its contiguous memory (64)", &memory},
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one folder is needed, not %d", argc);
    if (!memory || memory > 2048) return cli_usage(self, "--memory: 1 to 2048");
    vta_config *config = NULL;
    vta_status status = cli_find_config(&common, &config);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    mkdir(argv[0], 0700); /* where it cannot be made, the files cannot either */
    if (status == VTA_OK) printf("VTA_BOARD=model=%s\n", argv[0]), fflush(stdout);
    if (status == VTA_OK) status = vta_board_model(argv[0], config, (size_t)memory << 20, is_stopped, NULL, cli_diag());
    vta_config_release(config);
    return cli_finish(status);
}
