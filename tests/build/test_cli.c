/* vta lower, build and run, as a user runs them. */
#include <unistd.h>

#include "build/build_test.h"
#include "support/tool.h"

static char folder[] = "/tmp/vta_c_cli_XXXXXX";

static int vta(const char *args) {
    char command[2048];
    snprintf(command, sizeof command, "%s/vta %s > %s/out 2> %s/err; code=$?; cat %s/out %s/err; exit $code",
             VT_BINARY_DIR, args, folder, folder, folder, folder);
    return shell(command);
}

#define RUNS(args, code)                                                                                               \
    do {                                                                                                               \
        int got = vta(args);                                                                                           \
        if (got != (code)) fail_msg("vta %s: exit code %d\n%s", args, got, output);                                    \
    } while (0)
#define SAYS(text)                                                                                                     \
    do {                                                                                                               \
        if (!strstr(output, text)) fail_msg("\"%s\" is not in:\n%s", text, output);                                    \
    } while (0)

/* A library that is not LLVM in its place: what makes no machine code works as before, the rest says what is missing.
 * A wheel has LLVM linked in. */
TEST_CASE(without_llvm) {
#ifdef VT_LLVM_LIBRARY
    char command[1024], place[256];
    snprintf(command, sizeof command, "echo 'int x;' | cc -shared -fPIC -x c - -o %s/" VT_LLVM_LIBRARY, folder);
    assert_int_equal(shell(command), 0);
    setenv("LD_LIBRARY_PATH", folder, 1);
    RUNS("lower " VT_SOURCE_DIR "/examples/conv2d.te", 0);
    RUNS("build " VT_SOURCE_DIR "/examples/conv2d.te --emit c", 0);
    snprintf(place, sizeof place, "build " VT_SOURCE_DIR "/examples/conv2d.te -o %s/no.o", folder);
    const char *const made[] = {"run " VT_SOURCE_DIR "/examples/conv2d.te",
                                "build " VT_SOURCE_DIR "/examples/conv2d.te --emit llvm", place};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        RUNS(made[i], 1);
        SAYS(VT_LLVM_LIBRARY " has no LLVMAddAttributeAtIndex: it is not LLVM " VT_LLVM_VERSION);
    }
    unsetenv("LD_LIBRARY_PATH");
    RUNS(place, 0);
#else
    skip();
#endif
}

TEST_CASE(test_lower) {
    RUNS("lower examples/vector_add.te", 0);
    SAYS("@vector_add = primfn(");
    SAYS("@tir.vta.uop_push(1, 0, 0, 64, 0, 2, 0, 0, dtype=int32)");
    RUNS("lower examples/vector_add.te --style tvmscript", 0);
    SAYS("T.tir.vta.coproc_dep_push(2, 3)");
    RUNS("lower examples/vector_add.te --after tir.CoProcSync", 0);
    SAYS("// after pass ");
    SAYS("coproc_dep_push");
    RUNS("lower examples/vector_add.te --after all", 0);
    SAYS("tir.StorageFlatten");
    SAYS("(unchanged)");
    RUNS("lower --list-passes", 0);
    SAYS("tir.vta.FoldUopLoop");
    RUNS("lower examples/vector_add.te --after tir.CoprocSync", 1);
    SAYS("--after tir.CoprocSync: no such pass; did you mean tir.CoProcSync?");
    RUNS("lower examples/vector_add.te --json --after tir.CoProcSync --times 2>/dev/null | python3 -m json.tool", 0);
    SAYS("\"passes\": [");
    char args[256];
    snprintf(args, sizeof args,
             "lower examples/vector_add.te --after all -o %s/all.txt && grep -c '// after' %s/all.txt", folder, folder);
    RUNS(args, 0);
    assert_true(atoi(output) > 20);
}

TEST_CASE(test_lower_changes) {
    RUNS("lower examples/conv2d.te", 0);
    SAYS("cse_var_1");
    RUNS("lower examples/conv2d.te --disable-pass tir.CommonSubexprElimTIR", 0);
    assert_null(strstr(output, "cse_var"));
    RUNS("lower examples/vector_add.te --param m=7 --set LOG_BATCH=1", 0);
    SAYS("[1, 7, 2, 16]");
    RUNS("lower examples/conv2d.te --set LOG_ACC_BUFF_SIZE=12", 1);
    SAYS("error: ");
    assert_null(strstr(output, "--verbose"));
    RUNS("run examples/conv2d.te -p threads=5 --disable-pass vta.SplitTails", 1);
    SAYS("and nothing else\nnote: --verbose shows the loops\n");
    assert_null(strstr(output, "for ("));
    RUNS("build examples/conv2d.te -o /dev/null --emit ir -p threads=5 --disable-pass vta.SplitTails --verbose", 1);
    SAYS("and nothing else\nfor (i0: int32, 0, 8) {\n");
}

TEST_CASE(test_build) {
    char args[512];
    RUNS("build examples/vector_add.te --emit c", 0);
    SAYS("VTAPushALUOp(&vector_add_uop_handle_0, vector_add_uops_0, NULL, 0)");
    RUNS("build examples/vector_add.te --emit asm -mtriple=aarch64-linux-gnu", 0);
    SAYS("bl\tVTALoadBuffer2D");
    RUNS("build examples/vector_add.te --emit ir", 0);
    SAYS("primfn");
    static const char *const outputs[] = {"k.o", "k.so", "k.ll", "k.s", "k.c", "k.tir"};
    for (int i = 0; i < 6; i++) {
        snprintf(args, sizeof args, "build examples/vector_add.te examples/matmul.te -o %s/%s && test -s %s/%s", folder,
                 outputs[i], folder, outputs[i]);
        RUNS(args, 0);
    }
    snprintf(args, sizeof args,
             "build examples/conv2d.te -o %s/arm.o -mtriple=armv7-none-linux-gnueabihf -mcpu=cortex-a9", folder);
    RUNS(args, 0);
    snprintf(args, sizeof args,
             "build examples/vector_add.te examples/matmul.te -o %s/both.tir && grep -c primfn %s/both.tir", folder,
             folder);
    RUNS(args, 0);
    SAYS("2\n");
    snprintf(args, sizeof args, "build examples/vector_add.te examples/matmul.te -o %s/both.so --json", folder);
    RUNS(args, 0);
    SAYS("\"name\": \"matmul\"");
    RUNS("build examples/vector_add.te --emit c --json", 2); /* standard output is taken */
    RUNS("build examples/vector_add.te", 2);
    SAYS("-o FILE.o or -o FILE.so");
    RUNS("build examples/vector_add.te -o k.foo", 2);
    SAYS("k.foo: an output file ends in .o, .so, .s, .ll, .c, .tir or .te");
    snprintf(args, sizeof args, "build examples/vector_add.te --linker 'cc -s' -o %s/s.so && readelf -S %s/s.so",
             folder, folder);
    RUNS(args, 0);
    assert_null(strstr(output, ".symtab"));
    snprintf(args, sizeof args, "build examples/vector_add.te --linker false -o %s/never.so", folder);
    RUNS(args, 1);
    SAYS("never.so: false cannot link it: (it gives no reason)");
    snprintf(args, sizeof args, "build examples/vector_add.te --linker not-there -o %s/fallback.so", folder);
    RUNS(args, 0);
    RUNS("build examples/vector_add.te --emit c -mtriple=x", 0); /* C is for every machine */
    RUNS("build examples/vector_add.te --emit asm -mtriple=pdp11", 1);
    SAYS("no code generator for the target triple 'pdp11'");
    RUNS("build examples/vector_add.te --emit asm -mabi=x", 1);
    SAYS("there are -mtriple=, -mcpu= and -mattr=");
    RUNS("build examples/vector_add.te --target llvm -o /tmp/x.o", 1);
    SAYS("local.acc_buffer, which the host cannot reach");
    RUNS("build nothing.te -o /tmp/x.o", 1);
    SAYS("nothing.te");
}

/* More arguments than any fixed list would hold: in1, in2, ..., and their sum. */
TEST_CASE(test_many_arguments) {
    enum { INPUTS = 90 };
    char args[256];
    snprintf(args, sizeof args, "%s/many.te", folder);
    FILE *f = fopen(args, "w");
    assert_non_null(f);
    fprintf(f, "kernel many\ntarget llvm\n");
    for (int i = 1; i <= INPUTS; i++) fprintf(f, "input in%d: int32[3]\n", i);
    fprintf(f, "output sum[i: 3] = in1[i]");
    for (int i = 2; i <= INPUTS; i++) fprintf(f, " + in%d[i]", i);
    fprintf(f, "\n");
    fclose(f);
    snprintf(args, sizeof args, "run %s/many.te", folder);
    RUNS(args, 0);
    SAYS("many: 3 elements equal the reference");
}

TEST_CASE(test_run) {
    RUNS("run examples/matmul.te --check", 0);
    SAYS("gemm_counter    :              256");
    SAYS("No races.");
    SAYS("matmul: 256 elements equal the reference, bit for bit.");
    RUNS("run examples/matmul.te --json --order random --seed 3", 0);
    SAYS("\"different\": 0");
    RUNS("run examples/vector_add.te --trace-calls -", 0);
    SAYS("store 0 4 buf2 0 64 1 64\nsync\n");
    RUNS("run examples/vector_add.te --set LOG_BATCH=2 --set LOG_BLOCK=3", 0);
    SAYS("2048 elements equal");
    RUNS("run tests/build/cpu/softmax.te", 0);
    SAYS("softmax: 165 elements equal");
    RUNS("run examples/vector_add.te --driver tsim --json", 0);
    SAYS("\"cycles\"");
    RUNS("run examples/vector_add.te --trace-calls /nowhere/x", 1);
    SAYS("--trace-calls /nowhere/x: cannot write: No such file or directory");
    RUNS("run examples/vector_add.te --trace-calls /dev/full", 1);
    SAYS("--trace-calls /dev/full: cannot write: No space left on device");
    RUNS("run examples/vector_add.te --driver simm", 1);
    SAYS("no driver 'simm'; there are: sim, tsim, rtl, null, ");
    RUNS("run", 2);
    RUNS("run examples/vector_add.te --target gpu", 1);
    SAYS("no target 'gpu'");
}

TEST_CASE(test_prove) {
    char args[512];
    RUNS("prove examples/vector_add.te", 0);
    SAYS("vector_add: proven: right for all inputs, in every order. 1024 elements, 2 draws of random values;");
    RUNS("prove examples/matmul.te --json --draws 1 --seed 5", 0);
    SAYS("\"result\": \"proven\"");
    SAYS("\"draws\": 1");
    /* What objects say they compute, and another meaning. */
    snprintf(args, sizeof args, "build examples/vector_add.te -o %s/v.o", folder);
    RUNS(args, 0);
    snprintf(args, sizeof args, "prove %s/v.o", folder);
    RUNS(args, 0);
    SAYS("vector_add: proven");
    snprintf(args, sizeof args, "prove %s/v.o --against examples/vector_add.te", folder);
    RUNS(args, 0);
    snprintf(args, sizeof args, "sed 's/A_buf\\[...\\] + /A_buf[...] - /' examples/vector_add.te > %s/minus.te",
             folder);
    assert_int_equal(system(args), 0);
    snprintf(args, sizeof args, "prove %s/v.o --against %s/minus.te", folder, folder);
    RUNS(args, 1);
    SAYS("vector_add: wrong: an input shows it");
    SAYS("is the first of 1024 elements that differ, of 1024");
    SAYS("stored by instruction ");
    SAYS("(ALU ADD");
    SAYS("for example: ");
    snprintf(args, sizeof args, "prove %s/v.o --against %s/minus.te --json", folder, folder);
    RUNS(args, 1);
    SAYS("\"result\": \"wrong\"");
    SAYS("\"count\": 1024");
    SAYS("\"expected\": ");
    RUNS("prove tests/build/cpu/add_vector.te", 1);
    SAYS("is for the host");
    RUNS("prove examples/vector_add.te --against examples/vector_add.te", 2);
    RUNS("prove", 2);
    SAYS("which kernel?");
}

/* A file without a schedule gets one, and is compared with what it says itself. */
TEST_CASE(test_auto) {
    char args[512];
    snprintf(args, sizeof args, "build --auto examples/conv2d.te --emit te -o %s/made.te", folder);
    RUNS(args, 0);
    SAYS("note: conv2d: the file's own schedule is not used");
    snprintf(args, sizeof args, "run %s/made.te --driver tsim --json", folder);
    RUNS(args, 0);
    SAYS("\"different\": 0");
    snprintf(args, sizeof args,
             "lower %s/made.te > %s/one && %s/vta lower --auto %s/made.te > %s/two 2> /dev/null && cmp %s/one %s/two",
             folder, folder, VT_BINARY_DIR, folder, folder, folder, folder);
    RUNS(args, 0);
    snprintf(args, sizeof args, "build --auto examples/matmul.te --json -o %s/auto.o && %s/vta run %s/auto.o", folder,
             VT_BINARY_DIR, folder);
    RUNS(args, 0);
    SAYS("\"operator\": \"dense\"");
    SAYS("matmul ran.");
}

TEST_CASE(test_help) {
    static const char *const commands[] = {"lower", "build", "run"};
    for (int i = 0; i < 3; i++) {
        char args[64];
        snprintf(args, sizeof args, "%s --help", commands[i]);
        RUNS(args, 0);
        SAYS("examples:");
        SAYS("--disable-pass");
    }
}

static int setup(void **state) {
    (void)state;
    unsetenv("VTA_CONFIG");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) { return run_cases_between(setup, teardown); }
