/* What a caller of the VTA... functions reads with vta_last_error: one line a failure, oldest first. */
#ifndef VT_RUNTIME_REPORT_H
#define VT_RUNTIME_REPORT_H

#include "base/diag.h"

enum { VT_REPORT_BYTES = 4096, VT_CALL_ARGS = 12 };

typedef struct vt_report {
    uint32_t size;  /* of the text, 0: nothing failed */
    uint32_t moved; /* how often old lines made room or were cleared */
    vta_status status;
    char text[VT_REPORT_BYTES];
} vt_report;

/* The entry points, numbered as in vta/runtime.def. */
typedef enum vt_entry {
#define VTA_RUNTIME_ENTRY(name, result, types, ...) VT_ENTRY_##name,
#include "vta/runtime.def"
#undef VTA_RUNTIME_ENTRY
    VT_ENTRY_COUNT
} vt_entry;

/* A call as it was made, for messages: built where a call fails, nowhere else. */
typedef struct vt_call {
    vt_entry entry;
    uint64_t args[VT_CALL_ARGS];
} vt_call;

#define VT_CALL(name, ...) (&(const vt_call){VT_ENTRY_##name, {__VA_ARGS__}})

/* Adds "VTAName(arg=value, ...): reason". Needs no memory. */
void vt_report_call(vt_report *report, const vt_call *call, vta_status status, const char *reason);
/* Adds a line as it is. */
void vt_report_line(vt_report *report, vta_status status, const char *line);
/* NULL when nothing failed. */
const char *vt_report_text(const vt_report *report);
/* The first error of a list; "out of memory" where the list is NULL or has none: there was none for it. */
vta_diag_entry vt_report_reason(const vta_diag *diag);
void vt_report_clear(vt_report *report);

/* A point in a report, and the text that was added after it (NULL: none; all there is when older lines have gone). */
typedef struct vt_report_mark {
    uint32_t size, moved;
} vt_report_mark;
vt_report_mark vt_report_here(const vt_report *report);
const char *vt_report_since(const vt_report *report, vt_report_mark mark);

#endif
