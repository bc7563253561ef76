/* What the tests of this folder share. */
#ifndef TE_TEST_H
#define TE_TEST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "base/strbuf.h"
#include "ir/print.h"
#include "te/te.h"

/* A context with a configuration that differs from the default by `changes` (NULL: none). */
static inline te_context *context_with(const char *changes) {
    vta_config *base = vta_config_default(), *config = NULL;
    if (changes) assert_int_equal(vta_config_with(base, changes, NULL, &config), VTA_OK);
    te_context *c = te_context_create(config ? config : base, NULL);
    assert_non_null(c);
    vta_config_release(base);
    if (config) vta_config_release(config);
    return c;
}

/* The messages so far, which are then forgotten; free it. */
static inline char *take_messages(te_context *c) {
    char *text = strdup(vta_diag_text(te_context_diag(c)));
    vta_diag_clear(te_context_diag(c));
    return text;
}

/* The last call failed, and the messages contain `part`. */
static inline void assert_refused(te_context *c, vta_status status, const char *part) {
    assert_int_equal(te_context_status(c), status);
    char *text = take_messages(c);
    if (!strstr(text, part)) fail_msg("expected \"%s\" in \"%s\"", part, text);
    free(text);
}

static inline void assert_fine(te_context *c) {
    if (te_context_status(c) != VTA_OK) fail_msg("%s", vta_diag_text(te_context_diag(c)));
}

typedef struct lowering {
    te_schedule *s;
    uint32_t n;
    te_tensor *const *tensors;
    const vt_func *func;
} lowering;

static inline vta_status lower_body(vt_ctx *ctx, void *arg) {
    lowering *l = arg;
    vt_te_arg args[16] = {{0}};
    for (uint32_t i = 0; i < l->n; i++) args[i].tensor = l->tensors[i];
    l->func = vt_te_lower(l->s, l->n, args, "main");
    (void)ctx;
    return VTA_OK;
}

/* The lowered function; NULL when it was refused. */
static inline const vt_func *lower(te_schedule *s, uint32_t n, te_tensor *const tensors[]) {
    lowering l = {s, n, tensors, NULL};
    return vt_protect(vt_te_ctx(te_schedule_context(s)), lower_body, &l) == VTA_OK ? l.func : NULL;
}

/* The loop nest as text; free it. */
static inline char *nest_text(te_context *c, const vt_func *f) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    vt_print_stmt(vt_te_ctx(c), f->body, &sb);
    return vt_strbuf_take(&sb);
}

static inline size_t count_of(const char *text, const char *part) {
    size_t n = 0;
    for (const char *p = text; (p = strstr(p, part)); p += strlen(part)) n++;
    return n;
}

#endif
