/* What front ends need besides the libraries' own work: files written whole, the name that was meant, text in XML. */
#ifndef VTA_SUPPORT_H
#define VTA_SUPPORT_H

#include "vta/status.h"

VTA_BEGIN

/* Writes `size` bytes to `path`, completely or not at all: a failure (VTA_NOT_FOUND: no such folder;
 * VTA_IO, VTA_NO_MEMORY) leaves the file that was
 * there, whose permissions the new one takes. A symbolic link stays and the file it names is replaced; devices and
 * pipes are written in place. Any thread. */
VTA_API vta_status vta_file_write(const char *path, const void *bytes, size_t size, vta_diag *diag);

/* The name of a list that a mistyped one was probably meant to be, for "did you mean": the one with the fewest letters
 * inserted, left out, changed or swapped with their neighbour, at most a third of the longer name. Upper and lower case
 * count as alike. NULL when none is near. `names` may hold NULLs, which are passed over. Borrowed from `names`. */
VTA_API const char *vta_nearest_name(const char *name, const char *const *names, size_t count);

/* A layer's name for a column of `width` bytes: itself where it fits; else without parts that the next part repeats, as
 * "/features/features.2/conv/conv.0/Conv" of PyTorch's exports becomes "/features.2/conv.0/Conv"; then ".." and its
 * end. In `out`, or `name` itself, also where `out` has less room than the name needs. */
VTA_API const char *vta_short_name(const char *name, size_t width, char *out, size_t out_size);

/* A text as it stands in XML or HTML, between tags or as an attribute's value. Bytes that are not UTF-8 become U+FFFD.
 * Free with vta_string_free; NULL: out of memory. */
VTA_API char *vta_xml_escape(const char *text);

VTA_END

#endif
