/* vta eval --tokens: how well a language model foresees lines of tokens, in integers and in floats. */
#include "c_eval_tokens.h"

#include <math.h>
#include <stdlib.h>

#include "c_language.h"

typedef struct sums {
    double loss, float_loss;
    size_t agreed, count;
} sums;

/* -log of the share that softmax gives a token, and the token of the highest score. */
static double loss_of(const float *scores, size_t count, int32_t token, size_t *out_best) {
    size_t best = 0;
    double sum = 0;
    for (size_t i = 1; i < count; i++)
        if (scores[i] > scores[best]) best = i;
    for (size_t i = 0; i < count; i++) sum += exp((double)scores[i] - (double)scores[best]);
    *out_best = best;
    return log(sum) - ((double)scores[token] - (double)scores[best]);
}

/* Both models go along the line, token by token, each with caches of its own. */
static vta_status add_line(cli_language *whole, cli_language *floats, const cli_line *line, sums *s) {
    size_t vocabulary = vta_language_vocabulary(whole->language), best, float_best;
    vta_status status = VTA_OK;
    vta_language_rewind(whole->language, 0);
    if (floats) vta_language_rewind(floats->language, 0);
    for (size_t i = 0; i + 1 < line->count && status == VTA_OK; i++) {
        const float *scores, *float_scores;
        int32_t next = line->tokens[i + 1];
        if ((size_t)next >= vocabulary)
            return cli_fail(VTA_OUT_OF_RANGE, "token %d: the model has tokens 0 to %zu", (int)next, vocabulary - 1);
        status = cli_language_feed(whole, &line->tokens[i], 1, &scores);
        if (status != VTA_OK) return status;
        s->loss += loss_of(scores, vocabulary, next, &best);
        s->count++;
        if (!floats) continue;
        status = cli_language_feed(floats, &line->tokens[i], 1, &float_scores);
        if (status != VTA_OK) return status;
        s->float_loss += loss_of(float_scores, vocabulary, next, &float_best);
        s->agreed += best == float_best;
    }
    return status;
}

static vta_status evaluate(cli_language *whole, cli_language *floats, const char *path, sums *s) {
    cli_lines lines;
    vta_status status = cli_lines_read(path, &lines);
    for (size_t i = 0; i < lines.count && status == VTA_OK; i++) {
        cli_progress("line", i, lines.count);
        status = add_line(whole, floats, &lines.item[i], s);
        if (status != VTA_OK) cli_fail(status, "%s: line %zu of those with tokens", path, i + 1);
    }
    cli_progress_end();
    cli_lines_free(&lines);
    if (status == VTA_OK && !s->count)
        status = cli_fail(VTA_INVALID_ARGUMENT, "%s: no line has two tokens: there is nothing to foresee", path);
    return status;
}

static void report(const sums *s, bool has_floats, bool json) {
    double n = (double)s->count;
    if (json) {
        cli_print_json(json_pack("{s:f, s:o, s:o}", "loss", s->loss / n, "float_loss",
                                 has_floats ? json_real(s->float_loss / n) : json_null(), "agreement",
                                 has_floats ? json_real((double)s->agreed / n) : json_null()));
        return;
    }
    printf("loss        %.6f\n", s->loss / n);
    if (!has_floats) return;
    printf("float loss  %.6f\nagreement   %zu of %zu tokens (%.2f %%)\n", s->float_loss / n, s->agreed, s->count,
           100 * (double)s->agreed / n);
}

vta_status cli_eval_tokens(const cli_network *n, const cli_device *device, const char *model, const char *path,
                           bool only_floats, bool json) {
    cli_language whole = {0}, floats = {0};
    sums s = {0};
    bool artifact = cli_is_artifact(model);
    vta_status status = artifact ? VTA_OK : cli_language_floats(&n->of_graph, model, &floats);
    if (status == VTA_OK && !only_floats) status = cli_language_compiled(n, model, device, &whole);
    if (status == VTA_OK && only_floats)
        status = evaluate(&floats, NULL, path, &s);
    else if (status == VTA_OK)
        status = evaluate(&whole, artifact ? NULL : &floats, path, &s);
    if (only_floats) s.float_loss = s.loss, s.agreed = s.count;
    if (status == VTA_OK) report(&s, only_floats || !artifact, json);
    cli_language_close(&whole);
    cli_language_close(&floats);
    return status;
}
