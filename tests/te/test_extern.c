/* Computations that consist of statements, in random schedules: what the passes make of them, interpreted, gives
 * what plain C gives. (Before the passes a buffer is a name for a part of a tensor, which is not interpreted.) */
#include "ir/interp.h"
#include "lower/lower.h"
#include "support/check.h"
#include "te_test.h"
#include "vta/te_stmt.h"

enum { PROGRAMS = 400, MAX = 6 };

static check_random numbers = {88172645463325252u};
static uint32_t random_below(uint32_t n) { return check_next(&numbers) % n; }

/* a[m, n] -> scaled[m, n] -> statements -> turned[m, n], last[m] -> y[k, m, n] */
typedef struct program {
    te_context *c;
    int64_t k, m, n;
    te_tensor *a, *b, *scaled, *made[2], *y;
    te_schedule *s;
    bool adds; /* y reads scaled, too */
} program;

static te_expr *number(program *p, int64_t x) { return te_int(p->c, NULL, x); }

static te_buffer *buffer(program *p, const char *name, size_t ndim) {
    te_expr *rows = number(p, p->m), *columns = number(p, p->n);
    return te_buffer_create(p->c, name, "int32", ndim, ndim == 2 ? (te_expr *[]){rows, columns} : &columns, NULL);
}

/* turned[i, n - 1 - j] = scaled[i, j] + b[j]; last[i] = scaled[i, n - 1] */
static void add_statements(program *p) {
    te_context *c = p->c;
    te_expr *rows = number(p, p->m), *columns = number(p, p->n), *last = number(p, p->n - 1);
    te_buffer *in[2] = {buffer(p, "in", 2), buffer(p, "row", 1)};
    te_buffer *out[2] = {buffer(p, "turned", 2), te_buffer_create(c, "last", "int32", 1, &rows, NULL)};
    te_expr *i = te_variable(c, "i", "int32"), *j = te_variable(c, "j", "int32");
    te_expr *sum = te_add(c, te_buffer_load(c, in[0], 2, (te_expr *[]){i, j}), te_buffer_load(c, in[1], 1, &j));
    const vtac_stmt *steps[2] = {te_stmt_for(c, j, number(p, 0), columns, TE_LOOP_SERIAL,
                                             te_stmt_store(c, out[0], sum, 2, (te_expr *[]){i, te_sub(c, last, j)})),
                                 te_stmt_store(c, out[1], te_buffer_load(c, in[0], 2, (te_expr *[]){i, last}), 1, &i)};
    const vtac_stmt *body = te_stmt_for(c, i, number(p, 0), rows, TE_LOOP_SERIAL, te_stmt_seq(c, 2, steps));
    assert_fine(c);
    assert_int_equal(te_extern(c, "made", NULL, 2, (te_tensor *[]){p->scaled, p->b}, in, 2, out, body, p->made),
                     VTA_OK);
}

/* y[k, i, j] = turned[m - 1 - i, j] - last[i] * k, and scaled[i, j] where `adds` */
static void add_reader(program *p) {
    te_context *c = p->c;
    te_axis *axes[3] = {te_axis_create(c, "k", p->k), te_axis_create(c, "i", p->m), te_axis_create(c, "j", p->n)};
    te_expr *at[3];
    for (int i = 0; i < 3; i++) at[i] = te_axis_value(c, axes[i]);
    te_expr *turned = te_load(c, p->made[0], 2, (te_expr *[]){te_sub(c, number(p, p->m - 1), at[1]), at[2]});
    te_expr *value = te_sub(c, turned, te_mul(c, te_load(c, p->made[1], 1, &at[1]), at[0]));
    if (p->adds) value = te_add(c, value, te_load(c, p->scaled, 2, &at[1]));
    assert_int_equal(te_compute_axes(c, "y", NULL, 3, axes, 1, &value, &p->y), VTA_OK);
}

static void make_program(program *p) {
    *p = (program){.c = context_with(NULL), .adds = random_below(2)};
    te_context *c = p->c;
    p->k = 1 + random_below(3);
    p->m = 1 + random_below(MAX);
    p->n = 1 + random_below(MAX);
    p->a = te_placeholder(c, "a", "int32", 2, (int64_t[]){p->m, p->n});
    p->b = te_placeholder(c, "b", "int32", 1, &p->n);
    p->scaled = te_compute(c, "scaled", 2, (int64_t[]){p->m, p->n}, "i, j", "a[i, j] * 3 + i");
    add_statements(p);
    add_reader(p);
    p->s = te_schedule_create(c, 1, &p->y);
    assert_fine(c);
}

static void schedule(program *p) {
    te_stage *y = te_schedule_stage(p->s, p->y), *made = te_schedule_stage(p->s, p->made[0]);
    te_axis *outer = te_stage_axis(y, random_below(3)), *inner;
    if (random_below(2)) te_split(y, outer, 1 + random_below(4), &outer, &inner);
    uint32_t how = random_below(4);
    if (how & 1) te_compute_at(made, y, outer);
    if (how & 2) te_compute_at(te_schedule_stage(p->s, p->scaled), y, outer);
    assert_fine(p->c);
}

static void expected(const program *p, const int32_t *a, const int32_t *b, int32_t *out) {
    for (int64_t k = 0; k < p->k; k++)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t j = 0; j < p->n; j++) {
                int64_t row = p->m - 1 - i, column = p->n - 1 - j;
                int32_t turned = a[row * p->n + column] * 3 + (int32_t)row + b[column];
                int32_t last = a[i * p->n + p->n - 1] * 3 + (int32_t)i;
                *out++ = turned - last * (int32_t)k + (p->adds ? a[i * p->n + j] * 3 + (int32_t)i : 0);
            }
}

typedef struct interpretation {
    const vt_func *f;
    vt_interp_arg args[3];
} interpretation;

static vta_status interpret(vt_ctx *ctx, void *arg) {
    interpretation *run = arg;
    run->f = vt_lower(ctx, run->f, &(vtac_lower_options){.verify = 1}, NULL, NULL);
    return vt_interp_run(ctx, run->f, 3, run->args, NULL);
}

/* True when the schedule was legal: an element that the statements read may be computed at a loop only where all of
 * them are. */
static bool check(program *p, int index) {
    int32_t a[MAX * MAX], b[MAX], want[3 * MAX * MAX], got[3 * MAX * MAX];
    te_tensor *args[3] = {p->a, p->b, p->y};
    size_t size = (size_t)(p->k * p->m * p->n);
    for (int i = 0; i < MAX * MAX; i++) a[i] = (int32_t)random_below(2001) - 1000;
    for (int i = 0; i < MAX; i++) b[i] = (int32_t)random_below(2001) - 1000;
    expected(p, a, b, want);
    const vt_func *f = lower(p->s, 3, args);
    if (!f) {
        assert_refused(p->c, VTA_ILLEGAL, "scaled");
        return false;
    }
    memset(got, 0x55, sizeof got);
    interpretation run = {
        f, {{a, (size_t)(p->m * p->n), {.u = {0}}}, {b, (size_t)p->n, {.u = {0}}}, {got, size, {.u = {0}}}}};
    if (vt_protect(vt_te_ctx(p->c), interpret, &run) != VTA_OK)
        fail_msg("program %d: %s", index, vta_diag_text(te_context_diag(p->c)));
    if (memcmp(got, want, size * sizeof *got) != 0) {
        char *text = nest_text(p->c, run.f);
        fputs(text, stderr);
        fail_msg("program %d is wrong", index);
    }
    return true;
}

TEST_CASE(random_schedules) {
    int legal = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        program p;
        make_program(&p);
        schedule(&p);
        legal += check(&p, i);
        te_context_destroy(p.c);
    }
    print_message("%d of %d schedules are legal\n", legal, PROGRAMS);
    assert_true(legal > PROGRAMS / 2);
}

static void assert_not_made(te_context *c, size_t inputs, te_tensor **in, te_buffer **in_buffers, size_t results,
                            te_buffer **out_buffers, const vtac_stmt *body, const char *message) {
    te_tensor *out[1] = {(te_tensor *)(void *)c};
    assert_int_equal(te_extern(c, "made", NULL, inputs, in, in_buffers, results, out_buffers, body, out),
                     VTA_INVALID_ARGUMENT);
    if (results) assert_null(out[0]);
    assert_refused(c, VTA_INVALID_ARGUMENT, message);
}

TEST_CASE(refused) {
    te_context *c = context_with(NULL);
    te_expr *four = te_int(c, "int32", 4), *n = te_scalar(c, "n", "int32"), *loose = te_variable(c, "loose", "int32");
    te_tensor *a = te_placeholder(c, "a", "int32", 1, (int64_t[]){4}), *out;
    te_buffer *in = te_buffer_create(c, "in", "int32", 1, &four, NULL),
              *made = te_buffer_create(c, "made", "int32", 1, &four, NULL);
    te_buffer *narrow = te_buffer_create(c, "narrow", "int8", 1, &four, NULL),
              *any = te_buffer_create(c, "any", "int32", 1, &loose, NULL);
    te_expr *zero = te_int(c, "int32", 0);
    const vtac_stmt *body = te_stmt_store(c, made, te_buffer_load(c, in, 1, &zero), 1, &zero);
    assert_fine(c);
    assert_not_made(c, 1, &a, &in, 0, NULL, body, "made has 1 inputs and 0 results");
    assert_not_made(c, 65536, &a, &in, 1, &made, body, "made has 65536 inputs and 1 results");
    assert_not_made(c, 1, NULL, &in, 1, &made, body, "NULL where a list is expected");
    assert_not_made(c, 1, &a, NULL, 1, &made, body, "NULL where a list is expected");
    assert_not_made(c, 1, &a, &narrow, 1, &made, body,
                    "made: buffer narrow has not the shape and type of a, which it stands for");
    assert_not_made(
        c, 0, NULL, NULL, 1, &made, body,
        "the statement of made uses in, which no loop, allocation or value in it defines, and which is neither of its "
        "buffers nor a scalar");
    const vtac_stmt *free_variable = te_stmt_store(c, made, loose, 1, &zero),
                    *scalar = te_stmt_store(c, made, n, 1, &zero);
    assert_not_made(c, 1, &a, &in, 1, &made, free_variable, "the statement of made uses loose, which no loop");
    assert_int_equal(te_extern(c, "m", NULL, 0, NULL, NULL, 1, &made, scalar, &out), VTA_OK); /* a scalar is known */
    assert_string_equal(te_tensor_tag(out), "");
    assert_int_equal(te_extern(c, "m", "some", 1, &a, &any, 1, &made, free_variable, &out),
                     VTA_OK); /* a size of a buffer */
    assert_string_equal(te_tensor_tag(out), "some");
    assert_ptr_equal(te_tensor_stmt(out), free_variable);
    assert_int_equal(te_extern(c, "m", NULL, 1, &a, &in, 1, &made, body, NULL), VTA_INVALID_ARGUMENT);
    te_buffer_options o = {.elem_offset = loose};
    te_buffer *later = te_buffer_create(c, "later", "int32", 1, &four, &o);
    assert_int_equal(te_extern(c, "m", NULL, 1, &a, &later, 1, &made, free_variable, &out),
                     VTA_OK); /* where it begins */
    o = (te_buffer_options){.stride_count = 1, .strides = &loose};
    te_buffer *apart = te_buffer_create(c, "apart", "int32", 1, &four, &o);
    assert_int_equal(te_extern(c, "m", NULL, 1, &a, &apart, 1, &made, free_variable, &out),
                     VTA_OK); /* how far apart they are */
    te_tensor *before = te_define(c, "before[i: 4] = a[i] + 1"), *first, *after, *second;
    assert_int_equal(te_extern(c, "second", NULL, 1, &before, &in, 1, &made, body, &second), VTA_OK);
    after = te_define(c, "after[i: 4] = second[i] + a[i]");
    te_schedule *s = te_schedule_create(c, 1, &after);
    assert_int_equal(te_compute_inline(te_schedule_stage(s, before)), VTA_ILLEGAL);
    assert_refused(c, VTA_ILLEGAL, "cannot compute_inline before: second, which reads it, consists of statements");
    assert_int_equal(te_compute_inline(te_schedule_stage(s, second)), VTA_ILLEGAL);
    assert_refused(c, VTA_ILLEGAL, "cannot compute_inline second: it consists of statements");
    first = te_cache_read(s, before, "local", 1, &second); /* what no statement reads any more can be inlined */
    assert_int_equal(te_compute_inline(te_schedule_stage(s, before)), VTA_OK);
    assert_int_equal(te_compute_inline(te_schedule_stage(s, first)), VTA_ILLEGAL);
    assert_refused(c, VTA_ILLEGAL, "which reads it, consists of statements");
    s = te_schedule_create(c, 1, &out);
    assert_null(te_cache_write(s, out, "acc"));
    assert_refused(c, VTA_UNSUPPORTED, "cannot cache_write m: it consists of statements");
    int32_t values[4] = {0};
    assert_int_equal(te_evaluate(c, out, 1, &a, (const void *[]){values}, values), VTA_UNSUPPORTED);
    assert_refused(c, VTA_UNSUPPORTED, "m consists of statements, which are only run when they are compiled: build it");
    te_context_destroy(c);
}

int main(void) { return run_cases(); }
