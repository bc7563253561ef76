/* Random valid configurations. */
#ifndef TESTS_SUPPORT_CONFIGS_H
#define TESTS_SUPPORT_CONFIGS_H

#include "support/check.h"
#include "vta/config.h"

static inline vta_config *check_random_config(check_random *r) {
    vta_config *base = vta_config_default(), *config = NULL;
    while (!config) {
        char changes[256];
        snprintf(changes, sizeof changes,
                 "LOG_INP_WIDTH=%d LOG_WGT_WIDTH=%d LOG_BATCH=%d LOG_BLOCK_IN=%d LOG_BLOCK_OUT=%d LOG_UOP_BUFF_SIZE=%d "
                 "LOG_INP_BUFF_SIZE=%d LOG_WGT_BUFF_SIZE=%d LOG_ACC_BUFF_SIZE=%d",
                 (int)check_between(r, 0, 5), (int)check_between(r, 0, 5), (int)check_between(r, 0, 6),
                 (int)check_between(r, 2, 6), (int)check_between(r, 2, 6), (int)check_between(r, 2, 18),
                 (int)check_between(r, 2, 22), (int)check_between(r, 2, 22), (int)check_between(r, 2, 22));
        if (vta_config_with(base, changes, NULL, &config) != VTA_OK) config = NULL;
    }
    vta_config_release(base);
    return config;
}

#endif
