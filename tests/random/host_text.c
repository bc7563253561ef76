/* A random program of the host as a kernel file. */
#include "random/host.h"

static void write_place(const host_place *p, FILE *to) {
    bool any = false;
    if (p->modulus || p->divisor) fputc('(', to);
    for (int k = 0; k < 2; k++) {
        if (p->axis[k] < 0 || !p->factor[k]) continue;
        fprintf(to, "%si%d", any ? " + " : "", p->axis[k]);
        if (p->factor[k] != 1) fprintf(to, " * %d", p->factor[k]);
        any = true;
    }
    if (p->offset || !any) fprintf(to, "%s%d", any ? " + " : "", p->offset);
    if (p->modulus || p->divisor) fputc(')', to);
    if (p->divisor) fprintf(to, " // %d", p->divisor);
    if (p->modulus) fprintf(to, " %% %d", p->modulus);
}

static void write_load(const host_program *p, const host_expr *e, FILE *to) {
    const host_node *of = &p->nodes[e->node];
    fprintf(to, "%s[", of->name);
    for (int d = 0; d < of->ndim; d++) {
        fputs(d ? ", " : "", to);
        write_place(&e->at[d], to);
    }
    fputc(']', to);
}

/* Before, between and behind the operands. */
static const char *const forms[][3] = {
    [H_ADD] = {"(", " + ", ")"},   [H_SUB] = {"(", " - ", ")"},   [H_MUL] = {"(", " * ", ")"},
    [H_MIN] = {"min(", ", ", ")"}, [H_MAX] = {"max(", ", ", ")"}, [H_NEG] = {"(-", NULL, ")"},
    [H_DIV] = {"(", " // ", ")"},  [H_MOD] = {"(", " % ", ")"},   [H_TRUNCDIV] = {"truncdiv(", ", ", ")"},
    [H_SHR] = {"(", " >> ", ")"},  [H_SHL] = {"(", " << ", ")"},  [H_AND] = {"(", " & ", ")"},
    [H_OR] = {"(", " | ", ")"},    [H_XOR] = {"(", " ^ ", ")"},   [H_NOT] = {"(~", NULL, ")"},
};

static void write_expr(const host_program *p, int which, FILE *to) {
    static const char *const compares[] = {"<", "<=", "==", "!=", ">", ">="};
    const host_expr *e = &p->exprs[which];
    const char *type = host_types[e->type].name;
    switch ((int)e->op) {
    case H_CONST: fprintf(to, "%s(%lld)", type, (long long)e->constant); return;
    case H_AXIS: fprintf(to, "int32(i%d)", e->axis); return;
    case H_LOAD: write_load(p, e, to); return;
    case H_CAST:
        fprintf(to, "%s(", type);
        write_expr(p, e->a[0], to);
        fputc(')', to);
        return;
    case H_SELECT:
    case H_IF:
        fputs(e->op == H_IF ? "if_then_else(" : "select(", to);
        for (int k = 0; k < 4; k++) {
            if (k) fprintf(to, k == 1 ? " %s " : ", ", compares[e->compare]);
            write_expr(p, e->a[k], to);
        }
        fputc(')', to);
        return;
    case H_GUARD:
        fprintf(to, "%s(i%d >= %d && i%d < %d, ", e->high % 2 ? "select" : "if_then_else", e->axis, e->low, e->axis,
                e->high);
        write_expr(p, e->a[0], to);
        fputs(", ", to);
        write_expr(p, e->a[1], to);
        fputc(')', to);
        return;
    default: break;
    }
    fputs(forms[e->op][0], to);
    write_expr(p, e->a[0], to);
    if (forms[e->op][1]) fputs(forms[e->op][1], to);
    if (e->op >= H_DIV && e->op <= H_SHL)
        fprintf(to, "%s(%lld)", type, (long long)e->constant);
    else if (forms[e->op][1])
        write_expr(p, e->a[1], to);
    fputs(forms[e->op][2], to);
}

static void write_definition(const host_program *p, const host_node *t, FILE *to) {
    static const char *const reductions[] = {[HOST_SUM] = "sum", [HOST_MIN] = "min", [HOST_MAX] = "max"};
    if (t->kind == HOST_INPUT) fprintf(to, "input %s: %s[", t->name, host_types[t->type].name);
    if (t->kind != HOST_INPUT) fprintf(to, "%s %s[", t->is_output ? "output" : "tensor", t->name);
    for (int d = 0; d < t->ndim; d++) {
        if (d) fputs(", ", to);
        if (t->kind != HOST_INPUT) fprintf(to, "i%d: ", d);
        fprintf(to, "%d", t->extent[d]);
    }
    fputc(']', to);
    if (t->kind == HOST_INPUT) {
        fputc('\n', to);
        return;
    }
    fputs(" = ", to);
    if (host_is_reduce(t)) {
        fprintf(to, "%s[", reductions[t->kind]);
        for (int k = 0; k < t->n_reduce; k++)
            fprintf(to, "%si%d: %d", k ? ", " : "", t->ndim + k, t->extent[t->ndim + k]);
        fputs("](", to);
    }
    write_expr(p, t->body, to);
    fputs(host_is_reduce(t) ? ")\n" : "\n", to);
}

/* Consumers first: their loops have names before a producer is computed at one. */
void host_write(const host_program *p, bool chip, FILE *to) {
    fprintf(to, "kernel random\n%s", chip ? "" : "target llvm\n");
    for (int i = 0; i < p->n; i++)
        if (p->nodes[i].used) write_definition(p, &p->nodes[i], to);
    for (int i = p->n; i-- > 0;) {
        const host_node *t = &p->nodes[i];
        if (!t->used || t->kind == HOST_INPUT || (t->chip && !chip)) continue;
        if (t->rfactor)
            fprintf(to, "# rfactor of stage %s: axis %d split by %d, outer, new axis at %d\n", t->name, t->ndim,
                    t->rfactor, t->rfactor_at);
        if (!t->n_steps) continue;
        fprintf(to, "stage %s\n", t->name);
        for (int k = 0; k < t->n_steps; k++) {
            bool chip_only = t->steps[k][0] == HOST_CHIP_ONLY;
            if (chip || !chip_only) fprintf(to, "  %s\n", t->steps[k] + chip_only);
        }
    }
}
