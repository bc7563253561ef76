/* A board without a board (device/model): the simulator behind a register file and a piece of contiguous memory that
 * other processes map. What drives it does the same as on hardware. */
#ifndef VT_DEVICE_BOARD_MODEL_FILES_H
#define VT_DEVICE_BOARD_MODEL_FILES_H

/* Its files: the registers of all blocks; the memory, twice: as the accelerator sees it, and as the host does,
 * whose cache is not coherent. */
#define VT_MODEL_REGISTERS "registers"
#define VT_MODEL_MEMORY "memory"
enum { VT_MODEL_BASE = 0x38000000 }; /* its memory's physical address */

#endif
