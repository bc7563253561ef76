#include "frontend/tflite/flatbuffer.h"

#include <string.h>

#include "base/utf8.h"

static _Noreturn void damaged(const vt_fb *from, size_t at, const char *what) {
    vt_raise(from->ctx, VTA_PARSE, "%s: the TFLite model is damaged: %s at byte %zu goes beyond the file", from->name,
             what, at);
}

static void check(const vt_fb *from, size_t at, size_t bytes, const char *what) {
    if (at > from->size || bytes > from->size - at) damaged(from, at, what);
}

static uint64_t number(const vt_fb *from, size_t at, unsigned width, const char *what) {
    uint64_t value = 0;
    check(from, at, width, what);
    for (unsigned i = width; i-- > 0;) value = value << 8 | from->bytes[at + i];
    return value;
}

static int64_t extended(uint64_t value, unsigned width) {
    unsigned spare = 64 - 8 * width;
    return (int64_t)(value << spare) >> spare;
}

static double to_float(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return (double)value;
}

/* What an offset at this place leads to; offsets count from their own place. */
static size_t follow(const vt_fb *from, size_t at, const char *what) {
    size_t to = at + (size_t)number(from, at, 4, what);
    if (to <= at) damaged(from, at, what);
    return to;
}

/* A table begins with the distance back to its list of fields: bytes of the list, bytes of the table, then for each
 * field its place in the table, 0 where it is left out. */
static vt_fb_table table_at(const vt_fb *from, size_t at) {
    int64_t fields = (int64_t)at - extended(number(from, at, 4, "a table"), 4);
    if (fields < 0 || (uint64_t)fields > from->size) damaged(from, at, "a table");
    uint64_t bytes = number(from, (size_t)fields, 2, "a list of fields");
    check(from, (size_t)fields, bytes < 4 ? 4 : (size_t)bytes, "a list of fields");
    return (vt_fb_table){from, at, (size_t)fields + 4, (uint16_t)(bytes < 4 ? 0 : (bytes - 4) / 2)};
}

vt_fb_table vt__fb_root(const vt_fb *from) { return table_at(from, follow(from, 0, "the root")); }

/* Where a field is; 0: it is left out. */
static size_t place(vt_fb_table t, unsigned id) {
    if (!t.at || id >= t.count) return 0;
    size_t offset = (size_t)number(t.from, t.fields + 2 * (size_t)id, 2, "a field");
    return offset ? t.at + offset : 0;
}

uint64_t vt__fb_uint(vt_fb_table t, unsigned id, unsigned width, uint64_t otherwise) {
    size_t at = place(t, id);
    return at ? number(t.from, at, width, "a number") : otherwise;
}

int64_t vt__fb_int(vt_fb_table t, unsigned id, unsigned width, int64_t otherwise) {
    size_t at = place(t, id);
    return at ? extended(number(t.from, at, width, "a number"), width) : otherwise;
}

double vt__fb_float(vt_fb_table t, unsigned id, double otherwise) {
    size_t at = place(t, id);
    return at ? to_float(number(t.from, at, 4, "a number")) : otherwise;
}

vt_fb_table vt__fb_table_of(vt_fb_table t, unsigned id) {
    size_t at = place(t, id);
    return at ? table_at(t.from, follow(t.from, at, "a table")) : (vt_fb_table){.from = t.from};
}

vt_fb_vector vt__fb_vector_of(vt_fb_table t, unsigned id, uint32_t width) {
    size_t at = place(t, id);
    if (!at) return (vt_fb_vector){.from = t.from, .width = width};
    size_t begin = follow(t.from, at, "a vector");
    uint32_t count = (uint32_t)number(t.from, begin, 4, "a vector");
    check(t.from, begin + 4, (size_t)count * width, "a vector");
    return (vt_fb_vector){t.from, begin + 4, count, width};
}

/* Names go into messages and JSON: a byte that belongs to no character becomes a question mark. */
const char *vt__fb_text(vt_fb_table t, unsigned id) {
    vt_fb_vector v = vt__fb_vector_of(t, id, 1);
    char *text = v.count ? vt_new_stringn(t.from->ctx, (const char *)vt__fb_data(v), v.count) : NULL;
    for (size_t i = 0, size; text && text[i]; i += size) {
        size = vt_utf8_size(text + i);
        if (!size) text[i] = '?', size = 1;
    }
    return text ? text : "";
}

/* ---- Items ------------------------------------------------------------------------------------------------------- */

static size_t item(vt_fb_vector v, uint32_t i) { return v.at + (size_t)i * v.width; }

int64_t vt__fb_item_int(vt_fb_vector v, uint32_t i) {
    return extended(number(v.from, item(v, i), v.width, "a number"), v.width);
}

double vt__fb_item_float(vt_fb_vector v, uint32_t i) { return to_float(number(v.from, item(v, i), 4, "a number")); }

vt_fb_table vt__fb_item_table(vt_fb_vector v, uint32_t i) {
    return table_at(v.from, follow(v.from, item(v, i), "a table"));
}
