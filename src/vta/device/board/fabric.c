#include "device/board/fabric.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/board/attribute.h"

/* ---- Finding ----------------------------------------------------------------------------------------------------- */

/* The n-th of "a:b:c". */
static bool nth(const char *list, int n, char *out, size_t room) {
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ":");
        if (size && n-- == 0) {
            snprintf(out, room, "%.*s", (int)size, at);
            return true;
        }
        at += size + (at[size] == ':');
    }
    return false;
}

/* By the name of its folder (br0, lwhps2fpga), or by what its file `name` says. */
static bool find(vt_fabric_part *p) {
    DIR *dir = opendir(p->looked_in);
    bool found = false;
    for (struct dirent *e; dir && !found && (e = readdir(dir)) != NULL;) {
        char says[VT_ATTRIBUTE_BYTES];
        if (e->d_name[0] == '.') continue;
        snprintf(p->folder, sizeof p->folder, "%s/%s", p->looked_in, e->d_name);
        found = !strcmp(e->d_name, p->name) || (!vt__attribute_read(p->folder, "name", says) && !strcmp(says, p->name));
    }
    if (dir) closedir(dir);
    return found;
}

/* The file that switches it: `enable` (kernels of Altera's, and of clocks), `set` (Xilinx's); mainline has none. */
static const char *switch_of(const vt_fabric_part *p) {
    return vt__attribute_is_there(p->folder, "enable") ? "enable"
           : vt__attribute_is_there(p->folder, "set")  ? "set"
                                                       : NULL;
}

static bool is_on(const vt_fabric_part *p) {
    char text[VT_ATTRIBUTE_BYTES];
    if (!vt__attribute_read(p->folder, "state", text)) return !strcmp(text, "enabled");
    if (!vt__attribute_read(p->folder, "enable", text)) return atoi(text) != 0;
    return p->kind == VT_CLOCK; /* Xilinx's fclk has a rate only: its driver enables it */
}

bool vt__fabric_part(const vt_board_settings *s, int n, vt_fabric_part *p) {
    int bridges = 0;
    *p = (vt_fabric_part){.kind = VT_BRIDGE, .state = VT_FABRIC_MISSING, .where = "bridges_in="};
    while (nth(s->bridges, bridges, p->name, sizeof p->name) && bridges != n) bridges++;
    snprintf(p->looked_in, sizeof p->looked_in, "%s", s->bridges_in);
    if (!nth(s->bridges, n, p->name, sizeof p->name)) {
        if (!nth(s->clocks, n - bridges, p->name, sizeof p->name)) return false;
        char *at = strchr(p->name, '@');
        if (at) snprintf(p->rate, sizeof p->rate, "%.31s", at + 1), *at = '\0';
        p->kind = VT_CLOCK;
        p->where = "clocks_in=";
        snprintf(p->looked_in, sizeof p->looked_in, "%s", s->clocks_in);
    }
    if (!find(p)) return true;
    p->can_switch = switch_of(p) != NULL;
    p->state = is_on(p) ? VT_FABRIC_ON : VT_FABRIC_OFF;
    return true;
}

bool vt__fabric_is_on(const vt_board_settings *s) {
    vt_fabric_part p;
    for (int n = 0; vt__fabric_part(s, n, &p); n++)
        if (p.state != VT_FABRIC_ON) return false;
    return true;
}

/* ---- Enabling ---------------------------------------------------------------------------------------------------- */

static const char *kind_of(const vt_fabric_part *p) { return p->kind == VT_BRIDGE ? "bridge" : "clock"; }

static vta_status write_to(const vt_fabric_part *p, const char *name, const char *text, vta_diag *diag) {
    int error = vt__attribute_write_text(p->folder, name, text);
    if (!error) return VTA_OK;
    return vt_fail(diag, VTA_IO, "the FPGA's %s %s: %s/%s cannot be written: %s%s", kind_of(p), p->name, p->folder,
                   name, strerror(error), error == EACCES || error == EPERM ? "; only root may" : "");
}

static vta_status set_rate(const vt_fabric_part *p, vta_diag *diag) {
    if (!*p->rate) return VTA_OK;
    return write_to(p, vt__attribute_is_there(p->folder, "rate") ? "rate" : "set_rate", p->rate, diag);
}

static vta_status enable(const vt_board_settings *s, int n, vt_fabric_part *p, vta_diag *diag) {
    if (p->state == VT_FABRIC_MISSING)
        return vt_fail(diag, VTA_NOT_FOUND, "the FPGA's %s %s: there is none of that name in %s (board setting %s)",
                       kind_of(p), p->name, p->looked_in, p->where);
    VT_TRY(set_rate(p, diag));
    if (p->state == VT_FABRIC_ON) return VTA_OK;
    if (!p->can_switch)
        return vt_fail(diag, VTA_UNSUPPORTED,
                       "the FPGA's bridge %s is disabled, and this kernel has no file that enables it: it does so when "
                       "the FPGA is programmed by an overlay, for what the region names (fpga-bridges), or the boot "
                       "loader does",
                       p->name);
    VT_TRY(write_to(p, switch_of(p), "1", diag));
    vt__fabric_part(s, n, p);
    if (p->state == VT_FABRIC_ON) return VTA_OK;
    return vt_fail(diag, VTA_IO, "the FPGA's %s %s: %s still says that it is disabled", kind_of(p), p->name, p->folder);
}

vta_status vt__fabric_enable(const vt_board_settings *s, vta_diag *diag) {
    vt_fabric_part p;
    for (int n = 0; vt__fabric_part(s, n, &p); n++) VT_TRY(enable(s, n, &p, diag));
    return VTA_OK;
}
