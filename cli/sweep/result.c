#include "result.h"

#include <stdlib.h>
#include <string.h>

void result_free(result *r) {
    free(r->machine);
    free(r->subject);
    free(r->error);
    free(r->device);
    free(r->server);
    for (size_t i = 0; i < r->layer_count; i++) free(r->layers[i].name);
    free(r->layers);
    *r = (result){0};
}

result_label result_label_of(const char *machine, const char *device, bool measured) {
    result_label l;
    snprintf(l.text, sizeof l.text, "%.500s%s%.60s", *machine ? machine : "(unchanged)", measured ? " on " : "",
             measured && device ? device : "");
    return l;
}

static json_t *layers_json(const result *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->layer_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:I}", "layer", r->layers[i].name, "cycles", (json_int_t)r->layers[i].cycles));
    return list;
}

static void set_number(json_t *o, const char *name, double value) { json_object_set_new(o, name, json_real(value)); }

static void set_count(json_t *o, const char *name, uint64_t value) {
    json_object_set_new(o, name, json_integer((json_int_t)value));
}

json_t *result_json(const result *r, bool times) {
    json_t *o = json_pack("{s:s, s:s, s:s}", "key", r->key, "machine", r->machine, "subject", r->subject);
    if (r->error) {
        json_object_set_new(o, "error", json_string(r->error));
        return o;
    }
    if (r->device) json_object_set_new(o, "device", json_string(r->device));
    if (r->server) json_object_set_new(o, "server", json_string(r->server));
    set_count(o, "cycle_count", r->cycles);
    set_number(o, "seconds", r->seconds);
    if (!r->server) { /* which says nothing of these */
        set_number(o, "gemm_utilization", r->utilization);
        set_number(o, "bus_utilization", r->bus);
        set_number(o, "roofline_fraction", r->roofline);
    }
    set_count(o, "buffer_bytes", r->buffer_bytes);
    set_number(o, "area", r->area);
    if (!r->server) set_number(o, "energy", r->energy);
    set_count(o, "runs", r->runs);
    if (r->layer_count || (r->server && r->accelerator_layers)) {
        set_count(o, "accelerator_layers", r->accelerator_layers);
        set_count(o, "host_layers", r->host_layers);
        if (r->layer_count) json_object_set_new(o, "layers", layers_json(r));
    }
    if (r->accuracy.pictures)
        json_object_set_new(o, "accuracy",
                            json_pack("{s:I, s:I, s:I}", "pictures", (json_int_t)r->accuracy.pictures, "top1",
                                      (json_int_t)r->accuracy.top1, "top5", (json_int_t)r->accuracy.top5));
    if (times)
        json_object_set_new(o, "times",
                            json_pack("{s:f, s:f, s:b}", "compile_seconds", r->compile_seconds, "timing_seconds",
                                      r->timing_seconds, "cached", r->is_cached));
    return o;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static bool text_of(const json_t *o, const char *name, char **out) {
    const char *text = json_string_value(json_object_get(o, name));
    *out = text ? strdup(text) : NULL;
    return *out;
}

static double number_of(const json_t *o, const char *name) { return json_number_value(json_object_get(o, name)); }

static uint64_t count_of(const json_t *o, const char *name) {
    json_int_t n = json_integer_value(json_object_get(o, name));
    return n > 0 ? (uint64_t)n : 0;
}

static bool layers_of(const json_t *list, result *out) {
    size_t count = json_array_size(list);
    out->layers = calloc(count + 1, sizeof *out->layers);
    for (size_t i = 0; out->layers && i < count; i++) {
        const json_t *l = json_array_get(list, i);
        if (!text_of(l, "layer", &out->layers[i].name)) return false;
        out->layers[i].cycles = count_of(l, "cycles");
        out->layer_count++;
    }
    return out->layers;
}

bool result_parse(const json_t *line, result *out) {
    *out = (result){0};
    const char *key = json_string_value(json_object_get(line, "key"));
    if (!key || strlen(key) != SWEEP_KEY - 1) return false;
    memcpy(out->key, key, SWEEP_KEY);
    if (!text_of(line, "machine", &out->machine) || !text_of(line, "subject", &out->subject)) return false;
    if (json_object_get(line, "error")) return text_of(line, "error", &out->error);
    if (!json_is_integer(json_object_get(line, "cycle_count"))) return false;
    bool named = json_object_get(line, "device"), measured = json_object_get(line, "server");
    if ((named && !text_of(line, "device", &out->device)) || (measured && !text_of(line, "server", &out->server)))
        return false;
    out->cycles = count_of(line, "cycle_count");
    out->seconds = number_of(line, "seconds");
    out->utilization = number_of(line, "gemm_utilization");
    out->bus = number_of(line, "bus_utilization");
    out->roofline = number_of(line, "roofline_fraction");
    out->buffer_bytes = count_of(line, "buffer_bytes");
    out->area = number_of(line, "area");
    out->energy = number_of(line, "energy");
    out->runs = count_of(line, "runs");
    out->accelerator_layers = count_of(line, "accelerator_layers");
    out->host_layers = count_of(line, "host_layers");
    const json_t *accuracy = json_object_get(line, "accuracy");
    out->accuracy =
        (result_accuracy){count_of(accuracy, "pictures"), count_of(accuracy, "top1"), count_of(accuracy, "top5")};
    const json_t *times = json_object_get(line, "times");
    out->has_times = times;
    out->compile_seconds = number_of(times, "compile_seconds");
    out->timing_seconds = number_of(times, "timing_seconds");
    out->is_cached = json_is_true(json_object_get(times, "cached"));
    return layers_of(json_object_get(line, "layers"), out);
}

vta_status result_list_add(result_list *list, result *r) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        result *more = realloc(list->item, capacity * sizeof *more);
        if (!more) return VTA_NO_MEMORY;
        list->item = more;
        list->capacity = capacity;
    }
    list->item[list->count++] = *r;
    *r = (result){0};
    return VTA_OK;
}

void result_list_free(result_list *list) {
    for (size_t i = 0; i < list->count; i++) result_free(&list->item[i]);
    free(list->item);
    *list = (result_list){0};
}
