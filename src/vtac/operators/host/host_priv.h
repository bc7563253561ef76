/* Between the files of this folder: kernel files as they are written. */
#ifndef VT_OPS_HOST_PRIV_H
#define VT_OPS_HOST_PRIV_H

#include <inttypes.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "kernel/made.h"
#include "operators/host/host.h"

/* Reads the finished text and frees it. */
vta_status vt__host_parse(const vt_host *host, const char *name, vt_strbuf *text, vtac_kernel **out_kernel);

/* A kernel of statements; `key` says all that `user` says, so that equal ones are one. */
vta_status vt__host_made(const vt_host *host, const char *name, const char *key, vt_kernel_make *make, const void *user,
                         vtac_kernel **out_kernel);

/* Loops with this much work or more are shared among threads. */
enum { VT__HOST_PARALLEL = 1 << 16 };

static inline int64_t vt__host_blocks(int64_t n, int64_t by) { return (n + by - 1) / by; }
/* A number as kernel files have it: a float of 32 bits. */
void vt__host_float(vt_strbuf *out, double value);
/* "[1, 4, 49, 1, 16]": the extents of N x C x S in a form. */
void vt__host_extents(vt_strbuf *out, const vt_host_form *form, int64_t n, int64_t c, const char *s);
/* "[n, c // 16, s, 0, c % 16]": an element's indices in a form, from expressions for image, channel, and what is
 * behind. */
void vt__host_index(vt_strbuf *out, const vt_host_form *form, const char *n, const char *c, const char *s);

#endif
