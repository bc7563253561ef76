#include "file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "vta/support.h"

enum { LIMIT = 1 << 30 };

static vta_status fail(vta_status status, const char *what, const char *path) {
    char message[512];
    snprintf(message, sizeof message, "%s: cannot %s: %s", path, what, strerror(errno));
    vta_diag_add(cli_diag(), VTA_ERROR, status, message);
    return status;
}

static vta_status read_all(FILE *f, const char *path, char **out_bytes, size_t *out_size) {
    size_t size = 0, cap = 1 << 16;
    char *bytes = malloc(cap + 1);
    while (bytes && cap <= LIMIT) {
        size += fread(bytes + size, 1, cap - size, f);
        if (size < cap) break;
        cap *= 2;
        char *more = realloc(bytes, cap + 1);
        if (!more) free(bytes);
        bytes = more;
    }
    errno = !bytes ? ENOMEM : cap > LIMIT ? EFBIG : errno;
    if (!bytes || cap > LIMIT || ferror(f)) {
        free(bytes);
        return fail(VTA_IO, "read", path);
    }
    bytes[size] = 0;
    *out_bytes = bytes;
    *out_size = size;
    return VTA_OK;
}

vta_status cli_read_file(const char *path, char **out_bytes, size_t *out_size) {
    *out_bytes = NULL;
    *out_size = 0;
    bool standard = !strcmp(path, "-");
    FILE *f = standard ? stdin : fopen(path, "rb");
    if (!f) return fail(errno == ENOENT ? VTA_NOT_FOUND : VTA_IO, "open", path);
    vta_status status = read_all(f, path, out_bytes, out_size);
    if (!standard) fclose(f);
    return status;
}

const char *cli_base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *cli_with_ending(const char *path, const char *ending) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path), size = n + strlen(ending) + 1;
    char *to = malloc(size);
    if (to) snprintf(to, size, "%.*s%s", (int)n, path, ending);
    return to;
}

vta_status cli_write_file(const char *path, const void *bytes, size_t size) {
    if (path && strcmp(path, "-")) return vta_file_write(path, bytes, size, cli_diag());
    return fwrite(bytes, 1, size, stdout) == size ? VTA_OK : fail(VTA_IO, "write", "standard output");
}

vta_status cli_write_json(const char *path, json_t *value) {
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    json_decref(value);
    if (!text) return VTA_NO_MEMORY;
    size_t size = strlen(text);
    text[size++] = '\n'; /* in place of the 0 */
    vta_status status = cli_write_file(path, text, size);
    free(text);
    return status;
}

bool cli_is_program(const char *path) {
    static const char first[] = {(char)0x89, 'V', 'T', 'A'};
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return true;
    char bytes[sizeof first] = {0};
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    return n == sizeof first && !memcmp(bytes, first, sizeof first);
}
