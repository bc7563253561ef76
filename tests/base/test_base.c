/* The base library: allocation, arenas, strings, diagnostics, the compile context, files. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/context.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "base/versioned.h"
#include "support/check.h"

/* ---- alloc ----------------------------------------------------------------------------------------------- */

TEST_CASE(sizes_are_checked) {
    size_t out;
    assert_false(vt_mul_size(SIZE_MAX, 2, &out));
    assert_false(vt_add_size(SIZE_MAX, 1, &out));
    assert_null(vt_alloc_array(NULL, SIZE_MAX / 2, 4));
    int *items = NULL;
    size_t cap = 0;
    assert_false(vt_reserve(NULL, &items, &cap, SIZE_MAX / 2, sizeof *items));
    assert_null(items);
    assert_true(vt_reserve(NULL, &items, &cap, 9, sizeof *items));
    assert_int_equal(cap, 16);
    items[15] = 3;
    assert_true(vt_reserve(NULL, &items, &cap, 16, sizeof *items));
    assert_int_equal(cap, 16);
    vt_free(NULL, items, cap * sizeof *items);
    for (size_t size = 0; size < 300; size += 7) {
        uint8_t *lines = vt_alloc_lines(NULL, size);
        assert_non_null(lines);
        assert_int_equal((uintptr_t)lines % 64, 0);
        for (size_t i = 0; i < size; i++) assert_int_equal(lines[i], 0);
        memset(lines, 1, size);
        vt_free_lines(NULL, lines, size);
    }
    assert_null(vt_alloc_lines(NULL, SIZE_MAX - 10));
    void *empty = vt_alloc(NULL, 0);
    assert_non_null(empty);
    vt_free(NULL, empty, 0);
    vt_free(NULL, NULL, 0);
}

/* Large blocks of the C library begin a large page; another allocator is asked as for any block. */
TEST_CASE(pages) {
    const size_t sizes[] = {1, VT_LARGE_PAGE - 1, VT_LARGE_PAGE, 3 * (size_t)VT_LARGE_PAGE + 5};
    check_allocator a;
    for (int i = 0; i < 4; i++) {
        uint8_t *p = vt_alloc_pages(NULL, sizes[i]);
        assert_non_null(p);
        if (sizes[i] >= VT_LARGE_PAGE) assert_int_equal((uintptr_t)p % VT_LARGE_PAGE, 0);
        memset(p, 7, sizes[i]);
        vt_free(NULL, p, sizes[i]);
        check_allocator_init(&a, 1);
        p = vt_alloc_pages(&a.allocator, sizes[i]);
        assert_non_null(p);
        assert_null(vt_alloc_pages(&a.allocator, sizes[i]));
        vt_free(&a.allocator, p, sizes[i]);
        assert_int_equal(a.live, 0);
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* which end the process at such a size */
    assert_null(vt_alloc_pages(NULL, SIZE_MAX - 10));
#endif
}

/* More than several blocks of the largest size: every allocation keeps what was written to it. */
TEST_CASE(arena_of_many_blocks) {
    enum { COUNT = 400, SIZE = 24 * 1024 };
    vt_arena arena;
    uint8_t *parts[COUNT];
    vt_arena_init(&arena, NULL);
    for (int i = 0; i < COUNT; i++) {
        parts[i] = vt_arena_alloc(&arena, SIZE);
        assert_non_null(parts[i]);
        memset(parts[i], i % 251, SIZE);
    }
    assert_true(arena.bytes > (size_t)COUNT * SIZE);
    for (int i = 0; i < COUNT; i++) assert_true(parts[i][0] == i % 251 && parts[i][SIZE - 1] == i % 251);
    vt_arena_clear(&arena);
    assert_int_equal(arena.bytes, 0);
}

TEST_CASE(reserve_keeps_its_block_when_out_of_memory) {
    check_allocator a;
    check_allocator_init(&a, 1);
    int *items = NULL;
    size_t cap = 0;
    assert_true(vt_reserve(&a.allocator, &items, &cap, 1, sizeof *items));
    items[0] = 42;
    assert_false(vt_reserve(&a.allocator, &items, &cap, 100, sizeof *items));
    assert_int_equal(items[0], 42);
    assert_int_equal(cap, 8);
    vt_free(&a.allocator, items, cap * sizeof *items);
    assert_int_equal(a.live, 0);
}

/* ---- versions of structs ----------------------------------------------------------------------------------- */

typedef struct first_options {
    size_t size;
    uint32_t a;
} first_options;

typedef struct later_options {
    size_t size;
    uint32_t a, b;
} later_options;

TEST_CASE(options_of_other_versions) {
    const first_options old = {offsetof(later_options, b), 3};
    const later_options unsaid = {0, 4, 5}, wrong = {3, 0, 0}, huge = {SIZE_MAX, 0, 0};
    later_options later;
    first_options first;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vt_options_read(&later, sizeof later, &old, "o", diag), VTA_OK);
    assert_true(later.size == sizeof later && later.a == 3 && later.b == 0);
    assert_int_equal(vt_options_read(&later, sizeof later, &unsaid, "o", diag), VTA_OK);
    assert_true(later.size == sizeof later && later.a == 4 && later.b == 5);
    assert_int_equal(vt_options_read(&later, sizeof later, NULL, "o", diag), VTA_OK);
    assert_true(later.size == sizeof later && later.a == 0 && later.b == 0);
    struct {
        later_options o;
        uint64_t more;
    } longer = {{sizeof longer, 6, 7}, 0};
    assert_int_equal(vt_options_read(&later, sizeof later, &longer, "o", diag), VTA_OK);
    assert_true(later.a == 6 && later.b == 7);
    longer.more = 1;
    assert_int_equal(vt_options_read(&later, sizeof later, &longer, "lower_options", diag), VTA_UNSUPPORTED);
    assert_contains(vta_diag_text(diag), "lower_options: byte 16 is set, and this library, version");
    assert_int_equal(vt_options_read(&first, sizeof first, &wrong, "o", diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vt_options_read(&first, sizeof first, &huge, "o", diag), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "o.size is 3: set it to sizeof(o), or to 0");
    vta_diag_destroy(diag);
    later_options result = {sizeof result, 1, 2}, mine = {offsetof(later_options, b), 1, 2};
    vt_result_write(&result, &(later_options){0, 8, 9}, sizeof result);
    assert_true(result.size == sizeof result && result.a == 8 && result.b == 9);
    vt_result_write(&mine, &(later_options){0, 8, 9}, sizeof mine);
    assert_true(mine.size == offsetof(later_options, b) && mine.a == 8 && mine.b == 2);
}

/* ---- arena ----------------------------------------------------------------------------------------------- */

TEST_CASE(arena_marks) {
    check_allocator a;
    check_allocator_init(&a, SIZE_MAX);
    vt_arena arena;
    vt_arena_init(&arena, &a.allocator);
    vt_arena_mark begin = vt_arena_here(&arena);
    char *first = vt_arena_strndup(&arena, "hello", 3);
    assert_string_equal(first, "hel");
    vt_arena_mark mark = vt_arena_here(&arena);
    size_t live = a.live;
    for (int i = 0; i < 100; i++) {
        char *p = vt_arena_alloc_zero(&arena, 10000);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        assert_int_equal(p[9999], 0);
        memset(p, 1, 10000);
    }
    assert_true(a.live >= 1000000);
    vt_arena_rewind(&arena, mark);
    assert_int_equal(a.live, live);
    assert_string_equal(first, "hel");
    char *again = vt_arena_alloc(&arena, 16);
    vt_arena_rewind(&arena, mark);
    assert_ptr_equal(vt_arena_alloc(&arena, 16), again);
    assert_null(vt_arena_alloc(&arena, SIZE_MAX - 3));
    vt_arena_rewind(&arena, begin);
    assert_int_equal(arena.bytes, 0);
    vt_arena_clear(&arena);
    assert_int_equal(a.live, 0);
}

/* What is taken back comes again, cleared, without a call of the allocator; what was there before stays. */
TEST_CASE(arena_reuse) {
    enum { BYTES = 10000, COUNT = 100 };
    check_allocator a;
    check_allocator_init(&a, SIZE_MAX);
    vt_arena arena;
    vt_arena_init(&arena, &a.allocator);
    char *first = vt_arena_strndup(&arena, "hello", 5);
    vt_arena_mark mark = vt_arena_here(&arena);
    size_t before = a.live, most = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            char *p = vt_arena_alloc_zero(&arena, BYTES);
            for (int k = 0; k < BYTES; k += 99) assert_int_equal(p[k], 0);
            memset(p, 1, BYTES);
        }
        if (round == 0) most = a.live;
        assert_int_equal(a.live, most);
        vt_arena_reuse(&arena, mark);
        assert_int_equal(a.live, most);
        assert_int_equal(arena.bytes, most);
    }
    assert_non_null(vt_arena_alloc(&arena, 60000)); /* more than the first blocks have */
    vt_arena_reuse(&arena, mark);
    vt_arena_trim(&arena);
    assert_int_equal(a.live, before);
    assert_string_equal(first, "hello");
    vt_arena_clear(&arena);
    assert_int_equal(a.live, 0);
}

/* Large allocations leave the block in use as it is, and can be freed one by one. */
TEST_CASE(arena_drops) {
    enum { BYTES = 100000 };
    check_allocator a;
    check_allocator_init(&a, SIZE_MAX);
    vt_arena arena;
    vt_arena_init(&arena, &a.allocator);
    char *small = vt_arena_strndup(&arena, "ab", 2), *large[4];
    size_t before = a.live;
    for (int i = 0; i < 4; i++) large[i] = memset(vt_arena_alloc(&arena, BYTES), 'a' + i, BYTES);
    assert_ptr_equal(vt_arena_alloc(&arena, 1), small + _Alignof(max_align_t));
    assert_true(a.live >= before + 4 * BYTES && a.live == arena.bytes);
    vt_arena_mark mark = vt_arena_here(&arena);
    char *more = vt_arena_alloc(&arena, BYTES);
    vt_arena_drop(&arena, more);
    vt_arena_rewind(&arena, mark);
    vt_arena_drop(&arena, large[1]);
    vt_arena_drop(&arena, large[3]);
    assert_true(a.live < before + 3 * BYTES && a.live == arena.bytes);
    assert_true(large[0][BYTES - 1] == 'a' && large[2][0] == 'c');
    before = a.live;
    vt_arena_drop(&arena, small); /* not a large one */
    vt_arena_drop(&arena, large[0] + 1);
    vt_arena_drop(&arena, NULL);
    assert_int_equal(a.live, before);
    vt_arena_clear(&arena);
    assert_int_equal(a.live, 0);
}

/* ---- strbuf ---------------------------------------------------------------------------------------------- */

TEST_CASE(strings_grow) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    assert_string_equal(vt_strbuf_text(&sb), "");
    for (int i = 0; i < 1000; i++) vt_strbuf_addf(&sb, "%d,", i);
    vt_strbuf_addc(&sb, '!');
    assert_int_equal(sb.size, 10 * 2 + 90 * 3 + 900 * 4 + 1);
    char *text = vt_strbuf_take(&sb);
    assert_string_equal(text + strlen(text) - 5, "999,!");
    vt_strfree(NULL, text);
    vt_strbuf_add(&sb, "again");
    assert_string_equal(vt_strbuf_text(&sb), "again");
    vt_strbuf_free(&sb);
}

TEST_CASE(a_failed_append_is_remembered) {
    for (size_t n = 0; n < 4; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vt_strbuf sb;
        vt_strbuf_init(&sb, &a.allocator);
        for (int i = 0; i < 5; i++) vt_strbuf_add(&sb, "0123456789");
        vt_strbuf_addf(&sb, "%d", 5);
        char *text = vt_strbuf_take(&sb);
        if (a.failed)
            assert_null(text);
        else
            assert_int_equal(strlen(text), 51);
        vt_strfree(&a.allocator, text);
        assert_int_equal(a.live, 0);
    }
}

/* ---- diag ------------------------------------------------------------------------------------------------ */

TEST_CASE(diagnostics_are_appended) {
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_diag_status(diag), VTA_OK);
    vt_warn_at(diag, VTA_CONFIG, (vt_pos){"a.json", 0, 0}, "odd");
    assert_int_equal(vta_diag_status(diag), VTA_OK);
    assert_int_equal(vt_fail_at(diag, VTA_PARSE, (vt_pos){"a.s", 3, 7}, "bad %s", "word"), VTA_PARSE);
    vt_note_at(diag, VT_NO_POS, "did you mean %d", 5);
    assert_int_equal(vt_fail(diag, VTA_IO, "late"), VTA_IO);
    assert_int_equal(vta_diag_status(diag), VTA_PARSE);
    assert_string_equal(vta_diag_text(diag), "a.json: warning: odd\na.s:3:7: error: bad word\n"
                                             "note: did you mean 5\nerror: late");
    assert_string_equal(vt_diag_reason(diag), "bad word; late");
    assert_string_equal(vt_diag_reason(NULL), "out of memory");
    vta_diag_entry e;
    assert_int_equal(vta_diag_get(diag, 1, &e), VTA_OK);
    assert_int_equal(e.column, 7);
    assert_int_equal(vta_diag_get(diag, 4, &e), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_diag_add(diag, VTA_NOTE, VTA_OK, "from outside"), VTA_OK);
    assert_int_equal(vta_diag_add(diag, (vta_severity)9, VTA_OK, "x"), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_diag_count(diag), 5);
    assert_string_equal(vta_diag_details(diag), "");
    vt_detail(diag, "for (%s)", "i");
    assert_int_equal(vta_diag_add(diag, VTA_DETAIL, VTA_OK, "for (j)"), VTA_OK);
    assert_string_equal(vta_diag_details(diag), "for (i)\nfor (j)");
    assert_null(strstr(vta_diag_text(diag), "for ("));
    assert_int_equal(vta_diag_count(diag), 7);
    vta_diag_clear(diag);
    assert_string_equal(vta_diag_text(diag), "");
    assert_string_equal(vta_diag_details(diag), "");
    vta_diag_destroy(diag);
    assert_int_equal(vt_fail(NULL, VTA_RACE, "nobody listens"), VTA_RACE);
    assert_int_equal(vta_diag_count(NULL), 0);
}

TEST_CASE(diagnostics_survive_out_of_memory) {
    for (size_t n = 1; n < 12; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vta_diag *diag = vta_diag_create(&a.allocator);
        for (int i = 0; i < 3; i++) vt_fail_at(diag, VTA_PARSE, (vt_pos){"f", 1, 1}, "message %d", i);
        assert_int_not_equal(vta_diag_status(diag), VTA_OK);
        if (a.failed) assert_contains(vta_diag_text(diag), "out of memory");
        vta_diag_destroy(diag);
        assert_int_equal(a.live, 0);
    }
}

TEST_CASE(every_status_has_its_words) {
#define VTA_STATUS(name, value, text, meaning)                                                                         \
    assert_string_equal(vta_status_name((vta_status)value), "VTA_" #name);                                             \
    assert_string_equal(vta_status_text(VTA_##name), text);                                                            \
    assert_string_equal(vta_status_meaning(VTA_##name), meaning);
#include "vta/status.def"
#undef VTA_STATUS
    assert_string_equal(vta_status_text((vta_status)999), "unknown status");
    assert_non_null(vta_version());
}

/* ---- context --------------------------------------------------------------------------------------------- */

static vta_status raise_deep(vt_ctx *ctx, void *arg) {
    VT_NEW_ARRAY(ctx, int, 100);
    if (*(int *)arg) vt_raise_at(ctx, VTA_ILLEGAL, (vt_pos){"k.te", 2, 1}, "stage %s", "C");
    return VTA_OK;
}

static vta_status catch_inside(vt_ctx *ctx, void *arg) {
    vta_status inner = vt_protect(ctx, raise_deep, arg);
    assert_int_equal(inner, VTA_ILLEGAL);
    return VTA_RACE;
}

static vta_status take_too_much(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_new_array_bytes(ctx, SIZE_MAX, 8);
    return VTA_OK;
}

static vta_status poll(vt_ctx *ctx, void *arg) {
    (void)arg;
    vt_poll(ctx);
    return VTA_OK;
}

TEST_CASE(errors_leave_through_protect) {
    vta_diag *diag = vta_diag_create(NULL);
    vt_ctx ctx;
    vt_ctx_init(&ctx, NULL, diag);
    int yes = 1, no = 0;
    assert_int_equal(vt_protect(&ctx, raise_deep, &no), VTA_OK);
    assert_int_equal(vt_protect(&ctx, raise_deep, &yes), VTA_ILLEGAL);
    assert_contains(vta_diag_text(diag), "k.te:2:1: error: stage C");
    assert_int_equal(vt_protect(&ctx, catch_inside, &yes), VTA_RACE);
    assert_int_equal(vt_protect(&ctx, take_too_much, NULL), VTA_NO_MEMORY);
    atomic_bool flag;
    atomic_init(&flag, false);
    ctx.interrupt = &flag;
    assert_int_equal(vt_protect(&ctx, poll, NULL), VTA_OK);
    atomic_store(&flag, true);
    assert_int_equal(vt_protect(&ctx, poll, NULL), VTA_INTERRUPTED);
    vt_ctx_clear(&ctx);
    vta_diag_destroy(diag);
}

static vta_status grow_array(vt_ctx *ctx, void *arg) {
    (void)arg;
    int *items = NULL;
    uint32_t cap = 0;
    for (uint32_t i = 0; i < 100; i++) {
        vt_grow(ctx, &items, &cap, i + 1, sizeof *items);
        items[i] = (int)i;
    }
    for (int i = 0; i < 100; i++) assert_int_equal(items[i], i);
    assert_string_equal(vt_new_format(ctx, "%d-%s", 3, "x"), "3-x");
    assert_string_equal(vt_new_stringn(ctx, "abc", 2), "ab");
    return VTA_OK;
}

TEST_CASE(arrays_grow_in_the_arena) {
    for (size_t n = 0, done = 0; !done; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vt_ctx ctx;
        vt_ctx_init(&ctx, &a.allocator, NULL);
        vta_status status = vt_protect(&ctx, grow_array, NULL);
        assert_int_equal(status, a.failed ? VTA_NO_MEMORY : VTA_OK);
        vt_ctx_clear(&ctx);
        assert_int_equal(a.live, 0);
        done = !a.failed;
    }
}

/* ---- file ------------------------------------------------------------------------------------------------ */

TEST_CASE(files) {
    char folder[] = "/tmp/vta_base_XXXXXX", path[256], missing[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(missing, sizeof missing, "%s/no/file", folder);
    vta_diag *diag = vta_diag_create(NULL);
    char *data;
    size_t size;
    assert_int_equal(vt_file_write(NULL, path, "abc\0def", 7, diag), VTA_OK);
    assert_int_equal(vt_file_read(NULL, path, 7, diag, &data, &size), VTA_OK);
    assert_int_equal(size, 7);
    assert_memory_equal(data, "abc\0def", 8);
    vt_free(NULL, data, size + 1);
    assert_int_equal(vt_file_read(NULL, path, 6, diag, &data, &size), VTA_OUT_OF_RANGE);
    assert_null(data);
    assert_int_equal(vt_file_write(NULL, path, "", 0, diag), VTA_OK);
    assert_int_equal(vt_file_read(NULL, path, 0, diag, &data, &size), VTA_OK);
    assert_int_equal(size, 0);
    vt_free(NULL, data, 1);
    vta_diag_clear(diag);
    assert_int_equal(vt_file_read(NULL, missing, 9, diag, &data, &size), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), missing);
    assert_int_equal(vt_file_read(NULL, folder, 9, diag, &data, &size), VTA_IO);
    assert_int_not_equal(vt_file_write(NULL, missing, "x", 1, diag), VTA_OK);
    assert_int_equal(vt_file_read(NULL, "/dev/zero", 1 << 20, diag, &data, &size), VTA_OUT_OF_RANGE);
    vta_diag_destroy(diag);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing temporary is left */
}

/* What stands at a path after writes: links stay links, permissions stay, a failure leaves the old file alone. */
TEST_CASE(writes_are_whole) {
    char folder[] = "/tmp/vta_whole_XXXXXX", path[64], link[64], command[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_file_write(path, "old", 3, diag), VTA_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(vta_file_write(link, "newer", 5, diag), VTA_OK);
    struct stat st;
    assert_true(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    assert_true(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640 && st.st_size == 5);
    assert_int_equal(unlink(path), 0); /* the link now names nothing: its file is made */
    assert_int_equal(vta_file_write(link, "x", 1, diag), VTA_OK);
    assert_true(stat(path, &st) == 0 && st.st_size == 1);
    assert_int_equal(vta_file_write(folder, "x", 1, diag), VTA_IO);
    assert_int_equal(vta_file_write("/dev/null", "x", 1, diag), VTA_OK);
    assert_int_equal(vta_file_write("/dev/full", "x", 1, diag), VTA_IO);
    assert_true(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    struct rlimit old, none = {0};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    none.rlim_max = old.rlim_max;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0); /* as a full disk */
    vta_status status = vta_file_write(path, "longer", 6, diag);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, VTA_IO);
    assert_true(stat(path, &st) == 0 && st.st_size == 1);
    snprintf(command, sizeof command, "test $(ls %s | wc -l) = 2 && rm -r %s", folder, folder);
    assert_int_equal(system(command), 0); /* no temporary file is left */
    vta_diag_destroy(diag);
}

/* Whichever allocation fails, the old file stays, nothing lies beside it, and all memory comes back. */
TEST_CASE(writes_without_memory) {
    char folder[] = "/tmp/vta_memory_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(vta_file_write(path, "old", 3, NULL), VTA_OK);
    vta_status status = VTA_NO_MEMORY;
    size_t n = 0;
    for (; status == VTA_NO_MEMORY; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        status = vt_file_write(&a.allocator, path, "newer", 5, NULL);
        assert_int_equal(a.live, 0);
        struct stat st;
        assert_true(stat(path, &st) == 0 && st.st_size == (status == VTA_OK ? 5 : 3));
        char command[128];
        snprintf(command, sizeof command, "test $(ls %s | wc -l) = 1", folder);
        assert_int_equal(system(command), 0);
    }
    assert_int_equal(status, VTA_OK);
    assert_true(n > 2);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST_CASE(short_names) {
    static const struct {
        const char *name;
        size_t width;
        const char *is;
    } cases[] = {
        {"conv1", 28, "conv1"},
        {"/a/a.0/b", 8, "/a/a.0/b"}, /* fits: nothing is left out */
        {"/features/features.2/conv/conv.0/conv.0.0/Conv", 28, "/features.2/conv.0.0/Conv"},
        {"/features/features.12/conv/conv.0/conv.0.0/Conv", 28, "/features.12/conv.0.0/Conv"},
        {"/layer1/layer1.0/conv1/Conv", 20, "/layer1.0/conv1/Conv"},
        {"/a/ab/a./b", 6, "..a./b"}, /* "ab" does not go on with a point */
        {"a/a.1", 3, "a.1"},
        {"encoder.layers.0.mlp/dense_of_it", 12, "..ense_of_it"},
        {"\xc3\xa4\xc3\xb6\xc3\xbc", 5, "..\xc3\xbc"}, /* whole characters */
        {"abcdef", 2, "abcdef"},
        {"", 4, ""},
    };
    char out[64], small[8];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(vta_short_name(cases[i].name, cases[i].width, out, sizeof out), cases[i].is);
    assert_string_equal(vta_short_name("/a/a.0/bcdefgh", 8, small, sizeof small), "/a/a.0/bcdefgh");
}

TEST_CASE(nearest_names) {
    static const char *const names[] = {"height", NULL, "width", "in_channels", "out_channels", "m"};
    static const struct {
        const char *typed, *meant;
    } cases[] = {
        {"heigth", "height"}, {"Width", "width"}, {"with", "width"},   {"out_chanels", "out_channels"}, {"input", NULL},
        {"x", NULL},          {"", NULL},         {"widths", "width"}, {"n_channels", "in_channels"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = vta_nearest_name(cases[i].typed, names, sizeof names / sizeof *names);
        if (cases[i].meant)
            assert_string_equal(near, cases[i].meant);
        else
            assert_null(near);
    }
    assert_null(vta_nearest_name(NULL, names, 1));
    assert_null(vta_nearest_name("x", NULL, 1));
    char text[VT_SUGGESTION_BYTES];
    assert_string_equal(vt_suggest(text, "widht", names, 3), "; did you mean width?");
    assert_string_equal(vt_suggest(text, "zzz", names, 3), "");
}

int main(void) { return run_cases(); }
