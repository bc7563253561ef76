/* A process that dies while the accelerator of a board runs: whoever comes next waits for the end of that stream, or is
 * refused; never is its end taken for that of another one, nor memory given out that it still writes to. */
#include <fcntl.h>
#include <sys/mman.h>

#include "device/board/model_files.h"
#include "device/board/registers.h"
#include "device/board_user.h"
#include "device/model_board.h"

static const char *const boards[] = {"pynq", "de10nano", "ultra96"};
enum { BOARDS = 3 };

/* ---- Killed at random ------------------------------------------------------------------------------------------- */

/* Runs one stream after the other until it is killed. */
static void run_until_killed(const char *board, const char *settings, int ready, unsigned seed) {
    user u;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (take(&u, board, settings) != VTA_OK || write(ready, "r", 1) != 1) _exit(1);
    for (;;) {
        uint16_t passes = (uint16_t)(rand_r(&seed) % 16383 + 1);
        uint32_t count = write_stream(&u, passes, -100, rand_r(&seed) % 2);
        if (vta_device_run(u.device, u.insns, count, 0, diag) != VTA_OK) _exit(2);
    }
}

/* The model stands still first: its run does not end before it is looked at, however long that takes. */
static void kill_one(const model_board *m, const char *board, const char *settings, unsigned seed) {
    int ready[2], how;
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (!pid) run_until_killed(board, settings, ready[1], seed);
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    usleep((useconds_t)(rand_r(&seed) % 20000));
    kill(m->pid, SIGSTOP);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &how, 0), pid);
    assert_true(WIFSIGNALED(how));
}

TEST_CASE(killed) {
    enum { TRIES = 60 };
    for (int b = 0; b < BOARDS; b++) {
        model_board m;
        char at_once[128], waits[128];
        model_start(&m, boards[b]);
        snprintf(at_once, sizeof at_once, "%s wait_seconds=0", m.settings);
        snprintf(waits, sizeof waits, "%s wait_seconds=60", m.settings);
        int waited = 0;
        for (int seed = 0; seed < TRIES; seed++) {
            user u;
            kill_one(&m, boards[b], m.settings, (unsigned)seed);
            vta_status status = take(&u, boards[b], at_once);
            kill(m.pid, SIGCONT);
            if (status != VTA_OK) {
                refused(VTA_TIMEOUT, VTA_TIMEOUT, "the accelerator still runs a stream that was given up: wait, or");
                leave(&u);
                must(take(&u, boards[b], waits)); /* who waits has it */
                waited++;
            }
            uint32_t count = write_stream(&u, 1, seed % 50, seed / 2 % 2);
            must(vta_device_run(u.device, u.insns, count, 0, diag));
            check_result(&u, boards[b], seed, seed % 50);
            leave(&u);
        }
        if (waited < TRIES / 4) fail_msg("%s: only %d of %d died in the middle of a run", boards[b], waited, TRIES);
        model_stop(&m);
    }
}

/* ---- Killed between two registers ------------------------------------------------------------------------------- */

typedef struct writes {
    volatile uint32_t *registers;
    int count, most;
} writes;

static uint32_t get(void *ctx, uint32_t offset) { return ((writes *)ctx)->registers[offset / 4]; }

/* The process dies after so many. */
static void set(void *ctx, uint32_t offset, uint32_t value) {
    writes *w = ctx;
    __sync_synchronize();
    if (w->count++ < w->most) w->registers[offset / 4] = value;
}

static volatile uint32_t *map_registers(const model_board *m) {
    char path[128];
    snprintf(path, sizeof path, "%s/" VT_MODEL_REGISTERS, m->folder);
    int fd = open(path, O_RDWR);
    void *memory = mmap(NULL, VT_MAX_BLOCKS * VT_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

/* On a board that has never run anything, and on one that has. The count of fetch is written just before its start:
 * there, and only there, nobody can tell whether it began: compute may still wait for its first token. */
TEST_CASE(between_registers) {
    for (int b = 0; b < BOARDS; b++)
        for (int used = 0; used < 2; used++)
            for (int most = 0, all = 1; most <= all; most++) {
                model_board m;
                user u;
                model_start(&m, boards[b]);
                const vt_register_map *map = strcmp(boards[b], "de10nano") ? &vt_four_blocks : &vt_one_block;
                writes w = {map_registers(&m), 0, most};
                vt_registers r = {get, set, &w};
                must(take(&u, boards[b], m.settings));
                uint32_t count = write_program(&u, 16383, -100);
                if (used) must(vta_device_run(u.device, u.insns, count, 0, diag));
                map->start(&r, u.insns, count, &(vt_run_seen){0});
                all = w.count;
                leave(&u);
                strcat(m.settings, most == all - 1 ? " wait_seconds=1" : " wait_seconds=60");
                vta_status status = take(&u, boards[b], m.settings);
                if (status != VTA_OK && most == all - 1) {
                    refused(status, VTA_TIMEOUT, "program the FPGA anew");
                } else {
                    must(status);
                    count = write_program(&u, 1, 3);
                    must(vta_device_run(u.device, u.insns, count, 0, diag));
                    check_result(&u, boards[b], most, 3);
                }
                leave(&u);
                munmap((void *)w.registers, VT_MAX_BLOCKS * VT_BLOCK_BYTES);
                model_stop(&m);
            }
}

/* ---- Stuck ------------------------------------------------------------------------------------------------------ */

/* A stream that never ends: this process waits as long as the setting says, all others are refused, and programming the
 * FPGA, which resets the registers, helps. */
TEST_CASE(stuck) {
    for (int b = 0; b < BOARDS; b++) {
        static const char refusal[] = "error: the accelerator still runs a stream that was given up: wait, or program "
                                      "the FPGA anew (program_fpga), which resets it";
        model_board m;
        user u, next;
        uint8_t wait[VTA_INSN_BYTES];
        model_start(&m, boards[b]);
        volatile uint32_t *r = map_registers(&m);
        strcat(m.settings, " run_seconds=1 wait_seconds=0");
        must(take(&u, boards[b], m.settings));
        vta_insn finish = sp_finish();
        finish.pop_prev_dep = 1; /* a token that nobody gives */
        must(vta_insn_encode(u.config, &finish, diag, wait));
        must(vta_device_write(u.device, u.insns, wait, sizeof wait, diag));
        refused(vta_device_run(u.device, u.insns, 1, 1u << 31, diag), VTA_TIMEOUT,
                "no FINISH within 1 seconds (board setting run_seconds)");
        says(vta_device_run(u.device, u.insns, 1, 1u << 31, diag), VTA_TIMEOUT, refusal);
        leave(&u);
        for (int again = 0; again < 3; again++) {
            says(take(&next, boards[b], m.settings), VTA_TIMEOUT, refusal);
            leave(&next);
        }
        vta_status status = VTA_TIMEOUT;
        for (int n = 0; n < 8 && status == VTA_TIMEOUT; n++) {
            if (n) leave(&next);
            vta_diag_clear(diag);
            for (int i = 0; i < VT_MAX_BLOCKS * VT_BLOCK_BYTES / 4; i++) r[i] = 0;
            usleep(20000u << n); /* the model looks every millisecond; on a slow machine it may not have seen it */
            must(take(&next, boards[b], m.settings));
            uint32_t count = write_program(&next, 1, 9);
            status = vta_device_run(next.device, next.insns, count, 0, diag);
        }
        must(status);
        check_result(&next, boards[b], 0, 9);
        leave(&next);
        munmap((void *)r, VT_MAX_BLOCKS * VT_BLOCK_BYTES);
        model_stop(&m);
    }
}

/* Settings that are not seconds. */
TEST_CASE(seconds) {
    static const char *const wrong[] = {"run_seconds=x", "run_seconds=-1", "wait_seconds=1.5", "wait_seconds=86401"};
    model_board m;
    model_start(&m, "pynq");
    for (int i = 0; i < 4; i++) {
        char settings[128];
        user u;
        snprintf(settings, sizeof settings, "%s %s", m.settings, wrong[i]);
        refused(take(&u, "pynq", settings), VTA_INVALID_ARGUMENT, wrong[i]);
        leave(&u);
    }
    model_stop(&m);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
