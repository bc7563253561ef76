/* vta disasm: instructions as text or JSON. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file.h"
#include "vta/isa.h"
#include "vta/program.h"

typedef struct output {
    const vta_config *config;
    bool json;
    json_t *runs; /* with json */
    char *text;   /* without: what was disassembled so far */
    size_t size;
} output;

/* ---- JSON ------------------------------------------------------------------------------------------------ */

/* The fields of one instruction's format, each under its name. */
static void add_fields(json_t *o, const vta_insn *insn) {
    enum { MEM, GEMM, ALU, NONE };
    static const int formats[] = {
#define VTA_OPCODE(name, number, format, meaning) [number] = format,
#define VTA_ALU_OPCODE(name, number, formula, field, lane)
#include "vta/opcode.def"
#undef VTA_OPCODE
#undef VTA_ALU_OPCODE
    };
    int format = formats[insn->opcode];
#define VTA_INSN_COMMON(name, width, meaning) json_object_set_new(o, #name, json_integer(insn->name));
#define VTA_INSN_FIELD(of, group, name, word, width, kind, meaning)                                                    \
    if (format == of) json_object_set_new(o, #name, json_integer(insn->u.group.name));
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
}

static json_t *insn_json(const vta_config *config, const uint8_t *bytes) {
    json_t *o = json_object();
    vta_insn insn;
    if (vta_insn_decode(config, bytes, NULL, &insn) != VTA_OK) {
        json_object_set_new(o, "damaged", json_true());
        return o;
    }
    json_object_set_new(o, "name", json_string(vta_opcode_name((vta_opcode)insn.opcode)));
    const char *stage = vta_stage_name(vta_insn_stage(&insn));
    json_object_set_new(o, "stage", stage ? json_string(stage) : json_null());
    add_fields(o, &insn);
    return o;
}

static void add_json(output *out, const uint8_t *bytes, size_t count) {
    json_t *insns = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(insns, insn_json(out->config, bytes + i * VTA_INSN_BYTES));
    json_array_append_new(out->runs, insns);
}

/* ---- Text ------------------------------------------------------------------------------------------------ */

static vta_status append(output *out, const char *text) {
    size_t n = strlen(text);
    char *grown = realloc(out->text, out->size + n + 1);
    if (!grown) return VTA_NO_MEMORY;
    memcpy(grown + out->size, text, n + 1);
    out->text = grown;
    out->size += n;
    return VTA_OK;
}

static vta_status add_stream(output *out, const uint8_t *bytes, size_t count) {
    if (out->json) {
        add_json(out, bytes, count);
        return VTA_OK;
    }
    char *text;
    vta_status status = vta_disasm(out->config, bytes, count, cli_diag(), &text);
    if (status == VTA_OK) status = append(out, text);
    vta_string_free(text);
    return status;
}

/* ---- Where streams come from ------------------------------------------------------------------------------ */

static vta_status add_run(output *out, const vta_program *program, uint32_t index) {
    vta_program_run_info run;
    vta_status status = vta_program_get_run(program, index, &run);
    char title[80];
    snprintf(title, sizeof title, "; run %u, instructions at 0x%08x\n", index, run.insn_addr);
    if (status == VTA_OK && !out->json) status = append(out, title);
    return status == VTA_OK ? add_stream(out, run.insns, run.insn_count) : status;
}

static vta_status add_program(output *out, const char *path, uint64_t only) {
    vta_program *program;
    vta_status status = vta_program_load(path, NULL, cli_diag(), &program);
    if (status != VTA_OK) return status;
    out->config = vta_program_config(program);
    uint32_t count = vta_program_run_count(program);
    if (only != UINT64_MAX && only >= count) {
        char message[80];
        snprintf(message, sizeof message, "--run %llu: the program has %u, counted from 0", (unsigned long long)only,
                 count);
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_OUT_OF_RANGE, message);
        status = VTA_OUT_OF_RANGE;
    }
    for (uint32_t i = 0; i < count && status == VTA_OK; i++)
        if (only == UINT64_MAX || only == i) status = add_run(out, program, i);
    vta_program_destroy(program);
    return status;
}

static vta_status add_file(output *out, const char *path, const cli_common *common) {
    char *bytes;
    size_t size;
    vta_status status = cli_read_file(path, &bytes, &size);
    if (status != VTA_OK) return status;
    vta_config *config = NULL;
    if (size % VTA_INSN_BYTES) {
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_PARSE, "a bare stream has 16 bytes an instruction; this file does not");
        status = VTA_PARSE;
    }
    if (status == VTA_OK) status = cli_find_config(common, &config);
    out->config = config;
    if (status == VTA_OK) status = add_stream(out, (const uint8_t *)bytes, size / VTA_INSN_BYTES);
    vta_config_release(config);
    free(bytes);
    return status;
}

int cmd_disasm(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    uint64_t run = UINT64_MAX;
    const char *to = NULL;
    const cli_option options[] = {
        {"run", 'r', CLI_NUMBER, "N", "only this run of the program, counted from 0", &run},
        {"output", 'o', CLI_TEXT, "FILE", "write there instead of standard output", &to},
        CLI_CONFIG_OPTIONS(&common),
        CLI_JSON_OPTION(&common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one program or stream is needed, not %d", argc);
    output out = {.json = common.json, .runs = json_array()};
    vta_status status = cli_is_program(argv[0]) ? add_program(&out, argv[0], run) : add_file(&out, argv[0], &common);
    if (out.json && status == VTA_OK) {
        out.text = json_dumps(out.runs, JSON_INDENT(1) | JSON_PRESERVE_ORDER);
        out.size = out.text ? strlen(out.text) : 0;
        status = out.text ? append(&out, "\n") : VTA_NO_MEMORY;
    }
    if (status == VTA_OK) status = cli_write_file(to, out.text ? out.text : "", out.size);
    json_decref(out.runs);
    free(out.text);
    return cli_finish(status);
}
