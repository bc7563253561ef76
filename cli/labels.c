/* Names of classes, and which picture is of which class. */
#include "labels.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "picture_files.h"
#include "vta/detect.h"
#include "vta/image.h"

static vta_status wrong(const char *path, size_t line, const char *what) {
    char message[512], number[32] = "";
    if (line) snprintf(number, sizeof number, ":%zu", line);
    snprintf(message, sizeof message, "%.300s%s: %s", path, number, what);
    vta_diag_add(cli_diag(), VTA_ERROR, VTA_PARSE, message);
    return VTA_PARSE;
}

static char *trim(char *s) {
    s += strspn(s, " \t\r");
    for (size_t n = strlen(s); n && strchr(" \t\r", s[n - 1]); n--) s[n - 1] = '\0';
    return s;
}

/* Cuts the next line off; NULL at the end. */
static char *next_line(char **at) {
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;
    if (!line || !*line) return NULL;
    if (end) *end = '\0';
    *at = end ? end + 1 : NULL;
    return trim(line);
}

/* Behind the byte order mark that some editors begin UTF-8 with. */
static char *skip_mark(char *text) { return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text; }

static size_t count_lines(const char *text) {
    size_t n = 1;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* ---- Names ---- */

/* "12: 'tench, Tinca tinca'," of a dictionary: the number and the text between the quotation marks. */
static const char *entry(char *line, long *number) {
    char *end, *from;
    line += strspn(line, "{ \t");
    *number = strtol(line, &end, 10);
    if (end == line) return NULL;
    end += strspn(end, " \t");
    if (*end != ':') return NULL;
    from = trim(end + 1);
    size_t n = strlen(from);
    while (n && strchr("}, \t", from[n - 1])) n--;
    if (n < 2 || (*from != '\'' && *from != '"') || from[n - 1] != *from) return NULL;
    from[n - 1] = '\0';
    return from + 1;
}

static vta_status read_dictionary(const char *path, cli_names *names) {
    char *at = names->text, *line;
    size_t room = names->count, number_of_line = 0;
    names->count = 0;
    while ((line = next_line(&at))) {
        long number;
        number_of_line++;
        if (!*line || !strcmp(line, "}") || !strcmp(line, "{")) continue;
        const char *name = entry(line, &number);
        if (!name || number < 0 || (size_t)number >= room)
            return wrong(path, number_of_line, "no line like 12: 'name', with numbers from 0 on");
        names->name[number] = name;
        if ((size_t)number >= names->count) names->count = (size_t)number + 1;
    }
    return VTA_OK;
}

static void read_lines(cli_names *names) {
    char *at = skip_mark(names->text), *line;
    names->count = 0;
    while ((line = next_line(&at))) names->name[names->count++] = line;
}

/* Names are moved to the front of the text, which holds them all. */
static vta_status read_array(const char *path, cli_names *names) {
    json_error_t where;
    json_t *root = json_loads(names->text, 0, &where);
    size_t count = json_array_size(root), used = 0;
    const char **list = realloc(names->name, (count + 1) * sizeof *list);
    if (list) names->name = list;
    names->count = 0;
    for (size_t i = 0; list && i < count; i++) {
        const char *s = json_string_value(json_array_get(root, i));
        if (!s) break;
        list[names->count++] = names->text + used;
        size_t n = strlen(s) + 1; /* an array has two quotation marks and a comma for each */
        memcpy(names->text + used, s, n);
        used += n;
    }
    bool is_all = root && names->count == count;
    json_decref(root);
    if (!list) return VTA_NO_MEMORY;
    return is_all ? VTA_OK : wrong(path, 1, "expected a JSON array of strings");
}

static vta_status parse(const char *path, cli_names *out_names) {
    const char *begin = out_names->text + strspn(out_names->text, " \t\r\n");
    out_names->count = count_lines(out_names->text);
    out_names->name = calloc(out_names->count + 1, sizeof *out_names->name);
    if (!out_names->name) return VTA_NO_MEMORY;
    if (*begin == '[') return read_array(path, out_names);
    if (*begin == '{') return read_dictionary(path, out_names);
    read_lines(out_names);
    return VTA_OK;
}

/* A list that the library has. */
static vta_status take_known(const char *(*name)(size_t), cli_names *out_names) {
    size_t count = 0;
    while (name(count)) count++;
    out_names->text = strdup("");
    out_names->name = calloc(count + 1, sizeof *out_names->name);
    if (!out_names->text || !out_names->name) return VTA_NO_MEMORY;
    for (; out_names->count < count; out_names->count++) out_names->name[out_names->count] = name(out_names->count);
    return VTA_OK;
}

vta_status cli_names_read(const char *path, cli_names *out_names) {
    size_t size;
    *out_names = (cli_names){0};
    bool is_file = access(path, F_OK) == 0;
    if (!is_file && !strcmp(path, "imagenet")) return take_known(vta_imagenet_name, out_names);
    if (!is_file && !strcmp(path, "coco")) return take_known(vta_coco_name, out_names);
    vta_status status = cli_read_file(path, &out_names->text, &size);
    return status == VTA_OK ? parse(path, out_names) : status;
}

vta_status cli_names_parse(const char *path, const void *text, size_t size, cli_names *out_names) {
    *out_names = (cli_names){.text = strndup(text, size)};
    return out_names->text ? parse(path, out_names) : VTA_NO_MEMORY;
}

json_t *cli_names_json(const cli_names *names) {
    json_t *list = json_array();
    for (size_t i = 0; i < names->count; i++)
        json_array_append_new(list, json_string(names->name[i] ? names->name[i] : ""));
    return list;
}

void cli_names_free(cli_names *names) {
    free(names->text);
    free(names->name);
}

const char *cli_name_of(const cli_names *names, int64_t index) {
    return index >= 0 && (uint64_t)index < names->count ? names->name[index] : NULL;
}

/* ---- Pictures and their classes ---- */

/* Spreadsheets put names into quotation marks. */
static char *unquote(char *text) {
    size_t n = strlen(text);
    if (n < 2 || *text != '"' || text[n - 1] != '"') return text;
    text[n - 1] = '\0';
    return text + 1;
}

static vta_status read_label(const char *path, size_t number, char *line, cli_labels *labels) {
    char *comma = strrchr(line, ','), *end;
    if (!comma) return wrong(path, number, "expected FILE,CLASS");
    errno = 0;
    long long class = strtoll(comma + 1, &end, 10);
    if (end == comma + 1 || *trim(end))
        return number == 1 ? VTA_OK : wrong(path, number, "the class is not an integer");
    if (errno == ERANGE) return wrong(path, number, "the class is out of range");
    *comma = '\0';
    labels->item[labels->count++] = (struct cli_label){unquote(trim(line)), class};
    return VTA_OK;
}

vta_status cli_labels_read(const char *path, cli_labels *out_labels) {
    size_t size, number = 0;
    *out_labels = (cli_labels){0};
    vta_status status = cli_read_file(path, &out_labels->text, &size);
    if (status != VTA_OK) return status;
    out_labels->item = calloc(count_lines(out_labels->text), sizeof *out_labels->item);
    if (!out_labels->item) return VTA_NO_MEMORY;
    char *at = skip_mark(out_labels->text), *line;
    while (status == VTA_OK && (line = next_line(&at))) {
        number++;
        if (*line) status = read_label(path, number, line, out_labels);
    }
    if (status == VTA_OK && !out_labels->count) return wrong(path, 0, "there is no picture in it");
    return status;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Folders within a folder, in alphabetical order; NULL-terminated, each of malloc. */
static char **folders_of(const char *path, size_t *out_count) {
    size_t count = 0;
    char **list = NULL;
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char *whole = NULL;
        struct stat info;
        if (*e->d_name == '.' || asprintf(&whole, "%s/%s", path, e->d_name) < 0) continue;
        bool is_folder = stat(whole, &info) == 0 && S_ISDIR(info.st_mode);
        free(whole);
        char **more = is_folder ? realloc(list, (count + 2) * sizeof *list) : NULL;
        if (!more) continue;
        list = more;
        list[count] = strdup(e->d_name);
        count += list[count] != NULL;
    }
    if (dir) closedir(dir);
    if (list) qsort(list, count, sizeof *list, by_name);
    *out_count = count;
    return list;
}

/* The class that a folder's name is: -1: neither a number nor one of the names. */
static int64_t class_of(const char *name, const cli_names *names, bool numbers) {
    char *end;
    long long number = strtoll(name, &end, 10);
    if (numbers) return *name && !*end ? number : -1;
    for (size_t i = 0; i < names->count; i++)
        if (names->name[i] && !strcmp(names->name[i], name)) return (int64_t)i;
    return -1;
}

static bool are_all(char *const *folders, size_t count, const cli_names *names, bool numbers) {
    for (size_t i = 0; i < count; i++)
        if (class_of(folders[i], names, numbers) < 0) return false;
    return count > 0;
}

static vta_status add_folder(cli_labels *labels, const char *path, const char *folder, int64_t class) {
    cli_picture_files files = {0};
    char *whole = NULL;
    if (asprintf(&whole, "%s/%s", path, folder) < 0) return VTA_NO_MEMORY;
    vta_status status = cli_picture_files_add(&files, whole);
    size_t count = labels->count + files.count;
    struct cli_label *item = realloc(labels->item, (count + 1) * sizeof *item);
    if (item) labels->item = item;
    char **own = realloc(labels->own, (count + 1) * sizeof *own);
    if (own) labels->own = own;
    if (status == VTA_OK && (!item || !own)) status = VTA_NO_MEMORY;
    for (size_t i = 0; i < files.count && status == VTA_OK; i++) {
        own[labels->count] = strdup(files.path[i] + strlen(path) + 1);
        if (!own[labels->count]) status = VTA_NO_MEMORY;
        if (status == VTA_OK) item[labels->count] = (struct cli_label){own[labels->count], class}, labels->count++;
    }
    cli_picture_files_free(&files);
    free(whole);
    return status;
}

vta_status cli_labels_of_folders(const char *path, const cli_names *names, cli_labels *out_labels,
                                 size_t *out_ordered) {
    size_t count;
    char **folders = folders_of(path, &count);
    *out_labels = (cli_labels){0};
    bool numbers = are_all(folders, count, names, true), named = !numbers && are_all(folders, count, names, false);
    vta_status status =
        count ? VTA_OK : cli_fail(VTA_NOT_FOUND, "%s: no folder with a folder for each class: give --labels", path);
    for (size_t i = 0; i < count && status == VTA_OK; i++)
        status = add_folder(out_labels, path, folders[i],
                            numbers || named ? class_of(folders[i], names, numbers) : (int64_t)i);
    *out_ordered = numbers || named ? 0 : count;
    for (size_t i = 0; i < count; i++) free(folders[i]);
    free(folders);
    return status;
}

void cli_labels_free(cli_labels *labels) {
    for (size_t i = 0; labels->own && i < labels->count; i++) free(labels->own[i]);
    free(labels->own);
    free(labels->text);
    free(labels->item);
}

/* ---- The best ---- */

size_t cli_top(const float *scores, size_t count, size_t most, size_t *out_top) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = n;
        while (at > 0 && scores[i] > scores[out_top[at - 1]]) at--;
        if (at >= most) continue;
        if (n < most) n++;
        memmove(out_top + at + 1, out_top + at, (n - at - 1) * sizeof *out_top);
        out_top[at] = i;
    }
    return n;
}
