#include "device/tsim/bursts.h"

#include "config/config_priv.h"
#include "isa/codec.h"

void vt_bursts_of_row(vt_bursts *bursts, const vta_timing_profile *profile, uint64_t addr, uint64_t bytes) {
    *bursts = (vt_bursts){.row_byte = addr,
                          .row_bytes = bytes,
                          .rows = bytes ? 1 : 0,
                          .line_bits = (uint32_t)__builtin_ctz(profile->bus_bits / 8),
                          .longest = 1u << profile->len_bits};
}

void vt_bursts_of_load(vt_bursts *bursts, const vta_config *config, const vta_timing_profile *profile,
                       const vta_insn *insn) {
    uint64_t elem = config->elem_bytes[insn->u.mem.memory_type];
    vt_bursts_of_row(bursts, profile, insn->u.mem.dram_base * elem, insn->u.mem.x_size * elem);
    bursts->rows = insn->u.mem.y_size;
    bursts->row_stride = insn->u.mem.x_stride * elem;
}

uint32_t vt_bursts_next(vt_bursts *bursts) {
    if (bursts->line == bursts->line_end) {
        if (bursts->rows == 0) return 0;
        bursts->rows--;
        bursts->line = bursts->row_byte >> bursts->line_bits;
        bursts->line_end = ((bursts->row_byte + bursts->row_bytes - 1) >> bursts->line_bits) + 1;
        bursts->row_byte += bursts->row_stride;
    }
    uint64_t room = bursts->longest - (bursts->line & (bursts->longest - 1));
    uint64_t left = bursts->line_end - bursts->line;
    uint32_t beats = (uint32_t)(left < room ? left : room);
    bursts->line += beats;
    return beats;
}

uint64_t vt_load_padding(const vta_insn *insn) {
    uint64_t pads = insn->u.mem.x_pad_0 + insn->u.mem.x_pad_1;
    uint64_t width = pads + insn->u.mem.x_size;
    return (uint64_t)(insn->u.mem.y_pad_0 + insn->u.mem.y_pad_1) * width + insn->u.mem.y_size * pads;
}

int vt_load_narrow(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insn) {
    return config->elem_bytes[insn->u.mem.memory_type] > profile->bus_bits / 8;
}

uint64_t vt_memory_bytes(const vta_config *config, const vta_insn *insn) {
    return (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size * vt_insn_elem_bytes(config, insn);
}

/* A row of tiles that each take several beats: bursts of at most `most` tiles. */
static uint64_t narrow_row(const vta_timing_profile *profile, uint64_t tiles, uint64_t beats_per_tile) {
    uint64_t most = (1u << profile->len_bits) / beats_per_tile;
    if (most == 0) most = 1;
    uint64_t bursts = (tiles + most - 1) / most;
    return tiles * (beats_per_tile + 1) + bursts * profile->store_narrow_fill;
}

uint64_t vt_store_cost(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insn) {
    uint64_t elem = config->elem_bytes[insn->u.mem.memory_type], bus = profile->bus_bits / 8;
    uint64_t rows = insn->u.mem.y_size, tiles = insn->u.mem.x_size;
    if (elem > bus) return profile->store_start + rows * narrow_row(profile, tiles, elem / bus);
    uint64_t cost = profile->store_start, longest = 1u << profile->len_bits;
    for (uint64_t y = 0; y < rows; y++) {
        uint64_t first = (insn->u.mem.dram_base + y * insn->u.mem.x_stride) * elem;
        uint64_t beats = (first + tiles * elem - 1) / bus - first / bus + 1;
        cost += beats + (beats + longest - 1) / longest * profile->store_wide_fill;
    }
    return cost;
}
