/* The last check of what lowering made: for each rule a function that breaks it, named in the error, beside one that is
 * as close and keeps it; and every kernel file of the repository, of which nothing may stay untold. */
#include <glob.h>

#include "ir/handle.h"
#include "target/machine.h"
#include "te/te.h"
#include "vta/build.h"

/* ---- Functions --------------------------------------------------------------------------------------------- */

static const vt_stmt *in_place(void) {
    return computes(alu(SEQ(begin(num(64), 1, 1, 0), add_imm(num(5), num(5)), end())));
}
static const vt_stmt *other_place(void) { return computes(alu(add_imm(num(5), num(6)))); }
static const vt_stmt *other_place_once(void) { /* in the last iteration only */
    const vt_var *i = var("i");
    return loop(i, 40, computes(alu(add_imm(i, vt_min(C, i, num(38))))));
}
static const vt_stmt *other_step(void) {
    return computes(alu(SEQ(begin(num(64), 1, 2, 0), add_imm(num(5), num(5)), end())));
}
static const vt_stmt *other_step_once(void) { /* a loop of one iteration does not step */
    return computes(alu(SEQ(begin(num(1), 1, 2, 0), add_imm(num(5), num(5)), end())));
}

/* 4 x 512 accumulators from 0, in steps that reach the last. */
static const vt_stmt *reaches(int64_t from, int64_t step) {
    const vt_stmt *push_all = uop(0, 1, num(from), num(0), num(0), 0, 0, 0);
    return computes(gemm(SEQ(begin(num(4), step, 0, 0), begin(num(512), 1, 0, 0), push_all, end(), end())));
}
static const vt_stmt *reaches_last(void) { return reaches(0, 512); }
static const vt_stmt *reaches_beyond(void) { return reaches(1, 512); }
static const vt_stmt *negative_index(void) {
    const vt_var *i = var("i");
    return loop(i, 4, computes(alu(add_imm(vt_sub(C, i, num(1)), vt_sub(C, i, num(1))))));
}
static const vt_stmt *weight_beyond(void) {
    return computes(gemm(SEQ(begin(num(4), 3, 0, 400), uop(0, 0, num(0), num(0), num(0), 0, 0, 0), end())));
}
static const vt_stmt *source_beyond(void) { return computes(gemm(uop(0, 0, num(0), num(2048), num(0), 0, 0, 0))); }

static const vt_stmt *long_loop(void) {
    return computes(alu(SEQ(begin(num(16384), 0, 0, 0), add_imm(num(0), num(0)), end())));
}
static const vt_stmt *longest_loop(void) {
    return computes(alu(SEQ(begin(num(16383), 0, 0, 0), add_imm(num(0), num(0)), end())));
}
static const vt_stmt *no_loop(void) {
    return computes(alu(SEQ(begin(num(0), 1, 1, 0), add_imm(num(0), num(0)), end())));
}
static const vt_stmt *large_step(void) {
    return computes(alu(SEQ(begin(num(1), 2048, 2048, 0), add_imm(num(0), num(0)), end())));
}
static const vt_stmt *negative_step(void) {
    return computes(alu(SEQ(begin(num(2), -1, -1, 0), add_imm(num(1), num(1)), end())));
}

static const vt_stmt *three_loops(void) {
    const vt_stmt *op = add_imm(num(0), num(0));
    return computes(
        alu(SEQ(begin(num(2), 1, 1, 0), begin(num(2), 2, 2, 0), begin(num(2), 4, 4, 0), op, end(), end(), end())));
}
static const vt_stmt *two_sorts(void) {
    return computes(gemm(SEQ(uop(0, 1, num(0), num(0), num(0), 0, 0, 0), uop(0, 0, num(5), num(0), num(0), 0, 0, 0))));
}
static const vt_stmt *large_imm(void) {
    return computes(alu(uop(1, 0, num(0), num(0), num(0), VTA_ALU_ADD, 1, 40000)));
}
static const vt_stmt *wrong_kind(void) { return computes(gemm(add_imm(num(0), num(0)))); }
static const vt_stmt *bare_uop(void) { return computes(add_imm(num(0), num(0))); }
static const vt_stmt *empty_kernel(void) { return computes(alu(SEQ(begin(num(2), 1, 1, 0), end()))); }
/* 8192 micro-ops fit. */
static const vt_stmt *many_uops(int64_t extent) {
    const vt_var *i = var("i"), *j = var("j");
    return computes(alu(loop(i, extent, loop(j, 64, add_imm(vt_mul(C, j, num(8)), vt_mul(C, j, num(8)))))));
}
static const vt_stmt *fills_buffer(void) { return many_uops(128); }
static const vt_stmt *overflows_buffer(void) { return many_uops(129); }

/* Writes to accumulators in turns. */
static const vt_stmt *in_turns(int64_t n) {
    const vt_var *i = var("i"), *j = var("j"), *p = var("p");
    const vt_expr *dst = vt_add(C, j, vt_mul(C, p, num(100)));
    return loop(p, 2, computes(gemm(loop(i, 5, loop(j, n, uop(0, 0, dst, i, num(0), 0, 0, 0))))));
}
static const vt_stmt *one_in_a_row(void) { return in_turns(1); }
static const vt_stmt *two_in_turns(void) { return in_turns(2); }
static const vt_stmt *three_in_turns(void) { return in_turns(3); }

/* Every second of them is recorded, so that neighbours lie apart, or not. */
static const vt_stmt *guarded_uops(int64_t which) {
    const vt_var *i = var("i"), *j = var("j");
    const vt_expr *odd = vt_eq(C, vt_floormod(C, vt_add(C, i, j), num(2)), num(which));
    const vt_expr *dst = vt_mul(C, vt_floordiv(C, j, num(2)), num(2));
    const vt_stmt *op = uop(0, 0, vt_add(C, dst, vt_mul(C, i, num(20))), num(0), num(0), 0, 0, 0);
    return computes(gemm(loop(i, 3, loop(j, 8, which < 0 ? op : vt_s_if(C, odd, op, NULL)))));
}
static const vt_stmt *every_second(void) { return guarded_uops(1); }
static const vt_stmt *every_one(void) { return guarded_uops(-1); }

static const vt_stmt *sound_load(void) { return loads(whole(dram.inp, VTA_MEM_INP), VTA_STAGE_LOAD); }
static const vt_stmt *load_to_out(void) { return loads(whole(dram.inp, VTA_MEM_OUT), VTA_STAGE_LOAD); }
static const vt_stmt *load_of_type(void) { return loads(whole(dram.acc, VTA_MEM_INP), VTA_STAGE_LOAD); }
static const vt_stmt *load_of_stranger(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.data = vt_var_new_pointer(C, "stranger", VT_DTYPE(VT_INT, 8, 1), "global");
    return loads(l, VTA_STAGE_LOAD);
}
static const vt_stmt *load_in_compute(void) { return loads(whole(dram.inp, VTA_MEM_INP), VTA_STAGE_COMPUTE); }
static const vt_stmt *kernel_in_store(void) { return only(VTA_STAGE_STORE, alu(add_imm(num(0), num(0)))); }

static const vt_stmt *no_columns(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.x = num(0);
    l.pad[0] = num(2);
    return loads(l, VTA_STAGE_LOAD);
}
static const vt_stmt *large_pad(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.pad[3] = num(16);
    return loads(l, VTA_STAGE_LOAD);
}
static const vt_stmt *long_stride(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.y = num(1);
    l.stride = num(65536);
    return loads(l, VTA_STAGE_LOAD);
}
/* Rows of a padded tensor in three tiles of 6: y_size = 6 - before - after. The last one, when pad is 4, has -1. */
static const vt_stmt *tiles(int64_t pad) {
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    const vt_expr *first = vt_sub(C, vt_mul(C, i, num(4)), num(2)); /* rows -2, 2, 6 of the 4 that there are */
    const vt_expr *before = vt_max(C, vt_sub(C, num(0), first), num(0));
    const vt_expr *after = vt_max(C, vt_sub(C, vt_add(C, first, num(5)), num(pad)), num(0));
    l.x = l.stride = num(16);
    l.y = vt_sub(C, vt_sub(C, num(5), before), after);
    l.pad[1] = before;
    l.pad[3] = after;
    l.offset = vt_mul(C, vt_add(C, first, before), num(16));
    return loop(i, 2, loads(l, VTA_STAGE_LOAD));
}
static const vt_stmt *padded_tiles(void) { return tiles(4); }
static const vt_stmt *unpadded_tiles(void) { return tiles(7); }
static const vt_stmt *negative_rows(void) {
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.y = vt_sub(C, num(3), i);
    l.pad[1] = num(4);
    return loop(i, 5, loads(l, VTA_STAGE_LOAD));
}
static const vt_stmt *no_negative_rows(void) { /* no rows are fine: it clears */
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.y = vt_sub(C, num(3), i);
    l.pad[1] = num(4);
    return loop(i, 4, loads(l, VTA_STAGE_LOAD));
}
static const vt_stmt *guarded_rows(void) { /* the same, but the condition keeps the bad one out */
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.y = vt_sub(C, num(3), i);
    l.pad[1] = num(4);
    const vt_stmt *when = vt_s_if(C, vt_likely(C, vt_lt(C, i, num(4))), task(VTA_STAGE_LOAD, load_of(l)), NULL);
    return SEQ(loop(i, 5, when), synchronize());
}

static const vt_stmt *sram_beyond(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.sram = num(2048 - 63);
    return loads(l, VTA_STAGE_LOAD);
}
static const vt_stmt *sram_to_the_end(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.sram = num(2048 - 64);
    return loads(l, VTA_STAGE_LOAD);
}
/* At `from`, less twice a rest of 0 to 6: known as an interval only. */
static const vt_stmt *sram_below(int64_t from) {
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.sram = vt_add(C, num(from), vt_mul(C, vt_floormod(C, vt_mul(C, i, num(5)), num(7)), num(-2)));
    return loop(i, 7, loads(l, VTA_STAGE_LOAD));
}
static const vt_stmt *sram_from_12(void) { return sram_below(12); }
static const vt_stmt *sram_from_11(void) { return sram_below(11); }
static const vt_stmt *store_at(const vt_expr *sram, const vt_expr *offset, int64_t x) {
    load l = whole(dram.out, VTA_MEM_OUT);
    l.sram = sram;
    l.offset = offset;
    l.y = num(1);
    l.x = l.stride = num(x);
    return store_of(l);
}
static const vt_stmt *store_from_before(void) { return only(VTA_STAGE_STORE, store_at(num(-1), num(0), 4)); }
static const vt_stmt *store_beyond(int64_t tile) {
    const vt_var *i = var("i"), *j = var("j"), *v = var("cse");
    const vt_expr *at = vt_add(C, vt_mul(C, i, num(16)), vt_mul(C, j, num(tile)));
    const vt_stmt *store = vt_s_let(C, v, at, store_at(num(0), v, tile));
    return loop(i, 4, loop(j, 4, only(VTA_STAGE_STORE, store)));
}
static const vt_stmt *store_to_the_end(void) { return store_beyond(4); }
static const vt_stmt *store_behind(void) { return store_beyond(5); }
static const vt_stmt *load_before(void) {
    const vt_var *i = var("i");
    load l = whole(dram.inp, VTA_MEM_INP);
    l.offset = vt_sub(C, vt_floordiv(C, i, num(3)), num(1));
    l.y = num(1);
    return loop(i, 9, loads(l, VTA_STAGE_LOAD));
}

static const vt_stmt *no_queue(void) { return SEQ(push(1, 3), pop(1, 3)); }
static const vt_stmt *never_pushed(void) { return SEQ(pop(1, 2), push(1, 2)); }
static const vt_stmt *never_popped(void) { return loop(var("i"), 3, push(2, 3)); }
static const vt_stmt *primed(void) { /* a primer, a loop that turns it over, a drain */
    return SEQ(push(3, 2), push(3, 2), loop(var("i"), 5, SEQ(pop(3, 2), push(3, 2))), pop(3, 2), pop(3, 2));
}
static const vt_stmt *primed_once(void) { /* two are taken before one comes back */
    return SEQ(push(3, 2), loop(var("i"), 5, SEQ(pop(3, 2), pop(3, 2), push(3, 2), push(3, 2))), pop(3, 2));
}
static const vt_stmt *pushed_in(int64_t first, int64_t all) {
    const vt_var *i = var("i");
    const vt_stmt *some = vt_s_if(C, vt_lt(C, i, num(first)), push(1, 2), NULL);
    const vt_stmt *late = vt_s_if(C, vt_ge(C, i, num(2)), pop(1, 2), NULL);
    return loop(i, all, SEQ(some, late));
}
static const vt_stmt *two_pushed(void) { return pushed_in(2, 4); } /* by iterations 0, 1; popped by 2, 3 */
static const vt_stmt *too_few_pushed(void) { return pushed_in(1, 4); }
static const vt_stmt *too_many_pushed(void) { return pushed_in(3, 4); }

static const vt_stmt *not_awaited(void) { return task(VTA_STAGE_LOAD, load_of(whole(dram.inp, VTA_MEM_INP))); }

static const verify_case cases[] = {
    {in_place, NULL, NULL},
    {other_place, "in-place", "source and destination differ"},
    {other_place_once, "in-place", "at i = 39"},
    {other_step, "in-place", "step differently"},
    {other_step_once, NULL, NULL},
    {reaches_last, NULL, NULL},
    {reaches_beyond, "uop-index", "its destination leaves the accumulators"},
    {negative_index, "uop-index", "its destination is negative at i = 0"},
    {weight_beyond, "uop-index", "its weight leaves the weights"},
    {source_beyond, "uop-index", "its source leaves its buffer"},
    {long_loop, "loop-field", "more than 16383"},
    {longest_loop, NULL, NULL},
    {no_loop, "loop-field", "no iteration"},
    {large_step, "loop-field", "does not fit its field"},
    {negative_step, "loop-field", "negative"},
    {three_loops, "kernel", "third"},
    {two_sorts, "kernel", "different sorts"},
    {large_imm, "kernel", "cannot hold"},
    {wrong_kind, "kernel", "another kind"},
    {bare_uop, "kernel", "outside of a micro-kernel"},
    {empty_kernel, "kernel", "no micro-op"},
    {fills_buffer, NULL, NULL},
    {overflows_buffer, "kernel", "more micro-ops than the buffer holds"},
    {one_in_a_row, "hazard", "micro-op 1 writes what the one 1 before"},
    {two_in_turns, "hazard", "micro-op 2 writes what the one 2 before"},
    {three_in_turns, NULL, NULL},
    {every_second, NULL, NULL},
    {every_one, "hazard", "micro-op 1 writes"},
    {sound_load, NULL, NULL},
    {load_to_out, "transfer", "memory 4 cannot be loaded"},
    {load_of_type, "transfer", "acc has scalars of 32 bits, the memory of 8"},
    {load_of_stranger, "transfer", "not a tensor of the function"},
    {load_in_compute, "stage", "a transfer of stage 1 stands in a task of stage 2"},
    {kernel_in_store, "stage", "another stage than compute"},
    {no_columns, "size", "x_size is not positive"},
    {large_pad, "size", "padding is above 15"},
    {long_stride, "size", "x_stride is above 65535"},
    {padded_tiles, NULL, NULL},
    {unpadded_tiles, "dram", "past the end of the tensor at i = 1"},
    {negative_rows, "size", "y_size is negative at i = 4"},
    {no_negative_rows, NULL, NULL},
    {guarded_rows, NULL, NULL},
    {sram_beyond, "sram", "ends past the end of the memory"},
    {sram_to_the_end, NULL, NULL},
    {sram_from_12, NULL, NULL},
    {sram_from_11, "sram", "negative at i = 4"},
    {store_from_before, "sram", "negative"},
    {store_to_the_end, NULL, NULL},
    {store_behind, "dram", "past the end of the tensor at i = 3, j = 3"},
    {load_before, "dram", "begins before the tensor at i = "},
    {no_queue, "queue", "from stage 1 to stage 3"},
    {never_pushed, "balance", "a load->compute token is popped that nothing has pushed"},
    {never_popped, "balance", "3 compute->store tokens are left"},
    {primed, NULL, NULL},
    {primed_once, "balance", "a store->compute token is popped"},
    {two_pushed, NULL, NULL},
    {too_few_pushed, "balance", "a load->compute token is popped that nothing has pushed"},
    {too_many_pushed, "balance", "1 load->compute tokens are left"},
    {not_awaited, "sync", "nothing waits"},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* ---- Running ----------------------------------------------------------------------------------------------- */

static void every_rule_is_checked(void **state) {
    (void)state;
    bool seen[VT_RULE_COUNT] = {false};
    static const char *const rules[] = {
#define VT_RULE(NAME, name, wants, suspect) name,
#include "lower/vta/verify.def"
#undef VT_RULE
    };
    for (size_t i = 0; i < CASES; i++) {
        check_case(&cases[i], i);
        for (int r = 0; cases[i].rule && r < VT_RULE_COUNT; r++) seen[r] |= strcmp(rules[r], cases[i].rule) == 0;
    }
    seen[VT_RULE_PLACE] = true; /* below */
    for (int r = 0; r < VT_RULE_COUNT; r++)
        if (!seen[r]) fail_msg("no function breaks the rule %s", rules[r]);
}

/* A symbolic size: what can be told is, what cannot is counted and passes. */
static const vt_stmt *symbolic_rows(void) {
    load l = whole(dram.inp, VTA_MEM_INP);
    l.y = vt_var_new_size(C, "n", VT_I32);
    return loads(l, VTA_STAGE_LOAD);
}
static const vt_stmt *symbolic_and_wrong(void) { return SEQ(symbolic_rows(), other_place()); }

static void symbolic_sizes_pass(void **state) {
    (void)state;
    static const verify_case open = {symbolic_rows, NULL, NULL}, wrong = {symbolic_and_wrong, "in-place", ""};
    one o = {.options = {.config = config}};
    now = &o;
    current = &open;
    assert_int_equal(one_run(&o, verify, nothing), VTA_OK);
    assert_int_equal(undecided, 1);
    one_end(&o);
    one p = {.options = {.config = config}};
    now = &p;
    current = &wrong;
    assert_int_equal(one_run(&p, verify, nothing), VTA_INTERNAL);
    one_end(&p);
}

/* ---- Places ------------------------------------------------------------------------------------------------ */

enum { PLACED = 64 * 16 }; /* scalars of a buffer: 64 accumulators */

/* How x and y are used. */
typedef enum use {
    ONE_AFTER_THE_OTHER, /* x, x, y, y */
    IN_TURNS,            /* x, y, x */
    TAKEN_OVER,          /* x; loop { y[i] = x[i] }; y */
    KEPT,                /* x; loop { y[i] = x[i] }; y, x */
    ROUND_AND_ROUND,     /* loop { x; y }, allocated outside of the loop */
    EACH_ROUND,          /* loop { x; y }, allocated inside of it */
} use;

/* A function before or after planning: x and y stand `at` scalars from the begin of their storages. */
typedef struct placing {
    const vt_buffer *x, *y;
    int64_t x_at, y_at, x_second; /* x_second: of the second use of x */
    int x_uses;
} placing;

static const vt_expr *index_of(int64_t at, const vt_expr *i) { return at ? vt_add(C, num(at), i) : i; }

static const vt_stmt *use_x(placing *p) {
    const vt_expr *at = index_of(p->x_uses++ ? p->x_second : p->x_at, num(3));
    return vt__extern(C, "USE", 1, (const vt_expr *const[]){vt__access(C, VT_I32, p->x->data, at, num(16), 1)});
}
static const vt_stmt *use_y(placing *p) { return one_store(now, p->y, index_of(p->y_at, num(5)), num(1)); }
static const vt_stmt *copy(placing *p, const vt_var *i) {
    const vt_expr *read = one_load(now, p->x, index_of(p->x_at, i));
    return loop(i, PLACED, one_store(now, p->y, index_of(p->y_at, i), read));
}

static const vt_stmt *placed(use how, placing *p, const vt_var *i, bool alloc_y) {
    const vt_stmt *s = NULL;
    switch (how) {
    case ONE_AFTER_THE_OTHER: {
        const vt_stmt *a = use_x(p), *b = use_x(p);
        s = SEQ(a, b, use_y(p), use_y(p));
        break;
    }
    case IN_TURNS: {
        const vt_stmt *a = use_x(p), *b = use_y(p);
        s = SEQ(a, b, use_x(p));
        break;
    }
    case TAKEN_OVER: {
        const vt_stmt *a = use_x(p);
        s = SEQ(a, copy(p, i), use_y(p));
        break;
    }
    case KEPT: {
        const vt_stmt *a = use_x(p);
        s = SEQ(a, copy(p, i), use_y(p), use_x(p));
        break;
    }
    case ROUND_AND_ROUND:
    case EACH_ROUND: {
        const vt_stmt *a = use_x(p);
        s = SEQ(a, use_y(p));
    }
    }
    bool inside = how == EACH_ROUND, round = inside || how == ROUND_AND_ROUND;
    if (round && !inside) s = loop(i, 4, s);
    if (alloc_y) s = one_alloc(now, p->y, s);
    s = one_alloc(now, p->x, s);
    return inside ? loop(i, 4, s) : s;
}

typedef struct place_case {
    use how;
    int64_t x_at, y_at, x_second;
    bool apart;    /* in two storages */
    bool one_base; /* which all begin at the memory's first element */
    const char *says;
} place_case;

static const place_case places[] = {
    {ONE_AFTER_THE_OTHER, 0, 0, 0, false, false, NULL},
    {IN_TURNS, 0, 0, 0, false, false, "y and x share elements of the acc buffer while both are alive"},
    {IN_TURNS, 0, PLACED, 0, false, false, NULL},
    {IN_TURNS, 0, PLACED - 16, 0, false, false, "share elements"},
    {IN_TURNS, 0, 0, 0, true, false, NULL},
    {IN_TURNS, 0, 0, 0, true, true, "share elements"},
    {TAKEN_OVER, 0, 0, 0, false, false, NULL},
    {TAKEN_OVER, PLACED, PLACED, PLACED, false, true, NULL},
    {KEPT, 0, 0, 0, false, false, "share elements"},
    {KEPT, 0, PLACED, 0, false, false, NULL},
    {ROUND_AND_ROUND, 0, 0, 0, false, false, "share elements"},
    {EACH_ROUND, 0, 0, 0, false, false, NULL},
    {IN_TURNS, 0, 31 * PLACED, 0, false, false, NULL}, /* the memory has 2048 elements */
    {IN_TURNS, 0, 31 * PLACED + 16, 0, false, false, "y does not lie inside its memory"},
    {IN_TURNS, 0, PLACED, 16, false, false, "x has two places"},
};

static const place_case *current_place;

static const vt_func *plan(vt_lowering *l, const vt_func *f) {
    const place_case *c = current_place;
    const vt_buffer *x = one_buffer(now, "x", PLACED, VT_SCOPE_ACC), *y = one_buffer(now, "y", PLACED, VT_SCOPE_ACC);
    const vt_var *i = var("i");
    placing before = {x, y, 0, 0, 0, 0}, after = {x, y, c->x_at, c->y_at, c->x_second, 0};
    if (!c->apart) {
        vt_buffer in_x = *y;
        in_x.data = x->data;
        after.y = vt_buffer_with(C, &in_x);
    }
    const vt_func *given = vt_func_with_body(l->ctx, f, placed(c->how, &before, i, true));
    const vt_func *made = vt_func_with_body(l->ctx, f, placed(c->how, &after, i, c->apart));
    undecided = vt__verify_places(l->ctx, config, given, made, c->one_base);
    return f;
}

static void overlapping_places_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        one o = {.options = {.config = config}};
        now = &o;
        current_place = &places[i];
        vta_status status = one_run(&o, plan, nothing);
        const char *text = vta_diag_text(o.diag);
        if (status != (places[i].says ? VTA_INTERNAL : VTA_OK)) fail_msg("case %zu: %s", i, text);
        if (places[i].says) {
            assert_contains(text, "Rule place (");
            assert_contains(text, places[i].says);
        } else {
            assert_int_equal(undecided, 0);
        }
        one_end(&o);
    }
}

/* ---- Kernel files ------------------------------------------------------------------------------------------ */

typedef struct verify_job {
    const vt_func *f;
    const vta_config *config;
} verify_job;

static vta_status verify_body(vt_ctx *ctx, void *arg) {
    const verify_job *job = arg;
    undecided = vt__verify_machine(ctx, job->config, job->f);
    return VTA_OK;
}

static int verify_file(const char *path, const vta_config *c, bool cse) {
    static const char *const disabled[] = {"tir.CommonSubexprElimTIR"};
    vtac_kernel *kernel;
    const vtac_func *func;
    vtac_lower_options options = {.config = c, .disabled = disabled, .disabled_count = !cse};
    vta_diag *diag = vta_diag_create(NULL);
    vta_status status = vtac_kernel_load(path, NULL, c, NULL, diag, &kernel);
    vta_diag_destroy(diag);
    if (status != VTA_OK) return 0; /* not for this machine */
    int done = 0;
    if (!strcmp(vtac_kernel_target(kernel), "vta") && vtac_kernel_lower(kernel, &options, &func) == VTA_OK) {
        verify_job job = {func->func, c};
        assert_int_equal(vt_protect(vt_te_ctx(vtac_kernel_context(kernel)), verify_body, &job), VTA_OK);
        if (undecided) fail_msg("%s: %u rules untold", path, undecided);
        done = 1;
    } else if (vta_diag_status(te_context_diag(vtac_kernel_context(kernel))) == VTA_INTERNAL) {
        fail_msg("%s: %s", path, vta_diag_text(te_context_diag(vtac_kernel_context(kernel))));
    }
    vtac_kernel_destroy(kernel);
    return done;
}

/* With constant shapes everything is told. */
static void kernel_files_keep_all_rules(void **state) {
    (void)state;
    static const char *const folders[] = {"examples", "tests/kernel/cases", "tests/build/vta", "bench/kernels"};
    static const char *const machines[] = {"", "LOG_BATCH=1 LOG_ACC_BUFF_SIZE=18", "LOG_BLOCK=5",
                                           "LOG_INP_BUFF_SIZE=13 LOG_ACC_BUFF_SIZE=15"};
    int done = 0;
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        vta_config *c;
        assert_int_equal(vta_config_with(config, machines[m], NULL, &c), VTA_OK);
        for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
            char pattern[512];
            glob_t found;
            snprintf(pattern, sizeof pattern, "%s/%s/*.te", VT_SOURCE_DIR, folders[i]);
            assert_int_equal(glob(pattern, 0, NULL, &found), 0);
            for (size_t k = 0; k < found.gl_pathc; k++)
                done += verify_file(found.gl_pathv[k], c, true) + verify_file(found.gl_pathv[k], c, false);
            globfree(&found);
        }
        vta_config_release(c);
    }
    print_message("%d functions\n", done);
    assert_true(done > 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_is_checked),
        cmocka_unit_test(symbolic_sizes_pass),
        cmocka_unit_test(overlapping_places_are_found),
        cmocka_unit_test(kernel_files_keep_all_rules),
    };
    return cmocka_run_group_tests(tests, make_config, drop_config);
}
