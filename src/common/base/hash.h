/* The checksum of files. */
#ifndef VT_BASE_HASH_H
#define VT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A 64-bit hash that continues from `seed`. Every change of one 8-byte word changes it. docs/program-format.md */
uint64_t vt_hash(uint64_t seed, const void *bytes, size_t size);

#endif
