#include "base/element_type.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    uint8_t code;
} words[] = {{"int", kDLInt}, {"uint", kDLUInt}, {"float", kDLFloat}};

enum { WORDS = sizeof words / sizeof *words };

bool vt_element_type_parse(const char *text, DLDataType *out_type) {
    *out_type = (DLDataType){kDLUInt, 1, 1};
    if (strcmp(text, "bool") == 0) return true;
    *out_type = (DLDataType){kDLOpaqueHandle, 64, 1};
    if (strcmp(text, "handle") == 0) return true;
    size_t word = strcspn(text, "0123456789");
    char *end;
    unsigned long bits = strtoul(text + word, &end, 10), lanes = 1;
    if (*end == 'x') lanes = strtoul(end + 1, &end, 10);
    if (*end || !bits || bits > 64 || !lanes || lanes > UINT16_MAX) return false;
    for (size_t i = 0; i < WORDS; i++)
        if (strlen(words[i].word) == word && strncmp(words[i].word, text, word) == 0) {
            *out_type = (DLDataType){words[i].code, (uint8_t)bits, (uint16_t)lanes};
            return true;
        }
    return false;
}

const char *vt_element_type_text(DLDataType type, char to[VT_ELEMENT_TYPE_BYTES]) {
    const char *word = type.code == kDLOpaqueHandle ? "handle" : "?";
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].code == type.code) word = words[i].word;
    if (type.code == kDLUInt && type.bits == 1)
        snprintf(to, VT_ELEMENT_TYPE_BYTES, "bool");
    else if (type.code == kDLOpaqueHandle)
        snprintf(to, VT_ELEMENT_TYPE_BYTES, "handle");
    else if (type.lanes != 1)
        snprintf(to, VT_ELEMENT_TYPE_BYTES, "%s%ux%u", word, type.bits, type.lanes);
    else
        snprintf(to, VT_ELEMENT_TYPE_BYTES, "%s%u", word, type.bits);
    return to;
}
