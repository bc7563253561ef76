/* The model of a board, register by register, as a program on the board's processor would see it. It serves in a thread
 * of its own, until it is told to stop. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/board/model_files.h"
#include "device/board/registers.h"
#include "device/small_program.h"
#include "support/check.h"

enum { BYTES = 1 << 20, REGISTER_BYTES = VT_MAX_BLOCKS * VT_BLOCK_BYTES };

typedef struct served {
    char folder[64];
    vta_config *config;
    pthread_t thread;
    atomic_bool stop;
    vta_status status;
    uint8_t *memory;
    volatile uint32_t *registers;
} served;

static bool told(void *ctx) { return atomic_load(&((served *)ctx)->stop); }

static void *serve(void *ctx) {
    served *s = ctx;
    s->status = vta_board_model(s->folder, s->config, BYTES, told, s, NULL);
    return NULL;
}

static char *path_of(const char *folder, const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A file of the model, once it has its size. */
static void *mapped(const served *s, const char *name, size_t bytes) {
    struct stat st = {0};
    for (int i = 0; i < 120000 && (stat(path_of(s->folder, name), &st) != 0 || !st.st_size); i++) usleep(500);
    assert_int_equal(st.st_size, bytes);
    int fd = open(path_of(s->folder, name), O_RDWR);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

static void start(served *s, const char *target) {
    vta_config *base = vta_config_default();
    char change[64];
    snprintf(change, sizeof change, "TARGET=%s", target);
    *s = (served){.folder = "/tmp/vta-serve-XXXXXX"};
    assert_non_null(mkdtemp(s->folder));
    assert_int_equal(vta_config_with(base, change, NULL, &s->config), VTA_OK);
    vta_config_release(base);
    assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
    s->registers = mapped(s, VT_MODEL_REGISTERS, REGISTER_BYTES);
    s->memory = mapped(s, VT_MODEL_MEMORY, 2 * BYTES);
}

static void stop(served *s) {
    atomic_store(&s->stop, true);
    pthread_join(s->thread, NULL);
    assert_int_equal(s->status, VTA_OK);
    munmap(s->memory, 2 * BYTES);
    munmap((void *)s->registers, REGISTER_BYTES);
    unlink(path_of(s->folder, VT_MODEL_MEMORY));
    unlink(path_of(s->folder, VT_MODEL_REGISTERS));
    assert_int_equal(rmdir(s->folder), 0);
    vta_config_release(s->config);
}

/* out = acc + 7, from memory at 0 to memory at 64 KiB; instructions at 128 KiB. The accelerator sees the first half. */
enum { ACC = 0, UOP = 0x8000, OUT = 0x10000, INSNS = 0x20000 };

static uint32_t put_program(served *s, uint8_t value) {
    vta_insn insns[8];
    uint32_t count = sp_add7(insns);
    insns[0].u.mem.dram_base = (VT_MODEL_BASE + UOP) / 4;
    insns[1].u.mem.dram_base = (VT_MODEL_BASE + ACC) / 64;
    insns[3].u.mem.dram_base = (VT_MODEL_BASE + OUT) / 16;
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(vta_insn_encode(s->config, &insns[i], NULL, s->memory + INSNS + i * VTA_INSN_BYTES), VTA_OK);
    for (uint32_t i = 0; i < 64 * 16; i++) ((int32_t *)(void *)(s->memory + ACC))[i] = value;
    memset(s->memory + OUT, 0, 64 * 16);
    return count;
}

static void check_result(const served *s, uint8_t value) {
    for (uint32_t i = 0; i < 64 * 16; i++) assert_int_equal(s->memory[OUT + i], value);
}

static void set(served *s, uint32_t offset, uint32_t value) {
    __sync_synchronize();
    s->registers[offset / 4] = value;
}

static void wait_for(const served *s, uint32_t offset, uint32_t value) {
    for (int i = 0; i < 120000 && s->registers[offset / 4] != value; i++) usleep(500);
    __sync_synchronize();
    assert_int_equal(s->registers[offset / 4], value);
}

TEST_CASE(one_block) {
    served s;
    start(&s, "de10nano");
    for (uint8_t value = 1; value < 4; value++) {
        uint32_t count = put_program(&s, value);
        set(&s, VT_COUNT, count);
        set(&s, VT_ADDRESS, VT_MODEL_BASE + INSNS);
        set(&s, VT_CYCLES, 99);
        set(&s, VT_CONTROL, VT_CONTROL_LAUNCH);
        wait_for(&s, VT_CONTROL, VT_CONTROL_FINISHED);
        check_result(&s, value + 7);
        assert_int_equal(s.registers[VT_CYCLES / 4], count); /* it has no clock: one for each instruction */
        assert_int_equal(s.registers[VT_COUNT / 4], count);
        assert_int_equal(s.registers[VT_ADDRESS / 4], VT_MODEL_BASE + INSNS);
    }
    stop(&s);
}

/* It begins when fetch does; the others stand by. */
TEST_CASE(four_blocks) {
    static const uint32_t blocks[] = {VT_LOAD, VT_COMPUTE, VT_STORE};
    served s;
    start(&s, "pynq");
    for (int lacks = 0; lacks < 4; lacks++) { /* the last one lacks nothing */
        uint32_t count = put_program(&s, 20);
        set(&s, VT_FETCH + VT_FETCH_COUNT, count);
        set(&s, VT_FETCH + VT_FETCH_ADDRESS, VT_MODEL_BASE + INSNS);
        set(&s, VT_COMPUTE + VT_COMPUTE_DONE, 1); /* of the run before */
        for (int i = 0; i < 3; i++) set(&s, blocks[i], i == lacks ? VT_START : VT_AUTO_RESTART);
        set(&s, VT_FETCH, VT_START);
        if (lacks < 3) {
            usleep(20000);
            assert_int_equal(s.registers[VT_FETCH / 4], VT_START);
            check_result(&s, 0);
            set(&s, VT_FETCH, 0);
            continue;
        }
        wait_for(&s, VT_FETCH, 0);
        wait_for(&s, VT_COMPUTE + VT_COMPUTE_DONE_VALID, 1); /* compute begins: what was there is no more */
        wait_for(&s, VT_COMPUTE + VT_COMPUTE_DONE, 1);
        check_result(&s, 27);
    }
    stop(&s);
}

/* A stream that breaks a rule is never over; a reset ends it, and the next one runs. */
TEST_CASE(broken_streams) {
    served s;
    start(&s, "de10nano");
    for (int how = 0; how < 3; how++) {
        uint32_t count = put_program(&s, 5);
        if (how == 0) memset(s.memory + INSNS, 0xff, VTA_INSN_BYTES);
        set(&s, VT_COUNT, how == 1 ? count - 1 : count);                               /* no FINISH */
        set(&s, VT_ADDRESS, how == 2 ? VT_MODEL_BASE + BYTES : VT_MODEL_BASE + INSNS); /* no memory */
        set(&s, VT_CONTROL, VT_CONTROL_LAUNCH);
        usleep(20000);
        assert_int_equal(s.registers[VT_CONTROL / 4], VT_CONTROL_LAUNCH);
        set(&s, VT_CONTROL, 0);
        usleep(20000); /* it looks every millisecond */
        put_program(&s, 9);
        set(&s, VT_COUNT, count);
        set(&s, VT_ADDRESS, VT_MODEL_BASE + INSNS);
        set(&s, VT_CONTROL, VT_CONTROL_LAUNCH);
        for (int i = 0; i < 100 && s.registers[VT_CONTROL / 4] != VT_CONTROL_FINISHED; i++) {
            usleep(20000);
            if (s.registers[VT_CONTROL / 4] == VT_CONTROL_FINISHED) break;
            set(&s, VT_CONTROL, 0); /* the reset was too short for a slow machine */
            usleep(20000);
            set(&s, VT_CONTROL, VT_CONTROL_LAUNCH);
        }
        wait_for(&s, VT_CONTROL, VT_CONTROL_FINISHED);
        check_result(&s, 16);
    }
    stop(&s);
}

static bool at_once(void *ctx) {
    (void)ctx;
    return true;
}

TEST_CASE(calls) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *config = vta_config_default();
    char folder[] = "/tmp/vta-serve-XXXXXX";
    struct stat st;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(vta_board_model(NULL, config, BYTES, at_once, NULL, diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_board_model(folder, NULL, BYTES, at_once, NULL, diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_board_model(folder, config, BYTES, NULL, NULL, diag), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(diag), "vta_board_model: a pointer is NULL");
    assert_int_equal(vta_board_model(folder, config, BYTES + 1, at_once, NULL, diag), VTA_OUT_OF_RANGE);
    assert_contains(vta_diag_text(diag), "1048577 bytes of memory; whole pages, at most 2 GiB");
    assert_int_equal(vta_board_model(folder, config, ((size_t)1 << 31) + 4096, at_once, NULL, NULL), VTA_OUT_OF_RANGE);
    assert_int_equal(access(path_of(folder, VT_MODEL_REGISTERS), F_OK), -1);
    vta_diag_clear(diag);
    assert_int_equal(vta_board_model("/nowhere", config, BYTES, at_once, NULL, diag), VTA_IO);
    assert_contains(vta_diag_text(diag), "/nowhere/memory: No such file");
    vta_diag_clear(diag);
    assert_int_equal(vta_board_model(folder, config, 0, at_once, NULL, diag), VTA_OK);
    assert_int_equal(stat(path_of(folder, VT_MODEL_MEMORY), &st), 0);
    assert_int_equal(st.st_size, 2 * (64 << 20));
    assert_int_equal(st.st_mode & 0777, 0600);
    unlink(path_of(folder, VT_MODEL_MEMORY));
    unlink(path_of(folder, VT_MODEL_REGISTERS));
    assert_int_equal(rmdir(folder), 0);
    vta_config_release(config);
    vta_diag_destroy(diag);
}

/* What stays in the process's memory of a model that is over. */
TEST_CASE(nothing_stays_mapped) {
    char line[1024];
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        if (strstr(line, "/tmp/vta-serve-")) fail_msg("still mapped: %s", line);
    fclose(f);
}

int main(void) { return run_cases(); }
