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

void vt_padding_begin(vt_padding *padding, const vta_insn *insn, uint64_t at) {
    uint64_t sides = insn->u.mem.x_pad_0 + insn->u.mem.x_pad_1, below = insn->u.mem.y_pad_1 * insn->u.mem.x_size;
    *padding = (vt_padding){.at = at, .tiles = {vt_load_padding(insn)}};
    if (sides || below == 0) return;
    padding->tiles[0] -= below;
    padding->tiles[1] = below;
    padding->pause = insn->u.mem.y_size;
    if (padding->tiles[0] == 0) padding->at += padding->pause;
}

/* Writes tiles up to cycle `until`. */
static void pad(vt_padding *p, uint64_t until) {
    for (int part = 0; part < 2; part++) {
        uint64_t room = until > p->at ? until - p->at : 0, tiles = p->tiles[part] < room ? p->tiles[part] : room;
        p->tiles[part] -= tiles;
        p->at += tiles;
        if (p->tiles[part]) return;
        if (part == 0 && tiles) p->at += p->pause;
    }
}

void vt_padding_data(vt_padding *padding, uint64_t first, uint64_t last) {
    if (!vt_padding_left(padding)) return;
    pad(padding, first);
    if (padding->at <= last) padding->at = last + 1;
}

uint64_t vt_padding_end(vt_padding *padding) {
    if (!vt_padding_left(padding)) return 0;
    pad(padding, UINT64_MAX);
    return padding->at - 1;
}

int vt_load_narrow(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insn) {
    return config->elem_bytes[insn->u.mem.memory_type] > profile->bus_bits / 8;
}

uint64_t vt_memory_bytes(const vta_config *config, const vta_insn *insn) {
    return (uint64_t)insn->u.mem.y_size * insn->u.mem.x_size * vt_insn_elem_bytes(config, insn);
}

/* The bursts that a row of tiles takes, `most` tiles up to each boundary, the first tile being number `first`. */
static uint64_t bursts_of_tiles(uint64_t first, uint64_t tiles, uint64_t most) {
    return (first % most + tiles + most - 1) / most;
}

uint64_t vt_store_cost(const vta_config *config, const vta_timing_profile *profile, const vta_insn *insn) {
    uint64_t elem = config->elem_bytes[insn->u.mem.memory_type], bus = profile->bus_bits / 8;
    uint64_t longest = 1u << profile->len_bits, cost = profile->store_start, tiles = insn->u.mem.x_size;
    uint64_t most = longest > elem / bus ? longest * bus / elem : 1; /* narrow: tiles of the longest burst */
    for (uint64_t y = 0; y < insn->u.mem.y_size; y++) {
        uint64_t first = insn->u.mem.dram_base + y * insn->u.mem.x_stride;
        if (elem > bus) {
            cost += tiles * (elem / bus + 1) + bursts_of_tiles(first, tiles, most) * profile->store_narrow_fill;
        } else {
            uint64_t line = first * elem / bus, beats = ((first + tiles) * elem - 1) / bus - line + 1;
            cost += beats + bursts_of_tiles(line, beats, longest) * profile->store_wide_fill;
        }
    }
    return cost;
}
