/* Nested expressions as TVMScript, read again by Python's rules of precedence: what is read is what was printed. */
#include <ctype.h>
#include <string.h>

#include "ir/support.h"
#include "ir/visit.h"
#include "support/check.h"

/* ---- A reader of what the printer may write, after Python's grammar ----------------------------------------- */

typedef struct reader {
    vt_ctx *ctx;
    const vt_var *const *vars; /* a, b, c, d */
    const char *at, *text;
} reader;

static const vt_expr *read_or(reader *r);

static bool take(reader *r, const char *word) {
    size_t n = strlen(word);
    if (strncmp(r->at, word, n)) return false;
    r->at += n;
    return true;
}

static void need(reader *r, const char *word) {
    if (!take(r, word)) fail_msg("no \"%s\" at \"%s\" of \"%s\"", word, r->at, r->text);
}

static const vt_expr *read_function(reader *r) {
    static const struct {
        const char *name;
        vt_expr_kind kind;
    } functions[] = {{"T.truncmod(", VT_E_MOD}, {"T.min(", VT_E_MIN}, {"T.max(", VT_E_MAX}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (!take(r, functions[i].name)) continue;
        const vt_expr *x = read_or(r);
        need(r, ", ");
        const vt_expr *y = read_or(r);
        need(r, ")");
        return vt_e_bin(r->ctx, functions[i].kind, x, y);
    }
    need(r, "T.Select(");
    const vt_expr *condition = read_or(r);
    need(r, ", ");
    const vt_expr *then = read_or(r);
    need(r, ", ");
    const vt_expr *otherwise = read_or(r);
    need(r, ")");
    return vt_e_select(r->ctx, condition, then, otherwise);
}

static const vt_expr *read_factor(reader *r) {
    if (take(r, "(")) {
        const vt_expr *e = read_or(r);
        need(r, ")");
        return e;
    }
    if (*r->at >= 'a' && *r->at <= 'd') return r->vars[*r->at++ - 'a'];
    if (isdigit((unsigned char)*r->at)) return vt_i32(r->ctx, *r->at++ - '0');
    return read_function(r);
}

static const vt_expr *read_term(reader *r) {
    const vt_expr *e = read_factor(r);
    for (;;) {
        if (take(r, " * "))
            e = vt_e_bin(r->ctx, VT_E_MUL, e, read_factor(r));
        else if (take(r, " // "))
            e = vt_e_bin(r->ctx, VT_E_FLOORDIV, e, read_factor(r));
        else if (take(r, " / "))
            e = vt_e_bin(r->ctx, VT_E_DIV, e, read_factor(r));
        else if (take(r, " % "))
            e = vt_e_bin(r->ctx, VT_E_FLOORMOD, e, read_factor(r));
        else
            return e;
    }
}

static const vt_expr *read_sum(reader *r) {
    const vt_expr *e = read_term(r);
    for (;;) {
        if (take(r, " + "))
            e = vt_e_bin(r->ctx, VT_E_ADD, e, read_term(r));
        else if (take(r, " - "))
            e = vt_e_bin(r->ctx, VT_E_SUB, e, read_term(r));
        else
            return e;
    }
}

/* In Python a < b == c is (a < b) and (b == c): the printer may not write it. */
static const vt_expr *read_comparison(reader *r) {
    static const struct {
        const char *symbol;
        vt_expr_kind kind;
    } kinds[] = {{" == ", VT_E_EQ}, {" != ", VT_E_NE}, {" < ", VT_E_LT},
                 {" <= ", VT_E_LE}, {" > ", VT_E_GT},  {" >= ", VT_E_GE}};
    const vt_expr *e = read_sum(r);
    int n = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!take(r, kinds[i].symbol)) continue;
        if (n++) fail_msg("two comparisons in a row in \"%s\"", r->text);
        e = vt_e_bin(r->ctx, kinds[i].kind, e, read_sum(r));
        i = (size_t)-1; /* another may follow */
    }
    return e;
}

static const vt_expr *read_not(reader *r) {
    return take(r, "not ") || take(r, "not") ? vt_e_not(r->ctx, read_not(r)) : read_comparison(r);
}

static const vt_expr *read_and(reader *r) {
    const vt_expr *e = read_not(r);
    while (take(r, " and ")) e = vt_e_bin(r->ctx, VT_E_AND, e, read_not(r));
    return e;
}

static const vt_expr *read_or(reader *r) {
    const vt_expr *e = read_and(r);
    while (take(r, " or ")) e = vt_e_bin(r->ctx, VT_E_OR, e, read_and(r));
    return e;
}

/* ---- Random expressions ------------------------------------------------------------------------------------- */

static const vt_expr *number(vt_ctx *ctx, check_random *rnd, const vt_var *const *vars, int depth);

static const vt_expr *truth(vt_ctx *ctx, check_random *rnd, const vt_var *const *vars, int depth) {
    static const vt_expr_kind logic[] = {VT_E_AND, VT_E_OR, VT_E_EQ, VT_E_NE, VT_E_LT, VT_E_GE};
    static const vt_expr_kind compare[] = {VT_E_EQ, VT_E_NE, VT_E_LT, VT_E_LE, VT_E_GT, VT_E_GE};
    int64_t which = check_between(rnd, 0, 3);
    if (depth && which == 0) return vt_e_not(ctx, truth(ctx, rnd, vars, depth - 1));
    bool of_truths = depth && which == 1;
    vt_expr_kind kind = (of_truths ? logic : compare)[check_between(rnd, 0, 5)];
    int deeper = depth ? depth - 1 : 0;
    const vt_expr *x = of_truths ? truth(ctx, rnd, vars, deeper) : number(ctx, rnd, vars, deeper);
    const vt_expr *y = of_truths ? truth(ctx, rnd, vars, deeper) : number(ctx, rnd, vars, deeper);
    return vt_e_bin(ctx, kind, x, y);
}

static const vt_expr *number(vt_ctx *ctx, check_random *rnd, const vt_var *const *vars, int depth) {
    static const vt_expr_kind kinds[] = {VT_E_ADD,      VT_E_SUB,      VT_E_MUL, VT_E_DIV, VT_E_MOD,
                                         VT_E_FLOORDIV, VT_E_FLOORMOD, VT_E_MIN, VT_E_MAX, VT_E_SELECT};
    if (!depth) {
        int64_t leaf = check_between(rnd, 0, 13);
        return leaf < 4 ? vars[leaf] : vt_i32(ctx, leaf - 4);
    }
    vt_expr_kind kind = kinds[check_between(rnd, 0, 9)];
    const vt_expr *condition = kind == VT_E_SELECT ? truth(ctx, rnd, vars, depth - 1) : NULL;
    const vt_expr *x = number(ctx, rnd, vars, (int)check_between(rnd, 0, depth - 1));
    const vt_expr *y = number(ctx, rnd, vars, (int)check_between(rnd, 0, depth - 1));
    return condition ? vt_e_select(ctx, condition, x, y) : vt_e_bin(ctx, kind, x, y);
}

static vta_status printed_and_read(vt_ctx *ctx, void *arg) {
    check_random rnd = {(uint64_t)(size_t)arg};
    const vt_var *vars[4];
    for (int i = 0; i < 4; i++) vars[i] = vt_var_new(ctx, (char[]){(char)('a' + i), 0}, VT_I32);
    for (int n = 0; n < 500; n++) {
        const vt_expr *e = n % 2 ? truth(ctx, &rnd, vars, 3) : number(ctx, &rnd, vars, 3);
        vt_strbuf out;
        const vt_stmt *body = vt_s_eval(ctx, e);
        vt_stmt root = {.kind = VT_S_BLOCK, .u.block = {.name = "root", .body = body}};
        vt_func f = {
            .name = "main", .result = VT_VOID_T, .body = n % 4 < 2 ? body : &root}; /* both forms of TVMScript */
        vt_strbuf_init(&out, NULL);
        vt_print_tvmscript(ctx, &f, &out);
        reader r = {ctx, vars, strstr(vt_strbuf_text(&out), "T.evaluate("), vt_strbuf_text(&out)};
        assert_non_null(r.at);
        need(&r, "T.evaluate(");
        const vt_expr *again = read_or(&r);
        need(&r, ")\n");
        if (!vt_expr_equal(e, again)) fail_msg("%s is printed as %s", vt_expr_text(ctx, e), r.text);
        vt_strbuf_free(&out);
    }
    return VTA_OK;
}

TEST_CASE(test_printed_and_read) {
    for (size_t seed = 1; seed <= 4; seed++) run_in_context(printed_and_read, (void *)seed, VTA_OK, NULL);
}

int main(void) { return run_cases(); }
