/* The one writer of JSON: appends to a string buffer as it goes, so that a large trace needs no tree in memory.
 *
 *     vt_json w;
 *     vt_json_init(&w, &sb, VT_JSON_SPACED);
 *     vt_json_object(&w, NULL);
 *     vt_json_text(&w, "name", name);
 *     vt_json_array(&w, "cycles");
 *     vt_json_uint(&w, NULL, 7);
 *     vt_json_end(&w);
 *     vt_json_end(&w);                     {"name": "...", "cycles": [7]}
 *
 * `key` is the member's name inside an object and NULL elsewhere. Running out of memory is the buffer's to remember.
 * Texts are escaped, '<' included, so that all of it may stand inside a page; bytes that are not UTF-8 become U+FFFD.
 */
#ifndef VT_BASE_JSON_WRITE_H
#define VT_BASE_JSON_WRITE_H

#include "base/strbuf.h"

typedef enum vt_json_style {
    VT_JSON_SPACED, /* {"a": 1, "b": 2}; lines are indented */
    VT_JSON_TIGHT,  /* {"a":1,"b":2}; lines are not */
} vt_json_style;

enum { VT_JSON_DEPTH = 32 };

typedef struct vt_json {
    vt_strbuf *sb;
    vt_json_style style;
    uint32_t depth;
    uint32_t objects; /* a bit a level: an object, not an array */
    bool first;       /* nothing stands before on this level */
    bool line;        /* what comes next begins a line */
} vt_json;

void vt_json_init(vt_json *w, vt_strbuf *sb, vt_json_style style);
/* Opens an object or an array; at most VT_JSON_DEPTH in each other. vt_json_end closes the innermost one. */
void vt_json_object(vt_json *w, const char *key);
void vt_json_array(vt_json *w, const char *key);
void vt_json_end(vt_json *w);
/* The next value, or the end, stands on a line of its own. */
void vt_json_line(vt_json *w);

void vt_json_uint(vt_json *w, const char *key, uint64_t value);
void vt_json_int(vt_json *w, const char *key, int64_t value);
void vt_json_bool(vt_json *w, const char *key, bool value);
/* A number with nine significant digits, or with so many decimals; null where it is not finite. */
void vt_json_real(vt_json *w, const char *key, double value);
void vt_json_fixed(vt_json *w, const char *key, double value, int decimals);
/* NULL gives null. */
void vt_json_text(vt_json *w, const char *key, const char *text);
/* The first `size` bytes of a text. */
void vt_json_textn(vt_json *w, const char *key, const char *text, size_t size);
/* A value that is JSON already. */
void vt_json_raw(vt_json *w, const char *key, const char *json);

#endif
