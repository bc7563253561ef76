/* Ctrl-C in `vta debug` ends the command that runs, and not the tool. The command would take hours; the tool takes the
 * signal while it runs a command, which /proc shows: so nothing depends on time. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/programs.h"

/* 16383 x 16383 x 4096 micro-ops. */
static const char endless[] = "GEMM uop_bgn=0 uop_end=4096 iter_out=16383 iter_in=16383\n"
                              "FINISH\n";

static void write_program(const char *path) {
    vta_config *config = vta_config_default();
    vta_program *p;
    uint8_t *insns;
    size_t count;
    assert_int_equal(vta_asm(config, endless, strlen(endless), NULL, NULL, &insns, &count), VTA_OK);
    assert_int_equal(vta_program_create(config, NULL, NULL, &p), VTA_OK);
    assert_int_equal(vta_program_begin_run(p, CHECK_INSN_ADDR, insns, (uint32_t)count, NULL), VTA_OK);
    assert_int_equal(vta_program_end_run(p, NULL), VTA_OK);
    assert_int_equal(vta_program_save(p, path, NULL), VTA_OK);
    vta_string_free(insns);
    vta_program_destroy(p);
    vta_config_release(config);
}

typedef struct tool {
    pid_t pid;
    int in;    /* its standard input */
    FILE *out; /* what it prints */
} tool;

static tool start(const char *path) {
    int in[2], out[2];
    assert_int_equal(pipe(in) | pipe(out), 0);
    tool t = {.pid = fork()};
    if (t.pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(out[1], STDERR_FILENO);
        for (int i = 0; i < 2; i++) close(in[i]), close(out[i]);
        execl(VT_BINARY_DIR "/vta", "vta", "debug", path, (char *)NULL);
        _exit(127);
    }
    assert_true(t.pid > 0);
    close(in[0]);
    close(out[1]);
    t.in = in[1];
    t.out = fdopen(out[0], "r");
    assert_non_null(t.out);
    return t;
}

/* Whether the tool has a handler for SIGINT: while it runs a command. */
static bool takes_interrupts(const tool *t) {
    char path[64], line[256];
    unsigned long long caught = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)t->pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) sscanf(line, "SigCgt: %llx", &caught);
    if (f) fclose(f);
    return caught >> (SIGINT - 1) & 1;
}

static void wait_until(const tool *t, bool takes) {
    for (int i = 0; i < 60000 && takes_interrupts(t) != takes; i++) usleep(1000);
    assert_int_equal(takes_interrupts(t), takes);
}

/* A signal that comes before the command looks for one is lost, as is one that nobody sends: then there is another. */
static void interrupt(const tool *t) {
    for (int times = 0; times < 20 && takes_interrupts(t); times++) {
        kill(t->pid, SIGINT);
        for (int i = 0; i < 3000 && takes_interrupts(t); i++) usleep(1000);
    }
}

static void say(const tool *t, const char *text) {
    assert_int_equal(write(t->in, text, strlen(text)), (ssize_t)strlen(text));
}

TEST_CASE(ends_the_command) {
    char path[64], output[4096];
    snprintf(path, sizeof path, "/tmp/vta_ctrl_c_%ld.vta", (long)getpid());
    write_program(path);
    tool t = start(path);
    for (int i = 0; i < 2; i++) { /* and again: the debugger can be used afterwards */
        say(&t, i ? "continue\n" : "step\n");
        wait_until(&t, true);
        interrupt(&t);
        wait_until(&t, false);
    }
    say(&t, "where\nquit\n");
    close(t.in);
    size_t n = fread(output, 1, sizeof output - 1, t.out);
    output[n] = 0;
    int status;
    assert_int_equal(waitpid(t.pid, &status, 0), t.pid);
    assert_true(WIFEXITED(status)); /* not by the signal */
    const char *first = strstr(output, "interrupted in instruction 0");
    if (!first || !strstr(first + 1, "interrupted in instruction 0")) fail_msg("%s", output);
    fclose(t.out);
    unlink(path);
}

int main(void) { return run_cases(); }
