#include "random/shrink.h"

#include <string.h>

#include "random/reason.h"

typedef struct shrinker {
    const shrink_sort *sort;
    choices *best, tried;
    result *found;
    char reason[REASON_LENGTH];
    int left; /* trials */
} shrinker;

static bool simpler(const choices *a, const choices *b) {
    if (a->n != b->n) return a->n < b->n;
    for (size_t i = 0; i < a->n; i++)
        if (a->made[i] != b->made[i]) return a->made[i] < b->made[i];
    return false;
}

/* Takes the list when its program fails in the same way. */
static bool attempt(shrinker *s, const uint32_t *list, size_t n) {
    result r;
    char reason[REASON_LENGTH];
    if (s->left <= 0) return false;
    choices_from_list(&s->tried, list, n);
    if (!s->sort->make(s->sort->user, &s->tried) || !simpler(&s->tried, s->best)) return false;
    s->left--;
    s->sort->run(s->sort->user, &r);
    if (r.outcome != s->found->outcome) return false;
    reason_of(r.text, reason);
    if (r.outcome != OUTCOME_WRONG && strcmp(reason, s->reason) != 0) return false;
    *s->best = s->tried;
    *s->found = r;
    s->sort->take(s->sort->user);
    return true;
}

static bool leave_out(shrinker *s, size_t at, size_t size) {
    uint32_t list[MAX_CHOICES];
    memcpy(list, s->best->made, at * sizeof *list);
    memcpy(list + at, s->best->made + at + size, (s->best->n - at - size) * sizeof *list);
    return attempt(s, list, s->best->n - size);
}

/* Leaves out parts of the program, several at once first. */
static bool drop_units(shrinker *s, int together) {
    bool any = false;
    for (int i = 0; i < s->best->n_units;) {
        int last = i + together;
        size_t from = s->best->units[i], to = last < s->best->n_units ? s->best->units[last] : s->best->n;
        if (to > from && leave_out(s, from, to - from))
            any = true;
        else
            i++;
    }
    return any;
}

/* Leaves out parts of the list. */
static bool drop(shrinker *s, size_t size) {
    bool any = false;
    for (size_t at = 0; at + size <= s->best->n;) {
        if (leave_out(s, at, size))
            any = true;
        else
            at += size > 4 ? size / 2 : 1;
    }
    return any;
}

static bool clear(shrinker *s, size_t size) {
    uint32_t list[MAX_CHOICES];
    bool any = false;
    for (size_t at = 0; at < s->best->n; at += size) {
        memcpy(list, s->best->made, s->best->n * sizeof *list);
        for (size_t i = at; i < at + size && i < s->best->n; i++) list[i] = 0;
        any = attempt(s, list, s->best->n) || any;
    }
    return any;
}

static bool lower(shrinker *s) {
    uint32_t list[MAX_CHOICES];
    bool any = false;
    for (size_t at = 0; at < s->best->n; at++) {
        for (uint32_t by = s->best->made[at]; by > 0; by /= 2) {
            if (at >= s->best->n || s->best->made[at] < by) break;
            memcpy(list, s->best->made, s->best->n * sizeof *list);
            list[at] -= by;
            any = attempt(s, list, s->best->n) || any;
        }
    }
    return any;
}

void shrink(choices *c, const shrink_sort *sort, result *found, int trials) {
    static shrinker s;
    s = (shrinker){.sort = sort, .best = c, .found = found, .left = trials};
    reason_of(found->text, s.reason);
    for (bool any = true; any && s.left > 0;) {
        any = false;
        for (int together = 8; together > 0; together /= 2) any = drop_units(&s, together) || any;
        for (size_t size = 64; size > 0; size /= 2) any = drop(&s, size) || any;
        for (size_t size = 16; size > 1; size /= 2) any = clear(&s, size) || any;
        any = lower(&s) || any;
    }
}
