/* Lowering a program of programs.h, with what a test wants of it. */
#ifndef TESTS_LISTINGS_LOWER_H
#define TESTS_LISTINGS_LOWER_H

#include "base/strbuf.h"
#include "ir/print.h"
#include "listings/programs.h"
#include "listings/trace.h"
#include "lower/lower.h"
#include "te/te.h"

typedef enum lower_want { WANT_PRIMFN, WANT_TVMSCRIPT, WANT_CALLS } lower_want;

typedef struct lower_job {
    const program *p;
    const vtac_lower_options *options;
    const char *name;
    lower_want want;
    vt_strbuf *out; /* NULL: only lower */
} lower_job;

static vta_status lower_body(vt_ctx *ctx, void *arg) {
    const lower_job *job = arg;
    vt_te_arg args[4] = {{0}};
    for (size_t i = 0; i < job->p->n_args; i++) args[i].tensor = job->p->args[i];
    const vt_func *f = vt_te_lower(job->p->s, (uint32_t)job->p->n_args, args, job->name);
    f = vt_lower(ctx, f, job->options, vt_te_tile_axis, job->p->s);
    if (!job->out) return VTA_OK;
    if (job->want == WANT_PRIMFN)
        vt_print_primfn(ctx, f, job->out);
    else if (job->want == WANT_TVMSCRIPT)
        vt_print_tvmscript(ctx, f, job->out);
    else if (!trace_run(ctx, f, job->out))
        return VTA_INTERNAL;
    return VTA_OK;
}

static inline vta_status lower_program(const program *p, const vtac_lower_options *options, const char *name,
                                       lower_want want, vt_strbuf *out) {
    lower_job job = {p, options, name, want, out};
    if (te_context_status(p->c) != VTA_OK || !p->s) return VTA_INVALID_ARGUMENT;
    return vt_protect(vt_te_ctx(p->c), lower_body, &job);
}

#endif
