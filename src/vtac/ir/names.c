#include "ir/names.h"

#include <stdio.h>
#include <string.h>

typedef struct entry {
    const char *name;
    uint32_t hash;
    int32_t last; /* the last suffix given with this name; -1: the name itself may be given again */
    bool taken;
} entry;

struct vt__names {
    vt_ctx *ctx;
    entry *slots; /* open addressing; name NULL: free */
    uint32_t n, n_slots;
};

static uint32_t hash_of(const char *s) {
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 16777619u;
    return h;
}

static entry *slot_of(vt__names *names, const char *name, uint32_t hash) {
    uint32_t i = hash & (names->n_slots - 1);
    while (names->slots[i].name && (names->slots[i].hash != hash || strcmp(names->slots[i].name, name)))
        i = (i + 1) & (names->n_slots - 1);
    return &names->slots[i];
}

static void grow(vt__names *names) {
    entry *old = names->slots;
    uint32_t n_old = names->n_slots;
    names->n_slots = n_old ? n_old * 2 : 64;
    names->slots = VT_NEW_ARRAY(names->ctx, entry, names->n_slots);
    for (uint32_t i = 0; i < n_old; i++)
        if (old[i].name) *slot_of(names, old[i].name, old[i].hash) = old[i];
}

vt__names *vt__names_new(vt_ctx *ctx) {
    vt__names *names = VT_NEW(ctx, vt__names);
    names->ctx = ctx;
    grow(names);
    return names;
}

/* The entry of a name, made when it is new. The pointer is valid until the next call. */
static entry *at(vt__names *names, const char *name) {
    if (2 * (names->n + 1) > names->n_slots) grow(names);
    uint32_t hash = hash_of(name);
    entry *e = slot_of(names, name, hash);
    if (!e->name) {
        *e = (entry){.name = vt_new_string(names->ctx, name), .hash = hash};
        names->n++;
    }
    return e;
}

static const char *take(vt__names *names, const char *name) {
    entry *e = at(names, name);
    e->taken = true;
    e->last = 0;
    return e->name;
}

const char *vt__names_take(vt__names *names, const char *wanted) {
    entry *e = at(names, wanted);
    if (!e->taken || e->last < 0) return take(names, wanted);
    int32_t suffix = e->last;
    const char *name;
    do name = vt_new_format(names->ctx, "%s_%d", wanted, ++suffix);
    while (at(names, name)->taken);
    at(names, wanted)->last = suffix;
    return take(names, name);
}

void vt__names_step_back(vt__names *names, const char *wanted, const char *name) {
    entry *e = at(names, wanted);
    char last[256];
    if (e->last > 0)
        snprintf(last, sizeof last, "%s_%d", wanted, e->last);
    else
        snprintf(last, sizeof last, "%s", wanted);
    if (e->taken && !strcmp(last, name)) e->last--;
}

const char *vt__names_take_lowest(vt__names *names, const char *wanted) {
    const char *name = wanted;
    for (uint32_t i = 1; at(names, name)->taken; i++) name = vt_new_format(names->ctx, "%s_%u", wanted, i);
    return take(names, name);
}

void vt__names_free(vt__names *names, const char *name) { at(names, name)->taken = false; }
