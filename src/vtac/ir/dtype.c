#include "ir/dtype.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    vt_dtype type;
} special[] = {{"bool", {VT_UINT, 1, 1}}, {"handle", {VT_HANDLE, 64, 1}}, {"void", {VT_HANDLE, 0, 0}}};

static const char *const prefixes[] = {[VT_INT] = "int", [VT_UINT] = "uint", [VT_FLOAT] = "float"};

const char *vt_dtype_text(vt_dtype t, char *out) {
    vt_dtype elem = vt_dtype_elem(t);
    char lanes[8] = "";
    if (t.lanes > 1) snprintf(lanes, sizeof lanes, "x%u", t.lanes);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (vt_dtype_eq(t, special[i].type) || vt_dtype_eq(elem, special[i].type)) {
            snprintf(out, VT_DTYPE_TEXT, "%s%s", special[i].text, lanes);
            return out;
        }
    snprintf(out, VT_DTYPE_TEXT, "%s%u%s", t.code <= VT_FLOAT ? prefixes[t.code] : "handle", t.bits, lanes);
    return out;
}

static bool parse_number(const char **p, unsigned max, unsigned *out) {
    unsigned value = 0;
    const char *start = *p;
    while (**p >= '0' && **p <= '9' && value <= max) value = value * 10 + (unsigned)(*(*p)++ - '0');
    *out = value;
    return *p != start && value > 0 && value <= max;
}

bool vt_dtype_parse(const char *text, vt_dtype *out_type) {
    vt_dtype t = {0, 0, 1};
    const char *p = NULL;
    unsigned number;
    for (size_t i = 0; i < sizeof special / sizeof *special && !p; i++) {
        size_t n = strlen(special[i].text);
        if (strncmp(text, special[i].text, n)) continue;
        t = special[i].type;
        p = text + n;
    }
    /* "uint" before "int" does not matter: prefixes differ in their first letter. */
    for (unsigned code = VT_INT; code <= VT_FLOAT && !p; code++) {
        size_t n = strlen(prefixes[code]);
        if (strncmp(text, prefixes[code], n)) continue;
        p = text + n;
        if (!parse_number(&p, 64, &number)) return false;
        if (code == VT_FLOAT && number != 16 && number != 32 && number != 64) return false;
        t = VT_DTYPE(code, number, 1);
    }
    if (!p) return false;
    if (*p == 'x' && t.lanes == 1) {
        p++;
        if (!parse_number(&p, 65535, &number)) return false;
        t.lanes = (uint16_t)number;
    }
    if (*p) return false;
    *out_type = t;
    return true;
}

int64_t vt_dtype_min_int(vt_dtype t) {
    if (t.code != VT_INT) return 0;
    return t.bits >= 64 ? INT64_MIN : -(INT64_C(1) << (t.bits - 1));
}

int64_t vt_dtype_max_int(vt_dtype t) {
    unsigned bits = t.code == VT_INT ? t.bits - 1u : t.bits;
    return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}
