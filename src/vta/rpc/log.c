#include "rpc/log.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Also U+0080 to U+009F, which some terminals obey. */
static bool is_control(const unsigned char *at, size_t size) {
    return *at < ' ' || *at == 127 || (size == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

size_t vt__log_line(char *to, size_t room, const char *text) {
    size_t done = 0;
    for (const char *at = text; *at;) {
        size_t size = vt_utf8_size(at);
        bool plain = size && !is_control((const unsigned char *)at, size);
        if (!size || !plain) size = 1;
        if (done + (plain ? size : 4) + 2 > room) break;
        if (plain)
            memcpy(to + done, at, size);
        else
            snprintf(to + done, 5, "\\x%02x", (unsigned char)*at);
        done += plain ? size : 4;
        at += size;
    }
    to[done++] = '\n';
    to[done] = '\0';
    return done;
}
