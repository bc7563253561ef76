/* Whatever tensors and axes are called, the C text compiles: every word that the C compiler knows after the headers of
 * such a text, and every macro that it defines, is the name of a tensor and of a loop once. */
#include <math.h>

#include "codegen/kernels.h"

enum { NAMES = 16384, TENSORS = 3 };

static const char HEADERS[] = "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\n"
                              "#include <string.h>\n";

typedef struct words {
    char *at[NAMES];
    size_t n;
} words;

static void add_word(words *w, const char *text, size_t n) {
    for (size_t i = 0; i < w->n; i++)
        if (strlen(w->at[i]) == n && memcmp(w->at[i], text, n) == 0) return;
    assert_true(w->n < NAMES);
    w->at[w->n++] = strndup(text, n);
}

/* The identifiers in what a command prints. */
static void add_output(words *w, const char *command) {
    static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    char line[16384];
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        for (char *p = line; *(p += strcspn(p, LETTERS));) {
            size_t n = strspn(p, LETTERS);
            if (*p < '0' || *p > '9') add_word(w, p, n);
            p += n;
        }
    pclose(f);
}

/* out[i] = exp(in[i] as float) at infinity's sign, the bits of a number, and a remainder: what calls functions, uses
 * types and macros. */
static const vt_func *kernel(vt_ctx *c, const char *name, char *const names[TENSORS + 1]) {
    const vt_buffer *b[TENSORS];
    for (int i = 0; i < TENSORS; i++) b[i] = flat(c, names[i], i ? VT_F32 : VT_I64, 8);
    const vt_var *i = vt_var_new(c, names[TENSORS], VT_I32);
    const vt_expr *x = at(c, b[1], i), *limit = vt_float(c, VT_F32, HUGE_VAL);
    const vt_expr *small = vt_e_bin(c, VT_E_LT, x, limit), *power = vt_e_call(c, VT_F32, VT_OP_EXP, 1, &x);
    const vt_expr *bits = vt_e_call(c, VT_I32, VT_OP_REINTERPRET, 1, &x);
    const vt_expr *least = vt_int(c, VT_I64, INT64_MIN), *wide = vt_e_cast(c, VT_I64, bits);
    const vt_stmt *items[] = {set(c, b[2], i, vt_e_select(c, small, power, vt_float(c, VT_F32, NAN))),
                              set(c, b[0], i, vt_e_bin(c, VT_E_MAX, least, vt_e_bin(c, VT_E_FLOORMOD, wide, least)))};
    return function(c, name, TENSORS, b, loop(c, i, 8, vt_s_seq(c, 2, items)));
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

TEST_CASE(every_name) {
    char folder[] = "/tmp/vta_names_XXXXXX", path[64], command[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/names.c", folder);
    write_text(path, HEADERS);
    words *w = calloc(1, sizeof *w);
    snprintf(command, sizeof command, "cc -std=gnu11 -E -P %s", path);
    add_output(w, command);
    snprintf(command, sizeof command, "cc -std=gnu11 -E -dM %s", path);
    add_output(w, command);
    static const char *const more[] = {"while", "alignas", "vt_tensor", "vt_fail", "args", "TVMAPISetLastError",
                                       "3d",    "a.b"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) add_word(w, more[i], strlen(more[i]));
    if (w->n < 500) fail_msg("the C compiler knows %zu words only", w->n);
    while (w->n % (TENSORS + 1)) w->at[w->n++] = strdup("x");

    kit k;
    kit_open(&k);
    size_t n = w->n / (TENSORS + 1);
    vt_codegen_func *funcs = calloc(n, sizeof *funcs);
    for (size_t i = 0; i < n; i++)
        funcs[i] =
            (vt_codegen_func){.func = kernel(&k.ctx, vt_new_format(&k.ctx, "kernel_%zu", i), w->at + i * (TENSORS + 1)),
                              .device_type = VT_DEVICE_CPU};
    vt_strbuf out;
    vt_strbuf_init(&out, NULL);
    if (vt_codegen_c(&k.ctx, &(vt_codegen_job){.funcs = funcs, .count = n}, &out) != VTA_OK)
        fail_msg("%s", vta_diag_text(k.diag));
    write_text(path, vt_strbuf_text(&out));
    snprintf(command, sizeof command, "cc -std=gnu11 -fwrapv -w -fsyntax-only %s", path);
    assert_int_equal(system(command), 0);
    remove(path);
    rmdir(folder);
    vt_strbuf_free(&out);
    for (size_t i = 0; i < w->n; i++) free(w->at[i]);
    free(w);
    free(funcs);
    kit_close(&k);
}

int main(void) { return run_cases(); }
