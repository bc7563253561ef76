/* Native code and plan belong together: what is said where a step gives a function something else than it takes. The
 * calls of a model by hand, and a function that is never called. */
#include "exec/exec_priv.h"
#include "support/diag.h"

enum { CALLS_FIRST = 0, A_RUN = 1, CALLS_LAST = 2, STEPS = 3, ARGS = 3 };

/* f(A: int8[2, n], B: int8[4] written, C: float32x2[]) */
static const char takes[] = "{\"version\": 1, \"name\": \"f\", \"args\": ["
                            "{\"name\": \"A\", \"dtype\": \"int8\", \"shape\": [2, \"n\"], \"device\": \"cpu\", "
                            "\"output\": false}, "
                            "{\"name\": \"B\", \"dtype\": \"int8\", \"shape\": [4], \"device\": \"cpu\", "
                            "\"output\": true}, "
                            "{\"name\": \"C\", \"dtype\": \"float32x2\", \"shape\": [], \"device\": \"cpu\", "
                            "\"output\": false}]}";
static const char takes_a_number[] =
    "{\"version\": 1, \"name\": \"f\", \"args\": ["
    "{\"name\": \"n\", \"dtype\": \"int32\"}, {\"name\": \"m\", \"dtype\": \"int32\"}, "
    "{\"name\": \"k\", \"dtype\": \"int32\"}]}";

/* Function f, and in ctx what it says that it takes. */
static void *lookup(void *ctx, const char *name) {
    if (!strcmp(name, VTA_SIGNATURE_PREFIX "f")) return ctx;
    return !strcmp(name, "f") ? (void *)(uintptr_t)&vta_module_load : NULL;
}

/* What its steps give: twice the same. */
typedef struct calls {
    vt_plan_step steps[STEPS];
    vt_plan_view views[STEPS][ARGS];
    int64_t shape[STEPS][ARGS][3];
    vta_model model;
} calls;

static void make_calls(calls *c, const char *signature) {
    static const vt_plan_view views[ARGS] = {
        {.ndim = 2, .type = {kDLInt, 8, 1}},
        {.ndim = 1, .type = {kDLInt, 8, 1}, .output = true},
        {.ndim = 0, .type = {kDLFloat, 32, 2}},
    };
    static const int64_t shapes[ARGS][3] = {{2, 77}, {4}};
    static const vt_step_kind kinds[STEPS] = {VT_STEP_CALL, VT_STEP_RUN, VT_STEP_CALL};
    static const char *const names[STEPS] = {"first", "adds", "last"};
    *c = (calls){.model = {.allocator = vt_allocator_libc, .name = (char *)"small.vta-model"}};
    for (int s = 0; s < STEPS; s++) {
        memcpy(c->views[s], views, sizeof views);
        memcpy(c->shape[s], shapes, sizeof shapes);
        for (int a = 0; a < ARGS; a++) c->views[s][a].shape = c->shape[s][a];
        c->steps[s] = (vt_plan_step){.kind = kinds[s], .name = names[s]};
        if (kinds[s] != VT_STEP_CALL) continue;
        c->steps[s].function = "f";
        c->steps[s].views = c->views[s];
        c->steps[s].view_count = ARGS;
    }
    c->model.plan = (vt_plan){.name = "small", .steps = c->steps, .step_count = STEPS};
    must(vta_module_wrap("code.o", lookup, NULL, (void *)(uintptr_t)signature, NULL, diag, &c->model.module));
}

/* A change of one step. */
#define CHANGE(name, statement)                                                                                        \
    static void name(calls *c, int s) { statement; }
CHANGE(nothing, (void)c; (void)s)
CHANGE(any_extent, c->shape[s][0][1] = 1)
CHANGE(also_written, c->views[s][0].output = true)
CHANGE(fewer, c->steps[s].view_count = 2)
CHANGE(other_code, c->views[s][0].type.code = kDLUInt)
CHANGE(other_bits, c->views[s][1].type.bits = 16)
CHANGE(other_lanes, c->views[s][2].type.lanes = 4)
CHANGE(more_axes, c->views[s][0].ndim = 3)
CHANGE(an_axis, c->views[s][2].ndim = 1)
CHANGE(first_extent, c->shape[s][0][0] = 3)
CHANGE(extent, c->shape[s][1][0] = 5)
CHANGE(only_read, c->views[s][1].output = false)

static const struct {
    void (*change)(calls *c, int step);
    const char *what; /* differs; NULL: nothing does */
} cases[] = {
    {nothing, NULL},
    {any_extent, NULL},
    {also_written, NULL},
    {other_code, "the type of its argument 0"},
    {other_bits, "the type of its argument 1"},
    {other_lanes, "the type of its argument 2"},
    {more_axes, "the number of axes of its argument 0"},
    {an_axis, "the number of axes of its argument 2"},
    {first_extent, "the shape of its argument 0"},
    {extent, "the shape of its argument 1"},
    {only_read, "the direction of its argument 1"},
};

TEST_CASE(arguments) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int step = CALLS_FIRST; step <= CALLS_LAST; step += CALLS_LAST) {
            calls c;
            char words[200];
            make_calls(&c, takes);
            cases[i].change(&c, step);
            vta_status status = vt__check_signatures(&c.model, diag);
            snprintf(words, sizeof words,
                     "small.vta-model: step %s calls f, and %s is not what the code says: code and plan are not of one "
                     "network",
                     c.steps[step].name, cases[i].what ? cases[i].what : "");
            if (cases[i].what)
                says_error(status, VTA_MISMATCH, words);
            else
                must(status);
            vta_module_destroy(c.model.module);
        }
}

TEST_CASE(other_functions) {
    calls c;
    make_calls(&c, takes);
    fewer(&c, CALLS_LAST);
    says_error(
        vt__check_signatures(&c.model, diag), VTA_MISMATCH,
        "small.vta-model: step last calls f with 2 arguments, which takes 3: code and plan are not of one network");
    c.steps[CALLS_LAST].function = "g";
    refused(vt__check_signatures(&c.model, diag), VTA_NOT_FOUND, "g");
    vta_module_destroy(c.model.module);
    make_calls(&c, takes_a_number);
    says_error(
        vt__check_signatures(&c.model, diag), VTA_MISMATCH,
        "small.vta-model: step first calls f, and the kind of its argument 0 is not what the code says: code and "
        "plan are not of one network");
    vta_module_destroy(c.model.module);
}

int main(void) { return run_cases_between(diag_begin, diag_end); }
