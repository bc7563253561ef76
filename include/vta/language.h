/* Language models: networks that take tokens and give scores of the next one, with the keys and values of what came
 * before as inputs and outputs (docs/generate.md).
 *
 *     vta_language *language;
 *     vta_sampler *sampler;
 *     vta_language_of_instance(instance, diag, &language);
 *     vta_sampler_create(NULL, NULL, diag, &sampler);
 *     vta_language_feed(language, prompt, count, diag, &scores);
 *     vta_sampler_choose(sampler, scores, vta_language_vocabulary(language), diag, &token);
 *     vta_language_feed(language, &token, 1, diag, &scores);     // and so on
 *
 * What such a network looks like: an input of token numbers [1, tokens] of int64 (its name contains "ids"), others of
 * their places ("position") and of which keys count ("mask", [1, context], those of the run last); an output of scores
 * [1, tokens, vocabulary] of float32 ("logits", or the one that is no cache); and caches: inputs whose name contains
 * "past" and outputs whose name contains "present", as many, in the same order. An output has the input's shape with
 * the run's tokens behind those before, or only the run's tokens, along one axis. This is what exporters write.
 *
 * A handle is used by one thread at a time; different ones are independent. */
#ifndef VTA_LANGUAGE_H
#define VTA_LANGUAGE_H

#include "vta/exec.h"

VTA_BEGIN

/* ---- Sequences ----------------------------------------------------------------------------------------------------
 */

typedef struct vta_language vta_language;

/* What runs the network: an instance of a compiled network, or anything else. All is borrowed for as long as the
 * vta_language lives. */
typedef struct vta_language_machine {
    size_t size;      /* of this struct, or 0 */
    const char *name; /* of the network, for messages */
    size_t input_count, output_count;
    const vta_model_tensor *inputs, *outputs;
    void *const *input_data; /* of each input, to be written between runs; they stay as they are otherwise */
    void *user;
    vta_status (*run)(void *user, vta_diag *diag);
    const void *(*output)(void *user, size_t index); /* the data of an output, after a run */
} vta_language_machine;

/* Begins an empty sequence. VTA_MISMATCH: the network is no language model with caches, and what it lacks. Free with
 * vta_language_destroy. */
VTA_API vta_status vta_language_create(const vta_language_machine *machine, const vta_allocator *allocator,
                                       vta_diag *diag, vta_language **out_language);
/* The same on an instance of a compiled network, which must live longer, and whose inputs belong to the sequence. */
VTA_API vta_status vta_language_of_instance(vta_instance *instance, vta_diag *diag, vta_language **out_language);
VTA_API void vta_language_destroy(vta_language *language);

/* Is a network of these inputs and outputs one? */
VTA_API bool vta_language_is(size_t input_count, const vta_model_tensor *inputs, size_t output_count,
                             const vta_model_tensor *outputs);

/* Tokens are 0 to this number, exclusive. */
VTA_API size_t vta_language_vocabulary(const vta_language *language);
/* How many tokens a run takes at most, and how many a sequence has at most. */
VTA_API size_t vta_language_tokens(const vta_language *language);
VTA_API size_t vta_language_context(const vta_language *language);
/* How many tokens the sequence has, and how many runs there were. */
VTA_API size_t vta_language_length(const vta_language *language);
VTA_API uint64_t vta_language_runs(const vta_language *language);

/* Appends tokens to the sequence, in as many runs as that takes. *out_scores (may be NULL) is what follows the last of
 * them: vta_language_vocabulary floats, which belong to the sequence until the next call. VTA_OUT_OF_RANGE: a number
 * that is no token, or a sequence that would be longer than the context. After an error the sequence is as before. */
VTA_API vta_status vta_language_feed(vta_language *language, const int32_t *tokens, size_t count, vta_diag *diag,
                                     const float **out_scores);
/* After vta_language_feed of at most vta_language_tokens tokens: the scores behind token `index` of them; NULL: there
 * is no such token. */
VTA_API const float *vta_language_scores(const vta_language *language, size_t index);
/* Goes back to the first `length` tokens of the sequence: 0 begins a new one. More than it has: as it is. */
VTA_API void vta_language_rewind(vta_language *language, size_t length);

/* ---- Choosing the next token ---------------------------------------------------------------------------------------
 */

typedef struct vta_sampler vta_sampler;

typedef struct vta_sampler_options {
    size_t size;        /* of this struct, or 0 */
    double temperature; /* 0: always the token of the highest score; else scores are divided by it */
    double top_p;       /* choose among the likeliest tokens that together have this share; 0 or 1: among all */
    uint64_t seed;
} vta_sampler_options;

/* VTA_INVALID_ARGUMENT for a temperature below 0 or a top_p outside of 0 to 1. `options` may be NULL. The same seed
 * gives the same choices on every machine. Free with vta_sampler_destroy. */
VTA_API vta_status vta_sampler_create(const vta_sampler_options *options, const vta_allocator *allocator,
                                      vta_diag *diag, vta_sampler **out_sampler);
VTA_API void vta_sampler_destroy(vta_sampler *sampler);
/* The token chosen by `count` scores (at least 1); of equal ones the first. VTA_NO_MEMORY. */
VTA_API vta_status vta_sampler_choose(vta_sampler *sampler, const float *scores, size_t count, vta_diag *diag,
                                      int32_t *out_token);

VTA_END

#endif
