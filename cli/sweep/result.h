/* What a sweep finds out of one machine and one subject (a network, a program, a kernel): a line of JSON in a file. */
#ifndef CLI_SWEEP_RESULT_H
#define CLI_SWEEP_RESULT_H

#include "space.h"

/* Of pictures whose classes are known: how many there are, and of how many the class is the first, or among the first
 * five. No pictures: nobody asked. */
typedef struct result_accuracy {
    uint64_t pictures, top1, top5;
} result_accuracy;

typedef struct result_layer {
    char *name;
    uint64_t cycles;
} result_layer;

/* Texts are of malloc. Zeroed: nothing is known. */
typedef struct result {
    char key[SWEEP_KEY]; /* of everything that decides the numbers */
    char *machine;       /* the changes, "LOG_BLOCK=5 bus_bits=128" */
    char *subject;       /* "resnet18.onnx" */
    char *error;         /* why there are no numbers; else NULL */
    char *device;        /* what told the numbers: "tsim", or a driver; NULL: older results, of tsim */
    char *server;        /* that measured them; NULL: they were computed */
    uint64_t cycles;
    double seconds; /* of the accelerator, at the clock of its timing profile; of the whole run, where measured */
    double utilization, bus, roofline;
    uint64_t buffer_bytes;
    double area, energy; /* energy in joules: an estimate (energy.def) */
    uint64_t runs, accelerator_layers, host_layers;
    result_layer *layers; /* on the accelerator, in their order */
    size_t layer_count;
    result_accuracy accuracy;
    double compile_seconds, timing_seconds; /* of this machine */
    bool is_cached;                         /* its streams came from the cache */
    bool has_times;                         /* those three were read */
    bool pareto;                            /* no other is at least as good in all, and better in one */
} result;

/* How results are written: a line, with numbers that are read again as they were. */
#define RESULT_JSON (JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17))

void result_free(result *r);
/* As in a file. Without `times`, what belongs to the machine that computed it is left out: equal work gives equal
 * lines. */
json_t *result_json(const result *r, bool times);
/* "LOG_BLOCK=5", "(unchanged)", " on pynq" behind it where it was measured. */
typedef struct result_label {
    char text[600];
} result_label;
result_label result_label_of(const char *machine, const char *device, bool measured);
/* Reads one; false when that is no result. Free it also then. */
bool result_parse(const json_t *line, result *out);

typedef struct result_list {
    result *item;
    size_t count, capacity;
} result_list;

/* Moves a result into the list. */
vta_status result_list_add(result_list *list, result *r);
void result_list_free(result_list *list);

#endif
