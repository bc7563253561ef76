/* From elements as they stand in DRAM to the layout of the kernels (fast.h). */
#include "config/config_priv.h"
#include "device/sim/fast.h"

/* G neighbouring scalars in one word, the first lowest. */
static int32_t join(const uint8_t *from, size_t first, uint32_t width, uint32_t group) {
    uint32_t bits = 32 / group, word = 0;
    for (uint32_t g = 0; g < group; g++) {
        uint32_t scalar = (uint32_t)vt_unpack(from, first + g, width);
        word |= (bits == 32 ? scalar : scalar & ((1u << bits) - 1)) << (g * bits & 31);
    }
    return (int32_t)word;
}

static void pack_row(const vt_fast *f, const uint8_t *from, size_t first, uint32_t block_in, uint32_t width,
                     int32_t *to) {
    int32_t sum = 0;
    for (uint32_t w = 0; w < f->words; w++) to[w] = join(from, first + (size_t)w * f->group, width, f->group);
    if (f->group != 4) return;
    for (uint32_t i = 0; i < block_in; i++) sum += vt_unpack(from, first + i, width);
    to[f->words] = -128 * sum;
}

void vt__fast_pack_inp(vt_machine *machine, uint32_t first, uint32_t count) {
    const vta_config *c = machine->config;
    vt_fast *f = machine->engine_state;
    const uint8_t *from = machine->inp + (size_t)first * c->elem_bytes[VTA_MEM_INP];
    int32_t *to = f->inp + (size_t)first * f->inp_words;
    if (f->bytes && c->width[VTA_MEM_INP] == 8 && f->cpu->pack_inp8) {
        f->cpu->pack_inp8(from, c->block_in, count * c->batch, to);
        return;
    }
    for (size_t row = 0; row < (size_t)count * c->batch; row++)
        pack_row(f, from, row * c->block_in, c->block_in, c->width[VTA_MEM_INP], to + row * f->row_words);
}

static void pack_weights(const vt_fast *f, const vta_config *c, const uint8_t *from, int32_t *to) {
    for (uint32_t o = 0; o < c->block_out; o++) {
        int32_t *tile = to + (size_t)(o / f->channels) * f->words * f->channels + o % f->channels;
        for (uint32_t w = 0; w < f->words; w++) {
            int32_t word = join(from, (size_t)o * c->block_in + (size_t)w * f->group, c->width[VTA_MEM_WGT], f->group);
            tile[(size_t)w * f->channels] = f->group == 4 ? word ^ (int32_t)0x80808080 : word;
        }
    }
}

void vt__fast_pack_wgt(vt_machine *machine, uint32_t first, uint32_t count) {
    const vta_config *c = machine->config;
    vt_fast *f = machine->engine_state;
    bool bytes = f->bytes && c->width[VTA_MEM_WGT] == 8 && f->cpu->pack_wgt8;
    for (uint32_t e = first; e < first + count; e++) {
        const uint8_t *from = machine->wgt + (size_t)e * c->elem_bytes[VTA_MEM_WGT];
        int32_t *to = f->wgt + (size_t)e * f->wgt_words;
        if (!bytes || !f->cpu->pack_wgt8(from, c->block_in, c->block_out, to)) pack_weights(f, c, from, to);
    }
}
