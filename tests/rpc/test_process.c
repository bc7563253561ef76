/* The process of a session, as its server starts it: what it has, which protocol it finds, what it writes to the
 * server's log, and with which code it ends. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rpc/tvm.h"
#include "support/diag.h"
#include "vta/rpc.h"

typedef struct process {
    pid_t pid;
    int client, log; /* our ends */
    int page_fd, table_fd;
    vt_rpc_page *page;
    vt_rpc_table *table;
} process;

static void prepare(process *p) {
    *p = (process){.client = -1};
    must(vt__share_make("page", sizeof *p->page, diag, &p->page_fd, (void **)&p->page));
    must(vt__share_make("table", sizeof *p->table, diag, &p->table_fd, (void **)&p->table));
    *p->page = (vt_rpc_page){.mark = VT_RPC_PAGE_MARK,
                             .size = sizeof *p->page,
                             .folder = "/tmp",
                             .name = "pynq",
                             .driver = "sim",
                             .memory_bytes = UINT64_MAX,
                             .file_bytes = 1 << 20,
                             .patience_ms = 10000};
}

static void become_session(const process *p, int socket, int log) {
    const int files[] = {log, socket, p->page_fd, p->table_fd};
    static const int places[] = {STDERR_FILENO, VT_RPC_FD_SOCKET, VT_RPC_FD_PAGE, VT_RPC_FD_TABLE};
    int high[4];
    close(p->client);
    close(p->log);
    for (int i = 0; i < 4; i++) high[i] = fcntl(files[i], F_DUPFD_CLOEXEC, 32);
    for (int i = 0; i < 4; i++) dup2(high[i], places[i]);
    _exit(vta_rpc_session_main());
}

static void start(process *p) {
    int ends[2], log[2], table = vt__share_reader(p->table_fd);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0); /* as a server's sockets are */
    assert_int_equal(pipe(log), 0);
    assert_int_equal(dup2(table, p->table_fd), p->table_fd); /* a session only reads it */
    close(table);
    p->client = ends[0];
    p->log = log[0];
    p->pid = fork();
    if (p->pid == 0) become_session(p, ends[1], log[1]);
    close(ends[1]);
    close(log[1]);
}

static size_t receive(int fd, char *to, size_t room) {
    size_t size = 0;
    for (ssize_t n; size < room && (n = read(fd, to + size, room - size)) > 0;) size += (size_t)n;
    return size;
}

/* It ends with this code, having written these words to the log (NULL: nothing). */
static void ends(process *p, int code, const char *words) {
    char got[1024] = "", expected[1024] = "";
    int state;
    if (words) snprintf(expected, sizeof expected, "%s\n", words);
    receive(p->log, got, sizeof got - 1);
    assert_string_equal(got, expected);
    assert_int_equal(waitpid(p->pid, &state, 0), p->pid);
    if (!WIFEXITED(state) || WEXITSTATUS(state) != code) fail_msg("it ends with 0x%x", (unsigned)state);
    close(p->client), close(p->log), close(p->page_fd), close(p->table_fd);
    vt__share_close(p->page, sizeof *p->page);
    vt__share_close(p->table, sizeof *p->table);
}

/* ---- The first words --------------------------------------------------------------------------------------------- */

#define NEITHER "the client speaks neither protocol"
#define MAGIC "\x71\xf2\x0f\0"
#define MISMATCH "\x73\xf2\x0f\0"
#define TVM_ANSWER MAGIC "\x0b\0\0\0server:pynq"
#define TEXT(literal) literal, sizeof(literal) - 1

static const struct {
    const char *said;
    size_t size;
    const char *answer;
    size_t answer_size;
    vt_rpc_protocol protocol;
    const char *log;
} beginnings[] = {
    {TEXT(""), TEXT(""), VT_RPC_UNKNOWN, NULL}, /* a client that looked whether the port answers */
    {TEXT("VT"), TEXT(""), VT_RPC_UNKNOWN, "the connection was closed after 2 of 4 bytes"},
    {TEXT("GET / HTTP/1.0\r\n\r\n"), TEXT(""), VT_RPC_OWN, NEITHER},
    {TEXT("VTA-RPC "), TEXT(""), VT_RPC_OWN, NEITHER},
    {TEXT("VTA-RP"), TEXT(""), VT_RPC_OWN, "the connection was closed after 2 of 4 bytes"},
    {TEXT("VTA-RPC\n"), TEXT(""), VT_RPC_OWN, NULL},
    {TEXT(MAGIC "\x0b\0\0\0client:pynq"), TEXT(TVM_ANSWER), VT_RPC_TVM, NULL},
    {TEXT(MAGIC "\x11\0\0\0client:pynq -more"), TEXT(TVM_ANSWER), VT_RPC_TVM, NULL},
    {TEXT(MAGIC "\x0a\0\0\0client:pyn"), TEXT(MISMATCH), VT_RPC_TVM,
     "the client asks for 'client:pyn', and this server is 'client:pynq'"},
    {TEXT(MAGIC "\x0c\0\0\0client:pynqs"), TEXT(MISMATCH), VT_RPC_TVM,
     "the client asks for 'client:pynqs', and this server is 'client:pynq'"},
    {TEXT(MAGIC "\x0b\0\0\0Client:pynq"), TEXT(MISMATCH), VT_RPC_TVM,
     "the client asks for 'Client:pynq', and this server is 'client:pynq'"},
    {TEXT(MAGIC "\x06\0\0\0client"), TEXT(MISMATCH), VT_RPC_TVM,
     "the client asks for 'client', and this server is 'client:pynq'"},
};

static void first_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        process p;
        char answer[64];
        prepare(&p);
        start(&p);
        assert_int_equal(write(p.client, beginnings[i].said, beginnings[i].size), beginnings[i].size);
        shutdown(p.client, SHUT_WR);
        size_t size = receive(p.client, answer, sizeof answer);
        if (size != beginnings[i].answer_size || memcmp(answer, beginnings[i].answer, size) != 0)
            fail_msg("case %zu: an answer of %zu bytes", i, size);
        vt_rpc_protocol protocol = (vt_rpc_protocol)atomic_load(&p.page->protocol);
        if (protocol != beginnings[i].protocol) fail_msg("case %zu: protocol %d", i, (int)protocol);
        ends(&p, 0, beginnings[i].log);
    }
}

static void silence(void **state) {
    (void)state;
    process p;
    prepare(&p);
    p.page->patience_ms = 50;
    start(&p);
    ends(&p, 0, "the other side of the connection is too slow: nothing came in time");
}

/* ---- Requests ---------------------------------------------------------------------------------------------------- */

static void put(vt_strbuf *to, vt_rpc_message message, vta_status status, uint32_t number, const vt_strbuf *fields) {
    uint8_t head[VT_RPC_HEADER_BYTES];
    vt__rpc_put_header(head, &(vt_rpc_header){(uint32_t)fields->size, (uint16_t)message, (uint16_t)status, number});
    vt_strbuf_addn(to, (const char *)head, sizeof head);
    vt_strbuf_addn(to, vt_strbuf_text(fields), fields->size);
}

static void put_hello(vt_strbuf *to) {
    vt_strbuf fields;
    vt_strbuf_init(&fields, NULL);
    vt_strbuf_add(to, VT_RPC_PREFACE);
    vt__rpc_put_u32(&fields, 1);
    vt__rpc_put_text(&fields, "test");
    put(to, VT_RPC_HELLO, VTA_OK, 7, &fields);
    vt_strbuf_free(&fields);
}

static void put_greeting(vt_strbuf *to) {
    vt_strbuf fields;
    vt_strbuf_init(&fields, NULL);
    vt__rpc_put_u32(&fields, 1);
    vt__rpc_put_text(&fields, vta_version());
    vt__rpc_put_text(&fields, vt__machine_name());
    vt__rpc_put_text(&fields, "sim");
    put(to, VT_RPC_HELLO, VTA_OK, 7, &fields);
    vt_strbuf_free(&fields);
}

/* Sends `said`, and compares all that comes until the session closes. */
static void converse(process *p, const vt_strbuf *said, const vt_strbuf *answers) {
    char got[4096];
    prepare(p);
    start(p);
    assert_int_equal(write(p->client, said->text, said->size), said->size);
    shutdown(p->client, SHUT_WR);
    size_t size = receive(p->client, got, sizeof got);
    assert_int_equal(size, answers->size);
    assert_memory_equal(got, answers->text, size);
}

/* Refused requests do not end the session, a good bye does; its page tells the server how far it is. */
static void requests(void **state) {
    (void)state;
    process p;
    vt_strbuf said, answers, none, nine, why;
    vt_strbuf *all[] = {&said, &answers, &none, &nine, &why};
    for (int i = 0; i < 5; i++) vt_strbuf_init(all[i], NULL);
    vt__rpc_put_u64(&nine, 9);
    vt_strbuf_add(&why, "0x9 is nothing that this session has, or has still");
    put_hello(&said), put_greeting(&answers);
    size_t greeting = answers.size - VT_RPC_HEADER_BYTES;
    for (uint32_t i = 0; i < 2; i++)
        put(&said, VT_RPC_FREE, VTA_OK, 8 + i, &nine), put(&answers, VT_RPC_FREE, VTA_NOT_FOUND, 8 + i, &why);
    put(&said, VT_RPC_PING, VTA_OK, 10, &none), put(&answers, VT_RPC_PING, VTA_OK, 10, &none);
    put(&said, VT_RPC_BYE, VTA_OK, 1000, &none), put(&answers, VT_RPC_BYE, VTA_OK, 1000, &none);
    converse(&p, &said, &answers);
    assert_int_equal(atomic_load(&p.page->number), 1000);
    assert_int_equal(atomic_load(&p.page->bytes),
                     12 + greeting + 2 * 8); /* of fields, without what is said of errors */
    ends(&p, 0, NULL);
    for (int i = 0; i < 5; i++) vt_strbuf_free(all[i]);
}

/* What ends a session: answered under the message that was sent, or as the end where there is none. */
static void broken_off(void **state) {
    (void)state;
    static const struct {
        bool hello;
        uint16_t message, answer;
        const char *words;
    } cases[] = {
        {false, VT_RPC_PING, VT_RPC_PING, "HELLO is the first message of a connection, and no other one is"},
        {true, 999, VT_RPC_ENDED, "message 999 does not exist in version 1 of the protocol"},
        {false, VT_RPC_HELLO, VT_RPC_HELLO, "HELLO: the message is cut short, or a field is too long or not UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        process p;
        vt_strbuf said, answers, none, why;
        vt_strbuf *all[] = {&said, &answers, &none, &why};
        for (int k = 0; k < 4; k++) vt_strbuf_init(all[k], NULL);
        vt_strbuf_add(&why, cases[i].words);
        if (cases[i].hello)
            put_hello(&said), put_greeting(&answers);
        else
            vt_strbuf_add(&said, VT_RPC_PREFACE);
        put(&said, (vt_rpc_message)cases[i].message, VTA_OK, 5, &none);
        put(&answers, (vt_rpc_message)cases[i].answer, VTA_PARSE, 5, &why);
        converse(&p, &said, &answers);
        ends(&p, 0, cases[i].words);
        for (int k = 0; k < 4; k++) vt_strbuf_free(all[k]);
    }
}

/* ---- Packets of TVM ---------------------------------------------------------------------------------------------- */

static void put_packet(vt_strbuf *to, uint32_t code, size_t fields) {
    vt__rpc_put_u64(to, 4 + fields);
    vt__rpc_put_u32(to, code);
    for (size_t i = 0; i < fields; i++) vt_strbuf_addc(to, 'f');
}

static void put_exception(vt_strbuf *to, const char *words) {
    vt__rpc_put_u64(to, 20 + strlen(words));
    vt__rpc_put_u32(to, VT_TVM_EXCEPTION);
    vt__rpc_put_u32(to, 1);
    vt__rpc_put_u32(to, VTA_ARG_STRING);
    vt__rpc_put_u64(to, strlen(words));
    vt_strbuf_add(to, words);
}

/* Two that are not known, then what ends the session: a shutdown, a length that no packet has, half a packet. */
static void packets(void **state) {
    (void)state;
    static char too_short[64], too_long[64];
    snprintf(too_short, sizeof too_short, "a packet of 3 bytes; 4 to %d", VT_TVM_PACKET_BYTES);
    snprintf(too_long, sizeof too_long, "a packet of %d bytes; 4 to %d", VT_TVM_PACKET_BYTES + 1, VT_TVM_PACKET_BYTES);
    const struct {
        uint64_t size;
        const char *words;
        bool answered;
    } cases[] = {{4, NULL, false},
                 {3, too_short, true},
                 {VT_TVM_PACKET_BYTES + 1, too_long, true},
                 {12, "the connection was closed after 4 of 12 bytes", false},
                 {VT_TVM_PACKET_BYTES, "the connection was closed after 4 of 4194304 bytes", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        process p;
        vt_strbuf said, answers;
        vt_strbuf_init(&said, NULL), vt_strbuf_init(&answers, NULL);
        vt_strbuf_addn(&said, TEXT(MAGIC "\x0b\0\0\0client:pynq"));
        vt_strbuf_addn(&answers, TEXT(TVM_ANSWER));
        size_t greeting = answers.size;
        put_packet(&said, 77, 100), put_exception(&answers, "packets of code 77 are not known here");
        put_packet(&said, 99999, 0), put_exception(&answers, "packets of code 99999 are not known here");
        size_t bytes = 104 + 4 + answers.size - greeting + (i == 0 ? 4 : 0);
        vt__rpc_put_u64(&said, cases[i].size);
        vt__rpc_put_u32(&said, VT_TVM_SHUTDOWN);
        if (cases[i].answered) put_exception(&answers, cases[i].words);
        converse(&p, &said, &answers);
        if (i == 0) assert_int_equal(atomic_load(&p.page->bytes), bytes);
        ends(&p, 0, cases[i].words);
        vt_strbuf_free(&said), vt_strbuf_free(&answers);
    }
}

/* ---- What it has ------------------------------------------------------------------------------------------------- */

static const char *of_process(const process *p, const char *what) {
    static char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)p->pid, what);
    return path;
}

/* Its folder; of files only the socket, which the programs that it starts do not get. */
static void folder_and_files(void **state) {
    (void)state;
    process p;
    char answer[4096], place[64] = "", line[64] = "";
    unsigned flags = 0;
    vt_strbuf said, expected;
    vt_strbuf_init(&said, NULL), vt_strbuf_init(&expected, NULL);
    put_hello(&said), put_greeting(&expected);
    prepare(&p);
    start(&p);
    assert_int_equal(write(p.client, said.text, said.size), said.size);
    assert_int_equal(receive(p.client, answer, expected.size), expected.size); /* it has begun */
    assert_int_equal(readlink(of_process(&p, "cwd"), place, sizeof place - 1), 4);
    assert_string_equal(place, "/tmp");
    assert_int_equal(access(of_process(&p, "fd/3"), F_OK), 0);
    assert_int_equal(access(of_process(&p, "fd/4"), F_OK), -1);
    assert_int_equal(access(of_process(&p, "fd/5"), F_OK), -1);
    FILE *f = fopen(of_process(&p, "fdinfo/3"), "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f) && sscanf(line, "flags: %o", &flags) != 1) continue;
    fclose(f);
    assert_true(flags & O_CLOEXEC);
    shutdown(p.client, SHUT_WR);
    ends(&p, 0, NULL);
    vt_strbuf_free(&said), vt_strbuf_free(&expected);
}

static void without_its_folder(void **state) {
    (void)state;
    process p;
    char byte;
    prepare(&p);
    strcpy(p.page->folder, "/no/such/folder");
    start(&p);
    send(p.client, VT_RPC_PREFACE, VT_RPC_PREFACE_BYTES, MSG_NOSIGNAL); /* it may be over already */
    receive(p.client, &byte, 1);
    ends(&p, 0, "the session cannot enter its folder: No such file or directory");
}

/* A page or a table that is not from a server of this build. */
static void foreign_pages(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        process p;
        prepare(&p);
        if (i == 0) p.page->mark++;
        if (i == 1) p.page->size--;
        int small = memfd_create("small", MFD_CLOEXEC);
        if (i == 2) assert_true(ftruncate(small, sizeof *p.page - 1) == 0 && dup2(small, p.page_fd) == p.page_fd);
        if (i == 3) assert_true(ftruncate(small, sizeof *p.table - 1) == 0 && dup2(small, p.table_fd) == p.table_fd);
        close(small);
        start(&p);
        ends(&p, 2, NULL);
    }
}

#define TEST(name) cmocka_unit_test(name)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(first_words), TEST(silence),          TEST(requests),           TEST(broken_off),
        TEST(packets),     TEST(folder_and_files), TEST(without_its_folder), TEST(foreign_pages),
    };
    return cmocka_run_group_tests(tests, diag_begin, diag_end);
}
