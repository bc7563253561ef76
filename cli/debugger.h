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
