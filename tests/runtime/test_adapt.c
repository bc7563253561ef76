/* Streams for boards whose designs do otherwise (device/portability.def): random micro-kernels, recorded for each
 * TARGET, give what they give on the simulator for `sim`; on the simulator, whose checker finds nothing, and on the
 * model of the board, which loses what the board loses. Recorded for `sim` and run on that model, what the checker
 * warns of is wrong often enough to be seen. */
#include "device/model_board.h"
#include "runtime/runtime_priv.h"
#include "support/check.h"
#include "support/diag.h"
#include "vta/isa.h"
#include "vta/program.h"
#include "vta/runtime.h"

enum { LANES = 16, ELEMENTS = 64, OPERANDS = 32, KERNELS = 3, UOPS = 4, MAX_LOOP = 6 };

/* ---- A random program --------------------------------------------------------------------------------------- */

typedef struct kernel {
    bool gemm;
    vta_alu_opcode opcode;
    bool use_imm;
    int imm;
    uint32_t loops, extent[2], dst[2], src[2], wgt[2], uops, uop[UOPS][3];
} kernel;

typedef struct program {
    kernel kernels[KERNELS];
    int8_t inp[OPERANDS * LANES], wgt[OPERANDS * LANES * LANES];
    int32_t acc[ELEMENTS * LANES];
} program;

static uint32_t draw(unsigned *seed, uint32_t most) { return (uint32_t)rand_r(seed) % (most + 1); }

/* Indices stay in their buffers: 3 + 2 x 5 x 4 < ELEMENTS, and half of that for operands. */
static kernel draw_kernel(unsigned *seed) {
    static const vta_alu_opcode opcodes[] = {VTA_ALU_ADD, VTA_ALU_MAX, VTA_ALU_MIN, VTA_ALU_SHR, VTA_ALU_MUL};
    kernel k = {.gemm = draw(seed, 1), .loops = draw(seed, 2), .uops = 1 + draw(seed, UOPS - 1)};
    k.use_imm = draw(seed, 1);
    k.opcode = opcodes[draw(seed, draw(seed, 9) ? 3 : 4)];
    if (k.opcode == VTA_ALU_SHR) k.use_imm = true; /* a tensor may be negative */
    k.imm = (int)draw(seed, 7);
    for (uint32_t i = 0; i < k.loops; i++) {
        k.extent[i] = draw(seed, 12) ? 1 + draw(seed, MAX_LOOP - 1) : 0;
        k.dst[i] = draw(seed, 3), k.src[i] = draw(seed, k.gemm ? 2 : 3), k.wgt[i] = draw(seed, 2);
    }
    for (uint32_t u = 0; u < k.uops; u++) {
        k.uop[u][0] = draw(seed, 11);
        k.uop[u][1] = draw(seed, k.gemm ? 11 : 31);
        k.uop[u][2] = k.gemm ? draw(seed, 11) : 0;
    }
    return k;
}

static void draw_program(program *p, unsigned seed) {
    for (int i = 0; i < KERNELS; i++) p->kernels[i] = draw_kernel(&seed);
    for (size_t i = 0; i < sizeof p->inp; i++) p->inp[i] = (int8_t)rand_r(&seed);
    for (size_t i = 0; i < sizeof p->wgt; i++) p->wgt[i] = (int8_t)rand_r(&seed);
    for (size_t i = 0; i < ELEMENTS * LANES; i++) p->acc[i] = (int32_t)(int16_t)rand_r(&seed);
}

static const kernel *recorded;

static int record(void *signature) {
    const kernel *k = recorded;
    (void)signature;
    for (uint32_t i = 0; i < k->loops; i++) VTAUopLoopBegin(k->extent[i], k->dst[i], k->src[i], k->wgt[i]);
    for (uint32_t u = 0; u < k->uops; u++)
        VTAUopPush(!k->gemm, 0, k->uop[u][0], k->uop[u][1], k->uop[u][2], k->opcode, k->use_imm,
                   k->use_imm ? k->imm : 0);
    for (uint32_t i = 0; i < k->loops; i++) VTAUopLoopEnd();
    return 0;
}

/* ---- Running it --------------------------------------------------------------------------------------------- */

typedef struct outcome {
    bool refused;
    char why[512];
    int8_t out[ELEMENTS * LANES];
} outcome;

static void *filled(VTACommandHandle cmd, const void *from, size_t bytes) {
    void *buffer = VTABufferAlloc(bytes);
    VTABufferCopy(from, 0, buffer, 0, bytes, 1);
    assert_null(vta_last_error(cmd));
    return buffer;
}

/* Accumulators are loaded, changed by all kernels and by an addition of 1 to each, and stored. */
static int add_one(void *signature) {
    (void)signature;
    VTAUopLoopBegin(ELEMENTS, 1, 1, 0);
    VTAUopPush(1, 0, 0, 0, 0, VTA_ALU_ADD, 1, 1);
    VTAUopLoopEnd();
    return 0;
}

static void issue(VTACommandHandle cmd, const program *p, void *const buffers[4]) {
    VTALoadBuffer2D(cmd, buffers[2], 0, ELEMENTS, 1, ELEMENTS, 0, 0, 0, 0, 0, VTA_MEM_ACC);
    VTALoadBuffer2D(cmd, buffers[0], 0, OPERANDS, 1, OPERANDS, 0, 0, 0, 0, 0, VTA_MEM_INP);
    VTALoadBuffer2D(cmd, buffers[1], 0, OPERANDS, 1, OPERANDS, 0, 0, 0, 0, 0, VTA_MEM_WGT);
    VTADepPush(cmd, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
    VTADepPop(cmd, VTA_STAGE_LOAD, VTA_STAGE_COMPUTE);
    for (int i = 0; i < KERNELS; i++) {
        void *site = NULL;
        recorded = &p->kernels[i];
        (recorded->gemm ? VTAPushGEMMOp : VTAPushALUOp)(&site, record, NULL, 0);
    }
    void *site = NULL;
    VTAPushALUOp(&site, add_one, NULL, 0);
    VTADepPush(cmd, VTA_STAGE_COMPUTE, VTA_STAGE_STORE);
    VTADepPop(cmd, VTA_STAGE_COMPUTE, VTA_STAGE_STORE);
    VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, buffers[3], 0, ELEMENTS, 1, ELEMENTS);
    VTASynchronize(cmd, 0);
}

static void run_on(vta_runtime *runtime, const program *p, outcome *o) {
    vta_runtime_use(runtime);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *const buffers[4] = {filled(cmd, p->inp, sizeof p->inp), filled(cmd, p->wgt, sizeof p->wgt),
                              filled(cmd, p->acc, sizeof p->acc), VTABufferAlloc(sizeof o->out)};
    issue(cmd, p, buffers);
    const char *error = vta_last_error(cmd);
    *o = (outcome){.refused = error != NULL};
    snprintf(o->why, sizeof o->why, "%s", error ? error : "");
    vta_clear_error(cmd);
    VTABufferCopy(buffers[3], 0, o->out, 0, sizeof o->out, 2);
    for (int i = 0; i < 4; i++) VTABufferFree(buffers[i]);
    vta_runtime_use(NULL);
}

static vta_runtime *make(const char *target, const char *driver, const vta_device_options *options) {
    vta_config *base = vta_config_default(), *config;
    vta_runtime *runtime;
    char change[64];
    snprintf(change, sizeof change, "TARGET=%s", target);
    must(vta_config_with(base, change, diag, &config));
    vta_config_release(base);
    const vta_runtime_options o = {.device = options};
    must(vta_runtime_create(config, driver, &o, NULL, diag, &runtime));
    vta_config_release(config);
    return runtime;
}

/* ---- The tests ---------------------------------------------------------------------------------------------- */

enum { PROGRAMS = 400 };

static bool has_mul(const program *p) {
    for (int i = 0; i < KERNELS; i++)
        if (!p->kernels[i].gemm && p->kernels[i].opcode == VTA_ALU_MUL) return true;
    return false;
}

/* What the checker says of it on the board's TARGET when it is recorded without a thought of that. */
TEST_CASE(recorded_for_the_target) {
    static const char *const targets[] = {"pynq", "de10nano"};
    for (int t = 0; t < 2; t++) {
        model_board m;
        int refusals = 0, ran = 0;
        model_start(&m, targets[t]);
        vta_runtime *plain = make("sim", "sim", &(vta_device_options){0});
        vta_runtime *checked = make(targets[t], "sim", &(vta_device_options){.check = true});
        vta_runtime *board = make(targets[t], targets[t], &(vta_device_options){.board = m.settings});
        for (unsigned seed = 0; seed < PROGRAMS; seed++) {
            program p;
            outcome want, on_sim, on_board;
            draw_program(&p, seed);
            run_on(plain, &p, &want);
            if (want.refused) continue; /* what no target takes */
            run_on(checked, &p, &on_sim);
            if (on_sim.refused) {
                if (!has_mul(&p) || !strstr(on_sim.why, "MUL exists in simulators only"))
                    fail_msg("%s, program %u: %s", targets[t], seed, on_sim.why);
                refusals++;
                continue;
            }
            if (has_mul(&p)) fail_msg("%s, program %u: MUL is not refused", targets[t], seed);
            run_on(board, &p, &on_board);
            if (on_board.refused) fail_msg("%s, program %u on the model: %s", targets[t], seed, on_board.why);
            if (memcmp(want.out, on_sim.out, sizeof want.out)) fail_msg("%s, program %u on sim", targets[t], seed);
            if (memcmp(want.out, on_board.out, sizeof want.out))
                fail_msg("%s, program %u on the model of the board", targets[t], seed);
            ran++;
        }
        vta_runtime_destroy(plain);
        vta_runtime_destroy(checked);
        vta_runtime_destroy(board);
        model_stop(&m);
        if (ran < PROGRAMS / 4 || !refusals) fail_msg("%s: %d ran, %d were refused", targets[t], ran, refusals);
    }
}

/* A runtime on a board records streams for the board, whatever the TARGET was: here it forgets that. */
static void record_for_sim(vta_runtime *runtime) {
    vta_config *sim;
    must(vta_config_with(runtime->config, "TARGET=sim", diag, &sim));
    vta_config_release(runtime->config);
    runtime->config = sim;
}

/* Streams of `sim` on the boards' models: right where the checker has no warning for that design, and where it has one,
 * sometimes wrong. */
TEST_CASE(recorded_for_another) {
    static const struct {
        const char *target, *design;
    } boards[] = {{"pynq", "HLS"}, {"de10nano", "Chisel"}};
    for (int t = 0; t < 2; t++) {
        model_board m;
        int warned = 0, wrong = 0;
        model_start(&m, boards[t].target);
        vta_runtime *plain = make("sim", "sim", &(vta_device_options){.check = true});
        vta_runtime *board = make("sim", boards[t].target, &(vta_device_options){.board = m.settings});
        assert_string_equal(vta_config_target(vta_runtime_config(board)), boards[t].target);
        record_for_sim(board);
        for (unsigned seed = 0; seed < PROGRAMS; seed++) {
            program p;
            outcome want, got;
            draw_program(&p, seed);
            if (has_mul(&p)) continue; /* it would hang */
            run_on(plain, &p, &want);
            char *found = vta_runtime_findings_to_json(plain);
            bool told = strstr(found, boards[t].design) != NULL;
            vta_string_free(found);
            vta_runtime_clear_counters(plain);
            if (want.refused) continue;
            run_on(board, &p, &got);
            bool is_wrong = memcmp(want.out, got.out, sizeof want.out) != 0;
            if (is_wrong && !told) fail_msg("%s: program %u is wrong, and nothing warned", boards[t].target, seed);
            warned += told;
            wrong += is_wrong;
        }
        vta_runtime_destroy(plain);
        vta_runtime_destroy(board);
        model_stop(&m);
        if (wrong < 20) fail_msg("%s: %d of %d were wrong", boards[t].target, wrong, warned);
    }
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
