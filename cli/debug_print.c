#include "debugger.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The disassembler's line without its comment, and without fields that say nothing by being 0. */
static void print_fields(char *line) {
    static const char *const keep[] = {"sram_base=0", "dram_base=0", "uop_bgn=0", "imm=0"};
    line[strcspn(line, "\n;")] = '\0';
    const char *separator = "";
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
        size_t size = strlen(word);
        bool zero = size > 2 && !strcmp(word + size - 2, "=0"), kept = !zero && strncmp(word, "spare_", 6);
        for (size_t i = 0; i < sizeof keep / sizeof *keep; i++) kept |= !strcmp(word, keep[i]);
        if (!kept) continue;
        printf("%s%s", separator, word);
        separator = " ";
    }
}

static void print_label(const session *s, uint32_t index) {
    vta_insn insn;
    uint8_t bytes[VTA_INSN_BYTES];
    char *text = NULL;
    if (vta_debugger_insn(s->debugger, index, &insn, NULL) != VTA_OK) return;
    if (vta_insn_encode(s->config, &insn, NULL, bytes) == VTA_OK &&
        vta_disasm(s->config, bytes, 1, NULL, &text) == VTA_OK) {
        char *line = text;
        while (*line == ';' && strchr(line, '\n')) line = strchr(line, '\n') + 1;
        print_fields(line);
    }
    vta_string_free(text);
}

void print_insn(const session *s, uint32_t index) {
    vta_insn_time t;
    if (vta_debugger_insn(s->debugger, index, NULL, &t) != VTA_OK) return;
    const char *source = vta_program_note(s->program, s->run, index);
    printf("%6u  ", index);
    print_label(s, index);
    if (source) printf("   {%s}", source);
    if (t.start == UINT64_MAX)
        printf("   [not done before FINISH]\n");
    else
        printf("   [%s, cycles %" PRIu64 " to %" PRIu64 "]\n", vta_unit_name((vta_unit)t.unit), t.start, t.end);
}

void print_where(const session *s) {
    uint32_t position = vta_debugger_position(s->debugger), next = vta_debugger_at(s->debugger, position);
    printf("cycle %" PRIu64 " of %" PRIu64 ", %u of %u instructions took effect\n", vta_debugger_cycle(s->debugger),
           vta_debugger_cycles(s->debugger), position, vta_debugger_length(s->debugger));
    if (next == UINT32_MAX) {
        printf("the run is over\n");
        return;
    }
    printf("next ");
    print_insn(s, next);
}

/* "waiting for a load->compute token" says more than the state's own text. */
static const char *state_text(int unit, uint32_t state, char text[64]) {
    static const struct {
        int from, to;
        vta_token_queue queue;
    } queues[] = {
#define VTA_TOKEN(from, to, number, name, letters) {VTA_UNIT_##from, VTA_UNIT_##to, VTA_TOKEN_##from##_##to},
#include "vta/token.def"
#undef VTA_TOKEN
    };
    int from = state == VTA_STATE_WAIT_PREV ? unit - 1 : state == VTA_STATE_WAIT_NEXT ? unit + 1 : -1;
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++)
        if (queues[i].from == from && queues[i].to == unit) {
            snprintf(text, 64, "waiting for a %s token", vta_token_queue_name(queues[i].queue));
            return text;
        }
    return vta_unit_state_text((vta_unit_state)state);
}

void print_units(const session *s) {
    for (int u = VTA_UNIT_LOAD; u < VTA_UNIT_COUNT; u++) {
        vta_unit_view v = vta_debugger_unit(s->debugger, (vta_unit)u);
        char text[64];
        printf("%-8s %-37s", vta_unit_name((vta_unit)u), state_text(u, v.state, text));
        if (v.insn == UINT32_MAX)
            printf(" no more instructions");
        else if (v.state == VTA_STATE_BUSY)
            printf(" instruction %u, cycles %" PRIu64 " to %" PRIu64, v.insn, v.since, v.until);
        else
            printf(" instruction %u, since cycle %" PRIu64 ", until %" PRIu64, v.insn, v.since, v.until);
        printf("; %u queued\n", v.queued);
    }
}

void print_queues(const session *s) {
    uint32_t tokens[VTA_TOKEN_QUEUES];
    vta_debugger_tokens(s->debugger, tokens);
    for (int q = 0; q < VTA_TOKEN_QUEUES; q++)
        printf("%-16s %u\n", vta_token_queue_name((vta_token_queue)q), tokens[q]);
}

void print_list(const session *s, uint32_t first, uint32_t count) {
    uint32_t next = vta_debugger_at(s->debugger, vta_debugger_position(s->debugger));
    for (uint32_t i = first; i < first + count && i < vta_debugger_count(s->debugger); i++) {
        fputs(i == next ? "->" : "  ", stdout);
        print_insn(s, i);
    }
}

void print_stop(const session *s, int number) {
    const stop *b = &s->stops[number];
    printf("%d: ", number + 1);
    switch (b->kind) {
    case STOP_INSN: printf("instruction %u\n", b->what); break;
    case STOP_TOKEN: printf("token %s\n", vta_token_queue_name((vta_token_queue)b->what)); break;
    case STOP_SRAM: printf("%s %u\n", vta_memory_name((vta_memory)b->what), b->place); break;
    case STOP_DRAM: printf("dram 0x%08x\n", b->place); break;
    }
}

/* Scalar `i` of packed scalars of `width` bits. */
static int64_t scalar(const uint8_t *bytes, size_t i, uint32_t width) {
    uint64_t raw = 0;
    for (uint32_t bit = 0; bit < width; bit++) {
        size_t at = i * width + bit;
        raw |= (uint64_t)(bytes[at / 8] >> at % 8 & 1) << bit;
    }
    uint64_t sign = 1ull << (width - 1);
    return (int64_t)(raw ^ sign) - (int64_t)sign;
}

static void print_uop(const session *s, uint32_t index, const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    vta_uop op = vta_uop_decode(s->config, word);
    printf("uop %u: dst %u src %u wgt %u\n", index, op.dst, op.src, op.wgt);
}

static void print_tile(const session *s, vta_memory memory, uint32_t index, const uint8_t *bytes) {
    uint32_t batch = vta_config_batch(s->config), in = vta_config_block_in(s->config);
    uint32_t out = vta_config_block_out(s->config), width = vta_config_width(s->config, memory);
    uint32_t rows = memory == VTA_MEM_WGT ? out : batch, columns = memory == VTA_MEM_ACC ? out : in;
    if (memory == VTA_MEM_TABLE) rows = columns = 16;
    printf("%s %u:\n", vta_memory_name(memory), index);
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++) printf(" %6" PRId64, scalar(bytes, (size_t)r * columns + c, width));
        putchar('\n');
    }
}

bool print_buffer(session *s, vta_memory memory, uint32_t first, uint32_t count) {
    if (memory == VTA_MEM_OUT || memory == VTA_MEM_ACC_8BIT) memory = VTA_MEM_ACC;
    size_t tile = vta_config_elem_bytes(s->config, memory);
    uint8_t *bytes = malloc(tile);
    vta_status status = bytes ? VTA_OK : VTA_NO_MEMORY;
    for (uint32_t i = 0; i < count && status == VTA_OK; i++) {
        status = vta_debugger_peek(s->debugger, memory, first + i, 1, bytes, tile, cli_diag());
        if (status != VTA_OK) break;
        if (memory == VTA_MEM_UOP)
            print_uop(s, first + i, bytes);
        else
            print_tile(s, memory, first + i, bytes);
    }
    free(bytes);
    return status == VTA_OK;
}
