/* A program as a folder: vta_config.json, stats.json and one folder a run. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/json.h"
#include "program/program_priv.h"

enum { JSON_LIMIT = 1 << 24 };

typedef struct folder {
    const vta_allocator *allocator;
    const char *path;
    vta_diag *diag;
    vta_program *program;
} folder;

/* path/name, or path/run/name; to be freed with vt_strfree. NULL when out of memory. */
static char *join(const folder *f, const char *run, const char *name) {
    vt_strbuf sb;
    vt_strbuf_init(&sb, f->allocator);
    vt_strbuf_addf(&sb, "%s%s%s/%s", f->path, run ? "/" : "", run ? run : "", name);
    return vt_strbuf_take(&sb);
}

static vta_status read_member_file(const folder *f, const char *run, const char *name, size_t limit, char **out_data,
                                   size_t *out_size) {
    char *path = join(f, run, name);
    if (!path) return vt_no_memory(f->diag);
    vta_status status = vt_file_read(f->allocator, path, limit, f->diag, out_data, out_size);
    vt_strfree(f->allocator, path);
    return status;
}

/* ---- run.json -------------------------------------------------------------------------------------------- */

#define FAIL(...) vt_fail_at(f->diag, VTA_PARSE, (vt_pos){.file = f->path}, __VA_ARGS__)

static vta_status get_u32(const folder *f, const char *run, const json_t *object, const char *key, uint32_t *out) {
    const json_t *value = json_object_get(object, key);
    json_int_t v = json_is_integer(value) ? json_integer_value(value) : -1;
    if (v < 0 || v > UINT32_MAX)
        return FAIL("%s/run.json: \"%s\" must be a whole number from 0 to 4294967295", run, key);
    *out = (uint32_t)v;
    return VTA_OK;
}

/* Contents are files of the run's own folder: no path leads elsewhere. */
static vta_status get_file_name(const folder *f, const char *run, const json_t *segment, const char *key,
                                const char **out_name) {
    const char *name = json_string_value(json_object_get(segment, key));
    if (!name || !*name || strchr(name, '/') || name[0] == '.')
        return FAIL("%s/run.json: \"%s\" must name a file of the same folder", run, key);
    *out_name = name;
    return VTA_OK;
}

/* Reads one file of contents as a blob. */
static vta_status read_contents(const folder *f, const char *run, const json_t *segment, const char *key, uint32_t size,
                                uint32_t *out_blob) {
    const char *name = NULL;
    VT_TRY(get_file_name(f, run, segment, key, &name));
    char *data;
    size_t bytes;
    VT_TRY(read_member_file(f, run, name, size, &data, &bytes));
    *out_blob = vt__blobs_put(&f->program->blobs, data, vt__size_without_zeros(data, bytes));
    vt_free(f->allocator, data, bytes + 1);
    return *out_blob == VT__NO_BLOB ? vt_no_memory(f->diag) : VTA_OK;
}

static vta_status read_segment(const folder *f, const char *run, const json_t *segment) {
    vt__segment s = {.after = VT__NO_BLOB};
    VT_TRY(get_u32(f, run, segment, "addr", &s.addr));
    VT_TRY(get_u32(f, run, segment, "size", &s.size));
    VT_TRY(read_contents(f, run, segment, "before", s.size, &s.before));
    if (json_object_get(segment, "after")) VT_TRY(read_contents(f, run, segment, "after", s.size, &s.after));
    if (s.after == s.before) s.after = VT__NO_BLOB;
    return vt__program_put_segment(f->program, s, f->diag);
}

/* Recordings leave out buffers that were zero and stayed so (a micro-op image of zeros), yet the program reads them:
 * the holes between its pieces, and below the first, become segments of zeros. */
static vta_status fill_holes(const folder *f) {
    const vt__run *run = &f->program->open;
    uint64_t insn_end = run->insn_addr + (uint64_t)run->insn_count * VTA_INSN_BYTES;
    uint32_t zeros = vt__blobs_put(&f->program->blobs, "", 0);
    if (zeros == VT__NO_BLOB) return vt_no_memory(f->diag);
    for (uint64_t at = VTA_PAGE_BYTES; at <= UINT32_MAX;) {
        size_t next = vt__run_place_of(run, (uint32_t)at);
        bool segment_left = next < run->segment_count, insns_left = run->insn_addr >= at;
        if (!segment_left && !insns_left) break;
        bool is_insns = insns_left && (!segment_left || run->insn_addr <= run->segments[next].addr);
        uint32_t begin = is_insns ? run->insn_addr : run->segments[next].addr;
        uint64_t end = is_insns ? insn_end : (uint64_t)begin + run->segments[next].size;
        uint64_t hole = begin / VTA_PAGE_BYTES * VTA_PAGE_BYTES - at;
        if (hole && hole <= VTA_MAX_TRANSFER) {
            vt__segment s = {(uint32_t)at, (uint32_t)hole, zeros, VT__NO_BLOB};
            VT_TRY(vt__program_put_segment(f->program, s, f->diag));
        }
        at = (end + VTA_PAGE_BYTES - 1) / VTA_PAGE_BYTES * VTA_PAGE_BYTES;
    }
    return VTA_OK;
}

static vta_status read_run_object(const folder *f, const char *run, const json_t *root) {
    const json_t *segments = json_object_get(root, "segments");
    if (!json_is_array(segments)) return FAIL("%s/run.json: needs an array \"segments\"", run);
    uint32_t addr, count;
    VT_TRY(get_u32(f, run, root, "insn_addr", &addr));
    VT_TRY(get_u32(f, run, root, "insn_count", &count));
    char *insns;
    size_t size;
    VT_TRY(read_member_file(f, run, "insn.bin", VTA_MAX_TRANSFER, &insns, &size));
    vta_status status = VTA_OK;
    if (size != (size_t)count * VTA_INSN_BYTES)
        status = FAIL("%s/insn.bin: %zu bytes for %u instructions of %d", run, size, count, VTA_INSN_BYTES);
    if (status == VTA_OK) status = vta_program_begin_run(f->program, addr, (uint8_t *)insns, count, f->diag);
    vt_free(f->allocator, insns, size + 1);
    for (size_t i = 0; i < json_array_size(segments) && status == VTA_OK; i++)
        status = read_segment(f, run, json_array_get(segments, i));
    if (status == VTA_OK) status = fill_holes(f);
    return status == VTA_OK ? vta_program_end_run(f->program, f->diag) : status;
}

static vta_status read_run(const folder *f, const char *run) {
    char *text;
    size_t size;
    VT_TRY(read_member_file(f, run, "run.json", JSON_LIMIT, &text, &size));
    char *path = join(f, run, "run.json");
    json_t *root = NULL;
    vta_status status = path ? vt_json_parse(text, size, path, f->diag, &root) : vt_no_memory(f->diag);
    vt_strfree(f->allocator, path);
    vt_free(f->allocator, text, size + 1);
    if (status == VTA_OK) status = read_run_object(f, run, root);
    json_decref(root);
    return status;
}

/* ---- The folder ------------------------------------------------------------------------------------------ */

static bool is_run_name(const char *name) {
    size_t n = strspn(name, "0123456789");
    return n && n < 10 && !name[n];
}

typedef struct run_list {
    unsigned *numbers;
    size_t count, cap;
    int width; /* digits of the longest name */
} run_list;

static int compare_numbers(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static vta_status list_runs(const folder *f, run_list *list) {
    DIR *dir = opendir(f->path);
    if (!dir) return vt_fail(f->diag, VTA_IO, "%s: cannot list: %s", f->path, strerror(errno));
    vta_status status = VTA_OK;
    for (struct dirent *e; status == VTA_OK && (e = readdir(dir));) {
        if (!is_run_name(e->d_name)) continue;
        if (!vt_reserve(f->allocator, &list->numbers, &list->cap, list->count + 1, sizeof *list->numbers)) {
            status = vt_no_memory(f->diag);
            break;
        }
        list->numbers[list->count++] = (unsigned)strtoul(e->d_name, NULL, 10);
        int width = (int)strlen(e->d_name);
        if (width > list->width) list->width = width;
    }
    closedir(dir);
    if (list->count) qsort(list->numbers, list->count, sizeof *list->numbers, compare_numbers);
    return status;
}

static vta_status read_runs(const folder *f) {
    run_list list = {0};
    vta_status status = list_runs(f, &list);
    if (status == VTA_OK && !list.count) status = FAIL("no runs: a program has folders 000, 001, ...");
    for (size_t i = 0; i < list.count && status == VTA_OK; i++) {
        char name[16];
        snprintf(name, sizeof name, "%0*u", list.width, list.numbers[i]);
        status = read_run(f, name);
    }
    vt_free(f->allocator, list.numbers, list.cap * sizeof *list.numbers);
    return status;
}

static vta_status read_stats(const folder *f) {
    char *path = join(f, NULL, "stats.json");
    if (!path) return vt_no_memory(f->diag);
    struct stat st;
    vta_status status = VTA_OK;
    char *text = NULL;
    size_t size = 0;
    if (stat(path, &st) == 0) status = vt_file_read(f->allocator, path, JSON_LIMIT, f->diag, &text, &size);
    if (text) {
        status = vt__stats_parse(f->program, text, size, path, f->diag);
        vt_free(f->allocator, text, size + 1);
    }
    vt_strfree(f->allocator, path);
    return status;
}

vta_status vt__program_load_folder(const char *path, const vta_allocator *allocator, vta_diag *diag,
                                   vta_program **out_program) {
    folder f = {allocator, path, diag, NULL};
    char *config_path = join(&f, NULL, "vta_config.json");
    if (!config_path) return vt_no_memory(diag);
    vta_config *config;
    vta_status status = vta_config_load(config_path, diag, &config);
    vt_strfree(allocator, config_path);
    if (status != VTA_OK) return status;
    status = vta_program_create(config, allocator, diag, &f.program);
    vta_config_release(config);
    if (status == VTA_OK) status = read_stats(&f);
    if (status == VTA_OK) status = read_runs(&f);
    if (status == VTA_OK)
        *out_program = f.program;
    else
        vta_program_destroy(f.program);
    return status;
}
