/* vta import: a checkpoint of a training program as an ONNX model. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "file.h"
#include "model.h"
#include "vta/import.h"
#include "vta/support.h"

static vta_status import(const char *path, const char *output, const vtac_import_options *options, size_t *out_size) {
    char *checkpoint = NULL;
    uint8_t *model = NULL;
    size_t size = 0;
    vta_status status = cli_read_file(path, &checkpoint, &size);
    if (status == VTA_OK) status = vtac_import_llama2c(checkpoint, size, path, options, cli_diag(), &model, out_size);
    if (status == VTA_OK) status = cli_write_file(output, model, *out_size);
    vta_string_free((char *)model);
    free(checkpoint);
    return status;
}

int cmd_import(const cli_command *self, int argc, char **argv) {
    static const char *output;
    static uint64_t tokens, opset;
    static bool json;
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, "FILE.onnx", "the model (CHECKPOINT with the ending .onnx)", &output},
        {"tokens", 'n', CLI_NUMBER, "N", "fix how many tokens a run takes (else the model leaves it open)", &tokens},
        {"opset", 0, CLI_NUMBER, "17|23", "the operator set: 23 has operators for attention (17)", &opset},
        {"json", 'j', CLI_FLAG, NULL, "print JSON instead of text", &json},
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 2) return cli_usage(self, "expected a format and one CHECKPOINT, as: llama2c stories260K.bin");
    if (strcmp(argv[0], "llama2c") != 0) {
        static const char *const formats[] = {"llama2c"};
        return cli_finish(cli_unknown("import", argv[0], "format", formats, 1, "formats are: llama2c"));
    }
    char *own = output ? NULL : cli_with_ending(argv[1], ".onnx");
    const char *path = output ? output : own;
    const vtac_import_options how = {sizeof how, (int64_t)opset, (int64_t)tokens};
    size_t size = 0;
    vta_status status = path ? import(argv[1], path, &how, &size) : VTA_NO_MEMORY;
    if (status == VTA_OK && json)
        cli_print_json(json_pack("{s:s, s:I}", "file", path, "bytes", (json_int_t)size));
    else if (status == VTA_OK)
        printf("%s: %zu bytes\n", path, size);
    free(own);
    return cli_finish(status);
}
