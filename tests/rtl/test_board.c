/* The driver of the board de10nano on the hardware itself: another process serves the board's files with a Verilated
 * model, whose registers are written and read over its AXI4-Lite port as the driver left them in the file. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/board/model_files.h"
#include "device/board/registers.h"
#include "device/rtl/model.h"
#include "rtl/programs.h"

enum { MEMORY_BYTES = 2 << 20, DELAY = 16, OUTSTANDING = 16 };

static const rtl_design small = {"de10nano, 1x4x4",
                                 "TARGET=de10nano LOG_BLOCK_IN=2 LOG_BLOCK_OUT=2 LOG_UOP_BUFF_SIZE=8 "
                                 "LOG_INP_BUFF_SIZE=8 LOG_WGT_BUFF_SIZE=9 LOG_ACC_BUFF_SIZE=10",
                                 "queue_depth=16 len_bits=3", false};
static random_program program;

/* ---- The board's side: a process of its own ------------------------------------------------------------------ */

static void *make_file(const char *folder, const char *name, size_t bytes) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) _exit(2);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) _exit(2);
    close(fd);
    return memory;
}

/* What the driver wrote goes to the block's registers; when the run is over, its registers go to the file, the one that
 * says so last. */
static void serve_run(vt_rtl_model *m, volatile uint32_t *registers) {
    __sync_synchronize();
    for (uint32_t at = VT_COUNT; at < VT_BASES + 4 * VT_BASE_COUNT; at += 4) vt_rtl_set(m, at, registers[at / 4]);
    vt_rtl_set(m, VT_CONTROL, registers[VT_CONTROL / 4]);
    while (vt_rtl_get(m, VT_CONTROL) & VT_CONTROL_LAUNCH)
        for (int i = 0; i < 100; i++) vt_rtl_cycle(m);
    for (uint32_t at = VT_REG_STORE_DONE; at > VT_CONTROL; at -= 4) registers[at / 4] = vt_rtl_get(m, at);
    __sync_synchronize();
    registers[VT_CONTROL / 4] = vt_rtl_get(m, VT_CONTROL);
}

static void serve(const char *folder, const vta_config *config) {
    vta_hardware_options options = rtl_options(&small);
    vt_rtl_model m;
    vt_dram dram;
    char *path;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    uint8_t *memory = make_file(folder, VT_MODEL_MEMORY, 2 * MEMORY_BYTES);
    vt_dram_init(&dram, &vt_allocator_libc);
    if (vt_dram_lend(&dram, VT_MODEL_BASE, memory, MEMORY_BYTES, NULL) != VTA_OK) _exit(3);
    if (vta_hardware_find(config, &options, NULL, &path) != VTA_OK) _exit(4);
    if (vt_rtl_open(&m, path, &dram, 1, NULL) != VTA_OK) _exit(5);
    m.axi.delay = DELAY;
    m.axi.outstanding = OUTSTANDING;
    volatile uint32_t *registers = make_file(folder, VT_MODEL_REGISTERS, VT_MAX_BLOCKS * VT_BLOCK_BYTES);
    for (;;) {
        if (registers[VT_CONTROL / 4] & VT_CONTROL_LAUNCH)
            serve_run(&m, registers);
        else
            usleep(100);
    }
}

typedef struct board {
    pid_t pid;
    char folder[64];
} board;

static void start_board(board *b, const vta_config *config) {
    char path[128];
    struct stat s = {0};
    strcpy(b->folder, "/tmp/vta-board-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    b->pid = fork();
    if (b->pid == 0) serve(b->folder, config);
    snprintf(path, sizeof path, "%s/" VT_MODEL_REGISTERS, b->folder); /* made last */
    for (int i = 0; i < 60000 && (stat(path, &s) != 0 || !s.st_size); i++) {
        assert_int_equal(waitpid(b->pid, NULL, WNOHANG), 0);
        usleep(1000);
    }
}

static void stop_board(board *b) {
    static const char *const files[] = {VT_MODEL_REGISTERS, VT_MODEL_MEMORY};
    char path[128];
    kill(b->pid, SIGKILL);
    waitpid(b->pid, NULL, 0);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", b->folder, files[i]);
        unlink(path);
    }
    rmdir(b->folder);
}

/* ---- The driver's side --------------------------------------------------------------------------------------- */

/* The program's memory lies where the board has some. */
static void move_program(random_program *p, uint32_t base) {
    for (int i = 0; i < p->count; i++) {
        vta_insn *insn = &p->insns[i];
        if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE)
            insn->u.mem.dram_base +=
                (base - RP_BASE) / vta_config_elem_bytes(p->config, (vta_memory)insn->u.mem.memory_type);
        assert_int_equal(vta_insn_encode(p->config, insn, NULL, p->before + i * VTA_INSN_BYTES), VTA_OK);
    }
}

static uint64_t cycles_of_model(vta_device *device) {
    uint64_t cycles = vta_device_counters(device).cycles;
    vta_device_clear_counters(device);
    return cycles;
}

static void run_one(vta_device *device, vta_device *timing, uint32_t base, uint64_t seed) {
    static uint8_t got[RP_BYTES];
    vta_diag *diag = vta_diag_create(NULL);
    rp_make_for(&program, vta_config_retain(vta_device_config(device)), seed, 50, true);
    assert_int_equal(rtl_run(timing, &program, diag), VTA_OK);
    move_program(&program, base);
    assert_int_equal(vta_device_write(device, base, program.before, RP_BYTES, diag), VTA_OK);
    if (vta_device_run(device, base, (uint32_t)program.count, 0, diag) != VTA_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, vta_diag_text(diag));
    assert_int_equal(vta_device_read(device, base, got, RP_BYTES, diag), VTA_OK);
    for (size_t i = RP_OUT - RP_BASE; i < RP_BYTES; i++)
        if (got[i] != program.after[i])
            fail_msg("seed %llu: byte %zu is %02x, not %02x", (unsigned long long)seed, i, got[i], program.after[i]);
    uint64_t cycles = cycles_of_model(device), said = cycles_of_model(timing);
    if (cycles != said)
        fail_msg("seed %llu: the cycle register says %llu, tsim %llu", (unsigned long long)seed,
                 (unsigned long long)cycles, (unsigned long long)said);
    rp_clear(&program);
    vta_diag_destroy(diag);
}

TEST_CASE(the_board_driver_on_the_hardware) {
    char settings[96];
    board b;
    rtl_build(&small);
    vta_config *config = rtl_config(&small);
    start_board(&b, config);
    snprintf(settings, sizeof settings, "model=%s", b.folder);
    const vta_device_options options = {.size = sizeof options, .board = settings};
    vta_diag *diag = vta_diag_create(NULL);
    vta_device *device;
    uint32_t base;
    if (vta_device_create("de10nano", config, &options, NULL, diag, &device) != VTA_OK)
        fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_device_alloc(device, RP_BYTES, diag, &base), VTA_OK);
    vta_device *timing = rtl_timing(&small, config);
    for (uint64_t seed = 1; seed <= 20; seed++) run_one(device, timing, base, seed);
    vta_device_destroy(timing);
    vta_device_destroy(device);
    vta_diag_destroy(diag);
    stop_board(&b);
    vta_config_release(config);
}

int main(void) {
    if (system("verilator --version > /dev/null 2>&1") != 0) return 77;
    rtl_use_cache();
    return run_cases();
}
