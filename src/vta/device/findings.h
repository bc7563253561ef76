/* What checked runs found: errors, and warnings of what boards and simulators treat differently. A plain value without
 * memory of its own: the first errors with all they say, how many there were, and one warning of each kind. */
#ifndef VT_DEVICE_FINDINGS_H
#define VT_DEVICE_FINDINGS_H

#include "base/diag.h"
#include "device/portability.h"
#include "vta/isa.h"

enum { VT_FINDINGS_SHOWN = 16 };

typedef enum vt_finding_kind {
#define VT_FINDING(NAME, name, status) VT_FINDING_##NAME,
#include "device/finding.def"
#undef VT_FINDING
    VT_FINDING_COUNT
} vt_finding_kind;

/* An instruction as messages name it. */
typedef struct vt_finding_insn {
    uint32_t index;
    char label[24];
} vt_finding_insn;

/* An error. `first` stands before `second` in the stream; UNWRITTEN has a first one only. [from, to]: elements of
 * `memory`, or byte addresses where the kind is about DRAM. */
typedef struct vt_finding {
    vt_finding_kind kind;
    uint32_t run; /* counted from 0 since the findings were cleared */
    vt_finding_insn first, second;
    vta_memory memory;
    uint64_t from, to;
    bool second_writes;
} vt_finding;

typedef struct vt_warning {
    uint32_t count; /* instructions; 0: none */
    uint32_t run;   /* of the first one */
    vt_finding_insn first;
} vt_warning;

typedef struct vt_findings {
    vt_finding shown[VT_FINDINGS_SHOWN];
    uint32_t shown_count;
    uint32_t more;                     /* conflicting accesses beyond those shown */
    uint32_t counts[VT_FINDING_COUNT]; /* 0: none of that kind; else at least the number of those shown */
    vt_warning warnings[VT_WARN_COUNT];
    bool wrong[VT_WARN_COUNT]; /* these are errors: the configuration's TARGET does otherwise */
    uint32_t runs;
} vt_findings;

/* Adds an error, or extends the range of the last ones when it is about the same instructions. */
void vt_findings_add(vt_findings *findings, const vt_finding *finding);
void vt_findings_warn(vt_findings *findings, vt_portability kind, uint32_t index, const vta_insn *insn);
/* Adds what one more run found. */
void vt_findings_merge(vt_findings *sum, const vt_findings *run);
/* The status of the worst; VTA_OK without errors. VTA_UNSUPPORTED: the TARGET does otherwise. */
vta_status vt_findings_status(const vt_findings *findings);
/* Appends all to `diag`, the worst first. */
vta_status vt_findings_report(const vt_findings *findings, vta_diag *diag);

/* Names and texts. The text of an error is cut at `room` bytes; the longest has less than 256. */
const char *vt_finding_name(vt_finding_kind kind);
void vt_finding_text(const vt_finding *finding, char *to, size_t room);
const char *vt_warning_name(vt_portability kind);
const char *vt_warning_where(vt_portability kind);
const char *vt_warning_text(vt_portability kind);

#endif
