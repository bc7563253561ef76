/* Bits of an instruction that belong to no field: the machine ignores them, but recorded streams carry leftovers
 * there, and text must round trip. */
#ifndef VT_ISA_SPARE_H
#define VT_ISA_SPARE_H

#include <stdbool.h>

#include "config/config_priv.h"
#include "vta/isa.h"

/* Their names in text, by 64-bit word. */
extern const char *const vt_spare_names[2];

/* The first spare bit of a word of the instruction with this (existing) opcode; 64: none. */
unsigned vt_spare_begin(const vta_config *config, unsigned opcode, unsigned word);
/* The spare bits of one word of an instruction whose opcode exists. */
uint64_t vt_spare_get(const vta_config *config, const uint8_t bytes[VTA_INSN_BYTES], unsigned word);
/* Writes them; false when the value needs more bits than there are. */
bool vt_spare_put(const vta_config *config, uint8_t bytes[VTA_INSN_BYTES], unsigned word, uint64_t value);

#endif
