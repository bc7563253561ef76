/* How an artifact holds a network for several shapes of its inputs: section "shape.1" and so on is an artifact for
 * another shape (docs/models.md, "Several shapes"). A section that it leaves out is that of the artifact around it. */
#ifndef VT_ARTIFACT_SHAPES_H
#define VT_ARTIFACT_SHAPES_H

#include "artifact/container.h"

/* The name of the section of shape `index`, from 1 on; gives `name`. */
const char *vt_shapes_section(uint32_t index, char name[VT_SECTION_NAME_BYTES]);
/* Is this a section that an artifact within another one may leave out. */
bool vt_shapes_is_shared(const char *name);
/* One artifact of several: the first one, with the others in it. Free *out_bytes with vta_string_free.
 * VTA_OUT_OF_RANGE: there are more sections, or bytes, than an artifact has. */
vta_status vt_shapes_join(const vt_container *artifacts, uint32_t count, vta_diag *diag, uint8_t **out_bytes,
                          size_t *out_size);

#endif
