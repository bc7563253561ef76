/* Attribute statements: their keys, by the table ir/attr.def. */
#ifndef VT_IR_ATTR_H
#define VT_IR_ATTR_H

#include <string.h>

#include "ir/node.h"

#define VT_ATTR(NAME, key) static const char VT_ATTR_##NAME[] = key;
#include "ir/attr.def"
#undef VT_ATTR
/* What the key of a pragma begins with. */
#define VT_PRAGMA_PREFIX "pragma_"

static inline bool vt_attr_is(const vt_stmt *s, const char *key) {
    return s->kind == VT_S_ATTR && strcmp(s->u.attr.key, key) == 0;
}
/* The extent of a thread or a virtual thread: binds its variable over [0, value). */
static inline bool vt_attr_binds_thread(const vt_stmt *s) {
    return (vt_attr_is(s, VT_ATTR_THREAD_EXTENT) || vt_attr_is(s, VT_ATTR_VIRTUAL_THREAD)) &&
           s->u.attr.node.kind == VT_REF_ITER;
}

#endif
