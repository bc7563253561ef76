/* An error as it is told: its status, and the complete words of the last entry of a list. */
#ifndef TESTS_RPC_TOLD_H
#define TESTS_RPC_TOLD_H

#include "base/diag.h"
#include "support/check.h"

static inline void told(vta_diag *diag, vta_status got, vta_status expected, const char *words) {
    vta_diag_entry e;
    size_t count = 0;
    while (vta_diag_get(diag, count, &e) == VTA_OK) count++;
    if (got != expected) fail_msg("%d, not %d: %s", (int)got, (int)expected, vta_diag_text(diag));
    if (!count) fail_msg("nothing is said, not '%s'", words);
    vta_diag_get(diag, count - 1, &e);
    assert_string_equal(e.message, words);
    vta_diag_clear(diag);
}

#endif
