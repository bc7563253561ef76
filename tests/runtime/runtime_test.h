/* What the tests of the runtime share: runtimes of any configuration, errors by their words, kernels that add. */
#ifndef TESTS_RUNTIME_RUNTIME_TEST_H
#define TESTS_RUNTIME_RUNTIME_TEST_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

#include "vta/isa.h"
#include "vta/program.h"
#include "vta/runtime.h"
#include "vta/timing.h"

static inline vta_runtime *make(const char *changes, const vta_runtime_options *options,
                                const vta_allocator *allocator) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default(), *config;
    vta_runtime *runtime;
    if (vta_config_with(plain, changes, diag, &config) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    if (vta_runtime_create(config, "sim", options, allocator, diag, &runtime) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    vta_config_release(plain);
    vta_config_release(config);
    vta_diag_destroy(diag);
    return runtime;
}

static inline vta_runtime *use(const char *changes, const vta_runtime_options *options) {
    vta_runtime *runtime = make(changes, options, NULL);
    vta_runtime_use(runtime);
    return runtime;
}

static inline void no_error(VTACommandHandle cmd) {
    if (vta_last_error(cmd)) fail_msg("%s", vta_last_error(cmd));
}

static inline bool error_has(VTACommandHandle cmd, const char *words) {
    const char *error = vta_last_error(cmd);
    bool found = error && strstr(error, words);
    if (!found) print_error("'%s' is not in: %s\n", words, error ? error : "(no error)");
    vta_clear_error(cmd);
    return found;
}

static atomic_int recorded; /* how often a finit was called */

/* acc[first .. first + count) += the signature. */
static uint32_t add_count = 4;
static inline int add_signature(void *signature) {
    int32_t value;
    memcpy(&value, signature, sizeof value);
    recorded++;
    VTAUopLoopBegin(add_count, 1, 1, 0);
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, value);
    VTAUopLoopEnd();
    return 0;
}

/* A GEMM kernel of as many micro-ops as the signature says, all resets. */
static inline int reset_many(void *signature) {
    int32_t count;
    memcpy(&count, signature, sizeof count);
    recorded++;
    for (int32_t i = 0; i < count; i++) VTAUopPush(0, 1, (uint32_t)i % 16, 0, 0, 0, 0, 0);
    return 0;
}

static inline void push_alu(void **site, int32_t value) { VTAPushALUOp(site, add_signature, &value, sizeof value); }
static inline void push_reset(void **site, int32_t count) { VTAPushGEMMOp(site, reset_many, &count, sizeof count); }

/* out = acc + value for `add_count` elements of `lanes` lanes; all acc scalars are `base`. */
static inline void run_add(VTACommandHandle cmd, void **site, uint32_t lanes, int32_t base, int32_t value,
                           int8_t expected) {
    size_t count = (size_t)add_count * lanes;
    int32_t *acc = malloc(count * sizeof *acc);
    int8_t *out = malloc(count);
    for (size_t i = 0; i < count; i++) acc[i] = base;
    void *from = VTABufferAlloc(count * sizeof *acc), *to = VTABufferAlloc(count);
    VTABufferCopy(acc, 0, from, 0, count * sizeof *acc, 1);
    VTALoadBuffer2D(cmd, from, 0, add_count, 1, add_count, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    push_alu(site, value);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, add_count, 1, add_count);
    VTASynchronize(cmd, 0);
    VTABufferCopy(to, 0, out, 0, count, 2);
    for (size_t i = 0; i < count; i++) assert_int_equal(out[i], expected);
    VTABufferFree(from);
    VTABufferFree(to);
    free(acc);
    free(out);
}

#endif
