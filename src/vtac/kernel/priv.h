/* What the files of this folder share. */
#ifndef VT_KERNEL_PRIV_H
#define VT_KERNEL_PRIV_H

#include "te/parse.h"
#include "vta/kernel.h"

/* A name that a step gave to an axis ("-> outer, inner"); known within its stage. */
typedef struct vt__alias {
    const te_stage *stage;
    const char *name;
    te_axis *axis;
} vt__alias;

typedef struct vt__names {
    const char **items;
    uint32_t n, cap;
} vt__names;

typedef struct vt__tensors {
    te_tensor **items;
    uint32_t n, cap;
} vt__tensors;

struct vtac_kernel {
    vt_tag tag;
    te_context *c;
    const vta_allocator *allocator;
    const char *name;
    const char *target;
    const char *disabled;
    vt__tensors inputs, outputs;
    te_schedule *schedule;
    bool scheduled; /* by the file */
};

/* An empty kernel, also where its context has failed; NULL without memory. */
vta_status vt__kernel_new(const vta_config *config, const vta_allocator *allocator, vta_diag *diag,
                          vtac_kernel **out_kernel);
/* A context's messages become the caller's. */
void vt__kernel_pass_on(const vta_diag *from, vta_diag *to);

typedef struct vt__override {
    const char *name;
    int64_t value;
} vt__override;

/* A kernel being read. */
typedef struct vt__reader {
    vt_parser parser;
    vtac_kernel *kernel;
    vt__override *overrides; /* what the caller gives to parameters */
    uint32_t n_overrides, cap_overrides;
    vt__names params; /* that the file declares */
    vt__names failed; /* what statements with errors would have defined */
    te_stage *stage;  /* whose steps are being read */
    vt__alias *aliases;
    uint32_t n_aliases, cap_aliases;
} vt__reader;

/* One kind of statement; the keyword is taken. Raises. */
typedef struct vt__statement {
    const char *keyword;
    void (*read)(vt__reader *r);
} vt__statement;

extern const vt__statement vt__declarations[]; /* ended by a NULL keyword */
extern const vt__statement vt__steps[];

static inline vt_ctx *vt__ctx(const vt__reader *r) { return r->parser.lx.ctx; }
/* Leaves with the status of a te call that failed; its message is already there. */
void vt__check(vt__reader *r, vta_status status);
/* The same for a te call that returned NULL. */
void *vt__made(vt__reader *r, void *object);
/* Sets the position of messages to the current token. */
void vt__here(vt__reader *r);
void vt__name_add(vt__reader *r, vt__names *names, const char *name);
bool vt__name_in(const vt__names *names, const char *name, size_t size);
/* Reads the caller's "name=value ..."; raises where it is not of that form, or gives a parameter twice. */
void vt__overrides_read(vt__reader *r, const char *params);
/* The value given to a parameter; false when there is none. */
bool vt__override_of(const vt__reader *r, const char *name, int64_t *out_value);
/* Raises when a value was given to what is not a parameter of the kernel. */
void vt__overrides_check(vt__reader *r);
/* The schedule, made of the outputs when it is first needed. */
te_schedule *vt__schedule(vt__reader *r);

#endif
