#include "device/board/registers.h"

#include <stddef.h>

static uint32_t get(const vt_registers *r, uint32_t offset) { return r->get(r->user, offset); }
static void set(const vt_registers *r, uint32_t offset, uint32_t value) { r->set(r->user, offset, value); }

/* ---- One block --------------------------------------------------------------------------------------------------- */

static const char *never_refuses(const vt_registers *r) {
    (void)r;
    return NULL;
}

static void start_one(const vt_registers *r, uint32_t insn_addr, uint32_t count, vt_run_seen *seen) {
    *seen = (vt_run_seen){0};
    set(r, VT_COUNT, count);
    set(r, VT_ADDRESS, insn_addr);
    for (uint32_t i = 0; i < VT_BASE_COUNT; i++) set(r, VT_BASES + 4 * i, 0);
    set(r, VT_CONTROL, VT_CONTROL_LAUNCH); /* clears the bit of the last run's end */
}

static bool one_finished(const vt_registers *r, vt_run_seen *seen) {
    (void)seen;
    return !(get(r, VT_CONTROL) & VT_CONTROL_LAUNCH);
}

static bool one_started(const vt_registers *r) { return get(r, VT_CONTROL) & VT_CONTROL_LAUNCH; }
static bool one_running(const vt_registers *r, vt_run_seen *seen) { return !one_finished(r, seen); }
static void nothing(const vt_registers *r) { (void)r; }
static uint32_t one_cycles(const vt_registers *r) { return get(r, VT_CYCLES); }

const vt_register_map vt_one_block = {1,       never_refuses, nothing,     start_one, one_finished,
                                      nothing, one_started,   one_running, one_cycles};

/* ---- Four blocks ------------------------------------------------------------------------------------------------- */

/* A fetch block that restarts by itself runs its stream again and again. The other blocks do so in every run. */
static const char *four_refuses(const vt_registers *r) {
    if (!(get(r, VT_FETCH) & VT_RESTARTS)) return NULL;
    return "the fetch block restarts by itself (bit 7 of its control register is set), so that its stream would run "
           "again and again: program the FPGA anew (program_fpga), which clears that";
}

/* With the bit alone fetch has not restarted: its start bit would be set again as soon as a stream was read. Then the
 * bit is what somebody left, and is cleared. Once fetch goes round, any number of streams may wait in the queues behind
 * it, each with a FINISH, and no register tells the last one: that stays for `refuses`. */
static void four_settle(const vt_registers *r) {
    if ((get(r, VT_FETCH) & VT_AUTO_RESTART) == VT_RESTARTS) set(r, VT_FETCH, 0);
}

/* fetch begins last: a process that dies before that leaves no instruction in the queues of the others. Its count is
 * written just before, and is 0 between runs (four_running). What the last run wrote to the done register is looked at
 * here, so that it is not taken for this one's. */
static void start_four(const vt_registers *r, uint32_t insn_addr, uint32_t count, vt_run_seen *seen) {
    get(r, VT_COMPUTE + VT_COMPUTE_DONE_VALID);
    set(r, VT_COMPUTE + VT_COMPUTE_DONE_VALID, 0); /* for a model: hardware cleared it when it was read */
    *seen = (vt_run_seen){.done_is_new = !(get(r, VT_COMPUTE + VT_COMPUTE_DONE) & 1)};
    set(r, VT_FETCH + VT_FETCH_ADDRESS, insn_addr);
    set(r, VT_LOAD + VT_LOAD_INP, 0);
    set(r, VT_LOAD + VT_LOAD_WGT, 0);
    set(r, VT_COMPUTE + VT_COMPUTE_UOP, 0);
    set(r, VT_COMPUTE + VT_COMPUTE_ACC, 0);
    set(r, VT_COMPUTE + VT_COMPUTE_SET_DONE, 0);
    set(r, VT_STORE + VT_STORE_OUT, 0);
    set(r, VT_LOAD, VT_AUTO_RESTART);
    set(r, VT_COMPUTE, VT_AUTO_RESTART);
    set(r, VT_STORE, VT_AUTO_RESTART);
    set(r, VT_FETCH + VT_FETCH_COUNT, count);
    set(r, VT_FETCH, VT_START);
}

/* Compute writes the done register with its first instruction, after the tokens that this one waits for: fetch may have
 * read the whole stream long before, and the register still says what the last run's FINISH wrote. A 0 in it, or its
 * valid bit, tell that it has been written since. The order of reading counts. */
static bool is_done(const vt_registers *r, vt_run_seen *seen) {
    if (!seen->done_is_new) seen->done_is_new = get(r, VT_COMPUTE + VT_COMPUTE_DONE_VALID) & 1;
    bool done = get(r, VT_COMPUTE + VT_COMPUTE_DONE) & 1;
    seen->done_is_new |= !done;
    return done && seen->done_is_new;
}

static bool four_finished(const vt_registers *r, vt_run_seen *seen) {
    return !(get(r, VT_FETCH) & VT_START) && is_done(r, seen);
}

static void four_done(const vt_registers *r) { set(r, VT_FETCH + VT_FETCH_COUNT, 0); }

/* A count without an end is a run that goes on, or one whose process died as it began it. Hardware that was just
 * programmed has zeros. */
static bool four_started(const vt_registers *r) {
    return (get(r, VT_FETCH) & VT_START) || get(r, VT_FETCH + VT_FETCH_COUNT);
}

static bool four_running(const vt_registers *r, vt_run_seen *seen) {
    if (get(r, VT_FETCH) & VT_START) return true;
    return four_started(r) && !is_done(r, seen);
}

static uint32_t not_counted(const vt_registers *r) {
    (void)r;
    return 0;
}

const vt_register_map vt_four_blocks = {4,         four_refuses, four_settle,  start_four, four_finished,
                                        four_done, four_started, four_running, not_counted};
