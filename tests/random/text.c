#include "random/text.h"

#include <stdlib.h>
#include <string.h>

static const char *const elem_names[] = {"inp_t", "wgt_t", "acc_t", "int8"};

static const char *const elem_scopes[] = {"inp", "wgt", "acc", "acc"};

static const char *type_name(const program *p, const node *t) {
    return t->kind == NODE_STORE && t->type == ELEM_ACC ? "int32" : elem_names[t->type];
    (void)p;
}

static void write_shape(const node *t, bool named, FILE *to) {
    fputc('[', to);
    for (int d = 0; d < t->ndim; d++) {
        fputs(d ? ", " : "", to);
        if (named) fprintf(to, "i%d: ", d);
        fprintf(to, "%d", t->shape[d]);
    }
    fputc(']', to);
}

/* The name by which an expression knows an operand. */
static const char *read_name(const program *p, const node *t, int k) {
    const node *of = &p->nodes[t->in[k].node];
    return of->cached ? p->nodes[of->in[0].node].name : of->name;
}

static void write_operand(const program *p, const node *t, const operand *o, FILE *to) {
    const node *of = &p->nodes[o->node];
    fprintf(to, "%s[", of->cached ? p->nodes[of->in[0].node].name : of->name);
    if (operand_is_same_place(t, of, o)) {
        fputs("...]", to);
        return;
    }
    for (int d = 0; d < of->ndim; d++) {
        const place *at = &o->at[d];
        fputs(d ? ", " : "", to);
        if (at->axis < 0) {
            fprintf(to, "%d", at->offset);
            continue;
        }
        fprintf(to, "i%d", at->axis);
        if (at->factor != 1) fprintf(to, " * %d", at->factor);
        if (at->offset) fprintf(to, " + %d", at->offset);
    }
    fputc(']', to);
}

static void write_second(const program *p, const node *t, FILE *to) {
    if (t->n_in == 2)
        write_operand(p, t, &t->in[1], to);
    else
        fprintf(to, "%d", t->constant);
}

static void write_alu(const program *p, const node *t, FILE *to) {
    static const char *const before[] = {"", "", "max(", "min(", "", "", "", ""};
    static const char *const between[] = {"", " + ", ", ", ", ", " >> ", " << ", " * ", " - "};
    static const char *const after[] = {"", "", ")", ")", "", "", "", ""};
    fprintf(to, "tensor %s", t->name);
    write_shape(t, true, to);
    fprintf(to, " = %s", before[t->op]);
    if (t->constant_first) {
        fprintf(to, "%d%s", t->constant, between[t->op]);
        write_operand(p, t, &t->in[0], to);
    } else {
        write_operand(p, t, &t->in[0], to);
        fputs(between[t->op], to);
        if (t->op != OP_COPY) write_second(p, t, to);
    }
    fprintf(to, "%s\n", after[t->op]);
}

static bool is_padded(const node *t) {
    for (int d = 0; d < t->ndim; d++)
        if (t->before[d] || t->after[d]) return true;
    return false;
}

static void write_list(int n, const int *items, FILE *to) {
    for (int i = 0; i < n; i++) fprintf(to, "%s%d", i ? ", " : "[", items[i]);
    fputc(']', to);
}

static void write_copy(const program *p, const node *t, FILE *to) {
    const node *from = &p->nodes[t->in[0].node];
    bool cast = t->type != from->type && t->type == ELEM_ACC;
    fprintf(to, "tensor %s", t->name);
    if (operand_is_same_place(t, from, &t->in[0]))
        fprintf(to, " like %s", from->name);
    else
        write_shape(t, true, to);
    fputs(cast ? " = acc_t(" : " = ", to);
    write_operand(p, t, &t->in[0], to);
    fputs(cast ? ")\n" : "\n", to);
}

static void write_load(const program *p, const node *t, FILE *to) {
    const char *from = p->nodes[t->in[0].node].name;
    if (t->cached) return;
    if (!is_padded(t)) {
        write_copy(p, t, to);
        return;
    }
    fprintf(to, "tensor %s = pad(%s, ", t->name, from);
    write_list(t->ndim, t->before, to);
    fputs(", ", to);
    write_list(t->ndim, t->after, to);
    fputs(")\n", to);
}

static void write_pixel(const node *t, int k, FILE *to) {
    fprintf(to, ", i%d", 2 + k);
    if (t->stride[k] != 1) fprintf(to, " * %d", t->stride[k]);
    fprintf(to, " + %s", k ? "dx" : "dy");
    if (t->dilation[k] != 1) fprintf(to, " * %d", t->dilation[k]);
}

static void write_reduce(const program *p, const node *t, FILE *to) {
    bool conv = t->ndim == 6;
    int inner = t->ndim - 2;
    fprintf(to, "reduce ic = %d, ", t->extent[0]);
    if (conv) fprintf(to, "dy = %d, dx = %d, ", t->extent[1], t->extent[2]);
    fprintf(to, "ki = %d\ntensor %s", t->extent[3], t->name);
    write_shape(t, true, to);
    fprintf(to, " =\n    sum[ic, %ski](acc_t(%s[i0, ", conv ? "dy, dx, " : "", read_name(p, t, 0));
    if (t->groups > 1) fprintf(to, "i1 // %d * %d + ", t->shape[1] / t->groups, t->extent[0]);
    fputs("ic", to);
    for (int k = 0; k < t->ndim - 4; k++) write_pixel(t, k, to);
    fprintf(to, ", i%d, ki]) * acc_t(%s[i1, ic, %si%d, ki]))\n", inner, read_name(p, t, 1), conv ? "dy, dx, " : "",
            inner + 1);
}

static void write_store(const program *p, const node *t, FILE *to) {
    fprintf(to, "%s %s", t->is_output ? "output" : "tensor", t->name);
    if (operand_is_same_place(t, &p->nodes[t->in[0].node], &t->in[0]))
        fprintf(to, " like %s = ", read_name(p, t, 0));
    else {
        write_shape(t, true, to);
        fputs(" = ", to);
    }
    if (t->type != ELEM_ACC) fprintf(to, "%s(", type_name(p, t));
    write_operand(p, t, &t->in[0], to);
    fputs(t->type != ELEM_ACC ? ")\n" : "\n", to);
}

static void write_definition(const program *p, const node *t, FILE *to) {
    switch (t->kind) {
    case NODE_INPUT:
        fprintf(to, "input %s: %s", t->name, type_name(p, t));
        write_shape(t, false, to);
        fputc('\n', to);
        break;
    case NODE_LOAD: write_load(p, t, to); break;
    case NODE_REDUCE: write_reduce(p, t, to); break;
    case NODE_ALU: write_alu(p, t, to); break;
    case NODE_STORE: write_store(p, t, to); break;
    }
}

/* Before the other steps: a stage that reads a copy is made anew. */
static void write_cached(const program *p, int i, FILE *to) {
    const node *t = &p->nodes[i];
    const char *between = " for ";
    for (int u = i + 1; u < p->n; u++) {
        const node *user = &p->nodes[u];
        if (!user->used || (user->in[0].node != i && (user->n_in < 2 || user->in[1].node != i))) continue;
        if (between[1] == 'f')
            fprintf(to, "stage %s\n  cache_read %s as %s in %s", user->name, p->nodes[t->in[0].node].name, t->name,
                    elem_scopes[t->type]);
        fprintf(to, "%s%s", between, user->name);
        between = ", ";
    }
    fputc('\n', to);
}

/* Consumers first: their loops have names before a producer is computed at one. */
void program_write(const program *p, FILE *to) {
    fputs("kernel random\n", to);
    for (int i = 0; i < p->n; i++)
        if (p->nodes[i].used) write_definition(p, &p->nodes[i], to);
    for (int i = 0; i < p->n; i++)
        if (p->nodes[i].used && p->nodes[i].cached) write_cached(p, i, to);
    for (int i = p->n; i-- > 0;) {
        const node *t = &p->nodes[i];
        if (!t->used || t->kind == NODE_INPUT) continue;
        fprintf(to, "stage %s\n", t->name);
        for (int k = 0; k < t->n_steps; k++) fprintf(to, "  %s\n", t->steps[k]);
    }
}

char *program_text(const program *p) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) abort();
    program_write(p, f);
    fclose(f);
    return text;
}
