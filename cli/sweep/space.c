#include "space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More values on one axis are a mistake in a range. */
enum { MAX_VALUES = 65536 };

static vta_status add_value(sweep_axis *axis, const char *text, size_t size) {
    if (axis->count == MAX_VALUES)
        return cli_fail(VTA_OUT_OF_RANGE, "--vary %s: more than %d values", axis->name, MAX_VALUES);
    char **more = realloc(axis->values, (axis->count + 1) * sizeof *more);
    if (more) axis->values = more;
    char *value = more ? strndup(text, size) : NULL;
    if (!value) return VTA_NO_MEMORY;
    axis->values[axis->count++] = value;
    return VTA_OK;
}

static vta_status add_range(sweep_axis *axis, long long first, long long last) {
    vta_status status = VTA_OK;
    for (long long v = first; v <= last && status == VTA_OK; v++) {
        char text[32];
        int n = snprintf(text, sizeof text, "%lld", v);
        status = add_value(axis, text, (size_t)n);
    }
    return status;
}

/* One item between commas: a value, or FIRST:LAST. */
static vta_status add_item(sweep_axis *axis, const char *item, size_t size) {
    char text[256];
    if (size == 0 || size >= sizeof text)
        return cli_fail(VTA_INVALID_ARGUMENT, "--vary %s: expected NAME=A,B,... or NAME=FIRST:LAST", axis->name);
    snprintf(text, sizeof text, "%.*s", (int)size, item);
    const char *colon = strchr(text, ':');
    if (!colon) return add_value(axis, text, size);
    char *end_first, *end_last;
    errno = 0;
    long long first = strtoll(text, &end_first, 10), last = strtoll(colon + 1, &end_last, 10);
    if (errno || end_first != colon || end_first == text || *end_last || end_last == colon + 1 || last < first)
        return cli_fail(VTA_INVALID_ARGUMENT, "--vary %s=%s: expected FIRST:LAST, two whole numbers, the smaller first",
                        axis->name, text);
    return add_range(axis, first, last);
}

static vta_status read_axis(const char *text, sweep_axis *axis) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1])
        return cli_fail(VTA_INVALID_ARGUMENT, "--vary %.200s: expected NAME=A,B,... or NAME=FIRST:LAST", text);
    axis->name = strndup(text, (size_t)(equals - text));
    vta_status status = axis->name ? VTA_OK : VTA_NO_MEMORY;
    for (const char *item = equals + 1; status == VTA_OK;) {
        size_t size = strcspn(item, ",");
        status = add_item(axis, item, size);
        if (!item[size]) break;
        item += size + 1;
    }
    return status;
}

vta_status sweep_space_read(const cli_list *vary, sweep_space *out) {
    *out = (sweep_space){.count = 1};
    out->axes = calloc((size_t)vary->count + 1, sizeof *out->axes);
    if (!out->axes) return VTA_NO_MEMORY;
    vta_status status = VTA_OK;
    for (int i = 0; i < vary->count && status == VTA_OK; i++) {
        sweep_axis *axis = &out->axes[out->axis_count++];
        status = read_axis(vary->item[i], axis);
        for (size_t k = 0; k + 1 < out->axis_count && status == VTA_OK; k++)
            if (!strcmp(out->axes[k].name, axis->name))
                status =
                    cli_fail(VTA_INVALID_ARGUMENT, "--vary %s: given twice; write its values in one list", axis->name);
        if (status == VTA_OK && __builtin_mul_overflow(out->count, axis->count, &out->count))
            status = cli_fail(VTA_OUT_OF_RANGE, "--vary: more than 2^64 machines");
    }
    return status;
}

void sweep_space_free(sweep_space *space) {
    for (size_t i = 0; i < space->axis_count; i++) {
        for (size_t v = 0; v < space->axes[i].count; v++) free(space->axes[i].values[v]);
        free(space->axes[i].values);
        free(space->axes[i].name);
    }
    free(space->axes);
    *space = (sweep_space){0};
}

char *sweep_space_label(const sweep_space *space, uint64_t index) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f) return NULL;
    for (size_t i = 0; i < space->axis_count; i++) {
        const sweep_axis *axis = &space->axes[i];
        fprintf(f, "%s%s=%s", i ? " " : "", axis->name, axis->values[index % axis->count]);
        index /= axis->count;
    }
    bool complete = !ferror(f);
    if (fclose(f) == 0 && complete) return text;
    free(text);
    return NULL;
}

vta_status sweep_shard_read(const char *text, sweep_shard *out) {
    *out = (sweep_shard){0, 1};
    if (!text) return VTA_OK;
    char *slash, *end;
    errno = 0;
    unsigned long long part = strtoull(text, &slash, 10), of = *slash == '/' ? strtoull(slash + 1, &end, 10) : 0;
    if (errno || slash == text || *slash != '/' || *end || strchr(text, '-') || part < 1 || part > of)
        return cli_fail(VTA_INVALID_ARGUMENT, "--shard %s: expected I/N with 1 <= I <= N, as 2/8", text);
    *out = (sweep_shard){part - 1, of};
    return VTA_OK;
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static unsigned __int128 wide(uint64_t high, uint64_t low) { return (unsigned __int128)high << 64 | low; }

/* Offset and prime of FNV-1a with 128 bits (RFC 9923). */
void sweep_hash_begin(sweep_hash *h) { h->state = wide(0x6c62272e07bb0142, 0x62b821756295c58d); }

void sweep_hash_add(sweep_hash *h, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    const unsigned __int128 prime = wide(0x1000000, 0x13b);
    for (size_t i = 0; i < size; i++) h->state = (h->state ^ p[i]) * prime;
}

void sweep_hash_text(sweep_hash *h, const char *text) {
    sweep_hash_add(h, text ? "=" : "-", 1);
    if (text) sweep_hash_add(h, text, strlen(text) + 1);
}

void sweep_hash_end(const sweep_hash *h, char out_key[SWEEP_KEY]) {
    snprintf(out_key, SWEEP_KEY, "%016llx%016llx", (unsigned long long)(h->state >> 64), (unsigned long long)h->state);
}
