/* Words as GPT-2 splits a text. */
#include "text/split.h"

#include <string.h>

static size_t contraction(const char *text, size_t size) {
    static const char *const ends[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (size >= n && !memcmp(text, ends[i], n)) return n;
    }
    return 0;
}

/* Bytes of the characters of one class at the beginning, and those of the last one. */
static size_t run_of(vt_text_class is, const char *text, size_t size, size_t *out_last) {
    size_t at = 0, n = 0;
    while (at < size && vt__text_class(text + at, size - at, &n) == is) at += *out_last = n;
    return at;
}

/* Blanks before a word leave it the last one. */
static size_t blanks(const char *text, size_t size) {
    size_t last = 0, all = run_of(VT_TEXT_SPACE, text, size, &last);
    return all < size && all > last ? all - last : all;
}

size_t vt__text_word(const char *text, size_t size) {
    size_t n, last, ends = contraction(text, size), blank = size > 1 && text[0] == ' ';
    if (ends) return ends;
    vt_text_class is = vt__text_class(text + blank, size - blank, &n);
    return is == VT_TEXT_SPACE ? blanks(text, size) : blank + run_of(is, text + blank, size - blank, &last);
}

size_t vt__text_digit(const char *text, size_t size) {
    size_t at = 0, n;
    while (at < size && vt__text_class(text + at, size - at, &n) != VT_TEXT_NUMBER) at += n;
    return at ? at : (vt__text_class(text, size, &n), n);
}
