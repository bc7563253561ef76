/* Memory to the byte: how arenas and arrays grow, what a context keeps beside its arena, what a list of diagnostics
 * says when nothing can be stored. */
#include <sys/mman.h>

#include "base/arena.h"
#include "base/arena_text.h"
#include "base/context.h"
#include "base/spill.h"
#include "base/strbuf.h"
#include "support/check.h"
#include "support/disk.h"

enum { HEADER = 16, FIRST = 16 * 1024, LARGE = 64 * 1024, STEP = 2 * 1024 * 1024 };

static check_allocator memory;
static vt_arena arena;

static int begin(void **state) {
    (void)state;
    check_allocator_init(&memory, SIZE_MAX);
    vt_arena_init(&arena, &memory.allocator);
    return 0;
}

static int end(void **state) {
    (void)state;
    vt_arena_clear(&arena);
    assert_int_equal(arena.bytes, 0);
    assert_int_equal(memory.live, 0);
    return 0;
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

static void bounds_of_sizes(void **state) {
    (void)state;
    size_t out;
    assert_true(vt_add_size(SIZE_MAX - 1, 1, &out) && out == SIZE_MAX);
    assert_true(vt_mul_size(SIZE_MAX / 3, 3, &out) && out == SIZE_MAX / 3 * 3);
    static const size_t want[] = {1, 8, 9, 16, 17, 100}, have[] = {8, 8, 16, 16, 32, 128};
    uint32_t *items = NULL;
    size_t cap = 0;
    for (int i = 0; i < 6; i++) {
        assert_true(vt_reserve(&memory.allocator, &items, &cap, want[i], sizeof *items));
        assert_int_equal(cap, have[i]);
        assert_int_equal(memory.live, have[i] * sizeof *items);
        items[want[i] - 1] = (uint32_t)want[i];
        for (int k = 0; k <= i; k++) assert_int_equal(items[want[k] - 1], want[k]);
    }
    assert_false(vt_reserve(&memory.allocator, &items, &cap, SIZE_MAX, 1)); /* no power of two is that large */
    assert_int_equal(cap, 128);
    vt_free(&memory.allocator, items, cap * sizeof *items);
    uint8_t *zero = vt_alloc_zero(&memory.allocator, 100);
    for (int i = 0; i < 100; i++) assert_int_equal(zero[i], 0);
    vt_free(&memory.allocator, zero, 100);
    char *copy = vt_strdup(&memory.allocator, "copy");
    assert_string_equal(copy, "copy");
    assert_int_equal(memory.live, 5);
    vt_strfree(&memory.allocator, copy);
    vt_strfree(&memory.allocator, NULL);
    void *lines = vt_alloc_lines(&memory.allocator, 10);
    assert_int_equal(memory.live, 74);
    vt_free_lines(&memory.allocator, lines, 10);
    vt_free_lines(&memory.allocator, NULL, 10);
    items = vt_alloc_array(&memory.allocator, 3, 4);
    assert_int_equal(memory.live, 12);
    vt_free(&memory.allocator, items, 12);
}

/* ---- Arenas ------------------------------------------------------------------------------------------------------ */

/* Blocks double from 16 KiB to 2 MiB; from 64 KiB on an allocation has a block of its own. */
static void growth(void **state) {
    (void)state;
    size_t bytes = 0;
    for (size_t block = FIRST;; block *= 2) {
        bytes += block;
        for (size_t left = block - HEADER; left;) { /* to its last byte */
            size_t part = left < LARGE - 16 ? left : LARGE - 16;
            memset(vt_arena_alloc(&arena, part), 7, part);
            left -= part;
            assert_int_equal(arena.bytes, bytes);
        }
        if (block == STEP) break;
    }
    vt_arena_alloc(&arena, 1);
    assert_int_equal(arena.bytes, bytes + STEP); /* no larger one */
    assert_int_equal(memory.live, bytes + STEP);
    bytes += STEP;
    vt_arena_alloc(&arena, LARGE - 15); /* which is as many as 64 KiB, rounded up */
    assert_int_equal(arena.bytes, bytes + LARGE + HEADER);
    bytes += LARGE + HEADER;
    vt_arena_mark mark = vt_arena_here(&arena);
    char *next = vt_arena_alloc(&arena, 17);
    assert_ptr_equal(vt_arena_alloc(&arena, 0), next + 32);
    vt_arena_rewind(&arena, mark);
    assert_ptr_equal(vt_arena_alloc(&arena, 1), next);
    assert_int_equal(arena.bytes, bytes);
}

/* The first allocation may be larger than the first block: blocks double until it fits. */
static void first_block(void **state) {
    (void)state;
    static const struct {
        size_t size, block;
    } cases[] = {{0, FIRST},
                 {FIRST - HEADER, FIRST},
                 {FIRST - HEADER + 1, 2 * FIRST},
                 {2 * FIRST - HEADER, 2 * FIRST},
                 {LARGE - 16, LARGE}};
    for (int i = 0; i < 5; i++) {
        assert_non_null(vt_arena_alloc(&arena, cases[i].size));
        assert_int_equal(arena.bytes, cases[i].block);
        vt_arena_clear(&arena);
    }
    assert_null(vt_arena_alloc(&arena, SIZE_MAX));
    assert_null(vt_arena_alloc(&arena, SIZE_MAX - 16));
    memory.until_failure = 0;
    assert_null(vt_arena_alloc(&arena, 1));
    assert_null(vt_arena_alloc(&arena, LARGE));
    assert_null(vt_arena_alloc_zero(&arena, 1));
    assert_null(vt_arena_strndup(&arena, "x", 1));
    assert_int_equal(arena.bytes, 0);
}

/* Blocks that were taken back are used before new ones, where they are large enough. */
static void spares(void **state) {
    (void)state;
    vt_arena_mark begin_mark = vt_arena_here(&arena);
    char *first = vt_arena_alloc(&arena, FIRST - HEADER), *second = vt_arena_alloc(&arena, 100);
    vt_arena_alloc(&arena, LARGE);
    assert_int_equal(arena.bytes, 3 * FIRST + LARGE + HEADER);
    vt_arena_reuse(&arena, begin_mark);
    assert_int_equal(arena.bytes, 3 * FIRST); /* the large one is freed */
    assert_ptr_equal(vt_arena_alloc(&arena, FIRST - HEADER), first);
    assert_ptr_equal(vt_arena_alloc(&arena, 2 * FIRST - HEADER), second);
    assert_int_equal(arena.bytes, 3 * FIRST);
    vt_arena_reuse(&arena, begin_mark);
    char *more = vt_arena_alloc(&arena, FIRST - HEADER + 1); /* the first spare is too small, and stays */
    assert_int_equal(arena.bytes, 5 * FIRST);
    memset(more, 1, FIRST);
    vt_arena_trim(&arena);
    assert_int_equal(arena.bytes, 2 * FIRST);
    vt_arena_trim(&arena);
    assert_int_equal(arena.bytes, 2 * FIRST);
}

/* ---- Strings ----------------------------------------------------------------------------------------------------- */

static void strings(void **state) {
    (void)state;
    vt_strbuf sb;
    vt_strbuf_init(&sb, &memory.allocator);
    vt_strbuf_clear(&sb);
    char *text = vt_strbuf_take(&sb); /* of nothing: an empty text all the same */
    assert_string_equal(text, "");
    vt_strfree(&memory.allocator, text);
    vt_strbuf_add(&sb, "seven..");
    assert_int_equal(sb.cap, 8); /* with its end */
    vt_strbuf_addc(&sb, '!');
    assert_int_equal(sb.cap, 16);
    vt_strbuf_addf(&sb, "%07d", 5);
    assert_int_equal(sb.cap, 16);
    assert_string_equal(sb.text, "seven..!0000005");
    memory.until_failure = 0;
    vt_strbuf_add(&sb, "0123456789");
    assert_true(sb.failed);
    vt_strbuf_add(&sb, "");
    assert_string_equal(vt_strbuf_text(&sb), "seven..!0000005");
    vt_strbuf_clear(&sb);
    assert_false(sb.failed);
    assert_string_equal(vt_strbuf_text(&sb), "");
    vt_strbuf_add(&sb, "0123");
    assert_null(vt_strbuf_take(&sb)); /* no memory to make it smaller: freed */
    assert_int_equal(memory.live, 0);
    assert_true(!sb.text && !sb.size && !sb.cap && !sb.failed);
}

/* ---- Diagnostics ------------------------------------------------------------------------------------------------- */

static void lost_diagnostics(void **state) {
    (void)state;
    vta_diag_entry e;
    vta_diag *diag = vta_diag_create(&memory.allocator);
    memory.until_failure = 0;
    for (int i = 0; i < 3; i++) vt_fail(diag, VTA_PARSE, "x");
    assert_int_equal(vta_diag_count(diag), 1); /* however many */
    assert_int_equal(vta_diag_get(diag, 0, &e), VTA_OK);
    assert_true(e.severity == VTA_ERROR && e.status == VTA_NO_MEMORY && !e.file && !e.line && !e.column);
    assert_string_equal(e.message, "out of memory");
    memset(&e, 1, sizeof e);
    assert_int_equal(vta_diag_get(diag, 1, &e), VTA_OUT_OF_RANGE);
    assert_true(!e.message && !e.file && !e.line);
    assert_int_equal(vta_diag_get(diag, 0, NULL), VTA_INVALID_ARGUMENT);
    assert_string_equal(vta_diag_text(diag), "out of memory"); /* itself for want of memory */
    memory.until_failure = SIZE_MAX;
    assert_string_equal(vta_diag_text(diag), "error: out of memory");
    vta_diag_clear(diag);
    assert_int_equal(vta_diag_count(diag), 0);
    vt_warn_at(diag, VTA_CONFIG, (vt_pos){NULL, 3, 4}, "at a line");
    vt_detail(diag, "a detail");
    memory.until_failure = 0;
    vt_fail(diag, VTA_PARSE, "a message"); /* has an entry, and no text */
    assert_int_equal(vta_diag_status(diag), VTA_NO_MEMORY);
    assert_string_equal(vta_diag_details(diag), "out of memory");
    assert_int_equal(vta_diag_add(diag, VTA_NOTE, VTA_OK, "x"), VTA_NO_MEMORY);
    memory.until_failure = SIZE_MAX;
    assert_string_equal(vta_diag_text(diag), "3:4: warning: at a line\nerror: out of memory\nnote: out of memory");
    assert_string_equal(vta_diag_details(diag), "a detail");
    assert_int_equal(vta_diag_add(diag, VTA_DETAIL, VTA_OK, "another"), VTA_OK);
    assert_int_equal(vta_diag_add(diag, (vta_severity)(VTA_DETAIL + 1), VTA_OK, "x"), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_diag_add(diag, VTA_NOTE, VTA_OK, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_diag_add(NULL, VTA_NOTE, VTA_OK, "x"), VTA_INVALID_ARGUMENT);
    assert_string_equal(vta_diag_details(diag), "a detail\nanother");
    vta_diag_destroy(diag);
    assert_string_equal(vta_diag_text(NULL), "");
    assert_string_equal(vta_diag_details(NULL), "");
    assert_int_equal(vta_diag_status(NULL), VTA_OK);
    vta_diag_clear(NULL);
    vta_diag_destroy(NULL);
    vt_no_memory(NULL);
    memory.until_failure = 0;
    assert_null(vta_diag_create(&memory.allocator));
}

/* ---- The compile context ----------------------------------------------------------------------------------------- */

static vta_status raise_detailed(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_raise_detailed(ctx, VTA_RACE, "the whole program", "line %d", 5);
}

static vta_status stopped(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_poll(ctx);
    return VTA_OK;
}

static void raised(void **state) {
    (void)state;
    vta_diag *diag = vta_diag_create(&memory.allocator);
    atomic_bool stop = true;
    vt_ctx ctx;
    vt_ctx_init(&ctx, &memory.allocator, diag);
    assert_int_equal(vt_protect(&ctx, raise_detailed, NULL), VTA_RACE);
    assert_string_equal(vta_diag_text(diag), "error: line 5");
    assert_string_equal(vta_diag_details(diag), "the whole program");
    vta_diag_clear(diag);
    ctx.interrupt = &stop;
    assert_int_equal(vt_protect(&ctx, stopped, NULL), VTA_INTERRUPTED);
    assert_string_equal(vta_diag_text(diag), "error: interrupted");
    assert_string_equal(vta_diag_details(diag), "");
    assert_null(ctx.exit);
    vt_ctx_clear(&ctx);
    vta_diag_destroy(diag);
}

static vta_status grow(vt_ctx *ctx, void *arg) {
    static const uint32_t want[] = {0, 1, 8, 9, 33}, have[] = {0, 8, 8, 16, 64};
    uint32_t *items = NULL, cap = 0;
    (void)arg;
    for (int i = 0; i < 5; i++) {
        vt_grow(ctx, &items, &cap, want[i], sizeof *items);
        assert_int_equal(cap, have[i]);
        if (want[i]) items[want[i] - 1] = want[i];
        for (int k = 1; k <= i; k++) assert_int_equal(items[want[k] - 1], want[k]);
    }
    assert_int_equal(items[63], 0);
    assert_string_equal(vt_new_string(ctx, "whole"), "whole");
    assert_string_equal(vt_new_format(ctx, "%s", ""), "");
    uint8_t *zero = vt_new_bytes(ctx, 50);
    for (int i = 0; i < 50; i++) assert_int_equal(zero[i], 0);
    assert_non_null(vt_new_unset(ctx, 50));
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    for (int i = 0; i < 1000; i++) vt_strbuf_addf(&sb, "%d ", i);
    const char *text = vt_arena_text_take(ctx, &sb);
    for (int i = 0; i < 1000; i++) {
        char *rest;
        assert_int_equal(strtol(text, &rest, 10), i);
        text = rest + 1;
    }
    assert_string_equal(text, "");
    return VTA_OK;
}

static void grown(void **state) {
    (void)state;
    vt_ctx ctx;
    vt_ctx_init(&ctx, &memory.allocator, NULL);
    assert_int_equal(vt_protect(&ctx, grow, NULL), VTA_OK);
    vt_ctx_clear(&ctx);
}

/* Sides are counted with the arena, and freed in any order, or with the context. */
static void sides(void **state) {
    (void)state;
    enum { SIDES = 4 };
    static const int orders[][SIDES] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {1, 2, 0, 3}, {2, -1, -1, -1}};
    for (int order = 0; order < 4; order++) {
        vt_aside *side[SIDES];
        vt_ctx ctx;
        vt_ctx_init(&ctx, &memory.allocator, NULL);
        char *own = vt_arena_alloc(&ctx.arena, 1);
        for (int i = 0; i < SIDES; i++) {
            side[i] = vt_aside_open(&ctx);
            vt_arena_alloc(&ctx.arena, LARGE * (size_t)(i + 1));
            vt_aside_close(&ctx, side[i]);
        }
        size_t bytes = FIRST + 10 * LARGE + SIDES * HEADER;
        assert_int_equal(vt_ctx_bytes(&ctx), bytes);
        assert_ptr_equal(vt_arena_alloc(&ctx.arena, 1), own + 16); /* where it was */
        for (int i = 0; i < SIDES && orders[order][i] >= 0; i++) {
            vt_aside_free(&ctx, side[orders[order][i]]);
            bytes -= (size_t)LARGE * (size_t)(orders[order][i] + 1) + HEADER;
            assert_int_equal(vt_ctx_bytes(&ctx), bytes);
        }
        vt_aside_free(&ctx, NULL);
        vt_ctx_clear(&ctx);
        assert_int_equal(memory.live, 0);
    }
    vt_ctx ctx;
    vt_ctx_init(&ctx, &memory.allocator, NULL);
    memory.until_failure = 0;
    assert_null(vt_aside_open(&ctx));
    vt_ctx_clear(&ctx);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

/* ---- Data in temporary files ------------------------------------------------------------------------------------- */

typedef struct source {
    size_t at, end;
} source;

static uint8_t byte_at(size_t i) { return (uint8_t)(i * 7 + (i >> 8)); }

static bool read_source(void *user, void *to, size_t size) {
    source *s = user;
    for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = byte_at(s->at + i);
    s->at += size;
    return s->at <= s->end;
}

static void check_bytes(const uint8_t *data, size_t size) {
    for (size_t i = 0; i < size; i++) assert_int_equal(data[i], byte_at(i));
}

static void data_in_files(void **state) {
    (void)state;
    enum { SIZE = 300001 };
    vt_ctx ctx;
    const void *kept[3];
    if (!check_has_disk()) skip();
    vt_ctx_init(&ctx, &memory.allocator, NULL);
    assert_null(vt_spill(&ctx, 0, read_source, &(source){.end = 1}));
    assert_null(vt_spill(&ctx, SIZE, read_source, &(source){.end = SIZE - 1})); /* the reader fails at the end */
    assert_null(vt_spill(&ctx, SIZE_MAX / 4, read_source, &(source){0}));       /* no disk has the room */
    assert_null(ctx.spilled);
    for (int i = 0; i < 3; i++) {
        source s = {.end = SIZE};
        kept[i] = vt_spill(&ctx, SIZE, read_source, &s);
        assert_non_null(kept[i]);
        assert_int_equal(s.at, SIZE);
        check_bytes(kept[i], SIZE);
    }
    vt_spill_release(&ctx);
    unsigned char pages[(SIZE + 4095) / 4096];
    for (int i = 0; i < 3; i++) check_bytes(kept[i], SIZE);
    vt_spill_drop(&ctx, &ctx); /* none of them */
    vt_spill_drop(&ctx, kept[1]);
    assert_int_equal(mincore((void *)kept[1], SIZE, pages), -1); /* not mapped any more */
    check_bytes(kept[0], SIZE), check_bytes(kept[2], SIZE);
    vt_ctx_clear(&ctx);
    assert_int_equal(mincore((void *)kept[0], SIZE, pages), -1);
    assert_int_equal(mincore((void *)kept[2], SIZE, pages), -1);
}

/* A folder in memory, or none at all, is passed over; a failing allocator leaves nothing behind. */
static void data_in_no_file(void **state) {
    (void)state;
    vt_ctx ctx;
    check_allocator none;
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    if (!check_has_disk()) skip();
    vt_ctx_init(&ctx, &memory.allocator, NULL);
    const char *const folders[] = {"/dev/shm", "/nowhere/at/all", ""};
    for (int i = 0; i < 3; i++) {
        setenv("TMPDIR", folders[i], 1);
        const void *data = vt_spill(&ctx, 100, read_source, &(source){.end = 100});
        assert_non_null(data);
        check_bytes(data, 100);
    }
    vt_ctx_clear(&ctx);
    check_allocator_init(&none, 0);
    vt_ctx_init(&ctx, &none.allocator, NULL);
    assert_null(vt_spill(&ctx, 100, read_source, &(source){.end = 100}));
    vt_ctx_clear(&ctx);
    before ? setenv("TMPDIR", before, 1) : unsetenv("TMPDIR");
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(bounds_of_sizes), TEST(growth),           TEST(first_block),     TEST(spares),
        TEST(strings),         TEST(lost_diagnostics), TEST(raised),          TEST(grown),
        TEST(sides),           TEST(data_in_files),    TEST(data_in_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
