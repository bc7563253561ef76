#include "config/config_priv.h"
#include "device/core/reference.h"

void vt_reference_narrow(vt_machine *machine, const int32_t *from, size_t count, uint8_t *to) {
    uint32_t width = machine->config->width[VTA_MEM_OUT];
    if (width == 4) { /* two a byte, the first in the low half; an element is always whole bytes */
        for (size_t i = 0; i < count; i += 2) to[i / 2] = (uint8_t)((from[i] & 15) | (from[i + 1] & 15) << 4);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (uint32_t byte = 0; byte < width / 8; byte++)
            to[i * (width / 8) + byte] = (uint8_t)((uint32_t)from[i] >> (8 * byte));
}

const vt_engine vt_engine_reference = {
    .name = "reference",
    .gemm = vt__reference_gemm,
    .reset = vt__reference_reset,
    .alu = vt__reference_alu,
    .narrow = vt_reference_narrow,
};
