/* 2D convolution: 14 x 14 pixels, 256 to 256 channels, 3 x 3, padding 1, then shift by 8 and clip to 0..127: the
 * tutorial's program with its final schedule, written by hand on the runtime.
 *
 * In elements of the hardware (16 channels): data 16 x 14 x 14 inp, kernel 16 x 16 x 3 x 3 wgt, result 16 x 14 x 14 acc
 * elements. The schedule:
 *
 *   - The result is made in two blocks of 7 rows. Each block's 16 x 7 x 14 sums lie in acc, in two halves of 8 output
 *     channel elements each.
 *   - The halves are the two virtual threads: while one computes, the other's inputs and weights are loaded. Each has
 *     places of its own in inp and wgt, and tokens say when a place is filled and when it may be filled again.
 *   - Input channels come one element at a time: a (7+2) x (14+2) patch of inp with its zero padding made by the load
 *     itself, and 8 x 3 x 3 of wgt for each thread. */
#include "example.h"

enum {
    CHANNELS = 16, /* input and output channels, in elements */
    SIZE = 14,     /* rows and columns */
    KERNEL = 3,
    SHIFT = 8,
    MAX = 127,

    THREADS = 2,
    ROWS = 7,                             /* of a block of the result */
    THREAD_CHANNELS = CHANNELS / THREADS, /* output channels of a thread */
};

/* Elements of each thread on chip, and the steps inside them. */
enum {
    ACC_ROW = SIZE,
    ACC_CHANNEL = ROWS * ACC_ROW,
    ACC_THREAD = THREAD_CHANNELS * ACC_CHANNEL,
    INP_ROW = SIZE + 2,
    INP_THREAD = (ROWS + 2) * INP_ROW,
    WGT_CHANNEL = KERNEL * KERNEL,
    WGT_THREAD = THREAD_CHANNELS * WGT_CHANNEL,
};

enum { LOAD = VTA_STAGE_LOAD, COMPUTE = VTA_STAGE_COMPUTE, STORE = VTA_STAGE_STORE };

/* ---- Micro-kernels: one for each thread, which is the signature ---------------------------------------------- */

static uint32_t thread_of(const void *signature) {
    int32_t thread;
    memcpy(&thread, signature, sizeof thread);
    return (uint32_t)thread;
}

/* The two hardware loops go over output channels and rows, micro-ops over columns: neighbouring micro-ops must write
 * different accumulators. */
static int clear(void *signature) {
    uint32_t t = thread_of(signature);
    VTAUopLoopBegin(THREAD_CHANNELS, ACC_CHANNEL, 0, 0);
    VTAUopLoopBegin(ROWS, ACC_ROW, 0, 0);
    for (uint32_t j = 0; j < SIZE; j++) VTAUopPush(0, 1 /* reset */, t * ACC_THREAD + j, 0, 0, 0, 0, 0);
    VTAUopLoopEnd();
    VTAUopLoopEnd();
    return 0;
}

static int convolve(void *signature) {
    uint32_t t = thread_of(signature);
    VTAUopLoopBegin(THREAD_CHANNELS, ACC_CHANNEL, 0, WGT_CHANNEL);
    VTAUopLoopBegin(ROWS, ACC_ROW, INP_ROW, 0);
    for (uint32_t dy = 0; dy < KERNEL; dy++)
        for (uint32_t dx = 0; dx < KERNEL; dx++)
            for (uint32_t j = 0; j < SIZE; j++)
                VTAUopPush(0, 0, t * ACC_THREAD + j, t * INP_THREAD + dy * INP_ROW + j + dx,
                           t * WGT_THREAD + dy * KERNEL + dx, 0, 0, 0);
    VTAUopLoopEnd();
    VTAUopLoopEnd();
    return 0;
}

/* acc = op(acc, value) for all of a thread's sums. */
static int with_all(const void *signature, uint32_t op, int32_t value) {
    uint32_t first = thread_of(signature) * ACC_THREAD;
    VTAUopLoopBegin(ACC_THREAD, 1, 1, 0);
    VTAUopPush(1 /* ALU */, 0, first, first, 0, op, 1 /* immediate */, value);
    VTAUopLoopEnd();
    return 0;
}

static int shift(void *signature) { return with_all(signature, VTA_ALU_SHR, SHIFT); }
static int clip_low(void *signature) { return with_all(signature, VTA_ALU_MAX, 0); }
static int clip_high(void *signature) { return with_all(signature, VTA_ALU_MIN, MAX); }

/* ---- Parts of the schedule ----------------------------------------------------------------------------------- */

static void push_gemm(void **site, int (*finit)(void *), int32_t thread) {
    VTAPushGEMMOp(site, finit, &thread, sizeof thread);
}

static void push_alu(void **site, int (*finit)(void *), int32_t thread) {
    VTAPushALUOp(site, finit, &thread, sizeof thread);
}

/* A patch of one input channel and the weights from it to a thread's output channels. The patch reaches one row above
 * and below the block, and one column to each side; what lies outside the picture is padding. */
static void load_operands(VTACommandHandle cmd, void *data, void *kernel, uint32_t block, uint32_t ic, uint32_t t) {
    uint32_t above = block == 0, below = block == SIZE / ROWS - 1;
    uint32_t first_row = block * ROWS + above - 1;
    VTALoadBuffer2D(cmd, data, ic * SIZE * SIZE + first_row * SIZE, SIZE, ROWS + 2 - above - below, SIZE, 1, above, 1,
                    below, t * INP_THREAD, VTA_MEM_INP);
    VTALoadBuffer2D(cmd, kernel, t * THREAD_CHANNELS * CHANNELS * WGT_CHANNEL + ic * WGT_CHANNEL, WGT_CHANNEL,
                    THREAD_CHANNELS, CHANNELS * WGT_CHANNEL, 0, 0, 0, 0, t * WGT_THREAD, VTA_MEM_WGT);
}

static void store_result(VTACommandHandle cmd, void *result, uint32_t block, uint32_t t) {
    for (uint32_t c = 0; c < THREAD_CHANNELS; c++)
        for (uint32_t i = 0; i < ROWS; i++)
            for (uint32_t j = 0; j < SIZE; j++)
                VTAStoreBuffer2D(cmd, t * ACC_THREAD + c * ACC_CHANNEL + i * ACC_ROW + j, VTA_MEM_OUT, result,
                                 ((t * THREAD_CHANNELS + c) * SIZE + block * ROWS + i) * SIZE + j, 1, 1, 1);
}

static void convolution(VTACommandHandle cmd, void *data, void *kernel, void *result) {
    static void *clear_site, *convolve_site, *shift_site, *low_site, *high_site;
    for (int t = 0; t < THREADS; t++) VTADepPush(cmd, STORE, COMPUTE); /* both halves of acc are free */
    for (uint32_t block = 0; block < SIZE / ROWS; block++) {
        for (int t = 0; t < THREADS; t++) {
            VTADepPop(cmd, STORE, COMPUTE);
            push_gemm(&clear_site, clear, t);
            VTADepPush(cmd, COMPUTE, LOAD); /* and so are this thread's places in inp and wgt */
        }
        for (uint32_t ic = 0; ic < CHANNELS; ic++) {
            for (uint32_t t = 0; t < THREADS; t++) {
                VTADepPop(cmd, COMPUTE, LOAD);
                load_operands(cmd, data, kernel, block, ic, t);
                VTADepPush(cmd, LOAD, COMPUTE);
            }
            for (int t = 0; t < THREADS; t++) {
                VTADepPop(cmd, LOAD, COMPUTE);
                push_gemm(&convolve_site, convolve, t);
                VTADepPush(cmd, COMPUTE, LOAD);
            }
        }
        for (int t = 0; t < THREADS; t++) VTADepPop(cmd, COMPUTE, LOAD); /* tokens that no load took */
        for (int t = 0; t < THREADS; t++) {
            push_alu(&shift_site, shift, t);
            push_alu(&low_site, clip_low, t);
            push_alu(&high_site, clip_high, t);
            VTADepPush(cmd, COMPUTE, STORE);
        }
        for (uint32_t t = 0; t < THREADS; t++) {
            VTADepPop(cmd, COMPUTE, STORE);
            store_result(cmd, result, block, t);
            VTADepPush(cmd, STORE, COMPUTE);
        }
    }
    for (int t = 0; t < THREADS; t++) VTADepPop(cmd, STORE, COMPUTE);
    VTASynchronize(cmd, 0);
}

/* ---- The same on the host, and both compared ------------------------------------------------------------------ */

typedef int8_t image[CHANNELS][SIZE][SIZE][BLOCK_IN];
typedef int8_t weights[CHANNELS][CHANNELS][KERNEL][KERNEL][BLOCK_OUT][BLOCK_IN];

static int32_t sum_at(const image *data, const weights *kernel, int co, int ci, int y, int x) {
    int32_t sum = 0;
    for (int ic = 0; ic < CHANNELS; ic++)
        for (int dy = 0; dy < KERNEL; dy++)
            for (int dx = 0; dx < KERNEL; dx++) {
                int row = y + dy - 1, column = x + dx - 1;
                if (row < 0 || row >= SIZE || column < 0 || column >= SIZE) continue;
                for (int i = 0; i < BLOCK_IN; i++)
                    sum += (*data)[ic][row][column][i] * (*kernel)[co][ic][dy][dx][ci][i];
            }
    return sum;
}

static void convolution_on_host(const image *data, const weights *kernel, image *result) {
    for (int co = 0; co < CHANNELS; co++)
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++)
                for (int ci = 0; ci < BLOCK_OUT; ci++) {
                    int32_t value = sum_at(data, kernel, co, ci, y, x) >> SHIFT;
                    (*result)[co][y][x][ci] = (int8_t)(value < 0 ? 0 : value > MAX ? MAX : value);
                }
}

int main(void) {
    static image data, result, expected;
    static weights kernel;
    for (size_t i = 0; i < sizeof data; i++) ((int8_t *)data)[i] = (int8_t)random_number(128);
    for (size_t i = 0; i < sizeof kernel; i++) ((int8_t *)kernel)[i] = (int8_t)random_number(128);
    convolution_on_host(&data, &kernel, &expected);

    example_begin();
    void *data_dev = device_buffer(data, sizeof data), *kernel_dev = device_buffer(kernel, sizeof kernel);
    void *result_dev = device_buffer(NULL, sizeof result);
    convolution(VTATLSCommandHandle(), data_dev, kernel_dev, result_dev);
    VTABufferCopy(result_dev, 0, result, 0, sizeof result, 2 /* device to host */);
    VTABufferFree(data_dev);
    VTABufferFree(kernel_dev);
    VTABufferFree(result_dev);
    return example_end("2D convolution", (int8_t *)result, (int8_t *)expected, sizeof result);
}
