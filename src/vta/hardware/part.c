/* Parts and families: the tables of vta/part.def. */
#include <string.h>

#include "hardware/synthesis.h"

static const vta_part parts[] = {
#define VTA_PART(name, family, board, luts, ffs, multipliers, rams)                                                    \
    {name, #family, board, {luts, ffs, multipliers, rams}},
#include "vta/part.def"
};

static const vt_part_family families[] = {
#define VTA_PART_FAMILY(name, text, command, flat, multiplier, ram) {#name, text, command, flat, multiplier, ram},
#include "vta/part.def"
};
enum { FAMILIES = sizeof families / sizeof *families };

typedef struct cell {
    const char *family, *name;
    vta_hardware_area area;
} cell;
static const cell cells[] = {
#define VTA_PART_CELL(family, name, luts, ffs, multipliers, halves)                                                    \
    {#family, name, {luts, ffs, multipliers, halves / 2.0}},
#include "vta/part.def"
};

bool vta_part_get(size_t index, vta_part *out) {
    if (index >= sizeof parts / sizeof *parts) return false;
    *out = parts[index];
    return true;
}

const vt_part_family *vt_part_family_find(const char *name) {
    for (size_t i = 0; name && i < FAMILIES; i++)
        if (!strcmp(families[i].name, name)) return &families[i];
    return NULL;
}

const char *vta_part_family_name(size_t index) { return index < FAMILIES ? families[index].name : NULL; }

const char *vta_part_family_text(const char *family) {
    const vt_part_family *f = vt_part_family_find(family);
    return f ? f->text : NULL;
}

const char *vta_part_multiplier_name(const char *family) {
    const vt_part_family *f = vt_part_family_find(family);
    return f ? f->multiplier : NULL;
}

const char *vta_part_block_ram_name(const char *family) {
    const vt_part_family *f = vt_part_family_find(family);
    return f ? f->block_ram : NULL;
}

static bool matches(const char *pattern, const char *name) {
    size_t size = strlen(pattern);
    return pattern[size - 1] == '*' ? !strncmp(pattern, name, size - 1) : !strcmp(pattern, name);
}

vta_hardware_area vt_part_cell(const vt_part_family *family, const char *name) {
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        if (!strcmp(cells[i].family, family->name) && matches(cells[i].name, name)) return cells[i].area;
    return (vta_hardware_area){0};
}
