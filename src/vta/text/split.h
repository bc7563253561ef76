/* Parts of a text that are turned into tokens one by one. */
#ifndef VT_TEXT_SPLIT_H
#define VT_TEXT_SPLIT_H

#include "text/text.h"

typedef enum vt_text_class { VT_TEXT_OTHER, VT_TEXT_SPACE, VT_TEXT_LETTER, VT_TEXT_NUMBER } vt_text_class;

/* unicode.c: the class of the character at `at`, and its bytes. What is no character is OTHER. */
vt_text_class vt__text_class(const char *at, size_t room, size_t *out_size);

/* split.c: bytes of the part that a text of at least one byte begins with, by GPT-2's expression:
 * 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
size_t vt__text_word(const char *text, size_t size);
/* The same by digits: one character that is a number, or all before the next one. */
size_t vt__text_digit(const char *text, size_t size);

#endif
