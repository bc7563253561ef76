/* One node of the graph by a row of text: the types that it gives, or why it is refused. */
#ifndef TESTS_GRAPH_INFER_ROWS_H
#define TESTS_GRAPH_INFER_ROWS_H

#include "build.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena_text.h"

enum { INPUTS = 9 };

typedef struct row {
    vt_gop op;
    const char *inputs; /* "float32[1,3,8,8] float32[4,3,3,3]"; "-": left out */
    uint32_t attribute_count;
    const vt_gattr *attributes;
    const char *result; /* types of the outputs */
    const char *refusal;
} row;

#define NONE 0, NULL
#define WINDOW(sh, sw, t, l, b, r, dh, dw) INTS(STRIDES, sh, sw), INTS(PADS, t, l, b, r), INTS(DILATIONS, dh, dw)
#define PLAIN WINDOW(1, 1, 0, 0, 0, 0, 1, 1)

/* One input of the row's text; gives what follows it. */
static inline const char *input_of(world *w, const char *text, uint32_t i, vt_gvalue **out) {
    char word[64], name[8];
    int64_t dims[VT_MAX_RANK];
    size_t rank = 0, n = strcspn(text, " "), head = strcspn(text, "[ ");
    vt_element e;
    vt_gtype t;
    assert_true(n < sizeof word);
    snprintf(word, sizeof word, "%.*s", (int)head, text);
    *out = NULL;
    if (strcmp(word, "-") != 0) {
        assert_true(vt_element_parse(word, &e));
        for (const char *p = text + head; p < text + n && *p != ']'; rank++)
            dims[rank] = strtoll(p + 1, (char **)&p, 10);
        assert_true(vt_gtype_make(e, rank, dims, &t));
        snprintf(name, sizeof name, "i%u", (unsigned)i);
        *out = vt_graph_input(w->g, name, t);
    }
    return text[n] ? text + n + 1 : text + n;
}

typedef struct question {
    world *w;
    const row *r;
    const char *answer;
} question;

static inline vta_status ask(vt_ctx *ctx, void *arg) {
    question *q = arg;
    vt_gvalue *inputs[INPUTS];
    uint32_t count = 0;
    for (const char *at = q->r->inputs; *at; count++) at = input_of(q->w, at, count, &inputs[count]);
    vt_gnode_spec spec = {q->r->op, "n", NULL, count, q->r->attribute_count, inputs, q->r->attributes};
    const vt_gnode *n = vt_graph_add(q->w->g, &spec);
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(ctx, &room);
    char text[VT_GTYPE_TEXT];
    for (uint32_t i = 0; i < n->output_count; i++)
        vt_strbuf_addf(&sb, "%s%s", i ? " " : "", vt_gtype_text(&n->outputs[i]->type, text));
    q->answer = vt_arena_text_take(ctx, &sb);
    return VTA_OK;
}

#endif
