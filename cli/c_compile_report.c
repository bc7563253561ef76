/* What a compile says of the network: layers, runs of the device, why they end, what all takes. */
#include <stdlib.h>
#include <string.h>

#include "c_compile.h"

enum { COLUMNS_MAX = 84 }; /* of the layers; what is longer moves the numbers of its line */

void cli_compile_measure(vtac_compile_report *report, vta_model *model) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vtac_compile_report_measure(report, model, NULL, diag);
    if (status != VTA_OK) fprintf(stderr, "not timed: %s\n", vta_diag_text(diag));
    vta_diag_destroy(diag);
}

static vtac_compile_summary sum_of(const vtac_compile_report *report) {
    vtac_compile_summary s = {.size = sizeof s};
    vtac_compile_report_sum(report, &s);
    return s;
}

static double share(double part, double all) { return all > 0 ? part / all : 0; }

/* ---- Text ---- */

static void print_count(uint64_t n) {
    char text[24];
    if (n)
        snprintf(text, sizeof text, "%llu", (unsigned long long)n);
    else
        *text = 0;
    printf(" %12s", text);
}

/* What a layer is, as one line of vtac_compile_report_text; its length. */
static int write_layer(char *out, size_t size, const vtac_compiled_layer *l) {
    return snprintf(out, size, "%s (%s): %s%s%s", l->name, l->kind, l->place == VTAC_ON_HOST ? "host" : "accelerator",
                    l->why ? ", " : "", l->why ? l->why : "");
}

static int columns_of(const vtac_compile_report *report) {
    const vtac_compiled_layer *l;
    int columns = 5;
    for (size_t i = 0; (l = vtac_compile_report_layer(report, i)); i++) {
        int n = write_layer(NULL, 0, l);
        if (n > columns && n <= COLUMNS_MAX) columns = n;
    }
    return columns;
}

static void print_layer(const vtac_compiled_layer *l, int columns, bool is_measured) {
    char text[1024];
    write_layer(text, sizeof text, l);
    printf("%-*s", columns, text);
    if (l->run == UINT32_MAX)
        printf("%4s", "");
    else
        printf("%4u", l->run + 1);
    print_count(l->products);
    if (is_measured) {
        print_count(l->cycles);
        printf(" %9.3f", l->seconds * 1e3);
    }
    printf("\n");
}

static void print_cut(const vtac_compile_cut *cut) {
    printf("  between runs %u and %u: %s", cut->run + 1, cut->run + 2, cut->why);
    if (cut->layer_count > 1) printf("; and %zu layer%s more", cut->layer_count - 1, cut->layer_count == 2 ? "" : "s");
    printf("\n");
}

void cli_compile_print(const vtac_compile_report *report) {
    const vtac_compile_summary s = sum_of(report);
    const vtac_compiled_layer *l;
    const vtac_compile_cut *cut;
    int columns = columns_of(report);
    printf("%-*s%4s %12s", columns, "layer", "run", "products");
    if (s.is_measured) printf(" %12s %9s", "cycles", "ms");
    printf("\n");
    for (size_t i = 0; (l = vtac_compile_report_layer(report, i)); i++) print_layer(l, columns, s.is_measured);
    printf("%llu products, %.1f %% of them on the accelerator\n", (unsigned long long)s.products,
           100 * share((double)s.accelerator_products, (double)s.products));
    printf("%u run%s of the device\n", s.runs, s.runs == 1 ? "" : "s");
    for (size_t i = 0; (cut = vtac_compile_report_cut(report, i)); i++) print_cut(cut);
    if (s.is_measured)
        printf("%llu cycles; %.3f ms on this machine, the host's share of them is %.3f ms (%.1f %%)\n",
               (unsigned long long)s.cycles, s.seconds * 1e3, s.host_seconds * 1e3,
               100 * share(s.host_seconds, s.seconds));
}

/* ---- JSON ---- */

static json_t *layers_json(const vtac_compile_report *report, bool is_measured) {
    json_t *list = json_array();
    const vtac_compiled_layer *l;
    for (size_t i = 0; (l = vtac_compile_report_layer(report, i)); i++) {
        json_t *o = json_pack("{s:s, s:s, s:s, s:s?, s:I}", "layer", l->name, "kind", l->kind, "place",
                              l->place == VTAC_ON_HOST ? "host" : "accelerator", "why", l->why, "products",
                              (json_int_t)l->products);
        json_object_set_new(o, "run", l->run == UINT32_MAX ? json_null() : json_integer(l->run));
        if (is_measured) {
            json_object_set_new(o, "cycles", json_integer((json_int_t)l->cycles));
            json_object_set_new(o, "ms", json_real(l->seconds * 1e3));
        }
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *cuts_json(const vtac_compile_report *report) {
    json_t *list = json_array();
    const vtac_compile_cut *cut;
    for (size_t i = 0; (cut = vtac_compile_report_cut(report, i)); i++) {
        json_t *names = json_array();
        for (size_t k = 0; k < cut->layer_count; k++)
            json_array_append_new(names, json_string(vtac_compile_report_layer(report, cut->layers[k])->name));
        json_array_append_new(
            list, json_pack("{s:I, s:s, s:o}", "after_run", (json_int_t)cut->run, "why", cut->why, "layers", names));
    }
    return list;
}

void cli_compile_json(const vtac_compile_report *report, json_t *object) {
    const vtac_compile_summary s = sum_of(report);
    json_object_set_new(object, "layers", layers_json(report, s.is_measured));
    json_object_set_new(object, "products", json_integer((json_int_t)s.products));
    json_object_set_new(object, "accelerator_products", json_integer((json_int_t)s.accelerator_products));
    json_object_set_new(object, "runs", json_integer(s.runs));
    json_object_set_new(object, "cuts", cuts_json(report));
    if (!s.is_measured) return;
    json_object_set_new(object, "cycles", json_integer((json_int_t)s.cycles));
    json_object_set_new(object, "ms", json_real(s.seconds * 1e3));
    json_object_set_new(object, "host_ms", json_real(s.host_seconds * 1e3));
    json_object_set_new(object, "host_share", json_real(share(s.host_seconds, s.seconds)));
}
