/* The single file: docs/program-format.md describes what stands here. */
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/little_endian.h"
#include "program/program_priv.h"

static const uint8_t MAGIC[8] = {0x89, 'V', 'T', 'A', '\r', '\n', 0x1a, '\n'};

enum {
    VERSION = 1,
    HEADER_BYTES = 64,
    CHECKSUM_AT = 24,
    RUN_BYTES = 16,
    SEGMENT_BYTES = 16,
    BLOB_BYTES = 8,
};

typedef struct header {
    uint32_t version, header_bytes;
    uint64_t file_bytes, checksum;
    uint32_t config_bytes, stats_bytes, runs, segments, blobs, notes_bytes;
} header;

/* The checksum covers everything but itself. */
static uint64_t checksum(const uint8_t *bytes, size_t size) {
    uint64_t h = vt_hash(size, bytes, CHECKSUM_AT);
    return vt_hash(h, bytes + CHECKSUM_AT + 8, size - CHECKSUM_AT - 8);
}

/* ---- Writing --------------------------------------------------------------------------------------------- */

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

static void put_header(uint8_t *bytes, const header *h) {
    uint8_t *at = put_bytes(bytes, MAGIC, sizeof MAGIC);
    at = vt_put32(at, VERSION);
    at = vt_put32(at, HEADER_BYTES);
    at = vt_put64(at, h->file_bytes);
    at = vt_put64(at, 0);
    at = vt_put32(at, h->config_bytes);
    at = vt_put32(at, h->stats_bytes);
    at = vt_put32(at, h->runs);
    at = vt_put32(at, h->segments);
    at = vt_put32(at, h->blobs);
    at = vt_put32(at, h->notes_bytes);
    memset(at, 0, (size_t)(bytes + HEADER_BYTES - at));
}

static vta_status write_numbered(const vta_program *p, numbering *n, const char *config, const char *stats,
                                 const char *notes, vta_diag *diag, uint8_t **out_bytes, size_t *out_size) {
    size_t segments;
    number_all(n, p, &segments);
    size_t size = HEADER_BYTES + strlen(config) + strlen(stats) + strlen(notes) + p->run_count * RUN_BYTES +
                  segments * SEGMENT_BYTES + n->count * (size_t)BLOB_BYTES;
    for (uint32_t i = 0; i < n->count; i++) size += p->blobs.items[n->blob[i]].size;
    if (size > VTA_PROGRAM_MAX_FILE)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "the program takes %zu bytes, more than the %zu of a file", size,
                       VTA_PROGRAM_MAX_FILE);
    header h = {.file_bytes = size,
                .config_bytes = (uint32_t)strlen(config),
                .stats_bytes = (uint32_t)strlen(stats),
                .runs = (uint32_t)p->run_count,
                .segments = (uint32_t)segments,
                .blobs = n->count,
                .notes_bytes = (uint32_t)strlen(notes)};
    uint8_t *bytes = vt_alloc(NULL, size);
    if (!bytes) return vt_no_memory(diag);
    put_header(bytes, &h);
    uint8_t *at = put_bytes(bytes + HEADER_BYTES, config, h.config_bytes);
    at = put_bytes(at, stats, h.stats_bytes);
    at = put_bytes(at, notes, h.notes_bytes);
    at = put_tables(at, n, p);
    for (uint32_t i = 0; i < n->count; i++)
        at = put_bytes(at, p->blobs.items[n->blob[i]].bytes, p->blobs.items[n->blob[i]].size);
    vt_put64(bytes + CHECKSUM_AT, checksum(bytes, size));
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

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* The file and where its parts begin; all inside it once find_parts has returned VTA_OK. */
typedef struct file {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    vta_diag *diag;
    header h;
    const uint8_t *config, *stats, *notes, *runs, *segments, *sizes, *contents;
} file;

#define FAIL(...) vt_fail_at(f->diag, VTA_PARSE, (vt_pos){.file = f->name}, __VA_ARGS__)

static vta_status read_header(file *f) {
    const uint8_t *b = f->bytes;
    if (f->size < sizeof MAGIC || memcmp(b, MAGIC, sizeof MAGIC))
        return FAIL("not a program file: it does not begin with the eight bytes 89 'VTA' 0d 0a 1a 0a");
    if (f->size < HEADER_BYTES) return FAIL("%zu bytes: shorter than the header of %d", f->size, HEADER_BYTES);
    f->h = (header){vt_get32(b + 8),  vt_get32(b + 12), vt_get64(b + 16), vt_get64(b + CHECKSUM_AT), vt_get32(b + 32),
                    vt_get32(b + 36), vt_get32(b + 40), vt_get32(b + 44), vt_get32(b + 48),          vt_get32(b + 52)};
    if (f->h.version != VERSION || f->h.header_bytes != HEADER_BYTES)
        return FAIL("format version %u: this library reads version %d", f->h.version, VERSION);
    if (f->h.file_bytes != f->size)
        return FAIL("%zu bytes, but it says that it has %llu: cut off, or something was added", f->size,
                    (unsigned long long)f->h.file_bytes);
    if (checksum(b, f->size) != f->h.checksum) return FAIL("the checksum does not match: the contents are damaged");
    return VTA_OK;
}

static vta_status find_parts(file *f) {
    const header *h = &f->h;
    uint64_t runs = (uint64_t)h->runs * RUN_BYTES, segments = (uint64_t)h->segments * SEGMENT_BYTES,
             sizes = (uint64_t)h->blobs * BLOB_BYTES;
    uint64_t before =
        HEADER_BYTES + (uint64_t)h->config_bytes + h->stats_bytes + h->notes_bytes + runs + segments + sizes;
    if (before > f->size) return FAIL("its tables need %llu bytes of %zu", (unsigned long long)before, f->size);
    f->config = f->bytes + HEADER_BYTES;
    f->stats = f->config + h->config_bytes;
    f->notes = f->stats + h->stats_bytes;
    f->runs = f->notes + h->notes_bytes;
    f->segments = f->runs + runs;
    f->sizes = f->segments + segments;
    f->contents = f->sizes + sizes;
    uint64_t left = f->size - before;
    for (uint32_t i = 0; i < h->blobs; i++) {
        uint64_t size = vt_get64(f->sizes + (size_t)i * BLOB_BYTES);
        if (size > left)
            return FAIL("contents %u of %llu bytes: beyond the end of the file", i, (unsigned long long)size);
        left -= size;
    }
    if (left) return FAIL("%llu bytes too many at its end", (unsigned long long)left);
    return VTA_OK;
}

/* Puts all contents into the program; blobs[i] is where contents i went. */
static vta_status read_blobs(file *f, vta_program *p, uint32_t *blobs) {
    const uint8_t *at = f->contents;
    for (uint32_t i = 0; i < f->h.blobs; i++) {
        size_t size = (size_t)vt_get64(f->sizes + (size_t)i * BLOB_BYTES);
        blobs[i] = vt__blobs_put(&p->blobs, at, size);
        if (blobs[i] == VT__NO_BLOB) return vt_no_memory(f->diag);
        at += size;
    }
    return VTA_OK;
}

static vta_status read_segment(file *f, vta_program *p, const uint32_t *blobs, const uint8_t *row) {
    vt__segment s = {vt_get32(row), vt_get32(row + 4), vt_get32(row + 8), vt_get32(row + 12)};
    bool has_after = s.after != VT__NO_BLOB;
    if (s.before >= f->h.blobs || (has_after && s.after >= f->h.blobs))
        return FAIL("segment at 0x%08x: contents %u and %d of %u", s.addr, s.before, (int)s.after, f->h.blobs);
    s.before = blobs[s.before];
    if (has_after) s.after = blobs[s.after];
    size_t most = p->blobs.items[s.before].size;
    if (has_after && p->blobs.items[s.after].size > most) most = p->blobs.items[s.after].size;
    if (most > s.size) return FAIL("segment at 0x%08x: %zu bytes of contents in %u", s.addr, most, s.size);
    return vt__program_put_segment(p, s, f->diag);
}

static vta_status read_run(file *f, vta_program *p, const uint32_t *blobs, const uint8_t *row, uint32_t *next_segment) {
    uint32_t addr = vt_get32(row), count = vt_get32(row + 4), insns = vt_get32(row + 8), segments = vt_get32(row + 12);
    if (insns >= f->h.blobs) return FAIL("run %zu: contents %u of %u", p->run_count, insns, f->h.blobs);
    if (p->blobs.items[blobs[insns]].size != (uint64_t)count * VTA_INSN_BYTES)
        return FAIL("run %zu: %zu bytes for %u instructions of %d", p->run_count, p->blobs.items[blobs[insns]].size,
                    count, VTA_INSN_BYTES);
    if (segments > f->h.segments - *next_segment)
        return FAIL("run %zu: %u segments, %u are left", p->run_count, segments, f->h.segments - *next_segment);
    VT_TRY(vt__program_open_run(p, addr, blobs[insns], count, f->diag));
    for (uint32_t i = 0; i < segments; i++)
        VT_TRY(read_segment(f, p, blobs, f->segments + (size_t)(*next_segment)++ * SEGMENT_BYTES));
    return vta_program_end_run(p, f->diag);
}

static vta_status read_runs(file *f, vta_program *p) {
    uint32_t *blobs = vt_alloc_array(p->allocator, f->h.blobs, sizeof *blobs);
    if (!blobs) return vt_no_memory(f->diag);
    vta_status status = read_blobs(f, p, blobs);
    uint32_t next_segment = 0;
    for (uint32_t i = 0; i < f->h.runs && status == VTA_OK; i++)
        status = read_run(f, p, blobs, f->runs + (size_t)i * RUN_BYTES, &next_segment);
    vt_free(p->allocator, blobs, f->h.blobs * sizeof *blobs);
    if (status == VTA_OK && next_segment != f->h.segments)
        status = FAIL("%u segments belong to no run", f->h.segments - next_segment);
    return status;
}

vta_status vta_program_parse(const uint8_t *bytes, size_t size, const char *name, const vta_allocator *allocator,
                             vta_diag *diag, vta_program **out_program) {
    if (!out_program) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_parse: out_program is NULL");
    *out_program = NULL;
    if (!bytes && size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_parse: bytes is NULL");
    file f = {.bytes = bytes, .size = size, .name = name ? name : "program", .diag = diag};
    VT_TRY(read_header(&f));
    VT_TRY(find_parts(&f));
    vta_config *config;
    VT_TRY(vta_config_parse((const char *)f.config, f.h.config_bytes, f.name, diag, &config));
    vta_program *p;
    vta_status status = vta_program_create(config, allocator, diag, &p);
    vta_config_release(config);
    if (status != VTA_OK) return status;
    status = vt__stats_parse(p, (const char *)f.stats, f.h.stats_bytes, f.name, diag);
    if (status == VTA_OK) status = read_runs(&f, p);
    if (status == VTA_OK) status = vt__notes_parse(p, (const char *)f.notes, f.h.notes_bytes, f.name, diag);
    if (status == VTA_OK)
        *out_program = p;
    else
        vta_program_destroy(p);
    return status;
}

vta_status vta_program_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                            vta_program **out_program) {
    if (!out_program) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_load: out_program is NULL");
    *out_program = NULL;
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_load: path is NULL");
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) return vt__program_load_folder(path, allocator, diag, out_program);
    char *bytes;
    size_t size;
    VT_TRY(vt_file_read(allocator, path, VTA_PROGRAM_MAX_FILE, diag, &bytes, &size));
    vta_status status = vta_program_parse((const uint8_t *)bytes, size, path, allocator, diag, out_program);
    vt_free(allocator, bytes, size + 1);
    return status;
}
