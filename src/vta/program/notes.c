/* Notes: what instructions come from, in the words of who made them. In a file they are lines "run insn text". */
#include <string.h>

#include "program/program_priv.h"

static vta_status add(vta_program *p, vt__run *run, uint32_t insn, const char *text, size_t size, vta_diag *diag) {
    if (insn >= run->insn_count || (run->note_count && run->notes[run->note_count - 1].insn > insn))
        return vt_fail(diag, VTA_OUT_OF_RANGE, "note of instruction %u: the run has %u, and notes come in their order",
                       insn, run->insn_count);
    if (run->note_count && run->notes[run->note_count - 1].insn == insn) run->note_count--; /* the later one counts */
    if (!vt_reserve(p->allocator, &run->notes, &run->note_cap, run->note_count + 1, sizeof *run->notes) ||
        !vt_reserve(p->allocator, &p->note_text, &p->note_text_cap, p->note_text_size + size + 1, 1))
        return vt_no_memory(diag);
    char *to = p->note_text + p->note_text_size;
    for (size_t i = 0; i < size; i++) to[i] = (unsigned char)text[i] < ' ' ? ' ' : text[i];
    to[size] = '\0';
    run->notes[run->note_count++] = (vt__note){insn, p->note_text_size};
    p->note_text_size += size + 1;
    return VTA_OK;
}

vta_status vta_program_add_note(vta_program *p, uint32_t insn, const char *text, vta_diag *diag) {
    if (!p || !text) return vt_fail(diag, VTA_INVALID_ARGUMENT, "vta_program_add_note: an argument is NULL");
    if (!p->is_open) return vt_fail(diag, VTA_INVALID_ARGUMENT, "no run is being recorded; begin one first");
    return add(p, &p->open, insn, text, strlen(text), diag);
}

const char *vta_program_note(const vta_program *p, uint32_t run, uint32_t insn) {
    if (!p || run >= p->run_count || insn >= p->runs[run].insn_count) return NULL;
    const vt__run *r = &p->runs[run];
    size_t low = 0, high = r->note_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->notes[middle].insn <= insn)
            low = middle + 1;
        else
            high = middle;
    }
    const char *text = low ? p->note_text + r->notes[low - 1].text : "";
    return *text ? text : NULL;
}

void vt__notes_print(const vta_program *p, vt_strbuf *sb) {
    for (size_t r = 0; r < p->run_count; r++)
        for (size_t i = 0; i < p->runs[r].note_count; i++)
            vt_strbuf_addf(sb, "%zu %u %s\n", r, p->runs[r].notes[i].insn, p->note_text + p->runs[r].notes[i].text);
}

/* A number and one space; false when there is none. */
static bool number(const char **at, const char *end, uint32_t *out) {
    uint64_t value = 0;
    const char *p = *at;
    while (p < end && *p >= '0' && *p <= '9' && value <= UINT32_MAX) value = value * 10 + (uint64_t)(*p++ - '0');
    if (p == *at || p == end || *p != ' ' || value > UINT32_MAX) return false;
    *out = (uint32_t)value;
    *at = p + 1;
    return true;
}

vta_status vt__notes_parse(vta_program *p, const char *text, size_t size, const char *name, vta_diag *diag) {
    const char *at = text, *end = text + size;
    for (uint32_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        vt_pos pos = {name, 0, 0};
        uint32_t run, insn;
        if (!stop || !number(&at, stop, &run) || !number(&at, stop, &insn) || run >= p->run_count)
            return vt_fail_at(diag, VTA_PARSE, pos, "note %u is not a line of run, instruction and text", line);
        VT_TRY(add(p, &p->runs[run], insn, at, (size_t)(stop - at), diag));
        at = stop + 1;
    }
    return VTA_OK;
}
