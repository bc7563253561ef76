/* The .def tables as arrays. */
#include <string.h>

#include "ir/node.h"

const vt_expr_info vt_expr_infos[VT_E_COUNT] = {
#define VT_EXPR(name, text, operands, cls, symbol, prec) [VT_E_##name] = {text, operands, VT_CLASS_##cls, prec, symbol},
#include "ir/expr.def"
#undef VT_EXPR
};

const vt_op_info vt_op_infos[VT_OP_COUNT] = {
#define VT_OP(name, text, script, arity, effect) [VT_OP_##name] = {text, script, arity, VT_EFFECT_##effect},
#include "ir/op.def"
#undef VT_OP
};

vt_op vt_op_find(const char *name) {
    for (unsigned i = 0; i < VT_OP_COUNT; i++)
        if (!strcmp(vt_op_infos[i].name, name) || !strcmp(vt_op_infos[i].script, name)) return (vt_op)i;
    return VT_OP_COUNT;
}

const char *vt_iter_type_text(vt_iter_type type) {
    static const char *const texts[] = {
#define VT_ITER_TYPE(name, text) text,
#include "ir/enums.def"
#undef VT_ITER_TYPE
    };
    return texts[type];
}

const char *vt_for_kind_text(vt_for_kind kind) {
    static const char *const texts[] = {
#define VT_FOR_KIND(name, text) text,
#include "ir/enums.def"
#undef VT_FOR_KIND
    };
    return texts[kind];
}

const char *vt_stmt_kind_text(vt_stmt_kind kind) {
    static const char *const texts[] = {
#define VT_STMT(name, text, member) text,
#define VT_FIELD(name, member, field, type)
#include "ir/stmt.def"
#undef VT_STMT
#undef VT_FIELD
    };
    return texts[kind];
}

const char *vt_tag_text(const void *object) {
    static const char *const texts[] = {
#define VT_TAG(name, text) [VT_TAG_##name - VT_TAG_NONE] = text,
#include "ir/tags.def"
#undef VT_TAG
    };
    if (!object || (uintptr_t)object % sizeof(vt_tag)) return "something else";
    vt_tag tag = vt_tag_of(object);
    return tag > VT_TAG_NONE && tag < VT_TAG_END ? texts[tag - VT_TAG_NONE] : "something else";
}
