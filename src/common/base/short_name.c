/* Long names of layers: what tells them apart. */
#include <stdbool.h>
#include <string.h>

#include "vta/support.h"

/* Is the part before a slash the beginning of the part behind it, as in "conv/conv.0". */
static bool is_repeated(const char *part, size_t size, const char *next) {
    return !strncmp(part, next, size) && next[size] == '.';
}

const char *vta_short_name(const char *name, size_t width, char *out, size_t out_size) {
    size_t n = 0, size = strlen(name);
    if (size <= width || out_size <= size || width < 3) return name;
    for (const char *part = name; *part;) {
        size_t length = strcspn(part, "/"), more = part[length] == '/';
        if (!length || !more || !is_repeated(part, length, part + length + 1)) {
            memcpy(out + n, part, length + more);
            n += length + more;
        }
        part += length + more;
    }
    out[n] = '\0';
    if (n <= width) return out;
    char *from = out + n - (width - 2);
    while ((*from & 0xc0) == 0x80) from++; /* not within a character */
    memmove(out + 2, from, (size_t)(out + n - from) + 1);
    out[0] = out[1] = '.';
    return out;
}
