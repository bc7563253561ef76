/* Steps that are written out and take turns in several places: convolutions with random lists of sizes, orders of
 * loops, places and operands that stay on the chip, on several machines, in orders that the tokens allow, race-free and
 * equal to their meaning. Some of them are proven. */
#include <stddef.h>
#include <stdio.h>

#include "support/check.h"

#include "build/programs.h"

static int pick(check_random *r, int least, int most) { return (int)check_between(r, least, most); }

typedef struct text {
    char of[8192];
} text;

static void add(text *t, const char *fmt, ...) {
    size_t size = strlen(t->of);
    va_list args;
    va_start(args, fmt);
    vsnprintf(t->of + size, sizeof t->of - size, fmt, args);
    va_end(args);
}

/* A list of sizes of at most `largest` that make `extent`, or one size, which need not divide it. */
static void add_sizes(check_random *r, text *t, int extent, int largest) {
    if (largest > extent) largest = extent;
    if (pick(r, 0, 3) == 0) {
        add(t, "%d", pick(r, 1, largest));
        return;
    }
    add(t, "[");
    for (int rest = extent; rest > 0;) {
        int size = pick(r, 1, largest < rest ? largest : rest);
        add(t, "%s%d", rest < extent ? ", " : "", size);
        rest -= size;
    }
    add(t, "]");
}

typedef struct conv {
    int ic, oc, h, w, kh, kw, step, top, bottom, left, right, y, x;
    bool skip, rows_inside, whole_weight, whole_data, by_hand;
} conv;

static conv draw(check_random *r) {
    conv c = {
        .ic = pick(r, 1, 4), .oc = pick(r, 1, 6), .kh = pick(r, 1, 3), .kw = pick(r, 1, 3), .step = pick(r, 1, 2)};
    c.top = pick(r, 0, c.kh - 1), c.bottom = pick(r, 0, c.kh - 1);
    c.left = pick(r, 0, c.kw - 1), c.right = pick(r, 0, c.kw - 1);
    c.h = pick(r, c.kh, 10), c.w = pick(r, c.kw + 1, 10);
    c.y = (c.h + c.top + c.bottom - c.kh) / c.step + 1;
    c.x = (c.w + c.left + c.right - c.kw) / c.step + 1;
    c.skip = pick(r, 0, 2) && c.x > 2;
    c.rows_inside = pick(r, 0, 1);
    c.whole_weight = pick(r, 0, 1);
    c.whole_data = pick(r, 0, 1);
    return c;
}

static void add_computation(text *t, const conv *c) {
    add(t, "kernel conv\ninput data: inp_t[1, %d, %d, %d, BATCH, BLOCK_IN]\n", c->ic, c->h, c->w);
    add(t, "input weight: wgt_t[%d, %d, %d, %d, BLOCK_OUT, BLOCK_IN]\n", c->oc, c->ic, c->kh, c->kw);
    add(t, "reduce rc = %d, dy = %d, dx = %d, ri = BLOCK_IN\n", c->ic, c->kh, c->kw);
    add(t, "tensor data_buf = pad(data, [0, 0, %d, %d, 0, 0], [0, 0, %d, %d, 0, 0])\n", c->top, c->left, c->bottom,
        c->right);
    add(t, "tensor weight_buf[q: %d, o: %d, y: %d, x: %d, e: BLOCK_OUT, f: BLOCK_IN] = weight[o, q, y, x, e, f]\n",
        c->ic, c->oc, c->kh, c->kw);
    add(t, "tensor sums[bo: 1, co: %d, i: %d, j: %d, bi: BATCH, ci: BLOCK_OUT] = sum[rc, dy, dx, ri](", c->oc, c->y,
        c->x);
    if (c->skip)
        add(t, "select(i * %d + dy >= %d && i * %d + dy < %d && j * %d + dx >= %d && j * %d + dx < %d, ", c->step,
            c->top, c->step, c->top + c->h, c->step, c->left, c->step, c->left + c->w);
    add(t, "acc_t(data_buf[bo, rc, i * %d + dy, j * %d + dx, bi, ri]) * acc_t(weight_buf[rc, co, dy, dx, ci, ri])%s)\n",
        c->step, c->step, c->skip ? ", acc_t(0))" : "");
    add(t, "tensor small like sums = sums[...] >> 6\ntensor low like sums = max(small[...], -100)\n");
    add(t, "output res like sums = out_t(low[...])\n");
}

static void add_schedule(check_random *r, text *t, const conv *c) {
    const char *outer = c->rows_inside ? "oc_out" : "y_out", *inner = c->rows_inside ? "y_out" : "oc_out";
    add(t, "stage res\n  split 1 by ");
    add_sizes(r, t, c->oc, 4);
    add(t, " -> oc_out, oc_in\n  split 2 by ");
    add_sizes(r, t, c->y, 6);
    add(t, " -> y_out, y_in\n  reorder 0, %s, %s, oc_in, y_in, 3, 4, 5\n", outer, inner);
    add(t, "  pragma %s slots = %d\n  pragma oc_in dma_copy\nstage sums\n  scope acc\n  compute_at res, %s\n", inner,
        pick(r, 1, 3), inner);
    add(t, "  split rc by ");
    add_sizes(r, t, c->ic, 3);
    add(t, " -> rc_out, rc_in\n  reorder rc_out, bo, i, j, rc_in, dy, dx, co, bi, ci, ri\n");
    add(t, "  pragma rc_out slots = %d\n%s  %s\n", pick(r, 1, 3), pick(r, 0, 1) ? "  pragma bo late_uops\n" : "",
        c->skip ? "pragma bi conv2d_transpose_gemm" : "tensorize bi gemm");
    for (int i = 0; i < 2; i++) {
        bool whole = i ? c->whole_weight : c->whole_data;
        add(t, "stage %s\n  scope %s\n", i ? "weight_buf" : "data_buf", i ? "wgt" : "inp");
        if (whole)
            add(t, "  compute_at res, %s\n  pragma %d slots = 1\n  pragma %d dma_copy\n", pick(r, 0, 1) ? "0" : outer,
                !i, 1 + !i);
        else
            add(t, "  compute_at sums, rc_out\n  pragma 0 dma_copy\n");
    }
    add(t, "stage small\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", inner);
    add(t, "stage low\n  scope acc\n  compute_at res, %s\n  pragma 0 alu\n", inner);
}

/* What does not fit the machine may be refused. Tiles so small that no order of micro-ops keeps three apart are too. */
static bool open_text(machine *m, const char *source, const shape *s) {
    static const char *const reasons[] = {"buffer holds", "buffer, which holds", "one accumulator"};
    machine_config(m, s);
    need(m, vtac_kernel_parse(source, strlen(source), "slots", NULL, m->config, NULL, m->diag, &m->kernel), source);
    const vtac_lower_options lower = {.config = m->config, .verify = 1};
    if (vtac_kernel_lower(m->kernel, &lower, &m->func) != VTA_OK) {
        const char *said = vta_diag_text(te_context_diag(vtac_kernel_context(m->kernel)));
        for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
            if (strstr(said, reasons[i])) return false;
        fputs(source, stderr);
        fail_msg("on %s: %s", s->name, said);
    }
    const vtac_build_func f = {.func = m->func};
    need(m, vtac_build(1, &f, &(vtac_build_options){.target = "vta", .trace = 1}, m->diag, &m->module), source);
    need(m, vtac_module_function(m->module, vtac_func_name(m->func), m->diag, &m->call), source);
    return true;
}

static void prove(machine *m, const char *source) {
    const te_tensor *args[3];
    size_t n = vtac_kernel_arg_count(m->kernel);
    vtac_prove_result result = {.size = sizeof result};
    for (size_t i = 0; i < n && i < 3; i++) args[i] = vtac_kernel_arg(m->kernel, i);
    need(m, vtac_prove(vtac_kernel_context(m->kernel), n, args, m->call, NULL, m->diag, &result), source);
    if (result.verdict != VTAC_PROVEN) fail_msg("%s: %s", source, result.reason);
}

enum { CASES = 90 };
static const vta_order orders[] = {VTA_ORDER_RANDOM, VTA_ORDER_STORE_LATE, VTA_ORDER_PROGRAM};

TEST_CASE(test_random) {
    const char *count = getenv("VTA_TEST_CASES");
    int refused = 0, n = count ? atoi(count) : CASES;
    for (int seed = 0; seed < n; seed++) {
        check_random r = {.state = (uint64_t)seed * 2654435761u + 3};
        text t = {""};
        machine m;
        conv c = draw(&r);
        add_computation(&t, &c);
        add_schedule(&r, &t, &c);
        if (open_text(&m, t.of, &shapes[seed % SHAPES])) {
            vt_strbuf trace;
            vt_strbuf_init(&trace, NULL);
            machine_check(&m, t.of, orders[seed / SHAPES % 3], (uint64_t)seed, &trace);
            vt_strbuf_free(&trace);
            if (seed % 8 == 0) prove(&m, t.of);
        } else {
            refused++;
        }
        machine_close(&m);
    }
    print_message("%d of %d do not fit their machine\n", refused, n);
    if (refused * 5 > n) fail_msg("%d of %d refused", refused, n);
}

/* ---- Rows that slide: windows that overlap, touch, or leave rows out --------------------------------------------- */

static void add_window(text *t, int taps, int stride, int rows, int slots) {
    int height = (rows - 1) * stride + taps;
    add(t, "kernel k\ninput x: acc_t[%d, 4, BATCH, BLOCK_OUT]\n", height);
    add(t, "tensor b[r: %d, j: 4, e: BATCH, f: BLOCK_OUT] = x[r, j, e, f]\n", height);
    add(t, "tensor s[r: %d, j: 4, e: BATCH, f: BLOCK_OUT] = b[r, j, e, f] >> 2\n", height);
    for (int k = 0; k < taps; k++) {
        add(t, "tensor m%d[r: %d, j: 4, e: BATCH, f: BLOCK_OUT] = ", k, rows);
        if (k) add(t, "max(m%d[r, j, e, f], ", k - 1);
        add(t, "s[r * %d + %d, j, e, f]%s\n", stride, k, k ? ")" : " + 1");
    }
    add(t, "output y[r: %d, j: 4, e: BATCH, f: BLOCK_OUT] = out_t(m%d[r, j, e, f])\n", rows, taps - 1);
    add(t, "stage y\n  split 0 by 1 -> o, i\n  pragma o slots = %d\n  pragma i dma_copy\n", slots);
    for (int k = 0; k < taps; k++) add(t, "stage m%d\n  scope acc\n  compute_at y, o\n  pragma 0 alu\n", k);
    add(t, "stage s\n  scope acc\n  compute_at y, o\n  pragma 0 sliding = 0\n  pragma 1 alu\n");
    add(t, "stage b\n  scope acc\n  compute_at s, 0\n  pragma 0 dma_copy\n");
}

TEST_CASE(test_sliding) {
    for (int seed = 0; seed < 3 * 4 * 3; seed++) {
        text t = {""};
        machine m;
        int taps = 1 + seed % 3, stride = 1 + seed / 3 % 4;
        int rows = seed / 12 < 2 ? 3 + seed / 12 : 180; /* more than acc could hold at once */
        add_window(&t, taps, stride, rows, 2 + seed % 2);
        machine_config(&m, &shapes[0]);
        need(&m, vtac_kernel_parse(t.of, strlen(t.of), "sliding", NULL, m.config, NULL, m.diag, &m.kernel), t.of);
        vta_status status = vtac_kernel_lower(m.kernel, NULL, &m.func);
        const char *said = vta_diag_text(te_context_diag(vtac_kernel_context(m.kernel)));
        if (taps > 2 * stride) {
            assert_int_equal(status, VTA_ILLEGAL);
            assert_contains(said, "s: a step reads rows older than the step before it");
            machine_close(&m);
            continue;
        }
        if (status != VTA_OK) fail_msg("%s: %s", t.of, said);
        const vtac_build_func f = {.func = m.func};
        need(&m, vtac_build(1, &f, &(vtac_build_options){.target = "vta", .trace = 1}, m.diag, &m.module), t.of);
        need(&m, vtac_module_function(m.module, "k", m.diag, &m.call), t.of);
        vt_strbuf trace;
        vt_strbuf_init(&trace, NULL);
        machine_check(&m, t.of, orders[seed % 3], (uint64_t)seed, &trace);
        vt_strbuf_free(&trace);
        prove(&m, t.of);
        machine_close(&m);
    }
}

/* ---- On the host: lists of sizes need no places ------------------------------------------------------------- */

TEST_CASE(test_processor) {
    for (int seed = 0; seed < 30; seed++) {
        check_random r = {.state = (uint64_t)seed * 2654435761u + 7};
        int rows = pick(&r, 1, 9), columns = pick(&r, 1, 9), taps = pick(&r, 1, 3);
        text t = {""};
        machine m;
        add(&t, "kernel k\ntarget llvm\ninput a: int32[%d, %d]\nreduce k = %d\n", rows + taps, columns, taps);
        add(&t, "tensor b[i: %d, j: %d] = a[i, j] * 3 + i\n", rows + taps, columns);
        add(&t, "output c[i: %d, j: %d] = sum[k](b[i + k, j])\nstage c\n  split i by ", rows, columns);
        add_sizes(&r, &t, rows, 4);
        add(&t, " -> io, ii\n  split j by ");
        add_sizes(&r, &t, columns, 4);
        add(&t, " -> jo, ji\n  split k by ");
        add_sizes(&r, &t, taps, 2);
        add(&t, " -> ko, ki\n  reorder %s\nstage b\n  compute_at c, %s\n",
            pick(&r, 0, 1) ? "io, jo, ii, ji, ko, ki" : "jo, io, ko, ii, ji, ki", pick(&r, 0, 1) ? "jo" : "io");
        machine_config(&m, &shapes[0]);
        need(&m, vtac_kernel_parse(t.of, strlen(t.of), "list", NULL, m.config, NULL, m.diag, &m.kernel), t.of);
        need(&m, vtac_kernel_lower(m.kernel, NULL, &m.func), t.of);
        const vtac_build_func f = {.func = m.func};
        need(&m, vtac_build(1, &f, &(vtac_build_options){.target = "llvm"}, m.diag, &m.module), t.of);
        need(&m, vtac_module_function(m.module, "k", m.diag, &m.call), t.of);
        vt_strbuf trace;
        vt_strbuf_init(&trace, NULL);
        machine_check(&m, t.of, VTA_ORDER_PROGRAM, (uint64_t)seed, &trace);
        vt_strbuf_free(&trace);
        machine_close(&m);
    }
}

/* ---- Refusals --------------------------------------------------------------------------------------------------- */

/* Each step reads two rows, one of which the step before has read. */
#define ROWS(mark, size, sliding)                                                                                      \
    "input x: acc_t[9, 4, BATCH, BLOCK_OUT]\ntensor b[r: 9, j: 4, e: BATCH, f: BLOCK_OUT] = x[r, j, e, f]\n"           \
    "tensor s[r: 9, j: 4, e: BATCH, f: BLOCK_OUT] = b[r, j, e, f] >> 2\n"                                              \
    "tensor m[r: 8, j: 4, e: BATCH, f: BLOCK_OUT] = max(s[r, j, e, f], s[r + 1, j, e, f])\n"                           \
    "output y[r: 8, j: 4, e: BATCH, f: BLOCK_OUT] = out_t(m[r, j, e, f])\nstage y\n  split 0 by " size                 \
    " -> o, i\n" mark "  pragma i dma_copy\nstage m\n  scope acc\n  compute_at y, o\n  pragma 0 alu\nstage s\n"        \
    "  scope acc\n  compute_at y, o\n" sliding "  pragma 1 alu\nstage b\n  scope acc\n  compute_at s, 0\n"             \
    "  pragma 0 dma_copy\n"
#define COPY(steps)                                                                                                    \
    "input x: acc_t[6, BATCH, BLOCK_OUT]\ntensor b like x = x[...]\ntensor c like x = b[...] >> 1\n"                   \
    "output y like x = out_t(c[...])\nstage y\n  split 0 by 2 -> o, i\n" steps                                         \
    "  pragma i dma_copy\nstage b\n  scope acc\n  compute_at y, o\n  pragma 0 dma_copy\n"                              \
    "stage c\n  scope acc\n  compute_at y, o\n  pragma 0 alu\n"

TEST_CASE(test_refused) {
    static const struct {
        const char *kernel, *words;
    } refused[] = {
        {COPY("  pragma o slots = 0\n"), "a number of places is from 1 to 64"},
        {COPY("  pragma o slots = 65\n"), "a number of places is from 1 to 64"},
        {COPY("  pragma o slots = 2\n  bind o cthread\n"), ""},
        {"input x: acc_t[6, BATCH, BLOCK_OUT]\ntensor b like x = x[...]\noutput y like x = out_t(b[...])\nstage y\n"
         "  split 0 by 3 -> o, i\n  split i by 1 -> p, q\n  bind o cthread\n  pragma p slots = 2\n  pragma q dma_copy\n"
         "stage b\n  scope acc\n  compute_at y, p\n  pragma 0 dma_copy\n",
         "slots inside of virtual threads"},
        {"input x: acc_t[5000, BATCH, BLOCK_OUT]\ntensor b like x = x[...]\noutput y like x = out_t(b[...])\nstage y\n"
         "  split 0 by 1 -> o, i\n  pragma o slots = 2\n  pragma i dma_copy\nstage b\n  scope acc\n  compute_at y, o\n"
         "  pragma 0 dma_copy\n",
         "more than 4096 steps would be written out"},
        {COPY("  pragma o slots = 2\n"), ""},
        {COPY("  pragma o slots = 2\n  pragma o late_uops\n"), ""},
        {COPY("  pragma o late_uops\n"), "late_uops: no loop of the kernel is marked `slots`"},
        {ROWS("  pragma o slots = 2\n", "1", "  pragma 0 sliding = 0\n"), ""},
        {ROWS("  pragma o slots = 2\n", "8", "  pragma 0 sliding = 0\n"), "make tiles of one row"},
        {ROWS("", "1", "  pragma 0 sliding = 0\n"), "there is no loop marked `slots`"},
        {ROWS("  pragma o slots = 2\n", "1", "  pragma 0 sliding = 7\n"), "its value is the number of an axis"},
        {ROWS("  pragma o slots = 2\n", "2", "  pragma 0 sliding = 0\n"), "make tiles of one row"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        machine m;
        const char *source = refused[i].kernel, *words = refused[i].words;
        machine_config(&m, &shapes[0]);
        need(&m, vtac_kernel_parse(source, strlen(source), "slots", NULL, m.config, NULL, m.diag, &m.kernel), source);
        vta_status status = vtac_kernel_lower(m.kernel, NULL, &m.func);
        const char *said = vta_diag_text(te_context_diag(vtac_kernel_context(m.kernel)));
        if (*words ? status != VTA_ILLEGAL || !strstr(said, words) : status == VTA_INTERNAL)
            fail_msg("%s: %d, %s", source, (int)status, said);
        machine_close(&m);
    }
}

int main(void) { return run_cases(); }
