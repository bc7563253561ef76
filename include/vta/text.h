/* Tokenizers: text as the numbers that language models read and write (docs/generate.md).
 *
 *     vta_tokenizer *tokenizer;
 *     vta_tokenizer_load("tok512.bin", NULL, diag, &tokenizer);
 *     vta_tokenizer_encode(tokenizer, text, strlen(text), diag, &tokens, &count);
 *     vta_tokenizer_decode(tokenizer, tokens, count, diag, &again, &size);
 *
 * Texts are UTF-8; bytes that are no character are taken as they are where the vocabulary has single bytes. A tokenizer
 * is not changed after it was loaded: any number of threads may use it at once. */
#ifndef VTA_TEXT_H
#define VTA_TEXT_H

#include <stdbool.h>

#include "vta/status.h"

VTA_BEGIN

typedef struct vta_tokenizer vta_tokenizer;

/* Reads a tokenizer, of one of these formats, which is known by the bytes: llama2.c's tokenizer.bin; Hugging Face's
 * tokenizer.json with a model of byte pairs. VTA_NOT_FOUND, VTA_IO; VTA_PARSE for what is none of them, or damaged;
 * VTA_UNSUPPORTED for a part of a format that is not supported, and for models of SentencePiece. Free with
 * vta_tokenizer_destroy. */
VTA_API vta_status vta_tokenizer_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                      vta_tokenizer **out_tokenizer);
/* The same from memory (copied); `name` stands for the file in messages. */
VTA_API vta_status vta_tokenizer_parse(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                                       vta_diag *diag, vta_tokenizer **out_tokenizer);
VTA_API void vta_tokenizer_destroy(vta_tokenizer *tokenizer);

/* "llama2c" or "huggingface". Static storage. */
VTA_API const char *vta_tokenizer_format(const vta_tokenizer *tokenizer);
/* Tokens are 0 to this number, exclusive. */
VTA_API size_t vta_tokenizer_count(const vta_tokenizer *tokenizer);
/* The token that begins a text, and the one that ends it; -1: the file names none. */
VTA_API int32_t vta_tokenizer_begin(const vta_tokenizer *tokenizer);
VTA_API int32_t vta_tokenizer_end(const vta_tokenizer *tokenizer);

/* The tokens of a text of `size` bytes, without the one that begins it. *out_tokens has *out_count of them; free it
 * with vta_string_free. An empty text has none. VTA_MISMATCH: the vocabulary has no token for a part of the text. */
VTA_API vta_status vta_tokenizer_encode(const vta_tokenizer *tokenizer, const char *text, size_t size, vta_diag *diag,
                                        int32_t **out_tokens, size_t *out_count);
/* The text of tokens, as UTF-8 that ends with a 0 behind its *out_size bytes: bytes that are no character become
 * U+FFFD. Free with vta_string_free. VTA_OUT_OF_RANGE: a number that is no token. */
VTA_API vta_status vta_tokenizer_decode(const vta_tokenizer *tokenizer, const int32_t *tokens, size_t count,
                                        vta_diag *diag, char **out_text, size_t *out_size);
/* What one token adds to a text: *out_size bytes, which may be a part of a character. "" for tokens that only control,
 * and for numbers that are no token. `first`: nothing stands before it; a blank that encoding puts before every text is
 * left out then, where the format says so. Belongs to the tokenizer. */
VTA_API const char *vta_tokenizer_piece(const vta_tokenizer *tokenizer, int32_t token, bool first, size_t *out_size);

VTA_END

#endif
