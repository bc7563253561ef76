#include "base/utf8.h"

#include <stdint.h>

size_t vt_utf8_size(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) return 1;
    size_t size = s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    uint32_t code = s[0] & (0x7f >> size);
    for (size_t i = 1; i < size; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0; /* the terminator too */
        code = code << 6 | (s[i] & 0x3f);
    }
    if (size == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) return 0;
    if (size == 4 && (code < 0x10000 || code > 0x10ffff)) return 0;
    return size;
}
