/* The hardware itself, in one small configuration: random programs give the memory that the naive machine leaves, with
 * and without stalls of the memory; what cannot end is told with the instruction. */
#include "device/rtl/model.h"
#include "rtl/programs.h"

static const rtl_design small = {"1x4x4",
                                 "LOG_BLOCK_IN=2 LOG_BLOCK_OUT=2 LOG_UOP_BUFF_SIZE=8 LOG_INP_BUFF_SIZE=8 "
                                 "LOG_WGT_BUFF_SIZE=9 LOG_ACC_BUFF_SIZE=10",
                                 "queue_depth=16 len_bits=3", false};
static random_program program;

TEST_CASE(random_programs) { rtl_check_programs(&small, 1, 150, 0); }

TEST_CASE(random_programs_on_a_slow_memory) {
    rtl_check_programs(&small, 1000, 50, 30);
    rtl_check_programs(&small, 2000, 50, 80);
}

/* A device with a program in it. */
typedef struct fixture {
    vta_config *config;
    vta_device *device;
    vta_diag *diag;
} fixture;

static fixture open_with(uint64_t seed) {
    fixture f = {.config = rtl_config(&small), .diag = vta_diag_create(NULL)};
    f.device = rtl_device(&small, f.config, seed, 0);
    rp_make_for(&program, vta_config_retain(f.config), seed, 60, true);
    return f;
}

static void close_with(fixture *f) {
    rp_clear(&program);
    vta_device_destroy(f->device);
    vta_diag_destroy(f->diag);
    vta_config_release(f->config);
}

/* After an error the device runs a good program. */
static void check_goes_on(fixture *f, const vta_insn *changed, const vta_insn was) {
    program.insns[changed - program.insns] = was;
    vta_diag_clear(f->diag);
    assert_int_equal(rtl_run(f->device, &program, f->diag), VTA_OK);
    rtl_compare(f->device, &program, small.name, 0);
}

static void check_named(fixture *f, const vta_insn *insn) {
    char name[40];
    snprintf(name, sizeof name, "instruction %d (", (int)(insn - program.insns));
    if (!strstr(vta_diag_text(f->diag), name)) fail_msg("not %s in %s", name, vta_diag_text(f->diag));
    vta_diag_clear(f->diag);
}

TEST_CASE(a_deadlock_names_the_instruction) {
    int deadlocks = 0;
    for (uint64_t seed = 1; seed < 11; seed++) {
        fixture f = open_with(seed);
        vta_insn *insn = NULL;
        for (int i = 0; i < program.count && !insn; i++)
            if (program.insns[i].push_next_dep || program.insns[i].push_prev_dep) insn = &program.insns[i];
        assert_non_null(insn);
        vta_insn was = *insn;
        insn->push_next_dep = insn->push_prev_dep = 0;
        assert_int_equal(rtl_run(f.device, &program, f.diag), VTA_DEADLOCK);
        deadlocks += strstr(vta_diag_text(f.diag), "token that never comes") != NULL;
        check_goes_on(&f, insn, was);
        close_with(&f);
    }
    assert_int_equal(deadlocks, 10);
}

TEST_CASE(too_few_cycles) {
    fixture f = open_with(3);
    rtl_write(f.device, &program);
    assert_int_equal(vta_device_run(f.device, RP_BASE, (uint32_t)program.count, 100, f.diag), VTA_TIMEOUT);
    assert_non_null(strstr(vta_diag_text(f.diag), "within 100 cycles"));
    assert_non_null(strstr(vta_diag_text(f.diag), "compute: instruction"));
    assert_int_equal(vta_device_counters(f.device).cycles, 100);
    check_goes_on(&f, program.insns, program.insns[0]);
    close_with(&f);
}

TEST_CASE(memory_that_is_not_there) {
    fixture f = open_with(4);
    vta_insn *insn, was;
    for (insn = program.insns; insn->opcode != VTA_OP_STORE; insn++) continue;
    was = *insn;
    static const uint32_t bases[] = {0x10000000, 0xf0000000}; /* the second one is beyond 32 bits of byte address */
    for (int i = 0; i < 2; i++) {
        insn->u.mem.dram_base = bases[i];
        assert_int_equal(rtl_run(f.device, &program, f.diag), VTA_OUT_OF_RANGE);
        check_named(&f, insn);
        *insn = was;
    }
    insn = program.insns + 1; /* the first one loads micro-ops, this one weights */
    was = *insn;
    insn->u.mem.dram_base = 0x1000000;
    assert_int_equal(rtl_run(f.device, &program, f.diag), VTA_OUT_OF_RANGE);
    check_named(&f, insn);
    check_goes_on(&f, insn, was);
    close_with(&f);
}

/* The hardware has as many bits as an index needs: the driver refuses what would wrap. */
TEST_CASE(indices_that_wrap) {
    fixture f = open_with(6);
    for (int i = 0; i < program.count; i++) {
        vta_insn *insn = &program.insns[i], was = *insn;
        if (insn->opcode == VTA_OP_FINISH) continue;
        if (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE)
            insn->u.mem.sram_base += 64;
        else
            insn->u.exec.uop_bgn = 60, insn->u.exec.uop_end = 65, insn->u.exec.iter_out = insn->u.exec.iter_in = 1;
        bool nothing = (insn->opcode == VTA_OP_LOAD || insn->opcode == VTA_OP_STORE) && !insn->u.mem.x_size;
        assert_int_equal(rtl_run(f.device, &program, f.diag), nothing ? VTA_OK : VTA_OUT_OF_RANGE);
        if (!nothing) check_named(&f, insn);
        *insn = was;
    }
    check_goes_on(&f, program.insns, program.insns[0]);
    close_with(&f);
}

TEST_CASE(counters_are_those_of_sim) {
    for (uint64_t seed = 20; seed < 30; seed++) {
        fixture f = open_with(seed);
        assert_int_equal(rtl_run(f.device, &program, f.diag), VTA_OK);
        vta_device *sim;
        assert_int_equal(vta_device_create("sim", f.config, NULL, NULL, NULL, &sim), VTA_OK);
        assert_int_equal(vta_device_alloc_at(sim, RP_BASE, RP_BYTES, NULL), VTA_OK);
        assert_int_equal(rtl_run(sim, &program, f.diag), VTA_OK);
        vta_counters got = vta_device_counters(f.device), want = vta_device_counters(sim);
        assert_true(got.cycles > 0);
        got.cycles = 0;
        assert_memory_equal(&got, &want, sizeof got);
        vta_device_destroy(sim);
        close_with(&f);
    }
}

TEST_CASE(a_model_that_is_not_there) {
    rtl_design other = small;
    other.profile = "queue_depth=8";
    fixture f = open_with(5);
    vta_device *device = rtl_device(&other, f.config, 0, 0);
    assert_int_equal(rtl_run(device, &program, f.diag), VTA_NOT_FOUND);
    assert_non_null(strstr(vta_diag_text(f.diag), "vta hw build"));
    vta_device_destroy(device);
    close_with(&f);
}

/* ---- Registers -------------------------------------------------------------------------------------------------- */

/* Where each kind of access finds the program's memory, behind the addresses that the instructions say. What is stored
 * may be loaded again, so that data has one place. */
enum { FETCHED = 0x100000, UOPS = 0x200000, DATA = 0x300000 };
static const struct {
    uint32_t offset, value;
} bases[] = {{VT_REG_FETCH_BASE, FETCHED}, {VT_REG_UOP_BASE, UOPS}, {VT_REG_INP_BASE, DATA},
             {VT_REG_WGT_BASE, DATA},      {VT_REG_ACC_BASE, DATA}, {VT_REG_OUT_BASE, DATA}};
enum { BASES = sizeof bases / sizeof *bases };

static void open_bare(vt_rtl_model *m, const vta_config *config, vt_dram *dram) {
    vta_hardware_options options = rtl_options(&small);
    char *path;
    assert_int_equal(vta_hardware_find(config, &options, NULL, &path), VTA_OK);
    vt_dram_init(dram, NULL);
    assert_int_equal(vt_rtl_open(m, path, dram, 1, NULL), VTA_OK);
    m->axi.outstanding = 4;
    m->axi.delay = 9;
    vta_string_free(path);
}

/* A register keeps what its bits hold, by itself; what is no register reads 0. */
TEST_CASE(registers_read_back) {
    vta_config *config = rtl_config(&small);
    vt_rtl_model m;
    vt_dram dram;
    open_bare(&m, config, &dram);
    for (uint32_t i = 0; i < BASES; i++) vt_rtl_set(&m, bases[i].offset, (i + 1) * 0x1111000u + 0xabc);
    vt_rtl_set(&m, VT_REG_INSN_COUNT, 17);
    vt_rtl_set(&m, VT_REG_INSN_ADDR, 0xfeed0);
    for (uint32_t i = 0; i < BASES; i++) assert_int_equal(vt_rtl_get(&m, bases[i].offset), (i + 1) * 0x1111000u);
    assert_int_equal(vt_rtl_get(&m, VT_REG_INSN_COUNT), 17);
    assert_int_equal(vt_rtl_get(&m, VT_REG_INSN_ADDR), 0xfeed0);
    assert_int_equal(vt_rtl_get(&m, VT_REG_CONTROL), 0);
    assert_int_equal(vt_rtl_get(&m, VT_REG_STORE_DONE + 4), 0);
    vt_rtl_close(&m);
    vt_dram_clear(&dram);
    vta_config_release(config);
}

/* The program's memory at each of the places, with its instructions. */
static void put_program(vt_dram *dram, const random_program *p) {
    const uint32_t places[] = {FETCHED, UOPS, DATA};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(vt_dram_alloc_at(dram, RP_BASE + places[k], RP_BYTES, NULL), VTA_OK);
        vt_dram_write(dram, RP_BASE + places[k], p->before, RP_BYTES);
    }
    for (int i = 0; i < p->count; i++) {
        uint8_t bytes[VTA_INSN_BYTES];
        assert_int_equal(vta_insn_encode(p->config, &p->insns[i], NULL, bytes), VTA_OK);
        vt_dram_write(dram, RP_BASE + FETCHED + (uint32_t)i * VTA_INSN_BYTES, bytes, sizeof bytes);
    }
}

TEST_CASE(bases_are_added) {
    vta_config *config = rtl_config(&small);
    for (uint64_t seed = 1; seed < 9; seed++) {
        vt_rtl_model m;
        vt_dram dram;
        uint64_t bytes;
        rp_make_for(&program, vta_config_retain(config), seed, 60, true);
        open_bare(&m, config, &dram);
        put_program(&dram, &program);
        for (uint32_t i = 0; i < BASES; i++) vt_rtl_set(&m, bases[i].offset, bases[i].value);
        vt_rtl_set(&m, VT_REG_INSN_COUNT, (uint32_t)program.count);
        vt_rtl_set(&m, VT_REG_INSN_ADDR, RP_BASE);
        vt_rtl_set(&m, VT_REG_CONTROL, 1);
        for (int i = 0; i < RTL_MAX_CYCLES && !*m.axi.port.finished; i++) vt_rtl_cycle(&m);
        assert_int_equal(vt_rtl_get(&m, VT_REG_CONTROL), 2);
        assert_false(m.axi.fault.happened);
        assert_memory_equal(vt_dram_at(&dram, RP_OUT + DATA, &bytes), program.after + (RP_OUT - RP_BASE),
                            RP_END - RP_OUT);
        vt_rtl_close(&m);
        vt_dram_clear(&dram);
        rp_clear(&program);
    }
    vta_config_release(config);
}

int main(void) {
    rtl_use_cache();
    rtl_build(&small);
    return run_cases();
}
