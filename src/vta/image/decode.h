/* The formats of pictures. Each says whether bytes are of its kind, and reads them; both are complete: what is not
 * built in is refused with what would be needed. */
#ifndef VT_IMAGE_DECODE_H
#define VT_IMAGE_DECODE_H

#include "image/image.h"

/* What is read, and where errors go. */
typedef struct vt_picture {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    const vta_allocator *allocator;
    vta_diag *diag;
} vt_picture;

bool vt__is_jpeg(const vt_picture *p);
vta_status vt__read_jpeg(const vt_picture *p, vta_image **out_image);
bool vt__is_png(const vt_picture *p);
vta_status vt__read_png(const vt_picture *p, vta_image **out_image);

/* The orientation that Exif data (a JPEG's marker APP1) name, 1 to 8; 1, the usual one, where there is none. */
uint32_t vt__exif_orientation(const uint8_t *exif, size_t size);
/* The picture as it is to be seen. */
vta_status vt__image_turn(const vta_image *image, uint32_t orientation, vta_diag *diag, vta_image **out_image);

#endif
