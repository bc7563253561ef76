/* Any bytes as a log of the tuner: each line is a record or left out with a reason; what is a record fits an operator
 * or not, in words. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vta/tune.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok) {
    if (!ok) abort();
}

static void use(const vtac_tune_log *log, const vtac_op *op) {
    for (size_t i = 0; i < vtac_tune_log_count(log); i++) {
        char why[200];
        vtac_tune_record r = {.size = sizeof r};
        check(vtac_tune_log_get(log, i, &r) == VTA_OK);
        check(r.target && r.task && r.line && (r.error != 0) == (r.message != NULL));
        const char *not = vtac_tune_log_why_not(log, i, op, why, sizeof why);
        check(!not|| *not);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static vtac_op *ops[2];
    vta_diag *diag = vta_diag_create(NULL);
    vtac_tune_log *log;
    char *best;
    if (!ops[0]) {
        check(vtac_op_create("conv2d", "height=14 width=14 in_channels=64 out_channels=64 kernel=3 pad=1", NULL, NULL,
                             diag, &ops[0]) == VTA_OK);
        check(vtac_op_create("dense", "batch=2 in_features=64 out_features=128", NULL, NULL, diag, &ops[1]) == VTA_OK);
    }
    check(vtac_tune_log_parse((const char *)data, size, "fuzz.log", NULL, diag, &log) == VTA_OK);
    check((vtac_tune_log_refused(log) > 0) == (vta_diag_count(diag) > 0));
    for (int i = 0; i < 2; i++) use(log, ops[i]);
    check(vtac_tune_log_best(log, diag, &best) == VTA_OK);
    vta_string_free(best);
    vtac_tune_log_destroy(log);
    vta_diag_destroy(diag);
    return 0;
}
