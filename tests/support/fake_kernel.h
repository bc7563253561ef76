/* Parts of a kernel, for boards: configfs with device-tree overlays, whose FPGA region loads a bitstream and switches
 * its bridges; u-dma-buf's calls of its device file. What programs call of the kernel is replaced here (open, mkdir,
 * rmdir, ioctl), for files in the folders that a test names, so a test that includes this is a program by itself. It
 * was written from the kernel's and the module's sources and the device tree's specification, and has nothing of the
 * drivers. */
#ifndef TESTS_SUPPORT_FAKE_KERNEL_H
#define TESTS_SUPPORT_FAKE_KERNEL_H

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

typedef struct fake_kernel {
    char overlays[128], firmware[128], fpga[128]; /* folders */
    char region[128];                             /* its path in the device tree */
    char bridge[128];                             /* the region's bridge: a place; "": it has none */
    bool ignores_overlays;                        /* status stays "unapplied" */
    char loaded[64], bits[64];                    /* the last firmware, its name and contents */
    unsigned char dtbo[4096];
    size_t dtbo_size;
    int applied, removed;

    char udmabuf[128]; /* a device file */
    bool has_calls;    /* a version that has them */
    int fails;         /* with this errno: the next call */
    uint64_t size;
    struct {
        bool for_device;
        uint64_t offset, bytes, direction;
    } sync[64];
    int syncs;

    char heap[128], container[128], group[128]; /* device files of a dma-heap and of VFIO */
    bool heap_is_empty, not_viable, not_coherent, no_type1;
    const char *release;        /* of Linux; NULL: "6.1.0" */
    int memory;                 /* what the heap gave: a file that stays open here */
    uint64_t mapped_at, mapped; /* by the IOMMU, while the group is open */
    unsigned char *mapped_host; /* as the process sees it */
    bool pins_heaps;            /* they are reserved memory; else the heap's pages have no struct page */
    bool locks_little;          /* RLIMIT_MEMLOCK */
    int step;                   /* of VFIO's order of calls */

    unsigned char *cma; /* what xlnk's library gave */
    uint32_t cma_bytes;
    unsigned long cma_at; /* its address */
    int cma_frees;
} fake_kernel;

static fake_kernel kernel;

/* ---- Files ---------------------------------------------------------------------------------------------------------
 */

static inline void fake_put(const char *place, const char *name, const char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", place, name);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) fprintf(stderr, "%s: not written\n", path);
    if (fd >= 0) close(fd);
}

static inline size_t fake_get(const char *place, const char *name, void *to, size_t room) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", place, name);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY, 0);
    ssize_t n = fd >= 0 ? read(fd, to, room) : 0;
    if (fd >= 0) close(fd);
    return n > 0 ? (size_t)n : 0;
}

/* ---- Flattened device trees ----------------------------------------------------------------------------------------
 */

static inline uint32_t fake_word(size_t at) {
    const unsigned char *b = kernel.dtbo + at;
    return at + 4 <= kernel.dtbo_size ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : 0;
}

/* A property of the node /fragment@0 (deep: of its node __overlay__); NULL: there is none, or the tree is not one. */
static inline const char *fake_property(const char *name, bool deep) {
    uint32_t size = fake_word(4), structs = fake_word(8), texts = fake_word(12), reserved = fake_word(16);
    if (fake_word(0) != 0xd00dfeed || size != kernel.dtbo_size || fake_word(20) < 16 || fake_word(24) > 17) return NULL;
    if (texts + fake_word(32) > size || structs + fake_word(36) > size || structs % 4 || reserved % 8) return NULL;
    for (int i = 0; i < 4; i++)
        if (fake_word(reserved + 4 * (size_t)i)) return NULL; /* nothing is reserved */
    const char *found = NULL, *nodes[4] = {"", "", "", ""};
    int depth = 0;
    for (size_t at = structs; at < structs + fake_word(36);) {
        uint32_t token = fake_word(at), bytes = fake_word(at + 4);
        const char *text = (const char *)kernel.dtbo + at + 4;
        at += 4;
        if (token == 1) {
            if (depth == 4 || strlen(text) >= size - at) return NULL;
            nodes[depth++] = text;
            at += (strlen(text) + 4) / 4 * 4;
        } else if (token == 3) {
            const char *key = (const char *)kernel.dtbo + texts + fake_word(at + 4);
            bool here = depth == (deep ? 3 : 2) && !strcmp(nodes[0], "") && !strcmp(nodes[1], "fragment@0") &&
                        (!deep || !strcmp(nodes[2], "__overlay__"));
            if (here && !strcmp(key, name) && text[8 + bytes - 1] == '\0') found = text + 8;
            at += 8 + (bytes + 3) / 4 * 4;
        } else if (token == 2) {
            depth--;
        } else {
            return token == 9 && !depth && at == structs + fake_word(36) ? found : NULL;
        }
    }
    return NULL;
}

/* ---- The FPGA region -----------------------------------------------------------------------------------------------
 */

static inline const char *fake_apply(const char *place) {
    kernel.dtbo_size = fake_get(place, "dtbo", kernel.dtbo, sizeof kernel.dtbo);
    const char *target = fake_property("target-path", false), *name = fake_property("firmware-name", true);
    if (kernel.ignores_overlays || !target || !name || strcmp(target, kernel.region)) return "unapplied\n";
    memset(kernel.bits, 0, sizeof kernel.bits);
    if (!fake_get(kernel.firmware, name, kernel.bits, sizeof kernel.bits - 1)) {
        fake_put(kernel.fpga, "state", "firmware request error\n");
        return "unapplied\n";
    }
    snprintf(kernel.loaded, sizeof kernel.loaded, "%s", name);
    fake_put(kernel.fpga, "state", strstr(kernel.bits, "bad") ? "write complete error\n" : "operating\n");
    if (*kernel.bridge) fake_put(kernel.bridge, "state", "enabled\n");
    kernel.applied++;
    return "applied\n";
}

static inline bool fake_is_overlay(const char *path) {
    size_t n = strlen(kernel.overlays);
    return n && !strncmp(path, kernel.overlays, n) && path[n] == '/' && !strchr(path + n + 1, '/');
}

int mkdir(const char *path, mode_t mode) {
    if (syscall(SYS_mkdirat, AT_FDCWD, path, mode) != 0) return -1;
    if (fake_is_overlay(path)) fake_put(path, "dtbo", ""), fake_put(path, "status", "unapplied\n");
    return 0;
}

int rmdir(const char *path) {
    static const char *const files[] = {"dtbo", "status"};
    char file[512];
    for (int i = 0; fake_is_overlay(path) && i < 2; i++) {
        snprintf(file, sizeof file, "%s/%s", path, files[i]);
        if (unlink(file) == 0 && i == 0) {
            kernel.removed++;
            if (*kernel.bridge) fake_put(kernel.bridge, "state", "disabled\n");
        }
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

/* Who reads an overlay's status has written it before. */
int open(const char *path, int flags, ...) {
    char place[512];
    va_list more;
    va_start(more, flags);
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    const char *slash = strrchr(path, '/');
    snprintf(place, sizeof place, "%.*s", slash ? (int)(slash - path) : 0, path);
    if (slash && !strcmp(slash, "/status") && fake_is_overlay(place)) fake_put(place, "status", fake_apply(place));
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* ---- u-dma-buf ------------------------------------------------------------------------------------------------------
 */

enum { FAKE_GET_SIZE = (int)0x80085502, FAKE_FOR_CPU = 0x40085505, FAKE_FOR_DEVICE = 0x40085506 };

static inline int fake_udmabuf(unsigned request, void *arg) {
    uint64_t *number = arg;
    int error = !kernel.has_calls ? ENOTTY : kernel.fails;
    if (!error && request == (unsigned)FAKE_GET_SIZE) {
        *number = kernel.size;
        return 0;
    }
    bool for_device = request == FAKE_FOR_DEVICE;
    uint64_t offset = *number >> 32, bytes = *number & 0xfffffff0u;
    if (!error && !for_device && request != FAKE_FOR_CPU) error = ENOTTY;
    if (!error && (!(*number & 1) || !bytes || offset + bytes > kernel.size)) error = EINVAL;
    if (error) {
        errno = error;
        return -1;
    }
    kernel.sync[kernel.syncs % 64].for_device = for_device;
    kernel.sync[kernel.syncs % 64].offset = offset;
    kernel.sync[kernel.syncs % 64].bytes = bytes;
    kernel.sync[kernel.syncs++ % 64].direction = *number >> 2 & 3;
    return 0;
}

/* ---- A dma-heap, and VFIO -------------------------------------------------------------------------------------------
 */

static inline bool fake_is(int fd, const char *path) {
    struct stat a, b;
    return *path && fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino;
}

static inline int fake_fails(int error) {
    errno = error;
    return -1;
}

static inline int fake_allocate(unsigned request, void *arg) {
    struct {
        uint64_t bytes;
        uint32_t fd, flags;
        uint64_t heap_flags;
    } *data = arg;
    if (request != 0xc0184800u || data->heap_flags) return fake_fails(ENOTTY);
    if (kernel.heap_is_empty) return fake_fails(ENOMEM);
    data->fd = (uint32_t)memfd_create("heap", MFD_CLOEXEC);
    if (ftruncate((int)data->fd, (off_t)data->bytes) != 0) return fake_fails(ENOMEM);
    kernel.memory = dup((int)data->fd);
    return 0;
}

/* Does the memory change when the heap's file does? */
static inline bool fake_is_of_heap(volatile unsigned char *at) {
    unsigned char was = *at, other = (unsigned char)~was;
    if (kernel.memory <= 0 || pwrite(kernel.memory, &other, 1, 0) != 1) return false;
    bool is = *at == other;
    return pwrite(kernel.memory, &was, 1, 0) == 1 && is;
}

/* VFIO's calls, each only after those that it needs. */
static inline int fake_vfio(bool of_group, unsigned request, void *arg) {
    const uint32_t *words = arg;
    const uint64_t *longs = arg;
    uint32_t *status = arg;
    switch (request) {
    case 0x3b64: return 0;
    case 0x3b65: return (uintptr_t)arg == 3 && !kernel.no_type1;
    case 0x3b67:
        if (!of_group || words[0] != 8) return fake_fails(EINVAL);
        status[1] = !kernel.not_viable;
        kernel.step = 1;
        return 0;
    case 0x3b68:
        if (!of_group || kernel.step != 1 || !fake_is((int)words[0], kernel.container)) return fake_fails(EINVAL);
        kernel.step = 2;
        return 0;
    case 0x3b66:
        if (of_group || kernel.step != 2 || (uintptr_t)arg != 3 || kernel.not_coherent) return fake_fails(EINVAL);
        kernel.step = 3;
        return 0;
    case 0x3b71: /* size, flags; address of the process, of the device, bytes */
        if (of_group || kernel.step != 3 || words[0] != 32 || words[1] != 3 || !longs[1]) return fake_fails(EINVAL);
        if (longs[2] < 0x08100000 && longs[2] + longs[3] > 0x08000000) return fake_fails(EINVAL); /* ARM's interrupts */
        if (!kernel.pins_heaps && fake_is_of_heap((unsigned char *)(uintptr_t)longs[1])) return fake_fails(EFAULT);
        if (kernel.locks_little) return fake_fails(ENOMEM);
        kernel.mapped_at = longs[2], kernel.mapped = longs[3];
        kernel.mapped_host = (unsigned char *)(uintptr_t)longs[1];
        return 0;
    default: return fake_fails(ENOTTY);
    }
}

int uname(struct utsname *to) {
    memset(to, 0, sizeof *to);
    strcpy(to->sysname, "Linux");
    strcpy(to->release, kernel.release ? kernel.release : "6.1.0");
    return 0;
}

/* ---- xlnk's library -------------------------------------------------------------------------------------------------
 */

#define FAKE_EXPORT __attribute__((visibility("default"), used))
FAKE_EXPORT void *cma_alloc(uint32_t bytes, uint32_t cacheable);
FAKE_EXPORT unsigned long cma_get_phy_addr(void *memory);
FAKE_EXPORT void cma_free(void *memory);
FAKE_EXPORT void cma_flush_cache(void *at, unsigned int addr, int bytes);
FAKE_EXPORT void cma_invalidate_cache(void *at, unsigned int addr, int bytes);

void *cma_alloc(uint32_t bytes, uint32_t cacheable) {
    if (!kernel.cma || bytes > kernel.cma_bytes || cacheable != 1) return (void *)-1;
    return kernel.cma;
}

unsigned long cma_get_phy_addr(void *memory) { return memory == kernel.cma ? kernel.cma_at : 0; }
void cma_free(void *memory) { kernel.cma_frees += memory == kernel.cma; }

static inline void fake_cma_sync(bool for_device, const void *at, unsigned int addr, int bytes) {
    uint64_t offset = (uint64_t)((const unsigned char *)at - kernel.cma);
    kernel.sync[kernel.syncs % 64].for_device = for_device;
    kernel.sync[kernel.syncs % 64].offset = addr - kernel.cma_at == offset ? offset : UINT64_MAX;
    kernel.sync[kernel.syncs++ % 64].bytes = (uint64_t)bytes;
}

void cma_flush_cache(void *at, unsigned int addr, int bytes) { fake_cma_sync(true, at, addr, bytes); }
void cma_invalidate_cache(void *at, unsigned int addr, int bytes) { fake_cma_sync(false, at, addr, bytes); }

/* The library is this program. */
void *dlopen(const char *name, int flags) {
    void *(*real)(const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return real(name && !strcmp(name, "libcma.so") && kernel.cma ? NULL : name, flags);
}

int ioctl(int fd, unsigned long request, ...) {
    va_list more;
    va_start(more, request);
    void *arg = va_arg(more, void *);
    va_end(more);
    if (fake_is(fd, kernel.udmabuf)) return fake_udmabuf((unsigned)request, arg);
    if (fake_is(fd, kernel.heap)) return fake_allocate((unsigned)request, arg);
    if (fake_is(fd, kernel.container)) return fake_vfio(false, (unsigned)request, arg);
    if (fake_is(fd, kernel.group)) return fake_vfio(true, (unsigned)request, arg);
    return (int)syscall(SYS_ioctl, fd, request, arg);
}

#endif
