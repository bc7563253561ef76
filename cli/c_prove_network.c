/* Every operator of a network, proven right for all inputs. */
#include "c_prove_network.h"

#include <stdlib.h>
#include <string.h>

#include "vta/build.h"

typedef struct proving {
    const cli_network_proof *asked;
    json_t *operators;
    size_t count, proven;
    vta_status status; /* of the first that could not be tried */
} proving;

static bool is_asked_for(const cli_network_proof *p, const char *layer) {
    for (int i = 0; i < p->layers.count; i++)
        if (!strcmp(p->layers.item[i], layer)) return true;
    return !p->layers.count;
}

static vta_status prove(const proving *p, const vtac_op *op, vtac_prove_result *out) {
    vtac_prove_options options = {.seed = p->asked->seed, .draws = (uint32_t)p->asked->draws};
    return vtac_op_prove(op, &options, cli_diag(), out);
}

static void tell(proving *p, const char *layer, const vtac_op *op, const vtac_prove_result *r) {
    const char *verdict = vtac_verdict_name(r->verdict);
    if (p->asked->json) {
        json_array_append_new(p->operators, json_pack("{s:s, s:s, s:s, s:s, s:f, s:f}", "layer", layer, "operator",
                                                      vtac_op_name(op), "result", verdict, "reason", r->reason,
                                                      "log2_error", r->log2_error, "seconds", r->seconds));
        return;
    }
    printf("%s (%s): %s", layer, vtac_op_name(op), verdict);
    if (r->verdict == VTAC_PROVEN)
        printf(", in every order, the chance that this is wrong is below 2^%.0f", r->log2_error);
    else
        printf(": %s", r->reason);
    printf(". %.2f s\n", r->seconds);
    fflush(stdout);
}

static bool try_one(void *user, const char *layer, const vtac_op *op) {
    proving *p = user;
    vtac_prove_result result = {.size = sizeof result};
    if (!is_asked_for(p->asked, layer)) return false;
    cli_progress_end();
    p->status = prove(p, op, &result);
    if (p->status != VTA_OK) return true;
    p->count++;
    p->proven += result.verdict == VTAC_PROVEN;
    tell(p, layer, op, &result);
    return false;
}

static vta_status prove_all(proving *p, const vtac_quantized *quantized, const vta_config *config) {
    vtac_compile_options options = {.size = sizeof options, .user = p, .scheduled = try_one};
    uint8_t *bytes = NULL;
    size_t size;
    vta_status status = vtac_quantized_compile(quantized, config, &options, cli_diag(), &bytes, &size, NULL);
    vta_string_free((char *)bytes);
    return p->status != VTA_OK ? p->status : status;
}

static vta_status prove_model(proving *p, cli_network_proof *asked) {
    vtac_graph *graph;
    vtac_quantized *quantized;
    vta_config *config = NULL;
    asked->network.any_samples = true;
    vta_status status = cli_pictures_settle(&asked->pictures, asked->path);
    if (status != VTA_OK) return status;
    status = cli_network_quantize(&asked->network, asked->path, &asked->pictures, 0, NULL, &graph, &quantized);
    if (status == VTA_OK) status = cli_find_config(asked->network.common, &config);
    if (status == VTA_OK) status = prove_all(p, quantized, config);
    vta_config_release(config);
    vtac_quantized_destroy(quantized);
    vtac_graph_destroy(graph);
    return status;
}

int cli_prove_network(cli_network_proof *asked) {
    proving p = {.asked = asked, .operators = json_array()};
    vta_status status = prove_model(&p, asked);
    if (status == VTA_OK && !p.count) {
        vta_diag_add(cli_diag(), VTA_ERROR, VTA_NOT_FOUND, "no operator to prove: no such layer on the accelerator");
        status = VTA_NOT_FOUND;
    }
    if (status == VTA_OK && asked->json)
        cli_print_json(json_pack("{s:s, s:O, s:I, s:I}", "model", asked->path, "operators", p.operators, "count",
                                 (json_int_t)p.count, "proven", (json_int_t)p.proven));
    else if (status == VTA_OK)
        printf("%zu of %zu operators proven right for all inputs\n", p.proven, p.count);
    json_decref(p.operators);
    free(asked->pictures.labels);
    int code = cli_finish(status);
    return code == CLI_OK && p.proven != p.count ? CLI_FAILED : code;
}
