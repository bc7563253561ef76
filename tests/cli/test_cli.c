/* The command line tool, run as a user runs it. */
#include <sys/resource.h>
#include <unistd.h>

#include "support/golden.h"
#include "support/programs.h"
#include "support/tool.h"

static char folder[] = "/tmp/vta_cli_XXXXXX";

static int vta(const char *args) { return vta_in(folder, args); }

static void put(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int setup(void **state) {
    (void)state;
    unsetenv("VTA_CONFIG");
    if (!mkdtemp(folder)) return -1;
    put("program.s", check_source);
    char path[256];
    vta_config *config = vta_config_default();
    vta_program *p;
    vta_status status = check_record(config, NULL, 2, NULL, &p);
    snprintf(path, sizeof path, "%s/program.vta", folder);
    if (status == VTA_OK) status = vta_program_save(p, path, NULL);
    vta_program_destroy(p);
    vta_config_release(config);
    return status;
}

static int teardown(void **state) {
    (void)state;
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

#define RUNS(args, code)                                                                                               \
    do {                                                                                                               \
        int got = vta(args);                                                                                           \
        if (got != (code)) fail_msg("vta %s: exit code %d\n%s", args, got, output);                                    \
    } while (0)

TEST_CASE(help) {
    RUNS("--version", 0);
    assert_contains(output, "vta ");
    RUNS("--help", 0);
    assert_contains(output, "usage: vta COMMAND");
    RUNS("", 2);
    RUNS("nonsense", 2);
    assert_contains(output, "nonsense: no such command");
    RUNS("help sim", 0);
    assert_contains(output, "--engine fast|reference");
    static const char *const names[] = {
#define CLI_COMMAND(name, summary, arguments, examples) #name,
#define CLI_COMMAND_AS(name, word, summary, arguments, examples) word,
#include "../../cli/commands.def"
#undef CLI_COMMAND
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char args[64];
        snprintf(args, sizeof args, "%s --help", names[i]);
        RUNS(args, 0);
        assert_contains(output, "usage: vta ");
        assert_contains(output, "examples:");
        snprintf(args, sizeof args, "%s --no-such-option", names[i]);
        RUNS(args, 2);
        assert_contains(output, "--no-such-option: no such option");
    }
}

TEST_CASE(config) {
    RUNS("config", 0);
    assert_contains(output, "1x16_i8w8a32_15_15_18_17");
    assert_contains(output, "built-in default");
    RUNS("config --set LOG_BATCH=1 --set LOG_ACC_BUFF_SIZE=18 --write my.json", 0);
    RUNS("config my.json --json", 0);
    assert_contains(output, "\"bitstream\": \"2x16_i8w8a32_15_15_18_18\"");
    RUNS("config my.json --check", 0);
    assert_string_equal(output, "");
    RUNS("config --layout", 0);
    assert_contains(output, "  uop_end            0  21..34     14  one past the last micro-op\n");
    RUNS("config --layout --json", 0);
    assert_contains(output, "\"layout\": {");
    assert_contains(output, "\"low\": 21");
    RUNS("config --set LOG_BLOCK_IN=3 --set LOG_INP_BUFF_SIZE=14 --set LOG_WGT_BUFF_SIZE=17 --json", 0);
    RUNS("config --set LOG_INP_BUFF_SIZE=20 --set LOG_BLOCK=6", 0); /* the first alone breaks a rule */
    put("bad.json", "{\"LOG_BATCH\": 12}");
    RUNS("config bad.json", 1);
    assert_contains(output, "bad.json: error: LOG_BATCH = 12: must be from 0 to 8");
    put("timing.json", "{\"TIMING\": {\"bus_bits\": 100}}");
    RUNS("config timing.json --check", 1);
    assert_contains(output, "bus_bits");
    put("board.json", "{\"TARGET\": \"pynq\"}");
    RUNS("config board.json --check", 0);
    RUNS("config missing.json", 1);
    RUNS("config my.json my.json", 2);
    RUNS("config --set", 2);
    RUNS("config --write /nonexistent/x.json", 1);
}

TEST_CASE(sim) {
    RUNS("sim program.vta --expect", 0);
    assert_contains(output, "Execution statistics:\n\tinp_load_nbytes :                0\n");
    assert_contains(output, "\tacc_load_nbytes :              128\n");
    assert_contains(output, "DRAM and statistics are as recorded.");
    RUNS("sim program.vta --engine reference --order random --seed 3 --json -x", 0);
    assert_contains(output, "\"acc_load_nbytes\": 128");
    assert_contains(output, "\"as_recorded\": true");
    RUNS("sim", 2);
    RUNS("sim program.vta program.vta", 2);
    RUNS("sim program.vta --engine slow", 2);
    assert_contains(output, "--engine slow: must be one of fast|reference");
    RUNS("sim program.vta --seed x", 2);
    RUNS("sim program.vta --driver moon", 1);
    assert_contains(output, "moon");
    RUNS("sim missing.vta", 1);
    RUNS("sim program.s", 1);
    assert_contains(output, "not a program file");
}

/* An edited program no longer gives what was recorded, and a token too few is found. */
TEST_CASE(edit) {
    RUNS("disasm program.vta --run 1 -o one.s", 0);
    RUNS("asm one.s --into program.vta --run 1 -o same.vta", 0);
    RUNS("sim same.vta -x", 0);
    put("narrow.s", "LOAD memory_type=acc dram_base=64 y_size=1 x_size=1 x_stride=1 push_next_dep\n"
                    "ALU alu_opcode=ADD use_imm=1 imm=1 uop_end=1 iter_out=1 iter_in=1\n"
                    "STORE memory_type=out dram_base=512 y_size=1 x_size=1 x_stride=1 pop_prev_dep push_prev_dep\n"
                    "FINISH pop_next_dep\n");
    RUNS("asm narrow.s --into program.vta --run 1 -o edited.vta", 0);
    RUNS("sim edited.vta -x", 1);
    assert_contains(output, "run 1: DRAM at 0x00002000");
    put("stuck.s", "LOAD memory_type=acc dram_base=64 y_size=1 x_size=1 x_stride=1\n"
                   "STORE memory_type=out dram_base=512 y_size=1 x_size=1 x_stride=1 pop_prev_dep push_prev_dep\n"
                   "FINISH pop_next_dep\n");
    RUNS("asm stuck.s --into program.vta -o stuck.vta", 0);
    RUNS("sim stuck.vta", 1);
    assert_contains(output, "never comes");
}

TEST_CASE(text) {
    RUNS("asm program.s -o program.bin --json", 0);
    assert_contains(output, "\"instructions\": 3");
    RUNS("disasm program.bin", 0);
    assert_contains(output, "STORE  memory_type=out");
    RUNS("disasm program.bin --json", 0);
    assert_contains(output, "\"stage\": \"store\"");
    RUNS("disasm program.vta", 0);
    assert_contains(output, "; run 1, instructions at 0x00010000");
    RUNS("disasm program.vta --run 2", 1);
    assert_contains(output, "--run 2: the program has 2");
    RUNS("asm program.s -o - | cmp - program.bin", 0);
    RUNS("asm program.s --into program.vta -o edited.vta", 0);
    RUNS("asm program.s --into program.vta -o - | cmp - edited.vta", 0);
    RUNS("asm program.s -o - --json", 2);
    put("bad.s", "FINISH\nLOAD foo=1\n");
    RUNS("asm bad.s -o bad.bin", 1);
    assert_contains(output, "bad.s:2:6: error: foo: LOAD has no such field");
    RUNS("asm program.s", 2);
    put("odd.bin", "12345");
    RUNS("disasm odd.bin", 1);
    assert_contains(output, "16 bytes an instruction");
}

TEST_CASE(capture) {
    RUNS("capture", 2);
    RUNS("capture -o x.vta -- true", 1);
    assert_contains(output, "made no device run");
    RUNS("capture -o x.vta -- false", 1);
    assert_contains(output, "false ended with exit code 1; it recorded nothing");
    RUNS("capture -o nowhere/x.vta -- touch ran", 1);
    assert_contains(output, "nowhere/x.vta: cannot write into nowhere: No such file or directory");
    RUNS("capture -o x.vta -- sh -c 'kill -9 $$'", 1);
    assert_contains(output, "ended by signal 9");
    assert_int_not_equal(access("ran", F_OK), 0); /* found out before the command ran */
    RUNS("capture -o x.vta -- ./no-such-program", 1);
    assert_contains(output, "cannot run");
    RUNS("capture -o vadd.vta -- " VT_BINARY_DIR "/examples/vector_add", 0);
    assert_contains(output, "vadd.vta: sim_1x16_i8w8a32_15_15_18_17, 1 runs");
    RUNS("sim vadd.vta --expect --check --engine reference --order store-late", 0);
    assert_contains(output, "No races.");
    RUNS("capture --json -- " VT_BINARY_DIR "/examples/vector_add", 0);
    assert_int_equal(output[0], '{'); /* what the command prints does not mix with the answer */
    assert_contains(output, "\"exit_code\": 0");
}

/* The program with the wrong result is the one that is wanted; files, links and devices stay what they are. */
TEST_CASE(capture_keeps) {
    RUNS("capture -o failed.vta -- sh -c '" VT_BINARY_DIR "/examples/vector_add; exit 3'", 1);
    assert_contains(output, "sh ended with exit code 3; its recording was written all the same");
    RUNS("sim failed.vta --expect && ln -s failed.vta link.vta", 0);
    RUNS("capture -o link.vta -- " VT_BINARY_DIR "/examples/vector_add && test -L link.vta", 0);
    RUNS("capture -o /dev/full -- " VT_BINARY_DIR "/examples/vector_add", 1);
    assert_contains(output, "/dev/full: cannot write: No space left on device");
    RUNS("config --write /dev/full", 1);
    RUNS("--version && test -c /dev/full", 0);
    static const char *const pages[] = {"--help", "--version", "help", "run --help"};
    for (int i = 0; i < 4; i++) {
        char command[256];
        snprintf(command, sizeof command, VT_BINARY_DIR "/vta %s 2>&1 > /dev/full", pages[i]);
        assert_int_equal(shell(command), 1);
        assert_contains(output, "error: cannot write to standard output");
    }
    struct rlimit was, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small = (struct rlimit){.rlim_cur = 10, .rlim_max = was.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0); /* an error, not the end by a signal */
    int code = shell(VT_BINARY_DIR "/vta config --write /tmp/vta-cli-limited.json 2>&1");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    assert_int_equal(code, 1);
    assert_contains(output, "cannot write: File too large");
    assert_int_equal(access("/tmp/vta-cli-limited.json", F_OK), -1);
    RUNS("capture -o none.vta -- true", 1);
    RUNS("--version && test ! -e none.vta && ! ls | grep tmp", 0);
}

TEST_CASE(suggestions) {
    RUNS("simm program.vta", 2);
    assert_contains(output, "simm: no such command; did you mean sim?");
    RUNS("sim program.vta --enigne fast", 2);
    assert_contains(output, "--enigne: no such option; did you mean --engine?");
    RUNS("sim program.vta --engine fsat", 2);
    assert_contains(output, "did you mean fast?");
    RUNS("sim program.vta --seed 1 --seed 2", 2);
    assert_contains(output, "--seed: given twice");
    RUNS("sim program.vta --seed 99999999999999999999", 2);
    assert_contains(output, "larger than 64 bits hold");
}

/* The manual and the completions name every command and option. */
TEST_CASE(manual) {
    RUNS("man", 0);
    assert_contains(output, ".SS vta sim\n");
    assert_contains(output, "\\fB\\-\\-engine\\fR \\fIfast|reference\\fR");
    RUNS("completion bash | bash -n", 0);
    RUNS("completion bash > completion; bash -c 'source ./completion; COMP_WORDS=(vta sim --engine f); COMP_CWORD=3; "
         "_vta; echo got ${COMPREPLY[@]}; COMP_WORDS=(vta si); COMP_CWORD=1; _vta; echo got ${COMPREPLY[@]}'; true",
         0);
    assert_contains(output, "got fast\ngot sim\n");
    RUNS("completion zsh", 0);
    assert_contains(output, "#compdef vta\n");
    assert_contains(output,
                    "'--engine[how sim computes; reference\\: plain loops, the oracle]:engine:(fast reference)'");
    RUNS("completion csh", 2);
    RUNS("man sim", 2);
}

/* Programs with different results in different orders, or with a result that nothing waits for. */
TEST_CASE(check) {
    static const struct {
        const char *source, *says, *json;
    } wrong[] = {
        {"LOAD memory_type=acc sram_base=0 dram_base=64 y_size=1 x_size=64 x_stride=64 push_next_dep\n"
         "STORE memory_type=out sram_base=0 dram_base=768 y_size=1 x_size=64 x_stride=64 pop_prev_dep\n"
         "LOAD memory_type=acc8 sram_base=64 dram_base=768 y_size=1 x_size=64 x_stride=64 push_next_dep\n"
         "STORE memory_type=out sram_base=64 dram_base=512 y_size=1 x_size=64 x_stride=64 pop_prev_dep push_prev_dep\n"
         "FINISH pop_next_dep\n",
         "instruction 2 (LOAD acc8) reads DRAM 0x00003000..0x000033ff, which instruction 1 (STORE out) writes",
         "\"kind\": \"dram-race\""},
        {"GEMM uop_bgn=0 uop_end=1 iter_out=1 iter_in=1 push_next_dep\n"
         "STORE memory_type=out sram_base=0 dram_base=768 y_size=1 x_size=1 x_stride=1 pop_prev_dep push_prev_dep\n"
         "FINISH pop_next_dep\n",
         "instruction 0 (GEMM) reads wgt[0..0], where no instruction of this run has written before it",
         "\"kind\": \"unwritten\""},
        {"LOAD memory_type=acc sram_base=0 dram_base=64 y_size=1 x_size=1 x_stride=1 push_next_dep\n"
         "STORE memory_type=out sram_base=0 dram_base=768 y_size=1 x_size=1 x_stride=1 pop_prev_dep\n"
         "FINISH\n",
         "no token path leads from instruction 1 (STORE out) to instruction 2 (FINISH)", "\"kind\": \"unfinished\""},
    };
    RUNS("capture -o check.vta -- " VT_BINARY_DIR "/examples/vector_add", 0);
    RUNS("sim check.vta --check --json", 0);
    assert_contains(output, "\"races\": []");
    assert_contains(output, "\"warnings\": []");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        put("wrong.s", wrong[i].source);
        RUNS("asm wrong.s --into check.vta -o wrong.vta", 0);
        RUNS("sim wrong.vta", 0);
        RUNS("sim wrong.vta --check", 1);
        assert_contains(output, wrong[i].says);
        RUNS("sim wrong.vta --check --json", 1);
        assert_contains(output, wrong[i].json);
        assert_contains(output, wrong[i].says);
    }
#ifdef VT_COMPILER
    /* Warnings do not change the result, and come from kernels too. */
    RUNS("run " VT_SOURCE_DIR "/examples/blocked_matmul.te --check --json", 0);
    assert_contains(output, "\"races\": []");
    assert_contains(output, "\"kind\": \"same-acc\"");
    assert_contains(output, "warning: instruction 6 (GEMM), the first of 16: two micro-ops");
#endif
}

TEST_CASE(golden_runs) {
    static const char *const names[] = {"conv2d", "2x16_matmul", "4x8_vadd", "1x32_relu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64], args[2048], path[GOLDEN_PATH];
        snprintf(name, sizeof name, "runs/%s", names[i]);
        golden_path(name, path);
        snprintf(args, sizeof args, "sim %s --expect", path);
        RUNS(args, 0);
        assert_contains(output, "as recorded");
    }
}

int main(void) { return golden_result(run_cases_between(setup, teardown)); }
