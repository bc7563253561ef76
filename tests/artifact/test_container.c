/* Containers byte by byte: where sections lie, what is said of each number that is damaged, and how many there may be;
 * and the bytes of tensors. */
#include "artifact/container.h"
#include "artifact/plan.h"
#include "base/hash.h"
#include "base/little_endian.h"
#include "support/diag.h"

enum { HEADER = 64, ROW = 32, CHECKSUM = 24, COUNT = 32 };

static size_t up(size_t n) { return (n + VT_SECTION_ALIGNMENT - 1) / VT_SECTION_ALIGNMENT * VT_SECTION_ALIGNMENT; }

/* Sections of these sizes, named ?, @, A, ..., each of its own letter. */
static uint8_t *write_sections(const size_t *sizes, uint32_t count, size_t *out_size) {
    static uint8_t contents[VT_SECTIONS_MAX][300];
    vt_section sections[VT_SECTIONS_MAX] = {0};
    uint8_t *bytes;
    for (uint32_t i = 0; i < count; i++) {
        sections[i].name[0] = (char)('?' + i);
        sections[i].bytes = memset(contents[i], 'A' + (int)i, sizeof contents[i]);
        sections[i].size = sizes[i];
    }
    if (vt_container_write(sections, count, diag, &bytes, out_size) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    return bytes;
}

TEST_CASE(places) {
    static const size_t sizes[VT_SECTIONS_MAX] = {
        0, 1, VT_SECTION_ALIGNMENT - 1, VT_SECTION_ALIGNMENT, VT_SECTION_ALIGNMENT + 1, 0, 5};
    for (uint32_t count = 0; count <= VT_SECTIONS_MAX; count++) {
        size_t size, at = up(HEADER + count * ROW);
        uint8_t *bytes = write_sections(sizes, count, &size);
        vt_container c;
        if (vt_container_parse(bytes, size, "c", diag, &c) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(c.section_count, count);
        assert_memory_equal(bytes, "\x8dVTM\r\n\x1a\n\1\0\0\0\x40\0\0\0", 16);
        assert_int_equal(vt_get64(bytes + 16), size);
        assert_int_equal(vt_get32(bytes + COUNT), count);
        for (uint32_t i = 0; i < count; i++) {
            char name[2] = {(char)('?' + i), '\0'};
            const vt_section *s = vt_container_find(&c, name);
            assert_ptr_equal(s, &c.sections[i]);
            assert_int_equal(s->size, sizes[i]);
            assert_ptr_equal(s->bytes, bytes + at);
            for (size_t k = 0; k < up(sizes[i]); k++) assert_int_equal(bytes[at + k], k < sizes[i] ? 'A' + i : 0);
            at = up(at + sizes[i]);
        }
        assert_int_equal(at, size);
        assert_null(vt_container_find(&c, "zz"));
        vta_string_free(bytes);
    }
    vt_section sections[VT_SECTIONS_MAX + 1] = {0};
    uint8_t *bytes = (uint8_t *)sections, byte = 0;
    size_t size = 7;
    char words[96];
    snprintf(words, sizeof words, "error: %d sections: an artifact has at most %d", VT_SECTIONS_MAX + 1,
             VT_SECTIONS_MAX);
    says(vt_container_write(sections, VT_SECTIONS_MAX + 1, diag, &bytes, &size), VTA_OUT_OF_RANGE, words);
    assert_true(!bytes && !size);
    sections[0] = (vt_section){.name = "a", .bytes = &byte, .size = VT_ARTIFACT_MAX_BYTES - up(HEADER + ROW) + 1};
    snprintf(words, sizeof words, "error: the artifact would be larger than %zu bytes", VT_ARTIFACT_MAX_BYTES);
    says(vt_container_write(sections, 1, diag, &bytes, &size), VTA_OUT_OF_RANGE, words);
}

static uint8_t *copy;
static size_t copy_size;

static void damaged(vta_status status, const char *words) {
    char whole[256];
    vt_container c;
    if (copy_size >= HEADER)
        vt_put64(copy + CHECKSUM,
                 vt_hash(vt_hash(copy_size, copy, CHECKSUM), copy + CHECKSUM + 8, copy_size - CHECKSUM - 8));
    snprintf(whole, sizeof whole, "c: error: %s", words);
    says(vt_container_parse(copy, copy_size, "c", diag, &c), status, whole);
}

TEST_CASE(damage) {
    static const size_t sizes[] = {5, 70, 9};
    size_t size;
    char words[200];
    uint8_t *bytes = write_sections(sizes, 3, &size);
    copy = malloc(size);
#define DAMAGED(change, status, ...)                                                                                   \
    memcpy(copy, bytes, size);                                                                                         \
    copy_size = size;                                                                                                  \
    change;                                                                                                            \
    snprintf(words, sizeof words, __VA_ARGS__);                                                                        \
    damaged(status, words)
    size_t first = up(HEADER + 3 * ROW), second = up(first + 5);
    DAMAGED(copy[7]++, VTA_PARSE,
            "not a compiled network: it does not begin with the eight bytes 8d 'VTM' 0d 0a 1a 0a");
    DAMAGED(copy_size = 7, VTA_PARSE,
            "not a compiled network: it does not begin with the eight bytes 8d 'VTM' 0d 0a 1a 0a");
    DAMAGED(copy_size = 63, VTA_PARSE, "63 bytes: shorter than the header of 64");
    DAMAGED(copy[8] = 2, VTA_UNSUPPORTED, "format version 2: this library reads version 1; compile the network anew");
    DAMAGED(copy[12] = 65, VTA_UNSUPPORTED, "format version 1: this library reads version 1; compile the network anew");
    DAMAGED(copy[16] ^= 1, VTA_PARSE, "%zu bytes, but it says that it has %zu: cut off, or something was added", size,
            size ^ 1);
    DAMAGED(vt_put32(copy + COUNT, VT_SECTIONS_MAX + 1), VTA_PARSE, "a table of %d sections in %zu bytes",
            VT_SECTIONS_MAX + 1, size);
    DAMAGED(vt_put32(copy + COUNT, 2), VTA_PARSE,
            "section '?': 5 bytes at %zu of a file of %zu; it should begin at %zu", first, size, up(HEADER + 2 * ROW));
    DAMAGED(copy[HEADER] = 0, VTA_PARSE, "a section has no name, or a longer one");
    DAMAGED(memset(copy + HEADER, 'n', VT_SECTION_NAME_BYTES), VTA_PARSE, "a section has no name, or a longer one");
    DAMAGED(copy[HEADER] = ' ', VTA_PARSE, "the name of a section has a character that none may have");
    DAMAGED(copy[HEADER] = 127, VTA_PARSE, "the name of a section has a character that none may have");
    DAMAGED(copy[HEADER + 1] = 200, VTA_PARSE, "the name of a section has a character that none may have");
    DAMAGED(copy[HEADER + ROW] = '?', VTA_PARSE, "there are two sections '?'");
    DAMAGED(vt_put64(copy + HEADER + ROW + VT_SECTION_NAME_BYTES, second + 1), VTA_PARSE,
            "section '@': 70 bytes at %zu of a file of %zu; it should begin at %zu", second + 1, size, second);
    DAMAGED(vt_put64(copy + HEADER + ROW + VT_SECTION_NAME_BYTES + 8, size - second + 1), VTA_PARSE,
            "section '@': %zu bytes at %zu of a file of %zu; it should begin at %zu", size - second + 1, second, size,
            second);
    DAMAGED(vt_put64(copy + HEADER + 2 * ROW + VT_SECTION_NAME_BYTES + 8, 0), VTA_PARSE,
            "%d bytes belong to no section", VT_SECTION_ALIGNMENT);
    vt_container c;
    memcpy(copy, bytes, size);
    copy[size - 1] = 1;
    says(vt_container_parse(copy, size, "c", diag, &c), VTA_PARSE,
         "c: error: the checksum does not match: the contents are damaged");
    free(copy);
    vta_string_free(bytes);
}

TEST_CASE(tensors) {
    static const struct {
        DLDataType type;
        int64_t a, b;
        uint64_t bytes; /* 0: none */
    } cases[] = {{{kDLInt, 8, 1}, 3, 5, 15},
                 {{kDLUInt, 1, 1}, 3, 5, 15},
                 {{kDLInt, 1, 1}, 3, 5, 2},
                 {{kDLInt, 4, 1}, 3, 5, 8},
                 {{kDLFloat, 64, 1}, 1, 1, 8},
                 {{kDLInt, 65, 1}, 1, 1, 0},
                 {{kDLInt, 0, 1}, 1, 1, 0},
                 {{kDLInt, 8, 2}, 1, 1, 0},
                 {{kDLComplex, 64, 1}, 1, 1, 0},
                 {{kDLInt, 8, 1}, 0, 1, 0},
                 {{kDLInt, 8, 1}, 1, -1, 0},
                 {{kDLInt, 8, 1}, INT64_MAX, 3, 0},
                 {{kDLInt, 8, 1}, INT64_MAX, 1, 0},
                 {{kDLInt, 1, 1}, INT64_MAX - 2, 2, 0},
                 {{kDLInt, 1, 1}, INT64_MAX - 3, 2, (UINT64_C(1) << 61) - 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes = 99;
        const int64_t shape[] = {cases[i].a, cases[i].b};
        bool known = vt_plan_tensor_bytes(cases[i].type, 2, shape, &bytes);
        assert_int_equal(known, cases[i].bytes != 0);
        assert_int_equal(bytes, known ? cases[i].bytes : 99);
    }
    uint64_t bytes;
    assert_true(vt_plan_tensor_bytes((DLDataType){kDLInt, 32, 1}, 0, NULL, &bytes) && bytes == 4);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
