/* Operators as data and as text: what is written is read back the same, makes the same operator, and is refused alike.
 */
#include "operators/request.h"

#include "operators/epilogue.h"
#include "operators/knobs.h"
#include "support/check.h"

enum { REQUESTS = 3000 };

static check_random r = {.state = 31};
static vta_diag *diag;

/* Any of an attribute's values, mostly small; now and then one that it cannot have. */
static void draw_values(vt_op_request *q) {
    const vtac_op_attribute *a;
    for (size_t i = 0, row = 0; i < VT_OPERATORS; i++)
        for (size_t k = 0; (a = vtac_operator_attribute(i, k)); k++, row++) {
            if (i != (size_t)q->kind || (a->value >= a->least && check_between(&r, 0, 2))) continue;
            int64_t most = a->most < a->least + 12 ? a->most : a->least + 12;
            q->values[row] = check_between(&r, a->least, check_between(&r, 0, 30) ? most : a->most);
            if (!check_between(&r, 0, 200)) q->values[row] = check_between(&r, 0, 1) ? a->least - 2 : a->most + 1;
        }
}

static void draw_steps(vt_op_request *q) {
    q->step_count = (uint32_t)check_between(&r, 0, check_between(&r, 0, 20) ? 4 : VT_EPILOGUE_MAX);
    for (uint32_t i = 0; i < q->step_count; i++) {
        vt_op_step *s = &q->steps[i];
        s->kind = (vt_epilogue_kind)check_between(&r, 0, VT_EPILOGUES - 1);
        const vt_epilogue_row *row = &vt__epilogue_rows[s->kind];
        if (row->needed || check_between(&r, 0, 1)) s->given = (uint32_t)row->numbers;
        for (uint32_t k = 0; k < s->given; k++)
            s->number[k] = check_between(&r, row->least, check_between(&r, 0, 60) ? row->most : (int64_t)row->most + 1);
    }
    q->narrow = check_between(&r, 0, 3) ? VT_NARROW_saturate : VT_NARROW_wrap;
}

static const char *workload(const vtac_op *op) {
    static char kept[2][1024];
    static int next;
    vt_strbuf sb;
    vt_strbuf_init(&sb, NULL);
    vt_op_workload_write(op, true, &sb);
    next = !next;
    snprintf(kept[next], sizeof kept[next], "%s", vt_strbuf_text(&sb));
    vt_strbuf_free(&sb);
    return kept[next];
}

static void written_and_read(void **state) {
    (void)state;
    uint32_t made = 0, refused = 0, of[VT_OPERATORS] = {0};
    diag = vta_diag_create(NULL);
    for (int i = 0; i < REQUESTS; i++) {
        static vt_op_request q, back;
        vtac_op *a, *b;
        vt_strbuf sb;
        vt_strbuf_init(&sb, NULL);
        vt_op_request_init(&q, (vt_operator_kind)check_between(&r, 0, VT_OPERATORS - 1));
        draw_values(&q);
        draw_steps(&q);
        vt_op_request_write(&q, &sb);
        const char *name = vtac_operator_name(q.kind), *text = vt_strbuf_text(&sb);
        vta_diag_clear(diag);
        vta_status status = vt_op_request_read(name, text, diag, &back);
        if (status == VTA_OK && !vt_op_request_equal(&q, &back)) fail_msg("%s %s is read as another", name, text);
        if (status != VTA_OK && status != VTA_OUT_OF_RANGE)
            fail_msg("%s %s: %s", name, text, vta_diag_text(diag)); /* a value that it cannot have */
        vta_status as_data = vt_op_create(&q, NULL, NULL, diag, &a);
        vta_status as_text = vtac_op_create(name, text, NULL, NULL, diag, &b);
        if (as_data != as_text)
            fail_msg("%s %s: %s, but %s as text", name, text, vta_status_text(as_data), vta_status_text(as_text));
        if (as_data == VTA_OK) {
            assert_string_equal(vtac_op_attributes(a), text);
            assert_string_equal(vtac_op_name(a), vtac_op_name(b));
            assert_string_equal(workload(a), workload(b));
            assert_int_equal(a->n_epilogue, b->n_epilogue);
            assert_memory_equal(a->epilogue, b->epilogue, a->n_epilogue * sizeof *a->epilogue);
            assert_int_equal(a->narrow, b->narrow);
            of[q.kind]++;
        }
        made += as_data == VTA_OK;
        refused += as_data != VTA_OK;
        vtac_op_destroy(a);
        vtac_op_destroy(b);
        vt_strbuf_free(&sb);
    }
    print_message("%d operators, %d refused\n", (int)made, (int)refused);
    assert_true(made > REQUESTS / 4 && refused > REQUESTS / 20);
    for (size_t i = 0; i < VT_OPERATORS; i++)
        if (!of[i]) fail_msg("no %s was made", vtac_operator_name(i));
    vta_diag_destroy(diag);
}

/* Each member makes a difference. */
static void differ(void **state) {
    (void)state;
    static vt_op_request a, b;
    vt_op_request_init(&a, VT_OPERATOR_dense);
    a.steps[a.step_count++] = (vt_op_step){VT_EPILOGUE_shift, 1, {3}};
    b = a;
    assert_true(vt_op_request_equal(&a, &b));
    b.kind = VT_OPERATOR_conv2d;
    assert_false(vt_op_request_equal(&a, &b));
    b = a, b.values[VT_ATTRIBUTE_dense_batch]++;
    assert_false(vt_op_request_equal(&a, &b));
    b = a, b.narrow = VT_NARROW_wrap;
    assert_false(vt_op_request_equal(&a, &b));
    b = a, b.step_count = 0;
    assert_false(vt_op_request_equal(&a, &b));
    b = a, b.steps[0].number[0]++;
    assert_false(vt_op_request_equal(&a, &b));
    b = a, b.steps[0].kind = VT_EPILOGUE_leaky;
    assert_false(vt_op_request_equal(&a, &b));
    b = a, b.steps[0].given = 0;
    assert_false(vt_op_request_equal(&a, &b));
}

/* A step with too few numbers, or too many, has no text. */
static void steps_that_are_none(void **state) {
    (void)state;
    static vt_op_request q;
    static const vt_op_step steps[] = {{VT_EPILOGUE_clip, 1, {0}},
                                       {VT_EPILOGUE_relu, 1, {0}},
                                       {VT_EPILOGUE_add, 0, {0}},
                                       {VT_EPILOGUE_requantize, 1, {3}}};
    diag = vta_diag_create(NULL);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        vtac_op *op;
        vt_op_request_init(&q, VT_OPERATOR_identity);
        q.values[VT_ATTRIBUTE_identity_channels] = 16;
        q.steps[q.step_count++] = steps[i];
        vta_diag_clear(diag);
        assert_int_equal(vt_op_create(&q, NULL, NULL, diag, &op), VTA_INVALID_ARGUMENT);
        assert_null(op);
        assert_non_null(strstr(vta_diag_text(diag), "numbers"));
    }
    vta_diag_destroy(diag);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(written_and_read), cmocka_unit_test(differ),
                                       cmocka_unit_test(steps_that_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
