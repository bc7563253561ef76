/* Concrete inputs that show a program to be wrong: runs on the functional simulator against the reference. */
#include <string.h>

#include "base/diag.h"
#include "build/prove.h"

typedef struct search {
    const vt_proof *proof;
    vta_device *device;
    vt_checking k;
} search;

/* ---- The program's own memory ----------------------------------------------------------------------------------- */

static bool same_bytes(const uint8_t *x, size_t x_size, const uint8_t *y, size_t y_size) {
    return x_size == y_size && memcmp(x, y, x_size) == 0;
}

/* Did the runtime change this memory between the run before and this one? (It was recorded on a device that changes
 * nothing.) */
static bool is_fresh(const vta_program *program, uint32_t run, const vta_program_segment *s) {
    vta_program_run_info info;
    vta_program_segment old;
    if (!run || vta_program_get_run(program, run - 1, &info) != VTA_OK) return true;
    for (uint32_t i = 0; i < info.segment_count; i++) {
        if (vta_program_get_segment(program, run - 1, i, &old) != VTA_OK) return true;
        if (old.addr != s->addr || old.size != s->size) continue;
        const uint8_t *was = old.has_after ? old.after : old.before;
        return !same_bytes(was, old.has_after ? old.after_size : old.before_size, s->before, s->before_size);
    }
    return true;
}

/* Zeros follow the n bytes, also where the input before this one left something. */
static vta_status put(search *s, uint32_t addr, size_t size, const uint8_t *bytes, size_t n) {
    if (!vta_device_host_ptr(s->device, addr, size)) VT_TRY(vta_device_alloc_at(s->device, addr, size, s->proof->diag));
    memset(vta_device_host_ptr(s->device, addr, size), 0, size);
    return n ? vta_device_write(s->device, addr, bytes, n, s->proof->diag) : VTA_OK;
}

static vta_status run_one(search *s, uint32_t run) {
    const vta_program *program = s->proof->program;
    vta_program_run_info info;
    vta_program_segment segment;
    VT_TRY(vta_program_get_run(program, run, &info));
    for (uint32_t i = 0; i < info.segment_count; i++) {
        VT_TRY(vta_program_get_segment(program, run, i, &segment));
        if (is_fresh(program, run, &segment))
            VT_TRY(put(s, segment.addr, segment.size, segment.before, segment.before_size));
    }
    size_t bytes = (size_t)info.insn_count * VTA_INSN_BYTES;
    VT_TRY(put(s, info.insn_addr, bytes, info.insns, bytes));
    for (size_t i = 0; i < s->k.n && !run; i++) { /* after the recorded contents of the arguments */
        const vt_operand *o = &s->k.operands[i];
        if (te_tensor_is_placeholder(o->tensor))
            VT_TRY(vta_device_write(s->device, s->proof->addrs[i], vta_array_tensor(o->array)->data,
                                    vta_array_bytes(o->array), s->proof->diag));
    }
    uint64_t most = s->proof->options.most_work;
    return vta_device_run(s->device, info.insn_addr, info.insn_count, most < UINT32_MAX ? (uint32_t)most : UINT32_MAX,
                          s->proof->diag);
}

/* ---- One input --------------------------------------------------------------------------------------------------- */

static vta_status set_inputs(search *s, uint64_t seed, int32_t magnitude) {
    vt_checking *k = &s->k;
    vt_checking_seed(k, seed);
    k->magnitude = magnitude;
    for (size_t i = 0; i < k->n; i++) {
        vt_operand *o = &k->operands[i];
        if (!te_tensor_is_placeholder(o->tensor)) continue;
        vt_checking_fill(k, o);
        VT_TRY(vt_checking_write(k, o));
    }
    return VTA_OK;
}

static vta_status compare(search *s, vtac_check_result *found) {
    for (size_t i = 0; i < s->k.n; i++) {
        const vt_operand *o = &s->k.operands[i];
        if (te_tensor_is_placeholder(o->tensor)) continue;
        VT_TRY(vta_device_read(s->device, s->proof->addrs[i], vta_array_tensor(o->array)->data,
                               vta_array_bytes(o->array), s->proof->diag));
        VT_TRY(vt_checking_read(&s->k, o));
        vt_checking_compare(o, i, found);
    }
    return VTA_OK;
}

static vta_status try_input(search *s, uint64_t seed, int32_t magnitude, bool *out_found) {
    vtac_check_result found = {0};
    vtac_prove_result *r = s->proof->result;
    VT_TRY(set_inputs(s, seed, magnitude));
    for (uint32_t run = 0; run < vta_program_run_count(s->proof->program); run++) VT_TRY(run_one(s, run));
    VT_TRY(vt_checking_evaluate(&s->k, false, &found));
    VT_TRY(compare(s, &found));
    *out_found = found.different != 0;
    if (!found.different) return VTA_OK;
    r->has_example = 1;
    r->magnitude = magnitude;
    r->example_seed = seed;
    r->example_arg = found.arg;
    r->example_index = found.index;
    memcpy(r->expected, found.expected, sizeof r->expected);
    memcpy(r->got, found.got, sizeof r->got);
    return VTA_OK;
}

static vta_status look(search *s) {
    static const int32_t magnitudes[] = {0, 3, 100, 1};
    const vt_proof *p = s->proof;
    bool found = false;
    for (size_t i = 0; i < p->n; i++) VT_TRY(vt_checking_operand(&s->k, i, p->args[i], kDLCPU));
    for (uint32_t t = 0; t < p->options.tries && !found; t++)
        VT_TRY(try_input(s, p->options.seed + t, magnitudes[t % 4], &found));
    return VTA_OK;
}

vta_status vt_prove_example(const vt_proof *p) {
    search s = {.proof = p, .k = {.c = p->c, .diag = p->diag, .allocator = p->allocator, .n = p->n}};
    vta_device_options options = {.order = p->result->order, .seed = p->result->order_seed};
    VT_TRY(vta_device_create("sim", vta_program_config(p->program), &options, p->allocator, p->diag, &s.device));
    vta_status status = vt_checking_make(&s.k) ? look(&s) : vt_no_memory(p->diag);
    vt_checking_free(&s.k);
    vta_device_destroy(s.device);
    return status;
}
