#include "ir/print_script_frame.h"

#include <string.h>

#include "ir/build.h"
#include "ir/print.h"

void vt__script_line(vt__script_printer *p, vt__script_frame *f, const char *text) {
    vt__script_text *l = VT_NEW(p->s.ctx, vt__script_text);
    l->text = text;
    *f->last = l;
    f->last = &l->next;
}

void vt__script_enter(vt__script_printer *p, vt__script_frame *f, const vt_stmt *s) {
    *f = (vt__script_frame){.outer = p->top, .stmt = s};
    f->last = &f->first;
    p->top = f;
}

void vt__script_leave(vt__script_printer *p, const char *head, bool concise) {
    vt__script_frame *f = p->top;
    for (uint32_t i = 0; i < f->n_names; i++) {
        vt__names_free(p->s.names, f->names[i]);
        vt_ptrmap_set(p->s.known, f->things[i], NULL);
    }
    p->top = f->outer;
    vt__script_line(p, p->top, head);
    if (!f->first) return;
    if (!concise)
        for (vt__script_text *l = f->first; l; l = l->next) l->indent += 4;
    *p->top->last = f->first;
    p->top->last = f->last;
}

const char *vt__script_define(vt__script_printer *p, vt__script_frame *f, const void *thing, const char *hint) {
    const char *name = vt__names_take_lowest(p->s.names, vt__script_name(&p->s, hint));
    vt_grow(p->s.ctx, &f->names, &f->cap_names, f->n_names + 1, sizeof *f->names);
    vt_grow(p->s.ctx, &f->things, &f->cap_things, f->n_names + 1, sizeof *f->things);
    f->names[f->n_names] = name;
    f->things[f->n_names++] = thing;
    vt_ptrmap_set(p->s.known, thing, name);
    return name;
}

/* The innermost frame that holds all uses. */
static vt__script_frame *home(vt__script_printer *p, const void *thing) {
    for (const vt__place *at = vt_ptrmap_get(p->places, thing); at; at = at->outer)
        for (vt__script_frame *f = p->top; f; f = f->outer)
            if (f->stmt == at->stmt) return f;
    return p->top;
}

const char *vt__script_declare_var(vt__script *s, const vt_var *v) {
    vt__script_printer *p = (vt__script_printer *)s;
    vt__script_frame *f = home(p, v);
    const vt_var_info *info = v->u.var;
    char t[VT_DTYPE_TEXT];
    const char *name = vt__script_define(p, f, v, info->name), *text;
    if (info->pointer)
        text =
            vt_new_format(s->ctx, "%s = T.buffer_var(\"%s\", \"%s\")", name, vt_dtype_text(info->elem, t), info->scope);
    else
        text = vt_new_format(s->ctx, "%s = T.var(\"%s\")", name, vt_dtype_text(v->dtype, t));
    vt__script_line(p, f, text);
    return name;
}

void vt__script_buffer_rest(vt__script *s, vt_strbuf *out, const vt_buffer *b) {
    if (b->n_strides) {
        vt_strbuf_add(out, ", strides=(");
        vt__script_exprs(s, out, b->n_strides, b->strides);
        vt_strbuf_add(out, b->n_strides == 1 ? ",)" : ")");
    }
    if (!vt_is_const(b->elem_offset, 0)) {
        vt_strbuf_add(out, ", elem_offset=");
        vt__script_expr(s, out, b->elem_offset);
    }
    if (strcmp(vt_buffer_scope(b), "global")) vt_strbuf_addf(out, ", scope=\"%s\"", vt_buffer_scope(b));
    if (b->data_alignment != 64) vt_strbuf_addf(out, ", align=%d", b->data_alignment);
    if (b->offset_factor != 1) vt_strbuf_addf(out, ", offset_factor=%d", b->offset_factor);
}

const char *vt__script_declare_buffer(vt__script *s, const vt_buffer *b) {
    vt__script_printer *p = (vt__script_printer *)s;
    vt__script_frame *f = home(p, b);
    vta_allocator room;
    vt_strbuf sb = vt_arena_text(s->ctx, &room);
    char t[VT_DTYPE_TEXT];
    const char *name = vt__script_define(p, f, b, b->name);
    vt_strbuf_addf(&sb, "%s = T.buffer_decl(", name);
    vt__script_shape(s, &sb, b);
    vt_strbuf_addf(&sb, ", \"%s\"", vt_dtype_text(b->dtype, t));
    if (vt_ptrmap_get(s->known, b->data)) {
        vt_strbuf_add(&sb, ", data=");
        vt__script_expr(s, &sb, b->data);
    } else {
        vt_ptrmap_set(s->known, b->data, vt_new_format(s->ctx, "%s.data", name));
    }
    vt__script_buffer_rest(s, &sb, b);
    vt_strbuf_add(&sb, ")");
    vt__script_line(p, f, vt_strbuf_text(&sb));
    return name;
}
