/* vta compare --against-model: where the integers are not those of a model that was quantized elsewhere. */
#include <stdlib.h>

#include "c_compare.h"

static bool is_other_step(const vtac_difference *d) {
    double ratio = d->own_step / d->step;
    return d->by_channel || ratio < 0.99 || ratio > 1.01; /* 127 or 128 on one side is the same step */
}

static bool keep(void *user, const vtac_difference *difference) {
    cli_differences *d = user;
    vtac_difference *more = realloc(d->item, (d->count + 1) * sizeof *more);
    if (!more) return d->failed = true;
    d->item = more;
    d->item[d->count++] = *difference;
    d->differ += difference->differ, d->elements += difference->count;
    d->other_steps += is_other_step(difference);
    d->shifted += difference->zero != 0;
    return false;
}

vta_status cli_differences_find(const vtac_quantized *q, const void *const *inputs, cli_differences *out) {
    *out = (cli_differences){0};
    vta_status status = vtac_quantized_against_model(q, inputs, keep, out, cli_diag());
    return out->failed ? VTA_NO_MEMORY : status;
}

void cli_differences_free(cli_differences *d) { free(d->item); }

static double percent(uint64_t part, uint64_t all) { return all ? 100 * (double)part / (double)all : 0; }

void cli_differences_print(const cli_differences *d) {
    printf("\n%-32s %-10s %13s %6s %12s %9s %9s\n", "value", "layer", "model's scale", "zero", "scale here", "differ",
           "largest");
    for (size_t i = 0; i < d->count; i++) {
        const vtac_difference *x = &d->item[i];
        printf("%-32s %-10s %13.5g %6g %12.5g %8.3f%% %9.3g%s\n", x->value, x->kind, x->step, x->zero, x->own_step,
               percent(x->differ, x->count), x->largest, x->by_channel ? "  (a scale per channel)" : "");
    }
    printf("%.3f%% of %llu integers are not the model's; the largest difference is in units of the model's scale.\n",
           percent(d->differ, d->elements), (unsigned long long)d->elements);
    printf("%zu of %zu layers have other scales than in the model", d->other_steps, d->count);
    if (d->shifted) printf(", which has a zero point in %zu: integers here are symmetric about zero", d->shifted);
    puts(".");
}

json_t *cli_differences_json(const cli_differences *d) {
    json_t *layers = json_array();
    for (size_t i = 0; i < d->count; i++) {
        const vtac_difference *x = &d->item[i];
        json_array_append_new(layers, json_pack("{s:s, s:s, s:f, s:f, s:f, s:b, s:I, s:I, s:f}", "value", x->value,
                                                "kind", x->kind, "step", x->step, "zero", x->zero, "own_step",
                                                x->own_step, "by_channel", x->by_channel, "count", (json_int_t)x->count,
                                                "differ", (json_int_t)x->differ, "largest", x->largest));
    }
    return json_pack("{s:o, s:I, s:I}", "layers", layers, "count", (json_int_t)d->elements, "differ",
                     (json_int_t)d->differ);
}
