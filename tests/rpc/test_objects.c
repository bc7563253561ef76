/* What a session holds by numbers: which numbers are given, when they are noticed to be old, what goes with what. */
#include "rpc/objects.h"
#include "rpc/told.h"

static vta_diag *diag;
static vt_rpc_objects objects;
static check_allocator memory;

static int begin(void **state) {
    (void)state;
    diag = vta_diag_create(NULL);
    check_allocator_init(&memory, SIZE_MAX);
    vt__objects_init(&objects, &memory.allocator);
    return diag ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    vt__objects_clear(&objects);
    assert_int_equal(objects.count, 0);
    assert_int_equal(objects.array_bytes, 0);
    assert_int_equal(memory.live, 0);
    vta_diag_destroy(diag);
    return 0;
}

/* Modules are NULL here: nothing looks into them. */
static uint64_t add(vt_rpc_kind kind, uint64_t module) {
    uint64_t number = 0;
    assert_int_equal(vt__objects_add(&objects, (vt_rpc_object){.kind = kind, .owner = module}, diag, &number), VTA_OK);
    return number;
}

static uint64_t add_array(int64_t bytes) {
    uint64_t number;
    vt_rpc_object object = {.kind = VT_RPC_ARRAY_OF_BYTES};
    assert_int_equal(
        vta_array_create(kDLCPU, 1, &bytes, (DLDataType){kDLInt, 8, 1}, &memory.allocator, diag, &object.u.array),
        VTA_OK);
    assert_int_equal(vt__objects_add(&objects, object, diag, &number), VTA_OK);
    return number;
}

static void forget(uint64_t number) { assert_int_equal(vt__objects_free(&objects, number, diag), VTA_OK); }
static void drop(uint64_t number) { assert_int_equal(vt__objects_drop(&objects, number, diag), VTA_OK); }
static bool there(uint64_t number) { return vt__objects_find(&objects, number) != NULL; }

/* The place, counted from 1, in the lower half, and how often it was freed in the upper: the lowest free place is next.
 */
static void numbers(void **state) {
    (void)state;
    const uint64_t once = (uint64_t)1 << 32;
    for (uint64_t i = 1; i <= 4; i++) assert_int_equal(add(VT_RPC_BUILTIN, 0), i);
    for (uint64_t i = 1; i <= 4; i++) assert_ptr_equal(vt__objects_find(&objects, i), &objects.at[i - 1]);
    assert_false(there(0) || there(5) || there(once | 1));
    forget(4);
    forget(2);
    forget(3);
    assert_true(there(1) && !there(2) && !there(3) && !there(4));
    assert_int_equal(add(VT_RPC_BUILTIN, 0), once | 2);
    assert_int_equal(add(VT_RPC_BUILTIN, 0), once | 3);
    forget(1);
    assert_int_equal(add(VT_RPC_BUILTIN, 0), once | 1);
    assert_int_equal(add(VT_RPC_BUILTIN, 0), once | 4);
    assert_int_equal(add(VT_RPC_BUILTIN, 0), 5);
    assert_true(there(once | 1) && !there(1) && there(once | 2) && !there(2));
    drop(once | 2);
    assert_int_equal(add(VT_RPC_BUILTIN, 0), 2 * once | 2);
    told(diag, vt__objects_free(&objects, 2, diag), VTA_NOT_FOUND,
         "0x2 is nothing that this session has, or has still");
    told(diag, vt__objects_drop(&objects, 99, diag), VTA_NOT_FOUND,
         "0x63 is nothing that this session has, or has still");
}

/* What is asked for, and what is there instead. */
static void kinds(void **state) {
    (void)state;
    static const char *const names[] = {NULL,         "a module",         "a function", "an array",
                                        "a function", "a time evaluator", "a network"};
    uint64_t numbers[VT_RPC_MODEL + 1];
    for (vt_rpc_kind k = VT_RPC_MODULE; k <= VT_RPC_MODEL; k++)
        numbers[k] = k == VT_RPC_ARRAY_OF_BYTES ? add_array(8) : add(k, 0);
    for (vt_rpc_kind asked = VT_RPC_MODULE; asked <= VT_RPC_MODEL; asked++) {
        vt_rpc_object *got;
        char words[128];
        for (vt_rpc_kind is = VT_RPC_MODULE; is <= VT_RPC_MODEL; is++) {
            got = (vt_rpc_object *)words;
            vta_status status = vt__objects_get(&objects, numbers[is], asked, diag, &got);
            if (is == asked) {
                assert_int_equal(status, VTA_OK);
                assert_ptr_equal(got, vt__objects_find(&objects, numbers[is]));
                continue;
            }
            snprintf(words, sizeof words, "0x%x should be %s, and is %s", (unsigned)numbers[is], names[asked],
                     names[is]);
            told(diag, status, VTA_NOT_FOUND, words);
            assert_null(got);
        }
        got = (vt_rpc_object *)words;
        snprintf(words, sizeof words, "0x7777 should be %s, and is nothing that this session has, or has still",
                 names[asked]);
        told(diag, vt__objects_get(&objects, 0x7777, asked, diag, &got), VTA_NOT_FOUND, words);
        assert_null(got);
    }
}

static void bytes_of_arrays(void **state) {
    (void)state;
    uint64_t a = add_array(100), b = add_array(28), c = add(VT_RPC_BUILTIN, 0);
    assert_int_equal(objects.array_bytes, 128);
    forget(c);
    assert_int_equal(objects.array_bytes, 128);
    forget(a);
    assert_int_equal(objects.array_bytes, 28);
    drop(b);
    assert_int_equal(objects.array_bytes, 0);
    add_array(5); /* for the end to free */
    size_t live = memory.live;
    memory.until_failure = 0;
    uint64_t number = 7;
    while (objects.count < objects.cap) add(VT_RPC_BUILTIN, 0);
    assert_int_equal(vt__objects_add(&objects, (vt_rpc_object){.kind = VT_RPC_MODULE}, diag, &number), VTA_NO_MEMORY);
    assert_int_equal(number, 7);
    assert_int_equal(memory.live, live);
}

/* A module that is freed takes its functions and timers along; one that is dropped goes with the last of them. */
static void modules(void **state) {
    (void)state;
    uint64_t m = add(VT_RPC_MODULE, 0), n = add(VT_RPC_MODULE, 0);
    uint64_t of_n = add(VT_RPC_CODE, n), f = add(VT_RPC_CODE, m), t = add(VT_RPC_TIMER, m);
    uint64_t other = add(VT_RPC_BUILTIN, 0);
    forget(m);
    assert_true(!there(m) && !there(f) && !there(t) && there(n) && there(of_n) && there(other));
    forget(of_n);
    assert_true(there(n)); /* it was not dropped */
    forget(n);
    for (int i = 0; i < 2; i++) {
        m = add(VT_RPC_MODULE, 0);
        f = add(VT_RPC_CODE, m);
        t = add(VT_RPC_TIMER, m);
        n = add(VT_RPC_MODULE, 0);
        of_n = add(VT_RPC_TIMER, n);
        drop(m);
        assert_true(there(m));
        drop(i ? t : f);
        assert_true(there(m) && !there(i ? t : f));
        drop(i ? f : t);
        assert_true(!there(m) && there(n) && there(of_n));
        drop(of_n);
        assert_true(there(n) && !there(of_n));
        drop(n);
        assert_false(there(n)); /* at once: nothing needs it */
    }
}

/* A graph needs its module, its methods and views need the graph: an owner goes with the last that needs it. */
static void graphs(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        uint64_t m = add(VT_RPC_MODULE, 0), g = add(VT_RPC_GRAPH, m), run = add(VT_RPC_METHOD, g),
                 f = add(VT_RPC_CODE, m);
        uint64_t view = add(VT_RPC_VIEW, g), timer = add(VT_RPC_TIMER, g);
        drop(m);
        drop(g);
        drop(view);
        drop(f);
        assert_true(there(m) && there(g) && there(run) && there(timer) && !there(view));
        drop(round ? run : timer);
        assert_true(there(m) && there(g));
        drop(round ? timer : run);
        assert_true(!there(m) && !there(g));
    }
    uint64_t m = add(VT_RPC_MODULE, 0), g = add(VT_RPC_GRAPH, m), run = add(VT_RPC_METHOD, g), n = add(VT_RPC_GRAPH, 0);
    uint64_t of_n = add(VT_RPC_VIEW, n);
    forget(m);
    assert_true(!there(m) && !there(g) && !there(run) && there(n) && there(of_n));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers, begin, end),
        cmocka_unit_test_setup_teardown(kinds, begin, end),
        cmocka_unit_test_setup_teardown(bytes_of_arrays, begin, end),
        cmocka_unit_test_setup_teardown(modules, begin, end),
        cmocka_unit_test_setup_teardown(graphs, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
