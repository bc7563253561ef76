/* Frames of TVMScript: text is made in them, one for each statement that has a body. A buffer or variable that no
 * statement defines is declared where it is met for the first time, in the innermost frame that holds all its uses;
 * that is why a frame gathers lines and gives them to the outer one only when it is complete. */
#ifndef VT_IR_PRINT_SCRIPT_FRAME_H
#define VT_IR_PRINT_SCRIPT_FRAME_H

#include "ir/print_script.h"

typedef struct vt__script_text {
    const char *text;
    uint32_t indent;
    struct vt__script_text *next;
} vt__script_text;

typedef struct vt__script_frame {
    struct vt__script_frame *outer;
    const vt_stmt *stmt;
    vt__script_text *first, **last;
    const char **names; /* taken in this frame, given back at its end */
    const void **things;
    uint32_t n_names, cap_names, cap_things;
    bool concise; /* the statement being printed is the last: it may open its scope without indentation */
} vt__script_frame;

typedef struct vt__script_printer {
    vt__script s;
    vt_ptrmap *places; /* of vt__script_uses */
    vt__script_frame *top;
} vt__script_printer;

void vt__script_line(vt__script_printer *p, vt__script_frame *f, const char *text);
void vt__script_enter(vt__script_printer *p, vt__script_frame *f, const vt_stmt *s);
/* Ends the top frame: its names are free again; its lines go to the outer frame, after `head`. */
void vt__script_leave(vt__script_printer *p, const char *head, bool concise);
/* Gives a thing a name that lives as long as a frame. */
const char *vt__script_define(vt__script_printer *p, vt__script_frame *f, const void *thing, const char *hint);
/* Of vt__script: a declaration in the frame that holds all uses. */
const char *vt__script_declare_var(vt__script *s, const vt_var *v);
const char *vt__script_declare_buffer(vt__script *s, const vt_buffer *b);
/* What follows shape and type in a buffer's declaration. */
void vt__script_buffer_rest(vt__script *s, vt_strbuf *out, const vt_buffer *b);

#endif
