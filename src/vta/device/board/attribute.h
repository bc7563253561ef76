/* Attributes: the small files in which the kernel's drivers show and take values. */
#ifndef VT_DEVICE_BOARD_ATTRIBUTE_H
#define VT_DEVICE_BOARD_ATTRIBUTE_H

#include <stdbool.h>
#include <stddef.h>

enum { VT_ATTRIBUTE_BYTES = 96, VT_ATTRIBUTE_PATH = 768 };

/* "FOLDER/NAME". */
void vt__attribute_path(const char *folder, const char *name, char out_path[VT_ATTRIBUTE_PATH]);
bool vt__attribute_is_there(const char *folder, const char *name);
/* The first line, without its end. 0, or an errno: then the text is empty. */
int vt__attribute_read(const char *folder, const char *name, char out_text[VT_ATTRIBUTE_BYTES]);
/* All bytes in one write. 0, or an errno. */
int vt__attribute_write(const char *folder, const char *name, const void *bytes, size_t size);
int vt__attribute_write_text(const char *folder, const char *name, const char *text);

#endif
