/* Out of memory in the midst of a schedule step, as early and as late as can be: the step reports it and changes
 * nothing, and is made once there is memory again. */
#include "support/check.h"
#include "support/failing.h"
#include "te_test.h"
#include "vta/te_stmt.h"

enum { READERS = 12 };

typedef struct fixture {
    failing memory;
    vta_allocator allocator;
    te_context *c;
    te_tensor *a, *x, *t, *y;
    te_schedule *s;
} fixture;

/* x[i, j] = a[i, j] + 1, read by tensors of which each is read by the next; y adds up columns of the last. */
static void make(fixture *f) {
    *f = (fixture){.memory = {-1, 0, false}, .allocator = {failing_resize, &f->memory}};
    f->c = te_context_create(NULL, &f->allocator);
    assert_non_null(f->c);
    f->a = te_placeholder(f->c, "a", "int32", 2, (int64_t[]){8, 6});
    f->x = te_define(f->c, "x like a = a[...] + 1");
    f->t = te_define(f->c, "t like a = x[...] * 3");
    for (int n = 0; n < READERS; n++) f->t = te_define(f->c, "t like a = x[...] - t[...]");
    f->y = te_define(f->c, "y[i: 8] = sum[k: 6](t[i, k])");
    f->s = te_schedule_create(f->c, 1, &f->y);
    assert_fine(f->c);
}

static te_stage *stage_x(fixture *f) { return te_schedule_stage(f->s, f->x); }
static te_stage *stage_y(fixture *f) { return te_schedule_stage(f->s, f->y); }
static te_axis *axis_x(fixture *f, size_t n) { return te_stage_axis(stage_x(f), n); }
static te_axis *axis_y(fixture *f, size_t n) { return te_stage_axis(stage_y(f), n); }

/* Steps, true where they were made. */
typedef bool step(fixture *f);

static bool cached_read(fixture *f) { return te_cache_read(f->s, f->x, "local", 0, NULL) != NULL; }
static bool cached_write(fixture *f) { return te_cache_write(f->s, f->x, "local") != NULL; }
static bool factored(fixture *f) { return te_rfactor(f->s, f->y, axis_y(f, 1), 0) != NULL; }
static bool grouped(fixture *f) { return te_group_create(f->s, 1, &f->y, 1, &f->x, true) != NULL; }
static bool is_inline(fixture *f) { return te_compute_inline(stage_x(f)) == VTA_OK; }
static bool attached(fixture *f) {
    return te_compute_at(te_schedule_stage(f->s, f->t), stage_y(f), axis_y(f, 0)) == VTA_OK;
}
static bool is_split(fixture *f) { return te_split(stage_x(f), axis_x(f, 0), 4, NULL, NULL) == VTA_OK; }
static bool is_split_by_list(fixture *f) {
    return te_split_sizes(stage_x(f), axis_x(f, 0), 3, (int64_t[]){4, 3, 1}, NULL, NULL) == VTA_OK;
}
static bool fused(fixture *f) {
    return te_fuse(stage_x(f), 2, (te_axis *[]){axis_x(f, 0), axis_x(f, 1)}, NULL) == VTA_OK;
}
static bool reordered(fixture *f) {
    return te_reorder(stage_x(f), 2, (te_axis *[]){axis_x(f, 1), axis_x(f, 0)}) == VTA_OK;
}
static bool tiled(fixture *f) {
    te_axis *out[4];
    return te_tile(stage_x(f), axis_x(f, 0), axis_x(f, 1), 4, 3, out) == VTA_OK;
}
static bool has_pragma(fixture *f) { return te_pragma(stage_x(f), axis_x(f, 1), "trim_loop", NULL) == VTA_OK; }
static bool vectorized(fixture *f) { return te_vectorize(stage_x(f), axis_x(f, 1)) == VTA_OK; }
static bool bound(fixture *f) { return te_bind(stage_x(f), axis_x(f, 0), te_thread_axis(f->c, "vthread")) == VTA_OK; }
static bool aligned(fixture *f) { return te_storage_align(stage_x(f), axis_x(f, 0), 8, 3) == VTA_OK; }

static char *lowered(fixture *f) {
    const vt_func *func = lower(f->s, 2, (te_tensor *[]){f->a, f->y});
    assert_fine(f->c);
    return nest_text(f->c, func);
}

/* Makes something small, `most` times or until that would need new memory; how many times. */
static int take_memory(fixture *f, int most) {
    int taken = 0;
    f->memory.left = 0;
    while (taken < most && te_variable(f->c, "i", "int32")) taken++;
    f->memory = (failing){-1, f->memory.blocks, false};
    vta_diag_clear(te_context_diag(f->c));
    return taken;
}

/* Takes all memory that the context has, lets it get more, and takes of this what was said. */
static int take_new_memory(fixture *f, int most) {
    take_memory(f, INT32_MAX);
    te_variable(f->c, "i", "int32");
    return take_memory(f, most);
}

static void check(const char *name, step *make_step) {
    fixture f;
    make(&f);
    char *before = lowered(&f);
    assert_true(make_step(&f));
    char *want = lowered(&f);
    te_context_destroy(f.c);
    make(&f);
    int most = take_new_memory(&f, INT32_MAX), left = 0;
    te_context_destroy(f.c);
    for (;; left++) {
        assert_in_range(left, 0, most);
        make(&f);
        size_t stages = te_schedule_stages(f.s);
        take_new_memory(&f, most - left);
        f.memory.left = 0;
        bool made = make_step(&f);
        bool failed = f.memory.failed;
        f.memory.left = -1;
        if (failed) {
            assert_false(made);
            assert_int_equal(te_context_status(f.c), VTA_NO_MEMORY);
            vta_diag_clear(te_context_diag(f.c));
            assert_int_equal(te_schedule_stages(f.s), stages);
            char *after = lowered(&f);
            if (strcmp(after, before) != 0) fail_msg("%s, %d left: changed", name, left);
            free(after);
            made = make_step(&f);
        }
        assert_true(made);
        char *got = lowered(&f);
        if (strcmp(got, want) != 0) fail_msg("%s, %d left: not made", name, left);
        free(got);
        te_context_destroy(f.c);
        assert_int_equal(f.memory.blocks, 0);
        if (!failed) break;
    }
    free(before);
    free(want);
}

TEST_CASE(steps) {
#define STEP(made) {#made, made}
    static const struct {
        const char *name;
        step *made;
    } rows[] = {STEP(cached_read), STEP(cached_write), STEP(factored), STEP(grouped),   STEP(is_inline),
                STEP(attached),    STEP(is_split),     STEP(fused),    STEP(reordered), STEP(is_split_by_list),
                STEP(has_pragma),  STEP(vectorized),   STEP(bound),    STEP(aligned),   STEP(tiled)};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) check(rows[r].name, rows[r].made);
}

int main(void) { return run_cases(); }
