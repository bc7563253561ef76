/* From elements as they stand in DRAM to the layout of the kernels (fast.h). */
#include "config/config_priv.h"
#include "device/sim/fast.h"

static const uint32_t BIAS = 0x80808080; /* four bytes plus 128 */

/* G neighbouring scalars in one word, the first lowest. */
static int32_t join(const uint8_t *from, size_t first, uint32_t width, uint32_t group) {
    uint32_t bits = 32 / group, word = 0;
    for (uint32_t g = 0; g < group; g++) {
        uint32_t scalar = (uint32_t)vt_unpack(from, first + g, width);
        word |= (bits == 32 ? scalar : scalar & ((1u << bits) - 1)) << (g * bits & 31);
    }
    return (int32_t)word;
}

void vt__fast_pack_inp(vt_machine *machine, uint32_t first, uint32_t count) {
    const vta_config *c = machine->config;
    const vt_fast *f = machine->engine_state;
    const uint8_t *from = machine->inp + (size_t)first * c->elem_bytes[VTA_MEM_INP];
    int32_t *to = f->inp + (size_t)first * f->inp_words;
    size_t scalars = (size_t)count * c->batch * c->block_in;
    uint32_t bias = f->kernels->sum_corrections ? BIAS : 0;
    if (f->bytes && c->width[VTA_MEM_INP] == 8 && f->cpu->pack_inp8) {
        f->cpu->pack_inp8(from, scalars, to);
        return;
    }
    for (size_t i = 0; i < scalars; i += f->group)
        *to++ = join(from, i, c->width[VTA_MEM_INP], f->group) ^ (int32_t)bias;
}

/* -128 times the sum of a channel's weights. */
static int32_t correction(const vta_config *c, const uint8_t *from, uint32_t channel) {
    int32_t sum = 0;
    for (uint32_t i = 0; i < c->block_in; i++)
        sum += vt_unpack(from, (size_t)channel * c->block_in + i, c->width[VTA_MEM_WGT]);
    return -128 * sum;
}

static void pack_weights(const vt_fast *f, const vta_config *c, const uint8_t *from, int32_t *to) {
    for (uint32_t o = 0; o < c->block_out; o++) {
        int32_t *tile = to + (size_t)(o / f->channels) * f->tile_words + o % f->channels;
        for (uint32_t w = 0; w < f->words; w++)
            tile[(size_t)w * f->channels] =
                join(from, (size_t)o * c->block_in + (size_t)w * f->group, c->width[VTA_MEM_WGT], f->group);
        if (f->kernels->sum_corrections) tile[(size_t)f->words * f->channels] = correction(c, from, o);
    }
}

void vt__fast_pack_wgt(vt_machine *machine, uint32_t first, uint32_t count) {
    const vta_config *c = machine->config;
    vt_fast *f = machine->engine_state;
    f->wgt_loads++;
    bool bytes = f->bytes && c->width[VTA_MEM_WGT] == 8 && f->cpu->pack_wgt8;
    const uint8_t *from = machine->wgt + (size_t)first * c->elem_bytes[VTA_MEM_WGT];
    int32_t *to = f->wgt + (size_t)first * f->wgt_words;
    if (bytes && f->cpu->pack_wgt8(from, count, c->block_in, c->block_out, to)) return;
    for (uint32_t e = 0; e < count; e++, from += c->elem_bytes[VTA_MEM_WGT], to += f->wgt_words)
        pack_weights(f, c, from, to);
}
