/* codegen/stubs.h: three threads for a parallel loop, workspaces of up to a megabyte. */
#include "codegen/stubs.h"

char last_error[1024];
int launches, workspaces;
workspace_request workspace;

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
