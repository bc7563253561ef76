/* Places of buffers: none that live together overlap, whatever they are; and sharing saves what it can. */
#include "network/planner/planner_priv.h"
#include "support/check.h"

enum { ROUNDS = 300, ITEMS = 40 };

static bool meet(const vt__item *a, const vt__item *b) {
    return a->apart || b->apart || (a->first <= b->last && b->first <= a->last);
}

static void check_apart(const vt__item *items, size_t count, uint64_t base, uint64_t alignment, uint64_t end) {
    for (size_t i = 0; i < count; i++) {
        const vt__item *a = &items[i];
        if (a->offset % alignment || a->offset < base || a->offset + a->bytes > end) fail_msg("item %d", (int)i);
        for (size_t k = 0; k < i; k++) {
            const vt__item *b = &items[k];
            if (meet(a, b) && a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                fail_msg("items %d and %d", (int)k, (int)i);
        }
    }
}

static uint64_t aligned(uint64_t n, uint64_t by) { return (n + by - 1) / by * by; }

/* Bytes that live at once, at most. */
static uint64_t most_alive(const vt__item *items, size_t count, uint32_t steps, uint64_t alignment) {
    uint64_t most = 0;
    for (uint32_t s = 0; s < steps; s++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++)
            if (items[i].apart || (items[i].first <= s && s <= items[i].last))
                sum += aligned(items[i].bytes, alignment);
        most = sum > most ? sum : most;
    }
    return most;
}

TEST_CASE(random_items) {
    check_random r = {12345};
    uint64_t taken = 0, alive = 0;
    for (int round = 0; round < ROUNDS; round++) {
        vt__item items[ITEMS];
        enum { STEPS = 30 };
        size_t count = (size_t)check_between(&r, 0, ITEMS);
        uint64_t base = (uint64_t)check_between(&r, 0, 3) * 4096, alignment = (uint64_t)64 << check_between(&r, 0, 6),
                 end;
        for (size_t i = 0; i < count; i++) {
            uint32_t first = (uint32_t)check_between(&r, 0, STEPS - 1);
            items[i] = (vt__item){(uint64_t)check_between(&r, 0, 100000), first,
                                  (uint32_t)check_between(&r, first, first + 5), check_between(&r, 0, 9) == 0, 0};
        }
        assert_true(vt__place(NULL, items, count, base, alignment, &end));
        check_apart(items, count, base, alignment, end);
        taken += end - base;
        alive += most_alive(items, count, STEPS + 6, alignment);
    }
    assert_true(taken >= alive);
    if (taken > alive + alive / 5) fail_msg("%d bytes for %d that live at once", (int)taken, (int)alive);
}

/* One after another: all in one place. */
TEST_CASE(chain) {
    vt__item items[] = {{1000, 0, 1, false, 0}, {5000, 1, 2, false, 0}, {1000, 2, 3, false, 0}, {900, 3, 4, false, 0}};
    uint64_t end;
    assert_true(vt__place(NULL, items, 4, 0, 64, &end));
    assert_int_equal(items[1].offset, 0);
    assert_int_equal(items[0].offset, items[2].offset);
    assert_int_equal(items[3].offset, 0);
    assert_int_equal(end, aligned(5000, 64) + aligned(1000, 64));
}

int main(void) { return run_cases(); }
