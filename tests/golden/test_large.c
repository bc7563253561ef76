/* The recordings that are too large for the repository: their programs and call sequences; and that the
 * repository's are those of the complete set. Skips where the complete set is absent. */
#include "golden/calls.h"
#include "golden/runs.h"

static void run(const char *name, void *arg) {
    static const vta_device_options ways[] = {
        {.engine = VTA_ENGINE_REFERENCE}, {.check = true},     {.order = VTA_ORDER_RANDOM, .seed = 7},
        {.order = VTA_ORDER_STORE_LATE},  {.cpu = "portable"},
    };
    char of[100], calls[100];
    snprintf(of, sizeof of, "runs/%s", name);
    snprintf(calls, sizeof calls, "calls/%s.calls", name);
    bool ran = golden_is_in(0, of), called = golden_is_in(0, calls);
    for (size_t i = 0; !ran && i < sizeof ways / sizeof *ways; i++) run_recorded("sim", name, &ways[i]);
    if (!called) check_calls(name);
    *(int *)arg += !ran || !called;
}

TEST_CASE(every_large_program) {
    int programs = 0;
    golden_need_all();
    golden_each(1, "runs", "", run, &programs);
    assert_int_not_equal(programs, 0);
}

/* ---- The repository's copies ---------------------------------------------------------------------------------- */

static void same_file(const char *name, void *arg) {
    char of[300], mine[GOLDEN_PATH], theirs[GOLDEN_PATH];
    struct stat s;
    snprintf(of, sizeof of, "%s/%s", (const char *)arg, name);
    golden_in(0, of, mine);
    assert_int_equal(stat(mine, &s), 0);
    if (S_ISDIR(s.st_mode)) {
        assert_int_not_equal(golden_each(0, of, "", same_file, of), 0);
        return;
    }
    size_t size, size_there;
    golden_in(1, of, theirs);
    char *a = check_read_file(mine, &size), *b = check_read_file(theirs, &size_there);
    if (size != size_there || memcmp(a, b, size) != 0) fail_msg("%s is not the recording", mine);
    free(a);
    free(b);
}

TEST_CASE(the_repositorys_are_the_recordings) {
    golden_need_all();
    static const char *const folders[] = {"calls", "runs", "rtl"};
    static const int least[] = {15, 20, 2};
    for (int i = 0; i < 3; i++)
        assert_in_range(golden_each(0, folders[i], "", same_file, (void *)(uintptr_t)folders[i]), least[i], 1000);
}

static void check_sum(const char *name, void *arg) {
    char of[200], hex[SHA256_HEX];
    snprintf(of, sizeof of, "%s/%s", (const char *)arg, name);
    if (golden_is_in(0, of)) return;
    if (!golden_hash(of, hex)) fail_msg("tests/golden/data has neither %s nor its hash", of);
    char *text = golden_read(of);
    golden_check_hash(of, text, hex);
    free(text);
}

TEST_CASE(every_text_is_here_or_its_hash) {
    golden_need_all();
    golden_each(1, "calls", "", check_sum, "calls");
    golden_each(1, "listings", "", check_sum, "listings");
}

int main(void) { return golden_result(run_cases()); }
