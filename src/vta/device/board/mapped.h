/* Registers in the process's address space. */
#ifndef VT_DEVICE_BOARD_MAPPED_H
#define VT_DEVICE_BOARD_MAPPED_H

#include "base/diag.h"
#include "device/board/registers.h"

typedef struct vt_mapped {
    uint32_t block_count;
    volatile uint32_t *block[VT_MAX_BLOCKS];
    int fd; /* of the first file, whose lock is the board's; -1: none */
    bool claimed;
    char file[256]; /* its name */
} vt_mapped;

/* Maps blocks from files: /dev/mem at `address`, all others (UIO devices, a model's file) from their beginnings; one
 * file for all blocks, or one for each with ':' between. VTA_NOT_FOUND, VTA_IO: the file's name and why. */
vta_status vt__map_registers(const char *files, uint32_t address, uint32_t block_count, vta_diag *diag,
                             vt_mapped *out_mapped);
/* Takes the accelerator, until it is unmapped. VTA_IO when somebody else has it. */
vta_status vt__claim_registers(vt_mapped *m, vta_diag *diag);
/* Has nobody taken it? VTA_IO when somebody has. */
vta_status vt__registers_are_free(const vt_mapped *m, vta_diag *diag);
void vt__unmap_registers(vt_mapped *m);
/* How to access them; valid as long as `m`. */
vt_registers vt__mapped_registers(vt_mapped *m);

#endif
