/* Numbers in files: little-endian, at any address. */
#ifndef VT_BASE_LITTLE_ENDIAN_H
#define VT_BASE_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint32_t vt_get32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t vt_get64(const uint8_t *p) { return vt_get32(p) | (uint64_t)vt_get32(p + 4) << 32; }

/* Both give the place behind the number. */
static inline uint8_t *vt_put32(uint8_t *p, uint32_t v) {
    for (int i = 0; i < 4; i++) p[i] = (uint8_t)(v >> 8 * i);
    return p + 4;
}

static inline uint8_t *vt_put64(uint8_t *p, uint64_t v) {
    return vt_put32(vt_put32(p, (uint32_t)v), (uint32_t)(v >> 32));
}

#endif
