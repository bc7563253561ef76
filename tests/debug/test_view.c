/* What an instruction touches, counted one by one, and for loops that nobody could count; what a debugger refuses. */
#include <pthread.h>
#include <stdatomic.h>

#include "device/small_program.h"
#include "support/check.h"
#include "vta/debug.h"

enum { UOPS = 4 };

typedef struct fixture {
    vta_config *config;
    vta_device *device;
    vta_diag *diag;
    vta_timing_profile timing;
    vta_uop uops[UOPS];
} fixture;

static void must(fixture *f, vta_status status) {
    if (status != VTA_OK) fail_msg("%s", vta_diag_text(f->diag));
}

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

static void start(fixture *f) {
    uint32_t r = 11;
    *f = (fixture){.config = vta_config_default(), .diag = vta_diag_create(NULL)};
    must(f, vta_timing_profile_get(NULL, f->diag, &f->timing));
    must(f, vta_device_create("sim", f->config, NULL, NULL, f->diag, &f->device));
    sp_map(f->device);
    for (int i = 0; i < UOPS; i++) {
        uint32_t word;
        f->uops[i] = (vta_uop){next_random(&r) % 200, next_random(&r) % 200, next_random(&r) % 200};
        must(f, vta_uop_encode(f->config, f->uops[i], f->diag, &word));
        must(f, vta_device_write(f->device, SP_UOPS + 4 * (uint32_t)i, &word, 4, f->diag));
    }
}

static void stop(fixture *f) {
    vta_device_destroy(f->device);
    vta_diag_destroy(f->diag);
    vta_config_release(f->config);
}

/* A debugger that stands where the micro-ops are loaded, before `insn` as instruction 1. */
static vta_debugger *stand_before(fixture *f, const vta_insn *insn) {
    vta_debugger *d;
    vta_insn insns[] = {sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, UOPS), *insn, sp_finish()};
    sp_write(f->device, insns, 3);
    must(f, vta_debugger_create(f->device, SP_INSNS, 3, &f->timing, f->diag, &d));
    must(f, vta_debugger_seek(d, 1, f->diag));
    return d;
}

static vta_insn random_loops(uint32_t *r) {
    vta_insn insn = sp_gemm(0, UOPS, (uint16_t)(next_random(r) % 20), (uint16_t)(next_random(r) % 20));
    uint32_t *const factors[] = {&insn.u.exec.dst_factor_out, &insn.u.exec.dst_factor_in,  &insn.u.exec.src_factor_out,
                                 &insn.u.exec.src_factor_in,  &insn.u.exec.wgt_factor_out, &insn.u.exec.wgt_factor_in};
    insn.u.exec.uop_bgn = next_random(r) % 2;
    insn.opcode = next_random(r) % 2 ? VTA_OP_GEMM : VTA_OP_ALU;
    for (int i = 0; i < (insn.opcode == VTA_OP_GEMM ? 6 : 4); i++) *factors[i] = next_random(r) % 12;
    if (insn.opcode == VTA_OP_GEMM)
        insn.u.exec.reset_reg = next_random(r) % 4 == 0;
    else
        insn.u.exec.use_imm = next_random(r) % 2;
    return insn;
}

/* Loop by loop. */
static bool counted(const fixture *f, const vta_insn *insn, vta_memory memory, uint32_t element) {
    bool gemm = insn->opcode == VTA_OP_GEMM, found = false;
    bool src = gemm ? memory == VTA_MEM_INP && !insn->u.exec.reset_reg : memory == VTA_MEM_ACC && !insn->u.exec.use_imm;
    bool wgt = gemm && memory == VTA_MEM_WGT && !insn->u.exec.reset_reg;
    for (uint32_t y = 0; y < insn->u.exec.iter_out; y++)
        for (uint32_t x = 0; x < insn->u.exec.iter_in; x++)
            for (uint32_t u = insn->u.exec.uop_bgn; u < insn->u.exec.uop_end; u++) {
                const vta_uop *op = &f->uops[u];
                uint32_t d = op->dst + y * insn->u.exec.dst_factor_out + x * insn->u.exec.dst_factor_in;
                uint32_t s = op->src + y * insn->u.exec.src_factor_out + x * insn->u.exec.src_factor_in;
                uint32_t w = op->wgt + y * insn->u.exec.wgt_factor_out + x * insn->u.exec.wgt_factor_in;
                found =
                    found || (memory == VTA_MEM_ACC && d == element) || (src && s == element) || (wgt && w == element);
            }
    return found;
}

TEST_CASE(touches_what_its_loops_touch) {
    static const vta_memory memories[] = {VTA_MEM_INP, VTA_MEM_WGT, VTA_MEM_ACC};
    fixture f;
    uint32_t r = 1, hits = 0;
    start(&f);
    for (int round = 0; round < 60; round++) {
        vta_insn insn = random_loops(&r);
        vta_debugger *d = stand_before(&f, &insn);
        for (int m = 0; m < 3; m++)
            for (uint32_t e = 0; e < 600; e += 1 + next_random(&r) % 3) {
                bool want = counted(&f, &insn, memories[m], e);
                assert_int_equal(vta_debugger_touches(d, 1, memories[m], e), want);
                hits += want;
            }
        vta_debugger_destroy(d);
    }
    assert_true(hits > 1000);
    stop(&f);
}

/* 16383 x 16383 x 8191 executions, with steps that leave out every other element. */
TEST_CASE(loops_without_end) {
    fixture f;
    start(&f);
    vta_insn insn = sp_gemm(UOPS, 8191, 16383, 16383);
    insn.u.exec.src_factor_out = insn.u.exec.src_factor_in = 2;
    vta_debugger *d = stand_before(&f, &insn);
    for (uint32_t e = 0; e < 2048; e += 97) {
        assert_int_equal(vta_debugger_touches(d, 1, VTA_MEM_INP, e), e % 2 == 0);
        assert_int_equal(vta_debugger_touches(d, 1, VTA_MEM_ACC, e), e == 0);
    }
    vta_debugger_destroy(d);
    stop(&f);
}

/* Bytes of a default element in DRAM (docs/spec.md): an 8-bit ACC load brings a byte for each of 16 lanes. */
static const struct {
    vta_memory memory;
    bool store;
    uint32_t bytes;
} transfers[] = {{VTA_MEM_UOP, false, 4},  {VTA_MEM_INP, false, 16},      {VTA_MEM_WGT, false, 256},
                 {VTA_MEM_ACC, false, 64}, {VTA_MEM_ACC_8BIT, false, 16}, {VTA_MEM_OUT, true, 16}};

/* Element by element. Padding is no place in DRAM. */
static bool moved(const vta_insn *insn, uint32_t bytes, uint32_t addr) {
    for (uint32_t y = 0; y < insn->u.mem.y_size; y++)
        for (uint32_t x = 0; x < insn->u.mem.x_size; x++)
            if (insn->u.mem.dram_base + y * insn->u.mem.x_stride + x == addr / bytes) return true;
    return false;
}

/* A GEMM reads its micro-ops, and moves nothing wherever a transfer of its bits would. */
TEST_CASE(touches_its_micro_ops) {
    fixture f;
    start(&f);
    vta_insn insn = sp_gemm(1, 3, 2, 2);
    vta_debugger *d = stand_before(&f, &insn);
    for (uint32_t u = 0; u < UOPS; u++) assert_int_equal(vta_debugger_touches(d, 1, VTA_MEM_UOP, u), u == 1 || u == 2);
    for (uint32_t addr = 0; addr < 1024; addr++) assert_false(vta_debugger_touches_dram(d, 1, addr));
    for (uint32_t i = 1; i < 4; i++) /* without a debugger, FINISH, and none */
        assert_false(vta_debugger_touches(i == 1 ? NULL : d, i, VTA_MEM_ACC, 0));
    vta_debugger_destroy(d);
    stop(&f);
}

/* Three rows of two elements with three between them, padded on chip. */
TEST_CASE(touches_the_bytes_that_it_moves) {
    fixture f;
    start(&f);
    for (size_t i = 0; i < sizeof transfers / sizeof *transfers; i++) {
        uint32_t bytes = transfers[i].bytes, base = SP_DATA / bytes, hits = 0;
        vta_insn insn = sp_load(transfers[i].memory, 0, base, 3, 2);
        insn.u.mem.x_stride = 5;
        if (transfers[i].store)
            insn.opcode = VTA_OP_STORE;
        else if (transfers[i].memory != VTA_MEM_UOP)
            insn.u.mem.x_pad_0 = insn.u.mem.x_pad_1 = insn.u.mem.y_pad_0 = insn.u.mem.y_pad_1 = 1;
        vta_debugger *d = stand_before(&f, &insn);
        for (uint32_t addr = SP_DATA - 2 * bytes; addr < SP_DATA + 14 * bytes; addr++) {
            bool want = moved(&insn, bytes, addr);
            if (vta_debugger_touches_dram(d, 1, addr) != want) fail_msg("transfer %zu: 0x%x: not %d", i, addr, want);
            hits += want;
        }
        assert_int_equal(hits, 3 * 2 * bytes);
        assert_false(vta_debugger_touches_dram(d, 2, SP_DATA)); /* FINISH */
        assert_false(vta_debugger_touches_dram(NULL, 1, SP_DATA));
        vta_debugger_destroy(d);
    }
    stop(&f);
}

/* As vta_device_run refuses them; there is no debugger then, whatever stood there before. */
TEST_CASE(what_no_device_would_run) {
    static const char address[] = "instruction address 0x00010008 is not a multiple of 16",
                      count[] = "a run takes 1 to", missing[] = "vta_debugger_create: needs a device and a profile";
    fixture f;
    start(&f);
    vta_device *const device = f.device;
    const vta_timing_profile *const timing = &f.timing;
    const struct {
        vta_device *device;
        uint32_t insn_addr, count;
        const vta_timing_profile *timing;
        const char *says;
    } rows[] = {
        {device, SP_INSNS + 8, 1, timing, address},
        {device, SP_INSNS, 0, timing, count},
        {device, SP_INSNS, VTA_MAX_TRANSFER / 16 + 1, timing, count},
        {NULL, SP_INSNS, 1, timing, missing},
        {device, SP_INSNS, 1, NULL, missing},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vta_debugger *d = (vta_debugger *)&f;
        assert_int_equal(
            vta_debugger_create(rows[i].device, rows[i].insn_addr, rows[i].count, rows[i].timing, f.diag, &d),
            VTA_INVALID_ARGUMENT);
        assert_contains(vta_diag_text(f.diag), rows[i].says);
        assert_null(d);
        vta_diag_clear(f.diag);
    }
    assert_int_equal(vta_debugger_create(device, SP_INSNS, 1, timing, f.diag, NULL), VTA_INVALID_ARGUMENT);
    assert_contains(vta_diag_text(f.diag), "out_debugger is NULL");
    stop(&f);
}

typedef struct interrupter {
    vta_debugger *debugger;
    uint32_t patience; /* turns of a loop until the flag is raised first */
    atomic_bool begun, done;
} interrupter;

/* A seek lowers the flag when it begins, so it is raised until one has ended. */
static void *interrupt_later(void *arg) {
    interrupter *i = arg;
    while (!atomic_load(&i->begun)) {
    }
    for (uint32_t n = 0; n < i->patience; n++) (void)atomic_load(&i->begun);
    while (!atomic_load(&i->done)) vta_debugger_interrupt(i->debugger);
    return NULL;
}

/* Is it the middle of an instruction? */
static bool interrupted_seek(fixture *f, vta_debugger *d, uint32_t patience) {
    interrupter i = {.debugger = d, .patience = patience};
    pthread_t thread;
    vta_diag_clear(f->diag);
    if (pthread_create(&thread, NULL, interrupt_later, &i)) fail();
    atomic_store(&i.begun, true);
    assert_int_equal(vta_debugger_seek(d, vta_debugger_length(d), f->diag), VTA_INTERRUPTED);
    atomic_store(&i.done, true);
    pthread_join(thread, NULL);
    return strstr(vta_diag_text(f->diag), "interrupted in instruction") != NULL;
}

static void look(fixture *f, vta_debugger *d, int32_t acc[UOPS * 16]) {
    must(f, vta_debugger_peek(d, VTA_MEM_ACC, 0, UOPS, acc, UOPS * 16 * sizeof *acc, f->diag));
}

/* Two small instructions, then ten that would take minutes together, each adding to the accumulators that are looked
 * at: what an interrupted one did is taken back. The interrupt comes later and later until it hits one. */
TEST_CASE(a_seek_is_interrupted) {
    enum { LONG = 10, COUNT = LONG + 3 };
    fixture f;
    start(&f);
    for (uint32_t i = 0; i < UOPS; i++) {
        uint32_t word;
        must(&f, vta_uop_encode(f.config, (vta_uop){.dst = i, .src = i}, f.diag, &word));
        must(&f, vta_device_write(f.device, SP_UOPS + 4 * i, &word, 4, f.diag));
    }
    vta_insn insns[COUNT] = {sp_load(VTA_MEM_UOP, 0, SP_UOPS / 4, 1, UOPS), sp_alu(VTA_ALU_ADD, 7, UOPS)};
    for (int i = 0; i < LONG; i++) {
        vta_insn *insn = &insns[2 + i];
        *insn = sp_alu(VTA_ALU_ADD, 1, 16383);
        insn->u.exec.iter_out = 16383;
        insn->u.exec.uop_end = UOPS;
        insn->u.exec.dst_factor_in = insn->u.exec.src_factor_in = 0;
    }
    insns[COUNT - 1] = sp_finish();
    sp_write(f.device, insns, COUNT);
    vta_debugger *d;
    must(&f, vta_debugger_create(f.device, SP_INSNS, COUNT, &f.timing, f.diag, &d));
    int32_t before[UOPS * 16], after[UOPS * 16];
    vta_debugger_interrupt(d); /* nothing is going on */
    must(&f, vta_debugger_seek(d, 2, f.diag));
    look(&f, d, before);
    assert_int_equal(before[0], 7);
    for (uint32_t patience = 0, within = 0; within < 3; patience = 2 * patience + 1000) {
        within += interrupted_seek(&f, d, patience);
        assert_true(vta_debugger_position(d) <= 2);
        must(&f, vta_debugger_seek(d, 2, f.diag));
        look(&f, d, after);
        assert_memory_equal(before, after, sizeof before);
        if (patience > UINT32_MAX / 4) fail_msg("no seek was interrupted within an instruction");
    }
    vta_debugger_interrupt(NULL);
    vta_debugger_destroy(d);
    stop(&f);
}

int main(void) { return run_cases(); }
