/* Language models as input of a command: compiled, or ONNX models and checkpoints, which are compiled on the way or
 * evaluated in floats. */
#ifndef CLI_LANGUAGE_H
#define CLI_LANGUAGE_H

#include "device.h"
#include "vta/language.h"
#include "vta/text.h"
#include "vta/timing.h"

/* An opened model; all members are its own. */
typedef struct cli_language {
    vta_language *language;
    vta_model *model; /* compiled; NULL: in floats */
    vta_instance *instance;
    struct cli_float_language *floats; /* c_language.c */
    vta_timing_profile timing;         /* what times it */
    double seconds;                    /* that runs took since it was opened */
} cli_language;

/* Opens a compiled network on a device. To be closed also after an error. */
vta_status cli_language_open(const char *path, const cli_device *device, cli_language *out);
/* The same of a network in memory, which it takes over. */
vta_status cli_language_on(vta_model *model, const cli_device *device, cli_language *out);
void cli_language_close(cli_language *l);

/* vta_language_feed, timed. */
vta_status cli_language_feed(cli_language *l, const int32_t *tokens, size_t count, const float **out_scores);
/* Cycles of the accelerator in one run, by the timing model, and its clock in Hz. In floats: 0. */
vta_status cli_language_cycles(const cli_language *l, uint64_t *out_cycles, double *out_clock);

/* What is asked of vta generate. */
typedef struct cli_story {
    const char *tokenizer, *prompt, *temperature, *top_p;
    uint64_t tokens, seed;
    bool json;
} cli_story;

#define CLI_STORY_OPTIONS(s)                                                                                            \
    {"tokenizer", 0, CLI_TEXT, "FILE", "tokenizer.bin of llama2.c, or tokenizer.json", &(s)->tokenizer},                \
        {"prompt", 'p', CLI_TEXT, "TEXT", "what the text begins with", &(s)->prompt},                                   \
        {"tokens",                                                                                                      \
         'n',                                                                                                           \
         CLI_NUMBER,                                                                                                    \
         "N",                                                                                                           \
         "write N tokens (else until prompt and text have 256, or fill the model's context)",                           \
         &(s)->tokens},                                                                                                 \
        {"temperature",    0, CLI_TEXT, "T", "0 (default): always the likeliest token; 1: at random, by probability",   \
         &(s)->temperature},                                                                                            \
        {"top-p", 0, CLI_TEXT, "P", "choose among the likeliest that together have this probability (1)", &(s)->top_p}, \
    {                                                                                                                   \
        "seed", 0, CLI_NUMBER, "N", "of the choices: the same seed writes the same text", &(s)->seed                    \
    }

/* Writes a story: text as it comes, then how fast. */
vta_status cli_story_write(const cli_story *s, cli_language *l);

#endif
