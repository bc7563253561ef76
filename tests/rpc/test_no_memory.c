/* Every allocation fails once: requests of both protocols as a session answers them, and answers as a client reads
 * them. It is said, and nothing is lost. */
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/no_memory.h"

#include "exec/small.h"
#include "rpc/client_session.h"
#include "rpc/tvm.h"
#include "runtime/process.h"

static vt_rpc_page page = {.memory_bytes = 1 << 20, .file_bytes = 1 << 20, .patience_ms = 1000};

/* ---- The project's protocol -------------------------------------------------------------------------------------- */

typedef struct conversation {
    vt_rpc_session s;
    vta_diag *diag;
    vt_strbuf in, out;
    vta_status status;
    vt_rpc_reader answer;
} conversation;

static bool damage; /* each request is sent with a byte more and a byte less first: refused, and nothing is done */

static void ask_damaged(conversation *c, vt_rpc_message message) {
    bool rest = message == VT_RPC_UPLOAD || message == VT_RPC_WRITE; /* bytes up to the end: any number of them */
    for (int more = rest ? 2 : -1; more <= 1; more += 2) {
        bool over = false;
        char *body = calloc(1, c->in.size + 1);
        if (c->in.size) memcpy(body, c->in.text, c->in.size);
        vt_strbuf_clear(&c->out);
        if (c->in.size || more > 0) {
            vta_status status =
                vt__own_answer(&c->s, (uint16_t)message, body, c->in.size + (size_t)more, &c->out, &over);
            if (status != VTA_PARSE) fail_msg("message %d, %d byte: status %d", (int)message, more, (int)status);
            assert_contains(vta_diag_text(c->diag), more > 0 ? ": 1 bytes after the last field" : "cut short");
            vta_diag_clear(c->diag);
        }
        free(body);
    }
}

/* A request with the fields in `in`; none once one has failed. */
static void ask(conversation *c, vt_rpc_message message) {
    bool over = false;
    if (c->in.failed) c->status = VTA_NO_MEMORY;
    if (c->status != VTA_OK) return;
    if (damage) ask_damaged(c, message);
    vt_strbuf_clear(&c->out);
    c->status = vt__own_answer(&c->s, (uint16_t)message, vt_strbuf_text(&c->in), c->in.size, &c->out, &over);
    c->answer = (vt_rpc_reader){(const uint8_t *)c->out.text, c->out.size, false};
    vt_strbuf_clear(&c->in);
}

static uint64_t make_array(conversation *c, int64_t bytes) {
    vt__rpc_put_u64(&c->in, kDLCPU);
    vt__rpc_put_u8(&c->in, kDLInt);
    vt__rpc_put_u8(&c->in, 8);
    vt__rpc_put_u16(&c->in, 1);
    vt__rpc_put_u32(&c->in, 1);
    vt__rpc_put_u64(&c->in, (uint64_t)bytes);
    ask(c, VT_RPC_ARRAY);
    return vt__rpc_u64(&c->answer);
}

static void run_model(conversation *c, const char *artifact, size_t size) {
    uint64_t arrays[2];
    vt__rpc_put_text(&c->in, "small");
    vt__rpc_put_u64(&c->in, 0);
    vt_strbuf_addn(&c->in, artifact, size);
    ask(c, VT_RPC_UPLOAD);
    vt__rpc_put_text(&c->in, "small");
    ask(c, VT_RPC_LOAD_MODEL);
    uint64_t model = vt__rpc_u64(&c->answer);
    for (int i = 0; i < 2; i++) arrays[i] = make_array(c, ELEMENTS);
    vt__rpc_put_u64(&c->in, model);
    vt__rpc_put_u32(&c->in, 2);
    for (int i = 0; i < 2; i++) vt__rpc_put_u64(&c->in, arrays[i]);
    ask(c, VT_RPC_RUN_MODEL);
    vt__rpc_put_u64(&c->in, model);
    ask(c, VT_RPC_PROFILE_MODEL);
    vt__rpc_put_u64(&c->in, model);
    ask(c, VT_RPC_FREE);
}

static void use_arrays(conversation *c) {
    uint64_t a = make_array(c, 100), b = make_array(c, 100);
    vt__rpc_put_u64(&c->in, a);
    vt__rpc_put_u64(&c->in, 3);
    vt_strbuf_addn(&c->in, "some bytes", 10);
    ask(c, VT_RPC_WRITE);
    vt__rpc_put_u64(&c->in, a);
    vt__rpc_put_u64(&c->in, b);
    ask(c, VT_RPC_COPY);
    vt__rpc_put_u64(&c->in, b);
    vt__rpc_put_u64(&c->in, 0);
    vt__rpc_put_u32(&c->in, 100);
    ask(c, VT_RPC_READ);
    if (c->status == VTA_OK) assert_memory_equal(c->out.text + 3, "some bytes", 10);
    vt__rpc_put_text(&c->in, "small");
    vt__rpc_put_u64(&c->in, 0);
    vt__rpc_put_u32(&c->in, 4);
    ask(c, VT_RPC_DOWNLOAD);
    ask(c, VT_RPC_SESSIONS);
}

static uint8_t *artifact;
static size_t artifact_size;

static vta_status converse_of(void (*talk)(conversation *c)) {
    conversation c = {.diag = vta_diag_create(NULL)};
    vt_strbuf_init(&c.in, NULL);
    vt_strbuf_init(&c.out, NULL);
    if (!c.diag) return VTA_NO_MEMORY;
    c.status = vt__session_init(&c.s, &page, NULL, c.diag);
    vt__rpc_put_u32(&c.in, VT_RPC_WIRE_VERSION);
    vt__rpc_put_text(&c.in, "test");
    ask(&c, VT_RPC_HELLO);
    talk(&c);
    vt__session_clear(&c.s);
    vt_strbuf_free(&c.in);
    vt_strbuf_free(&c.out);
    vta_diag_destroy(c.diag);
    assert_int_equal(atomic_load(&page.call_started), 0); /* else the session would be ended for a long call */
    return c.status;
}

static void use_models_and_arrays(conversation *c) {
    run_model(c, (const char *)artifact, artifact_size);
    use_arrays(c);
}

static vta_status own(void) { return converse_of(use_models_and_arrays); }

/* With a folder for a session's files, and a model to send. */
static void with_files(void (*check)(void)) {
    artifact = small_artifact(&artifact_size);
    strcpy(page.folder, "/tmp/vta-rpc-memory-XXXXXX");
    assert_non_null(mkdtemp(page.folder));
    check();
    vt__folder_remove(page.folder);
    vta_string_free(artifact);
}

static void no_memory(void) { check_every_allocation(own); }

static void damaged(void) {
    damage = true;
    assert_int_equal(own(), VTA_OK);
    damage = false;
}

TEST_CASE(sessions_of_ours) { with_files(no_memory); }
TEST_CASE(damaged_requests) { with_files(damaged); }

/* ---- Objects, and the runtime ------------------------------------------------------------------------------------ */

/* An object as the linker's input, which a session links first, or as its output. */
static const char *code_name;
static char code[1 << 16];
static size_t code_size;

static void compile(const char *name, const char *options) {
    char command[256], path[64];
    snprintf(path, sizeof path, "/tmp/vta-rpc-memory-%d", (int)getpid());
    snprintf(command, sizeof command,
             "echo 'int seven(void *a, int *c, int n, long *r, int *t) { return *r = 7, *t = 0; }' |"
             " cc -xc -O1 -fPIC %s - -o %s",
             options, path);
    assert_int_equal(system(command), 0);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    code_size = fread(code, 1, sizeof code, f);
    code_name = name;
    fclose(f);
    unlink(path);
}

static uint64_t load_code(conversation *c) {
    vt__rpc_put_text(&c->in, code_name);
    vt__rpc_put_u64(&c->in, 0);
    vt_strbuf_addn(&c->in, code, code_size);
    ask(c, VT_RPC_UPLOAD);
    vt__rpc_put_text(&c->in, code_name);
    ask(c, VT_RPC_LOAD_MODULE);
    return vt__rpc_u64(&c->answer);
}

static void call_code(conversation *c, uint64_t module) {
    vt__rpc_put_u64(&c->in, module);
    vt__rpc_put_text(&c->in, "seven");
    ask(c, VT_RPC_FUNCTION);
    uint64_t function = vt__rpc_u64(&c->answer);
    vt__rpc_put_u64(&c->in, function);
    vt__rpc_put_u32(&c->in, 0);
    ask(c, VT_RPC_CALL);
    if (c->status == VTA_OK) assert_int_equal(c->out.text[1], 7);
    vt__rpc_put_u64(&c->in, function);
    for (uint32_t i = 0; i < 4; i++) vt__rpc_put_u32(&c->in, i < 2); /* number, repeat, min_repeat_ms, count */
    ask(c, VT_RPC_TIME);
}

static void use_the_runtime(conversation *c) {
    ask(c, VT_RPC_STATISTICS);
    if (c->status == VTA_OK) assert_non_null(memmem(c->out.text, c->out.size, "\"runs\": 0", 9));
    ask(c, VT_RPC_CLEAR);
    vt__rpc_put_text(&c->in, "{\"LOG_BATCH\": 1}");
    ask(c, VT_RPC_CONFIGURE);
    vt__rpc_put_text(&c->in, "");
    ask(c, VT_RPC_PROGRAM);
}

static void talk_of_code(conversation *c) { call_code(c, load_code(c)); }

static vta_status code_of_clients(void) { return converse_of(talk_of_code); }

static vta_status runtimes(void) {
    vta_status status = converse_of(use_the_runtime);
    vta_runtime_destroy(atomic_exchange(&vt_default_runtime, NULL)); /* a session's ends with its process */
    return status;
}

TEST_CASE(objects_and_runtimes) {
    strcpy(page.folder, "/tmp/vta-rpc-memory-XXXXXX");
    assert_non_null(mkdtemp(page.folder));
    compile("linked.so", "-shared");
    check_every_allocation(code_of_clients);
    compile("alone.o", "-c");
    check_every_allocation(code_of_clients);
    check_every_allocation(runtimes);
    vt__folder_remove(page.folder);
}

/* ---- TVM's protocol: the conversations of the fuzzer's corpus ---------------------------------------------------- */

static uint8_t packets[1 << 16];
static size_t packets_size;

static vta_status tvm(void) {
    vt_rpc_session s;
    vt_strbuf out;
    bool over = false, failed = false;
    vta_diag *diag = vta_diag_create(NULL);
    if (!diag) return VTA_NO_MEMORY;
    vt_strbuf_init(&out, NULL);
    vta_status status = vt__session_init(&s, &page, NULL, diag);
    for (size_t at = 1; status == VTA_OK && !over && !failed && at + 2 <= packets_size;) {
        size_t size = (size_t)packets[at] | (size_t)packets[at + 1] << 8;
        vt_strbuf_clear(&out);
        vta_diag_clear(diag);
        vt__tvm_answer(&s, packets + at + 2, size, &out, &over);
        failed = out.failed || (out.size && memmem(out.text, out.size, "out of memory", 13));
        at += 2 + size;
    }
    vt__session_clear(&s);
    vt_strbuf_free(&out);
    vta_diag_destroy(diag);
    return failed ? VTA_NO_MEMORY : status;
}

TEST_CASE(sessions_of_tvm) {
    static const char *const files[] = {"functions", "data"};
    for (int i = 0; i < 2; i++) {
        char path[96];
        snprintf(path, sizeof path, "fuzz/corpus/fuzz_rpc/tvm_%s", files[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        packets_size = fread(packets, 1, sizeof packets, f);
        fclose(f);
        check_every_allocation(tvm);
    }
}

/* ---- A client ---------------------------------------------------------------------------------------------------- */

/* The answers to PING, LOAD_MODULE, DOWNLOAD and STATISTICS. */
static void put_answers(int fd) {
    static const struct {
        vt_rpc_message message;
        const char *fields;
        uint32_t size;
    } answers[] = {{VT_RPC_PING, "", 0},
                   {VT_RPC_LOAD_MODULE, "\1\0\0\0\0\0\0\0\3\0\0\0f\ng", 15},
                   {VT_RPC_DOWNLOAD, "\5\0\0\0\0\0\0\0bytes", 13},
                   {VT_RPC_STATISTICS, "\2\0\0\0{}", 6}};
    for (uint32_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        uint8_t header[VT_RPC_HEADER_BYTES];
        vt__rpc_put_header(header, &(vt_rpc_header){answers[i].size, (uint16_t)answers[i].message, 0, i + 1});
        assert_int_equal(write(fd, header, sizeof header), sizeof header);
        assert_int_equal(write(fd, answers[i].fields, answers[i].size), answers[i].size);
    }
    shutdown(fd, SHUT_WR);
}

static vta_status converse(vta_rpc *rpc, vta_diag *diag) {
    uint64_t module;
    char *names = NULL, *bytes = NULL, *text = NULL;
    size_t size;
    vta_status status = vta_rpc_ping(rpc, diag);
    if (status == VTA_OK) status = vta_rpc_load_module(rpc, "f.o", diag, &module, &names);
    if (status == VTA_OK) status = vta_rpc_download(rpc, "file", diag, &bytes, &size);
    if (status == VTA_OK) status = vta_rpc_statistics(rpc, diag, &text);
    if (status == VTA_OK) assert_string_equal(bytes, "bytes");
    vta_string_free(names);
    vta_string_free(bytes);
    vta_string_free(text);
    return status;
}

static vta_status client(void) {
    int ends[2];
    vta_diag *diag = vta_diag_create(NULL);
    vta_rpc rpc = {.allocator = vt_allocator_libc};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    put_answers(ends[1]);
    rpc.link = (vt_rpc_link){.stream = {.fd = ends[0]}, .owner = getpid(), .patience_ms = 1000, .answer_ms = 1000};
    vt_strbuf_init(&rpc.link.out, NULL);
    vt_strbuf_init(&rpc.link.in, NULL);
    vta_status status = converse(&rpc, diag);
    vt__link_close(&rpc.link);
    close(ends[1]);
    vta_diag_destroy(diag);
    return status;
}

TEST_CASE(clients) { check_every_allocation(client); }

int main(void) { return run_cases(); }
