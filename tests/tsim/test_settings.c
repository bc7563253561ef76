/* Timing profiles as data, and what the model refuses. */
#include "support/check.h"
#include "tsim/programs.h"

TEST_CASE(by_name_and_target) {
    vta_timing_profile p;
    for (size_t i = 0; vta_timing_profile_name(i); i++) {
        assert_int_equal(vta_timing_profile_get(vta_timing_profile_name(i), NULL, &p), VTA_OK);
        assert_string_equal(p.name, vta_timing_profile_name(i));
        assert_true(strlen(vta_timing_profile_text(i)) > 10);
#define VTA_TIMING_SETTING(field, least, most, meaning) assert_in_range(p.field, least, most);
#include "vta/timing.def"
    }
    vta_config *base = vta_config_default(), *board;
    assert_int_equal(vta_timing_profile_for(base, NULL, &p), VTA_OK);
    assert_string_equal(p.name, "chisel");
    assert_int_equal(vta_config_with(base, "TARGET=pynq", NULL, &board), VTA_OK);
    assert_int_equal(vta_timing_profile_for(board, NULL, &p), VTA_OK);
    assert_string_equal(p.name, "hls");
    vta_config_release(board);
    assert_int_equal(vta_config_with(base, "TARGET=zcu104", NULL, &board), VTA_OK);
    assert_int_equal(vta_timing_profile_for(board, NULL, &p), VTA_OK);
    assert_int_equal(p.bus_bits, 128);
    assert_int_equal(p.frequency_khz, 333000);
    vta_config_release(board);
    vta_config_release(base);
}

/* A board's file carries its timing, and it survives changes and being written. */
TEST_CASE(in_a_board_file) {
    static const char text[] = "{\"TARGET\": \"zcu104\", \"TIMING\": {\"delay\": 30, \"bus_bits\": 256}}";
    vta_config *board, *changed, *again;
    vta_timing_profile p;
    assert_int_equal(vta_config_parse(text, strlen(text), "board.json", NULL, &board), VTA_OK);
    assert_int_equal(vta_config_with(board, "LOG_BLOCK=5", NULL, &changed), VTA_OK);
    char *json = vta_config_to_json(changed);
    assert_int_equal(vta_config_parse(json, strlen(json), "again.json", NULL, &again), VTA_OK);
    assert_int_equal(vta_timing_profile_for(again, NULL, &p), VTA_OK);
    assert_string_equal(p.name, "zcu104");
    assert_int_equal(p.bus_bits, 256);
    assert_int_equal(p.delay, 30);
    assert_int_equal(p.len_bits, 8);
    vta_string_free(json);
    vta_config_release(again);
    vta_config_release(changed);
    vta_config_release(board);
    static const char *const bad[][2] = {{"{\"TIMING\": 3}", "TIMING: must be an object"},
                                         {"{\"TIMING\": {\"delay\": \"x\"}}", "TIMING: delay: must be a whole number"},
                                         {"{\"TIMING\": {\"profile\": 1}}", "TIMING: profile: must be the name"},
                                         {"{\"TIMING\": {\"a b\": 1}}", "TIMING: a b: is not the name of a setting"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        assert_int_equal(vta_config_parse(bad[i][0], strlen(bad[i][0]), "t", diag, &board), VTA_CONFIG);
        assert_contains(vta_diag_text(diag), bad[i][1]);
        vta_diag_destroy(diag);
    }
    static const char unknown[] = "{\"TIMING\": {\"profile\": \"hls\", \"speed\": 1}}";
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_config_parse(unknown, strlen(unknown), "t", diag, &board), VTA_OK);
    assert_int_equal(vta_timing_profile_for(board, diag, &p), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "t: TIMING: a timing profile has no setting \"speed\"");
    vta_config_release(board);
    /* No key of a configuration stands in here, so one in capitals is a mistake too. */
    static const char capital[] = "{\"TIMING\": {\"Delay\": 1}}";
    assert_int_equal(vta_config_parse(capital, strlen(capital), "t", diag, &board), VTA_OK);
    assert_int_equal(vta_timing_profile_for(board, diag, &p), VTA_NOT_FOUND);
    assert_contains(vta_diag_text(diag), "has no setting \"Delay\"");
    assert_string_equal(vta_config_timing(board), "{\"Delay\": 1}");
    vta_config_release(board);
    char many[2048] = "{\"TIMING\": {\"delay\": 1";
    for (int i = 0; i < 80; i++) snprintf(many + strlen(many), sizeof many - strlen(many), ", \"delay_%d\": 1", i);
    strcat(many, "}}");
    assert_int_equal(vta_config_parse(many, strlen(many), "t", diag, &board), VTA_CONFIG);
    assert_contains(vta_diag_text(diag), "too many settings: there is no room for them");
    vta_diag_destroy(diag);
}

TEST_CASE(json_round_trip) {
    vta_timing_profile p, q;
    static const char text[] =
        "{\"profile\": \"hls\", \"bus_bits\": 256, \"delay\": 40, \"LOG_BATCH\": 0, \"TARGET\": \"pynq\"}";
    assert_int_equal(vta_timing_profile_parse(text, strlen(text), "board.json", NULL, &p), VTA_OK);
    assert_int_equal(p.bus_bits, 256);
    assert_int_equal(p.delay, 40);
    assert_int_equal(p.len_bits, 8);
    char *json = vta_timing_profile_to_json(&p);
    assert_int_equal(vta_timing_profile_parse(json, strlen(json), "round", NULL, &q), VTA_OK);
    assert_memory_equal(&p, &q, sizeof p);
    vta_string_free(json);
}

TEST_CASE(refused) {
    static const struct {
        const char *json;
        vta_status status;
        const char *message;
    } rows[] = {
        {"{\"profile\": \"fpga\"}", VTA_NOT_FOUND, "no timing profile \"fpga\""},
        {"{\"profile\": 3}", VTA_PARSE, "\"profile\" is the name"},
        {"{\"speed\": 3}", VTA_NOT_FOUND, "has no setting \"speed\""},
        {"{\"bus_bits\": 16}", VTA_OUT_OF_RANGE, "bus_bits = 16 is out of range: it is from 32 to 2048"},
        {"{\"bus_bits\": 80}", VTA_OUT_OF_RANGE, "bus_bits = 80 is not a power of two"},
        {"{\"delay\": -1}", VTA_OUT_OF_RANGE, "delay = -1 is out of range"},
        {"{\"delay\": \"long\"}", VTA_PARSE, "\"delay\" is a whole number"},
        {"[1]", VTA_PARSE, "is a JSON object"},
        {"{\"delay\": 1", VTA_PARSE, "t.json:1:"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vta_diag *diag = vta_diag_create(NULL);
        vta_timing_profile p;
        assert_int_equal(vta_timing_profile_parse(rows[i].json, strlen(rows[i].json), "t.json", diag, &p),
                         rows[i].status);
        assert_contains(vta_diag_text(diag), rows[i].message);
        vta_diag_destroy(diag);
    }
    vta_timing_profile p, before;
    vta_timing_profile_get(NULL, NULL, &p);
    before = p;
    static const char *const changes[] = {"delay", "delay=", "delay=x", "=3", "delay=1 bus_bits=3"};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        assert_int_not_equal(vta_timing_profile_set(&p, changes[i], NULL), VTA_OK);
        assert_memory_equal(&p, &before, sizeof p);
    }
}

TEST_CASE(fetch_batches) {
    static const struct {
        const char *name, *changes;
        uint32_t instructions;
    } rows[] = {{"chisel", "", 8},
                {"hls", "", 128},
                {"ultra96", "", 256},
                {"chisel", "bus_bits=512", 16},
                {"chisel", "len_bits=0", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        vta_timing_profile p;
        assert_int_equal(vta_timing_profile_get(rows[i].name, NULL, &p), VTA_OK);
        assert_int_equal(vta_timing_profile_set(&p, rows[i].changes, NULL), VTA_OK);
        assert_int_equal(vta_timing_fetch_batch(&p), rows[i].instructions);
    }
    assert_int_equal(vta_timing_fetch_batch(NULL), 0);
}

TEST_CASE(deadlocks_are_named) {
    vta_config *config = vta_config_default();
    vta_timing_profile profile;
    vta_timing timing;
    vta_timing_profile_get(NULL, NULL, &profile);
    program p = {0};
    add_load(&p, VTA_MEM_INP, 64, 1, 1, 1);
    add_exec(&p, VTA_OP_GEMM, 1, 1, 1)->pop_prev_dep = 1;
    add(&p, VTA_OP_FINISH);
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, diag, &timing, NULL),
                     VTA_DEADLOCK);
    assert_contains(vta_diag_text(diag), "instruction 1 (GEMM) waits forever for a load->compute token");
    vta_diag_clear(diag);
    p.count = 1;
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, diag, &timing, NULL),
                     VTA_DEADLOCK);
    assert_contains(vta_diag_text(diag), "ends without FINISH");
    vta_diag_clear(diag);
    p.insns[0].u.mem.y_size = p.insns[0].u.mem.x_size = UINT16_MAX;
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, diag, &timing, NULL),
                     VTA_OUT_OF_RANGE);
    assert_contains(vta_diag_text(diag),
                    "instruction 0: 4294836225 elements from on-chip element 0 on, and the inp buffer holds 2048");
    p.insns[0].u.mem.memory_type = 7;
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, diag, &timing, NULL),
                     VTA_ILLEGAL);
    vta_diag_clear(diag);
    p.insns[0].opcode = VTA_OP_STORE;
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, diag, &timing, NULL),
                     VTA_ILLEGAL);
    assert_contains(vta_diag_text(diag), "instruction 0: there is no memory_type 7");
    assert_int_equal(vta_timing_run(config, &profile, NULL, 1, 0, 0, NULL, diag, &timing, NULL), VTA_INVALID_ARGUMENT);
    vta_diag_destroy(diag);
    vta_config_release(config);
    free(p.insns);
}

/* 300 tokens pushed before one is taken: the Chisel counter loses 45, the HLS queue holds them. */
TEST_CASE(full_token_queues) {
    vta_config *config = vta_config_default();
    vta_timing timing;
    program p = {0};
    for (int i = 0; i < 300; i++) add_load(&p, VTA_MEM_INP, 0, 0, 0, 0)->push_next_dep = 1;
    for (int i = 0; i < 255; i++) {
        vta_insn *insn = add_exec(&p, VTA_OP_GEMM, 1, 127, 127);
        insn->pop_prev_dep = 1;
    }
    add(&p, VTA_OP_FINISH);
    vta_timing_profile profile;
    vta_timing_profile_get("chisel", NULL, &profile);
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, NULL, &timing, NULL), VTA_OK);
    assert_in_range(timing.lost_tokens, 40, 45);
    vta_timing_profile_get("hls", NULL, &profile);
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, NULL, &timing, NULL), VTA_OK);
    assert_int_equal(timing.lost_tokens, 0);
    profile.token_limit = 4;
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, NULL, &timing, NULL), VTA_OK);
    assert_int_equal(timing.lost_tokens, 0);
    assert_true(timing.state[VTA_UNIT_LOAD][VTA_STATE_WAIT_FULL] > 1000000);
    p.count = 4; /* and nobody takes one */
    for (int i = 0; i < 3; i++) *add(&p, VTA_OP_LOAD) = p.insns[0];
    vta_diag *diag = vta_diag_create(NULL);
    assert_int_equal(vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, NULL, diag, &timing, NULL),
                     VTA_DEADLOCK);
    assert_contains(vta_diag_text(diag), "instruction 4 (LOAD inp) waits forever for room for a load->compute token");
    vta_diag_destroy(diag);
    vta_config_release(config);
    free(p.insns);
}

TEST_CASE(out_of_memory) {
    vta_config *config = vta_config_default();
    vta_timing_profile profile;
    vta_timing timing;
    vta_timing_profile_get(NULL, NULL, &profile);
    program p = alu_program(8, 1, 1, 1);
    for (size_t n = 0;; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vta_status status =
            vta_timing_run(config, &profile, p.insns, p.count, 4096, 0, &a.allocator, NULL, &timing, NULL);
        assert_int_equal(a.live, 0);
        if (!a.failed) {
            assert_int_equal(status, VTA_OK);
            assert_true(n > 4);
            break;
        }
        assert_int_equal(status, VTA_NO_MEMORY);
    }
    vta_config_release(config);
    free(p.insns);
}

int main(void) { return run_cases(); }
