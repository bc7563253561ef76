/* vta capture: runs a command whose process records its device runs ($VTA_CAPTURE, read by libvta.so). */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "vta/program.h"

static vta_status fail(vta_status status, const char *fmt, ...) VTA_PRINTF(2, 3);
static vta_status fail(vta_status status, const char *fmt, ...) {
    char message[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    vta_diag_add(cli_diag(), VTA_ERROR, status, message);
    return status;
}

/* Runs the command with the environment variables set; the exit status of the process in *out_exit, 128 + signal when
 * one ended it. */
static vta_status run_command(char **argv, const char *capture, const char *config, int *out_exit) {
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) return fail(VTA_IO, "cannot start a process: %s", strerror(errno));
    if (child == 0) {
        setenv("VTA_CAPTURE", capture, 1);
        if (config) setenv("VTA_CONFIG", config, 1);
        execvp(argv[0], argv);
        fprintf(stderr, "error: %s: cannot run: %s\n", argv[0], strerror(errno));
        _exit(127);
    }
    int state;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return fail(VTA_IO, "cannot wait for the process: %s", strerror(errno));
    *out_exit = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return VTA_OK;
}

/* An absolute path, so that a command that changes its folder writes where it was meant to. */
static char *absolute(const char *path, const char *suffix) {
    char *folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
    size_t size = (folder ? strlen(folder) + 1 : 0) + strlen(path) + strlen(suffix) + 1;
    char *joined = malloc(size);
    if (joined) snprintf(joined, size, "%s%s%s%s", folder ? folder : "", folder ? "/" : "", path, suffix);
    free(folder);
    return joined;
}

static void report(const vta_program *program, const char *path, bool json) {
    uint32_t runs = vta_program_run_count(program);
    uint64_t insns = 0;
    vta_program_run_info run;
    for (uint32_t i = 0; vta_program_get_run(program, i, &run) == VTA_OK; i++) insns += run.insn_count;
    const char *model = vta_config_model(vta_program_config(program));
    if (json)
        cli_print_json(json_pack("{s:s, s:s, s:I, s:I}", "program", path, "model", model, "runs", (json_int_t)runs,
                                 "instructions", (json_int_t)insns));
    else
        fprintf(stderr, "%s: %s, %u runs, %llu instructions\n", path, model, runs, (unsigned long long)insns);
}

/* Runs the command and checks what it left at `partial`. */
static vta_status record(char **argv, const char *partial, const char *config, vta_program **out_program) {
    int exit_code = 0;
    struct stat st;
    unlink(partial);
    vta_status status = run_command(argv, partial, config, &exit_code);
    if (status != VTA_OK) return status;
    if (exit_code) return fail(VTA_ILLEGAL, "%s ended with exit code %d; nothing was written", argv[0], exit_code);
    if (stat(partial, &st) == 0) status = vta_program_load(partial, NULL, cli_diag(), out_program);
    if (status == VTA_OK && vta_program_run_count(*out_program) == 0)
        return fail(VTA_NOT_FOUND, "%s made no device run through libvta.so, so there is nothing to write", argv[0]);
    return status;
}

static vta_status capture(char **argv, const char *to, const char *partial, const char *config, bool json) {
    vta_program *program = NULL;
    vta_status status = record(argv, partial, config, &program);
    if (status == VTA_OK && rename(partial, to) != 0)
        status = fail(VTA_IO, "%s: cannot rename: %s", to, strerror(errno));
    if (status == VTA_OK)
        report(program, to, json);
    else
        unlink(partial);
    vta_program_destroy(program);
    return status;
}

int cmd_capture(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    const char *to = "program.vta", *config = NULL;
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "the program file to write (default program.vta)", &to},
        {"config", 'c', CLI_TEXT, "FILE", "the hardware configuration that the command is to use ($VTA_CONFIG)",
         &config},
        CLI_JSON_OPTION(&common),
        {0},
    };
    int code = cli_parse_until_argument(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 1) return cli_usage(self, "a command to run is needed, after --");
    char *partial = absolute(to, ".part"), *config_path = config ? absolute(config, "") : NULL;
    vta_status status = VTA_NO_MEMORY;
    if (partial && (!config || config_path)) status = capture(argv, to, partial, config_path, common.json);
    free(partial);
    free(config_path);
    return cli_finish(status);
}
