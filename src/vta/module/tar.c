/* The objects of a tar file, which is what TVM's export_library("lib.tar") writes: files *.o, linked together. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/spawn.h"
#include "module/module_priv.h"

/* POSIX ustar: a header of one block, then the contents in whole blocks; a block of zeros ends the file. */
enum {
    BLOCK = 512,
    NAME = 100,
    SIZE_AT = 124,
    SUM_AT = 148,
    TYPE_AT = 156,
    MAGIC_AT = 257,
    NUMBER = 12,
    SUM_BYTES = 8
};

static bool octal(const unsigned char *at, size_t digits, size_t *out) {
    *out = 0;
    while (digits && *at == ' ') at++, digits--;
    for (; digits && *at >= '0' && *at <= '7'; at++, digits--) {
        if (*out > SIZE_MAX >> 3) return false;
        *out = *out << 3 | (size_t)(*at - '0');
    }
    return !digits || !*at || *at == ' ';
}

/* The sum of all bytes of the header, with blanks for the sum's own. */
static bool sum_is_right(const unsigned char *header) {
    size_t sum = SUM_BYTES * ' ', said;
    for (size_t i = 0; i < BLOCK; i++)
        if (i < SUM_AT || i >= SUM_AT + SUM_BYTES) sum += header[i];
    return octal(header + SUM_AT, SUM_BYTES, &said) && said == sum;
}

bool vt__is_tar(const unsigned char *bytes, size_t size) {
    return size >= BLOCK && !memcmp(bytes + MAGIC_AT, "ustar", 5) && sum_is_right(bytes);
}

static void object_path(const char *folder, unsigned number, char out[VT_FOLDER_BYTES + 32]) {
    snprintf(out, VT_FOLDER_BYTES + 32, "%s/%u.o", folder, number);
}

void vt__tar_remove(const char *folder, unsigned count) {
    char path[VT_FOLDER_BYTES + 32];
    for (unsigned i = 0; i < count; i++) object_path(folder, i, path), unlink(path);
}

static bool is_object(const unsigned char *header) {
    const char *name = (const char *)header;
    size_t n = strnlen(name, NAME);
    return (header[TYPE_AT] == '0' || !header[TYPE_AT]) && n > 2 && !memcmp(name + n - 2, ".o", 2);
}

static vta_status unpack(const vta_allocator *a, const char *name, const unsigned char *bytes, size_t size,
                         const char *folder, vta_diag *diag, unsigned *out_count) {
    char path[VT_FOLDER_BYTES + 32];
    for (size_t at = 0; at + BLOCK <= size && bytes[at];) {
        size_t length;
        if (!sum_is_right(bytes + at) || !octal(bytes + at + SIZE_AT, NUMBER, &length) || length > size - at - BLOCK)
            return vt_fail(diag, VTA_PARSE, "%s: the tar file is damaged or cut short at byte %zu", name, at);
        object_path(folder, *out_count, path);
        if (is_object(bytes + at)) {
            ++*out_count;
            VT_TRY(vt_file_write_temporary(a, path, bytes + at + BLOCK, length, diag));
        }
        at += BLOCK + (length + BLOCK - 1) / BLOCK * BLOCK;
        if (at > size) break;
    }
    return *out_count ? VTA_OK : vt_fail(diag, VTA_PARSE, "%s: the tar file holds no object (*.o)", name);
}

vta_status vt__tar_unpack(const vta_allocator *a, const char *path, const char *folder, vta_diag *diag,
                          unsigned *out_count) {
    char *bytes;
    size_t size;
    *out_count = 0;
    VT_TRY(vt_file_read(a, path, SIZE_MAX / 2, diag, &bytes, &size));
    vta_status status = unpack(a, path, (const unsigned char *)bytes, size, folder, diag, out_count);
    vt_free(a, bytes, size + 1);
    if (status == VTA_OK) return VTA_OK;
    vt__tar_remove(folder, *out_count);
    *out_count = 0;
    return status;
}
