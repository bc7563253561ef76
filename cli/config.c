/* vta config: a configuration and what follows from it. */
#include <string.h>

#include "cli.h"
#include "file.h"
#include "vta/timing.h"

static const vta_memory memories[] = {VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC, VTA_MEM_OUT, VTA_MEM_UOP};

enum { MEMORIES = sizeof memories / sizeof *memories };

static void print_text(const vta_config *c) {
    printf("%-20s %s\n%-20s %s\n%-20s %s\n%-20s %s\n", "from", vta_config_source(c), "TARGET", vta_config_target(c),
           "HW_VER", vta_config_hw_version(c), "bitstream", vta_config_bitstream(c));
    printf("\n%-20s %5s\n", "key", "value");
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) {
        vta_config_field f = (vta_config_field)i;
        printf("%-20s %5d  %s\n", vta_config_field_name(f), vta_config_get(c, f), vta_config_field_meaning(f));
    }
    printf("\nBATCH %u, BLOCK_IN %u, BLOCK_OUT %u: %u multiply-accumulates a cycle\n\n", vta_config_batch(c),
           vta_config_block_in(c), vta_config_block_out(c),
           vta_config_batch(c) * vta_config_block_in(c) * vta_config_block_out(c));
    printf("%-6s %6s %14s %13s %10s\n", "buffer", "bits", "element bytes", "buffer bytes", "elements");
    for (int i = 0; i < MEMORIES; i++)
        printf("%-6s %6u %14u %13u %10u\n", vta_memory_name(memories[i]), vta_config_width(c, memories[i]),
               vta_config_elem_bytes(c, memories[i]), vta_config_buffer_bytes(c, memories[i]),
               vta_config_depth(c, memories[i]));
}

static json_t *derived(const vta_config *c) {
    json_t *buffers = json_object();
    for (int i = 0; i < MEMORIES; i++) {
        vta_memory m = memories[i];
        json_object_set_new(buffers, vta_memory_name(m),
                            json_pack("{s:i, s:i, s:i, s:i}", "bits", (int)vta_config_width(c, m), "element_bytes",
                                      (int)vta_config_elem_bytes(c, m), "buffer_bytes",
                                      (int)vta_config_buffer_bytes(c, m), "elements", (int)vta_config_depth(c, m)));
    }
    return json_pack("{s:i, s:i, s:i, s:s, s:s, s:o}", "batch", (int)vta_config_batch(c), "block_in",
                     (int)vta_config_block_in(c), "block_out", (int)vta_config_block_out(c), "bitstream",
                     vta_config_bitstream(c), "model", vta_config_model(c), "buffers", buffers);
}

/* ---- Instruction layout ----------------------------------------------------------------------------------- */

/* A field and where it lies: `low` is its first bit in the 64-bit half. */
typedef struct place {
    const char *format, *name, *meaning;
    int half, width, low;
} place;

/* What a format is called; the first three are those of vta/insn.def. */
typedef struct format {
    const char *name, *title, *key;
} format;

static const format formats[] = {{"MEM", "LOAD, STORE (128 bits: two halves of 64)", "LOAD and STORE"},
                                 {"GEMM", "GEMM", "GEMM"},
                                 {"ALU", "ALU", "ALU"},
                                 {"UOP", "micro-op (32 bits)", "micro-op"}};

enum { FORMATS = sizeof formats / sizeof *formats, MAX_PLACES = 64 };

static int log2_of(uint32_t n) { return 31 - __builtin_clz(n); }

/* The fields of a format, in bit order; how many. */
static int place_fields(const vta_config *c, const format *f, place *out_places) {
    const int U = log2_of(vta_config_depth(c, VTA_MEM_UOP)), A = log2_of(vta_config_depth(c, VTA_MEM_ACC)),
              I = log2_of(vta_config_depth(c, VTA_MEM_INP)), W = log2_of(vta_config_depth(c, VTA_MEM_WGT));
    const place all[] = {
#define VTA_INSN_COMMON(name, width, meaning) {"", #name, meaning, 0, width, 0},
#define VTA_INSN_FIELD(format, group, name, word, width, kind, meaning) {#format, #name, meaning, word, width, 0},
#include "vta/insn.def"
#undef VTA_INSN_COMMON
#undef VTA_INSN_FIELD
        {"UOP", "dst", "acc index", 0, A, 0},
        {"UOP", "src", "inp index for GEMM, acc index for ALU", 0, A > I ? A : I, 0},
        {"UOP", "wgt", "wgt index", 0, W, 0},
    };
    int count = 0, next[2] = {0, 0};
    bool is_insn = strcmp(f->name, "UOP") != 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool common = is_insn && !*all[i].format;
        if ((!common && strcmp(all[i].format, f->name)) || count == MAX_PLACES) continue;
        place *p = &out_places[count++];
        *p = all[i];
        p->low = next[p->half];
        next[p->half] += p->width;
    }
    return count;
}

static void print_place(const place *p) {
    int high = p->low + p->width - 1;
    char bits[24] = "-"; /* a field of no bits: a buffer of one element needs no index */
    if (p->width) snprintf(bits, sizeof bits, high > p->low ? "%d..%d" : "%d", p->low, high);
    printf("  %-15s %4d  %-7s %5d  %s\n", p->name, p->half, bits, p->width, p->meaning);
}

static void print_layout(const vta_config *c) {
    place places[MAX_PLACES];
    for (int f = 0; f < FORMATS; f++) {
        int count = place_fields(c, &formats[f], places);
        printf("%s\n  %-15s %4s  %-7s %5s  %s\n", formats[f].title, "field", "half", "bits", "width", "meaning");
        for (int i = 0; i < count; i++) print_place(&places[i]);
        printf("\n");
    }
}

static json_t *layout_json(const vta_config *c) {
    place places[MAX_PLACES];
    json_t *all = json_object();
    for (int f = 0; f < FORMATS; f++) {
        json_t *list = json_array();
        int count = place_fields(c, &formats[f], places);
        for (int i = 0; i < count; i++)
            json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:i, s:s}", "field", places[i].name, "half",
                                                  places[i].half, "low", places[i].low, "width", places[i].width,
                                                  "meaning", places[i].meaning));
        json_object_set_new(all, formats[f].key, list);
    }
    return all;
}

/* ---- The command ------------------------------------------------------------------------------------------ */

static void print_json(const vta_config *c, bool layout) {
    json_t *j = json_pack("{s:s, s:o, s:o}", "source", vta_config_source(c), "config",
                          cli_json_of(vta_config_to_json(c)), "derived", derived(c));
    if (layout) json_object_set_new(j, "layout", layout_json(c));
    cli_print_json(j);
}

static vta_status write_file(const vta_config *c, const char *path) {
    char *text = vta_config_to_json(c);
    vta_status status = text ? cli_write_file(path, text, strlen(text)) : VTA_NO_MEMORY;
    vta_string_free(text);
    return status;
}

int cmd_config(const cli_command *self, int argc, char **argv) {
    cli_common common = {0};
    bool check = false, layout = false;
    const char *output = NULL;
    const cli_option options[] = {
        CLI_CONFIG_OPTIONS(&common),
        CLI_JSON_OPTION(&common),
        {"check", 0, CLI_FLAG, NULL, "print nothing when the configuration is valid", &check},
        {"layout", 'l', CLI_FLAG, NULL, "print which bits of an instruction hold which field", &layout},
        {"write", 'w', CLI_TEXT, "FILE", "write the configuration as a vta_config.json", &output},
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc > 1) return cli_usage(self, "%s: one file at most", argv[1]);
    if (argc == 1 && common.config) return cli_usage(self, "%s: --config names a file already", argv[0]);
    if (argc == 1) common.config = argv[0];
    vta_config *config;
    vta_status status = cli_find_config(&common, &config);
    if (status != VTA_OK) return cli_finish(status);
    vta_timing_profile timing; /* the model alone knows which settings there are */
    if (check) status = vta_timing_profile_for(config, cli_diag(), &timing);
    if (status == VTA_OK && output) status = write_file(config, output);
    if (common.json)
        print_json(config, layout);
    else if (layout)
        print_layout(config);
    else if (!check && !output)
        print_text(config);
    vta_config_release(config);
    return cli_finish(status);
}
