/* Arrays as .npy files, numpy's format: a header of text, then the elements. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/strbuf.h"
#include "module/module_priv.h"

enum { PREFIX = 10, PREFIX_2 = 12, HEADER_MAX = 1 << 16, ALIGNMENT = 64, VERSION_AT = 6 };
static const uint8_t MAGIC[VERSION_AT] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

typedef struct reader {
    const char *name, *at, *end;
    vta_diag *diag;
    DLDataType type;
    int32_t ndim;
    int64_t shape[VTA_ARRAY_MAX_DIMS];
    bool has_type, has_order, has_shape;
} reader;

#define FAIL(...) vt_fail_at(r->diag, VTA_PARSE, (vt_pos){.file = r->name}, "not an .npy file: " __VA_ARGS__)

/* ---- The header: {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), } ----------------------------------- */

static void skip_blanks(reader *r) {
    while (r->at < r->end && isspace((unsigned char)*r->at)) r->at++;
}

static bool take(reader *r, const char *word) {
    size_t size = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size)) return false;
    r->at += size;
    return true;
}

/* 'text', with either kind of quotes. */
static bool take_text(reader *r, char *to, size_t room) {
    skip_blanks(r);
    if (r->at == r->end || (*r->at != '\'' && *r->at != '"')) return false;
    char quote = *r->at++;
    size_t n = 0;
    while (r->at < r->end && *r->at != quote && n + 1 < room) to[n++] = *r->at++;
    to[n] = '\0';
    return r->at < r->end && *r->at++ == quote;
}

static vta_status read_type(reader *r) {
    char text[16], kind = 0;
    unsigned bytes = 0;
    int end = 0;
    if (!take_text(r, text, sizeof text)) return FAIL("its type is not a text (records are not supported)");
    r->has_type = sscanf(text, "%*1[<|=]%c%u%n", &kind, &bytes, &end) == 2 && !text[end];
    const char *known = "iufb", *found = r->has_type && kind ? strchr(known, kind) : NULL;
    bool power = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    if (!found || !power || (kind == 'f' && bytes == 1) || (kind == 'b' && bytes > 1))
        return vt_fail_at(r->diag, VTA_UNSUPPORTED, (vt_pos){.file = r->name},
                          "elements of type '%s': integers, floats and bools of this machine's byte order are read",
                          text);
    static const uint8_t codes[] = {kDLInt, kDLUInt, kDLFloat, kDLUInt};
    r->type = (DLDataType){codes[found - known], (uint8_t)(kind == 'b' ? 1 : bytes * 8), 1};
    return VTA_OK;
}

static vta_status read_order(reader *r) {
    r->has_order = true;
    if (take(r, "False")) return VTA_OK;
    if (!take(r, "True")) return FAIL("'fortran_order' is neither False nor True");
    return vt_fail_at(r->diag, VTA_UNSUPPORTED, (vt_pos){.file = r->name},
                      "its elements are column by column (fortran_order): save numpy.ascontiguousarray of it");
}

static vta_status read_shape(reader *r) {
    r->has_shape = true;
    if (!take(r, "(")) return FAIL("'shape' is not a tuple");
    while (!take(r, ")")) {
        char *end;
        skip_blanks(r);
        if (r->at == r->end || !isdigit((unsigned char)*r->at)) return FAIL("an extent is not a number");
        if (r->ndim == VTA_ARRAY_MAX_DIMS) return FAIL("more than %d dimensions", VTA_ARRAY_MAX_DIMS);
        r->shape[r->ndim++] = strtoll(r->at, &end, 10);
        r->at = end;
        if (!take(r, ",") && (skip_blanks(r), r->at == r->end || *r->at != ')'))
            return FAIL("no comma between extents");
    }
    return VTA_OK;
}

static vta_status read_header(reader *r) {
    char key[16];
    if (!take(r, "{")) return FAIL("its header is not a dictionary");
    while (!take(r, "}")) {
        if (!take_text(r, key, sizeof key) || !take(r, ":")) return FAIL("its header is damaged");
        if (!strcmp(key, "descr"))
            VT_TRY(read_type(r));
        else if (!strcmp(key, "fortran_order"))
            VT_TRY(read_order(r));
        else if (!strcmp(key, "shape") && !r->has_shape)
            VT_TRY(read_shape(r));
        else
            return FAIL("its header has '%s', or that twice", key);
        take(r, ",");
    }
    if (r->has_type && r->has_order && r->has_shape) return VTA_OK;
    return FAIL("its header lacks 'descr', 'fortran_order' or 'shape'");
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* The text of the header, whose end stands in a zero-terminated copy. */
static vta_status find_header(reader *r, const uint8_t *bytes, size_t size, size_t *out_begin, size_t *out_size) {
    if (size < PREFIX_2 || memcmp(bytes, MAGIC, sizeof MAGIC)) return FAIL("it does not begin with 93 'NUMPY'");
    unsigned version = bytes[VERSION_AT];
    *out_begin = version == 1 ? PREFIX : PREFIX_2;
    *out_size = bytes[8] | (size_t)bytes[9] << 8;
    if (version > 1) *out_size |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (version < 1 || version > 3) return FAIL("version %u", version);
    if (*out_size > HEADER_MAX || *out_size > size - *out_begin) return FAIL("its header is cut off");
    return VTA_OK;
}

/* Compared before memory of that size is asked for. SIZE_MAX: too many for any array. */
static size_t bytes_of_shape(const reader *r) {
    size_t bytes = (r->type.bits + 7u) / 8u;
    for (int32_t d = 0; d < r->ndim; d++)
        if (!vt_mul_size(bytes, (size_t)r->shape[d], &bytes)) return SIZE_MAX;
    return bytes;
}

static vta_status make_array(reader *r, const uint8_t *elements, size_t size, const vta_allocator *allocator,
                             vta_array **out_array) {
    size_t needed = bytes_of_shape(r);
    if (needed != size && needed != SIZE_MAX) return FAIL("%zu bytes of elements, its shape needs %zu", size, needed);
    VT_TRY(vta_array_create(kDLCPU, r->ndim, r->shape, r->type, allocator, r->diag, out_array));
    vta_status status = vta_array_write(*out_array, elements, size, r->diag);
    if (status == VTA_OK) return VTA_OK;
    vta_array_free(*out_array);
    *out_array = NULL;
    return status;
}

vta_status vta_array_parse_npy(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                               vta_diag *diag, vta_array **out_array) {
    if (!out_array) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_array_parse_npy: out_array is NULL");
    *out_array = NULL;
    if (!bytes && size) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_array_parse_npy: bytes is NULL");
    reader readers = {.name = name ? name : "array", .diag = diag}, *r = &readers;
    size_t begin = 0, header = 0;
    VT_TRY(find_header(r, bytes, size, &begin, &header));
    char *text = vt_alloc(allocator, header + 1);
    if (!text) return vt_no_memory(diag);
    memcpy(text, (const uint8_t *)bytes + begin, header);
    text[header] = '\0';
    r->at = text;
    r->end = text + header;
    vta_status status = read_header(r);
    vt_free(allocator, text, header + 1);
    if (status != VTA_OK) return status;
    return make_array(r, (const uint8_t *)bytes + begin + header, size - begin - header, allocator, out_array);
}

vta_status vta_array_load_npy(const char *path, const vta_allocator *allocator, vta_diag *diag, vta_array **out_array) {
    char *bytes;
    size_t size;
    if (!out_array) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_array_load_npy: out_array is NULL");
    *out_array = NULL;
    if (!path) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_array_load_npy: path is NULL");
    VT_TRY(vt_file_read(allocator, path, (size_t)1 << 31, diag, &bytes, &size));
    vta_status status = vta_array_parse_npy(bytes, size, path, allocator, diag, out_array);
    vt_free(allocator, bytes, size + 1);
    return status;
}

/* ---- Writing --------------------------------------------------------------------------------------------------- */

static bool write_header(const DLTensor *t, vt_strbuf *out) {
    const DLDataType type = t->dtype;
    bool is_bool = type.code == kDLUInt && type.bits == 1;
    char kind = is_bool ? 'b' : type.code == kDLInt ? 'i' : type.code == kDLUInt ? 'u' : 'f';
    unsigned bytes = is_bool ? 1 : type.bits / 8u;
    if (type.lanes != 1 || type.code > kDLFloat || (!is_bool && (type.bits % 8 || !bytes))) return false;
    vt_strbuf_addf(out, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (", bytes == 1 ? '|' : '<', kind, bytes);
    for (int32_t i = 0; i < t->ndim; i++) vt_strbuf_addf(out, i ? ", %lld" : "%lld", (long long)t->shape[i]);
    vt_strbuf_add(out, t->ndim == 1 ? ",), }" : "), }");
    while ((PREFIX + out->size + 1) % ALIGNMENT && !out->failed) vt_strbuf_addc(out, ' ');
    vt_strbuf_addc(out, '\n');
    return true;
}

static vta_status write_file(const vta_allocator *a, const char *path, const vt_strbuf *header, const DLTensor *t,
                             size_t size, vta_diag *diag) {
    size_t whole = PREFIX + header->size + size;
    uint8_t *bytes = vt_alloc(a, whole);
    if (!bytes) return vt_no_memory(diag);
    memcpy(bytes, MAGIC, sizeof MAGIC);
    memcpy(bytes + VERSION_AT, (const uint8_t[]){1, 0, (uint8_t)header->size, (uint8_t)(header->size >> 8)}, 4);
    memcpy(bytes + PREFIX, header->text, header->size);
    if (size) memcpy(bytes + PREFIX + header->size, (const uint8_t *)t->data + t->byte_offset, size);
    vta_status status = vt_file_write(a, path, bytes, whole, diag);
    vt_free(a, bytes, whole);
    return status;
}

vta_status vta_tensor_save_npy(const DLTensor *tensor, const char *path, vta_diag *diag) {
    size_t size;
    vt_strbuf header;
    if (!tensor || !path || tensor->device.device_type != kDLCPU || tensor->strides)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_tensor_save_npy: no path, or no compact tensor on the host");
    VT_TRY(vta_tensor_bytes(tensor, &size));
    vt_strbuf_init(&header, NULL);
    vta_status status = write_header(tensor, &header)
                            ? VTA_OK
                            : vt_fail(diag, VTA_UNSUPPORTED, "%s: elements of a type that numpy has not", path);
    if (status == VTA_OK && header.failed) status = vt_no_memory(diag);
    if (status == VTA_OK) status = write_file(NULL, path, &header, tensor, size, diag);
    vt_strbuf_free(&header);
    return status;
}
