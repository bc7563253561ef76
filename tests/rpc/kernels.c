/* What the tests send to servers: compiled by the tests, alone, in the packed calling convention. */
#include <dlpack/dlpack.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef union value {
    int64_t i;
    double f;
    void *p;
    const char *s;
} value;

extern void TVMAPISetLastError(const char *);
extern void *VTATLSCommandHandle(void);
extern void VTALoadBuffer2D(void *, void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                            uint32_t, uint32_t, uint32_t);
extern void VTAStoreBuffer2D(void *, uint32_t, uint32_t, void *, uint32_t, uint32_t, uint32_t, uint32_t);
extern void VTAUopPush(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, int32_t);
extern void VTAUopLoopBegin(uint32_t, uint32_t, uint32_t, uint32_t);
extern void VTAUopLoopEnd(void);
extern int VTAPushALUOp(void **, int (*)(void *), void *, int);
extern int VTADepPush(void *, int, int);
extern int VTADepPop(void *, int, int);
extern void VTASynchronize(void *, uint32_t);

#define KERNEL(name) int name(value *args, int *codes, int count, value *ret, int *ret_code, void *resource)
#define UNUSED (void)args, (void)codes, (void)count, (void)ret, (void)ret_code, (void)resource

const char __tvm_main__[] = "vadd"; /* as TVM's objects have it */
void *__TVMAPISetLastError;         /* filled in when it is loaded */

enum { VECTORS = 64, COMPUTE = 2, STORE = 3, ACC = 3, OUT = 4, ALU = 1, ADD = 2 };

static int add(void *signature) {
    (void)signature;
    VTAUopLoopBegin(VECTORS, 1, 1, 0);
    VTAUopPush(ALU, 0, 0, VECTORS, 0, ADD, 0, 0);
    VTAUopLoopEnd();
    return 0;
}

/* C = int8(A + B), 64 vectors of 16, on the accelerator. */
KERNEL(vadd) {
    static void *site;
    void *cmd = VTATLSCommandHandle();
    const DLTensor *a = args[0].p, *b = args[1].p, *c = args[2].p;
    UNUSED;
    VTALoadBuffer2D(cmd, a->data, 0, VECTORS, 1, VECTORS, 0, 0, 0, 0, 0, ACC);
    VTALoadBuffer2D(cmd, b->data, 0, VECTORS, 1, VECTORS, 0, 0, 0, 0, VECTORS, ACC);
    VTAPushALUOp(&site, add, NULL, 0);
    VTADepPush(cmd, COMPUTE, STORE);
    VTADepPop(cmd, COMPUTE, STORE);
    VTAStoreBuffer2D(cmd, 0, OUT, c->data, 0, VECTORS, 1, VECTORS);
    VTASynchronize(cmd, 0);
    return 0;
}

static int idle(void *signature) {
    (void)signature;
    VTAUopLoopBegin(16000, 0, 0, 0);
    VTAUopLoopBegin(VECTORS, 1, 1, 0);
    VTAUopPush(ALU, 0, 0, VECTORS, 0, ADD, 0, 0);
    VTAUopLoopEnd();
    VTAUopLoopEnd();
    return 0;
}

/* The same arguments, and a run of a second or more, which ends by writing something else. */
KERNEL(linger) {
    enum { TIMES = 200 };
    static void *site;
    void *cmd = VTATLSCommandHandle();
    const DLTensor *a = args[0].p, *b = args[1].p, *c = args[2].p;
    UNUSED;
    VTALoadBuffer2D(cmd, a->data, 0, VECTORS, 1, VECTORS, 0, 0, 0, 0, 0, ACC);
    VTALoadBuffer2D(cmd, b->data, 0, VECTORS, 1, VECTORS, 0, 0, 0, 0, VECTORS, ACC);
    for (int i = 0; i < TIMES; i++) VTAPushALUOp(&site, idle, NULL, 0);
    VTADepPush(cmd, COMPUTE, STORE);
    VTADepPop(cmd, COMPUTE, STORE);
    VTAStoreBuffer2D(cmd, 0, OUT, c->data, 0, VECTORS, 1, VECTORS);
    VTASynchronize(cmd, 0);
    return 0;
}

/* The sum of numbers, texts counted by their length: a float when one of them is. */
KERNEL(sum) {
    double real = 0;
    int64_t whole = 0;
    int is_real = 0;
    UNUSED;
    for (int i = 0; i < count; i++) {
        if (codes[i] == 2) is_real = 1, real += args[i].f;
        if (codes[i] == 0) whole += args[i].i;
        if (codes[i] == 11) whole += (int64_t)strlen(args[i].s);
    }
    if (is_real)
        ret->f = real + (double)whole;
    else
        ret->i = whole;
    *ret_code = is_real ? 2 : 0;
    return 0;
}

/* y = 2 x, of floats in host memory. */
KERNEL(twice) {
    const DLTensor *x = args[0].p, *y = args[1].p;
    int64_t n = 1;
    UNUSED;
    for (int i = 0; i < x->ndim; i++) n *= x->shape[i];
    for (int64_t i = 0; i < n; i++) ((float *)y->data)[i] = 2 * ((const float *)x->data)[i];
    return 0;
}

KERNEL(refuse) {
    UNUSED;
    TVMAPISetLastError("refuse: never");
    return -1;
}

KERNEL(filled_in) {
    UNUSED;
    ret->i = __TVMAPISetLastError == (void *)TVMAPISetLastError;
    *ret_code = 0;
    return 0;
}

KERNEL(crash) {
    UNUSED;
    *(volatile int *)8 = 1;
    return 0;
}

KERNEL(hang) {
    UNUSED;
    for (;;) usleep(1000);
    return 0;
}

KERNEL(leave) {
    UNUSED;
    _exit(7);
}

KERNEL(eat) {
    UNUSED;
    for (;;) {
        char *p = malloc(1 << 24);
        if (!p) abort();
        memset(p, 1, 1 << 24);
    }
    return 0;
}

/* A process that goes on without the session. */
KERNEL(spawn) {
    UNUSED;
    if (fork() == 0) {
        sleep(60);
        _exit(0);
    }
    return 0;
}

KERNEL(user) {
    UNUSED;
    ret->i = (int64_t)getuid();
    *ret_code = 0;
    return 0;
}
