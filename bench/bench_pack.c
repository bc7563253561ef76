/* Packing: gigabytes a second of tensors to tiles and back (vta/pack.h), compared with memcpy of as many bytes as the
 * tiles have. One thread where the process has one core (bench/run). Prints a table and writes pack.json into the
 * folder named by the first argument (default build/bench). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"
#include "vta/pack.h"

typedef struct row {
    const char *name;
    vta_pack_shape shape;
} row;

static const row rows[] = {
    {"image 64x56x56, int8, N C H W", {.n = 1, .c = 64, .h = 56, .w = 56, .rows = 1, .lanes = 16, .element_bytes = 1}},
    {"image 64x56x56, int8, N H W C",
     {.n = 1, .c = 64, .h = 56, .w = 56, .rows = 1, .lanes = 16, .element_bytes = 1, .layout = VTA_NHWC}},
    {"image 3x224x224, int8, N C H W",
     {.n = 1, .c = 3, .h = 224, .w = 224, .rows = 1, .lanes = 16, .element_bytes = 1}},
    {"image 512x7x7, int8, N C H W", {.n = 1, .c = 512, .h = 7, .w = 7, .rows = 1, .lanes = 16, .element_bytes = 1}},
    {"images 4x64x28x28, int8, BATCH 4",
     {.n = 4, .c = 64, .h = 28, .w = 28, .rows = 4, .lanes = 16, .element_bytes = 1}},
    {"image 64x56x56, int32, N C H W", {.n = 1, .c = 64, .h = 56, .w = 56, .rows = 1, .lanes = 16, .element_bytes = 4}},
    {"weights 512x512x3x3, int8", {.n = 512, .c = 512, .h = 3, .w = 3, .rows = 16, .lanes = 16, .element_bytes = 1}},
    {"weights 256x128x1x1, int8", {.n = 256, .c = 128, .h = 1, .w = 1, .rows = 16, .lanes = 16, .element_bytes = 1}},
    {"matrix 1024x1024, int8", {.n = 1024, .c = 1024, .h = 1, .w = 1, .rows = 1, .lanes = 16, .element_bytes = 1}},
    {"matrix 1024x1024, int32", {.n = 1024, .c = 1024, .h = 1, .w = 1, .rows = 1, .lanes = 16, .element_bytes = 4}},
};

typedef struct work {
    const vta_pack_shape *shape;
    void *plain, *tiles;
    size_t bytes; /* of the tensor in tiles, which is no smaller */
} work;

static int to_tiles(void *arg) {
    work *w = arg;
    return vta_pack(w->shape, w->plain, NULL, w->tiles) == VTA_OK;
}
static int from_tiles(void *arg) {
    work *w = arg;
    return vta_unpack(w->shape, w->tiles, NULL, w->plain) == VTA_OK;
}
static int copy(void *arg) {
    work *w = arg;
    memcpy(w->tiles, w->plain, w->bytes);
    return 1;
}

static int measure(const row *r, json_t *report) {
    const vta_pack_shape *s = &r->shape;
    work w = {.shape = s};
    if (vta_pack_bytes(s, NULL, &w.bytes) != VTA_OK) return 1;
    w.plain = calloc(1, w.bytes);
    w.tiles = calloc(1, w.bytes);
    double gigabytes = (double)w.bytes / 1e9, to = 0, from = 0, plain = 0;
    if (w.plain && w.tiles) {
        memset(w.plain, 1, w.bytes);
        memset(w.tiles, 1, w.bytes);
        to = gigabytes / best_seconds(to_tiles, &w);
        from = gigabytes / best_seconds(from_tiles, &w);
        plain = gigabytes / best_seconds(copy, &w);
        printf("%-34s %8.1f %8.1f %8.1f %6.2f %6.2f\n", r->name, to, from, plain, to / plain, from / plain);
        json_array_append_new(
            report, json_pack("{s:s, s:f, s:f, s:f}", "tensor", r->name, "pack", to, "unpack", from, "memcpy", plain));
    }
    free(w.plain);
    free(w.tiles);
    return plain <= 0;
}

int main(int argc, char **argv) {
    char path[1024];
    json_t *report = json_array();
    int failed = 0;
    printf("%-34s %8s %8s %8s   of memcpy\n", "GB/s", "pack", "unpack", "memcpy");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) failed |= measure(&rows[i], report);
    snprintf(path, sizeof path, "%s/pack.json", argc > 1 ? argv[1] : "build/bench");
    if (json_dump_file(report, path, JSON_INDENT(1))) {
        fprintf(stderr, "%s: cannot be written\n", path);
        failed = 1;
    }
    json_decref(report);
    return failed;
}
