/* Text from outside: names and titles may hold any bytes, formats that must be UTF-8 may not. */
#ifndef VT_BASE_UTF8_H
#define VT_BASE_UTF8_H

#include <stddef.h>

/* What stands for a byte that belongs to no character: U+FFFD. */
#define VT_UTF8_REPLACEMENT "\xef\xbf\xbd"

/* Bytes of the character at the beginning of a zero-terminated text, 1 to 4; 0 where no well-formed one stands. */
size_t vt_utf8_size(const char *text);

#endif
