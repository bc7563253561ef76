#include "lower/generic/fit.h"

#include <string.h>

#include "base/strbuf.h"
#include "ir/print.h"
#include "lower/generic/util.h"

static uint64_t units(const vt_memory_info *info, uint64_t bits) {
    return info->unit_bits ? (bits + info->unit_bits - 1) / info->unit_bits : bits;
}

/* The loop to split; the dimension's number where the schedule does not say. */
static const char *tile_axis(const vt_lowering *l, const vt_tensor *t, uint32_t dim) {
    const char *name = l->tile_axis ? l->tile_axis(l->schedule, t, dim) : NULL;
    return name ? name : vt_new_format(l->ctx, "number %u", dim);
}

/* The axis to split: the longest, which leaves the most choice, of those that are outside of an element. */
static uint32_t longest_axis(const vt_memory_info *info, const vt_tensor *t, uint32_t n, const vt_expr *const *shape) {
    uint64_t inner = (uint64_t)t->dtype.bits * t->dtype.lanes;
    uint32_t outer = n, longest = 0;
    while (outer > 1 && inner < info->unit_bits) inner *= (uint64_t)shape[--outer]->u.i;
    for (uint32_t i = 1; i < outer; i++)
        if (shape[i]->u.i > shape[longest]->u.i) longest = i;
    return longest;
}

/* Readers whose places do not move together (one stands still, one goes backwards) need a part whose size changes. */
static _Noreturn void raise_varying(vt_lowering *l, const vt_tensor *t, const char *buffer, uint32_t n,
                                    const vt_expr *const *shape) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t count;
        const vt_var *const *vars = vt_expr_free_vars(l->ctx, shape[i], &count);
        if (count)
            vt_raise(l->ctx, VTA_ILLEGAL,
                     "%s is put into the %s buffer, so its size must be a constant, but it changes with %s (%s along "
                     "dimension %u): compute %s outside of that loop, or read it at places that move together",
                     t->name, buffer, vt_var_name(vars[0]), vt_expr_plain(l->ctx, shape[i]), i, t->name);
    }
    vt_raise(l->ctx, VTA_ILLEGAL, "%s is put into the %s buffer, so its size must be a constant above 0", t->name,
             buffer);
}

void vt_check_fit_tensor(vt_lowering *l, const vt_tensor *t, const char *scope, uint32_t n,
                         const vt_expr *const *shape) {
    vt_memory_info info;
    if (!vt_memory_of_scope(l, scope, &info)) return;
    uint64_t elements = vt_const_elements(n, shape);
    if (elements == 0) raise_varying(l, t, info.name, n, shape);
    uint64_t need = units(&info, elements * t->dtype.bits * t->dtype.lanes), have = info.max_bits / info.unit_bits;
    if (need <= have) return;
    uint32_t longest = longest_axis(&info, t, n, shape);
    uint64_t each = units(&info, elements / (uint64_t)shape[longest]->u.i * t->dtype.bits * t->dtype.lanes);
    uint64_t most = each ? have / each : 0;
    const char *axis = tile_axis(l, t, longest);
    if (most == 0)
        vt_raise(l->ctx, VTA_ILLEGAL,
                 "%s needs %llu elements of the %s buffer, which holds %llu: even one step of axis %s needs %llu; "
                 "split more than one axis",
                 t->name, (unsigned long long)need, info.name, (unsigned long long)have, axis,
                 (unsigned long long)each);
    vt_raise(l->ctx, VTA_ILLEGAL,
             "%s needs %llu elements of the %s buffer, which holds %llu: split axis %s, so that at most %llu of %lld "
             "steps of %s are held (each needs %llu), and compute it inside of the outer loop",
             t->name, (unsigned long long)need, info.name, (unsigned long long)have, axis, (unsigned long long)most,
             (long long)shape[longest]->u.i, t->name, (unsigned long long)each);
}

void vt_check_fit_parts(vt_lowering *l, const char *scope, uint64_t total_bits, uint32_t n, const vt_fit_part *parts) {
    vt_memory_info info;
    if (!vt_memory_of_scope(l, scope, &info) || total_bits <= info.max_bits) return;
    vt_strbuf list;
    vt_strbuf_init(&list, l->ctx->arena.allocator);
    for (uint32_t i = 0; i < n && i < 8; i++)
        vt_strbuf_addf(&list, "%s%s %llu", i ? ", " : "", parts[i].name,
                       (unsigned long long)units(&info, parts[i].bits));
    if (n > 8) vt_strbuf_addf(&list, ", and %u more", n - 8);
    const char *text = list.failed ? "" : vt_arena_strndup(&l->ctx->arena, vt_strbuf_text(&list), list.size);
    vt_strbuf_free(&list);
    vt_raise(l->ctx, VTA_ILLEGAL,
             "the %s buffer holds %llu elements, but what lives in it at one time needs %llu (%s): make the tiles "
             "smaller, or use fewer virtual threads, each of which has buffers of its own",
             info.name, (unsigned long long)(info.max_bits / info.unit_bits),
             (unsigned long long)units(&info, total_bits), text ? text : "");
}
