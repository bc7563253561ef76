/* What Yosys makes of a design: families of parts, and the result of a synthesis. */
#ifndef VT_HARDWARE_SYNTHESIS_H
#define VT_HARDWARE_SYNTHESIS_H

#include "base/diag.h"
#include "hardware/hardware.h"

typedef struct vt_part_family {
    const char *name, *text;
    const char *command, *flat; /* of Yosys: module by module, all in one */
    const char *multiplier, *block_ram;
} vt_part_family;

/* NULL: there is no such family. */
const vt_part_family *vt_part_family_find(const char *name);
/* What a cell takes; nothing for one that is not in the table. */
vta_hardware_area vt_part_cell(const vt_part_family *family, const char *cell);

static inline void vt_area_add(vta_hardware_area *sum, vta_hardware_area more, double times) {
    sum->luts += more.luts * times;
    sum->flip_flops += more.flip_flops * times;
    sum->multipliers += more.multipliers * times;
    sum->block_rams += more.block_rams * times;
}

/* Reads what Yosys's command `stat` wrote; the text is changed. VTA_PARSE for one that is not its. */
vta_status vt_synthesis_read(char *text, const vt_part_family *family, vta_diag *diag, vta_synthesis **out_synthesis);

#endif
