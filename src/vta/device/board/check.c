/* What a machine has of what a board's driver needs, looked at before anything is run. Each part is asked the way the
 * driver asks, so that what is missing is said in the driver's words. Nothing is changed. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/board/board.h"
#include "device/board/contiguous.h"
#include "device/board/fabric.h"
#include "device/board/fpga.h"
#include "device/board/overlay.h"

typedef enum part_state { PART_OK, PART_MISSING, PART_UNKNOWN } part_state;
static const char *const state_names[] = {"ok", "missing", "unknown"};

typedef struct part {
    part_state state;
    char found[640], advice[1024];
} part;

typedef struct checked {
    const vt_board_settings *s;
    const vt_register_map *map;
    uint32_t address;
    const vta_allocator *allocator;
    vta_diag *diag; /* what the driver's functions say */
    vt_mapped mapped;
    bool free; /* mapped, and nobody has them */
    vt_contiguous memory;
    bool has_memory;
} checked;

/* ---- Saying it --------------------------------------------------------------------------------------------- */

static void say(part *p, part_state state, const char *fmt, ...) VTA_PRINTF(3, 4);
static void advise(part *p, const char *fmt, ...) VTA_PRINTF(2, 3);

static void say(part *p, part_state state, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    p->state = state;
    vsnprintf(p->found, sizeof p->found, fmt, args);
    va_end(args);
}

static void advise(part *p, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->advice, sizeof p->advice, fmt, args);
    va_end(args);
}

/* What the driver said when it failed. */
static void refuse(part *p, checked *c, const char *found) {
    vta_diag_entry e;
    say(p, PART_MISSING, "%s", found);
    if (vta_diag_get(c->diag, 0, &e) == VTA_OK) advise(p, "%s", e.message);
    vta_diag_clear(c->diag);
}

/* ---- The FPGA ---------------------------------------------------------------------------------------------------- */

static void by_name(part *p, const checked *c) {
    char path[VT_ATTRIBUTE_PATH];
    vt__attribute_path(c->s->fpga, "firmware", path);
    bool may = access(path, W_OK) == 0 && access(c->s->firmware, W_OK) == 0;
    say(p, PART_OK, "%s takes firmware by name, from %s%s", c->s->fpga, c->s->firmware,
        may ? "" : "; not for this user, programming needs root");
}

static void by_overlay(part *p, checked *c) {
    char region[VT_BOARD_TEXT];
    bool may = access(c->s->overlays, W_OK) == 0 && access(c->s->firmware, W_OK) == 0;
    const char *root = may ? "" : "; not for this user, programming needs root";
    if (*c->s->overlay)
        say(p, PART_OK, "%s takes overlays: %s%s", c->s->overlays, c->s->overlay, root);
    else if (vt__overlay_region(c->s, c->diag, region) == VTA_OK)
        say(p, PART_OK, "%s takes overlays, for the region %s%s", c->s->overlays, region, root);
    else
        refuse(p, c, "the kernel takes overlays, and has no FPGA region for one");
}

static void look_at_manager(part *p, checked *c) {
    switch (vt__fpga_way(c->s)) {
    case VT_FPGA_BY_NAME: by_name(p, c); break;
    case VT_FPGA_BY_OVERLAY: by_overlay(p, c); break;
    case VT_FPGA_NO_WAY:
        say(p, PART_UNKNOWN, "the boot loader has to: %s has no file `firmware`, and there is no %s", c->s->fpga,
            c->s->overlays);
        break;
    case VT_FPGA_NO_MANAGER:
        say(p, PART_UNKNOWN, "the boot loader has to: there is no %s", c->s->fpga);
        advise(p, "a kernel with an FPGA manager programs it (CONFIG_FPGA; board setting fpga=)");
    }
}

static void look_at_fpga(part *p, checked *c) {
    char state[VT_ATTRIBUTE_BYTES];
    vt__fpga_state(c->s, state);
    if (!*state)
        say(p, PART_UNKNOWN, "nobody says whether it is programmed: there is no %s/state", c->s->fpga);
    else if (vt__fpga_works(c->s))
        say(p, PART_OK, "programmed: its manager says '%s'", state);
    else {
        say(p, PART_MISSING, "not programmed: its manager says '%s'", state);
        advise(p, "program it (program_fpga in Python, `vta rpc program`), or have the boot loader do so");
    }
}

/* ---- Bridges and clocks ------------------------------------------------------------------------------------------ */

static const char *describe(const vt_fabric_part *f) {
    return f->state == VT_FABRIC_ON        ? "on"
           : f->state == VT_FABRIC_MISSING ? "not there"
           : f->can_switch                 ? "off, the driver enables it"
                                           : "off, and cannot be enabled";
}

static void check_fabric(part *p, checked *c, vt_fabric_kind kind, const char *setting) {
    vt_fabric_part f;
    size_t size = 0;
    say(p, PART_OK, "none are named (board setting %s=): they are the boot loader's, or the overlay's", setting);
    for (int n = 0; vt__fabric_part(c->s, n, &f); n++) {
        if (f.kind != kind) continue;
        if (size < sizeof p->found)
            size += (size_t)snprintf(p->found + size, sizeof p->found - size, "%s%s: %s", size ? ", " : "", f.name,
                                     describe(&f));
        if (f.state == VT_FABRIC_ON || (f.state == VT_FABRIC_OFF && f.can_switch)) continue;
        p->state = PART_MISSING;
        if (f.state == VT_FABRIC_MISSING)
            advise(p, "there is no %s in %s (board setting %s)", f.name, f.looked_in, f.where);
        else
            advise(p, "have the region of the overlay name it (fpga-bridges), or the boot loader open it");
    }
}

static void look_at_bridges(part *p, checked *c) { check_fabric(p, c, VT_BRIDGE, "bridges"); }
static void look_at_clocks(part *p, checked *c) { check_fabric(p, c, VT_CLOCK, "clocks"); }

/* ---- Registers --------------------------------------------------------------------------------------------------- */

static void look_at_registers(part *p, checked *c) {
    if (vt__board_map(c->s, c->map, c->address, c->diag, &c->mapped) != VTA_OK) {
        refuse(p, c, "they cannot be mapped");
        return;
    }
    c->free = vt__registers_are_free(&c->mapped, c->diag) == VTA_OK;
    if (c->free)
        say(p, PART_OK, "%s, %" PRIu32 " block%s", c->mapped.file, c->map->block_count,
            c->map->block_count == 1 ? "" : "s");
    else
        refuse(p, c, "somebody has them");
}

static void look_at_accelerator(part *p, checked *c) {
    if (!c->free || !vt__board_is_reachable(c->s))
        say(p, PART_UNKNOWN, "not looked at: %s",
            !c->free ? "its registers cannot be had" : "an access may stop the host, as the FPGA is now");
    else if (vt__board_runs_nothing(&c->mapped, c->map, c->diag) == VTA_OK)
        say(p, PART_OK, "it runs nothing");
    else
        refuse(p, c, "no stream can be run now");
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static void look_at_memory(part *p, checked *c) {
    c->has_memory = vt_contiguous_open(&c->memory, c->s, c->allocator, c->diag) == VTA_OK;
    if (c->has_memory)
        say(p, PART_OK, "%s: %" PRIu64 " KiB at 0x%08" PRIx32, c->memory.name, c->memory.size >> 10, c->memory.base);
    else
        refuse(p, c, "there is none that the accelerator can use");
}

static void look_at_cache(part *p, checked *c) {
    if (!c->has_memory) {
        say(p, PART_UNKNOWN, "not looked at: there is no memory");
        return;
    }
    say(p, c->memory.may_sync ? PART_OK : PART_MISSING, "%s", c->memory.sync_text);
    if (!c->memory.may_sync)
        advise(p,
               "run as root, have a udev rule give these files to this user, or take a newer u-dma-buf, whose device "
               "file is enough");
}

/* ---- All of it --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *is;
    void (*look)(part *p, checked *c);
} parts[] = {
#define VT_BOARD_PART(name, is) {#name, is, look_at_##name},
#include "device/board/parts.def"
#undef VT_BOARD_PART
};

/* A model is registers and memory. */
static bool is_of_a_model(int i) {
    void (*look)(part *, checked *) = parts[i].look;
    return look != look_at_manager && look != look_at_fpga && look != look_at_bridges && look != look_at_clocks;
}

vta_status vt__board_check(const vt_board_settings *s, const vt_register_map *map, uint32_t address,
                           const vta_allocator *allocator, vt_json *w, vta_diag *diag) {
    checked c = {.s = s, .map = map, .address = address, .allocator = allocator, .mapped = {.fd = -1}};
    uint64_t missing = 0;
    c.diag = vta_diag_create(allocator);
    if (!c.diag) return vt_no_memory(diag);
    vt_json_array(w, "parts");
    for (int i = 0; i < (int)(sizeof parts / sizeof *parts); i++) {
        part p = {0};
        if (*s->model && !is_of_a_model(i))
            say(&p, PART_OK, "a model has none");
        else
            parts[i].look(&p, &c);
        missing += p.state == PART_MISSING;
        vt_json_object(w, NULL);
        vt_json_text(w, "name", parts[i].name);
        vt_json_text(w, "is", parts[i].is);
        vt_json_text(w, "state", state_names[p.state]);
        vt_json_text(w, "found", p.found);
        vt_json_text(w, "advice", *p.advice ? p.advice : NULL);
        vt_json_end(w);
    }
    vt_json_end(w);
    vt_json_uint(w, "missing", missing);
    if (c.has_memory) vt_contiguous_close(&c.memory);
    vt__unmap_registers(&c.mapped);
    vta_diag_destroy(c.diag);
    return VTA_OK;
}
