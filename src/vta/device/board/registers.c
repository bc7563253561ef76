#include "device/board/registers.h"

static uint32_t get(const vt_registers *r, uint32_t offset) { return r->get(r->user, offset); }
static void set(const vt_registers *r, uint32_t offset, uint32_t value) { r->set(r->user, offset, value); }

/* ---- One block --------------------------------------------------------------------------------------------------- */

static void start_one(const vt_registers *r, uint32_t insn_addr, uint32_t count) {
    set(r, VT_COUNT, count);
    set(r, VT_ADDRESS, insn_addr);
    for (uint32_t i = 0; i < VT_BASE_COUNT; i++) set(r, VT_BASES + 4 * i, 0);
    set(r, VT_CONTROL, VT_CONTROL_LAUNCH); /* clears the bit of the last run's end */
}

static bool one_finished(const vt_registers *r) { return !(get(r, VT_CONTROL) & VT_CONTROL_LAUNCH); }

static bool one_running(const vt_registers *r) { return !one_finished(r); }
static void nothing(const vt_registers *r) { (void)r; }
static uint32_t one_cycles(const vt_registers *r) { return get(r, VT_CYCLES); }

const vt_register_map vt_one_block = {1, start_one, one_finished, nothing, one_running, one_cycles};

/* ---- Four blocks ------------------------------------------------------------------------------------------------- */

/* fetch begins last: a process that dies before that leaves no instruction in the queues of the others. Its count is
 * written just before, and is 0 between runs (four_running). */
static void start_four(const vt_registers *r, uint32_t insn_addr, uint32_t count) {
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

/* The done register may still be the last run's while fetch has not begun: its start bit falls when it has read all. */
static bool four_finished(const vt_registers *r) {
    return !(get(r, VT_FETCH) & VT_START) && (get(r, VT_COMPUTE + VT_COMPUTE_DONE) & 1);
}

static void four_done(const vt_registers *r) { set(r, VT_FETCH + VT_FETCH_COUNT, 0); }

/* The done register is the last run's until compute begins. A count without an end is a run that goes on, or one whose
 * process died as it began it. Hardware that was just programmed has zeros. */
static bool four_running(const vt_registers *r) {
    if (get(r, VT_FETCH) & VT_START) return true;
    return get(r, VT_FETCH + VT_FETCH_COUNT) && !(get(r, VT_COMPUTE + VT_COMPUTE_DONE) & 1);
}

static uint32_t not_counted(const vt_registers *r) {
    (void)r;
    return 0;
}

const vt_register_map vt_four_blocks = {4, start_four, four_finished, four_done, four_running, not_counted};
