/* The file of a compiled network: named sections of bytes behind one header (docs/models.md, "The file"). What is in
 * them is plan.h's. */
#ifndef VT_ARTIFACT_CONTAINER_H
#define VT_ARTIFACT_CONTAINER_H

#include "base/diag.h"

enum {
    VT_SECTION_NAME_BYTES = 16, /* with the zero at its end */
    VT_SECTION_ALIGNMENT = 64,
    VT_SECTIONS_MAX = 64,
};
#define VT_ARTIFACT_MAX_BYTES ((size_t)1 << 31)

typedef struct vt_section {
    char name[VT_SECTION_NAME_BYTES];
    const uint8_t *bytes;
    size_t size;
} vt_section;

/* Sections of a file that stays where it is. */
typedef struct vt_container {
    uint32_t section_count;
    vt_section sections[VT_SECTIONS_MAX];
} vt_container;

/* Finds the sections; their bytes are those given. Everything is checked that can be without knowing what they hold:
 * VTA_PARSE for what is not an artifact, is cut off or damaged, VTA_UNSUPPORTED for another version. `name` stands for
 * the bytes in messages. */
vta_status vt_container_parse(const uint8_t *bytes, size_t size, const char *name, vta_diag *diag,
                              vt_container *out_container);
/* NULL when there is no section of this name. */
const vt_section *vt_container_find(const vt_container *container, const char *name);
/* The file with these sections; free with vta_string_free. */
vta_status vt_container_write(const vt_section *sections, uint32_t count, vta_diag *diag, uint8_t **out_bytes,
                              size_t *out_size);

#endif
