/* A network on a server: images a second with 1 to 4 devices of one server on the loopback, each with its own client
 * and session. The baseline, in the same run, is the same network in this process, without a server; every output is
 * compared with its output. Prints a table and writes rpc_serving.json into the folder named by the first argument
 * (default build/bench); the second names an artifact of one input and one output, else ResNet-8 of ../shared/models is
 * compiled, where that is. */
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loopback.h"
#include "timing.h"
#include "vta/exec.h"

/* The quickest round counts. */
enum { MAX_DEVICES = 4, ROUNDS = 30, RUNS = 20, WARM = 3 };

static const char *model_path;
static vta_model_tensor input, output;
static char *in_bytes, *expected;
static pthread_barrier_t start;

/* ---- Without a server -------------------------------------------------------------------------------------------- */

/* Seconds of one run, the mean of the quickest round. */
static double local(vta_model *model, vta_diag *diag) {
    vta_instance *instance;
    loopback_must(vta_instance_create(model, NULL, diag, &instance), diag);
    double begin = now_seconds(), best = 1e9;
    for (int i = -WARM; i < ROUNDS * RUNS; i++) {
        if (i >= 0 && i % RUNS == 0) begin = now_seconds();
        loopback_must(vta_instance_set_input(instance, 0, in_bytes, input.bytes, diag), diag);
        loopback_must(vta_instance_run(instance, diag), diag);
        loopback_must(vta_instance_get_output(instance, 0, expected, output.bytes, diag), diag);
        if (i % RUNS == RUNS - 1 && now_seconds() - begin < best) best = now_seconds() - begin;
    }
    vta_instance_destroy(instance);
    return best / RUNS;
}

/* ---- Clients ----------------------------------------------------------------------------------------------------- */

typedef struct client {
    pthread_t thread;
    vta_rpc *rpc;
    vta_diag *diag;
    uint64_t model, arrays[2];
    double in_runs, of_round; /* seconds, as the server measures them; of the last round */
    char *got;
} client;

static void load(client *c, uint32_t port) {
    size_t size;
    char *text = NULL;
    c->diag = vta_diag_create(NULL);
    c->got = malloc(output.bytes);
    FILE *f = fopen(model_path, "rb");
    if (!f || !c->got) exit(1);
    fseek(f, 0, SEEK_END);
    size = (size_t)ftell(f);
    rewind(f);
    text = malloc(size);
    if (!text || fread(text, 1, size, f) != size) exit(1);
    fclose(f);
    loopback_must(vta_rpc_connect(NULL, port, NULL, NULL, c->diag, &c->rpc), c->diag);
    loopback_must(vta_rpc_upload(c->rpc, "m.vta-model", text, size, c->diag), c->diag);
    loopback_must(vta_rpc_load_model(c->rpc, "m.vta-model", c->diag, &c->model, NULL), c->diag);
    const vta_model_tensor *const tensors[] = {&input, &output};
    for (int i = 0; i < 2; i++)
        loopback_must(vta_rpc_array(c->rpc, kDLCPU, tensors[i]->ndim, tensors[i]->shape, tensors[i]->type, c->diag,
                                    &c->arrays[i]),
                      c->diag);
    free(text);
}

static void serve_one(client *c) {
    double seconds;
    loopback_must(vta_rpc_write(c->rpc, c->arrays[0], 0, in_bytes, input.bytes, c->diag), c->diag);
    loopback_must(vta_rpc_run_model(c->rpc, c->model, c->arrays, 2, c->diag, &seconds, NULL), c->diag);
    loopback_must(vta_rpc_read(c->rpc, c->arrays[1], 0, c->got, output.bytes, c->diag), c->diag);
    c->in_runs += seconds;
    if (!memcmp(c->got, expected, output.bytes)) return;
    fprintf(stderr, "a server computes something else\n");
    exit(1);
}

static void *work(void *arg) {
    client *c = arg;
    for (int i = 0; i < WARM; i++) serve_one(c);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&start);
        c->in_runs = 0;
        for (int i = 0; i < RUNS; i++) serve_one(c);
        c->of_round = c->in_runs;
        pthread_barrier_wait(&start);
        pthread_barrier_wait(&start); /* it has been read */
    }
    return NULL;
}

typedef struct result {
    double images_per_second, run_ms; /* of all clients together; one run */
} result;

static result remote(int devices, uint32_t port) {
    client each[MAX_DEVICES] = {0};
    result r = {0};
    pthread_barrier_init(&start, NULL, (unsigned)devices + 1);
    for (int i = 0; i < devices; i++) {
        load(&each[i], port);
        if (pthread_create(&each[i].thread, NULL, work, &each[i])) exit(1);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double in_runs = 0;
        pthread_barrier_wait(&start);
        double begin = now_seconds();
        pthread_barrier_wait(&start);
        double images = (double)devices * RUNS * (double)input.shape[0] / (now_seconds() - begin);
        for (int i = 0; i < devices; i++) in_runs += each[i].of_round;
        pthread_barrier_wait(&start);
        if (images > r.images_per_second) r = (result){images, in_runs / (devices * RUNS) * 1e3};
    }
    for (int i = 0; i < devices; i++) {
        pthread_join(each[i].thread, NULL);
        vta_rpc_close(each[i].rpc);
        vta_diag_destroy(each[i].diag);
        free(each[i].got);
    }
    pthread_barrier_destroy(&start);
    return r;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static void row(json_t *rows, const char *name, int devices, double images, double run_ms) {
    printf("%-24s %8d %12.0f %12.2f\n", name, devices, images, run_ms);
    json_array_append_new(rows, json_pack("{s:s, s:i, s:f, s:f}", "what", name, "devices", devices, "images_per_second",
                                          images, "run_ms", run_ms));
}

/* Compiles the network with the tool of this build into `folder`; false where the model is missing. */
static bool compile_model(const char *folder, char *path, size_t room) {
    static const char onnx[] = "../shared/models/resnet8-cifar10/model-int8-qdq.onnx";
    char command[4096];
    if (access(onnx, R_OK) != 0) return false;
    snprintf(path, room, "%s/serving.vta-model", folder);
    snprintf(command, sizeof command, "%s/../vta compile %s -o %s >/dev/null", folder, onnx, path);
    return system(command) == 0;
}

static void measure(const char *folder, vta_model *model, vta_diag *diag, json_t *rows) {
    char program[1024];
    uint32_t port;
    double alone = local(model, diag);
    printf("%-24s %8s %12s %12s\n", vta_model_name(model), "devices", "images/s", "one run, ms");
    row(rows, "in this process", 1, (double)input.shape[0] / alone, alone * 1e3);
    snprintf(program, sizeof program, "%s/../vta-session", folder);
    const vta_rpc_server_options options = {.session_program = program};
    pid_t pid = loopback_serve(&options, &port);
    for (int devices = 1; devices <= MAX_DEVICES; devices++) {
        result r = remote(devices, port);
        row(rows, "through a server", devices, r.images_per_second, r.run_ms);
    }
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "build/bench";
    char path[1024], made[1024];
    vta_model *model;
    vta_diag *diag = vta_diag_create(NULL);
    model_path = argc > 2 ? argv[2] : compile_model(folder, made, sizeof made) ? made : NULL;
    if (!model_path) {
        printf("../shared/models is not there: nothing is measured\n");
        return 0;
    }
    loopback_must(vta_model_load(model_path, NULL, diag, &model), diag);
    if (vta_model_input_count(model) != 1 || vta_model_output_count(model) != 1) {
        fprintf(stderr, "%s: a network of one input and one output is expected\n", model_path);
        return 1;
    }
    loopback_must(vta_model_input(model, 0, &input), diag);
    loopback_must(vta_model_output(model, 0, &output), diag);
    in_bytes = malloc(input.bytes);
    expected = malloc(output.bytes);
    if (!in_bytes || !expected) return 1;
    /* Floats of a quarter to three quarters, or bytes. */
    for (size_t i = 0; i < input.bytes; i++) in_bytes[i] = (char)(input.type.code == kDLFloat ? 0x3f : i * 37 % 251);
    json_t *rows = json_array();
    measure(folder, model, diag, rows);
    snprintf(path, sizeof path, "%s/rpc_serving.json", folder);
    int failed = json_dump_file(rows, path, JSON_INDENT(1));
    if (failed) fprintf(stderr, "%s: cannot be written\n", path);
    json_decref(rows);
    vta_model_release(model);
    vta_diag_destroy(diag);
    free(in_bytes);
    free(expected);
    return failed != 0;
}
