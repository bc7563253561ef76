/* Profiles: what a timed program did, cycle by cycle, as words, numbers and pictures (docs/profile.md).
 *
 * A vta_profile collects one or more device runs, times each by the model of vta/timing.h, and renders the whole. It
 * keeps copies of what it is given. One thread at a time. */
#ifndef VTA_PROFILE_H
#define VTA_PROFILE_H

#include "vta/timing.h"

VTA_BEGIN

typedef struct vta_profile vta_profile;

/* Makes an empty profile for a machine and a timing profile. Free with vta_profile_destroy. */
VTA_API vta_status vta_profile_create(const vta_config *config, const vta_timing_profile *timing,
                                      const vta_allocator *allocator, vta_diag *diag, vta_profile **out_profile);
VTA_API void vta_profile_destroy(vta_profile *profile);

/* Where the source-level name of instruction `insn` of run `run` comes from: a te stage and its axis values, like
 * "conv.local.acc co=3 yo=1". NULL for none; the string has to live until the next call. Set it before runs are added.
 */
typedef const char *(*vta_profile_source)(void *user, size_t run, size_t insn);
VTA_API void vta_profile_set_source(vta_profile *profile, vta_profile_source source, void *user);

/* How micro-ops are read from DRAM: copies `bytes` bytes at physical `addr` as they stood when run `run` began.
 * Without it the occupancy of buffers is not known element by element, and reports say so. The reports call it. */
typedef vta_status (*vta_profile_read)(void *user, size_t run, uint32_t addr, void *to, size_t bytes);
VTA_API void vta_profile_set_reader(vta_profile *profile, vta_profile_read read, void *user);

/* Names a DRAM segment, so that traffic is listed by tensor ("weights"). `name` NULL: named by its address. */
VTA_API vta_status vta_profile_add_segment(vta_profile *profile, uint32_t addr, uint32_t size, const char *name,
                                           vta_diag *diag);

/* Times a run of `count` instructions at physical `insn_addr` and adds it after those before. Fails as
 * vta_timing_run does, and the profile stays as it was. */
VTA_API vta_status vta_profile_add_run(vta_profile *profile, const vta_insn *insns, size_t count, uint32_t insn_addr,
                                       vta_diag *diag);

/* A layer of the network that the runs are, or a step of it on the host: the page shows them as a graph. */
typedef struct vta_profile_layer {
    size_t size; /* of this struct, or 0 */
    const char *name;
    const char *kind;    /* "layer", "call", ... */
    uint64_t begin, end; /* cycles from the begin of the first run on; equal where it is not on the accelerator */
    uint64_t compute_cycles, memory_cycles; /* what its compute unit and its bus need */
    uint64_t bytes;                         /* moved to and from DRAM */
    double seconds;                         /* of the host, where it is not on the accelerator */
    const uint32_t *inputs;                 /* layers added before, from 0 on, whose results it reads */
    size_t input_count;
} vta_profile_layer;
/* Copies it. VTA_OUT_OF_RANGE: an input that was not added before. */
VTA_API vta_status vta_profile_add_layer(vta_profile *profile, const vta_profile_layer *layer, vta_diag *diag);

/* The sum of all runs. */
VTA_API vta_timing vta_profile_timing(const vta_profile *profile);
/* Number of runs and, for one of them, its instructions and times; borrowed until the profile changes. */
VTA_API size_t vta_profile_run_count(const vta_profile *profile);
VTA_API vta_status vta_profile_run(const vta_profile *profile, size_t run, const vta_insn **out_insns,
                                   const vta_insn_time **out_times, size_t *out_count);

/* Reports. Each string is freed with vta_string_free.
 * text: what limits the program, in words, then the figures of vta_timing_to_text, traffic and instruction mix.
 * json: the same as data. trace: the Chrome trace format, which Perfetto opens: one row a unit, every instruction with
 * its fields, arrows for tokens. html: one page that needs nothing else: timeline, roofline, occupancy, traffic, mix.
 */
VTA_API vta_status vta_profile_text(const vta_profile *profile, vta_diag *diag, char **out_text);
VTA_API vta_status vta_profile_json(const vta_profile *profile, vta_diag *diag, char **out_json);
VTA_API vta_status vta_profile_trace(const vta_profile *profile, vta_diag *diag, char **out_json);
VTA_API vta_status vta_profile_html(const vta_profile *profile, const char *title, vta_diag *diag, char **out_html);
/* The page of two profiles: both timelines on one axis, and a table of what the second changed. They may differ in
 * everything, the machine included. */
VTA_API vta_status vta_profile_html_against(const vta_profile *profile, const char *title, const vta_profile *other,
                                            const char *other_title, vta_diag *diag, char **out_html);
/* That table as text: cycles, utilization, cycles by layer (vta_profile_add_layer), by kind of instruction and by state
 * of each unit. */
VTA_API vta_status vta_profile_compare(const vta_profile *profile, const char *title, const vta_profile *other,
                                       const char *other_title, vta_diag *diag, char **out_text);
/* The timeline alone as an SVG picture of `width` pixels, cycles `from` to `to` (0, 0: everything). */
VTA_API vta_status vta_profile_svg(const vta_profile *profile, const char *title, uint32_t width, uint64_t from,
                                   uint64_t to, vta_diag *diag, char **out_svg);

VTA_END

#endif
