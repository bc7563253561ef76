/* The one reader of "KEY=VALUE KEY=VALUE": configurations, timing settings, parameters of kernels. */
#ifndef VT_BASE_PAIR_H
#define VT_BASE_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One word, borrowed from the text: key and value are what stands before and after its first '='. */
typedef struct vt_pair {
    const char *word, *key, *value;
    size_t size, key_size, value_size;
    bool has_value; /* there is a '=' */
} vt_pair;

/* The next word; blanks and commas stand between words. Moves *at past it. False at the end of the text. */
bool vt_pair_next(const char **at, vt_pair *out_pair);

typedef enum vt_number { VT_NUMBER_READ, VT_NUMBER_NONE, VT_NUMBER_TOO_BIG } vt_number;

/* The value as an integer: decimal, or hexadecimal after 0x, with a sign or without. */
vt_number vt_pair_number(const vt_pair *pair, int64_t *out_number);

#endif
