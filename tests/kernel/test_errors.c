/* Kernels that must be refused: tests/kernel/errors/NAME.te with the exact messages in NAME.txt. */
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "te/te.h"
#include "vta/kernel.h"

#define FOLDER VT_SOURCE_DIR "/tests/kernel/errors/"

static char *read_text(const char *path, size_t *out_size) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = calloc(1, 1 << 16);
    *out_size = fread(text, 1, (1 << 16) - 1, f);
    fclose(f);
    return text;
}

static vta_status lower(vt_ctx *ctx, void *arg) {
    vtac_kernel *k = arg;
    vt_te_arg args[16];
    uint32_t n = (uint32_t)vtac_kernel_arg_count(k);
    for (uint32_t i = 0; i < n; i++) args[i] = (vt_te_arg){.tensor = vtac_kernel_arg(k, i)};
    vt_te_lower(vtac_kernel_schedule(k), n, args, vtac_kernel_name(k));
    (void)ctx;
    return VTA_OK;
}

/* The messages of reading and, where that went well, of lowering; free it. */
static char *messages(const char *name, const char *text, size_t size) {
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *k;
    char *result;
    vta_status status = vtac_kernel_parse(text, size, name, NULL, NULL, NULL, diag, &k);
    assert_int_equal(status, vta_diag_status(diag));
    if (status == VTA_OK) {
        te_context *c = vtac_kernel_context(k);
        status = vt_protect(vt_te_ctx(c), lower, k);
        assert_int_equal(status, te_context_status(c));
        result = strdup(vta_diag_text(te_context_diag(c)));
        vtac_kernel_destroy(k);
    } else {
        assert_null(k);
        result = strdup(vta_diag_text(diag));
    }
    vta_diag_destroy(diag);
    return result;
}

TEST_CASE(refused) {
    DIR *dir = opendir(FOLDER);
    assert_non_null(dir);
    int n = 0;
    for (struct dirent *e; (e = readdir(dir));) {
        char *dot = strrchr(e->d_name, '.'), path[512];
        if (!dot || strcmp(dot, ".te") != 0) continue;
        size_t size, expected_size;
        snprintf(path, sizeof path, FOLDER "%s", e->d_name);
        char *text = read_text(path, &size);
        snprintf(path, sizeof path, FOLDER "%.*s.txt", (int)(dot - e->d_name), e->d_name);
        char *expected = read_text(path, &expected_size);
        assert_non_null(text);
        if (!expected) fail_msg("%s is missing", path);
        if (expected_size && expected[expected_size - 1] == '\n') expected[expected_size - 1] = 0;
        char *got = messages(e->d_name, text, size);
        assert_string_equal(got, expected);
        assert_true(strlen(got) > 0);
        free(text);
        free(expected);
        free(got);
        n++;
    }
    closedir(dir);
    assert_true(n > 30);
}

int main(void) { return run_cases(); }
