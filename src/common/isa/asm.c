/* Text to instructions: reads what disasm.c prints, and what people write. The grammar stands in docs/assembly.md. */
#include <ctype.h>
#include <strings.h>

#include "base/diag.h"
#include "isa/fields.h"
#include "isa/spare.h"

enum { MAX_ERRORS = 20 };

typedef struct reader {
    const vta_config *config;
    const char *name;
    const char *line_begin, *p, *end; /* the line, what is left of it, where the text ends */
    uint32_t line;
    vta_diag *diag;
} reader;

/* A word of the text: "name" or "name=value"; in value.size 0 the former. */
typedef struct span {
    const char *text;
    size_t size;
} span;

static vt_pos pos_at(const reader *r, const char *p) {
    return (vt_pos){r->name, r->line, (uint32_t)(p - r->line_begin) + 1};
}

#define FAIL(at, ...) vt_fail_at(r->diag, VTA_PARSE, pos_at(r, (at)), __VA_ARGS__)

/* How a span of the text stands in a message. */
#define SHOWN(s) (int)((s).size < 40 ? (s).size : 40), (s).text

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_end(const reader *r) { return r->p == r->end || *r->p == '\n' || *r->p == ';'; }

static bool is_word(span s, const char *word) { return strlen(word) == s.size && !strncasecmp(word, s.text, s.size); }

static void skip_blanks(reader *r) {
    while (r->p < r->end && is_blank(*r->p)) r->p++;
}

static span next_span(reader *r) {
    span s = {r->p, 0};
    while (!is_end(r) && !is_blank(*r->p) && *r->p != '=') r->p++;
    s.size = (size_t)(r->p - s.text);
    return s;
}

static void next_line(reader *r) {
    while (r->p < r->end && *r->p != '\n') r->p++;
    if (r->p < r->end) r->p++;
    r->line_begin = r->p;
    r->line++;
}

/* ---- Numbers --------------------------------------------------------------------------------------------- */

/* A decimal or 0x number of up to 64 bits, as magnitude and sign. */
static bool read_number(span s, uint64_t *out_magnitude, bool *out_negative) {
    size_t i = 0;
    *out_negative = s.size && s.text[0] == '-';
    if (*out_negative) i++;
    unsigned base = 10;
    if (s.size > i + 2 && s.text[i] == '0' && (s.text[i + 1] | 32) == 'x') {
        base = 16;
        i += 2;
    }
    if (i == s.size) return false;
    uint64_t v = 0;
    for (; i < s.size; i++) {
        unsigned char c = (unsigned char)s.text[i];
        /* digits begin at 48, letters at 97 */
        unsigned digit = isdigit(c) ? c - 48u : isxdigit(c) ? (c | 32u) - 87u : 99u;
        if (digit >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, digit, &v)) return false;
    }
    *out_magnitude = v;
    return true;
}

static vta_status read_u64(reader *r, span s, uint64_t *out_value) {
    bool negative;
    if (read_number(s, out_value, &negative) && !negative) return VTA_OK;
    return FAIL(s.text, "%.*s: must be a number of up to 64 bits, decimal or 0x hexadecimal", SHOWN(s));
}

/* ---- Fields ---------------------------------------------------------------------------------------------- */

/* A word that stands for a field's value ("inp", "MAX"); false when it is none. */
static bool value_of_word(const vt_field *field, span s, uint64_t *out_value) {
    unsigned count = field->kind == VT_FIELD_MEMORY      ? VTA_MEM_COUNT
                     : field->kind == VT_FIELD_OPERATION ? VTA_ALU_COUNT
                                                         : 0;
    for (unsigned i = 0; i < count; i++) {
        const char *word =
            field->kind == VT_FIELD_MEMORY ? vta_memory_name((vta_memory)i) : vta_alu_opcode_name((vta_alu_opcode)i);
        if (!is_word(s, word)) continue;
        *out_value = i;
        return true;
    }
    return false;
}

static vta_status read_field(reader *r, const vt_field *field, span value, vta_insn *insn) {
    int64_t least, most;
    vt_field_range(r->config, field, &least, &most);
    uint64_t magnitude;
    bool negative = false;
    bool known = value_of_word(field, value, &magnitude) || read_number(value, &magnitude, &negative);
    if (!known) return FAIL(value.text, "%s=%.*s: not a value of this field", field->name, SHOWN(value));
    bool fits = magnitude <= (uint64_t)(negative ? -least : most);
    if (!fits)
        return FAIL(value.text, "%s=%.*s: does not fit its %u bits (%lld to %lld)", field->name, SHOWN(value),
                    vt_field_bits(r->config, field), (long long)least, (long long)most);
    vt_field_set(field, insn, negative ? -(int64_t)magnitude : (int64_t)magnitude);
    return VTA_OK;
}

static const vt_field *find_field(const vt_field *fields, unsigned count, span name) {
    for (unsigned i = 0; i < count; i++)
        if (is_word(name, fields[i].name)) return &fields[i];
    return NULL;
}

/* What one line sets. */
typedef struct line_state {
    vta_insn insn;
    uint64_t spare[2];
    span spare_text[2];
    uint64_t seen; /* by row of the field table; bits 62, 63: the spare words */
} line_state;

static bool seen_before(line_state *s, unsigned bit) {
    bool before = s->seen >> bit & 1;
    s->seen |= (uint64_t)1 << bit;
    return before;
}

/* "name=value", or "name" alone for a dependence flag. */
static vta_status read_item(reader *r, line_state *s) {
    span name = next_span(r), value = {r->p, 0};
    bool has_value = !is_end(r) && *r->p == '=';
    if (has_value) {
        r->p++;
        value = next_span(r);
        if (!value.size || (!is_end(r) && *r->p == '='))
            return FAIL(r->p, "%.*s: a field is written name=value, without blanks", SHOWN(name));
    }
    const char *opcode = vta_opcode_name((vta_opcode)s->insn.opcode);
    for (unsigned word = 0; word < 2; word++) {
        if (!is_word(name, vt_spare_names[word])) continue;
        if (seen_before(s, 62 + word)) return FAIL(name.text, "%.*s: given twice", SHOWN(name));
        s->spare_text[word] = name;
        return read_u64(r, value, &s->spare[word]);
    }
    unsigned count, flag_count;
    const vt_field *fields = vt_opcode_fields(s->insn.opcode, &count), *flags = vt_common_fields(&flag_count) + 1;
    const vt_field *field = find_field(fields, count, name), *flag = find_field(flags, flag_count - 1, name);
    if (!field && !flag) return FAIL(name.text, "%.*s: %s has no such field", SHOWN(name), opcode);
    if (seen_before(s, (field ? field : flag)->row)) return FAIL(name.text, "%.*s: given twice", SHOWN(name));
    if (has_value) return read_field(r, field ? field : flag, value, &s->insn);
    if (field) return FAIL(name.text, "%.*s: needs a value: %.*s=VALUE, without blanks", SHOWN(name), SHOWN(name));
    vt_field_set(flag, &s->insn, 1);
    return VTA_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------------------- */

static vta_status read_words(reader *r, uint8_t *out_bytes) {
    unsigned word = 0;
    for (skip_blanks(r); !is_end(r) && word < 2; skip_blanks(r), word++) {
        uint64_t value;
        VT_TRY(read_u64(r, next_span(r), &value));
        vt_store_le64(out_bytes + 8 * word, value);
    }
    if (word == 2 && is_end(r)) return VTA_OK;
    return FAIL(r->p, ".word takes two 64-bit numbers, the low half first");
}

static vta_status read_insn(reader *r, unsigned opcode, uint8_t *out_bytes) {
    line_state s = {.insn.opcode = (uint8_t)opcode};
    for (skip_blanks(r); !is_end(r); skip_blanks(r)) VT_TRY(read_item(r, &s));
    vt_insn_pack(r->config, &s.insn, out_bytes);
    for (unsigned word = 0; word < 2; word++)
        if (!vt_spare_put(r->config, out_bytes, word, s.spare[word]))
            return FAIL(s.spare_text[word].text, "%s: %s has %u spare bits there", vt_spare_names[word],
                        vta_opcode_name((vta_opcode)opcode), 64 - vt_spare_begin(r->config, opcode, word));
    return VTA_OK;
}

/* Reads the line at r->p, which is not empty, into 16 bytes. */
static vta_status read_line(reader *r, uint8_t *out_bytes) {
    span word = next_span(r);
    if (is_word(word, ".word")) return read_words(r, out_bytes);
    for (unsigned opcode = 0; opcode < VTA_OP_COUNT; opcode++)
        if (is_word(word, vta_opcode_name((vta_opcode)opcode))) return read_insn(r, opcode, out_bytes);
    return FAIL(word.text, "%.*s: no such instruction; LOAD, STORE, GEMM, ALU, FINISH or .word", SHOWN(word));
}

typedef struct stream {
    uint8_t *bytes;
    size_t count, cap;
} stream;

static vta_status read_text(reader *r, stream *out) {
    vta_status first = VTA_OK;
    for (int errors = 0; r->p < r->end && errors < MAX_ERRORS; next_line(r)) {
        skip_blanks(r);
        if (is_end(r)) continue;
        if (!vt_reserve(NULL, &out->bytes, &out->cap, out->count + 1, VTA_INSN_BYTES)) return vt_no_memory(r->diag);
        vta_status status = read_line(r, out->bytes + out->count * VTA_INSN_BYTES);
        out->count++;
        if (status == VTA_OK) continue;
        errors++;
        if (first == VTA_OK) first = status;
    }
    return first;
}

vta_status vta_asm(const vta_config *config, const char *text, size_t size, const char *name, vta_diag *diag,
                   uint8_t **out_bytes, size_t *out_count) {
    if (!out_bytes || !out_count) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_asm: an output is NULL");
    *out_bytes = NULL;
    *out_count = 0;
    if (!config || (!text && size)) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_asm: an argument is NULL");
    if (!text) text = "";
    reader r = {config, name, text, text, text + size, 1, diag};
    stream s = {0};
    vta_status status = read_text(&r, &s);
    uint8_t *exact =
        status == VTA_OK ? vt_resize(NULL, s.bytes, s.cap * VTA_INSN_BYTES, s.count * VTA_INSN_BYTES) : NULL;
    if (!exact) {
        vt_free(NULL, s.bytes, s.cap * VTA_INSN_BYTES);
        return status == VTA_OK ? vt_no_memory(diag) : status;
    }
    *out_bytes = exact;
    *out_count = s.count;
    return VTA_OK;
}
