/* vta debug: steps through a captured program. Commands come from standard input, one a line, so that a script can
 * drive it; an empty line repeats the last one on a terminal. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "debug_input.h"
#include "debugger.h"
#include "timing.h"
#include "vta/support.h"

void do_quit(session *s, const debug_words *w) {
    (void)w;
    s->quit = true;
}

static const struct command {
    const char *name, *letter, *arguments, *text;
    void (*run)(session *s, const debug_words *w);
} commands[] = {
#define DEBUG_COMMAND(name, letter, arguments, text) {#name, letter, arguments, text, do_##name},
#include "debug_commands.def"
#undef DEBUG_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

void do_help(session *s, const debug_words *w) {
    (void)s;
    (void)w;
    for (int i = 0; i < COMMANDS; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", commands[i].name, commands[i].arguments);
        printf("  %-1s  %-52s %s\n", commands[i].letter, left, commands[i].text);
    }
}

/* Ctrl-C ends the command that runs, not the tool. */
static vta_debugger *interrupted_debugger;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
    vta_debugger_interrupt(interrupted_debugger);
}

bool debug_interrupted(void) { return interrupted; }

static void run_command(session *s, const struct command *command, const debug_words *w) {
    struct sigaction mine = {.sa_handler = on_interrupt}, before;
    interrupted = 0;
    interrupted_debugger = s->debugger;
    sigaction(SIGINT, &mine, &before);
    command->run(s, w);
    sigaction(SIGINT, &before, NULL);
}

static void obey(session *s, char *line) {
    debug_words w = {0};
    for (char *word = strtok(line, " \t\r\n"); word && w.count < 8; word = strtok(NULL, " \t\r\n"))
        w.at[w.count++] = word;
    if (w.count == 0 || *w.at[0] == '#') return;
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(commands[i].name, w.at[0]) || (*commands[i].letter && !strcmp(commands[i].letter, w.at[0]))) {
            run_command(s, &commands[i], &w);
            return;
        }
    const char *names[COMMANDS];
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    const char *near = vta_nearest_name(w.at[0], names, COMMANDS);
    printf("%s: no such command%s%s%s\n", w.at[0], near ? "; did you mean " : " (help lists them)", near ? near : "",
           near ? "?" : "");
    s->failed = true;
}

static void converse(session *s) {
    const char *names[COMMANDS + 1] = {NULL};
    for (int i = 0; i < COMMANDS; i++) names[i] = commands[i].name;
    bool terminal = isatty(STDIN_FILENO);
    char line[512], last[512] = "";
    cli_lines_begin(names);
    print_where(s);
    while (!s->quit && cli_lines_next(line, sizeof line)) {
        if (terminal && !*line) memcpy(line, last, sizeof line);
        memcpy(last, line, sizeof last);
        obey(s, line);
        fflush(stdout);
    }
    if (terminal) s->failed = false;
}

/* Loads one run of the program into a fresh device and talks. */
static vta_status debug_run(const vta_program *program, const cli_timing *timing, uint32_t run, bool *out_failed) {
    const vta_config *config = vta_program_config(program);
    vta_program_run_info info;
    vta_timing_profile profile;
    vta_device *device = NULL;
    vta_replay *replay = NULL;
    session s = {.config = config, .program = program, .run = run};
    vta_status status = vta_program_get_run(program, run, &info);
    if (status != VTA_OK) {
        vta_diag_add(cli_diag(), VTA_ERROR, status, "--run: the program has no such run");
        return status;
    }
    status = cli_find_timing(timing, config, cli_diag(), &profile);
    if (status == VTA_OK) status = vta_device_create("sim", config, NULL, NULL, cli_diag(), &device);
    if (status == VTA_OK) status = vta_replay_create(program, device, cli_diag(), &replay);
    if (status == VTA_OK) status = vta_replay_load(replay, run, cli_diag());
    if (status == VTA_OK)
        status = vta_debugger_create(device, info.insn_addr, info.insn_count, &profile, cli_diag(), &s.debugger);
    if (status == VTA_OK) converse(&s);
    *out_failed = s.failed;
    vta_debugger_destroy(s.debugger);
    vta_replay_destroy(replay);
    vta_device_destroy(device);
    return status;
}

int cmd_debug(const cli_command *self, int argc, char **argv) {
    cli_timing timing = {0};
    cli_common common = {0};
    cli_input input = {.changes = &common.set};
    uint64_t run = 0;
    const cli_option options[] = {
        {"run", 'r', CLI_NUMBER, "N", "which device run of the program (0)", &run},
        CLI_INPUT_OPTIONS(&input),
        {"set", 's', CLI_LIST, "KEY=VALUE", "change one key of the configuration; may be repeated", &common.set},
        CLI_TIMING_OPTIONS(&timing),
        {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one program, kernel file or object is needed, not %d", argc);
    cli_kernel_program program;
    vta_config *config;
    bool failed = false;
    input.path = argv[0];
    vta_status status = cli_open_input(&input, cli_diag(), &config, &program);
    if (status == VTA_OK)
        status = debug_run(program.program, &timing, run > UINT32_MAX ? UINT32_MAX : (uint32_t)run, &failed);
    vta_config_release(config);
    vta_program_destroy(program.program);
    code = cli_finish(status);
    return code == CLI_OK && failed ? CLI_FAILED : code;
}
