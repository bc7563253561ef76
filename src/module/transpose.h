/* Blocks of elements with rows and columns exchanged. */
#ifndef VT_MODULE_TRANSPOSE_H
#define VT_MODULE_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

enum { VT_BLOCK_BYTES = 16 };

/* A row is as many elements as 16 bytes hold, and there are as many rows. */
typedef struct vt_block {
    _Alignas(VT_BLOCK_BYTES) uint8_t row[VT_BLOCK_BYTES][VT_BLOCK_BYTES];
} vt_block;

/* A block from rows that lie `from_step` bytes apart to rows `to_step` apart; elements of 1, 2 or 4 bytes. */
void vt__transpose(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, uint32_t element_bytes);

#endif
