/* FlatBuffers, as far as TFLite's models need them: tables, vectors, texts and numbers, each offset checked against the
 * bytes before it is followed (https://flatbuffers.dev/internals). All is little-endian; what is wrong raises
 * VTA_PARSE. */
#ifndef VT_GRAPH_TFLITE_FLATBUFFER_H
#define VT_GRAPH_TFLITE_FLATBUFFER_H

#include "base/context.h"

typedef struct vt_fb {
    vt_ctx *ctx;
    const char *name; /* of the file, for messages */
    const uint8_t *bytes;
    size_t size;
} vt_fb;

/* A table; at 0: there is none, and all its fields are as where they are left out. */
typedef struct vt_fb_table {
    const vt_fb *from;
    size_t at;
    size_t fields;  /* where the offsets of its fields are */
    uint16_t count; /* of fields */
} vt_fb_table;

/* A vector of numbers or of tables. */
typedef struct vt_fb_vector {
    const vt_fb *from;
    size_t at; /* of item 0 */
    uint32_t count;
    uint32_t width; /* bytes of an item */
} vt_fb_vector;

vt_fb_table vt__fb_root(const vt_fb *from);
/* Field `id` of a table: the default where it is left out. */
int64_t vt__fb_int(vt_fb_table t, unsigned id, unsigned width, int64_t otherwise);
uint64_t vt__fb_uint(vt_fb_table t, unsigned id, unsigned width, uint64_t otherwise);
double vt__fb_float(vt_fb_table t, unsigned id, double otherwise);
static inline bool vt__fb_bool(vt_fb_table t, unsigned id) { return vt__fb_uint(t, id, 1, 0) != 0; }
vt_fb_table vt__fb_table_of(vt_fb_table t, unsigned id);
/* Items of so many bytes each; of tables 4. Left out: none. */
vt_fb_vector vt__fb_vector_of(vt_fb_table t, unsigned id, uint32_t width);
/* A copy in the context's arena, in UTF-8; "" where it is left out. */
const char *vt__fb_text(vt_fb_table t, unsigned id);

/* Item i, which must be below the count. */
int64_t vt__fb_item_int(vt_fb_vector v, uint32_t i);
double vt__fb_item_float(vt_fb_vector v, uint32_t i);
vt_fb_table vt__fb_item_table(vt_fb_vector v, uint32_t i);
static inline const uint8_t *vt__fb_data(vt_fb_vector v) { return v.count ? v.from->bytes + v.at : NULL; }

#endif
