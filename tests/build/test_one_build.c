/* libvtac beside a libvta of another build: this program's vta_build_id stands before the library's. */
#include "base/build_id.h"
#include "support/check.h"
#include "vta/build.h"

static const char *id;
const char *vta_build_id(void) { return id; }

TEST_CASE(another_build) {
    vta_config *config = vta_config_default();
    vta_diag *diag = vta_diag_create(NULL);
    vtac_kernel *kernel;
    static const char text[] = "kernel k\ninput A: int32[4]\noutput B[i: 4] = A[i] + 1\ntarget llvm\n";
    id = "1.0.0-0123456789ab";
    te_context *c = te_context_create(config, NULL);
    assert_non_null(c);
    assert_int_equal(te_context_status(c), VTA_MISMATCH);
    assert_non_null(strstr(vta_diag_text(te_context_diag(c)), "libvta that it found of 1.0.0-0123456789ab"));
    assert_ptr_not_equal(te_context_config(c), config);
    te_context_destroy(c);
    assert_int_equal(vtac_kernel_parse(text, strlen(text), "k", NULL, config, NULL, diag, &kernel), VTA_MISMATCH);
    assert_null(kernel);
    assert_non_null(strstr(vta_diag_text(diag), "install both from one build"));
    vta_diag_destroy(diag);
    vta_config_release(config);
}

TEST_CASE(the_same_build) {
    vta_config *config = vta_config_default();
    id = vt_build_id;
    te_context *c = te_context_create(config, NULL);
    assert_int_equal(te_context_status(c), VTA_OK);
    assert_ptr_equal(te_context_config(c), config);
    te_context_destroy(c);
    vta_config_release(config);
    assert_int_equal(strncmp(vt_build_id, vta_version(), strlen(vta_version())), 0);
}

int main(void) { return run_cases(); }
