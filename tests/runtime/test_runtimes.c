/* Several runtimes: configurations side by side, one that takes another's place, threads. */
#include "runtime/runtime_priv.h"
#include "runtime/runtime_test.h"

/* ---- Configurations ---------------------------------------------------------------------------------------- */

TEST_CASE(test_several_configurations) {
    static const struct {
        const char *changes;
        uint32_t lanes;
    } shapes[] = {{"", 16},
                  {"LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", 32},
                  {"LOG_BLOCK=5", 32},
                  {"LOG_BLOCK=3 LOG_INP_BUFF_SIZE=13 LOG_WGT_BUFF_SIZE=16 LOG_ACC_BUFF_SIZE=16", 8}};
    enum { COUNT = sizeof shapes / sizeof *shapes };
    vta_runtime *runtimes[COUNT];
    void *site = NULL; /* one call site for all: each handle has kernels of its own */
    for (int i = 0; i < COUNT; i++) runtimes[i] = make(shapes[i].changes, NULL, NULL);
    recorded = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < COUNT; i++) {
            vta_runtime_use(runtimes[i]);
            run_add(VTATLSCommandHandle(), &site, shapes[i].lanes, i, 3, (int8_t)(i + 3));
            no_error(VTATLSCommandHandle());
        }
    assert_int_equal(recorded, COUNT);
    for (int i = 0; i < COUNT; i++) assert_int_equal(vta_runtime_counters(runtimes[i]).runs, 3);
    /* What was recorded on one runtime waits there while another is used. */
    vta_runtime_use(runtimes[0]);
    VTACommandHandle first = VTATLSCommandHandle();
    push_alu(&site, 3);
    vta_runtime_use(runtimes[1]);
    VTASynchronize(VTATLSCommandHandle(), 0);
    assert_int_equal(vta_runtime_counters(runtimes[0]).runs, 3);
    VTASynchronize(first, 0);
    assert_int_equal(vta_runtime_counters(runtimes[0]).runs, 4);
    for (int i = 0; i < COUNT; i++) vta_runtime_destroy(runtimes[i]);
    assert_null(vta_last_error(first));
    VTASynchronize(first, 0);
    assert_true(error_has(first, "VTASynchronize("));
}

TEST_CASE(test_reconfigure) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_config *plain = vta_config_default(), *wide;
    assert_int_equal(vta_config_with(plain, "LOG_BLOCK=5", diag, &wide), VTA_OK);
    vta_runtime_use(NULL);
    void *site = NULL;
    assert_int_equal(vta_runtime_reconfigure(plain, "sim", NULL, diag), VTA_OK);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *buffer = VTABufferAlloc(64);
    run_add(cmd, &site, 16, 1, 1, 2);
    assert_int_not_equal(vta_runtime_reconfigure(wide, "none of these", NULL, diag), VTA_OK);
    run_add(cmd, &site, 16, 1, 1, 2); /* the old one stayed */
    assert_int_equal(vta_runtime_reconfigure(wide, "sim", NULL, diag), VTA_OK);
    assert_string_equal(vta_config_bitstream(vta_runtime_config(NULL)), vta_config_bitstream(wide));
    assert_string_equal(vta_runtime_driver(NULL), "sim");
    VTABufferFree(buffer);
    assert_true(error_has(NULL, "was freed, or its runtime has ended"));
    VTASynchronize(cmd, 0);
    assert_true(error_has(NULL, "whose thread or runtime has ended"));
    cmd = VTATLSCommandHandle();
    run_add(cmd, &site, 32, 1, 1, 2);
    no_error(cmd);
    VTARuntimeShutdown();
    VTASynchronize(cmd, 0);
    assert_true(error_has(NULL, "has ended"));
    run_add(VTATLSCommandHandle(), &site, 32, 1, 1, 2);
    no_error(VTATLSCommandHandle());
    vta_config_release(plain);
    vta_config_release(wide);
    vta_diag_destroy(diag);
}

TEST_CASE(test_bad_options) {
    vta_diag *diag = vta_diag_create(NULL);
    vta_runtime *runtime;
    vta_runtime_options options = {.max_transfer = 3};
    vta_config *config = vta_config_default();
    assert_int_equal(vta_runtime_create(config, "sim", &options, NULL, diag, &runtime), VTA_OUT_OF_RANGE);
    assert_null(runtime);
    options = (vta_runtime_options){.reserve_bytes = 1u << 30};
    assert_int_equal(vta_runtime_create(config, "sim", &options, NULL, diag, &runtime), VTA_OUT_OF_RANGE);
    assert_int_equal(vta_runtime_create(config, "sim", NULL, NULL, diag, NULL), VTA_INVALID_ARGUMENT);
    vta_runtime *gone = make("", NULL, NULL);
    vta_runtime_use(gone);
    VTATLSCommandHandle();
    vta_runtime_destroy(gone);
    assert_non_null(VTATLSCommandHandle()); /* destroying one's own choice goes back to the default */
    vta_config_release(config);
    vta_diag_destroy(diag);
}

/* ---- Threads ----------------------------------------------------------------------------------------------- */

enum { THREADS = 6, ROUNDS = 30 };
static void *shared_site;

static void *thread_adds(void *argument) {
    vta_runtime *runtime = argument;
    vta_runtime_use(runtime);
    VTACommandHandle cmd = VTATLSCommandHandle();
    void *site = NULL, **sites[] = {&shared_site, &site};
    bool good = cmd != NULL;
    for (int round = 0; round < ROUNDS && good; round++) {
        int32_t acc[64];
        int8_t out[64];
        for (int i = 0; i < 64; i++) acc[i] = round;
        void *from = VTABufferAlloc(sizeof acc), *to = VTABufferAlloc(sizeof out);
        VTABufferCopy(acc, 0, from, 0, sizeof acc, 1);
        VTALoadBuffer2D(cmd, from, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
        for (int times = 0; times < 3; times++) {
            int32_t value = round % 4;
            VTAPushALUOp(sites[round % 2], add_signature, &value, sizeof value);
        }
        VTADepPush(cmd, 2, 3);
        VTADepPop(cmd, 2, 3);
        VTAStoreBuffer2D(cmd, 0, VTA_MEM_OUT, to, 0, 4, 1, 4);
        VTABufferFree(from);
        if (round % 7 == 3) VTADepPush(cmd, 1, 3); /* an error of this thread's own */
        VTASynchronize(cmd, 0);
        good = (vta_last_error(cmd) != NULL) == (round % 7 == 3);
        vta_clear_error(cmd);
        VTABufferCopy(to, 0, out, 0, sizeof out, 2);
        for (int i = 0; i < 64; i++) good &= out[i] == (round % 7 == 3 ? 0 : round + 3 * (round % 4));
        VTABufferFree(to);
        if (round == ROUNDS / 2) VTARuntimeShutdown(), cmd = VTATLSCommandHandle();
    }
    return good ? argument : NULL;
}

TEST_CASE(test_threads) {
    vta_runtime *runtimes[2] = {make("", NULL, NULL), make("LOG_UOP_BUFF_SIZE=10", NULL, NULL)};
    pthread_t threads[THREADS];
    add_count = 4;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, thread_adds, runtimes[i % 2]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_ptr_equal(result, runtimes[i % 2]);
    }
    assert_true(vta_runtime_counters(runtimes[0]).runs > 0);
    vta_runtime_destroy(runtimes[0]);
    vta_runtime_destroy(runtimes[1]);
}

/* A thread that uses a runtime once more when what it had is gone already: in the destructor of a key that was made
 * after the library's, which is called later. */
static atomic_int last_words;

static void speaks_last(void *runtime) {
    if (!vta_last_error(NULL) && thread_adds(runtime) == runtime) last_words++;
}

static pthread_key_t last_key;

static void *thread_ends(void *runtime) {
    void *result = thread_adds(runtime);
    VTABufferFree(runtime); /* an error that belongs to no handle */
    if (!error_has(NULL, "VTABufferFree(")) return NULL;
    VTABufferFree(runtime);
    pthread_setspecific(last_key, runtime);
    return result;
}

TEST_CASE(test_last_words_of_threads) {
    vta_runtime *runtime = make("", NULL, NULL);
    pthread_t thread;
    assert_int_equal(pthread_key_create(&last_key, speaks_last), 0);
    for (int i = 1; i <= 3; i++) {
        void *result;
        pthread_create(&thread, NULL, thread_ends, runtime);
        pthread_join(thread, &result);
        assert_ptr_equal(result, runtime);
        assert_int_equal(last_words, i);
        assert_int_equal(atomic_load(&runtime->references), 1); /* nothing of the thread is left */
    }
    pthread_key_delete(last_key);
    vta_runtime_destroy(runtime);
}

/* Two threads free the same buffers: each buffer is freed once, and no slot is given out twice. */
enum { CONTENDED = 1500 };
static void *contended[CONTENDED];
static atomic_int contenders; /* arrivals at the buffers, so that both threads come to each at the same time */

static void *thread_frees(void *runtime) {
    vta_runtime_use(runtime);
    for (int i = 0; i < CONTENDED; i++) {
        atomic_fetch_add(&contenders, 1);
        for (int spins = 0; atomic_load(&contenders) < 2 * (i + 1) && spins < 200000;) spins++;
        VTABufferFree(contended[i]);
    }
    return NULL;
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

TEST_CASE(test_two_threads_free_one_buffer) {
    vta_runtime *runtime = make("", NULL, NULL);
    pthread_t threads[2];
    vta_runtime_use(runtime);
    for (int i = 0; i < CONTENDED; i++) contended[i] = VTABufferAlloc(16);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, thread_frees, runtime);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < CONTENDED; i++) contended[i] = VTABufferAlloc(16);
    qsort(contended, CONTENDED, sizeof *contended, by_address);
    for (int i = 0; i < CONTENDED; i++) {
        assert_non_null(contended[i]);
        if (i) assert_ptr_not_equal(contended[i], contended[i - 1]);
    }
    for (int i = 0; i < CONTENDED; i++) VTABufferFree(contended[i]);
    vta_runtime_use(NULL);
    vta_runtime_destroy(runtime);
}

/* The default runtime is replaced while threads use it: each finishes what it has begun, or is told. */
static void *thread_survives(void *unused) {
    (void)unused;
    void *site = NULL;
    for (int round = 0; round < ROUNDS; round++) {
        VTACommandHandle cmd = VTATLSCommandHandle();
        void *acc = VTABufferAlloc(256);
        VTALoadBuffer2D(cmd, acc, 0, 4, 1, 4, 0, 0, 0, 0, 0, VTA_MEM_ACC);
        push_alu(&site, 1);
        VTASynchronize(cmd, 0);
        vta_clear_error(cmd);
        VTABufferFree(acc);
        vta_clear_error(NULL);
    }
    return NULL;
}

static atomic_int wrong_answers;

/* A thread without a command handle keeps no runtime alive: only its calls do, while they last. */
static void *thread_uses_buffers(void *unused) {
    (void)unused;
    for (int round = 0; round < 20 * ROUNDS; round++) {
        int32_t value = round;
        size_t bytes;
        void *buffer = VTABufferAlloc(sizeof value);
        if (vta_buffer_info(buffer, &bytes, NULL) == VTA_OK && bytes != sizeof value) wrong_answers++;
        if (vta_runtime_timing(NULL, NULL, NULL, NULL) != VTA_UNSUPPORTED) wrong_answers++;
        VTABufferCopy(&value, 0, buffer, 0, sizeof value, 1);
        VTABufferCopy(buffer, 0, &value, 0, sizeof value, 2);
        VTABufferFree(buffer);
        vta_clear_error(NULL);
    }
    return NULL;
}

TEST_CASE(test_reconfigure_among_threads) {
    vta_config *config = vta_config_default();
    pthread_t threads[THREADS];
    vta_runtime_use(NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i % 2 ? thread_survives : thread_uses_buffers, NULL);
    for (int i = 0; i < 50; i++) assert_int_equal(vta_runtime_reconfigure(config, "sim", NULL, NULL), VTA_OK);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(wrong_answers, 0);
    vta_config_release(config);
}

int main(void) { return run_cases(); }
