/* Stands in for the kernel's FPGA manager: a folder whose `firmware` and `state` are pipes. Who writes a name gets it
 * taken from the folder of firmware, and reads the state after that, as with the kernel. */
#ifndef TESTS_SUPPORT_FPGA_MANAGER_H
#define TESTS_SUPPORT_FPGA_MANAGER_H

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct fpga_manager {
    char folder[128], firmware[128]; /* board settings fpga=, firmware= */
    pthread_t thread;
    char name[256], bits[256]; /* what it was told last, and what that file had; "": no such file */
} fpga_manager;

static inline void fpga_manager_path(const char *in, const char *name, char to[512]) {
    snprintf(to, 512, "%s/%s", in, name);
}

static inline void fpga_manager_read(const char *path, char *to, size_t room) {
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, to, room - 1) : 0;
    to[n > 0 ? n : 0] = '\0';
    if (fd >= 0) close(fd);
}

/* One bitstream. */
static inline void *fpga_manager_serve(void *arg) {
    fpga_manager *m = arg;
    char path[512];
    fpga_manager_path(m->folder, "firmware", path);
    fpga_manager_read(path, m->name, sizeof m->name);
    fpga_manager_path(m->firmware, m->name, path);
    fpga_manager_read(path, m->bits, sizeof m->bits);
    fpga_manager_path(m->folder, "state", path);
    int fd = open(path, O_WRONLY);
    const char *state = *m->bits ? "operating\n" : "firmware request error\n";
    if (write(fd, state, strlen(state)) < 0) *m->bits = '\0';
    close(fd);
    return NULL;
}

/* Makes both folders in `place`. */
static inline void fpga_manager_make(fpga_manager *m, const char *place) {
    char path[512];
    snprintf(m->folder, sizeof m->folder, "%s/fpga", place);
    snprintf(m->firmware, sizeof m->firmware, "%s/lib", place);
    mkdir(m->folder, 0755);
    mkdir(m->firmware, 0755);
    fpga_manager_path(m->folder, "firmware", path);
    mkfifo(path, 0600);
    fpga_manager_path(m->folder, "state", path);
    mkfifo(path, 0600);
    fpga_manager_path(m->folder, "flags", path);
    close(open(path, O_WRONLY | O_CREAT, 0600));
}

/* Takes one bitstream from whoever programs next. */
static inline void fpga_manager_begin(fpga_manager *m) { pthread_create(&m->thread, NULL, fpga_manager_serve, m); }
static inline void fpga_manager_end(fpga_manager *m) { pthread_join(m->thread, NULL); }

#endif
