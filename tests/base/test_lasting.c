/* Files that are written are there after a crash of the machine: what is synced, in which order, and what happens when
 * that fails. The calls are counted in the place of the C library's. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spawn.h"
#include "support/diag.h"

static char folder[VT_FOLDER_BYTES], path[VT_FOLDER_BYTES + 8];
static char order[16]; /* 'f' a file, 'd' a folder was synced; 'r' a file renamed */
static int failing;    /* the error of the next sync of a file; 0: none */

static void note(char what) {
    size_t n = strlen(order);
    if (n + 1 < sizeof order) order[n] = what, order[n + 1] = '\0';
}

int fsync(int fd) {
    struct stat is;
    assert_int_equal(fstat(fd, &is), 0);
    note(S_ISDIR(is.st_mode) ? 'd' : 'f');
    if (S_ISDIR(is.st_mode) || !failing) return (int)syscall(SYS_fsync, fd);
    errno = failing;
    return -1;
}

int rename(const char *from, const char *to) {
    note('r');
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static void contains(const char *text) {
    char *got;
    size_t size;
    must(vt_file_read(NULL, path, 100, diag, &got, &size));
    assert_string_equal(got, text);
    vt_free(NULL, got, size + 1);
}

static void in_order(void **state) {
    (void)state;
    must(vt_file_write(NULL, path, "one", 3, diag));
    assert_string_equal(order, "frd");
    contains("one");
    *order = '\0';
    must(vt_file_write_temporary(NULL, path, "two", 3, diag)); /* of which nothing has to stay */
    assert_string_equal(order, "r");
    contains("two");
    *order = '\0';
    must(vt_file_write(NULL, "/dev/null", "three", 5, diag));
    assert_string_equal(order, "");
    assert_int_equal(chdir(folder), 0);
    must(vt_file_write(NULL, "file", "four", 4, diag)); /* of the current folder */
    assert_string_equal(order, "frd");
    contains("four");
}

/* What could not be synced is no new file: the old one stays, and nothing beside it. */
static void that_fails(void **state) {
    (void)state;
    char words[400];
    must(vt_file_write(NULL, path, "old", 3, diag));
    *order = '\0';
    failing = EIO;
    snprintf(words, sizeof words, "%s: cannot write: Input/output error", path);
    says_error(vt_file_write(NULL, path, "new", 3, diag), VTA_IO, words);
    assert_string_equal(order, "f");
    contains("old");
    failing = EINVAL; /* a file system that syncs nothing */
    must(vt_file_write(NULL, path, "new", 3, diag));
    contains("new");
    failing = 0;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0); /* it is empty */
    must(vt_temporary_folder(folder, diag));
}

static int begin(void **state) {
    *order = '\0';
    if (diag_begin(state) != 0 || vt_temporary_folder(folder, diag) != VTA_OK) return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    return 0;
}

static int end(void **state) {
    unlink(path);
    rmdir(folder);
    return diag_end(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {TEST(in_order), TEST(that_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
