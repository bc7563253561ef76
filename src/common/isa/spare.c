#include "isa/spare.h"

#include "isa/fields.h"

const char *const vt_spare_names[2] = {"spare_0", "spare_1"};

unsigned vt_spare_begin(const vta_config *config, unsigned opcode, unsigned word) {
    unsigned count, bits = 0;
    const vt_field *fields = vt_common_fields(&count);
    for (unsigned i = 0; i < count; i++)
        if (fields[i].word == word) bits += vt_field_bits(config, &fields[i]);
    fields = vt_opcode_fields(opcode, &count);
    for (unsigned i = 0; i < count; i++)
        if (fields[i].word == word) bits += vt_field_bits(config, &fields[i]);
    return bits;
}

uint64_t vt_spare_get(const vta_config *config, const uint8_t bytes[VTA_INSN_BYTES], unsigned word) {
    unsigned begin = vt_spare_begin(config, bytes[0] & 7u, word);
    return begin < 64 ? vt_load_le64(bytes + 8 * word) >> begin : 0;
}

bool vt_spare_put(const vta_config *config, uint8_t bytes[VTA_INSN_BYTES], unsigned word, uint64_t value) {
    unsigned begin = vt_spare_begin(config, bytes[0] & 7u, word);
    if (begin >= 64 ? value != 0 : value << begin >> begin != value) return false;
    if (begin < 64) vt_store_le64(bytes + 8 * word, vt_load_le64(bytes + 8 * word) | value << begin);
    return true;
}
