#include "base/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

void vt_json_init(vt_json *w, vt_strbuf *sb, vt_json_style style) {
    *w = (vt_json){.sb = sb, .style = style, .first = true};
}

static void break_line(vt_json *w, uint32_t level) {
    w->line = false;
    vt_strbuf_addc(w->sb, '\n');
    for (uint32_t i = 0; w->style == VT_JSON_SPACED && i < level; i++) vt_strbuf_add(w->sb, "  ");
}

static void quoted(vt_json *w, const char *text, size_t size);

/* What stands between a value and the one before, and its key. */
static void begin_value(vt_json *w, const char *key) {
    if (!w->first) vt_strbuf_addc(w->sb, ',');
    if (w->line)
        break_line(w, w->depth);
    else if (!w->first && w->style == VT_JSON_SPACED)
        vt_strbuf_addc(w->sb, ' ');
    w->first = false;
    if (!key) return;
    quoted(w, key, strlen(key));
    vt_strbuf_add(w->sb, w->style == VT_JSON_SPACED ? ": " : ":");
}

static void open(vt_json *w, const char *key, bool object) {
    begin_value(w, key);
    vt_strbuf_addc(w->sb, object ? '{' : '[');
    uint32_t bit = 1u << (w->depth++ % VT_JSON_DEPTH);
    w->objects = object ? w->objects | bit : w->objects & ~bit;
    w->first = true;
}

void vt_json_object(vt_json *w, const char *key) { open(w, key, true); }
void vt_json_array(vt_json *w, const char *key) { open(w, key, false); }

void vt_json_end(vt_json *w) {
    w->depth--;
    if (w->line) break_line(w, w->depth);
    vt_strbuf_addc(w->sb, w->objects >> (w->depth % VT_JSON_DEPTH) & 1 ? '}' : ']');
    w->first = false;
}

void vt_json_line(vt_json *w) { w->line = true; }

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

static void digits(vt_json *w, uint64_t value, bool minus) {
    char text[24], *p = text + sizeof text;
    do *--p = (char)('0' + value % 10);
    while (value /= 10);
    if (minus) *--p = '-';
    vt_strbuf_addn(w->sb, p, (size_t)(text + sizeof text - p));
}

void vt_json_uint(vt_json *w, const char *key, uint64_t value) {
    begin_value(w, key);
    digits(w, value, false);
}

void vt_json_int(vt_json *w, const char *key, int64_t value) {
    begin_value(w, key);
    digits(w, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

/* Some locales have another decimal point. */
static void real(vt_json *w, const char *key, const char *fmt, int precision, double value) {
    char text[400];
    begin_value(w, key);
    int n = isfinite(value) ? snprintf(text, sizeof text, fmt, precision, value) : -1;
    if (n < 0 || (size_t)n >= sizeof text) {
        vt_strbuf_add(w->sb, "null");
        return;
    }
    char *point = text + strspn(text, "-0123456789");
    size_t size = strcspn(point, "e0123456789");
    vt_strbuf_addn(w->sb, text, (size_t)(point - text));
    if (size) vt_strbuf_addc(w->sb, '.');
    vt_strbuf_add(w->sb, point + size);
}

void vt_json_real(vt_json *w, const char *key, double value) { real(w, key, "%.*g", 9, value); }
void vt_json_fixed(vt_json *w, const char *key, double value, int decimals) { real(w, key, "%.*f", decimals, value); }

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

void vt_json_bool(vt_json *w, const char *key, bool value) { vt_json_raw(w, key, value ? "true" : "false"); }

void vt_json_raw(vt_json *w, const char *key, const char *json) {
    begin_value(w, key);
    vt_strbuf_add(w->sb, json);
}

static bool is_plain(char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\' && c != '<'; }

static void escape(vt_json *w, unsigned char c) {
    static const char hex[] = "0123456789abcdef";
    const char with_escape[] = {'\\', (char)c}, code[] = {'\\', 'u', '0', '0', hex[c / 16], hex[c % 16]};
    if (c == '"' || c == '\\')
        vt_strbuf_addn(w->sb, with_escape, sizeof with_escape);
    else
        vt_strbuf_addn(w->sb, code, sizeof code);
}

static void quoted(vt_json *w, const char *text, size_t size) {
    vt_strbuf_addc(w->sb, '"');
    for (size_t i = 0; i < size;) {
        size_t run = i;
        while (run < size && is_plain(text[run])) run++;
        vt_strbuf_addn(w->sb, text + i, run - i);
        if ((i = run) == size) break;
        size_t n = (unsigned char)text[i] < 0x80 ? 1 : vt_utf8_size(text + i);
        if ((unsigned char)text[i] < 0x80)
            escape(w, (unsigned char)text[i]);
        else if (n && i + n <= size)
            vt_strbuf_addn(w->sb, text + i, n);
        else
            vt_strbuf_add(w->sb, VT_UTF8_REPLACEMENT);
        i += n ? n : 1;
    }
    vt_strbuf_addc(w->sb, '"');
}

void vt_json_textn(vt_json *w, const char *key, const char *text, size_t size) {
    begin_value(w, key);
    quoted(w, text, size);
}

void vt_json_text(vt_json *w, const char *key, const char *text) {
    if (text)
        vt_json_textn(w, key, text, strlen(text));
    else
        vt_json_raw(w, key, "null");
}
