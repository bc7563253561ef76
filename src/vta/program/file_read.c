#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/little_endian.h"
#include "program/file.h"

/* The file and where its parts begin; all inside it once find_parts has returned VTA_OK. */
typedef struct file {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    vta_diag *diag;
    vt__program_header h;
    const uint8_t *config, *stats, *notes, *runs, *segments, *sizes, *contents;
} file;

#define FAIL(...) vt_fail_at(f->diag, VTA_PARSE, (vt_pos){.file = f->name}, __VA_ARGS__)

static vta_status read_header(file *f) {
    const uint8_t *b = f->bytes;
    if (f->size < sizeof vt__program_magic || memcmp(b, vt__program_magic, sizeof vt__program_magic))
        return FAIL("not a program file: it does not begin with the eight bytes 89 'VTA' 0d 0a 1a 0a");
    if (f->size < VT__HEADER_BYTES) return FAIL("%zu bytes: shorter than the header of %d", f->size, VT__HEADER_BYTES);
    f->h = (vt__program_header){vt_get32(b + 8),  vt_get32(b + 12), vt_get64(b + 16), vt_get64(b + VT__CHECKSUM_AT),
                                vt_get32(b + 32), vt_get32(b + 36), vt_get32(b + 40), vt_get32(b + 44),
                                vt_get32(b + 48), vt_get32(b + 52)};
    if (f->h.version != VT__PROGRAM_VERSION || f->h.header_bytes != VT__HEADER_BYTES)
        return FAIL("format version %u: this library reads version %d", f->h.version, VT__PROGRAM_VERSION);
    if (f->h.file_bytes != f->size)
        return FAIL("%zu bytes, but it says that it has %llu: cut off, or something was added", f->size,
                    (unsigned long long)f->h.file_bytes);
    if (vt__program_checksum(b, f->size) != f->h.checksum)
        return FAIL("the checksum does not match: the contents are damaged");
    return VTA_OK;
}

static vta_status find_parts(file *f) {
    const vt__program_header *h = &f->h;
    uint64_t runs = (uint64_t)h->runs * VT__RUN_BYTES, segments = (uint64_t)h->segments * VT__SEGMENT_BYTES,
             sizes = (uint64_t)h->blobs * VT__BLOB_BYTES;
    uint64_t before =
        VT__HEADER_BYTES + (uint64_t)h->config_bytes + h->stats_bytes + h->notes_bytes + runs + segments + sizes;
    if (before > f->size) return FAIL("its tables need %llu bytes of %zu", (unsigned long long)before, f->size);
    f->config = f->bytes + VT__HEADER_BYTES;
    f->stats = f->config + h->config_bytes;
    f->notes = f->stats + h->stats_bytes;
    f->runs = f->notes + h->notes_bytes;
    f->segments = f->runs + runs;
    f->sizes = f->segments + segments;
    f->contents = f->sizes + sizes;
    uint64_t left = f->size - before;
    for (uint32_t i = 0; i < h->blobs; i++) {
        uint64_t size = vt_get64(f->sizes + (size_t)i * VT__BLOB_BYTES);
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
        size_t size = (size_t)vt_get64(f->sizes + (size_t)i * VT__BLOB_BYTES);
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
        VT_TRY(read_segment(f, p, blobs, f->segments + (size_t)(*next_segment)++ * VT__SEGMENT_BYTES));
    return vta_program_end_run(p, f->diag);
}

static vta_status read_runs(file *f, vta_program *p) {
    uint32_t *blobs = vt_alloc_array(p->allocator, f->h.blobs, sizeof *blobs);
    if (!blobs) return vt_no_memory(f->diag);
    vta_status status = read_blobs(f, p, blobs);
    uint32_t next_segment = 0;
    for (uint32_t i = 0; i < f->h.runs && status == VTA_OK; i++)
        status = read_run(f, p, blobs, f->runs + (size_t)i * VT__RUN_BYTES, &next_segment);
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
