/* Names of ImageNet's classes. */
#include "vta/image.h"

static const char *const imagenet[] = {
#define VT_IMAGENET(name) name,
#include "image/imagenet.def"
#undef VT_IMAGENET
};

const char *vta_imagenet_name(size_t index) {
    return index < sizeof imagenet / sizeof *imagenet ? imagenet[index] : NULL;
}
