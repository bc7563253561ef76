/* The words of a command of `vta debug`: numbers, memories, and what is wrong with them. */
#include <stdlib.h>
#include <string.h>

#include "debugger.h"

void debug_complain(session *s, const char *message, const char *what) {
    printf("%s%s%s\n", message, what ? ": " : "", what ? what : "");
    s->failed = true;
}

bool debug_worked(session *s, vta_status status) {
    if (status == VTA_OK) return true;
    puts(vta_diag_text(cli_diag()));
    vta_diag_clear(cli_diag());
    s->failed = true;
    return false;
}

bool debug_number(const char *text, uint64_t *out) {
    char *end = NULL;
    if (text == NULL || *text < '0' || *text > '9') return false;
    *out = strtoull(text, &end, 0);
    return *end == '\0';
}

bool debug_optional(session *s, const debug_words *w, int place, uint64_t otherwise, uint64_t *out) {
    *out = otherwise;
    if (place >= w->count || debug_number(w->at[place], out)) return true;
    debug_complain(s, "not a number", w->at[place]);
    return false;
}

bool debug_memory(const char *name, vta_memory *out) {
    for (int m = 0; m < VTA_MEM_COUNT; m++)
        if (strcmp(vta_memory_name((vta_memory)m), name) == 0) {
            *out = (vta_memory)m;
            return true;
        }
    return false;
}
