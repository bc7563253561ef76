/* Objects for the boards' processors: linked with Debian's cross compilers, run under qemu-user, compared with what the
 * same kernels do here. */
#include "build/build_test.h"
#include "build/hand_made.h"

static const vt_func *make_parallel_matmul(vt_ctx *c) {
    vt_func *f = VT_NEW(c, vt_func);
    *f = *make_matmul(c, 1000);
    vt_stmt *outer = VT_NEW(c, vt_stmt);
    *outer = *f->body->u.alloc.body; /* the loop over rows, each task with its own scratch memory */
    outer->u.loop.kind = VT_FOR_PARALLEL;
    vt_stmt *alloc = VT_NEW(c, vt_stmt);
    *alloc = *f->body;
    alloc->u.alloc.body = outer->u.loop.body;
    outer->u.loop.body = alloc;
    f->body = outer;
    return f;
}

static char *run_command(const char *command) {
    FILE *pipe = popen(command, "r");
    char *text = calloc(1, 1 << 16);
    size_t n = 0, got;
    while ((got = fread(text + n, 1, (1 << 16) - 1 - n, pipe)) > 0) n += got;
    if (pclose(pipe) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* Compiles the kernels for `triple`, links them with `cc`, runs the program with `runner`. NULL: it cannot be done. */
static char *run_on(const char *triple, const char *cc, const char *runner, int level, vt_emit what) {
    kit k;
    kit_open(&k);
    vt_codegen_func funcs[] = {{.func = make_vadd(&k.ctx), .device_type = VT_DEVICE_EXT_DEV},
                               {.func = make_nested(&k.ctx), .device_type = VT_DEVICE_EXT_DEV},
                               {.func = make_parallel_matmul(&k.ctx), .device_type = VT_DEVICE_CPU}};
    vt_codegen_job job = {.funcs = funcs, .count = 3, .machine = {.triple = triple}, .opt_level = level};
    vt_strbuf object;
    vt_strbuf_init(&object, NULL);
    if (vt_codegen_emit(&k.ctx, &job, what, &object) != VTA_OK) fail_msg("%s", vta_diag_text(k.diag));
    char base[64], path[80], command[512];
    snprintf(base, sizeof base, "/tmp/vta-cross-%d", (int)getpid());
    snprintf(path, sizeof path, "%s.%s", base, what == VT_EMIT_C ? "c" : what == VT_EMIT_ASM ? "s" : "o");
    assert_int_equal(vt_file_write(NULL, path, object.text, object.size, k.diag), VTA_OK);
    snprintf(command, sizeof command, "%s -static -fwrapv -o %s %s %s/tests/build/cross_harness.c", cc, base, path,
             VT_SOURCE_DIR);
    if (system(command) != 0) fail_msg("%s fails", command);
    snprintf(command, sizeof command, "%s %s", runner, base);
    char *text = run_command(command);
    unlink(path);
    unlink(base);
    vt_strbuf_free(&object);
    kit_close(&k);
    if (!text) fail_msg("%s fails", command);
    return text;
}

static bool is_there(const char *program) {
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0;
}

static void compare(const char *triple, const char *cc, const char *runner) {
    if (!is_there(cc) || !is_there(runner)) {
        printf("skipped: needs %s and %s\n", cc, runner);
        skip();
    }
    char *here = run_on(NULL, "cc", "", 2, VT_EMIT_OBJECT);
    static const vt_emit whats[] = {VT_EMIT_OBJECT, VT_EMIT_OBJECT, VT_EMIT_ASM, VT_EMIT_C};
    for (int i = 0; i < 4; i++) {
        char *there = run_on(triple, cc, runner, i == 0 ? 0 : 2, whats[i]);
        assert_same_text(triple, there, here);
        free(there);
    }
    assert_non_null(
        strstr(here, "error: vadd: argument 1 (B): dimension 0 is 1023, must be 1024 (shape [1024])\n-1\n"));
    assert_non_null(strstr(here, "sync 2147483648\n0\n"));
    free(here);
}

TEST_CASE(test_aarch64) { compare("aarch64-linux-gnu", "aarch64-linux-gnu-gcc", "qemu-aarch64"); }

TEST_CASE(test_armv7) { compare("armv7-none-linux-gnueabihf", "arm-linux-gnueabihf-gcc", "qemu-arm"); }

int main(void) { return run_cases(); }
