/* vta hw synth: what a design takes of a part, and the nearest one that fits. */
#include <string.h>

#include "hw.h"

enum { STEPS_MAX = 8 };

/* A quantity of an area, in the order of the table that is printed. */
static const struct {
    const char *name, *key; /* NULL: the family has a name for it */
    size_t offset;
} quantities[] = {{"LUTs", "luts", offsetof(vta_hardware_area, luts)},
                  {"flip-flops", "flip_flops", offsetof(vta_hardware_area, flip_flops)},
                  {NULL, "multipliers", offsetof(vta_hardware_area, multipliers)},
                  {NULL, "block_rams", offsetof(vta_hardware_area, block_rams)}};
enum { LUTS, FLIP_FLOPS, MULTIPLIERS, BLOCK_RAMS, QUANTITIES };

static double of(const vta_hardware_area *area, int quantity) {
    return *(const double *)((const char *)area + quantities[quantity].offset);
}

static const char *name_of(int quantity, const char *family) {
    if (quantity == MULTIPLIERS) return vta_part_multiplier_name(family);
    return quantity == BLOCK_RAMS ? vta_part_block_ram_name(family) : quantities[quantity].name;
}

static int shortage(const vta_hardware_area *area, const vta_part *part) {
    int worst = -1;
    double most = 1;
    for (int q = 0; q < QUANTITIES; q++) {
        double has = of(&part->has, q), share = has ? of(area, q) / has : of(area, q) ? 1e9 : 0;
        if (share > most) most = share, worst = q;
    }
    return worst;
}

static vta_status synthesize(const hw_job *j, const vta_config *config, const char *what, vta_synthesis **out) {
    vta_hardware_options options = j->options;
    bool narrow = vta_config_width(config, VTA_MEM_INP) <= 8 && vta_config_width(config, VTA_MEM_WGT) <= 8;
    if (!strcmp(j->family, "xilinx") && narrow) options.pack = true;
    cli_progress(what, 0, 0);
    vta_status status =
        vta_hardware_synthesize(config, &options, j->family, j->flatten, (uint32_t)j->time, cli_diag(), out);
    cli_progress_end();
    return status;
}

/* ---- Text ---------------------------------------------------------------------------------------------------- */

static void print_row(const char *name, uint32_t count, const vta_hardware_area *a) {
    printf("%-18s %9u %10.0f %11.0f %11.0f %10.1f\n", name, count, a->luts, a->flip_flops, a->multipliers,
           a->block_rams);
}

static void print_modules(const vta_synthesis *s, const char *family) {
    vta_synthesis_module m;
    vta_hardware_area sum = vta_synthesis_area(s);
    printf("%s (%s)\n\n%-18s %9s %10s %11s %11s %10s\n", family, vta_part_family_text(family), "module", "instances",
           "LUTs", "flip-flops", name_of(MULTIPLIERS, family), name_of(BLOCK_RAMS, family));
    for (size_t i = 0; vta_synthesis_module_get(s, i, &m); i++)
        if (m.area.luts || m.area.flip_flops || m.area.multipliers || m.area.block_rams)
            print_row(m.name, m.count, &m.area);
    print_row("all", 1, &sum);
}

static void print_share(const vta_hardware_area *sum, const vta_part *part) {
    printf("%-12s", part->name);
    for (int q = 0; q < QUANTITIES; q++) {
        double has = of(&part->has, q), wants = of(sum, q);
        if (has || wants)
            printf("  %s %.0f of %.0f%s", name_of(q, part->family), wants, has, wants > has ? " (!)" : "");
        if (has) printf(" (%.0f %%)", 100 * wants / has);
    }
    int q = shortage(sum, part);
    if (q < 0)
        printf("  fits\n");
    else
        printf("  does not fit: %.0f %s too many\n", of(sum, q) - of(&part->has, q), name_of(q, part->family));
}

static void print_parts(const vta_hardware_area *sum, const hw_job *j) {
    vta_part part;
    bool fits = true;
    printf("\n");
    for (size_t i = 0; vta_part_get(i, &part); i++) {
        if (strcmp(part.family, j->family) || (j->part && strcmp(part.name, j->part))) continue;
        print_share(sum, &part);
        fits = fits && shortage(sum, &part) < 0;
    }
    if (!fits && !j->part) printf("--part NAME looks for the nearest configuration that fits.\n");
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static json_t *area_json(const vta_hardware_area *area) {
    json_t *o = json_object();
    for (int q = 0; q < QUANTITIES; q++) json_object_set_new(o, quantities[q].key, json_real(of(area, q)));
    return o;
}

static json_t *part_json(const vta_hardware_area *sum, const vta_part *part) {
    json_t *share = json_object();
    for (int q = 0; q < QUANTITIES; q++)
        if (of(&part->has, q)) json_object_set_new(share, quantities[q].key, json_real(of(sum, q) / of(&part->has, q)));
    return json_pack("{s:s, s:o, s:o, s:b}", "part", part->name, "has", area_json(&part->has), "share", share, "fits",
                     shortage(sum, part) < 0);
}

static json_t *synthesis_json(const vta_synthesis *s, const hw_job *j, const vta_config *config) {
    json_t *modules = json_array(), *parts = json_array();
    vta_hardware_area sum = vta_synthesis_area(s);
    vta_synthesis_module m;
    vta_part part;
    for (size_t i = 0; vta_synthesis_module_get(s, i, &m); i++) {
        json_t *row = area_json(&m.area);
        json_object_set_new(row, "module", json_string(m.name));
        json_object_set_new(row, "instances", json_integer(m.count));
        json_array_append_new(modules, row);
    }
    for (size_t i = 0; vta_part_get(i, &part); i++)
        if (!strcmp(part.family, j->family) && (!j->part || !strcmp(part.name, j->part)))
            json_array_append_new(parts, part_json(&sum, &part));
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "config", vta_config_bitstream(config), "family", j->family, "total",
                     area_json(&sum), "modules", modules, "parts", parts);
}

/* ---- The nearest configuration that fits --------------------------------------------------------------------- */

/* The biggest buffer by half: fewer blocks of memory. */
static void halve_buffer(const vta_config *config, char *out, size_t size) {
    static const struct {
        vta_memory memory;
        vta_config_field field;
    } buffers[] = {{VTA_MEM_WGT, VTA_CONFIG_LOG_WGT_BUFF_SIZE},
                   {VTA_MEM_ACC, VTA_CONFIG_LOG_ACC_BUFF_SIZE},
                   {VTA_MEM_INP, VTA_CONFIG_LOG_INP_BUFF_SIZE},
                   {VTA_MEM_UOP, VTA_CONFIG_LOG_UOP_BUFF_SIZE}};
    int best = 0;
    uint64_t most = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t bytes =
            vta_config_buffer_bytes(config, buffers[i].memory) * (buffers[i].memory == VTA_MEM_ACC ? 2 : 1);
        if (bytes > most) most = bytes, best = i;
    }
    vta_config_field field = buffers[best].field;
    snprintf(out, size, "%s=%d", vta_config_field_name(field), vta_config_get(config, field) - 1);
}

/* Half as many output channels: half the multipliers, and memories of the same depth. */
static void halve_array(const vta_config *config, char *out, size_t size) {
    int log_out = 0;
    while (2u << log_out <= vta_config_block_out(config)) log_out++;
    snprintf(out, size, "LOG_BLOCK_OUT=%d LOG_WGT_BUFF_SIZE=%d LOG_ACC_BUFF_SIZE=%d", log_out - 1,
             vta_config_get(config, VTA_CONFIG_LOG_WGT_BUFF_SIZE) - 1,
             vta_config_get(config, VTA_CONFIG_LOG_ACC_BUFF_SIZE) - 1);
}

static vta_status find_part(const hw_job *j, vta_part *out) {
    const char *names[16];
    size_t count = 0;
    for (size_t i = 0; vta_part_get(i, out) && count < 16; i++) {
        if (strcmp(out->family, j->family)) continue;
        if (!strcmp(out->name, j->part)) return VTA_OK;
        names[count++] = out->name;
    }
    return cli_unknown("--part", j->part, "part of this family", names, count, "");
}

typedef struct search {
    const hw_job *job;
    vta_part part;
    vta_config *config; /* the candidate */
    vta_synthesis *s;
    char changes[400]; /* what it changes */
} search;

static vta_status step(search *f, int short_of) {
    char change[160];
    vta_config *smaller = NULL;
    if (short_of == BLOCK_RAMS)
        halve_buffer(f->config, change, sizeof change);
    else
        halve_array(f->config, change, sizeof change);
    vta_status status = vta_config_with(f->config, change, cli_diag(), &smaller);
    if (status != VTA_OK) return status;
    vta_config_release(f->config);
    f->config = smaller;
    size_t used = strlen(f->changes);
    snprintf(f->changes + used, sizeof f->changes - used, "%s%s", used ? " " : "", change);
    vta_synthesis_destroy(f->s);
    f->s = NULL;
    return synthesize(f->job, f->config, "a smaller configuration", &f->s);
}

/* Halves what the part lacks most until all fits. */
static vta_status run_search(search *f) {
    vta_status status = synthesize(f->job, f->config, "synthesis", &f->s);
    for (int i = 0; status == VTA_OK; i++) {
        vta_hardware_area sum = vta_synthesis_area(f->s);
        int short_of = shortage(&sum, &f->part);
        if (short_of < 0 || i == STEPS_MAX) return status;
        status = step(f, short_of);
    }
    return status;
}

static vta_status find_nearest(const hw_job *j, const vta_config *config, json_t *json) {
    search f = {.job = j};
    vta_status status = find_part(j, &f.part);
    if (status != VTA_OK) return status;
    f.config = vta_config_retain(config);
    status = run_search(&f);
    if (status == VTA_OK && *f.changes) {
        vta_hardware_area sum = vta_synthesis_area(f.s);
        bool fits = shortage(&sum, &f.part) < 0;
        if (json)
            json_object_set_new(
                json, "nearest",
                json_pack("{s:s, s:b, s:o}", "changes", f.changes, "fits", fits, "total", area_json(&sum)));
        else
            printf("%s: %s\n  ", fits ? "fits with" : "does not fit, even with", f.changes), print_share(&sum, &f.part);
    }
    vta_synthesis_destroy(f.s);
    vta_config_release(f.config);
    return status;
}

vta_status hw_synth(const hw_job *j, const vta_config *config) {
    vta_synthesis *s;
    json_t *json = NULL;
    vta_status status = synthesize(j, config, "synthesis", &s);
    if (status != VTA_OK) return status;
    vta_hardware_area sum = vta_synthesis_area(s);
    if (j->common.json) {
        json = synthesis_json(s, j, config);
    } else {
        print_modules(s, j->family);
        print_parts(&sum, j);
    }
    vta_synthesis_destroy(s);
    if (j->part) status = find_nearest(j, config, json);
    if (json && status == VTA_OK)
        cli_print_json(json);
    else
        json_decref(json);
    return status;
}
