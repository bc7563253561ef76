#include "frontend/graph/type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *text;
    size_t bytes;
    bool is_float, is_signed;
} elements[] = {
#define VT_ELEMENT(name, text, ctype) {text, sizeof(ctype), (ctype)0.5 != 0 && sizeof(ctype) > 1, (ctype) - 1 < 1},
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
};

const char *vt_element_text(vt_element element) { return elements[element].text; }
size_t vt_element_bytes(vt_element element) { return elements[element].bytes; }
bool vt_element_is_byte(vt_element element) { return element == VT_ELEMENT_I8 || element == VT_ELEMENT_U8; }

bool vt_element_parse(const char *text, vt_element *out_element) {
    for (uint32_t i = 0; i < VT_ELEMENT_COUNT; i++) {
        if (strcmp(text, elements[i].text) != 0) continue;
        *out_element = (vt_element)i;
        return true;
    }
    return false;
}

double vt_element_least(vt_element element) {
    if (elements[element].is_float) return -INFINITY;
    return elements[element].is_signed ? -ldexp(1, (int)elements[element].bytes * 8 - 1) : 0;
}

double vt_element_max(vt_element element) {
    if (elements[element].is_float) return INFINITY;
    if (element == VT_ELEMENT_BOOL) return 1;
    return ldexp(1, (int)elements[element].bytes * 8 - elements[element].is_signed) - 1;
}

void vt_element_store(vt_element element, void *data, size_t i, double x) {
    switch (element) {
#define VT_ELEMENT(name, text, ctype)                                                                                  \
    case VT_ELEMENT_##name: ((ctype *)data)[i] = (ctype)x; break;
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    case VT_ELEMENT_COUNT: break;
    }
}

bool vt_gtype_make(vt_element element, size_t rank, const int64_t *dims, vt_gtype *out_type) {
    int64_t count = 1, positive = 1;
    *out_type = (vt_gtype){.element = element};
    if (rank > VT_MAX_RANK) return false;
    for (size_t i = 0; i < rank; i++) {
        if (dims[i] < 0) return false;
        /* an extent of 0 hides no product that is too large */
        if (__builtin_mul_overflow(positive, dims[i] ? dims[i] : 1, &positive) || positive > VT_MAX_ELEMENTS)
            return false;
        count *= dims[i];
        out_type->dim[i] = dims[i];
    }
    out_type->rank = (uint32_t)rank;
    return count <= VT_MAX_ELEMENTS;
}

int64_t vt_gtype_span(const vt_gtype *t, uint32_t begin, uint32_t end) {
    int64_t n = 1;
    for (uint32_t i = begin; i < end; i++) n *= t->dim[i];
    return n;
}

int64_t vt_gtype_count(const vt_gtype *t) { return vt_gtype_span(t, 0, t->rank); }
size_t vt_gtype_bytes(const vt_gtype *t) { return (size_t)vt_gtype_count(t) * elements[t->element].bytes; }

bool vt_gtype_same_shape(const vt_gtype *a, const vt_gtype *b) {
    return a->rank == b->rank && memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0;
}

bool vt_gtype_equal(const vt_gtype *a, const vt_gtype *b) {
    return a->element == b->element && vt_gtype_same_shape(a, b);
}

const char *vt_gtype_text(const vt_gtype *t, char *out) {
    int n = snprintf(out, VT_GTYPE_TEXT, "%s", elements[t->element].text);
    for (uint32_t i = 0; i < t->rank; i++)
        n += snprintf(out + n, (size_t)(VT_GTYPE_TEXT - n), "%c%lld", i ? ',' : '[', (long long)t->dim[i]);
    if (t->rank) snprintf(out + n, (size_t)(VT_GTYPE_TEXT - n), "]");
    return out;
}
