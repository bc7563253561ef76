/* What a public handle points at: the first two bytes of each object say it. Public calls look before they follow. */
#ifndef VT_IR_TAG_H
#define VT_IR_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint16_t vt_tag; /* the first member of each of these objects */

enum {
    VT_TAG_NONE = 0x9c40, /* not what memory begins with as a rule: no small number, no text */
#define VT_TAG(name, text) VT_TAG_##name,
#include "ir/tags.def"
#undef VT_TAG
    VT_TAG_END
};

static inline vt_tag vt_tag_of(const void *object) { return *(const vt_tag *)object; }

/* Is it such an object? False for NULL, and for an object that is gone where its memory still says so. */
static inline bool vt_is(const void *object, vt_tag tag) {
    return object && (uintptr_t)object % sizeof(vt_tag) == 0 && vt_tag_of(object) == tag;
}

/* "a stage"; "something else" for a pointer that carries no tag of these. */
const char *vt_tag_text(const void *object);

#endif
