#include "te/lex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NUMBER = 64, SHOWN = 24 };

void vt_lex_init(vt_lexer *lx, vt_ctx *ctx, const char *text, size_t size, vt_pos start) {
    *lx = (vt_lexer){.ctx = ctx, .next = text, .end = text + size, .line_start = text, .where = start};
    if (!start.line) lx->where.line = 1;
    if (start.column > 1) lx->indent = start.column - 1;
    vt_lex_advance(lx);
    lx->token.starts_line = true;
}

static bool at(const vt_lexer *lx, char c) { return lx->next < lx->end && *lx->next == c; }

/* Skips blanks and comments; true when a line ended. */
static bool skip_blank(vt_lexer *lx) {
    bool line = false;
    for (; lx->next < lx->end; lx->next++) {
        if (*lx->next == '\n') {
            line = true;
            lx->where.line++;
            lx->line_start = lx->next + 1;
            lx->indent = 0;
        } else if (*lx->next == '#') {
            while (lx->next + 1 < lx->end && lx->next[1] != '\n') lx->next++;
        } else if (*lx->next != ' ' && *lx->next != '\t' && *lx->next != '\r') {
            break;
        }
    }
    return line;
}

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void lex_number(vt_lexer *lx, vt_lex_token *t) {
    const char *p = lx->next;
    bool hex = lx->end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X'), real = false;
    if (hex) p += 2;
    for (; p < lx->end; p++) {
        bool exponent = !hex && (*p == 'e' || *p == 'E');
        bool sign = (*p == '+' || *p == '-') && !hex && (p[-1] == 'e' || p[-1] == 'E');
        if (exponent || *p == '.') real = true;
        if (!is_name(*p) && *p != '.' && !sign) break;
    }
    t->size = (size_t)(p - lx->next);
    char text[LONGEST_NUMBER];
    t->kind = VT_T_BAD;
    if (t->size < sizeof text) {
        memcpy(text, lx->next, t->size);
        text[t->size] = 0;
        char *stop;
        errno = 0;
        if (real)
            t->real = strtod(text, &stop);
        else
            t->integer = strtoll(text, &stop, 0);
        if (!*stop && !errno) t->kind = real ? VT_T_FLOAT : VT_T_INT;
    }
    lx->next = p;
}

static size_t punct_size(const vt_lexer *lx) {
    static const char *const table[] = {"...", "//", "<<", ">>", "==", "!=", "<=", ">=", "&&", "||", "->"};
    size_t left = (size_t)(lx->end - lx->next);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t n = strlen(table[i]);
        if (n <= left && memcmp(table[i], lx->next, n) == 0) return n;
    }
    return 1;
}

void vt_lex_advance(vt_lexer *lx) {
    vt_lex_token t = {.starts_line = skip_blank(lx)};
    t.text = lx->next;
    t.pos = lx->where;
    t.pos.column = (uint32_t)(lx->next - lx->line_start) + 1 + lx->indent;
    if (lx->next == lx->end) {
        t.kind = VT_T_END;
        t.starts_line = true;
    } else if (is_name_start(*lx->next)) {
        t.kind = VT_T_NAME;
        while (lx->next < lx->end && is_name(*lx->next)) lx->next++;
        t.size = (size_t)(lx->next - t.text);
    } else if (is_digit(*lx->next) || (at(lx, '.') && lx->end - lx->next > 1 && is_digit(lx->next[1]))) {
        lex_number(lx, &t);
    } else {
        t.size = punct_size(lx);
        t.kind = strchr("+-*/%<>=!&|^~()[]{},:;.", *t.text) && *t.text ? VT_T_PUNCT : VT_T_BAD;
        lx->next += t.size;
    }
    lx->token = t;
}

bool vt_lex_is(const vt_lexer *lx, const char *text) {
    const vt_lex_token *t = &lx->token;
    return (t->kind == VT_T_NAME || t->kind == VT_T_PUNCT) && strlen(text) == t->size &&
           memcmp(text, t->text, t->size) == 0;
}

bool vt_lex_accept(vt_lexer *lx, const char *text) {
    if (!vt_lex_is(lx, text)) return false;
    vt_lex_advance(lx);
    return true;
}

const char *vt_lex_token_text(vt_ctx *ctx, const vt_lex_token *t) {
    if (t->kind == VT_T_END) return "the end of the text";
    if (t->kind == VT_T_BAD && t->size == 1 && !isprint((unsigned char)*t->text))
        return vt_new_format(ctx, "byte 0x%02x", (unsigned)(unsigned char)*t->text);
    return vt_new_format(ctx, "\"%.*s%s\"", (int)(t->size > SHOWN ? SHOWN : t->size), t->text,
                         t->size > SHOWN ? "..." : "");
}

void vt_lex_unexpected(vt_lexer *lx, const char *what) {
    if (lx->token.kind == VT_T_BAD && lx->token.size > 1)
        vt_raise_at(lx->ctx, VTA_PARSE, lx->token.pos, "%s is not a number that 64 bits can hold",
                    vt_lex_token_text(lx->ctx, &lx->token));
    vt_raise_at(lx->ctx, VTA_PARSE, lx->token.pos, "expected %s, found %s", what,
                vt_lex_token_text(lx->ctx, &lx->token));
}

void vt_lex_expect(vt_lexer *lx, const char *text, const char *why) {
    if (vt_lex_accept(lx, text)) return;
    vt_lex_unexpected(lx, vt_new_format(lx->ctx, "\"%s\" %s", text, why));
}

char *vt_lex_name(vt_lexer *lx, const char *what) {
    if (lx->token.kind != VT_T_NAME) vt_lex_unexpected(lx, what);
    char *name = vt_new_stringn(lx->ctx, lx->token.text, lx->token.size);
    vt_lex_advance(lx);
    return name;
}
