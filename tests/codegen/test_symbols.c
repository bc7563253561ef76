/* A kernel may be called anything: its name is neither what its own calls find, nor what the process's calls do.
 * Kernels with the names of all that code calls compute every function of vta/math.def, copy and fill memory, in this
 * process, as an object that is loaded, as C, and linked into a program. The oracle is the C library, called from here.
 */
#include <math.h>

#include "codegen/stubs.h"
#include "ir/attr.h"

enum {
    FUNCTIONS = 0
#define VTA_MATH(...) +1
#include "vta/math.def"
#undef VTA_MATH
    ,
    COPIED = 4096,
    BUFFERS = 8
};

/* Each alone in a module, and all in one. */
static const char *const names[] = {
#define VTA_MATH(NAME, function, ...) #function, #function "f", #function "l",
#include "vta/math.def"
#undef VTA_MATH
#define VTA_RUNTIME_ENTRY(name, ...) #name,
#include "vta/runtime.def"
#undef VTA_RUNTIME_ENTRY
    "memcpy", "memset", "memmove", "malloc", "free", "calloc", "realloc", "snprintf", "printf", "abort", "exit", "main",
    "_init", "_fini", "_start", "sincos", "sincosf", "ldexp", "exp10", "sqrtf32", "read", "write", "environ",
    /* what objects call besides, this project's own names, and what parts of kernels are called */
    "TVMAPISetLastError", "TVMBackendAllocWorkspace", "TVMBackendFreeWorkspace", "TVMBackendParallelLaunch",
    "vta_host_stop", "vta_fail", "vta_module_load", "vt_fail", "vt_value", "plain", "plain_compute_", "plain_uops_0",
    "plain_walk",
    /* what C does not take, and a function that the kernels call by name */
    "int", "while", "restrict", "NULL", "INFINITY", "size_t", "toascii"};
enum { NAMES = sizeof names / sizeof *names };

/* In: x, y of double and float, bytes; out: values of double and float, bytes. */
typedef struct data {
    double x64[FUNCTIONS], y64[FUNCTIONS], z64[FUNCTIONS];
    float x32[FUNCTIONS], y32[FUNCTIONS], z32[FUNCTIONS];
    uint8_t from[COPIED], to[COPIED];
} data;

/* ---- The kernel -------------------------------------------------------------------------------------------------- */

typedef struct builder {
    vt_ctx *c;
    const vt_buffer *b[BUFFERS];
    const vt_stmt *items[2 * FUNCTIONS + 4];
    uint32_t n;
} builder;

static void add_math(builder *m, vt_op op, int operands, int index) {
    const vt_dtype types[] = {VT_F64, VT_F32};
    const vt_expr *i = vt_i32(m->c, index);
    for (int k = 0; k < 2; k++) {
        const vt_expr *args[] = {at(m->c, m->b[3 * k], i), at(m->c, m->b[3 * k + 1], i)};
        const vt_expr *value = vt_e_call(m->c, types[k], op, (uint32_t)operands, args);
        m->items[m->n++] = set(m->c, m->b[3 * k + 2], i, value);
    }
}

/* Through scratch memory, whose second half is zeros: memcpy and memset, as LLVM sees them; the last byte is what a C
 * function says. */
static const vt_stmt *add_copy(builder *m, const vt_stmt *rest) {
    vt_ctx *c = m->c;
    const vt_buffer *scratch = flat(c, "scratch", VT_U8, COPIED);
    const vt_var *i = vt_var_new(c, "i", VT_I32), *j = vt_var_new(c, "j", VT_I32), *k = vt_var_new(c, "k", VT_I32);
    const vt_expr *half = vt_i32(c, COPIED / 2), *letter = vt_i32(c, 'A' + 128), *extents[] = {vt_i32(c, COPIED)};
    const vt_expr *said = vt_e_call_extern(c, VT_I32, "toascii", 1, &letter);
    const vt_stmt *items[] = {
        rest,
        loop(c, i, COPIED / 2, set(c, scratch, i, at(c, m->b[6], i))),
        loop(c, j, COPIED / 2, set(c, scratch, vt_add(c, j, half), vt_int(c, VT_U8, 0))),
        loop(c, k, COPIED, set(c, m->b[7], k, at(c, scratch, k))),
        set(c, m->b[7], vt_i32(c, COPIED - 1), vt_cast(c, VT_U8, said)),
    };
    return vt_s_alloc(c, scratch->data, VT_U8, 1, extents, vt_bool(c, true), vt_s_seq(c, 5, items));
}

static const vt_func *kernel(vt_ctx *c, const char *name) {
    builder m = {.c = c};
    for (int i = 0; i < BUFFERS; i++)
        m.b[i] = flat(c, vt_new_format(c, "b%d", i),
                      i < 3   ? VT_F64
                      : i < 6 ? VT_F32
                              : VT_U8,
                      i < 6 ? FUNCTIONS : COPIED);
    int index = 0;
#define VTA_MATH(NAME, function, operands, ...) add_math(&m, VT_OP_##NAME, operands, index++);
#include "vta/math.def"
#undef VTA_MATH
    return function(c, name, BUFFERS, m.b, add_copy(&m, vt_s_seq(c, m.n, m.items)));
}

/* ---- The oracle -------------------------------------------------------------------------------------------------- */

static void fill(data *d) {
    for (int i = 0; i < FUNCTIONS; i++) {
        d->x64[i] = 0.1 + 0.8 * i / FUNCTIONS;
        d->y64[i] = 1.3 + 0.01 * i;
        d->x32[i] = (float)d->x64[i];
        d->y32[i] = (float)d->y64[i];
        d->z64[i] = d->z32[i] = -7;
    }
    for (int i = 0; i < COPIED; i++) d->from[i] = (uint8_t)(i * 7 + 1), d->to[i] = 77;
}

#define EXPECTED_1(function, x, y) function(x)
#define EXPECTED_2(function, x, y) function(x, y)

static bool close_to(double value, double expected, double part) {
    return isnan(expected) ? isnan(value) : fabs(value - expected) <= part * fmax(1, fabs(expected));
}

static void compare(const data *d, const char *name, const char *how) {
    int i = 0;
    /* acosh is for 1 and above: NaN here, as in the library */
#define VTA_MATH(NAME, function, operands, ...)                                                                        \
    if (!close_to(d->z64[i], EXPECTED_##operands(function, d->x64[i], d->y64[i]), 1e-12) ||                            \
        !close_to(d->z32[i], EXPECTED_##operands(function##f, d->x32[i], d->y32[i]), 1e-5))                            \
        fail_msg("the kernel '%s' %s: %s gives %g and %g, not %g", name, how, #function, d->z64[i], (double)d->z32[i], \
                 EXPECTED_##operands(function, d->x64[i], d->y64[i]));                                                 \
    i++;
#include "vta/math.def"
#undef VTA_MATH
    for (i = 0; i < COPIED; i++) {
        int expected = i == COPIED - 1 ? 'A' : i < COPIED / 2 ? d->from[i] : 0;
        if (d->to[i] != expected)
            fail_msg("the kernel '%s' %s: byte %d is %d, not %d", name, how, i, d->to[i], expected);
    }
}

static void run(vta_packed_function f, const char *name, const char *how) {
    static data d;
    fill(&d);
    void *const at[BUFFERS] = {d.x64, d.y64, d.z64, d.x32, d.y32, d.z32, d.from, d.to};
    flat_tensor t[BUFFERS];
    for (int i = 0; i < BUFFERS; i++)
        tensor_init(&t[i], at[i], 1, i < 6 ? 2 : 1, i < 3 ? 64 : i < 6 ? 32 : 8, i < 6 ? FUNCTIONS : COPIED);
    if (call(f, BUFFERS, t)) fail_msg("the kernel '%s' %s: %s", name, how, last_error);
    compare(&d, name, how);
}

/* ---- Back ends --------------------------------------------------------------------------------------------------- */

static void make(kit *k, size_t n, const char *const *which, vt_emit what, vt_strbuf *out) {
    vt_codegen_func *funcs = VT_NEW_ARRAY(&k->ctx, vt_codegen_func, n);
    for (size_t i = 0; i < n; i++)
        funcs[i] = (vt_codegen_func){.func = kernel(&k->ctx, which[i]), .device_type = VT_DEVICE_CPU};
    vt_strbuf_init(out, NULL);
    vt_codegen_job job = {.funcs = funcs, .count = n, .opt_level = 1};
    if (vt_codegen_emit(&k->ctx, &job, what, out) != VTA_OK) fail_msg("%s: %s", which[0], vta_diag_text(k->diag));
}

static void run_here(kit *k, size_t n, const char *const *which, const vt_strbuf *object) {
    vt_jit *jit;
    void *address;
    if (vt_jit_create(NULL, object->text, object->size, 0, NULL, k->diag, &jit) != VTA_OK)
        fail_msg("%s", vta_diag_text(k->diag));
    for (size_t i = 0; i < n; i++) {
        if (vt_jit_lookup(jit, which[i], k->diag, &address) != VTA_OK) fail_msg("%s", vta_diag_text(k->diag));
        run((vta_packed_function)(uintptr_t)address, which[i], "in this process");
    }
    /* What the kernels call is not a kernel. */
    static const char *const others[] = {"tanhl", "strlen", "strtok", "nowhere", ""};
    for (size_t i = n > 1; i < 5; i++) {
        if (n == 1 && !strcmp(which[0], others[i])) continue;
        assert_int_equal(vt_jit_lookup(jit, others[i], k->diag, &address), VTA_NOT_FOUND);
        assert_null(address);
    }
    vt_jit_destroy(jit);
}

static void write_file(const char *path, const vt_strbuf *bytes) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes->text, 1, bytes->size, f), bytes->size);
    assert_int_equal(fclose(f), 0);
}

/* Every kernel is found by its name, and listed under it; what the object imports is not. */
static void run_loaded(kit *k, size_t n, const char *const *which, const char *path, const char *how) {
    vta_module *module;
    vta_packed_function f;
    if (vta_module_load(path, NULL, k->diag, &module) != VTA_OK) fail_msg("%s", vta_diag_text(k->diag));
    const char *listed = vta_module_function_names(module);
    size_t count = 1;
    for (const char *p = listed; *p; p++) count += *p == '\n';
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i++) {
        if (vta_module_function(module, which[i], k->diag, &f) != VTA_OK) fail_msg("%s", vta_diag_text(k->diag));
        run(f, which[i], how);
    }
    static const char *const others[] = {"strlen", "strtok", "puts"};
    for (size_t i = 0; i < 3; i++) assert_int_equal(vta_module_function(module, others[i], k->diag, &f), VTA_NOT_FOUND);
    vta_module_destroy(module);
}

static char folder[] = "/tmp/vta_symbols_XXXXXX";

static const char *in_folder(const char *name) {
    static char path[2][128];
    static int which;
    which = !which;
    snprintf(path[which], sizeof path[which], "%s/%s", folder, name);
    return path[which];
}

static void runs(const char *format, const char *a, const char *b) {
    char command[600];
    snprintf(command, sizeof command, format, a, b); // NOLINT
    if (system(command) != 0) fail_msg("%s", command);
}

static void every_back_end(size_t n, const char *const *which) {
    kit k;
    vt_strbuf object, text;
    kit_open(&k);
    make(&k, n, which, VT_EMIT_OBJECT, &object);
    run_here(&k, n, which, &object);
    write_file(in_folder("k.o"), &object);
    run_loaded(&k, n, which, in_folder("k.o"), "in an object");
    make(&k, n, which, VT_EMIT_C, &text);
    write_file(in_folder("k.c"), &text);
    runs("cc -std=gnu11 -O1 -fwrapv -Wall -Wextra -Werror -D_GNU_SOURCE -shared -fPIC -o %s %s -lm", in_folder("k.so"),
         in_folder("k.c"));
    run_loaded(&k, n, which, in_folder("k.so"), "as C");
    vt_strbuf_free(&object);
    vt_strbuf_free(&text);
    kit_close(&k);
}

static void all_in_one_module(void **state) {
    (void)state;
    every_back_end(NAMES, names);
}

static void each_by_itself(void **state) {
    (void)state;
    kit k;
    for (size_t i = 0; i < 3 * FUNCTIONS; i++) {
        vt_strbuf object;
        kit_open(&k);
        make(&k, 1, &names[i], VT_EMIT_OBJECT, &object);
        run_here(&k, 1, &names[i], &object);
        vt_strbuf_free(&object);
        kit_close(&k);
    }
    static const char *const some[] = {"exp", "tanhf", "memcpy", "main", "toascii", "plain"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) every_back_end(1, &some[i]);
}

/* ---- In a program ------------------------------------------------------------------------------------------------ */

static const char PROGRAM[] =
    "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdint.h>\n"
    "typedef struct { void *data; int type, id, ndim; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides;\n"
    "                 uint64_t offset; } tensor;\n"
    "void TVMAPISetLastError(const char *text) { fputs(text, stderr); }\n"
    "void *TVMBackendAllocWorkspace(int t, int i, uint64_t n, int c, int b) {\n"
    "    (void)t, (void)i, (void)c, (void)b;\n    return malloc(n);\n}\n"
    "int TVMBackendFreeWorkspace(int t, int i, void *p) { (void)t, (void)i; free(p); return 0; }\n"
    "typedef int kernel(void **, int *, int, void *, int *, void *);\n"
    "kernel plain, __vta_kernel_exp, __vta_kernel_main, __vta_kernel_malloc;\n"
    "enum { N = FUNCTIONS, COPIED = 4096 };\n"
    "static double x[N], y[N], z[N];\nstatic float u[N], v[N], w[N];\nstatic char from[COPIED], to[COPIED];\n"
    "int main(void) {\n"
    "    kernel *all[] = {plain, __vta_kernel_exp, __vta_kernel_main, __vta_kernel_malloc};\n"
    "    for (int k = 0; k < 4; k++) {\n"
    "        void *data[] = {x, y, z, u, v, w, from, to}, *args[8];\n        tensor t[8];\n        int codes[8];\n"
    "        int64_t shape[8];\n"
    "        for (int i = 0; i < N; i++) x[i] = u[i] = 0.5f, y[i] = v[i] = 1.5f, z[i] = w[i] = -7;\n"
    "        for (int i = 0; i < 8; i++) {\n"
    "            shape[i] = i < 6 ? N : COPIED;\n"
    "            t[i] = (tensor){data[i], 1, 0, 1, i < 6 ? 2 : 1, i < 3 ? 64 : i < 6 ? 32 : 8, 1, &shape[i], 0, 0};\n"
    "            args[i] = &t[i];\n            codes[i] = 7;\n        }\n"
    "        if (all[k](args, codes, 8, &args[0], codes, 0)) return 2;\n"
    "        volatile double half = 0.5;\n"
    "        char *copy = malloc(100);\n"
    "        memcpy(copy, \"exp of a half\", 14);\n"
    "        if (fabs(z[0] - exp(half)) > 1e-12 || fabs(w[0] - expf(half)) > 1e-5 || fabs(exp(half) - 1.6487) > 1e-4)\n"
    "            return printf(\"%s is %g %g here and %g in kernel %d\\n\", copy, exp(half), expf(half), z[0], k), 1;\n"
    "        free(copy);\n    }\n    return 0;\n}\n";

static void linked_into_a_program(void **state) {
    (void)state;
    kit k;
    vt_strbuf object, text, source;
    kit_open(&k);
    make(&k, NAMES, names, VT_EMIT_OBJECT, &object);
    write_file(in_folder("k.o"), &object);
    make(&k, NAMES, names, VT_EMIT_C, &text);
    write_file(in_folder("k.c"), &text);
    vt_strbuf_init(&source, NULL);
    vt_strbuf_addf(&source, "#define FUNCTIONS %d\n%s", FUNCTIONS, PROGRAM);
    write_file(in_folder("main.c"), &source);
    runs("cd %s && cc -std=gnu11 -fno-builtin -o main main.c %s -lm && ./main", folder, "k.o");
    runs("cd %s && cc -std=gnu11 -fwrapv -D_GNU_SOURCE -w -fno-builtin -o main main.c %s -lm && ./main", folder, "k.c");
    vt_strbuf_free(&object);
    vt_strbuf_free(&text);
    vt_strbuf_free(&source);
    kit_close(&k);
}

/* ---- Names that cannot be ---------------------------------------------------------------------------------------- */

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *name;
        vt_emit what;
        const char *says; /* NULL: it is compiled */
    } rows[] = {
        {"", VT_EMIT_OBJECT, "the name of kernel 0 is empty"},
        {"", VT_EMIT_C, "the name of kernel 0 is empty"},
        {"__vta_kernel_exp", VT_EMIT_OBJECT, "the name of kernel 0, '__vta_kernel_exp', begins with __vta_"},
        {"__vta_signature_x", VT_EMIT_C, "the name of kernel 0, '__vta_signature_x', begins with __vta_"},
        {"two\nlines", VT_EMIT_OBJECT, "the name of kernel 0 has the control character 0x0a"},
        {"a.b", VT_EMIT_C, "no function of C can be called 'a.b' (for '.')"},
        {"a b", VT_EMIT_C, "no function of C can be called 'a b' (for ' ')"},
        {"a.b", VT_EMIT_OBJECT, NULL},
        {"3d", VT_EMIT_C, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kit k;
        kit_open(&k);
        vt_codegen_func cf = {.func = kernel(&k.ctx, rows[i].name), .device_type = VT_DEVICE_CPU};
        vt_codegen_job job = {.funcs = &cf, .count = 1};
        vt_strbuf out;
        vt_strbuf_init(&out, NULL);
        vta_status status = vt_codegen_emit(&k.ctx, &job, rows[i].what, &out);
        assert_int_equal(status, rows[i].says ? VTA_INVALID_ARGUMENT : VTA_OK);
        if (rows[i].says && !strstr(vta_diag_text(k.diag), rows[i].says)) fail_msg("%s", vta_diag_text(k.diag));
        vt_strbuf_free(&out);
        kit_close(&k);
    }
}

/* A text of LLVM IR calls a function that is called what the kernel is. */
static void called_by_imported_ir(void **state) {
    (void)state;
    kit k;
    kit_open(&k);
    vt_ctx *c = &k.ctx;
    const vt_buffer *r = flat(c, "R", VT_I32, 1);
    const vt_expr *zero = vt_i32(c, 0), *element = at(c, r, zero);
    const vt_stmt *body = set(c, r, zero, vt_e_call_extern(c, VT_I32, "low_bits", 1, &element));
    const vt_expr *text = vt_string(c, "declare i32 @toascii(i32)\ndefine i32 @low_bits(i32 %x) {\n"
                                       "  %y = call i32 @toascii(i32 %x)\n  ret i32 %y\n}\n");
    body = vt_s_attr(c, vt_ref_none(), VT_PRAGMA_PREFIX "import_llvm", text, body);
    code compiled = compile(&k, function(c, "toascii", 1, &r, body), VT_DEVICE_CPU, 2);
    int32_t value = 128 + 65;
    flat_tensor t;
    tensor_init(&t, &value, 1, 0, 32, 1);
    assert_int_equal(call(compiled.call, 1, &t), 0);
    assert_int_equal(value, 65);
    code_free(&compiled);
    kit_close(&k);
}

static int clean(void **state) {
    (void)state;
    runs("rm -r %s%s", folder, "");
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_in_one_module), cmocka_unit_test(each_by_itself),
                                       cmocka_unit_test(linked_into_a_program), cmocka_unit_test(refused),
                                       cmocka_unit_test(called_by_imported_ir)};
    if (!mkdtemp(folder)) return 1;
    return cmocka_run_group_tests(tests, NULL, clean);
}
