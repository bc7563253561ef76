/* Schedules near others, against neighbours that are found in another way: every one of them comes up, what comes up is
 * a schedule of the same extents, and small steps come up often. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "operators/tune/tune.h"

enum { DRAWS = 150000, LISTS_MAX = 512 };

static vtac_op *make(const char *text) {
    vtac_op *op;
    assert_int_equal(vtac_op_create("conv2d", text, NULL, NULL, NULL, &op), VTA_OK);
    return op;
}

static const vt_op_knob *knob(const vtac_op *op, bool turns, const char *name) {
    const vt_op_knob *all[VT_OP_KNOBS_MAX];
    size_t n = vt_op_knobs_of(op, turns, all);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(all[i]->name, name)) return all[i];
    fail_msg("no knob %s", name);
    return NULL;
}

/* ---- The generator of random numbers --------------------------------------------------------------------------- */

/* The first numbers of SplitMix64 from 0, as published with it. */
TEST_CASE(test_random) {
    static const uint64_t first[] = {0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F};
    vt_tune_random r = {0}, limited = {0};
    for (int i = 0; i < 3; i++) {
        assert_true(vt__tune_random(&r, UINT64_MAX) == first[i]);
        assert_true(vt__tune_random(&limited, 1000) == first[i] % 1000);
    }
    assert_int_equal(vt__tune_random(&r, 0), 0);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

typedef struct lists {
    uint32_t n;
    vt_op_parts of[LISTS_MAX];
    uint32_t seen[LISTS_MAX];
} lists;

static bool is_same(const vt_op_parts *a, const vt_op_parts *b) {
    return a->n == b->n && !memcmp(a->of, b->of, a->n * sizeof *a->of);
}

static void add(lists *l, const vt_op_parts *p) {
    for (uint32_t i = 0; i < l->n; i++)
        if (is_same(&l->of[i], p)) return;
    assert_true(l->n < LISTS_MAX);
    l->of[l->n++] = *p;
}

/* `from` with parts at..at + n - 1 replaced by others. */
static void add_with(lists *l, const vt_op_parts *from, uint32_t at, uint32_t n, uint32_t count, int first,
                     int second) {
    const int others[2] = {first, second};
    vt_op_parts p = {.n = 0};
    for (uint32_t i = 0; i < at; i++) p.of[p.n++] = from->of[i];
    for (uint32_t i = 0; i < count; i++) p.of[p.n++] = (uint16_t)others[i];
    for (uint32_t i = at + n; i < from->n; i++) p.of[p.n++] = from->of[i];
    add(l, &p);
}

/* All that one change makes of a list of parts. */
static void neighbours(const vt_op_parts *p, int extent, lists *out) {
    out->n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        for (int first = 1; first < p->of[i]; first++) add_with(out, p, i, 1, 2, first, p->of[i] - first);
        if (i + 1 < p->n) add_with(out, p, i, 2, 1, p->of[i] + p->of[i + 1], 0);
        for (uint32_t k = 0; k < p->n; k++) {
            vt_op_parts q = *p;
            q.of[i] = p->of[k], q.of[k] = p->of[i];
            add(out, &q);
            for (int some = 1; some <= 3 && some < p->of[i] && i != k; some++) {
                q = *p;
                q.of[i] = (uint16_t)(q.of[i] - some), q.of[k] = (uint16_t)(q.of[k] + some);
                add(out, &q);
            }
        }
    }
    for (int size = 1; size <= extent; size++) {
        vt_op_parts q = {.n = 0};
        for (int left = extent; left > 0; left -= size) q.of[q.n++] = (uint16_t)(left < size ? left : size);
        add(out, &q);
    }
}

static void check_parts(const vt_op_parts *p, int extent) {
    int sum = 0;
    assert_in_range(p->n, 1, VT_OP_PARTS);
    for (uint32_t i = 0; i < p->n; i++) {
        assert_true(p->of[i] > 0);
        sum += p->of[i];
    }
    assert_int_equal(sum, extent);
    for (uint32_t i = p->n; i < VT_OP_PARTS; i++) assert_int_equal(p->of[i], 0);
}

static void all_neighbours(const vtac_op *op, vt_op_parts from, int extent) {
    static lists l;
    size_t at = knob(op, true, "parts_co")->at;
    vt_tune_random r = {17};
    neighbours(&from, extent, &l);
    memset(l.seen, 0, sizeof l.seen);
    for (int i = 0; i < DRAWS; i++) {
        vt_op_blocks b = {
            .turns = true, .oc_parts = from, .y_parts = {.n = 2, .of = {3, 2}}, .ic_parts = {.n = 1, .of = {2}}};
        vt__tune_change(op, &r, &b);
        const vt_op_parts *now = (const vt_op_parts *)((const char *)&b + at);
        check_parts(now, extent);
        check_parts(&b.y_parts, 5);
        check_parts(&b.ic_parts, 2);
        for (uint32_t k = 0; k < l.n; k++) l.seen[k] += is_same(now, &l.of[k]);
    }
    for (uint32_t k = 0; k < l.n; k++)
        if (l.seen[k] < DRAWS / 1500)
            fail_msg("neighbour %u of %u comes up %u times", (unsigned)k, (unsigned)l.n, (unsigned)l.seen[k]);
}

TEST_CASE(test_parts) {
    vtac_op *op = make("height=5 width=3 in_channels=32 out_channels=112 kernel=1");
    all_neighbours(op, (vt_op_parts){.n = 3, .of = {1, 4, 2}}, 7);
    all_neighbours(op, (vt_op_parts){.n = 1, .of = {7}}, 7);
    all_neighbours(op, (vt_op_parts){.n = 7, .of = {1, 1, 1, 1, 1, 1, 1}}, 7);
    vtac_op_destroy(op);
}

/* As many parts as there can be: no more come of them. */
TEST_CASE(test_most_parts) {
    vtac_op *op = make("height=1 width=1 in_channels=16 out_channels=4128 kernel=1"); /* 258 blocks */
    vt_op_blocks from = {.turns = true, .oc_parts = {.n = VT_OP_PARTS}, .y_parts = {1, {1}}, .ic_parts = {1, {1}}};
    vt_tune_random r = {3};
    for (uint32_t i = 0; i < VT_OP_PARTS; i++) from.oc_parts.of[i] = i < 2 ? 3 : 2;
    for (int i = 0; i < 20000; i++) {
        vt_op_blocks b = from;
        for (int k = 0; k < 3; k++) vt__tune_change(op, &r, &b);
        check_parts(&b.oc_parts, 258);
    }
    vtac_op_destroy(op);
}

/* ---- Sizes, flags, threads --------------------------------------------------------------------------------------- */

/* Those near are a large share of all changes of a size, others come up too, and none leaves the extent. */
TEST_CASE(test_sizes) {
    enum { EXTENT = 200, SIZE = 60 };
    static const int64_t near[] = {SIZE + 1, SIZE - 1, SIZE * 2, SIZE / 2, 40, 67}; /* 5 tiles, 3 tiles */
    vtac_op *op = make("height=200 width=200 in_channels=64 out_channels=64 kernel=1");
    uint32_t count[EXTENT + 1] = {0}, changed = 0, shared = 0, threads[9] = {0};
    vt_tune_random r = {29};
    for (int i = 0; i < DRAWS; i++) {
        vt_op_blocks b = {.oc = 2, .y = SIZE, .x = 199, .ic = 1, .threads = 1};
        vt__tune_change(op, &r, &b);
        assert_in_range(b.y, 1, EXTENT);
        assert_in_range(b.x, 1, EXTENT);
        assert_in_range(b.oc, 1, 4);
        assert_in_range(b.ic, 0, 4);
        assert_in_range(b.threads, 1, 8);
        assert_true(b.threads > 1 || !b.share_rows);
        count[b.y]++;
        changed += b.y != SIZE;
        threads[b.threads]++;
        shared += b.share_rows;
    }
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) assert_true(count[near[i]] > changed / 20);
    for (int size = 1; size <= EXTENT; size++) assert_true(count[size] > changed / 4000);
    for (int n = 1; n <= 8; n++) assert_int_equal(threads[n] > 0, n < 5 || n == 8);
    uint32_t several = DRAWS - threads[1], single = 0;
    assert_in_range(shared, several * 2 / 5, several * 3 / 5);
    for (int i = 0; i < 1000; i++) {
        vt_op_blocks b = {.oc = 2, .y = SIZE, .x = 199, .ic = 1, .threads = 2, .share_rows = true};
        vt__tune_change(op, &r, &b);
        single += b.threads == 1;
    }
    assert_true(single > 20);
    vtac_op_destroy(op);
}

TEST_CASE(test_flags) {
    vtac_op *op = make("height=5 width=3 in_channels=32 out_channels=112 kernel=1");
    uint32_t set[4] = {0};
    vt_tune_random r = {31};
    for (int i = 0; i < DRAWS; i++) {
        vt_op_blocks b = {
            .turns = true, .keep_data = true, .oc_parts = {1, {7}}, .y_parts = {1, {5}}, .ic_parts = {1, {2}}};
        vt__tune_change(op, &r, &b);
        const bool flags[4] = {b.rows_inside, b.keep_data, b.keep_weight, b.third_place};
        for (int k = 0; k < 4; k++) set[k] += flags[k];
        assert_true(b.turns);
    }
    for (int k = 0; k < 4; k++) assert_in_range(k == 1 ? DRAWS - set[k] : set[k], DRAWS / 8, DRAWS / 2);
    vtac_op_destroy(op);
}

/* ---- Knobs of another schedule ----------------------------------------------------------------------------------- */

/* Each knob is one of both, each combination of two comes up, threads go together with what they share, and schedules
 * of another sort leave it as it is. */
TEST_CASE(test_cross) {
    vtac_op *op = make("height=8 width=8 in_channels=64 out_channels=64 kernel=1");
    const vt_op_blocks mine = {.oc = 1, .y = 2, .x = 3, .ic = 1, .threads = 1},
                       other = {.oc = 4, .y = 8, .x = 7, .ic = 2, .threads = 2, .share_rows = true};
    uint32_t seen[32] = {0};
    vt_tune_random r = {37};
    for (int i = 0; i < 4000; i++) {
        vt_op_blocks b = mine;
        vt__tune_cross(op, &r, &other, &b);
        const bool taken[5] = {b.oc == 4, b.y == 8, b.x == 7, b.ic == 2, b.threads == 2};
        assert_true((taken[0] || b.oc == 1) && (taken[1] || b.y == 2) && (taken[2] || b.x == 3) &&
                    (taken[3] || b.ic == 1) && (taken[4] || b.threads == 1));
        assert_int_equal(b.share_rows, taken[4]);
        uint32_t which = 0;
        for (int k = 0; k < 5; k++) which |= (uint32_t)taken[k] << k;
        seen[which]++;
        b = mine;
        vt_op_blocks turns = other;
        turns.turns = true;
        vt__tune_cross(op, &r, &turns, &b);
        assert_memory_equal(&b, &mine, sizeof b);
    }
    for (int k = 0; k < 32; k++) assert_true(seen[k] > 20);
    const vt_op_blocks parts = {.turns = true, .oc_parts = {2, {3, 1}}, .y_parts = {1, {8}}, .ic_parts = {1, {4}}},
                       others = {
                           .turns = true, .oc_parts = {4, {1, 1, 1, 1}}, .y_parts = {2, {7, 1}}, .ic_parts = {1, {4}}};
    uint32_t both[2] = {0};
    for (int i = 0; i < 1000; i++) {
        vt_op_blocks b = parts;
        vt__tune_cross(op, &r, &others, &b);
        bool is_other = b.oc_parts.n == 4;
        assert_memory_equal(&b.oc_parts, is_other ? &others.oc_parts : &parts.oc_parts, sizeof b.oc_parts);
        both[is_other]++;
    }
    assert_true(both[0] > 400 && both[1] > 400);
    vtac_op_destroy(op);
}

int main(void) { return run_cases(); }
