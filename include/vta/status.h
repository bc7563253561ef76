/* Status codes, diagnostics and the allocator: the conventions of every header of this folder.
 *
 *  - Functions that can fail return a vta_status; VTA_OK is 0. Results come last, named out_x, and are set to
 *    NULL or 0 when the call fails.
 *  - A vta_diag collects what went wrong, in words, with the position in the input where there is one. Messages
 *    are appended, never overwritten. Every function takes NULL for it.
 *  - A handle is opaque, owned by who created it, and freed by the function named in its creator's comment;
 *    arguments are borrowed for the call unless the comment says otherwise. Strings are UTF-8, zero terminated.
 *  - Structs of options and results begin with their `size`: sizeof the struct, or 0 for the size that it has in
 *    version 1.0, so that {0} and designated initializers are right. Fields are only ever added at the end. Of a
 *    shorter struct than its own the library reads and writes what is there; one with something set that the library
 *    does not know is refused (VTA_UNSUPPORTED). Result structs are initialized by the caller.
 *  - These have no size, since they are elements of arrays, callbacks, or records that are read one by one; they change
 *    only with the library's soname: vta_allocator, vta_box, vta_counters, vta_detect_tensor, vta_diag_entry,
 *    vta_field_array, vta_field_writer, vta_hardware_area, vta_insn, vta_insn_time, vta_marked_box, vta_part,
 *    vta_program_run_info, vta_program_segment, vta_signature_arg, vta_sink, vta_synthesis_module, vta_timing,
 *    vta_timing_profile, vta_timing_summary, vta_unit_view, vta_uop, vtac_arg, vtac_build_func, vtac_op_attribute,
 *    vtac_artifact, vtac_param, vtac_pass_info, vtac_section, te_region; and TVMParallelGroupEnv, which is TVM's.
 *  - Texts and bytes that a function hands over are freed with vta_string_free.
 *  - Unless a comment says otherwise, different handles may be used from different threads, one handle by one
 *    thread at a time.
 *  - Libraries never exit, abort or print. */
#ifndef VTA_STATUS_H
#define VTA_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "vta/export.h"

VTA_BEGIN

/* The codes are listed, each with its meaning, in vta/status.def. */
typedef enum vta_status {
#define VTA_STATUS(name, value, text, meaning) VTA_##name = value,
#include "vta/status.def"
#undef VTA_STATUS
} vta_status;

/* The short text of a code ("out of range"); "unknown status" for any other value. Static storage. */
VTA_API const char *vta_status_text(vta_status status);
/* The sentence that says when a code is returned. Static storage. */
VTA_API const char *vta_status_meaning(vta_status status);
/* The code's name as written in C ("VTA_OUT_OF_RANGE"). Static storage. */
VTA_API const char *vta_status_name(vta_status status);

/* The version of the library, "major.minor.patch". Static storage. */
VTA_API const char *vta_version(void);
/* Which build of it: "1.0.0-" and a hash of the headers that libvta and libvtac share. The two must be of one build:
 * what a libvtac beside another libvta is asked to do is refused (VTA_MISMATCH). Static storage. */
VTA_API const char *vta_build_id(void);

/* ---- Allocator ------------------------------------------------------------------------------------------- */

/* Where memory comes from. `resize(ctx, p, old_size, new_size)`: p NULL allocates, new_size 0 frees and returns
 * NULL; otherwise like realloc. It may fail (NULL, the old block stays) and may be called from any thread that
 * uses an object made with it. NULL in place of a vta_allocator means the C library's. */
typedef struct vta_allocator {
    void *(*resize)(void *ctx, void *p, size_t old_size, size_t new_size);
    void *ctx;
} vta_allocator;

/* Frees a text, or bytes, that a function of these libraries (libvtac too) returned for the caller to keep: all of them
 * are the C library's memory. NULL is allowed. */
VTA_API void vta_string_free(void *text);

/* ---- Diagnostics ----------------------------------------------------------------------------------------- */

/* A detail is the long text, as a rule the loops in question as IR, which belongs to the entry before it. */
typedef enum vta_severity { VTA_ERROR = 0, VTA_WARNING = 1, VTA_NOTE = 2, VTA_DETAIL = 3 } vta_severity;

/* A list of diagnostics, in the order in which they were found. */
typedef struct vta_diag vta_diag;

/* One diagnostic. Strings belong to the list and live until it is cleared or destroyed. `file` is NULL and
 * line and column are 0 (else they count from 1) where there is no position. */
typedef struct vta_diag_entry {
    vta_severity severity;
    vta_status status;
    const char *message;
    const char *file;
    uint32_t line;
    uint32_t column;
} vta_diag_entry;

/* Makes an empty list; NULL when out of memory. Free it with vta_diag_destroy. */
VTA_API vta_diag *vta_diag_create(const vta_allocator *allocator);
VTA_API void vta_diag_destroy(vta_diag *diag);
VTA_API void vta_diag_clear(vta_diag *diag);
/* Number of entries; 0 for NULL. */
VTA_API size_t vta_diag_count(const vta_diag *diag);
/* Entry `index`; VTA_OUT_OF_RANGE beyond the last. */
VTA_API vta_status vta_diag_get(const vta_diag *diag, size_t index, vta_diag_entry *out_entry);
/* The first error's code; VTA_OK when there is none. */
VTA_API vta_status vta_diag_status(const vta_diag *diag);
/* All entries but details as lines "file:line:column: error: message"; "" when empty. Belongs to the list, valid
 * until it changes. */
VTA_API const char *vta_diag_text(vta_diag *diag);
/* The details, one after the other; "" when there are none. Belongs to the list, valid until it changes. */
VTA_API const char *vta_diag_details(vta_diag *diag);
/* Appends an entry from outside the library (a front end's own checks), so that all errors travel one way. */
VTA_API vta_status vta_diag_add(vta_diag *diag, vta_severity severity, vta_status status, const char *message);

VTA_END

#endif
