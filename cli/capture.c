/* vta capture: runs a command whose process records its device runs ($VTA_CAPTURE, read by libvta.so). The recording
 * is made in a temporary folder, and written where it was asked for when it is whole. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "vta/program.h"

enum { PATH_BYTES = 4096, WORDS_BYTES = 1024, CANNOT_RUN = 127, MAX_RUNTIMES = 1000 };

/* A command that is being recorded. */
typedef struct capture {
    char **argv;
    const char *to, *config;
    bool json;
    char folder[PATH_BYTES]; /* "" before it is made */
    int errors[2];           /* the pipe in which the library says what it could not write */
    int state;               /* how the command ended, as from waitpid */
    char words[WORDS_BYTES]; /* what the library said */
    json_t *files;           /* what was written */
} capture;

static vta_status fail(vta_status status, const char *fmt, ...) VTA_PRINTF(2, 3);
static vta_status fail(vta_status status, const char *fmt, ...) {
    char message[PATH_BYTES + WORDS_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    vta_diag_add(cli_diag(), VTA_ERROR, status, message);
    return status;
}

/* ---- The command ------------------------------------------------------------------------------------------- */

/* Path of the n-th recording: each runtime of the process has a file of its own. */
static void recording(const capture *c, uint32_t n, char out[PATH_BYTES + 32]) {
    snprintf(out, PATH_BYTES + 32, n > 1 ? "%s/program.%u" : "%s/program", c->folder, n);
}

static _Noreturn void become(const capture *c) {
    char path[PATH_BYTES + 32], number[16];
    recording(c, 1, path);
    snprintf(number, sizeof number, "%d", c->errors[1]);
    setenv("VTA_CAPTURE", path, 1);
    setenv("VTA_CAPTURE_ERRORS", number, 1);
    if (c->config) setenv("VTA_CONFIG", c->config, 1);
    if (c->json) dup2(STDERR_FILENO, STDOUT_FILENO); /* standard output is for the answer */
    signal(SIGINT, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    close(c->errors[0]);
    execvp(c->argv[0], c->argv);
    fprintf(stderr, "error: %s: cannot run: %s\n", c->argv[0], strerror(errno));
    _exit(CANNOT_RUN);
}

/* Runs the command to its end. Ctrl-C is for the command; this process lives to tidy up. */
static vta_status run_command(capture *c) {
    fflush(NULL);
    if (pipe(c->errors) != 0) return fail(VTA_IO, "cannot make a pipe: %s", strerror(errno));
    signal(SIGINT, SIG_IGN);
    pid_t child = fork();
    if (child == 0) become(c);
    close(c->errors[1]);
    vta_status status = child < 0 ? fail(VTA_IO, "cannot start a process: %s", strerror(errno)) : VTA_OK;
    while (status == VTA_OK && waitpid(child, &c->state, 0) < 0)
        if (errno != EINTR) status = fail(VTA_IO, "cannot wait for the process: %s", strerror(errno));
    return status;
}

/* What the library said, without waiting for a process that the command left behind. */
static void read_words(capture *c) {
    struct stat st;
    ssize_t n = 0;
    if (fstat(c->errors[0], &st) == 0 && fcntl(c->errors[0], F_SETFL, O_NONBLOCK) == 0)
        n = read(c->errors[0], c->words, sizeof c->words - 1);
    c->words[n > 0 ? n : 0] = '\0';
    close(c->errors[0]);
}

/* ---- The recordings ---------------------------------------------------------------------------------------- */

static void report(const capture *c, const vta_program *program, const char *path) {
    uint32_t runs = vta_program_run_count(program);
    uint64_t insns = 0;
    vta_program_run_info run;
    for (uint32_t i = 0; vta_program_get_run(program, i, &run) == VTA_OK; i++) insns += run.insn_count;
    const char *model = vta_config_model(vta_program_config(program));
    json_array_append_new(c->files, json_pack("{s:s, s:s, s:I, s:I}", "program", path, "model", model, "runs",
                                              (json_int_t)runs, "instructions", (json_int_t)insns));
    if (!c->json) fprintf(stderr, "%s: %s, %u runs, %llu instructions\n", path, model, runs, (unsigned long long)insns);
}

/* Writes the n-th recording to its place; *out_found is false when there is none. */
static vta_status keep(const capture *c, uint32_t n, bool *out_found) {
    char from[PATH_BYTES + 32], to[PATH_BYTES + 32];
    vta_program *program = NULL;
    recording(c, n, from);
    snprintf(to, sizeof to, n > 1 ? "%s.%u" : "%s", c->to, n);
    *out_found = access(from, F_OK) == 0;
    if (!*out_found) return VTA_OK;
    vta_status status = vta_program_load(from, NULL, cli_diag(), &program);
    *out_found = status == VTA_OK && vta_program_run_count(program) > 0;
    if (*out_found) status = vta_program_save(program, to, cli_diag());
    if (*out_found && status == VTA_OK) report(c, program, to);
    vta_program_destroy(program);
    return status;
}

static vta_status keep_all(const capture *c, uint32_t *out_count) {
    vta_status status = VTA_OK;
    bool found = true;
    for (*out_count = 0; status == VTA_OK && found && *out_count < MAX_RUNTIMES; *out_count += found)
        status = keep(c, *out_count + 1, &found);
    return status;
}

/* How the command ended: an error where it was not in order, whatever was recorded. */
static vta_status verdict(const capture *c, uint32_t count) {
    const char *kept = count ? "its recording was written all the same" : "it recorded nothing";
    if (WIFSIGNALED(c->state))
        return fail(VTA_ILLEGAL,
                    "%s was ended by signal %d (%s); %s. A recording is written when a process ends in order",
                    c->argv[0], WTERMSIG(c->state), strsignal(WTERMSIG(c->state)), kept);
    if (c->words[0]) return fail(VTA_IO, "the recording of %s is not complete: %s", c->argv[0], c->words);
    if (WEXITSTATUS(c->state))
        return fail(VTA_ILLEGAL, "%s ended with exit code %d; %s", c->argv[0], WEXITSTATUS(c->state), kept);
    if (!count)
        return fail(VTA_NOT_FOUND, "%s made no device run through libvta.so, so there is nothing to write", c->argv[0]);
    return VTA_OK;
}

/* ---- The folder -------------------------------------------------------------------------------------------- */

static vta_status make_folder(capture *c) {
    const char *base = cli_environment("TMPDIR");
    snprintf(c->folder, sizeof c->folder, "%s/vta-XXXXXX", base ? base : "/tmp");
    if (mkdtemp(c->folder)) return VTA_OK;
    vta_status status = fail(VTA_IO, "%s: cannot make a temporary folder ($TMPDIR): %s", c->folder, strerror(errno));
    c->folder[0] = '\0';
    return status;
}

static void remove_folder(const capture *c) {
    char path[PATH_BYTES + 32];
    uint32_t n = 1;
    if (!c->folder[0]) return;
    do recording(c, n, path);
    while (unlink(path) == 0 && ++n);
    rmdir(c->folder);
}

/* Before the command runs for an hour: can the result be written at all? */
static vta_status check_target(const char *to) {
    char folder[PATH_BYTES];
    if (access(to, F_OK) == 0 && access(to, W_OK) != 0)
        return fail(VTA_IO, "%s: cannot write: %s", to, strerror(errno));
    snprintf(folder, sizeof folder, "%s", to);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    const char *where = !slash ? "." : slash == folder ? "/" : folder;
    if (access(to, F_OK) == 0 || access(where, W_OK) == 0) return VTA_OK;
    return fail(errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "%s: cannot write into %s: %s", to, where, strerror(errno));
}

static vta_status record(capture *c) {
    uint32_t count = 0;
    vta_status status = check_target(c->to);
    if (status == VTA_OK) status = make_folder(c);
    if (status == VTA_OK) status = run_command(c);
    if (status != VTA_OK) return status;
    read_words(c);
    status = keep_all(c, &count);
    return status == VTA_OK ? verdict(c, count) : status;
}

int cmd_capture(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    capture c = {.to = "program.vta"};
    const char *config = NULL;
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "the program file to write (default program.vta)", &c.to},
        {"config", 'c', CLI_TEXT, "FILE", "the hardware configuration that the command is to use ($VTA_CONFIG)",
         &config},
        CLI_JSON_OPTION(&common),
        {0},
    };
    int code = cli_parse_until_argument(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 1) return cli_usage(self, "a command to run is needed, after --");
    char *config_path = config ? realpath(config, NULL) : NULL;
    c.files = json_array();
    c.argv = argv;
    c.json = common.json;
    c.config = config_path;
    vta_status status = config && !config_path ? fail(VTA_NOT_FOUND, "%s: %s", config, strerror(errno)) : record(&c);
    remove_folder(&c);
    if (c.json && json_array_size(c.files))
        cli_print_json(json_pack("{s:O, s:i}", "programs", c.files, "exit_code",
                                 WIFEXITED(c.state) ? WEXITSTATUS(c.state) : 128 + WTERMSIG(c.state)));
    json_decref(c.files);
    free(config_path);
    return cli_finish(status);
}
