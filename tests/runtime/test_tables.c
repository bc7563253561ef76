/* What the runtime keeps by itself: lines of a report, of which the oldest go; kernels by call site and signature. */
#include "runtime/report.h"
#include "runtime/site.h"
#include "support/check.h"
#include "support/failing.h"

/* ---- Reports ---------------------------------------------------------------------------------------------------- */

enum { LINES = 4000 };

typedef struct expected {
    char *lines[LINES];
    size_t first, count; /* lines [first, count) are there */
    uint32_t drops;
} expected;

/* As many of the newest as fit, with a line end between them and a zero behind. */
static void expect_line(expected *e, const char *line) {
    size_t before = e->first;
    e->lines[e->count++] = strdup(line);
    for (;;) {
        size_t size = 0;
        for (size_t i = e->first; i < e->count; i++) size += strlen(e->lines[i]) + 1;
        if (size <= VT_REPORT_BYTES) break;
        e->first++;
    }
    e->drops += e->first != before;
}

static const char *joined(const expected *e, size_t from) {
    static char text[2 * VT_REPORT_BYTES];
    size_t n = 0;
    if (from == e->count) return NULL;
    for (size_t i = from; i < e->count; i++) n += (size_t)sprintf(text + n, "%s%s", i > from ? "\n" : "", e->lines[i]);
    return text;
}

static void check_text(const char *got, const char *want) {
    if (!want)
        assert_null(got);
    else
        assert_string_equal(got, want);
}

/* The first failure says the status, but for a lack of memory. */
static void statuses(void **state) {
    (void)state;
    static vt_report report;
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(report.status, VTA_OK);
    vt_report_line(&report, VTA_UNSUPPORTED, "a");
    vt_report_line(&report, VTA_ILLEGAL, "b");
    assert_int_equal(report.status, VTA_UNSUPPORTED);
    vt_report_line(&report, VTA_NO_MEMORY, "c");
    vt_report_line(&report, VTA_ILLEGAL, "d");
    assert_int_equal(report.status, VTA_NO_MEMORY);
    vt_report_clear(&report);
    assert_int_equal(report.status, VTA_OK);
    vt_report_line(&report, VTA_ILLEGAL, "e");
    assert_int_equal(report.status, VTA_ILLEGAL);
    assert_int_equal(vt_report_reason(NULL).status, VTA_NO_MEMORY);
    vta_diag_add(diag, VTA_WARNING, VTA_PARSE, "warning");
    assert_int_equal(vt_report_reason(diag).status, VTA_NO_MEMORY);
    vt_fail(diag, VTA_UNSUPPORTED, "first");
    vt_fail(diag, VTA_ILLEGAL, "second");
    assert_int_equal(vt_report_reason(diag).status, VTA_UNSUPPORTED);
    assert_string_equal(vt_report_reason(diag).message, "first");
    vta_diag_destroy(diag);
}

static void reports(void **state) {
    (void)state;
    static vt_report report;
    static expected e;
    check_random r = {.state = 5};
    vt_report_mark mark = vt_report_here(&report);
    size_t marked = 0;
    uint32_t drops = 0;
    assert_null(vt_report_text(&report));
    while (e.count < LINES) {
        static char line[VT_REPORT_BYTES];
        size_t size = (size_t)check_between(&r, 1, check_between(&r, 0, 20) ? 300 : VT_REPORT_BYTES - 2);
        memset(line, (int)check_between(&r, 'a', 'z'), size);
        line[size] = 0;
        vt_report_line(&report, VTA_ILLEGAL, line);
        expect_line(&e, line);
        check_text(vt_report_text(&report), joined(&e, e.first));
        check_text(vt_report_since(&report, mark), joined(&e, drops == e.drops ? marked : e.first));
        if (check_between(&r, 0, 40) == 0) {
            vt_report_clear(&report);
            vt_report_clear(&report);
            assert_null(vt_report_text(&report));
            assert_null(vt_report_since(&report, mark));
            e.first = e.count;
            e.drops++;
        }
        if (check_between(&r, 0, 3) == 0) {
            mark = vt_report_here(&report);
            marked = e.count;
            drops = e.drops;
            assert_null(vt_report_since(&report, mark));
        }
    }
    for (size_t i = 0; i < e.count; i++) free(e.lines[i]);
}

/* A line that is too long is cut. */
static void long_lines(void **state) {
    (void)state;
    static vt_report report;
    static char line[2 * VT_REPORT_BYTES];
    memset(line, 'x', sizeof line - 1);
    vt_report_line(&report, VTA_ILLEGAL, "before");
    vt_report_line(&report, VTA_ILLEGAL, line);
    line[VT_REPORT_BYTES - 2] = 0;
    assert_string_equal(vt_report_text(&report), line);
}

static void calls(void **state) {
    (void)state;
    static vt_report report;
    vt_report_call(&report, VT_CALL(VTADepPush, 0, (uint64_t)-1, 3), VTA_ILLEGAL, "why");
    vt_report_call(&report, VT_CALL(VTABufferAlloc, UINT64_MAX), VTA_ILLEGAL, "so");
    vt_report_call(&report, VT_CALL(VTABufferFree, 0xabc), VTA_ILLEGAL, "there");
    assert_string_equal(vt_report_text(&report), "VTADepPush(cmd=NULL, from_qid=-1, to_qid=3): why\n"
                                                 "VTABufferAlloc(bytes=18446744073709551615): so\n"
                                                 "VTABufferFree(buffer=0xabc): there");
}

/* ---- Call sites ------------------------------------------------------------------------------------------------- */

enum { SITES = 60, SIGNATURES = 4 };

/* Without a signature is something else than with one that is 0. */
static void random_sites(uint64_t seed) {
    static const int32_t signatures[SIGNATURES] = {0, 0, 1, INT32_MIN};
    vt_uop_kernel *kernels[SITES + 1][SIGNATURES] = {{NULL}};
    check_random r = {.state = seed};
    failing heap = {.left = -1};
    const vta_allocator allocator = {.ctx = &heap, .resize = failing_resize};
    vt_site_table table;
    size_t count = 0;
    vt_site_table_init(&table, &allocator);
    assert_null(vt_site_find(&table, 1, false, 0));
    for (int n = 0; n < 120; n++) {
        int site = (int)check_between(&r, 1, SITES), k = (int)check_between(&r, 0, SIGNATURES - 1);
        if (!kernels[site][k]) {
            kernels[site][k] = vt_alloc(&allocator, sizeof(vt_uop_kernel));
            vt_kernel_init(kernels[site][k], &allocator);
            assert_true(vt_site_add(&table, (uint64_t)site, k > 0, signatures[k], kernels[site][k]));
            count++;
        }
        assert_int_equal(table.count, count);
        assert_true(2 * table.count <= table.cap + 1); /* a search ends soon */
        assert_int_equal(table.cap & (table.cap - 1), 0);
        for (int s = 1; s <= SITES; s++)
            for (int i = 0; i < SIGNATURES; i++)
                assert_ptr_equal(vt_site_find(&table, (uint64_t)s, i > 0, signatures[i]), kernels[s][i]);
    }
    vt_site_table_clear(&table);
    assert_int_equal(table.cap, 0);
    assert_int_equal(table.count, 0);
    assert_int_equal(heap.blocks, 0);
}

static void sites(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 9; seed++) random_sites(seed);
}

static void numbers(void **state) {
    (void)state;
    vta_diag *diag = vta_diag_create(NULL);
    void *first = NULL, *second = NULL, *wrong = (void *)16;
    uint64_t one = vt_site_number(&first, diag), two = vt_site_number(&second, diag);
    assert_int_equal(two, one + 1);
    assert_non_null(first);
    assert_ptr_not_equal(first, second);
    assert_int_equal(vt_site_number(&first, diag), one);
    assert_int_equal(vt_site_number(&second, diag), two);
    assert_int_equal(vta_diag_count(diag), 0);
    void *next = (void *)((uintptr_t)second + ((uintptr_t)second - (uintptr_t)first));
    assert_int_equal(vt_site_number(&next, NULL), 0); /* not given out yet */
    next = (void *)((uintptr_t)first - one * ((uintptr_t)second - (uintptr_t)first));
    assert_int_equal(vt_site_number(&next, NULL), 0); /* site 0 is none */
    assert_int_equal(vt_site_number(&wrong, diag), 0);
    assert_ptr_equal(wrong, (void *)16);
    assert_contains(vta_diag_text(diag),
                    "*uop_handle holds 0x10, which this runtime did not put there; it must be NULL");
    vta_diag_destroy(diag);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(reports),    cmocka_unit_test(statuses),
                                       cmocka_unit_test(long_lines), cmocka_unit_test(calls),
                                       cmocka_unit_test(sites),      cmocka_unit_test(numbers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
