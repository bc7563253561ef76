/* The tokens of expression strings and kernel files. */
#ifndef VT_TE_LEX_H
#define VT_TE_LEX_H

#include "base/context.h"

typedef enum vt_lex_kind { VT_T_END, VT_T_NAME, VT_T_INT, VT_T_FLOAT, VT_T_PUNCT, VT_T_BAD } vt_lex_kind;

typedef struct vt_lex_token {
    vt_lex_kind kind;
    const char *text; /* in the source, not terminated */
    size_t size;
    vt_pos pos;
    bool starts_line; /* the first token of its line */
    int64_t integer;
    double real;
} vt_lex_token;

typedef struct vt_lexer {
    vt_ctx *ctx;
    const char *next;
    const char *end;
    const char *line_start;
    vt_pos where;       /* file and line; the column is counted from line_start */
    uint32_t indent;    /* columns before the text on its first line */
    vt_lex_token token; /* the current one */
} vt_lexer;

/* Starts at the first token of text[0, size). Positions count from `start` (line 0: from line 1). */
void vt_lex_init(vt_lexer *lx, vt_ctx *ctx, const char *text, size_t size, vt_pos start);
void vt_lex_advance(vt_lexer *lx);
bool vt_lex_is(const vt_lexer *lx, const char *text);
/* Takes the token when it is `text`. */
bool vt_lex_accept(vt_lexer *lx, const char *text);
/* Raises VTA_PARSE, saying what was found instead, when it is not. */
void vt_lex_expect(vt_lexer *lx, const char *text, const char *why);
char *vt_lex_name(vt_lexer *lx, const char *what);
/* The current token for messages: `"x"`, "end of text". */
const char *vt_lex_token_text(vt_ctx *ctx, const vt_lex_token *t);
/* Raises VTA_PARSE at the current token: "expected WHAT, found …". */
_Noreturn void vt_lex_unexpected(vt_lexer *lx, const char *what);

#endif
