/* The text that Yosys's `stat` writes: the cells of each module, then the tree of modules with their counts. (Its JSON
 * form is not valid JSON in Yosys 0.23.) */
#include <stdlib.h>
#include <string.h>

#include "hardware/synthesis.h"

typedef struct module {
    const char *full; /* with its parameters, a name of Yosys's; in the text */
    char *name;
    double count;
    vta_hardware_area own; /* of one instance */
} module;

struct vta_synthesis {
    module *modules;
    size_t count, cap;
};

enum { LEVELS = 32 };

typedef struct reader {
    vta_synthesis *s;
    const vt_part_family *family;
    bool tree;                /* in the tree of modules */
    double instances[LEVELS]; /* of the module at each depth of the tree */
    size_t indent[LEVELS];
    size_t depth;
    bool failed;
} reader;

static char *next_line(char **rest) {
    char *line = *rest, *end = strchr(line, '\n');
    if (!*line) return NULL;
    *rest = end ? end + 1 : line + strlen(line);
    if (end) *end = 0;
    return line;
}

/* "$paramod$0123\vta_fifo" and "$paramod\vta_fifo\W=..." are vta_fifo. */
static char *plain_name(const char *full) {
    const char *begin = strchr(full, '\\');
    if (strncmp(full, "$paramod", 8) || !begin) return vt_strdup(NULL, full);
    char *name = vt_strdup(NULL, begin + 1);
    if (name) name[strcspn(name, "\\")] = 0;
    return name;
}

static void begin_module(reader *r, char *full) {
    vta_synthesis *s = r->s;
    if (!vt_reserve(NULL, &s->modules, &s->cap, s->count + 1, sizeof *s->modules)) {
        r->failed = true;
        return;
    }
    module *m = &s->modules[s->count++];
    *m = (module){.full = full, .name = plain_name(full), .count = strcmp(full, "vta_top") ? 0 : 1};
    if (!m->name) r->failed = true;
}

/* "   === NAME ===" */
static bool read_heading(reader *r, char *line) {
    if (strncmp(line, "=== ", 4)) return false;
    char *name = line + 4, *end = strstr(name, " ===");
    if (!end) return false;
    *end = 0;
    r->tree = !strcmp(name, "design hierarchy");
    if (!r->tree) begin_module(r, name);
    return true;
}

static module *find(const vta_synthesis *s, const char *full) {
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->modules[i].full, full)) return &s->modules[i];
    return NULL;
}

/* A line of the tree: as deep as it is indented, and so many in each module above. */
static void read_node(reader *r, size_t indent, const char *name, double count) {
    while (r->depth && r->indent[r->depth - 1] >= indent) r->depth--;
    if (r->depth == LEVELS) return;
    double above = r->depth ? r->instances[r->depth - 1] : 1;
    r->indent[r->depth] = indent;
    r->instances[r->depth++] = above * count;
    module *m = find(r->s, name);
    if (m && strcmp(name, "vta_top")) m->count += above * count;
}

static void read_line(reader *r, char *line) {
    size_t indent = strspn(line, " ");
    char *name = line + indent, *end = strrchr(name, ' '), *after;
    if (!end) return;
    double count = strtod(end, &after);
    if (after == end || *after) return;
    static const char bits[] = "Number of memory bits:";
    module *m = r->s->count ? &r->s->modules[r->s->count - 1] : NULL;
    if (!r->tree && m && !strncmp(name, bits, sizeof bits - 1)) {
        m->own.block_rams += strcmp(r->family->name, "generic") ? 0 : count / 1024;
        return;
    }
    name[strcspn(name, " ")] = 0;
    if (r->tree)
        read_node(r, indent, name, count);
    else if (m)
        vt_area_add(&m->own, vt_part_cell(r->family, name), count);
}

vta_status vt_synthesis_read(char *text, const vt_part_family *family, vta_diag *diag, vta_synthesis **out) {
    *out = vt_alloc_zero(NULL, sizeof **out);
    if (!*out) return vt_no_memory(diag);
    reader r = {.s = *out, .family = family};
    for (char *line; !r.failed && (line = next_line(&text));)
        if (!read_heading(&r, line)) read_line(&r, line);
    bool found = !r.failed && find(*out, "vta_top");
    for (size_t i = 0; i < (*out)->count; i++) (*out)->modules[i].full = NULL; /* the text goes */
    if (found) return VTA_OK;
    vta_synthesis_destroy(*out);
    *out = NULL;
    return r.failed ? vt_no_memory(diag) : vt_fail(diag, VTA_PARSE, "Yosys's stat says nothing of vta_top");
}

void vta_synthesis_destroy(vta_synthesis *s) {
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) vt_strfree(NULL, s->modules[i].name);
    vt_free(NULL, s->modules, s->cap * sizeof *s->modules);
    vt_free(NULL, s, sizeof *s);
}

vta_hardware_area vta_synthesis_area(const vta_synthesis *s) {
    vta_hardware_area sum = {0};
    for (size_t i = 0; i < s->count; i++) vt_area_add(&sum, s->modules[i].own, s->modules[i].count);
    return sum;
}

/* Modules with different parameters share a name: the first of a name stands for all. */
static bool is_first(const vta_synthesis *s, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (!strcmp(s->modules[i].name, s->modules[at].name)) return false;
    return true;
}

/* Names smaller than that of module `at`. */
static size_t rank(const vta_synthesis *s, size_t at) {
    size_t smaller = 0;
    for (size_t i = 0; i < s->count; i++)
        smaller += is_first(s, i) && strcmp(s->modules[i].name, s->modules[at].name) < 0;
    return smaller;
}

bool vta_synthesis_module_get(const vta_synthesis *s, size_t index, vta_synthesis_module *out) {
    size_t at = 0;
    while (at < s->count && !(is_first(s, at) && rank(s, at) == index)) at++;
    if (at == s->count) return false;
    *out = (vta_synthesis_module){.name = s->modules[at].name};
    for (size_t i = at; i < s->count; i++) {
        if (strcmp(s->modules[i].name, out->name)) continue;
        out->count += (uint32_t)s->modules[i].count;
        vt_area_add(&out->area, s->modules[i].own, s->modules[i].count);
    }
    return true;
}
