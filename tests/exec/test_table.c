/* Steps that look bytes up in a table: every way that this machine has against plain loads, on lengths and addresses of
 * any kind; in an artifact; and those that do not fit are refused in words. */
#include "exec/exec_priv.h"
#include "exec/small.h"

enum { ROUNDS = 200, BYTES_MAX = 5000 };

static check_random numbers = {31};

TEST_CASE(ways_agree) {
    static uint8_t from[BYTES_MAX], to[BYTES_MAX + 1], table[256];
    for (int round = 0; round < ROUNDS; round++) {
        size_t at = (size_t)check_between(&numbers, 0, 70),
               end = (size_t)check_between(&numbers, (int64_t)at, BYTES_MAX);
        for (size_t i = 0; i < sizeof from; i++) from[i] = (uint8_t)check_next(&numbers);
        for (size_t i = 0; i < sizeof table; i++) table[i] = (uint8_t)check_next(&numbers);
        for (vt__table_way way = VT__TABLE_LOADS; way <= vt__table_best(); way++) {
            memset(to, 0xee, sizeof to);
            vt__table(from + at, table, to + at, end - at, way);
            for (size_t i = 0; i < sizeof to; i++)
                if (to[i] != (i >= at && i < end ? table[from[i]] : 0xee))
                    fail_msg("way %d, byte %zu of %zu to %zu: %d", (int)way, i, at, end, to[i]);
        }
    }
}

/* The copy of the small artifact looks bytes up instead. */
typedef struct looked_up {
    small s;
    vt_plan_view views[3];
    char table[256];
    int64_t shape[2];
} looked_up;

static void make(looked_up *l) {
    small_make(&l->s);
    for (int i = 0; i < 256; i++) l->table[i] = (char)(i * 7 + 3);
    l->shape[0] = ELEMENTS, l->shape[1] = 256;
    l->s.buffers[5] = (vt_plan_buffer){"table", VT_PLACE_DATA, 0, 256};
    l->s.data = l->table, l->s.data_bytes = sizeof l->table;
    l->views[0] = small_view(3, small_uint8, 1, l->shape, false);
    l->views[1] = (vt_plan_view){5, 0, 256, small_uint8, 1, false, l->shape + 1};
    l->views[2] = small_view(1, small_uint8, 1, l->shape, true);
    l->s.steps[2] = (vt_plan_step){.kind = VT_STEP_TABLE, .name = "look up", .views = l->views, .view_count = 3};
}

static vta_model *parse(looked_up *l, vta_diag *diag) {
    size_t size;
    vta_model *model = NULL;
    uint8_t *bytes = small_write(&l->s, NULL, &size);
    vta_model_parse(bytes, size, "small", NULL, diag, &model);
    vta_string_free((char *)bytes);
    small_free(&l->s);
    return model;
}

TEST_CASE(a_step) {
    looked_up l;
    vta_diag *diag = vta_diag_create(NULL);
    vta_instance *instance;
    int8_t x[ELEMENTS], y[ELEMENTS];
    make(&l);
    vta_model *model = parse(&l, diag);
    if (!model || vta_instance_create(model, NULL, diag, &instance) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    for (int i = 0; i < ELEMENTS; i++) x[i] = (int8_t)(i * 5 - 100);
    assert_int_equal(vta_instance_set_input(instance, 0, x, sizeof x, diag), VTA_OK);
    if (vta_instance_run(instance, diag) != VTA_OK) fail_msg("%s", vta_diag_text(diag));
    assert_int_equal(vta_instance_get_output(instance, 0, y, sizeof y, diag), VTA_OK);
    for (int i = 0; i < ELEMENTS; i++) assert_int_equal(y[i], (int8_t)((uint8_t)(x[i] + 8) * 7 + 3));
    vta_instance_destroy(instance);
    vta_model_release(model);
    vta_diag_destroy(diag);
}

static void refused(looked_up *l, const char *words) {
    vta_diag *diag = vta_diag_create(NULL);
    assert_null(parse(l, diag));
    if (!strstr(vta_diag_text(diag), words)) fail_msg("expected '%s': %s", words, vta_diag_text(diag));
    vta_diag_destroy(diag);
}

TEST_CASE(what_does_not_fit) {
    looked_up l;
    make(&l);
    l.shape[1] = 255, l.views[1].bytes = 255;
    refused(&l, "a table of 255 bytes (expected 256)");
    make(&l);
    l.views[2].shape = (const int64_t[]){ELEMENTS - 1};
    refused(&l, "from 64 bytes to 63");
    for (int i = 0; i < 3; i++) {
        make(&l);
        l.views[i].output = !l.views[i].output;
        refused(&l, i == 1 ? "writes the constant table" : "writes its first or second view, or not its third");
    }
    make(&l);
    l.s.steps[2].view_count = 2;
    refused(&l, "2 views");
    make(&l);
    l.views[1].offset = 64;
    refused(&l, "256 bytes from 64 on in buffer table of 256");
}

int main(void) { return run_cases(); }
