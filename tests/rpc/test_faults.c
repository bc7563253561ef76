/* What goes wrong on the way: sessions that crash, hang, leave or eat too much, clients that vanish or talk nonsense,
 * servers that are killed. Whoever is left gets an error soon, nothing stays behind, and the next session works. */
#include <sys/file.h>
#include <sys/syscall.h>

#include "rpc/conversation.h"
#include "rpc/session.h"
#include "support/diag.h"

static vta_rpc *open_on(const server *s) {
    vta_rpc *rpc;
    must(vta_rpc_connect(NULL, s->port, &(vta_rpc_options){.timeout_ms = 60000, .answer_ms = 60000}, NULL, diag, &rpc));
    return rpc;
}

static uint64_t kernel(vta_rpc *rpc, const char *name) {
    size_t size;
    uint64_t module, f;
    const char *object = kernels_object(&size);
    must(vta_rpc_upload(rpc, "k.o", object, size, diag));
    must(vta_rpc_load_module(rpc, "k.o", diag, &module, NULL));
    must(vta_rpc_function(rpc, module, name, diag, &f, NULL));
    return f;
}

static void works(const server *s) {
    vta_rpc *rpc = open_on(s);
    TVMValue value, args[2] = {{.v_int64 = 2}, {.v_int64 = 3}};
    must(vta_rpc_call(rpc, kernel(rpc, "sum"), args, (int[]){0, 0}, 2, diag, &value, NULL));
    assert_int_equal(value.v_int64, 5);
    vta_rpc_close(rpc);
}

/* Calls that end their session: each client is told why. */
TEST_CASE(sessions_that_end) {
    server s, patient, *of; /* one that waits long: the others' calls may be slow on a busy machine */
    server_start(&s, "--call-seconds", "5", NULL);
    server_start(&patient, "--call-seconds", "240", SERVER_SANITIZED ? NULL : "--memory", "256", NULL);
    static const struct {
        const char *kernel, *words;
        vta_status status;
    } cases[] = {{"crash", "ended by signal 11", VTA_ILLEGAL},
                 {"hang", "longer than 5 seconds", VTA_TIMEOUT},
                 {"leave", "with code 7", VTA_ILLEGAL},
                 {"eat", "ended by signal 6", VTA_ILLEGAL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (SERVER_SANITIZED && i != 1) continue; /* sanitizers end processes in their own way, and need the memory */
        of = i == 1 ? &s : &patient;
        vta_rpc *rpc = open_on(of), *neighbour = open_on(of);
        refused(vta_rpc_call(rpc, kernel(rpc, cases[i].kernel), NULL, NULL, 0, diag, NULL, NULL), cases[i].status,
                cases[i].words);
        refused(vta_rpc_ping(rpc, diag), VTA_IO, "the session is over");
        must(vta_rpc_ping(neighbour, diag));
        vta_rpc_close(rpc);
        vta_rpc_close(neighbour);
        assert_non_null(strstr(server_log(of), cases[i].words));
    }
    vta_rpc *rpc = open_on(&patient); /* what a session has started goes with it */
    must(vta_rpc_call(rpc, kernel(rpc, "spawn"), NULL, NULL, 0, diag, NULL, NULL));
    vta_rpc_close(rpc);
    works(&patient);
    server_settles(&patient);
    server_stop(&patient);
    server_settles(&s);
    server_stop(&s);
}

/* The first child of a process; 0: none. */
static pid_t child_of(pid_t parent) {
    char path[64];
    int pid = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%d", &pid) != 1) pid = 0;
    if (f) fclose(f);
    return pid;
}

/* A session is killed from outside: idle, and while its client waits for a call. */
TEST_CASE(sessions_that_are_killed) {
    server s;
    server_start(&s, NULL);
    for (int waiting = 0; waiting < 2; waiting++) {
        vta_rpc *rpc = open_on(&s);
        uint64_t hang = kernel(rpc, "hang");
        pid_t session = child_of(s.pid), killer = waiting ? fork() : 1;
        if (killer == 0) {
            usleep(50000);
            kill(session, SIGKILL);
            _exit(0);
        }
        if (!waiting) kill(session, SIGKILL);
        refused(vta_rpc_call(rpc, hang, NULL, NULL, 0, diag, NULL, NULL), VTA_ILLEGAL, "ended by signal 9");
        if (waiting) waitpid(killer, NULL, 0);
        vta_rpc_close(rpc);
    }
    works(&s);
    server_settles(&s);
    server_stop(&s);
}

/* Not there, or ended and waiting for its parent to notice. */
static bool is_over(pid_t pid) {
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = 'Z';
    if (f) fclose(f);
    return state == 'Z' || state == 'X';
}

static bool ends_soon(pid_t pid) {
    for (int i = 0; i < 6000 && !is_over(pid); i++) usleep(10000);
    return is_over(pid);
}

/* The server is killed at several moments: its sessions end with it, the client has an error, another server works. */
TEST_CASE(servers_that_are_killed) {
    for (int moment = 0; moment < 4; moment++) {
        server s;
        server_start(&s, NULL);
        vta_rpc *rpc = open_on(&s);
        uint64_t hang = kernel(rpc, "hang");
        pid_t session = child_of(s.pid), killer = fork();
        if (killer == 0) {
            usleep(20000 * (unsigned)moment);
            kill(s.pid, SIGKILL);
            _exit(0);
        }
        vta_status status = vta_rpc_call(rpc, hang, NULL, NULL, 0, diag, NULL, NULL);
        refused(status, VTA_IO, "the session with 127.0.0.1");
        vta_rpc_close(rpc);
        waitpid(killer, NULL, 0);
        waitpid(s.pid, NULL, 0);
        assert_true(ends_soon(session));
        char command[256];
        snprintf(command, sizeof command, "rm -rf %s %s", s.folder, s.log);
        assert_int_equal(system(command), 0);
    }
}

/* What a killed server leaves behind goes when the next one begins: not what is locked still, nor what is young. */
/* In order: its clients are told, and no session outlives it. */
TEST_CASE(servers_that_end) {
    server s;
    server_start(&s, NULL);
    vta_rpc *rpc = open_on(&s);
    must(vta_rpc_ping(rpc, diag));
    server_stop(&s);
    refused(vta_rpc_ping(rpc, diag), VTA_INTERRUPTED, "the server ends");
    vta_rpc_close(rpc);
}

TEST_CASE(folders_of_killed_servers) {
    server s;
    char left[512];
    const struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    server_start(&s, NULL);
    vta_rpc *rpc = open_on(&s);
    must(vta_rpc_upload(rpc, "file", "x", 1, diag));
    snprintf(left, sizeof left, "%s", server_sessions_folder(&s));
    kill(s.pid, SIGKILL);
    waitpid(s.pid, NULL, 0);
    vta_rpc_close(rpc);
    server_start_again(&s, NULL); /* it could be a server that is just beginning */
    assert_int_equal(access(left, F_OK), 0);
    server_end(&s);
    assert_int_equal(utimensat(AT_FDCWD, left, long_ago, 0), 0);
    int fd = open(left, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    server_start_again(&s, NULL); /* somebody has it */
    assert_int_equal(access(left, F_OK), 0);
    server_end(&s);
    close(fd);
    server_start_again(&s, NULL);
    assert_int_equal(access(left, F_OK), -1);
    if (!strstr(server_log(&s), "the server that it belonged to was killed")) fail_msg("%s", server_log(&s));
    server_stop(&s);
}

/* ---- Clients ----------------------------------------------------------------------------------------------------- */

/* A client that disappears in the middle of a call does not keep its session. */
TEST_CASE(clients_that_vanish) {
    server s;
    server_start(&s, NULL);
    pid_t client = fork();
    if (client == 0) {
        vta_rpc *rpc = open_on(&s);
        uint64_t hang = kernel(rpc, "hang");
        vta_rpc_call(rpc, hang, NULL, NULL, 0, NULL, NULL, NULL);
        _exit(0);
    }
    for (int i = 0; i < 6000 && !strstr(server_log(&s), "begins"); i++) usleep(10000);
    usleep(200000);
    kill(client, SIGKILL);
    waitpid(client, NULL, 0);
    server_settles(&s);
    works(&s);
    server_settles(&s);
    server_stop(&s);
}

static void wait_until_it_calls(vta_rpc *rpc) {
    for (bool calls = false; !calls; usleep(10000)) {
        char *text;
        must(vta_rpc_sessions(rpc, diag, &text));
        for (const char *at = text; (at = strstr(at, "\"calling\": "));) calls |= strtod(at += 11, NULL) > 0;
        vta_string_free(text);
    }
}

/* A client that says nothing more has left, though its connection is there: the call ends, and it is told. */
TEST_CASE(clients_that_say_nothing_more) {
    server s;
    server_start(&s, NULL);
    vta_rpc *rpc = open_on(&s);
    int fd = raw_socket_to(s.port);
    uint64_t hang = kernel(rpc, "hang");
    pid_t other = fork();
    if (other == 0) {
        wait_until_it_calls(open_on(&s));
        _exit(shutdown(fd, SHUT_WR) != 0);
    }
    refused(vta_rpc_call(rpc, hang, NULL, NULL, 0, diag, NULL, NULL), VTA_IO, "the client is gone");
    waitpid(other, NULL, 0);
    server_settles(&s);
    vta_rpc_close(rpc);
    server_stop(&s);
}

static size_t frame(uint8_t *to, uint32_t size, uint16_t code, uint32_t number) {
    raw_put(to, size, 4);
    raw_put(to + 4, code, 2);
    raw_put(to + 6, 0, 2);
    raw_put(to + 8, number, 4);
    return 12;
}

/* Sends bytes and expects an answer with these words, after which the server closes. */
static void nonsense(const server *s, const void *bytes, size_t size, const char *words) {
    char answer[4096];
    int fd = raw_connect(s->port);
    raw_send(fd, bytes, size);
    shutdown(fd, SHUT_WR);
    size_t n = raw_receive(fd, answer, sizeof answer - 1);
    for (size_t i = 0; i < n; i++) answer[i] = answer[i] ? answer[i] : ' ';
    answer[n] = '\0';
    if (words ? !strstr(answer, words) : n > 0) fail_msg("'%s' was answered", answer);
    close(fd);
}

TEST_CASE(clients_that_talk_nonsense) {
    uint8_t b[64] = VT_RPC_PREFACE;
    server s, impatient;
    server_start(&s, NULL);
    server_start(&impatient, "--patience-ms", "300", NULL);
    nonsense(&s, "GET / HTTP/1.0\r\n\r\n", 18, NULL);
    nonsense(&s, "VTA-RPG\n12345678", 16, NULL);
    nonsense(&s, "", 0, NULL);
    frame(b + 8, 0, VT_RPC_PING, 1);
    nonsense(&s, b, 20, "HELLO is the first message");
    frame(b + 8, 0, 999, 1);
    nonsense(&s, b, 20, "message 999 does not exist");
    frame(b + 8, VT_RPC_FRAME_BYTES + 1, VT_RPC_HELLO, 1);
    nonsense(&s, b, 20, "the longest has");
    frame(b + 8, 8, VT_RPC_HELLO, 1);
    raw_put(b + 20, 7, 4);
    raw_put(b + 24, 0, 4);
    nonsense(&s, b, 28, "the client speaks version 7");
    raw_put(b + 24, 100, 4);
    nonsense(&s, b, 28, "cut short");
    int fd = raw_connect(impatient.port); /* says half a frame, and then nothing */
    raw_send(fd, b, 22);
    char answer[256] = "";
    size_t n = raw_receive(fd, answer, sizeof answer - 1);
    for (size_t i = 0; i < n; i++) answer[i] = answer[i] ? answer[i] : ' ';
    assert_non_null(strstr(answer, "too slow"));
    close(fd);
    works(&s);
    server_settles(&s);
    server_settles(&impatient);
    assert_non_null(strstr(server_log(&s), "speaks neither protocol"));
    assert_non_null(strstr(server_log(&impatient), "too slow"));
    server_stop(&s);
    server_stop(&impatient);
}

/* ---- Many -------------------------------------------------------------------------------------------------------- */

static long pages_of(pid_t pid) {
    char path[64];
    long all = 0, resident = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%ld %ld", &all, &resident) != 2) resident = 0;
    if (f) fclose(f);
    return resident;
}

static int files_of(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    return server_count(path);
}

TEST_CASE(sessions_one_after_another) {
    enum { SESSIONS = 1000, WARM = 50, MAX_PAGES = 64 };
    server s;
    long pages = 0;
    int files = 0, total = SERVER_SANITIZED ? 100 : SESSIONS;
    server_start(&s, "--quiet", NULL);
    for (int i = 0; i < total; i++) {
        if (i == WARM) {
            server_settles(&s);
            pages = pages_of(s.pid);
            files = files_of(s.pid);
        }
        vta_rpc *rpc = open_on(&s);
        must(vta_rpc_ping(rpc, diag));
        vta_rpc_close(rpc);
    }
    server_settles(&s);
    for (int i = 0; i < 6000 && files_of(s.pid) > files; i++)
        usleep(10000);                     /* the last session's is closed a little later */
    assert_true(files_of(s.pid) <= files); /* at first a session that has just ended may still hold one */
    if (!SERVER_SANITIZED) assert_true(pages_of(s.pid) <= pages + MAX_PAGES); /* sanitizers keep what was freed */
    server_stop(&s);
}

TEST_CASE(sessions_at_once) {
    enum { AT_ONCE = 50 };
    server s;
    vta_rpc *rpc[AT_ONCE], *more;
    server_start(&s, "--sessions", "50", NULL);
    for (int i = 0; i < AT_ONCE; i++) rpc[i] = open_on(&s);
    assert_int_equal(server_children(&s), AT_ONCE);
    refused(vta_rpc_connect(NULL, s.port, NULL, NULL, diag, &more), VTA_NO_MEMORY, "all 50 sessions");
    for (int i = 0; i < AT_ONCE; i++) must(vta_rpc_ping(rpc[i], diag));
    for (int i = 0; i < AT_ONCE; i++) vta_rpc_close(rpc[i]);
    server_settles(&s);
    works(&s);
    server_settles(&s);
    server_stop(&s);
}

/* ---- Cut at every byte ------------------------------------------------------------------------------------------- */

/* What one client of the own protocol says: everything up to a call. */
static size_t own_conversation(uint8_t *to) {
    vt_strbuf all, fields;
    size_t size;
    uint32_t number = 0;
    const char *object = kernels_object(&size);
    vt_strbuf_init(&all, NULL);
    vt_strbuf_init(&fields, NULL);
    vt_strbuf_add(&all, VT_RPC_PREFACE);
#define SAY(message)                                                                                                   \
    do {                                                                                                               \
        uint8_t head[12];                                                                                              \
        frame(head, (uint32_t)fields.size, VT_RPC_##message, ++number);                                                \
        vt_strbuf_addn(&all, (char *)head, 12);                                                                        \
        vt_strbuf_addn(&all, vt_strbuf_text(&fields), fields.size);                                                    \
        vt_strbuf_clear(&fields);                                                                                      \
    } while (0)
    vt__rpc_put_u32(&fields, 1), vt__rpc_put_text(&fields, "test");
    SAY(HELLO);
    vt__rpc_put_text(&fields, "k.so"), vt__rpc_put_u64(&fields, 0),
        vt_strbuf_addn(&fields, object, size < 64 ? size : 64);
    SAY(UPLOAD);
    vt__rpc_put_u64(&fields, 1), vt__rpc_put_u8(&fields, 0), vt__rpc_put_u8(&fields, 32), vt__rpc_put_u16(&fields, 1);
    vt__rpc_put_u32(&fields, 2), vt__rpc_put_u64(&fields, 3), vt__rpc_put_u64(&fields, 5);
    SAY(ARRAY);
    vt__rpc_put_u64(&fields, 1), vt__rpc_put_u64(&fields, 8), vt_strbuf_addn(&fields, "0123456789abcdef", 16);
    SAY(WRITE);
    vt__rpc_put_u64(&fields, 1), vt__rpc_put_u64(&fields, 0), vt__rpc_put_u32(&fields, 60);
    SAY(READ);
    vt__rpc_put_u64(&fields, 1);
    SAY(FREE);
    SAY(SESSIONS);
    SAY(BYE);
    size_t total = all.size;
    memcpy(to, all.text, total);
    vt_strbuf_free(&all);
    vt_strbuf_free(&fields);
    return total;
}

/* Serves so many bytes of a conversation in this process. */
static vta_status serve_bytes(vt_rpc_page *page, const uint8_t *bytes, size_t size, bool tvm) {
    vt_rpc_session s;
    int ends[2];
    uint8_t begin[4];
    vta_diag_clear(diag);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    assert_true(raw_send(ends[0], bytes, size));
    shutdown(ends[0], SHUT_WR);
    must(vt__session_init(&s, page, NULL, diag));
    s.stream.fd = ends[1];
    vta_status status = vt__rpc_read(&s.stream, begin, 4, 0, diag);
    if (status == VTA_OK) status = tvm ? vt__serve_tvm(&s) : vt__serve_own(&s, begin);
    vt__session_clear(&s);
    close(ends[0]);
    return status;
}

static void cut(const uint8_t *bytes, size_t size, bool tvm) {
    static vt_rpc_page page;
    page = (vt_rpc_page){.memory_bytes = UINT64_MAX, .file_bytes = 1 << 20, .patience_ms = 10000};
    strcpy(page.folder, "/tmp/vta-rpc-cut-XXXXXX");
    assert_non_null(mkdtemp(page.folder));
    for (size_t n = 0; n < size; n++) {
        vta_status status = serve_bytes(&page, bytes, n, tvm);
        if (status != VTA_NOT_FOUND && status != VTA_IO) fail_msg("cut after %zu: %s", n, vta_diag_text(diag));
    }
    assert_int_equal(serve_bytes(&page, bytes, size, tvm), VTA_NOT_FOUND); /* whole: the client left in order */
    vt__folder_remove(page.folder);
    assert_int_equal(access(page.folder, F_OK), -1);
}

TEST_CASE(own_conversations_that_are_cut) {
    uint8_t bytes[4096];
    int files = files_of(getpid());
    cut(bytes, own_conversation(bytes), false);
    assert_int_equal(files_of(getpid()), files);
}

/* The recorded one, with a small text in the place of the object: loading it fails, and the client goes on anyway. */
TEST_CASE(recorded_conversations_that_are_cut) {
    static uint8_t bytes[1 << 18];
    size_t size = 0;
    conversation c;
    conversation_read(&c);
    for (int i = 0; i < c.count; i++) {
        message *m = &c.at[i];
        if (!m->from_client || !m->size) continue;
        if (m->size > 5000) { /* the upload */
            m->size = UPLOAD_BYTES_AT + 8;
            raw_put(m->bytes + UPLOAD_SIZE_AT, 8, 8);
            raw_put(m->bytes, m->size - 8, 8);
        }
        memcpy(bytes + size, m->bytes, m->size);
        size += m->size;
    }
    conversation_free(&c);
    int files = files_of(getpid());
    cut(bytes, size, true);
    assert_int_equal(files_of(getpid()), files);
}

/* The same against a server, at some of the bytes. */
TEST_CASE(connections_that_are_cut) {
    uint8_t bytes[4096];
    size_t size = own_conversation(bytes);
    server s;
    server_start(&s, "--sessions", "64", NULL);
    for (size_t n = 0; n < size; n += 7) {
        int fd = raw_connect(s.port);
        raw_send(fd, bytes, n);
        if (n % 2) { /* not in order: with what the server sends unread */
            struct linger now = {.l_onoff = 1};
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        close(fd);
        for (int i = 0; i < 6000 && server_children(&s) > 8; i++) usleep(10000);
    }
    works(&s);
    server_settles(&s);
    server_stop(&s);
}

int main(void) { return golden_result(run_cases_between(diag_begin, diag_end)); }
