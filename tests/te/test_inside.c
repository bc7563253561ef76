/* Reads outside of a tensor: what is certain is refused when it is lowered, with tensor, dimension, range and extent;
 * what a condition guards is not. Against every point of small computations, looked at one by one. */
#include "te_test.h"

enum { PROGRAMS = 20000 };

static uint64_t seed = 88172645463325252u;

static int64_t between(int64_t low, int64_t high) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return low + (int64_t)(seed % (uint64_t)(high - low + 1));
}

static int64_t floor_div(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

/* One program: o[i: ni, j: nj] reads a at an index under a guard, or sums it over k. */
typedef struct program {
    int64_t ni, nj, extent;
    int64_t ci, cj, base, by; /* (ci * i + base) // by + cj * j */
    bool twice;               /* + i once more: both ends need not be taken */
    int guard;
    int64_t from, to; /* of i, where it is guarded */
} program;

enum { PLAIN, CHOICE, SELECTION, CONDITION, OTHER_SIDE, REDUCTION, GUARDS };

static int64_t index_of(const program *p, int64_t i, int64_t j) {
    return floor_div(p->ci * i + p->base, p->by) + p->cj * j + (p->twice ? i : 0);
}

static bool reads(const program *p, int64_t i) {
    bool inside = i >= p->from && i < p->to;
    return p->guard == PLAIN || p->guard == REDUCTION ? true : p->guard == OTHER_SIDE ? !inside : inside;
}

static void write(const program *p, char *text, size_t size) {
    static const char *const forms[GUARDS] = {
        [PLAIN] = "%.0s%.0sa[%s]",
        [CHOICE] = "if_then_else(i >= %s && i < %s, a[%s], 7)",
        [SELECTION] = "select(i >= %s && i < %s, a[%s], 7)",
        [CONDITION] = "if_then_else(i >= %s && i < %s && a[%s] > 3, 1, 0)",
        [OTHER_SIDE] = "if_then_else(i >= %s && i < %s, 7, 1 + a[%s])",
        [REDUCTION] = "%.0s%.0ssum[k: 3](a[%s] * k)",
    };
    char index[128], from[16], to[16], body[256];
    snprintf(index, sizeof index, "(i * %d + %d) // %d + j * %d%s", (int)p->ci, (int)p->base, (int)p->by, (int)p->cj,
             p->twice ? " + i" : "");
    snprintf(from, sizeof from, "%d", (int)p->from);
    snprintf(to, sizeof to, "%d", (int)p->to);
    snprintf(body, sizeof body, forms[p->guard], from, to, index);
    snprintf(text, size, "o[i: %d, j: %d] = %s", (int)p->ni, (int)p->nj, body);
}

static program make(void) {
    program p = {.ni = between(1, 6), .nj = between(1, 4), .extent = between(1, 16)};
    p.ci = between(-3, 3), p.cj = between(-2, 3), p.base = between(-3, 12), p.by = between(0, 2) ? 1 : between(2, 4);
    p.twice = between(0, 5) == 0;
    p.guard = (int)between(0, GUARDS - 1);
    p.from = between(-1, 4), p.to = between(0, 7);
    return p;
}

static bool is_refused(const char *text, int64_t extent, char **out_words) {
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, &extent), *o = te_define(c, text), *both[] = {a, o};
    assert_fine(c);
    bool fine = lower(te_schedule_create(c, 1, &o), 2, both) != NULL;
    if (!fine) assert_int_equal(te_context_status(c), VTA_OUT_OF_RANGE);
    *out_words = take_messages(c);
    te_context_destroy(c);
    return !fine;
}

TEST_CASE(against_every_point) {
    int counts[GUARDS][2] = {{0}};
    for (int n = 0; n < PROGRAMS; n++) {
        program p = make();
        int64_t least = INT64_MAX, most = INT64_MIN;
        bool always = true;
        for (int64_t i = 0; i < p.ni; i++)
            for (int64_t j = 0; j < p.nj; j++) {
                always = always && reads(&p, i);
                if (!reads(&p, i)) continue;
                int64_t at = index_of(&p, i, j);
                least = at < least ? at : least, most = at > most ? at : most;
            }
        bool outside = least < 0 || (most >= p.extent && most != INT64_MIN);
        if (most == INT64_MIN) outside = false;
        char text[512], expected[64], *words;
        write(&p, text, sizeof text);
        bool refused = is_refused(text, p.extent, &words);
        counts[p.guard][refused]++;
        if (refused && !outside) fail_msg("%s with a[%d]: %s", text, (int)p.extent, words);
        /* Where each axis occurs once and no condition guards it, it must be seen, and the range be exact. */
        bool certain = always && !(p.twice && p.by > 1) && p.guard != CONDITION;
        if (certain && outside && !refused) fail_msg("%s with a[%d] passes", text, (int)p.extent);
        snprintf(expected, sizeof expected, least == most ? "is %d," : "from %d to %d,", (int)least, (int)most);
        if (certain && refused && !strstr(words, expected)) fail_msg("%s: \"%s\" not in %s", text, expected, words);
        free(words);
    }
    for (int g = 0; g < GUARDS; g++) {
        print_message("guard %d: %d pass, %d are refused\n", g, counts[g][0], counts[g][1]);
        assert_true(counts[g][0] > 500);
        if (g != CONDITION) assert_true(counts[g][1] > 100);
    }
}

TEST_CASE(words) {
    static const struct {
        const char *text, *message; /* NULL: fine */
    } rows[] = {
        {"o[i: 4] = a[i, 4]",
         "o reads a outside of it: the index of dimension 1, 4, is 4, but the dimension has 4 elements"},
        {"o[i: 4] = a[i - 1, 0]", "dimension 0, (i - 1), runs from -1 to 2, but the dimension has 4"},
        {"o[i: 9, j: 4] = a[i // 2, j]", "runs from 0 to 4, but"},
        {"o[i: 8, j: 4] = a[i // 2, j]", NULL},
        {"o[i: 9, j: 4] = a[i % 4, j]", NULL},
        {"o[i: 9, j: 4] = a[min(i, 3), j]", NULL},
        {"o[i: 9, j: 4] = a[i % 4 + 4, j]", "dimension 0"}, /* no value is inside */
        {"o[i: 4, j: 4] = a[a[i, j], j]", NULL},            /* data */
        {"o[i: 4, j: 4] = a[a[i, j + 1], j]", "dimension 1, (j + 1)"},
        {"o[i: 4, j: 4] = if_then_else(likely(i < 3), a[i + 1, j], 0)", NULL},
        {"o[i: 4, j: 4] = if_then_else(a[i + 1, j] > 0, 1, 0)", "dimension 0, (i + 1)"},
        {"o[i: 4, j: 4] = if_then_else(i < 4, a[i + 1, j], 0)", "dimension 0, (i + 1)"}, /* always */
        {"o[i: 4, j: 4] = if_then_else(i > 3, a[i + 1, j], 0)", NULL},                   /* never */
        {"o = pad(a, [1, 1], [2, 0])", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        te_context *c = context_with(NULL);
        te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){4, 4});
        te_context_at(c, "kernel", 7, 9);
        te_tensor *o = te_define(c, rows[i].text), *both[] = {a, o};
        te_context_at(c, NULL, 0, 0);
        assert_fine(c);
        te_schedule *s = te_schedule_create(c, 1, &o);
        bool fine = lower(s, 2, both);
        if (fine != !rows[i].message) fail_msg("%s: %s", rows[i].text, vta_diag_text(te_context_diag(c)));
        if (!fine) {
            vta_diag_entry e;
            assert_int_equal(vta_diag_get(te_context_diag(c), 0, &e), VTA_OK);
            assert_string_equal(e.file, "kernel"); /* where the computation was said, not where it was lowered */
            assert_refused(c, VTA_OUT_OF_RANGE, rows[i].message);
        }
        te_context_destroy(c);
    }
}

/* Extents that are known at the call only. */
TEST_CASE(symbolic) {
    static const struct {
        const char *index;
        bool fine;
    } rows[] = {{"0", true},         {"i", true},      {"i + 1", false}, {"i - 1", false},
                {"n - 1 - i", true}, {"n - i", false}, {"n", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        te_context *c = context_with(NULL);
        te_expr *n = te_scalar(c, "n", "int32");
        te_tensor *a = te_placeholder_expr(c, "a", "int32", 1, &n), *o = NULL, *both[] = {a, NULL};
        te_axis *axis = te_axis_create_expr(c, "i", n);
        te_expr *at = te_axis_value(c, axis), *one = te_int(c, NULL, 1);
        te_expr *indices[] = {
            te_int(c, NULL, 0), at, te_add(c, at, one), te_sub(c, at, one), te_sub(c, te_sub(c, n, one), at),
            te_sub(c, n, at),   n};
        te_expr *body = te_load(c, a, 1, &indices[i]);
        assert_int_equal(te_compute_axes(c, "o", NULL, 1, &axis, 1, &body, &o), VTA_OK);
        both[1] = o;
        bool fine = lower(te_schedule_create(c, 1, &o), 2, both);
        if (fine != rows[i].fine) fail_msg("%s: %s", rows[i].index, vta_diag_text(te_context_diag(c)));
        te_context_destroy(c);
    }
}

/* The reference computes no more than is asked for either. */
TEST_CASE(evaluated) {
    static const char *const fine[] = {"o[i: 8] = select(i < 4, a[i], 9)",
                                       "o[i: 8] = if_then_else(i < 4 && a[i] > 0, 1, 0)",
                                       "o[i: 8] = if_then_else(i >= 4 || a[i] > 0, 1, 0)"};
    static const int32_t x[4] = {5, -6, 7, 8}, expected[3][8] = {{5, -6, 7, 8, 9, 9, 9, 9},
                                                                 {1, 0, 1, 1, 0, 0, 0, 0},
                                                                 {1, 0, 1, 1, 1, 1, 1, 1}};
    te_context *c = context_with(NULL);
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){4});
    for (int i = 0; i < 3; i++) {
        int32_t got[8];
        assert_int_equal(te_evaluate(c, te_define(c, fine[i]), 1, &a, (const void *[]){x}, got), VTA_OK);
        assert_memory_equal(got, expected[i], sizeof got);
    }
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
