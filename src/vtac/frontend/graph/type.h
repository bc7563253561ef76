/* Types of tensors: what their elements are, and their shape. */
#ifndef VT_GRAPH_TYPE_H
#define VT_GRAPH_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/context.h"

typedef enum vt_element {
#define VT_ELEMENT(name, text, ctype) VT_ELEMENT_##name,
#include "frontend/graph/elements.def"
#undef VT_ELEMENT
    VT_ELEMENT_COUNT
} vt_element;

enum { VT_MAX_RANK = 8, VT_GTYPE_TEXT = 192 };
/* Elements of one tensor at most, so that products of sizes fit 64 bits wherever they are computed. */
#define VT_MAX_ELEMENTS ((int64_t)1 << 31)
/* Of what a node computes: a model of a few bytes can ask for any shape, and a run has memory for all of it. */
#define VT_MAX_COMPUTED ((int64_t)1 << 28)

/* Every extent is known, and at least 0. A scalar has rank 0. */
typedef struct vt_gtype {
    vt_element element;
    uint32_t rank;
    int64_t dim[VT_MAX_RANK]; /* past the rank: 0 */
} vt_gtype;

const char *vt_element_text(vt_element element); /* "float32" */
size_t vt_element_bytes(vt_element element);
/* The reverse of vt_element_text; false for another text. */
bool vt_element_parse(const char *text, vt_element *out_element);
bool vt_element_is_byte(vt_element element); /* int8, uint8 */
/* The smallest and the largest number of an element type: of floats minus and plus infinity. */
double vt_element_least(vt_element element);
double vt_element_max(vt_element element);
/* Sets element i of an array of that type to a number that the type has. */
void vt_element_store(vt_element element, void *data, size_t i, double x);

/* Checks rank and extents: false for a negative extent, more than VT_MAX_RANK axes, or VT_MAX_ELEMENTS elements. */
bool vt_gtype_make(vt_element element, size_t rank, const int64_t *dims, vt_gtype *out_type);
/* Of a type that vt_gtype_make made. */
int64_t vt_gtype_count(const vt_gtype *t);
size_t vt_gtype_bytes(const vt_gtype *t);
/* The product of the extents of axes from `begin` to before `end`. */
int64_t vt_gtype_span(const vt_gtype *t, uint32_t begin, uint32_t end);
bool vt_gtype_equal(const vt_gtype *a, const vt_gtype *b);
bool vt_gtype_same_shape(const vt_gtype *a, const vt_gtype *b);
/* "float32[1,3,224,224]", a scalar "float32"; `out` holds VT_GTYPE_TEXT. Returns out. */
const char *vt_gtype_text(const vt_gtype *t, char *out);

#endif
