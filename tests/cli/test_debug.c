/* The commands of vta debug, one script each, on a program of three instructions: an element of acc is loaded (it takes
 * effect at cycle 59), stored narrowed (66), and the end (67). What is printed is held against what was worked out. */
#include <stdlib.h>
#include <unistd.h>

#include "support/programs.h"
#include "support/tool.h"

static char folder[] = "/tmp/vta_debug_XXXXXX";

static int begin(void **state) {
    (void)state;
    char path[64];
    vta_program *p;
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    vta_config *config = vta_config_default();
    snprintf(path, sizeof path, "%s/program.vta", folder);
    vta_status status = check_record(config, NULL, 2, NULL, &p);
    if (status == VTA_OK) status = vta_program_save(p, path, NULL);
    vta_program_destroy(p);
    vta_config_release(config);
    return status;
}

static int end(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void say(const char *options, const char *script) {
    char path[64], args[128];
    snprintf(path, sizeof path, "%s/in", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(script, f);
    fclose(f);
    snprintf(args, sizeof args, "debug program.vta %s < in", options);
    vta_in(folder, args);
}

#define LOAD "LOAD memory_type=acc sram_base=0 dram_base=64 y_size=1 x_size=1 x_stride=1 push_next_dep"
#define STORE "STORE memory_type=out sram_base=0 dram_base=512 y_size=1 x_size=1 x_stride=1 pop_prev_dep push_prev_dep"
#define TOOK(cycle, n) "cycle " cycle " of 67, " n " of 3 instructions took effect\n"
#define NEXT0 "next      0  " LOAD "   [compute, cycles 28 to 59]\n"
#define NEXT1 "next      1  " STORE "   [store, cycles 59 to 66]\n"
#define NEXT2 "next      2  FINISH pop_next_dep   [compute, cycles 66 to 67]\n"
#define AT0 TOOK("0", "0") NEXT0
#define AT1 TOOK("59", "1") NEXT1
#define AT2 TOOK("66", "2") NEXT2
#define AT3 TOOK("67", "3") "the run is over\n"
#define STOPS "break insn N, break token A->B, break acc N, break dram ADDR\n"
#define DELETE "delete needs the number of a breakpoint\n"

static const struct {
    const char *script, *says; /* after where it begins */
} rows[] = {
    {"", ""},
    {"where\nw\n", AT0 AT0},
    {"step\nstep\nstep\nstep\n", AT1 AT2 AT3 AT3},
    {"step 2\nback\nb\nb\n", AT2 AT1 AT0 AT0},
    {"s 3\nb 2\ns 9\nb 9\n", AT3 AT1 AT3 AT0},
    {"goto 2\ng 0\ng 3\ng 4\n", AT2 AT0 AT3 AT3},
    {"goto\n", "goto needs a position\n"},
    {"step x\nback x\ngoto x\n", "not a number: x\nnot a number: x\nnot a number: x\n"},
    {"cycle\nc\n", TOOK("1", "0") NEXT0 TOOK("2", "0") NEXT0},
    {"c 58\nc +1\nc +1\nc -2\n", TOOK("58", "0") NEXT0 AT1 TOOK("60", "1") NEXT1 TOOK("58", "0") NEXT0},
    {"c 67\nc -1\nc +2\nc -67\nc -1\n", AT3 AT2 AT3 AT0 AT0},
    {"c 65\nc 66\n", TOOK("65", "1") NEXT1 AT2},
    {"cycle x\nc +x\nc -\n", "not a cycle: x\nnot a cycle: +x\nnot a cycle: -\n"},
    {"break insn 2\nbreaks\ncontinue\nr\nR\nR\n",
     "1: instruction 2\n1: instruction 2\nbreakpoint 1: instruction 2\n" AT2 AT3
     "breakpoint 1: instruction 2\n" AT2 AT0},
    {"B insn 1\nB insn 2\nB insn 0\nr\nr\nr\nR\nR\nR\n",
     "1: instruction 1\n2: instruction 2\n3: instruction 0\nbreakpoint 1: instruction 1\n" AT1
     "breakpoint 2: instruction 2\n" AT2 AT3 "breakpoint 2: instruction 2\n" AT2 "breakpoint 1: instruction 1\n" AT1
     "breakpoint 3: instruction 0\n" AT0},
    {"B token store->compute\nr\nr\nr\n", "1: token store->compute\nbreakpoint 1: token store->compute\n" AT1
                                          "breakpoint 1: token store->compute\n" AT2 AT3},
    {"B token compute->store\nr\nr\n", "1: token compute->store\nbreakpoint 1: token compute->store\n" AT1 AT3},
    {"B token load->compute\nr\n", "1: token load->compute\n" AT3},
    {"B dram 0x2000\nr\nr\n", "1: dram 0x00002000\nbreakpoint 1: dram 0x00002000\n" AT1 AT3},
    {"B dram 0x200f\nr\nr\n", "1: dram 0x0000200f\nbreakpoint 1: dram 0x0000200f\n" AT1 AT3},
    {"B dram 0x2010\nB dram 0x1fff\nr\n", "1: dram 0x00002010\n2: dram 0x00001fff\n" AT3},
    {"s 3\nB dram 4096\nR\n", AT3 "1: dram 0x00001000\nbreakpoint 1: dram 0x00001000\n" AT0},
    {"B acc 0\nr\nr\n", "1: acc 0\nbreakpoint 1: acc 0\n" AT1 AT3},
    {"B acc 1\nB inp 0\nB wgt 0\nB uop 0\nr\n", "1: acc 1\n2: inp 0\n3: wgt 0\n4: uop 0\n" AT3},
    {"break\nbreak insn\nbreak insn x\nbreak thing 1\nbreak insn 4294967296\nbreak insn 1 2\n",
     STOPS STOPS STOPS STOPS STOPS STOPS},
    {"break token x\n",
     "a token queue is one of load->compute, compute->load, store->compute, compute->store, not: x\n"},
    {"breaks\n", "no breakpoints\n"},
    {"B insn 1\nB insn 2\nB acc 3\nD 2\nbreaks\nD 1\nbreaks\nD 1\nbreaks\n",
     "1: instruction 1\n2: instruction 2\n3: acc 3\n1: instruction 1\n2: acc 3\n1: acc 3\nno breakpoints\n"},
    {"B insn 1\nD 0\nD 2\nD x\nD\nbreaks\n", "1: instruction 1\n" DELETE DELETE DELETE DELETE "1: instruction 1\n"},
    {"p uop 0 2\n", "uop 0: dst 0 src 0 wgt 0\nuop 1: dst 0 src 0 wgt 0\n"},
    {"print acc 0\ns\nprint acc 0\n",
     "acc 0:\n      0      0      0      0      0      0      0      0      0      0      0      0      0      0      "
     "0      0\n" AT1 "acc 0:\n      1      2      3      4      5      6      7      8      9     10     11     12    "
     " 13     14     15     16\n"},
    {"print\nprint acc\nprint thing 1\n",
     "print inp|wgt|acc|uop N [COUNT]\nprint inp|wgt|acc|uop N [COUNT]\nprint inp|wgt|acc|uop N [COUNT]\n"},
    {"q\n", "load->compute    0\ncompute->load    0\ncompute->store   0\nstore->compute   0\n"},
    {"c 59\nu\n",
     AT1 "load     idle                                  no more instructions; 0 queued\n"
         "compute  waiting for a store->compute token    instruction 2, since cycle 59, until 66; 1 queued\n"
         "store    busy                                  instruction 1, cycles 59 to 66; 0 queued\n"},
    {"list 1 1\n", "       1  " STORE "   [store, cycles 59 to 66]\n"},
    {"s\nl\n", AT1 "       0  " LOAD "   [compute, cycles 28 to 59]\n->     1  " STORE "   [store, cycles 59 to 66]\n"
                   "       2  FINISH pop_next_dep   [compute, cycles 66 to 67]\n"},
    {"l 2\nl 3\nl 9 1\n", "       2  FINISH pop_next_dep   [compute, cycles 66 to 67]\n"},
    {"sing\n", "sing: no such command (help lists them)\n"},
    {"step\nquit\nstep\n", AT1},
};

TEST_CASE(each_command) {
    char expected[8192];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        say("", rows[i].script);
        snprintf(expected, sizeof expected, "%s%s", AT0, rows[i].says);
        if (strcmp(output, expected)) fail_msg("%s\ngives\n%s\nand not\n%s", rows[i].script, output, expected);
    }
}

/* The list of commands is complete, and each has its letter. */
TEST_CASE(help) {
    say("", "help\n");
#define DEBUG_COMMAND(name, letter, arguments, text)                                                                   \
    do {                                                                                                               \
        const char *line = strstr(output, *letter ? "\n  " letter "  " #name : "\n     " #name);                       \
        if (!line || !strstr(line, text)) fail_msg("help has no %s:\n%s", #name, output);                              \
    } while (0);
#include "../../cli/debug_commands.def"
#undef DEBUG_COMMAND
}

/* The second run has other inputs; another one there is not. */
TEST_CASE(runs) {
    say("--run 1", "s\np acc 0\n");
    assert_contains(output, "acc 0:\n     17     18     19     20     21");
    say("--run 2", "s\n");
    assert_contains(output, "--run: the program has no such run");
    say("", "p acc 2047\np acc 2048\np acc 2047 2\n");
    assert_contains(output, "acc 2047:\n");
    assert_contains(output, "error: 1 elements from 2048 on: the buffer has 2048\n");
}

/* 32 breakpoints or so; then a clear word, and those that are there stay. */
TEST_CASE(many_breakpoints) {
    char script[8192] = "", *to = script;
    for (int i = 0; i < 200; i++) to += sprintf(to, "B acc %d\n", i);
    strcpy(to, "breaks\nr\n");
    say("", script);
    assert_contains(output, "no room for more breakpoints\n");
    const char *full = strstr(output, "no room");
    int kept = 0;
    for (const char *line = full; (line = strstr(line, ": acc ")); line++) kept++;
    assert_true(kept >= 8 && kept < 200);
    assert_contains(full, "breakpoint 1: acc 0\n");
}

int main(void) { return run_cases_between(begin, end); }
