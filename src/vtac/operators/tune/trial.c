/* One trial, and the names of schedules. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "operators/tune/tune.h"

vta_status vt__tune_try(const vtac_op *op, const vta_timing_profile *profile, const vta_allocator *allocator,
                        vt_tune_trial *t) {
    double begin = vt_now();
    uint64_t cycles = 0;
    vta_diag *said = vta_diag_create(allocator);
    if (!said) return VTA_NO_MEMORY;
    vta_status status = vt_op_time(op, &t->blocks, profile, said, &cycles);
    t->done = status != VTA_NO_MEMORY;
    t->cycles = status == VTA_OK ? cycles : 0;
    t->error = status == VTA_OK ? VT_TUNE_FINE : VT_TUNE_REFUSED;
    t->seconds = vt_now() - begin;
    snprintf(t->message, sizeof t->message, "%s", status == VTA_OK ? "" : vt_diag_reason(said));
    t->message[strcspn(t->message, "\n")] = 0;
    vta_diag_destroy(said);
    return status == VTA_NO_MEMORY ? status : VTA_OK;
}

char *vt__tune_knobs(const vtac_op *op, const vt_op_blocks *b) {
    vt_strbuf sb;
    vt_json w;
    vt_strbuf_init(&sb, op->allocator);
    vt_json_init(&w, &sb, VT_JSON_SPACED);
    vt_json_object(&w, NULL);
    vt_op_knobs_write(op, b, &w);
    vt_json_end(&w);
    return vt_strbuf_take(&sb);
}

vta_status vt__tune_hash(const vtac_op *op, const vt_op_blocks *b, vta_diag *diag, uint64_t *out_hash) {
    char *text = vt__tune_knobs(op, b);
    if (!text) return vt_no_memory(diag);
    *out_hash = vt_hash(1, text, strlen(text));
    vt_strfree(op->allocator, text);
    return VTA_OK;
}
