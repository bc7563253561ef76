/* Runs a compiled detector on an image, and prints the boxes that it finds: libvta alone, without the compiler.
 *
 *     vta compile yolox_nano.onnx --calibrate samples
 *     build/examples/detect yolox_nano.vta-model dog.jpg */
#include <stdio.h>
#include <stdlib.h>

#include "vta/detect.h"
#include "vta/exec.h"

enum { MAX_OUTPUTS = 8 };

typedef struct detection {
    vta_model *model;
    vta_instance *instance;
    vta_detector *detector;
    vta_image *image;
    vta_boxes *boxes;
    float *input;
    void *outputs[MAX_OUTPUTS];
} detection;

/* The decoder follows from the outputs, the preprocessing from the decoder. */
static vta_status open_model(detection *d, const char *path, vta_model_tensor *in, vta_diag *diag) {
    vta_detect_tensor outputs[MAX_OUTPUTS];
    vta_status status = vta_model_load(path, NULL, diag, &d->model);
    if (status == VTA_OK) status = vta_model_input(d->model, 0, in);
    if (status != VTA_OK) return status;
    size_t count = vta_model_output_count(d->model);
    if (in->ndim != 4 || count > MAX_OUTPUTS) return VTA_UNSUPPORTED;
    for (size_t i = 0; i < count; i++) {
        vta_model_tensor t = {.size = sizeof t};
        vta_model_output(d->model, i, &t);
        outputs[i] = (vta_detect_tensor){t.name, t.type, t.ndim, t.shape};
        d->outputs[i] = malloc(t.bytes);
        if (!d->outputs[i]) return VTA_NO_MEMORY;
    }
    status = vta_detector_create(NULL, (uint32_t)in->shape[2], (uint32_t)in->shape[3], outputs, count, NULL, diag,
                                 &d->detector);
    return status == VTA_OK ? vta_instance_create(d->model, NULL, diag, &d->instance) : status;
}

static vta_status run(detection *d, const char *path, const vta_model_tensor *in, vta_diag *diag) {
    uint32_t channels = (uint32_t)in->shape[1], height = (uint32_t)in->shape[2], width = (uint32_t)in->shape[3];
    vta_preprocess how = {.size = sizeof how};
    vta_placement placed = {.size = sizeof placed};
    const char *preset = vta_decoder_preset(vta_detector_decoder(d->detector));
    vta_status status = vta_preprocess_preset(preset, diag, &how);
    if (status == VTA_OK) status = vta_image_load(path, NULL, diag, &d->image);
    if (status == VTA_OK)
        status = vta_preprocess_place(&how, vta_image_width(d->image), vta_image_height(d->image), height, width, diag,
                                      &placed);
    d->input = malloc(in->bytes);
    if (!d->input) return VTA_NO_MEMORY;
    if (status == VTA_OK)
        status = vta_preprocess_run(&how, d->image, channels, height, width, VTA_NCHW, diag, d->input);
    if (status == VTA_OK) status = vta_instance_set_input(d->instance, 0, d->input, in->bytes, diag);
    if (status == VTA_OK) status = vta_instance_run(d->instance, diag);
    for (size_t i = 0; i < vta_model_output_count(d->model) && status == VTA_OK; i++) {
        vta_model_tensor t = {.size = sizeof t};
        vta_model_output(d->model, i, &t);
        status = vta_instance_get_output(d->instance, i, d->outputs[i], t.bytes, diag);
    }
    if (status != VTA_OK) return status;
    return vta_detector_run(d->detector, (const void *const *)d->outputs, &placed, diag, &d->boxes);
}

int main(int argc, char **argv) {
    detection d = {0};
    vta_model_tensor in = {.size = sizeof in};
    vta_diag *diag = vta_diag_create(NULL);
    if (argc != 3) {
        fprintf(stderr, "usage: detect MODEL.vta-model IMAGE\n");
        return 2;
    }
    vta_status status = open_model(&d, argv[1], &in, diag);
    if (status == VTA_OK) status = run(&d, argv[2], &in, diag);
    for (size_t i = 0; i < vta_boxes_count(d.boxes); i++) {
        const vta_box *b = vta_boxes_get(d.boxes, i);
        const char *name = vta_detector_class_name(d.detector, b->class_id);
        printf("%.4f %.1f %.1f %.1f %.1f %d %s\n", (double)b->score, (double)b->x0, (double)b->y0, (double)b->x1,
               (double)b->y1, (int)b->class_id, name ? name : "");
    }
    if (status != VTA_OK) fprintf(stderr, "%s: %s\n", vta_status_text(status), vta_diag_text(diag));
    vta_boxes_destroy(d.boxes);
    vta_image_destroy(d.image);
    vta_detector_destroy(d.detector);
    vta_instance_destroy(d.instance);
    vta_model_release(d.model);
    for (size_t i = 0; i < MAX_OUTPUTS; i++) free(d.outputs[i]);
    free(d.input);
    vta_diag_destroy(diag);
    return status == VTA_OK ? 0 : 1;
}
