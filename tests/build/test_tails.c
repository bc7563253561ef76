/* Splits that do not divide: full tiles and tails, on several machines, in several orders that the tokens allow,
 * race-free and equal to the meaning of the kernel bit for bit. */
#include <stddef.h>
#include <stdio.h>

#include "support/check.h"

#include "build/programs.h"

/* ---- Parameters of the examples --------------------------------------------------------------------------------- */

static const struct {
    const char *file, *params;
} cases[] = {
    /* one tile that is a tail; a tail of rows, of columns, both and so four corners */
    {"conv2d", "out_channels=64 in_channels=32 height=7"},
    {"conv2d", "width=20 height=7 in_channels=32 out_channels=32"},
    {"conv2d", "height=15 in_channels=32 out_channels=64"},
    {"conv2d", "height=17 width=16 in_channels=32 out_channels=64"},
    {"conv2d", "height=3 width=2 in_channels=32 out_channels=64 threads=1"},
    /* threads without work, with less, one with all; more threads than tiles */
    {"conv2d", "threads=3 in_channels=32 height=7"},
    {"conv2d", "out_channels=160 in_channels=32 height=7"},
    {"conv2d", "out_channels=320 in_channels=32 height=7"},
    {"conv2d", "out_channels=160 in_channels=32 width=15 height=8 threads=2"},
    {"conv2d", "out_channels=128 in_channels=32 height=7 threads=16"},
    {"conv2d", "batch=4 in_channels=32 out_channels=96 height=3 width=15"},
    /* the last step of the reduction is shorter; both */
    {"blocked_matmul", "rows=4 in_channels=160 out_channels=128 block=64"},
    {"blocked_matmul", "rows=4 in_channels=128 out_channels=160 block=64"},
    {"blocked_matmul", "rows=4 in_channels=224 out_channels=288 block=64"},
    {"tails", "m=10 n=3 tile=4 part=2 threads=1"},
    {"tails", "m=10 n=3 tile=4 part=2 threads=2"},
    {"tails", "m=10 n=3 tile=4 part=3 threads=3"},
    {"tails", "m=13 n=5 tile=4 part=4 threads=2"},
    {"tails", "m=3 n=5 tile=4 part=3 threads=4"},
    {"tails", "m=33 n=7 tile=5 part=3 threads=3"},
};

static void open_case(machine *m, const char *file, const char *params, const shape *s) {
    machine_config(m, s);
    need(m, vtac_kernel_load(file, params, m->config, NULL, m->diag, &m->kernel), file);
    const vtac_lower_options lower = {.config = m->config, .verify = 1};
    need(m, vtac_kernel_lower(m->kernel, &lower, &m->func), params);
    const vtac_build_func f = {.func = m->func};
    need(m, vtac_build(1, &f, &(vtac_build_options){.target = "vta", .trace = 1}, m->diag, &m->module), params);
    need(m, vtac_module_function(m->module, vtac_func_name(m->func), m->diag, &m->call), params);
}

/* The first `n` of three orders. */
static void check_orders(machine *m, const char *name, uint64_t seed, uint64_t n) {
    static const vta_order orders[] = {VTA_ORDER_RANDOM, VTA_ORDER_STORE_LATE, VTA_ORDER_PROGRAM};
    for (uint64_t i = 0; i < n; i++) {
        vt_strbuf trace;
        vt_strbuf_init(&trace, NULL);
        machine_check(m, name, orders[i], seed + i, &trace);
        vt_strbuf_free(&trace);
    }
}

TEST_CASE(test_parameters) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int k = 0; k < SHAPES; k++) {
            machine m;
            char file[96], name[192];
            bool own = strcmp(cases[i].file, "tails") == 0;
            snprintf(file, sizeof file, own ? "tests/kernel/cases/%s.te" : "examples/%s.te", cases[i].file);
            snprintf(name, sizeof name, "%s with %s on %s", cases[i].file, cases[i].params, shapes[k].name);
            if (strcmp(shapes[k].name, "4x8") == 0 && strcmp(cases[i].file, "conv2d") == 0) continue; /* too small */
            open_case(&m, file, cases[i].params, &shapes[k]);
            check_orders(&m, name, i, k == 0 ? 3 : 1);
            machine_close(&m);
        }
    }
}

/* ---- Random splits ---------------------------------------------------------------------------------------------- */

static int pick(check_random *r, int least, int most) { return (int)check_between(r, least, most); }

/* Shapes, padding and tiles of tests/build/vta/conv_tails.te. */
static void draw(check_random *r, char *params, size_t size) {
    int rows = pick(r, 1, 4), columns = pick(r, 1, 4), step = pick(r, 1, 3);
    int top = pick(r, 0, rows - 1), bottom = pick(r, 0, rows - 1);
    int left = pick(r, 0, columns - 1), right = pick(r, 0, columns - 1);
    int height = pick(r, rows, 11), width = pick(r, columns, 11), ins = pick(r, 1, 4), outs = pick(r, 1, 7);
    int y = (height + top + bottom - rows) / step + 1, x = (width + left + right - columns) / step + 1;
    snprintf(params, size,
             "images=%d ins=%d outs=%d height=%d width=%d rows=%d columns=%d step=%d top=%d bottom=%d left=%d right=%d "
             "oc=%d y=%d x=%d ic=%d threads=%d row_threads=%d",
             pick(r, 1, 2), ins, outs, height, width, rows, columns, step, top, bottom, left, right, pick(r, 1, outs),
             pick(r, 1, y), pick(r, 1, x), pick(r, 1, ins), pick(r, 1, 4), pick(r, 0, 2) ? 1 : pick(r, 2, 3));
}

/* What does not fit the machine may be refused; a split that does not divide is no reason. */
static bool lowers(machine *m, const char *params, const shape *s) {
    static const char *const reasons[] = {"buffer holds", "buffer, which holds"};
    machine_config(m, s);
    need(m, vtac_kernel_load("tests/build/vta/conv_tails.te", params, m->config, NULL, m->diag, &m->kernel), params);
    const vtac_lower_options lower = {.config = m->config, .verify = 1};
    if (vtac_kernel_lower(m->kernel, &lower, &m->func) == VTA_OK) return true;
    const char *text = vta_diag_text(te_context_diag(vtac_kernel_context(m->kernel)));
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(text, reasons[i])) return false;
    fail_msg("%s on %s: %s", params, s->name, text);
    return false;
}

TEST_CASE(test_random) {
    int refused = 0, n = 60;
    for (int seed = 0; seed < n; seed++) {
        check_random r = {.state = (uint64_t)seed * 2654435761u + 1};
        char params[320];
        machine m;
        const shape *s = &shapes[seed % SHAPES];
        draw(&r, params, sizeof params);
        if (lowers(&m, params, s)) {
            const vtac_build_func f = {.func = m.func};
            need(&m, vtac_build(1, &f, &(vtac_build_options){.target = "vta", .trace = 1}, m.diag, &m.module), params);
            need(&m, vtac_module_function(m.module, vtac_func_name(m.func), m.diag, &m.call), params);
            check_orders(&m, params, (uint64_t)seed, 1);
        } else {
            refused++;
        }
        machine_close(&m);
    }
    print_message("%d of %d do not fit their machine\n", refused, n);
    if (refused * 10 > n) fail_msg("%d of %d refused", refused, n);
}

int main(void) { return run_cases(); }
