/* vta compare --causes: which layers lose, by what, and which options help. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "c_compare.h"

enum { DEPTH = 2, ROWS = 10, SINGLES = 4 };

/* ---- What is lost ------------------------------------------------------------------------------------------------ */

static double sum_of(const vtac_loss *l) { return l->rounding + l->range + l->weights; }

static bool keep(void *user, const vtac_loss *loss) {
    cli_causes *c = user;
    vtac_loss *more = realloc(c->item, (c->count + 1) * sizeof *more);
    if (!more) return c->failed = true;
    c->item = more;
    c->item[c->count++] = *loss;
    c->rounding += loss->rounding, c->range += loss->range, c->weights += loss->weights;
    return false;
}

static int by_sum(const void *a, const void *b) {
    double x = sum_of(a), y = sum_of(b);
    return x < y ? 1 : x > y ? -1 : 0;
}

vta_status cli_causes_find(const vtac_quantized *q, const void *const *inputs, cli_causes *out) {
    *out = (cli_causes){0};
    vta_status status = vtac_quantized_losses(q, &inputs, 1, DEPTH, keep, out, cli_diag());
    if (out->failed) return VTA_NO_MEMORY;
    if (status == VTA_OK && out->count) qsort(out->item, out->count, sizeof *out->item, by_sum);
    return status;
}

void cli_causes_free(cli_causes *c) { free(c->item); }

/* ---- What helps ---------------------------------------------------------------------------------------------------
 */

static double all_of(const cli_causes *c) { return c->rounding + c->range + c->weights; }

/* Decibels, when that part of the noise is gone. */
static double gain_of(const cli_causes *c, double part) { return -10 * log10(fmax(1 - part / all_of(c), 1e-6)); }

static void help(cli_causes *c, double part, const char *option, const char *value) {
    enum { LEAST = 10 }; /* percent of the noise */
    bool is_single = *value;
    if (c->help_count == CLI_CAUSES_HELP || part * 100 < (is_single ? LEAST / 2 : LEAST) * all_of(c)) return;
    cli_help *h = &c->help[c->help_count++];
    h->decibels = gain_of(c, part);
    snprintf(h->option, sizeof h->option, "%s%s", option, value);
}

/* Its largest cause, where more bits for one value take that away. */
static void help_single(cli_causes *c, const vtac_loss *l) {
    double own = l->rounding + l->range;
    if (l->precise) help(c, fmax(own, l->weights), "--precise ", l->precise);
}

void cli_causes_help(cli_causes *c, const cli_network *n) {
    bool is_max = n->range == VTAC_RANGE_MAX;
    c->help_count = 0;
    if (all_of(c) <= 0) return;
    if (!is_max) help(c, c->range, "--range max", "");
    if (!n->equalize) help(c, c->rounding, "--equalize", "");
    if (n->rounding != VTAC_ROUNDING_ADAPTIVE) help(c, c->weights, "--rounding adaptive", "");
    if (n->requantize == VTAC_REQUANTIZE_AUTO) help(c, c->weights, "--requantize multiply", "");
    for (size_t i = 0; i < c->count && i < SINGLES; i++) help_single(c, &c->item[i]);
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* A word of a command, quoted where a shell would take it for more. */
static void print_word(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,%@";
    if (*word && word[strspn(word, plain)] == 0) {
        printf(" %s", word);
        return;
    }
    printf(" '");
    for (const char *at = word; *at; at++) printf(*at == '\'' ? "'\\''" : "%c", *at);
    putchar('\'');
}

static void print_command(int argc, char *const *argv, const cli_help *h) {
    printf("%6.1f dB  vta compare", h->decibels);
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--causes") != 0) print_word(argv[i]);
    printf(" %s\n", h->option);
}

void cli_causes_print(const cli_causes *c, int argc, char *const *argv) {
    double all = all_of(c);
    if (all <= 0) {
        puts("Integers lose nothing on this input.");
        return;
    }
    printf("\nWhat integers lose: %.1f dB, as the sum of what each layer loses when all others are floats.\n",
           -10 * log10(all));
    printf("%7s  %8s %8s %8s  %-24s %-32s %s\n", "share", "rounding", "range", "weights", "beyond the integers",
           "value", "layer");
    for (size_t i = 0; i < c->count && i < ROWS; i++) {
        const vtac_loss *l = &c->item[i];
        char cut[48];
        snprintf(cut, sizeof cut, "%llu of %llu", (unsigned long long)l->cut, (unsigned long long)l->count);
        printf("%6.1f%%  %7.1f%% %7.1f%% %7.1f%%  %-24s %-32s %s\n", 100 * sum_of(l) / all, 100 * l->rounding / all,
               100 * l->range / all, 100 * l->weights / all, l->cut ? cut : "none", l->value, l->kind);
    }
    printf("%6.1f%%  %7.1f%% %7.1f%% %7.1f%%  all layers\n", 100.0, 100 * c->rounding / all, 100 * c->range / all,
           100 * c->weights / all);
    if (c->help_count) puts("\nWhat may help, and by how much at most; vta compile --search tries all:");
    for (size_t i = 0; i < c->help_count; i++) print_command(argc, argv, &c->help[i]);
}

json_t *cli_causes_json(const cli_causes *c) {
    json_t *layers = json_array(), *helps = json_array();
    for (size_t i = 0; i < c->count; i++) {
        const vtac_loss *l = &c->item[i];
        json_array_append_new(layers, json_pack("{s:s, s:s, s:f, s:f, s:f, s:I, s:I}", "value", l->value, "kind",
                                                l->kind, "rounding", l->rounding, "range", l->range, "weights",
                                                l->weights, "cut", (json_int_t)l->cut, "count", (json_int_t)l->count));
    }
    for (size_t i = 0; i < c->help_count; i++)
        json_array_append_new(helps,
                              json_pack("{s:s, s:f}", "option", c->help[i].option, "decibels", c->help[i].decibels));
    return json_pack("{s:o, s:o}", "layers", layers, "help", helps);
}
