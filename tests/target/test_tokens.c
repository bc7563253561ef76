/* Tokens between the tasks of random programs: loops, branches and sequences of loads, computations and stores. What
 * the pass gives is run by three queues that know nothing of the program's order: each task must be the only one that
 * can start, in the program's order, and none may wait forever. Where nothing is loaded that was stored, loads and
 * stores need no order among themselves, and only tasks of neighbouring stages wait for each other. */
#include "ir/build.h"
#include "lower/vta/vta.h"
#include "pass/one.h"

enum { MAX_OPS = 20000, MAX_VARS = 8, PROGRAMS = 2000 };

static vta_config *config;
static check_random random_state;

static int64_t draw(int64_t n) { return check_between(&random_state, 0, n - 1); }

/* ---- Programs ------------------------------------------------------------------------------------------------- */

static const vt_iter *axis;
static int tasks_left;
static bool distinct; /* loads and stores are transfers of two different buffers */

static const vt_stmt *transfer(one *o, int64_t stage) {
    const vt_expr *a[12];
    for (int i = 0; i < 12; i++) a[i] = one_i(o, 0);
    a[stage == VTA_STAGE_LOAD ? 1 : 3] = stage == VTA_STAGE_LOAD ? o->x->data : o->y->data;
    return stage == VTA_STAGE_LOAD ? vt__extern(&o->ctx, "VTALoadBuffer2D", 12, a)
                                   : vt__extern(&o->ctx, "VTAStoreBuffer2D", 8, a);
}

static const vt_stmt *task(one *o) {
    static const char *const names[] = {"?", "LOAD", "COMPUTE", "STORE"};
    int64_t stage = 1 + draw(3);
    tasks_left--;
    const vt_stmt *body =
        distinct && stage != VTA_STAGE_COMPUTE ? transfer(o, stage) : vt__extern(&o->ctx, names[stage], 0, NULL);
    return vt_s_attr(&o->ctx, vt_ref_iter(axis), VT_ATTR_TASK, one_i(o, stage), body);
}

static const vt_stmt *piece(one *o, int depth, const vt_var *around);

static const vt_stmt *sequence(one *o, int depth, const vt_var *around) {
    const vt_stmt *items[4];
    uint32_t n = 1 + (uint32_t)draw(4);
    for (uint32_t i = 0; i < n; i++) items[i] = piece(o, depth, around);
    return vt_s_seq(&o->ctx, n, items);
}

static const vt_stmt *piece(one *o, int depth, const vt_var *around) {
    int64_t kind = draw(6);
    if (depth == 0 || tasks_left < 4 || kind < 3) return task(o);
    if (kind < 5) {
        const vt_var *i = one_var(o, "i");
        return one_for(o, i, 1 + draw(3), VT_FOR_SERIAL, sequence(o, depth - 1, i));
    }
    if (!around) return task(o);
    const vt_expr *condition = vt_lt(&o->ctx, around, one_i(o, draw(3)));
    const vt_stmt *then_case = sequence(o, depth - 1, around);
    return vt_s_if(&o->ctx, condition, then_case, draw(2) ? sequence(o, depth - 1, around) : NULL);
}

static const vt_stmt *program(one *o) {
    axis = vt_iter_new(&o->ctx, one_var(o, "vta"), NULL, NULL, VT_ITER_THREAD_INDEX, "vta");
    tasks_left = 14;
    return sequence(o, 3, NULL);
}

/* ---- What is executed, in the program's order ------------------------------------------------------------------ */

typedef enum op_kind { TASK, PUSH, POP } op_kind;
typedef struct op {
    op_kind kind;
    int stage; /* whose queue it is in */
    int from, to;
} op;

static op ops[MAX_OPS];
static int n_ops;
static struct {
    const vt_var *var;
    int64_t value;
} bound[MAX_VARS];
static int n_bound;

static void put(op_kind kind, int stage, int from, int to) {
    assert_true(n_ops < MAX_OPS);
    ops[n_ops++] = (op){kind, stage, from, to};
}

static bool holds(const vt_expr *c) {
    assert_int_equal(c->kind, VT_E_LT);
    for (int i = 0; i < n_bound; i++)
        if (bound[i].var == c->a[0]) return bound[i].value < c->a[1]->u.i;
    fail_msg("a condition on no loop's variable");
    return false;
}

/* "LOAD", "VTALoadBuffer2D", … */
static char letter_of(const vt_expr *e) {
    const char *name = e->a[0]->u.s;
    return strncmp(name, "VTA", 3) ? name[0] : name[3];
}

static void eval(const vt_expr *e) {
    if (e->u.op == VT_OP_CALL_EXTERN) {
        int stage = letter_of(e) == 'L' ? 1 : letter_of(e) == 'C' ? 2 : 3;
        put(TASK, stage, 0, 0);
    } else if (e->u.op != VT_OP_VTA_COPROC_SYNC) {
        int from = (int)e->a[0]->u.i, to = (int)e->a[1]->u.i;
        bool push = e->u.op == VT_OP_VTA_COPROC_DEP_PUSH;
        assert_true(from == VTA_STAGE_COMPUTE || to == VTA_STAGE_COMPUTE); /* the queues that are */
        put(push ? PUSH : POP, push ? from : to, from, to);
    }
}

static void execute(const vt_stmt *s) {
    switch (s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) execute(s->u.seq.items[i]);
        return;
    case VT_S_ATTR: execute(s->u.attr.body); return;
    case VT_S_FOR:
        assert_true(n_bound < MAX_VARS);
        for (int64_t i = 0; i < s->u.loop.extent->u.i; i++) {
            bound[n_bound].var = s->u.loop.var;
            bound[n_bound++].value = i;
            execute(s->u.loop.body);
            n_bound--;
        }
        return;
    case VT_S_IF:
        if (holds(s->u.branch.condition))
            execute(s->u.branch.then_case);
        else if (s->u.branch.else_case)
            execute(s->u.branch.else_case);
        return;
    case VT_S_EVAL:
        if (s->u.eval.value->kind == VT_E_CALL) eval(s->u.eval.value);
        return;
    default: fail_msg("a statement of kind %d", s->kind);
    }
}

/* The program's structure, as long as it is: {loops}, [then|else], tasks and tokens. */
static void structure(const vt_stmt *s, char *out) {
    char *end = out + strlen(out);
    switch (s->kind) {
    case VT_S_SEQ:
        for (uint32_t i = 0; i < s->u.seq.n_items; i++) structure(s->u.seq.items[i], out);
        return;
    case VT_S_FOR:
        sprintf(end, "%d{", (int)s->u.loop.extent->u.i);
        structure(s->u.loop.body, out);
        strcat(out, "}");
        return;
    case VT_S_IF:
        sprintf(end, "[<%d:", (int)s->u.branch.condition->a[1]->u.i);
        structure(s->u.branch.then_case, out);
        strcat(out, "|");
        if (s->u.branch.else_case) structure(s->u.branch.else_case, out);
        strcat(out, "]");
        return;
    case VT_S_ATTR: structure(s->u.attr.body, out); return;
    case VT_S_EVAL: {
        const vt_expr *e = s->u.eval.value;
        if (e->kind != VT_E_CALL || e->u.op == VT_OP_VTA_COPROC_SYNC) return;
        if (e->u.op == VT_OP_CALL_EXTERN)
            sprintf(end, "%c", letter_of(e));
        else
            sprintf(end, "%c%d%d", e->u.op == VT_OP_VTA_COPROC_DEP_PUSH ? '(' : ')', (int)e->a[0]->u.i,
                    (int)e->a[1]->u.i);
        return;
    }
    default: return;
    }
}

static const char *structure_of(const one *o) {
    static char text[1 << 16];
    text[0] = '\0';
    structure(o->before->body, text);
    strcat(text, " with tokens ");
    structure(o->after->body, text);
    return text;
}

/* The operations in a letter or three each: L C S tasks, "(12" a push, ")12" a pop. */
static const char *flow(void) {
    static char text[4 * MAX_OPS + 1];
    char *end = text;
    for (int i = 0; i < n_ops; i++)
        end += ops[i].kind == TASK ? sprintf(end, "%c", "?LCS"[ops[i].stage])
                                   : sprintf(end, "%c%d%d", ops[i].kind == PUSH ? '(' : ')', ops[i].from, ops[i].to);
    return text;
}

/* ---- Three queues ---------------------------------------------------------------------------------------------- */

typedef struct queues {
    int next[4];      /* the first operation of a stage that is not done */
    int tokens[4][4]; /* from, to */
} queues;

static int next_of(int stage, int from) {
    while (from < n_ops && ops[from].stage != stage) from++;
    return from;
}

/* Token operations of a stage, as far as they go. */
static bool pass_tokens(queues *q, int stage) {
    bool moved = false;
    for (;; moved = true) {
        int at = q->next[stage];
        if (at == n_ops || ops[at].kind == TASK) return moved;
        int *tokens = &q->tokens[ops[at].from][ops[at].to];
        if (ops[at].kind == POP && *tokens == 0) return moved;
        *tokens += ops[at].kind == PUSH ? 1 : -1;
        q->next[stage] = next_of(stage, at + 1);
    }
}

/* What is wrong, or NULL. */
static const char *run_queues(void) {
    static char message[400];
    queues q = {0};
    for (int stage = 1; stage <= 3; stage++) q.next[stage] = next_of(stage, 0);
    for (;;) {
        for (bool moved = true; moved;) {
            moved = false;
            for (int stage = 1; stage <= 3; stage++) moved |= pass_tokens(&q, stage);
        }
        int ready = 0, first = n_ops, left = n_ops;
        for (int stage = 1; stage <= 3; stage++) {
            int at = q.next[stage];
            left = at < left ? at : left;
            if (at == n_ops || ops[at].kind != TASK) continue;
            ready++;
            first = at < first ? at : first;
        }
        if (ready == 0 && left == n_ops) break;
        const char *wrong = ready == 0 ? "all wait" : ready > 1 ? "two tasks are not ordered" : NULL;
        for (int at = 0; ready == 1 && at < first; at++)
            if (ops[at].kind == TASK && q.next[ops[at].stage] <= at) wrong = "a task before an earlier one";
        if (wrong) {
            snprintf(message, sizeof message, "%s at operation %d of %.300s", wrong, first, flow());
            return message;
        }
        q.next[ops[first].stage] = next_of(ops[first].stage, first + 1);
    }
    return NULL;
}

/* Runs all that can run while the task `held` does not; what is wrong, or NULL: a later task of a neighbouring stage
 * that does not wait for it, or one that does not run though nothing is held. */
static const char *run_without(int held) {
    static char message[400];
    queues q = {0};
    for (int stage = 1; stage <= 3; stage++) q.next[stage] = next_of(stage, 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (int stage = 1; stage <= 3; stage++) {
            moved |= pass_tokens(&q, stage);
            int at = q.next[stage];
            if (at == n_ops || at == held || ops[at].kind != TASK) continue;
            bool neighbours = held < at && ops[held].stage + stage != VTA_STAGE_LOAD + VTA_STAGE_STORE;
            if (held < n_ops && neighbours) {
                snprintf(message, sizeof message, "%d runs before %d of %.300s", at, held, flow());
                return message;
            }
            q.next[stage] = next_of(stage, at + 1);
            moved = true;
        }
    }
    for (int stage = 1; held == n_ops && stage <= 3; stage++)
        if (q.next[stage] < n_ops) return "a task waits forever";
    return NULL;
}

static void neighbours_in_their_turn(void **state) {
    (void)state;
    int refused = 0, free_stores = 0;
    distinct = true;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        one o = {.options = {.config = config}};
        random_state.state = seed * 0x9e3779b97f4a7c15u;
        draw(2);
        n_ops = n_bound = 0;
        if (one_run(&o, vt_pass_coproc_sync, program) == VTA_OK) {
            execute(o.after->body);
            for (int held = 0; held <= n_ops; held++) {
                if (held < n_ops && ops[held].kind != TASK) continue;
                const char *wrong = run_without(held);
                if (wrong) fail_msg("program %d, %s: %s", (int)seed, structure_of(&o), wrong);
            }
            free_stores += run_queues() != NULL;
        } else {
            refused++;
        }
        one_end(&o);
    }
    distinct = false;
    print_message("%d programs, %d of them with loads before stores\n", PROGRAMS, free_stores);
    assert_int_equal(refused, 0);
    assert_true(free_stores > 10); /* else this tests nothing */
}

/* One loop around the whole: what is left in the queues at the end must be what was there at the begin, or nothing. */
static void every_task_in_its_turn(void **state) {
    (void)state;
    int refused = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        one o = {.options = {.config = config}};
        random_state.state = seed * 0x9e3779b97f4a7c15u;
        draw(2);
        n_ops = n_bound = 0;
        if (one_run(&o, vt_pass_coproc_sync, program) == VTA_OK) {
            execute(o.after->body);
            const char *wrong = run_queues();
            if (wrong) fail_msg("program %d, %s: %s", (int)seed, structure_of(&o), wrong);
        } else {
            refused++;
        }
        one_end(&o);
    }
    print_message("%d programs, %d refused\n", PROGRAMS, refused);
    assert_int_equal(refused, 0);
}

int main(void) {
    config = vta_config_default();
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_task_in_its_turn),
                                       cmocka_unit_test(neighbours_in_their_turn)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    vta_config_release(config);
    return failed;
}
