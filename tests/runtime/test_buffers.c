/* Buffers, and the driver interface below them. */
#include "runtime/runtime_test.h"

TEST_CASE(test_buffers) {
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    char text[] = "the quick brown fox jumps over the lazy dog", back[sizeof text] = {0};
    void *a = VTABufferAlloc(sizeof text), *b = VTABufferAlloc(2 * sizeof text);
    char *host = VTABufferCPUPtr(cmd, a);
    assert_ptr_not_equal(host, a);
    assert_int_equal(host[0] | host[sizeof text - 1], 0);
    VTABufferCopy(text, 0, a, 0, sizeof text, 1);
    assert_string_equal(host, text);
    VTABufferCopy(a, 4, b, 10, 5, 3);
    VTABufferCopy(b, 10, back, 0, 5, 2);
    assert_string_equal(back, "quick");
    VTABufferCopy(b, 10, b, 12, 5, 3);
    VTABufferCopy(b, 10, back, 0, 7, 2);
    assert_string_equal(back, "ququick");
    VTABufferCopy(text, 3, a, sizeof text, 0, 1); /* nothing, at the very end */
    assert_ptr_equal(VTABufferCPUPtr(cmd, text), text);
    assert_null(VTABufferCPUPtr(cmd, NULL));
    VTAWriteBarrier(cmd, a, 8, 0, sizeof text);
    VTAReadBarrier(cmd, b, 32, 1, 3);
    void *empty = VTABufferAlloc(0);
    assert_non_null(empty);
    VTABufferFree(empty);
    VTABufferFree(a);
    assert_ptr_not_equal(VTABufferAlloc(sizeof text), a); /* a reused place has another handle */
    no_error(cmd);
    vta_runtime_destroy(runtime);
}

/* A stream may use a buffer that was freed while it was being recorded. */
TEST_CASE(test_free_while_recording) {
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    int32_t acc[64];
    int8_t out[64];
    for (int i = 0; i < 64; i++) acc[i] = i;
    void *from = VTABufferAlloc(sizeof acc), *to = VTABufferAlloc(sizeof out), *site = NULL;
    VTABufferCopy(acc, 0, from, 0, sizeof acc, 1);
    VTALoadBuffer2D(cmd, from, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    uint32_t addr, reused;
    vta_buffer_info(from, NULL, &addr);
    VTABufferFree(from);
    void *next = VTABufferAlloc(sizeof acc);
    vta_buffer_info(next, NULL, &reused);
    assert_int_not_equal(addr, reused);
    push_alu(&site, 1);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, 4, 1, 4);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    VTABufferCopy(to, 0, out, 0, sizeof out, 2);
    for (int i = 0; i < 64; i++) assert_int_equal(out[i], i + 1);
    void *again = VTABufferAlloc(sizeof acc);
    vta_buffer_info(again, NULL, &reused);
    assert_int_equal(addr, reused); /* now the memory is free */
    vta_runtime_destroy(runtime);
}

TEST_CASE(test_driver_interface) {
    vta_runtime *runtime = use("", NULL);
    VTADeviceHandle device = VTADeviceAlloc();
    uint8_t *block = VTAMemAlloc(100, 1), *other = VTAMemAlloc(100, 0);
    assert_non_null(block);
    vta_insn finish = {.opcode = VTA_OP_FINISH};
    uint8_t bytes[VTA_INSN_BYTES];
    assert_int_equal(vta_insn_encode(vta_runtime_config(NULL), &finish, NULL, bytes), VTA_OK);
    VTAMemCopyFromHost(block + 32, bytes, sizeof bytes);
    VTAFlushCache(block, VTAMemGetPhyAddr(block), 48);
    assert_int_equal(VTAMemGetPhyAddr(block + 32), VTAMemGetPhyAddr(block) + 32);
    assert_int_equal(VTADeviceRun(device, VTAMemGetPhyAddr(block + 32), 1, 1000), 0);
    assert_int_equal(vta_runtime_counters(NULL).insn_finish, 1);
    uint8_t back[VTA_INSN_BYTES];
    VTAMemCopyToHost(back, block + 32, sizeof back);
    assert_memory_equal(back, bytes, sizeof back);
    VTAProgram("1x16.bit");
    VTAMemFree(block);
    VTAMemFree(other);
    VTADeviceFree(device);
    assert_null(vta_last_error(NULL));
    assert_int_equal(VTADeviceRun(device, 4096, 1, 0), 1);
    assert_true(error_has(NULL, "VTADeviceRun("));
    vta_runtime_destroy(runtime);
}

/* A block of no bytes is one of a byte: it has an address that no other one has. */
TEST_CASE(test_smallest_blocks) {
    vta_runtime *runtime = use("", NULL);
    uint8_t *blocks[2] = {VTAMemAlloc(0, 0), VTAMemAlloc(1, 0)}, bytes[2] = {7, 8};
    assert_int_not_equal(VTAMemGetPhyAddr(blocks[0]), VTAMemGetPhyAddr(blocks[1]));
    for (int i = 0; i < 2; i++) {
        VTAMemCopyFromHost(blocks[i], bytes, 1);
        assert_null(vta_last_error(NULL));
        assert_int_equal(blocks[i][0], 7);
        VTAMemCopyFromHost(blocks[i], bytes, 2);
        assert_true(error_has(NULL, "past the end of its block of 1 bytes"));
        VTAMemFree(blocks[i]);
        assert_null(vta_last_error(NULL));
    }
    vta_runtime_destroy(runtime);
}

static void *destroys(void *runtime) {
    vta_runtime_destroy(runtime);
    return NULL;
}

/* A thread whose runtime another one destroyed: each call says so, and answers with nothing. */
TEST_CASE(test_driver_interface_of_a_runtime_that_is_gone) {
    pthread_t other;
    uint8_t bytes[16] = {0};
    assert_int_equal(pthread_create(&other, NULL, destroys, use("", NULL)), 0);
    pthread_join(other, NULL);
    assert_null(VTADeviceAlloc());
    assert_true(error_has(NULL, "the runtime that this thread chose was destroyed"));
    assert_null(VTAMemAlloc(100, 1));
    assert_true(error_has(NULL, "was destroyed"));
    assert_int_equal(VTAMemGetPhyAddr(bytes), 0);
    assert_true(error_has(NULL, "was destroyed"));
    assert_int_not_equal(VTADeviceRun(bytes, 4096, 1, 0), 0);
    assert_true(error_has(NULL, "was destroyed"));
    VTADeviceFree(bytes);
    assert_true(error_has(NULL, "was destroyed"));
    VTAMemCopyFromHost(bytes, bytes, sizeof bytes);
    assert_true(error_has(NULL, "was destroyed"));
    VTAMemFree(bytes);
    assert_true(error_has(NULL, "was destroyed"));
    vta_runtime_use(NULL);
}

int main(void) { return run_cases(); }
