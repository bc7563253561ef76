/* A user of a board: memory at four addresses, and programs whose results are known. */
#ifndef TESTS_DEVICE_BOARD_USER_H
#define TESTS_DEVICE_BOARD_USER_H

#include "device/small_program.h"
#include "support/diag.h"

enum { TILES = 16, LANES = 16, NOTHING = 40 };

typedef struct user {
    vta_config *config;
    vta_device *device;
    uint32_t insns, uops, data, out; /* addresses: the same for every first user */
} user;

static inline vta_status take(user *u, const char *board, const char *settings) {
    *u = (user){.config = vta_config_default()};
    const vta_device_options options = {.board = settings};
    vta_status status = vta_device_create(board, u->config, &options, NULL, diag, &u->device);
    uint32_t *const places[] = {&u->out, &u->insns, &u->uops, &u->data};
    for (int i = 0; i < 4 && status == VTA_OK; i++) status = vta_device_alloc(u->device, 4096, diag, places[i]);
    return status;
}

static inline void leave(user *u) {
    vta_device_destroy(u->device);
    vta_config_release(u->config);
}

/* out = data + 7 (sp_add7), with some instructions in between that add nothing in `passes` passes. Compute `waits`: its
 * first instruction takes a token of a load. */
static inline uint32_t write_stream(const user *u, uint16_t passes, int32_t value, bool waits) {
    vta_insn all[9 + NOTHING], *insns = all + 1, *end = insns + 2 + NOTHING;
    int32_t data[TILES * LANES];
    uint32_t count = sp_add7(insns) + NOTHING, uop = 0;
    memmove(end, insns + 2, (count - NOTHING - 2) * sizeof *insns);
    all[0] = sp_load(VTA_MEM_INP, 0, u->data / 16, 1, 1);
    all[0].push_next_dep = insns[0].pop_prev_dep = waits;
    for (int i = 2; i < 2 + NOTHING; i++) {
        insns[i] = sp_alu(VTA_ALU_ADD, 0, TILES);
        insns[i].u.exec.iter_out = passes;
    }
    insns[0].u.mem.dram_base = u->uops / 4;
    insns[1].u.mem.dram_base = u->data / 64;
    end[1].u.mem.dram_base = u->out / 16;
    insns[1].u.mem.x_size = end[1].u.mem.x_size = end[0].u.exec.iter_in = TILES;
    for (int i = 0; i < TILES * LANES; i++) data[i] = value + i % 32;
    must(vta_device_write(u->device, u->uops, &uop, sizeof uop, diag));
    must(vta_device_write(u->device, u->data, data, sizeof data, diag));
    count += waits;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        must(vta_insn_encode(u->config, &(waits ? all : insns)[i], diag, bytes));
        must(vta_device_write(u->device, u->insns + i * VTA_INSN_BYTES, bytes, sizeof bytes, diag));
    }
    return count;
}

static inline uint32_t write_program(const user *u, uint16_t passes, int32_t value) {
    return write_stream(u, passes, value, false);
}

static inline void check_result(const user *u, const char *board, int seed, int32_t value) {
    int8_t got[TILES * LANES];
    must(vta_device_read(u->device, u->out, got, sizeof got, diag));
    for (int i = 0; i < TILES * LANES; i++)
        if (got[i] != value + i % 32 + 7)
            fail_msg("%s, try %d: element %d is %d, not %d", board, seed, i, got[i], value + i % 32 + 7);
}

#endif
