/* Files of pictures, named one by one or by their folder. */
#ifndef CLI_PICTURE_FILES_H
#define CLI_PICTURE_FILES_H

#include "cli.h"

/* Does the name end as one of a picture? */
bool cli_is_picture(const char *path);

typedef struct cli_picture_files {
    char **path;
    size_t count;
} cli_picture_files;

/* Adds a file, or all .jpg, .jpeg and .png files of a folder in the order of their names. */
vta_status cli_picture_files_add(cli_picture_files *files, const char *path);
/* Adds a file, whatever it is. */
vta_status cli_picture_files_add_one(cli_picture_files *files, const char *path);
void cli_picture_files_free(cli_picture_files *files);

#endif
