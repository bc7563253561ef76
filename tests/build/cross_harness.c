/* The other side of test_cross: linked with compiled kernels for another machine. A runtime that only writes down what
 * it is asked for, and a main that calls the kernels and prints what came of it. */
#include <dlpack/dlpack.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef union value {
    int64_t i;
    double f;
    void *p;
} value;

int vadd(value *, int *, int, value *, int *, void *);
int nested(value *, int *, int, value *, int *, void *);
int matmul(value *, int *, int, value *, int *, void *);

/* ---- The runtime ------------------------------------------------------------------------------------------------- */

static char memory[3][4096];

static int buffer(const void *p) {
    for (int i = 0; i < 3; i++)
        if (p == memory[i]) return i;
    return -1;
}

static int handle;

void *VTATLSCommandHandle(void) { return &handle; }

static int count_of[2];

static void check(const void *cmd) {
    if (cmd != &handle) printf("wrong command handle\n");
}

void VTALoadBuffer2D(void *cmd, void *src, uint32_t off, uint32_t xs, uint32_t ys, uint32_t st, uint32_t x0,
                     uint32_t y0, uint32_t x1, uint32_t y1, uint32_t sram, uint32_t mem) {
    check(cmd);
    printf("load buf%d %u %u %u %u %u %u %u %u %u %u\n", buffer(src), off, xs, ys, st, x0, y0, x1, y1, sram, mem);
}

void VTAStoreBuffer2D(void *cmd, uint32_t sram, uint32_t mem, void *dst, uint32_t off, uint32_t xs, uint32_t ys,
                      uint32_t st) {
    check(cmd);
    printf("store %u %u buf%d %u %u %u %u\n", sram, mem, buffer(dst), off, xs, ys, st);
}

void VTAUopPush(uint32_t mode, uint32_t reset, uint32_t d, uint32_t s, uint32_t w, uint32_t op, uint32_t ui,
                int32_t iv) {
    printf("  uop %u %u %u %u %u %u %u %d\n", mode, reset, d, s, w, op, ui, iv);
}

void VTAUopLoopBegin(uint32_t e, uint32_t d, uint32_t s, uint32_t w) { printf("  loop %u %u %u %u\n", e, d, s, w); }

void VTAUopLoopEnd(void) { printf("  endloop\n"); }

int VTAPushALUOp(void **site, int (*finit)(void *), void *signature, int size) {
    printf("alu site%d sig=%d\n", *site ? 0 : count_of[0]++, size >= 4 ? *(int *)signature : -1);
    *site = &count_of;
    int result = finit(signature);
    printf("end\n");
    return result;
}

int VTADepPush(void *cmd, int a, int b) {
    check(cmd);
    return printf("push %d %d\n", a, b) < 0;
}

int VTADepPop(void *cmd, int a, int b) {
    check(cmd);
    return printf("pop %d %d\n", a, b) < 0;
}

void VTASynchronize(void *cmd, uint32_t wait) {
    check(cmd);
    printf("sync %u\n", wait);
}

void TVMAPISetLastError(const char *text) { printf("error: %s\n", text); }

void *TVMBackendAllocWorkspace(int type, int id, uint64_t bytes, int code, int bits) {
    printf("workspace %d %d %llu %d %d\n", type, id, (unsigned long long)bytes, code, bits);
    return malloc((size_t)bytes);
}

int TVMBackendFreeWorkspace(int type, int id, void *p) {
    free(p);
    return type + id - 1;
}

struct group {
    void *sync;
    int32_t tasks;
};

int TVMBackendParallelLaunch(int (*task)(int, struct group *, void *), void *data, int n) {
    struct group g = {NULL, 4};
    for (int i = 0; i < 4; i++)
        if (task(i, &g, data)) return -1;
    return n;
}

/* ---- The calls --------------------------------------------------------------------------------------------------- */

static int call(int (*f)(value *, int *, int, value *, int *, void *), const int *bits, int64_t *shape, int device) {
    DLTensor t[3];
    value v[3], ret;
    int codes[3] = {7, 7, 7}, ret_code;
    for (int i = 0; i < 3; i++) {
        t[i] = (DLTensor){.data = memory[i], .device = {(DLDeviceType)device, 0}, .ndim = 1};
        t[i].dtype = (DLDataType){kDLInt, (uint8_t)bits[i], 1};
        t[i].shape = &shape[i];
        v[i].p = &t[i];
    }
    return f(v, codes, 3, &ret, &ret_code, NULL);
}

int main(void) {
    static const int acc[3] = {32, 32, 8}, mul[3] = {8, 8, 32};
    int64_t flat[3] = {1024, 1024, 1024}, wrong[3] = {1024, 1023, 1024}, matrices[3] = {128, 128, 64};
    printf("%d\n", call(vadd, acc, flat, kDLExtDev));
    printf("%d\n", call(vadd, acc, wrong, kDLExtDev));
    printf("%d\n", call(vadd, mul, flat, kDLExtDev));
    printf("%d\n", call(vadd, acc, flat, kDLCPU));
    printf("%d\n", call(nested, acc, flat, kDLExtDev));
    for (int i = 0; i < 128; i++) {
        ((int8_t *)memory[0])[i] = (int8_t)(i * 7);
        ((int8_t *)memory[1])[i] = (int8_t)(i * 13 - 5);
    }
    printf("%d\n", call(matmul, mul, matrices, kDLCPU));
    for (int i = 0; i < 64; i++) printf("%d ", ((int32_t *)memory[2])[i]);
    printf("\n");
    return 0;
}
