#include "runtime/dump.h"

#include "base/strbuf.h"

/* Text for which there is no memory is left out: a dump is not part of the run. */
static void send(const vta_sink *sink, vt_strbuf *sb) {
    if (!sb->failed) sink->write(sink->ctx, vt_strbuf_text(sb), sb->size);
    vt_strbuf_free(sb);
}

void vt_dump_stream(vt_command *command) {
    const vta_sink *sink = &command->runtime->sink;
    if (!sink->write) return;
    char *text = NULL;
    if (vta_disasm(command->config, command->bytes, command->queue.count, NULL, &text) != VTA_OK) return;
    vt_strbuf sb;
    vt_strbuf_init(&sb, &command->runtime->allocator);
    vt_strbuf_addf(&sb, "There are %zu instructions\n", command->queue.count);
    vt_strbuf_add(&sb, text);
    vta_string_free(text);
    send(sink, &sb);
}

void vt_dump_kernel(vt_command *command, const vt_uop_kernel *kernel) {
    vta_runtime *runtime = command->runtime;
    vt_strbuf sb;
    vt_strbuf_init(&sb, &runtime->allocator);
    vt_strbuf_addf(&sb, "There are %zu uops\n", kernel->count);
    for (size_t i = 0; i < kernel->count; i++) {
        vta_uop uop = vt_uop_unpack(command->config, kernel->words[i]);
        const char *source = kernel->first.mode == VT_KERNEL_GEMM ? "inp" : "src";
        vt_strbuf_addf(&sb, "[%04zu]\t acc=%u, %s=%u, wgt=%u\n", i, uop.dst, source, uop.src, uop.wgt);
    }
    pthread_mutex_lock(&runtime->lock);
    if (runtime->sink.write)
        send(&runtime->sink, &sb);
    else
        vt_strbuf_free(&sb);
    pthread_mutex_unlock(&runtime->lock);
}
