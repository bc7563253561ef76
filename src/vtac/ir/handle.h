/* What a public vtac_func is: a function and the context it lives in. */
#ifndef VT_IR_HANDLE_H
#define VT_IR_HANDLE_H

#include "ir/node.h"
#include "vta/ir.h"

struct vtac_func {
    vt_tag tag;
    vt_ctx *ctx;
    const vt_func *func;
    vt_aside *side;       /* the memory it lives in, with what making it took */
    const char *config;   /* JSON of the configuration it was lowered for; NULL: for the host alone, or not known */
    const char *computes; /* what, as the text of a kernel file; NULL: that cannot say it */
};

/* A handle in the memory that is open (vt_aside_open), where the function, `config` and `computes` live too. */
vtac_func *vt_func_handle(vt_ctx *ctx, const vt_func *f, const char *config, const char *computes);

#endif
