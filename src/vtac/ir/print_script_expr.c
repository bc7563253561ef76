/* Expressions in TVMScript. */
#include <ctype.h>
#include <string.h>

#include "ir/print_script.h"

const char *vt__script_name(vt__script *s, const char *hint) {
    char *name = vt_new_format(s->ctx, "%s%s", isalpha((unsigned char)hint[0]) || hint[0] == '_' ? "" : "v", hint);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return name;
}

/* How a kind is written: infix, or as a function of T. precedence: looser is larger, 0 for functions. */
typedef struct spelling {
    const char *infix;
    const char *function;
    uint8_t precedence;
} spelling;

static spelling spelling_of(const vt_expr *e) {
    switch (e->kind) {
    case VT_E_FLOORDIV: return (spelling){"//", NULL, vt_expr_infos[e->kind].precedence};
    case VT_E_FLOORMOD: return (spelling){"%", NULL, vt_expr_infos[e->kind].precedence};
    case VT_E_AND: return (spelling){"and", NULL, vt_expr_infos[e->kind].precedence};
    case VT_E_OR: return (spelling){"or", NULL, vt_expr_infos[e->kind].precedence};
    case VT_E_MOD: return (spelling){NULL, "truncmod", 0};
    case VT_E_MIN: return (spelling){NULL, "min", 0};
    case VT_E_MAX: return (spelling){NULL, "max", 0};
    case VT_E_SELECT: return (spelling){NULL, "Select", 0};
    case VT_E_LET: return (spelling){NULL, "let", 0};
    default:
        if (vt_expr_infos[e->kind].precedence && e->n == 2)
            return (spelling){vt_expr_infos[e->kind].symbol, NULL, vt_expr_infos[e->kind].precedence};
        return (spelling){0};
    }
}

static uint8_t precedence_of(const vt_expr *e) { return e->kind == VT_E_NOT ? 10 : spelling_of(e).precedence; }

static void operand(vt__script *s, vt_strbuf *out, const vt_expr *e, bool parentheses) {
    if (parentheses) vt_strbuf_addc(out, '(');
    vt__script_expr(s, out, e);
    if (parentheses) vt_strbuf_addc(out, ')');
}

static bool compares(const vt_expr *e) { return vt_expr_infos[e->kind].cls == VT_CLASS_COMPARE; }

/* Python reads a < b == c as a < b and b == c. */
static bool chained(const vt_expr *e, const vt_expr *operand) { return compares(e) && compares(operand); }

static void infix(vt__script *s, vt_strbuf *out, const vt_expr *e, spelling how) {
    const vt_expr *x = e->a[0], *y = e->a[1];
    operand(s, out, x, chained(e, x) || precedence_of(x) > how.precedence);
    vt_strbuf_addf(out, " %s ", how.infix);
    operand(s, out, y, chained(e, y) || precedence_of(y) >= how.precedence);
}

void vt__script_exprs(vt__script *s, vt_strbuf *out, uint32_t n, const vt_expr *const *items) {
    for (uint32_t i = 0; i < n; i++) {
        if (i) vt_strbuf_add(out, ", ");
        vt__script_expr(s, out, items[i]);
    }
}

static void constant(vt__script *s, vt_strbuf *out, const vt_expr *e) {
    (void)s;
    char t[VT_DTYPE_TEXT];
    if (vt_dtype_is_bool(e->dtype))
        vt_strbuf_add(out, e->u.i ? "True" : "False");
    else if (vt_dtype_eq(e->dtype, VT_I32))
        vt_strbuf_addf(out, "%lld", (long long)e->u.i);
    else if (e->kind == VT_E_FLOAT)
        vt_strbuf_addf(out, "T.%s(%.17g)", vt_dtype_text(e->dtype, t), e->u.f);
    else
        vt_strbuf_addf(out, vt_dtype_eq(e->dtype, VT_U64) ? "T.%s(%llu)" : "T.%s(%lld)", vt_dtype_text(e->dtype, t),
                       (long long)e->u.i);
}

static const char *text_of(vt__script *s, const void *thing) { return vt_ptrmap_get(s->known, thing); }

static void var(vt__script *s, vt_strbuf *out, const vt_var *v) {
    const char *text = text_of(s, v);
    vt_strbuf_add(out, text ? text : s->declare_var(s, v));
}

void vt__script_buffer(vt__script *s, vt_strbuf *out, const vt_buffer *b) {
    const char *text = text_of(s, b);
    vt_strbuf_add(out, text ? text : s->declare_buffer(s, b));
}

void vt__script_element(vt__script *s, vt_strbuf *out, const vt_buffer *b, uint32_t n, const vt_expr *const *indices) {
    vt__script_buffer(s, out, b);
    vt_strbuf_add(out, n ? "[" : "[()");
    vt__script_exprs(s, out, n, indices);
    vt_strbuf_add(out, "]");
}

void vt__script_shape(vt__script *s, vt_strbuf *out, const vt_buffer *b) {
    vt_strbuf_add(out, "(");
    vt__script_exprs(s, out, b->ndim, b->shape);
    vt_strbuf_add(out, b->ndim == 1 ? ",)" : ")");
}

/* Calls whose result type cannot be told from their operands name it first. */
static bool names_type(vt_op op) {
    return op == VT_OP_CALL_EXTERN || op == VT_OP_CALL_PURE_EXTERN || op == VT_OP_REINTERPRET;
}

static void call(vt__script *s, vt_strbuf *out, const vt_expr *e) {
    char t[VT_DTYPE_TEXT];
    vt_dtype_text(e->dtype, t);
    vt_strbuf_addf(out, "T.%s(", vt_op_infos[e->u.op].script);
    bool first = !s->blocks && names_type(e->u.op);
    if (first) vt_strbuf_addf(out, "\"%s\"%s", t, e->n ? ", " : "");
    vt__script_exprs(s, out, e->n, e->a);
    if (s->blocks) vt_strbuf_addf(out, "%sdtype=\"%s\"", e->n ? ", " : "", t);
    vt_strbuf_add(out, ")");
}

static void cast(vt__script *s, vt_strbuf *out, const vt_expr *e) {
    char t[VT_DTYPE_TEXT];
    vt_dtype_text(e->dtype, t);
    vt_strbuf_add(out, s->blocks ? "T.cast(" : "T.Cast(");
    if (!s->blocks) vt_strbuf_addf(out, "\"%s\", ", t);
    vt__script_expr(s, out, e->a[0]);
    if (s->blocks) vt_strbuf_addf(out, ", \"%s\"", t);
    vt_strbuf_add(out, ")");
}

/* T.name(operands), with the variable of a let first and the lanes of a vector last. */
static void function(vt__script *s, vt_strbuf *out, const char *name, const vt_expr *e) {
    vt_strbuf_addf(out, "T.%s(", name);
    if (e->kind == VT_E_LET) {
        var(s, out, e->u.let_var);
        vt_strbuf_add(out, ", ");
    }
    vt__script_exprs(s, out, e->n, e->a);
    if (e->kind == VT_E_RAMP || e->kind == VT_E_BROADCAST) vt_strbuf_addf(out, ", %u", e->dtype.lanes);
    vt_strbuf_add(out, ")");
}

static void negation(vt__script *s, vt_strbuf *out, const vt_expr *e) {
    vt_strbuf_add(out, s->blocks ? "not" : "not ");
    operand(s, out, e->a[0], s->blocks || precedence_of(e->a[0]) > 10);
}

void vt__script_expr(vt__script *s, vt_strbuf *out, const vt_expr *e) {
    spelling how = spelling_of(e);
    if (how.infix) {
        infix(s, out, e, how);
        return;
    }
    switch (e->kind) {
    case VT_E_VAR: var(s, out, e); break;
    case VT_E_INT:
    case VT_E_FLOAT: constant(s, out, e); break;
    case VT_E_STRING: vt_strbuf_addf(out, "\"%s\"", e->u.s); break;
    case VT_E_NOT: negation(s, out, e); break;
    case VT_E_CAST: cast(s, out, e); break;
    case VT_E_LOAD: vt__script_element(s, out, e->u.buffer, e->n, e->a); break;
    case VT_E_PLOAD:
        vt_strbuf_addf(out, "%s[", vt__script_name(s, e->u.tensor->name));
        vt__script_exprs(s, out, e->n, e->a);
        vt_strbuf_add(out, "]");
        break;
    case VT_E_CALL: call(s, out, e); break;
    case VT_E_RAMP: function(s, out, s->blocks ? "ramp" : "Ramp", e); break;
    case VT_E_BROADCAST: function(s, out, s->blocks ? "broadcast" : "Broadcast", e); break;
    case VT_E_REDUCE: function(s, out, "reduce", e); break;
    default: function(s, out, how.function, e); break;
    }
}

void vt__script_notes(vt__script *s, vt_strbuf *out, uint32_t n, const vt_note *notes) {
    vt_strbuf_add(out, "{");
    for (uint32_t i = 0; i < n; i++) {
        vt_strbuf_addf(out, "%s\"%s\": ", i ? ", " : "", notes[i].key);
        vt__script_expr(s, out, notes[i].value);
    }
    vt_strbuf_add(out, "}");
}
