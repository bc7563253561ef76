/* The model of a board in a process of its own, for a test. */
#ifndef TESTS_DEVICE_MODEL_BOARD_H
#define TESTS_DEVICE_MODEL_BOARD_H

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vta/device.h"

typedef struct model_board {
    pid_t pid;
    char folder[64], settings[96];
} model_board;

static inline bool model_never_stops(void *ctx) {
    (void)ctx;
    return false;
}

/* Starts the model of a board (a TARGET), with 4 MiB of memory. */
static inline void model_start(model_board *m, const char *target) {
    char change[64], path[128];
    strcpy(m->folder, "/tmp/vta-model-XXXXXX");
    if (!mkdtemp(m->folder)) abort();
    snprintf(m->settings, sizeof m->settings, "model=%s", m->folder);
    m->pid = fork();
    if (m->pid == 0) {
        vta_config *base = vta_config_default(), *config;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(change, sizeof change, "TARGET=%s", target);
        if (vta_config_with(base, change, NULL, &config) != VTA_OK) _exit(1);
        _exit(vta_board_model(m->folder, config, 4 << 20, model_never_stops, NULL, NULL) != VTA_OK);
    }
    snprintf(path, sizeof path, "%s/registers", m->folder); /* made last */
    struct stat s = {0};
    for (int i = 0; i < 60000 && (stat(path, &s) != 0 || !s.st_size); i++) usleep(1000);
}

static inline void model_stop(model_board *m) {
    char path[128];
    kill(m->pid, SIGKILL);
    waitpid(m->pid, NULL, 0);
    static const char *const files[] = {"registers", "memory"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", m->folder, files[i]);
        unlink(path);
    }
    rmdir(m->folder);
}

#endif
