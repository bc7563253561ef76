/* Channels put in order by products with a matrix of zeros and ones: a convolution of 1 x 1. An output needs one input
 * only, so where the blocks of the outputs read few blocks each, the product is split: into groups, or into several
 * products of some blocks each. */
#include <string.h>

#include "network/channels.h"

enum {
    TILE_CYCLES = 2,    /* of the memory's bus, to load or store a tile */
    BEGIN_CYCLES = 600, /* until an operator computes, and after it has */
    LEAVE_CYCLES = 4000 /* to leave the accelerator, and to begin again; a host moves two bytes in a cycle */
};

typedef struct part {
    int64_t first, end;       /* blocks of the result */
    int64_t in_first, in_end; /* of what they read */
} part;

typedef struct choice {
    int64_t cost, groups;
    const part *parts; /* NULL: one product in groups */
    int64_t part_count;
} choice;

void vt__blocks_read(const vt__moving *c, const int32_t *lane, int64_t count, int64_t *first, int64_t *end) {
    *first = INT64_MAX, *end = 0;
    for (int64_t i = 0; i < count; i++) {
        if (lane[i] < 0) continue;
        int64_t block = lane[i] / c->n->block;
        if (block < *first) *first = block;
        if (block >= *end) *end = block + 1;
    }
    if (!*end) *first = 0, *end = 1;
}

/* Products wait for most of what they load; what is stored beside them waits for nothing but the bus. */
static int64_t cost_of(int64_t in, int64_t out, int64_t products, int64_t pixels) {
    int64_t tiles = TILE_CYCLES * (in + out), work = products + TILE_CYCLES * in;
    return pixels * (tiles > work ? tiles : work) + BEGIN_CYCLES;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- In parts --------------------------------------------------------------------------------------------------- */

static part part_of(const vt__moving *c, const int32_t *lane, int64_t count, int64_t first, int64_t end) {
    part p = {first, end, 0, 0};
    int64_t from = first * c->n->block, to = least(end * c->n->block, count);
    vt__blocks_read(c, lane + from, to - from, &p.in_first, &p.in_end);
    return p;
}

/* The cheapest way to cut the blocks of the result, from the first on. */
static choice in_parts(const vt__moving *c, const int32_t *lane, int64_t count, int64_t pixels) {
    int64_t blocks = vt__blocks_of(c, count);
    int64_t *cost = VT_NEW_ARRAY(c->ctx, int64_t, (size_t)blocks + 1);
    part *last = VT_NEW_ARRAY(c->ctx, part, (size_t)blocks + 1);
    for (int64_t end = 1; end <= blocks; end++) {
        cost[end] = INT64_MAX;
        for (int64_t first = 0; first < end; first++) {
            part p = part_of(c, lane, count, first, end);
            int64_t in = p.in_end - p.in_first, out = end - first;
            int64_t all = cost[first] + cost_of(in, out, in * out, pixels);
            if (all < cost[end]) cost[end] = all, last[end] = p;
        }
    }
    choice o = {cost[blocks], 1, NULL, 0};
    for (int64_t at = blocks; at > 0; at = last[at].first) o.part_count++;
    part *parts = VT_NEW_ARRAY(c->ctx, part, (size_t)o.part_count);
    for (int64_t at = blocks, i = o.part_count; at > 0; at = last[at].first) parts[--i] = last[at];
    o.parts = parts;
    return o;
}

/* ---- In groups -------------------------------------------------------------------------------------------------- */

static bool are_groups(const vt__moving *c, int64_t in, const int32_t *lane, int64_t count, int64_t groups) {
    int64_t b = c->n->block;
    if (groups > 1 && (in % groups || count % groups || in / groups % b || count / groups % b)) return false;
    for (int64_t i = 0; i < count; i++)
        if (lane[i] >= 0 && lane[i] / (in / groups) != i / (count / groups)) return false;
    return true;
}

static choice in_groups(const vt__moving *c, int64_t channels, const int32_t *lane, int64_t count, int64_t pixels) {
    int64_t in = vt__blocks_of(c, channels), out = vt__blocks_of(c, count), groups = least(in, out);
    while (!are_groups(c, channels, lane, count, groups)) groups--;
    return (choice){cost_of(in, out, in / groups * out, pixels), groups, NULL, 0};
}

/* Parts lie one behind the other, which images of several tiles do not. */
static choice choose(const vt__moving *c, const vt_qtensor *of, const int32_t *lane, int64_t count) {
    int64_t d[4], pixels = vt__pixels_of(c, of);
    vt_qtensor_image(&of->type, d);
    choice all = in_groups(c, d[1], lane, count, pixels);
    if (d[0] > c->n->batch) return all;
    choice some = in_parts(c, lane, count, pixels);
    return some.cost < all.cost ? some : all;
}

static bool is_dear(const vt__moving *c, const vt_qtensor *of, int64_t count, int64_t cost) {
    return cost > LEAVE_CYCLES + vt__blocks_of(c, count) * c->n->block * vt__pixels_of(c, of) / 2;
}

int64_t vt__select_cost(const vt__moving *c, const vt_qtensor *of, const int32_t *lane, int64_t count) {
    return choose(c, of, lane, count).cost;
}

/* ---- The layers ------------------------------------------------------------------------------------------------- */

static int32_t *places_of(vt__moving *c, const vt_qtensor *of, const int32_t *lane, int64_t first, int64_t count) {
    int64_t d[4];
    vt_qtensor_image(&of->type, d);
    int64_t plane = d[2] * d[3];
    int32_t *places = VT_NEW_ARRAY(c->ctx, int32_t, (size_t)(d[0] * count * plane));
    for (int64_t i = 0; i < d[0] * count * plane; i++) {
        int64_t channel = i / plane % count, image = i / plane / count;
        int64_t at = lane ? lane[channel] : first + channel;
        places[i] = at < 0 ? -1 : (int32_t)((image * d[1] + at) * plane + i % plane);
    }
    return places;
}

static vt_qlayer *add(vt__moving *c, const vt_qlayer *like, vt_qkind kind, const vt_qtensor *const *inputs,
                      uint32_t count, vt_qtensor *output) {
    const vt_qtensor **copy = VT_NEW_ARRAY(c->ctx, const vt_qtensor *, count);
    memcpy(copy, inputs, count * sizeof *copy);
    const vt_qlayer blank = {.name = like->name, .kind = kind, .group = 1, .node = like->node};
    vt_qlayer *l = vt__channels_layer(c, &blank, output);
    c->said[l->index] = (vt__said){"in products with zeros and ones", vt_qkind_text(like->kind), 0};
    l->inputs = copy;
    l->input_count = count;
    l->axis = 1;
    return l;
}

const vt_qtensor *vt__slice(vt__moving *c, const vt_qlayer *like, const vt_qtensor *of, int64_t first, int64_t end) {
    int64_t d[4], b = c->n->block;
    vt_qtensor_image(&of->type, d);
    if (d[0] > c->n->batch || (first == 0 && end == vt__blocks_of(c, d[1]))) return of;
    int64_t count = least(end * b, d[1]) - first * b;
    vt_qtensor *t = vt__channels_tensor(c, of, count);
    add(c, like, VT_Q_MOVE, &of, 1, t)->places = places_of(c, of, NULL, first * b, count);
    return t;
}

static void multiply(vt__moving *c, const vt_qlayer *like, const vt_qtensor *of, const int32_t *lane, int64_t first,
                     int64_t count, int64_t groups, vt_qtensor *output) {
    int64_t in[4];
    vt_qtensor_image(&of->type, in);
    int64_t each = in[1] / groups;
    int8_t *weight = vt_new_bytes(c->ctx, (size_t)(count * each));
    for (int64_t i = 0; i < count; i++)
        if (lane[i] >= 0) weight[i * each + (lane[i] - first) % each] = 1;
    vt_qlayer *l = add(c, like, VT_Q_CONV, &of, 1, output);
    l->window = (vt_qwindow){{1, 1}, {1, 1}, {1, 1}, {0}};
    l->group = groups;
    l->weight = weight;
    l->weight_type = (vt_gtype){.element = VT_ELEMENT_I8, .rank = 4, .dim = {count, each, 1, 1}};
}

static void multiply_parts(vt__moving *c, const vt_qlayer *like, vt__view v, int64_t count, const choice *o,
                           vt_qtensor *output) {
    const vt_qtensor **made = VT_NEW_ARRAY(c->ctx, const vt_qtensor *, (size_t)o->part_count);
    for (int64_t i = 0; i < o->part_count; i++) {
        const part *p = &o->parts[i];
        int64_t first = p->first * c->n->block, channels = least(p->end * c->n->block, count) - first;
        vt_qtensor *t = o->part_count == 1 ? output : vt__channels_tensor(c, output, channels);
        const vt_qtensor *of = vt__slice(c, like, v.of, p->in_first, p->in_end);
        multiply(c, like, of, v.lane + first, of == v.of ? 0 : p->in_first * c->n->block, channels, 1, t);
        made[i] = t;
    }
    if (o->part_count > 1) add(c, like, VT_Q_CONCAT, made, (uint32_t)o->part_count, output);
}

void vt__select(vt__moving *c, const vt_qlayer *like, vt__view v, int64_t count, vt_qtensor *output) {
    choice o = choose(c, v.of, v.lane, count);
    if (is_dear(c, v.of, count, o.cost)) {
        vt_qlayer *l = add(c, like, VT_Q_MOVE, &v.of, 1, output);
        l->places = places_of(c, v.of, v.lane, 0, count);
        c->said[l->index].why = NULL;
    } else if (o.parts) {
        multiply_parts(c, like, v, count, &o, output);
    } else {
        multiply(c, like, v.of, v.lane, 0, count, o.groups, output);
    }
}
