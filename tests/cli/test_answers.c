/* The text and the JSON of one answer say the same, and what is refused is refused with the words that help. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/programs.h"
#include "support/tool.h"

static char folder[] = "/tmp/vta_answers_XXXXXX";

static void put(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int begin(void **state) {
    (void)state;
    char path[64], command[512];
    vta_program *p;
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    vta_config *config = vta_config_default();
    snprintf(path, sizeof path, "%s/program.vta", folder);
    vta_status status = check_record(config, NULL, 2, NULL, &p);
    if (status == VTA_OK) status = vta_program_save(p, path, NULL);
    vta_program_destroy(p);
    vta_config_release(config);
    put("host.te", "kernel host\ntarget llvm\ninput A: int32[40]\noutput B[i: 40] = A[i] * 3 + 1\n");
    snprintf(command, sizeof command,
             "cd %s && cp %s/examples/vector_add.te %s/examples/matmul.te . && %s/vta build "
             "vector_add.te -o vadd.o && %s/vta build host.te -o host.o",
             folder, VT_SOURCE_DIR, VT_SOURCE_DIR, VT_BINARY_DIR, VT_BINARY_DIR);
    return status == VTA_OK ? system(command) : -1;
}

static int end(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void runs(const char *args, int code) {
    int got = vta_in(folder, args);
    if (got != code) fail_msg("vta %s: exit code %d, not %d\n%s", args, got, code, output);
}

/* The JSON of `vta ARGS --json`, then its text in `output`. */
static json_t *both(const char *args) {
    char text[512];
    snprintf(text, sizeof text, "%s --json", args);
    runs(text, 0);
    json_t *j = output_json();
    runs(args, 0);
    return j;
}

static double number(const json_t *o, const char *key) {
    const json_t *value = json_object_get(o, key);
    if (!json_is_number(value)) fail_msg("no number \"%s\"", key);
    return json_number_value(value);
}

/* The number behind a word at the beginning of a line of the text. */
static double said(const char *word) {
    char line[64];
    snprintf(line, sizeof line, "\n%s ", word);
    const char *at = strstr(output, line);
    if (!at) fail_msg("no line \"%s\" in\n%s", word, output);
    return strtod(at + strlen(line), NULL);
}

static void operators(void **state) {
    (void)state;
    static const char *const rows[] = {"op conv2d height=7 width=7 in_channels=20 out_channels=20 kernel=3 pad=1",
                                       "op add channels=20 height=5 width=5",
                                       "op dense in_features=40 out_features=10 --profile ultra96"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *j = both(rows[i]);
        char text[256];
        double percent = 0, cycles = number(j, "cycles"), bound = number(j, "bound");
        assert_true(said("cycles") == cycles && said("bound") == bound && said("macs") == number(j, "macs"));
        assert_int_equal(sscanf(strstr(output, "\nbound") + 6, "%*u (%lf %% of the cycles)", &percent), 1);
        assert_true(fabs(percent - 100 * bound / cycles) <= 0.05001);
        assert_true(said("schedule") >= 0 && said("compile") >= 0);
        snprintf(text, sizeof text, "cycles       %.0f (%s, %u-bit bus)\n", cycles,
                 json_string_value(json_object_get(j, "profile")), i < 2 ? 64 : 128);
        assert_contains(output, text);
        snprintf(text, sizeof text, "%s: %.0f elements equal the ", json_string_value(json_object_get(j, "operator")),
                 number(j, "elements"));
        assert_contains(output, text);
        assert_contains(output, json_string_value(json_object_get(j, "schedule")));
        json_decref(j);
    }
}

/* The cycle-level simulator's timing is in both. */
static void simulations(void **state) {
    (void)state;
    json_t *j = both("sim program.vta --driver tsim");
    const json_t *stats = json_object_get(j, "stats"), *timing = json_object_get(j, "timing");
    assert_true(said("cycles") == number(stats, "cycles") && number(timing, "cycles") == number(stats, "cycles"));
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)stats, key, value) {
        char word[64];
        snprintf(word, sizeof word, "\t%-16s:", key);
        const char *at = strstr(output, word);
        if (at) assert_true(strtod(at + strlen(word), NULL) == json_number_value(value));
    }
    assert_contains(output, "\tacc_load_nbytes :              128\n");
    double busy = number(json_object_get(json_object_get(timing, "units"), "compute"), "busy");
    assert_true(fabs(said("compute") - 100 * busy / number(timing, "cycles")) <= 0.05001);
    assert_int_equal(json_integer_value(json_object_get(j, "runs")), 2);
    json_decref(j);
    runs("sim program.vta", 0);
    assert_null(strstr(output, "GEMM utilization")); /* the functional one has no time */
}

static void lists_of_passes(void **state) {
    (void)state;
    static const char *const rows[] = {"lower --list-passes", "graph --list-passes"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *j = both(rows[i]);
        const json_t *pass;
        size_t k;
        const char *at = output;
        assert_true(json_array_size(j) > (i ? 1 : 20));
        json_array_foreach(j, k, pass) { /* in their order */
            const char *name = json_string_value(json_object_get(pass, "name"));
            assert_non_null(name);
            if (!(at = strstr(at, name))) fail_msg("%s: no %s, or before another", rows[i], name);
            assert_true(strlen(json_string_value(json_object_get(pass, "does"))) > 5);
            assert_non_null(json_object_get(pass, "reason"));
        }
        json_decref(j);
    }
}

static void timing_profiles_of_a_file(void **state) {
    (void)state;
    json_t *before = both("profile program.vta"), *j;
    put("slow.json", "{\"base\": \"chisel\", \"bus_bits\": 128}");
    int code = vta_in(folder, "profile program.vta --profile slow.json --json");
    if (code) { /* the words of the file's form come from the reader */
        assert_contains(output, "slow.json");
    } else {
        j = output_json();
        assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "timing"), "bus_bits")), 128);
        json_decref(j);
    }
    runs("profile program.vta --bus 128 --json", 0);
    j = output_json();
    assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "timing"), "bus_bits")), 128);
    assert_true(number(json_object_get(j, "timing"), "cycles") < number(json_object_get(before, "timing"), "cycles"));
    json_decref(j);
    json_decref(before);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    memset(text, ' ', (1 << 20) - 1);
    text[(1 << 20) - 1] = 0;
    put("long.json", text);
    free(text);
    runs("profile program.vta --profile long.json", 1);
    assert_contains(output, "long.json: too long for a timing profile");
    runs("profile program.vta --profile absent.json", 1);
    assert_contains(output, "absent.json");
    runs("profile program.vta --timing nothing=1", 1);
    assert_contains(output, "nothing");
}

/* "cycles" of a JSON answer: its own, or of its object `in`. */
static double cycles_of(const char *in, const char *args) {
    char text[512];
    snprintf(text, sizeof text, "%s --json", args);
    runs(text, 0);
    json_t *j = output_json();
    double cycles = number(in ? json_object_get(j, in) : j, "cycles");
    json_decref(j);
    return cycles;
}

/* The same words choose the machine's time in all commands, and what is compiled keeps them. */
static void times_of_all_commands(void **state) {
    (void)state;
    static const char *const options[] = {"", "--bus 32", "--profile hls", "-P rtl -b 256 -T delay=60", "-P slow.json"};
    double before[4] = {0};
    char args[512];
    put("slow.json", "{\"profile\": \"ultra96\", \"bus_bits\": 64, \"delay\": 90, \"LOG_BATCH\": 0}");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        static const char *const inputs[][2] = {
            {"sim", "program.vta"}, {"run", "vadd.o"}, {"run", "vector_add.te"}, {"run", "kept.o"}};
        for (size_t k = 0; k < 4; k++) {
            snprintf(args, sizeof args, "build vector_add.te -o kept.o %s", options[i]);
            if (k == 3) runs(args, 0);
            snprintf(args, sizeof args, "profile %s %s", inputs[k][1], k == 3 ? "" : options[i]);
            double cycles = cycles_of("timing", args);
            snprintf(args, sizeof args, "%s %s --driver tsim %s", inputs[k][0], inputs[k][1], k == 3 ? "" : options[i]);
            assert_true(cycles_of("stats", args) == cycles && cycles != before[k]);
            before[k] = cycles;
        }
        if (i == 0) continue;
        for (size_t k = 0; k < 3; k++) {
            snprintf(args, sizeof args, "%s %s %s", inputs[k][0], inputs[k][1], options[i]);
            runs(args, 1);
            assert_contains(output, ": the driver sim counts no cycles; --driver tsim does");
        }
    }
}

/* What is asked of a device is asked of it by every command that runs something. */
static void devices_of_all_commands(void **state) {
    (void)state;
    static const char *const inputs[] = {"sim program.vta", "run vadd.o", "run vector_add.te", "op add channels=16"};
    char args[512];
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        snprintf(args, sizeof args, "%s --driver rtl --stall 100", inputs[i]);
        runs(args, 1);
        assert_contains(output, "stall_percent 100: 0 to 99");
        snprintf(args, sizeof args, "%s --from 3", inputs[i]);
        runs(args, 1);
        assert_contains(output, "--from, --to, --scope and --bytes are of --wave FILE.fst");
    }
}

static void schedules_for_a_bus(void **state) {
    (void)state;
    char args[512];
    static const char conv[] = "conv2d height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1";
    double wide = 0;
    for (int bus = 32; bus <= 256; bus *= 8) {
        snprintf(args, sizeof args, "op %s --bus %d --driver tsim --emit te -o conv.te", conv, bus);
        runs(args, 0);
        snprintf(args, sizeof args, "op %s --bus %d", conv, bus);
        double chosen = cycles_of(NULL, args), own;
        snprintf(args, sizeof args, "profile conv.te --bus %d", bus);
        own = cycles_of("timing", args);
        assert_true(own == chosen);
        if (bus == 32) wide = cycles_of("timing", "profile conv.te --bus 256");
        if (bus == 256) assert_true(chosen < wide);
        snprintf(args, sizeof args, "tune %s --bus %d --trials 3 --no-database --log tuned%d.log", conv, bus, bus);
        assert_true(cycles_of(NULL, args) <= chosen);
        snprintf(args, sizeof args, "op %s --bus %d --log tuned%d.log", conv, bus, bus);
        json_t *j = both(args);
        assert_int_equal(json_integer_value(json_object_get(j, "bus_bits")), bus);
        json_decref(j);
    }
    runs("lower conv.te --auto --bus 32", 0); /* the file was scheduled for 256 */
    char *narrow = strdup(output);
    assert_non_null(narrow);
    runs("lower conv.te --auto --bus 256", 0);
    assert_string_not_equal(output, narrow);
    free(narrow);
    runs("op add channels=20 --bus 100", 1);
    assert_contains(output, "--bus 100: expected bits, a power of two from 32 to 2048");
    runs("tune add channels=20 --profile chisle", 1);
    assert_contains(output, "there is no timing profile \"chisle\"");
}

/* A machine of files: complete, and without its FPGA programmed. */
static void boards(void **state) {
    (void)state;
    char name[64], value[512];
    static const char *const files[][2] = {
        {"phys_addr", "0x3f000000"}, {"size", "65536"}, {"sync_for_cpu", "0"}, {"state", "operating"}};
    for (int i = 0; i < 4; i++) put(files[i][0], files[i][1]);
    put("registers", "");
    put("u", "");
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/%s", folder, i ? "u" : "registers");
        assert_int_equal(truncate(name, 65536), 0);
    }
    snprintf(name, sizeof name, "%s/d", folder); /* DEV/NAME is a file, SYS/NAME a folder */
    assert_int_equal(mkdir(name, 0755), 0);
    snprintf(value, sizeof value, "registers=%s/registers fpga=%s sys=%s/.. memory=%s dev=%s/d overlays=/no/such",
             folder, folder, folder, strrchr(folder, '/') + 1, folder);
    snprintf(name, sizeof name, "%s/d/%s", folder, strrchr(folder, '/') + 1);
    char from[64];
    snprintf(from, sizeof from, "%s/u", folder);
    assert_int_equal(rename(from, name), 0);
    setenv("VTA_BOARD", value, 1);
    json_t *j = both("board check --driver de10nano");
    assert_int_equal(number(j, "missing"), 0);
    assert_string_equal(json_string_value(json_object_get(j, "board")), "de10nano");
    size_t i;
    const json_t *part;
    json_array_foreach(json_object_get(j, "parts"), i, part) {
        assert_contains(output, json_string_value(json_object_get(part, "name")));
        assert_contains(output, json_string_value(json_object_get(part, "found")));
    }
    assert_int_equal(i, 8);
    json_decref(j);
    put("state", "power off");
    runs("board check --driver de10nano", 1);
    assert_contains(output, "not programmed: its manager says 'power off'");
    assert_contains(output, "-> program it");
    assert_contains(output, "1 of 8 parts that de10nano needs are missing");
    unsetenv("VTA_BOARD");
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *args;
        int code;
        const char *says;
    } rows[] = {
        {"build vector_add.te matmul.te --auto -o x.te", 2, "a kernel file is written of one kernel, with --auto"},
        {"build vector_add.te -o x.te", 2, "a kernel file is written of one kernel, with --auto"},
        {"lower", 2, "which kernel file?"},
        {"lower vector_add.te matmul.te", 2, "matmul.te: one kernel file at a time"},
        {"run vector_add.te --input x.npy", 2,
         "vector_add.te: --input, --output, --carry and --repeat are for networks"},
        {"run vadd.o --param m=3", 2, "vadd.o: --param is for kernel files; this is compiled already"},
        {"prove vadd.o --param m=3", 1, "vadd.o: --param is for kernel files; this is compiled already"},
        {"op add channels=20 --emit te -o /nonexistent/x.te", 1, "/nonexistent/x.te: cannot create"},
        {"op add channels=20 -o x.te", 2, "--output is for --emit te"},
        {"debug program.vta --run 2", 1, "--run: the program has no such run"},
        {"sweep program.vta --area best", 2, "--area best: expected estimate or synth"},
        {"board", 2, "the action is `check`"},
        {"board model", 2, "the action is `check`"},
        {"board check", 1, "sim needs nothing of this machine; a board does, like --driver pynq"},
        {"board check --driver pynk", 1, "did you mean pynq?"},
        {"board-model", 2, "one folder is needed, not 0"},
        {"board-model a b", 2, "one folder is needed, not 2"},
        {"board-model a --memory 2049", 2, "--memory: 1 to 2048"},
        {"board-model a --memory 0", 2, "--memory: 1 to 2048"},
        {"board-model a --config absent.json", 1, "absent.json"},
        {"profile vadd.o --input x.npy", 2, "vadd.o: --input is for networks"},
        {"rpc-server --sessions 4294967296", 2, "--sessions, --call-seconds, --idle-seconds: too large"},
        {"rpc-server --call-seconds 4294967296", 2, "--sessions, --call-seconds, --idle-seconds: too large"},
        {"rpc-server --idle-seconds 4294967296", 2, "--sessions, --call-seconds, --idle-seconds: too large"},
        {"capture --config x -- true", 1, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        runs(rows[i].args, rows[i].code);
        assert_contains(output, rows[i].says);
    }
}

/* A word that takes a value is refused without it or with another kind of value, in every command. */
static void options_of_all_commands(void **state) {
    (void)state;
    static const char *const names[] = {
#define CLI_COMMAND(name, summary, arguments, examples) #name,
#define CLI_COMMAND_AS(name, word, summary, arguments, examples) word,
#include "../../cli/commands.def"
#undef CLI_COMMAND
    };
    int numbers = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char args[128], page[1 << 14];
        snprintf(args, sizeof args, "%s --help", names[i]);
        runs(args, 0);
        snprintf(page, sizeof page, "%.16000s", output);
        for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
            char option[64], value[32];
            const char *at = strstr(line, "--");
            if (!at || at - line > 8 || line[0] != ' ') continue;
            if (sscanf(at, "--%60[a-z-] %30[A-Z]", option, value) != 2) continue;
            snprintf(args, sizeof args, "%s --%s", names[i], option);
            runs(args, 2);
            snprintf(args, sizeof args, "--%s", option);
            assert_contains(output, args);
            if (strcmp(value, "N") && strcmp(value, "BITS") && strcmp(value, "SECONDS")) continue;
            static const char *const wrong[] = {"x", "1x", "-1", "18446744073709551616"};
            for (int k = 0; k < 4; k++) {
                snprintf(args, sizeof args, "%s --%s %s", names[i], option, wrong[k]);
                runs(args, 2);
                numbers += strstr(output, wrong[k]) != NULL; /* some are read after the arguments, which are absent */
            }
        }
    }
    if (numbers <= 60) fail_msg("only %d values were refused by name", numbers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators),
        cmocka_unit_test(simulations),
        cmocka_unit_test(lists_of_passes),
        cmocka_unit_test(timing_profiles_of_a_file),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(options_of_all_commands),
        cmocka_unit_test(boards),
        cmocka_unit_test(times_of_all_commands),
        cmocka_unit_test(devices_of_all_commands),
        cmocka_unit_test(schedules_for_a_bus),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
