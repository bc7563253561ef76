#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/little_endian.h"
#include "program/file.h"

const uint8_t vt__program_magic[8] = {0x89, 'V', 'T', 'A', '\r', '\n', 0x1a, '\n'};

uint64_t vt__program_checksum(const uint8_t *bytes, size_t size) {
    uint64_t h = vt_hash(size, bytes, VT__CHECKSUM_AT);
    return vt_hash(h, bytes + VT__CHECKSUM_AT + 8, size - VT__CHECKSUM_AT - 8);
}

/* Blobs that runs use, renumbered in the order of their first use. */
typedef struct numbering {
    uint32_t *to_file; /* by blob, VT__NO_BLOB: not used */
    uint32_t *blob;    /* by number in the file */
    uint32_t count;
} numbering;

static uint32_t number_of(numbering *n, uint32_t blob) {
    if (blob == VT__NO_BLOB) return VT__NO_BLOB;
    if (n->to_file[blob] == VT__NO_BLOB) {
        n->to_file[blob] = n->count;
        n->blob[n->count++] = blob;
    }
    return n->to_file[blob];
}

static void number_all(numbering *n, const vta_program *p, size_t *out_segments) {
    *out_segments = 0;
    for (size_t r = 0; r < p->run_count; r++) {
        const vt__run *run = &p->runs[r];
        number_of(n, run->insns);
        for (size_t s = 0; s < run->segment_count; s++) {
            number_of(n, run->segments[s].before);
            number_of(n, run->segments[s].after);
        }
        *out_segments += run->segment_count;
    }
}

static uint8_t *put_tables(uint8_t *at, numbering *n, const vta_program *p) {
    for (size_t r = 0; r < p->run_count; r++) {
        const vt__run *run = &p->runs[r];
        at = vt_put32(at, run->insn_addr);
        at = vt_put32(at, run->insn_count);
        at = vt_put32(at, number_of(n, run->insns));
        at = vt_put32(at, (uint32_t)run->segment_count);
    }
    for (size_t r = 0; r < p->run_count; r++) {
        const vt__run *run = &p->runs[r];
        for (size_t s = 0; s < run->segment_count; s++) {
            at = vt_put32(at, run->segments[s].addr);
            at = vt_put32(at, run->segments[s].size);
            at = vt_put32(at, number_of(n, run->segments[s].before));
            at = vt_put32(at, number_of(n, run->segments[s].after));
        }
    }
    for (uint32_t i = 0; i < n->count; i++) at = vt_put64(at, p->blobs.items[n->blob[i]].size);
    return at;
}

static uint8_t *put_bytes(uint8_t *at, const void *bytes, size_t size) {
    if (size) memcpy(at, bytes, size);
    return at + size;
}

static void put_header(uint8_t *bytes, const vt__program_header *h) {
    uint8_t *at = put_bytes(bytes, vt__program_magic, sizeof vt__program_magic);
    at = vt_put32(at, VT__PROGRAM_VERSION);
    at = vt_put32(at, VT__HEADER_BYTES);
    at = vt_put64(at, h->file_bytes);
    at = vt_put64(at, 0);
    at = vt_put32(at, h->config_bytes);
    at = vt_put32(at, h->stats_bytes);
    at = vt_put32(at, h->runs);
    at = vt_put32(at, h->segments);
    at = vt_put32(at, h->blobs);
    at = vt_put32(at, h->notes_bytes);
    memset(at, 0, (size_t)(bytes + VT__HEADER_BYTES - at));
}

static vta_status write_numbered(const vta_program *p, numbering *n, const char *config, const char *stats,
                                 const char *notes, vta_diag *diag, uint8_t **out_bytes, size_t *out_size) {
    size_t segments;
    number_all(n, p, &segments);
    size_t size = VT__HEADER_BYTES + strlen(config) + strlen(stats) + strlen(notes) + p->run_count * VT__RUN_BYTES +
                  segments * VT__SEGMENT_BYTES + n->count * (size_t)VT__BLOB_BYTES;
    for (uint32_t i = 0; i < n->count; i++) size += p->blobs.items[n->blob[i]].size;
    if (size > VTA_PROGRAM_MAX_FILE)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "the program takes %zu bytes, more than the %zu of a file", size,
                       VTA_PROGRAM_MAX_FILE);
    vt__program_header h = {.file_bytes = size,
                            .config_bytes = (uint32_t)strlen(config),
                            .stats_bytes = (uint32_t)strlen(stats),
                            .runs = (uint32_t)p->run_count,
                            .segments = (uint32_t)segments,
                            .blobs = n->count,
                            .notes_bytes = (uint32_t)strlen(notes)};
    uint8_t *bytes = vt_alloc(NULL, size);
    if (!bytes) return vt_no_memory(diag);
    put_header(bytes, &h);
    uint8_t *at = put_bytes(bytes + VT__HEADER_BYTES, config, h.config_bytes);
    at = put_bytes(at, stats, h.stats_bytes);
    at = put_bytes(at, notes, h.notes_bytes);
    at = put_tables(at, n, p);
    for (uint32_t i = 0; i < n->count; i++)
        at = put_bytes(at, p->blobs.items[n->blob[i]].bytes, p->blobs.items[n->blob[i]].size);
    vt_put64(bytes + VT__CHECKSUM_AT, vt__program_checksum(bytes, size));
    *out_bytes = bytes;
    *out_size = size;
    return VTA_OK;
}

vta_status vta_program_serialize(const vta_program *p, vta_diag *diag, uint8_t **out_bytes, size_t *out_size) {
    if (!out_bytes || !out_size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_serialize: an output is NULL");
    *out_bytes = NULL;
    *out_size = 0;
    if (!p) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_serialize: program is NULL");
    size_t blobs = p->blobs.count;
    numbering n = {vt_alloc_array(p->allocator, blobs, 4), vt_alloc_array(p->allocator, blobs, 4), 0};
    vt_strbuf stats, notes;
    vt_strbuf_init(&stats, p->allocator);
    vt_strbuf_init(&notes, p->allocator);
    vt__stats_print(p, &stats);
    vt__notes_print(p, &notes);
    char *config = vta_config_to_json(p->config);
    vta_status status = VTA_OK;
    if (n.to_file && n.blob && config && !stats.failed && !notes.failed) {
        memset(n.to_file, 0xff, blobs * 4);
        status =
            write_numbered(p, &n, config, vt_strbuf_text(&stats), vt_strbuf_text(&notes), diag, out_bytes, out_size);
    } else {
        status = vt_no_memory(diag);
    }
    vta_string_free(config);
    vt_strbuf_free(&stats);
    vt_strbuf_free(&notes);
    vt_free(p->allocator, n.to_file, blobs * 4);
    vt_free(p->allocator, n.blob, blobs * 4);
    return status;
}

vta_status vta_program_save(const vta_program *p, const char *path, vta_diag *diag) {
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_save: path is NULL");
    uint8_t *bytes;
    size_t size;
    VT_TRY(vta_program_serialize(p, diag, &bytes, &size));
    vta_status status = vt_file_write(p->allocator, path, bytes, size, diag);
    vta_string_free(bytes);
    return status;
}
