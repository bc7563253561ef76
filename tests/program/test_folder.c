/* Programs as folders: what a good one gives, and how damaged ones are refused. */
#include <sys/stat.h>
#include <unistd.h>

#include "support/programs.h"

static char folder[] = "/tmp/vta_folder_XXXXXX";
static vta_diag *diag;

static void put(const char *name, const void *bytes, size_t size) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void put_text(const char *name, const char *text) { put(name, text, strlen(text)); }

static const char good_run[] =
    "{\"insn_addr\": 65536, \"insn_count\": 3, \"segments\": [{\"addr\": 4096, \"size\": 64, \"before\": \"in\"}, "
    "{\"addr\": 8192, \"size\": 16, \"before\": \"zero\", \"after\": \"out\"}]}";

static void put_all(void) {
    static const uint8_t in[] = {1, 0, 0, 0, 2}, out[] = {1, 2};
    vta_config *config = vta_config_default();
    uint8_t *insns;
    size_t count;
    assert_int_equal(vta_asm(config, check_source, strlen(check_source), NULL, NULL, &insns, &count), VTA_OK);
    put("000/insn.bin", insns, count * 16);
    vta_string_free(insns);
    vta_config_release(config);
    put("000/in", in, sizeof in);
    put("000/out", out, sizeof out);
    put("000/zero", "", 0);
    put_text("000/run.json", good_run);
    put_text("vta_config.json", "{}");
    put_text("stats.json", "{\"acc_load_nbytes\": 64, \"out_store_nbytes\": 16, \"something_else\": 5}");
}

static int setup(void **state) {
    (void)state;
    char path[256];
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/000", folder);
    diag = vta_diag_create(NULL);
    return mkdir(path, 0777);
}

static int teardown(void **state) {
    (void)state;
    static const char *const names[] = {"000/insn.bin", "000/in",          "000/out",    "000/zero", "000/run.json",
                                        "000",          "vta_config.json", "stats.json", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    vta_diag_destroy(diag);
    return 0;
}

static void refuse(vta_status status, const char *message) {
    vta_program *p = (vta_program *)1;
    vta_diag_clear(diag);
    assert_int_equal(vta_program_load(folder, NULL, diag, &p), status);
    assert_null(p);
    assert_contains(vta_diag_text(diag), message);
}

TEST_CASE(good) {
    put_all();
    vta_program *p;
    vta_diag_clear(diag);
    if (vta_program_load(folder, NULL, diag, &p) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_program_run_info run;
    assert_int_equal(vta_program_get_run(p, 0, &run), VTA_OK);
    assert_int_equal(run.segment_count, 3); /* with the hole up to the instructions */
    vta_program_segment s;
    assert_int_equal(vta_program_get_segment(p, 0, 2, &s), VTA_OK);
    assert_int_equal(s.addr, 0x3000);
    assert_int_equal(s.size, 0xd000);
    vta_device *device;
    assert_int_equal(vta_device_create("sim", vta_program_config(p), NULL, NULL, diag, &device), VTA_OK);
    vta_program_options options = {.expect = 1};
    if (vta_program_run(p, device, &options, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    vta_device_destroy(device);
    vta_program_destroy(p);
}

/* Each counter by its name, alone: what is not there is 0, and not said to be recorded; the first is 0 itself. */
TEST_CASE(statistics) {
    static const char *const names[] = {
#define VTA_COUNTER(name, meaning) #name,
#include "vta/counters.def"
#undef VTA_COUNTER
    };
    put_all();
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        uint64_t got[sizeof(vta_counters) / sizeof(uint64_t)];
        vta_counters counters;
        vta_program *p;
        snprintf(text, sizeof text, "{\"%s\": %u}", names[i], 1000 * i);
        put_text("stats.json", text);
        vta_diag_clear(diag);
        if (vta_program_load(folder, NULL, diag, &p) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
        assert_int_equal(vta_program_get_stats(p, &counters), (uint32_t)1 << i);
        memcpy(got, &counters, sizeof got);
        for (uint32_t k = 0; k < sizeof names / sizeof *names; k++) assert_int_equal(got[k], k == i ? 1000 * i : 0);
        vta_program_destroy(p);
    }
}

TEST_CASE(bad_parts) {
    put_all();
    put_text("vta_config.json", "{\"LOG_BATCH\": 99}");
    refuse(VTA_CONFIG, "LOG_BATCH = 99");
    put_all();
    put_text("stats.json", "{\"acc_load_nbytes\": -1}");
    refuse(VTA_PARSE, "stats.json: error: acc_load_nbytes");
    put_text("stats.json", "[]");
    refuse(VTA_PARSE, "stats.json:1:1: error: statistics are one JSON object");
    put_text("stats.json", "{");
    refuse(VTA_PARSE, "stats.json:1:");
    put_all();
    put("000/insn.bin", "123", 3);
    refuse(VTA_PARSE, "3 bytes for 3 instructions of 16");
    put_all();
    put("000/out", "12345678901234567", 17);
    refuse(VTA_OUT_OF_RANGE, "more than the limit of 16");
}

TEST_CASE(bad_run_json) {
    static const struct {
        const char *json, *message;
        vta_status status;
    } rows[] = {
        {"", "run.json:", VTA_PARSE},
        {"[]", "needs an array \"segments\"", VTA_PARSE},
        {"{\"segments\": 3}", "needs an array", VTA_PARSE},
        {"{\"segments\": []}", "\"insn_addr\" must be a whole number", VTA_PARSE},
        {"{\"segments\": [], \"insn_addr\": 4294967296, \"insn_count\": 3}", "\"insn_addr\"", VTA_PARSE},
        {"{\"segments\": [], \"insn_addr\": 65536, \"insn_count\": 2}", "48 bytes for 2 instructions", VTA_PARSE},
        {"{\"segments\": [], \"insn_addr\": 0, \"insn_count\": 3}", "page 0", VTA_OUT_OF_RANGE},
        {"{\"segments\": [3], \"insn_addr\": 65536, \"insn_count\": 3}", "\"addr\"", VTA_PARSE},
        {"{\"segments\": [{\"addr\": 4096, \"size\": 64, \"before\": \"../../etc/passwd\"}], \"insn_addr\": 65536, "
         "\"insn_count\": 3}",
         "must name a file of the same folder", VTA_PARSE},
        {"{\"segments\": [{\"addr\": 4096, \"size\": 64, \"before\": \"gone\"}], \"insn_addr\": 65536, \"insn_count\": "
         "3}",
         "gone: cannot open", VTA_NOT_FOUND},
        {"{\"segments\": [{\"addr\": 4097, \"size\": 64, \"before\": \"in\"}], \"insn_addr\": 65536, \"insn_count\": "
         "3}",
         "must begin at a page", VTA_OUT_OF_RANGE},
    };
    put_all();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put_text("000/run.json", rows[i].json);
        refuse(rows[i].status, rows[i].message);
    }
}

TEST_CASE(out_of_memory) {
    put_all();
    for (size_t n = 0, done = 0; !done; n++) {
        check_allocator a;
        check_allocator_init(&a, n);
        vta_program *p;
        vta_status status = vta_program_load(folder, &a.allocator, NULL, &p);
        assert_int_equal(status, a.failed ? VTA_NO_MEMORY : VTA_OK);
        vta_program_destroy(p);
        assert_int_equal(a.live, 0);
        done = !a.failed;
    }
}

/* A run more, of instructions alone, at a page of its own. */
static void put_run(const char *name, uint32_t insn_addr) {
    char path[256], text[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0777), 0);
    static const uint8_t insns[16] = {VTA_OP_FINISH};
    snprintf(path, sizeof path, "%s/insn.bin", name);
    put(path, insns, sizeof insns);
    snprintf(path, sizeof path, "%s/run.json", name);
    snprintf(text, sizeof text, "{\"insn_addr\": %u, \"insn_count\": 1, \"segments\": []}", insn_addr);
    put_text(path, text);
}

static void drop_run(const char *name) {
    static const char *const files[] = {"/insn.bin", "/run.json", ""};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s%s", folder, name, files[i]);
        assert_int_equal(remove(path), 0);
    }
}

/* Runs stand in the order of their numbers, whatever order the folder lists them in; what has no number of at most nine
 * digits is none. */
TEST_CASE(many_runs) {
    enum { RUNS = 24, PAGE = 4096 };
    static const char *const others[] = {"0000000001", "00x", "x00"};
    char name[8];
    put_all();
    for (uint32_t i = RUNS - 1; i; i--) { /* but for every third */
        snprintf(name, sizeof name, "%03u", i);
        if (i % 3) put_run(name, i * PAGE);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) put_run(others[i], 100 * PAGE);
    vta_program *p;
    vta_diag_clear(diag);
    if (vta_program_load(folder, NULL, diag, &p) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    uint32_t at = 0;
    for (uint32_t i = 0; i < RUNS; i++) {
        vta_program_run_info run;
        if (i && i % 3 == 0) continue;
        assert_int_equal(vta_program_get_run(p, at++, &run), VTA_OK);
        assert_int_equal(run.insn_addr, i ? i * PAGE : 65536);
    }
    assert_int_equal(vta_program_run_count(p), at);
    vta_program_destroy(p);
    for (uint32_t i = 1; i < RUNS; i++) {
        snprintf(name, sizeof name, "%03u", i);
        if (i % 3) drop_run(name);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) drop_run(others[i]);
}

/* The last: it removes the run. */
TEST_CASE(no_runs) {
    char path[256];
    put_all();
    static const char *const names[] = {"insn.bin", "in", "out", "zero", "run.json", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/000/%s", folder, names[i]);
        remove(path);
    }
    refuse(VTA_PARSE, "no runs");
}

int main(void) { return run_cases_between(setup, teardown); }
