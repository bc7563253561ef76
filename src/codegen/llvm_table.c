/* Long runs of runtime calls whose arguments are constants: a table of words in the object, and a function that walks
 * it. A schedule whose steps are written out is thousands of such calls, of which machine code would take longer to
 * make than all passes before it.
 *
 * A row is the number of the function that is called, then its arguments: integers as they are, pointers as places in a
 * list that the caller hands in. A row of a micro-kernel is its number and where its own rows begin: behind their
 * count, which is what the runtime hands on to the function that records it. */
#include <string.h>

#include "codegen/llvm.h"
#include "codegen/runtime_table.h"
#include "ir/runtime_call.h"

enum {
    FEWEST = 64, /* statements that are worth a table */
    FEWEST_OF_RUN = 8,
    MOST_FUNCTIONS = 16,
    MOST_POINTERS = 64,
    PUSH_WORDS = 2,
    MOST_LOOPS = 8,
    MOST_ROWS = 2048
};

/* Statements that stand one behind the other, and their part of the table. */
typedef struct run {
    const vt_stmt *const *first;
    uint32_t count, begin, end;
    uint32_t n_pointers;
    const vt_var *pointers[MOST_POINTERS];
} run;

struct vt__llvm_table {
    uint32_t n_words, cap_words;
    uint32_t *words;
    vt_ptrmap *runs; /* its first statement's place in the sequence -> run */
    uint32_t n_functions;
    const vt__runtime_entry *functions[MOST_FUNCTIONS]; /* by their numbers */
    uint32_t n_kernels, cap_kernels;
    uint32_t *kernels; /* kernel -> where it begins; 0: it is not in the table */
    LLVMValueRef data, handles, walk, record;
};

/* ---- What can be a row ------------------------------------------------------------------------------------------- */

/* The loops of a micro-kernel that are being written out. */
typedef struct loops {
    uint32_t n;
    const vt_var *vars[MOST_LOOPS];
    int64_t at[MOST_LOOPS];
} loops;

/* Of constants and the loops' variables; false where anything else is in it. */
static bool value_of(const loops *l, const vt_expr *e, int64_t *out) {
    int64_t x, y;
    if (vt_as_const(e, out)) return true;
    for (uint32_t i = 0; e->kind == VT_E_VAR && i < l->n; i++)
        if (l->vars[i] == e) {
            *out = l->at[i];
            return true;
        }
    bool sum = e->kind == VT_E_ADD || e->kind == VT_E_SUB || e->kind == VT_E_MUL;
    if (!sum || !value_of(l, e->a[0], &x) || !value_of(l, e->a[1], &y)) return false;
    return !(e->kind == VT_E_ADD   ? __builtin_add_overflow(x, y, out)
             : e->kind == VT_E_SUB ? __builtin_sub_overflow(x, y, out)
                                   : __builtin_mul_overflow(x, y, out));
}

/* A call whose result nobody looks at, of pointers in variables and of integers that are known. */
static const vt__runtime_entry *entry_of(const loops *l, const vt_stmt *s) {
    int64_t value;
    if (s->kind != VT_S_EVAL || !vt_is_call(s->u.eval.value, VT_OP_CALL_EXTERN)) return NULL;
    const vt_expr *e = s->u.eval.value;
    const vt__runtime_entry *entry = vt__runtime_find(e->a[0]->u.s);
    if (!entry || strlen(entry->args) != e->n - 1 || strchr(entry->args, 'z')) return NULL;
    for (uint32_t i = 1; i < e->n; i++) {
        bool pointer = e->a[i]->kind == VT_E_VAR && e->a[i]->dtype.code == VT_HANDLE;
        if (entry->args[i - 1] == 'p' ? !pointer : !value_of(l, e->a[i], &value)) return NULL;
    }
    return entry;
}

/* A loop's body, with its variable at the first step; NULL: it is no loop to write out. */
static const vt_stmt *enter(loops *l, const vt_stmt *s, int64_t *out_extent) {
    if (s->kind != VT_S_FOR || l->n == MOST_LOOPS || !vt_as_const(s->u.loop.min, &l->at[l->n]) ||
        !vt_as_const(s->u.loop.extent, out_extent))
        return NULL;
    l->vars[l->n++] = s->u.loop.var;
    return s->u.loop.body;
}

/* Rows that the calls of a micro-kernel are; 0: there are other statements, or too many. */
static uint32_t calls_of(loops l, const vt_stmt *s) {
    int64_t extent;
    uint64_t n = 0;
    const vt_stmt *body = enter(&l, s, &extent);
    if (body) {
        n = extent > 0 && extent <= MOST_ROWS ? calls_of(l, body) * (uint64_t)extent : 0;
    } else if (s->kind == VT_S_SEQ) {
        for (uint32_t i = 0, one; i < s->u.seq.n_items; i++, n += one)
            if (!(one = calls_of(l, s->u.seq.items[i]))) return 0;
    } else {
        const vt__runtime_entry *entry = entry_of(&l, s);
        n = entry && !strchr(entry->args, 'p');
    }
    return n <= MOST_ROWS ? (uint32_t)n : 0;
}

/* ---- The table --------------------------------------------------------------------------------------------------- */

static void add_word(vt_ctx *ctx, vt__llvm_table *t, uint32_t word) {
    vt_grow(ctx, &t->words, &t->cap_words, t->n_words + 1, sizeof *t->words);
    t->words[t->n_words++] = word;
}

/* The number of a function in this table. */
static uint32_t function_number(vt_ctx *ctx, vt__llvm_table *t, const vt__runtime_entry *entry) {
    uint32_t i = 0;
    while (i < t->n_functions && t->functions[i] != entry) i++;
    if (i == MOST_FUNCTIONS) vt_raise(ctx, VTA_INTERNAL, "a table of calls of more than %d functions", MOST_FUNCTIONS);
    if (i == t->n_functions) t->functions[t->n_functions++] = entry;
    return i;
}

static bool place_of(run *r, const vt_var *v, uint32_t *out_place) {
    uint32_t i = 0;
    while (i < r->n_pointers && r->pointers[i] != v) i++;
    *out_place = i;
    if (i == MOST_POINTERS) return false;
    if (i == r->n_pointers) r->pointers[r->n_pointers++] = v;
    return true;
}

/* False, and nothing written: its pointers are too many for one run. `r` may be NULL where there are none. */
static bool add_call(vt_ctx *ctx, vt__llvm_table *t, run *r, const loops *l, const vt_stmt *s) {
    uint32_t words[VT_OPERANDS(VTALoadBuffer2D)];
    const vt_expr *e = s->u.eval.value;
    int64_t value;
    for (uint32_t i = 1; i < e->n; i++)
        if (value_of(l, e->a[i], &value))
            words[i] = (uint32_t)value;
        else if (!place_of(r, e->a[i], &words[i]))
            return false;
    add_word(ctx, t, function_number(ctx, t, entry_of(l, s)));
    for (uint32_t i = 1; i < e->n; i++) add_word(ctx, t, words[i]);
    return true;
}

static void add_calls(vt_ctx *ctx, vt__llvm_table *t, loops l, const vt_stmt *s) {
    int64_t extent;
    const vt_stmt *body = enter(&l, s, &extent);
    for (int64_t i = 0; body && i < extent; i++) {
        add_calls(ctx, t, l, body);
        l.at[l.n - 1]++;
    }
    for (uint32_t i = 0; s->kind == VT_S_SEQ && i < s->u.seq.n_items; i++) add_calls(ctx, t, l, s->u.seq.items[i]);
    if (s->kind == VT_S_EVAL) add_call(ctx, t, NULL, &l, s);
}

/* Behind the count of its words. */
static void add_kernel(vt_ctx *ctx, vt__llvm_table *t, const vt_stmt *scope, uint32_t number) {
    vt_grow(ctx, &t->kernels, &t->cap_kernels, number + 1, sizeof *t->kernels);
    uint32_t begin = t->kernels[number] = t->n_words;
    t->n_kernels = number + 1;
    add_word(ctx, t, 0);
    add_calls(ctx, t, (loops){.n = 0}, scope->u.attr.body);
    t->words[begin] = t->n_words - begin - 1;
}

/* Those of a run come before its rows. */
static uint32_t *add_kernels(vt__llvm *g, const run *r) {
    uint32_t *numbers = VT_NEW_ARRAY(g->ctx, uint32_t, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->first[i]->kind != VT_S_ATTR) continue;
        numbers[i] = vt_kernel_number(g->ctx, &g->kernels, g->entry->share_kernels, r->first[i], g->outlined);
        if (numbers[i] == g->outlined) add_kernel(g->ctx, g->table, r->first[i], g->outlined++);
    }
    return numbers;
}

/* As many of them as one list of pointers is enough for. */
static void add_run(vt__llvm *g, run r) {
    vt_ctx *ctx = g->ctx;
    vt__llvm_table *t = g->table;
    const uint32_t *numbers = add_kernels(g, &r);
    const loops none = {.n = 0};
    uint32_t all = r.count;
    r.begin = t->n_words;
    for (r.count = 0; r.count < all; r.count++) {
        const vt_stmt *s = r.first[r.count];
        if (s->kind == VT_S_EVAL) {
            if (!add_call(ctx, t, &r, &none, s)) break;
            continue;
        }
        add_word(ctx, t, function_number(ctx, t, vt__runtime_find(s->u.attr.value->u.s)));
        add_word(ctx, t, numbers[r.count]);
        add_word(ctx, t, t->kernels[numbers[r.count]]);
    }
    r.end = t->n_words;
    run *own = VT_NEW(ctx, run);
    *own = r;
    vt_ptrmap_set(t->runs, r.first, own);
}

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

typedef struct span {
    const vt_stmt *const *first;
    uint32_t count;
} span;

typedef struct finder {
    vt_ctx *ctx;
    span *spans;
    uint32_t n, cap;
    uint32_t count;     /* of statements in all of them */
    vt_ptrmap *kernels; /* micro-kernel -> itself where it can be a row: many steps have the same */
} finder;

static bool is_kernel_row(finder *f, const vt_stmt *s) {
    if (!vt_ptrmap_has(f->kernels, s))
        vt_ptrmap_set(f->kernels, s, calls_of((loops){.n = 0}, s->u.attr.body) > 0 ? s : NULL);
    return vt_ptrmap_get(f->kernels, s) != NULL;
}

static bool is_row(finder *f, const vt_stmt *s) {
    const loops none = {.n = 0};
    return vt_attr_is(s, VT_ATTR_UOPS) ? is_kernel_row(f, s) : entry_of(&none, s) != NULL;
}

static bool find_spans(void *user, const vt_stmt *s) {
    finder *f = user;
    for (uint32_t i = 0, end; s->kind == VT_S_SEQ && i < s->u.seq.n_items; i = end + 1) {
        for (end = i; end < s->u.seq.n_items && is_row(f, s->u.seq.items[end]);) end++;
        if (end - i < FEWEST_OF_RUN) continue;
        vt_grow(f->ctx, &f->spans, &f->cap, f->n + 1, sizeof *f->spans);
        f->spans[f->n++] = (span){s->u.seq.items + i, end - i};
        f->count += end - i;
    }
    return !vt_attr_is(s, VT_ATTR_UOPS);
}

/* ---- As LLVM has it ---------------------------------------------------------------------------------------------- */

static LLVMValueRef word(vt__llvm *g, LLVMValueRef at, uint32_t index) {
    LLVMValueRef i = LLVMConstInt(g->i32, index, 0);
    return LLVMBuildInBoundsGEP2(g->builder, g->i32, at, &i, 1, "");
}

static LLVMValueRef word_at(vt__llvm *g, LLVMValueRef at, uint32_t index) {
    return LLVMBuildLoad2(g->builder, g->i32, word(g, at, index), "");
}

static LLVMValueRef internal(vt__llvm *g, const char *suffix, LLVMTypeRef type, LLVMValueRef value) {
    LLVMValueRef global = LLVMAddGlobal(g->module, type, vt_new_format(g->ctx, "%s_%s", g->entry->name, suffix));
    LLVMSetInitializer(global, value ? value : LLVMConstNull(type));
    LLVMSetLinkage(global, LLVMInternalLinkage);
    return global;
}

static void make_data(vt__llvm *g) {
    vt__llvm_table *t = g->table;
    uint8_t *bytes = VT_NEW_ARRAY(g->ctx, uint8_t, (size_t)t->n_words * 4);
    bool little = LLVMByteOrder(g->layout) == LLVMLittleEndian;
    for (size_t i = 0; i < t->n_words; i++)
        for (int k = 0; k < 4; k++) bytes[4 * i + (size_t)k] = (uint8_t)(t->words[i] >> 8 * (little ? k : 3 - k));
    LLVMValueRef text = LLVMConstStringInContext2(g->context, (const char *)bytes, (size_t)t->n_words * 4, 1);
    t->data = internal(g, "calls", LLVMTypeOf(text), text);
    LLVMSetGlobalConstant(t->data, 1);
    LLVMSetAlignment(t->data, 4);
    t->handles = internal(g, "kernel_handles", LLVMArrayType2(g->pointer, t->n_kernels), NULL);
}

static LLVMValueRef handle_of(vt__llvm *g, LLVMValueRef number) {
    return LLVMBuildInBoundsGEP2(g->builder, g->pointer, g->table->handles, &number, 1, "");
}

static void call_row(vt__llvm *g, const vt__runtime_entry *entry, LLVMValueRef at, LLVMValueRef pointers) {
    LLVMValueRef args[VT_OPERANDS(VTALoadBuffer2D)];
    uint32_t n = (uint32_t)strlen(entry->args);
    for (uint32_t i = 0; i < n; i++) {
        args[i] = word_at(g, at, i + 1);
        if (entry->args[i] != 'p') continue;
        LLVMValueRef place = LLVMBuildInBoundsGEP2(g->builder, g->pointer, pointers, &args[i], 1, "");
        args[i] = LLVMBuildLoad2(g->builder, g->pointer, place, "");
    }
    LLVMTypeRef types[] = {g->void_type, g->pointer, g->i32};
    vt__llvm_call_name(g, entry->name, types[entry->result == 'v' ? 0 : entry->result == 'p' ? 1 : 2], n, args);
}

/* Takes a micro-kernel, and the function that records it. */
static bool is_push(const vt__runtime_entry *entry) { return strstr(entry->names, "finit") != NULL; }

static LLVMValueRef push_row(vt__llvm *g, const vt__runtime_entry *entry, LLVMValueRef at) {
    const vt__llvm_table *t = g->table;
    LLVMValueRef begin = word_at(g, at, 2);
    LLVMValueRef rows = LLVMBuildInBoundsGEP2(g->builder, g->i32, t->data, &begin, 1, "");
    LLVMValueRef args[] = {handle_of(g, word_at(g, at, 1)), t->record, rows, LLVMConstInt(g->i32, 0, 0)};
    return vt__llvm_call_name(g, entry->name, g->i32, 4, args);
}

/* Makes the call, and goes on with the next row. */
static void take_row(vt__llvm *g, const vt__runtime_entry *entry, LLVMValueRef slot, LLVMValueRef pointers) {
    LLVMValueRef at = LLVMBuildLoad2(g->builder, g->pointer, slot, "");
    uint32_t words = is_push(entry) ? PUSH_WORDS : (uint32_t)strlen(entry->args);
    LLVMBuildStore(g->builder, word(g, at, 1 + words), slot);
    if (is_push(entry))
        vt__llvm_check_zero(g, push_row(g, entry, at));
    else
        call_row(g, entry, at, pointers);
}

/* Walks the rows from `begin` to `end` and returns. Without `pointers`: those of a micro-kernel. */
static void walk(vt__llvm *g, LLVMValueRef begin, LLVMValueRef end, LLVMValueRef pointers) {
    const vt__llvm_table *t = g->table;
    LLVMBuilderRef b = g->builder;
    LLVMValueRef slot = vt__llvm_slot(g, g->pointer, 0);
    LLVMBasicBlockRef next = vt__llvm_block(g, "next"), row = vt__llvm_block(g, "row"), out = vt__llvm_block(g, "out");
    LLVMBuildStore(b, begin, slot);
    LLVMBuildBr(b, next);
    LLVMPositionBuilderAtEnd(b, next);
    LLVMValueRef at = LLVMBuildLoad2(b, g->pointer, slot, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, at, end, ""), out, row);
    LLVMPositionBuilderAtEnd(b, row);
    LLVMValueRef choice = LLVMBuildSwitch(b, word_at(g, at, 0), out, t->n_functions);
    for (uint32_t i = 0; i < t->n_functions; i++) {
        if (!pointers && strchr(t->functions[i]->args, 'p')) continue;
        LLVMBasicBlockRef one = vt__llvm_block(g, t->functions[i]->name);
        LLVMAddCase(choice, LLVMConstInt(g->i32, i, 0), one);
        LLVMPositionBuilderAtEnd(b, one);
        take_row(g, t->functions[i], slot, pointers);
        LLVMBuildBr(b, next);
    }
    LLVMPositionBuilderAtEnd(b, out);
    LLVMBuildRet(b, LLVMConstInt(g->i32, 0, 0));
}

/* static int record(void *rows): what the runtime calls to record a micro-kernel. */
static void make_record(vt__llvm *g) {
    vt__llvm_place back;
    const char *name = vt_new_format(g->ctx, "%s_record", g->entry->name);
    LLVMValueRef f = g->table->record = vt__llvm_enter(g, name, LLVMFunctionType(g->i32, &g->pointer, 1, 0), &back);
    LLVMValueRef begin = word(g, LLVMGetParam(f, 0), 1), count = word_at(g, LLVMGetParam(f, 0), 0);
    walk(g, begin, LLVMBuildInBoundsGEP2(g->builder, g->i32, begin, &count, 1, ""), NULL);
    vt__llvm_leave(g, &back);
}

static LLVMTypeRef walk_type(vt__llvm *g) {
    LLVMTypeRef params[] = {g->pointer, g->pointer, g->pointer};
    return LLVMFunctionType(g->i32, params, 3, 0);
}

/* static int walk(const uint32_t *begin, const uint32_t *end, void *const *pointers) */
static void make_walk(vt__llvm *g) {
    vt__llvm_place back;
    const char *name = vt_new_format(g->ctx, "%s_walk", g->entry->name);
    LLVMValueRef f = g->table->walk = vt__llvm_enter(g, name, walk_type(g), &back);
    walk(g, LLVMGetParam(f, 0), LLVMGetParam(f, 1), LLVMGetParam(f, 2));
    vt__llvm_leave(g, &back);
}

/* ---- The interface ----------------------------------------------------------------------------------------------- */

void vt__llvm_table_make(vt__llvm *g, const vt_stmt *body) {
    finder f = {.ctx = g->ctx, .kernels = vt_ptrmap_new(g->ctx)};
    g->table = NULL;
    vt_stmt_walk(body, NULL, find_spans, &f);
    if (f.count < FEWEST) return;
    g->table = VT_NEW(g->ctx, vt__llvm_table);
    g->table->runs = vt_ptrmap_new(g->ctx);
    add_word(g->ctx, g->table, 0); /* so that no kernel begins at 0 */
    for (uint32_t i = 0; i < f.n; i++) add_run(g, (run){.first = f.spans[i].first, .count = f.spans[i].count});
    make_data(g);
    make_record(g);
    make_walk(g);
}

uint32_t vt__llvm_table_run(vt__llvm *g, const vt_stmt *const *items) {
    const run *r = g->table ? vt_ptrmap_get(g->table->runs, items) : NULL;
    if (!r) return 0;
    LLVMValueRef list = vt__llvm_slot(g, LLVMArrayType2(g->pointer, r->n_pointers), 0);
    for (uint32_t i = 0; i < r->n_pointers; i++) {
        LLVMValueRef index = LLVMConstInt(g->i32, i, 0);
        LLVMValueRef place = LLVMBuildInBoundsGEP2(g->builder, g->pointer, list, &index, 1, "");
        LLVMBuildStore(g->builder, vt__llvm_var(g, r->pointers[i]), place);
    }
    LLVMValueRef args[] = {word(g, g->table->data, r->begin), word(g, g->table->data, r->end), list};
    vt__llvm_check_zero(g, LLVMBuildCall2(g->builder, walk_type(g), g->table->walk, args, 3, ""));
    return r->count;
}

bool vt__llvm_table_kernel(vt__llvm *g, uint32_t number, LLVMValueRef out_args[4]) {
    const vt__llvm_table *t = g->table;
    if (!t || number >= t->n_kernels || !t->kernels[number]) return false;
    out_args[0] = handle_of(g, LLVMConstInt(g->i32, number, 0));
    out_args[1] = t->record;
    out_args[2] = word(g, t->data, t->kernels[number]);
    out_args[3] = LLVMConstInt(g->i32, 0, 0);
    return true;
}
