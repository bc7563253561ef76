/* What the tool draws on a terminal: progress lines, and the line editor of vta debug. The terminal is a pseudo one;
 * the test waits for texts, not for times. */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/programs.h"
#include "support/tool.h"

static char folder[] = "/tmp/vta_terminal_XXXXXX";

typedef struct screen {
    pid_t pid;
    int fd;
    char text[1 << 16];
    size_t size;
} screen;

static int begin(void **state) {
    (void)state;
    char path[64];
    vta_program *p;
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    vta_config *config = vta_config_default();
    snprintf(path, sizeof path, "%s/program.vta", folder);
    vta_status status = check_record(config, NULL, 1, NULL, &p);
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

/* Starts `vta ARGS` in the folder on a terminal of its own. */
static screen *start(const char *args) {
    static screen s;
    char command[512];
    s = (screen){0};
    snprintf(command, sizeof command, "cd %s && exec %s/vta %s", folder, VT_BINARY_DIR, args);
    s.pid = forkpty(&s.fd, NULL, NULL, NULL);
    assert_true(s.pid >= 0);
    if (s.pid == 0) {
        setenv("TERM", "dumb", 1);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    return &s;
}

/* Reads on; false when the program has closed its terminal, or says nothing for a minute. */
static bool more(screen *s) {
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    if (s->size + 1 >= sizeof s->text || poll(&p, 1, 60000) <= 0) return false;
    ssize_t n = read(s->fd, s->text + s->size, sizeof s->text - 1 - s->size);
    if (n <= 0) return false;
    s->size += (size_t)n;
    s->text[s->size] = 0;
    return true;
}

static void wait_for(screen *s, const char *what) {
    while (!strstr(s->text, what) && more(s)) {
    }
    if (strstr(s->text, what)) return;
    kill(s->pid, SIGKILL);
    fail_msg("\"%s\" does not come; there is\n%s", what, s->text);
}

/* The text, and the prompt behind it: what is typed before the prompt meets a terminal that edits by itself. */
static void wait_for_prompt(screen *s, const char *what) {
    wait_for(s, what);
    while (!strstr(strstr(s->text, what), "vta> ") && more(s)) {
    }
    assert_non_null(strstr(strstr(s->text, what), "vta> "));
    s->size = 0;
    s->text[0] = 0;
}

static void type(const screen *s, const char *keys) {
    assert_int_equal(write(s->fd, keys, strlen(keys)), (ssize_t)strlen(keys));
}

static int finish(screen *s) {
    int state = 0;
    while (more(s)) {
    }
    close(s->fd);
    assert_int_equal(waitpid(s->pid, &state, 0), s->pid);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

/* A Yosys that ends when the test says so: until then the line is drawn, and it is gone after. */
TEST_CASE(progress_is_drawn_while_a_step_runs) {
    char path[4096], go[64];
    snprintf(go, sizeof go, "%s/go", folder);
    snprintf(path, sizeof path, "%s/yosys", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nuntil [ -e %s ]; do sleep 0.1; done\necho no cells >&2\nexit 3\n", go);
    fclose(f);
    assert_int_equal(chmod(path, 0755), 0);
    snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    setenv("PATH", path, 1);
    snprintf(path, sizeof path, "%s/cache", folder);
    setenv("VTA_HARDWARE_CACHE", path, 1);
    screen *s = start("hw synth --for ice40");
    wait_for(s, "\rsynthesis 0 of 0, ");
    wait_for(s, " s\033[K\rsynthesis 0 of 0, "); /* again and again */
    f = fopen(go, "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(finish(s), 1);
    const char *error = strstr(s->text, "Yosys failed");
    assert_non_null(error);
    assert_non_null(strstr(s->text, "\r\033[K"));
    assert_true(strstr(s->text, "\r\033[K") < error);
    assert_null(strstr(error, "synthesis 0 of 0"));
}

/* Trials, cycles and seconds; the bar fills. */
TEST_CASE(a_search_shows_its_trials) {
    screen *s =
        start("tune conv2d height=28 width=28 in_channels=64 out_channels=64 kernel=3 pad=1 --trials 40 --jobs 1 "
              "--no-database --log log");
    wait_for(s, " of 40 trials, ");
    wait_for(s, "cycles, ");
    assert_int_equal(finish(s), 0);
    const char *line = strstr(s->text, "\r[");
    assert_non_null(line);
    unsigned trial = 0;
    double seconds = -1;
    char bar[32] = "";
    assert_int_equal(sscanf(line, "\r[%20[#.]] %u of 40 trials, %lf s", bar, &trial, &seconds), 3);
    assert_int_equal(strlen(bar), 20);
    assert_int_equal(strspn(bar, "#"), 20 * trial / 40);
    assert_true(trial <= 40 && seconds >= 0);
    for (const char *best = s->text; (best = strstr(best, ", best ")); best++) {
        unsigned long long cycles = 0;
        double above = -1;
        assert_int_equal(sscanf(best, ", best %llu cycles, %lf %% above the bound", &cycles, &above), 2);
        assert_true(cycles > 1000 && above >= 0);
    }
}

/* Tab completes a command, an arrow brings the line before back, and Ctrl-D ends. */
TEST_CASE(the_debugger_edits_lines) {
    screen *s = start("debug program.vta");
    wait_for(s, "vta> ");
    type(s, "whe\t\n");
    wait_for_prompt(s, "where");
    type(s, "step\n");
    wait_for_prompt(s, "1 of 3 instructions took effect");
    type(s, "\033[A\n"); /* up: step */
    wait_for_prompt(s, "2 of 3 instructions took effect");
    /* A key that comes before the terminal is the editor's arrives as a NUL, which does nothing: the key is typed again
     * when nothing comes, until the tool has gone. */
    assert_int_equal(write(s->fd, "", 1), 1);
    bool is_there = true;
    for (int i = 0; i < 3000 && is_there && write(s->fd, "\004", 1) == 1; i++) {
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        while (is_there && poll(&p, 1, 200) > 0) is_there = more(s);
    }
    assert_int_equal(finish(s), 0);
}

int main(void) { return run_cases_between(begin, end); }
