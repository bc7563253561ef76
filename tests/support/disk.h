/* Where large data may be put into files: folders on a disk. */
#ifndef TESTS_SUPPORT_DISK_H
#define TESTS_SUPPORT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/vfs.h>
#include <unistd.h>

static inline bool check_is_disk(const char *folder) {
    struct statfs fs;
    return access(folder, W_OK) == 0 && statfs(folder, &fs) == 0 && fs.f_type != 0x01021994;
}

static inline bool check_has_disk(void) { return check_is_disk("/var/tmp") || check_is_disk("/tmp"); }

#endif
