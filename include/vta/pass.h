/* The lowering passes: their table, and the options of a lowering.
 *
 * Lowering takes the loop nest that a schedule gives and turns it, pass by pass, into the function that code
 * generation takes. The passes run in the order of the table; each row says what it does, and why it stands where it
 * stands. Two sorts share the table: GENERIC passes run for every target, VTA passes only when a hardware
 * configuration is given. */
#ifndef VTA_PASS_H
#define VTA_PASS_H

#include "vta/config.h"
#include "vta/ir.h"

VTA_BEGIN

/* One row of the table. All strings have static storage. */
typedef struct vtac_pass_info {
    const char *name;   /* "tir.StorageFlatten": what options name it by */
    const char *does;   /* one line: what it does */
    const char *reason; /* one line: why it stands at this place */
    bool vta;           /* runs only for the accelerator */
} vtac_pass_info;

/* Number of passes, and pass `index` in the order in which they run. A name may occur more than once: the same pass
 * at several places. VTA_OUT_OF_RANGE beyond the last. */
VTA_API size_t vtac_pass_count(void);
VTA_API vta_status vtac_pass_get(size_t index, vtac_pass_info *out_info);

/* What is reported after each pass. Pointers live until the callback returns. */
typedef struct vtac_pass_event {
    size_t size;  /* of this struct, as the library has it */
    size_t index; /* in the table */
    const char *name;
    bool changed;         /* else the pass left the function as it was */
    bool skipped;         /* disabled by name, or not of this target; it did not run */
    uint64_t nanoseconds; /* what the pass took */
    const char *text;     /* the IR after the pass in the style asked for; NULL when unchanged or not asked for */
} vtac_pass_event;

/* Options of a lowering. All zero is the default: ordinary lowering for the host. */
typedef struct vtac_lower_options {
    size_t size;                 /* of this struct, or 0 */
    const vta_config *config;    /* the accelerator's shape; NULL lowers for the host alone */
    const char *const *disabled; /* names of passes that are left out, e.g. "tir.CommonSubexprElimTIR" */
    size_t disabled_count;
    bool simple;        /* for reading; leaves out loop partition */
    int32_t debug_flag; /* not 0: the function first sets the runtime's debug mode to this (docs/spec.md, section 6) */
    bool verify;        /* checks the IR's well-formedness after every pass */
    bool mock;          /* transfers and operations are left out, for measuring the rest */
    int32_t unroll_max_step; /* loops of at most this many steps are unrolled; 0 unrolls only what asks for it */
    bool annotate;           /* the function tells the runtime what its instructions are for (VTAAnnotate) */
    bool print;              /* vtac_pass_event.text is made */
    vtac_style style;        /* of that text */
    void (*after)(void *user, const vtac_pass_event *event); /* called after each pass; may be NULL */
    void *user;
    bool partition_const_loops; /* loops with constant bounds are cut at their boundary checks, too */
    bool some_outputs; /* outputs may be missing among the arguments: they are computed into memory of the function's
                          own */
} vtac_lower_options;

VTA_END

#endif
