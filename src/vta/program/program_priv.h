#ifndef VT_PROGRAM_PRIV_H
#define VT_PROGRAM_PRIV_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "config/config_priv.h"
#include "program/blobs.h"
#include "vta/isa.h"
#include "vta/program.h"

typedef struct vt__segment {
    uint32_t addr, size;
    uint32_t before;
    uint32_t after; /* VT__NO_BLOB: as before */
} vt__segment;

/* What an instruction, and those after it up to the next note, come from. */
typedef struct vt__note {
    uint32_t insn;
    size_t text; /* where it begins in the program's note_text */
} vt__note;

typedef struct vt__run {
    uint32_t insn_addr, insn_count;
    uint32_t insns;        /* blob; instructions are not cut */
    vt__segment *segments; /* by address */
    size_t segment_count, segment_cap;
    size_t dram;     /* bytes of all segments */
    vt__note *notes; /* by instruction */
    size_t note_count, note_cap;
} vt__run;

struct vta_program {
    const vta_allocator *allocator;
    vta_config *config;
    vt__blobs blobs;
    vt__run *runs;
    size_t run_count, run_cap;
    vt__run open; /* the run being recorded */
    bool is_open;
    size_t blobs_before; /* blobs there were when it was begun */
    vta_counters stats;
    uint32_t stats_mask;
    char *note_text; /* zero-terminated texts, one after another */
    size_t note_text_size, note_text_cap;
};

/* The recording calls with contents that are blobs already; the checks are the same. */
vta_status vt__program_open_run(vta_program *program, uint32_t insn_addr, uint32_t insns, uint32_t insn_count,
                                vta_diag *diag);
vta_status vt__program_put_segment(vta_program *program, vt__segment segment, vta_diag *diag);

/* The place of an address among the segments of a run: the number of those that begin before it. */
size_t vt__run_place_of(const vt__run *run, uint32_t addr);

/* Recorded counters as a JSON object, and back; other names are passed over. */
void vt__stats_print(const vta_program *program, vt_strbuf *sb);
vta_status vt__stats_parse(vta_program *program, const char *json, size_t size, const char *name, vta_diag *diag);

/* The notes of all runs as text, and back. */
void vt__notes_print(const vta_program *program, vt_strbuf *sb);
vta_status vt__notes_parse(vta_program *program, const char *text, size_t size, const char *name, vta_diag *diag);

/* A folder in the form of recorded runs. */
vta_status vt__program_load_folder(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                   vta_program **out_program);

#endif
