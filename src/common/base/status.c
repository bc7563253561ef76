#include "vta/status.h"

typedef struct row {
    const char *name;
    const char *text;
    const char *meaning;
} row;

static const row rows[] = {
#define VTA_STATUS(name, value, text, meaning) [value] = {"VTA_" #name, text, meaning},
#include "vta/status.def"
#undef VTA_STATUS
};

static const row *row_of(vta_status status) {
    static const row unknown = {"VTA_?", "unknown status", "No such code."};
    return (unsigned)status < sizeof rows / sizeof *rows ? &rows[status] : &unknown;
}

const char *vta_status_text(vta_status status) { return row_of(status)->text; }
const char *vta_status_meaning(vta_status status) { return row_of(status)->meaning; }
const char *vta_status_name(vta_status status) { return row_of(status)->name; }
const char *vta_version(void) { return VT_VERSION; }
