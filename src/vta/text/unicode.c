/* Classes of characters. */
#include "text/split.h"

typedef struct range {
    uint32_t first, last;
    vt_text_class is;
} range;

static const range ranges[] = {
#define VT_RANGE(kind, first, last) {first, last, VT_TEXT_##kind},
#include "text/unicode.def"
#undef VT_RANGE
};

/* White_Space. */
static bool is_space(uint32_t c) {
    return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static vt_text_class class_of(uint32_t c) {
    size_t low = 0, high = sizeof ranges / sizeof *ranges;
    if (is_space(c)) return VT_TEXT_SPACE;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof ranges / sizeof *ranges && c >= ranges[low].first ? ranges[low].is : VT_TEXT_OTHER;
}

vt_text_class vt__text_class(const char *at, size_t room, size_t *out_size) {
    size_t n = *out_size = vt__text_character(at, room);
    uint32_t c = (uint8_t)at[0];
    if (n == 1) return c < 0x80 ? class_of(c) : VT_TEXT_OTHER;
    c &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++) c = c << 6 | ((uint8_t)at[i] & 0x3f);
    return class_of(c);
}
