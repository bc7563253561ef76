/* Types of tensor elements as words: "int8", "uint8", "bool", "float32x4", "handle". */
#ifndef VT_BASE_ELEMENT_TYPE_H
#define VT_BASE_ELEMENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include <dlpack/dlpack.h>

enum { VT_ELEMENT_TYPE_BYTES = 24 };

/* False for a word that is not a type. */
bool vt_element_type_parse(const char *text, DLDataType *out_type);
/* The word; gives `to`. */
const char *vt_element_type_text(DLDataType type, char to[VT_ELEMENT_TYPE_BYTES]);

#endif
