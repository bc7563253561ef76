/* Loads and stores: every field and every address is checked before it is recorded. */
#include "config/field_bits.h"
#include "runtime/buffer.h"
#include "runtime/command.h"

static vta_status too_large(const vt_command *command, const char *name, uint32_t value, uint32_t most) {
    return vt_fail(command->diag, VTA_OUT_OF_RANGE, "%s %u does not fit the instruction's field, which holds 0 to %u",
                   name, value, most);
}

/* A field of the instruction, by its name in vta/insn.def. */
#define CHECK_FIELD(field, name, value)                                                                                \
    if ((value) > VT_FIELD_MAX(MEM_##field)) return too_large(command, name, value, VT_FIELD_MAX(MEM_##field))

static vta_status check_fields(const vt_command *command, const vt_transfer *t) {
    CHECK_FIELD(x_size, "x_size", t->x_size);
    CHECK_FIELD(y_size, "y_size", t->y_size);
    CHECK_FIELD(x_stride, "x_stride", t->x_stride);
    CHECK_FIELD(sram_base, "the on-chip index", t->sram_index);
    CHECK_FIELD(x_pad_0, "x_pad_before", t->x_pad_before);
    CHECK_FIELD(y_pad_0, "y_pad_before", t->y_pad_before);
    CHECK_FIELD(x_pad_1, "x_pad_after", t->x_pad_after);
    CHECK_FIELD(y_pad_1, "y_pad_after", t->y_pad_after);
    bool pads = t->x_pad_before || t->x_pad_after || t->y_pad_before || t->y_pad_after;
    if (t->memory_type == VTA_MEM_TABLE && pads)
        return vt_fail(command->diag, VTA_ILLEGAL, "padding around tables: a load of tables has none");
    if (!t->x_size && pads)
        return vt_fail(
            command->diag, VTA_ILLEGAL,
            "padding around nothing: with x_size 0 the instruction does nothing, so no element becomes zero; "
            "load zeros from memory instead");
    return VTA_OK;
}

/* The on-chip side: rows lie one after the other, with their padding. */
static vta_status check_sram(const vt_command *command, const vt_transfer *t) {
    if (!t->x_size) return VTA_OK; /* a no-op touches nothing */
    uint64_t rows = (uint64_t)t->y_pad_before + t->y_size + t->y_pad_after;
    uint64_t columns = (uint64_t)t->x_pad_before + t->x_size + t->x_pad_after;
    uint32_t depth = command->config->depth[t->memory_type];
    if (t->sram_index + rows * columns <= depth) return VTA_OK;
    return vt_fail(command->diag, VTA_OUT_OF_RANGE,
                   "%llu x %llu elements from on-chip element %u on go past the end of the %s buffer, which holds %u",
                   (unsigned long long)rows, (unsigned long long)columns, t->sram_index,
                   vta_memory_name((vta_memory)t->memory_type), depth);
}

/* The DRAM side: all rows inside the buffer. */
static vta_status check_dram(const vt_command *command, const vt_transfer *t, const vt_slot *buffer) {
    if (!t->x_size || !t->y_size) return VTA_OK;
    uint64_t end = (uint64_t)t->offset + (uint64_t)(t->y_size - 1) * t->x_stride + t->x_size;
    uint64_t elem = command->config->elem_bytes[t->memory_type];
    if (end * elem <= buffer->bytes) return VTA_OK;
    return vt_fail(command->diag, VTA_OUT_OF_RANGE,
                   "element %llu is past the buffer's end: %llu bytes are %llu elements of %llu bytes (%s)",
                   (unsigned long long)end - 1, (unsigned long long)buffer->bytes,
                   (unsigned long long)(buffer->bytes / elem), (unsigned long long)elem,
                   vta_memory_name((vta_memory)t->memory_type));
}

static vta_status check(const vt_command *command, const vt_transfer *t, vt_slot **out_buffer) {
    VT_TRY(check_fields(command, t));
    VT_TRY(check_sram(command, t));
    VT_TRY(vt_buffer_find(command->runtime, t->buffer, command->diag, out_buffer));
    return check_dram(command, t, *out_buffer);
}

static void fill(const vt_command *command, const vt_transfer *t, const vt_slot *buffer, vta_insn *insn) {
    insn->u.mem.memory_type = (uint8_t)t->memory_type;
    insn->u.mem.sram_base = t->sram_index;
    insn->u.mem.dram_base = buffer->addr / command->config->elem_bytes[t->memory_type] + t->offset;
    insn->u.mem.y_size = (uint16_t)t->y_size;
    insn->u.mem.x_size = (uint16_t)t->x_size;
    insn->u.mem.x_stride = (uint16_t)t->x_stride;
    insn->u.mem.y_pad_0 = (uint8_t)t->y_pad_before;
    insn->u.mem.y_pad_1 = (uint8_t)t->y_pad_after;
    insn->u.mem.x_pad_0 = (uint8_t)t->x_pad_before;
    insn->u.mem.x_pad_1 = (uint8_t)t->x_pad_after;
}

static vta_status record(vt_command *command, vta_stage stage, vta_opcode opcode, const vt_transfer *t,
                         const vt_slot *buffer) {
    vta_insn what = {.opcode = (uint8_t)opcode};
    fill(command, t, buffer, &what);
    VT_TRY(vt_loaded_transfer(&command->loaded, command->config, &what, command->diag));
    VT_TRY(vt_command_room(command, 0, 0));
    vt_queue_forget_dropped(&command->queue);
    vta_insn *insn = vt_queue_next(&command->queue, stage);
    insn->opcode = (uint8_t)opcode;
    fill(command, t, buffer, insn);
    return VTA_OK;
}

vta_status vt_command_load(vt_command *command, const vt_transfer *t) {
    vta_stage stage;
    switch (t->memory_type) {
    case VTA_MEM_INP:
    case VTA_MEM_WGT: stage = VTA_STAGE_LOAD; break;
    case VTA_MEM_ACC:
    case VTA_MEM_ACC_8BIT: stage = VTA_STAGE_COMPUTE; break;
    case VTA_MEM_TABLE:
        if (!command->config->depth[VTA_MEM_TABLE])
            return vt_fail(command->diag, VTA_UNSUPPORTED,
                           "memory type 6 (table): the configuration has no tables; LOG_TABLE_BUFF_SIZE, 8 or more, "
                           "gives it some");
        stage = VTA_STAGE_COMPUTE;
        break;
    case VTA_MEM_UOP:
        return vt_fail(command->diag, VTA_ILLEGAL,
                       "memory type 0 (uop): the runtime itself loads micro-ops, for VTAPushGEMMOp and VTAPushALUOp");
    default:
        return vt_fail(command->diag, VTA_OUT_OF_RANGE,
                       "memory type %u cannot be loaded; 1 (wgt), 2 (inp), 3 (acc), 5 (acc, from 8 bits) and 6 "
                       "(table) can",
                       t->memory_type);
    }
    vt_slot *buffer;
    VT_TRY(check(command, t, &buffer));
    return record(command, stage, VTA_OP_LOAD, t, buffer);
}

vta_status vt_command_store(vt_command *command, const vt_transfer *t) {
    if (t->memory_type != VTA_MEM_OUT)
        return vt_fail(command->diag, VTA_OUT_OF_RANGE, "memory type %u cannot be stored; only 4 (out) can",
                       t->memory_type);
    vt_slot *buffer;
    VT_TRY(check(command, t, &buffer));
    return record(command, VTA_STAGE_STORE, VTA_OP_STORE, t, buffer);
}
