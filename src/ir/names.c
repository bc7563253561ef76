#include "ir/names.h"

#include <string.h>

typedef struct entry {
    const char *name;
    uint32_t hash;
    uint32_t last; /* the last suffix tried with this name */
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

const char *vt__names_take(vt__names *names, const char *wanted) {
    entry *e = at(names, wanted);
    if (!e->taken) {
        e->taken = true;
        e->last = 0;
        return e->name;
    }
    uint32_t suffix = e->last;
    for (;;) {
        const char *name = vt_new_format(names->ctx, "%s_%u", wanted, ++suffix);
        entry *other = at(names, name);
        if (other->taken) continue;
        other->taken = true;
        name = other->name;
        at(names, wanted)->last = suffix;
        return name;
    }
}

void vt__names_free(vt__names *names, const char *name) { at(names, name)->taken = false; }
