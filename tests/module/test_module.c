/* Modules: loading, calling, errors; functions by name; parallel launches; arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "module/module_priv.h"
#include "support/check.h"
#include "support/failing.h"
#include "vta/module.h"

static const char kernel_source[] =
    "#include <stdint.h>\n"
    "typedef union { int64_t i; double f; void *p; } V;\n"
    "extern void TVMAPISetLastError(const char *);\n"
    "extern int TVMBackendGetFuncFromEnv(void *, const char *, void **);\n"
    "extern int TVMFuncCall(void *, V *, int *, int, V *, int *);\n"
    "extern void *VTATLSCommandHandle(void);\n"
    "extern void VTALoadBuffer2D(void *, void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, "
    "uint32_t,\n"
    "                            uint32_t, uint32_t, uint32_t);\n"
    "int add(V *a, int *c, int n, V *r, int *rc, void *res) {\n"
    "    (void)c; (void)res;\n"
    "    if (n != 2) { TVMAPISetLastError(\"add: needs 2 arguments\"); return -1; }\n"
    "    r->i = a[0].i + a[1].i; *rc = 0; return 0; }\n"
    "int silent(V *a, int *c, int n, V *r, int *rc, void *res) { return 3; }\n"
    "int bad_load(V *a, int *c, int n, V *r, int *rc, void *res) {\n"
    "    VTALoadBuffer2D(VTATLSCommandHandle(), 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 2); return 0; }\n"
    "int call_env(V *a, int *c, int n, V *r, int *rc, void *res) {\n"
    "    static void *h; if (!h && TVMBackendGetFuncFromEnv(0, \"test.twice\", &h)) return -1;\n"
    "    return TVMFuncCall(h, a, c, n, r, rc); }\n";

static char folder[128];

static void run(const char *format, const char *what) {
    char line[1024];
    snprintf(line, sizeof line, format, folder, folder, what);
    assert_int_equal(system(line), 0);
}

static char *in_folder(const char *name) {
    static char path[4][256];
    static int next;
    char *to = path[next++ % 4];
    snprintf(to, 256, "%s/%s", folder, name);
    return to;
}

static int make_modules(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/vta_module_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    FILE *f = fopen(in_folder("k.c"), "w");
    fputs(kernel_source, f);
    fclose(f);
    run("cc -w -O1 -fPIC -c %s/k.c -o %s/k.o%s", "");
    run("cc -shared %s/k.o -o %s/k.so%s", "");
    return 0;
}

static int remove_modules(void **state) {
    (void)state;
    char line[256];
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

static vta_diag *diag;
static int make_diag(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    return diag ? 0 : -1;
}
static int drop_diag(void **state) {
    (void)state;
    vta_diag_destroy(diag);
    return 0;
}

static void ok(vta_status status) {
    if (status != VTA_OK) fail_msg("%s: %s", vta_status_name(status), vta_diag_text(diag));
}

static void refused(vta_status status, vta_status expected, const char *words) {
    if (status != expected || !strstr(vta_diag_text(diag), words))
        fail_msg("%s, not %s with '%s': %s", vta_status_name(status), vta_status_name(expected), words,
                 vta_diag_text(diag));
    vta_diag_clear(diag);
}

static void check_add(const char *path) {
    vta_module *module;
    vta_packed_function add;
    ok(vta_module_load(path, NULL, diag, &module));
    assert_string_equal(vta_module_function_names(module), "add\nbad_load\ncall_env\nsilent");
    ok(vta_module_function(module, "add", diag, &add));
    TVMValue args[] = {{.v_int64 = 40}, {.v_int64 = 2}}, value;
    int codes[] = {VTA_ARG_INT, VTA_ARG_INT}, code;
    ok(vta_function_call(add, args, codes, 2, diag, &value, &code));
    assert_int_equal(value.v_int64, 42);
    assert_int_equal(code, VTA_ARG_INT);
    refused(vta_function_call(add, args, codes, 1, diag, NULL, NULL), VTA_ILLEGAL, "add: needs 2 arguments");
    refused(vta_module_function(module, "subtract", diag, &add), VTA_NOT_FOUND,
            "no function 'subtract'; it has: add, bad_load, call_env, silent");
    refused(vta_module_function(module, "VTADepPush", diag, &add), VTA_NOT_FOUND, "no function 'VTADepPush'");
    vta_module_destroy(module);
}

static void test_load_shared_object(void **state) {
    (void)state;
    check_add(in_folder("k.so"));
}

/* A name without a slash is a file of the working folder, not one that the loader searches for. */
static void test_load_from_the_working_folder(void **state) {
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    check_add("k.so");
    assert_int_equal(chdir(before), 0);
}

static void test_load_object_file(void **state) {
    (void)state;
    check_add(in_folder("k.o"));
}

/* An object is linked in a folder of its own, which goes with the module, or at once where it cannot be linked. */
static void test_nothing_is_left_behind(void **state) {
    (void)state;
    const char *before = getenv("TMPDIR");
    char *mine = strdup(in_folder("temporary")), *old = before ? strdup(before) : NULL;
    assert_int_equal(mkdir(mine, 0700), 0);
    setenv("TMPDIR", mine, 1);
    check_add(in_folder("k.o"));
    vta_module *module;
    assert_int_not_equal(vta_module_load(in_folder("k.c"), NULL, diag, &module), VTA_OK);
    vta_diag_clear(diag);
    if (old)
        setenv("TMPDIR", old, 1);
    else
        unsetenv("TMPDIR");
    assert_int_equal(rmdir(mine), 0); /* empty */
    free(mine);
    free(old);
}

static void test_bad_files(void **state) {
    (void)state;
    vta_module *module;
    refused(vta_module_load(in_folder("none.so"), NULL, diag, &module), VTA_NOT_FOUND, "none.so");
    assert_null(module);
    refused(vta_module_load(in_folder("k.c"), NULL, diag, &module), VTA_PARSE, "no ELF header");
    run("cp %s/k.o %s/arm.o && printf '\\267\\0' | dd of=%s/arm.o bs=1 seek=18 conv=notrunc status=none", folder);
    refused(vta_module_load(in_folder("arm.o"), NULL, diag, &module), VTA_PARSE, "made for AArch64");
    run("printf 'int f(void){extern int g_missing(void); return g_missing();}' > %s/m.c && cc -fPIC -c %s/m.c -o "
        "%s/m.o",
        folder);
    refused(vta_module_load(in_folder("m.o"), NULL, diag, &module), VTA_PARSE, "g_missing");
    run("head -c 700 %s/k.so > %s/short.so%s", "");
    assert_int_not_equal(vta_module_load(in_folder("short.so"), NULL, diag, &module), VTA_OK);
    assert_null(module);
    vta_diag_clear(diag);
}

/* Damaged ELF files: read without leaving the file, whatever their headers say. */
static void test_damaged_elf(void **state) {
    (void)state;
    char *good;
    size_t size;
    uint32_t seed = 1;
    ok(vt_file_read(NULL, in_folder("k.so"), SIZE_MAX / 2, diag, &good, &size));
    for (int round = 0; round < 20000; round++) {
        seed = seed * 1664525u + 1013904223u;
        size_t cut = round % 3 ? size : seed % size;
        unsigned char *bytes = malloc(cut ? cut : 1);
        memcpy(bytes, good, cut);
        for (int i = 0; i < 4 && cut; i++) {
            seed = seed * 1664525u + 1013904223u;
            /* Headers stand at the file's begin and, for sections, at its end. */
            size_t at = i % 2 ? (seed >> 8) % 64 : cut - 1 - (seed >> 8) % (cut < 1600 ? cut : 1600);
            bytes[at % cut] = (unsigned char)(seed >> 24);
        }
        vt_elf_kind kind;
        char *names;
        if (vt__elf_check("damaged", bytes, cut, NULL, &kind) != VTA_OK) assert_int_not_equal(kind, VT_ELF_OBJECT);
        ok(vt__elf_functions(NULL, bytes, cut, diag, &names));
        vt_strfree(NULL, names);
        free(bytes);
    }
    vt_free(NULL, good, size + 1);
}

/* ---- Out of memory ----------------------------------------------------------------------------------------- */

static void test_out_of_memory(void **state) {
    (void)state;
    static const int64_t shape[] = {4, 4};
    static const DLDataType type = {kDLInt, 8, 1};
    static const char *const files[] = {"k.so", "k.o"};
    for (int file = 0; file < 2; file++) {
        long n = 0;
        for (bool failed = true; failed; n++) {
            failing f = {.left = n};
            vta_allocator allocator = {failing_resize, &f};
            vta_module *module;
            vta_array *array;
            vta_status loaded = vta_module_load(in_folder(files[file]), &allocator, diag, &module);
            assert_int_equal(loaded == VTA_OK, module != NULL);
            vta_status made = vta_array_create(kDLCPU, 2, shape, type, &allocator, diag, &array);
            assert_int_equal(made == VTA_OK, array != NULL);
            failed = f.failed;
            /* A block that could not be made smaller is as good as before. */
            assert_true(loaded == VTA_OK || (failed && loaded == VTA_NO_MEMORY));
            assert_true(made == VTA_OK || (failed && made == VTA_NO_MEMORY));
            vta_array_free(array);
            vta_module_destroy(module);
            assert_int_equal(f.blocks, 0);
            vta_diag_clear(diag);
        }
        assert_true(n > 5);
    }
}

static int twice_calls;

static int twice(TVMValue *args, int *codes, int n, TVMValue *value, int *code, void *resource) {
    (void)codes, (void)n, (void)resource;
    twice_calls++;
    value->v_int64 = 2 * args[0].v_int64;
    *code = VTA_ARG_INT;
    return 0;
}

static void test_errors_of_calls(void **state) {
    (void)state;
    vta_module *module;
    vta_packed_function silent, bad_load, call_env;
    ok(vta_module_load(in_folder("k.so"), NULL, diag, &module));
    ok(vta_module_function(module, "silent", diag, &silent));
    ok(vta_module_function(module, "bad_load", diag, &bad_load));
    ok(vta_module_function(module, "call_env", diag, &call_env));
    refused(vta_function_call(silent, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL, "gave no reason");
    refused(vta_function_call(bad_load, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL, "VTALoadBuffer2D(");
    /* The half-recorded kernel is gone: an empty stream synchronizes without an error. */
    vta_clear_error(NULL);
    VTASynchronize(VTATLSCommandHandle(), 0);
    assert_null(vta_last_error(VTATLSCommandHandle()));

    TVMValue args[] = {{.v_int64 = 21}}, value;
    int codes[] = {VTA_ARG_INT}, code;
    refused(vta_function_call(call_env, args, codes, 1, diag, &value, &code), VTA_ILLEGAL,
            "no function 'test.twice' is registered");
    ok(vta_function_register("test.twice", twice, diag));
    ok(vta_function_call(call_env, args, codes, 1, diag, &value, &code));
    assert_int_equal(value.v_int64, 42);
    ok(vta_function_register("test.twice", NULL, diag));
    refused(vta_function_call(call_env, args, codes, 1, diag, &value, &code), VTA_ILLEGAL, "was removed");
    assert_int_equal(TVMFuncCall(&value, args, codes, 1, &value, &code), -1);
    refused(vta_function_call(NULL, NULL, NULL, 0, diag, NULL, NULL), VTA_INVALID_ARGUMENT, "NULL");
    vta_module_destroy(module);
}

static void *lookup_twice(void *ctx, const char *name) { return !strcmp(name, "twice") ? *(void **)ctx : NULL; }
static void count_release(void *ctx) { *(void **)ctx = NULL; }

static double clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void test_wrapped_functions(void **state) {
    (void)state;
    vta_packed_function function = twice;
    void *address;
    memcpy(&address, &function, sizeof address);
    vta_module *module;
    ok(vta_module_wrap("in memory", lookup_twice, count_release, &address, NULL, diag, &module));
    ok(vta_module_function(module, "twice", diag, &function));
    assert_true(function == twice);
    refused(vta_module_function(module, "thrice", diag, &function), VTA_NOT_FOUND, "in memory has no function");
    double seconds[3];
    DLTensor *none = NULL;
    TVMValue arg = {.v_int64 = 1};
    (void)arg;
    int before = twice_calls;
    double begin = clock_seconds();
    ok(vta_function_time(twice, &none, 1, 10, 3, 0, diag, seconds));
    for (int i = 0; i < 3; i++) assert_true(seconds[i] >= 0);
    assert_true(10 * (seconds[0] + seconds[1] + seconds[2]) <= clock_seconds() - begin);
    assert_int_equal(twice_calls - before, 1 + 3 * 10); /* one to warm up */
    begin = clock_seconds();
    ok(vta_function_time(twice, &none, 1, 1, 3, 20, diag, seconds));
    assert_true(clock_seconds() - begin >= 0.06); /* each round lasts 20 ms: a call takes microseconds */
    refused(vta_function_time(twice, &none, 1, 1, 0, 0, diag, seconds), VTA_INVALID_ARGUMENT, "repeat");
    vta_module_destroy(module);
    assert_null(address);
}

/* ---- Parallel launches ------------------------------------------------------------------------------------- */

typedef struct tally {
    atomic_int seen[64];
    atomic_int sum;
} tally;

static int count_task(int task, TVMParallelGroupEnv *env, void *data) {
    tally *t = data;
    atomic_fetch_add(&t->seen[task], 1);
    return env->num_task > 64;
}

static int fail_third(int task, TVMParallelGroupEnv *env, void *data) {
    (void)env, (void)data;
    return task == 3 ? 7 : 0;
}

static int nested(int task, TVMParallelGroupEnv *env, void *data) {
    (void)task, (void)env;
    return TVMBackendParallelLaunch(count_task, data, 8);
}

static int meet(int task, TVMParallelGroupEnv *env, void *data) {
    tally *t = data;
    for (int round = 1; round <= 50; round++) {
        atomic_fetch_add(&t->sum, 1);
        if (TVMBackendParallelBarrier(task, env)) return 1;
        if (atomic_load(&t->sum) < round * env->num_task) return 2;
        if (TVMBackendParallelBarrier(task, env)) return 1;
    }
    return 0;
}

static void test_parallel_launch(void **state) {
    (void)state;
    for (int round = 0; round < 200; round++) {
        tally t = {0};
        assert_int_equal(TVMBackendParallelLaunch(count_task, &t, 37), 0);
        for (int i = 0; i < 64; i++) assert_int_equal(atomic_load(&t.seen[i]), i < 37);
    }
    tally t = {0};
    assert_int_equal(TVMBackendParallelLaunch(fail_third, NULL, 8), 7);
    assert_int_equal(TVMBackendParallelLaunch(nested, &t, 4), 0);
    for (int i = 0; i < 8; i++) assert_int_equal(atomic_load(&t.seen[i]), 4);
    assert_int_equal(TVMBackendParallelLaunch(NULL, NULL, 1), -1);
    tally m = {0};
    assert_int_equal(TVMBackendParallelLaunch(meet, &m, 0), 0);
    assert_int_equal(TVMBackendParallelLaunch(meet, &m, 1000), 1);
}

/* How a process that does this ends; one that hangs is ended by a signal. */
static int status_of(void (*what)(void)) {
    int status;
    pid_t child = fork();
    if (!child) {
        alarm(100);
        what();
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int fork_in_task(int task, TVMParallelGroupEnv *env, void *data) {
    (void)env, (void)data;
    int status = -1;
    pid_t child = fork();
    if (!child) _exit(40 + task);
    return waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 40 + task;
}

static int exit_in_task(int task, TVMParallelGroupEnv *env, void *data) {
    (void)env, (void)data;
    if (task == 1) exit(5);
    return 0;
}

static void launch_forks(void) { exit(TVMBackendParallelLaunch(fork_in_task, NULL, 4) ? 1 : 3); }
static void launch_exits(void) { (void)TVMBackendParallelLaunch(exit_in_task, NULL, 2); }
static void launch_again(void) {
    tally t = {0};
    int result = TVMBackendParallelLaunch(count_task, &t, 37);
    for (int i = 0; i < 37; i++) result |= atomic_load(&t.seen[i]) != 1;
    exit(result ? 1 : 4);
}

/* A process forked beside a pool has a pool of its own; tasks may fork, and end the process. */
static void test_parallel_fork(void **state) {
    (void)state;
    if (!CHECK_CHILDREN_MAY_START_THREADS) skip();
    tally t = {0};
    assert_int_equal(TVMBackendParallelLaunch(count_task, &t, 37), 0); /* there are threads now */
    assert_int_equal(TVMBackendParallelLaunch(fork_in_task, NULL, 4), 0);
    assert_int_equal(status_of(launch_again), 4);
    assert_int_equal(status_of(launch_forks), 3);
    assert_int_equal(status_of(launch_exits), 5);
}

static void test_workspace(void **state) {
    (void)state;
    void *p = TVMBackendAllocWorkspace(kDLCPU, 0, 1000, 0, 8);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 64, 0);
    memset(p, 1, 1000);
    assert_int_equal(TVMBackendFreeWorkspace(kDLCPU, 0, p), 0);
    assert_null(TVMBackendAllocWorkspace(kDLCPU, 0, UINT64_MAX, 0, 8));
    assert_null(TVMBackendAllocWorkspace(kDLCPU + 1, 0, 8, 0, 8));
    p = TVMBackendAllocWorkspace(kDLExtDev, 0, 8, 0, 8); /* a buffer: the host has a pointer to it, another one */
    assert_non_null(p);
    void *host = VTABufferCPUPtr(VTATLSCommandHandle(), p);
    assert_non_null(host);
    assert_ptr_not_equal(host, p);
    memset(host, 1, 8);
    assert_int_equal(TVMBackendFreeWorkspace(kDLExtDev, 0, p), 0);
    assert_null(TVMBackendAllocWorkspace(kDLExtDev, 0, UINT64_MAX, 0, 8));
    assert_string_not_equal(TVMGetLastError(), "");
    vta_clear_error(NULL);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------ */

static const DLDataType int8 = {kDLInt, 8, 1}, int4 = {kDLInt, 4, 1}, int32 = {kDLInt, 32, 1};

static void test_arrays(void **state) {
    (void)state;
    const int64_t shape[] = {3, 5, 7};
    vta_array *host, *device, *back, *flat;
    ok(vta_array_create(kDLCPU, 3, shape, int8, NULL, diag, &host));
    ok(vta_array_create(kDLExtDev, 3, shape, int8, NULL, diag, &device));
    ok(vta_array_create(kDLCPU, 3, shape, int8, NULL, diag, &back));
    assert_int_equal(vta_array_bytes(device), 105);
    DLTensor *t = vta_array_tensor(device);
    assert_int_equal(t->device.device_type, kDLExtDev);
    size_t bytes;
    assert_int_equal(vta_buffer_info(t->data, &bytes, NULL), VTA_OK);
    assert_int_equal(bytes, 105);
    unsigned char data[105], result[105];
    for (int i = 0; i < 105; i++) data[i] = (unsigned char)(i * 7);
    ok(vta_array_write(host, data, sizeof data, diag));
    ok(vta_array_copy(host, device, diag));
    ok(vta_array_copy(device, back, diag));
    ok(vta_array_read(back, result, sizeof result, diag));
    assert_memory_equal(data, result, sizeof data);
    ok(vta_array_read(device, result, sizeof result, diag));
    assert_memory_equal(data, result, sizeof data);
    refused(vta_array_read(device, result, 104, diag), VTA_MISMATCH, "104 bytes, but the array has 105");

    const int64_t other[] = {3, 5, 8};
    ok(vta_array_borrow(data, 3, shape, int8, NULL, diag, &flat));
    ok(vta_array_copy(flat, device, diag));
    vta_array_free(flat);
    ok(vta_array_create(kDLCPU, 3, other, int8, NULL, diag, &flat));
    refused(vta_array_copy(flat, device, diag), VTA_MISMATCH, "dimension 2: 8 and 7");
    vta_array_free(flat);
    ok(vta_array_create(kDLCPU, 3, shape, int32, NULL, diag, &flat));
    refused(vta_array_copy(flat, device, diag), VTA_MISMATCH, "types differ");
    vta_array_free(flat);
    ok(vta_array_create(kDLExtDev, 3, shape, int4, NULL, diag, &flat));
    assert_int_equal(vta_array_bytes(flat), 53);
    vta_array_free(flat);
    ok(vta_array_create(kDLCPU, 0, NULL, int8, NULL, diag, &flat));
    assert_int_equal(vta_array_bytes(flat), 1);
    vta_array_free(flat);

    int64_t strides[] = {1, 3, 15};
    DLTensor turned = *vta_array_tensor(host);
    turned.strides = strides;
    refused(vta_tensor_copy(&turned, vta_array_tensor(device), diag), VTA_UNSUPPORTED, "not compact");
    DLTensor beyond = *vta_array_tensor(device);
    beyond.byte_offset = 1;
    refused(vta_tensor_copy(vta_array_tensor(host), &beyond, diag), VTA_OUT_OF_RANGE, "105 bytes from byte 1");
    vta_array_free(host);
    vta_array_free(device);
    vta_array_free(back);
}

static void test_bad_arrays(void **state) {
    (void)state;
    vta_array *array;
    const int64_t negative[] = {2, -1}, huge[] = {INT64_MAX, 2}, large[] = {(int64_t)1 << 40};
    const DLDataType no_bits = {kDLInt, 0, 1};
    refused(vta_array_create(kDLCPU, 2, negative, int8, NULL, diag, &array), VTA_OUT_OF_RANGE, "extent -1");
    assert_null(array);
    refused(vta_array_create(kDLCPU, 2, huge, int8, NULL, diag, &array), VTA_OUT_OF_RANGE, "overflows");
    refused(vta_array_create(kDLCPU, 17, huge, int8, NULL, diag, &array), VTA_OUT_OF_RANGE, "17 dimensions");
    refused(vta_array_create(kDLCPU, 1, NULL, int8, NULL, diag, &array), VTA_INVALID_ARGUMENT, "shape is NULL");
    refused(vta_array_create(kDLCPU, 1, large, no_bits, NULL, diag, &array), VTA_INVALID_ARGUMENT, "0 bits");
    refused(vta_array_create(kDLCUDA, 1, large, int8, NULL, diag, &array), VTA_UNSUPPORTED, "device type 2");
    assert_int_equal(vta_array_create(kDLExtDev, 1, large, int8, NULL, diag, &array), VTA_NO_MEMORY);
    assert_null(array);
    vta_diag_clear(diag);
    refused(vta_array_borrow(NULL, 1, (const int64_t[]){4}, int8, NULL, diag, &array), VTA_INVALID_ARGUMENT, "NULL");
    refused(vta_array_copy(NULL, NULL, diag), VTA_INVALID_ARGUMENT, "from is NULL");
    vta_array_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_load_shared_object, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_load_from_the_working_folder, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_load_object_file, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_nothing_is_left_behind, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_bad_files, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_damaged_elf, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_out_of_memory, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_errors_of_calls, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_wrapped_functions, make_diag, drop_diag),
        cmocka_unit_test(test_parallel_launch),
        cmocka_unit_test(test_parallel_fork),
        cmocka_unit_test(test_workspace),
        cmocka_unit_test_setup_teardown(test_arrays, make_diag, drop_diag),
        cmocka_unit_test_setup_teardown(test_bad_arrays, make_diag, drop_diag),
    };
    return cmocka_run_group_tests(tests, make_modules, remove_modules);
}
