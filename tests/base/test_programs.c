/* Other programs, and what surrounds them: what they write and how they end, linkers that are there or not, variables
 * of the environment, temporary folders; and the words for types of elements. */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/element_type.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/link.h"
#include "base/spawn.h"
#include "base/versioned.h"
#include "support/diag.h"
#include "vta/support.h"

static char folder[VT_FOLDER_BYTES], path[VT_FOLDER_BYTES + 32];

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- Programs ---------------------------------------------------------------------------------------------------- */

static int run(const char *script, vt_strbuf *said, int *code) {
    const char *const argv[] = {"sh", "-c", script, NULL};
    vt_strbuf_clear(said);
    return vt_spawn(argv, said, code);
}

TEST_CASE(programs) {
    vt_strbuf said;
    int code = 99;
    vt_strbuf_init(&said, NULL);
    assert_int_equal(run("echo out; echo err >&2; exit 3", &said, &code), 0);
    assert_int_equal(code, 3);
    assert_string_equal(said.text, "out\nerr\n");
    assert_int_equal(run("kill -9 $$", &said, &code), 0);
    assert_int_equal(code, 128 + 9);
    assert_int_equal(run("exit 127", &said, &code), ENOENT);     /* as an emulator says that there is no program */
    assert_int_equal(run("echo so; exit 127", &said, &code), 0); /* this one was there */
    char script[128];
    int next = dup(STDIN_FILENO); /* the pipe's ends have this number and the one after */
    close(next);
    snprintf(script, sizeof script, "test ! -e /proc/$$/fd/%d && test ! -e /proc/$$/fd/%d", next, next + 1);
    assert_int_equal(run(script, &said, &code), 0);
    assert_int_equal(code, 0); /* it has them as its output and errors only */
    /* Of very much, some kilobytes are kept, and the program is not held up. */
    assert_int_equal(run("i=0; while test $i -lt 3000; do echo 0123456789; i=$((i+1)); done; exit 5", &said, &code), 0);
    assert_int_equal(code, 5);
    assert_in_range(said.size, 4096, 4096 + 511);
    assert_memory_equal(said.text, "0123456789\n0123456789\n", 22);
    code = 99;
    const char *const none[] = {"/no/such/program", NULL};
    assert_int_equal(vt_spawn(none, &said, &code), ENOENT);
    assert_int_equal(code, -1);
    vt_strbuf_free(&said);
}

static void put_program(const char *name, const char *text) {
    assert_int_equal(vt_file_write(NULL, in_folder(name), text, strlen(text), diag), VTA_OK);
    assert_int_equal(chmod(path, 0700), 0);
}

TEST_CASE(linkers) {
    char first[2 * VT_FOLDER_BYTES], words[1024], *was = strdup(getenv("PATH"));
    /* The words of the one that is asked first, in their order. */
    put_program("linker", "#!/bin/sh\necho \"$@\" | sed 's,.*,<&>,'\necho\nexit ${CODE:-1}\n");
    snprintf(first, sizeof first, "%s  -a   -b", in_folder("linker"));
    snprintf(words, sizeof words, "error: x.o: %s cannot link it: <-a -b -shared -o out in>", first);
    says(vt_link_shared(NULL, "x.o", "in", NULL, first, "out", diag), VTA_PARSE, words);
    setenv("CODE", "0", 1);
    says(vt_link_shared(NULL, "x.o", "in", NULL, first, "out", diag), VTA_OK, "");
    unsetenv("CODE");
    put_program("silent", "#!/bin/sh\nexit 1\n");
    snprintf(words, sizeof words, "error: x.o: %s cannot link it: (it gives no reason)", path);
    says(vt_link_shared(NULL, "x.o", "in", NULL, in_folder("silent"), "out", diag), VTA_PARSE, words);
    assert_int_equal(chmod(in_folder("silent"), 0600), 0);
    snprintf(words, sizeof words, "error: x.o: %s cannot link it: cannot be started: Permission denied", path);
    says(vt_link_shared(NULL, "x.o", "in", NULL, path, "out", diag), VTA_PARSE, words);
    /* Of those that are there by themselves, the next one is asked when one fails; the first one's reason is told. */
    put_program("gcc", "#!/bin/sh\necho gcc lacks something\nexit 1\n");
    put_program("clang", "#!/bin/sh\necho \"$@\" > \"${0%/*}/asked\"\nexit ${CODE:-1}\n");
    char *place = strdup(in_folder(""));
    setenv("PATH", place, 1);
    says(vt_link_shared(NULL, "x.o", "in", NULL, NULL, "out", diag), VTA_PARSE,
         "error: x.o: gcc cannot link it: gcc lacks something");
    assert_int_equal(access(in_folder("asked"), F_OK), 0);
    setenv("CODE", "0", 1);
    says(vt_link_shared(NULL, "x.o", "in", NULL, NULL, "out", diag), VTA_OK, "");
    unsetenv("CODE");
    free(place);
    for (int i = 0; i < 3; i++) unlink(in_folder(i == 0 ? "gcc" : i == 1 ? "clang" : "asked"));
    /* Where there is none, all that were tried are named. */
    setenv("PATH", "/nonexistent", 1);
    static const struct {
        const char *triple, *first, *words;
    } none[] = {
        {NULL, NULL, "its own code on this machine (tried cc, gcc, clang, ld, ld.lld-19, ld.lld)"},
        {"aarch64-linux-gnu", NULL,
         "aarch64-linux-gnu on this machine (tried aarch64-linux-gnu-gcc, ld.lld-19, ld.lld)"},
        {"arm-linux-gnueabihf", "mine -x",
         "arm-linux-gnueabihf on this machine (tried mine, arm-linux-gnueabihf-gcc, arm-linux-gnueabi-gcc, ld.lld-19, "
         "ld.lld)"},
        {"arm-linux-gnueabi", " ",
         "arm-linux-gnueabi on this machine (tried arm-linux-gnueabi-gcc, ld.lld-19, ld.lld)"},
        {"riscv64-linux", NULL, "riscv64-linux on this machine (tried ld.lld-19, ld.lld)"},
    };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        snprintf(words, sizeof words,
                 "error: x.o: no linker for %s: install one (binutils or a C compiler), or link it with -shared where "
                 "there is one",
                 none[i].words);
        says(vt_link_shared(NULL, "x.o", "in", none[i].triple, none[i].first, "out", diag), VTA_UNSUPPORTED, words);
    }
    /* One that is too long is not tried at all: 511 characters are the most. */
    char long_name[513];
    memset(long_name, 'x', 512);
    for (int n = 511; n <= 512; n++) {
        long_name[n] = '\0';
        assert_int_equal(vt_link_shared(NULL, "x.o", "in", "z", long_name, "out", diag), VTA_UNSUPPORTED);
        assert_int_equal(strstr(vta_diag_text(diag), "xxx") != NULL, n == 511);
        vta_diag_clear(diag);
        long_name[n] = 'x';
    }
    setenv("PATH", was, 1);
    free(was);
}

TEST_CASE(environment) {
    char made[VT_FOLDER_BYTES], long_place[VT_FOLDER_BYTES + 16];
    setenv("VTA_BOARD", "somewhere", 1);
    assert_string_equal(vt_environment(VT_ENV_VTA_BOARD), "somewhere");
    setenv("VTA_BOARD", "", 1);
    assert_null(vt_environment(VT_ENV_VTA_BOARD));
    unsetenv("VTA_BOARD");
    assert_null(vt_environment(VT_ENV_VTA_BOARD));
    assert_null(vt_environment(VT_ENV_COUNT));
    unsetenv("TMPDIR");
    assert_string_equal(vt_temporary_place(), "/tmp");
    setenv("TMPDIR", folder, 1);
    assert_int_equal(vt_temporary_folder(made, diag), VTA_OK);
    assert_memory_equal(made, folder, strlen(folder));
    assert_memory_equal(made + strlen(folder), "/vta-", 5);
    assert_int_equal(strlen(made), strlen(folder) + strlen("/vta-XXXXXX"));
    assert_int_equal(rmdir(made), 0);
    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(vt_temporary_folder(made, diag), VTA_IO);
    assert_contains(vta_diag_text(diag), "error: cannot make a temporary folder /nonexistent/vta-");
    assert_contains(vta_diag_text(diag), " ($TMPDIR): No such file or directory");
    vta_diag_clear(diag);
    for (size_t n = VT_FOLDER_BYTES - 12; n <= VT_FOLDER_BYTES - 11; n++) { /* with /vta-XXXXXX and its end */
        memset(long_place, '/', n);
        long_place[n] = '\0';
        memcpy(long_place, folder, strlen(folder));
        setenv("TMPDIR", long_place, 1);
        vta_status status = vt_temporary_folder(made, diag);
        if (n == VT_FOLDER_BYTES - 12)
            assert_true(status == VTA_OK && rmdir(made) == 0);
        else
            says(status, VTA_IO, "error: $TMPDIR is longer than 244 characters");
    }
    unsetenv("TMPDIR");
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

TEST_CASE(files) {
    char *data, words[2 * VT_FOLDER_BYTES];
    size_t size;
    snprintf(words, sizeof words, "error: %s: cannot open: No such file or directory", in_folder("none"));
    data = words, size = 9;
    says(vt_file_read(NULL, path, 9, diag, &data, &size), VTA_NOT_FOUND, words);
    assert_true(!data && !size);
    snprintf(words, sizeof words, "error: %s: is a directory", folder);
    says(vt_file_read(NULL, folder, 9, diag, &data, &size), VTA_IO, words);
    says(vt_file_write(NULL, folder, "x", 1, diag), VTA_IO, words);
    assert_int_equal(vt_file_write(NULL, in_folder("ten"), "0123456789", 10, diag), VTA_OK);
    snprintf(words, sizeof words, "error: %s: 10 bytes, more than the limit of 9", path);
    says(vt_file_read(NULL, path, 9, diag, &data, &size), VTA_OUT_OF_RANGE, words);
    assert_int_equal(vt_file_read(NULL, path, 10, diag, &data, &size), VTA_OK);
    assert_string_equal(data, "0123456789");
    vt_free(NULL, data, 11);
    /* Of a file whose size is not known before: as many as are allowed, and no more. */
    for (size_t bytes = 9998; bytes <= 10001; bytes++) {
        char name[32];
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        char *all = calloc(1, bytes);
        for (size_t i = 0; i < bytes; i++) all[i] = (char)('a' + i % 23);
        assert_int_equal(write(ends[1], all, bytes), bytes);
        close(ends[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
        snprintf(words, sizeof words, "error: %s: larger than 10000 bytes", name);
        vta_status status = vt_file_read(NULL, name, 10000, diag, &data, &size);
        if (bytes <= 10000) {
            assert_int_equal(status, VTA_OK);
            assert_int_equal(size, bytes);
            assert_memory_equal(data, all, bytes);
            assert_int_equal(data[bytes], 0);
            vt_free(NULL, data, size + 1);
        } else {
            says(status, VTA_OUT_OF_RANGE, words);
        }
        close(ends[0]);
        free(all);
    }
    says(vta_file_write(NULL, "x", 1, diag), VTA_INVALID_ARGUMENT, "error: vta_file_write: no path or no bytes");
    says(vta_file_write(in_folder("x"), NULL, 1, diag), VTA_INVALID_ARGUMENT,
         "error: vta_file_write: no path or no bytes");
    says(vta_file_write(in_folder("x"), NULL, 0, diag), VTA_OK, "");
}

/* ---- Words and numbers ------------------------------------------------------------------------------------------- */

TEST_CASE(types_of_elements) {
    static const struct {
        const char *text;
        DLDataType type;
    } good[] = {{"bool", {kDLUInt, 1, 1}},           {"handle", {kDLOpaqueHandle, 64, 1}}, {"int8", {kDLInt, 8, 1}},
                {"uint64", {kDLUInt, 64, 1}},        {"float16x4", {kDLFloat, 16, 4}},     {"int1", {kDLInt, 1, 1}},
                {"uint8x65535", {kDLUInt, 8, 65535}}};
    static const char *const bad[] = {"",    "int",   "int0", "int65", "int8x", "int8x0",   "int8x65536", "int8 ",
                                      "in8", "ints8", "8",    "Bool",  "bool8", "int8x2x2", "handles"};
    char text[VT_ELEMENT_TYPE_BYTES];
    DLDataType type;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(vt_element_type_parse(good[i].text, &type));
        assert_memory_equal(&type, &good[i].type, sizeof type);
        assert_string_equal(vt_element_type_text(type, text), good[i].text);
        assert_ptr_equal(vt_element_type_text(type, text), text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (vt_element_type_parse(bad[i], &type)) fail_msg("'%s'", bad[i]);
    assert_string_equal(vt_element_type_text((DLDataType){99, 8, 1}, text), "?8");
    assert_string_equal(vt_element_type_text((DLDataType){kDLInt, 255, 65535}, text), "int255x65535");
}

/* Word after word, the last one filled up with zeros: worked out with Python's whole numbers. */
TEST_CASE(hashes) {
    uint64_t h = 5;
    assert_int_equal(vt_hash(h, "", 0), h);
    static const uint64_t words[] = {0x3736353433323130, 0x3938};
    for (int i = 0; i < 2; i++) {
        h = (h ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
        assert_int_equal(vt_hash(5, "0123456789", i ? 10 : 8), h);
    }
}

/* What a caller says of the size of a struct. */
TEST_CASE(sizes_of_options) {
    enum { MAX = 1 << 16 };
    static struct {
        size_t size;
        uint8_t rest[MAX];
    } given, own;
    char words[160];
    given.size = MAX;
    assert_int_equal(vt_options_read(&own, 16, &given, "o", diag), VTA_OK);
    assert_int_equal(own.size, 16);
    given.size = sizeof(size_t);
    assert_int_equal(vt_options_read(&own, 16, &given, "o", diag), VTA_OK);
    static const size_t wrong[] = {1, sizeof(size_t) - 1, MAX + 1};
    for (int i = 0; i < 3; i++) {
        given.size = wrong[i];
        snprintf(words, sizeof words, "error: opts.size is %zu: set it to sizeof(opts), or to 0", wrong[i]);
        says(vt_options_read(&own, 16, &given, "opts", diag), VTA_INVALID_ARGUMENT, words);
    }
    given.size = MAX;
    given.rest[MAX - 1 - sizeof(size_t)] = 1; /* the last byte that it says it has */
    snprintf(words, sizeof words,
             "error: o: byte 65535 is set, and this library, version %s, knows 16 bytes: the caller was built for a "
             "newer one",
             vta_version());
    says(vt_options_read(&own, 16, &given, "o", diag), VTA_UNSUPPORTED, words);
    given.size--;
    assert_int_equal(vt_options_read(&own, 16, &given, "o", diag), VTA_OK);
    given.size = MAX;
    given.rest[MAX - 1 - sizeof(size_t)] = 0;
    given.rest[16 - sizeof(size_t)] = 1; /* the first that the library does not know */
    assert_int_equal(vt_options_read(&own, 16, &given, "o", diag), VTA_UNSUPPORTED);
    assert_contains(vta_diag_text(diag), "byte 16 is set");
    vta_diag_clear(diag);
}

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    unsetenv("TMPDIR");
    return !diag || vt_temporary_folder(folder, diag) != VTA_OK;
}

static int end(void **state) {
    (void)state;
    char command[VT_FOLDER_BYTES + 16];
    vta_diag_destroy(diag);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void) { return run_cases_between(begin, end); }
