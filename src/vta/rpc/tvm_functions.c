/* The functions that clients of TVM ask for by name. */
#include <stdio.h>
#include <string.h>

#include "rpc/tvm_graph.h"

/* One call: its arguments, and where its result goes. */
typedef struct call {
    vt_rpc_session *s;
    const vt_tvm_args *args;
    vt_strbuf *out;
} call;

static vta_status nothing(call *c) {
    vt__tvm_return(c->out, true, VTA_ARG_NULL, 0, NULL, 0);
    return VTA_OK;
}

/* A text argument, terminated. */
static vta_status text_of(call *c, int i, size_t room, char *out) {
    const vt_tvm_value *v = &c->args->at[i];
    if (v->size >= room || (v->size && memchr(v->text, '\0', v->size)))
        return vt_fail(c->s->diag, VTA_INVALID_ARGUMENT, "argument %d: a text of %zu characters, or with zeros in it",
                       i, v->size);
    if (v->size) memcpy(out, v->text, v->size);
    out[v->size] = '\0';
    return VTA_OK;
}

enum { NAME_BYTES = 256 };

/* ---- Files and modules ------------------------------------------------------------------------------------------- */

static vta_status call_upload(call *c) {
    char name[NAME_BYTES];
    VT_TRY(text_of(c, 0, sizeof name, name));
    VT_TRY(vt__session_upload(c->s, name, 0, c->args->at[1].text, c->args->at[1].size));
    return nothing(c);
}

static vta_status call_download(call *c) {
    char name[NAME_BYTES];
    uint64_t total;
    vt_strbuf bytes;
    VT_TRY(text_of(c, 0, sizeof name, name));
    vt_strbuf_init(&bytes, NULL);
    vta_status status = vt__session_download(c->s, name, 0, VT_TVM_PACKET_BYTES, &bytes, &total);
    if (status == VTA_OK && bytes.failed) status = vt_no_memory(c->s->diag);
    if (status == VTA_OK) vt__tvm_return(c->out, true, VTA_ARG_BYTES, 0, vt_strbuf_text(&bytes), bytes.size);
    vt_strbuf_free(&bytes);
    return status;
}

static vta_status call_remove_file(call *c) {
    char name[NAME_BYTES];
    VT_TRY(text_of(c, 0, sizeof name, name));
    VT_TRY(vt__session_remove(c->s, name));
    return nothing(c);
}

static vta_status call_load_module(call *c) {
    char name[NAME_BYTES];
    uint64_t number;
    VT_TRY(text_of(c, 0, sizeof name, name));
    VT_TRY(vt__session_load(c->s, name, &number));
    vt__tvm_return(c->out, true, VTA_ARG_MODULE, number, NULL, 0);
    return VTA_OK;
}

/* The modules here find each other's functions by nothing: they have no imports. */
static vta_status call_import_module(call *c) { return nothing(c); }

static vta_status call_get_function(call *c) {
    char name[NAME_BYTES];
    uint64_t number = 0;
    VT_TRY(text_of(c, 1, sizeof name, name));
    const vt_rpc_object *of = vt__objects_find(&c->s->objects, c->args->at[0].bits);
    vta_status status = of && of->kind == VT_RPC_GRAPH
                            ? vt__tvm_graph_method(c->s, c->args->at[0].bits, name, &number)
                            : vt__session_function(c->s, c->args->at[0].bits, name, &number, NULL);
    if (status == VTA_NOT_FOUND && vt__objects_find(&c->s->objects, c->args->at[0].bits)) return nothing(c);
    if (status != VTA_OK) return status;
    vt__tvm_return(c->out, true, VTA_ARG_FUNCTION, number, NULL, 0);
    return VTA_OK;
}

static uint32_t small(uint64_t bits) { return bits > UINT32_MAX ? UINT32_MAX : (uint32_t)bits; }

/* A graph's run takes the graph itself. */
static vta_status timed_graph(call *c, const char *name, vt_rpc_timer *timer) {
    vt_rpc_object *graph;
    VT_TRY(vt__objects_get(&c->s->objects, c->args->at[0].bits, VT_RPC_GRAPH, c->s->diag, &graph));
    if (strcmp(name, "run"))
        return vt_fail(c->s->diag, VTA_UNSUPPORTED, "time evaluator: %s of a graph; run is timed", name);
    timer->function = vt__tvm_graph_run;
    timer->graph = graph->u.graph;
    return VTA_OK;
}

static vta_status timed_code(call *c, const char *name, vt_rpc_timer *timer) {
    uint64_t number;
    vt_rpc_object *code;
    VT_TRY(vt__session_function(c->s, c->args->at[0].bits, name, &number, NULL));
    VT_TRY(vt__objects_get(&c->s->objects, number, VT_RPC_CODE, c->s->diag, &code));
    timer->function = code->u.code;
    return vt__objects_drop(&c->s->objects, number, c->s->diag);
}

/* Module, name, device type and number, number, repeat, min_repeat_ms; what follows is about cooling down. */
static vta_status call_evaluator(call *c) {
    char name[NAME_BYTES];
    uint64_t number;
    const vt_tvm_value *a = c->args->at;
    vt_rpc_object object = {.kind = VT_RPC_TIMER, .owner = a[0].bits};
    const vt_rpc_object *of = vt__objects_find(&c->s->objects, a[0].bits);
    object.u.timer =
        (vt_rpc_timer){.number = small(a[4].bits), .repeat = small(a[5].bits), .min_repeat_ms = small(a[6].bits)};
    VT_TRY(text_of(c, 1, sizeof name, name));
    VT_TRY((of && of->kind == VT_RPC_GRAPH ? timed_graph : timed_code)(c, name, &object.u.timer));
    VT_TRY(vt__objects_add(&c->s->objects, object, c->s->diag, &number));
    vt__tvm_return(c->out, true, VTA_ARG_FUNCTION, number, NULL, 0);
    return VTA_OK;
}

static vta_status call_graph(call *c) {
    uint64_t number;
    VT_TRY(vt__tvm_graph_create(c->s, c->args, &number));
    vt__tvm_return(c->out, true, VTA_ARG_MODULE, number, NULL, 0);
    return VTA_OK;
}

/* ---- The machine ------------------------------------------------------------------------------------------------- */

static vta_status call_program(call *c) {
    char name[NAME_BYTES], path[VT_RPC_PATH_BYTES];
    VT_TRY(text_of(c, 0, sizeof name, name));
    VT_TRY(vt__session_program(c->s, name, sizeof path, path));
    return nothing(c);
}

static vta_status call_configure(call *c) {
    VT_TRY(vt__session_configure(c->s, c->args->at[0].text, c->args->at[0].size));
    return nothing(c);
}

static vta_status call_clear(call *c) {
    VT_TRY(vt__session_runtime(c->s));
    vta_runtime_clear_counters(NULL);
    return nothing(c);
}

static vta_status call_statistics(call *c) {
    VT_TRY(vt__session_runtime(c->s));
    vta_counters counters = vta_runtime_counters(NULL);
    char *text = vta_counters_to_json(&counters);
    if (!text) return vt_no_memory(c->s->diag);
    vt__tvm_return(c->out, true, VTA_ARG_STRING, 0, text, strlen(text));
    vta_string_free(text);
    return VTA_OK;
}

static vta_status call_clear_timed(call *c) { return call_clear(c); }
static vta_status call_statistics_timed(call *c) { return call_statistics(c); }
static vta_status call_device_api(call *c) { return nothing(c); }

/* ---- By name ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *args;
    vta_status (*call)(call *c);
} functions[] = {
#define VT_TVM_FUNCTION(name, text, args) {text, args, call_##name},
#include "rpc/tvm.def"
#undef VT_TVM_FUNCTION
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

int vt__tvm_find(const char *name, size_t size) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (strlen(functions[i].name) == size && !memcmp(functions[i].name, name, size)) return i;
    return -1;
}

static bool fits(char letter, int code) {
    switch (letter) {
    case 'i': return code == VTA_ARG_INT;
    case 's': return code == VTA_ARG_STRING;
    case 'b': return code == VTA_ARG_STRING || code == VTA_ARG_BYTES;
    case 'm': return code == VTA_ARG_MODULE;
    default: return true;
    }
}

static bool all_fit(const char *letters, const vt_tvm_args *args) {
    int i = 0;
    for (; letters[i] && letters[i] != '.'; i++)
        if (i >= args->count || !fits(letters[i], args->at[i].code)) return false;
    return letters[i] == '.' || i == args->count;
}

vta_status vt__tvm_call(vt_rpc_session *s, int function, const vt_tvm_args *args, vt_strbuf *out) {
    call c = {s, args, out};
    if (!all_fit(functions[function].args, args))
        return vt_fail(s->diag, VTA_INVALID_ARGUMENT,
                       "%s: %d arguments, which should be '%s' (i number, s text, b bytes, "
                       "m module, ... more)",
                       functions[function].name, args->count, functions[function].args);
    return functions[function].call(&c);
}
