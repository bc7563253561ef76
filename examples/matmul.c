/* Matrix multiply: C = int8(A B^T), A of 1 x 256 and B of 256 x 256 numbers, the second program of TVM VTA's tutorials,
 * written by hand on the runtime.
 *
 * In elements of the hardware: A is a row of 16 inp elements, B 16 x 16 wgt elements, C a row of 16 acc elements. For
 * each of the 16 input elements, one inp element and a column of 16 wgt elements are loaded and multiplied:
 * acc[co] += inp[0] * wgt[co]. */
#include "example.h"

enum { M = 16, N = 16 }; /* output and input channels, in elements */

/* acc[co] = 0 for co < M. */
static int clear(void *signature) {
    (void)signature;
    VTAUopLoopBegin(M, 1 /* dst */, 0, 0);
    VTAUopPush(0 /* GEMM */, 1 /* reset */, 0, 0, 0, 0, 0, 0);
    VTAUopLoopEnd();
    return 0;
}

/* acc[co] += inp[0] * wgt[co] for co < M. */
static int multiply(void *signature) {
    (void)signature;
    VTAUopLoopBegin(M, 1 /* dst */, 0, 1 /* wgt */);
    VTAUopPush(0 /* GEMM */, 0, 0, 0, 0, 0, 0, 0);
    VTAUopLoopEnd();
    return 0;
}

/* The same on the host: element (co, ci) of C is the product of A with row co * 16 + ci of B. */
static void multiply_on_host(const int8_t a[N][BLOCK_IN], const int8_t b[M][N][BLOCK_OUT][BLOCK_IN],
                             int8_t c[M][BLOCK_OUT]) {
    for (int co = 0; co < M; co++)
        for (int ci = 0; ci < BLOCK_OUT; ci++) {
            int32_t sum = 0;
            for (int ko = 0; ko < N; ko++)
                for (int ki = 0; ki < BLOCK_IN; ki++) sum += a[ko][ki] * b[co][ko][ci][ki];
            c[co][ci] = (int8_t)sum;
        }
}

int main(void) {
    static int8_t a[N][BLOCK_IN], b[M][N][BLOCK_OUT][BLOCK_IN], c[M][BLOCK_OUT], expected[M][BLOCK_OUT];
    static void *clear_site, *multiply_site;
    for (size_t i = 0; i < sizeof a; i++) ((int8_t *)a)[i] = (int8_t)random_number(128);
    for (size_t i = 0; i < sizeof b; i++) ((int8_t *)b)[i] = (int8_t)random_number(128);
    multiply_on_host(a, b, expected);

    example_begin();
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *a_dev = device_buffer(a, sizeof a), *b_dev = device_buffer(b, sizeof b);
    void *c_dev = device_buffer(NULL, sizeof c);

    VTAPushGEMMOp(&clear_site, clear, NULL, 0);
    VTADepPush(cmd, 2, 1); /* compute to load: inp and wgt are free */
    for (uint32_t ko = 0; ko < N; ko++) {
        VTADepPop(cmd, 2, 1);
        VTALoadBuffer2D(cmd, a_dev, ko, 1, 1, 1, 0, 0, 0, 0, 0, VTA_MEM_INP);
        VTALoadBuffer2D(cmd, b_dev, ko, 1, M, N, 0, 0, 0, 0, 0, VTA_MEM_WGT); /* M rows of 1 element, N apart */
        VTADepPush(cmd, 1, 2);                                                /* load to compute: the data is there */
        VTADepPop(cmd, 1, 2);
        VTAPushGEMMOp(&multiply_site, multiply, NULL, 0);
        VTADepPush(cmd, 2, 1);
    }
    VTADepPush(cmd, 2, 3); /* compute to store: the sums are complete */
    VTADepPop(cmd, 2, 1);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, c_dev, 0, M, 1, M);
    VTASynchronize(cmd, 0);

    VTABufferCopy(c_dev, 0, c, 0, sizeof c, 2 /* device to host */);
    VTABufferFree(a_dev);
    VTABufferFree(b_dev);
    VTABufferFree(c_dev);
    return example_end("matrix multiply", (int8_t *)c, (int8_t *)expected, sizeof c);
}
