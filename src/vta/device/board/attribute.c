#include "device/board/attribute.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void vt__attribute_path(const char *folder, const char *name, char path[VT_ATTRIBUTE_PATH]) {
    snprintf(path, VT_ATTRIBUTE_PATH, "%s/%s", folder, name);
}

bool vt__attribute_is_there(const char *folder, const char *name) {
    char path[VT_ATTRIBUTE_PATH];
    vt__attribute_path(folder, name, path);
    return access(path, F_OK) == 0;
}

int vt__attribute_read(const char *folder, const char *name, char text[VT_ATTRIBUTE_BYTES]) {
    char path[VT_ATTRIBUTE_PATH];
    vt__attribute_path(folder, name, path);
    text[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errno;
    ssize_t n = read(fd, text, VT_ATTRIBUTE_BYTES - 1);
    int error = n < 0 ? errno : 0;
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return error;
}

int vt__attribute_write(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[VT_ATTRIBUTE_PATH];
    vt__attribute_path(folder, name, path);
    int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (fd < 0) return errno;
    ssize_t n = write(fd, bytes, size);
    int error = n < 0 ? errno : (size_t)n < size ? EIO : 0;
    close(fd);
    return error;
}

int vt__attribute_write_text(const char *folder, const char *name, const char *text) {
    return vt__attribute_write(folder, name, text, strlen(text));
}
