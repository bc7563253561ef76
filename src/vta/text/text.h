/* What the files of src/vta/text share. */
#ifndef VT_TEXT_TEXT_H
#define VT_TEXT_TEXT_H

#include "base/arena.h"
#include "base/diag.h"
#include "vta/text.h"

/* ---- A tokenizer ---- */

typedef enum vt_piece_kind {
    VT_PIECE_NORMAL,
    VT_PIECE_CONTROL, /* begins or ends a text; is nothing in it */
    VT_PIECE_UNKNOWN,
    VT_PIECE_BYTE,  /* a single byte, for what no other piece has */
    VT_PIECE_GIVEN, /* found in a text before anything else is done with it */
    VT_PIECE_UNUSED
} vt_piece_kind;

typedef struct vt_piece {
    const char *bytes; /* as the file has it, the key that is looked up */
    const char *text;  /* what it adds to a text */
    uint32_t size, text_size;
    float score;
    vt_piece_kind kind;
} vt_piece;

/* Two tokens that become one, the lowest rank first. */
typedef struct vt_merge {
    int32_t left, right, result;
    uint32_t rank;
} vt_merge;

typedef struct vt_tokens {
    const vta_allocator *allocator;
    int32_t *item;
    size_t count, cap;
} vt_tokens;

typedef struct vt_text_format {
    const char *name;
    /* Appends the tokens of a text that is not empty. */
    vta_status (*encode)(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out);
} vt_text_format;

struct vt_huggingface;
struct vt_sentencepiece;

struct vta_tokenizer {
    vta_allocator allocator;
    vt_arena arena;
    const char *name;
    const vt_text_format *format;
    vt_piece *pieces;
    uint32_t count;
    uint32_t *places; /* pieces by their bytes: a hash table of place_cap numbers, 0: empty, else the piece + 1 */
    uint32_t place_cap;
    uint32_t longest; /* bytes of a piece, of those in the table */
    int32_t begin, end, unknown;
    int32_t byte[256];      /* the token of a byte; -1: there is none */
    bool drops_first_blank; /* the first piece of a text loses a blank at its beginning */
    const struct vt_sentencepiece *sentencepiece;
    const struct vt_huggingface *huggingface;
};

/* Zeroed, in the tokenizer's arena; NULL when out of memory. */
void *vt__text_new(vta_tokenizer *t, size_t count, size_t item);
/* Room for `count` pieces, and a table for them; VTA_PARSE where there are none. */
vta_status vt__text_room(vta_tokenizer *t, size_t count, vta_diag *diag);
/* Puts piece `index` into the table, unless another one of the same bytes is there. */
void vt__text_list(vta_tokenizer *t, uint32_t index);
/* The piece of those bytes; -1: there is none. */
int32_t vt__text_find(const vta_tokenizer *t, const char *bytes, size_t size);
/* The byte of a piece "<0x0A>"; -1: it is another one. */
int vt__text_byte_of(const char *bytes, size_t size);
vta_status vt__text_add(vt_tokens *out, int32_t token, vta_diag *diag);
/* Appends the tokens of single bytes; VTA_MISMATCH where there is none. */
vta_status vt__text_add_bytes(const vta_tokenizer *t, const char *bytes, size_t size, vta_diag *diag, vt_tokens *out);

/* ---- Formats: each reads bytes into a tokenizer whose fields are zero, but for allocator, arena and name ---- */

vta_status vt__llama2c_tokenizer(vta_tokenizer *t, const uint8_t *bytes, size_t size, vta_diag *diag);
vta_status vt__sentencepiece(vta_tokenizer *t, const uint8_t *bytes, size_t size, vta_diag *diag);
vta_status vt__huggingface(vta_tokenizer *t, const uint8_t *bytes, size_t size, vta_diag *diag);

/* ---- Joining neighbours (join.c) ---- */

/* A part of a text on its way: `token` is -1 where no piece is it; `fixed` ones are not joined. */
typedef struct vt_symbol {
    const char *bytes;
    uint32_t size;
    int32_t token;
    bool fixed;
    uint32_t before, after; /* neighbours; UINT32_MAX: none */
} vt_symbol;

/* What two neighbours become: the token (-1: nothing), and how early: the largest `urge` first, of equal ones the
 * leftmost. */
typedef int32_t vt_join(const vta_tokenizer *t, const vt_symbol *left, const vt_symbol *right, double *out_urge);

/* Joins until nothing can be joined. Symbols that are gone have size 0; the first one is the first of the text. */
vta_status vt__text_join(const vta_tokenizer *t, vt_symbol *symbols, uint32_t count, vt_join *join, vta_diag *diag);
/* A join by score: the piece that is both, one behind the other. */
int32_t vt__text_join_scored(const vta_tokenizer *t, const vt_symbol *left, const vt_symbol *right, double *out_urge);

/* ---- Characters ---- */

/* Bytes of the character at `at`, at most `room`: 1 for a byte that begins none. */
size_t vt__text_character(const char *at, size_t room);

#endif
