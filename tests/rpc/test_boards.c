/* A server on a board, here its register model: kernels, the FPGA, and sessions that want the board at once. */
#include "device/model_board.h"
#include "rpc/vadd.h"
#include "support/diag.h"
#include "support/fpga_manager.h"

typedef struct board {
    model_board model;
    fpga_manager manager;
    server there;
    char place[64]; /* the manager's folders, and bitstreams */
} board;

static vta_rpc *connect_to(const board *b) {
    vta_rpc *rpc;
    must(vta_rpc_connect("127.0.0.1", b->there.port, NULL, NULL, diag, &rpc));
    return rpc;
}

/* Its configuration and bitstreams are given as someone would who stands in their folder. */
static void start(board *b, const char *target, const char *tracker) {
    char settings[512], command[512];
    strcpy(b->place, "/tmp/vta-rpc-board-XXXXXX");
    assert_non_null(mkdtemp(b->place));
    fpga_manager_make(&b->manager, b->place);
    model_start(&b->model, target);
    snprintf(settings, sizeof settings, "%s fpga=%s firmware=%s", b->model.settings, b->manager.folder,
             b->manager.firmware);
    setenv("VTA_BOARD", settings, 1);
    snprintf(command, sizeof command, "cp %s/configs/%s.json %s/board.json", VT_SOURCE_DIR, target, b->place);
    assert_int_equal(system(command), 0);
    assert_int_equal(chdir(b->place), 0);
    server_start(&b->there, "--driver", target, "--config", "board.json", "--bitstreams", ".",
                 geteuid() ? "--quiet" : "--user=root", tracker ? "--tracker" : NULL, tracker, "--key", target, NULL);
    assert_int_equal(chdir(VT_SOURCE_DIR), 0);
}

static void stop(board *b) {
    char command[128];
    server_settles(&b->there);
    server_stop(&b->there);
    model_stop(&b->model);
    snprintf(command, sizeof command, "rm -r %s", b->place);
    assert_int_equal(system(command), 0);
}

static void every_board(void **state) {
    (void)state;
    static const char *const targets[] = {"pynq", "ultra96", "zcu104", "de10nano"};
    for (int i = 0; i < 4; i++) {
        board b;
        vadd v;
        char *text;
        start(&b, targets[i], NULL);
        vta_rpc *rpc = connect_to(&b);
        assert_string_equal(vta_rpc_driver(rpc), targets[i]);
        must(vadd_begin(rpc, diag, &v));
        vadd_check(rpc, diag, &v);
        must(vta_rpc_statistics(rpc, diag, &text));
        assert_non_null(strstr(text, "\"runs\": 1,"));
        vta_string_free(text);
        vta_rpc_close(rpc);
        stop(&b);
    }
}

/* A bitstream of the configuration, where the server looks for it. */
static void put_default(const board *b, const char *bits) {
    char path[512];
    vta_config *config;
    snprintf(path, sizeof path, "%s/board.json", b->place);
    must(vta_config_load(path, diag, &config));
    snprintf(path, sizeof path, "mkdir -p %s/%s/%s", b->place, vta_config_target(config),
             vta_config_hw_version(config));
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/%s/%s/%s.bin", b->place, vta_config_target(config), vta_config_hw_version(config),
             vta_config_bitstream(config));
    vta_config_release(config);
    FILE *f = fopen(path, "w");
    fputs(bits, f);
    fclose(f);
}

/* And memory that it does not have. */
static void programming(void **state) {
    (void)state;
    board b;
    start(&b, "pynq", NULL);
    vta_rpc *rpc = connect_to(&b);
    refused(vta_rpc_program(rpc, NULL, diag), VTA_NOT_FOUND, "--bitstreams of the server");
    refused(vta_rpc_program(rpc, "none.bin", diag), VTA_NOT_FOUND, "none.bin");
    refused(vta_rpc_program(rpc, "../none.bin", diag), VTA_INVALID_ARGUMENT, "../none.bin");
    must(vta_rpc_upload(rpc, "mine.bin", "sent", 4, diag));
    fpga_manager_begin(&b.manager);
    must(vta_rpc_program(rpc, "mine.bin", diag));
    fpga_manager_end(&b.manager);
    assert_string_equal(b.manager.name, "vta-mine.bin");
    assert_string_equal(b.manager.bits, "sent");
    put_default(&b, "the server's");
    fpga_manager_begin(&b.manager);
    must(vta_rpc_program(rpc, NULL, diag));
    fpga_manager_end(&b.manager);
    assert_string_equal(b.manager.bits, "the server's");
    uint64_t array;
    const int64_t shape[] = {16 << 20};
    refused(vta_rpc_array(rpc, kDLExtDev, 1, shape, (DLDataType){kDLInt, 8, 1}, diag, &array), VTA_NO_MEMORY,
            "16777216 bytes of contiguous memory were asked for; the model has 4194304 of 4194304 bytes left");
    assert_int_equal(server_count(b.manager.firmware), 0);
    vta_rpc_close(rpc);
    stop(&b);
}

/* The accelerator has one user: others are told, and have it after. */
static void two_users(void **state) {
    (void)state;
    board b;
    vadd first, second;
    start(&b, "ultra96", NULL);
    vta_rpc *a = connect_to(&b), *c = connect_to(&b);
    must(vadd_begin(a, diag, &first));
    refused(vadd_begin(c, diag, &second), VTA_IO, "in use");
    must(vta_rpc_upload(c, "x.bin", "x", 1, diag));
    refused(vta_rpc_program(c, "x.bin", diag), VTA_IO, "in use");
    vadd_check(a, diag, &first); /* undisturbed */
    vta_rpc_close(a);
    vta_status status = VTA_IO;
    for (int i = 0; i < 1000 && status != VTA_OK; i++) { /* until the first session's process is gone */
        vta_diag_clear(diag);
        status = vadd_begin(c, diag, &second);
        usleep(10000);
    }
    must(status);
    vadd_check(c, diag, &second);
    vta_rpc_close(c);
    stop(&b);
}

/* Two accelerators of one machine: a server for each, and a tracker that hands them out. */
static void two_boards(void **state) {
    (void)state;
    enum { BOARDS = 2 };
    board b[BOARDS];
    server track;
    char place[64];
    vta_rpc *rpc[BOARDS], *late;
    vadd v[BOARDS];
    server_start_on(&track, "rpc-tracker", "0", NULL);
    snprintf(place, sizeof place, "127.0.0.1:%u", track.port);
    const vta_rpc_options o = {.tracker = place, .key = "pynq", .wait_ms = 10000}, now = {.tracker = place};
    for (int i = 0; i < BOARDS; i++) start(&b[i], "pynq", place);
    for (int i = 0; i < BOARDS; i++) {
        vta_status status = VTA_NOT_FOUND; /* until the servers have registered */
        for (int n = 0; n < 1000 && status == VTA_NOT_FOUND; n++, usleep(10000)) {
            vta_diag_clear(diag);
            status = vta_rpc_connect(NULL, 0, &o, NULL, diag, &rpc[i]);
        }
        must(status);
        must(vadd_begin(rpc[i], diag, &v[i]));
    }
    for (int i = 0; i < BOARDS; i++) vadd_check(rpc[i], diag, &v[i]);
    refused(vta_rpc_connect(NULL, 0, &now, NULL, diag, &late), VTA_TIMEOUT, "are taken");
    for (int i = 0; i < BOARDS; i++) vta_rpc_close(rpc[i]);
    for (int i = 0; i < BOARDS; i++) stop(&b[i]);
    server_stop(&track);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_board), cmocka_unit_test(programming),
                                       cmocka_unit_test(two_users), cmocka_unit_test(two_boards)};
    return cmocka_run_group_tests(tests, diag_begin, diag_end);
}
