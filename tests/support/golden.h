/* Recordings of TVM's VTA, by their names below a "golden" folder ("calls/vadd.calls", "runs/conv2d"). A small set lies
 * in tests/golden/data; the rest, where it is there at all, in $VTA_SHARED/golden or ../shared/golden. A test that
 * needs one that is absent skips, and the program then ends with golden_result's code, by which ctest says "Skipped";
 * with VTA_REQUIRE_GOLDEN set it fails instead. */
#ifndef TESTS_SUPPORT_GOLDEN_H
#define TESTS_SUPPORT_GOLDEN_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "support/check.h"
#include "support/sha256.h"

enum { GOLDEN_PATH = 1024, GOLDEN_SKIPPED = 77 /* SKIP_RETURN_CODE of tests/CMakeLists.txt */ };

static int golden_skips;

/* What main returns: 0, 1 where a test failed, GOLDEN_SKIPPED where the others passed and one skipped. */
static inline int golden_result(int failed) { return failed ? 1 : golden_skips ? GOLDEN_SKIPPED : 0; }

/* Leaves the test: what it needs is absent. */
static inline void golden_absent(const char *name) {
    if (getenv("VTA_REQUIRE_GOLDEN"))
        fail_msg("VTA_REQUIRE_GOLDEN is set, and the recording %s is absent: VTA_SHARED must name its folder", name);
    print_message("skipped: the recording %s is in neither tests/golden/data nor $VTA_SHARED\n", name);
    golden_skips++;
    skip();
}

/* The folders of recordings: 0 the repository's, 1 the complete one. Fails to find anything in one that is absent. */
static inline void golden_in(int place, const char *name, char to[GOLDEN_PATH]) {
    const char *shared = getenv("VTA_SHARED");
    if (place == 0)
        snprintf(to, GOLDEN_PATH, "%s/tests/golden/data/%s", VT_SOURCE_DIR, name);
    else
        snprintf(to, GOLDEN_PATH, "%s/golden/%s", shared ? shared : VT_SOURCE_DIR "/../shared", name);
}

static inline bool golden_is_in(int place, const char *name) {
    char path[GOLDEN_PATH];
    struct stat s;
    golden_in(place, name, path);
    return stat(path, &s) == 0;
}

/* The path of a recorded file or folder; skips where it is absent. */
static inline void golden_path(const char *name, char to[GOLDEN_PATH]) {
    if (!golden_is_in(0, name) && !golden_is_in(1, name)) golden_absent(name);
    golden_in(golden_is_in(0, name) ? 0 : 1, name, to);
}

/* Skips unless the complete set of recordings is there. */
static inline void golden_need_all(void) {
    if (!golden_is_in(1, "runs")) golden_absent("runs (all of them)");
}

/* A recorded file, a zero after it; skips where it is absent. Free it. */
static inline char *golden_read(const char *name) {
    char path[GOLDEN_PATH];
    size_t size;
    golden_path(name, path);
    return check_read_file(path, &size);
}

/* Blanks and line breaks at the end do not count. */
static inline size_t golden_length(const char *text) {
    size_t n = strlen(text);
    while (n && strchr(" \n", text[n - 1])) n--;
    return n;
}

/* The hash that tests/golden/data/SHA256SUMS has of a recorded text (its end cut, then one line break). */
static inline bool golden_hash(const char *name, char hex[SHA256_HEX]) {
    char path[GOLDEN_PATH], line[256], found[200];
    golden_in(0, "SHA256SUMS", path);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("cannot open %s", path);
    bool is_there = false;
    while (!is_there && fgets(line, sizeof line, f))
        is_there = sscanf(line, "%64[0-9a-f]  %199s", hex, found) == 2 && strcmp(found, name) == 0;
    fclose(f);
    return is_there;
}

static inline void golden_check_hash(const char *name, const char *got, const char want[SHA256_HEX]) {
    char hex[SHA256_HEX], *whole = strdup(got);
    size_t n = golden_length(whole);
    assert_non_null(whole = realloc(whole, n + 2));
    memcpy(whole + n, "\n", 2);
    sha256_text(whole, n + 1, hex);
    if (strcmp(hex, want) != 0)
        fail_msg("%s: the text has the SHA-256 %s, the recording %s; where they differ is said where VTA_SHARED names "
                 "the recordings. The text:\n%s",
                 name, hex, want, whole);
    free(whole);
}

/* Fails unless `got` is the recorded text; skips where neither the text nor its hash is there. */
static inline void golden_check(const char *name, const char *got) {
    char want[SHA256_HEX];
    if (!golden_is_in(0, name) && !golden_is_in(1, name)) {
        if (!golden_hash(name, want)) golden_absent(name);
        golden_check_hash(name, got, want);
        return;
    }
    char *text = golden_read(name), *mine = strdup(got);
    text[golden_length(text)] = mine[golden_length(mine)] = '\0';
    assert_same_text(name, mine, text);
    free(text);
    free(mine);
}

/* Calls `visit` with the name below `folder` ("vadd") of every recording of one place (golden_in) that ends in
 * `suffix`, less that suffix, in alphabetic order; how many there were. */
static inline int golden_each(int place, const char *folder, const char *suffix, void (*visit)(const char *, void *),
                              void *arg) {
    char path[GOLDEN_PATH];
    struct dirent **entries;
    golden_in(place, folder, path);
    int n = scandir(path, &entries, NULL, alphasort), visited = 0;
    for (int i = 0; i < n; i++) {
        char *name = entries[i]->d_name, *end = name + strlen(name) - strlen(suffix);
        if (name[0] != '.' && end > name && strcmp(end, suffix) == 0) {
            *end = '\0';
            visit(name, arg);
            visited++;
        }
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return visited;
}

#endif
