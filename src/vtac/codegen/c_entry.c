/* The packed entry of a kernel in C. */
#include <string.h>

#include "codegen/c.h"

/* What a check compares, as C on the tensor named `t`. */
static const char *what_is_checked(vt__c *c, const vt__check *check, const char *t) {
    switch (check->kind) {
    case VT__CHECK_NDIM: return vt_new_format(c->ctx, "%s->ndim", t);
    case VT__CHECK_DTYPE: return vt_new_format(c->ctx, "(%s->code | %s->bits << 8 | %s->lanes << 16)", t, t, t);
    case VT__CHECK_BIND:
    case VT__CHECK_SHAPE: return vt_new_format(c->ctx, "%s->shape[%u]", t, check->dim);
    case VT__CHECK_STRIDE: return vt_new_format(c->ctx, "%s->strides[%u]", t, check->dim);
    case VT__CHECK_OFFSET: return vt_new_format(c->ctx, "(int64_t)%s->byte_offset", t);
    case VT__CHECK_DEVICE: return vt_new_format(c->ctx, "%s->device_type", t);
    case VT__CHECK_DATA: break;
    }
    return vt_new_format(c->ctx, "%s->data", t);
}

/* `condition` is what must not be; `got` what the message's two numbers are. */
static void fail_if(vt__c *c, const char *condition, const char *message, const char *got) {
    vt__c_line(c, "if (%s)", condition);
    vt__c_line(c, "    return vt_fail(%s, %s);", vt__c_quoted(c, message), got);
}

static void write_check(vt__c *c, const vt__check *check, const char *t) {
    const char *got = what_is_checked(c, check, t);
    if (check->kind == VT__CHECK_BIND) {
        const char *type = vt__c_type(c, check->bind->dtype);
        vt__c_line(c, "const %s %s = (%s)%s;", type, vt__c_name(c, check->bind), type, got);
    } else if (check->kind == VT__CHECK_DATA) {
        fail_if(c, vt_new_format(c->ctx, "!%s", got), check->message, "0, 0");
    } else {
        const char *guard = check->kind == VT__CHECK_STRIDE ? vt_new_format(c->ctx, "%s->strides && ", t) : "";
        const char *expected = vt__c_expr(c, check->expected, NULL);
        const char *numbers = check->kind == VT__CHECK_DTYPE ? vt_new_format(c->ctx, "%s->code, %s->bits", t, t)
                                                             : vt_new_format(c->ctx, "%s, 0", got);
        fail_if(c, vt_new_format(c->ctx, "%s%s != %s", guard, got, expected), check->message, numbers);
    }
}

/* The type code of argument `i` must be one of `n`. */
static void check_code(vt__c *c, const vt__param *p, uint32_t i, size_t n, const int *allowed) {
    const char *condition = "";
    for (size_t k = 0; k < n; k++)
        condition = vt_new_format(c->ctx, "%s%scodes[%u] != %d", condition, k ? " && " : "", i, allowed[k]);
    fail_if(c, condition, p->code_message, vt_new_format(c->ctx, "codes[%u], 0", i));
}

static const int pointer_codes[] = {7, 13, 3, 4}; /* ORDER TYPE_CODE (vta/module.h) */
static const int float_codes[] = {0, 2};

static void take_tensor(vt__c *c, const vt__param *p, uint32_t i) {
    const char *t = vt__c_name(c, p->var);
    check_code(c, p, i, 4, pointer_codes);
    vt__c_line(c, "const vt_tensor *%s = args[%u].v_handle;", t, i);
    fail_if(c, vt_new_format(c->ctx, "!%s", t), p->null_message, "0, 0");
    for (uint32_t k = 0; k < p->n_checks; k++) write_check(c, &p->checks[k], t);
    if (!p->used) return;
    const vt_var *data = p->binding->buffer->data;
    const char *type = vt__c_var_type(c, data);
    vt__c_line(c, "%s%s = (void *)((char *)%s->data + %s->byte_offset);", type, vt__c_name(c, data), t, t);
}

static void take_scalar(vt__c *c, const vt__param *p, uint32_t i) {
    const char *name = vt__c_name(c, p->var), *type = vt__c_type(c, p->var->dtype);
    if (vt_dtype_is_handle(p->var->dtype)) {
        check_code(c, p, i, 4, pointer_codes);
        vt__c_line(c, "void *%s = args[%u].v_handle;", name, i);
    } else if (p->var->dtype.code == VT_FLOAT) {
        check_code(c, p, i, 2, float_codes);
        vt__c_line(c, "const %s %s = (%s)(codes[%u] ? args[%u].v_float64 : (double)args[%u].v_int64);", type, name,
                   type, i, i, i);
    } else {
        check_code(c, p, i, 1, float_codes);
        vt__c_line(c, "const %s %s = (%s)args[%u].v_int64;", type, name, type, i);
    }
    vt__c_line(c, "(void)%s;", name);
}

static void write_body(vt__c *c, const vt_stmt *body) {
    const vt__entry *entry = c->entry;
    const char *params = "";
    for (uint32_t i = 0; i < entry->n_vars; i++) {
        const char *type = vt__c_var_type(c, entry->vars[i]), *name = vt__c_name(c, entry->vars[i]);
        const char *mark = !strchr(type, '*') ? " " : entry->no_alias ? "restrict " : "";
        params = vt_new_format(c->ctx, "%s%s%s%s%s", params, i ? ", " : "", type, mark, name);
    }
    vt__c_begin(c, vt_new_format(c->ctx, "static int %s_compute_(%s)", entry->name, entry->n_vars ? params : "void"));
    vt__c_stmt(c, body);
    vt__c_end(c);
}

void vt__c_kernel(vt__c *c, const vt_codegen_func *cf, const char *symbol) {
    const vt__entry *entry = c->entry = vt__entry_describe(c->ctx, cf);
    c->outlined = 0;
    c->kernels.n = 0;
    write_body(c, cf->func->body);
    const char *head = vt_new_format(
        c->ctx, "int %s(vt_value *args, int *codes, int count, vt_value *ret, int *ret_code, void *resource)", symbol);
    const char *described = vt__signature_symbol(c->ctx, entry->name);
    const char *signature = vt__c_quoted(c, vt__signature_text(c->ctx, cf, entry));
    vt_strbuf_addf(&c->types, "%s;\nextern const char %s[];\nconst char %s[] = %s;\n", head, described, described,
                   signature);
    vt__c_begin(c, head);
    vt__c_line(c, "(void)args, (void)codes, (void)ret, (void)ret_code, (void)resource;");
    fail_if(c, vt_new_format(c->ctx, "count != %u", entry->n_params), entry->count_message, "count, 0");
    for (uint32_t step = 0; step < entry->n_params; step++) {
        uint32_t i = entry->order[step];
        if (entry->params[i].binding)
            take_tensor(c, &entry->params[i], i);
        else
            take_scalar(c, &entry->params[i], i);
    }
    const char *args = "";
    for (uint32_t i = 0; i < entry->n_vars; i++)
        args = vt_new_format(c->ctx, "%s%s%s", args, i ? ", " : "", vt__c_name(c, entry->vars[i]));
    vt__c_line(c, "if (%s_compute_(%s)) return -1;", entry->name, args);
    vt__c_end(c);
}
