/* Every kernel file of the examples, of tests/kernel/cases, of tests/build/vta (what was once wrong on the accelerator)
 * and, for the host, of tests/build/cpu, on every machine: compiled, run on the simulator in several orders that
 * the tokens allow, race-free, equal to its meaning bit for bit. A file NAME.calls beside NAME.te holds the calls that
 * it must make in the default configuration. */
#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include "build/programs.h"

enum { FILES_MAX = 64 };

static char files[FILES_MAX][96];
static int n_files;

static void add_folder(const char *folder) {
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        size_t n = strlen(e->d_name);
        if (n < 4 || strcmp(e->d_name + n - 3, ".te") != 0 || n_files == FILES_MAX) continue;
        snprintf(files[n_files++], sizeof files[0], "%s/%.60s", folder, e->d_name);
    }
    closedir(dir);
}

static void compare_calls(const char *file, const char *trace) {
    char path[96], text[1 << 16];
    snprintf(path, sizeof path, "%.*s.calls", (int)strlen(file) - 3, file);
    FILE *f = fopen(path, "rb");
    if (!f) return;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    assert_same_text(path, trace, text);
}

/* The same function as C, through the system's compiler. */
static void run_as_c(machine *m, const char *file) {
    char base[64], command[256], c[80], so[80], *text;
    size_t size;
    vt_strbuf trace;
    const vtac_build_func f = {.func = m->func};
    const vtac_build_options options = {.target = vtac_kernel_target(m->kernel)};
    need(m, vtac_emit(1, &f, &options, VTAC_EMIT_C, m->diag, &text, &size), file);
    snprintf(base, sizeof base, "/tmp/vta-kernels-%d", (int)getpid());
    snprintf(c, sizeof c, "%s.c", base);
    snprintf(so, sizeof so, "%s.so", base);
    need(m, vt_file_write(NULL, c, text, size, m->diag), c);
    vta_string_free(text);
    snprintf(command, sizeof command, "cc -std=gnu11 -O1 -fwrapv -Wall -Werror -shared -fPIC -o %s %s -lm", so, c);
    if (system(command) != 0) fail_msg("%s: the C text does not compile", file);
    void *library = dlopen(so, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_msg("%s", dlerror());
    m->call = (vta_packed_function)(uintptr_t)dlsym(library, vtac_func_name(m->func));
    vt_strbuf_init(&trace, NULL);
    machine_check(m, file, VTA_ORDER_PROGRAM, 5, &trace);
    vt_strbuf_free(&trace);
    dlclose(library);
    unlink(c);
    unlink(so);
}

static void run_on(const char *file, const shape *s) {
    static const vta_order orders[] = {VTA_ORDER_PROGRAM, VTA_ORDER_RANDOM, VTA_ORDER_STORE_LATE};
    machine m;
    vt_strbuf trace;
    char name[128];
    snprintf(name, sizeof name, "%s on %s", file, s->name);
    vt_strbuf_init(&trace, NULL);
    machine_open(&m, file, s, true);
    uint64_t first = s == &shapes[0] ? 0 : 1, last = s == &shapes[0] ? 2 : 1; /* all orders on one machine */
    for (uint64_t i = first; i <= last; i++) {
        vt_strbuf_clear(&trace);
        machine_check(&m, name, orders[i], i + 1, &trace);
        if (i == 0) compare_calls(file, vt_strbuf_text(&trace));
    }
    vt_strbuf_free(&trace);
    if (s == &shapes[0]) run_as_c(&m, file);
    machine_close(&m);
}

/* What a machine cannot hold: refused, and the message says which memory and by how much. */
static const struct {
    const char *file, *shape, *message;
} unfit[] = {
    {"examples/conv2d.te", "4x8", "the acc buffer holds 2048 elements, but what lives in it at one time needs 3136"},
};

static void expect_refused(const char *file, const shape *s, const char *message) {
    machine m;
    const vtac_func *f;
    machine_config(&m, s);
    need(&m, vtac_kernel_load(file, NULL, m.config, NULL, m.diag, &m.kernel), file);
    assert_int_equal(vtac_kernel_lower(m.kernel, NULL, &f), VTA_ILLEGAL);
    const char *text = vta_diag_text(te_context_diag(vtac_kernel_context(m.kernel)));
    if (!strstr(text, message)) fail_msg("%s", text);
    machine_close(&m);
}

/* Kernels are taken apart where they have more micro-ops than the buffer. */
static const shape few_micro_ops = {"16 micro-ops", "LOG_UOP_BUFF_SIZE=6", NULL};

static void test_file(void **state) {
    const char *file = *state;
    for (int i = 0; i < SHAPES; i++) {
        const char *message = NULL;
        for (size_t k = 0; k < sizeof unfit / sizeof *unfit; k++)
            if (strcmp(unfit[k].file, file) == 0 && strcmp(unfit[k].shape, shapes[i].name) == 0)
                message = unfit[k].message;
        if (i > 0 && strstr(file, "/cpu/")) break; /* the host is the same everywhere */
        if (message)
            expect_refused(file, &shapes[i], message);
        else
            run_on(file, &shapes[i]);
    }
    if (!strstr(file, "/cpu/")) run_on(file, &few_micro_ops);
}

int main(void) {
    struct CMUnitTest tests[FILES_MAX];
    add_folder("examples");
    add_folder("tests/kernel/cases");
    add_folder("tests/build/vta");
    add_folder("tests/build/cpu");
    for (int i = 0; i < n_files; i++) tests[i] = (struct CMUnitTest){files[i], test_file, NULL, NULL, files[i]};
    return _cmocka_run_group_tests("kernels", tests, (size_t)n_files, NULL, NULL);
}
