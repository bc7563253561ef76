/* Networks that clients of TVM have compiled: random graphs against plain loops over the same nodes, every way to set
 * and get tensors, timers, parameters, and what is refused. The functions of the module are this file's own. */
#include "rpc/packet.h"
#include "support/check.h"

enum { EXTENT = 6, MAX_NODES = 12, NUMBERS = MAX_NODES };

static check_random r = {1};
static uint32_t pick(uint32_t n) { return (uint32_t)(check_next(&r) % n); }

/* ---- The module -------------------------------------------------------------------------------------------------- */

static int calls;
static int32_t last_ndim;

static int8_t *bytes_of(TVMValue v) {
    const DLTensor *t = v.v_handle;
    return (int8_t *)t->data + t->byte_offset;
}

/* out = a + 3 * b, or 2 * a + 1 for one input; every element wraps. */
static int combine(TVMValue *args, int *types, int count, TVMValue *value, int *code, void *resource) {
    (void)resource, (void)value;
    *code = VTA_ARG_NULL;
    calls++;
    for (int i = 0; i < count; i++) assert_int_equal(types[i], VTA_ARG_TENSOR);
    last_ndim = ((const DLTensor *)args[0].v_handle)->ndim;
    for (int i = 0; i < EXTENT; i++) {
        int a = bytes_of(args[0])[i], b = bytes_of(args[1])[i];
        bytes_of(args[count - 1])[i] = (int8_t)(count == 3 ? a + 3 * b : 2 * a + 1);
    }
    return 0;
}

static int fails(TVMValue *args, int *types, int count, TVMValue *value, int *code, void *resource) {
    (void)args, (void)types, (void)count, (void)value, (void)code, (void)resource;
    TVMAPISetLastError("it does not work today");
    return -1;
}

static void *lookup(void *ctx, const char *name) {
    (void)ctx;
    return !strcmp(name, "combine") ? (void *)combine : !strcmp(name, "fails") ? (void *)fails : NULL;
}

static uint64_t add_module(void) {
    vt_rpc_object object = {.kind = VT_RPC_MODULE};
    uint64_t number;
    assert_int_equal(vta_module_wrap("lib", lookup, NULL, NULL, NULL, diag, &object.u.module), VTA_OK);
    assert_int_equal(vt__objects_add(&session.objects, object, diag, &number), VTA_OK);
    return number;
}

/* ---- Talking ----------------------------------------------------------------------------------------------------- */

static uint64_t global(const char *name) {
    begin_values();
    text(VTA_ARG_STRING, name, strlen(name));
    end_values();
    return answered(VT_TVM_GET_FUNCTION, VTA_ARG_HANDLE);
}

static void call(uint64_t function) {
    vt__rpc_put_u64(&in, function);
    end_values();
}

/* Asks; the result's type, whose value begins at byte 32 of the packet (its type comes before it, as a number). */
static int result(void) {
    if (ask(VT_TVM_CALL) != VTA_OK || vta_diag_count(diag)) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(out.text[7 + 8], VT_TVM_RETURN);
    uint32_t count = (uint8_t)out.text[7 + 12];
    return (int)number_at(16 + 4 * count);
}
static uint64_t value(void) { return number_at(32); }

static void begin_create(const char *json, uint64_t module) {
    begin_values();
    text(VTA_ARG_STRING, json, strlen(json));
    bits(VTA_ARG_MODULE, module);
}

static uint64_t create(const char *json, uint64_t module) {
    uint64_t f = global("tvm.graph_executor.create");
    begin_create(json, module);
    bits(VTA_ARG_INT, kDLCPU);
    bits(VTA_ARG_INT, 0);
    call(f);
    assert_int_equal(result(), VTA_ARG_MODULE);
    return value();
}

static uint64_t method(uint64_t graph, const char *name) {
    uint64_t f = global("tvm.rpc.server.ModuleGetFunction");
    begin_values();
    bits(VTA_ARG_MODULE, graph);
    text(VTA_ARG_STRING, name, strlen(name));
    bits(VTA_ARG_INT, 0);
    call(f);
    return result() == VTA_ARG_NULL ? 0 : value();
}

static int call_method(uint64_t graph, const char *name) {
    uint64_t m = method(graph, name);
    begin_values();
    call(m);
    return result();
}

static int64_t number_from(uint64_t graph, const char *name) {
    assert_int_equal(call_method(graph, name), VTA_ARG_INT);
    return (int64_t)value();
}

/* A tensor that the client holds: the array it is in, and the handle to give back. */
typedef struct held {
    uint64_t array, handle;
} held;

static held tensor_result(void) {
    assert_int_equal(result(), VTA_ARG_NDARRAY);
    held h = {number_at(36), 0};
    assert_int_equal(number_at(44), kDLCPU);      /* device 0 */
    assert_int_equal((uint32_t)number_at(52), 2); /* dimensions */
    h.handle = number_at(36 + 8 + 8 + 4 + 4 + 2 * 8 + 8);
    return h;
}

static void free_handle(uint64_t handle, int type) {
    begin_values();
    bits(VTA_ARG_HANDLE, handle);
    bits(VTA_ARG_INT, (uint64_t)type);
    end_values();
    answered(VT_TVM_FREE_HANDLE, VTA_ARG_NULL);
}

static void write_array(uint64_t array, const int8_t *from) {
    put_copy(array, 0, EXTENT);
    vt_strbuf_addn(&in, (const char *)from, EXTENT);
    answered(VT_TVM_COPY_TO, VTA_ARG_NULL);
}

static void read_array(uint64_t array, int8_t *to) {
    put_copy(array, 0, EXTENT);
    if (ask(VT_TVM_COPY_FROM) != VTA_OK || vta_diag_count(diag)) fail_msg("%s", vta_diag_text(diag));
    memcpy(to, out.text + 7 + 12, EXTENT);
}

/* ---- Random graphs ----------------------------------------------------------------------------------------------- */

typedef struct node {
    int inputs[2], count; /* 0: an input of the graph */
    int kind;             /* 0 combine, 1 flattened, 2 __copy, 3 __nop */
} node;

typedef struct network {
    node nodes[MAX_NODES];
    int count, inputs;
    int8_t numbers[NUMBERS][EXTENT];
} network;

static void draw(network *n) {
    n->inputs = 1 + (int)pick(3);
    n->count = n->inputs + 1 + (int)pick(MAX_NODES - 4);
    for (int i = 0; i < n->count; i++) {
        node *of = &n->nodes[i];
        *of = (node){.kind = (int)pick(4)};
        if (i < n->inputs) continue;
        of->count = of->kind > 1 ? 1 : 1 + (int)pick(2);
        for (int k = 0; k < of->count; k++) of->inputs[k] = (int)pick((uint32_t)i);
    }
}

static void describe(const network *n, vt_strbuf *to) {
    static const char *const functions[] = {"combine", "combine", "__copy", "__nop"};
    vt_strbuf_add(to, "{\"nodes\": [");
    for (int i = 0; i < n->count; i++) {
        const node *of = &n->nodes[i];
        vt_strbuf_addf(to, "%s{\"op\": \"%s\", \"name\": \"n%d\", \"inputs\": [", i ? ", " : "",
                       of->count ? "tvm_op" : "null", i);
        for (int k = 0; k < of->count; k++) vt_strbuf_addf(to, "%s[%d, 0, 0]", k ? ", " : "", of->inputs[k]);
        vt_strbuf_add(to, "]");
        if (of->count)
            vt_strbuf_addf(to,
                           ", \"attrs\": {\"func_name\": \"%s\", \"num_inputs\": \"%d\", \"num_outputs\": \"1\", "
                           "\"flatten_data\": \"%d\"}",
                           functions[of->kind], of->count, of->kind == 1);
        vt_strbuf_add(to, "}");
    }
    vt_strbuf_add(to, "], \"arg_nodes\": [");
    for (int i = 0; i < n->inputs; i++) vt_strbuf_addf(to, "%s%d", i ? ", " : "", i);
    vt_strbuf_addf(to, "], \"heads\": [[%d, 0, 0], [0, 0, 0]], \"node_row_ptr\": [0", n->count - 1);
    for (int i = 1; i <= n->count; i++) vt_strbuf_addf(to, ", %d", i);
    vt_strbuf_add(to, "], \"attrs\": {\"shape\": [\"list_shape\", [");
    for (int i = 0; i < n->count; i++) vt_strbuf_addf(to, "%s[2, %d]", i ? ", " : "", EXTENT / 2);
    vt_strbuf_add(to, "]], \"dltype\": [\"list_str\", [");
    for (int i = 0; i < n->count; i++) vt_strbuf_addf(to, "%s\"int8\"", i ? ", " : "");
    vt_strbuf_add(to, "]], \"storage_id\": [\"list_int\", [");
    /* What passes its input on may share its memory. */
    int storage[MAX_NODES];
    for (int i = 0; i < n->count; i++) {
        storage[i] = n->nodes[i].count && n->nodes[i].kind == 3 && pick(2) ? storage[n->nodes[i].inputs[0]] : i;
        vt_strbuf_addf(to, "%s%d", i ? ", " : "", storage[i]);
    }
    vt_strbuf_add(to, "]]}}");
}

static void evaluate(network *n) {
    for (int i = n->inputs; i < n->count; i++)
        for (int e = 0; e < EXTENT; e++) {
            const node *of = &n->nodes[i];
            int a = n->numbers[of->inputs[0]][e], b = of->count > 1 ? n->numbers[of->inputs[1]][e] : 0;
            n->numbers[i][e] = (int8_t)(of->kind > 1 ? a : of->count > 1 ? a + 3 * b : 2 * a + 1);
        }
}

/* Sets an input, by its tensor or through set_input, by number or name. */
static void set_input(uint64_t graph, int input, const int8_t *numbers) {
    char name[16];
    snprintf(name, sizeof name, "n%d", input);
    bool copies = pick(2);
    uint64_t m = method(graph, copies ? "set_input" : "get_input"), array = copies ? alloc(EXTENT, false) : 0;
    if (copies) write_array(array, numbers);
    begin_values();
    if (pick(2))
        bits(VTA_ARG_INT, (uint64_t)input);
    else
        text(VTA_ARG_STRING, name, strlen(name));
    if (copies) {
        codes[code_count++] = VTA_ARG_TENSOR;
        vt__rpc_put_u64(&values, array);
        for (int i = 0; i < 3; i++) vt__rpc_put_u32(&values, (uint32_t[]){kDLCPU, 0, 2}[i]);
        vt__rpc_put_u32(&values, (uint32_t)kDLInt | 8u << 8 | 1u << 16);
        for (int i = 0; i < 3; i++) vt__rpc_put_u64(&values, (uint64_t[]){2, EXTENT / 2, 0}[i]);
    }
    call(m);
    if (copies) {
        assert_int_equal(result(), VTA_ARG_NULL);
        return;
    }
    held h = tensor_result();
    write_array(h.array, numbers);
    free_handle(h.handle, VTA_ARG_NDARRAY);
}

static void check_output(uint64_t graph, int output, const int8_t *expected) {
    int8_t got[EXTENT];
    uint64_t m = method(graph, "get_output");
    begin_values();
    bits(VTA_ARG_INT, (uint64_t)output);
    call(m);
    held h = tensor_result();
    read_array(h.array, got);
    assert_memory_equal(got, expected, EXTENT);
    free_handle(h.handle, VTA_ARG_NDARRAY);
}

static void random_graphs(void **state) {
    (void)state;
    for (int round = 0; round < 100; round++) {
        network n;
        vt_strbuf json;
        vt_strbuf_init(&json, NULL);
        draw(&n);
        describe(&n, &json);
        uint64_t module = add_module(), graph = create(vt_strbuf_text(&json), module);
        assert_int_equal(number_from(graph, "get_num_inputs"), n.inputs);
        assert_int_equal(number_from(graph, "get_num_outputs"), 2);
        for (int again = 0; again < 2; again++) {
            for (int i = 0; i < n.inputs; i++) {
                for (int e = 0; e < EXTENT; e++) n.numbers[i][e] = (int8_t)pick(256);
                set_input(graph, i, n.numbers[i]);
            }
            evaluate(&n);
            assert_int_equal(call_method(graph, "run"), VTA_ARG_NULL);
            check_output(graph, 0, n.numbers[n.count - 1]);
            check_output(graph, 1, n.numbers[0]);
        }
        assert_int_equal(vt__objects_free(&session.objects, module, diag), VTA_OK);
        assert_null(vt__objects_find(&session.objects, graph));
        vt_strbuf_free(&json);
        end_session(NULL);
        begin_session(NULL);
    }
}

/* ---- One small graph --------------------------------------------------------------------------------------------- */

static const char small[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, {\"op\": \"null\", \"name\": \"w\", \"inputs\": "
    "[]}, "
    "{\"op\": \"tvm_op\", \"name\": \"y\", \"inputs\": [[0, 0, 0], [1, 0, 0]], \"attrs\": {\"func_name\": \"combine\", "
    "\"num_inputs\": \"2\", \"num_outputs\": \"1\", \"flatten_data\": \"1\"}}], \"arg_nodes\": [0, 1], "
    "\"heads\": [[2, 0, 0]], \"node_row_ptr\": [0, 1, 2, 3], \"attrs\": {\"shape\": [\"list_shape\", [[2, 3], [2, 3], "
    "[2, 3]]], "
    "\"dltype\": [\"list_str\", [\"int8\", \"int8\", \"int8\"]], \"storage_id\": [\"list_int\", [0, 1, 2]]}}";

static void put_param(vt_strbuf *to, const int8_t *numbers) {
    vt__rpc_put_u64(to, 0xDD5E40F096B4A13F);
    vt__rpc_put_u64(to, 0);
    for (int i = 0; i < 3; i++) vt__rpc_put_u32(to, (uint32_t[]){kDLCPU, 0, 2}[i]);
    vt__rpc_put_u32(to, (uint32_t)kDLInt | 8u << 8 | 1u << 16);
    for (int i = 0; i < 3; i++) vt__rpc_put_u64(to, (uint64_t[]){2, 3, EXTENT}[i]);
    vt_strbuf_addn(to, (const char *)numbers, EXTENT);
}

/* As relay.save_param_dict writes them: names, then tensors. */
static void put_params(vt_strbuf *to, const int8_t *numbers) {
    vt__rpc_put_u64(to, 0xF7E58D4F05049CB7);
    vt__rpc_put_u64(to, 0);
    vt__rpc_put_u64(to, 2);
    for (int i = 0; i < 2; i++) {
        vt__rpc_put_u64(to, 1);
        vt_strbuf_addn(to, i ? "w" : "?", 1); /* the graph has no input "?" */
    }
    vt__rpc_put_u64(to, 2);
    for (int i = 0; i < 2; i++) put_param(to, numbers);
}

static void begin_load(uint64_t graph, const vt_strbuf *bytes, size_t size, uint64_t *out_method) {
    *out_method = method(graph, "load_params");
    begin_values();
    text(VTA_ARG_BYTES, vt_strbuf_text(bytes), size);
}

static void parameters(void **state) {
    (void)state;
    static const int8_t w[EXTENT] = {1, 2, 3, 4, 5, 6}, x[EXTENT] = {10, 20, 30, 40, 50, 60},
                        y[EXTENT] = {13, 26, 39, 52, 65, 78};
    vt_strbuf bytes;
    uint64_t graph = create(small, add_module()), m;
    vt_strbuf_init(&bytes, NULL);
    put_params(&bytes, w);
    begin_load(graph, &bytes, bytes.size, &m);
    call(m);
    assert_int_equal(result(), VTA_ARG_NULL);
    set_input(graph, 0, w); /* its name is "x": by number only, or refused by name */
    uint64_t get = method(graph, "get_input");
    begin_values();
    text(VTA_ARG_STRING, "x", 1);
    call(get);
    held h = tensor_result();
    write_array(h.array, x);
    assert_int_equal(call_method(graph, "run"), VTA_ARG_NULL);
    assert_int_equal(last_ndim, 1);
    check_output(graph, 0, y);
    /* Cut anywhere, they are refused, and the session goes on. */
    for (size_t size = 0; size < bytes.size; size++) {
        begin_load(graph, &bytes, size, &m);
        call(m);
        if (ask(VT_TVM_CALL) != VTA_OK) fail_msg("cut at %zu: the connection ends", size);
        assert_int_equal(out.text[7 + 8], VT_TVM_EXCEPTION);
        vta_diag_clear(diag);
    }
    vt_strbuf_free(&bytes);
}

static void names_of_methods(void **state) {
    (void)state;
    uint64_t graph = create(small, add_module());
    assert_int_equal(method(graph, "nothing"), 0);
    uint64_t index = method(graph, "get_input_index"), get = method(graph, "get_input");
    static const struct {
        const char *name;
        int64_t index;
    } inputs[] = {{"x", 0}, {"w", 1}, {"y", -1}, {"", -1}, {"xw", -1}};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        begin_values();
        text(VTA_ARG_STRING, inputs[i].name, strlen(inputs[i].name));
        call(index);
        assert_int_equal(result(), VTA_ARG_INT);
        assert_int_equal((int64_t)value(), inputs[i].index);
    }
    begin_values();
    text(VTA_ARG_STRING, "z", 1);
    call(get);
    assert_int_equal(result(), VTA_ARG_NULL);
    for (int i = 0; i < 2; i++) {
        uint64_t m = method(graph, i ? "share_params" : "get_input_info");
        begin_values();
        call(m);
        raised(VT_TVM_CALL, VTA_UNSUPPORTED,
               i ? "share_params is not served; give each graph its own load_params"
                 : "get_input_info is not served; get_input has shape and type");
    }
}

static void timers(void **state) {
    (void)state;
    uint64_t graph = create(small, add_module()), f = global("runtime.RPCTimeEvaluator");
    for (int i = 0; i < 2; i++) {
        begin_values();
        bits(VTA_ARG_MODULE, graph);
        text(VTA_ARG_STRING, i ? "run" : "run_", i ? 3 : 4);
        for (int k = 0; k < 5; k++) bits(VTA_ARG_INT, (uint64_t[]){kDLCPU, 0, 4, 3, 0}[k]);
        call(f);
        if (!i) raised(VT_TVM_CALL, VTA_UNSUPPORTED, "time evaluator: run_ of a graph; run is timed");
    }
    assert_int_equal(result(), VTA_ARG_FUNCTION);
    uint64_t timer = value();
    calls = 0;
    begin_values();
    call(timer);
    assert_int_equal(result(), VTA_ARG_BYTES);
    assert_int_equal(value(), 3 * sizeof(double));
    assert_in_range(calls, 4 * 3, 4 * 3 + 4); /* and once to warm up */
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void replaced(vt_strbuf *to, const char *from, const char *with) {
    const char *at = strstr(small, from);
    assert_non_null(at);
    vt_strbuf_addn(to, small, (size_t)(at - small));
    vt_strbuf_add(to, with);
    vt_strbuf_add(to, at + strlen(from));
}

static void refused_graphs(void **state) {
    (void)state;
    static const struct {
        const char *from, *with, *words;
    } rows[] = {
        {"\"nodes\": [", "\"knots\": [", "expected an array \"nodes\""},
        {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 2]", "one of arg_nodes is node y, which is no input"},
        {"\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 3]", "one of arg_nodes is 3, expected 0 to 2"},
        {"\"heads\": [[2, 0, 0]]", "\"heads\": [[3, 0, 0]]", "the node of a tensor is 3, expected 0 to 2"},
        {"\"heads\": [[2, 0, 0]]", "\"heads\": [[2, 1, 0]]", "the output of a node is 1, expected 0 to 0"},
        {"[0, 1, 2, 3]", "[0, 1, 2]", "expected 4 numbers in node_row_ptr"},
        {"[0, 1, 2, 3]", "[0, 2, 1, 3]", "node 1 has no outputs"},
        {"[0, 1, 2, 3]", "[0, 1, 2, -3]", "the number of tensors is -3, expected 0 to 524287"},
        {"[[0, 0, 0], [1, 0, 0]]", "[[0, 0, 0], [2, 0, 0]]", "the node of a tensor is 2, expected 0 to 1"},
        {"\"num_inputs\": \"2\"", "\"num_inputs\": \"3\"", "node y: num_inputs is 3, and it has 2"},
        {"\"num_outputs\": \"1\", ", "", "node y: num_outputs is missing, and it has 1"},
        {"\"func_name\": \"combine\"", "\"func\": \"combine\"", "node y has no attrs.func_name"},
        {"\"func_name\": \"combine\"", "\"func_name\": \"__copy\"", "node y: __copy has one input and one output"},
        {"\"tvm_op\"", "\"op\"", "node y: \"op\" is no operator; \"null\" and \"tvm_op\" are"},
        {"\"name\": \"y\"", "\"title\": \"y\"", "node 2 has no op or no name"},
        {"[2, 3]]]", "[2, -3]]]", "an extent is -3, expected 0 to 2147483646"},
        {"[2, 3]]]", "[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]]]",
         "a shape has 17 dimensions, expected at most 16"},
        {"[2, 3], [2, 3]]]", "[2, 3]]]", "expected attrs.shape to have a value for each of 3 tensors"},
        {"\"int8\"]]", "\"int9000\"]]", "\"int9000\" is no type of tensors"},
        {"[0, 1, 2]]}", "[0, 1, 3]]}", "a storage_id is 3, expected 0 to 2"},
    };
    uint64_t module = add_module(), f = global("tvm.graph_executor.create");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char words[256];
        vt_strbuf json;
        vt_strbuf_init(&json, NULL);
        replaced(&json, rows[i].from, rows[i].with);
        snprintf(words, sizeof words, "the graph: %s", rows[i].words);
        begin_create(vt_strbuf_text(&json), module);
        bits(VTA_ARG_INT, kDLCPU);
        bits(VTA_ARG_INT, 0);
        call(f);
        raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, words);
        vt_strbuf_free(&json);
    }
    assert_int_equal(session.objects.array_bytes, 0);
}

static void refused_calls(void **state) {
    (void)state;
    uint64_t module = add_module(), f = global("tvm.graph_executor.create"), graph = create(small, module);
    uint64_t set = method(graph, "set_input"), get = method(graph, "get_output");
    begin_create(small, module);
    call(f);
    raised(
        VT_TVM_CALL, VTA_INVALID_ARGUMENT,
        "tvm.graph_executor.create: 2 arguments, expected the graph, a module and pairs of a device's type and number");
    begin_create(small, module);
    bits(VTA_ARG_INT, 2);
    bits(VTA_ARG_INT, 0);
    call(f);
    raised(VT_TVM_CALL, VTA_UNSUPPORTED,
           "tvm.graph_executor.create: device 2(0); this server has cpu(0), type 1, and ext_dev(0), type 12");
    begin_values();
    call(set);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, "set_input: expected an input's name or number");
    begin_values();
    bits(VTA_ARG_INT, 2);
    call(set);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, "set_input: the graph has no such input; it has 2");
    begin_values();
    bits(VTA_ARG_INT, 0);
    bits(VTA_ARG_INT, 0);
    call(set);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, "set_input: expected a tensor as argument 1");
    begin_values();
    bits(VTA_ARG_INT, 1);
    call(get);
    raised(VT_TVM_CALL, VTA_INVALID_ARGUMENT, "get_output: expected a number below 1, the graph's outputs");
}

/* A node that fails is named, and its reason is told; the graph can run again. */
static void nodes_that_fail(void **state) {
    (void)state;
    vt_strbuf json;
    vt_strbuf_init(&json, NULL);
    replaced(&json, "\"combine\"", "\"fails\"");
    uint64_t graph = create(vt_strbuf_text(&json), add_module()), run = method(graph, "run");
    for (int i = 0; i < 2; i++) {
        begin_values();
        call(run);
        assert_int_equal(ask(VT_TVM_CALL), VTA_OK);
        assert_int_equal(out.text[7 + 8], VT_TVM_EXCEPTION);
        assert_non_null(strstr(out.text + 7 + 28, "it does not work today"));
        assert_non_null(strstr(out.text + 7 + 28, "node y"));
        vta_diag_clear(diag);
    }
    vt_strbuf_free(&json);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_session, end_session)
    const struct CMUnitTest tests[] = {TEST(random_graphs),  TEST(parameters),    TEST(names_of_methods), TEST(timers),
                                       TEST(refused_graphs), TEST(refused_calls), TEST(nodes_that_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
