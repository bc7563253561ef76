/* Schedules as lists of knobs. */
#include "operators/knobs.h"

#include <stddef.h>
#include <string.h>

enum { MATRIX, IMAGE, SUM, WINDOW, ALL, TURNS };

typedef vt_op_knob knob;

static const knob knobs[] = {
#define VT_KNOB(name, form, member, axis, of)                                                                          \
    {#name, VT_KNOB_##form, offsetof(vt_op_blocks, member), offsetof(vt_op_shape, axis)},
#include "operators/knobs.def"
};

static const int owners[] = {
#define VT_KNOB(name, form, member, axis, of) of,
#include "operators/knobs.def"
};
enum { KNOBS = sizeof knobs / sizeof *knobs, MAX_EXTENT = 1 << 20 };

static bool has(const vtac_op *op, bool turns, const knob *k) {
    bool matrix = strcmp(op->is->name, "dense") == 0;
    int of = owners[k - knobs];
    if (turns || of == TURNS) return turns && of == TURNS;
    switch (of) {
    case MATRIX: return matrix;
    case IMAGE: return !matrix;
    case SUM: return !op->is->space->use;
    case WINDOW: return op->is->space->in_parts;
    default: return true;
    }
}

size_t vt_op_knobs_of(const vtac_op *op, bool turns, const vt_op_knob *out[VT_OP_KNOBS_MAX]) {
    size_t n = 0;
    for (size_t i = 0; i < KNOBS; i++)
        if (has(op, turns, &knobs[i])) out[n++] = &knobs[i];
    return n;
}

_Static_assert(sizeof knobs / sizeof *knobs <= VT_OP_KNOBS_MAX, "room for all knobs");

static void *member(vt_op_blocks *b, const knob *k) { return (char *)b + k->at; }

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

static int64_t threads_of(const vt_op_blocks *b, const knob *k) {
    return b->share_rows == (strcmp(k->name, "h_nthread") == 0) ? b->threads : 1;
}

static void write_value(const vt_op_blocks *from, const knob *k, vt_json *w) {
    vt_op_blocks b = *from;
    switch (k->form) {
    case VT_KNOB_SIZE:
        vt_json_array(w, NULL);
        vt_json_int(w, NULL, -1);
        vt_json_int(w, NULL, *(int64_t *)member(&b, k));
        vt_json_end(w);
        return;
    case VT_KNOB_PARTS: {
        const vt_op_parts *p = member(&b, k);
        vt_json_array(w, NULL);
        for (uint32_t i = 0; i < p->n; i++) vt_json_uint(w, NULL, p->of[i]);
        vt_json_end(w);
        return;
    }
    case VT_KNOB_FLAG: vt_json_int(w, NULL, *(bool *)member(&b, k)); return;
    case VT_KNOB_THREADS: vt_json_int(w, NULL, threads_of(&b, k)); return;
    }
}

static void write_knob(const char *name, const char *kind, vt_json *w) {
    vt_json_array(w, NULL);
    vt_json_text(w, NULL, name);
    vt_json_text(w, NULL, kind);
}

/* AutoTVM's templates of images all have tile_b; here it is always 1. */
static void write_batch(vt_json *w) {
    write_knob("tile_b", "sp", w);
    vt_json_array(w, NULL);
    vt_json_int(w, NULL, -1);
    vt_json_int(w, NULL, 1);
    vt_json_end(w);
    vt_json_end(w);
}

void vt_op_knobs_write(const vtac_op *op, const vt_op_blocks *b, vt_json *w) {
    vt_json_array(w, "entity");
    if (!b->turns && strcmp(op->is->name, "dense") != 0) write_batch(w);
    for (size_t i = 0; i < KNOBS; i++) {
        if (!has(op, b->turns, &knobs[i])) continue;
        write_knob(knobs[i].name, knobs[i].form == VT_KNOB_SIZE ? "sp" : "ot", w);
        write_value(b, &knobs[i], w);
        vt_json_end(w);
    }
    vt_json_end(w);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct reading {
    vt_pos pos;
    vta_diag *diag;
    vt_op_blocks *b;
} reading;

static vta_status refuse(const reading *r, const char *name, const char *what) {
    return vt_fail_at(r->diag, VTA_INVALID_ARGUMENT, r->pos, "knob %s: %s", name, what);
}

static bool is_extent(const json_t *j, int64_t least) {
    return json_is_integer(j) && json_integer_value(j) >= least && json_integer_value(j) <= MAX_EXTENT;
}

/* Of [outer, inner] the inner one is the size; outer follows from the axis. 0: windows are not in parts. */
static vta_status read_size(const reading *r, const char *name, const json_t *value, int64_t *out) {
    const json_t *inner = json_array_get(value, json_array_size(value) - 1);
    if (!json_is_array(value) || !is_extent(inner, 0))
        return refuse(r, name, "must be a list of sizes such as [-1, 7], whose last is the tile's");
    *out = json_integer_value(inner);
    return VTA_OK;
}

static vta_status read_parts(const reading *r, const char *name, const json_t *value, vt_op_parts *out) {
    size_t n = json_array_size(value);
    if (!json_is_array(value) || !n || n > VT_OP_PARTS) return refuse(r, name, "must be a list of 1 to 128 sizes");
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(value, i);
        if (!is_extent(one, 1) || json_integer_value(one) > UINT16_MAX) return refuse(r, name, "sizes are 1 to 65535");
        out->of[i] = (uint16_t)json_integer_value(one);
    }
    out->n = (uint32_t)n;
    return VTA_OK;
}

static vta_status read_threads(const reading *r, const char *name, const json_t *value) {
    if (!is_extent(value, 1)) return refuse(r, name, "must be a count of virtual threads, from 1");
    if (json_integer_value(value) == 1) return VTA_OK;
    if (r->b->threads > 1) return refuse(r, name, "virtual threads share rows or output channels here, not both");
    r->b->threads = json_integer_value(value);
    r->b->share_rows = strcmp(name, "h_nthread") == 0;
    return VTA_OK;
}

static vta_status read_value(const reading *r, const knob *k, const json_t *value) {
    switch (k->form) {
    case VT_KNOB_SIZE: return read_size(r, k->name, value, member(r->b, k));
    case VT_KNOB_PARTS: return read_parts(r, k->name, value, member(r->b, k));
    case VT_KNOB_FLAG:
        if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > 1)
            return refuse(r, k->name, "must be 0 or 1");
        *(bool *)member(r->b, k) = json_integer_value(value) == 1;
        return VTA_OK;
    case VT_KNOB_THREADS: break;
    }
    return read_threads(r, k->name, value);
}

/* The value of a knob; NULL when the list has none of that name. */
static const json_t *find(const json_t *entity, const char *name) {
    for (size_t i = 0; i < json_array_size(entity); i++) {
        const json_t *one = json_array_get(entity, i), *is = json_array_get(one, 0);
        if (json_is_string(is) && !strcmp(json_string_value(is), name)) return json_array_get(one, 2);
    }
    return NULL;
}

static const knob *knob_of(const vtac_op *op, bool turns, const char *name) {
    for (size_t i = 0; i < KNOBS; i++)
        if (!strcmp(knobs[i].name, name) && has(op, turns, &knobs[i])) return &knobs[i];
    return NULL;
}

/* Each entry is a knob of this operator's schedules, with three members. */
static vta_status check_names(const reading *r, const vtac_op *op, bool turns, const json_t *entity) {
    for (size_t i = 0; i < json_array_size(entity); i++) {
        const json_t *one = json_array_get(entity, i), *is = json_array_get(one, 0);
        if (!json_is_string(is) || json_array_size(one) != 3)
            return refuse(r, "?", "an entry of entity must be [name, kind, value]");
        const char *name = json_string_value(is);
        if (knob_of(op, turns, name)) continue;
        if (turns || strcmp(name, "tile_b") != 0) return refuse(r, name, "schedules of this operator have none");
        int64_t batch = 0;
        VT_TRY(read_size(r, name, json_array_get(one, 2), &batch));
        if (batch != 1) return refuse(r, name, "a tile has one block of images here");
    }
    return VTA_OK;
}

vta_status vt_op_knobs_read(const vtac_op *op, const json_t *entity, vt_pos pos, vta_diag *diag, vt_op_blocks *out) {
    reading r = {pos, diag, out};
    memset(out, 0, sizeof *out);
    out->threads = 1;
    if (!json_is_array(entity)) return refuse(&r, "?", "entity must be a list");
    out->turns = find(entity, "parts_co") != NULL;
    VT_TRY(check_names(&r, op, out->turns, entity));
    for (size_t i = 0; i < KNOBS; i++) {
        if (!has(op, out->turns, &knobs[i])) continue;
        const json_t *value = find(entity, knobs[i].name);
        if (!value && knobs[i].form != VT_KNOB_SIZE && knobs[i].form != VT_KNOB_PARTS) continue; /* 1 thread, off */
        if (!value) return refuse(&r, knobs[i].name, "is missing");
        VT_TRY(read_value(&r, &knobs[i], value));
    }
    if (!strcmp(op->is->name, "dense")) out->x = 1;
    return VTA_OK;
}

/* ---- Names to find schedules by ---------------------------------------------------------------------------------- */

static void write_steps(const vtac_op *op, vt_strbuf *out) {
    static const char *const names[] = {
#define VT_EPILOGUE(name, form, numbers, needed, a, b, least, most, text) #name,
#include "operators/epilogue.def"
    };
    vt_epilogue_use use = vt__epilogue_use(op, 1, 1);
    for (uint32_t i = 0; i < op->n_epilogue; i++)
        vt_strbuf_addf(out, "%s%s", i ? "," : " ", names[op->epilogue[i].kind]);
    vt_strbuf_addf(out, " of %lld+%lld", (long long)use.micro_ops, (long long)use.wgt);
}

void vt_op_workload_write(const vtac_op *op, bool with_epilogue, vt_strbuf *out) {
    const vt_op_shape *s = &op->shape;
    vt_strbuf_addf(out, "%s %lldx%lldx%lldx%lld to %lldx%lldx%lld", op->is->name, (long long)s->n, (long long)s->ic,
                   (long long)s->h, (long long)s->w, (long long)s->oc, (long long)s->out_h, (long long)s->out_w);
    vt_strbuf_addf(out, " kernel %lldx%lld stride %lldx%lld dilation %lldx%lld pad %lld,%lld,%lld,%lld",
                   (long long)s->kernel_h, (long long)s->kernel_w, (long long)s->stride_h, (long long)s->stride_w,
                   (long long)s->dilation_h, (long long)s->dilation_w, (long long)s->top, (long long)s->bottom,
                   (long long)s->left, (long long)s->right);
    if (s->in_total != s->ic) vt_strbuf_addf(out, " of %lld, %lld", (long long)s->in_total, (long long)s->group_out);
    if (s->pool)
        vt_strbuf_addf(out, " pool %lld, %lld, %lld", (long long)s->pool, (long long)s->pool_stride,
                       (long long)s->pool_pad);
    if (s->wide) vt_strbuf_add(out, " wide");
    if (with_epilogue) write_steps(op, out);
}

void vt_op_machine_write(const vtac_op *op, const vta_timing_profile *profile, vt_strbuf *out) {
    vt_strbuf_addf(out, "%s %s %u", vta_config_bitstream(op->config), profile->name, (unsigned)profile->bus_bits);
}

/* ---- Schedules --------------------------------------------------------------------------------------------------- */

uint32_t vt_op_candidates(const vtac_op *op, const vta_timing_profile *profile, uint32_t most, vt_op_blocks *out,
                          uint64_t *out_considered) {
    return op->is->space->candidates(op, profile, most, out, out_considered);
}

const char *vt_op_admit(const vtac_op *op, const vta_timing_profile *profile, vt_op_blocks *b) {
    return op->is->space->admit(op, profile, b);
}

uint64_t vt_op_bound(const vtac_op *op, const vta_timing_profile *profile) { return op->is->space->bound(op, profile); }

vta_status vt_op_time(const vtac_op *op, const vt_op_blocks *b, const vta_timing_profile *profile, vta_diag *diag,
                      uint64_t *out_cycles) {
    vt_op_trial t;
    vta_status status = vt__trial_make(op, b, profile, diag, &t);
    *out_cycles = t.cycles;
    vt__trial_free(op, &t);
    return status;
}
