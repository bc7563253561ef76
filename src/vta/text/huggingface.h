/* What a tokenizer.json says, between reading it (huggingface.c) and using it (pairs.c). */
#ifndef VT_TEXT_HUGGINGFACE_H
#define VT_TEXT_HUGGINGFACE_H

#include "text/text.h"

enum { VT_TEXT_CHANGES_MAX = 8 };

/* Of a text, before it is split. */
typedef struct vt_text_change {
    const char *from, *to; /* every `from` becomes `to`; NULL: `to` is put before the text, */
    bool unless_there;     /* but not where the text begins with it, */
    bool first_only;       /* nor behind an added token */
} vt_text_change;

typedef struct vt_huggingface {
    vt_merge *merges; /* a hash table by left and right; result -1: empty */
    uint32_t merge_cap;
    vt_text_change changes[VT_TEXT_CHANGES_MAX];
    uint32_t change_count;
    bool words, digits, blocks; /* how it is split: by GPT-2's expression, at digits, before each U+2581 */
    bool bytes;                 /* pieces are of characters that stand for bytes */
    bool byte_fallback;         /* what no piece has is "<0x0A>" and its like */
    bool fuse_unknown;          /* unknown neighbours are one token */
    bool ignore_merges;         /* a part that is a piece is not joined */
    uint32_t longest_given;     /* bytes of an added token */
} vt_huggingface;

/* The character that stands for a byte: itself where it is printable, else one from U+0100 on. */
uint32_t vt__text_byte_character(uint8_t byte);
/* pairs.c */
vt_merge *vt__text_merge(const vt_huggingface *h, int32_t left, int32_t right);
vta_status vt__text_pairs(const vta_tokenizer *t, const char *text, size_t size, vta_diag *diag, vt_tokens *out);

#endif
