#include "base/hash.h"

#include <string.h>

uint64_t vt_hash(uint64_t seed, const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    uint64_t h = seed;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, p + i, size - i < 8 ? size - i : 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}
