/* Contiguous memory, given out in pages: every answer against a table of pages, at the bottom, in the middle and at the
 * top of the address space. */
#include <unistd.h>

#include "device/board/contiguous.h"
#include "device/board/model_files.h"
#include "device/board/settings.h"
#include "support/check.h"
#include "vta/device.h"

enum { PAGES = 16, PAGE = VTA_PAGE_BYTES };

typedef struct fixture {
    vt_contiguous c;
    uint8_t host[PAGES * PAGE];
    uint16_t owner[PAGES]; /* of the allocation; 0: free, or page 0 of the address space, which nobody gets */
    uint16_t last;         /* allocation */
    vta_status fails;      /* the next sync */
    bool for_device;       /* the last one was */
    uint64_t offset, bytes;
    vta_diag *diag;
} fixture;

static fixture f;

static vta_status sync_pages(vt_contiguous *c, bool for_device, uint64_t offset, uint64_t bytes, vta_diag *diag) {
    (void)c;
    (void)diag;
    f.for_device = for_device;
    f.offset = offset;
    f.bytes = bytes;
    return f.fails;
}

static void begin(uint32_t base) {
    memset(&f, 0, sizeof f);
    f.c = (vt_contiguous){.name = "piece",
                          .hint = "Ask for more",
                          .base = base,
                          .size = sizeof f.host,
                          .host = f.host,
                          .sync = sync_pages};
    f.diag = vta_diag_create(NULL);
    memset(f.host, 0xee, sizeof f.host);
}

static void end(void) {
    vt_free(NULL, f.c.blocks, f.c.cap * sizeof *f.c.blocks);
    vta_diag_destroy(f.diag);
}

/* May pages [first, first + count) be given out? */
static bool is_free(int first, int count) {
    if (first + count > PAGES || (first == 0 && f.c.base == 0)) return false;
    for (int i = first; i < first + count; i++)
        if (f.owner[i]) return false;
    return true;
}

static void given(int first, int count) {
    f.last++;
    for (int i = first; i < first + count; i++) f.owner[i] = f.last;
    assert_true(f.for_device);
    assert_int_equal(f.offset, first * PAGE);
    assert_int_equal(f.bytes, count * PAGE);
    for (int i = first * PAGE; i < (first + count) * PAGE; i++) assert_int_equal(f.host[i], 0);
    for (int i = 0; i < first; i++)
        if (!f.owner[i]) assert_int_equal(f.host[i * PAGE + PAGE - 1], 0xee);
    if (first + count < PAGES && !f.owner[first + count]) assert_int_equal(f.host[(first + count) * PAGE], 0xee);
}

/* So many bytes for so many pages, where 0 counts as 1. */
static size_t some_bytes(check_random *r, int pages) {
    if (pages == 1 && check_between(r, 0, 3) == 0) return 0;
    const int64_t last[] = {1, PAGE, check_between(r, 1, PAGE)};
    return (size_t)(pages - 1) * PAGE + (size_t)last[check_between(r, 0, 2)];
}

static void refused(vta_status status, vta_status want, const char *text) {
    assert_int_equal(status, want);
    assert_contains(vta_diag_text(f.diag), text);
    vta_diag_clear(f.diag);
}

static void allocate(check_random *r) {
    int count = (int)check_between(r, 1, 5), first = 0, left = 0, largest = 0;
    size_t bytes = some_bytes(r, count);
    uint32_t addr;
    for (int i = 0, gap = 0; i < PAGES; i++) {
        gap = is_free(i, 1) ? gap + 1 : 0;
        left += gap > 0;
        if (gap > largest) largest = gap;
    }
    while (first < PAGES && !is_free(first, count)) first++;
    vta_status status = vt_contiguous_alloc(&f.c, bytes, f.diag, &addr);
    if (first == PAGES) {
        char text[200];
        snprintf(text, sizeof text,
                 "%zu bytes of contiguous memory were asked for; piece has %d of 65536 bytes left, %d of them in one "
                 "piece. Ask for more",
                 bytes, left * PAGE, largest * PAGE);
        refused(status, VTA_NO_MEMORY, text);
        return;
    }
    assert_int_equal(status, VTA_OK);
    assert_int_equal(addr, f.c.base + (uint32_t)first * PAGE);
    given(first, count);
}

static void allocate_at(check_random *r) {
    int count = (int)check_between(r, 1, 4), first = (int)check_between(r, 0, PAGES - 1);
    uint32_t addr = f.c.base + (uint32_t)first * PAGE;
    vta_status status = vt_contiguous_alloc_at(&f.c, addr, some_bytes(r, count), f.diag);
    if (!addr)
        refused(status, VTA_INVALID_ARGUMENT, "0x00000000 is not the address of a page (4096 bytes)");
    else if (first + count > PAGES)
        refused(status, VTA_OUT_OF_RANGE, "piece has 0x");
    else if (!is_free(first, count))
        refused(status, VTA_OUT_OF_RANGE, "something is there already");
    else {
        assert_int_equal(status, VTA_OK);
        given(first, count);
    }
}

static void take_back(check_random *r) {
    int page = (int)check_between(r, 0, PAGES - 1);
    bool starts = f.owner[page] && (page == 0 || f.owner[page - 1] != f.owner[page]);
    uint32_t addr = f.c.base + (uint32_t)page * PAGE;
    vta_status status = vt_contiguous_free(&f.c, addr, f.diag);
    if (!starts) {
        refused(status, VTA_NOT_FOUND, "is not the start of an allocation");
        return;
    }
    assert_int_equal(status, VTA_OK);
    int owner = f.owner[page];
    for (int i = page; i < PAGES && f.owner[i] == owner; i++) {
        f.owner[i] = 0;
        memset(f.host + i * PAGE, 0xee, PAGE);
    }
}

/* Bytes that all are given out may be made visible, and seen if they are of one allocation. */
static void look(check_random *r) {
    int64_t at = check_between(r, 0, PAGES - 1) * PAGE + (check_between(r, 0, 1) ? 0 : PAGE - 1);
    int64_t most = PAGES * PAGE - at, bytes = check_between(r, 0, 3) ? check_between(r, 1, 3 * PAGE) : most;
    if (check_between(r, 0, 1) && most > PAGE) bytes = (check_between(r, 0, 2) + 1) * PAGE - at % PAGE;
    if (bytes > most) bytes = most;
    bool there = true, one = true;
    uint32_t addr = f.c.base + (uint32_t)at;
    for (int64_t i = at / PAGE; i <= (at + bytes - 1) / PAGE; i++) {
        there = there && f.owner[i];
        one = one && f.owner[i] && f.owner[i] == f.owner[at / PAGE];
    }
    bool for_device = check_between(r, 0, 1);
    f.bytes = 0;
    assert_ptr_equal(vt_contiguous_map(&f.c, addr, (size_t)bytes), one ? f.host + at : NULL);
    assert_int_equal(vt_contiguous_check(&f.c, addr, (uint64_t)bytes, NULL), there ? VTA_OK : VTA_OUT_OF_RANGE);
    vta_status status = vt_contiguous_sync(&f.c, for_device, addr, (size_t)bytes, f.diag);
    if (!there) {
        refused(status, VTA_OUT_OF_RANGE, "is not allocated");
        assert_int_equal(f.bytes, 0);
        return;
    }
    assert_int_equal(status, VTA_OK);
    assert_int_equal(f.for_device, for_device);
    assert_int_equal(f.offset, at);
    assert_int_equal(f.bytes, bytes);
    f.bytes = 0;
    assert_int_equal(vt_contiguous_sync(&f.c, for_device, addr, 0, NULL), VTA_OK);
    assert_int_equal(f.bytes, 0);
}

TEST_CASE(random_calls) {
    static const uint32_t bases[] = {0, PAGE, 0x38000000, UINT32_MAX - PAGES * PAGE + 1};
    for (size_t k = 0; k < 4; k++) {
        check_random r = {.state = k + 1};
        begin(bases[k]);
        for (int n = 0; n < 4000; n++) switch (check_between(&r, 0, 5)) {
            case 0: allocate(&r); break;
            case 1: allocate_at(&r); break;
            case 2:
            case 3: take_back(&r); break;
            default: look(&r);
            }
        end();
    }
}

TEST_CASE(refusals) {
    uint32_t addr = 7;
    begin(0x38000000);
    refused(vt_contiguous_alloc_at(&f.c, 0x38000010, 1, f.diag), VTA_INVALID_ARGUMENT, "0x38000010 is not the address");
    refused(vt_contiguous_alloc_at(&f.c, 0x37fff000, 1, f.diag), VTA_OUT_OF_RANGE,
            "1 bytes at 0x37fff000: piece has 0x38000000 to 0x3800ffff. Ask for more");
    refused(vt_contiguous_alloc_at(&f.c, 0x38000000, SIZE_MAX, f.diag), VTA_OUT_OF_RANGE, "piece has");
    refused(vt_contiguous_alloc(&f.c, SIZE_MAX, f.diag, &addr), VTA_NO_MEMORY, "65536 of 65536 bytes left, 65536 of");
    refused(vt_contiguous_alloc(&f.c, (size_t)UINT32_MAX + 1, f.diag, &addr), VTA_NO_MEMORY, "65536 bytes left");
    refused(vt_contiguous_check(&f.c, UINT32_MAX, 2, f.diag), VTA_OUT_OF_RANGE,
            "2 bytes at 0xffffffff leave the 32-bit address space");
    refused(vt_contiguous_check(&f.c, UINT32_MAX, 1, f.diag), VTA_OUT_OF_RANGE, "0xffffffff is not allocated");
    assert_int_equal(vt_contiguous_check(&f.c, 0x38000000, 0, NULL), VTA_OK);
    /* Memory that cannot be handed over is not given out. */
    f.fails = VTA_IO;
    assert_int_equal(vt_contiguous_alloc(&f.c, 1, NULL, &addr), VTA_IO);
    assert_int_equal(vt_contiguous_alloc_at(&f.c, 0x38001000, 1, NULL), VTA_IO);
    f.fails = VTA_OK;
    assert_int_equal(f.c.count, 0);
    assert_int_equal(vt_contiguous_alloc(&f.c, PAGES * PAGE, NULL, &addr), VTA_OK);
    assert_int_equal(addr, 0x38000000);
    refused(vt_contiguous_alloc(&f.c, 1, f.diag, &addr), VTA_NO_MEMORY, "0 of 65536 bytes left, 0 of");
    end();
}

/* What opens it closes it where that fails, and closes it again: the second time there is nothing. */
TEST_CASE(closed_twice) {
    char folder[] = "/tmp/vta-contiguous-XXXXXX", path[64];
    vt_board_settings settings = {.model = ""};
    vt_contiguous c;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/" VT_MODEL_MEMORY, folder);
    snprintf(settings.model, sizeof settings.model, "%s", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), 2 * PAGES * PAGE), 0);
    fclose(file);
    assert_int_equal(vt_contiguous_open(&c, &settings, NULL, NULL), VTA_OK);
    assert_int_equal(c.size, PAGES * PAGE);
    assert_true(c.fd >= 0 && c.host == c.device + PAGES * PAGE);
    for (int i = 0; i < 2; i++) {
        vt_contiguous_close(&c);
        assert_true(c.fd == -1 && !c.host && !c.device && !c.mapped && !c.blocks && !c.size);
    }
    unlink(path);
    rmdir(folder);
}

int main(void) { return run_cases(); }
