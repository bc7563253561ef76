/* Statements and functions as C. */
#include <string.h>

#include "codegen/c.h"
#include "ir/build.h"

/* Allocations of constant size up to this many bytes are on the stack. */
enum { STACK_BYTES = 1024 };

void vt__c_begin(vt__c *c, const char *head) {
    if (c->depth + 1 >= VT__C_DEPTH)
        vt_raise(c->ctx, VTA_UNSUPPORTED, "%s: functions nested too deeply", c->entry->name);
    c->depth++;
    c->indent[c->depth] = 0;
    vt_strbuf_clear(&c->body[c->depth]);
    vt__c_line(c, "%s {", head);
    vt__c_indent(c, 1);
}

void vt__c_end(vt__c *c) {
    vt__c_line(c, "return 0;");
    vt__c_indent(c, -1);
    vt__c_line(c, "}");
    vt_strbuf_addf(&c->functions, "\n%s", vt_strbuf_text(&c->body[c->depth]));
    c->depth--;
}

/* A statement that returns early, with what the function has allocated freed. */
static const char *leave(vt__c *c, const char *value) {
    const char *text = "";
    for (const vt__c_scratch *s = c->scratch; s && s->depth == c->depth; s = s->outer)
        text = vt_new_format(c->ctx, "%s (void)TVMBackendFreeWorkspace(%d, 0, %s);", text, s->device, s->name);
    return *text ? vt_new_format(c->ctx, "{%s return %s; }", text, value) : vt_new_format(c->ctx, "return %s;", value);
}

static void block(vt__c *c, const vt_stmt *s) {
    vt__c_indent(c, 1);
    vt__c_stmt(c, s);
    vt__c_indent(c, -1);
}

static const char *param_list(vt__c *c, uint32_t n, const vt_var *const *vars, const char *separator) {
    const char *text = "";
    for (uint32_t i = 0; i < n; i++) {
        const char *type = vt__c_var_type(c, vars[i]);
        text = vt_new_format(c->ctx, "%s%s%s%s%s", text, i ? separator : "", type, strchr(type, '*') ? "" : " ",
                             vt__c_name(c, vars[i]));
    }
    return text;
}

/* ---- Outlined parts ---------------------------------------------------------------------------------------------- */

/* The function that records the kernel, and the variable of its handle. */
static void write_uops(vt__c *c, const char *name, uint32_t number, const vt_stmt *body, const vt_var *captured) {
    vt_strbuf_addf(&c->types, "static void *%s_uop_handle_%u;\n", name, number);
    vt__c_begin(c, vt_new_format(c->ctx, "static int %s_uops_%u(void *signature)", name, number));
    vt__c_line(c, captured ? "const int32_t %s = *(int32_t *)signature;" : "(void)signature;",
               captured ? vt__c_name(c, captured) : "");
    vt__c_stmt(c, body);
    vt__c_end(c);
}

static void uop_scope(vt__c *c, const vt_stmt *s) {
    uint32_t n, number = vt_kernel_number(c->ctx, &c->kernels, c->entry->share_kernels, s, c->outlined);
    const vt_var *const *vars = vt_stmt_free_vars(c->ctx, s->u.attr.body, &n);
    const char *name = c->entry->name, *push = s->u.attr.value->u.s;
    bool written = number != c->outlined;
    c->outlined += !written;
    if (vt__c_first(c, push))
        vt_strbuf_addf(&c->types, "int %s(void **uop_handle, int (*finit)(void *), void *signature, int nbytes);\n",
                       push);
    if (!written) write_uops(c, name, number, s->u.attr.body, n ? vars[0] : NULL);
    if (n)
        vt__c_line(c, "if (%s(&%s_uop_handle_%u, %s_uops_%u, &(int32_t){%s}, 4)) %s", push, name, number, name, number,
                   vt__c_name(c, vars[0]), leave(c, "-1"));
    else
        vt__c_line(c, "if (%s(&%s_uop_handle_%u, %s_uops_%u, NULL, 0)) %s", push, name, number, name, number,
                   leave(c, "-1"));
}

static void serial(vt__c *c, const vt_stmt *s, const char *begin, const char *end) {
    const char *v = vt__c_name(c, s->u.loop.var);
    vt__c_line(c, "for (%s %s = %s; %s < %s; %s++) {", vt__c_type(c, s->u.loop.var->dtype), v, begin, v, end, v);
    block(c, s->u.loop.body);
    vt__c_line(c, "}");
}

static void parallel(vt__c *c, const vt_stmt *s) {
    uint32_t n, number = c->outlined++;
    const vt_var *const *vars = vt_stmt_free_vars(c->ctx, s, &n);
    const char *name = vt_new_format(c->ctx, "%s_parallel_%u", c->entry->name, number);
    vt_strbuf_addf(&c->types, "struct %s { %s; };\n", name, n ? param_list(c, n, vars, "; ") : "int none");
    bool outer = c->in_parallel;
    c->in_parallel = true;
    vt__c_begin(c, vt_new_format(c->ctx, "static int %s(int id, vt_group *group, void *captured)", name));
    for (uint32_t i = 0; i < n; i++) {
        const char *type = vt__c_var_type(c, vars[i]), *v = vt__c_name(c, vars[i]);
        vt__c_line(c, "%s%s%s = ((struct %s *)captured)->%s;", type, strchr(type, '*') ? "" : " ", v, name, v);
    }
    if (!n) vt__c_line(c, "(void)captured;");
    vt__c_line(c, "const int64_t vt_extent = %s;", vt__c_expr(c, s->u.loop.extent, NULL));
    vt__c_line(c, "const int64_t vt_chunk = (vt_extent - 1) / group->num_task + 1;");
    vt__c_line(c, "const int64_t vt_begin = id * vt_chunk < vt_extent ? id * vt_chunk : vt_extent;");
    vt__c_line(c, "const int64_t vt_end = vt_begin + vt_chunk < vt_extent ? vt_begin + vt_chunk : vt_extent;");
    const char *min = vt__c_expr(c, s->u.loop.min, NULL);
    serial(c, s, vt_new_format(c->ctx, "%s + vt_begin", min), vt_new_format(c->ctx, "%s + vt_end", min));
    vt__c_end(c);
    c->in_parallel = outer;
    const char *values = "";
    for (uint32_t i = 0; i < n; i++)
        values = vt_new_format(c->ctx, "%s%s%s", values, i ? ", " : "", vt__c_name(c, vars[i]));
    vt__c_line(c, "if (TVMBackendParallelLaunch(%s, &(struct %s){%s}, 0)) %s", name, name, n ? values : "0",
               leave(c, "-1"));
}

/* ---- Statements -------------------------------------------------------------------------------------------------- */

static void loop(vt__c *c, const vt_stmt *s) {
    if (s->u.loop.kind == VT_FOR_THREAD)
        vt_raise(c->ctx, VTA_ILLEGAL, "%s: loop %s is bound to a thread axis, which C does not have", c->entry->name,
                 vt_var_name(s->u.loop.var));
    if (s->u.loop.kind == VT_FOR_PARALLEL && !c->in_parallel) {
        parallel(c, s);
        return;
    }
    const vt_expr *end = vt_add(c->ctx, s->u.loop.min, s->u.loop.extent);
    serial(c, s, vt__c_expr(c, s->u.loop.min, NULL), vt__c_expr(c, end, NULL));
}

/* A vector is stored lane by lane, from a copy: the value may read what is stored. */
static void store(vt__c *c, const vt_stmt *s) {
    const vt_buffer *b = s->u.store.buffer;
    const vt_expr *index = vt__c_flat_index(c, b, s->u.store.n_indices, s->u.store.indices), *value = s->u.store.value;
    uint32_t lanes = value->dtype.lanes;
    vt__c_refuse_vectors(c, b);
    const char *type = vt__c_type(c, b->dtype);
    bool same = b->data->u.var->pointer && vt_dtype_eq(b->data->u.var->elem, vt_dtype_elem(b->dtype));
    const char *base =
        same ? vt__c_name(c, b->data) : vt_new_format(c->ctx, "((%s *)%s)", type, vt__c_name(c, b->data));
    if (lanes <= 1) {
        vt__c_line(c, "%s[%s] = %s;", base, vt__c_expr(c, index, NULL), vt__c_expr(c, value, NULL));
        return;
    }
    vt__c_line(c, "{");
    vt__c_indent(c, 1);
    vt__c_line(c, "%s vt_vector[%u];", vt__c_type(c, value->dtype), lanes);
    vt__c_line(c, "for (int lane = 0; lane < %u; lane++) vt_vector[lane] = %s;", lanes, vt__c_expr(c, value, "lane"));
    vt__c_line(c, "for (int lane = 0; lane < %u; lane++) %s[%s] = vt_vector[lane];", lanes, base,
               vt__c_expr(c, index, "lane"));
    vt__c_indent(c, -1);
    vt__c_line(c, "}");
}

static void let(vt__c *c, const vt_stmt *s) {
    const vt_var *v = s->u.let.var;
    const char *type = vt__c_var_type(c, v), *name = vt__c_name(c, v);
    if (v->dtype.lanes > 1) {
        vt__c_line(c, "%s %s[%u];", type, name, v->dtype.lanes);
        vt__c_line(c, "for (int lane = 0; lane < %u; lane++) %s[lane] = %s;", v->dtype.lanes, name,
                   vt__c_expr(c, s->u.let.value, "lane"));
    } else {
        vt__c_line(c, "%s%s%s = %s;", type, strchr(type, '*') ? "" : " ", name, vt__c_expr(c, s->u.let.value, NULL));
    }
    vt__c_stmt(c, s->u.let.body);
}

/* Elements of an allocation; an invalid number of them is refused as the LLVM back end does. */
static const vt_expr *element_count(vt__c *c, const vt_stmt *s) {
    int64_t known = s->u.alloc.dtype.lanes, extent;
    const vt_expr *count = vt_i64(c->ctx, known);
    for (uint32_t i = 0; i < s->u.alloc.n_extents; i++) {
        const vt_expr *e = s->u.alloc.extents[i];
        if (vt_as_const(e, &extent) && (extent < 0 || __builtin_mul_overflow(known, extent, &known)))
            vt_raise(c->ctx, VTA_OUT_OF_RANGE, "%s: the allocation of %s has no valid size", c->entry->name,
                     vt_var_name(s->u.alloc.var));
        count = vt_mul(c->ctx, count, vt_cast(c->ctx, VT_I64, e));
    }
    return count;
}

static void allocate(vt__c *c, const vt_stmt *s) {
    const vt_var *v = s->u.alloc.var;
    vt_dtype t = s->u.alloc.dtype;
    if (strncmp(v->u.var->scope, "local.", 6) == 0) {
        vt__c_stmt(c, s->u.alloc.body);
        return;
    }
    const char *name = vt__c_name(c, v), *type = vt__c_type(c, t);
    const vt_expr *count = element_count(c, s);
    int64_t known = 0;
    uint32_t bytes = (t.bits + 7u) / 8;
    int32_t device = vt_alloc_device(s);
    if (device == VT_DEVICE_CPU && vt_as_const(count, &known) && known <= STACK_BYTES / bytes) {
        vt__c_line(c, "%s %s[%lld] __attribute__((aligned(64)));", type, name, (long long)(known ? known : 1));
        vt__c_stmt(c, s->u.alloc.body);
        return;
    }
    vt__c_line(c, "%s *%s = TVMBackendAllocWorkspace(%d, 0, sizeof(%s) * (uint64_t)%s, %u, %u);", type, name, device,
               type, vt__c_expr(c, count, NULL), t.code, t.bits);
    vt__c_line(c, "if (!%s) %s", name, leave(c, "-1"));
    vt__c_scratch scratch = {c->scratch, name, device, c->depth};
    c->scratch = &scratch;
    vt__c_stmt(c, s->u.alloc.body);
    c->scratch = scratch.outer;
    vt__c_line(c, "if (TVMBackendFreeWorkspace(%d, 0, %s)) %s", device, name, leave(c, "-1"));
}

static void branch(vt__c *c, const vt_stmt *s) {
    vt__c_line(c, "if (%s) {", vt__c_expr(c, s->u.branch.condition, NULL));
    block(c, s->u.branch.then_case);
    if (s->u.branch.else_case) {
        vt__c_line(c, "} else {");
        block(c, s->u.branch.else_case);
    }
    vt__c_line(c, "}");
}

static void assertion(vt__c *c, const vt_stmt *s) {
    const vt_expr *m = s->u.assertion.message;
    vt__c_line(c, "if (!%s) {", vt__c_expr(c, s->u.assertion.condition, NULL));
    vt__c_line(c, "    TVMAPISetLastError(%s);",
               vt__c_quoted(c, m && m->kind == VT_E_STRING ? m->u.s : "assertion failed"));
    vt__c_line(c, "    %s", leave(c, "-1"));
    vt__c_line(c, "}");
    if (s->u.assertion.body) vt__c_stmt(c, s->u.assertion.body);
}

static bool defines(const vt_stmt *s) { return s->kind == VT_S_LET || s->kind == VT_S_ALLOC; }

/* Definitions inside a sequence get a block of their own. */
static void sequence(vt__c *c, const vt_stmt *s) {
    for (uint32_t i = 0; i < s->u.seq.n_items; i++) {
        const vt_stmt *item = s->u.seq.items[i];
        if (!defines(item)) {
            vt__c_stmt(c, item);
            continue;
        }
        vt__c_line(c, "{");
        block(c, item);
        vt__c_line(c, "}");
    }
}

void vt__c_stmt(vt__c *c, const vt_stmt *s) {
    switch ((vt_stmt_kind)s->kind) {
    case VT_S_LET: let(c, s); break;
    case VT_S_ATTR:
        if (vt_attr_is(s, VT_ATTR_UOPS))
            uop_scope(c, s);
        else
            vt__c_stmt(c, s->u.attr.body);
        break;
    case VT_S_ASSERT: assertion(c, s); break;
    case VT_S_FOR: loop(c, s); break;
    case VT_S_ALLOC: allocate(c, s); break;
    case VT_S_STORE: store(c, s); break;
    case VT_S_SEQ: sequence(c, s); break;
    case VT_S_IF: branch(c, s); break;
    case VT_S_EVAL:
        if (vt_is_call(s->u.eval.value, VT_OP_RET))
            vt__c_line(c, "%s", leave(c, "0"));
        else if (s->u.eval.value->kind != VT_E_INT)
            vt__c_line(c, "%s;", vt__c_effect(c, s->u.eval.value));
        break;
    case VT_S_PSTORE:
    case VT_S_REALIZE:
    case VT_S_BLOCK:
    case VT_S_COUNT:
        vt_raise(c->ctx, VTA_INTERNAL, "%s: a statement of kind '%s' is left after lowering", c->entry->name,
                 vt_stmt_kind_text(s->kind));
    }
}
