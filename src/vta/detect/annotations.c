/* Pictures and their boxes in truth, from JSON as COCO's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "detect/detect.h"

/* A picture or a category. */
typedef struct named {
    int64_t id;
    char *name;
} named;

typedef struct list {
    named *item;
    size_t count, cap;
} list;

struct vta_annotations {
    const vta_allocator *allocator;
    list pictures, categories;
    vta_marked_box *box;
    size_t count, cap;
};

/* One reading. */
typedef struct reader {
    vta_annotations *a;
    const char *name;
    vta_diag *diag;
} reader;

static vta_status wrong(const reader *r, const char *where, size_t index, const char *what) {
    return vt_fail(r->diag, VTA_PARSE, "%s: %s[%zu]: %s", r->name, where, index, what);
}

static int by_id(const void *a, const void *b) {
    int64_t x = ((const named *)a)->id, y = ((const named *)b)->id;
    return (x > y) - (x < y);
}

/* "images" or "categories": each has a number of its own, and a name. */
static vta_status read_list(const reader *r, const json_t *root, const char *key, const char *name_key, list *out) {
    const vta_allocator *a = r->a->allocator;
    const json_t *all = json_object_get(root, key);
    size_t count = json_array_size(all);
    if (!json_is_array(all)) return vt_fail(r->diag, VTA_PARSE, "%s: there is no list \"%s\"", r->name, key);
    out->item = vt_alloc_array(a, count, sizeof *out->item);
    if (!out->item) return vt_no_memory(r->diag);
    out->cap = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(all, i), *id = json_object_get(one, "id");
        const char *name = json_string_value(json_object_get(one, name_key));
        if (!json_is_integer(id)) return wrong(r, key, i, "\"id\" is not an integer");
        if (!name) return vt_fail(r->diag, VTA_PARSE, "%s: %s[%zu]: \"%s\" is not a text", r->name, key, i, name_key);
        out->item[i] = (named){json_integer_value(id), vt_strdup(a, name)};
        if (!out->item[i].name) return vt_no_memory(r->diag);
        out->count++;
    }
    if (count) qsort(out->item, count, sizeof *out->item, by_id);
    for (size_t i = 1; i < count; i++)
        if (out->item[i - 1].id == out->item[i].id)
            return vt_fail(r->diag, VTA_PARSE, "%s: two of \"%s\" have the id %lld", r->name, key,
                           (long long)out->item[i].id);
    return VTA_OK;
}

/* The place of the one with that number; NULL when there is none. */
static const named *find(const list *l, const json_t *id) {
    named key = {.id = json_integer_value(id)};
    if (!json_is_integer(id) || !l->count) return NULL;
    return bsearch(&key, l->item, l->count, sizeof key, by_id);
}

/* x, y, width, height. */
static bool read_box(const json_t *bbox, vta_box *out) {
    double v[4];
    if (json_array_size(bbox) != 4) return false;
    for (size_t i = 0; i < 4; i++) {
        const json_t *n = json_array_get(bbox, i);
        v[i] = json_number_value(n);
        if (!json_is_number(n) || !(fabs(v[i]) <= 1e9)) return false;
    }
    *out = (vta_box){(float)v[0], (float)v[1], (float)(v[0] + v[2]), (float)(v[1] + v[3]), 1, 0};
    return v[2] >= 0 && v[3] >= 0;
}

static vta_status read_annotation(const reader *r, const json_t *one, size_t i) {
    static const char key[] = "annotations";
    vta_annotations *a = r->a;
    vta_marked_box b = {0};
    const named *picture = find(&a->pictures, json_object_get(one, "image_id"));
    const named *category = find(&a->categories, json_object_get(one, "category_id"));
    const json_t *crowd = json_object_get(one, "iscrowd");
    if (!picture) return wrong(r, key, i, "\"image_id\" is not the id of an image");
    if (!category) return wrong(r, key, i, "\"category_id\" is not the id of a category");
    if (!read_box(json_object_get(one, "bbox"), &b.box))
        return wrong(r, key, i, "\"bbox\" is not [x, y, width, height]");
    if (crowd && !json_is_integer(crowd) && !json_is_boolean(crowd))
        return wrong(r, key, i, "\"iscrowd\" is neither 0 nor 1");
    b.picture = (uint64_t)(picture - a->pictures.item);
    b.box.class_id = (int32_t)(category - a->categories.item);
    b.crowd = json_is_true(crowd) || json_integer_value(crowd) != 0;
    a->box[a->count++] = b;
    return VTA_OK;
}

static vta_status read(const reader *r, const json_t *root) {
    vta_annotations *a = r->a;
    const json_t *all = json_object_get(root, "annotations");
    if (!json_is_object(root))
        return vt_fail(r->diag, VTA_PARSE, "%s: expected an object with images, categories and annotations", r->name);
    VT_TRY(read_list(r, root, "images", "file_name", &a->pictures));
    VT_TRY(read_list(r, root, "categories", "name", &a->categories));
    if (a->categories.count > INT32_MAX) return vt_fail(r->diag, VTA_UNSUPPORTED, "%s: too many categories", r->name);
    if (!json_is_array(all)) return vt_fail(r->diag, VTA_PARSE, "%s: there is no list \"annotations\"", r->name);
    a->cap = json_array_size(all);
    a->box = vt_alloc_array(a->allocator, a->cap, sizeof *a->box);
    if (!a->box) return vt_no_memory(r->diag);
    for (size_t i = 0; i < a->cap; i++) VT_TRY(read_annotation(r, json_array_get(all, i), i));
    return VTA_OK;
}

vta_status vta_annotations_parse(const void *bytes, size_t size, const char *name, const vta_allocator *allocator,
                                 vta_diag *diag, vta_annotations **out_annotations) {
    json_t *root;
    if (!bytes || !name || !out_annotations)
        return vt_fail(diag, VTA_INVALID_ARGUMENT, "bytes, name or out_annotations is NULL");
    *out_annotations = NULL;
    VT_TRY(vt_json_parse(bytes, size, name, diag, &root));
    reader r = {vt_alloc_zero(allocator, sizeof *r.a), name, diag};
    vta_status status = VTA_NO_MEMORY;
    if (r.a) {
        r.a->allocator = allocator;
        status = read(&r, root);
    } else {
        vt_no_memory(diag);
    }
    json_decref(root);
    if (status == VTA_OK)
        *out_annotations = r.a;
    else
        vta_annotations_destroy(r.a);
    return status;
}

enum { MAX_BYTES = 1 << 30 };

vta_status vta_annotations_load(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                vta_annotations **out_annotations) {
    char *text;
    size_t size;
    if (!path || !out_annotations) return vt_fail(diag, VTA_INVALID_ARGUMENT, "path or out_annotations is NULL");
    *out_annotations = NULL;
    VT_TRY(vt_file_read(allocator, path, MAX_BYTES, diag, &text, &size));
    vta_status status = vta_annotations_parse(text, size, path, allocator, diag, out_annotations);
    vt_free(allocator, text, size + 1);
    return status;
}

static void free_list(const vta_allocator *a, list *l) {
    for (size_t i = 0; i < l->count; i++) vt_strfree(a, l->item[i].name);
    vt_free(a, l->item, l->cap * sizeof *l->item);
}

void vta_annotations_destroy(vta_annotations *annotations) {
    if (!annotations) return;
    const vta_allocator *a = annotations->allocator;
    free_list(a, &annotations->pictures);
    free_list(a, &annotations->categories);
    vt_free(a, annotations->box, annotations->cap * sizeof *annotations->box);
    vt_free(a, annotations, sizeof *annotations);
}

size_t vta_annotations_picture_count(const vta_annotations *a) { return a ? a->pictures.count : 0; }
const char *vta_annotations_picture(const vta_annotations *a, size_t index) {
    return a && index < a->pictures.count ? a->pictures.item[index].name : NULL;
}
size_t vta_annotations_category_count(const vta_annotations *a) { return a ? a->categories.count : 0; }
const char *vta_annotations_category(const vta_annotations *a, size_t index) {
    return a && index < a->categories.count ? a->categories.item[index].name : NULL;
}
int64_t vta_annotations_category_id(const vta_annotations *a, size_t index) {
    return a && index < a->categories.count ? a->categories.item[index].id : 0;
}
const vta_marked_box *vta_annotations_boxes(const vta_annotations *a, size_t *out_count) {
    if (out_count) *out_count = a ? a->count : 0;
    return a ? a->box : NULL;
}
