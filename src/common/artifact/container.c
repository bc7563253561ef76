#include "artifact/container.h"

#include <string.h>

#include "base/hash.h"
#include "base/little_endian.h"

static const uint8_t MAGIC[8] = {0x8d, 'V', 'T', 'M', '\r', '\n', 0x1a, '\n'};

enum {
    VERSION = 1,
    HEADER_BYTES = 64,
    CHECKSUM_AT = 24,
    COUNT_AT = 32,
    ROW_BYTES = 32, /* name, offset, size */
};

/* The checksum covers everything but itself. */
static uint64_t checksum(const uint8_t *bytes, size_t size) {
    uint64_t h = vt_hash(size, bytes, CHECKSUM_AT);
    return vt_hash(h, bytes + CHECKSUM_AT + 8, size - CHECKSUM_AT - 8);
}

static size_t aligned(size_t n) { return (n + VT_SECTION_ALIGNMENT - 1) & ~(size_t)(VT_SECTION_ALIGNMENT - 1); }

const vt_section *vt_container_find(const vt_container *c, const char *name) {
    for (uint32_t i = 0; i < c->section_count; i++)
        if (!strcmp(c->sections[i].name, name)) return &c->sections[i];
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static void put_header(uint8_t *bytes, size_t size, uint32_t count) {
    memcpy(bytes, MAGIC, sizeof MAGIC);
    vt_put32(vt_put32(bytes + 8, VERSION), HEADER_BYTES);
    vt_put64(bytes + 16, size);
    vt_put32(bytes + COUNT_AT, count);
}

static void put_sections(uint8_t *bytes, const vt_section sections[], uint32_t count) {
    size_t at = aligned(HEADER_BYTES + (size_t)count * ROW_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *row = bytes + HEADER_BYTES + (size_t)i * ROW_BYTES;
        memcpy(row, sections[i].name, VT_SECTION_NAME_BYTES);
        vt_put64(vt_put64(row + VT_SECTION_NAME_BYTES, at), sections[i].size);
        if (sections[i].size) memcpy(bytes + at, sections[i].bytes, sections[i].size);
        at = aligned(at + sections[i].size);
    }
}

vta_status vt_container_write(const vt_section *sections, uint32_t count, vta_diag *diag, uint8_t **out_bytes,
                              size_t *out_size) {
    size_t size = aligned(HEADER_BYTES + (size_t)count * ROW_BYTES);
    *out_bytes = NULL;
    *out_size = 0;
    if (count > VT_SECTIONS_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "%u sections: an artifact has at most %d", count, VT_SECTIONS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        if (sections[i].size > VT_ARTIFACT_MAX_BYTES - size)
            return vt_fail(diag, VTA_OUT_OF_RANGE, "the artifact would be larger than %zu bytes",
                           VT_ARTIFACT_MAX_BYTES);
        size = aligned(size + sections[i].size);
    }
    uint8_t *bytes = vt_alloc_zero(NULL, size);
    if (!bytes) return vt_no_memory(diag);
    put_header(bytes, size, count);
    put_sections(bytes, sections, count);
    vt_put64(bytes + CHECKSUM_AT, checksum(bytes, size));
    *out_bytes = bytes;
    *out_size = size;
    return VTA_OK;
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

typedef struct file {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    vta_diag *diag;
    vt_container *out;
} file;

#define FAIL(...) vt_fail_at(f->diag, VTA_PARSE, (vt_pos){.file = f->name}, __VA_ARGS__)

static vta_status check_header(const file *f) {
    const uint8_t *b = f->bytes;
    if (f->size < sizeof MAGIC || memcmp(b, MAGIC, sizeof MAGIC))
        return FAIL("not a compiled network: it does not begin with the eight bytes 8d 'VTM' 0d 0a 1a 0a");
    if (f->size < HEADER_BYTES) return FAIL("%zu bytes: shorter than the header of %d", f->size, HEADER_BYTES);
    if (vt_get32(b + 8) != VERSION || vt_get32(b + 12) != HEADER_BYTES)
        return vt_fail_at(f->diag, VTA_UNSUPPORTED, (vt_pos){.file = f->name},
                          "format version %u: this library reads version %d; compile the network anew", vt_get32(b + 8),
                          VERSION);
    if (vt_get64(b + 16) != f->size)
        return FAIL("%zu bytes, but it says that it has %llu: cut off, or something was added", f->size,
                    (unsigned long long)vt_get64(b + 16));
    if (checksum(b, f->size) != vt_get64(b + CHECKSUM_AT))
        return FAIL("the checksum does not match: the contents are damaged");
    return VTA_OK;
}

/* Sections lie one behind the other in the order of the table; what is between them is 0. */
static vta_status check_place(const file *f, const char *name, uint64_t at, uint64_t size, uint64_t least) {
    if (at != least || at > f->size || size > f->size - at)
        return FAIL("section '%s': %llu bytes at %llu of a file of %zu; it should begin at %llu", name,
                    (unsigned long long)size, (unsigned long long)at, f->size, (unsigned long long)least);
    return VTA_OK;
}

static vta_status read_section(file *f, const uint8_t *row, size_t *end) {
    vt_section *s = &f->out->sections[f->out->section_count];
    memcpy(s->name, row, VT_SECTION_NAME_BYTES);
    if (!s->name[0] || s->name[VT_SECTION_NAME_BYTES - 1]) return FAIL("a section has no name, or a longer one");
    for (const char *c = s->name; *c; c++)
        if (*c <= ' ' || *c > '~') return FAIL("the name of a section has a character that none may have");
    if (vt_container_find(f->out, s->name)) return FAIL("there are two sections '%s'", s->name);
    uint64_t at = vt_get64(row + VT_SECTION_NAME_BYTES), size = vt_get64(row + VT_SECTION_NAME_BYTES + 8);
    VT_TRY(check_place(f, s->name, at, size, *end));
    s->bytes = f->bytes + at;
    s->size = (size_t)size;
    *end = aligned((size_t)(at + size));
    f->out->section_count++;
    return VTA_OK;
}

vta_status vt_container_parse(const uint8_t *bytes, size_t size, const char *name, vta_diag *diag,
                              vt_container *out_container) {
    file files = {bytes, size, name, diag, out_container}, *f = &files;
    out_container->section_count = 0;
    VT_TRY(check_header(f));
    uint32_t count = vt_get32(bytes + COUNT_AT);
    size_t end = aligned(HEADER_BYTES + (size_t)count * ROW_BYTES);
    if (count > VT_SECTIONS_MAX || end > size) return FAIL("a table of %u sections in %zu bytes", count, size);
    for (uint32_t i = 0; i < count; i++) VT_TRY(read_section(f, bytes + HEADER_BYTES + (size_t)i * ROW_BYTES, &end));
    if (end != size) return FAIL("%zu bytes belong to no section", size - (end < size ? end : size));
    return VTA_OK;
}
