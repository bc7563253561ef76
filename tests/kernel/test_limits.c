/* How much a kernel file may hold, what calls that fail leave behind, and what is known of a kernel that is none. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

#include "base/strbuf.h"
#include "vta/kernel.h"

/* A kernel whose text is `before`, then `item` n times with commas between, then `after`. */
static vta_status parse(const char *before, const char *item, int n, const char *after, vta_diag *diag) {
    vt_strbuf text;
    vtac_kernel *k = (vtac_kernel *)(void *)diag; /* something that it is not */
    vt_strbuf_init(&text, NULL);
    vt_strbuf_add(&text, before);
    for (int i = 0; i < n; i++) vt_strbuf_addf(&text, "%s%s", i ? ", " : "", item);
    vt_strbuf_add(&text, after);
    vta_status status = vtac_kernel_parse(vt_strbuf_text(&text), text.size, "k.te", NULL, NULL, NULL, diag, &k);
    assert_int_equal(k == NULL, status != VTA_OK);
    vtac_kernel_destroy(k);
    vt_strbuf_free(&text);
    return status;
}

TEST_CASE(lists) {
#define ONE "input a: int32[256]\noutput b like a = a[...] + 1\nstage b\n"
    static const struct {
        const char *before, *item, *after;
        int most;
        const char *what;
    } rows[] = {
        {ONE "  split 0 by [", "1", "]\n", 256, "k.te:4:783: error: expected fewer sizes, found \"1\""},
        {ONE "  reorder ", "0", "\n", 64, "k.te:4:203: error: expected fewer axes, found \"0\""},
        {"input a: int32[4]\noutput b like a = a[...] + 1\ncache_read a as c in acc for ", "b", "\n", 64,
         "k.te:3:222: error: expected fewer readers, found \"b\""},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        vta_diag *diag = vta_diag_create(NULL);
        vta_status most = parse(rows[r].before, rows[r].item, rows[r].most, rows[r].after, diag);
        if (strstr(vta_diag_text(diag), "fewer")) fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(most == VTA_OK, r != 1); /* an axis given twice is another error */
        vta_diag_clear(diag);
        assert_int_equal(parse(rows[r].before, rows[r].item, rows[r].most + 1, rows[r].after, diag), VTA_PARSE);
        if (!strstr(vta_diag_text(diag), rows[r].what)) fail_msg("%s instead of %s", vta_diag_text(diag), rows[r].what);
        vta_diag_destroy(diag);
    }
}

/* After 20 errors nothing more is read. */
TEST_CASE(errors) {
    for (int n = 19; n < 23; n++) {
        vta_diag *diag = vta_diag_create(NULL);
        vt_strbuf text;
        vt_strbuf_init(&text, NULL);
        for (int i = 0; i < n; i++) vt_strbuf_addf(&text, "input a%d: int77[4]\n", i);
        assert_int_equal(parse(vt_strbuf_text(&text), "", 0, "", diag), VTA_INVALID_ARGUMENT);
        size_t found = 0;
        for (size_t i = 0; i < vta_diag_count(diag); i++) {
            vta_diag_entry e;
            assert_int_equal(vta_diag_get(diag, i, &e), VTA_OK);
            found += strstr(e.message, "int77") != NULL;
        }
        assert_int_equal(found, n < 20 ? n : 20);
        vt_strbuf_free(&text);
        vta_diag_destroy(diag);
    }
}

/* Each statement has its own limits, whatever became of those before. */
TEST_CASE(limits_of_statements) {
    vta_diag *diag = vta_diag_create(NULL);
    vt_strbuf text;
    vt_strbuf_init(&text, NULL);
    for (int s = 0; s < 2; s++) { /* 2000 operators, of which more would be refused */
        vt_strbuf_addf(&text, "let n%d = 1", s);
        for (int i = 0; i < 2000; i++) vt_strbuf_add(&text, "+1");
        vt_strbuf_add(&text, "\n");
    }
    for (int s = 0; s < 3; s++) { /* 150 levels, of 200 */
        vt_strbuf_addf(&text, "tensor t%d[i: 4] = ", s);
        for (int i = 0; i < 150; i++) vt_strbuf_addc(&text, '(');
        vt_strbuf_addf(&text, "nothing%d\n", s);
    }
    assert_int_equal(parse(vt_strbuf_text(&text), "", 0, "", diag), VTA_NOT_FOUND);
    assert_int_equal(vta_diag_count(diag), 3);
    for (size_t s = 0; s < 3; s++) {
        vta_diag_entry e;
        assert_int_equal(vta_diag_get(diag, s, &e), VTA_OK);
        assert_non_null(strstr(e.message, "there is no axis, scalar or constant \"nothing"));
        assert_int_equal(e.line, 3 + s);
    }
    vt_strbuf_free(&text);
    vta_diag_destroy(diag);
}

TEST_CASE(calls_that_fail) {
    static const char good[] = "input a: int32[4]\noutput b like a = a[...] + 1\n";
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k = (vtac_kernel *)(void *)diag;
    assert_int_equal(vtac_kernel_load(NULL, NULL, NULL, NULL, diag, &k), VTA_INVALID_ARGUMENT);
    assert_null(k);
    assert_string_equal(vta_diag_text(diag), "error: a kernel file needs a path");
    vta_diag_clear(diag);
    k = (vtac_kernel *)(void *)diag;
    assert_int_not_equal(vtac_kernel_load("/nowhere/k.te", NULL, NULL, NULL, diag, &k), VTA_OK);
    assert_null(k);
    assert_non_null(strstr(vta_diag_text(diag), "/nowhere/k.te"));
    vta_diag_clear(diag);
    assert_int_equal(vtac_kernel_load("/nowhere/k.te", NULL, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    assert_int_equal(vtac_kernel_parse(good, strlen(good), NULL, NULL, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    k = (vtac_kernel *)(void *)diag;
    assert_int_equal(vtac_kernel_parse(NULL, 1, NULL, NULL, NULL, NULL, diag, &k), VTA_INVALID_ARGUMENT);
    assert_null(k);
    assert_string_equal(vta_diag_text(diag), "error: a kernel needs a text");
    vta_diag_clear(diag);
    assert_int_equal(vtac_kernel_parse(NULL, 0, "e.te", NULL, NULL, NULL, diag, &k), VTA_PARSE);
    assert_string_equal(vta_diag_text(diag),
                        "e.te:1:1: error: the kernel has no output: write \"output NAME[shape] = expression\"");
    vta_diag_destroy(diag);
}

/* A file of 1 MiB is read, one of a byte more is not. */
TEST_CASE(file_sizes) {
    static const char good[] = "input a: int32[4]\noutput b like a = a[...] + 1\n";
    enum { LARGEST = 1 << 20 };
    char path[] = "/tmp/vta-kernel-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    char *text = malloc(LARGEST + 1);
    memset(text, '\n', LARGEST + 1);
    memcpy(text, good, sizeof good - 1);
    for (int more = 0; more < 2; more++) {
        vtac_kernel *k;
        vta_diag *diag = vta_diag_create(NULL);
        assert_int_equal(pwrite(fd, text, LARGEST + more, 0), LARGEST + more);
        vta_status status = vtac_kernel_load(path, NULL, NULL, NULL, diag, &k);
        assert_int_equal(status == VTA_OK, !more);
        if (!more) {
            assert_string_equal(vtac_kernel_name(k), "main");
            assert_string_equal(vtac_kernel_target(k), "vta");
            assert_string_equal(vtac_kernel_disabled_passes(k), "");
            assert_false(vtac_kernel_is_scheduled(k));
            vtac_kernel_destroy(k);
        }
        vta_diag_destroy(diag);
    }
    free(text);
    close(fd);
    unlink(path);
}

TEST_CASE(no_kernel) {
    vta_config *other = vta_config_default(); /* an object of another kind */
    const vtac_kernel *none[] = {NULL, (const vtac_kernel *)(const void *)other};
    for (int i = 0; i < 2; i++) {
        const vtac_kernel *k = none[i];
        assert_null(vtac_kernel_name(k));
        assert_null(vtac_kernel_context(k));
        assert_null(vtac_kernel_schedule(k));
        assert_null(vtac_kernel_target(k));
        assert_null(vtac_kernel_disabled_passes(k));
        assert_int_equal(vtac_kernel_arg_count(k), 0);
        assert_null(vtac_kernel_arg(k, 0));
        assert_false(vtac_kernel_is_scheduled(k));
        assert_false(vtac_kernel_arg_is_output(k, 0));
    }
    vtac_kernel_destroy(NULL);
    vtac_kernel_destroy((vtac_kernel *)(void *)other);
    vta_config_release(other);
}

int main(void) { return run_cases(); }
