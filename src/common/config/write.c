#include "config/write.h"

#include "config/config_priv.h"

static void next(vt_json *w, bool lines) {
    if (lines) vt_json_line(w);
}

static void write_fields(vt_json *w, const vta_config *config, bool lines) {
    bool square = config->block_in == config->block_out;
    for (int i = 0; i < VTA_CONFIG_FIELD_COUNT; i++) {
        if (square && i == VTA_CONFIG_LOG_BLOCK_OUT) continue;
        if (i == VTA_CONFIG_LOG_TABLE_BUFF_SIZE && !config->field[i]) continue; /* an extension that it does not have */
        bool both = square && i == VTA_CONFIG_LOG_BLOCK_IN;
        next(w, lines);
        vt_json_int(w, both ? "LOG_BLOCK" : vta_config_field_name((vta_config_field)i), config->field[i]);
    }
}

void vt_config_write(vt_json *w, const vta_config *config, bool lines) {
    vt_json_object(w, NULL);
    next(w, lines);
    vt_json_text(w, "TARGET", config->target);
    next(w, lines);
    vt_json_text(w, "HW_VER", config->hw_version);
    next(w, lines && config->isa_version > 1);
    if (config->isa_version > 1) vt_json_int(w, "ISA_VERSION", config->isa_version);
    write_fields(w, config, lines);
    next(w, lines && config->timing[0]);
    if (config->timing[0]) vt_json_raw(w, "TIMING", config->timing);
    next(w, lines);
    vt_json_end(w);
}

char *vta_config_to_json(const vta_config *config) {
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, NULL);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_config_write(&w, config, true);
    vt_strbuf_addc(&sb, '\n');
    return vt_strbuf_take(&sb);
}
