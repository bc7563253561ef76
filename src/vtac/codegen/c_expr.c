/* Expressions as C. A vector is written lane by lane: every expression is asked for one lane of its value. */
#include <math.h>
#include <string.h>

#include "codegen/c.h"
#include "codegen/runtime_table.h"
#include "ir/build.h"

static const struct {
    const char *llvm, *c;
} math_names[VT_OP_COUNT] = {
#define VTA_MATH(op, function, operands, llvm, meaning) [VT_OP_##op] = {llvm, #function},
#include "vta/math.def"
#undef VTA_MATH
};

#define TEXT(...) vt_new_format(c->ctx, __VA_ARGS__)

static const char *constant(vt__c *c, vt_dtype t, int64_t value) {
    if (vt_dtype_is_bool(t)) return value ? "true" : "false";
    if (t.code == VT_UINT) return TEXT(t.bits == 64 ? "UINT64_C(%llu)" : "%lluu", (unsigned long long)value);
    if (t.bits < 64) return value == INT32_MIN ? "INT32_MIN" : TEXT("%lld", (long long)value);
    return value == INT64_MIN ? "INT64_MIN" : TEXT("INT64_C(%lld)", (long long)value);
}

static const char *real(vt__c *c, vt_dtype t, double value) {
    const char *suffix = t.bits == 32 ? "f" : "";
    if (isnan(value)) return TEXT("nan%s(\"\")", suffix);
    if (isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
    return TEXT("%a%s", value, suffix); /* hexadecimal: exact */
}

/* Types narrower than int are computed in int; the result wraps into the type. */
static const char *wrapped(vt__c *c, vt_dtype t, const char *text) {
    bool narrow = vt_dtype_is_integral(t) && t.bits < 32 && !vt_dtype_is_bool(t);
    return narrow ? TEXT("(%s)%s", vt__c_type(c, t), text) : text;
}

/* ---- Helpers: inline functions, written when first needed -------------------------------------------------------- */

static const char *helper(vt__c *c, const char *what, vt_dtype t, const char *formula) {
    char type[VT_DTYPE_TEXT];
    const char *name = TEXT("vt_%s_%s", what, vt_dtype_text(vt_dtype_elem(t), type)), *ctype = vt__c_type(c, t);
    if (vt__c_first(c, name))
        vt_strbuf_addf(&c->helpers, "static inline %s %s(%s a, %s b) { return %s; }\n", ctype, name, ctype, ctype,
                       formula);
    return name;
}

/* By 0 the quotient is 0 and the remainder x; by -1, where the least integer would trap, it is what wraps. */
static const char *safe_division(vt__c *c, vt_dtype t, const char *what, bool mod, const char *otherwise) {
    const char *zero = mod ? "b == 0 ? a : " : "b == 0 ? 0 : ", *minus = "";
    if (t.code == VT_INT)
        minus = mod ? "b == -1 ? 0 : " : TEXT("b == -1 ? (%s)(0 - (uint%u_t)a) : ", vt__c_type(c, t), t.bits);
    return helper(c, what, t, TEXT("%s%s%s", zero, minus, otherwise));
}

static const char *division(vt__c *c, const vt_expr *e, const char *x, const char *y) {
    vt_dtype t = vt_dtype_elem(e->dtype);
    bool mod = e->kind == VT_E_FLOORMOD || e->kind == VT_E_MOD,
         floored = t.code == VT_INT && (e->kind == VT_E_FLOORDIV || e->kind == VT_E_FLOORMOD);
    int64_t divisor;
    bool known = vt_as_const(e->a[1], &divisor);
    if (floored && known && divisor > 0 && (divisor & (divisor - 1)) == 0)
        return mod ? TEXT("(%s & %s)", x, constant(c, t, divisor - 1))
                   : TEXT("(%s >> %d)", x, __builtin_ctzll((unsigned long long)divisor));
    const char *name;
    if (!floored && known && divisor != 0 && (divisor != -1 || t.code != VT_INT))
        return wrapped(c, t, TEXT("(%s %s %s)", x, mod ? "%" : "/", y));
    if (floored)
        name = mod ? safe_division(c, t, "floormod", true, "a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0)")
                   : safe_division(c, t, "floordiv", false, "a / b - (a % b != 0 && (a % b < 0) != (b < 0))");
    else
        name = mod ? safe_division(c, t, "mod", true, "a % b") : safe_division(c, t, "div", false, "a / b");
    return TEXT("%s(%s, %s)", name, x, y);
}

static const char *arithmetic(vt__c *c, const vt_expr *e, const char *lane) {
    const char *x = vt__c_expr(c, e->a[0], lane), *y = vt__c_expr(c, e->a[1], lane);
    vt_dtype t = e->dtype;
    switch ((vt_expr_kind)e->kind) {
    case VT_E_ADD:
    case VT_E_SUB:
    case VT_E_MUL: return wrapped(c, t, TEXT("(%s %s %s)", x, vt_expr_infos[e->kind].symbol, y));
    case VT_E_MIN: return TEXT("%s(%s, %s)", helper(c, "min", t, "a < b ? a : b"), x, y);
    case VT_E_MAX: return TEXT("%s(%s, %s)", helper(c, "max", t, "a > b ? a : b"), x, y);
    case VT_E_DIV:
    case VT_E_MOD:
    case VT_E_FLOORDIV:
    case VT_E_FLOORMOD: break;
    case VT_EACH_LEAF:
    case VT_EACH_COMPARE:
    case VT_EACH_LOGIC:
    case VT_EACH_OTHER:
    case VT_E_COUNT:
        vt_raise(c->ctx, VTA_INTERNAL, "%s: %s is no arithmetic", c->entry->name, vt_expr_infos[e->kind].text);
    }
    if (t.code != VT_FLOAT) return division(c, e, x, y);
    if (e->kind == VT_E_DIV) return TEXT("(%s / %s)", x, y);
    if (e->kind == VT_E_MOD) return TEXT("fmod%s(%s, %s)", t.bits == 32 ? "f" : "", x, y);
    vt_raise(c->ctx, VTA_UNSUPPORTED, "%s: %s of floats", c->entry->name, vt_expr_infos[e->kind].text);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

const vt_expr *vt__c_flat_index(vt__c *c, const vt_buffer *b, uint32_t n, const vt_expr *const *indices) {
    const char *scope = vt_buffer_scope(b);
    if (strncmp(scope, "local.", 6) == 0)
        vt_raise(c->ctx, VTA_ILLEGAL, "%s: %s is in %s, which the host cannot reach", c->entry->name, b->name, scope);
    bool plain = n == 1 && !b->n_strides && (!b->elem_offset || vt_is_const(b->elem_offset, 0));
    return plain ? indices[0] : vt_buffer_offset(c->ctx, b, n, indices);
}

void vt__c_refuse_vectors(vt__c *c, const vt_buffer *b) {
    if (b->dtype.lanes > 1) vt_raise(c->ctx, VTA_UNSUPPORTED, "%s: %s has vector elements", c->entry->name, b->name);
}

static const char *element(vt__c *c, const vt_buffer *b, const vt_expr *index, const char *lane) {
    vt__c_refuse_vectors(c, b);
    const char *base = vt__c_name(c, b->data), *type = vt__c_type(c, b->dtype), *at = vt__c_expr(c, index, lane);
    bool same = b->data->u.var->pointer && vt_dtype_eq(b->data->u.var->elem, b->dtype);
    return same ? TEXT("%s[%s]", base, at) : TEXT("((%s *)%s)[%s]", type, base, at);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static const char *letter_type(char letter) {
    switch (letter) {
    case 'v': return "void";
    case 'p': return "void *";
    case 'z': return "size_t";
    case 'u': return "uint32_t";
    default: return "int32_t";
    }
}

static void declare(vt__c *c, const vt_expr *e, const char *name, const vt__runtime_entry *entry) {
    if (!vt__c_first(c, name)) return;
    const char *params = "";
    for (uint32_t i = 1; i < e->n; i++) {
        const char *type = entry ? letter_type(entry->args[i - 1]) : vt__c_type(c, e->a[i]->dtype);
        if (!entry && e->a[i]->kind == VT_E_STRING) type = "const char *";
        params = TEXT("%s%s%s", params, i > 1 ? ", " : "", type);
    }
    const char *result = entry ? letter_type(entry->result) : vt__c_type(c, e->dtype);
    vt_strbuf_addf(&c->types, "%s%s%s(%s);\n", result, strchr(result, '*') ? "" : " ", name,
                   e->n > 1 ? params : "void");
}

static const char *call_extern(vt__c *c, const vt_expr *e, const char *lane) {
    const char *name = e->a[0]->u.s, *args = "";
    const vt__runtime_entry *entry = vt__runtime_find(name);
    if (entry) vt__runtime_check_call(c->ctx, c->entry->name, entry, e);
    declare(c, e, name, entry);
    for (uint32_t i = 1; i < e->n; i++) args = TEXT("%s%s%s", args, i > 1 ? ", " : "", vt__c_expr(c, e->a[i], lane));
    return TEXT("%s(%s)", name, args);
}

/* The result in the type that the call has. */
static const char *extern_value(vt__c *c, const vt_expr *e, const char *lane) {
    const vt__runtime_entry *entry = vt__runtime_find(e->a[0]->u.s);
    const char *call = call_extern(c, e, lane), *type = vt__c_type(c, e->dtype);
    vt_dtype own = entry ? vt__runtime_result(entry) : e->dtype, to = e->dtype;
    if (vt_dtype_eq(own, to)) return call;
    if (!own.bits) return TEXT("(%s, (%s)0)", call, type);
    if (vt_dtype_is_bool(to)) return TEXT("(%s != 0)", call);
    bool pointer = own.code == VT_HANDLE || to.code == VT_HANDLE;
    return TEXT("(%s)%s%s", type, pointer ? "(uintptr_t)" : "",
                to.code == VT_HANDLE ? TEXT("(uint32_t)%s", call) : call);
}

static const char *bits(vt__c *c, const vt_expr *e, const char *lane) {
    static const char *const symbols[VT_OP_COUNT] = {
        [VT_OP_SHIFT_LEFT] = "<<", [VT_OP_SHIFT_RIGHT] = ">>", [VT_OP_BITWISE_AND] = "&",
        [VT_OP_BITWISE_OR] = "|",  [VT_OP_BITWISE_XOR] = "^",
    };
    const char *x = vt__c_expr(c, e->a[0], lane);
    if (e->u.op == VT_OP_BITWISE_NOT) return wrapped(c, e->dtype, TEXT("(~%s)", x));
    return wrapped(c, e->dtype, TEXT("(%s %s %s)", x, symbols[e->u.op], vt__c_expr(c, e->a[1], lane)));
}

static const char *count_bits(vt__c *c, const vt_expr *e, const char *lane) {
    vt_dtype t = e->a[0]->dtype;
    const char *x = TEXT("(uint%u_t)%s", t.bits, vt__c_expr(c, e->a[0], lane));
    if (e->u.op == VT_OP_POPCOUNT) return TEXT("__builtin_popcountll(%s)", x);
    return TEXT("((%s) ? __builtin_clzll(%s) - %d : %d)", x, x, 64 - t.bits, t.bits);
}

static const char *math(vt__c *c, const vt_expr *e, const char *lane) {
    const char *args = "";
    for (uint32_t i = 0; i < e->n; i++) args = TEXT("%s%s%s", args, i ? ", " : "", vt__c_expr(c, e->a[i], lane));
    return TEXT("%s%s(%s)", math_names[e->u.op].c, e->dtype.bits == 32 ? "f" : "", args);
}

static const char *reinterpret(vt__c *c, const vt_expr *e, const char *lane) {
    const char *from = vt__c_type(c, e->a[0]->dtype), *to = vt__c_type(c, e->dtype), *x = vt__c_expr(c, e->a[0], lane);
    if (e->dtype.code == VT_HANDLE || e->a[0]->dtype.code == VT_HANDLE) return TEXT("((%s)(intptr_t)%s)", to, x);
    char a[VT_DTYPE_TEXT], b[VT_DTYPE_TEXT];
    const char *name = TEXT("vt_bits_%s_%s", vt_dtype_text(vt_dtype_elem(e->a[0]->dtype), a),
                            vt_dtype_text(vt_dtype_elem(e->dtype), b));
    if (vt__c_first(c, name))
        vt_strbuf_addf(&c->helpers, "static inline %s %s(%s a) { %s b; memcpy(&b, &a, sizeof b); return b; }\n", to,
                       name, from, to);
    return TEXT("%s(%s)", name, x);
}

static const char *call(vt__c *c, const vt_expr *e, const char *lane) {
    if (math_names[e->u.op].c) return math(c, e, lane);
    switch ((int)e->u.op) {
    case VT_OP_LIKELY: return vt__c_expr(c, e->a[0], lane);
    case VT_OP_IF_THEN_ELSE:
        return TEXT("(%s ? %s : %s)", vt__c_expr(c, e->a[0], e->a[0]->dtype.lanes > 1 ? lane : NULL),
                    vt__c_expr(c, e->a[1], lane), vt__c_expr(c, e->a[2], lane));
    case VT_OP_SHIFT_LEFT:
    case VT_OP_SHIFT_RIGHT:
    case VT_OP_BITWISE_AND:
    case VT_OP_BITWISE_OR:
    case VT_OP_BITWISE_XOR:
    case VT_OP_BITWISE_NOT: return bits(c, e, lane);
    case VT_OP_CLZ:
    case VT_OP_POPCOUNT: return count_bits(c, e, lane);
    case VT_OP_ISNAN: /* a macro for floats only; an integer is a number */
        return e->a[0]->dtype.code == VT_FLOAT ? TEXT("(isnan(%s) != 0)", vt__c_expr(c, e->a[0], lane)) : "0";
    case VT_OP_REINTERPRET: return reinterpret(c, e, lane);
    case VT_OP_CALL_EXTERN:
    case VT_OP_CALL_PURE_EXTERN: return extern_value(c, e, lane);
    case VT_OP_ACCESS_PTR:
        return TEXT("((void *)((%s *)%s + %s))", vt__c_type(c, e->a[0]->dtype), vt__c_expr(c, e->a[1], lane),
                    vt__c_expr(c, e->a[2], lane));
    case VT_OP_ADDRESS_OF: {
        const vt_expr *l = e->a[0], *index = vt__c_flat_index(c, l->u.buffer, l->n, l->a);
        return TEXT("((void *)&%s)", element(c, l->u.buffer, index, index->dtype.lanes > 1 ? "0" : NULL));
    }
    case VT_OP_ISNULLPTR: return TEXT("(%s == NULL)", vt__c_expr(c, e->a[0], lane));
    case VT_OP_STORAGE_SYNC:
    case VT_OP_PREFETCH: return "0";
    default:
        vt_raise(c->ctx, VTA_UNSUPPORTED, "%s: there is no code for the intrinsic %s", c->entry->name,
                 vt_op_infos[e->u.op].name);
    }
}

static const char *logic(vt__c *c, const vt_expr *e, const char *lane) {
    return TEXT("(%s %s %s)", vt__c_expr(c, e->a[0], lane), vt_expr_infos[e->kind].symbol,
                vt__c_expr(c, e->a[1], lane));
}

static const char *cast(vt__c *c, const vt_expr *e, const char *lane) {
    const char *x = vt__c_expr(c, e->a[0], lane);
    if (vt_dtype_is_bool(e->dtype)) return TEXT("(%s != 0)", x);
    return TEXT("(%s)%s", vt__c_type(c, e->dtype), x);
}

const char *vt__c_expr(vt__c *c, const vt_expr *e, const char *lane) {
    if (e->dtype.lanes <= 1) lane = NULL;
    switch (vt_expr_infos[e->kind].cls) {
    case VT_CLASS_ARITH: return arithmetic(c, e, lane);
    case VT_CLASS_COMPARE: return logic(c, e, e->a[0]->dtype.lanes > 1 ? lane : NULL);
    default: break;
    }
    switch ((vt_expr_kind)e->kind) {
    case VT_E_VAR: return lane ? TEXT("%s[%s]", vt__c_name(c, e), lane) : vt__c_name(c, e);
    case VT_E_INT: return constant(c, e->dtype, e->u.i);
    case VT_E_FLOAT: return real(c, e->dtype, e->u.f);
    case VT_E_STRING: return vt__c_quoted(c, e->u.s);
    case VT_E_AND:
    case VT_E_OR: return logic(c, e, lane);
    case VT_E_NOT: return TEXT("(!%s)", vt__c_expr(c, e->a[0], lane));
    case VT_E_SELECT:
        return TEXT("(%s ? %s : %s)", vt__c_expr(c, e->a[0], lane), vt__c_expr(c, e->a[1], lane),
                    vt__c_expr(c, e->a[2], lane));
    case VT_E_CAST: return cast(c, e, lane);
    case VT_E_LOAD: return element(c, e->u.buffer, vt__c_flat_index(c, e->u.buffer, e->n, e->a), lane);
    case VT_E_CALL: return call(c, e, lane);
    case VT_E_LET: return vt__c_expr(c, vt_substitute1(c->ctx, e->a[1], e->u.let_var, e->a[0]), lane);
    case VT_E_RAMP:
        return TEXT("(%s + %s * %s)", vt__c_expr(c, e->a[0], NULL), vt__c_expr(c, e->a[1], NULL), lane ? lane : "0");
    case VT_E_BROADCAST: return vt__c_expr(c, e->a[0], NULL);
    case VT_EACH_ARITH:
    case VT_EACH_COMPARE:
    case VT_E_PLOAD:
    case VT_E_REDUCE:
    case VT_E_COUNT: break;
    }
    vt_raise(c->ctx, VTA_INTERNAL, "%s: an expression of kind '%s' is left after lowering", c->entry->name,
             vt_expr_infos[e->kind].text);
}

const char *vt__c_effect(vt__c *c, const vt_expr *e) {
    bool call = vt_is_call(e, VT_OP_CALL_EXTERN) || vt_is_call(e, VT_OP_CALL_PURE_EXTERN);
    return call ? call_extern(c, e, NULL) : vt__c_expr(c, e, NULL);
}
