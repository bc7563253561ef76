/* vta prove: a kernel is right for all inputs, or where it is not. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "c_kernel.h"
#include "c_prove_network.h"
#include "object.h"
#include "timing.h"

enum { MAX_ARGS = 64 };

typedef struct proving {
    cli_kernel k;
    const char *function, *against;
    uint64_t seed, draws;
    const char *name;
    size_t n;
    const te_tensor *args[MAX_ARGS];
    const char *names[MAX_ARGS];
    vta_config *config;
    vtac_kernel *kernel;
    cli_schedule scheduled;
    vtac_module *module;
    cli_object object;
    vtac_prove_result result;
} proving;

static const char *const order_names[] = {"program", "random", "store-late"};

static vta_status refuse(vta_status status, const char *fmt, const char *x, const char *y) {
    char message[1024];
    snprintf(message, sizeof message, fmt, x, y);
    vta_diag_add(cli_diag(), VTA_ERROR, status, message);
    return status;
}

/* ---- What to prove --------------------------------------------------------------------------------------------- */

static vta_status compile(proving *r, const char *path, vta_packed_function *out_function) {
    const char *target;
    vta_status status = cli_kernel_load(&r->k, path, &r->config, &r->kernel);
    if (status == VTA_OK) status = cli_kernel_target(&r->k, r->kernel, &target);
    if (status != VTA_OK) return status;
    if (strcmp(target, "vta"))
        return refuse(VTA_UNSUPPORTED, "%s: %s is for the host: it runs nothing on the accelerator", path,
                      vtac_kernel_name(r->kernel));
    vtac_lower_options lower = cli_kernel_options(&r->k, r->config, target);
    lower.annotate = 1; /* instructions are named after the stages that they come from */
    vtac_build_func f = {0};
    status = cli_kernel_schedule(&r->k, r->kernel, &r->scheduled);
    if (status == VTA_OK) status = cli_kernel_lower(r->scheduled.kernel, &lower, &f.func);
    if (status == VTA_OK) status = vtac_build(1, &f, NULL, cli_diag(), &r->module);
    if (status != VTA_OK) return status;
    return vtac_module_function(r->module, vtac_func_name(f.func), cli_diag(), out_function);
}

/* What an object should compute: as --against says, or as it says itself. */
static vta_status read_meaning(proving *r, const char *path) {
    if (r->against) {
        char *params = cli_join(&r->k.params);
        vta_status status =
            params ? vtac_kernel_load(r->against, *params ? params : NULL, r->config, NULL, cli_diag(), &r->kernel)
                   : VTA_NO_MEMORY;
        free(params);
        return status;
    }
    if (r->k.params.count)
        return refuse(VTA_INVALID_ARGUMENT, "%s: --param is for kernel files; this is compiled already%s", path, "");
    const char *text = vta_signature_computes(r->object.signature);
    if (!text)
        return refuse(VTA_UNSUPPORTED,
                      "%s: the object does not say what %s computes: give its kernel file with --against FILE.te", path,
                      r->name);
    return vtac_kernel_parse(text, strlen(text), path, NULL, r->config, NULL, cli_diag(), &r->kernel);
}

static vta_status open_object(proving *r, const char *path, vta_packed_function *out_function) {
    vta_status status = cli_object_open(path, r->function, cli_diag(), &r->object);
    if (status != VTA_OK) return status;
    r->name = vta_signature_name(r->object.signature);
    status = cli_object_config(&r->object, NULL, NULL, &r->config);
    if (status == VTA_OK) status = read_meaning(r, path);
    *out_function = r->object.function;
    return status;
}

/* ---- Its arguments ----------------------------------------------------------------------------------------------- */

/* In the text that an object carries, argument `index` is called so. */
static const te_tensor *argument_called(const proving *r, size_t index) {
    char name[32];
    snprintf(name, sizeof name, "arg%zu", index);
    for (size_t i = 0; i < vtac_kernel_arg_count(r->kernel); i++)
        if (!strcmp(te_tensor_name(vtac_kernel_arg(r->kernel, i)), name)) return vtac_kernel_arg(r->kernel, i);
    return NULL;
}

static vta_status list_args(proving *r) {
    bool own_text = r->object.signature && !r->against;
    r->n = vtac_kernel_arg_count(r->kernel);
    if (r->n > MAX_ARGS) return refuse(VTA_UNSUPPORTED, "%s has too many arguments%s", r->name, "");
    if (r->object.signature && vta_signature_arg_count(r->object.signature) != r->n)
        return refuse(VTA_MISMATCH, "%s: %s has another number of arguments", r->against ? r->against : r->object.path,
                      r->name);
    for (size_t i = 0; i < r->n; i++) {
        r->args[i] = own_text ? argument_called(r, i) : vtac_kernel_arg(r->kernel, i);
        if (!r->args[i]) return refuse(VTA_PARSE, "%s: what %s computes is damaged", r->object.path, r->name);
        r->names[i] = own_text ? vta_signature_get_arg(r->object.signature, i)->name : te_tensor_name(r->args[i]);
    }
    return VTA_OK;
}

static vta_status prove(proving *r, vta_packed_function function) {
    vta_status status = list_args(r);
    if (status != VTA_OK) return status;
    vtac_prove_options options = {.seed = r->seed, .draws = (uint32_t)r->draws};
    return vtac_prove(vtac_kernel_context(r->kernel), r->n, r->args, function, &options, cli_diag(), &r->result);
}

/* ---- The answer ---------------------------------------------------------------------------------------------------
 */

/* "o[0, 3, 0, 5]" */
static void element_text(const proving *r, size_t arg, uint64_t index, char *to, size_t room) {
    const te_tensor *t = r->args[arg];
    size_t ndim = te_tensor_ndim(t), used = (size_t)snprintf(to, room, "%.60s[", r->names[arg]);
    uint64_t below = 1;
    for (size_t d = 1; d < ndim; d++) below *= (uint64_t)te_tensor_dim(t, d);
    for (size_t d = 0; d < ndim && used < room; d++) {
        used += (size_t)snprintf(to + used, room - used, "%s%" PRIu64, d ? ", " : "", index / below);
        index %= below;
        if (d + 1 < ndim) below /= (uint64_t)te_tensor_dim(t, d + 1);
    }
    if (used < room) snprintf(to + used, room - used, "]");
}

static void print_writer(const vtac_prove_result *v) {
    if (!v->writer.known) {
        printf("  no instruction stores it\n");
        return;
    }
    printf("  stored by instruction %u (%s)", v->writer.store, v->store_text);
    if (v->writer.has_alu) printf(", computed last by instruction %u (%s)", v->writer.insn, v->insn_text);
    if (v->writer.run) printf(", of run %u", v->writer.run);
    printf("\n");
}

static void print_example(const proving *r) {
    const vtac_prove_result *v = &r->result;
    char element[256];
    element_text(r, v->example_arg, v->example_index, element, sizeof element);
    printf("  for example: %s is %s and should be %s, with inputs of --seed %" PRIu64, element, v->got, v->expected,
           v->example_seed);
    if (v->magnitude) printf(" cut to at most %d", v->magnitude);
    if (v->order == VTA_ORDER_RANDOM) printf(", in random order %" PRIu64, v->order_seed);
    if (v->order == VTA_ORDER_STORE_LATE) printf(", with stores as late as they may be");
    printf("\n");
}

static void print_text(const proving *r) {
    const vtac_prove_result *v = &r->result;
    if (v->verdict == VTAC_PROVEN) {
        printf("%s: proven: right for all inputs, in every order. %" PRIu64 " elements, %u draws of random "
               "values; the chance that this is wrong is below 2^%.0f. %.2f s\n",
               r->name, v->elements, v->draws, v->log2_error, v->seconds);
        return;
    }
    printf("%s: %s: %s\n", r->name, vtac_verdict_name(v->verdict), v->reason);
    char element[256];
    if (v->different) {
        element_text(r, v->arg, v->index, element, sizeof element);
        printf("  %s is the first of %" PRIu64 " elements that differ, of %" PRIu64 "\n", element, v->different,
               v->elements);
        print_writer(v);
    }
    if (v->has_example) print_example(r);
}

static void print_json(const proving *r, const char *path) {
    const vtac_prove_result *v = &r->result;
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:i, s:I, s:f, s:f}", "kernel", r->name, "file", path, "result",
                  vtac_verdict_name(v->verdict), "config", vta_config_bitstream(r->config), "elements",
                  (json_int_t)v->elements, "covered", (json_int_t)v->covered, "draws", (int)v->draws, "terms",
                  (json_int_t)v->terms, "log2_error", v->log2_error, "seconds", v->seconds);
    if (v->reason[0]) json_object_set_new(o, "reason", json_string(v->reason));
    if (v->different) {
        json_t *d = json_pack("{s:s, s:I, s:I}", "tensor", r->names[v->arg], "element", (json_int_t)v->index, "count",
                              (json_int_t)v->different);
        if (v->writer.known)
            json_object_set_new(d, "writer",
                                json_pack("{s:i, s:i, s:s}", "run", (int)v->writer.run, "store", (int)v->writer.store,
                                          "text", v->store_text));
        if (v->writer.has_alu)
            json_object_set_new(d, "computed",
                                json_pack("{s:i, s:s}", "insn", (int)v->writer.insn, "text", v->insn_text));
        json_object_set_new(o, "difference", d);
    }
    if (v->has_example)
        json_object_set_new(o, "example",
                            json_pack("{s:s, s:I, s:s, s:s, s:I, s:i, s:s, s:I}", "tensor", r->names[v->example_arg],
                                      "element", (json_int_t)v->example_index, "got", v->got, "expected", v->expected,
                                      "seed", (json_int_t)v->example_seed, "magnitude", (int)v->magnitude, "order",
                                      order_names[v->order % 3], "order_seed", (json_int_t)v->order_seed));
    cli_print_json(o);
}

static int answer(const proving *r, const char *path, vta_status status) {
    if (status != VTA_OK) return cli_finish(status);
    if (r->k.common.json)
        print_json(r, path);
    else
        print_text(r);
    int code = cli_finish(VTA_OK);
    return code == CLI_OK && r->result.verdict != VTAC_PROVEN ? CLI_FAILED : code;
}

static int prove_network(proving *r, cli_network_proof *n, const char *path) {
    n->path = path;
    n->network.common = &r->k.common;
    n->seed = r->seed;
    n->draws = r->draws;
    n->json = r->k.common.json;
    return cli_prove_network(n);
}

int cmd_prove(const cli_command *self, int argc, char **argv) {
    static proving r;
    static cli_network_proof n;
    const cli_option options[] = {
        {"against", 0, CLI_TEXT, "FILE.te", "what an object should compute, where it does not say so itself",
         &r.against},
        {"function", 0, CLI_TEXT, "NAME", "which kernel of an object that has several", &r.function},
        {"seed", 0, CLI_NUMBER, "N", "of the random values", &r.seed},
        {"draws", 0, CLI_NUMBER, "N", "how often random values are drawn (2)", &r.draws},
        {"layer", 0, CLI_LIST, "NAME", "of a network: prove that layer alone; may be repeated", &n.layers},
        CLI_KERNEL_OPTIONS(&r.k),
        CLI_NETWORK_OPTIONS(&n.network),
        CLI_PICTURE_OPTIONS(&n.pictures),
        CLI_GRAPH_OPTIONS(&n.network.of_graph),
        CLI_CONFIG_OPTIONS(&r.k.common),
        CLI_TIMING_OPTIONS(&r.k.common.timing),
        CLI_JSON_OPTION(&r.k.common),
        {0},
    };
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, argc ? "%s: one kernel at a time" : "which kernel?%s", argc ? argv[1] : "");
    if (r.draws > 1000) return cli_usage(self, "--draws: at most 1000%s", "");
    if (cli_is_network(argv[0])) return prove_network(&r, &n, argv[0]);
    if (cli_is_artifact(argv[0]))
        return cli_usage(self, "%s: a compiled network does not say what its kernels compute: give its ONNX model",
                         argv[0]);
    vta_packed_function function = NULL;
    bool object = cli_is_object(argv[0]);
    if (!object && (r.against || r.function))
        return cli_usage(self, "%s: --against and --function are for objects", argv[0]);
    const char *timing = cli_timing_option(&r.k.common.timing);
    if (object && timing) return cli_usage(self, "%s: %s is for what is compiled on the way", argv[0], timing);
    vta_status status = object ? open_object(&r, argv[0], &function) : compile(&r, argv[0], &function);
    if (status == VTA_OK && !object) r.name = vtac_kernel_name(r.kernel);
    if (status == VTA_OK) status = prove(&r, function);
    code = answer(&r, argv[0], status);
    cli_object_close(&r.object);
    vtac_module_destroy(r.module);
    cli_kernel_release(&r.scheduled);
    vtac_kernel_destroy(r.kernel);
    vta_config_release(r.config);
    return code;
}
