/* What TFLite's metadata say of the first input: how numbers of 0 to 255 become its values. They are a FlatBuffer of
 * their own in one of the model's buffers (schema metadata_schema.fbs); what is damaged there is as if it were not. */
#include <string.h>

#include "base/arena_text.h"
#include "frontend/tflite/priv.h"

enum { PROPERTIES = 4, IMAGE = 2, NORMALIZATION = 1, RGB = 1, GRAYSCALE = 2, CHANNELS_MAX = 4 };

typedef struct reading {
    vt_tfl_reader *r;
    vt_gproperty *list;
    uint32_t count;
    vt_fb from; /* of the metadata */
} reading;

static void add(reading *m, const char *key, const char *value) { m->list[m->count++] = (vt_gproperty){key, value}; }

static const char *numbers(vt_ctx *ctx, vt_fb_vector v) {
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    for (uint32_t i = 0; i < v.count && i < CHANNELS_MAX; i++)
        vt_strbuf_addf(&sb, "%s%.9g", i ? "," : "", vt__fb_item_float(v, i));
    return vt_arena_text_take(ctx, &sb);
}

static void read_units(reading *m, vt_fb_table tensor) {
    vt_fb_vector units = vt__fb_vector_of(tensor, 4, 4);
    for (uint32_t i = 0; i < units.count; i++) {
        vt_fb_table unit = vt__fb_item_table(units, i);
        if (vt__fb_uint(unit, 0, 1, 0) != NORMALIZATION) continue;
        vt_fb_table options = vt__fb_table_of(unit, 1);
        vt_fb_vector mean = vt__fb_vector_of(options, 0, 4), std = vt__fb_vector_of(options, 1, 4);
        if (!mean.count || !std.count) continue;
        const char *of_mean = numbers(m->r->ctx, mean), *of_std = numbers(m->r->ctx, std);
        add(m, "input.mean", of_mean);
        add(m, "input.std", of_std);
        return;
    }
}

static void read_color(reading *m, vt_fb_table tensor) {
    vt_fb_table content = vt__fb_table_of(tensor, 3);
    if (vt__fb_uint(content, 0, 1, 0) != IMAGE) return;
    int64_t color = vt__fb_int(vt__fb_table_of(content, 1), 0, 1, 0);
    if (color == RGB || color == GRAYSCALE) add(m, "input.color", color == RGB ? "RGB" : "GRAYSCALE");
}

static vta_status read_all(vt_ctx *ctx, void *arg) {
    reading *m = arg;
    (void)ctx;
    vt_fb_vector subgraphs = vt__fb_vector_of(vt__fb_root(&m->from), 3, 4);
    if (!subgraphs.count) return VTA_OK;
    vt_fb_vector inputs = vt__fb_vector_of(vt__fb_item_table(subgraphs, 0), 2, 4);
    if (!inputs.count) return VTA_OK;
    vt_fb_table first = vt__fb_item_table(inputs, 0);
    read_units(m, first);
    read_color(m, first);
    return VTA_OK;
}

/* The buffer of that name; none: no bytes. */
static vt_fb_vector find(const vt_tfl_reader *r) {
    vt_fb_vector entries = vt__fb_vector_of(r->model, 6, 4);
    for (uint32_t i = 0; i < entries.count; i++) {
        vt_fb_table e = vt__fb_item_table(entries, i);
        uint64_t buffer = vt__fb_uint(e, 1, 4, 0);
        if (!strcmp(vt__fb_text(e, 0), "TFLITE_METADATA") && buffer < r->buffers.count)
            return vt__fb_vector_of(vt__fb_item_table(r->buffers, (uint32_t)buffer), 0, 1);
    }
    return (vt_fb_vector){0};
}

static vta_status find_metadata(vt_ctx *ctx, void *arg) {
    reading *m = arg;
    vt_fb_vector bytes = find(m->r);
    m->from = (vt_fb){ctx, m->r->options->name, vt__fb_data(bytes), bytes.count};
    return bytes.count ? read_all(ctx, arg) : VTA_OK;
}

/* Without metadata: what a quantized input can be tells how it is meant. */
static void read_range(reading *m, const vt_tfl_tensor *t) {
    bool is_signed = t->type.element == VT_ELEMENT_I8;
    if (t->scales != 1 || (!is_signed && t->type.element != VT_ELEMENT_U8)) return;
    double low = ((is_signed ? -128.0 : 0.0) - (double)t->zero[0]) * (double)t->scale[0];
    double high = low + 255.0 * (double)t->scale[0];
    add(m, "input.range", vt_new_format(m->r->ctx, "%.9g,%.9g", low, high));
}

void vt__tfl_read_metadata(vt_tfl_reader *r, vt_fb_table subgraph) {
    reading m = {.r = r, .list = VT_NEW_ARRAY(r->ctx, vt_gproperty, PROPERTIES)};
    vt_fb_vector inputs = vt__fb_vector_of(subgraph, 1, 4);
    vta_diag *diag = r->ctx->diag;
    r->ctx->diag = NULL; /* not a word of what is damaged */
    vta_status status = vt_protect(r->ctx, find_metadata, &m);
    r->ctx->diag = diag;
    if (status == VTA_NO_MEMORY || status == VTA_INTERRUPTED) vt_leave(r->ctx, status);
    if (inputs.count) read_range(&m, &r->tensors[vt__fb_item_int(inputs, 0)]);
    r->g->properties = m.list;
    r->g->property_count = m.count;
}
