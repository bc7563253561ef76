/* vta rpc, run as a user runs it against a server in a process of its own. What a server computes is held against what
 * `vta run` computes here, which shares neither the transport nor the printing. */
#include "rpc/server.h"
#include "support/tool.h"

static char folder[] = "/tmp/vta_cli_rpc_XXXXXX";
static server s;

static int begin(void **state) {
    (void)state;
    char command[1024];
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    snprintf(
        command, sizeof command,
        "cd %s && E=%s/examples && V=%s/vta && $V build $E/vector_add.te -o vadd.o && $V build $E/matmul.te -o mm.o "
        "&& $V build $E/vector_add.te $E/matmul.te -o two.so && printf '%s' > host.te && $V build host.te -o host.o",
        folder, VT_SOURCE_DIR, VT_BINARY_DIR,
        "kernel host\\ntarget llvm\\ninput A: int32[40]\\noutput B[i: 40] = A[i] * 3 + 1\\n");
    if (system(command)) return -1;
    server_start(&s, NULL);
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[256];
    if (s.pid <= 0) return -1; /* it was never started */
    server_end(&s);
    snprintf(command, sizeof command, "rm -r %s %s %s", folder, s.folder, s.log);
    return system(command);
}

/* `vta ARGS`, in which PLACE is the server's place; the exit code is held against the one that is given. */
static void runs(const char *args, int code) {
    char text[512] = "", *to = text;
    const char *rest = args;
    for (const char *at; (at = strstr(rest, "PLACE")); rest = at + 5)
        to += sprintf(to, "%.*s127.0.0.1:%u", (int)(at - rest), rest, (unsigned)s.port);
    strcpy(to, rest);
    int got = vta_in(folder, text);
    if (got != code) fail_msg("vta %s: exit code %d, not %d\n%s", text, got, code, output);
}

static json_t *runs_json(const char *args) {
    runs(args, 0);
    return output_json();
}

static void same(const json_t *a, const json_t *b, const char *key) {
    const json_t *one = json_object_get(a, key), *other = json_object_get(b, key);
    if (!one || !other || !json_equal(one, other))
        fail_msg("%s: %s here, %s there", key, one ? json_dumps(one, JSON_ENCODE_ANY) : "nothing",
                 other ? json_dumps(other, JSON_ENCODE_ANY) : "nothing");
}

/* The same object, inputs and seed: the same values and counters, here and there. */
TEST_CASE(objects_compute_what_they_compute_here) {
    static const char *const files[] = {"vadd.o", "mm.o"};
    for (int i = 0; i < 4; i++) {
        char args[128];
        snprintf(args, sizeof args, "run %s --json --seed %d", files[i % 2], i / 2 * 7);
        json_t *here = runs_json(args);
        snprintf(args, sizeof args, "rpc run PLACE %s --json --seed %d", files[i % 2], i / 2 * 7);
        json_t *there = runs_json(args);
        same(here, there, "checksums");
        same(here, there, "kernel");
        same(here, there, "file");
        same(here, there, "stats");
        assert_int_equal(json_object_size(json_object_get(there, "checksums")), 1);
        assert_null(json_object_get(there, "seconds")); /* nothing was measured */
        assert_non_null(json_object_get(there, "machine"));
        assert_string_equal(json_string_value(json_object_get(there, "library")), vta_version());
        json_decref(here);
        json_decref(there);
    }
}

/* The text has the same counters as `vta run` prints, and the checksum of the JSON. */
TEST_CASE(text) {
    runs("run mm.o", 0);
    char here[4096], *end_of = strstr(output, " ran.");
    assert_non_null(end_of);
    *end_of = 0; /* ends as "res: 1024 bytes, checksum ...\nmatmul" */
    snprintf(here, sizeof here, "%.4000s ran on a server (", output);
    assert_contains(here, "Execution statistics:\n");
    assert_contains(here, " bytes, checksum ");
    runs("rpc run PLACE mm.o", 0);
    assert_contains(output, here);
    assert_contains(output, "Its values were not compared.\n");
    assert_null(strstr(output, "s a call"));
}

TEST_CASE(what_runs_on_the_processor_has_no_counters) {
    json_t *here = runs_json("run host.o --json"), *there = runs_json("rpc run PLACE host.o --json");
    same(here, there, "checksums");
    assert_null(json_object_get(there, "stats"));
    json_decref(here);
    json_decref(there);
    runs("rpc run PLACE host.o", 0);
    assert_null(strstr(output, "statistics"));
}

TEST_CASE(rounds_are_measured) {
    json_t *j = runs_json("rpc run PLACE vadd.o --json --number 2 --repeat 3");
    const json_t *rounds = json_object_get(j, "seconds");
    assert_int_equal(json_array_size(rounds), 3);
    for (size_t i = 0; i < 3; i++) assert_true(json_real_value(json_array_get(rounds, i)) > 0);
    json_decref(j);
    j = runs_json("rpc run PLACE vadd.o --json --number 1");
    assert_int_equal(json_array_size(json_object_get(j, "seconds")), 1);
    json_decref(j);
    j = runs_json("rpc run PLACE vadd.o --json --number 1 --repeat 1000");
    assert_int_equal(json_array_size(json_object_get(j, "seconds")), 1000);
    json_decref(j);
    runs("rpc run PLACE vadd.o --number 2 --repeat 4", 0);
    assert_contains(output, " s a call, mean of 4 rounds\n");
    double seconds = 0;
    assert_int_equal(sscanf(strstr(output, "checksum ") + 26, "%lf s a call", &seconds), 1);
    assert_true(seconds > 0 && seconds < 10);
}

/* Of several functions one is named. */
TEST_CASE(functions_of_a_library) {
    runs("rpc run PLACE two.so", 1);
    assert_contains(output, "two.so has several functions, say which with --function: matmul vector_add\n");
    json_t *one = runs_json("rpc run PLACE two.so --function vector_add --json"),
           *other = runs_json("run vadd.o --json");
    same(one, other, "checksums");
    same(one, other, "kernel");
    json_decref(one);
    json_decref(other);
    runs("rpc run PLACE two.so --function nothing", 1);
    assert_contains(output, "nothing");
}

/* The server takes the object's configuration, unless it is told to keep its own: then other elements are computed. */
TEST_CASE(configurations) {
    char command[512];
    snprintf(command, sizeof command, "cd %s && %s/vta build %s/examples/vector_add.te --set LOG_BATCH=1 -o wide.o",
             folder, VT_BINARY_DIR, VT_SOURCE_DIR);
    assert_int_equal(shell(command), 0);
    json_t *here = runs_json("run wide.o --json"), *there = runs_json("rpc run PLACE wide.o --json");
    same(here, there, "checksums");
    same(here, there, "stats");
    json_decref(there);
    there = runs_json("rpc run PLACE wide.o --json --keep-config");
    assert_false(json_equal(json_object_get(here, "checksums"), json_object_get(there, "checksums")));
    json_decref(here);
    json_decref(there);
}

TEST_CASE(sessions_are_listed) {
    json_t *j = runs_json("rpc ps PLACE --json");
    const json_t *list = json_object_get(j, "sessions");
    assert_int_equal(json_integer_value(json_object_get(j, "most")), 16);
    assert_true(json_array_size(list) >= 1); /* this one; a former may be ending */
    json_decref(j);
    runs("rpc ps PLACE", 0);
    assert_contains(output, "pid      client                 speaks     seconds    calls        bytes in a call\n");
    const char *row = strchr(output, '\n') + 1;
    char client[64] = "", speaks[64] = "";
    unsigned pid = 0;
    assert_int_equal(sscanf(row, "%u %63s %63s", &pid, client, speaks), 3);
    assert_contains(client, "127.0.0.1:");
    assert_true(pid > 0);
}

TEST_CASE(boards_are_programmed) {
    runs("rpc program PLACE", 0); /* a simulator has nothing to program */
    assert_string_equal(output, "");
    runs("rpc program PLACE vadd.o", 0);
    runs("rpc program PLACE missing.bit", 1);
    assert_contains(output, "missing.bit");
    runs("rpc program PLACE --config missing.json", 1);
    assert_contains(output, "missing.json");
    runs("config --set LOG_BATCH=1 --write wide.json", 0);
    runs("rpc program PLACE --config wide.json", 0);
    runs("rpc program", 2);
    runs("rpc program PLACE a b", 2);
    assert_contains(output, "program: takes HOST:PORT, and a bitstream unless it is the server's own");
}

/* Ends a server that allows it, and no other. */
TEST_CASE(servers_are_stopped) {
    runs("rpc stop PLACE", 1);
    assert_contains(output, "not ended by its clients");
    const server first = s;
    int code = 0;
    server_start(&s, "--allow-shutdown", NULL);
    runs("rpc stop PLACE", 0);
    assert_int_equal(waitpid(s.pid, &code, 0), s.pid);
    assert_true(WIFEXITED(code) && WEXITSTATUS(code) == 0);
    runs("rpc ps PLACE", 1);
    assert_contains(output, "cannot connect");
    rmdir(s.folder);
    unlink(s.log);
    s = first;
    runs("rpc ps PLACE", 0);
}

/* What docs/rpc.md's table says is what `vta rpc-server --help` says: settings, and their defaults in parentheses. */
TEST_CASE(settings_are_those_of_the_page) {
    char line[1024], setting[64], value[32], words[64];
    int rows = 0;
    runs("rpc-server --help", 0);
    FILE *f = fopen(VT_SOURCE_DIR "/docs/rpc.md", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "| `%63[^`]` | %31[^|]|", setting, value) != 2 || strncmp(setting, "--", 2) != 0) continue;
        value[strcspn(value, " ")] = '\0';
        snprintf(words, sizeof words, "(%.*s)", (int)strcspn(value + (*value == '`'), "`"), value + (*value == '`'));
        const char *at = strstr(output, setting);
        if (!at) fail_msg("%s is not a setting", setting);
        const char *end = strchr(at, '\n'), *has = strstr(at, words);
        if (strcmp(value, "none") != 0 && (!has || has > end))
            fail_msg("the default of %s is not %s: %.*s", setting, words, (int)(end - at), at);
        rows++;
    }
    fclose(f);
    assert_int_equal(rows, 8);
}

TEST_CASE(trackers_queue) {
    const server first = s;
    server_start_on(&s, "rpc-tracker", "0", NULL);
    json_t *j = runs_json("rpc queue PLACE");
    assert_true(json_is_object(j));
    json_decref(j);
    server tracker = s;
    char place[64];
    snprintf(place, sizeof place, "127.0.0.1:%u", (unsigned)tracker.port);
    server board;
    server_start(&board, "--tracker", place, "--key", "simulator", NULL);
    bool there = false;
    for (int i = 0; i < 3000 && !there; i++) { /* it registers by itself */
        runs("rpc queue PLACE", 0);
        there = strstr(output, "simulator") != NULL;
        if (!there) usleep(20000);
    }
    if (!there) fail_msg("the tracker does not know the server: %s\n%s", output, server_log(&board));
    char args[128];
    snprintf(args, sizeof args, "rpc run --tracker %s --key simulator vadd.o --json", place);
    json_t *one = runs_json(args), *other = runs_json("run vadd.o --json");
    same(one, other, "checksums");
    json_decref(one);
    json_decref(other);
    snprintf(args, sizeof args, "rpc run --tracker %s --key simulator PLACE vadd.o", place);
    runs(args, 2);
    assert_contains(output, "run: takes one object or network");
    snprintf(args, sizeof args, "rpc program --tracker %s --key simulator", place);
    runs(args, 0);
    snprintf(args, sizeof args, "rpc run --tracker %s --key nothing --wait 1 vadd.o", place);
    runs(args, 1);
    server_stop(&board);
    server_stop(&tracker);
    s = first;
}

TEST_CASE(keys_are_made) {
    char path[128];
    struct stat is;
    runs("rpc new-key key", 0);
    snprintf(path, sizeof path, "%s/key", folder);
    assert_int_equal(stat(path, &is), 0);
    assert_int_equal(is.st_mode & 0777, 0600);
    assert_true(is.st_size >= 32);
    runs("rpc new-key key", 1); /* there is one */
    runs("rpc new-key", 2);
    assert_contains(output, "new-key: takes the file to make");
}

TEST_CASE(what_is_refused) {
    static const struct {
        const char *args;
        int code;
        const char *says;
    } rows[] = {
        {"rpc", 2, "the first argument: must be run, ps, program, stop, queue or new-key"},
        {"rpc sing", 2, "sing: must be run, ps, program, stop, queue or new-key"},
        {"rpc run", 2, "run: takes HOST:PORT, and an object or a network"},
        {"rpc run PLACE", 2, "run: takes HOST:PORT, and an object or a network"},
        {"rpc run PLACE a b", 2, "run: takes HOST:PORT, and an object or a network"},
        {"rpc run PLACE vadd.o --input x.npy", 2,
         "--input, --output and --carry are for networks, and vadd.o is not one"},
        {"rpc run PLACE vadd.o --output x.npy", 2,
         "--input, --output and --carry are for networks, and vadd.o is not one"},
        {"rpc run PLACE vadd.o --repeat 1001", 2, "--number, --repeat, --min-repeat-ms: too large"},
        {"rpc run PLACE vadd.o --number 4294967296", 2, "--number, --repeat, --min-repeat-ms: too large"},
        {"rpc run PLACE vadd.o --min-repeat-ms 4294967296", 2, "--number, --repeat, --min-repeat-ms: too large"},
        {"rpc run PLACE missing.o", 1, "missing.o"},
        {"rpc run PLACE key", 1, "key"},
        {"rpc run 127.0.0.1:1 vadd.o", 1, "127.0.0.1:1: cannot connect"},
        {"rpc run 127.0.0.1:x vadd.o", 1, "127.0.0.1:x"},
        {"rpc ps", 2, "ps: takes a server's HOST:PORT"},
        {"rpc ps PLACE PLACE", 2, "ps: takes a server's HOST:PORT"},
        {"rpc stop", 2, "stop: takes a server's HOST:PORT"},
        {"rpc queue", 2, "queue: takes a tracker's HOST:PORT"},
        {"rpc queue 127.0.0.1:x", 1, "127.0.0.1:x"},
        {"rpc queue 127.0.0.1:1", 1, "127.0.0.1:1"},
    };
    runs("rpc new-key key2", 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        runs(rows[i].args, rows[i].code);
        assert_contains(output, rows[i].says);
    }
}

int main(void) { return run_cases_between(begin, end); }
