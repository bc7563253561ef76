/* vta compare: a network in floats and in integers side by side, layer by layer, and whether the accelerator gives what
 * the integers say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_compare.h"
#include "c_network.h"
#include "file.h"

enum { LAYERS = 4096 };

typedef struct state {
    cli_common common;
    cli_network network;
    cli_pictures pictures;
    vtac_graph *graph;
    vtac_quantized *quantized;
    vtac_evaluator *floats;
    cli_layer *rows;
    size_t count, first; /* first: the layer where they part; SIZE_MAX: none */
    bool equal;
    const char *html;
    bool causes; /* --causes: */
    cli_causes found;
    bool against_model; /* --against-model: */
    cli_differences differences;
    int word_count; /* of the command, behind its name */
    char **words;
    cli_list given; /* inputs as they stand in the command */
    cli_tensors inputs, outputs;
    void **input_data, **output_data;
} state;

/* ---- Layers ---- */

/* The float value of that name; NULL when the graph has none. */
static const float *float_of(const state *s, const char *name) {
    vtac_graph_node n = {.size = sizeof n, .output.size = sizeof n.output};
    for (size_t i = 0; vtac_graph_node_get(s->graph, i, &n) == VTA_OK; i++)
        if (!strcmp(n.output.name, name)) return vtac_evaluator_node(s->floats, i);
    for (size_t i = 0; i < s->inputs.count; i++)
        if (!strcmp(s->inputs.item[i].name, name)) return s->input_data[i];
    return NULL;
}

static void compare_layer(void *user, const vtac_quantized_layer *l) {
    state *s = user;
    bool number = l->scale > 0 || (l->type.code == kDLFloat && l->type.bits == 32);
    const float *want = number ? float_of(s, l->value) : NULL;
    if (!want || s->count == LAYERS) return;
    cli_layer_measure(l, want, &s->rows[s->count]);
    if (s->rows[s->count].decibels < CLI_COMPARE_PART && s->first == SIZE_MAX) s->first = s->count;
    s->count++;
}

/* ---- Runs ---- */

/* The same bytes; of floats, one that is not a number is as good as another. */
static bool is_same(const cli_tensor *t, const void *got, const void *want) {
    if (t->type.code != kDLFloat || t->type.bits != 32) return !memcmp(got, want, t->bytes);
    for (size_t i = 0; i < t->bytes / sizeof(float); i++) {
        const float *a = (const float *)got + i, *b = (const float *)want + i;
        if (memcmp(a, b, sizeof *a) && !(isnan(*a) && isnan(*b))) return false;
    }
    return true;
}

static vta_status check_outputs(state *s, vta_instance *instance) {
    s->equal = true;
    for (size_t i = 0; i < s->outputs.count; i++) {
        size_t bytes = s->outputs.item[i].bytes;
        void *got = malloc(bytes + 1);
        vta_status status =
            got ? vta_instance_get_output(instance, (uint32_t)i, got, bytes, cli_diag()) : VTA_NO_MEMORY;
        s->equal = s->equal && status == VTA_OK && is_same(&s->outputs.item[i], got, s->output_data[i]);
        free(got);
        if (status != VTA_OK) return status;
    }
    return VTA_OK;
}

static vta_status run_accelerator(state *s) {
    uint8_t *bytes;
    size_t size;
    vta_model *model = NULL;
    vta_instance *instance = NULL;
    vta_instance_options options = {.size = sizeof options, .driver = s->network.driver};
    vta_status status = cli_network_build(&s->network, s->quantized, &bytes, &size, NULL);
    if (status == VTA_OK) {
        status = vta_model_parse(bytes, size, "network", NULL, cli_diag(), &model);
        vta_string_free((char *)bytes);
    }
    if (status == VTA_OK) status = vta_instance_create(model, &options, cli_diag(), &instance);
    for (size_t i = 0; i < s->inputs.count && status == VTA_OK; i++)
        status = vta_instance_set_input(instance, (uint32_t)i, s->input_data[i], s->inputs.item[i].bytes, cli_diag());
    if (status == VTA_OK) status = vta_instance_run(instance, cli_diag());
    if (status == VTA_OK) status = check_outputs(s, instance);
    vta_instance_destroy(instance);
    vta_model_release(model);
    return status;
}

static vta_status read_inputs(state *s, const char *model) {
    static const cli_list none;
    vta_status status = cli_graph_tensors(s->graph, model, false, &s->inputs);
    if (status == VTA_OK) status = cli_graph_tensors(s->graph, model, true, &s->outputs);
    if (status == VTA_OK) status = cli_tensors_read(&s->inputs, &s->given, &s->pictures, true, &s->input_data);
    if (status == VTA_OK) status = cli_tensors_read(&s->outputs, &none, NULL, false, &s->output_data);
    s->rows = calloc(LAYERS, sizeof *s->rows);
    return status == VTA_OK && !s->rows ? VTA_NO_MEMORY : status;
}

static vta_status compare(state *s, const char *model) {
    vtac_evaluator_options keep = {.size = sizeof keep, .keep = true};
    vtac_quantized_options watch = {.size = sizeof watch, .after = compare_layer, .user = s};
    vta_status status = cli_pictures_settle(&s->pictures, model);
    if (status == VTA_OK)
        status = cli_network_quantize(&s->network, model, &s->pictures, 0, NULL, &s->graph, &s->quantized);
    if (status == VTA_OK) status = read_inputs(s, model);
    const void *const *inputs = (const void *const *)s->input_data;
    if (status == VTA_OK) status = vtac_evaluator_create(s->graph, &keep, NULL, cli_diag(), &s->floats);
    if (status == VTA_OK) status = vtac_evaluator_run(s->floats, inputs, cli_diag());
    if (status == VTA_OK) status = vtac_quantized_run(s->quantized, inputs, s->output_data, &watch, cli_diag());
    if (status == VTA_OK && s->causes) status = cli_causes_find(s->quantized, inputs, &s->found);
    if (status == VTA_OK && s->causes) cli_causes_help(&s->found, &s->network);
    if (status == VTA_OK && s->against_model) status = cli_differences_find(s->quantized, inputs, &s->differences);
    return status == VTA_OK ? run_accelerator(s) : status;
}

/* ---- Answers ---- */

static json_t *decibels(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static void as_json(const state *s) {
    json_t *layers = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const cli_layer *r = &s->rows[i];
        json_array_append_new(layers,
                              json_pack("{s:s, s:s, s:f, s:f, s:o, s:b, s:I}", "value", r->value, "kind", r->kind,
                                        "max", r->most, "cosine", r->cosine, "sqnr", decibels(r->decibels), "exact",
                                        r->exact, "not_finite", (json_int_t)r->odd));
    }
    json_t *all =
        json_pack("{s:o, s:o, s:b}", "layers", layers, "first",
                  s->first == SIZE_MAX ? json_null() : json_string(s->rows[s->first].value), "equal", s->equal);
    if (s->causes) json_object_set_new(all, "causes", cli_causes_json(&s->found));
    if (s->against_model) json_object_set_new(all, "against_model", cli_differences_json(&s->differences));
    cli_print_json(all);
}

static void as_text(const state *s) {
    char text[32];
    printf("%-32s %-10s %12s %9s %9s\n", "value", "layer", "max error", "cosine", "SQNR, dB");
    for (size_t i = 0; i < s->count; i++) {
        const cli_layer *r = &s->rows[i];
        printf("%-32s %-10s %12.5g %9.6f %9s%s", r->value, r->kind, r->most, r->cosine, cli_layer_decibels(r, text),
               i == s->first ? "  <- they part here" : "");
        if (r->odd) printf("  (%zu of %zu are infinite or not a number in one of the two)", r->odd, r->count);
        putchar('\n');
    }
    if (s->first == SIZE_MAX) printf("No layer has a signal less than %g dB over the error.\n", CLI_COMPARE_PART);
    puts(s->equal ? "The accelerator gives what the integers say, to the bit."
                  : "The accelerator does NOT give what the integers say: a mistake of the compiler or the device.");
    if (s->causes) cli_causes_print(&s->found, s->word_count, s->words);
    if (s->against_model) cli_differences_print(&s->differences);
}

static void forget(state *s) {
    vtac_evaluator_destroy(s->floats);
    vtac_quantized_destroy(s->quantized);
    vtac_graph_destroy(s->graph);
    free(s->pictures.labels);
    free(s->rows);
    free((void *)s->words);
    cli_causes_free(&s->found);
    cli_differences_free(&s->differences);
    cli_tensors_free(&s->inputs, s->input_data);
    cli_tensors_free(&s->outputs, s->output_data);
    free((void *)s->inputs.item);
    free((void *)s->outputs.item);
}

int cmd_compare(const cli_command *self, int argc, char **argv) {
    static state s;
    s.network.common = &s.common;
    s.first = SIZE_MAX;
    const cli_option options[] = {
        {"html", 0, CLI_TEXT, "FILE", "write a page with the plots: error by layer, values, errors", &s.html},
        {"causes", 0, CLI_FLAG, NULL, "say which layers lose, by what, and which options help", &s.causes},
        {"against-model", 0, CLI_FLAG, NULL, "compare with the integers of a model that was quantized elsewhere",
         &s.against_model},
        {"driver", 'd', CLI_TEXT, "NAME", "sim (default), tsim, rtl or a board", &s.network.driver},
        CLI_NETWORK_OPTIONS(&s.network),
        CLI_PICTURE_OPTIONS(&s.pictures),
        CLI_GRAPH_OPTIONS(&s.network.of_graph),
        CLI_STAGES_OPTION,
        CLI_CONFIG_OPTIONS(&s.common),
        CLI_TIMING_OPTIONS(&s.common.timing),
        CLI_JSON_OPTION(&s.common),
        {0},
    };
    s.words = calloc((size_t)argc + 1, sizeof *s.words);
    for (int i = 1; s.words && i < argc; i++) s.words[s.word_count++] = argv[i];
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc < 2) return cli_usage(self, "expected MODEL and its inputs: images or .npy files");
    if (argc - 1 > CLI_LIST_MAX) return cli_usage(self, "too many inputs");
    for (int i = 1; i < argc; i++) s.given.item[s.given.count++] = argv[i];
    s.network.inputs = &s.given;
    vta_status status = compare(&s, argv[0]);
    if (status == VTA_OK) (s.common.json ? as_json : as_text)(&s);
    const cli_layers layers = {s.rows, s.count, s.first, s.equal};
    if (status == VTA_OK && s.html) status = cli_compare_page(&layers, argv[0], s.html);
    code = cli_finish(status == VTA_OK && !s.equal ? VTA_MISMATCH : status);
    forget(&s);
    return code;
}
