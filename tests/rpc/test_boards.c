/* A server on a board, here its register model: kernels, the FPGA, and sessions that want the board at once. */
#include "device/model_board.h"
#include "rpc/vadd.h"
#include "support/diag.h"
#include "support/fpga_manager.h"

typedef struct board {
    const char *target;
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
    b->target = target;
    strcpy(b->place, "/tmp/vta-rpc-board-XXXXXX");
    assert_non_null(mkdtemp(b->place));
    fpga_manager_make(&b->manager, b->place);
    model_start(&b->model, target);
    snprintf(settings, sizeof settings, "%s fpga=%s firmware=%s wait_seconds=0", b->model.settings, b->manager.folder,
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

TEST_CASE(every_board) {
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
TEST_CASE(programming) {
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

/* What board it is, no client changes: neither where --driver says so nor where the configuration does. */
TEST_CASE(targets) {
    static const struct {
        const char *server, *driver, *client;
        bool fits;
    } cases[] = {
        {"pynq", "pynq", "pynq", true}, {"pynq", "pynq", "de10nano", false}, {"pynq", NULL, "de10nano", false},
        {"pynq", NULL, "sim", false},   {"pynq", "pynq", "sim", true},       {"pynq", "sim", "de10nano", true},
        {"sim", NULL, "pynq", false},   {"sim", NULL, "tsim", true},         {"ultra96", "pynq", "ultra96", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        server s;
        vta_rpc *rpc;
        char config[256], text[128], words[128];
        snprintf(config, sizeof config, "%s/configs/%s.json", VT_SOURCE_DIR, cases[i].server);
        server_start(&s, "--config", config, cases[i].driver ? "--driver" : NULL, cases[i].driver, NULL);
        must(vta_rpc_connect(NULL, s.port, NULL, NULL, diag, &rpc));
        snprintf(text, sizeof text, "{\"TARGET\": \"%s\"}", cases[i].client);
        snprintf(words, sizeof words, "is for TARGET %s, and this server is for %s, which only its owner changes",
                 cases[i].client, cases[i].driver ? cases[i].driver : cases[i].server);
        vta_status status = vta_rpc_configure(rpc, text, diag);
        if (!cases[i].fits)
            refused(status, VTA_UNSUPPORTED, words);
        else if (status != VTA_OK && status != VTA_IO && status != VTA_NOT_FOUND) /* there may be no such board here */
            fail_msg("%zu: %s", i, vta_diag_text(diag));
        vta_diag_clear(diag);
        vta_rpc_close(rpc);
        server_settles(&s);
        server_stop(&s);
    }
}

/* The accelerator has one user: others are told, and have it after. */
TEST_CASE(two_users) {
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
    for (int i = 0; i < 6000 && status != VTA_OK; i++) { /* until the first session's process is gone */
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
TEST_CASE(two_boards) {
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
        for (int n = 0; n < 6000 && status == VTA_NOT_FOUND; n++, usleep(10000)) {
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

/* ---- Clients that go while the accelerator runs ---- */

/* A client in a process of its own, in the middle of a long run when this returns; 0: its lease ended before that. */
static pid_t lingering(const board *b, const vta_rpc_options *o) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        vta_rpc *rpc;
        vadd v;
        uint64_t module, linger;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        vta_status status = o ? vta_rpc_connect(NULL, 0, o, NULL, NULL, &rpc)
                              : vta_rpc_connect("127.0.0.1", b->there.port, NULL, NULL, NULL, &rpc);
        if (status == VTA_OK) status = vadd_begin(rpc, NULL, &v);
        if (status == VTA_OK) status = vta_rpc_load_module(rpc, "vadd.o", NULL, &module, NULL);
        if (status == VTA_OK) status = vta_rpc_function(rpc, module, "linger", NULL, &linger, NULL);
        if (status != VTA_OK || write(ready[1], "r", 1) != 1) _exit(1);
        vta_rpc_call(rpc, linger, v.args, v.codes, 3, NULL, NULL, NULL);
        _exit(0);
    }
    close(ready[1]);
    bool begins = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
    if (!begins && o && o->lease_seconds) return waitpid(pid, NULL, 0), 0; /* too slow for its lease */
    assert_true(begins);
    char path[128];
    snprintf(path, sizeof path, "%s/registers", b->model.folder);
    uint32_t control = 0; /* de10nano's launch bit, or the count of fetch, which is 0 between runs */
    size_t at = strcmp(b->target, "de10nano") ? 0x10 : 0;
    for (int i = 0; i < 60000 && !(control & ~2u); i++, usleep(500)) {
        int fd = open(path, O_RDONLY);
        assert_int_equal(pread(fd, &control, sizeof control, (off_t)at), sizeof control);
        close(fd);
        if (o && o->lease_seconds && waitpid(pid, NULL, WNOHANG) == pid) return 0; /* too slow for its lease */
    }
    assert_true(control & ~2u);
    return pid;
}

static void kill_client(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* The next session has right numbers, or is told to wait. */
TEST_CASE(clients_that_die) {
    static const char *const targets[] = {"pynq", "de10nano"};
    for (int i = 0; i < 2; i++) {
        board b;
        vadd v;
        start(&b, targets[i], NULL);
        kill_client(lingering(&b, NULL));
        vta_rpc *rpc = connect_to(&b);
        vta_status status = VTA_IO;
        for (int n = 0; n < 6000 && status != VTA_OK; n++, usleep(10000)) {
            vta_diag_clear(diag);
            status = vadd_begin(rpc, diag, &v);
            if (status != VTA_OK && status != VTA_IO && status != VTA_TIMEOUT) fail_msg("%s", vta_diag_text(diag));
        }
        must(status);
        vadd_check(rpc, diag, &v);
        vta_rpc_close(rpc);
        stop(&b);
    }
}

/* Whose lease ends while the accelerator runs, by death or by time: the next one is given the board when it is idle,
 * and is never refused. */
TEST_CASE(leases_that_end) {
    static const char *const targets[] = {"pynq", "de10nano"};
    server track;
    char place[64];
    server_start_on(&track, "rpc-tracker", "0", NULL);
    snprintf(place, sizeof place, "127.0.0.1:%u", track.port);
    for (int i = 0; i < 4; i++) {
        board b;
        vadd v;
        vta_rpc *rpc;
        const char *target = targets[i % 2];
        const vta_rpc_options o = {.tracker = place, .key = target, .wait_ms = 60000};
        vta_rpc_options brief = o;
        brief.lease_seconds = i < 2 ? 0 : 4;
        start(&b, target, place);
        vta_status status = VTA_NOT_FOUND; /* until the server has registered */
        for (int n = 0; n < 6000 && status == VTA_NOT_FOUND; n++, usleep(10000)) {
            vta_diag_clear(diag);
            status = vta_rpc_connect(NULL, 0, &o, NULL, diag, &rpc);
        }
        must(status);
        vta_rpc_close(rpc);
        pid_t pid = lingering(&b, &brief);
        for (int n = 0; n < 5 && !pid; n++) { /* the machine is slower than that */
            brief.lease_seconds *= 2;
            pid = lingering(&b, &brief);
        }
        assert_true(pid > 0);
        if (i < 2) kill_client(pid);
        must(vta_rpc_connect(NULL, 0, &o, NULL, diag, &rpc));
        must(vadd_begin(rpc, diag, &v));
        vadd_check(rpc, diag, &v);
        vta_rpc_close(rpc);
        if (i >= 2) kill_client(pid);
        stop(&b);
    }
    server_stop(&track);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
