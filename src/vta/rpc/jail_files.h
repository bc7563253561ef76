/* What a session sees of the machine's files (jail.h). */
#ifndef VT_RPC_JAIL_FILES_H
#define VT_RPC_JAIL_FILES_H

#include "rpc/jail.h"

enum { VT_KEPT_MAX = 16 };

/* A file or folder that stays visible where what is around it is hidden. */
typedef struct vt_kept {
    char path[VT_RPC_PATH_BYTES];
    int fd; /* of the path alone */
    bool writable, is_folder;
} vt_kept;

typedef struct vt_kept_list {
    size_t count;
    vt_kept at[VT_KEPT_MAX];
} vt_kept_list;

/* The paths in the settings of a board (VTA_BOARD), for `text`: what follows '=', ':' or a blank and begins with '/'.
 * NULL: none. */
void vt__kept_of_board(vt_kept_list *list, const char *text);
/* One path; what does not exist, or cannot be reached, is left out. */
void vt__kept_add(vt_kept_list *list, const char *path, bool writable);

#endif
