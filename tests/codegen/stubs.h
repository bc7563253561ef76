/* What compiled code asks the process for, as the program's own functions: they come before libvta's. */
#ifndef TESTS_CODEGEN_STUBS_H
#define TESTS_CODEGEN_STUBS_H

#include "codegen/kernels.h"

#define EXPORTED __attribute__((visibility("default")))

static char last_error[1024];
static int launches, workspaces;

/* What the workspace was asked for last. */
typedef struct workspace_request {
    int device, code, bits;
    uint64_t bytes;
} workspace_request;
static workspace_request workspace;

EXPORTED void TVMAPISetLastError(const char *text) { snprintf(last_error, sizeof last_error, "%s", text); }

EXPORTED int TVMBackendParallelLaunch(FTVMParallelLambda task, void *data, int n) {
    TVMParallelGroupEnv env = {.num_task = 3};
    launches += n == 0;
    for (int i = 0; i < 3; i++) {
        int r = task(i, &env, data);
        if (r) return r;
    }
    return 0;
}

EXPORTED void *TVMBackendAllocWorkspace(int type, int id, uint64_t bytes, int hint_code, int hint_bits) {
    (void)id;
    workspace = (workspace_request){type, hint_code, hint_bits, bytes};
    if (type != 1 || bytes > 1 << 20) return NULL;
    workspaces++;
    return malloc(bytes);
}

EXPORTED int TVMBackendFreeWorkspace(int type, int id, void *p) {
    (void)type, (void)id;
    workspaces--;
    free(p);
    return 0;
}

#define EXPECT_ERROR(result, text)                                                                                     \
    do {                                                                                                               \
        last_error[0] = 0;                                                                                             \
        assert_int_equal(result, -1);                                                                                  \
        if (strcmp(last_error, text) != 0) fail_msg("\n%s\nnot\n%s", last_error, text);                                \
    } while (0)

#endif
