/* Groups of stages that are computed together at a loop. */
#include "te/group.h"
#include "te/scan.h"
#include "te/steps.h"

static bool is_group(const te_group *g) { return vt_is(g, VT_TAG_GROUP); }
static te_context *context_of(const te_group *g) { return is_group(g) ? g->schedule->c : NULL; }

/* Is the group `g`, or inside of it? Every group, and none, is inside of none. */
static bool is_within(const te_group *inner, const te_group *g) {
    while (inner && inner != g) inner = inner->group;
    return inner == g;
}

bool te__group_holds(const te_group *g, const te_stage *st) { return is_within(st->group, g) || (g && g->scan == st); }

static te_group *add(te_schedule *s, te_group *around) {
    vt_grow(&s->c->ctx, &s->groups, &s->cap_groups, s->n_groups + 1, sizeof(te_group *));
    te_group *g = VT_NEW(&s->c->ctx, te_group);
    *g = (te_group){.tag = VT_TAG_GROUP, .schedule = s, .group = around};
    s->groups[s->n_groups++] = g;
    return g;
}

/* ---- Scans ---- */

void te__groups_of_scans(te_schedule *s) {
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const te__scan *scan = s->stages[i]->op->scan;
        if (!scan) continue;
        te_group *g = add(s, NULL);
        g->scan = s->stages[i];
        for (uint32_t k = 0; k < scan->n_body; k++) {
            te_stage *st = te__stage_of(s, scan->body[k]);
            if (!st->group) st->group = g; /* what is of two scans is refused when it is lowered */
        }
    }
}

/* ---- Making ---- */

typedef struct region {
    te_context *c;
    te_schedule *s;
    bool *member; /* of each stage */
    uint32_t n;
} region;

static bool is_one_of(const te_stage *st, const te_stage *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (list[i] == st) return true;
    return false;
}

static const te_stage **stages_in(te_context *c, const te_schedule *s, size_t n, te_tensor *const *tensors) {
    const te_stage **list = VT_NEW_ARRAY(&c->ctx, const te_stage *, n);
    if (n) te__need(c, tensors, "a list of tensors");
    for (size_t i = 0; i < n; i++) list[i] = te__stage_for(c, s, tensors[i], "group");
    return list;
}

/* Producers come first, so one pass finds what needs an input, and one backwards what an output needs. */
static void find_region(region *r, size_t n_out, const te_stage *const *outputs, size_t n_in,
                        const te_stage *const *inputs, bool include_inputs) {
    const te_schedule *s = r->s;
    bool *reached = VT_NEW_ARRAY(&r->c->ctx, bool, s->n_stages), *wanted = VT_NEW_ARRAY(&r->c->ctx, bool, s->n_stages);
    for (uint32_t i = 0; i < s->n_stages; i++) {
        const vt_operation *op = s->stages[i]->op;
        reached[i] = is_one_of(s->stages[i], inputs, n_in);
        for (uint32_t k = 0; k < op->n_inputs && !reached[i]; k++) {
            const te_stage *input = te__stage_of(s, te__op(op->inputs[k]));
            reached[i] = input && reached[te__stage_index(s, input)];
        }
    }
    for (uint32_t i = s->n_stages; i > 0; i--) {
        const te_stage *st = s->stages[i - 1];
        bool is_input = is_one_of(st, inputs, n_in);
        wanted[i - 1] = wanted[i - 1] || is_one_of(st, outputs, n_out);
        if (!wanted[i - 1] || !reached[i - 1]) continue;
        r->member[i - 1] = !is_input || include_inputs;
        if (r->member[i - 1]) r->n++;
        for (uint32_t k = 0; k < st->op->n_inputs && !is_input; k++) {
            const te_stage *input = te__stage_of(s, te__op(st->op->inputs[k]));
            if (input) wanted[te__stage_index(s, input)] = true;
        }
    }
}

/* The innermost group around all members. */
static te_group *common_group(const region *r) {
    te_group *g = NULL;
    bool first = true;
    for (uint32_t i = 0; i < r->s->n_stages; i++) {
        if (!r->member[i]) continue;
        if (first) g = r->s->stages[i]->group;
        first = false;
        while (g && !is_within(r->s->stages[i]->group, g)) g = g->group;
    }
    return g;
}

static bool holds_member(const region *r, const te_group *g, bool member) {
    for (uint32_t i = 0; i < r->s->n_stages; i++)
        if (r->member[i] == member && is_within(r->s->stages[i]->group, g)) return true;
    return false;
}

/* Groups inside of `around` that have members go into the new group: as a whole, or not at all. */
static void check_whole(const region *r, const te_group *around) {
    for (uint32_t i = 0; i < r->s->n_groups; i++) {
        const te_group *g = r->s->groups[i];
        bool below = g != around && is_within(g, around);
        if (below && holds_member(r, g, true) && holds_member(r, g, false))
            te__raise(r->c, VTA_ILLEGAL,
                      "cannot group these stages: another group has some of them, and stages besides");
    }
}

static void move_into(const region *r, te_group *fresh) {
    for (uint32_t i = 0; i < r->s->n_groups; i++) {
        te_group *g = r->s->groups[i];
        if (g != fresh && g->group == fresh->group && holds_member(r, g, true) && !holds_member(r, g, false))
            g->group = fresh;
    }
    for (uint32_t i = 0; i < r->s->n_stages; i++)
        if (r->member[i] && r->s->stages[i]->group == fresh->group) r->s->stages[i]->group = fresh;
}

static void check_attached(const region *r, const te_group *around) {
    for (uint32_t i = 0; i < r->s->n_stages; i++) {
        const te_stage *st = r->s->stages[i];
        if (!r->member[i] || st->attach != TE__AT || st->group != around) continue;
        if (!r->member[te__stage_index(r->s, st->at_stage)])
            te__raise(r->c, VTA_ILLEGAL,
                      "cannot group %s: it is computed at a loop of %s, which is not of these stages",
                      te__stage_name(st), te__stage_name(st->at_stage));
    }
}

static te_group *create(te_context *c, te_schedule *s, size_t n_out, te_tensor *const *outputs, size_t n_in,
                        te_tensor *const *inputs, bool include_inputs) {
    region r = {c, s, VT_NEW_ARRAY(&c->ctx, bool, s->n_stages), 0};
    const te_stage **last = stages_in(c, s, n_out, outputs), **first = stages_in(c, s, n_in, inputs);
    find_region(&r, n_out, last, n_in, first, include_inputs);
    if (!r.n) te__raise(c, VTA_INVALID_ARGUMENT, "cannot group stages: no way leads from the inputs to the outputs");
    te_group *around = common_group(&r);
    check_whole(&r, around);
    check_attached(&r, around);
    te_group *g = add(s, around);
    move_into(&r, g);
    return g;
}

te_group *te_group_create(te_schedule *s, size_t output_count, te_tensor *const outputs[], size_t input_count,
                          te_tensor *const inputs[], bool include_inputs) {
    if (!vt_is(s, VT_TAG_SCHEDULE)) return NULL;
    TE_RETURN(s->c, create(s->c, s, output_count, outputs, input_count, inputs, include_inputs));
}

/* ---- Looking up ---- */

size_t te_schedule_groups(const te_schedule *s) { return vt_is(s, VT_TAG_SCHEDULE) ? s->n_groups : 0; }
te_group *te_schedule_group_at(const te_schedule *s, size_t i) {
    return i < te_schedule_groups(s) ? s->groups[i] : NULL;
}
te_group *te_stage_group(const te_stage *st) { return vt_is(st, VT_TAG_STAGE) ? st->group : NULL; }
te_group *te_group_around(const te_group *g) { return is_group(g) ? g->group : NULL; }

size_t te_group_children(const te_group *g) {
    size_t n = 0;
    if (!is_group(g)) return 0;
    for (uint32_t i = 0; i < g->schedule->n_stages; i++) n += g->schedule->stages[i]->group == g;
    for (uint32_t i = 0; i < g->schedule->n_groups; i++) n += g->schedule->groups[i]->group == g;
    return n;
}

te_attachment te_group_attachment(const te_group *g) {
    return is_group(g) && g->attach == TE__AT ? TE_COMPUTED_AT_LOOP : TE_COMPUTED_AT_ROOT;
}
te_stage *te_group_attached_to(const te_group *g) { return is_group(g) ? g->at_stage : NULL; }
te_axis *te_group_attached_at(const te_group *g) { return is_group(g) && g->at_axis ? te__out(g->at_axis) : NULL; }

/* ---- Where they are computed ---- */

static void refuse_scan(te_context *c, const te_group *g) {
    if (g->scan)
        te__raise(c, VTA_ILLEGAL, "the group of the scan %s is computed in its loop over the rows; move the scan",
                  te__stage_name(g->scan));
}

/* The group that says where a stage is computed of which nothing is said; NULL: none. */
static const te_group *moved_by(const te_stage *st) {
    const te_group *g = st->attach == TE__ROOT ? st->group : NULL;
    while (g && !g->scan && g->attach != TE__AT) g = g->group;
    return g && !g->scan ? g : NULL;
}

static void compute_at(te_context *c, te_group *g, te_stage *parent, const te_axis *axis) {
    te_schedule *s = g->schedule;
    te__need_a(c, VT_TAG_STAGE, parent, "a stage");
    refuse_scan(c, g);
    if (parent->schedule != s)
        te__raise(c, VTA_ILLEGAL, "%s is of another schedule than the group", te__stage_name(parent));
    const vt_iter *at = te__loop_of(c, parent, axis, "compute a group at");
    if (is_within(parent->group, g))
        te__raise(c, VTA_ILLEGAL, "cannot compute the group of %s at its own loop", te__stage_name(parent));
    if (!te__group_holds(g->group, parent))
        te__raise(c, VTA_ILLEGAL, "cannot compute a group at %s.%s: %s does not belong to the group around it",
                  te__stage_name(parent), te__axis_name(at), te__stage_name(parent));
    for (uint32_t i = 0; i < s->n_stages; i++)
        if (s->stages[i]->is_output && is_within(s->stages[i]->group, g))
            te__raise(c, VTA_ILLEGAL, "cannot compute_at a group that %s belongs to: it is an output of the schedule",
                      te__stage_name(s->stages[i]));
    g->attach = TE__AT;
    g->at_stage = parent;
    g->at_axis = at;
    g->at_pos = c->pos;
}

vta_status te_group_compute_at(te_group *g, te_stage *parent, te_axis *axis) {
    TE_RETURN_STATUS(context_of(g), compute_at(g->schedule->c, g, parent, axis));
}

static void compute_root(te_context *c, te_group *g) {
    refuse_scan(c, g);
    g->attach = TE__ROOT;
    g->at_stage = NULL;
    g->at_axis = NULL;
}

vta_status te_group_compute_root(te_group *g) { TE_RETURN_STATUS(context_of(g), compute_root(g->schedule->c, g)); }

void te__place_groups(te_schedule *s) {
    for (uint32_t i = 0; i < s->n_stages; i++) {
        te_stage *st = s->stages[i];
        const te_group *g = moved_by(st);
        if (!g || st->op->placeholder) continue;
        te__attach_at(s->c, st, g->at_stage, g->at_axis);
        st->at_pos = g->at_pos;
    }
}

/* ---- Copying ---- */

static te_group *copy_of(te_schedule *to, const te_schedule *from, const te_group *g) {
    uint32_t i = 0;
    while (i < from->n_groups && from->groups[i] != g) i++;
    return i < from->n_groups ? to->groups[i] : NULL;
}

void te__groups_copy(te_schedule *to, const te_schedule *from) {
    for (uint32_t i = 0; i < from->n_groups; i++) {
        te_group *g = add(to, NULL);
        *g = *from->groups[i];
        g->schedule = to;
        if (g->at_stage) g->at_stage = to->stages[te__stage_index(from, g->at_stage)];
        if (g->scan) g->scan = to->stages[te__stage_index(from, g->scan)];
    }
    for (uint32_t i = 0; i < from->n_groups; i++) to->groups[i]->group = copy_of(to, from, from->groups[i]->group);
    for (uint32_t i = 0; i < from->n_stages; i++) to->stages[i]->group = copy_of(to, from, from->stages[i]->group);
}
