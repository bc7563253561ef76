#include "sample.h"

#include <string.h>

cli_sample cli_sample_begin(uint64_t seed) { return (cli_sample){(seed * 0x9E3779B97F4A7C15ull + 0x1234567ull) | 1}; }

/* xorshift64* */
static uint64_t next_random(cli_sample *s) {
    s->state ^= s->state >> 12;
    s->state ^= s->state << 25;
    s->state ^= s->state >> 27;
    return s->state * 0x2545F4914F6CDD1Dull;
}

void cli_sample_fill(cli_sample *s, DLDataType type, uint8_t *bytes, size_t size) {
    size_t unit = type.bits < 8 ? 1 : type.bits / 8u;
    for (size_t i = 0; i + unit <= size; i += unit) {
        uint64_t value = next_random(s) >> 8;
        double real = (double)(value >> 16) / (double)((uint64_t)1 << 39) - 1;
        float single = (float)real;
        if (type.bits == 1) value &= 1;
        const void *from = type.code != kDLFloat ? (const void *)&value
                           : unit == 4           ? (const void *)&single
                                                 : (const void *)&real;
        memcpy(bytes + i, from, unit);
    }
}

/* FNV-1a */
uint64_t cli_checksum(const uint8_t *bytes, size_t size) {
    uint64_t sum = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < size; i++) sum = (sum ^ bytes[i]) * 0x100000001b3ull;
    return sum;
}
