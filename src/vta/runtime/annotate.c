/* What instructions come from: told by code that was compiled for it, kept while a program is being captured. */
#include <string.h>

#include "base/strbuf.h"
#include "runtime/command.h"

enum { VALUES = 4 };

/* "res_conv ic.outer yo" and the values 3 and 1 make "res_conv ic.outer=3 yo=1". */
static void format(vt_strbuf *sb, const char *text, uint32_t count, const int32_t *values) {
    for (uint32_t word = 0; *text; word++) {
        size_t size = strcspn(text, " ");
        if (word) vt_strbuf_addc(sb, ' ');
        vt_strbuf_addn(sb, text, size);
        if (word && word <= count) vt_strbuf_addf(sb, "=%d", values[word - 1]);
        text += size;
        while (*text == ' ') text++;
    }
}

void VTAAnnotate(VTACommandHandle cmd, const char *text, uint32_t count, int32_t v0, int32_t v1, int32_t v2,
                 int32_t v3) {
    vt_command *command = vt_command_of(cmd);
    const int32_t values[VALUES] = {v0, v1, v2, v3};
    if (command && text && count <= VALUES) {
        if (!atomic_load_explicit(&command->runtime->capturing, memory_order_relaxed)) return;
        vt_strbuf sb;
        vt_strbuf_init(&sb, &command->runtime->allocator);
        format(&sb, text, count, values);
        if (!sb.failed) vt_queue_note(&command->queue, vt_strbuf_text(&sb));
        vt_strbuf_free(&sb);
        return;
    }
    const vt_call *call = VT_CALL(VTAAnnotate, (uint64_t)(uintptr_t)cmd, (uint64_t)(uintptr_t)text, count, (uint64_t)v0,
                                  (uint64_t)v1, (uint64_t)v2, (uint64_t)v3);
    if (!command) {
        vt_bad_command(cmd, call);
        return;
    }
    vt_fail(command->diag, VTA_INVALID_ARGUMENT, text ? "at most 4 values" : "text is NULL");
    vt_command_report(command, call);
}
