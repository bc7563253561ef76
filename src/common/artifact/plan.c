/* Plans as JSON, and what enumerations are called. */
#include "artifact/plan.h"

#include "base/element_type.h"
#include "base/json_write.h"

const char *const vt_place_names[VT_PLACES] = {"device", "host", "data"};

const vt_step_row vt_step_rows[VT_STEP_KINDS] = {
#define VT_STEP_KIND(name, text, least, most, meaning) {text, least, most, meaning},
#include "artifact/plan.def"
};

bool vt_plan_tensor_bytes(DLDataType type, int32_t ndim, const int64_t shape[], uint64_t *out_bytes) {
    bool known = type.code == kDLInt || type.code == kDLUInt || type.code == kDLFloat;
    uint64_t bits = type.code == kDLUInt && type.bits == 1 ? 8 : type.bits, n = 1;
    if (!known || type.lanes != 1 || !bits || bits > 64) return false;
    for (int32_t i = 0; i < ndim; i++)
        if (shape[i] < 1 || __builtin_mul_overflow(n, (uint64_t)shape[i], &n)) return false;
    if (__builtin_mul_overflow(n, bits, &n) || n > UINT64_MAX - 7) return false;
    *out_bytes = (n + 7) / 8;
    return true;
}

static void write_view_fields(vt_json *w, const vt_plan_view *v) {
    char type[VT_ELEMENT_TYPE_BYTES];
    vt_json_uint(w, "buffer", v->buffer);
    if (v->offset) vt_json_uint(w, "offset", v->offset);
    vt_json_text(w, "type", vt_element_type_text(v->type, type));
    vt_json_array(w, "shape");
    for (int32_t i = 0; i < v->ndim; i++) vt_json_int(w, NULL, v->shape[i]);
    vt_json_end(w);
    if (v->output) vt_json_bool(w, "output", true);
}

static void write_buffers(vt_json *w, const vt_plan *p) {
    vt_json_array(w, "buffers");
    for (uint32_t i = 0; i < p->buffer_count; i++) {
        const vt_plan_buffer *b = &p->buffers[i];
        vt_json_line(w);
        vt_json_object(w, NULL);
        vt_json_text(w, "name", b->name);
        vt_json_text(w, "place", vt_place_names[b->place]);
        vt_json_uint(w, "offset", b->offset);
        vt_json_uint(w, "bytes", b->bytes);
        vt_json_end(w);
    }
    vt_json_line(w);
    vt_json_end(w);
}

static void write_ports(vt_json *w, const char *key, const vt_plan_port *ports, uint32_t count) {
    vt_json_array(w, key);
    for (uint32_t i = 0; i < count; i++) {
        vt_json_line(w);
        vt_json_object(w, NULL);
        vt_json_text(w, "name", ports[i].name);
        write_view_fields(w, &ports[i].view);
        vt_json_end(w);
    }
    vt_json_line(w);
    vt_json_end(w);
}

static void write_run(vt_json *w, const vt_plan_step *s) {
    vt_json_uint(w, "first", s->first);
    vt_json_uint(w, "count", s->count);
    vt_json_array(w, "layers");
    for (uint32_t i = 0; i < s->layer_count; i++) {
        vt_json_object(w, NULL);
        vt_json_text(w, "name", s->layers[i].name);
        vt_json_uint(w, "first", s->layers[i].first);
        vt_json_end(w);
    }
    vt_json_end(w);
}

static void write_views(vt_json *w, const vt_plan_step *s) {
    vt_json_array(w, "views");
    for (uint32_t i = 0; i < s->view_count; i++) {
        vt_json_object(w, NULL);
        write_view_fields(w, &s->views[i]);
        vt_json_end(w);
    }
    vt_json_end(w);
}

static void write_steps(vt_json *w, const vt_plan *p) {
    vt_json_array(w, "steps");
    for (uint32_t i = 0; i < p->step_count; i++) {
        const vt_plan_step *s = &p->steps[i];
        vt_json_line(w);
        vt_json_object(w, NULL);
        vt_json_text(w, "kind", vt_step_rows[s->kind].name);
        vt_json_text(w, "name", s->name);
        if (s->kind == VT_STEP_RUN) write_run(w, s);
        if (s->kind == VT_STEP_CALL) vt_json_text(w, "function", s->function);
        if (s->kind != VT_STEP_RUN) write_views(w, s);
        vt_json_end(w);
    }
    vt_json_line(w);
    vt_json_end(w);
}

void vt_plan_write(const vt_plan *p, vt_strbuf *out) {
    vt_json writer, *w = &writer;
    vt_json_init(w, out, VT_JSON_SPACED);
    vt_json_object(w, NULL);
    vt_json_uint(w, "version", VT_PLAN_VERSION);
    vt_json_text(w, "name", p->name);
    vt_json_text(w, "triple", p->triple);
    vt_json_line(w);
    vt_json_object(w, "device");
    vt_json_uint(w, "bytes", p->device_bytes);
    vt_json_uint(w, "uops", p->uops_at);
    vt_json_uint(w, "insns", p->insns_at);
    vt_json_uint(w, "work", p->work_at);
    vt_json_end(w);
    vt_json_uint(w, "host_bytes", p->host_bytes);
    vt_json_line(w);
    write_buffers(w, p);
    write_ports(w, "inputs", p->inputs, p->input_count);
    write_ports(w, "outputs", p->outputs, p->output_count);
    write_steps(w, p);
    vt_json_end(w);
    vt_strbuf_addc(out, '\n');
}
