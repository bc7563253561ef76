/* Four blocks, whose done register says what the last run wrote until compute begins: the end of a run is seen when it
 * is there, never before, whatever the times between fetch, compute and whoever looks, and whoever looks. */
#include "device/board/registers.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "device/board_user.h"
#include "device/model_board.h"
#include "support/check.h"

/* ---- Accesses, one unit of time each ------------------------------------------------------------------------------
 */

/* Hardware that was written from what HLS makes of such a design: nothing of the driver. */
typedef struct hardware {
    uint32_t now, fetch_ends, compute_begins, compute_ends; /* times */
    bool has_run, first_is_last;                            /* of a stream: compute has the FINISH only */
    uint32_t count, done, valid;
} hardware;

/* What happened by now, in its order. */
static void pass(hardware *h) {
    h->now++;
    if (!h->has_run) return;
    if (h->now == h->compute_begins && !h->first_is_last) h->done = 0, h->valid = 1;
    if (h->now == h->compute_ends) h->done = 1, h->valid = 1;
}

static uint32_t get(void *ctx, uint32_t offset) {
    hardware *h = ctx;
    uint32_t valid = h->valid;
    pass(h);
    switch (offset) {
    case VT_FETCH: return h->has_run && h->now < h->fetch_ends ? 0x01 : 0x06;
    case VT_FETCH + VT_FETCH_COUNT: return h->count;
    case VT_COMPUTE + VT_COMPUTE_DONE: return h->done;
    case VT_COMPUTE + VT_COMPUTE_DONE_VALID: h->valid = h->valid && !valid; return valid; /* a write at once stays */
    default: return 0;
    }
}

static void set(void *ctx, uint32_t offset, uint32_t value) {
    hardware *h = ctx;
    pass(h);
    if (offset == VT_FETCH + VT_FETCH_COUNT) h->count = value;
    if (offset != VT_FETCH || value != VT_START) return; /* valid and done cannot be written */
    h->has_run = true;
    h->fetch_ends += h->now, h->compute_begins += h->now, h->compute_ends += h->now;
}

typedef struct times {
    uint32_t fetch, begins, lasts;
} times;

/* A run whose compute begins after fetch has ended, or before; fetch ends before FINISH does. */
static void one_run(bool had_run, bool first_is_last, times t, bool other_looks, uint32_t dies_after) {
    hardware h = {.first_is_last = first_is_last, .done = had_run, .valid = had_run};
    h.fetch_ends = t.fetch, h.compute_begins = t.begins;
    h.compute_ends = t.begins + t.lasts > t.fetch ? t.begins + t.lasts : t.fetch + 1;
    const vt_registers r = {get, set, &h};
    vt_run_seen seen, its = {0};
    vt_four_blocks.start(&r, 0x1000, 9, &seen);
    const uint32_t end = h.compute_ends;
    bool over = false;
    for (uint32_t looks = 0; !over && h.now < end + 12; looks++) {
        bool other = other_looks && looks >= dies_after; /* who began it has died, and another one looks */
        over = other ? !vt_four_blocks.running(&r, &its) : vt_four_blocks.finished(&r, &seen);
        if (over && h.now < end)
            fail_msg("a run of %u, %u, %u (fetch, compute begins, lasts) is over at %u, not at %u", t.fetch, t.begins,
                     t.lasts, h.now, end);
    }
    if (!over && !other_looks) fail_msg("a run of %u, %u, %u is not seen to be over", t.fetch, t.begins, t.lasts);
    if (over) vt_four_blocks.done(&r), assert_int_equal(h.count, 0);
}

TEST_CASE(any_times) {
    enum { MAX = 14 };
    for (uint32_t i = 0; i < 4 * MAX * MAX * MAX; i++) {
        const uint32_t k = i / 4;
        const times t = {1 + k % MAX, 1 + k / MAX % MAX, 1 + k / MAX / MAX};
        one_run(i % 2, i / 2 % 2, t, false, 0);
        for (uint32_t dies = 0; dies < 4; dies++) one_run(i % 2, i / 2 % 2, t, true, dies);
    }
}

/* Whoever comes when a dead process's run is over has the accelerator. */
TEST_CASE(left_and_over) {
    hardware h = {.count = 9, .done = 1, .valid = 1};
    const vt_registers r = {get, set, &h};
    vt_run_seen seen = {0};
    assert_true(vt_four_blocks.started(&r));
    assert_false(vt_four_blocks.running(&r, &seen));
    h = (hardware){.count = 9, .done = 1}; /* written before that run began: in doubt it runs */
    seen = (vt_run_seen){0};
    for (int i = 0; i < 5; i++) assert_true(vt_four_blocks.running(&r, &seen));
    h.count = 0;
    assert_false(vt_four_blocks.started(&r));
}

/* ---- A fetch block that restarts by itself ------------------------------------------------------------------------
 */

static uint32_t control;

static uint32_t get_control(void *ctx, uint32_t offset) {
    (void)ctx;
    return offset == VT_FETCH ? control : VT_AUTO_RESTART; /* the other blocks do so in every run */
}

static void set_nothing(void *ctx, uint32_t offset, uint32_t value) {
    (void)ctx;
    fail_msg("0x%x is written at 0x%x", value, offset);
}

TEST_CASE(restarting) {
    const vt_registers r = {get_control, set_nothing, NULL};
    for (control = 0; control < 0x100; control++) {
        const char *why = vt_four_blocks.refuses(&r);
        assert_int_equal(why != NULL, control >= 0x80);
        if (why) assert_contains(why, "bit 7 of its control register");
        assert_null(vt_one_block.refuses(&r));
    }
}

static uint32_t written;

static void set_control(void *ctx, uint32_t offset, uint32_t value) {
    (void)ctx;
    assert_int_equal(offset, VT_FETCH);
    control = value, written++;
}

TEST_CASE(settled) {
    const vt_registers r = {get_control, set_control, NULL};
    for (uint32_t before = 0; before < 0x100; before++) {
        bool left = before >= 0x80 && !(before & VT_START);
        control = before, written = 0;
        vt_one_block.settle(&r);
        assert_int_equal(written, 0);
        vt_four_blocks.settle(&r);
        assert_int_equal(written, left);
        assert_int_equal(control, left ? 0 : before);
    }
}

/* A register of the model, as somebody else's program leaves or finds it. */
static uint32_t *open_registers(const model_board *m) {
    char path[128];
    snprintf(path, sizeof path, "%s/registers", m->folder);
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    void *p = mmap(NULL, VT_MAX_BLOCKS * VT_BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(p != MAP_FAILED);
    close(fd);
    return p;
}

static void close_registers(uint32_t *registers) { munmap(registers, VT_MAX_BLOCKS * VT_BLOCK_BYTES); }

/* Left with the bit on after a run: who asks, or takes the board, clears it. */
TEST_CASE(cleared_on_a_board) {
    model_board m;
    user u;
    model_start(&m, "pynq");
    const vta_device_options options = {.board = m.settings};
    vta_config *config = vta_config_default();
    volatile uint32_t *registers = open_registers(&m);
    registers[VT_FETCH / 4] = 0x86;
    must(vta_device_idle("pynq", config, &options, diag));
    assert_int_equal(registers[VT_FETCH / 4], 0);
    for (int run = 0; run < 8; run++) {
        registers[VT_FETCH / 4] = 0x86;
        must(take(&u, "pynq", m.settings));
        assert_int_equal(registers[VT_FETCH / 4], 0);
        must(vta_device_run(u.device, u.insns, write_stream(&u, 3, run, run % 2), 0, diag));
        check_result(&u, "pynq", run, run);
        leave(&u);
    }
    vta_config_release(config);
    close_registers((uint32_t *)registers);
    model_stop(&m);
}

/* A board that runs its last stream again and again, and which nobody can tell the end of. */
TEST_CASE(goes_round_on_a_board) {
    model_board m;
    user u;
    model_start(&m, "pynq");
    volatile uint32_t *registers = open_registers(&m), *done = registers + VT_COMPUTE_DONE_VALID / 4 + VT_COMPUTE / 4;
    must(take(&u, "pynq", m.settings));
    uint32_t count = write_stream(&u, 1, 5, false);
    must(vta_device_run(u.device, u.insns, count, 0, diag));
    leave(&u);
    registers[(VT_FETCH + VT_FETCH_COUNT) / 4] = count;
    registers[VT_FETCH / 4] = VT_AUTO_RESTART;
    for (int round = 0; round < 3; round++)
        for (*done = 0; !*done;) usleep(100);
    refused(take(&u, "pynq", m.settings), VTA_UNSUPPORTED, "the fetch block restarts by itself");
    leave(&u);
    assert_int_equal(registers[VT_FETCH / 4], VT_AUTO_RESTART);
    close_registers((uint32_t *)registers);
    model_stop(&m);
}

TEST_CASE(refused_on_a_board) {
    model_board m;
    user u;
    model_start(&m, "pynq");
    uint32_t *registers = open_registers(&m);
    registers[VT_FETCH / 4] = 0x87;
    close_registers(registers);
    const vta_device_options options = {.board = m.settings};
    vta_config *config = vta_config_default();
    refused(vta_device_idle("pynq", config, &options, diag), VTA_UNSUPPORTED, "the fetch block restarts by itself");
    vta_config_release(config);
    refused(take(&u, "pynq", m.settings), VTA_UNSUPPORTED, "the fetch block restarts by itself");
    leave(&u);
    model_stop(&m);
}

/* ---- On the model -------------------------------------------------------------------------------------------------
 */

/* Streams whose compute waits for a load, and others, one after the other: each result is its own run's. */
TEST_CASE(on_the_model) {
    static const char *const boards[] = {"pynq", "zcu104", "de10nano"};
    for (int b = 0; b < 3; b++) {
        model_board m;
        user u;
        model_start(&m, boards[b]);
        must(take(&u, boards[b], m.settings));
        for (int run = 0; run < 24; run++) {
            uint32_t count = write_stream(&u, run % 5 ? 1 : 900, run, run % 3 > 0);
            must(vta_device_run(u.device, u.insns, count, 0, diag));
            check_result(&u, boards[b], run, run);
        }
        leave(&u);
        model_stop(&m);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
