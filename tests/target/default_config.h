/* The default configuration, made before the tests of a group and released after them. */
#ifndef TESTS_TARGET_DEFAULT_CONFIG_H
#define TESTS_TARGET_DEFAULT_CONFIG_H

#include "pass/one.h"

static vta_config *config;

static int make_config(void **state) {
    (void)state;
    config = vta_config_default();
    return config ? 0 : -1;
}

static int drop_config(void **state) {
    (void)state;
    vta_config_release(config);
    return 0;
}

#endif
