/* SHA-256 (FIPS 180-4), for texts of which only the hash is kept. */
#ifndef TESTS_SUPPORT_SHA256_H
#define TESTS_SUPPORT_SHA256_H

#include "support/check.h"

enum { SHA256_HEX = 65 }; /* digits and the zero behind them */

static inline uint32_t sha256_rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* The bits of the fractional part of a prime's root, counted in 2^-32: of 2, 3, 5, ... in turn. */
static inline void sha256_constants(uint32_t k[64], uint32_t h[8]) {
    int n = 0;
    for (uint64_t p = 2; n < 64; p++) {
        bool prime = true;
        for (uint64_t d = 2; d * d <= p; d++) prime &= p % d != 0;
        if (!prime) continue;
        /* The largest x with x^3 <= p * 2^96, and with x^2 <= p * 2^64. */
        unsigned __int128 cube = 0, square = 0;
        for (int bit = 35; bit >= 0; bit--) {
            unsigned __int128 x = cube | (unsigned __int128)1 << bit, y = square | (unsigned __int128)1 << bit;
            if (x * x * x <= (unsigned __int128)p << 96) cube = x;
            if (y * y <= (unsigned __int128)p << 64) square = y;
        }
        if (n < 8) h[n] = (uint32_t)square;
        k[n++] = (uint32_t)cube;
    }
}

static inline void sha256_block(const uint32_t k[64], uint32_t h[8], const uint8_t block[64]) {
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (sha256_rotate(a, 7) ^ sha256_rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (sha256_rotate(b, 17) ^ sha256_rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = v[4], a = v[0];
        uint32_t t1 = v[7] + (sha256_rotate(e, 6) ^ sha256_rotate(e, 11) ^ sha256_rotate(e, 25)) +
                      ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        uint32_t t2 = (sha256_rotate(a, 2) ^ sha256_rotate(a, 13) ^ sha256_rotate(a, 22)) +
                      ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

/* The hash of size bytes, as the tool sha256sum prints it. */
static inline void sha256_text(const char *text, size_t size, char hex[SHA256_HEX]) {
    uint32_t k[64], h[8];
    uint8_t last[128] = {0};
    sha256_constants(k, h);
    size_t whole = size / 64 * 64, rest = size - whole, tail = rest < 56 ? 64 : 128;
    for (size_t i = 0; i < whole; i += 64) sha256_block(k, h, (const uint8_t *)text + i);
    memcpy(last, text + whole, rest);
    last[rest] = 0x80;
    for (int i = 0; i < 8; i++) last[tail - 1 - (size_t)i] = (uint8_t)((uint64_t)size * 8 >> 8 * i);
    for (size_t i = 0; i < tail; i += 64) sha256_block(k, h, last + i);
    for (int i = 0; i < 8; i++) snprintf(hex + 8 * i, 9, "%08x", (unsigned)h[i]);
}

#endif
