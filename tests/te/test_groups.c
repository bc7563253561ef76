/* Groups of stages: a group at a loop gives the loops of its stages attached one by one; which stages a group has; what
 * is refused, and changes nothing. */
#include "te_test.h"

/* e needs d, d needs c and b, c needs b, b needs a. */
typedef struct chain {
    te_context *c;
    te_tensor *a, *t[4]; /* b, c, d, e */
    te_schedule *s;
} chain;

static chain new_chain(void) {
    chain k = {.c = context_with(NULL)};
    const int64_t shape[] = {8, 6};
    k.a = te_placeholder(k.c, "a", "int32", 2, shape);
    k.t[0] = te_define(k.c, "b[i: 8, j: 6] = a[i, j] + 1");
    k.t[1] = te_define(k.c, "c[i: 8, j: 6] = b[i, j] * 3");
    k.t[2] = te_define(k.c, "d[i: 8, j: 6] = c[i, j] - b[i, j]");
    k.t[3] = te_define(k.c, "e[i: 8, j: 6] = d[i, j] * d[i, j]");
    k.s = te_schedule_create(k.c, 1, &k.t[3]);
    assert_fine(k.c);
    return k;
}

static te_stage *stage(const chain *k, int i) { return te_schedule_stage(k->s, k->t[i]); }
static te_axis *axis(const chain *k, int i, size_t d) { return te_stage_axis(stage(k, i), d); }

static te_group *group(chain *k, int from, int to, bool include) {
    te_tensor **first = from < 0 ? &k->a : &k->t[from];
    te_group *g = te_group_create(k->s, 1, &k->t[to], 1, first, include);
    assert_fine(k->c);
    return g;
}

static char *loops(const chain *k) {
    const vt_func *f = lower(k->s, 2, (te_tensor *[]){k->a, k->t[3]});
    if (!f) fail_msg("%s", vta_diag_text(te_context_diag(k->c)));
    return nest_text(k->c, f);
}

static void compare(chain *grouped, chain *by_hand) {
    char *got = loops(grouped), *want = loops(by_hand);
    assert_string_equal(got, want);
    te_schedule *copy = te_schedule_copy(grouped->s); /* a copy is another schedule with the same groups */
    assert_int_equal(te_schedule_groups(copy), te_schedule_groups(grouped->s));
    for (size_t i = 0; i < te_schedule_groups(copy); i++) {
        assert_ptr_not_equal(te_schedule_group_at(copy, i), te_schedule_group_at(grouped->s, i));
        assert_int_equal(te_group_children(te_schedule_group_at(copy, i)),
                         te_group_children(te_schedule_group_at(grouped->s, i)));
        assert_int_equal(te_group_compute_root(te_schedule_group_at(copy, i)), VTA_OK);
    }
    free(got);
    got = loops(grouped); /* and what was said of the copy is not said of this one */
    assert_string_equal(got, want);
    free(got);
    free(want);
    te_context_destroy(grouped->c);
    te_context_destroy(by_hand->c);
}

/* The stages from `first` to d at loop `d` of e. */
TEST_CASE(at_loops) {
    for (int first = 0; first < 3; first++)
        for (int include = first == 0 ? 0 : 1; include < 2; include++)
            for (size_t d = 0; d < 2; d++) {
                chain grouped = new_chain(), by_hand = new_chain();
                te_group *g = group(&grouped, first || include ? first : -1, 2, include);
                assert_int_equal(te_group_children(g), 3 - first);
                assert_int_equal(te_group_compute_at(g, stage(&grouped, 3), axis(&grouped, 3, d)), VTA_OK);
                assert_int_equal(te_group_attachment(g), TE_COMPUTED_AT_LOOP);
                assert_ptr_equal(te_group_attached_to(g), stage(&grouped, 3));
                assert_ptr_equal(te_group_attached_at(g), axis(&grouped, 3, d));
                for (int i = 0; i < 3; i++) {
                    assert_ptr_equal(te_stage_group(stage(&grouped, i)), i < first ? NULL : g);
                    if (i >= first)
                        assert_int_equal(te_compute_at(stage(&by_hand, i), stage(&by_hand, 3), axis(&by_hand, 3, d)),
                                         VTA_OK);
                }
                compare(&grouped, &by_hand);
            }
}

/* What is said of a stage, or of a group inside, goes before what is said of the group; caches belong to it. */
TEST_CASE(nested) {
    for (int steps = 0; steps < 6; steps++) {
        chain grouped = new_chain(), by_hand = new_chain();
        te_group *inner = steps & 1 ? group(&grouped, 0, 1, true) : NULL;
        te_group *outer = group(&grouped, -1, 2, false);
        bool moved = inner && steps != 5; /* else the stages of the inner group are computed where the outer one is */
        assert_int_equal(te_group_children(outer), inner ? 2 : 3);
        if (inner) {
            assert_ptr_equal(te_group_around(inner), outer);
            assert_ptr_equal(te_stage_group(stage(&grouped, 0)), inner);
            if (moved) assert_int_equal(te_group_compute_at(inner, stage(&grouped, 2), axis(&grouped, 2, 1)), VTA_OK);
            for (int i = 0; i < 2 && moved; i++)
                assert_int_equal(te_compute_at(stage(&by_hand, i), stage(&by_hand, 2), axis(&by_hand, 2, 1)), VTA_OK);
        }
        if (steps & 2) {
            te_stage *by_itself = stage(&grouped, 1);
            if (inner)
                assert_int_equal(te_compute_at(by_itself, stage(&grouped, 0), axis(&grouped, 0, 0)), VTA_ILLEGAL);
            if (inner) assert_refused(grouped.c, VTA_ILLEGAL, "b does not need it");
            if (!inner) assert_int_equal(te_compute_at(by_itself, stage(&grouped, 2), axis(&grouped, 2, 1)), VTA_OK);
            if (!inner)
                assert_int_equal(te_compute_at(stage(&by_hand, 1), stage(&by_hand, 2), axis(&by_hand, 2, 1)), VTA_OK);
        }
        te_tensor *cache[2] = {NULL, NULL};
        chain *both[2] = {&grouped, &by_hand};
        for (int i = 0; i < 2 && steps & 4; i++) cache[i] = te_cache_write(both[i]->s, both[i]->t[2], "local");
        assert_int_equal(te_group_compute_at(outer, stage(&grouped, 3), axis(&grouped, 3, 0)), VTA_OK);
        for (int i = 0; i < 3; i++)
            if (te_stage_attachment(stage(&by_hand, i)) == TE_COMPUTED_AT_ROOT)
                assert_int_equal(te_compute_at(stage(&by_hand, i), stage(&by_hand, 3), axis(&by_hand, 3, 0)), VTA_OK);
        if (cache[1]) {
            te_stage *st = te_schedule_stage(by_hand.s, cache[1]);
            assert_int_equal(te_compute_at(st, stage(&by_hand, 3), axis(&by_hand, 3, 0)), VTA_OK);
            assert_ptr_equal(te_stage_group(te_schedule_stage(grouped.s, cache[0])), outer);
        }
        compare(&grouped, &by_hand);
    }
}

TEST_CASE(of_scans) {
    te_context *c = context_with(NULL);
    const int64_t shape[] = {6, 3};
    te_tensor *x = te_placeholder(c, "x", "int32", 2, shape), *states = te_placeholder(c, "state", "int32", 2, shape),
              *result;
    te_tensor *first = te_define(c, "first[t: 1, i: 3] = x[0, i]");
    te_tensor *twice = te_define(c, "twice[t: 6, i: 3] = state[t - 1, i] * 2");
    te_tensor *next = te_define(c, "next[t: 6, i: 3] = twice[t, i] + x[t, i]");
    assert_int_equal(te_scan(c, "sums", NULL, 1, &first, &next, &states, &result), VTA_OK);
    te_schedule *s = te_schedule_create(c, 1, &result);
    te_group *g = te_schedule_group_at(s, 0);
    assert_int_equal(te_schedule_groups(s), 1);
    assert_int_equal(te_group_children(g), 2);
    te_stage *of = te_schedule_stage(s, result), *inside = te_schedule_stage(s, twice),
             *last = te_schedule_stage(s, next);
    assert_ptr_equal(te_stage_group(inside), g);
    assert_ptr_equal(te_stage_group(last), g);
    assert_null(te_stage_group(of));
    assert_int_equal(te_group_compute_root(g), VTA_ILLEGAL);
    assert_refused(c, VTA_ILLEGAL, "move the scan");
    te_group *inner = te_group_create(s, 1, &twice, 1, &states, false);
    assert_ptr_equal(te_group_around(inner), g);
    assert_int_equal(te_group_compute_at(inner, last, te_stage_axis(last, 1)), VTA_OK);
    assert_int_equal(te_compute_at(inside, last, te_stage_axis(last, 1)), VTA_ILLEGAL);
    assert_refused(c, VTA_ILLEGAL, "belongs to a group of stages, and next does not");
    assert_non_null(lower(s, 2, (te_tensor *[]){x, result}));
    te_context_destroy(c);
}

TEST_CASE(refused) {
    chain k = new_chain(), other = new_chain();
    assert_null(te_group_create(k.s, 1, &k.t[0], 1, &k.t[2], false));
    assert_refused(k.c, VTA_INVALID_ARGUMENT, "no way leads");
    te_group *g = group(&k, 1, 2, true); /* c and d */
    assert_null(te_group_create(k.s, 1, &k.t[1], 1, &k.a, false));
    assert_refused(k.c, VTA_ILLEGAL, "another group has some of them");
    assert_int_equal(te_group_compute_at(g, stage(&k, 2), axis(&k, 2, 0)), VTA_ILLEGAL);
    assert_refused(k.c, VTA_ILLEGAL, "at its own loop");
    assert_int_equal(te_group_compute_at(g, stage(&other, 3), axis(&other, 3, 0)), VTA_ILLEGAL);
    assert_refused(k.c, VTA_ILLEGAL, "another schedule");
    assert_int_equal(te_group_compute_at(g, stage(&k, 3), axis(&k, 2, 0)), VTA_ILLEGAL);
    assert_refused(k.c, VTA_ILLEGAL, "does not belong to e");
    assert_int_equal(te_compute_at(stage(&k, 1), stage(&k, 3), axis(&k, 3, 0)), VTA_ILLEGAL);
    assert_refused(k.c, VTA_ILLEGAL, "compute the group there");
    assert_int_equal(te_group_compute_at(g, stage(&k, 0), axis(&k, 0, 0)), VTA_OK); /* which needs neither */
    assert_null(lower(k.s, 2, (te_tensor *[]){k.a, k.t[3]}));
    assert_refused(k.c, VTA_ILLEGAL, "b does not need it");
    assert_int_equal(te_schedule_groups(k.s), 1);
    te_group *within = group(&k, 1, 1, true); /* c */
    assert_ptr_equal(te_group_around(within), g);
    assert_int_equal(te_group_compute_at(within, stage(&k, 3), axis(&k, 3, 0)), VTA_ILLEGAL);
    assert_refused(k.c, VTA_ILLEGAL, "cannot compute a group at e.i: e does not belong to the group around it");
    chain last = new_chain();
    assert_int_equal(te_group_compute_at(group(&last, 2, 3, true), stage(&last, 0), axis(&last, 0, 0)), VTA_ILLEGAL);
    assert_refused(last.c, VTA_ILLEGAL, "cannot compute_at a group that e belongs to: it is an output of the schedule");
    te_context_destroy(last.c);
    assert_int_equal(te_compute_at(stage(&other, 0), stage(&other, 2), axis(&other, 2, 0)), VTA_OK);
    assert_null(te_group_create(other.s, 1, &other.t[1], 1, &other.a, false));
    assert_refused(other.c, VTA_ILLEGAL, "is computed at a loop of d");
    te_group *all = group(&other, -1, 3, false);
    assert_int_equal(te_group_compute_at(all, stage(&k, 3), axis(&k, 3, 0)), VTA_ILLEGAL);
    assert_refused(other.c, VTA_ILLEGAL, "another schedule");
    assert_int_equal(te_group_compute_at((te_group *)(void *)k.s, stage(&k, 3), axis(&k, 3, 0)), VTA_INVALID_ARGUMENT);
    assert_null(te_stage_group(NULL));
    assert_int_equal(te_group_children(NULL), 0);
    te_context_destroy(k.c);
    te_context_destroy(other.c);
}

int main(void) { return run_cases(); }
