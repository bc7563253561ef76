#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 }; /* longer names are compared by their beginnings */

static int lower(const char *s, size_t i) { return tolower((unsigned char)s[i]); }

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* Letters inserted, left out, changed or swapped with their neighbour between two words (the distance of Damerau and
 * Levenshtein, where no letter is touched twice). */
static unsigned distance(const char *x, size_t nx, const char *y, size_t ny) {
    unsigned rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t k = 0; k <= ny; k++) last[k] = (unsigned)k;
    for (size_t i = 1; i <= nx; i++) {
        now[0] = (unsigned)i;
        for (size_t k = 1; k <= ny; k++) {
            unsigned change = last[k - 1] + (lower(x, i - 1) != lower(y, k - 1));
            now[k] = least(change, least(last[k], now[k - 1]) + 1);
            bool swapped = i > 1 && k > 1 && lower(x, i - 1) == lower(y, k - 2) && lower(x, i - 2) == lower(y, k - 1);
            if (swapped) now[k] = least(now[k], before[k - 2] + 1);
        }
        unsigned *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return last[ny];
}

const char *vta_nearest_name(const char *name, const char *const *names, size_t count) {
    const char *best = NULL;
    unsigned least_far = LONGEST;
    size_t n = name ? strnlen(name, LONGEST) : 0;
    for (size_t i = 0; names && i < count; i++) {
        size_t m = names[i] ? strnlen(names[i], LONGEST) : 0;
        if (!m || !n) continue;
        unsigned far = distance(name, n, names[i], m);
        if (far >= least_far || far > (n > m ? n : m) / 3) continue;
        least_far = far;
        best = names[i];
    }
    return best;
}

const char *vt_suggest(char out[VT_SUGGESTION_BYTES], const char *name, const char *const *names, size_t count) {
    const char *near = vta_nearest_name(name, names, count);
    out[0] = '\0';
    if (near) snprintf(out, VT_SUGGESTION_BYTES, "; did you mean %s?", near);
    return out;
}
