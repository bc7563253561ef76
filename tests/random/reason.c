#include "random/reason.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

void reason_of(const char *message, char out[REASON_LENGTH]) {
    int n = 0;
    const char *error = strstr(message, "error: ");
    const char *p = error ? error + 7 : message;
    while (*p && *p != '\n' && n < REASON_LENGTH - 1) {
        const char *word = p;
        bool digit = false;
        for (; in_name(*p); p++) digit = digit || isdigit((unsigned char)*p);
        if (digit) /* a number, or a name that has one as all names here do */
            out[n++] = isdigit((unsigned char)*word) ? 'N' : 'X';
        for (; !digit && word < p && n < REASON_LENGTH - 1; word++) out[n++] = *word;
        if (*p && *p != '\n' && !in_name(*p) && n < REASON_LENGTH - 1) out[n++] = *p++;
    }
    out[n] = 0;
}
