/* Modules: what objects import, saving and loading, cross-built ones, a preloaded recorder, many kernels in one,
 * errors. */
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include "build/programs.h"

/* Lowers a kernel file for the default machine into m->kernel's context. */
static const vtac_func *lower(machine *m, const char *file) {
    const vtac_func *f;
    machine_config(m, &shapes[0]);
    need(m, vtac_kernel_load(file, NULL, m->config, NULL, m->diag, &m->kernel), file);
    need(m, vtac_kernel_lower(m->kernel, NULL, &f), file);
    return f;
}

static void temporary(char *out, size_t size, const char *ending) {
    static int count;
    snprintf(out, size, "/tmp/vta-module-%d-%d%s", (int)getpid(), count++, ending);
}

static char *output_of(const char *command) {
    FILE *pipe = popen(command, "r");
    char *text = calloc(1, 1 << 18);
    size_t n = 0, got;
    while ((got = fread(text + n, 1, (1 << 18) - 1 - n, pipe)) > 0) n += got;
    assert_int_equal(pclose(pipe), 0);
    return text;
}

/* ---- Saving and loading ------------------------------------------------------------------------------------------ */

/* Undefined symbols are the runtime's, and what words an error. */
TEST_CASE(test_imports) {
    static const char *const expected[] = {
        "TVMAPISetLastError", "VTADepPop",        "VTADepPush",     "VTALoadBuffer2D",     "VTAPushALUOp",
        "VTAPushGEMMOp",      "VTAStoreBuffer2D", "VTASynchronize", "VTATLSCommandHandle", "VTAUopLoopBegin",
        "VTAUopLoopEnd",      "VTAUopPush",       "snprintf"};
    machine m;
    char path[64], command[256];
    vtac_build_func f = {.func = lower(&m, "examples/conv2d.te")};
    need(&m, vtac_build(1, &f, NULL, m.diag, &m.module), "build");
    temporary(path, sizeof path, ".o");
    need(&m, vtac_module_save(m.module, path, m.diag), "save");
    snprintf(command, sizeof command, "nm -u %s | sed 's/.* //' | LC_ALL=C sort | grep -v _GLOBAL_OFFSET_TABLE_", path);
    char *text = output_of(command), *line = text;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        size_t n = strcspn(line, "\n");
        if (strlen(expected[i]) != n || memcmp(expected[i], line, n) != 0)
            fail_msg("%s is imported:\n%s", expected[i], text);
        line += n + (line[n] == '\n');
    }
    assert_string_equal(line, "");
    free(text);
    snprintf(command, sizeof command, "nm %s | grep ' T '", path);
    text = output_of(command);
    assert_string_equal(strrchr(text, ' '), " conv2d\n"); /* the only function that is exported */
    free(text);
    unlink(path);
    machine_close(&m);
}

static void check_loaded(machine *m, const char *path) {
    vta_module *loaded;
    vta_packed_function call;
    vtac_check_result result = {.size = sizeof result};
    const te_tensor *args[8];
    need(m, vta_module_load(path, NULL, m->diag, &loaded), path);
    need(m, vta_module_function(loaded, vtac_kernel_name(m->kernel), m->diag, &call), path);
    need(m, vta_runtime_reconfigure(m->config, "sim", NULL, m->diag), path);
    size_t n = vtac_kernel_arg_count(m->kernel);
    for (size_t i = 0; i < n; i++) args[i] = vtac_kernel_arg(m->kernel, i);
    need(m, vtac_check(vtac_kernel_context(m->kernel), n, args, call, kDLExtDev, NULL, m->diag, &result), path);
    assert_int_equal(result.different, 0);
    vta_module_destroy(loaded);
}

TEST_CASE(test_save_and_load) {
    static const char *const endings[] = {".o", ".so"};
    machine m;
    char path[64];
    vtac_build_func f = {.func = lower(&m, "examples/matmul.te")};
    need(&m, vtac_build(1, &f, NULL, m.diag, &m.module), "build");
    for (int i = 0; i < 2; i++) {
        temporary(path, sizeof path, endings[i]);
        need(&m, vtac_module_save(m.module, path, m.diag), path);
        check_loaded(&m, path);
        unlink(path);
    }
    assert_int_equal(vtac_module_save(m.module, "/nowhere/at/all.o", m.diag), VTA_NOT_FOUND);
    assert_int_equal(vtac_module_save(m.module, "/nowhere/at/all.so", m.diag), VTA_NOT_FOUND);
    machine_close(&m);
}

/* A module for another machine: its object says so, and it does not run here. */
TEST_CASE(test_other_machine) {
    machine m;
    vtac_build_func f = {.func = lower(&m, "examples/vector_add.te")};
    const vtac_build_options arm = {.triple = "armv7-none-linux-gnueabihf"}, none = {.triple = "z80-zx"},
                             wrong = {.target = "gpu"};
    need(&m, vtac_build(1, &f, &arm, m.diag, &m.module), "build");
    const unsigned char *object = vtac_module_object(m.module, NULL);
    assert_memory_equal(object, "\177ELF\1", 5); /* 32 bits */
    assert_int_equal(object[18], 40);            /* EM_ARM */
    assert_string_equal(vtac_module_triple(m.module), arm.triple);
    vta_packed_function call;
    assert_int_equal(vtac_module_function(m.module, "vector_add", m.diag, &call), VTA_UNSUPPORTED);
    assert_null(call);
    vtac_module *no;
    assert_int_equal(vtac_build(1, &f, &none, m.diag, &no), VTA_UNSUPPORTED);
    assert_int_equal(vtac_build(1, &f, &wrong, m.diag, &no), VTA_UNSUPPORTED);
    assert_null(no);
    assert_non_null(strstr(vta_diag_text(m.diag), "no target 'gpu'"));
    machine_close(&m);
}

TEST_CASE(test_many_kernels) {
    machine a, b;
    vtac_module *both;
    vta_packed_function call;
    vtac_build_func funcs[] = {{.func = lower(&a, "examples/vector_add.te")},
                               {.func = lower(&b, "examples/matmul.te"), .name = "mm"}};
    need(&a, vtac_build(2, funcs, NULL, a.diag, &both), "build");
    need(&a, vtac_module_function(both, "vector_add", a.diag, &call), "vector_add");
    need(&a, vtac_module_function(both, "mm", a.diag, &call), "mm");
    assert_int_equal(vtac_module_function(both, "matmul", a.diag, &call), VTA_NOT_FOUND);
    vtac_module_destroy(both);
    funcs[1].name = "vector_add";
    assert_int_equal(vtac_build(2, funcs, NULL, a.diag, &both), VTA_INVALID_ARGUMENT);
    machine_close(&a);
    machine_close(&b);
}

TEST_CASE(test_emit_kinds) {
    static const char *const marks[] = {"ELF", "VTAPushALUOp", " i32 @vector_add(", "int vector_add(vt_value *args"};
    machine m;
    vtac_build_func f = {.func = lower(&m, "examples/vector_add.te")};
    for (int kind = VTAC_EMIT_OBJECT; kind <= VTAC_EMIT_C; kind++) {
        char *text;
        size_t size;
        need(&m, vtac_emit(1, &f, NULL, (vtac_emit_kind)kind, m.diag, &text, &size), marks[kind]);
        assert_non_null(memmem(text, size, marks[kind], strlen(marks[kind])));
        assert_int_equal(text[size], 0);
        vta_string_free(text);
    }
    machine_close(&m);
}

static bool same_objects(machine *m, const vtac_build_func *f, vtac_build_options a, vtac_build_options b) {
    char *object[2];
    size_t size[2];
    need(m, vtac_emit(1, f, &a, VTAC_EMIT_OBJECT, m->diag, &object[0], &size[0]), "one");
    need(m, vtac_emit(1, f, &b, VTAC_EMIT_OBJECT, m->diag, &object[1], &size[1]), "the other");
    bool same = size[0] == size[1] && memcmp(object[0], object[1], size[0]) == 0;
    vta_string_free(object[0]);
    vta_string_free(object[1]);
    return same;
}

/* Level 0 is 2, -1 is none; each target has two names, and the first is where none is given. */
TEST_CASE(test_options) {
    static const struct {
        vtac_build_options a, b;
        bool same;
    } rows[] = {
        {{.target = "llvm"}, {.target = "llvm", .opt_level = 2}, true},
        {{.target = "llvm"}, {.target = "llvm", .opt_level = 1}, false},
        {{.target = "llvm", .opt_level = -1}, {.target = "llvm", .opt_level = 1}, false},
        {{.target = "llvm", .opt_level = -1}, {.target = "llvm"}, false},
        {{.target = "llvm"}, {.target = "cpu"}, true},
        {{.target = "vta"}, {.target = "ext_dev"}, true},
        {{.target = "vta"}, {.target = NULL}, true},
        {{.target = "vta"}, {.target = "cpu"}, false},
    };
    machine m;
    vtac_build_func f = {.func = lower(&m, "tests/build/cpu/reductions.te")};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (same_objects(&m, &f, rows[i].a, rows[i].b) != rows[i].same)
            fail_msg("row %zu: the objects are %s", i, rows[i].same ? "not the same" : "the same");
    machine_close(&m);
}

/* ---- Threads, memory --------------------------------------------------------------------------------------------- */

static void *build_often(void *arg) {
    static const char *const names[] = {"examples/vector_add.te", "examples/matmul.te",
                                        "tests/kernel/cases/gemm_smt.te", "tests/kernel/cases/relu.te"};
    for (int i = 0; i < 4; i++) {
        machine m;
        machine_open(&m, names[((uintptr_t)arg + (uintptr_t)i) % 4], &shapes[i], true);
        machine_close(&m);
    }
    return NULL;
}

TEST_CASE(test_threads) {
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, build_often, (void *)i), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

/* Every allocation fails once; nothing is lost, and the error says so. LLVM's own memory is beyond reach. */
TEST_CASE(test_out_of_memory) {
    machine m;
    vtac_build_func f = {.func = lower(&m, "tests/kernel/cases/gemm_smt.te")};
    static const vtac_emit_kind kinds[] = {VTAC_EMIT_OBJECT, VTAC_EMIT_C};
    for (int k = 0; k < 2; k++)
        for (size_t n = 0;; n++) {
            check_allocator a;
            check_allocator_init(&a, n);
            const vtac_build_options options = {.allocator = &a.allocator};
            char *text;
            size_t size;
            vta_diag_clear(m.diag);
            vta_status status = vtac_emit(1, &f, &options, kinds[k], m.diag, &text, &size);
            if (status != VTA_OK) {
                assert_int_equal(status, VTA_NO_MEMORY);
                assert_null(text);
            }
            vta_string_free(text);
            assert_int_equal(a.live, 0);
            if (status == VTA_OK) break;
        }
    machine_close(&m);
}

/* ---- A preloaded recorder ---------------------------------------------------------------------------------------- */

/* The recorder that made the goldens, preloaded into the tool, writes the same text as the tool itself. */
TEST_CASE(test_preloaded_recorder) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("skipped: the sanitizer's runtime must be the first library\n");
    skip();
#endif
    char c[64], so[64], *source = golden_read("trace_shim.c");
    char preloaded[64], own[64], command[512];
    vta_diag *diag = vta_diag_create(NULL);
    temporary(c, sizeof c, ".c");
    temporary(so, sizeof so, ".so");
    temporary(preloaded, sizeof preloaded, ".calls");
    temporary(own, sizeof own, ".calls");
    assert_int_equal(vt_file_write(NULL, c, source, strlen(source), diag), VTA_OK);
    snprintf(command, sizeof command, "cc -shared -fPIC -O1 -o %s %s -ldl", so, c);
    assert_int_equal(system(command), 0);
    snprintf(
        command, sizeof command,
        "VTA_TRACE=%s LD_PRELOAD=%s %s/vta run examples/conv2d.te --param in_channels=64 --trace-calls %s >/dev/null",
        preloaded, so, VT_BINARY_DIR, own);
    if (system(command) != 0) fail_msg("%s fails", command);
    snprintf(command, sizeof command, "cmp %s %s && test -s %s", preloaded, own, own);
    assert_int_equal(system(command), 0);
    const char *const files[] = {c, so, preloaded, own};
    for (int i = 0; i < 4; i++) unlink(files[i]);
    vta_diag_destroy(diag);
    free(source);
}

int main(void) { return golden_result(run_cases()); }
