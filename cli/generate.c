/* vta generate: text from a language model. */
#include <stdlib.h>
#include <string.h>

#include "language.h"
#include "vta/support.h"

enum { TOKENS = 256 };

typedef struct writing {
    const cli_story *s;
    cli_language *l;
    vta_tokenizer *tokenizer;
    vta_sampler *sampler;
    int32_t *tokens; /* all, the first of the prompt included */
    size_t count, prompt, most;
    double seconds; /* of the runs that chose a token behind the prompt */
    size_t timed;   /* how many those were */
} writing;

static vta_status number_of(const char *option, const char *text, double *out) {
    char *end = "";
    *out = text ? strtod(text, &end) : 0;
    if (!text || (end != text && !*end)) return VTA_OK;
    return cli_fail(VTA_INVALID_ARGUMENT, "%s %.100s: expected a number", option, text);
}

static vta_status make_sampler(writing *w) {
    vta_sampler_options options = {.size = sizeof options, .seed = w->s->seed};
    vta_status status = number_of("--temperature", w->s->temperature, &options.temperature);
    if (status == VTA_OK) status = number_of("--top-p", w->s->top_p, &options.top_p);
    return status == VTA_OK ? vta_sampler_create(&options, NULL, cli_diag(), &w->sampler) : status;
}

/* The token that begins a text, then those of the prompt. */
static vta_status begin(writing *w) {
    int32_t *prompt = NULL, first = vta_tokenizer_begin(w->tokenizer);
    const char *text = w->s->prompt ? w->s->prompt : "";
    size_t count = 0, context = vta_language_context(w->l->language);
    vta_status status = vta_tokenizer_encode(w->tokenizer, text, strlen(text), cli_diag(), &prompt, &count);
    if (status == VTA_OK && first < 0 && !count)
        status = cli_fail(VTA_INVALID_ARGUMENT, "the tokenizer has no token that begins a text: give a --prompt");
    if (status == VTA_OK && count + (first >= 0) > context)
        status = cli_fail(VTA_OUT_OF_RANGE, "a prompt of %zu tokens: the model sees %zu at most", count, context);
    if (status == VTA_OK) {
        size_t room = context - count - (first >= 0) + 1, most = TOKENS > count + 1 ? TOKENS - count - (first >= 0) : 1;
        if (w->s->tokens) most = w->s->tokens;
        w->most = most < room ? most : room;
        w->tokens = calloc(context + 2, sizeof *w->tokens);
        if (!w->tokens) status = VTA_NO_MEMORY;
    }
    if (status == VTA_OK) {
        if (first >= 0) w->tokens[w->count++] = first;
        memcpy(w->tokens + w->count, prompt, count * sizeof *prompt);
        w->prompt = w->count += count;
    }
    vta_string_free(prompt);
    return status;
}

static void print_token(const writing *w, size_t index) {
    size_t size;
    bool first = index == 0 || (index == 1 && w->tokens[0] == vta_tokenizer_begin(w->tokenizer));
    const char *piece = vta_tokenizer_piece(w->tokenizer, w->tokens[index], first, &size);
    if (w->s->json) return;
    fwrite(piece, 1, size, stdout);
    fflush(stdout);
}

static bool is_end(const writing *w, int32_t token) {
    return token == vta_tokenizer_end(w->tokenizer) || token == vta_tokenizer_begin(w->tokenizer);
}

static vta_status continue_story(writing *w) {
    const float *scores;
    vta_status status = cli_language_feed(w->l, w->tokens, w->count, &scores);
    for (size_t i = 0; i < w->count; i++) print_token(w, i);
    double before = w->l->seconds;
    while (status == VTA_OK && w->count < w->prompt + w->most) {
        int32_t next;
        status = vta_sampler_choose(w->sampler, scores, vta_language_vocabulary(w->l->language), cli_diag(), &next);
        if (status != VTA_OK || is_end(w, next)) break;
        w->tokens[w->count++] = next;
        print_token(w, w->count - 1);
        if (w->count == w->prompt + w->most) break;
        status = cli_language_feed(w->l, &next, 1, &scores);
        w->timed++;
    }
    w->seconds = w->l->seconds - before;
    if (w->timed) return status;
    w->timed = w->prompt;
    w->seconds = w->l->seconds;
    return status;
}

static json_t *tokens_json(const writing *w) {
    json_t *tokens = json_array();
    for (size_t i = 0; i < w->count; i++) json_array_append_new(tokens, json_integer(w->tokens[i]));
    return tokens;
}

/* A model may have more tokens than its tokenizer: those are no text. */
static vta_status text_json(const writing *w, json_t **out) {
    char *text;
    size_t size, count = 0;
    int32_t *known = calloc(w->count + 1, sizeof *known);
    if (!known) return VTA_NO_MEMORY;
    for (size_t i = 0; i < w->count; i++)
        if ((size_t)w->tokens[i] < vta_tokenizer_count(w->tokenizer)) known[count++] = w->tokens[i];
    vta_status status = vta_tokenizer_decode(w->tokenizer, known, count, cli_diag(), &text, &size);
    free(known);
    if (status != VTA_OK) return status;
    *out = json_stringn(text, size);
    vta_string_free(text);
    return VTA_OK;
}

static vta_status report(const writing *w) {
    uint64_t cycles = 0, runs = vta_language_runs(w->l->language);
    double clock = 0;
    vta_status status = cli_language_cycles(w->l, &cycles, &clock);
    double here = w->seconds > 0 ? (double)w->timed / w->seconds : 0, there = cycles ? clock / (double)cycles : 0;
    if (status != VTA_OK) return status;
    if (!w->s->json) {
        printf("\n\n%zu tokens, %.1f tokens/s on this machine", w->count - w->prompt, here);
        if (cycles)
            printf("; %llu cycles of the accelerator, %.1f tokens/s at %.0f MHz", (unsigned long long)(cycles * runs),
                   there, clock / 1e6);
        printf("\n");
        return VTA_OK;
    }
    json_t *text = NULL;
    status = text_json(w, &text);
    if (status != VTA_OK) return status;
    cli_print_json(json_pack("{s:o, s:o, s:I, s:f, s:o}", "tokens", tokens_json(w), "text", text, "cycles",
                             (json_int_t)(cycles * runs), "tokens_per_second", here, "tokens_per_second_accelerator",
                             cycles ? json_real(there) : json_null()));
    return VTA_OK;
}

vta_status cli_story_write(const cli_story *s, cli_language *l) {
    writing w = {.s = s, .l = l};
    vta_status status = vta_tokenizer_load(s->tokenizer, NULL, cli_diag(), &w.tokenizer);
    if (status == VTA_OK && vta_tokenizer_count(w.tokenizer) > vta_language_vocabulary(l->language))
        status = cli_fail(VTA_MISMATCH, "%s has %zu tokens, the model %zu: it is another model's", s->tokenizer,
                          vta_tokenizer_count(w.tokenizer), vta_language_vocabulary(l->language));
    if (status == VTA_OK) status = make_sampler(&w);
    if (status == VTA_OK) status = begin(&w);
    if (status == VTA_OK) status = continue_story(&w);
    if (status == VTA_OK) status = report(&w);
    free(w.tokens);
    vta_sampler_destroy(w.sampler);
    vta_tokenizer_destroy(w.tokenizer);
    return status;
}

/* A tool without the compiler takes compiled networks. */
#ifndef VT_COMPILER
int cmd_generate(const cli_command *self, int argc, char **argv) {
    static cli_timing timing;
    static cli_device device = {.timing = &timing};
    static cli_story s;
    cli_language l = {0};
    const cli_option options[] = {
        CLI_STORY_OPTIONS(&s),
        {"driver", 'd', CLI_TEXT, "NAME", "sim (default), tsim, rtl or a board", &device.driver},
        CLI_TIMING_OPTIONS(&timing),
        {"json", 'j', CLI_FLAG, NULL, "print JSON instead of text", &s.json},
        {0}};
    int code = cli_parse(self, options, argc, argv, &argc, &argv);
    if (code >= 0) return code;
    if (argc != 1) return cli_usage(self, "expected one MODEL");
    if (!s.tokenizer) return cli_usage(self, "expected --tokenizer");
    vta_status status = cli_language_open(argv[0], &device, &l);
    if (status == VTA_OK) status = cli_story_write(&s, &l);
    cli_language_close(&l);
    return cli_finish(status);
}
#endif
