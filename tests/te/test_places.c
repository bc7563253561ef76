/* How much of a stage is needed where it is computed, for every memory and thread; places at which it cannot be
 * computed. */
#include "te_test.h"

enum { ROWS = 8, COLUMNS = 12 };

typedef struct fixture {
    te_context *c;
    te_tensor *a, *x, *y;
    te_schedule *s;
    te_stage *sx, *sy;
    te_axis *loops[2];
} fixture;

static fixture make(void) {
    fixture f = {.c = context_with(NULL)};
    f.a = te_placeholder(f.c, "a", "int32", 2, (int64_t[]){ROWS, COLUMNS});
    f.x = te_define(f.c, "x[i: 8, j: 12] = a[i, j] + 1");
    f.y = te_define(f.c, "y[i: 8, j: 12] = x[i, j] * 2");
    f.s = te_schedule_create(f.c, 1, &f.y);
    f.sx = te_schedule_stage(f.s, f.x);
    f.sy = te_schedule_stage(f.s, f.y);
    for (size_t d = 0; d < 2; d++) f.loops[d] = te_stage_axis(f.sy, d);
    assert_fine(f.c);
    return f;
}

static int64_t extent_of(fixture *f, const te_bounds *b, size_t axis) {
    te_expr *min, *extent;
    int64_t value = -1;
    assert_int_equal(te_bounds_range(b, te_stage_axis(f->sx, axis), &min, &extent), VTA_OK);
    assert_int_equal(te_expr_int(f->c, extent, &value), VTA_OK);
    return value;
}

/* Who shares a memory: all threads of all blocks; those of a block; those along x of it; nobody. Virtual threads are
 * loops. */
typedef enum thread { NO_THREAD, BLOCK, THREAD_X, THREAD_Y, VIRTUAL, THREADS } thread;
static const char *const tags[THREADS] = {NULL, "blockIdx.x", "threadIdx.x", "threadIdx.y", "vthread"};

static const struct {
    const char *scope, *is;
    bool shared_by[THREADS];
} memories[] = {
    {"global", "global", {[BLOCK] = true, [THREAD_X] = true, [THREAD_Y] = true, [VIRTUAL] = true}},
    {"global.texture", "global.texture", {[BLOCK] = true, [THREAD_X] = true, [THREAD_Y] = true, [VIRTUAL] = true}},
    {"shared", "shared", {[THREAD_X] = true, [THREAD_Y] = true, [VIRTUAL] = true}},
    {"shared.dyn", "shared.dyn", {[THREAD_X] = true, [THREAD_Y] = true, [VIRTUAL] = true}},
    {"warp", "warp", {[THREAD_X] = true}},
    {"local", "local", {false}},
    {"acc", "local.acc_buffer", {false}},
    {"",
     "",
     {false}}, /* whose memory it is follows from where it is computed: all of it at the root, a thread's at its loop */
};
enum { MEMORIES = sizeof memories / sizeof *memories };

/* x for rows of y that are bound to a thread: at the root (-1), or at loop 0 or 1. */
static void check(thread t, size_t memory, int at) {
    fixture f = make();
    char what[100];
    snprintf(what, sizeof what, "%s, %s, %d", tags[t] ? tags[t] : "none", memories[memory].scope, at);
    if (t != NO_THREAD) assert_int_equal(te_bind(f.sy, f.loops[0], te_thread_axis(f.c, tags[t])), VTA_OK);
    assert_int_equal(te_set_scope(f.sx, memories[memory].scope), VTA_OK);
    if (at >= 0) assert_int_equal(te_compute_at(f.sx, f.sy, f.loops[at]), VTA_OK);
    bool unnamed = !*memories[memory].scope, shared = unnamed ? at < 0 : memories[memory].shared_by[t];
    bool own = t != NO_THREAD && t != VIRTUAL && !shared; /* each thread has its own */
    te_bounds *b = te_infer_bounds(f.s);
    if (at < 0 && own) {
        char said[400];
        snprintf(said, sizeof said,
                 "x is kept in %s memory, of which each thread has its own, but y, which needs it, is bound to thread "
                 "%s inside "
                 "of where x is computed: compute it at the loop i or further in, or keep it in global memory",
                 memories[memory].is, tags[t]);
        if (b) fail_msg("%s is not refused", what);
        assert_refused(f.c, VTA_ILLEGAL, said);
    } else {
        if (!b) fail_msg("%s: %s", what, vta_diag_text(te_context_diag(f.c)));
        int64_t rows = at < 0 || (t != NO_THREAD && shared) ? ROWS : 1, columns = at < 1 ? COLUMNS : 1;
        if (extent_of(&f, b, 0) != rows || extent_of(&f, b, 1) != columns)
            fail_msg("%s: %d x %d, not %d x %d", what, (int)extent_of(&f, b, 0), (int)extent_of(&f, b, 1), (int)rows,
                     (int)columns);
    }
    te_context_destroy(f.c);
}

TEST_CASE(memories_of_threads) {
    for (int t = 0; t < THREADS; t++)
        for (size_t memory = 0; memory < MEMORIES; memory++)
            for (int at = -1; at < 2; at++) check((thread)t, memory, at);
}

/* A block and a thread around what is computed at the thread's loop, each with its memory. */
TEST_CASE(blocks_and_threads) {
    static const struct {
        const char *scope;
        int64_t rows, columns;
    } rows[] = {{"global", ROWS, COLUMNS}, {"shared", 1, COLUMNS}, {"local", 1, 1}, {"", 1, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        fixture f = make();
        te_bind(f.sy, f.loops[0], te_thread_axis(f.c, "blockIdx.x"));
        te_bind(f.sy, f.loops[1], te_thread_axis(f.c, "threadIdx.y"));
        te_set_scope(f.sx, rows[r].scope);
        te_compute_at(f.sx, f.sy, f.loops[1]);
        te_bounds *b = te_infer_bounds(f.s);
        assert_fine(f.c);
        assert_int_equal(extent_of(&f, b, 0), rows[r].rows);
        assert_int_equal(extent_of(&f, b, 1), rows[r].columns);
        te_context_destroy(f.c);
    }
}

/* z for one element of a stage of which 3 rows from 4 on and 6 columns from 5 on are needed, whose loops are one; for
 * stretches of 3, which lie in a row, and of 4, which may lie in two. */
TEST_CASE(ranges_after_zero) {
    static const char *const regions[] = {
        "[(floordiv(i.j.fused, 6) + 4):((floordiv(i.j.fused, 6) + 4) + 1), (floormod(i.j.fused, 6) + "
        "5):((floormod(i.j.fused, 6) + 5) + 1)]",
        "[(floordiv(i.j.fused.outer, 2) + 4):((floordiv(i.j.fused.outer, 2) + 4) + 1), ((floormod(i.j.fused.outer, "
        "2)*3) + "
        "5):(((floormod(i.j.fused.outer, 2)*3) + 5) + 3)]",
        "[(floordiv((i.j.fused.outer*4), 6) + 4):((floordiv((i.j.fused.outer*4), 6) + 4) + "
        "(floordiv((floormod((i.j.fused.outer*4), 6) + 3), 6) + 1)), 5:11]"};
    for (int64_t size = 0; size < 3; size++) {
        te_context *c = context_with(NULL);
        te_tensor *a = te_placeholder(c, "a", "int32", 2, (int64_t[]){8, 12}),
                  *z = te_define(c, "z[i: 8, j: 12] = a[i, j] + 1");
        te_tensor *x = te_define(c, "x[i: 8, j: 12] = z[i, j] * 2"),
                  *y = te_define(c, "y[i: 3, j: 6] = x[i + 4, j + 5]");
        te_schedule *s = te_schedule_create(c, 1, &y);
        te_stage *st = te_schedule_stage(s, x);
        te_axis *at;
        te_fuse(st, 2, (te_axis *[]){te_stage_axis(st, 0), te_stage_axis(st, 1)}, &at);
        if (size) te_split(st, at, size + 2, &at, NULL);
        te_compute_at(te_schedule_stage(s, z), st, at);
        const vt_func *f = lower(s, 2, (te_tensor *[]){a, y});
        assert_fine(c);
        char *text = nest_text(c, f);
        if (!strstr(text, regions[size])) fail_msg("%s is not in\n%s", regions[size], text);
        free(text);
        te_context_destroy(c);
    }
}

/* At the root in memory of its own for every thread: wrong unless a loop of x is that very thread, with as many values.
 */
TEST_CASE(threads_of_both) {
    for (int same = 0; same < 2; same++) {
        fixture f = make();
        te_axis *x = te_thread_axis(f.c, "threadIdx.x"), *y = te_thread_axis(f.c, "threadIdx.y");
        te_bind(f.sy, f.loops[0], x);
        te_bind(f.sx, te_stage_axis(f.sx, 0), same ? x : y);
        te_set_scope(f.sx, "local");
        assert_null(te_infer_bounds(f.s));
        assert_refused(
            f.c, VTA_ILLEGAL,
            same ? "x: axes bound to thread threadIdx.x have different extents, 8 and 1; all stages must split it alike"
                 : "x is kept in local memory, of which each thread has its own");
        te_context_destroy(f.c);
    }
}

static vta_status lower_number(vt_ctx *ctx, void *arg) {
    fixture *f = arg;
    const vt_te_arg args[] = {{.tensor = f->a}, {.tensor = f->y}, {.scalar = te_int(f->c, "int32", 1)}};
    vt_te_lower(f->s, 3, args, "main");
    (void)ctx;
    return VTA_OK;
}

TEST_CASE(refused) {
    fixture f = make();
    te_context *c = f.c;
    assert_int_equal(vt_protect(vt_te_ctx(c), lower_number, &f), VTA_INVALID_ARGUMENT);
    assert_refused(c, VTA_INVALID_ARGUMENT, "argument 2 is neither a tensor nor a scalar");
    te_context_destroy(c);

    f = make(); /* the loop of x is inside of what an intrinsic stands for */
    te_tensor *p = te_placeholder(f.c, "p", "int32", 1, (int64_t[]){COLUMNS}),
              *doubled = te_define(f.c, "r[j: 12] = p[j] * 2");
    te_intrin *in = te_intrin_create(f.c, "double", doubled);
    te_expr *access = te_intrin_access(in, p, "r");
    te_intrin_emit(in, TE_INTRIN_BODY, te_call(f.c, "int32", "run", 1, &access));
    te_tensorize(f.sy, f.loops[1], in);
    te_compute_at(f.sx, f.sy, f.loops[1]);
    assert_null(lower(f.s, 2, (te_tensor *[]){f.a, f.y}));
    assert_refused(f.c, VTA_ILLEGAL,
                   "x is to be computed at y.j, but that loop is not in the code: it lies inside a tensorized loop, or "
                   "y is itself "
                   "computed later");
    te_context_destroy(f.c);
}

int main(void) { return run_cases(); }
