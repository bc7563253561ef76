/* vta debug: steps through a captured program. Commands come from standard input, one a line, so that a script can
 * drive it; an empty line repeats the last one on a terminal. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug_input.h"
#include "debugger.h"
#include "timing.h"
#include "vta/support.h"

typedef struct words {
    char *at[8];
    int count;
} words;

static void complain(session *s, const char *message, const char *what) {
    printf("%s%s%s\n", message, what ? ": " : "", what ? what : "");
    s->failed = true;
}

/* Diagnostics of the library, as they come. */
static bool worked(session *s, vta_status status) {
    if (status == VTA_OK) return true;
    puts(vta_diag_text(cli_diag()));
    vta_diag_clear(cli_diag());
    s->failed = true;
    return false;
}

static bool number(const char *text, uint64_t *out) {
    char *end = NULL;
    if (text == NULL || *text < '0' || *text > '9') return false;
    *out = strtoull(text, &end, 0);
    return *end == '\0';
}

/* The number at a place, or `otherwise` where there is none; false, with a message, when it is not a number. */
static bool optional(session *s, const words *w, int place, uint64_t otherwise, uint64_t *out) {
    *out = otherwise;
    if (place >= w->count || number(w->at[place], out)) return true;
    complain(s, "not a number", w->at[place]);
    return false;
}

static bool memory_of(const char *name, vta_memory *out) {
    for (int m = 0; m < VTA_MEM_COUNT; m++)
        if (strcmp(vta_memory_name((vta_memory)m), name) == 0) {
            *out = (vta_memory)m;
            return true;
        }
    return false;
}

static void seek(session *s, uint64_t position) {
    uint32_t length = vta_debugger_length(s->debugger);
    if (position > length) position = length;
    worked(s, vta_debugger_seek(s->debugger, (uint32_t)position, cli_diag()));
    print_where(s);
}

static void do_step(session *s, const words *w) {
    uint64_t n;
    if (optional(s, w, 1, 1, &n)) seek(s, vta_debugger_position(s->debugger) + n);
}

static void do_back(session *s, const words *w) {
    uint64_t n, at = vta_debugger_position(s->debugger);
    if (optional(s, w, 1, 1, &n)) seek(s, n < at ? at - n : 0);
}

static void do_goto(session *s, const words *w) {
    uint64_t n;
    if (w->count < 2)
        complain(s, "goto needs a position", NULL);
    else if (optional(s, w, 1, 0, &n))
        seek(s, n);
}

static void do_cycle(session *s, const words *w) {
    uint64_t n = 1, now = vta_debugger_cycle(s->debugger), cycles = vta_debugger_cycles(s->debugger);
    const char *text = w->count > 1 ? w->at[1] : "+1";
    bool on = *text == '+', back = *text == '-';
    if (!number(text + (on || back), &n)) {
        complain(s, "not a cycle", text);
        return;
    }
    if (on) n = n < cycles - now ? now + n : cycles;
    if (back) n = n < now ? now - n : 0;
    if (worked(s, vta_debugger_seek_cycle(s->debugger, n, cli_diag()))) print_where(s);
}

static bool hits(const session *s, const stop *b, uint32_t index) {
    switch (b->kind) {
    case STOP_INSN: return b->what == index;
    case STOP_TOKEN: return vta_debugger_uses_token(s->debugger, index, (vta_token_queue)b->what);
    case STOP_SRAM: return vta_debugger_touches(s->debugger, index, (vta_memory)b->what, b->place);
    default: return vta_debugger_touches_dram(s->debugger, index, b->place);
    }
}

static int stop_at(const session *s, uint32_t index) {
    for (int i = 0; i < s->stop_count; i++)
        if (hits(s, &s->stops[i], index)) return i;
    return -1;
}

static void report_stop(const session *s, int found) {
    if (found >= 0) {
        printf("breakpoint ");
        print_stop(s, found);
    }
    print_where(s);
}

/* Ctrl-C ends the command that runs, not the tool. */
static vta_debugger *interrupted_debugger;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
    vta_debugger_interrupt(interrupted_debugger);
}

static void do_continue(session *s, const words *w) {
    (void)w;
    int found = -1;
    uint32_t length = vta_debugger_length(s->debugger);
    for (uint32_t at = vta_debugger_position(s->debugger); at < length && found < 0 && !interrupted;) {
        if (!worked(s, vta_debugger_seek(s->debugger, ++at, cli_diag()))) break;
        if (at < length) found = stop_at(s, vta_debugger_at(s->debugger, at));
    }
    report_stop(s, found);
}

/* Backwards, each place is reached anew from a checkpoint: micro-ops must stand in the buffer as they did. */
static void do_reverse(session *s, const words *w) {
    (void)w;
    int found = -1;
    for (uint32_t at = vta_debugger_position(s->debugger); at > 0 && found < 0 && !interrupted;) {
        if (!worked(s, vta_debugger_seek(s->debugger, --at, cli_diag()))) break;
        found = stop_at(s, vta_debugger_at(s->debugger, at));
    }
    report_stop(s, found);
}

static bool parse_stop(session *s, const words *w, stop *out) {
    uint64_t n = 0;
    vta_memory memory;
    const char *kind = w->count == 3 ? w->at[1] : "", *what = w->count == 3 ? w->at[2] : "";
    if (strcmp(kind, "token") == 0) {
        for (int q = 0; q < VTA_TOKEN_QUEUES; q++)
            if (strcmp(vta_token_queue_name((vta_token_queue)q), what) == 0) {
                *out = (stop){STOP_TOKEN, (uint32_t)q, 0};
                return true;
            }
#define VTA_TOKEN(from, to, number, name, letters) name ", "
        complain(s,
                 "a token queue is one of "
#include "vta/token.def"
                 "not",
                 what);
#undef VTA_TOKEN
        return false;
    }
    if (number(what, &n) && n <= UINT32_MAX) {
        if (strcmp(kind, "insn") == 0) {
            *out = (stop){STOP_INSN, (uint32_t)n, 0};
            return true;
        }
        if (strcmp(kind, "dram") == 0) {
            *out = (stop){STOP_DRAM, 0, (uint32_t)n};
            return true;
        }
        if (memory_of(kind, &memory)) {
            *out = (stop){STOP_SRAM, memory, (uint32_t)n};
            return true;
        }
    }
    complain(s, "break insn N, break token A->B, break acc N, break dram ADDR", NULL);
    return false;
}

static void do_break(session *s, const words *w) {
    if (s->stop_count == sizeof s->stops / sizeof *s->stops)
        complain(s, "no room for more breakpoints", NULL);
    else if (parse_stop(s, w, &s->stops[s->stop_count]))
        print_stop(s, s->stop_count++);
}

static void do_delete(session *s, const words *w) {
    uint64_t n = 0;
    if (w->count != 2 || !number(w->at[1], &n) || n == 0 || n > (uint64_t)s->stop_count) {
        complain(s, "delete needs the number of a breakpoint", NULL);
        return;
    }
    memmove(&s->stops[n - 1], &s->stops[n], ((size_t)s->stop_count - n) * sizeof *s->stops);
    s->stop_count--;
}

static void do_breaks(session *s, const words *w) {
    (void)w;
    for (int i = 0; i < s->stop_count; i++) print_stop(s, i);
    if (s->stop_count == 0) printf("no breakpoints\n");
}

static void do_where(session *s, const words *w) {
    (void)w;
    print_where(s);
}

static void do_units(session *s, const words *w) {
    (void)w;
    print_units(s);
}

static void do_queues(session *s, const words *w) {
    (void)w;
    print_queues(s);
}

static void do_print(session *s, const words *w) {
    uint64_t first, count;
    vta_memory memory;
    if (w->count < 3 || !memory_of(w->at[1], &memory)) {
        complain(s, "print inp|wgt|acc|uop N [COUNT]", NULL);
        return;
    }
    if (!optional(s, w, 2, 0, &first) || !optional(s, w, 3, 1, &count)) return;
    if (first > UINT32_MAX) first = UINT32_MAX;
    if (count > 4096) count = 4096;
    if (!print_buffer(s, memory, (uint32_t)first, (uint32_t)count)) worked(s, VTA_OUT_OF_RANGE);
}

static void do_list(session *s, const words *w) {
    uint32_t next = vta_debugger_at(s->debugger, vta_debugger_position(s->debugger));
    uint64_t first, count, around = next == UINT32_MAX ? vta_debugger_count(s->debugger) - 1 : next;
    if (!optional(s, w, 1, around > 4 ? around - 4 : 0, &first) || !optional(s, w, 2, 10, &count)) return;
    if (first < vta_debugger_count(s->debugger))
        print_list(s, (uint32_t)first, count > 10000 ? 10000 : (uint32_t)count);
}

static void do_help(session *s, const words *w);

static void do_quit(session *s, const words *w) {
    (void)w;
    s->quit = true;
}

static const struct command {
    const char *name, *letter, *arguments, *text;
    void (*run)(session *s, const words *w);
} commands[] = {
#define DEBUG_COMMAND(name, letter, arguments, text) {#name, letter, arguments, text, do_##name},
#include "debug_commands.def"
#undef DEBUG_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void do_help(session *s, const words *w) {
    (void)s;
    (void)w;
    for (int i = 0; i < COMMANDS; i++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", commands[i].name, commands[i].arguments);
        printf("  %-1s  %-52s %s\n", commands[i].letter, left, commands[i].text);
    }
}

static void run_command(session *s, const struct command *command, const words *w) {
    struct sigaction mine = {.sa_handler = on_interrupt}, before;
    interrupted = 0;
    interrupted_debugger = s->debugger;
    sigaction(SIGINT, &mine, &before);
    command->run(s, w);
    sigaction(SIGINT, &before, NULL);
}

static void obey(session *s, char *line) {
    words w = {0};
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
