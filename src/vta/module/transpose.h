/* Blocks of elements with rows and columns exchanged. */
#ifndef VT_MODULE_TRANSPOSE_H
#define VT_MODULE_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VT_BLOCK_BYTES = 16 };

/* A row is as many elements as 16 bytes hold, and there are as many rows. */
typedef struct vt_block {
    _Alignas(VT_BLOCK_BYTES) uint8_t row[VT_BLOCK_BYTES][VT_BLOCK_BYTES];
} vt_block;

/* A block from rows that lie `from_step` bytes apart to rows `to_step` apart; elements of 1, 2 or 4 bytes. */
void vt__transpose(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, uint32_t element_bytes);

/* Has the host what the next two need? They move `lanes` (at most 16) rows of `pixels` (at most 64) bytes each to
 * as many tiles of 16 bytes, the lanes that are missing being zeros, and back. */
bool vt__transpose_is_wide(void);
void vt__rows_to_tiles(uint8_t *tiles, size_t tile_step, const uint8_t *rows, size_t row_step, int lanes, int pixels);
void vt__tiles_to_rows(uint8_t *rows, size_t row_step, const uint8_t *tiles, size_t tile_step, int lanes, int pixels);

#endif
