/* A profile's inside: runs on one time axis, and the analyses that the reports share. */
#ifndef VT_PROFILE_PROFILE_PRIV_H
#define VT_PROFILE_PROFILE_PRIV_H

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "vta/profile.h"

typedef struct vt_profile_run {
    vta_insn *insns;
    vta_insn_time *times;
    uint32_t *source; /* per instruction: 0 none, else 1 + index into the profile's names */
    uint32_t count;
    uint64_t begin; /* cycle at which this run begins on the profile's time axis */
    vta_timing timing;
} vt_profile_run;

typedef struct vt_segment {
    uint64_t addr, size;
    char *name;
} vt_segment;

struct vta_profile {
    vta_allocator allocator;
    vta_config *config; /* retained */
    vta_timing_profile timing;
    vt_profile_run *runs;
    size_t run_count, run_cap;
    vt_segment *segments; /* by address */
    size_t segment_count, segment_cap;
    char **names; /* source-level names; one that comes back after many others may stand twice */
    size_t name_count, name_cap;
    vta_profile_layer *layers; /* their strings and lists are the profile's */
    size_t layer_count, layer_cap;
    vta_timing sum;
    vta_profile_source source;
    void *source_user;
    vta_profile_read read;
    void *read_user;
};

/* ---- Traffic (traffic.c) ---- */

/* What one memory moved from or to one segment. */
typedef struct vt_traffic {
    const vt_segment *segment; /* NULL: outside all segments */
    vta_memory memory;
    uint64_t bytes;       /* moved */
    uint64_t distinct;    /* of them, different bytes of DRAM */
    uint64_t first, last; /* the lowest byte address, and the one behind the highest */
    uint64_t instructions;
} vt_traffic;

/* Fills *out_rows (free with vt_free, *out_count rows), most bytes first. */
vta_status vt_profile_traffic(const vta_profile *profile, vta_diag *diag, vt_traffic **out_rows, size_t *out_count);
/* "weights", "inputs", ... */
const char *vt_traffic_role(vta_memory memory);
/* The row's name for people: the segment's, or its role and address. */
void vt_traffic_name(const vt_traffic *row, char text[96]);

/* ---- Layers of a network (layers.c) ---- */

void vt_profile_layers_free(vta_profile *profile);
/* "network": [...], or nothing where there are no layers. */
void vt_profile_layers_write(const vta_profile *profile, vt_json *w);

/* ---- Stages (stages.c) ---- */

/* The instructions of one unit that were made for one source stage. */
typedef struct vt_stage_time {
    const char *name; /* its first name_size bytes; belongs to the profile */
    size_t name_size;
    int unit;
    uint64_t instructions, cycles;
} vt_stage_time;

/* Fills *out_rows (free with vt_free, *out_count rows), most cycles first; none where nothing has a source name. */
vta_status vt_profile_stages(const vta_profile *profile, vta_diag *diag, vt_stage_time **out_rows, size_t *out_count);

/* ---- Occupancy (occupancy.c) ---- */

enum { VT_OCCUPANCY_SAMPLES = 512 };
enum { VT_OCC_INP, VT_OCC_WGT, VT_OCC_ACC, VT_OCC_UOP, VT_OCC_COUNT };

/* Elements of each buffer that hold a value which will still be used, at the middle of each of the samples' spans. */
typedef struct vt_occupancy {
    uint32_t live[VT_OCC_COUNT][VT_OCCUPANCY_SAMPLES];
    uint32_t depth[VT_OCC_COUNT];
    uint32_t peak[VT_OCC_COUNT]; /* of the samples */
    bool exact; /* false: micro-ops were not readable; a loaded element counts until it is loaded anew */
} vt_occupancy;
extern const vta_memory vt_occupancy_memory[VT_OCC_COUNT];

vta_status vt_profile_occupancy(const vta_profile *profile, vta_diag *diag, vt_occupancy *out_occupancy);

/* ---- Critical path (critical.c) ---- */

/* What the time of the critical path goes to: all of it together is the program's cycles. */
typedef struct vt_critical {
    uint64_t cycles[VTA_KIND_COUNT], instructions[VTA_KIND_COUNT];
    uint64_t fetch;   /* cycles in which instructions on the path had not arrived */
    uint8_t *on_path; /* 0 or 1 for each instruction of all runs, one run after another */
    size_t size;
} vt_critical;

/* Free with vt_profile_critical_free. */
vta_status vt_profile_critical(const vta_profile *profile, vta_diag *diag, vt_critical *out_critical);
void vt_profile_critical_free(const vta_profile *profile, vt_critical *critical);

/* ---- Verdict (verdict.c) ---- */

/* What limits the program, in sentences, each on a line. */
vta_status vt_profile_verdict(const vta_profile *profile, vta_diag *diag, vt_strbuf *sb);

/* ---- Between reports ---- */

/* Writes the report as an object. */
vta_status vt_profile_write(const vta_profile *profile, vta_diag *diag, const char *key, vt_json *w);
/* "inp  3x14 tiles of stride 56, sram 0, dram 1024": an instruction's fields for people. */
void vt_insn_fields(vt_strbuf *sb, const vta_insn *insn);
/* The source-level name of an instruction, NULL for none. */
const char *vt_profile_source_name(const vta_profile *profile, const vt_profile_run *run, uint32_t insn);
/* Fetch batch `index` of a run: its instructions and time. False past the last. */
typedef struct vt_fetch_batch {
    uint32_t first, end;
    uint64_t start, finish;
} vt_fetch_batch;
bool vt_profile_fetch_batch(const vta_profile *profile, const vt_profile_run *run, uint32_t index,
                            vt_fetch_batch *out_batch);
/* Hands a string buffer's text to a caller of the public interface. */
vta_status vt_profile_hand_out(vt_strbuf *sb, vta_status status, vta_diag *diag, char **out_text);

#endif
