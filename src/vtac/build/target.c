#include "build/target.h"

#include "ir/runtime_call.h"
#include "ir/visit.h"
#include "vta/device.h"
#include "vta/isa.h"

typedef struct finder {
    vt_visitor v;
    vt_ctx *ctx;
    const vta_config *config;
} finder;

static void refuse(const finder *f, vta_alu_opcode opcode) {
    if (opcode == VTA_ALU_TABLE && !vta_config_depth(f->config, VTA_MEM_TABLE))
        vt_raise(f->ctx, VTA_UNSUPPORTED,
                 "the configuration has no tables; LOG_TABLE_BUFF_SIZE, 8 or more, gives it some (docs/spec.md)");
    vt_raise(f->ctx, VTA_UNSUPPORTED, "TARGET %s: the design of this board has no %s for BATCH %u (docs/boards.md)",
             vta_config_target(f->config), vta_alu_opcode_name(opcode), vta_config_batch(f->config));
}

static void expr(vt_visitor *v, const vt_expr *e) {
    const finder *f = (const finder *)v;
    vt_visit_expr_children(v, e);
    if (!vt_is_call(e, VT_OP_VTA_UOP_PUSH) || !vt_is_const(e->a[VT_UOP(mode)], 1)) return;
    const vt_expr *opcode = e->a[VT_UOP(opcode)];
    if (opcode->kind != VT_E_INT || opcode->u.i < 0 || opcode->u.i >= VTA_ALU_COUNT) return;
    if (!vta_target_has_alu(f->config, (uint32_t)opcode->u.i)) refuse(f, (vta_alu_opcode)opcode->u.i);
}

void vt__check_target(vt_ctx *ctx, const vt_func *func, const vta_config *config) {
    finder f = {.v = {.expr = expr}, .ctx = ctx, .config = config};
    bool all = true;
    for (int op = 0; op < VTA_ALU_COUNT; op++) all = all && vta_target_has_alu(config, (uint32_t)op);
    if (!all) vt_visit_stmt(&f.v, func->body);
}
