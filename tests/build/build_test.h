/* What the tests of this folder share. */
#ifndef TESTS_BUILD_BUILD_TEST_H
#define TESTS_BUILD_BUILD_TEST_H

#include "base/file.h"
#include "base/strbuf.h"
#include "support/golden.h"

/* A sink for vtac_trace_begin. */
static inline void trace_to(void *ctx, const char *text, size_t size) { vt_strbuf_addn(ctx, text, size); }

#endif
