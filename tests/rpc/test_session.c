/* A client and a server in another process: everything that the interface offers, and what it refuses. */
#include <netinet/tcp.h>

#include "rpc/raw.h"
#include "rpc/vadd.h"

#include "rpc/one_server.h"

static vta_rpc *connect_here(void) {
    vta_rpc *rpc;
    must(vta_rpc_connect("127.0.0.1", here.port, NULL, NULL, diag, &rpc));
    return rpc;
}

static uint64_t load(vta_rpc *rpc) {
    size_t size;
    uint64_t module;
    const char *object = kernels_object(&size);
    must(vta_rpc_upload(rpc, "kernels.o", object, size, diag));
    must(vta_rpc_load_module(rpc, "kernels.o", diag, &module, NULL));
    return module;
}

static uint64_t function(vta_rpc *rpc, uint64_t module, const char *name) {
    uint64_t f;
    must(vta_rpc_function(rpc, module, name, diag, &f, NULL));
    return f;
}

TEST_CASE(greeting) {
    vta_rpc *rpc = connect_here();
    assert_string_equal(vta_rpc_library(rpc), vta_version());
    assert_string_not_equal(vta_rpc_machine(rpc), "");
    must(vta_rpc_ping(rpc, diag));
    vta_rpc_close(rpc);
    vta_rpc_close(NULL);
}

TEST_CASE(files) {
    enum { LARGE = 9 << 20 };
    vta_rpc *rpc = connect_here();
    char *large = malloc(LARGE), *back;
    size_t size;
    for (int i = 0; i < LARGE; i++) large[i] = (char)(i * 7 + i / 4096);
    must(vta_rpc_upload(rpc, "large", large, LARGE, diag));
    must(vta_rpc_download(rpc, "large", diag, &back, &size));
    assert_int_equal(size, LARGE);
    assert_memory_equal(back, large, LARGE);
    vta_string_free(back);
    must(vta_rpc_upload(rpc, "large", "small now", 9, diag));
    must(vta_rpc_download(rpc, "large", diag, &back, &size));
    assert_int_equal(size, 9);
    assert_string_equal(back, "small now");
    vta_string_free(back);
    must(vta_rpc_upload(rpc, "empty", NULL, 0, diag));
    must(vta_rpc_download(rpc, "empty", diag, &back, &size));
    assert_int_equal(size, 0);
    vta_string_free(back);
    must(vta_rpc_remove(rpc, "large", diag));
    refused(vta_rpc_download(rpc, "large", diag, &back, &size), VTA_NOT_FOUND, "large");
    refused(vta_rpc_remove(rpc, "large", diag), VTA_NOT_FOUND, "large");
    static const char *const bad[] = {"", ".", "..", "../x", "/etc/passwd", "a/b", ".hidden", "line\nbreak"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(vta_rpc_upload(rpc, bad[i], "x", 1, diag), VTA_INVALID_ARGUMENT, "is not a valid file name");
    free(large);
    vta_rpc_close(rpc);
}

/* A link in the session's folder, made by its own code, leads nowhere for the server: here, one that the test makes. */
TEST_CASE(links_are_not_followed) {
    char path[1024], folder[512], *back;
    size_t size;
    vta_rpc *rpc = connect_here();
    must(vta_rpc_upload(rpc, "real", "x", 1, diag));
    snprintf(folder, sizeof folder, "%s", server_sessions_folder(&here));
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/link", folder, e->d_name);
        assert_int_equal(symlink("/etc/passwd", path), 0);
    }
    closedir(dir);
    refused(vta_rpc_download(rpc, "link", diag, &back, &size), VTA_IO, "link");
    must(vta_rpc_upload(rpc, "link", "mine", 4, diag)); /* in the link's place, not through it */
    must(vta_rpc_download(rpc, "link", diag, &back, &size));
    assert_string_equal(back, "mine");
    vta_string_free(back);
    vta_rpc_close(rpc);
}

TEST_CASE(calls) {
    vta_rpc *rpc = connect_here();
    uint64_t module = load(rpc), sum = function(rpc, module, "sum"), f;
    TVMValue args[3] = {{.v_int64 = 40}, {.v_int64 = -3}, {.v_str = "hello"}}, value;
    int codes[3] = {VTA_ARG_INT, VTA_ARG_INT, VTA_ARG_STRING}, code;
    must(vta_rpc_call(rpc, sum, args, codes, 3, diag, &value, &code));
    assert_int_equal(code, VTA_ARG_INT);
    assert_int_equal(value.v_int64, 42);
    args[1].v_float64 = 0.5;
    codes[1] = VTA_ARG_FLOAT;
    codes[2] = VTA_ARG_NULL;
    must(vta_rpc_call(rpc, sum, args, codes, 3, diag, &value, &code));
    assert_int_equal(code, VTA_ARG_FLOAT);
    assert_true(value.v_float64 == 40.5);
    must(vta_rpc_call(rpc, function(rpc, module, "filled_in"), NULL, NULL, 0, diag, &value, &code));
    assert_int_equal(value.v_int64, 1);
    refused(vta_rpc_call(rpc, function(rpc, module, "refuse"), NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL,
            "refuse: never");
    refused(vta_rpc_function(rpc, module, "nothing", diag, &f, NULL), VTA_NOT_FOUND, "it has: ");
    refused(vta_rpc_call(rpc, module, NULL, NULL, 0, diag, NULL, NULL), VTA_NOT_FOUND, "is a module");
    refused(vta_rpc_call(rpc, 999, NULL, NULL, 0, diag, NULL, NULL), VTA_NOT_FOUND, "nothing that this session has");
    codes[0] = VTA_ARG_HANDLE;
    refused(vta_rpc_call(rpc, sum, args, codes, 3, diag, NULL, NULL), VTA_UNSUPPORTED, "type code 3");
    must(vta_rpc_free(rpc, module, diag)); /* and its functions */
    refused(vta_rpc_call(rpc, sum, args, codes, 0, diag, NULL, NULL), VTA_NOT_FOUND, "nothing that this session has");
    refused(vta_rpc_free(rpc, module, diag), VTA_NOT_FOUND, "nothing that this session has");
    refused(vta_rpc_load_module(rpc, "other.o", diag, &module, NULL), VTA_NOT_FOUND, "other.o");
    must(vta_rpc_upload(rpc, "text.o", "no object", 9, diag));
    refused(vta_rpc_load_module(rpc, "text.o", diag, &module, NULL), VTA_PARSE, "ELF");
    vta_rpc_close(rpc);
}

TEST_CASE(arrays) {
    vta_rpc *rpc = connect_here();
    enum { COUNT = 3 << 20 }; /* 12 MiB: several frames */
    float *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y);
    int64_t shape[] = {3, COUNT / 3}, other[] = {COUNT};
    DLDataType f32 = {kDLFloat, 32, 1};
    uint64_t module = load(rpc), a, b, c;
    for (int i = 0; i < COUNT; i++) x[i] = (float)i / 3;
    must(vta_rpc_array(rpc, kDLCPU, 2, shape, f32, diag, &a));
    must(vta_rpc_array(rpc, kDLCPU, 2, shape, f32, diag, &b));
    must(vta_rpc_array(rpc, kDLExtDev, 1, other, f32, diag, &c));
    must(vta_rpc_write(rpc, a, 0, x, COUNT * sizeof *x, diag));
    TVMValue args[2] = {{.v_int64 = (int64_t)a}, {.v_int64 = (int64_t)b}};
    int codes[2] = {VTA_ARG_TENSOR, VTA_ARG_TENSOR};
    must(vta_rpc_call(rpc, function(rpc, module, "twice"), args, codes, 2, diag, NULL, NULL));
    must(vta_rpc_read(rpc, b, 0, y, COUNT * sizeof *y, diag));
    for (int i = 0; i < COUNT; i++) assert_true(y[i] == 2 * x[i]);
    must(vta_rpc_copy(rpc, a, b, diag));
    must(vta_rpc_read(rpc, b, 4 * 1000, y, 400, diag));
    assert_memory_equal(y, x + 1000, 400);
    must(vta_rpc_write(rpc, c, 4 * 77, x, 4000, diag)); /* on the accelerator */
    must(vta_rpc_read(rpc, c, 4 * 77 + 400, y, 3600, diag));
    assert_memory_equal(y, x + 100, 3600);
    refused(vta_rpc_copy(rpc, a, c, diag), VTA_MISMATCH, "");
    refused(vta_rpc_write(rpc, a, COUNT * 4 - 3, x, 4, diag), VTA_OUT_OF_RANGE, "of an array of");
    refused(vta_rpc_read(rpc, a, UINT64_MAX - 1, y, 4, diag), VTA_OUT_OF_RANGE, "of an array of");
    other[0] = -1;
    refused(vta_rpc_array(rpc, kDLCPU, 1, other, f32, diag, &c), VTA_OUT_OF_RANGE, "");
    other[0] = (int64_t)1 << 50;
    if (!SERVER_SANITIZED)
        refused(vta_rpc_array(rpc, kDLCPU, 1, other, f32, diag, &c), VTA_NO_MEMORY, "this session may have");
    refused(vta_rpc_array(rpc, 5, 2, shape, f32, diag, &c), VTA_UNSUPPORTED, "device type 5");
    must(vta_rpc_free(rpc, a, diag));
    refused(vta_rpc_read(rpc, a, 0, y, 4, diag), VTA_NOT_FOUND, "nothing that this session has");
    free(x);
    free(y);
    vta_rpc_close(rpc);
}

/* A kernel of the accelerator: values and statistics as they are here, without a server. */
TEST_CASE(the_accelerator) {
    vta_rpc *rpc = connect_here();
    vadd v;
    must(vadd_begin(rpc, diag, &v));
    must(vta_rpc_clear_statistics(rpc, diag));
    vadd_check(rpc, diag, &v);
    char *text;
    must(vta_rpc_statistics(rpc, diag, &text));
    assert_non_null(strstr(text, "\"acc_load_nbytes\": 8192,"));
    assert_non_null(strstr(text, "\"alu_counter\": 64,"));
    assert_non_null(strstr(text, "\"runs\": 1,"));
    vta_string_free(text);
    double seconds[5] = {0};
    must(vta_rpc_clear_statistics(rpc, diag));
    must(vta_rpc_time(rpc, v.function, v.args, v.codes, 3, 4, 5, 0, diag, seconds));
    for (int i = 0; i < 5; i++) assert_true(seconds[i] > 0);
    must(vta_rpc_statistics(rpc, diag, &text));
    assert_non_null(strstr(text, "\"runs\": 21,"));
    vta_string_free(text);
    must(vta_rpc_time(rpc, v.function, v.args, v.codes, 3, 1, 1, 30, diag, seconds)); /* as many as last 30 ms */
    must(vta_rpc_statistics(rpc, diag, &text));
    assert_true(strtod(strstr(text, "\"runs\": ") + 8, NULL) >= 0.030 / seconds[0]);
    vta_string_free(text);
    refused(vta_rpc_time(rpc, v.function, v.args, v.codes, 3, 0, 1, 0, diag, seconds), VTA_OUT_OF_RANGE, "number 0");
    vta_rpc_close(rpc);
}

TEST_CASE(configurations) {
    vta_rpc *rpc = connect_here();
    uint64_t array;
    int64_t shape[] = {64};
    char byte;
    must(vta_rpc_array(rpc, kDLExtDev, 1, shape, (DLDataType){kDLInt, 8, 1}, diag, &array));
    must(vta_rpc_configure(rpc, "{\"TARGET\": \"tsim\", \"LOG_BATCH\": 1, \"LOG_ACC_BUFF_SIZE\": 18}", diag));
    refused(vta_rpc_read(rpc, array, 0, &byte, 1, diag), VTA_INVALID_ARGUMENT, ""); /* it was the old runtime's */
    refused(vta_rpc_configure(rpc, "{\"LOG_BATCH\": 99}", diag), VTA_CONFIG, "LOG_BATCH");
    refused(vta_rpc_configure(rpc, "{", diag), VTA_PARSE, "the client's configuration");
    refused(vta_rpc_configure(rpc, "{\"TARGET\": \"pynq\"}", diag), VTA_UNSUPPORTED,
            "the client's configuration is for TARGET pynq, and this server is for sim, which only its owner changes");
    must(vta_rpc_program(rpc, NULL, diag)); /* a simulator has no FPGA */
    vta_rpc_close(rpc);
}

/* Where the server begins, and not readable for whom its sessions run as. */
TEST_CASE(the_servers_configuration) {
    server other;
    vta_rpc *rpc;
    vadd v;
    char place[] = "/tmp/vta-rpc-config-XXXXXX", command[256], *text;
    assert_non_null(mkdtemp(place));
    snprintf(command, sizeof command, "install -m 600 %s/configs/tsim.json %s/mine.json", VT_SOURCE_DIR, place);
    assert_int_equal(system(command), 0);
    assert_int_equal(chdir(place), 0);
    server_start(&other, "--config", "mine.json", NULL);
    assert_int_equal(chdir(VT_SOURCE_DIR), 0);
    must(vta_rpc_connect("127.0.0.1", other.port, NULL, NULL, diag, &rpc));
    must(vadd_begin(rpc, diag, &v));
    vadd_check(rpc, diag, &v);
    must(vta_rpc_statistics(rpc, diag, &text));
    assert_non_null(strstr(text, "\"cycles\": 1"));
    vta_string_free(text);
    vta_rpc_close(rpc);
    server_settles(&other);
    server_stop(&other);
    snprintf(command, sizeof command, "rm -r %s", place);
    assert_int_equal(system(command), 0);
    vta_rpc_server_options o = {.session_program = VT_BINARY_DIR "/vta-session", .config = "no/such.json"};
    refused(vta_rpc_serve(&o, diag), VTA_NOT_FOUND, "--config no/such.json");
    o.config = NULL;
    o.bitstreams = "no/such/folder";
    refused(vta_rpc_serve(&o, diag), VTA_NOT_FOUND, "--bitstreams no/such/folder");
}

TEST_CASE(sessions_are_listed) {
    char *text;
    vta_rpc *a = connect_here(), *b = connect_here();
    must(vta_rpc_sessions(b, diag, &text));
    int count = 0, of_vta = 0;
    unsigned ports[2] = {0};
    for (const char *at = text; count < 2 && (at = strstr(at, "\"pid\"")); at++, count++) {
        double seconds = -1;
        const char *client = strstr(at, "\"client\""), *protocol = strstr(at, "\"protocol\""),
                   *since = strstr(at, "\"seconds\"");
        if (!client || sscanf(client, "\"client\": \"127.0.0.1:%u\",", &ports[count]) != 1) fail_msg("%s", text);
        if (!protocol) fail_msg("%s", text);
        of_vta += !strncmp(protocol, "\"protocol\": \"vta\"", 17); /* the other's is known a little later */
        if (!since || sscanf(since, "\"seconds\": %lf", &seconds) != 1 || seconds < 0 || seconds > 60)
            fail_msg("%s", text);
    }
    assert_int_equal(count, 2);
    assert_true(of_vta > 0 && ports[0] && ports[1] && ports[0] != ports[1]);
    vta_string_free(text);
    refused(vta_rpc_shutdown(a, diag), VTA_UNSUPPORTED, "--allow-shutdown");
    vta_rpc_close(a);
    vta_rpc_close(b);
}

/* Connections of this port in the kernel's list: all, and those whose other end is probed. */
static void count_probed(uint32_t port, int *all, int *probed) {
    char line[512];
    FILE *f = fopen("/proc/net/tcp", "r");
    assert_non_null(f);
    *all = *probed = 0;
    while (fgets(line, sizeof line, f)) {
        unsigned from, to, state, timer;
        int n = sscanf(line, "%*d: %*x:%x %*x:%x %x %*x:%*x %x:", &from, &to, &state, &timer);
        if (n != 4 || (from != port && to != port) || state != 1) continue;
        ++*all;
        *probed += timer == 2;
    }
    fclose(f);
}

/* Machines that vanish without a word are noticed by both sides, within a minute: so long the first probe and all that
 * are not answered take. */
TEST_CASE(vanished_machines) {
    int all = 0, probed = 0, idle, interval, probes;
    socklen_t size = sizeof idle;
    vta_rpc *rpc = connect_here();
    must(vta_rpc_ping(rpc, diag));
    int fd = raw_socket_to(here.port);
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, &size), 0);
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, &size), 0);
    assert_int_equal(getsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, &size), 0);
    assert_in_range(idle + interval * probes, 1, 60); /* the server's side sets its own with the same function */
    for (int i = 0; i < 6000 && (i == 0 || probed != all); i++, usleep(10000)) count_probed(here.port, &all, &probed);
    assert_in_range(all, 2, INT32_MAX);
    assert_int_equal(probed, all); /* not yet while something is on its way */
    vta_rpc_close(rpc);
}

/* What answers is a server of another kind. */
TEST_CASE(another_server) {
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(listener, 1), 0);
    getsockname(listener, (struct sockaddr *)&at, &size);
    pid_t pid = fork();
    if (pid == 0) {
        char asked[64];
        int fd = accept(listener, NULL, NULL);
        bool good = recv(fd, asked, sizeof asked, 0) > 0 && raw_send(fd, answer, sizeof answer - 1);
        shutdown(fd, SHUT_WR);
        while (recv(fd, asked, sizeof asked, 0) > 0) {
        }
        _exit(!good);
    }
    vta_rpc *rpc;
    refused(vta_rpc_connect("127.0.0.1", ntohs(at.sin_port), NULL, NULL, diag, &rpc), VTA_PARSE,
            "is it a vta rpc-server that answers at 127.0.0.1:");
    int code;
    waitpid(pid, &code, 0);
    assert_int_equal(code, 0);
    close(listener);
}

/* What is wrong before anything was sent. */
TEST_CASE(bad_calls) {
    vta_rpc *rpc = NULL;
    assert_int_equal(vta_rpc_connect("127.0.0.1", 0, NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    refused(vta_rpc_connect("no such host.invalid", 1, NULL, NULL, diag, &rpc), VTA_NOT_FOUND, "no such host");
    assert_null(rpc);
    refused(vta_rpc_connect("127.0.0.1", 1, NULL, NULL, diag, &rpc), VTA_IO, "does `vta rpc-server` run there?");
    rpc = connect_here();
    assert_int_equal(vta_rpc_upload(rpc, NULL, "", 0, diag), VTA_INVALID_ARGUMENT);
    assert_int_equal(vta_rpc_ping(NULL, diag), VTA_INVALID_ARGUMENT);
    vta_diag_clear(diag);
    must(vta_rpc_ping(rpc, diag));
    vta_rpc_close(rpc);
    char host[64] = "kept";
    uint32_t port = 7;
    static const struct {
        const char *place, *host;
        uint32_t port;
    } places[] = {{"a:1", "a", 1}, {":65535", "kept", 65535}, {"b", "b", 7}, {"[::1]:9", "::1", 9}, {"::1", "::1", 7}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        strcpy(host, "kept");
        port = 7;
        must(vta_rpc_place(places[i].place, sizeof host, host, &port, diag));
        assert_string_equal(host, places[i].host);
        assert_int_equal(port, places[i].port);
    }
    static const char *const wrong[] = {"a:", "a:0", "a:65536", "a:x", "a:1x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(vta_rpc_place(wrong[i], sizeof host, host, &port, diag), VTA_INVALID_ARGUMENT, "must be HOST:PORT");
    refused(vta_rpc_place("9091", sizeof host, host, &port, diag), VTA_INVALID_ARGUMENT,
            "a port of this machine is :9091");
}

TEST_CASE(a_client_may_end_a_server_that_allows_it) {
    server s;
    int code;
    vta_rpc *rpc;
    server_start(&s, "--allow-shutdown", NULL);
    must(vta_rpc_connect(NULL, s.port, NULL, NULL, diag, &rpc));
    must(vta_rpc_shutdown(rpc, diag));
    refused(vta_rpc_ping(rpc, diag), VTA_IO, "the session is over");
    vta_rpc_close(rpc);
    assert_int_equal(waitpid(s.pid, &code, 0), s.pid);
    assert_int_equal(code, 0);
    rmdir(s.folder);
    unlink(s.log);
}

int main(void) { return run_cases_between(begin, end); }
