/* Loop nests marked alu are tasks of the compute stage and kernels of ALU micro-ops. The loops stay as they are until
 * inject_alu; skip_alu drops them. */
#include "lower/vta/vta.h"

typedef struct annotate {
    vt_mutator m;
    vt_lowering *l;
    const vt_iter *axis;
} annotate;

static const vt_stmt *annotate_stmt(vt_mutator *m, const vt_stmt *s) {
    annotate *st = (annotate *)m;
    s = vt_mutate_stmt_children(m, s);
    bool alu = vt_pragma_is(s, "alu"), nothing = alu && (vt__vta(st->l)->mock || vt__does_nothing(s->u.attr.body));
    if (vt_pragma_is(s, "skip_alu") || nothing) return vt_s_nop(m->ctx);
    if (!alu) return s;
    return vt__task(st->l, st->axis, VTA_STAGE_COMPUTE, vt__uops(st->l, st->axis, VT_PUSH_ALU, s));
}

const vt_func *vt_pass_annotate_alu_scope(vt_lowering *l, const vt_func *f) {
    annotate st = {
        .m = {.ctx = l->ctx, .statements_only = true, .stmt = annotate_stmt}, .l = l, .axis = vt__task_axis(l, f)};
    return vt_func_with_body(l->ctx, f, vt_mutate_stmt(&st.m, f->body));
}
