/* Key files. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "rpc/tls.h"
#include "vta/rpc.h"

static vta_status check_mode(const char *path, vta_diag *diag) {
    struct stat s;
    if (stat(path, &s) != 0)
        return vt_fail(diag, errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "key file %s: %s; `vta rpc new-key` makes one",
                       path, strerror(errno));
    if (S_ISREG(s.st_mode) && (s.st_mode & 077))
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "key file %s: others than its owner may read it; chmod 600 %s", path,
                       path);
    return VTA_OK;
}

static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* False: something else than hexadecimal digits, or not the right number of them. */
static bool read_digits(const char *text, vt_rpc_key *key) {
    size_t n = strspn(text, "0123456789abcdefABCDEF");
    if (n % 2 || n / 2 < VT_KEY_LEAST || n / 2 > VT_KEY_MAX || text[n + strspn(text + n, " \t\r\n")]) return false;
    for (size_t i = 0; i < n / 2; i++) key->bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    key->size = n / 2;
    return true;
}

/* One byte again and again is what somebody typed, not a key. */
static bool is_weak(const vt_rpc_key *key) {
    for (size_t i = 1; i < key->size; i++)
        if (key->bytes[i] != key->bytes[0]) return false;
    return true;
}

vta_status vt__key_read(const char *path, vta_diag *diag, vt_rpc_key *out_key) {
    char *text;
    size_t size;
    *out_key = (vt_rpc_key){.size = 0};
    VT_TRY(check_mode(path, diag));
    VT_TRY(vt_file_read(NULL, path, 4096, diag, &text, &size));
    bool good = read_digits(text, out_key);
    OPENSSL_cleanse(text, size);
    vt_free(NULL, text, size + 1);
    if (good && !is_weak(out_key)) return VTA_OK;
    bool weak = good;
    OPENSSL_cleanse(out_key, sizeof *out_key);
    if (weak)
        return vt_fail(diag, VTA_INVALID_ARGUMENT,
                       "key file %s: all bytes of the key are the same, and others would guess it; `vta rpc new-key` "
                       "makes one",
                       path);
    return vt_fail(diag, VTA_PARSE,
                   "key file %s: must be %d to %d hexadecimal digits on one line; `vta rpc new-key` "
                   "makes one",
                   path, 2 * VT_KEY_LEAST, 2 * VT_KEY_MAX);
}

vta_status vta_rpc_new_key(const char *path, vta_diag *diag) {
    enum { BYTES = 32 };
    uint8_t bytes[BYTES];
    char text[2 * BYTES + 2];
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_rpc_new_key: path is NULL");
    if (RAND_bytes(bytes, BYTES) != 1) return vt_fail(diag, VTA_IO, "the system gives no random numbers");
    for (int i = 0; i < BYTES; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    text[2 * BYTES] = '\n';
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return vt_fail(diag, VTA_IO, "key file %s: cannot be made: %s", path, strerror(errno));
    ssize_t n = write(fd, text, sizeof text - 1);
    bool written = n == (ssize_t)sizeof text - 1 && fsync(fd) == 0;
    if (n >= 0 && n < (ssize_t)sizeof text - 1) errno = ENOSPC;
    if (close(fd) != 0) written = false;
    int error = errno;
    if (!written) unlink(path); /* half a key would be in the way of the next one */
    errno = error;
    OPENSSL_cleanse(text, sizeof text);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return written ? VTA_OK : vt_fail(diag, VTA_IO, "key file %s: cannot be written: %s", path, strerror(errno));
}
