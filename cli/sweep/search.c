/* The generations of a search. */
#include "search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_GENERATION = 8 };

typedef struct individual {
    uint64_t machine;
    double value[OBJECTIVE_COUNT];
    bool is_refused;
    size_t front;    /* 0: no other one is better in all objectives; 1: without those; and so on */
    double crowding; /* distance between its neighbors on its front; INFINITY at the ends */
} individual;

/* ---- Numbers ---------------------------------------------------------------------------------------------------- */

/* splitmix64. */
static uint64_t draw(sweep_search *s) {
    uint64_t z = s->random += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static uint64_t draw_below(sweep_search *s, uint64_t bound) { return draw(s) % bound; }

/* Where a machine is in the table, or would be. */
static uint64_t *find(const sweep_search *s, uint64_t machine) {
    uint64_t mask = 2 * s->capacity - 1, at = machine * 0x9e3779b97f4a7c15 >> 20;
    while (s->table[at & mask] && s->table[at & mask] != machine + 1) at++;
    return &s->table[at & mask];
}

static bool is_chosen(const sweep_search *s, uint64_t machine) { return s->capacity && *find(s, machine); }

static vta_status grow(sweep_search *s) {
    size_t capacity = s->capacity ? 2 * s->capacity : SWEEP_GENERATION;
    uint64_t *machines = realloc(s->machines, capacity * sizeof *machines);
    if (machines) s->machines = machines;
    uint64_t *table = machines ? calloc(2 * capacity, sizeof *table) : NULL;
    if (!table) return VTA_NO_MEMORY;
    free(s->table);
    s->table = table;
    s->capacity = capacity;
    for (size_t i = 0; i < s->count; i++) *find(s, s->machines[i]) = s->machines[i] + 1;
    return VTA_OK;
}

static vta_status choose(sweep_search *s, uint64_t machine) {
    vta_status status = s->count == s->capacity ? grow(s) : VTA_OK;
    if (status != VTA_OK) return status;
    *find(s, machine) = machine + 1;
    s->machines[s->count++] = machine;
    return VTA_OK;
}

/* One that was not chosen yet; there is one. */
static uint64_t draw_new(sweep_search *s) {
    uint64_t machine = draw_below(s, s->space->count);
    while (is_chosen(s, machine)) machine = (machine + 1) % s->space->count;
    return machine;
}

/* ---- Ranks ------------------------------------------------------------------------------------------------------ */

static bool dominates(const individual *a, const individual *b, const objectives *by) {
    if (a->is_refused != b->is_refused) return b->is_refused;
    bool is_better = false;
    for (size_t i = 0; i < by->count; i++) {
        if (a->value[by->item[i]] > b->value[by->item[i]]) return false;
        is_better |= a->value[by->item[i]] < b->value[by->item[i]];
    }
    return is_better;
}

/* Peels off fronts. */
static void find_fronts(individual *all, size_t count, const objectives *by) {
    for (size_t i = 0; i < count; i++) all[i].front = SIZE_MAX;
    for (size_t front = 0, left = count; left; front++) {
        for (size_t i = 0; i < count; i++) {
            if (all[i].front != SIZE_MAX) continue;
            bool is_beaten = false;
            for (size_t k = 0; k < count && !is_beaten; k++)
                is_beaten = all[k].front >= front && dominates(&all[k], &all[i], by);
            if (is_beaten) continue;
            all[i].front = front;
            left--;
        }
    }
}

static objective sorted_by;

static int by_value(const void *a, const void *b) {
    const individual *x = a, *y = b;
    if (x->front != y->front) return x->front < y->front ? -1 : 1;
    double v = x->value[sorted_by], w = y->value[sorted_by];
    if (v != w) return v < w ? -1 : 1;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* Distances in factors: area and time span orders of magnitude. */
static void find_crowding(individual *all, size_t count, const objectives *by) {
    for (size_t i = 0; i < count; i++) all[i].crowding = 0;
    for (size_t o = 0; o < by->count; o++) {
        sorted_by = by->item[o];
        qsort(all, count, sizeof *all, by_value);
        for (size_t i = 0; i < count; i++) {
            bool is_end =
                i == 0 || i + 1 == count || all[i - 1].front != all[i].front || all[i + 1].front != all[i].front;
            if (is_end || all[i].is_refused)
                all[i].crowding = all[i].is_refused ? 0 : INFINITY;
            else
                all[i].crowding += log(all[i + 1].value[sorted_by] / all[i - 1].value[sorted_by]);
        }
    }
}

static int by_rank(const void *a, const void *b) {
    const individual *x = a, *y = b;
    if (x->front != y->front) return x->front < y->front ? -1 : 1;
    if (x->crowding != y->crowding) return x->crowding > y->crowding ? -1 : 1;
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* ---- Children --------------------------------------------------------------------------------------------------- */

/* The better of two parents, which are in the order of their ranks. */
static uint64_t pick(sweep_search *s) {
    uint64_t a = draw_below(s, s->parent_count), b = draw_below(s, s->parent_count);
    return s->parents[a < b ? a : b];
}

/* A value near `value`, or any: values of an axis stand in an order that mostly means something. */
static uint64_t mutate(sweep_search *s, uint64_t value, uint64_t count) {
    if (count == 1) return value;
    if (draw_below(s, 2) == 0) return draw_below(s, count);
    bool up = value == 0 || (value + 1 < count && draw_below(s, 2));
    return up ? value + 1 : value - 1;
}

/* Each setting from one of two parents; one in as many as there are is changed. */
static uint64_t cross(sweep_search *s, uint64_t a, uint64_t b) {
    uint64_t child = 0, stride = 1;
    for (size_t i = 0; i < s->space->axis_count; i++) {
        uint64_t count = s->space->axes[i].count, value = draw_below(s, 2) ? a % count : b % count;
        if (draw_below(s, s->space->axis_count) == 0) value = mutate(s, value, count);
        child += value * stride;
        stride *= count;
        a /= count;
        b /= count;
    }
    return child;
}

/* A child that was not chosen yet; where children are all known, any machine. */
static uint64_t make_child(sweep_search *s) {
    for (int tries = 0; tries < 32; tries++) {
        uint64_t child = cross(s, pick(s), pick(s));
        if (!is_chosen(s, child)) return child;
    }
    return draw_new(s);
}

/* ---- Generations ------------------------------------------------------------------------------------------------ */

static size_t generation_size(const sweep_search *s) {
    uint64_t size = s->budget / 8;
    return (size_t)(size < MIN_GENERATION ? MIN_GENERATION : size > SWEEP_GENERATION ? SWEEP_GENERATION : size);
}

/* The best of the parents and of the last generation, which they are parents of, are the next parents. */
static void select_parents(sweep_search *s, sweep_search_values *values, void *context) {
    size_t size = generation_size(s), count = s->parent_count, newest = s->count < size ? s->count : size;
    individual all[2 * SWEEP_GENERATION];
    for (size_t i = 0; i < count; i++) all[i] = (individual){.machine = s->parents[i]};
    for (size_t i = s->count - newest; i < s->count; i++) all[count++] = (individual){.machine = s->machines[i]};
    for (size_t i = 0; i < count; i++) all[i].is_refused = !values(context, all[i].machine, all[i].value);
    find_fronts(all, count, &s->by);
    find_crowding(all, count, &s->by);
    qsort(all, count, sizeof *all, by_rank);
    s->parent_count = count < size ? count : size;
    for (size_t i = 0; i < s->parent_count; i++) s->parents[i] = all[i].machine;
}

vta_status sweep_search_next(sweep_search *s, sweep_search_values *values, void *context, bool *out_more) {
    uint64_t end = s->budget < s->space->count ? s->budget : s->space->count;
    *out_more = s->count < end;
    if (s->count && *out_more) select_parents(s, values, context);
    vta_status status = VTA_OK;
    for (size_t i = generation_size(s); i && s->count < end && status == VTA_OK; i--)
        status = choose(s, s->parent_count ? make_child(s) : draw_new(s));
    return status;
}

void sweep_search_free(sweep_search *s) {
    free(s->machines);
    free(s->table);
    *s = (sweep_search){0};
}
