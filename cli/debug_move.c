/* Commands of `vta debug` that go to a place in the program, or show what is there. */
#include "debugger.h"

static void seek(session *s, uint64_t position) {
    uint32_t length = vta_debugger_length(s->debugger);
    if (position > length) position = length;
    debug_worked(s, vta_debugger_seek(s->debugger, (uint32_t)position, cli_diag()));
    print_where(s);
}

void do_step(session *s, const debug_words *w) {
    uint64_t n;
    if (debug_optional(s, w, 1, 1, &n)) seek(s, vta_debugger_position(s->debugger) + n);
}

void do_back(session *s, const debug_words *w) {
    uint64_t n, at = vta_debugger_position(s->debugger);
    if (debug_optional(s, w, 1, 1, &n)) seek(s, n < at ? at - n : 0);
}

void do_goto(session *s, const debug_words *w) {
    uint64_t n;
    if (w->count < 2)
        debug_complain(s, "goto needs a position", NULL);
    else if (debug_optional(s, w, 1, 0, &n))
        seek(s, n);
}

void do_cycle(session *s, const debug_words *w) {
    uint64_t n = 1, now = vta_debugger_cycle(s->debugger), cycles = vta_debugger_cycles(s->debugger);
    const char *text = w->count > 1 ? w->at[1] : "+1";
    bool on = *text == '+', back = *text == '-';
    if (!debug_number(text + (on || back), &n)) {
        debug_complain(s, "not a cycle", text);
        return;
    }
    if (on) n = n < cycles - now ? now + n : cycles;
    if (back) n = n < now ? now - n : 0;
    if (debug_worked(s, vta_debugger_seek_cycle(s->debugger, n, cli_diag()))) print_where(s);
}

void do_where(session *s, const debug_words *w) {
    (void)w;
    print_where(s);
}

void do_units(session *s, const debug_words *w) {
    (void)w;
    print_units(s);
}

void do_queues(session *s, const debug_words *w) {
    (void)w;
    print_queues(s);
}

void do_print(session *s, const debug_words *w) {
    uint64_t first, count;
    vta_memory memory;
    if (w->count < 3 || !debug_memory(w->at[1], &memory)) {
        debug_complain(s, "print inp|wgt|acc|uop N [COUNT]", NULL);
        return;
    }
    if (!debug_optional(s, w, 2, 0, &first) || !debug_optional(s, w, 3, 1, &count)) return;
    if (first > UINT32_MAX) first = UINT32_MAX;
    if (count > 4096) count = 4096;
    if (!print_buffer(s, memory, (uint32_t)first, (uint32_t)count)) debug_worked(s, VTA_OUT_OF_RANGE);
}

void do_list(session *s, const debug_words *w) {
    uint32_t next = vta_debugger_at(s->debugger, vta_debugger_position(s->debugger));
    uint64_t first, count, around = next == UINT32_MAX ? vta_debugger_count(s->debugger) - 1 : next;
    if (!debug_optional(s, w, 1, around > 4 ? around - 4 : 0, &first) || !debug_optional(s, w, 2, 10, &count)) return;
    if (first < vta_debugger_count(s->debugger))
        print_list(s, (uint32_t)first, count > 10000 ? 10000 : (uint32_t)count);
}
