/* Dumps of a stream, and programs captured from it. */
#include "runtime/runtime_test.h"

static char dumped[1 << 14];
static void keep(void *ctx, const char *text, size_t size) {
    (void)ctx;
    size_t at = strlen(dumped);
    assert_true(at + size < sizeof dumped);
    memcpy(dumped + at, text, size);
    dumped[at + size] = '\0';
}

TEST_CASE(test_dumps) {
    vta_runtime_options options = {.sink = {.write = keep}};
    vta_runtime *runtime = use("", &options);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL;
    dumped[0] = '\0';
    run_add(cmd, &site, 16, 1, 2, 3);
    assert_string_equal(dumped, "");
    VTASetDebugMode(cmd, VTA_DEBUG_DUMP_INSN | VTA_DEBUG_DUMP_UOP);
    run_add(cmd, &site, 16, 1, 3, 4);
    assert_non_null(strstr(dumped, "There are 1 uops\n[0000]\t acc=0, src=0, wgt=0\n"));
    assert_non_null(strstr(dumped, "There are 7 instructions\n"));
    assert_non_null(strstr(dumped, "ALU"));
    /* Without a sink a dump goes nowhere. */
    vta_runtime_set_sink(NULL, (vta_sink){0});
    dumped[0] = '\0';
    run_add(cmd, &site, 16, 1, 4, 5);
    assert_string_equal(dumped, "");
    vta_runtime_destroy(runtime);
}

TEST_CASE(test_capture) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/vta_capture_%ld.vtap", (long)getpid());
    vta_diag *diag = vta_diag_create(NULL);
    vta_runtime *runtime = use("LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL;
    run_add(cmd, &site, 32, 1, 1, 2);
    assert_int_equal(vta_runtime_capture(NULL, path, diag), VTA_OK);
    run_add(cmd, &site, 32, 1, 2, 3);
    run_add(cmd, &site, 32, 2, 3, 5);
    assert_int_equal(vta_runtime_capture(NULL, NULL, diag), VTA_OK);
    run_add(cmd, &site, 32, 1, 1, 2);

    vta_program *program;
    if (vta_program_load(path, NULL, diag, &program) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_program_run_count(program), 2);
    vta_device *device;
    vta_program_options expect = {.expect = 1};
    assert_int_equal(vta_device_create("sim", vta_program_config(program), NULL, NULL, diag, &device), VTA_OK);
    if (vta_program_run(program, device, &expect, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_device_counters(device).alu_counter, 8);
    vta_device_destroy(device);
    vta_program_destroy(program);
    unlink(path);
    assert_int_not_equal(vta_runtime_capture(NULL, "/nowhere/at/all", diag), VTA_INTERNAL);
    vta_runtime_destroy(runtime);
    vta_diag_destroy(diag);
}

/* A block of the driver interface with instructions in it: one acc element is loaded and stored. */
static uint8_t *block_of_insns(vta_phy_addr_t from, vta_phy_addr_t to) {
    char text[256];
    uint8_t *insns, *block;
    size_t count;
    snprintf(text, sizeof text,
             "LOAD memory_type=acc dram_base=%u y_size=1 x_size=1 x_stride=1 push_next_dep\n"
             "STORE memory_type=out dram_base=%u y_size=1 x_size=1 x_stride=1 pop_prev_dep push_prev_dep\n"
             "FINISH pop_next_dep\n",
             from / 64, to / 16);
    assert_int_equal(vta_asm(vta_runtime_config(NULL), text, strlen(text), NULL, NULL, &insns, &count), VTA_OK);
    assert_int_equal(count, 3);
    block = VTAMemAlloc(count * VTA_INSN_BYTES, 0);
    VTAMemCopyFromHost(block, insns, count * VTA_INSN_BYTES);
    vta_string_free(insns);
    return block;
}

/* The contents of a block before and after the run, `size` bytes each. */
static void check_segment(const vta_program *program, uint32_t index, uint32_t addr, const uint8_t *before,
                          const uint8_t *after, size_t size) {
    static const uint8_t zeros[64];
    vta_program_segment s;
    assert_int_equal(vta_program_get_segment(program, 0, index, &s), VTA_OK);
    assert_int_equal(s.addr, addr);
    assert_in_range(s.size, size, 4096);
    assert_in_range(s.before_size, 0, size);
    if (s.before_size) assert_memory_equal(s.before, before, s.before_size);
    assert_memory_equal(before + s.before_size, zeros, size - s.before_size);
    assert_int_equal(s.has_after, memcmp(before, after, size) != 0);
    if (s.has_after) assert_memory_equal(s.after, after, s.after_size);
}

/* Blocks of the driver interface are recorded, too, each with what it held before the run and after it. */
TEST_CASE(test_capture_of_blocks) {
    static const uint8_t zeros[64];
    uint8_t in[64] = {0}, out[16];
    vta_diag *diag = vta_diag_create(NULL);
    vta_runtime *runtime = use("", NULL);
    VTADeviceHandle device = VTADeviceAlloc();
    uint8_t *from = VTAMemAlloc(sizeof in, 0), *to = VTAMemAlloc(sizeof out, 0);
    uint32_t addr[3] = {VTAMemGetPhyAddr(from), VTAMemGetPhyAddr(to)};
    uint8_t *insns = block_of_insns(addr[0], addr[1]);
    addr[2] = VTAMemGetPhyAddr(insns);
    for (uint8_t i = 0; i < 16; i++) in[4 * i] = out[i] = (uint8_t)(100 + i);
    VTAMemCopyFromHost(from, in, sizeof in);
    assert_int_equal(vta_runtime_record(NULL, diag), VTA_OK);
    assert_int_equal(VTADeviceRun(device, addr[2], 3, 0), 0);
    vta_program *program;
    assert_int_equal(vta_runtime_recorded(NULL, 0, diag, &program, NULL, NULL), VTA_OK);
    vta_program_run_info run;
    assert_int_equal(vta_program_get_run(program, 0, &run), VTA_OK);
    assert_int_equal(run.insn_addr, addr[2]);
    assert_int_equal(run.insn_count, 3);
    assert_memory_equal(run.insns, insns, 3 * VTA_INSN_BYTES);
    assert_int_equal(run.segment_count, 3);
    check_segment(program, 0, addr[0], in, in, sizeof in);
    check_segment(program, 1, addr[1], zeros, out, sizeof out);
    check_segment(program, 2, addr[2], insns, insns, 3 * VTA_INSN_BYTES);
    vta_program_destroy(program);
    VTADeviceFree(device);
    vta_runtime_destroy(runtime);
    vta_diag_destroy(diag);
}

/* A buffer that the stream loads from, freed before the stream runs: the program has what it held. */
TEST_CASE(test_capture_of_freed_buffers) {
    enum { TILES = 4, LANES = 16 };
    static int32_t acc[TILES * LANES];
    vta_diag *diag = vta_diag_create(NULL);
    vta_runtime *runtime = use("", NULL);
    VTACommandHandle cmd = VTATLSCommandHandle();
    for (int i = 0; i < TILES * LANES; i++) acc[i] = i;
    void *from = VTABufferAlloc(sizeof acc), *to = VTABufferAlloc(TILES * LANES), *site = NULL;
    VTABufferCopy(acc, 0, from, 0, sizeof acc, 1);
    assert_int_equal(vta_runtime_record(NULL, diag), VTA_OK);
    VTALoadBuffer2D(cmd, from, 0, TILES, 1, TILES, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    uint32_t addr;
    vta_buffer_info(from, NULL, &addr);
    VTABufferFree(from);
    push_alu(&site, 1);
    VTADepPush(cmd, 2, 3);
    VTADepPop(cmd, 2, 3);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, TILES, 1, TILES);
    VTASynchronize(cmd, 0);
    no_error(cmd);
    vta_program *program;
    assert_int_equal(vta_runtime_recorded(NULL, 0, diag, &program, NULL, NULL), VTA_OK);
    uint32_t i = 0;
    vta_program_segment s = {0};
    while (vta_program_get_segment(program, 0, i, &s) == VTA_OK && s.addr != addr) i++;
    check_segment(program, i, addr, (const uint8_t *)acc, (const uint8_t *)acc, sizeof acc);
    vta_program_destroy(program);
    vta_runtime_destroy(runtime);
    vta_diag_destroy(diag);
}

int main(void) { return run_cases(); }
