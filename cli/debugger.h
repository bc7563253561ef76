/* The stepper of `vta debug`: one session, and how it prints. */
#ifndef CLI_DEBUGGER_H
#define CLI_DEBUGGER_H

#include "cli.h"
#include "vta/debug.h"
#include "vta/program.h"

typedef enum stop_kind { STOP_INSN, STOP_TOKEN, STOP_SRAM, STOP_DRAM } stop_kind;

typedef struct stop {
    stop_kind kind;
    uint32_t what;  /* instruction, token queue or memory */
    uint32_t place; /* element or address */
} stop;

typedef struct session {
    vta_debugger *debugger;
    const vta_config *config;
    const vta_program *program; /* for what instructions come from */
    uint32_t run;
    stop stops[64];
    int stop_count;
    bool quit;
    bool failed; /* a command was wrong: the exit code when input is not a terminal */
} session;

/* A line, cut into words. */
typedef struct debug_words {
    char *at[8];
    int count;
} debug_words;

/* What a command says about its words (debug_words.c). Both make the session fail. */
void debug_complain(session *s, const char *message, const char *what); /* what: NULL when there is nothing to show */
bool debug_worked(session *s, vta_status status);                       /* diagnostics of the library, as they come */
bool debug_number(const char *text, uint64_t *out);
/* The number at a place, or `otherwise` where there is none; false, with a message, when it is not a number. */
bool debug_optional(session *s, const debug_words *w, int place, uint64_t otherwise, uint64_t *out);
bool debug_memory(const char *name, vta_memory *out);

/* The commands: debug_move.c, debug_stops.c, debug.c. */
#define DEBUG_COMMAND(name, letter, arguments, text) void do_##name(session *s, const debug_words *w);
#include "debug_commands.def"
#undef DEBUG_COMMAND
/* Has Ctrl-C ended the command that runs? */
bool debug_interrupted(void);

/* Printing (debug_print.c). */
void print_insn(const session *s, uint32_t index);
void print_where(const session *s);
void print_units(const session *s);
void print_queues(const session *s);
void print_list(const session *s, uint32_t first, uint32_t count);
void print_stop(const session *s, int number);
/* "acc", 3, 2: the elements' scalars. False, with a message, when there are none such. */
bool print_buffer(session *s, vta_memory memory, uint32_t first, uint32_t count);

#endif
