/* Vector add: C = int8(A + B) for 64 x 16 numbers, the first program of TVM VTA's tutorials, written by hand on the
 * runtime.
 *
 * Both operands are loaded into the accumulator buffer, one ALU instruction adds them, and a store narrows the sums to
 * 8 bits on their way to DRAM. Loads of acc and the ALU belong to the same pipeline stage, compute, which runs its
 * instructions in order; only the store, a stage of its own, must be told to wait. */
#include "example.h"

enum { M = 64, COUNT = M * BATCH * BLOCK_OUT };

/* On-chip places, in acc elements. */
enum { A_AT = 0, B_AT = M };

/* The micro-kernel: acc[A_AT + i] += acc[B_AT + i] for i < M. One micro-op, stepped by a hardware loop. */
static int add(void *signature) {
    (void)signature;
    VTAUopLoopBegin(M, 1 /* dst */, 1 /* src */, 0);
    VTAUopPush(1 /* ALU */, 0, A_AT, B_AT, 0, VTA_ALU_ADD, 0, 0);
    VTAUopLoopEnd();
    return 0;
}

int main(void) {
    static int32_t a[COUNT], b[COUNT];
    static int8_t c[COUNT], expected[COUNT];
    static void *add_site; /* the call site's cache of micro-kernels */
    for (int i = 0; i < COUNT; i++) {
        a[i] = random_number(128);
        b[i] = random_number(128);
        expected[i] = (int8_t)(a[i] + b[i]);
    }

    example_begin();
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *a_dev = device_buffer(a, sizeof a), *b_dev = device_buffer(b, sizeof b);
    void *c_dev = device_buffer(NULL, sizeof c);

    /* One row of M elements each, no padding. */
    VTALoadBuffer2D(cmd, a_dev, 0, M, 1, M, 0, 0, 0, 0, A_AT, VTA_MEM_ACC);
    VTALoadBuffer2D(cmd, b_dev, 0, M, 1, M, 0, 0, 0, 0, B_AT, VTA_MEM_ACC);
    VTAPushALUOp(&add_site, add, NULL, 0);
    VTADepPush(cmd, 2, 3); /* compute gives the store stage a token ... */
    VTADepPop(cmd, 2, 3);  /* ... which the next store waits for */
    VTAStoreBuffer2D(cmd, A_AT, VTA_MEM_OUT, c_dev, 0, M, 1, M);
    VTASynchronize(cmd, 0);

    VTABufferCopy(c_dev, 0, c, 0, sizeof c, 2 /* device to host */);
    VTABufferFree(a_dev);
    VTABufferFree(b_dev);
    VTABufferFree(c_dev);
    return example_end("vector add", c, expected, COUNT);
}
