#include "base/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char between[] = " ,\t\n\r\v\f";

bool vt_pair_next(const char **at, vt_pair *out_pair) {
    const char *word = *at + strspn(*at, between);
    size_t size = strcspn(word, between);
    const char *equals = memchr(word, '=', size);
    *at = word + size;
    *out_pair = (vt_pair){.word = word, .key = word, .value = word + size, .size = size, .key_size = size};
    if (equals) {
        out_pair->has_value = true;
        out_pair->key_size = (size_t)(equals - word);
        out_pair->value = equals + 1;
        out_pair->value_size = size - out_pair->key_size - 1;
    }
    return size > 0;
}

vt_number vt_pair_number(const vt_pair *pair, int64_t *out_number) {
    const char *first = pair->value;
    if (pair->value_size && (*first == '-' || *first == '+')) first++;
    bool hex = first[0] == '0' && (first[1] == 'x' || first[1] == 'X');
    char *end;
    *out_number = 0;
    if (!pair->value_size) return VT_NUMBER_NONE;
    errno = 0;
    long long value = strtoll(pair->value, &end, hex ? 16 : 10);
    if (end != pair->value + pair->value_size) return VT_NUMBER_NONE;
    if (errno == ERANGE) return VT_NUMBER_TOO_BIG;
    *out_number = value;
    return VT_NUMBER_READ;
}
