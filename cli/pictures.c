/* Pictures as inputs of networks. */
#include "pictures.h"

#include "model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

static vta_status wrong(const char *what, const char *text, const char *wanted) {
    char message[768];
    snprintf(message, sizeof message, "%.250s %.200s: %.250s", what, text, wanted);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_INVALID_ARGUMENT, message);
    return VTA_INVALID_ARGUMENT;
}

/* "0.5" or "1/255"; NULL when it is neither. Gives what follows it. */
static const char *number(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    if (end == text) return NULL;
    if (*end == '/') {
        const char *below = end + 1;
        double by = strtod(below, &end);
        if (end == below || by == 0) return NULL;
        *out /= by;
    }
    return isfinite(*out) ? end : NULL;
}

vta_status cli_pictures_triple(const char *option, const char *text, double out[3]) {
    const char *at = text;
    int count = 0;
    while (count < 3 && (at = number(at, &out[count]))) {
        count++;
        if (*at != ',') break;
        at++;
    }
    if (!at || *at || (count != 1 && count != 3))
        return wrong(option, text, "expected one number, or three with commas");
    if (count == 1) out[1] = out[2] = out[0];
    return VTA_OK;
}

/* ---- Settings beside the model ---- */

/* A file that the settings name is in their folder; free() it. */
static char *in_folder(const char *path, const char *name) {
    const char *slash = strrchr(path, '/');
    size_t n = slash && *name != '/' ? (size_t)(slash - path) + 1 : 0;
    char *whole = malloc(n + strlen(name) + 1);
    if (whole) snprintf(whole, n + strlen(name) + 1, "%.*s%s", (int)n, path, name);
    return whole;
}

static bool triple(const json_t *value, double out[3]) {
    if (json_is_number(value)) {
        out[0] = out[1] = out[2] = json_number_value(value);
        return true;
    }
    for (size_t i = 0; i < 3; i++) {
        if (!json_is_number(json_array_get(value, i))) return false;
        out[i] = json_number_value(json_array_get(value, i));
    }
    return json_array_size(value) == 3;
}

static bool set_layout(cli_pictures *p, const char *word) {
    if (!word || (strcmp(word, "NCHW") != 0 && strcmp(word, "NHWC") != 0)) return false;
    p->layout = strcmp(word, "NHWC") == 0 ? VTA_NHWC : VTA_NCHW;
    p->layout_given = true;
    return true;
}

static const char *const fits[] = {
    [VTA_FIT_STRETCH] = "stretch", [VTA_FIT_CORNER] = "corner", [VTA_FIT_CENTER] = "center"};
static const char *const samplings[] = {[VTA_SAMPLING_TRIANGLE] = "triangle", [VTA_SAMPLING_LINEAR] = "linear"};

/* The place of a word in a list, or `count`. */
static size_t find(const char *word, const char *const *words, size_t count) {
    size_t i = 0;
    while (i < count && (!word || strcmp(word, words[i]) != 0)) i++;
    return i;
}

static bool set_fit(cli_pictures *p, const char *word) {
    size_t count = sizeof fits / sizeof *fits, i = find(word, fits, count);
    if (i < count) p->how.fit = (vta_fit)i;
    return i < count;
}

static bool set_sampling(cli_pictures *p, const char *word) {
    size_t count = sizeof samplings / sizeof *samplings, i = find(word, samplings, count);
    if (i < count) p->how.sampling = (vta_sampling)i;
    return i < count;
}

static bool set_decoder(cli_pictures *p, const char *word) {
    return word && vta_decoder_find(word, NULL, &p->decoder) == VTA_OK;
}

static bool set_share(const json_t *value, double *out) {
    *out = json_number_value(value);
    return json_is_number(value) && *out >= 0 && *out <= 1;
}

static bool set_count(const json_t *value, uint32_t *out) {
    json_int_t n = json_integer_value(value);
    *out = (uint32_t)n;
    return json_is_integer(value) && n >= 0 && n <= UINT32_MAX;
}

/* One key; false for another one, or a value of another kind. */
static bool set_key(cli_pictures *p, const char *path, const char *key, const json_t *value) {
    if (!strcmp(key, "preset")) return json_is_string(value); /* was applied first */
    if (!strcmp(key, "resize")) return set_count(value, &p->how.resize);
    if (!strcmp(key, "crop")) return set_count(value, &p->how.crop);
    if (!strcmp(key, "mean")) return triple(value, p->how.mean);
    if (!strcmp(key, "std")) return triple(value, p->how.std);
    if (!strcmp(key, "layout")) return set_layout(p, json_string_value(value));
    if (!strcmp(key, "scale")) {
        p->how.scale = json_number_value(value);
        return json_is_number(value);
    }
    if (!strcmp(key, "bgr")) {
        p->how.bgr = json_is_true(value);
        return json_is_boolean(value);
    }
    if (!strcmp(key, "fit")) return set_fit(p, json_string_value(value));
    if (!strcmp(key, "sampling")) return set_sampling(p, json_string_value(value));
    if (!strcmp(key, "decoder")) return set_decoder(p, json_string_value(value));
    if (!strcmp(key, "score")) return set_share(value, &p->score);
    if (!strcmp(key, "iou")) return set_share(value, &p->iou);
    if (!strcmp(key, "fill")) {
        p->how.fill = json_number_value(value);
        return json_is_number(value);
    }
    if (!strcmp(key, "label_offset")) {
        p->label_offset = json_integer_value(value);
        return json_is_integer(value);
    }
    if (strcmp(key, "labels") != 0 || !json_is_string(value)) return false;
    p->labels = in_folder(path, json_string_value(value));
    return p->labels != NULL;
}

/* The keys that say what the numbers of a picture become. */
static const char *const values[] = {"preset", "scale", "mean", "std", "decoder"};

/* Takes `root`. */
static vta_status take_settings(cli_pictures *p, const char *path, json_t *root, const json_error_t *where) {
    const char *key;
    json_t *value;
    if (!json_is_object(root)) {
        json_decref(root);
        return wrong("settings", path, root ? "expected a JSON object" : where->text);
    }
    vta_status status = VTA_OK;
    const char *preset = json_string_value(json_object_get(root, "preset"));
    p->is_said = true;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (json_object_get(root, values[i])) p->is_known = true;
    if (set_decoder(p, json_string_value(json_object_get(root, "decoder"))) && !preset)
        preset = vta_decoder_preset(p->decoder);
    if (preset) status = vta_preprocess_preset(preset, cli_diag(), &p->how);
    json_object_foreach(root, key, value) {
        if (status != VTA_OK) break;
        if (!set_key(p, path, key, value)) {
            char what[256];
            snprintf(what, sizeof what, "%.150s: key", path);
            status =
                wrong(what, key,
                      "preset, resize, crop, scale, mean, std, bgr, layout, fit, fill, sampling, label_offset, labels, "
                      "decoder, score and iou are known, each with a value of its kind");
        }
    }
    json_decref(root);
    return status;
}

static vta_status read_settings(cli_pictures *p, const char *path) {
    json_error_t where;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    return take_settings(p, path, root, &where);
}

/* Those that the artifact was compiled with. */
static vta_status read_section(cli_pictures *p, const char *path) {
    json_error_t where;
    vta_model *model;
    size_t size;
    if (!cli_is_artifact(path)) return VTA_OK;
    vta_status status = cli_model_load(path, cli_diag(), &model);
    const void *text = status == VTA_OK ? vta_model_section(model, CLI_PICTURE_SECTION, &size) : NULL;
    return text ? take_settings(p, path, json_loadb(text, size, JSON_REJECT_DUPLICATES, &where), &where) : status;
}

vta_status cli_pictures_take(cli_pictures *p, const char *text) {
    json_error_t where;
    return take_settings(p, p->model, json_loads(text, JSON_REJECT_DUPLICATES, &where), &where);
}

json_t *cli_pictures_json(const cli_pictures *p) {
    const vta_preprocess *h = &p->how;
    json_t *j =
        json_pack("{s:I, s:I, s:f, s:[f, f, f], s:[f, f, f], s:b, s:s, s:f, s:s, s:I}", "resize", (json_int_t)h->resize,
                  "crop", (json_int_t)h->crop, "scale", h->scale, "mean", h->mean[0], h->mean[1], h->mean[2], "std",
                  h->std[0], h->std[1], h->std[2], "bgr", (int)h->bgr, "fit", fits[h->fit], "fill", h->fill, "sampling",
                  samplings[h->sampling], "label_offset", (json_int_t)p->label_offset);
    for (size_t i = 0; !p->is_known && i < sizeof values / sizeof *values; i++) json_object_del(j, values[i]);
    if (p->layout_given) json_object_set_new(j, "layout", json_string(p->layout == VTA_NHWC ? "NHWC" : "NCHW"));
    if (p->decoder != VTA_DECODER_GUESS) json_object_set_new(j, "decoder", json_string(vta_decoder_name(p->decoder)));
    if (p->score > 0) json_object_set_new(j, "score", json_real(p->score));
    if (p->iou > 0) json_object_set_new(j, "iou", json_real(p->iou));
    return j;
}

/* ---- Options ---- */

vta_status cli_pictures_apply(cli_pictures *p) {
    char *end;
    if (p->resize) p->how.resize = (uint32_t)p->resize;
    if (p->crop) p->how.crop = (uint32_t)p->crop;
    if (p->bgr) p->how.bgr = true;
    if (p->fit && !set_fit(p, p->fit)) return wrong("--fit", p->fit, "stretch, corner or center");
    if (p->resize > UINT16_MAX || p->crop > UINT16_MAX) return wrong("--resize or --crop", "", "at most 65535 pixels");
    if (p->scale && ((end = (char *)number(p->scale, &p->how.scale)) == NULL || *end))
        return wrong("--scale", p->scale, "expected a number, or 1/255");
    if (p->mean) {
        vta_status status = cli_pictures_triple("--mean", p->mean, p->how.mean);
        if (status != VTA_OK) return status;
    }
    if (p->std) {
        vta_status status = cli_pictures_triple("--std", p->std, p->how.std);
        if (status != VTA_OK) return status;
    }
    if (p->layout_word && !set_layout(p, p->layout_word)) return wrong("--layout", p->layout_word, "NCHW or NHWC");
    if (!p->label_offset_text) return VTA_OK;
    p->label_offset = strtoll(p->label_offset_text, &end, 10);
    return *end || end == p->label_offset_text ? wrong("--label-offset", p->label_offset_text, "expected an integer")
                                               : VTA_OK;
}

vta_status cli_pictures_settle(cli_pictures *p, const char *model) {
    char *path = cli_with_ending(model, ".picture.json");
    vta_status status = path ? VTA_OK : VTA_NO_MEMORY;
    p->how = (vta_preprocess){.size = sizeof p->how};
    p->is_said = p->preset != NULL;
    p->is_known = p->is_said || p->scale || p->mean || p->std;
    p->likely = NULL;
    p->model = model;
    p->decoder = VTA_DECODER_GUESS;
    p->score = p->iou = 0;
    free(p->labels);
    p->labels = NULL;
    if (p->preset) status = vta_preprocess_preset(p->preset, cli_diag(), &p->how);
    if (status == VTA_OK && !p->preset) status = read_section(p, model);
    if (status == VTA_OK && !p->preset && access(path, R_OK) == 0) status = read_settings(p, path);
    free(path);
    return status == VTA_OK ? cli_pictures_apply(p) : status;
}

vta_status cli_pictures_use_decoder(cli_pictures *p, vta_decoder decoder) {
    p->decoder = decoder;
    p->likely = vta_decoder_preset(decoder);
    if (p->is_said) return VTA_OK;
    p->is_known = true;
    vta_status status = vta_preprocess_preset(vta_decoder_preset(decoder), cli_diag(), &p->how);
    return status == VTA_OK ? cli_pictures_apply(p) : status;
}

vta_layout cli_pictures_layout(const cli_pictures *p, const int64_t shape[4]) {
    bool last = shape[3] == 1 || shape[3] == 3, first = shape[1] == 1 || shape[1] == 3;
    return p->layout_given ? p->layout : last && !first ? VTA_NHWC : VTA_NCHW;
}

/* What networks of such inputs and so many classes are trained with as a rule. */
static const char *likely(const cli_pictures *p, const int64_t shape[4], size_t classes) {
    bool last = cli_pictures_layout(p, shape) == VTA_NHWC;
    int64_t channels = shape[last ? 3 : 1], height = shape[last ? 1 : 2];
    if (p->likely) return p->likely;
    if (channels != 3) return "unit";
    if (height == 32 && (classes == 10 || classes == 100)) return "cifar10";
    if (classes == 1001) return "signed"; /* networks from TensorFlow count the background */
    return classes == 1000 || height > 128 ? "imagenet" : "unit";
}

vta_status cli_pictures_need(const cli_pictures *p, const int64_t shape[4], size_t classes) {
    if (p->is_known || !p->model) return VTA_OK;
    char *beside = cli_with_ending(p->model, ".picture.json");
    vta_status status = cli_fail(
        VTA_INVALID_ARGUMENT,
        "%s: it is not known how pictures become its input %lldx%lldx%lldx%lld: give --preset %s, which is likely; "
        "--preset raw for values of 0 to 255; --scale, --mean and --std; or a file %s",
        p->model, (long long)shape[0], (long long)shape[1], (long long)shape[2], (long long)shape[3],
        likely(p, shape, classes), beside ? beside : "MODEL.picture.json");
    free(beside);
    return status;
}

void cli_pictures_size(const cli_pictures *p, const int64_t shape[4], uint32_t *out_height, uint32_t *out_width) {
    int h = cli_pictures_layout(p, shape) == VTA_NHWC ? 1 : 2;
    *out_height = (uint32_t)shape[h];
    *out_width = (uint32_t)shape[h + 1];
}

/* Notes where the picture is in the input, for boxes. */
static vta_status place(const cli_pictures *p, size_t index, const vta_image *image, uint32_t height, uint32_t width,
                        vta_diag *diag) {
    if (!p->placed) return VTA_OK;
    p->placed[index] = (vta_placement){.size = sizeof *p->placed};
    return vta_preprocess_place(&p->how, vta_image_width(image), vta_image_height(image), height, width, diag,
                                &p->placed[index]);
}

static vta_status read_picture(const cli_pictures *p, size_t index, const char *path, const int64_t shape[4],
                               vta_diag *diag, float *out) {
    vta_layout layout = cli_pictures_layout(p, shape);
    uint32_t channels = (uint32_t)shape[layout == VTA_NHWC ? 3 : 1], height, width;
    vta_image *image;
    cli_pictures_size(p, shape, &height, &width);
    vta_status status = vta_image_load(path, NULL, diag, &image);
    if (status != VTA_OK) return status;
    status = vta_preprocess_run(&p->how, image, channels, height, width, layout, diag, out);
    if (status == VTA_OK) status = place(p, index, image, height, width, diag);
    vta_image_destroy(image);
    if (status != VTA_OK) {
        char message[400];
        snprintf(message, sizeof message, "%.350s is not made an input of the network", path);
        vta_diag_add(diag, VTA_ERROR, status, message);
    }
    return status;
}

vta_status cli_picture_read(const cli_pictures *p, const char *path, const int64_t shape[4], vta_diag *diag,
                            float *out) {
    cli_pictures plain = *p;
    plain.placed = NULL;
    return read_picture(&plain, 0, path, shape, diag, out);
}

/* Messages of a list as one text, of malloc; NULL without memory. */
static char *messages_of(const vta_diag *diag) {
    char *text = NULL;
    vta_diag_entry e;
    for (size_t i = 0; vta_diag_get(diag, i, &e) == VTA_OK; i++) {
        char *now = NULL;
        if (asprintf(&now, "%s%s%s", text ? text : "", text ? "; " : "", e.message) < 0) now = NULL;
        free(text);
        text = now;
    }
    return text;
}

vta_status cli_picture_read_one(const cli_pictures *p, size_t index, const char *path, const int64_t shape[4],
                                vta_diag *diag, float *out) {
    if (!p->broken) return read_picture(p, index, path, shape, diag, out);
    vta_diag *own = vta_diag_create(NULL);
    vta_status status = own ? read_picture(p, index, path, shape, own, out) : VTA_NO_MEMORY;
    if (status != VTA_OK && status != VTA_NO_MEMORY) {
        if (!p->broken[index]) p->broken[index] = messages_of(own);
        memset(out, 0, (size_t)(shape[0] * shape[1] * shape[2] * shape[3]) * sizeof *out);
        status = p->broken[index] ? VTA_OK : VTA_NO_MEMORY;
    }
    vta_diag_destroy(own);
    return status;
}
