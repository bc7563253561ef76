/* The single file: docs/program-format.md describes what stands here. */
#ifndef VT_PROGRAM_FILE_H
#define VT_PROGRAM_FILE_H

#include "program/program_priv.h"

enum {
    VT__PROGRAM_VERSION = 1,
    VT__HEADER_BYTES = 64,
    VT__CHECKSUM_AT = 24,
    VT__RUN_BYTES = 16,
    VT__SEGMENT_BYTES = 16,
    VT__BLOB_BYTES = 8,
};

typedef struct vt__program_header {
    uint32_t version, header_bytes;
    uint64_t file_bytes, checksum;
    uint32_t config_bytes, stats_bytes, runs, segments, blobs, notes_bytes;
} vt__program_header;

extern const uint8_t vt__program_magic[8];
/* Covers everything but itself. */
uint64_t vt__program_checksum(const uint8_t *bytes, size_t size);

#endif
