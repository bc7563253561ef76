/* Time of each pass for the tutorials' convolution: information, and a generous limit. */
#include "listings/lower.h"
#include "support/check.h"

static uint64_t total;

static void say(void *user, const vtac_pass_event *event) {
    total += event->nanoseconds;
    if (user && !event->skipped) print_message("%8.1f us  %s\n", (double)event->nanoseconds / 1e3, event->name);
}

TEST_CASE(conv2d_lowers_in_milliseconds) {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; i++) {
        program p;
        assert_true(program_create(&p, "conv2d"));
        vtac_lower_options options = {.config = te_context_config(p.c), .after = say, .user = i == 4 ? &p : NULL};
        total = 0;
        assert_int_equal(lower_program(&p, &options, "main", WANT_CALLS, NULL), VTA_OK);
        if (total < best) best = total;
        if (i == 4) print_message("%zu bytes\n", te_context_bytes(p.c));
        program_destroy(&p);
    }
    print_message("passes together: %.3f ms\n", (double)best / 1e6);
    assert_true(best < 200000000u);
}

int main(void) { return run_cases(); }
