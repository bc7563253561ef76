/* Breakpoints of `vta debug`, and running until one is met. */
#include <string.h>

#include "debugger.h"

static bool hits(const session *s, const stop *b, uint32_t index) {
    switch (b->kind) {
    case STOP_INSN: return b->what == index;
    case STOP_TOKEN: return vta_debugger_uses_token(s->debugger, index, (vta_token_queue)b->what);
    case STOP_SRAM: return vta_debugger_touches(s->debugger, index, (vta_memory)b->what, b->place);
    case STOP_DRAM: break;
    }
    return vta_debugger_touches_dram(s->debugger, index, b->place);
}

static int stop_at(const session *s, uint32_t index) {
    for (int i = 0; i < s->stop_count; i++)
        if (hits(s, &s->stops[i], index)) return i;
    return -1;
}

static void report_stop(const session *s, int found) {
    if (found >= 0) {
        printf("breakpoint ");
        print_stop(s, found);
    }
    print_where(s);
}

void do_continue(session *s, const debug_words *w) {
    (void)w;
    int found = -1;
    uint32_t length = vta_debugger_length(s->debugger);
    for (uint32_t at = vta_debugger_position(s->debugger); at < length && found < 0 && !debug_interrupted();) {
        if (!debug_worked(s, vta_debugger_seek(s->debugger, ++at, cli_diag()))) break;
        if (at < length) found = stop_at(s, vta_debugger_at(s->debugger, at));
    }
    report_stop(s, found);
}

/* Backwards, each place is reached anew from a checkpoint: micro-ops must stand in the buffer as they did. */
void do_reverse(session *s, const debug_words *w) {
    (void)w;
    int found = -1;
    for (uint32_t at = vta_debugger_position(s->debugger); at > 0 && found < 0 && !debug_interrupted();) {
        if (!debug_worked(s, vta_debugger_seek(s->debugger, --at, cli_diag()))) break;
        found = stop_at(s, vta_debugger_at(s->debugger, at));
    }
    report_stop(s, found);
}

static bool parse_stop(session *s, const debug_words *w, stop *out) {
    uint64_t n = 0;
    vta_memory memory;
    const char *kind = w->count == 3 ? w->at[1] : "", *what = w->count == 3 ? w->at[2] : "";
    if (strcmp(kind, "token") == 0) {
        for (int q = 0; q < VTA_TOKEN_QUEUES; q++)
            if (strcmp(vta_token_queue_name((vta_token_queue)q), what) == 0) {
                *out = (stop){STOP_TOKEN, (uint32_t)q, 0};
                return true;
            }
#define VTA_TOKEN(from, to, number, name, letters) name ", "
        debug_complain(s,
                       "a token queue is one of "
#include "vta/token.def"
                       "not",
                       what);
#undef VTA_TOKEN
        return false;
    }
    if (debug_number(what, &n) && n <= UINT32_MAX) {
        if (strcmp(kind, "insn") == 0) {
            *out = (stop){STOP_INSN, (uint32_t)n, 0};
            return true;
        }
        if (strcmp(kind, "dram") == 0) {
            *out = (stop){STOP_DRAM, 0, (uint32_t)n};
            return true;
        }
        if (debug_memory(kind, &memory)) {
            *out = (stop){STOP_SRAM, memory, (uint32_t)n};
            return true;
        }
    }
    debug_complain(s, "break insn N, break token A->B, break acc N, break dram ADDR", NULL);
    return false;
}

void do_break(session *s, const debug_words *w) {
    if (s->stop_count == sizeof s->stops / sizeof *s->stops)
        debug_complain(s, "no room for more breakpoints", NULL);
    else if (parse_stop(s, w, &s->stops[s->stop_count]))
        print_stop(s, s->stop_count++);
}

void do_delete(session *s, const debug_words *w) {
    uint64_t n = 0;
    if (w->count != 2 || !debug_number(w->at[1], &n) || n == 0 || n > (uint64_t)s->stop_count) {
        debug_complain(s, "delete needs the number of a breakpoint", NULL);
        return;
    }
    memmove(&s->stops[n - 1], &s->stops[n], ((size_t)s->stop_count - n) * sizeof *s->stops);
    s->stop_count--;
}

void do_breaks(session *s, const debug_words *w) {
    (void)w;
    for (int i = 0; i < s->stop_count; i++) print_stop(s, i);
    if (s->stop_count == 0) printf("no breakpoints\n");
}
