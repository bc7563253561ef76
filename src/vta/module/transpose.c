/* Transposing by perfect shuffles: rows i and i + n/2 are zipped into rows 2i and 2i + 1; after log2(n) times every
 * element is where it belongs. A zip is one instruction for each half on processors with vectors of 16 bytes. */
#include "module/transpose.h"

#include <string.h>

typedef uint8_t bytes_of __attribute__((vector_size(VT_BLOCK_BYTES)));
typedef uint16_t halves_of __attribute__((vector_size(VT_BLOCK_BYTES)));
typedef uint32_t words_of __attribute__((vector_size(VT_BLOCK_BYTES)));

#define LOW_8(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_8(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_16(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_16(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_32(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH_32(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)

/* Four rounds of 16 rows, three of 8, two of 4. */
#define TRANSPOSE(name, type, rows, low, high)                                                                         \
    static inline __attribute__((always_inline)) void name##_round(const type *from, type *to) {                       \
        _Pragma("GCC unroll 8") for (int i = 0; i < (rows) / 2; i++) {                                                 \
            to[2 * i] = low(from[i], from[i + (rows) / 2]);                                                            \
            to[2 * i + 1] = high(from[i], from[i + (rows) / 2]);                                                       \
        }                                                                                                              \
    }                                                                                                                  \
    static void name(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step) {                             \
        type a[rows], b[rows];                                                                                         \
        _Pragma("GCC unroll 16") for (int i = 0; i < (rows); i++)                                                      \
            memcpy(&a[i], from + (size_t)i * from_step, sizeof a[i]);                                                  \
        name##_round(a, b);                                                                                            \
        name##_round(b, a);                                                                                            \
        if ((rows) >= 8) name##_round(a, b);                                                                           \
        if ((rows) >= 16) name##_round(b, a);                                                                          \
        const type *done = (rows) == 8 ? b : a;                                                                        \
        _Pragma("GCC unroll 16") for (int i = 0; i < (rows); i++)                                                      \
            memcpy(to + (size_t)i * to_step, &done[i], sizeof done[i]);                                                \
    }

TRANSPOSE(transpose_8, bytes_of, 16, LOW_8, HIGH_8)
TRANSPOSE(transpose_16, halves_of, 8, LOW_16, HIGH_16)
TRANSPOSE(transpose_32, words_of, 4, LOW_32, HIGH_32)

void vt__transpose(uint8_t *to, size_t to_step, const uint8_t *from, size_t from_step, uint32_t element_bytes) {
    if (element_bytes == 1)
        transpose_8(to, to_step, from, from_step);
    else if (element_bytes == 2)
        transpose_16(to, to_step, from, from_step);
    else
        transpose_32(to, to_step, from, from_step);
}
