/* What compiled code asks the process for, as functions of the program (support.c): they come before libvta's. */
#ifndef TESTS_CODEGEN_STUBS_H
#define TESTS_CODEGEN_STUBS_H

#include "codegen/kernels.h"

#define EXPORTED __attribute__((visibility("default")))

extern char last_error[1024];
extern int launches, workspaces;

/* What the workspace was asked for last. */
typedef struct workspace_request {
    int device, code, bits;
    uint64_t bytes;
} workspace_request;
extern workspace_request workspace;

#define EXPECT_ERROR(result, text)                                                                                     \
    do {                                                                                                               \
        last_error[0] = 0;                                                                                             \
        assert_int_equal(result, -1);                                                                                  \
        if (strcmp(last_error, text) != 0) fail_msg("\n%s\nnot\n%s", last_error, text);                                \
    } while (0)

#endif
