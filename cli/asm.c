/* vta asm: text to instructions. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file.h"
#include "vta/isa.h"
#include "vta/program.h"

typedef struct job {
    const char *text_path, *into, *to;
    uint64_t run;
    const cli_common *common;
} job;

static vta_status assemble(const job *j, const vta_config *config, uint8_t **out_bytes, size_t *out_count) {
    char *text;
    size_t size;
    vta_status status = cli_read_file(j->text_path, &text, &size);
    if (status == VTA_OK) status = vta_asm(config, text, size, j->text_path, cli_diag(), out_bytes, out_count);
    free(text);
    return status;
}

static vta_status to_stream(const job *j, size_t *out_count) {
    vta_config *config = NULL;
    uint8_t *bytes = NULL;
    vta_status status = cli_find_config(j->common, &config);
    if (status == VTA_OK) status = assemble(j, config, &bytes, out_count);
    if (status == VTA_OK) status = cli_write_file(j->to, bytes, *out_count * VTA_INSN_BYTES);
    vta_string_free(bytes);
    vta_config_release(config);
    return status;
}

static vta_status save(const vta_program *program, const char *to) {
    if (strcmp(to, "-")) return vta_program_save(program, to, cli_diag());
    uint8_t *bytes;
    size_t size;
    vta_status status = vta_program_serialize(program, cli_diag(), &bytes, &size);
    if (status == VTA_OK) status = cli_write_file(to, bytes, size);
    vta_string_free(bytes);
    return status;
}

static vta_status to_program(const job *j, size_t *out_count) {
    vta_program *program = NULL;
    uint8_t *bytes = NULL;
    vta_status status = vta_program_load(j->into, NULL, cli_diag(), &program);
    if (status == VTA_OK) status = assemble(j, vta_program_config(program), &bytes, out_count);
    if (status == VTA_OK)
        status = vta_program_set_insns(program, (uint32_t)j->run, bytes, (uint32_t)*out_count, cli_diag());
    if (status == VTA_OK) status = save(program, j->to);
    vta_string_free(bytes);
    vta_program_destroy(program);
    return status;
}

int cmd_asm(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    job j = {.common = &common};
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE", "where the stream or the program goes", &j.to},
        {"into", 0, CLI_TEXT, "PROGRAM", "put the instructions into a copy of this program", &j.into},
        {"run", 'r', CLI_NUMBER, "N", "which run of it, counted from 0 (default 0)", &j.run},
        CLI_CONFIG_OPTIONS(&common),
        CLI_JSON_OPTION(&common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "one text is needed, not %d (- is standard input)", argc);
    if (!j.to) return cli_usage(self, "needs --output FILE (- is standard output)");
    if (common.json && !strcmp(j.to, "-")) return cli_usage(self, "--json and --output - both use standard output");
    if (j.run > UINT32_MAX) return cli_usage(self, "--run %llu: no program has so many", (unsigned long long)j.run);
    j.text_path = argv[0];
    size_t count = 0;
    vta_status status = j.into ? to_program(&j, &count) : to_stream(&j, &count);
    if (status == VTA_OK && common.json)
        cli_print_json(json_pack("{s:I, s:s}", "instructions", (json_int_t)count, "output", j.to));
    return cli_finish(status);
}
