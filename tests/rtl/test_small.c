/* What a small design has not is refused before the run, by the instruction's number and name; other designs take it.
 * There is no model here: what is not refused ends with the question for one. */
#include <unistd.h>

#include "rtl/programs.h"

#define CHANGES "LOG_BLOCK=2 LOG_UOP_BUFF_SIZE=8 LOG_INP_BUFF_SIZE=8 LOG_WGT_BUFF_SIZE=9 LOG_ACC_BUFF_SIZE=10"
#define PROFILE "bus_bits=32 len_bits=0 queue_depth=16"
static const rtl_design designs[] = {
    {.name = "small", .changes = CHANGES, .profile = PROFILE, .plain = true, .small = true},
    {.name = "whole", .changes = CHANGES, .profile = PROFILE, .plain = true},
};

static vta_insn load(vta_memory memory, uint32_t pads, uint32_t dram_base) {
    vta_insn insn = {.opcode = VTA_OP_LOAD};
    insn.u.mem.memory_type = memory;
    insn.u.mem.dram_base = dram_base;
    insn.u.mem.y_size = insn.u.mem.x_size = insn.u.mem.x_stride = 1;
    insn.u.mem.x_pad_0 = pads & 1, insn.u.mem.x_pad_1 = pads >> 1 & 1;
    insn.u.mem.y_pad_0 = pads >> 2 & 1, insn.u.mem.y_pad_1 = pads >> 3 & 1;
    return insn;
}

static vta_insn alu(vta_alu_opcode opcode) {
    vta_insn insn = {.opcode = VTA_OP_ALU};
    insn.u.exec.alu_opcode = opcode;
    insn.u.exec.use_imm = 1;
    insn.u.exec.uop_end = insn.u.exec.iter_out = insn.u.exec.iter_in = 1;
    return insn;
}

/* A no-op, the instruction, FINISH. */
static vta_status run(const rtl_design *d, const vta_insn *insn, vta_diag *diag) {
    const vta_insn stream[] = {load(VTA_MEM_UOP, 0, 0), *insn, {.opcode = VTA_OP_FINISH}};
    vta_config *config = rtl_config(d);
    vta_device *device = rtl_device(d, config, 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        assert_int_equal(vta_insn_encode(config, &stream[i], NULL, bytes), VTA_OK);
        assert_int_equal(vta_device_write(device, RP_BASE + i * VTA_INSN_BYTES, bytes, sizeof bytes, NULL), VTA_OK);
    }
    vta_diag_clear(diag);
    vta_status status = vta_device_run(device, RP_BASE, 3, RTL_MAX_CYCLES, diag);
    vta_device_destroy(device);
    vta_config_release(config);
    return status;
}

static void check(const vta_insn *insn, vta_status expected, const char *words) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = run(&designs[0], insn, diag);
    const char *said = vta_diag_text(diag);
    bool told = !words || (strstr(said, words) && strstr(said, "instruction 1 ("));
    if (status != expected || !told)
        fail_msg("%d, not %d with %s: %s", (int)status, (int)expected, words ? words : "no word", vta_diag_text(diag));
    status = run(&designs[1], insn, diag);
    if (status != VTA_NOT_FOUND) fail_msg("whole design: %d, %s", (int)status, vta_diag_text(diag));
    vta_diag_destroy(diag);
}

static void multiplication(void **state) {
    (void)state;
    for (int op = 0; op < VTA_ALU_COUNT; op++) {
        vta_insn insn = alu((vta_alu_opcode)op);
        if (op == VTA_ALU_MUL)
            check(&insn, VTA_UNSUPPORTED, "a small design has no MUL");
        else
            check(&insn, VTA_NOT_FOUND, NULL);
    }
}

static void loads(void **state) {
    (void)state;
    static const vta_memory memories[] = {VTA_MEM_UOP, VTA_MEM_WGT, VTA_MEM_INP, VTA_MEM_ACC};
    for (size_t m = 0; m < sizeof memories / sizeof *memories; m++)
        for (uint32_t pads = 0; pads < 16; pads++) {
            vta_insn insn = load(memories[m], pads, 0);
            if (pads && memories[m] != VTA_MEM_INP)
                check(&insn, VTA_UNSUPPORTED, "a small design has no padding of anything but inp");
            else
                check(&insn, VTA_NOT_FOUND, NULL);
        }
    vta_insn insn = load(VTA_MEM_ACC_8BIT, 0, 0);
    check(&insn, VTA_UNSUPPORTED, "a small design has no loads of 8-bit accumulators");
}

/* A wgt element of this machine has 16 bytes; addresses of the small design have 20 bits. */
static void addresses(void **state) {
    (void)state;
    vta_insn last = load(VTA_MEM_WGT, 0, (1u << 20) / 16 - 1), beyond = load(VTA_MEM_WGT, 0, (1u << 20) / 16);
    check(&last, VTA_NOT_FOUND, NULL);
    check(&beyond, VTA_OUT_OF_RANGE, "an address beyond the 20 bits of this design");
    beyond.opcode = VTA_OP_STORE;
    beyond.u.mem.memory_type = VTA_MEM_OUT;
    beyond.u.mem.dram_base = (1u << 20) / 4;
    check(&beyond, VTA_OUT_OF_RANGE, "an address beyond the 20 bits of this design");
}

int main(void) {
    char folder[] = "/tmp/vta_no_models_XXXXXX";
    if (!mkdtemp(folder)) return 1;
    setenv("VTA_HARDWARE_CACHE", folder, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(multiplication), cmocka_unit_test(loads),
                                       cmocka_unit_test(addresses)};
    int code = cmocka_run_group_tests_name("small", tests, NULL, NULL);
    rmdir(folder);
    return code;
}
