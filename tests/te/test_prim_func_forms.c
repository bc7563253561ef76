/* Computations as functions of blocks, line by line: what a block reads, where results lie, where axes begin; and what
 * cannot be said so. */
#include "support/check.h"
#include "te_test.h"

/* The lines between the comment and the end, as far out as they can be, are these. */
static void assert_blocks(te_context *c, size_t n, te_tensor *const args[], const char *parameters,
                          const char *blocks) {
    static const char head[] = "        # body\n        # with T.block(\"root\")\n";
    const char *text = te_prim_func_text(c, n, args, "f");
    assert_fine(c);
    char signature[400];
    snprintf(signature, sizeof signature, "    def f(%s) -> None:\n        # function attr dict\n", parameters);
    assert_contains(text, signature);
    assert_contains(text, "        T.func_attr({\"global_symbol\": \"f\", \"tir.noalias\": True})\n");
    const char *at = strstr(text, head);
    assert_non_null(at);
    vt_strbuf got;
    vt_strbuf_init(&got, NULL);
    for (at += sizeof head - 1; strncmp(at, "        ", 8) == 0; at = strchr(at, '\n') + 1)
        vt_strbuf_addf(&got, "%.*s\n", (int)strcspn(at, "\n") - 8, at + 8);
    assert_same_text("the blocks", vt_strbuf_text(&got), blocks);
    vt_strbuf_free(&got);
}

typedef struct fixture {
    te_context *c;
    te_tensor *a, *b;
} fixture;

static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    f.a = te_placeholder(f.c, "a", "int32", 1, (int64_t[]){8});
    f.b = te_placeholder(f.c, "b", "int32", 1, (int64_t[]){4});
    return f;
}

/* All elements of a tensor that are read are one part of it. */
TEST_CASE(reads) {
    fixture f = make();
    te_tensor *y = te_define(f.c, "y[i: 4] = a[i] + a[i + 2] + b[i]");
    assert_blocks(f.c, 3, (te_tensor *[]){f.b, f.a, y},
                  "b: T.Buffer[(4,), \"int32\"], a: T.Buffer[(8,), \"int32\"], y: T.Buffer[(4,), \"int32\"]",
                  "for i0 in T.serial(4):\n"
                  "    with T.block(\"y\"):\n"
                  "        i = T.axis.spatial(4, i0)\n"
                  "        T.reads(a[i : i + 3], b[i])\n"
                  "        T.writes(y[i])\n"
                  "        y[i] = a[i] + a[i + 2] + b[i]\n");
    te_context_destroy(f.c);
}

/* What is no argument is allocated, in its type; what is one is not, also where another block reads it. */
TEST_CASE(between) {
    static const char blocks[] = "for i0 in T.serial(4):\n"
                                 "    with T.block(\"t\"):\n"
                                 "        i = T.axis.spatial(4, i0)\n"
                                 "        T.reads(b[i])\n"
                                 "        T.writes(t[i])\n"
                                 "        t[i] = T.cast(b[i], \"int8\")\n"
                                 "for i0, i1 in T.grid(4, 2):\n"
                                 "    with T.block(\"u\"):\n"
                                 "        i, j = T.axis.remap(\"SS\", [i0, i1])\n"
                                 "        T.reads(t[i])\n"
                                 "        T.writes(u[i, j])\n"
                                 "        u[i, j] = T.cast(t[i], \"int32\") * j\n"
                                 "for i0 in T.serial(4):\n"
                                 "    with T.block(\"v\"):\n"
                                 "        i = T.axis.spatial(4, i0)\n"
                                 "        T.reads(u[i, 0 : 2])\n"
                                 "        T.writes(v[i])\n"
                                 "        v[i] = u[i, 0] + u[i, 1]\n";
    fixture f = make();
    te_define(f.c, "t[i: 4] = int8(b[i])");
    te_tensor *u = te_define(f.c, "u[i: 4, j: 2] = int32(t[i]) * j"),
              *v = te_define(f.c, "v[i: 4] = u[i, 0] + u[i, 1]");
    char expected[2000];
    snprintf(expected, sizeof expected, "%s%s%s", "t = T.alloc_buffer([4], dtype=\"int8\")\n",
             "u = T.alloc_buffer([4, 2], dtype=\"int32\")\n", blocks);
    assert_blocks(f.c, 2, (te_tensor *[]){f.b, v}, "b: T.Buffer[(4,), \"int32\"], v: T.Buffer[(4,), \"int32\"]",
                  expected);
    snprintf(expected, sizeof expected, "%s%s", "t = T.alloc_buffer([4], dtype=\"int8\")\n", blocks);
    assert_blocks(f.c, 3, (te_tensor *[]){f.b, v, u},
                  "b: T.Buffer[(4,), \"int32\"], v: T.Buffer[(4,), \"int32\"], u: T.Buffer[(4, 2), \"int32\"]",
                  expected);
    te_context_destroy(f.c);
}

/* Results of one computation: each is stored to its own buffer, an argument or not. */
TEST_CASE(two_results) {
    fixture f = make();
    te_axis *i = te_axis_create(f.c, "i", 4);
    te_expr *at = te_axis_value(f.c, i), *bodies[] = {te_load(f.c, f.b, 1, &at), te_add(f.c, at, te_int(f.c, NULL, 1))};
    te_tensor *two[2];
    assert_int_equal(te_compute_axes(f.c, "two", NULL, 1, &i, 2, bodies, two), VTA_OK);
    assert_blocks(f.c, 2, (te_tensor *[]){f.b, two[1]}, "b: T.Buffer[(4,), \"int32\"], two: T.Buffer[(4,), \"int32\"]",
                  "two_1 = T.alloc_buffer([4], dtype=\"int32\")\n"
                  "for i0 in T.serial(4):\n"
                  "    with T.block(\"two\"):\n"
                  "        i = T.axis.spatial(4, i0)\n"
                  "        T.reads(b[i])\n"
                  "        T.writes(two_1[i], two[i])\n"
                  "        two_1[i] = b[i]\n"
                  "        two[i] = i + 1\n");
    te_context_destroy(f.c);
}

/* A maximum over 2, 3 and 4, which begins at the least number; a sum that begins at something. */
TEST_CASE(reductions) {
    fixture f = make();
    te_axis *i = te_axis_create(f.c, "i", 4), *k = te_reduce_axis(f.c, "k", 2, 3);
    te_expr *at = te_axis_value(f.c, k), *x = te_add(f.c, te_load(f.c, f.a, 1, &at), te_axis_value(f.c, i));
    te_expr *largest = te_reduce(f.c, TE_MAX_OF, x, 1, &k);
    te_tensor *w;
    assert_int_equal(te_compute_axes(f.c, "w", NULL, 1, &i, 1, &largest, &w), VTA_OK);
    assert_blocks(f.c, 2, (te_tensor *[]){f.a, w}, "a: T.Buffer[(8,), \"int32\"], w: T.Buffer[(4,), \"int32\"]",
                  "for i0 in T.serial(4):\n"
                  "    for i1 in T.serial(2, 5):\n"
                  "        with T.block(\"w\"):\n"
                  "            i, k = T.axis.remap(\"SR\", [i0, i1])\n"
                  "            T.reads(a[k])\n"
                  "            T.writes(w[i])\n"
                  "            with T.init():\n"
                  "                w[i] = -2147483648\n"
                  "            w[i] = T.max(w[i], a[k] + i)\n");
    te_tensor *z = te_define(f.c, "z[i: 4] = sum[k: 3](a[i + k], b[i])");
    const char *text = te_prim_func_text(f.c, 3, (te_tensor *[]){f.b, f.a, z}, NULL);
    assert_contains(text, "    def main(b: ");
    assert_contains(text, "                with T.init():\n"
                          "                    z[i] = b[i]\n"
                          "                z[i] = z[i] + a[i + k]\n");
    te_context_destroy(f.c);
}

TEST_CASE(refused) {
    fixture f = make(), other = make();
    te_tensor *y = te_define(f.c, "y[i: 4] = a[i] + b[i]"), *foreign = te_define(other.c, "y[i: 4] = b[i]");
    te_tensor *rows = te_placeholder(f.c, "rows", "int32", 2, (int64_t[]){6, 3}), *scan;
    te_tensor *first = te_define(f.c, "first[t: 1, j: 3] = 0"),
              *next = te_define(f.c, "next[t: 6, j: 3] = rows[t - 1, j] + a[t]");
    assert_int_equal(te_scan(f.c, "s", NULL, 1, &first, &next, &rows, &scan), VTA_OK);
    const struct {
        size_t n;
        te_tensor *args[3];
        const char *why;
    } rows_of[] = {
        {2, {f.a, y}, "error: the input b is not among the arguments"},
        {2, {f.b, y}, "error: the input a is not among the arguments"},
        {1, {y}, "error: the input a is not among the arguments"},
        {2, {f.b, f.a}, "error: the arguments of a function are inputs only: nothing is computed"},
        {0, {NULL}, "error: the arguments of a function are inputs only: nothing is computed"},
        {3, {f.a, f.b, scan}, "error: s is a scan, which a function of blocks cannot say: lower its schedule"},
        {2, {other.b, foreign}, "error: y belongs to another context: te_context_use makes its objects usable here"},
    };
    for (size_t r = 0; r < sizeof rows_of / sizeof *rows_of; r++) {
        assert_null(te_prim_func_text(f.c, rows_of[r].n, rows_of[r].args, "f"));
        char *words = take_messages(f.c);
        assert_string_equal(words, rows_of[r].why);
        free(words);
    }
    assert_non_null(te_prim_func_text(f.c, 3, (te_tensor *[]){f.a, f.b, y}, "f"));
    te_context_destroy(f.c);
    te_context_destroy(other.c);
}

int main(void) { return run_cases(); }
