#include "artifact/shapes.h"

#include <stdio.h>
#include <string.h>

#include "artifact/plan.h"

const char *vt_shapes_section(uint32_t index, char name[VT_SECTION_NAME_BYTES]) {
    memset(name, 0, VT_SECTION_NAME_BYTES);
    snprintf(name, VT_SECTION_NAME_BYTES, "shape.%u", (unsigned)(index % 1000));
    return name;
}

bool vt_shapes_is_shared(const char *name) {
    static const char *const shared[] = {VT_SECTION_CONFIG, VT_SECTION_PARAMS, VT_SECTION_UOPS,
                                         VT_SECTION_INSNS,  VT_SECTION_DATA,   VT_SECTION_CODE};
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (!strcmp(name, shared[i])) return true;
    return false;
}

static bool is_same(const vt_section *a, const vt_section *b) {
    return b && a->size == b->size && (!a->size || !memcmp(a->bytes, b->bytes, a->size));
}

/* The artifact without what the outer one has; what only that has is there without bytes, so that it is not taken. */
static vta_status write_inner(const vt_container *inner, const vt_container *outer, vta_diag *diag, uint8_t **out_bytes,
                              size_t *out_size) {
    vt_section sections[VT_SECTIONS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < inner->section_count; i++) {
        const vt_section *s = &inner->sections[i];
        if (!vt_shapes_is_shared(s->name) || !is_same(s, vt_container_find(outer, s->name))) sections[n++] = *s;
    }
    for (uint32_t i = 0; i < outer->section_count && n < VT_SECTIONS_MAX; i++) {
        const vt_section *s = &outer->sections[i];
        if (!vt_shapes_is_shared(s->name) || vt_container_find(inner, s->name)) continue;
        sections[n] = *s;
        sections[n++].size = 0;
    }
    return vt_container_write(sections, n, diag, out_bytes, out_size);
}

static vta_status add_inner(const vt_container *artifacts, uint32_t i, vt_container *all, vta_diag *diag) {
    uint8_t *bytes;
    size_t size;
    if (all->section_count == VT_SECTIONS_MAX)
        return vt_fail(diag, VTA_OUT_OF_RANGE, "an artifact has at most %d sections, and so fewer shapes",
                       VT_SECTIONS_MAX);
    vta_status status = write_inner(&artifacts[i], &artifacts[0], diag, &bytes, &size);
    if (status != VTA_OK) return status;
    vt_section *s = &all->sections[all->section_count++];
    vt_shapes_section(i, s->name);
    s->bytes = bytes;
    s->size = size;
    return VTA_OK;
}

vta_status vt_shapes_join(const vt_container *artifacts, uint32_t count, vta_diag *diag, uint8_t **out_bytes,
                          size_t *out_size) {
    vt_container all = artifacts[0];
    uint32_t own = all.section_count;
    vta_status status = VTA_OK;
    *out_bytes = NULL;
    *out_size = 0;
    for (uint32_t i = 1; i < count && status == VTA_OK; i++) status = add_inner(artifacts, i, &all, diag);
    if (status == VTA_OK) status = vt_container_write(all.sections, all.section_count, diag, out_bytes, out_size);
    for (uint32_t i = own; i < all.section_count; i++)
        vt_free(NULL, (void *)all.sections[i].bytes, all.sections[i].size);
    return status;
}
