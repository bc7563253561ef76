/* The files of configs/, embedded when the library is built. */
#ifndef VT_CONFIG_FILES_H
#define VT_CONFIG_FILES_H

#include <stddef.h>

typedef struct vt__config_file {
    const char *name, *text; /* "pynq.json" */
} vt__config_file;
extern const vt__config_file vt__config_files[];
extern const size_t vt__config_file_count;

#endif
